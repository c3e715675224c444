#include "codeobject/kernel_code.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace isaforge::codeobject {

namespace {

struct CodeField {
    std::string_view name;
    std::string_view other_name;  // of earlier assemblers
    unsigned offset, bit, width;
    bool is_signed = false;
};

constexpr unsigned rsrc1 = 48, rsrc2 = 52, properties = 56;

// In the order in which LLVM prints them.
constexpr CodeField fields[] = {
    {"amd_code_version_major", "kernel_code_version_major", 0, 0, 32},
    {"amd_code_version_minor", "kernel_code_version_minor", 4, 0, 32},
    {"amd_machine_kind", "machine_kind", 8, 0, 16},
    {"amd_machine_version_major", "machine_version_major", 10, 0, 16},
    {"amd_machine_version_minor", "machine_version_minor", 12, 0, 16},
    {"amd_machine_version_stepping", "machine_version_stepping", 14, 0, 16},
    {"kernel_code_entry_byte_offset", "", 16, 0, 64, true},
    {"kernel_code_prefetch_byte_size", "", 32, 0, 64},
    {"granulated_workitem_vgpr_count", "compute_pgm_rsrc1_vgprs", rsrc1, 0, 6},
    {"granulated_wavefront_sgpr_count", "compute_pgm_rsrc1_sgprs", rsrc1, 6, 4},
    {"priority", "compute_pgm_rsrc1_priority", rsrc1, 10, 2},
    {"float_mode", "compute_pgm_rsrc1_float_mode", rsrc1, 12, 8},
    {"priv", "compute_pgm_rsrc1_priv", rsrc1, 20, 1},
    {"enable_dx10_clamp", "compute_pgm_rsrc1_dx10_clamp", rsrc1, 21, 1},
    {"debug_mode", "compute_pgm_rsrc1_debug_mode", rsrc1, 22, 1},
    {"enable_ieee_mode", "compute_pgm_rsrc1_ieee_mode", rsrc1, 23, 1},
    {"enable_wgp_mode", "", rsrc1, 29, 1},
    {"enable_mem_ordered", "", rsrc1, 30, 1},
    {"enable_fwd_progress", "", rsrc1, 31, 1},
    {"enable_sgpr_private_segment_wave_byte_offset", "compute_pgm_rsrc2_scratch_en", rsrc2, 0, 1},
    {"user_sgpr_count", "compute_pgm_rsrc2_user_sgpr", rsrc2, 1, 5},
    {"enable_trap_handler", "compute_pgm_rsrc2_trap_handler", rsrc2, 6, 1},
    {"enable_sgpr_workgroup_id_x", "compute_pgm_rsrc2_tgid_x_en", rsrc2, 7, 1},
    {"enable_sgpr_workgroup_id_y", "compute_pgm_rsrc2_tgid_y_en", rsrc2, 8, 1},
    {"enable_sgpr_workgroup_id_z", "compute_pgm_rsrc2_tgid_z_en", rsrc2, 9, 1},
    {"enable_sgpr_workgroup_info", "compute_pgm_rsrc2_tg_size_en", rsrc2, 10, 1},
    {"enable_vgpr_workitem_id", "compute_pgm_rsrc2_tidig_comp_cnt", rsrc2, 11, 2},
    {"enable_exception_msb", "compute_pgm_rsrc2_excp_en_msb", rsrc2, 13, 2},
    {"granulated_lds_size", "compute_pgm_rsrc2_lds_size", rsrc2, 15, 9},
    {"enable_exception", "compute_pgm_rsrc2_excp_en", rsrc2, 24, 7},
    {"enable_sgpr_private_segment_buffer", "", properties, 0, 1},
    {"enable_sgpr_dispatch_ptr", "", properties, 1, 1},
    {"enable_sgpr_queue_ptr", "", properties, 2, 1},
    {"enable_sgpr_kernarg_segment_ptr", "", properties, 3, 1},
    {"enable_sgpr_dispatch_id", "", properties, 4, 1},
    {"enable_sgpr_flat_scratch_init", "", properties, 5, 1},
    {"enable_sgpr_private_segment_size", "", properties, 6, 1},
    {"enable_sgpr_grid_workgroup_count_x", "", properties, 7, 1},
    {"enable_sgpr_grid_workgroup_count_y", "", properties, 8, 1},
    {"enable_sgpr_grid_workgroup_count_z", "", properties, 9, 1},
    {"enable_wavefront_size32", "", properties, 10, 1},
    {"enable_ordered_append_gds", "", properties, 16, 1},
    {"private_element_size", "", properties, 17, 2},
    {"is_ptr64", "", properties, 19, 1},
    {"is_dynamic_callstack", "", properties, 20, 1},
    {"is_debug_enabled", "", properties, 21, 1},
    {"is_xnack_enabled", "", properties, 22, 1},
    {"workitem_private_segment_byte_size", "", 60, 0, 32},
    {"workgroup_group_segment_byte_size", "", 64, 0, 32},
    {"gds_segment_byte_size", "", 68, 0, 32},
    {"kernarg_segment_byte_size", "", 72, 0, 64},
    {"workgroup_fbarrier_count", "", 80, 0, 32},
    {"wavefront_sgpr_count", "", 84, 0, 16},
    {"workitem_vgpr_count", "", 86, 0, 16},
    {"reserved_vgpr_first", "", 88, 0, 16},
    {"reserved_vgpr_count", "", 90, 0, 16},
    {"reserved_sgpr_first", "", 92, 0, 16},
    {"reserved_sgpr_count", "", 94, 0, 16},
    {"debug_wavefront_private_segment_offset_sgpr", "", 96, 0, 16},
    {"debug_private_segment_buffer_sgpr", "", 98, 0, 16},
    {"kernarg_segment_alignment", "", 100, 0, 8},
    {"group_segment_alignment", "", 101, 0, 8},
    {"private_segment_alignment", "", 102, 0, 8},
    {"wavefront_size", "", 103, 0, 8},
    {"call_convention", "", 104, 0, 32, true},
    {"runtime_loader_kernel_symbol", "", 120, 0, 64},
};
// Read, never printed: the two words of registers as one, and what has no meaning any more.
constexpr CodeField registers{"compute_pgm_resource_registers", "", rsrc1, 0, 64};
constexpr std::string_view ignored = "max_scratch_backing_memory_byte_size";

void put(KernelCode& code, const CodeField& field, std::uint64_t value) {
    for (unsigned i = 0; i < field.width; ++i) {
        const unsigned bit = field.bit + i;
        std::uint8_t& byte = code[field.offset + bit / 8];
        const auto mask = static_cast<std::uint8_t>(1u << bit % 8);
        byte = static_cast<std::uint8_t>(value >> i & 1 ? byte | mask : byte & ~mask);
    }
}

std::int64_t get(std::span<const std::uint8_t> bytes, const CodeField& field) {
    std::uint64_t value = 0;
    for (unsigned i = 0; i < field.width; ++i) {
        const unsigned bit = field.bit + i;
        value |= std::uint64_t{bytes[field.offset + bit / 8] >> bit % 8 & 1u} << i;
    }
    if (field.is_signed && field.width < 64 && value >> (field.width - 1)) value |= ~std::uint64_t{0} << field.width;
    return static_cast<std::int64_t>(value);
}

}  // namespace

