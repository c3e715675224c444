// What the codec builds from the model: everything that reading and writing an instruction would otherwise work out again
// and again. Built by build.cpp, used by decode.cpp, printer.cpp and read.cpp.
//
// A program uses a few of the mnemonics, operands and forms of its instruction set, so what belongs to one of them is built
// when it is first needed: see Tables. Whoever finds it ready needs no lock; it is never changed afterwards.
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "codec/patterns.hpp"
#include "codec/quick_place.hpp"
#include "codec/spellings.hpp"
#include "isaforge/codec.hpp"

namespace isaforge::codec {

inline constexpr unsigned widest_table = 12;  // operands up to this width are tabulated code by code
inline constexpr unsigned most_fields = 32;   // of one form or row

inline constexpr unsigned most_taken = 15;    // that a limit may allow

// What is said where the values behind an instruction are too many, or differ although they are one.
inline constexpr const char* long_tail_text = "with what follows, the instruction would be longer than 256 bits";
inline constexpr const char* parentheses_text =
    "these parentheses belong to another operand, which what is in them does not fit; a number begins otherwise, as "
    "0+(…)";
inline constexpr const char* other_tail_text =
    "the operands of an instruction share one value behind it, and this is another";

// Something that counts for limits: equal things have equal identities. Lists end with identity 0.
struct Taken {
    std::uint32_t identity = 0;
    std::uint32_t limits = 0;           // a bit for each

    auto operator<=>(const Taken&) const = default;
};
inline constexpr std::uint32_t tail_identity = 1;  // what follows the instruction and is shared, which there is once
inline constexpr std::uint32_t own_tail_identity = 2;  // what follows because of one operand: equal ones are several

// What a text of a row begins with.
struct RowBegin {
    Letters letters;
    bool number = false;                // with a number, and only with one …
    char stop = 0;                      // … behind which this stands; `outer_stop` where the text ends there
    static constexpr char outer_stop = '\1';
};

// One operand type. What its rows bring along is always known; its codes and its texts are built when needed.
struct OperandTable {
    Patterns patterns;                  // its texts as they are printed
    // Behind a pattern that fits, what may make a longer text of it: none where the pattern is all of the text for certain.
    Letters looks_on;
    const std::uint8_t* valid_codes = &one_valid;  // `valid`, or one for all
    std::uint64_t valid_mask = 0;
    static constexpr std::uint8_t one_valid = 1;
    bool decodes(std::uint64_t code) const { return valid_codes[code & valid_mask] != 0; }
    std::uint32_t first_bits = 0;       // a bit for the low five bits of each of these characters:
    Letters first;                      // what its texts can begin with …
    bool is_number = false;             // … if it is not of kind number
    bool is_listed = false;             // of kind registers or enumeration: there are no other texts than the patterns
    bool nullable = false;              // may be left out …
    bool all_valid = true;
    bool may_call = false;              // a parenthesis may stand behind a number in a text of a row …
    bool unlisted = false;              // a pattern that fits may be the begin of a longer text of a row …
    bool ends_open = false;             // the number at the end of a pattern may be the begin of an expression …
    std::uint64_t left_out = 0;         // the code that leaving it out means
    std::vector<std::uint8_t> valid;    // by code: 1 where it decodes; empty where that is all, or it is too wide
    std::atomic<bool> has_codes = false;  // what is said of codes is there
    std::vector<std::uint16_t> row;     // kind table, by code: the row, or no_row
    bool needs_rows = false;            // some text holds a number: others may be written
    bool open = false;                  // may be a number that is written in another way
    bool all_numbers = false;           // plain numbers that a text begins with are patterns
    Letters incomplete;                 // what texts of rows begin with, behind signs, that are no patterns and no numbers
    Letters goes_on;                    // … and both are longer, where one of these stands behind it
    bool goes_on_with_word = false;     // one of them is a letter, here or in an operand inside
    std::vector<RowBegin> row_begins;   // what each text of each row begins with, in order
    unsigned longest_tail = 0;          // bits that it may bring along
    bool has_tail_row = false;          // one of its own rows has a tail
    bool has_own_tail = false;          // … and one that is not shared with other operands
    std::vector<std::uint8_t> tails;    // by code, where some can: what it brings along, see OneTail
    bool can_take = false;              // some code counts for a limit
    bool takes_one = true;              // … and none for more than one thing
    bool relative = false;              // holds a number that counts from the instruction's address
    // By code, where it can and a form with limits has it: the list of what it takes, of which equal ones are one; null: nothing.
    std::vector<const Taken*> taken;
    static constexpr std::uint16_t no_row = 0xffff;
};

// What one code of an operand brings along: so many bits, at most 64, which other operands may share. In one byte, for tables; in
// those of which codes decode, a code that does brings nothing.
struct OneTail {
    static constexpr std::uint8_t no_code = 0, nothing = 1, unknown = 2;

