// What a field may hold: numbers, enumerations and operand tables, resolved when first needed and remembered by name and
// arguments.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "language/limits.hpp"
#include "language/resolver.hpp"

namespace isaforge::language {

namespace {

// u32, s18, i16, f32, b32: the letter and the width; 0 where it is something else.
unsigned base_width(std::string_view name) {
    if (name.size() < 2 || name.size() > 3 || std::string_view("usifb").find(name[0]) == std::string_view::npos)
        return 0;
    unsigned width = 0;
    for (const char c : name.substr(1)) {
        if (!std::isdigit(static_cast<unsigned char>(c))) return 0;
        width = width * 10 + static_cast<unsigned>(c - '0');
    }
    return width <= 64 ? width : 0;
}

NumberBase base_kind(char letter) {
    switch (letter) {
        case 's': return NumberBase::signed_integer;
        case 'i': return NumberBase::either_integer;
        case 'f': return NumberBase::floating;
        case 'b': return NumberBase::any_bits;
        default: return NumberBase::unsigned_integer;
    }
}

bool is_float_width(unsigned width) { return width == 16 || width == 32 || width == 64; }

OperandType raw_number(std::string_view name) {
    OperandType type;
    type.name = std::string(name);
    type.kind = OperandKind::number;
    type.width = base_width(name);
    type.number.base = base_kind(name[0]);
    type.number.value_bits = type.width;
    if (name[0] == 'f') type.number.format = NumberFormat::floating;
    return type;
}

}  // namespace

Index Resolver::add_type(const std::string& key, OperandType type) {
    const auto [it, inserted] = types_.emplace(key, static_cast<Index>(isa_.operand_types.size()));
    if (!inserted) return it->second;  // declared twice: reject_duplicates has said so
    isa_.operand_types.push_back(std::move(type));
    return it->second;
}

Index Resolver::builtin_type(std::string_view name) {
    const unsigned width = base_width(name);
    if (width == 0 || ((name[0] == 'f' || name[0] == 'b') && !is_float_width(width))) return no_index;
    const auto known = types_.find(std::string(name));
    if (known != types_.end()) return known->second;
    return add_type(std::string(name), raw_number(name));
}

// uN
Index Resolver::raw_bits(unsigned width) {
    Index& known = raw_bits_[width - 1];
    if (known == no_index) known = builtin_type(fmt::format("u{}", width));
    return known;
}

Index Resolver::type_of(const TypeRef& ref, const Bindings& bindings) {
    if (ref.number) {
        const auto width = evaluate_width(ref.number, bindings);
        return width ? raw_bits(*width) : no_index;
    }
    if (const Binding* const bound = bindings.find(ref.name)) {
        if (bound->type != no_index) return bound->type;
        const auto width = bound->number.value_or(0);
        if (width >= 1 && width <= 64) return raw_bits(static_cast<unsigned>(width));
        diagnostics_.error(ref.place, fmt::format("a width is 1 to 64 bits, and {} is {} here", ref.name, width));
        return no_index;
    }
    return named_type(ref, bindings);
}

// Without arguments a name is the same type everywhere.
Index Resolver::named_type(const TypeRef& ref, const Bindings& bindings) {
    if (!ref.arguments.empty()) return find_type(ref, bindings);
    const auto known = plain_types_.find(ref.name);
    if (known != plain_types_.end()) return known->second;
    const Index type = find_type(ref, bindings);
    if (type != no_index) plain_types_.emplace(ref.name, type);
    return type;
}

Index Resolver::find_type(const TypeRef& ref, const Bindings& bindings) {
    const auto operand = operands_.find(ref.name);
    if (operand != operands_.end()) return resolve_operand(*operand->second, ref, bindings);
    const auto known = types_.find(ref.name);
    if (known != types_.end()) return known->second;
    for (const NumberDeclaration& number : description_.numbers) {
        if (number.name.text == ref.name) return resolve_number(number);
    }
    for (const EnumDeclaration& declaration : description_.enums) {
        if (declaration.name.text == ref.name && here(declaration.only)) return resolve_enum(declaration);
    }
    if (find_alias(ref.name) != nullptr) {
        semantics::TypeName type{.name = ref.name, .place = ref.place};
        bool is_signed = false;
        const auto width = evaluate_type(type, bindings, &is_signed);
        return width ? builtin_type(fmt::format("{}{}", is_signed ? 's' : 'u', *width)) : no_index;
    }
    const Index builtin = builtin_type(ref.name);
    return builtin != no_index ? builtin : unknown_type(ref);
}

// Whether a declaration that a field may refer to has this name.
bool Resolver::is_type(const std::string& name) const {
    const auto named = [&](const auto& list) {
        return std::any_of(list.begin(), list.end(), [&](const auto& one) { return one.name.text == name; });
    };
    return types_.contains(name) || base_width(name) != 0 || named(description_.operands) ||
           named(description_.numbers) || named(description_.enums) || find_alias(name) != nullptr ||
           broken_.contains(name);
}

Index Resolver::unknown_type(const TypeRef& ref) {
    if (ref.name.empty() || broken_.contains(ref.name)) return no_index;
    const bool is_shown = !diagnostics_.full();
    Diagnostic& error = diagnostics_.error(
        ref.place, fmt::format("there is no operand, number, enumeration or register file '{}'", ref.name));
    if (!is_shown) return no_index;
    std::vector<std::string_view> known;
    for (const auto& operand : description_.operands) known.push_back(operand.name.text);
    for (const auto& number : description_.numbers) known.push_back(number.name.text);
    for (const auto& declaration : description_.enums) known.push_back(declaration.name.text);
    for (const auto& file : description_.registers) known.push_back(file.name.text);
    const std::string_view meant = nearest(ref.name, known);
    if (!meant.empty()) error.suggest(std::string(meant));
    return no_index;
}

// `or u16`: what a number is that is no label.
void Resolver::plain_number(const NumberDeclaration& number, OperandType& type) {
    const unsigned width = base_width(number.plain.text);
    if (!number.relative) {
        diagnostics_.error(number.plain.place, "`or` is for numbers that count from pc");
    } else if (width != type.width || std::string_view("usi").find(number.plain.text[0]) == std::string_view::npos) {
        diagnostics_.error(number.plain.place,
                           fmt::format("a number without a label has the same bits: u{0}, s{0} or i{0}", type.width));
    } else {
        type.number.plain = raw_number(number.plain.text).number.base;
    }
}

// `linked thread slot`: what a linker takes for the symbol.
void Resolver::link_number(const NumberDeclaration& number, NumberRule& rule) {
    using Linked = NumberRule::Linked;
    std::string words;
    for (const Name& word : number.linked) words += (words.empty() ? "" : " ") + word.text;
    static const std::map<std::string, Linked> known = {{"", Linked::address},
                                                        {"slot", Linked::slot},
                                                        {"thread", Linked::thread},
                                                        {"thread slot", Linked::thread_slot},
                                                        {"label", Linked::label}};
    const auto found = known.find(words);
    if (found == known.end()) {
        diagnostics_.error(number.linked[0].place,
                           "a number is linked as `slot`, `thread`, `thread slot` or `label`, or not otherwise");
    } else if (found->second != Linked::address && number.relocation == 0) {
        diagnostics_.error(number.linked[0].place, "what a linker computes needs a `relocation`");
    } else {
        rule.linked = found->second;
    }
}

Index Resolver::resolve_number(const NumberDeclaration& number) {
    const auto known = types_.find(number.name.text);
    if (known != types_.end()) return known->second;
    if (broken_.contains(number.name.text)) return no_index;
    const std::size_t before = diagnostics_.errors();
    const unsigned width = base_width(number.base.text);
    const bool is_float = width != 0 && (number.base.text[0] == 'f' || number.base.text[0] == 'b');
    if (width == 0 || (is_float && !is_float_width(width))) {
        if (!number.base.text.empty() || number.base.place.known()) {
            diagnostics_.error(number.base.place,
                               "a number's bits are uN, sN or iN (N up to 64), or f or b with 16, 32 or 64");
        } else {
            diagnostics_.error(number.place, "this number has no bits: name them as uN, sN, iN or fN");
        }
        broken_.insert(number.name.text);
        return no_index;
    }
    OperandType type = raw_number(number.base.text);
    type.name = number.name.text;
    type.where = number.name.place;
    NumberRule& rule = type.number;
    rule.scale = number.scale;
    rule.bias = number.bias;
    rule.relative = number.relative;
    rule.carries = number.carries;
    rule.relocation = number.relocation;
    rule.relocation_name = number.relocation_name;
    rule.other_relocations = number.other_relocations;
    rule.based = number.based;
    if (number.based && number.relocation == 0)
        diagnostics_.error(number.place, "a number to which something is added has a relocation that says so");
    link_number(number, rule);
    if (number.format == "hex") rule.format = NumberFormat::hexadecimal;
    if (number.scale == 0) diagnostics_.error(number.place, "the factor of a number cannot be 0");
    if (number.slice) {
        if (width != 8 && width != 16 && width != 32 && width != 64) {
            diagnostics_.error(number.base.place, "a part is taken of a value of 8, 16, 32 or 64 bits");
        } else if (number.slice->high < number.slice->low || number.slice->high >= width) {
            diagnostics_.error(number.slice->place, fmt::format("bits {}:{} are not in a value of {} bits",
                                                                number.slice->high, number.slice->low, width));
        } else {
            rule.sliced = true;
            rule.slice_low = number.slice->low;
            type.width = number.slice->high - number.slice->low + 1;
        }
    }
    if (!number.plain.text.empty()) plain_number(number, type);
    if (number.range) {
        const auto [low, high] = *number.range;
        const bool is_signed = rule.base == NumberBase::signed_integer;
        const std::int64_t least = is_signed ? -(std::int64_t{1} << (width - 1)) : 0;
        const std::int64_t most = is_signed ? -(least + 1) : width >= 63 ? INT64_MAX : (std::int64_t{1} << width) - 1;
        if (low > high) {
            diagnostics_.error(number.range_place, fmt::format("the range {}..{} is empty", low, high));
        } else if (number.scale == 1 && number.bias == 0 && !number.slice && (low < least || high > most)) {
            diagnostics_.error(number.range_place, fmt::format("{}..{} does not fit in {}, which holds {}..{}", low,
                                                               high, number.base.text, least, most));
        }
        rule.minimum = low;
        rule.maximum = high;
    }
    if (number.slice && diagnostics_.errors() != before) {
        broken_.insert(number.name.text);
        return no_index;
    }
    return add_type(number.name.text, std::move(type));
}

Index Resolver::resolve_enum(const EnumDeclaration& declaration) {
    const auto known = types_.find(declaration.name.text);
    if (known != types_.end()) return known->second;
    if (broken_.contains(declaration.name.text)) return no_index;
    OperandType type;
    type.name = declaration.name.text;
    type.kind = OperandKind::enumeration;
    type.width = declaration.width;
    type.where = declaration.name.place;
    type.value_bits = declaration.width;
    if (declaration.type) type.value_bits = evaluate_type(*declaration.type).value_or(32);
    if (declaration.width < 1 || declaration.width > 64) {
        diagnostics_.error(declaration.width_place, "an enumeration has 1 to 64 bits");
        broken_.insert(type.name);
        return no_index;
    }
    type.entries = resolve_entries(declaration.entries, declaration.width, declaration.width_place);
    if (type.entries.empty())
        diagnostics_.error(type.where, fmt::format("the enumeration '{}' has no entries", type.name));
    const bool has_values = declaration.type.has_value();
    for (Entry& entry : type.entries) {
        if (!has_values) entry.value = entry.code;
        if (type.value_bits < 64 && entry.value >> type.value_bits != 0) {
            diagnostics_.error(entry.where,
                               fmt::format("the value {:#x} does not fit in {} bits", entry.value, type.value_bits));
        }
    }
    return add_type(declaration.name.text, std::move(type));
}

bool Resolver::bind_arguments(const std::vector<Name>& parameters, const std::vector<TypeRef>& arguments,
                              const Bindings& outer, Place place, std::string_view what, const Name& declared,
                              Bindings& out) {
    if (parameters.size() != arguments.size()) {
        diagnostics_
            .error(place, fmt::format("{} '{}' takes {} argument{}, not {}", what, declared.text, parameters.size(),
                                      parameters.size() == 1 ? "" : "s", arguments.size()))
            .note(declared.place, "declared here");
        return false;
    }
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        const TypeRef& argument = arguments[i];
        Binding binding;
        const Binding* const bound = outer.find(argument.name);
        if (argument.number) {
            binding.number = evaluate(argument.number, outer);
        } else if (bound) {
            binding = *bound;
        } else if (isa_.constants.contains(argument.name)) {
            binding.number = isa_.constants.at(argument.name);
        } else {
            binding.type = named_type(argument, outer);
        }
        if (!binding.number && binding.type == no_index) return false;
        out.set(parameters[i].text, binding);
    }
    return true;
}

