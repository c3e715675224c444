// What every fuzzer of structured input is made of: choices from libFuzzer's seed, numbers at the edges, and the door through
// which libFuzzer asks for a change of an input.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "support/splitmix.hpp"

// libFuzzer's own changes of bytes, which use its dictionary and what comparisons it has seen.
extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

namespace isaforge::fuzz {

using Bytes = std::vector<std::uint8_t>;

inline std::string_view text_of(const std::uint8_t* data, std::size_t size) {
    return {reinterpret_cast<const char*>(data), size};
}

// What has to hold, in every build.
inline void require(bool holds) {
    if (!holds) std::abort();
}

// Equal seeds give equal choices.
class Random : public SplitMix64 {
public:
    using SplitMix64::SplitMix64;

    std::size_t below(std::size_t n) { return n == 0 ? 0 : static_cast<std::size_t>(next() % n); }
    bool one_in(std::size_t n) { return below(n) == 0; }

    // Of a list that is not empty.
    template <class List>
    const auto& pick(const List& list) {
        return list[below(std::size(list))];
    }

    // Where limits lie: nothing, all ones, powers of two and their neighbours; and small numbers.
    std::uint64_t edge() {
        switch (below(4)) {
            case 0: return below(16);
            case 1: return (std::uint64_t{1} << below(64)) - 1 + below(3);
            case 2: return ~std::uint64_t{0} - below(16);
            default: return next() >> below(64);
        }
    }
};

// Lets libFuzzer change a stretch of a text or of bytes, which may grow by some.
template <class Text>
void change_bytes(Text& text, std::size_t begin, std::size_t end) {
    constexpr std::size_t more = 16;
    std::vector<std::uint8_t> part(text.begin() + static_cast<long>(begin), text.begin() + static_cast<long>(end));
    const std::size_t size = part.size();
    part.resize(size + more);
    part.resize(LLVMFuzzerMutate(part.data(), size, part.size()));
    text.erase(text.begin() + static_cast<long>(begin), text.begin() + static_cast<long>(end));
    text.insert(text.begin() + static_cast<long>(begin), part.begin(), part.end());
}

// What LLVMFuzzerCustomMutator has to do, with `change(text, random)` done to the input once or a few times.
template <class Change>
std::size_t mutate(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed, Change change) {
    Random random(seed);
    std::string text(text_of(data, size));
    do change(text, random);
    while (!random.one_in(2));
    size = std::min(text.size(), most);
    std::memcpy(data, text.data(), size);
    return size;
}

// The same where the first byte of the input chooses a machine, and the rest is what is changed.
template <class Change>
std::size_t mutate_behind(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed, Change change) {
    return mutate(data, size, most, seed, [&](std::string& text, Random& random) {
        if (text.empty()) text += '\0';
        if (random.one_in(16)) text[0] = static_cast<char>(random.next());
        std::string rest = text.substr(1);
        change(rest, random, static_cast<std::uint8_t>(text[0]));
        text.replace(1, std::string::npos, rest);
    });
}

}  // namespace isaforge::fuzz
