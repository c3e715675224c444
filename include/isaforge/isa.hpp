// The resolved model of one instruction set: one variant, all parameters known, every name bound. It is immutable, can be
// shared between threads, and is all that the codec, the assembler, the machine and the renderers ever see.
//
// The idea is the same on every level: a table whose rows say three things, the bits, the text and the meaning. A row of
// an operand is an `OperandRow`; a row of an instruction table, in one of its encodings, is a `Form`.
//
// Bits. An instruction is a sequence of units of `Isa::unit_bits` bits. In a bar the most significant bit of the first
// unit stands first. An `Image` holds the units with unit u's least significant bit at position u * unit_bits, so that on
// a little-endian machine it is what lies in memory. A field that crosses units, or that is split on purpose, has several
// pieces.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "isaforge/diagnostics.hpp"
#include "isaforge/image.hpp"
#include "isaforge/rows.hpp"
#include "isaforge/source.hpp"

namespace isaforge {

namespace semantics {
struct Expression;
struct Statement;
struct Function;
struct TypeAlias;
}  // namespace semantics

using Meaning = std::shared_ptr<const semantics::Expression>;
using Statements = std::shared_ptr<const std::vector<semantics::Statement>>;

using Index = std::uint32_t;
inline constexpr Index no_index = ~Index{0};

// A named part of a form or of an operand row: an operand of some type at some bits.
struct Field {
    std::string name;
    Index type = no_index;  // Isa::operand_types
    BitPlace place;
    bool fixed = false;    // given by a column or by the choice of a length: see Form::fixed_value
    bool ignored = false;  // fixed, but read with any value
    bool in_tail = false;  // its bits are not in the row but in the words that follow the instruction
    bool shared = false;   // in_tail: other operands of the instruction may have the same value there
    Place where;

    // What the field of a row holds: bits of the row's code, or of what lies behind the instruction, from `tail` of the image on.
    std::uint64_t code_in(std::uint64_t code, const Image& image, unsigned tail) const {
        return in_tail ? place.extract(image, tail) : place.extract(code);
    }
};

// A captured value must lie in low..high (as the field's raw bits) and leave no remainder by `step` from low.
struct Constraint {
    Index field = 0;
    std::uint64_t low = 0, high = ~std::uint64_t{0}, step = 1;
};

enum class TextKind {
    literal,   // these characters; white space may stand before them
    space,     // printed as one blank, read as any white space or none
    name,      // the mnemonic
    field,     // a field by its operand type
    number,    // scale * field + bias, solved for the field, or compared where the field is known already
    constant,  // a number written in any way that has exactly the value `constant`, or, with `bits`, those bits
    any,       // the listed fields, in any order, separated by `text`; those left out take the row that prints nothing
};

struct TextElement {
    TextKind kind = TextKind::literal;
    std::string text;
    Index field = no_index;
    std::int64_t scale = 1, bias = 0;
    unsigned radix = 10;  // number: printed so; field: 16 where a number is printed so whatever its type says
    double constant = 0;
    unsigned bits =
        0;  // constant, number: any way to write a number with the same bits in so many is read; 0: by value
    std::uint64_t pattern = 0;  // constant: those bits
    std::vector<Index> fields;
};

using TextTemplate = std::vector<TextElement>;

// either_integer: signed or unsigned, as long as it fits. any_bits: likewise, or a float of that width by its bits.
enum class NumberBase { unsigned_integer, signed_integer, either_integer, floating, any_bits };
enum class NumberFormat { decimal, hexadecimal, floating };

inline constexpr unsigned first_automatic_relocation = 64;

// A number in the text: value = [pc +] scale * bits + bias, or bits = value[high:low] of a value of `value_bits` bits.
struct NumberRule {
    NumberBase base = NumberBase::unsigned_integer;
    NumberFormat format = NumberFormat::decimal;
    unsigned value_bits = 0;  // of the unscaled number; for a slice, of the whole value
    unsigned slice_low = 0;   // the slice kept; 0 and the operand's width - 1 where there is none
    bool sliced = false;
    std::int64_t scale = 1, bias = 0;
    bool relative = false;            // counted from the instruction's address, in address units of the code
    std::optional<NumberBase> plain;  // relative: a number in the text that is no label is the bits, of this kind
    std::optional<std::int64_t> minimum, maximum;  // of the value in the text
    // Bit k: the bits below k are signed, and what that takes away is added at k, from the lowest k on.
    std::uint64_t carries = 0;
    unsigned relocation = 0;  // ELF relocation type that the description gives; 0: none
    std::string relocation_name;
    unsigned relocation_type = 0;  // the given one, or the next from first_automatic_relocation on
    std::vector<unsigned> other_relocations;  // that files of other tools have for the same
    bool based = false;  // who loads adds the base of the data to it, so that a plain number has a relocation, too
    // What a linker takes for the symbol that the text names.
    enum class Linked : std::uint8_t {
        address,      // its address
        slot,         // where a table of the linker's holds its address
        thread,       // how far it lies behind the begin of a thread's storage
        thread_slot,  // where the linker's table holds that
        label,        // it is the label of an instruction with the rest of the number, which that one's relocation says
    } linked = Linked::address;

