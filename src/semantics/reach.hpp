// What meanings reach by the names in them: functions, constants, registers, and what these reach in turn. Two variants of a description
// may have a row of a table in common and not the function that it calls.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "isaforge/isa.hpp"
#include "semantics/slices.hpp"

namespace isaforge::semantics {

class Reach {
public:
    explicit Reach(const Isa& isa);

    // A number that is the same in two variants of a description, with certainty that is enough, where these names stand for the same.
    std::uint64_t of(const Names& names) const;

private:
    struct Definition {
        std::uint64_t what = 0;       // a hash of what is said of the name itself; in the end, of all that it reaches
        std::vector<Index> uses;
    };
    std::unordered_map<std::string, Index> by_name_;
    std::vector<Definition> definitions_;
};

}  // namespace isaforge::semantics
