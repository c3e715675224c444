// Expressions: text to a value that is known, or to a small tree over symbols that is evaluated once everything has its
// place. It is also what the codec calls for the numbers inside operands.
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "assembler/integer.hpp"
#include "assembler/scopes.hpp"
#include "assembler/symbol_table.hpp"
#include "isaforge/codec.hpp"

namespace isaforge::assembler {

struct Value {
    enum class Kind : std::uint8_t { integer, floating, symbolic };
    Kind kind = Kind::integer;
    Integer integer;
    double floating = 0;
    std::uint8_t float_width = 0;  // what its suffix says that it has, in bits
    Index node = no_index;

    static Value of(Integer integer) {
        Value value;
        value.integer = integer;
        return value;
    }
    static Value of(double floating) {
        Value value;
        value.kind = Kind::floating;
        value.floating = floating;
        return value;
    }
    bool is_integer() const { return kind == Kind::integer; }
    bool is_symbolic() const { return kind == Kind::symbolic; }
};

// A tree's node. Leaves: symbol + addend, position + addend, integer.
struct Node {
    Operator op = Operator::integer;
    bool negative = false;
    std::uint16_t depth = 0;
    Index a = no_index, b = no_index;  // operands; a symbol's index; a position's section and fragment
    std::uint8_t modifier = 0;         // a symbol's: which of ExpressionSyntax::modifiers stands behind it
    std::uint64_t value = 0;           // an integer; a position's offset; the third operand of `select`
    std::int64_t addend = 0;
};

// What a tree comes to: a number, or a number counted from a section's begin or from an undefined symbol. Offsets count
// address units in code and bytes elsewhere.
struct Resolved {
    enum class Base : std::uint8_t { absolute, section, symbol };
    Base base = Base::absolute;
    Index index = no_index;
    Index fragment = 0;    // before layout, when only offsets from the same fragment can be compared
    Index via = no_index;  // base section: the symbol that named the position
    std::uint8_t modifier = 0;  // base symbol: what a linker is to make of it
    Integer offset;

    bool same_base(const Resolved& other) const {
        return modifier == 0 && other.modifier == 0 && base == other.base && index == other.index &&
               fragment == other.fragment;
    }
};

// What evaluation has to know of the sections.
class SectionMap {
public:
    virtual ~SectionMap() = default;
    // Bytes of one step of an address in this section: of a code address in code, else 1.
    virtual unsigned step(Index section) const = 0;
    // Bytes from the section's begin, and, where addresses are final, from the memory's.
    virtual std::uint64_t address(const Position& position) const = 0;
    virtual bool addresses_final() const = 0;
};

// Comment marks and prefixes that may follow or precede an expression.
struct ExpressionSyntax {
    std::string immediate_prefix, label_reference_prefix, expression_prefix;
    std::vector<NumberMark> number_marks;
    std::string low_byte, high_byte;
    std::vector<std::string> comments;  // beginnings of comments that look like operators: "//", "/*"
    std::span<const std::string_view> modifiers;  // what may stand behind a symbol: "@rel32@lo"; the first is empty

    // From here on numbers and comments are written like this.
    void use(const Surface& surface) {
        immediate_prefix = surface.immediate_prefix;
        label_reference_prefix = surface.label_reference_prefix;
        expression_prefix = surface.expression_prefix;
        number_marks = surface.number_marks;
        low_byte = surface.low_byte;
        high_byte = surface.high_byte;
        comments = surface.line_comments;
        for (const auto& [open, close] : surface.block_comments) comments.push_back(open);
    }
};

class Expressions final : public ExpressionReader {
public:
    Expressions(SymbolTable& symbols, const SectionMap& sections) : symbols_(symbols), sections_(sections) {}

    ExpressionSyntax syntax;
    Position here;                 // the value of `.`
    bool stable_text = true;       // the text being read outlives the assembly
    const Codec* registers =
        nullptr;  // whose registers are no symbols in operands, unless the program has defined them
    // Parameters and constants of the description, for symbols that the program does not define.
    const std::map<std::string, std::uint64_t>* constants = nullptr;
    Scopes scopes;
    bool defer_targets = false;    // hand known numbers that count from the instruction to the codec as deferred, too

    // The integer that the codec read last.
    Integer last_integer;

    // Told of symbols in expressions, where somebody asks.
    std::function<void(Index symbol, const char* begin, const char* end)> mentioned;

    std::function<void()> refresh;  // brings the live symbols up to date

    // ExpressionReader, for the codec.
    bool read(const char*& cursor, const char* end, NumberValue& value) override;
    bool read_target(const char*& cursor, const char* end, NumberValue& value) override;

