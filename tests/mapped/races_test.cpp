// Plain accesses racing with reservations, transactions and code: what was plain for all harts becomes watched, or code,
// while they use it. Each round takes lines that nobody watches yet, after the harts have accessed them so often that they
// could do it without looking; on threads and under seeds.
#include <map>

#include "effort.hpp"
#include "mapped/mapped_machine.hpp"

namespace isaforge {
namespace {

constexpr unsigned place = 1, value = 2, other = 3, round_number = 5, rounds = 6, good = 10, bad = 11, words = 14;
constexpr std::int64_t lines = 0x8000, stride = 256;

// Words by which harts tell each other how far they are, each in a line of its own.
constexpr std::int64_t ready = 0, linked = 64, stored = 128, current = 192, progress = 256;

// Instructions with labels.
class Program {
public:
    Program() { add({Op::li, words, 0, 0x4000}); }
    void add(Word word) { code_.push_back(word); }
    void add(const std::vector<Word>& all) { code_.insert(code_.end(), all.begin(), all.end()); }
    void label(const std::string& name) { labels_[name] = code_.size(); }
    void jump(Op op, unsigned a, unsigned b, const std::string& name) {
        jumps_[code_.size()] = name;
        add({op, a, b});
    }
    // Waits until a word is the number in a register.
    void await(std::int64_t word, unsigned number) {
        const std::string name = "await" + std::to_string(code_.size());
        label(name);
        add({Op::ld64, other, words, word});
        jump(Op::bne, other, number, name);
        add({Op::fence});
    }
    void tell(std::int64_t word, unsigned number) {
        add({Op::fence});
        add({Op::st64, number, words, word});
    }
    std::vector<Word> code() const {
        std::vector<Word> code = code_;
        for (const auto& [at, name] : jumps_)
            code[at].imm = 4 * (static_cast<std::int64_t>(labels_.at(name)) - static_cast<std::int64_t>(at));
        return code;
    }

private:
    std::vector<Word> code_;
    std::map<std::string, std::size_t> labels_;
    std::map<std::size_t, std::string> jumps_;
};

struct Schedule {
    std::uint64_t seed;
    bool threads;
    std::int64_t rounds;
};
// Of seeds and of threads.
std::vector<Schedule> schedules() {
    std::vector<Schedule> all;
    for (unsigned seed = 1; seed <= test::times_effort(3); ++seed) all.push_back({seed, false, 40});
    all.insert(all.end(), test::effort(), {0, true, 125});
    return all;
}

MachineOptions options(const Schedule& run, unsigned harts) {
    return {.memory_bytes = 1 << 20, .harts = harts, .seed = run.seed, .threads = run.threads};
}

// `first` is what hart 0 does in each round and `second` what the others do; r1 is the line of the round, r5 its number,
// from 1 on.
std::vector<Word> in_rounds(std::int64_t count, const Program& setup, void (*first)(Program&),
                            void (*second)(Program&)) {
    Program program = setup;
    program.add({{Op::li, rounds, 0, count}, {Op::li, place, 0, lines / 2}});
    program.add({{Op::add, place, place}, {Op::hart, other}});
    program.jump(Op::bne, other, 0, "others");
    for (auto [name, body] : {std::pair("first", first), std::pair("others", second)}) {
        program.label(name);
        program.add({Op::addi, round_number, round_number, 1});
        body(program);
        program.add({Op::addi, place, place, stride});
        program.jump(Op::bne, round_number, rounds, name);
        program.add({Op::stop});
    }
    return program.code();
}

void run_to_its_end(MappedMachine& machine, const std::vector<Word>& code) {
    const RunResult result = machine.run(code, 1'000'000'000'000);
    ASSERT_EQ(result.reason, StopReason::stopped) << result.message;
}

// Hart 0 loads with a reservation, and stores only when hart 1 has told that it has stored, or only looked.
template <bool stores, int offset>
void reserve(Program& program) {
    program.await(ready, round_number);
    program.add({{Op::ll, value, place}});
    program.tell(linked, round_number);
    program.await(stored, round_number);
    program.add({{Op::sc, value, place}, {Op::add, good, value}});
}
template <bool stores, int offset>
void store_between(Program& program) {
    program.add({{Op::st64, 0, place, offset}, {Op::st64, 0, place, offset}, {Op::ld64, value, place}});
    program.tell(ready, round_number);
    program.await(linked, round_number);
    program.add({stores ? Op::st64 : Op::ld64, 0, place, offset});
    program.tell(stored, round_number);
}

TEST(Races, AStoreBetweenEndsAReservation) {
    for (const Schedule& run : schedules()) {
        const auto stored_conditionally = [&](auto first, auto second) {
            MappedMachine machine("", options(run, 2));
            run_to_its_end(machine, in_rounds(run.rounds, {}, first, second));
            return machine.r(good);
        };
        // The same value again, to the same word or to its neighbour in the line; and nothing at all.
        EXPECT_EQ(stored_conditionally(reserve<true, 0>, store_between<true, 0>), 0u) << run.seed;
        EXPECT_EQ(stored_conditionally(reserve<true, 56>, store_between<true, 56>), 0u) << run.seed;
        EXPECT_EQ(stored_conditionally(reserve<false, 0>, store_between<false, 0>),
                  static_cast<std::uint64_t>(run.rounds))
            << run.seed;
        // Another line is another line.
        EXPECT_EQ(stored_conditionally(reserve<true, 64>, store_between<true, 64>),
                  static_cast<std::uint64_t>(run.rounds))
            << run.seed;
    }
}

// Hart 1 stores numbers into the upper half of a word and looks whether they are still there, while hart 0 counts in the
// lower half of that word: it may never bring back what was there before. Which word it is stands in `current`; hart 1 goes
// on to the next one when hart 0 says in `linked` that it has been there.
template <class Increment>
void count_below(Program& program, Increment increment) {
    const std::string again = "again";
    program.label(again);
    program.add({{Op::ld64, place, words, current}});
    program.jump(Op::beq, place, 0, "none");
    increment(program);
    program.add({{Op::addi, good, good, 1}, {Op::st64, place, words, linked}});
    program.label("none");
    program.add({Op::ld64, value, words, progress});
    program.jump(Op::bne, value, rounds, again);
    program.add({{Op::li, round_number, 0, 0}, {Op::add, round_number, rounds}});
}
void count_linked(Program& program) {
    count_below(program, [](Program& all) {
        all.add({{Op::ll, value, place}, {Op::addi, value, value, 1}, {Op::sc, value, place}});
    });
}
void count_transacting(Program& program) {
    count_below(program, [](Program& all) {
        all.add({{Op::begin}, {Op::ld64, value, place}, {Op::ld64, other, place}});
        all.jump(Op::beq, value, other, "same");
        all.add({Op::addi, bad, bad, 1});
        all.label("same");
        all.add({{Op::addi, value, value, 1}, {Op::st64, value, place}, {Op::end, value}});
    });
}
void count_swapping(Program& program) {
    count_below(program, [](Program& all) {
        all.add({{Op::ld64, other, place}, {Op::li, value, 0, 0}, {Op::add, value, other}, {Op::cas, value, place, 1}});
    });
}
void store_above(Program& program) {
    program.add({{Op::li, 7, 0, 0}, {Op::li, 8, 0, 12}, {Op::st32, 0, place, 4}, {Op::ld32, value, place, 4}});
    program.tell(current, place);
    program.label("store");
    program.add({{Op::addi, 7, 7, 1}, {Op::st32, 7, place, 4}, {Op::ld32, value, place, 4}});
    program.jump(Op::beq, value, 7, "kept");
    program.add({Op::addi, bad, bad, 1});
    program.label("kept");
    program.add({{Op::ld32, value, place, 4}});
    program.jump(Op::beq, value, 7, "still");
    program.add({Op::addi, bad, bad, 1});
    program.label("still");
    program.jump(Op::bltu, 7, 8, "store");
    program.add({Op::ld64, value, words, linked});
    program.jump(Op::bne, value, place, "store");
    program.tell(progress, round_number);
}

TEST(Races, NothingBringsBackWhatAStoreHasReplaced) {
    for (const Schedule& run : schedules())
        for (auto count : {count_linked, count_transacting, count_swapping}) {
            MappedMachine machine(on_abort("r[9] = r[9] + 1"), options(run, 2));
            run_to_its_end(machine, in_rounds(run.rounds, {}, count, store_above));
            EXPECT_EQ(machine.r(bad, 0), 0u) << run.seed;
            EXPECT_EQ(machine.r(bad, 1), 0u) << run.seed;
            EXPECT_GT(machine.r(good, 0), 0u) << run.seed;
        }
}

// Hart 0 counts in two words by transactions; others load them plainly, and never see one count without the other.
void count_both(Program& program) {
    count_below(program, [](Program& all) {
        all.add({{Op::begin}, {Op::ld64, value, place}, {Op::addi, value, value, 1}});
        for (int word = 0; word <= 16; ++word) all.add({Op::st64, value, place, 8 * word});  // takes longer than two
        all.add({Op::end, value});
    });
}
void look_at_both(Program& program) {
    program.add({{Op::li, 7, 0, 0}, {Op::li, 8, 0, 40}, {Op::ld64, value, place}, {Op::ld64, value, place, 128}});
    program.tell(current, place);
    program.label("look");
    program.add({Op::ld64, value, place, 192});  // not watched, in the same page
    program.add({{Op::ld64, value, place}, {Op::ld64, other, place, 128}});
    program.jump(Op::beq, value, other, "ordered");
    program.jump(Op::bltu, value, other, "ordered");
    program.add({Op::addi, bad, bad, 1});
    program.label("ordered");
    program.add({{Op::ld64, value, place, 128}, {Op::ld64, other, place}});
    program.jump(Op::beq, value, other, "both");
    program.jump(Op::bltu, value, other, "both");
    program.add({Op::addi, bad, bad, 1});
    program.label("both");
    program.add({Op::addi, 7, 7, 1});
    program.jump(Op::bltu, 7, 8, "look");
    program.add({Op::ld64, value, words, linked});
    program.jump(Op::bne, value, place, "look");
    program.tell(progress, round_number);
}

TEST(Races, NobodySeesHalfOfATransactionByPlainLoads) {
    for (const Schedule& run : schedules()) {
        MappedMachine machine(on_abort("r[9] = r[9] + 1"), options(run, 2));
        run_to_its_end(machine, in_rounds(run.rounds, {}, count_both, look_at_both));
        EXPECT_EQ(machine.r(bad, 1), 0u) << run.seed;
        EXPECT_GT(machine.r(good, 0), 0u) << run.seed;
    }
}

// Hart 0 writes a function, lets hart 1 call it, and changes it; hart 1 sees the change after a fence. r12, r13: `li r4, 1`
// and `jr r9`.
void write_function(Program& program) {
    program.add({{Op::st32, 12, place}, {Op::st32, 13, place, 4}, {Op::st32, 13, place, 4}});
    program.tell(ready, round_number);
    program.await(linked, round_number);
    program.add({{Op::li, value, 0, 2}, {Op::st16, value, place, 2}});
    program.tell(stored, round_number);
    program.await(progress, round_number);
}
void call_function(Program& program) {
    for (auto [word, answer, text] : {std::tuple(ready, linked, "one"), std::tuple(stored, progress, "two")}) {
        program.await(word, round_number);
        program.add({{Op::call, 9, place}, {Op::li, value, 0, word == ready ? 1 : 2}});
        program.jump(Op::beq, value, 4, text);
        program.add({Op::addi, bad, bad, 1});
        program.label(text);
        program.tell(answer, round_number);
    }
}

TEST(Races, CodeThatAnotherHartChanges) {
    std::vector<std::uint8_t> bytes = code_bytes({{Op::li, 4, 0, 1}, {Op::jr, 9}});
    Program setup;
    for (unsigned i = 0; i < 2; ++i) {
        const std::uint8_t* word = bytes.data() + 4 * i;
        setup.add({{Op::li, 12 + i, 0, word[3] << 8 | word[2]}, {Op::lih, 12 + i, 0, word[1] << 8 | word[0]}});
    }
    for (const Schedule& run : schedules()) {
        MappedMachine machine("", options(run, 2));
        EXPECT_EQ(machine->protect(lines, 0x80000, {true, true, true}, "functions"), "");
        run_to_its_end(machine, in_rounds(run.rounds, setup, write_function, call_function));
        EXPECT_EQ(machine.r(bad, 1), 0u) << run.seed;
        EXPECT_EQ(machine.r(round_number, 1), static_cast<std::uint64_t>(run.rounds));
    }
}

// Everything at once, on lines that are new all the time and over their ends: it ends, and no number gets lost on the way.
TEST(Races, EverybodyWatchesNewLines) {
    constexpr unsigned harts = 4;
    const auto all = [](Program& program) {
        program.add({{Op::hart, 7}, {Op::li, 8, 0, 8}, {Op::mul, 7, 8}, {Op::add, 7, place}});
        // Numbers go around in a ring of lines, forwards by one half of the harts and backwards by the other.
        program.add({{Op::li, 8, 0, 60}, {Op::add, 8, place}, {Op::st64, 0, 8, 4096}, {Op::ld64, value, 8, 4096}});
        program.add({{Op::exchange, place, 7}, {Op::exchange, 7, place}, {Op::ll, value, place, 16}});
        program.add({{Op::addi, value, value, 1}, {Op::sc, value, place, 16}, {Op::aswap, value, 8}});
        program.add({{Op::begin}, {Op::ld64, value, place, 72}, {Op::addi, value, value, 1}});
        program.add({{Op::st64, value, place, 72}, {Op::end, value}});
    };
    for (const Schedule& run : schedules()) {
        MappedMachine machine(on_abort("r[9] = r[9] + 1"), options(run, harts));
        run_to_its_end(machine, in_rounds(run.rounds, {}, all, all));
        for (std::int64_t round = 0; round < run.rounds; ++round)
            ASSERT_EQ(machine.word(static_cast<std::uint64_t>(lines + round * stride + 72)), harts) << round;
    }
}

// One that never touches memory, one that sleeps and one that has ended do not hold up the one that watches new lines.
TEST(Races, WhoDoesSomethingElseIsNotWaitedFor) {
    for (const Schedule& run : schedules()) {
        Program program;
        program.add({{Op::hart, other}, {Op::li, value, 0, 1}, {Op::li, 7, 0, 2}, {Op::li, 8, 0, 3}});
        program.jump(Op::beq, other, value, "spin");
        program.jump(Op::beq, other, 7, "end");
        program.jump(Op::beq, other, 8, "sleep");
        program.add({{Op::li, rounds, 0, run.rounds}, {Op::li, place, 0, 0x4000}});
        program.label("next");
        program.add({{Op::ll, value, place}, {Op::sc, value, place}, {Op::add, good, value}});
        program.add({{Op::addi, place, place, 64}, {Op::addi, round_number, round_number, 1}});
        program.jump(Op::bne, round_number, rounds, "next");
        program.add({Op::host, value, 0, 0});
        program.label("spin");
        program.jump(Op::jmp, 0, 0, "spin");
        program.label("sleep");
        program.add({Op::wait});
        program.label("end");
        program.add({Op::stop});
        MappedMachine machine("", options(run, 4));
        run_to_its_end(machine, program.code());
        EXPECT_EQ(machine.r(good), static_cast<std::uint64_t>(run.rounds));
    }
}

// What a seed gives it gives on every machine, whatever compiled us.
TEST(Races, TheTurnsOfASeedStay) {
    const std::uint64_t expected[4][3] = {
        {3875, 5895, 1960}, {4377, 5929, 1980}, {4621, 5912, 1973}, {3990, 5905, 1969}};
    for (std::uint64_t seed = 0; seed < 4; ++seed) {
        MappedMachine machine("", {.memory_bytes = 1 << 20, .harts = 3, .seed = seed});
        Program program;
        program.add({{Op::li, rounds, 0, 2000}, {Op::li, place, 0, 0x4000}});
        program.label("again");
        program.add({{Op::ld64, value, place}, {Op::addi, value, value, 1}, {Op::st64, value, place}});
        program.add({{Op::ll, value, place, 64}, {Op::addi, value, value, 1}, {Op::sc, value, place, 64}});
        program.add({{Op::add, good, value}, {Op::addi, round_number, round_number, 1}});
        program.jump(Op::bne, round_number, rounds, "again");
        program.add({Op::stop});
        run_to_its_end(machine, program.code());
        EXPECT_EQ(machine.word(0x4000), expected[seed][0]) << seed;
        EXPECT_EQ(machine.word(0x4040), expected[seed][1]) << seed;
        EXPECT_EQ(machine.r(good, 1), expected[seed][2]) << seed;
    }
}

}  // namespace
}  // namespace isaforge
