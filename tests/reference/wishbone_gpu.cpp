// Encoder, random statements and simulator of the WISHBONE GPU core; see the header for why they exist. The three
// share the field positions and nothing else: the simulator decodes with its own switch, so that a slip in the
// encoder's table cannot hide behind the same slip in the simulator.
#include "wishbone_gpu.hpp"

#include <algorithm>
#include <bit>
#include <cctype>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>

namespace wishbone_reference {

namespace {

constexpr std::array<const char*, 8> constant_names = {"-inf", "-1.f", "0.f", "1.f", "e", "pi", "inf", "nan"};
constexpr std::array<uint32_t, 8> constant_values = {0xff800000, 0xbf800000, 0x00000000, 0x3f800000,
                                                     0x402df854, 0x40490fdb, 0x7f800000, 0x7fc00000};
constexpr uint32_t canonical_nan = 0x7fc00000;

// One letter per operand, in the order of the text:
//   A source A   R register in the place of A   B rb   C rc   Q condition register   N power of two   J jump target
//   l, h   low and high half of an integer      f, g   low and high half of a float
struct Shape {
    const char* mnemonic;
    uint32_t opcode;
    uint32_t select;
    const char* operands;
};

// clang-format off
constexpr Shape shapes[] = {
    {"nop", 0, 0, ""},
    {"ploadf_l", 1, 0, "f"},      {"ploadu_l", 1, 0, "l"},      {"ploadaddr_l", 1, 0, "l"},
    {"loadf_h", 1, 0, "gC"},      {"loadu_h", 1, 0, "hC"},      {"loadaddr_h", 1, 0, "hC"},
    {"copy", 2, 0, "AC"},         {"fabs", 2, 1, "AC"},         {"fneg", 2, 2, "AC"},         {"fnabs", 2, 3, "AC"},
    {"fmulp2", 3, 0, "ANC"},
    {"fadd", 4, 0, "ABC"},        {"fsub", 4, 1, "ABC"},
    {"fmul", 5, 0, "ABC"},
    {"fdiv", 6, 0, "ABC"},
    {"fmin", 7, 0, "ABC"},        {"fmax", 7, 1, "ABC"},
    {"trunc", 8, 0, "AC"},        {"round", 8, 1, "AC"},        {"ceil", 8, 2, "AC"},         {"floor", 8, 3, "AC"},
    {"ftou8_ll", 9, 0, "ABC"},    {"ftou8_lh", 9, 1, "ABC"},    {"ftou8_hl", 9, 2, "ABC"},    {"ftou8_hh", 9, 3, "ABC"},
    {"ftou16_l", 10, 0, "ABC"},   {"ftou16_h", 10, 1, "ABC"},
    {"ftou32", 11, 0, "AC"},
    {"u8tof_ll", 12, 0, "BC"},    {"u8tof_lh", 12, 1, "BC"},    {"u8tof_hl", 12, 2, "BC"},    {"u8tof_hh", 12, 3, "BC"},
    {"u16tof_l", 13, 0, "BC"},    {"u16tof_h", 13, 1, "BC"},
    {"u32tof", 14, 0, "BC"},
    {"fcomp_l", 15, 0, "ABQ"},    {"fcomp_le", 15, 1, "ABQ"},   {"fcomp_e", 15, 2, "ABQ"},
    {"fcomp_ge", 15, 3, "ABQ"},   {"fcomp_g", 15, 4, "ABQ"},    {"fcomp_ne", 15, 5, "ABQ"},
    {"fcomp_o", 15, 6, "ABQ"},    {"fcomp_u", 15, 7, "ABQ"},
    {"add", 16, 0, "RBC"},
    {"load_addr", 17, 0, "C"},
    {"store_addr", 18, 0, "B"},
    {"d_load", 19, 3, "C"},       {"i_load", 19, 2, "C"},       {"pop", 19, 2, "C"},          {"load", 19, 0, "BC"},
    {"load_d", 19, 7, "C"},       {"load_i", 19, 6, "C"},
    {"d_store", 20, 3, "A"},      {"i_store", 20, 2, "A"},      {"store", 20, 0, "AB"},       {"store_d", 20, 7, "A"},
    {"push", 20, 7, "A"},         {"store_i", 20, 6, "A"},
    {"jump", 21, 7, "J"},         {"rcall", 21, 15, "J"},
    {"goto", 22, 7, "B"},         {"call", 22, 15, "B"},
    {"ret", 23, 2, ""},
    {"stop_core", 24, 0, ""},
    {"irq", 25, 0, ""},
};
// clang-format on

bool is_space(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }

std::string_view trim(std::string_view text) {
    while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
    while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
    return text;
}

// `r12` with prefix "r" and limit 32 gives 12.
std::optional<uint32_t> numbered(std::string_view text, std::string_view prefix, uint32_t limit) {
    if (!text.starts_with(prefix)) return std::nullopt;
    text.remove_prefix(prefix.size());
    if (text.empty() || text.size() > 2 || (text.size() == 2 && text[0] == '0')) return std::nullopt;
    uint32_t number = 0;
    for (char c : text) {
        if (c < '0' || c > '9') return std::nullopt;
        number = number * 10 + static_cast<uint32_t>(c - '0');
    }
    if (number >= limit) return std::nullopt;
    return number;
}

std::optional<int64_t> integer(std::string_view text) {
    bool negative = text.starts_with('-');
    if (negative) text = trim(text.substr(1));
    bool hexadecimal = text.starts_with("0x") || text.starts_with("0X");
    std::string digits(hexadecimal ? text.substr(2) : text);
    if (digits.empty() || digits.size() > 15 || !std::isxdigit(static_cast<unsigned char>(digits[0])))
        return std::nullopt;
    char* end = nullptr;
    int64_t value = std::strtoll(digits.c_str(), &end, hexadecimal ? 16 : 10);
    if (*end != 0) return std::nullopt;
    return negative ? -value : value;
}

std::optional<uint32_t> word_value(std::string_view text) {
    auto value = integer(text);
    if (!value || *value < -(int64_t{1} << 31) || *value >= (int64_t{1} << 32)) return std::nullopt;
    return static_cast<uint32_t>(*value);
}

std::optional<uint32_t> float_value(std::string_view text) {
    std::string digits(text);
    bool hexadecimal = digits.find("0x") != std::string::npos;
    if (!digits.empty() && (digits.back() == 'f' || digits.back() == 'F') &&
        (!hexadecimal || digits.find('p') != std::string::npos))
        digits.pop_back();
    if (digits.empty() || is_space(digits[0])) return std::nullopt;
    char* end = nullptr;
    float value = std::strtof(digits.c_str(), &end);
    if (*end != 0 || !std::isfinite(value)) return std::nullopt;
    return std::bit_cast<uint32_t>(value);
}

std::optional<uint32_t> source_bits(std::string_view text) {
    if (auto number = numbered(text, "r", 32)) return (1u << 21) | (*number << 16);
    for (uint32_t k = 0; k < constant_names.size(); ++k)
        if (text == constant_names[k]) return k << 16;
    return std::nullopt;
}

std::optional<uint32_t> jump_bits(std::string_view text, uint32_t pc, const Labels& labels) {
    auto label = labels.find(std::string(text));
    if (label == labels.end()) return std::nullopt;
    int64_t offset = int64_t{label->second} - int64_t{pc};
    if (offset < -(1 << 17) || offset >= (1 << 17)) return std::nullopt;
    uint32_t bits = static_cast<uint32_t>(offset);
    return ((bits >> 10 & 0xff) << 14) | (bits & 0x3ff);
}

std::optional<uint32_t> power_bits(std::string_view text) {
    auto power = integer(text);
    if (!power || *power < -256 || *power > 255) return std::nullopt;
    return (static_cast<uint32_t>(*power) & 0x7ff) << 5;
}

std::optional<uint32_t> shifted(std::optional<uint32_t> value, unsigned shift) {
    if (!value) return std::nullopt;
    return *value << shift;
}

std::optional<uint32_t> half(std::optional<uint32_t> value, bool high) {
    if (!value) return std::nullopt;
    return high ? (*value >> 16) << 6 | 1u << 5 : (*value & 0xffff) << 6;
}

std::optional<uint32_t> operand_bits(char kind, std::string_view text, uint32_t pc, const Labels& labels) {
    switch (kind) {
        case 'A': return source_bits(text);
        case 'R': return numbered(text, "r", 32) ? source_bits(text) : std::nullopt;
        case 'B': return shifted(numbered(text, "r", 32), 5);
        case 'C': return numbered(text, "r", 32);
        case 'Q': return numbered(text, "cr", 8);
        case 'N': return power_bits(text);
        case 'J': return jump_bits(text, pc, labels);
        case 'l': return half(word_value(text), false);
        case 'h': return half(word_value(text), true);
        case 'f': return half(float_value(text), false);
        case 'g': return half(float_value(text), true);
        default: return std::nullopt;
    }
}

// Takes `[cr3]` or `[!cr3]` off the front of `text`; bits 26..22.
std::optional<uint32_t> take_condition(std::string_view& text) {
    if (!text.starts_with('[')) return 0;
    size_t close = text.find(']');
    if (close == std::string_view::npos) return std::nullopt;
    std::string_view inside = trim(text.substr(1, close - 1));
    text = trim(text.substr(close + 1));
    uint32_t bits = 1u << 26;
    if (inside.starts_with('!')) {
        bits |= 1u << 25;
        inside = trim(inside.substr(1));
    }
    auto number = numbered(inside, "cr", 8);
    if (!number) return std::nullopt;
    return bits | *number << 22;
}

std::vector<std::string_view> split_operands(std::string_view text) {
    std::vector<std::string_view> operands;
    if (text.empty()) return operands;
    for (;;) {
        size_t comma = text.find(',');
        operands.push_back(trim(text.substr(0, comma)));
        if (comma == std::string_view::npos) return operands;
        text.remove_prefix(comma + 1);
    }
}

}  // namespace

std::optional<uint32_t> encode(std::string_view statement, uint32_t pc, const Labels& labels) {
    std::string_view text = trim(statement);
    if (!text.ends_with(';')) return std::nullopt;
    text = trim(text.substr(0, text.size() - 1));
    auto condition = take_condition(text);
    if (!condition) return std::nullopt;

    size_t length = 0;
    while (length < text.size() && !is_space(text[length])) ++length;
    std::string_view mnemonic = text.substr(0, length);
    auto operands = split_operands(trim(text.substr(length)));
    for (const Shape& shape : shapes) {
        std::string_view kinds = shape.operands;
        if (mnemonic != shape.mnemonic || kinds.size() != operands.size()) continue;
        uint32_t word = shape.opcode << 27 | *condition | shape.select << 10;
        for (size_t i = 0; i < kinds.size(); ++i) {
            auto bits = operand_bits(kinds[i], operands[i], pc, labels);
            if (!bits) return std::nullopt;
            word |= *bits;
        }
        return word;
    }
    return std::nullopt;
}

// ---------------------------------------------------------------------------------------------------------------------
// Random statements

namespace {

uint64_t below(std::mt19937_64& random, uint64_t limit) { return random() % limit; }

std::string space(std::mt19937_64& random, bool required) {
    static constexpr const char* spaces[] = {" ", " ", " ", "  ", "\t", "   ", " \t"};
    if (!required && below(random, 3) != 0) return "";
    return spaces[below(random, std::size(spaces))];
}

std::string random_register(std::mt19937_64& random, const char* prefix, uint64_t limit) {
    return prefix + std::to_string(below(random, limit));
}

std::string spell(std::mt19937_64& random, int64_t value) {
    char text[32];
    static constexpr const char* formats[] = {"%llu", "0x%llx", "0x%08llx", "0x%llX"};
    const char* format = formats[below(random, 2) == 0 ? 0 : below(random, std::size(formats))];
    std::snprintf(text, sizeof text, format, static_cast<unsigned long long>(value < 0 ? -value : value));
    return value < 0 ? std::string("-") + text : text;
}

std::string random_integer(std::mt19937_64& random) {
    static constexpr int64_t edges[] = {0, 1, 0xffff, 0x10000, 0x7fffffff, 0x80000000, 0xffffffff, -1, -0x80000000LL};
    if (below(random, 4) == 0) return spell(random, edges[below(random, std::size(edges))]);
    return spell(random, static_cast<int64_t>(random() >> (32 + below(random, 32))));
}

std::string random_float(std::mt19937_64& random) {
    static constexpr const char* edges[] = {"0.0",
                                            "-0.f",
                                            "1.f",
                                            ".5",
                                            "1.",
                                            "1e10",
                                            "1E-3f",
                                            "-2.5e+3F",
                                            "3.14159265f",
                                            "0.1",
                                            "16777217.0",
                                            "3.40282347e38",
                                            "1.17549435e-38f"};
    if (below(random, 4) == 0) return edges[below(random, std::size(edges))];
    float value = 0;
    do value = std::bit_cast<float>(static_cast<uint32_t>(random()));
    while (!std::isnormal(value));
    if (below(random, 2) == 0) value = static_cast<float>(static_cast<int64_t>(below(random, 20001)) - 10000) / 64;
    char text[64];
    std::snprintf(text, sizeof text, below(random, 2) == 0 ? "%.9g" : "%.8e", static_cast<double>(value));
    std::string result = text;
    if (result.find_first_of(".e") == std::string::npos) result += below(random, 2) == 0 ? ".0" : ".";
    return result + (below(random, 2) == 0 ? "f" : "");
}

std::string random_operand(std::mt19937_64& random, char kind, const std::vector<std::string>& label_names) {
    switch (kind) {
        case 'A':
            if (below(random, 3) == 0) return constant_names[below(random, constant_names.size())];
            return random_register(random, "r", 32);
        case 'Q': return random_register(random, "cr", 8);
        case 'N': return spell(random, static_cast<int64_t>(below(random, 512)) - 256);
        case 'J': return label_names[below(random, label_names.size())];
        case 'l':
        case 'h': return random_integer(random);
        case 'f':
        case 'g': return random_float(random);
        default: return random_register(random, "r", 32);
    }
}

}  // namespace

const std::vector<std::string>& random_label_names() {
    static const std::vector<std::string> names = {"start", "loop", "next_row", "L1", "_done", "a9"};
    return names;
}

std::string random_statement(std::mt19937_64& random) { return random_statement(random, random_label_names()); }

std::string random_statement(std::mt19937_64& random, const std::vector<std::string>& label_names) {
    const Shape& shape = shapes[below(random, std::size(shapes))];
    std::string text = space(random, false);
    if (below(random, 3) == 0) {
        text += '[' + space(random, false) + (below(random, 2) == 0 ? "!" : "") + random_register(random, "cr", 8);
        text += space(random, false) + ']' + space(random, false);
    }
    text += shape.mnemonic;
    std::string_view kinds = shape.operands;
    for (size_t i = 0; i < kinds.size(); ++i) {
        text += i == 0 ? space(random, true) : space(random, false) + ',' + space(random, false);
        text += random_operand(random, kinds[i], label_names);
    }
    return text + space(random, false) + ';';
}

// ---------------------------------------------------------------------------------------------------------------------
// Simulator

namespace {

uint32_t field(uint32_t word, unsigned high, unsigned low) { return word << (31 - high) >> (31 - high + low); }

uint32_t opcode_of(uint32_t word) { return field(word, 31, 27); }
uint32_t select_of(uint32_t word) { return field(word, 15, 10); }
uint32_t rb_of(uint32_t word) { return field(word, 9, 5); }
uint32_t rc_of(uint32_t word) { return field(word, 4, 0); }

// The float units neither read nor produce subnormal numbers; a zero takes their place and keeps the sign.
float flush(float value) { return std::fpclassify(value) == FP_SUBNORMAL ? std::copysign(0.0f, value) : value; }

float read_float(uint32_t bits) { return flush(std::bit_cast<float>(bits)); }

uint32_t result_bits(float value) { return std::isnan(value) ? canonical_nan : std::bit_cast<uint32_t>(flush(value)); }

// Both operands are numbers here. The smaller of two zeros is -0.
float smaller(float a, float b) { return a < b || (a == b && std::signbit(a)) ? a : b; }

uint32_t minimum_or_maximum(uint32_t a_bits, uint32_t b_bits, bool maximum) {
    float a = read_float(a_bits), b = read_float(b_bits);
    if (std::isnan(a)) return result_bits(b);
    if (std::isnan(b)) return result_bits(a);
    return result_bits(maximum ? -smaller(-a, -b) : smaller(a, b));
}

uint32_t to_unsigned(uint32_t a_bits, unsigned width) {
    double a = read_float(a_bits);
    if (!(a > 0)) return 0;
    double limit = std::ldexp(1.0, static_cast<int>(width));
    return a >= limit ? static_cast<uint32_t>(limit - 1) : static_cast<uint32_t>(a);
}

uint32_t insert(uint32_t word, uint32_t part, unsigned width, unsigned position) {
    uint32_t mask = ((1u << width) - 1) << position;
    return (word & ~mask) | part << position;
}

// At most 24 significant bits survive, the rest is cut off, so the conversion to float is exact.
uint32_t word_to_float(uint32_t value) {
    int excess = std::max(0, static_cast<int>(std::bit_width(value)) - 24);
    return std::bit_cast<uint32_t>(static_cast<float>(value >> excess << excess));
}

uint32_t rounded(uint32_t a_bits, uint32_t select) {
    float a = read_float(a_bits);
    switch (select) {
        case 0: return result_bits(std::trunc(a));
        case 1: return result_bits(std::round(a));
        case 2: return result_bits(std::ceil(a));
        default: return result_bits(std::floor(a));
    }
}

bool compare(uint32_t a_bits, uint32_t b_bits, uint32_t select) {
    float a = read_float(a_bits), b = read_float(b_bits);
    switch (select) {
        case 0: return a < b;
        case 1: return a <= b;
        case 2: return a == b;
        case 3: return a >= b;
        case 4: return a > b;
        case 5: return a != b;
        case 6: return !std::isnan(a) && !std::isnan(b);
        default: return std::isnan(a) || std::isnan(b);
    }
}

// Bits 21..0 that an instruction uses, and how many values of `select` it has; all other bits must be zero.
struct Fields {
    bool a = false;         // bits 21..16
    bool b = false;         // bits 9..5
    bool c = false;         // bits 4..0
    uint32_t selects = 1;   // 0 .. selects - 1 are valid
};

std::optional<Fields> fields_of(uint32_t opcode) {
    switch (opcode) {
        case 0:
        case 24:
        case 25: return Fields{};
        case 2: return Fields{true, false, true, 4};
        case 4:
        case 7: return Fields{true, true, true, 2};
        case 5:
        case 6: return Fields{true, true, true, 1};
        case 8: return Fields{true, false, true, 4};
        case 9: return Fields{true, true, true, 4};
        case 10: return Fields{true, true, true, 2};
        case 11: return Fields{true, false, true, 1};
        case 12: return Fields{false, true, true, 4};
        case 13: return Fields{false, true, true, 2};
        case 14: return Fields{false, true, true, 1};
        case 15: return Fields{true, true, true, 8};
        case 16: return Fields{true, true, true, 1};
        case 17: return Fields{false, false, true, 1};
        case 18: return Fields{false, true, false, 1};
        default: return std::nullopt;
    }
}

// A constant leaves bits 20..19 unused.
bool valid_source(uint32_t word) { return field(word, 21, 21) == 1 || field(word, 20, 19) == 0; }

bool valid_memory_access(uint32_t word) {
    uint32_t select = select_of(word);
    bool at_register = select == 0;
    if (!at_register && select != 2 && select != 3 && select != 6 && select != 7) return false;
    if (!at_register && rb_of(word) != 0) return false;
    bool is_load = opcode_of(word) == 19;
    return is_load ? field(word, 21, 16) == 0 : valid_source(word) && rc_of(word) == 0;
}

bool valid_power(uint32_t word) {
    uint32_t top = field(word, 15, 13);
    return valid_source(word) && (top == 0 || top == 7);
}

bool is_legal(uint32_t word) {
    if (field(word, 26, 26) == 0 && field(word, 25, 22) != 0) return false;
    uint32_t opcode = opcode_of(word), select = select_of(word);
    switch (opcode) {
        case 1: return field(word, 5, 5) == 1 || rc_of(word) == 0;
        case 3: return valid_power(word);
        case 15:
            if (field(word, 4, 3) != 0) return false;
            break;
        case 16:
            if (field(word, 21, 21) != 1) return false;
            break;
        case 19:
        case 20: return valid_memory_access(word);
        case 21: return field(word, 12, 10) == 7;
        case 22: return field(word, 21, 16) == 0 && (select == 7 || select == 15) && rc_of(word) == 0;
        case 23: return field(word, 21, 0) == 2u << 10;
        default: break;
    }
    auto fields = fields_of(opcode);
    if (!fields || select >= fields->selects) return false;
    return (fields->a ? valid_source(word) : field(word, 21, 16) == 0) && (fields->b || rb_of(word) == 0) &&
           (fields->c || rc_of(word) == 0);
}

}  // namespace

Machine::Machine(std::vector<uint32_t> program, size_t memory_size) : code(std::move(program)), memory(memory_size) {}

bool Machine::run(uint64_t limit) {
    for (uint64_t i = 0; i < limit && step(); ++i) {
    }
    return stopped && error.empty();
}

bool Machine::step() {
    if (stopped || !error.empty()) return false;
    if (pc >= code.size()) return fail("control leaves the code"), false;
    uint32_t word = code[pc];
    if (!is_legal(word)) return fail("illegal instruction"), false;

    uint32_t this_pc = pc, following = next_pc;
    bool executes = field(word, 26, 26) == 0 || conditions[field(word, 24, 22)] != (field(word, 25, 25) == 1);
    next_pc = following + 1;    // a control transfer overwrites it: its target comes after the delay slot
    if (executes) execute(word);
    if (!error.empty()) {       // keep naming the instruction at fault
        next_pc = following;
        pc = this_pc;
        return false;
    }
    land();
    pc = following;
    ++steps;
    return !stopped;
}

void Machine::land() {
    Result& result = in_flight_[steps % in_flight_.size()];
    if (result.due) registers[result.target] = result.value;
    result.due = false;
}

void Machine::drain() {
    for (size_t i = 0; i < in_flight_.size(); ++i) {
        land();
        ++steps;
    }
    steps -= in_flight_.size();
}

uint32_t Machine::word_at(uint32_t address) const {
    uint32_t value = 0;
    for (uint32_t i = 0; i < 4; ++i) value |= uint32_t{memory[address + i]} << 8 * i;
    return value;
}

void Machine::set_word(uint32_t address, uint32_t value) {
    for (uint32_t i = 0; i < 4; ++i) memory[address + i] = static_cast<uint8_t>(value >> 8 * i);
}

bool Machine::valid_address(uint32_t address) {
    if (address % 4 != 0) return fail("unaligned data address"), false;
    if (uint64_t{address} + 4 > memory.size()) return fail("data address beyond the memory"), false;
    return true;
}

void Machine::fail(std::string_view what) {
    if (error.empty()) error = "word " + std::to_string(pc) + ": " + std::string(what);
}

uint32_t Machine::source(uint32_t word) const {
    return field(word, 21, 21) == 1 ? registers[field(word, 20, 16)] : constant_values[field(word, 18, 16)];
}

void Machine::write(uint32_t target, uint32_t value, unsigned latency) {
    Result& result = in_flight_[(steps + latency) % in_flight_.size()];
    if (result.due) return fail("two register results fall due in one cycle");
    result = {true, static_cast<uint8_t>(target), value};
}

void Machine::execute(uint32_t word) {
    switch (opcode_of(word)) {
        case 0: return;
        case 1:
            if (field(word, 5, 5) == 0)
                latch = field(word, 21, 6);
            else
                write(rc_of(word), field(word, 21, 6) << 16 | latch);
            return;
        case 2:
        case 3:
        case 4:
        case 5:
        case 6:
        case 7:
        case 8: return execute_float(word);
        case 15: conditions[field(word, 2, 0)] = compare(source(word), registers[rb_of(word)], select_of(word)); return;
        case 16: return write(rc_of(word), source(word) + registers[rb_of(word)]);
        case 17: return write(rc_of(word), address_register);
        case 18: address_register = registers[rb_of(word)]; return;
        case 19: return execute_load(word);
        case 20: return execute_store(word);
        case 21:
        case 22:
        case 23: return execute_transfer(word);
        case 24: stopped = true; return;
        case 25: ++irq_count; return;
        default: return execute_conversion(word);
    }
}

void Machine::execute_float(uint32_t word) {
    uint32_t a = source(word), b = registers[rb_of(word)], c = rc_of(word), select = select_of(word);
    switch (opcode_of(word)) {
        case 2: {  // copies look at the sign bit only: subnormal numbers and NaN payloads pass unchanged
            static constexpr uint32_t sign = 0x80000000;
            const uint32_t results[] = {a, a & ~sign, a ^ sign, a | sign};
            return write(c, results[select]);
        }
        case 3: {
            int power = static_cast<int>(word << 18) >> 23;
            return write(c, result_bits(static_cast<float>(std::ldexp(static_cast<double>(read_float(a)), power))));
        }
        case 4: return write(c, result_bits(read_float(a) + (select == 0 ? read_float(b) : -read_float(b))), 2);
        case 5: return write(c, result_bits(read_float(a) * read_float(b)), 2);
        case 6: return write(c, result_bits(read_float(a) / read_float(b)), 10);
        case 7: return write(c, minimum_or_maximum(a, b, select == 1));
        default: return write(c, rounded(a, select));
    }
}

void Machine::execute_conversion(uint32_t word) {
    uint32_t b = registers[rb_of(word)], c = rc_of(word), select = select_of(word);
    switch (opcode_of(word)) {
        case 9: return write(c, insert(b, to_unsigned(source(word), 8), 8, 8 * select));
        case 10: return write(c, insert(b, to_unsigned(source(word), 16), 16, 16 * select));
        case 11: return write(c, to_unsigned(source(word), 32));
        case 12: return write(c, word_to_float(b >> 8 * select & 0xff));
        case 13: return write(c, word_to_float(b >> 16 * select & 0xffff));
        default: return write(c, word_to_float(b));
    }
}

// The five addressing modes by `sel`: at rb, or relative to the address register, stepping it before or after.
void Machine::execute_load(uint32_t word) {
    uint32_t select = select_of(word);
    uint32_t stepped = address_register + (select == 3 || select == 7 ? -4u : 4u);
    uint32_t at = select == 0 ? registers[rb_of(word)] : select <= 3 ? stepped : address_register;
    if (!valid_address(at)) return;
    write(rc_of(word), word_at(at));
    address_register = select == 0 ? at : stepped;
}

void Machine::execute_store(uint32_t word) {
    uint32_t select = select_of(word);
    uint32_t stepped = address_register + (select == 3 || select == 7 ? -4u : 4u);
    uint32_t at = select == 0 ? registers[rb_of(word)] : select <= 3 ? stepped : address_register;
    if (!valid_address(at)) return;
    set_word(at, source(word));
    address_register = select == 0 ? at : stepped;
}

void Machine::push(uint32_t value) {
    if (!valid_address(address_register)) return;
    set_word(address_register, value);
    address_register -= 4;
}

void Machine::execute_transfer(uint32_t word) {
    uint32_t opcode = opcode_of(word);
    if (opcode == 23) {
        if (!valid_address(address_register + 4)) return;
        address_register += 4;
        next_pc = word_at(address_register);
        return;
    }
    bool pushes = field(word, 13, 13) == 1;
    if (pushes) push(pc + 1);   // the delay slot's own index: it runs again after the return
    if (opcode == 22) {
        next_pc = registers[rb_of(word)];
        return;
    }
    uint32_t offset = field(word, 21, 14) << 10 | field(word, 9, 0);
    next_pc = pc + static_cast<uint32_t>(static_cast<int>(offset << 14) >> 14);
}

}  // namespace wishbone_reference
