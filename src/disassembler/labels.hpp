// Names for places: the object's symbols, and labels made for branch targets that have none. Collected before anything
// is printed, since a branch forward needs the name of what comes later.
#pragma once

#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "isaforge/codec.hpp"
#include "isaforge/object.hpp"

namespace isaforge::disassembler {

struct Label {
    std::uint64_t offset = 0;  // in the section, bytes
    std::string name;
    Index symbol = no_index;  // Object::symbols; no_index: made here
    bool on_boundary = true;  // an instruction or a datum begins here
};

// The labels of one section by rising offset, symbols before made ones.
class SectionLabels {
public:
    std::vector<Label> list;

    // The name of the place, preferring the first; empty where it has none.
    std::string_view at(std::uint64_t offset) const;
};

class Labels {
public:
    Labels(const Codec& codec, const Object& object, bool make_targets);

    const SectionLabels& of(Index section) const { return sections_[section]; }
    // The name that stands for a section's begin in references to the section symbol; made where it is asked for.
    const std::string& begin_of(Index section) const { return begins_[section]; }
    // Whether a symbol's name can be written as it is, and belongs to this symbol alone.
    bool usable(Index symbol) const { return usable_[symbol]; }

private:
    void choose_symbols();
    void collect_targets(Index section);
    void name_begins();
    std::string fresh(std::string name) const;

    const Codec& codec_;
    const Object& object_;
    std::vector<SectionLabels> sections_;
    std::vector<std::string> begins_;
    std::vector<std::vector<std::uint64_t>> relocated_;  // by section: where relocations apply
    std::vector<bool> usable_;
    std::unordered_set<std::string_view> taken_;  // names of symbols; those made here differ by how they are made
};

}  // namespace isaforge::disassembler
