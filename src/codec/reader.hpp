// The state of reading one statement. See read.cpp for how, explain.cpp for the messages.
#pragma once

#include <cstring>

#include "codec/printed_reader.hpp"

namespace isaforge::codec {

inline constexpr unsigned most_deferred = 8;

// What was read of an operand: its code, the numbers in it that are not known yet (their places count in the code, or in
// the tail), and the word that follows the instruction because of it.
struct Parsed {
    std::uint64_t code = 0;
    std::uint64_t tail = 0;
    unsigned tail_bits = 0;
    bool tail_shared = false;
    bool numeric = false;               // a number was written, not only names
    unsigned deferred_count = 0;
    // Of what waits: whether it lies behind the instruction, and, in a statement, in the value of which operand.
    static constexpr std::uint8_t in_code = 0, in_tail = 1, in_first_own = 2;
    std::uint8_t deferred_in_tail[most_deferred];
    Deferred deferred[most_deferred];

    Parsed() {
    }  // the arrays are valid up to deferred_count only: clearing them would cost more than reading the operand
    Parsed(const Parsed& other) { *this = other; }
    Parsed& operator=(const Parsed& other) {
        if (this == &other) return *this;
        code = other.code;
        tail = other.tail;
        tail_bits = other.tail_bits;
        tail_shared = other.tail_shared;
        numeric = other.numeric;
        deferred_count = other.deferred_count;
        for (unsigned i = 0; i < deferred_count; ++i) {
            deferred_in_tail[i] = other.deferred_in_tail[i];
            deferred[i] = other.deferred[i];
        }
        return *this;
    }
};

// A step that looked at what stands at `begin`.
struct Look {
    const Candidate* candidate;
    const ReadStep* step;
    Index member;           // of an `any`: the number of the field there; no_index otherwise
    const char* begin;
    const char* end;        // of what it took; null where it took nothing
    const char* furthest;   // where rows of an operand did not go on
};

// What a step makes of an operand's text.
struct Glance {
    // beyond: what stands behind the text counts, too; past: it takes of that, for certain.
    enum class Taken : std::uint8_t { refused, nothing, part, whole, beyond, past } taken = Taken::refused;
    std::size_t size = 0;   // part, past: so many characters
    bool same = false;      // it is read as the code that was asked about
    bool deferred = false;  // with numbers that are not known yet …
    bool tail = false;      // … with a word behind the instruction
};

// Something that was looked for where the text of a statement that is still being written ends: see expected.cpp.
struct Wanted {
    const Candidate* candidate;  // null: before the mnemonic
    const ReadStep* step;
    const TextElement* element;  // as in Reader::Failure
    Index type;
    std::int64_t value;
    bool exact;
    unsigned depth;
};

class Reader : private PrintedReader {
public:
    friend class Expecter;

    Reader(const Isa& isa, const Codec::Tables& tables, ExpressionReader& expressions, const char* begin,
           const char* end, std::uint64_t address, bool thorough)
        : PrintedReader(isa, tables, end, false),
          expressions_(expressions),
          begin_(begin),
          address_(address),
          thorough_(thorough),
          is_quick_(!thorough),
          furthest_(begin) {}

    // `takes`: see Codec::assemble. It begins where `go_on_at` says.
    bool statement(const char*& cursor, Encoded& out, const Codec::Choice& takes = {});
    // Where a printed reader found the same statement to be unclear.
    void go_on_at(const PrintedReader& printed) { copy_stop(printed); }
    void explain(const char* begin, ReadFailure& failure);
    bool explain_constraint(const char* begin, ReadFailure& failure) const;
    // Whether a text was read whole that was no instruction, because of a rule.
    bool ruled_out() const { return violation_.kind != Violation::Kind::none; }
    // All looks that are taken are added to these.
    void tell(std::vector<Look>& looks) {
        looks_ = &looks;
        is_quick_ = false;
    }
    // How a step of one of the form's texts, or of a member of its `any`, reads what begins at `begin`: the text of this code
    // of an operand, with that value behind the instruction if it has one, or the end of it, which ends at `end`.
    Glance glance(const ReadStep& step, const Form& form, Index member, const char* begin, const char* end, Index type,
                  std::uint64_t code, std::uint64_t tail);

private:
    static constexpr unsigned most_failures = 8;
    static constexpr unsigned most_depth = 32;
    static constexpr std::size_t most_wanted = 4096;

