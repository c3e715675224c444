// Listings: what each statement became, for people and for programs.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "isaforge/assembler.hpp"
#include "support/line_counter.hpp"
#include "support/printable.hpp"

namespace isaforge {

namespace {

constexpr char hex_digits[] = "0123456789abcdef";

void append_hex(std::string& out, const std::uint8_t* bytes, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
        out += hex_digits[bytes[i] >> 4];
        out += hex_digits[bytes[i] & 15];
    }
}

struct Emitted {
    const std::uint8_t* bytes = nullptr;
    std::size_t count = 0;
};

// The bytes of an entry; none of a section that has none.
Emitted bytes_of(const ListingEntry& entry, const Object& object) {
    if (entry.section >= object.sections.size()) return {};
    const Section& section = object.sections[entry.section];
    if (entry.offset >= section.bytes.size()) return {};
    return {section.bytes.data() + entry.offset,
            static_cast<std::size_t>(std::min<std::uint64_t>(entry.size, section.bytes.size() - entry.offset))};
}

std::string json_string(std::string_view text) {
    return printable_in_line(
        nlohmann::json(std::string(text)).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

// A line of the source, for people.
std::string shown(std::string_view line) {
    if (line.ends_with('\r')) line.remove_suffix(1);
    return printable_in_line(line);
}

constexpr std::size_t bytes_per_row = 8;

void append_row(std::string& out, std::uint64_t address, Emitted row, std::uint32_t line, std::string_view text) {
    std::string hex;
    append_hex(hex, row.bytes, row.count);
    out += fmt::format("{:08x}  {:<{}}  ", address, hex, 2 * bytes_per_row);
    out += line ? fmt::format("{:5}  {}", line, shown(text)) : std::string();
    while (!out.empty() && out.back() == ' ') out.pop_back();
    out += '\n';
}

void append_entry(std::string& out, const ListingEntry& entry, const Object& object, std::uint32_t line,
                  std::string_view text) {
    constexpr std::size_t most_rows = 8;
    const Emitted all = bytes_of(entry, object);
    // Addresses count as labels do: in code by its address unit.
    const bool known = entry.section < object.sections.size();
    const std::uint64_t address = entry.offset + (known ? object.sections[entry.section].address : 0);
    const std::uint64_t step = known && object.sections[entry.section].executable ? object.address_bytes : 1;
    for (std::size_t row = 0; row == 0 || row * bytes_per_row < all.count; ++row) {
        const std::size_t begin = row * bytes_per_row;
        if (row == most_rows) {
            out += fmt::format("          … {} more bytes\n", all.count - begin);
            return;
        }
        append_row(out, (address + begin) / step, {all.bytes + begin, std::min(bytes_per_row, all.count - begin)},
                   row == 0 ? line : 0, text);
    }
}

}  // namespace

std::string listing_text(const Listing& listing, const Object& object, const SourceManager& sources, FileId main) {
    std::string out;
    const std::string_view text = sources.text(main);
    LineCounter lines(sources);
    std::uint32_t next_line = 1;
    std::size_t at = 0;
    // Lines that emitted nothing are shown without an address.
    const auto show_silent = [&](std::uint32_t until) {
        for (; next_line < until && at < text.size(); ++next_line) {
            const std::size_t end = std::min(text.find('\n', at), text.size());
            out += fmt::format("{:{}}  {:5}  {}\n", "", 10 + 2 * bytes_per_row, next_line,
                               shown(text.substr(at, end - at)));
            at = end + 1;
        }
    };
    for (const ListingEntry& entry : listing.entries) {
        const std::uint32_t line = lines.line(entry.statement.file, entry.statement.offset);
        if (entry.statement.file != main || line < next_line) {
            const std::string_view other =
                entry.statement.file == main ? std::string_view() : sources.line_text(entry.statement);
            append_entry(out, entry, object, line, other);
            continue;
        }
        show_silent(line);
        const std::size_t end = std::min(text.find('\n', at), text.size());
        append_entry(out, entry, object, line, text.substr(std::min(at, text.size()), end - std::min(at, end)));
        at = end + 1;
        next_line = line + 1;
    }
    show_silent(UINT32_MAX);
    return out;
}

std::string listing_json(const Listing& listing, const Object& object, const SourceManager& sources, FileId main) {
    std::string out;
    LineCounter lines(sources);
    for (const ListingEntry& entry : listing.entries) {
        const Emitted emitted = bytes_of(entry, object);
        if (emitted.count == 0) continue;
        out += "{\"line\":";
        out += std::to_string(lines.line(entry.statement.file, entry.statement.offset));
        out += ",\"address\":";
        out += std::to_string(entry.offset);
        out += ",\"bytes\":\"";
        append_hex(out, emitted.bytes, emitted.count);
        out += '"';
        if (object.sections[entry.section].name != ".text") {
            out += ",\"section\":" + json_string(object.sections[entry.section].name);
        }
        if (entry.statement.file != main) out += ",\"file\":" + json_string(sources.name(entry.statement.file));
        out += "}\n";
    }
    return out;
}

}  // namespace isaforge
