#include "disassembler/verify.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <unordered_map>

#include "assembler/no_sections.hpp"
#include "codec/reader.hpp"

namespace isaforge::disassembler {

using codec::Candidate;
using codec::Glance;
using codec::OperandTable;
using codec::ReadStep;

namespace {

constexpr std::uint32_t nowhere = ~std::uint32_t{0};
constexpr unsigned widest_listed = 16;          // operands up to this width have a list of kinds by code
constexpr std::size_t kept_bytes = 32;          // of what is kept in a table, about
constexpr unsigned widest_own = 16;             // of an operand whose code counts
constexpr unsigned key_bits = 63;
constexpr unsigned most_parts = 32;

// A number in a name that nobody reads.
void put(std::string& name, std::uint64_t number) {
    char bytes[sizeof number];
    std::memcpy(bytes, &number, sizeof number);
    name.append(bytes, sizeof bytes);
}

// The bits of the form's instructions that are ignored, and what the assembler writes there.
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

}  // namespace

struct Verifier::Reading {
    assembler::SymbolTable symbols;
    assembler::NoSections sections;
    assembler::Expressions expressions{symbols, sections};
    Encoded encoded;
    ReadFailure failure;
    std::vector<codec::Look> looks;
    bool ruled_out = false;  // a text before was read whole, but broke a rule

