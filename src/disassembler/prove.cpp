#include "disassembler/prove.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <set>
#include <span>

namespace isaforge::disassembler {

using codec::Candidate;
using codec::Glance;
using codec::ReadStep;

namespace {

constexpr std::uint32_t nowhere = ~std::uint32_t{0};
constexpr std::size_t most_read = 4096;  // instructions of one form
constexpr std::size_t most_codes = std::size_t{1} << Prover::widest_listed;

// A number in a name that nobody reads.
void put(std::string& name, std::uint64_t number) {
    char bytes[sizeof number];
    std::memcpy(bytes, &number, sizeof number);
    name.append(bytes, sizeof bytes);
}

bool is_small_letter(char c) { return c >= 'a' && c <= 'z'; }

// What is seen at a glance, as a part of a name: a letter, and how much was taken where that was a part.
constexpr std::uint16_t unseen = 0, beyond = '?';
constexpr std::size_t longest_part = 255;

std::uint16_t name_of(const Glance& glance) {
    if (glance.taken == Glance::Taken::beyond || glance.size > longest_part) return beyond;
    const unsigned letter =
        '@' + static_cast<unsigned>(glance.taken) + 8u * glance.same + 16u * glance.deferred + 32u * glance.tail;
    return static_cast<std::uint16_t>(letter | glance.size << 8);
}

char low(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; }

bool is_any(const codec::Look& look) { return look.step->kind == ReadStep::Kind::any && look.member == no_index; }

// Which field the text is of that the look took.
Index field_of(const codec::Look& look) {
    return look.member == no_index ? look.step->field : look.step->element->fields[look.member];
}

// Whether the look began before the operand at `operand` and depends on how that is written.
bool looks_into(const codec::Look& look, const char* operand) {
    if (is_any(look) || look.begin >= operand) return false;
    if (look.end) return look.end > operand;
    if (look.step->kind != ReadStep::Kind::literal)
        return look.furthest >= operand || (operand[-1] != ' ' && operand[-1] != ',');
    const auto fixed = static_cast<std::size_t>(operand - look.begin);
    const auto same = [](char a, char b) { return low(a) == low(b); };
    return look.step->text.size() > fixed && std::equal(look.begin, operand, look.step->text.begin(), same);
}

}  // namespace

std::pair<Image, Image> loose_bits(const Isa& isa, const Form& form) {
    Image covered = form.mask;
    for (const Field& field : form.fields) {
        if (field.ignored || field.type >= isa.operand_types.size()) continue;
        for (const BitPiece& piece : field.place.pieces) covered.set(piece.position, piece.width, ~std::uint64_t{0});
    }
    Image loose;
    for (unsigned w = 0; 64 * w < form.bits; ++w)
        loose.words[w] = ~covered.words[w] & low_bits(std::min(64u, form.bits - 64 * w));
    return {loose, form.written & loose};
}

bool is_one_word(const Image& image) {
    return std::all_of(image.words.begin() + 1, image.words.end(), [](std::uint64_t word) { return word == 0; });
}

Prover::Prover(const Codec& codec, StatementReader& reader)
    : codec_(codec),
      reader_(reader),
      known_(codec.isa().forms.size()),
      mnemonics_(codec.isa().forms.size(), nowhere),
      points_(codec.isa().operand_types.size()) {
    const Codec::Tables& tables = codec_.tables_so_far();
    for (std::uint32_t m = 0; m < tables.mnemonics.size(); ++m) {
        const codec::Mnemonic& mnemonic = tables.mnemonics[m];
        for (std::uint32_t i = mnemonic.first; i < mnemonic.first + mnemonic.count; ++i) {
            const codec::Reading& reading = tables.index->readings[i];
            if (reading.printed && mnemonics_[reading.form] == nowhere) mnemonics_[reading.form] = m;
        }
    }
    find_bounds();
}

Prover::~Prover() = default;

// --- one form ---------------------------------------------------------------------------------------------------------

// Of each operand there are a few kinds of points. A kind that is not read back where the others are is left out. When a reading
// brings new looks to light, kinds are found anew.
class Prover::FormProver {
public:
    FormProver(Prover& prover, Index form, const Known& known)
        : prover_(prover),
          isa_(prover.codec_.isa()),
          tables_(prover.codec_.tables_so_far()),
          index_(form),
          form_(isa_.forms[form]),
          known_(known) {}

    ReadBack run() {
        while (find_kinds()) {
            const Read all = read_all();
            if (all == Read::good) return reads_where_branches_go() ? proof() : ReadBack{};
            if (all == Read::bad) return {};
        }
        return {};
    }

private:
    static constexpr std::uint32_t with_tail = 1u << 8, first_own_name = 1u << 9;
    struct Kind {
        std::vector<std::uint32_t> points;
        bool is_left_out = false;
    };
    struct Operand {
        Index field = no_index;
        const Points* points = nullptr;
        std::map<std::uint32_t, Kind> kinds;
        std::vector<std::uint32_t> names;  // by point: its kind; `own_kind` where it is like no other
    };
    enum class Read : std::uint8_t { good, bad, grown };
    using Choice = std::vector<std::map<std::uint32_t, Kind>::iterator>;  // of each operand
    // An instruction that is being made. Operands share the value behind it.
    struct Made {
        Image image;
        std::uint64_t tail = 0;
        unsigned tail_bits = 0;
        unsigned bits = 0;
    };

