// `opcodes accounted`: a designer who counts opcodes by hand says of each that it is used or kept free; whoever changes a
// digit by mistake then leaves a gap, or takes what is taken.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "check/findings.hpp"

namespace isaforge::check {

namespace {

struct Claim {
    std::uint64_t low = 0, high = 0;
    std::vector<const OpcodeRow*> rows;
};

using Places = std::vector<std::pair<unsigned, unsigned>>;

Places key_of(const BitPlace& place) {
    Places out;
    for (const BitPiece& piece : place.pieces) out.emplace_back(piece.position, piece.width);
    return out;
}

std::string values(std::uint64_t low, std::uint64_t high, unsigned width) {
    if (low == high) return fmt::format("{} ({})", binary(low, width), low);
    return fmt::format("{} to {} ({} to {})", binary(low, width), binary(high, width), low, high);
}

bool clash(const OpcodeRow& a, const OpcodeRow& b) {
    for (std::size_t i = 0; i < a.mask.words.size(); ++i) {
        if (((a.value.words[i] ^ b.value.words[i]) & a.mask.words[i] & b.mask.words[i]) != 0) return true;
    }
    return false;
}

// Rows whose formats have different bits in one cell count their opcodes apart; a row that could stand with both joins them.
std::vector<std::vector<const OpcodeRow*>> told_apart(const std::vector<const OpcodeRow*>& rows) {
    struct Part {
        std::vector<const OpcodeRow*> kinds, rows;
    };
    std::vector<Part> parts;
    for (const OpcodeRow* row : rows) {
        const auto same = [&](const OpcodeRow* kind) { return kind->mask == row->mask && kind->value == row->value; };
        const auto known = std::find_if(parts.begin(), parts.end(), [&](const Part& part) {
            return std::any_of(part.kinds.begin(), part.kinds.end(), same);
        });
        if (known != parts.end()) {
            known->rows.push_back(row);
            continue;
        }
        Part joined{{row}, {row}};
        for (Part& part : parts) {
            if (std::all_of(part.kinds.begin(), part.kinds.end(),
                            [&](const OpcodeRow* kind) { return clash(*kind, *row); }))
                continue;
            joined.kinds.insert(joined.kinds.end(), part.kinds.begin(), part.kinds.end());
            joined.rows.insert(joined.rows.begin(), part.rows.begin(), part.rows.end());
            part = {};
        }
        std::erase_if(parts, [](const Part& part) { return part.rows.empty(); });
        parts.push_back(std::move(joined));
    }
    std::vector<std::vector<const OpcodeRow*>> out;
    out.reserve(parts.size());
    for (Part& part : parts) out.push_back(std::move(part.rows));
    return out;
}

class OpcodeCheck {
public:
    explicit OpcodeCheck(Diagnostics& diagnostics) : diagnostics_(diagnostics) {}

    // `rows` agree on the columns before `column`.
    void look(const std::vector<const OpcodeRow*>& rows, std::size_t column, const std::string& path) {
        std::map<Places, std::vector<const OpcodeRow*>> by_place;
        for (const OpcodeRow* row : rows) {
            if (column < row->columns.size()) by_place[key_of(row->columns[column].place)].push_back(row);
        }
        for (const auto& [place, group] : by_place) {
            for (const auto& apart : told_apart(group)) look_at_column(apart, column, path);
        }
    }

private:
    void look_at_column(const std::vector<const OpcodeRow*>& rows, std::size_t column, const std::string& path) {
        std::map<std::pair<std::uint64_t, std::uint64_t>, std::vector<const OpcodeRow*>> claims;
        for (const OpcodeRow* row : rows) claims[{row->columns[column].low, row->columns[column].high}].push_back(row);
        const unsigned width = rows[0]->columns[column].place.width;
        std::uint64_t next = 0;
        const OpcodeRow* previous = nullptr;
        for (const auto& [range, group] : claims) {
            const OpcodeRow* first = group[0];
            if (range.first > next) {
                Diagnostic& error =
                    diagnostics_.error(first->where, fmt::format("opcode{} {}{} neither used nor reserved", path,
                                                                 values(next, range.first - 1, width),
                                                                 range.first - 1 == next ? " is" : " are"));
                if (previous) error.note(previous->where, "the one before is here");
            }
            if (range.first < next && previous && (previous->reserved || first->reserved)) {
                diagnostics_
                    .error(first->where, fmt::format("opcode{} {} is reserved", path,
                                                     values(range.first, std::min(range.second, next - 1), width)))
                    .note(previous->where, "the other row is here");
            }
            check_reserved_twice(group, column, path, width);
            look(group, column + 1, fmt::format("{} {}", path, binary(range.first, width)));
            next = std::max(next, range.second + 1);
            previous = group.back();
        }
    }

