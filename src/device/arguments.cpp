// Launches of a kernel with its arguments: the block of arguments with what the runtime adds to it, the packet and the queue
// that a kernel may ask for, printf's buffer. AMDGPUUsage, "Kernel Argument Metadata Map", the kinds that are hidden.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "device/device_impl.hpp"

namespace isaforge::device {

namespace {

constexpr std::uint64_t packet_at = 0, queue_at = 64, kernarg_at = 512;   // in a launch's block
constexpr std::uint64_t most_kernarg_bytes = std::uint64_t{1} << 20;

struct Hidden {
    const LaunchState& launch;
    std::uint64_t printf_buffer = 0;
    std::uint32_t dynamic_group_bytes = 0;
};

unsigned dimensions(const Extent& grid) { return grid.z > 1 ? 3 : grid.y > 1 ? 2 : 1; }

// The value of an argument that the runtime gives. What is not known here, and what there is none of, is 0.
std::uint64_t hidden_value(std::string_view kind, const Hidden& from) {
    const Extent &grid = from.launch.grid, &group = from.launch.group;
    const FlatApertures apertures = apertures_of(from.launch.generation);
    if (kind == "hidden_printf_buffer") return from.printf_buffer;
    // Whole groups; those at the edges that are smaller are the remainder.
    if (kind == "hidden_block_count_x") return grid.x / group.x;
    if (kind == "hidden_block_count_y") return grid.y / group.y;
    if (kind == "hidden_block_count_z") return grid.z / group.z;
    if (kind == "hidden_group_size_x") return group.x;
    if (kind == "hidden_group_size_y") return group.y;
    if (kind == "hidden_group_size_z") return group.z;
    if (kind == "hidden_remainder_x") return grid.x % group.x;
    if (kind == "hidden_remainder_y") return grid.y % group.y;
    if (kind == "hidden_remainder_z") return grid.z % group.z;
    if (kind == "hidden_grid_dims") return dimensions(grid);
    if (kind == "hidden_private_base") return apertures.private_memory;
    if (kind == "hidden_shared_base") return apertures.group;
    if (kind == "hidden_queue_ptr") return from.launch.queue;
    if (kind == "hidden_dynamic_lds_size") return from.dynamic_group_bytes;
    return 0;
}

// What lies in memory for a launch.
struct Surroundings {
    Surroundings(Implementation& owner, std::shared_ptr<GuardedPages> pages) : device(owner), block(std::move(pages)) {}
    ~Surroundings() {
        if (block != nullptr) device.give_block(std::move(block));
        if (printf_buffer != nullptr) device.release(printf_buffer);
    }
    Surroundings(const Surroundings&) = delete;
    Surroundings& operator=(const Surroundings&) = delete;

