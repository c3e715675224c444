#include "hsa/queue.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <thread>

#include "hsa/reports.hpp"
#include "hsa/runtime.hpp"

namespace isaforge::hsa {

// What kernels may look at too.
struct Queue::Shared {
    amd_queue_t queue;
    Queue* owner;
};

namespace {

// A field of a packet's header.
std::uint16_t field(std::uint16_t header, unsigned at, unsigned bits) { return header >> at & ((1u << bits) - 1); }

}  // namespace

Queue* Queue::make(Agent& agent, std::uint32_t packets, hsa_queue_type32_t type, QueueCallback callback, void* user) {
    std::unique_ptr<Queue> queue(new Queue(agent, callback, user));
    if (!queue->begin(packets, type)) return nullptr;
    Queue* const made = queue.release();
    std::thread([made] { made->work(); }).detach();
    return made;
}

Queue* Queue::make_soft(Agent& agent, std::uint32_t packets, hsa_queue_type32_t type, std::uint32_t features,
                        hsa_signal_t doorbell) {
    std::unique_ptr<Queue> queue(new Queue(agent, nullptr, nullptr));
    if (!queue->begin(packets, type)) return nullptr;
    queue->handle()->features = features;
    queue->handle()->doorbell_signal = doorbell;
    queue->ended_ = true;   // nobody works here
    return queue.release();
}

Queue& Queue::of(const hsa_queue_t* queue) { return *reinterpret_cast<const Shared*>(queue)->owner; }

hsa_queue_t* Queue::handle() { return &shared_->queue.hsa_queue; }

amd_queue_t& Queue::shared() { return shared_->queue; }

bool Queue::begin(std::uint32_t packets, hsa_queue_type32_t type) {
    static std::atomic<std::uint64_t> numbers = 1;
    const Pool& pool = runtime().host().pools()[0];
    void *shared = nullptr, *ring = nullptr;
    doorbell_ = runtime().signals().make(-1);
    if (doorbell_ == nullptr || runtime().memory().allocate(pool, sizeof(Shared), &shared) != HSA_STATUS_SUCCESS ||
        runtime().memory().allocate(pool, packets * sizeof(Packet), &ring) != HSA_STATUS_SUCCESS)
        return false;
    shared_ = static_cast<Shared*>(shared);
    shared_->owner = this;
    packets_ = static_cast<Packet*>(ring);
    for (std::uint32_t i = 0; i < packets; ++i) packets_[i].header = HSA_PACKET_TYPE_INVALID;
    amd_queue_t& queue = shared_->queue;
    queue.hsa_queue.type = type;
    queue.hsa_queue.features = HSA_QUEUE_FEATURE_KERNEL_DISPATCH;
    queue.hsa_queue.base_address = packets_;
    queue.hsa_queue.doorbell_signal = handle_of<hsa_signal_t>(doorbell_);
    queue.hsa_queue.size = packets;
    queue.hsa_queue.id = numbers++;
    const FlatApertures apertures = agent_.device().flat_apertures();
    queue.group_segment_aperture_base_hi = apertures.group;
    queue.private_segment_aperture_base_hi = apertures.private_memory;
    queue.max_cu_id = agent_.units() - 1;
    queue.max_wave_id = 39;
    queue.read_dispatch_id_field_base_byte_offset = offsetof(amd_queue_t, read_dispatch_id);
    queue.queue_properties = AMD_QUEUE_PROPERTIES_IS_PTR64;
    if (amd_signal_t* const inactive = runtime().signals().make(0); inactive != nullptr)
        queue.queue_inactive_signal = handle_of<hsa_signal_t>(inactive);
    doorbell_->queue_ptr = &queue;
    return true;
}

void Queue::end(Queue* queue) {
    queue->ending_ = true;
    runtime().changes().announce();
    runtime().changes().wait([&] { return queue->ended_.load() && queue->running_ == 0; });
    runtime().signals().end(queue->doorbell_);
    runtime().signals().end(signal_of(queue->shared_->queue.queue_inactive_signal));
    runtime().memory().release(queue->packets_);
    runtime().memory().release(queue->shared_);
    delete queue;
}

void Queue::ring() {
    constexpr std::size_t most_rings = 128;
    const Ring here{__atomic_load_n(&shared_->queue.write_dispatch_id, __ATOMIC_ACQUIRE), CallStack::here()};
    {
        const std::lock_guard lock(mutex_);
        rings_.push_back(here);
        if (rings_.size() > most_rings) rings_.pop_front();
    }
    runtime().changes().announce();
}

// Who rang first after a packet was there. It may have begun before anybody did, who is about to then.
CallStack Queue::launched_by(std::uint64_t number) {
    CallStack found;
    const auto look = [&] {
        const std::lock_guard lock(mutex_);
        for (const Ring& ring : rings_)
            if (ring.end > number) return found = ring.by, true;
        return false;
    };
    runtime().changes().wait(look, Changes::Clock::now() + std::chrono::milliseconds(20));
    return found;
}

// Nothing of it begins any more.
void Queue::inactivate(hsa_status_t why) {
    if (is_inactive_.exchange(true)) return;
    if (why == HSA_STATUS_SUCCESS) return;
    __atomic_store_n(&signal_of(shared_->queue.queue_inactive_signal)->value, static_cast<std::int64_t>(why),
                     __ATOMIC_SEQ_CST);
    if (callback_ == nullptr) std::abort();   // as a driver does for whom nobody asks
    call_back(why);
}

namespace {

thread_local bool tells_client = false;   // of an error, on this thread

// What a client does at exit may wait for the kernel that has failed, or for the thread that waits for that. So where its handler
// of errors ends the program, that has ended.
void end_at_once(int status, void*) {
    if (!tells_client) return;
    print_profile();
    std::fflush(nullptr);
    ::_exit(status);
}

}  // namespace

// By a thread of its own, one at a time. Many never come back: they end the program.
void Queue::call_back(hsa_status_t why) {
    static std::mutex one_at_a_time;
    static std::once_flag is_registered;
    const auto is_back = std::make_shared<std::atomic<bool>>(false);
    std::thread([this, why, is_back] {
        const std::lock_guard lock(one_at_a_time);
        std::call_once(is_registered, [] { ::on_exit(end_at_once, nullptr); });   // before what clients have registered
        tells_client = true;
        callback_(why, handle(), user_);
        *is_back = true;
        runtime().changes().announce();
    }).detach();
    runtime().changes().wait([&] { return is_back->load(); }, Changes::Clock::now() + std::chrono::seconds(1));
}

// ---------------------------------------------------------------------------------------------------------------------

bool Queue::has_packet() const {
    const std::uint64_t next = shared_->queue.read_dispatch_id;
    if (next >= __atomic_load_n(&shared_->queue.write_dispatch_id, __ATOMIC_ACQUIRE)) return false;
    const Packet& packet = packets_[next & (shared_->queue.hsa_queue.size - 1)];
    return field(__atomic_load_n(&packet.header, __ATOMIC_ACQUIRE), HSA_PACKET_HEADER_TYPE,
                 HSA_PACKET_HEADER_WIDTH_TYPE) != HSA_PACKET_TYPE_INVALID;
}

bool Queue::is_watched() const {
    const Settings& settings = runtime().settings();
    return running_ != 0 && (settings.checks.any() || settings.trace);
}

// Waits. What is known of kernels that do not end is said meanwhile.
template <typename Done>
void Queue::wait(const Done& done) {
    std::optional<Changes::Clock::time_point> until;
    do {
        if (until) look_at_running();
        until.reset();
        if (is_watched()) until = Changes::Clock::now() + std::chrono::seconds(1);
    } while (!runtime().changes().wait(done, until));
}

void Queue::look_at_running() {
    constexpr std::uint64_t second = 1'000'000'000, to_findings = 2 * second, to_line = 5 * second;
    std::uint64_t number = 0;
    Running oldest;
    {
        const std::lock_guard lock(mutex_);
        if (dispatches_.empty()) return;
        auto& [first, running] = *dispatches_.begin();
        number = first;
        oldest = running;
        if (now() - oldest.begin > to_line) running.is_told = true;
    }
    const std::uint64_t took = now() - oldest.begin;
    if (took > to_findings) report_findings(agent_, [&] { return launched_by(number); });
    if (took > to_line && !oldest.is_told) note_running(oldest.packet, took / second);
}

void Queue::work() {
    while (!ending_) {
        wait([this] { return ending_ || (has_packet() && !is_inactive_); });
        if (!ending_) take();
    }
    ended_ = true;
    runtime().changes().announce();
}

// Where packets have come behind it, its place is free as soon as it has begun.
void Queue::take() {
    amd_queue_t& queue = shared_->queue;
    const std::uint64_t number = queue.read_dispatch_id;
    Packet& place = packets_[number & (queue.hsa_queue.size - 1)];
    const Packet packet = place;
    const bool waits = field(packet.header, HSA_PACKET_HEADER_BARRIER, HSA_PACKET_HEADER_WIDTH_BARRIER) != 0;
    if (waits && !wait_idle()) return;
    const unsigned type = field(packet.header, HSA_PACKET_HEADER_TYPE, HSA_PACKET_HEADER_WIDTH_TYPE);
    const bool is_dispatch = type == HSA_PACKET_TYPE_KERNEL_DISPATCH;
    if (is_dispatch ? !take_dispatch(packet, number) : !take_packet_of(type, packet)) return;
    __atomic_store_n(&place.header, std::uint16_t{HSA_PACKET_TYPE_INVALID}, __ATOMIC_RELEASE);
    __atomic_store_n(&queue.read_dispatch_id, number + 1, __ATOMIC_RELEASE);
    if (is_dispatch)
        runtime().changes().announce();
    else
        complete(packet.barrier_and.completion_signal, now(), now());
}

// Those that only wait. False where the queue ends.
bool Queue::take_packet_of(unsigned type, const Packet& packet) {
    constexpr std::size_t dependencies = 5;
    const auto wait_for = [&](auto done) {
        wait([&] { return ending_ || done(); });
        return !ending_;
    };
    switch (type) {
        case HSA_PACKET_TYPE_BARRIER_AND:
            return wait_for([&] { return all_are_zero(packet.barrier_and.dep_signal, dependencies); });
        case HSA_PACKET_TYPE_BARRIER_OR:
            return wait_for([&] { return one_is_zero(packet.barrier_or.dep_signal, dependencies); });
        case HSA_PACKET_TYPE_VENDOR_SPECIFIC: {
            const hsa_amd_barrier_value_packet_t& barrier = packet.barrier_value;
            if (barrier.header.AmdFormat != HSA_AMD_PACKET_TYPE_BARRIER_VALUE) break;
            return barrier.signal.handle == 0 || wait_for([&] {
                       return holds(static_cast<hsa_signal_condition_t>(barrier.cond),
                                    value_of(signal_of(barrier.signal)) & barrier.mask, barrier.value);
                   });
        }
        default: break;
    }
    inactivate(HSA_STATUS_ERROR_INVALID_PACKET_FORMAT);
    return false;
}

bool Queue::wait_idle() {
    wait([this] { return ending_ || running_ == 0; });
    return !ending_;
}

Queue::Packet* Queue::take_copy(const Packet& packet) {
    constexpr std::size_t together = 64;
    const std::lock_guard lock(mutex_);
    if (free_copies_.empty()) {
        void* memory = nullptr;
        const Pool& pool = runtime().host().pools()[0];
        if (runtime().memory().allocate(pool, together * sizeof(Packet), &memory) != HSA_STATUS_SUCCESS) return nullptr;
        for (std::size_t i = 0; i < together; ++i) free_copies_.push_back(static_cast<Packet*>(memory) + i);
    }
    Packet* const copy = free_copies_.back();
    free_copies_.pop_back();
    *copy = packet;
    return copy;
}

// Kernels and the program hand each other packets of calls, in lists that they change without locks.
void Queue::note_hostcalls(const hsa_kernel_dispatch_packet_t& packet) const {
    if (!runtime().settings().checks.races || packet.kernarg_address == nullptr) return;
    for (const KernelArgument& argument : runtime().executables().find_kernel(packet.kernel_object).arguments) {
        if (argument.value_kind != "hidden_hostcall_buffer") continue;
        const void* buffer = nullptr;
        std::memcpy(&buffer, static_cast<const char*>(packet.kernarg_address) + argument.offset, sizeof buffer);
        if (const auto found = runtime().memory().find(buffer))
            agent_.device().note_unordered({found->host, found->bytes});
    }
}

// Its place among the packets may be used again while the kernel still looks at it: that has a copy.
bool Queue::take_dispatch(const Packet& packet, std::uint64_t number) {
    const hsa_kernel_dispatch_packet_t& asked = packet.dispatch;
    Packet* const copy = take_copy(packet);
    if (copy == nullptr) return inactivate(HSA_STATUS_ERROR_OUT_OF_RESOURCES), false;
    DispatchPacket what{.kernel_object = asked.kernel_object,
                        .grid = {asked.grid_size_x, asked.grid_size_y, asked.grid_size_z},
                        .group = {asked.workgroup_size_x, asked.workgroup_size_y, asked.workgroup_size_z},
                        .private_bytes = asked.private_segment_size,
                        .group_bytes = asked.group_segment_size,
                        .kernarg = reinterpret_cast<std::uint64_t>(asked.kernarg_address),
                        .packet = reinterpret_cast<std::uint64_t>(copy),
                        .queue = reinterpret_cast<std::uint64_t>(&shared_->queue),
                        .dispatch_id = number};
    note_hostcalls(asked);
    const std::uint64_t begin = now();
    what.completed = [this, packet, copy, number, begin](const LaunchResult& result) {
        dispatch_ended(packet, copy, number, begin, result);
    };
    {
        const std::lock_guard lock(mutex_);
        dispatches_[number] = {begin, asked};
    }
    ++running_;
    std::string error;
    if (agent_.device().dispatch(what, error)) return true;
    --running_;
    {
        const std::lock_guard lock(mutex_);
        dispatches_.erase(number);
    }
    report(agent_, LaunchResult{.message = error}, launched_by(number));
    inactivate(HSA_STATUS_ERROR_INVALID_PACKET_FORMAT);
    return false;
}

// By a thread of the device's.
void Queue::dispatch_ended(const Packet& packet, Packet* copy, std::uint64_t number, std::uint64_t begin,
                           const LaunchResult& result) {
    const std::uint64_t end = now();
    note_launch(packet.dispatch, result);
    {
        const std::lock_guard lock(mutex_);
        free_copies_.push_back(copy);
        dispatches_.erase(number);
    }
    report_findings(agent_, [&] { return launched_by(number); });
    if (!result.ok) {
        report(agent_, result, launched_by(number));
        inactivate(status_of(result));
    }
    --running_;
    complete(packet.dispatch.completion_signal, begin, end);
}

}  // namespace isaforge::hsa
