#include "encoding/diagram.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <unordered_map>

#include "isaforge/image.hpp"

namespace isaforge::encoding {

void Cube::fix(unsigned bit, bool one) {
    const std::uint64_t here = std::uint64_t{1} << (63 - bit % 64);
    mask[bit / 64] |= here;
    value[bit / 64] = (value[bit / 64] & ~here) | (one ? here : 0);
}

void Cube::free(unsigned bit) {
    const std::uint64_t here = std::uint64_t{1} << (63 - bit % 64);
    mask[bit / 64] &= ~here;
    value[bit / 64] &= ~here;
}

void Cube::fix_prefix(std::uint64_t prefix, unsigned width) {
    for (unsigned i = 0; i < width; ++i) fix(i, prefix >> (width - 1 - i) & 1);
}

unsigned Cube::fixed_bits() const {
    unsigned out = 0;
    for (const std::uint64_t word : mask) out += static_cast<unsigned>(std::popcount(word));
    return out;
}

bool Cube::meets(const Cube& other) const {
    for (std::size_t i = 0; i < mask.size(); ++i) {
        if ((value[i] ^ other.value[i]) & mask[i] & other.mask[i]) return false;
    }
    return true;
}

Cube cube_of(const Isa& isa, const Image& mask, const Image& value, unsigned bits) {
    Cube out;
    for (unsigned i = 0; i < bits; ++i) {
        const unsigned position = isa.leading_bit_position(i);
        if (mask.get(position, 1) != 0) out.fix(i, value.get(position, 1) != 0);
    }
    return out;
}

Cube cube_of(const Isa& isa, const Form& form) { return cube_of(isa, form.mask, form.value, form.bits); }

Cube cube_of(const ReservedPattern& pattern) {
    Cube out;
    for (unsigned i = 0; i < pattern.width; ++i) {
        const unsigned shift = pattern.width - 1 - i;
        if (pattern.mask >> shift & 1) out.fix(i, pattern.value >> shift & 1);
    }
    return out;
}

std::vector<Prefix> blocks_of(std::uint64_t low, std::uint64_t high, unsigned width) {
    std::vector<Prefix> out;
    for (;;) {
        // The largest block that begins at `low`, is aligned there and ends not behind `high`.
        unsigned size = 0;
        while (size < width && (low & low_bits(size + 1)) == 0 && low_bits(size + 1) <= high - low) ++size;
        out.push_back({size == 64 ? 0 : low >> size, width - size});
        const std::uint64_t last = low + low_bits(size);
        if (last >= high) return out;
        low = last + 1;
    }
}

std::vector<Prefix> blocks_outside(std::uint64_t low, std::uint64_t high, unsigned width) {
    std::vector<Prefix> out;
    if (low > 0) out = blocks_of(0, low - 1, width);
    if (high < low_bits(width)) {
        const std::vector<Prefix> above = blocks_of(high + 1, low_bits(width), width);
        out.insert(out.end(), above.begin(), above.end());
    }
    return out;
}

// Splits the cubes that a path has left by the next bit that one of them looks at.
class DiagramBuilder {
public:
    explicit DiagramBuilder(const std::vector<Cube>& cubes) : cubes_(cubes) {}

    std::optional<Diagram> build() {
        Diagram::Owners all(cubes_.size());
        for (std::uint32_t i = 0; i < all.size(); ++i) all[i] = i;
        const std::optional<Diagram::Node> root = node(all, 0);
        if (!root) return std::nullopt;
        out_.root_ = *root;
        return std::move(out_);
    }

private:
    static constexpr std::size_t most_work = 8'000'000;  // cubes looked at

    struct Hash {
        std::size_t operator()(const Diagram::Owners& owners) const {
            std::uint64_t out = owners.size();
            for (const std::uint32_t owner : owners) out = (out ^ owner) * 0x9e3779b97f4a7c15 + (out >> 29);
            return out;
        }
    };

    // The first bit from `level` on that some of the cubes fix.
    unsigned next_level(const Diagram::Owners& owners, unsigned level) const {
        for (unsigned word = level / 64; word < max_instruction_bits / 64; ++word) {
            std::uint64_t fixed = 0;
            for (const std::uint32_t owner : owners) fixed |= cubes_[owner].mask[word];
            if (word == level / 64) fixed &= ~std::uint64_t{0} >> level % 64;
            if (fixed != 0) return word * 64 + static_cast<unsigned>(std::countl_zero(fixed));
        }
        return Diagram::leaf_level;
    }

    std::optional<Diagram::Node> node(const Diagram::Owners& owners, unsigned from) {
        work_ += owners.size() + 1;
        if (work_ > most_work) return std::nullopt;
        const unsigned level = next_level(owners, from);
        auto& known = known_[level];
        if (const auto found = known.find(owners); found != known.end()) return found->second;
        std::optional<Diagram::Node> made;
        if (level == Diagram::leaf_level) {
            out_.owners_.push_back(owners);
            made = add({level, static_cast<Diagram::Node>(out_.owners_.size() - 1), 0});
        } else {
            Diagram::Owners sides[2];
            for (const std::uint32_t owner : owners) {
                const Cube& cube = cubes_[owner];
                if (!cube.fixes(level) || !cube.one(level)) sides[0].push_back(owner);
                if (!cube.fixes(level) || cube.one(level)) sides[1].push_back(owner);
            }
            const auto zero = node(sides[0], level + 1);
            const auto one = zero ? node(sides[1], level + 1) : std::nullopt;
            if (!one) return std::nullopt;
            made = *zero == *one ? *zero : add({level, *zero, *one});
        }
        known_[level].emplace(owners, *made);
        return made;
    }

    Diagram::Node add(const Diagram::Inner& inner) {
        out_.nodes_.push_back(inner);
        return static_cast<Diagram::Node>(out_.nodes_.size() - 1);
    }

    const std::vector<Cube>& cubes_;
    Diagram out_;
    std::map<unsigned, std::unordered_map<Diagram::Owners, Diagram::Node, Hash>> known_;
    std::size_t work_ = 0;
};

std::optional<Diagram> Diagram::build(const std::vector<Cube>& cubes) { return DiagramBuilder(cubes).build(); }

std::vector<Share> Diagram::weights(unsigned depth) const {
    std::vector<Share> out(nodes_.size());
    out[root_] = Share::block(0);
    for (Node node = root_ + 1; node-- > 0;) {
        if (level(node) >= depth || is_leaf(node) || out[node].is_zero()) continue;
        const Share half = out[node].half();
        out[zero(node)] += half;
        out[one(node)] += half;
    }
    return out;
}

}  // namespace isaforge::encoding
