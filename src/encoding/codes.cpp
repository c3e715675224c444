#include "encoding/codes.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

namespace isaforge::encoding {

namespace {

constexpr std::size_t most_states = 100'000;

const Field* field_of(const Form& form, const std::string& name) {
    const auto found =
        std::find_if(form.fields.begin(), form.fields.end(), [&](const Field& field) { return field.name == name; });
    return found == form.fields.end() ? nullptr : &*found;
}

bool same_place(const BitPlace& a, const BitPlace& b) {
    return std::equal(a.pieces.begin(), a.pieces.end(), b.pieces.begin(), b.pieces.end(),
                      [](const BitPiece& x, const BitPiece& y) {
                          return x.position == y.position && x.width == y.width && x.shift == y.shift;
                      });
}

// Whether a field's value is what makes the longer of two forms of one instruction.
bool selects_length(const Isa& isa, Index format, const std::string& name) {
    std::map<Index, const Form*> first;
    for (const Form& form : isa.forms) {
        if (form.format != format || form.alias) continue;
        const auto [entry, added] = first.try_emplace(form.instruction, &form);
        if (added || entry->second->bits == form.bits) continue;
        const Field* a = field_of(*entry->second, name);
        const Field* b = field_of(form, name);
        if (a && b && a->fixed && b->fixed && entry->second->fixed_value(*a) != form.fixed_value(*b)) return true;
    }
    return false;
}

// Follows all bits that are no opcode at once: a state is the set of nodes that one code has come to so far.
class CodeCounter {
public:
    CodeCounter(const Diagram& diagram, const OpcodeBits& bits) : diagram_(diagram), bits_(bits) {}

    std::optional<Share> count(const std::set<Diagram::Node>& nodes) {
        unsigned level = Diagram::leaf_level;
        for (const Diagram::Node node : nodes) {
            if (diagram_.is_leaf(node) && !diagram_.owners(node).empty()) return Share{};
            level = std::min(level, diagram_.level(node));
        }
        if (level == Diagram::leaf_level) return Share::block(0);
        if (const auto known = known_.find(nodes); known != known_.end()) return known->second;
        if (known_.size() > most_states) return std::nullopt;
        const bool own = bits_.own.fixes(level);
        std::set<Diagram::Node> sides[2];
        for (const Diagram::Node node : nodes) {
            if (diagram_.level(node) != level) {
                sides[0].insert(node);
                sides[1].insert(node);
                continue;
            }
            sides[0].insert(diagram_.zero(node));
            sides[1].insert(diagram_.one(node));
        }
        std::optional<Share> out;
        if (bits_.opcode.fixes(level)) {
            const auto zero = count(sides[0]);
            const auto one = zero ? count(sides[1]) : std::nullopt;
            if (one) out = (*zero + *one).half();
        } else if (own) {
            out = count(sides[bits_.own.one(level)]);
        } else {
            sides[0].merge(sides[1]);
            out = count(sides[0]);
        }
        if (out) known_.emplace(nodes, *out);
        return out;
    }

private:
    const Diagram& diagram_;
    const OpcodeBits& bits_;
    std::map<std::set<Diagram::Node>, Share> known_;
};

}  // namespace

OpcodeBits opcode_bits(const Isa& isa, Index format) {
    OpcodeBits out;
    std::vector<const Form*> forms;
    for (const Form& form : isa.forms) {
        if (form.format == format && !form.alias) forms.push_back(&form);
    }
    if (forms.empty()) return out;
    Image elsewhere, opcode;  // bits of fields that are no opcode; bits of those that are
    for (const Field& field : forms[0]->fields) {
        if (field.in_tail) continue;
        const bool everywhere = std::all_of(forms.begin(), forms.end(), [&](const Form* form) {
            const Field* other = field_of(*form, field.name);
            return other && other->fixed && !other->ignored && same_place(other->place, field.place);
        });
        if (!everywhere || selects_length(isa, format, field.name)) {
            field.place.insert(elsewhere, ~std::uint64_t{0});
            continue;
        }
        out.fields.push_back(field.name);
        out.width += field.place.width;
        field.place.insert(opcode, ~std::uint64_t{0});
    }
    out.opcode = cube_of(isa, opcode, opcode, max_instruction_bits);
    Image mask = forms[0]->mask;
    for (const Form* form : forms) {
        for (std::size_t i = 0; i < mask.words.size(); ++i) {
            mask.words[i] &= form->mask.words[i] & ~(form->value.words[i] ^ forms[0]->value.words[i]);
            mask.words[i] &= ~elsewhere.words[i] & ~opcode.words[i];
        }
    }
    out.own = cube_of(isa, mask, forms[0]->value, max_instruction_bits);
    return out;
}

bool free_codes(const Diagram& diagram, const OpcodeBits& bits, Share& out) {
    const std::optional<Share> counted = CodeCounter(diagram, bits).count({diagram.root()});
    out = counted.value_or(Share{});
    return counted.has_value();
}

}  // namespace isaforge::encoding
