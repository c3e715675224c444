// A debug adapter: requests of the Debug Adapter Protocol (microsoft.github.io/debug-adapter-protocol/specification) in,
// responses and events out. It knows nothing of connections, see serve.hpp.
//
// Threads are harts, and lanes of vectors where they are asked for. A stack has one frame, for no description says what a
// frame is. References to memory are addresses of code, or of the main memory; other memories have their name and a colon
// before it.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "dap/debuggee.hpp"
#include "dap/json.hpp"
#include "debugger/debugger.hpp"

namespace isaforge::dap {

class Adapter {
public:
    // What comes out, in its order; and whether somebody wants to be heard while the program runs: anybody, or only who wants
    // it to stop.
    using Send = std::function<void(Json message)>;
    using Asks = std::function<bool(bool only_to_stop)>;
    Adapter(Launcher launcher, Send send, Asks asks);
    ~Adapter();
    Adapter(const Adapter&) = delete;
    Adapter& operator=(const Adapter&) = delete;

    // Answers one message, of any shape.
    void handle(const Json& message);
    // Whether the program is to run; and lets it, until it stops or somebody asks.
    bool is_running() const { return going_ != nullptr; }
    void run();
    // The client has said that it goes.
    bool has_ended() const { return ended_; }
    // … of a program that it has attached to, and which is to go on.
    bool has_detached() const { return detached_; }

    // Something that the program or its loading says.
    void output(const char* category, std::string_view text);

private:
    using Handler = Json (Adapter::*)(const Json& arguments);
    struct Request;
    static const std::vector<Request>& requests();

    // Every handler gives the body of its response, or fails.
    Json fail(std::string message);
    void event(const char* name, Json body = Json::object());
    void respond(const Json& request, Json body);

    // adapter.cpp, launch.cpp
    Json initialize(const Json& arguments);
    Json launch(const Json& arguments);
    Json attach(const Json& arguments);
    Json configuration_done(const Json& arguments);
    Json disconnect(const Json& arguments);
    Json terminate(const Json& arguments);
    Json restart(const Json& arguments);
    Json cancel(const Json& arguments);
    Json begin(bool attach, const Json& arguments);
    void start();

    // running.cpp
    Json threads(const Json& arguments);
    Json go_on(const Json& arguments);
    Json next(const Json& arguments);
    Json step_in(const Json& arguments);
    Json step_out(const Json& arguments);
    Json step_back(const Json& arguments);
    Json reverse_continue(const Json& arguments);
    Json pause(const Json& arguments);
    Json goto_targets(const Json& arguments);
    Json go_to(const Json& arguments);
    Json exception_info(const Json& arguments);
    Json step(const Json& arguments, bool over);
    Json set_going(const Json& arguments, std::function<debugger::Stop()> going, bool goes_on = false);
    void report(const debugger::Stop& stop);
    void report_end(const debugger::Stop& stop);
    const char* reason_of(const debugger::Stop& stop);
    void stopped(const char* reason, std::string_view description, Json more = Json::object());
    void moved();

    // breakpoints.cpp
    Json set_breakpoints(const Json& arguments);
    Json set_function_breakpoints(const Json& arguments);
    Json set_instruction_breakpoints(const Json& arguments);
    Json set_data_breakpoints(const Json& arguments);
    Json set_exception_breakpoints(const Json& arguments);
    Json data_breakpoint_info(const Json& arguments);
    Json breakpoint_locations(const Json& arguments);
    Json replace_points(const std::string& origin, const Json& wanted,
                        const std::function<std::optional<debugger::Point>(const Json& each, Json& result)>& make);
    Json add_point(std::vector<unsigned>& numbers, const Json& wanted, std::optional<debugger::Point> point,
                   Json result);

    // variables.cpp
    struct Holder {
        enum class Kind { singles, file, lanes, memories, pending };
        Kind kind = Kind::singles;
        unsigned hart = 0;
        int lane = -1;
        Index file = no_index;
        std::uint64_t number = 0;
        auto operator<=>(const Holder&) const = default;
    };
    Json scopes(const Json& arguments);
    Json variables(const Json& arguments);
    Json set_variable(const Json& arguments);
    Json set_expression(const Json& arguments);
    Json evaluate(const Json& arguments);
    Json evaluate_command(const std::string& line);
    Json completions(const Json& arguments);
    std::uint64_t reference(const Holder& holder);
    const Holder* holder(const Json& arguments, const char* name) const;
    Json register_variable(const Holder& in, Index file, std::uint64_t number);
    Json value_body(const debugger::Value& value);
    std::optional<debugger::Target> target_of(const Holder& in, const std::string& name) const;
    Json assign(const debugger::Target& target, const std::string& text);

    // memory.cpp
    Json read_memory(const Json& arguments);
    Json write_memory(const Json& arguments);
    Json disassemble(const Json& arguments);
    bool find_memory(const std::string& reference, std::int64_t offset, Index& memory, std::uint64_t& address) const;
    std::string memory_reference(Index memory, std::uint64_t address) const;
    Json instruction(std::uint64_t address, bool with_symbols);

    // sources.cpp
    Json stack_trace(const Json& arguments);
    Json source(const Json& arguments);
    Json loaded_sources(const Json& arguments);
    Json source_body(std::string_view name);
    std::optional<std::string> file_of(const Json& source) const;

    // A thread's number is its hart's, from 1 on, with the lane's, from 1 on, above.
    bool choose(std::uint64_t thread, int& lane);
    unsigned lanes() const;
    Machine& machine() const { return execution_->machine(); }

    Launcher launcher_;
    Send send_;
    Asks asks_;
    std::string error_;
    bool failed_ = false, ended_ = false, configured_ = false, launched_ = false, stops_on_entry_ = false;
    bool stops_at_end_ = false, program_ended_ = false, attached_ = false, terminated_ = false, detached_ = false;
    std::int64_t sequence_ = 1, first_line_ = 1;

    std::unique_ptr<Debuggee> debuggee_;
    std::unique_ptr<debugger::Execution> execution_;
    std::unique_ptr<debugger::Debugger> debugger_;
    std::function<debugger::Stop()> going_;
    bool goes_on_ = false;  // who asks may be heard in between
    std::string trouble_;   // why the program stopped last, where that is an exception
    std::function<void()> afterwards_;  // behind the response

    std::map<std::string, std::vector<unsigned>> points_;  // by what set them
    std::map<unsigned, std::string> origins_;
    unsigned unplaced_ = 0;  // breakpoints that could not be set, counted
    std::vector<Holder> holders_;
    std::map<Holder, std::uint64_t> references_;
    std::vector<std::uint64_t> goto_places_;
};

}  // namespace isaforge::dap
