// What the computing instructions of AMD GCN do, for tests: a witness that shares no line with the emulator and none with
// the description. It takes an instruction apart by the encodings of the manuals, and is told its name alone. Plain rather
// than fast: one lane after the other.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace gcn_reference {

// The generations by the number of their first chips: gfx6 is GCN 1.0, gfx9 is GCN 1.4.
enum class Generation { gfx6 = 6, gfx7 = 7, gfx8 = 8, gfx9 = 9 };

enum class Encoding { sop1, sop2, sopc, sopk, sopp, vop1, vop2, vopc, vop3, vop3p, other };

// A float that need not be right to the bit: any NaN is like any other, and a number may be so many floats away.
struct Loose {
    unsigned reg = 0, lane = 0;
    unsigned bits =
        0;  // 16, 32 or 64; of 64 the low half is in `reg`; 0: some bits of a NaN or of one of several numbers: any
    unsigned low = 0;   // 16 where 16 bits stand in the high half
    unsigned distance = 0;
};

using Bytes = std::vector<std::uint8_t>;

struct Wave {
    std::array<std::uint32_t, 104> s{};
    std::array<std::array<std::uint32_t, 64>, 256> v{};
    std::uint64_t exec = 0, vcc = 0, flat_scratch = 0, xnack_mask = 0, tba = 0, tma = 0;
    std::array<std::uint32_t, 16> ttmp{};
    std::uint64_t shared_base = 0, shared_limit = 0, private_base = 0, private_limit = 0;
    std::uint32_t m0 = 0, mode = 0, pops = 0, lds_direct = 0;
    bool scc = false;
    std::uint64_t pc = 0;
};

class Model {
public:
    Model(Generation generation, Wave& wave) : generation_(static_cast<int>(generation)), wave_(wave) {}

    // Executes one instruction of these words, which is called so. False where the model does not know it.
    bool execute(const std::string& name, const std::vector<std::uint32_t>& words);
    // Gives the registers that an instruction takes addresses from such as lie in memory.
    void prepare(const std::string& name, const std::vector<std::uint32_t>& words,
                 const std::function<std::uint64_t()>& random);

    Bytes memory_bytes, lds, gds;      // of the machine, of the group, of all groups
    std::uint32_t lds_bytes = 0;       // that the group has
    bool packs_halves = false;         // of buffers and images, two in a register
    std::uint64_t private_memory = 0;  // where it begins, before flat_scratch

    static Encoding encoding_of(Generation generation, std::uint32_t word);

    const std::vector<Loose>& loose() const { return loose_; }
    void note(const Loose& one) { loose_.push_back(one); }
    std::uint64_t scalar64_of(unsigned code) const { return scalar64(code); }

private:
    friend struct Lane;
    struct Fields {
        Encoding encoding = Encoding::other;
        unsigned src[3] = {}, vdst = 0, sdst = 0, simm = 0;
        unsigned abs = 0, neg = 0, neg_hi = 0, op_sel = 0, op_sel_hi = 7, omod = 0, clamp = 0;
        bool sdwa = false, dpp = false;
        unsigned dst_sel = 6, dst_unused = 0, sel[2] = {6, 6}, sext = 0;
        unsigned dpp_ctrl = 0, bound = 0, bank_mask = 15, row_mask = 15;
        bool mask_to_vcc = true;
        std::uint32_t literal = 0;
    };

    // One lane's access: `place` says where element k lies, and in what; null where that is out of range.
    struct Access {
        unsigned lane, vdst, data;
        bool returns;
        std::function<Bytes*(unsigned, unsigned)> place;
        std::uint64_t at;
        unsigned round = 0;
        bool in_pairs = false;  // two words are one store
        bool to_share = false;  // instead of registers, at `share`
        std::uint32_t share = 0;
    };

    bool memory(const std::string& name, const std::vector<std::uint32_t>& words);
    bool shared_memory(const std::string& name, std::uint32_t w0, std::uint32_t w1);
    bool global_share(const std::string& name, std::uint32_t w0, std::uint32_t w1);
    bool flat_memory(const std::string& name, std::uint32_t w0, std::uint32_t w1);
    bool buffer_memory(const std::string& name, std::uint32_t w0, std::uint32_t w1);
    bool scalar_memory(const std::string& name, const std::vector<std::uint32_t>& words);
    bool image_memory(const std::string& name, std::uint32_t w0, std::uint32_t w1);
    bool access(const std::string& name, const Wave& old, Access& a);
    bool atomic(std::string how, Access& a, std::uint64_t x, std::uint64_t y, unsigned bits, std::uint32_t mode);
    // Of typed buffers: what `address` says is where word k of the element lies.
    bool format_access(const std::string& name, const Wave& old, Access& a, unsigned data, unsigned numbers,
                       std::uint32_t select, bool inside, const std::function<std::uint64_t(unsigned)>& address);
    void prepare_scalar(const std::string& name, const std::vector<std::uint32_t>& words,
                        const std::function<std::uint64_t()>& random);
    void prepare_image(std::uint32_t w0, std::uint32_t w1, const std::function<std::uint64_t()>& random);
    // Where scalar memory instructions have things.
    struct ScalarFields {
        unsigned data = 0, base = 0;  // registers
        std::int64_t immediate = 0;
        unsigned offset = 0;  // a register; 255: none
        bool returns = false;
    };
    ScalarFields scalar_fields(const std::vector<std::uint32_t>& words) const;
    void set_words(unsigned first, unsigned lane, std::uint64_t value, unsigned bits);
    bool take_apart(const std::vector<std::uint32_t>& words);
    bool scalar(const std::string& name);
    bool vector(const std::string& name);
    bool whole_wave(const std::string& name);

    std::uint32_t scalar32(unsigned code) const;
    // A literal has 32 bits: the others are 0, or its sign where the operand is signed.
    std::uint64_t scalar64(unsigned code, bool is_signed = false) const;
    void set32(unsigned code, std::uint32_t value);
    void set64(unsigned code, std::uint64_t value);
    int dpp_lane(int lane) const;

    int generation_;
    Wave& wave_;
    Fields f_;
    unsigned length_ = 4;
    std::vector<Loose> loose_;
};

}  // namespace gcn_reference
