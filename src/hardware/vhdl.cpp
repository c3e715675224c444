// VHDL-2008. Formats and forms are enumerations; what a decoder looks at is compared by std_match, which knows bits that do not
// matter.
#include <fmt/format.h>

#include <algorithm>

#include "hardware/writer.hpp"

namespace isaforge::hardware {

namespace {

std::string slice_text(const std::string& of, const Slice& slice) {
    return fmt::format("{}({} downto {})", of, slice.high, slice.low);
}

std::string joined(const std::string& of, const Slices& slices) {
    std::string out;
    for (const Slice& slice : slices) out += (out.empty() ? "" : " & ") + slice_text(of, slice);
    return out;
}

class Printer {
public:
    explicit Printer(const Decoder& decoder) : d_(decoder), package_(decoder.name + "_pkg") {}

    std::string print() {
        const Isa& isa = *d_.isa;
        text("-- ", fmt::format("{}{}{}", isa.variant, isa.title.empty() ? "" : ": ", isa.title));
        text("-- ", "A decoder, made by `isaforge hardware` from the description of the instruction set.");
        add("--\n");
        text("-- ",
             fmt::format(
                 "Unit u of an instruction, of {0} bits, is word({0}*u + {1} downto {0}*u). Where illegal is set "
                 "nothing else means anything; an operand means something for forms that have it{2}.",
                 isa.unit_bits, isa.unit_bits - 1,
                 has_tails(d_) ? ", and what follows because of it where there is that" : ""));
        package();
        body();
        entity();
        return std::move(out_);
    }

private:
    template <typename... Values>
    void add(fmt::format_string<Values...> text, Values&&... values) {
        fmt::format_to(std::back_inserter(out_), text, std::forward<Values>(values)...);
    }
    void text(std::string_view prefix, std::string_view words) { out_ += comment(prefix, words); }

    void enumeration(const std::string& type, const std::vector<std::string>& names) {
        add("    type {} is (\n", type);
        for (std::size_t i = 0; i < names.size(); ++i) add("        {}{}\n", names[i], i + 1 < names.size() ? "," : "");
        add("    );\n\n");
    }

    static std::string upper(std::string name) {
        std::ranges::transform(name, name.begin(),
                               [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; });
        return name;
    }

    void package() {
        add("library ieee;\nuse ieee.std_logic_1164.all;\nuse ieee.numeric_std.all;\n\npackage {} is\n", package_);
        std::vector<std::string> formats, forms = {"FORM_NONE"};
        for (const Section& section : d_.sections) {
            formats.push_back("FORMAT_" + section.name);
            for (const Row& row : section.rows) forms.push_back("FORM_" + row.name);
        }
        enumeration("format_t", formats);
        enumeration("form_t", forms);
        const std::size_t count = d_.effects.size();
        if (count != 0) add("    subtype effects_t is std_logic_vector({} downto 0);\n", count - 1);
        for (std::size_t i = 0; i < count; ++i) {
            std::string bits(count, '0');
            bits[i] = '1';
            add("    constant {} : effects_t := \"{}\";  -- {}\n", upper(d_.effects[i].name), bits, d_.effects[i].says);
        }
        add("{}    type decoded_t is record\n        illegal : std_logic;\n", count != 0 ? "\n" : "");
        add("        length : std_logic_vector({} downto 0);  -- in units\n", d_.length_bits() - 1);
        add("        format : format_t;\n        form : form_t;\n");
        if (count != 0) add("        effects : effects_t;\n");
        for (const Member& member : d_.members) {
            const std::string says = member_text(d_, member, 70);
            const std::string type = member.kind == Member::Kind::has_tail
                                         ? "std_logic"
                                         : fmt::format("std_logic_vector({} downto 0)", member.width - 1);
            add("        {} : {};{}{}\n", member.name, type, says.empty() ? "" : "  -- ", says);
        }
        add("    end record;\n\n");
        for (const Codes& codes : d_.codes)
            add("    function has_{}(code : std_logic_vector) return boolean;\n", codes.name);
        for (const LimitKept& kept : d_.limits)
            add("    function {}(word : std_logic_vector) return boolean;\n", kept.name);
        for (const Following& one : d_.following)
            add("    function {}(word : std_logic_vector) return boolean;\n", one.name);
        add("    function bit_of(it : boolean) return std_logic;\n");
        add("    -- All parts side by side, the first one being the most significant.\n");
        add("    function to_bits(decoded : decoded_t) return std_logic_vector;\nend package;\n\n");
    }

