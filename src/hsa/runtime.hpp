// What all functions of the interface share. It is made by the first hsa_init and never ends: clients have threads and
// handlers at exit of their own that may still call when everything else is gone.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "hsa/agent.hpp"
#include "hsa/changes.hpp"
#include "hsa/copies.hpp"
#include "hsa/executables.hpp"
#include "hsa/memory.hpp"
#include "hsa/settings.hpp"
#include "hsa/signals.hpp"

namespace isaforge::hsa {

class Runtime {
public:
    explicit Runtime(Settings settings);

    const Settings& settings() const { return settings_; }
    Agent& host() { return *host_; }
    const std::vector<Agent*>& gpus() const { return gpus_; }
    // Null where the handle is none of an agent's.
    Agent* find_agent(hsa_agent_t agent) const;
    const Pool* find_pool(std::uint64_t handle) const;

    Memory& memory() { return memory_; }
    Changes& changes() { return changes_; }
    Signals& signals() { return signals_; }
    Copies& copies() { return copies_; }
    Executables& executables() { return executables_; }

    void set_event_handler(hsa_amd_system_event_callback_t call, void* user);
    // Tells the handler of a fault. False: there is none, or it does not take it.
    bool tell(const hsa_amd_event_t& event) const;

private:
    Settings settings_;
    std::unique_ptr<Agent> host_;
    std::vector<std::unique_ptr<Agent>> made_;
    std::vector<Agent*> gpus_;
    Memory memory_;
    Changes changes_;
    Signals signals_;
    Copies copies_;
    Executables executables_;
    mutable std::mutex mutex_;
    hsa_amd_system_event_callback_t event_handler_ = nullptr;
    void* event_user_ = nullptr;
};

// Behind the first hsa_init.
Runtime& runtime();

// The first begins everything; what it began stays when as many have ended, and waits for the next to begin. Once exit() has come
// to what was loaded before this library nobody can begin any more.
hsa_status_t begin_runtime();
hsa_status_t end_runtime();

// What is wrong with a call at this time: nothing was begun, or it was before this process split off from another one.
hsa_status_t usable();

// Nanoseconds, as signals have them.
std::uint64_t now();

}  // namespace isaforge::hsa
