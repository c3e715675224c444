// What an adapter debugs: a machine with a program in it, and what lies around it.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "dap/json.hpp"
#include "debugger/program_map.hpp"
#include "debugger/taped_streams.hpp"
#include "isaforge/machine.hpp"

namespace isaforge::dap {

class Debuggee {
public:
    virtual ~Debuggee() = default;
    virtual Machine& machine() = 0;
    virtual const debugger::ProgramMap& map() const = 0;
    virtual std::shared_ptr<debugger::TapedStreams> streams() { return nullptr; }
    // Machine and program as they were at the beginning; false with the reason.
    virtual bool restart(std::string& error) = 0;
    // A source by the name that the object has for it: its text, and where the client finds it, empty where it does not.
    virtual std::optional<std::string> source(const std::string& name) { return static_cast<void>(name), std::nullopt; }
    virtual std::string source_path(const std::string& name) { return static_cast<void>(name), std::string(); }
    // How many instructions may be executed without a stop; 0: any number.
    virtual std::uint64_t limit() const { return 0; }
    // What came of a program that has ended, as text.
    virtual std::string finish() { return {}; }
    // Lanes of the hart that is looked at are shown as threads.
    virtual bool shows_lanes() const { return false; }
};

// `category`: "stdout", "stderr" or "console".
using Output = std::function<void(const char* category, std::string_view text)>;

// What a `launch` or `attach` request asks for, by its arguments; null with the reason.
using Launcher = std::function<std::unique_ptr<Debuggee>(bool attach, const Json& arguments, const Output& output,
                                                         std::string& error)>;

}  // namespace isaforge::dap
