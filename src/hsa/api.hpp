// The interface that is implemented here, as its headers declare it: what they name is what the library shows, and nothing else.
#pragma once

#define LITTLEENDIAN_CPU
#pragma GCC visibility push(default)
#include <hsa/amd_hsa_queue.h>
#include <hsa/amd_hsa_signal.h>
#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>
#include <hsa/hsa_ext_image.h>
#include <hsa/hsa_ven_amd_loader.h>
#pragma GCC visibility pop

#include <algorithm>
#include <cstring>
#include <string_view>

namespace isaforge::hsa {

// An answer to a question for information.
template <typename T>
hsa_status_t give(void* value, const T& answer) {
    std::memcpy(value, &answer, sizeof answer);
    return HSA_STATUS_SUCCESS;
}

// A text in a field of so many bytes.
inline hsa_status_t give_text(void* value, std::string_view text, std::size_t bytes) {
    std::memset(value, 0, bytes);
    std::memcpy(value, text.data(), std::min(text.size(), bytes - 1));
    return HSA_STATUS_SUCCESS;
}

// Objects whose handle is their address.
template <typename T, typename Handle>
T* object_of(Handle handle) {
    return reinterpret_cast<T*>(handle.handle);  // NOLINT(performance-no-int-to-ptr): what handles are
}

template <typename Handle, typename T>
Handle handle_of(const T* object) {
    return Handle{reinterpret_cast<std::uint64_t>(object)};
}

}  // namespace isaforge::hsa
