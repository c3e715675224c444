#include "codeobject/target.hpp"

#include <fmt/format.h>

#include "codeobject/notes.hpp"

namespace isaforge::codeobject {

namespace {

constexpr std::uint8_t abi_hsa = 64, abi_pal = 65, abi_mesa = 66;
constexpr std::uint32_t machine_mask = 0xFF;
// In version 3 a bit each; from version 4 on a Feature each, plus 1, where the processor has such a thing.
constexpr std::uint32_t xnack_v3 = 0x100, sramecc_v3 = 0x200;
constexpr unsigned xnack_shift = 8, sramecc_shift = 10;

// AMDGPUUsage, "AMDGPU Processors" and "AMDGPU EF_AMDGPU_MACH Values".
constexpr bool yes = true, no = false;
constexpr Processor all[] = {
    {"gfx600", "tahiti", 0x20, "gcn1.0", 6, 0, 0},
    {"gfx601", "pitcairn verde", 0x21, "gcn1.0", 6, 0, 1},
    {"gfx602", "hainan oland", 0x3a, "gcn1.0", 6, 0, 2},
    {"gfx700", "kaveri", 0x22, "gcn1.1", 7, 0, 0},
    {"gfx701", "hawaii", 0x23, "gcn1.1", 7, 0, 1},
    {"gfx702", "", 0x24, "gcn1.1", 7, 0, 2},
    {"gfx703", "kabini mullins", 0x25, "gcn1.1", 7, 0, 3},
    {"gfx704", "bonaire", 0x26, "gcn1.1", 7, 0, 4},
    {"gfx705", "", 0x3b, "gcn1.1", 7, 0, 5},
    {"gfx803", "fiji polaris10 polaris11", 0x2a, "gcn1.2", 8, 0, 3},
    {"gfx801", "carrizo", 0x28, "gcn1.2", 8, 0, 1, yes},
    {"gfx802", "iceland tonga", 0x29, "gcn1.2", 8, 0, 2, no, no, yes},
    {"gfx805", "tongapro", 0x3c, "gcn1.2", 8, 0, 5, no, no, yes},
    {"gfx810", "stoney", 0x2b, "gfx810", 8, 1, 0, yes},
    {"gfx900", "", 0x2c, "gcn1.4", 9, 0, 0, yes},
    {"gfx902", "", 0x2d, "gcn1.4", 9, 0, 2, yes},
    {"gfx904", "", 0x2e, "gfx904", 9, 0, 4, yes},
    {"gfx906", "", 0x2f, "gfx906", 9, 0, 6, yes, yes},
    {"gfx908", "", 0x30, "gfx908", 9, 0, 8, yes, yes},
    {"gfx909", "", 0x31, "gcn1.4", 9, 0, 9, yes},
    {"gfx90c", "", 0x32, "gcn1.4", 9, 0, 12, yes},
};

bool is_one_of(std::string_view name, std::string_view names) {
    while (!names.empty()) {
        const std::size_t end = std::min(names.find(' '), names.size());
        if (names.substr(0, end) == name) return true;
        names.remove_prefix(std::min(end + 1, names.size()));
    }
    return false;
}

std::optional<System> system_of(std::string_view name) {
    if (name.empty() || name == "unknown") return System::none;
    if (name == "amdhsa") return System::hsa;
    if (name == "amdpal") return System::pal;
    if (name == "mesa3d") return System::mesa;
    return std::nullopt;
}

std::string_view system_text(System system) {
    switch (system) {
        case System::hsa: return "amd-amdhsa";
        case System::pal: return "amd-amdpal";
        case System::mesa: return "mesa-mesa3d";
        case System::none: return "-";
    }
    return {};
}

// `:xnack+` or `+xnack`, the way of version 3.
bool read_feature(std::string_view text, Target& target, std::string& error) {
    const bool old = text[0] == '+' || text[0] == '-';
    const std::string_view name = old ? text.substr(1) : text.substr(1, text.size() > 1 ? text.size() - 2 : 0);
    const char sign = old ? text[0] : text.back();
    const bool xnack = name == "xnack", sramecc = name == "sramecc" || name == "sram-ecc";
    if ((sign != '+' && sign != '-') || (!xnack && !sramecc)) {
        error = fmt::format("'{}' is no feature of a processor: xnack+, xnack-, sramecc+ or sramecc-", text.substr(1));
        return false;
    }
    if (xnack ? !target.processor->has_xnack : !target.processor->has_sramecc) {
        error = fmt::format("{} has no {}", target.processor->name, name);
        return false;
    }
    (xnack ? target.xnack : target.sramecc) = sign == '+' ? Feature::on : Feature::off;
    return true;
}

std::uint32_t flag_of(bool has, Feature feature, unsigned shift) {
    return has ? (static_cast<std::uint32_t>(feature) + 1) << shift : 0;
}

Feature feature_of(std::uint32_t flags, unsigned shift) {
    const std::uint32_t value = flags >> shift & 3;
    return value == 0 ? Feature::any : static_cast<Feature>(value - 1);
}

}  // namespace

std::span<const Processor> processors() { return all; }

const Processor* find_processor(std::string_view name) {
    for (const Processor& processor : all) {
        if (processor.name == name || is_one_of(name, processor.other_names)) return &processor;
    }
    return nullptr;
}

const Processor* default_processor(std::string_view variant) {
    for (const Processor& processor : all) {
        if (processor.variant == variant) return &processor;
    }
    return nullptr;
}

std::optional<Target> parse_target(std::string_view text, std::string& error) {
    Target target;
    std::string_view rest = text;
    if (rest.starts_with("amdgcn-")) {
        // Architecture, vendor, system, environment; then the processor.
        std::string_view parts[4];
        for (std::string_view& part : parts) {
            const std::size_t end = rest.find('-');
            if (end == std::string_view::npos) {
                error = fmt::format("'{}' is not a target: amdgcn-amd-amdhsa--gfx803 is one", text);
                return std::nullopt;
            }
            part = rest.substr(0, end);
            rest.remove_prefix(end + 1);
        }
        const std::optional<System> system = system_of(parts[2]);
        if (!system) {
            error = fmt::format("'{}' is no operating system for these machines: amdhsa, amdpal or mesa3d", parts[2]);
            return std::nullopt;
        }
        target.system = *system;
    }
    std::size_t end = std::min(rest.find_first_of(":+-"), rest.size());
    target.processor = find_processor(rest.substr(0, end));
    if (!target.processor) {
        error = fmt::format("there is no processor '{}' here", rest.substr(0, end));
        return std::nullopt;
    }
    while (end < rest.size()) {
        rest.remove_prefix(end);
        end = std::min(rest.find_first_of(rest[0] == ':' ? ":" : ":+", 1), rest.size());
        if (!read_feature(rest.substr(0, end), target, error)) return std::nullopt;
    }
    return target;
}

std::string target_text(const Target& target, unsigned version) {
    std::string text = fmt::format("amdgcn-{}--{}", system_text(target.system), target.processor->name);
    if (version <= 3) {
        if (target.uses_xnack()) text += "+xnack";
        if (target.uses_sramecc()) text += "+sram-ecc";
        return text;
    }
    const auto add = [&](bool has, std::string_view name, Feature feature) {
        if (has && feature != Feature::any) text += fmt::format(":{}{}", name, feature == Feature::on ? '+' : '-');
    };
    add(target.processor->has_sramecc, "sramecc", target.sramecc);
    add(target.processor->has_xnack, "xnack", target.xnack);
    return text;
}

void set_header(const Target& target, unsigned version, Object& object) {
    object.machine = machine_amdgpu;
    object.wide = object.self_describing = true;
    object.machine_flags = target.processor->machine;
    const bool hsa = target.system == System::hsa;
    object.os_abi = hsa                             ? abi_hsa
                    : target.system == System::pal  ? abi_pal
                    : target.system == System::mesa ? abi_mesa
                                                    : 0;
    object.abi_version = static_cast<std::uint8_t>(hsa ? version - first_version : 0);
    if (hsa && version >= 4) {
        object.machine_flags |= flag_of(target.processor->has_xnack, target.xnack, xnack_shift) |
                                flag_of(target.processor->has_sramecc, target.sramecc, sramecc_shift);
    } else {
        object.machine_flags |= (target.uses_xnack() ? xnack_v3 : 0) | (target.uses_sramecc() ? sramecc_v3 : 0);
    }
}

unsigned version_of(const Object& object) {
    return std::min<unsigned>(object.os_abi == abi_hsa ? object.abi_version + first_version : usual_version,
                              last_version);
}

namespace {

// Before there were numbers of processors in e_flags, a note had theirs.
const Processor* processor_in_notes(const Object& object) {
    for (const Section& section : object.sections) {
        if (!section.note) continue;
        const auto notes = read_notes(section.bytes);
        if (!notes) continue;
        for (const Note& note : *notes) {
            const std::optional<IsaVersion> version = isa_version_of(note);
            if (!version) continue;
            for (const Processor& processor : all) {
                if (processor.major == version->major && processor.minor == version->minor &&
                    processor.stepping == version->stepping)
                    return &processor;
            }
        }
    }
    return nullptr;
}

}  // namespace

std::optional<Target> target_of(const Object& object) {
    if (object.machine != machine_amdgpu) return std::nullopt;
    Target target;
    const std::uint32_t flags = object.machine_flags;
    for (const Processor& processor : all) {
        if (processor.machine == (flags & machine_mask)) target.processor = &processor;
    }
    if (!target.processor && object.os_abi == abi_hsa && version_of(object) == first_version)
        target.processor = processor_in_notes(object);
    if (!target.processor) return std::nullopt;
    target.system = object.os_abi == abi_hsa    ? System::hsa
                    : object.os_abi == abi_pal  ? System::pal
                    : object.os_abi == abi_mesa ? System::mesa
                                                : System::none;
    if (target.system == System::hsa && version_of(object) >= 4) {
        if (target.processor->has_xnack) target.xnack = feature_of(flags, xnack_shift);
        if (target.processor->has_sramecc) target.sramecc = feature_of(flags, sramecc_shift);
    } else {
        // Other systems do not tell what was asked for from what just is so.
        const Feature set = target.system == System::hsa ? Feature::on : Feature::any;
        if (target.processor->has_xnack) target.xnack = flags & xnack_v3 ? set : Feature::off;
        if (target.processor->has_sramecc) target.sramecc = flags & sramecc_v3 ? set : Feature::off;
    }
    return target;
}

}  // namespace isaforge::codeobject
