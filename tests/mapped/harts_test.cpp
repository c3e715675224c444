// Several harts: reservations, atomic blocks and transactions under thousands of schedules and on real threads, and each of
// them with one hart too.
#include <random>
#include <set>

#include "effort.hpp"
#include "mapped/mapped_machine.hpp"

namespace isaforge {
namespace {

// A transaction that is taken back is tried again; r10 counts that.
const std::string retrying = on_abort("r[10] = r[10] + 1\n r[11] = reason");

MachineOptions options(unsigned harts, std::uint64_t seed, bool threads = false) {
    return {.memory_bytes = 1 << 20, .harts = harts, .seed = seed, .threads = threads};
}

constexpr std::int16_t counter = 0x4000;

// Each hart adds one to the counter `rounds` times, by the instructions given; r1: the counter, r2: the old value.
std::vector<Word> counting(std::int64_t rounds, const std::vector<Word>& increment) {
    std::vector<Word> words{{Op::li, 1, 0, counter}, {Op::li, 6, 0, rounds}};
    words.insert(words.end(), increment.begin(), increment.end());
    words.push_back({Op::addi, 5, 5, 1});
    words.push_back({Op::bne, 5, 6, -4 * static_cast<std::int64_t>(increment.size() + 1)});
    words.push_back({Op::stop});
    return words;
}

const std::vector<Word> plain{{Op::ld64, 2, 1}, {Op::addi, 2, 2, 1}, {Op::st64, 2, 1}};
const std::vector<Word> linked{{Op::ll, 2, 1}, {Op::addi, 2, 2, 1}, {Op::sc, 2, 1}, {Op::beq, 2, 0, -12}};
const std::vector<Word> swapping{{Op::ld64, 3, 1},  {Op::add, 2, 4},    {Op::add, 2, 3},
                                 {Op::li, 7, 0, 0}, {Op::add, 7, 3},    {Op::li, 2, 0, 0},
                                 {Op::add, 2, 3},   {Op::cas, 2, 1, 1}, {Op::bne, 2, 3, -32}};
const std::vector<Word> transacting{{Op::begin}, {Op::ld64, 2, 1}, {Op::addi, 2, 2, 1}, {Op::st64, 2, 1}, {Op::end, 3}};
// A lock at 64 behind the counter: 1 is swapped in until 0 comes out.
const std::vector<Word> locking{{Op::addi, 3, 1, 64}, {Op::li, 4, 0, 1},   {Op::aswap, 4, 3},   {Op::bne, 4, 0, -8},
                                {Op::fence},          {Op::ld64, 2, 1},    {Op::addi, 2, 2, 1}, {Op::st64, 2, 1},
                                {Op::fence},          {Op::st64, 0, 1, 64}};

struct Way {
    const char* name;
    const std::vector<Word>& increment;
};
const Way safe_ways[] = {{"reservation", linked}, {"swap", swapping}, {"transaction", transacting}, {"lock", locking}};

TEST(Harts, NoIncrementIsLostUnderAnySchedule) {
    for (const Way& way : safe_ways)
        for (std::uint64_t seed = 0; seed < seeds(100); ++seed)
            for (unsigned harts : {1u, 2u, 3u, 5u}) {
                MappedMachine machine(retrying, options(harts, seed));
                const RunResult result = machine.run(counting(12, way.increment), 1000000);
                ASSERT_EQ(result.reason, StopReason::stopped) << way.name << " " << seed << ": " << result.message;
                ASSERT_EQ(machine.word(counter), 12u * harts) << way.name << ", seed " << seed;
            }
}

// However a run is cut into pieces, and traced or not, the harts take the same turns.
TEST(Harts, PiecesDoNotChangeTheTurns) {
    for (std::uint64_t seed = 0; seed < seeds(60); ++seed) {
        const auto outcome = [&](auto go) {
            MappedMachine machine(retrying, options(3, seed));
            machine.load(0x1000, counting(30, plain));
            machine->start(0x1000);
            EXPECT_EQ(go(*machine).reason, StopReason::stopped);
            std::vector<std::uint64_t> all{machine.word(counter)};
            for (unsigned hart = 0; hart < 3; ++hart) all.push_back(machine.r(2, hart));
            return all;
        };
        const auto whole = outcome([](Machine& machine) { return machine.run(100000); });
        std::mt19937_64 random(seed);
        EXPECT_EQ(outcome([&](Machine& machine) {
                      RunResult result;
                      do result = machine.run(1 + random() % 20);
                      while (result.reason == StopReason::limit);
                      return result;
                  }),
                  whole);
        unsigned harts = 0;
        EXPECT_EQ(outcome([&](Machine& machine) {
                      RunResult result;
                      do {
                          TraceRecord record;
                          result = machine.step_any(&record);
                          harts |= 1u << record.hart;
                          EXPECT_TRUE(result.instructions == 0 || record.hart == result.hart);
                      } while (result.reason == StopReason::running);
                      return result;
                  }),
                  whole);
        EXPECT_EQ(harts, 7u);
        // From the beginning again.
        MappedMachine machine(retrying, options(3, seed));
        for (int i = 0; i < 2; ++i) {
            machine->load_data(0, counter, std::vector<std::uint8_t>(8));
            EXPECT_EQ(machine.run(counting(30, plain)).reason, StopReason::stopped);
            EXPECT_EQ(machine.word(counter), whole[0]);
        }
    }
}

TEST(Harts, SchedulesDoInterleave) {
    // Without any care increments are lost, and differently under different seeds: else the test above would mean nothing.
    std::set<std::uint64_t> results;
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
        MappedMachine machine("", options(3, seed));
        EXPECT_EQ(machine.run(counting(12, plain)).reason, StopReason::stopped);
        results.insert(machine.word(counter));
    }
    EXPECT_GT(results.size(), 5u);
    EXPECT_LT(*results.begin(), 30u);
    // Conflicts do happen to transactions, and reservations are lost.
    std::uint64_t aborts = 0, executed = 0, least = ~0ull;
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
        MappedMachine machine(retrying, options(3, seed));
        machine.run(counting(12, transacting), 1000000);
        for (unsigned hart = 0; hart < 3; ++hart) aborts += machine.r(10, hart);
        MappedMachine other("", options(3, seed));
        executed = other.run(counting(12, linked), 1000000).instructions;
        least = std::min(least, executed);
    }
    EXPECT_GT(aborts, 50u);
    EXPECT_GE(least, 3u * (3 + 12 * 6));
}

