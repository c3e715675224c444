// What a kernel printed. OpenCL's printf leaves a record in a buffer for each call: the number of its format, then the
// arguments, each in as many bytes as the metadata say; the host puts the text together. AMDGPUUsage, "amdhsa.printf".
#include <fmt/format.h>

#include <charconv>
#include <cstdio>
#include <cstring>
#include <map>

#include "device/device_impl.hpp"

namespace isaforge::device {

namespace {

constexpr std::size_t header = 8;   // bytes in use behind it, and room for them

struct Format {
    std::vector<unsigned> sizes;   // of the arguments, bytes
    std::string text;
};

// "\72" stands for a colon, for example: octal digits behind a backslash.
std::string unescaped(std::string_view text) {
    std::string plain;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const auto digit = [&](std::size_t at) { return at < text.size() && text[at] >= '0' && text[at] <= '7'; };
        if (text[i] != '\\' || i + 1 == text.size()) {
            plain += text[i];
            continue;
        }
        const char next = text[i + 1];
        if (digit(i + 1)) {
            unsigned value = 0;
            std::size_t end = i + 1;
            while (end < i + 4 && digit(end)) value = value * 8 + static_cast<unsigned>(text[end++] - '0');
            plain += static_cast<char>(value);
            i = end - 1;
            continue;
        }
        const std::string_view from = "nrtvabf", to = "\n\r\t\v\a\b\f";
        const std::size_t known = from.find(next);
        plain += known == std::string_view::npos ? next : to[known];
        ++i;
    }
    return plain;
}

std::map<std::uint32_t, Format> read_formats(const std::vector<std::string>& lines) {
    std::map<std::uint32_t, Format> formats;
    for (const std::string& line : lines) {
        std::string_view rest = line;
        const auto number = [&]() -> std::optional<std::uint32_t> {
            std::uint32_t value = 0;
            const auto [end, problem] = std::from_chars(rest.data(), rest.data() + rest.size(), value);
            if (problem != std::errc{} || end == rest.data() + rest.size() || *end != ':') return std::nullopt;
            rest.remove_prefix(static_cast<std::size_t>(end - rest.data()) + 1);
            return value;
        };
        const auto id = number(), count = number();
        if (!id || !count) continue;
        Format format;
        for (std::uint32_t i = 0; i < *count; ++i) {
            const auto size = number();
            if (!size) break;
            format.sizes.push_back(*size);
        }
        format.text = unescaped(rest);
        formats[*id] = std::move(format);
    }
    return formats;
}

// A conversion of printf: "%-8.3v4hlx".
struct Conversion {
    std::string flags;        // with width and precision
    unsigned elements = 1;    // of a vector
    unsigned element_bytes = 0;   // as the length says; 0: it says nothing
    char letter = 0;
};

bool read_conversion(std::string_view text, std::size_t& at, Conversion& made) {
    std::size_t i = at;
    const auto is = [&](std::string_view set) {
        return i < text.size() && set.find(text[i]) != std::string_view::npos;
    };
    while (is("-+ #0123456789.")) made.flags += text[i++];
    if (is("v")) {
        ++i;
        made.elements = 0;
        while (is("0123456789") && made.elements < 16)
            made.elements = made.elements * 10 + static_cast<unsigned>(text[i++] - '0');
        if (made.elements == 0 || made.elements > 16) return false;
    }
    while (is("hl")) {
        const bool both = text.substr(i).starts_with("hl"), twice = text.substr(i).starts_with("hh");
        made.element_bytes = both ? 4 : twice ? 1 : text[i] == 'h' ? 2 : 8;
        i += both || twice ? 2 : 1;
    }
    if (!is("diouxXfFeEgGaAcsp")) return false;
    made.letter = text[i];
    at = i + 1;
    return made.flags.size() < 32;
}

std::uint64_t number_of(std::span<const std::uint8_t> bytes) {
    std::uint64_t value = 0;
    std::memcpy(&value, bytes.data(), std::min<std::size_t>(bytes.size(), 8));
    return value;
}

template <typename Value>
std::string print_with(const std::string& format, Value value) {
    char buffer[512];
    const int length = std::snprintf(buffer, sizeof buffer, format.c_str(), value);
    return {buffer, length < 0 ? 0 : std::min<std::size_t>(static_cast<std::size_t>(length), sizeof buffer - 1)};
}

double float_of(std::span<const std::uint8_t> bytes) {
    const std::uint64_t raw = number_of(bytes);
    if (bytes.size() >= 8) return std::bit_cast<double>(raw);
    return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(raw)));
}

