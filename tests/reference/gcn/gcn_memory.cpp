// The memory half of the model: DS, FLAT with GLOBAL and SCRATCH, MUBUF of whole numbers, and scalar memory.
#include <algorithm>
#include <bit>
#include <cstring>

#include "gcn_model.hpp"
#include "reference/soft_float.hpp"

namespace gcn_reference {

namespace sf = soft_float;

namespace {

bool starts(const std::string& text, const std::string& with) { return text.rfind(with, 0) == 0; }
bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }
bool ends(const std::string& text, const std::string& with) {
    return text.size() >= with.size() && text.compare(text.size() - with.size(), with.size(), with) == 0;
}
unsigned bits_of(std::uint32_t word, unsigned high, unsigned low) {
    return unsigned(word >> low & ((std::uint64_t{1} << (high - low + 1)) - 1));
}
std::int64_t extended(std::uint64_t x, unsigned n) { return static_cast<std::int64_t>(x << (64 - n)) >> (64 - n); }

std::uint64_t read(const Bytes& memory, std::uint64_t at, unsigned bytes) {
    std::uint64_t value = 0;
    for (unsigned i = 0; i < bytes; ++i)
        if (at + i < memory.size()) value |= std::uint64_t{memory[at + i]} << (8 * i);
    return value;
}
void write(Bytes& memory, std::uint64_t at, std::uint64_t value, unsigned bytes) {
    for (unsigned i = 0; i < bytes; ++i)
        if (at + i < memory.size()) memory[at + i] = std::uint8_t(value >> (8 * i));
}

// What an atomic operation makes of what was there; `op` is its name without the type.
std::uint64_t combined(const std::string& op, std::uint64_t old, std::uint64_t x, std::uint64_t y, unsigned n,
                       std::uint32_t mode) {
    const std::int64_t s = extended(old, n), t = extended(x, n);
    const sf::Format& form = sf::format_of(n);
    sf::Flags flags;
    const auto flush = [&](std::uint64_t a, unsigned bit) {  // 0: what comes in, 1: what goes out
        return (mode >> ((n == 32 ? 4 : 6) + bit) & 1) == 0 && sf::is_subnormal(form, a) ? a & form.sign_bit() : a;
    };
    const auto key = [&](std::uint64_t a) {
        const auto size = std::int64_t(a & ~form.sign_bit());
        return (a & form.sign_bit()) != 0 ? -size - 1 : size;
    };
    if (op == "add") return old + x;
    if (op == "sub") return old - x;
    if (op == "rsub") return x - old;
    if (op == "inc") return old >= x ? 0 : old + 1;
    if (op == "dec") return old == 0 || old > x ? x : old - 1;
    if (op == "smin") return s < t ? old : x;
    if (op == "smax") return s > t ? old : x;
    if (op == "umin") return std::min(old, x);
    if (op == "umax") return std::max(old, x);
    if (op == "and") return old & x;
    if (op == "or") return old | x;
    if (op == "xor") return old ^ x;
    if (op == "swap") return x;
    if (op == "mskor") return (old & ~x) | y;
    if (op == "cmpst") return old == x ? y : old;
    if (op == "cmpswap") return old == y ? x : old;
    if (op == "fcmpst") return sf::equal(form, flush(old, 0), flush(x, 0)) ? y : old;
    if (op == "fcmpswap") return sf::equal(form, flush(old, 0), flush(y, 0)) ? x : old;
    if (op == "wrap") return old >= x ? old - x : old + y;
    if (op == "addf" && (sf::is_nan(form, old) || sf::is_nan(form, x)))
        return (sf::is_nan(form, old) ? old : x) | form.quiet_bit();
    if (op == "addf") return flush(sf::add(form, flush(old, 0), flush(x, 0), sf::Rounding::nearest, flags), 1);
    if (sf::is_nan(form, old) && sf::is_nan(form, x)) return old | form.quiet_bit();
    if (sf::is_nan(form, old)) return x;
    if (sf::is_nan(form, x)) return old;
    return (key(old) < key(x)) == (op == "fmin") ? old : x;
}

// Where lanes store over each other, one element of all lanes comes after the other; any order would do. Words that are
// stored in pairs come behind those of other lanes that are not.
unsigned rounds_of(const std::string& name) {
    return has(name, "store_dwordx") ? 2 * unsigned(name.back() - '0') : has(name, "store_format") ? 4 : 1;
}

// "ds_min_rtn_f32" is "fmin"; empty where it is no atomic operation that is known here.
std::string share_operation(const std::string& name) {
    const std::string op = name.substr(3, name.find('_', 3) - 3);
    if (op == "min" || op == "max") return (has(name, "_i") ? "s" : has(name, "_f") ? "f" : "u") + op;
    if (op == "add" && has(name, "_f32")) return "addf";
    if (op == "wrxchg") return "swap";
    if (op == "cmpst" && has(name, "_f")) return "fcmpst";
    if (op == "write") return has(name, "src2") ? "swap" : "";
    for (const char* each : {"add", "sub", "rsub", "inc", "dec", "and", "or", "xor", "mskor", "cmpst", "wrap"})
        if (op == each) return op;
    return "";
}

}  // namespace

