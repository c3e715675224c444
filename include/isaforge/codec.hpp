// Between bits, operands and text: the tables that the model compiles to. A Codec may be shared between threads: each of its
// tables is built when it is first needed, and never changes afterwards.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "isaforge/isa.hpp"

namespace isaforge {

namespace codec {
class OperandPlans;
class PrintedReader;
class Printer;
}  // namespace codec

// A number read from an operand. Constants are known at once; anything with a symbol whose value is not known yet is a
// handle that belongs to whoever implements ExpressionReader.
struct NumberValue {
    enum class Kind : std::uint8_t { integer, floating, deferred };
    Kind kind = Kind::integer;
    bool negative = false;     // integer: `integer` is the two's complement of a negative number
    std::uint64_t integer = 0;
    double floating = 0;
    std::uint8_t float_width = 0;  // floating: the format that its suffix names, 16, 32 or 64 bits; 0: the operand's
    std::uint32_t handle = 0;
};

// Reads the numbers and expressions inside operands; the assembler implements it with its symbols.
class ExpressionReader {
public:
    virtual ~ExpressionReader() = default;
    // An operator that begins with this character ends the expression, outside of parentheses: it belongs to the text behind
    // the number, as in `|1|`. 0: none.
    char stop = 0;
    // The mark that labels may have in operands stands before the expression: no name in it is a register's.
    bool label = false;
    // Reads the longest expression at `cursor` and moves past it. False, cursor unmoved, where none begins there.
    virtual bool read(const char*& cursor, const char* end, NumberValue& value) = 0;
    // The same where the number is counted from the instruction: one that is known may still have to wait for where that
    // will be.
    virtual bool read_target(const char*& cursor, const char* end, NumberValue& value) {
        return read(cursor, end, value);
    }
};

// A number of an instruction whose value was deferred: where its bits go, by which rule.
// No member is initialised: an Encoded holds room for several, and most instructions have none.
struct Deferred {
    Index type;                    // the number's operand type (Isa::operand_types)
    std::uint32_t handle;
    std::uint8_t width;            // of its bits
    std::uint8_t piece_count;
    bool repeats;                  // another operand gives the bits: the value has to be the same
    BitPiece pieces[8];            // in the instruction's image
    const Constraint* range;  // what a row of an operand leaves of its bits; null: all
};

// An operand of a form is to be printed as this row of a table, where the row has the operand's code, though another one may
// be what that decodes to.
struct RowChoice {
    Index field = no_index;  // of the form
    Index type = no_index;   // of the field, or of an operand inside of it
    Index row = no_index;
};

// A part of an instruction's text that says what it works with, and lies in no other such part: of `v[2:3]` that is all, of
// `-|v2|` the register, of `offset:16` the number. What is not written, as a modifier that an instruction does not have, is none.
struct Operand {
    enum class Kind : std::uint8_t {
        number,
        registers,
        entry,  // of an enumeration
        word,   // a row of a table that has no operand inside of it
    };
    Kind kind = Kind::word;
    bool relative = false;     // a number: counted from the instruction's address
    Index field = no_index;    // of the form, whose bits say this, or say where it is
    Index type = no_index;     // Isa::operand_types: of that field, or of what is inside of it
    Index row = no_index;      // of a type that is a table
    std::uint64_t code = 0;    // of the type
    Index file = no_index;     // registers: Isa::register_files …
    std::uint32_t first = 0, count = 0;  // … and which; of slices and bits of registers, the whole ones
    std::int64_t value = 0;    // number: as it is written, a float's bits; relative: the code address that it leads to
};

// The same in a text that was printed.
struct PrintedOperand : Operand {
    std::uint32_t begin = 0, end = 0;  // characters of the text
    unsigned bit = 0;                  // of the image: the lowest of its code, no_bit where it has none
    static constexpr unsigned no_bit = ~0u;
};

// One instruction, encoded.
struct Encoded {
    Index form = no_index;
    Image image;
    unsigned bits = 0;             // including a tail
    unsigned deferred_count = 0;
    Deferred deferred[8];
};

// Why a statement could not be read, for the error message.
struct ReadFailure {
    enum class Kind : std::uint8_t { none, unknown_mnemonic, expected, out_of_range, violation, trailing };
    Kind kind = Kind::none;
    std::uint32_t offset = 0;      // from the statement's begin
    std::uint32_t length = 0;
    std::string message;           // complete, ready to show
    std::string suggestion;
};

class Codec {
public:
    // With `relax`, rows also answer to their `relax` names: a longer form stands in where the number of the one that was
    // written does not fit.
    explicit Codec(std::shared_ptr<const Isa> isa, bool relax = false);
    ~Codec();
    Codec(const Codec&) = delete;
    Codec& operator=(const Codec&) = delete;

    const Isa& isa() const;

    // Reads the statement that begins at `cursor` (no label, no directive) up to the end of its operands, and encodes it.
    // Moves `cursor` behind what was read; white space and the statement's end are left. `address`: the instruction's,
    // in address units of the code. On failure the cursor does not move and `failure` says why.
    // `takes`: is asked for each encoding that fits, shortest first, with where the statement's operands end then, until one is
    // taken; without it the first is. A longer encoding is asked for when a deferred number turns out not to fit.
    using Choice = std::function<bool(const Encoded& encoded, const char* end)>;
    bool assemble(const char*& cursor, const char* end, std::uint64_t address, ExpressionReader& reader, Encoded& out,
                  ReadFailure& failure, const Choice& takes = {}) const;

