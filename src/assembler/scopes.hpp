// Scopes: parts of a source that have names of their own. A symbol of scope `outer::inner` has its path in its name,
// `outer::inner::symbol`, so the symbol table needs to know nothing of scopes; here is where names are looked for.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "assembler/characters.hpp"
#include "assembler/limits.hpp"

namespace isaforge::assembler {

// Whether a path goes on at `p`, behind a name.
inline bool continues_path(const char* p) { return p[0] == ':' && p[1] == ':' && is(p[2], class_name_start); }

// Past a name and the parts of a path behind it. At `p` stands the name's second character, or `::`.
inline const char* skip_path(const char* p) {
    p = skip_name(p);
    while (continues_path(p)) p = skip_name(p + 3);
    return p;
}

// Past the name or path that begins at `p`; `p` where none does.
inline const char* skip_symbol(const char* p) {
    if (continues_path(p)) return skip_path(p);
    return is(*p, class_name_start) ? skip_path(p + 1) : p;
}

class Scopes {
public:
    static constexpr std::size_t most_open = limits::scopes, longest_path = limits::scope_path,
                                 most_used = limits::used_scopes;

    // Whether there is anything but the outermost scope, or a path was written.
    bool used() const { return used_; }
    void mark_used() { used_ = true; }

    // Opens the scope of this name inside the current one, or one without a name that is gone when it is closed. False
    // where they nest too deeply.
    bool open(std::string_view name);
    bool close();  // false where none is open
    std::size_t depth() const { return open_.size(); }

    // From now on the current scope finds the names of that one, too. False where it uses too many.
    bool use(std::string_view path);
    bool stop_using(std::string_view path);  // empty: all
    std::uint64_t& counter() { return scopes_[current_].counter; }

    // The whole name of what is defined here as `name`, which may be a path.
    std::string definition(std::string_view name);
    // The whole name of what `name` means here: the innermost that exists, or, where none does, what it would be if it
    // were defined here.
    using Exists = std::function<bool(std::string_view)>;
    std::string reference(std::string_view name, const Exists& exists);

private:
    struct Scope {
        std::vector<std::string> used;  // paths, the last one first
        std::uint64_t counter = 0;      // the next value of .enum
    };

    std::string scope_of(std::string_view path);
    bool look(const std::string& scope, std::string_view name, const Exists& exists, std::string& found,
              unsigned& steps) const;

    std::string current_;  // path; empty: the outermost
    std::vector<std::string> open_;
    std::map<std::string, Scope, std::less<>> scopes_;
    std::uint64_t temporary_ = 0;
    bool used_ = false;
};

}  // namespace isaforge::assembler