TEST(Harts, TheSameSeedGivesTheSameRun) {
    for (std::uint64_t seed : {1, 2, 3}) {
        std::vector<std::uint64_t> first;
        for (int again = 0; again < 2; ++again) {
            MappedMachine machine(retrying, options(4, seed));
            const RunResult result = machine.run(counting(50, transacting), 1000000);
            std::vector<std::uint64_t> seen{result.instructions, result.hart};
            for (unsigned hart = 0; hart < 4; ++hart) {
                seen.push_back(machine->hart(hart).instructions());
                for (unsigned i = 0; i < 16; ++i) seen.push_back(machine.r(i, hart));
            }
            if (again == 0) first = seen;
            EXPECT_EQ(seen, first);
        }
    }
}

TEST(Harts, NoIncrementIsLostOnThreads) {
    for (const Way& way : safe_ways) {
        MappedMachine machine(retrying, options(4, 0, true));
        const RunResult result = machine.run(counting(30000, way.increment), 200'000'000);
        ASSERT_EQ(result.reason, StopReason::stopped) << way.name << ": " << result.message;
        EXPECT_EQ(machine.word(counter), 120000u) << way.name;
    }
}

TEST(Harts, AreCountedTogether) {
    MachineOptions counted = options(3, 1);
    counted.count_instructions = true;
    MappedMachine machine("", counted);
    EXPECT_EQ(machine.run(counting(10, plain)).reason, StopReason::stopped);
    for (auto [address, count] : machine->counts())
        EXPECT_EQ(count, address < 0x1008 || address > 0x1018 ? 3u : 30u) << std::hex << address;
    EXPECT_EQ(machine->counts().size(), 8u);
}

