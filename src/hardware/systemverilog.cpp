// SystemVerilog. Names of the package are said in full: not all readers know `import`. For the same reason nothing is cast to a
// type of the package.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "hardware/names.hpp"
#include "hardware/writer.hpp"

namespace isaforge::hardware {

namespace {

std::string slice_text(const std::string& of, const Slice& slice) {
    return slice.high == slice.low ? fmt::format("{}[{}]", of, slice.high)
                                   : fmt::format("{}[{}:{}]", of, slice.high, slice.low);
}

std::string slices_text(const std::string& of, const Slices& slices) {
    if (slices.size() == 1) return slice_text(of, slices[0]);
    std::string out;
    for (const Slice& slice : slices) out += (out.empty() ? "" : ", ") + slice_text(of, slice);
    return "{" + out + "}";
}

std::string pattern_text(const std::string& pattern, const Slices& of) {
    std::string bits = grouped(pattern, of);
    std::ranges::replace(bits, '-', '?');
    return fmt::format("{}'b{}", pattern.size(), bits);
}

std::string range_text(unsigned width) { return width == 1 ? "" : fmt::format("[{}:0] ", width - 1); }

class Printer {
public:
    explicit Printer(const Decoder& decoder) : d_(decoder), package_(decoder.name + "_pkg") {}

    std::string print() {
        header();
        types();
        out_ += "endpackage\n\n";
        module();
        return std::move(out_);
    }

    std::string print_formats() {
        const std::size_t count = d_.sections.size();
        add("module {0}_formats (\n    input  logic [{1}:0] word,\n    output logic [{2}:0] is\n);\n", d_.name,
            d_.word_bits - 1, count - 1);
        for (std::size_t i = 0; i < count; ++i) {
            const std::string name = "is_" + d_.sections[i].name;
            signal(name, d_.sections[i].is);
            add("    assign is[{}] = {};\n", i, name);
        }
        add("endmodule\n");
        return std::move(out_);
    }

private:
    template <typename... Values>
    void add(fmt::format_string<Values...> text, Values&&... values) {
        fmt::format_to(std::back_inserter(out_), text, std::forward<Values>(values)...);
    }

    void header() {
        const Isa& isa = *d_.isa;
        out_ += comment("// ", fmt::format("{}{}{}", isa.variant, isa.title.empty() ? "" : ": ", isa.title));
        out_ += comment("// ", "A decoder, made by `isaforge hardware` from the description of the instruction set.");
        out_ += "//\n";
        out_ += comment(
            "// ",
            fmt::format("Unit u of an instruction, of {0} bits, is word[{0}*u +: {0}]. Where `illegal` is "
                        "set nothing else means anything; an operand means something for forms "
                        "that have it{1}.",
                        isa.unit_bits, has_tails(d_) ? ", and what follows because of it where there is that" : ""));
        add("\npackage {};\n", package_);
    }

    template <typename Name>
    void enumeration(const std::string& type, unsigned bits, const std::vector<std::string>& names, Name&& name) {
        add("    typedef enum logic [{}:0] {{\n", bits - 1);
        for (std::size_t i = 0; i < names.size(); ++i)
            add("        {} = {}'d{}{}\n", name(names[i]), bits, i, i + 1 < names.size() ? "," : "");
        add("    }} {};\n\n", type);
    }

    void types() {
        std::vector<std::string> formats, forms = {"NONE"};
        for (const Section& section : d_.sections) {
            formats.push_back(section.name);
            for (const Row& row : section.rows) forms.push_back(row.name);
        }
        enumeration("format_t", d_.format_bits(), formats, [](const std::string& name) { return "FORMAT_" + name; });
        enumeration("form_t", d_.form_bits(), forms, [](const std::string& name) { return "FORM_" + name; });
        if (!d_.effects.empty()) effects();
        add("    typedef struct packed {{\n        logic illegal;\n");
        add("        logic {}length;  // in units\n", range_text(d_.length_bits()));
        add("        format_t format;\n        form_t form;\n");
        if (!d_.effects.empty()) add("        effects_t effects;\n");
        for (const Member& member : d_.members) {
            add("        logic {}{};", range_text(member.width), member.name);
            const std::string says = member_text(d_, member, 80);
            add("{}{}\n", says.empty() ? "" : "  // ", says);
        }
        add("    }} decoded_t;\n\n");
        add("    // What the word is if it has a certain format.\n    typedef struct packed {{\n        logic "
            "known;\n");
        add("        form_t form;\n{}    }} row_t;\n", d_.effects.empty() ? "" : "        effects_t effects;\n");
    }

