#include "jit/region.hpp"

#include <algorithm>
#include <cstddef>

#include "jit/fuse.hpp"
#include "jit/unit.hpp"

namespace isaforge::jit {

using llvm::Value;
using machine::Core;

std::string entry_name(std::size_t entry) { return "entry" + std::to_string(entry); }

namespace {

class RegionEmitter {
public:
    RegionEmitter(Emission& e, const machine::CodeRegion& region, Kept& kept)
        : e_(e),
          region_(region),
          registers_(e),
          nodes_(region, e.target, registers_),
          late_(e, registers_, kept.shapes),
          exits_(e, registers_, late_, kept.ops),
          memory_(e, exits_, kept.accesses) {}

    bool run(std::vector<bool>& compiled) {
        compiled.assign(region_.units.size(), false);
        for (const Node& node : nodes_.all()) compiled[node.unit] = node.compiled && node.reached;
        const auto& entries = region_.entries;
        if (std::none_of(entries.begin(), entries.end(), [&](std::size_t i) { return compiled[i]; })) return false;
        e_.function = new_function("region", llvm::GlobalValue::InternalLinkage);
        e_.function->addParamAttr(1, llvm::Attribute::NoAlias);
        emit_entry();
        for (Node& node : nodes_.all())
            if (node.reached) emit_node(node);
        for (std::size_t i = 0; i < entries.size(); ++i) emit_way_in(i);
        if (e_.uses_kernels) link_kernels(e_.module);
        return true;
    }

private:
    llvm::Function* new_function(const std::string& name, llvm::GlobalValue::LinkageTypes linkage) {
        llvm::Function* const made = llvm::Function::Create(handler_type(e_), linkage, name, e_.module);
        made->setDoesNotThrow();
        return made;
    }

    // Everything is loaded, and then chosen where to begin.
    void emit_entry() {
        llvm::BasicBlock *const first = e_.new_block("variables"), *const begin = e_.new_block("begin");
        e_.b.SetInsertPoint(begin);
        registers_.make_variables();
        exits_.make_variables();
        memory_.make_variables(nodes_.plans());
        registers_.load_all();
        late_.make_variables(most_under_way_at_once());
        for (Node& node : nodes_.all())
            if (node.reached) node.block = e_.new_block("node");
        const auto& entries = region_.entries;
        Value* const number = e_.b.CreatePtrToInt(e_.function->getArg(0), e_.b.getInt64Ty());
        llvm::BasicBlock* const none = e_.new_block("none");
        llvm::SwitchInst* const choice = e_.b.CreateSwitch(number, none, static_cast<unsigned>(entries.size()));
        for (std::size_t i = 0; i < entries.size(); ++i) choice->addCase(e_.b.getInt64(i), way_to(entries[i]));
        e_.b.SetInsertPoint(none);
        e_.b.CreateUnreachable();
        e_.b.SetInsertPoint(first);
        e_.b.CreateBr(begin);
    }

    // Also where that is too much for the node to be compiled: it is handed to the interpreter.
    std::size_t most_under_way_at_once() {
        std::size_t most = 1;
        for (const Node& node : nodes_.all())
            if (node.reached) most = std::max(most, node.under_way.size() + nodes_.plan(node).late().size());
        return most;
    }

    // What is under way becomes the node's; where it is something else, the interpreter goes on. A node that does not look
    // itself whether the run is to stop is led to by a look.
    llvm::BasicBlock* way_to(std::size_t index) {
        const Node& node = nodes_.all()[index];
        const machine::Unit& unit = region_.units[index];
        llvm::BasicBlock *const way = e_.new_block("way"), *const in = e_.new_block("in"),
                                *const out = e_.new_block("out");
        e_.b.SetInsertPoint(way);
        exits_.begin(nodes_.plan(node));
        late_.begin(node.under_way, nodes_.plan(node).late());
        Value *const count = e_.function->getArg(3), *const pending = e_.function->getArg(4);
        e_.b.CreateCondBr(late_.take(count, pending), in, out);
        e_.b.SetInsertPoint(out);
        emit_handler_call(e_, e_.address(reinterpret_cast<const void*>(unit.run)), e_.address(unit.op), count, pending);
        e_.b.SetInsertPoint(in);
        if (node.compiled && !node.checked) emit_check(node);
        e_.b.CreateBr(node.block);
        return way;
    }