    // `bits` is an expression, or a variable of just these bits.
    std::string match_text(const std::string& bits, const Match& match, std::size_t column,
                           const std::string& indent) const {
        std::vector<std::string> tests;
        for (const std::string& pattern : match.patterns)
            tests.push_back(fmt::format("std_match({}, \"{}\")", bits, pattern));
        return list(tests, " or", column, indent, 110);
    }

    void body() {
        add("package body {} is\n", package_);
        for (const Codes& codes : d_.codes) {
            add("    -- The codes that operand {} has.\n", d_.isa->operand_types[codes.type].name);
            add("    function has_{}(code : std_logic_vector) return boolean is\n", codes.name);
            if (codes.match.of.empty()) {
                add("    begin\n        return {};\n    end function;\n\n",
                    codes.match.patterns.empty() ? "false" : "true");
                continue;
            }
            add("        alias given : std_logic_vector({} downto 0) is code;\n", codes.width - 1);
            add("        constant bits : std_logic_vector({} downto 0) := {};\n", width_of(codes.match.of) - 1,
                joined("given", codes.match.of));
            add("    begin\n        return {};\n    end function;\n\n",
                match_text("bits", codes.match, 15, "            "));
        }
        for (const Counts& counts : d_.counts) count(counts);
        for (const LimitKept& kept : d_.limits) limit(kept);
        following();
        add("    function bit_of(it : boolean) return std_logic is\n    begin\n        if it then\n            return "
            "'1';\n"
            "        end if;\n        return '0';\n    end function;\n\n");
        add("    function to_bits(decoded : decoded_t) return std_logic_vector is\n    begin\n        return "
            "decoded.illegal & "
            "decoded.length\n            & std_logic_vector(to_unsigned(format_t'pos(decoded.format), {}))\n           "
            " & "
            "std_logic_vector(to_unsigned(form_t'pos(decoded.form), {}))",
            d_.format_bits(), d_.form_bits());
        if (!d_.effects.empty()) add("\n            & decoded.effects");
        for (const Member& member : d_.members) add("\n            & decoded.{}", member.name);
        add(";\n    end function;\nend package body;\n\n");
    }

    // What an operand has of a limit: equal numbers are one thing, and 0 is none.
    void count(const Counts& counts) {
        const Limited& limited = d_.limited[counts.limited];
        add("    -- What operand {} has of limit {}: equal numbers are one thing, and 0 is none.\n",
            d_.isa->operand_types[counts.type].name, d_.isa->limits[limited.limit].name);
        add("    function {}(code : std_logic_vector) return std_logic_vector is\n", counts.name);
        add("        alias given : std_logic_vector({} downto 0) is code;\n    begin\n", counts.width - 1);
        for (const Counts::Group& group : counts.groups) {
            if (group.when.patterns.empty()) continue;
            const std::string zeros(limited.code_bits - width_of(group.of), '0');
            const std::string code = joined("given", group.of);
            const std::string number =
                fmt::format("std_logic_vector'(\"{}\"{}{})", group.head + zeros, code.empty() ? "" : " & ", code);
            if (group.when.of.empty()) {
                add("        return {};\n", number);
                continue;
            }
            const std::string bits = fmt::format("std_logic_vector'({})", joined("given", group.when.of));
            add("        if {} then\n            return {};\n        end if;\n",
                match_text(bits, group.when, 12, "                "), number);
        }
        add("        return \"{}\";\n    end function;\n\n", std::string(limited.bits(), '0'));
    }

