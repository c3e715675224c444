// The kernels as functions for the compiler, which links into its code those that it calls. They are compiled to LLVM's
// bitcode when the plug-in is built. Operands and results are zero-extended; `rules` has bit 0 where subnormals are flushed
// and bit 1 where NaNs are canonical; rounding is to nearest.
#include "semantics/kernels.hpp"

#include "ir/operations.hpp"

namespace isaforge {
namespace {

template <class Kernel, class T>
std::uint64_t apply(std::uint64_t a, std::uint64_t b, std::uint64_t c, std::uint32_t rules) {
    using In = typename Kernel::template In<T>;
    const FloatRules floats{(rules & 1) != 0, (rules & 2) != 0, Rounding::nearest};
    return std::uint64_t(Kernel::template apply<T>(In(a), In(b), In(c), floats));
}

}  // namespace
}  // namespace isaforge

#define ISAFORGE_KERNEL(name, kernel, bits)                                                                \
    extern "C" std::uint64_t kernel_##name##_##bits(std::uint64_t a, std::uint64_t b, std::uint64_t c,     \
                                                    std::uint32_t rules) {                                 \
        return isaforge::apply<isaforge::semantics::kernels::kernel, std::uint##bits##_t>(a, b, c, rules); \
    }
#define ISAFORGE_FLOAT_KERNELS(name, kernel, ...) \
    ISAFORGE_KERNEL(name, kernel, 16)             \
    ISAFORGE_KERNEL(name, kernel, 32)             \
    ISAFORGE_KERNEL(name, kernel, 64)
#define ISAFORGE_INTEGER_KERNELS(name, kernel, ...) \
    ISAFORGE_KERNEL(name, kernel, 8)                \
    ISAFORGE_FLOAT_KERNELS(name, kernel)

ISAFORGE_IR_INTEGERS(ISAFORGE_INTEGER_KERNELS)
ISAFORGE_IR_FLOATS(ISAFORGE_FLOAT_KERNELS)
