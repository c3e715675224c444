// A small machine whose memory holds its code, for testing the machine around the instructions: four bytes an
// instruction, that is an opcode, two registers and sixteen bits of a number. Tests add events and declarations.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "effort.hpp"
#include "isaforge/machine.hpp"

namespace isaforge {

// Of so many short runs, those that are made. Compiled from the first instruction on, each takes as long as twenty.
inline unsigned seeds(unsigned sample) {
    const unsigned count = test::times_effort(sample);
    const char* const engine = std::getenv("ISAFORGE_ENGINE");
    return engine != nullptr && std::string(engine) == "jit" ? count / 10 : count;
}

// What the program writes, and what it may read.
class TestStreams : public Streams {
public:
    std::size_t read(std::span<std::uint8_t> bytes) override {
        const std::size_t count = std::min(bytes.size(), input.size() - taken);
        std::copy_n(input.begin() + static_cast<std::ptrdiff_t>(taken), count, bytes.begin());
        taken += count;
        return count;
    }
    bool ready() override { return is_ready; }
    void write(unsigned file, std::span<const std::uint8_t> bytes) override {
        (file == 2 ? errors : output).append(bytes.begin(), bytes.end());
    }

    std::string input, output, errors;
    std::size_t taken = 0;
    bool is_ready = true;
};

// The opcodes, in the order of `meanings`.
enum class Op : std::uint8_t {
    stop,
    li,
    lih,
    add,
    addi,
    ld8,
    ld16,
    ld32,
    ld64,
    st8,
    st16,
    st32,
    st64,
    jmp,
    beq,
    bne,
    jr,
    call,
    ll,
    sc,
    cas,
    begin,
    end,
    abort,
    depth,
    host,
    wait,
    fence,
    hart,
    harts,
    now,
    control,
    get_cause,
    get_from,
    go_back,
    executed,
    gather,
    scatter,
    mul,
    bltu,
    swap,
    aswap,
    exchange
};

inline const char* const meanings[] = {
    "stop()",
    "A = u64(i)",
    "A = A << 16 | u64(u16(i))",
    "A = A + B",
    "A = B + u64(i)",
    "A = u64(mem.u8[B + u64(i)])",
    "A = u64(mem.u16[B + u64(i)])",
    "A = u64(mem.u32[B + u64(i)])",
    "A = mem.u64[B + u64(i)]",
    "mem.u8[B + u64(i)] = A[7:0]",
    "mem.u16[B + u64(i)] = A[15:0]",
    "mem.u32[B + u64(i)] = A[31:0]",
    "mem.u64[B + u64(i)] = A",
    "pc = pc + u64(i)",
    "if A == B { pc = pc + u64(i) }",
    "if A != B { pc = pc + u64(i) }",
    "pc = A + u64(i)",
    "{ let to = B\n A = next()\n pc = to + u64(i) }",
    "A = load_linked(mem.u64[B + u64(i)])",
    "A = u64(store_conditional(mem.u64[B + u64(i)], A))",
    "atomic B { let old = mem.u64[B]\n if old == A { mem.u64[B] = old + u64(i) }\n A = old }",
    "transaction_begin()",
    "A = u64(transaction_end())",
    "A = u64(transaction_abort())",
    "A = u64(transaction_depth())",
    "A = host(u64(i), r[1], r[2], r[3])",
    "wait()",
    "fence()",
    "A = u64(hart())",
    "A = u64(harts())",
    "A = now()",
    "control = A",
    "A = cause",
    "A = from",
    "{ pc = from\n control = 0 }",
    "A = count(\"loads\") << 32 | count(\"stores\") << 16 | count(\"events\")",
    "elements(v, 32) = mem.u32[B + u64(lane_numbers(4)) * u64(i)]",
    "mem.u32[B + u64(lane_numbers(4)) * u64(i)] = elements(v, 32)",
    "A = A * B",
    "if A < B { pc = pc + u64(i) }",
    "{ let t = A\n A = B\n B = t }",
    "atomic B { let t = mem.u64[B]\n mem.u64[B] = A\n A = t }",
    "atomic A { atomic B { let t = mem.u64[A]\n mem.u64[A] = mem.u64[B]\n mem.u64[B] = t } }",
};

// Says what happens when a transaction is taken back; `reason` tells the four ways apart.
inline std::string on_abort(const std::string& body) {
    return "function aborted(reason) { " + body + R"( }
on transaction_conflict { aborted(u64(5)) }
on transaction_event { aborted(u64(6)) }
on transaction_too_deep { aborted(u64(7)) }
on transaction_too_large { aborted(u64(9)) }
)";
}

