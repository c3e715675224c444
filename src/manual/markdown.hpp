// Markdown, as prose has it that stands in or beside a description.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "manual/html.hpp"

namespace isaforge::manual {

struct Markdown {
    // Of a page the headings are those of its sections, in levels below its own; elsewhere they are lines.
    enum class As : unsigned char { page, part };
    using Find = std::function<std::string(std::string_view)>;

    As as = As::part;
    Find place_of;  // where what stands in back quotes is told; empty: nowhere
    Find page_of;   // the address of the page that a file has become; empty: none

    // What is HTML in it is text, pictures are their words, and links lead to pages, to sections, by http or by mail; of others
    // the words stay.
    Html html(std::string_view text) const;

    // Whether an address is none of the manual's own.
    static bool leads_elsewhere(std::string_view address);
};

}  // namespace isaforge::manual
