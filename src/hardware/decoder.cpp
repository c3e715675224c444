// From a description to a decoder: which bits tell lengths, formats and forms apart, and where operands stand.
#include "hardware/decoder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>
#include <set>

#include "hardware/limits.hpp"
#include "hardware/names.hpp"
#include "manual/effects.hpp"
#include "render/bitfield.hpp"

namespace isaforge::hardware {

namespace {

using Set = DecoderSets::Set;

unsigned mask_bits(const Form& form) {
    unsigned bits = 0;
    for (const std::uint64_t word : form.mask.words) bits += static_cast<unsigned>(std::popcount(word));
    return bits;
}

bool share_a_word(const Form& a, const Form& b) {
    for (std::size_t i = 0; i < a.mask.words.size(); ++i) {
        if (((a.value.words[i] ^ b.value.words[i]) & a.mask.words[i] & b.mask.words[i]) != 0) return false;
    }
    return true;
}

// One line of plain characters.
std::string plain_text(std::string_view text) {
    std::string out;
    for (const char c : text) {
        if (c == '\t') {
            out += ' ';
        } else {
            out += c >= ' ' && c <= '~' ? c : '?';
        }
    }
    while (out.ends_with(' ')) out.pop_back();
    while (out.starts_with(' ')) out.erase(0, 1);
    return out;
}

class Maker {
public:
    Maker(std::shared_ptr<const Isa> isa, const SourceManager& sources, Diagnostics& diagnostics)
        : isa_(*isa), sources_(sources), diagnostics_(diagnostics), sets_(*isa) {
        out_.isa = std::move(isa);
    }

    std::optional<Decoder> make() {
        order_forms();
        if (order_.empty()) return refuse("it has no instructions");
        find_words();
        make_lengths();
        find_effects();
        make_sections();
        make_members();
        if (!sets_.problem().empty()) return refuse(sets_.problem());
        out_.name = Names().fresh(isa_.variant.empty() ? isa_.name : isa_.variant);
        return std::move(out_);
    }

private:
    std::nullopt_t refuse(const std::string& why) {
        diagnostics_.error({}, fmt::format("no decoder is made for {}: {}", isa_.variant, why));
        return std::nullopt;
    }

    void order_forms();
    void find_words();
    void find_other_checks(LimitMaker& limits, Index form, Set behind);
    std::optional<Check> following_of(Index form);
    void make_lengths();
    void find_effects();
    void make_sections();
    Section section_of(Index format, const std::vector<Index>& forms);
    void find_overlaps(Section& section);
    std::vector<Check> checks_of(const Form& form);
    void name_forms();
    void make_members();
    Member member_of(const std::string& field);
    struct Found {
        std::size_t forms = 0;
        Set words = DecoderSets::none;
        std::vector<std::string> formats;
    };
    using Places = std::map<std::pair<Slices, bool>, Found>;  // with whether the highest bit is repeated above
    void add_place(Places& places, const Slices& of, bool repeats, Set words, const std::string& format);
    void place_alternatives(const Places& places, Member& member);
    void make_tail_members(const std::string& field, const std::string& name, Names& names);
    std::size_t codes_number(Index type);
    std::size_t effect_number(const std::string& name, const std::string& says);

