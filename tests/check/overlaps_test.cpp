// Rows that meet and rows that nothing reaches: what the checker says of random small machines, against a
// look at every word.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "isaforge/isa.hpp"

namespace isaforge {
namespace {

constexpr unsigned word_bits = 16;

struct Part {  // of a row: bits that are given, or a capture within bounds
    unsigned width = 0;
    bool capture = false;
    std::string bits;
    std::uint64_t low = 0, high = 0, step = 1;
    int operand = -1;  // of the capture; none: a plain number

    bool claims(std::uint64_t value) const {
        if (capture) return value >= low && value <= high && (value - low) % step == 0;
        for (unsigned i = 0; i < width; ++i) {
            if (bits[i] != '-' && (bits[i] == '1') != ((value >> (width - 1 - i) & 1) != 0)) return false;
        }
        return true;
    }
};

struct Row {
    std::vector<Part> parts;
    bool reserved = false;
    unsigned line = 0;
};

struct Operand {
    unsigned width = 0;
    std::vector<Row> rows;
    std::vector<bool> valid;  // by code
};

struct Form {
    std::vector<bool> words;
    unsigned line = 0;
};

class Machine {
public:
    explicit Machine(unsigned seed) : random_(seed) {
        line("isa m \"m\"");
        line("code unit 16 little");
        const unsigned operands = 1 + below(3);
        for (unsigned i = 0; i < operands; ++i) add_operand();
        const unsigned rows = 2 + below(4);
        for (unsigned i = 0; i < rows; ++i) add_form(i);
    }

    // What is wrong with it, as lines.
    std::set<unsigned> never, twice, both;

    std::string text;
    std::vector<Form> forms;

    void judge() {
        for (const Operand& operand : operands_) judge(operand);
        std::vector<bool> used(1u << word_bits);
        for (const Form& form : forms) {
            for (std::size_t word = 0; word < used.size(); ++word) {
                if (form.words[word] && used[word]) both.insert(form.line);
            }
            for (std::size_t word = 0; word < used.size(); ++word) used[word] = used[word] || form.words[word];
        }
    }

private:
    unsigned below(unsigned count) { return static_cast<unsigned>(random_() % count); }

    unsigned line(const std::string& what) {
        text += what + "\n";
        return ++lines_;
    }

    Part random_part(unsigned width, bool nested) {
        Part part;
        part.width = width;
        part.capture = below(2) == 0;
        if (!part.capture) {
            for (unsigned i = 0; i < width; ++i) part.bits += i == 0 ? "01"[below(2)] : "01-"[below(3)];
            return part;
        }
        part.high = (1u << width) - 1;
        for (std::size_t i = 0; nested && i < operands_.size(); ++i) {
            if (operands_[i].width == width && below(2)) part.operand = static_cast<int>(i);
        }
        if (part.operand >= 0 || below(2)) return part;
        const unsigned a = below(1u << width), b = below(1u << width);
        part.low = std::min(a, b);
        part.high = std::max(a, b);
        const unsigned steps[] = {1, 2, 3, 4, 5, 8};
        part.step = steps[below(6)];
        return part;
    }

    std::string cell(const Part& part, unsigned index) const {
        if (!part.capture) return part.bits;
        std::string out = "k" + std::to_string(index) + ":";
        out += part.operand >= 0 ? "o" + std::to_string(part.operand) : std::to_string(part.width);
        if (part.low != 0 || part.high != (1u << part.width) - 1 || part.step != 1)
            out += " in " + std::to_string(part.low) + ".." + std::to_string(part.high) + " step " +
                   std::to_string(part.step);
        return out;
    }

    bool claims(const Row& row, std::uint64_t code, unsigned width, bool inside) const {
        unsigned left = width;
        for (const Part& part : row.parts) {
            left -= part.width;
            const std::uint64_t value = code >> left & ((1u << part.width) - 1);
            if (!part.claims(value)) return false;
            if (inside && part.operand >= 0 && !operands_[static_cast<std::size_t>(part.operand)].valid[value])
                return false;
        }
        return true;
    }

