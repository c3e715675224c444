#include "isa/diff_instructions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "semantics/cycles.hpp"
#include "semantics/tree.hpp"

namespace isaforge::diff {

namespace {

using semantics::ExpressionPointer;
using semantics::Statement;

bool same(const ExpressionPointer& a, const ExpressionPointer& b) {
    if (!a || !b) return !a && !b;
    return a->kind == b->kind && a->integer == b->integer && a->floating == b->floating && a->name == b->name &&
           a->op == b->op && a->type.is_signed == b->type.is_signed && same(a->type.width, b->type.width) &&
           a->type.name == b->type.name &&
           std::equal(a->type.arguments.begin(), a->type.arguments.end(), b->type.arguments.begin(),
                      b->type.arguments.end(), [](const auto& x, const auto& y) { return same(x, y); }) &&
           std::equal(a->operands.begin(), a->operands.end(), b->operands.begin(), b->operands.end(),
                      [](const auto& x, const auto& y) { return same(x, y); });
}

bool same(const std::vector<Statement>& a, const std::vector<Statement>& b);

bool same(const Statement& a, const Statement& b) {
    return a.kind == b.kind && a.compound == b.compound && a.name == b.name && same(a.value, b.value) &&
           same(a.first, b.first) && same(a.last, b.last) && same(a.delay, b.delay) && same(a.body, b.body) &&
           same(a.otherwise, b.otherwise) &&
           std::equal(a.targets.begin(), a.targets.end(), b.targets.begin(), b.targets.end(),
                      [](const auto& x, const auto& y) { return same(x, y); });
}

bool same(const std::vector<Statement>& a, const std::vector<Statement>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](const Statement& x, const Statement& y) { return same(x, y); });
}

bool same_meaning(const Instruction& a, const Instruction& b) {
    if (!a.meaning || !b.meaning) return !a.meaning && !b.meaning;
    return same(*a.meaning, *b.meaning) && same(a.guard, b.guard) && a.lanes == b.lanes &&
           same(a.lane_mask, b.lane_mask) &&
           std::equal(a.arrivals.begin(), a.arrivals.end(), b.arrivals.begin(), b.arrivals.end(),
                      [](const Arrival& x, const Arrival& y) {
                          return x.counter == y.counter && x.in_order == y.in_order && same(x.condition, y.condition);
                      });
}

std::string type_text(const Isa& isa, const Field& field) {
    if (field.type == no_index || isa.operand_types[field.type].name.empty()) return std::to_string(field.place.width);
    return isa.operand_types[field.type].name;
}

std::string element_text(const Form& form, const TextElement& element) {
    switch (element.kind) {
        case TextKind::literal:
        case TextKind::constant: return element.text;
        case TextKind::space: return " ";
        case TextKind::name: return "{name}";
        case TextKind::field:
        case TextKind::number: return fmt::format("{{{}}}", form.fields[element.field].name);
        case TextKind::any: break;
    }
    std::string out = "{any";
    for (const Index field : element.fields) out += " " + form.fields[field].name;
    return out + "}";
}

std::string texts_of(const Form& form) {
    std::vector<std::string> texts;
    for (const TextTemplate& text : form.texts) {
        std::string& one = texts.emplace_back();
        for (const TextElement& element : text) one += element_text(form, element);
    }
    return fmt::format("{}", fmt::join(texts, " | "));
}

// "OPCODE 0x1c, EXT 1": what columns and lengths give.
std::string opcode_of(const Form& form) {
    std::vector<std::string> parts;
    for (const Field& field : form.fields) {
        if (!field.fixed) continue;
        const std::uint64_t value = form.fixed_value(field);
        parts.push_back(value < 10 ? fmt::format("{} {}", field.name, value)
                                   : fmt::format("{} {:#x}", field.name, value));
    }
    return fmt::format("{}", fmt::join(parts, ", "));
}

std::string operands_of(const Isa& isa, const Form& form) {
    std::vector<std::string> parts;
    for (const Field& field : form.fields) {
        if (!field.fixed) parts.push_back(fmt::format("{}:{}", field.name, type_text(isa, field)));
    }
    return parts.empty() ? "none" : fmt::format("{}", fmt::join(parts, " "));
}

const Form& first_form(const Isa& isa, const Instruction& instruction) { return isa.forms[instruction.forms[0]]; }

using Key = std::tuple<std::string, std::string>;

// Two lists of instructions and who of the one is who of the other.
class Pairing {
public:
    Pairing(const Isa& before, const Isa& after) : before_(before), after_(after) {
        other_.assign(before.instructions.size(), no_index);
        taken_.assign(after.instructions.size(), false);
        // The surest marks first. Of several that are alike, the first is the first.
        pair([](const Isa& isa, const Instruction& i) { return Key{i.names[0], forms_key(isa, i)}; });
        pair([](const Isa& isa, const Instruction& i) {
            return Key{i.names[0], isa.formats[first_form(isa, i).format].name};
        });
        pair([](const Isa&, const Instruction& i) { return Key{i.names[0], ""}; });
        pair([](const Isa& isa, const Instruction& i) {
            return i.title.empty() ? Key{} : Key{i.title, isa.formats[first_form(isa, i).format].name};
        });
        pair([](const Isa&, const Instruction& i) { return i.title.empty() ? Key{} : Key{i.title, ""}; });
        pair_by_encoding();
    }

