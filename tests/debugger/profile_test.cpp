// Profiles against the reference machine, which is stepped and counted here.
#include "debugger/profile.hpp"

#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>

#include "debugger/program.hpp"

namespace isaforge::debugger {
namespace {

struct Counts {
    std::map<std::uint64_t, std::uint64_t> executed, jumps;
    std::map<std::pair<std::uint64_t, std::uint64_t>, std::uint64_t> steps;  // from one address to the one behind it
};

Counts count(wishbone_reference::Machine reference) {
    Counts counts;
    while (!reference.stopped) {
        const std::uint32_t pc = reference.pc, usual = reference.next_pc + 1;
        reference.step();
        if (!reference.error.empty()) break;
        ++counts.executed[pc];
        if (reference.next_pc != usual && !reference.stopped) ++counts.jumps[pc];
        if (reference.pc == pc + 1 && !reference.stopped) ++counts.steps[{pc, pc + 1}];
    }
    return counts;
}

class Profiles : public testing::TestWithParam<const char*> {};

TEST_P(Profiles, CountAsTheReferenceDoes) {
    Loaded loaded = example(GetParam());
    wishbone_reference::Machine reference = loaded.reference();
    const Counts counts = count(std::move(reference));
    MachineOptions how;
    how.memory_bytes = memory_bytes;
    how.count_instructions = true;
    Machine machine(loaded.codec, how);
    machine.load_code(loaded.code);
    machine.set_pc(0);
    ASSERT_TRUE(machine.run().ok());
    const Profile profile = make_profile(machine, loaded.map);

    std::uint64_t total = 0, pairs = 0, steps = 0;
    for (const Profile::Instruction& each : profile.instructions) {
        auto at = [&](const auto& map) { return map.contains(each.address) ? map.at(each.address) : 0; };
        EXPECT_EQ(each.executed, at(counts.executed)) << each.address;
        EXPECT_EQ(each.jumps.value_or(0), at(counts.jumps)) << each.address << " " << each.text;
        EXPECT_EQ(each.bytes, 4u);
        total += each.executed;
    }
    EXPECT_EQ(total, machine.instructions());
    EXPECT_EQ(profile.all.executed, total);
    EXPECT_EQ(profile.all.fetched, 4 * total);
    EXPECT_EQ(profile.all.bytes, loaded.code.size());
    for (const auto* groups : {&profile.mnemonics, &profile.formats, &profile.lengths}) {
        Profile::Group sum;
        for (const Profile::Group& each : *groups) sum.executed += each.executed, sum.bytes += each.bytes;
        EXPECT_EQ(sum.executed, total);
        EXPECT_EQ(sum.bytes, loaded.code.size());
    }
    for (const Profile::Pair& each : profile.pairs) pairs += each.executed;
    for (const auto& [addresses, times] : counts.steps) steps += times;
    EXPECT_GE(pairs, steps);
    EXPECT_LE(pairs, steps + 1);  // the very last instruction was not followed by the one behind it

    const auto json = nlohmann::json::parse(to_json(profile));
    EXPECT_EQ(json["executed"], total);
    EXPECT_EQ(json["instructions"].size(), profile.instructions.size());
    EXPECT_EQ(json["lengths"][0]["name"], "4");
    EXPECT_TRUE(to_text(profile).starts_with(std::to_string(total) + " instructions executed, "));
}

INSTANTIATE_TEST_SUITE_P(Examples, Profiles, testing::Values("calls.s", "fib.s", "reverse.s", "sqrt.s"));

}  // namespace
}  // namespace isaforge::debugger
