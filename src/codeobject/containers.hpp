// The kinds of containers, and what their readers share: devices by name, and the configuration of a kernel as CLRX's
// directives.
#pragma once

#include <string>
#include <string_view>

#include "codeobject/elf_view.hpp"
#include "isaforge/container.hpp"
#include "object/limits.hpp"

namespace isaforge::codeobject {

// Each reads a file that `is_…` says yes to; nothing and the reason in `error` where it is damaged.
// `budget`: of the whole file, for what stands in it once and is read for each kernel.
bool is_catalyst(const ElfView& file);
bool is_amdcl2(const ElfView& file);
bool is_gallium(Bytes bytes);
std::optional<Container> read_catalyst(const ElfView& file, limits::Budget budget, std::string& error);
std::optional<Container> read_amdcl2(const ElfView& file, limits::Budget budget, std::string& error);
std::optional<Container> read_gallium(Bytes bytes, std::string& error);

// The variant of the description that a device needs, by its name as CLRX writes it; nothing where there is no such device.
std::optional<std::string_view> variant_of_device(std::string_view name);

// The settings in two hardware registers, a directive a line. `variant` decides the unit of local memory.
std::string register_settings(std::uint32_t rsrc1, std::uint32_t rsrc2, std::string_view variant);
// Those in the second of them, which the OpenCL 1.2 containers have alone.
std::string second_register_settings(std::uint32_t rsrc2, std::string_view variant);

// The header that stands before a kernel's code since OpenCL 2.0: 256 bytes, as directives.
constexpr std::uint64_t kernel_header_size = 256;
std::string kernel_header_settings(Bytes header, std::string_view variant);
// The variant that it names; empty where it names none.
std::string variant_of_header(Bytes header);

// A string in quotes.
std::string quoted(std::string_view text);

// Code alone, or with read-only data before it.
Object code_object(Bytes code, Bytes constants);
void add_kernel_symbol(Object& object, std::string_view name, std::uint64_t at, std::uint64_t size);

}  // namespace isaforge::codeobject
