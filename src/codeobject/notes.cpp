#include "codeobject/notes.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "codeobject/metadata.hpp"

namespace isaforge::codeobject {

namespace {

constexpr std::size_t header_size = 12;

std::size_t padded(std::size_t size) { return (size + 3) & ~std::size_t{3}; }

void put(std::vector<std::uint8_t>& out, std::uint64_t value, unsigned bytes) {
    for (unsigned i = 0; i < bytes; ++i) out.push_back(static_cast<std::uint8_t>(value >> 8 * i));
}

std::uint32_t get(std::span<const std::uint8_t> bytes, std::size_t at, unsigned count) {
    std::uint32_t value = 0;
    for (unsigned i = 0; i < count && at + i < bytes.size(); ++i) value |= std::uint32_t{bytes[at + i]} << 8 * i;
    return value;
}

bool is_printable(std::string_view text) {
    return std::ranges::all_of(text, [](char c) { return (c >= 0x20 && c < 0x7F && c != '"' && c != '\\'); });
}

std::optional<std::string> version_text(std::span<const std::uint8_t> content) {
    if (content.size() != 8) return std::nullopt;
    return fmt::format(".hsa_code_object_version {},{}\n", get(content, 0, 4), get(content, 4, 4));
}

std::optional<std::string> isa_version_text(const Note& note) {
    const std::optional<IsaVersion> version = isa_version_of(note);
    if (!version || isa_version_note(*version).content != note.content) return std::nullopt;
    return fmt::format(".hsa_code_object_isa {},{},{},\"{}\",\"{}\"\n", version->major, version->minor,
                       version->stepping, version->vendor, version->architecture);
}

// Metadata of version 2 are YAML as they stand in the file.
std::optional<std::string> metadata_v2_text(std::string_view text) {
    const bool lines = !text.empty() && text.back() == '\n';
    const bool plain = std::ranges::all_of(text, [](char c) { return c == '\n' || (c >= 0x20 && c < 0x7F); });
    if (!lines || !plain || text.find(".end_amd_amdgpu_hsa_metadata") != std::string_view::npos) return std::nullopt;
    return fmt::format(".amd_amdgpu_hsa_metadata\n{}.end_amd_amdgpu_hsa_metadata\n", text);
}

}  // namespace

std::vector<std::uint8_t> note_bytes(const Note& note) {
    std::vector<std::uint8_t> out;
    put(out, note.owner.size() + 1, 4);
    put(out, note.content.size(), 4);
    put(out, note.type, 4);
    out.insert(out.end(), note.owner.begin(), note.owner.end());
    out.push_back(0);
    out.resize(padded(out.size()));
    out.insert(out.end(), note.content.begin(), note.content.end());
    out.resize(padded(out.size()));
    return out;
}

std::optional<std::vector<Note>> read_notes(std::span<const std::uint8_t> bytes) {
    std::vector<Note> notes;
    std::vector<std::uint8_t> again;
    while (!bytes.empty()) {
        if (bytes.size() < header_size) return std::nullopt;
        const std::size_t name = get(bytes, 0, 4), content = get(bytes, 4, 4);
        if (name == 0 || name > bytes.size() || content > bytes.size()) return std::nullopt;
        const std::size_t whole = header_size + padded(name) + padded(content);
        if (whole > bytes.size()) return std::nullopt;
        Note note;
        note.type = get(bytes, 8, 4);
        note.owner.assign(reinterpret_cast<const char*>(bytes.data()) + header_size, name - 1);
        const auto begin = bytes.begin() + static_cast<std::ptrdiff_t>(header_size + padded(name));
        note.content.assign(begin, begin + static_cast<std::ptrdiff_t>(content));
        if (!std::ranges::equal(note_bytes(note), bytes.first(whole))) return std::nullopt;
        notes.push_back(std::move(note));
        bytes = bytes.subspan(whole);
    }
    return notes;
}

Note version_note(std::uint32_t major, std::uint32_t minor) {
    Note note{std::string(owner_v2), static_cast<std::uint32_t>(NoteType::version), {}};
    put(note.content, major, 4);
    put(note.content, minor, 4);
    return note;
}

std::optional<IsaVersion> isa_version_of(const Note& note) {
    if (note.owner != owner_v2 || note.type != static_cast<std::uint32_t>(NoteType::isa_version)) return std::nullopt;
    const std::span<const std::uint8_t> content = note.content;
    constexpr std::size_t names = 16;
    const std::size_t vendor = get(content, 0, 2), architecture = get(content, 2, 2);
    if (vendor == 0 || architecture == 0 || content.size() < names + vendor + architecture) return std::nullopt;
    const std::string_view text(reinterpret_cast<const char*>(content.data()) + names, vendor + architecture);
    IsaVersion version;
    version.vendor = text.substr(0, vendor - 1);
    version.architecture = text.substr(vendor, architecture - 1);
    version.major = get(content, 4, 4);
    version.minor = get(content, 8, 4);
    version.stepping = get(content, 12, 4);
    if (!is_printable(version.vendor) || !is_printable(version.architecture)) return std::nullopt;
    return version;
}

Note isa_version_note(const IsaVersion& version) {
    Note note{std::string(owner_v2), static_cast<std::uint32_t>(NoteType::isa_version), {}};
    put(note.content, version.vendor.size() + 1, 2);
    put(note.content, version.architecture.size() + 1, 2);
    for (const std::uint32_t number : {version.major, version.minor, version.stepping}) put(note.content, number, 4);
    for (const std::string* name : {&version.vendor, &version.architecture}) {
        note.content.insert(note.content.end(), name->begin(), name->end());
        note.content.push_back(0);
    }
    return note;
}

Note text_note(NoteType type, std::string_view text) {
    return {std::string(owner_v2), static_cast<std::uint32_t>(type), {text.begin(), text.end()}};
}

std::optional<std::string> note_text(const Note& note) {
    const std::string_view text(reinterpret_cast<const char*>(note.content.data()), note.content.size());
    const auto type = static_cast<NoteType>(note.type);
    if (note.owner == owner_v3 && type == NoteType::metadata) {
        const std::optional<std::string> yaml = metadata_text(note.content);
        if (!yaml) return std::nullopt;
        return fmt::format(".amdgpu_metadata\n{}.end_amdgpu_metadata\n", *yaml);
    }
    if (note.owner != owner_v2) return std::nullopt;
    switch (type) {
        case NoteType::version: return version_text(note.content);
        case NoteType::isa_version: return isa_version_text(note);
        case NoteType::metadata_v2: return metadata_v2_text(text);
        case NoteType::isa_name:
            if (!is_printable(text)) return std::nullopt;
            return fmt::format(".amd_amdgpu_isa \"{}\"\n", text);
        default: return std::nullopt;
    }
}

}  // namespace isaforge::codeobject
