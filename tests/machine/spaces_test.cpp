// Memories of all kinds against a row of bytes: any unit, either byte order, beside code that lies in another memory, in
// none, or in the very same; one lane or many, masked, aligned or not. And what harts do to them together.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <random>

#include "isaforge/machine.hpp"

namespace isaforge {
namespace {

constexpr unsigned lanes = 8;
constexpr std::uint64_t memory_bytes = 5 << 14;  // more than a page, and no power of two

std::shared_ptr<const Codec> codec_of(const std::string& text) {
    SourceManager sources;
    Diagnostics diagnostics;
    const auto isa = load_isa_text("spaces.isa", text, sources, diagnostics);
    EXPECT_TRUE(isa) << to_text(diagnostics, sources) << text;
    return isa ? std::make_shared<const Codec>(isa) : nullptr;
}

struct Kind {
    unsigned unit = 8;
    bool big = false;
    enum class Code { apart, elsewhere, inside } code = Code::apart;
    bool aligned = false;
};

[[maybe_unused]] std::ostream& operator<<(std::ostream& out, const Kind& kind) {
    const char* const places[] = {"apart", "elsewhere", "inside"};
    return out << fmt::format("u{} {}, code {}{}", kind.unit, kind.big ? "big" : "little",
                              places[static_cast<unsigned>(kind.code)], kind.aligned ? ", aligned" : "");
}

std::vector<Kind> all_kinds() {
    std::vector<Kind> kinds;
    for (const bool aligned : {false, true})
        for (const bool big : {false, true}) {
            for (const unsigned unit : {8u, 16u, 32u, 64u})
                for (const Kind::Code code : {Kind::Code::apart, Kind::Code::elsewhere})
                    kinds.push_back({unit, big, code, aligned});
            kinds.push_back({8, big, Kind::Code::inside, aligned});
        }
    return kinds;
}

// Opcode 4 * which + size: a load, a store, a gather, a scatter or an update of one lane or of many, of 8 << size bits.
std::string description(const Kind& kind) {
    std::string text = "isa spaces \"Spaces\"\ncode unit 32 little\nconstant pc_bits = 64\n";
    text += "register at : u64\nregister value : u64\nregister mask : u8\n";
    text += fmt::format("register ats : u64 lanes {0}\nregister values : u64 lanes {0}\n", lanes);
    if (kind.code == Kind::Code::elsewhere) text += "memory program : u8 little holds code\n";
    text += fmt::format("memory mem : u{} {}{}\n", kind.unit, kind.big ? "big" : "little",
                        kind.code == Kind::Code::inside ? " holds code" : "");
    text += "function mixed(old, x, y) = (old ^ x) + y\n";
    text += "format F | OP:32 |\n";
    const auto row = [&](unsigned which, unsigned size, const std::string& meaning) {
        if (8u << size >= kind.unit) text += fmt::format("    {0} op{0} {1}\n", 4 * which + size, meaning);
    };
    text += "instructions F [OP] \"{name}\" {\n";
    for (unsigned size = 0; size < 4; ++size) {
        const unsigned bits = 8u << size;
        row(0, size, fmt::format("value = u64(mem.u{}[at])", bits));
        row(1, size, fmt::format("mem.u{}[at] = value[{}:0]", bits, bits - 1));
        row(4, size, fmt::format("value = u64(update(mem.u{}[at], +, value[{}:0]))", bits, bits - 1));
    }
    text += fmt::format("}}\ninstructions F [OP] \"{{name}}\" lanes {} under mask[lane()] {{\n", lanes);
    for (unsigned size = 0; size < 4; ++size) {
        const unsigned bits = 8u << size;
        row(2, size, fmt::format("values = u64(mem.u{}[ats])", bits));
        row(3, size, fmt::format("mem.u{}[ats] = values[{}:0]", bits, bits - 1));
        row(5, size,
            fmt::format("values = u64(update(mem.u{}[ats], mixed, values[{}:0], ~values[{}:0]))", bits, bits - 1,
                        bits - 1));
    }
    return text + "}\n";
}

// The row of bytes.
struct Model {
    explicit Model(const Kind& given) : kind(given), bytes(memory_bytes) {}

