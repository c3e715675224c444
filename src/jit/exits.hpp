// The ways out of a region, with what the interpreter has to find there: registers and counts in their places, late results
// in the ring, and the operation to go on with.
#pragma once

#include <deque>
#include <map>

#include "jit/late.hpp"
#include "jit/nodes.hpp"

namespace isaforge::jit {

class Exits {
public:
    Exits(Emission& e, Registers& registers, LateResults& late, std::deque<machine::MicroOp>& ops)
        : e_(e), registers_(registers), late_(late), ops_(ops) {}

    void make_variables();
    void begin(const Plan& plan);

    llvm::Value* count();
    void count_more(std::uint64_t instructions);
    // The next part of the unit that code is put for begins.
    void begin_part(std::uint64_t part);
    // The last one ends.
    void end_parts() { count_more(unit_->count() - 1 - part_); }
    std::uint64_t part_address(std::uint64_t part) const { return unit_->parts[part].address; }
    void note_access(ir::Counter counter, llvm::Value* times);
    void count_cycles(llvm::Value* cycles);
    llvm::Value* noted(ir::Counter counter);
    llvm::Value* core_field(std::size_t offset);

    // Each ends the block where code is being put. At the instruction's beginning:
    void to_interpreter();
    // At its end, with results landed:
    void end_at(std::uint64_t address);
    void end_computed(llvm::Value* address);
    // Within it, with the reason in the core, or with that reason:
    void raise();
    void raise(StopReason reason);
    // The interpreter does the instruction. Gives the operation that it goes on with; code goes on where there is one.
    llvm::Value* interpret();
    void go_on_with(llvm::Value* op);
    // Goes on where the number is less than so many; the register that it names is missing elsewhere.
    void expect_register(llvm::Value* number, unsigned count);

    // Before another function looks at the core.
    void store_count();

private:
    // The block that ways out have in common, and the operation to go on with there; or not in common.
    struct Tail {
        llvm::BasicBlock* block = nullptr;
        llvm::Value* at = nullptr;
    };
    bool begin_shared(Tail& tail, const machine::MicroOp* op, llvm::Value* pending);
    void store_counters();
    void call(machine::Handler function, const machine::MicroOp* op, llvm::Value* pending);

    Emission& e_;
    Registers& registers_;
    LateResults& late_;
    std::deque<machine::MicroOp>& ops_;
    std::map<std::uint64_t, const machine::MicroOp*> ends_;  // by address
    std::map<machine::Handler, Tail> calls_;
    Tail raised_;
    llvm::AllocaInst* op_ = nullptr;  // for shared tails
    const machine::Unit* unit_ = nullptr;
    std::uint64_t part_ = 0;  // of the unit
    Registers::Snapshot snapshot_;
    llvm::AllocaInst *count_ = nullptr, *loads_ = nullptr, *stores_ = nullptr;
};

// From the entry to the run of the interpreter: `op` is where it is now.
void emit_handler_call(Emission& e, llvm::Value* function, llvm::Value* op, llvm::Value* count, llvm::Value* pending);

llvm::FunctionType* handler_type(Emission& e);

}  // namespace isaforge::jit