    // The same value both used and reserved, where no further column could tell them apart.
    void check_reserved_twice(const std::vector<const OpcodeRow*>& group, std::size_t column, const std::string& path,
                              unsigned width) {
        for (std::size_t i = 1; i < group.size(); ++i) {
            const bool last = group[i]->columns.size() == column + 1 || group[0]->columns.size() == column + 1;
            if (!last || group[i]->reserved == group[0]->reserved) continue;
            const auto& value = group[i]->columns[column];
            diagnostics_
                .error(group[i]->where,
                       fmt::format("opcode{} {} is reserved", path, values(value.low, value.high, width)))
                .note(group[0]->where, "the other row is here");
        }
    }

    Diagnostics& diagnostics_;
};

// The codes of an operand's rows, with what is captured taken as whole: none both used and reserved, and no gaps. A special
// case before the row that holds it is no overlap.
void look_at_operand(const OperandType& type, Diagnostics& diagnostics) {
    constexpr unsigned widest = 16;
    if (type.kind != OperandKind::table || type.width > widest) return;
    const std::uint64_t count = std::uint64_t{1} << type.width;
    std::vector<const OperandRow*> owner(count);
    for (const OperandRow& row : type.rows) {
        bool told = false;
        for (std::uint64_t code = 0; code < count; ++code) {
            if (!row.claims(code)) continue;
            if (!owner[code]) owner[code] = &row;
            if (told || owner[code]->reserved == row.reserved) continue;
            told = true;
            diagnostics
                .error(row.where,
                       fmt::format("code {} of operand '{}' is {} here but {}", values(code, code, type.width),
                                   type.name, row.reserved ? "reserved" : "used", row.reserved ? "used" : "reserved"))
                .note(owner[code]->where, "the other row is here");
        }
    }
    std::uint64_t highest = count;
    while (highest > 0 && !owner[highest - 1]) --highest;
    for (std::uint64_t code = 0; code < highest; ++code) {
        if (owner[code]) continue;
        std::uint64_t end = code;
        while (!owner[end]) ++end;
        diagnostics.error(owner[end]->where,
                          fmt::format("code {} of operand '{}' {} neither used nor reserved",
                                      values(code, end - 1, type.width), type.name, end - code == 1 ? "is" : "are"));
        code = end;
    }
}

// Rows of a table stand in the order of their opcodes: one out of order is most often a wrong digit.
void look_at_order(const std::vector<OpcodeRow>& rows, Diagnostics& diagnostics) {
    const auto key = [](const OpcodeRow& row) {
        std::vector<std::uint64_t> out;
        for (const OpcodeRow::Column& column : row.columns) out.push_back(column.low);
        return out;
    };
    for (std::size_t i = 1; i < rows.size(); ++i) {
        if (rows[i].table != rows[i - 1].table || !(key(rows[i]) < key(rows[i - 1]))) continue;
        diagnostics
            .error(
                rows[i].where,
                "this opcode is lower than that of the row above; with `opcodes accounted` the opcodes of a table rise")
            .note(rows[i - 1].where, "the row above is here");
    }
}

}  // namespace

void find_opcode_gaps(const Isa& isa, Diagnostics& diagnostics) {
    if (!isa.opcodes_accounted) return;
    std::vector<const OpcodeRow*> rows;
    for (const OpcodeRow& row : isa.opcode_rows) rows.push_back(&row);
    OpcodeCheck(diagnostics).look(rows, 0, "");
    look_at_order(isa.opcode_rows, diagnostics);
    for (const OperandType& type : isa.operand_types) look_at_operand(type, diagnostics);
}

}  // namespace isaforge::check
