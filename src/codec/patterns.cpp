#include "codec/patterns.hpp"

#include <algorithm>
#include <bit>
#include <functional>
#include <limits>
#include <string_view>
#include <utility>

#include "codec/numerals.hpp"

namespace isaforge::codec {

namespace {

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

// Numbers of the characters for which there may be rules: 1 for any digit, then letters, small ones and capitals.
constexpr std::array<std::uint8_t, 256> keys_of(bool fold) {
    std::array<std::uint8_t, 256> out{};
    for (unsigned c = '0'; c <= '9'; ++c) out[c] = 1;
    for (unsigned i = 0; i < 26; ++i) {
        out['a' + i] = static_cast<std::uint8_t>(2 + i);
        out['A' + i] = static_cast<std::uint8_t>(2 + i + (fold ? 0 : 26));
    }
    return out;
}
constexpr std::array<std::uint8_t, 256> keys = keys_of(false), folded_keys = keys_of(true);

// What an expression goes on with.
constexpr std::array<bool, 256> operators = [] {
    std::array<bool, 256> out{};
    for (const char c : std::string_view("+-*/%<>=!&^|?.:'")) out[static_cast<unsigned char>(c)] = true;
    return out;
}();

}  // namespace

const char* odd_number(const char* p, const char* end, bool in_word, std::uint64_t& value) {
    const char* const begin = p;
    value = 0;
    if (end - p > 2 && (p[1] | 0x20) == 'x') {
        if (in_word) return nullptr;
        for (p += 2; p != end && digit_value(*p) < 16; ++p) {
            if (p - begin > 16) return nullptr;
            value = value << 4 | digit_value(*p);
        }
        return p - begin > 2 && value >> 63 == 0 ? p : nullptr;
    }
    return p + 1 != end && is_digit(p[1]) ? nullptr : p + 1;
}

bool may_go_on(const char* p, const char* end, char stop) {
    while (p != end && (*p == ' ' || *p == '\t')) ++p;
    return p != end && *p != stop && operators[static_cast<unsigned char>(*p)];
}

Patterns::Patterns(bool case_insensitive, bool expressions, std::span<const NumberMark> marks)
    : case_insensitive_(case_insensitive),
      expressions_(expressions),
      marks_(marks),
      key_of_(case_insensitive ? folded_keys.data() : keys.data()),
      classes_(folded_classes.of.data()),
      nodes_(1),
      branches_(1) {
    for (const NumberMark& mark : marks)
        if (!mark.before.empty() && !is_word(mark.before[0]))
            marked_[static_cast<unsigned char>(mark.before[0]) % marked_.size()] = mark.before[0];
}

const char* Patterns::marked_number(const char* p, const char* end, std::uint64_t& value) const {
    bool too_large = false;
    const char* const behind = read_numeral(marks_, p, end, value, too_large);
    return too_large || value >> 63 != 0 ? nullptr : behind;
}

void Patterns::add(const Spelling& spelling) {
    constexpr std::size_t usual = 128;  // letters of an operand's texts
    if (added_.empty()) nodes_.reserve(usual), branches_.reserve(usual);
    std::uint32_t node = 0;
    std::size_t number = 0;
    Ending ending;
    for (const char raw : spelling.text) {
        const char letter = fold(raw);
        const bool is_read = letter == number_mark || letter == operand_mark;
        Branch wanted;
        wanted.letter = letter;
        nodes_[node].may_nest |= letter == operand_mark && !spelling.numbers[number].is_number;
        if (letter == operand_mark) {
            wanted.operand = spelling.numbers[number].operand;
            wanted.after = spelling.numbers[number].after;
            ending.nested = true;
        }
        number += is_read;
        const auto is_wanted = [&](const Branch& branch) {
            return branch.letter == letter && branch.operand == wanted.operand && branch.after == wanted.after;
        };
        std::uint32_t* link = &branches_[node].child;
        while (*link != 0 && !is_wanted(branches_[*link])) link = &branches_[*link].sibling;
        nodes_[node].varies |= is_read || letter == ' ';
        nodes_[node].marks |= !is_word(letter);
        if (*link == 0) {
            const auto fresh = static_cast<std::uint32_t>(nodes_.size());
            *link = fresh;
            branches_.push_back(wanted);
            nodes_.emplace_back();
            if (letter == number_mark) nodes_[node].number = fresh;
            node = fresh;
        } else {
            node = *link;
        }
    }
    ending.first_number = static_cast<std::uint32_t>(numbers_.size());
    numbers_.insert(numbers_.end(), spelling.numbers.begin(), spelling.numbers.end());
    ending.code = spelling.code;
    ending.count = static_cast<std::uint16_t>(spelling.numbers.size());
    ending.order = static_cast<std::uint32_t>(added_.size());
    ending.row = spelling.row;
    if (!ending.nested) set_simple(ending, spelling.numbers);
    added_.push_back({node, ending});
}

// What most numbers are, that of a register or those of a range of them, can be said in a few bits.
void Patterns::set_simple(Ending& ending, const std::vector<PatternNumber>& numbers) {
    constexpr std::int64_t most = ~std::uint32_t{0};
    if (numbers.empty() || numbers.size() > 2) return;
    const PatternNumber& rule = numbers[0];
    const auto is_small = [&](std::int64_t value) { return value >= 0 && value <= most; };
    const bool is_near =
        rule.bias >= std::numeric_limits<std::int32_t>::min() && rule.bias <= std::numeric_limits<std::int32_t>::max();
    const auto scale = static_cast<std::uint64_t>(rule.scale), step = static_cast<std::uint64_t>(rule.step);
    if (rule.scale <= 0 || !std::has_single_bit(scale) || rule.tail_bits != 0 || !is_near || !is_small(rule.scale) ||
        !is_small(rule.high) || (rule.low < 0 && rule.bias != 0))
        return;
    const std::int64_t low = std::max<std::int64_t>(rule.low, 0);  // what is written is not negative
    if (!is_small(rule.step) || !std::has_single_bit(step) || (low != rule.low && rule.step != 1)) return;
    if (rule.high < low || !is_small(rule.high * rule.scale) || !is_small(rule.step * rule.scale)) return;
    const int drop = rule.drop + std::countr_zero(scale);
    if (drop >= std::numeric_limits<std::uint64_t>::digits) return;
    if (numbers.size() == 2) {
        const PatternNumber& other = numbers[1];
        if (other.scale != rule.scale || other.same_as != 0 || other.bias < rule.bias ||
            other.bias > rule.bias + 0xffff)
            return;
        ending.gap = static_cast<std::uint16_t>(other.bias - rule.bias);
    }
    if (ending.code > std::numeric_limits<std::uint32_t>::max()) return;
    ending.simple = true;
    ending.number.code = static_cast<std::uint32_t>(ending.code);
    ending.number.bias = static_cast<std::int32_t>(rule.bias);
    ending.number.low = static_cast<std::uint32_t>(low * rule.scale);
    ending.number.span = static_cast<std::uint32_t>((rule.high - low) * rule.scale);
    ending.number.mask = static_cast<std::uint32_t>(rule.mask);
    ending.number.between = static_cast<std::uint32_t>(rule.step * rule.scale - 1);
    ending.number.shift = rule.shift;
    ending.number.drop = static_cast<std::uint8_t>(drop);
    ending.named = std::ranges::all_of(numbers, &PatternNumber::named);
}

void Patterns::add(std::string_view text, std::uint64_t code) { add(Spelling{std::string(text), code, {}, 0}); }

void Patterns::finish() {
    std::stable_sort(added_.begin(), added_.end(), [](const Added& a, const Added& b) { return a.node < b.node; });
    endings_.reserve(added_.size());
    for (const Added& added : added_) {
        Node& node = nodes_[added.node];
        if (node.ending_count++ == 0) node.first_ending = static_cast<std::uint32_t>(endings_.size());
        endings_.push_back(added.ending);
    }
    place_rows();
    find_rules();
    added_ = {};
    branches_ = {};
}

// How many of a node's endings, from the first on, are simple.
std::uint8_t Patterns::simple_endings(std::uint32_t node, std::uint16_t numbers) const {
    const auto first = endings_.begin() + nodes_[node].first_ending, last = first + nodes_[node].ending_count;
    const auto other =
        std::find_if(first, last, [&](const Ending& one) { return !one.simple || one.count != numbers; });
    return static_cast<std::uint8_t>(std::min<std::ptrdiff_t>(other - first, 0xff));
}

// Where all texts go on with the same character, in small letters if case does not matter: the node behind it; otherwise 0.
std::uint32_t Patterns::single_way(std::uint32_t node, char& letter) const {
    const std::uint32_t child = branches_[node].child;
    if (child == 0 || branches_[child].sibling != 0 || (nodes_[node].row & beside_letters) != 0) return 0;
    letter = branches_[child].letter;
    return child;
}

// The same where it is always written so.
std::uint32_t Patterns::only_branch(std::uint32_t node, char& letter) const {
    const std::uint32_t child = single_way(node, letter);
    return case_insensitive_ && is_letter(letter) ? 0 : child;
}

// `letter`: or any digit.
Patterns::Rule& Patterns::rule_for(char letter) {
    std::uint8_t& at = rule_at_[key_of_[static_cast<unsigned char>(letter)]];
    if (at != 0) return rules_[at - 1u];
    Rule& rule = rules_.emplace_back();
    at = static_cast<std::uint8_t>(rules_.size());
    rule.letters = is_digit(letter) ? 0 : 1;
    rule.forbidden = goes_on_as_word;
    if (rule.letters == 0 || (before_size_ != 0 && expressions_)) rule.forbidden |= goes_on_as_number;
    return rule;
}

// Which texts are a letter with a number or a range behind it, of which nothing else is a text that begins so.
void Patterns::find_rules() {
    std::uint32_t node = 0;
    char letter = 0;
    for (; before_size_ < most_before; before_[before_size_++] = letter) {
        const std::uint32_t next = only_branch(node, letter);
        if (next == 0 || nodes_[next].row >= nests) break;
        node = next;
    }
    if (nodes_[node].may_nest) return;
    if (nodes_[node].nested_count == 0) find_number(node);
    if ((nodes_[node].row & ends) != 0) return;
    for (std::uint32_t child = branches_[node].child; child != 0; child = branches_[child].sibling) {
        if (!is_letter(branches_[child].letter) || nodes_[child].nested_count != 0) continue;
        const std::uint32_t number = nodes_[child].number;
        const std::uint8_t singles = number == 0 ? std::uint8_t{0} : simple_endings(number, 1);
        if (singles != 0 && (nodes_[child].row & beside_letters) == counts && branches_[number].child == 0)
            rule_for(branches_[child].letter).set_single(endings_[nodes_[number].first_ending], singles);
        for (std::uint32_t open = branches_[child].child; open != 0; open = branches_[open].sibling) {
            char middle = 0, close = 0;
            const std::uint32_t first = nodes_[open].number;
            if (is_word(branches_[open].letter) || (nodes_[open].row & beside_letters) != counts) continue;
            const std::uint32_t between = only_branch(first, middle);
            if (between == 0 || (nodes_[between].row & beside_letters) != counts) continue;
            const std::uint32_t last = only_branch(nodes_[between].number, close);
            if (last == 0 || branches_[last].child != 0 || is_word(middle) || is_word(close)) continue;
            if (simple_endings(last, 2) == 0) continue;
            Rule& rule = rule_for(branches_[child].letter);
            rule.range = endings_[nodes_[last].first_ending].number;
            rule.gap = endings_[nodes_[last].first_ending].gap;
            rule.open = branches_[open].letter;
            rule.middle = middle;
            rule.close = close;
            break;
        }
        if (rule_at_[key_of_[static_cast<unsigned char>(branches_[child].letter)]] == 0) continue;
        Rule& rule = rule_for(branches_[child].letter);
        if (is_closed(child, rule)) rule.forbidden |= closed;
    }
}

// Whether behind the letter that leads to the node there are but a number and a range of one kind.
bool Patterns::is_closed(std::uint32_t node, const Rule& rule) const {
    if (before_size_ != 0 || (nodes_[node].row & ends) != 0) return false;
    for (std::uint32_t next = branches_[node].child; next != 0; next = branches_[next].sibling) {
        if (branches_[next].letter == number_mark) continue;
        char letter = 0;
        if (branches_[next].letter != rule.open) return false;
        const std::uint32_t last = only_branch(nodes_[only_branch(nodes_[next].number, letter)].number, letter);
        if (nodes_[last].ending_count != 1) return false;
    }
    return true;
}

bool Patterns::excludes(const char* p, const char* end) const {
    const Rule* const rule = end - p > 1 ? rule_of(*p) : nullptr;
    if (!rule || (rule->forbidden & closed) == 0) return false;
    if (p[1] != rule->open) return is_text_mark(p[1]);
    std::uint64_t low = 0, high = 0;
    p += 2;
    p = p != end && is_digit(*p) ? plain_number(p, end, true, low) : nullptr;
    if (!p || p == end || *p != rule->middle) return false;
    ++p;
    p = p != end && is_digit(*p) ? plain_number(p, end, true, high) : nullptr;
    if (!p || end - p < 2 || *p != rule->close || (p[1] != ',' && p[1] != '\n')) return false;
    return high - low != rule->gap || !rule->range.has(rule->range.value_of(low));
}

// Whether texts that are numbers, and nothing else, may be known by a rule: others that begin with digits have letters or points in them.
void Patterns::find_number(std::uint32_t node) {
    const std::uint32_t number = nodes_[node].number;
    const std::uint8_t singles = number == 0 ? std::uint8_t{0} : simple_endings(number, 1);
    if (singles == 0 || number_may_go_on(number, false)) return;
    for (char digit = '0'; digit <= '9'; ++digit) {
        const Cell& next = cell(nodes_[node].row, digit);
        if (next.node == node && number_may_go_on(next.next, true)) return;
    }
    rule_for('0').set_single(endings_[nodes_[number].first_ending], singles);
}

// Whether texts go on behind a number with what else ends one. `by_digits`: it is no number but such letters, which may also end.
bool Patterns::number_may_go_on(std::uint32_t node, bool by_digits) const {
    const Node& here = nodes_[node];
    if (here.number != 0 || here.nested_count != 0 || (by_digits && here.ending_count != 0)) return true;
    const auto goes_on_with = [&](char c) { return cell(here.row, c).node == node; };
    if (std::ranges::any_of(behind_numbers, goes_on_with)) return true;
    for (char digit = '0'; by_digits && digit <= '9'; ++digit)
        if (goes_on_with(digit) && number_may_go_on(cell(here.row, digit).next, true)) return true;
    return false;
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
        bool has_digit = false;
        for (std::uint32_t child = branches_[i].child; child != 0; child = branches_[child].sibling) {
            const char letter = branches_[child].letter;
            if (letter == operand_mark) {
                if (node.nested_count++ == 0) node.first_nested = static_cast<std::uint32_t>(nested_.size());
                nested_.push_back({branches_[child].operand, branches_[child].after, child});
            } else if (letter != number_mark) {
                row.emplace_back(classes_[static_cast<unsigned char>(letter)], child);
                has_digit |= is_digit(letter);
            }
        }
        if (node.ending_count != 0) node.row |= ends;
        if (node.number != 0) node.row |= has_digit ? turns : counts;
        if (node.nested_count != 0) node.row |= node.may_nest ? nests : nests | nests_number;
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
    find_runs();
    for (Cell& cell : cells_) {
        if (cell.node != nobody) cell.row = nodes_[cell.next].row;
    }
    root_row_ = nodes_[0].row;
}

// Nodes from which a single way leads on, for as many characters as are compared at once.
void Patterns::find_runs() {
    constexpr unsigned fewest = 3;
    if constexpr (std::endian::native == std::endian::big) return;
    std::vector<bool> is_inside(nodes_.size());
    for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
        Run run;
        char letter = 0;
        if (is_inside[i]) continue;
        run.node = i;
        for (std::uint32_t next = i; run.size < sizeof run.characters; ++run.size) {
            next = single_way(next, letter);
            if (next == 0) break;
            is_inside[run.node] = run.size != 0;
            run.characters |= std::uint64_t{static_cast<unsigned char>(letter)} << (8 * run.size);
            run.node = next;
        }
        if (run.size < fewest) continue;
        run.mask = run.size == sizeof run.mask ? ~std::uint64_t{0} : (std::uint64_t{1} << (8 * run.size)) - 1;
        nodes_[i].run = static_cast<std::uint32_t>(runs_.size());
        nodes_[i].row |= runs;
        runs_.push_back(run);
    }
}