    std::uint64_t carry(std::uint64_t value) const {
        for (std::uint64_t rest = carries; rest != 0; rest &= rest - 1) {
            const int k = std::countr_zero(rest);
            value += (value >> (k - 1) & 1) << k;
        }
        return value;
    }
    std::uint64_t without_carry(std::uint64_t code) const {
        for (std::uint64_t rest = carries; rest != 0; rest &= ~(std::uint64_t{1} << (std::bit_width(rest) - 1))) {
            const int k = std::bit_width(rest) - 1;
            code -= (code >> (k - 1) & 1) << k;
        }
        return code;
    }
};

enum class OperandKind { number, registers, enumeration, table };

// The name that says how many cycles an instruction takes, as a column or behind `where`, and to which its statements add.
inline constexpr const char* cycle_count = "cycles";

// A name that stands for an expression in meanings; with a parameter, for what an assignment of its value does.
struct Naming {
    std::string name;
    Meaning value;
    Place where;
    std::string parameter;
};

// One row: which codes, how they are written, what they mean.
struct OperandRow {
    std::uint64_t mask = 0, value = 0;  // of the operand's code
    std::uint64_t written = 0;          // value, and what is written where bits are ignored
    std::vector<Field> fields;          // captures; places count in the code's bits
    std::vector<Constraint> constraints;
    std::vector<TextTemplate> texts;  // the first is printed, all are read; empty for a reserved row
    Meaning meaning;                  // null: none given
    std::vector<Naming> facts;        // what else it means: `operand.name`
    unsigned tail_bits = 0;           // words that follow the instruction because of this row
    bool reserved = false;
    bool alias = false;       // read, never printed
    std::uint32_t takes = 0;  // a bit for each of Isa::limits that it counts for
    Place where;

    // Whether `code` has the row's fixed bits and lies in its ranges. What the captures hold is not looked at.
    bool claims(std::uint64_t code) const;
};

// One name of a register or one entry of an enumeration.
struct Entry {
    std::uint64_t code = 0;
    std::vector<std::string> texts;  // the first is printed
    std::uint64_t value = 0;         // enumerations: the meaning
    Place where;
};

struct OperandType {
    std::string name;
    OperandKind kind = OperandKind::number;
    unsigned width = 0;                                             // bits of its code, 0..64
    NumberRule number;                                              // kind number
    Index registers = no_index;                                     // kind registers: Isa::register_files
    std::vector<Entry> entries;                                     // kinds registers and enumeration, by rising code
    unsigned value_bits = 0;                                        // enumeration: width of the values
    std::vector<OperandRow> rows;                                   // kind table
    std::vector<std::pair<std::string, std::uint64_t>> parameters;  // those that are numbers, for meanings
    std::vector<std::string> facts;  // names of what some row says besides, also one that is not there
    Place where;
};

// A name for some bits of a register.
struct BitField {
    static constexpr std::uint64_t of_all = ~std::uint64_t{0};
    std::string name;
    unsigned low = 0, width = 1;
    std::uint64_t number = of_all;  // of which register of the file
    Place where;

    unsigned high() const { return low + width - 1; }
    bool belongs_to(std::uint64_t register_number) const { return number == of_all || number == register_number; }
};

// A register file, or with index_bits 0 a single register.
struct RegisterFile {
    std::string name;
    unsigned index_bits = 0;
    unsigned count = 1;
    unsigned bits = 32;  // of one element of one lane
    std::vector<BitField> fields;
    unsigned lanes = 1;             // lanes of a register: 64 for a wavefront's, 1 for a scalar's
    unsigned write_ports = 0;       // 0: no limit
    bool is_zero_at_reset = false;  // of which a program may make use
    std::vector<Entry> entries;     // names by code; empty for a single register
    Place where;
};

struct MemorySpace {
    std::string name;
    unsigned unit_bits = 8;
    bool big_endian = false;
    bool holds_code = false;  // instructions are fetched from it: one address space for code and data
    bool per_group = false;   // each group of harts has one of its own
    std::uint64_t cells = 0;  // the machine's own, always so many; 0: as many as whoever makes the machine says
    Place where;