Index Resolver::resolve_operand(const OperandDeclaration& operand, const TypeRef& ref, const Bindings& outer) {
    Bindings bindings;
    if (!bind_arguments(operand.parameters, ref.arguments, outer, ref.place, "operand", operand.name, bindings))
        return no_index;
    std::string key = operand.name.text;
    for (const Name& parameter : operand.parameters) {
        const Binding* const binding = bindings.find(parameter.text);
        key += binding->number ? "," : ",t";
        key += std::to_string(binding->number ? *binding->number : binding->type);
    }
    const auto known = types_.find(key);
    if (known != types_.end()) return known->second;
    if (broken_.contains(operand.name.text)) return no_index;
    if (in_progress_.contains(operand.name.text)) {
        diagnostics_.error(ref.place, fmt::format("operand '{}' contains itself", operand.name.text))
            .note(operand.name.place, "declared here");
        return no_index;
    }
    if (in_progress_.size() >= deepest_operand || isa_.operand_types.size() >= most_operand_types) {
        if (in_progress_.size() >= deepest_operand)
            diagnostics_.error(ref.place,
                               fmt::format("operands contain one another more than {} deep", deepest_operand));
        else
            diagnostics_.error(ref.place, fmt::format("more than {} operands, each counted with all of its arguments",
                                                      most_operand_types));
        broken_.insert(operand.name.text);
        return no_index;
    }
    in_progress_.insert(operand.name.text);
    OperandType type;
    type.name = operand.name.text;
    type.kind = OperandKind::table;
    type.where = operand.name.place;
    type.width = 0;
    const std::size_t before = diagnostics_.errors();
    if (operand.width.number) type.width = evaluate_width(operand.width.number, bindings).value_or(0);
    if (!operand.width.number) {
        const Binding* const bound = bindings.find(operand.width.name);
        const auto constant = isa_.constants.find(operand.width.name);
        if (bound && bound->number) {
            type.width = static_cast<unsigned>(*bound->number);
        } else if (constant != isa_.constants.end()) {
            type.width = static_cast<unsigned>(constant->second);
        }
        if (type.width < 1 || type.width > 64)
            diagnostics_.error(operand.width.place, "expected the operand's width, 1 to 64 bits");
    }
    if (diagnostics_.errors() != before) {
        in_progress_.erase(operand.name.text);
        broken_.insert(operand.name.text);
        return no_index;
    }
    for (const auto& [name, binding] : bindings.entries())
        if (binding.number) type.parameters.emplace_back(name, *binding.number);
    for (const OperandRowSyntax& row : operand.rows)
        for (const WhereSyntax& fact : row.facts)
            if (std::ranges::find(type.facts, fact.name.text) == type.facts.end()) type.facts.push_back(fact.name.text);
    if (type.width >= 1 && type.width <= 64) {
        for (const OperandRowSyntax& row : operand.rows) {
            if (!here(row.only)) continue;
            if (row.condition && evaluate(row.condition, bindings).value_or(0) == 0) continue;
            resolve_operand_row(operand, row, bindings, type);
        }
    }
    if (type.rows.empty() && diagnostics_.errors() == before)
        diagnostics_.error(type.where, fmt::format("operand '{}' has no rows", type.name));
    in_progress_.erase(operand.name.text);
    return add_type(key, std::move(type));
}

