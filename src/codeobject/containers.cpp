// Telling the containers apart, and the helpers of their readers. The registers are those of AMD's "Southern Islands 3D/
// Compute Register Reference", COMPUTE_PGM_RSRC1 and COMPUTE_PGM_RSRC2; the header is amd_kernel_code_t.
#include "codeobject/containers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace isaforge::codeobject {

namespace {

constexpr std::pair<std::string_view, std::string_view> devices[] = {
    {"CapeVerde", "gcn1.0"}, {"Pitcairn", "gcn1.0"},  {"Tahiti", "gcn1.0"},    {"Oland", "gcn1.0"},
    {"Hainan", "gcn1.0"},    {"Bonaire", "gcn1.1"},   {"Spectre", "gcn1.1"},   {"Spooky", "gcn1.1"},
    {"Kalindi", "gcn1.1"},   {"Hawaii", "gcn1.1"},    {"Mullins", "gcn1.1"},   {"GFX700", "gcn1.1"},
    {"GFX701", "gcn1.1"},    {"Iceland", "gcn1.2"},   {"Topaz", "gcn1.2"},     {"Tonga", "gcn1.2"},
    {"Fiji", "gcn1.2"},      {"Carrizo", "gcn1.2"},   {"Dummy", "gcn1.2"},     {"Goose", "gcn1.2"},
    {"Horse", "gcn1.2"},     {"Stoney", "gcn1.2"},    {"Ellesmere", "gcn1.2"}, {"Baffin", "gcn1.2"},
    {"GFX801", "gcn1.2"},    {"GFX802", "gcn1.2"},    {"GFX803", "gcn1.2"},    {"GFX804", "gcn1.2"},
    {"Polaris10", "gcn1.2"}, {"Polaris11", "gcn1.2"}, {"Polaris12", "gcn1.2"}, {"Polaris20", "gcn1.2"},
    {"Polaris21", "gcn1.2"}, {"Polaris22", "gcn1.2"}, {"GFX900", "gcn1.4"},    {"GFX901", "gcn1.4"},
    {"GFX902", "gcn1.4"},    {"GFX903", "gcn1.4"},    {"GFX904", "gcn1.4"},    {"GFX905", "gcn1.4"},
    {"GFX906", "gcn1.4"},    {"GFX907", "gcn1.4"},    {"Vega10", "gcn1.4"},    {"Vega11", "gcn1.4"},
    {"Vega12", "gcn1.4"},    {"Vega20", "gcn1.4"},    {"Raven", "gcn1.4"},
};

bool same_name(std::string_view a, std::string_view b) {
    const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [&](char x, char y) { return lower(x) == lower(y); });
}

std::uint32_t bits(std::uint32_t word, unsigned low, unsigned count) { return word >> low & ((1u << count) - 1); }

void setting(std::string& out, std::string_view name) {
    fmt::format_to(std::back_inserter(out), "        .{}\n", name);
}
void setting(std::string& out, std::string_view name, std::uint64_t value) {
    fmt::format_to(std::back_inserter(out), "        .{} {}\n", name, value);
}
void hex_setting(std::string& out, std::string_view name, std::uint64_t value) {
    fmt::format_to(std::back_inserter(out), "        .{} {:#x}\n", name, value);
}

// Which group numbers and which local numbers a kernel gets.
std::string dimensions(std::uint32_t rsrc2) {
    std::string groups;
    for (unsigned i = 0; i < 3; ++i) {
        if (bits(rsrc2, 7 + i, 1)) groups += static_cast<char>('x' + i);
    }
    const std::string locals = std::string("xyz").substr(0, std::min(3u, bits(rsrc2, 11, 2) + 1));
    if (groups.empty()) return fmt::format("        .dims , {}\n", locals);
    return groups == locals ? fmt::format("        .dims {}\n", groups)
                            : fmt::format("        .dims {}, {}\n", groups, locals);
}

}  // namespace

std::optional<std::string_view> variant_of_device(std::string_view name) {
    for (const auto& [device, variant] : devices) {
        if (same_name(device, name)) return variant;
    }
    return std::nullopt;
}

std::string second_register_settings(std::uint32_t rsrc2, std::string_view variant) {
    std::string out = dimensions(rsrc2);
    if (bits(rsrc2, 10, 1)) setting(out, "tgsize");
    const std::uint32_t unit = variant == "gcn1.0" ? 256 : 512;
    if (bits(rsrc2, 15, 9)) setting(out, "localsize", std::uint64_t{bits(rsrc2, 15, 9)} * unit);
    const std::uint32_t exceptions = bits(rsrc2, 13, 2) | bits(rsrc2, 24, 7) << 2;
    if (exceptions) hex_setting(out, "exceptions", exceptions & 0x7F);
    return out;
}

std::string register_settings(std::uint32_t rsrc1, std::uint32_t rsrc2, std::string_view variant) {
    std::string out = second_register_settings(rsrc2, variant);
    setting(out, "sgprsnum", (bits(rsrc1, 6, 4) + 1) * 8);
    setting(out, "vgprsnum", (bits(rsrc1, 0, 6) + 1) * 4);
    if (bits(rsrc1, 10, 2)) setting(out, "priority", bits(rsrc1, 10, 2));
    hex_setting(out, "floatmode", bits(rsrc1, 12, 8));
    if (bits(rsrc1, 20, 1)) setting(out, "privmode");
    if (bits(rsrc1, 21, 1)) setting(out, "dx10clamp");
    if (bits(rsrc1, 22, 1)) setting(out, "debugmode");
    if (bits(rsrc1, 23, 1)) setting(out, "ieeemode");
    setting(out, "userdatanum", bits(rsrc2, 1, 5));
    hex_setting(out, "pgmrsrc1", rsrc1);
    hex_setting(out, "pgmrsrc2", rsrc2);
    return out;
}

