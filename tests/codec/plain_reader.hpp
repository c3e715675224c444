// Numbers and labels for codec tests, without an assembler: C literals, and names from a map.
#pragma once

#include <cstdlib>
#include <cstring>
#include <map>
#include <string>

#include "isaforge/codec.hpp"

namespace isaforge::test {

class PlainReader : public ExpressionReader {
public:
    std::map<std::string, std::uint64_t> symbols;

    bool read(const char*& cursor, const char* end, NumberValue& value) override {
        const std::string text(cursor, std::min<std::size_t>(static_cast<std::size_t>(end - cursor), 64));
        const bool negative = text[0] == '-';
        const char* digits = text.c_str() + negative;
        if (std::isalpha(static_cast<unsigned char>(*digits)) || *digits == '_') {
            std::size_t size = 0;
            while (std::isalnum(static_cast<unsigned char>(digits[size])) || digits[size] == '_') ++size;
            const auto found = symbols.find(std::string(digits, size));
            if (found == symbols.end() || negative) return false;
            value.integer = found->second;
            cursor += size;
            return true;
        }
        if (!std::isdigit(static_cast<unsigned char>(*digits)) && *digits != '.') return false;
        char* integer_end = nullptr;
        char* float_end = nullptr;
        const std::uint64_t integer = std::strtoull(digits, &integer_end, 0);
        const double floating = std::strtod(digits, &float_end);
        const bool is_hex = digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X');
        if (float_end > integer_end && !is_hex) {
            value.kind = NumberValue::Kind::floating;
            value.floating = negative ? -floating : floating;
            if (std::strchr("fFlL", *float_end) && *float_end) ++float_end;
            cursor += float_end - text.c_str();
            return true;
        }
        value.integer = negative ? 0 - integer : integer;
        value.negative = negative;
        cursor += integer_end - text.c_str();
        return true;
    }
};

}  // namespace isaforge::test