    // False where there are too many.
    bool find_kinds() {
        const Shape& shape = prover_.shapes_[known_.shape];
        operands_.assign(known_.parts.size(), {});
        std::size_t all = 1;
        for (std::size_t i = 0; i < operands_.size(); ++i) {
            Operand& operand = operands_[i];
            operand.field = known_.parts[i].field;
            operand.points = &prover_.points_of(form_.fields[operand.field].type);
            if (!operand.points->is_usable) return false;
            const std::vector<Point>& points = operand.points->list;
            operand.names.assign(points.size(), own_kind);
            for (std::uint32_t point = 0; point < points.size(); ++point) {
                const bool tail = points[point].tail_bits != 0;
                if (tail && tables_.forms[index_].several_tails) continue;
                // Where texts say nothing each code is a kind of its own.
                std::uint32_t name = shape[i] ? prover_.kind_of(*shape[i], point) : first_own_name + point;
                if (name == own_kind) continue;
                if (tail) name |= with_tail;
                operand.names[point] = name;
                operand.kinds[name].points.push_back(point);
            }
            all *= operand.kinds.size();
            if (all == 0 || all > (operands_.size() == 1 ? most_codes : most_read)) return false;
        }
        return true;
    }

    Read read_all() {
        Choice base = first_choice();
        Read read = Read::bad;
        do {
            read = read_one(base);
        } while (read == Read::bad && next_choice(base));
        for (std::size_t i = 0; i < base.size() && read == Read::good; ++i) read = leave_out(i, base);
        if (read != Read::good) return read;
        Choice choice = first_choice();
        do {
            read = read_one(choice);
            if (read == Read::bad) read = leave_out_one(choice, base);
        } while (read == Read::good && next_choice(choice));
        return read;
    }

    // Of kinds that are read back alone, but not together, one is left out.
    Read leave_out_one(const Choice& choice, const Choice& base) {
        for (std::size_t i = choice.size(); i-- > 0;) {
            if (choice[i] == base[i]) continue;
            choice[i]->second.is_left_out = true;
            return Read::good;
        }
        return Read::bad;
    }

    // Leaves the kinds of an operand out with which an instruction is not read back that is with another.
    Read leave_out(std::size_t operand, Choice choice) {
        auto& kinds = operands_[operand].kinds;
        for (choice[operand] = kinds.begin(); choice[operand] != kinds.end(); ++choice[operand]) {
            const Read read = read_one(choice);
            if (read == Read::grown) return read;
            choice[operand]->second.is_left_out = read == Read::bad;
        }
        return Read::good;
    }

    Choice first_choice() {
        Choice choice;
        for (Operand& operand : operands_) {
            choice.push_back(operand.kinds.begin());
            while (choice.back()->second.is_left_out) ++choice.back();
        }
        return choice;
    }

    bool next_choice(Choice& choice) {
        for (std::size_t i = 0; i < choice.size(); ++i) {
            auto& kinds = operands_[i].kinds;
            do {
                ++choice[i];
            } while (choice[i] != kinds.end() && choice[i]->second.is_left_out);
            if (choice[i] != kinds.end()) return true;
            choice[i] = kinds.begin();
            while (choice[i]->second.is_left_out) ++choice[i];
        }
        return false;
    }

    Read read_one(const Choice& choice) {
        if (have_no_tail_in_common(choice)) return Read::good;  // there is no such instruction
        Made made;
        if (!find_plain(choice, made)) {
            made = begin();
            Search search;
            for (std::size_t i = 0; i < choice.size(); ++i) search.order.push_back(i);
            std::ranges::stable_sort(search.order, {}, [&](std::size_t i) { return choice[i]->second.points.size(); });
            if (!find_limited(choice, 0, 0, search, made)) return search.is_whole ? Read::good : Read::bad;
        }
        if (!reads_back(made, 0)) return Read::bad;
        switch (prover_.add_steps(index_)) {
            case Grown::no: return Read::good;
            case Grown::yes: return Read::grown;
            default: return Read::bad;
        }
    }

    bool reads_back(const Made& made, std::uint64_t address) {
        char text[Codec::max_text + 1];
        char* const end = prover_.codec_.print(text, index_, made.image, made.bits, address, nullptr);
        *end = '\0';
        return prover_.reader_.reads_back(made.image, made.bits, text, end, address, KeptLooks::all) &&
               !prover_.reader_.is_ruled_out();
    }

    Made begin() const {
        Made made;
        made.image = form_.written;
        return made;
    }

    const Point& point(std::size_t operand, std::uint32_t number) const {
        return operands_[operand].points->list[number];
    }

    // Whether operands have values behind the instruction that cannot be one.
    bool have_no_tail_in_common(const Choice& choice) const {
        const Kind* first = nullptr;
        std::size_t first_operand = 0;
        for (std::size_t i = 0; i < choice.size(); ++i) {
            if ((choice[i]->first & with_tail) == 0) continue;
            if (!first) {
                first = &choice[i]->second;
                first_operand = i;
                continue;
            }
            const auto is_in_both = [&](std::uint32_t one) {
                return find_tail(i, choice[i]->second, point(first_operand, one).tail) != nullptr;
            };
            if (std::ranges::none_of(first->points, is_in_both)) return true;
        }
        return false;
    }

    // The point of the kind with that value; null where there is none.
    const Point* find_tail(std::size_t operand, const Kind& kind, std::uint64_t tail) const {
        const auto found =
            std::ranges::find_if(kind.points, [&](std::uint32_t one) { return point(operand, one).tail == tail; });
        return found == kind.points.end() ? nullptr : &point(operand, *found);
    }

