// What meanings stand on beside registers and memory: names for expressions, modes, events, devices and the rounding of floats.
#include <fmt/format.h>

#include <algorithm>

#include "language/resolver.hpp"

namespace isaforge::language {

namespace {

constexpr unsigned widest_mode = 16;

constexpr std::pair<std::string_view, Rounding> rounding_words[] = {{"up", Rounding::up},
                                                                    {"down", Rounding::down},
                                                                    {"zero", Rounding::zero},
                                                                    {"nearest", Rounding::nearest},
                                                                    {"nearest_away", Rounding::nearest_away}};

constexpr std::pair<std::string_view, Subnormals> subnormal_words[] = {{"keep", Subnormals::keep},
                                                                       {"flush", Subnormals::flush},
                                                                       {"keep_inputs", Subnormals::keep_inputs},
                                                                       {"keep_results", Subnormals::keep_results}};

constexpr std::string_view float_names[] = {"f16", "f32", "f64"};

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
    for (const WhereSyntax& each : syntax) {
        out.push_back({each.name.text, each.value, each.name.place, each.parameter.text});
        isa_.has_cycles |= each.name.text == cycle_count;
    }
    return names_in_meaning_.emplace(&syntax, SharedList<Naming>(std::move(out))).first->second;
}

// What a word of a line of `floats` begins: widths that it is about, rules, and modes with what their values mean.
void Resolver::resolve_floats(const std::vector<Name>& words) {
    std::vector<FloatFormat*> formats;
    std::size_t i = 0;
    for (; i < words.size(); ++i) {
        const auto found = std::find(std::begin(float_names), std::end(float_names), words[i].text);
        if (found == std::end(float_names)) break;
        formats.push_back(&isa_.float_formats[static_cast<std::size_t>(found - std::begin(float_names))]);
    }
    const bool of_all = formats.empty();
    if (of_all)
        for (FloatFormat& format : isa_.float_formats) formats.push_back(&format);
    while (i < words.size()) {
        const Name& word = words[i++];
        if (word.text == "rounding") {
            for (FloatFormat* format : formats) format->roundings.clear();
            i = resolve_float_mode<Rounding>(words, i, rounding_words, [&](Index mode, Rounding meaning) {
                for (FloatFormat* format : formats) format->rounding_mode = mode, format->roundings.push_back(meaning);
            });
        } else if (word.text == "subnormals") {
            for (FloatFormat* format : formats) format->subnormals.clear();
            i = resolve_float_mode<Subnormals>(words, i, subnormal_words, [&](Index mode, Subnormals meaning) {
                for (FloatFormat* format : formats)
                    format->subnormals_mode = mode, format->subnormals.push_back(meaning);
            });
        } else if (of_all && word.text == "flush_subnormals") {
            isa_.floats.flush_subnormals = true;
        } else if (of_all && word.text == "canonical_nan") {
            isa_.floats.canonical_nan = true;
        } else if (!of_all || word.text != "nearest_even") {
            unknown_word(word, {"flush_subnormals", "canonical_nan", "nearest_even", "rounding", "subnormals"});
        }
    }
}

// MODE up down zero nearest: a mode, and what its values mean, from 0. Gives the place behind them.
template <class Meaning, std::size_t n, class Found>
std::size_t Resolver::resolve_float_mode(const std::vector<Name>& words, std::size_t at,
                                         const std::pair<std::string_view, Meaning> (&meanings)[n],
                                         const Found& found) {
    if (at >= words.size()) {
        diagnostics_.error(words.back().place,
                           fmt::format("`{}` is followed by a mode and what its values mean", words.back().text));
        return at;
    }
    const Name& name = words[at++];
    Index mode = no_index;
    for (Index i = 0; i < description_.modes.size(); ++i)
        if (description_.modes[i].name.text == name.text) mode = i;
    if (mode == no_index) {
        diagnostics_.error(name.place, fmt::format("there is no mode '{}'", name.text));
        return words.size();
    }
    std::vector<std::string_view> known;
    for (const auto& [word, meaning] : meanings) known.push_back(word);
    const std::size_t first = at;
    for (; at < words.size() && words[at].text != "rounding" && words[at].text != "subnormals"; ++at) {
        const auto meant = std::find(known.begin(), known.end(), words[at].text);
        if (meant == known.end()) return unknown_word(words[at], known), words.size();
        found(mode, meanings[meant - known.begin()].second);
    }
    if (at == first) {
        std::string all;
        for (std::size_t i = 0; i < n; ++i)
            all += fmt::format("{}{}", i == 0 ? "" : i + 1 == n ? " or " : ", ", known[i]);
        diagnostics_.error(name.place, fmt::format("what do its values mean: {}?", all));
    }
    return at;
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
