// Texts that the reader tries before the one that is printed. An instruction's text reads back as its form only where none
// of these fits. What is found out here follows the reader's own rules: patterns, first letters, what must not be left out.
// Where they do not decide, nothing is claimed.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "codec/tables.hpp"

namespace isaforge::disassembler {

// What a reader of an operand does with a text behind which a comma, a blank and a small letter, or nothing stands.
enum class Reaction : std::uint8_t { refused, whole, unknown };

class Rivals {
public:
    explicit Rivals(const Codec& codec);

    // Makes what the codec knows of the form's texts, and of those of its mnemonic.
    void prepare(Index form) const;

    // A field of the instruction, and whether it keeps a rival from fitting, by code.
    struct Condition {
        const BitPlace* place;
        const std::vector<std::uint8_t>* keeps_off;
    };
    using Conditions = std::vector<Condition>;  // any one of them is enough

    // Whether rivals are kept off the printed text of `form`: each always, or where one of its conditions holds. The fields
    // of the text must be apart.
    bool examine(Index form, std::vector<Conditions>& out);

    // Whether a word behind the instruction belongs to the code, so that its text is a number that the code does not say.
    bool has_tail(Index type, std::uint64_t code) const;

    // Whether each text of the operand is empty, or a blank and what begins with a small letter.
    bool is_word(Index type) const;

private:
    struct Pair {
        std::vector<std::uint8_t> refused;  // by code
        bool always = true;                 // refused, whatever the code
        bool in_step = true;                // each text is refused or read whole
    };
    // Texts of an operand and the begin of a literal.
    struct Unlike {
        std::vector<std::uint8_t> apart;    // by code
        std::size_t common = 0;             // letters of the literal that the others are …
        bool clear = true;                  // … where they are all as long
    };
    // What is left of a text: operands and fixed words, each of which is a word of its own.
    struct Item {
        Index type = no_index;              // no_index: `text`
        std::string_view text;
        std::optional<std::uint64_t> fixed;
        const BitPlace* place = nullptr;
        bool required = false;              // the rival's: it does not fit where the word is missing
    };

    bool keeps_off(const codec::Candidate& rival, const codec::Candidate& own, Conditions& out);
    struct Walk;
    bool differs(const codec::Candidate& rival, const codec::Candidate& own, Conditions& out);
    static bool is_always(const Conditions& conditions);
    bool lacks_place(const codec::Candidate& rival, const codec::Candidate& own, Conditions& out);
    bool has_gaps(const codec::Candidate& candidate, const codec::ReadStep& step);
    bool has_gaps(Index type);
    bool skip_common(std::string_view& a, std::string_view& b) const;
    bool in_step(const codec::ReadStep& step, const Field& theirs, const Field& ours, Conditions& out);
    std::size_t unlike(const Field& field, std::string_view literal, Conditions& out);
    bool begins_word(std::string_view text) const;
    bool is_all_or_nothing(const codec::ReadStep& step, std::string_view word) const;
    bool may_pass(const codec::Candidate& candidate, const codec::ReadStep& step) const;
    bool ends_early(const Walk& theirs, const Walk& ours) const;
    bool only_words(const Walk& walk, char c) const;
    bool words_keep_off(const std::vector<Item>& rival, const std::vector<Item>& own, Conditions& out);
    bool lacks_consumer(const Item& word, const std::vector<Item>& rival, Conditions& out);
    bool lacks_supplier(const Item& wanted, const std::vector<Item>& own, Conditions& out);
    bool may_consume(const Item& reader, const Item& word);
    bool add_items(const Walk& walk, std::vector<Item>& out) const;
    const Field& field_of(const codec::Candidate& candidate, const codec::ReadStep& step) const;
    bool can_be_empty(Index type) const;
    std::string_view text_of(Index type, std::uint64_t code);
    template <typename Visit>
    void each_text(Index type, Visit&& visit);
    Reaction react(Index type, bool glued, std::string_view text) const;
    bool rows_refuse(Index type, std::string_view text) const;
    bool begins_otherwise(std::string_view word, std::string_view literal) const;
    const Pair& pair_of(Index type, const codec::ReadStep& step, Index other);
    // By code of the operand: whether it has a text, and is none of `but`.
    const std::vector<std::uint8_t>* written(Index type, const std::vector<std::uint64_t>& but);

    const Codec& codec_;
    const Codec::Tables& tables_;
    std::vector<std::uint32_t> mnemonic_;  // by form: of the text that is printed
    std::map<std::tuple<Index, bool, Index>, Pair> pairs_;
    std::map<std::pair<Index, std::vector<std::uint64_t>>, std::vector<std::uint8_t>> written_;
    std::map<std::pair<Index, std::string>, Unlike> unlike_;
    std::map<Index, bool> gaps_;
    std::map<std::tuple<Index, std::string, Index, std::uint64_t>, bool> consumes_;  // reader, word and its code
    char buffer_[Codec::max_text];
};

}  // namespace isaforge::disassembler
