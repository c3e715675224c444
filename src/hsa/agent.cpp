#include "hsa/agent.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <array>

#include "codeobject/target.hpp"
#include "hsa/runtime.hpp"

namespace isaforge::hsa {

namespace {

constexpr std::uint32_t most_group_items = 1024, most_queue_packets = 131072;
constexpr std::array<std::uint16_t, 3> most_group_sizes = {1024, 1024, 1024};

// What clients know a processor by.
struct Known {
    const char* processor;
    std::uint32_t chip;
    bool shares_memory;
};

constexpr Known known[] = {
    {"gfx700", 0x1304, true},  {"gfx701", 0x67B0, true},  {"gfx801", 0x9874, false}, {"gfx802", 0x6939, false},
    {"gfx803", 0x67DF, false}, {"gfx810", 0x98E4, false}, {"gfx900", 0x6863, false}, {"gfx902", 0x15DD, false},
    {"gfx904", 0x69AF, false}, {"gfx906", 0x66A1, false}, {"gfx908", 0x738C, false},
};

const Known* find_known(std::string_view processor) {
    for (const Known& each : known)
        if (processor == each.processor) return &each;
    return nullptr;
}

}  // namespace

Agent::Agent() {
    for (const Pool::Kind kind : {Pool::Kind::fine, Pool::Kind::kernarg, Pool::Kind::coarse})
        pools_.push_back({this, kind});
}

Agent::Agent(const std::string& processor, unsigned number, const DeviceOptions& options, unsigned units,
             std::string& error)
    : processor_(processor), number_(number), units_(units), device_(ComputeDevice::make(options, error)) {
    if (const codeobject::Processor* const found = codeobject::find_processor(processor)) {
        // Without retries of accesses, and without error correction, as most libraries are compiled for.
        constexpr auto off = codeobject::Feature::off;
        const codeobject::Target target{.processor = found, .xnack = off, .sramecc = off};
        isa_ = codeobject::target_text(target, codeobject::usual_version);
        generation_ = found->major;
    }
    const Known* const about = find_known(processor);
    is_full_profile_ = about != nullptr && about->shares_memory;
    for (const Pool::Kind kind : {Pool::Kind::coarse, Pool::Kind::fine, Pool::Kind::group})
        pools_.push_back({this, kind});
}

hsa_status_t Agent::info(int attribute, void* value) const {
    if (attribute >= HSA_EXT_AGENT_INFO_IMAGE_1D_MAX_ELEMENTS &&
        attribute <= HSA_EXT_AGENT_INFO_IMAGE_LINEAR_ROW_PITCH_ALIGNMENT)
        return image_info(attribute, value);
    return attribute >= HSA_AMD_AGENT_INFO_CHIP_ID ? amd_info(attribute, value) : common_info(attribute, value);
}

hsa_status_t Agent::common_info(int attribute, void* value) const {
    const bool gpu = is_gpu();
    const auto of_gpu = [&](std::uint32_t number) { return give(value, gpu ? number : std::uint32_t{0}); };
    switch (attribute) {
        case HSA_AGENT_INFO_NAME: return give_text(value, gpu ? processor_ : "host", 64);
        case HSA_AGENT_INFO_VENDOR_NAME: return give_text(value, gpu ? "AMD" : "CPU", 64);
        case HSA_AGENT_INFO_FEATURE: return of_gpu(HSA_AGENT_FEATURE_KERNEL_DISPATCH);
        case HSA_AGENT_INFO_MACHINE_MODEL: return give(value, HSA_MACHINE_MODEL_LARGE);
        case HSA_AGENT_INFO_PROFILE: return give(value, gpu && !is_full_profile_ ? HSA_PROFILE_BASE : HSA_PROFILE_FULL);
        case HSA_AGENT_INFO_DEFAULT_FLOAT_ROUNDING_MODE: return give(value, HSA_DEFAULT_FLOAT_ROUNDING_MODE_NEAR);
        case HSA_AGENT_INFO_BASE_PROFILE_DEFAULT_FLOAT_ROUNDING_MODES:
            return give(value, std::uint32_t{1} << HSA_DEFAULT_FLOAT_ROUNDING_MODE_NEAR);
        case HSA_AGENT_INFO_FAST_F16_OPERATION: return give(value, gpu && processor_ >= "gfx8");
        case HSA_AGENT_INFO_WAVEFRONT_SIZE: return of_gpu(64);
        case HSA_AGENT_INFO_WORKGROUP_MAX_DIM:
            return give(value, gpu ? most_group_sizes : std::array<std::uint16_t, 3>{});
        case HSA_AGENT_INFO_WORKGROUP_MAX_SIZE: return of_gpu(most_group_items);
        case HSA_AGENT_INFO_GRID_MAX_DIM: return give(value, gpu ? hsa_dim3_t{~0u, ~0u, ~0u} : hsa_dim3_t{});
        case HSA_AGENT_INFO_GRID_MAX_SIZE: return of_gpu(~0u);
        case HSA_AGENT_INFO_FBARRIER_MAX_SIZE: return of_gpu(32);
        case HSA_AGENT_INFO_QUEUES_MAX: return of_gpu(128);
        case HSA_AGENT_INFO_QUEUE_MIN_SIZE: return of_gpu(64);
        case HSA_AGENT_INFO_QUEUE_MAX_SIZE: return of_gpu(most_queue_packets);
        case HSA_AGENT_INFO_QUEUE_TYPE: return give(value, HSA_QUEUE_TYPE_MULTI);
        case HSA_AGENT_INFO_NODE: return of_gpu(number_ + 1);
        case HSA_AGENT_INFO_DEVICE: return give(value, gpu ? HSA_DEVICE_TYPE_GPU : HSA_DEVICE_TYPE_CPU);
        case HSA_AGENT_INFO_CACHE_SIZE:
            return give(value, gpu ? std::array<std::uint32_t, 4>{16 << 10, 4 << 20, 0, 0}
                                   : std::array<std::uint32_t, 4>{32 << 10, 0, 0, 0});
        case HSA_AGENT_INFO_ISA: return give(value, gpu ? handle_of<hsa_isa_t>(this) : hsa_isa_t{});
        case HSA_AGENT_INFO_EXTENSIONS: {
            std::array<std::uint8_t, 128> bits{};
            if (gpu) bits[HSA_EXTENSION_IMAGES / 8] |= 1 << HSA_EXTENSION_IMAGES % 8;
            return give(value, bits);
        }
        case HSA_AGENT_INFO_VERSION_MAJOR:
        case HSA_AGENT_INFO_VERSION_MINOR: return give(value, std::uint16_t{1});
        default: return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    }
}

hsa_status_t Agent::amd_info(int attribute, void* value) const {
    const bool gpu = is_gpu();
    const Known* const about = find_known(processor_);
    const auto of_gpu = [&](std::uint32_t number) { return give(value, gpu ? number : std::uint32_t{0}); };
    switch (attribute) {
        case HSA_AMD_AGENT_INFO_CHIP_ID: return give(value, about == nullptr ? std::uint32_t{0} : about->chip);
        case HSA_AMD_AGENT_INFO_CACHELINE_SIZE: return give(value, std::uint32_t{64});
        case HSA_AMD_AGENT_INFO_COMPUTE_UNIT_COUNT:
            return give(value, gpu ? units_ : static_cast<std::uint32_t>(::sysconf(_SC_NPROCESSORS_ONLN)));
        case HSA_AMD_AGENT_INFO_COOPERATIVE_COMPUTE_UNIT_COUNT: return of_gpu(units_);
        case HSA_AMD_AGENT_INFO_MAX_CLOCK_FREQUENCY: return give(value, std::uint32_t{1000});
        case HSA_AMD_AGENT_INFO_DRIVER_NODE_ID: return of_gpu(number_ + 1);
        case HSA_AMD_AGENT_INFO_MAX_ADDRESS_WATCH_POINTS: return give(value, gpu ? std::uint32_t{4} : std::uint32_t{1});
        case HSA_AMD_AGENT_INFO_BDFID: return of_gpu((3 + number_) << 8);
        case HSA_AMD_AGENT_INFO_DOMAIN: return give(value, std::uint32_t{0});
        case HSA_AMD_AGENT_INFO_MEMORY_WIDTH: return of_gpu(64);
        case HSA_AMD_AGENT_INFO_MEMORY_MAX_FREQUENCY: return of_gpu(1000);
        case HSA_AMD_AGENT_INFO_PRODUCT_NAME: return give_text(value, gpu ? "Isaforge " + processor_ : "Host", 64);
        case HSA_AMD_AGENT_INFO_MAX_WAVES_PER_CU: return of_gpu(40);
        case HSA_AMD_AGENT_INFO_NUM_SIMDS_PER_CU: return of_gpu(4);
        case HSA_AMD_AGENT_INFO_NUM_SHADER_ENGINES:
        case HSA_AMD_AGENT_INFO_NUM_SHADER_ARRAYS_PER_SE: return of_gpu(1);
        case HSA_AMD_AGENT_INFO_HDP_FLUSH: return give(value, hsa_amd_hdp_flush_t{nullptr, nullptr});
        // Drivers have them where HIP's own kernel for them is compiled.
        case HSA_AMD_AGENT_INFO_COOPERATIVE_QUEUES: return give(value, gpu && generation_ >= 9);
        case HSA_AMD_AGENT_INFO_UUID:
            return give_text(value, gpu ? fmt::format("GPU-{:016x}", number_ + 1) : "CPU-XX", 21);
        case HSA_AMD_AGENT_INFO_ASIC_REVISION: return of_gpu(1);
        case HSA_AMD_AGENT_INFO_SVM_DIRECT_HOST_ACCESS: return give(value, true);
        default: return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    }
}

hsa_status_t Agent::image_info(int attribute, void* value) const {
    constexpr std::uint32_t edge = 16384;
    if (!is_gpu()) return give(value, std::uint32_t{0});
    switch (attribute) {
        case HSA_EXT_AGENT_INFO_IMAGE_1D_MAX_ELEMENTS:
        case HSA_EXT_AGENT_INFO_IMAGE_1DA_MAX_ELEMENTS: return give(value, edge);
        case HSA_EXT_AGENT_INFO_IMAGE_1DB_MAX_ELEMENTS: return give(value, std::uint32_t{1} << 27);
        case HSA_EXT_AGENT_INFO_IMAGE_2D_MAX_ELEMENTS:
        case HSA_EXT_AGENT_INFO_IMAGE_2DA_MAX_ELEMENTS:
        case HSA_EXT_AGENT_INFO_IMAGE_2DDEPTH_MAX_ELEMENTS:
        case HSA_EXT_AGENT_INFO_IMAGE_2DADEPTH_MAX_ELEMENTS: return give(value, std::array{edge, edge});
        case HSA_EXT_AGENT_INFO_IMAGE_3D_MAX_ELEMENTS:
            return give(value, std::array<std::uint32_t, 3>{2048, 2048, 2048});
        case HSA_EXT_AGENT_INFO_IMAGE_ARRAY_MAX_LAYERS: return give(value, std::uint32_t{8192});
        case HSA_EXT_AGENT_INFO_MAX_IMAGE_RD_HANDLES: return give(value, std::uint32_t{128});
        case HSA_EXT_AGENT_INFO_MAX_IMAGE_RORW_HANDLES: return give(value, std::uint32_t{64});
        case HSA_EXT_AGENT_INFO_MAX_SAMPLER_HANDLERS: return give(value, std::uint32_t{16});
        case HSA_EXT_AGENT_INFO_IMAGE_LINEAR_ROW_PITCH_ALIGNMENT: return give(value, std::uint32_t{256});
        default: return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    }
}

hsa_status_t Agent::isa_info(int attribute, void* value) const {
    switch (attribute) {
        case HSA_ISA_INFO_NAME_LENGTH: return give(value, static_cast<std::uint32_t>(isa_.size() + 1));
        case HSA_ISA_INFO_NAME: std::memcpy(value, isa_.c_str(), isa_.size() + 1); return HSA_STATUS_SUCCESS;
        case HSA_ISA_INFO_CALL_CONVENTION_COUNT: return give(value, std::uint32_t{1});
        case HSA_ISA_INFO_CALL_CONVENTION_INFO_WAVEFRONT_SIZE: return give(value, std::uint32_t{64});
        case HSA_ISA_INFO_CALL_CONVENTION_INFO_WAVEFRONTS_PER_COMPUTE_UNIT: return give(value, std::uint32_t{40});
        case HSA_ISA_INFO_MACHINE_MODELS: return give(value, std::array{false, true});
        case HSA_ISA_INFO_PROFILES: return give(value, std::array{!is_full_profile_, is_full_profile_});
        case HSA_ISA_INFO_DEFAULT_FLOAT_ROUNDING_MODES:
        case HSA_ISA_INFO_BASE_PROFILE_DEFAULT_FLOAT_ROUNDING_MODES: return give(value, std::array{false, false, true});
        case HSA_ISA_INFO_FAST_F16_OPERATION: return give(value, processor_ >= "gfx8");
        case HSA_ISA_INFO_WORKGROUP_MAX_DIM: return give(value, most_group_sizes);
        case HSA_ISA_INFO_WORKGROUP_MAX_SIZE: return give(value, most_group_items);
        case HSA_ISA_INFO_GRID_MAX_DIM: return give(value, hsa_dim3_t{~0u, ~0u, ~0u});
        case HSA_ISA_INFO_GRID_MAX_SIZE: return give(value, ~std::uint64_t{0});
        case HSA_ISA_INFO_FBARRIER_MAX_SIZE: return give(value, std::uint32_t{32});
        default: return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    }
}

}  // namespace isaforge::hsa
