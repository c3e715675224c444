// The compiler as the machine sees it: what it is given, and what it gives back. It makes host code of *regions*, sets of
// instructions of a program that lead to each other, and lies in a plug-in that is loaded when a program runs long enough:
// nothing here needs it.
//
// A compiled region is entered like a handler and left like one, so that it and the interpreter take turns at any end of an
// instruction. While it runs, registers and the counts are in host registers; the block of registers and the core hold
// what the interpreter would have put there wherever somebody may look: behind the region, in a fault, at the instruction
// at which a run is to stop.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ir/graph.hpp"
#include "machine/layout.hpp"
#include "machine/micro_op.hpp"

namespace isaforge::machine {

// An operation on one lane that is left to ir::compute.
struct Computation {
    ir::Op op;
    ir::Type operand, result;
    ir::FloatMode mode;
};

// Addresses that may be accessed at once, as compiled code keeps them at hand: so many bytes as an access has, at `first` and
// at each of `room` addresses from there on.
struct Stretch {
    std::uint64_t first = 0, room = 0;
    std::uint8_t* bytes = nullptr;
};
// An access in compiled code. Of its stretches, a number for each memory, kind of access and size, it uses the one of that
// number.
struct AccessSite {
    Index space = 0;
    std::uint32_t bytes = 0, stretch = 0, stretches = 0;
};
// Of its stretches, the one that an access uses is that around the address in this table of pages, without room where there
// is none. The others are forgotten where tables may have changed.
void find_stretch(const PageEntry* pages, std::uint64_t address, const AccessSite& access, bool changed,
                  Stretch* stretches);

// A result that may be under way at an instruction, to land after `delay` more.
struct LateSite {
    unsigned delay = 0;
    std::uint32_t offset = 0;             // of the register, or LateResult::to_pc
    bool any_offset = false;              // some register's of a file: from `offset` on …
    std::uint32_t end = 0;                // … to before this
    std::uint32_t port = 0;               // see LateResult
    bool always = false;                  // else it may be missing
    std::optional<std::uint64_t> target;  // to_pc: the value that it has, where code relies on that
};
// In the order in which they land.
using LateShape = std::vector<LateSite>;
// What a site has when it is not missing.
struct LateValue {
    std::uint64_t value = 0;
    std::uint32_t offset = 0, origin = 0;
    std::uint8_t valid = 0;
};

// How memory is updated: not at all; between two calls; or by the code itself, for the stretch has the place now.
enum class UpdateWay : std::uint8_t { refused, locked, at_hand };

// What compiled code calls. `raw` of an access are its bytes, the first one lowest; it is refused with the reason in the
// core, where the count was put before. Compiled code counts accesses that were done; its stretches are brought up to date.
struct Callouts {
    Handler end = nullptr, end_jump = nullptr;
    void (*raise)(const MicroOp*, Core*, std::uint64_t count, std::uint64_t pending, StopReason) = nullptr;
    bool (*load)(Core*, const AccessSite*, std::uint64_t address, std::uint64_t* raw, Stretch*) = nullptr;
    bool (*store)(Core*, const AccessSite*, std::uint64_t address, std::uint64_t raw, Stretch*) = nullptr;
    // The same for the lanes of a mask, in their order; values lie side by side, as they lie in memory. Lanes before one that is
    // refused are counted here.
    bool (*load_lanes)(Core*, const AccessSite*, const std::uint64_t* addresses, std::uint64_t mask,
                       std::uint8_t* values, Stretch*) = nullptr;
    bool (*store_lanes)(Core*, const AccessSite*, const std::uint64_t* addresses, std::uint64_t mask,
                        const std::uint8_t* values, Stretch*) = nullptr;
    // Puts something else where something lies, which nobody else touches between the two.
    UpdateWay (*update_begin)(Core*, const AccessSite*, std::uint64_t address, std::uint64_t* raw, Stretch*) = nullptr;
    bool (*update_end)(Core*, const AccessSite*, std::uint64_t address, std::uint64_t raw, Stretch*) = nullptr;
    void (*optimise)(ir::Graph&) = nullptr;
    // Interprets one instruction, which begins at `op` with that handler. Gives the operation that the next one begins with, to
    // go on there with the core's count; null where the run has to be looked after first.
    const MicroOp* (*interpret)(const MicroOp* op, Handler run, Core*, std::uint64_t count) = nullptr;
    std::uint64_t (*compute)(const Computation*, std::uint64_t, std::uint64_t, std::uint64_t) = nullptr;
    // Puts results under way, and gives what is pending then. The offset is that of the site unless it may be any.
    std::uint64_t (*land_later)(Core*, std::uint64_t count, const LateShape*, const LateValue*) = nullptr;
    // Takes what is under way where a region is entered. False where something else is than the shape says.
    bool (*take_under_way)(Core*, std::uint64_t count, std::uint64_t pending, const LateShape*, LateValue*) = nullptr;
};

// The functions that a machine has for these.
Callouts machine_callouts();

// What holds for all regions of a machine.
struct CompilerTarget {
    const Isa* isa = nullptr;
    const Layout* layout = nullptr;  // of registers
    bool aligned = false;            // accesses must be
    bool shared = false;             // other harts access memory at the same time
    bool tail_calls = ISAFORGE_TAIL_CALLS != 0;
    std::vector<std::uint32_t> ports;  // of each register file, what a write adds to the counts: see Core::port_limits
    Callouts callouts;
};

// One instruction at its place; or, where the compiler puts them together, several that follow each other.
struct Unit {
    std::uint64_t address = 0, next_address = 0;
    const ir::Graph* graph = nullptr;    // the entry takes nothing; no mode is open
    const MicroOp* op = nullptr;         // where the interpreter begins it
    Handler run = nullptr;               // what that operation does when it is not the way into compiled code
    std::vector<std::uint64_t> targets;  // where it went lately, if it computes that
    struct Part {
        std::uint64_t address = 0;
        const MicroOp* op = nullptr;
    };
    std::vector<Part> parts;  // of several: each; `at` in the graph names one of them where it begins