    unsigned row_bits() const { return 1 + d_.form_bits() + static_cast<unsigned>(d_.effects.size()); }

    static std::string upper(std::string name) {
        const std::size_t end = name.find('_');
        for (std::size_t i = 0; i < std::min(end, name.size()); ++i)
            name[i] = name[i] >= 'a' && name[i] <= 'z' ? static_cast<char>(name[i] - 'a' + 'A') : name[i];
        return name;
    }

    void effects() {
        add("    typedef struct packed {{\n");
        for (const Effect& effect : d_.effects) add("        logic {};  // {}\n", effect.name, effect.says);
        add("    }} effects_t;\n\n");
    }

    void effect_constants() {
        const std::size_t count = d_.effects.size();
        for (std::size_t i = 0; i < count; ++i) {
            std::string bits(count, '0');
            bits[i] = '1';
            add("    localparam logic [{}:0] {} = {}'b{};\n", count - 1, upper(d_.effects[i].name), count, bits);
        }
    }

    // A case statement whose items are one: `target` is 1 where it matches. Synthesis that looks for items which cannot be reached
    // takes longer than one waits where many overlap: many are several statements.
    void match(const std::string& indent, const std::string& of, const Match& match, const std::string& target) {
        constexpr std::size_t most_items = 12;
        std::vector<std::string> patterns;
        for (const std::string& pattern : match.patterns) patterns.push_back(pattern_text(pattern, match.of));
        const bool one = patterns.size() <= most_items;
        if (!one) add("{}{} = 1'b0;\n", indent, target);
        for (std::size_t i = 0; i < patterns.size(); i += most_items) {
            const auto from = patterns.begin() + static_cast<std::ptrdiff_t>(i);
            const auto count = static_cast<std::ptrdiff_t>(std::min(most_items, patterns.size() - i));
            add("{}casez ({})\n", indent, slices_text(of, match.of));
            add("{}    {}: {} = 1'b1;\n", indent, list({from, from + count}, ",", indent.size() + 4, indent + "    "),
                target);
            add("{}    default: {}\n{}endcase\n", indent, one ? target + " = 1'b0;" : ";", indent);
        }
    }

    void functions() {
        for (const Codes& codes : d_.codes) {
            add("\n    // The codes that operand {} has.\n", d_.isa->operand_types[codes.type].name);
            add("    function automatic logic has_{}(input logic {}code);\n", codes.name, range_text(codes.width));
            const std::string result = "has_" + codes.name;
            if (codes.match.of.empty()) {
                add("        {} = 1'b{};\n", result, codes.match.patterns.empty() ? 0 : 1);
            } else if (codes.match.patterns.size() == 1) {
                add("        {} = {} == {};\n", result, codes.width == 1 ? "code" : slices_text("code", codes.match.of),
                    pattern_text(codes.match.patterns[0], codes.match.of));
            } else {
                match("        ", "code", codes.match, result);
            }
            add("    endfunction\n");
        }
    }

    // What is counted for limits, and whether that is too much.
    void limits() {
        for (const Counts& counts : d_.counts) {
            const Limited& limited = d_.limited[counts.limited];
            const std::string result = counts.name;
            add("\n    // What operand {} has of limit {}: equal numbers are one thing, and 0 is none.\n",
                d_.isa->operand_types[counts.type].name, d_.isa->limits[limited.limit].name);
            add("    function automatic logic {}{}(input logic {}code);\n", range_text(limited.bits()), counts.name,
                range_text(counts.width));
            add("        {} = {}'d0;\n", result, limited.bits());
            for (const Counts::Group& group : counts.groups) count(counts, group, limited);
            add("    endfunction\n");
        }
        for (const LimitKept& kept : d_.limits) limit(kept);
    }

    void count(const Counts& counts, const Counts::Group& group, const Limited& limited) {
        const unsigned code = width_of(group.of), zeros = limited.code_bits - code;
        std::string number = fmt::format("{}'b{}", group.head.size() + zeros, group.head + std::string(zeros, '0'));
        const std::string bits = counts.width == 1 ? "code" : slices_text("code", group.of);
        if (code != 0) number = fmt::format("{{{}, {}}}", number, bits);
        if (group.when.of.empty()) {
            if (group.when.is_always()) add("        {} = {};\n", counts.name, number);
            return;
        }
        std::vector<std::string> patterns;
        for (const std::string& pattern : group.when.patterns) patterns.push_back(pattern_text(pattern, group.when.of));
        add("        casez ({})\n", counts.width == 1 ? "code" : slices_text("code", group.when.of));
        add("            {}: {} = {};\n            default: ;\n        endcase\n",
            list(patterns, ",", 12, "            "), counts.name, number);
    }

