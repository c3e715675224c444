// The page of one instruction: how it is written, its bits, its operands, what it does, and who stands next to it.
#include <algorithm>
#include <map>

#include "manual/operand_words.hpp"
#include "manual/pages.hpp"
#include "manual/pseudocode.hpp"
#include "render/bitfield_svg.hpp"
#include "semantics/cycles.hpp"
#include "semantics/tree.hpp"

namespace isaforge::manual {

namespace {

constexpr const char* root = "../";
// As the name of a count stands in a text that mentions it: each instruction has one.
constexpr const char* cycle_mark = "<em>cycles</em>";

std::string format_name(const Isa& isa, const Form& form) {
    return form.format == no_index ? std::string{} : isa.formats[form.format].name;
}

// Everything that the picture and the syntax of a form show.
std::string form_key(const Edition& edition, const Form& form) {
    std::string out = format_name(edition.isa, form);
    const auto put = [&](std::uint64_t value) { out.append(reinterpret_cast<const char*>(&value), sizeof value); };
    for (std::size_t i = 0; i < form.mask.words.size(); ++i) {
        put(form.mask.words[i]);
        put(form.written.words[i]);
    }
    put(form.bits | (form.alias ? 1u << 16 : 0));
    for (const Field& field : form.fields) {
        out += field.name;
        for (const BitPiece& piece : field.place.pieces)
            put(piece.position | std::uint64_t{piece.width} << 16 | std::uint64_t{piece.shift} << 32);
    }
    for (const TextTemplate& text : form.texts) {
        for (const TextElement& element : text) {
            out += element.text;
            put(static_cast<unsigned>(element.kind) | std::uint64_t{element.field} << 8);
        }
    }
    return out;
}

class Writer {
public:
    Writer(const Site& site, const Topic& topic, const AllTools& tools) : site_(site), topic_(topic), tools_(tools) {
        for (const Row& row : topic.rows) {
            const Instruction& instruction = *row;
            for (const Index form : instruction.forms) add_form(*row.edition, instruction, form);
            add_operation(*row.edition, instruction);
            add_source(row);
        }
        for (const auto& edition : site.editions()) add_neighbours(*edition);
    }

    Html write() {
        head();
        out_("\n<section id=\"encoding\"><h2>Syntax and encoding</h2>");
        articles(forms_);
        if (!aliases_.empty()) {
            Set in = 0;
            for (const auto& piece : aliases_.all()) in |= piece.in;
            out_("<details").add(in_attribute(site_, in));
            if (forms_.empty()) out_(" open");
            out_("><summary>Read by the assembler, never printed: other instructions have these bits</summary>");
            articles(aliases_);
            out_("</details>");
        }
        out_("</section>");
        operands();
        operation();
        neighbours();
        source();
        return std::move(out_);
    }

private:
    void head() {
        out_("<h1><span class=\"mnemonic\">").text(topic_.name)("</span>").add(in_mark(site_, topic_.in))("</h1>");
        if (!topic_.title.empty()) out_("<p class=\"lead\">").text(topic_.title)("</p>");
        std::set<std::string> told;
        for (const Row& row : topic_.rows) {
            const Html comment = site_.comment((*row).where, "../");
            if (told.insert(comment.str()).second) out_.add(comment);
        }
        if (!topic_.others.empty()) {
            out_("<p>Also written ");
            for (const std::string& name : topic_.others) {
                if (&name != &topic_.others.front()) out_(", ");
                out_.code(name);
            }
            out_(".</p>");
        }
    }

    void articles(const Pieces& pieces) {
        for (const auto& piece : pieces.all()) {
            out_("\n<article class=\"form\"").add(in_attribute(site_, piece.in))(">");
            if (piece.in != topic_.in) out_("<p class=\"note\">").add(in_mark(site_, piece.in))("</p>");
            out_.add(piece.content)("</article>");
        }
    }