    // False where what the others have behind the instruction does not suit the operand's kind.
    bool set(Made& made, std::size_t operand, const Choice& choice, std::size_t number) const {
        const Kind& kind = choice[operand]->second;
        const Point* chosen = &point(operand, kind.points[number % kind.points.size()]);
        if (chosen->tail_bits != 0 && made.tail_bits != 0 && chosen->tail != made.tail)
            chosen = find_tail(operand, kind, made.tail);
        if (!chosen) return false;
        known_.parts[operand].place->insert(made.image, chosen->code);
        if (chosen->tail_bits == 0) return true;
        made.tail = chosen->tail;
        made.tail_bits = chosen->tail_bits;
        made.image.set(form_.bits, made.tail_bits, made.tail);
        return true;
    }
    bool is_one(Made& made) const {
        return prover_.codec_.decode(made.image, max_instruction_bits, made.bits) == index_;
    }

    // An instruction whose operands are of these kinds.
    bool find_plain(const Choice& choice, Made& made) const {
        std::size_t most_tried = 8;
        for (const auto& kind : choice) {
            if ((kind->first & with_tail) != 0) most_tried = std::max(most_tried, kind->second.points.size());
        }
        for (std::size_t number = 0; number < most_tried; ++number) {
            made = begin();
            std::size_t i = 0;
            while (i < choice.size() && set(made, i, choice, number)) ++i;
            if (i == choice.size() && is_one(made)) return true;
        }
        return false;
    }

    struct Search {
        std::vector<std::size_t> order;  // of operands
        unsigned looked_at = 0;
        bool is_whole = true;  // what keeps the limits was looked for everywhere, and not found
    };

    // The same where a limit counts operands, some of which may have to be the same register: from the `number`th on, behind those
    // in `fields`. Those that leave little choice come first.
    bool find_limited(const Choice& choice, std::size_t number, std::uint32_t fields, Search& search,
                      Made& made) const {
        constexpr unsigned most_looked_at = 1 << 14;
        if (number == choice.size()) {
            search.is_whole = false;
            return is_one(made);
        }
        const std::size_t operand = search.order[number];
        const std::uint32_t own = 1u << (operands_[operand].field & 31);
        const std::size_t count = is_limited(operand) ? choice[operand]->second.points.size() : 1;
        const Made before = made;
        for (std::size_t one = 0; one < count; ++one) {
            made = before;
            if (++search.looked_at > most_looked_at || !set(made, operand, choice, one)) {
                search.is_whole = false;
                return false;
            }
            if (breaks_limit(made.image, fields | own)) continue;
            if (find_limited(choice, number + 1, fields | own, search, made)) return true;
        }
        return false;
    }

    bool breaks_limit(const Image& image, std::uint32_t fields) const {
        return std::ranges::any_of(limits(),
                                   [&](const codec::FormLimit& limit) { return exceeds(limit, image, fields); });
    }
    bool is_limited(std::size_t operand) const {
        return std::ranges::any_of(limits(), [&](const codec::FormLimit& limit) {
            return std::ranges::any_of(limit.fields,
                                       [&](const auto& field) { return field.index == operands_[operand].field; });
        });
    }
    std::span<const codec::FormLimit> limits() const { return tables_.forms[index_].limits; }

    // Where nothing but the place is where a branch's text is read, it is read at the ends of what it reaches.
    bool reads_where_branches_go() {
        for (const Index field : known_.relative) {
            const BitPlace& place = form_.fields[field].place;
            const std::uint64_t highest = low_bits(place.width);
            for (const std::uint64_t code :
                 {std::uint64_t{0}, std::uint64_t{1}, highest >> 1, (highest >> 1) + 1, highest}) {
                Made made;
                if (!find_plain(first_choice(), made)) return false;
                place.insert(made.image, code);
                if (!is_one(made) || !reads_back(made, 0) || !reads_back(made, 0x10000)) return false;
            }
        }
        return true;
    }

    bool is_held(const Operand& operand, std::uint32_t point) const {
        const auto kind = operand.kinds.find(operand.names[point]);
        return kind != operand.kinds.end() && !kind->second.is_left_out;
    }

    // False where nothing would be left.
    bool add_check(const Operand& operand, const Field& field, ReadBack& out) const {
        const std::vector<Point>& points = operand.points->list;
        ReadBack::Check check{static_cast<std::uint32_t>(out.codes.size()), operand.field, 0};
        if (operand.points->are_all) {
            std::string codes(std::size_t{1} << field.place.width, ReadBack::no_code);
            for (std::uint32_t point = 0; point < points.size(); ++point) {
                if (points[point].tail_bits != 0) {
                    codes[points[point].code] = ReadBack::code_with_tail;
                } else if (is_held(operand, point)) {
                    codes[points[point].code] = ReadBack::code;
                }
            }
            out.codes += codes;
        } else {
            check.codes = static_cast<std::uint32_t>(out.patterns.size());
            for (const ReadBack::Pattern& pattern : operand.points->patterns) {
                bool is_seen = false, holds = true;
                for (std::uint32_t point = 0; point < points.size() && holds; ++point) {
                    if ((points[point].code & pattern.mask) != pattern.value) continue;
                    is_seen = true;
                    holds = is_held(operand, point);
                }
                if (is_seen && holds) out.patterns.push_back(pattern);
            }
            check.patterns = static_cast<std::uint32_t>(out.patterns.size() - check.codes);
            if (check.patterns == 0) return false;
        }
        out.checks.push_back(check);
        return true;
    }