void Resolver::resolve_operand_row(const OperandDeclaration& operand, const OperandRowSyntax& syntax,
                                   const Bindings& bindings, OperandType& type) {
    const auto elsewhere = [&](const Text& text) { return !text.dialect.empty() && text.dialect != isa_.dialect; };
    if (options_.only_dialect && syntax.alias && std::ranges::all_of(syntax.texts, elsewhere)) return;
    const std::size_t before = diagnostics_.errors();
    const auto layout = lay_out(syntax.cells, BarOrder{type.width}, bindings, std::nullopt);
    if (!layout) return;
    if (layout->bits != type.width) {
        const auto sum = sum_of(syntax.cells, bindings);
        diagnostics_
            .error(syntax.place, fmt::format("this row has {} bits ({}), but operand '{}' has {}", layout->bits, sum,
                                             type.name, type.width))
            .note(operand.width.place, "the operand's width is given here");
        return;
    }
    OperandRow row;
    row.where = syntax.place;
    row.mask = layout->mask.words[0];
    row.value = layout->value.words[0];
    row.written = layout->written.words[0];
    row.fields = layout->fields;
    row.constraints = layout->constraints;
    row.tail_bits = layout->tail_bits;
    row.reserved = syntax.reserved;
    row.alias = syntax.alias;
    row.meaning = syntax.meaning;
    for (const WhereSyntax& fact : syntax.facts) row.facts.push_back({fact.name.text, fact.value, fact.name.place, {}});
    for (const auto* names : {&operand.takes, &syntax.takes}) {
        for (const Name& name : *names) {
            const Index limit = find_limit(name);
            if (limit != no_index) row.takes |= 1u << limit;
        }
    }
    if (!syntax.reserved) {
        row.texts = resolve_texts(syntax.texts, row.fields, bindings, false);
        for (std::size_t i = 0; i < row.fields.size() && diagnostics_.errors() == before; ++i) {
            for (const TextTemplate& text : row.texts) {
                const bool used = std::any_of(text.begin(), text.end(), [&](const TextElement& e) {
                    return e.field == i || std::find(e.fields.begin(), e.fields.end(), i) != e.fields.end();
                });
                if (used) continue;
                diagnostics_
                    .error(row.fields[i].where,
                           fmt::format("'{}' is not in the text: its bits could not be written", row.fields[i].name))
                    .note(syntax.texts[0].place, "the text is here");
                break;
            }
        }
    }
    type.rows.push_back(std::move(row));
}

}  // namespace isaforge::language
