// The note that tells which instruction set an ELF file is for, shared by writer and reader.
#pragma once

namespace isaforge {

// Its descriptor: bytes of a unit, bytes of an address step (32 bits each), then name, variant and
// parameters, each with a NUL.
inline constexpr char note_section[] = ".note.isaforge";
inline constexpr char note_owner[] = "isaforge";
inline constexpr unsigned note_type = 1;

}  // namespace isaforge