    // The same without saying why not, which takes much longer.
    bool try_assemble(const char*& cursor, const char* end, std::uint64_t address, ExpressionReader& reader,
                      Encoded& out, const Choice& takes = {}) const;
    // The same for the statement that a reader of printed text has just found to be unclear.
    bool go_on(const codec::PrintedReader& printed, const char*& cursor, std::uint64_t address,
               ExpressionReader& reader, Encoded& out) const;

    // Whether a longer encoding of what was read may exist (so that a deferred number may be relaxed).
    bool may_grow(const Encoded& encoded) const;

    // Puts the value of a deferred number into the instruction's image. Nothing where it fits, else what is wrong with it
    // ("is 3 bytes off …"), ready to follow the operand's name in a message.
    std::string patch(Encoded& encoded, const Deferred& deferred, std::int64_t value, std::uint64_t address) const;
    std::string patch(Encoded& encoded, const Deferred& deferred, const NumberValue& value,
                      std::uint64_t address) const;
    // The same for who asks only whether it fits.
    bool try_patch(Encoded& encoded, const Deferred& deferred, std::int64_t value, std::uint64_t address) const;

    // The bits of a number inside the instruction's image.
    BitPlace place_of(const Deferred& deferred) const;

    // Finds the form of the instruction in `image`, of which `available` bits are there; no_index where there is none.
    // `bits`: its whole length including a tail; where there is none, the length of what breaks a rule that operands have in
    // common, or 0. That is found by `refused`, with the rule.
    Index decode(const Image& image, unsigned available, unsigned& bits) const;

    Index refused(const Image& image, unsigned available, unsigned& bits, std::string& why) const;

    // Whether an instruction of this form has a number that a loader changes although its value is known.
    bool is_loaded(Index form) const;
    // Whether any form has one.
    bool may_load() const;

    // Whether the mark of a label behind this word does not make it one: there are instructions whose text begins so.
    bool reads_as_label(std::string_view word) const;

    // Whether there are statements that have no mnemonic, so that one may begin with an operand.
    bool has_nameless() const;

    // Whether this is the name of a register of the description, so that no symbol is meant by it.
    bool names_register(std::string_view name) const;

    // The values of a form's fields, as codes, in the order of Form::fields.
    void fields(Index form, const Image& image, std::vector<std::uint64_t>& codes) const;

    // Writes the text of a decoded instruction at `out`, which has room for max_text characters; returns its end. No
    // line end and no statement end. `labels`, where given, names the targets of relative numbers.
    class LabelNamer {
    public:
        virtual ~LabelNamer() = default;
        // The name of a code address, or an empty view where it has none.
        virtual std::string_view label(std::uint64_t address) = 0;
    };
    static constexpr std::size_t max_text = 1024;
    char* print(char* out, Index form, const Image& image, unsigned bits, std::uint64_t address,
                LabelNamer* labels = nullptr) const;
    // The same with rows chosen; adds what the text's operands are and where they stand to `operands`. Takes longer.
    char* print(char* out, Index form, const Image& image, std::uint64_t address, std::span<const RowChoice> choices,
                std::vector<PrintedOperand>& operands, LabelNamer* labels = nullptr) const;

    // Calls `visit(const Operand&)` for each operand of a decoded instruction, in the order of its text, which is not made
    // for this. Allocates nothing but when a form is first asked about.
    template <class Visit>
    void operands(Index form, const Image& image, std::uint64_t address, Visit&& visit) const {
        visit_operands(
            form, image, address,
            [](void* to, const Operand& operand) { (*static_cast<std::remove_reference_t<Visit>*>(to))(operand); },
            const_cast<void*>(static_cast<const void*>(&visit)));
    }

    // The row of the table operand `type` that `code` selects, or no_index.
    Index row_of(Index type, std::uint64_t code) const;

    // The code of an operand, or an instruction of the form, with the ignored bits as the assembler writes them.
    std::uint64_t as_written(Index type, std::uint64_t code) const;
    Image as_written(Index form, const Image& image) const;

    // The instruction at `bytes` (at least unit_bytes, up to max_instruction_bits / 8 of them) as an image, and back.
    Image load(const std::uint8_t* bytes, std::size_t size) const;
    void store(const Image& image, unsigned bits, std::uint8_t* bytes) const;

    // What all of this is done with: whole, or as far as it has been built, which is enough for what is always there.
    struct Tables;
    const Tables& tables() const;
    const Tables& tables_so_far() const { return *tables_; }
    const codec::Printer& printer() const { return *printer_; }

private:
    void visit_operands(Index form, const Image& image, std::uint64_t address, void (*visit)(void*, const Operand&),
                        void* to) const;
    unsigned write_tail(Index type, std::uint64_t code, Image& image, unsigned at) const;
    std::shared_ptr<const Isa> isa_;
    std::unique_ptr<Tables> tables_;
    std::unique_ptr<codec::Printer> printer_;
    std::unique_ptr<codec::OperandPlans> operand_plans_;
};

}  // namespace isaforge
