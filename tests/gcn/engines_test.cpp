// Programs of random instructions, interpreted and compiled: after each pass through one all registers are the same, whatever
// numbers, masks and modes they began with, and both stop for the same reason.
#include "execution_bench.hpp"

namespace isaforge::test {
namespace {

class Twins {
public:
    explicit Twins(const std::string& name)
        : bench_(name, Engine::interpreter), codec_(std::make_shared<const Codec>(isa_of(name))) {
        for (const Engine engine : {Engine::interpreter, Engine::compiler}) {
            MachineOptions options;
            options.memory_bytes = 1 << 16;
            options.engine = engine;
            machines_.push_back(std::make_unique<Machine>(codec_, options));
        }
        const Isa& isa = codec_->isa();
        for (Index i = 0; i < isa.forms.size(); ++i)
            if (is_computing(isa.instruction_of(isa.forms[i]).names[0])) forms_.push_back(i);
    }

    // What differs; empty where nothing does.
    std::string run(std::uint64_t seed, std::size_t length, unsigned passes) {
        std::mt19937_64 random(seed);
        std::vector<std::uint8_t> code;
        std::size_t instructions = 0;
        while (instructions < length) {
            const std::vector<std::uint32_t> words = bench_.draw(forms_[random() % forms_.size()], random);
            for (const std::uint32_t word : words)
                for (unsigned i = 0; i < 32; i += 8) code.push_back(std::uint8_t(word >> i));
            instructions += words.empty() ? 0 : 1;
        }
        for (auto& machine : machines_) {
            machine->load_code(code);
            machine->reset();
        }
        for (unsigned pass = 0; pass < passes; ++pass) {
            shuffle(random);
            RunResult results[2];
            for (std::size_t i = 0; i < 2; ++i) {
                machines_[i]->set_pc(0);
                results[i] = machines_[i]->run(length);
            }
            const std::string place = fmt::format("seed {}, pass {}", seed, pass);
            if (results[0].message != results[1].message || results[0].address != results[1].address)
                return fmt::format("{}: {} / {}", place, results[0].message, results[1].message);
            if (const std::string wrong = difference(); !wrong.empty()) return place + wrong;
            if (results[0].reason != StopReason::limit && !results[0].ok()) break;  // the rest is never reached
        }
        compiled += machines_[1]->engine_figures().instructions;
        problem = machines_[1]->engine_figures().problem;
        return {};
    }

    std::uint64_t compiled = 0;
    std::string problem;

private:
    static std::shared_ptr<const Isa> isa_of(const std::string& name) {
        SourceManager sources;
        Diagnostics diagnostics;
        return load_isa(name, sources, diagnostics);
    }
    // Without what goes elsewhere, waits, or is no business of a wavefront's.
    static bool is_computing(const std::string& name) {
        for (const char* part :
             {"pc",     "branch",  "endpgm",  "trap",    "send",       "barrier", "sleep",   "halt",
              "rfe",    "fork",    "join",    "call",    "movrel",     "setkill", "decperf", "incperf",
              "ttrace", "icache",  "memtime", "atomic",  "buffer",     "getreg",  "setreg",  "interp",
              "vskip",  "set_gpr", "wakeup",  "setprio", "memrealtime"})
            if (name.find(part) != std::string::npos) return false;
        return name.starts_with("v_") || name.starts_with("s_a") || name.starts_with("s_o") ||
               name.starts_with("s_b") || name.starts_with("s_cmp") || name.starts_with("s_mov") ||
               name.starts_with("s_nop");
    }

    void shuffle(std::mt19937_64& random) {
        const Isa& isa = codec_->isa();
        for (Index file = 0; file < isa.register_files.size(); ++file) {
            const RegisterFile& of = isa.register_files[file];
            for (unsigned number = 0; number < of.count; ++number)
                for (unsigned lane = 0; lane < of.lanes; ++lane) set(file, number, lane, start(of, random));
        }
    }
    std::uint64_t start(const RegisterFile& of, std::mt19937_64& random) const {
        if (of.name == "hw_mode") return random() & 0x3ff;
        if (of.name == "exec" && random() % 2 == 0) return ~std::uint64_t{0};
        const std::uint64_t ones = ~std::uint64_t{0} >> (64 - of.bits);
        switch (random() % 6) {
            case 0: return random() & ones;
            case 1: return random() % 70;
            default: return soft_float::random_float(soft_float::binary32, random) & ones;
        }
    }
    void set(Index file, unsigned number, unsigned lane, std::uint64_t value) {
        for (auto& machine : machines_) machine->set(file, number, value, lane);
    }
    std::string difference() const {
        const Isa& isa = codec_->isa();
        for (Index file = 0; file < isa.register_files.size(); ++file)
            for (unsigned number = 0; number < isa.register_files[file].count; ++number)
                for (unsigned lane = 0; lane < isa.register_files[file].lanes; ++lane) {
                    const std::uint64_t a = machines_[0]->get(file, number, lane),
                                        b = machines_[1]->get(file, number, lane);
                    if (a != b)
                        return fmt::format(": {}[{}] of lane {} is {:x} interpreted and {:x} compiled",
                                           isa.register_files[file].name, number, lane, a, b);
                }
        return {};
    }

    ExecutionBench bench_;
    std::shared_ptr<const Codec> codec_;
    std::vector<std::unique_ptr<Machine>> machines_;
    std::vector<Index> forms_;
};

class Engines : public testing::TestWithParam<std::string> {};

TEST_P(Engines, DoTheSame) {
    Twins twins(GetParam());
    for (std::uint64_t seed = 1; seed <= 12; ++seed) EXPECT_EQ(twins.run(seed, 40, 8), "");
    EXPECT_EQ(twins.problem, "");
    EXPECT_GT(twins.compiled, 40u);
}

INSTANTIATE_TEST_SUITE_P(All, Engines, testing::Values("gcn1.0", "gcn1.2", "gcn1.4"),
                         [](const auto& param) { return "gcn1_" + std::string(1, param.param[5]); });

}  // namespace
}  // namespace isaforge::test
