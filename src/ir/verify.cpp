#include "ir/verify.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "ir/dominators.hpp"
#include "ir/names.hpp"
#include "ir/text.hpp"

namespace isaforge::ir {

namespace {

// The types that the letters of a signature stand for in one operation.
class Signature {
public:
    Signature(const Graph& graph, const Instruction& instruction) : graph_(graph), instruction_(instruction) {}

    // What does not fit; empty where all does.
    std::string problem() {
        const std::string_view text = about(instruction_.op).signature;
        const std::size_t colon = text.find(':');
        std::vector<std::pair<char, Type>> found;
        const bool gives_raised = instruction_.mode.raised_by != 0;
        if (gives_raised && !raises_exceptions(instruction_.op)) return "it raises no exceptions";
        if (colon != 0) found.emplace_back(gives_raised ? 'U' : text[0], graph_.type(instruction_.result));
        std::size_t i = 0;
        char rule = 0;
        for (const char letter : text.substr(colon + 1)) {
            if (std::isalpha(static_cast<unsigned char>(letter)))
                found.emplace_back(letter, graph_.type(instruction_.operands[i++]));
            else
                rule = letter;
        }
        for (const auto& [letter, type] : found)
            if (!type.is_valid()) return "a value has no type";
        if (found.empty()) return {};
        lanes_ = lanes_of(found);
        for (const auto& [letter, type] : found)
            if (!fits(letter, type)) return fmt::format("{} does not fit {} of `{}`", to_text(type), letter, text);
        return found.size() < 2 || follows(rule, found) ? "" : fmt::format("the types do not follow `{}`", text);
    }

private:
    // Those of a letter that has all lanes; a letter for one lane says nothing.
    static unsigned lanes_of(const std::vector<std::pair<char, Type>>& found) {
        unsigned lanes = 1;
        for (const auto& [letter, type] : found)
            if (letter != 's' && letter != 'e' && letter != 'b' && letter != 'P')
                lanes = std::max<unsigned>(lanes, type.lanes);
        return lanes;
    }
    bool same(Type& kept, Type type) {
        if (!kept) kept = type;
        return kept == type;
    }
    bool fits(char letter, Type type) {
        const bool single = type.count == 1;
        switch (letter) {
            case 'T': return type.is_integer() && single && type.lanes == lanes_ && same(integer_, type);
            case 'U': return type.is_integer() && single && type.lanes == lanes_;
            case 'F': return type.is_float() && single && type.lanes == lanes_ && same(float_, type);
            case 'W': return type == Type::integer(64, lanes_);
            case 'D': return type == Type::floating(64, lanes_);
            case 'N': return type.is_integer() && single && type.lanes == lanes_ && type.bits == width_of_float();
            case 'L':
                return (type.is_integer() || type.is_mask()) && single && type.lanes == lanes_ && same(either_, type);
            case 'A': return type.lanes == lanes_ && same(any_, type);
            case 'B': return type == Type::truth(lanes_);
            case 'b': return type == Type::integer(1);
            case 'e': return same(element_, type);
            case 's': return type.is_integer() && single && type.lanes == 1;
            case 'M': return type.is_truth();
            case 'P': return !type.is_mask();
            default: return false;
        }
    }
    unsigned width_of_float() const { return graph_.type(instruction_.operands[0]).bits; }

    bool follows(char rule, const std::vector<std::pair<char, Type>>& found) const {
        const Type result = found[0].second, operand = found[1].second;
        switch (rule) {
            case '<': return result.bits < operand.bits && result.lanes == operand.lanes;
            case '>': return result.bits > operand.bits && result.lanes == operand.lanes;
            case '=': return result.total_bits() == operand.total_bits() && result != operand;
            case '|': return result.is_mask() ? operand.bits == result.lanes : result.bits == operand.lanes;
            case '^':
                return result == operand.with_lanes(result.lanes) && result.lanes <= operand.lanes &&
                       instruction_.number <= static_cast<unsigned>(operand.lanes - result.lanes);
            case '*': return tuple_follows(result, found);
            default: return !element_ || !any_ || element_ == any_.lane();  // a vector and one of its lanes
        }
    }
    bool tuple_follows(Type result, const std::vector<std::pair<char, Type>>& found) const {
        if (instruction_.op == Op::item) return result == any_.element() && instruction_.number < any_.count;
        unsigned count = 0;
        for (std::size_t i = 1; i < found.size(); ++i) {
            if (found[i].second.element() != result.element()) return false;
            count += found[i].second.count;
        }
        return count == result.count;
    }

