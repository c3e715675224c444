// Put before the C library of a program that looks for the kernel's driver before it asks the runtime: rocminfo. It is told
// that the module is there, and gets a device that can be opened. Nothing else is answered here.
#include <dlfcn.h>
#include <fcntl.h>

#include <cstdarg>
#include <cstdio>
#include <cstring>

namespace {

template <typename Function>
Function next(const char* name) {
    return reinterpret_cast<Function>(::dlsym(RTLD_NEXT, name));  // NOLINT(performance-no-int-to-ptr): a macro's
}

bool is_driver(const char* path) { return std::strcmp(path, "/dev/kfd") == 0; }

}  // namespace

extern "C" {

// NOLINTBEGIN(cert-dcl50-cpp): as the C library declares them
[[gnu::visibility("default")]] FILE* popen(const char* command, const char* type) {
    const auto real = next<FILE* (*)(const char*, const char*)>("popen");
    const bool asks = std::strstr(command, "lsmod") != nullptr && std::strstr(command, "amdgpu") != nullptr;
    return real(asks ? "echo amdgpu 1 0" : command, type);
}

[[gnu::visibility("default")]] int open(const char* path, int flags, ...) {
    std::va_list rest;
    va_start(rest, flags);
    const int mode = (flags & O_CREAT) != 0 ? va_arg(rest, int) : 0;
    va_end(rest);
    return next<int (*)(const char*, int, ...)>("open")(is_driver(path) ? "/dev/null" : path, flags, mode);
}
// NOLINTEND(cert-dcl50-cpp)
}
