// Mesa's compute programs: a list of kernels with their arguments, a list of sections, and in one of those an ELF file
// with the code of all kernels and, in .AMDGPU.config, the registers to set for each. Since LLVM 4 a header stands before
// each kernel's code.
#include <fmt/format.h>

#include <iterator>

#include "codeobject/containers.hpp"

namespace isaforge::codeobject {

namespace {

constexpr std::uint32_t most_kernels = 1 << 16, most_arguments = 1 << 12, longest_name = 1 << 16;
constexpr std::uint64_t argument_size = 24, section_head_size = 20;

struct Kernel {
    std::string_view name;
    std::uint64_t offset = 0;
    std::string arguments;
};

struct File {
    std::vector<Kernel> kernels;
    Bytes program;  // the ELF file
};

std::string argument_line(Bytes bytes, std::uint64_t at) {
    static constexpr std::string_view types[] = {"scalar",         "constant",       "global",
                                                 "local",          "image2d_rdonly", "image2d_wronly",
                                                 "image3d_rdonly", "image3d_wronly", "sampler"};
    static constexpr std::string_view meanings[] = {"general", "griddim", "gridoffset", "imgsize", "imgformat"};
    const std::uint32_t type = word_at(bytes, at), meaning = word_at(bytes, at + 20);
    return fmt::format("        .arg {}, {}, {}, {}, {}, {}\n",
                       type < std::size(types) ? std::string(types[type]) : std::to_string(type),
                       word_at(bytes, at + 4), word_at(bytes, at + 8), word_at(bytes, at + 12),
                       word_at(bytes, at + 16) ? "sext" : "zext",
                       meaning < std::size(meanings) ? std::string(meanings[meaning]) : std::to_string(meaning));
}

bool read_kernels(Bytes bytes, std::uint64_t& at, File& file) {
    const std::uint32_t count = word_at(bytes, 0);
    if (bytes.size() < 4 || count == 0 || count > most_kernels) return false;
    at = 4;
    for (std::uint32_t i = 0; i < count; ++i) {
        const std::uint32_t length = word_at(bytes, at);
        const std::optional<Bytes> name = part_of(bytes, at + 4, length);
        if (!name || length == 0 || length > longest_name) return false;
        at += 4 + std::uint64_t{length};
        const std::uint32_t arguments = word_at(bytes, at + 8);
        if (arguments > most_arguments || !part_of(bytes, at, 12 + arguments * argument_size)) return false;
        Kernel kernel;
        kernel.name = {reinterpret_cast<const char*>(name->data()), name->size()};
        for (const char c : kernel.name) {
            if (c < ' ' || c > '~') return false;
        }
        kernel.offset = word_at(bytes, at + 4);
        at += 12;
        for (std::uint32_t k = 0; k < arguments; ++k, at += argument_size) kernel.arguments += argument_line(bytes, at);
        file.kernels.push_back(std::move(kernel));
    }
    return true;
}

bool read_sections(Bytes bytes, std::uint64_t at, File& file) {
    if (!part_of(bytes, at, 4)) return false;
    const std::uint32_t count = word_at(bytes, at);
    at += 4;
    for (std::uint32_t i = 0; i < count; ++i) {
        if (!part_of(bytes, at, section_head_size)) return false;
        const std::optional<Bytes> content = part_of(bytes, at + section_head_size, word_at(bytes, at + 8));
        if (!content) return false;
        if (file.program.empty() && looks_like_elf(*content)) file.program = *content;
        at += section_head_size + content->size();
    }
    return !file.program.empty();
}

bool read_file(Bytes bytes, File& file) {
    std::uint64_t at = 0;
    return read_kernels(bytes, at, file) && read_sections(bytes, at, file);
}

// The registers of one kernel: pairs of address and value.
std::string configuration(Bytes entries, std::string_view variant) {
    std::uint32_t first = 0, second = 0;
    std::string rest;
    for (std::uint64_t at = 0; at + 8 <= entries.size(); at += 8) {
        const std::uint32_t address = word_at(entries, at), value = word_at(entries, at + 4);
        switch (address) {
            case 0xb848: first = value; break;
            case 0xb84c: second = value; break;
            case 0xb860: rest += fmt::format("        .scratchbuffer {}\n", (value >> 12) * 1024 / 64); break;
            case 4: rest += fmt::format("        .spilledsgprs {}\n", value); break;
            case 8: rest += fmt::format("        .spilledvgprs {}\n", value); break;
            default: rest += fmt::format("        # register {:#x}: {:#x}\n", address, value);
        }
    }
    return register_settings(first, second, variant) + rest;
}

// The header before a kernel's code, where there is one.
std::optional<Bytes> header_of(Bytes code, const Kernel& kernel) {
    const std::optional<Bytes> header = part_of(code, kernel.offset, kernel_header_size);
    const bool good = header && word_at(*header, 0) == 1 && number_at(*header, 8, 2) == 1 &&
                      number_at(*header, 16, 8) == kernel_header_size && !variant_of_header(*header).empty();
    return good ? header : std::nullopt;
}

}  // namespace

bool is_gallium(Bytes bytes) {
    File file;
    return read_file(bytes, file);
}

std::optional<Container> read_gallium(Bytes bytes, std::string& error) {
    File file;
    if (!read_file(bytes, file)) {
        error = "the lists of kernels and sections are damaged";
        return std::nullopt;
    }
    const std::optional<ElfView> program = view_elf(file.program, error);
    if (!program) return std::nullopt;
    const ElfSection* const text = program->section(".text");
    const ElfSection* const constants = program->section(".rodata");
    const ElfSection* const registers = program->section(".AMDGPU.config");
    if (!text) {
        error = "the program has no code";
        return std::nullopt;
    }
    Container container;
    container.format = "Gallium compute";
    container.isa = "gcn";
    container.dialect = "clrx";
    for (const Kernel& kernel : file.kernels) {
        const std::optional<Bytes> header = header_of(text->bytes, kernel);
        if (header) container.variant = variant_of_header(*header);
    }
    limits::Budget budget(bytes.size());
    container.head = fmt::format(".gallium\n{}", program->wide ? ".64bit\n" : ".32bit\n");
    if (!container.variant.empty()) container.head += fmt::format(".arch {}\n", container.variant);
    ContainerPart part;
    part.object = code_object(text->bytes, constants ? constants->bytes : Bytes{});
    const std::string_view variant = container.variant.empty() ? "gcn1.0" : std::string_view(container.variant);
    const std::uint64_t entry_size = registers ? registers->bytes.size() / file.kernels.size() : 0;
    for (std::size_t i = 0; i < file.kernels.size(); ++i) {
        const Kernel& kernel = file.kernels[i];
        part.head += fmt::format(".kernel {}\n    .args\n{}    .config\n", kernel.name, kernel.arguments);
        const std::optional<Bytes> header = header_of(text->bytes, kernel);
        if (header && !budget.take(header->size())) {
            error = limits::overlap_text;
            return std::nullopt;
        }
        if (header) part.head += kernel_header_settings(*header, variant);
        const std::optional<Bytes> entries =
            registers ? part_of(registers->bytes, i * entry_size, entry_size) : std::nullopt;
        if (entries && !header) part.head += configuration(*entries, variant);
        add_kernel_symbol(part.object, kernel.name, kernel.offset, 0);
    }
    container.parts.push_back(std::move(part));
    return container;
}

}  // namespace isaforge::codeobject