    unsigned bits = 0;
    bool shared = false;

    std::uint8_t packed() const {
        return bits == 0 ? nothing : static_cast<std::uint8_t>(unknown + 2 * bits + (shared ? 1 : 0));
    }
    static OneTail unpacked(std::uint8_t byte) {
        if (byte <= unknown) return {};
        return {(byte - unknown) / 2u, (byte & 1) != 0};
    }
};

// Values lie behind the instruction in the order in which their operands are written. Those that are shared are one, at the
// place of the first.
class TailPlaces {
public:
    explicit TailPlaces(unsigned at) : next_(at) {}

    // Where the next operand's lies.
    unsigned add(const OneTail& tail) {
        if (tail.shared && shared_bits_ != 0) {
            differ_ |= tail.bits != shared_bits_;
            return shared_at_;
        }
        const unsigned at = next_;
        next_ += tail.bits;
        if (!tail.shared) return at;
        shared_at_ = at;
        shared_bits_ = tail.bits;
        return at;
    }
    unsigned end() const { return next_; }
    bool differ() const { return differ_; }  // shared values have not the same width

private:
    unsigned next_, shared_at_ = 0, shared_bits_ = 0;
    bool differ_ = false;
};

// What most statements need of a step of reading the operands of a form. These are next to each other, for many forms are read.
struct PlainStep {
    enum class Kind : std::uint8_t { literal, field, number, any } kind = Kind::literal;
    std::uint8_t node = 0;              // a number that steps have in common which do the same behind the same ones; 0: none
    bool forks = false;                 // candidates that have this step in common go on in different ways
    bool glued = false;                 // what follows may continue the word: `{SIZE}{SIGN}`
    // kind literal: its characters, and a blank behind them where one is printed there, if they are few enough to be compared at once,
    // and how many; `is_hard`: they are not, or something must not stand behind them.
    std::uint8_t known_size = 0;
    bool is_hard = true;
    std::uint64_t characters = 0;
    // kind field: where it is free and all of it in the image's first word, at `bits`
    const OperandTable* table = nullptr;
    QuickPlace bits;
};

// All that there is to one.
struct ReadStep : PlainStep {
    bool repeated = false;              // the field has been read before: it is compared
    // kind field, where it is free and in the image's first word, but in many pieces, or repeated
    const OperandTable* slow = nullptr;
    const BitPlace* place = nullptr;
    char stop = 0;                      // what the text behind begins with: no operator of an expression here
    std::string_view text;
    Index type = no_index;              // kind field: Isa::operand_types
    const TextElement* element = nullptr;
    Index field = no_index;
    std::uint32_t number = 0;           // among all steps; kind any: of its first field
    const Patterns* only = nullptr;       // the field is fixed: the texts of its one code
    // kind any, with `text` between them: how each of its fields is read
    std::vector<ReadStep> members;
    // A bit for each whose field is fixed; that is left out by a code that is not 0.
    std::uint32_t fixed = 0, filled = 0;
    std::uint64_t fixed_code = 0;       // of a field, or a member, that is fixed
    bool may_call = false;              // a parenthesis may stand behind the field
    std::uint32_t may_begin(char c) const { return begins[c & 31]; }
    Letters first;                      // what any of them can begin with
    std::vector<std::uint32_t> begins;  // by the low five bits of a character: a bit for each that may begin with it
    bool may_be_none = false;           // all of them may be left out, and then they are these bits of the first word
    std::uint64_t none = 0;
};

// Steps, by their numbers. Few mnemonics have more than the first word has room for.
class StepSet {
public:
    static constexpr unsigned most = 256;  // numbers