// A transaction moves 1 from one word to another; a second one adds both up, and stops the hart if the sum is not 0: not
// even a transaction that will be taken back may see part of a move. r5 counts the rounds.
std::vector<Word> banking(std::int64_t rounds) {
    return {{Op::li, 1, 0, counter},
            {Op::li, 6, 0, rounds},
            {Op::begin},
            {Op::ld64, 2, 1, 0},
            {Op::addi, 2, 2, -1},
            {Op::st64, 2, 1, 0},
            {Op::ld64, 3, 1, 64},
            {Op::addi, 3, 3, 1},
            {Op::st64, 3, 1, 64},
            {Op::end, 4},
            {Op::begin},
            {Op::ld64, 2, 1, 0},
            {Op::ld64, 3, 1, 64},
            {Op::add, 2, 3},
            {Op::beq, 2, 0, 8},
            {Op::stop},
            {Op::end, 4},
            {Op::addi, 5, 5, 1},
            {Op::bne, 5, 6, -64},
            {Op::stop}};
}

TEST(Transactions, NobodySeesHalfOfOne) {
    for (std::uint64_t seed = 0; seed <= seeds(300); ++seed) {
        const bool threads = seed == seeds(300);
        MappedMachine machine(retrying, options(3, seed, threads));
        const std::int64_t rounds = threads ? 3000 : 10;
        const RunResult result = machine.run(banking(rounds), 10000000);
        ASSERT_EQ(result.reason, StopReason::stopped) << result.message;
        for (unsigned hart = 0; hart < 3; ++hart)
            ASSERT_EQ(machine.r(5, hart), static_cast<std::uint64_t>(rounds)) << "seed " << seed;
        ASSERT_EQ(machine.word(counter + 64), 3u * static_cast<std::uint64_t>(rounds));
        ASSERT_EQ(machine.word(counter), 0 - 3u * static_cast<std::uint64_t>(rounds));
    }
}

// Random transactions over few words, each the program of one hart; the end must be that of some serial order.
struct Step {
    bool store;
    unsigned place;
    std::int64_t add;
};

TEST(Transactions, EqualSomeSerialOrder) {
    constexpr unsigned places = 3, harts = 3;
    std::mt19937_64 random(3);
    for (int round = 0; round < static_cast<int>(test::times_effort(800)); ++round) {
        std::vector<std::vector<Step>> programs(harts);
        std::vector<Word> words{{Op::li, 1, 0, counter}, {Op::hart, 2}, {Op::li, 3, 0, 1}, {Op::li, 4, 0, 2}};
        // Dispatch: hart 1 and 2 jump to their own code.
        std::vector<std::vector<Word>> codes(harts);
        for (unsigned hart = 0; hart < harts; ++hart) {
            std::vector<Word>& code = codes[hart];
            code.push_back({Op::begin});
            code.push_back({Op::li, 7, 0, 0});
            const unsigned count = 2 + random() % 4;
            for (unsigned i = 0; i < count; ++i) {
                Step step{random() % 2 == 0, static_cast<unsigned>(random() % places),
                          static_cast<std::int64_t>(random() % 100)};
                programs[hart].push_back(step);
                if (step.store) {
                    code.push_back({Op::addi, 7, 7, step.add});
                    code.push_back({Op::st64, 7, 1, 64 * step.place});
                } else {
                    code.push_back({Op::ld64, 8, 1, 64 * step.place});
                    code.push_back({Op::add, 7, 8});
                }
            }
            code.push_back({Op::end, 9});
            code.push_back({Op::stop});
        }
        const std::int64_t first = 4 * static_cast<std::int64_t>(codes[0].size());
        words.push_back({Op::beq, 2, 3, 8 + first});
        words.push_back({Op::beq, 2, 4, 4 + first + 4 * static_cast<std::int64_t>(codes[1].size())});
        for (const auto& code : codes) words.insert(words.end(), code.begin(), code.end());
        MappedMachine machine(retrying, options(harts, random()));
        const RunResult result = machine.run(words, 100000);
        ASSERT_EQ(result.reason, StopReason::stopped) << result.message;
        std::vector<std::uint64_t> seen;
        for (unsigned place = 0; place < places; ++place) seen.push_back(machine.word(counter + 64 * place));
        for (unsigned hart = 0; hart < harts; ++hart) seen.push_back(machine.r(7, hart));
        bool found = false;
        std::vector<unsigned> order{0, 1, 2};
        do {
            std::vector<std::uint64_t> memory(places, 0), accumulators(harts, 0);
            for (unsigned hart : order)
                for (const Step& step : programs[hart]) {
                    if (step.store)
                        memory[step.place] = accumulators[hart] += static_cast<std::uint64_t>(step.add);
                    else
                        accumulators[hart] += memory[step.place];
                }
            memory.insert(memory.end(), accumulators.begin(), accumulators.end());
            found = found || memory == seen;
        } while (std::next_permutation(order.begin(), order.end()));
        ASSERT_TRUE(found) << "round " << round;
    }
}

