#include "disassembler/rivals.hpp"

#include <algorithm>

namespace isaforge::disassembler {

using codec::Candidate;
using codec::OperandTable;
using codec::ReadStep;

namespace {

constexpr std::uint32_t nowhere = ~std::uint32_t{0};

bool is_blank(char c) { return c == ' '; }
bool is_small_letter(char c) { return c >= 'a' && c <= 'z'; }
char low(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; }

std::string_view without_blanks_around(std::string_view text) {
    while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
    while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
    return text;
}

enum class Order { same, apart, unclear };

// Two fixed texts, of which the reader does not see the blanks.
Order compare(std::string_view a, std::string_view b) {
    std::size_t i = 0, k = 0;
    for (;;) {
        while (i < a.size() && is_blank(a[i])) ++i;
        while (k < b.size() && is_blank(b[k])) ++k;
        if (i == a.size() && k == b.size()) return Order::same;
        if (i == a.size() || k == b.size()) return Order::unclear;
        if (low(a[i++]) != low(b[k++])) return Order::apart;
    }
}

}  // namespace

Rivals::Rivals(const Codec& codec)
    : codec_(codec), tables_(codec.tables_so_far()), mnemonic_(codec.isa().forms.size(), nowhere) {
    for (std::uint32_t m = 0; m < tables_.mnemonics.size(); ++m) {
        const codec::Mnemonic& mnemonic = tables_.mnemonics[m];
        for (std::uint32_t i = mnemonic.first; i < mnemonic.first + mnemonic.count; ++i) {
            const codec::Reading& reading = tables_.readings[i];
            if (reading.printed && mnemonic_[reading.form] == nowhere) mnemonic_[reading.form] = m;
        }
    }
}

void Rivals::prepare(Index form) const {
    tables_.printable(form);
    if (mnemonic_[form] != nowhere) tables_.need(tables_.mnemonics[mnemonic_[form]]);
}

bool Rivals::examine(Index form, std::vector<Conditions>& out) {
    const std::uint32_t mnemonic = mnemonic_[form];
    if (mnemonic == nowhere || tables_.heads.size() != 1 || tables_.forms[form].has_relative) return false;
    const std::vector<Candidate>& candidates = tables_.mnemonics[mnemonic].candidates;
    const auto own = std::find_if(candidates.begin(), candidates.end(), [&](const Candidate& candidate) {
        return candidate.printed && candidate.form == form;
    });
    if (own == candidates.end()) return false;
    for (auto rival = candidates.begin(); rival != own; ++rival) {
        if (rival->form == form) continue;  // other texts of the same bits
        Conditions conditions;
        if (keeps_off(*rival, *own, conditions)) continue;
        if (conditions.empty()) return false;
        out.push_back(std::move(conditions));
    }
    return true;
}

const Field& Rivals::field_of(const Candidate& candidate, const ReadStep& step) const {
    return codec_.isa().forms[candidate.form].fields[step.field];
}

bool Rivals::can_be_empty(Index type) const { return tables_.operands[type].nullable; }

// Where the comparison of two texts has come to.
struct Rivals::Walk {
    const Candidate& candidate;
    std::size_t step = 0;
    std::string_view rest;  // of a literal