    unsigned unit_bytes() const { return unit_bits <= 8 ? 1 : unit_bits / 8; }
};

// What answers at addresses of a memory that holds code instead of storage: "console", "timer".
struct Device {
    std::string kind;
    Index memory = 0;
    std::uint64_t address = 0;
    Place where;
};

// A part of the machine's state whose value is known when an instruction is decoded.
struct Mode {
    std::string name;
    unsigned bits = 1;  // 1 to 16
    Meaning value;      // of registers and constants alone
    struct Read {
        Index file;
        std::uint64_t number;  // any_number: one that is computed
    };
    static constexpr std::uint64_t any_number = ~std::uint64_t{0};
    std::vector<Read> reads;  // what the value depends on
    Place where;
};

inline constexpr unsigned max_modes = 32;
inline constexpr unsigned max_mode_bits = 64;  // of all modes together

// What happens at an event: `on bad_read(address) …`.
struct EventHandler {
    std::string name;  // one of event_names
    std::vector<std::string> parameters;
    Meaning condition;  // it waits where this is 0; null: it never does
    Statements body;
    Place where;
};

// The events that a machine knows, and how many parameters each has. `fetch` and `retire` are part of every instruction.
struct EventName {
    const char* name;
    unsigned parameters;
};
inline constexpr EventName event_names[] = {
    {"reset", 0},
    {"fetch", 0},
    {"retire", 0},
    {"illegal", 0},
    {"misaligned_code", 1},
    {"bad_execute", 1},
    {"bad_read", 1},
    {"bad_write", 1},
    {"misaligned", 1},
    {"interrupt", 1},
    {"transaction_conflict", 0},
    {"transaction_event", 0},
    {"transaction_too_deep", 0},
    {"transaction_too_large", 0},
};

struct Format {
    std::string name;
    Place where;
};

// How many different things of some kind one instruction may use: a row of an operand that `takes` from the limit is one,
// with each of its codes.
struct Limit {
    std::string name;
    unsigned most = 1;
    std::string reason;  // what is said where there are more
    Place where;
};
inline constexpr unsigned most_limits = 32;

// What counts for a limit in one form.
struct Taking {
    Index limit = 0;            // Isa::limits
    std::vector<Index> fields;  // of the form
    unsigned besides = 0;       // so many more, each of its own
    std::vector<std::pair<Index, std::uint64_t>>
        own;  // operand types and their codes: what the instruction uses unsaid
};

// A list that many have in common: rows of one table are written alike. It is never changed.
template <class T>
class SharedList {
public:
    SharedList() = default;
    SharedList(std::shared_ptr<const std::vector<T>> list) : list_(std::move(list)), data_(list_->data()) {}
    SharedList(std::vector<T> list) : SharedList(std::make_shared<const std::vector<T>>(std::move(list))) {}
    SharedList(std::initializer_list<T> list) : SharedList(std::vector<T>(list)) {}

    const T& operator[](std::size_t index) const { return data_[index]; }
    const T* begin() const { return data_; }
    const T* end() const { return data_ + size(); }
    std::size_t size() const { return list_ ? list_->size() : 0; }
    bool empty() const { return size() == 0; }
    const T& front() const { return *data_; }
    // The same for lists that are one and the same; null for empty ones.
    const T* data() const { return data_; }
    const std::vector<T>& list() const { return list_ ? *list_ : none(); }
    operator const std::vector<T>&() const { return list(); }

private:
    static const std::vector<T>& none() {
        static const std::vector<T> empty;
        return empty;
    }

    std::shared_ptr<const std::vector<T>> list_;
    const T* data_ = nullptr;
};

// Instructions that hazards name together; Form::classes says which.
struct InstructionClass {
    std::string name;
    Place where;
};
inline constexpr unsigned most_classes = 32;

// Instructions of a class that read or write some registers, or that do anything.
struct HazardSide {
    enum class Touches : std::uint8_t { none, reads, writes };
    Index of = no_index;  // Isa::classes
    Touches touches = Touches::none;
    std::vector<Index> files;         // of the registers; of the second side empty: those of the first
    std::vector<std::string> fields;  // that name them; empty: any, or none
    Meaning condition;                // of one instruction, as it stands there; null: always
};

// Between the two so many wait states have to lie, which the hardware does not see to.
struct Hazard {
    unsigned states = 0;
    HazardSide first, second;
    Place where;
};
inline constexpr unsigned most_wait_states = 255;
inline constexpr std::size_t most_hazards = 1000;

// How many wait states an instruction of a class is; others are one.
struct Duration {
    Index of = no_index;  // Isa::classes
    Meaning states;
    Place where;
};

// Registers that instructions of a class go on reading until a counter says so, which counts so many; 0: any number.
struct Held {
    HazardSide side;
    std::string counter;
    std::uint64_t most = 0;
    Place where;
};

// One encoding of one instruction in one of its lengths.
struct Form {
    Index instruction = no_index;
    Index format = no_index;
    unsigned bits = 0;  // without a tail; a multiple of the unit
    Image mask, value;  // the bits that tell it from others
    Image written;      // value, and what is written where bits are ignored
    std::vector<unsigned> parts;  // of several instructions: where the second and further ones begin; an alias
    SharedList<Field> fields;
    SharedList<TextTemplate> texts;  // the first is printed, all are read
    bool alias = false;              // read, never printed: another form has the same bits
    bool names_twin = false;         // an alias that has its opcode by that form\'s mnemonic, or is of its table
    SharedList<Taking> takes;
    std::uint32_t classes = 0;            // a bit for each of Isa::classes that it is of
    std::uint32_t needs = 0;              // a bit for each of Isa::switched that must not be 0
    SharedList<Naming> names_in_meaning;  // of the encoding, for its instruction's meaning
    Place where;