bool Model::memory(const std::string& name, const std::vector<std::uint32_t>& words) {
    if (name[0] == 's' && name[1] == '_') return scalar_memory(name, words);
    if (starts(name, "ds_")) {
        const bool is_global = (words[0] >> (generation_ >= 8 ? 16 : 17) & 1) != 0;
        return is_global ? global_share(name, words[0], words[1]) : shared_memory(name, words[0], words[1]);
    }
    if (starts(name, "flat_") || starts(name, "global_") || starts(name, "scratch_"))
        return flat_memory(name, words[0], words[1]);
    if (starts(name, "buffer_") || starts(name, "tbuffer_")) return buffer_memory(name, words[0], words[1]);
    if (starts(name, "image_")) return image_memory(name, words[0], words[1]);
    return false;
}

void Model::set_words(unsigned first, unsigned lane, std::uint64_t value, unsigned bits) {
    wave_.v[first & 255][lane] = std::uint32_t(value);
    if (bits == 64) wave_.v[(first + 1) & 255][lane] = std::uint32_t(value >> 32);
}

// As if the part that m0 names were the group's.
bool Model::global_share(const std::string& name, std::uint32_t w0, std::uint32_t w1) {
    const std::uint32_t m0 = wave_.m0, base = m0 >> 16, own = lds_bytes;
    const std::uint32_t size = std::min(m0 & 0xffff, 0x10000 - base);
    const bool counts = has(name, "append") || has(name, "consume");
    if (has(name, "addtid") || has(name, "swizzle") || (counts && (w0 & 0xffff) + 4 > size)) return false;
    const auto first = gds.begin() + base;
    Bytes part(first, first + size);
    std::swap(lds, part);
    lds_bytes = size;
    wave_.m0 = counts ? 0 : size;
    const bool known = shared_memory(name, w0, w1);
    wave_.m0 = m0;
    lds_bytes = own;
    std::swap(lds, part);
    std::copy(part.begin(), part.end(), first);
    return known;
}

