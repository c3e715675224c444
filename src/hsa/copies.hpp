// Copies that go on beside the program, when signals that they depend on are zero. Small ones for which nothing has to be
// waited are made at once, by who asks.
#pragma once

#include <functional>
#include <list>
#include <mutex>
#include <vector>

#include "hsa/api.hpp"

namespace isaforge::hsa {

class Copies {
public:
    void copy(void* to, const void* from, std::size_t bytes, const hsa_signal_t* dependencies, std::size_t count,
              hsa_signal_t done);
    // Bytes, rows and slices of two places.
    void copy_rectangle(const hsa_pitched_ptr_t& to, const hsa_dim3_t& to_offset, const hsa_pitched_ptr_t& from,
                        const hsa_dim3_t& from_offset, const hsa_dim3_t& range, const hsa_signal_t* dependencies,
                        std::size_t count, hsa_signal_t done);

private:
    struct Job {
        std::function<void()> work;
        std::vector<hsa_signal_t> dependencies;
        hsa_signal_t done{};
    };

    void add(Job job, std::size_t bytes);
    bool take_ready(Job& job);
    void work_on();

    std::mutex mutex_;
    std::list<Job> jobs_;
    bool is_working_ = false;
};

}  // namespace isaforge::hsa
