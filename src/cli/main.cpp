// The command's entry: what the whole process needs, and what ends it.
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>

#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "cli/command_line.hpp"
#include "cli/terminal.hpp"
#include "machine/compile_thread.hpp"
#include "support/large_pages.hpp"
#include "support/output_file.hpp"

namespace isaforge::cli {

namespace {

// Memory that is given back to the system has to be cleared anew when it is taken again: keep it. The begin of the heap, which
// is all that short runs need, comes in large pages: that takes a tenth of the time.
void keep_memory() {
#ifdef __GLIBC__
    mallopt(M_MMAP_THRESHOLD, 1 << 25);
    mallopt(M_TRIM_THRESHOLD, 1 << 30);
    mallopt(M_TOP_PAD, 1 << 20);
    extend_heap(usual_heap);
#endif
}

}  // namespace

}  // namespace isaforge::cli

// Exceptions are not part of how this program reports errors; the two that the standard library may still throw at any
// time end here.
int main(int argc, char** argv) {
    isaforge::machine::leave_compiles_behind();
    try {
        isaforge::cli::keep_memory();
        isaforge::OutputFile::clean_up_on_signals();
        const int status = isaforge::cli::carry_out({argv + (argc > 0 ? 1 : 0), argv + argc});
        if (!isaforge::machine::compiles_are_left()) return status;
        std::fflush(nullptr);
        std::_Exit(status);
    } catch (const std::bad_alloc&) {
        std::fprintf(stderr, "isaforge: error: out of memory while `%s` was carried out\n", argc > 1 ? argv[1] : "");
    } catch (const std::exception& error) {
        isaforge::cli::complain(error.what());
    }
    return isaforge::cli::input_error;
}
