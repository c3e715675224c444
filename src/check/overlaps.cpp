// Bits that two rows claim. For instructions the question is put to every pair of forms that the decoder could confuse, and
// answered with a word that both match, or with the proof that there is none: a search over the codes of those operands
// whose codes are not all valid.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "check/findings.hpp"
#include "codec/tables.hpp"

namespace isaforge::check {

namespace {

using codec::OperandTable;

constexpr std::size_t most_steps = 200000;  // of one search
constexpr unsigned widest_search = 16;      // bits of an operand that are all tried

// Whether two forms want different values of one bit, as nearly all pairs do.
bool clash(const Form& a, const Form& b) {
    for (std::size_t i = 0; i < a.mask.words.size(); ++i) {
        if (((a.value.words[i] ^ b.value.words[i]) & a.mask.words[i] & b.mask.words[i]) != 0) return true;
    }
    return false;
}

// Whether an operand has a valid code with certain bits, remembered: many pairs of forms ask the same.
class ValidCodes {
public:
    explicit ValidCodes(const Codec& codec) : codec_(codec) {}

    bool valid(Index type, std::uint64_t code) const {
        const OperandTable& table = codec_.tables().operands[type];
        return table.valid.empty() ? codec_.row_of(type, code) != no_index : table.valid[code] != 0;
    }

    bool any(const Field& field, std::uint64_t known, std::uint64_t bits) {
        const auto [at, added] = known_.try_emplace({field.type, known, bits & known}, false);
        if (!added) return at->second;
        const std::uint64_t open = low_bits(std::min(field.place.width, widest_search)) & ~known;
        std::uint64_t code = 0;  // of the open bits: all of their values
        do {
            if (valid(field.type, code | (bits & known))) return at->second = true;
            code = (code - open) & open;
        } while (code != 0);
        return false;
    }

private:
    const Codec& codec_;
    std::map<std::tuple<Index, std::uint64_t, std::uint64_t>, bool> known_;
};

class WordSearch {
public:
    WordSearch(const Codec& codec, ValidCodes& codes, const Form& a, const Form& b) : codec_(codec), codes_(codes) {
        collect(a);
        collect(b);
        for (std::size_t i = 0; i < mask_.words.size(); ++i) {
            mask_.words[i] = a.mask.words[i] | b.mask.words[i];
            value_.words[i] = a.value.words[i] | b.value.words[i];
        }
    }

    std::optional<Image> find() {
        const auto possible = [&](const Field* field) {
            return codes_.any(*field, field->place.extract(mask_), field->place.extract(value_));
        };
        if (!std::all_of(fields_.begin(), fields_.end(), possible)) return std::nullopt;
        while (!fields_.empty()) {
            const std::vector<const Field*> group = take_group();
            if (!assign(group, 0)) return std::nullopt;
        }
        return value_;
    }

private:
    void collect(const Form& form) {
        for (const Field& field : form.fields) {
            if (!field.fixed && !codec_.tables().operands[field.type].all_valid) fields_.push_back(&field);
        }
    }

    // Takes out the first field and those that it shares open bits with, directly or over others: only they depend on one
    // another.
    std::vector<const Field*> take_group() {
        std::vector<const Field*> group{fields_.front()};
        fields_.erase(fields_.begin());
        Image bits = open_bits(*group.front());
        for (std::size_t i = 0; i < fields_.size();) {
            const Image own = open_bits(*fields_[i]);
            if (!meet(own, bits)) {
                ++i;
                continue;
            }
            for (std::size_t word = 0; word < bits.words.size(); ++word) bits.words[word] |= own.words[word];
            group.push_back(fields_[i]);
            fields_.erase(fields_.begin() + static_cast<std::ptrdiff_t>(i));
            i = 0;
        }
        return group;
    }

    Image open_bits(const Field& field) const {
        Image out;
        field.place.insert(out, ~std::uint64_t{0});
        for (std::size_t i = 0; i < out.words.size(); ++i) out.words[i] &= ~mask_.words[i];
        return out;
    }

    static bool meet(const Image& a, const Image& b) {
        std::uint64_t both = 0;
        for (std::size_t i = 0; i < a.words.size(); ++i) both |= a.words[i] & b.words[i];
        return both != 0;
    }

    // Gives field `at` a valid code that agrees with the bits given so far, and goes on to the next.
    bool assign(const std::vector<const Field*>& group, std::size_t at) {
        if (at == group.size()) return true;
        const Field& field = *group[at];
        const std::uint64_t known = field.place.extract(mask_), bits = field.place.extract(value_) & known;
        const std::uint64_t open = low_bits(std::min(field.place.width, widest_search)) & ~known;
        std::uint64_t next = 0;  // of the open bits: all of their values
        do {
            const std::uint64_t code = bits | next;
            next = (next - open) & open;
            if (++steps_ > most_steps) return false;
            if (!codes_.valid(field.type, code)) continue;
            const Image mask = mask_, value = value_;
            field.place.insert(mask_, ~std::uint64_t{0});
            field.place.insert(value_, code);
            if (assign(group, at + 1)) return true;
            mask_ = mask;
            value_ = value;
        } while (next != 0);
        return false;
    }

    const Codec& codec_;
    ValidCodes& codes_;
    Image mask_, value_;
    std::vector<const Field*> fields_;
    std::size_t steps_ = 0;
};

std::string name_of(const Isa& isa, const Form& form) {
    return fmt::format("{} ({})", isa.instructions[form.instruction].names[0], isa.formats[form.format].name);
}

void find_form_overlaps(const Codec& codec, Diagnostics& diagnostics) {
    const Isa& isa = codec.isa();
    const auto& tables = codec.tables();
    ValidCodes codes(codec);
    std::set<std::pair<Index, Index>> seen;
    for (const auto& node : tables.nodes) {
        if (node.width != 0) continue;
        for (std::uint32_t i = 0; i < node.count; ++i) {
            for (std::uint32_t j = i + 1; j < node.count; ++j) {
                const auto pair = std::minmax({tables.leaves[node.first + i].form, tables.leaves[node.first + j].form});
                const Form& first = isa.forms[pair.first];
                const Form& second = isa.forms[pair.second];
                if (clash(first, second) || !seen.insert(pair).second) continue;
                const auto word = WordSearch(codec, codes, first, second).find();
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
