// AMD's OpenCL 1.2 programs: an ELF file with one ELF file of 32 bits for each kernel, and a text about its arguments.
// Notes in the inner file say which registers to set; the last encoding is the hardware's.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>

#include "codeobject/containers.hpp"

namespace isaforge::codeobject {

namespace {

constexpr std::uint32_t first_machine = 0x3f1, last_machine = 0x4ff;
constexpr std::uint32_t note_segment = 4, program_info_note = 1;

std::string_view device_of(std::uint32_t machine) {
    static constexpr std::pair<std::uint32_t, std::string_view> names[] = {
        {0x3fd, "Tahiti"},    {0x3fe, "Pitcairn"}, {0x3ff, "CapeVerde"}, {0x402, "Oland"},  {0x403, "Bonaire"},
        {0x404, "Spectre"},   {0x405, "Spooky"},   {0x406, "Kalindi"},   {0x407, "Hainan"}, {0x408, "Hawaii"},
        {0x409, "Iceland"},   {0x40a, "Tonga"},    {0x40b, "Mullins"},   {0x40c, "Fiji"},   {0x40d, "Carrizo"},
        {0x40e, "Ellesmere"}, {0x40f, "Baffin"},   {0x411, "Stoney"},    {0x412, "GFX804"}};
    for (const auto& [number, name] : names) {
        if (number == machine) return name;
    }
    return {};
}

using Registers = std::map<std::uint32_t, std::uint32_t>;

// The pairs of address and value in the inner file's notes.
Registers program_info(const ElfView& inner) {
    Registers registers;
    for (const ElfSegment& segment : inner.segments) {
        if (segment.type != note_segment) continue;
        constexpr std::uint64_t head = 20;
        for (std::uint64_t at = 0; at + head <= segment.bytes.size();) {
            const std::uint32_t size = word_at(segment.bytes, at + 4), type = word_at(segment.bytes, at + 8);
            const std::optional<Bytes> content = part_of(segment.bytes, at + head, size);
            if (!content || std::memcmp(segment.bytes.data() + at + 12, "ATI CAL", 8) != 0) break;
            for (std::uint64_t i = 0; type == program_info_note && i + 8 <= content->size(); i += 8) {
                registers[word_at(*content, i)] = word_at(*content, i + 4);
            }
            at += head + size;
        }
    }
    return registers;
}

std::uint32_t value_of(const Registers& registers, std::uint32_t address) {
    const auto found = registers.find(address);
    return found == registers.end() ? 0 : found->second;
}

// Which scalar registers the driver fills with what.
std::string user_data(const Registers& registers) {
    static constexpr std::string_view classes[] = {"IMM_RESOURCE",
                                                   "IMM_SAMPLER",
                                                   "IMM_CONST_BUFFER",
                                                   "IMM_VERTEX_BUFFER",
                                                   "IMM_UAV",
                                                   "IMM_ALU_FLOAT_CONST",
                                                   "IMM_ALU_BOOL32_CONST",
                                                   "IMM_GDS_COUNTER_RANGE",
                                                   "IMM_GDS_MEMORY_RANGE",
                                                   "IMM_GWS_BASE",
                                                   "IMM_WORK_ITEM_RANGE",
                                                   "IMM_WORK_GROUP_RANGE",
                                                   "IMM_DISPATCH_ID",
                                                   "IMM_SCRATCH_BUFFER",
                                                   "IMM_HEAP_BUFFER",
                                                   "IMM_KERNEL_ARG",
                                                   "SUB_PTR_FETCH_SHADER",
                                                   "PTR_RESOURCE_TABLE",
                                                   "PTR_INTERNAL_RESOURCE_TABLE",
                                                   "PTR_SAMPLER_TABLE",
                                                   "PTR_CONST_BUFFER_TABLE",
                                                   "PTR_VERTEX_BUFFER_TABLE",
                                                   "PTR_SO_BUFFER_TABLE",
                                                   "PTR_UAV_TABLE",
                                                   "PTR_INTERNAL_GLOBAL_TABLE",
                                                   "PTR_EXTENDED_USER_DATA",
                                                   "PTR_INDIRECT_RESOURCE",
                                                   "PTR_INDIRECT_INTERNAL_RESOURCE",
                                                   "PTR_INDIRECT_UAV",
                                                   "IMM_CONTEXT_BASE",
                                                   "IMM_LDS_ESGS_SIZE",
                                                   "IMM_GLOBAL_OFFSET",
                                                   "IMM_GENERIC_USER_DATA"};
    constexpr std::uint32_t first = 0x80001000, most = 16;
    std::string out;
    for (std::uint32_t i = 0; i < std::min(most, value_of(registers, first)); ++i) {
        const std::uint32_t at = first + 1 + 4 * i, kind = value_of(registers, at);
        out += fmt::format("        .userdata {}, {}, {}, {}\n",
                           kind < std::size(classes) ? std::string(classes[kind]) : std::to_string(kind),
                           value_of(registers, at + 1), value_of(registers, at + 2), value_of(registers, at + 3));
    }
    return out;
}

// The texts between the colons of a line.
std::vector<std::string_view> fields_of(std::string_view line) {
    std::vector<std::string_view> fields;
    constexpr std::size_t most = 32;
    while (fields.size() < most) {
        const std::size_t colon = line.find(':');
        fields.push_back(line.substr(0, colon));
        if (colon == std::string_view::npos) break;
        line.remove_prefix(colon + 1);
    }
    return fields;
}

std::string type_name(std::string_view type, std::string_view count) {
    static constexpr std::pair<std::string_view, std::string_view> names[] = {
        {"i8", "char"},  {"u8", "uchar"}, {"i16", "short"}, {"u16", "ushort"},  {"i32", "int"},
        {"u32", "uint"}, {"i64", "long"}, {"u64", "ulong"}, {"float", "float"}, {"double", "double"}};
    for (const auto& [short_name, name] : names) {
        if (type == short_name) return fmt::format("{}{}", name, count == "1" ? "" : count);
    }
    return std::string(type);
}

// An argument or a setting from a line of the text about a kernel; empty where it is neither.
std::string metadata_line(std::string_view line) {
    const std::vector<std::string_view> f = fields_of(line);
    if (f[0] == "value" && f.size() > 3) {
        return f[2] == "struct" ? fmt::format("        .arg {}, structure, {}\n", f[1], f[3])
                                : fmt::format("        .arg {}, {}\n", f[1], type_name(f[2], f[3]));
    }
    if (f[0] == "pointer" && f.size() > 9) {
        const std::string_view space = f[6] == "uav" ? "global" : f[6] == "hl" || f[6] == "l" ? "local" : "constant";
        return fmt::format("        .arg {}, {}*, {}{}\n", f[1], type_name(f[2], "1"), space,
                           f[9] == "RO" && space == "global" ? ", const" : "");
    }
    if (f[0] == "image" && f.size() > 4) {
        std::string kind(f[2]);
        for (char& c : kind) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
        return fmt::format("        .arg {}, image{}, {}, {}\n", f[1], kind, f[3] == "RO" ? "read_only" : "write_only",
                           f[4]);
    }
    if (f[0] == "sampler" && f.size() > 2 && f[2] != "0") return fmt::format("        # sampler {}: {}\n", f[1], f[2]);
    if (f[0] == "memory" && f.size() > 2 && f[1] == "hwregion" && f[2] != "0")
        return fmt::format("        .hwregion {}\n", f[2]);
    for (const std::string_view id : {"uavid", "printfid", "cbid", "privateid"}) {
        if (f[0] == id && f.size() > 1) return fmt::format("        .{} {}\n", id, f[1]);
    }
    return {};
}

std::string metadata_settings(std::string_view text) {
    std::string out;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        if (text[0] == ';') out += metadata_line(text.substr(1, end - 1));
        text.remove_prefix(std::min(text.size(), end + 1));
    }
    return out;
}

std::string settings(const Registers& registers, std::string_view variant) {
    std::string out;
    const std::uint32_t size[] = {value_of(registers, 0x8000001c), value_of(registers, 0x8000001d),
                                  value_of(registers, 0x8000001e)};
    if (size[1] != 0 || size[2] != 0) out += fmt::format("        .cws {}, {}, {}\n", size[0], size[1], size[2]);
    const std::uint32_t second = value_of(registers, 0x2e13);
    out += second_register_settings(second, variant);
    out += fmt::format("        .sgprsnum {}\n        .vgprsnum {}\n", value_of(registers, 0x80001042),
                       value_of(registers, 0x80001041));
    out += fmt::format("        .floatmode {:#x}\n", value_of(registers, 0x80001043));
    if (value_of(registers, 0x80001044)) out += "        .ieeemode\n";
    if (value_of(registers, 0x80001045))
        out += fmt::format("        .scratchbuffer {}\n", value_of(registers, 0x80001045));
    out += fmt::format("        .pgmrsrc2 {:#x}\n", second);
    return out + user_data(registers);
}

std::string_view text_of(const ElfView& file, std::string_view symbol_name) {
    const ElfSymbol* const symbol = file.symbol(symbol_name);
    const std::optional<Bytes> bytes = symbol ? file.bytes_of(*symbol) : std::nullopt;
    if (!bytes) return {};
    const std::string_view text(reinterpret_cast<const char*>(bytes->data()), bytes->size());
    return text.substr(0, text.find('\0'));
}

bool read_kernel(const ElfView& file, const ElfSymbol& symbol, std::string_view variant, Container& container,
                 std::string& error) {
    constexpr std::size_t before = std::string_view("__OpenCL_").size(), after = std::string_view("_kernel").size();
    const std::optional<Bytes> bytes = file.bytes_of(symbol);
    const std::optional<ElfView> inner = bytes ? view_elf(*bytes, error) : std::nullopt;
    if (!inner) {
        error = fmt::format("the kernel behind {} cannot be read", symbol.name);
        return false;
    }
    ContainerPart part;
    part.name = symbol.name.substr(before, symbol.name.size() - before - after);
    // A file may hold the kernel in more than one encoding; the last one is what runs.
    const ElfSection* code = nullptr;
    for (const ElfSection& section : inner->sections) {
        if (section.name == ".text") code = &section;
    }
    if (!code) {
        error = fmt::format("the kernel {} has no code", part.name);
        return false;
    }
    part.head = fmt::format(".kernel {}\n    .config\n{}{}", part.name, settings(program_info(*inner), variant),
                            metadata_settings(text_of(file, fmt::format("__OpenCL_{}_metadata", part.name))));
    part.object = code_object(code->bytes, {});
    container.parts.push_back(std::move(part));
    return true;
}

}  // namespace

