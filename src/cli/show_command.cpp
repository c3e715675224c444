// `isaforge show`: what an instruction looks like, as bits and as text.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "cli/arguments.hpp"
#include "cli/command.hpp"
#include "cli/session.hpp"
#include "cli/terminal.hpp"
#include "render/bitfield.hpp"
#include "render/textmate.hpp"
#include "render/wavedrom.hpp"
#include "semantics/cycles.hpp"

namespace isaforge::cli {

namespace {

struct Options {
    IsaChoice isa;
    std::string name;
    bool ascii = false, textmate = false, guide = false, wavedrom = false;
};

bool same_name(std::string_view a, std::string_view b, bool case_insensitive) {
    if (!case_insensitive) return a == b;
    const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c; };
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [&](char x, char y) { return lower(x) == lower(y); });
}

bool has_name(const Instruction& instruction, std::string_view name, bool case_insensitive) {
    return std::any_of(instruction.names.begin(), instruction.names.end(),
                       [&](const std::string& own) { return same_name(own, name, case_insensitive); });
}

// How one field of a form is filled: "A  source", "N  power", "K  fixed to 3".
void print_field(const Isa& isa, const Field& field, std::size_t widest) {
    if (field.fixed) return;
    const OperandType* type = field.type == no_index ? nullptr : &isa.operand_types[field.type];
    if (type && !type->name.empty()) say(fmt::format("    {:{}}  {}\n", field.name, widest, type->name));
}

void print_form(const Isa& isa, const Form& form, render::Charset charset) {
    const Instruction& instruction = isa.instruction_of(form);
    say(fmt::format(
        "{}", render::bitfield_picture(isa, form, charset, fmt::format("{}", fmt::join(instruction.names, " | ")))));
    for (const TextTemplate& text : form.texts) say(fmt::format("    {}\n", render::syntax_text(isa, form, text)));
    std::size_t widest = 0;
    for (const Field& field : form.fields) widest = std::max(widest, field.name.size());
    for (const Field& field : form.fields) print_field(isa, field, widest);
    if (const auto cycles = semantics::cycles_of(isa, form)) say(fmt::format("    {}\n", to_text(*cycles)));
}

void print_instruction(const Isa& isa, const Instruction& instruction, render::Charset charset) {
    if (!instruction.title.empty()) say(fmt::format("{}: {}\n", instruction.names.front(), instruction.title));
    for (const Index form : instruction.forms) print_form(isa, isa.forms[form], charset);
    if (const std::string_view doc = isa.doc_of(instruction.where); !doc.empty()) say(fmt::format("\n{}\n", doc));
}

// The description's pages, one behind the other.
int show_guide(const Isa& isa) {
    if (isa.pages.empty()) {
        complain(fmt::format("{} has no pages of prose", isa.variant));
        return input_error;
    }
    for (const DocPage& page : isa.pages)
        say(fmt::format("{}# {}\n\n{}", &page == &isa.pages.front() ? "" : "\n", page.title, page.text));
    return success;
}

int unknown_instruction(const Isa& isa, const std::string& name) {
    std::vector<std::string_view> names;
    for (const Instruction& instruction : isa.instructions) {
        names.insert(names.end(), instruction.names.begin(), instruction.names.end());
    }
    const std::string_view meant = nearest(name, names);
    complain(fmt::format("{} has no instruction '{}'{}", isa.variant, name,
                         meant.empty() ? "" : fmt::format("; did you mean '{}'?", meant)));
    return input_error;
}

int show_one(const Isa& isa, const std::string& name, render::Charset charset) {
    bool found = false;
    for (const Instruction& instruction : isa.instructions) {
        if (!has_name(instruction, name, isa.surface.case_insensitive)) continue;
        if (found) say("\n");
        found = true;
        print_instruction(isa, instruction, charset);
    }
    return found ? success : unknown_instruction(isa, name);
}

// Every instruction's syntax, below its format's name.
int show_all(const Isa& isa) {
    std::vector<std::string> lines(isa.formats.size());
    for (const Form& form : isa.forms) {
        if (form.format == no_index || form.texts.empty()) continue;
        lines[form.format] += fmt::format("    {}\n", render::syntax_text(isa, form, form.texts.front()));
    }
    for (std::size_t format = 0; format < lines.size(); ++format) {
        if (!lines[format].empty()) say(fmt::format("{}\n{}", isa.formats[format].name, lines[format]));
    }
    return success;
}

// One form is one picture; several, and all of them where there is no name, are a list.
int show_wavedrom(const Isa& isa, const std::string& name) {
    std::vector<const Form*> forms;
    for (const Instruction& instruction : isa.instructions) {
        if (!name.empty() && !has_name(instruction, name, isa.surface.case_insensitive)) continue;
        for (const Index form : instruction.forms) forms.push_back(&isa.forms[form]);
    }
    if (forms.empty() && !name.empty()) return unknown_instruction(isa, name);
    say((forms.size() == 1 ? render::wavedrom_picture(isa, *forms.front()) : render::wavedrom_pictures(isa, forms)) +
        "\n");
    return success;
}

int show(const Options& options) {
    Session session;
    const std::shared_ptr<const Isa> isa = session.load(options.isa);
    const int status = session.report();
    if (!isa) return status;
    if (options.textmate) {
        say(render::textmate_grammar(*isa) + "\n");
        return success;
    }
    if (options.guide) return show_guide(*isa);
    if (options.wavedrom) return show_wavedrom(*isa, options.name);
    if (options.name.empty()) return show_all(*isa);
    const bool ascii = options.ascii || !locale_is_utf8();
    return show_one(*isa, options.name, ascii ? render::Charset::ascii : render::Charset::unicode);
}

Action define(Arguments& app) {
    auto options = std::make_shared<Options>();
    add_isa_positional(app, options->isa);
    app.add_option("NAME", options->name, "An instruction; without it, all of them in short")
        ->type_name("")
        ->completes(Completes::mnemonic);
    app.add_flag("--ascii", options->ascii, "Draw with ASCII characters only");
    app.add_flag("--textmate", options->textmate,
                 "Write a grammar that editors colour programs with, as JSON, instead");
    app.add_flag("--guide", options->guide,
                 "Write the pages that the description has for who begins with it, as Markdown, instead");
    app.add_flag("--wavedrom", options->wavedrom, "Write pictures for WaveDrom, as JSON, instead");
    return [options] { return show(*options); };
}

constexpr Command command{about_descriptions, "show", "Draw an instruction's bits",
                          "Examples:\n"
                          "  isaforge show wishbone-gpu\n"
                          "  isaforge show wishbone-gpu fadd\n"
                          "  isaforge show wishbone-gpu --guide\n"
                          "  isaforge show wishbone-gpu fadd --wavedrom\n",
                          define};
const Registration registration{command};

}  // namespace

}  // namespace isaforge::cli
