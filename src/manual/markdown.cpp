#include "manual/markdown.hpp"

#include <md4c.h>

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "manual/site.hpp"

namespace isaforge::manual {

namespace {

// Writes what the parser finds, in its order.
class Writer {
public:
    explicit Writer(const Markdown& how) : how_(how) {}

    Html run(std::string_view text) {
        MD_PARSER parser{};
        parser.flags = MD_FLAG_NOHTML | MD_FLAG_TABLES;
        parser.enter_block = [](MD_BLOCKTYPE type, void* detail, void* self) { return of(self).enter(type, detail); };
        parser.leave_block = [](MD_BLOCKTYPE type, void*, void* self) { return of(self).leave(type); };
        parser.enter_span = [](MD_SPANTYPE type, void* detail, void* self) { return of(self).enter(type, detail); };
        parser.leave_span = [](MD_SPANTYPE type, void*, void* self) { return of(self).leave(type); };
        parser.text = [](MD_TEXTTYPE type, const MD_CHAR* begin, MD_SIZE size, void* self) {
            return of(self).text(type, {begin, size});
        };
        md_parse(text.data(), static_cast<MD_SIZE>(text.size()), &parser, this);
        return std::move(out_);
    }

private:
    static Writer& of(void* self) { return *static_cast<Writer*>(self); }

    int enter(MD_BLOCKTYPE type, void* detail) {
        switch (type) {
            case MD_BLOCK_DOC: out_("<div class=\"prose\">"); break;
            case MD_BLOCK_QUOTE: out_("<blockquote>"); break;
            case MD_BLOCK_UL: out_("<ul>"); break;
            case MD_BLOCK_OL: begin_list(static_cast<MD_BLOCK_OL_DETAIL*>(detail)->start); break;
            case MD_BLOCK_LI: out_("<li>"); break;
            case MD_BLOCK_HR: out_("<hr>"); break;
            case MD_BLOCK_H: begin_heading(static_cast<MD_BLOCK_H_DETAIL*>(detail)->level); break;
            case MD_BLOCK_CODE: out_("<pre tabindex=\"0\"><code>"); break;
            case MD_BLOCK_HTML: break;  // there is none
            case MD_BLOCK_P: out_("<p>"); break;
            case MD_BLOCK_TABLE:
                out_("<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"Table\"><table>");
                break;
            case MD_BLOCK_THEAD: out_("<thead>"); break;
            case MD_BLOCK_TBODY: out_("<tbody>"); break;
            case MD_BLOCK_TR: out_("<tr>"); break;
            case MD_BLOCK_TH: std::swap(out_, outer_); break;
            case MD_BLOCK_TD: out_("<td>"); break;
        }
        return 0;
    }

    int leave(MD_BLOCKTYPE type) {
        switch (type) {
            case MD_BLOCK_DOC: out_("</div>"); break;
            case MD_BLOCK_QUOTE: out_("</blockquote>"); break;
            case MD_BLOCK_UL: out_("</ul>"); break;
            case MD_BLOCK_OL: out_("</ol>"); break;
            case MD_BLOCK_LI: out_("</li>"); break;
            case MD_BLOCK_H: end_heading(); break;
            case MD_BLOCK_CODE: out_("</code></pre>"); break;
            case MD_BLOCK_HR:
            case MD_BLOCK_HTML: break;
            case MD_BLOCK_P: out_("</p>"); break;
            case MD_BLOCK_TABLE: out_("</table></div>"); break;
            case MD_BLOCK_THEAD: out_("</thead>"); break;
            case MD_BLOCK_TBODY: out_("</tbody>"); break;
            case MD_BLOCK_TR: out_("</tr>"); break;
            case MD_BLOCK_TH: end_head_cell(); break;
            case MD_BLOCK_TD: out_("</td>"); break;
        }
        return 0;
    }

    int enter(MD_SPANTYPE type, void* detail) {
        if (type == MD_SPAN_EM) out_("<i>");
        if (type == MD_SPAN_STRONG) out_("<strong>");
        if (type == MD_SPAN_A) begin_link(static_cast<MD_SPAN_A_DETAIL*>(detail)->href);
        if (type == MD_SPAN_CODE) code_.emplace();
        return 0;
    }

