// The micro-operations that the emulator executes, and the state they work on.
//
// Everything that can be an operand lies in one block of bytes: registers, scratch values and constants. A scalar takes
// eight bytes, zero-extended; a vector is packed by container, 64-byte aligned. A micro-operation names its operands by
// their offsets in the block, so that one handler serves registers, constants and intermediate results alike.
//
// A handler ends by calling the next one in tail position: what a dispatch loop would keep in variables (the block, the
// instruction count, the late results under way) stays in registers. Where the compiler does not promise to turn such
// calls into jumps, handlers return to a loop instead (ISAFORGE_TAIL_CALLS 0).
//
// Little-endian hosts only: a narrow read of a scalar's eight bytes finds its low part first.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "ir/operations.hpp"
#include "isaforge/machine.hpp"
#include "machine/page_table.hpp"

static_assert(std::endian::native == std::endian::little);

#if !defined(ISAFORGE_TAIL_CALLS)
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || !defined(__OPTIMIZE__)
#define ISAFORGE_TAIL_CALLS 0
#else
#define ISAFORGE_TAIL_CALLS 1
#endif
#endif

#if ISAFORGE_TAIL_CALLS && defined(__clang__)
#define ISAFORGE_MUST_TAIL __attribute__((musttail))
#else
#define ISAFORGE_MUST_TAIL
#endif

namespace isaforge::machine {

struct MicroOp;
struct Core;
struct Instruction;

#define ISAFORGE_HANDLER_PARAMETERS                                                             \
    [[maybe_unused]] const ::isaforge::machine::MicroOp *op, [[maybe_unused]] std::byte *state, \
        [[maybe_unused]] ::isaforge::machine::Core *core, [[maybe_unused]] std::uint64_t count, \
        [[maybe_unused]] std::uint64_t pending
#define ISAFORGE_HANDLER_ARGUMENTS op, state, core, count, pending

using Handler = void (*)(ISAFORGE_HANDLER_PARAMETERS);

// Operations are shared by harts on threads: what one changes while others execute it, it changes at once, and behind all
// that it leads to.
template <class T>
T get_shared(const T& place) {
#if defined(__SANITIZE_THREAD__)
    return __atomic_load_n(&place, __ATOMIC_ACQUIRE);
#else
    return place;   // compilers make atomic loads instructions of their own
#endif
}
template <class T>
void put_shared(T& place, T value) {
    __atomic_store_n(&place, value, __ATOMIC_RELEASE);
}

struct MicroOp {
    Handler run = nullptr;                          // null: a mark, in front of an instruction's operations
    std::uint32_t result = 0, a = 0, b = 0, c = 0;  // offsets in the block; else as the handler says
    struct Detail {
        std::uint32_t n, more;                      // as the handler says
    };
    union {
        Detail detail = {0, 0};
        mutable const MicroOp* link;                // ends of instructions: the next one; null: not yet known
        Instruction* owner;                         // of a mark, whose a and b are the halves of its address, high and low
    };
};
static_assert(sizeof(MicroOp) == 24 + sizeof(void*));

// What `detail` says of operations for the checker.
struct CheckDetail {
    std::uint32_t object = 0, bytes = 0, lanes = 1;   // bytes of a lane
    bool big = false, masked = false;

    MicroOp::Detail packed() const;
    static CheckDetail of(const MicroOp::Detail& detail);
};

// What `detail` says of a float operation that is done in integer arithmetic.
struct SoftDetail {
    std::uint32_t lanes = 1, operand_bits = 64, result_bits = 64;
    ir::Op op{};
    Rounding rounding{};
    std::uint32_t raised_by = 0;  // see ir::FloatMode

