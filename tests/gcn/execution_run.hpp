// Takes the instructions of a generation through an ExecutionBench, batch after batch; what the quick tests and the sweep have
// in common.
#pragma once

#include <cstdlib>
#include <map>
#include <set>

#include "gcn/execution_bench.hpp"

namespace isaforge::test {

// How much is tried: of every `step`th form, from `first` on, so many variants with random operands, each from so many states.
struct Amount {
    unsigned step = 1, first = 0, variants = 1, rounds = 1;
    std::uint64_t seed = 1;
};

inline unsigned asked_for(const char* variable, unsigned usual) {
    const char* const asked = std::getenv(variable);
    return asked ? unsigned(std::atoi(asked)) : usual;
}

class ExecutionRun {
public:
    ExecutionRun(const std::string& name, Engine engine, Amount amount)
        : bench_(name, engine), compiles_(engine == Engine::compiler), amount_(amount), random_(amount.seed) {}

    void run() {
        if (testing::Test::HasFailure()) return;
        const char* const only = std::getenv("ISAFORGE_GCN_ONLY");
        for (std::size_t index = amount_.first; index < bench_.isa().forms.size(); index += amount_.step) {
            const Form& form = bench_.isa().forms[index];
            const std::string& name = bench_.isa().instruction_of(form).names[0];
            if (form.alias || (only && name != only)) continue;
            for (unsigned i = 0; i < amount_.variants; ++i) {
                Trial trial{name, bench_.draw(static_cast<Index>(index), random_)};
                if (trial.words.empty())
                    undrawn_.insert(name);
                else if (!compiles_ || !ends(trial))
                    batch_.push_back(std::move(trial));
                if (batch_.size() == largest) finish_batch();
            }
        }
        finish_batch();
        EXPECT_EQ(bench_.problem(), "");
    }

    std::uint64_t compared = 0, compiled = 0, not_compiled = 0;

    // For whoever wants to know what is missing.
    void tell() const {
        if (std::getenv("ISAFORGE_GCN_TELL") == nullptr) return;
        std::printf("%llu compared, %llu instructions compiled, %llu not; unknown to the model:",
                    static_cast<unsigned long long>(compared), static_cast<unsigned long long>(compiled),
                    static_cast<unsigned long long>(not_compiled));
        for (const auto& each : unknown_)
            if (!known_.contains(each)) std::printf(" %s", each.c_str());
        std::printf("\nwithout operands:");
        for (const auto& each : undrawn_) std::printf(" %s", each.c_str());
        std::printf("\n");
    }

private:
    static constexpr std::size_t largest = 80;  // that become one region of the compiler

    // What ends a run, or waits, is not put in loops.
    static bool ends(const Trial& trial) {
        for (const char* each : {"s_endpgm", "s_sethalt", "s_setkill", "s_rfe", "s_barrier", "s_sendmsg", "s_trap"})
            if (trial.is(each)) return true;
        return false;
    }

    void finish_batch() {
        if (batch_.empty()) return;
        bench_.load(batch_, random_);
        if (compiles_) {
            const std::uint64_t branches = 3 * batch_.size() + 1, all = bench_.compile(batch_, random_);
            const std::uint64_t count = all > branches ? all - branches : 0;
            compiled += count;
            not_compiled += batch_.size() - count;
        }
        for (unsigned round = 0; round < amount_.rounds; ++round)
            for (const Trial& trial : batch_) {
                bool known = false;
                const std::string wrong = bench_.run(trial, random_, known);
                (known ? known_ : unknown_).insert(trial.name);
                compared += known;
                if (!wrong.empty() && ++failed_[trial.name] <= 2 && ++failures_ <= 100) ADD_FAILURE() << wrong;
            }
        batch_.clear();
    }

    ExecutionBench bench_;
    const bool compiles_;
    const Amount amount_;
    std::mt19937_64 random_;
    std::vector<Trial> batch_;
    std::set<std::string> known_, unknown_, undrawn_;
    std::map<std::string, unsigned> failed_;
    unsigned failures_ = 0;
};

}  // namespace isaforge::test