    std::uint64_t fixed_value(const Field& field) const { return field.place.extract(written); }
};

// The form's field of that name; null where it has none.
inline const Field* field_of(const Form& form, std::string_view name) {
    for (const Field& field : form.fields.list())
        if (field.name == name) return &field;
    return nullptr;
}

// What an instruction writes is there when a counter says so, which a program has to wait for.
struct Arrival {
    std::string counter;
    bool in_order = true;  // in that of the instructions that arrive by it
    Meaning condition;     // where this is not 0; null: always
};

// A row of an instruction table.
struct Instruction {
    std::vector<std::string> names;        // the first is printed
    std::vector<std::string> relax_names;  // read too where a longer form may stand in for one whose numbers do not fit
    bool only_relaxed = false;             // has no other names: `names` holds those
    std::string title;                     // "Addition", or empty
    std::vector<Index> forms;              // the preferred first
    Statements meaning;                    // null: none given
    Meaning guard;                         // executes only when this is not 0; null: always
    unsigned lanes = 1;                    // executes for so many lanes …
    Meaning lane_mask;                     // … where this is not 0
    SharedList<Arrival> arrivals;
    SharedList<Naming> names_in_meaning;             // of the table, for its meaning
    std::map<std::string, std::uint64_t> constants;  // values of the row's columns, for its meaning
    Place where;
};

// The opcode columns of one row as they stand in the table, reserved rows among them: what `opcodes accounted` checks.
struct OpcodeRow {
    struct Column {
        BitPlace place;
        std::uint64_t low = 0, high = 0;
    };
    std::vector<Column> columns;
    Image mask, value;  // the bits that the format gives
    Index table = 0;    // rows of one table have the same
    bool reserved = false;
    Place where;
};

// A part of the opcode space set aside for some formats: the leading bits of their instructions, read as a number of
// `width` bits, lie in low..high. Bit 0 of the leading bits is the most significant of the first unit.
struct Pool {
    std::string name;    // or empty
    unsigned width = 0;  // 1..64
    std::uint64_t low = 0, high = 0;
    std::vector<Index> formats;
    std::optional<std::uint64_t> capacity;  // as the designer counts it, in opcodes of `width` bits
    Place where;

    std::uint64_t opcodes() const { return high - low + 1; }  // 0 where it is all 2^64
};

// Leading bits that no instruction may have.
struct ReservedPattern {
    unsigned width = 0;  // 1..64
    std::uint64_t mask = 0, value = 0;
    std::string reason;
    Place where;
};

// How long instructions are whose first unit has these bits, if no rule before says so.
struct LengthRule {
    std::uint64_t mask = 0, value = 0;
    unsigned bits = 0;  // with what follows an instruction; whole units
    Place where;
};

// A row whose opcode is left to the allocator: which fields of which forms wait for a number.
struct AutoRow {
    struct Column {
        std::string name;
        Place where;                                  // the word `auto`
        unsigned width = 0;                           // of the field, in bits
        std::vector<std::pair<Index, Index>> fields;  // form, field in it: they all get the same number
        bool bits = false;                            // cells of the column are written as bits, all of them
    };
    std::vector<Column> columns;   // the `auto` ones
    Index instruction = no_index;  // the row's first
    Index table = 0;               // rows of one table have the same
    unsigned aligned = 1;          // rows of the table in chunks of so many, a power of two, each aligned to that
    Place where;
};

// A way to write integers of a radix: `$1f`, `1fh`. Without anything before, the first character is a digit.
struct NumberMark {
    unsigned radix = 16;  // 2, 8 or 16
    std::string before, behind;
};

// How programs for this machine are written.
struct Surface {
    std::vector<std::string> line_comments;
    std::vector<std::pair<std::string, std::string>> block_comments;
    std::string statement_end;  // ";" where instructions must end with it; empty: the line's end
    std::string separator;      // between statements of one line, where lines end statements
    std::string label_prefix, label_suffix = ":";
    std::string define, undefine;        // "#def"; empty: none
    std::string immediate_prefix;        // "#": allowed before numbers
    std::string label_reference_prefix;  // "@": allowed before labels in operands
    std::string expression_prefix;       // "@": allowed before expressions in operands, where they look like registers
    std::vector<NumberMark> number_marks;  // beside 0x1f, 0b101 and 017; the first of radix 16 is printed
    std::string low_byte, high_byte;     // "<", ">": in front of a value, its bits 7 to 0, or 15 to 8; empty: none
    std::vector<std::pair<std::string, std::string>> directives;  // own name, and which it is; "": read and left
    bool case_insensitive = false;       // mnemonics, registers and keywords

