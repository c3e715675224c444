#include "reference/mos6502.hpp"

#include <fmt/format.h>

#include <map>
#include <string_view>

namespace mos6502_reference {

namespace {

constexpr unsigned carry = 0, zero = 1, interrupts = 2, decimal = 3, overflow = 6, negative = 7;

// The matrix of the manual, a line for each high digit: operations and modes, - where there is none.
constexpr std::string_view matrix =
    "brk imp|ora izx|-|-|-|ora zp|asl zp|-|php imp|ora imm|asl acc|-|-|ora abs|asl abs|-|"
    "bpl rel|ora izy|-|-|-|ora zpx|asl zpx|-|clc imp|ora aby|-|-|-|ora abx|asl abx|-|"
    "jsr abs|and izx|-|-|bit zp|and zp|rol zp|-|plp imp|and imm|rol acc|-|bit abs|and abs|rol abs|-|"
    "bmi rel|and izy|-|-|-|and zpx|rol zpx|-|sec imp|and aby|-|-|-|and abx|rol abx|-|"
    "rti imp|eor izx|-|-|-|eor zp|lsr zp|-|pha imp|eor imm|lsr acc|-|jmp abs|eor abs|lsr abs|-|"
    "bvc rel|eor izy|-|-|-|eor zpx|lsr zpx|-|cli imp|eor aby|-|-|-|eor abx|lsr abx|-|"
    "rts imp|adc izx|-|-|-|adc zp|ror zp|-|pla imp|adc imm|ror acc|-|jmp ind|adc abs|ror abs|-|"
    "bvs rel|adc izy|-|-|-|adc zpx|ror zpx|-|sei imp|adc aby|-|-|-|adc abx|ror abx|-|"
    "-|sta izx|-|-|sty zp|sta zp|stx zp|-|dey imp|-|txa imp|-|sty abs|sta abs|stx abs|-|"
    "bcc rel|sta izy|-|-|sty zpx|sta zpx|stx zpy|-|tya imp|sta aby|txs imp|-|-|sta abx|-|-|"
    "ldy imm|lda izx|ldx imm|-|ldy zp|lda zp|ldx zp|-|tay imp|lda imm|tax imp|-|ldy abs|lda abs|ldx abs|-|"
    "bcs rel|lda izy|-|-|ldy zpx|lda zpx|ldx zpy|-|clv imp|lda aby|tsx imp|-|ldy abx|lda abx|ldx aby|-|"
    "cpy imm|cmp izx|-|-|cpy zp|cmp zp|dec zp|-|iny imp|cmp imm|dex imp|-|cpy abs|cmp abs|dec abs|-|"
    "bne rel|cmp izy|-|-|-|cmp zpx|dec zpx|-|cld imp|cmp aby|-|-|-|cmp abx|dec abx|-|"
    "cpx imm|sbc izx|-|-|cpx zp|sbc zp|inc zp|-|inx imp|sbc imm|nop imp|-|cpx abs|sbc abs|inc abs|-|"
    "beq rel|sbc izy|-|-|-|sbc zpx|inc zpx|-|sed imp|sbc aby|-|-|-|sbc abx|inc abx|-|";

struct Entry {
    std::string name;
    Mode mode = Mode::none;
};

const std::array<Entry, 256>& entries() {
    static const std::array<Entry, 256> made = [] {
        const std::map<std::string_view, Mode> modes = {
            {"imp", Mode::implied},    {"acc", Mode::accumulator}, {"imm", Mode::immediate},  {"zp", Mode::zero},
            {"zpx", Mode::zero_x},     {"zpy", Mode::zero_y},      {"abs", Mode::absolute},   {"abx", Mode::absolute_x},
            {"aby", Mode::absolute_y}, {"ind", Mode::indirect},    {"izx", Mode::indirect_x}, {"izy", Mode::indirect_y},
            {"rel", Mode::relative}};
        std::array<Entry, 256> out;
        std::size_t at = 0;
        for (Entry& entry : out) {
            const std::string_view one = matrix.substr(at, matrix.find('|', at) - at);
            at += one.size() + 1;
            if (one == "-") continue;
            entry = {std::string(one.substr(0, 3)), modes.at(one.substr(4))};
        }
        return out;
    }();
    return made;
}

}  // namespace

Opcode opcode(std::uint8_t code) {
    const Entry& entry = entries()[code];
    return entry.mode == Mode::none ? Opcode{} : Opcode{entry.name.c_str(), entry.mode};
}

unsigned length_of(Mode mode) {
    switch (mode) {
        case Mode::none:
        case Mode::implied:
        case Mode::accumulator: return 1;
        case Mode::absolute:
        case Mode::absolute_x:
        case Mode::absolute_y:
        case Mode::indirect: return 3;
        default: return 2;
    }
}

std::string text_of(std::uint8_t code, std::uint16_t operand, std::uint16_t pc) {
    const Entry& entry = entries()[code];
    const std::string& name = entry.name;
    const auto low = static_cast<std::uint8_t>(operand);
    const auto target = static_cast<std::uint16_t>(pc + 2 + static_cast<std::int8_t>(low));
    const char* const wide = operand < 0x100 ? "a:" : "";
    switch (entry.mode) {
        case Mode::none: return {};
        case Mode::implied: return name;
        case Mode::accumulator: return name + " a";
        case Mode::immediate: return fmt::format("{} #${:x}", name, low);
        case Mode::zero: return fmt::format("{} ${:x}", name, low);
        case Mode::zero_x: return fmt::format("{} ${:x},x", name, low);
        case Mode::zero_y: return fmt::format("{} ${:x},y", name, low);
        case Mode::absolute:
            return fmt::format("{} {}${:x}", name, name == "jmp" || name == "jsr" ? "" : wide, operand);
        case Mode::absolute_x: return fmt::format("{} {}${:x},x", name, wide, operand);
        case Mode::absolute_y: return fmt::format("{} {}${:x},y", name, wide, operand);
        case Mode::indirect: return fmt::format("{} (${:x})", name, operand);
        case Mode::indirect_x: return fmt::format("{} (${:x},x)", name, low);
        case Mode::indirect_y: return fmt::format("{} (${:x}),y", name, low);
        case Mode::relative: return fmt::format("{} {}", name, target);
    }
    return {};
}

std::uint16_t Machine::next_word() {
    const std::uint8_t low = next();
    return static_cast<std::uint16_t>(low | next() << 8);
}

std::uint16_t Machine::word(std::uint16_t low, std::uint16_t high) const {
    return static_cast<std::uint16_t>(memory[low] | memory[high] << 8);
}

std::uint16_t Machine::address(Mode mode) {
    switch (mode) {
        case Mode::immediate: return pc++;
        case Mode::zero: return next();
        case Mode::zero_x: return (next() + x) & 0xff;
        case Mode::zero_y: return (next() + y) & 0xff;
        case Mode::absolute: return next_word();
        case Mode::absolute_x: return static_cast<std::uint16_t>(next_word() + x);
        case Mode::absolute_y: return static_cast<std::uint16_t>(next_word() + y);
        case Mode::indirect: {
            const std::uint16_t at = next_word();
            return word(at, static_cast<std::uint16_t>((at & 0xff00) | ((at + 1) & 0xff)));  // never into the next page
        }
        case Mode::indirect_x: {
            const unsigned at = (next() + x) & 0xff;
            return word(static_cast<std::uint16_t>(at), (at + 1) & 0xff);
        }
        case Mode::indirect_y: {
            const unsigned at = next();
            return static_cast<std::uint16_t>(word(static_cast<std::uint16_t>(at), (at + 1) & 0xff) + y);
        }
        case Mode::relative: {
            const auto distance = static_cast<std::int8_t>(next());
            return static_cast<std::uint16_t>(pc + distance);
        }
        default: return 0;
    }
}

void Machine::flag(unsigned bit, bool on) { p = static_cast<std::uint8_t>((p & ~(1u << bit)) | (on ? 1u << bit : 0)); }

std::uint8_t Machine::result(std::uint8_t value) {
    flag(zero, value == 0);
    flag(negative, value >= 0x80);
    return value;
}

void Machine::add(std::uint8_t m) {
    const int c = flag(carry) ? 1 : 0, binary = a + m + c;
    if (!flag(decimal)) {
        const int as_signed = static_cast<std::int8_t>(a) + static_cast<std::int8_t>(m) + c;
        flag(overflow, as_signed < -128 || as_signed > 127);
        flag(carry, binary > 0xff);
        a = result(static_cast<std::uint8_t>(binary));
        return;
    }
    int low = (a & 15) + (m & 15) + c;
    if (low > 9) low = ((low + 6) & 15) + 16;
    int sum = (a & 0xf0) + (m & 0xf0) + low;
    const int as_signed = static_cast<std::int8_t>(a & 0xf0) + static_cast<std::int8_t>(m & 0xf0) + low;
    flag(zero, (binary & 0xff) == 0);
    flag(negative, (sum & 0x80) != 0);
    flag(overflow, as_signed < -128 || as_signed > 127);
    if (sum >= 0xa0) sum += 0x60;
    flag(carry, sum >= 0x100);
    a = static_cast<std::uint8_t>(sum);
}

void Machine::subtract(std::uint8_t m) {
    const int borrow = flag(carry) ? 0 : 1, binary = a - m - borrow;
    const int as_signed = static_cast<std::int8_t>(a) - static_cast<std::int8_t>(m) - borrow;
    int low = (a & 15) - (m & 15) - borrow;
    if (low < 0) low = ((low - 6) & 15) - 16;
    int sum = (a & 0xf0) - (m & 0xf0) + low;
    if (sum < 0) sum -= 0x60;
    flag(overflow, as_signed < -128 || as_signed > 127);
    flag(carry, binary >= 0);
    result(static_cast<std::uint8_t>(binary));
    a = static_cast<std::uint8_t>(flag(decimal) ? sum : binary);
}

void Machine::compare(std::uint8_t left, std::uint8_t right) {
    flag(carry, left >= right);
    result(static_cast<std::uint8_t>(left - right));
}

bool Machine::step() {
    const Entry& entry = entries()[memory[pc]];
    if (entry.mode == Mode::none) return false;
    ++pc;
    const std::string_view name = entry.name;
    const std::uint16_t at = address(entry.mode);
    std::uint8_t& place = entry.mode == Mode::accumulator ? a : memory[at];
    const auto is = [&](std::string_view one) { return name == one; };
    if (is("adc")) add(place);
    if (is("sbc")) subtract(place);
    if (is("and")) a = result(a & place);
    if (is("ora")) a = result(a | place);
    if (is("eor")) a = result(a ^ place);
    if (is("cmp")) compare(a, place);
    if (is("cpx")) compare(x, place);
    if (is("cpy")) compare(y, place);
    if (is("bit")) {
        flag(zero, (a & place) == 0);
        flag(negative, (place & 0x80) != 0);
        flag(overflow, (place & 0x40) != 0);
    }
    if (is("lda")) a = result(place);
    if (is("ldx")) x = result(place);
    if (is("ldy")) y = result(place);
    if (is("sta")) place = a;
    if (is("stx")) place = x;
    if (is("sty")) place = y;
    if (is("inc")) place = result(static_cast<std::uint8_t>(place + 1));
    if (is("dec")) place = result(static_cast<std::uint8_t>(place - 1));
    if (is("asl") || is("rol")) {
        const unsigned low = is("rol") && flag(carry) ? 1 : 0;
        flag(carry, place >= 0x80);
        place = result(static_cast<std::uint8_t>(place * 2 + low));
    }
    if (is("lsr") || is("ror")) {
        const unsigned high = is("ror") && flag(carry) ? 0x80 : 0;
        flag(carry, (place & 1) != 0);
        place = result(static_cast<std::uint8_t>(place / 2 + high));
    }
    if (is("tax")) x = result(a);
    if (is("tay")) y = result(a);
    if (is("txa")) a = result(x);
    if (is("tya")) a = result(y);
    if (is("tsx")) x = result(s);
    if (is("txs")) s = x;
    if (is("inx")) x = result(static_cast<std::uint8_t>(x + 1));
    if (is("iny")) y = result(static_cast<std::uint8_t>(y + 1));
    if (is("dex")) x = result(static_cast<std::uint8_t>(x - 1));
    if (is("dey")) y = result(static_cast<std::uint8_t>(y - 1));
    if (is("pha")) push(a);
    if (is("pla")) a = result(pull());
    if (is("php")) push(p | 0x30);
    if (is("plp")) p = pull() & 0xcf;
    if (is("clc")) flag(carry, false);
    if (is("sec")) flag(carry, true);
    if (is("cli")) flag(interrupts, false);
    if (is("sei")) flag(interrupts, true);
    if (is("cld")) flag(decimal, false);
    if (is("sed")) flag(decimal, true);
    if (is("clv")) flag(overflow, false);
    if (is("jmp")) pc = at;
    if (is("jsr")) {
        const auto back = static_cast<std::uint16_t>(pc - 1);
        push(static_cast<std::uint8_t>(back >> 8));
        push(static_cast<std::uint8_t>(back));
        pc = at;
    }
    if (is("rts") || is("rti")) {
        if (is("rti")) p = pull() & 0xcf;
        const std::uint8_t low = pull();
        pc = static_cast<std::uint16_t>((low | pull() << 8) + (is("rts") ? 1 : 0));
    }
    if (is("brk")) {
        const auto back = static_cast<std::uint16_t>(pc + 1);
        push(static_cast<std::uint8_t>(back >> 8));
        push(static_cast<std::uint8_t>(back));
        push(p | 0x30);
        flag(interrupts, true);
        pc = word(0xfffe, 0xffff);
    }
    if (entry.mode == Mode::relative) {
        const std::map<std::string_view, bool> taken = {
            {"bpl", !flag(negative)}, {"bmi", flag(negative)}, {"bvc", !flag(overflow)}, {"bvs", flag(overflow)},
            {"bcc", !flag(carry)},    {"bcs", flag(carry)},    {"bne", !flag(zero)},     {"beq", flag(zero)}};
        if (taken.at(name)) pc = at;
    }
    return true;
}

}  // namespace mos6502_reference
