#include "jit/plan.hpp"

#include <algorithm>

#include "ir/dominators.hpp"

namespace isaforge::jit {

using ir::BlockId;
using ir::Instruction;
using ir::Op;

namespace {

// What cannot be done twice: where the interpreter starts the instruction again, it must not have happened.
bool acts(Op op) {
    return op == Op::load || op == Op::store || op == Op::update || op == Op::put_at || op == Op::count_cycles;
}

}  // namespace

Plan::Plan(const machine::Unit& unit, const machine::CompilerTarget& target) : unit_(unit), target_(target) {
    find_parts();
    compiled_ = unit.operations() <= machine::most_operations_of_unit && !hands_over(0) && !may_act_before_handover() &&
                !puts_late_in_loops();
    if (!compiled_) order_.clear();
    for_each([&](BlockId, const Instruction& instruction) {
        stores_ |= instruction.op == Op::store || instruction.op == Op::update;
    });
    find_ways();
}

bool Plan::stops() const {
    const auto& entry = graph().blocks[0].body;
    return std::any_of(entry.begin(), entry.end(), [](const Instruction& each) { return each.op == Op::stop; });
}

// ---------------------------------------------------------------------------------------------------------------------
// What is compiled

bool Plan::is_supported_register(const Instruction& instruction) const {
    const RegisterFile& file = target_.isa->register_files[instruction.object];
    const bool reads = instruction.result != ir::no_value;
    const ir::Type type = graph().type(reads ? instruction.result : instruction.inputs().back());
    if (ir::is_indexed(instruction.op) && type.count != 1) return false;
    if (instruction.delay != 0 &&
        (file.lanes != 1 || type.count != 1 || type.bits != file.bits || instruction.delay >= machine::ring_size))
        return false;
    return Registers::is_supported(file, type, instruction.first);
}

bool Plan::is_supported_access(const Instruction& instruction) const {
    const bool reads = instruction.result != ir::no_value;
    const ir::Type type = graph().type(reads ? instruction.result : instruction.inputs().back());
    return type.count == 1;
}

bool Plan::is_supported(const Instruction& instruction) const {
    switch (instruction.op) {
        case Op::get:
        case Op::get_at:
        case Op::put:
        case Op::put_at: return is_supported_register(instruction);
        case Op::put_pc: return instruction.delay != 0 && instruction.delay < machine::ring_size;
        case Op::load:
        case Op::store:
        case Op::update: return is_supported_access(instruction);
        case Op::hart_number:
        case Op::hart_count:
        case Op::group_number:
        case Op::group_count:
        case Op::event_value:
        case Op::executed:
        case Op::count_cycles:
        case Op::at:
        case Op::jump:
        case Op::branch:
        case Op::leave:
        case Op::skip:
        case Op::fault: return true;
        default: break;
    }
    if (ir::about(instruction.op).effect != ir::Effect::pure || instruction.mode.by_mode) return false;
    const bool reduces = instruction.op >= Op::reduce_and && instruction.op <= Op::reduce_add;
    return !reduces || graph().type(instruction.result).count == 1;
}

// Up to the first of each block that is not compiled, of blocks that are led to without one.
void Plan::find_parts() {
    const auto& blocks = graph().blocks;
    parts_.assign(blocks.size(), 0);
    std::vector<bool> reached(blocks.size());
    std::vector<BlockId> open = {0};
    reached[0] = true;
    while (!open.empty()) {
        const BlockId id = open.back();
        open.pop_back();
        const ir::Block& block = blocks[id];
        const auto stop = std::find_if(block.body.begin(), block.body.end(),
                                       [&](const Instruction& each) { return !is_supported(each); });
        parts_[id] = static_cast<std::size_t>(stop - block.body.begin());
        if (stop != block.body.end() || !is_supported(block.end)) continue;
        parts_[id] = block.body.size() + 1;
        for (const ir::Edge& edge : block.edges) {
            if (!reached[edge.block]) open.push_back(edge.block);
            reached[edge.block] = true;
        }
    }
    const ir::Dominators dominators(graph());
    for (const BlockId id : dominators.order())
        if (reached[id]) order_.push_back(id);
}

bool Plan::hands_over() const {
    return std::any_of(order_.begin(), order_.end(), [&](BlockId id) { return hands_over(id); });
}

bool Plan::may_act_before_handover() const {
    std::vector<bool> before(graph().blocks.size()), after(graph().blocks.size());
    for (bool changed = true; changed;) {
        changed = false;
        for (const BlockId id : order_) {
            const ir::Block& block = graph().blocks[id];
            const auto end = block.body.begin() + static_cast<std::ptrdiff_t>(std::min(parts_[id], block.body.size()));
            const bool now = before[id] || std::any_of(block.body.begin(), end,
                                                       [](const Instruction& each) { return acts(each.op); });
            if (now == after[id]) continue;
            after[id] = changed = true;
            for (const ir::Edge& edge : block.edges) before[edge.block] = true;
        }
    }
    return std::any_of(order_.begin(), order_.end(), [&](BlockId id) { return hands_over(id) && after[id]; });
}

// The same result may land more than once then.
bool Plan::puts_late_in_loops() const {
    bool late = false, loops = false;
    for_each([&](BlockId, const Instruction& instruction) { late |= instruction.delay != 0; });
    std::vector<bool> seen(graph().blocks.size());
    for (const BlockId id : order_) {
        seen[id] = true;
        for (const ir::Edge& edge : graph().blocks[id].edges) loops |= seen[edge.block];
    }
    return late && loops;
}

// ---------------------------------------------------------------------------------------------------------------------
// Where it goes

void Plan::collect(ir::Value address, Ways& ways, unsigned depth) const {
    if (const auto known = graph().known(address)) return ways.add(*known);
    const Instruction* const maker = depth == 0 ? nullptr : maker_of(graph(), address);
    if (maker != nullptr && maker->op == Op::select) {
        collect(maker->operands[1], ways, depth - 1);
        collect(maker->operands[2], ways, depth - 1);
        return;
    }
    bool found = false;
    for (const BlockId id : order_) {
        const auto& arguments = graph().blocks[id].arguments;
        const auto argument = std::find(arguments.begin(), arguments.end(), address);
        if (depth == 0 || argument == arguments.end()) continue;
        found = true;
        for (const BlockId from : order_)
            for (const ir::Edge& edge : graph().blocks[from].edges)
                if (edge.block == id)
                    collect(edge.values[static_cast<std::size_t>(argument - arguments.begin())], ways, depth - 1);
    }
    ways.open |= !found;
}

Ways Plan::ways_of(ir::Value address) const {
    Ways ways;
    collect(address, ways, 4);
    if (ways.open)
        for (const std::uint64_t target : unit_.targets) ways.add(target);
    return ways;
}

void Plan::find_ways() {
    if (is_called()) return find_all_ways();
    for (const BlockId id : order_) {
        const Instruction& end = graph().blocks[id].end;
        if (hands_over(id)) continue;
        if (end.op == Op::skip) ways_.add(unit_.next_address);
        if (end.op != Op::leave) continue;
        const Ways ways = ways_of(end.operands[0]);
        for (const std::uint64_t address : ways.known) ways_.add(address);
        ways_.open |= ways.open;
    }
}

// Those that are seen at once: the interpreter knows the others.
void Plan::find_all_ways() {
    for (const ir::Block& block : graph().blocks) {
        if (block.end.op == Op::skip) ways_.add(unit_.next_address);
        if (block.end.op == Op::leave)
            if (const auto known = graph().known(block.end.operands[0])) ways_.add(*known);
    }
    for (const std::uint64_t target : unit_.targets) ways_.add(target);
    ways_.open = true;
}

// ---------------------------------------------------------------------------------------------------------------------
// Registers

void Plan::add_registers(Registers& registers) const {
    for_each([&](BlockId, const Instruction& instruction) {
        if (instruction.op != Op::get && instruction.op != Op::put) return;
        const bool reads = instruction.op == Op::get;
        const ir::Type type = graph().type(reads ? instruction.result : instruction.operands[0]);
        const Registers::Use use =
            reads ? Registers::Use::reads : registers.use_of(instruction.object, type, instruction.delay);
        for (unsigned i = 0; i < type.count; ++i) registers.add(instruction.object, instruction.number + i, use);
    });
}

void Plan::note_registers(const Registers& registers) {
    written_.resize(static_cast<unsigned>(registers.size()));
    for_each([&](BlockId id, const Instruction& instruction) {
        registers.note_writes(graph(), instruction, written_);
        if (instruction.delay == 0) return;
        LatePut late{.delay = instruction.delay, .file = instruction.object, .origin = unit_.address};
        late.always = instruction.mask == ir::no_value && id == 0;
        if (instruction.op == Op::put) {
            late.cell = registers.find(instruction.object, instruction.number);
        } else if (instruction.op == Op::put_at) {
            late.kind = LatePut::Kind::at;
        } else {
            late.kind = LatePut::Kind::pc;
            late.file = no_index;
            late.target = graph().known(instruction.operands[0]);
        }
        late_.push_back(late);
        late_instructions_.push_back(&instruction);
    });
}

std::size_t Plan::late_number(const Instruction& instruction) const {
    return static_cast<std::size_t>(std::find(late_instructions_.begin(), late_instructions_.end(), &instruction) -
                                    late_instructions_.begin());
}

unsigned Plan::writes_to(Index file) const {
    unsigned count = 0;
    for_each([&](BlockId, const Instruction& instruction) {
        const bool writes = instruction.op == Op::put || instruction.op == Op::put_at;
        if (!writes || instruction.delay != 0 || instruction.object != file) return;
        count += graph().type(instruction.inputs().back()).count;
    });
    return count;
}

}  // namespace isaforge::jit