    ReadBack proof() const {
        ReadBack out;
        ReadBack::FormProof made;
        made.is_proved = ReadBack::code;
        std::map<std::uint64_t, bool> tails;  // whether all hold that have that value
        for (const Operand& operand : operands_) {
            const std::vector<Point>& points = operand.points->list;
            bool is_all = true;
            for (std::uint32_t point = 0; point < points.size(); ++point) {
                const bool holds = is_held(operand, point);
                is_all = is_all && holds;
                if (points[point].tail_bits == 0) continue;
                is_all = false;
                if (made.tail_bits != 0 && made.tail_bits != points[point].tail_bits) return {};
                made.tail_bits = points[point].tail_bits;
                const auto [tail, is_new] = tails.try_emplace(points[point].tail, true);
                tail->second = tail->second && holds;
            }
            const Field& field = form_.fields[operand.field];
            if (is_all && operand.points->patterns.empty()) continue;
            if (field.place.width == 0) {  // it is its value behind the instruction
                made.is_proved = ReadBack::code_with_tail;
                continue;
            }
            codec::QuickPlace place;
            if (!place.set(field.place) || !add_check(operand, field, out)) return {};
        }
        // What is between two values that hold does, too.
        bool was_held = false;
        for (const auto& [tail, holds] : tails) {
            if (holds && !was_held) out.tails.push_back({tail, tail});
            if (holds) out.tails.back().last = tail;
            was_held = holds;
        }
        made.count = static_cast<std::uint16_t>(out.checks.size());
        made.tail_count = static_cast<std::uint16_t>(out.tails.size());
        out.forms.push_back(made);
        return out;
    }

    Prover& prover_;
    const Isa& isa_;
    const Codec::Tables& tables_;
    const Index index_;
    const Form& form_;
    const Known& known_;
    std::vector<Operand> operands_;
};

ReadBack Prover::prove(Index form) {
    const Known& known = know(form);
    return known.state == Known::State::usable ? FormProver(*this, form, known).run() : ReadBack{};
}

ReadBack prove(const std::shared_ptr<const Isa>& isa) {
    const Codec codec(isa);
    StatementReader reader(codec);
    Prover prover(codec, reader);
    ReadBack out;
    // Where they lie in the list, once for all that are equal.
    using Known = std::map<std::string, std::size_t>;  // by their bytes
    Known codes, patterns, tails;
    const auto add = [](auto added, auto& list, Known& known) {
        const std::string bytes(reinterpret_cast<const char*>(added.data()), added.size_bytes());
        const auto [place, is_new] = known.try_emplace(bytes, list.size());
        if (is_new) list.insert(list.end(), added.begin(), added.end());
        return static_cast<std::uint32_t>(place->second);
    };
    for (Index form = 0; form < isa->forms.size(); ++form) {
        const ReadBack proof = prover.prove(form);
        ReadBack::FormProof& made = out.forms.emplace_back();
        if (!proof.forms.empty()) made = proof.forms[0];
        made.first = static_cast<std::uint32_t>(out.checks.size());
        for (ReadBack::Check check : proof.checks) {
            const std::size_t size = std::size_t{1} << isa->forms[form].fields[check.field].place.width;
            check.codes =
                check.patterns != 0
                    ? add(std::span(proof.patterns).subspan(check.codes, check.patterns), out.patterns, patterns)
                    : add(std::span(proof.codes).subspan(check.codes, size), out.codes, codes);
            out.checks.push_back(check);
        }
        made.first_tail = add(std::span(proof.tails), out.tails, tails);
    }
    return out;
}

// --- forms ------------------------------------------------------------------------------------------------------------

const Prover::Known& Prover::know(Index form) {
    Known& known = known_[form];
    if (known.state == Known::State::unseen)
        known.state = look_at(form, known) ? Known::State::usable : Known::State::useless;
    return known;
}

bool Prover::look_at(Index index, Known& known) {
    const Form& form = codec_.isa().forms[index];
    std::vector<const Candidate*> candidates;
    Shape looks;
    codec_.tables_so_far().need_codes(index);
    if (!is_one_word(loose_bits(codec_.isa(), form).first) || !find_own(index, candidates) ||
        !add_parts(form, candidates.size() == 1 ? candidates[0] : nullptr, known, looks))
        return false;
    const auto [place, is_new] =
        shape_names_.try_emplace(name_of_shape(form, candidates), static_cast<std::uint32_t>(shapes_.size()));
    if (is_new) shapes_.push_back(std::move(looks));
    known.shape = place->second;
    return true;
}

// The texts that the reader tries for one of the form, in order, up to its own. False where it is none of them, or something
// other than texts counts.
bool Prover::find_own(Index form, std::vector<const Candidate*>& out) const {
    const Codec::Tables& tables = codec_.tables_so_far();
    if (mnemonics_[form] == nowhere) return false;
    const codec::Mnemonic& mnemonic = tables.mnemonics[mnemonics_[form]];
    if (&mnemonic == tables.nameless)
        return false;  // what begins with a mnemonic is tried before, and then all of these
    tables.need(mnemonic);
    const auto is_more = [](const ReadStep& step) { return step.kind == ReadStep::Kind::number || step.repeated; };
    for (std::uint32_t head = 0; head < tables.index->heads.size(); ++head) {
        for (const Candidate& candidate : mnemonic.candidates) {
            if (candidate.shape->head != head) continue;
            out.push_back(&candidate);
            if (std::ranges::any_of(candidate.shape->steps, is_more)) return false;
            if (candidate.printed && candidate.form == form) return true;
        }
    }
    return false;
}

// Each field that is free stands in the text once.
bool Prover::add_parts(const Form& form, const Candidate* only, Known& known, Shape& looks) {
    const bool in_order = only && reads_in_order(*only);
    std::vector<bool> seen(form.fields.size());
    const auto add = [&](std::size_t element, Index index) {
        const Field& field = form.fields[index];
        if (field.fixed) return true;
        if (seen[index] || field.type >= codec_.isa().operand_types.size()) return false;
        seen[index] = true;
        if (codec_.tables_so_far().operands[field.type].relative) {
            known.relative.push_back(index);
            return in_order && codec_.isa().operand_types[field.type].kind == OperandKind::number;
        }
        if (in_order && says_its_code(field.type)) return true;
        known.parts.push_back({&field.place, index});
        return add_looks(form, element, field, looks);
    };
    const TextTemplate& text = form.texts[0];
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i].kind == TextKind::field && !add(i, text[i].field)) return false;
        for (std::size_t k = 0; text[i].kind == TextKind::any && k < text[i].fields.size(); ++k) {
            if (!add(i, text[i].fields[k])) return false;
        }
    }
    for (std::size_t i = 0; i < form.fields.size(); ++i) {
        if (!form.fields[i].fixed && !seen[i]) return false;
    }
    return true;
}

