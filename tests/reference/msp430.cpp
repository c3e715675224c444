#include "reference/msp430.hpp"

namespace msp430_reference {

namespace {

constexpr unsigned carry_bit = 1, zero_bit = 2, negative_bit = 4, overflow_bit = 256;

}  // namespace

std::uint16_t Machine::word(unsigned address) const {
    address &= 0xfffe;
    return static_cast<std::uint16_t>(memory[address] | memory[address + 1] << 8);
}

void Machine::set_word(unsigned address, std::uint16_t value) {
    address &= 0xfffe;
    memory[address] = static_cast<std::uint8_t>(value);
    memory[address + 1] = static_cast<std::uint8_t>(value >> 8);
}

std::uint16_t Machine::fetch() {
    const std::uint16_t value = word(r[0]);
    r[0] = static_cast<std::uint16_t>(r[0] + 2);
    return value;
}

// The word behind the code is fetched here, and r[0] moves on: what counts from it counts from where that word is.
Machine::Place Machine::source(unsigned mode, unsigned number, bool byte) {
    constexpr std::uint16_t of_r3[] = {0, 1, 2, 0xffff};
    if (number == 3) return {.is_number = true, .address = of_r3[mode]};
    if (number == 2 && mode >= 2) return {.is_number = true, .address = static_cast<std::uint16_t>(mode == 2 ? 4 : 8)};
    if (mode == 0) return {.number = number};
    if (mode == 1) {
        const std::uint16_t base = number == 2 ? 0 : r[number];
        return {.in_memory = true, .address = static_cast<std::uint16_t>(base + fetch())};
    }
    const Place place{.in_memory = true, .address = r[number]};
    if (mode == 3 && number == 0) return {.is_number = true, .address = fetch()};
    if (mode == 3) r[number] = static_cast<std::uint16_t>(r[number] + (byte && number != 1 ? 1 : 2));
    return place;
}

Machine::Place Machine::destination(unsigned mode, unsigned number) {
    if (mode == 0) return {.number = number};
    const std::uint16_t base = number == 2 ? 0 : r[number];
    return {.in_memory = true, .address = static_cast<std::uint16_t>(base + fetch())};
}

unsigned Machine::read(const Place& place, bool byte) const {
    if (place.is_number) return byte ? place.address & 0xff : place.address;
    if (place.in_memory) return byte ? memory[place.address] : word(place.address);
    const unsigned value = place.number == 3 ? 0 : r[place.number];
    return byte ? value & 0xff : value;
}

void Machine::write(const Place& place, bool byte, unsigned value) {
    const auto half = static_cast<std::uint8_t>(value);
    const auto whole = static_cast<std::uint16_t>(value);
    if (place.in_memory && byte) {
        memory[place.address] = half;
    } else if (place.in_memory) {
        set_word(place.address, whole);
    } else if (place.number == 0) {
        r[0] = (byte ? half : whole) & 0xfffe;
    } else if (place.number != 3) {
        r[place.number] = byte ? half : whole;
    }
}

void Machine::flags(bool carry, bool zero, bool negative, bool overflow) {
    r[2] = static_cast<std::uint16_t>(r[2] & ~(carry_bit | zero_bit | negative_bit | overflow_bit));
    if (carry) r[2] |= carry_bit;
    if (zero) r[2] |= zero_bit;
    if (negative) r[2] |= negative_bit;
    if (overflow) r[2] |= overflow_bit;
}

bool Machine::two_operands(unsigned code) {
    const bool byte = (code >> 6 & 1) != 0;
    const unsigned mask = byte ? 0xff : 0xffff, top = byte ? 0x80 : 0x8000, operation = code >> 12;
    if ((code >> 7 & 1) != 0 && (code & 15) == 3) return false;
    const Place from = source(code >> 4 & 3, code >> 8 & 15, byte);
    const unsigned s = read(from, byte);
    const Place to = destination(code >> 7 & 1, code & 15);
    const unsigned d = read(to, byte);
    const unsigned c = r[2] & carry_bit;
    const auto sum = [&](unsigned a, unsigned b, unsigned in) {
        const unsigned all = a + b + in, result = all & mask;
        flags(all > mask, result == 0, (result & top) != 0, (a & top) == (b & top) && (a & top) != (result & top));
        return result;
    };
    switch (operation) {
        case 4: write(to, byte, s); break;
        case 5: write(to, byte, sum(d, s, 0)); break;
        case 6: write(to, byte, sum(d, s, c)); break;
        case 7: write(to, byte, sum(d, ~s & mask, c)); break;
        case 8: write(to, byte, sum(d, ~s & mask, 1)); break;
        case 9: sum(d, ~s & mask, 1); break;
        case 10: {
            unsigned result = 0, carry = c;
            for (unsigned shift = 0; shift < (byte ? 8u : 16u); shift += 4) {
                unsigned digit = (s >> shift & 15) + (d >> shift & 15) + carry;
                carry = digit > 9 ? 1 : 0;
                if (carry) digit += 6;
                result |= (digit & 15) << shift;
            }
            flags(carry != 0, result == 0, (result & top) != 0, (r[2] & overflow_bit) != 0);
            write(to, byte, result);
            break;
        }
        case 11: flags((s & d) != 0, (s & d) == 0, (s & d & top) != 0, false); break;
        case 12: write(to, byte, d & ~s); break;
        case 13: write(to, byte, d | s); break;
        case 14:
            flags((s ^ d) != 0, s == d, ((s ^ d) & top) != 0, (s & d & top) != 0);
            write(to, byte, s ^ d);
            break;
        default: flags((s & d) != 0, (s & d) == 0, (s & d & top) != 0, false); write(to, byte, s & d);
    }
    return true;
}

bool Machine::one_operand(unsigned code) {
    const bool byte = (code >> 6 & 1) != 0;
    const unsigned operation = code >> 7 & 7, mode = code >> 4 & 3, number = code & 15, top = byte ? 0x80 : 0x8000;
    if (code == 0x1300) {
        r[2] = word(r[1]);
        r[0] = word(r[1] + 2u) & 0xfffe;
        r[1] = static_cast<std::uint16_t>(r[1] + 4);
        return true;
    }
    const bool has_bytes = operation == 0 || operation == 2 || operation == 4;
    if (operation > 5 || (byte && !has_bytes)) return false;
    const bool writes = operation < 4;
    const bool is_place = number != 3 && !(number == 2 && mode >= 2) && !(number == 0 && mode != 1);
    if (writes && !is_place) return false;
    const Place at = source(mode, number, byte);
    const unsigned x = read(at, byte);
    switch (operation) {
        case 0:
        case 2: {
            const bool in = operation == 0 ? (r[2] & carry_bit) != 0 : (x & top) != 0;
            const unsigned result = x >> 1 | (in ? top : 0);
            flags((x & 1) != 0, result == 0, in, false);
            write(at, byte, result);
            break;
        }
        case 1: write(at, false, x << 8 | x >> 8); break;
        case 3: {
            const auto result = static_cast<std::uint16_t>(((x & 0xff) ^ 0x80) - 0x80);
            flags(result != 0, result == 0, (result & 0x8000) != 0, false);
            write(at, false, result);
            break;
        }
        default:
            r[1] = static_cast<std::uint16_t>(r[1] - 2);
            set_word(r[1], operation == 4 ? static_cast<std::uint16_t>(x) : r[0]);
            if (operation == 5) r[0] = x & 0xfffe;
    }
    return true;
}

bool Machine::jump(unsigned code) {
    const bool c = (r[2] & carry_bit) != 0, z = (r[2] & zero_bit) != 0, n = (r[2] & negative_bit) != 0,
               v = (r[2] & overflow_bit) != 0;
    const bool taken[] = {!z, z, !c, c, n, n == v, n != v, true};
    int distance = static_cast<int>(code & 0x3ff);
    if (distance >= 0x200) distance -= 0x400;
    if (taken[code >> 10 & 7]) r[0] = static_cast<std::uint16_t>(r[0] + 2 * distance);
    return true;
}

bool Machine::step() {
    const unsigned code = fetch();
    if (code >> 12 >= 4) return two_operands(code);
    if (code >> 13 == 1) return jump(code);
    return code >> 10 == 4 && one_operand(code);
}

}  // namespace msp430_reference