bool Model::shared_memory(const std::string& name, std::uint32_t w0, std::uint32_t w1) {
    const Wave old = wave_;
    const unsigned offset = w0 & 0xffff, offset0 = w0 & 255, offset1 = w0 >> 8 & 255;
    const unsigned addr = bits_of(w1, 7, 0), data0 = bits_of(w1, 15, 8), data1 = bits_of(w1, 23, 16),
                   vdst = bits_of(w1, 31, 24);
    const std::uint64_t limit = generation_ >= 9 ? lds_bytes : std::min(old.m0, lds_bytes);
    const auto value = [&](unsigned r, unsigned lane, unsigned bits) {
        return bits == 64 ? old.v[r][lane] | std::uint64_t{old.v[(r + 1) & 255][lane]} << 32 : old.v[r][lane];
    };
    const auto inside = [&](std::uint32_t a, unsigned bytes) { return std::uint64_t{a} + bytes <= limit; };
    const auto aligned = [&](std::uint32_t a, unsigned bytes) { return generation_ >= 9 ? a : a & ~(bytes - 1); };
    const bool wide = ends(name, "64"), two = has(name, "2_") || has(name, "2st64");
    const unsigned n = wide ? 64 : 32;
    const auto active = [&](unsigned lane) { return (old.exec >> lane & 1) != 0; };
    if (has(name, "permute")) {
        const bool pull = has(name, "bpermute");
        for (unsigned i = 0; i < 64 && !pull; ++i)
            if (active(i)) wave_.v[vdst][i] = 0;
        for (unsigned i = 0; i < 64; ++i) {
            if (!active(i)) continue;
            const unsigned other = (old.v[addr][i] + offset) >> 2 & 63;
            if (pull)
                wave_.v[vdst][i] = active(other) ? old.v[data0][other] : 0;
            else if (active(other))
                wave_.v[vdst][other] = old.v[data0][i];
        }
        return true;
    }
    if (name == "ds_swizzle_b32") {
        for (unsigned i = 0; i < 64; ++i) {
            if (!active(i)) continue;
            unsigned from = 0;
            if (offset >= 0xe000 && generation_ >= 8) {
                unsigned reversed = 0;
                for (unsigned b = 0; b < 5; ++b) reversed |= (i >> b & 1) << (4 - b);
                const unsigned m = offset & 31;
                from = (i & 32) + (((reversed >> std::popcount(m)) + (i & m)) & 31);
            } else if (offset >= 0xc000 && generation_ >= 8) {
                const unsigned m = offset & 31, turn = offset >> 5 & 31;
                from = (i & 32) + ((i & m) | (((offset >> 10 & 1) != 0 ? i - turn : i + turn) & 31 & ~m));
            } else if (offset >= 0x8000) {
                from = (i & ~3u) + (offset >> (2 * (i & 3)) & 3);
            } else {
                from = (i & 32) + (((i & offset & 31) | (offset >> 5 & 31)) ^ (offset >> 10 & 31));
            }
            if (offset >= 0xc000 && generation_ < 8) return false;
            wave_.v[vdst][i] = active(from) ? old.v[addr][from] : 0;
        }
        return true;
    }
    if (name == "ds_nop") return true;
    if (has(name, "gws") || has(name, "ordered")) return false;
    if (has(name, "append") || has(name, "consume")) {
        const std::uint32_t at = (old.m0 & 0xffff) + offset, before = std::uint32_t(read(lds, at, 4)),
                            count = std::uint32_t(std::popcount(old.exec));
        write(lds, at, has(name, "append") ? before + count : before - count, 4);
        for (unsigned i = 0; i < 64; ++i)
            if (active(i)) wave_.v[vdst][i] = before;
        return true;
    }
    const std::string op = share_operation(name);
    if (has(name, "addtid") || has(name, "src2")) {
        for (unsigned i = 0; i < 64; ++i) {
            if (!active(i)) continue;
            const std::uint32_t own = (old.m0 & 0xffff) + offset + 4 * i;
            if (name == "ds_read_addtid_b32") wave_.v[vdst][i] = inside(own, 4) ? std::uint32_t(read(lds, own, 4)) : 0;
            if (name == "ds_write_addtid_b32" && inside(own, 4)) write(lds, own, old.v[data0][i], 4);
            if (has(name, "addtid")) continue;
            const std::uint32_t first = old.v[addr][i] & 0x1ffff;
            const auto distance = (offset & 0x8000) != 0 ? extended(old.v[addr][i] >> 17, 15) : extended(offset, 15);
            const auto second = first + std::uint32_t(4 * distance);
            if (first + n / 8 > lds.size() || second + n / 8 > lds.size()) return false;
            const std::uint64_t x = read(lds, second, n / 8);
            write(lds, first, combined(op, read(lds, first, n / 8), x, x, n, old.mode), n / 8);
        }
        return true;
    }
    const unsigned rounds = starts(name, "ds_write") ? 4 : 1;
    for (unsigned turn = 0; turn < 64 * rounds; ++turn) {
        const unsigned i = turn % 64, round = turn / 64;
        if (!active(i)) continue;
        const std::uint32_t base = old.v[addr][i];
        if (starts(name, "ds_condxchg32")) {
            const unsigned count = wide ? 2 : 4;
            const std::uint32_t at = (base + offset) & ~(4 * count - 1);
            for (unsigned k = 0; k < count; ++k) {
                const std::uint32_t x = old.v[(data0 + k) & 255][i];
                wave_.v[(vdst + k) & 255][i] = inside(at, 4 * count) ? std::uint32_t(read(lds, at + 4 * k, 4)) : 0;
                if (x >> 31 != 0 && inside(at, 4 * count)) write(lds, at + 4 * k, x & 0x7fffffff, 4);
            }
            continue;
        }
        if (two) {
            const unsigned scale = n / 8 * (has(name, "st64") ? 64 : 1);
            const std::uint32_t a = aligned(base + offset0 * scale, n / 8), b = aligned(base + offset1 * scale, n / 8);
            const auto load = [&](std::uint32_t at, unsigned to) {
                for (unsigned k = 0; k < n / 32; ++k)
                    wave_.v[to + k][i] = inside(at + 4 * k, 4) ? std::uint32_t(read(lds, at + 4 * k, 4)) : 0;
            };
            const auto store = [&](std::uint32_t at, unsigned from, unsigned first) {
                for (unsigned k = 0; k < n / 32; ++k)
                    if (inside(at + 4 * k, 4) && round == first + k) write(lds, at + 4 * k, old.v[from + k][i], 4);
            };
            if (starts(name, "ds_wrxchg2")) {
                const auto exchange = [&](std::uint32_t at, unsigned from) -> std::uint64_t {
                    if (!inside(at, n / 8)) return 0;
                    const std::uint64_t before = read(lds, at, n / 8);
                    write(lds, at, value(from, i, n), n / 8);
                    return before;
                };
                const std::uint64_t first = exchange(a, data0), second = exchange(b, data1);
                set_words(vdst, i, first, n);
                set_words(vdst + n / 32, i, second, n);
                continue;
            }
            if (starts(name, "ds_read2")) load(a, vdst), load(b, vdst + n / 32);
            if (starts(name, "ds_write2")) store(a, data0, 0), store(b, data1, n / 32);
            continue;
        }
        const std::uint32_t a = base + offset;
        if (!op.empty()) {
            const std::uint32_t at = aligned(a, n / 8);
            const std::uint64_t before = inside(at, n / 8) ? read(lds, at, n / 8) : 0;
            if (inside(at, n / 8))
                write(lds, at, combined(op, before, value(data0, i, n), value(data1, i, n), n, old.mode), n / 8);
            if (has(name, "rtn")) set_words(vdst, i, before, n);
            continue;
        }
        const bool high = ends(name, "_hi"), d16 = has(name, "d16");
        const auto half = [&](std::uint32_t x) {
            wave_.v[vdst][i] =
                high ? x << 16 | (old.v[vdst][i] & 0xffff) : (x & 0xffff) | (old.v[vdst][i] & 0xffff0000);
        };
        if (starts(name, "ds_read_")) {
            const std::string type = name.substr(8, 3);
            if (type[0] == 'b') {
                const unsigned count = unsigned(std::stoi(name.substr(9))) / 32;
                const std::uint32_t at = aligned(a, count == 1 ? 4 : count == 2 ? 8 : 16);
                for (unsigned k = 0; k < count; ++k)
                    wave_.v[vdst + k][i] = inside(at + 4 * k, 4) ? std::uint32_t(read(lds, at + 4 * k, 4)) : 0;
                continue;
            }
            const unsigned bytes = starts(type, "i8") || starts(type, "u8") ? 1 : 2;
            const std::uint32_t at = aligned(a, bytes);
            std::uint64_t x = inside(at, bytes) ? read(lds, at, bytes) : 0;
            if (type[0] == 'i') x = std::uint64_t(extended(x, 8 * bytes));
            if (d16)
                half(std::uint32_t(x));
            else
                wave_.v[vdst][i] = std::uint32_t(x);
            continue;
        }
        if (starts(name, "ds_write_")) {
            const unsigned bits = unsigned(std::stoi(name.substr(10)));
            if (bits < 32) {
                const std::uint32_t at = aligned(a, bits / 8);
                if (inside(at, bits / 8) && round == 0) write(lds, at, old.v[data0][i] >> (high ? 16 : 0), bits / 8);
                continue;
            }
            const std::uint32_t at = aligned(a, bits == 32 ? 4 : bits == 64 ? 8 : 16);
            for (unsigned k = 0; k < bits / 32; ++k)
                if (inside(at + 4 * k, 4) && round == k) write(lds, at + 4 * k, old.v[data0 + k][i], 4);
            continue;
        }
        return false;
    }
    return true;
}

