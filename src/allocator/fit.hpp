// The exact question: do so many blocks of these sizes fit into what their classes may use? The search goes down the space
// from large blocks to small ones. What is left free is kept as a count of parts of each kind, so that parts that look
// alike are never told apart, and whether the rest fits as if it were fluid is asked before every step.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "allocator/bdd.hpp"
#include "allocator/problem.hpp"

namespace isaforge::allocator {

// What one class may still use, in blocks of `width` bits; the set depends on no bit behind.
struct Supply {
    unsigned width = 0;
    Bdd::Ref allowed = Bdd::none;
};

// Wanted: `count` times the words of `pattern` in a part of the space of `depth` leading bits.
struct Demand {
    std::size_t supply = 0;
    unsigned depth = 0;
    Bdd::Ref pattern = Bdd::all;
    std::uint64_t blocks = 1;  // of the supply's width, in the pattern
    std::uint64_t count = 0;
};

// Supplies whose demands together exceed what they may use, in blocks of `width` bits.
struct Cut {
    std::vector<std::size_t> supplies;
    unsigned width = 0;
    std::uint64_t needed = 0, available = 0;
};

class Fit {
public:
    Fit(Bdd& bdd, const std::vector<Supply>& supplies, const std::vector<Demand>& demands);

    // Gives up after so many placements, or when the work grows beyond all use.
    Answer search(std::uint64_t most);
    std::uint64_t placements() const { return placements_; }

    // The sums alone: supplies that cannot have enough, as few as prove it. Empty where all could.
    Cut shortage();

private:
    using Type = std::uint32_t;  // a kind of part: what each class may use of it
    using Ref = Bdd::Ref;
    using State = std::vector<std::pair<Type, std::uint64_t>>;   // how many parts of which type, by type
    using Areas = std::vector<std::pair<Type, std::uint64_t>>;   // words by type of leaf, in units

    Type intern(const std::vector<Ref>& parts);
    const std::vector<Ref>& parts(Type type) const { return types_[type]; }
    unsigned top(Type type) const { return tops_[type]; }
    Type half(Type type, unsigned level, bool one);
    State descend(const State& state, unsigned from, unsigned to);
    Type drop_finished(Type type, std::size_t next);
    Type take(Type type, const Demand& demand);
    bool accepts(Type type, const Demand& demand);
    bool dominated(Type type, Type by);
    const Areas& areas(Type type);
    std::vector<std::uint64_t> demanded(std::size_t next) const;
    // Whether what is demanded from `next` on could flow into the state; the supplies on the short side where not.
    bool flows(std::size_t next, const State& state, unsigned depth, std::vector<bool>* short_side = nullptr);
    bool place(std::size_t next, State state, unsigned depth);
    bool distribute(std::size_t next, const std::vector<Type>& kinds, std::size_t at, std::uint64_t left, State state);
    std::vector<Type> candidates(const State& state, const Demand& demand);

    Bdd& bdd_;
    std::vector<Supply> supplies_;
    std::vector<std::vector<std::size_t>> members_;  // supply: those that it stands for
    std::vector<Demand> demands_;      // by depth
    std::vector<std::size_t> last_;    // supply: behind its last demand
    unsigned deepest_ = 0;
    std::vector<std::vector<Ref>> types_;
    std::vector<unsigned> tops_;
    std::unordered_map<std::string, Type> known_types_;
    std::unordered_map<Type, Areas> areas_;
    std::unordered_set<std::string> failed_;
    std::uint64_t placements_ = 0, most_placements_ = 0, work_ = 0;
    bool gave_up_ = false;
    Type root_ = 0;
};

}  // namespace isaforge::allocator
