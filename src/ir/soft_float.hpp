// Float operations in integer arithmetic: their results rounded in any direction, also in those that no host has, and the
// exceptions that they raise.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "ir/graph.hpp"

namespace isaforge::ir {

// IEEE 754's exceptions as bits. A result is tiny, for underflow, if it is when it has been rounded.
enum Exception : std::uint8_t { inexact = 1, underflow = 2, overflow = 4, division_by_zero = 8, invalid = 16 };

struct SoftResult {
    std::optional<std::uint64_t> number;  // nothing where the result is a NaN, and of an operation that rounds nothing
    std::uint8_t exceptions = 0;
};

// An operation on floats, of which raises_exceptions holds. `operand_bits` is the width of its operands, `result_bits` that of
// the float or the integer that it gives. With `flush_subnormals` subnormal operands count as zeros; what becomes of a subnormal
// result is up to the caller.
SoftResult compute_softly(Op op, unsigned operand_bits, unsigned result_bits, std::span<const std::uint64_t> operands,
                          Rounding rounding, bool flush_subnormals);

}  // namespace isaforge::ir
