// Events, devices and host calls: what happens between a program's instructions.
#include "mapped/mapped_machine.hpp"

namespace isaforge {
namespace {

// Every event goes to 0x100 * its number, with what it was in two registers and the mode in bit 0 of `control`.
const char* const events = R"(
function enter(number, value) { cause = number << 56 | value & 0xffffffffffffff
    from = pc
    control = 1
    pc = u64(0x100) * number }
on illegal { enter(u64(1), u64(0)) }
on misaligned_code(address) { enter(u64(2), u64(address)) }
on bad_execute(address) { enter(u64(3), u64(address)) }
on bad_read(address) { enter(u64(4), u64(address)) }
on bad_write(address) { enter(u64(5), u64(address)) }
on misaligned(address) { enter(u64(6), u64(address)) }
on interrupt(line) when level == 0 { enter(u64(7), u64(line)) }
on transaction_event { enter(u64(8), u64(6)) }
on reset { r[15] = host(4, 0, 0, 0) - u64(hart()) * 0x1000 }
)";

// Handlers that put what they were told into r10 and r11 and stop.
void load_stopping_handlers(MappedMachine& machine) {
    for (std::uint64_t number = 1; number <= 8; ++number)
        machine.load(number * 0x100, {{Op::get_cause, 10}, {Op::get_from, 11}, {Op::stop}});
}

TEST(Events, FaultsGoToTheirHandlers) {
    struct Case {
        std::vector<Word> words;
        std::uint64_t cause, from;
    };
    const Case cases[] = {
        {{{Op::li, 1}, {Op{99}}}, 1ull << 56, 0x1004},
        {{{Op::li, 1, 0, 0x2001}, {Op::jr, 1}}, 2ull << 56 | 0x2001, 0x2001},
        {{{Op::li, 1, 0, 0x2000}, {Op::jr, 1}}, 3ull << 56 | 0x2000, 0x2000},
        {{{Op::li, 1, 0, -8}, {Op::ld64, 2, 1}}, 4ull << 56 | 0xfffffffffffff8, 0x1004},
        {{{Op::li, 1, 0, 0x1000}, {Op::st8, 2, 1, 3}}, 5ull << 56 | 0x1003, 0x1004},
        {{{Op::li, 1, 0, 0x4001}, {Op::ld32, 2, 1}}, 6ull << 56 | 0x4001, 0x1004},
    };
    for (const Case& each : cases) {
        MappedMachine machine(events, {.memory_bytes = 1 << 20, .require_alignment = true});
        load_stopping_handlers(machine);
        const RunResult result = machine.run(each.words);
        EXPECT_EQ(result.reason, StopReason::stopped) << result.message;
        EXPECT_EQ(machine.r(10), each.cause);
        EXPECT_EQ(machine.r(11), each.from);
        EXPECT_EQ(machine.r(15), 1u << 20);
        EXPECT_EQ(result.instructions,
                  each.words.size() + 2 + (each.cause >> 56 == 2 || each.cause >> 56 == 3 ? 1 : 0));
    }
}

TEST(Events, AProgramRecovers) {
    // A handler that mends the address and goes back: the load is done again.
    MappedMachine machine(events);
    machine.load(0x400, {{Op::addi, 5, 5, 1}, {Op::li, 1, 0, 0x4000}, {Op::go_back}});
    machine->load_data(0, 0x4000, code_bytes({{Op::li, 1, 2, 3}}));
    std::vector<Word> words{{Op::li, 6, 0, 100}, {Op::li, 1, 0, -8},   {Op::ld32, 2, 1},
                            {Op::addi, 7, 7, 1}, {Op::bne, 7, 6, -12}, {Op::stop}};
    RunResult result = machine.run(words);
    EXPECT_EQ(result.reason, StopReason::stopped) << result.message;
    EXPECT_EQ(machine.r(5), 100u);
    EXPECT_EQ(machine.r(2), 0x30112u);
    EXPECT_EQ(result.instructions, 1u + 100 * 7 + 1);
    // The same step by step.
    machine->start(0x1000);
    std::uint64_t steps = 0;
    while (machine->step().reason == StopReason::running && steps < 2000) ++steps;
    EXPECT_EQ(machine.r(5), 100u);
    EXPECT_EQ(machine->instructions(), result.instructions);
}

TEST(Events, WithoutEndAreEnded) {
    MappedMachine machine(events);   // nothing lies at 0x300: the event happens at its own handler
    RunResult result = machine.run({{Op::li, 1, 0, 0x2000}, {Op::jr, 1}});
    EXPECT_EQ(result.reason, StopReason::event_loop);
    EXPECT_EQ(result.message,
              "more than 64 events without an instruction between them at 0x300, the last one `bad_execute`");
    MappedMachine failing("on bad_read(address) { fail(\"nobody handles reads\", address) }\n");
    result = failing.run({{Op::li, 1, 0, -8}, {Op::ld64, 2, 1}});
    EXPECT_EQ(result.reason, StopReason::failed);
    EXPECT_EQ(
        result.message,
        "nobody handles reads: 0xfffffffffffffff8, at 0x1004 `op8 r2, r1, 0`, event `bad_read`: read of 64 bits at "
        "address 0xfffffffffffffff8, nothing is mapped there");
    MappedMachine faulty("on bad_read(address) { r[3] = mem.u64[address] }\n");
    result = faulty.run({{Op::li, 1, 0, -8}, {Op::ld64, 2, 1}});
    EXPECT_EQ(result.reason, StopReason::bad_read);
    EXPECT_EQ(result.address, 0x1004u);
    MappedMachine stubborn("on bad_read(address) { r[3] = address }\n");   // the load is tried again and again
    EXPECT_EQ(stubborn.run({{Op::li, 1, 0, -8}, {Op::ld64, 2, 1}}).reason, StopReason::event_loop);
}

constexpr std::uint64_t device_address = 0x80000000;

std::vector<Word> with_device(std::vector<Word> words, unsigned a = 1) {
    std::vector<Word> all;
    load_number(all, a, device_address);
    all.insert(all.end(), words.begin(), words.end());
    return all;
}

TEST(Devices, ConsoleWritesAndReads) {
    MappedMachine machine;
    EXPECT_EQ(machine->add_device("console", device_address), "");
    EXPECT_EQ(machine->add_device("typewriter", 0), "there is no device 'typewriter': console, timer and doorbell are");
    EXPECT_EQ(machine->add_device("console", 4), "a device stands at a multiple of 8");
    machine.streams->input = "hi";
    // Copies what is there, then stops.
    const RunResult result = machine.run(with_device({{Op::li, 6, 0, 3},
                                                      {Op::ld8, 2, 1, 8},
                                                      {Op::bne, 2, 6, 16},
                                                      {Op::ld8, 3, 1},
                                                      {Op::st8, 3, 1},
                                                      {Op::jmp, 0, 0, -16},
                                                      {Op::ld32, 4, 1},
                                                      {Op::stop}}));
    EXPECT_EQ(result.reason, StopReason::stopped) << result.message;
    EXPECT_EQ(machine.streams->output, "hi");
    EXPECT_EQ(machine.r(2), 6u);  // none will come any more
    EXPECT_EQ(machine.r(4), 0xffffffffu);
}

TEST(Devices, ConsoleMayHaveInputLater) {
    MappedMachine machine;
    EXPECT_EQ(machine->add_device("console", device_address), "");
    machine.streams->is_ready = false;
    const RunResult result = machine.run(with_device({{Op::ld8, 2, 1, 8}, {Op::ld32, 4, 1}, {Op::stop}}));
    EXPECT_EQ(result.reason, StopReason::stopped) << result.message;
    EXPECT_EQ(machine.r(2), 2u);
    EXPECT_EQ(machine.r(4), 0xffffffffu);
}

TEST(Devices, RegistersInParts) {
    MappedMachine machine;
    EXPECT_EQ(machine->add_device("timer", device_address), "");
    std::vector<Word> words;
    load_number(words, 2, 0x1122334455667788);
    words.push_back({Op::st64, 2, 1, 8});
    words.push_back({Op::ld32, 3, 1, 12});
    words.push_back({Op::ld16, 4, 1, 9});
    words.push_back({Op::ld8, 5, 1, 15});
    words.push_back({Op::li, 6, 0, 0xab});
    words.push_back({Op::st8, 6, 1, 10});
    words.push_back({Op::st16, 6, 1, 14});
    words.push_back({Op::ld64, 7, 1, 8});
    words.push_back({Op::ld64, 8, 1, 4});   // across two registers: the time's high half is 0
    words.push_back({Op::stop});
    EXPECT_EQ(machine.run(with_device(words)).reason, StopReason::stopped);
    EXPECT_EQ(machine.r(3), 0x11223344u);
    EXPECT_EQ(machine.r(4), 0x6677u);
    EXPECT_EQ(machine.r(5), 0x11u);
    EXPECT_EQ(machine.r(7), 0x00ab334455ab7788u);
    EXPECT_EQ(machine.r(8), 0x55ab778800000000u);
    // Beyond its end, and from storage into it.
    EXPECT_EQ(machine.run(with_device({{Op::ld64, 2, 1, 9}, {Op::stop}})).reason, StopReason::bad_read);
    EXPECT_EQ(machine.run(with_device({{Op::ld64, 2, 1, -4}, {Op::stop}})).reason, StopReason::bad_read);
    EXPECT_EQ(machine.run(with_device({{Op::jr, 1}})).reason, StopReason::bad_execute);
}

TEST(Devices, TheTimerInterruptsInTime) {
    // The handler sets the next time and counts; the program counts in a loop until there were ten.
    for (std::int64_t period : {20, 100, 5000}) {
        MappedMachine machine(events);
        EXPECT_EQ(machine->add_device("timer", device_address), "");
        machine.load(0x700, {{Op::get_cause, 10},
                             {Op::now, 12},
                             {Op::addi, 12, 12, period},
                             {Op::st64, 12, 1, 8},
                             {Op::addi, 5, 5, 1},
                             {Op::go_back}});
        const RunResult result = machine.run(with_device({{Op::li, 6, 0, 10},
                                                          {Op::now, 2},
                                                          {Op::addi, 2, 2, period},
                                                          {Op::st64, 2, 1, 8},
                                                          {Op::addi, 7, 7, 1},
                                                          {Op::bne, 5, 6, -4},
                                                          {Op::stop}}),
                                             1000000);
        EXPECT_EQ(result.reason, StopReason::stopped) << result.message;
        EXPECT_EQ(machine.r(10), 7ull << 56 | 1);
        EXPECT_EQ(machine.r(5), 10u);
        // Each period has the handler's instructions and those of the loop in it.
        const std::uint64_t least = 10 * static_cast<std::uint64_t>(period);
        EXPECT_GE(result.instructions, least);
        EXPECT_LE(result.instructions, least + 10 * 10 + 20);
    }
}

TEST(Devices, AMaskedInterruptWaitsForTheMode) {
    MappedMachine machine(events);
    EXPECT_EQ(machine->add_device("timer", device_address), "");
    load_stopping_handlers(machine);
    // The line is up from the start; the mode lets it through after 5000 rounds, and it comes before the next instruction.
    const RunResult result = machine.run(with_device({{Op::li, 2, 0, 1},
                                                      {Op::control, 2},
                                                      {Op::st64, 3, 1, 8},
                                                      {Op::li, 6, 0, 5000},
                                                      {Op::addi, 7, 7, 1},
                                                      {Op::bne, 7, 6, -4},
                                                      {Op::control, 3},
                                                      {Op::li, 8, 0, 8},
                                                      {Op::stop}}));
    EXPECT_EQ(result.reason, StopReason::stopped);
    EXPECT_EQ(machine.r(7), 5000u);
    EXPECT_EQ(machine.r(8), 0u);
    EXPECT_EQ(machine.r(11), 0x1000u + 4 * 11);
}

TEST(Devices, WaitingPassesTime) {
    MappedMachine machine(events);
    EXPECT_EQ(machine->add_device("timer", device_address), "");
    load_stopping_handlers(machine);
    std::vector<Word> words;
    load_number(words, 2, 3'000'000'000);
    words.insert(words.end(), {{Op::st64, 2, 1, 8}, {Op::wait}, {Op::li, 8, 0, 8}, {Op::stop}});
    RunResult result = machine.run(with_device(words));
    EXPECT_EQ(result.reason, StopReason::stopped) << result.message;
    EXPECT_EQ(machine.r(10), 7ull << 56 | 1);
    EXPECT_EQ(machine.r(8), 0u);
    EXPECT_LT(result.instructions, 20u);
    result = machine.run({{Op::wait}, {Op::stop}}, 100, 0x2000);
    EXPECT_EQ(result.reason, StopReason::waiting);
    EXPECT_EQ(result.message, "nothing will end the waiting before 0x2004 `op0 r0, r0, 0`");
}

TEST(Host, ReadsWritesAndEnds) {
    MappedMachine machine;
    machine.streams->input = "some input";
    const RunResult result = machine.run({{Op::li, 2, 0, 0x4000},
                                          {Op::li, 3, 0, 4},
                                          {Op::host, 4, 0, 1},      // four bytes
                                          {Op::li, 3, 0, 100},
                                          {Op::li, 2, 0, 0x4004},
                                          {Op::host, 5, 0, 1},      // the rest
                                          {Op::host, 6, 0, 1},      // the end
                                          {Op::li, 1, 0, 1},
                                          {Op::li, 2, 0, 0x4000},
                                          {Op::add, 3, 0},
                                          {Op::li, 3, 0, 10},
                                          {Op::host, 7, 0, 2},
                                          {Op::li, 1, 0, 2},
                                          {Op::li, 3, 0, 3},
                                          {Op::host, 8, 0, 2},
                                          {Op::li, 1, 0, 42},
                                          {Op::host, 9, 0, 0},
                                          {Op::li, 10, 0, 1}});
    EXPECT_EQ(result.reason, StopReason::stopped) << result.message;
    EXPECT_EQ(result.exit_status, 42);
    EXPECT_EQ(machine.r(4), 4u);
    EXPECT_EQ(machine.r(5), 6u);
    EXPECT_EQ(machine.r(6), 0u);
    EXPECT_EQ(machine.r(7), 10u);
    EXPECT_EQ(machine.r(8), 3u);
    EXPECT_EQ(machine.r(10), 0u);
    EXPECT_EQ(machine.streams->output, "some input");
    EXPECT_EQ(machine.streams->errors, "som");
}

TEST(Host, BadBuffersAndFilesAreRefused) {
    struct {
        std::uint64_t file, address, length;
        std::int64_t call, result;
    } cases[] = {
        {1, 0x4000, 0, 2, 0},
        {3, 0x4000, 4, 2, -1},
        {1, 0xffffc, 4, 2, 4},
        {1, 0xffffd, 4, 2, -1},
        {1, ~0ull - 3, 8, 2, -1},
        {0, 0x4000, 4, 1, 4},
        {1, 0x4000, 4, 1, -1},
        {0, 0x1000, 4, 1, -1},
        {0, 0xffffe, 4, 1, -1},
        {0, 0x4000, ~0ull, 1, 20},
        {1, 0x4000, ~0ull, 2, 65536 * 11},
        {0, 0, 0, 77, -1},
        {0, 0, 0, 4, 1 << 20},
    };
    for (const auto& each : cases) {
        MappedMachine machine;
        machine.streams->input = "twenty characters ok";
        std::vector<Word> words;
        load_number(words, 1, each.file);
        load_number(words, 2, each.address);
        load_number(words, 3, each.length);
        words.push_back({Op::host, 4, 0, each.call});
        words.push_back({Op::stop});
        EXPECT_EQ(machine.run(words).reason, StopReason::stopped);
        if (each.result == 65536 * 11) {   // up to the end of the storage, in parts
            EXPECT_EQ(machine.r(4) % 65536, 0u);
            EXPECT_EQ(machine.streams->output.size(), machine.r(4));
        } else {
            EXPECT_EQ(static_cast<std::int64_t>(machine.r(4)), each.result) << each.file << " " << each.address;
        }
    }
}

TEST(Counters, CountWhatWasExecuted) {
    MappedMachine machine(events);
    machine.load(0x400, {{Op::li, 1, 0, 0x4000}, {Op::go_back}});
    EXPECT_EQ(machine
                  .run({{Op::li, 1, 0, 0x4000},
                        {Op::ld8, 2, 1},
                        {Op::ld64, 2, 1},
                        {Op::st8, 2, 1},
                        {Op::gather, 0, 1, 4},
                        {Op::li, 1, 0, -8},
                        {Op::ld64, 2, 1},
                        {Op::executed, 3},
                        {Op::stop}})
                  .reason,
              StopReason::stopped);
    EXPECT_EQ(machine.r(3) & 0xffff, 1u);
    EXPECT_EQ(machine.r(3) >> 16 & 0xffff, 1u);
    EXPECT_EQ(machine.r(3) >> 32, 7u);   // one that was refused is done again and counts once
}

TEST(Machine, ManyModesAndManyEvents) {
    // More combinations of modes than translations are kept for, and interrupts at more places than events are.
    MappedMachine modes("mode many : u8 = control[9:2]\n");
    RunResult result = modes.run({{Op::li, 6, 0, 1000},
                                  {Op::control, 2},
                                  {Op::addi, 2, 2, 4},
                                  {Op::add, 7, 5},
                                  {Op::addi, 5, 5, 1},
                                  {Op::bne, 5, 6, -16},
                                  {Op::stop}});
    EXPECT_EQ(result.reason, StopReason::stopped) << result.message;
    EXPECT_EQ(modes.r(7), 1000u * 999 / 2);
    MappedMachine machine(events);
    EXPECT_EQ(machine->add_device("timer", device_address), "");
    machine.load(0x700,
                 {{Op::now, 12}, {Op::addi, 12, 12, 13}, {Op::st64, 12, 1, 8}, {Op::addi, 5, 5, 1}, {Op::go_back}});
    std::vector<Word> words;
    for (unsigned i = 0; i < 9000; ++i) words.push_back({Op::addi, 7, 7, 1});
    words.push_back({Op::stop});
    words.insert(words.begin(), {Op::st64, 0, 1, 8});
    result = machine.run(with_device(words), 1000000, 0x10000);
    EXPECT_EQ(result.reason, StopReason::stopped) << result.message;
    EXPECT_EQ(machine.r(7), 9000u);
    EXPECT_GT(machine.r(5), 800u);
}

TEST(Machine, BeginsAgain) {
    MappedMachine machine(events);
    const std::vector<Word> words{{Op::addi, 1, 1, 1}, {Op::li, 2, 0, 0x4000}, {Op::ld64, 3, 2},
                                  {Op::add, 3, 1},     {Op::st64, 3, 2},       {Op::stop}};
    EXPECT_EQ(machine.run(words).reason, StopReason::stopped);
    machine->reset();
    EXPECT_EQ(machine->pc(), 0x1000u);
    EXPECT_EQ(machine.r(1), 0u);
    EXPECT_EQ(machine.r(15), 1u << 20);
    EXPECT_EQ(machine->instructions(), 0u);
    EXPECT_EQ(machine->run(100).reason, StopReason::stopped);
    EXPECT_EQ(machine.word(0x4000), 2u);   // memory is kept
}

}  // namespace
}  // namespace isaforge
