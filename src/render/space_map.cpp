#include "render/space_map.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "encoding/walk.hpp"

namespace isaforge::render {

namespace {

using namespace encoding;

constexpr unsigned most_bits = 16;

// The bits to draw: the first ones; of a scattered encoding those that at least half of the forms look at.
std::vector<unsigned> bits_to_draw(const Isa& isa, const std::vector<Claim>& claims, bool scattered) {
    std::vector<unsigned> out;
    if (!scattered) {
        const unsigned count = isa.unit_bits < most_bits ? std::min(leading_depth(isa, claims), most_bits) : most_bits;
        unsigned last = 1;  // no more than are looked at
        for (const Claim& claim : claims) {
            for (unsigned i = 0; i < count; ++i) {
                if (claim.cube.fixes(i)) last = std::max(last, i + 1);
            }
        }
        for (unsigned i = 0; i < last; ++i) out.push_back(i);
        return out;
    }
    const auto [forms, fixing] = fixed_bits_of(claims);
    for (unsigned i = 0; i < fixing.size() && out.size() < most_bits; ++i) {
        if (fixing[i] * 2 >= forms) out.push_back(i);
    }
    return out;
}

// The claims with the bits of the map in front.
std::vector<Claim> reordered(const std::vector<Claim>& claims, const std::vector<unsigned>& first) {
    std::vector<unsigned> order = first;
    for (unsigned i = 0; i < max_instruction_bits; ++i) {
        if (std::find(first.begin(), first.end(), i) == first.end()) order.push_back(i);
    }
    std::vector<Claim> out = claims;
    for (std::size_t at = 0; at < claims.size(); ++at) {
        out[at].cube = {};
        for (unsigned i = 0; i < max_instruction_bits; ++i) {
            if (claims[at].cube.fixes(order[i])) out[at].cube.fix(i, claims[at].cube.one(order[i]));
        }
    }
    return out;
}

// For each instruction the first that has its name: rows of one mnemonic are one thing to who looks at the map.
std::vector<Index> first_of_name(const Isa& isa) {
    std::map<std::string_view, Index> first;
    std::vector<Index> out;
    for (const Instruction& instruction : isa.instructions) {
        out.push_back(first.emplace(instruction.names[0], static_cast<Index>(out.size())).first->second);
    }
    return out;
}

// What is below one node of the diagram, as a block without a place.
MapBlock block_of(const Isa& isa, const Diagram& diagram, const std::vector<Claim>& claims, Diagram::Node node,
                  const std::vector<Index>& namesakes) {
    MapBlock out;
    std::set<Index> instructions, formats;
    std::set<unsigned> lengths;
    for (const Index index : forms_below(diagram, claims, node)) {
        const Form& form = isa.forms[index];
        instructions.insert(namesakes[form.instruction]);
        formats.insert(form.format);
        lengths.insert(form.bits);
    }
    out.instructions = {instructions.begin(), instructions.end()};
    if (formats.size() == 1) out.format = *formats.begin();
    out.parts.push_back({0, 0, {lengths.begin(), lengths.end()}});
    const bool leaf = diagram.is_leaf(node);
    if (!instructions.empty()) {
        out.kind = MapBlock::Kind::used;
        out.partly = false;
    } else if (!leaf || holder_of(claims, diagram.owners(node)).content == Content::reserved) {
        out.kind = MapBlock::Kind::reserved;
    }
    return out;
}

// Nodes that hold, somewhere, a word that no instruction has.
std::vector<bool> nodes_with_room(const Diagram& diagram, const std::vector<Claim>& claims) {
    std::vector<bool> out(diagram.size());
    for (Diagram::Node node = 0; node < diagram.size(); ++node) {
        out[node] = diagram.is_leaf(node) ? holder_of(claims, diagram.owners(node)).content != Content::used
                                          : out[diagram.zero(node)] || out[diagram.one(node)];
    }
    return out;
}

// Appends a cell's block, or lengthens the last one by it where it has the same instructions.
void append(std::vector<MapBlock>& blocks, MapBlock next) {
    if (!blocks.empty()) {
        MapBlock& last = blocks.back();
        if (last.kind == next.kind && last.instructions == next.instructions && last.format == next.format) {
            last.partly |= next.partly;
            last.high = next.high;
            MapBlock::Part& part = last.parts.back();
            if (part.lengths == next.parts[0].lengths) {
                part.high = next.high;
            } else {
                last.parts.push_back(next.parts[0]);
            }
            return;
        }
    }
    blocks.push_back(std::move(next));
}

// A pool's bounds in cells; those of a finer pool are widened to whole cells.
MapPool pool_in_cells(const Isa& isa, Index index, unsigned bits) {
    const Pool& pool = isa.pools[index];
    if (pool.width >= bits) return {index, pool.low >> (pool.width - bits), pool.high >> (pool.width - bits)};
    const unsigned rest = bits - pool.width;
    return {index, pool.low << rest, ((pool.high + 1) << rest) - 1};
}

}  // namespace

std::optional<SpaceMap> space_map(const Isa& isa, Diagnostics& diagnostics) {
    SpaceMap map;
    if (!account_space(isa, map.space, diagnostics)) return std::nullopt;
    const std::vector<Claim> own = claims_of(isa);
    map.scattered = scattered_from(own).has_value();
    map.bits = bits_to_draw(isa, own, map.scattered);
    const std::vector<Claim> claims = reordered(padded_claims(isa, own), map.bits);
    const std::optional<Diagram> diagram = Diagram::build(cubes_of(claims));
    if (!diagram) {
        diagnostics.error({}, fmt::format("the opcode bits of {} are too entangled to be drawn", isa.variant));
        return std::nullopt;
    }
    const std::vector<Index> namesakes = first_of_name(isa);
    const std::vector<bool> room = nodes_with_room(*diagram, claims);
    std::map<Diagram::Node, MapBlock> known;
    for (const Cell& cell : walk(*diagram, static_cast<unsigned>(map.bits.size())).cells) {
        const auto [entry, added] = known.try_emplace(cell.node);
        if (added) entry->second = block_of(isa, *diagram, claims, cell.node, namesakes);
        MapBlock block = entry->second;
        block.partly = block.kind == MapBlock::Kind::used && room[cell.node];
        block.low = block.parts[0].low = cell.low;
        block.high = block.parts[0].high = cell.high;
        append(map.blocks, std::move(block));
    }
    for (const SpaceLength& length : map.space.lengths) map.lengths.push_back(length.bits);
    for (Index i = 0; i < isa.pools.size() && !map.scattered; ++i) {
        map.pools.push_back(pool_in_cells(isa, i, static_cast<unsigned>(map.bits.size())));
    }
    return map;
}

std::string cell_text(const SpaceMap& map, std::uint64_t low, std::uint64_t high) {
    return range_text({static_cast<unsigned>(map.bits.size()), low, high});
}

std::string names_text(const Isa& isa, const MapBlock& block, std::size_t most) {
    std::vector<std::string> names;
    for (const Index index : block.instructions) {
        if (names.size() < most) names.push_back(isa.instructions[index].names[0]);
    }
    const std::size_t more = block.instructions.size() - names.size();
    return fmt::format("{}{}", fmt::join(names, ", "), more > 0 ? fmt::format(" and {} more", more) : "");
}

std::vector<char> format_letters(const Isa& isa, const SpaceMap& map) {
    std::vector<char> out(isa.formats.size(), '?');
    std::set<char> taken;
    const auto take = [&](Index format, char letter) {
        const bool good = (letter >= 'A' && letter <= 'Z') || (letter >= 'a' && letter <= 'z');
        if (out[format] != '?' || !good || !taken.insert(letter).second) return;
        out[format] = letter;
    };
    static constexpr std::string_view all = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwyz";
    for (const bool exact : {true, false}) {  // a format of one letter has it before others that begin with it
        for (const SpaceFormat& format : map.space.formats) {
            const std::string& name = isa.formats[format.format].name;
            if (format.instructions > 0 && (name.size() == 1 || !exact)) take(format.format, name[0]);
        }
    }
    for (const SpaceFormat& format : map.space.formats) {
        if (format.instructions == 0) continue;
        for (const char letter : isa.formats[format.format].name) take(format.format, letter);
        for (const char letter : all) take(format.format, letter);
    }
    return out;
}

}  // namespace isaforge::render
