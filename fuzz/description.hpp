// Descriptions as an input: rows, declarations and words of shipped descriptions and of the reference's examples put
// together anew.
#pragma once

#include "isaforge/isa.hpp"
#include "text.hpp"

namespace isaforge::fuzz {

// The examples of a page of the documentation: what stands between fences whose info string begins like `kind`, with what the
// comment before completes it with.
inline std::vector<std::string> fenced_examples(const char* page, std::string_view kind) {
    constexpr std::string_view fence = "```";
    std::vector<std::string> found;
    std::string rest, block;
    enum { outside, in_rest, in_example, in_other } state = outside;
    for (const std::string& line : lines_of(read_file(page))) {
        if (state == in_rest && line.starts_with("-->")) {
            state = outside;
        } else if (state == outside && line.starts_with("<!-- rest")) {
            state = in_rest;
        } else if (state == outside && line.starts_with(fence)) {
            state = std::string_view(line).substr(fence.size()).starts_with(kind) ? in_example : in_other;
        } else if (line.starts_with(fence)) {
            if (state == in_example) found.push_back(rest + block);
            state = outside;
            rest.clear(), block.clear();
        } else if (state == in_rest || state == in_example) {
            (state == in_rest ? rest : block) += line;
        }
    }
    return found;
}

inline std::vector<std::string> described_examples() {
    std::vector<std::string> found = fenced_examples(ISAFORGE_SOURCE_DIR "/docs/language.md", "isa");
    for (std::string& text : found) {
        if (!text.starts_with("isa ")) text = "isa sample \"Sample\"\n" + text;
    }
    return found;
}

inline std::vector<std::string> noted_examples() {
    return fenced_examples(ISAFORGE_SOURCE_DIR "/docs/notes.md", "text");
}

// Whole descriptions that are small enough to be changed often.
inline std::vector<std::string> small_descriptions() {
    constexpr std::size_t most = 4096;
    std::vector<std::string> texts = described_examples();
    for (const auto& path : shipped(".isa")) {
        std::string text = read_file(path);
        if (text.size() <= most) texts.push_back(std::move(text));
    }
    return texts;
}

inline const Pieces& description_pieces() {
    static const Pieces pieces = [] {
        std::vector<std::string> texts = described_examples();
        for (const auto& path : shipped(".isa")) texts.push_back(read_file(path));
        return Pieces(texts);
    }();
    return pieces;
}

inline const Grammar& description_grammar() {
    static const Grammar grammar(
        {
            {'d',
             {"constant %n = %e\n",
              "parameter %n = %i : %i .. %i\n",
              "number %n = %i * %t\n",
              "number %n = pc + %i * %t\n",
              "operand %n : %i {\n%r%r}\n",
              "format %n | %n:%w | %n:%t | %n:%t |\n",
              "pool %n %b .. %b : %n\n",
              "reserved %b \"%n\"\n",
              "registers %n : %w of u%w \"%n{n}\"\n",
              "memory %n : u8 little\n",
              "instructions %n [%n] \"{name} {%n}, {%n}\" {\n%r%r%r}\n",
              "enum %n : %w {\n%r%r}\n",
              "code unit %i %t\n",
              "mode %n : %w = %e\n",
              "limit %n %i \"%n\"\n",
              "on reset { %s }\n",
              "function %n(a: u32): u32 = %e\n",
              "for %n in %n %i 1..%i {\n%d}\n",
              "part %n { %n:%w | %b }\n",
              "part %n(%n) only %n {\n%r%r}\n",
              "format %n | use %n | use %n(%n) |\n"}},
            {'r',
             {"    %i %n %s\n", "    auto %n %s\n", "    %b \"%n\" = %e\n", "    a:%n %b \"[{a}]\" = %e\n",
              "    0 reserved\n", "    for (%n, %n) in (%n, %i) (%i, \"%n\") {\n%r    }\n", "    use %n(%n, %i)\n",
              "    use %n\n", "    since %n {\n%r%r    }\n", "    %n + %i a_{%n} %s until %n\n"}},
            {'s',
             {"%n = %e", "if %e { %s }", "%n = %e; %s", "if %e { %s } else { %s }", "data.u32[%e] = %e", "pc = %e",
              "stop()"}},
            {'e',
             {"%n", "%i", "%e + %e", "%e * %e", "%e << %e", "%e / %e", "-%e", "(%e)", "%t(%e)", "%e[%i:%i]", "%e == %e",
              "data.%t[%e]", "f32(%e) + f32(%e)", "(if %e then %e else %e)", "%e ++ %e"}},
            {'t', {"u8", "s6", "u32", "s32", "u1", "s64", "f32", "u%w", "s%w", "%n"}},
            {'w', {"4", "1", "8", "16", "32", "64", "%i"}},
            {'b', {"0", "000000", "1111_xxxx", "0b01", "xxxx", "10x1"}},
            {'i', {"%1", "0", "1", "7"}},
        },
        [](char rule, Random& random) {
            return rule == '1' ? number_text(random) : std::string(description_pieces().word(random));
        });
    return grammar;
}

struct Loaded {
    SourceManager sources;
    Diagnostics diagnostics;
    std::shared_ptr<const Isa> isa;
};

// A description whose includes are looked for where there are none.
inline void load_text(Loaded& loaded, std::string_view text, const LoadOptions& options = {}) {
    loaded.isa = load_isa_text("/nowhere/fuzz.isa", std::string(text), loaded.sources, loaded.diagnostics, options);
}

}  // namespace isaforge::fuzz
