// The instruction sets that are shipped, on both engines: loops of random statements from random registers. Interpreter and
// compiler have to be in the same state all along; tests/fabrisc and tests/machine compare the interpreter with models.
#include <gtest/gtest.h>

#include <random>

#include "isaforge/assembler.hpp"
#include "isaforge/compare.hpp"
#include "isaforge/sample.hpp"

namespace isaforge {
namespace {

struct Kind {
    const char* isa;
    const char* parameter;      // NAME=VALUE, or empty
    const char* again;          // what leads back to the label `.again`
    std::uint64_t least;        // instructions that are compiled in all
};

class Nowhere : public Streams {
public:
    std::size_t read(std::span<std::uint8_t>) override { return 0; }
    bool ready() override { return true; }
    void write(unsigned, std::span<const std::uint8_t>) override {}
};

class Shipped : public testing::TestWithParam<Kind> {
protected:
    static constexpr std::uint64_t memory_bytes = 1 << 16;
    static constexpr unsigned programs = 12, longest = 14;

    Shipped() {
        LoadOptions options;
        const std::string parameter = GetParam().parameter;
        if (const std::size_t sign = parameter.find('='); sign != std::string::npos)
            options.parameters[parameter.substr(0, sign)] = std::stoull(parameter.substr(sign + 1));
        isa_ = load_isa(GetParam().isa, sources_, diagnostics_, options);
        codec_ = std::make_shared<const Codec>(isa_);
        for (Index form = 0; form < isa_->forms.size(); ++form)
            if (isa_->instruction_of(isa_->forms[form]).meaning) forms_.push_back(form);
    }

    // A statement that does not end the run by itself, from most registers; empty where many tries found none.
    std::string statement(Sampler& sampler, std::mt19937_64& random) {
        Sampled sampled;
        for (unsigned tries = 0; tries < 100; ++tries) {
            if (!sampler.statement(forms_[random() % forms_.size()], 0, sampled)) continue;
            const std::string text = "    " + std::string(sampled.view()) + isa_->surface.statement_end + "\n";
            Object object;
            if (!assembled(".again:\n" + text + GetParam().again, object)) continue;
            if (machine(object, Engine::interpreter, random())(std::make_shared<Nowhere>())->run(60).reason ==
                StopReason::limit)
                return text;
        }
        return {};
    }
    std::string program(Sampler& sampler, std::mt19937_64& random) {
        std::string text = ".again:\n";
        for (unsigned i = 1 + random() % longest; i > 0; --i) text += statement(sampler, random);
        return text + GetParam().again;
    }
    bool assembled(const std::string& text, Object& object) {
        Diagnostics diagnostics;
        return assemble(*codec_, sources_.add("loop.s", text), sources_, {}, object, diagnostics) &&
               !object.sections.empty();
    }

    // The program with registers that a seed says. Addresses that lie in memory are likely. Special registers, of which modes
    // are made, get values from every other seed: with most of them each instruction has events, and nothing is compiled.
    MakeMachine machine(const Object& object, Engine engine, std::uint64_t seed) const {
        return [this, &object, engine, seed](std::shared_ptr<Streams> streams) {
            MachineOptions how{.memory_bytes = memory_bytes, .count_cycles = true};
            how.engine = engine;
            how.streams = std::move(streams);
            auto made = std::make_unique<Machine>(codec_, how);
            made->load_code(object.sections[0].bytes);
            made->start(0);
            made->reset();
            std::mt19937_64 random(seed);
            for (Index file = 0; file < isa_->register_files.size(); ++file)
                for (std::uint64_t number = 0; number < isa_->register_files[file].count; ++number)
                    for (unsigned lane = 0; lane < isa_->register_files[file].lanes; ++lane) {
                        const std::uint64_t value =
                            random() % 3 == 0 ? random() : random() % memory_bytes & ~std::uint64_t{7};
                        const bool is_special = isa_->register_files[file].name == "SPR" && seed % 2 == 0;
                        const bool is_plain = isa_->register_files[file].index_bits != 0 && !is_special;
                        if (is_plain) made->set(file, number, value & low_bits(isa_->register_files[file].bits), lane);
                    }
            return made;
        };
    }

    SourceManager sources_;
    Diagnostics diagnostics_;
    std::shared_ptr<const Isa> isa_;
    std::shared_ptr<const Codec> codec_;
    std::vector<Index> forms_;
};

TEST_P(Shipped, DoesTheSameOnBothEngines) {
    Sampler sampler(*codec_, 5);
    std::mt19937_64 random(7);
    std::uint64_t compiled = 0, executed = 0;
    for (unsigned i = 0; i < programs; ++i) {
        const std::string text = program(sampler, random);
        Object object;
        if (!assembled(text, object)) continue;
        const std::uint64_t seed = random();
        const Comparison found =
            compare_runs(machine(object, Engine::interpreter, seed), machine(object, Engine::compiler, seed),
                         std::make_shared<Nowhere>(), 6000);
        executed += found.result.instructions;
        compiled += found.second->engine_figures().instructions;
        std::string what;
        for (const std::string& line : found.difference.what) what += line + "\n";
        ASSERT_FALSE(found.differs) << text << "\nbehind instruction " << found.difference.instructions << ", at "
                                    << found.difference.address << ":\n"
                                    << what;
    }
    EXPECT_GE(compiled, GetParam().least) << executed << " executed";
}

constexpr const char* fabrisc = "    BLE.32: $P0, $P0, @again;\n";
INSTANTIATE_TEST_SUITE_P(Sets, Shipped,
                         testing::Values(Kind{"fabrisc-2022-03-18", "WLEN=32", fabrisc, 3},
                                         Kind{"fabrisc-2022-05-02", "WLEN=64", fabrisc, 3},
                                         Kind{"fabrisc-2022-05-15", "WLEN=32", fabrisc, 3},
                                         Kind{"fabrisc-2022-05-15", "WLEN=64", fabrisc, 3},
                                         Kind{"wishbone-gpu", "", "    jump .again;\n    nop;\n    nop;\n", 0},
                                         Kind{"mos6502", "", "    jmp .again\n", 3},
                                         Kind{"msp430", "", "    jmp .again\n", 3},
                                         Kind{"rv64gc", "", "    bnez a0, .again\n", 3},
                                         Kind{"rv32gc", "", "    bnez a0, .again\n", 3},
                                         Kind{"bpf", "", "    goto .again\n", 3}));

}  // namespace
}  // namespace isaforge
