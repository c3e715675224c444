// Programs of graphs, run by the interpreter's own ends of instructions: each instruction is done by the model of the form,
// by the interpreter's operations, or by compiled code of a region that it is in. Machines with one program, whoever does it,
// have to be in the same state whenever they stop.
#pragma once

#include <array>
#include <deque>
#include <set>

#include "ir/model.hpp"
#include "jit/bench.hpp"
#include "machine/bus.hpp"
#include "machine/translate.hpp"

namespace isaforge::jit {

// Memory that holds code, as far as a hart sees it: pages of 16 KB that are the same every megabyte, of which some refuse
// every access, some have to be asked each time as devices, and some hold code. The tables learn the others, now and then.
class PagedMemory {
public:
    static constexpr std::uint64_t page_bytes = std::uint64_t{1} << machine::page_shift, bytes = 1 << 20;

    PagedMemory() : storage_(bytes) {
        for (std::size_t i = 0; i < bytes; ++i) storage_[i] = static_cast<std::uint8_t>(i * 2654435761u >> 13);
        for (auto* table : {&loads, &stores})
            for (std::size_t i = 0; i < machine::page_count; ++i)
                (*table)[i] = {(i + 1) << machine::page_shift, 0, nullptr};
    }

    static std::uint64_t kind(std::uint64_t address) {
        return (address >> machine::page_shift) * 0x9E3779B97F4A7C15 >> 60;
    }
    static bool refuses(std::uint64_t address) { return kind(address) == 0; }
    static bool holds_code(std::uint64_t address) { return kind(address) == 1; }
    static bool is_device(std::uint64_t address) { return kind(address) == 2; }

    bool access(machine::Core& core, std::uint64_t address, std::uint32_t size, std::uint64_t* load,
                std::uint64_t raw) {
        const bool misaligned = core.alignment != 0 && address % size != 0;
        const std::uint64_t last = address + size - 1;
        if (misaligned || refuses(address) || refuses(last)) {
            core.reason = misaligned        ? StopReason::misaligned
                          : load != nullptr ? StopReason::bad_read
                                            : StopReason::bad_write;
            core.fault_address = address;
            core.fault_bits = size * 8;
            return false;
        }
        if (load != nullptr) *load = 0;
        for (std::uint32_t i = 0; i < size; ++i) {
            std::uint8_t& byte = storage_[(address + i) % bytes];
            if (load != nullptr) *load |= std::uint64_t{byte} << 8 * i;
            if (load == nullptr) byte = static_cast<std::uint8_t>(raw >> 8 * i);
        }
        ++core.counters[static_cast<std::size_t>(load != nullptr ? ir::Counter::loads : ir::Counter::stores)];
        if (load == nullptr && (holds_code(address) || holds_code(last))) core.stop_at = core.count + 1;
        if (learns && ++asked_ % 3 == 0) learn(address);
        return true;
    }

    std::array<machine::PageEntry, machine::page_count> loads, stores;
    bool learns = false;
    bool operator==(const PagedMemory& other) const { return storage_ == other.storage_; }

private:
    void learn(std::uint64_t address) {
        const std::uint64_t page = address >> machine::page_shift, first = page << machine::page_shift;
        if (is_device(address) || refuses(address)) return;
        const machine::PageEntry entry{first, page_bytes - 8, storage_.data() + first % bytes};
        loads[page % machine::page_count] = entry;
        if (!holds_code(address)) stores[page % machine::page_count] = entry;
    }

    std::vector<std::uint8_t> storage_;
    std::size_t asked_ = 0;
};

inline std::shared_ptr<const Isa> program_isa_of(unsigned lanes) {
    return ir::isa_of(fmt::format(R"(registers r : 3 of u32 "r{{n}}"
registers w : 2 of u64 "w{{n}}"
registers v : 2 of u32 lanes {0} "v{{n}}"
register flags : u8
registers m : 2 of u1 lanes {0} "m{{n}}"
memory mem : u8 little holds code
memory lds : u16 big
)",
                                  lanes));
}
inline std::shared_ptr<const Isa> program_isa() {
    static const auto isa = program_isa_of(8);
    return isa;
}
// So many lanes that code computes them group by group.
inline std::shared_ptr<const Isa> wide_program_isa() {
    static const auto isa = program_isa_of(64);
    return isa;
}

// The memory that machines have: storage from address 0 on in each space.
struct BusMemory {
    static constexpr std::uint64_t bytes = 1 << 14;

