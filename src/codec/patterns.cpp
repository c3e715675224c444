#include "codec/patterns.hpp"

#include <algorithm>
#include <cctype>
#include <memory>
#include <span>

#include "codec/characters.hpp"
#include "codec/derive.hpp"

namespace isaforge::codec {

namespace {

// A decimal number without leading zeros, or, where no word is being read, one with 0x. Null where it may be something
// else or does not fit into 63 bits.
const char* plain_number(const char* p, const char* end, bool in_word, std::uint64_t& value) {
    value = static_cast<std::uint64_t>(*p - '0');
    if (p + 1 == end || (!is_digit(p[1]) && (*p != '0' || (p[1] | 0x20) != 'x'))) return p + 1;  // as most are
    value = 0;
    const char* const begin = p;
    if (*p == '0' && end - p > 2 && (p[1] | 0x20) == 'x') {
        if (in_word) return nullptr;
        for (p += 2; p != end && hex_digit(*p) < 16; ++p) {
            if (p - begin > 16) return nullptr;
            value = value << 4 | hex_digit(*p);
        }
        return p - begin > 2 && value >> 63 == 0 ? p : nullptr;
    }
    for (; p != end && is_digit(*p); ++p) {
        if (p - begin > 17) return nullptr;
        value = value * 10 + static_cast<std::uint64_t>(*p - '0');
    }
    return *begin == '0' && p - begin > 1 ? nullptr : p;
}

// The cell of each character in a row: capitals have that of the small letter where case does not matter. Cell 0 is that of all
// which no text has: control characters and, but for texts that need them, what is not ASCII.
struct Classes {
    std::array<std::uint8_t, 256> of{};
    std::size_t count = 0;

