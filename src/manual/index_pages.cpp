// Indexes of instructions: by name, opcode, format and effect; and what search looks in.
#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "manual/operand_words.hpp"
#include "manual/pages.hpp"

namespace isaforge::manual {

namespace {

std::string format_name(const Isa& isa, const Form& form) {
    return form.format == no_index ? std::string{} : isa.formats[form.format].name;
}

bool before(std::string_view a, std::string_view b) {
    const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c; };
    return std::ranges::lexicographical_compare(a, b, {}, lower, lower);
}

void topic_link(Html& out, const Site& site, const Topic& topic) {
    out("<li").add(in_attribute(site, topic.in))(">").link(topic.path, topic.name);
    if (!topic.title.empty()) out(" <small>").text(topic.title)("</small>");
    out.add(in_mark(site, topic.in))("</li>");
}

Page names_page(const Site& site) {
    Page page{"names.html", "Instructions by name", "All instructions, by name", {}};
    struct Entry {
        std::string name;
        const Topic* topic;
    };
    std::vector<Entry> entries;
    for (const Topic& topic : site.topics()) {
        entries.push_back({topic.name, &topic});
        for (const std::string& other : topic.others) entries.push_back({other, &topic});
    }
    std::ranges::stable_sort(entries, [](const Entry& a, const Entry& b) { return before(a.name, b.name); });
    Html& out = page.content;
    out("<h1>Instructions by name</h1><ul class=\"columns\">");
    for (const Entry& entry : entries) {
        if (entry.name == entry.topic->name) {
            topic_link(out, site, *entry.topic);
        } else {
            out("<li").add(in_attribute(site, entry.topic->in))(">").text(entry.name)(": ");
            out.link(entry.topic->path, entry.topic->name)("</li>");
        }
    }
    out("</ul>");
    return page;
}

// Pieces of a table that is the same for all editions but for some rows, which stand where they belong.
struct Line {
    encoding::Cube cube;
    std::string bits, opcode, format;
    const Topic* topic = nullptr;
    Set in = 0;
};

Page opcodes_page(const Site& site, const AllTools& tools) {
    Page page{"opcodes.html", "Instructions by opcode", "All encodings, by their leading bits", {}};
    std::map<std::string, std::size_t> known;
    std::vector<Line> lines;
    for (const auto& edition : site.editions()) {
        const Tools& own = *tools[edition->number];
        for (const Index index : own.order()) {
            const Form& form = edition->isa.forms[index];
            const Topic& topic = site.topic_of(*edition, form.instruction);
            Line line{own.cube(index),
                      leading_bits(own.cube(index), form.bits),
                      opcode_words(form),
                      format_name(edition->isa, form),
                      &topic,
                      0};
            const std::string key = line.bits + "|" + line.opcode + "|" + line.format + "|" + topic.name;
            const auto [place, is_new] = known.try_emplace(key, lines.size());
            if (is_new) lines.push_back(std::move(line));
            lines[place->second].in |= edition->set();
        }
    }
    std::ranges::stable_sort(lines, {}, [](const Line& line) { return line.cube.value; });
    Html& out = page.content;
    out("<h1>Instructions by opcode</h1><p>By the leading bits; <code>x</code> is a bit that operands have.</p>"
        "<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"Opcodes\"><table class=\"long\"><thead><tr>"
        "<th scope=\"col\">Leading bits</th><th scope=\"col\">Instruction</th><th scope=\"col\">Format</th>"
        "<th scope=\"col\">Opcode</th></tr></thead><tbody>\n");
    for (const Line& line : lines) {
        out("<tr").add(in_attribute(site, line.in))("><td><code>").text(line.bits)("</code></td><td>");
        out.link(line.topic->path, line.topic->name)
            .add(in_mark(site, line.in))("</td><td>")
            .text(line.format)("</td><td>");
        out.text(line.opcode)("</td></tr>\n");
    }
    out("</tbody></table></div>");
    return page;
}

// Lists of instructions below headings.
void grouped(Html& out, const Site& site, const std::map<std::string, std::map<const Topic*, Set>>& groups,
             const std::string& page_of_groups) {
    for (const auto& [heading, topics] : groups) {
        Set in = 0;
        for (const auto& [topic, set] : topics) in |= set;
        out("\n<section id=\"").text(slug(heading))("\"").add(in_attribute(site, in))("><h2>");
        if (page_of_groups.empty()) {
            out.text(heading);
        } else {
            out.link(page_of_groups + "#" + slug(heading), heading);
        }
        out.add(in_mark(site, in))("</h2><ul class=\"columns\">");
        std::vector<std::pair<const Topic*, Set>> list(topics.begin(), topics.end());
        std::ranges::stable_sort(list,
                                 [](const auto& a, const auto& b) { return before(a.first->name, b.first->name); });
        for (const auto& [topic, set] : list) {
            out("<li").add(in_attribute(site, set))(">").link(topic->path, topic->name);
            if (set != in) out.add(in_mark(site, set));
            out("</li>");
        }
        out("</ul></section>");
    }
}

Page formats_index(const Site& site) {
    Page page{"by-format.html", "Instructions by format", "All instructions, by format", {}};
    std::map<std::string, std::map<const Topic*, Set>> groups;
    for (const auto& edition : site.editions()) {
        for (const Form& form : edition->isa.forms) {
            if (form.format != no_index)
                groups[format_name(edition->isa, form)][&site.topic_of(*edition, form.instruction)] |= edition->set();
        }
    }
    page.content("<h1>Instructions by format</h1>");
    grouped(page.content, site, groups, "formats.html");
    return page;
}

Page effects_index(const Site& site, const AllTools& tools) {
    Page page{"effects.html", "Instructions by effect", "All instructions, by what they do beside computing", {}};
    std::map<std::string, std::map<const Topic*, Set>> groups;
    for (const auto& edition : site.editions()) {
        for (Index index = 0; index < edition->isa.instructions.size(); ++index) {
            const Instruction& instruction = edition->isa.instructions[index];
            if (instruction.forms.empty()) continue;
            const Effects effects =
                tools[edition->number]->effects.of(instruction, edition->isa.forms[instruction.forms[0]]);
            for (const std::string& heading : effect_headings(effects, instruction))
                groups[heading][&site.topic_of(*edition, index)] |= edition->set();
        }
    }
    page.content("<h1>Instructions by effect</h1>");
    grouped(page.content, site, groups, "");
    return page;
}

using Json = nlohmann::ordered_json;

std::string text_of(const Json& json) { return json.dump(-1, ' ', true, Json::error_handler_t::replace); }

// Bytes as they lie in memory, of what is fixed or of what it is fixed to.
std::string memory_hex(const Edition& edition, const Image& image, unsigned bits) {
    std::uint8_t bytes[max_instruction_bits / 8];
    edition.codec->store(image, bits, bytes);
    return fmt::format("{:02x}", fmt::join(bytes, bytes + bits / 8, ""));
}

}  // namespace

