// Random expressions, computed once as trees and once from their text with as few parentheses as C's precedence allows.
#include <random>

#include "assembler/assemble_text.hpp"

namespace isaforge {
namespace {

struct Term {
    std::string text;
    std::int64_t value = 0;
    int precedence = 100;
};

class Generator {
public:
    explicit Generator(unsigned seed) : random_(seed) {}

    Term term(unsigned depth) {
        if (depth == 0 || pick(5) == 0) return number();
        const unsigned kind = pick(20);
        if (kind < 2) return unary(depth);
        if (kind == 2) return conditional(depth);
        return binary(depth);
    }

private:
    unsigned pick(unsigned count) { return static_cast<unsigned>(random_() % count); }

    Term number() {
        const std::int64_t value = pick(100);
        switch (pick(4)) {
            case 0: {
                char text[16];
                std::snprintf(text, sizeof text, "0x%llx", static_cast<long long>(value));
                return {text, value};
            }
            case 1: return {"c" + std::to_string(value % 10), value % 10};  // a symbol
            default: return {std::to_string(value), value};
        }
    }

    static std::string around(const Term& term, int precedence) {
        return term.precedence < precedence ? "(" + term.text + ")" : term.text;
    }

    Term unary(unsigned depth) {
        const Term inner = term(depth - 1);
        const std::string text = around(inner, 50);
        switch (pick(3)) {
            case 0: return {"- " + text, -inner.value, 50};
            case 1: return {"~" + text, ~inner.value, 50};
            default: return {"!" + text, !inner.value, 50};
        }
    }

    Term conditional(unsigned depth) {
        const Term a = term(depth - 1), b = term(depth - 1), c = term(depth - 1);
        return {around(a, 1) + " ? " + around(b, 0) + " : " + around(c, 0), a.value ? b.value : c.value, 0};
    }

    Term binary(unsigned depth) {
        struct Kind {
            const char* text;
            int precedence;
        };
        static const Kind kinds[] = {{"*", 10}, {"/", 10}, {"%", 10}, {"+", 9}, {"-", 9},  {"<<", 8},
                                     {">>", 8}, {"<", 7},  {"<=", 7}, {">", 7}, {">=", 7}, {"==", 6},
                                     {"!=", 6}, {"&", 5},  {"^", 4},  {"|", 3}, {"&&", 2}, {"||", 1}};
        const unsigned which = pick(std::size(kinds));
        Term a = term(depth - 1), b = term(depth - 1);
        const std::string op = kinds[which].text;
        // Keep to what C defines.
        if ((op == "/" || op == "%") && b.value == 0) b = {"7", 7};
        if (op == "<<" && a.value < 0) a = {"3", 3};
        if (op == "<<" || op == ">>") b = {std::to_string(which), static_cast<std::int64_t>(which)};
        if (std::abs(a.value) > (std::int64_t{1} << 30)) a = {"11", 11};
        if (std::abs(b.value) > (std::int64_t{1} << 30)) b = {"13", 13};
        const int precedence = kinds[which].precedence;
        const char* blank = pick(2) ? " " : "";
        return {around(a, precedence) + blank + op + " " + around(b, precedence + 1), compute(op, a.value, b.value),
                precedence};
    }

    static std::int64_t compute(const std::string& op, std::int64_t a, std::int64_t b) {
        if (op == "*") return a * b;
        if (op == "/") return a / b;
        if (op == "%") return a % b;
        if (op == "+") return a + b;
        if (op == "-") return a - b;
        if (op == "<<") return a << b;
        if (op == ">>") return a >> b;
        if (op == "<") return a < b;
        if (op == "<=") return a <= b;
        if (op == ">") return a > b;
        if (op == ">=") return a >= b;
        if (op == "==") return a == b;
        if (op == "!=") return a != b;
        if (op == "&") return a & b;
        if (op == "^") return a ^ b;
        if (op == "|") return a | b;
        return op == "&&" ? a && b : a || b;
    }

    std::mt19937 random_;
};

std::string program(bool symbols_first, const std::vector<Term>& terms) {
    std::string symbols, text = ".data\n";
    for (int i = 0; i < 10; ++i) symbols += "c" + std::to_string(i) + " = " + std::to_string(i) + "\n";
    if (symbols_first) text += symbols;
    for (const Term& term : terms) text += ".quad " + term.text + "\n";
    return symbols_first ? text : text + symbols;
}

// Known symbols are folded while reading; unknown ones become trees that are evaluated at the end. Both must agree.
TEST(Expression, RandomAgreesWithC) {
    Generator generator(1);
    std::vector<Term> terms;
    for (int i = 0; i < 5000; ++i) terms.push_back(generator.term(5));
    for (const bool symbols_first : {true, false}) {
        const auto made = testing::assemble_text(program(symbols_first, terms));
        ASSERT_EQ(made->messages(), "");
        const std::vector<std::uint8_t>& bytes = made->object.sections[made->object.find_section(".data")].bytes;
        ASSERT_EQ(bytes.size(), terms.size() * 8);
        for (std::size_t i = 0; i < terms.size(); ++i) {
            std::int64_t value = 0;
            for (int byte = 7; byte >= 0; --byte) value = value << 8 | bytes[i * 8 + static_cast<std::size_t>(byte)];
            ASSERT_EQ(value, terms[i].value) << terms[i].text;
        }
    }
}

}  // namespace
}  // namespace isaforge