    // A statement that changes what is read from there on.
    struct Switch {
        std::string statement;  // ".option norvc", with one blank between words
        enum class Kind : std::uint8_t { set, push, pop } kind = Kind::set;
        Index parameter = no_index;  // set: Isa::switched …
        std::uint64_t value = 0;     // … gets this value
    };
    std::vector<Switch> switches;
};

// A pseudo-instruction that is a macro, for operands that no row takes.
struct Expansion {
    std::string name;
    std::vector<std::string> parameters;
    std::string body;  // as the assembler's macros have it: \name is a parameter
    Place where;
};

// A constant that whoever loads the description may give another value.
struct Parameter {
    std::string name;
    std::vector<std::uint64_t> allowed;  // as the description lists them; empty: any
    Place where;
};

// What several instructions or operands have in common, by facts that have names: a constant whose number is `code`. Codes are
// numbers that nothing else has.
struct Kind {
    static constexpr std::uint64_t first_code = std::uint64_t{1} << 32;
    std::string name;
    std::uint64_t code = first_code;
    std::map<std::string, std::uint64_t> facts;
    Place where;
};

// What a kind says by a name; 0 where other kinds do, if only in other variants, and this one does not.
struct KindFact {
    std::optional<std::uint64_t> value;
    std::string problem;      // where there is none: what is wrong
    std::string_view nearest;  // … and the name that may be meant
};

// nearest: ties to even; nearest_away: ties away from zero.
enum class Rounding : std::uint8_t { nearest, up, down, zero, nearest_away };

struct FloatRules {
    bool flush_subnormals = false;
    bool canonical_nan = false;
    Rounding rounding = Rounding::nearest;
};

// Which subnormal numbers stay what they are; the others are zeros.
enum class Subnormals : std::uint8_t { keep, flush, keep_inputs, keep_results };

// What modes say of floats of one width: values beyond the lists mean nearest, and keep.
struct FloatFormat {
    Index rounding_mode = no_index;
    std::vector<Rounding> roundings;  // what its values mean
    Index subnormals_mode = no_index;
    std::vector<Subnormals> subnormals;
};

// What a description says of something in prose.
struct Doc {
    Place of;          // where that is declared: the `where` of an instruction, a register file, a format, …
    std::string text;  // Markdown
};

// A page of prose that stands beside a description.
struct DocPage {
    std::string title;
    std::string text;  // Markdown
    std::string file;  // the name of its file, as other pages link to it
};

// The ELF files of the machine's programs, where they are no mere containers of ours: what `objects elf64 machine N` says.
struct ElfMachine {
    std::uint16_t machine = 0;  // e_machine; 0: nothing was said, and a note tells what the files are for
    bool wide = false;          // ELFCLASS64
    std::uint32_t flags = 0;    // e_flags of what is written
    // The relocations of data of 8, 16, 32 and 64 bits: those that are a symbol's value, then those that count from their own
    // place. 0: there is none.
    std::array<std::uint32_t, 8> data = {48, 49, 50, 51, 52, 53, 54, 55};

    std::uint32_t of_data(unsigned bytes, bool relative) const {
        return data[static_cast<unsigned>(std::countr_zero(bytes)) + (relative ? 4 : 0)];
    }
    // The bytes of the datum that a relocation is about; 0 where it is about an instruction.
    unsigned bytes_of(std::uint32_t type) const {
        const auto found = std::find(data.begin(), data.end(), type);
        return type == 0 || found == data.end() ? 0 : 1u << (found - data.begin()) % 4;
    }
    bool is_relative(std::uint32_t type) const { return std::find(data.begin() + 4, data.end(), type) != data.end(); }

    // Further relocations of data, which are read and not written.
    struct Operation {
        enum class Kind : std::uint8_t {
            absolute,
            relative,
            set,
            add,
            subtract,
            set_leb,
            subtract_leb
        } kind = Kind::set;
        std::uint8_t bits = 0;  // the low ones of the datum, which is the whole bytes that they take
        std::uint32_t type = 0;
    };
    std::vector<Operation> operations;
    std::uint32_t none = 0;         // means nothing, beside 0
    std::uint32_t align = 0;        // padding, of which a linker takes away what is too much; 0: there is no such thing
    std::uint32_t relax = 0;        // the instruction here may become shorter
    std::uint32_t varying_flags = 0;  // bits of e_flags in which objects may differ: a program has those of all
    // A symbol that programs expect of a linker: so far behind the begin of what is written.
    std::string data_symbol;
    std::uint64_t data_symbol_offset = 0;

