#include "codeobject/descriptor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace isaforge::codeobject {

namespace {

constexpr unsigned rsrc1 = 48, rsrc2 = 52, properties = 56;
constexpr unsigned vgpr_blocks_bit = 0, vgpr_blocks_width = 6, sgpr_blocks_bit = 6, sgpr_blocks_width = 4;
constexpr unsigned user_sgprs_bit = 1, user_sgprs_width = 5;

// A directive whose value is in the bits as it is.
struct Direct {
    std::string_view name;
    std::uint8_t offset, bit, width;
    std::uint8_t user_sgprs = 0;  // that the hardware fills where it is set
    std::uint8_t first_major = 6;
    std::uint8_t usual = 0;
};

constexpr Direct direct[] = {
    {".amdhsa_group_segment_fixed_size", 0, 0, 32},
    {".amdhsa_private_segment_fixed_size", 4, 0, 32},
    {".amdhsa_kernarg_size", 8, 0, 32},
    {".amdhsa_user_sgpr_private_segment_buffer", properties, 0, 1, 4},
    {".amdhsa_user_sgpr_dispatch_ptr", properties, 1, 1, 2},
    {".amdhsa_user_sgpr_queue_ptr", properties, 2, 1, 2},
    {".amdhsa_user_sgpr_kernarg_segment_ptr", properties, 3, 1, 2},
    {".amdhsa_user_sgpr_dispatch_id", properties, 4, 1, 2},
    {".amdhsa_user_sgpr_flat_scratch_init", properties, 5, 1, 2},
    {".amdhsa_user_sgpr_private_segment_size", properties, 6, 1, 1},
    {".amdhsa_uses_dynamic_stack", properties, 11, 1},
    {".amdhsa_system_sgpr_private_segment_wavefront_offset", rsrc2, 0, 1},
    {".amdhsa_system_sgpr_workgroup_id_x", rsrc2, 7, 1, 0, 6, 1},
    {".amdhsa_system_sgpr_workgroup_id_y", rsrc2, 8, 1},
    {".amdhsa_system_sgpr_workgroup_id_z", rsrc2, 9, 1},
    {".amdhsa_system_sgpr_workgroup_info", rsrc2, 10, 1},
    {".amdhsa_system_vgpr_workitem_id", rsrc2, 11, 2},
    {".amdhsa_float_round_mode_32", rsrc1, 12, 2},
    {".amdhsa_float_round_mode_16_64", rsrc1, 14, 2},
    {".amdhsa_float_denorm_mode_32", rsrc1, 16, 2},
    {".amdhsa_float_denorm_mode_16_64", rsrc1, 18, 2, 0, 6, 3},
    {".amdhsa_dx10_clamp", rsrc1, 21, 1, 0, 6, 1},
    {".amdhsa_ieee_mode", rsrc1, 23, 1, 0, 6, 1},
    {".amdhsa_fp16_overflow", rsrc1, 26, 1, 0, 9},
    {".amdhsa_exception_fp_ieee_invalid_op", rsrc2, 24, 1},
    {".amdhsa_exception_fp_denorm_src", rsrc2, 25, 1},
    {".amdhsa_exception_fp_ieee_div_zero", rsrc2, 26, 1},
    {".amdhsa_exception_fp_ieee_overflow", rsrc2, 27, 1},
    {".amdhsa_exception_fp_ieee_underflow", rsrc2, 28, 1},
    {".amdhsa_exception_fp_ieee_inexact", rsrc2, 29, 1},
    {".amdhsa_exception_int_div_zero", rsrc2, 30, 1},
};

constexpr std::string_view user_sgpr_count = ".amdhsa_user_sgpr_count", next_free_vgpr = ".amdhsa_next_free_vgpr",
                           next_free_sgpr = ".amdhsa_next_free_sgpr", reserve_vcc = ".amdhsa_reserve_vcc",
                           reserve_flat_scratch = ".amdhsa_reserve_flat_scratch",
                           reserve_xnack_mask = ".amdhsa_reserve_xnack_mask";
constexpr std::string_view computed[] = {user_sgpr_count, next_free_vgpr,       next_free_sgpr,
                                         reserve_vcc,     reserve_flat_scratch, reserve_xnack_mask};
// Of later machines.
constexpr std::string_view foreign[] = {
    ".amdhsa_accum_offset",
    ".amdhsa_tg_split",
    ".amdhsa_wavefront_size32",
    ".amdhsa_workgroup_processor_mode",
    ".amdhsa_memory_ordered",
    ".amdhsa_forward_progress",
    ".amdhsa_shared_vgpr_count",
    ".amdhsa_enable_private_segment",
    ".amdhsa_inst_pref_size",
    ".amdhsa_round_robin_scheduling",
    ".amdhsa_user_sgpr_kernarg_preload_length",
    ".amdhsa_user_sgpr_kernarg_preload_offset",
};

const Direct* find_direct(std::string_view name) {
    const auto* const found = std::ranges::find(direct, name, &Direct::name);
    return found == std::end(direct) ? nullptr : found;
}

std::uint64_t get(std::span<const std::uint8_t> bytes, unsigned offset, unsigned bit, unsigned width) {
    std::uint32_t word = 0;
    for (unsigned i = 0; i < 4; ++i) word |= std::uint32_t{bytes[offset + i]} << 8 * i;
    return word >> bit & ((std::uint64_t{1} << width) - 1);
}

// Scalar registers that the hardware keeps behind those of the program.
unsigned extra_sgprs(const Target& target, bool vcc, bool flat_scratch) {
    unsigned extra = vcc ? 2 : 0;
    if (target.processor->major < 8) return flat_scratch ? 4 : extra;
    if (target.uses_xnack()) extra = 4;
    return flat_scratch ? 6 : extra;
}

}  // namespace

