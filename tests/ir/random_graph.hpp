// Random graphs that verify: any operation over values that reach it, blocks that join and loop. What is chosen follows from a
// seed, or from bytes that somebody else chose.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "ir/dominators.hpp"
#include "ir/graph.hpp"
#include "ir/names.hpp"
#include "isaforge/image.hpp"
#include "support/splitmix.hpp"

namespace isaforge::ir {

class Choices {
public:
    explicit Choices(std::uint64_t seed) : random_(seed) {}
    explicit Choices(std::span<const std::uint8_t> bytes) : random_(0), bytes_(bytes) {}

    std::uint64_t next() { return bytes_ ? take(8) : random_.next(); }
    unsigned below(std::size_t n) {
        return static_cast<unsigned>(bytes_ ? take(n <= 256 ? 1 : 4) % n : random_.below(n));
    }

private:
    // All 0 behind the last byte.
    std::uint64_t take(unsigned count) {
        std::uint64_t value = 0;
        for (unsigned i = 0; i < count && !bytes_->empty(); ++i) {
            value = value << 8 | bytes_->front();
            bytes_ = bytes_->subspan(1);
        }
        return value;
    }

    SplitMix64 random_;
    std::optional<std::span<const std::uint8_t>> bytes_;
};

// What graphs may have.
struct GraphScope {
    std::vector<Op> without;  // operations that are left out
    unsigned blocks = 6;      // at most
    bool loops = true;
    bool tuples = true;
    std::optional<FloatMode> rules;  // of all floats, but for the rounding
    unsigned address_bits = 32;      // that may be 1
    bool numbers_exist = false;      // of registers, where they are computed
    bool scalar_masks = true;        // masks where there is one lane
    bool odd_accesses = true;        // to memory, of other widths than its cells have
    bool late = true;                // results that land later
    bool parts = true;               // vectors of fewer lanes than a register has
};

class RandomGraph {
public:
    RandomGraph(const Isa& isa, std::uint64_t seed, GraphScope scope = {})
        : RandomGraph(isa, Choices(seed), std::move(scope)) {}
    RandomGraph(const Isa& isa, Choices choices, GraphScope scope)
        : isa_(isa), random_(choices), scope_(std::move(scope)), lanes_(lanes_of(isa)) {}

    const Choices& choices() const { return random_; }

    // Blocks are made in an order in which each is dominated by what its first edge comes from; a later edge may come from
    // anywhere, also from behind.
    Graph make() {
        const std::size_t count = 1 + below(scope_.blocks);
        graph_ = {};
        graph_.blocks.resize(count);
        for (unsigned i = below(3); i > 0; --i) builder_.argument(0, scalar());
        parents_.assign(count, 0);
        for (BlockId id = 1; id < count; ++id) {
            parents_[id] = static_cast<BlockId>(below(id));
            for (unsigned i = below(3); i > 0; --i) builder_.argument(id, any_type());
        }
        made_.assign(count, {});
        for (BlockId id = 0; id < count; ++id) fill(id);
        for (BlockId id = 0; id < count; ++id) lead(id);
        return std::move(graph_);
    }

private:
    // Of all vectors, as the first file of such has them.
    static unsigned lanes_of(const Isa& isa) {
        const auto found = std::ranges::find_if(isa.register_files, [](const auto& file) { return file.lanes != 1; });
        return found != isa.register_files.end() ? found->lanes : 8;
    }
    std::uint64_t next() { return random_.next(); }
    unsigned below(std::size_t n) { return random_.below(n); }

    Type scalar() {
        static constexpr unsigned widths[] = {1, 3, 8, 16, 32, 33, 64, 32};
        return Type::integer(widths[below(8)]);
    }
    Type any_type() {
        static constexpr unsigned floats[] = {16, 32, 64};
        switch (below(8)) {
            case 0: return Type::floating(floats[below(3)]);
            case 1: return Type::truth(lanes_);
            case 2: return Type::integer(32, lanes_);
            case 3: return scope_.parts ? Type::integer(8, 4) : Type::integer(8, lanes_);
            case 4: return scope_.tuples ? Type{Kind::integer, 32, 1, 2} : scalar();
            case 5: return Type::floating(floats[below(3)], lanes_);
            default: return scalar();
        }
    }
    std::uint64_t edge_number() {
        switch (below(5)) {
            case 0: return 0;
            case 1: return 1;
            case 2: return ~std::uint64_t{0};
            case 3: return below(70);
            default: return next();
        }
    }