    // A thing that was there before is not counted again.
    void limit(const LimitKept& kept) {
        const Limited& limited = d_.limited[kept.limited];
        const unsigned top = limited.bits() - 1;
        out_ += "\n";
        out_ += comment("    // ", limit_text(d_, kept));
        add("    function automatic logic {}(input logic [{}:0] word);\n", kept.name, d_.word_bits - 1);
        std::vector<std::string> values;
        for (const std::string& number : kept.unsaid) values.push_back(fmt::format("{}'b{}", limited.bits(), number));
        for (const LimitKept::Item& item : kept.items)
            values.push_back(fmt::format("{}({})", d_.counts[item.counts].name, slices_text("word", item.of)));
        std::vector<std::string> counted;
        for (std::size_t i = 0; i < values.size(); ++i)
            add("        logic {}thing_{};\n", range_text(limited.bits()), i);
        for (std::size_t i = 0; i < values.size(); ++i) {
            add("        thing_{} = {};\n", i, values[i]);
            const std::string there = top == 0 ? fmt::format("thing_{}", i) : fmt::format("thing_{}[{}]", i, top);
            std::string others;
            for (std::size_t j = 0; j < i; ++j)
                others += fmt::format("{}thing_{} != thing_{}", j == 0 ? "" : " && ", i, j);
            if (others.empty()) {
                counted.push_back(there);
            } else if (limited.has_own) {
                counted.push_back(fmt::format("{} && (thing_{}[{}] || {})", there, i, top - 1, others));
            } else {
                counted.push_back(fmt::format("{} && {}", there, others));
            }
        }
        const unsigned sum = bits_for(values.size());
        std::string of;
        for (const std::string& one : counted) {
            if (!of.empty()) of += "\n            + ";
            of += sum > 1 ? fmt::format("{{{}'d0, {}}}", sum - 1, one) : one;
        }
        add("        {} = {}\n            <= {}'d{};\n    endfunction\n", kept.name, of, sum,
            std::min<std::size_t>(kept.most, values.size()));
    }

    void following() {
        for (const Following& one : d_.following) {
            out_ += "\n";
            out_ += comment("    // ", fmt::format("What follows because of {} is something that there is.",
                                                   fmt::join(one.fields, ", ")));
            add("    function automatic logic {}(input logic [{}:0] word);\n", one.name, d_.word_bits - 1);
            if (one.match.of.empty()) {
                add("        {} = 1'b{};\n", one.name, one.match.is_always() ? 1 : 0);
            } else {
                match("        ", "word", one.match, one.name);
            }
            add("    endfunction\n");
        }
    }

    // A signal that tells whether the word matches.
    void signal(const std::string& name, const Match& of) {
        add("    logic {};\n", name);
        if (of.of.empty()) {
            add("    assign {} = 1'b{};\n", name, of.patterns.empty() ? 0 : 1);
            return;
        }
        if (of.patterns.size() == 1) {  // it looks at no other bits
            add("    assign {} = {} == {};\n", name, slices_text("word", of.of), pattern_text(of.patterns[0], of.of));
            return;
        }
        add("    always_comb begin\n");
        match("        ", "word", of, name);
        add("    end\n");
    }

    // What several rows check is one signal: readers see it once, and those that copy functions to where they are called do too.
    void checks() {
        std::vector<std::pair<std::string, unsigned>> uses;
        const auto note = [&](const std::vector<Check>& list) {
            for (const Check& check : list) {
                const std::string call = call_text(check);
                const auto known = std::ranges::find(uses, call, &std::pair<std::string, unsigned>::first);
                if (known == uses.end()) {
                    uses.emplace_back(call, 1);
                } else {
                    ++known->second;
                }
            }
        };
        for (const Section& section : d_.sections) {
            note(section.checks);
            for (const Row& row : section.rows) note(row.checks);
        }
        Names names(true);
        for (const auto& [call, count] : uses) {
            if (count == 1) continue;
            const std::string name = names.fresh("good_" + call.substr(0, call.find('(')), "1");
            add("{}    logic {};\n    assign {} = {};\n", checks_.empty() ? "\n" : "", name, name, call);
            checks_[call] = name;
        }
    }

    std::string call_text(const Check& check) const {
        switch (check.kind) {
            case Check::Kind::following: return d_.following[check.number].name + "(word)";
            case Check::Kind::limit: return d_.limits[check.number].name + "(word)";
            case Check::Kind::codes: break;
        }
        return fmt::format("has_{}({})", d_.codes[check.number].name, slices_text("word", check.of));
    }