    BusMemory(const Isa& isa, machine::Core& core)
        : system(std::make_shared<const Codec>(std::make_shared<const Isa>(isa)), {.memory_bytes = bytes}, nullptr),
          bus(system, system.groups[0], core, 0) {
        std::vector<std::uint8_t> pattern(bytes);
        for (std::size_t i = 0; i < bytes; ++i) pattern[i] = static_cast<std::uint8_t>(i * 2654435761u >> 13);
        for (const machine::Space& space : system.spaces) space.poke(0, pattern);
    }
    std::vector<std::uint8_t> contents() const {
        std::vector<std::uint8_t> all;
        for (const machine::Space& space : system.spaces) {
            std::vector<std::uint8_t> one(bytes);
            if (space.peek(0, one)) all.insert(all.end(), one.begin(), one.end());
        }
        return all;
    }

    machine::System system;
    machine::Bus bus;
};

// Units lie at 0, 4, 8 and so on; every other address is outside. With `by_interpreter` the interpreter does them.
class ProgramMachine : public Bench {
public:
    enum class Memory { paged, bus };

    ProgramMachine(std::shared_ptr<const Isa> given, const std::vector<ir::Graph>& graphs, Memory kind = Memory::paged,
                   bool by_interpreter = false)
        : Bench(std::move(given)), graphs_(graphs) {
        if (kind == Memory::bus) bus_memory = std::make_unique<BusMemory>(isa(), core);
        core.rules = isa().floats;
        target.callouts = machine::machine_callouts();
        target.callouts.load = load_for;
        target.callouts.store = store_for;
        target.callouts.load_lanes = load_lanes_for;
        target.callouts.store_lanes = store_lanes_for;
        outside_.run = nowhere;
        core.outside = &outside_;
        core.resolve = resolve;
        core.jumps = jumps_.data();
        core.load_pages[0] = memory.loads.data();
        core.store_pages[0] = memory.stores.data();
        core.load_pages[1] = core.store_pages[1] = apart_pages_.data();
        core.hart = 3;
        core.harts = 5;
        if (bus_memory != nullptr) use_bus();
        apart_.resize(1 << 16);
        for (std::size_t i = 0; i < apart_.size(); ++i) apart_[i] = static_cast<std::uint8_t>(i * 40503u >> 7);
        apart_pages_.fill({0, apart_.size() - 8, apart_.data(), 1});
        ops_.resize(graphs_.size());
        for (std::size_t i = 0; i < ops_.size(); ++i) ops_[i] = by_interpreter ? translated(i) : modelled();
    }

    machine::CodeRegion region(std::vector<std::size_t> units, std::vector<std::size_t> entries) const {
        machine::CodeRegion made;
        for (const std::size_t i : units)
            made.units.push_back({4 * i, 4 * i + 4, &graphs_[i], ops_[i].data(), interpret, {}});
        made.entries = std::move(entries);
        return made;
    }
    void enter(std::size_t unit, machine::Handler entry) { ops_[unit][0].run = entry; }

    // Until something stops it, at `stop_at` at the latest.
    void go(std::uint64_t stop_at) {
        core.stop_at = stop_at;
        core.reason = StopReason::running;
        core.fault = nullptr;
        machine::execute(core);
    }
    std::size_t size() const { return graphs_.size(); }
    void start(std::uint64_t address) { core.next = resolve(core, address); }
    std::uint64_t address_of(const machine::MicroOp* op) const {
        for (std::size_t i = 0; i < ops_.size(); ++i)
            if (op >= ops_[i].data() && op < ops_[i].data() + ops_[i].size()) return 4 * i;
        return ~std::uint64_t{0};
    }

    // All that somebody may look at.
    std::string state() const {
        std::string text = fmt::format(
            "count {} cycles {} pending {:x} next {:x} target {:x} reason {} fault {:x} at {:x} bits {} loads {} "
            "stores {}\n",
            core.count, core.cycles, core.pending, address_of(core.next), core.next == &outside_ ? outside_address_ : 0,
            int(core.reason), address_of(core.fault), core.reason == StopReason::running ? 0 : core.fault_address,
            core.reason == StopReason::running ? 0 : core.fault_bits, core.counters[1], core.counters[2]);
        for (Index file = 0; file < isa().register_files.size(); ++file)
            for (unsigned i = 0; i < isa().register_files[file].count; ++i) {
                text += fmt::format("{}{}=", isa().register_files[file].name, i);
                for (unsigned lane = 0; lane < isa().register_files[file].lanes; ++lane)
                    text += fmt::format("{:x}:", get(file, i, lane));
            }
        for (std::uint64_t bits = core.pending, slot = core.count; bits != 0; bits >>= 1, ++slot) {
            const machine::LandingSlot& landing = core.ring[slot % machine::ring_size];
            if ((bits & 1) == 0) continue;
            for (unsigned i = 0; i < landing.used; ++i)
                text += fmt::format("\nlate {} {}={:x} from {}", slot, landing.results[i].offset,
                                    landing.results[i].value, landing.results[i].origin);
        }
        return text;
    }
    bool same_memory(const ProgramMachine& other) const {
        if (bus_memory != nullptr) return bus_memory->contents() == other.bus_memory->contents();
        return memory == other.memory && apart_ == other.apart_;
    }

