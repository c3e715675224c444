// The state of one lowering, shared by its parts: values (lowering_values.cpp), the ways that control takes (lowering_flow.cpp),
// expressions (lowering_expressions.cpp), statements (lowering_statements.cpp), cycles (lowering_cycles.cpp) and built-in functions
// (builtins.cpp).
#pragma once

#include <bitset>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "ir/graph.hpp"
#include "semantics/lower.hpp"
#include "semantics/tree.hpp"
#include "semantics/types.hpp"
#include "support/wide.hpp"

namespace isaforge::semantics {

using Literal = Wide;
using ir::no_value;
using ir::Op;

// What a type of the language is in the intermediate form: lanes of one bit are a mask.
inline ir::Type form_of(Type type) {
    return type.bits == 1 ? ir::Type::truth(type.lanes) : ir::Type::integer(type.bits, type.lanes);
}

inline constexpr std::uint32_t no_number = ~std::uint32_t{0};

// Names are looked up among a few others of which most begin otherwise.
inline bool same_name(std::string_view a, std::string_view b) {
    return a.size() == b.size() && (a.empty() || (a[0] == b[0] && a == b));
}

// A value with the type it has in the description.
struct Typed {
    ir::Value id = no_value;
    Type type;
    bool exact = false;                   // never widened unsaid: bits above it may have been lost, or it is a float

    explicit operator bool() const { return id != no_value; }
};

struct Local;

// Something that can be read and, mostly, written.
struct Location {
    // view: lanes of another size, the first of a register; extending: low bits, whose sign fills the rest when written.
    // tuple: consecutive registers or places in memory, the lowest first. cycles: what the instruction takes, as far as it is known
    // by now.
    enum class Kind { element, memory, pc, part, concat, local, view, extending, tuple, cycles };
    Kind kind = Kind::pc;
    Type type;
    Index object = no_index;              // element: file; memory: memory
    std::uint32_t number = no_number;     // element: number, or no_number where `index` gives it
    Typed index;                          // element: its number; memory: the address; part: position of its lowest bit
    std::vector<Location> inner;          // part, view, extending: one; concat: high bits first
    unsigned first = 0;                   // view: its first lane
    Typed kept;                           // element: lanes whose bit is 1 here are not written; none: all are
    Local* local = nullptr;
};

// What an expression stands for.
struct Item {
    enum class Kind { none, literal, floating, text, value, location, function, rule };
    Kind kind = Kind::none;               // none: an error that has been reported
    Literal literal = 0;
    double floating = 0;
    std::string_view text;                // function: its name, where it is no operator; as the description has it
    Operator op = Operator::none;
    Typed value;
    Location location;
    const Naming* rule = nullptr;  // for what is assigned to it …
    std::size_t context = 0;       // … with the names of this one; 0: of none

    explicit operator bool() const { return kind != Kind::none; }
    bool untyped() const { return kind == Kind::literal || kind == Kind::floating; }
    static Item of(Typed value) { return value ? Item{.kind = Kind::value, .value = value} : Item{}; }
    static Item of(Literal value) { return Item{.kind = Kind::literal, .literal = value}; }
    static Item of(Location location) { return Item{.kind = Kind::location, .location = std::move(location)}; }
};

inline constexpr std::size_t no_slot = ~std::size_t{0};

struct Local {
    std::string_view name;                // as the description has it
    Item item;
    std::size_t slot = no_slot;           // of a variable, which statements assign: see Lowering::slots
    bool read = false;
    bool parameter = false;
    Place place;
};

// What floats(…) says in place of the description.
struct FloatWords {
    std::optional<Rounding> rounding;
    std::optional<std::uint64_t> rounding_number;  // in place of the mode's value
    std::optional<Subnormals> subnormals;
};

// A way that control takes to a place that is yet to come: the block where it ends, and what variables hold there.
struct Way {
    ir::BlockId block = ir::no_block;
    std::vector<ir::Value> slots;
};

struct Return {
    Way way;
    Typed value;
};

// The names in force: those of the instruction, of an operand row's captures, or of a function's body.
struct Context {
    const std::vector<Field>* fields = nullptr;
    const std::vector<Binding>* bindings = nullptr;
    const OperandType* operand = nullptr;  // its parameters are in force
    bool instruction = false;             // constants of the instruction's row are in force
    std::list<Local> locals;             // Location::local is one of them
    std::vector<std::string_view> assigned;  // locals that some statement assigns
    const Function* function = nullptr;
    Place call;                           // of the function
    unsigned branch_depth = 0;            // dynamic branches entered since the context began
    unsigned lane_branch_depth = 0;
    bool finished = false;                // a `return` was passed on every path
    Item result;                          // of a `return` that stands on no branch
    std::vector<Return> returns;          // those that stand on one
    Context* home = nullptr;              // its locals are in force, too, behind these
    unsigned locks = 0;                   // that were open when the context began
};

// One deeper as long as it stands.
class Deeper {
public:
    explicit Deeper(unsigned& depth) : depth_(depth) { ++depth_; }
    ~Deeper() { --depth_; }
    Deeper(const Deeper&) = delete;
    Deeper& operator=(const Deeper&) = delete;

private:
    unsigned& depth_;
};

// Of an operator, or of a condition.
struct Sides {
    const Expression& first;
    const Expression& second;
    Place place;
    Operator op = Operator::none;

