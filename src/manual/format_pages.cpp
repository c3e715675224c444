// Formats, with a picture of each of their bars, and the map of the code space.
#include <algorithm>
#include <map>

#include "manual/operand_words.hpp"
#include "manual/pages.hpp"
#include "render/bitfield_svg.hpp"
#include "render/space_map.hpp"

namespace isaforge::manual {

namespace {

// The forms of a format whose bars have the same fields at the same places.
struct Layout {
    std::vector<Index> forms;
};

std::string layout_key(const Form& form) {
    std::string out = fmt::format("{}", form.bits);
    for (const Field& field : form.fields) {
        out += "|" + field.name;
        for (const BitPiece& piece : field.place.pieces)
            out += fmt::format(",{}:{}:{}", piece.position, piece.width, piece.shift);
    }
    return out;
}

// A form that stands for all: what differs between them is shown by its name.
Form common_form(const Isa& isa, const Layout& layout) {
    Form out = isa.forms[layout.forms[0]];
    std::vector<Field> fields = out.fields.list();
    for (std::size_t i = 0; i < fields.size(); ++i) {
        if (!fields[i].fixed) continue;
        const std::uint64_t value = out.fixed_value(fields[i]);
        for (const Index index : layout.forms) {
            const Form& other = isa.forms[index];
            if (!other.fields[i].fixed || other.fixed_value(other.fields[i]) != value) fields[i].fixed = false;
        }
    }
    out.fields = std::move(fields);
    return out;
}

Html layout_html(const Site& site, const Edition& edition, const Tools& tools, const std::string& format,
                 const Layout& layout) {
    const Isa& isa = edition.isa;
    const Form form = common_form(isa, layout);
    Html out;
    const std::string label = fmt::format("Format {}", format);
    out("<figure><div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"").text(label)("\">");
    out.made(render::bitfield_svg(isa, form, nullptr, label + ": " + render::bitfield_words(isa, form)));
    out("</div></figure><p class=\"names\">");
    std::vector<Index> forms = layout.forms;
    std::ranges::stable_sort(forms, {}, [&](Index i) { return tools.cube(i).value; });
    std::set<const Topic*> told;
    for (const Index index : forms) {
        const Topic& topic = site.topic_of(edition, isa.forms[index].instruction);
        if (!told.insert(&topic).second) continue;
        if (told.size() > 1) out(" ");
        out.link(topic.path, topic.name);
    }
    return out("</p>");
}

// Names of a block's instructions, with links.
void block_names(Html& out, const Site& site, const Edition& edition, const render::MapBlock& block) {
    constexpr std::size_t most = 40;
    for (std::size_t i = 0; i < std::min(block.instructions.size(), most); ++i) {
        const Topic& topic = site.topic_of(edition, block.instructions[i]);
        if (i > 0) out(", ");
        out.link(topic.path, topic.name);
    }
    if (block.instructions.size() > most) out(" and ").number(block.instructions.size() - most)(" more");
}

std::string percent(const Share& share) {
    const double value = share.fraction() * 100;
    return value > 0 && value < 0.01 ? "less than 0.01 %" : fmt::format("{:.2f} %", value);
}

void space_words(Html& out, const Isa& isa, const Space& space) {
    out("<dl class=\"facts\"><div><dt>Instructions have</dt><dd>")
        .text(percent(space.used))(" of the code space</dd></div>");
    out("<div><dt>Reserved</dt><dd>").text(percent(space.reserved))("</dd></div><div><dt>Free</dt><dd>");
    out.text(percent(space.free))("</dd></div></dl>");
    if (space.pools.empty()) return;
    out("<h2 id=\"pools\">Pools</h2><div class=\"scroll\" tabindex=\"0\" role=\"group\" "
        "aria-label=\"Pools\"><table><thead><tr>"
        "<th scope=\"col\">From</th><th scope=\"col\">To</th><th scope=\"col\">For</th><th scope=\"col\">Opcodes</th>"
        "<th scope=\"col\">Used</th><th scope=\"col\">Free</th></tr></thead><tbody>");
    for (const SpacePool& pool : space.pools) {
        const Pool& own = isa.pools[pool.pool];
        std::vector<std::string> formats;
        for (const Index format : own.formats) formats.push_back(isa.formats[format].name);
        const bool full = pool.outside > 0;
        out("<tr");
        if (full) out(" class=\"overflow\"");
        out("><td><code>");
        out.text(leading_pattern(own.low, own.width, own.width))("</code></td><td><code>");
        out.text(leading_pattern(own.high, own.width, own.width))("</code></td><td>");
        out.text(fmt::format("{}", fmt::join(formats, " ")))("</td><td>").text(pool.size.count(own.width))("</td><td>");
        out.text(pool.used.count(own.width))("</td><td>").text(pool.free.count(own.width));
        if (full) out("; ").number(pool.outside)(" instructions lie outside");
        out("</td></tr>");
    }
    out("</tbody></table></div>");
}

void free_ranges(Html& out, const Space& space) {
    if (space.free_ranges.empty()) return;
    constexpr std::size_t most = 64;
    std::vector<const SpaceRange*> ranges;
    for (const SpaceRange& range : space.free_ranges) ranges.push_back(&range);
    std::ranges::stable_sort(ranges, [](const SpaceRange* a, const SpaceRange* b) { return a->size() > b->size(); });
    out("<h2 id=\"room\">Where there is room</h2><div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"Free "
        "ranges\">"
        "<table><thead><tr><th scope=\"col\">Leading bits</th><th scope=\"col\">Of the space</th></tr></thead><tbody>");
    for (std::size_t i = 0; i < std::min(ranges.size(), most); ++i) {
        out("<tr><td><code>")
            .text(range_text(*ranges[i]))("</code></td><td>")
            .text(percent(ranges[i]->size()))("</td></tr>");
    }
    out("</tbody></table></div>");
    if (ranges.size() > most) out("<p>And ").number(ranges.size() - most)(" smaller ones.</p>");
}

Html map_html(const Site& site, const Edition& edition, const render::SpaceMap& map) {
    const Isa& isa = edition.isa;
    Html out;
    out("<h1>Opcode map");
    out.add(in_mark(site, site.same_map(edition)))("</h1>");
    space_words(out, isa, map.space);
    out("<div class=\"map\" tabindex=\"0\" role=\"group\" aria-label=\"Map of the code space; the table below has the "
        "same\">");
    render::MapDress dress;
    dress.link = [&](const render::MapBlock& block) {
        return block.instructions.size() == 1 ? site.topic_of(edition, block.instructions[0]).path
                                              : fmt::format("#block-{:x}", block.low);
    };
    out.made(render::map_svg(isa, map, 1100, dress));
    out("</div>");
    free_ranges(out, map.space);
    out("<h2 id=\"every-block\">Every block</h2><div class=\"scroll\" tabindex=\"0\" role=\"group\" "
        "aria-label=\"Blocks\">"
        "<table class=\"long\"><thead><tr><th scope=\"col\">Leading bits</th><th scope=\"col\">Instructions</th>"
        "<th scope=\"col\">Format</th></tr></thead><tbody>");
    for (const render::MapBlock& block : map.blocks) {
        out("<tr id=\"block-").text(fmt::format("{:x}", block.low))("\"><td><code>");
        out.text(render::cell_text(map, block.low, block.high))("</code></td><td>");
        if (block.kind == render::MapBlock::Kind::free) {
            out("<i>free</i>");
        } else if (block.kind == render::MapBlock::Kind::reserved) {
            out("<i>reserved</i>");
        } else {
            block_names(out, site, edition, block);
        }
        out("</td><td>");
        if (block.format != no_index) out.text(isa.formats[block.format].name);
        out("</td></tr>");
    }
    return out("</tbody></table></div>");
}

}  // namespace

Page formats_page(const Site& site, const AllTools& tools) {
    Page page{"formats.html", "Formats", "Formats of instructions with the places of their fields", {}};
    // By name, in the order of the first edition that has it: pieces of all editions.
    std::vector<std::string> order;
    std::map<std::string, Pieces> formats;
    std::map<std::string, Set> in;
    std::map<std::string, Html> comments;
    for (const auto& edition : site.editions()) {
        const Isa& isa = edition->isa;
        std::vector<std::map<std::string, Layout>> layouts(isa.formats.size());
        for (Index index = 0; index < isa.forms.size(); ++index) {
            const Form& form = isa.forms[index];
            if (form.format != no_index) layouts[form.format][layout_key(form)].forms.push_back(index);
        }
        for (Index format = 0; format < layouts.size(); ++format) {
            if (layouts[format].empty()) continue;
            const std::string& name = isa.formats[format].name;
            if (!formats.contains(name)) order.push_back(name);
            in[name] |= edition->set();
            if (comments[name].empty()) comments[name] = site.comment(isa.formats[format].where);
            for (const auto& [key, layout] : layouts[format]) {
                Html content = layout_html(site, *edition, *tools[edition->number], name, layout);
                auto& piece = formats[name].add(*edition, content.str());
                if (piece.content.empty()) piece.content = std::move(content);
            }
        }
    }
    Html& out = page.content;
    out("<h1>Formats</h1>");
    for (const std::string& name : order) {
        out("\n<section id=\"").text(slug(name))("\"").add(in_attribute(site, in[name]))("><h2>").text(name);
        out.add(in_mark(site, in[name]))("</h2>").add(comments[name]);
        for (const auto& piece : formats[name].all()) {
            out("<div class=\"layout\"").add(in_attribute(site, piece.in))(">");
            if (piece.in != in[name]) out("<p class=\"note\">").add(in_mark(site, piece.in))("</p>");
            out.add(piece.content)("</div>");
        }
        out("</section>");
    }
    return page;
}

Page map_page(const Site& site, const Edition& edition) {
    Page page{map_path(edition.number), "Opcode map", "The code space, to scale", {}, true};
    Diagnostics troubles;
    if (const auto map = render::space_map(edition.isa, troubles)) {
        page.content = map_html(site, edition, *map);
    } else {
        page.content("<h1>Opcode map</h1><p>The opcode bits are too entangled to be drawn.</p>");
    }
    return page;
}

}  // namespace isaforge::manual
