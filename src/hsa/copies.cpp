#include "hsa/copies.hpp"

#include <thread>

#include "hsa/runtime.hpp"

namespace isaforge::hsa {

namespace {

constexpr std::size_t at_once_bytes = 64 << 10;

void run(const std::function<void()>& work, hsa_signal_t done) {
    const std::uint64_t begin = now();
    work();
    complete(done, begin, now());
}

}  // namespace

bool Copies::take_ready(Job& job) {
    const std::lock_guard lock(mutex_);
    for (auto each = jobs_.begin(); each != jobs_.end(); ++each) {
        if (!all_are_zero(each->dependencies.data(), each->dependencies.size())) continue;
        job = std::move(*each);
        jobs_.erase(each);
        return true;
    }
    return false;
}

void Copies::work_on() {
    for (;;) {
        Job job;
        runtime().changes().wait([&] { return take_ready(job); });
        run(job.work, job.done);
    }
}

void Copies::add(Job job, std::size_t bytes) {
    if (bytes <= at_once_bytes && all_are_zero(job.dependencies.data(), job.dependencies.size()))
        return run(job.work, job.done);
    {
        const std::lock_guard lock(mutex_);
        jobs_.push_back(std::move(job));
        if (!std::exchange(is_working_, true)) std::thread([this] { work_on(); }).detach();
    }
    runtime().changes().announce();
}

void Copies::copy(void* to, const void* from, std::size_t bytes, const hsa_signal_t* dependencies, std::size_t count,
                  hsa_signal_t done) {
    add({[=] { runtime().memory().copy(to, from, bytes); }, {dependencies, dependencies + count}, done}, bytes);
}

void Copies::copy_rectangle(const hsa_pitched_ptr_t& to, const hsa_dim3_t& to_offset, const hsa_pitched_ptr_t& from,
                            const hsa_dim3_t& from_offset, const hsa_dim3_t& range, const hsa_signal_t* dependencies,
                            std::size_t count, hsa_signal_t done) {
    const auto row = [](const hsa_pitched_ptr_t& place, const hsa_dim3_t& offset, std::uint32_t y, std::uint32_t z) {
        return (offset.z + z) * place.slice + (offset.y + y) * place.pitch + offset.x;
    };
    const auto work = [=] {
        for (std::uint32_t z = 0; z < range.z; ++z)
            for (std::uint32_t y = 0; y < range.y; ++y)
                runtime().memory().copy(static_cast<char*>(to.base) + row(to, to_offset, y, z),
                                        static_cast<const char*>(from.base) + row(from, from_offset, y, z), range.x);
    };
    const std::size_t bytes = std::size_t{range.x} * range.y * range.z;
    add({work, {dependencies, dependencies + count}, done}, bytes);
}

}  // namespace isaforge::hsa