    void add_form(const Edition& edition, const Instruction& instruction, Index index) {
        const Form& form = edition.isa.forms[index];
        const std::string label = format_label(edition, form);
        for (const Field& field : form.fields) add_operand(edition, form, field, label);
        // The same bits and texts are told once, as long as the example holds in all editions.
        Tools& tools = *tools_[edition.number];
        const auto range = semantics::cycles_of(edition.isa, form);
        const std::string cycles = range ? to_text(*range) : std::string{};
        std::string key = form_key(edition, form) + cycles;
        const auto known = examples_.find(key);
        if (known != examples_.end() && known->second && !tools.assembles(*known->second))
            key += "|" + site_.words(edition.set());
        auto& piece = (form.alias ? aliases_ : forms_).add(edition, key);
        if (!piece.content.empty()) return;
        const std::optional<Example>& example = examples_[key] = tools.example(index);
        const std::string format = format_name(edition.isa, form);
        Html& out = piece.content;
        unsigned& number = numbers_[format];
        const std::string id = slug(format) + (number++ == 0 ? "" : fmt::format("-{}", number));
        out("<h3 id=\"form-").text(id)("\">Format <a href=\"../formats.html#").text(slug(format))("\">");
        out.text(format.empty() ? "-" : format)("</a> <small>").number(form.bits)(" bits");
        const std::string opcode = opcode_words(form);
        if (!opcode.empty()) out(" · ").text(opcode);
        if (!cycles.empty()) out(" · ").text(cycles);
        out("</small>");
        out("</h3>");
        for (const TextTemplate& text : form.texts) {
            out("<p class=\"syntax\"><code>").add(syntax_html(form.fields, instruction.names[0], text));
            out.text(edition.isa.surface.statement_end)("</code></p>");
        }
        add_picture(out, edition, form, format, example);
    }

    void add_picture(Html& out, const Edition& edition, const Form& form, const std::string& format,
                     const std::optional<Example>& example) {
        const std::string label = fmt::format("Encoding of {} in format {}", topic_.name, format);
        if (form.alias) {  // its bits have a picture on another page
            if (example) add_example(out, edition, *example);
            return;
        }
        out("<figure><div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"").text(label)("\">");
        const render::PicturedExample pictured{example ? example->image : Image{}, example ? example->bits : 0};
        out.made(render::bitfield_svg(edition.isa, form, example ? &pictured : nullptr,
                                      label + ": " + render::bitfield_words(edition.isa, form)));
        out("</div>");
        out("</figure>");
        if (example) add_example(out, edition, *example);
    }

    static void add_example(Html& out, const Edition& edition, const Example& example) {
        out("\n<p class=\"note\">Example <code class=\"example\">")
            .text(example.text)
            .text(edition.isa.surface.statement_end);
        out("</code> <span>assembles to</span> <code>");
        out.text(bytes_text(example.bytes))("</code></p>\n");
    }

    void add_operand(const Edition& edition, const Form& form, const Field& field, const std::string& label) {
        if (field.fixed) return;
        const std::string key =
            field.name + "|" +
            (field.type == no_index ? fmt::format("{}", field.place.width) : edition.type_keys[field.type]);
        auto& piece = operands_.add(edition, key);
        operand_places_[key].insert(edition.isa.forms.index_of(form) + (std::uint64_t{edition.number} << 32));
        auto& formats = operand_formats_[key];
        if (std::find(formats.begin(), formats.end(), label) == formats.end()) formats.push_back(label);
        if (!piece.content.empty()) return;
        piece.content("<td class=\"bits\">").number(field.place.width)("</td><td>");
        if (field.type != no_index) {
            piece.content.add(operand_words(edition, field.type, root));
        } else {
            piece.content("a number from 0 to ").number(low_bits(field.place.width));
        }
        if (field.in_tail) piece.content(" <small>behind the instruction</small>");
        piece.content("</td>");
    }

    // A format's name, and where several forms of the instruction have that format, the fields that tell them apart.
    std::string format_label(const Edition& edition, const Form& form) const {
        std::string out = format_name(edition.isa, form);
        std::set<std::string> differing;
        for (const Row& row : topic_.rows) {
            if (row.edition != &edition) continue;
            for (const Index index : (*row).forms) {
                const Form& other = edition.isa.forms[index];
                if (other.format != form.format) continue;
                for (const Field& field : form.fields) {
                    const Field* const same = field_of(other, field.name);
                    if (field.fixed && same && same->fixed && other.fixed_value(*same) != form.fixed_value(field))
                        differing.insert(field.name);
                }
            }
        }
        for (const std::string& name : differing)
            out += fmt::format(" {} {}", name, form.fixed_value(*field_of(form, name)));
        return out;
    }