    MicroOp::Detail packed() const;
    static SoftDetail of(const MicroOp::Detail& detail);
};

// A result that lands after a later instruction.
struct LateResult {
    static constexpr std::uint32_t to_pc = ~std::uint32_t{0};
    std::uint32_t offset = 0;      // of the register, or to_pc
    std::uint32_t port = 0;        // what it adds to the counts of writes, see Core::port_limits
    std::uint32_t origin = 0;      // address of the instruction that computed it
    std::uint64_t value = 0;
};

// Memories that instructions can name.
inline constexpr std::size_t max_spaces = 64;

inline constexpr unsigned ring_size = 64;
inline constexpr unsigned max_landings = 12;   // six, and their shadows

// What lands after one instruction. `used` counts only while the slot's bit in `pending` is set.
struct LandingSlot {
    std::uint32_t used = 0;
    LateResult results[max_landings];
};

// Where the instruction at an address begins, if that was looked for lately.
struct JumpSlot {
    std::uint64_t address = 0;
    const MicroOp* op = nullptr;
};
inline constexpr std::uint64_t jump_slots = 1024;
inline std::uint64_t jump_slot(std::uint64_t address) { return (address ^ address >> 10) % jump_slots; }

class Bus;

// A load or store of one lane, for traces and watchpoints. The value is the number, not its bytes as they lie in memory.
struct AccessNote {
    Index memory;
    std::uint64_t address;
    std::uint64_t value;
    unsigned bits;
    bool is_store;
};

// Writes to files with few ports are counted in four bits for each such file, of which the highest stays free.
inline constexpr unsigned max_limited_files = 8;
inline constexpr unsigned max_ports = 7;

// The count at which a run returns. Another hart may set it to 0, for a hart to look up at the end of its instruction. It is
// read at each of these, as a part of the comparison: compilers make atomic loads instructions of their own.
class StopCount {
public:
    operator std::uint64_t() const {
#if defined(__SANITIZE_THREAD__)
        return __atomic_load_n(&value_, __ATOMIC_RELAXED);
#else
        return value_;
#endif
    }
    StopCount& operator=(std::uint64_t value) {
        __atomic_store_n(&value_, value, __ATOMIC_RELAXED);
        return *this;
    }
    std::uint64_t exchange(std::uint64_t value) { return __atomic_exchange_n(&value_, value, __ATOMIC_RELAXED); }
    // Where it is still `before`; gives whether it was.
    bool replace(std::uint64_t before, std::uint64_t value) {
        return __atomic_compare_exchange_n(&value_, &before, value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    }

private:
    std::uint64_t value_ = 0;
};

// What handlers need beyond what they get in registers.
struct Core {
    std::byte* state = nullptr;
    StopCount stop_at;
    FloatRules rules;
    std::uint64_t alignment = 0;       // all ones where accesses must be aligned
    std::uint64_t target = 0;          // address of the next instruction, for those that set pc at once
    LandingSlot ring[ring_size];       // by instruction count, modulo
    std::uint32_t port_limits[max_limited_files] = {};
    std::uint32_t port_bias = 0;       // added to counts of writes, a file's high bit says that it has too many
    std::uint32_t ports_noted = 0;     // writes counted while the instruction of `ports_noted_at` ran
    std::uint64_t ports_noted_at = ~std::uint64_t{0};
    std::vector<std::uint64_t> signal_counts;
    std::vector<AccessNote>* notes = nullptr;  // where somebody wants them
    bool skipped = false;              // the last instruction's guard did not hold; kept for traces only

    // What a run ends with.
    const MicroOp* op = nullptr;       // the next to run; null: return to the caller
    std::uint64_t count = 0, pending = 0;
    const MicroOp* next = nullptr;     // the instruction to go on with
    const MicroOp* onward = nullptr;   // where the instruction that ends leads, on the way to finish_jump_slowly
    StopReason reason = StopReason::running;
    const MicroOp* fault = nullptr;
    std::uint64_t fault_address = 0;
    std::uint64_t fault_other = 0;     // the other instruction of a collision
    unsigned fault_bits = 0;
    Index fault_space = 0;
    bool stopping = false;

    std::uint64_t mode_values[max_modes] = {};     // what set_mode last wrote
    std::uint64_t event_values[2] = {};            // of the event that is being handled
    std::uint64_t host_arguments[6] = {};