struct Word {
    Op op;
    unsigned a = 0, b = 0;
    std::int64_t imm = 0;
};

inline std::vector<std::uint8_t> code_bytes(const std::vector<Word>& words) {
    std::vector<std::uint8_t> bytes;
    for (const Word& word : words) {
        bytes.push_back(static_cast<std::uint8_t>(word.a << 4 | word.b));
        bytes.push_back(static_cast<std::uint8_t>(word.op));
        bytes.push_back(static_cast<std::uint8_t>(word.imm));
        bytes.push_back(static_cast<std::uint8_t>(word.imm >> 8));
    }
    return bytes;
}

// Instructions that put any number into a register.
inline void load_number(std::vector<Word>& words, unsigned a, std::uint64_t value) {
    words.push_back({Op::li, a, 0, static_cast<std::int16_t>(value >> 48)});
    for (int shift : {32, 16, 0}) words.push_back({Op::lih, a, 0, static_cast<std::int64_t>(value >> shift & 0xffff)});
}

inline std::string mapped_description(const std::string& declarations) {
    std::string text = R"(isa mapped "Mapped"
code unit 16 little
constant pc_bits = 64
registers r : 4 of u64 "r{n}"
register v : u8 lanes 16
register cause : u64
register from : u64
register control : u64
memory mem : u8 little holds code
mode level : u2 = control[1:0]
number immediate = s16
)" + declarations + R"(
format F | OP:8 | A:r | B:r | i:immediate |
instructions F [OP] "{name} {A}, {B}, {i}" {
)";
    for (std::size_t i = 0; i < std::size(meanings); ++i)
        text += "    " + std::to_string(i) + " op" + std::to_string(i) + " " + meanings[i] + "\n";
    return text + "}\n";
}

class MappedMachine {
public:
    explicit MappedMachine(const std::string& declarations = "", MachineOptions options = {.memory_bytes = 1 << 20}) {
        streams = std::make_shared<TestStreams>();
        options.streams = streams;
        std::shared_ptr<const Codec> codec = codec_for(declarations);
        if (codec) machine_ = std::make_unique<Machine>(codec, options);
    }

    Machine* operator->() { return machine_.get(); }
    Machine& operator*() { return *machine_; }

    void load(std::uint64_t address, const std::vector<Word>& words, Permissions permissions = {true, false, true}) {
        const std::vector<std::uint8_t> bytes = code_bytes(words);
        EXPECT_TRUE(machine_->load_data(0, address, bytes));
        EXPECT_EQ(machine_->protect(address, bytes.size(), permissions, "code"), "");
    }
    RunResult run(const std::vector<Word>& words, std::uint64_t limit = 100000, std::uint64_t address = 0x1000) {
        load(address, words);
        machine_->start(address);
        return machine_->run(limit);
    }
    std::uint64_t r(unsigned number, unsigned hart = 0) { return machine_->hart(hart).get(0, number); }
    void set(unsigned number, std::uint64_t value) { machine_->set(0, number, value); }
    std::uint64_t word(std::uint64_t address) {
        std::uint64_t value = 0;
        EXPECT_TRUE(machine_->peek(0, address, {reinterpret_cast<std::uint8_t*>(&value), 8}));
        return value;
    }

    std::shared_ptr<TestStreams> streams;

private:
    static std::shared_ptr<const Codec> codec_for(const std::string& declarations) {
        static std::map<std::string, std::shared_ptr<const Codec>> known;
        std::shared_ptr<const Codec>& codec = known[declarations];
        if (codec) return codec;
        SourceManager sources;
        Diagnostics diagnostics;
        const auto isa = load_isa_text("mapped.isa", mapped_description(declarations), sources, diagnostics);
        if (!isa) ADD_FAILURE() << to_text(diagnostics, sources);
        return isa ? codec = std::make_shared<const Codec>(isa) : nullptr;
    }

    std::unique_ptr<Machine> machine_;
};

}  // namespace isaforge