    std::size_t count() const { return parts.empty() ? 1 : parts.size(); }
    std::size_t operations() const {
        std::size_t sum = 0;
        for (const ir::Block& block : graph->blocks) sum += block.body.size() + 1;
        return sum;
    }
};

// What compiling takes rises faster than the number of operations. An instruction of more than these is left to the
// interpreter, which takes so long for it that code would not be much faster; a region with more than those of others ends.
inline constexpr std::size_t most_operations_of_unit = 2'500, most_operations_of_region = 20'000;

struct CodeRegion {
    std::vector<Unit> units;
    std::vector<std::size_t> entries;  // units where it may begin
    LateShape under_way;               // at the first unit when the run came there: an example
};

// The results that the interpreter has under way.
LateShape results_under_way(const Core& core, std::uint64_t count, std::uint64_t pending);

// Host code. It is freed with this; nothing may be running in it.
class CompiledRegion {
public:
    virtual ~CompiledRegion() = default;

    std::vector<Handler> entries;  // as CodeRegion::entries; they may be called for any operation
    std::vector<bool> compiled;    // units of which there is code; the interpreter goes on at the others
    double seconds = 0;            // that compiling took
    std::size_t code_bytes = 0;
};

class Compiler {
public:
    virtual ~Compiler() = default;
    // Null where none of the entries can be compiled. For any thread; graphs and operations are not kept, but for the
    // operations' addresses.
    virtual std::unique_ptr<CompiledRegion> compile(const CodeRegion& region) = 0;
};

// Rises with every change of what stands above: a plug-in of another build is not used.
inline constexpr std::uint32_t compiler_version = 7;
inline constexpr const char* compiler_library = "libisaforge-jit.so";
inline constexpr const char* compiler_symbol = "isaforge_make_compiler";
using MakeCompiler = Compiler* (*)(std::uint32_t version, const CompilerTarget* target);

// Loads the plug-in; an empty path is one that was not found. Null, with what is missing, where there is none.
std::unique_ptr<Compiler> load_compiler(const std::string& path, const CompilerTarget& target, std::string& error);

}  // namespace isaforge::machine