    // By space: the tables for accesses at once.
    const PageEntry* load_pages[max_spaces] = {};
    const PageEntry* store_pages[max_spaces] = {};
    const PageEntry* main_load_pages = nullptr;    // those of System::main once more: most accesses go there
    const PageEntry* main_store_pages = nullptr;
    Bus* bus = nullptr;
    const JumpSlot* jumps = nullptr;
    const MicroOp* outside = nullptr;              // what resolve() gives for addresses without code: never to be kept
    void (*code_written)(Core& core, std::uint64_t address, unsigned bytes) = nullptr;
    std::uint64_t counters[4] = {};                // by ir::Counter; `instructions` is `count`
    std::uint64_t cycles = 0;                      // that instructions and events took, where they are counted
    std::uint64_t time_base = 0;                   // with `count` the machine's time
    std::uint32_t hart = 0, harts = 1, group = 0, groups = 1;  // as the program sees them
    std::uint32_t slot = 0;                        // which of those that live at the same time this hart is
    bool waiting = false;                          // the hart sleeps until an interrupt is waiting
    bool at_barrier = false;                       // it has come to one, see Group
    bool yields = false;                           // its turn ends with this instruction …
    bool stalls = false;                           // … which did nothing but find that others have to do something first

    // Finds or translates the instruction at an address. Never null: what cannot run is an operation that says so.
    const MicroOp* (*resolve)(Core& core, std::uint64_t address) = nullptr;
    // Called when mode_values may have changed, before the next instruction is looked for.
    void (*modes_changed)(Core& core) = nullptr;
    // The count at which breakpoints do not stop.
    std::uint64_t passes_at = ~std::uint64_t{0};
    std::uint64_t left_at = 0;         // the count at which compiled code was left because the run is to stop soon
    void* owner = nullptr;
};

template <class T>
T load(const std::byte* state, std::uint32_t offset) {
    T value;
    std::memcpy(&value, state + offset, sizeof value);
    return value;
}

inline void store(std::byte* state, std::uint32_t offset, std::uint64_t value) {
    std::memcpy(state + offset, &value, sizeof value);
}

// Room for a result that lands after `delay` more instructions; null where too many land there already.
inline LateResult* new_landing(Core& core, std::uint64_t count, std::uint64_t& pending, unsigned delay) {
    LandingSlot& slot = core.ring[(count + delay) % ring_size];
    std::uint64_t bit = std::uint64_t{1} << delay;
    if ((pending & bit) == 0) slot.used = 0;
    pending |= bit;
    return slot.used < max_landings ? &slot.results[slot.used++] : nullptr;
}

#if ISAFORGE_TAIL_CALLS
#define ISAFORGE_CONTINUE_AT(next_op)                                              \
    do {                                                                           \
        op = (next_op);                                                            \
        ISAFORGE_MUST_TAIL return get_shared(op->run)(ISAFORGE_HANDLER_ARGUMENTS); \
    } while (false)
#else
#define ISAFORGE_CONTINUE_AT(next_op) \
    do {                              \
        core->op = (next_op);         \
        core->count = count;          \
        core->pending = pending;      \
        return;                       \
    } while (false)
#endif

// The end of a handler that is not an instruction's last.
#define ISAFORGE_NEXT ISAFORGE_CONTINUE_AT(op + 1)

// The end of an instruction's last handler. What must be looked at now and then is in finish_slowly.
#define ISAFORGE_FINISH                                                                               \
    do {                                                                                              \
        if ((pending & 1) != 0 || count + 1 >= core->stop_at || get_shared(op->link) == nullptr)      \
            ISAFORGE_MUST_TAIL return ::isaforge::machine::finish_slowly(ISAFORGE_HANDLER_ARGUMENTS); \
        ++count;                                                                                      \
        pending >>= 1;                                                                                \
        ISAFORGE_CONTINUE_AT(get_shared(op->link));                                                   \
    } while (false)

// The same where this hart has found the next instruction, for others may find another.
#define ISAFORGE_FINISH_AT(next_op)                                                                        \
    do {                                                                                                   \
        core->onward = (next_op);                                                                          \
        if ((pending & 1) != 0 || count + 1 >= core->stop_at)                                              \
            ISAFORGE_MUST_TAIL return ::isaforge::machine::finish_jump_slowly(ISAFORGE_HANDLER_ARGUMENTS); \
        ++count;                                                                                           \
        pending >>= 1;                                                                                     \
        ISAFORGE_CONTINUE_AT(core->onward);                                                                \
    } while (false)

// The end of a handler that has done the work of the plain end after it too.
#define ISAFORGE_FINISH_NEXT \
    do {                     \
        ++op;                \
        ISAFORGE_FINISH;     \
    } while (false)

// The address behind an instruction, from the operation that ends it.
inline std::uint64_t next_address(const MicroOp* end) { return std::uint64_t{end->a} << 32 | end->b; }

// The instruction at an address if that is known already, else null.
inline const MicroOp* known_entry(const Core& core, std::uint64_t address) {
    const JumpSlot& slot = core.jumps[jump_slot(address)];
    return slot.address == address ? slot.op : nullptr;
}

// Ends the run with the instruction unfinished; pc stays on it.
void raise(const MicroOp* op, Core* core, std::uint64_t count, std::uint64_t pending, StopReason reason);

// Ends an instruction at `op`, whose c holds the counts of its writes: lands what is due, finds the next instruction.
void finish_slowly(ISAFORGE_HANDLER_PARAMETERS);
// The same, to go on at core->onward.
void finish_jump_slowly(ISAFORGE_HANDLER_PARAMETERS);

// What a handler does besides computing: nothing, or the work of the plain end that follows it, or that of a late write
// and the end after it, or that of a write to the low part of a register (its own result then) and the end after it.
enum class Tail { none, end, late_write_end, low_write_end };

// The handler for a computing operation. Null where there is none of that size, or with that tail.
Handler scalar_handler(ir::Op op, unsigned container, bool strict_floats, Tail tail);
Handler vector_handler(ir::Op op, unsigned container);

// The same for floats that are not rounded to nearest, on any number of lanes.
Handler rounded_handler(ir::Op op, unsigned container);

// Tests two operands; the operations behind are the end where the test does not hold, and the end where it does.
Handler branch_handler(ir::Op op, unsigned container);

// Handlers whose operands differ from result, a, b, c as in Step are described where they are defined.
namespace handlers {

void end(ISAFORGE_HANDLER_PARAMETERS);
void end_jump(ISAFORGE_HANDLER_PARAMETERS);
void end_skipped(ISAFORGE_HANDLER_PARAMETERS);
void leave_if_zero(ISAFORGE_HANDLER_PARAMETERS);
void jump(ISAFORGE_HANDLER_PARAMETERS);
void jump_if_zero(ISAFORGE_HANDLER_PARAMETERS);
void set_target(ISAFORGE_HANDLER_PARAMETERS);
void late_write(ISAFORGE_HANDLER_PARAMETERS);
void late_write_end(ISAFORGE_HANDLER_PARAMETERS);
void late_write_indexed(ISAFORGE_HANDLER_PARAMETERS);
void late_pc(ISAFORGE_HANDLER_PARAMETERS);
void late_pc_end(ISAFORGE_HANDLER_PARAMETERS);
void note_ports(ISAFORGE_HANDLER_PARAMETERS);
void stop(ISAFORGE_HANDLER_PARAMETERS);
void signal(ISAFORGE_HANDLER_PARAMETERS);
void fault(ISAFORGE_HANDLER_PARAMETERS);
void breakpoint(ISAFORGE_HANDLER_PARAMETERS);
void copy_scalar(ISAFORGE_HANDLER_PARAMETERS);
void copy_scalar_end(ISAFORGE_HANDLER_PARAMETERS);
void copy_bytes(ISAFORGE_HANDLER_PARAMETERS);
void read_indexed(ISAFORGE_HANDLER_PARAMETERS);
void write_indexed(ISAFORGE_HANDLER_PARAMETERS);
void write_masked(ISAFORGE_HANDLER_PARAMETERS);
void write_masked_indexed(ISAFORGE_HANDLER_PARAMETERS);
void count_execution(ISAFORGE_HANDLER_PARAMETERS);
void count_jump(ISAFORGE_HANDLER_PARAMETERS);
void count_cycles(ISAFORGE_HANDLER_PARAMETERS);

Handler load(unsigned container, bool big_endian, bool aligned, bool main);
Handler store(unsigned container, bool big_endian, bool aligned, bool main);
Handler gather(unsigned container, bool big_endian, bool masked, bool main);
Handler scatter(unsigned container, bool big_endian, bool masked, bool main);
void update_clear(ISAFORGE_HANDLER_PARAMETERS);
Handler update_begin(unsigned container, bool big_endian);
Handler update_end(unsigned container, bool big_endian);
Handler resize_scalar(unsigned container);
Handler resize_vector(unsigned from, unsigned to);
Handler splat(unsigned container);
Handler lane_number(unsigned container);
Handler pick(unsigned container);
Handler permute(unsigned container);
Handler reduce(ir::Op op, unsigned container);
void ballot(ISAFORGE_HANDLER_PARAMETERS);
void spread(ISAFORGE_HANDLER_PARAMETERS);
void branch(ISAFORGE_HANDLER_PARAMETERS);
Handler write_low(unsigned container);
void write_part_indexed(ISAFORGE_HANDLER_PARAMETERS);

void come_back(ISAFORGE_HANDLER_PARAMETERS);
void stale(ISAFORGE_HANDLER_PARAMETERS);
void fail(ISAFORGE_HANDLER_PARAMETERS);
void event_value(ISAFORGE_HANDLER_PARAMETERS);
void next_pc(ISAFORGE_HANDLER_PARAMETERS);
void hart_number(ISAFORGE_HANDLER_PARAMETERS);
void hart_count(ISAFORGE_HANDLER_PARAMETERS);
void group_number(ISAFORGE_HANDLER_PARAMETERS);
void group_count(ISAFORGE_HANDLER_PARAMETERS);
void now(ISAFORGE_HANDLER_PARAMETERS);
void code(ISAFORGE_HANDLER_PARAMETERS);
void executed(ISAFORGE_HANDLER_PARAMETERS);
void host_argument(ISAFORGE_HANDLER_PARAMETERS);
void host(ISAFORGE_HANDLER_PARAMETERS);
void wait(ISAFORGE_HANDLER_PARAMETERS);
void barrier(ISAFORGE_HANDLER_PARAMETERS);
void yield(ISAFORGE_HANDLER_PARAMETERS);
void stall(ISAFORGE_HANDLER_PARAMETERS);
void fence(ISAFORGE_HANDLER_PARAMETERS);
void lock(ISAFORGE_HANDLER_PARAMETERS);
void unlock(ISAFORGE_HANDLER_PARAMETERS);
void load_linked(ISAFORGE_HANDLER_PARAMETERS);
void store_conditional(ISAFORGE_HANDLER_PARAMETERS);
void transaction_begin(ISAFORGE_HANDLER_PARAMETERS);
void transaction_end(ISAFORGE_HANDLER_PARAMETERS);
void transaction_abort(ISAFORGE_HANDLER_PARAMETERS);
void transaction_depth(ISAFORGE_HANDLER_PARAMETERS);

void compute_softly(ISAFORGE_HANDLER_PARAMETERS);

void check_access(ISAFORGE_HANDLER_PARAMETERS);
void check_load(ISAFORGE_HANDLER_PARAMETERS);
void check_store(ISAFORGE_HANDLER_PARAMETERS);
void check_use(ISAFORGE_HANDLER_PARAMETERS);
void check_that(ISAFORGE_HANDLER_PARAMETERS);
void check_wait(ISAFORGE_HANDLER_PARAMETERS);
void check_step(ISAFORGE_HANDLER_PARAMETERS);
void check_kind(ISAFORGE_HANDLER_PARAMETERS);
void check_arrival(ISAFORGE_HANDLER_PARAMETERS);

void set_mode(ISAFORGE_HANDLER_PARAMETERS);
void end_modes(ISAFORGE_HANDLER_PARAMETERS);

}  // namespace handlers

// Runs from core.next until something stops it.
void execute(Core& core);

}  // namespace isaforge::machine