// Loads, stores and atomic operations of one lane, once its address is known.
bool Model::access(const std::string& name, const Wave& old, Access& a) {
    const std::string op = name.substr(name.find('_') + 1);
    const bool high = ends(name, "_hi");
    const auto half = [&](std::uint64_t x) {
        std::uint32_t& r = wave_.v[a.vdst][a.lane];
        r = high ? std::uint32_t(x << 16) | (r & 0xffff) : std::uint32_t(x & 0xffff) | (r & 0xffff0000);
    };
    const unsigned count = has(op, "dwordx") ? unsigned(op.back() - '0') : 1;
    const auto share = [&](std::uint32_t x) {
        const std::uint64_t limit = generation_ >= 9 ? lds_bytes : std::min(old.m0, lds_bytes);
        if (std::uint64_t{a.share} + 4 <= limit) write(lds, a.share, x, 4);
    };
    if (starts(op, "load_dword") || starts(op, "store_dword")) {
        std::uint32_t loaded[4];
        for (unsigned k = 0; k < count; ++k) {
            Bytes* const memory = a.place(k, 4);
            if (starts(op, "load"))
                loaded[k] = memory ? std::uint32_t(read(*memory, a.at, 4)) : 0;
            else if (memory && (a.in_pairs && (k | 1) < count ? 2 * (k | 1) + 1 : 2 * k) == a.round)
                write(*memory, a.at, old.v[a.data + k][a.lane], 4);
        }
        if (a.to_share) return share(loaded[0]), true;
        for (unsigned k = 0; starts(op, "load") && k < count; ++k) wave_.v[(a.vdst + k) & 255][a.lane] = loaded[k];
        return true;
    }
    if (starts(op, "load_") || starts(op, "store_")) {
        const unsigned bytes = has(op, "byte") ? 1 : 2;
        Bytes* const memory = a.place(0, bytes);
        if (starts(op, "store")) {
            if (memory) write(*memory, a.at, old.v[a.data][a.lane] >> (high ? 16 : 0), bytes);
            return true;
        }
        std::uint64_t x = memory ? read(*memory, a.at, bytes) : 0;
        if (has(op, "_sbyte") || has(op, "_sshort")) x = std::uint64_t(extended(x, 8 * bytes));
        if (a.to_share) return share(std::uint32_t(x)), true;
        if (has(op, "d16"))
            half(x);
        else
            wave_.v[a.vdst][a.lane] = std::uint32_t(x);
        return true;
    }
    if (!starts(op, "atomic_")) return false;
    std::string how = op.substr(7);
    const unsigned n = ends(how, "_x2") ? 64 : 32;
    if (n == 64) how.resize(how.size() - 3);
    const auto value = [&](unsigned r) {
        return n == 64 ? old.v[r][a.lane] | std::uint64_t{old.v[(r + 1) & 255][a.lane]} << 32 : old.v[r][a.lane];
    };
    return atomic(how, a, value(a.data), has(how, "cmpswap") ? value(a.data + n / 32) : 0, n, old.mode);
}

bool Model::atomic(std::string how, Access& a, std::uint64_t x, std::uint64_t y, unsigned n, std::uint32_t mode) {
    Bytes* const memory = a.place(0, n / 8);
    const std::uint64_t before = memory ? read(*memory, a.at, n / 8) : 0;
    if (how == "add_f32") how = "addf";
    if (how == "pk_add_f16") {
        const auto half = [&](unsigned low) {
            return combined("addf", before >> low & 0xffff, x >> low & 0xffff, 0, 16, mode) & 0xffff;
        };
        if (memory) write(*memory, a.at, half(0) | half(16) << 16, 4);
        return true;
    }
    if (memory) write(*memory, a.at, combined(how, before, x, y, n, mode), n / 8);
    if (a.returns) set_words(a.vdst, a.lane, before, n);
    return true;
}