    void emit_node(const Node& node) {
        const Plan& plan = nodes_.plan(node);
        e_.b.SetInsertPoint(node.block);
        exits_.begin(plan);
        late_.begin(node.under_way, plan.late());
        if (!node.compiled) return exits_.to_interpreter();
        if (node.checked) emit_check(node);
        if (node.called) return emit_called(node);
        for (const Index file : node.crowded) emit_port_check(node, file);
        UnitEmitter({e_, registers_, late_, exits_, memory_}, nodes_, node).run();
    }

    // The next instruction is known by its first operation.
    void emit_called(const Node& node) {
        Value* const next = exits_.interpret();
        memory_.forget();
        for (const auto& [address, to] : node.next) {
            llvm::BasicBlock *const here = e_.new_block("next"), *const other = e_.new_block("other");
            const machine::MicroOp* const op = nodes_.plan(nodes_.all()[to]).unit().op;
            e_.b.CreateCondBr(e_.b.CreateICmpEQ(next, e_.address(op)), here, other);
            e_.b.SetInsertPoint(here);
            late_.move_on(nodes_.all()[to].under_way);
            e_.b.CreateBr(nodes_.all()[to].block);
            e_.b.SetInsertPoint(other);
        }
        exits_.go_on_with(next);
    }

    // Whether the run is to stop before the next check. Another thread may have said so.
    void emit_check(const Node& node) {
        llvm::LoadInst* const stop = e_.b.CreateLoad(e_.b.getInt64Ty(), exits_.core_field(offsetof(Core, stop_at)));
        stop->setAlignment(llvm::Align(8));
        stop->setAtomic(llvm::AtomicOrdering::Monotonic);
        Value* const then = e_.b.CreateAdd(exits_.count(), e_.b.getInt64(node.longest));
        llvm::BasicBlock *const stops = e_.new_block("stop"), *const on = e_.new_block("go");
        e_.b.CreateCondBr(e_.b.CreateICmpUGE(then, stop), stops, on, rarely(e_.context));
        e_.b.SetInsertPoint(stops);
        e_.b.CreateStore(exits_.count(), exits_.core_field(offsetof(Core, left_at)));
        exits_.to_interpreter();
        e_.b.SetInsertPoint(on);
    }
    // The interpreter knows whose results collide.
    void emit_port_check(const Node& node, Index file) {
        const unsigned ports = e_.target.isa->register_files[file].write_ports;
        const unsigned writes = nodes_.plan(node).writes_to(file);
        llvm::BasicBlock *const collide = e_.new_block("collide"), *const on = e_.new_block("go");
        Value* const free = e_.b.getInt32(ports > writes ? ports - writes : 0);
        e_.b.CreateCondBr(e_.b.CreateICmpUGT(late_.landing_in(file), free), collide, on, rarely(e_.context));
        e_.b.SetInsertPoint(collide);
        exits_.to_interpreter();
        e_.b.SetInsertPoint(on);
    }

    void emit_way_in(std::size_t entry) {
        llvm::Function* const body = e_.function;
        e_.function = new_function(entry_name(entry), llvm::GlobalValue::ExternalLinkage);
        e_.b.SetInsertPoint(e_.new_block("in"));
        // NOLINTNEXTLINE(performance-no-int-to-ptr): the place of an operation tells the body its way in
        emit_handler_call(e_, body, e_.address(reinterpret_cast<const void*>(entry)), e_.function->getArg(3),
                          e_.function->getArg(4));
        e_.function = body;
    }

    Emission& e_;
    const machine::CodeRegion& region_;
    Registers registers_;
    Nodes nodes_;
    LateResults late_;
    Exits exits_;
    Memory memory_;
};

}  // namespace

bool emit_region(llvm::Module& module, const machine::CodeRegion& region, const machine::CompilerTarget& target,
                 Kept& kept, std::vector<bool>& compiled) {
    llvm::IRBuilder<> builder(module.getContext());
    Emission emission{module.getContext(), module, builder, target, kept.computations};
    const Fused fused = fuse(region, target);
    std::vector<bool> fused_compiled;
    const bool made = RegionEmitter(emission, fused.region, kept).run(fused_compiled);
    compiled.assign(region.units.size(), false);
    for (std::size_t i = 0; i < fused.parts.size(); ++i)
        for (const std::size_t part : fused.parts[i]) compiled[part] = fused_compiled[i];
    return made;
}

}  // namespace isaforge::jit