    // A thing that was there before is not counted again.
    void limit(const LimitKept& kept) {
        const Limited& limited = d_.limited[kept.limited];
        const unsigned top = limited.bits() - 1;
        text("    -- ", limit_text(d_, kept));
        add("    function {}(word : std_logic_vector) return boolean is\n", kept.name);
        add("        alias given : std_logic_vector({} downto 0) is word;\n", d_.word_bits - 1);
        add("        variable count : natural range 0 to {} := 0;\n", kept.unsaid.size() + kept.items.size());
        std::vector<std::string> values;
        for (const std::string& number : kept.unsaid) values.push_back(fmt::format("\"{}\"", number));
        for (const LimitKept::Item& item : kept.items)
            values.push_back(
                fmt::format("{}(std_logic_vector'({}))", d_.counts[item.counts].name, joined("given", item.of)));
        for (std::size_t i = 0; i < values.size(); ++i)
            add("        variable thing_{} : std_logic_vector({} downto 0);\n", i, top);
        add("    begin\n");
        for (std::size_t i = 0; i < values.size(); ++i) {
            add("        thing_{} := {};\n", i, values[i]);
            std::string others;
            for (std::size_t j = 0; j < i; ++j)
                others += fmt::format("{}thing_{} /= thing_{}", j == 0 ? "" : " and ", i, j);
            if (!others.empty() && limited.has_own)
                others = fmt::format("(thing_{}({}) = '1' or ({}))", i, top - 1, others);
            add("        if thing_{}({}) = '1'{}{} then\n            count := count + 1;\n        end if;\n", i, top,
                others.empty() ? "" : " and ", others);
        }
        add("        return count <= {};\n    end function;\n\n", kept.most);
    }

    void following() {
        for (const Following& one : d_.following) {
            text("    -- ",
                 fmt::format("What follows because of {} is something that there is.", fmt::join(one.fields, ", ")));
            add("    function {}(word : std_logic_vector) return boolean is\n", one.name);
            if (one.match.of.empty()) {
                add("    begin\n        return {};\n    end function;\n\n", one.match.is_always() ? "true" : "false");
                continue;
            }
            add("        alias given : std_logic_vector({} downto 0) is word;\n", d_.word_bits - 1);
            add("        constant bits : std_logic_vector({} downto 0) := {};\n", width_of(one.match.of) - 1,
                joined("given", one.match.of));
            add("    begin\n        return {};\n    end function;\n\n",
                match_text("bits", one.match, 15, "            "));
        }
    }

    void entity() {
        add("library ieee;\nuse ieee.std_logic_1164.all;\nuse ieee.numeric_std.all;\nuse work.{0}.all;\n\n"
            "entity {1}_decoder is\n    port (\n        word : in std_logic_vector({2} downto 0);\n"
            "        decoded : out decoded_t\n    );\nend entity;\n\narchitecture rtl of {1}_decoder is\n",
            package_, d_.name, d_.word_bits - 1);
        for (std::size_t i = 0; i + 1 < d_.lengths.size(); ++i)
            add("    signal length_{} : boolean;\n", d_.lengths[i].units);
        for (const Section& section : d_.sections) {
            add("    signal is_{0}, known_{0} : boolean;\n    signal row_{0} : form_t;\n", section.name);
            if (!d_.effects.empty()) add("    signal effects_{} : effects_t;\n", section.name);
        }
        for (const Member& member : d_.members) {
            if (member.kind == Member::Kind::has_tail) add("    signal {} : boolean;\n", member.name);
            for (std::size_t i = 0; i + 1 < member.alternatives.size(); ++i)
                add("    signal {}_{} : boolean;\n", member.name, i + 1);
        }
        add("begin\n");
        for (std::size_t i = 0; i + 1 < d_.lengths.size(); ++i) {
            add("    -- {} unit{}\n", d_.lengths[i].units, d_.lengths[i].units == 1 ? "" : "s");
            signal(fmt::format("length_{}", d_.lengths[i].units), d_.lengths[i].when);
        }
        for (const Section& one : d_.sections) section(one);
        for (const Member& member : d_.members) operand(member);
        bundle();
        add("end architecture;\n");
    }

