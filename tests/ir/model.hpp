// What a graph does, as its operations are described, one after the other: the witness that passes leave it alone. All that
// somebody may look at is written into a trace: registers wherever the machine may look, accesses with their values, the end.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "ir/evaluate.hpp"
#include "ir/graph.hpp"
#include "ir/names.hpp"
#include "isaforge/image.hpp"
#include "semantics/types.hpp"

namespace isaforge::ir {

class Model {
public:
    using Lanes = std::vector<std::uint64_t>;  // elements of a tuple one after the other

    Model(const Graph& graph, const Isa& isa, std::uint64_t seed) : graph_(graph), isa_(isa), seed_(seed) {}
    virtual ~Model() = default;

    // False where it did not end within so many operations.
    bool run(const std::vector<std::uint64_t>& arguments, std::size_t most) {
        values_.assign(graph_.values.size(), {});
        for (std::size_t i = 0; i < graph_.blocks[0].arguments.size(); ++i) {
            const Value value = graph_.blocks[0].arguments[i];
            values_[value] = uniform(graph_.type(value), arguments[i] & ones(graph_.type(value)));
        }
        for (BlockId id = 0;;) {
            const Block& block = graph_.blocks[id];
            for (const Instruction& instruction : block.body) {
                if (steps++ > most) return false;
                step(instruction);
            }
            if (block.edges.empty()) return end(block.end), true;
            if (steps++ > most) return false;
            const bool second = block.end.op == Op::branch && get(block.end.operands[0])[0] == 0;
            const Edge& edge = block.edges[second ? 1 : 0];
            std::vector<Lanes> given;
            for (const Value value : edge.values) given.push_back(get(value));
            for (std::size_t i = 0; i < given.size(); ++i) values_[graph_.blocks[edge.block].arguments[i]] = given[i];
            id = edge.block;
        }
    }

    std::string trace;
    std::size_t steps = 0;

    using Place = std::tuple<Index, std::uint64_t, unsigned>;  // file, number, bit

protected:
    // A witness of something else than traces puts its own in place of these: where registers are, what somebody outside
    // does, late results, the end.
    virtual bool bit(const Place& place) {
        const auto found = bits_.find(place);
        if (found != bits_.end()) return found->second;
        const auto [file, number, position] = place;
        return (unknown(file * 1000003 + number * 10007 + position) >> 40 & 1) != 0;
    }
    virtual void set_bit(const Place& place, bool on) { bits_[place] = on; }
    // Whatever somebody outside sees or answers: in order, with what registers hold.
    virtual void act(const Instruction& instruction) {
        if (instruction.op == Op::store && acts_nowhere(instruction)) return;
        if (about(instruction.op).effect != Effect::writes) show_registers();
        trace += about(instruction.op).name;
        trace += fmt::format(" {} {} {}", instruction.object, instruction.number, instruction.delay);
        const Lanes mask = instruction.mask == no_value ? Lanes(most_lanes, 1) : get(instruction.mask);
        for (const Value value : instruction.inputs()) {
            const Lanes lanes = get(value);
            for (std::size_t i = 0; i < lanes.size(); ++i)
                trace += mask[i % graph_.type(value).lanes] != 0 ? fmt::format(" {:x}", lanes[i]) : " -";
            trace += ",";
        }
        trace += "\n";
        if (instruction.result != no_value) {
            values_[instruction.result] = answers(instruction, ++answered_ * 1000);
            const Type type = graph_.type(instruction.result);
            for (std::size_t i = 0; i < values_[instruction.result].size(); ++i)
                if (mask[i % type.lanes] == 0) values_[instruction.result][i] = 0;
        }
    }
    // What can be read, but is no register.
    virtual void read_state(const Instruction& instruction) {
        values_[instruction.result] = answers(instruction, unknown(static_cast<std::uint64_t>(instruction.op)));
    }
    virtual std::uint64_t register_number(const Instruction& instruction, std::uint64_t given) {
        return given % isa_.register_files[instruction.object].count;
    }
    virtual void put_later(const Instruction& instruction, std::uint64_t number, std::uint64_t value) {
        trace += fmt::format("later {} {} {} {:x}\n", instruction.object, number, instruction.delay, value);
    }
    virtual void end(const Instruction& instruction) {
        show_registers();
        trace += about(instruction.op).name;
        for (const Value value : instruction.inputs()) trace += fmt::format(" {:x}", scalar(value));
        trace += fmt::format(" {} {}", instruction.object, instruction.number);
    }

