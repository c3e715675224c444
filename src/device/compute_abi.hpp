// How a wavefront of a compute kernel begins: which register holds what, as the kernel's descriptor asks for it. AMDGPUUsage,
// "Kernel Descriptor", "Initial Kernel Execution State", and "AMD Kernel Code Object V2 Header". Whoever wants to know what
// the hardware does before a kernel's first instruction finds it here and nowhere else.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "isaforge/device.hpp"

namespace isaforge::device {

inline constexpr unsigned lanes = 64;
inline constexpr unsigned most_group_items = 1024;

// What a descriptor, or a header of version 2, says.
struct KernelCode {
    std::uint64_t entry = 0;          // the address of the first instruction
    std::uint32_t group_bytes = 0, private_bytes = 0;
    std::uint64_t kernarg_bytes = 0;
    std::uint32_t rsrc1 = 0, rsrc2 = 0, properties = 0;
    unsigned scalar_registers = 0, vector_registers = 0;
};
// `bytes`: 64 of a descriptor, or 256 of a header, that lie at `address`.
KernelCode read_kernel_code(std::span<const std::uint8_t> bytes, std::uint64_t address, bool is_header,
                            unsigned generation);

FlatApertures apertures_of(unsigned generation);
std::uint32_t most_group_bytes(unsigned generation);
std::uint32_t group_granule(unsigned generation);

// What is the same for all wavefronts of a launch.
struct LaunchState {
    KernelCode code;
    unsigned generation = 9;
    Extent grid, group;
    std::uint64_t packet = 0, queue = 0, kernarg = 0, dispatch_id = 0;
    std::uint64_t scratch = 0, scratch_bytes = 0;   // private memory of all wavefronts that live at the same time
    std::uint32_t lane_scratch_bytes = 0;           // of one work-item
    std::uint32_t group_bytes = 0;

    std::uint64_t wave_scratch_bytes() const { return std::uint64_t{lane_scratch_bytes} * lanes; }
    Extent group_counts() const;
    // Work-items of a group: those at the grid's far sides may have fewer.
    Extent group_extent(const Extent& number) const;
};

// One wavefront: its group's number, its own in the group, and which of those that live at the same time it is.
struct WavePlace {
    Extent group;
    unsigned number = 0, slot = 0;
};

// The scalar registers from s0 on, those behind them, and the hardware's MODE register.
std::vector<std::uint32_t> user_registers(const LaunchState& launch);
struct SystemRegisters {
    std::array<std::uint32_t, 5> values{};
    unsigned count = 0;

    void push_back(std::uint32_t value) { values[count++] = value; }
};
void add_system_registers(const LaunchState& launch, const WavePlace& wave, SystemRegisters& registers);
std::uint32_t mode_of(const KernelCode& code);
// How many of v0, v1 and v2 hold the work-item's place.
unsigned vector_ids(const KernelCode& code);

// What a queue tells kernels that ask for it: the bytes of an amd_queue_t, as far as device code looks.
std::vector<std::uint8_t> queue_bytes(const LaunchState& launch);
// The bytes of a kernel dispatch packet.
std::vector<std::uint8_t> packet_bytes(const LaunchState& launch, std::uint64_t kernel_object);

}  // namespace isaforge::device