    void add(unsigned step) {
        words_[step / 64] |= std::uint64_t{1} << step % 64;
        has_more_ |= step >= 64;
    }
    bool has(unsigned step) const { return (words_[step / 64] >> step % 64 & 1) != 0; }
    bool meets(const StepSet& other) const {
        if ((words_[0] & other.words_[0]) != 0) return true;
        return has_more_ && other.has_more_ && meets_behind(other);
    }
    void clear() {
        words_[0] = 0;
        if (!has_more_) return;
        words_ = {};
        has_more_ = false;
    }
    unsigned count() const {
        unsigned out = 0;
        for (const std::uint64_t word : words_) out += static_cast<unsigned>(std::popcount(word));
        return out;
    }

private:
    bool meets_behind(const StepSet& other) const {
        std::uint64_t both = 0;
        for (std::size_t i = 1; i < words_.size(); ++i) both |= words_[i] & other.words_[i];
        return both != 0;
    }

    std::array<std::uint64_t, most / 64> words_{};
    bool has_more_ = false;  // than in the first
};

// How one text of a form is read. Mnemonics whose forms have the same texts and fields have these in common.
struct Shape {
    std::uint32_t head = 0;             // Tables::heads
    bool spaced = false;                // a blank stands behind the mnemonic: `op.x` is not `op` and a symbol `.x`
    std::vector<ReadStep> steps;        // behind the mnemonic
    std::vector<PlainStep> plain;       // the same
    StepSet nodes;                      // of the steps
    Image read;                         // the bits of fields that are read
    struct HeadField {
        Index field = no_index;
        bool simple = false;            // free, and in one piece of the image's first word, from bit `shift` on
        std::uint8_t shift = 0;
    };
    std::vector<HeadField> head_fields;  // the form's fields that the head's slots stand for
};

// One text of one form.
struct Candidate {
    Index form = no_index;
    std::uint16_t bits = 0;             // the form's
    bool printed = false;               // the text is the one that is printed
    bool limited = false;               // the form has limits
    const Shape* shape = nullptr;
    Image written;                      // what the form has written, but for what is read here
};

using Head = MnemonicIndex::Head;
using Reading = MnemonicIndex::Reading;

struct Mnemonic {
    std::string_view text;              // MnemonicIndex::words …
    std::uint64_t begin[2] = {};        // … and its first sixteen characters, with zeros behind them
    std::uint32_t first = 0, count = 0; // Tables::readings
    std::vector<Candidate> candidates;  // shortest encoding first; there once it is ready
    std::atomic<bool> ready = false;
};

struct Check {                          // a field not all of whose codes decode, or that may bring a word along
    const std::uint8_t* codes = nullptr;  // see OneTail; null where it is not that simple
    QuickPlace place;
    Index field = no_index;

    std::uint8_t code(std::uint64_t word) const { return codes[place.code(word)]; }
};

// What looking at the first word says of a form.
enum class Seen : std::uint8_t { other, certain, open };

// What decides about a form when instructions are decoded, together in one place.
struct DecodeLeaf {
    std::uint64_t mask = 0, value = 0;  // of the first word
    const Check* checks = nullptr;      // simple ones only
    Index form = no_index;
    std::uint8_t check_count = 0;
    std::uint16_t bits : 12 = 0;
    bool limited : 1 = false;           // FormTable::limits
    bool hard : 1 = false;              // more must be looked at in any case: words behind the first, other checks
    bool last : 1 = false;              // of those that belong to one leaf of the tree

