// The streams of the process: output that does not go to a terminal is collected until it is much, input is asked for, or the
// run ends; and machines say when a run ends.
#include <gtest/gtest.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>

#include "semantics/bench_machine.hpp"

namespace isaforge {
namespace {

std::vector<std::uint8_t> bytes(std::size_t count) { return std::vector<std::uint8_t>(count, 'x'); }

// What a process of its own, whose standard output is a pipe, finds there after each step.
std::vector<int> seen_after(void (*steps)(Streams&, const std::function<void()>&)) {
    std::fflush(stdout);
    int output[2], told[2];
    EXPECT_EQ(pipe(output), 0);
    EXPECT_EQ(pipe(told), 0);
    const pid_t child = fork();
    if (child == 0) {
        dup2(output[1], STDOUT_FILENO);
        const std::shared_ptr<Streams> streams = standard_streams();
        steps(*streams, [&] {
            int there = 0;
            if (ioctl(output[0], FIONREAD, &there) != 0 || write(told[1], &there, sizeof there) < 0) _exit(1);
        });
        _exit(0);
    }
    close(told[1]);
    std::vector<int> seen;
    for (int there = 0; read(told[0], &there, sizeof there) == sizeof there;) seen.push_back(there);
    for (const int end : {output[0], output[1], told[0]}) close(end);
    int status = 1;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
    return seen;
}

TEST(StandardStreams, CollectOutputUntilInputIsAskedFor) {
    EXPECT_EQ(seen_after([](Streams& streams, const std::function<void()>& look) {
                  streams.write(1, bytes(3));
                  streams.write(1, bytes(4));
                  look();
                  streams.ready();
                  look();
                  streams.write(1, bytes(5));
                  look();
                  streams.flush();
                  look();
              }),
              (std::vector<int>{0, 7, 7, 12}));
}

TEST(StandardStreams, CollectOutputBeforeErrors) {
    EXPECT_EQ(seen_after([](Streams& streams, const std::function<void()>& look) {
                  streams.write(1, bytes(3));
                  look();
                  streams.write(2, {});  // so that both come in order where they go to one place
                  look();
              }),
              (std::vector<int>{0, 3}));
}

TEST(StandardStreams, CollectNoMoreThanIsMuch) {
    const std::vector<int> seen = seen_after([](Streams& streams, const std::function<void()>& look) {
        for (unsigned i = 0; i < 3000; ++i) streams.write(1, bytes(10));
        look();
        streams.flush();
        look();
    });
    ASSERT_EQ(seen.size(), 2u);
    EXPECT_GT(seen[0], 0);
    EXPECT_LE(seen[0], 30000);
    EXPECT_EQ(seen[1], 30000);
}

class Noted : public Streams {
public:
    std::size_t read(std::span<std::uint8_t>) override { return 0; }
    bool ready() override { return true; }
    void write(unsigned, std::span<const std::uint8_t> bytes) override { what += std::to_string(bytes.size()) + " "; }
    void flush() override { what += "flush "; }

    std::string what;
};

TEST(StandardStreams, AreFlushedWhereARunEnds) {
    const auto noted = std::make_shared<Noted>();
    MachineOptions options{.memory_bytes = 4096};
    options.streams = noted;
    BenchMachine bench("registers r : 1 of u64 \"r{n}\"\nmemory mem : u8 little\n",
                       {"r[0] = host(2, 1, 0, 5)", "r[1] = host(2, 1, 0, 6)", "stop()"}, "", options);
    ASSERT_TRUE(bench);
    EXPECT_EQ(bench.machine().run(2).reason, StopReason::limit);
    EXPECT_EQ(noted->what, "5 6 flush ");
    EXPECT_EQ(bench.machine().run().reason, StopReason::stopped);
    EXPECT_EQ(noted->what, "5 6 flush flush ");
}

}  // namespace
}  // namespace isaforge