    // The next step that is no literal; null where there is none, or a literal has to be read first.
    const ReadStep* next() {
        if (rest.empty() && step < candidate.steps.size() && candidate.steps[step].kind == ReadStep::Kind::literal)
            rest = candidate.steps[step++].text;
        return rest.empty() && step < candidate.steps.size() ? &candidate.steps[step] : nullptr;
    }
    bool at_end() const { return rest.empty() && step == candidate.steps.size(); }
};

// True: always. False: where a condition holds, if there is one.
bool Rivals::keeps_off(const Candidate& rival, const Candidate& own, Conditions& out) {
    return differs(rival, own, out) || lacks_place(rival, own, out);
}

// The same step by step, as long as both texts are known to go on at the same place.
bool Rivals::differs(const Candidate& rival, const Candidate& own, Conditions& out) {
    Walk theirs{rival, 0, {}}, ours{own, 0, {}};
    for (;;) {
        const ReadStep *const their_step = theirs.next(), *const our_step = ours.next();
        if (!theirs.rest.empty() && !ours.rest.empty()) {
            if (skip_common(theirs.rest, ours.rest)) continue;
            return true;
        }
        if (theirs.at_end() || ours.at_end()) break;
        // Before a comma stands only what is left out; ours is a word that the comma does not fit, or left out too.
        if (!our_step && ours.rest[0] == ',' && their_step && may_pass(rival, *their_step)) {
            ++theirs.step;
            continue;
        }
        if (!their_step && theirs.rest[0] == ',' && our_step && may_pass(own, *our_step)) {
            ++ours.step;
            continue;
        }
        if (their_step && their_step->kind != ReadStep::Kind::field) break;
        if (our_step && our_step->kind != ReadStep::Kind::field) break;
        if (their_step && can_be_empty(field_of(rival, *their_step).type)) break;
        if (our_step && can_be_empty(field_of(own, *our_step).type)) break;
        if (their_step && (their_step->only || their_step->repeated)) return false;
        if (our_step && our_step->only) return false;
        if (!our_step) {
            const std::string_view word = ours.rest.substr(0, ours.rest.find_first_of(", "));
            if (word.empty()) return false;
            const Reaction reaction = react(field_of(rival, *their_step).type, their_step->glued, word);
            if (reaction == Reaction::refused) return true;
            if (reaction == Reaction::unknown && !is_all_or_nothing(*their_step, word)) return false;
            ours.rest.remove_prefix(word.size());
        } else if (!their_step) {
            const Field& field = field_of(own, *our_step);
            const std::size_t common = unlike(field, theirs.rest, out);
            if (common == 0) return is_always(out);
            theirs.rest.remove_prefix(common);
        } else if (!in_step(*their_step, field_of(rival, *their_step), field_of(own, *our_step), out)) {
            return is_always(out);
        }
        theirs.step += their_step != nullptr;
        ours.step += our_step != nullptr;
    }
    if (ends_early(theirs, ours)) return true;
    std::vector<Item> their_items, our_items;
    return add_items(theirs, their_items) && add_items(ours, our_items) && words_keep_off(their_items, our_items, out);
}

// Whether one of our words, which stands behind a blank, is nothing that the rival reads there. What it reads behind a comma
// of its own is elsewhere, and no operand goes on from one word to the next.
bool Rivals::lacks_place(const Candidate& rival, const Candidate& own, Conditions& out) {
    std::vector<Item> readers, words;
    const auto add = [&](std::vector<Item>& list, const Candidate& candidate, const ReadStep& step) {
        const Form& form = codec_.isa().forms[candidate.form];
        const auto add_field = [&](Index index) {
            const Field& field = form.fields[index];
            list.push_back({field.type, {}, field.fixed, &field.place, false});
        };
        if (step.kind == ReadStep::Kind::literal) list.push_back({no_index, step.text, std::nullopt, nullptr, false});
        if (step.kind == ReadStep::Kind::field) add_field(step.field);
        if (step.kind == ReadStep::Kind::any) std::ranges::for_each(step.element->fields, add_field);
    };
    bool behind_comma = true;  // or at the begin
    for (const ReadStep& step : rival.steps) {
        if (step.kind == ReadStep::Kind::number || step.repeated || has_gaps(rival, step)) return false;
        if (!behind_comma || step.kind == ReadStep::Kind::literal) add(readers, rival, step);
        behind_comma = step.kind == ReadStep::Kind::literal && step.text.ends_with(',');
    }
    for (const ReadStep& step : own.steps) {
        if (step.kind != ReadStep::Kind::literal && step.kind != ReadStep::Kind::number) add(words, own, step);
    }
    std::erase_if(words, [&](const Item& word) { return !is_word(word.type); });
    return std::ranges::any_of(words, [&](const Item& word) { return lacks_consumer(word, readers, out); });
}

// Whether what the step reads may be several words.
bool Rivals::has_gaps(const Candidate& candidate, const ReadStep& step) {
    const std::vector<Field>& fields = codec_.isa().forms[candidate.form].fields;
    if (step.kind == ReadStep::Kind::field) return has_gaps(fields[step.field].type);
    return step.kind == ReadStep::Kind::any &&
           (!without_blanks_around(step.element->text).empty() ||
            std::ranges::any_of(step.element->fields, [&](Index field) { return has_gaps(fields[field].type); }));
}

bool Rivals::has_gaps(Index index) {
    const auto [place, is_new] = gaps_.try_emplace(index, false);
    if (!is_new) return place->second;
    const auto gap = [](const TextTemplate& text) {
        for (std::size_t i = 0; i < text.size(); ++i) {
            const bool inside = text[i].kind == TextKind::space && i > 0 && !text[i - 1].text.ends_with(',');
            const bool spaced = text[i].kind == TextKind::literal && text[i].text.find(' ') != std::string::npos;
            if (text[i].kind == TextKind::any || inside || spaced) return true;
        }
        return false;
    };
    for (const OperandRow& row : codec_.isa().operand_types[index].rows) {
        if (std::ranges::any_of(row.texts, gap) ||
            std::ranges::any_of(row.fields, [&](const Field& field) { return has_gaps(field.type); }))
            return gaps_[index] = true;
    }
    return false;
}

bool Rivals::is_word(Index index) const {
    const OperandType& type = codec_.isa().operand_types[index];
    return type.kind == OperandKind::table && std::ranges::all_of(type.rows, [](const OperandRow& row) {
               if (row.alias || row.reserved || row.texts.empty() || row.texts[0].empty()) return true;
               const TextTemplate& text = row.texts[0];
               return text.size() > 1 && text[0].kind == TextKind::space && text[1].kind == TextKind::literal &&
                      is_small_letter(text[1].text[0]);
           });
}

bool Rivals::is_always(const Conditions& conditions) {
    return !conditions.empty() && conditions.back().keeps_off == nullptr;
}

// Takes from both texts what they have in common. False where they differ before one of them ends.
bool Rivals::skip_common(std::string_view& a, std::string_view& b) const {
    while (!a.empty() && !b.empty()) {
        if (is_blank(a[0]) || is_blank(b[0])) {
            (is_blank(a[0]) ? a : b).remove_prefix(1);
            continue;
        }
        if (low(a[0]) != low(b[0])) return false;
        a.remove_prefix(1);
        b.remove_prefix(1);
    }
    return true;
}

// Both have an operand there. False where it is not known to be read up to the same place, unless it is refused: that is a
// condition, or, always, one without a table.
bool Rivals::in_step(const ReadStep& step, const Field& theirs, const Field& ours, Conditions& out) {
    if (theirs.type == ours.type) return true;
    const Pair& pair = pair_of(theirs.type, step, ours.type);
    if (pair.always) {
        out.push_back({nullptr, nullptr});
        return false;
    }
    if (std::ranges::find(pair.refused, 1) != pair.refused.end()) out.push_back({&ours.place, &pair.refused});
    return pair.in_step;
}

// How many letters of a literal those of the operand's texts are that it may begin with, the others being conditions. 0: it
// begins with none, as in in_step, or that is not known.
std::size_t Rivals::unlike(const Field& field, std::string_view literal, Conditions& out) {
    if (!is_small_letter(literal[0]) || codec_.isa().operand_types[field.type].width > codec::widest_table) return 0;
    const auto [place, is_new] = unlike_.try_emplace({field.type, std::string(literal)});
    Unlike& found = place->second;
    if (is_new) {
        found.apart.resize(std::size_t{1} << codec_.isa().operand_types[field.type].width, 1);
        each_text(field.type, [&](std::uint64_t code, std::string_view text) {
            if (compare(literal, text) == Order::apart) return true;
            found.apart[code] = 0;
            std::string_view rest = literal, word = text;
            const bool whole =
                skip_common(rest, word) && word.empty() && !begins_word(rest) && !literal.starts_with(' ');
            const std::size_t common = whole ? literal.size() - rest.size() : 0;
            found.clear &= common != 0 && (found.common == 0 || found.common == common);
            found.common = common;
            return true;
        });
    }
    if (std::ranges::find(found.apart, 0) == found.apart.end()) {
        out.push_back({nullptr, nullptr});
        return 0;
    }
    out.push_back({&field.place, &found.apart});
    return found.clear ? found.common : 0;
}

bool Rivals::begins_word(std::string_view text) const {
    return !text.empty() && tables_.letter[static_cast<unsigned char>(text[0])] == 1;
}

// Whether nothing but this word, which a comma or the end follows, can be read there, if anything. It may be a symbol.
bool Rivals::is_all_or_nothing(const ReadStep& step, std::string_view word) const {
    const auto is_letter = [&](char c) { return tables_.letter[static_cast<unsigned char>(c)] == 1; };
    return !step.glued && !word.empty() && is_small_letter(low(word[0])) && std::ranges::all_of(word, is_letter);
}

// Whether what the step reads may be left out and does not begin with a comma.
bool Rivals::may_pass(const Candidate& candidate, const ReadStep& step) const {
    const Form& form = codec_.isa().forms[candidate.form];
    const auto passes = [&](Index field) {
        const Index type = form.fields[field].type;
        return can_be_empty(type) && codec_.isa().operand_types[type].kind != OperandKind::number &&
               !tables_.operands[type].first[static_cast<unsigned char>(',')];
    };
    if (step.kind == ReadStep::Kind::any)
        return without_blanks_around(step.element->text).empty() && std::ranges::all_of(step.element->fields, passes);
    return step.kind == ReadStep::Kind::field && passes(step.field);
}

// Whether a comma or a word stands where the other text has only what may be left out, or nothing.
bool Rivals::ends_early(const Walk& theirs, const Walk& ours) const {
    if (!ours.rest.empty())
        return theirs.rest.empty() && tables_.ender[static_cast<unsigned char>(ours.rest[0])] == 0 &&
               only_words(theirs, ours.rest[0]);
    if (theirs.at_end() || !only_words(ours, ',')) return false;
    if (!theirs.rest.empty()) return theirs.rest[0] == ',' || ours.at_end();
    const ReadStep& step = theirs.candidate.steps[theirs.step];
    return ours.at_end() && step.kind == ReadStep::Kind::field && !step.only &&
           !can_be_empty(field_of(theirs.candidate, step).type);
}

// Whether only operands stand from here on, none of which begins with this character.
bool Rivals::only_words(const Walk& walk, char c) const {
    const Candidate& candidate = walk.candidate;
    const Form& form = codec_.isa().forms[candidate.form];
    const auto begins = [&](Index field) {
        const Index type = form.fields[field].type;
        return codec_.isa().operand_types[type].kind == OperandKind::number ||
               tables_.operands[type].first[static_cast<unsigned char>(c)];
    };
    if (!walk.rest.empty()) return false;
    for (std::size_t step = walk.step; step < candidate.steps.size(); ++step) {
        const ReadStep& one = candidate.steps[step];
        if (one.kind == ReadStep::Kind::any) {
            if (!without_blanks_around(one.element->text).empty() || std::ranges::any_of(one.element->fields, begins))
                return false;
        } else if (one.kind != ReadStep::Kind::field || begins(one.field)) {
            return false;
        }
    }
    return true;
}

// What stands from a step on, where that is words with blanks before them. False where it is not.
bool Rivals::add_items(const Walk& walk, std::vector<Item>& out) const {
    const Candidate& candidate = walk.candidate;
    const Form& form = codec_.isa().forms[candidate.form];
    const auto add = [&](Index index) {
        const Field& field = form.fields[index];
        Item item{field.type, {}, std::nullopt, &field.place, false};
        if (field.fixed) item.fixed = form.fixed_value(field);
        const OperandTable& table = tables_.operands[field.type];
        item.required = field.fixed ? !table.nullable || *item.fixed != table.left_out : !table.nullable;
        out.push_back(item);
    };
    const auto add_literal = [&](std::string_view text) {
        out.push_back({no_index, text, std::nullopt, nullptr, true});
        return is_small_letter(text[0]) && text.find_first_of(", ") == std::string_view::npos;
    };
    if (!walk.rest.empty() && !add_literal(walk.rest)) return false;
    for (std::size_t step = walk.step; step < candidate.steps.size(); ++step) {
        const ReadStep& one = candidate.steps[step];
        if (one.repeated) return false;
        switch (one.kind) {
            case ReadStep::Kind::number: return false;
            case ReadStep::Kind::literal:
                if (!add_literal(one.text)) return false;
                break;
            case ReadStep::Kind::field: add(one.field); break;
            case ReadStep::Kind::any:
                if (!without_blanks_around(one.element->text).empty()) return false;
                for (const Index field : one.element->fields) add(field);
        }
    }
    return true;
}

bool Rivals::words_keep_off(const std::vector<Item>& rival, const std::vector<Item>& own, Conditions& out) {
    return std::ranges::any_of(own, [&](const Item& word) { return lacks_consumer(word, rival, out); }) ||
           std::ranges::any_of(rival, [&](const Item& wanted) { return lacks_supplier(wanted, own, out); });
}

// Whether the reader may take (the begin of) one of the word's texts for what it looks for.
bool Rivals::may_consume(const Item& reader, const Item& word) {
    if (reader.type == no_index && word.type == no_index) return compare(reader.text, word.text) != Order::apart;
    if (word.type == no_index) return react(reader.type, true, word.text) != Reaction::refused;
    if (reader.type == word.type) return true;
    const auto [place, is_new] = consumes_.try_emplace(
        {reader.type, std::string(reader.text), word.type, word.fixed.value_or(~std::uint64_t{0})});
    bool& consumes = place->second;
    if (!is_new) return consumes;
    const auto look = [&](std::uint64_t code, std::string_view text) {
        if (text.empty() || (word.fixed && code != *word.fixed)) return true;
        consumes = reader.type == no_index ? compare(reader.text, text) != Order::apart
                                           : react(reader.type, true, text) != Reaction::refused;
        return !consumes;
    };
    each_text(word.type, look);
    return consumes;
}

// A word of ours that the rival has no place for, or only with another code.
bool Rivals::lacks_consumer(const Item& word, const std::vector<Item>& rival, Conditions& out) {
    std::vector<std::uint64_t> fixed;  // codes that consumers insist on
    for (const Item& reader : rival) {
        if (!may_consume(reader, word)) continue;
        if (reader.type != word.type || !reader.fixed) return false;
        fixed.push_back(*reader.fixed);
    }
    if (word.type == no_index) return true;
    if (word.fixed) {
        const OperandTable& table = tables_.operands[word.type];
        return (!table.nullable || *word.fixed != table.left_out) &&
               std::ranges::find(fixed, *word.fixed) == fixed.end();
    }
    if (const auto* table = written(word.type, fixed)) out.push_back({word.place, table});
    return false;
}

// A word that the rival must have and that ours is not, or only with another code.
bool Rivals::lacks_supplier(const Item& wanted, const std::vector<Item>& own, Conditions&) {
    if (!wanted.required) return false;
    return std::ranges::none_of(own, [&](const Item& word) {
        if (!may_consume(wanted, word)) return false;
        const bool other_code = wanted.type == word.type && wanted.type != no_index && wanted.fixed && word.fixed &&
                                *wanted.fixed != *word.fixed;
        return !other_code;
    });
}

// --- operands ---------------------------------------------------------------------------------------------------------

// Empty where the code is left out, or where its text is not known from the code alone: see each_text.
std::string_view Rivals::text_of(Index type, std::uint64_t code) {
    const Image nothing;
    const codec::PrintContext context{codec_.isa(), tables_, nothing, 0, 0, nullptr, buffer_ + sizeof buffer_};
    const char* const end = codec::print_operand(buffer_, context, type, code);
    return without_blanks_around({buffer_, static_cast<std::size_t>(end - buffer_)});
}

// All codes of a narrow operand, and some of a wide one: texts that differ in a number only begin alike. The text of a code
// with a word behind the instruction is a number, for which 0 stands.
template <typename Visit>
void Rivals::each_text(Index type, Visit&& visit) {
    const unsigned width = codec_.isa().operand_types[type].width;
    const bool all = width <= codec::widest_table;
    constexpr std::uint64_t some = 16;
    const std::uint64_t count = all ? std::uint64_t{1} << width : some;
    const std::uint64_t step = all ? 1 : low_bits(width) / (some - 1);
    for (std::uint64_t i = 0; i < count; ++i) {
        const std::uint64_t code = i * step;
        const std::vector<std::uint8_t>& valid = tables_.operands[type].valid;
        if (!valid.empty() && valid[code] == 0) continue;
        if (!visit(code, text_of(type, code))) return;
    }
}

bool Rivals::has_tail(Index type, std::uint64_t code) const {
    if (!tables_.operands[type].can_have_tail) return false;
    const Index row = codec_.row_of(type, code);
    if (row == no_index) return false;
    const std::vector<Field>& fields = codec_.isa().operand_types[type].rows[row].fields;
    return std::ranges::any_of(
        fields, [&](const Field& field) { return field.in_tail || has_tail(field.type, field.place.extract(code)); });
}

// As Reader::operand: by the patterns; rows are looked at where the first letter fits and the patterns do not say that the
// numbers are wrong.
Reaction Rivals::react(Index index, bool glued, std::string_view text) const {
    const OperandTable& table = tables_.operands[index];
    const OperandType& type = codec_.isa().operand_types[index];
    const char *p = text.data(), *const begin = p, *const end = p + text.size();
    if (text.empty()) return Reaction::unknown;
    const auto first = static_cast<unsigned char>(*begin);
    codec::PatternMatch found;
    codec::Patterns::Walk walk;
    codec::PatternReader nested(codec_.isa(), tables_, end);
    table.patterns.walk(begin, end, nested, walk);
    const char* const after = table.patterns.take(walk, end, nested, 0, {glued, 0}, found);
    const bool fits = after != nullptr;
    if (fits) p = after;
    if (fits && p != begin) {
        return nested.comes_back(index, found) && p == end && !table.unlisted ? Reaction::whole : Reaction::unknown;
    }
    if (type.kind == OperandKind::number || (table.nullable && !fits)) return Reaction::unknown;
    if (type.kind != OperandKind::table) return Reaction::refused;
    const bool is_name = tables_.letter[first] == 1 && (*begin < '0' || *begin > '9');
    const bool refused = table.complete && is_name && table.patterns.refusal(walk, end, 0, {glued, 0}).end == end;
    return refused || !table.first[first] || rows_refuse(index, text) ? Reaction::refused : Reaction::unknown;
}

// Whether no row has a text that begins like this one.
bool Rivals::rows_refuse(Index index, std::string_view text) const {
    std::size_t number = 0;
    const auto first = static_cast<unsigned char>(text[0]);
    const auto refuses = [&](const OperandRow& row, const TextTemplate& form) {
        if (!tables_.operands[index].row_first[number++][first]) return true;
        const auto element =
            std::ranges::find_if(form, [](const TextElement& one) { return one.kind != TextKind::space; });
        if (element == form.end()) return true;  // left out
        if (element->kind == TextKind::literal) {
            if (begins_otherwise(text, element->text)) return true;
            // No number goes on with a name: behind "s" of "s{n}" stands no letter.
            const auto next = element + 1;
            if (next == form.end() || !text.starts_with(element->text) || !begins_word(text)) return false;
            const bool is_number =
                next->kind == TextKind::number || next->kind == TextKind::constant ||
                (next->kind == TextKind::field &&
                 codec_.isa().operand_types[row.fields[next->field].type].kind == OperandKind::number);
            const std::string_view rest = text.substr(element->text.size());
            return is_number && begins_word(element->text.substr(element->text.size() - 1)) && begins_word(rest) &&
                   (rest[0] < '0' || rest[0] > '9');
        }
        if (element->kind != TextKind::field) return false;
        const Index type = row.fields[element->field].type;
        return !can_be_empty(type) && react(type, true, text) == Reaction::refused;
    };
    for (const OperandRow& row : codec_.isa().operand_types[index].rows) {
        for (const TextTemplate& form : row.texts) {
            if (!refuses(row, form)) return false;
        }
    }
    return true;
}

// Whether a word, behind which it ends, does not begin with a literal.
bool Rivals::begins_otherwise(std::string_view word, std::string_view literal) const {
    if (!skip_common(word, literal)) return true;
    return word.empty() && begins_word(literal);
}

const Rivals::Pair& Rivals::pair_of(Index type, const ReadStep& step, Index other) {
    const bool glued = step.glued;
    const auto [place, is_new] = pairs_.try_emplace({type, glued, other});
    Pair& pair = place->second;
    if (!is_new) return pair;
    const unsigned width = codec_.isa().operand_types[other].width;
    const bool all = width <= codec::widest_table;
    if (all) pair.refused.resize(std::size_t{1} << width);
    if (!all) pair.always = pair.in_step = false;
    const codec::Letters& first = tables_.operands[type].first;
    const bool names_only = std::ranges::none_of(std::string_view("0123456789-"),
                                                 [&](char c) { return first[static_cast<unsigned char>(c)]; });
    each_text(other, [&](std::uint64_t code, std::string_view text) {
        const bool any_number = has_tail(other, code);
        const Reaction reaction = any_number && !names_only ? Reaction::unknown : react(type, glued, text);
        if (all) pair.refused[code] = reaction == Reaction::refused;
        pair.always &= reaction == Reaction::refused;
        pair.in_step &= reaction != Reaction::unknown || is_all_or_nothing(step, text);
        return all;
    });
    return pair;
}

const std::vector<std::uint8_t>* Rivals::written(Index type, const std::vector<std::uint64_t>& but) {
    const unsigned width = codec_.isa().operand_types[type].width;
    if (width > codec::widest_table) return nullptr;
    const auto [place, is_new] = written_.try_emplace({type, but});
    std::vector<std::uint8_t>& found = place->second;
    if (!is_new) return &found;
    found.resize(std::size_t{1} << width);
    each_text(type, [&](std::uint64_t code, std::string_view text) {
        found[code] = !text.empty() && std::ranges::find(but, code) == but.end();
        return true;
    });
    return &found;
}

}  // namespace isaforge::disassembler
