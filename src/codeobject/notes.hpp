// Records of ELF note sections, and what AMD's say. AMDGPUUsage, "Note Records".
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace isaforge::codeobject {

inline constexpr char note_section[] = ".note";
inline constexpr std::string_view owner_v2 = "AMD", owner_v3 = "AMDGPU";
enum class NoteType : std::uint32_t { version = 1, isa_version = 3, metadata_v2 = 10, isa_name = 11, metadata = 32 };

struct Note {
    std::string owner;
    std::uint32_t type = 0;
    std::vector<std::uint8_t> content;
};

std::vector<std::uint8_t> note_bytes(const Note& note);
// All the records of a section; nothing where its bytes are not exactly such.
std::optional<std::vector<Note>> read_notes(std::span<const std::uint8_t> bytes);

// The instruction set that a file of version 2 names.
struct IsaVersion {
    std::uint32_t major = 0, minor = 0, stepping = 0;
    std::string vendor = "AMD", architecture = "AMDGPU";
};
// What such a note says; nothing where it is none.
std::optional<IsaVersion> isa_version_of(const Note& note);
Note version_note(std::uint32_t major, std::uint32_t minor);
Note isa_version_note(const IsaVersion& version);
Note text_note(NoteType type, std::string_view text);

// The directives that make this note again; nothing where there are none.
std::optional<std::string> note_text(const Note& note);

}  // namespace isaforge::codeobject
