// Runs single instructions of GCN on the emulator and on the independent model, side by side and from the same state, and
// compares all registers and memories: interpreted, or in compiled code.
//
// Compiled code is entered at the head of a loop, by a run that goes on for some time. So each instruction of a batch stands in
//
//     head:  s_branch body
//     body:  the instruction
//     back:  s_branch head
//     land:  s_branch land       // where it jumps to, if it jumps
//
// of which four instructions are run. Code is compiled for one setting of the modes, so a batch has the same for all.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <map>
#include <random>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "isaforge/codec.hpp"
#include "isaforge/machine.hpp"
#include "reference/float_operands.hpp"
#include "reference/gcn/gcn_model.hpp"

namespace isaforge::test {

namespace model = gcn_reference;

// One instruction of a batch.
struct Trial {
    std::string name;
    std::vector<std::uint32_t> words;
    std::uint64_t address = 0;

    std::uint64_t back() const { return address + 4 * words.size(); }
    std::uint64_t land() const { return back() + 4; }
    bool is(const char* start) const { return name.rfind(start, 0) == 0; }
};

class ExecutionBench {
public:
    ExecutionBench(const std::string& name, Engine engine) : engine_(engine) {
        SourceManager sources;
        Diagnostics diagnostics;
        isa_ = load_isa(name, sources, diagnostics);
        if (!isa_) {
            ADD_FAILURE() << to_text(diagnostics, sources);
            return;
        }
        generation_ = name == "gcn1.0"                       ? model::Generation::gfx6
                      : name == "gcn1.1"                     ? model::Generation::gfx7
                      : name == "gcn1.2" || name == "gfx810" ? model::Generation::gfx8
                                                             : model::Generation::gfx9;
        packs_halves_ = generation_ == model::Generation::gfx9 || name == "gfx810";
        codec_ = std::make_shared<const Codec>(isa_);
        MachineOptions options;
        options.memory_bytes = memory_bytes;
        options.engine = engine;
        machine_ = std::make_unique<Machine>(codec_, options);
        memory_ = machine_->find_memory("mem");
        lds_ = machine_->find_memory("lds");
        gds_ = machine_->find_memory("gds");
        s_ = file("s"), v_ = file("v"), ttmp_ = file("ttmp");
        const model::Wave& w = wave_;
        const auto single = [&](const char* each, auto& value, bool changes) {
            singles_.push_back({each, file(each), [&value] { return std::uint64_t{value}; }, changes});
        };
        single("exec", w.exec, true), single("vcc", w.vcc, true), single("scc", w.scc, true);
        single("m0", w.m0, true), single("hw_mode", w.mode, true), single("flat_scratch", w.flat_scratch, true);
        single("xnack_mask", w.xnack_mask, true), single("tba", w.tba, true), single("tma", w.tma, true);
        single("shared_base", w.shared_base, false), single("shared_limit", w.shared_limit, false);
        single("private_base", w.private_base, false), single("private_limit", w.private_limit, false);
        single("pops_exiting_wave_id", w.pops, false), single("lds_direct", w.lds_direct, false);
        single("private_memory", private_memory_, false), single("lds_bytes", lds_size_, false);
    }

    const Isa& isa() const { return *isa_; }
    std::uint64_t compiled() const { return machine_->engine_figures().instructions; }
    std::string problem() const { return machine_->engine_figures().problem; }

    // Words of a form, with random operands; none where none were found.
    std::vector<std::uint32_t> draw(Index index, std::mt19937_64& random) const {
        const Form& form = isa_->forms[index];
        Image drawn{};  // not what the hardware ignores
        for (const Field& field : form.fields.list())
            if (!field.fixed && !field.in_tail) field.place.insert(drawn, ~std::uint64_t{0});
        for (int attempt = 0; attempt < 4000; ++attempt) {
            Image image = form.written;
            const std::uint64_t density = random() % 3 == 0 ? random() : ~std::uint64_t{0};
            for (unsigned i = 0; i < form.bits; i += 64)
                image.words[i / 64] |= random() & density & drawn.words[i / 64];
            place(image, form.bits, literal(random));
            unsigned bits = 0;
            const Index found = codec_->decode(image, form.bits + 32, bits);
            if (found == no_index || isa_->forms[found].instruction != form.instruction ||
                isa_->forms[found].format != form.format)
                continue;
            std::vector<std::uint32_t> words;
            for (unsigned i = 0; i < bits; i += 32) words.push_back(std::uint32_t(image.words[i / 64] >> i % 64));
            return words;
        }
        return {};
    }