    constexpr Classes(bool fold, unsigned last) : count(last - ' ' + 2) {
        for (unsigned c = ' '; c <= last; ++c) {
            const bool is_capital = fold && c >= 'A' && c <= 'Z';
            of[c] = static_cast<std::uint8_t>((is_capital ? c | 0x20 : c) - ' ' + 1);
        }
    }
};

constexpr Classes letter_classes(false, '~'), folded_classes(true, '~'), all_classes(false, 255),
    all_folded_classes(true, 255);

// Whether what stands behind a number may make it a part of an expression. Blanks may stand in between.
bool may_go_on(const char* p, const char* end, char stop) {
    while (p != end && (*p == ' ' || *p == '\t')) ++p;
    return p != end && *p != stop && std::string_view("+-*/%<>=!&^|?.:'").find(*p) != std::string_view::npos;
}

}  // namespace

Patterns::Patterns(bool case_insensitive)
    : case_insensitive_(case_insensitive), classes_(folded_classes.of.data()), nodes_(1), passing_(1), branches_(1) {}

unsigned Patterns::add_type(bool expressions) {
    if (expressions) expressions_ |= 1u << type_count_;
    return type_count_++;
}

void Patterns::add(unsigned type, const Spelling& spelling) {
    constexpr std::size_t usual = 128;  // letters of an operand's texts
    if (added_.empty()) nodes_.reserve(usual), passing_.reserve(usual), branches_.reserve(usual);
    std::uint32_t node = 0;
    passing_[0].types |= 1u << type;
    std::size_t number = 0;
    bool nested = false;
    for (const char raw : spelling.text) {
        const char letter = fold(raw);
        const bool counts = letter == number_mark || letter == operand_mark;
        Branch wanted{.letter = letter};
        if (letter == operand_mark) {
            wanted.operand = spelling.numbers[number].operand;
            wanted.after = spelling.numbers[number].after;
            nested = true;
        }
        number += counts;
        const auto is_wanted = [&](const Branch& branch) {
            return branch.letter == letter && branch.operand == wanted.operand && branch.after == wanted.after;
        };
        std::uint32_t* link = &branches_[node].child;
        while (*link != 0 && !is_wanted(branches_[*link])) link = &branches_[*link].sibling;
        if (counts || letter == ' ') passing_[node].varies |= 1u << type;
        if (letter == operand_mark) passing_[node].nests |= 1u << type;
        if (!is_word(letter)) passing_[node].marks |= 1u << type;
        if (*link == 0) {
            const auto fresh = static_cast<std::uint32_t>(nodes_.size());
            *link = fresh;
            branches_.push_back(wanted);
            nodes_.emplace_back();
            passing_.emplace_back();
            if (letter == number_mark) nodes_[node].number = fresh;
            node = fresh;
        } else {
            node = *link;
        }
        passing_[node].types |= 1u << type;
    }
    const auto first_number = static_cast<std::uint32_t>(numbers_.size());
    numbers_.insert(numbers_.end(), spelling.numbers.begin(), spelling.numbers.end());
    Ending ending;
    ending.code = spelling.code;
    ending.first_number = first_number;
    ending.count = static_cast<std::uint16_t>(spelling.numbers.size());
    ending.type = static_cast<std::uint16_t>(type);
    ending.order = static_cast<std::uint32_t>(added_.size());
    ending.row = spelling.row;
    ending.nested = nested;
    if (ending.count == 1 && !nested) set_simple(ending, spelling.numbers[0]);
    added_.push_back({node, ending});
}

// What most numbers are, the number of a register, can be said in a few bits.
void Patterns::set_simple(Ending& ending, const PatternNumber& rule) {
    constexpr std::int64_t most = ~std::uint32_t{0};
    ending.simple = rule.scale == 1 && rule.step == 1 && rule.tail_bits == 0 && rule.bias >= 0 && rule.bias <= most &&
                    (rule.low >= 0 || rule.bias == 0) && rule.high >= 0 && rule.high <= most;
    if (!ending.simple) return;
    ending.bias = static_cast<std::uint32_t>(rule.bias);
    ending.low = static_cast<std::uint32_t>(std::max<std::int64_t>(rule.low, 0));  // what is written is not negative
    ending.high = static_cast<std::uint32_t>(rule.high);
    ending.mask = static_cast<std::uint32_t>(rule.mask);
    ending.shift = rule.shift;
    ending.drop = rule.drop;
    ending.named = rule.named;
}

void Patterns::add(unsigned type, std::string_view text, std::uint64_t code) {
    add(type, Spelling{std::string(text), code, {}, 0});
}

void Patterns::finish() {
    std::stable_sort(added_.begin(), added_.end(), [](const Added& a, const Added& b) {
        return a.node != b.node ? a.node < b.node : a.ending.type < b.ending.type;
    });
    endings_.reserve(added_.size());
    for (const Added& added : added_) {
        Node& node = nodes_[added.node];
        if (node.ending_types == 0) node.first_span = static_cast<std::uint32_t>(spans_.size());
        const std::uint32_t bit = 1u << added.ending.type;
        if ((node.ending_types & bit) == 0) spans_.push_back({static_cast<std::uint32_t>(endings_.size()), 0});
        node.ending_types |= bit;
        ++spans_.back().count;
        endings_.push_back(added.ending);
    }
    place_rows();
    added_ = {};
    branches_ = {};
}

// The rows of all nodes, a cell for each letter, pushed into each other: a cell says whose it is.
void Patterns::place_rows() {
    constexpr std::uint32_t nobody = ~std::uint32_t{0};
    constexpr std::size_t most_tries = 16;
    const bool is_ascii = std::ranges::none_of(
        branches_, [](const Branch& branch) { return static_cast<unsigned char>(branch.letter) > '~'; });
    const Classes& classes = is_ascii ? (case_insensitive_ ? folded_classes : letter_classes)
                                      : (case_insensitive_ ? all_folded_classes : all_classes);
    classes_ = classes.of.data();
    cells_.reserve(nodes_.size() + 2 * classes.count);
    cells_.assign(classes.count, {nobody, 0, 0});
    std::size_t first_free = 1;
    std::vector<std::pair<std::uint8_t, std::uint32_t>> row;
    for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
        row.clear();
        Node& node = nodes_[i];
        for (std::uint32_t child = branches_[i].child; child != 0; child = branches_[child].sibling) {
            const char letter = branches_[child].letter;
            if (letter == operand_mark) {
                if (node.nested_count++ == 0) node.first_nested = static_cast<std::uint32_t>(nested_.size());
                nested_.push_back({branches_[child].operand, branches_[child].after, child});
            } else if (letter != number_mark) {
                row.emplace_back(classes_[static_cast<unsigned char>(letter)], child);
            }
        }
        if (node.number != 0 || node.ending_types != 0 || node.nested_count != 0) node.row = special;
        if (row.empty()) continue;  // none of the cells at the begin are its own
        std::sort(row.begin(), row.end());
        while (first_free < cells_.size() && cells_[first_free].node != nobody) ++first_free;
        std::size_t base = first_free > row[0].first ? first_free - row[0].first : 0;
        const auto is_free = [&](const auto& one) {
            return base + one.first >= cells_.size() || cells_[base + one.first].node == nobody;
        };
        std::size_t tried = 0;
        for (; !std::all_of(row.begin(), row.end(), is_free); ++base) ++tried;
        if (tried > most_tries) first_free = base + row[0].first;  // few rows fit into the gaps there
        if (cells_.size() < base + classes.count) cells_.resize(base + classes.count, {nobody, 0, 0});
        node.row |= static_cast<std::uint32_t>(base);
        for (const auto& [letter, child] : row) cells_[base + letter] = {i, child, 0};
    }
    for (Cell& cell : cells_) {
        if (cell.node != nobody) cell.row = nodes_[cell.next].row;
    }
}