    void signal(const std::string& name, const Match& of) {
        if (of.of.empty()) {
            add("    {} <= {};\n\n", name, of.patterns.empty() ? "false" : "true");
            return;
        }
        add("    process (word)\n        variable bits : std_logic_vector({} downto 0);\n    begin\n        bits := "
            "{};\n",
            width_of(of.of) - 1, joined("word", of.of));
        add("        {} <= {};\n    end process;\n\n", name, match_text("bits", of, name.size() + 12, "            "));
    }

    std::string check_text(const Check& check) const {
        switch (check.kind) {
            case Check::Kind::following: return d_.following[check.number].name + "(word)";
            case Check::Kind::limit: return d_.limits[check.number].name + "(word)";
            case Check::Kind::codes: break;
        }
        return fmt::format("has_{}(std_logic_vector'({}))", d_.codes[check.number].name, joined("word", check.of));
    }

    std::string checks_text(const std::vector<Check>& checks) const {
        std::string out;
        for (const Check& check : checks) out += (out.empty() ? "" : " and ") + check_text(check);
        return out;
    }

    void row(const Section& section, const Row& row, const std::string& indent) {
        add("{}row_{} <= FORM_{};\n", indent, section.name, row.name);
        std::string effects;
        for (const std::size_t effect : row.effects)
            effects += (effects.empty() ? "" : " or ") + upper(d_.effects[effect].name);
        if (!effects.empty()) add("{}effects_{} <= {};\n", indent, section.name, effects);
        const std::string checks = checks_text(section.fall_through ? std::vector<Check>{} : row.checks);
        if (!checks.empty()) add("{}known := {};\n", indent, checks);
    }

    void section(const Section& section) {
        text("    -- ", section.source.empty() ? "format " + section.name : section.source);
        signal("is_" + section.name, section.is);
        add("    process (word)\n        variable known : boolean;\n");
        const bool looks = !section.key.empty();
        if (looks) add("        variable bits : std_logic_vector({} downto 0);\n", width_of(section.key) - 1);
        add("    begin\n        known := true;\n        row_{} <= FORM_NONE;\n", section.name);
        if (!d_.effects.empty()) add("        effects_{} <= (others => '0');\n", section.name);
        if (looks) add("        bits := {};\n", joined("word", section.key));
        for (std::size_t i = 0; i < section.rows.size() && looks; ++i) {
            const Row& one = section.rows[i];
            const std::string checks = section.fall_through ? checks_text(one.checks) : "";
            add("        {} std_match(bits, \"{}\"){}{} then\n", i == 0 ? "if" : "elsif", one.pattern,
                checks.empty() ? "" : " and ", checks);
            text("            -- ", one.text);
            row(section, one, "            ");
        }
        if (looks) {
            add("        else\n            known := false;\n        end if;\n");
        } else {
            text("        -- ", section.rows[0].text);
            row(section, section.rows[0], "        ");
        }
        const std::string checks = section.fall_through ? "" : checks_text(section.checks);
        add("        known_{} <= known{}{};\n    end process;\n\n", section.name, checks.empty() ? "" : " and ",
            checks);
    }

    void operand(const Member& member) {
        if (member.kind == Member::Kind::has_tail) signal(member.name, member.when);
        for (std::size_t i = 0; i + 1 < member.alternatives.size(); ++i) {
            text("    -- ", member.alternatives[i].says);
            signal(fmt::format("{}_{}", member.name, i + 1), member.alternatives[i].when);
        }
    }

