// Runs single instructions of GCN on the emulator and on the independent model, side by side and from the same state, and
// compares all registers.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "isaforge/codec.hpp"
#include "isaforge/machine.hpp"
#include "reference/float_operands.hpp"
#include "reference/gcn/gcn_model.hpp"

namespace isaforge::test {

namespace model = gcn_reference;

class ExecutionBench {
public:
    explicit ExecutionBench(const std::string& name) {
        SourceManager sources;
        Diagnostics diagnostics;
        isa_ = load_isa(name, sources, diagnostics);
        if (!isa_) {
            ADD_FAILURE() << to_text(diagnostics, sources);
            return;
        }
        generation_ = name == "gcn1.0"   ? model::Generation::gfx6
                      : name == "gcn1.1" ? model::Generation::gfx7
                      : name == "gcn1.2" ? model::Generation::gfx8
                                         : model::Generation::gfx9;
        codec_ = std::make_shared<const Codec>(isa_);
        MachineOptions options;
        options.memory_bytes = 1 << 16;
        machine_ = std::make_unique<Machine>(codec_, options);
        for (const char* each : {"s",
                                 "v",
                                 "ttmp",
                                 "exec",
                                 "vcc",
                                 "scc",
                                 "m0",
                                 "hw_mode",
                                 "flat_scratch",
                                 "xnack_mask",
                                 "tba",
                                 "tma",
                                 "shared_base",
                                 "shared_limit",
                                 "private_base",
                                 "private_limit",
                                 "pops_exiting_wave_id",
                                 "lds_direct",
                                 "lds_bytes",
                                 "private_memory"})
            files_[each] = file(each);
    }

    const Isa& isa() const { return *isa_; }
    model::Generation generation() const { return generation_; }

    // Words of a form, with random operands; nothing where none was found.
    std::vector<std::uint32_t> draw(Index index, std::mt19937_64& random) {
        const Form& form = isa_->forms[index];
        Image drawn{};  // not what the hardware ignores
        for (const Field& field : form.fields.list())
            if (!field.fixed && !field.in_tail) field.place.insert(drawn, ~std::uint64_t{0});
        for (int attempt = 0; attempt < 400; ++attempt) {
            std::vector<std::uint32_t> words(form.bits / 32);
            for (std::size_t i = 0; i < words.size(); ++i) {
                const auto part = [&](const Image& image) {
                    return std::uint32_t(image.words[i / 2] >> (32 * (i % 2)));
                };
                words[i] = part(form.written) | (std::uint32_t(random() & random_density(random)) & part(drawn));
            }
            std::vector<std::uint32_t> with_literal = words;
            with_literal.push_back(literal(random));
            load(with_literal);
            Index found = no_index;
            Image image;
            unsigned bits = 0;
            if (!machine_->decode(0, found, image, bits) || found == no_index) continue;
            if (isa_->forms[found].instruction != form.instruction || isa_->forms[found].format != form.format)
                continue;
            if (bits == form.bits + 32) return with_literal;
            if (bits == form.bits) return words;
        }
        return {};
    }

