// The whole manual as one page: to print it, to make a PDF of it, to send it to somebody.
#include <algorithm>

#include "manual/assets.hpp"
#include "manual/pages.hpp"

namespace isaforge::manual {

namespace {

// The place of a page, or of something on it, in the one page: addresses become names.
std::string name_of(std::string_view page, std::string_view anchor) {
    std::string out(page.substr(0, page.rfind('.')));
    std::ranges::replace(out, '/', ':');
    if (!anchor.empty()) out += fmt::format(":{}", anchor);
    return out;
}

// What a page links to, as a place in the one page. Links of prose alone lead elsewhere.
std::string inner_link(std::string_view page, std::string_view link) {
    if (Markdown::leads_elsewhere(link)) return std::string(link);
    const std::size_t hash = std::min(link.find('#'), link.size());
    std::string_view target = link.substr(0, hash);
    const std::string_view anchor = hash < link.size() ? link.substr(hash + 1) : std::string_view{};
    if (target.empty()) target = page;
    if (target.starts_with("../")) target.remove_prefix(3);
    return "#" + name_of(target, anchor);
}

// The content of a page with its anchors and links renamed and its headings `deeper` by so many levels. Quotes stand in markup
// alone, so that what looks like an attribute is one.
void append(std::string& out, const Page& page, unsigned deeper) {
    const std::string& text = page.content.str();
    for (std::size_t at = 0; at < text.size();) {
        const std::string_view rest = std::string_view(text).substr(at);
        const bool id = rest.starts_with(" id=\""), link = rest.starts_with(" href=\"");
        if (id || link) {
            const std::size_t begin = at + (id ? 5 : 7), end = text.find('"', begin);
            const std::string_view value = std::string_view(text).substr(begin, end - begin);
            out += id ? fmt::format(" id=\"{}\"", name_of(page.path, value))
                      : fmt::format(" href=\"{}\"", inner_link(page.path, value));
            at = end + 1;
            continue;
        }
        if (rest.starts_with("\"url(#")) {
            out += "\"url(#" + name_of(page.path, "") + ":";
            at += 6;
            continue;
        }
        const std::size_t digit = rest.starts_with("<h") ? 2 : rest.starts_with("</h") ? 3 : 0;
        if (digit > 0 && rest.size() > digit && rest[digit] >= '1' && rest[digit] <= '4') {
            out += rest.substr(0, digit);
            out += static_cast<char>(rest[digit] + deeper);
            at += digit + 1;
            continue;
        }
        out += text[at++];
    }
}

}  // namespace

std::string one_page(const Site& site, const std::vector<Page>& pages) {
    const Isa& isa = site.main().isa;
    Html head;
    head(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>");
    head.text(isa.title.empty() ? isa.name : isa.title)("</title>\n<style>\n");
    std::string out = head.str();
    for (const EmbeddedAsset* asset = embedded_assets; !asset->path.empty(); ++asset) {
        if (asset->path.ends_with(".css")) out += asset->text;
    }
    out += "</style>\n</head>\n<body class=\"one-page\">\n<main id=\"content\">\n";
    bool instructions = false;
    for (const Page& page : pages) {
        const bool instruction = page.path.starts_with("instructions/");
        if (instruction && !instructions) out += "<section class=\"chapter\"><h2>Instructions</h2></section>\n";
        instructions |= instruction;
        const bool first = &page == &pages.front();
        out += fmt::format("<section class=\"{}\" id=\"{}\">", instruction ? "instruction" : "chapter",
                           name_of(page.path, ""));
        append(out, page, first ? 0 : instruction ? 2 : 1);
        out += "</section>\n";
    }
    return out + "</main>\n</body>\n</html>\n";
}

}  // namespace isaforge::manual
