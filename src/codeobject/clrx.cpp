#include "codeobject/clrx.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "codeobject/containers.hpp"

namespace isaforge::codeobject {

namespace {

constexpr std::string_view formats[] = {".rawcode", ".amd", ".catalyst", ".amdcl2", ".rocm", ".amd3", ".gallium"};

// What only a loader of CLRX's own formats needs: read, and left out of the object.
constexpr std::string_view passed_over[] = {
    ".policy",
    ".driver_version",
    ".driver_info",
    ".compile_options",
    ".acl_version",
    ".llvm_version",
    ".newbinfmt",
    ".llvm10binfmt",
    ".tripple",
    ".target",
    ".eflags",
    ".nosectdiffs",
    ".metadatav3",
    ".arch_minor",
    ".arch_stepping",
    ".buggyfplit",
    ".nobuggyfplit",
    ".oldmodparam",
    ".nooldmodparam",
    ".macrocase",
    ".nomacrocase",
    ".noaltmacro",
    ".wave32",
    ".nowave32",
    ".main",
    ".args",
    ".arg",
    ".sampler",
    ".cws",
    ".reqd_work_group_size",
    ".work_group_size_hint",
    ".fixed_work_group_size",
    ".max_flat_work_group_size",
    ".vectypehint",
    ".useargs",
    ".usesetup",
    ".setupargs",
    ".useenqueue",
    ".usegeneric",
    ".useconstdata",
    ".useprintf",
    ".uavid",
    ".uavprivate",
    ".printfid",
    ".privateid",
    ".cbid",
    ".earlyexit",
    ".condout",
    ".hwregion",
    ".userdata",
    ".entry",
    ".cbmask",
    ".segment",
    ".codeversion",
    ".machine",
    ".call_convention",
    ".kcode",
    ".kcodeend",
    ".cf_start",
    ".cf_end",
    ".cf_jump",
    ".cf_call",
    ".cf_cjump",
    ".cf_ccall",
    ".cf_ret",
    ".cf_cret",
    ".usereg",
    ".rvlin",
    ".rvlin_once",
    ".fkernel",
    ".gotsym",
    ".spilledsgprs",
    ".spilledvgprs",
    ".default_hsa_features",
    ".printf",
    ".runtime_handle",
    ".scratchsym",
    ".group_segment_align",
    ".private_segment_align",
    ".wavefront_size",
    ".kernel_code_entry_offset",
    ".kernel_code_prefetch_offset",
    ".kernel_code_prefetch_size",
    ".max_scratch_backing_memory",
    ".gds_segment_size",
    ".workgroup_fbarrier_count",
    ".wavefront_sgpr_count",
    ".workitem_vgpr_count",
    ".gdssize",
};

// Contents that belong to CLRX's own formats; they go to a section that no loader sees.
constexpr std::string_view contents[] = {
    ".header",
    ".metadata",
    ".stub",
    ".setup",
    ".isametadata",
    ".calnote",
    ".inputs",
    ".outputs",
    ".uav",
    ".floatconsts",
    ".intconsts",
    ".boolconsts",
    ".globalbuffers",
    ".constantbuffers",
    ".inputsamplers",
    ".scratchbuffers",
    ".persistentbuffers",
    ".proginfo",
    ".subconstantbuffers",
    ".uavmailboxsize",
    ".uavopmask",
    ".control_directive",
    ".config",
    ".hsaconfig",
    ".inner",
};

bool among(std::span<const std::string_view> names, std::string_view name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

std::uint32_t dimension_bits(std::string_view text) {
    std::uint32_t bits = 0;
    for (const char c : text) {
        const char letter = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
        if (letter < 'x' || letter > 'z') return UINT32_MAX;
        bits |= 1u << (letter - 'x');
    }
    return bits;
}

// The variant that an architecture's name means.
std::string_view variant_of_architecture(std::string_view name) {
    std::string lowered(name);
    for (char& c : lowered) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
    static constexpr std::pair<std::string_view, std::string_view> names[] = {
        {"si", "gcn1.0"},     {"ci", "gcn1.1"},     {"vi", "gcn1.2"},     {"vega", "gcn1.4"},   {"vega20", "gcn1.4"},
        {"gfx6", "gcn1.0"},   {"gfx7", "gcn1.1"},   {"gfx8", "gcn1.2"},   {"gfx9", "gcn1.4"},   {"gfx906", "gcn1.4"},
        {"gcn1.0", "gcn1.0"}, {"gcn1.1", "gcn1.1"}, {"gcn1.2", "gcn1.2"}, {"gcn1.4", "gcn1.4"}, {"gcn1.4.1", "gcn1.4"}};
    for (const auto& [known, variant] : names) {
        if (known == lowered) return variant;
    }
    return {};
}

void put(KernelCode& code, std::size_t at, std::uint64_t value, unsigned size) {
    for (unsigned i = 0; i < size; ++i) code[at + i] = static_cast<std::uint8_t>(value >> 8 * i);
}

}  // namespace

std::span<const ClrxSource::Number> ClrxSource::numbers() {
    using K = Kernel;
    using N = std::uint64_t;
    static constexpr auto word = [](N value) { return static_cast<std::uint32_t>(value); };
    static constexpr Number all[] = {
        {".sgprsnum", [](K& k, N n) { k.sgprs = word(n); }},
        {".vgprsnum", [](K& k, N n) { k.vgprs = word(n); }},
        {".localsize", [](K& k, N n) { k.local_size = word(n); }},
        {".hwlocal", [](K& k, N n) { k.local_size = word(n); }},
        {".workgroup_group_segment_size", [](K& k, N n) { k.local_size = word(n); }},
        {".scratchbuffer", [](K& k, N n) { k.scratch = word(n); }},
        {".workitem_private_segment_size", [](K& k, N n) { k.scratch = word(n); }},
        {".floatmode", [](K& k, N n) { k.float_mode = word(n) & 0xFF; }},
        {".priority", [](K& k, N n) { k.priority = word(n) & 3; }},
        {".exceptions", [](K& k, N n) { k.exceptions = word(n) & 0x7F; }},
        {".userdatanum", [](K& k, N n) { k.user_data = word(n) & 0x1F; }},
        {".pgmrsrc1", [](K& k, N n) { k.rsrc1 = word(n); }},
        {".pgmrsrc2", [](K& k, N n) { k.rsrc2 = word(n); }},
        {".kernarg_segment_size", [](K& k, N n) { k.kernarg_size = n; }},
        {".kernarg_segment_align", [](K& k, N n) { k.kernarg_alignment = n; }},
        {".private_elem_size",
         [](K& k, N n) {
             k.feature_flags |= (n == 16 ? 3u : n == 8 ? 2u : n == 4 ? 1u : 0u) << 1;
         }},
    };
    return all;
}

std::span<const ClrxSource::Switch> ClrxSource::switches() {
    using K = Kernel;
    static constexpr Switch all[] = {
        {".ieeemode", [](K& k) { k.ieee = true; }},
        {".dx10clamp", [](K& k) { k.dx10_clamp = true; }},
        {".debugmode", [](K& k) { k.debug = true; }},
        {".privmode", [](K& k) { k.privileged = true; }},
        {".tgsize", [](K& k) { k.tg_size = true; }},
        {".use_private_segment_buffer", [](K& k) { k.user_flags |= 1 << 0; }},
        {".use_dispatch_ptr", [](K& k) { k.user_flags |= 1 << 1; }},
        {".use_queue_ptr", [](K& k) { k.user_flags |= 1 << 2; }},
        {".use_kernarg_segment_ptr", [](K& k) { k.user_flags |= 1 << 3; }},
        {".use_dispatch_id", [](K& k) { k.user_flags |= 1 << 4; }},
        {".use_flat_scratch_init", [](K& k) { k.user_flags |= 1 << 5; }},
        {".use_private_segment_size", [](K& k) { k.user_flags |= 1 << 6; }},
        {".use_ordered_append_gds", [](K& k) { k.feature_flags |= 1 << 0; }},
        {".use_ptr64", [](K& k) { k.feature_flags |= 1 << 3; }},
        {".use_dynamic_call_stack", [](K& k) { k.feature_flags |= 1 << 4; }},
        {".use_debug_enabled", [](K& k) { k.feature_flags |= 1 << 5; }},
        {".use_xnack_enabled", [](K& k) { k.feature_flags |= 1 << 6; }},
    };
    return all;
}

std::vector<std::string_view> ClrxSource::directive_names() {
    std::vector<std::string_view> names{".gpu", ".arch", ".kernel", ".dims", ".format", ".globaldata", ".regvar"};
    for (const std::string_view format : formats) names.push_back(format);
    for (const std::string_view content : contents) names.push_back(content);
    for (const Number& number : numbers()) names.push_back(number.name);
    for (const Switch& one : switches()) names.push_back(one.name);
    return names;
}

bool ClrxSource::directive(std::string_view name, Place where) {
    if (name == ".gpu" || name == ".arch") {
        device(where, name == ".arch");
    } else if (name == ".kernel") {
        kernel(where);
    } else if (name == ".regvar") {
        register_variables();
    } else if (among(passed_over, name)) {
        if (name == ".policy" || name.starts_with(".driver")) host_.use_dialect("clrx");
        host_.skip_statement();
    } else if (!format_directive(name) && !section_directive(name) && !setting(name, where)) {
        return false;
    }
    return true;
}

bool ClrxSource::format_directive(std::string_view name) {
    std::string named;
    if (name == ".format") {
        std::string_view found;
        Place place;
        if (!host_.read_name(found, place, "a format")) {
            host_.skip_statement();
            return true;
        }
        named = found == "raw" ? ".rawcode" : "." + std::string(found);
        if (!among(formats, named)) host_.error(place, "the formats are amd, amdcl2, gallium, rocm and raw");
        name = named;
    }
    if (name == ".32bit" || name == ".64bit") {
        wide_ = name == ".64bit";
    } else if (name == ".hsalayout") {
        hsa_layout_ = true;
    } else if (name == ".rawcode") {
        format_ = Format::raw;
    } else if (name == ".amd" || name == ".catalyst") {
        format_ = Format::catalyst;
    } else if (name == ".amdcl2") {
        format_ = Format::amdcl2;
    } else if (name == ".rocm" || name == ".amd3") {
        format_ = Format::rocm;
    } else if (name == ".gallium") {
        format_ = Format::gallium;
    } else {
        return !named.empty();
    }
    host_.use_dialect("clrx");
    host_.skip_statement();
    return true;
}

void ClrxSource::device(Place where, bool architecture) {
    std::string_view name;
    Place place;
    host_.use_dialect("clrx");
    if (!host_.read_name(name, place, architecture ? "an architecture" : "a device")) return host_.skip_statement();
    const std::string_view variant =
        architecture ? variant_of_architecture(name) : variant_of_device(name).value_or(std::string_view());
    if (variant.empty()) {
        host_.error(place, fmt::format("there is no {} '{}'", architecture ? "architecture" : "device", name));
    } else if (variant != isa_.lineage.back()) {
        host_.error(where, fmt::format("{} is of {}, and this is {}", name, variant, isa_.variant));
    }
    if (!architecture) device_ = name;
    host_.skip_statement();
}

// Choosing registers is left to who writes the program.
void ClrxSource::register_variables() {
    std::string_view name;
    Place place;
    if (host_.read_name(name, place, "the name of a register"))
        host_.error(place, "registers are not allocated here: name one with 'name = %register'");
    host_.skip_statement();
}

// Where a format has the kernels' code apart, it begins here, behind room for the header.
void ClrxSource::kernel(Place) {
    std::string_view name;
    Place place;
    if (!host_.read_name(name, place, "a kernel's name")) return host_.skip_statement();
    const auto known = std::ranges::find(kernels_, name, &Kernel::name);
    current_ = static_cast<std::size_t>(known - kernels_.begin());
    host_.skip_statement();
    if (known != kernels_.end()) return;
    Kernel made;
    made.name = name;
    made.header_made = format_ == Format::catalyst || (format_ == Format::amdcl2 && !hsa_layout_);
    kernels_.push_back(made);
    if (!made.header_made) return;
    Section text;
    text.name = ".text";
    text.executable = true;
    host_.enter_section(text);
    host_.align(kernel_code_size);
    host_.define_label(made.name, 0, place);
    host_.set_traits(made.name, {Binding::global, SymbolType::function, Visibility::usual});
    host_.emit(KernelCode{});
}

bool ClrxSource::section_directive(std::string_view name) {
    Section section;
    if (among(contents, name)) {
        section.name = ".clrx" + std::string(name);
        section.allocated = false;
        if (name == ".config" || name == ".hsaconfig" || name == ".inner") {
            host_.skip_statement();
            return true;
        }
    } else if (name == ".globaldata") {
        section.name = ".rodata";
    } else if (name == ".rwdata") {
        section.name = ".data";
        section.writable = true;
    } else if (name == ".bssdata") {
        section.name = ".bss";
        section.writable = section.no_bits = true;
    } else {
        return false;
    }
    host_.skip_statement();
    host_.enter_section(section);
    return true;
}

ClrxSource::Kernel* ClrxSource::current(std::string_view name, Place where) {
    if (current_ < kernels_.size()) return &kernels_[current_];
    host_.error(where, fmt::format("'{}' belongs behind .kernel", name));
    return nullptr;
}

bool ClrxSource::setting(std::string_view whole, Place where) {
    std::string name(whole);
    if (name.starts_with(".hsa_")) name.erase(1, 4);  // of the second of two configurations
    const auto number = std::ranges::find(numbers(), name, &Number::name);
    const auto one = std::ranges::find(switches(), name, &Switch::name);
    const bool dims = name == ".dims" || name == ".use_grid_workgroup_count";
    if (number == numbers().end() && one == switches().end() && !dims) return false;
    Kernel* const kernel = current(whole, where);
    if (!kernel) {
        host_.skip_statement();
    } else if (name == ".dims") {
        dimensions();
    } else if (dims) {
        std::string_view text;
        Place place;
        if (host_.read_name(text, place, "dimensions")) kernel->user_flags |= (dimension_bits(text) & 7) << 7;
    } else if (number != numbers().end()) {
        std::int64_t value = 0;
        Place place;
        if (host_.read_integer(value, place)) number->set(*kernel, static_cast<std::uint64_t>(value));
    } else {
        one->set(*kernel);
    }
    host_.skip_statement();
    return true;
}

// .dims GROUP[, LOCAL]: the same for both where there is one.
void ClrxSource::dimensions() {
    Kernel& kernel = kernels_[current_];
    std::string_view text;
    Place place;
    const auto read = [&](std::uint32_t& bits) {
        if (!host_.read_name(text, place, "dimensions, as xyz")) return;
        bits = dimension_bits(text);
        if (bits != UINT32_MAX) return;
        host_.error(place, "the dimensions are x, y and z");
        bits = 0;
    };
    if (!host_.accept(',')) {
        read(kernel.group_dims);
        kernel.local_dims = kernel.group_dims;
        if (!host_.accept(',')) return;
    }
    read(kernel.local_dims);
}

std::optional<bool> ClrxSource::condition(std::string_view what, std::string_view operand) const {
    if (what == "32") return !wide_;
    if (what == "64") return wide_;
    if (what == "arch") {
        const std::string_view variant = variant_of_architecture(operand);
        return variant.empty() ? std::nullopt : std::optional(variant == isa_.lineage.back());
    }
    if (what == "gpu") {
        if (!variant_of_device(operand)) return std::nullopt;
        return std::ranges::equal(device_, operand, [](char a, char b) { return (a | 32) == (b | 32); });
    }
    switch (format_) {
        case Format::none: return false;
        case Format::raw: return operand == "raw" || operand == "rawcode";
        case Format::catalyst: return operand == "amd" || operand == "catalyst";
        case Format::amdcl2: return operand == "amdcl2";
        case Format::rocm: return operand == "rocm";
        case Format::gallium: return operand == "gallium";
    }
    return std::nullopt;
}

void ClrxSource::used(std::int64_t vector, std::int64_t scalar) {
    for (std::size_t i = 0; i < kernels_.size(); ++i) {
        Kernel& kernel = kernels_[i];
        if (kernel.header_made && i != current_) continue;  // code of its own
        kernel.highest_vector = std::max(kernel.highest_vector, vector);
        kernel.highest_scalar = std::max(kernel.highest_scalar, scalar);
    }
}

// --- the settings in the hardware's registers

// With those that lie behind the last one: VCC, and what the generation adds.
std::uint32_t ClrxSource::scalar_registers(const Kernel& kernel) const {
    const std::uint32_t extra = isa_.lineage.back() == "gcn1.0" ? 2 : isa_.lineage.back() == "gcn1.1" ? 4 : 6;
    const auto highest = static_cast<std::uint32_t>(kernel.highest_scalar + 1);
    return std::clamp(kernel.sgprs.value_or(highest + extra), 1u, 104u);
}

std::uint32_t ClrxSource::vector_registers(const Kernel& kernel) const {
    return std::clamp(kernel.vgprs.value_or(static_cast<std::uint32_t>(kernel.highest_vector + 1)), 1u, 256u);
}

std::uint32_t ClrxSource::rsrc1(const Kernel& kernel) const {
    return kernel.rsrc1.value_or(0) | (vector_registers(kernel) - 1) / 4 | (scalar_registers(kernel) - 1) / 8 << 6 |
           kernel.priority << 10 | kernel.float_mode << 12 | std::uint32_t{kernel.privileged} << 20 |
           std::uint32_t{kernel.dx10_clamp} << 21 | std::uint32_t{kernel.debug} << 22 |
           std::uint32_t{kernel.ieee} << 23;
}

std::uint32_t ClrxSource::rsrc2(const Kernel& kernel) const {
    const std::uint32_t unit = isa_.lineage.back() == "gcn1.0" ? 256 : 512;
    const std::uint32_t blocks = std::min((kernel.local_size + unit - 1) / unit, 511u);
    const std::uint32_t locals = kernel.local_dims & 4 ? 2 : kernel.local_dims & 2 ? 1 : 0;
    std::uint32_t user = 0;  // registers that the flags ask for
    static constexpr std::uint32_t sizes[] = {4, 2, 2, 2, 2, 2, 1, 1, 1, 1};
    for (unsigned i = 0; i < std::size(sizes); ++i) user += (kernel.user_flags >> i & 1) * sizes[i];
    const std::uint32_t usual = user ? user : format_ == Format::gallium ? 4 : 0;
    return kernel.rsrc2.value_or(0) | std::uint32_t{kernel.scratch != 0} | kernel.user_data.value_or(usual) << 1 |
           (kernel.group_dims & 7) << 7 | std::uint32_t{kernel.tg_size} << 10 | locals << 11 |
           (kernel.exceptions & 3) << 13 | blocks << 15 | (kernel.exceptions >> 2 & 0x1F) << 24;
}

KernelCode ClrxSource::header(const Kernel& kernel, const Target& target) const {
    KernelCode code = usual_kernel_code(target);
    put(code, 48, rsrc1(kernel), 4);
    put(code, 52, rsrc2(kernel), 4);
    put(code, 56, kernel.user_flags, 2);
    put(code, 58, kernel.feature_flags | (wide_ ? 1u << 3 : 0), 2);
    put(code, 60, kernel.scratch, 4);
    put(code, 64, kernel.local_size, 4);
    put(code, 72, kernel.kernarg_size, 8);
    put(code, 84, scalar_registers(kernel), 2);
    put(code, 86, vector_registers(kernel), 2);
    unsigned power = 0;
    while (power < 31 && std::uint64_t{1} << power < kernel.kernarg_alignment) ++power;
    put(code, 100, power, 1);
    return code;
}

// Mesa's way: three pairs of a register and its value for each kernel.
void ClrxSource::finish() {
    if (format_ != Format::gallium || kernels_.empty()) return;
    Section section;
    section.name = ".AMDGPU.config";
    section.allocated = false;
    host_.enter_section(section);
    for (const Kernel& kernel : kernels_) {
        const std::uint32_t words[] = {0xB848,        rsrc1(kernel), 0xB84C,
                                       rsrc2(kernel), 0xB860,        (kernel.scratch * 64 + 1023) / 1024 << 12};
        std::array<std::uint8_t, sizeof words> bytes{};
        for (std::size_t i = 0; i < bytes.size(); ++i)
            bytes[i] = static_cast<std::uint8_t>(words[i / 4] >> 8 * (i % 4));
        host_.emit(bytes);
    }
    host_.leave_section();
}

// Into the room before each kernel's code: made above, or left free by the source.
void ClrxSource::complete(const Target& target, Object& object) {
    if (!has_headers()) return;
    for (const Kernel& kernel : kernels_) {
        const Index symbol = object.find_symbol(kernel.name);
        if (symbol == no_index || object.symbols[symbol].section >= object.sections.size()) continue;
        std::vector<std::uint8_t>& bytes = object.sections[object.symbols[symbol].section].bytes;
        const std::uint64_t at = object.symbols[symbol].value;
        if (at > bytes.size() || bytes.size() - at < kernel_code_size) continue;
        const auto begin = bytes.begin() + static_cast<std::ptrdiff_t>(at);
        if (std::any_of(begin, begin + kernel_code_size, [](std::uint8_t byte) { return byte != 0; })) continue;
        std::ranges::copy(header(kernel, target), begin);
        object.symbols[symbol].type = SymbolType::special;
    }
}

}  // namespace isaforge::codeobject
