// Which words a row has, exactly: of an operand's rows and of the forms of instructions, as sets that know of ranges, steps,
// reserved codes and operands inside operands. All questions whether rows meet, or leave nothing for another, and what decoders
// look at, are asked of these sets, whose size does not depend on how many words they hold.
//
// They are found in the rows of the description, not in the codec's tables.
#pragma once

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "allocator/bdd.hpp"
#include "isaforge/isa.hpp"

namespace isaforge::encoding {

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

    // The words that have a form's fixed bits, and those of them with valid operands. What its tail holds is not looked at.
    Ref bits_of(const Form& form);
    Ref words(const Form& form);

    // Some word of a set that is not empty: the lowest, with the bits that do not matter 0.
    std::uint64_t code_in(Ref set, unsigned width) const;
    Image image_in(Ref set) const;

    allocator::Bdd& bdd() { return bdd_; }
    // The sets have become too large or a rule could not be told: what was found to be empty may not be.
    bool unsure() const { return unsure_ || bdd_.exhausted(); }
    // Gives the room back, and all sets with it, where much is taken.
    void clean_up();

protected:
    Ref cube(std::uint64_t mask, std::uint64_t value, const Levels& levels);
    static Levels inside(const BitPlace& place, const Levels& levels);
    Levels in_word(const BitPlace& place) const;

    // Calls visit(row, codes) for each row with the codes that it has and no row before, which decides; also for rows that are
    // reserved, which take codes away from those behind.
    template <typename Visit>
    void each_row(const OperandType& type, const Levels& levels, Visit&& visit) {
        Ref before = allocator::Bdd::none;
        for (const OperandRow& row : type.rows) {
            if (row.alias) continue;
            const Ref own = bdd_.without(matched(row, levels), before);
            before = bdd_.either(before, own);
            if (own != allocator::Bdd::none) visit(row, own);
        }
    }

    const Isa& isa_;
    allocator::Bdd bdd_;

private:
    Ref between(std::uint64_t low, std::uint64_t high, const Levels& levels, bool is_signed = false);
    Ref steps(const Constraint& constraint, const Levels& levels);
    Ref number(const NumberRule& rule, unsigned width, const Levels& levels);
    Ref entries(const OperandType& type, const Levels& levels);
    Ref rows(const OperandType& type, const Levels& levels);

    std::map<std::pair<Index, Levels>, Ref> valid_;
    std::map<const Field*, Ref> operands_;  // of forms that have their fields in common
    bool unsure_ = false;
};

}  // namespace isaforge::encoding