// Calls `visit(node, at, numbers)` for each end of a pattern on the way.
template <typename Visit>
void Patterns::follow(std::uint32_t node, const char* begin, const char* p, const char* end, NestedReader& nested,
                      Numbers& numbers, unsigned count, const Visit& visit) const {
    for (;;) {
        const Node& here = nodes_[node];
        if (here.ending_types != 0) visit(node, p, numbers);
        if (p == end) return;
        for (std::uint32_t i = here.first_nested; i < here.first_nested + here.nested_count; ++i) {
            PatternMatch match;
            Numbers more = numbers;
            const char* const after = nested.read(nested_[i].operand, p, nested_[i].after, match);
            if (after && count < most_numbers && add_nested(more, count, match))
                follow(nested_[i].next, begin, after, end, nested, more, count + 1, visit);
        }
        if (here.number != 0 && count < most_numbers && is_digit(*p)) {
            const char* const after = plain_number(p, end, p != begin && is_word(p[-1]), numbers.value[count]);
            if (after) follow(here.number, begin, after, end, nested, numbers, count + 1, visit);
        }
        const Cell& next = cell(here.row, *p);
        if (next.node != node) return;
        node = next.next;
        ++p;
    }
}

// One word may follow the instruction.
bool Patterns::add_nested(Numbers& numbers, unsigned count, const PatternMatch& match) {
    if (match.tail_bits != 0 && numbers.tail_bits != 0) return false;
    numbers.value[count] = match.code;
    numbers.numeric |= match.numeric;
    if (match.tail_bits == 0) return true;
    numbers.tail = match.tail;
    numbers.tail_bits = static_cast<std::uint8_t>(match.tail_bits);
    numbers.tail_shared = match.tail_shared;
    return true;
}

// Whether a text ends at the node that the cell leads to, or goes on with what stands here.
bool Patterns::goes_on(const Cell& from, const char* p, const char* end) const {
    return (from.row & special) != 0 || (p != end && cell(from.row, *p).node == from.next);
}

// The same behind a number or an operand. Where all that may end would be an expression, a number with a point does not.
bool Patterns::may_end_or_go_on(std::uint32_t node, const char* begin, const char* p, const char* end,
                                char stop) const {
    const Node& here = nodes_[node];
    if (p != end && cell(here.row, *p).node == node) return true;
    if (here.nested_count != 0 || here.number != 0) return true;
    if (p == end || *p != '.') return here.ending_types != 0;
    const bool is_fraction = stop != '.' && p != begin && is_digit(p[-1]) && p + 1 != end && is_digit(p[1]);
    return is_fraction ? (here.ending_types & ~expressions_) != 0 || is_alpha(*begin) : here.ending_types != 0;
}

