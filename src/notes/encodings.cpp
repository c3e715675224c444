#include "notes/encodings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "notes/words.hpp"

namespace isaforge::notes {

namespace {

std::string bits_named(unsigned high, unsigned low) {
    return high == low ? fmt::format("bit {}", high) : fmt::format("bits {}..{}", high, low);
}

std::string with_cell(const Piece& piece) { return piece.cell.empty() ? "" : fmt::format(" ({})", piece.cell); }

std::string shown(const Piece& piece) { return piece.kind == Piece::Kind::field ? piece.name : piece.bits; }

class Checker {
public:
    Checker(const Encodings& encodings, std::vector<Diagnostic>& findings)
        : encodings_(encodings), rows_(encodings.rows), findings_(findings) {}

    void check() {
        for (const Encoding& row : rows_) {
            check_coverage(row);
            check_parts(row);
        }
        check_names();
        check_words();
    }

private:
    void check_coverage(const Encoding& row) {
        const std::string& name = row.mnemonics.front().names.front();
        unsigned end = row.width;  // above it everything is said
        for (const Piece& piece : row.pieces) {
            if (piece.high >= row.width) {
                findings_.push_back(finding(Severity::error, piece.where,
                                            fmt::format("`{}` begins at bit {}, and {} has {} bits", shown(piece),
                                                        piece.high, name, row.width)));
            } else if (piece.high >= end) {
                findings_.push_back(
                    finding(Severity::error, piece.where,
                            fmt::format("`{}` overlaps what stands before it in {} of {}{}", shown(piece),
                                        bits_named(piece.high, end), name, with_cell(piece))));
            } else if (piece.high + 1 < end) {
                findings_.push_back(
                    finding(Severity::error, piece.where,
                            fmt::format("nothing says what {} of {} {}", bits_named(end - 1, piece.high + 1), name,
                                        end == piece.high + 2 ? "is" : "are")));
            }
            end = std::min(end, piece.low);
        }
        const unsigned said = row.open ? *row.open + 1 : 0;
        if (end > said) {
            findings_.push_back(finding(Severity::error, row.pieces.empty() ? row.where : row.pieces.back().where,
                                        fmt::format("nothing says what {} of {} {}", bits_named(end - 1, said), name,
                                                    end == said + 1 ? "is" : "are")));
        }
    }

    // The parts of a value that say which bits of it they are make a whole.
    void check_parts(const Encoding& row) {
        std::map<std::string, std::vector<const Piece*>> parts;
        for (const Piece& piece : row.pieces) {
            if (piece.from) parts[piece.name].push_back(&piece);
        }
        for (auto& [name, list] : parts) {
            std::ranges::sort(list, {}, [](const Piece* piece) { return *piece->from; });
            for (std::size_t i = 1; i < list.size(); ++i) {
                const unsigned expected = *list[i - 1]->from + list[i - 1]->width();
                if (*list[i]->from == expected) continue;
                const bool twice = *list[i]->from < expected;
                const unsigned low = std::min(*list[i]->from, expected), high = std::max(*list[i]->from, expected) - 1;
                findings_.push_back(finding(Severity::error, list[i]->where,
                                            fmt::format("{} of {} stand{} {}", bits_named(high, low), name,
                                                        high == low ? "s" : "", twice ? "here twice" : "nowhere")));
            }
        }
    }

    void check_names() {
        std::map<std::string, const Mnemonic*> seen;
        for (const Encoding& row : rows_) {
            for (const Mnemonic& mnemonic : row.mnemonics) {
                for (const std::string& name : mnemonic.names) {
                    const auto [known, added] = seen.try_emplace(name, &mnemonic);
                    if (added) continue;
                    findings_.push_back(
                        finding(Severity::error, mnemonic.where, fmt::format("{} stands for two instructions", name)));
                    findings_.back().note(known->second->where, "the other is here");
                }
            }
        }
    }

    // Two rows that mean the same word: the second one is told.
    void check_words() {
        std::vector<FixedBits> bits;
        for (const Encoding& row : rows_) bits.push_back(comparable_bits(encodings_, row));
        for (std::size_t i = 0; i < std::min(rows_.size(), most_compared_rows); ++i) {
            for (std::size_t j = 0; j < i; ++j) {
                if (!overlap(bits[i], bits[j])) continue;
                if (rows_[i].open && rows_[j].open) continue;
                findings_.push_back(
                    finding(Severity::error, rows_[i].where,
                            fmt::format("{} has words of {}: 0x{}", rows_[i].mnemonics.front().names.front(),
                                        rows_[j].mnemonics.front().names.front(),
                                        common_word(bits[i], bits[j], std::max(rows_[i].width, rows_[j].width)))));
                findings_.back().note(rows_[j].where, "that one is here");
                break;
            }
        }
    }

    std::string common_word(const FixedBits& a, const FixedBits& b, unsigned width) const {
        const unsigned from = encodings_.low_first ? 0 : max_instruction_bits - width;
        std::string out;
        for (unsigned at = 0; at < width; at += 4) {
            const unsigned wide = std::min(4U, width - at);
            const std::uint64_t digit = a.value.get(from + at, wide) | b.value.get(from + at, wide);
            out.insert(0, fmt::format("{:x}", digit));
        }
        return out;
    }

    const Encodings& encodings_;
    const std::vector<Encoding>& rows_;
    std::vector<Diagnostic>& findings_;
};

}  // namespace

FixedBits comparable_bits(const Encodings& encodings, const Encoding& row) {
    return fixed_bits(row, encodings.low_first ? row.width : max_instruction_bits);
}

FixedBits fixed_bits(const Encoding& row, unsigned top) {
    FixedBits out;
    const unsigned up = top - std::min(row.width, top);
    for (const Piece& piece : row.pieces) {
        if (piece.kind != Piece::Kind::fixed && piece.kind != Piece::Kind::blank) continue;
        for (unsigned i = 0; i < piece.width() && piece.high < row.width; ++i) {
            const char bit = piece.kind == Piece::Kind::blank ? '0' : i < piece.bits.size() ? piece.bits[i] : 'x';
            if (bit != '0' && bit != '1') continue;
            out.mask.set(up + piece.high - i, 1, 1);
            out.value.set(up + piece.high - i, 1, bit == '1' ? 1 : 0);
        }
    }
    return out;
}

bool overlap(const FixedBits& a, const FixedBits& b) {
    for (std::size_t i = 0; i < a.mask.words.size(); ++i) {
        if (((a.value.words[i] ^ b.value.words[i]) & a.mask.words[i] & b.mask.words[i]) != 0) return false;
    }
    return true;
}

bool tells_mnemonics_apart(const Encoding& row) {
    return std::ranges::any_of(row.pieces, [](const Piece& piece) { return piece.chooses; });
}

void check_encodings(const Encodings& encodings, std::vector<Diagnostic>& findings) {
    Checker(encodings, findings).check();
}

}  // namespace isaforge::notes
