// Builds the codec's tables from the model. Which mnemonics there are is known at once; the rest waits until it is asked for, under
// a lock: for a mnemonic its candidates, for a form its operands' codes, for a leaf of the decode tree its forms, and with each
// the operands that it needs (a row refers to operands with a lower index).
#include <algorithm>
#include <bit>
#include <cctype>
#include <cstring>
#include <map>
#include <mutex>
#include <new>
#include <set>
#include <tuple>
#include <unordered_map>

#include "codec/decode_tree.hpp"
#include "codec/mnemonics.hpp"
#include "codec/operands.hpp"
#include "codec/printer.hpp"
#include "codec/tables.hpp"
#include "support/short_lock.hpp"

namespace isaforge {

namespace codec {

namespace {

bool row_matches(const Isa& isa, const OperandRow& row, std::uint64_t code) {
    if (!row.claims(code)) return false;
    return std::all_of(row.fields.begin(), row.fields.end(), [&](const Field& field) {
        return field.in_tail || code_is_valid(isa, field.type, field.place.extract(code));
    });
}

}  // namespace

Index find_row(const OperandType& type, std::uint64_t code, const Isa& isa) {
    for (std::size_t i = 0; i < type.rows.size(); ++i) {
        const OperandRow& row = type.rows[i];
        if (row.alias || !row_matches(isa, row, code)) continue;
        return row.reserved ? no_index : static_cast<Index>(i);
    }
    return no_index;
}

bool means_itself(const Isa& isa, const Codec::Tables& tables, const OperandType& type, const OperandRow& row,
                  std::uint64_t code) {
    const Index found = find_row(type, code, isa);
    if (found == no_index) return false;
    const OperandRow& printed = type.rows[found];
    if (row.alias || &printed == &row) return true;
    const Image nothing;
    char buffer[Codec::max_text];
    const PrintContext context{isa, tables, nothing, 0, 0, nullptr, buffer + sizeof buffer};
    const auto text_of = [&](const OperandRow& from, const TextTemplate& text) {
        return std::string(buffer, print_template(buffer, context, text, from.fields, code, {}));
    };
    const std::string expected = text_of(printed, printed.texts[0]);
    return expected.empty() || std::any_of(row.texts.begin(), row.texts.end(),
                                           [&](const TextTemplate& text) { return text_of(row, text) == expected; });
}

bool code_is_valid(const Isa& isa, Index index, std::uint64_t code) {
    const OperandType& type = isa.operand_types[index];
    switch (type.kind) {
        case OperandKind::number: {
            const NumberRule& rule = type.number;
            if (!rule.minimum && !rule.maximum) return true;
            const std::int64_t value = decode_number(rule, type.width, code, 0);
            return (!rule.minimum || value >= *rule.minimum) && (!rule.maximum || value <= *rule.maximum);
        }
        case OperandKind::registers:
        case OperandKind::enumeration: {
            const auto found = std::lower_bound(type.entries.begin(), type.entries.end(), code,
                                                [](const Entry& e, std::uint64_t c) { return e.code < c; });
            return found != type.entries.end() && found->code == code;
        }
        case OperandKind::table: return find_row(type, code, isa) != no_index;
    }
    return false;
}

void describe_operand(const Isa& isa, Index index, std::vector<OperandTable>& operands) {
    const OperandType& type = isa.operand_types[index];
    OperandTable& table = operands[index];
    table.relative = type.kind == OperandKind::number && type.number.relative;
    for (const OperandRow& row : type.rows) {
        table.has_tail_row |= row.tail_bits != 0;
        table.can_take |= row.takes != 0;
        unsigned tail = 0;
        for (const Field& field : row.fields) {
            const OperandTable& inner = operands[field.type];
            tail += field.in_tail ? field.place.width : inner.longest_tail;
            table.has_own_tail |= inner.has_own_tail || (field.in_tail && !field.shared);
            table.can_take |= inner.can_take && !field.in_tail;
            table.relative |= inner.relative;
        }
        table.longest_tail = std::max(table.longest_tail, tail);
    }
}

class Builder {
public:
    Builder(const Isa& isa, bool relax, Codec::Tables& tables)
        : isa_(isa),
          relax_(relax),
          tables_(tables),
          spellings_(isa, [&tables](std::string_view word) { return names_register(tables, word); }) {}
    void begin();

    // What Codec::Tables promises; each takes the lock.
    void mnemonic(const Mnemonic& mnemonic);
    void form_codes(Index form);
    void operand(Index type);
    const DecodeTree& tree();
    const DecodeLeaf& leaf(std::uint32_t number);
    void all();

private:
    // The texts and fields that forms share, the text that is read, and the values of the fields that are fixed.
    using ReadingKey = std::tuple<const TextTemplate*, const Field*, std::uint16_t, std::vector<std::uint64_t>>;

    template <typename Build>
    void locked(const Build& build);
    void build_characters();
    void need_description(Index index);
    void need_codes(Index index);
    void need_texts(Index index);
    void tabulate_rows(const OperandType& type, OperandTable& table);
    void tabulate_tails(const OperandType& type, OperandTable& table) const;
    void tabulate_codes(Index index, OperandTable& table);
    bool means_itself(const OperandType& type, const OperandTable& table, const Spelling& spelling) const;
    void add_texts(Index index, OperandTable& table);
    RowBegin begin_of(const OperandRow& row, const TextTemplate& text) const;
    bool row_is_closed(const OperandRow& row, const TextTemplate& text) const;
    bool parenthesis_behind(const TextTemplate& text, std::size_t at, const std::vector<Field>& fields);
    bool may_call(const OperandRow& row, const TextTemplate& text);
    bool is_total(const OperandType& type) const;

    void need_taken(Index index);
    void tabulate_taken(Index index, OperandTable& table);
    // Whether the row's codes take anything; and the operand inside that takes all that they do, null where that is not so, or it has
    // no table.
    struct Takers {
        const Field* only;
        bool any;
    };
    Takers takers_of(const OperandRow& row) const;
    void collect_taken(Index index, std::uint64_t code, std::vector<Taken>& out);
    std::uint32_t identity_of(const OperandRow& row, std::uint64_t code);
    std::vector<FormLimit> limits_of(const Form& form);
    void need_limits(Index form);
    static LimitedField limited_field(const Form& form, Index index, const OperandTable& table);
    void build_register_names();

