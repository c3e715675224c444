// A device that runs compute kernels on this machine: AMD GCN's wavefronts, executed by Isaforge's emulator, with memory,
// code objects, launches and completions as a runtime for such devices needs them.
//
// Addresses of the device are addresses of this process: memory that the caller registers is used where it lies. Nothing
// outside of registered and allocated memory is ever touched: an access there ends the launch with a report.
//
// All functions may be called by any thread at any time, but for a device's end, for which everything else has to be over.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "isaforge/machine.hpp"
#include "isaforge/object.hpp"

namespace isaforge {

struct Extent {
    std::uint32_t x = 1, y = 1, z = 1;
    bool operator==(const Extent&) const = default;
};

// One argument of a kernel, as the code object's metadata tell of it, in the names that versions 3 and later use.
struct KernelArgument {
    std::string name, type_name;             // "data", "float*"; may be empty
    std::string value_kind;                  // "by_value", "global_buffer", "hidden_global_offset_x", …
    std::string address_space;               // "global", "local", …; may be empty
    std::uint64_t offset = 0, size = 0;      // bytes, in the block of arguments
    bool is_const = false;

    // The runtime's business: who launches a kernel gives no value for it.
    bool is_hidden() const { return value_kind.starts_with("hidden_"); }
};

struct KernelInfo {
    std::string name;
    std::uint64_t object = 0;                // what a dispatch packet calls kernel_object: the address of its descriptor
    std::uint64_t code = 0;                  // the address of its first instruction
    bool has_metadata = false;               // without, only what the descriptor says is known
    std::string language;                    // "OpenCL C"; may be empty
    std::vector<KernelArgument> arguments;   // by offset, hidden ones among them
    std::uint64_t kernarg_bytes = 0, kernarg_alignment = 16;
    std::uint32_t group_bytes = 0;           // of the local data share, without what is asked for at a launch
    std::uint32_t private_bytes = 0;         // of a work-item
    unsigned scalar_registers = 0, vector_registers = 0;
    unsigned most_items = 0;                 // of a group; 0: unknown
    Extent required_group{0, 0, 0};          // zeros: any
};

// Code that was loaded into a device's memory. It stays there as long as this lives, or a launch runs it.
class CodeObject {
public:
    virtual ~CodeObject() = default;
    virtual std::uint64_t base() const = 0;  // where its address 0 is
    virtual std::uint64_t bytes() const = 0;
    virtual const std::vector<KernelInfo>& kernels() const = 0;
    // Null where it has none of that name.
    virtual const KernelInfo* find_kernel(std::string_view name) const = 0;
    // Address and size of a symbol that it defines.
    struct Variable {
        std::uint64_t address = 0, bytes = 0;
    };
    virtual std::optional<Variable> find_symbol(std::string_view name) const = 0;
    // All that it defines, in the file's order.
    struct Symbol {
        std::string name;
        std::uint64_t address = 0, bytes = 0;
        bool is_object = false;              // data, a kernel's descriptor among it; else code, or unknown
    };
    virtual std::vector<Symbol> symbols() const = 0;
    // What it was made of: symbols and lines, with the addresses that they have on the device.
    virtual const Object& object() const = 0;
};

// What a code object says of itself before it is loaded.
struct CodeObjectInfo {
    std::string processor;                   // "gfx900"
    unsigned version = 0;                    // of the format, 2 to 5
    std::vector<KernelInfo> kernels;         // as if it lay at address 0
};
// Nothing, with the reason in `error`, where the bytes are no code object for these machines.
std::optional<CodeObjectInfo> read_code_object(std::span<const std::uint8_t> bytes, std::string& error);

struct CodeObjectOptions {
    std::string name;                        // of the file, for messages and source lines
    std::map<std::string, std::uint64_t, std::less<>> symbols;   // addresses of what the object leaves undefined
};

// What ended a launch before its time.
struct LaunchFault {
    std::string kernel;                      // empty where it is not known
    Extent group{0, 0, 0};                   // its number in each dimension
    unsigned wavefront = 0;                  // in the group
    std::uint64_t lanes = 0;                 // that were active
    std::uint64_t address = 0;               // of the instruction; 0: it was none
    std::string instruction, source_line;    // its text; "scale.cl:12", empty where that is not known
    StopReason reason = StopReason::running;
    std::uint64_t data_address = 0;          // bad_read, bad_write, misaligned: where it went …
    unsigned data_bits = 0;                  // … and how much it was
};

struct LaunchResult {
    bool ok = false;
    std::string message;                     // a line that says all that `fault` does; empty where it is ok
    LaunchFault fault;
    std::uint64_t instructions = 0;          // of all wavefronts together
    double seconds = 0;                      // from the call to the end of the last wavefront
    std::string printed;                     // by printf, where launch() gave it a buffer
};

// A launch on its way.
class Launch {
public:
    virtual ~Launch() = default;
    virtual bool is_done() const = 0;
    virtual const LaunchResult& wait() = 0;
    // Ends it soon, with this as the reason, where it has not ended by itself.
    virtual void cancel(const std::string& why) = 0;
};

// A launch that does not run by itself: its wavefronts are the harts of a machine, for traces, profiles and debuggers. Memory
// is the device's.
class Inspection {
public:
    virtual ~Inspection() = default;
    virtual Machine& machine() = 0;
    virtual std::string printed() const = 0;   // by printf so far
};

// A kernel with its arguments.
struct LaunchRequest {
    const KernelInfo* kernel = nullptr;      // of a code object that is loaded here
    Extent grid;                             // work-items, not groups; groups at the edge may be smaller
    Extent group;                            // work-items of a group; at most 1024 together
    std::span<const std::uint8_t>
        arguments;  // the block of arguments from its begin; hidden ones, and what is missing, are added
    std::uint32_t group_bytes = 0;           // of the local data share, above what the kernel has itself
    std::uint64_t most_instructions = 0;     // of all wavefronts together, about; 0: no limit
    std::uint64_t printf_bytes = std::uint64_t{1} << 20;   // for what it prints, if it does
};

// The same as an HSA kernel dispatch packet has it. Everything that it leads to is the caller's, in registered memory.
struct DispatchPacket {
    std::uint64_t kernel_object = 0;
    Extent grid, group;
    std::uint32_t private_bytes = 0;         // of a work-item
    std::uint32_t group_bytes = 0;           // of the local data share, all of it
    std::uint64_t kernarg = 0;               // the address of the block of arguments
    std::uint64_t packet = 0,
                  queue = 0;  // addresses of the packet itself and of its queue's amd_queue_t, for kernels that ask
    std::uint64_t dispatch_id = 0;
    std::uint64_t most_instructions = 0;     // as above
    // Called once, when it has ended, by a thread of the device, on which nothing may wait for another launch. May be empty.
    std::function<void(const LaunchResult&)> completed;
};

// The upper 32 bits of flat addresses that mean a group's local data share, and a work-item's private memory.
struct FlatApertures {
    std::uint32_t group = 0, private_memory = 0;
};

struct DeviceOptions {
    std::string processor = "gfx900";        // any that `isaforge asm --target` knows
    unsigned threads = 0;                    // that run wavefronts; 0: as many as there are processors
    Engine engine = Engine::automatic;
    Checks checks;                           // what launches are watched for (slower)
};

class ComputeDevice {
public:
    // Null, with the reason in `error`, where there is no such processor.
    static std::unique_ptr<ComputeDevice> make(const DeviceOptions& options, std::string& error);
    virtual ~ComputeDevice() = default;