DescriptorBuilder::DescriptorBuilder(const Target& target) : target_(target) {
    for (const Direct& field : direct) put(field.offset, field.bit, field.width, field.usual);
}

bool DescriptorBuilder::knows(std::string_view directive) {
    return find_direct(directive) || std::ranges::find(computed, directive) != std::end(computed) ||
           std::ranges::find(foreign, directive) != std::end(foreign);
}

std::vector<std::string_view> DescriptorBuilder::directives() {
    std::vector<std::string_view> names(std::begin(computed), std::end(computed));
    for (const Direct& field : direct) names.push_back(field.name);
    return names;
}

void DescriptorBuilder::put(unsigned offset, unsigned bit, unsigned width, std::uint64_t value) {
    for (unsigned i = 0; i < width; ++i, ++bit) {
        std::uint8_t& byte = bytes_[offset + bit / 8];
        const auto mask = static_cast<std::uint8_t>(1u << bit % 8);
        byte = static_cast<std::uint8_t>(value >> i & 1 ? byte | mask : byte & ~mask);
    }
}

std::string DescriptorBuilder::set(std::string_view name, std::int64_t value, bool& in_value) {
    in_value = false;
    const unsigned major = target_.processor->major;
    if (std::ranges::find(foreign, name) != std::end(foreign)) {
        return fmt::format("{} has no such setting", target_.processor->name);
    }
    const Direct* const field = find_direct(name);
    const auto* const other = std::ranges::find(computed, name);
    if (!seen_.insert(field ? field->name : *other).second) return "this setting is given twice";
    const unsigned first_major = field                          ? field->first_major
                                 : name == reserve_flat_scratch ? 7
                                 : name == reserve_xnack_mask   ? 8
                                                                : 6;
    if (major < first_major) return fmt::format("this setting exists from gfx{} on", first_major);
    in_value = true;
    const bool flag = name == reserve_vcc || name == reserve_flat_scratch || name == reserve_xnack_mask;
    const unsigned width = field ? field->width : flag ? 1 : 32;
    if (value < 0 || (width < 63 && value >> width != 0)) {
        return fmt::format("the value must lie in 0..{}", (std::uint64_t{1} << width) - 1);
    }
    if (field) {
        put(field->offset, field->bit, field->width, static_cast<std::uint64_t>(value));
        if (value) implied_user_sgprs_ += field->user_sgprs;
    } else if (name == reserve_xnack_mask) {
        if ((value != 0) != target_.uses_xnack()) return "this does not agree with xnack of the target";
    } else if (flag) {
        (name == reserve_vcc ? reserve_vcc_ : reserve_flat_scratch_) = value != 0;
    } else {
        (name == user_sgpr_count ? user_sgprs_ : name == next_free_vgpr ? vgprs_ : sgprs_) = value;
    }
    return {};
}

// How many blocks of eight scalar registers a wavefront gets, less one.
std::optional<unsigned> DescriptorBuilder::scalar_blocks(std::string& wrong) const {
    const bool early = target_.processor->major < 8 || target_.processor->fixed_sgprs;
    const unsigned most = target_.processor->fixed_sgprs ? 96 : early ? 104 : 102;
    std::uint64_t count = static_cast<std::uint64_t>(*sgprs_);
    const auto check = [&] {
        if (count > most) wrong = fmt::format("there are {} scalar registers for a program", most);
        return count <= most;
    };
    if (!early && !check()) return std::nullopt;
    count += extra_sgprs(target_, reserve_vcc_, reserve_flat_scratch_);
    if (early && !check()) return std::nullopt;
    if (target_.processor->fixed_sgprs) count = most;
    return static_cast<unsigned>((std::max<std::uint64_t>(count, 1) + 7) / 8 - 1);
}

