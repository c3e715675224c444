// The table of directives: which function carries out which name. GNU as has the same names with the same meaning, except
// that .word has four bytes everywhere and .align counts bytes.
#include <algorithm>
#include <array>
#include <deque>
#include <string>

#include "assembler/engine.hpp"

#include <fmt/format.h>

namespace isaforge::assembler {

namespace {

constexpr std::size_t table_size = 1024;

struct DirectiveTable {
    std::array<const Engine::Directive*, table_size> slots{};
    std::vector<Engine::Directive> all;

    explicit DirectiveTable(std::vector<Engine::Directive> list) : all(std::move(list)) {
        for (const Engine::Directive& directive : all) {
            std::size_t i = hash_name(directive.name) % table_size;
            while (slots[i]) i = (i + 1) % table_size;
            slots[i] = &directive;
        }
    }

    const Engine::Directive* find(std::string_view name) const {
        for (std::size_t i = hash_name(name) % table_size; slots[i]; i = (i + 1) % table_size) {
            if (slots[i]->name == name) return slots[i];
        }
        return nullptr;
    }
};

}  // namespace

// Takes the addresses of private members.
struct EngineDirectives {
    static const DirectiveTable& table();
    static std::vector<Engine::Directive> with_questions(std::vector<Engine::Directive> list);
};

// Those that ask about the target are named elsewhere.
std::vector<Engine::Directive> EngineDirectives::with_questions(std::vector<Engine::Directive> list) {
    static std::deque<std::string> names;
    int argument = static_cast<int>(Question::of_target);
    for (const TargetQuestion& question : target_questions()) {
        for (const std::string_view opposite : {"", "n"}) {
            if (opposite.empty() || question.has_name) {
                names.push_back(fmt::format(".if{}{}", opposite, question.word));
                list.push_back({names.back(), &Engine::if_any, argument, true, true, false});
                names.push_back(fmt::format(".elseif{}{}", opposite, question.word));
                list.push_back({names.back(), &Engine::else_if, argument, true, true, false});
            }
            ++argument;
        }
    }
    return list;
}

const DirectiveTable& EngineDirectives::table() {
    using E = Engine;
    constexpr bool yes = true, no = false;
    constexpr auto ask = [](Question question) { return static_cast<int>(question); };
    // name, function, argument, conditional, raw, emits
    static const DirectiveTable made(with_questions({
        {".byte", &E::integers, 1, no, no, yes},
        {".2byte", &E::integers, 2, no, no, yes},
        {".short", &E::integers, 2, no, no, yes},
        {".half", &E::integers, 2, no, no, yes},
        {".hword", &E::integers, 2, no, no, yes},
        {".value", &E::integers, 2, no, no, yes},
        {".4byte", &E::integers, 4, no, no, yes},
        {".long", &E::integers, 4, no, no, yes},
        {".int", &E::integers, 4, no, no, yes},
        {".word", &E::integers, 4, no, no, yes},
        {".8byte", &E::integers, 8, no, no, yes},
        {".quad", &E::integers, 8, no, no, yes},
        {".dword", &E::integers, 8, no, no, yes},
        {".octa", &E::octas, 16, no, no, yes},
        {".uleb128", &E::lebs, 0, no, no, yes},
        {".sleb128", &E::lebs, 1, no, no, yes},
        {".float", &E::floats, 32, no, no, yes},
        {".single", &E::floats, 32, no, no, yes},
        {".double", &E::floats, 64, no, no, yes},
        {".float16", &E::floats, 16, no, no, yes},
        {".hfloat", &E::floats, 16, no, no, yes},
        {".ascii", &E::strings, 0, no, no, yes},
        {".asciz", &E::strings, 1, no, no, yes},
        {".string", &E::strings, 1, no, no, yes},
        {".string16", &E::strings, 1 | 2 << 1, no, no, yes},
        {".string32", &E::strings, 1 | 4 << 1, no, no, yes},
        {".string64", &E::strings, 1 | 8 << 1, no, no, yes},
        {".fill", &E::fill, 0, no, no, yes},
        {".fillq", &E::fill, 1, no, no, yes},
        {".space", &E::space, 0, no, no, yes},
        {".skip", &E::space, 0, no, no, yes},
        {".zero", &E::space, 0, no, no, yes},
        {".align", &E::align, 1 << 1, no, no, yes},
        {".balign", &E::align, 1 << 1, no, no, yes},
        {".balignw", &E::align, 2 << 1, no, no, yes},
        {".balignl", &E::align, 4 << 1, no, no, yes},
        {".p2align", &E::align, 1 | 1 << 1, no, no, yes},
        {".p2alignw", &E::align, 1 | 2 << 1, no, no, yes},
        {".p2alignl", &E::align, 1 | 4 << 1, no, no, yes},
        {".org", &E::origin, 0, no, no, yes},
        {".incbin", &E::incbin, 0, no, no, yes},

        {".text", &E::named_section, 0, no, no, no},
        {".data", &E::named_section, 1, no, no, no},
        {".bss", &E::named_section, 2, no, no, no},
        {".rodata", &E::named_section, 3, no, no, no},
        {".section", &E::any_section, 0, no, no, no},
        {".pushsection", &E::any_section, 1, no, no, no},
        {".popsection", &E::pop_section, 0, no, no, no},
        {".previous", &E::previous_section, 0, no, no, no},

        {".global", &E::binding, 0, no, no, no},
        {".globl", &E::binding, 0, no, no, no},
        {".weak", &E::binding, 1, no, no, no},
        {".local", &E::binding, 2, no, no, no},
        {".extern", &E::binding, 3, no, no, no},
        {".internal", &E::visibility, 1, no, no, no},
        {".hidden", &E::visibility, 2, no, no, no},
        {".protected", &E::visibility, 3, no, no, no},
        {".type", &E::symbol_type, 0, no, no, no},
        {".size", &E::symbol_size, 0, no, no, no},
        {".comm", &E::common, 0, no, no, no},
        {".lcomm", &E::common, 1, no, no, no},
        {".set", &E::set, 0, no, no, no},
        {".equ", &E::set, 0, no, no, no},
        {".equiv", &E::set, 1, no, no, no},
        {".eqv", &E::delay, 0, no, yes, no},
        {".enum", &E::enumerate, 0, no, yes, no},
        {".undef", &E::take_back, 0, no, yes, no},
        {".scope", &E::open_scope, 0, no, yes, no},
        {".ends", &E::close_scope, 0, no, no, no},
        {".endscope", &E::close_scope, 0, no, no, no},
        {".using", &E::use_scope, 0, no, yes, no},
        {".unusing", &E::use_scope, 1, no, yes, no},
        {".ident", &E::ignored, 0, no, no, no},
        {".addrsig", &E::ignored, 0, no, no, no},
        {".addrsig_sym", &E::ignored, 0, no, no, no},
        {".title", &E::ignored, 0, no, no, no},
        {".sbttl", &E::ignored, 0, no, no, no},
        {".version", &E::ignored, 0, no, no, no},
        {".lflags", &E::ignored, 0, no, no, no},
        {".line", &E::ignored, 0, no, no, no},
        {".ln", &E::ignored, 0, no, no, no},
        {".file", &E::source_file, 0, no, no, no},
        {".loc", &E::source_line, 0, no, no, no},
        {".cfi_sections", &E::ignored, 0, no, no, no},
        {".loc_mark_labels", &E::ignored, 0, no, no, no},

        {".error", &E::message, 0, no, no, no},
        {".warning", &E::message, 1, no, no, no},
        {".print", &E::message, 2, no, no, no},
        {".err", &E::message, 3, no, no, no},
        {".fail", &E::fail, 0, no, no, no},
        {".abort", &E::fail, 1, no, no, no},
        {".end", &E::end, 0, no, no, no},

        {".if", &E::if_any, ask(Question::not_zero), yes, no, no},
        {".ifne", &E::if_any, ask(Question::not_zero), yes, no, no},
        {".ifeq", &E::if_any, ask(Question::zero), yes, no, no},
        {".ifgt", &E::if_any, ask(Question::positive), yes, no, no},
        {".ifge", &E::if_any, ask(Question::not_negative), yes, no, no},
        {".iflt", &E::if_any, ask(Question::negative), yes, no, no},
        {".ifle", &E::if_any, ask(Question::not_positive), yes, no, no},
        {".ifdef", &E::if_any, ask(Question::defined), yes, yes, no},
        {".ifndef", &E::if_any, ask(Question::not_defined), yes, yes, no},
        {".ifnotdef", &E::if_any, ask(Question::not_defined), yes, yes, no},
        {".ifb", &E::if_any, ask(Question::blank), yes, no, no},
        {".ifnb", &E::if_any, ask(Question::not_blank), yes, no, no},
        {".ifc", &E::if_any, ask(Question::same), yes, no, no},
        {".ifnc", &E::if_any, ask(Question::different), yes, no, no},
        {".ifeqs", &E::if_any, ask(Question::same), yes, no, no},
        {".ifnes", &E::if_any, ask(Question::different), yes, no, no},
        {".elseif", &E::else_if, ask(Question::not_zero), yes, no, no},
        {".elseifne", &E::else_if, ask(Question::not_zero), yes, no, no},
        {".elseifeq", &E::else_if, ask(Question::zero), yes, no, no},
        {".elseifgt", &E::else_if, ask(Question::positive), yes, no, no},
        {".elseifge", &E::else_if, ask(Question::not_negative), yes, no, no},
        {".elseiflt", &E::else_if, ask(Question::negative), yes, no, no},
        {".elseifle", &E::else_if, ask(Question::not_positive), yes, no, no},
        {".elseifdef", &E::else_if, ask(Question::defined), yes, yes, no},
        {".elseifndef", &E::else_if, ask(Question::not_defined), yes, yes, no},
        {".elseifnotdef", &E::else_if, ask(Question::not_defined), yes, yes, no},
        {".elseifb", &E::else_if, ask(Question::blank), yes, no, no},
        {".elseifnb", &E::else_if, ask(Question::not_blank), yes, no, no},
        {".elseifc", &E::else_if, ask(Question::same), yes, no, no},
        {".elseifnc", &E::else_if, ask(Question::different), yes, no, no},
        {".elseifeqs", &E::else_if, ask(Question::same), yes, no, no},
        {".elseifnes", &E::else_if, ask(Question::different), yes, no, no},
        {".else", &E::otherwise, 0, yes, no, no},
        {".endif", &E::end_if, 0, yes, no, no},

        {".macro", &E::macro, 0, no, yes, no},
        {".endm", &E::stray, 1, no, yes, no},
        {".endmacro", &E::stray, 1, no, yes, no},
        {".purgem", &E::purge, 0, no, yes, no},
        {".exitm", &E::exit_macro, 0, no, yes, no},
        {".rept", &E::repeat, 0, no, yes, no},
        {".for", &E::loop, 1, no, yes, no},
        {".while", &E::loop, 0, no, yes, no},
        {".irp", &E::repeat_words, 0, no, yes, no},
        {".irpc", &E::repeat_words, 1, no, yes, no},
        {".endr", &E::stray, 0, no, yes, no},
        {".endrept", &E::stray, 0, no, yes, no},
        {".include", &E::include, 0, no, no, no},
    }));
    return made;
}

const Engine::Directive* Engine::find_directive(const char* begin, const char* end) const {
    constexpr std::string_view left = ".ident";
    const auto find = [&](std::string_view spelled) {
        for (const auto& [own, meant] : surface_.directives)
            if (own == spelled) return EngineDirectives::table().find(meant.empty() ? left : std::string_view(meant));
        return EngineDirectives::table().find(spelled);
    };
    const std::string_view name(begin, static_cast<std::size_t>(end - begin));
    if (const Directive* found = find(name)) return found;
    std::string lowered(name);
    std::transform(lowered.begin(), lowered.end(), lowered.begin(), lower);
    // How to unwind a stack is said in some thirty ways; nothing is made of it.
    if (lowered.starts_with(".cfi_")) return EngineDirectives::table().find(".cfi_sections");
    return lowered == name ? nullptr : find(lowered);
}

std::vector<std::string_view> Engine::directive_names() {
    std::vector<std::string_view> names;
    for (const Directive& directive : EngineDirectives::table().all) names.push_back(directive.name);
    return names;
}

void Engine::unknown_directive(const char* begin, const char* end) {
    const std::string_view name(begin, static_cast<std::size_t>(end - begin));
    if (diagnostics_.full()) return error(begin, end, {}), void();
    std::vector<std::string_view> names = directive_names();
    if (flavoured_) {
        for (const std::string_view more : flavoured_->directive_names()) names.push_back(more);
    }
    const std::string_view meant = nearest(name, names);
    Diagnostic& report = error(begin, end, fmt::format("unknown directive '{}'", name));
    if (meant.empty()) return;
    report.message += fmt::format("; did you mean '{}'?", meant);
    report.suggest(std::string(meant));
}

}  // namespace isaforge::assembler
