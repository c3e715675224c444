// `isaforge run`: executes a program and reports what it did.
#include <fmt/format.h>
#include <sys/socket.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <memory>

#include "cli/arguments.hpp"
#include "cli/command.hpp"
#include "cli/findings.hpp"
#include "cli/launch.hpp"
#include "cli/memory_maps.hpp"
#include "cli/outputs.hpp"
#include "cli/program.hpp"
#include "cli/progress.hpp"
#include "cli/session.hpp"
#include "cli/source_files.hpp"
#include "cli/terminal.hpp"
#include "cli/trace.hpp"
#include "dap/serve.hpp"
#include "debugger/gdb_socket.hpp"
#include "debugger/profile.hpp"
#include "isaforge/compare.hpp"
#include "isaforge/machine.hpp"
#include "isaforge/object.hpp"
#include "machine/compile_thread.hpp"
#include "protocol/loopback.hpp"
#include "support/large_pages.hpp"

namespace isaforge::cli {

namespace {

struct Options {
    ProgramChoice program;
    LaunchChoice launch;
    std::string max_instructions = "4G";
    std::vector<std::string> dumps, pictures;
    std::string engine = "auto", checks;
    TraceChoice trace;
    std::string profile_json;
    int gdb_port = -1, dap_port = -1;
    bool registers = false, stats = false, profile = false, warn_hazards = false;
};

// ADDRESS:LENGTH
struct Dump {
    std::uint64_t address = 0, length = 0;
};

bool waits_for_debugger(const Options& options) { return options.gdb_port >= 0 || options.dap_port >= 0; }

Checks checks_of(const Options& options) {
    return options.checks.empty() ? Checks{} : parse_checks(options.checks).value_or(Checks{});
}

std::optional<Dump> parse_dump(const std::string& text) {
    const std::size_t colon = text.find(':');
    if (colon == std::string::npos) return std::nullopt;
    const auto address = parse_size(std::string_view(text).substr(0, colon));
    const auto length = parse_size(std::string_view(text).substr(colon + 1));
    if (!address || !length) return std::nullopt;
    return Dump{*address, *length};
}

// A picture of a range of memory, where the place is an address.
std::optional<PictureFile> picture_at_address(const std::string& text) {
    std::optional<PictureFile> file = parse_picture(text);
    const std::optional<std::uint64_t> address = file ? parse_size(file->place) : std::nullopt;
    if (!address) return std::nullopt;
    file->picture.address = *address;
    return file;
}

// On standard error: what the program itself prints is on standard output.
void print_stats(const Machine& machine, const RunResult& result) {
    const double speed = result.seconds > 0 ? static_cast<double>(result.instructions) / result.seconds / 1e6 : 0;
    tell(fmt::format("{} instructions in {:.3f} s, {:.1f} million a second\n", result.instructions, result.seconds,
                     speed));
    if (machine.isa().has_cycles)
        tell(fmt::format(
            "{} cycles, {:.2f} an instruction\n", result.cycles,
            static_cast<double>(result.cycles) / static_cast<double>(std::max<std::uint64_t>(result.instructions, 1))));
    const EngineFigures figures = machine.engine_figures();
    if (figures.regions != 0)
        tell(fmt::format("compiled: {} instructions in {} regions, {:.1f} ms beside the run\n", figures.instructions,
                         figures.regions, figures.seconds * 1e3));
    if (!figures.problem.empty()) tell(fmt::format("not compiled: {}\n", figures.problem));
    if (const std::vector<std::uint64_t> calls = machine.unknown_calls(); !calls.empty())
        tell(fmt::format("calls of Linux that are not known: {}\n", fmt::join(calls, ", ")));
    for (const auto& [name, count] : machine.signals()) tell(fmt::format("signal {}: {}\n", name, count));
}

// Whether there is what --dump and --png ask for, which is known before the program runs. False after a complaint.
bool ranges_exist(Machine& machine, const Options& options) {
    const auto exists = [&](const std::string& text, std::uint64_t address, std::uint64_t length) {
        const std::uint64_t room = machine.room(0, address), end = machine.room(0, 0);
        if (length <= room) return true;
        const MemorySpace& memory = machine.isa().memories[0];
        complain(fmt::format("'{}' is not in the memory `{}`, which ends at {:#x}", text, memory.name,
                             room > 0 ? address + room / memory.unit_bytes() : end / memory.unit_bytes()));
        return false;
    };
    return std::ranges::all_of(options.dumps,
                               [&](const std::string& text) {
                                   const Dump dump = *parse_dump(text);
                                   return exists("--dump " + text, dump.address, dump.length);
                               }) &&
           std::ranges::all_of(options.pictures, [&](const std::string& text) {
               const Picture picture = picture_at_address(text)->picture;
               return exists("--png " + text, picture.address, picture.bytes());
           });
}

// A long dump is not collected in memory.
void print_dump(Machine& machine, const Dump& dump) {
    constexpr std::uint64_t part = 1 << 16;
    for (std::uint64_t done = 0; done < dump.length; done += part) {
        const std::uint64_t address = dump.address + done / machine.isa().memories[0].unit_bytes();
        say(memory_dump(machine, 0, address, std::min(part, dump.length - done)));
    }
}

std::vector<std::string> outputs_of(const Options& options) {
    std::vector<std::string> outputs = frame_paths(options.program.maps);
    for (const std::string& text : options.pictures) outputs.push_back(parse_picture(text)->path);
    outputs.push_back(options.trace.file);
    outputs.push_back(options.profile_json);
    return outputs;
}

bool write_pictures(Machine& machine, const Options& options) {
    bool written = write_frames(machine, options.program.maps);
    for (const std::string& text : options.pictures) {
        const PictureFile file = *picture_at_address(text);
        written &= write_picture(machine, 0, file.path, file.picture);
    }
    return written;
}

// What was asked for about the state after the run, also after one that failed.
bool report_state(Machine& machine, const Options& options, const Program& program, const RunResult& result) {
    for (const std::string& warning : machine.warnings()) warn(warning);
    if (options.registers) say(register_dump(machine));
    for (const std::string& text : options.dumps) {
        print_dump(machine, *parse_dump(text));
    }
    if (options.stats) print_stats(machine, result);
    if (options.profile || !options.profile_json.empty()) {
        const debugger::Profile profile = debugger::make_profile(machine, program.map);
        if (options.profile) say(to_text(profile));
        if (!options.profile_json.empty() && !write_text(options.profile_json, to_json(profile))) return false;
    }
    return !result.ok() || write_pictures(machine, options);  // no picture of a program that did not finish
}

void tell_port(std::uint16_t port) {
    tell(fmt::format("isaforge: waiting for a debugger on 127.0.0.1:{}\n", port));
    std::fflush(stderr);
}

// The machine that is to run, for an editor that attaches.
class Attached : public dap::Debuggee {
public:
    Attached(Machine& machine, std::shared_ptr<debugger::TapedStreams> streams, const Program& program,
             const Options& options)
        : machine_(machine), streams_(std::move(streams)), program_(program), options_(options) {}