TEST(Transactions, AreTakenBackPartByPart) {
    for (unsigned harts : {1u, 2u}) {
        MappedMachine machine(retrying, options(harts, 1));
        std::vector<Word> words{{Op::hart, 2},
                                {Op::bne, 2, 0, 76},       // other harts stop
                                {Op::li, 1, 0, counter},
                                {Op::li, 2, 0, 1},
                                {Op::begin},
                                {Op::st64, 2, 1},          // 1, visible inside
                                {Op::li, 2, 0, 2},
                                {Op::begin},
                                {Op::li, 3, 0, 99},
                                {Op::st64, 3, 1},          // 99, taken back
                                {Op::st32, 3, 1, 36},
                                {Op::depth, 4},
                                {Op::abort, 4},            // r4 = 1, r2 and r3 as at the inner begin
                                {Op::ld64, 5, 1},
                                {Op::ld64, 6, 1, 32},
                                {Op::depth, 7},
                                {Op::end, 8},
                                {Op::depth, 9},
                                {Op::end, 10},             // there is none: 0
                                {Op::abort, 11},
                                {Op::stop}};
        const RunResult result = machine.run(words);
        EXPECT_EQ(result.reason, StopReason::stopped) << result.message;
        EXPECT_EQ(machine.r(2), 2u);
        EXPECT_EQ(machine.r(3), 0u);
        EXPECT_EQ(machine.r(4), 1u);
        EXPECT_EQ(machine.r(5), 1u);
        EXPECT_EQ(machine.r(6), 0u);
        EXPECT_EQ(machine.r(7), 1u);
        EXPECT_EQ(machine.r(8), 1u);
        EXPECT_EQ(machine.r(9), 0u);
        EXPECT_EQ(machine.r(10), 0u);
        EXPECT_EQ(machine.r(11), 0u);
        EXPECT_EQ(machine.word(counter), 1u);
    }
}

