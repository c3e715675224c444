// Lines as the tables of RISC-V's opcodes have them. Where a field stands they do not say: a table of arguments does, in the
// same text or the usual one, which is here.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "notes/lines.hpp"
#include "notes/pictures.hpp"
#include "notes/scanner.hpp"
#include "notes/words.hpp"

namespace isaforge::notes {

namespace {

constexpr std::string_view blanks = " \t\r\f\v";
constexpr unsigned highest_bit = 191;

// Where an argument stands, and which bits of which value it is.
struct Argument {
    unsigned high = 0, low = 0;
    std::string value;               // empty: its own name
    std::optional<unsigned> from;
};
using Arguments = std::multimap<std::string, Argument, std::less<>>;

const Arguments& usual_arguments() {
    static const Arguments all{
        {"rd", {11, 7}},
        {"rs1", {19, 15}},
        {"rs2", {24, 20}},
        {"rs3", {31, 27}},
        {"rt", {19, 15}},
        {"aq", {26, 26}},
        {"rl", {25, 25}},
        {"aqrl", {26, 25}},
        {"fm", {31, 28}},
        {"pred", {27, 24}},
        {"succ", {23, 20}},
        {"rm", {14, 12}},
        {"funct3", {14, 12}},
        {"funct2", {26, 25}},
        {"csr", {31, 20}},
        {"zimm", {19, 15}},
        {"shamtw", {24, 20}},
        {"shamtd", {25, 20}},
        {"shamtq", {26, 20}},
        {"bs", {31, 30}},
        {"rnum", {23, 20}},
        {"imm12", {31, 20}},
        {"imm20", {31, 12}},
        {"imm12hi", {31, 25, "imm12", 5}},
        {"imm12lo", {11, 7, "imm12", 0}},
        {"bimm12hi", {31, 31, "bimm12", 12}},
        {"bimm12hi", {30, 25, "bimm12", 5}},
        {"bimm12lo", {11, 8, "bimm12", 1}},
        {"bimm12lo", {7, 7, "bimm12", 11}},
        {"jimm20", {31, 31, "jimm20", 20}},
        {"jimm20", {30, 21, "jimm20", 1}},
        {"jimm20", {20, 20, "jimm20", 11}},
        {"jimm20", {19, 12, "jimm20", 12}},
        {"vd", {11, 7}},
        {"vs1", {19, 15}},
        {"vs2", {24, 20}},
        {"vs3", {11, 7}},
        {"vm", {25, 25}},
        {"wd", {26, 26}},
        {"nf", {31, 29}},
        {"simm5", {19, 15}},
        {"zimm5", {19, 15}},
        {"zimm10", {29, 20}},
        {"zimm11", {30, 20}},
        {"rd_p", {4, 2}},
        {"rs1_p", {9, 7}},
        {"rs2_p", {4, 2}},
        {"rd_rs1_p", {9, 7}},
        {"rd_rs1", {11, 7}},
        {"rd_rs1_n0", {11, 7}},
        {"rd_n0", {11, 7}},
        {"rd_n2", {11, 7}},
        {"rs1_n0", {11, 7}},
        {"c_rs1_n0", {11, 7}},
        {"c_rs2", {6, 2}},
        {"c_rs2_n0", {6, 2}},
        {"c_imm6lo", {6, 2}},
        {"c_imm6hi", {12, 12}},
        {"c_nzimm6lo", {6, 2}},
        {"c_nzimm6hi", {12, 12}},
        {"c_nzuimm6lo", {6, 2}},
        {"c_nzuimm6hi", {12, 12}},
        {"c_nzuimm10", {12, 5}},
        {"c_uimm7lo", {6, 5}},
        {"c_uimm7hi", {12, 10}},
        {"c_uimm8lo", {6, 5}},
        {"c_uimm8hi", {12, 10}},
        {"c_imm12", {12, 2}},
        {"c_bimm9lo", {6, 2}},
        {"c_bimm9hi", {12, 10}},
        {"c_uimm8sp_s", {12, 7}},
        {"c_uimm8splo", {6, 2}},
        {"c_uimm8sphi", {12, 12}},
        {"c_uimm9sp_s", {12, 7}},
        {"c_uimm9splo", {6, 2}},
        {"c_uimm9sphi", {12, 12}},
        {"c_nzimm10lo", {6, 2}},
        {"c_nzimm10hi", {12, 12}},
        {"c_nzimm18lo", {6, 2}},
        {"c_nzimm18hi", {12, 12}},
    };
    return all;
}

// `31..25`, `7`.
std::optional<std::pair<unsigned, unsigned>> bits_in(std::string_view text) {
    const std::size_t dots = text.find("..");
    const auto high = number_of(text.substr(0, dots));
    const auto low = dots == std::string_view::npos ? high : number_of(text.substr(dots + 2));
    if (!high || !low || *high > highest_bit || *low > *high) return std::nullopt;
    return std::pair(static_cast<unsigned>(*high), static_cast<unsigned>(*low));
}

bool is_fixed_part(std::string_view part) {
    const std::size_t equals = part.find('=');
    return equals != std::string_view::npos && bits_in(part.substr(0, equals)).has_value();
}

TextPart without_comment(TextPart line) {
    line.text = line.text.substr(0, line.text.find('#'));
    return line;
}

class Reader {
public:
    Reader(std::string_view text, NotedTables& notes) : notes_(notes) {
        const std::vector<TextPart> lines = lines_of(text);
        for (const TextPart& line : lines) read_argument(line);
        for (const TextPart& line : lines) read_line(without_comment(line));
    }

private:
    // `"rd", 11, 7`
    void read_argument(const TextPart& line) {
        const std::vector<TextPart> parts = notes::parts_of(line, " \t\",");
        if (parts.size() != 3 || line.text.find(',') == std::string_view::npos) return;
        const auto high = number_of(parts[1].text), low = number_of(parts[2].text);
        if (!high || !low || *low > *high || *high > highest_bit) return;
        own_.emplace(parts[0].text, Argument{static_cast<unsigned>(*high), static_cast<unsigned>(*low), "", {}});
    }