    void describe_form(Index form);
    void need_checks(Index form);
    static Check check_of(const Form& form, Index field, const std::vector<std::uint8_t>& codes);
    void order_tails(const Form& form, FormTable& table);
    void build_form_codes(Index form);

    void build_mnemonic(Mnemonic& mnemonic);
    void name_mnemonics();
    std::vector<Shape>& shapes_of(const std::vector<Reading>& readings);
    Shape shape_of(const Reading& reading);
    Shape::HeadField head_field(const Form& form, Index index) const;
    void set_simple_place(ReadStep& step, const Field& field) const;
    void add_member(ReadStep& step, const Form& form, Index index);
    void set_characters(ReadStep& step, bool spaced) const;
    const Patterns& texts_of(Index type, std::uint64_t code);
    void number_steps(const std::vector<Reading>& readings, std::vector<Shape>& shapes) const;

    void build_tree();
    void build_leaf(std::uint32_t number);
    DecodeLeaf leaf_of(Index form);

    const Isa& isa_;
    const bool relax_;
    Codec::Tables& tables_;
    std::mutex mutex_;
    bool is_building_ = false;
    std::uint32_t steps_ = 0;               // that there are
    Spellings spellings_;
    std::vector<bool> is_described_, has_texts_;              // operands
    std::vector<bool> is_form_described_, has_limits_, has_checks_;  // forms
    std::map<std::tuple<FileId, std::uint32_t, std::uint64_t>, std::uint32_t> identities_;  // by row and code
    std::set<std::vector<Taken>> takings_;                                                  // OperandTable::taken
    std::map<std::pair<Index, std::uint64_t>, std::unique_ptr<Patterns>> fixed_;            // by operand and code
    std::map<std::pair<const Taking*, const Field*>, std::vector<FormLimit>> limits_;
    // By fields and, in bits, those of them that a form fixes and that bring something along.
    std::map<std::pair<const Field*, std::uint64_t>, std::vector<Check>> checks_;
    std::vector<std::vector<DecodeLeaf>> leaves_;
    std::map<std::vector<ReadingKey>, std::vector<Shape>> shapes_;  // by what a mnemonic may be
};

void Builder::begin() {
    build_characters();
    tables_.operands = std::vector<OperandTable>(isa_.operand_types.size());
    is_described_.resize(isa_.operand_types.size());
    has_texts_.resize(isa_.operand_types.size());
    tables_.forms = std::vector<FormTable>(isa_.forms.size());
    is_form_described_.resize(isa_.forms.size());
    has_limits_.resize(isa_.forms.size());
    has_checks_.resize(isa_.forms.size());
    tables_.relaxes = relax_;
    if (!isa_.mnemonics || (relax_ && isa_.mnemonics->may_relax)) tables_.own_index = index_mnemonics(isa_, relax_);
    tables_.index = tables_.own_index ? &*tables_.own_index : &*isa_.mnemonics;
    name_mnemonics();
    build_register_names();
    for (const Head& head : tables_.index->heads) {
        for (const Head::Slot& slot : head.slots) {
            if (slot.type != no_index) need_texts(slot.type);
        }
    }
}

void Builder::name_mnemonics() {
    const MnemonicIndex& index = *tables_.index;
    tables_.slot_mask = static_cast<std::uint32_t>(index.slots.size() - 1);
    tables_.mnemonics = std::vector<Mnemonic>(index.mnemonics.size());
    for (std::size_t i = 0; i < index.mnemonics.size(); ++i) {
        const MnemonicIndex::Mnemonic& known = index.mnemonics[i];
        Mnemonic& mnemonic = tables_.mnemonics[i];
        mnemonic.text = std::string_view(index.words).substr(known.begin, known.size);
        mnemonic.first = known.first;
        mnemonic.count = known.count;
        std::memcpy(mnemonic.begin, mnemonic.text.data(), std::min(sizeof mnemonic.begin, mnemonic.text.size()));
        if (mnemonic.text.empty()) tables_.nameless = &mnemonic;
    }
}

// Where memory ran out while something was built, nobody knows what is there: it is lacking for all who ask from then on.
template <typename Build>
void Builder::locked(const Build& build) {
    const ShortLock lock(mutex_);
    if (is_building_) throw std::bad_alloc();
    is_building_ = true;
    build();
    is_building_ = false;
}

void Builder::mnemonic(const Mnemonic& mnemonic) {
    locked([&] { build_mnemonic(const_cast<Mnemonic&>(mnemonic)); });
}

void Builder::form_codes(Index form) {
    locked([&] { build_form_codes(form); });
}

void Builder::operand(Index type) {
    locked([&] { need_codes(type); });
}

const DecodeTree& Builder::tree() {
    locked([&] { build_tree(); });
    return *tables_.tree.load(std::memory_order_acquire);
}

const DecodeLeaf& Builder::leaf(std::uint32_t number) {
    locked([&] { build_leaf(number); });
    return *tables_.leaves[number].load(std::memory_order_acquire);
}

void Builder::all() {
    locked([&] {
        for (Index i = 0; i < isa_.operand_types.size(); ++i) need_texts(i);
        build_tree();
        for (std::uint32_t i = 0; i < tables_.need_tree().leaves(); ++i) build_leaf(i);
        for (Index i = 0; i < isa_.forms.size(); ++i) build_form_codes(i);
        for (Mnemonic& mnemonic : tables_.mnemonics) build_mnemonic(mnemonic);
        tables_.whole.store(true, std::memory_order_release);
    });
}

// --- characters -------------------------------------------------------------------------------------------------------

void Builder::build_characters() {
    const Surface& surface = isa_.surface;
    for (const char c : {' ', '\t', '\r', '\v', '\f'}) tables_.blank[static_cast<unsigned char>(c)] = 1;
    if (!surface.statement_end.empty()) tables_.blank[static_cast<unsigned char>('\n')] = 1;
    for (const auto& [open, close] : surface.block_comments) {
        if (!open.empty()) tables_.blank[static_cast<unsigned char>(open[0])] = 2;
    }
    if (!surface.statement_end.empty()) {
        for (const std::string& mark : surface.line_comments) {
            if (!mark.empty()) tables_.blank[static_cast<unsigned char>(mark[0])] = 2;
        }
    }
    tables_.ender[static_cast<unsigned char>('\n')] = 1;
    tables_.ender[0] = 1;
    const auto may_end = [&](const std::string& mark, bool ends) {  // a mark of one character is known by it
        if (mark.empty()) return;
        std::uint8_t& kind = tables_.ender[static_cast<unsigned char>(mark[0])];
        if (kind != 1) kind = ends && mark.size() == 1 ? 1 : 2;
    };
    const auto surface_ends = [&](const Surface& any) {
        may_end(any.statement_end, true);
        may_end(any.separator, true);
        for (const std::string& mark : any.line_comments) may_end(mark, true);
        for (const auto& [open, close] : any.block_comments) may_end(open, false);
    };
    surface_ends(surface);
    for (const auto& [dialect, own] : isa_.dialect_surfaces) surface_ends(own);
    tables_.begins_number = spellings_.number_letters();
    for (int c = 0; c < 256; ++c) {
        const auto at = static_cast<std::size_t>(c);
        tables_.letter[at] = letter_kind(static_cast<char>(c));
        tables_.fold[at] = folded(surface, static_cast<char>(c));
        tables_.word[at] = tables_.letter[at] == 1 ? tables_.fold[at] : char{0};
    }
}

// --- operands ---------------------------------------------------------------------------------------------------------

// Whether every code of an operand too wide to tabulate is known to decode.
bool Builder::is_total(const OperandType& type) const {
    if (type.kind == OperandKind::number) return !type.number.minimum && !type.number.maximum;
    const auto takes_all = [&](const OperandRow& row) {
        return row.mask == 0 && row.constraints.empty() &&
               std::all_of(row.fields.begin(), row.fields.end(),
                           [&](const Field& field) { return tables_.operands[field.type].all_valid; });
    };
    for (const OperandRow& row : type.rows) {
        if (row.alias) continue;
        if (row.reserved) return false;  // before the one that takes what is left
        if (takes_all(row)) return true;
    }
    return false;
}

void Builder::need_description(Index index) {
    if (is_described_[index]) return;
    is_described_[index] = true;
    for (const OperandRow& row : isa_.operand_types[index].rows) {
        for (const Field& field : row.fields) need_description(field.type);
    }
    describe_operand(isa_, index, tables_.operands);
}

void Builder::need_codes(Index index) {
    OperandTable& table = tables_.operands[index];
    if (table.has_codes.load(std::memory_order_relaxed)) return;
    need_description(index);
    const OperandType& type = isa_.operand_types[index];
    for (const OperandRow& row : type.rows) {
        for (const Field& field : row.fields) need_codes(field.type);
    }
    if (type.width <= widest_table) {
        tabulate_codes(index, table);
    } else {
        table.all_valid = is_total(type);
    }
    table.has_codes.store(true, std::memory_order_release);
}

void Builder::need_texts(Index index) {
    if (has_texts_[index]) return;
    has_texts_[index] = true;
    const OperandType& type = isa_.operand_types[index];
    for (const OperandRow& row : type.rows) {
        for (const Field& field : row.fields) need_texts(field.type);
    }
    need_codes(index);
    add_texts(index, tables_.operands[index]);
}

// Of the rows that claim a code the first has it: as find_row, with the tables of the operands inside, which are there already.
void Builder::tabulate_rows(const OperandType& type, OperandTable& table) {
    constexpr std::uint16_t nobody = OperandTable::no_row - 1;
    table.row.assign(std::size_t{1} << type.width, nobody);
    std::vector<const Field*> doubtful;  // not all of whose codes there are
    const auto is_valid = [&](const Field* field, std::uint64_t code) {
        return code_is_valid(isa_, tables_, field->type, field->place.extract(code));
    };
    for (std::size_t i = 0; i < type.rows.size(); ++i) {
        const OperandRow& row = type.rows[i];
        const std::uint64_t open = low_bits(type.width) & ~row.mask;
        if (row.alias) continue;
        doubtful.clear();
        for (const Field& field : row.fields) {
            if (!field.in_tail && !tables_.operands[field.type].all_valid) doubtful.push_back(&field);
        }
        for (std::uint64_t bits = 0;; bits = (bits - open) & open) {
            const std::uint64_t code = row.value | bits;
            std::uint16_t& owner = table.row[code];
            if (owner == nobody && (row.constraints.empty() || row.claims(code)) &&
                std::ranges::all_of(doubtful, [&](const Field* field) { return is_valid(field, code); }))
                owner = row.reserved ? OperandTable::no_row : static_cast<std::uint16_t>(i);
            if (bits == open) break;
        }
    }
    std::replace(table.row.begin(), table.row.end(), nobody, OperandTable::no_row);
}

void Builder::tabulate_codes(Index index, OperandTable& table) {
    const OperandType& type = isa_.operand_types[index];
    table.valid.resize(std::size_t{1} << type.width);
    if (type.kind == OperandKind::table) {
        tabulate_rows(type, table);
        for (std::size_t code = 0; code < table.valid.size(); ++code)
            table.valid[code] = table.row[code] != OperandTable::no_row;
        if (table.longest_tail != 0) tabulate_tails(type, table);
    } else if (type.kind == OperandKind::number) {
        for (std::size_t code = 0; code < table.valid.size(); ++code)
            table.valid[code] = code_is_valid(isa_, index, code);
    } else {
        for (const Entry& entry : type.entries) {
            if (entry.code < table.valid.size()) table.valid[entry.code] = 1;
        }
    }
    table.all_valid =
        std::all_of(table.valid.begin(), table.valid.end(), [](std::uint8_t valid) { return valid != 0; });
    if (table.all_valid) return;
    table.valid_codes = table.valid.data();
    table.valid_mask = table.valid.size() - 1;
}

// An operand inside that is not tabulated may bring a word along with any code: then nobody knows here.
void Builder::tabulate_tails(const OperandType& type, OperandTable& table) const {
    table.tails.assign(table.row.size(), OneTail::no_code);
    for (std::size_t code = 0; code < table.row.size(); ++code) {
        if (table.row[code] == OperandTable::no_row) continue;
        const std::vector<Field>& fields = type.rows[table.row[code]].fields;
        std::uint8_t& tail = table.tails[code];
        tail = OneTail::nothing;
        for (const Field& field : fields) {
            const OperandTable& inner = tables_.operands[field.type];
            if (tail != OneTail::nothing) break;
            if (field.in_tail) {
                tail = OneTail{field.place.width, field.shared}.packed();
            } else if (inner.longest_tail != 0) {
                tail = inner.tails.empty() ? OneTail::unknown : inner.tails[field.place.extract(code)];
            }
        }
    }
}

// Whether the texts of a row are made of fixed texts only.
bool Builder::row_is_closed(const OperandRow& row, const TextTemplate& text) const {
    return row.tail_bits == 0 && std::all_of(text.begin(), text.end(), [&](const TextElement& element) {
               if (element.kind == TextKind::literal || element.kind == TextKind::space) return true;
               return element.kind == TextKind::field && !tables_.operands[row.fields[element.field].type].needs_rows;
           });
}

// Whether what stands behind element `at` of a text may begin with a parenthesis.
bool Builder::parenthesis_behind(const TextTemplate& text, std::size_t at, const std::vector<Field>& fields) {
    const auto begins = [&](Index field) {
        need_texts(fields[field].type);
        return tables_.operands[fields[field].type].first['('];
    };
    for (std::size_t i = at + 1; i < text.size(); ++i) {
        switch (text[i].kind) {
            case TextKind::space: break;
            case TextKind::literal: return text[i].text[0] == '(';
            case TextKind::any:
                if (std::ranges::any_of(text[i].fields, begins)) return true;
                break;
            case TextKind::field:
                if (begins(text[i].field)) return true;
                if (!tables_.operands[fields[text[i].field].type].nullable) return false;
                break;
            default: return true;
        }
    }
    return false;
}

// Whether a parenthesis may stand behind a number in the text, or behind one in an operand of it.
bool Builder::may_call(const OperandRow& row, const TextTemplate& text) {
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i].kind == TextKind::literal || text[i].kind == TextKind::space) continue;
        if (parenthesis_behind(text, i, row.fields)) return true;
    }
    return std::ranges::any_of(row.fields, [&](const Field& field) { return tables_.operands[field.type].may_call; });
}

