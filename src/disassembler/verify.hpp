// Whether an instruction's text reads back as the same bits. Most forms are known to do so from the description alone:
// their name is theirs only and every operand's text says its code. The others are assembled again.
#pragma once

#include <map>
#include <memory>
#include <utility>
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
    bool is_certain(Index form, const Image& image) {
        const Sure& sure = sure_[form];
        if (!sure.known) examine(form);
        if (!sure.certain || (image.words[0] & sure.loose.words[0]) != 0) return false;
        for (std::size_t i = 1; sure.wide && i < sure.loose.words.size(); ++i) {
            if ((image.words[i] & sure.loose.words[i]) != 0) return false;
        }
        for (const BitPlaceOf& doubtful : sure.doubtful) {
            if (!code_is_certain(doubtful.type, doubtful.place->extract(image))) return false;
        }
        return true;
    }

private:
    struct BitPlaceOf {
        Index type;
        const BitPlace* place;
    };
    struct Sure {
        bool known = false, certain = false;
        std::vector<BitPlaceOf> doubtful;  // fields of which only some codes are certain
        bool wide = false;  // more than 64 bits
        Image loose;        // bits that neither opcode nor field covers: zero when they come from the assembler
    };
    bool operand_is_certain(Index type);
    bool code_is_certain(Index type, std::uint64_t code) {
        std::vector<std::uint8_t>& known = codes_[type];
        if (code >= known.size()) return read_code(type, code);
        if (known[code] == 0) known[code] = read_code(type, code) ? 1 : 2;
        return known[code] == 1;
    }
    bool read_code(Index type, std::uint64_t code) const;
    bool text_is_plain(const Form& form) const;
    void examine(Index form);
    bool is_separable(const Form& form);
    bool reads_as(Index type, Index other);

    const Codec& codec_;
    struct Reading;  // what reading a statement needs, made once
    std::unique_ptr<Reading> reading_;
    std::vector<Sure> sure_;
    std::vector<std::uint8_t> operands_;            // 0 unknown, 1 certain, 2 not
    std::vector<std::vector<std::uint8_t>> codes_;  // the same for each code of a type
    std::map<std::pair<Index, Index>, bool> alike_;  // what reads_as has found
};

}  // namespace isaforge::disassembler
