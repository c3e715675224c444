// What emitters of operations share: the function under construction, and the values of the form as LLVM has them. Integers
// and floats are both iN, as their bits; lanes are vectors, masks vectors of i1, a tuple has one value for each element.
#pragma once

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/Module.h>

#include <deque>

#include "ir/graph.hpp"
#include "machine/compiler.hpp"

namespace isaforge::jit {

using Elements = llvm::SmallVector<llvm::Value*, 1>;

// More lanes are done in groups, and registers of so many stay in the block.
inline constexpr unsigned most_lanes_at_once = 16;

struct Emission {
    llvm::LLVMContext& context;
    llvm::Module& module;
    llvm::IRBuilder<>& b;
    const machine::CompilerTarget& target;
    std::deque<machine::Computation>& computations;  // that code refers to
    llvm::Function* function = nullptr;
    bool uses_kernels = false;
    // Where set, results that are no numbers are not looked after, but noted here: lanes that are some.
    llvm::SmallVector<llvm::Value*>* no_numbers = nullptr;
    bool is_noted_later = false;  // what is computed now is no number only where something noted is none either

    llvm::Type* element_type(ir::Type type) const {
        llvm::Type* const lane = b.getIntNTy(type.bits);
        return type.lanes == 1 ? lane : llvm::FixedVectorType::get(lane, type.lanes);
    }
    llvm::Constant* constant(ir::Type type, std::uint64_t value) const {
        const bool all = type.is_mask() && value != 0;
        return all ? llvm::Constant::getAllOnesValue(element_type(type))
                   : llvm::ConstantInt::get(element_type(type), value);
    }
    // A pointer that the process has.
    llvm::Value* address(const void* of) const {
        return llvm::ConstantExpr::getIntToPtr(b.getInt64(reinterpret_cast<std::uintptr_t>(of)), b.getPtrTy());
    }
    llvm::BasicBlock* new_block(const char* name) const { return llvm::BasicBlock::Create(context, name, function); }
    // For variables: in the function's first block, whatever else stands there.
    llvm::AllocaInst* variable(llvm::Type* type) const {
        llvm::BasicBlock& first = function->getEntryBlock();
        return llvm::IRBuilder<>(&first, first.begin()).CreateAlloca(type);
    }
};

// For branches: the first way is seldom taken.
inline llvm::MDNode* rarely(llvm::LLVMContext& context) {
    return llvm::MDBuilder(context).createBranchWeights(1, 10000);
}

// One element of the result; the operands likewise, as many lanes each.
llvm::Value* emit_integer(Emission& e, const ir::Instruction& instruction, ir::Type operand, ir::Type result,
                          llvm::ArrayRef<llvm::Value*> x);
llvm::Value* emit_float(Emission& e, const ir::Instruction& instruction, ir::Type operand, ir::Type result,
                        llvm::ArrayRef<llvm::Value*> x);

// The operation lane by lane: by its kernel, or where that is not right for its mode by ir::compute.
llvm::Value* emit_by_kernel(Emission& e, const ir::Instruction& instruction, ir::Type operand, ir::Type result,
                            llvm::ArrayRef<llvm::Value*> x);
llvm::Value* emit_by_callout(Emission& e, const ir::Instruction& instruction, ir::Type operand, ir::Type result,
                             llvm::ArrayRef<llvm::Value*> x);

// Conversions and moves of lanes. An operation of these families is emitted whole.
Elements emit_moved(Emission& e, const ir::Instruction& instruction, ir::Type operand, ir::Type result,
                    llvm::ArrayRef<Elements> x);

// Any pure operation, whole.
Elements emit_pure(Emission& e, const ir::Instruction& instruction, ir::Type operand, ir::Type result,
                   llvm::ArrayRef<Elements> x);
// What a function gives of one lane of its arguments.
llvm::Value* emit_function(Emission& e, const ir::Graph& function, llvm::ArrayRef<llvm::Value*> arguments);

// Those of the kernels that the module calls become its own.
void link_kernels(llvm::Module& module);

}  // namespace isaforge::jit