    std::string check_text(const Check& check) const {
        std::string call = call_text(check);
        const auto known = checks_.find(call);
        return known == checks_.end() ? call : known->second;
    }

    std::string checks_text(const std::vector<Check>& checks) const {
        std::string out;
        for (const Check& check : checks) out += (out.empty() ? "" : " && ") + check_text(check);
        return out;
    }

    std::string row_text(const Section& section, const Row& row) const {
        std::string out = section.fall_through || row.checks.empty() ? "1'b1" : checks_text(row.checks);
        out = fmt::format("rows_{} = {{{}, {}::FORM_{}", section.name, out, package_, row.name);
        std::vector<std::string> effects;
        for (const std::size_t effect : row.effects) effects.push_back(upper(d_.effects[effect].name));
        if (!d_.effects.empty() && effects.empty()) out += fmt::format(", {}'d0", d_.effects.size());
        if (!effects.empty()) out += fmt::format(", {}", fmt::join(effects, " | "));
        return out + "};";
    }

    // The rows of a format, as a function.
    void rows(const Section& section) {
        out_ += "\n";
        out_ += comment("    // ", section.source.empty() ? "format " + section.name : section.source);
        add("    function automatic logic [{}:0] rows_{}(input logic [{}:0] word);\n", row_bits() - 1, section.name,
            d_.word_bits - 1);
        if (section.fall_through) {
            chain(section);
        } else if (section.key.empty()) {
            out_ += comment("        // ", section.rows[0].text);
            add("        {}\n", row_text(section, section.rows[0]));
        } else {
            cases(section);
        }
        add("    endfunction\n");
    }

    void cases(const Section& section) {
        add("        {}casez ({})\n", section.disjoint ? "unique " : "", slices_text("word", section.key));
        for (const Row& row : section.rows) {
            out_ += comment("            // ", row.text);
            add("            {}: {}\n", pattern_text(row.pattern, section.key), row_text(section, row));
        }
        add("            default: rows_{} = {}'d0;\n        endcase\n", section.name, row_bits());
    }

    // Rows whose operands decide, too, whether the word is theirs or that of a row behind.
    void chain(const Section& section) {
        for (std::size_t i = 0; i < section.rows.size(); ++i) {
            const Row& row = section.rows[i];
            out_ += comment("        // ", row.text);
            std::string condition = row_condition(section, row);
            if (!row.checks.empty()) condition += " && " + checks_text(row.checks);
            add("        {}if ({}) {}\n", i == 0 ? "" : "else ", condition, row_text(section, row));
        }
        add("        else rows_{} = {}'d0;\n", section.name, row_bits());
    }

    void section(const Section& section) {
        rows(section);
        signal("is_" + section.name, section.is);
        add("    {0}::row_t row_{1};\n    always_comb row_{1} = rows_{1}(word);\n", package_, section.name);
        const std::string checks = checks_text(section.checks);
        add("    logic known_{0};\n    assign known_{0} = row_{0}.known{1}{2};\n", section.name,
            checks.empty() ? "" : " && ", checks);
    }

    // The row's fixed bits, as comparisons of stretches of them.
    static std::string row_condition(const Section& section, const Row& row) {
        Slices fixed;
        std::string bits;
        std::size_t at = 0;
        for (const Slice& slice : section.key) {
            for (unsigned bit = slice.high + 1; bit-- > slice.low;) {
                const char c = row.pattern[at++];
                if (c == '-') continue;
                bits += c;
                if (!fixed.empty() && fixed.back().low == bit + 1) {
                    fixed.back().low = bit;
                } else {
                    fixed.push_back({bit, bit});
                }
            }
        }
        if (bits.empty()) return "1'b1";
        return fmt::format("{} == {}", slices_text("word", fixed), pattern_text(bits, fixed));
    }

    void lengths() {
        for (std::size_t i = 0; i + 1 < d_.lengths.size(); ++i) {
            add("\n    // {} unit{}\n", d_.lengths[i].units, d_.lengths[i].units == 1 ? "" : "s");
            signal(fmt::format("length_{}", d_.lengths[i].units), d_.lengths[i].when);
        }
    }

    void operands() {
        for (const Member& member : d_.members) {
            if (member.kind == Member::Kind::has_tail) {
                add("\n");
                signal(member.name, member.when);
                continue;
            }
            for (std::size_t i = 0; i + 1 < member.alternatives.size(); ++i) {
                const Alternative& alternative = member.alternatives[i];
                add("\n");
                out_ += comment("    // ", alternative.says);
                signal(fmt::format("{}_{}", member.name, i + 1), alternative.when);
            }
        }
    }

