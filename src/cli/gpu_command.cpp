// `isaforge gpu`: runs a program that was built for a GPU. It finds a runtime library whose processors are emulated; nothing
// else of its surroundings is changed, and it takes this process's place, so that signals and its exit status are its own.
#include <dlfcn.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>

#include "cli/arguments.hpp"
#include "cli/command.hpp"
#include "cli/terminal.hpp"
#include "codeobject/target.hpp"
#include "isaforge/findings.hpp"
#include "isaforge/machine.hpp"
#include "support/own_libraries.hpp"

namespace isaforge::cli {

namespace {

constexpr const char* library = "gpu/libhsa-runtime64.so.1";
constexpr const char* driver_answers = "gpu/libisaforge-driver.so";
constexpr unsigned most_units = 64, most_threads = 1024;

struct Options {
    std::string isas = "gfx900", engine = "auto", checks, ignored;
    unsigned units = 4, threads = 0;
    bool trace = false, profile = false, info = false;
    std::vector<std::string> program;
};

std::string wrong_isa(const std::string& list) {
    for (std::size_t begin = 0; begin <= list.size();) {
        const std::size_t end = std::min(list.find(',', begin), list.size());
        const std::string name = list.substr(begin, end - begin);
        if (codeobject::find_processor(name) == nullptr) {
            std::vector<std::string_view> names;
            for (const codeobject::Processor& each : codeobject::processors()) names.push_back(each.name);
            return fmt::format("there is no processor '{}' here: {}", name, fmt::join(names, ", "));
        }
        begin = end + 1;
    }
    return {};
}

// What the library is told: see its settings.
void set_environment(const Options& options) {
    const auto set = [](const char* name, const std::string& value) {
        if (value.empty())
            ::unsetenv(name);
        else
            ::setenv(name, value.c_str(), 1);
    };
    set("ISAFORGE_GPU_ISA", options.isas);
    set("ISAFORGE_GPU_UNITS", std::to_string(options.units));
    set("ISAFORGE_GPU_THREADS", options.threads == 0 ? "" : std::to_string(options.threads));
    set("ISAFORGE_GPU_ENGINE", options.engine);
    set("ISAFORGE_GPU_CHECK", options.checks);
    set("ISAFORGE_GPU_IGNORE", options.ignored);
    set("ISAFORGE_GPU_TRACE", options.trace ? "1" : "");
    set("ISAFORGE_GPU_PROFILE", options.profile ? "1" : "");
}

// Puts something before a list, as of paths.
void prepend(const char* name, const std::string& first) {
    const char* const rest = std::getenv(name);
    ::setenv(name, rest == nullptr || *rest == '\0' ? first.c_str() : (first + ":" + rest).c_str(), 1);
}

// Where a sanitizer looks at the library, its runtime has to come first in a program that was built without. What such a
// program never frees is no matter of ours.
void prepend_sanitizer() {
#ifdef __SANITIZE_ADDRESS__
    Dl_info runtime{};
    if (::dladdr(::dlsym(RTLD_DEFAULT, "__asan_init"), &runtime) == 0) return;
    prepend("LD_PRELOAD", runtime.dli_fname);
    prepend("ASAN_OPTIONS", "detect_leaks=0");
#endif
}

int print_info(const std::string& path) {
    void* const handle = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    using Describe = const char* (*)();
    auto* const describe =
        handle == nullptr ? nullptr : reinterpret_cast<Describe>(::dlsym(handle, "hsa_isaforge_describe"));
    if (describe == nullptr) {
        complain(fmt::format("cannot use '{}': {}", path, ::dlerror()));
        return input_error;
    }
    say(describe());
    return success;
}

int start(const Options& options, const std::string& path) {
    prepend("LD_LIBRARY_PATH", path.substr(0, path.rfind('/')));
    // It asks for the kernel's driver before it asks the library.
    const std::string& program = options.program.front();
    if (program.substr(program.rfind('/') + 1) == "rocminfo")
        if (const std::string answers = find_own_library(driver_answers); !answers.empty())
            prepend("LD_PRELOAD", answers);
    prepend_sanitizer();
    std::vector<char*> arguments;
    for (const std::string& each : options.program) arguments.push_back(const_cast<char*>(each.c_str()));
    arguments.push_back(nullptr);
    ::execvp(arguments[0], arguments.data());
    complain(fmt::format("cannot run '{}': {}", program, std::strerror(errno)));
    return input_error;
}

int execute(const Options& options) {
    const std::string path = find_own_library(library);
    if (path.empty()) {
        complain(fmt::format("there is no {}: it is built where Debian's libhsa-runtime-dev is installed", library));
        return input_error;
    }
    if (options.program.empty() && !options.info) {
        complain("say which program to run: isaforge gpu -- PROGRAM ARGUMENTS");
        return usage_error;
    }
    set_environment(options);
    return options.info ? print_info(path) : start(options, path);
}

Action define(Arguments& app) {
    const auto options = std::make_shared<Options>();
    app.add_option("--isa", options->isas,
                   "The processors that it finds, separated by commas, such as gfx900 or gfx803")
        ->type_name("NAME")
        ->capture_default_str()
        ->completes(Completes::processor)
        ->check(wrong_isa);
    app.add_option("--units", options->units,
                   "How many compute units a processor says it has; programs scale their work by it")
        ->type_name("N")
        ->capture_default_str()
        ->in_range(1, most_units);
    app.add_option("--threads", options->threads,
                   "How many threads run wavefronts; as many as there are processors if not given")
        ->type_name("N")
        ->in_range(1, most_threads);
    app.add_option("--engine", options->engine,
                   "What executes: an interpreter, a compiler as soon as it can (jit), or both in turn (auto)")
        ->type_name("ENGINE")
        ->capture_default_str()
        ->one_of({"auto", "interpreter", "jit"});
    app.add_flag("--check{all}", options->checks,
                 "Watch kernels for what is wrong though they go on: all, or some of bounds, uninitialised, races, "
                 "waits and hazards; slower")
        ->completes({"all", "bounds", "uninitialised", "races", "waits", "hazards"})
        ->check([](const std::string& list) {
            return parse_checks(list) ? std::string{}
                                      : "expected all, or a list of bounds, uninitialised, races, waits and hazards";
        });
    app.add_option("--ignore", options->ignored,
                   "Report nothing of sources whose paths are like one of these, separated by commas: '*/libgomp/*'")
        ->type_name("PATTERNS");
    app.add_flag("--trace-dispatches", options->trace, "A line on standard error for each kernel that was launched");
    app.add_flag("--profile", options->profile, "At the end, which kernels took how long, on standard error");
    app.add_flag("--info", options->info, "List the processors that a program finds, and end");
    app.add_option("PROGRAM", options->program, "What to run, with its arguments; write -- before it")
        ->completes(Completes::program);
    return [options] { return execute(*options); };
}

constexpr Command command{about_programs, "gpu", "Run a program that was built for an AMD GPU, without one",
                          "HIP, OpenMP and OpenACC programs run as they are. The exit status is the program's own.\n\n"
                          "Examples:\n"
                          "  isaforge gpu -- ./vadd\n"
                          "  isaforge gpu --isa gfx906 --check -- ./solver --size 100\n"
                          "  isaforge gpu --info\n",
                          define};
const Registration registration{command};

}  // namespace

}  // namespace isaforge::cli
