// The syntax tree of a description: what was written, in the order it was written, names unresolved. Only the parser
// makes it and only the resolver reads it.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "isaforge/isa.hpp"
#include "isaforge/source.hpp"
#include "language/substitute.hpp"
#include "semantics/tree.hpp"

namespace isaforge::language {

using semantics::ExpressionPointer;

struct Name {
    std::string text;
    Place place;
};

// A string and where its first character behind the quote stands, so that a message can point into it.
struct Text {
    std::string text;
    Place place;
    std::string dialect;  // whose it is; empty: everyone's
};

// What may stand behind a colon or as an argument: a number (raw bits of that width) or a name with arguments.
struct TypeRef {
    Place place;
    ExpressionPointer number;  // set where it is a number or a parenthesised expression
    std::string name;
    std::vector<TypeRef> arguments;
};

// Variants and dialects that something exists in, with the variants of these; empty: all. Not in `before` and what is of it.
struct Only {
    std::vector<Name> names, before;
    std::shared_ptr<const Only> within;  // what holds for the block that it stands in

    bool empty() const { return names.empty() && before.empty() && !within; }
};

struct Slice {
    unsigned high = 0, low = 0;
    Place place;
};

// One cell of a bar, or one item of an operand row's pattern.
struct Cell {
    enum class Kind { zero, bits, value, named, tail, then } kind = Kind::named;
    Place place;
    std::string bits;         // bits: digits, '-' for any
    std::uint64_t value = 0;  // value: a number …
    unsigned width = 0;       // … in so many bits; zero: so many zeros
    Name name;
    std::optional<Slice> slice;
    std::vector<TypeRef> types;  // several: alternatives chosen by `selector`
    Name selector;
    ExpressionPointer low, high, step;  // n:8 in low..high step step
    bool shared = false;                // tail: one for all operands that call for it
    bool ignored = false;               // written as it says, read with any value
    bool broken = false;                // said so already
};

struct Bar {
    Place place;
    std::vector<Cell> cells;
    bool broken = false;  // said so already
};

// where NAME = expression, or NAME(parameter) = expression
struct WhereSyntax {
    Name name;
    Name parameter;  // of a rule for what is assigned; empty: an expression's name
    ExpressionPointer value;
};

// part NAME(parameters) { text }
struct PartDeclaration {
    Name name;
    std::vector<Name> parameters;
    Repeated text;
    Only only;
};

// limit bus 1 "what is said where there are more"
struct LimitDeclaration {
    Name name;
    unsigned most = 0;
    std::string reason;
};

// takes LIMIT in FIELD, "text", 1
struct TakesSyntax {
    Name limit;
    std::vector<Name> fields;
    std::vector<Text> own;  // what the instruction uses unsaid, as an operand would write it
    unsigned besides = 0;
};

// class vector of VOP*, v_nop
struct ClassDeclaration {
    Name name;
    std::vector<Name> members;  // formats and mnemonics; `A*` means all whose names begin so
};

// CLASS writes s, vcc in SDST if condition; behind `then`: CLASS reads it in SRC1
struct HazardSideSyntax {
    Name of;
    HazardSide::Touches touches = HazardSide::Touches::none;
    std::vector<Name> files, fields;
    ExpressionPointer condition;
};

// 4 CLASS … then CLASS …; CLASS lasts expression; CLASS reads v in DATA until counter
struct HazardSyntax {
    Place place;
    unsigned states = 0;
    HazardSideSyntax first, second;
    ExpressionPointer lasts;  // of the first, and there is no second …
    std::string counter;      // … likewise, …
    std::uint64_t most = 0;   // … which counts so many; 0: any number
    Only only;
};

struct FormatDeclaration {
    Name name;
    std::vector<Name> parameters;
    Bar bar;
    std::vector<TakesSyntax> takes;
    std::vector<WhereSyntax> where;  // names for meanings
    Only only;
};

// TRAP = 26, or MODE = 7:6; without a number, the bit above the one before.
struct BitFieldSyntax {
    Name name;
    ExpressionPointer high, low;
    Place place;
    Only only;
};

struct EntrySyntax {
    std::optional<std::uint64_t> code;
    std::vector<Text> texts;
    ExpressionPointer value;
    std::vector<BitFieldSyntax> fields;  // registers: of this one
    bool alias = false;
    Place place;
    Only only;
};

struct RegistersDeclaration {
    Name name;
    bool single = false;
    unsigned index_bits = 0;
    Place index_place;
    semantics::TypeName type;
    ExpressionPointer lanes;  // null: one
    unsigned write_ports = 0;
    bool is_zero_at_reset = false;
    std::optional<Text> text;
    std::vector<EntrySyntax> entries;
    std::vector<BitFieldSyntax> fields;  // of each register
};

struct MemoryDeclaration {
    Name name;
    semantics::TypeName type;
    std::optional<bool> big_endian;  // without it, the order of the code
    bool holds_code = false;
    bool per_group = false;
    ExpressionPointer cells;  // or none: who makes the machine says how many
};

// device console at 0xffff0080 in mem
struct DeviceDeclaration {
    Name kind;
    ExpressionPointer address;
    Name memory;  // or none: the memory that holds code
};

// mode VLEN : u6 = CSR[5:0]
struct ModeDeclaration {
    Name name;
    semantics::TypeName type;
    ExpressionPointer value;
};

// on bad_read(address) { … }
struct EventDeclaration {
    Name name;
    std::vector<std::string> parameters;
    ExpressionPointer condition;
    std::shared_ptr<const semantics::Block> body;
};

struct EnumDeclaration {
    Name name;
    unsigned width = 0;
    Place width_place;
    std::optional<semantics::TypeName> type;
    std::vector<EntrySyntax> entries;
    Only only;
};

struct OperandRowSyntax {
    Place place;
    std::vector<Cell> cells;
    std::vector<Text> texts;
    bool reserved = false;
    bool alias = false;
    ExpressionPointer meaning;
    std::vector<WhereSyntax> facts;  // what else it means, by names
    ExpressionPointer condition;     // of parameters: the row exists only where it is not 0
    std::vector<Name> takes;         // limits
    Only only;
};

struct OperandDeclaration {
    Name name;
    std::vector<Name> parameters;
    TypeRef width;
    std::vector<Name> takes;  // limits, of all rows
    std::vector<OperandRowSyntax> rows;
    Only only;
};

struct NumberDeclaration {
    Name name;
    Place place;
    Name base;  // u32, s18, i16, f32
    std::optional<Slice> slice;
    std::int64_t scale = 1, bias = 0;
    bool relative = false;
    std::optional<std::pair<std::int64_t, std::int64_t>> range;
    Place range_place;
    std::string format;  // hex, decimal
    Name plain;          // u16, s16, i16: what a number is that is no label
    std::uint64_t carries = 0;  // a bit for each that takes what is carried out of the signed ones below
    unsigned relocation = 0;
    std::string relocation_name;
    std::vector<unsigned> other_relocations;
    bool based = false;
    std::vector<Name> linked;  // what a linker takes for the symbol: slot, thread, label
};

struct ConstantDeclaration {
    Name name;
    ExpressionPointer value;           // null: it is a kind, …
    std::vector<WhereSyntax> facts;    // … and this is what it says
    bool parameter = false;
    std::vector<ExpressionPointer> allowed;
    Only only;
};

struct Column {
    Name name;
    bool bits = false;        // cells are written as bits, all of them
    bool by_variant = false;  // one cell for each variant
};

struct Value {  // a cell of an instruction row
    enum class Kind { number, range, absent, type, automatic } kind = Kind::number;
    Place place;
    std::string digits;  // as written, in `bits` columns
    std::uint64_t low = 0, high = 0;
    std::shared_ptr<const TypeRef> type;  // kind type
    bool ignored = false;                 // written as it says, read with any value
};

struct With {
    Name field;
    TypeRef value;
    bool ignored = false;  // written as it says, read with any value
};

// One way to encode the rows of a table.
struct EncodingSyntax {
    Name format;
    std::vector<TypeRef> arguments;
    std::vector<With> with;
    std::vector<Text> texts;
    std::vector<TakesSyntax> takes;
    std::vector<WhereSyntax> where;  // names for the meaning
    bool alias = false;              // read, never printed: the words are those of the table's other encodings
    ExpressionPointer condition;  // of columns, an absent one being 0: the row has this encoding only where it is not 0
    Only only;
};

// One name for a row, or a list for a family of rows.
struct RowName {
    std::vector<Name> members;
    std::string dialect;  // as in Text
};

struct InstructionRow {
    Place place;
    std::vector<Value> values;
    std::vector<RowName> names;        // alternatives
    std::vector<RowName> relax_names;  // the same, for the assembler's --relax
    std::string title;
    std::vector<Text> texts;  // as "…": instead of the head's
    bool reserved = false, alias = false;
    std::shared_ptr<const std::vector<semantics::Statement>> meaning;
    std::size_t where = 0;  // InstructionsDeclaration::where: names for the meaning
    Only only;
    bool broken = false;  // said so already
};

// by vmcnt in any order if any(x)
struct ArrivalSyntax {
    std::string counter;
    bool in_order = true;
    ExpressionPointer condition;
};

struct InstructionsDeclaration {
    Place place;
    std::vector<EncodingSyntax> encodings;
    std::vector<Column> columns;
    ExpressionPointer guard;
    unsigned lanes = 1;
    ExpressionPointer lane_mask;
    std::vector<ArrivalSyntax> arrivals;
    unsigned aligned = 1;
    std::vector<std::vector<WhereSyntax>> where = {{}};  // the first is none
    std::vector<InstructionRow> rows;
    Only only;
};

struct SurfaceSetting {
    Name dialect;  // whose it is; empty: everyone's
    Name key;
    std::vector<Text> values;
    std::vector<Name> words;
};

// expand "la rd, symbol" { "line" … }
struct ExpansionSyntax {
    Text head;
    std::vector<Text> lines;
    Only only;
};

struct CodeDeclaration {
    Place place;
    unsigned unit_bits = 8;
    bool big_endian = false;
    bool addressed_in_units = false;
    bool last_unit_first = false;  // in bars
};

// Leading bits of an instruction: 0, 1 and x.
struct BitPattern {
    Place place;
    std::string digits;
};

struct PoolDeclaration {
    Name name;  // or none
    BitPattern low, high;
    std::vector<Name> formats;  // `A*` means all whose names begin so
    std::optional<std::uint64_t> capacity;
    Place place;
};

// length 32 bits when PATTERN
struct LengthDeclaration {
    std::uint64_t bits = 0;
    BitPattern pattern;  // empty: of all others
    Place place;
};

struct ReservedDeclaration {
    BitPattern pattern;
    std::string reason;
};

// doc "…", below what it tells of
struct DocSyntax {
    Place of;
    std::string text;
    Only only;
};

// page "title" "file.md"
struct PageSyntax {
    Text title;
    std::string text, file;
    Only only;
};

// objects NAME, or objects elf64 machine N …
struct ObjectsDeclaration {
    struct Part {
        Name word;
        std::optional<Text> text;             // behind it …
        std::optional<std::uint64_t> number;  // … and it
    };
    std::vector<Part> parts;
    Only only;
};

struct Description {
    bool with_meanings = true;  // or else functions, rows and formats have none
    std::size_t includes = 0;   // files that are included
    Name name;
    std::string title;
    std::vector<Name> variants, dialects;
    std::map<std::string, std::string> variant_titles;  // where one has a title of its own
    std::map<std::string, Name> variant_bases;          // of those that are of another