    const Isa& isa_;
    const SourceManager& sources_;
    Diagnostics& diagnostics_;
    DecoderSets sets_;
    Decoder out_;
    std::vector<Index> order_;         // forms that are decoded: the first that has a word takes it
    // By form: words with good operands, and of these what no other takes. Words in which what follows cannot be, or in which
    // operands take too much together, are among both, as long as no other form has them: they are found out by checks, and so
    // the decoder need not look at all of that to tell forms apart.
    std::vector<Set> claims_, words_;
    std::vector<std::vector<DecoderSets::Layout>> layouts_;  // by form
    std::vector<std::vector<Check>> other_checks_;        // by form, besides those of codes
    Set legal_ = DecoderSets::none;
    std::map<Index, std::size_t> codes_;
    std::vector<std::vector<std::size_t>> effects_;  // by form
    Names code_names_{true};
};

// Of two forms that have a word in common, the one that fixes more bits is the special case.
void Maker::order_forms() {
    for (Index i = 0; i < isa_.forms.size(); ++i) {
        if (!isa_.forms[i].alias) order_.push_back(i);
    }
    std::ranges::stable_sort(order_, std::greater<>{}, [&](Index i) { return mask_bits(isa_.forms[i]); });
}

void Maker::find_words() {
    claims_.assign(isa_.forms.size(), DecoderSets::none);
    words_ = claims_;
    layouts_.resize(isa_.forms.size());
    other_checks_.resize(isa_.forms.size());
    std::vector<Set> behind(isa_.forms.size());  // words of forms later in the order
    Set later = DecoderSets::none;
    for (auto i = order_.rbegin(); i != order_.rend(); ++i) {
        claims_[*i] = sets_.words(isa_.forms[*i]);
        behind[*i] = later;
        later = sets_.either(later, claims_[*i]);
    }
    LimitMaker limits(isa_, order_, sets_, out_);
    for (const Index i : order_) {
        layouts_[i] = sets_.layouts_of(isa_.forms[i]);
        for (const DecoderSets::Layout& layout : layouts_[i]) {
            if (!layout.broken) out_.word_bits = std::max(out_.word_bits, layout.bits);
        }
        find_other_checks(limits, i, sets_.both(claims_[i], behind[i]));
        words_[i] = sets_.without(claims_[i], legal_);
        legal_ = sets_.either(legal_, claims_[i]);
    }
}

// `behind`: of its words those that a later form has, if this one does not.
void Maker::find_other_checks(LimitMaker& limits, Index index, Set behind) {
    const Form& form = isa_.forms[index];
    other_checks_[index] = limits.checks_of(form);
    Set broken = behind == DecoderSets::none ? DecoderSets::none : limits.broken(other_checks_[index]);
    if (const auto check = following_of(index)) {
        other_checks_[index].push_back(*check);
        Set kept = DecoderSets::none;
        for (const DecoderSets::Layout& layout : layouts_[index]) kept = sets_.either(kept, sets_.kept_by(layout));
        broken = sets_.either(broken, sets_.without(DecoderSets::all, kept));
    }
    if (sets_.both(broken, behind) != DecoderSets::none) claims_[index] = sets_.without(claims_[index], broken);
}

// What follows is looked at where not every value is one.
std::optional<Check> Maker::following_of(Index index) {
    const Form& form = isa_.forms[index];
    Set kept = DecoderSets::none, good = DecoderSets::none;
    std::vector<std::string> fields;
    for (const DecoderSets::Layout& layout : layouts_[index]) {
        kept = sets_.either(kept, sets_.kept_by(layout));
        good = sets_.either(good, layout.codes);
        for (const DecoderSets::TailPlace& place : layout.tails) {
            const std::string& name = form.fields[place.field].name;
            if (std::ranges::find(fields, name) == fields.end()) fields.push_back(name);
        }
    }
    const Set wrong = sets_.without(good, kept);
    if (wrong == DecoderSets::none) return std::nullopt;
    Match match = sets_.match(kept, wrong);
    const auto same = std::ranges::find(out_.following, match, &Following::match);
    const Check check{Check::Kind::following, static_cast<std::size_t>(same - out_.following.begin()), {}};
    if (same == out_.following.end()) {
        const std::string format = form.format == no_index ? "" : isa_.formats[form.format].name;
        out_.following.push_back({code_names_.fresh("follows_" + format), fields, std::move(match)});
    }
    return check;
}

void Maker::make_lengths() {
    std::map<unsigned, Set> of;
    for (const Index i : order_) {
        for (const DecoderSets::Layout& layout : layouts_[i]) {
            if (layout.broken) continue;
            Set& words = of.try_emplace(layout.bits / isa_.unit_bits, DecoderSets::none).first->second;
            words = sets_.either(words, sets_.both(words_[i], layout.codes));
        }
    }
    for (const auto& [units, words] : of) {
        const bool last = units == of.rbegin()->first;
        out_.lengths.push_back({units, last ? Match{} : sets_.match(words, sets_.without(legal_, words))});
    }
}

std::size_t Maker::effect_number(const std::string& name, const std::string& says) {
    const auto known = std::ranges::find(out_.effects, name, &Effect::name);
    if (known == out_.effects.end()) out_.effects.push_back({name, says});
    return static_cast<std::size_t>(std::ranges::find(out_.effects, name, &Effect::name) - out_.effects.begin());
}

// An effect of an operand is told only where a register may be meant.
void Maker::find_effects() {
    const manual::Configuration configuration{out_.isa, {}};
    const manual::Edition edition(configuration, 0);
    manual::EffectFinder finder(edition);
    std::vector<manual::Effects> found(isa_.forms.size());
    std::vector<bool> names_register(isa_.operand_types.size());
    for (std::size_t i = 0; i < names_register.size(); ++i) {  // of operands inside others, these come first
        const OperandType& type = isa_.operand_types[i];
        names_register[i] = type.kind == OperandKind::registers;
        for (const OperandRow& row : type.rows) {
            for (const Field& field : row.fields)
                names_register[i] = names_register[i] || (field.type < i && names_register[field.type]);
        }
    }
    bool loads = false, stores = false, jumps = false;
    std::vector<std::string> reads, writes;
    for (const Index i : order_) {
        const Form& form = isa_.forms[i];
        manual::Effects& effects = found[i] = finder.of(isa_.instruction_of(form), form);
        loads = loads || !effects.loads.empty();
        stores = stores || !effects.stores.empty();
        jumps = jumps || effects.jumps;
        for (const Field& field : form.fields) {
            if (field.fixed || !names_register[field.type]) continue;
            const auto note = [&](const std::set<std::string>& those, std::vector<std::string>& list) {
                if (those.contains(field.name) && std::ranges::find(list, field.name) == list.end())
                    list.push_back(field.name);
            };
            note(effects.reads, reads);
            note(effects.writes, writes);
        }
    }
    if (loads) effect_number("loads", "may read memory");
    if (stores) effect_number("stores", "may write memory");
    if (jumps) effect_number("jumps", "may go on elsewhere");
    Names names(true);
    std::map<std::string, std::string> plain;
    for (const std::vector<std::string>* list : {&reads, &writes}) {
        for (const std::string& name : *list) {
            if (!plain.contains(name)) plain[name] = names.fresh(name);
        }
    }
    for (const std::string& name : reads)
        effect_number("reads_" + plain[name], fmt::format("may read what {} names", name));
    for (const std::string& name : writes)
        effect_number("writes_" + plain[name], fmt::format("may write what {} names", name));
    effects_.resize(isa_.forms.size());
    for (const Index i : order_) {
        const Form& form = isa_.forms[i];
        const auto has = [&](bool it, const std::string& name) {
            const auto at = std::ranges::find(out_.effects, name, &Effect::name);
            if (it) effects_[i].push_back(static_cast<std::size_t>(at - out_.effects.begin()));
        };
        has(!found[i].loads.empty(), "loads");
        has(!found[i].stores.empty(), "stores");
        has(found[i].jumps, "jumps");
        for (const Field& field : form.fields) {
            if (field.fixed || !names_register[field.type]) continue;
            has(found[i].reads.contains(field.name), "reads_" + plain[field.name]);
            has(found[i].writes.contains(field.name), "writes_" + plain[field.name]);
        }
        std::ranges::sort(effects_[i]);
    }
}

std::size_t Maker::codes_number(Index type) {
    const auto [known, fresh] = codes_.try_emplace(type, out_.codes.size());
    if (!fresh) return known->second;
    Codes codes;
    codes.type = type;
    codes.width = isa_.operand_types[type].width;
    const Set all = sets_.codes_of(type);
    codes.match = sets_.match_codes(all, sets_.without(DecoderSets::all, all), codes.width);
    const auto same = std::ranges::find_if(
        out_.codes, [&](const Codes& one) { return one.width == codes.width && one.match == codes.match; });
    known->second = static_cast<std::size_t>(same - out_.codes.begin());
    if (same == out_.codes.end()) {
        codes.name = code_names_.fresh(isa_.operand_types[type].name);
        out_.codes.push_back(std::move(codes));
    }
    return known->second;
}

std::vector<Check> Maker::checks_of(const Form& form) {
    std::vector<Check> out;
    for (const Field& field : form.fields) {
        if (field.fixed || sets_.codes_of(field.type) == DecoderSets::all) continue;
        out.push_back({Check::Kind::codes, codes_number(field.type), slices_of(field.place)});
    }
    const std::vector<Check>& others = other_checks_[isa_.forms.index_of(form)];
    out.insert(out.end(), others.begin(), others.end());
    return out;
}

void Maker::make_sections() {
    std::map<Index, std::vector<Index>> of;
    for (const Index i : order_) of[isa_.forms[i].format].push_back(i);
    Names names(true);
    for (auto& [format, forms] : of) {
        Section section = section_of(format, forms);
        section.name = names.fresh(format == no_index ? "none" : isa_.formats[format].name);
        out_.sections.push_back(std::move(section));
    }
    name_forms();
}

Section Maker::section_of(Index format, const std::vector<Index>& forms) {
    Section out;
    Set words = DecoderSets::none;
    Image key;
    for (const Index i : forms) {
        words = sets_.either(words, words_[i]);
        for (std::size_t w = 0; w < key.words.size(); ++w) key.words[w] |= isa_.forms[i].mask.words[w];
    }
    if (format != no_index && isa_.formats[format].where.known())
        out.source = plain_text(sources_.line_text(isa_.formats[format].where));
    out.is = sets_.match(words, sets_.without(legal_, words));
    out.key = sets_.slices_of_mask(key, out_.word_bits);
    for (const Index i : forms) {
        const Form& form = isa_.forms[i];
        const Instruction& instruction = isa_.instruction_of(form);
        Row row;
        row.form = i;
        row.pattern = sets_.pattern_of(key, form.mask, form.value, out_.word_bits);
        row.text = form.texts.empty() ? instruction.names[0] : render::syntax_text(isa_, form, form.texts[0]);
        if (!instruction.title.empty()) row.text += "  " + instruction.title;
        row.text = plain_text(row.text);
        row.effects = effects_[i];
        row.checks = checks_of(form);
        out.rows.push_back(std::move(row));
    }
    find_overlaps(out);
    if (out.fall_through) return out;
    for (const Check& check : out.rows[0].checks) {
        const bool everywhere =
            std::ranges::all_of(out.rows, [&](const Row& row) { return std::ranges::count(row.checks, check) != 0; });
        if (everywhere) out.checks.push_back(check);
    }
    for (Row& row : out.rows)
        std::erase_if(row.checks, [&](const Check& check) { return std::ranges::count(out.checks, check) != 0; });
    if (out.disjoint) {  // as the description has them, since the order says nothing
        std::ranges::stable_sort(out.rows, {}, &Row::form);
    }
    return out;
}

void Maker::find_overlaps(Section& section) {
    for (std::size_t i = 0; i < section.rows.size(); ++i) {
        for (std::size_t j = 0; j < i; ++j) {
            const Index first = section.rows[j].form, then = section.rows[i].form;
            if (!share_a_word(isa_.forms[first], isa_.forms[then])) continue;
            section.disjoint = false;
            const Set refused = sets_.without(sets_.bits_of(isa_.forms[first]), claims_[first]);
            if (sets_.both(refused, claims_[then]) != DecoderSets::none) section.fall_through = true;
        }
    }
}

// After the mnemonic alone, where that is enough.
void Maker::name_forms() {
    Names names(true);
    names.take("none");
    std::map<std::string, unsigned> uses;
    for (const Index i : order_) ++uses[plain_name(isa_.instruction_of(isa_.forms[i]).names[0])];
    for (Section& section : out_.sections) {
        for (Row& row : section.rows) {
            const std::string mnemonic = plain_name(isa_.instruction_of(isa_.forms[row.form]).names[0]);
            row.name =
                uses[mnemonic] == 1 ? names.fresh(mnemonic, section.name) : names.fresh(mnemonic + "_" + section.name);
        }
    }
}

void Maker::make_members() {
    std::vector<std::string> fields;
    for (const Section& section : out_.sections) {
        for (const Row& row : section.rows) {
            for (const Field& field : isa_.forms[row.form].fields) {
                const bool has_part = !field.fixed || sets_.can_have_tail(field.type);
                if (has_part && std::ranges::find(fields, field.name) == fields.end()) fields.push_back(field.name);
            }
        }
    }
    Names names;
    for (const char* const part : {"illegal", "length", "format", "form", "effects"}) names.take(part);
    for (const std::string& field : fields) {
        Member member = member_of(field);
        const std::string name = member.name = names.fresh(field, "field");
        if (member.width != 0) out_.members.push_back(std::move(member));
        make_tail_members(field, name, names);
    }
}

Member Maker::member_of(const std::string& field) {
    Member out;
    out.field = field;
    std::vector<std::string> types;
    for (const Index i : order_) {
        const Field* const own = field_of(isa_.forms[i], field);
        if (!own || own->fixed) continue;
        out.width = std::max(out.width, own->place.width);
        const std::string& type = isa_.operand_types[own->type].name;
        if (!type.empty() && std::ranges::find(types, type) == types.end()) types.push_back(type);
    }
    out.types = plain_text(fmt::format("{}", fmt::join(types, ", ")));
    Places places;
    for (const Section& section : out_.sections) {
        for (const Row& row : section.rows) {
            const Field* const own = field_of(isa_.forms[row.form], field);
            if (!own || own->fixed || own->place.width == 0) continue;
            const bool repeats = is_signed(isa_.operand_types[own->type]) && own->place.width < out.width;
            add_place(places, slices_of(own->place), repeats, words_[row.form], section.name);
        }
    }
    place_alternatives(places, out);
    return out;
}

void Maker::add_place(Places& places, const Slices& of, bool repeats, Set words, const std::string& format) {
    Found& one = places[{of, repeats}];
    ++one.forms;
    one.words = sets_.either(one.words, words);
    if (one.formats.empty() || one.formats.back() != format) one.formats.push_back(format);
}

// All but the one that most forms have are told by what is looked at.
void Maker::place_alternatives(const Places& places, Member& member) {
    Set having = DecoderSets::none;
    for (const auto& [where, place] : places) having = sets_.either(having, place.words);
    std::vector<std::pair<std::pair<Slices, bool>, Found>> list(places.begin(), places.end());
    std::ranges::stable_sort(list, {}, [](const auto& one) { return one.second.forms; });
    for (const auto& [where, one] : list) {
        const bool last = &one == &list.back().second;
        Alternative alternative{where.first, where.second, {}, {}};
        if (!last) alternative.when = sets_.match(one.words, sets_.without(having, one.words));
        alternative.says = member.kind == Member::Kind::operand
                               ? fmt::format("{} as in {}", member.field, fmt::join(one.formats, ", "))
                               : fmt::format("{} from bit {} on, in {}", member.name, where.first.back().low,
                                             fmt::join(one.formats, ", "));
        member.alternatives.push_back(std::move(alternative));
    }
}

// `name`: of the operand.
void Maker::make_tail_members(const std::string& field, const std::string& name, Names& names) {
    Member has, tail;
    has.kind = Member::Kind::has_tail;
    tail.kind = Member::Kind::tail;
    has.field = tail.field = field;
    has.width = 1;
    const auto each_tail = [&](auto&& visit) {
        for (const Section& section : out_.sections) {
            for (const Row& row : section.rows) {
                for (const DecoderSets::Layout& layout : layouts_[row.form]) {
                    for (const DecoderSets::TailPlace& place : layout.tails) {
                        if (!layout.broken && isa_.forms[row.form].fields[place.field].name == field)
                            visit(section, sets_.both(words_[row.form], layout.codes), place);
                    }
                }
            }
        }
    };
    Set having = DecoderSets::none;
    each_tail([&](const Section&, Set words, const DecoderSets::TailPlace& place) {
        having = sets_.either(having, words);
        tail.width = std::max(tail.width, place.tail.width);
    });
    if (having == DecoderSets::none) return;
    Places places;
    each_tail([&](const Section& section, Set words, const DecoderSets::TailPlace& place) {
        add_place(places, moved(place.tail.of, place.at), place.tail.is_signed && place.tail.width < tail.width, words,
                  section.name);
    });
    has.name = names.fresh(name + "_has_tail");
    tail.name = names.fresh(name + "_tail");
    has.when = sets_.match(having, sets_.without(legal_, having));
    place_alternatives(places, tail);
    out_.members.push_back(std::move(has));
    out_.members.push_back(std::move(tail));
}

}  // namespace

unsigned bits_for(std::uint64_t most) { return std::max(1u, static_cast<unsigned>(std::bit_width(most))); }

bool has_tails(const Decoder& decoder) {
    return std::ranges::any_of(decoder.members, [](const Member& one) { return one.kind == Member::Kind::tail; });
}

unsigned Decoder::length_bits() const { return bits_for(lengths.back().units); }
unsigned Decoder::format_bits() const { return bits_for(sections.size() - 1); }
unsigned Decoder::form_bits() const { return bits_for(form_count()); }

std::size_t Decoder::form_count() const {
    std::size_t count = 0;
    for (const Section& section : sections) count += section.rows.size();
    return count;
}

unsigned Decoder::bundle_bits() const {
    unsigned bits = 1 + length_bits() + format_bits() + form_bits() + static_cast<unsigned>(effects.size());
    for (const Member& member : members) bits += member.width;
    return bits;
}

std::optional<Decoder> decoder_of(std::shared_ptr<const Isa> isa, const SourceManager& sources,
                                  Diagnostics& diagnostics) {
    return Maker(std::move(isa), sources, diagnostics).make();
}

}  // namespace isaforge::hardware