    // Whether there is another operand of that name in some edition, in another form.
    bool has_namesake(const std::string& key) const {
        const std::string name = key.substr(0, key.find('|') + 1);
        return std::ranges::any_of(operand_places_, [&](const auto& other) {
            return other.first != key && other.first.starts_with(name) &&
                   std::ranges::any_of(other.second, [&](std::uint64_t place) {
                       return std::ranges::any_of(operand_places_.at(key),
                                                  [&](std::uint64_t own) { return own >> 32 == place >> 32; });
                   });
        });
    }

    void operands() {
        if (operands_.empty()) return;
        out_(
            "\n<section id=\"operands\"><h2>Operands</h2><div class=\"scroll\" tabindex=\"0\" role=\"group\" "
            "aria-label=\"Operands\"><table><thead><tr><th scope=\"col\">Operand</th><th scope=\"col\">Bits</th>"
            "<th scope=\"col\">What may stand there</th></tr></thead><tbody>");
        for (const auto& piece : operands_.all()) {
            out_("<tr").add(in_attribute(site_, piece.in))("><th scope=\"row\"><var>");
            out_.text(piece.key.substr(0, piece.key.find('|')))("</var>").add(in_mark(site_, piece.in));
            if (has_namesake(piece.key)) {
                out_(" <small>");
                const auto& list = operand_formats_[piece.key];
                for (std::size_t i = 0; i < std::min<std::size_t>(list.size(), 4); ++i)
                    out_.text(i > 0 ? ", " : "").text(list[i]);
                if (list.size() > 4) out_(", …");
                out_("</small>");
            }
            out_("</th>").add(piece.content)("</tr>");
        }
        out_("</tbody></table></div></section>");
    }

    // ---- What it does

    static void list(Html& out, const std::set<std::string>& names, bool& first) {
        for (const std::string& name : names) {
            if (!first) out(", ");
            first = false;
            out("<var>").text(name)("</var>");
        }
    }
    static void codes(Html& out, const std::set<std::string>& names, const char* before, bool& first) {
        for (const std::string& name : names) {
            if (!first) out(", ");
            first = false;
            out.text(before).code(name);
        }
    }

    template <typename Content>
    static void item(Html& out, const char* term, Content content) {
        Html inside;
        content(inside);
        if (!inside.empty()) out("<div><dt>").text(term)("</dt><dd>").add(inside)("</dd></div>\n");
    }

    void add_operation(const Edition& edition, const Instruction& instruction) {
        if (instruction.forms.empty()) return;
        const Form& form = edition.isa.forms[instruction.forms[0]];
        const Scope scope = scope_of(edition, form, instruction, root);
        Html code;
        if (instruction.meaning && !instruction.meaning->empty()) {
            code("<pre class=\"meaning\" tabindex=\"0\"><code>")
                .add(block_html(*instruction.meaning, scope))("</code></pre>");
        } else if (instruction.meaning) {
            code("<p>Does nothing.</p>");
        } else {
            code("<p>The description does not say what it does.</p>");
        }
        where(code, edition, instruction, code.str() + (edition.isa.has_cycles ? cycle_mark : ""));
        code("<dl class=\"effects\">");
        facts(code, edition, instruction, form, scope);
        code("</dl>");
        auto& piece = operations_.add(edition, code.str());
        if (piece.content.empty()) piece.content = std::move(code);
        auto& formats = operation_formats_[piece.key];
        for (const Index index : instruction.forms) {
            const std::string format = format_name(edition.isa, edition.isa.forms[index]);
            if (std::find(formats.begin(), formats.end(), format) == formats.end()) formats.push_back(format);
        }
    }