    StopReason look(std::uint64_t address, unsigned size, bool stores) const {
        const StopReason bad = stores ? StopReason::bad_write : StopReason::bad_read;
        const std::uint64_t unit = kind.unit / 8;
        if (address > ~std::uint64_t{0} / unit) return bad;
        if (kind.aligned && address * unit % size != 0) return StopReason::misaligned;
        return address * unit > memory_bytes - size ? bad : StopReason::running;
    }
    std::uint8_t& byte(std::uint64_t address, unsigned size, unsigned i) {  // of the number, the lowest first
        return bytes[address * (kind.unit / 8) + (kind.big ? size - 1 - i : i)];
    }
    std::uint64_t load(std::uint64_t address, unsigned size) {
        std::uint64_t value = 0;
        for (unsigned i = 0; i < size; ++i) value |= std::uint64_t{byte(address, size, i)} << 8 * i;
        return value;
    }
    void store(std::uint64_t address, unsigned size, std::uint64_t value) {
        for (unsigned i = 0; i < size; ++i) byte(address, size, i) = static_cast<std::uint8_t>(value >> 8 * i);
    }

    Kind kind;
    std::vector<std::uint8_t> bytes;
};

class Spaces : public testing::TestWithParam<Kind> {
protected:
    Spaces() : model(GetParam()) {
        codec = codec_of(description(GetParam()));
        machine = std::make_unique<Machine>(
            codec, MachineOptions{.memory_bytes = memory_bytes, .require_alignment = GetParam().aligned});
        mem = machine->find_memory("mem");
        if (machine->code_memory() == no_index) {
            machine->load_code(opcodes());
            return;
        }
        // Somewhere else than the accesses go, but not far.
        machine->load_data(machine->code_memory(), code_at, opcodes());
        machine->protect(code_at, opcodes().size(), {true, true, true}, "code");
        if (machine->code_memory() == mem) std::copy_n(opcodes().begin(), 96, model.bytes.begin() + code_at);
    }

    static std::vector<std::uint8_t> opcodes() {
        std::vector<std::uint8_t> bytes;
        for (std::uint8_t i = 0; i < 24; ++i) bytes.insert(bytes.end(), {i, 0, 0, 0});
        return bytes;
    }

    std::uint64_t random_address() {
        const std::uint64_t units = memory_bytes / (GetParam().unit / 8);
        std::uint64_t address = random() % units;
        switch (random() % 16) {
            case 0: return random();
            case 1: return units - random() % 8;
            case 2: return ~std::uint64_t{0} / (GetParam().unit / 8) - random() % 3;
            case 3: address = random() % 4 << 14; break;  // where a page ends
            default: break;
        }
        // The code stays as it is.
        const std::uint64_t byte = address * GetParam().unit / 8;
        return byte + 8 > code_at && byte < code_at + 96 ? 0 : address;
    }

    RunResult execute(unsigned opcode, TraceRecord* record) {
        machine->set_pc((machine->code_memory() == no_index ? 0 : code_at) + 4 * opcode);
        return record != nullptr ? machine->step(record) : machine->run(1);
    }
    void expect_reason(const RunResult& result, StopReason expected) {
        if (expected == StopReason::running)
            ASSERT_TRUE(result.ok() || result.reason == StopReason::limit) << result.message;
        else
            ASSERT_EQ(result.reason, expected) << result.message;
    }
    void set(const char* name, std::uint64_t value, unsigned lane = 0) {
        Index file = no_index;
        std::uint64_t number = 0;
        ASSERT_TRUE(machine->find_register(name, file, number));
        machine->set(file, number, value, lane);
    }
    std::uint64_t get(const char* name, unsigned lane = 0) {
        Index file = no_index;
        std::uint64_t number = 0;
        EXPECT_TRUE(machine->find_register(name, file, number));
        return machine->get(file, number, lane);
    }

