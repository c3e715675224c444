// What the assembler makes and the disassembler and the machine read: sections of bytes, symbols, relocations and a line
// table, and the file formats they are stored in. It knows ELF and its relatives, but no instruction set.
//
// Inside an Object every offset, symbol value and addend counts bytes, also where the machine's code addresses count
// something larger; `Object::address_bytes` converts.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "isaforge/codec.hpp"
#include "isaforge/line_table.hpp"

namespace isaforge {

struct Section {
    std::string name;
    bool allocated = true;  // takes part in the program's image
    bool writable = false;
    bool executable = false;
    bool no_bits = false;  // occupies `size` zero bytes in memory and none in the file
    bool note = false;
    bool of_thread = false;      // what each thread has its own copy of
    std::uint32_t elf_type = 0;  // further sh_type (of initialisers) that is only carried along; 0: by the flags above
    std::uint32_t elf_flags = 0;  // further sh_flags (merge, strings) that are only carried along
    std::uint32_t entry_size = 0;
    std::uint64_t alignment = 1;     // a power of two
    std::uint64_t address = 0;       // in bytes, in its own memory; see place_sections
    std::uint64_t load_address = 0;  // in bytes, in flat outputs, where code and data share one image
    std::uint64_t size = 0;          // of a no_bits section
    std::vector<std::uint8_t> bytes;

    std::uint64_t extent() const { return no_bits ? size : bytes.size(); }
};

enum class Binding : std::uint8_t { local, global, weak };
// `special`: the first type that ELF leaves to the operating system, STT_LOOS. `thread`: of a section that each thread has.
enum class SymbolType : std::uint8_t { none, object, function, section, file, special, thread };
// In the order of ELF's st_other.
enum class Visibility : std::uint8_t { usual, internal, hidden, protected_ };  // NOLINT(*-naming): a keyword

// Values of Symbol::section that are no section.
inline constexpr Index undefined_section = no_index;
inline constexpr Index absolute_section = no_index - 1;
inline constexpr Index common_section = no_index - 2;  // `value` is the alignment, `size` the size

struct Symbol {
    std::string name;
    Index section = undefined_section;
    std::uint64_t value = 0;  // offset in the section in bytes, or the absolute value
    std::uint64_t size = 0;
    Binding binding = Binding::local;
    SymbolType type = SymbolType::none;
    Visibility visibility = Visibility::usual;
};

// Relocation types. An instruction's number has NumberRule::relocation_type. Data has the absolute types. The value
// stored is symbol + addend, counted from the instruction where the number is relative, and then treated as the number's
// rule says. Where a flavour of objects has types of its own (see object/flavour.hpp), those stand here instead.
namespace relocation_type {
inline constexpr std::uint32_t absolute_8 = 48, absolute_16 = 49, absolute_32 = 50, absolute_64 = 51;
inline constexpr std::uint32_t relative_8 = 52, relative_16 = 53, relative_32 = 54, relative_64 = 55;
// In files alone, without a symbol: the next relocation at the same place has its addend as Relocation::number.
inline constexpr std::uint32_t further_number = 56;
}  // namespace relocation_type

struct Relocation {
    Index section = no_index;  // where it applies …
    std::uint64_t offset = 0;  // … at this byte: the instruction's first, or the datum's; with a flavour, the number's
    Index symbol = no_index;   // no_index: the addend alone, to which a loader adds the base of the data
    std::uint32_t type = 0;
    std::int64_t addend = 0;  // bytes
    Place place;              // where it was written, for messages; not stored in files
    unsigned number = 0;      // which of the instruction's numbers of this type it is about, from 0 on
};

// What a loader makes of an executable: stretches of memory, by rising addresses.
struct Segment {
    std::uint64_t address = 0, size = 0;  // in memory; what the file has no bytes for is zero
    bool readable = false, writable = false, executable = false;
    std::vector<std::uint8_t> bytes;
};
struct Executable {
    std::vector<Segment> segments;
    std::uint64_t entry = 0;
    std::uint64_t headers = 0;            // where the program headers lie in memory; 0: nowhere
    std::uint32_t header_bytes = 0, header_count = 0;
    std::string problem;                  // why the file cannot be loaded so; empty where it can
};

struct Object {
    std::string isa, variant;  // what the note section says
    std::string parameters;    // of the description, where others were asked for than it has: "WLEN=64 MXVL=128"
    std::string dialect;  // in which the source says that it is written, where the description was loaded in another
    std::string wanted_variant;       // for which the source says that it is, likewise
    std::uint16_t machine = 0;        // e_machine
    std::uint32_t machine_flags = 0;  // e_flags
    std::uint8_t os_abi = 0, abi_version = 0;
    bool wide = false;                // a 64-bit ELF file
    bool self_describing = false;     // machine and flags say which instruction set it is: no note does
    bool big_endian = false;          // data, and the file's own numbers
    bool code_big_endian = false;     // bytes within an instruction's unit; not stored in files
    std::uint32_t unit_bytes = 1;     // of an instruction's units
    std::uint32_t address_bytes = 1;  // bytes that one step of a code address covers
    std::uint32_t address_relocation = relocation_type::absolute_32;  // of an address in debugging sections
    bool relocatable = true;                                          // false: addresses are final
    std::uint64_t entry = 0;
    std::vector<Section> sections;
    std::vector<Symbol> symbols;
    std::vector<Relocation> relocations;
    // Sections of which a program has one copy, however many objects bring them: those of the first object that does.
    struct Group {
        std::string name;
        std::vector<Index> sections;
    };
    std::vector<Group> groups;
    std::vector<std::string> files;
    LineTable lines;               // by section, then by rising offset
    std::optional<Executable> executable;  // of ELF files that are linked
    // Of linked files that are written: segments begin at multiples of this in memory as in the file, and one holds
    // everything that lies side by side with the same permissions. 0: each section is one.
    std::uint64_t page_bytes = 0;
    std::optional<std::uint64_t> headers_address;  // the headers are part of the program's image, here
    std::string lines_problem;     // why lines of a file that was read are missing; empty where none are

