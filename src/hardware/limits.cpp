#include "hardware/limits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <set>

namespace isaforge::hardware {

namespace {

std::string bits_text(std::uint64_t value, unsigned width) {
    return width == 0 ? "" : fmt::format("{:0{}b}", value, width);
}

bool is_at(const Place& a, const Place& b) { return a.file == b.file && a.offset == b.offset; }

}  // namespace

LimitMaker::LimitMaker(const Isa& isa, const std::vector<Index>& forms, DecoderSets& sets, Decoder& out)
    : isa_(isa), sets_(sets), out_(out) {
    std::set<const Taking*> seen;  // most forms of a table have theirs in common
    for (const Index form : forms) {
        for (const Taking& taking : isa.forms[form].takes) {
            if (seen.insert(&taking).second) look_at(taking, isa.forms[form]);
        }
    }
    for (auto& [limit, known] : known_) {
        known.limited = out_.limited.size();
        Limited limited;
        limited.limit = limit;
        limited.name = names_.fresh(isa.limits[limit].name);
        out_.limited.push_back(std::move(limited));
        number_sources(known);
    }
}

void LimitMaker::look_at(const Taking& taking, const Form& form) {
    Known& known = known_[taking.limit];
    for (const Index field : taking.fields) {
        const auto [cases, fresh] = known.cases.try_emplace(form.fields[field].type);
        if (!fresh) continue;
        cases->second = sets_.things_of(form.fields[field].type, taking.limit);
        for (const auto& [things, codes] : cases->second) {
            for (const Thing& thing : things) add_source(known, thing);
        }
    }
    for (const auto& [type, code] : taking.own) {
        if (const auto thing = sets_.thing_of(type, code)) add_source(known, *thing);
    }
}

void LimitMaker::add_source(Known& known, const Thing& thing) {
    if (thing.kind == Thing::Kind::own_tail) return;
    auto source = std::ranges::find_if(known.sources, [&](const Source& one) {
        return one.kind == thing.kind && (thing.kind == Thing::Kind::shared_tail || is_at(one.where, thing.row->where));
    });
    if (source == known.sources.end()) {
        known.sources.push_back({thing.kind, thing.row->where, {}, 0});
        source = known.sources.end() - 1;
    }
    const std::size_t count = std::size_t{1} << thing.levels.size();
    if (source->codes.size() < count) source->codes.resize(count);
    if (thing.kind == Thing::Kind::shared_tail) {
        source->codes[0] = true;
        return;
    }
    for (std::size_t code = 0; code < count; ++code) {
        if (thing.row->claims(code)) source->codes[code] = true;
    }
}

// Sources without a code in common have one number.
void LimitMaker::number_sources(Known& known) {
    std::vector<std::vector<bool>> used;
    Limited& limited = out_.limited[known.limited];
    for (Source& source : known.sources) {
        const auto fits = [&](const std::vector<bool>& codes) {
            for (std::size_t i = 0; i < std::min(codes.size(), source.codes.size()); ++i) {
                if (codes[i] && source.codes[i]) return false;
            }
            return true;
        };
        const auto room = std::ranges::find_if(used, fits);
        source.number = static_cast<unsigned>(room - used.begin());
        if (room == used.end()) used.emplace_back();
        std::vector<bool>& codes = used[source.number];
        codes.resize(std::max(codes.size(), source.codes.size()));
        for (std::size_t i = 0; i < source.codes.size(); ++i) codes[i] = codes[i] || source.codes[i];
        const bool one = source.kind == Thing::Kind::shared_tail;
        const unsigned width = one ? 0 : static_cast<unsigned>(std::bit_width(source.codes.size() - 1));
        limited.code_bits = std::max(limited.code_bits, width);
    }
    if (used.size() > 1) limited.kind_bits = bits_for(used.size() - 1);
    for (const auto& [type, cases] : known.cases) {
        for (const auto& [things, codes] : cases)
            limited.has_own = limited.has_own || std::ranges::count(things, Thing::Kind::own_tail, &Thing::kind) != 0;
    }
}

// What stands before the code in a thing's number.
std::string LimitMaker::head_of(const Known& known, const Thing& thing) const {
    const Limited& limited = out_.limited[known.limited];
    const bool own = thing.kind == Thing::Kind::own_tail;
    std::string out = "1";
    if (limited.has_own) out += own ? "1" : "0";
    const auto source = std::ranges::find_if(known.sources, [&](const Source& one) {
        return one.kind == thing.kind && (thing.kind == Thing::Kind::shared_tail || is_at(one.where, thing.row->where));
    });
    return out + bits_text(own ? 0 : source->number, limited.kind_bits);
}

// An operand may have several things; there is a function for the first one of each code, one for the second, and so on.
const std::vector<std::size_t>& LimitMaker::counts_of(Index type, Index limit) {
    const auto [at, fresh] = counts_.try_emplace({type, limit});
    if (!fresh) return at->second;
    const Known& known = known_.at(limit);
    std::size_t slots = 0;
    for (const auto& [things, codes] : known.cases.at(type)) slots = std::max(slots, things.size());
    for (std::size_t slot = 0; slot < slots; ++slot) {
        Counts counts = counts_of(type, known, slot);
        const auto same = std::ranges::find_if(out_.counts, [&](const Counts& one) {
            return one.limited == counts.limited && one.width == counts.width && one.groups == counts.groups;
        });
        at->second.push_back(static_cast<std::size_t>(same - out_.counts.begin()));
        if (same != out_.counts.end()) continue;
        counts.name = names_.fresh(out_.limited[known.limited].name + "_of_" + isa_.operand_types[type].name);
        out_.counts.push_back(std::move(counts));
    }
    return at->second;
}

Counts LimitMaker::counts_of(Index type, const Known& known, std::size_t slot) {
    Counts out;
    out.type = type;
    out.limited = known.limited;
    out.width = isa_.operand_types[type].width;
    std::vector<std::pair<Counts::Group, DecoderSets::Set>> groups;
    DecoderSets::Set all = DecoderSets::none;
    for (const auto& [things, codes] : known.cases.at(type)) {
        all = sets_.either(all, codes);
        if (things.size() <= slot) continue;
        Counts::Group group;
        group.head = head_of(known, things[slot]);
        if (things[slot].kind == Thing::Kind::row) {
            for (const unsigned level : things[slot].levels) {  // from the lowest bit on
                const unsigned position = out.width - 1 - level;
                if (!group.of.empty() && group.of.front().high + 1 == position) {
                    group.of.front().high = position;
                } else {
                    group.of.insert(group.of.begin(), {position, position});
                }
            }
        }
        const auto same = std::ranges::find_if(groups, [&](const auto& one) { return one.first == group; });
        if (same != groups.end()) {
            same->second = sets_.either(same->second, codes);
        } else {
            groups.emplace_back(std::move(group), codes);
        }
    }
    for (auto& [group, codes] : groups) {
        group.when = sets_.match_codes(codes, sets_.without(all, codes), out.width);
        out.groups.push_back(std::move(group));
    }
    return out;
}

std::optional<LimitKept> LimitMaker::kept_of(const Form& form, const Taking& taking) {
    const Known& known = known_.at(taking.limit);
    const Limited& limited = out_.limited[known.limited];
    LimitKept out;
    out.limited = known.limited;
    for (const Index field : taking.fields) {
        for (const std::size_t counts : counts_of(form.fields[field].type, taking.limit))
            out.items.push_back({form.fields[field].name, counts, slices_of(form.fields[field].place)});
    }
    for (const auto& [type, code] : taking.own) {
        const auto thing = sets_.thing_of(type, code);
        if (!thing) continue;
        const bool row = thing->kind == Thing::Kind::row;
        const std::string number = head_of(known, *thing) + bits_text(row ? code : 0, limited.code_bits);
        if (thing->kind == Thing::Kind::own_tail || std::ranges::count(out.unsaid, number) == 0)
            out.unsaid.push_back(number);
    }
    // What is of no operand at all leaves so much less room.
    const unsigned most = isa_.limits[taking.limit].most;
    out.most = most - std::min(most, taking.besides);
    if (taking.besides > most) out.unsaid.assign(1, "1" + std::string(limited.bits() - 1, '0'));
    if (out.items.empty() && out.unsaid.size() <= out.most) return std::nullopt;
    return out;
}

std::vector<Check> LimitMaker::checks_of(const Form& form) {
    std::vector<Check> out;
    for (const Taking& taking : form.takes) {
        std::optional<LimitKept> kept = kept_of(form, taking);
        if (!kept) continue;
        const auto same = std::ranges::find_if(out_.limits, [&](const LimitKept& one) {
            return one.limited == kept->limited && one.most == kept->most && one.unsaid == kept->unsaid &&
                   one.items == kept->items;
        });
        out.push_back({Check::Kind::limit, static_cast<std::size_t>(same - out_.limits.begin()), {}});
        if (same != out_.limits.end()) continue;
        kept->name = names_.fresh("keeps_" + out_.limited[kept->limited].name);
        out_.limits.push_back(std::move(*kept));
    }
    return out;
}

DecoderSets::Set LimitMaker::broken(const std::vector<Check>& checks) {
    DecoderSets::Set out = DecoderSets::none;
    for (const Check& check : checks) {
        const auto [known, fresh] = broken_.try_emplace(check.number);
        if (fresh) known->second = broken(out_.limits[check.number]);
        out = sets_.either(out, known->second);
    }
    return out;
}

namespace {

// Whether a word has one of the patterns of a match, whose bits are this code's.
bool has(const Match& match, std::uint64_t code) {
    std::string bits;
    for (const Slice& slice : match.of) {
        for (unsigned bit = slice.high + 1; bit-- > slice.low;) bits += code >> bit & 1 ? '1' : '0';
    }
    return std::ranges::any_of(match.patterns, [&](const std::string& pattern) {
        return std::equal(pattern.begin(), pattern.end(), bits.begin(),
                          [](char p, char b) { return p == '-' || p == b; });
    });
}

std::uint64_t bits_in(const Slices& of, std::uint64_t code) {
    std::uint64_t out = 0;
    for (const Slice& slice : of) {
        const unsigned width = slice.high - slice.low + 1;
        out = out << width | (code >> slice.low & low_bits(width));
    }
    return out;
}

}  // namespace

// How many different numbers a word has is counted number by number: `counted[k]` are the words that have had k of them, the
// last one those that have had more than there may be.
DecoderSets::Set LimitMaker::broken(const LimitKept& kept) {
    const Limited& limited = out_.limited[kept.limited];
    std::map<std::string, DecoderSets::Set> having;
    unsigned own = 0;
    for (const LimitKept::Item& item : kept.items) {
        const Counts& counts = out_.counts[item.counts];
        for (std::uint64_t code = 0; code < std::uint64_t{1} << counts.width; ++code) {
            const auto group =
                std::ranges::find_if(counts.groups, [&](const Counts::Group& one) { return has(one.when, code); });
            if (group == counts.groups.end()) continue;
            std::string number = group->head + bits_text(bits_in(group->of, code), limited.code_bits);
            if (limited.has_own && number[1] == '1') number += fmt::format(" {}", own);
            const auto [at, fresh] = having.try_emplace(std::move(number), DecoderSets::none);
            at->second = sets_.either(at->second, sets_.code_in(item.of, code));
        }
        ++own;
    }
    for (const std::string& number : kept.unsaid)
        having[limited.has_own && number[1] == '1' ? fmt::format("{} {}", number, own++) : number] = DecoderSets::all;
    std::vector<DecoderSets::Set> counted(kept.most + 2, DecoderSets::none);
    counted[0] = DecoderSets::all;
    for (const auto& [number, words] : having) {
        for (std::size_t k = counted.size() - 1; k-- > 0;) {
            const DecoderSets::Set more = sets_.both(counted[k], words);
            counted[k + 1] = sets_.either(counted[k + 1], more);
            counted[k] = sets_.without(counted[k], words);
        }
    }
    return counted.back();
}

}  // namespace isaforge::hardware