    // Those that are of none: columns by variant are about them.
    std::size_t own_variants() const { return variants.size() - variant_bases.size(); }
    std::optional<CodeDeclaration> code;
    std::vector<Name> opcodes, meanings;
    std::vector<ObjectsDeclaration> objects;
    std::vector<std::vector<Name>> floats;  // a line each
    std::vector<SurfaceSetting> surface;
    std::vector<ExpansionSyntax> expansions;
    std::vector<ConstantDeclaration> constants;
    std::vector<RegistersDeclaration> registers;
    std::vector<MemoryDeclaration> memories;
    std::vector<DeviceDeclaration> devices;
    std::vector<WhereSyntax> where;
    std::vector<ModeDeclaration> modes;
    std::vector<EventDeclaration> events;
    std::vector<EnumDeclaration> enums;
    std::vector<OperandDeclaration> operands;
    std::vector<NumberDeclaration> numbers;
    std::vector<LimitDeclaration> limits;
    std::vector<ClassDeclaration> classes;
    std::vector<HazardSyntax> hazards;
    std::vector<FormatDeclaration> formats;
    std::map<std::string, std::vector<PartDeclaration>> parts;  // those of a name have variants of their own
    std::set<std::string> used_parts;
    std::size_t repeated = 0;   // characters that `for` and `use` have made
    std::vector<std::shared_ptr<semantics::Function>> functions;
    std::vector<std::shared_ptr<semantics::TypeAlias>> types;
    std::vector<InstructionsDeclaration> instructions;
    std::vector<PoolDeclaration> pools;
    std::vector<ReservedDeclaration> reserved;
    std::vector<LengthDeclaration> lengths;
    std::vector<DocSyntax> docs;
    std::vector<PageSyntax> pages;
    std::set<std::string> broken;  // names whose declarations could not be read: no second message where they are used
    Place end;
};

}  // namespace isaforge::language