    bool may_be(const Image& image, unsigned available) const {
        return (image.words[0] & mask) == value && bits <= available;
    }
    Seen look(std::uint64_t word) const {
        if (hard) return Seen::open;
        unsigned all = OneTail::nothing;
        for (const Check *check = checks, *const behind = checks + check_count; check != behind; ++check) {
            const unsigned one = check->code(word);
            if (one == OneTail::no_code) return Seen::other;
            all |= one;
        }
        return all == OneTail::nothing ? Seen::certain : Seen::open;
    }
};
static_assert(sizeof(DecodeLeaf) == 32 && max_instruction_bits < 1u << 12);

// A field that counts for a limit, in a shape that is quick to look at.
struct LimitedField {
    const Taken* const* taken = nullptr;  // OperandTable::taken
    const Field* field = nullptr;       // null where `place` says where it is
    QuickPlace place;
    Index index = no_index;             // of the form

    std::uint64_t code(const Image& image) const {
        return field ? field->place.extract(image) : place.code(image.words[0]);
    }
};

struct FormLimit {
    Index limit = 0;
    unsigned most = 0;
    int fields_within = -1;             // so many fields that take anything keep it, whatever that is; below 0: nobody knows
    std::vector<LimitedField> fields;
    std::vector<std::uint32_t> own;     // identities of what the instruction takes unsaid
};

// Whether those of its fields that have a bit in `fields` take more than the limit allows.
bool exceeds(const FormLimit& limit, const Image& image, std::uint32_t fields);
bool exceeds(const FormLimit& limit, const Image& image);  // all of them

struct FormTable {
    std::span<const FormLimit> limits;  // once one of its mnemonics is ready, or a leaf that it belongs to
    std::span<const Check> checks;      // once such a leaf is
    std::atomic<bool> has_codes = false;  // of its operands
    // What follows is there once one of its mnemonics, its codes or a leaf are.
    unsigned longest_tail = 0;          // bits that its operands may bring along
    std::vector<Index> tail_order;      // the fields that may bring a word along, as they are written …
    bool several_tails = false;         // … where there can be more than one word
    std::uint64_t mask0 = 0, value0 = 0;
    bool wide = false;                  // mask reaches beyond the first 64 bits

    // The first rule that operands break together, each of which keeps it; null where there is none.
    const FormLimit* broken_limit(const Image& image) const {
        for (const FormLimit& limit : limits)
            if (exceeds(limit, image)) return &limit;
        return nullptr;
    }
};

// See labels.cpp.
struct LabelWords {
    std::once_flag found;
    std::unordered_set<std::string> words;
};

class Builder;

}  // namespace isaforge::codec

namespace isaforge {

struct Codec::Tables {
    Tables(const Isa& isa, bool relax);
    ~Tables();

    // What each of these promises is there when it returns, and stays as it is.
    void need(const codec::Mnemonic& mnemonic) const {  // its candidates, and what their operands are read by
        if (!mnemonic.ready.load(std::memory_order_acquire)) build(mnemonic);
    }
    void need_codes(Index form) const {                 // those of its operands, by which it is printed
        if (!forms[form].has_codes.load(std::memory_order_acquire)) build_codes(form);
    }
    void need_operand(Index type) const {               // which codes it has
        if (!operands[type].has_codes.load(std::memory_order_acquire)) build_operand(type);
    }
    const DecodeTree& need_tree() const {
        const DecodeTree* const known = tree.load(std::memory_order_acquire);
        return known ? *known : build_tree();
    }
    // What an instruction may be that belongs to a leaf of the tree, which has been asked for.
    const codec::DecodeLeaf& need_leaf(std::uint32_t leaf) const {
        const codec::DecodeLeaf* const known = leaves[leaf].load(std::memory_order_acquire);
        return known ? *known : build_leaf(leaf);
    }
    void need_all() const {
        if (!whole.load(std::memory_order_acquire)) build_all();
    }