std::string variant_of_header(Bytes header) {
    if (header.size() < kernel_header_size || number_at(header, 8, 2) != 1) return {};
    switch (number_at(header, 10, 2)) {
        case 6: return "gcn1.0";
        case 7: return "gcn1.1";
        case 8: return "gcn1.2";
        case 9: return "gcn1.4";
        default: return {};
    }
}

std::string kernel_header_settings(Bytes header, std::string_view variant) {
    static constexpr std::string_view sgprs[] = {
        "use_private_segment_buffer", "use_dispatch_ptr", "use_queue_ptr",
        "use_kernarg_segment_ptr",    "use_dispatch_id",  "use_flat_scratch_init",
        "use_private_segment_size"};
    std::string out = register_settings(word_at(header, 48), word_at(header, 52), variant);
    fmt::format_to(std::back_inserter(out), "        .codeversion {}, {}\n        .machine {}, {}, {}, {}\n",
                   word_at(header, 0), word_at(header, 4), number_at(header, 8, 2), number_at(header, 10, 2),
                   number_at(header, 12, 2), number_at(header, 14, 2));
    hex_setting(out, "kernel_code_entry_offset", number_at(header, 16, 8));
    const auto flags = static_cast<std::uint32_t>(number_at(header, 56, 2));
    for (unsigned i = 0; i < std::size(sgprs); ++i) {
        if (flags >> i & 1) setting(out, sgprs[i]);
    }
    std::string grid;
    for (unsigned i = 0; i < 3; ++i) {
        if (flags >> (7 + i) & 1) grid += static_cast<char>('x' + i);
    }
    if (!grid.empty()) fmt::format_to(std::back_inserter(out), "        .use_grid_workgroup_count {}\n", grid);
    const auto features = static_cast<std::uint32_t>(number_at(header, 58, 2));
    if (features & 1) setting(out, "use_ordered_append_gds");
    setting(out, "private_elem_size", 2u << bits(features, 1, 2));
    if (features >> 3 & 1) setting(out, "use_ptr64");
    if (features >> 4 & 1) setting(out, "use_dynamic_call_stack");
    if (features >> 5 & 1) setting(out, "use_debug_enabled");
    if (features >> 6 & 1) setting(out, "use_xnack_enabled");
    setting(out, "workitem_private_segment_size", word_at(header, 60));
    setting(out, "workgroup_group_segment_size", word_at(header, 64));
    if (word_at(header, 68)) setting(out, "gds_segment_size", word_at(header, 68));
    setting(out, "kernarg_segment_size", number_at(header, 72, 8));
    setting(out, "wavefront_sgpr_count", number_at(header, 84, 2));
    setting(out, "workitem_vgpr_count", number_at(header, 86, 2));
    static constexpr std::pair<std::string_view, unsigned> alignments[] = {
        {"kernarg_segment_align", 100}, {"group_segment_align", 101}, {"private_segment_align", 102}};
    for (const auto& [name, at] : alignments) setting(out, name, std::uint64_t{1} << (number_at(header, at, 1) & 31));
    setting(out, "wavefront_size", std::uint64_t{1} << (number_at(header, 103, 1) & 31));
    return out;
}

std::string quoted(std::string_view text) {
    std::string out = "\"";
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (c == '"' || c == '\\') {
            out += '\\';
            out += c;
        } else if (c == '\n') {
            out += "\\n";
        } else if (byte < 32 || byte > 126) {
            fmt::format_to(std::back_inserter(out), "\\{:03o}", byte);
        } else {
            out += c;
        }
    }
    return out += '"';
}

Object code_object(Bytes code, Bytes constants) {
    Object object;
    object.relocatable = false;
    object.unit_bytes = 4;
    Section text;
    text.name = ".text";
    text.executable = true;
    text.alignment = 4;
    text.bytes.assign(code.begin(), code.end());
    object.sections.push_back(std::move(text));
    if (!constants.empty()) {
        Section data;
        data.name = ".rodata";
        data.bytes.assign(constants.begin(), constants.end());
        object.sections.push_back(std::move(data));
    }
    return object;
}

void add_kernel_symbol(Object& object, std::string_view name, std::uint64_t at, std::uint64_t size) {
    Symbol symbol;
    symbol.name = name;
    symbol.section = 0;
    symbol.value = at;
    symbol.size = size;
    symbol.binding = Binding::global;
    symbol.type = SymbolType::function;
    object.symbols.push_back(std::move(symbol));
}

}  // namespace isaforge::codeobject

namespace isaforge {

std::optional<Container> read_container(std::span<const std::uint8_t> bytes, std::string& error) {
    error.clear();
    if (codeobject::looks_like_elf(bytes)) {
        std::string reason;
        const std::optional<codeobject::ElfView> file = codeobject::view_elf(bytes, reason);
        if (!file) return std::nullopt;
        if (codeobject::is_catalyst(*file))
            return codeobject::read_catalyst(*file, limits::Budget(bytes.size()), error);
        if (codeobject::is_amdcl2(*file)) return codeobject::read_amdcl2(*file, limits::Budget(bytes.size()), error);
        return std::nullopt;
    }
    return codeobject::is_gallium(bytes) ? codeobject::read_gallium(bytes, error) : std::nullopt;
}

}  // namespace isaforge