    void one_scalar(unsigned size_number, bool stores);
    void many_lanes(unsigned size_number, bool stores);
    void update_one(unsigned size_number);
    void update_many(unsigned size_number);

    static constexpr std::uint64_t code_at = 0x2000;
    Model model;
    std::shared_ptr<const Codec> codec;
    std::unique_ptr<Machine> machine;
    Index mem = no_index;
    std::mt19937_64 random{1};
};

void Spaces::one_scalar(unsigned size_number, bool stores) {
    const unsigned size = 1u << size_number;
    const std::uint64_t address = random_address(), value = random();
    const StopReason expected = model.look(address, size, stores);
    set("at", address);
    set("value", value);
    TraceRecord record;
    const bool traced = random() % 4 == 0;
    expect_reason(execute(4 * stores + size_number, traced ? &record : nullptr), expected);
    if (expected != StopReason::running) return;
    if (stores)
        model.store(address, size, value);
    else
        ASSERT_EQ(get("value"), model.load(address, size)) << address;
    if (!traced) return;
    ASSERT_EQ(record.accesses.size(), 1u);
    ASSERT_EQ(record.accesses[0].memory, mem);
    ASSERT_EQ(record.accesses[0].address, address);
    ASSERT_EQ(record.accesses[0].bits, size * 8);
    ASSERT_EQ(record.accesses[0].is_store, stores);
}

// Lanes go one after the other, up to the one that is refused.
void Spaces::many_lanes(unsigned size_number, bool stores) {
    const unsigned size = 1u << size_number;
    const std::uint64_t mask = random() & 0xff;
    std::vector<std::uint64_t> expected_values;
    StopReason expected = StopReason::running;
    set("mask", mask);
    for (unsigned lane = 0; lane < lanes; ++lane) {
        std::uint64_t address = random_address();
        if (random() % 4 != 0 && model.look(address, size, stores) != StopReason::running) address = 0;
        const std::uint64_t value = random();
        set("ats", address, lane);
        set("values", value, lane);
        expected_values.push_back(value);
        if ((mask >> lane & 1) == 0 || expected != StopReason::running) continue;
        expected = model.look(address, size, stores);
        if (expected != StopReason::running) continue;
        if (stores)
            model.store(address, size, value);
        else
            expected_values[lane] = model.load(address, size);
    }
    TraceRecord record;
    expect_reason(execute(8 + 4 * stores + size_number, random() % 4 == 0 ? &record : nullptr), expected);
    for (unsigned lane = 0; lane < lanes && expected == StopReason::running; ++lane)
        ASSERT_EQ(get("values", lane), expected_values[lane]) << lane;
}

// What lay there is read first, so that this is what is refused.
void Spaces::update_one(unsigned size_number) {
    const unsigned size = 1u << size_number;
    const std::uint64_t address = random_address(), value = random();
    const StopReason expected = model.look(address, size, false);
    set("at", address);
    set("value", value);
    TraceRecord record;
    const bool traced = random() % 4 == 0;
    expect_reason(execute(16 + size_number, traced ? &record : nullptr), expected);
    if (expected != StopReason::running) return;
    const std::uint64_t old = model.load(address, size);
    model.store(address, size, old + value);
    ASSERT_EQ(get("value"), old) << address;
    if (traced) {
        ASSERT_EQ(record.accesses.size(), 2u);
    }
}

// Lanes that have one place see each what the one before has left there.
void Spaces::update_many(unsigned size_number) {
    const unsigned size = 1u << size_number;
    const std::uint64_t mask = random() & 0xff, common = random_address();
    const bool together = random() % 2 == 0;
    std::vector<std::uint64_t> olds;
    StopReason expected = StopReason::running;
    set("mask", mask);
    for (unsigned lane = 0; lane < lanes; ++lane) {
        std::uint64_t address = together && random() % 4 != 0 ? common : random_address();
        if (random() % 8 != 0 && model.look(address, size, false) != StopReason::running) address = 0;
        const std::uint64_t value = random();
        set("ats", address, lane);
        set("values", value, lane);
        olds.push_back(value);
        if ((mask >> lane & 1) == 0 || expected != StopReason::running) continue;
        expected = model.look(address, size, false);
        if (expected != StopReason::running) continue;
        olds[lane] = model.load(address, size);
        model.store(address, size, (olds[lane] ^ value) + ~value);
    }
    TraceRecord record;
    expect_reason(execute(20 + size_number, random() % 4 == 0 ? &record : nullptr), expected);
    for (unsigned lane = 0; lane < lanes && expected == StopReason::running; ++lane)
        ASSERT_EQ(get("values", lane), olds[lane]) << lane;
}

TEST_P(Spaces, AreRowsOfBytes) {
    for (int round = 0; round < 4000; ++round) {
        const unsigned size_number = static_cast<unsigned>(random() % 4);
        if (8u << size_number < GetParam().unit) continue;
        if (random() % 4 == 0)
            random() % 2 == 0 ? update_one(size_number) : update_many(size_number);
        else if (random() % 2 == 0)
            one_scalar(size_number, random() % 2 == 0);
        else
            many_lanes(size_number, random() % 2 == 0);
        if (HasFatalFailure()) return;
    }
    std::vector<std::uint8_t> bytes(memory_bytes);
    ASSERT_TRUE(machine->peek(mem, 0, bytes));
    EXPECT_TRUE(bytes == model.bytes);
    EXPECT_TRUE(std::ranges::equal(machine->memory(mem), model.bytes));
    machine->clear_memories();
    ASSERT_TRUE(machine->peek(mem, 0, bytes));
    EXPECT_EQ(bytes, std::vector<std::uint8_t>(memory_bytes));
}

TEST_P(Spaces, AreFilledAndReadByUnits) {
    const std::uint64_t unit = GetParam().unit / 8;
    const std::vector<std::uint8_t> eight{1, 2, 3, 4, 5, 6, 7, 8};
    EXPECT_TRUE(machine->load_data(mem, 0x800, eight));
    EXPECT_EQ(machine->memory(mem)[0x800 * unit], 1);
    std::vector<std::uint8_t> back(8);
    EXPECT_TRUE(machine->peek(mem, 0x800, back));
    EXPECT_EQ(back, eight);
    EXPECT_EQ(memory_dump(*machine, mem, 0x800, 8),
              "00000800  01 02 03 04 05 06 07 08                          |........|\n");
    EXPECT_EQ(memory_dump(*machine, mem, 0x800 - 16 / unit, 32).substr(78, 12), fmt::format("{:08x}  01", 0x800));
    EXPECT_EQ(machine->room(mem, 0), memory_bytes);
    EXPECT_EQ(machine->room(mem, 2), memory_bytes - 2 * unit);
    EXPECT_EQ(machine->room(mem, memory_bytes / unit), 0u);
    EXPECT_EQ(machine->room(mem, ~std::uint64_t{0} / unit), 0u);
    EXPECT_FALSE(machine->load_data(mem, memory_bytes / unit - 1, std::vector<std::uint8_t>(9)));
    EXPECT_FALSE(machine->peek(mem, ~std::uint64_t{0}, back));
}

INSTANTIATE_TEST_SUITE_P(Kinds, Spaces, testing::ValuesIn(all_kinds()));

// ---------------------------------------------------------------------------------------------------------------------
// Harts

// Adds 1 to a number in `data` as often as `wanted` says; `n` counts. A big-endian memory of larger units than bytes.
std::string counting(bool by_reservation, bool apart) {
    std::string text = "isa counting \"Counting\"\ncode unit 32 little\nconstant pc_bits = 64\n";
    text += "register old : u32\nregister done : u64\nregister n : u64\n";
    text += apart ? "" : "memory program : u8 little holds code\n";
    text += "memory data : u16 big\nformat F | OP:32 |\ninstructions F [OP] \"{name}\" {\n";
    text += by_reservation ? "    0 first { old = load_linked(data.u32[u64(6)]) }\n"
                             "    1 second { done = u64(store_conditional(data.u32[u64(6)], old + 1)) }\n"
                             "    2 third { }\n"
                           : "    0 first { transaction_begin()\n done = 0 }\n"
                             "    1 second { old = data.u32[u64(6)]\n data.u32[u64(6)] = old + 1 }\n"
                             "    2 third { done = u64(transaction_end()) }\n";
    return text + "    3 fourth { n = n + done\n if n != 50 { pc = u64(0) } }\n    4 last { stop() }\n}\n";
}

TEST(SpacesOfHarts, NoIncrementIsLost) {
    for (const bool by_reservation : {true, false})
        for (const bool apart : {true, false}) {
            const auto codec = codec_of(counting(by_reservation, apart));
            for (unsigned seed = 0; seed < 40; ++seed) {
                const unsigned harts = 1 + seed % 4;
                Machine machine(codec, {.memory_bytes = 4096, .harts = harts, .seed = seed, .threads = seed % 8 >= 4});
                std::vector<std::uint8_t> code;
                for (std::uint8_t i = 0; i < 5; ++i) code.insert(code.end(), {i, 0, 0, 0});
                machine.load_code(code);
                machine.start(0);
                const RunResult result = machine.run(1000000);
                ASSERT_EQ(result.reason, StopReason::stopped) << result.message;
                const auto data = machine.memory(machine.find_memory("data"));
                ASSERT_EQ(data[14] << 8 | data[15], 50 * static_cast<int>(harts)) << seed;
            }
        }
}

TEST(SpacesOfHarts, WhatATransactionWroteIsTakenBackEverywhere) {
    const auto codec = codec_of(R"(isa abort "Abort"
code unit 32 little
register undone : u32
memory program : u8 little holds code
memory data : u32 little
format F | OP:32 |
instructions F [OP] "{name}" {
    0 one { transaction_begin() }
    1 two { program.u32[u32(256)] = u32(7)
 data[u32(256)] = u32(8)
 undone = u32(transaction_abort()) }
    2 three { stop() }
}
)");
    Machine machine(codec, {.memory_bytes = 4096});
    machine.load_code(std::vector<std::uint8_t>{0, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0});
    machine.start(0);
    EXPECT_EQ(machine.run(100).reason, StopReason::stopped);
    EXPECT_EQ(machine.memory(0)[256], 0);
    EXPECT_EQ(machine.memory(1)[1024], 0);
}

TEST(SpacesOfHarts, ABadAccessIsAnEventWhereverTheCodeLies) {
    for (const char* holding : {"", "memory program : u8 little holds code\n"}) {
        const auto codec = codec_of(std::string(R"(isa events "Events"
code unit 32 little
constant pc_bits = 64
register n : u64
register where : u64
)") + holding + R"(memory data : u16 little
on bad_read(address) { where = address
 pc = pc + 4 }
format F | OP:32 |
instructions F [OP] "{name}" {
    0 one { n = u64(data[u64(0x1800)]) }
    1 two { stop() }
}
)");
        Machine machine(codec, {.memory_bytes = 4096});
        machine.load_code(std::vector<std::uint8_t>{0, 0, 0, 0, 1, 0, 0, 0});
        machine.start(0);
        const RunResult result = machine.run(100);
        EXPECT_EQ(result.reason, StopReason::stopped) << result.message;
        EXPECT_EQ(machine.get(1, 0), 0x1800u);
    }
}

TEST(SpacesOfHarts, MoreMemoriesThanThereMayBeAreRefused) {
    std::string text = "isa many \"Many\"\ncode unit 32 little\nregister n : u8\n";
    for (int i = 0; i < 65; ++i) text += fmt::format("memory m{} : u8\n", i);
    text += "format F | OP:32 |\ninstructions F [OP] \"{name}\" {\n    0 one { n = m64[u32(0)] }\n}\n";
    Machine machine(codec_of(text), {.memory_bytes = 64});
    EXPECT_EQ(machine.memory_problem(), "a machine has at most 64 memories");
    machine.load_code(std::vector<std::uint8_t>(4));
    EXPECT_EQ(machine.run(1).reason, StopReason::undefined);
}

}  // namespace
}  // namespace isaforge
