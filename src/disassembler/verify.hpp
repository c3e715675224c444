// Whether an instruction's text reads back as the same bits. Most are known to do so from the description alone: no other
// text of the name fits and every operand's text says its code. The others are assembled again.
#pragma once

#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "codec/quick_place.hpp"
#include "disassembler/rivals.hpp"
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
        if (sure.state != Sure::State::certain && !becomes_certain(form)) return false;
        if ((image.words[0] & sure.loose) != sure.tight || (sure.more_loose && !is_tight(*sure.more_loose, image)))
            return false;
        const Check* check = checks_.data() + sure.first_check;
        for (const Check* const end = check + sure.checks; check != end; ++check) {
            const Known known = check->known[check->place.code(image.words[0])];
            if (known != Known::by_pattern && !(check->apart && known == Known::by_reading) &&
                !is_certain_yet(doubtful_[check->doubtful], image))
                return false;
        }
        for (std::uint16_t i = 0; i < sure.others; ++i) {
            if (!is_certain_yet(doubtful_[sure.first_other + i], image)) return false;
        }
        return sure.conditions == 0 || is_alone(sure, image);
    }

    // An instruction of the form has been read back: so will the same operands in others, where each stands apart.
    void learn(Index form, const Image& image);

private:
    // What is known of a code of an operand. Its pattern gives it back, or the reader was seen to do so; with a word behind
    // the instruction that is so for numbers that nothing else stands for.
    enum class Known : std::uint8_t { nothing, by_pattern, by_reading, with_number, not_by_pattern };

    // A field of which only some codes are certain.
    struct Doubtful {
        const BitPlace* place;
        Known* known;        // by code; null for a wide operand
        Index type;
        std::uint16_t bits;  // of the form
        bool apart;          // behind it stands a comma, a blank and a word, or nothing
    };
    // The same for one that is quick to look at.
    struct Check {
        const Known* known;
        codec::QuickPlace place;
        std::uint32_t doubtful : 31, apart : 1;
    };
    // Of those up to the `last` one must hold.
    struct Condition {
        const std::uint8_t* keeps_off;
        const BitPlace* place;
        bool last;
    };
    struct More {
        Image loose, tight;
    };
    // What is known of a form. Its lists lie among those of all forms.
    struct Sure {
        enum class State : std::uint8_t { unseen, unknown, certain, doubtful } state = State::unseen;
        std::uint8_t checks = 0;
        std::uint16_t others = 0, conditions = 0;
        std::uint32_t first_check = 0, first_other = 0, first_condition = 0;
        std::uint64_t loose = 0;           // bits that are ignored …
        std::uint64_t tight = 0;           // … and what the assembler writes there
        std::unique_ptr<More> more_loose;  // where there are some behind the first 64
    };
    // Numbers that a row of an operand stands for, so that another number is a word behind the instruction.
    struct Numbers {
        bool known = false, usable = false;
        std::vector<std::uint64_t> list;  // sorted
    };

    bool operand_is_certain(Index type);
    bool is_certain_yet(const Doubtful& doubtful, const Image& image);
    static bool is_tight(const More& more, const Image& image);
    bool is_alone(const Sure& sure, const Image& image) const;
    bool wide_code_is_certain(const Doubtful& doubtful, std::uint64_t code);
    void learn_row(Index type, std::uint64_t code);
    bool becomes_certain(Index form);
    bool read_code(Index type, std::uint64_t code) const;
    bool text_is_plain(const Form& form) const;
    void examine(Index form);
    void add_fields(const Form& form, Sure& sure);
    void add_checks(std::vector<Doubtful>& found, Sure& sure);
    bool is_separable(const Form& form);
    bool may_begin_like(Index type, std::string_view literal) const;
    bool reads_as(Index type, Index other);
    bool is_apart(const Form& form, std::size_t element, bool inside) const;
    bool has_plain_tail(const Doubtful& doubtful, std::uint64_t code, const Image& image);
    bool tail_number(Index type, std::uint64_t code, const Image& image, unsigned at, std::uint64_t& number) const;
    bool number_of(Index type, std::uint64_t code, std::uint64_t& number) const;
    bool collect_numbers(Index type, std::vector<std::uint64_t>& out) const;
    bool collect_row(const OperandRow& row, std::vector<std::uint64_t>& out) const;
    bool add_range(const OperandRow& row, Index field, std::vector<std::uint64_t>& out) const;
    static bool add_sums(const OperandRow& row, const TextElement& element, std::vector<std::uint64_t>& out);

    const Codec& codec_;
    struct Reading;  // what reading a statement needs, made once
    std::unique_ptr<Reading> reading_;
    std::unique_ptr<Rivals> rivals_;  // made for the first proof: that needs all of the codec's tables
    std::vector<Sure> sure_;
    std::vector<Check> checks_;
    std::vector<Doubtful> doubtful_;
    std::vector<Condition> conditions_;
    std::vector<std::uint8_t> operands_;             // 0 unknown, 1 certain, 2 not
    std::vector<std::vector<Known>> codes_;          // by operand, for each code of a narrow one
    std::vector<std::vector<Numbers>> rows_;         // by operand, for each row of a wide one
    std::vector<Numbers> numbers_;                   // by operand
    std::map<std::pair<Index, Index>, bool> alike_;  // what reads_as has found
};

}  // namespace isaforge::disassembler