    virtual const std::string& processor() const = 0;
    virtual unsigned threads() const = 0;
    // How many wavefronts of one kernel live at the same time, and how many where those all wait for others that have not begun:
    // groups that wait for each other go on as long as that has room for all.
    virtual unsigned resident_wavefronts() const = 0;
    virtual unsigned most_wavefronts() const = 0;
    // How much of the local data share a group may have.
    virtual std::uint32_t most_group_bytes() const = 0;
    virtual FlatApertures flat_apertures() const = 0;

    // Memory of the caller's, which the device may use from now on, in place; what was registered there before is replaced.
    // The device finds it at the same address, or at another one. `name` stands in messages. Nothing where it worked, else
    // why not.
    virtual std::string register_memory(std::span<std::uint8_t> memory, Permissions permissions, std::string name,
                                        std::optional<std::uint64_t> address = {}) = 0;
    // By where the device finds it. When it comes back, the device does not touch these bytes any more. Launches that still
    // want to, fail.
    virtual void unregister_memory(std::uint64_t address, std::uint64_t bytes) = 0;

    // Memory of the device's, zero, aligned to 4096 bytes, with a page behind it that belongs to nobody. Null where there is
    // no room.
    virtual std::uint8_t* allocate(std::uint64_t bytes, std::string name) = 0;
    virtual void release(std::uint8_t* memory) = 0;

    // Loads a code object, linked or not, of version 2 to 5. Null, with the reason in `error`, where it is damaged, for another
    // generation, or where symbols are missing.
    virtual std::shared_ptr<const CodeObject> load(std::span<const std::uint8_t> bytes,
                                                   const CodeObjectOptions& options, std::string& error) = 0;

    // Begins a launch. Null, with the reason in `error`, where the request is none that the kernel can have.
    virtual std::shared_ptr<Launch> launch(const LaunchRequest& request, std::string& error) = 0;
    virtual std::shared_ptr<Launch> dispatch(const DispatchPacket& packet, std::string& error) = 0;

    // The same launch, to be looked at. Of `options`, those of harts, groups, memory and names are set here. Null as above. What
    // the device allocates, registers or loads later is not seen.
    virtual std::unique_ptr<Inspection> inspect(const LaunchRequest& request, MachineOptions options,
                                                std::string& error) = 0;

    virtual EngineFigures engine_figures() const = 0;

    // With checks: what was found in all launches so far, by rising addresses of instructions. `group` counts the launch's groups,
    // first along x, and `hart` the wavefronts of one.
    virtual std::vector<Finding> findings() const = 0;
    // With checks: what lies there has no value until a kernel has written it. Without it, all memory but the private one has.
    virtual void note_unwritten(std::span<const std::uint8_t> memory) = 0;
    // With checks: kernels order their accesses there in ways that are not to be seen, such as lists of a runtime's own.
    virtual void note_unordered(std::span<const std::uint8_t> memory) = 0;
    // What had no value has got one from somebody who is no kernel.
    virtual void note_written(std::span<const std::uint8_t> memory) = 0;
};

}  // namespace isaforge
