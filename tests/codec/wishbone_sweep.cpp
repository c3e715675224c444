// All 2^32 words of the WISHBONE GPU: each is no instruction, or its text assembles back to exactly this word. It has a
// main of its own, as it can be told to do one part of many: `--shard K/N`, K from 0. Progress goes to stderr; the last
// line of stdout says how many words passed and failed.
#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "codec/plain_reader.hpp"
#include "isaforge/codec.hpp"

namespace isaforge::test {
namespace {

struct Counts {
    std::uint64_t passed = 0, failed = 0, instructions = 0;
};

class Sweep {
public:
    explicit Sweep(const Codec& codec) : codec_(codec) {}

    void run(std::uint64_t begin, std::uint64_t end) {
        const auto start = std::chrono::steady_clock::now();
        constexpr std::uint64_t report_every = std::uint64_t{1} << 24;
        for (std::uint64_t index = begin; index < end; ++index) {
            ++(comes_back(word_at(index)) ? counts_.passed : counts_.failed);
            if ((index + 1 - begin) % report_every != 0) continue;
            const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
            const double done = static_cast<double>(index + 1 - begin) / static_cast<double>(end - begin);
            std::fprintf(stderr, "%5.1f %%, %llu instructions, %.0f s of about %.0f s\n", 100 * done,
                         static_cast<unsigned long long>(counts_.instructions), seconds.count(),
                         seconds.count() / done);
        }
    }

    const Counts& counts() const { return counts_; }

private:
    static constexpr std::uint64_t address = 0x20000;  // jumps backwards reach addresses, not negative numbers
    static constexpr unsigned most_shown = 20;

    // Every word once, mixed, so that instructions are as frequent in each part.
    static std::uint32_t word_at(std::uint64_t index) { return static_cast<std::uint32_t>(index) * 2654435761u; }

    bool comes_back(std::uint32_t word) {
        Image image;
        image.words[0] = word;
        unsigned bits = 0;
        const Index form = codec_.decode(image, 32, bits);
        if (form == no_index) return true;
        ++counts_.instructions;
        char* const end = codec_.print(text_, form, image, bits, address);
        *end = '\0';
        const char* cursor = text_;
        if (codec_.assemble(cursor, end, address, reader_, encoded_, failure_) && cursor == end &&
            encoded_.bits == 32 && encoded_.image.words[0] == word)
            return true;
        if (counts_.failed < most_shown) std::printf("%08x: %s\n", word, text_);
        return false;
    }

    const Codec& codec_;
    PlainReader reader_;
    Encoded encoded_;
    ReadFailure failure_;
    char text_[Codec::max_text + 1];
    Counts counts_;
};

bool read_shard(int count, char** arguments, unsigned& shard, unsigned& shards) {
    if (count == 1) return true;
    return count == 3 && std::string(arguments[1]) == "--shard" &&
           std::sscanf(arguments[2], "%u/%u", &shard, &shards) == 2 && shards >= 1 && shard < shards;
}

int run(int count, char** arguments) {
    unsigned shard = 0, shards = 1;
    if (!read_shard(count, arguments, shard, shards)) {
        std::fprintf(stderr, "usage: %s [--shard K/N]   with K from 0 to N - 1\n", arguments[0]);
        return 2;
    }
    SourceManager sources;
    Diagnostics diagnostics;
    const auto isa = load_isa("wishbone-gpu", sources, diagnostics);
    if (!isa) {
        std::fputs(to_text(diagnostics, sources).c_str(), stderr);
        return 2;
    }
    const Codec codec(isa);
    Sweep sweep(codec);
    const std::uint64_t words = std::uint64_t{1} << 32;
    sweep.run(words / shards * shard + words % shards * shard / shards,
              words / shards * (shard + 1) + words % shards * (shard + 1) / shards);
    const Counts& counts = sweep.counts();
    std::printf("%llu instructions among the words\n", static_cast<unsigned long long>(counts.instructions));
    std::printf("%llu passed, %llu failed\n", static_cast<unsigned long long>(counts.passed),
                static_cast<unsigned long long>(counts.failed));
    return counts.failed == 0 ? 0 : 1;
}

}  // namespace
}  // namespace isaforge::test

int main(int count, char** arguments) { return isaforge::test::run(count, arguments); }
