// The opcode space while it is being filled: what each class may still use, and where there is room for it.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "allocator/classes.hpp"
#include "allocator/fit.hpp"

namespace isaforge::allocator {

class Room {
public:
    explicit Room(const Classes& classes);

    Bdd& bdd() { return bdd_; }
    const Class& group(std::size_t index) const { return classes_.list[index]; }

    // Blocks that the class may still open.
    Bdd::Ref allowed(std::size_t index);
    void take(std::size_t index, Bdd::Ref blocks);

    // The first number from `from` on whose block the class may open, or with `free` false may not. Nothing where there is
    // none.
    std::optional<std::uint64_t> seek(std::size_t index, std::uint64_t from, bool free);
    // Numbers first..last that the class may open, from `from` on.
    std::optional<std::pair<std::uint64_t, std::uint64_t>> run(std::size_t index, std::uint64_t from);

    // Whether those classes that are not `placed` still fit, when `blocks` of class `index` are taken.
    bool leaves_room(std::size_t index, Bdd::Ref blocks, const std::vector<bool>& placed,
                     const std::vector<Demand>& rest = {});

private:
    const Classes& classes_;
    Bdd bdd_;
    std::vector<Bdd::Ref> allowed_;
    std::vector<std::size_t> seen_;                           // how much of the log each class knows
    std::vector<std::pair<std::size_t, Bdd::Ref>> log_;       // what was taken, by which class
};

// What a class demands of the search.
std::vector<Demand> demands_of(Bdd& bdd, const Class& group, std::size_t index);

}  // namespace isaforge::allocator
