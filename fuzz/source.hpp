// Assembly sources as an input: statements that the chosen machine has, directives and macros by a grammar, lines of the
// shipped programs.
#pragma once

#include "../tests/assembler/assembled.hpp"
#include "isaforge/disassembler.hpp"
#include "machines.hpp"
#include "text.hpp"

namespace isaforge::fuzz {

inline const Pieces& source_pieces() {
    static const Pieces pieces = [] {
        std::vector<std::string> texts;
        for (const auto& path : shipped(".s")) texts.push_back(read_file(path));
        for (const auto& path : shipped(".inc")) texts.push_back(read_file(path));
        return Pieces(texts);
    }();
    return pieces;
}

// `%i` is a statement of the machine with its end.
inline const Grammar::Rules& source_rules() {
    static const Grammar::Rules rules = {
        {'l',
         {"%i\n",
          "%i\n%i\n%i\n",
          "%n:\n",
          "%n: %i\n",
          "%1:\n",
          "%d\n",
          "%d\n",
          "%d\n",
          "%n = %e\n",
          "%n\n",
          "%n %n, %e\n",
          ".macro %n %p\n%l%l.endm\n",
          ".rept %c\n%l.endr\n",
          ".irp x, %e, %e, %n\n%l\\x\n.endr\n",
          ".irpc x, %n\n%l.endr\n",
          ".if %e\n%l.else\n%l.endif\n",
          ".ifdef %n\n%l.elseif %e\n%l.endif\n",
          ".while %n < %c\n%l%n = %n + 1\n.endr\n",
          ".for %n = 0, %n < %c, %n + 1\n%l.endr\n",
          ".scope %n\n%l.ends\n",
          "#def %n %n\n",
          "#undef %n\n",
          "/* %l */",
          "; %l"}},
        {'p', {"a", "a, b", "a:req, b=%e", "a:vararg", ""}},
        {'c', {"2", "3", "8", "0", "%e"}},
        {'d',
         {".byte %e, %e",
          ".2byte %e",
          ".4byte %e, %n",
          ".8byte %n - %n",
          ".octa %e",
          ".uleb128 %e",
          ".sleb128 %e",
          ".float %f, %f",
          ".double %f",
          ".float16 %f",
          ".ascii %q",
          ".asciz %q, %q",
          ".string16 %q",
          ".fill %c, %c, %e",
          ".space %c",
          ".skip %e, %e",
          ".align %c",
          ".balign 4, %e",
          ".p2align %c, %e, %e",
          ".org %e",
          ".text",
          ".data",
          ".bss",
          ".rodata",
          ".section .%n, \"%s\", @progbits",
          ".section %n",
          ".pushsection .%n",
          ".popsection",
          ".previous",
          ".globl %n",
          ".weak %n, %n",
          ".local %n",
          ".hidden %n",
          ".type %n, @function",
          ".size %n, . - %n",
          ".comm %n, %c, %c",
          ".lcomm %n, %c",
          ".set %n, %e",
          ".equ %n, %e",
          ".equiv %n, %e",
          ".eqv %n, %e",
          ".enum %n, %n",
          ".undef %n",
          ".using %n",
          ".regvar %n:%n:%c",
          ".file %1 %q",
          ".loc 1 %1 %1",
          ".error %q",
          ".warning %q",
          ".err",
          ".fail %e",
          ".end",
          ".purgem %n",
          ".exitm",
          ".endm",
          ".endr",
          ".else",
          ".endif",
          ".include %q",
          ".incbin %q, %e, %e",
          ".%n %e"}},
        {'s', {"ax", "aw", "awx", "a", "", "aMS"}},
        {'e', {"1",        "%1",       "%n",  ".",   "%e + %e", "%e - %n", "%e * %e",     "%e / %e",  "%e %% %e",
               "%e << %e", "%e >> %e", "-%e", "~%e", "!%e",     "(%e)",    "%e == %e",    "%e && %e", "1f",
               "1b",       "'a'",      "$%n", "@%n", "%e < %e", "%e | %e", "%e ? %e : %e"}},
        {'f', {"1.5", "0", "-1e30", "0x1p-3", "nan", "inf", "%1", "1e-400"}},
        {'q', {"\"a\"", "\"%n\\n\"", "\"\\x41\\0\\377\"", "\"%l\"", "\"", "\"\\"}},
        {'n', {"a", "b", "loop", "main", "x1", "\\a", "\\@", "%w"}},
    };
    return rules;
}

inline std::string source_line(Random& random, const Tools& with) {
    const Grammar grammar(source_rules(), [&](char rule, Random& r) -> std::string {
        Sampled sampled;
        if (rule == '1') return number_text(r);
        if (rule == 'w') return source_pieces().word(r);
        if (rule == 'i')
            return std::string(with.statement(r, r.one_in(2), sampled)) + with.codec->isa().surface.statement_end;
        return "%";
    });
    return grammar.make('l', random);
}

// A source of some statements of the machine alone.
inline std::string statements(Random& random, const Tools& with, unsigned count, bool other_texts) {
    std::string text;
    Sampled sampled;
    while (count-- > 0) {
        text += with.statement(random, other_texts, sampled);
        text += with.codec->isa().surface.statement_end + "\n";
    }
    return text;
}

inline std::unique_ptr<testing::Assembled> assemble_text(const Codec& codec, std::string_view text, bool flat) {
    AssembleOptions options;
    options.flat = flat;
    options.threads = 1;
    options.max_output = 1 << 14;
    return testing::assembled(codec, "/nowhere/fuzz.s", std::string(text), options);
}

// What the disassembler writes of code assembles to the same bytes.
inline void round_trip(const Codec& codec, const Object& object, bool labels) {
    DisassembleOptions options;
    options.threads = 1;
    options.labels = labels;
    const auto again = assemble_text(codec, disassemble(codec, object, options), true);
    require(again->good && !again->object.sections.empty());
    require(again->object.sections[0].bytes == object.sections[0].bytes);
}

}  // namespace isaforge::fuzz
