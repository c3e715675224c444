// Which processor and which operating system a code object is for: the target id in text, as `.amdgcn_target` has it, and
// as e_flags, OS ABI and ABI version, for each version of the format. LLVM's AMDGPUUsage, "Processors", "Target ID" and
// "Header".
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "isaforge/object.hpp"

namespace isaforge::codeobject {

inline constexpr std::uint16_t machine_amdgpu = 224;

struct Processor {
    std::string_view name;         // "gfx803"
    std::string_view other_names;  // "fiji polaris10", parted by blanks
    std::uint8_t machine;          // in e_flags
    std::string_view variant;      // the instruction set
    unsigned major, minor, stepping;
    bool has_xnack = false, has_sramecc = false;
    bool fixed_sgprs = false;  // all wavefronts must ask for 96 scalar registers
};

std::span<const Processor> processors();
const Processor* find_processor(std::string_view name);  // by any of its names
const Processor* default_processor(std::string_view variant);

enum class System : std::uint8_t { none, hsa, pal, mesa };
enum class Feature : std::uint8_t { any, off, on };  // any: also where the processor has no such thing

// The version of the format where the source says nothing.
inline constexpr unsigned usual_version = 4;
inline constexpr unsigned first_version = 2, last_version = 5;

struct Target {
    const Processor* processor = nullptr;
    System system = System::hsa;
    Feature xnack = Feature::any, sramecc = Feature::any;

    bool uses_xnack() const { return processor->has_xnack && xnack != Feature::off; }
    bool uses_sramecc() const { return processor->has_sramecc && sramecc != Feature::off; }
    bool operator==(const Target&) const = default;
};

// Reads a processor's name, with features, or a whole id: "gfx803", "amdgcn-amd-amdhsa--gfx900:xnack+". Nothing, with the
// reason in `error`, where there is no such target.
std::optional<Target> parse_target(std::string_view text, std::string& error);
std::string target_text(const Target& target, unsigned version);

// The header of an ELF file, and back.
void set_header(const Target& target, unsigned version, Object& object);
std::optional<Target> target_of(const Object& object);
unsigned version_of(const Object& object);

}  // namespace isaforge::codeobject