    const Operation* operation(std::uint32_t type) const {
        const auto found =
            std::find_if(operations.begin(), operations.end(), [&](const Operation& one) { return one.type == type; });
        return found == operations.end() ? nullptr : &*found;
    }
    // Whether it is said how distances between places of one section are left to a linker.
    bool has_differences() const {
        return std::any_of(operations.begin(), operations.end(),
                           [](const Operation& one) { return one.kind == Operation::Kind::subtract; });
    }
};

// Functions that meanings call, by their names. Their bodies are made when somebody asks for one.
struct FunctionList {
    std::vector<std::string> names;
    Rows<std::shared_ptr<const semantics::Function>> all;  // likewise

    std::size_t size() const { return all.size(); }
    const semantics::Function& operator[](std::size_t index) const { return *all[index]; }
    // Null where there is none of that name.
    const semantics::Function* find(std::string_view name) const {
        const auto found = std::lower_bound(names.begin(), names.end(), name);
        return found != names.end() && *found == name ? all[static_cast<std::size_t>(found - names.begin())].get()
                                                      : nullptr;
    }
};

// Which texts of which forms a word at the begin of a statement may be: what the codec would else find out from all forms
// before it reads a single line.
struct MnemonicIndex {
    // What stands before the mnemonic: the same for all forms whose texts begin alike.
    struct Head {
        struct Slot {
            std::string literal;  // or a field's operand type
            Index type = no_index;

            bool operator==(const Slot&) const = default;
        };
        std::vector<Slot> slots;

        bool operator==(const Head&) const = default;
    };
    // One text of a form under one of its names.
    struct Reading {
        Index form = no_index;
        std::uint16_t text = 0;     // Form::texts
        std::uint16_t printed = 0;  // whether it is the one that is printed

        bool operator==(const Reading&) const = default;
    };
    struct Mnemonic {
        std::uint32_t begin = 0, size = 0;   // in `words`
        std::uint32_t first = 0, count = 0;  // in `readings`

        bool operator==(const Mnemonic&) const = default;
    };
    // What is asked of a form before anybody looks at it.
    struct FormFacts {
        std::uint16_t longest_tail = 0;  // bits that its operands may bring along
        bool is_relative = false;        // has a number that counts from the instruction's address
        bool is_loaded = false;          // … or that a loader changes
        bool may_grow = false;           // longer forms may be written in its place
        bool unused = false;

        bool operator==(const FormFacts&) const = default;
    };
    struct Slot {
        std::uint32_t hash = 0, mnemonic = 0;  // + 1; 0: none

        bool operator==(const Slot&) const = default;
    };
    std::string words;  // of all mnemonics, in small letters where case does not matter
    std::vector<Mnemonic> mnemonics;
    std::vector<Reading> readings;
    std::vector<Slot> slots;  // a hash table, as many as a power of two
    std::vector<Head> heads;
    std::vector<FormFacts> forms;
    std::vector<std::string> names;  // what rows of operands with a meaning are called, which is no symbol
    bool has_dots = false;           // in mnemonics
    bool may_relax = false;          // there are names for those who may be given a longer form, which are not here
    unsigned longest = 0;  // bits of the longest instruction, with what its operands bring along, at most
};

// Which forms the bits of an instruction may be of: what the codec would else find out from all forms before it decodes a
// single instruction.
struct DecodeTree {
    // The children of a node lie together, so that one step down is one load.
    struct Node {
        std::uint32_t first = 0;           // of the children in `nodes`, or of a leaf its number
        std::uint16_t mask = 0;            // of the bits that choose the child; 0: a leaf
        std::uint8_t word = 0, shift = 0;  // where these are in the image: of which word, and there

        bool is_leaf() const { return mask == 0; }
        std::uint32_t children() const { return mask + 1u; }
        Node child(const Node* root, std::uint64_t bits) const { return root[first + (bits >> shift & mask)]; }
        bool operator==(const Node&) const = default;
    };
    std::vector<Node> nodes;            // the root is 0
    std::vector<std::uint32_t> begins;  // of each leaf's forms in `forms`, and their end; leaf 0 has none
    std::vector<Index> forms;           // of a leaf those with the most fixed bits first