// False where neither what its text is like nor the code itself can stand for the operand.
bool Prover::add_looks(const Form& form, std::size_t element, const Field& field, Shape& looks) {
    const Around around = this->around(form, element, field.type);
    if (!around.known || codec_.tables_so_far().index->heads.size() != 1) {
        looks.push_back(nullptr);
        return codec_.isa().operand_types[field.type].width <= widest_listed &&
               codec_.tables_so_far().operands[field.type].longest_tail == 0;
    }
    const bool hexadecimal = form.texts[0][element].radix == 16;
    std::string name{around.before};
    put(name, std::uint64_t{field.type} << 1 | hexadecimal);
    for (const std::string& one : around.behind) name += one + '\n';
    std::unique_ptr<Texts>& texts = texts_[name];
    if (!texts) texts = std::make_unique<Texts>(Texts{field.type, hexadecimal, around, {}});
    looks.push_back(looks_of(*texts, {}));
    return true;
}

Prover::Looks* Prover::looks_of(Texts& texts, const std::vector<std::uint32_t>& steps) {
    std::unique_ptr<Looks>& looks = looks_[{&texts, steps}];
    if (!looks)
        looks = std::make_unique<Looks>(
            Looks{&texts, steps, std::vector<std::uint8_t>(points_of(texts.type).list.size()), {}});
    return looks.get();
}

// What has looked at the operands of the instruction that was read counts from now on. Useless where what stands around them did
// not keep them apart.
Prover::Grown Prover::add_steps(Index form) {
    struct Place {
        const char* begin;
        const char* end;
        std::size_t part;
    };
    const std::span<const codec::Look> looks = reader_.looks();
    const Candidate* const own = looks.empty() ? nullptr : looks.back().candidate;
    const Known& known = known_[form];
    Shape& shape = shapes_[known.shape];
    std::vector<Place> places;
    for (const codec::Look& look : looks) {
        if (look.candidate != own || !(look.end > look.begin) || is_any(look) ||
            look.step->kind == ReadStep::Kind::literal)
            continue;
        const auto part = std::ranges::find(known.parts, field_of(look), &Part::field);
        const auto number = static_cast<std::size_t>(part - known.parts.begin());
        if (part != known.parts.end() && shape[number]) places.push_back({look.begin, look.end, number});
    }
    Grown grown = Grown::no;
    for (const codec::Look& look : looks) {
        const auto place = std::ranges::find_if(places, [&](const Place& one) { return one.end > look.begin; });
        if (place == places.end() || is_any(look)) continue;
        if (look.begin < place->begin) {
            if (looks_into(look, place->begin)) return Grown::useless;
            continue;
        }
        Looks*& counted = shape[place->part];
        const std::uint32_t step = step_of(look, static_cast<std::size_t>(look.begin - place->begin));
        if (std::ranges::binary_search(counted->steps, step)) continue;
        std::vector<std::uint32_t> steps = counted->steps;
        steps.insert(std::ranges::upper_bound(steps, step), step);
        counted = looks_of(*counted->texts, steps);
        grown = Grown::yes;
    }
    return grown;
}