// Whether the codes that a spelling stands for are not printed as something else. A number says which code is meant.
bool Builder::means_itself(const OperandType& type, const OperandTable& table, const Spelling& spelling) const {
    const auto check = [&](std::uint64_t code) {
        const bool printed = !table.row.empty() && table.row[code] == spelling.row;
        return printed || codec::means_itself(isa_, tables_, type, type.rows[spelling.row], code);
    };
    if (spelling.numbers.empty()) return check(spelling.code);
    const PatternNumber& name = spelling.numbers[0];
    if (spelling.numbers.size() != 1 || !name.named || name.tail_bits != 0) return true;
    for (std::int64_t value = name.low; value <= name.high; value += name.step) {
        if (!check(spelling.code | name.bits(value) << name.shift)) return false;
    }
    return true;
}

RowBegin Builder::begin_of(const OperandRow& row, const TextTemplate& text) const {
    RowBegin out{spellings_.first_of(text, row.fields)};
    const auto first = std::ranges::find_if(text, [](const TextElement& one) { return one.kind != TextKind::space; });
    if (first == text.end()) return out;
    out.stop = begin_behind(text, static_cast<std::size_t>(first - text.begin()), RowBegin::outer_stop);
    out.number = first->kind == TextKind::number || first->kind == TextKind::constant;
    if (first->kind != TextKind::field) return out;
    const OperandType& type = isa_.operand_types[row.fields[first->field].type];
    out.number = type.kind == OperandKind::number && !type.number.relative;
    return out;
}

