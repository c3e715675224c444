// What directives have in common: reading their operands, with the message where one is missing or wrong.
#include <fmt/format.h>

#include <algorithm>

#include "assembler/engine.hpp"

namespace isaforge::assembler {

// Reads an expression at `p`; complains where there is none.
bool Engine::expression(const char*& p, Value& value) {
    p = skip_space(p);
    expressions_.error.clear();
    const char* q = p;
    if (expressions_.parse(q, value) && q <= text_end_) {
        p = skip_space(q);
        return true;
    }
    if (!expressions_.error.empty()) {
        error(place(expressions_.error_at ? expressions_.error_at : p), expressions_.error);
        expressions_.error.clear();
    } else {
        error(place(p), "expected an expression");
    }
    return false;
}

// The number that an expression is known to be at this point.
bool Engine::evaluate_now(const Value& value, Integer& result, const char* begin, const char* end) {
    if (value.is_integer()) {
        result = value.integer;
        return true;
    }
    if (!value.is_symbolic()) {
        error(begin, end, "this must be an integer");
        return false;
    }
    Resolved resolved;
    if (!expressions_.evaluate(value.node, true, resolved)) {
        error(begin, end, std::exchange(expressions_.error, {}));
        return false;
    }
    if (resolved.base == Resolved::Base::absolute) {
        result = resolved.offset;
        return true;
    }
    if (resolved.base == Resolved::Base::symbol) {
        error(begin, end, fmt::format("the value of '{}' must be known here", symbols_[resolved.index].name));
    } else {
        error(begin, end, "this must be a number, not an address");
    }
    return false;
}

bool Engine::absolute(const char*& p, Integer& result, std::string_view what) {
    p = skip_space(p);
    const char* const begin = p;
    if (ends_statement(p)) {
        error(place(p), fmt::format("expected {}", what));
        return false;
    }
    Value value;
    return expression(p, value) && evaluate_now(value, result, begin, p);
}

bool Engine::small_count(const char*& p, std::uint64_t& count, std::string_view what, std::uint64_t most) {
    p = skip_space(p);
    const char* const begin = p;
    Integer value;
    if (!absolute(p, value, what)) return false;
    if (value.negative || value.bits > most) {
        error(begin, p, fmt::format("{} must lie in 0..{}", what, most));
        return false;
    }
    count = value.bits;
    return true;
}

bool Engine::comma(const char*& p) {
    p = skip_space(p);
    if (*p != ',') return false;
    p = skip_space(p + 1);
    return true;
}

bool Engine::expect_comma(const char*& p) {
    if (comma(p)) return true;
    error(place(p), "expected ','");
    return false;
}

// A name, or a quoted string where names hold other characters.
bool Engine::name(const char*& p, std::string_view& found, std::string_view what) {
    p = skip_space(p);
    const char* const begin = p;
    if (*p == '"') {
        const char* const end = skip_quoted(p);
        if (end - begin >= 3 && end[-1] == '"') {
            found = {begin + 1, static_cast<std::size_t>(end - begin - 2)};
            p = end;
            return true;
        }
    } else if (const char* const end = skip_symbol(p); end != p) {
        p = end;
        found = {begin, static_cast<std::size_t>(p - begin)};
        return true;
    }
    error(place(p), fmt::format("expected {}", what));
    return false;
}

bool Engine::string(const char*& p, std::string& text) {
    p = skip_space(p);
    const char* const begin = p;
    if (*p != '"') {
        error(place(p), "expected a string in double quotes");
        return false;
    }
    ++p;
    while (*p != '"') {
        unsigned char c = 0;
        if (p >= text_end_ || !read_character(p, c)) {
            p = std::min(p, text_end_);
            error(begin, p, "this string does not end");
            return false;
        }
        text += static_cast<char>(c);
    }
    ++p;
    return true;
}

Index Engine::symbol_operand(const char*& p) {
    std::string_view found;
    p = skip_space(p);
    const char* const begin = p;
    if (!name(p, found, "a symbol")) return no_index;
    const Index symbol = expressions_.reference(found);
    mention(Named::symbol, symbol, begin, p, false);
    if (!symbols_[symbol].where.known()) symbols_[symbol].where = place(begin, p);
    return symbol;
}

std::string_view Engine::rest_of_statement(const char*& p) {
    p = skip_blanks(p);
    const char* const begin = p;
    p = statement_end(p);
    const char* end = p;
    while (end > begin && is(end[-1], class_blank)) --end;
    return {begin, static_cast<std::size_t>(end - begin)};
}

}  // namespace isaforge::assembler
