// What stands around the content of every page: head, search, navigation, foot.
#include <array>

#include "manual/site.hpp"

namespace isaforge::manual {

namespace {

struct Link {
    const char *path, *text;
};
constexpr std::array<Link, 1> first{{{"index.html", "Overview"}}};
constexpr std::array<Link, 6> parts{{{"registers.html", "Registers"},
                                     {"machine.html", "Memory and modes"},
                                     {"operands.html", "Operands"},
                                     {"formats.html", "Formats"},
                                     {"map.html", "Opcode map"},
                                     {"functions.html", "Functions"}}};
constexpr std::array<Link, 4> indexes{{{"names.html", "By name"},
                                       {"opcodes.html", "By opcode"},
                                       {"by-format.html", "By format"},
                                       {"effects.html", "By effect"}}};

void item(Html& out, const Page& page, const std::string& root, std::string_view path, std::string_view text) {
    out("<a href=\"").text(root).text(path)("\"");
    if (page.path == path) out(" aria-current=\"page\"");
    out(">").text(text)("</a></li>");
}

void items(Html& out, const Page& page, const std::string& root, const auto& list) {
    for (const Link& link : list) item(out("<li>"), page, root, link.path, link.text);
}

void links(Html& out, const Page& page, const std::string& root, const auto& list) {
    out("<ul>");
    items(out, page, root, list);
    out("</ul>");
}

}  // namespace

std::string whole_page(const Site& site, const Page& page) {
    const Isa& isa = site.main().isa;
    const std::string root = root_of(page.path);
    Html out;
    out("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
        "<meta name=\"color-scheme\" content=\"light dark\">\n");
    if (!page.description.empty()) out("<meta name=\"description\" content=\"").text(page.description)("\">\n");
    out("<title>").text(page.title)(" · ").text(isa.name)("</title>\n");
    out("<link rel=\"stylesheet\" href=\"").text(root)("manual.css\">\n");
    out("<script src=\"").text(root)("manual.js\"></script>\n</head>\n");
    out("<body data-root=\"").text(root)("\">\n<a class=\"skip\" href=\"#content\">Skip to the content</a>\n<header>");
    out("<button type=\"button\" class=\"menu\" aria-expanded=\"false\" aria-controls=\"navigation\">Menu</button>");
    out("<a class=\"brand\" href=\"")
        .text(root)("index.html\">")
        .text(isa.title.empty() ? isa.name : isa.title)("</a>");
    out("<div class=\"tools\"></div></header>\n<div class=\"frame\">\n<nav id=\"navigation\" aria-label=\"Manual\">");
    out("<ul>");
    items(out, page, root, first);
    for (const Guide& guide : site.guides())
        item(out("<li").add(in_attribute(site, guide.in))(">"), page, root, guide.path, guide.title);
    items(out, page, root, parts);
    out("</ul>");
    if (site.has_findings) links(out, page, root, std::array<Link, 1>{{{"findings.html", "Findings"}}});
    out("<h2>Instructions</h2>");
    links(out, page, root, indexes);
    out("</nav>\n<main id=\"content\" tabindex=\"-1\"");
    if (page.wide) out(" class=\"wide\"");
    out(">\n");
    if (site.has_findings && page.path != "findings.html") {
        out("<p class=\"warning\">The description has defects: <a href=\"").text(root);
        out("findings.html\">what was found</a>.</p>");
    }
    out.add(page.content)("\n</main>\n</div>\n</body>\n</html>\n");
    return out.str();
}

}  // namespace isaforge::manual
