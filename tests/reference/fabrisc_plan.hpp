// An instruction of the model, taken apart: between the parts of the model, nobody else needs it.
#pragma once

#include <algorithm>
#include <cstring>
#include <functional>
#include <string_view>
#include <vector>

#include "fabrisc_model.hpp"
#include "fabrisc_values.hpp"

namespace fabrisc_reference {

enum class Shape {
    scalar,
    vector,
    reduction,
    scalar_cast,
    vector_cast,
    multiword,
    scalar_compare,
    vector_compare,
    scalar_test,
    vector_test,
    invert_scalar_mask,
    invert_vector_mask,
    move,
    scalar_memory,
    vector_memory,
    gather,
    block,
    load_linked,
    store_conditional,
    compare_and_swap,
    branch,
    flag_branch,
    jump,
    nothing
};

enum class Multiword { add, sub, mul, div, left, arithmetic_right, logical_right };

// What a move or a block transfer moves.
enum class Bank { scalar, special, vector, helper, flags, vector_flags };

// Where a vector load takes its step from one element to the next.
enum class Address { immediate, scaled, by_register };  // RB + IMM, RB + RC * IMM, RB + RC * RD

struct Meaning {
    Shape shape = Shape::scalar;
    Op op = Op::add;
    Cast cast = Cast::integer_integer;
    Multiword multiword = Multiword::add;
    bool is_unsigned = false;
    bool immediate = false;
    bool signed_immediate = false;
    bool two_operands = false;   // compressed: RA is a, RB or the immediate is b
    bool unary = false;
    bool backward = false;
    bool floating_point = false; // compares and tests
    bool scalar_operand = false; // masks of vectors: the other side, or what is tested, is a scalar
    unsigned bits = 0;           // where the name says the size
    Bank to = Bank::scalar, from = Bank::scalar;
    bool privileged = false;
    bool exchange = false;       // moves: both ways
    bool store = false;
    Address address = Address::immediate;
    unsigned condition = 4;      // of a branch, where the name says it
    bool against_zero = false;
    bool whole_registers = false;  // tests without a size
    bool flag = true;            // flag branches: the value that is asked for
    bool system_flag = false;
    bool call = false, to_register = false;  // jumps: RA gets the return address; the target is a register's
};

using Names = std::map<std::string, Meaning, std::less<>>;

// What a shift with a `u` is.
Op logical_of(Op op);

// What the mnemonics stand for.
const Names& names_of(Revision revision);

class Fields {
public:
    explicit Fields(const Instruction& instruction) : fields_(instruction.fields) {}

    bool has(std::string_view name) const { return fields_.find(name) != fields_.end(); }
    u64 code(std::string_view name) const {
        auto found = fields_.find(name);
        return found == fields_.end() ? 0 : found->second.code;
    }
    Field field(std::string_view name) const {
        auto found = fields_.find(name);
        return found == fields_.end() ? Field{} : found->second;
    }
    unsigned number(std::string_view name) const { return static_cast<unsigned>(code(name)); }
    unsigned size(std::string_view name) const { return 8u << code(name); }

private:
    const std::map<std::string, Field, std::less<>>& fields_;
};

struct Operation::Plan {
    Configuration configuration;
    Layout layout{};
    Meaning meaning;
    unsigned bytes = 4;
    unsigned n = 32, to = 32;          // bits of the operands; of a cast's result
    unsigned ra = 0, rb = 0, rc = 0, rd = 0;
    Field immediate;
    bool scalar_second = false;        // vs: the second operand is a scalar register
    bool masked = false, backward = false, extend_sign = false;
    unsigned condition = 0;
    Field target;                      // of a jump
    bool stride = false;
    unsigned update = 0, count = 1, file = 0, flag = 0;
    unsigned kind = 0;                 // of March's SRCPY
    bool upper_half = false;           // of a file, in a block transfer
    bool has_ra = false;

