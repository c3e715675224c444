// Loading the plug-in, and what its code calls here.
#include "machine/compiler.hpp"

#include <dlfcn.h>

#include "ir/evaluate.hpp"
#include "machine/bus.hpp"
#include "machine/memory_bytes.hpp"

namespace isaforge::machine {

namespace {

// Where the bytes are, if the table knows.
bool place_of(const Core& core, const PageEntry* pages, std::uint64_t address, std::uint32_t bytes,
              std::uint8_t*& place) {
    const PageEntry& page = pages[page_of(address)];
    return find_place(page, address, bytes, static_cast<unsigned>(page.unit_shift), core.alignment != 0, place);
}

Accessed load(Core* core, Index space, std::uint64_t address, std::uint32_t bytes, std::uint64_t* raw,
              Stretch* around) {
    const PageEntry* const pages = core->load_pages[space];
    if (std::uint8_t* place = nullptr; place_of(*core, pages, address, bytes, place)) {
        *raw = load_shared(place, bytes);
        *around = find_stretch(pages, address);
        return Accessed::at_once;
    }
    if (!core->bus->load(space, address, bytes, *raw)) return Accessed::refused;
    --core->counters[static_cast<std::size_t>(ir::Counter::loads)];
    *around = find_stretch(core->load_pages[space], address);
    return Accessed::by_bus;
}

Accessed store(Core* core, Index space, std::uint64_t address, std::uint32_t bytes, std::uint64_t raw,
               Stretch* around) {
    const PageEntry* const pages = core->store_pages[space];
    if (std::uint8_t* place = nullptr; place_of(*core, pages, address, bytes, place)) {
        store_shared(place, bytes, raw);
        *around = find_stretch(pages, address);
        return Accessed::at_once;
    }
    if (!core->bus->store(space, address, bytes, raw)) return Accessed::refused;
    --core->counters[static_cast<std::size_t>(ir::Counter::stores)];
    *around = find_stretch(core->store_pages[space], address);
    return Accessed::by_bus;
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

Stretch find_stretch(const PageEntry* pages, std::uint64_t address) {
    const PageEntry& page = pages[page_of(address)];
    const std::uint64_t room = page.room >> page.unit_shift;
    if (page.bytes == nullptr || address - page.first > room) return {};
    return {page.first, room + 1, page.bytes};
}

Callouts machine_callouts() { return {handlers::end, handlers::end_jump, raise, load, store, compute, land_later}; }

// It is never unloaded: code of a region may be freed after the compiler.
std::unique_ptr<Compiler> load_compiler(const std::string& path, const CompilerTarget& target, std::string& error) {
    if (path.empty()) {  // which dlopen takes for the program itself
        error = std::string(compiler_library) + " is neither beside the program nor in the folder of its libraries";
        return nullptr;
    }
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
