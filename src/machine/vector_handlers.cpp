// Handlers of the operations on many lanes: each is one tight loop over packed containers, which the compiler turns
// into vector instructions where the host has them. `detail.n` is the number of lanes.
#include <algorithm>

#include "machine/micro_op.hpp"
#include "semantics/kernels.hpp"

// Operand and result may be the same vector, never shifted ones: lanes do not depend on each other.
#if defined(__clang__)
#define ISAFORGE_LANE_LOOP _Pragma("clang loop vectorize(assume_safety)")
#else
#define ISAFORGE_LANE_LOOP _Pragma("GCC ivdep")
#endif

namespace isaforge::machine {

namespace {

using ir::Op;

template <class T>
T* lanes_at(std::byte* state, std::uint32_t offset) {
    return reinterpret_cast<T*>(state + offset);
}

// The same code for every host and for those with wider vectors and a fused multiplication.
// NOLINTBEGIN(bugprone-macro-parentheses)
#define ISAFORGE_COMPUTE_LANES(name, target)                                                                \
    template <class Kernel, class T, unsigned operands>                                                     \
    target void name(ISAFORGE_HANDLER_PARAMETERS) {                                                         \
        using In = typename Kernel::template In<T>;                                                         \
        using Out = typename Kernel::template Out<T>;                                                       \
        const FloatRules rules = core->rules;                                                               \
        const In* a = lanes_at<In>(state, op->a);                                                           \
        const In* b = operands > 1 ? lanes_at<In>(state, op->b) : a;                                        \
        const In* c = operands > 2 ? lanes_at<In>(state, op->c) : a;                                        \
        Out* result = lanes_at<Out>(state, op->result);                                                     \
        const std::size_t n = op->detail.n;                                                                 \
        ISAFORGE_LANE_LOOP                                                                                  \
        for (std::size_t i = 0; i < n; ++i) result[i] = Kernel::template apply<T>(a[i], b[i], c[i], rules); \
        ISAFORGE_NEXT;                                                                                      \
    }
// NOLINTEND(bugprone-macro-parentheses)

ISAFORGE_COMPUTE_LANES(compute_lanes, )
#if defined(__x86_64__)
ISAFORGE_COMPUTE_LANES(compute_lanes_widely, __attribute__((target("avx2,fma,f16c,bmi,bmi2,lzcnt,popcnt"))))

bool is_wide_host() {
    static const bool found = __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0 &&
                              __builtin_cpu_supports("bmi2") != 0;
    return found;
}

template <class Kernel, class T, unsigned operands>
Handler lanes_of() {
    return is_wide_host() ? compute_lanes_widely<Kernel, T, operands> : compute_lanes<Kernel, T, operands>;
}
#else
template <class Kernel, class T, unsigned operands>
Handler lanes_of() {
    return compute_lanes<Kernel, T, operands>;
}
#endif

template <class Kernel, unsigned operands>
Handler integer_lanes(unsigned container) {
    switch (container) {
        case 8: return lanes_of<Kernel, std::uint8_t, operands>();
        case 16: return lanes_of<Kernel, std::uint16_t, operands>();
        case 32: return lanes_of<Kernel, std::uint32_t, operands>();
        default: return lanes_of<Kernel, std::uint64_t, operands>();
    }
}

template <class Kernel, unsigned operands>
Handler float_lanes(unsigned container) {
    switch (container) {
        case 16: return lanes_of<Kernel, std::uint16_t, operands>();
        case 32: return lanes_of<Kernel, std::uint32_t, operands>();
        case 64: return lanes_of<Kernel, std::uint64_t, operands>();
        default: return nullptr;
    }
}

// A handler template's instance for a container. The argument is a template's name, which parentheses would spoil.
// NOLINTBEGIN(bugprone-macro-parentheses)
#define ISAFORGE_BY_CONTAINER(container, handler) \
    switch (container) {                          \
        case 8: return handler<std::uint8_t>;     \
        case 16: return handler<std::uint16_t>;   \
        case 32: return handler<std::uint32_t>;   \
        default: return handler<std::uint64_t>;   \
    }
// NOLINTEND(bugprone-macro-parentheses)

template <class From, class To>
void resize_lanes(ISAFORGE_HANDLER_PARAMETERS) {
    const From* a = lanes_at<From>(state, op->a);
    To* result = lanes_at<To>(state, op->result);
    const std::size_t n = op->detail.n;
    ISAFORGE_LANE_LOOP
    for (std::size_t i = 0; i < n; ++i) result[i] = static_cast<To>(a[i]);
    ISAFORGE_NEXT;
}

template <class From>
Handler resize_from(unsigned to) {
    switch (to) {
        case 8: return resize_lanes<From, std::uint8_t>;
        case 16: return resize_lanes<From, std::uint16_t>;
        case 32: return resize_lanes<From, std::uint32_t>;
        default: return resize_lanes<From, std::uint64_t>;
    }
}

template <class T>
void splat_lanes(ISAFORGE_HANDLER_PARAMETERS) {
    const T value = load<T>(state, op->a);
    T* result = lanes_at<T>(state, op->result);
    const std::size_t n = op->detail.n;
    for (std::size_t i = 0; i < n; ++i) result[i] = value;
    ISAFORGE_NEXT;
}

template <class T>
void number_lanes(ISAFORGE_HANDLER_PARAMETERS) {
    T* result = lanes_at<T>(state, op->result);
    for (std::size_t i = 0; i < op->detail.n; ++i) result[i] = static_cast<T>(i);
    ISAFORGE_NEXT;
}

template <class T>
void pick_lane(ISAFORGE_HANDLER_PARAMETERS) {
    store(state, op->result, lanes_at<T>(state, op->a)[load<std::uint64_t>(state, op->b) % op->detail.n]);
    ISAFORGE_NEXT;
}

// The result never is the vector it is chosen from.
template <class T>
void permute_lanes(ISAFORGE_HANDLER_PARAMETERS) {
    const T* a = lanes_at<T>(state, op->a);
    const std::uint32_t* from = lanes_at<std::uint32_t>(state, op->b);
    T* result = lanes_at<T>(state, op->result);
    const std::uint32_t n = op->detail.n;
    for (std::size_t i = 0; i < n; ++i) result[i] = a[from[i] % n];
    ISAFORGE_NEXT;
}

struct Or {
    static constexpr std::uint64_t begin = 0;
    template <class T>
    static T combine(T a, T b) {
        return a | b;
    }
};
struct And {
    static constexpr std::uint64_t begin = ~std::uint64_t{0};
    template <class T>
    static T combine(T a, T b) {
        return a & b;
    }
};
struct Sum {
    static constexpr std::uint64_t begin = 0;
    template <class T>
    static T combine(T a, T b) {
        return static_cast<T>(a + b);
    }
};

template <class How, class T>
void reduce_lanes(ISAFORGE_HANDLER_PARAMETERS) {
    const T* a = lanes_at<T>(state, op->a);
    T result = static_cast<T>(How::begin);
    const std::size_t n = op->detail.n;
    for (std::size_t i = 0; i < n; ++i) result = How::template combine<T>(result, a[i]);
    store(state, op->result, result);
    ISAFORGE_NEXT;
}

template <class How>
Handler reduce_by(unsigned container) {
    switch (container) {
        case 8: return reduce_lanes<How, std::uint8_t>;
        case 16: return reduce_lanes<How, std::uint16_t>;
        case 32: return reduce_lanes<How, std::uint32_t>;
        default: return reduce_lanes<How, std::uint64_t>;
    }
}

}  // namespace

Handler vector_handler(Op wanted, unsigned container) {
    switch (wanted) {
#define X(name, kernel, ...) \
    case Op::name: return integer_lanes<semantics::kernels::kernel, ir::operand_count(Op::name)>(container);
        ISAFORGE_IR_INTEGERS(X)
#undef X
#define X(name, kernel, ...) \
    case Op::name: return float_lanes<semantics::kernels::kernel, ir::operand_count(Op::name)>(container);
        ISAFORGE_IR_FLOATS(X)
#undef X
        default: return nullptr;
    }
}

namespace handlers {

Handler resize_vector(unsigned from, unsigned to) {
    switch (from) {
        case 8: return resize_from<std::uint8_t>(to);
        case 16: return resize_from<std::uint16_t>(to);
        case 32: return resize_from<std::uint32_t>(to);
        default: return resize_from<std::uint64_t>(to);
    }
}

Handler splat(unsigned container){ISAFORGE_BY_CONTAINER(container, splat_lanes)} Handler
    lane_number(unsigned container){ISAFORGE_BY_CONTAINER(container, number_lanes)} Handler
    pick(unsigned container){ISAFORGE_BY_CONTAINER(container, pick_lane)} Handler
    permute(unsigned container){ISAFORGE_BY_CONTAINER(container, permute_lanes)}

Handler reduce(Op wanted, unsigned container) {
    if (wanted == Op::reduce_or) return reduce_by<Or>(container);
    return wanted == Op::reduce_and ? reduce_by<And>(container) : reduce_by<Sum>(container);
}

void ballot(ISAFORGE_HANDLER_PARAMETERS) {
    const std::uint8_t* a = lanes_at<std::uint8_t>(state, op->a);
    std::uint64_t result = 0;
    for (std::size_t i = 0; i < op->detail.n; ++i) result |= std::uint64_t{a[i]} << i;
    machine::store(state, op->result, result);
    ISAFORGE_NEXT;
}

void spread(ISAFORGE_HANDLER_PARAMETERS) {
    const std::uint64_t bits = machine::load<std::uint64_t>(state, op->a);
    std::byte* result = state + op->result;
    const std::size_t n = op->detail.n;
    for (std::size_t i = 0; i < n; i += 8) {  // a byte's bits in eight lanes
        const std::uint64_t eight = i < 64 ? bits >> i & 0xff : 0;
        const std::uint64_t chosen = eight * 0x0101010101010101 & 0x8040201008040201;
        const std::uint64_t lanes = (chosen + 0x7f7f7f7f7f7f7f7f) >> 7 & 0x0101010101010101;
        std::memcpy(result + i, &lanes, std::min<std::size_t>(8, n - i));
    }
    ISAFORGE_NEXT;
}

}  // namespace handlers
}  // namespace isaforge::machine
