// Any lines as the arguments of a command line. All are parsed, each value by the parser of its option; commands that end by
// themselves are also carried out, by a child in a folder of its own with a few small files, if no argument leads out of it.
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <csignal>

#include "cli/arguments.hpp"
#include "cli/command.hpp"
#include "cli/memory_maps.hpp"
#include "cli/session.hpp"
#include "text.hpp"

using namespace isaforge;

namespace {

using Words = std::vector<std::string>;

constexpr unsigned most_seconds = 5;

const cli::Command* find_command(std::string_view name) {
    for (const auto* entry = cli::Registration::first(); entry; entry = entry->next()) {
        if (entry->command().name == name) return &entry->command();
    }
    return nullptr;
}

std::string command_name(fuzz::Random& random) {
    std::vector<std::string> names;
    for (const auto* entry = cli::Registration::first(); entry; entry = entry->next())
        names.emplace_back(entry->command().name);
    return random.pick(names);
}

// Any option of any command.
std::string option_name(fuzz::Random& random) {
    static const std::vector<std::string> names = [] {
        std::vector<std::string> all;
        for (const auto* entry = cli::Registration::first(); entry; entry = entry->next()) {
            CLI::App app;
            cli::Arguments described(app);
            entry->command().define(described);
            for (const CLI::Option* option : app.get_options()) {
                for (const std::string& name : option->get_snames()) all.push_back("-" + name);
                for (const std::string& name : option->get_lnames()) all.push_back("--" + name);
            }
        }
        return all;
    }();
    return random.pick(names);
}

std::string argument(fuzz::Random& random) {
    static const fuzz::Grammar grammar(
        {
            {'a', {"%o\n", "%o\n%v\n", "%o=%v\n", "%o\n%v\n", "%f\n", "%v\n", "%o\n%o\n"}},
            {'v',
             {"%1",
              "%1K",
              "%1M",
              "%1G",
              "0x%1",
              "%f",
              "r1=%1",
              "WLEN=%1",
              "%1x%1",
              "ram@%1:%1:rwx",
              "frame@%1:%1x%1:gray8=o.png",
              "timer@%1",
              "o.png@%1:%1x%1:%p",
              "data@%1:%1",
              "data@%1+%1",
              "elf",
              "json",
              "-",
              "%f@%1",
              "%w"}},
            {'p', {"xrgb8888", "rgb888", "rgb565", "gray8", "%w"}},
            {'f', {"m.isa", "p.s", "p.o", "n.txt", "o.png", "nothing", "%w"}},
        },
        [](char rule, fuzz::Random& r) -> std::string {
            if (rule == 'o') return option_name(r);
            if (rule == '1') return fuzz::number_text(r);
            return std::string(r.below(4), static_cast<char>(' ' + r.below(95)));
        });
    return grammar.make('a', random);
}

// Only names in the folder where the child is, and nothing that waits for others.
bool is_harmless(const cli::Command& command, const Words& arguments) {
    const std::string_view name = command.name;
    if (name == "run" || name == "debug" || name == "sample") return false;
    return std::ranges::all_of(arguments, [](const std::string& each) {
        return each.find('/') == std::string::npos && each.find("..") == std::string::npos && each.size() < 200;
    });
}

// Taken away at the end of the process, but for a child, which does not end that way.
const std::filesystem::path& folder() {
    struct Removed {
        std::filesystem::path path;
        ~Removed() { std::filesystem::remove_all(path); }
    };
    static const Removed made = [] {
        std::string name = (std::filesystem::temp_directory_path() / "isaforge-fuzz-XXXXXX").string();
        fuzz::require(mkdtemp(name.data()) != nullptr);
        return Removed{name};
    }();
    return made.path;
}

void fill_folder() {
    static const std::pair<const char*, std::string> files[] = {
        {"m.isa", fuzz::read_file(ISAFORGE_SOURCE_DIR "/examples/tutorial/sparrow.isa")},
        {"p.s", fuzz::read_file(ISAFORGE_SOURCE_DIR "/examples/tutorial/sums.s")},
        {"n.txt", fuzz::read_file(ISAFORGE_SOURCE_DIR "/examples/pebble/notes.txt")},
        {"p.o", std::string("\x7F"
                            "ELF") +
                    std::string(60, '\0')},
    };
    for (const auto& entry : std::filesystem::directory_iterator(folder())) std::filesystem::remove_all(entry.path());
    for (const auto& [name, text] : files) std::ofstream(folder() / name, std::ios::binary) << text;
}

[[noreturn]] void be_child(const cli::Action& action) {
    const rlimit processor{most_seconds, most_seconds}, file{1 << 24, 1 << 24};
    setrlimit(RLIMIT_CPU, &processor);
    setrlimit(RLIMIT_FSIZE, &file);
    std::signal(SIGXFSZ, SIG_IGN);
    alarm(2 * most_seconds);
    const int nothing = open("/dev/null", O_RDWR), said = open("said.txt", O_CREAT | O_RDWR, 0600);
    dup2(nothing, 0), dup2(nothing, 1), dup2(said, 2);
    const int status = action();
    std::fflush(nullptr);
    _exit(status);
}

void carry_out(const cli::Action& action) {
    fill_folder();
    const pid_t child = fork();
    if (child == 0) {
        if (chdir(folder().c_str()) == 0) be_child(action);
        _exit(0);
    }
    int status = 0;
    while (waitpid(child, &status, 0) != child) fuzz::require(child > 0 && errno == EINTR);  // the fuzzer has a timer
    const bool too_long = WIFSIGNALED(status) &&
                          (WTERMSIG(status) == SIGALRM || WTERMSIG(status) == SIGXCPU || WTERMSIG(status) == SIGKILL);
    if (too_long || (WIFEXITED(status) && WEXITSTATUS(status) <= cli::usage_error)) return;
    std::fputs(fuzz::read_file(folder() / "said.txt").c_str(), stderr);
    std::abort();
}

}  // namespace

// What a sanitizer finds in a child has a status that no command has.
extern "C" const char* __asan_default_options() { return "exitcode=77"; }  // NOLINT(*-reserved-identifier): its name

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed) {
    static const fuzz::Pieces pieces({"m.isa\np.s\np.o\nn.txt\n-o\n--help\n-i\nm.isa\n"});
    return fuzz::mutate(data, size, most, seed, [](std::string& text, fuzz::Random& random) {
        if (text.empty() || random.one_in(16))
            text = command_name(random) + "\nm.isa\n" + argument(random);
        else
            fuzz::change_text(text, random, pieces, argument);
    });
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    Words arguments = fuzz::lines_of(fuzz::text_of(data, size));
    for (std::string& each : arguments) {
        if (each.ends_with('\n')) each.pop_back();
        cli::parse_size(each);
        cli::parse_mapping(each);
    }
    const cli::Command* const command = arguments.empty() ? nullptr : find_command(arguments[0]);
    if (!command) return 0;
    CLI::App app;
    cli::Arguments described(app);
    const cli::Action action = command->define(described);
    try {
        app.parse(Words(arguments.rbegin(), arguments.rend() - 1));
    } catch (const CLI::ParseError&) {
        return 0;
    }
    if (is_harmless(*command, arguments)) carry_out(action);
    return 0;
}