    std::string value_text(const Member& member, const Alternative& alternative) const {
        const unsigned width = width_of(alternative.of), more = member.width - width;
        std::string bits = slices_text("word", alternative.of);
        if (more == 0) return bits;
        const std::string inner = alternative.of.size() == 1 ? bits : bits.substr(1, bits.size() - 2);
        if (!alternative.is_signed) return fmt::format("{{{}'d0, {}}}", more, inner);
        return fmt::format("{{{{{}{{word[{}]}}}}, {}}}", more, alternative.of[0].high, inner);
    }

    void module() {
        add("module {0}_decoder (\n    input  logic [{1}:0] word,\n    output {0}_pkg::decoded_t decoded\n);\n",
            d_.name, d_.word_bits - 1);
        effect_constants();
        functions();
        limits();
        following();
        checks();
        lengths();
        for (const Section& one : d_.sections) section(one);
        operands();
        add("\n    always_comb begin\n");
        std::vector<std::string> known;
        for (const Section& section : d_.sections) known.push_back("known_" + section.name);
        add("        decoded.illegal = !({});\n", list(known, " ||", 29, "                "));
        std::string length;
        for (const Length& one : d_.lengths) {
            const std::string number = fmt::format("{}'d{}", d_.length_bits(), one.units);
            length += &one == &d_.lengths.back() ? number : fmt::format("length_{} ? {} : ", one.units, number);
        }
        add("        decoded.length = {};\n", length);
        bundle();
        add("    end\nendmodule\n");
    }

    void bundle() {
        add("        decoded.format = {}::FORMAT_{};\n        decoded.form = {}::FORM_NONE;\n", package_,
            d_.sections[0].name, package_);
        if (!d_.effects.empty()) add("        decoded.effects = {}'d0;\n", d_.effects.size());
        add("        // A word of several formats is no instruction.\n        (* parallel_case *)\n        case "
            "(1'b1)\n");
        for (const Section& section : d_.sections) {
            add("            is_{0}: begin\n                decoded.format = {1}::FORMAT_{0};\n"
                "                decoded.form = row_{0}.form;\n",
                section.name, package_);
            if (!d_.effects.empty()) add("                decoded.effects = row_{}.effects;\n", section.name);
            add("            end\n");
        }
        add("            default: ;\n        endcase\n");
        for (const Member& member : d_.members) {
            std::string value = member.kind == Member::Kind::has_tail ? member.name : "";
            for (std::size_t i = 0; i < member.alternatives.size(); ++i) {
                if (i != 0) value += "\n            : ";
                if (i + 1 < member.alternatives.size()) value += fmt::format("{}_{} ? ", member.name, i + 1);
                value += value_text(member, member.alternatives[i]);
            }
            add("        decoded.{} = {};\n", member.name, value);
        }
    }

    const Decoder& d_;
    std::string package_;
    std::map<std::string, std::string> checks_;  // signals, by the call that they are the value of
    std::string out_;
};

}  // namespace

std::string systemverilog(const Decoder& decoder) { return Printer(decoder).print(); }

std::string systemverilog_formats(const Decoder& decoder) { return Printer(decoder).print_formats(); }

std::string systemverilog_testbench(const Decoder& decoder, std::string_view words) {
    const unsigned bits = decoder.bundle_bits(), word = decoder.word_bits;
    return fmt::format(
        R"(// A testbench for {0}_decoder. Each line of the file has a word, what is expected of it, and which bits of that mean
// something, side by side.
module {0}_testbench #(
    parameter WORDS = "{1}"
);
    logic [{2}:0] word;
    {0}_pkg::decoded_t decoded;
    logic [{3}:0] expected, care;
    logic [{4}:0] line;
    integer file, seen = 0, wrong = 0;

    {0}_decoder decoder (.word(word), .decoded(decoded));

    initial begin
        file = $fopen(WORDS, "r");
        if (file == 0) $fatal(1, "cannot read %s", WORDS);
        while ($fscanf(file, "%h\n", line) == 1) begin
            {{word, expected, care}} = line;
            #1;
            seen = seen + 1;
            if (((decoded ^ expected) & care) != 0) begin
                wrong = wrong + 1;
                if (wrong <= 10)
                    $display("word %h: decoded %h, expected %h, of which %h counts", word, decoded, expected, care);
            end
        end
        $fclose(file);
        $display("%0d words, %0d wrong", seen, wrong);
        if (wrong != 0 || seen == 0) $fatal(1, "the decoder is not what the description says");
        $finish;
    end
endmodule
)",
        decoder.name, words, word - 1, bits - 1, word + 2 * bits - 1);
}

}  // namespace isaforge::hardware
