// The passes that code of a region goes through: few, for it is short and waited for.
#include <llvm/Analysis/AliasAnalysis.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/Transforms/IPO/AlwaysInliner.h>
#include <llvm/Transforms/IPO/GlobalDCE.h>
#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Scalar/DCE.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/LICM.h>
#include <llvm/Transforms/Scalar/LoopPassManager.h>
#include <llvm/Transforms/Scalar/SROA.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>

#include <vector>

#include "jit/region.hpp"

namespace isaforge::jit {

namespace {

// LLVM 19 takes the exclusive or of two masks that lie in integers and are used elsewhere, too, into the integers and out again,
// for ever, where the host has registers for masks. A choice between one of them and its negation is the same.
void replace_exclusive_ors(llvm::Module& module) {
    std::vector<llvm::Instruction*> found;
    for (llvm::Function& function : module) {
        for (llvm::Instruction& one : llvm::instructions(function)) {
            const bool is_mask = one.getType()->isVectorTy() && one.getType()->getScalarType()->isIntegerTy(1);
            if (is_mask && one.getOpcode() == llvm::Instruction::Xor && !llvm::isa<llvm::Constant>(one.getOperand(1)))
                found.push_back(&one);
        }
    }
    for (llvm::Instruction* const one : found) {
        llvm::IRBuilder<> at(one);
        llvm::Value* const a = one->getOperand(0);
        one->replaceAllUsesWith(at.CreateSelect(one->getOperand(1), at.CreateNot(a), a));
        one->eraseFromParent();
    }
}

}  // namespace

void optimise(llvm::Module& module, llvm::TargetMachine& host) {
    llvm::LoopAnalysisManager loops;
    llvm::FunctionAnalysisManager functions;
    llvm::CGSCCAnalysisManager components;
    llvm::ModuleAnalysisManager modules;
    llvm::PassBuilder builder(&host);
    builder.registerModuleAnalyses(modules);
    builder.registerCGSCCAnalyses(components);
    builder.registerFunctionAnalyses(functions);
    builder.registerLoopAnalyses(loops);
    builder.crossRegisterProxies(loops, functions, components, modules);

    llvm::FunctionPassManager passes;
    passes.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
    passes.addPass(llvm::EarlyCSEPass(true));
    passes.addPass(llvm::SimplifyCFGPass());
    passes.addPass(llvm::InstCombinePass());
    passes.addPass(llvm::createFunctionToLoopPassAdaptor(llvm::LICMPass(llvm::LICMOptions()), true));
    passes.addPass(llvm::EarlyCSEPass(true));
    passes.addPass(llvm::SimplifyCFGPass());
    passes.addPass(llvm::InstCombinePass());
    passes.addPass(llvm::DCEPass());

    llvm::ModulePassManager all;
    all.addPass(llvm::AlwaysInlinerPass());
    all.addPass(llvm::GlobalDCEPass());
    all.addPass(llvm::createModuleToFunctionPassAdaptor(std::move(passes)));
    all.run(module, modules);
    replace_exclusive_ors(module);
}

}  // namespace isaforge::jit