KernelCode usual_kernel_code(const Target& target) {
    KernelCode code{};
    bool in_value = false;
    const auto set = [&](std::string_view name, std::int64_t value) { set_kernel_code(code, name, value, in_value); };
    set("amd_code_version_major", 1);
    set("amd_code_version_minor", 2);
    set("amd_machine_kind", 1);
    set("amd_machine_version_major", target.processor->major);
    set("amd_machine_version_minor", target.processor->minor);
    set("amd_machine_version_stepping", target.processor->stepping);
    set("kernel_code_entry_byte_offset", kernel_code_size);
    set("wavefront_size", 6);
    set("call_convention", -1);
    for (const char* name : {"kernarg_segment_alignment", "group_segment_alignment", "private_segment_alignment"}) {
        set(name, 4);
    }
    return code;
}

std::string set_kernel_code(KernelCode& code, std::string_view name, std::int64_t value, bool& in_value) {
    in_value = false;
    if (name == ignored) return {};
    const CodeField* found = name == registers.name ? &registers : nullptr;
    for (const CodeField& field : fields) {
        if (field.name == name || (!field.other_name.empty() && field.other_name == name)) found = &field;
    }
    if (!found) return fmt::format("a kernel's header has no field '{}'", name);
    in_value = true;
    const bool fits = found->width == 64 || (value >= 0 && value >> found->width == 0) ||
                      (found->is_signed && value >> (found->width - 1) == -1);
    if (!fits) return fmt::format("this does not fit into {} bits", found->width);
    put(code, *found, static_cast<std::uint64_t>(value));
    return {};
}

std::optional<std::string> kernel_code_text(std::span<const std::uint8_t> bytes, const Target& target) {
    if (bytes.size() != kernel_code_size) return std::nullopt;
    KernelCode again = usual_kernel_code(target);
    std::string text;
    for (const CodeField& field : fields) {
        const std::int64_t value = get(bytes, field);
        bool in_value = false;
        if (!set_kernel_code(again, field.name, value, in_value).empty()) return std::nullopt;
        text += fmt::format("        {} = {}\n", field.name, value);
    }
    if (!std::ranges::equal(again, bytes)) return std::nullopt;
    return text;
}

}  // namespace isaforge::codeobject
