#include "cli/pdf.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <vector>

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

// A folder that is there as long as this is.
class Folder {
public:
    Folder() {
        std::string pattern = (fs::temp_directory_path(problem_) / "isaforge-pdf-XXXXXX").string();
        if (!problem_ && mkdtemp(pattern.data()) != nullptr) path_ = pattern;
    }
    ~Folder() {
        if (!path_.empty()) fs::remove_all(path_, problem_);
    }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;

    bool is_there() const { return !path_.empty(); }
    std::string file(const char* name) const { return path_ + "/" + name; }

private:
    std::string path_;
    std::error_code problem_;
};

std::vector<std::string> command_line(const Printer& printer, const Folder& folder) {
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

// Runs it with all that it says in a file. Whether it has said that all went well.
bool run(std::vector<std::string> words, const std::string& said) {
    std::vector<char*> pointers;
    pointers.reserve(words.size() + 1);
    for (std::string& word : words) pointers.push_back(word.data());
    pointers.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, said.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
    pid_t child = 0;
    const int failed = posix_spawnp(&child, pointers[0], &actions, nullptr, pointers.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    if (failed != 0) return false;
    int status = 1;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

std::string text_of(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    std::ostringstream out;
    out << in.rdbuf();
    return out.str();
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
    const Folder folder;
    if (!folder.is_there()) {
        complain("there is no folder for temporary files");
        return false;
    }
    if (!write_text(folder.file("page.html"), page)) return false;
    const Progress progress("print");
    const bool done = run(command_line(*printer, folder), folder.file("said"));
    const std::string pdf = text_of(folder.file("page.pdf"));
    if (!done || !pdf.starts_with("%PDF")) {
        complain(fmt::format("{} has made no PDF of it:\n{}", printer->name, text_of(folder.file("said"))));
        return false;
    }
    return write_text(path, pdf);
}

}  // namespace isaforge::cli