    std::size_t leaves() const { return begins.size() - 1; }
    std::span<const Index> forms_of(std::size_t leaf) const {
        return std::span(forms).subspan(begins[leaf], begins[leaf + 1] - begins[leaf]);
    }
};
static_assert(sizeof(DecodeTree::Node) == 8);

// Of which instructions it is proved that their text, as it is printed, is read as the same bits: of those forms whose operands
// have codes for which it is. What the disassembler would else find out from each instruction.
struct ReadBack {
    // What is said of a code: it is proved where the value behind the instruction is in one of the form's stretches, as well.
    static constexpr char no_code = 0, code = 1, code_with_tail = 2;

    struct Check {
        std::uint32_t codes = 0;     // a byte for each code of the operand, in `codes`; or where in `patterns` …
        Index field = 0;             // of the form; others may have any code
        std::uint32_t patterns = 0;  // … those are of which its code must have one; 0: of an operand with few codes

        bool operator==(const Check&) const = default;
    };
    struct Pattern {
        std::uint64_t mask = 0, value = 0;

        bool operator==(const Pattern&) const = default;
    };
    struct Stretch {
        std::uint64_t first = 0, last = 0;

        bool operator==(const Stretch&) const = default;
    };
    struct FormProof {
        std::uint32_t first = 0;     // in `checks`
        std::uint32_t first_tail = 0;  // in `tails`: by rising value
        std::uint16_t count = 0, tail_count = 0;
        std::uint16_t tail_bits = 0;
        std::uint16_t is_proved =
            no_code;  // for some codes; code_with_tail: each has a value behind it, to be looked at

        bool operator==(const FormProof&) const = default;
    };
    std::vector<FormProof> forms;    // by Isa::forms
    std::vector<Check> checks;
    std::vector<Pattern> patterns;
    std::vector<Stretch> tails;
    std::string codes;
};

struct Isa {
    std::string name;  // "wishbone-gpu"
    std::string title;
    std::string variant;                // "gcn1.2"; the name where there are no variants
    std::vector<std::string> variants;  // all that the description has; empty where it has none
    std::vector<std::string> lineage;   // the variant, the one that it is of, and so on: the last is of none
    std::map<std::string, std::string, std::less<>>
        variant_bases;  // what variants are of; not of those that are of none

    // Whether a variant has everything that this one has.
    bool is_refined_by(std::string_view other) const {
        auto base = variant_bases.find(other);
        while (other != variant && base != variant_bases.end()) base = variant_bases.find(other = base->second);
        return other == variant;
    }
    std::vector<std::string> dialects;  // ways of writing that the description knows; empty: one, without a name
    std::map<std::string, Surface> dialect_surfaces;  // of the dialects with a syntax of their own
    std::string dialect;                              // the one whose texts and names come first, and so are printed
    unsigned unit_bits = 8;                           // of an instruction's units
    bool big_endian = false;                          // bytes within a unit
    unsigned address_bits = 8;                        // bits of code that one step of a code address covers
    bool last_unit_first = false;                     // in bars: an instruction is written as one number
    bool opcodes_accounted = false;
    bool meanings_complete = false;  // a row without a meaning is a defect
    std::string object_flavour;      // who knows more of its object files: "amdgpu"; empty: nobody
    ElfMachine elf;
    Surface surface;
    std::vector<Expansion> expansions;
    std::vector<std::string> switched;  // parameters that a program may change on its way: see Surface::switches
    FloatRules floats;
    std::array<FloatFormat, 3> float_formats;        // of 16, 32 and 64 bits
    std::map<std::string, std::uint64_t> constants;  // constants and parameters
    std::vector<Parameter> parameters;
    std::vector<Kind> kinds;
    std::vector<std::string> kind_facts;  // all that kinds say, also those of other variants
    std::vector<RegisterFile> register_files;
    std::vector<MemorySpace> memories;
    std::vector<Device> devices;
    std::vector<Naming> names_in_meanings;  // of the whole description
    std::vector<Mode> modes;
    std::vector<EventHandler> events;
    Rows<OperandType> operand_types;
    std::vector<Limit> limits;
    std::vector<Format> formats;
    Rows<Instruction> instructions;
    bool has_arrivals = false;  // some of these have
    bool has_cycles = false;    // a column or a name says what some of these take: `cycles`
    std::vector<InstructionClass> classes;
    std::vector<Hazard> hazards;
    std::vector<Duration> durations;
    std::vector<Held> held;

    // Whether the order of instructions and waits between them matter.
    bool has_watched_steps() const { return has_arrivals || !hazards.empty() || !held.empty(); }
    Rows<Form> forms;
    std::vector<OpcodeRow> opcode_rows;
    std::vector<Pool> pools;
    std::vector<ReservedPattern> reserved;
    std::vector<LengthRule> lengths;  // the first that fits tells; empty: nothing is known but of instructions
    std::vector<AutoRow> auto_rows;                        // only in a draft: see LoadOptions
    std::function<std::vector<Diagnostic>()> find_unused;  // declarations that nothing refers to, as warnings
    FunctionList functions;
    std::vector<std::shared_ptr<const semantics::TypeAlias>> types;
    std::vector<Doc> docs;  // by their places
    std::vector<DocPage> pages;
    std::optional<MnemonicIndex> mnemonics;  // only of models that were packed …
    Rows<DecodeTree> decoding;               // … likewise: one, which is made when something is decoded
    Rows<ReadBack> read_back;                // … likewise, at most one; only of built-in descriptions

