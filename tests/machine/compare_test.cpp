// Two machines side by side: the first difference is found, wherever it is, and named.
#include "isaforge/compare.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace isaforge {
namespace {

constexpr const char* description = R"(isa pair "pair"
code unit 16 little
registers r : 3 of u16 "r{n}"
memory data : u8 little

format I | OP:4 | D:r | -:1 | K:s8 |

instructions I [OP] "{name} {D}, {K}" {
    0  add   D = D + u16(K)
    1  jnz   if D != 0 { pc = pc + 2 * u32(K) }
    2  out   host(1, 1, 0, 0)
    3  end   stop()
    4  put   data[u32(D)] = u8(K)
}
)";

// A loop that counts r1 down to 0 and r2 up, and then writes a byte.
class Runs : public testing::Test {
protected:
    static std::uint16_t word(unsigned op, unsigned d, int k) {
        return static_cast<std::uint16_t>(op << 12 | d << 9 | (static_cast<unsigned>(k) & 0xff));
    }
    MakeMachine machine(std::vector<std::uint16_t> words, std::uint16_t r1) {
        return [this, words, r1](std::shared_ptr<Streams> streams) {
            MachineOptions how{.memory_bytes = 4096};
            how.streams = std::move(streams);
            auto made = std::make_unique<Machine>(codec_, how);
            std::vector<std::uint8_t> bytes;
            for (const std::uint16_t each : words) {
                bytes.push_back(static_cast<std::uint8_t>(each));
                bytes.push_back(static_cast<std::uint8_t>(each >> 8));
            }
            made->load_code(bytes);
            made->start(0);
            made->reset();
            made->set(0, 1, r1);
            return made;
        };
    }
    Comparison compared(const std::vector<std::uint16_t>& one, const std::vector<std::uint16_t>& other,
                        std::uint16_t r1, std::uint64_t limit = 0) {
        return compare_runs(machine(one, r1), machine(other, r1), standard_streams(), limit);
    }
    // The loop with one of its words replaced.
    std::vector<std::uint16_t> loop_with(std::size_t number, std::uint16_t word) const {
        auto words = loop_;
        words[number] = word;
        return words;
    }

    SourceManager sources_;
    Diagnostics diagnostics_;
    std::shared_ptr<const Codec> codec_ =
        std::make_shared<const Codec>(load_isa_text("pair.isa", description, sources_, diagnostics_));
    const std::vector<std::uint16_t> loop_ = {word(0, 2, 1), word(0, 1, -1), word(1, 1, -2), word(4, 3, 7),
                                              word(3, 0, 0)};
};

TEST_F(Runs, AreEqual) {
    const Comparison found = compared(loop_, loop_, 50000);
    EXPECT_FALSE(found.differs);
    EXPECT_EQ(found.result.reason, StopReason::stopped);
    EXPECT_EQ(found.result.instructions, 150002u);
    EXPECT_EQ(found.second->get(0, 2), 50000u);
}

TEST_F(Runs, DifferInARegisterFromTheFirstInstructionOn) {
    const Comparison found = compared(loop_, loop_with(0, word(0, 2, 2)), 50000);
    ASSERT_TRUE(found.differs);
    EXPECT_EQ(found.difference.instructions, 1u);
    EXPECT_EQ(found.difference.address, 0u);
    EXPECT_THAT(found.difference.what, testing::ElementsAre("r2: 0001 and 0002"));
}

TEST_F(Runs, DifferWhereOneEndsItsLoop) {
    EXPECT_FALSE(compared(loop_, loop_, 40000).differs);
    const Comparison late = compared(loop_, loop_with(4, word(0, 5, 1)), 40000);  // goes on where the first one ends
    ASSERT_TRUE(late.differs);
    EXPECT_EQ(late.difference.instructions, 120002u);
    EXPECT_EQ(late.difference.address, 8u);
    EXPECT_THAT(late.difference.what, testing::Contains("r5: 0000 and 0001"));
}

TEST_F(Runs, DifferInMemoryAlone) {
    const Comparison found = compared(loop_, loop_with(3, word(4, 3, 8)), 40000);
    ASSERT_TRUE(found.differs);
    EXPECT_EQ(found.difference.instructions, 120001u);
    EXPECT_THAT(found.difference.what, testing::ElementsAre("byte 0x0 of data: 07 and 08"));
}

TEST_F(Runs, EndAtALimit) {
    const Comparison found = compared(loop_, loop_, 0, 12345);
    EXPECT_FALSE(found.differs);
    EXPECT_EQ(found.result.instructions, 12345u);
    EXPECT_EQ(found.result.reason, StopReason::limit);
}

}  // namespace
}  // namespace isaforge
