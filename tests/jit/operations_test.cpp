// Every computing operation of the table, compiled: what it gives on numbers and in lanes is what ir::compute gives.
#include <gtest/gtest.h>

#include "ir/evaluate.hpp"
#include "jit/bench.hpp"

namespace isaforge::jit {
namespace {

using ir::Op;
using ir::Type;
using ir::Value;

constexpr unsigned results = 8;  // registers from there on
constexpr Index scalars = 0, vectors = 1;

std::shared_ptr<const Isa> registers_isa() {
    static const auto isa = ir::isa_of("registers w : 6 of u64 \"w{n}\"\nregisters x : 6 of u64 lanes 16 \"x{n}\"\n");
    return isa;
}

// One graph with many operations: operands in registers 0 to 2 of 64 bits a lane, results from `results` on.
class Sweep {
public:
    explicit Sweep(Type type) : type_(type) {
        builder_.new_block();
        builder_.at(0);
        for (unsigned i = 0; i < 3; ++i) raw_.push_back(read(i));
    }

    void add(Op op, ir::FloatMode mode = {}) {
        const std::string_view signature = ir::about(op).signature;
        const std::size_t colon = signature.find(':');
        ir::Instruction made{.op = op, .mode = mode};
        for (unsigned i = 0; i < ir::operand_count(op); ++i)
            made.operands[i] = operand(i, of_letter(signature[colon + 1 + i]));
        const Type result = mode.raised_by != 0 ? Type::integer(5, type_.lanes) : of_letter(signature[0]);
        const Value value = builder_.add(made, result);
        write(static_cast<unsigned>(results + tried_.size()), value, result);
        tried_.push_back({op, graph_.type(made.operands[0]), result, mode});
    }

    // On so many sets of operands.
    void check(Bench& bench, Random& random, unsigned times) {
        builder_.end({.op = Op::leave, .operands = {builder_.constant(Type::integer(32), 4)}});
        const auto region = bench.compile(graph_);
        ASSERT_NE(region, nullptr);
        for (unsigned time = 0; time < times; ++time) {
            for (unsigned i = 0; i < 3; ++i)
                for (unsigned lane = 0; lane < type_.lanes; ++lane) bench.set(file(), i, number(random), lane);
            ASSERT_EQ(bench.run(region->entries[0]).kind, Left::Kind::end);
            for (std::size_t k = 0; k < tried_.size(); ++k)
                for (unsigned lane = 0; lane < type_.lanes; ++lane) compare(bench, k, lane);
            if (testing::Test::HasFailure()) return;
        }
    }

private:
    struct Tried {
        Op op;
        Type operand, result;
        ir::FloatMode mode;
    };

    Index file() const { return type_.lanes == 1 ? scalars : vectors; }
    Value read(unsigned number) {
        return builder_.add({.op = Op::get, .object = file(), .number = number}, Type::integer(64, type_.lanes));
    }
    Type of_letter(char letter) const {
        switch (letter) {
            case 'B': return Type::truth(type_.lanes);
            case 'W': return Type::integer(64, type_.lanes);
            case 'D': return Type::floating(64, type_.lanes);
            case 'N': return Type::integer(type_.bits, type_.lanes);
            default: return type_;
        }
    }
    // The low bits of a register as that type.
    Value operand(unsigned number, Type type) {
        Value value = raw_[number];
        if (type.is_truth() && type.lanes > 1) {
            const Value one = builder_.constant(graph_.type(value), 1);
            const Value low = builder_.make(Op::bit_and, graph_.type(value), {value, one});
            return builder_.make(Op::equal, type, {low, one});
        }
        const Type integer = Type::integer(type.bits, type.lanes);
        if (type.bits != 64) value = builder_.make(Op::truncate, integer, {value});
        return type.is_float() ? builder_.make(Op::cast, type, {value}) : value;
    }
    void write(unsigned number, Value value, Type type) {
        const Type wide = Type::integer(64, type.lanes);
        if (type.is_truth()) {
            value = builder_.make(Op::from_truth, wide, {value});
        } else {
            if (type.is_float()) value = builder_.make(Op::cast, type.with_kind(ir::Kind::integer), {value});
            if (type.bits != 64) value = builder_.make(Op::zero_extend, wide, {value});
        }
        builder_.add({.op = Op::put, .operands = {value}, .object = file(), .number = number});
    }

    // Small, large, on edges of the width, floats of all kinds, and anything.
    std::uint64_t number(Random& random) const {
        const std::uint64_t any = random.next();
        switch (random.below(8)) {
            case 0: return random.below(4);
            case 1: return random.below(80);
            case 2: return ~std::uint64_t{random.below(4)};
            case 3: return (std::uint64_t{1} << (type_.bits - 1)) - random.below(3);
            case 4: return float_edge(random);
            case 5: return any >> random.below(64);
            default: return any;
        }
    }
    std::uint64_t float_edge(Random& random) const {
        const unsigned bits = type_.is_float() ? type_.bits : 64;
        const unsigned fraction = bits == 16 ? 10 : bits == 32 ? 23 : 52;
        const std::uint64_t exponents = (std::uint64_t{1} << (bits - 1 - fraction)) - 1;
        static constexpr int near[] = {0, 1, 2};
        const std::uint64_t exponent = random.below(3) == 0   ? exponents - static_cast<unsigned>(near[random.below(3)])
                                       : random.below(2) == 0 ? random.below(3)
                                                              : exponents / 2 + random.below(70) - 6;
        const std::uint64_t part = random.below(2) == 0 ? random.below(3) : random.next() >> (64 - fraction);
        return std::uint64_t{random.below(2)} << (bits - 1) | (exponent & exponents) << fraction | part;
    }