// Calls `visit(node, at, numbers)` for each end of a pattern on the way. `several_ways`: whether it parted anywhere.
template <typename Visit>
void Patterns::follow(std::uint32_t node, const char* begin, const char* p, const char* end, NestedReader& nested,
                      Numbers& numbers, unsigned count, bool& several_ways, const Visit& visit) const {
    for (;;) {
        const Node& here = nodes_[node];
        if ((here.row & ends) != 0) visit(here, p, numbers);
        if (p == end) return;
        if ((here.row & runs) != 0 && has_room(p, end)) {
            const Run& run = runs_[here.run];
            if (!has_run(run, p)) return;
            p += run.size;
            node = run.node;
            continue;
        }
        const Cell& next = cell(here.row, *p);
        const bool is_letter = next.node == node;
        if ((here.row & (counts | turns | nests)) != 0 && count < most_numbers) {
            // Behind a number or an operand; one of them goes on here, if that is the only way.
            const char* at = nullptr;
            std::uint32_t behind = 0;
            Numbers more;
            const auto part = [&] {
                if (!at) return;
                several_ways = true;
                follow(behind, begin, at, end, nested, more, count + 1, several_ways, visit);
            };
            for (std::uint32_t i = here.first_nested; i < here.first_nested + here.nested_count; ++i) {
                PatternMatch match;
                Numbers own = numbers;
                const char* const after = nested.read(nested_[i].operand, p, nested_[i].after, match);
                if (!after || !add_nested(own, count, match)) continue;
                part();
                at = after;
                behind = nested_[i].next;
                more = own;
            }
            std::uint64_t number = 0;
            const bool may_count = here.number != 0 && begins_number(begin, p);
            if (const char* const after = may_count ? number_at(begin, p, end, number) : nullptr) {
                part();
                at = after;
                behind = here.number;
                more = numbers;
                more.value[count] = number;
            }
            if (is_letter) {
                part();
            } else if (at) {
                numbers = more;
                ++count;
                node = behind;
                p = at;
                continue;
            }
        }
        if (!is_letter) return;
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

const char* Patterns::match(const char* begin, const char* end, NestedReader& nested, const After& after,
                            PatternMatch& out) const {
    const char* best = nullptr;
    const Ending* first = nullptr;
    Numbers numbers{};
    out.ended = nullptr;
    out.several_ways = false;
    follow(0, begin, begin, end, nested, numbers, 0, out.several_ways,
           [&](const Node& here, const char* at, const Numbers& read) {
               if (!fits(begin, at, end, after)) return;
               if (!out.ended || at > out.ended) out.ended = at;
               PatternMatch match = out;
               if (best && at < best) return;
               const Ending* const ending = take_first(here, read, match);
               if (!ending || (first && at == best && first->order <= ending->order)) return;
               best = at;
               first = ending;
               out = match;
           });
    return best;
}

PatternRefusal Patterns::refusal(const char* begin, const char* end, const PatternMatch& match,
                                 const Word& word) const {
    return {match.ended == begin ? nullptr : match.ended, match.several_ways || may_vary(0, begin, begin, end, word)};
}

// Whether a text of the operand stops where a blank makes a difference, or where it would go on with a number.
bool Patterns::may_vary(std::uint32_t node, const char* begin, const char* p, const char* end, const Word& word) const {
    for (; p != end; ++p) {
        const Node& here = nodes_[node];
        if (here.number != 0 && begins_number(begin, p)) {
            std::uint64_t number = 0;
            const char* const after = number_at(begin, p, end, number);
            if (after && may_vary(here.number, begin, after, end, word)) return true;
        }
        const Cell& next = cell(here.row, *p);
        if (next.node != node) return may_vary_at(node, begin, p, end, word);
        node = next.next;
    }
    return false;
}

// Whether texts may go on in another way at `p`: with an operand, behind a blank or a comment, or with a number.
bool Patterns::may_vary_at(std::uint32_t node, const char* begin, const char* p, const char* end,
                           const Word& word) const {
    const Node& here = nodes_[node];
    const auto goes_on_with = [&](char c) { return cell(here.row, c).node == node; };
    if ((p == word.begin || p + 1 == word.begin) && is_text_mark(*p)) return here.may_nest || goes_on_with(' ');
    if (p == word.begin && (p != begin || !word.may_count)) return here.may_nest;
    const bool in_word = p != begin && is_word(p[-1]);
    const bool is_inside = word.for_message && std::any_of(word.begin, std::max(word.begin, p), std::not_fn(is_word));
    if (in_word && !is_inside && is_word(*p) && !is_digit(*p)) return here.may_nest;  // where numbers are but digits
    const char* behind = p;
    while (behind != end && (*behind == ' ' || *behind == '\t')) ++behind;
    if (behind != p && behind != end && is_word(*behind))
        return here.number != 0 || here.may_nest || (!in_word && goes_on_with(*behind));
    const bool is_blank = !is_word(*p) && *p != ',' && *p != ')' && *p != ']' && *p != '|';
    return is_blank ? here.marks : here.varies;
}

bool Patterns::take_numbers(const Ending& ending, const Numbers& numbers, PatternMatch& out) const {
    std::uint64_t code = ending.code, tail = numbers.tail_bits != 0 ? numbers.tail : 0;
    unsigned tail_bits = numbers.tail_bits;
    bool tail_shared = tail_bits != 0 && numbers.tail_shared, numeric = numbers.numeric;
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
    set(out, code, ending, numeric);
    out.tail = tail;
    out.tail_bits = tail_bits;
    out.tail_shared = tail_shared;
    out.nested = ending.nested;
    return true;
}

}  // namespace isaforge::codec
