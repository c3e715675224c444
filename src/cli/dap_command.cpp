// `isaforge dap`: the debugger for editors, which speak the Debug Adapter Protocol with it by standard input and output.
#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <map>
#include <memory>

#include "cli/arguments.hpp"
#include "cli/command.hpp"
#include "cli/launch.hpp"
#include "cli/program.hpp"
#include "cli/source_files.hpp"
#include "cli/terminal.hpp"
#include "dap/serve.hpp"
#include "support/descriptor.hpp"

namespace isaforge::cli {

namespace {

using dap::Json;

// What is said on standard output and standard error, for which the protocol has events.
class Said {
public:
    Said() : file_(memfd_create("said", MFD_CLOEXEC)) {
        for (const int standard : {STDOUT_FILENO, STDERR_FILENO})
            if (file_.number() >= 0) dup2(file_.number(), standard);
    }
    std::string take() {
        std::fflush(stdout);
        std::fflush(stderr);
        std::string text;
        char buffer[4096];
        for (ssize_t count = 0; (count = pread(file_.number(), buffer, sizeof buffer, at_)) > 0; at_ += count)
            text.append(buffer, static_cast<std::size_t>(count));
        if (!text.empty() && ftruncate(file_.number(), 0) == 0) {
            lseek(file_.number(), 0, SEEK_SET);
            at_ = 0;
        }
        return text;
    }

private:
    Descriptor file_;
    off_t at_ = 0;
};

// A program's output becomes events. Its input is a file's, or nothing.
class EventStreams : public Streams {
public:
    // `input` is closed when this goes; negative where there is none.
    EventStreams(dap::Output output, int input) : output_(std::move(output)), input_(input) {}

    std::size_t read(std::span<std::uint8_t> bytes) override {
        flush();
        const ssize_t count = input_.number() < 0 ? 0 : ::read(input_.number(), bytes.data(), bytes.size());
        return count > 0 ? static_cast<std::size_t>(count) : 0;
    }
    bool ready() override { return true; }
    void write(unsigned file, std::span<const std::uint8_t> bytes) override {
        constexpr std::size_t most_kept = 4096;
        if (file != file_) flush();
        file_ = file;
        text_.append(bytes.begin(), bytes.end());
        if (text_.size() >= most_kept) flush();
    }
    void flush() override {
        output_(file_ == 2 ? "stderr" : "stdout", text_);
        text_.clear();
    }

private:
    dap::Output output_;
    Descriptor input_;
    unsigned file_ = 1;
    std::string text_;
};

struct Choices {
    ProgramChoice program;
    LaunchChoice launch;
    std::string max_instructions = "0";
    std::vector<std::string> source_folders;
};

void add_options(Arguments& app, Choices& choices) {
    add_program_options(app, choices.program);
    add_launch_options(app, choices.launch);
    app.add_option("--source-path", choices.source_folders, "")->allow_extra_args(false)->existing_directory();
    app.add_option("--max-instructions", choices.max_instructions, "")
        ->check(wants(parse_size, "a number such as 4096, 0x1000 or 4K"));
}

// Where sources are, for either kind of program.
class WithSources : public dap::Debuggee {
public:
    explicit WithSources(const Choices& choices)
        : folders_(choices.source_folders), limit_(*parse_size(choices.max_instructions)) {}

    std::optional<std::string> source(const std::string& name) override { return read_source_file(name, folders_); }
    std::string source_path(const std::string& name) override {
        const auto [found, added] = paths_.try_emplace(name);
        if (!added || !source(name)) return found->second;
        std::vector<std::filesystem::path> places{name};
        for (const std::string& folder : folders_) {
            places.emplace_back(std::filesystem::path(folder) / std::filesystem::path(name).filename());
        }
        for (const std::filesystem::path& each : places) {
            std::error_code problem;
            if (!std::filesystem::is_regular_file(each, problem)) continue;
            found->second = std::filesystem::canonical(each, problem).string();
            break;
        }
        return found->second;
    }
    std::uint64_t limit() const override { return limit_; }

private:
    std::vector<std::string> folders_;
    std::uint64_t limit_;
    std::map<std::string, std::string> paths_;
};

class ProgramDebuggee : public WithSources {
public:
    ProgramDebuggee(const Choices& choices, std::shared_ptr<debugger::TapedStreams> streams)
        : WithSources(choices), choice_(choices.program), streams_(std::move(streams)) {}