    void compare(const Bench& bench, std::size_t k, unsigned lane) const {
        const Tried& tried = tried_[k];
        std::uint64_t given[3];
        const std::string_view signature = ir::about(tried.op).signature;
        for (unsigned i = 0; i < 3; ++i) {
            const char letter = i < ir::operand_count(tried.op) ? signature[signature.find(':') + 1 + i] : 'T';
            given[i] = bench.get(file(), i, lane) & ir::ones(of_letter(letter));
        }
        const std::uint64_t wanted =
            ir::compute(tried.op, tried.operand, tried.result, {given, ir::operand_count(tried.op)}, tried.mode);
        EXPECT_EQ(bench.get(file(), results + k, lane), wanted)
            << ir::about(tried.op).name << " " << ir::to_text(tried.operand) << " rounding "
            << unsigned(tried.mode.rounding) << (tried.mode.flush_subnormals ? " flushes" : "")
            << (tried.mode.canonical_nan ? " canonical" : "") << " raised by " << unsigned{tried.mode.raised_by}
            << std::hex << " of " << given[0] << ", " << given[1] << ", " << given[2] << " in lane " << lane;
    }

    Type type_;
    ir::Graph graph_;
    ir::Builder builder_{graph_};
    std::vector<Value> raw_;
    std::vector<Tried> tried_;
};

constexpr std::size_t first_float = static_cast<std::size_t>(Op::fadd),
                      last_float = static_cast<std::size_t>(Op::float_narrow);

TEST(Compiled, Integers) {
    Bench bench(registers_isa());
    Random random(1);
    const Type types[] = {Type::integer(1),     Type::integer(2),    Type::integer(5),      Type::integer(8),
                          Type::integer(13),    Type::integer(16),   Type::integer(24),     Type::integer(32),
                          Type::integer(33),    Type::integer(63),   Type::integer(64),     Type::integer(8, 16),
                          Type::integer(16, 8), Type::integer(5, 4), Type::integer(32, 16), Type::integer(64, 8),
                          Type::integer(40, 4), Type::integer(32, 3)};
    for (const Type type : types) {
        Sweep sweep(type);
        for (std::size_t i = 0; i < first_float; ++i) {
            const Op op = static_cast<Op>(i);
            if (ir::about(op).narrow != ir::Narrow::full || type.container() == type.bits) sweep.add(op);
        }
        sweep.check(bench, random, 300);
    }
}

TEST(Compiled, Floats) {
    Bench bench(registers_isa());
    Random random(2);
    for (const unsigned bits : {16, 32, 64})
        for (const unsigned lanes : {1, 4})
            for (unsigned rules = 0; rules < 4; ++rules) {
                Sweep sweep(Type::floating(bits, lanes));
                for (std::size_t i = first_float; i <= last_float; ++i)
                    sweep.add(static_cast<Op>(i), {Rounding::nearest, false, (rules & 1) != 0, (rules & 2) != 0});
                sweep.check(bench, random, 1000);
            }
}

TEST(Compiled, FloatsInOtherDirections) {
    Bench bench(registers_isa());
    Random random(3);
    for (const unsigned bits : {16, 32, 64})
        for (const Rounding rounding : {Rounding::zero, Rounding::up, Rounding::down, Rounding::nearest_away}) {
            Sweep sweep(Type::floating(bits, rounding == Rounding::up ? 4 : 1));
            for (std::size_t i = first_float; i <= last_float; ++i)
                if (static_cast<Op>(i) < Op::fpow || static_cast<Op>(i) > Op::facos)
                    sweep.add(static_cast<Op>(i), {rounding, false, bits == 16, bits == 32});
            sweep.check(bench, random, 300);
        }
}

TEST(Compiled, WhatFloatsRaise) {
    Bench bench(registers_isa());
    Random random(4);
    for (const unsigned bits : {16, 32, 64})
        for (const Rounding rounding : {Rounding::nearest, Rounding::up, Rounding::nearest_away}) {
            Sweep sweep(Type::floating(bits, rounding == Rounding::up ? 4 : 1));
            for (std::size_t i = first_float; i <= last_float; ++i)
                if (ir::raises_exceptions(static_cast<Op>(i)))
                    sweep.add(static_cast<Op>(i),
                              {rounding, false, bits == 16, bits == 32, static_cast<std::uint8_t>(bits)});
            sweep.check(bench, random, 300);
        }
}

}  // namespace
}  // namespace isaforge::jit