    std::vector<codec::OperandTable> operands;  // by Isa::operand_types
    std::vector<codec::FormTable> forms;        // by Isa::forms
    const MnemonicIndex* index = nullptr;       // the model's, or the next
    std::optional<MnemonicIndex> own_index;
    bool relaxes = false;                       // names count, too, by which longer forms may be given
    std::vector<codec::Mnemonic> mnemonics;     // by MnemonicIndex::mnemonics
    const codec::Mnemonic* nameless = nullptr;  // of them the one of statements that have none
    std::uint32_t slot_mask = 0;
    std::atomic<const DecodeTree*> tree = nullptr;  // the model's, or the next
    std::optional<DecodeTree> own_tree;
    std::unique_ptr<std::atomic<const codec::DecodeLeaf*>[]> leaves;  // by the tree's; null: nobody has come there
    codec::Patterns registers;                  // names of registers
    mutable codec::LabelWords label_words;
    std::array<std::uint8_t, 256> blank{};      // skipped between the parts of a statement
    std::array<std::uint8_t, 256> ender{};      // may begin what ends a statement
    codec::Letters begins_number;               // what an expression may begin with
    std::array<std::uint8_t, 256> letter{};     // of mnemonics; 2: a dot
    std::array<char, 256> word{};               // the same to lower case where case does not matter; 0: others and dots
    std::array<char, 256> fold{};               // to lower case where case does not matter
    std::atomic<bool> whole = false;

private:
    void build(const codec::Mnemonic& mnemonic) const;
    void build_codes(Index form) const;
    void build_operand(Index type) const;
    const DecodeTree& build_tree() const;
    const codec::DecodeLeaf& build_leaf(std::uint32_t leaf) const;
    void build_all() const;

