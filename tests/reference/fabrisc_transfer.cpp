// What instructions do that move, load, store and branch.
#include <tuple>
#include <utility>

#include "fabrisc_plan.hpp"

namespace fabrisc_reference {

using soft_float::Wide;

// The modes of March's vector loads have the mask below the stride, all others the other way round and updates below.
void Operation::Plan::take_transfer_fields(const Fields& fields) {
    target = fields.field("T");
    count = fields.number("COUNT") + 1;
    update = fields.number("UPDATE");
    flag = meaning.shape == Shape::flag_branch && !fields.has("FLAG") ? 5 : fields.number("FLAG");  // CBZF: ZERO
    kind = fields.number("KIND");
    has_ra = fields.has("RA");
    if (fields.code("FP") != 0) meaning.floating_point = true;
    const Field mode = fields.field("MODE");
    if (mode.width == 2 && configuration.revision == Revision::march) {
        masked = (mode.code & 1) != 0;
        stride = mode.code >> 1 != 0;
    } else if (mode.width == 1) {
        masked = mode.code != 0;
    } else if (mode.width == 2) {
        masked = mode.code >> 1 != 0;
        stride = (mode.code & 1) != 0;
    } else if (mode.width != 0) {
        update = mode.code & 3;
        masked = mode.code >> (mode.width - 1) != 0;
        stride = mode.width == 4 && (mode.code >> 2 & 1) != 0;
    }
    file = fields.number("FILE");
    constexpr Bank banks[] = {Bank::scalar, Bank::special, Bank::vector};
    if (fields.has("FILE")) {
        const Bank last = configuration.revision == Revision::may ? Bank::vector_flags : Bank::helper;
        file = static_cast<unsigned>(file == 3 ? last : banks[file]);
    }
    if (fields.has("BLOCK")) {
        constexpr Bank march_banks[] = {Bank::scalar, Bank::vector, Bank::special};
        file = static_cast<unsigned>(march_banks[fields.code("BLOCK") / 3]);
        upper_half = fields.code("BLOCK") % 3 == 1;
    }
    if (fields.has("KIND") && meaning.shape == Shape::move) {
        const std::pair<Bank, Bank> kinds[] = {{Bank::special, Bank::scalar}, {Bank::scalar, Bank::special}};
        if (kind < 2) std::tie(meaning.to, meaning.from) = kinds[kind];
        if (kind == 8 || kind == 9) {  // the low part of VFLG, which is a special register
            std::tie(meaning.to, meaning.from) = kinds[kind == 8 ? 1 : 0];
            n = configuration.wlen;
            (kind == 8 ? rb : ra) = layout.vector_flags;
        }
        if (kind == 10) meaning.to = Bank::vector, meaning.from = Bank::vector_flags;
        if (kind == 11) meaning.to = Bank::vector_flags, meaning.from = Bank::vector;
    }
}

Group Operation::Plan::group() const {
    switch (meaning.shape) {
        case Shape::move: return Group::move;
        case Shape::scalar_memory:
        case Shape::vector_memory: return Group::memory;
        case Shape::gather: return Group::gather;
        case Shape::block: return Group::block;
        case Shape::load_linked:
        case Shape::store_conditional:
        case Shape::compare_and_swap: return Group::atomic;
        case Shape::branch:
        case Shape::flag_branch:
        case Shape::jump:
        case Shape::nothing: return Group::flow;
        default: return Group::computing;
    }
}

u64 Operation::Plan::widest_stride() const {
    if (!stride || meaning.address == Address::by_register) return 0;
    const s64 number = as_signed(immediate.code, immediate.width);
    return static_cast<u64>(number < 0 ? -number : number);
}

// Whether one of the registers that a move or a block transfer reads or writes matters.
bool Operation::Plan::touches(const std::function<bool(Bank, unsigned number, bool written)>& matters) const {
    if (meaning.shape == Shape::block) {
        for (unsigned i = 0; i < 32; ++i) {
            const unsigned number = (i + (upper_half ? 16 : 0)) % 32;
            if ((immediate.code >> i & 1) != 0 && matters(static_cast<Bank>(file), number, !meaning.store)) return true;
        }
    }
    if (meaning.shape != Shape::move) return false;
    const bool one_a = meaning.to == Bank::vector && meaning.from == Bank::scalar;
    const bool one_b = meaning.from == Bank::vector && meaning.to == Bank::scalar;
    const unsigned most = one_a || one_b ? std::min(count, configuration.mxvl / n) : count;
    for (unsigned k = 0; k < most; ++k) {
        const unsigned a = one_a ? ra : (ra + k) % 32, b = one_b ? rb : (rb + k) % 32;
        if (matters(meaning.to, a, true) || matters(meaning.from, b, meaning.exchange)) return true;
        if (meaning.to >= Bank::flags || meaning.from >= Bank::flags || kind >= 8) break;  // one register
    }
    return false;
}

bool Operation::Plan::writes_status() const {
    return touches([&](Bank bank, unsigned number, bool written) {
        return written && bank == Bank::special && (number == layout.pc || number == layout.csr);
    });
}

bool Operation::Plan::writes_modes() const {
    return touches([&](Bank bank, unsigned number, bool written) {
        if (!written) return false;
        if (bank == Bank::special) return (layout.modes >> number & 1) != 0;
        return bank == Bank::helper && (number == 16 || number == 17 || number >= 30);
    });
}

bool Operation::Plan::forbidden(const State& state) const {
    if (!in_user_mode(state)) return false;
    return touches([&](Bank bank, unsigned number, bool written) {
        if (bank != Bank::special) return false;
        if (configuration.revision == Revision::may && number == layout.cause && written) return true;
        return (layout.privileged_registers >> number & 1) != 0;
    });
}

// ---- memory

u64 Operation::Plan::load(const State& s, u64 address, unsigned size) const {
    u64 value = 0;
    for (unsigned i = 0; i < size; ++i) value |= static_cast<u64>(s.memory.at((address + i) & address_mask())) << 8 * i;
    return value;
}

void Operation::Plan::store(State& s, u64 address, unsigned size, u64 value) const {
    for (unsigned i = 0; i < size; ++i)
        s.memory.at((address + i) & address_mask()) = static_cast<std::uint8_t>(value >> 8 * i);
}

// With `base` for RB (and RC, where that is part of a strided base).
u64 Operation::Plan::address_of(const State& s, u64 base) const {
    const auto number = static_cast<u64>(as_signed(immediate.code, immediate.width));
    u64 address = base;
    if (stride) {
        if (meaning.address != Address::immediate) address += s.scalar[rc];
    } else {
        switch (meaning.address) {
            case Address::immediate: address += immediate.width == 0 ? 0 : number; break;
            case Address::scaled: address += s.scalar[rc] * number; break;
            case Address::by_register: address += s.scalar[rc] * s.scalar[rd]; break;
        }
    }
    return address & address_mask();
}

// From one element of a vector to the next, in bytes.
u64 Operation::Plan::element_step(const State& s) const {
    if (!stride) return word_bytes();
    if (meaning.address == Address::by_register) return s.scalar[rd];
    return static_cast<u64>(as_signed(immediate.code, immediate.width));
}

// What an update adds to the address register.
u64 Operation::Plan::update_amount(const State& s) const {
    u64 amount = n / 8;
    if (meaning.shape == Shape::vector_memory) amount = elements(s, configuration.wlen) * element_step(s);
    const bool downwards = update == 2 || (update == 3 && configuration.revision == Revision::may_last);
    return downwards ? 0 - amount : amount;
}

// Where the access begins.
u64 Operation::Plan::first_address(const State& s) const {
    return address_of(s, s.scalar[rb] + (update == 3 ? update_amount(s) : 0));
}

void Operation::Plan::run_scalar_memory(State& s) const {
    const u64 address = first_address(s), updated = (s.scalar[rb] + update_amount(s)) & address_mask();
    if (meaning.store) {
        store(s, address, n / 8, s.scalar[ra]);
        if (update != 0) write_scalar(s, rb, updated, configuration.wlen);
    } else {
        const u64 value = load(s, address, n / 8);
        if (update != 0) write_scalar(s, rb, updated, configuration.wlen);
        write_scalar(s, ra, value, n);
    }
    s.pc += bytes;
}

void Operation::Plan::run_vector_memory(State& s) const {
    const unsigned size = word_bytes();
    const u64 first = first_address(s), step = element_step(s);
    const u64 updated = (s.scalar[rb] + update_amount(s)) & address_mask();
    for (unsigned e = 0; e < elements(s, configuration.wlen); ++e) {
        const u64 address = first + e * step;
        for (unsigned i = e * size; i < (e + 1) * size; ++i) {
            if (vector_masked(s, i)) continue;
            if (meaning.store) {
                store(s, address + i - e * size, 1, s.vector[ra][i]);
            } else {
                s.vector[ra][i] = static_cast<std::uint8_t>(load(s, address + i - e * size, 1));
            }
        }
    }
    if (update != 0) write_scalar(s, rb, updated, configuration.wlen);
    s.pc += bytes;
}

void Operation::Plan::run_gather(State& s) const {
    const Vector distances = s.vector[rc];
    for (unsigned e = 0; e < elements(s, n); ++e) {
        if (vector_masked(s, e * n / 8)) continue;
        const u64 address = s.scalar[rb] + static_cast<u64>(as_signed(element(distances, n, e), n));
        if (meaning.store) {
            store(s, address, n / 8, element(s.vector[ra], n, e));
        } else {
            write_element(s, s.vector[ra], n, e, load(s, address, n / 8));
        }
    }
    s.pc += bytes;
}

void Operation::Plan::run_block(State& s) const {
    u64 address = s.scalar[ra];
    const Bank bank = static_cast<Bank>(file);
    const bool is_vector = bank == Bank::vector || bank == Bank::vector_flags;
    for (unsigned i = 0; i < 32; ++i) {
        if ((immediate.code >> i & 1) == 0 || (bank == Bank::vector_flags && i != 0)) continue;
        const unsigned number = i + (upper_half ? 16 : 0);
        if (is_vector) {
            Vector& place = bank == Bank::vector ? s.vector[number] : s.vector_flags;
            for (unsigned k = 0; k < configuration.mxvl / 8; ++k, ++address) {
                if (meaning.store) {
                    store(s, address, 1, place[k]);
                } else {
                    place[k] = static_cast<std::uint8_t>(load(s, address, 1));
                }
            }
        } else {
            if (meaning.store) {
                store(s, address, word_bytes(), read_place(s, bank, number, configuration.wlen));
            } else {
                write_place(s, bank, number, load(s, address, word_bytes()), configuration.wlen);
            }
            address += word_bytes();
        }
    }
    s.pc += bytes;
}

void Operation::Plan::run_atomic(State& s) const {
    const u64 address = s.scalar[rb], value = scalar(s, rc);
    switch (meaning.shape) {
        case Shape::load_linked:
            write_scalar(s, ra, load(s, address, n / 8), n);
            s.reserved = address;
            s.reserved_bytes = n / 8;
            break;
        case Shape::store_conditional: {
            const bool holds = s.reserved == address && s.reserved_bytes == n / 8;
            if (holds) store(s, address, n / 8, value);
            write_scalar(s, ra, holds ? 1 : 0, n);
            s.reserved_bytes = 0;
            break;
        }
        default: {  // compare and swap; 2022-05-02: EQ and LE, unsigned
            const u64 old = load(s, address, n / 8);
            const bool early = configuration.revision == Revision::may;
            const unsigned which = early && condition == 1 ? 3 : condition;
            if (holds(which, old, scalar(s, ra), n, false, early)) store(s, address, n / 8, value);
            write_scalar(s, ra, old, n);
        }
    }
    s.pc += bytes;
}

// ---- moves

u64 Operation::Plan::read_special(const State& s, unsigned number) const {
    if (number == layout.pc) return s.pc;
    if (number == layout.vector_flags) {
        u64 value = 0;
        std::memcpy(&value, s.vector_flags.data(), word_bytes());
        return value;
    }
    if (number == layout.csr && s.user_mode) return s.special[number] & layout.user_bits;
    return s.special[number];
}

// The depth of transactions stays, and what is not the user's; PC is written when the instruction is done.
void Operation::Plan::write_special(State& s, unsigned number, u64 value, unsigned size) const {
    value = (read_special(s, number) & ~ones(size)) | low(value, size);
    if (layout.narrow(number)) value = low(value, 32);
    if (number == layout.csr) {
        u64 stays = u64{0xff} << layout.depth;
        if (s.user_mode) stays |= ~u64{layout.user_bits};
        value = ((value & ~stays) | (s.special[number] & stays)) & layout.csr_bits;
    }
    if (number == layout.vector_flags) {
        std::memcpy(s.vector_flags.data(), &value, word_bytes());
    } else if (number == layout.pc) {
        s.jump = value;
    } else {
        s.special[number] = value;
    }
    used(s, Bank::special, number);
}

u64 Operation::Plan::read_place(const State& s, Bank bank, unsigned number, unsigned size) const {
    switch (bank) {
        case Bank::scalar: return low(s.scalar[number], size);
        case Bank::special: return low(read_special(s, number), size);
        case Bank::helper: return low(s.helper[number], size);
        default: return s.flags;
    }
}

void Operation::Plan::write_place(State& s, Bank bank, unsigned number, u64 value, unsigned size) const {
    switch (bank) {
        case Bank::scalar: return write_scalar(s, number, value, size);
        case Bank::special: return write_special(s, number, value, size);
        case Bank::helper:
            value = (s.helper[number] & ~ones(size)) | low(value, size);
            s.helper[number] = value;
            return;
        default: s.flags = value & 0x7f;
    }
}

// Between a scalar and elements of one vector register.
void Operation::Plan::move_elements(State& s) const {
    const bool to_vector = meaning.to == Bank::vector;
    Vector& vector = s.vector[to_vector ? ra : rb];
    const unsigned first = to_vector ? rb : ra;
    for (unsigned k = 0; k < std::min(count, configuration.mxvl / n); ++k) {
        const unsigned number = (first + k) % 32;
        const u64 old = element(vector, n, k), value = scalar(s, number);
        if (to_vector || meaning.exchange) {
            for (unsigned i = 0; i < n / 8; ++i) {
                const bool keeps = !meaning.exchange && vector_masked(s, k * n / 8 + i);
                if (!keeps) vector[k * n / 8 + i] = static_cast<std::uint8_t>(value >> 8 * i);
            }
        }
        if (!to_vector || meaning.exchange) write_scalar(s, number, old, n);
    }
    s.pc += bytes;
}

// Between vector registers, or one and the flags of vectors.
void Operation::Plan::move_vectors(State& s) const {
    const bool with_flags = meaning.to == Bank::vector_flags || meaning.from == Bank::vector_flags;
    const unsigned length = with_flags ? configuration.mxvl / 8 : elements(s, n) * n / 8;
    for (unsigned k = 0; k < (with_flags ? 1 : count); ++k) {
        Vector& left = meaning.to == Bank::vector_flags ? s.vector_flags : s.vector[(ra + k) % 32];
        Vector& right = meaning.from == Bank::vector_flags ? s.vector_flags : s.vector[(rb + k) % 32];
        for (unsigned i = 0; i < length; ++i) {
            if (vector_masked(s, i)) continue;
            const std::uint8_t value = right[i];
            if (meaning.exchange) right[i] = left[i];
            left[i] = value;
        }
    }
    s.pc += bytes;
}

void Operation::Plan::run_move(State& s) const {
    auto is_vector = [](Bank bank) { return bank == Bank::vector || bank == Bank::vector_flags; };
    if (is_vector(meaning.to) && is_vector(meaning.from)) return move_vectors(s);
    if (meaning.to == Bank::vector || meaning.from == Bank::vector) return move_elements(s);
    const bool with_flags = meaning.to == Bank::flags || meaning.from == Bank::flags;
    s.jump.reset();
    for (unsigned k = 0; k < (with_flags ? 1 : count); ++k) {
        const unsigned a = (ra + k) % 32, b = (rb + k) % 32;
        const u64 old_a = read_place(s, meaning.to, a, n), old_b = read_place(s, meaning.from, b, n);
        write_place(s, meaning.to, a, old_b, n);
        if (meaning.exchange) write_place(s, meaning.from, b, old_a, n);
    }
    s.pc = s.jump ? *s.jump : s.pc + bytes;
}

// ---- control

u64 Operation::Plan::relative_target(const State& s) const {
    return s.pc + 2 * static_cast<u64>(as_signed(target.code, target.width));
}

void Operation::Plan::run_branch(State& s) const {
    bool taken = false;
    if (meaning.shape == Shape::flag_branch) {
        unsigned bit = flag;
        u64 flags = scalar_flags(s);
        if (meaning.system_flag) {
            bit = 0;
            flags = system_flag(s, flag) ? 1 : 0;
        }
        taken = ((flags >> bit & 1) != 0) == meaning.flag;
    } else {
        const u64 b = meaning.against_zero ? 0 : scalar(s, rb);
        const unsigned which = meaning.condition < 4 ? meaning.condition : condition;
        taken = holds(which, scalar(s, ra), b, n, meaning.floating_point, meaning.is_unsigned);
    }
    s.pc = (taken ? relative_target(s) : s.pc + bytes) & address_mask();
}

// SUP BOOT CON PAG EXC UINT SINT EVT; the last three are other bits in May, two of them the other way round.
bool Operation::Plan::system_flag(const State& s, unsigned number) const {
    if (configuration.revision == Revision::march) return csr_bit(s, 24 + number);
    constexpr unsigned bits[] = {18, 19, 20, 21, 9, 22, 23, 24};
    return csr_bit(s, bits[number]) != (number == 5 || number == 6);
}

void Operation::Plan::run_jump(State& s) const {
    u64 place = relative_target(s);
    if (meaning.to_register) {
        place = s.scalar[meaning.call ? rb : ra];
        if (immediate.width != 0) place += 2 * static_cast<u64>(as_signed(immediate.code, immediate.width));
    }
    if (meaning.call) write_scalar(s, has_ra ? ra : 31, (s.pc + bytes) & address_mask(), configuration.wlen);
    s.pc = place & address_mask();
}

void Operation::Plan::run_transfer(State& s) const {
    switch (meaning.shape) {
        case Shape::move: return run_move(s);
        case Shape::scalar_memory: return run_scalar_memory(s);
        case Shape::vector_memory: return run_vector_memory(s);
        case Shape::gather: return run_gather(s);
        case Shape::block: return run_block(s);
        case Shape::load_linked:
        case Shape::store_conditional:
        case Shape::compare_and_swap: return run_atomic(s);
        case Shape::branch:
        case Shape::flag_branch: return run_branch(s);
        case Shape::jump: return run_jump(s);
        default: s.pc += bytes;
    }
}

}  // namespace fabrisc_reference
