#include "disassembler/verify.hpp"

#include <set>
#include <string>

#include "assembler/no_sections.hpp"
#include "codec/tables.hpp"

namespace isaforge::disassembler {

namespace {

bool begins_name(const std::string& text) {
    return std::string_view("0123456789+-.").find(text[0]) == std::string_view::npos;
}

}  // namespace

struct Verifier::Reading {
    assembler::SymbolTable symbols;
    assembler::NoSections sections;
    assembler::Expressions expressions{symbols, sections};
    Encoded encoded;
    ReadFailure failure;
};

Verifier::~Verifier() = default;

Verifier::Verifier(const Codec& codec)
    : codec_(codec),
      reading_(std::make_unique<Reading>()),
      sure_(codec.isa().forms.size()),
      operands_(codec.isa().operand_types.size()),
      codes_(codec.isa().operand_types.size()),
      rows_(codec.isa().operand_types.size()),
      numbers_(codec.isa().operand_types.size()) {
    reading_->expressions.stable_text = false;
}

// The first instruction of a form is read: that takes less than the proof.
bool Verifier::becomes_certain(Index form) {
    Sure& sure = sure_[form];
    if (sure.state == Sure::State::unseen) {
        sure.state = Sure::State::unknown;
        return false;
    }
    if (sure.state == Sure::State::unknown) examine(form);
    return sure.state == Sure::State::certain;
}

void Verifier::examine(Index index) {
    const Form& form = codec_.isa().forms[index];
    Sure& sure = sure_[index];
    if (!rivals_) rivals_ = std::make_unique<Rivals>(codec_);
    rivals_->prepare(index);
    sure.state = Sure::State::doubtful;
    if (!text_is_plain(form) || !is_separable(form)) return;
    sure.state = Sure::State::certain;
    add_fields(form, sure);
    if (codec_.tables_so_far().forms[index].sole) return;
    for (std::size_t i = 0; i < form.texts[0].size(); ++i) {
        const TextKind kind = form.texts[0][i].kind;
        if ((kind == TextKind::field || kind == TextKind::any) && !is_apart(form, i, kind == TextKind::any))
            sure.state = Sure::State::doubtful;
    }
    std::vector<Rivals::Conditions> rivals;
    if (sure.state == Sure::State::certain && !rivals_->examine(index, rivals)) sure.state = Sure::State::doubtful;
    sure.first_condition = static_cast<std::uint32_t>(conditions_.size());
    for (const Rivals::Conditions& rival : rivals) {
        for (const Rivals::Condition& one : rival)
            conditions_.push_back({one.keeps_off->data(), one.place, &one == &rival.back()});
    }
    sure.conditions = static_cast<std::uint16_t>(conditions_.size() - sure.first_condition);
}

void Verifier::add_fields(const Form& form, Sure& sure) {
    const Isa& isa = codec_.isa();
    Image covered = form.mask;
    std::vector<bool> apart(form.fields.size());
    std::vector<Doubtful> found;
    for (std::size_t i = 0; i < form.texts[0].size(); ++i) {
        const TextElement& element = form.texts[0][i];
        if (element.kind == TextKind::field) apart[element.field] = is_apart(form, i, false);
        for (const Index field : element.fields) apart[field] = is_apart(form, i, true);
    }
    for (std::size_t i = 0; i < form.fields.size(); ++i) {
        const Field& field = form.fields[i];
        if (field.type >= isa.operand_types.size()) {
            if (!field.fixed) sure.state = Sure::State::doubtful;
            continue;
        }
        if (!field.fixed && !operand_is_certain(field.type)) {
            const unsigned width = isa.operand_types[field.type].width;
            codes_[field.type].resize(width <= codec::widest_table ? std::size_t{1} << width : 0);
            rows_[field.type].resize(isa.operand_types[field.type].rows.size());
            Known* const known = width <= codec::widest_table ? codes_[field.type].data() : nullptr;
            found.push_back({&field.place, known, field.type, static_cast<std::uint16_t>(form.bits), apart[i]});
        }
        if (field.ignored) continue;
        for (const BitPiece& piece : field.place.pieces) covered.set(piece.position, piece.width, ~std::uint64_t{0});
    }
    add_checks(found, sure);
    Image loose;
    for (unsigned bit = 0; bit < form.bits; ++bit) {
        if (!covered.get(bit, 1)) loose.set(bit, 1, 1);
    }
    const Image tight = form.written & loose;
    sure.loose = loose.words[0];
    sure.tight = tight.words[0];
    if (std::any_of(loose.words.begin() + 1, loose.words.end(), [](std::uint64_t word) { return word != 0; }))
        sure.more_loose = std::make_unique<More>(More{loose, tight});
}

// Those that are quick to look at come first.
void Verifier::add_checks(std::vector<Doubtful>& found, Sure& sure) {
    const auto is_quick = [](const Doubtful& doubtful) {
        return doubtful.known && codec::QuickPlace().set(*doubtful.place);
    };
    const auto others = std::stable_partition(found.begin(), found.end(), is_quick);
    sure.first_check = static_cast<std::uint32_t>(checks_.size());
    sure.checks = static_cast<std::uint8_t>(others - found.begin());
    for (auto it = found.begin(); it != others; ++it) {
        Check check{it->known, {}, static_cast<std::uint32_t>(doubtful_.size()) & 0x7fffffff, it->apart};
        check.place.set(*it->place);
        checks_.push_back(check);
        doubtful_.push_back(*it);
    }
    sure.first_other = static_cast<std::uint32_t>(doubtful_.size());
    sure.others = static_cast<std::uint16_t>(found.end() - others);
    doubtful_.insert(doubtful_.end(), others, found.end());
}

bool Verifier::is_certain_yet(const Doubtful& doubtful, const Image& image) {
    const std::uint64_t code = doubtful.place->extract(image);
    if (!doubtful.known) return wide_code_is_certain(doubtful, code);
    Known& known = doubtful.known[code];
    if (known == Known::nothing) known = read_code(doubtful.type, code) ? Known::by_pattern : Known::not_by_pattern;
    return known == Known::by_pattern || (known == Known::by_reading && doubtful.apart) ||
           (known == Known::with_number && doubtful.apart && has_plain_tail(doubtful, code, image));
}

bool Verifier::is_tight(const More& more, const Image& image) { return (image & more.loose) == more.tight; }

// Whether each rival is kept off.
bool Verifier::is_alone(const Sure& sure, const Image& image) const {
    bool kept_off = false;
    for (std::uint16_t i = 0; i < sure.conditions; ++i) {
        const Condition& condition = conditions_[sure.first_condition + i];
        kept_off = kept_off || condition.keeps_off[condition.place->extract(image)] != 0;
        if (!condition.last) continue;
        if (!kept_off) return false;
        kept_off = false;
    }
    return true;
}

// Whether an expression or a name that stands there ends there. `inside`: others of the same `any` may follow.
bool Verifier::is_apart(const Form& form, std::size_t at, bool inside) const {
    const auto words = [&](const TextElement& element) {
        return std::all_of(element.fields.begin(), element.fields.end(),
                           [&](Index field) { return rivals_->is_word(form.fields[field].type); });
    };
    const TextTemplate& text = form.texts[0];
    if (inside && (text[at].text.find_first_not_of(' ') != std::string::npos || !words(text[at]))) return false;
    for (std::size_t i = at + 1; i < text.size(); ++i) {
        switch (text[i].kind) {
            case TextKind::literal: return text[i].text[0] == ',';
            case TextKind::space:
                return i + 1 < text.size() && text[i + 1].kind == TextKind::literal && text[i + 1].text[0] >= 'a' &&
                       text[i + 1].text[0] <= 'z';
            case TextKind::any:
                if (text[i].text.find_first_not_of(' ') != std::string::npos || !words(text[i])) return false;
                break;
            case TextKind::field:
                if (!rivals_->is_word(form.fields[text[i].field].type)) return false;
                break;
            case TextKind::name:
            case TextKind::number:
            case TextKind::constant: return false;
        }
    }
    return true;
}

// Every field that is free stands in the text exactly once.
bool Verifier::text_is_plain(const Form& form) const {
    std::vector<unsigned> seen(form.fields.size());
    for (const TextElement& element : form.texts[0]) {
        if (element.kind == TextKind::number) return false;
        if (element.kind == TextKind::field) ++seen[element.field];
        for (const Index field : element.fields) ++seen[field];
    }
    for (std::size_t i = 0; i < form.fields.size(); ++i) {
        if (!form.fields[i].fixed && seen[i] != 1) return false;
    }
    return true;
}

// Whether the text of one code, by itself, is a pattern of the operand that gives the code back. A name or a number that
// ends where a blank or a comma stands is read the same in every instruction.
bool Verifier::read_code(Index index, std::uint64_t code) const {
    char text[Codec::max_text];
    const Image nothing;
    const codec::OperandTable& table = codec_.tables_so_far().operands[index];
    const codec::PrintContext context{codec_.isa(), codec_.tables_so_far(), nothing, 0, 0, nullptr, text + sizeof text};
    const char* const end = codec::print_operand(text, context, index, code);
    const char* p = text;
    while (p != end && *p == ' ') ++p;
    if (p == end) return table.left_out == code;
    codec::PatternMatch found;
    codec::PatternReader nested(codec_.isa(), codec_.tables_so_far(), end);
    if (!table.patterns.match(p, end, nested, {}, found)) return false;
    return p == end && found.tail_bits == 0 && found.code == code;
}

// Whether some text of `other` begins like one of `type`. Texts that differ in a number only begin alike, so a few codes
// of a wide operand stand for all.
bool Verifier::reads_as(Index type, Index other) {
    const auto [place, is_new] = alike_.try_emplace({type, other}, false);
    if (!is_new) return place->second;
    constexpr unsigned few_bits = 4;
    char text[Codec::max_text];
    const Image nothing;
    const codec::PrintContext context{codec_.isa(), codec_.tables_so_far(), nothing, 0, 0, nullptr, text + sizeof text};
    const unsigned width = codec_.isa().operand_types[other].width;
    const std::uint64_t step = width <= few_bits ? 1 : low_bits(width) / 7;
    for (std::uint64_t i = 0; i < 16; ++i) {
        const std::uint64_t code = i * step;
        if (code > low_bits(width)) break;
        const char* const end = codec::print_operand(text, context, other, code);
        const char* p = text;
        while (p != end && *p == ' ') ++p;
        const char* const begin = p;
        codec::PatternMatch found;
        codec::PatternReader nested(codec_.isa(), codec_.tables_so_far(), end);
        if (p != end && codec_.tables_so_far().operands[type].patterns.match(p, end, nested, {.glued = true}, found) &&
            p != begin)
            return place->second = true;
    }
    return false;
}

// Whether some text of the operand may be what a literal begins with.
bool Verifier::may_begin_like(Index index, std::string_view literal) const {
    if (!codec_.tables_so_far().operands[index].patterns.may_begin(0, literal[0])) return false;
    const OperandType& type = codec_.isa().operand_types[index];
    const auto unlike = [&](const TextTemplate& text) {
        const auto first = std::find_if(text.begin(), text.end(),
                                        [](const TextElement& element) { return element.kind != TextKind::space; });
        if (first == text.end()) return true;
        if (first->kind != TextKind::literal) return false;
        const std::size_t size = std::min(first->text.size(), literal.size());
        const auto low = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; };
        return !std::equal(literal.begin(), literal.begin() + static_cast<std::ptrdiff_t>(size), first->text.begin(),
                           [&](char a, char b) { return low(a) == low(b); });
    };
    return type.kind != OperandKind::table ||
           !std::all_of(type.rows.begin(), type.rows.end(),
                        [&](const OperandRow& row) { return std::all_of(row.texts.begin(), row.texts.end(), unlike); });
}