// One element.
std::string element_text(const Conversion& conversion, std::span<const std::uint8_t> bytes) {
    const std::string flags = "%" + conversion.flags;
    const std::uint64_t raw = number_of(bytes);
    const unsigned unused = 64 - 8 * static_cast<unsigned>(std::min<std::size_t>(bytes.size(), 8));
    const unsigned narrow = conversion.element_bytes == 0 ? 0 : 64 - 8 * conversion.element_bytes;
    const unsigned shift = std::max(unused, std::min(narrow, 56u));
    switch (conversion.letter) {
        case 'd':
        case 'i':
            return print_with(flags + "lld", static_cast<long long>(static_cast<std::int64_t>(raw << shift) >> shift));
        case 'o':
        case 'u':
        case 'x':
        case 'X':
            return print_with(flags + "ll" + conversion.letter, static_cast<unsigned long long>(raw << shift >> shift));
        case 'c': return print_with(flags + "c", static_cast<int>(raw & 0xff));
        case 'p': return fmt::format("{:#x}", raw);
        default: return print_with(flags + conversion.letter, float_of(bytes));
    }
}

std::string argument_text(const Conversion& conversion, std::span<const std::uint8_t> bytes) {
    if (conversion.letter == 's') {
        const auto* const text = reinterpret_cast<const char*>(bytes.data());
        const std::string plain(text, ::strnlen(text, bytes.size()));
        return print_with("%" + conversion.flags + "s", plain.c_str());
    }
    // A vector of three takes the room of four.
    const std::size_t places = conversion.elements == 3 ? 4 : conversion.elements;
    std::string text;
    for (unsigned i = 0; i < conversion.elements; ++i) {
        const std::size_t each = bytes.size() / places;
        if (i != 0) text += ',';
        text += element_text(conversion, bytes.subspan(i * each, each));
    }
    return text;
}

std::string record_text(const Format& format, std::span<const std::uint8_t> bytes) {
    std::string text;
    std::size_t used = 0, next = 0;
    for (std::size_t at = 0; at < format.text.size();) {
        const char c = format.text[at++];
        if (c != '%') {
            text += c;
            continue;
        }
        if (at < format.text.size() && format.text[at] == '%') {
            text += format.text[at++];
            continue;
        }
        Conversion conversion;
        if (!read_conversion(format.text, at, conversion) || next == format.sizes.size()) {
            text += '%';
            continue;
        }
        const std::size_t size = format.sizes[next++];
        if (size > bytes.size() - used) break;
        text += argument_text(conversion, bytes.subspan(used, size));
        used += (size + 3) / 4 * 4;
        used = std::min(used, bytes.size());
    }
    return text;
}

}  // namespace

std::string printed_text(std::span<const std::uint8_t> buffer, const std::vector<std::string>& lines) {
    const std::map<std::uint32_t, Format> formats = read_formats(lines);
    std::uint32_t used = 0;
    std::memcpy(&used, buffer.data(), sizeof used);
    std::span<const std::uint8_t> records = buffer.subspan(header);
    const bool is_full = used > records.size();
    records = records.first(std::min<std::size_t>(used, records.size()));
    std::string text;
    while (records.size() >= 4) {
        const auto id = static_cast<std::uint32_t>(number_of(records.first(4)));
        const auto found = formats.find(id);
        if (found == formats.end()) break;
        std::size_t size = 4;
        for (const unsigned each : found->second.sizes) size += (std::size_t{each} + 3) / 4 * 4;
        if (size > records.size()) break;
        text += record_text(found->second, records.subspan(4, size - 4));
        records = records.subspan(size);
    }
    if (is_full) text += "\n(there was no room for more)\n";
    return text;
}

}  // namespace isaforge::device
