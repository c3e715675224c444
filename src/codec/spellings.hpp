// What an operand's texts look like as they are printed: the patterns that it is read by, and the characters that each of
// its texts can begin with. Worked out once, when the codec is built, in the order of Isa::operand_types: a row refers to
// operands that stand before its own.
#pragma once

#include <bitset>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "codec/patterns.hpp"
#include "isaforge/isa.hpp"

namespace isaforge::codec {

using Letters = std::bitset<256>;

// Whether a number with a sign may be one of these, if it is not 0.
inline bool may_be_negative(const NumberRule& rule) {
    const bool is_unsigned = rule.base == NumberBase::unsigned_integer && !rule.sliced;
    return !(is_unsigned || (rule.minimum && *rule.minimum >= 0)) || rule.scale < 0 || rule.bias < 0;
}

class Spellings {
public:
    // `is_register`: whether a word is the name of a register, so that it is no symbol in an expression.
    Spellings(const Isa& isa, std::function<bool(std::string_view)> is_register)
        : isa_(isa),
          is_register_(std::move(is_register)),
          number_letters_(letters_of_numbers(isa.surface)),
          known_(isa.operand_types.size()) {}

    // Works out the type with this index; those before it must be known.
    void add(Index type);

    // Forgets the spellings that are not to be read as what they are. One with numbers may be right for some of them.
    template <typename Keep>
    void keep_if(Index type, Keep&& keep) {
        Known& known = known_[type];
        std::erase_if(known.list, [&](const Spelling& spelling) {
            const bool kept = keep(spelling);
            known.forgot_numbers |= !kept && !spelling.numbers.empty();
            if (!kept && !spelling.numbers.empty()) known.dropped |= words_of(spelling);
            return !kept;
        });
    }

    // Makes one of texts that follow each other, have the same words and count up with their codes, as "a0" to "a5".
    void count_up(Index type);

    const std::vector<Spelling>& of(Index type) const { return known_[type].list; }
    // Whether there are texts that no spelling is for, which may be numbers.
    bool is_open(Index type) const { return known_[type].open; }
    // Whether each plain number that a text begins with, or is, is a spelling's.
    bool has_all_numbers(Index type) const {
        const Known& known = known_[type];
        return known.open && !known.unspelled && !known.dropped_numbers && !known.forgot_numbers;
    }
    // Whether there are texts that no spelling is for and that may be longer than the one that fits.
    bool is_unlisted(Index type) const { return known_[type].unlisted; }
    // Whether the number that a spelling ends with may be written as an expression.
    bool ends_open(Index type) const { return known_[type].ends_open; }
    // The characters that texts begin with, behind signs, which are no spellings, but for other ways to write a number.
    const Letters& dropped(Index type) const { return known_[type].dropped; }
    // The characters that may go on with such a text, behind blanks, where a spelling ends.
    const Letters& goes_on(Index type) const { return known_[type].goes_on; }
    // The characters that a text can begin with, all where it can be empty; and those of the type's texts that are not.
    Letters first_of(const TextTemplate& text, const std::vector<Field>& fields) const;
    const Letters& first_of(Index type) const { return known_[type].first; }
    // What an expression may begin with: all but some marks that texts are made of.
    const Letters& number_letters() const { return number_letters_; }

private:
    // Numbers that a text stands for by their bits.
    struct NumberRange {
        unsigned bits = 0;
        std::int64_t low = 0, high = 0;
    };
    struct Known {
        std::vector<Spelling> list;
        bool open = false;      // there are other texts, which may begin with a number
        bool any_number = false;       // … of any value; else they are in one of these ranges
        std::vector<NumberRange> ranges;
        bool unlisted = false;  // there are other texts that may go on where a spelling ends
        bool ends_open = false;  // a number at the end of a text may go on as an expression
        bool unspelled = false;  // there are integers that no spelling is for
        bool empty = false;     // one of the texts is empty
        Letters first;
        Letters words;          // what texts begin with, behind signs, but for numbers
        Letters dropped;        // … those that could not be made spellings
        bool dropped_numbers = false;  // and so some numbers
        bool forgot_numbers = false;   // … or are no spellings any more
        Letters goes_on;        // behind a spelling, in an unlisted text
    };
    struct Told {                // of a field
        bool seen = false;       // it is in the text
        int number = -1;         // that is all of it; -1: there is none
        std::optional<std::pair<std::uint64_t, std::uint64_t>> codes;  // from where to where
    };
    struct Partial {
        Spelling spelling;
        std::vector<Told> told;  // by field
    };
    enum class Constrained : std::uint8_t { never, always, unclear };

    bool is_register_word(const std::string& word);
    void add_entries(const OperandType& type, Known& known) const;
    void add_number(const OperandType& type, Known& known) const;
    void add_row(const OperandType& type, std::uint32_t row, const TextTemplate& text, Known& known) const;
    static void add_longer(const std::vector<TextTemplate>& texts, Known& known);
    void add_going_on(const OperandRow& row, const TextTemplate& text, Letters& out) const;
    bool extend(std::vector<Partial>& partials, const OperandRow& row, const TextElement& element,
                const After& after) const;
    bool is_open(const OperandRow& row, const TextTemplate& text) const;
    void add_numbers(const OperandRow& row, const TextTemplate& text, Known& known) const;
    std::string_view behind_prefix(std::string_view text) const;
    bool is_numeric(const Spelling& spelling) const;
    Letters words_of(const TextTemplate& text, const std::vector<Field>& fields) const;
    Letters words_of(const Spelling& spelling) const;
    void add_dropped(const OperandRow& row, const TextTemplate& text, Known& known) const;
    static std::optional<NumberRange> range_of(const OperandRow& row, const TextTemplate& text);
    static bool is_apart(const TextElement& constant, const Known& known);
    static const PatternNumber* only_number(const Spelling& spelling);
    static bool extend_constant(const Partial& partial, const TextElement& element, std::vector<Partial>& out);
    static bool is_negative(const OperandRow& row, const TextElement& element);
    static Partial by_bits(const Partial& negative, unsigned bits);
    bool extend_any(const std::vector<Partial>& partials, const OperandRow& row, const TextElement& element,
                    std::vector<Partial>& out) const;
    static bool may_be_nested(const Field& field);
    Partial with_operand(const Partial& partial, const Field& field, Index index, const After& after) const;
    // `partials`: how many texts there are so far.
    bool extend_field(const Partial& partial, const OperandRow& row, Index field, const After& after,
                      std::size_t partials, std::vector<Partial>& out) const;
    bool extend_number(const Partial& partial, const OperandRow& row, const TextElement& element,
                       std::vector<Partial>& out) const;
    Constrained constrain(Partial& partial, const OperandRow& row) const;
    static Letters letters_of_numbers(const Surface& surface);
    static Letters operator_letters();

    const Isa& isa_;
    const std::function<bool(std::string_view)> is_register_;
    const Letters number_letters_;
    std::vector<Known> known_;
    std::optional<std::set<std::string>> register_words_;
};

}  // namespace isaforge::codec
