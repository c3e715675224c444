// Bits that two rows claim. For instructions the question is put to the forms that the decoder could confuse, and answered
// with a word that both match, or with the proof that there is none.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>

#include "check/findings.hpp"
#include "codec/tables.hpp"
#include "encoding/word_sets.hpp"

namespace isaforge::check {

namespace {

using allocator::Bdd;
using encoding::WordSets;

constexpr std::size_t few_forms = 8;            // that are compared each with each
constexpr std::uint64_t most_pairs = 4'000'000; // rows of one operand that are compared

// Whether two forms want different values of one bit, as nearly all pairs do.
bool clash(const Form& a, const Form& b) {
    for (std::size_t i = 0; i < a.mask.words.size(); ++i) {
        if (((a.value.words[i] ^ b.value.words[i]) & a.mask.words[i] & b.mask.words[i]) != 0) return true;
    }
    return false;
}

std::string name_of(const Isa& isa, const Form& form) {
    return fmt::format("{} ({})", isa.instructions[form.instruction].names[0], isa.formats[form.format].name);
}

class FormOverlaps {
public:
    FormOverlaps(const Codec& codec, Diagnostics& diagnostics)
        : codec_(codec), isa_(codec.isa()), diagnostics_(diagnostics), sets_(isa_) {}

    void look() {
        const DecodeTree& tree = codec_.tables().need_tree();
        for (std::size_t leaf = 0; leaf < tree.leaves(); ++leaf) {
            std::vector<Index> forms(tree.forms_of(leaf).begin(), tree.forms_of(leaf).end());
            std::sort(forms.begin(), forms.end());
            look_at(forms);
            sets_.clean_up();
        }
    }

private:
    // The forms between which the decoder's tree does not tell. Of many, those before are taken together.
    void look_at(const std::vector<Index>& forms) {
        Bdd::Ref before = Bdd::none;
        for (std::size_t i = 0; i < forms.size() && !too_large_ && !diagnostics_.overflowing(); ++i) {
            const bool one_by_one = forms.size() <= few_forms;
            if (one_by_one) {
                compare(forms, i);
                continue;
            }
            const Bdd::Ref own = sets_.words(isa_.forms[forms[i]]);
            if (sets_.bdd().both(own, before) != Bdd::none) compare(forms, i);
            before = sets_.bdd().either(before, own);
            check_room(isa_.forms[forms[i]]);
        }
    }

    // A form is reported once, with the first that it meets.
    void compare(const std::vector<Index>& forms, std::size_t at) {
        const Form& second = isa_.forms[forms[at]];
        for (std::size_t i = 0; i < at; ++i) {
            const Form& first = isa_.forms[forms[i]];
            if (clash(first, second) || reported_.contains(forms[at])) continue;
            const Bdd::Ref both = sets_.bdd().both(sets_.words(first), sets_.words(second));
            check_room(second);
            if (both == Bdd::none || sets_.unsure()) continue;
            reported_.insert(forms[at]);
            diagnostics_
                .error(second.where,
                       fmt::format("{} and {} both match {}", name_of(isa_, second), name_of(isa_, first),
                                   word_text(isa_, sets_.image_in(both), std::max(first.bits, second.bits))))
                .note(first.where, "the other row is here");
            return;
        }
    }

    void check_room(const Form& form) {
        if (!sets_.unsure() || too_large_) return;
        too_large_ = sets_.bdd().exhausted();
        if (!told_)
            diagnostics_.warning(form.where,
                                 fmt::format("whether {} meets another row was not decided: its operands have "
                                             "too many different codes",
                                             name_of(isa_, form)));
        told_ = true;
    }

