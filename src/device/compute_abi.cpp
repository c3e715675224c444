#include "device/compute_abi.hpp"

#include <algorithm>
#include <cstring>

namespace isaforge::device {

namespace {

std::uint64_t number_at(std::span<const std::uint8_t> bytes, std::size_t at, unsigned size) {
    std::uint64_t number = 0;
    for (unsigned i = 0; i < size && at + i < bytes.size(); ++i) number |= std::uint64_t{bytes[at + i]} << 8 * i;
    return number;
}

void put(std::vector<std::uint8_t>& bytes, std::size_t at, std::uint64_t number, unsigned size) {
    std::memcpy(bytes.data() + at, &number, size);
}

constexpr std::uint32_t bits(std::uint64_t word, unsigned high, unsigned low) {
    return static_cast<std::uint32_t>(word >> low & ((std::uint64_t{1} << (high - low + 1)) - 1));
}
constexpr bool bit(std::uint32_t word, unsigned number) { return (word >> number & 1) != 0; }

// --- Where fields stand, in bytes: of a descriptor of 64 bytes, and of a header of 256, of version 2.

struct Field {
    unsigned at, bytes;
};
struct CodeFields {
    Field entry, group_bytes, private_bytes, kernarg_bytes, rsrc1, rsrc2, properties;
};
constexpr CodeFields descriptor = {.entry = {16, 8},
                                   .group_bytes = {0, 4},
                                   .private_bytes = {4, 4},
                                   .kernarg_bytes = {8, 4},
                                   .rsrc1 = {48, 4},
                                   .rsrc2 = {52, 4},
                                   .properties = {56, 2}};
constexpr CodeFields header = {.entry = {16, 8},
                               .group_bytes = {64, 4},
                               .private_bytes = {60, 4},
                               .kernarg_bytes = {72, 8},
                               .rsrc1 = {48, 4},
                               .rsrc2 = {52, 4},
                               .properties = {56, 4}};

// --- Bits of COMPUTE_PGM_RSRC1 and 2

constexpr unsigned dx10_clamp = 21, ieee_mode = 23, fp16_overflow = 26;                    // RSRC1
constexpr unsigned scratch_enable = 0, group_id_x = 7, group_id_y = 8, group_id_z = 9, group_info = 10;   // RSRC2

// --- User registers, in their order: the property that asks for each, and how many it takes.

enum class User : std::uint8_t {
    private_buffer,
    dispatch_packet,
    queue,
    kernarg,
    dispatch_id,
    flat_scratch_init,
    private_size,
    groups_x,
    groups_y,
    groups_z
};
struct UserRegisters {
    unsigned property;   // a bit of them; from 7 on, in headers of version 2 alone
    User what;
    unsigned count;
};
constexpr UserRegisters user_order[] = {
    {0, User::private_buffer, 4}, {1, User::dispatch_packet, 2},   {2, User::queue, 2},        {3, User::kernarg, 2},
    {4, User::dispatch_id, 2},    {5, User::flat_scratch_init, 2}, {6, User::private_size, 1}, {7, User::groups_x, 1},
    {8, User::groups_y, 1},       {9, User::groups_z, 1},
};
constexpr unsigned most_user_registers = 16;

// Swizzled, so that a dword of all lanes lies together: elements of 4 bytes, 64 of them side by side, the lane's number added.
// dst_sel xyzw, 32 bits, unsigned integers.
std::vector<std::uint32_t> private_buffer(const LaunchState& launch) {
    const std::uint32_t swizzle = 1u << 31, selects = 4 | 5 << 3 | 6 << 6 | 7 << 9;
    const std::uint32_t integers = 4 << 12, dwords = 4 << 15;
    const std::uint32_t element_4 = launch.generation >= 9 ? 0 : 1 << 19, index_64 = 3 << 21, add_lane = 1 << 23;
    // From GCN 1.2 on, with the lane's number added, the format's bits are those of a stride above bit 13: none.
    const std::uint32_t format = launch.generation >= 8 ? integers : integers | dwords;
    return {static_cast<std::uint32_t>(launch.scratch),
            (static_cast<std::uint32_t>(launch.scratch >> 32) & 0xffff) | swizzle,
            static_cast<std::uint32_t>(std::min<std::uint64_t>(launch.scratch_bytes, ~std::uint32_t{0})),
            selects | format | element_4 | index_64 | add_lane};
}

std::vector<std::uint32_t> pair(std::uint64_t value) {
    return {static_cast<std::uint32_t>(value), static_cast<std::uint32_t>(value >> 32)};
}

std::vector<std::uint32_t> values_of(User what, const LaunchState& launch) {
    const Extent groups = launch.group_counts();
    switch (what) {
        case User::private_buffer: return private_buffer(launch);
        case User::dispatch_packet: return pair(launch.packet);
        case User::queue: return pair(launch.queue);
        case User::kernarg: return pair(launch.kernarg);
        case User::dispatch_id: return pair(launch.dispatch_id);
        // Before GCN 1.4 an offset from a base that the hardware keeps, and the bytes of a lane; then an address.
        case User::flat_scratch_init:
            return launch.generation >= 9 ? pair(launch.scratch)
                                          : std::vector<std::uint32_t>{0, launch.lane_scratch_bytes};
        case User::private_size: return {launch.lane_scratch_bytes};
        case User::groups_x: return {groups.x};
        case User::groups_y: return {groups.y};
        case User::groups_z: return {groups.z};
    }
    return {};
}

}  // namespace

KernelCode read_kernel_code(std::span<const std::uint8_t> bytes, std::uint64_t address, bool is_header,
                            unsigned generation) {
    const CodeFields& fields = is_header ? header : descriptor;
    const auto get = [&](Field field) { return number_at(bytes, field.at, field.bytes); };
    KernelCode code;
    code.entry = address + get(fields.entry);
    code.group_bytes = static_cast<std::uint32_t>(get(fields.group_bytes));
    code.private_bytes = static_cast<std::uint32_t>(get(fields.private_bytes));
    code.kernarg_bytes = get(fields.kernarg_bytes);
    code.rsrc1 = static_cast<std::uint32_t>(get(fields.rsrc1));
    code.rsrc2 = static_cast<std::uint32_t>(get(fields.rsrc2));
    code.properties = static_cast<std::uint32_t>(get(fields.properties)) & (is_header ? 0x3ff : 0x7f);
    code.vector_registers = 4 * (bits(code.rsrc1, 5, 0) + 1);
    code.scalar_registers = generation >= 9 ? 8 * bits(code.rsrc1, 9, 6) + 16 : 8 * (bits(code.rsrc1, 9, 6) + 1);
    return code;
}

// As the Linux driver sets them; the description of GCN 1.1 and 1.2 counts on it.
FlatApertures apertures_of(unsigned generation) {
    return generation >= 9 ? FlatApertures{0x00010000, 0x00020000} : FlatApertures{0x20000000, 0x20000001};
}
std::uint32_t most_group_bytes(unsigned generation) { return generation == 6 ? 32768 : 65536; }
std::uint32_t group_granule(unsigned generation) { return generation == 6 ? 256 : 512; }

Extent LaunchState::group_counts() const {
    const auto count = [](std::uint32_t all, std::uint32_t one) {
        return static_cast<std::uint32_t>((std::uint64_t{all} + one - 1) / one);
    };
    return {count(grid.x, group.x), count(grid.y, group.y), count(grid.z, group.z)};
}

Extent LaunchState::group_extent(const Extent& number) const {
    const auto extent = [](std::uint32_t all, std::uint32_t one, std::uint32_t which) {
        return static_cast<std::uint32_t>(std::min<std::uint64_t>(one, all - std::uint64_t{one} * which));
    };
    return {extent(grid.x, group.x, number.x), extent(grid.y, group.y, number.y), extent(grid.z, group.z, number.z)};
}

std::vector<std::uint32_t> user_registers(const LaunchState& launch) {
    std::vector<std::uint32_t> registers;
    for (const UserRegisters& each : user_order) {
        if (!bit(launch.code.properties, each.property)) continue;
        const std::vector<std::uint32_t> values = values_of(each.what, launch);
        registers.insert(registers.end(), values.begin(), values.end());
    }
    registers.resize(std::min(bits(launch.code.rsrc2, 5, 1), most_user_registers));
    return registers;
}

// Behind the user's: the group's number, a word about the wavefront, where its private memory is.
void add_system_registers(const LaunchState& launch, const WavePlace& wave, SystemRegisters& registers) {
    const std::uint32_t rsrc2 = launch.code.rsrc2;
    if (bit(rsrc2, group_id_x)) registers.push_back(wave.group.x);
    if (bit(rsrc2, group_id_y)) registers.push_back(wave.group.y);
    if (bit(rsrc2, group_id_z)) registers.push_back(wave.group.z);
    if (bit(rsrc2, group_info)) {
        const Extent extent = launch.group_extent(wave.group);
        const std::uint32_t waves = (extent.x * extent.y * extent.z + lanes - 1) / lanes;
        registers.push_back((wave.number == 0 ? 1u << 31 : 0) | waves);
    }
    if (bit(rsrc2, scratch_enable))
        registers.push_back(static_cast<std::uint32_t>(wave.slot * launch.wave_scratch_bytes()));
}

// Rounding and subnormals of both widths; clamping; signalling; which exceptions are reported; overflow of 16 bits.
std::uint32_t mode_of(const KernelCode& code) {
    return bits(code.rsrc1, 19, 12) | bits(code.rsrc1, dx10_clamp, dx10_clamp) << 8 |
           bits(code.rsrc1, ieee_mode, ieee_mode) << 9 | bits(code.rsrc2, 30, 24) << 12 |
           bits(code.rsrc1, fp16_overflow, fp16_overflow) << 23;
}

unsigned vector_ids(const KernelCode& code) { return std::min(1 + bits(code.rsrc2, 12, 11), 3u); }

std::vector<std::uint8_t> queue_bytes(const LaunchState& launch) {
    std::vector<std::uint8_t> bytes(256);
    const FlatApertures apertures = apertures_of(launch.generation);
    put(bytes, 64, apertures.group, 4);
    put(bytes, 68, apertures.private_memory, 4);
    put(bytes, 160, launch.scratch, 8);
    put(bytes, 176, launch.lane_scratch_bytes, 4);
    return bytes;
}

std::vector<std::uint8_t> packet_bytes(const LaunchState& launch, std::uint64_t kernel_object) {
    std::vector<std::uint8_t> bytes(64);
    const unsigned dimensions = launch.grid.z > 1 ? 3 : launch.grid.y > 1 ? 2 : 1;
    put(bytes, 0, 2, 2);   // a kernel dispatch
    put(bytes, 2, dimensions, 2);
    put(bytes, 4, launch.group.x, 2);
    put(bytes, 6, launch.group.y, 2);
    put(bytes, 8, launch.group.z, 2);
    put(bytes, 12, launch.grid.x, 4);
    put(bytes, 16, launch.grid.y, 4);
    put(bytes, 20, launch.grid.z, 4);
    put(bytes, 24, launch.lane_scratch_bytes, 4);
    put(bytes, 28, launch.group_bytes, 4);
    put(bytes, 32, kernel_object, 8);
    put(bytes, 40, launch.kernarg, 8);
    return bytes;
}

}  // namespace isaforge::device
