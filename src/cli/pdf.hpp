// A page of HTML as a PDF, by a browser or a printer of pages that is installed.
#pragma once

#include <string>
#include <string_view>

namespace isaforge::cli {

// Writes a page that needs nothing beside itself, with an outline of its headings, whole or not at all. False after a complaint,
// as where nothing is installed that prints pages.
bool write_pdf(const std::string& path, std::string_view page);

}  // namespace isaforge::cli