    void begin() {
        expressions.clear_operands();
        expressions.forget_nodes(0);
    }
};

struct Verifier::Step {
    const ReadStep* step;
    Index form;
    Index member;         // of an `any`: its number among the fields there; no_index otherwise
    std::size_t offset;   // from the begin of the operand's text
};

struct Verifier::Texts {
    Index type;
    bool hexadecimal;
    Around around;
    std::map<std::uint32_t, std::vector<std::uint16_t>> seen;  // by step, then by code of a narrow operand
};

struct Verifier::Looks {
    Texts* texts;
    std::vector<std::uint32_t> steps;
    std::uint32_t kinds;                                    // in kinds_; 0: none
    std::unordered_map<std::uint64_t, std::uint8_t> others;  // of a wide operand
    std::map<std::string, std::uint8_t> known;              // by what all steps make of a text
};

Verifier::~Verifier() = default;

Verifier::Verifier(const Codec& codec, bool registers_are_symbols)
    : codec_(codec), reading_(std::make_unique<Reading>()), proved_(codec.isa().forms.size()) {
    reading_->expressions.stable_text = false;
    reading_->expressions.syntax.use(codec.isa().surface);
    if (!registers_are_symbols) reading_->expressions.registers = &codec;
    asks_for_proofs_ = !registers_are_symbols && !codec.tables_so_far().relaxes;
}

void Verifier::find_proofs() {
    asks_for_proofs_ = false;
    if (codec_.isa().read_back.empty()) return;
    const ReadBack& proved = codec_.isa().read_back[0];
    if (proved.forms.size() != proved_.size()) return;
    read_back_ = &proved;
    checks_.reserve(proved.checks.size());
}

// What was proved of the form; a damaged file's is not believed.
void Verifier::take_proof(Index index) {
    Proved& proved = proved_[index];
    if (proved.is_known) return;
    proved.is_known = true;
    if (asks_for_proofs_) find_proofs();
    if (!read_back_ || read_back_->forms[index].is_proved == 0) return;
    const ReadBack::FormProof& proof = read_back_->forms[index];
    const Form& form = codec_.isa().forms[index];
    const std::size_t first = checks_.size();
    bool good = proof.first <= read_back_->checks.size() && proof.count <= read_back_->checks.size() - proof.first &&
                proof.count <= checks_.capacity() - first;
    for (std::uint32_t i = 0; good && i < proof.count; ++i) {
        const ReadBack::Check& check = read_back_->checks[proof.first + i];
        codec::Check& made = checks_.emplace_back();
        good = check.field < form.fields.size() && made.place.set(form.fields[check.field].place);
        if (!good) break;
        const unsigned width = form.fields[check.field].place.width;
        good = width <= widest_listed && check.codes + (std::size_t{1} << width) <= read_back_->codes.size();
        made.codes = reinterpret_cast<const std::uint8_t*>(read_back_->codes.data()) + check.codes;
    }
    const auto [loose, tight] = loose_bits(codec_.isa(), form);
    if (!good || !is_one_word(loose)) return checks_.resize(first);
    proved.checks = checks_.data() + first;
    proved.count = proof.count;
    proved.loose = loose.words[0];
    proved.tight = tight.words[0];
}

void Verifier::begin_learning() {
    if (!known_.empty()) return;
    known_.resize(proved_.size());
    known_too_.resize(proved_.size());
    const Codec::Tables& tables = codec_.tables_so_far();
    for (KnownToo& too : known_too_) too.mnemonic = nowhere;
    for (std::uint32_t m = 0; m < tables.mnemonics.size(); ++m) {
        const codec::Mnemonic& mnemonic = tables.mnemonics[m];
        for (std::uint32_t i = mnemonic.first; i < mnemonic.first + mnemonic.count; ++i) {
            const codec::Reading& reading = tables.index->readings[i];
            if (reading.printed && known_too_[reading.form].mnemonic == nowhere) known_too_[reading.form].mnemonic = m;
        }
    }
}

bool Verifier::is_like_one_before(Index form, const Image& image) {
    if (!proved_[form].is_known) {
        take_proof(form);
        if (proved_[form].holds(image.words[0])) return true;
    }
    begin_learning();
    const std::uint64_t key = key_of(form, image);
    return key != 0 && proofs_.holds(known_[form].group, key);
}

// --- reading ----------------------------------------------------------------------------------------------------------

bool Verifier::reads(const char* text, const char* end, std::uint64_t address) {
    Reading& reading = *reading_;
    reading.begin();
    const char* p = text;
    codec::Reader reader(codec_.isa(), codec_.tables_so_far(), reading.expressions, p, end, address, false);
    reading.looks.clear();
    reader.tell(reading.looks);
    const bool good = reader.statement(p, 0, reading.encoded);
    reading.ruled_out = reader.ruled_out();
    if (!good) codec_.assemble(p, end, address, reading.expressions, reading.encoded, reading.failure);
    return good && p == end && reading.encoded.deferred_count == 0;
}

unsigned Verifier::bits() const { return reading_->encoded.bits; }
const ReadFailure& Verifier::failure() const { return reading_->failure; }

bool Verifier::reads_back(const Image& image, unsigned bits, const char* text, const char* end, std::uint64_t address) {
    const Encoded& encoded = reading_->encoded;
    if (!reads(text, end, address) || encoded.bits != bits) return false;
    for (unsigned at = 0; at < bits; at += 64) {
        const unsigned width = bits - at < 64 ? bits - at : 64;
        if (encoded.image.get(at, width) != image.get(at, width)) return false;
    }
    return true;
}

bool Verifier::is_ruled_out() const { return reading_->ruled_out; }

void Verifier::learn(Index form, const Image& image) {
    begin_learning();
    std::uint64_t key = key_of(form, image);
    const std::uint32_t group = known_[form].group;
    if (is_ruled_out() || key == 0 || !add_steps(form)) return;
    if (known_[form].group != group) key = key_of(form, image);  // more counts now
    if (key != 0 && take(kept_bytes)) proofs_.add(known_[form].group, key);
}

namespace {

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

// What has looked at the operands of the instruction that was read counts from now on. False where what stands around them did
// not keep them apart.
bool Verifier::add_steps(Index form) {
    struct Place {
        const char* begin;
        const char* end;
        unsigned part;
    };
    const std::vector<codec::Look>& looks = reading_->looks;
    const Candidate* const own = looks.empty() ? nullptr : looks.back().candidate;
    const Known& known = known_[form];
    Shape& shape = shapes_[known_too_[form].shape];
    std::array<Place, most_parts> places;
    std::size_t count = 0;
    for (const codec::Look& look : looks) {
        if (look.candidate != own || !(look.end > look.begin) || is_any(look) ||
            look.step->kind == ReadStep::Kind::literal)
            continue;
        const PartField* const parts = part_fields_.data() + known.first_part;
        const auto number =
            static_cast<unsigned>(std::find_if(parts, parts + known.parts,
                                               [&](const PartField& one) { return one.index == field_of(look); }) -
                                  parts);
        if (number < known.parts && count < places.size() && shape.looks[number])
            places[count++] = {look.begin, look.end, number};
    }
    bool more = false;
    for (const codec::Look& look : looks) {
        std::size_t at = 0;
        while (at < count && places[at].end <= look.begin) ++at;
        if (at == count || is_any(look)) continue;
        const Place& place = places[at];
        if (look.begin < place.begin) {
            if (looks_into(look, place.begin)) return false;
            continue;
        }
        Looks*& counted = shape.looks[place.part];
        const std::uint32_t step = step_of(look, static_cast<std::size_t>(look.begin - place.begin));
        if (std::ranges::binary_search(counted->steps, step)) continue;
        std::vector<std::uint32_t> steps = counted->steps;
        steps.insert(std::ranges::upper_bound(steps, step), step);
        counted = looks_of(*counted->texts, steps);
        for (const Index one : shape.forms) parts_[known_[one].first_part + place.part].use(counted);
        more = true;
    }
    if (!more) return true;
    ++groups_;  // those that were alike may not be so any more
    for (const Index one : shape.forms) known_[one].group = groups_;
    return true;
}

void Verifier::Proofs::add(std::uint32_t group, std::uint64_t key) {
    if (holds(group, key)) return;
    if (2 * ++used_ > list_.size()) {
        std::vector<Proof> old(4 * list_.size());
        old.swap(list_);
        for (const Proof& one : old) {
            if (one.key != 0) put(one);
        }
    }
    put({key, group});
}

void Verifier::Proofs::put(const Proof& proof) {
    std::size_t at = slot_of(proof.group, proof.key);
    while (list_[at].key != 0) at = (at + 1) & (list_.size() - 1);
    list_[at] = proof;
}

// --- forms ------------------------------------------------------------------------------------------------------------

const Verifier::Known& Verifier::know(Index form) {
    Known& known = known_[form];
    if (known.state == Known::State::unseen)
        known.state = look_at(form, known, known_too_[form]) ? Known::State::usable : Known::State::useless;
    return known;
}

// Whether the form's instructions can be told by keys, this one among them: what is ignored is as the assembler writes it.
bool Verifier::is_usable(Index form, const Image& image) {
    const Known& known = know(form);
    const More* const more = known_too_[form].more.get();
    return known.state == Known::State::usable &&
           (more ? (image & more->loose) == more->tight : (image.words[0] & known.loose) == known.tight);
}

// An operand of which there are many codes, or whose kind is not known yet. False where it is like no other.
bool Verifier::add_unusual(Index form, unsigned number, const Image& image, std::uint64_t& key) {
    const Known& known = known_[form];
    const Part& part = parts_[known.first_part + number];
    std::uint64_t kind = part_fields_[known.first_part + number].place->extract(image);
    if (!part.by_code) kind = kind_of(*shapes_[known_too_[form].shape].looks[number], kind);
    key = key << part.bits | kind;
    return part.by_code || kind != own_kind;
}

bool Verifier::look_at(Index index, Known& known, KnownToo& too) {
    const Form& form = codec_.isa().forms[index];
    std::vector<const Candidate*> candidates;
    std::vector<Looks*> looks;
    codec_.tables_so_far().need_codes(index);
    if (!find_own(index, candidates) ||
        !add_parts(form, candidates.size() == 1 ? candidates[0] : nullptr, known, looks))
        return false;
    add_loose(form, known, too);
    const auto [place, is_new] =
        shape_names_.try_emplace(name_of_shape(form, candidates), static_cast<std::uint32_t>(shapes_.size()));
    if (is_new) shapes_.emplace_back().looks = std::move(looks);
    Shape& shape = shapes_[place->second];
    too.shape = place->second;
    known.group = is_new ? ++groups_ : known_[shape.forms[0]].group;
    shape.forms.push_back(index);
    for (unsigned i = 0; i < known.parts; ++i) parts_[known.first_part + i].use(shape.looks[i]);
    return true;
}

// The texts that the reader tries for one of the form, in order, up to its own. False where it is none of them, or something
// other than texts counts.
bool Verifier::find_own(Index form, std::vector<const Candidate*>& out) const {
    const Codec::Tables& tables = codec_.tables_so_far();
    if (known_too_[form].mnemonic == nowhere) return false;
    const codec::Mnemonic& mnemonic = tables.mnemonics[known_too_[form].mnemonic];
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
bool Verifier::add_parts(const Form& form, const Candidate* only, Known& known, std::vector<Looks*>& looks) {
    const bool in_order = only && reads_in_order(*only);
    const std::size_t first = parts_.size();
    std::vector<bool> seen(form.fields.size());
    unsigned bits = 0;
    const auto add = [&](std::size_t element, Index index) {
        const Field& field = form.fields[index];
        if (field.fixed) return true;
        if (seen[index]) return false;
        seen[index] = true;
        if (in_order && says_its_code(field.type)) return true;
        Part part{0, {}, false, false, kind_bits};
        part.is_quick = part.quick.set(field.place);
        if (!add_looks(form, element, field, part, looks)) return false;
        bits += part.bits;
        parts_.push_back(part);
        part_fields_.push_back({&field.place, index});
        return bits <= key_bits && parts_.size() - first <= most_parts;
    };
    bool good = true;
    const TextTemplate& text = form.texts[0];
    for (std::size_t i = 0; i < text.size() && good; ++i) {
        if (text[i].kind == TextKind::field) good = add(i, text[i].field);
        for (std::size_t k = 0; text[i].kind == TextKind::any && k < text[i].fields.size() && good; ++k)
            good = add(i, text[i].fields[k]);
    }
    for (std::size_t i = 0; i < form.fields.size(); ++i) good = good && (form.fields[i].fixed || seen[i]);
    if (!good) parts_.resize(first), part_fields_.resize(first);
    known.first_part = static_cast<std::uint32_t>(first);
    known.parts = static_cast<std::uint8_t>(parts_.size() - first);
    return good;
}

// False where neither what its text is like nor the code itself can stand for the operand.
bool Verifier::add_looks(const Form& form, std::size_t element, const Field& field, Part& part,
                         std::vector<Looks*>& looks) {
    const Codec::Tables& tables = codec_.tables_so_far();
    if (field.type >= codec_.isa().operand_types.size()) return false;
    const OperandTable& table = tables.operands[field.type];
    const unsigned width = codec_.isa().operand_types[field.type].width;
    if (table.relative) return false;
    const Around around = this->around(form, element, field.type);
    if (!around.known || tables.index->heads.size() != 1) {
        part.bits = static_cast<std::uint8_t>(width);
        part.by_code = true;
        looks.push_back(nullptr);
        return width <= widest_own && table.longest_tail == 0;
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

Verifier::Looks* Verifier::looks_of(Texts& texts, const std::vector<std::uint32_t>& steps) {
    std::unique_ptr<Looks>& looks = looks_[{&texts, steps}];
    const unsigned width = codec_.isa().operand_types[texts.type].width;
    if (!looks) {
        looks = std::make_unique<Looks>(Looks{&texts, steps, 0, {}, {}});
        if (width <= widest_listed && take(std::size_t{1} << width)) {
            looks->kinds = static_cast<std::uint32_t>(kinds_.size());
            kinds_.resize(kinds_.size() + (std::size_t{1} << width));
        }
    }
    return looks.get();
}

std::uint32_t Verifier::kinds_of(const Looks* looks) { return looks ? looks->kinds : 0; }

void Verifier::add_loose(const Form& form, Known& known, KnownToo& too) const {
    const auto [loose, tight] = loose_bits(codec_.isa(), form);
    if (is_one_word(loose)) {
        known.loose = loose.words[0];
        known.tight = tight.words[0];
    } else {
        too.more = std::make_unique<More>(More{loose, tight});
    }
}

// All that the reader goes by but for the texts of the operands.
std::string Verifier::name_of_shape(const Form& form, const std::vector<const Candidate*>& candidates) {
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
Verifier::Around Verifier::around(const Form& form, std::size_t at, Index type) const {
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
unsigned Verifier::begins_of(std::span<const TextElement> text) {
    if (text.empty()) return no_text;
    if (text[0].kind == TextKind::literal && text[0].text[0] == ',') return comma;
    return text.size() > 1 && text[0].kind == TextKind::space && text[1].kind == TextKind::literal &&
                   is_small_letter(text[1].text[0])
               ? blank_and_letter
               : 0;
}

// The same for all texts of an operand: several of these, or 0.
unsigned Verifier::begins_of(Index index) const {
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
bool Verifier::reads_in_order(const Candidate& own) const {
    const std::vector<Field>& fields = codec_.isa().forms[own.form].fields;
    return std::ranges::all_of(own.shape->steps, [&](const ReadStep& step) {
        return step.kind == ReadStep::Kind::literal ||
               (step.kind == ReadStep::Kind::field &&
                !codec_.tables_so_far().operands[fields[step.field].type].nullable);
    });
}

// A number that is printed as what it is, and has all of its field's codes.
bool Verifier::says_its_code(Index index) const {
    if (index >= codec_.isa().operand_types.size()) return false;
    const OperandType& type = codec_.isa().operand_types[index];
    const NumberRule& rule = type.number;
    if (type.kind != OperandKind::number || rule.minimum || rule.maximum) return false;
    const bool whole = rule.base != NumberBase::floating && rule.scale == 1 && rule.bias == 0;
    return rule.plain ? *rule.plain != NumberBase::floating : whole;
}

// --- operands ---------------------------------------------------------------------------------------------------------

// Whether a word behind the instruction belongs to the code.
bool Verifier::has_tail(Index type, std::uint64_t code) const {
    if (codec_.tables_so_far().operands[type].longest_tail == 0) return false;
    const Index row = codec_.row_of(type, code);
    if (row == no_index) return false;
    const std::vector<Field>& fields = codec_.isa().operand_types[type].rows[row].fields;
    return std::ranges::any_of(
        fields, [&](const Field& field) { return field.in_tail || has_tail(field.type, field.place.extract(code)); });
}

// Steps that look alike at the same place of an operand's text are one.
std::uint32_t Verifier::step_of(const codec::Look& look, std::size_t offset) {
    const ReadStep& step = *look.step;
    const std::size_t number = step.number + (look.member == no_index ? 0 : look.member);
    if (offset == 0 && number < step_numbers_.size() && step_numbers_[number] != nowhere) return step_numbers_[number];
    std::string name;
    put(name, offset);
    add_step(name, *look.candidate, step, look.member);
    const auto [known, is_new] = step_names_.try_emplace(name, static_cast<std::uint32_t>(steps_.size()));
    if (is_new) steps_.push_back({&step, look.candidate->form, look.member, offset});
    if (offset != 0) return known->second;
    if (step_numbers_.size() <= number) step_numbers_.resize(number + 1, nowhere);
    return step_numbers_[number] = known->second;
}

// All that counts when a step looks at a text.
void Verifier::add_step(std::string& name, const Candidate& candidate, const ReadStep& step, Index member) const {
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

std::uint8_t Verifier::kind_of(Looks& looks, std::uint64_t code) {
    if (looks.kinds != 0) {
        if (const std::uint8_t known = kinds_[looks.kinds + code]) return known;
        const std::uint8_t kind = find_kind(looks, code);
        return kinds_[looks.kinds + code] = kind;
    }
    const auto found = looks.others.find(code);
    if (found != looks.others.end()) return found->second;
    const std::uint8_t kind = find_kind(looks, code);
    if (take(kept_bytes)) looks.others.emplace(code, kind);
    return kind;
}

std::uint8_t Verifier::find_kind(Looks& looks, std::uint64_t code) {
    Texts& texts = *looks.texts;
    if (has_tail(texts.type, code)) return own_kind;
    char buffer[Codec::max_text];
    const Image nothing;
    const codec::PrintContext context{codec_.isa(), codec_.tables_so_far(), nothing, 0, 0,
                                      nullptr,      buffer + sizeof buffer};
    const char* const end = codec::print_operand(buffer, context, texts.type, code, texts.hexadecimal);
    const char* const begin = std::find_if(static_cast<const char*>(buffer), end, [](char c) { return c != ' '; });
    const std::string text(begin, end);
    if (text.empty() && code != codec_.tables_so_far().operands[texts.type].left_out) return own_kind;
    std::string seen(text.empty() ? "" : "+");
    for (std::size_t i = 0; i < looks.steps.size() && !text.empty(); ++i) {
        const std::uint16_t one = glance(texts, looks.steps[i], code, text);
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
std::uint16_t Verifier::glance(Texts& texts, std::uint32_t index, std::uint64_t code, const std::string& text) {
    const Step& step = steps_[index];
    const unsigned width = codec_.isa().operand_types[texts.type].width;
    std::uint16_t fresh = unseen;
    std::uint16_t* seen = &fresh;
    if (width <= codec::widest_table) {
        std::vector<std::uint16_t>& list = texts.seen[index];
        const std::size_t codes = std::size_t{1} << width;
        if (list.empty() && take(codes * sizeof list[0])) list.resize(codes);
        if (!list.empty()) seen = &list[code];
    }
    if (*seen != unseen) return *seen;
    if (step.offset >= text.size()) return *seen = ' ';
    for (const std::string& behind : texts.around.behind) {
        const std::uint16_t one = glance(texts, step, code, text, behind);
        *seen = *seen == unseen || *seen == one ? one : beyond;
    }
    return *seen;
}

std::uint16_t Verifier::glance(const Texts& texts, const Step& step, std::uint64_t code, const std::string& text,
                               const std::string& behind) {
    const std::string whole = texts.around.before + text + behind;
    const Form& form = codec_.isa().forms[step.form];
    const char *const begin = whole.data() + 1, *const end = whole.data() + whole.size();
    reading_->begin();
    codec::Reader reader(codec_.isa(), codec_.tables_so_far(), reading_->expressions, whole.data(), end, 0, false);
    return name_of(
        reader.glance(*step.step, form, step.member, begin + step.offset, begin + text.size(), texts.type, code));
}

}  // namespace isaforge::disassembler