// Where an operand is left out, what follows must not be read as that operand.
bool Verifier::is_separable(const Form& form) {
    struct Item {
        Index type = no_index;  // a literal's: no_index
        std::string_view text;
        std::size_t group = 0;  // of fields in any order
    };
    std::vector<Item> items;
    for (std::size_t i = 0; i < form.texts[0].size(); ++i) {
        const TextElement& element = form.texts[0][i];
        if (element.kind == TextKind::literal) items.push_back({no_index, element.text, i});
        if (element.kind == TextKind::field) items.push_back({form.fields[element.field].type, {}, i});
        for (const Index field : element.fields) items.push_back({form.fields[field].type, {}, i});
    }
    const auto& operands = codec_.tables_so_far().operands;
    const auto can_be_left_out = [&](const Item& item) {
        return item.type != no_index && operands[item.type].nullable;
    };
    for (std::size_t i = 0; i < items.size(); ++i) {
        if (!can_be_left_out(items[i])) continue;
        for (std::size_t k = 0; k < items.size(); ++k) {
            const bool same_group = items[k].group == items[i].group;
            if (k == i || (k < i && !same_group)) continue;
            if (items[k].type == no_index) {
                if (may_begin_like(items[i].type, items[k].text)) return false;
                break;
            }
            if (reads_as(items[i].type, items[k].type)) return false;
            if (k > i && !can_be_left_out(items[k])) break;
        }
    }
    return true;
}