    // Puts the loops of these one after the other, behind one that jumps to itself, and chooses modes for all.
    void load(std::vector<Trial>& batch, std::mt19937_64& random) {
        std::vector<std::uint32_t> code{branch(-1)};
        for (Trial& trial : batch) {
            if (engine_ == Engine::compiler && jumps_by_number(trial)) trial.words[0] = trial.words[0] >> 16 << 16 | 1;
            code.push_back(branch(0));
            trial.address = 4 * code.size();
            code.insert(code.end(), trial.words.begin(), trial.words.end());
            code.push_back(branch(-2 - int(trial.words.size())));
            code.push_back(branch(-1));
        }
        load_words(code);
        choose_modes(random, true);
    }

    // Has them compiled, once all instructions have been run: how many are, those of the loops included.
    std::uint64_t compile(const std::vector<Trial>& batch, std::mt19937_64& random) {
        for (const Trial& trial : batch) {
            shuffle(random);
            wave_.exec = 0;
            set_machine();
            for (const std::uint64_t place : {trial.address - 4, trial.address, trial.back(), trial.land()}) {
                machine_->set(singles_[mode_place].file, 0, mode_);
                machine_->set(singles_[m0_place].file, 0, index_bits_);
                machine_->set_pc(place);
                machine_->step();
            }
        }
        take_over();  // v_writelane_b32 writes without any lane, too
        set_machine();
        machine_->set_pc(0);
        const std::uint64_t before = compiled();
        for (unsigned tries = 0; tries < 10 && compiled() == before; ++tries) machine_->run(1000);
        return compiled() - before;
    }

    // Puts them one behind the other, with branches over the next one here and there, and a branch from the last to the first.
    void load_program(std::vector<Trial>& program, std::mt19937_64& random) {
        std::vector<std::uint32_t> code;
        std::vector<Trial> all;
        for (Trial& trial : program) {
            if (random() % 4 == 0) {
                static constexpr const char* names[] = {"scc0", "scc1", "vccz", "vccnz", "execz", "execnz"};
                const auto which = unsigned(random() % 6);
                const auto distance = std::uint32_t(trial.words.size());
                all.push_back({std::string("s_cbranch_") + names[which], {0xbf840000 + (which << 16) + distance}, 0});
            }
            all.push_back(std::move(trial));
        }
        std::size_t words = 0;
        for (const Trial& trial : all) words += trial.words.size();
        all.push_back({"s_branch", {branch(-1 - int(words))}, 0});
        for (Trial& trial : all) {
            trial.address = 4 * code.size();
            code.insert(code.end(), trial.words.begin(), trial.words.end());
        }
        program = std::move(all);
        load_words(code);
        choose_modes(random, false);
    }