TEST(Transactions, EventsAndSizeTakeThemBack) {
    // A bad load inside: reason 6, and memory and registers as before; the handler jumps on.
    const std::string handling = on_abort("r[11] = reason\n pc = u64(0x2000)");
    MappedMachine machine(handling);
    machine.load(0x2000, {{Op::get_from, 3}, {Op::stop}});
    RunResult result = machine.run({{Op::li, 1, 0, counter},
                                    {Op::li, 2, 0, 5},
                                    {Op::begin},
                                    {Op::st64, 2, 1},
                                    {Op::li, 2, 0, 6},
                                    {Op::ld64, 3, 1, -32768},
                                    {Op::li, 1, 0, -8},
                                    {Op::ld64, 3, 1},
                                    {Op::stop}});
    EXPECT_EQ(result.reason, StopReason::stopped) << result.message;
    EXPECT_EQ(result.address, 0x2008u);
    EXPECT_EQ(machine.r(11), 6u);
    EXPECT_EQ(machine.r(2), 5u);
    EXPECT_EQ(machine.word(counter), 0u);
    // Too many words: reason 9.
    result = machine.run({{Op::li, 1, 0, counter},
                          {Op::begin},
                          {Op::li, 6, 0, 30000},
                          {Op::st64, 6, 1},
                          {Op::addi, 1, 1, 8},
                          {Op::addi, 5, 5, 1},
                          {Op::bne, 5, 6, -12},
                          {Op::end, 2},
                          {Op::stop}},
                         1000000);
    EXPECT_EQ(machine.r(11), 9u) << result.message;
    EXPECT_EQ(machine.word(counter), 0u);
    // Storing one word over and over is not too much.
    result = machine.run({{Op::li, 1, 0, counter},
                          {Op::begin},
                          {Op::li, 6, 0, 30000},
                          {Op::st64, 5, 1},
                          {Op::addi, 5, 5, 1},
                          {Op::bne, 5, 6, -8},
                          {Op::end, 2},
                          {Op::stop}},
                         1000000);
    EXPECT_EQ(machine.r(2), 1u) << result.message;
    EXPECT_EQ(machine.word(counter), 29999u);
    // 256 of them in each other are allowed, one more is reason 7.
    for (std::int64_t depth : {256, 257}) {
        result = machine.run({{Op::li, 6, 0, depth},
                              {Op::li, 1, 0, counter},
                              {Op::st64, 0, 1},
                              {Op::begin},
                              {Op::ld64, 5, 1},
                              {Op::addi, 5, 5, 1},
                              {Op::st64, 5, 1},
                              {Op::bne, 5, 6, -16},
                              {Op::depth, 7},
                              {Op::end, 2},
                              {Op::bne, 2, 0, -4},
                              {Op::stop}},
                             1000000);
        EXPECT_EQ(result.reason, StopReason::stopped) << result.message;
        EXPECT_EQ(machine.r(7), depth == 256 ? 256u : 0u);
        EXPECT_EQ(machine.r(11), depth == 256 ? 0u : 7u);
        EXPECT_EQ(machine.word(counter), depth == 256 ? 256u : 0u);
    }
    // A device cannot be taken back.
    EXPECT_EQ(machine->add_device("console", 0x80000000), "");
    std::vector<Word> words;
    load_number(words, 1, 0x80000000);
    words.insert(words.end(), {{Op::begin}, {Op::st8, 1, 1}, {Op::end, 2}, {Op::stop}});
    machine.run(words);
    EXPECT_EQ(machine.r(11), 6u);
    EXPECT_EQ(machine.streams->output, "");
}

TEST(Reservations, OfOneHart) {
    MappedMachine machine("on bad_read(address) { pc = pc + 4 }\n");
    const RunResult result = machine.run({{Op::li, 1, 0, counter},
                                          {Op::li, 2, 0, 7},
                                          {Op::sc, 2, 1},            // none yet: 0
                                          {Op::ll, 3, 1},
                                          {Op::li, 4, 0, 8},
                                          {Op::sc, 4, 1, 8},         // another address: 0, and it is gone
                                          {Op::li, 5, 0, 9},
                                          {Op::sc, 5, 1},
                                          {Op::ll, 3, 1},
                                          {Op::li, 6, 0, 10},
                                          {Op::sc, 6, 1},            // 1
                                          {Op::li, 7, 0, 11},
                                          {Op::sc, 7, 1},            // used up: 0
                                          {Op::ll, 3, 1},
                                          {Op::li, 8, 0, -8},
                                          {Op::ld64, 9, 8},          // an event
                                          {Op::li, 8, 0, 12},
                                          {Op::sc, 8, 1},            // 0
                                          {Op::stop}});
    EXPECT_EQ(result.reason, StopReason::stopped) << result.message;
    EXPECT_EQ(machine.r(2), 0u);
    EXPECT_EQ(machine.r(4), 0u);
    EXPECT_EQ(machine.r(5), 0u);
    EXPECT_EQ(machine.r(6), 1u);
    EXPECT_EQ(machine.r(7), 0u);
    EXPECT_EQ(machine.r(8), 0u);
    EXPECT_EQ(machine.word(counter), 10u);
}