std::vector<std::string> effect_headings(const Effects& effects, const Instruction& instruction) {
    std::vector<std::string> out;
    if (effects.jumps) out.push_back("Jumps");
    for (const std::string& memory : effects.loads) out.push_back("Reads memory " + memory);
    for (const std::string& memory : effects.stores) out.push_back("Writes memory " + memory);
    for (const std::string& name : effects.registers_read) out.push_back("Reads register " + name);
    for (const std::string& name : effects.registers_written) out.push_back("Writes register " + name);
    for (const std::string& name : effects.modes) out.push_back("Depends on mode " + name);
    for (const std::string& name : effects.traps) out.push_back("May trap: " + name);
    for (const std::string& name : effects.signals) out.push_back("Signals " + name);
    for (const std::string& name : effects.waits_for) out.push_back("Waits for " + name);
    for (const Arrival& arrival : instruction.arrivals) out.push_back("Results arrive by " + arrival.counter);
    for (std::string words : effects.others) {
        if (!words.empty() && words[0] >= 'a' && words[0] <= 'z') words[0] = static_cast<char>(words[0] - 'a' + 'A');
        out.push_back(std::move(words));
    }
    if (effects.atomic) out.push_back("Atomic");
    if (!effects.delays.empty()) out.push_back("Result comes later");
    if (effects.stops) out.push_back("Ends the program");
    if (effects.calls_host) out.push_back("Calls the host");
    return out;
}

