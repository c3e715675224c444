// Whether an instruction's text reads back as the same bits. Most forms are known to do so from the description alone:
// their name is theirs only and every operand's text says its code. The others are assembled again.
#pragma once

#include <memory>
#include <vector>

#include "isaforge/codec.hpp"

namespace isaforge::disassembler {

class Verifier {
public:
    explicit Verifier(const Codec& codec);
    ~Verifier();

    // `text` is what Codec::print wrote without labels; a NUL follows it.
    bool reads_back(const Image& image, unsigned bits, const char* text, const char* end, std::uint64_t address);

    // The text is one statement and no number in it is out of range.
    bool reads(const char* text, const char* end, std::uint64_t address);

    // What the last reading came to: how long the instruction is, or why it was not read.
    unsigned bits() const;
    const ReadFailure& failure() const;

    // Needs no proof.
    bool is_certain(Index form, const Image& image) const {
        const Sure& sure = sure_[form];
        if (!sure.certain || (image.words[0] & sure.loose.words[0]) != 0) return false;
        for (std::size_t i = 1; sure.wide && i < sure.loose.words.size(); ++i) {
            if ((image.words[i] & sure.loose.words[i]) != 0) return false;
        }
        return true;
    }

private:
    struct Sure {
        bool certain = false;
        bool wide = false;  // more than 64 bits
        Image loose;        // bits that neither opcode nor field covers: zero when they come from the assembler
    };
    bool operand_is_certain(Index type);
    bool text_is_plain(const Form& form) const;

    const Codec& codec_;
    struct Reading;  // what reading a statement needs, made once
    std::unique_ptr<Reading> reading_;
    std::vector<Sure> sure_;
    std::vector<std::uint8_t> operands_;  // 0 unknown, 1 certain, 2 not
};

}  // namespace isaforge::disassembler
