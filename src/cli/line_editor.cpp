#include "cli/line_editor.hpp"

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>

namespace isaforge::cli {

namespace {

// What is used of libedit's editline/readline.h.
struct Library {
    using Generator = char*(const char* text, int state);
    char* (*readline)(const char* prompt) = nullptr;
    int (*add_history)(const char* line) = nullptr;
    char** (*completion_matches)(const char* text, Generator* generator) = nullptr;
    char** line_buffer = nullptr;
    char** (**attempted_completion)(const char* text, int begin, int end) = nullptr;

    Library() {
        void* const handle = dlopen("libedit.so.2", RTLD_NOW | RTLD_LOCAL);
        if (handle == nullptr) return;
        find(handle, "add_history", add_history);
        find(handle, "rl_completion_matches", completion_matches);
        find(handle, "rl_line_buffer", line_buffer);
        find(handle, "rl_attempted_completion_function", attempted_completion);
        if (add_history != nullptr) find(handle, "readline", readline);
    }

    template <typename T>
    static void find(void* handle, const char* name, T*& to) {
        void* const found = dlsym(handle, name);
        std::memcpy(&to, &found, sizeof found);
    }
};

const Library& library() {
    static const Library loaded;
    return loaded;
}

LineEditor::Completions* current_completions = nullptr;

// Called again and again, `state` 0 the first time, until there is nothing more.
char* next_match(const char*, int state) {
    static std::vector<std::string> matches;
    const Library& edit = library();
    if (edit.line_buffer == nullptr) return nullptr;
    if (state == 0) matches = (*current_completions)(*edit.line_buffer);
    if (static_cast<std::size_t>(state) >= matches.size()) return nullptr;
    return strdup(matches[static_cast<std::size_t>(state)].c_str());
}

char** complete(const char* text, int, int) {
    const Library& edit = library();
    return edit.completion_matches != nullptr ? edit.completion_matches(text, next_match) : nullptr;
}

}  // namespace

LineEditor::LineEditor(std::string prompt, Completions completions)
    : prompt_(std::move(prompt)), completions_(std::move(completions)) {}

std::optional<std::string> LineEditor::read() {
    const Library& edit = library();
    if (edit.readline == nullptr) {
        std::fputs(prompt_.c_str(), stdout);
        std::fflush(stdout);
        std::string line;
        if (!std::getline(std::cin, line)) return std::nullopt;
        return line;
    }
    current_completions = &completions_;
    const bool completes =
        edit.attempted_completion != nullptr && edit.completion_matches != nullptr && edit.line_buffer != nullptr;
    if (completes) *edit.attempted_completion = complete;
    char* const typed = edit.readline(prompt_.c_str());
    if (typed == nullptr) return std::nullopt;
    std::string line = typed;
    std::free(typed);
    if (!line.empty() && line != last_) edit.add_history(line.c_str());
    if (!line.empty()) last_ = line;
    return line;
}

}  // namespace isaforge::cli