    PagedMemory memory;
    std::unique_ptr<BusMemory> bus_memory;
    std::size_t interpreted = 0;

private:
    friend class UnitModel;

    void use_bus() {
        target.callouts.load = machine::machine_callouts().load;
        target.callouts.store = machine::machine_callouts().store;
        target.callouts.load_lanes = machine::machine_callouts().load_lanes;
        target.callouts.store_lanes = machine::machine_callouts().store_lanes;
        bus_memory->bus.choose_pages();
    }
    static std::vector<machine::MicroOp> modelled() {
        std::vector<machine::MicroOp> ops(2);
        ops[0].run = interpret;
        ops[1].run = machine::handlers::end_jump;
        ops[1].link = nullptr;
        return ops;
    }
    std::vector<machine::MicroOp> translated(std::size_t unit) {
        machine::TranslateInput input{
            .isa = &isa(), .graph = &graphs_[unit], .address = 4 * unit, .next_address = 4 * unit + 4};
        input.ports = &target.ports;
        input.port_limits = core.port_limits;
        input.main_memory = 0;
        return machine::translate(input, layout).ops;
    }

    static ProgramMachine& self(machine::Core* core) { return static_cast<ProgramMachine&>(owner(core)); }
    static bool load(machine::Core* core, std::uint64_t address, std::uint32_t bytes, std::uint64_t* raw) {
        return self(core).memory.access(*core, address, bytes, raw, 0);
    }
    static bool store(machine::Core* core, std::uint64_t address, std::uint32_t bytes, std::uint64_t raw) {
        return self(core).memory.access(*core, address, bytes, nullptr, raw);
    }
    // What compiled code calls, which counts itself. The second memory's table knows all that there is, but not at first.
    static bool load_for(machine::Core* core, const machine::AccessSite* access, std::uint64_t address,
                         std::uint64_t* raw, machine::Stretch* stretches) {
        const bool done = access->space == 0 ? load(core, address, access->bytes, raw)
                                             : self(core).apart(address, access->bytes, raw, 0);
        if (done) accessed(*core, ir::Counter::loads, core->load_pages[access->space], address, *access, stretches);
        return done;
    }
    static bool store_for(machine::Core* core, const machine::AccessSite* access, std::uint64_t address,
                          std::uint64_t raw, machine::Stretch* stretches) {
        const bool done = access->space == 0 ? store(core, address, access->bytes, raw)
                                             : self(core).apart(address, access->bytes, nullptr, raw);
        if (done) accessed(*core, ir::Counter::stores, core->store_pages[access->space], address, *access, stretches);
        return done;
    }
    // Those of a group, in their order; the count is of those before the one that is refused.
    template <class Access>
    static bool each_lane(machine::Core* core, ir::Counter counter, std::uint64_t mask, Access&& access) {
        for (std::uint64_t left = mask; left != 0; left &= left - 1) {
            if (access(static_cast<unsigned>(std::countr_zero(left)))) continue;
            core->counters[static_cast<std::size_t>(counter)] += static_cast<unsigned>(std::popcount(mask & ~left));
            return false;
        }
        return true;
    }
    static bool load_lanes_for(machine::Core* core, const machine::AccessSite* access, const std::uint64_t* addresses,
                               std::uint64_t mask, std::uint8_t* values, machine::Stretch* stretches) {
        return each_lane(core, ir::Counter::loads, mask, [&](unsigned lane) {
            std::uint64_t raw = 0;
            const bool done = load_for(core, access, addresses[lane], &raw, stretches);
            if (done) std::memcpy(values + std::size_t{lane} * access->bytes, &raw, access->bytes);
            return done;
        });
    }
    static bool store_lanes_for(machine::Core* core, const machine::AccessSite* access, const std::uint64_t* addresses,
                                std::uint64_t mask, const std::uint8_t* values, machine::Stretch* stretches) {
        return each_lane(core, ir::Counter::stores, mask, [&](unsigned lane) {
            std::uint64_t raw = 0;
            std::memcpy(&raw, values + std::size_t{lane} * access->bytes, access->bytes);
            return store_for(core, access, addresses[lane], raw, stretches);
        });
    }
    static void accessed(machine::Core& core, ir::Counter counter, const machine::PageEntry* pages,
                         std::uint64_t address, const machine::AccessSite& access, machine::Stretch* stretches) {
        --core.counters[static_cast<std::size_t>(counter)];
        machine::find_stretch(pages, address, access, true, stretches);
    }
    // The second memory, by its bytes as they lie there: in units of 16 bits.
    bool apart(std::uint64_t address, std::uint32_t bytes, std::uint64_t* load, std::uint64_t raw) {
        if (address >= 1 << 16 || 2 * address + bytes > apart_.size() ||
            (core.alignment != 0 && 2 * address % bytes != 0))
            return refuse(core, address, bytes, load != nullptr);
        ++core.counters[static_cast<std::size_t>(load != nullptr ? ir::Counter::loads : ir::Counter::stores)];
        std::uint8_t* const place = &apart_[2 * address];
        if (load != nullptr) *load = 0;
        std::memcpy(load != nullptr ? static_cast<void*>(load) : place,
                    load != nullptr ? place : static_cast<const void*>(&raw), bytes);
        return true;
    }
    static bool refuse(machine::Core& core, std::uint64_t address, std::uint32_t bytes, bool loads) {
        const bool misaligned = core.alignment != 0 && 2 * address % bytes != 0;
        core.reason = misaligned ? StopReason::misaligned : loads ? StopReason::bad_read : StopReason::bad_write;
        core.fault_address = address;
        core.fault_bits = bytes * 8;
        return false;
    }
    static const machine::MicroOp* resolve(machine::Core& core, std::uint64_t address) {
        ProgramMachine& machine = self(&core);
        if (address % 4 == 0 && address / 4 < machine.ops_.size()) return machine.ops_[address / 4].data();
        machine.outside_address_ = address;
        return &machine.outside_;
    }
    static void nowhere(ISAFORGE_HANDLER_PARAMETERS) {
        machine::raise(op, core, count, pending, StopReason::bad_execute);
    }
    static void interpret(ISAFORGE_HANDLER_PARAMETERS);

