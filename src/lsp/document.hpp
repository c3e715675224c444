// A document that an editor has open: its text now, and what was found out about it when it was last looked at.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "lsp/description.hpp"
#include "lsp/program.hpp"
#include "lsp/text.hpp"

namespace isaforge::lsp {

struct Document {
    std::string uri, path;
    bool is_description = false;
    std::int64_t version = 0;
    Text text;
    std::uint64_t revision = 1;  // rises with every change, and whenever it is to be looked at anew
    std::uint64_t analysed = 0;  // the revision that the following are of
    std::shared_ptr<const Program> program;
    std::shared_ptr<const Description> description;
    Findings checked;  // what the checker found in the description of this revision

    // What was changed since, in order.
    struct Change {
        std::uint64_t revision = 0;
        std::uint32_t offset = 0, removed = 0, added = 0;
    };
    std::vector<Change> changes;

    void edit(Span span, std::string_view with);
    void set(const std::string& whole);
    // Where a place of the text that was looked at is now, and back. What was removed is where it was.
    std::uint32_t now(std::uint32_t offset) const;
    std::uint32_t then(std::uint32_t offset) const;
    Span now(Span span) const { return {now(span.begin), now(span.end)}; }
    void took(std::uint64_t looked_at);

    std::vector<std::uint32_t> tokens;  // semantic ones, as they were sent last
    std::uint64_t tokens_number = 0;
};

// `file:///a%20b` as `/a b`; empty where it names no file.
std::string path_of(const std::string& uri);
std::string uri_of(const std::string& path);

}  // namespace isaforge::lsp