// How the operand is read: as patterns and, where those do not fit, row by row.
void Builder::add_texts(Index index, OperandTable& table) {
    const OperandType& type = isa_.operand_types[index];
    spellings_.add(index);
    if (type.kind == OperandKind::table) {
        spellings_.keep_if(index, [&](const Spelling& spelling) { return means_itself(type, table, spelling); });
    }
    if (type.kind == OperandKind::table || type.kind == OperandKind::registers) spellings_.count_up(index);
    // Where dialects differ in what they are made of, a program may change how numbers are written.
    const bool one_way = isa_.dialect_surfaces.empty();
    table.patterns = Patterns(isa_.surface.case_insensitive, spellings_.is_open(index),
                              one_way ? std::span(isa_.surface.number_marks) : std::span<const NumberMark>());
    for (const Spelling& spelling : spellings_.of(index)) table.patterns.add(spelling);
    table.patterns.finish();
    table.open = spellings_.is_open(index);
    table.unlisted = type.kind == OperandKind::table && spellings_.is_unlisted(index);
    table.all_numbers = !table.unlisted && spellings_.has_all_numbers(index);
    table.ends_open = type.kind == OperandKind::table && spellings_.ends_open(index);
    table.goes_on = spellings_.goes_on(index);
    for (std::size_t c = 0; c < table.looks_on.size() && (table.unlisted || table.ends_open); ++c)
        table.looks_on[c] = table.goes_on[c] || tables_.blank[c] != 0;
    for (char c = 'a'; c <= 'z' && (table.unlisted || table.ends_open); ++c)
        table.goes_on_with_word |= table.goes_on[static_cast<unsigned char>(c)];
    for (const OperandRow& row : type.rows) {
        for (const Field& field : row.fields) table.goes_on_with_word |= tables_.operands[field.type].goes_on_with_word;
    }
    table.incomplete = spellings_.dropped(index);
    if (type.kind != OperandKind::table || table.unlisted) table.incomplete.set();
    table.first = spellings_.first_of(index);
    for (std::size_t c = 0; c < table.first.size(); ++c)
        if (table.first[c]) table.first_bits |= 1u << (c & 31);
    table.is_number = type.kind == OperandKind::number;
    table.is_listed = type.kind == OperandKind::registers || type.kind == OperandKind::enumeration;
    for (const Entry& entry : type.entries) {
        if (table.nullable || std::ranges::none_of(entry.texts, &std::string::empty)) continue;
        table.left_out = entry.code;
        table.nullable = true;
    }
    table.needs_rows = type.kind == OperandKind::number;
    for (const OperandRow& row : type.rows) {
        for (const TextTemplate& text : row.texts) {
            table.row_begins.push_back(begin_of(row, text));
            table.may_call |= may_call(row, text);
            table.needs_rows |= type.width > widest_table || !row_is_closed(row, text);
            if (text.empty() && !table.nullable) table.left_out = row.written;
            table.nullable |= text.empty();
        }
    }
}