    Index of(Index before) const { return other_[before]; }
    bool is_new(Index after) const { return !taken_[after]; }

private:
    static std::string forms_key(const Isa& isa, const Instruction& instruction) {
        std::string out;
        for (const Index index : instruction.forms) {
            const Form& form = isa.forms[index];
            out += isa.formats[form.format].name + '\n';
            for (std::size_t i = 0; i < form.mask.words.size(); ++i)
                out += fmt::format("{:x}/{:x}.", form.written.words[i], form.mask.words[i]);
        }
        return out;
    }

    template <typename KeyOf>
    void pair(KeyOf key_of) {
        std::map<Key, std::vector<Index>> waiting;
        for (Index i = after_.instructions.size(); i-- > 0;) {
            if (!taken_[i]) waiting[key_of(after_, after_.instructions[i])].push_back(i);
        }
        for (Index i = 0; i < other_.size(); ++i) {
            if (other_[i] != no_index) continue;
            const Key key = key_of(before_, before_.instructions[i]);
            const auto found = key == Key{} ? waiting.end() : waiting.find(key);
            if (found == waiting.end() || found->second.empty()) continue;
            other_[i] = found->second.back();
            taken_[other_[i]] = true;
            found->second.pop_back();
        }
    }

    // Where both have titles, they are different by now: another instruction has got the opcode.
    void pair_by_encoding() {
        pair([](const Isa& isa, const Instruction& i) { return i.title.empty() ? Key{"", forms_key(isa, i)} : Key{}; });
        std::map<std::string, Index> titled;
        for (Index i = 0; i < after_.instructions.size(); ++i) {
            if (!taken_[i]) titled.emplace(forms_key(after_, after_.instructions[i]), i);
        }
        for (Index i = 0; i < other_.size(); ++i) {
            if (other_[i] != no_index) continue;
            const auto found = titled.find(forms_key(before_, before_.instructions[i]));
            if (found == titled.end() || taken_[found->second]) continue;
            if (!before_.instructions[i].title.empty() && !after_.instructions[found->second].title.empty()) continue;
            other_[i] = found->second;
            taken_[other_[i]] = true;
        }
    }

    const Isa &before_, &after_;
    std::vector<Index> other_;
    std::vector<bool> taken_;
};

class Comparison {
public:
    Comparison(const Isa& before, const Isa& after, const std::set<std::string>& changed_formats)
        : before_(before), after_(after), changed_formats_(changed_formats) {}

    std::vector<Change> run() {
        const Pairing pairing(before_, after_);
        for (Index i = 0; i < before_.instructions.size(); ++i) {
            const Instruction& old = before_.instructions[i];
            if (pairing.of(i) == no_index) {
                lone(before_, old, Change::Verb::removed);
            } else {
                pair(old, after_.instructions[pairing.of(i)]);
            }
        }
        for (Index i = 0; i < after_.instructions.size(); ++i) {
            if (pairing.is_new(i)) lone(after_, after_.instructions[i], Change::Verb::added);
        }
        std::stable_sort(out_.begin(), out_.end(),
                         [](const Change& a, const Change& b) { return a.format < b.format; });
        return std::move(out_);
    }

private:
    void lone(const Isa& isa, const Instruction& instruction, Change::Verb verb) {
        Change change = begin(isa, instruction);
        change.verb = verb;
        const auto say = [&](const char* what, const std::string& text) {
            if (text.empty()) return;
            const bool added = verb == Change::Verb::added;
            change.differences.push_back({what, added ? "" : text, added ? text : ""});
        };
        say("title", instruction.title);
        say("opcode", opcode_of(first_form(isa, instruction)));
        out_.push_back(std::move(change));
    }

    static Change begin(const Isa& isa, const Instruction& instruction) {
        Change change;
        change.subject = Change::Subject::instruction;
        change.name = instruction.names[0];
        change.format = format_name(isa, first_form(isa, instruction));
        return change;
    }

    void pair(const Instruction& old, const Instruction& now) {
        Change change = begin(after_, now);
        change.renamed = old.names[0] != now.names[0];
        tell(change.differences, "name", joined(old.names), joined(now.names));
        tell(change.differences, "title", old.title, now.title);
        tell(change.differences, "formats", formats(before_, old), formats(after_, now));
        tell(change.differences, "relax", joined(old.relax_names), joined(now.relax_names));
        pair_forms(old, now, change);
        tell(change.differences, "cycles", cycles(before_, old), cycles(after_, now));
        if (!same_meaning(old, now)) change.differences.push_back({"meaning", "", ""});
        if (!change.differences.empty()) out_.push_back(std::move(change));
    }

