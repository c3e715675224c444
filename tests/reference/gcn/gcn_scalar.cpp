// The scalar half of the model: taking words apart, scalar operands, SOP1, SOP2, SOPC, SOPK and SOPP.
#include <bit>

#include "gcn_model.hpp"

namespace gcn_reference {

namespace {

constexpr std::uint32_t float_constants[] = {0x3f000000, 0xbf000000, 0x3f800000, 0xbf800000, 0x40000000,
                                             0xc0000000, 0x40800000, 0xc0800000, 0x3e22f983};
constexpr std::uint64_t double_constants[] = {0x3fe0000000000000, 0xbfe0000000000000, 0x3ff0000000000000,
                                              0xbff0000000000000, 0x4000000000000000, 0xc000000000000000,
                                              0x4010000000000000, 0xc010000000000000, 0x3fc45f306dc9c882};

bool starts(const std::string& text, const char* with) { return text.rfind(with, 0) == 0; }
bool ends(const std::string& text, const std::string& with) {
    return text.size() >= with.size() && text.compare(text.size() - with.size(), with.size(), with) == 0;
}

unsigned bits_of(std::uint32_t word, unsigned high, unsigned low) {
    return word >> low & ((std::uint64_t{1} << (high - low + 1)) - 1);
}

}  // namespace

Encoding Model::encoding_of(Generation generation, std::uint32_t word) {
    const bool old = generation <= Generation::gfx7;
    if (word >> 31 == 0) {
        const unsigned op = bits_of(word, 30, 25);
        return op == 63 ? Encoding::vop1 : op == 62 ? Encoding::vopc : Encoding::vop2;
    }
    if (word >> 30 == 2) {
        const unsigned top = bits_of(word, 29, 23);
        return top == 0x7d   ? Encoding::sop1
               : top == 0x7e ? Encoding::sopc
               : top == 0x7f ? Encoding::sopp
               : top >= 0x60 ? Encoding::sopk
                             : Encoding::sop2;
    }
    if (bits_of(word, 31, 26) != 0x34) return Encoding::other;
    return !old && bits_of(word, 25, 23) == 7 ? Encoding::vop3p : Encoding::vop3;
}

bool Model::take_apart(const std::vector<std::uint32_t>& words) {
    f_ = {};
    length_ = static_cast<unsigned>(4 * words.size());
    const std::uint32_t w = words[0], second = words.size() > 1 ? words[1] : 0;
    f_.encoding = encoding_of(static_cast<Generation>(generation_), w);
    f_.literal = second;
    switch (f_.encoding) {
        case Encoding::sop1:
        case Encoding::sop2:
        case Encoding::sopc:
            f_.src[0] = bits_of(w, 7, 0);
            f_.src[1] = bits_of(w, 15, 8);
            f_.sdst = bits_of(w, 22, 16);
            return true;
        case Encoding::sopk:
        case Encoding::sopp:
            f_.simm = bits_of(w, 15, 0);
            f_.sdst = bits_of(w, 22, 16);
            return true;
        case Encoding::vop1:
        case Encoding::vop2:
        case Encoding::vopc:
            f_.src[0] = bits_of(w, 8, 0);
            f_.src[1] = 256 + bits_of(w, 16, 9);
            f_.vdst = bits_of(w, 24, 17);
            f_.sdst = f_.vdst;
            if (generation_ >= 8 && f_.src[0] == 249) {
                f_.sdwa = true;
                f_.src[0] = (generation_ >= 9 && bits_of(second, 23, 23) != 0 ? 0 : 256) + bits_of(second, 7, 0);
                if (generation_ >= 9 && bits_of(second, 31, 31) != 0) f_.src[1] -= 256;
                if (f_.encoding == Encoding::vopc && generation_ >= 9) {
                    f_.mask_to_vcc = bits_of(second, 15, 15) == 0;
                    f_.sdst = bits_of(second, 14, 8);
                } else {
                    f_.dst_sel = bits_of(second, 10, 8);
                    f_.dst_unused = bits_of(second, 12, 11);
                    f_.clamp = bits_of(second, 13, 13);
                    if (generation_ >= 9) f_.omod = bits_of(second, 15, 14);
                }
                f_.sel[0] = bits_of(second, 18, 16);
                f_.sel[1] = bits_of(second, 26, 24);
                f_.sext = bits_of(second, 19, 19) | bits_of(second, 27, 27) << 1;
                f_.neg = bits_of(second, 20, 20) | bits_of(second, 28, 28) << 1;
                f_.abs = bits_of(second, 21, 21) | bits_of(second, 29, 29) << 1;
            } else if (generation_ >= 8 && f_.src[0] == 250) {
                f_.dpp = true;
                f_.src[0] = 256 + bits_of(second, 7, 0);
                f_.dpp_ctrl = bits_of(second, 16, 8);
                f_.bound = bits_of(second, 19, 19);
                f_.neg = bits_of(second, 20, 20) | bits_of(second, 22, 22) << 1;
                f_.abs = bits_of(second, 21, 21) | bits_of(second, 23, 23) << 1;
                f_.bank_mask = bits_of(second, 27, 24);
                f_.row_mask = bits_of(second, 31, 28);
            }
            return true;
        case Encoding::vop3:
        case Encoding::vop3p:
            f_.vdst = bits_of(w, 7, 0);
            f_.sdst = bits_of(w, 14, 8);
            f_.abs = bits_of(w, 10, 8);
            f_.mask_to_vcc = false;
            f_.clamp = generation_ >= 8 ? bits_of(w, 15, 15) : bits_of(w, 11, 11);
            if (generation_ >= 9) f_.op_sel = bits_of(w, 14, 11);
            for (unsigned i = 0; i < 3; ++i) f_.src[i] = bits_of(second, 9 * i + 8, 9 * i);
            f_.omod = bits_of(second, 28, 27);
            f_.neg = bits_of(second, 31, 29);
            if (f_.encoding == Encoding::vop3p) {
                f_.neg_hi = f_.abs;
                f_.op_sel = bits_of(w, 13, 11);
                f_.op_sel_hi = bits_of(w, 14, 14) << 2 | f_.omod;
                f_.omod = 0;
            }
            return true;
        default: return false;
    }
}

std::uint32_t Model::scalar32(unsigned code) const {
    const Wave& w = wave_;
    const auto half = [](std::uint64_t value, unsigned high) { return std::uint32_t(value >> (32 * high)); };
    if (code <= (generation_ <= 7 ? 103u : 101u)) return w.s[code];
    if (generation_ == 7 && (code == 104 || code == 105)) return half(w.flat_scratch, code - 104);
    if (generation_ >= 8 && (code == 102 || code == 103)) return half(w.flat_scratch, code - 102);
    if (generation_ >= 8 && (code == 104 || code == 105)) return half(w.xnack_mask, code - 104);
    if (code == 106 || code == 107) return half(w.vcc, code - 106);
    if (generation_ >= 9 && code >= 108 && code <= 123) return w.ttmp[code - 108];
    if (code == 108 || code == 109) return half(w.tba, code - 108);
    if (code == 110 || code == 111) return half(w.tma, code - 110);
    if (code >= 112 && code <= 123) return w.ttmp[code - 112];
    if (code == 124) return w.m0;
    if (code == 126 || code == 127) return half(w.exec, code - 126);
    if (code >= 128 && code <= 192) return code - 128;
    if (code >= 193 && code <= 208) return 192 - code;
    if (code == 235) return half(w.shared_base, 0);
    if (code == 236) return half(w.shared_limit, 0);
    if (code == 237) return half(w.private_base, 0);
    if (code == 238) return half(w.private_limit, 0);
    if (code == 239) return w.pops;
    if (code >= 240 && code <= 248) return float_constants[code - 240];
    if (code == 251) return w.vcc == 0;
    if (code == 252) return w.exec == 0;
    if (code == 253) return w.scc;
    if (code == 254) return w.lds_direct;
    return f_.literal;
}

std::uint64_t Model::scalar64(unsigned code, bool is_signed) const {
    const Wave& w = wave_;
    if (code < 128) return scalar32(code) | std::uint64_t{scalar32(code + 1)} << 32;
    if (code <= 192) return code - 128;
    if (code <= 208) return 192 - std::uint64_t{code};
    if (code == 235) return w.shared_base;
    if (code == 236) return w.shared_limit;
    if (code == 237) return w.private_base;
    if (code == 238) return w.private_limit;
    if (code >= 240 && code <= 248) return double_constants[code - 240];
    if (code == 255 && is_signed) return static_cast<std::uint64_t>(static_cast<std::int32_t>(f_.literal));
    return scalar32(code);
}

void Model::set32(unsigned code, std::uint32_t value) {
    Wave& w = wave_;
    const auto half = [&](std::uint64_t& pair, unsigned high) {
        pair = (pair & ~(std::uint64_t{0xffffffff} << (32 * high))) | std::uint64_t{value} << (32 * high);
    };
    if (code <= (generation_ <= 7 ? 103u : 101u))
        w.s[code] = value;
    else if (generation_ == 7 && (code == 104 || code == 105))
        half(w.flat_scratch, code - 104);
    else if (generation_ >= 8 && (code == 102 || code == 103))
        half(w.flat_scratch, code - 102);
    else if (generation_ >= 8 && (code == 104 || code == 105))
        half(w.xnack_mask, code - 104);
    else if (code == 106 || code == 107)
        half(w.vcc, code - 106);
    else if (generation_ >= 9 && code >= 108 && code <= 123)
        w.ttmp[code - 108] = value;
    else if (code == 108 || code == 109)
        half(w.tba, code - 108);
    else if (code == 110 || code == 111)
        half(w.tma, code - 110);
    else if (code >= 112 && code <= 123)
        w.ttmp[code - 112] = value;
    else if (code == 124)
        w.m0 = value;
    else if (code == 126 || code == 127)
        half(w.exec, code - 126);
}

void Model::set64(unsigned code, std::uint64_t value) {
    set32(code, std::uint32_t(value));
    set32(code + 1, std::uint32_t(value >> 32));
}

bool Model::scalar(const std::string& name) {
    using I = std::int32_t;
    using L = std::int64_t;
    Wave& w = wave_;
    const bool wide = ends(name, "b64") || ends(name, "i64") || ends(name, "u64");
    const unsigned n = wide ? 64 : 32;
    const std::uint64_t mask = wide ? ~std::uint64_t{0} : 0xffffffff;
    const bool is_sopk = f_.encoding == Encoding::sopk;
    const std::uint32_t imm = ends(name, "u32") ? f_.simm : std::uint32_t(static_cast<std::int16_t>(f_.simm));
    const std::uint64_t next = w.pc + length_;
    const std::uint64_t branch = w.pc + 4 + static_cast<std::uint64_t>(L{static_cast<std::int16_t>(f_.simm)} * 4);
    const std::uint32_t a = is_sopk ? scalar32(f_.sdst) : scalar32(f_.src[0]), b = is_sopk ? imm : scalar32(f_.src[1]);
    const std::uint64_t a64 = scalar64(f_.src[0], ends(name, "i64")), b64 = scalar64(f_.src[1]);
    const std::uint64_t x = wide ? a64 : a, y = wide ? b64 : b;
    const unsigned shift = b & (n - 1);
    const auto signed_x = [&] { return wide ? L(a64) : L{I(a)}; };
    const auto put = [&](std::uint64_t value) { wide ? set64(f_.sdst, value) : set32(f_.sdst, std::uint32_t(value)); };
    const auto put_scc = [&](std::uint64_t value) {
        put(value & mask);
        w.scc = (value & mask) != 0;
    };
    const auto logic = [&](const std::string& op, std::uint64_t p, std::uint64_t q) -> std::uint64_t {
        if (op == "and") return p & q;
        if (op == "or") return p | q;
        if (op == "xor") return p ^ q;
        if (op == "andn2") return p & ~q;
        if (op == "orn2") return p | ~q;
        if (op == "nand") return ~(p & q);
        if (op == "nor") return ~(p | q);
        if (op == "xnor") return ~(p ^ q);
        if (op == "andn1") return ~p & q;
        return ~p | q;  // orn1
    };
    const std::string op = name.substr(2, name.find('_', 2) - 2);
    const auto is_logic = [&] {
        for (const char* each : {"and", "or", "xor", "andn2", "orn2", "nand", "nor", "xnor", "andn1", "orn1"})
            if (op == each) return true;
        return false;
    };
    w.pc = next;
    if (ends(name, "_saveexec_b64")) {
        const std::uint64_t old = w.exec;
        w.exec = logic(op, a64, old);
        w.scc = w.exec != 0;
        set64(f_.sdst, old);
        return true;
    }
    if (ends(name, "_wrexec_b64")) {
        w.exec = logic(op, a64, w.exec);
        w.scc = w.exec != 0;
        set64(f_.sdst, w.exec);
        return true;
    }
    if (is_logic() && f_.encoding == Encoding::sop2) return put_scc(logic(op, x, y)), true;
    if (starts(name, "s_cmp") || starts(name, "s_cmpk")) {
        const bool is_signed = ends(name, "i32");
        const auto test = [&](auto p, auto q) {
            const std::string how = name.substr(name.find('_', 3) + 1, 2);
            return how == "eq"   ? p == q
                   : how == "lg" ? p != q
                   : how == "gt" ? p > q
                   : how == "ge" ? p >= q
                   : how == "lt" ? p < q
                                 : p <= q;
        };
        w.scc = wide ? test(a64, b64) : is_signed ? test(I(a), I(b)) : test(a, b);
        return true;
    }
    if (name == "s_add_u32" || name == "s_addc_u32") {
        const std::uint64_t sum = std::uint64_t{a} + b + (op == "addc" && w.scc);
        w.scc = sum >> 32 != 0;
        return put(sum), true;
    }
    if (name == "s_sub_u32" || name == "s_subb_u32") {
        const bool borrow = op == "subb" && w.scc;
        w.scc = std::uint64_t{b} + borrow > a;
        return put(a - b - borrow), true;
    }
    if (name == "s_add_i32" || name == "s_addk_i32") {
        w.scc = L{I(a)} + I(b) != I(a + b);
        return put(a + b), true;
    }
    if (name == "s_sub_i32") {
        w.scc = L{I(a)} - I(b) != I(a - b);
        return put(a - b), true;
    }
    if (name == "s_min_i32") return w.scc = I(a) < I(b), put(w.scc ? a : b), true;
    if (name == "s_min_u32") return w.scc = a < b, put(w.scc ? a : b), true;
    if (name == "s_max_i32") return w.scc = I(a) > I(b), put(w.scc ? a : b), true;
    if (name == "s_max_u32") return w.scc = a > b, put(w.scc ? a : b), true;
    if (op == "cselect") return put(w.scc ? x : y), true;
    if (op == "lshl") return put_scc(x << shift), true;
    if (op == "lshr") return put_scc(x >> shift), true;
    if (op == "ashr") return put_scc(static_cast<std::uint64_t>(signed_x() >> shift)), true;
    if (op == "bfm") return put(((std::uint64_t{1} << (a & (n - 1))) - 1) << (b & (n - 1))), true;
    if (name == "s_mul_i32" || name == "s_mulk_i32") return put(a * b), true;
    if (name == "s_mul_hi_u32") return put(std::uint64_t{a} * b >> 32), true;
    if (name == "s_mul_hi_i32") return put(static_cast<std::uint64_t>(L{I(a)} * I(b)) >> 32), true;
    if (op == "bfe") {
        const unsigned offset = b & (n - 1), width = b >> 16 & 0x7f;
        const bool is_signed = name[6] == 'i';
        std::uint64_t field = is_signed ? static_cast<std::uint64_t>(signed_x() >> offset) : x >> offset;
        if (width == 0)
            field = 0;
        else if (offset + width < n) {
            field &= (std::uint64_t{1} << width) - 1;
            if (is_signed && (field >> (width - 1) & 1) != 0) field |= ~std::uint64_t{0} << width;
        }
        return put_scc(field), true;
    }
    if (name == "s_absdiff_i32") {
        const std::uint32_t d = a - b;
        return put_scc(I(d) < 0 ? 0 - d : d), true;
    }
    if (starts(name, "s_lshl") && ends(name, "_add_u32")) {
        const std::uint64_t sum = (std::uint64_t{a} << (name[6] - '0')) + b;
        w.scc = sum > 0xffffffff;
        return put(sum), true;
    }
    if (starts(name, "s_pack_")) {
        const std::uint32_t low = name[7] == 'h' ? a >> 16 : a & 0xffff, high = name[8] == 'h' ? b >> 16 : b & 0xffff;
        return put(low | high << 16), true;
    }
    if (op == "mov" && !starts(name, "s_mov_fed") && !starts(name, "s_mov_regrd")) return put(x), true;
    if (name == "s_mov_fed_b32" || name == "s_mov_regrd_b32") return put(a), true;
    if (op == "cmov") return w.scc ? put(x) : void(), true;
    if (name == "s_movk_i32") return put(imm), true;
    if (name == "s_cmovk_i32") return w.scc ? put(imm) : void(), true;
    if (op == "not") return put_scc(~x), true;
    if (op == "wqm" || op == "quadmask") {
        std::uint64_t result = 0;
        for (unsigned quad = 0; quad < n / 4; ++quad)
            if ((x >> (4 * quad) & 15) != 0)
                result |= op == "wqm" ? std::uint64_t{15} << (4 * quad) : std::uint64_t{1} << quad;
        return put_scc(result), true;
    }
    if (op == "brev") {
        std::uint64_t result = 0;
        for (unsigned i = 0; i < n; ++i) result |= (x >> i & 1) << (n - 1 - i);
        return put(result), true;
    }
    const bool from64 = ends(name, "_b64") || ends(name, "_i64");
    const std::uint64_t z = from64 ? a64 : a;
    const unsigned zn = from64 ? 64 : 32;
    const auto put_word = [&](std::uint32_t value) { set32(f_.sdst, value); };
    if (op == "bcnt0" || op == "bcnt1") {
        const auto ones = static_cast<std::uint32_t>(std::popcount(z));
        const std::uint32_t count = op == "bcnt1" ? ones : zn - ones;
        w.scc = count != 0;
        return put_word(count), true;
    }
    if (op == "ff0" || op == "ff1") {
        for (unsigned i = 0; i < zn; ++i)
            if ((z >> i & 1) == (op == "ff1")) return put_word(i), true;
        return put_word(~0u), true;
    }
    if (starts(name, "s_flbit_i32")) {
        const bool by_sign = name == "s_flbit_i32" || name == "s_flbit_i32_i64";
        const unsigned sought = by_sign ? 1 - unsigned(z >> (zn - 1) & 1) : 1;
        for (unsigned i = 0; i < zn; ++i)
            if ((z >> (zn - 1 - i) & 1) == sought) return put_word(i), true;
        return put_word(~0u), true;
    }
    if (name == "s_sext_i32_i8") return put_word(std::uint32_t(static_cast<std::int8_t>(a))), true;
    if (name == "s_sext_i32_i16") return put_word(std::uint32_t(static_cast<std::int16_t>(a))), true;
    if (op == "bitset0" || op == "bitset1") {
        const std::uint64_t bit = std::uint64_t{1} << (a & (n - 1)), old = wide ? scalar64(f_.sdst) : scalar32(f_.sdst);
        return put(op == "bitset1" ? old | bit : old & ~bit), true;
    }
    if (op == "bitcmp0" || op == "bitcmp1") {
        w.scc = (x >> (b & (n - 1)) & 1) == (op == "bitcmp1");
        return true;
    }
    if (name == "s_abs_i32") return put_scc(I(a) < 0 ? 0 - a : a), true;
    if (name == "s_bitreplicate_b64_b32") {
        std::uint64_t result = 0;
        for (unsigned i = 0; i < 32; ++i) result |= std::uint64_t{a >> i & 1} * 3 << (2 * i);
        return set64(f_.sdst, result), true;
    }
    if (name == "s_getpc_b64") return set64(f_.sdst, next), true;
    if (name == "s_setpc_b64") return w.pc = a64 & ~std::uint64_t{3}, true;
    if (name == "s_swappc_b64") return set64(f_.sdst, next), w.pc = a64 & ~std::uint64_t{3}, true;
    if (name == "s_call_b64") return set64(f_.sdst, next), w.pc = branch, true;
    if (name == "s_branch") return w.pc = branch, true;
    if (starts(name, "s_cbranch_")) {
        const std::string on = name.substr(10);
        const bool taken = on == "scc0"    ? !w.scc
                           : on == "scc1"  ? w.scc
                           : on == "vccz"  ? w.vcc == 0
                           : on == "vccnz" ? w.vcc != 0
                           : on == "execz" ? w.exec == 0
                                           : on == "execnz" && w.exec != 0;
        if (on == "g_fork" || on == "i_fork" || on == "join") return false;
        if (taken) w.pc = branch;
        return true;
    }
    if (name == "s_movrels_b32") return set32(f_.sdst, scalar32(f_.src[0] + w.m0)), true;
    if (name == "s_movrels_b64") return set64(f_.sdst, scalar64(f_.src[0] + w.m0)), true;
    if (name == "s_movreld_b32") return set32(f_.sdst + w.m0, a), true;
    if (name == "s_movreld_b64") return set64(f_.sdst + w.m0, a64), true;
    if (name == "s_setvskip") {
        w.mode = (w.mode & ~(1u << 28)) | (a >> (b & 31) & 1) << 28;
        return true;
    }
    for (const char* idle : {"s_nop", "s_sleep", "s_setprio", "s_waitcnt", "s_incperflevel", "s_decperflevel",
                             "s_icache_inv", "s_ttracedata", "s_wakeup"})
        if (name == idle) return true;
    const std::uint32_t set_mask =
        std::uint32_t(((std::uint64_t{1} << ((f_.simm >> 11) + 1)) - 1) << (f_.simm >> 6 & 31));
    if ((f_.simm & 63) == 1 && starts(name, "s_getreg"))
        return set32(f_.sdst,
                     (w.mode >> (f_.simm >> 6 & 31)) & std::uint32_t((std::uint64_t{1} << ((f_.simm >> 11) + 1)) - 1)),
               true;
    if ((f_.simm & 63) == 1 && starts(name, "s_setreg")) {
        const std::uint32_t value = name == "s_setreg_b32" ? scalar32(f_.sdst) : f_.literal;
        w.mode = (w.mode & ~set_mask) | (value << (f_.simm >> 6 & 31) & set_mask);
        return true;
    }
    return false;
}

bool Model::execute(const std::string& name, const std::vector<std::uint32_t>& words) {
    loose_.clear();
    if (encoding_of(static_cast<Generation>(generation_), words[0]) == Encoding::other) {
        if (words.size() == 1 && name[0] != 's') return false;
        if (!memory(name, words)) return false;
        wave_.pc += 4 * words.size();
        return true;
    }
    if (!take_apart(words)) return false;
    // These have a scalar result where others have the signs of absolute values.
    for (const char* head : {"v_div_scale", "v_mad_u64", "v_mad_i64"})
        if (starts(name, head)) {
            f_.abs = 0;
            if (generation_ < 8) f_.clamp = 0;
        }
    if (name[0] == 's') return scalar(name);
    if (!whole_wave(name) && !vector(name)) return false;
    wave_.pc += length_;
    return true;
}

}  // namespace gcn_reference
