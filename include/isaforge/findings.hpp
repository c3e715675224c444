// What the checker finds wrong with a program while it runs, though it goes on: accesses outside of everything, values that nobody
// has written, races between harts. docs/machine.md and docs/gcn.md show each kind.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace isaforge {

// What is looked for.
struct Checks {
    bool bounds = false;         // accesses outside of all storage, to storage that was given back, or misaligned
    bool uninitialised = false;  // registers and memory that decide something and that nobody has written
    bool races = false;          // accesses of two harts in no order; barriers that not all harts of a group reach
    bool waits = false;          // registers read while what loads them is under way
    bool hazards = false;        // instructions too close behind others

    bool any() const { return bounds || uninitialised || races || waits || hazards; }
    bool operator==(const Checks&) const = default;
};

inline constexpr Checks all_checks{true, true, true, true, true};

// "bounds,races": those; "all": all. Nothing where it is no list of checks.
std::optional<Checks> parse_checks(std::string_view text);

// One place of the program where something is wrong.
struct Finding {
    std::string check;          // "bounds", "uninitialised", …
    std::string message;        // what is wrong: "reads 4 bytes at 0x1000, 16 bytes behind `in`"
    std::uint64_t address = 0;  // of the instruction …
    std::string text;           // … how it reads, and where it stands in the source: empty where unknown
    std::string source_line;
    std::string program;      // the kernel that was launched; empty where none was
    std::uint64_t group = 0;  // the first hart to which it happened, by its number in its group …
    unsigned hart = 0;
    std::uint64_t lanes = 0;  // … and in which of its lanes, a bit for each; 0: not of some lanes only
    std::uint64_t count = 0;  // how often it happened
};

// "scale.cl:3: bounds: reads 4 bytes …" and, in a line below, by which instruction; `whose` says to which hart it happened.
std::string to_text(const Finding& finding, std::string_view whose);

// "0-3, 17"; of the lanes whose bits are 1.
std::string lanes_text(std::uint64_t lanes);

}  // namespace isaforge