namespace {

// For who asks for the result alone.
struct NoLog {
    static bool passes(std::uint32_t) { return true; }
    void letter(std::uint32_t, std::uint32_t, const char*) {}
    void number_or_letter(std::uint32_t, std::uint32_t, const char*, const char*) {}
    void number(unsigned, const char*, const char*) {}
    void nested(NestedReader&, unsigned, Index, const char*, const After&, const char*) {}
};

}  // namespace

// Whether a text of the operand goes on with a certain digit behind the node.
bool Patterns::has_digit(std::uint32_t node, std::uint32_t row, unsigned type) const {
    for (char c = '0'; c <= '9'; ++c) {
        const Cell& next = cell(row, c);
        if (next.node == node && passes(next.next, type)) return true;
    }
    return false;
}

// Notes where it matters which digit stands somewhere.
class Patterns::DerivationLog {
public:
    DerivationLog(const Patterns& patterns, unsigned type, Derivation& out)
        : patterns_(patterns), type_(type), out_(out) {}

    // Only what may become a text of the operand counts.
    bool passes(std::uint32_t node) const { return patterns_.passes(node, type_); }
    void letter(std::uint32_t node, std::uint32_t row, const char* p) {
        if (is_digit(*p) && patterns_.has_digit(node, row, type_)) out_.looked.push_back(p);
    }
    // The same where it may be a number, too, of any number of digits: a text that goes on with a digit must go on with another, or
    // with what stands behind the number.
    void number_or_letter(std::uint32_t node, std::uint32_t row, const char* p, const char* end) {
        const char* behind = p;
        while (behind != end && is_digit(*behind)) ++behind;
        for (char c = '0'; c <= '9'; ++c) {
            const Cell& next = patterns_.cell(row, c);
            if (next.node != node || !patterns_.passes(next.next, type_)) continue;
            if (patterns_.has_digit(next.next, next.row, type_) || patterns_.goes_on(next, behind, end))
                return out_.looked.push_back(p);
        }
    }
    void number(unsigned index, const char* begin, const char* end) { numbers[index] = {begin, end}; }
    // An operand in the text, up to `end`, or none.
    void nested(NestedReader& reader, unsigned index, Index operand, const char* p, const After& after,
                const char* end) {
        auto inner = std::make_unique<Derivation>();
        if (!reader.derive(operand, p, after, *inner)) {
            out_.looked_on = true;
            return;
        }
        out_.looked_on |= inner->looked_on;
        for (const Derivation::Part& part : inner->refused) inner->look(part.written);
        if (!end) inner->look_at_parts();
        out_.looked.insert(out_.looked.end(), inner->looked.begin(), inner->looked.end());
        if (end) operands[index] = std::move(inner);
    }

    Derivation::Number numbers[most_numbers + 1] = {};
    std::unique_ptr<Derivation> operands[most_numbers + 1];

private:
    const Patterns& patterns_;
    const unsigned type_;
    Derivation& out_;
};

void Patterns::walk(const char* begin, const char* end, NestedReader& nested, char stop, Walk& out) const {
    NoLog log;
    walk(begin, end, nested, stop, out, log);
}