    Index find_section(std::string_view name) const;
    Index find_symbol(std::string_view name) const;
};

// Gives every allocated section its addresses. Code comes first, then read-only data, data and zeroed data, each aligned.
// Where a code address counts bytes, all share one memory from `base` on. Where it does not, code is a memory of its own:
// code and data are both addressed from `base`, and only their load addresses follow each other.
void place_sections(Object& object, std::uint64_t base = 0);

// What relocations count from beside sections, where a linker has placed it.
struct LinkerTables {
    std::optional<std::uint64_t> thread_begin;  // of what each thread gets a copy of
    // Where a table has a symbol's address, plus an addend, or with `thread` its distance from thread_begin.
    struct Slot {
        Index symbol = no_index;
        std::int64_t addend = 0;
        bool thread = false;
        auto operator<=>(const Slot&) const = default;
    };
    std::map<Slot, std::uint64_t> slots;
};

// The room that the headers of a linked file take, in bytes.
std::uint64_t elf_headers_bytes(const Object& object);

// Computes every relocation whose symbol is defined, from the sections' addresses, and writes it into the bytes. Those
// against undefined symbols are errors; those without a symbol stay in the list for a loader. For flat outputs and for
// running an object directly. `name_place` says for messages where something was, if the relocation does not.
using NamePlace = std::function<std::string(Index section, std::uint64_t offset)>;
bool apply_relocations(Object& object, const Codec& codec, Diagnostics& diagnostics, const NamePlace& name_place = {},
                       const LinkerTables* tables = nullptr);

// Writers append to `out`. The flat ones want placed sections and take the allocated ones by load address; they fail,
// with the reason in `error`, where the image would have to exceed `max_flat_image` bytes.
inline constexpr std::uint64_t max_flat_image = std::uint64_t{1} << 30;

enum class ObjectFormat { elf, binary, intel_hex, memh, c_header, vhdl };

// "elf", "bin", "ihex", "memh", "c", "vhdl".
std::optional<ObjectFormat> object_format(std::string_view name);

bool write_object(const Object& object, ObjectFormat format, std::string& out, std::string& error);

bool write_elf(const Object& object, std::string& out, std::string& error);
// The same piece by piece, as long as the object is there. Nothing is put where it fails.
using PutBytes = std::function<void(std::string_view bytes)>;
bool write_elf(const Object& object, const PutBytes& put, std::string& error);
bool write_binary(const Object& object, std::string& out, std::string& error);
bool write_intel_hex(const Object& object, std::string& out, std::string& error);
bool write_memh(const Object& object, std::string& out, std::string& error);  // one unit a line
bool write_c_header(const Object& object, std::string& out,
                    std::string& error);  // words, and a flag for relocated ones
bool write_vhdl(const Object& object, std::string& out, std::string& error);

// Readers take any bytes whatever; nothing and the reason in `error` where they make no object.
bool is_elf(std::span<const std::uint8_t> bytes);
bool is_intel_hex(std::span<const std::uint8_t> bytes);
std::optional<Object> read_elf(std::span<const std::uint8_t> bytes, std::string& error, bool with_lines = true);
// The same without a copy of the bytes, which are used up.
std::optional<Object> read_elf(std::vector<std::uint8_t>&& bytes, std::string& error, bool with_lines = true);
std::optional<Object> read_intel_hex(std::span<const std::uint8_t> bytes, std::string& error);
// All bytes are one executable section.
Object read_binary(std::span<const std::uint8_t> bytes, const Isa& isa);

// Why an object that was read is none for this instruction set, with both names; empty where nothing says so. An object
// says what it is for by its note, or by its ELF machine and flags where the description's flavour knows them.
std::string mismatch(const Object& object, const Isa& isa);
// What the ELF machine of an object says, where neither a note nor a flavour does: it may be another machine than the
// instruction set describes. Empty where it says nothing.
std::string foreign_machine(const Object& object, const Isa& isa);

// What other tools made does not say how its code counts: as this instruction set does.
void complete_object(Object& object, const Isa& isa);

// An empty object for programs of this instruction set.
Object make_object(const Isa& isa);

// Writes the whole file or leaves what was there: the text goes to a temporary beside it that is then renamed. `-` is
// standard output; devices and pipes are written directly.
bool write_file_atomically(const std::string& path, std::string_view text, std::string& error);

}  // namespace isaforge