    // Runs such a program round and round on both, from a random state. `known` is false where the model does not know all of
    // it, or not to the bit.
    std::string run_program(const std::vector<Trial>& program, unsigned rounds, std::mt19937_64& random, bool& known) {
        shuffle(random);
        wave_.pc = 0;
        wave_.m0 = std::uint32_t(random() % (2 * lds_size_));
        fill_memories(random);
        model::Wave after = wave_;
        model::Model reference = model_of(after);
        reference.memory_bytes = contents(memory_);
        reference.lds = contents(lds_);
        known = false;
        std::uint64_t steps = 0;
        for (unsigned round = 0; round < rounds; ++steps) {
            const auto next = std::find_if(program.begin(), program.end(),
                                           [&](const Trial& trial) { return trial.address == after.pc; });
            if (next == program.end() || !reference.execute(next->name, next->words) || !reference.loose().empty())
                return {};
            if (after.pc == 0) ++round;
        }
        set_machine();
        machine_->set_pc(0);
        const RunResult result = machine_->run(steps);
        known = true;
        std::string wrong;
        if (result.reason != StopReason::limit) wrong = "\n    " + result.message;
        wrong += compare(after, {});
        wrong += compare_bytes("mem", machine_->memory(memory_), reference.memory_bytes);
        wrong += compare_bytes("lds", machine_->memory(lds_), reference.lds);
        take_over();
        if (wrong.empty()) return {};
        std::string text;
        for (const Trial& trial : program) text += "    " + machine_->text(trial.address) + "\n";
        return text + fmt::format("mode {:x}, exec {:x}, m0 {:x}, {} steps:{}", wave_.mode, wave_.exec, wave_.m0, steps,
                                  wrong);
    }

    // Executes one from a random state on both. An empty text where both did the same; `known` is false where the model does
    // not know the instruction.
    std::string run(const Trial& trial, std::mt19937_64& random, bool& known) {
        known = false;
        shuffle(random);
        aim(trial, random);
        model::Wave after = wave_;
        model::Model reference = model_of(after);
        const bool computes = is_computing(trial);
        if (!computes) {
            if (random() % 8 == 0 || reference.memory_bytes.empty()) fill_memories(random);
            reference.memory_bytes = contents(memory_);
            reference.lds = contents(lds_);
            if (is_global_share(trial)) reference.gds = contents(gds_);
        }
        if (!reference.execute(trial.name, trial.words)) return {};
        const bool in_loop = engine_ == Engine::compiler;
        if (in_loop && after.pc != trial.back() && after.pc != trial.land()) return {};
        set_machine();
        machine_->set_pc(trial.address - (in_loop ? 4 : 0));
        const RunResult result = in_loop ? machine_->run(4) : machine_->step();
        if (result.reason == StopReason::bad_index ||
            result.message.find("register that does not exist") != std::string::npos ||
            result.message.find("nothing is mapped there") != std::string::npos) {
            take_over();
            return {};
        }
        known = true;
        std::string wrong;
        if (!result.ok() && result.reason != StopReason::limit) wrong = "\n    " + result.message;
        if (in_loop && after.pc == trial.back()) after.pc = trial.address;  // behind `back` and `head`
        wrong += compare(after, reference.loose());
        if (!computes) {
            wrong += compare_bytes("mem", machine_->memory(memory_), reference.memory_bytes);
            wrong += compare_bytes("lds", machine_->memory(lds_), reference.lds);
            wrong += compare_bytes("gds", machine_->memory(gds_), reference.gds);
        }
        take_over();
        return wrong.empty() ? wrong
                             : fmt::format("{} ({}), mode {:x}, exec {:x}, m0 {:x}:{}", machine_->text(trial.address),
                                           hex(trial.words), wave_.mode, wave_.exec, wave_.m0, wrong);
    }

private:
    struct Single {
        const char* name;
        Index file;
        std::function<std::uint64_t()> value;
        bool changes;
    };
    static constexpr std::uint64_t memory_bytes = 1 << 16;
    static constexpr std::size_t m0_place = 3, mode_place = 4;

    static std::uint32_t branch(int distance) { return 0xbf820000 | std::uint16_t(distance); }
    static bool jumps_by_number(const Trial& trial) {
        return trial.is("s_branch") || trial.is("s_call") || trial.name == "s_cbranch_i_fork" ||
               (trial.is("s_cbranch") && trial.name != "s_cbranch_g_fork" && trial.name != "s_cbranch_join");
    }

    void load_words(const std::vector<std::uint32_t>& code) {
        std::vector<std::uint8_t> bytes(4 * code.size() + 16);
        std::memcpy(bytes.data(), code.data(), 4 * code.size());
        machine_->load_code(bytes);
    }
    void choose_modes(std::mt19937_64& random, bool indexed) {
        mode_ = std::uint32_t(random() & 0x3ff) | (random() % 4 == 0 ? 1u << 23 : 0);
        index_bits_ = 0;
        if (indexed && generation_ >= model::Generation::gfx8 && random() % 4 == 0) {
            mode_ |= 1u << 27;
            index_bits_ = std::uint32_t(random() & 0xf000);
        }
    }