    const Graph& graph_;
    const Instruction& instruction_;
    unsigned lanes_ = 1;
    Type integer_, float_, either_, any_, element_;
};

class Verifier {
public:
    Verifier(const Graph& graph, const Isa& isa, bool is_function = false)
        : graph_(graph), isa_(isa), is_function_(is_function), dominators_(graph) {}

    std::vector<std::string> run() {
        if (graph_.blocks.empty()) return {"there is no block"};
        if (!define_all()) return problems_;
        for (block_ = 0; block_ < graph_.blocks.size(); ++block_) check_block();
        for (std::size_t i = 0; i < graph_.functions.size() && !is_function_; ++i) check_function(i);
        return problems_;
    }

private:
    struct Definer {
        BlockId block = no_block;
        std::size_t index = 0;  // 0: an argument; else the place in the block, from 1
    };

    void wrong(const std::string& what) { problems_.push_back(fmt::format("b{}: {}", block_, what)); }
    void wrong(const Instruction& instruction, const std::string& what) {
        wrong(fmt::format("`{}`: {}", about(instruction.op).name, what));
    }

    // Each value that is not constant is assigned once, and no operand is beyond all values.
    bool define_all() {
        definers_.resize(graph_.values.size());
        for (block_ = 0; block_ < graph_.blocks.size(); ++block_) {
            const Block& block = graph_.blocks[block_];
            for (const Value value : block.arguments) define(value, 0);
            for (std::size_t i = 0; i < block.body.size(); ++i) {
                if (has_result(block.body[i].op)) define(block.body[i].result, i + 1);
                if (!has_result(block.body[i].op) && block.body[i].result != no_value)
                    wrong(block.body[i], "it gives no value");
                in_range(block.body[i]);
            }
            in_range(block.end);
            for (const Edge& edge : block.edges)
                for (const Value value : edge.values)
                    if (value >= graph_.values.size()) wrong("an edge gives a value that does not exist");
        }
        return problems_.empty();
    }
    void define(Value value, std::size_t index) {
        if (value >= graph_.values.size()) return wrong("a result is no value");
        if (graph_.values[value].is_constant) return wrong(fmt::format("%{} is a constant", value));
        if (definers_[value].block != no_block) return wrong(fmt::format("%{} is assigned twice", value));
        if (!graph_.type(value).is_valid()) return wrong(fmt::format("%{} has no type", value));
        definers_[value] = {block_, index};
    }
    void in_range(const Instruction& instruction) {
        for_each_input(instruction, [&](Value value) {
            if (value >= graph_.values.size()) wrong(instruction, "an operand is missing");
        });
    }