bool Model::flat_memory(const std::string& name, std::uint32_t w0, std::uint32_t w1) {
    const Wave old = wave_;
    const unsigned addr = bits_of(w1, 7, 0), saddr = bits_of(w1, 22, 16);
    const bool is_flat = starts(name, "flat"), is_scratch = starts(name, "scratch");
    const std::int64_t offset = generation_ < 9 ? 0 : is_flat ? bits_of(w0, 11, 0) : extended(bits_of(w0, 12, 0), 13);
    const bool to_share = generation_ >= 9 && bits_of(w0, 13, 13) != 0;
    const std::uint32_t shared = generation_ >= 9 ? std::uint32_t(old.shared_base >> 32) : 0x20000000;
    const std::uint32_t own = generation_ >= 9 ? std::uint32_t(old.private_base >> 32) : 0x20000001;
    const std::uint64_t base = generation_ >= 9 ? old.flat_scratch : private_memory + (old.flat_scratch >> 32 << 8);
    for (unsigned round = 0; round < 64 * rounds_of(name); ++round) {
        const unsigned i = round % 64;
        if ((old.exec >> i & 1) == 0) continue;
        std::uint64_t address = old.v[addr][i] | std::uint64_t{old.v[(addr + 1) & 255][i]} << 32;
        if (is_scratch)
            address = saddr == 127 ? old.v[addr][i] : scalar32(saddr);
        else if (!is_flat && saddr != 127)
            address = scalar64(saddr) + old.v[addr][i];
        address += std::uint64_t(offset);
        Access a{i, bits_of(w1, 31, 24), bits_of(w1, 15, 8), bits_of(w0, 16, 16) != 0, {}, 0};
        a.place = [&](unsigned k, unsigned bytes) -> Bytes* {
            const std::uint64_t at = address + 4 * k;
            if (is_flat && at >> 32 == shared) {
                a.at = std::uint32_t(at);
                a.in_pairs = false;
                const std::uint64_t limit = generation_ >= 9 ? lds_bytes : std::min(old.m0, lds_bytes);
                return a.at + bytes <= limit ? &lds : nullptr;
            }
            const auto low = std::uint32_t(at);
            const bool is_own = is_scratch || (is_flat && at >> 32 == own);
            a.in_pairs = !is_own;
            a.at = is_own ? base + std::uint64_t{low / 4} * 256 + 4 * i + low % 4 : at;
            return &memory_bytes;
        };
        a.round = round / 64;
        a.to_share = to_share;
        a.share = (old.m0 & 0xffff) + std::uint32_t(offset) + 4 * i;
        if (!access(name, old, a)) return false;
    }
    return true;
}

bool Model::buffer_memory(const std::string& name, std::uint32_t w0, std::uint32_t w1) {
    if (has(name, "wbinvl1")) return true;
    const bool typed = starts(name, "tbuffer"),
               to_share = !typed && bits_of(w0, 16, 16) != 0 && has(name, "load") && !has(name, "x2") &&
                          !has(name, "x3") && !has(name, "x4") && !has(name, "d16") &&
                          (!has(name, "format") || name == "buffer_load_format_x"),
               tfe = bits_of(w1, 23, 23) != 0 && has(name, "load");
    const Wave old = wave_;
    const bool offen = bits_of(w0, 12, 12) != 0, idxen = bits_of(w0, 13, 13) != 0;
    const bool addr64 = generation_ < 8 && bits_of(w0, 15, 15) != 0;
    const unsigned vaddr = bits_of(w1, 7, 0), first = 4 * bits_of(w1, 20, 16);
    std::uint32_t d[4];
    for (unsigned k = 0; k < 4; ++k) d[k] = scalar32(first + k);
    const std::uint64_t base = d[0] | std::uint64_t{d[1] & 0xffff} << 32, stride = d[1] >> 16 & 0x3fff, records = d[2];
    const bool swizzle = d[1] >> 31 != 0, add_tid = (d[3] >> 23 & 1) != 0;
    const std::uint64_t element = generation_ >= 9 ? 4 : 2u << (d[3] >> 19 & 3), istride = 8u << (d[3] >> 21 & 3);
    const std::uint64_t soffset = scalar32(bits_of(w1, 31, 24));
    for (unsigned round = 0; round < 64 * rounds_of(name); ++round) {
        const unsigned i = round % 64;
        if ((old.exec >> i & 1) == 0) continue;
        const std::uint32_t index = (idxen ? old.v[vaddr][i] : 0) + (add_tid ? i : 0);
        const std::uint32_t off0 = bits_of(w0, 11, 0) + (offen ? old.v[vaddr + (idxen ? 1 : 0)][i] : 0);
        const std::uint64_t pair = old.v[vaddr][i] | std::uint64_t{old.v[(vaddr + 1) & 255][i]} << 32;
        Access a{i, bits_of(w1, 15, 8), bits_of(w1, 15, 8), bits_of(w0, 14, 14) != 0, {}, 0};
        const auto address = [&](unsigned k) -> std::uint64_t {
            const std::uint32_t off = off0 + 4 * k;
            if (addr64) return (base + pair + off + soffset) & 0xffffffffffff;  // addresses have 48 bits
            const std::uint64_t linear = base + soffset + index * stride + off;
            const std::uint64_t mixed = base + soffset +
                                        ((index / istride) * stride + (off / element) * element) * istride +
                                        (index % istride) * element + off % element;
            return swizzle ? mixed : linear;
        };
        const auto outside = [&](unsigned k, unsigned bytes) {
            const std::uint32_t off = off0 + 4 * k;
            const bool by_record = generation_ < 8    ? stride != 0
                                   : generation_ == 8 ? stride != 0 && swizzle
                                                      : stride != 0 && idxen;
            const bool out = by_record ? index >= records || (swizzle && off >= stride)
                                       : off + (idxen ? index * stride : 0) + bytes > records;
            return !addr64 && out && !(add_tid && !idxen);
        };
        a.place = [&](unsigned k, unsigned bytes) -> Bytes* {
            a.at = generation_ == 6 ? address(k) & ~std::uint64_t{std::min(bytes, 4u) - 1} : address(k);
            return outside(k, bytes) ? nullptr : &memory_bytes;
        };
        a.round = round / 64;
        a.in_pairs = addr64;
        a.to_share = to_share;
        a.share = (old.m0 & 0xffff) + bits_of(w0, 11, 0) + 4 * i;
        if (name == "buffer_store_lds_dword") {
            const std::uint64_t limit = generation_ >= 9 ? lds_bytes : std::min(old.m0, lds_bytes);
            Bytes* const memory = a.place(0, 4);
            if (memory) write(*memory, a.at, a.share + 4 <= limit ? read(lds, a.share, 4) : 0, 4);
        } else if (has(name, "format")) {
            const unsigned data = typed ? bits_of(w0, 22, 19) : bits_of(d[3], 18, 15),
                           numbers = typed ? bits_of(w0, 25, 23) : bits_of(d[3], 14, 12);
            static constexpr unsigned sizes[] = {0, 1, 2, 2, 4, 4, 4, 4, 4, 4, 4, 8, 8, 12, 16, 0};
            if (to_share) return false;
            if (!format_access(name, old, a, data, numbers, d[3] & 0xfff, !outside(0, sizes[data]), address))
                return false;
        } else if (!access(name, old, a)) {
            return false;
        }
        if (tfe && !to_share && round < 64) {
            const unsigned count = has(name, "dwordx")      ? unsigned(name.back() - '0')
                                   : !has(name, "_format_") ? 1
                                                            : unsigned(name.size() - name.rfind('_') - 1);
            const bool packed = has(name, "d16") && packs_halves;
            wave_.v[(a.data + (packed ? (count + 1) / 2 : count)) & 255][i] = 0;
        }
    }
    return true;
}

