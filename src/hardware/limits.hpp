// Limits of a description as hardware counts them: what operands bring along is numbers, made of bits of their codes, and equal
// numbers are one thing.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "hardware/decoder.hpp"
#include "hardware/names.hpp"
#include "hardware/sets.hpp"

namespace isaforge::hardware {

class LimitMaker {
public:
    // Numbers are made for what these forms have; functions are added to `out` as they are asked for.
    LimitMaker(const Isa& isa, const std::vector<Index>& forms, DecoderSets& sets, Decoder& out);

    // The checks of a form, one for each of its limits.
    std::vector<Check> checks_of(const Form& form);
    // The words in which operands take too much for one of these, whatever else is in them.
    DecoderSets::Set broken(const std::vector<Check>& checks);

private:
    using Cases = std::vector<std::pair<DecoderSets::Things, DecoderSets::Set>>;

    // Rows at one place, or values of all operands: codes of those with one number are different things.
    struct Source {
        Thing::Kind kind = Thing::Kind::row;
        Place where;
        std::vector<bool> codes;  // that some row has
        unsigned number = 0;
    };
    struct Known {
        std::size_t limited = 0;
        std::vector<Source> sources;
        std::map<Index, Cases> cases;  // by operand type
    };

    void look_at(const Taking& taking, const Form& form);
    static void add_source(Known& known, const Thing& thing);
    void number_sources(Known& known);
    std::string head_of(const Known& known, const Thing& thing) const;
    const std::vector<std::size_t>& counts_of(Index type, Index limit);
    Counts counts_of(Index type, const Known& known, std::size_t slot);
    std::optional<LimitKept> kept_of(const Form& form, const Taking& taking);
    DecoderSets::Set broken(const LimitKept& kept);

    const Isa& isa_;
    DecoderSets& sets_;
    Decoder& out_;
    std::map<Index, Known> known_;                                         // by limit
    std::map<std::pair<Index, Index>, std::vector<std::size_t>> counts_;  // by operand type and limit: Decoder::counts
    std::map<std::size_t, DecoderSets::Set> broken_;                          // by Decoder::limits
    Names names_{true};
};

}  // namespace isaforge::hardware