// --- limits -----------------------------------------------------------------------------------------------------------

// Operands with different arguments have the rows of one declaration in common: what such a row stands for is the same in all.
std::uint32_t Builder::identity_of(const OperandRow& row, std::uint64_t code) {
    const auto tail = std::ranges::find_if(row.fields, [](const Field& field) { return field.in_tail; });
    if (tail != row.fields.end()) return tail->shared ? tail_identity : own_tail_identity;
    const auto next = static_cast<std::uint32_t>(own_tail_identity + 1 + identities_.size());
    return identities_.emplace(std::tuple{row.where.file, row.where.offset, code}, next).first->second;
}

void Builder::collect_taken(Index index, std::uint64_t code, std::vector<Taken>& out) {
    const Index found = row_of(isa_, tables_, index, code);
    if (found == no_index) return;
    const OperandRow& row = isa_.operand_types[index].rows[found];
    if (row.takes != 0) out.push_back({identity_of(row, code), row.takes});
    for (const Field& field : row.fields) {
        if (!field.in_tail && tables_.operands[field.type].can_take)
            collect_taken(field.type, field.place.extract(code), out);
    }
}

Builder::Takers Builder::takers_of(const OperandRow& row) const {
    Takers out{nullptr, row.takes != 0};
    for (const Field& field : row.fields) {
        if (field.in_tail || !tables_.operands[field.type].can_take) continue;
        out.only = !out.any && !tables_.operands[field.type].taken.empty() ? &field : nullptr;
        out.any = true;
    }
    return out;
}

// Only forms with limits ask for it.
void Builder::need_taken(Index index) {
    need_codes(index);
    OperandTable& table = tables_.operands[index];
    if (!table.can_take || table.valid.empty() || !table.taken.empty()) return;
    for (const OperandRow& row : isa_.operand_types[index].rows) {
        for (const Field& field : row.fields) need_taken(field.type);
    }
    tabulate_taken(index, table);
}

void Builder::tabulate_taken(Index index, OperandTable& table) {
    table.taken.assign(table.valid.size(), nullptr);
    const std::vector<OperandRow>& rows = isa_.operand_types[index].rows;
    std::vector<Takers> takers;  // by row
    takers.reserve(rows.size());
    for (const OperandRow& row : rows) takers.push_back(takers_of(row));
    std::vector<Taken> list;
    for (std::size_t code = 0; code < table.taken.size(); ++code) {
        const Index row = row_of(isa_, tables_, index, code);
        if (row == no_index || !takers[row].any) continue;
        if (const Field* const inner = takers[row].only) {
            table.taken[code] = tables_.operands[inner->type].taken[inner->place.extract(code)];
            table.takes_one &= tables_.operands[inner->type].takes_one;
            continue;
        }
        list.clear();
        collect_taken(index, code, list);
        if (list.empty()) continue;
        table.takes_one &= list.size() == 1;
        list.emplace_back();
        table.taken[code] = takings_.insert(list).first->data();
    }
}

LimitedField Builder::limited_field(const Form& form, Index index, const OperandTable& table) {
    const Field& field = form.fields[index];
    LimitedField out;
    out.taken = table.taken.data();
    out.index = index;
    out.field = out.place.set(field.place) ? nullptr : &field;
    return out;
}

std::vector<FormLimit> Builder::limits_of(const Form& form) {
    std::vector<FormLimit> out;
    for (const Field& field : form.fields) need_taken(field.type);
    for (const Taking& taking : form.takes) {
        FormLimit limit;
        limit.limit = taking.limit;
        limit.most = isa_.limits[taking.limit].most;
        bool take_one = true;
        for (const Index field : taking.fields) {
            const OperandTable& operand = tables_.operands[form.fields[field].type];
            if (operand.taken.empty()) continue;
            limit.fields.push_back(limited_field(form, field, operand));
            take_one &= operand.takes_one;
        }
        for (const auto& [type, code] : taking.own) {
            const Index row = find_row(isa_.operand_types[type], code, isa_);
            if (row != no_index) limit.own.push_back(identity_of(isa_.operand_types[type].rows[row], code));
        }
        for (unsigned i = 0; i < taking.besides; ++i) limit.own.push_back(~i);
        if (take_one) limit.fields_within = static_cast<int>(limit.most) - static_cast<int>(limit.own.size());
        if (!limit.fields.empty() || limit.own.size() > limit.most) out.push_back(std::move(limit));
    }
    return out;
}

void Builder::need_limits(Index index) {
    const Form& form = isa_.forms[index];
    if (has_limits_[index] || form.takes.empty()) return;
    has_limits_[index] = true;
    auto [known, fresh] = limits_.try_emplace({form.takes.data(), form.fields.data()});
    if (fresh) known->second = limits_of(form);
    tables_.forms[index].limits = known->second;
}

// What no symbol in an expression is: registers by their names, and what rows with a meaning are called.
void Builder::build_register_names() {
    tables_.registers = Patterns(isa_.surface.case_insensitive);
    const auto add = [&](const std::string& name) {
        const bool is_name = !name.empty() && !std::isdigit(static_cast<unsigned char>(name[0])) &&
                             std::all_of(name.begin(), name.end(),
                                         [&](char c) { return tables_.letter[static_cast<unsigned char>(c)] == 1; });
        if (is_name) tables_.registers.add(name, 0);
    };
    for (const RegisterFile& file : isa_.register_files) {
        if (file.entries.empty()) add(file.name);
        for (const Entry& entry : file.entries) {
            for (const std::string& name : entry.texts) add(name);
        }
    }
    for (const std::string& name : tables_.index->names) add(name);
    tables_.registers.finish();
}

// --- forms ------------------------------------------------------------------------------------------------------------

Check Builder::check_of(const Form& form, Index index, const std::vector<std::uint8_t>& codes) {
    Check check;
    check.field = index;
    if (check.place.set(form.fields[index].place) && !codes.empty()) check.codes = codes.data();
    return check;
}