// All that the reader goes by but for the texts of the operands.
std::string Prover::name_of_shape(const Form& form, const std::vector<const Candidate*>& candidates) const {
    std::string name;
    const TextTemplate& text = form.texts[0];
    for (std::size_t i = 0; i < text.size(); ++i) {
        const TextElement& element = text[i];
        const bool alone = i + 1 == text.size() || text[i + 1].kind == TextKind::space;
        put(name, static_cast<std::uint64_t>(element.kind) << 8 | element.radix);
        if (element.kind == TextKind::name && !(i == 0 && alone))
            name += codec_.isa().instructions[form.instruction].names[0] + '\n';
        name += element.text + '\n';
        const auto add_field = [&](Index index) {
            const Field& field = form.fields[index];
            put(name, std::uint64_t{field.type} << 1 | field.fixed);
            if (field.fixed) put(name, form.fixed_value(field));
        };
        if (element.kind == TextKind::field) add_field(element.field);
        std::ranges::for_each(element.fields, add_field);
    }
    for (const Candidate* const candidate : candidates) {
        const bool own = &codec_.isa().forms[candidate->form] == &form;
        put(name, std::uint64_t{candidate->shape->head} << 8 | candidate->shape->spaced << 1 | own);
        for (const ReadStep& step : candidate->shape->steps) {
            if (step.kind != ReadStep::Kind::any) {
                add_step(name, *candidate, step, no_index);
                continue;
            }
            name += '[' + step.element->text + '\n';
            for (Index i = 0; i < step.element->fields.size(); ++i) add_step(name, *candidate, step, i);
            name += ']';
        }
    }
    return name;
}

// What stands around the texts of an operand.
Prover::Around Prover::around(const Form& form, std::size_t at, Index type) const {
    const Codec::Tables& tables = codec_.tables_so_far();
    const TextTemplate& text = form.texts[0];
    const auto is_bare = [](const TextElement& any) { return any.text.find_first_not_of(' ') == std::string::npos; };
    Around out;
    out.known = false;
    if (begins_of(type) == 0) {
        if (at == 0 || (text[at - 1].kind != TextKind::literal && text[at - 1].kind != TextKind::space)) return out;
        if (text[at - 1].kind == TextKind::literal) out.before = text[at - 1].text.back();
        // A dot may belong to the mnemonic.
        if (at > 1 && text[at - 2].kind == TextKind::name && out.before != ' ' && tables.index->has_dots) return out;
    }
    unsigned behind = 0;
    bool ends = false;
    const auto add = [&](Index field) {
        const unsigned begins = begins_of(form.fields[field].type);
        behind |= begins;
        ends = (begins & no_text) == 0;
        return begins != 0;
    };
    if (text[at].kind == TextKind::any && (!is_bare(text[at]) || !std::ranges::all_of(text[at].fields, add)))
        return out;
    for (std::size_t i = at + 1; i < text.size() && !ends; ++i) {
        if (text[i].kind == TextKind::field) {
            if (!add(text[i].field)) return out;
        } else if (text[i].kind == TextKind::any) {
            if (!is_bare(text[i]) || !std::ranges::all_of(text[i].fields, add)) return out;
        } else {
            const unsigned begins = begins_of(std::span(text).subspan(i));
            if (begins == 0) return out;
            behind |= begins;
            ends = true;
        }
    }
    if ((behind & blank_and_letter) != 0) out.behind.emplace_back(" a");
    if ((behind & comma) != 0) out.behind.emplace_back(",");
    if (!ends) out.behind.emplace_back();
    out.known = true;
    return out;
}

// With what a text begins: a word behind a blank, or a comma. 0 where with something else.
unsigned Prover::begins_of(std::span<const TextElement> text) {
    if (text.empty()) return no_text;
    if (text[0].kind == TextKind::literal && text[0].text[0] == ',') return comma;
    return text.size() > 1 && text[0].kind == TextKind::space && text[1].kind == TextKind::literal &&
                   is_small_letter(text[1].text[0])
               ? blank_and_letter
               : 0;
}

// The same for all texts of an operand: several of these, or 0.
unsigned Prover::begins_of(Index index) const {
    if (index >= codec_.isa().operand_types.size()) return 0;
    const OperandType& type = codec_.isa().operand_types[index];
    unsigned out = type.kind == OperandKind::table ? no_text : 0;
    for (const OperandRow& row : type.rows) {
        if (row.alias || row.reserved) continue;
        const unsigned one = row.texts.empty() ? no_text : begins_of(row.texts[0]);
        if (one == 0) return 0;
        out |= one;
    }
    return out;
}

// Whether nothing but the operand itself is where its text is read.
bool Prover::reads_in_order(const Candidate& own) const {
    const std::vector<Field>& fields = codec_.isa().forms[own.form].fields;
    return std::ranges::all_of(own.shape->steps, [&](const ReadStep& step) {
        return step.kind == ReadStep::Kind::literal ||
               (step.kind == ReadStep::Kind::field &&
                !codec_.tables_so_far().operands[fields[step.field].type].nullable);
    });
}

// A number that is printed as what it is, and has all of its field's codes.
bool Prover::says_its_code(Index index) const {
    if (index >= codec_.isa().operand_types.size()) return false;
    const OperandType& type = codec_.isa().operand_types[index];
    const NumberRule& rule = type.number;
    if (type.kind != OperandKind::number || rule.minimum || rule.maximum) return false;
    const bool whole = rule.base != NumberBase::floating && rule.scale == 1 && rule.bias == 0;
    return rule.plain ? *rule.plain != NumberBase::floating : whole;
}

// --- operands ---------------------------------------------------------------------------------------------------------

