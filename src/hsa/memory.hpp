// Memory that the processors may use: allocated from pools, or the program's own for which it asked. Processors find it at the
// addresses that the program knows; the program's own has a second one there too, since clients tell the two apart.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "hsa/api.hpp"
#include "hsa/sharing.hpp"
#include "support/guarded_pages.hpp"

namespace isaforge::hsa {

class Agent;

// Where memory comes from. Its address is its handle.
struct Pool {
    enum class Kind : std::uint8_t { fine, kernarg, coarse, group };
    Agent* agent = nullptr;
    Kind kind = Kind::fine;

    bool is_host() const;
    std::uint32_t flags() const;   // hsa_amd_memory_pool_global_flag_t, which are hsa_region_global_flag_t too
    std::size_t bytes() const;     // that there are in all
};

struct Allocation {
    std::uint64_t base = 0, bytes = 0;      // as processors know it
    std::uint64_t mapped = 0;               // bytes from there on that kernels may use
    std::uint8_t* host = nullptr;           // its first byte for the program
    const Pool* pool = nullptr;
    bool is_locked = false;                 // the program's own
    bool is_attached = false;               // another process's, or this one's a second time
    bool is_internal = false;               // code, signals: not for clients
    bool is_shared = false;                 // others may have it
    std::uint64_t offset = 0;               // in the shared file, where it is neither locked nor attached
    void* user = nullptr;                   // hsa_amd_pointer_info_set_userdata
    struct Watcher {
        hsa_amd_deallocation_callback_t call = nullptr;
        void* user = nullptr;
    };
    std::vector<Watcher> watchers;          // told when it ends
    std::shared_ptr<GuardedPages>
        pages;  // what it lies in, or its second address does; none where it has but the program's

    std::uint64_t end() const { return base + bytes; }
};

class Memory {
public:
    hsa_status_t allocate(const Pool& pool, std::size_t bytes, void** memory);
    // Kernels that still run may go on with a small one for a while, as on a GPU, where many of them share a large page. They may
    // not where checks look at bounds.
    hsa_status_t release(void* memory);
    hsa_status_t lock(void* host, std::size_t bytes, const Pool& pool, bool same_address, void** memory);
    hsa_status_t unlock(void* host);

    // Where other processes find an allocation, or a part of an internal one; it keeps its memory as long as this process is
    // there. Clients may round its length up to whole pages. Nothing where it is none, or another process's.
    std::optional<SharedPlace> share(const void* memory, std::size_t bytes, bool is_internal = false);
    hsa_status_t attach(const SharedPlace& place, void** memory, bool is_internal = false);
    hsa_status_t detach(void* memory);

    // A copy of what is known; nothing where an address is none of these. Host addresses of locked memory are known too.
    std::optional<Allocation> find(const void* address) const;
    // Where the program finds what a processor has there.
    void* host_address(const void* address) const;
    // Copies there, as processors know both places, and fills so many words.
    void copy(void* to, const void* from, std::size_t bytes) const;
    void fill(void* to, std::uint32_t value, std::size_t count) const;
    // False where there is no such allocation.
    bool change(const void* address, const std::function<void(Allocation&)>& change);

private:
    const Allocation* look_up(std::uint64_t address) const;
    void register_everywhere(const Allocation& allocation, const std::string& name) const;
    std::uint64_t take_in(const Allocation& allocation);
    std::optional<Allocation> take_out(const void* memory, bool is_attached);
    static void tell_watchers(const Allocation& gone, const void* memory);
    void give_back(const Allocation& gone);
    std::vector<Allocation> keep(Allocation gone);

    mutable std::mutex mutex_;
    std::map<std::uint64_t, Allocation> allocations_;        // by base
    std::map<std::uint64_t, std::uint64_t> locked_;          // base, by host address
    std::deque<Allocation> kept_;                            // released, but still there; the oldest first
    std::size_t kept_bytes_ = 0;
    std::uint64_t made_ = 0;
    SharedFile file_;
};

}  // namespace isaforge::hsa