    void bundle() {
        std::vector<std::string> known;
        for (const Section& section : d_.sections) known.push_back("known_" + section.name);
        add("    decoded.illegal <= bit_of(not ({}));\n", list(known, " or", 35, "        ", 110));
        std::string length;
        for (const Length& one : d_.lengths) {
            std::string bits;
            for (unsigned i = d_.length_bits(); i-- > 0;) bits += one.units >> i & 1 ? '1' : '0';
            length += fmt::format("\"{}\"", bits);
            if (&one != &d_.lengths.back()) length += fmt::format(" when length_{} else ", one.units);
        }
        add("    decoded.length <= {};\n\n    process (all)\n    begin\n", length);
        add("        -- A word of several formats is no instruction.\n");
        for (const Section& section : d_.sections) {
            add("        {} is_{} then\n", &section == d_.sections.data() ? "if" : "elsif", section.name);
            add("            decoded.format <= FORMAT_{0};\n            decoded.form <= row_{0};\n", section.name);
            if (!d_.effects.empty()) add("            decoded.effects <= effects_{};\n", section.name);
        }
        add("        else\n            decoded.format <= FORMAT_{};\n            decoded.form <= FORM_NONE;\n",
            d_.sections[0].name);
        if (!d_.effects.empty()) add("            decoded.effects <= (others => '0');\n");
        add("        end if;\n    end process;\n\n");
        for (const Member& member : d_.members) {
            std::string value = member.kind == Member::Kind::has_tail ? fmt::format("bit_of({})", member.name) : "";
            for (std::size_t i = 0; i < member.alternatives.size(); ++i) {
                const Alternative& one = member.alternatives[i];
                value += fmt::format("{}std_logic_vector(resize({}(std_logic_vector'({})), {}))",
                                     i == 0 ? "" : "\n        else ", one.is_signed ? "signed" : "unsigned",
                                     joined("word", one.of), member.width);
                if (i + 1 < member.alternatives.size()) value += fmt::format(" when {}_{}", member.name, i + 1);
            }
            add("    decoded.{} <= {};\n", member.name, value);
        }
    }

    const Decoder& d_;
    std::string package_;
    std::string out_;
};

}  // namespace

std::string vhdl(const Decoder& decoder) { return Printer(decoder).print(); }

std::string vhdl_testbench(const Decoder& decoder, std::string_view words) {
    const unsigned bits = decoder.bundle_bits(), word = decoder.word_bits;
    const unsigned line = (word + 2 * bits + 3) / 4 * 4;
    return fmt::format(
        R"(-- A testbench for {0}_decoder. Each line of the file has a word, what is expected of it, and which bits of that mean
-- something, side by side.
library ieee;
use ieee.std_logic_1164.all;
use ieee.numeric_std.all;
use std.textio.all;
use work.{0}_pkg.all;

entity {0}_testbench is
    generic (WORDS : string := "{1}");
end entity;

architecture test of {0}_testbench is
    signal word : std_logic_vector({2} downto 0) := (others => '0');
    signal decoded : decoded_t;
begin
    decoder : entity work.{0}_decoder port map (word => word, decoded => decoded);

    process
        file lines : text open read_mode is WORDS;
        variable text_line : line;
        variable given : std_logic_vector({3} downto 0);
        variable expected, care : std_logic_vector({4} downto 0);
        variable seen, wrong : natural := 0;
    begin
        while not endfile(lines) loop
            readline(lines, text_line);
            hread(text_line, given);
            word <= given({5} downto {6});
            expected := given({7} downto {8});
            care := given({4} downto 0);
            wait for 1 ns;
            seen := seen + 1;
            if ((to_bits(decoded) xor expected) and care) /= (care'range => '0') then
                wrong := wrong + 1;
                if wrong <= 10 then
                    report "word " & to_hstring(word) & ": decoded " & to_hstring(to_bits(decoded)) & ", expected "
                        & to_hstring(expected) & ", of which " & to_hstring(care) & " counts" severity error;
                end if;
            end if;
        end loop;
        report integer'image(seen) & " words, " & integer'image(wrong) & " wrong" severity note;
        assert wrong = 0 and seen /= 0 report "the decoder is not what the description says" severity failure;
        wait;
    end process;
end architecture;
)",
        decoder.name, words, word - 1, line - 1, bits - 1, word + 2 * bits - 1, 2 * bits, 2 * bits - 1, bits);
}

}  // namespace isaforge::hardware