    // What the names of the table and of the encodings stand for, as far as the text mentions them.
    void where(Html& out, const Edition& edition, const Instruction& instruction, const std::string& mentioned) {
        std::vector<std::pair<std::string, std::vector<std::string>>> lists;  // text, formats
        for (const Index index : instruction.forms) {
            const Form& form = edition.isa.forms[index];
            const Scope scope = scope_of(edition, form, instruction, root);
            std::string seen = mentioned;
            Html lines;
            std::set<std::string> done;
            for (bool more = true; more;) {
                more = false;
                for (const auto* const namings : scope.namings) {
                    for (const Naming& naming : *namings) {
                        if (!naming.value || done.contains(naming.name) ||
                            seen.find("<em>" + render::escape_xml(naming.name) + "</em>") == std::string::npos)
                            continue;
                        done.insert(naming.name);
                        more = true;
                        Scope inner = scope;
                        if (!naming.parameter.empty()) inner.locals.insert(naming.parameter);
                        const Html value = expression_html(*naming.value, inner);
                        seen += value.str();
                        if (!lines.empty()) lines("\n");
                        lines("<em>").text(naming.name)("</em>");
                        if (!naming.parameter.empty()) lines("(").text(naming.parameter)(")");
                        lines(" = ").add(value);
                    }
                }
            }
            if (lines.empty()) continue;
            const auto same =
                std::find_if(lists.begin(), lists.end(), [&](const auto& one) { return one.first == lines.str(); });
            auto& own = same == lists.end() ? lists.emplace_back(lines.str(), std::vector<std::string>{}) : *same;
            const std::string format = format_name(edition.isa, form);
            if (std::find(own.second.begin(), own.second.end(), format) == own.second.end())
                own.second.push_back(format);
        }
        for (const auto& [text, formats] : lists) {
            out("<p class=\"where\">where");
            if (lists.size() > 1) out(", in ").text(fmt::format("{}", fmt::join(formats, ", ")));
            out("</p><pre class=\"meaning\" tabindex=\"0\"><code>").made(text)("</code></pre>");
        }
    }

    void facts(Html& out, const Edition& edition, const Instruction& instruction, const Form& form,
               const Scope& scope) {
        const Effects effects = tools_[edition.number]->effects.of(instruction, form);
        if (instruction.guard) {
            item(out, "Executes", [&](Html& inside) {
                inside("where <code>").add(expression_html(*instruction.guard, scope))("</code> is not 0");
            });
        }
        if (instruction.lanes > 1) {
            item(out, "Lanes", [&](Html& inside) {
                inside.number(instruction.lanes);
                if (instruction.lane_mask)
                    inside(", where <code>").add(expression_html(*instruction.lane_mask, scope))("</code> has a 1");
            });
        }
        item(out, "Reads", [&](Html& inside) {
            bool first = true;
            list(inside, effects.reads, first);
            codes(inside, effects.registers_read, "", first);
            codes(inside, effects.loads, "memory ", first);
            codes(inside, effects.modes, "mode ", first);
        });
        item(out, "Writes", [&](Html& inside) {
            bool first = true;
            list(inside, effects.writes, first);
            codes(inside, effects.registers_written, "", first);
            codes(inside, effects.stores, "memory ", first);
            if (effects.atomic) inside(", as one access that nobody comes between");
        });
        if (effects.jumps) item(out, "Jumps", [](Html& inside) { inside("sets <code>pc</code>"); });
        timing(out, instruction, effects, scope);
        hazards(out, edition, form);
        item(out, "May trap", [&](Html& inside) {
            bool first = true;
            for (const std::string& trap : effects.traps) {
                if (!first) inside(", ");
                first = false;
                if (edition.find(trap).kind == Named::Kind::function) {
                    inside("<a href=\"../functions.html#").text(slug(trap))("\"><code>").text(trap)("</code></a>");
                } else {
                    inside.text(trap);
                }
            }
            memory_events(inside, edition, effects, first);
        });
        item(out, "Also", [&](Html& inside) {
            std::vector<std::string> all(effects.others.begin(), effects.others.end());
            if (effects.stops) all.push_back("ends the program");
            if (effects.calls_host) all.push_back("calls the host");
            for (const std::string& signal : effects.signals) all.push_back("signals " + signal);
            for (const std::string& counter : effects.waits_for) all.push_back("waits for " + counter);
            inside.text(fmt::format("{}", fmt::join(all, "; ")));
        });
    }

