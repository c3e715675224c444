#include "encoding/walk.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <unordered_map>

#include "isaforge/image.hpp"

namespace isaforge::encoding {

namespace {

constexpr std::size_t most_cells = 1 << 17;
constexpr unsigned least_depth = 16, most_depth = 24;

class Walker {
public:
    Walker(const Diagram& diagram, unsigned depth) : diagram_(diagram) { walk_.depth = depth; }

    bool go(Diagram::Node node, unsigned level, std::uint64_t prefix) {
        const unsigned rest = walk_.depth - level;
        if (diagram_.level(node) >= walk_.depth) {
            if (walk_.cells.size() == most_cells) return false;
            const std::uint64_t low = prefix << rest;
            walk_.cells.push_back({low, low | low_bits(rest), node});
            return true;
        }
        if (diagram_.level(node) > level) {  // nobody looks at this bit
            return go(node, level + 1, prefix << 1) && go(node, level + 1, prefix << 1 | 1);
        }
        return go(diagram_.zero(node), level + 1, prefix << 1) && go(diagram_.one(node), level + 1, prefix << 1 | 1);
    }

    Walk take() { return std::move(walk_); }

private:
    const Diagram& diagram_;
    Walk walk_;
};

// What lies below the nodes of a diagram, each counted once.
class BlockCounter {
public:
    BlockCounter(const Diagram& diagram, const std::vector<Claim>& claims, const SpaceRange& range)
        : diagram_(diagram), range_(range) {
        below_.resize(diagram.size());
        used_.resize(diagram.size());
        for (Diagram::Node node = 0; node < diagram.size(); ++node) {
            if (!diagram.is_leaf(node)) {
                const Diagram::Node zero = diagram.zero(node), one = diagram.one(node);
                below_[node] = below_[zero] | below_[one];
                used_[node] = (used_[zero] + used_[one]).half();
                continue;
            }
            const Content content = holder_of(claims, diagram.owners(node)).content;
            below_[node] = static_cast<std::uint8_t>(1 << static_cast<int>(content));
            if (content == Content::used) used_[node] = Share::block(0);
        }
    }

    BlockCounts count() { return part(diagram_.root(), 0, 0); }

private:
    // Of the block `prefix` of `level` bits, what lies in the range, as parts of the whole space.
    BlockCounts part(Diagram::Node node, unsigned level, std::uint64_t prefix) {
        const unsigned rest = range_.width - level;
        const std::uint64_t low = rest == 64 ? 0 : prefix << rest, high = low | low_bits(rest);
        if (high < range_.low || low > range_.high) return {};
        const bool inside = low >= range_.low && high <= range_.high;
        if (inside) return scaled(whole(node), level);
        Diagram::Node zero = node, one = node;
        if (diagram_.level(node) == level) {
            zero = diagram_.zero(node);
            one = diagram_.one(node);
        }
        return sum(part(zero, level + 1, prefix << 1), part(one, level + 1, prefix << 1 | 1));
    }

    // The same for all of what comes to a node, as parts of that.
    const BlockCounts& whole(Diagram::Node node) {
        if (const auto known = known_.find(node); known != known_.end()) return known_.at(node);
        BlockCounts out;
        if (diagram_.level(node) < range_.width) {
            const BlockCounts both = sum(whole(diagram_.zero(node)), whole(diagram_.one(node)));
            out = scaled(both, 1);
        } else {
            const auto has = [&](Content content) { return below_[node] >> static_cast<int>(content) & 1; };
            const Share all = Share::block(0);
            if (has(Content::used)) {
                out.used = all;
                if (has(Content::free) || has(Content::reserved)) out.partly = all;
            } else if (has(Content::reserved)) {
                out.reserved = all;
            } else {
                out.free = all;
            }
            out.words_used = used_[node];
        }
        return known_[node] = out;
    }

    static BlockCounts sum(const BlockCounts& a, const BlockCounts& b) {
        return {a.used + b.used, a.partly + b.partly, a.reserved + b.reserved, a.free + b.free,
                a.words_used + b.words_used};
    }

    static BlockCounts scaled(BlockCounts counts, unsigned halvings) {
        for (unsigned i = 0; i < halvings; ++i) {
            for (Share* share : {&counts.used, &counts.partly, &counts.reserved, &counts.free, &counts.words_used}) {
                *share = share->half();
            }
        }
        return counts;
    }

    const Diagram& diagram_;
    SpaceRange range_;
    std::vector<std::uint8_t> below_;  // which contents, a bit each
    std::vector<Share> used_;
    std::unordered_map<Diagram::Node, BlockCounts> known_;
};

}  // namespace

FixedBits fixed_bits_of(const std::vector<Claim>& claims) {
    FixedBits out;
    for (const Claim& claim : claims) {
        if (claim.kind != Claim::Kind::form) continue;
        ++out.forms;
        for (unsigned i = 0; i < out.fixing.size(); ++i) out.fixing[i] += claim.cube.fixes(i);
    }
    return out;
}

std::optional<unsigned> scattered_from(const std::vector<Claim>& claims) {
    const auto [forms, fixing] = fixed_bits_of(claims);
    for (unsigned gap = 0; gap < least_depth; ++gap) {
        if (fixing[gap] * 4 >= forms) continue;
        const auto many = [all = forms](std::size_t count) { return count * 4 >= all * 3; };
        if (std::any_of(fixing.begin() + gap, fixing.end(), many)) return gap;
        break;
    }
    return std::nullopt;
}

unsigned leading_depth(const Isa& isa, const std::vector<Claim>& claims) {
    if (const auto gap = scattered_from(claims)) return std::max(*gap, 1u);
    unsigned depth = least_depth;
    if (isa.unit_bits == least_depth) return depth;
    for (const Claim& claim : claims) {
        unsigned run = 0;
        while (run < most_depth && claim.cube.fixes(run)) ++run;
        depth = std::max(depth, run);
    }
    return depth;
}

Walk walk(const Diagram& diagram, unsigned depth) {
    Walker walker(diagram, depth);
    if (!walker.go(diagram.root(), 0, 0)) return walk(diagram, least_depth);
    return walker.take();
}

std::vector<Index> forms_below(const Diagram& diagram, const std::vector<Claim>& claims, Diagram::Node node) {
    std::set<Index> forms;
    std::set<Diagram::Node> open{node};
    while (!open.empty()) {  // children have lower numbers: none comes twice
        const Diagram::Node last = *open.rbegin();
        open.erase(last);
        if (!diagram.is_leaf(last)) {
            open.insert(diagram.zero(last));
            open.insert(diagram.one(last));
            continue;
        }
        const Holder holder = holder_of(claims, diagram.owners(last));
        if (holder.content == Content::used) forms.insert(holder.form);
    }
    return {forms.begin(), forms.end()};
}

BlockCounts count_blocks(const Diagram& diagram, const std::vector<Claim>& claims, const SpaceRange& range) {
    return BlockCounter(diagram, claims, range).count();
}

}  // namespace isaforge::encoding
