// The table of operations: that its signatures can be read, and what integers of every width give, by long arithmetic.
#include "ir/operations.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <fstream>
#include <iterator>

#include "ir/evaluate.hpp"
#include "support/wide.hpp"

namespace isaforge::ir {
namespace {

TEST(Operations, SignaturesAndMeanings) {
    for (const Operation& operation : operations) {
        const std::size_t colon = operation.signature.find(':');
        ASSERT_LE(colon, 1u) << operation.name;
        EXPECT_EQ(operation.signature.substr(colon + 1).find_first_not_of("TUFWDNLABbesMP<>=|^*"),
                  std::string_view::npos)
            << operation.name;
        EXPECT_FALSE(operation.meaning.empty()) << operation.name;
        EXPECT_LE(operand_count(*find_operation(operation.name)), most_operands);
        EXPECT_EQ(&about(*find_operation(operation.name)), &operation) << "two have one name";
    }
}

// docs/internals.md lists the table.
TEST(Operations, ThePageListsThem) {
    std::ifstream file(ISAFORGE_SOURCE_DIR "/docs/internals.md");
    std::string page{std::istreambuf_iterator<char>(file), {}}, table;
    for (const Operation& operation : operations) {
        std::string signature(operation.signature);
        if (const std::size_t bar = signature.find('|'); bar != std::string::npos) signature.insert(bar, "\\");
        table += "| `" + std::string(operation.name) + "` | `" + signature + "` | " + std::string(operation.meaning) +
                 " |\n";
    }
    EXPECT_TRUE(page.ends_with(table)) << "the page has to end with\n" << table;
}

std::uint64_t low(UnsignedWide value, unsigned bits) { return static_cast<std::uint64_t>(value) & low_bits(bits); }
Wide as_signed(std::uint64_t value, unsigned bits) {
    return (value >> (bits - 1) & 1) != 0 ? static_cast<Wide>(value) - (static_cast<Wide>(1) << bits)
                                          : static_cast<Wide>(value);
}

// What the table says, in numbers that have room; nothing for operations of full containers.
std::optional<std::uint64_t> expected(Op op, unsigned n, std::uint64_t a, std::uint64_t b) {
    const Wide x = as_signed(a, n), y = as_signed(b, n);
    switch (op) {
        case Op::add: return low(static_cast<UnsignedWide>(a) + b, n);
        case Op::sub: return low(static_cast<UnsignedWide>(a) - b, n);
        case Op::mul: return low(static_cast<UnsignedWide>(a) * b, n);
        case Op::divide_unsigned: return b == 0 ? low_bits(n) : a / b;
        case Op::remainder_unsigned: return b == 0 ? a : a % b;
        case Op::divide_signed: return b == 0 ? low_bits(n) : low(static_cast<UnsignedWide>(x / y), n);
        case Op::remainder_signed: return b == 0 ? a : low(static_cast<UnsignedWide>(x % y), n);
        case Op::min_unsigned: return std::min(a, b);
        case Op::max_unsigned: return std::max(a, b);
        case Op::min_signed: return x < y ? a : b;
        case Op::max_signed: return x < y ? b : a;
        case Op::bit_and: return a & b;
        case Op::bit_or: return a | b;
        case Op::bit_xor: return a ^ b;
        case Op::bit_not: return ~a & low_bits(n);
        case Op::shift_left: return b >= n ? 0 : low(static_cast<UnsignedWide>(a) << b, n);
        case Op::shift_right: return b >= n ? 0 : a >> b;
        case Op::shift_right_signed: return low(static_cast<UnsignedWide>(x >> (b >= n ? n - 1 : b)), n);
        case Op::equal: return a == b;
        case Op::not_equal: return a != b;
        case Op::less_unsigned: return a < b;
        case Op::less_equal_unsigned: return a <= b;
        case Op::less_signed: return x < y;
        case Op::less_equal_signed: return x <= y;
        case Op::count_ones: return std::uint64_t(std::popcount(a));
        case Op::leading_bits: {
            const unsigned width = unsigned(std::bit_width(a));
            return b >= width ? a : b == 0 ? 0 : a >> (width - b) << (width - b);
        }
        case Op::carryless_mul: {
            UnsignedWide product = 0;
            for (unsigned i = 0; i < n; ++i)
                if ((b >> i & 1) != 0) product ^= static_cast<UnsignedWide>(a) << i;
            return low(product, n);
        }
        default: return std::nullopt;
    }
}

void check(Op op, unsigned n, std::uint64_t a, std::uint64_t b) {
    const auto wanted = expected(op, n, a, b);
    if (!wanted) return;
    const Type type = Type::integer(n);
    const bool is_test = about(op).signature[0] == 'B';
    const std::uint64_t given[] = {a, b};
    ASSERT_EQ(compute(op, type, is_test ? Type::integer(1) : type, {given, operand_count(op)}, {}), *wanted)
        << about(op).name << " i" << n << " " << a << ", " << b;
}

TEST(Operations, IntegersOfEveryWidth) {
    std::uint64_t state = 1;
    const auto random = [&] { return state = state * 6364136223846793005 + 1442695040888963407, state ^ state >> 29; };
    for (std::size_t i = 0; i <= static_cast<std::size_t>(Op::select); ++i) {
        const Op op = static_cast<Op>(i);
        if (about(op).narrow == Narrow::full || operand_count(op) > 2) continue;
        for (unsigned n = 1; n <= 4; ++n)
            for (std::uint64_t a = 0; a < 1u << n; ++a)
                for (std::uint64_t b = 0; b < 1u << n; ++b) check(op, n, a, b);
        for (unsigned n = 5; n <= 64; ++n) {
            const std::uint64_t edges[] = {0, 1, 2, n - 1, n, low_bits(n), low_bits(n - 1), low_bits(n - 1) + 1};
            for (const std::uint64_t a : edges)
                for (const std::uint64_t b : edges) check(op, n, a & low_bits(n), b & low_bits(n));
            for (unsigned k = 0; k < 30; ++k)
                check(op, n, random() & low_bits(n), random() >> random() % 64 & low_bits(n));
        }
    }
}

}  // namespace
}  // namespace isaforge::ir