    // A value of that type which is assigned before: in the block, in those above, or a constant.
    Value value(Type type) {
        std::vector<Value> found;
        for (BlockId id = block_;; id = parents_[id]) {
            for (const Value each : made_[id])
                if (graph_.type(each) == type) found.push_back(each);
            if (id == 0) break;
        }
        if (found.empty() || below(4) == 0) return builder_.constant(type, type.is_mask() ? below(2) : edge_number());
        return found[below(found.size())];
    }

    void fill(BlockId id) {
        block_ = id;
        builder_.at(id);
        made_[id] = graph_.blocks[id].arguments;
        for (unsigned i = below(12); i > 0; --i) add();
        if (below(8) == 0) add_masked();
    }
    // What is written under a mask is read again and written under the same one, and nobody else has it.
    void add_masked() {
        for (Index file = 0; file < isa_.register_files.size(); ++file) {
            const RegisterFile& of = isa_.register_files[file];
            if (of.lanes != lanes_) continue;
            const Type type = Type::integer(of.bits, lanes_);
            const Value mask = graph_.new_value(Type::truth(lanes_)), read = graph_.new_value(type),
                        sum = graph_.new_value(type);
            auto& body = graph_.blocks[block_].body;
            const std::uint64_t number = below(of.count);
            body.push_back(
                {.op = Op::spread, .result = mask, .operands = {value(Type::integer(lanes_)), no_value, no_value}});
            body.push_back({.op = Op::put,
                            .operands = {value(type), no_value, no_value},
                            .mask = mask,
                            .object = file,
                            .number = number});
            if (below(2) == 0) add_register();
            body.push_back({.op = Op::get, .result = read, .object = file, .number = number});
            body.push_back({.op = Op::add, .result = sum, .operands = {read, value(type), no_value}});
            body.push_back({.op = Op::put,
                            .operands = {sum, no_value, no_value},
                            .mask = mask,
                            .object = file,
                            .number = below(2) == 0 ? number : below(of.count)});
            return;
        }
    }
    // Without the builder's folding, which would leave little to do.
    void put(Instruction instruction, Type type) {
        if (std::find(scope_.without.begin(), scope_.without.end(), instruction.op) != scope_.without.end()) return;
        for (const Value input : instruction.inputs())
            if (!scope_.tuples && graph_.type(input).count != 1) return;
        if (!scope_.tuples && type && type.count != 1) return;
        if (type) instruction.result = graph_.new_value(type);
        graph_.blocks[block_].body.push_back(instruction);
        if (type) made_[block_].push_back(instruction.result);
    }
    void add() {
        switch (below(8)) {
            case 0:
            case 1:
            case 2: return add_computation();
            case 3: return add_conversion();
            case 4: return add_lanes();
            case 5:
            case 6: return add_register();
            default: return add_access();
        }
    }
    void add_computation() {
        static constexpr std::size_t last = static_cast<std::size_t>(Op::float_narrow);
        const Op op = static_cast<Op>(below(last + 1));
        const bool is_float = about(op).family == Family::floating;
        static constexpr unsigned full[] = {8, 16, 32, 64}, floats[] = {16, 32, 64};
        const unsigned lanes = below(3) == 0 ? lanes_ : 1;
        Type type = is_float                           ? Type::floating(floats[below(3)], lanes)
                    : about(op).narrow == Narrow::full ? Type::integer(full[below(4)], lanes)
                    : lanes == 1                       ? scalar()
                                                       : Type::integer(full[below(4)], lanes);
        if (about(op).signature.find('L') != std::string_view::npos && below(3) == 0) type = Type::truth(lanes_);
        Instruction made{.op = op};
        if (is_float) {
            made.mode.flush_subnormals = below(2) != 0;
            made.mode.canonical_nan = below(2) != 0;
            if (scope_.rules) made.mode = *scope_.rules;
            made.mode.rounding =
                op >= Op::fpow && op <= Op::facos ? Rounding::nearest : static_cast<Rounding>(below(4));
        }
        const std::string_view signature = about(op).signature;
        const auto of_letter = [&](char letter) {
            switch (letter) {
                case 'B': return Type::truth(type.lanes);
                case 'W': return Type::integer(64, type.lanes);
                case 'D': return Type::floating(64, type.lanes);
                case 'N': return Type::integer(type.bits, type.lanes);
                default: return type;
            }
        };
        const std::size_t colon = signature.find(':');
        std::size_t i = 0;
        for (Value& operand : made.inputs()) operand = value(of_letter(signature[colon + 1 + i++]));
        put(made, of_letter(signature[0]));
    }
    void add_conversion() {
        const Type from = any_type();
        Instruction made{.operands = {value(from), no_value, no_value}};
        if (from.is_mask()) {
            made.op = Op::from_truth;
            return put(made, Type::integer(32, from.lanes));
        }
        if (!from.is_integer() || from.count != 1 || below(4) == 0) {
            const Type to = cast_type(from);
            made.op = Op::cast;
            return to ? put(made, to) : void();
        }
        const unsigned wide = std::min(64u, from.bits + 1 + below(30)), narrow = 1 + below(from.bits);
        const bool extends = below(2) == 0 && wide > from.bits;
        if (!extends && (narrow >= from.bits || (from.lanes != 1 && narrow < 2))) return;
        made.op = !extends ? Op::truncate : below(2) == 0 ? Op::zero_extend : Op::sign_extend;
        put(made, from.with_bits(extends ? wide : narrow));
    }
    // Another type of as many bits; none where we know of none.
    static Type cast_type(Type from) {
        if (from.count != 1) return Type::integer(64);
        if (from == Type::integer(8, 4)) return Type::integer(32);
        if (from.bits == 16 || from.bits == 32 || from.bits == 64)
            return from.with_kind(from.is_integer() ? Kind::floating : Kind::integer);
        return {};
    }
    void add_lanes() {
        const Type vector = Type::integer(32, lanes_);
        switch (below(10)) {
            case 0: return put({.op = Op::splat, .operands = {value(Type::integer(32))}}, vector);
            case 1: return put({.op = Op::lane_number}, vector);
            case 2: return put({.op = Op::pick, .operands = {value(vector), value(Type::integer(8))}}, vector.lane());
            case 3: return put({.op = Op::permute, .operands = {value(vector), value(vector)}}, vector);
            case 4:
                return put({.op = static_cast<Op>(unsigned(Op::reduce_and) + below(3)), .operands = {value(vector)}},
                           vector.lane());
            case 5: return put({.op = Op::ballot, .operands = {value(Type::truth(lanes_))}}, Type::integer(lanes_));
            case 6: return put({.op = Op::spread, .operands = {value(Type::integer(lanes_))}}, Type::truth(lanes_));
            case 7:
                return put({.op = Op::join, .operands = {value(Type::integer(32)), value(Type::integer(32))}},
                           {Kind::integer, 32, 1, 2});
            case 8:
                return put({.op = Op::take, .operands = {value(vector)}, .number = below(lanes_ / 2)},
                           vector.with_lanes(scope_.parts ? 1 + below(lanes_ / 2) : 1));
            default:
                return put({.op = Op::item, .operands = {value({Kind::integer, 32, 1, 2})}, .number = below(2)},
                           Type::integer(32));
        }
    }
    void add_register() {
        const Index file = static_cast<Index>(below(3));
        const RegisterFile& registers = isa_.register_files[file];
        Type type = Type::integer(registers.bits, registers.lanes);
        Instruction made{.object = file, .number = below(registers.count - 1)};
        if (registers.lanes == 1 && below(5) == 0) type = Type::integer(8);
        if (registers.lanes != 1 && below(4) == 0) add_part(type, made);
        if (file == 0 && scope_.tuples && below(8) == 0) type = {Kind::integer, 32, 1, 2};
        const bool indexed = below(6) == 0 && type.count == 1;
        const auto computed_number = [&] {
            const Type byte = Type::integer(8);
            return scope_.numbers_exist ? low_bits_of(value(byte), byte, registers.index_bits) : value(byte);
        };
        if (below(2) == 0) {
            made.op = indexed ? Op::get_at : Op::get;
            if (indexed) made.operands[0] = computed_number();
            return put(made, type);
        }
        made.op = indexed ? Op::put_at : Op::put;
        if (indexed) made.operands[0] = computed_number();
        made.operands[indexed ? 1 : 0] = value(type);
        if (below(3) == 0 && may_mask(type)) made.mask = value(Type::truth(type.lanes));
        const bool may_wait = type.lanes == 1 && registers.lanes == 1 && type.count == 1 && scope_.late;
        if (may_wait && below(6) == 0) made.delay = static_cast<std::uint8_t>(1 + below(4));
        put(made, {});
    }
    // Half of the lanes, or a single one.
    void add_part(Type& type, Instruction& made) {
        type.lanes = scope_.parts ? lanes_ / 2 : 1;
        made.first = static_cast<std::uint16_t>(below(lanes_ / type.lanes) * type.lanes);
    }
    void add_access() {
        const bool wide = below(3) == 0;
        const Type address = Type::integer(32, wide ? lanes_ : 1), data = wide ? Type::integer(32, lanes_) : accessed();
        Instruction made{.object = static_cast<Index>(below(isa_.memories.size()))};
        made.operands[0] = low_bits_of(value(address), address, scope_.address_bits);
        if (below(3) == 0 && may_mask(address)) made.mask = value(Type::truth(address.lanes));
        switch (below(7)) {
            case 0:
                made.op = Op::store;
                made.operands[1] = value(data);
                return put(made, {});
            case 1:
                made.op = Op::update;
                made.operands[1] = value(data);
                made.operands[2] = value(data);
                made.number = function_of(data.lane());
                return put(made, data);
            case 2: return put({.op = Op::at, .number = next() % 1000}, {});
            case 3:
                if (!scope_.late) return;
                return put({.op = Op::put_pc, .delay = 2, .operands = {value(Type::integer(32))}}, {});
            case 4: return put({.op = Op::hart_number}, Type::integer(32));
            case 5: return put({.op = Op::count_cycles, .operands = {value(Type::integer(32))}}, {});
            default: made.op = Op::load; return put(made, data);
        }
    }