template <typename Log>
void Patterns::walk(const char* begin, const char* end, NestedReader& nested, char stop, Walk& out, Log& log) const {
    out.begin = begin;
    out.count_ = 0;
    out.more_ = false;
    out.numbers_.tail = 0;
    out.numbers_.tail_bits = 0;
    out.numbers_.tail_shared = out.numbers_.numeric = false;
    std::uint32_t node = 0, row = nodes_[0].row;
    unsigned count = 0;
    for (const char* p = begin;;) {
        const Node* here = nullptr;  // where there is more to it than letters
        if ((row & special) != 0) {
            here = &nodes_[node];
            if (here->ending_types != 0) {
                out.more_ |= out.count_ == Walk::most_stops;
                if (out.more_) return;
                out.stops_[out.count_++] = {p, node};
            }
        }
        if (p == end) return;
        const bool is_number = here && here->number != 0 && log.passes(here->number) && is_digit(*p);
        if (is_number) {
            log.number_or_letter(node, row, p, end);
        } else {
            log.letter(node, row, p);
        }
        if (!here || (here->nested_count == 0 && !is_number)) {
            const Cell& next = cell(row, *p);
            if (next.node != node || !log.passes(next.next)) return;
            node = next.next;
            row = next.row;
            ++p;
            continue;
        }
        const Cell& by_letter = cell(row, *p);
        if (by_letter.node == node && p + 1 != end && !is_number) log.letter(by_letter.next, by_letter.row, p + 1);
        const bool by_letters = by_letter.node == node && log.passes(by_letter.next) && goes_on(by_letter, p + 1, end);
        std::uint32_t next = by_letters ? by_letter.next : 0;
        const char* after = p + 1;
        unsigned ways = next != 0 ? 1 : 0, read = 0;
        if (is_number) {
            const char* const number_end =
                plain_number(p, end, p != begin && is_word(p[-1]), out.numbers_.value[count]);
            if (number_end) {
                log.number(count, p, number_end);
                if (may_end_or_go_on(here->number, begin, number_end, end, stop)) {
                    next = here->number;
                    after = number_end;
                    read = 1;
                    ++ways;
                }
            }
        }
        for (std::uint32_t i = here->first_nested; i < here->first_nested + here->nested_count && ways < 2; ++i) {
            if (!log.passes(nested_[i].next)) continue;
            PatternMatch match;
            const char* nested_end = nested.read(nested_[i].operand, p, nested_[i].after, match);
            if (nested_end && !may_end_or_go_on(nested_[i].next, begin, nested_end, end, stop)) {
                if (nested_end != end) log.letter(nested_[i].next, nodes_[nested_[i].next].row, nested_end);
                nested_end = nullptr;
            }
            log.nested(nested, count, nested_[i].operand, p, nested_[i].after, nested_end);
            if (!nested_end || ++ways == 2 || !add_nested(out.numbers_, count, match)) continue;
            next = nested_[i].next;
            after = nested_end;
            read = 1;
        }
        out.more_ |= ways > 1;
        if (ways != 1 || next == 0) return;
        node = next;
        row = nodes_[next].row;
        p = after;
        count += read;
    }
}

// Whether the text of an operand may end here.
bool Patterns::fits(const char* begin, const char* at, const char* end, unsigned type, const After& after) const {
    if (at == begin || !is_word(at[-1])) return true;
    if (!after.glued && at != end && is_word(*at)) return false;
    // A number may go on as an expression; a name does not.
    return (expressions_ >> type & 1) == 0 || is_alpha(*begin) || !may_go_on(at, end, after.stop);
}

// The first of these spellings before the one with this order whose numbers are in range.
const Patterns::Ending* Patterns::take_first(const Span& span, const Numbers& numbers, std::uint32_t before,
                                             PatternMatch& out) const {
    const Ending* ending = endings_.data() + span.first;
    for (const Ending* const last = ending + span.count; ending != last; ++ending) {
        if (ending->order >= before) return nullptr;
        if (take(*ending, numbers, out)) return ending;
    }
    return nullptr;
}

const char* Patterns::take(const Walk& walk, const char* end, NestedReader& nested, unsigned type, const After& after,
                           PatternMatch& out) const {
    if (walk.more_) return take_best(walk.begin, end, nested, type, after, out);
    for (unsigned i = walk.count_; i-- > 0;) {
        const Walk::Stop& stop = walk.stops_[i];
        const Span* const span = span_of(nodes_[stop.node], type);
        if (span && fits(walk.begin, stop.at, end, type, after) &&
            take_first(*span, walk.numbers_, ~std::uint32_t{0}, out))
            return stop.at;
    }
    return nullptr;
}

