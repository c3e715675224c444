// Names for places: the object's symbols, and labels made for branch targets that have none. Collected before anything
// is printed, since a branch forward needs the name of what comes later.
#pragma once

#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "isaforge/codec.hpp"
#include "isaforge/object.hpp"
#include "object/flavour.hpp"

namespace isaforge::disassembler {

struct Label {
    std::uint64_t offset = 0;  // in the section, bytes
    std::string name;
    Index symbol = no_index;  // Object::symbols; no_index: made here
    bool on_boundary = true;  // an instruction or a datum begins here
};

// What begins at a place in code: an instruction, or bytes that are none.
struct Decoded {
    static constexpr Index no_form = (Index{1} << 26) - 1;

    Decoded(Index form, std::uint64_t bytes) : packed_(form << 6 | static_cast<Index>(bytes)) {}
    Index form() const { return packed_ >> 6; }
    unsigned bytes() const { return packed_ & 63; }
    bool is_instruction() const { return form() != no_form; }

private:
    Index packed_;
};

// The labels of one section by rising offset, symbols before made ones.
class SectionLabels {
public:
    std::vector<Label> list;
    std::vector<Decoded> code;  // what the section's bytes are, in order, where targets were collected

    // The name of the place, preferring the first; empty where it has none or nothing begins there. Only for sections
    // whose targets were collected.
    std::string_view at(std::uint64_t offset) const;
    // Makes the list ready for `at`.
    void index(std::uint64_t size, std::uint64_t unit);

private:
    // Which units have names, and how many units with names come before each word of bits.
    struct Rank {
        std::uint64_t bits = 0;
        std::uint32_t before = 0;
    };
    std::uint64_t size_ = 0, unit_ = 1;
    std::vector<Rank> ranks_;
    std::vector<std::uint32_t> first_;  // in the list, by rank
};

class Labels {
public:
    // `longest`: bytes of the longest instruction. `parts`: by section, then by rising offset.
    Labels(const Codec& codec, const Object& object, const std::vector<DisassemblyFlavour::Part>& parts,
           bool make_targets, std::size_t longest, unsigned threads);

    const SectionLabels& of(Index section) const { return sections_[section]; }
    // The name of what is at an address (in bytes) that code of the section refers to; see SectionLabels::at.
    std::string_view at(Index section, std::uint64_t address) const {
        const std::uint64_t offset = address - object_.sections[section].address;
        return offset <= object_.sections[section].bytes.size() ? sections_[section].at(offset) : elsewhere(address);
    }
    // The name that stands for a section's begin in references to the section symbol; made where it is asked for.
    const std::string& begin_of(Index section) const { return begins_[section]; }
    // Whether a symbol's name can be written as it is, and belongs to this symbol alone.
    bool usable(Index symbol) const { return usable_[symbol]; }

private:
    void choose_symbols();
    void collect_targets();
    std::string_view elsewhere(std::uint64_t address) const;
    struct Target {
        std::uint64_t source = 0;  // where the jump is
        Index section = no_index;  // and where it leads
        std::uint64_t offset = 0;
    };
    // What was decoded from `begin` on, up to the first instruction that ends at or behind `until`.
    struct Stretch {
        std::uint64_t begin = 0, end = 0;
        std::vector<Decoded> code;
        std::vector<Target> targets;
    };
    std::vector<DisassemblyFlavour::Part>::const_iterator first_part(Index section) const;
    void decode(Index section, std::uint64_t until, Stretch& out) const;
    std::vector<Stretch> decode_stretches(Index section) const;
    void decode_all(Index section);
    Index section_at(std::uint64_t address) const;
    void name_targets(Index section, std::vector<std::uint64_t>& targets);
    void name_begins();
    std::string fresh(std::string name) const;

    const Codec& codec_;
    const Object& object_;
    const std::vector<DisassemblyFlavour::Part>& parts_;  // no code, where they stand in it
    const std::size_t longest_;
    const std::size_t unit_bytes_;  // of the description: what the object says may be anything
    const std::uint64_t address_bytes_;
    const unsigned threads_;
    std::vector<SectionLabels> sections_;
    std::vector<Index> placed_;  // code of a program that is linked, by rising address, where it has several sections
    std::vector<std::vector<std::uint64_t>> wanted_;  // by section: where branches go, while they are found
    std::vector<std::string> begins_;
    std::vector<std::vector<std::uint64_t>> relocated_;  // by section: where relocations apply
    std::vector<bool> usable_;
    std::unordered_set<std::string_view> taken_;  // names of symbols; those made here differ by how they are made
};

}  // namespace isaforge::disassembler