// In the order of the text that is printed; what it does not mention stands behind.
void Builder::order_tails(const Form& form, FormTable& table) {
    for (const Field& field : form.fields) need_description(field.type);
    const auto add = [&](Index index) {
        const bool brings = tables_.operands[form.fields[index].type].longest_tail != 0;
        if (brings && std::ranges::find(table.tail_order, index) == table.tail_order.end())
            table.tail_order.push_back(index);
    };
    for (const TextElement& element : form.texts.empty() ? TextTemplate() : form.texts[0]) {
        if (element.kind == TextKind::field || element.kind == TextKind::number) add(element.field);
        if (element.kind == TextKind::any) std::ranges::for_each(element.fields, add);
    }
    for (Index i = 0; i < form.fields.size(); ++i) add(i);
    const auto own = [&](Index index) { return tables_.operands[form.fields[index].type].has_own_tail; };
    table.several_tails = table.tail_order.size() > 1 && std::ranges::any_of(table.tail_order, own);
}

// What is known of a form without looking at the codes of its operands.
void Builder::describe_form(Index index) {
    if (is_form_described_[index]) return;
    is_form_described_[index] = true;
    const Form& form = isa_.forms[index];
    FormTable& table = tables_.forms[index];
    table.longest_tail = tables_.index->forms[index].longest_tail;
    if (table.longest_tail != 0) order_tails(form, table);
    table.mask0 = form.mask.words[0];
    table.value0 = form.value.words[0];
    for (std::size_t word = 1; word < form.mask.words.size(); ++word) table.wide |= form.mask.words[word] != 0;
}

void Builder::need_checks(Index index) {
    if (has_checks_[index]) return;
    has_checks_[index] = true;
    const Form& form = isa_.forms[index];
    std::uint64_t bring = 0;  // what a form fixes decodes, but may bring a word along
    for (Index i = 0; i < form.fields.size(); ++i) {
        const Field& field = form.fields[i];
        if (field.fixed && one_tail(isa_, tables_, field.type, form.fixed_value(field)).bits != 0)
            bring |= std::uint64_t{1} << i % 64;
    }
    const auto [known, fresh] = checks_.try_emplace({form.fields.data(), bring});
    for (Index i = 0; fresh && i < form.fields.size(); ++i) {
        const OperandTable& table = tables_.operands[form.fields[i].type];
        const bool may_bring = table.longest_tail != 0;
        const bool is_checked = form.fields[i].fixed ? (bring >> i % 64 & 1) != 0 : may_bring || !table.all_valid;
        if (is_checked) known->second.push_back(check_of(form, i, may_bring ? table.tails : table.valid));
    }
    tables_.forms[index].checks = known->second;
}

void Builder::build_form_codes(Index index) {
    describe_form(index);
    for (const Field& field : isa_.forms[index].fields) need_codes(field.type);
    tables_.forms[index].has_codes.store(true, std::memory_order_release);
}

// --- mnemonics --------------------------------------------------------------------------------------------------------

Shape::HeadField Builder::head_field(const Form& form, Index index) const {
    const Field& field = form.fields[index];
    const BitPiece& piece = field.place.pieces[0];
    const bool simple = field.place.pieces.size() == 1 && piece.position + piece.width <= 64 && !field.fixed;
    return {index, simple, static_cast<std::uint8_t>(simple ? piece.position : 0)};
}

// A field in a few pieces in the first word of the image needs no call to be put there.
void Builder::set_simple_place(ReadStep& step, const Field& field) const {
    const OperandTable& table = tables_.operands[field.type];
    if (field.fixed || field.in_tail || table.patterns.empty()) return;
    if (!step.repeated && step.bits.set(field.place)) {
        step.table = &table;
        return;
    }
    const bool is_near =
        std::ranges::all_of(field.place.pieces, [](const BitPiece& one) { return one.position + one.width <= 64; });
    if (!is_near || (step.repeated && (table.nullable || table.longest_tail != 0))) return;
    step.slow = &table;
    step.place = &field.place;
}

// `spaced`: a blank stands behind the literal.
void Builder::set_characters(ReadStep& step, bool spaced) const {
    std::string characters(step.text);
    if (spaced) characters += ' ';
    if (characters.size() > sizeof step.characters || std::endian::native == std::endian::big) return;
    std::memcpy(&step.characters, characters.data(), characters.size());
    step.known_size = static_cast<std::uint8_t>(characters.size());
    // No letter may stand behind it.
    step.is_hard = !spaced && !step.glued && tables_.letter[static_cast<unsigned char>(step.text.back())] == 1;
}

// Adds a member of `any`.
void Builder::add_member(ReadStep& step, const Form& form, Index index) {
    const Field& field = form.fields[index];
    need_texts(field.type);
    const OperandTable& table = tables_.operands[field.type];
    const std::uint32_t bit = 1u << (step.members.size() & 31);
    step.may_be_none &=
        form.fields.size() <= most_fields && (!field.fixed || form.fixed_value(field) == table.left_out);
    ReadStep& out = step.members.emplace_back();
    out.kind = ReadStep::Kind::field;
    out.field = index;
    out.type = field.type;
    out.may_call = true;  // other members may stand behind it
    set_simple_place(out, field);
    step.first |= table.first;
    step.begins.resize(32);
    for (std::uint32_t rest = table.first_bits; rest != 0; rest &= rest - 1)
        step.begins[static_cast<std::size_t>(std::countr_zero(rest))] |= bit;
    if (field.fixed) {
        step.fixed |= bit;
        out.fixed_code = form.fixed_value(field);
        if (!field.in_tail && !table.patterns.empty()) out.table = &table;  // its bits are there already
    } else if (table.left_out != 0) {
        step.filled |= bit;
        step.may_be_none &= out.table != nullptr;
        step.none |= out.bits.word(table.left_out);
    }
}

// All texts of one code: where a form fixes a field, only these may stand in its place.
const Patterns& Builder::texts_of(Index index, std::uint64_t code) {
    std::unique_ptr<Patterns>& out = fixed_[{index, code}];
    if (out) return *out;
    need_texts(index);
    out = std::make_unique<Patterns>(isa_.surface.case_insensitive);
    const OperandType& type = isa_.operand_types[index];
    for (const Entry& entry : type.entries) {
        for (const std::string& text : entry.texts) {
            if (entry.code == code) out->add(text, 0);
        }
    }
    const Image nothing;
    char buffer[Codec::max_text];
    const PrintContext context{isa_, tables_, nothing, 0, 0, nullptr, buffer + sizeof buffer};
    const auto add = [&](const char* end) { out->add(trimmed({buffer, static_cast<std::size_t>(end - buffer)}), 0); };
    if (type.kind == OperandKind::number) add(print_operand(buffer, context, index, code));
    for (const OperandRow& row : type.rows) {
        if (row.reserved || !row_matches(isa_, row, code)) continue;
        for (const TextTemplate& text : row.texts) add(print_template(buffer, context, text, row.fields, code, {}));
    }
    out->finish();
    return *out;
}