    const Codec& codec_;
    const Isa& isa_;
    Diagnostics& diagnostics_;
    WordSets sets_;
    std::set<Index> reported_;
    bool too_large_ = false, told_ = false;
};

// Whether each word that `special` stands for is one of `general` too.
bool covers(const Form& general, const Form& special) {
    if (general.bits != special.bits) return false;
    for (std::size_t i = 0; i < general.mask.words.size(); ++i) {
        if ((general.mask.words[i] & ~special.mask.words[i]) != 0) return false;
        if ((general.mask.words[i] & (general.value.words[i] ^ special.value.words[i])) != 0) return false;
    }
    return true;
}

std::uint64_t hash_of(const Form& form) {
    std::uint64_t hash = form.bits;
    for (std::size_t i = 0; i < form.mask.words.size(); ++i) {
        hash = (hash ^ form.mask.words[i]) * 0x9E3779B97F4A7C15u;
        hash = (hash ^ form.value.words[i] ^ (hash >> 29)) * 0xBF58476D1CE4E5B9u;
    }
    return hash;
}

// The part of an image from one place to another.
Image part_of(const Image& image, unsigned begin, unsigned end) {
    Image out;
    for (unsigned at = begin; at < end; at += 8) out.set(at - begin, 8, image.get(at, 8));
    return out;
}

// Of what stands for several instructions each has to be one.
void find_lone_parts(const Codec& codec, Index index, Diagnostics& diagnostics) {
    const Isa& isa = codec.isa();
    const Form& alias = isa.forms[index];
    if (codec.tables().forms[index].longest_tail != 0)
        diagnostics.error(alias.where, fmt::format("{} stands for several instructions, and an operand brings a value "
                                                   "along: it would follow the last of them",
                                                   name_of(isa, alias)));
    unsigned begin = 0;
    for (std::size_t i = 0; i <= alias.parts.size(); ++i) {
        const unsigned end = i < alias.parts.size() ? alias.parts[i] : alias.bits;
        Form part;
        part.bits = end - begin;
        part.mask = part_of(alias.mask, begin, end);
        part.value = part_of(alias.value, begin, end);
        begin = end;
        if (std::ranges::any_of(isa.forms, [&](const Form& form) { return !form.alias && covers(form, part); }))
            continue;
        diagnostics.error(alias.where,
                          fmt::format("{} stands for several instructions, but no row has the bits of number "
                                      "{}, {}",
                                      name_of(isa, alias), i + 1, word_text(isa, part.value, part.bits)));
    }
}

// An alias is another way to write what another row has. One with numbers of its own fixes the same bits, so that a wrong
// digit does not make it a case of some other instruction; one that names its row may be a case of it.
void find_lone_aliases(const Codec& codec, Diagnostics& diagnostics) {
    const Isa& isa = codec.isa();
    std::unordered_multimap<std::uint64_t, const Form*> by_bits;
    for (const Form& form : isa.forms) {
        if (!form.alias) by_bits.emplace(hash_of(form), &form);
    }
    for (Index i = 0; i < isa.forms.size(); ++i) {
        const Form& alias = isa.forms[i];
        if (!alias.alias || diagnostics.overflowing()) continue;
        if (!alias.parts.empty()) {
            find_lone_parts(codec, i, diagnostics);
            continue;
        }
        const auto twins = by_bits.equal_range(hash_of(alias));
        if (std::any_of(twins.first, twins.second, [&](const auto& entry) {
                return covers(*entry.second, alias) && entry.second->mask == alias.mask;
            }))
            continue;
        const auto general = std::find_if(isa.forms.begin(), isa.forms.end(),
                                          [&](const Form& form) { return !form.alias && covers(form, alias); });
        if (general == isa.forms.end()) {
            diagnostics.error(alias.where,
                              fmt::format("{} is an alias, but no row has these bits: what it assembles to "
                                          "would be printed otherwise or not at all",
                                          name_of(isa, alias)));
        } else if (!alias.names_twin) {
            const std::string& name = isa.instructions[general->instruction].names[0];
            diagnostics
                .error(alias.where,
                       fmt::format("{} is an alias that fixes more bits than the row that it is a case of: in "
                                   "place of the opcode write that row's name, {}, in a table of its format",
                                   name_of(isa, alias), name))
                .note(general->where, "the row is here");
        }
    }
}

// An earlier row may take codes out of a later one that holds all of its codes: it is the special case, written first. What
// the captures hold is not looked at: a capture that has no name for a code is no exception that somebody meant.
class RowOverlaps {
public:
    // What was said of a row. Instances of an operand with parameters have the same rows; what is wrong with several of them
    // in the same words is said once.
    using Told = std::set<std::tuple<FileId, std::uint32_t, std::string>>;

    RowOverlaps(WordSets& sets, const OperandType& type, Told& told, Diagnostics& diagnostics)
        : type_(type),
          told_(told),
          diagnostics_(diagnostics),
          sets_(sets),
          levels_(WordSets::code_levels(type.width)) {}

    void look() {
        Bdd::Ref taken = Bdd::none;
        for (std::size_t later = 0; later < type_.rows.size() && !diagnostics_.overflowing(); ++later) {
            const OperandRow& row = type_.rows[later];
            claimed_.push_back(row.alias ? Bdd::none : sets_.claimed(row, levels_));
            if (sets_.unsure() || pairs_ > most_pairs) return tell_unsure(row);
            if (row.alias) continue;
            const Bdd::Ref own = claimed_.back();
            if (sets_.bdd().without(own, taken) == Bdd::none)
                tell(row, fmt::format("this row of operand '{}' can never match: {}", type_.name,
                                      own == Bdd::none ? "no code fits it" : "the rows before it take all its codes"));
            else if (!row.reserved && sets_.bdd().both(own, taken) != Bdd::none)
                compare(later);
            taken = sets_.bdd().either(taken, own);
        }
    }

private:
    // A reserved row may be stated around the rows that are used.
    void compare(std::size_t later) {
        for (std::size_t earlier = 0; earlier < later; ++earlier) {
            ++pairs_;
            const Bdd::Ref shared = sets_.bdd().both(claimed_[earlier], claimed_[later]);
            if (shared == Bdd::none || sets_.bdd().contains(claimed_[later], claimed_[earlier])) continue;
            Diagnostic* const said =
                tell(type_.rows[later], fmt::format("two rows of operand '{}' match code {}", type_.name,
                                                    binary(sets_.code_in(shared, type_.width), type_.width)));
            if (said) said->note(type_.rows[earlier].where, "the other row is here");
            return;
        }
    }

    // The new message; null where it was said before.
    Diagnostic* tell(const OperandRow& row, std::string message) {
        const bool fresh = told_.emplace(row.where.file, row.where.offset, message).second;
        return fresh ? &diagnostics_.error(row.where, std::move(message)) : nullptr;
    }

    void tell_unsure(const OperandRow& row) {
        diagnostics_.warning(row.where,
                             fmt::format("whether this and the further rows of operand '{}' meet others was not "
                                         "decided: their codes are too many different ones",
                                         type_.name));
    }

    const OperandType& type_;
    Told& told_;
    Diagnostics& diagnostics_;
    WordSets& sets_;
    WordSets::Levels levels_;
    std::vector<Bdd::Ref> claimed_;
    std::uint64_t pairs_ = 0;
};

}  // namespace

void find_overlaps(const Codec& codec, Diagnostics& diagnostics) {
    WordSets sets(codec.isa());
    RowOverlaps::Told told;
    for (const OperandType& type : codec.isa().operand_types) {
        sets.clean_up();
        if (type.kind == OperandKind::table) RowOverlaps(sets, type, told, diagnostics).look();
    }
    FormOverlaps(codec, diagnostics).look();
    find_lone_aliases(codec, diagnostics);
}

}  // namespace isaforge::check
