// Counts the code space by way of a decision diagram over its leading bits.
#include "isaforge/space.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "encoding/claims.hpp"
#include "encoding/codes.hpp"
#include "encoding/walk.hpp"

namespace isaforge {

namespace {

using namespace encoding;

class Accountant {
public:
    Accountant(const Isa& isa, Space& space) : isa_(isa), space_(space), claims_(claims_of(isa)) {}

    bool count() {
        diagram_ = Diagram::build(cubes_of(claims_));
        if (!diagram_) return false;
        space_.unit_bits = isa_.unit_bits;
        count_words();
        const std::vector<Claim> padded = padded_claims(isa_, claims_);
        const std::optional<Diagram> blocks = Diagram::build(cubes_of(padded));
        if (!blocks) return false;
        const Walk cells = walk(*blocks, leading_depth(isa_, claims_));
        space_.depth = cells.depth;
        count_stretches(*blocks, padded, cells);
        count_ranges(*blocks, cells);
        count_fits();
        count_further();
        for (Index i = 0; i < isa_.pools.size(); ++i) count_pool(i);
        return true;
    }

private:
    void count_words() {
        space_.formats.resize(isa_.formats.size());
        for (Index i = 0; i < isa_.formats.size(); ++i) space_.formats[i].format = i;
        std::map<unsigned, SpaceLength> lengths;
        std::vector<std::set<Index>> instructions(isa_.formats.size());
        for (const Claim& claim : claims_) {
            if (claim.kind != Claim::Kind::form) continue;
            const Form& form = isa_.forms[claim.form];
            instructions[form.format].insert(form.instruction);
            SpaceFormat& format = space_.formats[form.format];
            format.instructions = instructions[form.format].size();
            if (std::find(format.lengths.begin(), format.lengths.end(), form.bits) == format.lengths.end())
                format.lengths.push_back(form.bits);
            lengths[form.bits].bits = form.bits;
            ++lengths[form.bits].forms;
        }
        for (SpaceFormat& format : space_.formats) std::sort(format.lengths.begin(), format.lengths.end());
        const std::vector<Share> weights = diagram_->weights();
        for (Diagram::Node node = 0; node < diagram_->size(); ++node) {
            if (!diagram_->is_leaf(node)) continue;
            const Holder holder = holder_of(claims_, diagram_->owners(node));
            if (holder.content == Content::free) space_.free += weights[node];
            if (holder.content == Content::reserved) space_.reserved += weights[node];
            if (holder.content != Content::used) continue;
            space_.used += weights[node];
            lengths[isa_.forms[holder.form].bits].used += weights[node];
            space_.formats[isa_.forms[holder.form].format].used += weights[node];
        }
        for (const auto& [bits, length] : lengths) space_.lengths.push_back(length);
    }

    // A stretch of a format ends where a block begins that has none of its instructions.
    void count_stretches(const Diagram& blocks, const std::vector<Claim>& padded, const Walk& walked) {
        std::map<Diagram::Node, std::set<Index>> formats_of;
        const std::set<Index> none;
        const std::set<Index>* before = &none;
        for (const Cell& cell : walked.cells) {
            const auto [entry, added] = formats_of.try_emplace(cell.node);
            if (added) {
                for (const Index form : forms_below(blocks, padded, cell.node))
                    entry->second.insert(isa_.forms[form].format);
            }
            for (const Index format : entry->second) space_.formats[format].stretches += !before->contains(format);
            before = &entry->second;
        }
    }

    void count_ranges(const Diagram& blocks, const Walk& walked) {
        for (const Cell& cell : walked.cells) {
            if (!blocks.is_leaf(cell.node) || !blocks.owners(cell.node).empty()) continue;
            auto& ranges = space_.free_ranges;
            if (!ranges.empty() && ranges.back().high + 1 == cell.low) {
                ranges.back().high = cell.high;
            } else {
                ranges.push_back({walked.depth, cell.low, cell.high});
            }
        }
        for (std::size_t i = 0; i < space_.free_ranges.size(); ++i) {
            const auto size = [&](std::size_t at) { return space_.free_ranges[at].high - space_.free_ranges[at].low; };
            space_.free_in_ranges += space_.free_ranges[i].size();
            if (size(i) > size(space_.longest)) space_.longest = i;
            if (size(i) < size(space_.cheapest)) space_.cheapest = i;
        }
    }