    Machine& machine() override { return machine_; }
    const debugger::ProgramMap& map() const override { return program_.map; }
    std::shared_ptr<debugger::TapedStreams> streams() override { return streams_; }
    bool restart(std::string& error) override {
        error = "the program cannot be loaded again";
        return restart_program(machine_, program_, options_.program);
    }
    std::optional<std::string> source(const std::string& name) override { return read_source_file(name, {}); }
    std::string source_path(const std::string& name) override {
        std::error_code problem;
        return source(name) ? std::filesystem::canonical(name, problem).string() : std::string();
    }

private:
    Machine& machine_;
    std::shared_ptr<debugger::TapedStreams> streams_;
    const Program& program_;
    const Options& options_;
};

// Lets an editor have the machine first, as below.
bool serve_editor(Machine& machine, const std::shared_ptr<debugger::TapedStreams>& streams, const Program& program,
                  const Options& options, int& status) {
    std::string reason;
    const int client = protocol::accept_on_loopback(static_cast<std::uint16_t>(options.dap_port), tell_port, reason);
    if (client < 0) {
        complain(fmt::format("cannot listen on port {}: {}", options.dap_port, reason));
        status = input_error;
        return false;
    }
    std::signal(SIGPIPE, SIG_IGN);
    const auto attach = [&](bool attaches, const dap::Json&, const dap::Output&,
                            std::string& error) -> std::unique_ptr<dap::Debuggee> {
        if (attaches) return std::make_unique<Attached>(machine, streams, program, options);
        error = "a program is here already: attach to it";
        return nullptr;
    };
    const bool goes_on = dap::serve(client, client, attach, nullptr);
    // Who reads from it may still wait: the number is not given to anything else.
    shutdown(client, SHUT_RDWR);
    status = success;
    return goes_on;
}

// Lets a debugger have the machine first. False where the program is not to go on afterwards, with the exit status.
bool serve_debugger(Machine& machine, std::shared_ptr<debugger::TapedStreams> streams, const Program& program,
                    const Options& options, int& status) {
    if (options.dap_port >= 0) return serve_editor(machine, streams, program, options, status);
    debugger::Execution execution(machine, std::move(streams));
    execution.limit = 0;
    debugger::Surroundings surroundings;
    surroundings.restart = [&](std::string& error) {
        error = "the program cannot be loaded again";
        return restart_program(machine, program, options.program);
    };
    debugger::Debugger commands(execution, *program.codec, program.map, std::move(surroundings));
    debugger::GdbServer server(execution, commands);
    std::string error;
    if (!serve_gdb(server, execution, static_cast<std::uint16_t>(options.gdb_port), tell_port, error)) {
        complain(fmt::format("cannot listen on port {}: {}", options.gdb_port, error));
        status = input_error;
        return false;
    }
    status = success;
    return server.end() == debugger::GdbServer::End::detached;
}

// Both engines side by side: the first difference is an error, with what differs.
int compare_engines(const Options& options, const Program& program) {
    const auto machine_on = [&](Engine engine) {
        return [&options, &program, engine](std::shared_ptr<Streams> streams) {
            MachineOptions how = machine_options(options.program, program);
            how.checks = checks_of(options);
            how.count_cycles = true;  // and compares them
            how.engine = engine;
            how.streams = std::move(streams);
            auto made = std::make_unique<Machine>(program.codec, how);
            load_program(*made, program, options.program);
            return made;
        };
    };
    const Comparison found = compare_runs(machine_on(Engine::interpreter), machine_on(Engine::compiler),
                                          standard_streams(), *parse_size(options.max_instructions));
    if (found.differs) {
        complain(fmt::format(
            "behind instruction {}, at {:#x} `{}`, interpreter and compiler differ:", found.difference.instructions,
            found.difference.address, found.first->text(found.difference.address)));
        for (const std::string& line : found.difference.what) tell("  " + line + "\n");
        return input_error;
    }
    if (!found.result.ok()) complain(found.result.message);
    const bool good = report_state(*found.first, options, program, found.result) && found.result.ok();
    if (good && found.result.exit_status) return *found.result.exit_status & 0xff;
    return good ? success : input_error;
}

// Whether there is what --engine asks for; false after a complaint.
bool has_engine(const Options& options) {
    if ((options.engine != "both" && options.engine != "jit") || !machine::find_compiler().empty()) return true;
    complain(fmt::format(
        "--engine {} needs the compiler, {}, which is neither beside the program nor in the folder of its libraries",
        options.engine, machine::compiler_library));
    return false;
}

// A kernel of a code object, and not a program from its first instruction on.
int launch(const Options& options, const Session& session) {
    const std::string_view foreign = waits_for_debugger(options) ? "a debugger's port"
                                     : options.registers         ? "--registers"
                                     : !options.dumps.empty()    ? "--dump"
                                     : options.warn_hazards      ? "--warn-hazards"
                                                                 : foreign_to_kernels(options.program);
    if (!foreign.empty()) {
        complain(fmt::format(
            "{} is not for kernels: with one go --grid, --group, --arg, --check, --png, --threads, --engine, --trace, "
            "--trace-from, --profile, --profile-json, --stats, --seed and --max-instructions; `isaforge debug` and "
            "`isaforge dap` debug them",
            foreign));
        return usage_error;
    }
    const LaunchSettings settings{.path = options.program.path,
                                  .engine = options.engine,
                                  .most_instructions = *parse_size(options.max_instructions),
                                  .seed = options.program.seed,
                                  .pictures = options.pictures,
                                  .checks = checks_of(options),
                                  .trace = options.trace,
                                  .profile_json = options.profile_json,
                                  .stats = options.stats,
                                  .profile = options.profile};
    if (settings.looks() && (!options.program.threads.empty() || options.engine == "both")) {
        complain("--trace and --profile let wavefronts take turns; leave out --threads and --engine both");
        return usage_error;
    }
    if (!has_engine(options)) return input_error;
    const std::optional<std::vector<std::uint8_t>> bytes = read_bytes(options.program.path);
    if (!bytes) return input_error;
    LaunchChoice choice = options.launch;
    if (options.program.threads != "all") choice.threads = options.program.threads;
    return run_kernel(*bytes, choice, settings, session);
}

bool pictures_have_addresses(const Options& options) {
    for (const std::string& text : options.pictures) {
        if (picture_at_address(text)) continue;
        complain(fmt::format("--png: '{}' is not FILE@ADDRESS:WIDTHxHEIGHT:FORMAT with a known format", text));
        return false;
    }
    return true;
}

int execute(const Options& options) {
    share_heap();
    Session session;
    int status = success;
    if (options.launch.is_asked_for() || holds_kernels(options.program)) return launch(options, session);
    if (!pictures_have_addresses(options)) return usage_error;
    const std::unique_ptr<Program> program = read_program(options.program, session, status);
    if (!program) return status;
    const Isa& isa = program->codec->isa();
    if (isa.memories.empty() && !(options.dumps.empty() && options.pictures.empty())) {
        complain(fmt::format("{} has no memory to take a --dump or --png from", isa.variant));
        return usage_error;
    }
    if (options.program.harts > 1 && options.warn_hazards) {
        complain("--warn-hazards follows one hart; leave out --harts");
        return usage_error;
    }
    if (!options.program.threads.empty() && !options.trace.file.empty()) {
        complain("--trace lets harts take turns; leave out --threads");
        return usage_error;
    }
    const bool writes_files =
        std::ranges::any_of(options.program.folders, [](const std::string& text) { return text.ends_with(":rw"); });
    if (options.engine == "both" && writes_files) {
        complain("--engine both would write each file twice; leave out :rw");
        return usage_error;
    }
    if (options.engine == "both" &&
        (!options.program.threads.empty() || options.program.real_time || waits_for_debugger(options) ||
         !options.trace.file.empty() || options.profile || !options.profile_json.empty())) {
        complain(
            "--engine both compares runs that are the same each time; leave out --threads, --real-time, --gdb, --dap, "
            "--trace and --profile");
        return usage_error;
    }
    if (!outputs_are_apart(outputs_of(options), session.sources, input_paths(options.program))) return usage_error;
    MachineOptions how = machine_options(options.program, *program);
    how.warn_hazards = options.warn_hazards;
    if (!has_engine(options)) return input_error;
    how.engine = parse_engine(options.engine).value_or(Engine::interpreter);
    how.count_instructions = options.profile || !options.profile_json.empty();
    how.count_cycles = options.stats || how.count_instructions || waits_for_debugger(options);
    how.checks = checks_of(options);
    const bool alone = options.program.harts == 1 && options.program.groups == 1;
    std::shared_ptr<debugger::TapedStreams> streams;
    how.streams = streams_beside_progress();
    if (waits_for_debugger(options))
        how.streams = streams = std::make_shared<debugger::TapedStreams>(standard_streams());
    Machine machine(program->codec, how);
    if (!load_program(machine, *program, options.program) || !ranges_exist(machine, options)) return input_error;
    if (options.engine == "both") return compare_engines(options, *program);

    if (waits_for_debugger(options) && !serve_debugger(machine, streams, *program, options, status)) return status;

    TraceBegin begin;
    if (!find_trace_begin(machine, program->map, options.trace, begin)) return usage_error;
    Output trace;
    if (!options.trace.file.empty() && !trace.open(options.trace.file)) return input_error;
    const std::uint64_t limit = *parse_size(options.max_instructions);
    const RunResult result = trace.is_open() ? run_traced(machine, program->map, begin, limit, &trace)
                                             : run_with_progress(machine, limit, alone);
    bool good = result.ok();
    if (!good) complain(result.message);
    if (trace.is_open() && !trace.commit()) good = false;
    if (!report_state(machine, options, *program, result)) good = false;
    const auto whose = [&](const Finding& finding) {
        if (machine.harts() == 1) return std::string();
        return options.program.groups == 1 ? fmt::format(", hart {}", finding.hart)
                                           : fmt::format(", group {}, hart {}", finding.group, finding.hart);
    };
    if (!options.checks.empty() && !report_findings(machine.findings(), whose)) good = false;
    if (good && result.exit_status) return *result.exit_status & 0xff;
    return good ? success : input_error;
}

Action define(Arguments& app) {
    auto options = std::make_shared<Options>();
    add_program_options(app, options->program);
    add_launch_options(app, options->launch);
    const auto size = wants(parse_size, "a number such as 4096, 0x1000 or 4K");
    app.add_option("--max-instructions", options->max_instructions, "Stop there with status 1; 0 is no limit")
        ->type_name("N")
        ->capture_default_str()
        ->check(size);
    add_trace_options(app, options->trace);
    const Argument gdb =
        app.add_option(
               "--gdb", options->gdb_port,
               "Wait for gdb or lldb on this TCP port of the loopback address, 0: a free one; goes on when it detaches")
            ->type_name("PORT")
            ->in_range(0, 65535);
    app.add_option("--dap", options->dap_port, "The same for an editor that attaches by the Debug Adapter Protocol")
        ->type_name("PORT")
        ->in_range(0, 65535)
        ->excludes(gdb);
    app.add_option("--dump", options->dumps, "Print a range of data memory at the end")
        ->type_name("ADDRESS:LENGTH")
        ->allow_extra_args(false)
        ->check(wants(parse_dump, "ADDRESS:LENGTH"));
    app.add_option(
           "--png", options->pictures,
           "Write a range of data memory as a picture, or of a kernel's argument, whose name or number is the address "
           "then; FORMAT is xrgb8888, rgb888, rgb565 or gray8")
        ->type_name("FILE@ADDRESS:WIDTHxHEIGHT:FORMAT")
        ->allow_extra_args(false)
        ->check(wants(parse_picture, "FILE@ADDRESS:WIDTHxHEIGHT:FORMAT with a known format"));
    app.add_option(
           "--engine", options->engine,
           "What executes: an interpreter, a compiler as soon as it can (jit), both in turn (auto), or both side by "
           "side, which have to be equal")
        ->type_name("ENGINE")
        ->capture_default_str()
        ->one_of({"auto", "interpreter", "jit", "both"});
    app.add_flag("--check{all}", options->checks,
                 "Watch the run for what is wrong with it though it goes on: all, or some of bounds, uninitialised, "
                 "races, waits and hazards; slower")
        ->completes({"all", "bounds", "uninitialised", "races", "waits", "hazards"})
        ->check(wants(parse_checks, "all, or a list of bounds, uninitialised, races, waits and hazards"));
    app.add_flag("--registers", options->registers, "Print the registers at the end");
    app.add_flag("--stats", options->stats,
                 "Print on standard error how many instructions were executed, how fast, and what cycles they took");
    app.add_flag("--profile", options->profile,
                 "Print what was executed most, its cycles, branches, and the use of formats and lengths; slower");
    app.add_option("--profile-json", options->profile_json, "Write all of that to a file")->type_name("FILE");
    app.add_flag("--warn-hazards", options->warn_hazards, "Warn where a register is read before its late result lands");
    return [options] { return execute(*options); };
}

constexpr Command command{
    about_programs, "run", "Run a program",
    "Exit status 0 if the program stopped by itself, its own where it asked the host to exit with\n"
    "one, 1 if something else stopped it, or --check found something.\n"
    "Sizes and addresses may be hexadecimal and end in K, M or G.\n\n"
    "Examples:\n"
    "  isaforge run -i wishbone-gpu draw.o --registers --stats\n"
    "  isaforge run -i wishbone-gpu draw.o --load scene.bin@1M --png out.png@0:640x480:xrgb8888\n"
    "  isaforge run -i wishbone-gpu loop.o --max-instructions 1000 --trace -\n"
    "  isaforge run kernels.co --kernel scale --grid 1024 --arg inout:a.bin:b.bin --arg f32:2.5\n",
    define};
const Registration registration{command};

}  // namespace

}  // namespace isaforge::cli