    static Lanes uniform(Type type, std::uint64_t value) { return Lanes(std::size_t{type.lanes} * type.count, value); }
    Lanes get(Value value) const {
        const Definition& definition = graph_.values[value];
        return definition.is_constant ? uniform(definition.type, definition.constant) : values_[value];
    }
    std::uint64_t scalar(Value value) const { return get(value)[0]; }
    // Something that is the same in every run: of memory that nobody wrote, of what the machine answers.
    std::uint64_t unknown(std::uint64_t what) const {
        std::uint64_t z = (what + seed_) * 0x9E3779B97F4A7C15;
        z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9;
        return z ^ z >> 31;
    }

    // Elements lie one after the other: of a lane as wide as the value's.
    Lanes read(Index file, std::uint64_t number, std::uint16_t first, Type type) {
        Lanes lanes;
        for (unsigned item = 0; item < type.count; ++item)
            for (unsigned lane = 0; lane < type.lanes; ++lane) {
                std::uint64_t value = 0;
                for (unsigned b = 0; b < type.bits; ++b)
                    value |= std::uint64_t{bit({file, number + item, (first + lane) * type.bits + b})} << b;
                lanes.push_back(value);
            }
        return lanes;
    }
    void write(Index file, std::uint64_t number, std::uint16_t first, Type type, const Lanes& lanes,
               const Lanes& mask) {
        for (unsigned item = 0; item < type.count; ++item)
            for (unsigned lane = 0; lane < type.lanes; ++lane) {
                if (mask[lane] == 0) continue;
                for (unsigned b = 0; b < type.bits; ++b)
                    set_bit({file, number + item, (first + lane) * type.bits + b},
                            (lanes[item * type.lanes + lane] >> b & 1) != 0);
            }
    }
    void show_registers() {
        for (const auto& [place, on] : bits_) {
            const auto [file, number, position] = place;
            if (on != ((unknown(file * 1000003 + number * 10007 + position) >> 40 & 1) != 0))
                trace += fmt::format("{}[{}].{}={} ", isa_.register_files[file].name, number, position, on);
        }
        trace += "| ";
    }

    Lanes mask_of(const Instruction& instruction, unsigned lanes) const {
        return instruction.mask == no_value ? Lanes(lanes, 1) : get(instruction.mask);
    }

