// Two fences for two threads of which each writes one word and then reads the other's, and one of which does it often: together
// they are as two sequentially consistent ones, but the light one costs nothing, for the heavy one makes every thread of the
// process have one.
#pragma once

#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>

namespace isaforge {

// Whether the system does that.
inline bool has_uneven_fences() {
    static const bool is_there = ::syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0;
    return is_there;
}

inline void light_fence() {
    if (has_uneven_fences())
        std::atomic_signal_fence(std::memory_order_seq_cst);
    else
        std::atomic_thread_fence(std::memory_order_seq_cst);
}

inline void heavy_fence() {
    std::atomic_thread_fence(std::memory_order_seq_cst);
    if (has_uneven_fences()) ::syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0);
}

}  // namespace isaforge
