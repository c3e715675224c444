// What a designer says of the code space, against what is there: pools and their capacities, reserved patterns.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "check/findings.hpp"
#include "encoding/claims.hpp"
#include "isaforge/space.hpp"

namespace isaforge::check {

namespace {

using encoding::Cube;

std::string pool_name(const Pool& pool) { return pool.name.empty() ? "the pool" : fmt::format("pool {}", pool.name); }

bool is_for(const Pool& pool, Index format) {
    return std::find(pool.formats.begin(), pool.formats.end(), format) != pool.formats.end();
}

// The leading bits of a form as a pattern, up to the last that it fixes within the first `digits`.
std::string pattern_of(const Cube& cube, unsigned digits) {
    unsigned width = digits;
    while (width > 0 && !cube.fixes(width - 1)) --width;
    std::string out;
    for (unsigned i = 0; i < width; ++i) {
        if (i > 0 && i % 4 == 0) out += '_';
        out += !cube.fixes(i) ? 'x' : cube.one(i) ? '1' : '0';
    }
    return out;
}

class PoolCheck {
public:
    PoolCheck(const Isa& isa, Diagnostics& diagnostics) : isa_(isa), diagnostics_(diagnostics) {}

    void look() {
        for (const Pool& pool : isa_.pools) {
            check_capacity(pool);
            check_formats_used(pool);
        }
        for (std::size_t i = 0; i < isa_.pools.size(); ++i) {
            for (std::size_t j = 0; j < i; ++j) check_overlap(isa_.pools[j], isa_.pools[i]);
        }
        for (const Form& form : isa_.forms) {
            if (!form.alias) check_place(form);
        }
    }

private:
    // 0 opcodes are all 2^64.
    void check_capacity(const Pool& pool) {
        if (!pool.capacity || *pool.capacity == pool.opcodes()) return;
        const SpaceRange range{pool.width, pool.low, pool.high};
        const std::string held = range.size().count(pool.width, 0);
        const bool more = pool.opcodes() != 0 && *pool.capacity > pool.opcodes();
        const std::uint64_t off = more ? *pool.capacity - pool.opcodes() : pool.opcodes() - *pool.capacity;
        diagnostics_.error(
            pool.where, fmt::format("{} claims a capacity of {}, but {} .. {} holds {} opcodes of {} bits: {} {}",
                                    pool_name(pool), *pool.capacity, leading_pattern(pool.low, pool.width, pool.width),
                                    leading_pattern(pool.high, pool.width, pool.width), held, pool.width, off,
                                    more ? "fewer" : "more"));
    }

    void check_formats_used(const Pool& pool) {
        for (const Index format : pool.formats) {
            const bool used = std::any_of(isa_.forms.begin(), isa_.forms.end(),
                                          [&](const Form& form) { return form.format == format; });
            if (!used)
                diagnostics_
                    .warning(pool.where, fmt::format("{} is for format {}, which no instruction has", pool_name(pool),
                                                     isa_.formats[format].name))
                    .note(isa_.formats[format].where, "the format is here");
        }
    }

    // A format of one pool only may not be where the other one is.
    void check_overlap(const Pool& first, const Pool& second) {
        const unsigned width = std::max(first.width, second.width);
        const auto bounds = [&](const Pool& pool) {
            const unsigned rest = width - pool.width;
            return std::pair{pool.low << rest, pool.high << rest | low_bits(rest)};
        };
        const auto [low_1, high_1] = bounds(first);
        const auto [low_2, high_2] = bounds(second);
        const std::uint64_t low = std::max(low_1, low_2), high = std::min(high_1, high_2);
        if (low > high) return;
        const SpaceRange shared{width, low, high};
        std::string lone;
        for (const Pool* pool : {&first, &second}) {
            const Pool& other = pool == &first ? second : first;
            for (const Index format : pool->formats) {
                if (!is_for(other, format)) lone += (lone.empty() ? "" : ", ") + isa_.formats[format].name;
            }
        }
        const std::string what = lone.empty() ? "their opcodes are counted twice"
                                              : fmt::format("{} may not lie there, by one of the two", lone);
        diagnostics_
            .error(second.where, fmt::format("this pool and an earlier one share {} ({} opcodes of {} bits): {}",
                                             range_text(shared), shared.size().count(width, 0), width, what))
            .note(first.where, "the other pool is here");
    }