    static void memory_events(Html& out, const Edition& edition, const Effects& effects, bool first) {
        for (const EventHandler& event : edition.isa.events) {
            const bool mine = (event.name == "bad_read" && !effects.loads.empty()) ||
                              (event.name == "bad_write" && !effects.stores.empty()) ||
                              (event.name == "misaligned" && (!effects.loads.empty() || !effects.stores.empty()));
            if (!mine) continue;
            if (!first) out(", ");
            first = false;
            out("<a href=\"../machine.html#event-").text(slug(event.name))("\"><code>").text(event.name)("</code></a>");
        }
    }

    void timing(Html& out, const Instruction& instruction, const Effects& effects, const Scope& scope) {
        item(out, "Timing", [&](Html& inside) {
            std::set<std::string> said;
            for (const auto* const delay : effects.delays) {
                const Html text = expression_html(*delay, scope);
                if (!said.insert(text.str()).second) continue;
                if (said.size() > 1) inside("; ");
                if (effects.jumps) {
                    inside("goes on there after <b>").add(text)("</b> more instruction");
                } else {
                    inside("the result is there after <b>").add(text)("</b> more instruction");
                }
                if (text.str() != "<i>1</i>") inside("s");
            }
            for (const Arrival& arrival : instruction.arrivals) {
                if (!inside.empty()) inside("; ");
                inside("results arrive by <code>").text(arrival.counter)("</code>, ");
                inside.text(arrival.in_order ? "in order" : "in any order");
                if (arrival.condition)
                    inside(", where <code>").add(expression_html(*arrival.condition, scope))("</code>");
            }
        });
    }

    static std::string side_words(const Isa& isa, const HazardSide& side, const std::vector<Index>& other_files) {
        if (side.touches == HazardSide::Touches::none) return "";
        std::vector<std::string> files;
        for (const Index file : side.files.empty() ? other_files : side.files)
            files.push_back(isa.register_files[file].name);
        std::string out = fmt::format(" that {} {}", side.touches == HazardSide::Touches::reads ? "reads" : "writes",
                                      fmt::join(files, ", "));
        if (!side.fields.empty()) out += fmt::format(" in {}", fmt::join(side.fields, ", "));
        return out;
    }

    void hazards(Html& out, const Edition& edition, const Form& form) {
        const Isa& isa = edition.isa;
        item(out, "Hazards", [&](Html& inside) {
            const auto line = [&](const std::string& text) {
                if (!inside.empty()) inside("<br>");
                inside.text(text);
            };
            for (const Hazard& hazard : isa.hazards) {
                const bool first = form.classes >> hazard.first.of & 1, second = form.classes >> hazard.second.of & 1;
                if (!first && !second) continue;
                line(fmt::format("{} wait state{} between one of class {}{} and one of class {}{}", hazard.states,
                                 hazard.states == 1 ? "" : "s", isa.classes[hazard.first.of].name,
                                 side_words(isa, hazard.first, {}), isa.classes[hazard.second.of].name,
                                 side_words(isa, hazard.second, hazard.first.files)));
            }
            for (const Held& held : isa.held) {
                if (form.classes >> held.side.of & 1)
                    line(fmt::format("goes on{} until {} says so", side_words(isa, held.side, {}), held.counter));
            }
        });
    }

    void operation() {
        if (operations_.empty()) return;
        out_("\n<section id=\"operation\"><h2>Operation</h2>");
        for (const auto& piece : operations_.all()) {
            out_("<div class=\"operation\"").add(in_attribute(site_, piece.in))(">");
            bool shared = false;
            for (const auto& other : operations_.all()) shared |= &other != &piece && (other.in & piece.in) != 0;
            if (shared || piece.in != topic_.in) {
                out_("<p class=\"note\">");
                if (shared) out_("In format ").text(fmt::format("{}", fmt::join(operation_formats_[piece.key], ", ")));
                out_.add(in_mark(site_, piece.in))("</p>");
            }
            out_.add(piece.content)("</div>");
        }
        out_("</section>");
    }

