// A program that loads the runtime library late, as plug-ins of OpenMP do, and wants to begin with it once more from the last
// functions that are run when it ends. The status says what came of it: 7 where it was refused then, and not before.
#include <dlfcn.h>
#include <hsa/hsa.h>
#include <unistd.h>

#include <cstdlib>

namespace {

decltype(&hsa_init) begin = nullptr;

[[gnu::destructor]] void begin_at_the_very_end() {
    if (begin != nullptr) ::_exit(begin() == HSA_STATUS_ERROR_OUT_OF_RESOURCES ? 7 : 3);
}

}  // namespace

int main(int, char** arguments) {
    void* const library = ::dlopen(arguments[1], RTLD_NOW);
    if (library == nullptr) return 1;
    const auto found = reinterpret_cast<decltype(begin)>(::dlsym(library, "hsa_init"));
    if (found == nullptr || found() != HSA_STATUS_SUCCESS) return 2;
    begin = found;
    std::atexit([] {
        if (begin() != HSA_STATUS_SUCCESS) ::_exit(4);
    });
    return 0;
}