bool Verifier::operand_is_certain(Index index) {
    if (operands_[index]) return operands_[index] == 1;
    operands_[index] = 2;
    const OperandType& type = codec_.isa().operand_types[index];
    bool certain = false;
    if (type.kind == OperandKind::number) {
        const NumberRule& rule = type.number;
        const bool whole = rule.base != NumberBase::floating && rule.scale == 1 && rule.bias == 0;
        certain = !rule.minimum && !rule.maximum && (rule.plain ? *rule.plain != NumberBase::floating : whole);
    } else if (!codec_.tables_so_far().operands[index].needs_rows) {
        // Different codes have different texts; the reader takes the longest that fits.
        const std::vector<codec::Piece>& texts = codec_.tables_so_far().operands[index].printed;
        std::set<std::string_view> seen;
        certain = !texts.empty();
        for (std::size_t code = 0; code < texts.size() && certain; ++code) {
            if (!codec::code_is_valid(codec_.isa(), index, code)) continue;
            certain = seen.insert({texts[code].text, texts[code].size}).second;
        }
    }
    if (certain) operands_[index] = 1;
    return certain;
}

// --- what reading has shown -------------------------------------------------------------------------------------------

void Verifier::learn(Index form, const Image& image) {
    const Sure& sure = sure_[form];
    if (sure.state != Sure::State::certain) return;
    for (std::uint32_t i = 0; i < sure.checks + std::uint32_t{sure.others}; ++i) {
        const Doubtful& doubtful = doubtful_[sure.first_other - sure.checks + i];
        const std::uint64_t code = doubtful.place->extract(image);
        if (!doubtful.apart) continue;
        if (!doubtful.known) {
            learn_row(doubtful.type, code);
        } else if (doubtful.known[code] == Known::not_by_pattern) {
            if (!rivals_->has_tail(doubtful.type, code)) {
                doubtful.known[code] = Known::by_reading;
            } else if (has_plain_tail(doubtful, code, image)) {
                doubtful.known[code] = Known::with_number;
            }
        }
    }
}

