// What an assignment costs in hardware: the bits and the products that tell the length of an instruction, and its format.
#pragma once

#include <cstddef>
#include <map>
#include <vector>

#include "allocator/classes.hpp"
#include "allocator/placement.hpp"

namespace isaforge::allocator {

class Decoders {
public:
    explicit Decoders(Classes& classes);

    // `thorough`: with the minimiser's later passes, for figures that are shown; without, for comparing.
    Figures measure(Placement& placement, bool thorough) const;

private:
    struct Output {                    // what a form of a class is
        unsigned format = 0, length = 0;
        Bdd::Ref tail = Bdd::all;      // its constants behind the block
    };
    struct Group {
        bool alike = true;             // all rows have the same outputs
        std::vector<Output> outputs;
    };
    using Sets = std::map<unsigned, Bdd::Ref>;  // words by format or by length

    void add_rows(Placement& placement, std::size_t index, bool opened_only, Sets& formats, Sets& lengths) const;

    const Classes& classes_;
    Sets fixed_formats_, fixed_lengths_;
    std::vector<Group> groups_;
};

// Related items whose words differ in more than one bit.
unsigned count_apart(const Problem& problem, const Assignment& assignment);

}  // namespace isaforge::allocator