Model::ScalarFields Model::scalar_fields(const std::vector<std::uint32_t>& words) const {
    const std::uint32_t w0 = words[0], w1 = words.size() > 1 ? words[1] : 0;
    ScalarFields f;
    f.offset = 255;
    if (generation_ < 8) {
        f.data = bits_of(w0, 21, 15), f.base = 2 * bits_of(w0, 14, 9);
        const unsigned field = bits_of(w0, 7, 0);
        if (bits_of(w0, 8, 8) != 0)
            f.immediate = 4 * std::int64_t{field};
        else if (words.size() > 1)
            f.immediate = 4 * std::int64_t{w1};
        else
            f.offset = field;
        return f;
    }
    f.data = bits_of(w0, 12, 6), f.base = 2 * bits_of(w0, 5, 0), f.returns = bits_of(w0, 16, 16) != 0;
    const bool immediate = bits_of(w0, 17, 17) != 0, both = generation_ >= 9 && bits_of(w0, 14, 14) != 0;
    if (immediate) f.immediate = generation_ >= 9 ? extended(bits_of(w1, 20, 0), 21) : std::int64_t{bits_of(w1, 19, 0)};
    if (both)
        f.offset = bits_of(w1, 31, 25);
    else if (!immediate)
        f.offset = bits_of(w1, 6, 0);
    return f;
}

bool Model::scalar_memory(const std::string& name, const std::vector<std::uint32_t>& words) {
    if (starts(name, "s_dcache") || starts(name, "s_atc_probe")) return true;
    if (has(name, "time")) return false;
    const ScalarFields f = scalar_fields(words);
    const bool by_buffer = has(name, "_buffer_"), is_scratch = has(name, "_scratch_"), is_atomic = has(name, "atomic");
    std::uint64_t offset = std::uint64_t(f.immediate);
    if (f.offset != 255) offset += std::uint64_t{scalar32(f.offset)} * (is_scratch ? 64 : 1);
    std::uint64_t base = scalar64(f.base), size = ~std::uint64_t{0};
    if (by_buffer) {
        const std::uint32_t d1 = scalar32(f.base + 1), records = scalar32(f.base + 2), stride = d1 >> 16 & 0x3fff;
        base &= 0xffffffffffff;
        size = stride == 0 ? records : std::uint64_t{stride} * records;
    }
    if (is_atomic) {
        std::string how = name.substr(name.find("atomic_") + 7);
        const unsigned n = ends(how, "_x2") ? 64 : 32;
        if (n == 64) how.resize(how.size() - 3);
        if (by_buffer && (offset & ~std::uint64_t{3}) + n / 8 > size) return false;
        const std::uint64_t at = (base + offset) & ~std::uint64_t{3};
        const auto value = [&](unsigned code) { return n == 64 ? scalar64(code) : scalar32(code); };
        const std::uint64_t x = value(f.data), y = has(how, "cmpswap") ? value(f.data + n / 32) : 0,
                            before = read(memory_bytes, at, n / 8);
        write(memory_bytes, at, combined(how, before, x, y, n, wave_.mode), n / 8);
        if (f.returns) n == 64 ? set64(f.data, before) : set32(f.data, std::uint32_t(before));
        return true;
    }
    const std::size_t by = name.find("dwordx");
    const unsigned count = by == std::string::npos ? 1 : unsigned(std::stoi(name.substr(by + 6)));
    std::uint32_t loaded[16] = {};
    for (unsigned i = 0; i < count; ++i) {
        const std::uint64_t at = ((base + offset) & ~std::uint64_t{3}) + 4 * i,
                            within = (offset & ~std::uint64_t{3}) + 4 * i;
        const bool inside = !by_buffer || (within < size && within + 4 <= size);
        if (has(name, "store")) {
            if (inside) write(memory_bytes, at, scalar32(f.data + i), 4);
        } else if (inside) {
            loaded[i] = std::uint32_t(read(memory_bytes, at, 4));
        }
    }
    for (unsigned i = 0; has(name, "load") && i < count; ++i) set32(f.data + i, loaded[i]);
    return true;
}

