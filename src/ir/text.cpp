#include "ir/text.hpp"

#include <fmt/format.h>

#include "ir/names.hpp"

namespace isaforge::ir {

namespace {

std::string value_text(const Graph& graph, Value value) {
    if (value == no_value) return "nothing";
    const Definition& definition = graph.values[value];
    if (!definition.is_constant) return fmt::format("%{}", value);
    if (definition.type.is_mask())
        return fmt::format("{}:{}", definition.constant != 0 ? "full" : "empty", to_text(definition.type));
    return fmt::format("{:#x}:{}", definition.constant, to_text(definition.type));
}

std::string arguments_text(const Graph& graph, const std::vector<Value>& values) {
    std::string text;
    for (const Value value : values) text += (text.empty() ? "" : ", ") + value_text(graph, value);
    return "(" + text + ")";
}

std::string mode_text(FloatMode mode, const Isa& isa, Index object) {
    std::string text;
    if (mode.by_mode) text += " by " + (object < isa.modes.size() ? isa.modes[object].name : "?");
    static constexpr const char* directions[] = {"", " up", " down", " zero", " nearest_away"};
    if (!mode.by_mode) text += directions[static_cast<std::size_t>(mode.rounding)];
    if (mode.flush_subnormals) text += " flush";
    if (mode.canonical_nan) text += " canonical";
    if (mode.raised_by != 0) text += fmt::format(" raised_by {}", mode.raised_by);
    return text;
}

std::string quoted(std::string_view text) {
    std::string out = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') out += '\\';
        out += c;
    }
    return out + '"';
}

// The name of the operation and what is known of it without any value.
std::string head_text(const Graph& graph, const Instruction& instruction, const Isa& isa) {
    const Op op = instruction.op;
    std::string text(about(op).name);
    if (about(op).family == Family::floating) text += mode_text(instruction.mode, isa, instruction.object);
    const ObjectKind kind = object_kind(op);
    if (kind == ObjectKind::text)
        text += " " + quoted(graph.texts[instruction.object]);
    else if (kind != ObjectKind::none)
        text += " " + object_name(kind, instruction.object, isa);
    if (op == Op::update) text += fmt::format(" f{}", instruction.number);
    if (has_number(op)) text += fmt::format(" #{:#x}", instruction.number);
    return text;
}

}  // namespace

std::string to_text(const Graph& graph, const Instruction& instruction, const Isa& isa) {
    std::string text;
    if (instruction.result != no_value)
        text = fmt::format("%{}: {} = ", instruction.result, to_text(graph.type(instruction.result)));
    text += head_text(graph, instruction, isa);
    const char* between = " ";
    for (const Value value : instruction.inputs()) text += between + value_text(graph, value), between = ", ";
    if (instruction.mask != no_value) text += " if " + value_text(graph, instruction.mask);
    if (instruction.first != 0) text += fmt::format(" first {}", instruction.first);
    if (instruction.delay != 0) text += fmt::format(" after {}", instruction.delay);
    return text;
}

namespace {

// `first` is what the entry is called.
std::string blocks_text(const Graph& graph, const Isa& isa, const std::string& first) {
    std::string text;
    for (BlockId id = 0; id < graph.blocks.size(); ++id) {
        const Block& block = graph.blocks[id];
        std::string arguments;
        for (const Value value : block.arguments)
            arguments += fmt::format("{}%{}: {}", arguments.empty() ? "" : ", ", value, to_text(graph.type(value)));
        text += fmt::format("{}({}):\n", id == 0 ? first : fmt::format("b{}", id), arguments);
        for (const Instruction& instruction : block.body) text += "  " + to_text(graph, instruction, isa) + "\n";
        text += "  " + to_text(graph, block.end, isa);
        for (const Edge& edge : block.edges)
            text += fmt::format(" b{}{}", edge.block, arguments_text(graph, edge.values));
        text += "\n";
    }
    return text;
}

}  // namespace

std::string to_text(const Graph& graph, const Isa& isa) {
    std::string text = blocks_text(graph, isa, "b0");
    for (std::size_t i = 0; i < graph.functions.size(); ++i)
        text += blocks_text(*graph.functions[i], isa, fmt::format("f{}", i));
    return text;
}

}  // namespace isaforge::ir
