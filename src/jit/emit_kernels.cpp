// Operations that are done lane by lane: by kernels, the same functions that the interpreter is made of, or by a call of
// ir::compute where floats are not rounded to nearest.
#include <llvm/Bitcode/BitcodeReader.h>
#include <llvm/Linker/Linker.h>
#include <llvm/Support/MemoryBuffer.h>

#include "jit/emit.hpp"
#include "jit/kernels_bitcode.hpp"

namespace isaforge::jit {

namespace {

using llvm::Value;

// A kernel of floats is made for the width of its operands, unless these are 64 bits that become a float.
unsigned kernel_width(ir::Op op, ir::Type operand, ir::Type result) {
    if (ir::about(op).family == ir::Family::integer) return operand.container();
    const char given = ir::about(op).signature[2];
    return given == 'W' || given == 'D' ? result.bits : operand.bits;
}

std::uint32_t rules_of(ir::FloatMode mode) {
    return (mode.flush_subnormals ? 1u : 0u) | (mode.canonical_nan ? 2u : 0u);
}

// The same for many lanes, by code for one of them.
template <class Function>
llvm::Value* in_a_loop(Emission& e, ir::Type result, llvm::ArrayRef<llvm::Value*> x, Function&& each) {
    llvm::IRBuilder<>& b = e.b;
    llvm::Type* const wide = b.getInt64Ty();
    auto* const lanes = llvm::FixedVectorType::get(wide, result.lanes);
    llvm::SmallVector<llvm::AllocaInst*> arrays;
    for (Value* const operand : x) {
        arrays.push_back(e.variable(lanes));
        b.CreateStore(b.CreateZExt(operand, lanes), arrays.back());
    }
    llvm::AllocaInst* const made = e.variable(lanes);
    llvm::BasicBlock *const before = b.GetInsertBlock(), *const begin = e.new_block("kernel"),
                            *const done = e.new_block("kernels");
    b.CreateBr(begin);
    b.SetInsertPoint(begin);
    llvm::PHINode* const lane = b.CreatePHI(wide, 2);
    Value* given[ir::most_operands] = {b.getInt64(0), b.getInt64(0), b.getInt64(0)};
    for (std::size_t i = 0; i < x.size(); ++i)
        given[i] = b.CreateLoad(wide, b.CreateInBoundsGEP(wide, arrays[i], lane));
    b.CreateStore(each(given), b.CreateInBoundsGEP(wide, made, lane));
    Value* const next = b.CreateAdd(lane, b.getInt64(1));
    lane->addIncoming(b.getInt64(0), before);
    lane->addIncoming(next, b.GetInsertBlock());
    b.CreateCondBr(b.CreateICmpULT(next, b.getInt64(result.lanes)), begin, done);
    b.SetInsertPoint(done);
    return b.CreateTrunc(b.CreateLoad(lanes, made), e.element_type(result));
}

// The result of `each` on the lanes of operands, zero-extended, of which missing ones are 0.
template <class Function>
Value* lane_by_lane(Emission& e, ir::Type result, llvm::ArrayRef<Value*> x, Function&& each) {
    llvm::Type* const type = e.b.getIntNTy(result.bits);
    const auto one = [&](unsigned lane) {
        Value* given[ir::most_operands] = {e.b.getInt64(0), e.b.getInt64(0), e.b.getInt64(0)};
        for (std::size_t i = 0; i < x.size(); ++i) {
            Value* const operand = result.lanes == 1 ? x[i] : e.b.CreateExtractElement(x[i], lane);
            given[i] = e.b.CreateZExt(operand, e.b.getInt64Ty());
        }
        return e.b.CreateTrunc(each(given), type);
    };
    if (result.lanes == 1) return one(0);
    if (result.lanes >= 8) return in_a_loop(e, result, x, each);
    Value* made = llvm::PoisonValue::get(e.element_type(result));
    for (unsigned lane = 0; lane < result.lanes; ++lane) made = e.b.CreateInsertElement(made, one(lane), lane);
    return made;
}

}  // namespace

Value* emit_by_kernel(Emission& e, const ir::Instruction& instruction, ir::Type operand, ir::Type result,
                      llvm::ArrayRef<Value*> x) {
    e.uses_kernels = true;
    const std::string name = "kernel_" + std::string(ir::about(instruction.op).name) + "_" +
                             std::to_string(kernel_width(instruction.op, operand, result));
    llvm::Type* const wide = e.b.getInt64Ty();
    const llvm::FunctionCallee kernel =
        e.module.getOrInsertFunction(name, llvm::FunctionType::get(wide, {wide, wide, wide, e.b.getInt32Ty()}, false));
    Value* const rules = e.b.getInt32(rules_of(instruction.mode));
    return lane_by_lane(e, result, x, [&](Value* const(&given)[ir::most_operands]) {
        return e.b.CreateCall(kernel, {given[0], given[1], given[2], rules});
    });
}

Value* emit_by_callout(Emission& e, const ir::Instruction& instruction, ir::Type operand, ir::Type result,
                       llvm::ArrayRef<Value*> x) {
    const machine::Computation& what =
        e.computations.emplace_back(machine::Computation{instruction.op, operand, result, instruction.mode});
    llvm::Type* const wide = e.b.getInt64Ty();
    auto* const type = llvm::FunctionType::get(wide, {e.b.getPtrTy(), wide, wide, wide}, false);
    Value* const function = e.address(reinterpret_cast<const void*>(e.target.callouts.compute));
    return lane_by_lane(e, result, x, [&](Value* const(&given)[ir::most_operands]) {
        llvm::CallInst* const call = e.b.CreateCall(type, function, {e.address(&what), given[0], given[1], given[2]});
        call->setDoesNotAccessMemory();
        call->setDoesNotThrow();
        return call;
    });
}

// What they were compiled for gives way to the host that the module is for.
void link_kernels(llvm::Module& module) {
    const llvm::MemoryBufferRef bitcode(
        {kernels_bitcode_begin, static_cast<std::size_t>(kernels_bitcode_end - kernels_bitcode_begin)}, "kernels");
    auto kernels = llvm::cantFail(llvm::getLazyBitcodeModule(bitcode, module.getContext()));
    kernels->setDataLayout(module.getDataLayout());
    llvm::SmallVector<llvm::Function*> own;
    for (llvm::Function& function : module)
        if (!function.isDeclaration()) own.push_back(&function);
    if (llvm::Linker::linkModules(module, std::move(kernels), llvm::Linker::LinkOnlyNeeded))
        llvm::report_fatal_error("the kernels cannot be linked");
    for (llvm::Function& function : module) {
        if (function.isDeclaration() || llvm::is_contained(own, &function)) continue;
        function.setLinkage(llvm::GlobalValue::InternalLinkage);
        function.setComdat(nullptr);
        for (const char* const attribute : {"target-cpu", "target-features", "tune-cpu"})
            function.removeFnAttr(attribute);
        function.removeFnAttr(llvm::Attribute::NoInline);
        function.addFnAttr(llvm::Attribute::AlwaysInline);
    }
}

}  // namespace isaforge::jit
