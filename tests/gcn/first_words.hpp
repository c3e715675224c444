// What the exhaustive test and its sample have in common: whether a word, with whatever stands behind it, is no instruction
// or comes back from its text.
#pragma once

#include <cstdint>
#include <string>

#include "disassembler/statement_reader.hpp"
#include "isaforge/codec.hpp"

namespace isaforge::test {

struct WordCounts {
    std::uint64_t words = 0, instructions = 0, returned = 0, shorter = 0, refused = 0, failed = 0;

    void add(const WordCounts& other) {
        words += other.words;
        instructions += other.instructions;
        returned += other.returned;
        shorter += other.shorter;
        refused += other.refused;
        failed += other.failed;
    }
};

class FirstWords {
public:
    explicit FirstWords(const Codec& codec) : codec_(codec), reader_(codec) {}

    // The first word alone, or where that is no instruction or has a tail, with some second words behind it.
    void check(std::uint32_t word) {
        ++counts_.words;
        if (check(word, 0, 32)) return;
        const std::uint64_t random = next();
        const auto low = static_cast<std::uint32_t>(random), high = static_cast<std::uint32_t>(random >> 32);
        // Random bits are seldom an instruction's second word: half of them, and none, are more often.
        for (const std::uint32_t second : {low, high & low, high & 0x00ffffffu, 0x80000000u | (high & 0x7fff), 0u})
            check(word, second, 64);
    }

    const WordCounts& counts() const { return counts_; }
    const std::string& failures() const { return failures_; }  // the first few

private:
    static constexpr std::uint64_t address = 0x40000;  // jumps backwards reach addresses, not negative numbers

    bool check(std::uint32_t word, std::uint32_t second, unsigned available) {
        Image image;
        image.words[0] = word | std::uint64_t{second} << 32;
        unsigned bits = 0;
        const Index form = codec_.decode(image, available, bits);
        if (form == no_index) return false;
        ++counts_.instructions;
        char* const end = codec_.print(text_, form, image, bits, address);
        *end = '\0';
        if (reader_.reads_back(codec_.as_written(form, image), bits, text_, end, address)) {
            ++counts_.returned;
        } else if (!reader_.reads(text_, end, address)) {
            refused(word, second);
        } else if (reader_.bits() < bits) {
            ++counts_.shorter;  // a constant behind the instruction for which a shorter form has room
        } else {
            fail(word, second, "is read as other bits");
        }
        return true;
    }

    // The assembler may refuse what the hardware decodes: a vector instruction that reads too many scalar registers.
    void refused(std::uint32_t word, std::uint32_t second) {
        if (reader_.failure().message.find("at most") != std::string::npos) {
            ++counts_.refused;
        } else {
            fail(word, second, "is not read");
        }
    }

    void fail(std::uint32_t word, std::uint32_t second, const char* what) {
        constexpr std::size_t enough = 4000;
        ++counts_.failed;
        if (failures_.size() > enough) return;
        char line[64];
        std::snprintf(line, sizeof line, "%08x %08x %s: ", word, second, what);
        failures_ += line + std::string(text_) + "\n";
    }

    std::uint64_t next() {
        state_ ^= state_ << 13;
        state_ ^= state_ >> 7;
        return state_ ^= state_ << 17;
    }

    const Codec& codec_;
    disassembler::StatementReader reader_;
    std::uint64_t state_ = 0x9e3779b97f4a7c15;
    WordCounts counts_;
    std::string failures_;
    char text_[Codec::max_text + 64];
};

}  // namespace isaforge::test