    // Something that was expected at the furthest place reached.
    struct Failure {
        const TextElement* element;   // a literal or a sum; null: an operand, or the end where `type` is no_index
        Index type;
        const Candidate* candidate;
        const Constraint* constraint;  // the text begins at `begin`, and only what it names is out of range
        const char* begin;
        std::int64_t value;           // what a sum must be, where `exact`, or the bits of its field
        bool exact;
        unsigned depth;               // of operands inside operands
        union {
            NumberValue number;       // a number that was there but did not fit
        };
        Failure() {}                  // nothing is set before there is a failure: most statements have none
    };

    // What is wrong with a statement that is written as it should be.
    struct Violation {
        enum class Kind : std::uint8_t { none, long_tail, other_tail, limit, parentheses, range } kind = Kind::none;
        const char* begin = nullptr;  // the operand
        const char* end = nullptr;
        Index limit = no_index;       // range: the type of the number
        char stop = 0;                // range: behind which this stands
        const Constraint* range = nullptr;  // what the row asks of it
    };

    // Whether a letter at `p` goes on with the word before it: behind "s" of `s{n}` the "cc" of `scc` is no symbol.
    bool continues_word(const char* p) const;
    bool fail(const char* at, const TextElement* element, Index type);
    void want(const char* at, const TextElement* element, Index type, std::int64_t value = 0, bool exact = false) {
        if (wanted_ && at == end_ && wanted_->size() < most_wanted)
            wanted_->push_back({candidate_, at_step_, element, type, value, exact, depth_});
    }
    bool fail_constraint(const char* begin, const char* end, const Constraint& constraint, const TextTemplate& text);
    bool fail_sum(const char* at, const TextElement& element, std::int64_t value, bool exact);
    bool fail_number(const char* at, Index type, const NumberValue& value);

    bool label_marked(const char* p) const;
    bool read_number(const char*& cursor, NumberValue& value, bool relative);
    bool number_value(const char*& cursor, NumberValue& value, bool relative = false);
    bool number(const char*& cursor, Index type, Parsed& out);
    bool affine(const char*& cursor, const TextElement& element, const Field& field, std::uint64_t& code, bool known);
    static bool integer_of(const TextElement& element, const NumberValue& value, std::int64_t& number);
    bool constant(const char*& cursor, const TextElement& element);
    bool take_pattern(const char*& cursor, Index type, const Found& found, Parsed& out) const;
    bool operand(const char*& cursor, Index type, bool glued, Parsed& out, const Found* known = nullptr);
    bool no_number_at(const char* p, char stop) const;
    bool rows(const char*& cursor, Index type, bool glued, Parsed& out);
    bool is_number(Index type) const { return isa_.operand_types[type].kind == OperandKind::number; }
    bool constrain(const OperandRow& row, Index field, Parsed& out, unsigned first) const;
    bool comes_back(Index type, const OperandRow& row, const Parsed& parsed) const;
    bool row_text(const char*& cursor, const OperandRow& row, const TextTemplate& text, bool glued, Parsed& out);
    enum class Member : std::uint8_t { absent, read, failed };
    template <class Read>
    bool in_any_order(const char*& cursor, std::string_view separator, std::size_t count, const Read& read);
    bool any_of_row(const char*& cursor, const TextElement& element, const std::vector<Field>& fields,
                    std::uint64_t* codes, Parsed& out);
    bool any_of_form(const char*& cursor, const ReadStep& step, const Form& form, Parsed& parsed, Image& image);
    Member member(const char*& cursor, const ReadStep& step, Index at, bool may_begin, const Form& form, Parsed& parsed,
                  std::uint64_t& code);
    bool adopt(Parsed& parent, Parsed& child, const Field& field) const;
    bool adopt_field(Parsed& parsed, Parsed& child, const Form& form, Index field);
    bool adopt_operand(Parsed& parsed, Parsed& child, const Form& form, Index field, const char* begin,
                       const char* end);
    bool place_tails(const Parsed& parsed, Index form, Encoded& out);