    static Sides of(const Expression& binary) {
        return {*binary.operands[0], *binary.operands[1], binary.place, binary.op};
    }
};

// Names that are asked for. Few that are not seem to be.
class Mentioned {
public:
    void add(std::string_view name) { seen_.set(place_of(name)); }
    template <class Tree>
    void add_all_of(const Tree& tree) {
        for_each_name(tree, [this](const std::string& name) { add(name); });
    }
    bool may_have(std::string_view name) const { return seen_[place_of(name)]; }

private:
    static constexpr std::size_t size = 1024;
    static std::size_t place_of(std::string_view name) { return std::hash<std::string_view>()(name) % size; }

    std::bitset<size> seen_;
};

class Lowering {
public:
    Lowering(const LowerInput& input, Diagnostics& diagnostics, bool warnings)
        : isa(*input.isa), input_(input), diagnostics_(diagnostics), warnings_(warnings) {
        builder.new_block();
        slots.push_back(address_value(Opening::Kind::next_address, input.next_address).id);
        slots.push_back(isa.has_cycles ? typed_constant(0, cycle_type).id : no_value);
    }

    LowerResult run();
    Meant meant_by(const Expression& expression);
    std::string shape_of(const Field& field, const Binding& binding);

    // Values. Operands of one lane stand for as many as the others have.
    Typed typed_constant(std::uint64_t value, Type type);
    Typed open_value(Type type, const Binding* source);
    Typed address_value(Opening::Kind kind, std::uint64_t known);
    ir::Value add(ir::Instruction instruction,
                  ir::Type type = {});  // as Builder::add; what is equal to a value is that
    Typed compute(Op op, Type type, std::initializer_list<Typed> operands);
    std::optional<std::uint64_t> known(ir::Value value) const { return graph.known(value); }
    Typed convert(Typed value, Type type);
    bool widen(Typed& value, Type wide);                   // where nothing is lost; else false, and nothing is done
    void note_exact(Diagnostic& message, Typed value, Place place);
    Typed with_lanes(Typed value, unsigned lanes);
    bool match_lanes(Typed& a, Typed& b, Place place);
    Typed negated(Typed value) { return compute(Op::sub, value.type, {typed_constant(0, value.type), value}); }
    Typed truth(Typed value);                              // value != 0, lane by lane
    Typed negation(Typed condition);
    ir::Value both(ir::Value mask, Typed condition);       // mask & condition; no_value is "always"
    Typed mask_value() const { return {mask, {1, false, graph.type(mask).lanes}}; }
    Typed amount_for(unsigned bits, Typed amount);
    Typed extract(Typed word, Typed position, unsigned width);
    Typed replace(Typed word, Typed position, Typed bits);
    Typed concat(Typed high, Typed low, Place place);
    Typed shift(Operator op, Typed value, Typed amount, Place place);
    Typed arithmetic(Operator op, Typed a, Typed b, Place place);
    Typed lanes_of(Typed bits, unsigned count);
    Typed in_other_lanes(Typed value, Type type);
    Typed first_lanes(Typed value, unsigned count);
    void note_abort() { aborts_ = true; }
    Typed machine_value(Op op, Type type, std::uint64_t number = 0);
    void act(Op op) { add({.op = op}); }
    void set_source(ir::Value value, const Binding* source);
    const Binding* source_of(ir::Value value) const;

    // Ways that control takes.
    Way here() const { return {builder.block(), slots}; }
    void begin(ir::BlockId block) { builder.at(block); }
    void join(const std::vector<Way>& ways,
              std::size_t kept);    // all lead to where it goes on, with so many of the slots
    void end(ir::Instruction end);                         // of the block; what follows is never reached

    // Expressions.
    Item item(const Expression& expression, unsigned hint = 0);
    Typed value(const Expression& expression, unsigned hint = 0);
    Typed adapt(const Item& item, unsigned bits, Place place, bool as_float = false);
    Typed typed(const Item& item, unsigned hint, Place place);
    Typed read(const Location& location, Place place);
    std::optional<Literal> known_integer(const Expression& expression, const char* what);
    bool unify(Item& left, Item& right, const Sides& sides, Typed& a, Typed& b, unsigned hint, bool as_float = false);
    bool widen_side(Typed& narrow, Typed wide, const Sides& sides);

