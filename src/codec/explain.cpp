// Why a statement could not be read: what was expected at the furthest place that any of its forms reached, how the
// statement is written, and what may have been meant.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <span>

#include "codec/reader.hpp"
#include "isaforge/image.hpp"

namespace isaforge::codec {

namespace {

constexpr std::size_t most_listed = 8;

std::string join(const std::vector<std::string>& parts, std::string_view last) {
    std::string out;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        if (i > 0) out += i + 1 == parts.size() ? fmt::format(" {} ", last) : ", ";
        out += parts[i];
    }
    return out;
}

// "r0 to r7" is said with "a number, r0 to r7 or r[n]".
bool says(std::string_view all, std::string_view part) {
    for (std::size_t at = all.find(part); at != std::string_view::npos; at = all.find(part, at + 1)) {
        const std::string_view before = all.substr(0, at), behind = all.substr(at + part.size());
        const bool begins = before.empty() || before.ends_with(", ") || before.ends_with(" or ");
        if (begins && (behind.empty() || behind[0] == ' ' || behind[0] == ',')) return true;
    }
    return false;
}

void add_once(std::vector<std::string>& list, std::string item) {
    if (item.empty() || std::any_of(list.begin(), list.end(), [&](const auto& other) { return says(other, item); }))
        return;
    std::erase_if(list, [&](const auto& other) { return says(item, other); });
    list.push_back(std::move(item));
}

std::string numbers_in(std::int64_t first, std::int64_t last, std::int64_t step) {
    const std::int64_t low = std::min(first, last), high = std::max(first, last), by = step < 0 ? -step : step;
    if (low == high) return fmt::format("{}", low);
    return by == 1 ? fmt::format("{} to {}", low, high) : fmt::format("{}, {} … {}", low, low + by, high);
}

// What a sum with a field of so many bits can be: "0, 4 … 60".
std::string numbers_of(const TextElement& element, unsigned bits) {
    if (bits > 40) return "a number";
    return numbers_in(element.bias, element.bias + element.scale * static_cast<std::int64_t>(low_bits(bits)),
                      element.scale);
}

// What a field may be, as it stands in the text: by itself, where that is not a sum.
std::string numbers_of(const TextElement* sum, const Constraint& rule) {
    const std::int64_t scale = sum ? sum->scale : 1, bias = sum ? sum->bias : 0;
    return numbers_in(scale * static_cast<std::int64_t>(rule.low) + bias,
                      scale * static_cast<std::int64_t>(rule.high) + bias,
                      scale * static_cast<std::int64_t>(rule.step));
}

// "a number in 0 to 7 or 12", "7 or 15".
std::string one_of(const std::vector<std::string>& numbers) {
    const auto is_single = [](const std::string& one) {
        return one.find_first_not_of("0123456789", one[0] == '-' ? 1 : 0) == std::string::npos;
    };
    return (std::ranges::all_of(numbers, is_single) ? "" : "a number in ") + join(numbers, "or");
}

}  // namespace

// The field as it stands in a text: in brackets where it may be left out, and apart where its texts are.
std::string Reader::hole(const Field& field) const {
    if (field.type >= tables_.operands.size()) return field.name;
    const auto begins_with_blank = [](const TextTemplate& text) {
        return !text.empty() && (text[0].kind == TextKind::space ||
                                 (text[0].kind == TextKind::literal && text[0].text.starts_with(' ')));
    };
    const std::vector<OperandRow>& rows = isa_.operand_types[field.type].rows;
    const bool apart = std::any_of(rows.begin(), rows.end(), [&](const OperandRow& row) {
        return std::any_of(row.texts.begin(), row.texts.end(), begins_with_blank);
    });
    const std::string_view blank = apart ? " " : "";
    return tables_.operands[field.type].nullable ? fmt::format("{}[{}]", blank, field.name)
                                                 : fmt::format("{}{}", blank, field.name);
}

namespace {

// A sum with a field: "n", "4*n+3", "64-n".
std::string sum_of(const TextElement& sum, const std::string& name) {
    if (sum.scale == -1) return fmt::format("{}-{}", sum.bias == 0 ? std::string() : fmt::format("{}", sum.bias), name);
    std::string out = sum.scale == 1 ? name : fmt::format("{}*{}", sum.scale, name);
    if (sum.bias != 0) out += fmt::format("{:+}", sum.bias);
    return out;
}

}  // namespace

