// An independent model of FabRISC's operations, for tests: written from the rules in docs/fabrisc.md and the author's
// documents, sharing no line with the descriptions or the emulator. It works on values and on a plain state; instructions
// come to it by mnemonic and fields, so that it decodes nothing. Plain rather than fast.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace fabrisc_reference {

enum class Revision { march, may, may_last };  // 2022-03-18, 2022-05-02, 2022-05-15

struct Configuration {
    Revision revision = Revision::may_last;
    unsigned wlen = 32;   // bits of a scalar register
    unsigned mxvl = 512;  // bits of a vector register
};

using Vector = std::array<std::uint8_t, 64>;

struct State {
    std::array<std::uint64_t, 32> scalar{}, special{}, helper{};
    std::array<Vector, 32> vector{};
    std::uint8_t flags = 0;     // FR of 2022-05-02; that of March is in CSR
    Vector vector_flags{};      // VFLG
    std::uint64_t pc = 0;       // the place of PC in `special` is not used
    std::vector<std::uint8_t> memory;  // from address 0; who runs an instruction sees to it that it stays inside
    std::uint64_t reserved = 0;        // by a load-linked: so many bytes there
    unsigned reserved_bytes = 0;
    std::optional<std::uint64_t> jump; // PC, on its way
    bool user_mode = false;            // when the instruction began
    // File usage, FU0 on: `special` has what was certainly written, this what may be said to be as well.
    std::array<std::uint64_t, 4> usage{};
};

// The bits of a field, and how many there are.
struct Field {
    std::uint64_t code = 0;
    unsigned width = 0;
};

struct Instruction {
    std::string name;  // "ADD", "CIADD.16"
    std::map<std::string, Field, std::less<>> fields;
    unsigned bytes = 4;
};

// What an instruction needs of its operands so that it may be tried.
enum class Group {
    computing,
    move,
    memory,  // RB and displacement(): where the access is
    gather,  // RB; elements of RC
    block,   // RA
    atomic,  // RB, aligned
    flow,    // registers may be targets
};

// An instruction made ready to run many times.
class Operation {
public:
    struct Plan;

    Group group() const;
    bool leaves() const;                    // it jumps where a register says
    bool privileged() const;                // it must not be tried in user mode
    bool strides() const;                   // RD is the distance between elements, or the immediate is
    std::uint64_t widest_stride() const;    // of the immediate, without its sign

    // Nothing where the model does not know the instruction.
    static std::optional<Operation> of(const Configuration& configuration, const Instruction& instruction);

    // Runs it on the state, pc included. `witness`: the state that the emulator came to. It is looked at for results of
    // functions that nobody rounds right (powers, sines): they may be a neighbour of what the model would say.
    void run(State& state, const State* witness = nullptr) const;

    unsigned bits() const;  // of the operands; of casts, of what is cast
    bool floats() const;    // whether the operands are floats
    bool nearly() const;    // whether run() wants a witness
    bool vectors() const;   // whether it looks at a vector
    // Of a load or store: how far the first access is from RB.
    std::uint64_t displacement(const State& state) const;
    // Whether it may write PC or CSR; or the modes of debug registers and counters. A move or a block load can.
    bool writes_status() const;
    bool writes_modes() const;
    // Whether, in user mode, it ends in a fault because of a special register.
    bool forbidden(const State& state) const;
    bool malformed() const; // whether it ends in that event, unless it is masked

private:
    std::shared_ptr<const Plan> plan_;
};

// Registers of SPR that have a part in what happens, and the fields of CSR.
struct Layout {
    unsigned pc, csr, mask, cause;          // numbers; `cause` is 32 where there is none
    unsigned user_buffer, user_handler;     // UEB_0, EB0; UETP, UEHP
    unsigned supervisor_buffer, supervisor_handler;
    unsigned buffers;                       // 3 where CAUSE is saved too, else 2
    unsigned vlen, rounding, scalar_mask, traps, supervisor, trap;  // lowest bits in CSR
    unsigned file_usage, files;             // FU0, and how many there are
    unsigned vector_flags;                  // VFLG's place; 32 where it has none
    unsigned depth;                         // of transactions: lowest of eight bits in CSR
    std::uint32_t modes;                    // bit i: i holds modes of debug registers
    std::uint32_t narrow_registers;         // bit i: i has 32 bits
    std::uint32_t privileged_registers;     // bit i: i is not for users
    std::uint32_t user_bits;                // of CSR
    std::uint32_t csr_bits;                 // that are there

    bool quiet(unsigned number) const { return number == csr || (modes >> number & 1) != 0; }
    bool narrow(unsigned number) const { return (narrow_registers >> number & 1) != 0; }
};
const Layout& layout_of(Revision revision);

}  // namespace fabrisc_reference