    // What is said in prose of what was declared there; empty where nothing is.
    std::string_view doc_of(Place where) const {
        const auto before = [](const Doc& one, const Place& place) {
            return one.of.file != place.file ? one.of.file < place.file : one.of.offset < place.offset;
        };
        const auto found = std::lower_bound(docs.begin(), docs.end(), where, before);
        const bool is_it = found != docs.end() && found->of.file == where.file && found->of.offset == where.offset;
        return is_it ? std::string_view(found->text) : std::string_view{};
    }

    // The kind that a number is, or null.
    const Kind* kind_of(std::uint64_t code) const {
        for (const Kind& kind : kinds)
            if (kind.code == code) return &kind;
        return nullptr;
    }
    KindFact kind_fact(std::uint64_t code, std::string_view fact) const;

    unsigned unit_bytes() const { return unit_bits / 8; }
    // Where leading bit `index` of an instruction, counted as in a bar from 0, is in an image.
    unsigned leading_bit_position(unsigned index) const {
        return index / unit_bits * unit_bits + unit_bits - 1 - index % unit_bits;
    }
    // How many bits an instruction has that begins with these, whether or not there is one; 0 where nothing says so.
    unsigned length_of(const Image& image) const {
        for (const LengthRule& rule : lengths)
            if ((image.words[0] & rule.mask) == rule.value) return rule.bits;
        return 0;
    }
    // Where bit `index` of a bar of so many bits is in an image; bit 0 is the first to be read.
    unsigned bar_position(unsigned index, unsigned bits) const {
        return last_unit_first ? bits - 1 - index : leading_bit_position(index);
    }
    const Instruction& instruction_of(const Form& form) const { return instructions[form.instruction]; }
};

// What load_isa may be told.
struct LoadOptions {
    std::string variant;        // empty: the first, or the one that the name asks for
    std::string dialect;        // whose texts are printed; empty: the first's
    bool only_dialect = false;  // leave out what is marked as another dialect's, where more is left
    std::map<std::string, std::uint64_t> parameters;  // values for the description's parameters
    // Leave the rows with `auto` opcodes as they are, in Isa::auto_rows: a draft for the allocator. Their forms' masks
    // lack the bits of those fields. Otherwise the allocator fills them in, and it is an error where it cannot.
    bool draft = false;
    // Or instructions have none, and other meanings, but for those of operands' rows, need not say anything: who only reads or
    // writes instructions needs none.
    bool meanings = true;
    // A folder where descriptions that were read are kept as tables, by their content, for the next time: it is made where there
    // is none. Empty: nowhere. Nothing is said where that fails.
    std::string cache;
    bool from_text = false;  // a built-in description is read too, instead of taking the tables that were made of it
};

// Reads a built-in description by name ("wishbone-gpu", "gcn1.2") or a file by path. Errors go to `diagnostics`; null
// then. `sources` must outlive the model only for as long as diagnostics are printed.
std::shared_ptr<const Isa> load_isa(const std::string& name_or_path, SourceManager& sources, Diagnostics& diagnostics,
                                    const LoadOptions& options = {});

// The same from text in memory, for tests and tools.
std::shared_ptr<const Isa> load_isa_text(std::string name, std::string text, SourceManager& sources,
                                         Diagnostics& diagnostics, const LoadOptions& options = {});

// Names of the built-in descriptions with their titles, in the order to show them.
std::vector<std::pair<std::string, std::string>> builtin_isas();

// What was found in the meanings of instructions, for variants and dialects of one description that are checked one after the other
// or at once, on several threads: what is the same in several of them is looked at in one.
class MeaningsChecked {
public:
    MeaningsChecked();
    ~MeaningsChecked();
    MeaningsChecked(const MeaningsChecked&) = delete;
    MeaningsChecked& operator=(const MeaningsChecked&) = delete;

    class Findings;
    Findings& findings() { return *findings_; }

private:
    std::unique_ptr<Findings> findings_;
};

// Everything that `isaforge check` finds beyond what loading finds: overlaps, unreachable rows, ambiguous texts, opcode
// gaps, unused names, meanings that do not type-check. A description without defects adds nothing.
// With `done`, all that is said of a meaning that has been checked already is said again.
void check_isa(const Isa& isa, Diagnostics& diagnostics, MeaningsChecked* done = nullptr);

}  // namespace isaforge