// Of a wide operand, a row whose text is one number: all of its codes are read alike, but for those that another row reads.
void Verifier::learn_row(Index index, std::uint64_t code) {
    const OperandType& type = codec_.isa().operand_types[index];
    const Index found = codec_.row_of(index, code);
    if (found == no_index || rows_[index][found].known) return;
    Numbers& others = rows_[index][found];
    others.known = true;
    std::uint64_t number = 0;
    const OperandRow& row = type.rows[found];
    if (!number_of(index, code, number) || !row.constraints.empty()) return;
    for (const OperandRow& other : type.rows) {
        if (&other != &row && !collect_row(other, others.list)) return;
    }
    std::sort(others.list.begin(), others.list.end());
    others.usable = !std::binary_search(others.list.begin(), others.list.end(), number);
    others.known = others.usable;  // what was read may have been another row's
}

bool Verifier::wide_code_is_certain(const Doubtful& doubtful, std::uint64_t code) {
    if (doubtful.apart && !rows_[doubtful.type].empty()) {
        const Index row = codec_.row_of(doubtful.type, code);
        std::uint64_t number = 0;
        if (row != no_index && rows_[doubtful.type][row].usable && number_of(doubtful.type, code, number)) {
            const std::vector<std::uint64_t>& others = rows_[doubtful.type][row].list;
            return !std::binary_search(others.begin(), others.end(), number) &&
                   codec_.as_written(doubtful.type, code) == code;
        }
    }
    const bool certain = read_code(doubtful.type, code);
    if (certain) learn_row(doubtful.type, code);
    return certain;
}

// Whether the word behind the instruction is a number that no row of the operand has for itself.
bool Verifier::has_plain_tail(const Doubtful& doubtful, std::uint64_t code, const Image& image) {
    Numbers& numbers = numbers_[doubtful.type];
    if (!numbers.known) {
        numbers.known = true;
        numbers.usable = collect_numbers(doubtful.type, numbers.list);
        std::sort(numbers.list.begin(), numbers.list.end());
    }
    std::uint64_t number = 0;
    return numbers.usable && tail_number(doubtful.type, code, image, doubtful.bits, number) &&
           !std::binary_search(numbers.list.begin(), numbers.list.end(), number);
}

bool Verifier::tail_number(Index index, std::uint64_t code, const Image& image, unsigned at,
                           std::uint64_t& number) const {
    const Index row = codec_.row_of(index, code);
    if (row == no_index) return false;
    for (const Field& field : codec_.isa().operand_types[index].rows[row].fields) {
        if (!field.in_tail) {
            if (tail_number(field.type, field.place.extract(code), image, at, number)) return true;
            continue;
        }
        return number_of(field.type, field.place.extract(image, at), number);
    }
    return false;
}

