#include "lsp/document.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace isaforge::lsp {

namespace {

constexpr std::size_t most_changes = 1024;  // that are kept; where there are more, places are only about right

int digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

}  // namespace

void Document::edit(Span span, std::string_view with) {
    text.replace(span, with);
    ++revision;
    if (changes.size() >= most_changes) changes.erase(changes.begin());
    changes.push_back({revision, span.begin, span.size(), static_cast<std::uint32_t>(with.size())});
}

void Document::set(const std::string& whole) {
    const Span all{0, static_cast<std::uint32_t>(text.str().size())};
    edit(all, whole);
}

std::uint32_t Document::now(std::uint32_t offset) const {
    for (const Change& change : changes) {
        if (offset < change.offset) continue;
        const std::uint32_t behind = change.offset + change.removed;
        offset = offset >= behind ? offset - change.removed + change.added : change.offset;
    }
    return std::min(offset, static_cast<std::uint32_t>(text.str().size()));
}

std::uint32_t Document::then(std::uint32_t offset) const {
    for (auto change = changes.rbegin(); change != changes.rend(); ++change) {
        if (offset < change->offset) continue;
        const std::uint32_t behind = change->offset + change->added;
        offset = offset >= behind ? offset - change->added + change->removed : change->offset;
    }
    return offset;
}

void Document::took(std::uint64_t looked_at) {
    analysed = looked_at;
    std::erase_if(changes, [&](const Change& change) { return change.revision <= looked_at; });
}

std::string path_of(const std::string& uri) {
    constexpr std::string_view scheme = "file://";
    if (!uri.starts_with(scheme)) return {};
    const std::size_t begin = uri.find('/', scheme.size());
    if (begin == std::string::npos) return {};
    std::string out;
    for (std::size_t i = begin; i < uri.size(); ++i) {
        const int high = uri[i] == '%' && i + 2 < uri.size() ? digit(uri[i + 1]) : -1;
        const int low = high >= 0 ? digit(uri[i + 2]) : -1;
        if (low < 0) {
            out += uri[i];
            continue;
        }
        out += static_cast<char>(high * 16 + low);
        i += 2;
    }
    return out.find('\0') == std::string::npos ? out : std::string();
}

std::string uri_of(const std::string& path) {
    std::string out = "file://";
    for (const char c : path) {
        const bool plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                           std::string_view("/-._~").find(c) != std::string_view::npos;
        out += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
    return out;
}

}  // namespace isaforge::lsp