    void read_line(const TextPart& line) {
        const std::vector<TextPart> parts = notes::parts_of(line, blanks);
        // Other names for instructions of elsewhere begin with `$` or `@`.
        if (parts.size() < 2 || !is_letter(parts[0].text.front())) return;
        if (std::ranges::none_of(parts, [](const TextPart& part) { return is_fixed_part(part.text); })) return;
        Encoding row{.mnemonics = {{{std::string(parts[0].text)}, parts[0].in(notes_.file)}},
                     .where = parts[0].in(notes_.file)};
        for (std::size_t i = 1; i < parts.size(); ++i) read_part(parts[i], row);
        unsigned highest = 0;
        for (const Piece& piece : row.pieces) highest = std::max(highest, piece.high);
        row.width = (highest + 16) / 16 * 16;
        std::ranges::stable_sort(row.pieces, std::ranges::greater{}, &Piece::high);
        notes_.encodings.rows.push_back(std::move(row));
    }

    void read_part(const TextPart& part, Encoding& row) {
        const std::size_t equals = part.text.find('=');
        const std::string_view left = part.text.substr(0, equals);
        const Place where = part.in(notes_.file);
        const auto bits = bits_in(left);
        if (equals == std::string_view::npos) {
            for (const Argument& argument : arguments(left)) put(argument, left, where, row);
            if (arguments(left).empty()) {
                notes_.findings.push_back(finding(
                    Severity::error, where,
                    fmt::format("where `{}` stands is not said; a line `\"{}\", HIGH, LOW` says it", left, left)));
            }
            return;
        }
        const std::string_view right = part.text.substr(equals + 1);
        if (!bits) {
            notes_.findings.push_back(finding(Severity::warning, where, fmt::format("`{}` are no bits", left)));
            return;
        }
        Piece piece{.kind = Piece::Kind::fixed, .high = bits->first, .low = bits->second, .where = where};
        const auto value = number_of(right);
        if (right == "ignore") {
            piece.kind = Piece::Kind::ignored;
        } else if (value) {
            if (piece.width() < 64 && *value >> piece.width() != 0) {
                notes_.findings.push_back(finding(
                    Severity::error, where,
                    fmt::format("{} does not fit into {} bit{}", right, piece.width(), piece.width() == 1 ? "" : "s")));
            }
            for (unsigned i = piece.width(); i-- > 0;) piece.bits += i < 64 && (*value >> i & 1) ? '1' : '0';
        } else {
            piece.kind = Piece::Kind::field;
            piece.name = std::string(right);
        }
        row.pieces.push_back(std::move(piece));
    }

    std::vector<Argument> arguments(std::string_view name) const {
        std::vector<Argument> out;
        for (const Arguments* table : {&own_, &usual_arguments()}) {
            const auto [begin, end] = table->equal_range(name);
            for (auto i = begin; i != end; ++i) out.push_back(i->second);
            if (!out.empty()) break;
        }
        return out;
    }

    static void put(const Argument& argument, std::string_view name, Place where, Encoding& row) {
        row.pieces.push_back({.high = argument.high,
                              .low = argument.low,
                              .name = argument.value.empty() ? std::string(name) : argument.value,
                              .from = argument.from,
                              .where = where});
    }

    NotedTables& notes_;
    Arguments own_;
};

}  // namespace

bool has_opcode_lines(std::string_view text) {
    for (const TextPart& line : lines_of(text)) {
        const std::vector<TextPart> parts = parts_of(without_comment(line), blanks);
        const auto fixed = std::ranges::count_if(parts, [](const TextPart& part) {
            return is_fixed_part(part.text) && number_of(part.text.substr(part.text.find('=') + 1));
        });
        if (parts.size() >= 2 && is_letter(parts[0].text.front()) && fixed > 0 && is_fixed_part(parts.back().text))
            return true;
    }
    return false;
}

void read_opcode_lines(std::string_view text, NotedTables& notes) {
    notes.encodings.low_first = true;
    Reader(text, notes);
}

}  // namespace isaforge::notes