bool is_catalyst(const ElfView& file) {
    return file.machine >= first_machine && file.machine <= last_machine && !device_of(file.machine).empty();
}

std::optional<Container> read_catalyst(const ElfView& file, std::string& error) {
    Container container;
    container.format = "AMD OpenCL 1.2";
    container.isa = "gcn";
    container.dialect = "clrx";
    const std::string_view device = device_of(file.machine);
    container.variant = variant_of_device(device).value_or("gcn1.0");
    container.head = fmt::format(".amd\n.gpu {}\n{}", device, file.wide ? ".64bit\n" : ".32bit\n");
    const std::string_view options = text_of(file, "__OpenCL_compile_options");
    container.head += fmt::format(".compile_options {}\n", quoted(options));
    const ElfSection* const comment = file.section(".comment");
    if (comment && !comment->bytes.empty()) {
        std::string_view text(reinterpret_cast<const char*>(comment->bytes.data()), comment->bytes.size());
        if (text.starts_with(options)) text.remove_prefix(options.size());  // they stand before it
        container.head += fmt::format(".driver_info {}\n", quoted(text.substr(0, text.find('\0'))));
    }
    for (const char* const name : {"__OpenCL_0_global", "__OpenCL_2_global"}) {
        const ElfSymbol* const symbol = file.symbol(name);
        const std::optional<Bytes> bytes = symbol ? file.bytes_of(*symbol) : std::nullopt;
        if (bytes) container.head += fmt::format("# {} bytes of constant data\n", bytes->size());
    }
    for (const ElfSymbol& symbol : file.symbols) {
        if (!symbol.name.starts_with("__OpenCL_") || !symbol.name.ends_with("_kernel")) continue;
        if (symbol.name.size() < std::string_view("__OpenCL_x_kernel").size()) continue;
        if (!read_kernel(file, symbol, container.variant, container, error)) return std::nullopt;
    }
    return container;
}

}  // namespace isaforge::codeobject