// The characters of a template as a person would write them, holes by name.
std::string Reader::template_text(const TextTemplate& text, const std::vector<Field>& fields,
                                  std::string_view name) const {
    std::string out;
    for (const TextElement& element : text) {
        switch (element.kind) {
            case TextKind::constant:
            case TextKind::literal:
            case TextKind::space: out += element.text; break;
            case TextKind::name: out += name; break;
            case TextKind::field: out += hole(fields[element.field]); break;
            case TextKind::number: out += sum_of(element, fields[element.field].name); break;
            case TextKind::any:
                for (const Index field : element.fields) out += fmt::format(" [{}]", fields[field].name);
        }
    }
    return out;
}

namespace {

std::string_view stem_of(std::string_view name) { return name.substr(0, name.find_last_not_of("0123456789") + 1); }

// "r0 to r31", by the first of their names that count up; empty where none do.
std::string run_of(std::span<const Entry> entries) {
    const Entry &first = entries.front(), &last = entries.back();
    for (std::size_t i = 0; i < std::min(first.texts.size(), last.texts.size()); ++i) {
        const std::string_view from = first.texts[i], to = last.texts[i], stem = stem_of(from);
        std::size_t low = 0, high = 0;
        std::from_chars(from.data() + stem.size(), from.data() + from.size(), low);
        std::from_chars(to.data() + stem.size(), to.data() + to.size(), high);
        const bool are_counted = stem == stem_of(to) && stem.size() < std::min(from.size(), to.size());
        if (are_counted && high > low && high - low + 1 == entries.size()) return fmt::format("{} to {}", from, to);
    }
    return {};
}

}  // namespace

// "r0 to r31", "-inf, -1.f or …", "a number".
std::string Reader::describe(Index index, unsigned depth) const {
    const OperandType& type = isa_.operand_types[index];
    switch (type.kind) {
        case OperandKind::number:
            if (!type.number.relative) return "a number";
            return type.number.plain ? "a label or a number" : "a label or an address";
        case OperandKind::registers:
        case OperandKind::enumeration: {
            if (type.entries.empty()) return {};
            if (std::string run = run_of(type.entries); !run.empty()) return run;
            std::vector<std::string> names;
            for (const Entry& entry : type.entries) {
                if (names.size() == most_listed)
                    return fmt::format("{}, … or {}", fmt::join(names, ", "), type.entries.back().texts[0]);
                names.push_back(entry.texts[0]);
            }
            return join(names, "or");
        }
        case OperandKind::table: break;
    }
    std::vector<std::string> parts;
    for (const OperandRow& row : type.rows) {
        if (row.texts.empty() || row.texts[0].empty() || parts.size() == most_listed) continue;
        const TextTemplate& text = row.texts[0];
        const bool single = text.size() == 1 && text[0].kind == TextKind::field && depth < 3;
        add_once(parts, single ? describe(row.fields[text[0].field].type, depth + 1)
                               : std::string(template_text(text, row.fields, {})));
    }
    return join(parts, "or");
}

// Whether all texts of an operand with few codes are texts of the other one as well.
bool Reader::includes(Index type, Index other) const {
    constexpr std::size_t most_codes = 256;
    const std::vector<std::uint8_t>& valid = tables_.operands[other].valid;
    if (is_number(type) || is_number(other) || valid.empty() || valid.size() > most_codes) return false;
    const Image nothing;
    char buffer[Codec::max_text];
    const PrintContext context{isa_, tables_, nothing, 0, 0, nullptr, buffer + sizeof buffer};
    for (std::size_t code = 0; code < valid.size(); ++code) {
        if (valid[code] == 0) continue;
        const char* const end = print_operand(buffer, context, other, code);
        PatternReader nested(isa_, tables_, end);
        PatternMatch match;
        const char* const found = tables_.operands[type].patterns.match(buffer, end, nested, {}, match);
        if (found != end || found == buffer || !nested.comes_back(type, match)) return false;
    }
    return true;
}