    // False after a complaint.
    bool load() {
        int status = success;
        program_ = read_program(choice_, session_, status);
        if (!program_) return false;
        MachineOptions how = machine_options(choice_, *program_);
        how.count_cycles = true;
        how.streams = streams_;
        machine_ = std::make_unique<Machine>(program_->codec, how);
        return load_program(*machine_, *program_, choice_);
    }
    Machine& machine() override { return *machine_; }
    const debugger::ProgramMap& map() const override { return program_->map; }
    std::shared_ptr<debugger::TapedStreams> streams() override { return streams_; }
    bool restart(std::string& error) override {
        error = "the program cannot be loaded again";
        return restart_program(*machine_, *program_, choice_);
    }

private:
    ProgramChoice choice_;
    Session session_;
    std::shared_ptr<debugger::TapedStreams> streams_;
    std::unique_ptr<Program> program_;
    std::unique_ptr<Machine> machine_;
};

class KernelDebuggee : public WithSources {
public:
    explicit KernelDebuggee(const Choices& choices) : WithSources(choices), choices_(choices) {}

    bool load() {
        if (!can_debug_kernel(choices_.program)) return false;
        bytes_ = read_bytes(choices_.program.path);
        settings_.path = choices_.program.path;
        settings_.seed = choices_.program.seed;
        int status = success;
        if (bytes_) launch_ = launch_to_debug(*bytes_, choices_.launch, settings_, session_, status);
        return launch_ != nullptr;
    }
    Machine& machine() override { return launch_->machine(); }
    const debugger::ProgramMap& map() const override { return launch_->map(); }
    bool restart(std::string&) override { return launch_->restart(), true; }
    std::string finish() override { return launch_->finish(), std::string(); }  // it says what the kernel printed
    bool shows_lanes() const override { return true; }

private:
    // What the launch refers to.
    Choices choices_;
    Session session_;
    LaunchSettings settings_;
    std::optional<std::vector<std::uint8_t>> bytes_;
    std::unique_ptr<LaunchToDebug> launch_;
};

// ---------------------------------------------------------------------------------------------------------------------
// What a launch says

bool is_source(const std::string& path) {
    const std::string extension = std::filesystem::path(path).extension().string();
    return extension == ".s" || extension == ".S" || extension == ".asm";
}

// Runs `isaforge asm`, whose complaints are said as ours are.
bool assemble_to(const std::string& output, const std::string& isa, const std::string& source,
                 const std::vector<std::string>& options) {
    std::vector<std::string> words{"isaforge", "asm", "-i", isa};
    words.insert(words.end(), options.begin(), options.end());
    words.insert(words.end(), {source, "-o", output});
    std::vector<char*> pointers;
    pointers.reserve(words.size() + 1);
    for (std::string& word : words) pointers.push_back(word.data());
    pointers.push_back(nullptr);
    pid_t child = 0;
    int status = 1;
    if (posix_spawn(&child, "/proc/self/exe", nullptr, nullptr, pointers.data(), environ) != 0) return false;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return WIFEXITED(status) && WEXITSTATUS(status) == success;
}

std::vector<std::string> words_of(const Json& value) {
    std::vector<std::string> words;
    if (value.is_array()) {
        for (const Json& each : value) {
            if (each.is_string()) words.push_back(each.get<std::string>());
            if (each.is_number()) words.push_back(each.dump());
        }
    } else if (value.is_string()) {
        words.push_back(value.get<std::string>());
    } else if (value.is_number()) {
        words.push_back(value.dump());
    }
    return words;
}

class Launches {
public:
    explicit Launches(Said& said) : said_(said) {}
    ~Launches() {
        if (!folder_.empty()) std::filesystem::remove_all(folder_, problem_);
    }
    Launches(const Launches&) = delete;
    Launches& operator=(const Launches&) = delete;

    std::unique_ptr<dap::Debuggee> operator()(bool attach, const Json& arguments, const dap::Output& output,
                                              std::string& error) {
        if (attach) {
            error = "there is nothing to attach to here: `isaforge run --dap PORT` waits for who attaches";
            return nullptr;
        }
        error = wrong_;
        std::unique_ptr<dap::Debuggee> made = launch(arguments, output, error);
        std::string complaints = said_.take();
        while (complaints.ends_with('\n')) complaints.pop_back();
        if (made == nullptr && !complaints.empty()) error = complaints;
        if (made != nullptr && !complaints.empty()) output("stderr", complaints + "\n");
        return made;
    }

private:
    std::unique_ptr<dap::Debuggee> launch(const Json& arguments, const dap::Output& output, std::string& error);
    std::optional<std::string> assembled(const Json& arguments, const std::string& path);

