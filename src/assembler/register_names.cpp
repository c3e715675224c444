// Names for registers, or for anything else that may stand in an operand.
#include <fmt/format.h>

#include "assembler/engine.hpp"

namespace isaforge::assembler {

// `name = %r[4:7]`: from here on the name stands for these registers, `name[1]` for the second of them, `name[1:2]` for a
// part. The text behind the percent sign may also be anything else that an operand can be.
void Engine::define_registers(std::string_view found, const char* at, const char*& p) {
    const char* const begin = p;
    p = skip_space(p + 1);
    const char* const text = p;
    Definition made;
    made.registers = true;
    made.where = place(at, at + found.size());
    if (!register_range(p, made)) {
        p = statement_end(text);
        const char* end = p;
        while (end > text && is(end[-1], class_blank)) --end;
        made.value.assign(text, end);
        made.count = 0;
    }
    if (made.value.empty()) {
        error(begin, begin + 1, "expected registers behind '%'");
        return skip_statement(p);
    }
    const Index symbol = expressions_.definition(found);
    if (symbols_[symbol].kind != SymbolKind::undefined && !symbols_[symbol].redefinable) {
        redefined(symbol, made.where);
    } else {
        note_definition(symbols_[symbol].name, made);
        definitions_.insert_or_assign(std::string(symbols_[symbol].name), std::move(made));
    }
    finish_statement(p);
}

// `r5` or `r[4:7]`, with expressions for the numbers.
bool Engine::register_range(const char*& p, Definition& made) {
    const char* q = p;
    while ((*q >= 'a' && *q <= 'z') || (*q >= 'A' && *q <= 'Z')) ++q;
    const std::string file(p, q);
    constexpr std::uint64_t largest = 4096;
    if (file.empty()) return false;
    if (is(*q, class_digit)) {
        const char* const digits = q;
        std::uint64_t number = 0;
        while (is(*q, class_digit) && number < largest) number = number * 10 + static_cast<std::uint64_t>(*q++ - '0');
        q = skip_space(q);
        if (number >= largest || q == digits || !ends_statement(q)) return false;
        made.first = number, made.count = 1;
    } else {
        q = skip_space(q);
        if (*q != '[') return false;
        ++q;
        Integer first, last;
        if (!absolute(q, first, "a register's number")) return false;
        last = first;
        if (*q == ':' && !absolute(++q, last, "a register's number")) return false;
        if (*q != ']' || first.negative || last.negative || last.bits < first.bits || last.bits >= largest)
            return false;
        q = skip_space(q + 1);
        if (!ends_statement(q)) return false;
        made.first = first.bits, made.count = last.bits - first.bits + 1;
    }
    made.file = file;
    made.value = made.part(0, made.count);
    p = q;
    return true;
}

std::string Definition::part(std::uint64_t begin, std::uint64_t size) const {
    if (size == 1) return fmt::format("{}{}", file, first + begin);
    return fmt::format("{}[{}:{}]", file, first + begin, first + begin + size - 1);
}

bool Engine::forget_registers(std::string_view found) {
    const std::string whole = expressions_.scopes.used() ? expressions_.scopes.definition(found) : std::string(found);
    const auto known = definitions_.find(whole);
    if (known == definitions_.end() || !known->second.registers) return false;
    definitions_.erase(known);
    return true;
}

// What `[…]` at `text[i]`, behind the name of registers, chooses of them; appends it to `out` and moves behind it.
bool Engine::replace_part(std::string_view text, std::size_t& i, const Definition& definition, unsigned depth,
                          std::string& out) {
    std::size_t begin = i;
    while (begin < text.size() && is(text[begin], class_blank)) ++begin;
    if (begin >= text.size() || text[begin] != '[' || definition.count == 0) return false;
    std::size_t end = begin, split = 0;
    unsigned open = 0;
    for (; end < text.size(); ++end) {
        if (text[end] == '[' || text[end] == '(') ++open;
        if ((text[end] == ']' || text[end] == ')') && --open == 0) break;
        if (text[end] == ':' && open == 1) split = end;
    }
    if (end >= text.size()) return false;
    const auto number = [&](std::size_t from, std::size_t to, std::uint64_t& value) {
        std::string replaced;
        replace_definitions(text.substr(from, to - from), replaced, depth + 1, nullptr, 0);
        Integer integer;
        if (!evaluate_text(replaced, integer) || integer.negative || integer.bits >= definition.count) return false;
        value = integer.bits;
        return true;
    };
    std::uint64_t first = 0, last = 0;
    if (!number(begin + 1, split ? split : end, first)) return false;
    last = first;
    if (split && !number(split + 1, end, last)) return false;
    if (last < first) return false;
    out += definition.part(first, last - first + 1);
    i = end + 1;
    return true;
}

// The number that a text is known to be; says nothing where it is none.
bool Engine::evaluate_text(const std::string& text, Integer& result) {
    const bool outer_stable = std::exchange(expressions_.stable_text, false);
    const char* p = text.c_str();
    Value value;
    Resolved resolved;
    bool good = expressions_.parse(p, value) && *skip_blanks(p) == '\0';
    if (good && value.is_symbolic()) {
        good = expressions_.evaluate(value.node, true, resolved) && resolved.base == Resolved::Base::absolute;
        result = resolved.offset;
    } else if (good) {
        good = value.is_integer();
        result = value.integer;
    }
    expressions_.error.clear();
    expressions_.stable_text = outer_stable;
    return good;
}

}  // namespace isaforge::assembler