    Index file(const std::string& name) const {
        for (Index i = 0; i < isa_->register_files.size(); ++i)
            if (isa_->register_files[i].name == name) return i;
        ADD_FAILURE() << "no register " << name;
        return 0;
    }
    static void place(Image& image, unsigned at, std::uint32_t word) {
        image.words[at / 64] |= std::uint64_t{word} << at % 64;
    }
    static std::uint32_t literal(std::mt19937_64& random) {
        return std::uint32_t(random() % 2 != 0 ? random() : soft_float::random_float(soft_float::binary32, random));
    }
    static std::string hex(const std::vector<std::uint32_t>& words) {
        std::string text;
        for (const std::uint32_t word : words) text += fmt::format("{}{:08x}", text.empty() ? "" : " ", word);
        return text;
    }

    static std::uint32_t random_word(std::mt19937_64& random) {
        using namespace soft_float;
        const std::uint64_t choices = random(), kind = choices >> 60;
        switch (kind % 8) {
            case 0:
            case 1:
            case 2: return std::uint32_t(random_float(binary32, random));
            case 3: return std::uint32_t(random_float(binary16, random) | random_float(binary16, random) << 16);
            case 4: return std::uint32_t(choices % 70);
            case 5: return std::uint32_t(0 - choices % 70);
            case 6: return std::uint32_t(random() >> choices % 64);
            default: return std::uint32_t(choices);
        }
    }

    // A new state: all scalars, and some of the vector registers.
    void shuffle(std::mt19937_64& random) {
        model::Wave& w = wave_;
        for (auto& s : w.s) s = random_word(random);
        for (auto& t : w.ttmp) t = random_word(random);
        const unsigned begin = random() % 4 == 0 || !filled_ ? 0 : unsigned(random() % 256),
                       count = begin == 0 ? 256 : 8;
        for (unsigned n = begin; n < begin + count && n < 256; ++n) {
            const unsigned kind = random() % 4;
            for (unsigned lane = 0; lane < 64; ++lane) {
                w.v[n][lane] = random_word(random);
                if (kind == 1 && n % 2 == 1) {  // a float of 64 bits with the register before
                    const std::uint64_t x = soft_float::random_float(soft_float::binary64, random);
                    w.v[n - 1][lane] = std::uint32_t(x);
                    w.v[n][lane] = std::uint32_t(x >> 32);
                }
                if (kind == 2 && n > 1) w.v[n][lane] = w.v[n - 2][lane] ^ (random() % 3 == 0 ? 1u << random() % 32 : 0);
            }
        }
        filled_ = true;
        w.exec = random() % 3 == 0 ? ~std::uint64_t{0} : random() % 8 == 0 ? 0 : random();
        w.vcc = random() % 8 == 0 ? 0 : random();
        for (std::uint64_t* each : {&w.flat_scratch, &w.xnack_mask, &w.tba, &w.tma, &w.shared_base, &w.shared_limit,
                                    &w.private_base, &w.private_limit})
            *each = random();
        w.pops = std::uint32_t(random());
        w.lds_direct = random_word(random);
        w.scc = random() % 2 != 0;
        w.m0 = std::uint32_t(random() % 8 * 2) | index_bits_;
        w.mode = mode_;
        private_memory_ = 0;
    }