    Said& said_;
    std::string folder_;
    std::error_code problem_;
    static constexpr const char* wrong_ = "the program cannot be loaded";
};

// The object that a source gives, in a folder of its own.
std::optional<std::string> Launches::assembled(const Json& arguments, const std::string& path) {
    const std::filesystem::path temporary = std::filesystem::temp_directory_path(problem_);
    std::string pattern = (temporary / "isaforge-dap-XXXXXX").string();
    if (folder_.empty() && mkdtemp(pattern.data()) != nullptr) folder_ = pattern;
    if (folder_.empty()) return std::nullopt;
    const std::string object = folder_ + "/program.elf";
    const bool done =
        assemble_to(object, dap::text(arguments, "isa"), path, words_of(dap::member(arguments, "asmArgs")));
    return done ? std::optional(object) : std::nullopt;
}

std::unique_ptr<dap::Debuggee> Launches::launch(const Json& arguments, const dap::Output& output, std::string& error) {
    const std::string folder = dap::text(arguments, "cwd");
    if (!folder.empty()) std::filesystem::current_path(folder, problem_);
    if (!folder.empty() && problem_) return error = "there is no folder '" + folder + "'", nullptr;
    std::string path = dap::text(arguments, "program");
    if (path.empty() || path == "-") return error = "say with \"program\" which file is to run", nullptr;
    const bool is_text = is_source(path), has_isa = !dap::text(arguments, "isa").empty();
    if (is_text && !has_isa) return error = "say with \"isa\" what the source is written for", nullptr;
    if (is_text) {
        const std::optional<std::string> object = assembled(arguments, path);
        if (!object) return nullptr;
        path = *object;
    }
    std::vector<std::string> words = words_of(dap::member(arguments, "args"));
    if (has_isa && !is_text) words.insert(words.end(), {"-i", dap::text(arguments, "isa")});
    static constexpr std::pair<const char*, const char*> options[] = {{"kernel", "--kernel"},
                                                                      {"grid", "--grid"},
                                                                      {"group", "--group"},
                                                                      {"arguments", "--arg"},
                                                                      {"memory", "--memory"},
                                                                      {"load", "--load"},
                                                                      {"map", "--map"},
                                                                      {"harts", "--harts"},
                                                                      {"groups", "--groups"},
                                                                      {"seed", "--seed"},
                                                                      {"sourcePath", "--source-path"},
                                                                      {"maxInstructions", "--max-instructions"}};
    for (const auto& [name, option] : options)
        for (std::string& word : words_of(dap::member(arguments, name)))
            words.insert(words.end(), {option, std::move(word)});
    words.insert(words.end(), {"--", path});
    auto choices = std::make_unique<Choices>();
    const std::string refusal = read_options([&](Arguments& app) { add_options(app, *choices); }, std::move(words));
    if (!refusal.empty()) return error = refusal, nullptr;
    if (choices->launch.is_asked_for() || holds_kernels(choices->program)) {
        auto made = std::make_unique<KernelDebuggee>(*choices);
        return made->load() ? std::move(made) : nullptr;
    }
    const std::string from = dap::text(arguments, "stdin");
    const int input = from.empty() ? -1 : open(from.c_str(), O_RDONLY | O_CLOEXEC);
    if (!from.empty() && input < 0) return error = "cannot read '" + from + "'", nullptr;
    const auto streams = std::make_shared<debugger::TapedStreams>(std::make_shared<EventStreams>(output, input));
    auto made = std::make_unique<ProgramDebuggee>(*choices, streams);
    return made->load() ? std::move(made) : nullptr;
}

int execute() {
    std::signal(SIGPIPE, SIG_IGN);
    // The protocol has the two descriptors for itself: whatever is said elsewhere becomes an event.
    const Descriptor input(fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3)), output(fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3));
    if (const Descriptor nothing(open("/dev/null", O_RDONLY | O_CLOEXEC)); nothing.number() >= 0)
        dup2(nothing.number(), STDIN_FILENO);
    Said said;
    const auto launches = std::make_shared<Launches>(said);
    dap::serve(
        input.number(), output.number(),
        [launches](bool attach, const Json& arguments, const dap::Output& say_it, std::string& error) {
            return (*launches)(attach, arguments, say_it, error);
        },
        [&said] { return said.take(); });
    return success;
}

Action define(Arguments&) { return execute; }

constexpr Command command{
    about_programs, "dap", "Debug a program from an editor",
    "Speaks the Debug Adapter Protocol by standard input and output; editors start it. A launch names\n"
    "the \"program\": an object, an ELF file or raw code, or a source with its \"isa\", which is assembled.\n"
    "Further options of `isaforge debug` go into \"args\". See docs/debugging.md.\n\n"
    "Example, for Neovim's nvim-dap:\n"
    "  dap.adapters.isaforge = { type = 'executable', command = 'isaforge', args = { 'dap' } }\n",
    define};
const Registration registration{command};

}  // namespace

}  // namespace isaforge::cli
