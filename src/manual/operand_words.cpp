#include "manual/operand_words.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

#include "manual/pseudocode.hpp"
#include "semantics/tree.hpp"
#include "support/wide.hpp"

namespace isaforge::manual {

namespace {

// A name as what stands before its last number, the number, and what stands behind.
struct Numbered {
    std::string_view before, behind;
    std::uint64_t number = 0;
};

std::optional<Numbered> numbered(std::string_view name) {
    std::size_t end = name.size();
    while (end > 0 && (name[end - 1] < '0' || name[end - 1] > '9')) --end;
    std::size_t begin = end;
    while (begin > 0 && name[begin - 1] >= '0' && name[begin - 1] <= '9') --begin;
    if (begin == end || (end - begin > 1 && name[begin] == '0')) return std::nullopt;
    Numbered out{name.substr(0, begin), name.substr(end), 0};
    if (std::from_chars(name.data() + begin, name.data() + end, out.number).ec != std::errc{}) return std::nullopt;
    return out;
}

bool follows(std::string_view name, std::string_view last) {
    const auto a = numbered(last), b = numbered(name);
    return a && b && a->before == b->before && a->behind == b->behind && b->number == a->number + 1;
}

std::string text_of(Wide value) {
    if (value < 0) return "-" + text_of(-value);
    const auto low = static_cast<std::uint64_t>(value);
    if (value >> 64 == 0) return low < 1'000'000 ? std::to_string(low) : fmt::format("{:#x}", low);
    return "2^64 or more";
}

struct Range {
    Wide low = 0, high = 0;
};

Range range_of(const NumberRule& rule, unsigned width, const Constraint* limit = nullptr) {
    const Wide half = Wide{1} << (width - (width > 0)), whole = Wide{1} << width;
    Range out{0, whole - 1};
    if (rule.base == NumberBase::signed_integer) out = {-half, half - 1};
    if (rule.base == NumberBase::either_integer) out = {-half, whole - 1};
    if (limit && rule.base == NumberBase::unsigned_integer)
        out = {static_cast<Wide>(limit->low), std::min(out.high, static_cast<Wide>(limit->high))};
    out = {out.low * rule.scale + rule.bias, out.high * rule.scale + rule.bias};
    if (rule.scale < 0) std::swap(out.low, out.high);
    if (rule.minimum) out.low = std::max(out.low, Wide{*rule.minimum});
    if (rule.maximum) out.high = std::min(out.high, Wide{*rule.maximum});
    return out;
}

std::string number_words(const Isa& isa, const NumberRule& rule, unsigned width) {
    if (rule.sliced) {
        return fmt::format("bits {} to {} of {} of {} bits", rule.slice_low + width - 1, rule.slice_low,
                           rule.base == NumberBase::floating   ? "a float"
                           : rule.base == NumberBase::any_bits ? "an integer or float"
                                                               : "a number",
                           rule.value_bits);
    }
    if (rule.base == NumberBase::floating) return fmt::format("a float of {} bits", width);
    if (rule.base == NumberBase::any_bits) return fmt::format("an integer or a float of {} bits", width);
    const Range range = range_of(rule, width);
    const std::string from_to = fmt::format("{} to {}", text_of(range.low), text_of(range.high));
    const std::string step = rule.scale == 1 || rule.scale == -1 ? "" : fmt::format(", in steps of {}", rule.scale);
    if (rule.relative) {
        const std::string unit = isa.address_bits == 8 ? "bytes" : fmt::format("units of {} bits", isa.address_bits);
        return fmt::format("a label or an address, {} {} from the instruction{}", from_to, unit, step);
    }
    const bool all_bits = range.high - range.low > (Wide{1} << 40);
    if (all_bits) {
        return fmt::format("{} of {} bits{}",
                           rule.base == NumberBase::signed_integer     ? "a signed number"
                           : rule.base == NumberBase::unsigned_integer ? "an unsigned number"
                                                                       : "a number of either sign",
                           width, step);
    }
    return fmt::format("a number from {}{}", from_to, step);
}

std::vector<std::string> entry_names(const OperandType& type, const Constraint* limit = nullptr) {
    std::vector<std::string> out;
    for (const Entry& entry : type.entries) {
        if (entry.texts.empty()) continue;
        if (limit &&
            (entry.code < limit->low || entry.code > limit->high || (entry.code - limit->low) % limit->step != 0))
            continue;
        out.push_back(entry.texts[0]);
    }
    return out;
}

const std::vector<Entry>& entries_of(const Isa& isa, const OperandType& type) {
    return type.entries.empty() && type.registers != no_index ? isa.register_files[type.registers].entries
                                                              : type.entries;
}

const Constraint* constraint_of(const OperandRow& row, Index field) {
    for (const Constraint& limit : row.constraints) {
        if (limit.field == field) return &limit;
    }
    return nullptr;
}

// What a capture of a row stands for, short.
void capture_words(Html& out, const Isa& isa, const OperandRow& row, const TextElement& element) {
    const Field& field = row.fields[element.field];
    const Constraint* const limit = constraint_of(row, element.field);
    if (field.type == no_index) {
        out("<var>").text(field.name)("</var>");
        return;
    }
    const OperandType& type = isa.operand_types[field.type];
    const bool sum = element.kind == TextKind::number;
    if (type.kind == OperandKind::number && type.number.base == NumberBase::unsigned_integer && !type.number.sliced &&
        !type.number.relative) {
        Range range = range_of(type.number, field.place.width, limit);
        if (sum) range = {range.low * element.scale + element.bias, range.high * element.scale + element.bias};
        if (range.low > range.high) std::swap(range.low, range.high);
        out.text(text_of(range.low));
        if (range.high != range.low) out("<small> … </small>").text(text_of(range.high));
        return;
    }
    if (type.kind == OperandKind::registers || type.kind == OperandKind::enumeration) {
        OperandType own;
        own.entries = entries_of(isa, type);
        out.text(names_in_short(entry_names(own, limit), 6));
        return;
    }
    out("<var>").text(type.name.empty() || type.kind == OperandKind::number ? field.name : type.name)("</var>");
}

// A row's text with its captures in short.
Html row_words(const Isa& isa, const OperandRow& row, const TextTemplate& text) {
    Html out;
    for (const TextElement& element : text) {
        switch (element.kind) {
            case TextKind::literal:
            case TextKind::constant:
            case TextKind::name: out.text(element.text); break;
            case TextKind::space: out(" "); break;
            case TextKind::field:
            case TextKind::number: capture_words(out, isa, row, element); break;
            case TextKind::any: break;
        }
    }
    return out;
}

void nothing(Html& out) { out("<i class=\"nothing\">nothing</i>"); }

void quoted(Html& out, const std::string& text) {
    if (text.empty()) {
        nothing(out);
    } else {
        out.code(text);
    }
}

constexpr std::size_t most_names = 10, most_rows = 6;

void enumeration_words(Html& out, const OperandType& type) {
    const std::vector<std::string> names = entry_names(type);
    if (names.size() > most_names) {
        out.code(names_in_short(names, 4));
        return;
    }
    for (const std::string& name : names) {
        if (&name != &names.front()) out(", ");
        quoted(out, name);
    }
}

void table_words(Html& out, const Isa& isa, const OperandType& type) {
    std::vector<Html> rows;
    for (const OperandRow& row : type.rows) {
        if (row.reserved || row.alias || row.texts.empty()) continue;
        Html text = row_words(isa, row, row.texts[0]);
        if (std::none_of(rows.begin(), rows.end(), [&](const Html& one) { return one.str() == text.str(); }))
            rows.push_back(std::move(text));
    }
    for (std::size_t i = 0; i < std::min(rows.size(), most_rows); ++i) {
        if (i > 0) out(", ");
        if (rows[i].empty()) {
            nothing(out);
        } else {
            out("<code>").add(rows[i])("</code>");
        }
    }
    if (rows.size() > most_rows) out(" and ").number(rows.size() - most_rows)(" more");
}

// The bits of an operand's row: "1 nnnnn".
std::string row_bits(const OperandType& type, const OperandRow& row) {
    std::string out;
    for (unsigned bit = type.width; bit-- > 0;) {
        char c = row.mask >> bit & 1 ? (row.value >> bit & 1 ? '1' : '0') : '-';
        for (const Field& field : row.fields) {
            if (field.in_tail) continue;
            for (const BitPiece& piece : field.place.pieces) {
                if (bit >= piece.position && bit < piece.position + piece.width)
                    c = field.name.empty() ? '?' : field.name[0];
            }
        }
        out += c;
    }
    return out;
}

void table_body(Html& out, const Edition& edition, const OperandType& type) {
    const Isa& isa = edition.isa;
    out("<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"Rows of ").text(type.name)("\"><table>");
    out("<thead><tr><th scope=\"col\">Bits</th><th scope=\"col\">Text</th><th "
        "scope=\"col\">Means</th></tr></thead><tbody>");
    for (const OperandRow& row : type.rows) {
        out("<tr><td><code>").text(row_bits(type, row))("</code>");
        for (const Constraint& limit : row.constraints) {
            out("<br><small>")
                .text(fmt::format("{} in {} to {}{}", row.fields[limit.field].name, limit.low, limit.high,
                                  limit.step == 1 ? "" : fmt::format(" by {}", limit.step)))("</small>");
        }
        if (row.tail_bits > 0) out("<br><small>").number(row.tail_bits)(" bits follow</small>");
        out("</td><td>");
        if (row.reserved) out("<i>reserved</i>");
        for (const TextTemplate& text : row.texts) {
            if (&text != &row.texts.front()) out("<br>");
            const Html words = row_words(isa, row, text);
            if (words.empty()) {
                nothing(out);
            } else {
                out("<code>").add(words)("</code>");
            }
        }
        if (row.alias) out(" <small>read only</small>");
        out("</td><td>");
        if (row.meaning) {
            const Scope scope{edition, "", &row.fields, {}, {}};
            out("<code>").add(expression_html(*row.meaning, scope))("</code>");
            for (const Naming& fact : row.facts) {
                out("<br><small>").text(fact.name)(" = ");
                if (fact.value) out.add(expression_html(*fact.value, scope));
                out("</small>");
            }
        }
        out("</td></tr>");
    }
    out("</tbody></table></div>");
}

void entries_body(Html& out, const OperandType& type, const std::vector<Entry>& entries) {
    out("<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"Codes of ").text(type.name)("\"><table>");
    out("<thead><tr><th scope=\"col\">Code</th><th scope=\"col\">Text</th><th "
        "scope=\"col\">Value</th></tr></thead><tbody>");
    for (const Entry& entry : entries) {
        out("<tr><td><code>").text(fmt::format("{:0{}b}", entry.code, type.width))("</code></td><td>");
        for (const std::string& text : entry.texts) {
            if (&text != &entry.texts.front()) out(" or ");
            quoted(out, text);
        }
        out("</td><td>");
        if (type.kind == OperandKind::enumeration) out("<code>").text(text_of(entry.value))("</code>");
        out("</td></tr>");
    }
    out("</tbody></table></div>");
}

}  // namespace

std::string names_in_short(const std::vector<std::string>& names, std::size_t most) {
    std::string out;
    std::size_t shown = 0;
    for (std::size_t i = 0; i < names.size();) {
        std::size_t end = i + 1;
        while (end < names.size() && follows(names[end], names[end - 1])) ++end;
        if (shown == most) return out + ", …";
        if (!out.empty()) out += ", ";
        if (end - i > 2) {
            out += names[i] + " … " + names[end - 1];
            i = end;
        } else {
            out += names[i++];
        }
        ++shown;
    }
    return out;
}

std::string operand_anchor(const OperandType& type) { return slug(type.name); }

bool is_told(const OperandType& type) {
    if (type.name.empty() || type.kind == OperandKind::registers) return false;
    const bool written_out =
        type.kind == OperandKind::number && type.number.relocation_name.empty() &&
        std::all_of(type.name.begin() + 1, type.name.end(), [](char c) { return c >= '0' && c <= '9'; });
    return !written_out;
}

Html operand_words(const Edition& edition, Index index, const std::string& root) {
    Html out;
    if (index == no_index) return out;
    const Isa& isa = edition.isa;
    const OperandType& type = isa.operand_types[index];
    switch (type.kind) {
        case OperandKind::number: out.text(number_words(isa, type.number, type.width)); return out;
        case OperandKind::registers: {
            const RegisterFile& file = isa.register_files[type.registers];
            OperandType own;
            own.entries = entries_of(isa, type);
            out("<code>").text(names_in_short(entry_names(own), 5))("</code>, ");
            out("<a href=\"").text(root)("registers.html#").text(slug(file.name))("\">").text(file.name)("</a>");
            return out;
        }
        case OperandKind::enumeration: enumeration_words(out, type); break;
        case OperandKind::table: table_words(out, isa, type); break;
    }
    if (type.name.empty()) return out;
    out(" <small>(<a href=\"")
        .text(root)("operands.html#")
        .text(operand_anchor(type))("\">")
        .text(type.name)("</a>)</small>");
    return out;
}

Html operand_body(const Edition& edition, Index index) {
    const Isa& isa = edition.isa;
    const OperandType& type = isa.operand_types[index];
    Html out;
    out("<p>").number(type.width)(" bit");
    if (type.width != 1) out("s");
    if (type.kind == OperandKind::number) {
        out(": ").text(number_words(isa, type.number, type.width))(".");
        if (!type.number.relocation_name.empty())
            out(" Relocation <code>").text(type.number.relocation_name)("</code>.");
    }
    if (type.kind == OperandKind::registers) out(": ").add(operand_words(edition, index, ""))(".");
    out("</p>");
    if (type.kind == OperandKind::enumeration) entries_body(out, type, type.entries);
    if (type.kind == OperandKind::table) table_body(out, edition, type);
    return out;
}

Html syntax_html(const std::vector<Field>& fields, const std::string& name, const TextTemplate& text) {
    Html out;
    const auto field = [&](Index index) { out("<var>").text(fields[index].name)("</var>"); };
    for (const TextElement& element : text) {
        switch (element.kind) {
            case TextKind::literal:
            case TextKind::constant: out.text(element.text); break;
            case TextKind::space: out(" "); break;
            case TextKind::name: out("<b>").text(name)("</b>"); break;
            case TextKind::field:
            case TextKind::number: field(element.field); break;
            case TextKind::any:
                for (const Index one : element.fields) {
                    if (one != element.fields.front()) out.text(element.text.empty() ? " " : element.text);
                    field(one);
                }
                break;
        }
    }
    return out;
}

}  // namespace isaforge::manual
