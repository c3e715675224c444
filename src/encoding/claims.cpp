#include "encoding/claims.hpp"

#include <algorithm>

#include "isaforge/image.hpp"

namespace isaforge::encoding {

namespace {

// The bits that all forms of a table's rows fix alike, other than those in `columns`: the format's own.
Image own_bits(const Isa& isa, Index table, const Image& columns, Image& value) {
    Image mask;
    bool first = true;
    for (const OpcodeRow& row : isa.opcode_rows) {
        if (row.table != table || row.reserved) continue;
        for (const Form& form : isa.forms) {
            if (form.where.file != row.where.file || form.where.offset != row.where.offset) continue;
            Image covered = columns;
            for (std::size_t i = 0; i < mask.words.size(); ++i) covered.words[i] &= ~form.mask.words[i];
            if (!(covered == Image{})) continue;  // another format of the same row
            for (std::size_t i = 0; i < mask.words.size(); ++i) {
                if (first) {
                    mask.words[i] = form.mask.words[i] & ~columns.words[i];
                    value.words[i] = form.value.words[i];
                } else {
                    mask.words[i] &= form.mask.words[i] & ~(value.words[i] ^ form.value.words[i]);
                }
            }
            first = false;
        }
    }
    return mask;
}

// A reserved row of a table: every value of its columns, in the bits of the table's format.
void add_reserved_row(const Isa& isa, const OpcodeRow& row, std::vector<Claim>& out) {
    Image columns, value;
    for (const OpcodeRow::Column& column : row.columns) column.place.insert(columns, ~std::uint64_t{0});
    const Image mask = own_bits(isa, row.table, columns, value);
    Cube own = cube_of(isa, mask, value, max_instruction_bits);
    std::vector<Cube> cubes{own};
    for (const OpcodeRow::Column& column : row.columns) {
        std::vector<Cube> next;
        for (const Prefix& block : blocks_of(column.low, column.high, column.place.width)) {
            const unsigned rest = column.place.width - block.width;
            const std::uint64_t low = rest == 64 ? 0 : block.bits << rest;
            Image fixed, bits;
            column.place.insert(fixed, rest == 64 ? 0 : ~std::uint64_t{0} << rest);
            column.place.insert(bits, low);
            const Cube part = cube_of(isa, fixed, bits, max_instruction_bits);
            for (Cube cube : cubes) {
                for (std::size_t i = 0; i < cube.mask.size(); ++i) {
                    cube.mask[i] |= part.mask[i];
                    cube.value[i] |= part.value[i];
                }
                next.push_back(cube);
            }
        }
        cubes = std::move(next);
    }
    for (const Cube& cube : cubes) out.push_back({Claim::Kind::reserved, no_index, cube});
}

}  // namespace

std::vector<Claim> claims_of(const Isa& isa) {
    std::vector<Claim> out;
    for (Index i = 0; i < isa.forms.size(); ++i) {
        if (!isa.forms[i].alias) out.push_back({Claim::Kind::form, i, cube_of(isa, isa.forms[i])});
    }
    for (const ReservedPattern& pattern : isa.reserved) {
        out.push_back({Claim::Kind::reserved, no_index, cube_of(pattern)});
    }
    for (const OpcodeRow& row : isa.opcode_rows) {
        if (row.reserved && !row.columns.empty()) add_reserved_row(isa, row, out);
    }
    return out;
}

std::vector<Claim> padded_claims(const Isa& isa, std::vector<Claim> claims) {
    const std::vector<Cube> own = cubes_of(claims);
    for (std::size_t at = 0; at < claims.size(); ++at) {
        if (claims[at].kind != Claim::Kind::form) continue;
        const Form& form = isa.forms[claims[at].form];
        Image fields;
        for (const Field& field : form.fields) {
            if (!field.in_tail) field.place.insert(fields, ~std::uint64_t{0});
        }
        Cube wide = own[at];
        bool in_front = true;
        for (unsigned i = 0; i < form.bits; ++i) {
            const bool digit = fields.get(isa.leading_bit_position(i), 1) == 0;
            in_front &= digit;
            if (!in_front && digit && !own[at].one(i)) wide.free(i);
        }
        if (wide.mask == own[at].mask) continue;
        bool alone = true;
        for (std::size_t other = 0; alone && other < own.size(); ++other) {
            alone = other == at || !wide.meets(own[other]);
        }
        if (alone) claims[at].cube = wide;
    }
    return claims;
}

std::vector<Cube> forbidden_to(const Isa& isa, Index format) {
    const auto names = [&](const Pool& pool) {
        return std::find(pool.formats.begin(), pool.formats.end(), format) != pool.formats.end();
    };
    const bool pooled = std::any_of(isa.pools.begin(), isa.pools.end(), names);
    std::vector<Cube> inside;
    for (const Pool& pool : isa.pools) {
        if (names(pool) != pooled) continue;
        for (const Prefix& block : blocks_of(pool.low, pool.high, pool.width)) {
            inside.emplace_back().fix_prefix(block.bits, block.width);
        }
    }
    if (!pooled) return inside;
    // What no pool has: the gaps between them in order, told in 64 bits.
    std::vector<std::pair<std::uint64_t, std::uint64_t>> spans;
    for (const Pool& pool : isa.pools) {
        if (!names(pool)) continue;
        const unsigned rest = 64 - pool.width;
        spans.emplace_back(pool.low << rest, pool.high << rest | low_bits(rest));
    }
    std::sort(spans.begin(), spans.end());
    std::vector<Cube> out;
    std::uint64_t next = 0;
    bool ended = false;
    const auto add_gap = [&](std::uint64_t low, std::uint64_t high) {
        for (const Prefix& block : blocks_of(low, high, 64)) out.emplace_back().fix_prefix(block.bits, block.width);
    };
    for (const auto& [low, high] : spans) {
        if (ended) break;
        if (low > next) add_gap(next, low - 1);
        ended = high == ~std::uint64_t{0};
        next = std::max(next, ended ? next : high + 1);
    }
    if (!ended) add_gap(next, ~std::uint64_t{0});
    return out;
}

std::vector<Cube> cubes_of(const std::vector<Claim>& claims) {
    std::vector<Cube> out;
    out.reserve(claims.size());
    for (const Claim& claim : claims) out.push_back(claim.cube);
    return out;
}

Holder holder_of(const std::vector<Claim>& claims, const Diagram::Owners& owners) {
    Holder out;
    unsigned most = 0;
    for (const std::uint32_t owner : owners) {
        const Claim& claim = claims[owner];
        if (claim.kind != Claim::Kind::form) {
            if (out.content == Content::free) out.content = Content::reserved;
            continue;
        }
        const unsigned fixed = claim.cube.fixed_bits();
        if (out.form != no_index && fixed <= most) continue;
        out = {Content::used, claim.form};
        most = fixed;
    }
    return out;
}

}  // namespace isaforge::encoding
