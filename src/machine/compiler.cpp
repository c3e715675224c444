// Loading the plug-in, and what its code calls here.
#include "machine/compiler.hpp"

#include <dlfcn.h>

#include "ir/evaluate.hpp"
#include "machine/bus.hpp"

namespace isaforge::machine {

namespace {

bool load_by_bus(Core* core, Index space, std::uint64_t address, std::uint32_t bytes, std::uint64_t* raw) {
    return core->bus->load(space, address, bytes, *raw);
}

bool store_by_bus(Core* core, Index space, std::uint64_t address, std::uint32_t bytes, std::uint64_t raw) {
    return core->bus->store(space, address, bytes, raw);
}

std::uint64_t compute(const Computation* what, std::uint64_t a, std::uint64_t b, std::uint64_t c) {
    const std::uint64_t operands[] = {a, b, c};
    return ir::compute(what->op, what->operand, what->result, {operands, ir::operand_count(what->op)}, what->mode);
}

std::uint64_t land_later(Core* core, std::uint64_t count, std::uint64_t pending, std::uint32_t delay,
                         std::uint32_t offset, std::uint32_t port, std::uint32_t origin, std::uint64_t value) {
    if (LateResult* const late = new_landing(*core, count, pending, delay)) *late = {offset, port, origin, value};
    return pending;
}

}  // namespace

Callouts machine_callouts() {
    return {handlers::end, handlers::end_jump, raise, load_by_bus, store_by_bus, compute, land_later};
}

// It is never unloaded: code of a region may be freed after the compiler.
std::unique_ptr<Compiler> load_compiler(const std::string& path, const CompilerTarget& target, std::string& error) {
    void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
        error = dlerror();
        return nullptr;
    }
    const auto make = reinterpret_cast<MakeCompiler>(dlsym(library, compiler_symbol));
    std::unique_ptr<Compiler> made(make != nullptr ? make(compiler_version, &target) : nullptr);
    if (made == nullptr) error = path + " does not belong to this version";
    return made;
}

}  // namespace isaforge::machine
