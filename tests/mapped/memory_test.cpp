// Memory that holds code: permissions, places where regions meet, both ends of the address space, programs that change
// themselves.
#include <fstream>
#include <random>
#include <set>

#include "machine/layout.hpp"
#include "machine/micro_op.hpp"
#include "mapped/mapped_machine.hpp"

namespace isaforge {
namespace {

constexpr unsigned max_size = 8;

TEST(Memory, LoadsAndStoresOfEverySizeAtEveryOffset) {
    const Op loads[] = {Op::ld8, Op::ld16, Op::ld32, Op::ld64}, stores[] = {Op::st8, Op::st16, Op::st32, Op::st64};
    std::mt19937_64 random(1);
    for (unsigned size = 0; size < 4; ++size)
        for (std::uint64_t place : {0x4000ull, 0x7ff8ull, 0x13ff8ull}) {   // inside of a page, and across two
            MappedMachine machine;
            for (unsigned offset = 0; offset < 16; ++offset) {
                const std::uint64_t value = random(), address = place + offset;
                std::vector<Word> words;
                load_number(words, 1, address);
                load_number(words, 2, value);
                words.push_back({stores[size], 2, 1});
                words.push_back({loads[size], 3, 1});
                words.push_back({stores[size], 2, 1});
                words.push_back({loads[size], 4, 1});
                words.push_back({Op::stop});
                const std::uint64_t before = machine.word(address + (1u << size));
                EXPECT_EQ(machine.run(words).reason, StopReason::stopped);
                const std::uint64_t expected = size == 3 ? value : value & ((1ull << (8u << size)) - 1);
                EXPECT_EQ(machine.r(3), expected);
                EXPECT_EQ(machine.r(4), expected);
                EXPECT_EQ(machine.word(address + (1u << size)), before);
                EXPECT_EQ(machine.word(address) & (size == 3 ? ~0ull : (1ull << (8u << size)) - 1), expected);
            }
        }
}

struct Access {
    std::uint64_t address;
    StopReason reason;
    const char* message;
};

TEST(Memory, PermissionsHoldForEveryByte) {
    const Access loads[] = {
        {0x8000, StopReason::stopped, ""},
        {0x8ff8, StopReason::stopped, ""},
        {0x8ff9, StopReason::bad_read,
         "bad read of 64 bits at address 0x9000 by the instruction at 0x1010 `op8 r3, r1, 0`: it lies in secret (-w-)"},
        {0x9800, StopReason::bad_read,
         "bad read of 64 bits at address 0x9800 by the instruction at 0x1010 `op8 r3, r1, 0`: it lies in secret (-w-)"},
        {0xa000, StopReason::stopped, ""},
        {0x9fff, StopReason::bad_read, nullptr},
        {0xffff8, StopReason::stopped, ""},
        {0xffff9, StopReason::bad_read,
         "bad read of 64 bits at address 0x100000 by the instruction at 0x1010 `op8 r3, r1, 0`: nothing is mapped "
         "there"},
        {0x100000, StopReason::bad_read, nullptr},
        {0xfffffffffffffff9, StopReason::bad_read, nullptr},
        {0xffffffffffffffff, StopReason::bad_read, nullptr},
    };
    const Access stores[] = {
        {0x8000, StopReason::bad_write, nullptr},
        {0x7ff8, StopReason::stopped, ""},
        {0x7ff9, StopReason::bad_write,
         "bad write of 64 bits at address 0x8000 by the instruction at 0x1010 `op12 r3, r1, 0`: it lies in constants "
         "(r--)"},
        {0x8fff, StopReason::bad_write, nullptr},
        {0x9000, StopReason::stopped, ""},
        {0x9ffc, StopReason::stopped, ""},   // from one writable region into the next
        {0xffffc, StopReason::bad_write, nullptr},
        {0x1000, StopReason::bad_write, nullptr},   // the code itself
    };
    for (bool store : {false, true})
        for (const Access& each : store ? std::span<const Access>(stores) : std::span<const Access>(loads))
            for (bool warm : {false, true}) {
                MappedMachine machine;
                EXPECT_EQ(machine->protect(0x8000, 0x1000, {true, false, false}, "constants"), "");
                EXPECT_EQ(machine->protect(0x9000, 0x1000, {false, true, false}, "secret"), "");
                std::vector<Word> words;
                load_number(words, 1, each.address);
                words.push_back({store ? Op::st64 : Op::ld64, 3, 1});
                words.push_back({Op::stop});
                // Tables that know other parts of the page must not help.
                if (warm) {
                    std::vector<Word> others;
                    for (std::uint64_t near : {0x7f00, 0x8f00, 0xa008, 0xfff00}) {
                        load_number(others, 1, near);
                        others.push_back({Op::ld64, 3, 1});
                        if (near != 0x8f00) others.push_back({Op::st64, 3, 1});
                    }
                    others.push_back({Op::stop});
                    EXPECT_EQ(machine.run(others, 1000, 0x2000).reason, StopReason::stopped);
                    machine.load(0x1000, words);
                    machine->set_pc(0x1000);
                } else {
                    machine.load(0x1000, words);
                    machine->start(0x1000);
                }
                const RunResult result = machine->run(100);
                EXPECT_EQ(result.reason, each.reason) << std::hex << each.address << (store ? " store" : " load");
                if (each.message != nullptr) {
                    EXPECT_EQ(result.message, each.message);
                }
            }
}

TEST(Memory, RandomAccessesObeyAModel) {
    // A map of random regions, and every access compared with a byte by byte model of it.
    std::mt19937_64 random(7);
    constexpr std::uint64_t base = 0x10000, size = 0x10000;
    for (int round = 0; round < 20; ++round) {
        MappedMachine machine;
        std::vector<unsigned> allowed(size, 3);
        std::vector<std::uint8_t> bytes(size, 0);
        for (int i = 0; i < 6; ++i) {
            const std::uint64_t first = random() % size, length = std::min(size - first, 1 + random() % 5000);
            const unsigned bits = random() % 4;
            EXPECT_EQ(machine->protect(base + first, length, {(bits & 1) != 0, (bits & 2) != 0, false}, "part"), "");
            std::fill_n(allowed.begin() + static_cast<std::ptrdiff_t>(first), length, bits);
        }
        const Op loads[] = {Op::ld8, Op::ld16, Op::ld32, Op::ld64}, stores[] = {Op::st8, Op::st16, Op::st32, Op::st64};
        std::vector<Word> words;
        for (unsigned i = 0; i < 4; ++i) words.insert(words.end(), {{loads[i], 3, 1}, {Op::stop}});
        for (unsigned i = 0; i < 4; ++i) words.insert(words.end(), {{stores[i], 2, 1}, {Op::stop}});
        machine.load(0x1000, words);
        machine->start(0x1000);
        for (int i = 0; i < 3000; ++i) {
            const unsigned shift = random() % 4, count = 1u << shift;
            const bool store = random() % 2 == 0;
            const std::uint64_t at = random() % (size - max_size), value = random();
            bool fits = true;
            std::uint64_t expected = 0;
            for (unsigned k = 0; k < count; ++k) {
                fits = fits && (allowed[at + k] & (store ? 2 : 1)) != 0;
                expected |= std::uint64_t{bytes[at + k]} << 8 * k;
            }
            machine.set(1, base + at);
            machine.set(2, value);
            machine->set_pc(0x1000 + 8 * (shift + (store ? 4 : 0)));
            const RunResult result = machine->run(2);
            ASSERT_EQ(result.reason, fits ? StopReason::stopped : store ? StopReason::bad_write : StopReason::bad_read);
            if (!fits) continue;
            if (!store) {
                ASSERT_EQ(machine.r(3), expected);
            }
            for (unsigned k = 0; store && k < count; ++k) bytes[at + k] = static_cast<std::uint8_t>(value >> 8 * k);
        }
        std::vector<std::uint8_t> after(size);
        ASSERT_TRUE(machine->peek(0, base, after));
        ASSERT_EQ(after, bytes);
    }
}

TEST(Memory, AlignmentIsAskedForOnRequest) {
    MappedMachine machine("", {.memory_bytes = 1 << 20, .require_alignment = true});
    const Word good[] = {
        {Op::ld16, 3, 1, 2}, {Op::ld32, 3, 1, 4}, {Op::ld64, 3, 1, 8}, {Op::ld8, 3, 1, 1}, {Op::st32, 3, 1, -4}};
    const Word bad[] = {
        {Op::ld16, 3, 1, 1}, {Op::ld32, 3, 1, 2}, {Op::ld64, 3, 1, 4}, {Op::st32, 3, 1, 2}, {Op::st16, 3, 1, 7}};
    for (int warm = 0; warm < 2; ++warm) {
        for (const Word& word : good)
            EXPECT_EQ(machine.run({{Op::li, 1, 0, 0x4000}, word, {Op::stop}}).reason, StopReason::stopped);
        for (const Word& word : bad) {
            const RunResult result = machine.run({{Op::li, 1, 0, 0x4000}, word, {Op::stop}});
            EXPECT_EQ(result.reason, StopReason::misaligned);
            EXPECT_EQ(result.address, 0x1004u);
        }
    }
}

TEST(Memory, StorageAtTheTopOfTheAddressSpace) {
    MappedMachine machine;
    EXPECT_EQ(machine->add_storage(0xfffffffffffff000, 0x1000, {true, true, true}, "top"), "");
    EXPECT_EQ(machine->add_storage(0xfffffffffffff000, 0x1001, {}, "beyond"),
              "the region goes beyond the last address");
    std::vector<Word> words;
    load_number(words, 1, 0xfffffffffffffff8);
    words.insert(words.end(),
                 {{Op::li, 2, 0, -2}, {Op::st64, 2, 1}, {Op::ld64, 3, 1}, {Op::ld64, 4, 1, 1}, {Op::stop}});
    const RunResult result = machine.run(words);
    EXPECT_EQ(machine.r(3), ~1ull);
    EXPECT_EQ(result.reason, StopReason::bad_read);
    // Code up to the last byte, and on beyond it.
    machine.load(0xfffffffffffffff8, {{Op::li, 5, 0, 7}, {Op::li, 6, 0, 8}});
    machine->start(0xfffffffffffffff8);
    const RunResult beyond = machine->run(10);
    EXPECT_EQ(machine.r(5), 7u);
    EXPECT_EQ(machine.r(6), 8u);
    EXPECT_EQ(beyond.reason, StopReason::bad_execute);
    EXPECT_EQ(beyond.address, 0u);
}

TEST(Memory, CodeAboveFourGigabytes) {
    MappedMachine machine;
    constexpr std::uint64_t place = 0x123456789000;
    EXPECT_EQ(machine->add_storage(place, 0x10000, {true, true, true}, "high"), "");
    // Counts r1 up to 1000 by a branch back, calls and returns.
    const RunResult result = machine.run({{Op::li, 2, 0, 1000},
                                          {Op::addi, 1, 1, 1},
                                          {Op::bne, 1, 2, -4},
                                          {Op::get_from, 4},
                                          {Op::lih, 4, 0, 0},
                                          {Op::li, 5, 0, 0x1234},
                                          {Op::lih, 5, 0, 0x5678},
                                          {Op::lih, 5, 0, static_cast<std::int64_t>(0x9000u)},
                                          {Op::call, 6, 5, 44},
                                          {Op::stop},
                                          {Op::stop},
                                          {Op::li, 7, 0, 77},
                                          {Op::jr, 6}},
                                         10000, place);
    EXPECT_EQ(result.reason, StopReason::stopped) << result.message;
    EXPECT_EQ(result.address, place + 40);
    EXPECT_EQ(machine.r(1), 1000u);
    EXPECT_EQ(machine.r(7), 77u);
}

TEST(Memory, CodeThatMayNotBeExecuted) {
    MappedMachine machine;
    EXPECT_EQ(machine->load_data(0, 0x3000, code_bytes({{Op::stop}})), true);
    RunResult result = machine.run({{Op::li, 1, 0, 0x3000}, {Op::jr, 1}});
    EXPECT_EQ(result.reason, StopReason::bad_execute);
    EXPECT_EQ(result.message, "pc is 0x3000, which cannot be executed: it lies in mem (rw-)");
    result = machine.run({{Op::li, 1, 0, 0x1001}, {Op::jr, 1}});
    EXPECT_EQ(result.reason, StopReason::misaligned_code);
    EXPECT_EQ(result.message, "pc is 0x1001, but instructions begin at multiples of 2");
    // The second half of an instruction beyond the end of what may be executed.
    machine.load(0x5000, {{Op::li, 1, 0, 3}, {Op::stop}});
    EXPECT_EQ(machine->protect(0x5006, 2, {true, true, false}, "data"), "");
    machine->start(0x5000);
    result = machine->run(10);
    EXPECT_EQ(result.reason, StopReason::bad_execute);
    EXPECT_EQ(result.address, 0x5004u);
}

TEST(Memory, ProgramsMayChangeThemselves) {
    // A loop whose body adds an immediate that it increments itself, in the instruction that comes next, in an earlier one,
    // and in the storing instruction itself.
    const Permissions all{true, true, true};
    MappedMachine machine;
    machine.load(0x1000,
                 {{Op::li, 1, 0, 0x1000},
                  {Op::li, 6, 0, 5},
                  {Op::ld16, 3, 1, 18},      // the immediate of the addi at 0x1010
                  {Op::addi, 3, 3, 1},
                  {Op::addi, 2, 2, 10},      // 0x1010
                  {Op::st16, 3, 1, 18},
                  {Op::addi, 5, 5, 1},
                  {Op::bne, 5, 6, -20},
                  {Op::stop}},
                 all);
    machine->start(0x1000);
    RunResult result = machine->run(1000);
    EXPECT_EQ(result.reason, StopReason::stopped);
    EXPECT_EQ(machine.r(2), 10u + 11 + 12 + 13 + 14);
    // The next instruction.
    machine.load(
        0x2000, {{Op::li, 1, 0, 0x2000}, {Op::li, 3, 0, 99}, {Op::st16, 3, 1, 14}, {Op::li, 4, 0, 1}, {Op::stop}}, all);
    machine->start(0x2000);
    EXPECT_EQ(machine->run(100).reason, StopReason::stopped);
    EXPECT_EQ(machine.r(4), 99u);
    // Itself: it goes on as it was, and is another one the next time round.
    std::vector<Word> itself{{Op::li, 1, 0, 0x3000}, {Op::li, 6, 0, 3},   {Op::li, 3, 0, 0}, {Op::st16, 3, 1, 12},
                             {Op::addi, 5, 5, 1},    {Op::bne, 5, 6, -8}, {Op::stop}};
    machine.load(0x3000, itself, all);
    const std::vector<std::uint8_t> addi = code_bytes({{Op::addi, 7, 7, 12}});
    std::uint64_t other = addi[0] | addi[1] << 8;
    machine->start(0x3000);
    machine.load(0x3000, itself, all);
    machine->set_pc(0x3004);
    machine.set(1, 0x3000);
    machine->step();
    machine->step();
    machine.set(3, other);
    result = machine->run(100);
    EXPECT_EQ(result.reason, StopReason::stopped);
    EXPECT_EQ(machine.r(7), 24u);
    // A vector store over itself and its neighbours: all lanes are stored by the old instruction.
    machine.load(0x6000, {{Op::scatter, 0, 1, 4}, {Op::li, 4, 0, 1}, {Op::li, 5, 0, 1}, {Op::li, 6, 0, 1}, {Op::stop}},
                 all);
    const std::vector<std::uint8_t> fresh =
        code_bytes({{Op::stop}, {Op::li, 4, 0, 2}, {Op::li, 5, 0, 3}, {Op::li, 6, 0, 4}});
    machine->start(0x6000);
    machine.set(1, 0x6000);
    for (unsigned i = 0; i < 16; ++i) machine->set(1, 0, fresh[i], i);
    result = machine->run(100);
    EXPECT_EQ(result.address, 0x6014u);
    EXPECT_EQ(machine.r(4), 2u);
    EXPECT_EQ(machine.r(5), 3u);
    EXPECT_EQ(machine.r(6), 4u);
}

TEST(Memory, DataThatBecomesCodeAmidItsOwnPage) {
    // The page's stretch is known for stores before the first instruction of it is executed, and changed after it was.
    MappedMachine machine;
    EXPECT_EQ(machine->protect(0x6000, 0x1000, {true, true, true}, "mixed"), "");
    machine->load_data(0, 0x6400, code_bytes({{Op::li, 5, 0, 1}, {Op::jr, 9}}));
    const RunResult result = machine.run({{Op::li, 1, 0, 0x6400},
                                          {Op::li, 6, 0, 2},
                                          {Op::st64, 6, 1, 64},    // the stretch is known
                                          {Op::st64, 6, 1, 72},
                                          {Op::call, 9, 1},
                                          {Op::add, 7, 5},         // 1
                                          {Op::st16, 6, 1, 2},
                                          {Op::call, 9, 1},
                                          {Op::add, 7, 5},         // 2
                                          {Op::st64, 6, 1, 64},
                                          {Op::st64, 6, 1, -64},
                                          {Op::stop}});
    EXPECT_EQ(result.reason, StopReason::stopped) << result.message;
    EXPECT_EQ(machine.r(7), 3u);
    EXPECT_EQ(machine.word(0x6440), 2u);
    EXPECT_EQ(machine.word(0x63c0), 2u);
}

TEST(Memory, DataThatBecomesCodeAmidAStretchOfPages) {
    // The same where the stretch that is known began in the page before.
    MappedMachine machine;
    EXPECT_EQ(machine->protect(0x8000, 0x8000, {true, true, true}, "mixed"), "");
    machine->load_data(0, 0xc800, code_bytes({{Op::li, 5, 0, 1}, {Op::jr, 9}}));
    const RunResult result = machine.run({{Op::li, 1, 0, 0x6400},
                                          {Op::add, 1, 1},
                                          {Op::li, 6, 0, 2},
                                          {Op::st64, 6, 1, -0x2000},
                                          {Op::st64, 6, 1, 64},
                                          {Op::call, 9, 1},
                                          {Op::add, 7, 5},         // 1
                                          {Op::st64, 6, 1, -0x2000},
                                          {Op::st16, 6, 1, 2},
                                          {Op::call, 9, 1},
                                          {Op::add, 7, 5},         // 2
                                          {Op::stop}});
    EXPECT_EQ(result.reason, StopReason::stopped) << result.message;
    EXPECT_EQ(machine.r(7), 3u);
    EXPECT_EQ(machine.word(0xc840), 2u);
}

TEST(Memory, CodeThatIsOftenRewritten) {
    // Translations that were dropped are given back now and then; the program does not notice.
    MappedMachine machine;
    machine.load(0x1000,
                 {{Op::li, 1, 0, 0x1000},
                  {Op::li, 6, 0, 20000},
                  {Op::st16, 5, 1, 14},
                  {Op::li, 3, 0, 0},
                  {Op::add, 2, 3},
                  {Op::addi, 5, 5, 1},
                  {Op::bne, 5, 6, -16},
                  {Op::stop}},
                 {true, true, true});
    machine->start(0x1000);
    EXPECT_EQ(machine->run(1000000).reason, StopReason::stopped);
    EXPECT_EQ(machine.r(2), 20000ull * 19999 / 2);
}

std::uint64_t resident_bytes() {
    std::uint64_t all = 0, resident = 0;
    std::ifstream("/proc/self/statm") >> all >> resident;
    return resident * 4096;
}

#ifdef __SANITIZE_ADDRESS__
constexpr bool frees_at_once = false;  // the sanitizer keeps for a while what was freed, to see who still uses it
#else
constexpr bool frees_at_once = true;
#endif

// A program that goes everywhere: what was translated is dropped when it is too much, also where only one instruction may
// stay, and nobody notices but by the memory that it does not take.
TEST(Memory, TranslationsAreBounded) {
    std::vector<Word> words(150000, {Op::addi, 2, 2, 1});
    words.push_back({Op::addi, 5, 5, 1});
    words.push_back({Op::stop});
    const std::uint64_t before = resident_bytes();
    MappedMachine machine("", {.memory_bytes = 1 << 20, .most_translated = 1000});
    const RunResult result = machine.run(words, 1000000);
    EXPECT_EQ(result.reason, StopReason::stopped) << result.message;
    EXPECT_EQ(machine.r(2), 150000u);
    EXPECT_EQ(machine.r(5), 1u);
    if (frees_at_once) {
        EXPECT_LT(resident_bytes() - before, std::uint64_t{48} << 20);
    }

    const std::vector<Word> loop{{Op::li, 6, 0, 50}, {Op::li, 1, 0, 0x4000}, {Op::ld32, 3, 1},    {Op::addi, 3, 3, 2},
                                 {Op::st32, 3, 1},   {Op::call, 9, 8},       {Op::addi, 5, 5, 1}, {Op::bne, 5, 6, -20},
                                 {Op::stop},         {Op::mul, 7, 5},        {Op::add, 7, 5},     {Op::jr, 9}};
    for (std::uint64_t most : {1, 2, 3, 5, 1000}) {
        MappedMachine small("", {.memory_bytes = 1 << 20, .count_instructions = true, .most_translated = most});
        small.load(0x1000, loop);
        small->start(0x1000);
        small.set(8, 0x1024);
        small->set_breakpoint(0x1014, true);
        unsigned stops = 0;
        while (small->run(1000000).reason == StopReason::breakpoint) ++stops;
        EXPECT_EQ(stops, 50u);
        EXPECT_EQ(small.word(0x4000), 100u);
        EXPECT_EQ(small->instructions(), 2u + 50 * 9 + 1);
        std::uint64_t counted = 0;
        for (const auto& [address, count] : small->counts()) counted += count;
        EXPECT_EQ(counted, small->instructions());
    }
}

TEST(Memory, ATraceHasNumbersAndNotBytes) {
    for (const std::string order : {"little", "big"}) {
        std::string text = mapped_description("");
        text.replace(text.find("little holds code"), 6, order);
        SourceManager sources;
        Diagnostics diagnostics;
        const auto isa = load_isa_text("mapped.isa", text, sources, diagnostics);
        ASSERT_TRUE(isa) << to_text(diagnostics, sources);
        Machine machine(std::make_shared<const Codec>(isa), {.memory_bytes = 1 << 16});
        machine.load_code(code_bytes({{Op::st32, 2, 1}, {Op::ld16, 3, 1}, {Op::stop}}));
        machine.start(0);
        machine.set(0, 1, 0x4000);
        machine.set(0, 2, 0x01020304);
        TraceRecord record;
        ASSERT_TRUE(machine.step(&record).ok());
        ASSERT_EQ(record.changes.size(), 1u);
        EXPECT_EQ(to_text(record.changes[0]), "mem[0x4000]=01020304");
        std::uint8_t bytes[4];
        ASSERT_TRUE(machine.peek(0, 0x4000, bytes));
        EXPECT_EQ(bytes[0], order == "big" ? 1 : 4);
        ASSERT_EQ(record.accesses.size(), 1u);
        EXPECT_TRUE(record.accesses[0].is_store);
        ASSERT_TRUE(machine.step(&record).ok());
        ASSERT_EQ(record.accesses.size(), 1u);
        EXPECT_FALSE(record.accesses[0].is_store);
        EXPECT_EQ(record.accesses[0].address, 0x4000u);
        EXPECT_EQ(record.accesses[0].bits, 16u);
    }
}

TEST(Memory, AMeaningSaysWhereItMayGo) {
    MappedMachine machine;
    machine.load(0x1000, {{Op::addi, 1, 1, 1}, {Op::jmp, 0, 0, 8}, {Op::beq, 1, 2, 8}, {Op::jr, 3}, {Op::call, 3, 4}});
    const bool computed[] = {false, false, false, true, true}, calls[] = {false, false, false, false, true};
    for (unsigned i = 0; i < 5; ++i) {
        EXPECT_EQ(machine->jump_at(0x1000 + 4 * i).computed, computed[i]) << i;
        EXPECT_EQ(machine->jump_at(0x1000 + 4 * i).calls, calls[i]) << i;
    }
    EXPECT_FALSE(machine->jump_at(0xfffff000).computed);
}

TEST(Memory, EveryHartHasTheConstants) {
    SourceManager sources;
    Diagnostics diagnostics;
    const auto isa = load_isa_text("mapped.isa", mapped_description(""), sources, diagnostics);
    ASSERT_TRUE(isa) << to_text(diagnostics, sources);
    machine::Layout layout(*isa);
    machine::HartBlock first(layout.block_bytes()), second(layout.block_bytes());
    layout.attach(first.bytes());
    std::set<std::uint32_t> places;
    for (std::uint64_t i = 0; i < 100; ++i) {
        if (i == 50) layout.attach(second.bytes());
        const std::uint32_t place = layout.constant(1000 + i);
        EXPECT_EQ(layout.constant(1000 + i), place);
        places.insert(place);
        if (i == 70) layout.detach(second.bytes());
        EXPECT_EQ(machine::load<std::uint64_t>(first.bytes(), place), 1000 + i);
        const std::uint64_t there = i >= 50 && i <= 70 ? 1000 + i : 0;
        EXPECT_EQ(machine::load<std::uint64_t>(second.bytes(), place), there);
    }
    EXPECT_EQ(places.size(), 100u);
    EXPECT_EQ(machine::load<std::uint64_t>(second.bytes(), layout.constant(1000)), 1000u);
}

TEST(Memory, GatherAndScatterCrossRegions) {
    MappedMachine machine;
    EXPECT_EQ(machine->protect(0x8000, 0x1000, {true, false, false}, "constants"), "");
    for (unsigned i = 0; i < 4; ++i) machine->load_data(0, 0x7ff8 + 4 * i, code_bytes({{Op::li, i, i, i * 1000}}));
    RunResult result = machine.run(
        {{Op::li, 1, 0, 0x7ff8}, {Op::gather, 0, 1, 4}, {Op::li, 1, 0, 0x4000}, {Op::scatter, 0, 1, 4}, {Op::stop}});
    EXPECT_EQ(result.reason, StopReason::stopped);
    EXPECT_EQ(machine.word(0x4000), machine.word(0x7ff8));
    EXPECT_EQ(machine.word(0x4008), machine.word(0x8000));
    result = machine.run({{Op::li, 1, 0, 0x7ff8}, {Op::scatter, 0, 1, 4}, {Op::stop}});
    EXPECT_EQ(result.reason, StopReason::bad_write);
    EXPECT_EQ(result.message.substr(0, 43), "bad write of 32 bits at address 0x8000 by t");
}

}  // namespace
}  // namespace isaforge