    bool head(const char*& cursor, const Head& head);
    const Mnemonic* mnemonic_or_word(const char*& cursor);
    bool begins_alike(const char* p, std::string_view text) const;
    bool candidates(const Mnemonic& found, Index head, const char*& cursor, const Codec::Choice& takes, Encoded& out);
    bool violated();
    bool tells_more(const Violation& one, const Violation& other) const;
    bool take_number(const char* begin, const char* end, Index type);
    void find_excess(const char* begin, const Candidate& candidate, const FormLimit& limit, const Image& image);
    bool body(const char*& cursor, const Candidate& candidate, Encoded& out);
    bool step(const char*& cursor, const ReadStep& step, const Form& form, Parsed& parsed, Image& image);
    bool other_step(const char*& cursor, const ReadStep& step, const Form& form, Parsed& parsed, Image& image,
                    const Found* found);
    void note_enclosed(const char* begin, const char* end);
    void note_text_around(const char* begin, const char* end);
    bool parentheses_are_text(const char* begin, const Candidate& candidate);
    bool read_operand(const char*& cursor, Index type, bool glued, Parsed& out, const Found* known);
    bool told_step(const char*& cursor, const ReadStep& step, const Form& form, Parsed& parsed, Image& image);
    bool form_field(const char*& cursor, const Form& form, const ReadStep& step, Parsed& parsed, Image& image,
                    const Found* known = nullptr);
    bool fixed_field(const char*& cursor, const Form& form, const ReadStep& step);

    void explain_violation(const char* begin, ReadFailure& failure);
    std::string number_problem(const NumberValue& number, Index type) const;
    std::string describe(Index type, unsigned depth) const;
    bool includes(Index type, Index other) const;
    bool is_in_another(unsigned failure) const;
    std::string hole(const Field& field) const;
    std::string template_text(const TextTemplate& text, const std::vector<Field>& fields, std::string_view name) const;
    std::string syntax_of(const Candidate& candidate) const;
    void suggest_name(std::string_view found, ReadFailure& failure) const;

    ExpressionReader& expressions_;
    const char* begin_;
    std::uint64_t address_;
    const bool thorough_;  // tries also what cannot fit, so that the message can say all that was expected

    bool is_quick_;  // nobody asks how it was read

    // A number of the candidate that stands in parentheses as a whole; and such parentheses, while others are asked for them.
    const char* enclosed_ = nullptr;
    const char* enclosed_end_ = nullptr;
    const char* asked_for_ = nullptr;
    bool are_text_ = false;

    // The number that was read last, so that it is read once.
    const char* number_begin_ = nullptr;
    const char* number_end_ = nullptr;  // null: there is none at number_begin_
    char number_stop_ = 0;
    bool is_target_ = false;            // it was read as the target of something relative
    union {
        NumberValue number_;            // NOLINT(*-naming): private; not set before it is needed
    };

    const char* furthest_;
    unsigned failures_ = 0;
    Failure failure_[most_failures];
    Violation pending_;    // of the candidate that is being read
    Violation violation_;  // of the first candidate that had one, and by its range that of the widest number
    // For the message a number that does not fit is taken as if it did: the rest is read, to see whether it is all that is wrong.
    bool takes_any_number_ = false;
    unsigned taken_numbers_ = 0;
    const Candidate* candidate_ = nullptr;
    std::vector<Look>* looks_ = nullptr;
    // Values behind the instruction that are not shared, of the statement that is being read.
    struct OwnTail {
        Index field;
        unsigned bits;
        std::uint64_t value;
    };
    static constexpr unsigned most_own_tails = 8;
    OwnTail own_tails_[most_own_tails];
    unsigned own_tail_count_ = 0;
    std::uint32_t shared_fields_ = 0;  // a bit for each that has the shared value
    const ReadStep* at_step_ = nullptr;
    std::vector<Wanted>* wanted_ = nullptr;  // where it is noted what is looked for at the end
    const Mnemonic* found_ = nullptr;
    const char* word_begin_ = nullptr;
    const char* word_end_ = nullptr;
    unsigned depth_ = 0;
    char stop_ = 0;                     // what begins the text behind the number that is read next
};

}  // namespace isaforge::codec