    // ---- Around it

    void add_neighbours(const Edition& edition) {
        if (!(topic_.in & edition.set())) return;
        const Tools& tools = *tools_[edition.number];
        Index place = no_index;
        for (const Row& row : topic_.rows) {
            if (row.edition != &edition) continue;
            for (const Index form : (*row).forms) {
                if (place == no_index) place = tools.place_of(form);
            }
        }
        if (place == no_index) return;
        constexpr Index around = 3;
        const std::vector<Index>& order = tools.order();
        const Index begin = place < around ? 0 : place - around;
        const Index end = std::min<Index>(place + around + 1, static_cast<Index>(order.size()));
        Html out;
        for (Index at = begin; at < end; ++at) {
            const Form& form = edition.isa.forms[order[at]];
            const Topic& other = site_.topic_of(edition, form.instruction);
            out("<tr");
            if (at == place) out(" class=\"here\"");
            out("><td><code>");
            out.text(leading_bits(tools.cube(order[at]), form.bits))("</code></td><td>");
            if (&other == &topic_) {
                out("<b>").text(other.name)("</b>");
            } else {
                out("<a href=\"../").text(other.path)("\">").text(other.name)("</a>");
            }
            out("</td><td>").text(format_name(edition.isa, form))("</td></tr>");
        }
        auto& piece = neighbours_.add(edition, out.str());
        if (piece.content.empty()) piece.content = std::move(out);
    }

    void neighbours() {
        if (neighbours_.empty()) return;
        out_("\n<section id=\"neighbours\"><h2>Neighbours in the opcode space</h2>");
        for (const auto& piece : neighbours_.all()) {
            out_("<div").add(in_attribute(site_, piece.in))(">");
            if (piece.in != topic_.in) out_("<p class=\"note\">").add(in_mark(site_, piece.in))("</p>");
            out_(
                "<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"Neighbours\"><table class=\"plain\">"
                "<thead><tr><th scope=\"col\">Leading bits</th><th scope=\"col\">Instruction</th>"
                "<th scope=\"col\">Format</th></tr></thead><tbody>");
            out_.add(piece.content)("</tbody></table></div></div>");
        }
        out_("</section>");
    }

    void add_source(const Row& row) {
        if (row.source.empty()) return;
        auto& piece = source_.add(*row.edition, row.source);
        if (piece.content.empty()) piece.content.text(row.text);
    }

    void source() {
        if (source_.empty()) return;
        out_("\n<section id=\"source\"><h2>In the description</h2>");
        for (const auto& piece : source_.all()) {
            out_("<div").add(in_attribute(site_, piece.in))("><p class=\"note\">").text(piece.key);
            if (piece.in != topic_.in) out_.add(in_mark(site_, piece.in));
            out_("</p><pre tabindex=\"0\"><code>").add(piece.content)("</code></pre></div>");
        }
        out_("</section>");
    }

    const Site& site_;
    const Topic& topic_;
    const AllTools& tools_;
    Pieces forms_, aliases_, operands_, operations_, neighbours_, source_;
    std::map<std::string, unsigned> numbers_;
    std::map<std::string, std::optional<Example>> examples_;  // by the key of a form's piece
    std::map<std::string, std::vector<std::string>> operand_formats_, operation_formats_;
    std::map<std::string, std::set<std::uint64_t>> operand_places_;  // forms, with the number of the edition above
    Html out_;
};

}  // namespace

Page instruction_page(const Site& site, const Topic& topic, const AllTools& tools) {
    Page page;
    page.path = topic.path;
    page.title = topic.name;
    page.description = topic.title.empty()
                           ? fmt::format("{}, an instruction of {}", topic.name, site.main().isa.variant)
                           : fmt::format("{}: {}", topic.name, topic.title);
    page.content = Writer(site, topic, tools).write();
    return page;
}

}  // namespace isaforge::manual
