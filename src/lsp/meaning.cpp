// What instructions and operands are, in Markdown.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "lsp/features.hpp"
#include "manual/operand_words.hpp"
#include "manual/prose.hpp"
#include "manual/pseudocode.hpp"
#include "manual/site.hpp"
#include "render/bitfield.hpp"

namespace isaforge::lsp {

namespace {

constexpr std::size_t most_forms = 3, most_rows = 12;

// The text that markup shows.
std::string plain(std::string_view html) {
    static const std::map<std::string_view, std::string_view> entities{{"lt", "<"},    {"gt", ">"},   {"amp", "&"},
                                                                       {"quot", "\""}, {"apos", "'"}, {"#39", "'"}};
    std::string out;
    while (!html.empty()) {
        const std::size_t at = std::min(html.find_first_of("<&"), html.size());
        out += html.substr(0, at);
        html.remove_prefix(at);
        if (html.empty()) break;
        const bool tag = html[0] == '<';
        const std::size_t end = html.find(tag ? '>' : ';');
        if (end == std::string_view::npos) break;
        const std::string_view inside = html.substr(1, end - 1);
        if (tag && (inside == "q" || inside == "/q")) out += '"';
        if (!tag) {
            const auto found = entities.find(inside);
            out += found == entities.end() ? inside : found->second;
        }
        html.remove_prefix(end + 1);
    }
    return out;
}

}  // namespace

std::string fenced(std::string_view text, std::string_view language) {
    while (text.ends_with('\n')) text.remove_suffix(1);
    return text.empty() ? std::string() : fmt::format("```{}\n{}\n```\n", language, text);
}

std::string prose_text(const Isa& isa, const SourceManager& sources, Place place) {
    std::string text(isa.doc_of(place));
    if (text.empty()) text = manual::comment_at(sources, place, false);
    return text.empty() ? text : text + "\n\n";
}

std::string instruction_text(const Machine& machine, Index index, Index chosen) {
    const Isa& isa = *machine.isa;
    const Instruction& instruction = isa.instructions[index];
    std::string out = fmt::format("**{}**", instruction.names.front());
    if (!instruction.title.empty()) out += ": " + instruction.title;
    out += fmt::format(" — {}\n\n", isa.variant);
    out += prose_text(isa, machine.sources, instruction.where);
    std::vector<Index> forms = chosen == no_index ? instruction.forms : std::vector<Index>{chosen};
    if (forms.size() > most_forms) forms.resize(most_forms);
    for (const Index one : forms) {
        const Form& form = isa.forms[one];
        std::string picture;
        if (!form.texts.empty()) picture = render::syntax_text(isa, form, form.texts.front()) + "\n";
        const std::string format = form.format == no_index ? std::string() : isa.formats[form.format].name;
        out += fenced(picture + render::bitfield_picture(isa, form, render::Charset::unicode, format), "text");
    }
    if (instruction.forms.size() > forms.size() && chosen == no_index)
        out += fmt::format("and {} more encodings\n", instruction.forms.size() - forms.size());
    if (!instruction.meaning || instruction.forms.empty()) return out;
    const Form& form = isa.forms[chosen == no_index ? instruction.forms.front() : chosen];
    const manual::Scope scope = manual::scope_of(machine.edition(), form, instruction, "");
    std::string meaning = plain(manual::block_html(*instruction.meaning, scope).str());
    if (instruction.guard)
        meaning = "when " + plain(manual::expression_html(*instruction.guard, scope).str()) + "\n" + meaning;
    return out + fenced(meaning, "isa");
}

std::string operand_text(const Machine& machine, Index index) {
    const Isa& isa = *machine.isa;
    const OperandType& type = isa.operand_types[index];
    std::string out = type.name.empty() ? std::string() : fmt::format("`{}`: ", type.name);
    const std::string words = plain(manual::operand_words(machine.edition(), index, "").str());
    out += words.empty() ? fmt::format("{} bits\n\n", type.width) : fmt::format("{}; {} bits\n\n", words, type.width);
    out += prose_text(isa, machine.sources, type.where);
    std::string rows;
    for (std::size_t i = 0; i < std::min(type.rows.size(), most_rows); ++i) {
        const OperandRow& row = type.rows[i];
        if (row.reserved || !row.where.known()) continue;
        const std::string_view line = machine.sources.line_as_read(row.where);
        const std::size_t first = line.find_first_not_of(" \t");
        if (first != std::string_view::npos) rows += std::string(line.substr(first)) + "\n";
    }
    return out + fenced(rows, "isa");
}

}  // namespace isaforge::lsp