TEST(Harts, OneEndsTheRunOfAllAndOneThatStopsDoesNot) {
    for (bool threads : {false, true}) {
        // Hart 0 stops at once; hart 1 goes on, then exits; hart 2 would never end.
        MappedMachine machine("", options(3, 5, threads));
        const RunResult result = machine.run({{Op::hart, 2},
                                              {Op::li, 3, 0, 1},
                                              {Op::beq, 2, 3, 12},
                                              {Op::bne, 2, 0, 0},
                                              {Op::stop},
                                              {Op::addi, 5, 5, 1},
                                              {Op::li, 6, 0, 500},
                                              {Op::bne, 5, 6, -8},
                                              {Op::li, 1, 0, 33},
                                              {Op::host, 4, 0, 0},
                                              {Op::jmp}},
                                             0);
        EXPECT_EQ(result.reason, StopReason::stopped);
        EXPECT_EQ(result.exit_status, 33);
        EXPECT_EQ(machine.r(5, 1), 500u);
        // A fault of one is the end of all, and says whose it was.
        MappedMachine faulty("", options(2, 5, threads));
        const RunResult fault =
            faulty.run({{Op::hart, 2}, {Op::beq, 2, 0, 0}, {Op::li, 1, 0, -8}, {Op::ld64, 1, 1}}, 0);
        EXPECT_EQ(fault.reason, StopReason::bad_read);
        EXPECT_EQ(fault.hart, 1u);
        EXPECT_EQ(fault.message.substr(0, 21), "hart 1: bad read of 6");
        // All of them wait for nothing.
        MappedMachine idle("", options(3, 5, threads));
        EXPECT_EQ(idle.run({{Op::wait}, {Op::stop}}, 0).reason, StopReason::waiting);
    }
}

TEST(Harts, RingForEachOther) {
    const char* const events = R"(
on interrupt(line) when level == 0 { cause = u64(line)
    from = pc
    control = 1
    pc = u64(0x700) }
)";
    for (bool threads : {false, true}) {
        // Hart 1 waits to be rung by hart 0, clears the bell and stops.
        MappedMachine machine(events, options(2, 9, threads));
        EXPECT_EQ(machine->add_device("doorbell", 0x80000000), "");
        machine.load(0x700, {{Op::get_cause, 10}, {Op::li, 3, 0, 1}, {Op::st64, 3, 1, 8}, {Op::stop}});
        std::vector<Word> words;
        load_number(words, 1, 0x80000000);
        words.insert(words.end(), {{Op::hart, 2},
                                   {Op::li, 3, 0, 1},
                                   {Op::beq, 2, 3, 16},
                                   {Op::st64, 3, 1},
                                   {Op::ld64, 4, 1},
                                   {Op::stop},
                                   {Op::wait},
                                   {Op::jmp, 0, 0, -4}});
        const RunResult result = machine.run(words, 0);
        EXPECT_EQ(result.reason, StopReason::stopped) << result.message;
        EXPECT_EQ(machine.r(10, 1), 65u);
        EXPECT_EQ(machine.r(4, 0), 2u);
    }
}

TEST(Harts, SeeCodeThatOthersChanged) {
    for (bool threads : {false, true}) {
        // Hart 1 calls a function until it gives 2; hart 0 changes its immediate.
        MappedMachine machine("", options(2, 4, threads));
        machine.load(0x3000, {{Op::li, 5, 0, 1}, {Op::jr, 9}}, {true, true, true});
        std::vector<Word> words{{Op::li, 1, 0, 0x3000},
                                {Op::hart, 2},
                                {Op::li, 6, 0, 2},
                                {Op::beq, 2, 0, 20},
                                {Op::call, 9, 1},
                                {Op::fence},
                                {Op::bne, 5, 6, -8},
                                {Op::stop},
                                {Op::addi, 7, 7, 1},
                                {Op::li, 8, 0, 300},
                                {Op::bne, 7, 8, -8},
                                {Op::st16, 6, 1, 2},
                                {Op::fence},
                                {Op::stop}};
        const RunResult result = machine.run(words, 50'000'000);
        EXPECT_EQ(result.reason, StopReason::stopped) << result.message;
        EXPECT_EQ(machine.r(5, 1), 2u);
    }
}

}  // namespace
}  // namespace isaforge