    void add_operand() {
        Operand out;
        out.width = 3 + below(11);
        const std::string name = "o" + std::to_string(operands_.size());
        line("operand " + name + " : " + std::to_string(out.width) + " {");
        const unsigned rows = 1 + below(5);
        for (unsigned i = 0; i < rows; ++i) {
            Row row;
            for (unsigned left = out.width; left > 0;) {
                const unsigned width = 1 + below(left);
                row.parts.push_back(random_part(width, true));
                left -= width;
            }
            row.reserved = below(4) == 0;
            std::string cells, texts = "t" + std::to_string(i);
            for (unsigned k = 0; k < row.parts.size(); ++k) {
                cells += " " + cell(row.parts[k], k);
                if (row.parts[k].capture) texts += " {k" + std::to_string(k) + "}";
            }
            row.line = line("   " + cells + (row.reserved ? " reserved" : " \"" + texts + "\""));
            out.rows.push_back(row);
        }
        line("}");
        for (std::uint64_t code = 0; code < 1u << out.width; ++code) {
            const auto first = std::find_if(out.rows.begin(), out.rows.end(),
                                            [&](const Row& row) { return claims(row, code, out.width, true); });
            out.valid.push_back(first != out.rows.end() && !first->reserved);
        }
        operands_.push_back(std::move(out));
    }

    void add_form(unsigned index) {
        const unsigned which = below(static_cast<unsigned>(operands_.size()));
        const Operand& operand = operands_[which];
        const unsigned rest = word_bits - operand.width, before = below(rest + 1), behind = rest - before;
        std::string front, back;
        for (unsigned i = 0; i < before; ++i) front += below(4) ? "0" : "1";
        for (unsigned i = 0; i < behind; ++i) back += below(4) ? "0" : "1";
        const std::string name = "F" + std::to_string(index);
        line("format " + name + (front.empty() ? " | " : " | " + front + " | ") + "P:o" + std::to_string(which) + " |" +
             (back.empty() ? "" : " " + back + " |"));
        line("instructions " + name + " [] \"{name} {P}\" {");
        Form form;
        form.line = line("    i" + std::to_string(index));
        line("}");
        for (std::uint32_t word = 0; word < 1u << word_bits; ++word) {
            bool good = operand.valid[word >> behind & ((1u << operand.width) - 1)];
            for (unsigned i = 0; i < before; ++i) good = good && (front[i] == '1') == (word >> (15 - i) & 1);
            for (unsigned i = 0; i < behind; ++i) good = good && (back[i] == '1') == (word >> (behind - 1 - i) & 1);
            form.words.push_back(good);
        }
        forms.push_back(std::move(form));
    }

    void judge(const Operand& operand) {
        const std::size_t count = std::size_t{1} << operand.width;
        std::vector<bool> taken(count);
        for (std::size_t later = 0; later < operand.rows.size(); ++later) {
            const Row& row = operand.rows[later];
            bool reached = false;
            for (std::size_t code = 0; code < count; ++code)
                reached |= !taken[code] && claims(row, code, operand.width, false);
            if (!reached) never.insert(row.line);
            for (std::size_t earlier = 0; reached && !row.reserved && earlier < later; ++earlier) {
                bool shared = false, held = true;
                for (std::size_t code = 0; code < count; ++code) {
                    if (!claims(operand.rows[earlier], code, operand.width, false)) continue;
                    shared |= claims(row, code, operand.width, false);
                    held &= claims(row, code, operand.width, false);
                }
                if (shared && !held) twice.insert(row.line);
            }
            for (std::size_t code = 0; code < count; ++code)
                taken[code] = taken[code] || claims(row, code, operand.width, false);
        }
    }