std::string DescriptorBuilder::finish(std::string_view& about) {
    about = {};
    if (!vgprs_) return fmt::format("{} is missing", next_free_vgpr);
    if (!sgprs_) return fmt::format("{} is missing", next_free_sgpr);
    constexpr std::int64_t most_vgprs = 256;
    about = next_free_vgpr;
    if (*vgprs_ > most_vgprs) return fmt::format("there are {} vector registers", most_vgprs);
    put(rsrc1, vgpr_blocks_bit, vgpr_blocks_width,
        static_cast<std::uint64_t>((std::max<std::int64_t>(*vgprs_, 1) + 3) / 4 - 1));
    std::string wrong;
    about = next_free_sgpr;
    const std::optional<unsigned> blocks = scalar_blocks(wrong);
    if (!blocks) return wrong;
    put(rsrc1, sgpr_blocks_bit, sgpr_blocks_width, *blocks);
    about = user_sgprs_ ? user_sgpr_count : std::string_view();
    if (user_sgprs_ && *user_sgprs_ < implied_user_sgprs_) {
        return fmt::format("the settings ask for {} user registers", implied_user_sgprs_);
    }
    const std::uint64_t users = user_sgprs_ ? static_cast<std::uint64_t>(*user_sgprs_) : implied_user_sgprs_;
    if (users >> user_sgprs_width != 0) return "there are 31 user registers at most";
    put(rsrc2, user_sgprs_bit, user_sgprs_width, users);
    return {};
}

namespace {

using Settings = std::vector<std::pair<std::string_view, std::int64_t>>;

bool makes(const Settings& settings, std::span<const std::uint8_t> bytes, const Target& target) {
    DescriptorBuilder builder(target);
    bool in_value = false;
    for (const auto& [name, value] : settings) {
        if (!builder.set(name, value, in_value).empty()) return false;
    }
    std::string_view about;
    if (!builder.finish(about).empty()) return false;
    Descriptor made = builder.bytes();
    std::copy_n(bytes.begin() + descriptor_entry, 8, made.begin() + descriptor_entry);
    return std::ranges::equal(made, bytes);
}

// Several counts of scalar registers come to the same blocks: the largest that does, with as little reserved as possible.
bool add_scalar_registers(Settings& settings, std::span<const std::uint8_t> bytes, const Target& target) {
    const std::int64_t whole = static_cast<std::int64_t>(get(bytes, rsrc1, sgpr_blocks_bit, sgpr_blocks_width) + 1) * 8;
    const std::size_t size = settings.size();
    const bool can_reserve = target.processor->major >= 7;
    for (const bool flat_scratch : {!can_reserve, true}) {
        for (const bool vcc : {false, true}) {
            const std::int64_t most = whole - extra_sgprs(target, vcc, flat_scratch);
            for (const std::int64_t count : {most, std::min<std::int64_t>(most, 102), std::int64_t{0}}) {
                if (count < 0) continue;
                settings.resize(size);
                settings.emplace_back(next_free_sgpr, count);
                settings.emplace_back(reserve_vcc, vcc);
                if (can_reserve) settings.emplace_back(reserve_flat_scratch, flat_scratch);
                if (makes(settings, bytes, target)) return true;
            }
        }
    }
    return false;
}

}  // namespace

std::optional<std::string> descriptor_text(std::span<const std::uint8_t> bytes, const Target& target) {
    if (bytes.size() != descriptor_size) return std::nullopt;
    Settings settings;
    for (const Direct& field : direct) {
        const std::uint64_t value = get(bytes, field.offset, field.bit, field.width);
        // What older assemblers do not know is said only where it matters.
        const bool needed = value != 0 || field.name != ".amdhsa_uses_dynamic_stack";
        if (needed && target.processor->major >= field.first_major)
            settings.emplace_back(field.name, static_cast<std::int64_t>(value));
    }
    settings.emplace_back(user_sgpr_count, get(bytes, rsrc2, user_sgprs_bit, user_sgprs_width));
    settings.emplace_back(next_free_vgpr, (get(bytes, rsrc1, vgpr_blocks_bit, vgpr_blocks_width) + 1) * 4);
    if (!add_scalar_registers(settings, bytes, target)) return std::nullopt;
    std::string text;
    for (const auto& [name, value] : settings) text += fmt::format("    {} {}\n", name, value);
    return text;
}

}  // namespace isaforge::codeobject