    // An opcode of `width` bits fits where all words with these leading bits are free.
    void count_fits() {
        for (unsigned width = 1; width <= isa_.unit_bits; ++width) {
            SpaceFit fit;
            fit.width = width;
            const std::vector<Share> weights = diagram_->weights(width);
            for (Diagram::Node node = 0; node < diagram_->size(); ++node) {
                if (diagram_->is_leaf(node) && diagram_->owners(node).empty()) fit.opcodes += weights[node];
            }
            space_.fits.push_back(fit);
        }
        for (const SpaceRange& range : space_.free_ranges) {
            for (const Prefix& block : blocks_of(range.low, range.high, range.width)) {
                for (SpaceFit& fit : space_.fits) {
                    const unsigned known = fit.somewhere ? fit.cheapest.width : 0;
                    if (block.width > fit.width || (fit.somewhere && block.width <= known)) continue;
                    fit.somewhere = true;
                    fit.cheapest = {block.width, block.bits, block.bits};
                }
            }
        }
    }

    void count_further() {
        std::map<std::vector<Index>, std::optional<Diagram>> by_pools;
        for (Index i = 0; i < isa_.formats.size(); ++i) {
            SpaceFormat& format = space_.formats[i];
            if (format.instructions == 0) continue;
            const OpcodeBits bits = opcode_bits(isa_, i);
            format.opcode_fields = bits.fields;
            format.opcode_bits = bits.width;
            const Diagram* diagram = &*diagram_;
            if (!isa_.pools.empty()) {
                std::vector<Index> pools;
                for (Index pool = 0; pool < isa_.pools.size(); ++pool) {
                    const auto& formats = isa_.pools[pool].formats;
                    if (std::find(formats.begin(), formats.end(), i) != formats.end()) pools.push_back(pool);
                }
                const auto [entry, added] = by_pools.try_emplace(pools);
                if (added) entry->second = Diagram::build(with_forbidden(i));
                if (!entry->second) continue;
                diagram = &*entry->second;
            }
            format.counted = free_codes(*diagram, bits, format.further);
        }
    }

    std::vector<Cube> with_forbidden(Index format) const {
        std::vector<Cube> out = cubes_of(claims_);
        const std::vector<Cube> forbidden = forbidden_to(isa_, format);
        out.insert(out.end(), forbidden.begin(), forbidden.end());
        return out;
    }

    void count_pool(Index index) {
        const Pool& pool = isa_.pools[index];
        SpacePool out;
        out.pool = index;
        const SpaceRange range{pool.width, pool.low, pool.high};
        out.size = range.size();
        const BlockCounts counts = count_blocks(*diagram_, claims_, range);
        out.used = counts.used;
        out.partly = counts.partly;
        out.reserved = counts.reserved;
        out.free = counts.free;
        out.words_used = counts.words_used;
        std::set<Index> inside, outside;
        std::vector<Cube> blocks;
        for (const Prefix& block : blocks_of(pool.low, pool.high, pool.width)) {
            blocks.emplace_back().fix_prefix(block.bits, block.width);
        }
        std::map<Index, std::vector<Cube>> forbidden;
        for (const Index format : pool.formats) forbidden[format] = forbidden_to(isa_, format);
        for (const Claim& claim : claims_) {
            if (claim.kind != Claim::Kind::form) continue;
            const Form& form = isa_.forms[claim.form];
            const auto found = forbidden.find(form.format);
            if (found == forbidden.end()) continue;
            const auto meets = [&](const Cube& cube) { return cube.meets(claim.cube); };
            if (std::any_of(blocks.begin(), blocks.end(), meets)) inside.insert(form.instruction);
            if (std::any_of(found->second.begin(), found->second.end(), meets)) outside.insert(form.instruction);
        }
        out.instructions = inside.size();
        out.outside = outside.size();
        space_.pools.push_back(out);
    }

    const Isa& isa_;
    Space& space_;
    std::vector<Claim> claims_;
    std::optional<Diagram> diagram_;
};

}  // namespace

bool account_space(const Isa& isa, Space& space, Diagnostics& diagnostics) {
    space = {};
    if (Accountant(isa, space).count()) return true;
    diagnostics.error({},
                      fmt::format("the opcode bits of {} are scattered in too many ways to be counted", isa.variant));
    return false;
}

}  // namespace isaforge
