// How far something has come that takes long: a line on standard error, if that is a terminal. It comes after two seconds,
// changes at most ten times a second, and erases itself. There is one at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

namespace isaforge {
class Machine;
class Streams;
struct RunResult;
}  // namespace isaforge

namespace isaforge::cli {

class Progress {
public:
    // "check", and what is counted: "variants"; empty: nothing is, and time alone is told. `total`: how many there are; 0:
    // nobody knows.
    explicit Progress(std::string what, std::string things = {}, std::uint64_t total = 0);
    ~Progress();
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    // Whether there is anybody to see it.
    bool is_shown() const { return state_ != nullptr; }
    // So many are done. Any thread may say so, at any time.
    void at(std::uint64_t done);
    // Somebody else is about to write on the terminal: a line that is there goes away, and comes back in two seconds.
    static void hide();

private:
    struct State;
    std::unique_ptr<State> state_;
};

// A whole run with its progress. In pieces it is counted, which is the same run where there is one hart.
RunResult run_with_progress(Machine& machine, std::uint64_t limit, bool in_pieces);
// The streams to make the machine with: what the program writes takes the line's place.
std::shared_ptr<Streams> streams_beside_progress();

}  // namespace isaforge::cli
