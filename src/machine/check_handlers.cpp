// Handlers by which instructions tell the checker what they do.
#include <algorithm>
#include <array>

#include "machine/checker.hpp"
#include "machine/state.hpp"
#include "support/in_order.hpp"

namespace isaforge::machine {

namespace {

Machine::State& owner(Core* core) { return *static_cast<Machine::State*>(core->owner); }

LanesOf lanes_of(const MicroOp* op, const std::byte* state) {
    const CheckDetail detail = CheckDetail::of(op->detail);
    return {*instruction_of(op), detail.masked ? state + op->c : nullptr, detail.lanes};
}

const std::uint64_t* addresses_of(const MicroOp* op, const std::byte* state) {
    return reinterpret_cast<const std::uint64_t*>(state + op->a);
}

// Each lane's bytes in the other order.
void turn(std::byte* values, unsigned bytes, unsigned lanes) {
    for (unsigned lane = 0; lane < lanes; ++lane) std::reverse(values + lane * bytes, values + (lane + 1) * bytes);
}

// What handlers do. Apart from these, for what has variables of its own in memory is not left for the next operation without a
// return; each would take room on the stack.

[[gnu::noinline]] void tell_access(const MicroOp* op, std::byte* state, Core* core) {
    const LanesOf lanes = lanes_of(op, state);
    if (lanes.lanes == 1) store(state, op->result, 0);
    Machine::State& hart = owner(core);
    hart.system->checker->access(hart, lanes, CheckDetail::of(op->detail).object, ir::AccessKind::of(op->b),
                                 addresses_of(op, state), reinterpret_cast<std::uint8_t*>(state + op->result));
}

[[gnu::noinline]] void load_shadows(const MicroOp* op, std::byte* state, Core* core) {
    const LanesOf lanes = lanes_of(op, state);
    const CheckDetail detail = CheckDetail::of(op->detail);
    std::array<std::byte, 8> single{};
    std::byte* const to = lanes.lanes == 1 ? single.data() : state + op->result;
    Machine::State& hart = owner(core);
    hart.system->checker->load(hart, lanes, detail.object, detail.bytes, addresses_of(op, state), to);
    if (detail.big) turn(to, detail.bytes, lanes.lanes);
    if (lanes.lanes == 1) std::memcpy(state + op->result, single.data(), single.size());
}

[[gnu::noinline]] void store_shadows(const MicroOp* op, const std::byte* state, Core* core) {
    const LanesOf lanes = lanes_of(op, state);
    const CheckDetail detail = CheckDetail::of(op->detail);
    Machine::State& hart = owner(core);
    std::array<std::byte, 8 * ir::most_lanes> turned;
    const std::byte* from = state + op->b;
    if (detail.big) {
        std::memcpy(turned.data(), from, std::size_t{detail.bytes} * lanes.lanes);
        turn(turned.data(), detail.bytes, lanes.lanes);
        from = turned.data();
    }
    hart.system->checker->store(hart, lanes, detail.object, detail.bytes, addresses_of(op, state), from);
}

// Whether all bytes are the same: what is mostly so of a value is seen of all its lanes at once.
bool are_all(const std::byte* bytes, std::size_t count, std::byte wanted) {
    std::uint64_t differ = 0;
    const std::uint64_t eight = std::to_integer<std::uint64_t>(wanted) * 0x0101'0101'0101'0101u;
    std::size_t at = 0;
    for (std::uint64_t here = 0; at + sizeof here <= count; at += sizeof here) {
        std::memcpy(&here, bytes + at, sizeof here);
        differ |= here ^ eight;
    }
    for (; at < count; ++at) differ |= std::to_integer<std::uint64_t>(bytes[at] ^ wanted);
    return differ == 0;
}

// The lanes that act and that `has` says yes of; `any`: whether there are some, which may have no bit.
template <class Has>
std::uint64_t lanes_where(const MicroOp* op, const std::byte* state, bool& any, Has&& has) {
    const CheckDetail detail = CheckDetail::of(op->detail);
    std::uint64_t some = 0;
    any = false;
    for (unsigned lane = 0; lane < detail.lanes; ++lane) {
        if ((detail.masked && state[op->c + lane] == std::byte{0}) || !has(lane)) continue;
        any = true;
        some |= lane < 64 ? std::uint64_t{1} << lane : 0;
    }
    return some;
}

[[gnu::noinline]] void tell_use(const MicroOp* op, const std::byte* state, Core* core, std::uint64_t count) {
    const CheckDetail detail = CheckDetail::of(op->detail);
    const unsigned bytes = detail.bytes;
    if (are_all(state + op->a, std::size_t{bytes} * detail.lanes, std::byte{0})) return;
    bool any = false;
    const std::uint64_t some = lanes_where(op, state, any, [&](unsigned lane) {
        std::uint64_t shadow = 0;
        std::memcpy(&shadow, state + op->a + std::size_t{lane} * bytes, bytes);
        return shadow != 0;
    });
    if (!any) return;
    core->count = count;
    Machine::State& hart = owner(core);
    hart.system->checker->use(hart, lanes_of(op, state), static_cast<ir::Decides>(op->b),
                              hart.system->text_of_signal(op->result), some);
}

[[gnu::noinline]] void tell_what_fails(const MicroOp* op, const std::byte* state, Core* core, std::uint64_t count) {
    if (are_all(state + op->a, CheckDetail::of(op->detail).lanes, std::byte{1})) return;
    bool any = false;
    const std::uint64_t some =
        lanes_where(op, state, any, [&](unsigned lane) { return state[op->a + lane] == std::byte{0}; });
    if (!any) return;
    core->count = count;
    Machine::State& hart = owner(core);
    hart.system->checker->that(hart, lanes_of(op, state), hart.system->text_of_signal(op->result), some);
}

// Also for who comes to a barrier and has not waited.
bool follows_counters(const Checks& checks) { return checks.waits || checks.races; }

[[gnu::noinline]] void tell_wait(const MicroOp* op, const std::byte* state, Core* core) {
    Machine::State& hart = owner(core);
    Checker& checker = *hart.system->checker;
    if (follows_counters(checker.checks()))
        checker.wait(hart, hart.system->text_of_signal(op->result), load<std::uint64_t>(state, op->a));
}

[[gnu::noinline]] void tell_step(const MicroOp* op, const std::byte* state, Core* core) {
    Machine::State& hart = owner(core);
    Checker& checker = *hart.system->checker;
    const Checks& checks = checker.checks();
    if (checks.waits || checks.hazards || checks.bounds)
        checker.step(hart, {*instruction_of(op), state + op->a, CheckDetail::of(op->detail).lanes});
}

[[gnu::noinline]] void tell_arrival(const MicroOp* op, const std::byte* state, Core* core) {
    Machine::State& hart = owner(core);
    Checker& checker = *hart.system->checker;
    if (follows_counters(checker.checks()) && state[op->a] != std::byte{0})
        checker.arrive(hart, *instruction_of(op), hart.system->text_of_signal(op->result), op->b != 0);
}

[[gnu::noinline]] void tell_kind(const MicroOp* op, const std::byte* state, Core* core) {
    if (state[op->a] == std::byte{0}) return;
    Machine::State& hart = owner(core);
    (op->b != 0 ? hart.checked.private_at : hart.checked.coherent_at) = hart.core.count;
}

}  // namespace

MicroOp::Detail CheckDetail::packed() const {
    return {object | bytes << 8 | (big ? 0x10000u : 0) | (masked ? 0x20000u : 0), lanes};
}

CheckDetail CheckDetail::of(const MicroOp::Detail& detail) {
    return {detail.n & 0xff, detail.n >> 8 & 0xff, detail.more, (detail.n & 0x10000) != 0, (detail.n & 0x20000) != 0};
}

namespace handlers {

// a: addresses, b: what kind of access it is, c: mask; the result says where it may be done.
void check_access(ISAFORGE_HANDLER_PARAMETERS) {
    core->count = count;
    tell_access(op, state, core);
    ISAFORGE_NEXT;
}

// a: addresses, c: mask, likewise below.
void check_load(ISAFORGE_HANDLER_PARAMETERS) {
    load_shadows(op, state, core);
    ISAFORGE_NEXT;
}

// b: the shadows.
void check_store(ISAFORGE_HANDLER_PARAMETERS) {
    core->count = count;
    store_shadows(op, state, core);
    ISAFORGE_NEXT;
}

// a: the shadow, b: what it decides; result: the machine's number of the text that says where it may come from.
void check_use(ISAFORGE_HANDLER_PARAMETERS) {
    tell_use(op, state, core, count);
    ISAFORGE_NEXT;
}

// a: what should hold; result: the number of the text that is said else.
void check_that(ISAFORGE_HANDLER_PARAMETERS) {
    tell_what_fails(op, state, core, count);
    ISAFORGE_NEXT;
}

// a: how many may be left; result: the number of the counter's text.
void check_wait(ISAFORGE_HANDLER_PARAMETERS) {
    tell_wait(op, state, core);
    ISAFORGE_NEXT;
}

// a: the lanes that act.
void check_step(ISAFORGE_HANDLER_PARAMETERS) {
    core->count = count;
    tell_step(op, state, core);
    ISAFORGE_NEXT;
}

// a: whether they are, b: of private memory instead of coherent.
void check_kind(ISAFORGE_HANDLER_PARAMETERS) {
    core->count = count;
    tell_kind(op, state, core);
    ISAFORGE_NEXT;
}

// a: whether it does, b: in order; result: the number of the counter's text.
void check_arrival(ISAFORGE_HANDLER_PARAMETERS) {
    core->count = count;
    tell_arrival(op, state, core);
    ISAFORGE_NEXT;
}

}  // namespace handlers
}  // namespace isaforge::machine
