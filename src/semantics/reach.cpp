#include "semantics/reach.hpp"

#include <functional>
#include <memory>
#include <utility>

namespace isaforge::semantics {

namespace {

void mix(std::uint64_t& hash, std::uint64_t part) {
    hash = (hash ^ part) * 0x9e3779b97f4a7c15u;
    hash ^= hash >> 32;
}
void mix(std::uint64_t& hash, const std::string& part) { mix(hash, std::hash<std::string>()(part)); }

}  // namespace

// What names of the whole description are, and what is in it; then, as often as there may be one behind the other, what those are
// that they use.
Reach::Reach(const Isa& isa) {
    std::vector<std::pair<Index, Names>> used;
    const auto define = [&](const std::string& name, Names names, const auto&... parts) {
        const auto [place, is_new] = by_name_.try_emplace(name, static_cast<Index>(definitions_.size()));
        if (is_new) definitions_.emplace_back();
        (mix(definitions_[place->second].what, parts), ...);
        if (!names.empty()) used.emplace_back(place->second, std::move(names));
    };
    for (const auto& [name, value] : isa.constants) define(name, {}, value);
    define("pc", {"pc_bits"});
    for (const RegisterFile& file : isa.register_files) {
        define(file.name, {}, file.index_bits, file.count, file.bits, file.lanes);
        for (const BitField& field : file.fields)
            define(file.name, {}, field.name, field.low, field.width, field.number);
    }
    for (const MemorySpace& memory : isa.memories) define(memory.name, {}, memory.unit_bits, memory.big_endian);
    for (const Mode& mode : isa.modes) define(mode.name, {}, mode.bits);
    for (const std::shared_ptr<const TypeAlias>& type : isa.types) {
        Names names;
        add_names(type->meaning, names);
        define(type->name, std::move(names), type->place.offset, type->meaning.is_signed);
    }
    for (const Naming& naming : isa.names_in_meanings) {
        Names names;
        add_names(*naming.value, names);
        define(naming.name, std::move(names), naming.where.offset);
    }
    for (const std::string& name : isa.functions.names) {
        const Function& function = *isa.functions.find(name);
        Names names;
        add_names(function.body, names);
        define(name, std::move(names), function.place.offset);
    }
    for (const auto& [index, names] : used) {
        for (const std::string& name : names) {
            const auto found = by_name_.find(name);
            if (found != by_name_.end()) definitions_[index].uses.push_back(found->second);
        }
    }
    std::vector<Definition*> inner;  // that use others
    for (Definition& one : definitions_)
        if (!one.uses.empty()) inner.push_back(&one);
    std::vector<std::uint64_t> next(inner.size());
    for (std::size_t round = 0; round < inner.size(); ++round) {
        for (std::size_t i = 0; i < inner.size(); ++i) {
            next[i] = inner[i]->what;
            for (const Index use : inner[i]->uses) mix(next[i], definitions_[use].what);
        }
        for (std::size_t i = 0; i < inner.size(); ++i) inner[i]->what = next[i];
    }
}

std::uint64_t Reach::of(const Names& names) const {
    std::uint64_t out = 0;
    for (const std::string& name : names) {
        const auto found = by_name_.find(name);
        mix(out, name);
        if (found != by_name_.end()) mix(out, definitions_[found->second].what);
    }
    return out;
}

}  // namespace isaforge::semantics