    // Statements.
    void block(const Block& statements);
    void write(const Location& location, Typed value, unsigned delay, Place place);

    // What a function or an operator makes of so many values of a type, as a function of three of them in the intermediate
    // form; null where that cannot be, which has been reported.
    ir::Function function_of(const Item& function, Type type, std::size_t count, const Expression& call);

    // Built-in functions; nothing where there is none of that name.
    std::optional<Item> builtin(const Expression& call, unsigned hint);
    static std::vector<std::string_view> builtin_names();
    static bool is_builtin(std::string_view name);

    Diagnostic& error(Place place, std::string message);
    void warn(Place place, std::string message);

    const Isa& isa;
    ir::Graph graph;
    ir::Builder builder{graph};
    // What variables hold at this place; the first is the address where the run goes on, the second the cycles so far.
    static constexpr std::size_t pc_slot = 0, cycles_slot = 1, first_free_slot = 2;
    static constexpr Type cycle_type{32, false, 1};
    std::vector<ir::Value> slots;
    ir::Value mask = no_value;      // lanes that execute; no_value: all
    unsigned lanes = 1;             // of the instruction
    const Binding* steering = nullptr;

    bool needs_steering(Typed value);
    unsigned pc_bits() const;
    Rounding rounding(unsigned bits) const;      // of floats of a width: by the mode that says it
    Subnormals subnormals(unsigned bits) const;  // likewise
    Typed without_subnormals(Typed value);
    FloatWords float_words;   // of the innermost floats(…)
    // What exceptions(…) collects: in a slot, as ways may differ in what they raise.
    struct Raised {
        std::size_t slot = no_slot;       // none: nobody asks
        ir::Value mask = no_value;        // where it was asked
        bool lanes_differ = false;
        unsigned integer_bits = 64;       // of the conversions to integers
        Rounding integer_rounding = Rounding::zero;
    };
    Raised raised;
    void raise(ir::Instruction operation, unsigned lanes);
    void raise_in_equal_lanes(const std::vector<Way>& ways, std::vector<ir::Value>& raised_on);
    void leave(Place place);        // the instruction ends here
    Index code_memory() const;
    const LowerInput& input() const { return input_; }

private:
    // Names.
    Item named(const Expression& expression);
    Item unknown_name(const Expression& expression);
    Local* find_local(std::string_view name);
    Item bound(const Field& field, const Binding& binding, Place place);
    Item bound_number(const OperandType& type, const Binding& binding);
    Item bound_row(const OperandType& type, const Binding& binding, Place place);
    Index find_file(std::string_view name) const;
    Index find_memory(std::string_view name) const;
    const Function* find_function(std::string_view name) const;
    Item element(const Expression& expression);
    Item element_of(Index file, const Expression& index, Place place);
    Item register_at(Index file, const Item& number, Place place);
    Item one_of(Location tuple, const Expression& index, const Expression* low, Place place);
    Type file_type(const RegisterFile& file) const { return {file.bits, false, file.lanes}; }

    // Kinds of expressions.
    Item unary(const Expression& expression, unsigned hint);
    Item binary(const Expression& expression, unsigned hint);
    Item literal_binary(Operator op, Literal a, Literal b, Place place);
    Item combined(const Expression& expression, Item left, unsigned hint);
    Item floating_binary(const Expression& expression, Item left, unsigned hint);
    Item logical(const Expression& expression);
    Item concatenation(const Expression& expression);
    Item conditional(const Expression& expression, unsigned hint);
    Item conditional_by_lane(const Sides& sides, Typed condition, unsigned hint);
    Item side(const Expression& expression, unsigned hint);
    bool same_lanes(Typed a, Typed b, Place place);
    Item slice(const Expression& expression);
    Item member(const Expression& expression);
    Item fact_of_kind(const Item& code, const Expression& expression);
    Item slice_of(Item base, Typed position, unsigned width, Place place);
    Item call(const Expression& expression, unsigned hint);
    Item call_given(const Item& function, const Expression& expression, unsigned hint);
    Item consecutive(const Expression& expression);
    Item registers_from(Index file, Item first, unsigned count, const Expression& expression);
    Item memory_from(Index memory, const TypeName& access, unsigned count, const Expression& expression);
    Item tuple_of(std::vector<Location> inner);
    Item choose(const Expression& expression, unsigned hint);
    Item subject_of(const Expression& choice);
    static std::size_t arms(const Expression& choice);
    bool arm_of(const Expression& choice, const Item& subject, bool is_expression, std::optional<std::size_t>& chosen);
    Item conversion(const TypeName& to, const Expression& expression);
    std::optional<Type> written_type(const TypeName& name);
    std::optional<Type> named_type(const TypeName& name);
    const TypeAlias* find_alias(std::string_view name) const;
    Index accessed_memory(const Expression& expression);
    Item memory_at(Index memory, const TypeName& type, const Expression& address, Place place);
    Item call_function(const Function& function, const Expression& expression);
    Item fixed_name(const std::string& name);

