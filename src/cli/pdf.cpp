#include "cli/pdf.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <vector>

#include "cli/helper_program.hpp"
#include "cli/outputs.hpp"
#include "cli/progress.hpp"
#include "cli/terminal.hpp"

namespace isaforge::cli {

namespace {

namespace fs = std::filesystem;

// Who prints pages, in the order in which they are looked for.
struct Printer {
    const char* name;
    bool is_browser;
};
constexpr Printer printers[] = {
    {"chromium", true}, {"chromium-browser", true}, {"google-chrome", true}, {"weasyprint", false}};

bool is_installed(const char* name) {
    const char* const path = std::getenv("PATH");
    std::istringstream folders(path ? path : "");
    for (std::string folder; std::getline(folders, folder, ':');) {
        if (access((fs::path(folder) / name).c_str(), X_OK) == 0) return true;
    }
    return false;
}

const Printer* find_printer() {
    for (const Printer& printer : printers)
        if (is_installed(printer.name)) return &printer;
    return nullptr;
}

std::vector<std::string> command_line(const Printer& printer, const TemporaryFolder& folder) {
    if (!printer.is_browser) return {printer.name, folder.file("page.html"), folder.file("page.pdf")};
    std::vector<std::string> words{printer.name,
                                   "--headless",
                                   "--disable-gpu",
                                   "--no-pdf-header-footer",
                                   "--generate-pdf-document-outline",
                                   "--user-data-dir=" + folder.file("profile"),
                                   "--print-to-pdf=" + folder.file("page.pdf")};
    // It has no sandbox for root, and does not begin without saying so; the page has no scripts and loads nothing.
    if (geteuid() == 0) words.emplace_back("--no-sandbox");
    words.push_back("file://" + folder.file("page.html"));
    return words;
}

}  // namespace

bool write_pdf(const std::string& path, std::string_view page) {
    const Printer* const printer = find_printer();
    if (!printer) {
        complain(
            "a PDF is made by Chromium or WeasyPrint, of which none is installed; with an output that ends in .html "
            "the manual is one page, which any browser prints");
        return false;
    }
    const TemporaryFolder folder;
    if (!folder.is_there()) {
        complain("there is no folder for temporary files");
        return false;
    }
    if (!write_text(folder.file("page.html"), page)) return false;
    const Progress progress("print");
    const bool done = run_program(command_line(*printer, folder), folder.file("said")) == 0;
    const std::string pdf = file_text(folder.file("page.pdf"));
    if (!done || !pdf.starts_with("%PDF")) {
        complain(fmt::format("{} has made no PDF of it:\n{}", printer->name, file_text(folder.file("said"))));
        return false;
    }
    return write_text(path, pdf);
}

}  // namespace isaforge::cli
