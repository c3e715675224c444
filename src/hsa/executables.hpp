// Code objects as clients load them: readers of bytes, executables that hold what was loaded, and the symbols in them.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "hsa/agent.hpp"

namespace isaforge::hsa {

// The bytes of a code object: the client's own, or read from a file.
struct Reader {
    std::span<const std::uint8_t> bytes;
    std::vector<std::uint8_t> own;
};

struct Executable;

struct Symbol {
    std::string name;                        // as clients know it: kernels end in ".kd" where the object has it so
    Executable* executable = nullptr;
    Agent* agent = nullptr;
    const KernelInfo* kernel = nullptr;      // null: a variable
    std::uint64_t address = 0, bytes = 0;

    bool is_named(std::string_view asked) const;   // by either name that a kernel has
};

// One code object, loaded for an agent.
struct Loaded {
    Executable* executable = nullptr;
    Agent* agent = nullptr;
    std::shared_ptr<const CodeObject> object;
    std::span<const std::uint8_t> bytes;     // what it was loaded from
};

struct Executable {
    hsa_profile_t profile = HSA_PROFILE_BASE;
    bool is_frozen = false;
    std::map<std::string, std::uint64_t, std::less<>> definitions;   // of variables, by the client
    std::vector<std::unique_ptr<Loaded>> loaded;
    std::vector<std::unique_ptr<Symbol>> symbols;

    // By either name that a kernel has. Null where there is none; `agent` null: any.
    const Symbol* find(std::string_view name, const Agent* agent) const;
};

class Executables {
public:
    Executable* make(hsa_profile_t profile);
    void end(Executable* executable);
    hsa_status_t load(Executable& executable, Agent& agent, std::span<const std::uint8_t> bytes, Loaded** loaded);
    // Of each, in the order in which they were made, while none begins or ends.
    void for_each(const std::function<void(Executable&)>& use) const;
    // Whose descriptor is there; its copy, as it may be gone soon. Empty name: nobody's.
    KernelInfo find_kernel(std::uint64_t object) const;
    // What lies at an address of a processor's; null: nothing.
    Loaded* find_loaded(std::uint64_t address) const;

private:
    mutable std::mutex mutex_;
    std::vector<std::unique_ptr<Executable>> all_;
};

hsa_status_t symbol_info(const Symbol& symbol, int attribute, void* value);

}  // namespace isaforge::hsa