std::vector<Page> index_pages(const Site& site, const AllTools& tools) {
    std::vector<Page> out;
    out.push_back(names_page(site));
    out.push_back(opcodes_page(site, tools));
    out.push_back(formats_index(site));
    out.push_back(effects_index(site, tools));
    return out;
}

std::string search_script(const Site& site) {
    Json entries = Json::array(), forms = Json::array();
    std::map<const Topic*, std::size_t> numbers;
    const auto add = [&](const std::string& name, const std::string& title, const std::string& where, const char* kind,
                         const std::string& format) {
        entries.push_back(Json::array({name, title, where, kind, format}));
    };
    for (const Topic& topic : site.topics()) {
        numbers[&topic] = entries.size();
        add(topic.name, topic.title, topic.path, "instruction", topic.format);
        for (const std::string& other : topic.others) add(other, topic.name, topic.path, "instruction", topic.format);
    }
    std::set<std::string> told;
    const auto once = [&](const std::string& name, const std::string& where, const char* kind) {
        if (!name.empty() && told.insert(where).second) add(name, "", where, kind, "");
    };
    for (const Guide& guide : site.guides()) once(guide.title, guide.path, "page");
    std::map<std::string, Set> masks;
    for (const auto& edition : site.editions()) {
        const Isa& isa = edition->isa;
        for (const Form& form : isa.forms) {
            if (form.format != no_index)
                once(format_name(isa, form), "formats.html#" + slug(format_name(isa, form)), "format");
        }
        for (const RegisterFile& file : isa.register_files) {
            once(file.name, "registers.html#" + slug(file.name), "register");
            if (file.entries.size() > 64) continue;
            for (const Entry& entry : file.entries) {
                for (const std::string& text : entry.texts)
                    if (told.insert("register " + text).second)
                        add(text, file.name, "registers.html#" + slug(file.name), "register", "");
            }
        }
        for (const MemorySpace& memory : isa.memories)
            once(memory.name, "machine.html#memory-" + slug(memory.name), "memory");
        for (const Mode& mode : isa.modes) once(mode.name, "machine.html#mode-" + slug(mode.name), "mode");
        for (const EventHandler& event : isa.events)
            once(event.name, "machine.html#event-" + slug(event.name), "event");
        for (const std::string& function : isa.functions.names)
            once(function, "functions.html#" + slug(function), "function");
        for (const OperandType& type : isa.operand_types) {
            if (is_told(type)) once(type.name, "operands.html#" + slug(type.name), "operand");
        }
        for (const Form& form : isa.forms) {
            if (form.alias) continue;
            const Topic& topic = site.topic_of(*edition, form.instruction);
            masks[fmt::format("[\"{}\",\"{}\",{},", memory_hex(*edition, form.mask, form.bits),
                              memory_hex(*edition, form.value, form.bits), numbers[&topic])] |= edition->set();
        }
    }
    std::string out = "manual.found(" + text_of(entries) + ",\n[";
    bool first = true;
    for (const auto& [start, in] : masks) {
        out += (first ? "" : ",") + start + fmt::format("{}]", in);
        first = false;
    }
    return out + "]);\n";
}

std::string site_script(const Site& site) {
    Json out;
    out["name"] = site.main().isa.name;
    out["editions"] = Json::array();
    out["maps"] = Json::array();
    for (const auto& edition : site.editions()) {
        out["maps"].push_back(site.map_of(*edition));
        Json one;
        one["variant"] = edition->isa.variant;
        for (const auto& [name, value] : edition->configuration.parameters) one[name] = std::to_string(value);
        out["editions"].push_back(std::move(one));
    }
    return "const site = " + text_of(out) + ";\n";
}

}  // namespace isaforge::manual
