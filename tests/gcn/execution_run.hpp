// Takes the instructions of a generation through an ExecutionBench, batch after batch; what the quick tests and the sweep have
// in common.
#pragma once

#include <cstdlib>
#include <map>
#include <set>

#include "gcn/execution_bench.hpp"

namespace isaforge::test {

// How much is tried: of every `step`th form, from `first` on, so many variants with random operands, each from so many states.
// Of instructions that `base` has too, every `base_step`th of these forms.
struct Amount {
    unsigned step = 1, first = 0, variants = 1, rounds = 1;
    std::uint64_t seed = 1;
    std::string only;  // names that begin so
    std::string base;  // empty: none
    unsigned base_step = 3;
};

// The names of a set's instructions.
inline std::set<std::string> names_of(const std::string& isa_name) {
    std::set<std::string> names;
    if (isa_name.empty()) return names;
    SourceManager sources;
    Diagnostics diagnostics;
    const auto isa = load_isa(isa_name, sources, diagnostics);
    EXPECT_TRUE(isa) << to_text(diagnostics, sources);
    if (!isa) return names;
    for (const Instruction& instruction : std::as_const(isa->instructions)) names.insert(instruction.names[0]);
    return names;
}

constexpr const char* execution_variants[] = {"gcn1.0", "gcn1.1", "gcn1.2", "gcn1.4", "gfx810", "gfx904", "gfx908"};

inline std::string variant_name(const testing::TestParamInfo<const char*>& each) {
    std::string name = each.param;
    std::replace(name.begin(), name.end(), '.', '_');
    return name;
}

class ExecutionRun {
public:
    ExecutionRun(const std::string& name, Engine engine, Amount amount)
        : bench_(name, engine), compiles_(engine == Engine::compiler), amount_(amount), random_(amount.seed) {}

    void run() {
        if (testing::Test::HasFailure()) return;
        const char* const only = std::getenv("ISAFORGE_GCN_ONLY");
        const std::set<std::string> in_base = names_of(amount_.base);
        unsigned of_base = 0;
        for (std::size_t index = amount_.first; index < bench_.isa().forms.size(); index += amount_.step) {
            const Form& form = bench_.isa().forms[index];
            const std::string& name = bench_.isa().instruction_of(form).names[0];
            if (form.alias || (only && name != only) || !name.starts_with(amount_.only)) continue;
            if (!only && in_base.contains(name) && of_base++ % amount_.base_step != 0) continue;
            for (unsigned i = 0; i < amount_.variants; ++i) {
                Trial trial{name, bench_.draw(static_cast<Index>(index), random_)};
                if (trial.words.empty())
                    undrawn_.insert(name);
                else if (!compiles_ || !ends(trial))
                    batch_.push_back(std::move(trial));
                if (batch_.size() >= (name.starts_with("image_") ? largest / 3 : largest)) finish_batch();
            }
        }
        finish_batch();
        EXPECT_EQ(bench_.problem(), "");
    }

    // Random programs instead of single instructions: of whole numbers, which are right to the bit, of moves between lanes, and of
    // the local data share.
    void run_programs(unsigned count) {
        if (testing::Test::HasFailure()) return;
        std::vector<Index> forms;
        for (Index index = 0; index < bench_.isa().forms.size(); ++index)
            if (is_for_programs(bench_.isa().forms[index])) forms.push_back(index);
        for (unsigned i = 0; i < count; ++i) {
            std::vector<Trial> program;
            for (unsigned k = 4 + random_() % 30; k > 0; --k) {
                const Index form = forms[random_() % forms.size()];
                Trial trial{bench_.isa().instruction_of(bench_.isa().forms[form]).names[0], bench_.draw(form, random_)};
                if (!trial.words.empty() && !ExecutionBench::writes_modes(trial)) program.push_back(std::move(trial));
            }
            const std::uint64_t before = bench_.compiled();
            bench_.load_program(program, random_);
            for (unsigned round = 0; round < amount_.rounds; ++round) {
                bool known = false;
                const std::string wrong = bench_.run_program(program, 20, random_, known);
                compared += known;
                if (!wrong.empty() && ++failures_ <= 10) ADD_FAILURE() << wrong;
                if (!known || !wrong.empty()) break;
            }
            compiled += bench_.compiled() - before;
        }
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
    static constexpr std::size_t largest =
        20;  // that become one region of the compiler; of images, which are large, fewer do

    // What ends a run, or waits, is not put in loops.
    static bool ends(const Trial& trial) {
        for (const char* each : {"s_endpgm", "s_sethalt", "s_setkill", "s_rfe", "s_barrier", "s_sendmsg", "s_trap"})
            if (trial.is(each)) return true;
        return false;
    }

    bool is_for_programs(const Form& form) const {
        const std::string& name = bench_.isa().instruction_of(form).names[0];
        if (form.alias) return false;
        for (const char* part : {"_f16",    "_f32",   "_f64",     "u8",        "pc_b64",   "fork", "join",   "branch",
                                 "call",    "movrel", "setvskip", "gpr_idx",   "hwreg",    "reg_", "setreg", "getreg",
                                 "interp",  "gws",    "ordered",  "append",    "consume",  "src2", "addtid", "condxchg",
                                 "wrxchg2", "time",   "rfe",      "v_mad_mix", "v_fma_mix"})
            if (name.find(part) != std::string::npos) return false;
        const Trial trial{name, {}};
        if (ends(trial)) return false;
        return trial.is("v_") || trial.is("ds_") || (trial.is("s_") && !is_scalar_memory(trial));
    }
    static bool is_scalar_memory(const Trial& trial) {
        for (const char* each : {"s_load", "s_store", "s_buffer", "s_scratch", "s_atomic", "s_dcache", "s_atc"})
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
