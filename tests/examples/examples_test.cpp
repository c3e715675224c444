// The example programs, assembled and run by Isaforge, interpreted and compiled, and by the reference machine: registers and
// the whole memory agree at the end, and each program comes back from the disassembler byte for byte.
#include <gtest/gtest.h>

#include <cstring>

#include "isaforge/assembler.hpp"
#include "isaforge/disassembler.hpp"
#include "isaforge/machine.hpp"
#include "reference/wishbone_gpu.hpp"

namespace isaforge {
namespace {

constexpr std::size_t memory_bytes = 1 << 20;
const std::string folder = ISAFORGE_SOURCE_DIR "/examples/wishbone-gpu/";

std::shared_ptr<const Codec> codec() {
    SourceManager sources;
    Diagnostics diagnostics;
    auto isa = load_isa("wishbone-gpu", sources, diagnostics);
    EXPECT_TRUE(isa) << to_text(diagnostics, sources);
    return std::make_shared<const Codec>(isa);
}

std::vector<std::uint8_t> code_of(const Codec& codec, SourceManager& sources, FileId file) {
    Diagnostics diagnostics;
    Object object;
    AssembleOptions options;
    options.flat = true;
    EXPECT_TRUE(assemble(codec, file, sources, options, object, diagnostics)) << to_text(diagnostics, sources);
    for (const Section& section : object.sections) {
        if (section.executable) return section.bytes;
    }
    return {};
}

class Example : public testing::TestWithParam<const char*> {
protected:
    void SetUp() override {
        std::string error;
        const auto file = sources_.load(folder + GetParam() + ".s", error);
        ASSERT_TRUE(file) << error;
        codec_ = codec();
        code_ = code_of(*codec_, sources_, *file);
        ASSERT_FALSE(code_.empty());
    }

    SourceManager sources_;
    std::shared_ptr<const Codec> codec_;
    std::vector<std::uint8_t> code_;
};

TEST_P(Example, RunsAsOnTheReferenceMachine) {
    std::vector<std::uint32_t> words(code_.size() / 4);
    std::memcpy(words.data(), code_.data(), code_.size());
    wishbone_reference::Machine reference(words, memory_bytes);
    ASSERT_TRUE(reference.run(100'000'000)) << reference.error;

    for (const Engine engine : {Engine::interpreter, Engine::compiler}) {
        MachineOptions options;
        options.memory_bytes = memory_bytes;
        options.engine = engine;
        Machine machine(codec_, options);
        machine.load_code(code_);
        const RunResult result = machine.run(100'000'000);
        ASSERT_EQ(result.reason, StopReason::stopped) << result.message;

        EXPECT_EQ(result.instructions, reference.steps);
        Index file = 0;
        std::uint64_t number = 0;
        for (unsigned i = 0; i < 32; ++i) {
            ASSERT_TRUE(machine.find_register("r" + std::to_string(i), file, number));
            EXPECT_EQ(machine.get(file, number), reference.registers[i]) << "r" << i;
        }
        const auto memory = machine.memory(0);
        EXPECT_TRUE(std::equal(reference.memory.begin(), reference.memory.end(), memory.begin()));
        const EngineFigures figures = machine.engine_figures();
        EXPECT_EQ(figures.problem, "");
        if (engine == Engine::interpreter || reference.steps > 1000) {
            EXPECT_EQ(figures.instructions > 0, engine == Engine::compiler);
        }
    }
}

TEST_P(Example, ComesBackFromTheDisassembler) {
    Object object = read_binary(code_, codec_->isa());
    const std::string text = disassemble(*codec_, object, {});
    EXPECT_EQ(code_of(*codec_, sources_, sources_.add("back.s", text)), code_);
}

INSTANTIATE_TEST_SUITE_P(WishboneGpu, Example,
                         testing::Values("hello", "fib", "sqrt", "reverse", "calls", "mandelbrot"),
                         [](const auto& one) { return std::string(one.param); });

}  // namespace
}  // namespace isaforge
