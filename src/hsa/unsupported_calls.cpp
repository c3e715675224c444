// What the interface has besides, and no client was seen to need: each says so once, and gives the specification's error. Their
// arguments are not looked at, so that the headers which declare those are not included here.
#include <atomic>

#include "hsa/messages.hpp"

namespace {

constexpr int status_error = 0x1000;   // HSA_STATUS_ERROR

int unsupported(const char* name, std::atomic<bool>& is_told) {
    if (!is_told.exchange(true)) isaforge::hsa::say("{} is not there", name);
    return status_error;
}

}  // namespace

// NOLINTNEXTLINE(bugprone-macro-parentheses): a name
#define UNSUPPORTED(name)                                          \
    extern "C" __attribute__((visibility("default"))) int name() { \
        static std::atomic<bool> is_told = false;                  \
        return unsupported(#name, is_told);                        \
    }

UNSUPPORTED(hsa_amd_image_create)
UNSUPPORTED(hsa_amd_interop_map_buffer)
UNSUPPORTED(hsa_amd_interop_unmap_buffer)
UNSUPPORTED(hsa_amd_memory_migrate)
UNSUPPORTED(hsa_amd_svm_attributes_get)
UNSUPPORTED(hsa_amd_svm_attributes_set)
UNSUPPORTED(hsa_amd_svm_prefetch_async)
UNSUPPORTED(hsa_ext_program_add_module)
UNSUPPORTED(hsa_ext_program_create)
UNSUPPORTED(hsa_ext_program_destroy)
UNSUPPORTED(hsa_ext_program_finalize)
UNSUPPORTED(hsa_ext_program_get_info)
UNSUPPORTED(hsa_ext_program_iterate_modules)

// Where debuggers look for loaded code; none is told of any.
struct LoadedCode {
    int version;
    void* map;
};
extern "C" {
__attribute__((visibility("default"))) LoadedCode
    _amdgpu_r_debug{};  // NOLINT(bugprone-reserved-identifier,readability-identifier-naming): the interface's name
}