// Numbers at which what is written means something else: the ends of what numbers and rows hold, and constants. Between them
// numbers may mean something by turns, where they are counted in steps.
void Prover::find_bounds() {
    std::set<std::uint64_t> values{0};
    const auto add = [&](std::int64_t value) { values.insert(static_cast<std::uint64_t>(value)); };
    std::set<std::pair<std::int64_t, std::int64_t>> scales;
    for (const OperandType& type : codec_.isa().operand_types) {
        const NumberRule& rule = type.number;
        if (type.kind == OperandKind::number) {
            for (const unsigned width : {unsigned{type.width}, rule.value_bits}) {
                if (width == 0 || width > 63) continue;
                const auto highest = static_cast<std::int64_t>(low_bits(width - 1));
                for (const std::int64_t value : {2 * highest + 1, highest, -highest - 1})
                    add(value * rule.scale + rule.bias);
            }
            if (rule.minimum) add(*rule.minimum);
            if (rule.maximum) add(*rule.maximum);
            const unsigned low = std::max<unsigned>(rule.sliced ? rule.slice_low : 0, std::bit_width(rule.carries));
            scales.emplace(rule.scale << std::min(low, 62u), rule.bias);
        }
        for (const OperandRow& row : type.rows) {
            for (const TextTemplate& text : row.texts) {
                for (const TextElement& element : text) {
                    if (element.kind == TextKind::constant) values.insert(element.pattern);
                    if (element.kind == TextKind::constant) {
                        for (const unsigned width : {16u, 32u, 64u})
                            values.insert(codec::float_bits(element.constant, width));
                    }
                    if (element.kind != TextKind::number && element.kind != TextKind::field) continue;
                    scales.emplace(element.scale, element.bias);
                    for (const Constraint& one : row.constraints) {
                        scales.emplace(static_cast<std::int64_t>(one.step) * element.scale, 0);
                        add(static_cast<std::int64_t>(one.low) * element.scale + element.bias);
                        add(static_cast<std::int64_t>(one.high) * element.scale + element.bias);
                    }
                }
            }
        }
    }
    std::set<std::uint64_t> out;
    for (const auto& [scale, bias] : scales) {
        const auto step = static_cast<std::uint64_t>(scale < 0 ? -scale : std::max<std::int64_t>(scale, 1));
        number_steps_.push_back(step);
        out.insert(step);
        for (const std::uint64_t value : values) {
            out.insert(value);
            // As a code, too.
            const auto counted = static_cast<std::int64_t>(value) - bias;
            out.insert(static_cast<std::uint64_t>(counted / static_cast<std::int64_t>(step)));
        }
    }
    bounds_.assign(out.begin(), out.end());
}

// Numbers of so many bits: some before and behind each bound, and some between them, as many as there are steps. What is between
// two of them means what one of them means. None where that would be too many.
std::vector<std::uint64_t> Prover::samples(unsigned width) const {
    constexpr std::uint64_t widest_step = 64;
    const std::uint64_t highest = low_bits(width);
    std::uint64_t step = 1;
    for (const std::uint64_t one : number_steps_) step = one <= highest ? std::max(step, one) : step;
    if (step > widest_step) return {};
    std::set<std::uint64_t> out{0, highest};
    for (const std::uint64_t bound : bounds_) {
        for (std::uint64_t i = 0; i <= 2 * step; ++i) out.insert((bound + i - step) & highest);
    }
    std::vector<std::uint64_t> list(out.begin(), out.end());
    const std::size_t count = list.size();
    for (std::size_t i = 0; i + 1 < count; ++i) {
        const std::uint64_t between = (list[i + 1] - list[i]) / 2;
        for (std::uint64_t k = 0; k < step && between > step; ++k) list.push_back(list[i] + between + k);
    }
    std::ranges::sort(list);
    list.erase(std::unique(list.begin(), list.end()), list.end());
    return list;
}

const Prover::Points& Prover::points_of(Index type) {
    Points& points = points_[type];
    if (!std::exchange(points.is_made, true)) points.is_usable = make_points(type, points);
    return points;
}

bool Prover::make_points(Index index, Points& out) {
    const Isa& isa = codec_.isa();
    const Codec::Tables& tables = codec_.tables_so_far();
    const unsigned width = isa.operand_types[index].width;
    tables.need_operand(index);
    out.are_all = width <= widest_listed;
    std::vector<std::uint64_t> codes;
    if (!out.are_all) codes = samples_of(index, out.patterns);
    for (std::uint64_t code = 0; out.are_all && code < std::uint64_t{1} << width; ++code) codes.push_back(code);
    for (const std::uint64_t code : codes) {
        if (!codec::code_is_valid(isa, tables, index, code)) continue;
        const codec::OneTail tail = codec::one_tail(isa, tables, index, code);
        if (tail.bits == 0) out.list.push_back({.code = code});
        if (tail.bits == 0 || tail.bits > 64) continue;
        for (const std::uint64_t value : samples(tail.bits))
            out.list.push_back({code, value, static_cast<std::uint16_t>(tail.bits)});
    }
    return !out.list.empty();
}

// Of an operand with many codes: of a number, or of each row of a table what its fields have, bits that are ignored being as they
// are written. None where that would be too many.
std::vector<std::uint64_t> Prover::samples_of(Index index, std::vector<ReadBack::Pattern>& patterns) const {
    const OperandType& type = codec_.isa().operand_types[index];
    if (type.kind == OperandKind::number) {
        patterns = {{}};
        return samples_of_number(type);
    }
    if (type.kind != OperandKind::table || type.width > 63) return {};
    std::set<std::uint64_t> out;
    for (const OperandRow& row : type.rows) {
        if (row.alias || row.reserved) continue;
        std::uint64_t open = 0;
        std::vector<std::uint64_t> codes{row.written};
        for (const Field& field : row.fields) {
            if (field.in_tail || field.type >= codec_.isa().operand_types.size()) return {};
            open = field.place.insert(open, ~std::uint64_t{0});
            std::vector<std::uint64_t> inner;
            if (field.place.width > widest_listed) inner = samples_of_number(codec_.isa().operand_types[field.type]);
            for (std::uint64_t code = 0; field.place.width <= widest_listed && code <= low_bits(field.place.width);
                 ++code)
                inner.push_back(code);
            if (inner.empty() || inner.size() * codes.size() > most_codes) return {};
            std::vector<std::uint64_t> all;
            for (const std::uint64_t code : codes) {
                for (const std::uint64_t one : inner) all.push_back(field.place.insert(code, one));
            }
            codes = std::move(all);
        }
        const std::uint64_t mask = low_bits(type.width) & ~open;
        patterns.push_back({mask, row.written & mask});
        out.insert(codes.begin(), codes.end());
        if (out.size() > most_codes) return {};
    }
    return {out.begin(), out.end()};
}