Shape Builder::shape_of(const Reading& reading) {
    const Form& form = isa_.forms[reading.form];
    const TextTemplate& text = form.texts[reading.text];
    const TextBegin begin = text_begin(isa_, form, text);
    const std::vector<Head>& heads = tables_.index->heads;
    Shape shape;
    shape.head = static_cast<std::uint32_t>(std::ranges::find(heads, begin.head) - heads.begin());
    std::set<Index> read;
    for (std::size_t i = 0; i < begin.name_at; ++i) {
        if (text[i].kind != TextKind::field) continue;
        shape.head_fields.push_back(head_field(form, text[i].field));
        read.insert(text[i].field);
    }
    for (std::size_t i = begin.operands_at; i < text.size(); ++i) {
        ReadStep step;
        step.element = &text[i];
        step.glued = is_glued(text, i, false);
        step.stop = begin_behind(text, i, 0);
        if (text[i].field != no_index) step.repeated = !read.insert(text[i].field).second;
        read.insert(text[i].fields.begin(), text[i].fields.end());
        switch (text[i].kind) {
            case TextKind::literal: {
                std::string_view rest = text[i].text;
                if (i == begin.operands_at) rest.remove_prefix(begin.glued.size());
                if (rest.empty()) continue;
                step.kind = ReadStep::Kind::literal;
                step.text = rest;
                set_characters(step, i + 1 < text.size() && text[i + 1].kind == TextKind::space);
                break;
            }
            case TextKind::field: {
                const Field& field = form.fields[text[i].field];
                step.kind = ReadStep::Kind::field;
                step.field = text[i].field;
                step.type = field.type;
                step.may_call = parenthesis_behind(text, i, form.fields);
                if (std::ranges::find(shape.head_fields, step.field, &Shape::HeadField::field) ==
                    shape.head_fields.end())
                    set_simple_place(step, field);
                if (!field.fixed) break;
                step.fixed_code = form.fixed_value(field);
                step.only = &texts_of(field.type, step.fixed_code);
                break;
            }
            case TextKind::constant:
            case TextKind::number: step.kind = ReadStep::Kind::number; break;
            case TextKind::any:
                step.kind = ReadStep::Kind::any;
                step.text = trimmed(text[i].text);
                step.may_be_none = true;
                for (const Index field : text[i].fields) add_member(step, form, field);
                break;
            default: continue;
        }
        step.number = steps_;
        steps_ += std::max<std::uint32_t>(1, static_cast<std::uint32_t>(text[i].fields.size()));
        shape.steps.push_back(step);
    }
    shape.spaced = begin.has_name && begin.operands_at < text.size() && text[begin.operands_at].kind == TextKind::space;
    for (const Index field : read) {
        if (field != no_index && !form.fields[field].fixed && !form.fields[field].in_tail)
            form.fields[field].place.insert(shape.read, ~std::uint64_t{0});
    }
    return shape;
}

namespace {

bool is_same(const Field& a, const Field& b) {
    const auto same = [](const BitPiece& one, const BitPiece& other) {
        return one.position == other.position && one.width == other.width && one.shift == other.shift;
    };
    return a.type == b.type && a.fixed == b.fixed && a.in_tail == b.in_tail && a.shared == b.shared &&
           std::equal(a.place.pieces.begin(), a.place.pieces.end(), b.place.pieces.begin(), b.place.pieces.end(), same);
}

// Whether two steps, each of its form, read the same and put it into the same place.
bool is_same(const ReadStep& a, const Form& form_of_a, const ReadStep& b, const Form& form_of_b) {
    if (a.kind != b.kind || a.glued != b.glued || a.repeated || b.repeated) return false;
    const auto may_go_on = [](const ReadStep& step) {  // as an expression, or a longer text, up to there
        return !step.table || step.table->open || step.table->ends_open || step.table->unlisted;
    };
    if (a.kind != ReadStep::Kind::literal && a.stop != b.stop && (may_go_on(a) || may_go_on(b))) return false;
    switch (a.kind) {
        case ReadStep::Kind::literal: return a.text == b.text;
        case ReadStep::Kind::field:
            return a.only == b.only && (a.field == b.field || (a.table && b.table)) &&
                   is_same(form_of_a.fields[a.field], form_of_b.fields[b.field]);
        case ReadStep::Kind::number: return false;
        case ReadStep::Kind::any: break;
    }
    if (a.element->text != b.element->text || a.element->fields != b.element->fields) return false;
    return std::ranges::all_of(a.element->fields, [&](Index field) {
        const Field& one = form_of_a.fields[field];
        return !one.fixed && is_same(one, form_of_b.fields[field]);
    });
}

}  // namespace

// Numbers the steps of all candidates, as many as a set has room for. The same number says that two are the same step, behind
// steps that are the same: what one of them did needs not be done again.
void Builder::number_steps(const std::vector<Reading>& readings, std::vector<Shape>& shapes) const {
    std::vector<StepSet> behind(StepSet::most);  // of each, those that come behind it; 0: an end
    unsigned count = 1;
    for (std::size_t i = 0; i < shapes.size(); ++i) {
        std::vector<ReadStep>& steps = shapes[i].steps;
        for (std::size_t at = 0; at < steps.size() && count < StepSet::most; ++at) {
            const unsigned before = at == 0 ? 0 : steps[at - 1].node;
            unsigned node = 0;
            for (std::size_t k = 0; k < i && node == 0; ++k) {
                const std::vector<ReadStep>& others = shapes[k].steps;
                const bool behind_same = shapes[k].head == shapes[i].head && at < others.size() &&
                                         (at == 0 || others[at - 1].node == before);
                if (behind_same &&
                    is_same(others[at], isa_.forms[readings[k].form], steps[at], isa_.forms[readings[i].form]))
                    node = others[at].node;
            }
            steps[at].node = static_cast<std::uint8_t>(node != 0 ? node : count++);
            behind[before].add(steps[at].node);
            shapes[i].nodes.add(steps[at].node);
        }
        if (!steps.empty()) behind[steps.back().node].add(0);
    }
    for (Shape& shape : shapes) {
        for (ReadStep& step : shape.steps) step.forks = step.node != 0 && behind[step.node].count() > 1;
        shape.plain.assign(shape.steps.begin(), shape.steps.end());
    }
}