    const std::vector<ir::Graph>& graphs_;
    std::deque<std::vector<machine::MicroOp>> ops_;
    machine::MicroOp outside_;
    std::uint64_t outside_address_ = 0;
    std::vector<std::uint8_t> apart_;
    std::array<machine::PageEntry, machine::page_count> apart_pages_;
    std::array<machine::JumpSlot, machine::jump_slots> jumps_{};
};

// One instruction on such a machine.
class UnitModel : public ir::Model {
public:
    UnitModel(const ir::Graph& graph, ProgramMachine& machine, std::uint64_t count, std::uint64_t pending)
        : Model(graph, machine.isa(), 1), machine_(machine), count_(count), pending_(pending) {}

    struct Refused {};  // thrown, with the reason in the core
    std::uint64_t pending() const { return pending_; }

protected:
    std::byte* place(const Place& place, unsigned& bit) {
        const auto [file, number, position] = place;
        const RegisterFile& registers = isa_.register_files[file];
        bit = position;
        std::byte* at = machine_.block.bytes() + machine_.layout.offset(file, number);
        if (registers.lanes != 1) {
            at += position / registers.bits * machine::lane_bytes(registers);
            bit = position % registers.bits;
        }
        at += bit / 8;
        bit %= 8;
        return at;
    }
    bool bit(const Place& of) override {
        unsigned bit = 0;
        const std::byte* const byte = place(of, bit);
        return (std::to_integer<unsigned>(*byte) >> bit & 1) != 0;
    }
    void set_bit(const Place& of, bool on) override {
        unsigned bit = 0;
        std::byte* const byte = place(of, bit);
        const auto mask = static_cast<std::byte>(1u << bit);
        *byte = on ? *byte | mask : *byte & ~mask;
    }