    // Executes the words from a random state on both. An empty text where both did the same; `known` is false where the
    // model does not know the instruction.
    std::string run(const std::vector<std::uint32_t>& words, const std::string& name, std::mt19937_64& random,
                    bool& known) {
        std::vector<std::uint32_t> code = words;
        load(code);
        shuffle(random);
        const unsigned source = words[0] & 0x1ff;  // registers are not indexed together with SDWA and DPP
        if ((words[0] >> 31 == 0 && (source == 249 || source == 250)) || name == "v_swap_b32")
            wave_.mode &= ~(1u << 27);
        {
            model::Model helper(generation_, wave_);
            helper.lds_bytes = lds_bytes;
            helper.prepare(name, words, [&] { return random(); });
            private_memory_ = helper.private_memory;
            if (!is_computing(words))
                for (unsigned n = 0; n < 256; ++n)
                    for (unsigned lane = 0; lane < 64; ++lane) machine_->set(files_["v"], n, wave_.v[n][lane], lane);
        }
        set_machine();
        model::Wave after = wave_;
        model::Model reference(generation_, after);
        reference.lds_bytes = lds_bytes;
        reference.private_memory = private_memory_;
        if (!is_computing(words)) {
            fill_memories(random);
            reference.memory_bytes = contents("mem");
            reference.lds = contents("lds");
        }
        known = reference.execute(name, words);
        if (!known) return {};
        machine_->set_pc(0);
        const RunResult result = machine_->step();
        const std::string text = machine_->text(0);
        if (result.message.find("register that does not exist") != std::string::npos ||
            result.message.find("nothing is mapped there") != std::string::npos) {
            known = false;
            return {};
        }
        if (!result.ok()) return fmt::format("{} ({}): {}", text, hex(words), result.message);
        std::string wrong = compare(after, reference.loose());
        if (!is_computing(words)) {
            wrong += compare_bytes("mem", reference.memory_bytes);
            wrong += compare_bytes("lds", reference.lds);
        }
        if (!wrong.empty())
            wrong = fmt::format("{} ({}), mode {:x}, exec {:x}:{}", text, hex(words), wave_.mode, wave_.exec, wrong);
        return wrong;
    }

private:
    Index file(const std::string& name) const {
        for (Index i = 0; i < isa_->register_files.size(); ++i)
            if (isa_->register_files[i].name == name) return i;
        ADD_FAILURE() << "no register " << name;
        return 0;
    }
    static std::uint64_t random_density(std::mt19937_64& random) {
        return random() % 3 == 0 ? random() : ~std::uint64_t{0};
    }
    static std::uint32_t literal(std::mt19937_64& random) {
        return std::uint32_t(random() % 2 != 0 ? random() : soft_float::random_float(soft_float::binary32, random));
    }
    static std::string hex(const std::vector<std::uint32_t>& words) {
        std::string text;
        for (const std::uint32_t word : words) text += fmt::format("{}{:08x}", text.empty() ? "" : " ", word);
        return text;
    }

    void load(const std::vector<std::uint32_t>& words) {
        std::vector<std::uint8_t> bytes;
        for (const std::uint32_t word : words)
            for (unsigned i = 0; i < 32; i += 8) bytes.push_back(std::uint8_t(word >> i));
        bytes.resize(16);
        machine_->load_code(bytes);
    }

