// Which words a row has, exactly: of an operand's rows and of the forms of instructions, as sets that know of ranges, steps,
// reserved codes and operands inside operands. All questions whether rows meet, or leave nothing for another, are asked of
// these sets, whose size does not depend on how many words they hold.
#pragma once

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "allocator/bdd.hpp"
#include "isaforge/isa.hpp"

namespace isaforge::check {

class WordSets {
public:
    using Ref = allocator::Bdd::Ref;
    using Levels = std::vector<unsigned>;  // for each bit of a code, where it stands in the set's words

    explicit WordSets(const Isa& isa) : isa_(isa) {}

    // The codes of an operand that mean something, those that a row claims, and those of them that are also valid in the
    // operands inside. With `Levels` of its own: code_levels.
    Ref valid(Index type, const Levels& levels);
    Ref claimed(const OperandRow& row, const Levels& levels);
    Ref matched(const OperandRow& row, const Levels& levels);
    static Levels code_levels(unsigned width);

    // The words of a form: those with valid operands. What its tail holds is not looked at.
    Ref words(const Form& form);

    // Some word of a set that is not empty: the lowest, with the bits that do not matter 0.
    std::uint64_t code_in(Ref set, unsigned width) const;
    Image image_in(Ref set) const;

    allocator::Bdd& bdd() { return bdd_; }
    // The sets have become too large or a rule could not be told: what was found to be empty may not be.
    bool unsure() const { return unsure_ || bdd_.exhausted(); }
    // Gives the room back, and all sets with it, where much is taken.
    void clean_up();

private:
    Ref cube(std::uint64_t mask, std::uint64_t value, const Levels& levels);
    Ref between(std::uint64_t low, std::uint64_t high, const Levels& levels, bool is_signed = false);
    Ref steps(const Constraint& constraint, const Levels& levels);
    Ref number(const NumberRule& rule, unsigned width, const Levels& levels);
    Ref entries(const OperandType& type, const Levels& levels);
    Ref rows(const OperandType& type, const Levels& levels);
    static Levels inside(const BitPlace& place, const Levels& levels);
    Levels in_word(const BitPlace& place) const;

    const Isa& isa_;
    allocator::Bdd bdd_;
    std::map<std::pair<Index, Levels>, Ref> valid_;
    std::map<const Field*, Ref> operands_;  // of forms that have their fields in common
    bool unsure_ = false;
};

}  // namespace isaforge::check
