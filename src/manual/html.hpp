// HTML that is put together piece by piece. Markup comes from literals of this program alone; whatever else is written is
// text, and escaped.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <string>
#include <string_view>

#include "render/xml.hpp"

namespace isaforge::manual {

class Html {
public:
    template <std::size_t size>
    Html& operator()(const char (&markup)[size]) {
        out_.append(markup, size - 1);
        return *this;
    }
    Html& text(std::string_view text) {
        out_ += render::escape_xml(text);
        return *this;
    }
    template <typename Integer>
    Html& number(Integer value) {
        fmt::format_to(std::back_inserter(out_), "{}", value);
        return *this;
    }
    Html& add(const Html& other) {
        out_ += other.out_;
        return *this;
    }
    // Markup that was made here: pictures, and what came out of another Html.
    Html& made(std::string_view svg) {
        out_ += svg;
        return *this;
    }
    // <code>text</code>
    Html& code(std::string_view text) { return (*this)("<code>").text(text)("</code>"); }
    // <a href="where">text</a>
    Html& link(std::string_view where, std::string_view text) {
        return (*this)("<a href=\"").text(where)("\">").text(text)("</a>");
    }

    bool empty() const { return out_.empty(); }
    const std::string& str() const { return out_; }

private:
    std::string out_;
};

}  // namespace isaforge::manual
