#include "manual/diff_page.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "manual/assets.hpp"
#include "manual/html.hpp"
#include "manual/site.hpp"
#include "render/space_map.hpp"

namespace isaforge::manual {

namespace {

// What became of an instruction, the most important last.
enum class Fate : std::uint8_t { same, changed, moved, added };
struct Look {
    Fate fate;
    const char *colour, *words;
};
constexpr std::array<Look, 4> looks{{{Fate::same, "#e6e9ed", "the same"},
                                     {Fate::changed, "#9cc3ee", "changed"},
                                     {Fate::moved, "#f3c565", "moved"},
                                     {Fate::added, "#8ccf9b", "new"}}};

constexpr std::array<const char*, 8> headings{"Machine", "Registers", "Memories", "Operands",
                                              "Pools",   "Reserved",  "Formats",  "Instructions"};

Fate fate_of(const Change& change) {
    if (change.verb == Change::Verb::added) return Fate::added;
    return change.moved ? Fate::moved : Fate::changed;
}

// The name that an instruction had before.
std::string old_name(const Change& change) {
    for (const ChangedPart& difference : change.differences) {
        if (difference.what == "name" && !difference.before.empty())
            return difference.before.substr(0, difference.before.find(' '));  // the first of several
    }
    return change.name;
}

std::string anchor_of(const Change& change) {
    return fmt::format("change-{}-{}", static_cast<int>(change.subject), slug(change.name));
}

class Writer {
public:
    Writer(const Isa& before, const Isa& after, const std::vector<Change>& changes)
        : before_(before), after_(after), changes_(changes) {
        for (const Change& change : changes) {
            if (change.subject != Change::Subject::instruction) continue;
            if (change.verb != Change::Verb::removed) fates_[change.name] = &change;
            if (change.verb == Change::Verb::removed || change.moved) traces_[old_name(change)] = &change;
        }
    }

    std::string write() {
        out_(
            "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
            "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>");
        out_.text(before_.variant)(" and ").text(after_.variant)("</title>\n<style>\n");
        for (const EmbeddedAsset* asset = embedded_assets; !asset->path.empty(); ++asset) {
            if (asset->path.ends_with(".css")) out_.made(asset->text);
        }
        out_("</style>\n</head>\n<body class=\"one-page\">\n<main id=\"content\">\n<h1>").text(before_.variant);
        out_(" <small>and</small> ").text(after_.variant)("</h1>\n");
        if (changes_.empty()) out_("<p class=\"lead\">Nothing differs.</p>");
        map();
        differences();
        out_("</main>\n</body>\n</html>\n");
        return out_.str();
    }

private:
    // Of several instructions in a block, what is most worth a look.
    const Change* change_of(const render::MapBlock& block) const {
        const Change* out = nullptr;
        for (const Index index : block.instructions) {
            const auto found = fates_.find(after_.instructions[index].names[0]);
            if (found != fates_.end() && (!out || fate_of(*found->second) > fate_of(*out))) out = found->second;
        }
        return out;
    }

    void map() {
        Diagnostics troubles;
        const auto now = render::space_map(after_, troubles), then = render::space_map(before_, troubles);
        if (!now) return;
        render::MapDress dress;
        dress.colour = [&](const render::MapBlock& block) {
            const Change* const change = change_of(block);
            return std::string(looks[static_cast<std::size_t>(change ? fate_of(*change) : Fate::same)].colour);
        };
        dress.link = [&](const render::MapBlock& block) {
            const Change* const change = change_of(block);
            return change ? "#" + anchor_of(*change) : std::string("#content");
        };
        if (then && then->bits == now->bits) {
            for (const render::MapBlock& block : then->blocks) {
                for (const Index index : block.instructions) {
                    const std::string& name = before_.instructions[index].names[0];
                    if (traces_.contains(name) && block.instructions.size() == 1)
                        dress.traces.push_back({block.low, block.high, fmt::format("here was {}", name)});
                }
            }
        }
        out_("<p class=\"legend\">");
        for (const Look& look : looks) {
            out_("<span class=\"swatch\" style=\"background:").text(look.colour)("\"></span>").text(look.words)(" ");
        }
        out_("<span class=\"swatch gone\"></span>where something was that moved or is gone</p>");
        out_(
            "<div class=\"map\" tabindex=\"0\" role=\"group\" aria-label=\"Map of the code space; the tables below "
            "have the same\">");
        out_.made(render::map_svg(after_, *now, 1100, dress))("</div>\n");
    }

    void differences() {
        const Change* last = nullptr;
        for (const Change& change : changes_) {
            const bool instruction = change.subject == Change::Subject::instruction;
            if (!last || last->subject != change.subject) {
                if (last) out_("</tbody></table></section>\n");
                out_("<section><h2>").text(headings[static_cast<std::size_t>(change.subject)]);
                out_(
                    "</h2><table><thead><tr><th scope=\"col\">Name</th><th scope=\"col\">Became</th><th "
                    "scope=\"col\">What differs</th>"
                    "</tr></thead><tbody>\n");
            }
            last = &change;
            out_("<tr id=\"").text(anchor_of(change));
            if (!anchors_.insert(anchor_of(change)).second) out_("-").number(anchors_.size());
            out_("\"><th scope=\"row\"><code>").text(change.name)("</code>");
            if (instruction && !change.format.empty()) out_(" <small>").text(change.format)("</small>");
            out_("</th><td>").text(words_of(change))("</td><td>");
            for (const ChangedPart& difference : change.differences) {
                out_("<div>").text(difference.what)(": ");
                if (!difference.before.empty()) out_("<del>").text(difference.before)("</del> ");
                if (!difference.after.empty()) out_("<ins>").text(difference.after)("</ins>");
                if (difference.before.empty() && difference.after.empty()) out_("another");
                out_("</div>");
            }
            out_("</td></tr>\n");
        }
        if (last) out_("</tbody></table></section>\n");
    }

    static std::string words_of(const Change& change) {
        if (change.verb == Change::Verb::added) return "new";
        if (change.verb == Change::Verb::removed) return "gone";
        std::string out = change.moved ? "moved" : "";
        if (change.renamed) out += out.empty() ? "renamed" : ", renamed";
        return out.empty() ? "changed" : out;
    }

    const Isa &before_, &after_;
    const std::vector<Change>& changes_;
    std::map<std::string, const Change*, std::less<>> fates_, traces_;
    std::set<std::string> anchors_;
    Html out_;
};

}  // namespace

std::string diff_page(const Isa& before, const Isa& after, const std::vector<Change>& changes) {
    return Writer(before, after, changes).write();
}

}  // namespace isaforge::manual