    std::mt19937_64 random_;
    std::vector<Operand> operands_;
    unsigned lines_ = 0;
};

std::set<unsigned> lines_with(const Diagnostics& diagnostics, const SourceManager& sources, const std::string& words) {
    std::set<unsigned> out;
    for (const Diagnostic& one : diagnostics.all()) {
        if (one.message.find(words) != std::string::npos) out.insert(sources.line_column(one.place).line);
    }
    return out;
}

TEST(Overlaps, AreThoseThatALookAtEveryWordFinds) {
    std::size_t never = 0, twice = 0, both = 0, clean = 0;
    for (unsigned seed = 0; seed < 600; ++seed) {
        Machine machine(seed);
        machine.judge();
        SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + machine.text);
        SourceManager sources;
        Diagnostics diagnostics;
        const auto isa = load_isa_text("m.isa", machine.text, sources, diagnostics);
        ASSERT_TRUE(isa) << to_text(diagnostics, sources);
        check_isa(*isa, diagnostics);
        ASSERT_EQ(lines_with(diagnostics, sources, "was not decided"), std::set<unsigned>());
        ASSERT_EQ(lines_with(diagnostics, sources, "can never match"), machine.never);
        ASSERT_EQ(lines_with(diagnostics, sources, "two rows of operand"), machine.twice);
        ASSERT_EQ(lines_with(diagnostics, sources, "both match"), machine.both);
        for (const Diagnostic& one : diagnostics.all()) {
            const std::size_t at = one.message.find("both match 0x");
            if (at == std::string::npos) continue;
            const auto word = static_cast<std::size_t>(std::stoul(one.message.substr(at + 11), nullptr, 16));
            const unsigned second = sources.line_column(one.place).line;
            const unsigned first = sources.line_column(one.notes.at(0).place).line;
            for (const Form& form : machine.forms) {
                if (form.line == first || form.line == second) {
                    ASSERT_TRUE(form.words[word]);
                }
            }
        }
        never += machine.never.size();
        twice += machine.twice.size();
        both += machine.both.size();
        clean += machine.both.empty();
    }
    EXPECT_GT(never, 50u);
    EXPECT_GT(twice, 50u);
    EXPECT_GT(both, 50u);
    EXPECT_GT(clean, 50u);
}

// Every second number of 2^40, and every third: too many to look at, and no two words of one step are of the other's.
TEST(Overlaps, OfWideOperandsAreFoundWithoutLookingAtTheirCodes) {
    const auto said = [](const std::string& first, const std::string& second) {
        const std::string text = "isa m \"m\"\ncode unit 64 little\noperand p : 40 { k:40 in " + first +
                                 " \"p {k}\" }\noperand q : 40 { k:40 in " + second +
                                 " \"q {k}\" }\nformat A | 1:24 | P:p |\nformat B | 1:24 | P:q |\n"
                                 "instructions A [] \"{name} {P}\" {\n one\n}\n"
                                 "instructions B [] \"{name} {P}\" {\n two\n}\n";
        SourceManager sources;
        Diagnostics diagnostics;
        const auto isa = load_isa_text("m.isa", text, sources, diagnostics);
        if (!isa) return to_text(diagnostics, sources);
        check_isa(*isa, diagnostics);
        return diagnostics.all().empty() ? std::string() : diagnostics.all()[0].message;
    };
    EXPECT_EQ(said("0..0xfffffffffe step 2", "1..0xffffffffff step 2"), "");
    EXPECT_EQ(said("0..0xfffffffffe step 6", "3..0xfffffffffd step 6"), "");
    EXPECT_EQ(said("1000..0xfffffffffe step 6", "3..1006 step 1"), "two (B) and one (A) both match 0x00000100000003e8");
    EXPECT_EQ(said("0..0xfffffffffe step 2", "0xfffffffffe..0xffffffffff step 1"),
              "two (B) and one (A) both match 0x000001fffffffffe");
    EXPECT_EQ(said("0..0x7fffffffff step 1", "0x8000000000..0xffffffffff step 1"), "");
}

}  // namespace
}  // namespace isaforge
