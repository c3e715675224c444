#include "isa/diff.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <functional>
#include <map>

#include "isa/diff_instructions.hpp"
#include "isaforge/space.hpp"

namespace isaforge {

namespace {

// What a thing is made of, as named texts: two are the same where these are.
using Facts = std::vector<std::pair<std::string, std::string>>;
using Things = std::map<std::string, Facts>;

// One fact for each entry, so that of a long list only what differs is told.
void add_entries(const char* what, const std::vector<Entry>& entries, bool values, Facts& out) {
    for (const Entry& entry : entries) {
        std::string one = fmt::format("{} \"{}\"", entry.code, fmt::join(entry.texts, "\" | \""));
        if (values && entry.value != entry.code) one += fmt::format(" = {:#x}", entry.value);
        out.emplace_back(what, std::move(one));
    }
}

// `x` may be either; what is written all the same, if that is 1, stands with a mark.
std::string_view row_bit(const OperandRow& row, unsigned bit) {
    const bool one = (row.written >> bit & 1) != 0;
    if ((row.mask >> bit & 1) == 0) return one ? "1?" : "x";
    return one ? "1" : "0";
}

std::string row_text(const OperandType& type, const OperandRow& row) {
    std::string out;
    for (unsigned i = type.width; i-- > 0;) out += row_bit(row, i);
    for (const Constraint& c : row.constraints) out += fmt::format(" in {}..{} step {}", c.low, c.high, c.step);
    if (row.reserved) return out + " reserved";
    for (const TextTemplate& text : row.texts) {
        out += " \"";
        for (const TextElement& element : text) {
            if (element.field == no_index || element.field >= row.fields.size()) {
                out += element.kind == TextKind::space ? " " : element.text;
            } else if (element.scale == 1 && element.bias == 0) {
                out += fmt::format("{{{}}}", row.fields[element.field].name);
            } else {
                out += fmt::format("{{{}*{}+{}}}", element.scale, row.fields[element.field].name, element.bias);
            }
        }
        out += '"';
    }
    if (row.tail_bits > 0) out += fmt::format(" + {} bits", row.tail_bits);
    return out + (row.alias ? " alias" : "");
}

std::string number_text(const NumberRule& rule) {
    static constexpr std::string_view bases = "usifb";
    std::string out = fmt::format("{}{}", bases[static_cast<std::size_t>(rule.base)], rule.value_bits);
    if (rule.sliced) out += fmt::format(" from bit {}", rule.slice_low);
    if (rule.scale != 1) out += fmt::format(" * {}", rule.scale);
    if (rule.bias != 0) out += fmt::format(" + {}", rule.bias);
    if (rule.relative) out += " + pc";
    for (std::uint64_t rest = rule.carries; rest != 0; rest &= rest - 1)
        out += fmt::format(" carried {}", std::countr_zero(rest));
    if (rule.plain) out += fmt::format(" or {}{}", bases[static_cast<std::size_t>(*rule.plain)], rule.value_bits);
    if (rule.minimum || rule.maximum)
        out += fmt::format(" in {}..{}", rule.minimum.value_or(0), rule.maximum.value_or(0));
    if (rule.format == NumberFormat::hexadecimal) out += " hex";
    if (rule.based) out += " based";
    return out;
}

// Types like s8 and u16 that are not declared but used.
bool is_plain_number(const OperandType& type) {
    const std::string& name = type.name;
    return name.empty() ||
           (type.kind == OperandKind::number && name.size() > 1 &&
            std::string_view("usifb").find(name[0]) != std::string_view::npos &&
            std::all_of(name.begin() + 1, name.end(), [](unsigned char c) { return std::isdigit(c) != 0; }));
}

Facts operand_facts(const OperandType& type) {
    Facts out{{"width", fmt::format("{} bits", type.width)}};
    switch (type.kind) {
        case OperandKind::number: out.emplace_back("number", number_text(type.number)); break;
        case OperandKind::registers: add_entries("name", type.entries, false, out); break;
        case OperandKind::enumeration: add_entries("entry", type.entries, true, out); break;
        case OperandKind::table:
            for (const OperandRow& row : type.rows) out.emplace_back("row", row_text(type, row));
            break;
    }
    return out;
}

Things operands_of(const Isa& isa) {
    Things out;
    for (const OperandType& type : isa.operand_types) {
        const bool file = type.kind == OperandKind::registers;  // told with the registers
        if (!file && !is_plain_number(type)) out.emplace(type.name, operand_facts(type));
    }
    return out;
}

Things registers_of(const Isa& isa) {
    Things out;
    for (const RegisterFile& file : isa.register_files) {
        Facts facts{{"count", std::to_string(file.count)}, {"bits", std::to_string(file.bits)}};
        if (file.lanes > 1) facts.emplace_back("lanes", std::to_string(file.lanes));
        if (file.is_zero_at_reset) facts.emplace_back("zero at reset", "yes");
        if (file.write_ports > 0) facts.emplace_back("write ports", std::to_string(file.write_ports));
        add_entries("name", file.entries, false, facts);
        out.emplace(file.name, std::move(facts));
    }
    return out;
}

Things memories_of(const Isa& isa) {
    Things out;
    for (const MemorySpace& memory : isa.memories) {
        out.emplace(memory.name, Facts{{"cells", fmt::format("u{}", memory.unit_bits)},
                                       {"order", memory.big_endian ? "big" : "little"}});
    }
    return out;
}

Things machine_of(const Isa& isa) {
    Facts code{{"unit", fmt::format("{} bits", isa.unit_bits)}, {"order", isa.big_endian ? "big" : "little"}};
    if (isa.last_unit_first) code.emplace_back("bars", "last unit first");
    code.emplace_back("addresses", fmt::format("{} bits", isa.address_bits));
    Things out{{"code", std::move(code)}};
    for (const auto& [name, value] : isa.constants) {
        if (!isa.kind_of(value)) out.emplace("constant " + name, Facts{{"value", std::to_string(value)}});
    }
    for (const Kind& kind : isa.kinds) {
        Facts& facts = out["kind " + kind.name];
        for (const auto& [fact, value] : kind.facts) facts.emplace_back(fact, std::to_string(value));
    }
    return out;
}

// A format is what its forms look like.
Things formats_of(const Isa& isa) {
    std::map<std::string, std::set<std::string>> bars;
    for (const Format& format : isa.formats) bars[format.name];
    for (const Form& form : isa.forms)
        bars[diff::format_name(isa, form)].insert(fmt::format("{} {} bits", diff::bar_text(isa, form), form.bits));
    Things out;
    for (const auto& [name, set] : bars) {
        Facts facts;
        for (const std::string& bar : set) facts.emplace_back("bar", bar);
        out.emplace(name, std::move(facts));
    }
    return out;
}

Things pools_of(const Isa& isa) {
    Things out;
    for (const Pool& pool : isa.pools) {
        std::vector<std::string> formats;
        for (const Index format : pool.formats) formats.push_back(isa.formats[format].name);
        const std::string names = fmt::format("{}", fmt::join(formats, ", "));
        Facts facts{{"bounds", fmt::format("{} .. {}", leading_pattern(pool.low, pool.width, pool.width),
                                           leading_pattern(pool.high, pool.width, pool.width))},
                    {"for", names},
                    {"capacity", pool.capacity ? std::to_string(*pool.capacity) : "not said"}};
        out.emplace(pool.name.empty() ? "for " + names : pool.name, std::move(facts));
    }
    return out;
}

Things reserved_of(const Isa& isa) {
    Things out;
    for (const ReservedPattern& pattern : isa.reserved) {
        std::string bits;
        for (unsigned i = pattern.width; i-- > 0;)
            bits += !(pattern.mask >> i & 1) ? 'x' : pattern.value >> i & 1 ? '1' : '0';
        out.emplace(bits, Facts{{"reason", pattern.reason}});
    }
    return out;
}

// Facts of one name are compared in order; those that both have, wherever they stand, are no difference.
std::vector<ChangedPart> differences_of(const Facts& before, const Facts& after) {
    std::vector<ChangedPart> out;
    std::map<std::string, std::pair<std::vector<std::string>, std::vector<std::string>>> left;
    std::vector<std::string> order;
    const auto collect = [&](const Facts& facts, const Facts& others, bool old) {
        for (const auto& fact : facts) {
            if (std::find(others.begin(), others.end(), fact) != others.end()) continue;
            if (!left.contains(fact.first)) order.push_back(fact.first);
            auto& both = left[fact.first];
            (old ? both.first : both.second).push_back(fact.second);
        }
    };
    collect(before, after, true);
    collect(after, before, false);
    for (const std::string& what : order) {
        const auto& [old, now] = left[what];
        for (std::size_t i = 0; i < std::max(old.size(), now.size()); ++i)
            out.push_back({what, i < old.size() ? old[i] : "", i < now.size() ? now[i] : ""});
    }
    return out;
}

void compare_things(Change::Subject subject, const Things& before, const Things& after, std::vector<Change>& out) {
    const auto lone = [&](const std::string& name, const Facts& facts, Change::Verb verb) {
        Change change;
        change.subject = subject;
        change.verb = verb;
        change.name = name;
        for (const auto& [what, text] : facts) {
            const bool added = verb == Change::Verb::added;
            change.differences.push_back({what, added ? "" : text, added ? text : ""});
        }
        out.push_back(std::move(change));
    };
    for (const auto& [name, facts] : before) {
        const auto other = after.find(name);
        if (other == after.end()) {
            lone(name, facts, Change::Verb::removed);
            continue;
        }
        Change change;
        change.subject = subject;
        change.name = name;
        change.differences = differences_of(facts, other->second);
        if (!change.differences.empty()) out.push_back(std::move(change));
    }
    for (const auto& [name, facts] : after) {
        if (!before.contains(name)) lone(name, facts, Change::Verb::added);
    }
}

}  // namespace

std::vector<Change> compare(const Isa& before, const Isa& after) {
    std::vector<Change> out;
    using Subject = Change::Subject;
    compare_things(Subject::machine, machine_of(before), machine_of(after), out);
    compare_things(Subject::registers, registers_of(before), registers_of(after), out);
    compare_things(Subject::memory, memories_of(before), memories_of(after), out);
    compare_things(Subject::operand, operands_of(before), operands_of(after), out);
    compare_things(Subject::pool, pools_of(before), pools_of(after), out);
    compare_things(Subject::reserved, reserved_of(before), reserved_of(after), out);
    const std::size_t formats = out.size();
    compare_things(Subject::format, formats_of(before), formats_of(after), out);
    std::set<std::string> changed;
    for (std::size_t i = formats; i < out.size(); ++i) changed.insert(out[i].name);
    diff::compare_instructions(before, after, changed, out);
    return out;
}

}  // namespace isaforge