bool Patterns::derive(const char* begin, const char* end, NestedReader& nested, unsigned type, const After& after,
                      Derivation& out) const {
    Walk found;
    DerivationLog log(*this, type, out);
    out.begin = begin;
    walk(begin, end, nested, after.stop, found, log);
    if (found.more_) return false;
    for (unsigned i = found.count_; i-- > 0;) {
        const Walk::Stop& stop = found.stops_[i];
        const Span* const span = span_of(nodes_[stop.node], type);
        if (!span || !fits(begin, stop.at, end, type, after)) continue;
        for (std::uint32_t one = span->first; one < span->first + span->count; ++one) {
            const Ending& ending = endings_[one];
            const std::span<const PatternNumber> rules(numbers_.data() + ending.first_number, ending.count);
            if (take(ending, found.numbers_, out.match)) {
                out.end = stop.at;
                flatten(ending, log, out);
                return true;
            }
            if (rules.size() == 1 && rules[0].operand == no_index && rules[0].tail_bits == 0) {
                out.refused.push_back({rules[0], log.numbers[0]});
                continue;
            }
            for (std::size_t number = 0; number < rules.size(); ++number) {
                if (rules[number].operand == no_index) out.look(log.numbers[number]);
                if (log.operands[number]) out.looked_on = true;
            }
        }
    }
    return true;
}

// What the numbers of a text come to, with those of operands in it.
void Patterns::flatten(const Ending& ending, DerivationLog& log, Derivation& out) const {
    out.base = ending.code;
    std::size_t part_of[most_numbers] = {};
    for (std::uint32_t i = 0; i < ending.count; ++i) {
        PatternNumber rule = numbers_[ending.first_number + i];
        part_of[i] = out.parts.size();
        if (rule.operand == no_index) {
            if (rule.same_as >= 0) rule.same_as = static_cast<std::int8_t>(part_of[rule.same_as]);
            out.parts.push_back({rule, log.numbers[i]});
            continue;
        }
        if (!log.operands[i]) continue;  // all of it was looked at
        const Derivation& inner = *log.operands[i];
        std::uint64_t codes = inner.base;  // all that the operand can have
        for (const Derivation::Part& part : inner.parts)
            if (part.rule.tail_bits == 0 && part.rule.same_as < 0) codes |= part.rule.mask << part.rule.shift;
        const bool is_whole = rule.scale == 1 && rule.bias == 0 && rule.step == 1 && rule.same_as < 0 &&
                              rule.tail_bits == 0 && rule.low <= 0 && rule.high >= 0 && (codes & ~rule.mask) == 0 &&
                              codes <= static_cast<std::uint64_t>(rule.high);
        out.base |= inner.match.code << rule.shift;
        if (!is_whole) {
            for (const Derivation::Part& part : inner.parts) out.look(part.written);
            continue;
        }
        const std::size_t first = out.parts.size();
        for (Derivation::Part part : inner.parts) {
            if (part.rule.same_as >= 0) part.rule.same_as = static_cast<std::int8_t>(part.rule.same_as + first);
            if (part.rule.tail_bits == 0) part.rule.shift = static_cast<std::uint8_t>(part.rule.shift + rule.shift);
            out.parts.push_back(part);
        }
        out.base &= ~((codes & ~inner.base) << rule.shift);
    }
}

// The same where the text may be read in several ways.
const char* Patterns::take_best(const char* begin, const char* end, NestedReader& nested, unsigned type,
                                const After& after, PatternMatch& out) const {
    const char* best = nullptr;
    std::uint32_t order = 0;
    Numbers numbers{};
    follow(0, begin, begin, end, nested, numbers, 0, [&](std::uint32_t node, const char* at, const Numbers& read) {
        const Span* const span = span_of(nodes_[node], type);
        if (!span || (best && at < best) || !fits(begin, at, end, type, after)) return;
        const Ending* const ending = take_first(*span, read, at == best ? order : ~std::uint32_t{0}, out);
        if (!ending) return;
        best = at;
        order = ending->order;
    });
    return best;
}

