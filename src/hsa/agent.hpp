// The processors that the program finds: the host, and each GPU that was asked for, with what it says of itself.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "hsa/memory.hpp"
#include "isaforge/device.hpp"

namespace isaforge::hsa {

class Agent {
public:
    // The host.
    Agent();
    // A GPU, the number-th. Its device is null, and `error` says why, where there is no such processor.
    Agent(const std::string& processor, unsigned number, const DeviceOptions& options, unsigned units,
          std::string& error);

    bool is_gpu() const { return !processor_.empty(); }
    unsigned number() const { return number_; }          // of the GPUs
    unsigned units() const { return units_; }
    const std::string& processor() const { return processor_; }   // "gfx900"
    unsigned generation() const { return generation_; }           // 6 to 9
    const std::string& isa() const { return isa_; }      // in full, with its features
    // Kernels may use all memory of the program's: true of the processors that share it with the host.
    bool is_full_profile() const { return is_full_profile_; }
    bool has_device() const { return device_ != nullptr; }
    ComputeDevice& device() const { return *device_; }
    const std::vector<Pool>& pools() const { return pools_; }

    hsa_status_t info(int attribute, void* value) const;
    hsa_status_t isa_info(int attribute, void* value) const;

private:
    hsa_status_t common_info(int attribute, void* value) const;
    hsa_status_t amd_info(int attribute, void* value) const;
    hsa_status_t image_info(int attribute, void* value) const;

    std::string processor_, isa_;
    unsigned number_ = 0, units_ = 0, generation_ = 0;
    bool is_full_profile_ = false;
    std::unique_ptr<ComputeDevice> device_;
    std::vector<Pool> pools_;
};

}  // namespace isaforge::hsa