    void check_block() {
        const Block& block = graph_.blocks[block_];
        for (std::size_t i = 0; i < block.body.size(); ++i) {
            if (about(block.body[i].op).family == Family::end) wrong(block.body[i], "it stands before the block's end");
            check(block.body[i], i + 1);
        }
        if (about(block.end.op).family != Family::end) return wrong("the block has no end");
        check(block.end, block.body.size() + 1);
        check_edges(block);
    }
    void check_function(std::size_t number) {
        const Graph& function = *graph_.functions[number];
        std::vector<std::string> found = Verifier(function, isa_, true).run();
        const auto is_pure = [](const Instruction& each) { return about(each.op).effect == Effect::pure; };
        const auto& blocks = function.blocks;
        if (blocks.size() != 1 || blocks[0].end.op != Op::give ||
            !std::all_of(blocks[0].body.begin(), blocks[0].body.end(), is_pure))
            found.emplace_back("a function is one block of pure operations that gives a value");
        for (const std::string& each : found) problems_.push_back(fmt::format("f{}: {}", number, each));
    }
    void check(const Instruction& instruction, std::size_t index) {
        if (instruction.op == Op::give && !is_function_) wrong(instruction, "only functions give a value");
        for_each_input(instruction, [&](Value value) { check_use(value, index, &instruction); });
        if (const std::string problem = Signature(graph_, instruction).problem(); !problem.empty())
            wrong(instruction, problem);
        check_mask(instruction);
        check_object(instruction);
    }
    void check_use(Value value, std::size_t index, const Instruction* instruction) {
        if (graph_.values[value].is_constant || !dominators_.is_reachable(block_)) return;
        const Definer& definer = definers_[value];
        const bool before = definer.block == block_
                                ? definer.index < index
                                : definer.block != no_block && dominators_.is_reachable(definer.block) &&
                                      dominators_.dominates(definer.block, block_);
        if (before) return;
        const std::string what = fmt::format("%{} is not assigned on every path here", value);
        instruction != nullptr ? wrong(*instruction, what) : wrong(what);
    }
    // Of the type that is written or read, the address where it is of memory.
    Type acting_type(const Instruction& instruction) const {
        if (object_kind(instruction.op) == ObjectKind::memory) return graph_.type(instruction.operands[0]);
        return graph_.type(instruction.inputs().back());
    }
    void check_mask(const Instruction& instruction) {
        if (instruction.mask == no_value) return;
        if (!takes_mask(instruction.op)) return wrong(instruction, "it takes no mask");
        if (graph_.type(instruction.mask) != Type::truth(acting_type(instruction).lanes))
            wrong(instruction, "the mask is not of its lanes");
    }
    void check_object(const Instruction& instruction) {
        const ObjectKind kind = object_kind(instruction.op);
        if (kind == ObjectKind::none) return;
        const std::size_t count = kind == ObjectKind::text ? graph_.texts.size() : object_count(kind, isa_);
        if (instruction.object >= count) return wrong(instruction, "what it names does not exist");
        if (kind == ObjectKind::registers) check_registers(instruction);
        if (kind == ObjectKind::memory) check_memory(instruction);
    }
    void check_registers(const Instruction& instruction) {
        const RegisterFile& file = isa_.register_files[instruction.object];
        const Type type = instruction.result != no_value ? graph_.type(instruction.result) : acting_type(instruction);
        const bool by_number = instruction.op == Op::get || instruction.op == Op::put;
        if (by_number && (type.count > file.count || instruction.number > file.count - type.count))
            wrong(instruction, "there is no such register");
        if (unsigned{type.bits} * type.lanes >
            file.bits * (file.lanes - std::min<unsigned>(instruction.first, file.lanes)))
            wrong(instruction, "the register has fewer bits");
        if (instruction.delay != 0 && type.lanes != 1) wrong(instruction, "only one lane can land later");
    }
    void check_memory(const Instruction& instruction) {
        if (instruction.op == Op::lock) return;
        const Type address = graph_.type(instruction.operands[0]);
        const Type type = instruction.result != no_value && instruction.op != Op::store_conditional
                              ? graph_.type(instruction.result)
                              : graph_.type(instruction.inputs().back());
        for (std::size_t i = 1; i < instruction.inputs().size(); ++i)
            if (graph_.type(instruction.operands[i]) != type)
                wrong(instruction, "what is stored and read differ in type");
        if (type.lanes != address.lanes) wrong(instruction, "there are not as many addresses as lanes");
        if (instruction.op == Op::update && !gives(instruction.number, type.lane()))
            wrong(instruction, "memory is not updated so");
    }
    // Whether there is such a function of three values of a type.
    bool gives(std::uint64_t number, Type type) const {
        if (number >= graph_.functions.size() || graph_.functions[number]->blocks.size() != 1) return false;
        const Graph& function = *graph_.functions[number];
        const Block& block = function.blocks[0];
        const auto fits = [&](Value value) { return function.type(value) == type; };
        return block.arguments.size() == 3 && std::all_of(block.arguments.begin(), block.arguments.end(), fits) &&
               block.end.op == Op::give && fits(block.end.operands[0]);
    }
    void check_edges(const Block& block) {
        const std::size_t count = block.end.op == Op::jump ? 1 : block.end.op == Op::branch ? 2 : 0;
        if (block.edges.size() != count)
            return wrong(fmt::format("it leads to {} blocks, not {}", block.edges.size(), count));
        for (const Edge& edge : block.edges) {
            if (edge.block == 0 || edge.block >= graph_.blocks.size()) return wrong("it leads to no block");
            const auto& arguments = graph_.blocks[edge.block].arguments;
            if (arguments.size() != edge.values.size())
                return wrong(
                    fmt::format("b{} takes {} values, not {}", edge.block, arguments.size(), edge.values.size()));
            for (std::size_t i = 0; i < arguments.size(); ++i) {
                check_use(edge.values[i], block.body.size() + 1, nullptr);
                if (graph_.type(edge.values[i]) != graph_.type(arguments[i]))
                    wrong(fmt::format("b{} takes {} where it gets {}", edge.block, to_text(graph_.type(arguments[i])),
                                      to_text(graph_.type(edge.values[i]))));
            }
        }
    }

    const Graph& graph_;
    const Isa& isa_;
    const bool is_function_;
    Dominators dominators_;
    BlockId block_ = 0;
    std::vector<Definer> definers_;
    std::vector<std::string> problems_;
};

}  // namespace

std::vector<std::string> verify(const Graph& graph, const Isa& isa) { return Verifier(graph, isa).run(); }

}  // namespace isaforge::ir
