// AMD's OpenCL 2.0 programs: an ELF file whose code is, in drivers from 1912.05 on, another ELF file with the kernels in
// .hsatext; in older ones the kernels themselves, each behind a stub. A header of 256 bytes stands before a kernel's code.
#include <fmt/format.h>

#include "codeobject/containers.hpp"

namespace isaforge::codeobject {

namespace {

constexpr std::uint32_t machine32 = 0xaf5a, machine64 = 0xaf5b;

struct Kernel {
    std::string_view name;
    Bytes header, code;
};

// What is between `before` and `after` in a symbol's name; empty where it has another form.
std::string_view name_between(std::string_view symbol, std::string_view before, std::string_view after) {
    if (symbol.size() <= before.size() + after.size() || !symbol.starts_with(before) || !symbol.ends_with(after))
        return {};
    return symbol.substr(before.size(), symbol.size() - before.size() - after.size());
}

// A header and the code to which its entry offset leads.
bool split(Bytes bytes, Kernel& kernel) {
    const std::uint64_t entry = number_at(bytes, 16, 8);
    const std::optional<Bytes> header = part_of(bytes, 0, kernel_header_size);
    if (!header || entry < kernel_header_size || entry > bytes.size()) return false;
    kernel.header = *header;
    kernel.code = bytes.subspan(entry);
    return true;
}

bool kernels_of(const ElfView& file, bool old, std::vector<Kernel>& kernels) {
    for (const ElfSymbol& symbol : file.symbols) {
        Kernel kernel;
        kernel.name = old ? name_between(symbol.name, "__ISA_&__OpenCL_", "_kernel_binary")
                          : name_between(symbol.name, "&__OpenCL_", "_kernel");
        if (kernel.name.empty()) continue;
        std::optional<Bytes> bytes = file.bytes_of(symbol);
        if (bytes && old)
            bytes = part_of(*bytes, word_at(*bytes, 0),
                            bytes->size() - std::min<std::size_t>(bytes->size(), word_at(*bytes, 0)));
        if (!bytes || !split(*bytes, kernel)) return false;
        kernels.push_back(kernel);
    }
    return true;
}

// The flags number the devices, by driver version differently from the tenth on.
std::string_view device_of(std::uint32_t flags) {
    switch (flags) {
        case 1: return "Spectre";
        case 2: return "Spooky";
        case 3: return "Kalindi";
        case 4: return "Mullins";
        case 6: return "Bonaire";
        case 7: return "Hawaii";
        case 8: return "Iceland";
        case 9: return "Tonga";
        default: return {};
    }
}

std::string variant_of(const ElfView& file, const std::vector<Kernel>& kernels) {
    for (const Kernel& kernel : kernels) {
        std::string variant = variant_of_header(kernel.header);
        if (!variant.empty()) return variant;
    }
    const std::string_view device = device_of(file.flags);
    return device.empty() ? "gcn1.2" : std::string(variant_of_device(device).value_or("gcn1.2"));
}

std::string options_of(const ElfView& file) {
    const ElfSymbol* const symbol = file.symbol("__OpenCL_compiler_options");
    const std::optional<Bytes> bytes = symbol ? file.bytes_of(*symbol) : std::nullopt;
    if (!bytes) return {};
    std::string_view text(reinterpret_cast<const char*>(bytes->data()), bytes->size());
    text = text.substr(0, text.find('\0'));
    return fmt::format(".compile_options {}\n", quoted(text));
}

}  // namespace

bool is_amdcl2(const ElfView& file) { return file.machine == (file.wide ? machine64 : machine32); }

std::optional<Container> read_amdcl2(const ElfView& file, limits::Budget budget, std::string& error) {
    const ElfSection* const text = file.section(".text");
    std::vector<Kernel> kernels;
    std::optional<ElfView> inner;
    const bool old = !text || !looks_like_elf(text->bytes);
    if (!old) {
        inner = view_elf(text->bytes, error);
        if (!inner) return std::nullopt;
    }
    if (!kernels_of(old ? file : *inner, old, kernels)) {
        error = "a kernel does not lie inside of the file";
        return std::nullopt;
    }
    Container container;
    container.format = "AMD OpenCL 2.0";
    container.isa = "gcn";
    container.dialect = "clrx";
    container.variant = variant_of(file, kernels);
    const std::string_view device = device_of(file.flags);
    container.head =
        fmt::format(".amdcl2\n{}\n{}", device.empty() ? ".arch " + container.variant : fmt::format(".gpu {}", device),
                    file.wide ? ".64bit\n" : ".32bit\n");
    container.head += options_of(file);
    const ElfSection* const constants = inner ? inner->section(".hsadata_readonly_agent") : nullptr;
    for (std::size_t i = 0; i < kernels.size(); ++i) {
        if (!budget.take(kernels[i].header.size() + kernels[i].code.size())) {
            error = limits::overlap_text;
            return std::nullopt;
        }
        ContainerPart part;
        part.name = kernels[i].name;
        part.head = fmt::format(".kernel {}\n    .hsaconfig\n{}", part.name,
                                kernel_header_settings(kernels[i].header, container.variant));
        part.object = code_object(kernels[i].code, i == 0 && constants ? constants->bytes : Bytes{});
        container.parts.push_back(std::move(part));
    }
    return container;
}

}  // namespace isaforge::codeobject