void Model::prepare_scalar(const std::string& name, const std::vector<std::uint32_t>& words,
                           const std::function<std::uint64_t()>& random) {
    const ScalarFields f = scalar_fields(words);
    const bool is_scratch = has(name, "_scratch_");
    std::uint64_t offset = std::uint64_t(f.immediate);
    if (f.offset < 128 && f.offset != 126 && f.offset != 127) {
        set32(f.offset, std::uint32_t(is_scratch          ? random() % 64
                                      : random() % 4 == 0 ? random() % 0x1000
                                                          : random() % 0x400 * 4));
        offset += std::uint64_t{scalar32(f.offset)} * (is_scratch ? 64 : 1);
    }
    const std::uint64_t base = 0x4000 + random() % 0x4000 / 8 * 8 - (offset & ~std::uint64_t{3});
    if (!has(name, "_buffer_")) return set64(f.base, base);
    const bool exceeds = (base >> 48) != 0;
    set32(f.base, std::uint32_t(exceeds ? 0x4000 : base));
    set32(f.base + 1, (exceeds ? 0 : std::uint32_t(base >> 32 & 0xffff)) |
                          std::uint32_t(random() % 2 == 0 ? 0 : random() % 64) << 16 | std::uint32_t(random()) << 30);
    set32(f.base + 2, std::uint32_t(exceeds ? 0 : random() % 4 == 0 ? offset + 4 : 0x3fffff));
}

void Model::prepare_image(std::uint32_t w0, std::uint32_t w1, const std::function<std::uint64_t()>& random) {
    const unsigned vaddr = bits_of(w1, 7, 0), srsrc = 4 * bits_of(w1, 20, 16), ssamp = 4 * bits_of(w1, 25, 21);
    static constexpr unsigned formats[][2] = {{1, 0},  {1, 4},  {3, 1},  {4, 7},  {4, 4},  {5, 7},  {5, 0},  {10, 0},
                                              {10, 5}, {12, 7}, {14, 7}, {14, 4}, {6, 7},  {7, 7},  {9, 0},  {8, 4},
                                              {16, 0}, {17, 0}, {18, 0}, {19, 0}, {20, 0}, {11, 7}, {13, 7}, {2, 3}};
    const auto& format = formats[random() % std::size(formats)];
    const unsigned kind = 8 + unsigned(random() % 6), width = 1 + unsigned(random() % 9),
                   height = 1 + unsigned(random() % 7);
    const unsigned pitch = width + unsigned(random() % 3), depth = kind == 11 ? 6 : 1 + unsigned(random() % 4);
    const unsigned first = unsigned(random() % depth), levels = random() % 2 == 0 ? 0 : unsigned(random() % 4);
    const unsigned first_level = levels == 0 ? 0 : unsigned(random() % (levels + 1));
    unsigned select = 0xfac;
    if (random() % 3 == 0) {
        static constexpr unsigned choices[] = {0, 1, 4, 5, 6, 7};
        select = 0;
        for (unsigned k = 0; k < 4; ++k) select |= choices[random() % 6] << (3 * k);
    }
    set32(ssamp, std::uint32_t(random() & 0x7000));
    for (unsigned axis = 0; axis < 3; ++axis) {
        static constexpr unsigned modes[] = {0, 1, 2, 3, 6, 7};
        set32(ssamp, scalar32(ssamp) | modes[random() % 6] << (3 * axis));
    }
    set32(ssamp, scalar32(ssamp) | (random() % 4 == 0 ? 1u << 15 : 0));
    set32(ssamp + 1, std::uint32_t(random() % 2 == 0 ? 0 : random() % 0x180) | std::uint32_t(0x300 + random() % 0x200)
                                                                                   << 12);
    const unsigned filter = unsigned(random() % 2), other = random() % 3 == 0 ? unsigned(random() % 2) : filter;
    set32(ssamp + 2, filter << 20 | other << 22 | unsigned(random() % 3) << 24 |
                         unsigned(levels == 0 ? random() % 3 : random() % 2) << 26);
    set32(ssamp + 3, unsigned(random() % 3) << 30);
    const std::uint32_t t[8] = {
        0x40,
        (format[0] << 20) | (format[1] << 26) | (random() % 4 == 0 ? unsigned(random() % 0x180) << 8 : 0),
        (width - 1) | (height - 1) << 14,
        select | first_level << 12 | levels << 16 | (generation_ >= 9 ? 0u : 8u) << 20 | kind << 28,
        (depth - 1) | (pitch - 1) << 13,
        first | (depth - 1) << 13,
        0,
        0};
    for (unsigned k = 0; k < 8; ++k) set32(srsrc + k, t[k]);
    const bool samples = bits_of(w0, 24, 18) >= 0x20 && bits_of(w0, 24, 18) != 0x60;
    const bool unnormalised = (scalar32(ssamp) >> 15 & 1) != 0 || bits_of(w0, 12, 12) != 0;
    for (unsigned k = 0; k < 12; ++k)
        for (unsigned lane = 0; lane < 64; ++lane) {
            const double x = random() % 8 == 0 ? double(random() % 40) / 8 - 2 : double(random() % 0x4000) / 0x3000;
            const auto number = std::bit_cast<std::uint32_t>(float(unnormalised && random() % 4 != 0 ? x * 6 : x));
            wave_.v[(vaddr + k) & 255][lane] = samples ? (random() % 64 == 0 ? std::uint32_t(random()) : number)
                                                       : std::uint32_t(random() % 16 == 0 ? random() : random() % 8);
        }
}