    Implementation& device;
    std::shared_ptr<GuardedPages> block;
    std::uint8_t* printf_buffer = nullptr;
    std::uint64_t printf_bytes = 0;
    std::vector<std::string> printf_formats;
};

bool begin_printf(Implementation& device, const LaunchRequest& request, Surroundings& around, std::string& error) {
    const auto& arguments = request.kernel->arguments;
    if (std::ranges::find(arguments, "hidden_printf_buffer", &KernelArgument::value_kind) == arguments.end())
        return true;
    device.objects().with_object_at(
        request.kernel->object, [&](const LoadedObject& object) { around.printf_formats = object.printf_formats(); });
    if (around.printf_formats.empty()) return true;
    constexpr std::uint64_t header = 8;
    around.printf_bytes = std::clamp<std::uint64_t>(request.printf_bytes, 4096, std::uint64_t{1} << 31);
    around.printf_buffer = device.allocate(around.printf_bytes, "printf's buffer");
    if (around.printf_buffer == nullptr) {
        error = "there is no room for what the kernel prints";
        return false;
    }
    const auto room = static_cast<std::uint32_t>(around.printf_bytes - header);
    std::memcpy(around.printf_buffer + 4, &room, sizeof room);
    return true;
}

void fill(const LaunchRequest& request, const KernelInfo& kernel, const LaunchState& launch, Surroundings& around) {
    std::uint8_t* const block = around.block->data();
    const std::uint64_t size = std::max<std::uint64_t>(kernel.kernarg_bytes, request.arguments.size());
    std::memset(block, 0, kernarg_at + size);
    std::ranges::copy(packet_bytes(launch, kernel.object), block + packet_at);
    std::ranges::copy(queue_bytes(launch), block + queue_at);
    std::ranges::copy(request.arguments, block + kernarg_at);
    const Hidden from{launch, reinterpret_cast<std::uint64_t>(around.printf_buffer), request.group_bytes};
    for (const KernelArgument& argument : kernel.arguments) {
        if (!argument.is_hidden() || argument.offset > size || argument.size > size - argument.offset) continue;
        const std::uint64_t value = hidden_value(argument.value_kind, from);
        std::memcpy(block + kernarg_at + argument.offset, &value, std::min<std::uint64_t>(argument.size, 8));
    }
}

bool is_possible(const LaunchRequest& request, std::string& error) {
    const KernelInfo& kernel = *request.kernel;
    const Extent& group = request.group;
    if (kernel.required_group.x != 0 && group != kernel.required_group) {
        error = fmt::format("kernel `{}` has groups of {}x{}x{} work-items alone, and {}x{}x{} are asked for",
                            kernel.name, kernel.required_group.x, kernel.required_group.y, kernel.required_group.z,
                            group.x, group.y, group.z);
        return false;
    }
    const std::uint64_t items = std::uint64_t{group.x} * group.y * group.z;
    if (kernel.most_items != 0 && items > kernel.most_items) {
        error = fmt::format("kernel `{}` has groups of at most {} work-items, and {} are asked for", kernel.name,
                            kernel.most_items, items);
        return false;
    }
    if (kernel.kernarg_bytes > most_kernarg_bytes || request.arguments.size() > most_kernarg_bytes) {
        error = fmt::format("the arguments of a kernel have at most {} bytes", most_kernarg_bytes);
        return false;
    }
    return true;
}

}  // namespace

// The packet of a request, with what it needs in the device's memory.
bool Implementation::fill_start(const LaunchRequest& request, Start& what, std::string& error) {
    if (!is_possible(request, error)) return false;
    const KernelInfo kernel = *request.kernel;
    const std::uint64_t size = std::max<std::uint64_t>(kernel.kernarg_bytes, request.arguments.size());
    const auto around = std::make_shared<Surroundings>(*this, take_block(kernarg_at + size));
    if (around->block == nullptr) {
        error = "there is no room for the arguments";
        return false;
    }
    if (!begin_printf(*this, request, *around, error)) return false;
    const auto block = reinterpret_cast<std::uint64_t>(around->block->data());
    what.packet.kernel_object = kernel.object;
    what.packet.grid = request.grid;
    what.packet.group = request.group;
    what.packet.private_bytes = kernel.private_bytes;
    what.packet.group_bytes = kernel.group_bytes + request.group_bytes;
    what.packet.kernarg = block + kernarg_at;
    what.packet.packet = block + packet_at;
    what.packet.queue = block + queue_at;
    what.packet.most_instructions = request.most_instructions;
    what.fill = [request, kernel, around = around.get()](const LaunchState& launch) {
        fill(request, kernel, launch, *around);
    };
    what.keep = around;
    if (around->printf_buffer != nullptr)
        what.printed = [around = around.get()] {
            return printed_text({around->printf_buffer, around->printf_bytes}, around->printf_formats);
        };
    return true;
}

std::shared_ptr<Launch> Implementation::launch(const LaunchRequest& request, std::string& error) {
    Start what;
    return fill_start(request, what, error) ? start(*this, std::move(what), error) : nullptr;
}

std::unique_ptr<Inspection> Implementation::inspect(const LaunchRequest& request, MachineOptions options,
                                                    std::string& error) {
    Start what;
    if (!fill_start(request, what, error)) return nullptr;
    return device::inspect(*this, std::move(what), std::move(options), error);
}

}  // namespace isaforge::device