    // Of a row with several forms, the first that lies wrong is told.
    void check_place(const Form& form) {
        const Cube cube = encoding::cube_of(isa_, form);
        const auto told = [&](int kind) { return !told_.insert({kind, form.instruction}).second; };
        for (const ReservedPattern& pattern : isa_.reserved) {
            if (form.bits < pattern.width || !encoding::cube_of(pattern).meets(cube) || told(0)) continue;
            diagnostics_
                .error(form.where, fmt::format("{} matches a reserved pattern{}{}", name_of(form),
                                               pattern.reason.empty() ? "" : ": ", pattern.reason))
                .note(pattern.where, "the pattern is here");
        }
        if (isa_.pools.empty()) return;
        const Pool* own = nullptr;
        for (const Pool& pool : isa_.pools) {
            if (is_for(pool, form.format)) {
                if (!own) own = &pool;
            } else if (in_pool(cube, pool) && !told(1)) {
                diagnostics_
                    .error(form.where, fmt::format("{} begins with {}, which is in a pool that is not for format {}",
                                                   name_of(form), begin_of(cube), isa_.formats[form.format].name))
                    .note(pool.where, "the pool is here");
            }
        }
        if (!own || !meets_any(cube, forbidden_to(form.format)) || told(1)) return;
        diagnostics_
            .error(form.where, fmt::format("{} begins with {}, outside of the pools for format {}", name_of(form),
                                           begin_of(cube), isa_.formats[form.format].name))
            .note(own->where, "its pool is here");
    }

    std::string name_of(const Form& form) const {
        return fmt::format("{} ({})", isa_.instruction_of(form).names[0], isa_.formats[form.format].name);
    }

    std::string begin_of(const Cube& cube) const {
        unsigned widest = 0;
        for (const Pool& pool : isa_.pools) widest = std::max(widest, pool.width);
        return pattern_of(cube, std::max(widest, std::min(isa_.unit_bits, 16u)));
    }

    static bool meets_any(const Cube& cube, const std::vector<Cube>& others) {
        return std::any_of(others.begin(), others.end(), [&](const Cube& other) { return other.meets(cube); });
    }

    const std::vector<Cube>& forbidden_to(Index format) {
        const auto [entry, added] = forbidden_.try_emplace(format);
        if (added) entry->second = encoding::forbidden_to(isa_, format);
        return entry->second;
    }

    static bool in_pool(const Cube& cube, const Pool& pool) {
        // The lowest and the highest opcode of the pool's width that the cube can have: most pools lie elsewhere.
        const std::uint64_t lowest = cube.value[0] >> (64 - pool.width);
        const std::uint64_t highest = (cube.value[0] | ~cube.mask[0]) >> (64 - pool.width);
        if (highest < pool.low || lowest > pool.high) return false;
        for (const encoding::Prefix& block : encoding::blocks_of(pool.low, pool.high, pool.width)) {
            Cube inside;
            inside.fix_prefix(block.bits, block.width);
            if (inside.meets(cube)) return true;
        }
        return false;
    }

    const Isa& isa_;
    Diagnostics& diagnostics_;
    std::set<std::pair<int, Index>> told_;
    std::map<Index, std::vector<Cube>> forbidden_;
};

}  // namespace

void find_pool_defects(const Isa& isa, Diagnostics& diagnostics) { PoolCheck(isa, diagnostics).look(); }

}  // namespace isaforge::check
