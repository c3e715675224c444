// The debugger that `isaforge debug` shows: it takes lines of commands and gives text. It knows nothing of terminals, so
// that a test, a script or a remote debugger's `monitor` can drive it as well.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "debugger/control.hpp"
#include "debugger/execution.hpp"
#include "debugger/expression.hpp"
#include "debugger/program_map.hpp"

namespace isaforge::debugger {

// What the debugger asks of its surroundings.
struct Surroundings {
    // Puts machine and program back to the beginning; false with the reason. Null: it cannot be done.
    std::function<bool(std::string& error)> restart;
    // The text of a source file by the name that the object has for it. Null: sources are not shown.
    std::function<std::optional<std::string>(const std::string& path)> read_source;
};

class Debugger {
public:
    // All three are referred to.
    Debugger(Execution& execution, const Codec& codec, const ProgramMap& map, Surroundings surroundings = {});

    // Carries out one line and gives what it has to say, lines with their ends. An empty line repeats the last command
    // where that makes sense.
    std::string execute(std::string_view line);

    // Where the program stands: the instruction at pc, and its source line.
    std::string where();

    // What it does, for whoever does the same without words.
    Control& control() { return control_; }

    bool finished() const { return finished_; }  // `quit` was said
    bool failed() const { return failed_; }      // the last line was in error

    // What the last word of a line may become.
    std::vector<std::string> completions(std::string_view line) const;

private:
    struct Command;
    static const std::vector<Command>& commands();
    const Command* find_command(std::string_view word, std::string& error) const;

    // Running: run_commands.cpp.
    void step(std::string_view arguments);
    void next(std::string_view arguments);
    void resume(std::string_view arguments);
    void step_back(std::string_view arguments);
    void run_back(std::string_view arguments);
    void advance(std::string_view arguments);
    void finish(std::string_view arguments);
    void restart(std::string_view arguments);
    void start_over(std::string_view arguments);
    void set_break(std::string_view arguments);
    void set_temporary_break(std::string_view arguments);
    void set_watch(std::string_view arguments);
    void set_read_watch(std::string_view arguments);
    void set_access_watch(std::string_view arguments);
    void set_condition(std::string_view arguments);
    void remove(std::string_view arguments);
    void enable(std::string_view arguments);
    void disable(std::string_view arguments);

    // Looking: show_commands.cpp.
    void info(std::string_view arguments);
    void registers(std::string_view arguments);
    void assign(std::string_view arguments);
    void print(std::string_view arguments);
    void memory(std::string_view arguments);
    void examine(std::string_view arguments);
    void disassemble(std::string_view arguments);
    void list(std::string_view arguments);
    void show_place(std::string_view arguments);
    void choose_hart(std::string_view arguments);
    void lanes(std::string_view arguments);
    void symbols(std::string_view arguments);
    void help(std::string_view arguments);
    void quit(std::string_view arguments);

    void add_watch(std::string_view arguments, Watch::When when);
    void step_times(std::string_view arguments, bool over);
    bool begin_again();
    void report(const Stop& stop);
    void report_changes(const Control::Changes& changes);
    bool accepts(std::string_view condition);
    bool accepts_hart(std::string_view text);
    void add_point(Point point);
    template <typename Action>
    void for_points(std::string_view arguments, Action action);
    void add_break(std::string_view arguments, bool temporary);
    void switch_points(std::string_view arguments, bool on);
    std::string describe(const Point& point) const;
    Point* find_point(std::string_view text);

    std::string instruction_text(std::uint64_t address) const;
    std::string address_text(std::uint64_t address) const;
    static std::string executed_text(const Machine& hart);
    std::optional<std::uint64_t> location(std::string_view text);
    std::optional<std::pair<std::string, std::uint32_t>> source_place(std::string_view text);
    std::optional<std::uint64_t> number(std::string_view text);
    const std::vector<std::string>* source(std::string_view file);
    void show_source(std::string_view file, std::int64_t first, std::int64_t last, std::int64_t current);
    void show_instructions(std::uint64_t address, std::uint64_t count);
    std::string register_text(Index file, std::uint64_t number) const;
    void fail(std::string message);

    Machine& machine() const { return execution_.machine(); }
    Evaluator evaluator() const { return control_.evaluator(); }

    Execution& execution_;
    Control control_;
    const Codec& codec_;
    const ProgramMap& map_;
    Surroundings surroundings_;

    std::string out_;
    std::string last_line_;
    std::map<std::string, std::vector<std::string>, std::less<>> sources_;
    std::string listed_file_;
    std::int64_t listed_to_ = 0;  // `list` goes on behind this line; 0: around pc
    std::uint64_t examined_ = 0, shown_code_ = 0;
    std::string examine_format_ = "xw";
    bool finished_ = false, failed_ = false, examined_before_ = false, showed_code_ = false;
};

}  // namespace isaforge::debugger