// Whether something else that was expected says all that this did: "s0 to s7" next to "s0 to s31".
bool Reader::is_in_another(unsigned failure) const {
    const Index own = failure_[failure].type;
    for (unsigned i = 0; i < failures_; ++i) {
        const Index other = failure_[i].element ? no_index : failure_[i].type;
        if (other == no_index || other == own || !includes(other, own)) continue;
        if (i < failure || !includes(own, other)) return true;
    }
    return false;
}

std::string Reader::syntax_of(const Candidate& candidate) const {
    const Form& form = isa_.forms[candidate.form];
    const Instruction& instruction = isa_.instructions[form.instruction];
    // The word that was found may have a part of the text behind the name: `_e64`.
    const std::string_view word = found_ ? std::string_view(found_->text) : std::string_view();
    std::string_view name = instruction.names[0];
    for (const auto* names : {&instruction.names, &instruction.relax_names}) {
        for (const std::string& other : *names) {
            const bool begins = word.size() >= other.size() &&
                                std::equal(other.begin(), other.end(), word.begin(), [&](char a, char b) {
                                    return tables_.fold[static_cast<unsigned char>(a)] == b;
                                });
            if (begins && (other.size() > name.size() || !word.starts_with(name))) name = other;
        }
    }
    const std::string out = template_text(form.texts[0], form.fields, name);
    const std::size_t at = found_ == tables_.nameless ? 0 : out.find(name);
    return out.substr(at == std::string::npos ? 0 : at);  // what stands before the mnemonic is seldom the question
}

void Reader::suggest_name(std::string_view found, ReadFailure& failure) const {
    std::vector<std::string_view> known;
    for (const Mnemonic& mnemonic : tables_.mnemonics)
        if (&mnemonic != tables_.nameless) known.push_back(mnemonic.text);
    failure.suggestion = std::string(nearest(found, known));
}

// The statement is written as it should be, but there is no such instruction.
void Reader::explain_violation(const char* begin, ReadFailure& failure) {
    failure.kind = ReadFailure::Kind::violation;
    failure.offset = static_cast<std::uint32_t>(violation_.begin - begin);
    failure.length = std::max<std::uint32_t>(static_cast<std::uint32_t>(violation_.end - violation_.begin), 1);
    switch (violation_.kind) {
        case Violation::Kind::limit: failure.message = isa_.limits[violation_.limit].reason; break;
        case Violation::Kind::other_tail: failure.message = other_tail_text; break;
        case Violation::Kind::parentheses: failure.message = parentheses_text; break;
        case Violation::Kind::range: {
            const char* p = violation_.begin;
            NumberValue number;
            takes_any_number_ = false;
            stop_ = violation_.stop;
            failure.kind = ReadFailure::Kind::out_of_range;
            if (violation_.range != nullptr)
                failure.message =
                    fmt::format("expected {}, found '{}'", one_of({numbers_of(nullptr, *violation_.range)}),
                                std::string_view(violation_.begin, failure.length));
            else if (number_value(p, number))
                failure.message = number_problem(number, violation_.limit);
            break;
        }
        default: failure.message = long_tail_text;
    }
}

// Why a number is none of the type; empty where it is one.
std::string Reader::number_problem(const NumberValue& number, Index index) const {
    const OperandType& type = isa_.operand_types[index];
    const NumberRule rule = type.number.plain ? plain_rule(type.number) : type.number;
    std::uint64_t code = 0;
    std::string problem;
    encode_number(rule, type.width, number, type.number.plain ? 0 : address_, code, &problem);
    return problem;
}

// A text that would be an operand but for its number: s[5:8] where every fourth register begins one.
bool Reader::explain_constraint(const char* begin, ReadFailure& failure) const {
    const char* operand = nullptr;
    std::vector<std::string> wanted;
    for (unsigned i = 0; i < failures_; ++i) {
        if (!failure_[i].constraint) continue;
        operand = failure_[i].begin;
        add_once(wanted, numbers_of(failure_[i].element, *failure_[i].constraint));
    }
    if (!operand) return false;
    const std::string_view text(operand, static_cast<std::size_t>(furthest_ - operand));
    failure.kind = ReadFailure::Kind::out_of_range;
    failure.offset = static_cast<std::uint32_t>(operand - begin);
    failure.length = std::max<std::uint32_t>(static_cast<std::uint32_t>(text.size()), 1);
    failure.message = fmt::format("expected {}, found '{}'", one_of(wanted), text);
    return true;
}