std::vector<std::uint64_t> Prover::samples_of_number(const OperandType& type) const {
    const NumberRule& rule = type.number;
    const bool is_integer = type.kind == OperandKind::number && rule.base != NumberBase::floating &&
                            rule.format != NumberFormat::floating && type.width <= 63;
    return is_integer ? samples(type.width) : std::vector<std::uint64_t>();
}

// Steps that look alike at the same place of an operand's text are one.
std::uint32_t Prover::step_of(const codec::Look& look, std::size_t offset) {
    std::string name;
    put(name, offset);
    add_step(name, *look.candidate, *look.step, look.member);
    const auto [known, is_new] = step_names_.try_emplace(name, static_cast<std::uint32_t>(steps_.size()));
    if (is_new) steps_.push_back({look.step, look.candidate->form, look.member, offset});
    return known->second;
}

// All that counts when a step looks at a text.
void Prover::add_step(std::string& name, const Candidate& candidate, const ReadStep& step, Index member) const {
    if (step.kind == ReadStep::Kind::literal) {
        name += step.glued ? '+' : ' ';
        name += step.text;
        name += '\n';
        return;
    }
    const Form& form = codec_.isa().forms[candidate.form];
    const Field& field = form.fields[member == no_index ? step.field : step.element->fields[member]];
    const unsigned kind = field.fixed | (member != no_index) << 1 | step.glued << 2;
    put(name, std::uint64_t{field.type} << 32 | static_cast<unsigned char>(step.stop) << 8 | kind);
    if (field.fixed) put(name, form.fixed_value(field));
}

std::uint8_t Prover::kind_of(Looks& looks, std::uint32_t point) {
    std::uint8_t& kind = looks.kinds[point];
    if (kind == 0) kind = find_kind(looks, point);
    return kind;
}

std::uint8_t Prover::find_kind(Looks& looks, std::uint32_t number) {
    Texts& texts = *looks.texts;
    const Point& point = points_of(texts.type).list[number];
    char buffer[Codec::max_text];
    constexpr unsigned tail_at = 64;
    Image image;
    if (point.tail_bits != 0) image.set(tail_at, point.tail_bits, point.tail);
    const codec::PrintContext context{codec_.isa(), codec_.tables_so_far(), image, tail_at, 0,
                                      nullptr,      buffer + sizeof buffer};
    const char* const end = codec::print_operand(buffer, context, texts.type, point.code, texts.hexadecimal);
    const char* const begin = std::find_if(static_cast<const char*>(buffer), end, [](char c) { return c != ' '; });
    const std::string text(begin, end);
    if (text.empty() && point.code != codec_.tables_so_far().operands[texts.type].left_out) return own_kind;
    std::string seen(text.empty() ? "" : "+");
    for (std::size_t i = 0; i < looks.steps.size() && !text.empty(); ++i) {
        const std::uint16_t one = glance(texts, looks.steps[i], number, text);
        if (one == beyond) return own_kind;
        seen += static_cast<char>(one & 255);
        if (one > 255) seen += static_cast<char>(one >> 8);
    }
    const auto next = static_cast<std::uint8_t>(looks.known.size() + 1);
    if (next < own_kind) return looks.known.try_emplace(seen, next).first->second;
    const auto found = looks.known.find(seen);
    return found != looks.known.end() ? found->second : own_kind;
}

// What the step makes of the text, whatever of what may stand behind it does.
std::uint16_t Prover::glance(Texts& texts, std::uint32_t index, std::uint32_t number, const std::string& text) {
    const Step& step = steps_[index];
    const std::vector<Point>& points = points_of(texts.type).list;
    std::vector<std::uint16_t>& list = texts.seen[index];
    if (list.empty()) {
        if (!take(points.size() * sizeof list[0])) return beyond;
        list.resize(points.size());
    }
    std::uint16_t& seen = list[number];
    if (seen != unseen) return seen;
    if (step.offset >= text.size()) return seen = ' ';
    for (const std::string& behind : texts.around.behind) {
        const std::uint16_t one = glance(texts, step, points[number], text, behind);
        seen = seen == unseen || seen == one ? one : beyond;
    }
    return seen;
}

std::uint16_t Prover::glance(const Texts& texts, const Step& step, const Point& point, const std::string& text,
                             const std::string& behind) {
    const std::string whole = texts.around.before + text + behind;
    const Form& form = codec_.isa().forms[step.form];
    return name_of(reader_.glance(*step.step, form, step.member, whole, 1 + step.offset, 1 + text.size(), texts.type,
                                  point.code, point.tail));
}

}  // namespace isaforge::disassembler