    std::unique_ptr<codec::Builder> builder_;
};

namespace codec {

// The code of the operand's row, its fields and so on for any width; build.cpp fills the tables with these.
Index find_row(const OperandType& type, std::uint64_t code, const Isa& isa);
// What is known of an operand without looking at its codes. Those inside it have been described.
void describe_operand(const Isa& isa, Index type, std::vector<OperandTable>& operands);
bool code_is_valid(const Isa& isa, Index type, std::uint64_t code);

// The same where the operand's codes are there.
inline bool code_is_valid(const Isa& isa, const Codec::Tables& tables, Index type, std::uint64_t code) {
    const OperandTable& table = tables.operands[type];
    if (table.all_valid) return true;
    return table.valid.empty() ? code_is_valid(isa, type, code) : table.valid[code] != 0;
}

// What the code of an operand brings along, wherever that lies.
OneTail one_tail(const Isa& isa, const Codec::Tables& tables, Index type, std::uint64_t code);

// The row of a table that the code is of; no_index where it is of none. The operand's codes are there.
inline Index row_of(const Isa& isa, const Codec::Tables& tables, Index type, std::uint64_t code) {
    const std::vector<std::uint16_t>& rows = tables.operands[type].row;
    if (rows.empty()) return find_row(isa.operand_types[type], code, isa);
    return code >= rows.size() || rows[code] == OperandTable::no_row ? no_index : rows[code];
}

// Where what a field of the form brings along begins in the image. For a field that brings nothing along, anywhere behind
// the instruction.
unsigned tail_at(const Isa& isa, const Codec::Tables& tables, Index form, Index field, const Image& image);
inline unsigned tail_at(const Codec& codec, Index form, Index field, const Image& image) {
    return tail_at(codec.isa(), codec.tables_so_far(), form, field, image);
}

// Whether this is the name of a register of the description.
bool names_register(const Codec::Tables& tables, std::string_view name);

// Whether what is written by `row` is printed so again: not where the code is reserved, or a row before has it for something
// else. A row that prints nothing is what all texts for its code mean.
bool means_itself(const Isa& isa, const Codec::Tables& tables, const OperandType& type, const OperandRow& row,
                  std::uint64_t code);

// Whether what stands behind element `at` of a text may continue its word.
inline bool is_glued(const TextTemplate& text, std::size_t at, bool at_end) {
    if (at + 1 >= text.size()) return at_end;
    const TextElement& next = text[at + 1];
    if (next.kind == TextKind::space) return false;
    if (next.kind != TextKind::literal) return true;
    const char c = next.text[0];
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

inline std::string_view trimmed(std::string_view text) {
    while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
    while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
    return text;
}

// What the text behind element `at` begins with; 0 where a field or nothing certain follows, `at_end` where nothing follows.
inline char begin_behind(const TextTemplate& text, std::size_t at, char at_end) {
    for (std::size_t i = at + 1; i < text.size(); ++i) {
        if (text[i].kind == TextKind::literal) return text[i].text[0];
        if (text[i].kind != TextKind::space) return 0;
    }
    return at_end;
}

// Reads operands by their patterns alone.
class PatternReader final : public NestedReader {
public:
    PatternReader(const Isa& isa, const Codec::Tables& tables, const char* end)
        : isa_(isa), tables_(tables), end_(end) {}

    const char* read(Index type, const char* p, const After& after, PatternMatch& out) override;
    // Whether the code that was found is decoded, and as what it was read as.
    bool comes_back(Index type, const PatternMatch& match) const {
        const OperandTable& table = tables_.operands[type];
        if (match.nested) return is_decoded(type, match);
        return table.decodes(match.code);
    }

private:
    bool is_decoded(Index type, const PatternMatch& match) const;

    const Isa& isa_;
    const Codec::Tables& tables_;
    const char* const end_;
};

class OperandRecord;

// Prints an operand, or an element of a form's text, into `out`. Values that are relative need `address`; a tail's bits come
// from `image` behind `tail_at`.
struct PrintContext {
    const Isa& isa;
    const Codec::Tables& tables;
    const Image& image;
    unsigned tail_at = 0;
    std::uint64_t address = 0;
    Codec::LabelNamer* labels = nullptr;
    char* limit = nullptr;
    std::span<const RowChoice> choices = {};  // those for the field that is printed
    OperandRecord* record = nullptr;          // where what is printed is told
    Index form = no_index;                    // where fields of it are printed whose values lie in several places
};
char* print_operand(char* out, const PrintContext& context, Index type, std::uint64_t code, bool hexadecimal = false);
char* print_element(char* out, const PrintContext& context, const TextElement& element, Index form);
char* print_template(char* out, const PrintContext& context, const TextTemplate& text, const std::vector<Field>& fields,
                     std::uint64_t code, std::string_view name);

// A float as `width` bits: 16, 32 or 64.
std::uint64_t float_bits(double value, unsigned width);

// The bits of a number that is written in any way, as an integer of either sign or a float. False where they do not hold it.
bool number_bits(const NumberValue& number, unsigned width, std::uint64_t& bits);

// The rule for a number in the text that is no label.
NumberRule plain_rule(const NumberRule& rule);

// The number that `code` stands for, as it is written.
std::int64_t decode_number(const NumberRule& rule, unsigned width, std::uint64_t code, std::uint64_t address);

// Whether a row's range has these bits of its field, and what is said where not.
bool holds(const Constraint& range, std::uint64_t code);
std::string outside_text(const Constraint& range);

// The bits for a number. False where it does not fit; `problem` then says why, unless it is null.
bool encode_number(const NumberRule& rule, unsigned width, const NumberValue& value, std::uint64_t address,
                   std::uint64_t& code, std::string* problem);

}  // namespace codec
}  // namespace isaforge
