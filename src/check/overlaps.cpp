// Bits that two rows claim. For instructions the question is put to every pair of forms that the decoder could confuse, and
// answered with a word that both match, or with the proof that there is none: a search over the codes of those operands
// whose codes are not all valid.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

#include "check/findings.hpp"
#include "codec/tables.hpp"

namespace isaforge::check {

namespace {

using codec::OperandTable;

constexpr std::size_t most_steps = 200000;  // of one search

class WordSearch {
public:
    WordSearch(const Codec& codec, const Form& a, const Form& b) : codec_(codec) {
        collect(a);
        collect(b);
        for (std::size_t i = 0; i < mask_.words.size(); ++i) {
            mask_.words[i] = a.mask.words[i] | b.mask.words[i];
            value_.words[i] = a.value.words[i] | b.value.words[i];
            clash_ |= ((a.value.words[i] ^ b.value.words[i]) & a.mask.words[i] & b.mask.words[i]) != 0;
        }
    }

    std::optional<Image> find() {
        if (clash_ || !assign(0)) return std::nullopt;
        return value_;
    }

private:
    void collect(const Form& form) {
        for (const Field& field : form.fields) {
            if (!field.fixed && !codec_.tables().operands[field.type].all_valid) fields_.push_back(&field);
        }
    }

    // Gives field `at` a valid code that agrees with the bits given so far, and goes on to the next.
    bool assign(std::size_t at) {
        if (at == fields_.size()) return true;
        const Field& field = *fields_[at];
        const OperandTable& table = codec_.tables().operands[field.type];
        const std::uint64_t known = field.place.extract(mask_), bits = field.place.extract(value_);
        const std::uint64_t count = std::uint64_t{1} << std::min(field.place.width, 16u);
        for (std::uint64_t code = 0; code < count; ++code) {
            if ((code & known) != (bits & known)) continue;
            if (++steps_ > most_steps) return false;
            if (table.valid.empty() ? codec_.row_of(field.type, code) == no_index : !table.valid[code]) continue;
            const Image mask = mask_, value = value_;
            field.place.insert(mask_, ~std::uint64_t{0});
            field.place.insert(value_, code);
            if (assign(at + 1)) return true;
            mask_ = mask;
            value_ = value;
        }
        return false;
    }

    const Codec& codec_;
    Image mask_, value_;
    bool clash_ = false;
    std::vector<const Field*> fields_;
    std::size_t steps_ = 0;
};

std::string name_of(const Isa& isa, const Form& form) {
    return fmt::format("{} ({})", isa.instructions[form.instruction].names[0], isa.formats[form.format].name);
}

void find_form_overlaps(const Codec& codec, Diagnostics& diagnostics) {
    const Isa& isa = codec.isa();
    const auto& tables = codec.tables();
    std::set<std::pair<Index, Index>> seen;
    for (const auto& node : tables.nodes) {
        if (node.width != 0) continue;
        for (std::uint32_t i = 0; i < node.count; ++i) {
            for (std::uint32_t j = i + 1; j < node.count; ++j) {
                const auto pair = std::minmax({tables.leaves[node.first + i].form, tables.leaves[node.first + j].form});
                if (!seen.insert(pair).second) continue;
                const Form& first = isa.forms[pair.first];
                const Form& second = isa.forms[pair.second];
                const auto word = WordSearch(codec, first, second).find();
                if (!word) continue;
                diagnostics
                    .error(second.where,
                           fmt::format("{} and {} both match {}", name_of(isa, second), name_of(isa, first),
                                       word_text(isa, *word, std::max(first.bits, second.bits))))
                    .note(first.where, "the other row is here");
            }
        }
    }
}

// Whether each word that `special` stands for is one of `general` too.
bool covers(const Form& general, const Form& special) {
    if (general.bits != special.bits) return false;
    for (std::size_t i = 0; i < general.mask.words.size(); ++i) {
        if ((general.mask.words[i] & ~special.mask.words[i]) != 0) return false;
        if ((general.mask.words[i] & (general.value.words[i] ^ special.value.words[i])) != 0) return false;
    }
    return true;
}

// An alias is another way to write an instruction that some other row has: both fix the same bits. An alias that names
// its row may be a case of it.
void find_lone_aliases(const Isa& isa, Diagnostics& diagnostics) {
    for (const Form& alias : isa.forms) {
        if (!alias.alias) continue;
        const bool has_twin = std::any_of(isa.forms.begin(), isa.forms.end(), [&](const Form& form) {
            return !form.alias && covers(form, alias) && (alias.names_twin || form.mask == alias.mask);
        });
        if (!has_twin)
            diagnostics.error(alias.where, fmt::format("{} is an alias, but no row has these bits: what it "
                                                       "assembles to would be printed otherwise or not at all",
                                                       name_of(isa, alias)));
    }
}

// An earlier row may take codes out of a later one that holds all of its codes: it is the special case, written first.
void find_row_overlaps(const OperandType& type, Diagnostics& diagnostics) {
    const std::uint64_t count = std::uint64_t{1} << type.width;
    std::vector<std::vector<bool>> codes(type.rows.size(), std::vector<bool>(count));
    for (std::size_t i = 0; i < type.rows.size(); ++i) {
        for (std::uint64_t code = 0; code < count; ++code) codes[i][code] = type.rows[i].claims(code);
    }
    std::vector<bool> taken(count);
    for (std::size_t later = 0; later < type.rows.size(); ++later) {
        if (type.rows[later].alias) continue;
        bool reachable = false;
        for (std::uint64_t code = 0; code < count; ++code) reachable |= codes[later][code] && !taken[code];
        const bool empty = std::none_of(codes[later].begin(), codes[later].end(), [](bool here) { return here; });
        if (!reachable) {
            diagnostics.error(type.rows[later].where,
                              fmt::format("this row of operand '{}' can never match: {}", type.name,
                                          empty ? "no code fits it" : "the rows before it take all its codes"));
        }
        for (std::size_t earlier = 0; earlier < later && reachable; ++earlier) {
            if (type.rows[earlier].alias) continue;
            bool contained = true;
            std::optional<std::uint64_t> shared;
            for (std::uint64_t code = 0; code < count; ++code) {
                if (!codes[earlier][code]) continue;
                contained &= codes[later][code];
                if (codes[later][code] && !shared) shared = code;
            }
            // A reserved row may be stated around the rows that are used.
            if (!shared || contained || type.rows[later].reserved) continue;
            diagnostics
                .error(type.rows[later].where,
                       fmt::format("two rows of operand '{}' match code {}", type.name, binary(*shared, type.width)))
                .note(type.rows[earlier].where, "the other row is here");
        }
        for (std::uint64_t code = 0; code < count; ++code) taken[code] = taken[code] || codes[later][code];
    }
}

}  // namespace

void find_overlaps(const Codec& codec, Diagnostics& diagnostics) {
    for (const OperandType& type : codec.isa().operand_types) {
        if (type.kind == OperandKind::table && type.width <= codec::widest_table) find_row_overlaps(type, diagnostics);
    }
    find_form_overlaps(codec, diagnostics);
    find_lone_aliases(codec.isa(), diagnostics);
}

}  // namespace isaforge::check
