// What meanings stand on beside registers and memory: names for expressions, modes, events, devices and the rounding of floats.
#include <fmt/format.h>

#include <algorithm>

#include "language/resolver.hpp"

namespace isaforge::language {

namespace {

constexpr unsigned widest_mode = 16;

constexpr std::pair<std::string_view, Rounding> rounding_words[] = {
    {"up", Rounding::up}, {"down", Rounding::down}, {"zero", Rounding::zero}, {"nearest", Rounding::nearest}};

constexpr std::string_view device_kinds[] = {"console", "timer", "doorbell"};

}  // namespace

void Resolver::resolve_execution() {
    isa_.names_in_meanings = names_of(description_.where).list();
    std::map<std::string_view, Place> seen;
    for (const WhereSyntax& where : description_.where) {
        const auto [first, added] = seen.emplace(where.name.text, where.name.place);
        if (added) continue;
        diagnostics_.error(where.name.place, fmt::format("`{}` is given a meaning twice", where.name.text))
            .note(first->second, "first here");
    }
    resolve_modes();
    resolve_events();
    resolve_devices();
}

SharedList<Naming> Resolver::names_of(const std::vector<WhereSyntax>& syntax) {
    if (syntax.empty()) return {};
    const auto known = names_in_meaning_.find(&syntax);
    if (known != names_in_meaning_.end()) return known->second;
    std::vector<Naming> out;
    out.reserve(syntax.size());
    for (const WhereSyntax& each : syntax) out.push_back({each.name.text, each.value, each.name.place});
    return names_in_meaning_.emplace(&syntax, SharedList<Naming>(std::move(out))).first->second;
}

// floats rounding MODE up down zero nearest: what the mode's values mean, from 0.
void Resolver::resolve_rounding(std::size_t word) {
    const std::vector<Name>& words = description_.floats;
    if (word >= words.size()) {
        diagnostics_.error(words.back().place, "`rounding` is followed by a mode and what its values mean");
        return;
    }
    for (Index i = 0; i < description_.modes.size(); ++i) {
        if (description_.modes[i].name.text == words[word].text) isa_.rounding_mode = i;
    }
    if (isa_.rounding_mode == no_index) {
        diagnostics_.error(words[word].place, fmt::format("there is no mode '{}'", words[word].text));
        return;
    }
    for (std::size_t i = word + 1; i < words.size(); ++i) {
        const auto found = std::find_if(std::begin(rounding_words), std::end(rounding_words),
                                        [&](const auto& known) { return known.first == words[i].text; });
        if (found == std::end(rounding_words)) return unknown_word(words[i], {"up", "down", "zero", "nearest"});
        isa_.roundings.push_back(found->second);
    }
    if (isa_.roundings.empty())
        diagnostics_.error(words[word].place, "what do its values mean: up, down, zero or nearest?");
}

// The registers that a mode's value is made of, also those behind names.
void Resolver::collect_reads(const ExpressionPointer& expression, Mode& mode, ReadsSeen& seen) {
    if (!expression) return;
    using semantics::ExpressionKind;
    if (expression->kind == ExpressionKind::name || expression->kind == ExpressionKind::element) {
        const Naming* const naming = find_naming(expression->name);
        if (naming && seen.names.insert(naming).second) seen.waiting.push_back(naming->value);
        for (Index file = 0; file < isa_.register_files.size(); ++file) {
            if (isa_.register_files[file].name != expression->name) continue;
            std::uint64_t number = 0;
            if (isa_.register_files[file].index_bits != 0)
                number = expression->operands.empty()
                             ? Mode::any_number
                             : evaluate(expression->operands[0], {}, false).value_or(Mode::any_number);
            mode.reads.push_back({file, number});
        }
    }
    for (const ExpressionPointer& operand : expression->operands) collect_reads(operand, mode, seen);
}

const Naming* Resolver::find_naming(const std::string& name) const {
    const auto found = std::find_if(isa_.names_in_meanings.begin(), isa_.names_in_meanings.end(),
                                    [&](const Naming& naming) { return naming.name == name; });
    return found == isa_.names_in_meanings.end() ? nullptr : &*found;
}

void Resolver::resolve_modes() {
    unsigned total = 0;
    for (const ModeDeclaration& declaration : description_.modes) {
        Mode mode;
        mode.name = declaration.name.text;
        mode.where = declaration.name.place;
        mode.value = declaration.value;
        mode.bits = evaluate_type(declaration.type).value_or(1);
        if (mode.bits > widest_mode)
            diagnostics_.error(declaration.type.place,
                               fmt::format("a mode has at most {} bits, not {}", widest_mode, mode.bits));
        total += mode.bits;
        if (isa_.modes.size() == max_modes || total > max_mode_bits) {
            diagnostics_.error(
                mode.where, fmt::format("there are at most {} modes, and {} bits of them", max_modes, max_mode_bits));
            return;
        }
        for (const Mode& other : isa_.modes) {
            if (other.name == mode.name)
                diagnostics_.error(mode.where, fmt::format("mode '{}' is declared twice", mode.name))
                    .note(other.where, "first here");
        }
        ReadsSeen seen{{mode.value}, {}};
        while (!seen.waiting.empty()) {
            const ExpressionPointer next = seen.waiting.back();
            seen.waiting.pop_back();
            collect_reads(next, mode, seen);
        }
        isa_.modes.push_back(std::move(mode));
    }
}

void Resolver::resolve_events() {
    std::vector<std::string_view> known;
    for (const EventName& event : event_names) known.push_back(event.name);
    for (const EventDeclaration& declaration : description_.events) {
        const Name& name = declaration.name;
        const auto found = std::find(known.begin(), known.end(), name.text);
        if (found == known.end()) {
            unknown_word(name, known);
            continue;
        }
        const unsigned wanted = event_names[found - known.begin()].parameters;
        if (declaration.parameters.size() != wanted) {
            diagnostics_.error(name.place, fmt::format("event {} has {} parameter{}, not {}", name.text, wanted,
                                                       wanted == 1 ? "" : "s", declaration.parameters.size()));
            continue;
        }
        for (const EventHandler& other : isa_.events) {
            if (other.name == name.text)
                diagnostics_.error(name.place, fmt::format("event {} is handled twice", name.text))
                    .note(other.where, "first here");
        }
        if (declaration.condition && name.text != "interrupt")
            diagnostics_.error(declaration.condition->place, "only an interrupt can wait");
        isa_.events.push_back({name.text, declaration.parameters, declaration.condition, declaration.body, name.place});
    }
}

void Resolver::resolve_devices() {
    for (const DeviceDeclaration& declaration : description_.devices) {
        if (std::find(std::begin(device_kinds), std::end(device_kinds), declaration.kind.text) ==
            std::end(device_kinds)) {
            unknown_word(declaration.kind, {std::begin(device_kinds), std::end(device_kinds)});
            continue;
        }
        Index memory = no_index;
        for (Index i = 0; i < isa_.memories.size(); ++i) {
            const bool asked = declaration.memory.text.empty() || isa_.memories[i].name == declaration.memory.text;
            if (asked && isa_.memories[i].holds_code && memory == no_index) memory = i;
        }
        if (memory == no_index) {
            diagnostics_.error(declaration.kind.place, "a device stands in a memory that holds code");
            continue;
        }
        const auto address = evaluate(declaration.address, {});
        if (address) isa_.devices.push_back({declaration.kind.text, memory, *address, declaration.kind.place});
    }
}

}  // namespace isaforge::language