// Gives registers addresses that lie in memory; `random` is asked for numbers.
void Model::prepare(const std::string& name, const std::vector<std::uint32_t>& words,
                    const std::function<std::uint64_t()>& random) {
    if (encoding_of(static_cast<Generation>(generation_), words[0]) != Encoding::other) return;
    if (starts(name, "s_dcache") || has(name, "time") || has(name, "atc_probe")) return;
    if (starts(name, "s_")) return prepare_scalar(name, words, random);
    if (words.size() < 2) return;
    const std::uint32_t w0 = words[0], w1 = words[1];
    if (starts(name, "image_")) return prepare_image(w0, w1, random);
    const unsigned addr = bits_of(w1, 7, 0);
    const auto each = [&](unsigned r, const std::function<std::uint32_t()>& value) {
        for (auto& lane : wave_.v[r & 255]) lane = value();
    };
    if (starts(name, "ds_")) {
        each(addr, [&] {
            return std::uint32_t(random() % 16 == 0 ? random()
                                                    : random() % (lds_bytes / 4) & ~(random() % 4 == 0 ? 0u : 3u));
        });
        wave_.m0 = random() % 4 == 0 ? std::uint32_t(random() % lds_bytes) : 0xffffffff;
        if (has(name, "append") || has(name, "consume") || has(name, "addtid"))
            wave_.m0 = std::uint32_t(random() % (lds_bytes / 4)) & ~3u;
        if (has(name, "src2"))
            each(addr, [&] {
                return std::uint32_t(0x400 + random() % 0x100 * 8) | (std::uint32_t(random() % 64) - 32) << 17;
            });
    }
    const auto in_memory = [&] { return 0x2000 + (random() % 0x8000 & ~(random() % 8 == 0 ? 0u : 7u)); };
    if (starts(name, "flat_") || starts(name, "global_")) {
        const unsigned saddr = bits_of(w1, 22, 16);
        const bool by_pair = starts(name, "flat_") || saddr == 127;
        wave_.shared_base = std::uint64_t{0x10000} << 32;
        wave_.private_base = std::uint64_t{0x20000} << 32;
        wave_.flat_scratch = generation_ >= 9 ? 0x2000 : std::uint64_t{0x10} << 32;
        private_memory = 0x1000;
        wave_.m0 = 0xffffffff;
        if (generation_ >= 9 && bits_of(w0, 13, 13) != 0) wave_.m0 = 0x200;
        const bool atomics = name.find("atomic") != std::string::npos;
        for (unsigned lane = 0; lane < 64; ++lane) {
            std::uint64_t at = by_pair ? in_memory() : random() % 0x800 * 4;
            if (starts(name, "flat_") && random() % 3 == 0)
                at = std::uint64_t(generation_ >= 9 ? 0x10000 : 0x20000000) << 32 | (random() % 0xc00 & ~7ull);
            else if (starts(name, "flat_") && !atomics && random() % 3 == 0)
                at = std::uint64_t(generation_ >= 9 ? 0x20000 : 0x20000001) << 32 | (random() % 0x40 * 4);
            wave_.v[addr][lane] = std::uint32_t(at);
            if (by_pair) wave_.v[(addr + 1) & 255][lane] = std::uint32_t(at >> 32);
        }
        if (!by_pair) set64(saddr, 0x4000);
    }
    if (starts(name, "scratch_")) {
        wave_.flat_scratch = 0x4000;
        each(addr, [&] { return std::uint32_t(0x20 + random() % 0x10) * 4; });
        if (bits_of(w1, 22, 16) != 127) set32(bits_of(w1, 22, 16), 0x80);
    }
    if (starts(name, "buffer_") || starts(name, "tbuffer_")) {
        const unsigned first = 4 * bits_of(w1, 20, 16), soffset = bits_of(w1, 31, 24);
        const bool swizzle = random() % 3 == 0;
        const std::uint32_t stride = random() % 3 == 0 ? 0 : std::uint32_t(random() % 16 * 4);
        if (generation_ < 8 && bits_of(w0, 15, 15) != 0) {
            for (unsigned lane = 0; lane < 64; ++lane)
                wave_.v[addr][lane] = std::uint32_t(random() % 0x1000 * 4), wave_.v[(addr + 1) & 255][lane] = 0;
        } else {
            each(addr, [&] { return std::uint32_t(random() % 64); });
            each(addr + 1, [&] { return std::uint32_t(random() % 64 & ~3ull); });
        }
        set32(first, 0x2000);
        set32(first + 1, stride << 16 | std::uint32_t(swizzle) << 31);
        set32(first + 2, std::uint32_t(random() % 3 == 0 ? random() % 64 : 0x4000));
        static constexpr unsigned numbers[] = {0, 1, 2, 3, 4, 5, 7, 7};
        unsigned select = 0xfac;
        for (unsigned k = 0; k < 4 && random() % 3 == 0; ++k)
            select = (select & ~(7u << (3 * k))) |
                     (random() % 3 == 0 ? unsigned(random() % 2) : 4 + unsigned(random() % 4)) << (3 * k);
        set32(first + 3, std::uint32_t(random() & 0x780000) | (random() % 4 == 0 ? 1u << 23 : 0) | select |
                             (1 + unsigned(random() % 14)) << 15 | numbers[random() % 8] << 12);
        if (soffset < 128 && soffset != 126 && soffset != 127 && (soffset < first || soffset > first + 3))
            set32(soffset, std::uint32_t(random() % 0x400 * 4));
        wave_.m0 = random() % 4 == 0 ? std::uint32_t(random() % lds_bytes) : 0x100;
    }
}

}  // namespace gcn_reference
