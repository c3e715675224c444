#include "hsa/runtime.hpp"

#include <pthread.h>

#include <atomic>
#include <chrono>

#include "hsa/messages.hpp"

namespace isaforge::hsa {

namespace {

std::atomic<Runtime*> the_runtime = nullptr;
std::atomic<bool> has_split_off = false;   // this process is a child of the one that began
std::atomic<bool> is_at_exit = false;
std::atomic<unsigned> times_begun = 0;
std::mutex begin_mutex;

// Libraries that a client has loaded after this one have been destroyed by then, and some ask to begin even so, from the
// last functions of all (LLVM's OpenMP does): they use what they have destroyed, unless they are refused, as by other runtimes.
[[gnu::constructor]] void notice_exit() {
    ::on_exit([](int, void*) { is_at_exit = true; }, nullptr);
}

}  // namespace

Runtime::Runtime(Settings settings) : settings_(std::move(settings)), host_(std::make_unique<Agent>()) {
    for (const std::string& processor : settings_.processors) {
        std::string error;
        const DeviceOptions options{processor, settings_.threads, settings_.engine, settings_.checks};
        auto agent =
            std::make_unique<Agent>(processor, static_cast<unsigned>(gpus_.size()), options, settings_.units, error);
        if (!agent->has_device()) {
            say("{}", error);
            continue;
        }
        gpus_.push_back(agent.get());
        made_.push_back(std::move(agent));
    }
}

Agent* Runtime::find_agent(hsa_agent_t agent) const {
    auto* const found = object_of<Agent>(agent);
    if (found == host_.get()) return found;
    return std::find(gpus_.begin(), gpus_.end(), found) == gpus_.end() ? nullptr : found;
}

const Pool* Runtime::find_pool(std::uint64_t handle) const {
    const auto among = [&](const Agent& agent) -> const Pool* {
        for (const Pool& pool : agent.pools())
            if (reinterpret_cast<std::uint64_t>(&pool) == handle) return &pool;
        return nullptr;
    };
    if (const Pool* const pool = among(*host_)) return pool;
    for (const Agent* const gpu : gpus_)
        if (const Pool* const pool = among(*gpu)) return pool;
    return nullptr;
}

void Runtime::set_event_handler(hsa_amd_system_event_callback_t call, void* user) {
    const std::lock_guard lock(mutex_);
    event_handler_ = call;
    event_user_ = user;
}

bool Runtime::tell(const hsa_amd_event_t& event) const {
    hsa_amd_system_event_callback_t call = nullptr;
    void* user = nullptr;
    {
        const std::lock_guard lock(mutex_);
        call = event_handler_;
        user = event_user_;
    }
    return call != nullptr && call(&event, user) == HSA_STATUS_SUCCESS;
}

Runtime& runtime() { return *the_runtime.load(std::memory_order_acquire); }

hsa_status_t usable() {
    if (has_split_off) {
        static std::atomic<bool> is_told = false;
        if (!is_told.exchange(true))
            say("a process that has used the emulated GPU was split by fork: the new one cannot use it");
        return HSA_STATUS_ERROR_INVALID_RUNTIME_STATE;
    }
    return times_begun == 0 ? HSA_STATUS_ERROR_NOT_INITIALIZED : HSA_STATUS_SUCCESS;
}

std::uint64_t now() {
    return static_cast<std::uint64_t>(
        std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
            .count());
}

hsa_status_t begin_runtime() {
    const std::lock_guard lock(begin_mutex);
    if (has_split_off) return usable();
    if (is_at_exit) return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
    if (the_runtime.load() == nullptr) {
        auto* const made = new Runtime(settings_of_environment());  // NOLINT(*-owning-memory): see runtime.hpp
        if (made->gpus().empty()) {
            delete made;
            return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
        }
        the_runtime.store(made, std::memory_order_release);
        ::pthread_atfork(nullptr, nullptr, [] { has_split_off = true; });
    }
    ++times_begun;
    return HSA_STATUS_SUCCESS;
}

hsa_status_t end_runtime() {
    const std::lock_guard lock(begin_mutex);
    if (times_begun == 0) return HSA_STATUS_ERROR_NOT_INITIALIZED;
    --times_begun;
    return HSA_STATUS_SUCCESS;
}

}  // namespace isaforge::hsa
