// What the mnemonics of the three revisions stand for. The names follow rules, and so does this.
#include "fabrisc_plan.hpp"

namespace fabrisc_reference {
namespace {

struct Base {
    const char* name;
    Op op;
    bool signed_immediate;  // in arithmetic
};

Meaning meaning_of(Op op, Shape shape = Shape::scalar) {
    Meaning m;
    m.op = op;
    m.shape = shape;
    m.floating_point = is_float(op);
    return m;
}

const std::vector<Base> in_all = {
    {"ADD", Op::add, true},   {"SUB", Op::sub, true},    {"AND", Op::land, false}, {"NAND", Op::nand, false},
    {"OR", Op::lor, false},   {"NOR", Op::nor, false},   {"XOR", Op::lxor, false}, {"XNOR", Op::xnor, false},
    {"IMP", Op::imp, false},  {"NIMP", Op::nimp, false}, {"SWP", Op::swap, false}, {"MUL", Op::mul, true},
    {"MAC", Op::mac, true},   {"DIV", Op::div, true},    {"REM", Op::rem, true},   {"FADD", Op::fadd, true},
    {"FSUB", Op::fsub, true}, {"FMUL", Op::fmul, true},  {"FDIV", Op::fdiv, true}, {"FMAC", Op::fmac, true},
    {"FPOW", Op::fpow, true}, {"FREM", Op::frem, true},
};
// March and May: with carry, high halves, and the rest that the last revision does not have.
const std::vector<Base> in_early = {
    {"LRT", Op::rotate_left, false},     {"RRT", Op::rotate_right, false}, {"ADDC", Op::add_carry, true},
    {"SUBC", Op::sub_carry, true},       {"HMUL", Op::high_mul, true},     {"HMAC", Op::high_mac, true},
    {"CLMUL", Op::carryless_mul, false},
};
// Shifts whose kind the name says.
const std::vector<Base> named_shifts = {
    {"ALSH", Op::left, false},
    {"ARSH", Op::arithmetic_right, false},
    {"LLSH", Op::logical_left, false},
    {"LRSH", Op::logical_right, false},
};
const std::vector<Base> named_carry_shifts = {
    {"ALSHC", Op::left_carry, false},           {"ARSHC", Op::arithmetic_right_carry, false},
    {"LLSHC", Op::left_carry, false},           {"LRSHC", Op::logical_right_carry, false},
    {"AHLSH", Op::arithmetic_high_left, false}, {"AHRSH", Op::high_right, false},
    {"LHLSH", Op::logical_high_left, false},    {"LHRSH", Op::high_right, false},
};
// Shifts that are arithmetic unless a `u` says otherwise: see `logical_of`.
const std::vector<Base> plain_shifts = {
    {"LSH", Op::left, false},
    {"RSH", Op::arithmetic_right, false},
    {"LSHC", Op::left_carry, false},
    {"RSHC", Op::arithmetic_right_carry, false},
    {"HLSH", Op::arithmetic_high_left, false},
    {"HRSH", Op::high_right, false},
};
const std::vector<Base> counts = {
    {"CTO", Op::ones, false},
    {"CTLO", Op::leading_ones, false},
    {"CTTO", Op::trailing_ones, false},
    {"CTZ", Op::zeros, false},
    {"CTLZ", Op::leading_zeros, false},
    {"CTTZ", Op::trailing_zeros, false},
    {"SIN", Op::sin, false},
    {"COS", Op::cos, false},
    {"ASIN", Op::asin, false},
    {"ACOS", Op::acos, false},
};

void put(Names& names, const std::string& name, Meaning meaning) { names.emplace(name, meaning); }

Meaning immediate_of(const Base& base, Shape shape, bool is_unsigned) {
    Meaning m = meaning_of(base.op, shape);
    m.immediate = true;
    m.is_unsigned = is_unsigned;
    m.signed_immediate = base.signed_immediate && !is_unsigned;
    return m;
}

void put_compressed(Names& names, Op left, Op right) {
    const std::pair<const char*, Op> list[] = {
        {"CADD", Op::add}, {"CSUB", Op::sub},   {"CMUL", Op::mul},   {"CDIV", Op::div},   {"CLSH", left},
        {"CRSH", right},   {"CFADD", Op::fadd}, {"CFSUB", Op::fsub}, {"CFMUL", Op::fmul}, {"CFDIV", Op::fdiv}};
    for (const auto& [name, op] : list) {
        Meaning m = meaning_of(op);
        m.two_operands = true;
        put(names, name, m);
    }
}

void put_compressed_immediates(Names& names, const std::string& name, Op op) {
    for (unsigned n = 8; n <= 64; n *= 2) {
        Meaning m = meaning_of(op);
        m.two_operands = m.immediate = m.signed_immediate = true;
        m.bits = n;
        put(names, name + '.' + std::to_string(n), m);
    }
}

void put_reductions(Names& names, bool early) {
    const std::pair<const char*, Op> list[] = {
        {"RADD", Op::add},    {"RSUB", Op::sub},    {"RMUL", Op::mul},   {"RMAC", Op::mac},    {"RDIV", Op::div},
        {"RAND", Op::land},   {"RNAND", Op::nand},  {"ROR", Op::lor},    {"RNOR", Op::nor},    {"RXOR", Op::lxor},
        {"RXNOR", Op::xnor},  {"RIMP", Op::imp},    {"RNIMP", Op::nimp}, {"VRFADD", Op::fadd}, {"VRFSUB", Op::fsub},
        {"VRFMUL", Op::fmul}, {"VRFMAC", Op::fmac}, {"VRFDIV", Op::fdiv}};
    for (const auto& [name, op] : list) put(names, name, meaning_of(op, Shape::reduction));
    if (!early) return;
    for (const auto& [name, op] : {std::pair{"VRFBSUB", Op::fsub}, {"VRFBDIV", Op::fdiv}}) {
        Meaning m = meaning_of(op, Shape::reduction);
        m.backward = true;
        put(names, name, m);
    }
}

void put_cast(Names& names, const std::string& name, Cast kind, Shape shape) {
    Meaning m;
    m.cast = kind;
    m.shape = shape;
    put(names, name, m);
}

void put_casts(Names& names, const std::string& prefix, Shape shape) {
    put_cast(names, prefix + "IIC", Cast::integer_integer, shape);
    put_cast(names, prefix + "FFC", Cast::float_float, shape);
    put_cast(names, prefix + "IFC", Cast::integer_float, shape);
    put_cast(names, prefix + "FIC", Cast::float_integer, shape);
}

void put_mask(Names& names, const std::string& name, Shape shape, bool floating_point, bool scalar_operand = false) {
    Meaning m;
    m.shape = shape;
    m.floating_point = floating_point;
    m.scalar_operand = scalar_operand;
    put(names, name, m);
}

void put_counts(Names& names, const std::string& prefix, Shape shape) {
    for (const Base& base : counts) {
        Meaning m = meaning_of(base.op, shape);
        m.unary = true;
        put(names, prefix + base.name, m);
    }
}

void put_early_masks(Names& names) {
    put_mask(names, "SIMSK", Shape::scalar_compare, false);
    put_mask(names, "SFMSK", Shape::scalar_compare, true);
    put_mask(names, "VIMSK", Shape::vector_compare, false);
    put_mask(names, "VFMSK", Shape::vector_compare, true);
}

void put_move(Names& names, const std::string& name, Bank to, Bank from, bool exchange = false) {
    Meaning m;
    m.shape = Shape::move;
    m.to = to;
    m.from = from;
    m.exchange = exchange;
    put(names, name, m);
}

// May: between the files. MOV is missing from the last revision.
void put_moves(Names& names) {
    put_move(names, "MOVTS", Bank::special, Bank::scalar);
    put_move(names, "MOVFS", Bank::scalar, Bank::special);
    put_move(names, "SWAP", Bank::scalar, Bank::scalar, true);
    put_move(names, "SWPTS", Bank::special, Bank::scalar, true);
    put_move(names, "SWPFS", Bank::scalar, Bank::special, true);
    put_move(names, "MOVTV", Bank::vector, Bank::scalar);
    put_move(names, "MOVFV", Bank::scalar, Bank::vector);
    put_move(names, "SWPTV", Bank::vector, Bank::scalar, true);
    put_move(names, "SWPFV", Bank::scalar, Bank::vector, true);
}

void put_flag_moves(Names& names) {
    put_move(names, "MOVTF", Bank::flags, Bank::scalar);
    put_move(names, "SWPTF", Bank::flags, Bank::scalar, true);
    put_move(names, "MOVFF", Bank::scalar, Bank::flags);
    put_move(names, "SWPFF", Bank::scalar, Bank::flags, true);
    put_move(names, "VMOVTF", Bank::vector_flags, Bank::vector);
    put_move(names, "VSWPTF", Bank::vector_flags, Bank::vector, true);
    put_move(names, "VMOVFF", Bank::vector, Bank::vector_flags);
    put_move(names, "VSWPFF", Bank::vector, Bank::vector_flags, true);
}

void put_shape(Names& names, const std::string& name, Shape shape, bool store = false,
               Address address = Address::immediate) {
    Meaning m;
    m.shape = shape;
    m.store = store;
    m.address = address;
    put(names, name, m);
}

// With `L` before the long forms in the last revision.
void put_memory(Names& names) {
    for (bool store : {false, true}) {
        const std::string name = store ? "ST" : "LD";
        for (const std::string prefix : {"", "L"}) {
            put_shape(names, prefix + "M" + name, Shape::scalar_memory, store);
            put_shape(names, prefix + "IM" + name, Shape::scalar_memory, store, Address::scaled);
            put_shape(names, prefix + "VM" + name, Shape::vector_memory, store);
            put_shape(names, prefix + "VIM" + name, Shape::vector_memory, store, Address::scaled);
            put_shape(names, prefix + "B" + name, Shape::block, store);
        }
        put_shape(names, "RIM" + name, Shape::scalar_memory, store, Address::by_register);
        put_shape(names, "VRIM" + name, Shape::vector_memory, store, Address::by_register);
        put_shape(names, "CM" + name, Shape::scalar_memory, store);
    }
    put_shape(names, "VGAT", Shape::gather);
    put_shape(names, "VSCA", Shape::gather, true);
    put_shape(names, "LL", Shape::load_linked);
    put_shape(names, "SC", Shape::store_conditional);
    put_shape(names, "CAS", Shape::compare_and_swap);
}

void put_branch(Names& names, const std::string& name, unsigned condition, bool floating_point, bool is_unsigned,
                bool against_zero = false) {
    Meaning m;
    m.shape = Shape::branch;
    m.condition = condition;
    m.floating_point = floating_point;
    m.is_unsigned = is_unsigned;
    m.against_zero = against_zero;
    put(names, name, m);
}

void put_jump(Names& names, const std::string& name, bool call, bool to_register) {
    Meaning m;
    m.shape = Shape::jump;
    m.call = call;
    m.to_register = to_register;
    put(names, name, m);
}

void put_flag_branch(Names& names, const std::string& name, bool system, bool value) {
    Meaning m;
    m.shape = Shape::flag_branch;
    m.system_flag = system;
    m.flag = value;
    put(names, name, m);
}

void put_control(Names& names, bool early) {
    const char* conditions[] = {"EQ", "NE", "LT", "LE"};
    for (unsigned i = 0; i < 4; ++i) {
        const std::string condition = conditions[i];
        put_branch(names, "B" + condition, i, false, false);
        if (!early) continue;
        put_branch(names, "FB" + condition, i, true, false);
        if (i < 2) continue;
        put_branch(names, "UB" + condition, i, false, true);
        put_branch(names, "FUB" + condition, i, true, true);
        put_branch(names, "UFB" + condition, i, true, true);
    }
    for (const std::string prefix : {"", "L"}) {
        put_branch(names, prefix + "BTST", 4, false, false, true);
        put_branch(names, prefix + "FBTST", 4, true, false, true);
        put_jump(names, prefix + "CAL", true, false);
        put_jump(names, prefix + "RCAL", true, true);
        put_jump(names, prefix + "JMP", false, false);
    }
    put_branch(names, "UBTST", 4, false, true, true);
    put_branch(names, "UFBTST", 4, true, true, true);
    put_branch(names, "LCB", 4, false, false);
    put_jump(names, "CCAL", true, false);
    put_jump(names, "RJMP", false, true);
    put_jump(names, "LEJMP", false, true);
    put_jump(names, "RET", false, true);
    put_flag_branch(names, "BAF", false, true);
    put_flag_branch(names, "BAFH", false, true);
    put_flag_branch(names, "BAFL", false, false);
    put_flag_branch(names, "BSF", true, true);
    put_flag_branch(names, "CBZF", false, true);
    for (unsigned n = 8; n <= 64; n *= 2) {
        for (bool floating_point : {false, true}) {
            const std::string name = std::string(floating_point ? "CFBEQZ." : "CBEQZ.") + std::to_string(n);
            put_branch(names, name, 0, floating_point, false, true);
            names.at(name).bits = n;
        }
    }
    for (const char* name : {"NOP", "FNCL", "FNCS", "FNCLS", "CACOP", "MMUOP"}) put_shape(names, name, Shape::nothing);
    names.at("CACOP").privileged = names.at("MMUOP").privileged = true;
}

// March: the sign is a modifier.
Names march_names() {
    Names names;
    for (const auto* list : {&in_all, &in_early, &plain_shifts}) {
        for (const Base& base : *list) {
            put(names, base.name, meaning_of(base.op));
            put(names, std::string("V") + base.name, meaning_of(base.op, Shape::vector));
            put(names, std::string("I") + base.name, immediate_of(base, Shape::scalar, false));
            put(names, std::string("VI") + base.name, immediate_of(base, Shape::vector, false));
        }
    }
    const Base high{"HMUL", Op::high_mul, true}, insert{"IBF", Op::insert_field, false};
    put(names, "HIMUL", immediate_of(high, Shape::scalar, false));
    put(names, "VHIMUL", immediate_of(high, Shape::vector, false));
    put(names, "IIBF", immediate_of(insert, Shape::scalar, false));
    put(names, "VIIBF", immediate_of(insert, Shape::vector, false));
    put_counts(names, "", Shape::scalar);
    put_counts(names, "V", Shape::vector);
    put_reductions(names, true);
    put_casts(names, "S", Shape::scalar_cast);
    put_casts(names, "V", Shape::vector_cast);
    put_early_masks(names);
    put_compressed(names, Op::left, Op::arithmetic_right);
    put_compressed_immediates(names, "CIADD", Op::add);
    put_memory(names);
    put_control(names, true);
    put_move(names, "SRCPY", Bank::special, Bank::scalar);  // the kind says more
    return names;
}

// May: the sign is in the names of immediate and vector instructions.
Names may_names() {
    Names names;
    for (const auto* list : {&in_all, &in_early}) {
        for (const Base& base : *list) {
            put(names, base.name, meaning_of(base.op));
            for (bool is_unsigned : {false, true}) {
                const std::string u = is_unsigned ? "U" : "";
                Meaning vector = meaning_of(base.op, Shape::vector);
                vector.is_unsigned = is_unsigned;
                put(names, "V" + u + base.name, vector);
                put(names, "I" + u + base.name, immediate_of(base, Shape::scalar, is_unsigned));
                put(names, "VI" + u + base.name, immediate_of(base, Shape::vector, is_unsigned));
            }
        }
    }
    for (const Base& base : plain_shifts) {
        put(names, base.name, meaning_of(base.op));
        put(names, std::string("V") + base.name, meaning_of(base.op, Shape::vector));
    }
    for (const auto* list : {&named_shifts, &named_carry_shifts}) {
        for (const Base& base : *list) {
            put(names, std::string("V") + base.name, meaning_of(base.op, Shape::vector));
            put(names, std::string("I") + base.name, immediate_of(base, Shape::scalar, false));
            put(names, std::string("VI") + base.name, immediate_of(base, Shape::vector, false));
        }
    }
    const Base insert{"IBF", Op::insert_field, false};
    put(names, "IIBF", immediate_of(insert, Shape::scalar, false));
    put(names, "VIIBF", immediate_of(insert, Shape::vector, false));
    put_counts(names, "", Shape::scalar);
    put_counts(names, "V", Shape::vector);
    put_reductions(names, true);
    put_casts(names, "S", Shape::scalar_cast);
    put_casts(names, "V", Shape::vector_cast);
    put_cast(names, "VSFFC", Cast::float_float, Shape::vector_cast);
    put_early_masks(names);
    put_compressed(names, Op::left, Op::arithmetic_right);
    put_compressed_immediates(names, "CIADD", Op::add);
    put_memory(names);
    put_control(names, true);
    for (const char* name : {"BTST", "FBTST", "UBTST", "UFBTST"}) names.at(name).whole_registers = true;
    put_moves(names);
    put_move(names, "MOV", Bank::scalar, Bank::scalar);
    put_move(names, "VMOV", Bank::vector, Bank::vector);
    put_move(names, "VSWAP", Bank::vector, Bank::vector, true);
    put_flag_moves(names);
    return names;
}

void put_long(Names& names, const std::string& name, const std::string& long_name, Meaning meaning) {
    put(names, name, meaning);
    put(names, long_name, meaning);
}

// The last revision: long immediates have names of their own, everything is signed, vectors are a mode.
Names may_last_names() {
    Names names;
    for (const Base& base : in_all) {
        put(names, base.name, meaning_of(base.op));
        Meaning m = immediate_of(base, Shape::scalar, false);
        if (is_float(base.op)) {
            put_long(names, std::string("I") + base.name, std::string("IL") + base.name, m);
        } else {
            put_long(names, std::string("I") + base.name, std::string("LI") + base.name, m);
        }
    }
    for (const Base& base : named_shifts) put(names, base.name, meaning_of(base.op));
    put(names, "LRT", meaning_of(Op::rotate_left));
    put(names, "RRT", meaning_of(Op::rotate_right));
    for (const auto& [name, op] : {std::pair{"MUL", Op::high_mul}, {"MAC", Op::high_mac}}) {
        put(names, std::string("U") + name, meaning_of(op));
        put_long(names, std::string("UI") + name, std::string("LUI") + name,
                 immediate_of({name, op, true}, Shape::scalar, false));
    }
    for (const auto& [name, op] :
         {std::pair{"IASH", Op::shift_arithmetic}, {"ILSH", Op::shift_logical}, {"IRT", Op::rotate}})
        put(names, name, immediate_of({name, op, true}, Shape::scalar, false));
    for (const auto& [name, op] : {std::pair{"GBF", Op::get_field}, {"SBF", Op::set_field}})
        put_long(names, name, std::string("L") + name, immediate_of({name, op, false}, Shape::scalar, false));
    put_counts(names, "", Shape::scalar);
    for (const auto& [name, op] :
         {std::pair{"VSIN", Op::sin}, {"VCOS", Op::cos}, {"VASIN", Op::asin}, {"VACOS", Op::acos}}) {
        Meaning m = meaning_of(op, Shape::vector);
        m.unary = true;
        put(names, name, m);
    }
    put_reductions(names, false);
    put_casts(names, "", Shape::scalar_cast);
    for (const auto& [name, kind] : {std::pair{"MWADD", Multiword::add},
                                     {"MWSUB", Multiword::sub},
                                     {"MWMUL", Multiword::mul},
                                     {"MWDIV", Multiword::div},
                                     {"MALSH", Multiword::left},
                                     {"MLLSH", Multiword::left},
                                     {"MARSH", Multiword::arithmetic_right},
                                     {"MLRSH", Multiword::logical_right}}) {
        Meaning m;
        m.shape = Shape::multiword;
        m.multiword = kind;
        put(names, name, m);
    }
    put_mask(names, "ISMSKC", Shape::scalar_compare, false);
    put_mask(names, "FSMSKC", Shape::scalar_compare, true);
    put_mask(names, "VVIMSKC", Shape::vector_compare, false);
    put_mask(names, "VSIMSKC", Shape::vector_compare, false, true);
    put_mask(names, "VVFMSKC", Shape::vector_compare, true);
    put_mask(names, "VSFMSKC", Shape::vector_compare, true, true);
    put_mask(names, "ISMSKT", Shape::scalar_test, false);
    put_mask(names, "FSMSKT", Shape::scalar_test, true);
    put_mask(names, "VVIMSKT", Shape::vector_test, false);
    put_mask(names, "VSIMSKT", Shape::vector_test, false, true);
    put_mask(names, "VVFMSKT", Shape::vector_test, true);
    put_mask(names, "VSFMSKT", Shape::vector_test, true, true);
    put_mask(names, "SIMSK", Shape::invert_scalar_mask, false);
    put_mask(names, "VIMSK", Shape::invert_vector_mask, false);
    put_compressed(names, Op::left, Op::arithmetic_right);
    put_compressed_immediates(names, "CIADD", Op::add);
    put_compressed_immediates(names, "CIASH", Op::shift_arithmetic);
    put_compressed_immediates(names, "CILSH", Op::shift_logical);
    put_memory(names);
    put_control(names, false);
    put_moves(names);
    put_move(names, "VSWP", Bank::vector, Bank::vector, true);
    return names;
}

}  // namespace

Op logical_of(Op op) {
    switch (op) {
        case Op::left: return Op::logical_left;
        case Op::arithmetic_right: return Op::logical_right;
        case Op::arithmetic_right_carry: return Op::logical_right_carry;
        case Op::arithmetic_high_left: return Op::logical_high_left;
        default: return op;
    }
}

const Names& names_of(Revision revision) {
    static const Names march = march_names(), may = may_names(), may_last = may_last_names();
    return revision == Revision::march ? march : revision == Revision::may ? may : may_last;
}

}  // namespace fabrisc_reference