    void run(State& state, const State* witness) const;
    bool is_malformed() const;
    bool writes_status() const;
    bool writes_modes() const;
    bool forbidden(const State& state) const;
    bool touches(const std::function<bool(Bank, unsigned number, bool written)>& matters) const;
    Group group() const;
    u64 widest_stride() const;
    u64 displacement(const State& state) const { return first_address(state) - state.scalar[rb]; }
    void take_transfer_fields(const Fields& fields);

private:
    // An instruction on its way: the state that it changes, what it looks at.
    struct Run {
        State& state;
        const State* witness;
    };
    bool in_user_mode(const State& s) const { return !csr_bit(s, layout.supervisor); }
    bool csr_bit(const State& s, unsigned bit) const { return (s.special[layout.csr] >> bit & 1) != 0; }
    void set_csr_bit(State& s, unsigned bit, bool value) const {
        s.special[layout.csr] = (s.special[layout.csr] & ~(u64{1} << bit)) | (value ? u64{1} << bit : 0);
    }
    bool vector_masked(const State& s, unsigned byte) const {
        return masked && byte < configuration.wlen && (s.special[layout.mask] >> byte & 1) != 0;
    }
    unsigned elements(const State& s, unsigned bits) const {
        unsigned length = static_cast<unsigned>(s.special[layout.csr] >> layout.vlen & 63) + 1;
        return std::min(length, configuration.mxvl / bits);
    }
    u64 element(const Vector& vector, unsigned bits, unsigned e) const {
        u64 value = 0;
        std::memcpy(&value, &vector[e * bits / 8], bits / 8);
        return value;
    }
    u64 scalar(const State& s, unsigned number) const { return low(s.scalar[number], n); }
    // Files in the order of FU0 …: March has the vectors second.
    unsigned usage_of(Bank bank) const {
        const bool march = configuration.revision == Revision::march;
        switch (bank) {
            case Bank::special: return march ? 2 : 1;
            case Bank::vector: return march ? 1 : 2;
            case Bank::helper: return 3;
            default: return 0;
        }
    }
    void used(State& s, Bank bank, unsigned number) const {
        if (s.user_mode) s.special[layout.file_usage + usage_of(bank)] |= u64{1} << number;
    }
    void write_scalar(State& s, unsigned number, u64 value, unsigned bits) const {
        s.scalar[number] = (s.scalar[number] & ~ones(bits)) | low(value, bits);
        used(s, Bank::scalar, number);
    }
    void write_element(State& s, Vector& vector, unsigned bits, unsigned e, u64 value) const {
        for (unsigned i = 0; i < bits / 8; ++i) {
            if (!vector_masked(s, e * bits / 8 + i))
                vector[e * bits / 8 + i] = static_cast<std::uint8_t>(value >> 8 * i);
        }
    }

    unsigned scalar_flags(const State& s) const {
        if (configuration.revision == Revision::march) return static_cast<unsigned>(s.special[layout.csr] & 0x7f);
        return s.flags;
    }
    void set_scalar_flags(State& s, unsigned flags) const {
        if (configuration.revision == Revision::march)
            s.special[layout.csr] = (s.special[layout.csr] & ~u64{0x7f}) | flags;
        if (configuration.revision == Revision::may) s.flags = static_cast<std::uint8_t>(flags);
    }
    unsigned trapping() const {
        if (is_float(meaning.op) || !meaning.is_unsigned) return ovfl | unfl | div0;
        return covr | cund | div0;
    }
    // The id of the exception, where one is due.
    std::optional<unsigned> trap(const State& s, unsigned raised) const {
        raised &= trapping();
        if (!csr_bit(s, layout.traps) || raised == 0) return {};
        return static_cast<unsigned>(__builtin_ctz(raised));
    }

    void exception(State& s, unsigned id) const;
    void fault(State& s, unsigned id) const;
    void malformed(State& s) const { fault(s, configuration.revision == Revision::may ? 0xe5 : 0xe6); }
    bool is_scalar() const;
    bool moves_scalars() const;
    bool fits(bool with_scalar) const {
        return !(with_scalar && n > configuration.wlen) && !(meaning.floating_point && n == 8);
    }

    s64 immediate_number() const {
        bool by_sign = meaning.signed_immediate || extend_sign;
        return by_sign ? as_signed(immediate.code, immediate.width) : static_cast<s64>(immediate.code);
    }
    u64 immediate_value(const State& s) const;
    Operands operands(const State& s) const;
    void finish_scalar(State& s, u64 value, unsigned bits, unsigned raised, bool float_result,
                       unsigned carried = 0) const;
    void mark_destinations(State& s) const;
    void finish_vector(State& s, const std::vector<Result>& results, unsigned bits, bool float_result) const;
    void run_scalar(Run run) const;
    void run_vector(Run run) const;
    void run_reduction(State& s) const;
    void run_scalar_cast(State& s) const;
    void run_vector_cast(State& s) const;
    void run_multiword(State& s) const;
    void run_scalar_mask(State& s) const;
    void run_vector_mask(State& s) const;

    // The rest is in fabrisc_transfer.cpp.
    u64 address_mask() const { return ones(configuration.wlen); }
    unsigned word_bytes() const { return configuration.wlen / 8; }
    u64 load(const State& s, u64 address, unsigned size) const;
    void store(State& s, u64 address, unsigned size, u64 value) const;
    u64 read_special(const State& s, unsigned number) const;
    void write_special(State& s, unsigned number, u64 value, unsigned size) const;
    u64 read_place(const State& s, Bank bank, unsigned number, unsigned size) const;
    void write_place(State& s, Bank bank, unsigned number, u64 value, unsigned size) const;
    u64 address_of(const State& s, u64 base) const;
    u64 element_step(const State& s) const;
    u64 update_amount(const State& s) const;
    u64 first_address(const State& s) const;
    bool system_flag(const State& s, unsigned number) const;
    void run_move(State& s) const;
    void move_elements(State& s) const;
    void move_vectors(State& s) const;
    void run_scalar_memory(State& s) const;
    void run_vector_memory(State& s) const;
    void run_gather(State& s) const;
    void run_block(State& s) const;
    void run_atomic(State& s) const;
    void run_branch(State& s) const;
    void run_jump(State& s) const;
    u64 relative_target(const State& s) const;
    void run_transfer(State& s) const;
};

}  // namespace fabrisc_reference
