// Scopes of names, counted names, and names that are taken back.
#include <fmt/format.h>

#include "assembler/engine.hpp"

namespace isaforge::assembler {

void Engine::open_scope(const char*& p, int) {
    const char* const begin = p;
    std::string_view found;
    if (!ends_statement(p) && !name(p, found, "a scope's name")) return skip_statement(p);
    if (!expressions_.scopes.open(found)) {
        error(place(begin), fmt::format("scopes nest more than {} deep, or their path has more than {} bytes",
                                        limits::scopes, limits::scope_path));
        ended_ = true;
    }
    finish_statement(p);
}

void Engine::close_scope(const char*& p, int) {
    if (!expressions_.scopes.close()) error(place(p), "no .scope stands before this .ends");
    finish_statement(p);
}

void Engine::use_scope(const char*& p, int stop) {
    const char* const begin = p;
    std::string_view found;
    if (!(stop && ends_statement(p)) && !name(p, found, "a scope")) return skip_statement(p);
    if (!stop) {
        if (!expressions_.scopes.use(found))
            error(begin, p, fmt::format("a scope uses at most {} others", limits::used_scopes));
    } else if (!expressions_.scopes.stop_using(found)) {
        warning(place(begin, p), fmt::format("'{}' is not used here", found));
    }
    finish_statement(p);
}

// .enum [>[START],] NAME, …
void Engine::enumerate(const char*& p, int) {
    std::uint64_t& counter = expressions_.scopes.counter();
    if (*p == '>') {
        p = skip_space(p + 1);
        Integer start;
        if (*p != ',' && !ends_statement(p) && !absolute(p, start, "a number")) return skip_statement(p);
        counter = start.bits;
        if (!comma(p)) return finish_statement(p);
    }
    do {
        p = skip_space(p);
        const char* const begin = p;
        std::string_view found;
        if (!name(p, found, "a name")) return skip_statement(p);
        give_value(found, begin, Value::of(Integer(counter++, false)), false);
    } while (comma(p));
    finish_statement(p);
}

// What was used before keeps its value; from here on the name is free.
void Engine::take_back(const char*& p, int) {
    const char* const begin = p;
    std::string_view found;
    if (!name(p, found, "a symbol")) return skip_statement(p);
    const bool registers = forget_registers(found);
    const Index symbol = expressions_.reference(found);
    SymbolEntry& entry = symbols_[symbol];
    if (entry.kind == SymbolKind::label || entry.kind == SymbolKind::common) {
        error(begin, p, fmt::format("'{}' is a label and stays one", found));
    } else if (entry.kind == SymbolKind::undefined && !registers) {
        warning(place(begin, p), fmt::format("'{}' is not defined", found));
    } else {
        entry.kind = SymbolKind::undefined;
        entry.redefinable = false;
    }
    finish_statement(p);
}

// --- names of registers

// `name = %v[4:7]`: from here on the name stands for these registers, `name[1]` for the second of them, `name[1:2]` for a
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
        definitions_.insert_or_assign(std::string(symbols_[symbol].name), std::move(made));
    }
    finish_statement(p);
}

// `v5` or `v[4:7]`, with expressions for the numbers.
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

// Allocating registers is left to who writes the program.
void Engine::register_variables(const char*& p, int) {
    error(place(p), "registers are not allocated here: name one with 'name = %register'");
    skip_statement(p);
}

}  // namespace isaforge::assembler