    // Of three values, of which it uses two.
    std::uint64_t function_of(Type type) {
        static constexpr Op five[] = {Op::add, Op::sub, Op::bit_xor, Op::min_unsigned, Op::shift_left};
        auto made = std::make_shared<Graph>();
        Builder builder(*made);
        builder.new_block();
        Value given[3];
        for (Value& each : given) each = builder.argument(0, type);
        const Value result = builder.make(five[below(5)], type, {given[below(3)], given[below(3)]});
        builder.end({.op = Op::give, .operands = {result, no_value, no_value}});
        graph_.functions.push_back(std::move(made));
        return graph_.functions.size() - 1;
    }

    Type accessed() {
        const Type type = scalar();
        return scope_.odd_accesses ? type : Type::integer(type.container());
    }
    bool may_mask(Type type) const { return scope_.scalar_masks || type.lanes != 1; }
    Value low_bits_of(Value given, Type type, unsigned bits) {
        if (bits >= type.bits) return given;
        const Value mask = builder_.constant(type, low_bits(bits)), result = graph_.new_value(type);
        graph_.blocks[block_].body.push_back(
            {.op = Op::bit_and, .result = result, .operands = {given, mask, no_value}});
        return result;
    }

    // Ways on: to those that have this block as their parent, to any that it may lead to without breaking dominance.
    void lead(BlockId id) {
        block_ = id;
        Block& block = graph_.blocks[id];
        std::vector<BlockId> to;
        for (BlockId each = 1; each < graph_.blocks.size(); ++each)
            if (parents_[each] == id) to.push_back(each);
        // More than two children: the others are left unreachable.
        while (to.size() < 2 && below(3) == 0) to.push_back(sibling(id));
        std::erase(to, BlockId{0});
        if (to.size() > 2) to.resize(2);
        if (to.empty()) {
            block.end = below(4) == 0 ? Instruction{.op = Op::fault, .number = below(5)}
                                      : Instruction{.op = Op::leave, .operands = {value(Type::integer(32))}};
            return;
        }
        block.end = to.size() == 1 ? Instruction{.op = Op::jump}
                                   : Instruction{.op = Op::branch, .operands = {value(Type::integer(1))}};
        for (const BlockId each : to) {
            Edge edge{each, {}};
            for (const Value argument : graph_.blocks[each].arguments)
                edge.values.push_back(value(graph_.type(argument)));
            graph_.blocks[id].edges.push_back(std::move(edge));
        }
    }
    // A block whose parent is above this one, so that dominance stays: its parent dominates us.
    BlockId sibling(BlockId id) {
        std::vector<BlockId> fitting = {0};
        for (BlockId each = 1; each < graph_.blocks.size(); ++each)
            for (BlockId above = id;; above = parents_[above]) {
                if (parents_[each] == above && (scope_.loops || each > id)) fitting.push_back(each);
                if (above == 0) break;
            }
        return fitting[below(fitting.size())];
    }

    const Isa& isa_;
    Choices random_;
    GraphScope scope_;
    const unsigned lanes_;
    Graph graph_;
    Builder builder_{graph_};
    BlockId block_ = 0;
    std::vector<BlockId> parents_;
    std::vector<std::vector<Value>> made_;  // values by block
};

}  // namespace isaforge::ir
