// The plug-in: from a region to host code in memory. Each region has code of its own, which goes when it goes.
#include "machine/compiler.hpp"

#include <llvm/ADT/SmallVector.h>
#include <llvm/ExecutionEngine/JITSymbol.h>
#include <llvm/ExecutionEngine/RuntimeDyld.h>
#include <llvm/ExecutionEngine/SectionMemoryManager.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Verifier.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Object/ObjectFile.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Support/DynamicLibrary.h>
#include <llvm/Support/SmallVectorMemoryBuffer.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/TargetParser/Host.h>

#include <chrono>
#include <cstdlib>
#include <mutex>

#include "jit/region.hpp"

namespace isaforge::jit {

namespace {

class HostRegion final : public machine::CompiledRegion {
public:
    Kept kept;
    llvm::SectionMemoryManager memory;
};

// Passes that take long and find nothing in code of regions, or, as the hoisting of addresses, cost registers there.
void leave_out_passes() {
    auto& options = llvm::cl::getRegisteredOptions();
    for (const auto& [name, value] : {std::pair{"disable-x86-domain-reassignment", true},
                                      {"disable-lsr", true},
                                      {"disable-constant-hoisting", true},
                                      {"disable-post-ra", true},
                                      {"enable-misched", false}})
        if (const auto found = options.find(name); found != options.end())
            static_cast<llvm::cl::opt<bool>*>(found->second)->setValue(value);
}

// LLVM 19 swaps the operands of a masked comparison of halves (VCMPPH) to take one from the stack, and leaves the predicate as
// it was. Without these instructions halves are compared as floats of 32 bits. AVX10 includes them.
bool is_trusted(llvm::StringRef feature) { return feature != "avx512fp16" && !feature.starts_with("avx10"); }

std::unique_ptr<llvm::TargetMachine> host_machine() {
    leave_out_passes();
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    llvm::sys::DynamicLibrary::LoadLibraryPermanently(nullptr);  // functions of the process, for kernels to call
    const std::string triple = llvm::sys::getProcessTriple();
    std::string error, features;
    const llvm::Target* const target = llvm::TargetRegistry::lookupTarget(triple, error);
    if (target == nullptr) return nullptr;
    for (const auto& [name, on] : llvm::sys::getHostCPUFeatures())
        features += (features.empty() ? "" : ",") + std::string(on && is_trusted(name) ? "+" : "-") + name.str();
    return std::unique_ptr<llvm::TargetMachine>(
        target->createTargetMachine(triple, llvm::sys::getHostCPUName(), features, {}, llvm::Reloc::PIC_,
                                    llvm::CodeModel::Small, llvm::CodeGenOptLevel::Default, true));
}

class HostCompiler final : public machine::Compiler {
public:
    explicit HostCompiler(const machine::CompilerTarget& target) : target_(target), host_(host_machine()) {}

    bool works() const { return host_ != nullptr; }

    std::unique_ptr<machine::CompiledRegion> compile(const machine::CodeRegion& region) override {
        const std::lock_guard lock(mutex_);
        const auto begin = std::chrono::steady_clock::now();
        auto made = std::make_unique<HostRegion>();
        llvm::LLVMContext context;
        llvm::Module module("region", context);
        module.setTargetTriple(host_->getTargetTriple().str());
        module.setDataLayout(host_->createDataLayout());
        if (!emit_region(module, region, target_, made->kept, made->compiled)) return nullptr;
        check(module);
        optimise(module, *host_);
        if (!load(translate(module), region, *made)) return nullptr;
        made->seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
        return made;
    }

private:
    // Slow, and about our own mistakes only: tests ask for it.
    static void check(const llvm::Module& module) {
        const char* const wanted = std::getenv("ISAFORGE_CHECK_COMPILER");
        if (wanted == nullptr) return;
        if (*wanted == 'p') module.print(llvm::errs(), nullptr);
        if (llvm::verifyModule(module, &llvm::errs())) llvm::report_fatal_error("the compiler made a bad module");
    }

    llvm::SmallVector<char, 0> translate(llvm::Module& module) {
        llvm::SmallVector<char, 0> object;
        llvm::raw_svector_ostream out(object);
        llvm::legacy::PassManager passes;
        host_->addPassesToEmitFile(passes, out, nullptr, llvm::CodeGenFileType::ObjectFile);
        passes.run(module);
        return object;
    }

    static bool load(llvm::SmallVector<char, 0> object, const machine::CodeRegion& region, HostRegion& made) {
        made.code_bytes = object.size();
        const llvm::SmallVectorMemoryBuffer buffer(std::move(object), false);
        auto file = llvm::object::ObjectFile::createObjectFile(buffer.getMemBufferRef());
        if (!file) return llvm::consumeError(file.takeError()), false;
        llvm::RuntimeDyld linker(made.memory, made.memory);
        linker.loadObject(**file);
        linker.resolveRelocations();
        if (linker.hasError() || made.memory.finalizeMemory()) return false;
        for (std::size_t i = 0; i < region.entries.size(); ++i)
            made.entries.push_back(  // NOLINTNEXTLINE(performance-no-int-to-ptr): the linker knows places as numbers
                reinterpret_cast<machine::Handler>(linker.getSymbol(entry_name(i)).getAddress()));
        return true;
    }

    machine::CompilerTarget target_;
    std::unique_ptr<llvm::TargetMachine> host_;
    std::mutex mutex_;
};

}  // namespace

}  // namespace isaforge::jit

extern "C" __attribute__((visibility("default"))) isaforge::machine::Compiler* isaforge_make_compiler(
    std::uint32_t version, const isaforge::machine::CompilerTarget* target) {
    if (version != isaforge::machine::compiler_version) return nullptr;
    auto made = std::make_unique<isaforge::jit::HostCompiler>(*target);
    return made->works() ? made.release() : nullptr;
}