// The number that the text of a code ends with, where that is one without a sign.
bool Verifier::number_of(Index index, std::uint64_t code, std::uint64_t& number) const {
    const OperandType& type = codec_.isa().operand_types[index];
    if (type.kind == OperandKind::table) {
        const Index found = codec_.row_of(index, code);
        if (found == no_index) return false;
        const OperandRow& row = type.rows[found];
        const TextTemplate& text = row.texts[0];
        const auto is_fixed = [](const TextElement& element) {
            return element.kind == TextKind::literal || element.kind == TextKind::space;
        };
        if (row.fields.size() != 1 || text.empty() || text.back().kind != TextKind::field ||
            !std::all_of(text.begin(), text.end() - 1, is_fixed))
            return false;
        const Field& field = row.fields[0];
        return codec_.as_written(index, code) == code && number_of(field.type, field.place.extract(code), number);
    }
    const NumberRule& rule = type.number;
    number = code;
    return type.kind == OperandKind::number && rule.format != NumberFormat::floating &&
           rule.base != NumberBase::floating && rule.base != NumberBase::signed_integer && rule.scale == 1 &&
           rule.bias == 0 && !rule.relative && !rule.sliced && !rule.minimum && !rule.maximum && type.width < 64;
}

// The whole numbers, of 0 and up, that rows of the operand read without a word behind the instruction. False where they are
// not known.
bool Verifier::collect_numbers(Index index, std::vector<std::uint64_t>& out) const {
    const OperandType& type = codec_.isa().operand_types[index];
    if (type.kind == OperandKind::number) return false;
    for (const Entry& entry : type.entries) {
        if (!std::all_of(entry.texts.begin(), entry.texts.end(), begins_name)) return false;
    }
    return std::all_of(type.rows.begin(), type.rows.end(),
                       [&](const OperandRow& row) { return collect_row(row, out); });
}

bool Verifier::collect_row(const OperandRow& row, std::vector<std::uint64_t>& out) const {
    for (const TextTemplate& text : row.texts) {
        const auto first = std::find_if(text.begin(), text.end(),
                                        [](const TextElement& element) { return element.kind != TextKind::space; });
        if (first == text.end()) continue;
        switch (first->kind) {
            case TextKind::literal:
                if (!begins_name(first->text)) return false;
                break;
            case TextKind::constant:
                if (first->bits != 0) out.push_back(first->pattern);
                break;
            case TextKind::number:
                if (!add_sums(row, *first, out)) return false;
                break;
            case TextKind::field: {
                const Field& field = row.fields[first->field];
                if (field.in_tail || add_range(row, first->field, out)) break;
                if (codec_.tables_so_far().operands[field.type].nullable || !collect_numbers(field.type, out))
                    return false;
                break;
            }
            default: return false;
        }
    }
    return true;
}

// A number in a range that is not too long.
bool Verifier::add_range(const OperandRow& row, Index field, std::vector<std::uint64_t>& out) const {
    constexpr std::uint64_t longest = 1024;
    const auto range = std::find_if(row.constraints.begin(), row.constraints.end(),
                                    [&](const Constraint& constraint) { return constraint.field == field; });
    std::uint64_t number = 0;
    if (range == row.constraints.end() || range->high - range->low > longest ||
        !number_of(row.fields[field].type, range->low, number))
        return false;
    for (std::uint64_t code = range->low; code <= range->high; ++code) out.push_back(code);
    return true;
}

bool Verifier::add_sums(const OperandRow& row, const TextElement& element, std::vector<std::uint64_t>& out) {
    constexpr unsigned widest = 10;
    const unsigned width = row.fields[element.field].place.width;
    if (width > widest) return false;
    for (std::int64_t code = 0; code < std::int64_t{1} << width; ++code) {
        const auto sum = static_cast<std::uint64_t>(code * element.scale + element.bias);
        out.push_back(element.bits == 0 ? sum : sum & low_bits(element.bits));
    }
    return true;
}

bool Verifier::reads(const char* text, const char* end, std::uint64_t address) {
    Reading& reading = *reading_;
    reading.expressions.clear_operands();
    reading.expressions.forget_nodes(0);
    const char* p = text;
    return codec_.assemble(p, end, address, reading.expressions, reading.encoded, reading.failure) && p == end &&
           reading.encoded.deferred_count == 0;
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

}  // namespace isaforge::disassembler