    // Forms of one format and length belong together; those that are left over, of one length.
    void pair_forms(const Instruction& old, const Instruction& now, Change& change) {
        std::vector<bool> old_used(old.forms.size()), now_used(now.forms.size());
        for (const bool same_format : {true, false}) {
            for (std::size_t i = 0; i < old.forms.size(); ++i) {
                const Form& form = before_.forms[old.forms[i]];
                for (std::size_t j = 0; j < now.forms.size() && !old_used[i]; ++j) {
                    const Form& other = after_.forms[now.forms[j]];
                    if (now_used[j] || other.bits != form.bits) continue;
                    if (same_format && format_name(after_, other) != format_name(before_, form)) continue;
                    old_used[i] = now_used[j] = true;
                    pair(form, other, change);
                }
            }
        }
    }

    void pair(const Form& old, const Form& now, Change& change) {
        const std::string before = opcode_of(old), after = opcode_of(now);
        change.moved |= before != after;
        tell(change.differences, "opcode", before, after);
        const std::string format = format_name(after_, now);
        if (format != format_name(before_, old) || !changed_formats_.contains(format))
            tell(change.differences, "operands", operands_of(before_, old), operands_of(after_, now));
        tell(change.differences, "text", texts_of(old), texts_of(now));
        if (old.alias != now.alias)
            change.differences.push_back({"alias", old.alias ? "yes" : "no", now.alias ? "yes" : "no"});
    }

    static std::string joined(const std::vector<std::string>& names) {
        return fmt::format("{}", fmt::join(names, " | "));
    }

    // "D 32, D 48": the forms in the order of preference.
    static std::string formats(const Isa& isa, const Instruction& instruction) {
        std::vector<std::string> out;
        for (const Index form : instruction.forms)
            out.push_back(fmt::format("{} {}", format_name(isa, isa.forms[form]), isa.forms[form].bits));
        return fmt::format("{}", fmt::join(out, ", "));
    }

    static std::string cycles(const Isa& isa, const Instruction& instruction) {
        std::vector<std::string> out;
        for (const Index form : instruction.forms)
            if (const auto range = semantics::cycles_of(isa, isa.forms[form])) out.push_back(to_text(*range));
        return fmt::format("{}", fmt::join(out, ", "));
    }

    const Isa &before_, &after_;
    const std::set<std::string>& changed_formats_;
    std::vector<Change> out_;
};

}  // namespace

void tell(std::vector<ChangedPart>& out, const char* what, const std::string& before, const std::string& after) {
    if (before == after) return;
    const bool known = std::any_of(out.begin(), out.end(), [&](const ChangedPart& d) {
        return d.what == what && d.before == before && d.after == after;
    });
    if (!known) out.push_back({what, before, after});
}

std::string format_name(const Isa& isa, const Form& form) { return isa.formats[form.format].name; }

std::string bar_text(const Isa& isa, const Form& form) {
    std::vector<std::pair<Index, unsigned>> owner(form.bits, {no_index, 0});  // field and bit of its value, by position
    for (Index i = 0; i < form.fields.size(); ++i) {
        if (form.fields[i].in_tail) continue;
        for (const BitPiece& piece : form.fields[i].place.pieces) {
            for (unsigned bit = 0; bit < piece.width && piece.position + bit < form.bits; ++bit)
                owner[piece.position + bit] = {i, piece.shift + bit};
        }
    }
    const auto ignored = [&](unsigned position) { return form.mask.get(position, 1) == 0; };
    std::string out = "|";
    for (unsigned i = 0; i < form.bits;) {
        const unsigned position = isa.leading_bit_position(i);
        const auto [field, value_bit] = owner[position];
        unsigned end = i + 1;
        std::string digits = form.written.get(position, 1) ? "1" : "0";
        for (; end < form.bits; ++end) {
            const unsigned next = isa.leading_bit_position(end);
            if (owner[next].first != field || (field != no_index && owner[next].second + (end - i) != value_bit)) break;
            if (field != no_index) continue;
            if (ignored(next) != ignored(position)) break;
            digits += form.written.get(next, 1) ? '1' : '0';
        }
        if (field == no_index && ignored(position)) digits += '?';
        if (field == no_index) {
            out += fmt::format(" {} |", digits);
        } else {
            const Field& here = form.fields[field];
            const bool whole = end - i == here.place.width;
            const std::string part = whole ? "" : fmt::format("[{}:{}]", value_bit, value_bit + 1 - (end - i));
            out += fmt::format(" {}{}:{}{} |", here.name, part,
                               here.fixed ? std::to_string(end - i) : type_text(isa, here), here.ignored ? "?" : "");
        }
        i = end;
    }
    return out;
}

void compare_instructions(const Isa& before, const Isa& after, const std::set<std::string>& changed_formats,
                          std::vector<Change>& out) {
    for (Change& change : Comparison(before, after, changed_formats).run()) out.push_back(std::move(change));
}

}  // namespace isaforge::diff
