// Reading expressions. The frequent cases, a plain number and a plain symbol, are recognised first and cost a few dozen
// instructions; everything else is a precedence climber.
#include "assembler/expression.hpp"

#include <fmt/format.h>

#include <charconv>
#include <utility>

#include "assembler/limits.hpp"
#include "codec/numerals.hpp"

namespace isaforge::assembler {

namespace {

bool ends_name(const char* p) { return !is(*p, class_name); }

}  // namespace

bool Expressions::fail(const char* at, std::string message) {
    if (error.empty()) {
        error = std::move(message);
        error_at = at;
    }
    return false;
}

bool Expressions::fail_deep(const char* at) {
    return fail(at, fmt::format("this expression nests more than {} deep", limits::expression_nesting));
}

bool Expressions::fail_full(const char* at) {
    return fail(at, fmt::format("more than {} parts of expressions wait for symbols", limits::nodes));
}

// Moves past a mark before an expression. True where it says that no name is a register's.
bool Expressions::read_prefix(const char*& p, const char* end) const {
    for (const std::string* prefix :
         {&syntax.label_reference_prefix, &syntax.expression_prefix, &syntax.immediate_prefix}) {
        if (!prefix->empty() && starts_with(p, end, *prefix)) {
            p = skip_blanks(p + prefix->size());
            return prefix != &syntax.immediate_prefix;
        }
    }
    return false;
}

namespace {

// A plain number with nothing behind it that could make it an expression; the digit at `p` is its first. Most are.
bool read_plain(const char*& p, std::uint64_t& number) {
    const char* q = p;
    number = 0;
    if (*q == '0' && (q[1] == 'x' || q[1] == 'X')) {
        int digit = 0;
        for (q += 2; (digit = digit_value(*q)) < 16; ++q) number = number << 4 | static_cast<std::uint64_t>(digit);
        if (q - p == 2 || q - p > 18) return false;
    } else {
        while (is(*q, class_digit)) number = number * 10 + static_cast<std::uint64_t>(*q++ - '0');
        if (q - p > 18 || (*p == '0' && q - p != 1)) return false;
    }
    if (*q != ',' && *q != ';' && *q != '\n') return false;
    p = q;
    return true;
}

}  // namespace

bool Expressions::read(const char*& cursor, const char* end, NumberValue& number) {
    return read_operand(cursor, end, number, false);
}

bool Expressions::read_target(const char*& cursor, const char* end, NumberValue& number) {
    return read_operand(cursor, end, number, defer_targets);
}

bool Expressions::read_operand(const char*& cursor, const char* end, NumberValue& number, bool defer) {
    const char* p = skip_blanks(cursor);
    std::uint64_t plain = 0;
    if (is(*p, class_digit) && !defer && read_plain(p, plain)) {
        if (p > end) return false;
        number.kind = NumberValue::Kind::integer;
        number.negative = false;
        number.integer = plain;
        last_integer = Integer(plain, false);
        cursor = p;
        return true;
    }
    const bool marked = read_prefix(p, end) || std::exchange(label, false);
    Value value;
    const char* begin = p;
    in_operand_ = !marked;
    stop_ = stop;
    const bool good = parse(p, value) && p <= end;
    in_operand_ = false;
    stop_ = 0;
    if (!good) return false;
    if (value.is_integer() && !defer) {
        number.kind = NumberValue::Kind::integer;
        number.negative = value.integer.negative;
        number.integer = value.integer.bits;
        last_integer = value.integer;
    } else if (value.kind == Value::Kind::floating) {
        number.kind = NumberValue::Kind::floating;
        number.floating = value.floating;
        number.float_width = value.float_width;
    } else {
        number.kind = NumberValue::Kind::deferred;
        number.handle = static_cast<std::uint32_t>(operands_.size());
        operands_.push_back({node_of(value), begin, p});
    }
    cursor = p;
    return true;
}

bool Expressions::parse(const char*& cursor, Value& value) {
    const char* p = skip_blanks(cursor);
    if (!parse_conditional(p, value)) return false;
    cursor = p;
    return true;
}

// The precedence of the operator at `p`, C's, or -1 where there is none. The second ways of writing the divisions, the
// right shift and the comparisons are for unsigned numbers elsewhere; here a number knows whether it is negative.
int Expressions::peek_operator(const char* p, Operator& op, unsigned& length) const {
    const auto found = [&](Operator which, unsigned characters, int precedence) {
        op = which;
        length = characters;
        return precedence;
    };
    const char next = p[1];
    switch (*p) {
        case '*': return found(Operator::multiply, 1, 10);
        case '/':
            for (const std::string& comment : syntax.comments) {
                if (std::strncmp(p, comment.c_str(), comment.size()) == 0) return -1;
            }
            return found(Operator::divide, next == '/' ? 2 : 1, 10);
        case '%': return found(Operator::remainder, next == '%' ? 2 : 1, 10);
        case '+': return found(Operator::add, 1, 9);
        case '-': return found(Operator::subtract, 1, 9);
        case '<':
            if (next == '<') return found(Operator::shift_left, 2, 8);
            if (next == '=') return found(Operator::less_equal, p[2] == '@' ? 3 : 2, 7);
            if (next == '>') return found(Operator::not_equal, 2, 6);
            return found(Operator::less, next == '@' ? 2 : 1, 7);
        case '>':
            if (next == '>') return found(Operator::shift_right, p[2] == '>' ? 3 : 2, 8);
            if (next == '=') return found(Operator::greater_equal, p[2] == '@' ? 3 : 2, 7);
            return found(Operator::greater, next == '@' ? 2 : 1, 7);
        case '=': return next == '=' ? found(Operator::equal, 2, 6) : -1;
        case '!': return next == '=' ? found(Operator::not_equal, 2, 6) : -1;
        case '&': return next == '&' ? found(Operator::logical_and, 2, 2) : found(Operator::bit_and, 1, 5);
        case '^': return found(Operator::bit_xor, 1, 4);
        case '|': return next == '|' ? found(Operator::logical_or, 2, 1) : found(Operator::bit_or, 1, 3);
        default: return -1;
    }
}

bool Expressions::parse_conditional(const char*& p, Value& value) {
    if (!parse_binary(p, 1, value)) return false;
    const char* q = skip_blanks(p);
    if (*q != '?' || stop_ == '?') return true;
    if (++depth_ > limits::expression_nesting) {
        --depth_;
        return fail_deep(q);
    }
    const char* mark = q;
    Value yes, no;
    q = skip_blanks(q + 1);
    bool good = parse_conditional(q, yes);
    q = skip_blanks(q);
    if (good && *q == ':') {
        q = skip_blanks(q + 1);
        good = parse_conditional(q, no);
    } else {
        good = false;
    }
    --depth_;
    if (!good) return error.empty();  // not ours then: the expression ends before the mark
    p = q;
    if (value.is_integer()) {
        value = value.integer.bits != 0 ? yes : no;
        return true;
    }
    if (value.kind == Value::Kind::floating) return fail(mark, "a condition must be an integer");
    if (yes.kind == Value::Kind::floating || no.kind == Value::Kind::floating) {
        return fail(mark, "the condition of a choice between floating-point numbers must be known here");
    }
    Node node{.op = Operator::select, .a = value.node, .b = node_of(yes)};
    node.value = node_of(no);
    return add_node(node, mark, value);
}

bool Expressions::parse_binary(const char*& p, int lowest, Value& value) {
    if (!parse_unary(p, value)) return false;
    while (true) {
        const char* q = skip_blanks(p);
        if (!is(*q, class_operator) || *q == stop_) return true;
        Operator op{};
        unsigned length = 0;
        const int precedence = peek_operator(q, op, length);
        if (precedence < lowest) return true;
        const char* at = q;
        q = skip_blanks(q + length);
        Value right;
        // An operator without a right side is not ours: it belongs to the instruction's syntax, or is an error there.
        if (++depth_ > limits::expression_nesting) {
            --depth_;
            return fail_deep(at);
        }
        const bool good = parse_binary(q, precedence + 1, right);
        --depth_;
        if (!good) return error.empty();
        if (!combine(op, value, right, at, value)) return false;
        p = q;
    }
}

// A byte of a value: `<label` and `>label`.
bool Expressions::parse_byte(const char*& p, unsigned from, std::size_t mark_size, Value& value) {
    if (++depth_ > limits::expression_nesting) {
        --depth_;
        return fail_deep(p);
    }
    const char* q = skip_blanks(p + mark_size);
    const bool good = parse_unary(q, value);
    --depth_;
    constexpr std::uint64_t byte = 0xff;
    if (!good) return false;
    if (from != 0 && !combine(Operator::shift_right, value, Value::of(Integer(from, false)), p, value)) return false;
    if (!combine(Operator::bit_and, value, Value::of(Integer(byte, false)), p, value)) return false;
    p = q;
    return true;
}

bool Expressions::parse_unary(const char*& p, Value& value) {
    const auto begins = [&](const std::string& mark) {
        return !mark.empty() && std::strncmp(p, mark.c_str(), mark.size()) == 0;
    };
    if (begins(syntax.low_byte)) return parse_byte(p, 0, syntax.low_byte.size(), value);
    if (begins(syntax.high_byte)) return parse_byte(p, 8, syntax.high_byte.size(), value);
    Operator op{};
    switch (*p) {
        case '-': op = Operator::negate; break;
        case '~': op = Operator::invert; break;
        case '!': op = Operator::logical_not; break;
        case '+': op = Operator::add; break;
        default: return parse_primary(p, value);
    }
    if (++depth_ > limits::expression_nesting) {
        --depth_;
        return fail_deep(p);
    }
    const char* q = skip_blanks(p + 1);
    const bool good = parse_unary(q, value);
    --depth_;
    if (!good || !combine_unary(op, p, value)) return false;
    p = q;
    return true;
}

// A number as the description's users write it. False where there is none; `good` says whether it is one that fits.
bool Expressions::parse_marked_number(const char*& p, Value& value, bool& good) {
    constexpr std::size_t longest = 160;  // with leading zeros
    std::uint64_t number = 0;
    bool too_large = false;
    const char* const after = codec::read_numeral(syntax.number_marks, p, p + strnlen(p, longest), number, too_large);
    if (!after) return false;
    good = !too_large || fail(p, "this number does not fit into 64 bits");
    p = after;
    value = Value::of(Integer(number, false));
    return true;
}

bool Expressions::parse_primary(const char*& p, Value& value) {
    bool good = true;
    if (!syntax.number_marks.empty() && parse_marked_number(p, value, good)) return good;
    if (is(*p, class_digit)) return parse_number(p, value);
    if (*p == '.' && is(p[1], class_digit)) return parse_floating(p, value);  // .5, which would read as a name
    if (is(*p, class_name_start) || continues_path(p)) return parse_name(p, value);
    if (*p == '(') return parse_parenthesis(p, value);
    if (*p == '\'') return parse_character(p, value);
    return false;
}

bool Expressions::parse_parenthesis(const char*& p, Value& value) {
    if (++depth_ > limits::expression_nesting) {
        --depth_;
        return fail_deep(p);
    }
    const char* q = skip_blanks(p + 1);
    const char outer = std::exchange(stop_, '\0');
    const bool good = parse_conditional(q, value);
    stop_ = outer;
    --depth_;
    if (!good) return false;
    q = skip_blanks(q);
    if (*q != ')') return fail(q, "expected ')'");
    p = q + 1;
    return true;
}

// Whether a name in an operand is a register's and not a symbol that the program has defined.
bool Expressions::is_register(std::string_view name) const {
    if (!registers->names_register(name)) return false;
    const Index known = symbols_.find(name);
    return known == no_index || symbols_[known].kind == SymbolKind::undefined;
}

bool Expressions::parse_name(const char*& p, Value& value) {
    const char* end = skip_symbol(p);
    const std::string_view name(p, static_cast<std::size_t>(end - p));
    if (in_operand_ && registers && is_register(name)) return false;
    if (name == ".") {
        if (nodes_.size() >= limits::nodes) return fail_full(p);
        value.kind = Value::Kind::symbolic;
        value.node = leaf(here);
    } else {
        if (nodes_.size() >= limits::nodes) return fail_full(p);
        if (*end == '@' && !syntax.modifiers.empty()) return parse_modifier(p, name, value);
        const Index symbol = reference(name);
        if (mentioned) mentioned(symbol, p, end);
        value = symbol_value(symbol);
    }
    p = end;
    return true;
}

// `name@rel32@lo`: what a linker is to make of the symbol.
bool Expressions::parse_modifier(const char*& p, std::string_view name, Value& value) {
    const char* const begin = name.data() + name.size();
    const char* end = begin;
    while (*end == '@' && is(end[1], class_name)) end = skip_name(end + 1);
    const std::string_view text(begin, static_cast<std::size_t>(end - begin));
    std::uint8_t modifier = 0;
    while (modifier < syntax.modifiers.size() && syntax.modifiers[modifier] != text) ++modifier;
    if (modifier == syntax.modifiers.size()) {
        return fail(begin, fmt::format("a symbol cannot be referred to with '{}'", text));
    }
    value.kind = Value::Kind::symbolic;
    value.node = static_cast<Index>(nodes_.size());
    const Index symbol = reference(name);
    if (mentioned) mentioned(symbol, name.data(), begin);
    nodes_.push_back({.op = Operator::symbol, .a = symbol, .modifier = modifier});
    p = end;
    return true;
}

bool Expressions::parse_number(const char*& p, Value& value) {
    const char* q = p;
    std::uint64_t number = 0;
    while (is(*q, class_digit)) number = number * 10 + static_cast<std::uint64_t>(*q++ - '0');
    const std::ptrdiff_t length = q - p;
    if (length < 19 && !is(*q, class_name) && (*p != '0' || length == 1)) {
        p = q;
        value = Value::of(Integer(number, false));
        return true;
    }
    const char kind = lower(p[1]);
    if (*p == '0' && kind == 'x' && digit_value(p[2]) < 16) {
        const char* after = p + 2;
        while (digit_value(*after) < 16) ++after;
        const bool floating = *after == '.' || (lower(*after) == 'p' &&
                                                (is(after[1], class_digit) || after[1] == '-' || after[1] == '+'));
        return floating ? parse_floating(p, value) : parse_digits(p, 16, p + 2, value);
    }
    if (*p == '0' && kind == 'b' && digit_value(p[2]) < 2) return parse_digits(p, 2, p + 2, value);
    if ((*q == 'b' || *q == 'f') && ends_name(q + 1)) return parse_numeric_label(p, q, value);
    const bool exponent =
        lower(*q) == 'e' && (is(q[1], class_digit) || ((q[1] == '-' || q[1] == '+') && is(q[2], class_digit)));
    if (*q == '.' || exponent) return parse_floating(p, value);
    return *p == '0' && length > 1 ? parse_digits(p, 8, p + 1, value) : parse_digits(p, 10, p, value);
}

bool Expressions::parse_digits(const char*& p, unsigned radix, const char* digits, Value& value) {
    std::uint64_t number = 0;
    bool too_large = false;
    const char* q = digits;
    for (; digit_value(*q) < radix; ++q) {
        std::uint64_t scaled = 0;
        too_large |= __builtin_mul_overflow(number, std::uint64_t{radix}, &scaled);
        too_large |= __builtin_add_overflow(scaled, static_cast<std::uint64_t>(digit_value(*q)), &number);
    }
    while (lower(*q) == 'u' || lower(*q) == 'l') ++q;  // C's suffixes
    if (!ends_name(q)) {
        const char* end = skip_name(q);
        return fail(p, fmt::format("'{}' is not a number", std::string_view(p, static_cast<std::size_t>(end - p))));
    }
    if (too_large) return fail(p, "this number does not fit into 64 bits");
    p = q;
    value = Value::of(Integer(number, false));
    return true;
}

bool Expressions::parse_floating(const char*& p, Value& value) {
    const bool hex = lower(p[1]) == 'x';  // 0x1.8p1
    const char exponent = hex ? 'p' : 'e';
    const char* end = p;
    while (is(*end, class_name) || ((*end == '+' || *end == '-') && lower(end[-1]) == exponent)) ++end;
    double number = 0;
    const std::from_chars_result read =
        hex ? std::from_chars(p + 2, end, number, std::chars_format::hex) : std::from_chars(p, end, number);
    const char* q = read.ptr;
    if (read.ec == std::errc::invalid_argument) return fail(p, "this is not a number");
    if (read.ec == std::errc::result_out_of_range) number = std::strtod(std::string(p, read.ptr).c_str(), nullptr);
    const char suffix = lower(*q);  // C's f, or the format: half, single, long
    const bool has_suffix = (suffix == 'f' || suffix == 'h' || suffix == 's' || suffix == 'l') && ends_name(q + 1);
    if (has_suffix) ++q;
    if (!ends_name(q)) {
        return fail(p, fmt::format("'{}' is not a number", std::string_view(p, static_cast<std::size_t>(end - p))));
    }
    p = q;
    value = Value::of(number);
    if (has_suffix) value.float_width = suffix == 'h' ? 16 : suffix == 's' ? 32 : suffix == 'l' ? 64 : 0;
    return true;
}

bool Expressions::parse_numeric_label(const char*& p, const char* letter, Value& value) {
    std::uint32_t number = 0;
    if (std::from_chars(p, letter, number).ec != std::errc()) return fail(p, "this label's number is too large");
    if (nodes_.size() >= limits::nodes) return fail_full(p);
    NumericLabel& local = numeric_[number];
    if (*letter == 'b') {
        if (local.last == no_index) return fail(p, fmt::format("no label '{}:' stands before this", number));
        value = symbol_value(local.last);
    } else {
        if (local.next == no_index) local.next = symbols_.add_anonymous();
        value = symbol_value(local.next);
    }
    if (mentioned) mentioned(*letter == 'b' ? local.last : local.next, p, letter + 1);
    p = letter + 1;
    return true;
}

void Expressions::define_numeric_label(std::uint32_t number, Index& symbol) {
    NumericLabel& local = numeric_[number];
    symbol = local.next != no_index ? local.next : symbols_.add_anonymous();
    local.last = symbol;
    local.next = no_index;
}

bool read_character(const char*& p, unsigned char& c) {
    if (*p != '\\') {
        c = static_cast<unsigned char>(*p++);
        return c != '\0' && c != '\n';
    }
    const char letter = *++p;
    if (letter == '\0' || letter == '\n') return false;
    if (letter >= '0' && letter <= '7') {
        unsigned value = 0;
        for (int i = 0; i < 3 && *p >= '0' && *p <= '7'; ++i) value = value * 8 + static_cast<unsigned>(*p++ - '0');
        c = static_cast<unsigned char>(value);
        return true;
    }
    ++p;
    if (letter == 'x' || letter == 'X') {
        unsigned value = 0;
        while (digit_value(*p) < 16) value = (value * 16 + static_cast<unsigned>(digit_value(*p++))) & 0xFF;
        c = static_cast<unsigned char>(value);
        return true;
    }
    static constexpr std::string_view letters = "bfnrtave0";
    static constexpr std::string_view meanings = "\b\f\n\r\t\a\v\x1b";
    const std::size_t found = letters.find(letter);
    c = static_cast<unsigned char>(found < meanings.size() ? meanings[found] : letter);
    return true;
}

// As in C; GNU as also takes it without the closing quote.
bool Expressions::parse_character(const char*& p, Value& value) {
    const char* q = p + 1;
    unsigned char c = 0;
    if (!read_character(q, c)) return fail(p, "this character constant does not end");
    if (*q == '\'') ++q;
    p = q;
    value = Value::of(Integer(c, false));
    return true;
}

}  // namespace isaforge::assembler