    // Reads an expression; false where none begins, or where it is wrong, with `error` set.
    bool parse(const char*& cursor, Value& value);

    // What is wrong with the expression that was read last; empty where nothing is.
    std::string error;
    const char* error_at = nullptr;

    // A deferred operand: its tree and its text.
    struct Operand {
        Index node = no_index;
        const char* begin = nullptr;
        const char* end = nullptr;
    };
    const Operand& operand(std::uint32_t handle) const { return operands_[handle]; }
    void clear_operands() { operands_.clear(); }
    // Trees that were made since there were `count` and that nobody refers to.
    std::size_t node_count() const { return nodes_.size(); }
    void forget_nodes(std::size_t count) { nodes_.resize(std::min(count, nodes_.size())); }

    // The symbol that a name means here, and the one that a definition of it here defines.
    Index reference(std::string_view name);
    Index definition(std::string_view name);
    // Gives what was named before it was defined the definition that followed in an outer scope.
    void settle_references();

    // Trees.
    Index leaf(Integer value);
    Index leaf(const Position& position);
    Index leaf(Index symbol, unsigned modifier, std::int64_t addend);
    Value symbol_value(Index symbol);
    const Node& node(Index index) const { return nodes_[index]; }

    // Whether the tree is a symbol that turned out to be a floating-point number, perhaps negated.
    bool floating_value(Index node, double& value) const;

    // Evaluates with what is known now. False, with `error` set, where the result is not a number that could be relocated.
    // Before layout only positions in one fragment have a known difference; `before_layout` says which it is.
    bool evaluate(Index node, bool before_layout, Resolved& result);

    // Numeric labels.
    void define_numeric_label(std::uint32_t number, Index& symbol);

private:
    bool read_operand(const char*& cursor, const char* end, NumberValue& number, bool defer);
    bool read_prefix(const char*& p, const char* end) const;
    bool parse_binary(const char*& p, int lowest, Value& value);
    bool parse_conditional(const char*& p, Value& value);
    bool parse_unary(const char*& p, Value& value);
    bool parse_primary(const char*& p, Value& value);
    bool parse_parenthesis(const char*& p, Value& value);
    bool parse_marked_number(const char*& p, Value& value, bool& good);
    bool parse_byte(const char*& p, unsigned from, std::size_t mark_size, Value& value);
    bool parse_number(const char*& p, Value& value);
    bool parse_digits(const char*& p, unsigned radix, const char* digits, Value& value);
    bool parse_floating(const char*& p, Value& value);
    bool parse_numeric_label(const char*& p, const char* letter, Value& value);
    bool parse_character(const char*& p, Value& value);
    bool parse_name(const char*& p, Value& value);
    bool is_register(std::string_view name) const;
    bool parse_modifier(const char*& p, std::string_view name, Value& value);
    int peek_operator(const char* p, Operator& op, unsigned& length) const;

    bool combine(Operator op, const Value& a, const Value& b, const char* at, Value& result);
    bool combine_floating(Operator op, const Value& a, const Value& b, const char* at, Value& result);
    bool combine_symbolic(Operator op, const Value& a, const Value& b, const char* at, Value& result);
    bool combine_unary(Operator op, const char* at, Value& value);
    bool known_difference(const Value& a, const Value& b, Value& result);
    Index node_of(const Value& value);
    bool add_node(const Node& node, const char* at, Value& result);
    bool fail(const char* at, std::string message);
    bool fail_deep(const char* at);
    bool fail_full(const char* at);
    bool fail_large();

    bool evaluate_node(Index index, Resolved& result);
    bool evaluate_symbol(Index symbol, Resolved& result);
    bool evaluate_binary(const Node& node, Resolved& result);
    bool position_of(const Node& node, Position& position) const;
    Resolved resolve(const Position& position) const;

    SymbolTable& symbols_;
    const SectionMap& sections_;
    std::vector<Node> nodes_;
    std::vector<Operand> operands_;
    unsigned depth_ = 0;
    bool in_operand_ = false;
    char stop_ = 0;                // ExpressionReader::stop, outside of parentheses
    bool before_layout_ = false;
    std::uint64_t steps_ = 0, all_steps_ = 0;

    struct NumericLabel {
        Index last = no_index, next = no_index;
    };
    std::unordered_map<std::uint32_t, NumericLabel> numeric_;
    std::vector<Index> unsettled_;  // named in a scope and not known then
};

// Reads one character or escape of a character constant or string and moves past it.
bool read_character(const char*& p, unsigned char& c);

}  // namespace isaforge::assembler