    bool guard(const Instruction& instruction);
    void lane_mask(const Instruction& instruction);
    void tell_checker(const Instruction& instruction);
    Mentioned mentioned_by(const Instruction& instruction) const;
    std::vector<const Naming*> asked_for(const SharedList<Naming>& list, Mentioned& mentioned) const;
    void names(const std::vector<const Naming*>& list);
    // Cycles: lowering_cycles.cpp.
    bool is_cycle_count(std::string_view name) const;
    Typed cycles_from(const Item& item, Place place);
    Typed cycles_said();
    void add_cycles(Typed more);
    void begin_cycles();
    void count_cycles();
    void count_skipped();
    void write_cycles(Typed assigned, Place place);
    Item mode(Index index);
    std::optional<std::uint64_t> chosen_mode(Index index) const;
    Item fact_of(const Expression& expression, bool& found);
    Item rule_named(const std::string& name);
    void assign_by_rule(const Item& target, const Statement& statement);
    void event(const EventHandler& handler);
    void event_named(std::string_view name);
    void instruction_body(const Instruction& instruction);
    void write_modes(bool all);
    bool depends(const Mode& mode) const;

    // Statements.
    void statement(const Statement& statement);
    void assign(const Statement& statement);
    void assign_local(Local& local, Typed value, Place place);
    void branch(const Statement& statement);
    void lane_branch(const Statement& statement, Typed condition);
    void repeat(const Statement& statement);
    void choose(const Statement& statement);
    bool assign_tuple(const Location& target, const Item& given, unsigned delay, Place place);
    void give(const Statement& statement);
    bool agree(Context& function, Typed& given);
    Item returned(std::vector<Return>& returns, std::size_t kept);
    void put(const Location& location, Typed value, ir::Instruction write = {});
    void only_where(Typed condition);
    void declare(const Statement& statement);
    void scope(const Block& statements);
    void leave_scope(std::size_t size, const Block* statements = nullptr);
    void note_assigned(const Block& statements, Context& context);
    Location target(const Expression& expression);
    Typed compound(const Statement& statement, const std::vector<Location>& targets, unsigned bits);
    void write_element(const Location& location, Typed value, unsigned delay, Place place);
    void write_view(const Location& location, Typed value, Place place);
    void write_lanes(const Location& location, Typed value, Place place, unsigned first = 0);
    bool narrow_write(const Location& part, Typed value, unsigned delay);
    void wait_for(const Expression& condition);
    void atomic(const Statement& statement);

    bool budget(Place place);
    Context& context() { return contexts_.back(); }

    const LowerInput& input_;
    Diagnostics& diagnostics_;
    bool warnings_;
    std::deque<Context> contexts_;
    Typed taken_by(Op op, Typed given);
    Typed compute_in_bytes(Op op, Type type, std::initializer_list<Typed> operands);
    Item choose_value(const Sides& sides, Typed condition, Item first, Item second, const ir::BlockId (&blocks)[2],
                      unsigned hint);
    Item choose_side(const Sides& sides, Typed condition, Item (&found)[2], const Way (&after)[2], unsigned hint);
    Typed get(const Location& location, Type type, unsigned first = 0);
    bool is_pure(ir::BlockId block) const;
    void about_instruction(const Expression& expression);
    std::vector<Opening> openings_;         // for each argument of the graph
    std::map<ir::Value, ir::Value> floats_;  // of values that were floats: these
    std::vector<const Binding*> sources_;   // of values: the open binding that it depends on, see source_of
    std::size_t made_ = 0;                  // instructions
    bool aborts_ = false;                   // a transaction, and registers become what they were
    std::vector<std::pair<Index, std::uint32_t>> written_;  // registers; no_number: any of the file
    std::set<std::pair<FileId, std::uint32_t>> reported_;
    std::size_t evaluations_ = 0;
    unsigned depth_ = 0;                    // of expressions in expressions and statements in statements
    std::vector<Way> leaves_;               // to the end of the instruction
    std::vector<Way> skips_;                // of a guard that does not hold
    unsigned locks_ = 0;                    // `atomic` blocks that are open
    bool left_ = false;                     // leave() was passed on every path here
    bool counts_ = false;                   // cycles: of an instruction or an event whose description says some
    bool naming_ = false;                   // what names stand for is looked at
    bool exhausted_ = false;
    bool failed_ = false;
};

}  // namespace isaforge::semantics