void Reader::explain(const char* begin, ReadFailure& failure) {
    failure = {};
    const auto at = [&](const char* p) { return static_cast<std::uint32_t>(p - begin); };
    const bool all_nameless = tables_.nameless && tables_.mnemonics.size() == 1;
    const bool nothing_fits = found_ == tables_.nameless && furthest_ <= word_begin_ && !all_nameless;
    if ((!found_ || nothing_fits) && word_begin_) {
        const std::string_view word(word_begin_, static_cast<std::size_t>(word_end_ - word_begin_));
        failure.kind = ReadFailure::Kind::unknown_mnemonic;
        failure.offset = at(word_begin_);
        failure.length = static_cast<std::uint32_t>(word.size());
        if (word.empty()) {
            failure.message = "expected an instruction";
            failure.length = 1;
            return;
        }
        failure.message = fmt::format("unknown instruction '{}'", word);
        suggest_name(word, failure);
        return;
    }
    if (violation_.kind != Violation::Kind::none) return explain_violation(begin, failure);
    if (explain_constraint(begin, failure)) return;
    failure.offset = at(furthest_);
    const char* p = furthest_;
    if (p != end_ && std::string_view("$@#%&").find(*p) != std::string_view::npos)
        ++p;  // what registers and labels may begin with
    while (p != end_ && tables_.letter[static_cast<unsigned char>(*p)] != 0) ++p;
    if (p == furthest_ && p != end_ && *p != '\n') ++p;
    failure.length = std::max<std::uint32_t>(static_cast<std::uint32_t>(p - furthest_), 1);
    std::vector<std::string> wanted;
    std::string problem;
    const Candidate* candidate = nullptr;
    unsigned outermost = most_depth;  // what an operand may be says more than the begins of its texts
    for (unsigned i = 0; i < failures_; ++i) outermost = std::min(outermost, failure_[i].depth);
    for (unsigned i = 0; i < failures_; ++i) {
        const Failure& one = failure_[i];
        const bool is_literal = one.element && one.element->kind == TextKind::literal;
        if (one.depth > outermost && is_literal) continue;
        if (!one.element && one.type != no_index && is_in_another(i)) continue;
        // The form that is told is the first, but where another one is printed by the name.
        if (one.candidate && (!candidate || (one.candidate->printed && !candidate->printed))) candidate = one.candidate;
        if (one.exact) {
            add_once(wanted, fmt::format("{}", one.value));
        } else if (one.element && one.element->kind == TextKind::number) {
            add_once(wanted, numbers_of(*one.element, static_cast<unsigned>(one.value)));
        } else if (one.element) {
            add_once(wanted, one.element->kind == TextKind::literal ? fmt::format("'{}'", one.element->text)
                                                                    : std::string("a number"));
        } else if (one.type == no_index) {
            add_once(wanted, "the end of the statement");
        } else {
            const bool there =
                is_number(one.type) && (one.number.kind == NumberValue::Kind::floating || one.number.integer != 0);
            if (const std::string found = there ? number_problem(one.number, one.type) : std::string();
                !found.empty()) {
                problem = found;
                continue;
            }
            add_once(wanted, describe(one.type, 0));
        }
    }
    failure.kind = problem.empty() ? ReadFailure::Kind::expected : ReadFailure::Kind::out_of_range;
    const std::string found = furthest_ == end_ || *furthest_ == '\n'
                                  ? "the end of the line"
                                  : fmt::format("'{}'", std::string_view(furthest_, failure.length));
    failure.message = !problem.empty() ? problem : fmt::format("expected {}, found {}", join(wanted, "or"), found);
    const bool is_one_form = found_ != tables_.nameless || wanted.size() == 1;
    if (candidate && problem.empty() && is_one_form)
        failure.message += fmt::format("; the form is `{}`", syntax_of(*candidate));
}

}  // namespace isaforge::codec
