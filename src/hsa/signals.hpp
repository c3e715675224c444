// Signals: words in memory that the program and kernels change and wait for.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <set>
#include <vector>

#include "hsa/api.hpp"
#include "hsa/changes.hpp"
#include "hsa/sharing.hpp"

namespace isaforge::hsa {

class Queue;

class Signals {
public:
    // Null where there is no memory.
    amd_signal_t* make(std::int64_t value);
    void end(amd_signal_t* signal);

    // Where other processes find it; nothing where it is another process's itself.
    std::optional<SharedPlace> share(amd_signal_t* signal);
    // Null where there is no such signal any more.
    amd_signal_t* attach(const SharedPlace& place);

    // Called by a thread of its own when the signal's value is so, as often as `call` says that it wants more.
    void watch(hsa_signal_t signal, hsa_signal_condition_t condition, std::int64_t value, hsa_amd_signal_handler call,
               void* user);

private:
    struct Watch {
        hsa_signal_t signal{};
        hsa_signal_condition_t condition = HSA_SIGNAL_CONDITION_EQ;
        std::int64_t value = 0;
        hsa_amd_signal_handler call = nullptr;
        void* user = nullptr;
    };

    bool take_ready(Watch& ready, std::int64_t& value);
    void watch_on();

    std::mutex mutex_;
    std::vector<amd_signal_t*> free_;
    std::set<amd_signal_t*> shared_, attached_;   // of this process's, which never are others again; of others
    std::vector<Watch> watches_;
    bool is_watching_ = false;
};

inline amd_signal_t* signal_of(hsa_signal_t signal) { return object_of<amd_signal_t>(signal); }

inline std::int64_t value_of(const amd_signal_t* signal) { return __atomic_load_n(&signal->value, __ATOMIC_SEQ_CST); }

bool holds(hsa_signal_condition_t condition, std::int64_t value, std::int64_t wanted);

// What it stood for is done, in that time; handle 0: nobody wants to know.
void complete(hsa_signal_t signal, std::uint64_t begin, std::uint64_t end);

// Until all of these are 0, where there are any, or one of them.
bool all_are_zero(const hsa_signal_t* signals, std::size_t count);
bool one_is_zero(const hsa_signal_t* signals, std::size_t count);

}  // namespace isaforge::hsa