    void act(const ir::Instruction& instruction) override {
        switch (instruction.op) {
            case ir::Op::at: return;
            case ir::Op::count_cycles: machine_.core.cycles += scalar(instruction.operands[0]); return;
            case ir::Op::put_pc:
                return late(machine::LateResult::to_pc, instruction.delay, scalar(instruction.operands[0]));
            case ir::Op::executed:
                values_[instruction.result] = {executed(instruction) & ir::ones(graph_.type(instruction.result))};
                return;
            default: return access(instruction);
        }
    }
    void read_state(const ir::Instruction& instruction) override {
        values_[instruction.result] = {instruction.op == ir::Op::hart_number ? machine_.core.hart
                                                                             : machine_.core.harts};
    }
    std::uint64_t register_number(const ir::Instruction& instruction, std::uint64_t given) override {
        if (given < isa_.register_files[instruction.object].count) return given;
        machine_.core.reason = StopReason::bad_index;
        machine_.core.fault_address = given;
        throw Refused{};
    }
    void put_later(const ir::Instruction& instruction, std::uint64_t number, std::uint64_t value) override {
        late(machine_.layout.offset(instruction.object, number), instruction.delay, value);
    }
    void end(const ir::Instruction& instruction) override {
        const std::uint64_t unit = static_cast<std::uint64_t>(&graph_ - machine_.graphs_.data());
        switch (instruction.op) {
            case ir::Op::leave: machine_.core.target = scalar(instruction.operands[0]); return;
            case ir::Op::skip: machine_.core.target = 4 * unit + 4; return;
            default: machine_.core.reason = static_cast<StopReason>(instruction.number); throw Refused{};
        }
    }

private:
    std::uint64_t executed(const ir::Instruction& instruction) const {
        return instruction.number == 0 ? count_ : machine_.core.counters[instruction.number];
    }
    void late(std::uint32_t offset, unsigned delay, std::uint64_t value) {
        const std::uint64_t origin = 4 * static_cast<std::uint64_t>(&graph_ - machine_.graphs_.data());
        machine::LateResult* const made = machine::new_landing(machine_.core, count_, pending_, delay);
        if (made == nullptr) {
            machine_.core.reason = StopReason::port_collision;
            throw Refused{};
        }
        *made = {offset, 0, static_cast<std::uint32_t>(origin), value};
    }
    // Loads and stores, lane by lane.
    void access(const ir::Instruction& instruction) {
        const bool loads = instruction.op == ir::Op::load;
        const ir::Type type = graph_.type(loads ? instruction.result : instruction.operands[1]);
        const Lanes addresses = get(instruction.operands[0]);
        const Lanes mask = instruction.mask == ir::no_value ? Lanes(type.lanes, 1) : get(instruction.mask);
        Lanes values = loads ? Lanes(type.lanes) : get(instruction.operands[1]);
        for (unsigned lane = 0; lane < type.lanes; ++lane) {
            if (mask[lane] == 0) continue;
            std::uint64_t raw = values[lane];
            if (!(instruction.object == 0 ? mapped(loads, addresses[lane], type.container() / 8, raw)
                                          : apart(loads, addresses[lane], type.container() / 8, raw)))
                throw Refused{};
            values[lane] = raw & ir::ones(type);
        }
        if (loads) values_[instruction.result] = values;
    }
    bool mapped(bool loads, std::uint64_t address, std::uint32_t bytes, std::uint64_t& raw) {
        machine_.core.count = count_;
        if (machine_.bus_memory != nullptr) return by_bus(0, loads, address, bytes, raw);
        return loads ? ProgramMachine::load(&machine_.core, address, bytes, &raw)
                     : ProgramMachine::store(&machine_.core, address, bytes, raw);
    }
    // Big-endian.
    bool apart(bool loads, std::uint64_t address, std::uint32_t bytes, std::uint64_t& raw) {
        const auto turned = [&](std::uint64_t value) { return __builtin_bswap64(value) >> (64 - 8 * bytes); };
        std::uint64_t given = turned(raw);
        if (machine_.bus_memory != nullptr ? !by_bus(1, loads, address, bytes, given)
                                           : !machine_.apart(address, bytes, loads ? &given : nullptr, given))
            return false;
        if (loads) raw = turned(given);
        return true;
    }

    bool by_bus(Index space, bool loads, std::uint64_t address, std::uint32_t bytes, std::uint64_t& raw) {
        machine::Bus& bus = machine_.bus_memory->bus;
        return loads ? bus.load(space, address, bytes, raw) : bus.store(space, address, bytes, raw);
    }

    ProgramMachine& machine_;
    std::uint64_t count_, pending_;
};

inline void ProgramMachine::interpret(ISAFORGE_HANDLER_PARAMETERS) {
    ProgramMachine& machine = self(core);
    ++machine.interpreted;
    const std::size_t unit = machine.address_of(op) / 4;
    bool refused = false;
    {
        UnitModel model(machine.graphs_[unit], machine, count, pending);
        try {
            if (!model.run({}, 2000)) core->reason = StopReason::limit, refused = true;
        } catch (const UnitModel::Refused&) {
            refused = true;
        }
        pending = model.pending();
    }
    if (refused) return machine::raise(op, core, count, pending, core->reason);
    ISAFORGE_NEXT;
}

}  // namespace isaforge::jit
