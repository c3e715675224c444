// The pages about the machine: overview, registers, memory and modes, operands, functions; and what was found wrong.
#include <algorithm>
#include <deque>
#include <map>

#include "manual/operand_words.hpp"
#include "manual/pages.hpp"
#include "manual/prose.hpp"
#include "manual/pseudocode.hpp"
#include "render/bitfield_svg.hpp"
#include "semantics/tree.hpp"

namespace isaforge::manual {

namespace {

std::string plural(std::size_t count, const std::string& what) {
    return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

// Sections that are told once for all editions in which they are the same.
class Sections {
public:
    explicit Sections(const Site& site) : site_(site) {}

    // `title` is what several pieces have in common: they stand below one heading.
    Pieces& under(const std::string& title, const std::string& anchor) {
        for (Group& group : groups_) {
            if (group.anchor == anchor) return group.pieces;
        }
        groups_.push_back({title, anchor, {}});
        return groups_.back().pieces;
    }

    void write(Html& out) const {
        for (const Group& group : groups_) {
            Set in = 0;
            for (const auto& piece : group.pieces.all()) in |= piece.in;
            out("\n<section id=\"").text(group.anchor)("\"").add(in_attribute(site_, in))("><h2>").text(group.title);
            out.add(in_mark(site_, in))("</h2>");
            for (const auto& piece : group.pieces.all()) {
                if (piece.in == in) {
                    out.add(piece.content);
                    continue;
                }
                out("<div")
                    .add(in_attribute(site_, piece.in))("><p class=\"note\">")
                    .add(in_mark(site_, piece.in))("</p>");
                out.add(piece.content)("</div>");
            }
            out("</section>");
        }
    }
    bool empty() const { return groups_.empty(); }

private:
    struct Group {
        std::string title, anchor;
        Pieces pieces;
    };
    const Site& site_;
    std::deque<Group> groups_;
};

// ---- Overview

void fact(Html& out, const char* term, const std::string& text) {
    if (!text.empty()) out("<div><dt>").text(term)("</dt><dd>").text(text)("</dd></div>");
}

std::string lengths_of(const Isa& isa) {
    std::set<unsigned> lengths;
    for (const Form& form : isa.forms) lengths.insert(form.bits);
    return lengths.empty() ? "" : fmt::format("{} bits", fmt::join(lengths, ", "));
}

std::string code_words(const Isa& isa) {
    std::string out = fmt::format("units of {} bits", isa.unit_bits);
    if (isa.unit_bits > 8)
        out += isa.big_endian ? ", the most significant byte first" : ", the least significant byte first";
    out += isa.address_bits == 8 ? "; addresses count bytes"
                                 : fmt::format("; addresses count units of {} bits", isa.address_bits);
    return out;
}

void surface(Html& out, const Surface& own) {
    out("\n<section id=\"programs\"><h2>How programs look</h2><dl class=\"facts\">");
    const auto quoted = [&](const char* term, const std::string& text) {
        if (!text.empty()) out("<div><dt>").text(term)("</dt><dd>").code(text)("</dd></div>");
    };
    for (const std::string& comment : own.line_comments) quoted("Comment to the end of the line", comment);
    for (const auto& [begin, end] : own.block_comments) quoted("Comment", fmt::format("{} … {}", begin, end));
    fact(out, "A statement ends with", own.statement_end.empty() ? "its line" : own.statement_end);
    quoted("Between statements of one line", own.separator);
    quoted("Label", fmt::format("{}name{}", own.label_prefix, own.label_suffix));
    quoted("Before a number", own.immediate_prefix);
    quoted("Before a label in an operand", own.label_reference_prefix);
    quoted("Gives a name a meaning", own.define);
    fact(out, "Upper and lower case", own.case_insensitive ? "are the same" : "differ");
    out("</dl></section>");
}

// ---- Registers

std::string register_words(const RegisterFile& file) {
    std::string out = file.index_bits == 0 ? "One register" : plural(file.count, "register");
    out += fmt::format(" of {}", plural(file.bits, "bit"));
    if (file.lanes > 1) out += fmt::format(" in each of {} lanes", file.lanes);
    if (file.write_ports > 0)
        out += fmt::format("; {}: more results at once collide", plural(file.write_ports, "write port"));
    if (file.is_zero_at_reset) out += "; zero at reset";
    return out + ".";
}

// The fields of a register as the picture of a format that has these fields.
void field_picture(Html& out, const RegisterFile& file, std::uint64_t number, const std::string& label) {
    Form form;
    form.bits = file.bits;
    std::vector<Field> fields;
    for (const BitField& field : file.fields) {
        if (!field.belongs_to(number)) continue;
        const bool inside = std::any_of(file.fields.begin(), file.fields.end(), [&](const BitField& other) {
            return &other != &field && other.belongs_to(number) && other.low <= field.low &&
                   other.high() >= field.high() && (other.width > field.width || &other < &field);
        });
        if (inside) continue;
        Field own;
        own.name = field.name;
        own.place.width = field.width;
        own.place.pieces = {{static_cast<std::uint16_t>(field.low), static_cast<std::uint8_t>(field.width), 0}};
        fields.push_back(own);
    }
    form.fields = std::move(fields);
    Isa bar;
    bar.unit_bits = file.bits;
    out("<figure><div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"").text(label)("\">");
    out.made(render::bitfield_svg(bar, form, nullptr, label + ": " + render::bitfield_words(bar, form), false));
    out("</div></figure>");
}

void field_list(Html& out, const RegisterFile& file, std::uint64_t number) {
    out("<dl class=\"facts\">");
    for (const BitField& field : file.fields) {
        if (!field.belongs_to(number)) continue;
        out("<div><dt>").text(field.name)("</dt><dd>");
        if (field.width == 1) {
            out("bit ").number(field.low);
        } else {
            out("bits ").number(field.high())(" to ").number(field.low);
        }
        out("</dd></div>");
    }
    out("</dl>");
}

std::string name_of(const RegisterFile& file, std::uint64_t number) {
    for (const Entry& entry : file.entries) {
        if (entry.code == number && !entry.texts.empty()) return entry.texts[0];
    }
    return fmt::format("{}[{}]", file.name, number);
}

Html register_file(const RegisterFile& file) {
    Html out;
    out("<p>").text(register_words(file))("</p>");
    std::vector<std::string> names;
    for (const Entry& entry : file.entries) names.push_back(entry.texts.empty() ? "" : entry.texts[0]);
    const std::string in_short = names_in_short(names, 12);
    const bool irregular = in_short.find(',') != std::string::npos && file.entries.size() <= 64;
    if (!names.empty() && !irregular) out("<p>Names: <code>").text(in_short)("</code></p>");
    std::vector<std::pair<std::string, std::string>> second;
    for (const Entry& entry : file.entries) {
        for (std::size_t i = 1; i < entry.texts.size(); ++i) second.emplace_back(entry.texts[i], entry.texts[0]);
    }
    if (!second.empty()) {
        out("<p>Also written: ");
        for (std::size_t i = 0; i < std::min<std::size_t>(second.size(), 40); ++i) {
            if (i > 0) out(", ");
            out.code(second[i].first)(" for ").code(second[i].second);
        }
        if (second.size() > 40) out(", …");
        out("</p>");
    }
    // A list of its own for names that follow no rule.
    if (irregular) {
        out("<ol class=\"codes\">");
        for (const Entry& entry : file.entries) {
            out("<li value=\"")
                .number(entry.code)("\"><code>")
                .text(entry.texts.empty() ? "" : entry.texts[0])("</code></li>");
        }
        out("</ol>");
    }
    std::set<std::uint64_t> numbers;
    for (const BitField& field : file.fields) numbers.insert(field.number);
    for (const std::uint64_t number : numbers) {
        const std::string name = number == BitField::of_all ? file.name : name_of(file, number);
        out("<h3>Fields of <code>").text(name)("</code></h3>");
        field_picture(out, file, number == BitField::of_all ? 0 : number, "Fields of " + name);
        field_list(out, file, number == BitField::of_all ? 0 : number);
    }
    return out;
}

// ---- Memory and modes

std::string memory_words(const MemorySpace& memory) {
    std::string out = fmt::format("Cells of {}", plural(memory.unit_bits, "bit"));
    out += memory.big_endian ? "; the first cell of a larger value is the most significant"
                             : "; the first cell of a larger value is the least significant";
    if (memory.holds_code) out += "; holds code and data";
    if (memory.per_group) out += "; each group of harts has one of its own";
    if (memory.cells > 0) out += fmt::format("; {} cells", memory.cells);
    return out + ".";
}

const char* rounding_name(Rounding rounding) {
    switch (rounding) {
        case Rounding::nearest: return "to the nearest";
        case Rounding::up: return "up";
        case Rounding::down: return "down";
        case Rounding::zero: return "towards zero";
        case Rounding::nearest_away: return "to the nearest, ties away from zero";
    }
    return "";
}

const char* subnormal_name(Subnormals rule) {
    switch (rule) {
        case Subnormals::keep: return "kept";
        case Subnormals::flush: return "zeros";
        case Subnormals::keep_inputs: return "kept in operands";
        case Subnormals::keep_results: return "kept in results";
    }
    return "";
}

Html float_rules(const Isa& isa) {
    Html out;
    out("<ul>");
    if (isa.floats.flush_subnormals) out("<li>Subnormal numbers are taken and given as zero.</li>");
    if (isa.floats.canonical_nan) out("<li>Every NaN that is computed is the canonical one.</li>");
    bool modes = false;
    for (std::size_t i = 0; i < isa.float_formats.size(); ++i) {
        const FloatFormat& format = isa.float_formats[i];
        const unsigned width = 16U << i;
        if (format.rounding_mode != no_index) {
            modes = true;
            out("<li>Floats of ")
                .number(width)(" bits round as mode ")
                .code(isa.modes[format.rounding_mode].name)(" has it: ");
            for (std::size_t v = 0; v < format.roundings.size(); ++v)
                out.text(fmt::format("{}{} {}", v > 0 ? ", " : "", v, rounding_name(format.roundings[v])));
            out(".</li>");
        }
        if (format.subnormals_mode != no_index) {
            out("<li>Subnormal floats of ")
                .number(width)(" bits, by mode ")
                .code(isa.modes[format.subnormals_mode].name)(": ");
            for (std::size_t v = 0; v < format.subnormals.size(); ++v)
                out.text(fmt::format("{}{} {}", v > 0 ? ", " : "", v, subnormal_name(format.subnormals[v])));
            out(".</li>");
        }
    }
    if (!modes) out("<li>Results are rounded ").text(rounding_name(isa.floats.rounding))(", ties to even.</li>");
    return out("</ul>");
}

void code_block(Html& out, const Html& code) {
    out("<pre class=\"meaning\" tabindex=\"0\"><code>").add(code)("</code></pre>");
}

template <typename Tell>
void each_edition(const Site& site, Tell tell) {
    for (const auto& edition : site.editions()) tell(*edition);
}

void put(Sections& sections, const Edition& edition, const std::string& title, const std::string& anchor,
         Html content) {
    auto& piece = sections.under(title, anchor).add(edition, content.str());
    if (piece.content.empty()) piece.content = std::move(content);
}

Html event_html(const Edition& edition, const EventHandler& event) {
    Html out;
    Scope scope{edition, "", nullptr, {}, {event.parameters.begin(), event.parameters.end()}};
    if (event.condition)
        out("<p>It waits where <code>").add(expression_html(*event.condition, scope))("</code> is 0.</p>");
    if (event.body) code_block(out, block_html(*event.body, scope));
    return out;
}

Html function_html(const Edition& edition, const semantics::Function& function) {
    Html out, code;
    const Scope scope{edition, "", nullptr, {}, {function.parameters.begin(), function.parameters.end()}};
    code("<b>function</b> ")
        .text(function.name)("(")
        .text(fmt::format("{}", fmt::join(function.parameters, ", ")))(")");
    if (function.body.size() == 1 && function.body[0].kind == semantics::StatementKind::give) {
        code(" = ").add(expression_html(*function.body[0].value, scope));
    } else {
        code(" {\n").add(block_html(function.body, scope, 1))("\n}");
    }
    code_block(out, code);
    return out;
}

}  // namespace

Page overview_page(const Site& site) {
    const Edition& main = site.main();
    const Isa& isa = main.isa;
    Page page{"index.html", "Overview", fmt::format("The manual of {}", isa.title.empty() ? isa.name : isa.title), {}};
    Html& out = page.content;
    std::set<Index> formats;
    for (const Form& form : isa.forms) formats.insert(form.format);
    std::set<std::string_view> names;
    for (const Instruction& instruction : isa.instructions) names.insert(instruction.names[0]);
    out("<h1>").text(isa.title.empty() ? isa.name : isa.title)("</h1>");
    out("<p class=\"lead\">").text(plural(isa.instructions.size(), "instruction"));
    if (names.size() != isa.instructions.size()) out(" under ").text(plural(names.size(), "name"));
    out(" in ").text(plural(formats.size(), "format"))(".</p>");
    out.add(prose(site.introduction()));
    if (!site.guides().empty()) {
        out("<ul class=\"guides\">");
        for (const Guide& guide : site.guides())
            out("<li")
                .add(in_attribute(site, guide.in))(">")
                .link(guide.path, guide.title)
                .add(in_mark(site, guide.in))("</li>");
        out("</ul>");
    }
    out("<dl class=\"facts\">");
    fact(out, "Name", isa.variant);
    fact(out, "Instructions", lengths_of(isa));
    fact(out, "Code", code_words(isa));
    std::vector<std::string> registers;
    for (const RegisterFile& file : isa.register_files) {
        if (file.index_bits > 0)
            registers.push_back(fmt::format("{}: {} of {} bits{}", file.name, file.count, file.bits,
                                            file.lanes > 1 ? fmt::format(" in {} lanes", file.lanes) : ""));
    }
    fact(out, "Registers", fmt::format("{}", fmt::join(registers, "; ")));
    std::vector<std::string> memories;
    for (const MemorySpace& memory : isa.memories)
        memories.push_back(fmt::format("{}: cells of {} bits{}", memory.name, memory.unit_bits,
                                       memory.holds_code ? ", code too" : ""));
    fact(out, "Memory", fmt::format("{}", fmt::join(memories, "; ")));
    out("</dl>");
    if (site.editions().size() > 1) {
        out("\n<section id=\"editions\"><h2>Side by side</h2><div class=\"scroll\" tabindex=\"0\" role=\"group\" "
            "aria-label=\"Variants and parameters\"><table><thead><tr>"
            "<th scope=\"col\">Configuration</th><th scope=\"col\">Instructions</th><th scope=\"col\">Forms</th>"
            "</tr></thead><tbody>");
        for (const auto& edition : site.editions()) {
            out("<tr><th scope=\"row\">")
                .text(site.words(edition->set()))("</th><td>")
                .number(edition->isa.instructions.size());
            out("</td><td>").number(edition->isa.forms.size())("</td></tr>");
        }
        out("</tbody></table></div></section>");
    }
    out("\n<section id=\"glance\"><h2>Formats</h2><div class=\"scroll\" tabindex=\"0\" role=\"group\" "
        "aria-label=\"Formats\">"
        "<table><thead><tr><th scope=\"col\">Format</th><th scope=\"col\">Bits</th><th "
        "scope=\"col\">Instructions</th></tr>"
        "</thead><tbody>");
    for (Index format = 0; format < isa.formats.size(); ++format) {
        std::set<unsigned> lengths;
        std::set<Index> own;
        for (const Form& form : isa.forms) {
            if (form.format != format) continue;
            lengths.insert(form.bits);
            own.insert(form.instruction);
        }
        if (own.empty()) continue;
        const std::string& name = isa.formats[format].name;
        out("<tr><th scope=\"row\">").link("formats.html#" + slug(name), name)("</th><td>");
        out.text(fmt::format("{}", fmt::join(lengths, ", ")))("</td><td>").number(own.size())("</td></tr>");
    }
    out("</tbody></table></div></section>");
    surface(out, isa.surface);
    return page;
}

Page guide_page(const Site& site, const Guide& guide) {
    Page page{guide.path, guide.title, guide.title, {}};
    page.content("<h1>").text(guide.title).add(in_mark(site, guide.in))("</h1>");
    page.content.add(site.from_markdown(guide.text, Markdown::As::page, ""));
    return page;
}

Page registers_page(const Site& site) {
    Page page{"registers.html", "Registers", "Registers, their names and fields", {}};
    Sections sections(site);
    std::vector<std::pair<std::string, Pieces>> single;  // registers of which there is nothing more to say than a line
    each_edition(site, [&](const Edition& edition) {
        for (std::size_t i = 0; i < edition.isa.register_files.size(); ++i) {
            const RegisterFile& file = edition.isa.register_files[i];
            if (file.index_bits == 0 && file.fields.empty()) {
                auto own = std::ranges::find(single, file.name, &std::pair<std::string, Pieces>::first);
                if (own == single.end()) own = single.insert(single.end(), {file.name, {}});
                auto& line = own->second.add(edition, edition.file_keys[i]);
                if (line.content.empty()) line.content.text(register_words(file)).add(site.comment(file.where));
                continue;
            }
            auto& piece = sections.under(file.name, slug(file.name)).add(edition, edition.file_keys[i]);
            if (piece.content.empty()) piece.content.add(site.comment(file.where)).add(register_file(file));
        }
    });
    Html& out = page.content;
    out("<h1>Registers</h1>");
    sections.write(out);
    if (single.empty()) return page;
    out("\n<section id=\"single-registers\"><h2>Single registers</h2><dl class=\"facts\">");
    for (const auto& [name, pieces] : single) {
        for (const auto& piece : pieces.all()) {
            out("<div").add(in_attribute(site, piece.in));
            if (&piece == &pieces.all().front()) out(" id=\"").text(slug(name))("\"");
            out("><dt><code>")
                .text(name)("</code></dt><dd>")
                .add(piece.content)
                .add(in_mark(site, piece.in))("</dd></div>");
        }
    }
    out("</dl></section>");
    return page;
}

Page machine_page(const Site& site) {
    Page page{"machine.html", "Memory and modes", "Memories, modes, events and the rules for floats", {}};
    Sections sections(site);
    each_edition(site, [&](const Edition& edition) {
        const Isa& isa = edition.isa;
        for (const MemorySpace& memory : isa.memories) {
            Html text = site.comment(memory.where);
            text("<p>").text(memory_words(memory))("</p>");
            for (const Device& device : isa.devices) {
                if (isa.memories[device.memory].name == memory.name)
                    text("<p>Device <b>")
                        .text(device.kind)("</b> at <code>")
                        .text(fmt::format("{:#x}", device.address))("</code>.</p>");
            }
            put(sections, edition, "Memory " + memory.name, "memory-" + slug(memory.name), std::move(text));
        }
        const Scope scope{edition, "", nullptr, {}, {}};
        for (const Mode& mode : isa.modes) {
            Html text = site.comment(mode.where);
            text("<p>").text(plural(mode.bits, "bit"))(", known when an instruction is decoded: <code>");
            if (mode.value) text.add(expression_html(*mode.value, scope));
            text("</code></p>");
            put(sections, edition, "Mode " + mode.name, "mode-" + slug(mode.name), std::move(text));
        }
        put(sections, edition, "Floating point", "floats", float_rules(isa));
        for (const EventHandler& event : isa.events) {
            std::string title = "Event " + event.name;
            if (!event.parameters.empty()) title += fmt::format("({})", fmt::join(event.parameters, ", "));
            put(sections, edition, title, "event-" + slug(event.name),
                site.comment(event.where).add(event_html(edition, event)));
        }
    });
    page.content("<h1>Memory and modes</h1>");
    sections.write(page.content);
    return page;
}

Page operands_page(const Site& site) {
    Page page{"operands.html", "Operands", "What may stand for the operands of instructions", {}};
    Sections sections(site);
    each_edition(site, [&](const Edition& edition) {
        for (Index type = 0; type < edition.isa.operand_types.size(); ++type) {
            const OperandType& own = edition.isa.operand_types[type];
            if (!is_told(own)) continue;
            auto& piece = sections.under(own.name, operand_anchor(own)).add(edition, edition.type_keys[type]);
            if (piece.content.empty()) piece.content.add(site.comment(own.where)).add(operand_body(edition, type));
        }
    });
    page.content("<h1>Operands</h1>");
    sections.write(page.content);
    return page;
}

Page functions_page(const Site& site) {
    Page page{"functions.html", "Functions", "Functions and names that meanings use", {}};
    Sections names(site), functions(site);
    each_edition(site, [&](const Edition& edition) {
        for (const Naming& naming : edition.isa.names_in_meanings) {
            if (!naming.value) continue;
            Html code, text;
            Scope scope{edition, "", nullptr, {}, {}};
            if (!naming.parameter.empty()) scope.locals.insert(naming.parameter);
            code("<b>where</b> ").text(naming.name);
            if (!naming.parameter.empty()) code("(").text(naming.parameter)(")");
            code(" = ").add(expression_html(*naming.value, scope));
            code_block(text, code);
            put(names, edition, naming.name, slug(naming.name), std::move(text));
        }
        for (const auto& function : edition.isa.functions.all)
            put(functions, edition, function->name, slug(function->name),
                site.comment(function->place).add(function_html(edition, *function)));
    });
    Html& out = page.content;
    out("<h1>Functions</h1>");
    out("<p>What the meanings of instructions have in common. Functions that stand here without a link belong to the "
        "language of"
        " descriptions.</p>");
    if (functions.empty() && names.empty()) out("<p>This description has none of its own.</p>");
    out("<div class=\"dense\">");
    names.write(out);
    functions.write(out);
    out("</div>");
    return page;
}

Page findings_page(const Site& site, const Diagnostics& findings) {
    Page page{"findings.html", "Findings", "What is wrong with the description", {}};
    Html& out = page.content;
    out("<h1>Findings</h1><p class=\"lead\">").text(plural(findings.errors(), "error")).text(", ");
    out.text(plural(findings.warnings(), "warning"))(".</p>");
    const auto one = [&](const Diagnostic& finding) {
        out("<p>").text(finding.message);
        if (!finding.suggestion.empty()) out("; write ").code(finding.suggestion);
        if (finding.place.known()) {
            const LineColumn at = site.sources().line_column(finding.place);
            std::string_view file = site.sources().name(finding.place.file);
            file.remove_prefix(file.rfind('/') + 1);
            out("</p><pre tabindex=\"0\"><code>")
                .text(site.sources().line_text(finding.place))("</code></pre><p class=\"note\">");
            out.text(fmt::format("{}:{}:{}", file, at.line, at.column));
        }
        out("</p>");
    };
    for (const Diagnostic& finding : findings.all()) {
        out("<section class=\"finding\"><h2>").text(finding.severity == Severity::error ? "Error" : "Warning")("</h2>");
        one(finding);
        for (const Diagnostic& note : finding.notes) one(note);
        out("</section>");
    }
    return page;
}

}  // namespace isaforge::manual
