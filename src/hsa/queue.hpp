// A queue of packets, and the thread that takes them in their order.
//
// A kernel dispatch begins when its packet is reached; the thread goes on while it runs, unless the next packet waits for it.
// So kernels of one queue overlap as far as their packets let them, and those of several queues always.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "hsa/api.hpp"
#include "hsa/call_stack.hpp"
#include "isaforge/device.hpp"

namespace isaforge::hsa {

class Agent;

using QueueCallback = void (*)(hsa_status_t, hsa_queue_t*, void*);

class Queue {
public:
    // Null where there is no memory, or no thread.
    static Queue* make(Agent& agent, std::uint32_t packets, hsa_queue_type32_t type, QueueCallback callback,
                       void* user);
    // One whose packets the client takes itself, of whom that signal tells that there are some.
    static Queue* make_soft(Agent& agent, std::uint32_t packets, hsa_queue_type32_t type, std::uint32_t features,
                            hsa_signal_t doorbell);
    static Queue& of(const hsa_queue_t* queue);
    // When it comes back, no packet of it runs any more.
    static void end(Queue* queue);

    hsa_queue_t* handle();
    amd_queue_t& shared();
    // Packets were added, by this thread.
    void ring();
    void inactivate(hsa_status_t why);

private:
    struct Shared;
    union Packet {
        std::uint16_t header;
        hsa_kernel_dispatch_packet_t dispatch;
        hsa_barrier_and_packet_t barrier_and;
        hsa_barrier_or_packet_t barrier_or;
        hsa_amd_barrier_value_packet_t barrier_value;
    };
    static_assert(sizeof(Packet) == 64);

    Queue(Agent& agent, QueueCallback callback, void* user) : agent_(agent), callback_(callback), user_(user) {}
    bool begin(std::uint32_t packets, hsa_queue_type32_t type);
    void call_back(hsa_status_t why);
    void work();
    bool has_packet() const;
    void take();
    bool take_dispatch(const Packet& packet, std::uint64_t number);
    bool take_packet_of(unsigned type, const Packet& packet);
    bool wait_idle();
    template <typename Done>
    void wait(const Done& done);
    bool is_watched() const;
    void look_at_running();
    void dispatch_ended(const Packet& packet, Packet* copy, std::uint64_t number, std::uint64_t begin,
                        const LaunchResult& result);
    CallStack launched_by(std::uint64_t number);
    Packet* take_copy(const Packet& packet);
    void note_hostcalls(const hsa_kernel_dispatch_packet_t& packet) const;

    Agent& agent_;
    QueueCallback callback_;
    void* user_;
    Shared* shared_ = nullptr;
    Packet* packets_ = nullptr;
    amd_signal_t* doorbell_ = nullptr;
    std::atomic<bool> ending_ = false, ended_ = false, is_inactive_ = false;
    std::atomic<std::uint64_t> running_ = 0;   // dispatches
    std::mutex mutex_;                         // for what follows
    std::vector<Packet*> free_copies_;         // of packets, for kernels that look at theirs
    struct Running {
        std::uint64_t begin = 0;
        hsa_kernel_dispatch_packet_t packet{};
        bool is_told = false;                  // that it goes on
    };
    std::map<std::uint64_t, Running> dispatches_;   // by their packets' numbers
    struct Ring {
        std::uint64_t end = 0;                 // packets before this one were there
        CallStack by;
    };
    std::deque<Ring> rings_;                   // the last ones
};

}  // namespace isaforge::hsa