    int leave(MD_SPANTYPE type) {
        if (type == MD_SPAN_EM) out_("</i>");
        if (type == MD_SPAN_STRONG) out_("</strong>");
        if (type == MD_SPAN_A) end_link();
        if (type == MD_SPAN_CODE) end_code();
        return 0;
    }

    int text(MD_TEXTTYPE type, std::string_view text) {
        if (in_heading_) heading_ += text;
        if (code_) {
            *code_ += text;
        } else if (type == MD_TEXT_BR) {
            out_("<br>");
        } else if (type == MD_TEXT_SOFTBR) {
            out_("\n");
        } else if (type == MD_TEXT_ENTITY) {
            out_.made(text);  // letters and digits between `&` and `;`
        } else if (type == MD_TEXT_NULLCHAR) {
            out_("\xEF\xBF\xBD");
        } else {
            // Of code the lines stay apart.
            for (std::size_t end; (end = text.find('\n')) != std::string_view::npos; text.remove_prefix(end + 1))
                out_.text(text.substr(0, end))("\n");
            out_.text(text);
        }
        return 0;
    }

    void begin_list(unsigned start) {
        out_("<ol");
        if (start != 1) out_(" start=\"").number(start)("\"");
        out_(">");
    }

    void begin_heading(unsigned level) {
        in_heading_ = true;
        heading_.clear();
        // The first is one below the page's, and none is passed over.
        top_ = std::min(top_, level);
        level_ = std::min({2 + level - top_, level_ + 1, deepest_heading});
        std::swap(out_, outer_);
    }

    void end_heading() {
        in_heading_ = false;
        std::swap(out_, outer_);
        const Html words = std::exchange(outer_, {});
        if (how_.as == Markdown::As::part) {
            out_("<p><strong>").add(words)("</strong></p>");
            return;
        }
        std::string id;
        for (const char c : heading_)
            id += c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c == ' ' ? '-' : c;
        id = slug(id);
        while (!ids_.insert(id).second) id += '~';
        out_("<h").number(level_)(" id=\"").text(id)("\">").add(words)("</h").number(level_)(">");
    }

    // One without words is the head of nothing.
    void end_head_cell() {
        std::swap(out_, outer_);
        const Html words = std::exchange(outer_, {});
        if (words.empty())
            out_("<td></td>");
        else
            out_("<th scope=\"col\">").add(words)("</th>");
    }

    // Characters of an address are text as they stand: entities are not looked into.
    void begin_link(const MD_ATTRIBUTE& href) {
        const std::string_view where(href.text, href.size);
        std::string address;
        if (where.starts_with("#") || Markdown::leads_elsewhere(where)) {
            address = where;
        } else if (how_.page_of) {
            const std::string_view file = where.substr(0, where.find('#'));
            address = how_.page_of(file.substr(file.rfind('/') + 1));
            if (!address.empty()) address += where.substr(file.size());
        }
        links_.push_back(!address.empty());
        if (!address.empty()) out_("<a href=\"").text(address)("\">");
    }

    void end_link() {
        if (links_.back()) out_("</a>");
        links_.pop_back();
    }

    void end_code() {
        const std::string code = std::move(*code_);
        code_.reset();
        const bool in_link = std::ranges::find(links_, true) != links_.end();
        const std::string where = how_.place_of && !in_link ? how_.place_of(code) : std::string{};
        if (!where.empty()) out_("<a href=\"").text(where)("\">");
        out_.code(code);
        if (!where.empty()) out_("</a>");
    }

    static constexpr unsigned deepest_heading = 4;  // the one page puts two levels above them

    const Markdown& how_;
    Html out_, outer_;
    std::optional<std::string> code_;  // what stands between back quotes, as long as they are open
    std::string heading_;
    bool in_heading_ = false;
    unsigned level_ = 1, top_ = 6;  // of the last heading on the page; of the highest so far in the text
    std::vector<bool> links_;  // those that are open; whether they lead anywhere
    std::set<std::string> ids_{"content", "navigation"};  // what stands around the page has these
};

}  // namespace

Html Markdown::html(std::string_view text) const { return Writer(*this).run(text); }

bool Markdown::leads_elsewhere(std::string_view address) {
    static constexpr std::array<std::string_view, 3> schemes{"https://", "http://", "mailto:"};
    return std::ranges::any_of(schemes, [&](std::string_view scheme) { return address.starts_with(scheme); });
}

}  // namespace isaforge::manual