    // Addresses that lie in memory, and jumps that come to `land`.
    void aim(const Trial& trial, std::mt19937_64& random) {
        const bool extended =
            trial.words[0] >> 31 == 0 && ((trial.words[0] & 0x1ff) == 249 || (trial.words[0] & 0x1ff) == 250);
        // Registers are not indexed together with SDWA and DPP, nor for memory.
        if (extended || trial.name == "v_swap_b32" || !is_computing(trial)) wave_.mode &= ~(1u << 27);
        wave_.pc = trial.address;
        if (is_global_share(trial)) wave_.m0 = std::uint32_t(random() % 0x10000 << 16 | random() % 0x2000);
        if (engine_ == Engine::compiler && (trial.is("s_setpc") || trial.is("s_swappc")))
            for (std::size_t i = 0; i < wave_.s.size(); ++i) wave_.s[i] = i % 2 == 0 ? std::uint32_t(trial.land()) : 0;
        model::Model helper = model_of(wave_);
        helper.prepare(trial.name, trial.words, [&] { return random(); });
        private_memory_ = helper.private_memory;
    }
    model::Model model_of(model::Wave& wave) const {
        model::Model made(generation_, wave);
        made.lds_bytes = lds_size_;
        made.packs_halves = packs_halves_;
        made.private_memory = private_memory_;
        return made;
    }

    bool is_computing(const Trial& trial) const {
        return model::Model::encoding_of(generation_, trial.words[0]) != model::Encoding::other;
    }
    bool is_global_share(const Trial& trial) const {
        return trial.is("ds_") && (trial.words[0] >> (generation_ >= model::Generation::gfx8 ? 16 : 17) & 1) != 0;
    }
    // Code is in the first bytes.
    void fill_memories(std::mt19937_64& random) {
        for (const Index each : {memory_, lds_, gds_}) {
            const auto bytes = machine_->memory(each);
            for (std::size_t i = each == memory_ ? 0x1000 : 0; i + 8 <= std::min(bytes.size(), memory_bytes); i += 8) {
                const std::uint64_t word = random();
                std::memcpy(&bytes[i], &word, 8);
            }
        }
    }
    model::Bytes contents(Index memory) const {
        const auto bytes = machine_->memory(memory);
        return {bytes.begin(), bytes.begin() + std::ptrdiff_t(std::min(bytes.size(), memory_bytes))};
    }
    static std::string compare_bytes(const char* name, std::span<const std::uint8_t> bytes,
                                     const model::Bytes& expected) {
        if (std::equal(expected.begin(), expected.end(), bytes.begin())) return {};
        std::string wrong;
        unsigned shown = 0;
        for (std::size_t i = 0; i < expected.size() && i < bytes.size(); ++i)
            if (bytes[i] != expected[i] && ++shown <= 4)
                wrong += fmt::format("\n    {}[{:x}]: expected {:x}, got {:x}", name, i, expected[i], bytes[i]);
        return wrong;
    }

    void set_machine() {
        const model::Wave& w = wave_;
        Machine& m = *machine_;
        for (unsigned i = 0; i < 104; ++i) m.set(s_, i, w.s[i]);
        for (unsigned i = 0; i < 16; ++i) m.set(ttmp_, i, w.ttmp[i]);
        for (const Single& each : singles_) m.set(each.file, 0, each.value());
        for (unsigned n = 0; n < 256; ++n)
            for (unsigned lane = 0; lane < 64; ++lane)
                if (w.v[n][lane] != in_machine_[n][lane]) m.set(v_, n, in_machine_[n][lane] = w.v[n][lane], lane);
    }