// For each of the readings of a mnemonic. What they are read by depends on their texts, their fields and what those of them are
// that a form fixes.
std::vector<Shape>& Builder::shapes_of(const std::vector<Reading>& readings) {
    std::vector<ReadingKey> key;
    for (const Reading& reading : readings) {
        const Form& form = isa_.forms[reading.form];
        std::vector<std::uint64_t> fixed;
        for (const TextElement& element : form.texts[reading.text]) {
            const auto add = [&](Index field) {
                if (form.fields[field].fixed) fixed.push_back(form.fixed_value(form.fields[field]));
            };
            if (element.field != no_index) add(element.field);
            std::ranges::for_each(element.fields, add);
        }
        key.emplace_back(form.texts.data(), form.fields.data(), reading.text, std::move(fixed));
    }
    const auto [known, fresh] = shapes_.try_emplace(std::move(key));
    if (!fresh) return known->second;
    for (const Reading& reading : readings) known->second.push_back(shape_of(reading));
    number_steps(readings, known->second);
    return known->second;
}

void Builder::build_mnemonic(Mnemonic& mnemonic) {
    if (mnemonic.ready.load(std::memory_order_relaxed)) return;
    const Reading* const first = tables_.index->readings.data() + mnemonic.first;
    std::vector<Reading> readings(first, first + mnemonic.count);
    std::ranges::stable_sort(readings, {}, [&](const Reading& reading) { return isa_.forms[reading.form].bits; });
    for (const Reading& reading : readings) {
        for (const Field& field : isa_.forms[reading.form].fields) {
            if (!field.fixed) need_texts(field.type);
        }
        describe_form(reading.form);
        need_limits(reading.form);
    }
    const std::vector<Shape>& shapes = shapes_of(readings);
    for (std::size_t i = 0; i < readings.size(); ++i) {
        const Form& form = isa_.forms[readings[i].form];
        Candidate& candidate = mnemonic.candidates.emplace_back();
        candidate.form = readings[i].form;
        candidate.bits = static_cast<std::uint16_t>(form.bits);
        candidate.printed = readings[i].printed != 0;
        candidate.limited = !tables_.forms[candidate.form].limits.empty();
        candidate.shape = &shapes[i];
        candidate.written = form.written;
        for (std::size_t word = 0; word < candidate.written.words.size(); ++word)
            candidate.written.words[word] &= ~shapes[i].read.words[word];
    }
    mnemonic.ready.store(true, std::memory_order_release);
}

// --- decoding ---------------------------------------------------------------------------------------------------------

DecodeLeaf Builder::leaf_of(Index index) {
    const FormTable& table = tables_.forms[index];
    DecodeLeaf leaf;
    leaf.mask = table.mask0;
    leaf.value = table.value0;
    leaf.form = index;
    leaf.bits = static_cast<std::uint16_t>(isa_.forms[index].bits);
    leaf.limited = !table.limits.empty();
    constexpr std::size_t most = 255;
    leaf.hard = table.wide || table.checks.size() > most || !std::ranges::all_of(table.checks, &Check::codes);
    if (leaf.hard) return leaf;
    leaf.checks = table.checks.data();
    leaf.check_count = static_cast<std::uint8_t>(table.checks.size());
    return leaf;
}

void Builder::build_tree() {
    if (tables_.tree.load(std::memory_order_relaxed)) return;
    const bool packed = !isa_.decoding.empty() && !isa_.decoding[0].nodes.empty();  // and not damaged
    if (!packed) tables_.own_tree = decode_tree(isa_);
    const DecodeTree& tree = packed ? isa_.decoding[0] : *tables_.own_tree;
    leaves_.resize(tree.leaves());
    tables_.leaves = std::make_unique<std::atomic<const DecodeLeaf*>[]>(tree.leaves());
    tables_.tree.store(&tree, std::memory_order_release);
}

void Builder::build_leaf(std::uint32_t number) {
    std::vector<DecodeLeaf>& leaves = leaves_[number];
    if (!leaves.empty()) return;
    for (const Index form : tables_.need_tree().forms_of(number)) {
        build_form_codes(form);
        need_limits(form);
        need_checks(form);
        leaves.push_back(leaf_of(form));
    }
    if (leaves.empty()) leaves.emplace_back().value = 1;  // of no bit
    leaves.back().last = true;
    tables_.leaves[number].store(leaves.data(), std::memory_order_release);
}

}  // namespace codec

Codec::Tables::Tables(const Isa& isa, bool relax) : builder_(std::make_unique<codec::Builder>(isa, relax, *this)) {
    builder_->begin();
}

Codec::Tables::~Tables() = default;

void Codec::Tables::build(const codec::Mnemonic& mnemonic) const { builder_->mnemonic(mnemonic); }
void Codec::Tables::build_codes(Index form) const { builder_->form_codes(form); }
void Codec::Tables::build_operand(Index type) const { builder_->operand(type); }
const DecodeTree& Codec::Tables::build_tree() const { return builder_->tree(); }
const codec::DecodeLeaf& Codec::Tables::build_leaf(std::uint32_t leaf) const { return builder_->leaf(leaf); }
void Codec::Tables::build_all() const { builder_->all(); }

Codec::Codec(std::shared_ptr<const Isa> isa, bool relax)
    : isa_(std::move(isa)),
      tables_(std::make_unique<Tables>(*isa_, relax)),
      printer_(std::make_unique<codec::Printer>(*isa_, *tables_)),
      operand_plans_(std::make_unique<codec::OperandPlans>(*isa_)) {}

Codec::~Codec() = default;

const Isa& Codec::isa() const { return *isa_; }

const Codec::Tables& Codec::tables() const {
    tables_->need_all();
    return *tables_;
}

}  // namespace isaforge