PatternRefusal Patterns::refusal(const Walk& walk, const char* end, unsigned type, const After& after,
                                 const char* word) const {
    PatternRefusal out;
    for (unsigned i = 0; i < walk.count_; ++i) {
        const Walk::Stop& stop = walk.stops_[i];
        const bool ends = stop.at != walk.begin && span_of(nodes_[stop.node], type);
        if (ends && fits(walk.begin, stop.at, end, type, after)) out.end = stop.at;
    }
    out.may_vary = walk.more_ || may_vary(0, walk.begin, walk.begin, end, type, word);
    return out;
}

// The operands with texts that may go on in another way where `c` stands: behind a blank or a comment, or with a number.
std::uint32_t Patterns::stopped_at(const Passing& passing, char c, bool is_name) {
    if (is_name) return passing.nests;
    const bool is_blank = !is_word(c) && c != ',' && c != ')' && c != ']' && c != '|';
    return is_blank ? passing.marks : passing.varies;
}

// Whether a text of the operand stops where a blank makes a difference, or where it would go on with a number.
bool Patterns::may_vary(std::uint32_t node, const char* begin, const char* p, const char* end, unsigned type,
                        const char* word) const {
    for (; p != end; ++p) {
        const Node& here = nodes_[node];
        if (here.number != 0 && passes(here.number, type) && is_digit(*p)) {
            std::uint64_t number = 0;
            const char* const after = plain_number(p, end, p != begin && is_word(p[-1]), number);
            if (after && may_vary(here.number, begin, after, end, type, word)) return true;
        }
        const Cell& next = cell(here.row, *p);
        if (next.node != node || !passes(next.next, type))
            return (stopped_at(passing_[node], *p, p == word && p != begin) >> type & 1) != 0;
        node = next.next;
    }
    return false;
}

bool Patterns::match(const char*& cursor, const char* end, NestedReader& nested, const After& after,
                     PatternMatch& out) const {
    Walk found;
    walk(cursor, end, nested, after.stop, found);
    const char* const found_end = take(found, end, nested, 0, after, out);
    if (found_end) cursor = found_end;
    return found_end != nullptr;
}

bool Patterns::take(const Ending& ending, const Numbers& numbers, PatternMatch& out) const {
    if (ending.count == 0) {
        out = {};
        out.code = ending.code;
        out.row = ending.row;
        return true;
    }
    if (ending.simple) {
        const std::uint64_t value = numbers.value[0] - ending.bias;
        if (value < ending.low || value > ending.high) return false;
        out = {};
        out.code = ending.code | (value >> ending.drop & ending.mask) << ending.shift;
        out.numeric = !ending.named;
        out.row = ending.row;
        return true;
    }
    std::uint64_t code = ending.code, tail = numbers.tail;
    unsigned tail_bits = numbers.tail_bits;
    bool tail_shared = numbers.tail_shared, numeric = numbers.numeric;
    std::int64_t values[most_numbers];
    for (std::uint32_t i = 0; i < ending.count; ++i) {
        const PatternNumber& rule = numbers_[ending.first_number + i];
        std::int64_t value = 0;
        if (__builtin_sub_overflow(static_cast<std::int64_t>(numbers.value[i]), rule.bias, &value)) return false;
        if (rule.scale != 1) {
            if (value % rule.scale != 0) return false;
            value /= rule.scale;
        }
        values[i] = value;
        numeric |= !rule.named && rule.operand == no_index;
        if (rule.same_as >= 0) {
            if (value != values[rule.same_as]) return false;
            continue;
        }
        if (value < rule.low || value > rule.high || (rule.step != 1 && (value - rule.low) % rule.step != 0))
            return false;
        if (rule.tail_bits != 0) {
            if (tail_bits != 0) return false;
            tail = rule.bits(value);
            tail_bits = rule.tail_bits;
            tail_shared = rule.tail_shared;
        } else {
            code |= rule.bits(value) << rule.shift;
        }
    }
    out = {code, tail, tail_bits, tail_shared, numeric, ending.nested, ending.row};
    return true;
}

}  // namespace isaforge::codec