    // Both go on from what the emulator came to.
    void take_over() {
        for (unsigned n = 0; n < 256; ++n)
            for (unsigned lane = 0; lane < 64; ++lane)
                wave_.v[n][lane] = in_machine_[n][lane] = std::uint32_t(machine_->get(v_, n, lane));
    }

public:
    // m0 selects registers, and where the local data share ends; programs leave it alone.
    static bool writes_modes(const Trial& trial) {
        const std::uint32_t w = trial.words[0];
        const bool scalar = w >> 30 == 2 && w >> 23 != 0x17e && w >> 23 != 0x17f;
        const bool gds = trial.is("ds_") && (w >> 16 & 3) != 0;
        return gds || (scalar && (w >> 16 & 0x7f) >= 123) ||
               (trial.is("v_read") && ((w >> 17 & 0xff) >= 123 || (w & 0x7f) >= 123));
    }

private:
    // What differs.
    std::string compare(const model::Wave& after, const std::vector<model::Loose>& loose) const {
        const Machine& m = *machine_;
        std::string wrong;
        unsigned shown = 0;
        const auto look = [&](const auto& what, std::uint64_t expected, std::uint64_t got) {
            if (expected != got && ++shown <= 6)
                wrong += fmt::format("\n    {}: expected {:x}, got {:x}", what(), expected, got);
        };
        for (unsigned i = 0; i < 104; ++i) look([&] { return fmt::format("s{}", i); }, after.s[i], m.get(s_, i));
        for (unsigned i = 0; i < 16; ++i)
            look([&] { return fmt::format("ttmp{}", i); }, after.ttmp[i], m.get(ttmp_, i));
        const std::uint64_t values[] = {after.exec,         after.vcc,        after.scc, after.m0, after.mode,
                                        after.flat_scratch, after.xnack_mask, after.tba, after.tma};
        for (std::size_t i = 0; i < std::size(values); ++i)
            look([&] { return singles_[i].name; }, values[i], m.get(singles_[i].file, 0));
        look([] { return "pc"; }, after.pc, m.pc());
        for (unsigned n = 0; n < 256; ++n)
            for (unsigned lane = 0; lane < 64; ++lane) {
                const auto got = std::uint32_t(m.get(v_, n, lane));
                if (got != after.v[n][lane] && !excused(n, lane, after, loose))
                    look([&] { return fmt::format("v{} of lane {} (was {:x})", n, lane, wave_.v[n][lane]); },
                         after.v[n][lane], got);
            }
        return wrong;
    }

    bool excused(unsigned n, unsigned lane, const model::Wave& after, const std::vector<model::Loose>& loose) const {
        const Machine& m = *machine_;
        for (const model::Loose& one : loose) {
            const bool second = one.bits == 64 && n == one.reg + 1;
            if (one.lane != lane || (n != one.reg && !second)) continue;
            if (one.bits == 0) return true;
            std::uint64_t expected = after.v[one.reg][lane], got = std::uint32_t(m.get(v_, one.reg, lane));
            if (one.bits == 64) {
                expected |= std::uint64_t{after.v[one.reg + 1][lane]} << 32;
                got |= m.get(v_, one.reg + 1, lane) << 32;
            }
            const auto mask = one.bits == 64 ? ~std::uint64_t{0} : ((std::uint64_t{1} << one.bits) - 1) << one.low;
            const std::uint64_t x = (expected & mask) >> one.low, y = (got & mask) >> one.low;
            const soft_float::Format& format = soft_float::format_of(one.bits);
            const bool nans = is_nan(format, x) && is_nan(format, y);
            const bool near = !is_nan(format, x) && !is_nan(format, y) && distance(format, x, y) <= one.distance;
            const std::uint64_t others = one.bits == 16 ? (expected ^ got) & ~mask : 0;
            bool other_half = one.bits == 16 && others != 0;
            if (other_half)  // the other half may be loose, too
                for (const model::Loose& other : loose)
                    if (&other != &one && other.reg == one.reg && other.lane == lane && other.low != one.low)
                        other_half = false;
            if ((nans || near) && !other_half) return true;
        }
        return false;
    }

    const Engine engine_;
    std::shared_ptr<const Isa> isa_;
    std::shared_ptr<const Codec> codec_;
    std::unique_ptr<Machine> machine_;
    model::Generation generation_ = model::Generation::gfx6;
    Index s_ = 0, v_ = 0, ttmp_ = 0, memory_ = 0, lds_ = 0, gds_ = 0;
    std::vector<Single> singles_;
    model::Wave wave_;
    std::array<std::array<std::uint32_t, 64>, 256> in_machine_{};
    std::uint64_t private_memory_ = 0;
    std::uint32_t lds_size_ = 0x1000, mode_ = 0, index_bits_ = 0;
    bool filled_ = false, packs_halves_ = false;
};

}  // namespace isaforge::test