    void step(const Instruction& instruction) {
        const Effect effect = about(instruction.op).effect;
        if (effect == Effect::pure) {
            values_[instruction.result] = pure(instruction);
        } else if (object_kind(instruction.op) == ObjectKind::registers) {
            access_register(instruction);
        } else if (effect == Effect::reads) {
            read_state(instruction);
        } else {
            act(instruction);
        }
    }
    Lanes answers(const Instruction& instruction, std::uint64_t from) const {
        const Type type = graph_.type(instruction.result);
        Lanes lanes;
        for (unsigned i = 0; i < unsigned{type.lanes} * type.count; ++i)
            lanes.push_back(unknown(from + i * 77) & ones(type));
        return lanes;
    }
    bool acts_nowhere(const Instruction& instruction) const {
        if (instruction.mask == no_value) return false;
        const Lanes mask = get(instruction.mask);
        return std::all_of(mask.begin(), mask.end(), [](std::uint64_t lane) { return lane == 0; });
    }
    void access_register(const Instruction& instruction) {
        const bool by_value = instruction.op == Op::get_at || instruction.op == Op::put_at;
        const std::uint64_t number =
            by_value ? register_number(instruction, scalar(instruction.operands[0])) : instruction.number;
        if (instruction.result != no_value) {
            values_[instruction.result] =
                read(instruction.object, number, instruction.first, graph_.type(instruction.result));
            return;
        }
        const Value given = instruction.inputs().back();
        const Type type = graph_.type(given);
        if (instruction.delay != 0) {
            if (acts_nowhere(instruction)) return;
            return put_later(instruction, number, get(given)[0]);
        }
        write(instruction.object, number, instruction.first, type, get(given), mask_of(instruction, type.lanes));
    }
    // Pure operations, lane by lane.
    Lanes pure(const Instruction& instruction) {
        const Type type = graph_.type(instruction.result);
        const auto inputs = instruction.inputs();
        std::vector<Lanes> given;
        for (const Value value : inputs) given.push_back(get(value));
        const Type operand = inputs.empty() ? type : graph_.type(inputs[0]);
        if (instruction.op == Op::select && type.count != 1) return given[0][0] != 0 ? given[1] : given[2];
        if (is_computed(instruction.op)) return computed(instruction, type, operand, given);
        return moved(instruction, type, operand, given);
    }
    Lanes computed(const Instruction& instruction, Type type, Type operand, const std::vector<Lanes>& given) {
        Lanes lanes;
        for (unsigned lane = 0; lane < type.lanes; ++lane) {
            std::uint64_t one[most_operands] = {};
            for (std::size_t i = 0; i < given.size(); ++i) one[i] = given[i][lane];
            lanes.push_back(instruction.op == Op::select
                                ? one[0] != 0 ? one[1] : one[2]
                                : compute(instruction.op, operand, type, {one, given.size()}, instruction.mode));
        }
        return lanes;
    }
    Lanes moved(const Instruction& instruction, Type type, Type operand, const std::vector<Lanes>& given) {
        Lanes lanes;
        switch (instruction.op) {
            case Op::truncate:
            case Op::zero_extend:
            case Op::from_truth:
                for (const std::uint64_t value : given[0]) lanes.push_back(value & ones(type));
                return lanes;
            case Op::sign_extend:
                for (const std::uint64_t value : given[0])
                    lanes.push_back(static_cast<std::uint64_t>(semantics::sign_extend(value, operand.bits)) &
                                    ones(type));
                return lanes;
            case Op::cast: return cast(type, operand, given[0]);
            case Op::splat: return uniform(type, given[0][0]);
            case Op::lane_number:
                for (unsigned i = 0; i < type.lanes; ++i) lanes.push_back(i & ones(type));
                return lanes;
            case Op::pick: return {given[0][given[1][0] % operand.lanes]};
            case Op::permute:
                for (const std::uint64_t from : given[1]) lanes.push_back(given[0][from % operand.lanes]);
                return lanes;
            case Op::take: {
                const auto from = given[0].begin() + static_cast<std::ptrdiff_t>(instruction.number);
                return {from, from + type.lanes};
            }
            case Op::reduce_and:
            case Op::reduce_or:
            case Op::reduce_add: return {reduced(instruction.op, given[0]) & ones(type)};
            case Op::ballot: {
                std::uint64_t bits = 0;
                for (std::size_t i = 0; i < given[0].size(); ++i) bits |= given[0][i] << i;
                return {bits};
            }
            case Op::spread:
                for (unsigned i = 0; i < type.lanes; ++i) lanes.push_back(given[0][0] >> i & 1);
                return lanes;
            case Op::join:
                lanes = given[0];
                lanes.insert(lanes.end(), given[1].begin(), given[1].end());
                return lanes;
            default: {  // item
                const auto from = given[0].begin() + static_cast<std::ptrdiff_t>(instruction.number * operand.lanes);
                return {from, from + operand.lanes};
            }
        }
    }
    static std::uint64_t reduced(Op op, const Lanes& lanes) {
        std::uint64_t value = lanes[0];
        for (std::size_t i = 1; i < lanes.size(); ++i)
            value = op == Op::reduce_and ? value & lanes[i] : op == Op::reduce_or ? value | lanes[i] : value + lanes[i];
        return value;
    }
    // All bits in a row, cut anew.
    static Lanes cast(Type to, Type from, const Lanes& given) {
        Lanes lanes(std::size_t{to.lanes} * to.count);
        for (unsigned bit = 0; bit < from.total_bits(); ++bit)
            lanes[bit / to.bits] |= (given[bit / from.bits] >> bit % from.bits & 1) << bit % to.bits;
        return lanes;
    }

protected:
    const Graph& graph_;
    const Isa& isa_;
    std::vector<Lanes> values_;

private:
    std::uint64_t seed_;
    std::map<Place, bool> bits_;
    std::uint64_t answered_ = 0;
};

}  // namespace isaforge::ir