    static std::uint32_t random_word(std::mt19937_64& random) {
        using namespace soft_float;
        switch (random() % 8) {
            case 0:
            case 1:
            case 2: return std::uint32_t(random_float(binary32, random));
            case 3: return std::uint32_t(random_float(binary16, random) | random_float(binary16, random) << 16);
            case 4: return std::uint32_t(random() % 70);
            case 5: return std::uint32_t(0 - random() % 70);
            case 6: return std::uint32_t(random() >> random() % 64);
            default: return std::uint32_t(random());
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
            for (const unsigned m : {n, n == 0 ? 0 : n - 1})
                for (unsigned lane = 0; lane < 64; ++lane) machine_->set(files_["v"], m, w.v[m][lane], lane);
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
        w.m0 = std::uint32_t(random() % 8 * 2);
        w.mode = std::uint32_t(random() & 0x3ff);
        if (generation_ >= model::Generation::gfx8 && random() % 4 == 0) {
            w.mode |= 1u << 27;
            w.m0 |= std::uint32_t(random() & 0xf000);
        }
        w.pc = 0;
    }
    static constexpr std::uint32_t lds_bytes = 0x1000;
    std::uint64_t private_memory_ = 0;

    bool is_computing(const std::vector<std::uint32_t>& words) const {
        return model::Model::encoding_of(generation_, words[0]) != model::Encoding::other;
    }
    Index memory(const char* name) const { return machine_->find_memory(name); }
    // Code is in the first bytes.
    void fill_memories(std::mt19937_64& random) {
        for (const char* name : {"mem", "lds"}) {
            const auto bytes = machine_->memory(memory(name));
            for (std::size_t i = name[0] == 'm' ? 64 : 0; i + 4 <= std::min<std::size_t>(bytes.size(), 0x10000);
                 i += 4) {
                const std::uint32_t word = std::uint32_t(random());
                std::memcpy(&bytes[i], &word, 4);
            }
        }
    }
    model::Bytes contents(const char* name) const {
        const auto bytes = machine_->memory(memory(name));
        return {bytes.begin(), bytes.end()};
    }
    std::string compare_bytes(const char* name, const model::Bytes& expected) const {
        const auto bytes = machine_->memory(memory(name));
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
        for (unsigned i = 0; i < 104; ++i) m.set(files_["s"], i, w.s[i]);
        for (unsigned i = 0; i < 16; ++i) m.set(files_["ttmp"], i, w.ttmp[i]);
        m.set(files_["exec"], 0, w.exec);
        m.set(files_["vcc"], 0, w.vcc);
        m.set(files_["scc"], 0, w.scc);
        m.set(files_["m0"], 0, w.m0);
        m.set(files_["hw_mode"], 0, w.mode);
        m.set(files_["flat_scratch"], 0, w.flat_scratch);
        m.set(files_["xnack_mask"], 0, w.xnack_mask);
        m.set(files_["tba"], 0, w.tba);
        m.set(files_["tma"], 0, w.tma);
        m.set(files_["shared_base"], 0, w.shared_base);
        m.set(files_["shared_limit"], 0, w.shared_limit);
        m.set(files_["private_base"], 0, w.private_base);
        m.set(files_["private_limit"], 0, w.private_limit);
        m.set(files_["pops_exiting_wave_id"], 0, w.pops);
        m.set(files_["lds_direct"], 0, w.lds_direct);
        m.set(files_["lds_bytes"], 0, lds_bytes);
        m.set(files_["private_memory"], 0, private_memory_);
    }

    // What differs; and the state of the emulator becomes the one that both start from next.
    std::string compare(const model::Wave& after, const std::vector<model::Loose>& loose) {
        const Machine& m = *machine_;
        std::string wrong;
        unsigned shown = 0;
        const auto look = [&](const std::string& what, std::uint64_t expected, std::uint64_t got) {
            if (expected != got && ++shown <= 6)
                wrong += fmt::format("\n    {}: expected {:x}, got {:x}", what, expected, got);
        };
        const auto single = [&](const char* name, std::uint64_t expected) {
            look(name, expected, m.get(files_[name], 0));
        };
        for (unsigned i = 0; i < 104; ++i) look(fmt::format("s{}", i), after.s[i], m.get(files_["s"], i));
        for (unsigned i = 0; i < 16; ++i) look(fmt::format("ttmp{}", i), after.ttmp[i], m.get(files_["ttmp"], i));
        single("exec", after.exec);
        single("vcc", after.vcc);
        single("scc", after.scc);
        single("m0", after.m0);
        single("hw_mode", after.mode);
        single("flat_scratch", after.flat_scratch);
        single("xnack_mask", after.xnack_mask);
        single("tba", after.tba);
        single("tma", after.tma);
        look("pc", after.pc, m.pc());
        for (unsigned n = 0; n < 256; ++n)
            for (unsigned lane = 0; lane < 64; ++lane) {
                const auto got = std::uint32_t(m.get(files_["v"], n, lane));
                if (got != after.v[n][lane] && !excused(n, lane, after, loose))
                    look(fmt::format("v{} of lane {} (was {:x})", n, lane, wave_.v[n][lane]), after.v[n][lane], got);
                wave_.v[n][lane] = got;
            }
        return wrong;
    }

    bool excused(unsigned n, unsigned lane, const model::Wave& after, const std::vector<model::Loose>& loose) const {
        const Machine& m = *machine_;
        const Index v = files_.at("v");
        for (const model::Loose& one : loose) {
            const bool second = one.bits == 64 && n == one.reg + 1;
            if (one.lane != lane || (n != one.reg && !second)) continue;
            if (one.bits == 0) return true;
            std::uint64_t expected = after.v[one.reg][lane], got = std::uint32_t(m.get(v, one.reg, lane));
            if (one.bits == 64) {
                expected |= std::uint64_t{after.v[one.reg + 1][lane]} << 32;
                got |= m.get(v, one.reg + 1, lane) << 32;
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

    std::shared_ptr<const Isa> isa_;
    std::shared_ptr<const Codec> codec_;
    std::unique_ptr<Machine> machine_;
    model::Generation generation_ = model::Generation::gfx6;
    std::map<std::string, Index> files_;
    model::Wave wave_;
    bool filled_ = false;
};

}  // namespace isaforge::test
