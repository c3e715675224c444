// Looking for names in scopes: from the current one outwards, in each also in the scopes that it uses.
#include "assembler/scopes.hpp"

#include <algorithm>

namespace isaforge::assembler {

namespace {

std::string joined(std::string_view scope, std::string_view name) {
    std::string path(scope);
    if (!path.empty()) path += "::";
    return path += name;
}

// The scope around this one; what is not empty is not the outermost.
std::string_view outside(std::string_view scope) {
    const std::size_t mark = scope.rfind("::");
    return mark == std::string_view::npos ? std::string_view{} : scope.substr(0, mark);
}

}  // namespace

bool Scopes::open(std::string_view name) {
    used_ = true;
    if (open_.size() >= most_open || current_.size() + name.size() > longest_path) return false;
    open_.push_back(current_);
    current_ = name.empty() ? joined(current_, "<" + std::to_string(++temporary_) + ">") : scope_of(name);
    scopes_[current_];
    return true;
}

bool Scopes::close() {
    if (open_.empty()) return false;
    current_ = std::move(open_.back());
    open_.pop_back();
    return true;
}

bool Scopes::use(std::string_view path) {
    used_ = true;
    std::string wanted = scope_of(path);
    std::vector<std::string>& used = scopes_[current_].used;
    std::erase(used, wanted);
    if (used.size() >= most_used) return false;
    used.insert(used.begin(), std::move(wanted));
    return true;
}

bool Scopes::stop_using(std::string_view path) {
    std::vector<std::string>& used = scopes_[current_].used;
    if (path.empty()) {
        used.clear();
        return true;
    }
    return std::erase(used, scope_of(path)) != 0;
}

// The scope that a path means here: the innermost that exists, else a new one in the current scope.
std::string Scopes::scope_of(std::string_view path) {
    if (path.starts_with("::")) return std::string(path.substr(2));
    for (std::string_view scope = current_;; scope = outside(scope)) {
        std::string candidate = joined(scope, path);
        if (scopes_.contains(candidate)) return candidate;
        if (scope.empty()) break;
    }
    return joined(current_, path);
}

std::string Scopes::definition(std::string_view name) {
    const std::size_t mark = name.rfind("::");
    if (mark == std::string_view::npos) return joined(current_, name);
    if (mark == 0) return std::string(name.substr(2));
    const std::string scope = scope_of(name.substr(0, mark));
    scopes_[scope];
    return joined(scope, name.substr(mark + 2));
}

bool Scopes::look(const std::string& scope, std::string_view name, const Exists& exists, std::string& found,
                  unsigned& steps) const {
    constexpr unsigned most_steps = 1000;  // scopes may use each other
    if (++steps > most_steps) return false;
    found = joined(scope, name);
    if (exists(found)) return true;
    const auto known = scopes_.find(scope);
    if (known == scopes_.end()) return false;
    for (const std::string& used : known->second.used) {
        if (used != scope && look(used, name, exists, found, steps)) return true;
    }
    return false;
}

std::string Scopes::reference(std::string_view name, const Exists& exists) {
    std::string found;
    unsigned steps = 0;
    const std::size_t mark = name.rfind("::");
    if (mark != std::string_view::npos) {
        const std::string scope = mark == 0 ? std::string() : scope_of(name.substr(0, mark));
        if (look(scope, name.substr(mark + 2), exists, found, steps)) return found;
        return joined(scope, name.substr(mark + 2));
    }
    for (std::string_view scope = current_;; scope = outside(scope)) {
        if (look(std::string(scope), name, exists, found, steps)) return found;
        if (scope.empty()) break;
    }
    return joined(current_, name);
}

}  // namespace isaforge::assembler
