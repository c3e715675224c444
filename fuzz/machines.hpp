// The machines that the fuzzers of programs choose from: shipped ones, and the samples with several lengths and the other
// order of bytes. Each is loaded once, when it is first chosen. Code for them is changed by whole instructions.
#pragma once

#include <cstdio>
#include <memory>

#include "isaforge/sample.hpp"
#include "random.hpp"

namespace isaforge::fuzz {

struct Tools {
    std::shared_ptr<const Codec> codec;
    std::unique_ptr<Sampler> printed, other;

    // A random statement without its end; the empty text where none was found.
    std::string_view statement(Random& random, bool other_texts, Sampled& sampled) const {
        const Isa& isa = codec->isa();
        const Index form = static_cast<Index>(random.below(isa.forms.size()));
        Sampler& sampler = other_texts ? *other : *printed;
        return sampler.statement(form, 0, sampled) ? sampled.view() : std::string_view{};
    }
};

inline constexpr const char* machine_names[] = {
    "wishbone-gpu",
    ISAFORGE_SOURCE_DIR "/tests/isas/fabrisc-sample.isa",
    ISAFORGE_SOURCE_DIR "/tests/isas/gcn-sample.isa",
    ISAFORGE_SOURCE_DIR "/tests/isas/big-endian-sample.isa",
    ISAFORGE_SOURCE_DIR "/tests/isas/big-endian-words-sample.isa",
    ISAFORGE_SOURCE_DIR "/examples/tutorial/sparrow.isa",
    "mos6502",
    "msp430",
    "rv64gc",
    "fabrisc-2022-05-15",
    "gcn1.2",
    "bpf",
};

inline Tools load_tools(const char* name) {
    SourceManager sources;
    Diagnostics diagnostics;
    const auto isa = load_isa(name, sources, diagnostics);
    if (!isa) {
        std::fputs(to_text(diagnostics, sources).c_str(), stderr);
        std::abort();
    }
    Tools tools;
    tools.codec = std::make_shared<const Codec>(isa);
    tools.printed = std::make_unique<Sampler>(*tools.codec, 1);
    tools.other = std::make_unique<Sampler>(*tools.codec, 1, SampledText::other);
    return tools;
}

// Most bytes choose a small machine, with which much more is tried in the same time.
inline std::size_t machine_number(std::uint8_t byte) {
    constexpr std::size_t small = std::size(machine_names) - 2;
    return byte < std::size(machine_names) ? byte : byte % small;
}

inline const Tools& tools(std::uint8_t byte) {
    static std::array<std::unique_ptr<Tools>, std::size(machine_names)> all;
    std::unique_ptr<Tools>& chosen = all[machine_number(byte)];
    if (!chosen) chosen = std::make_unique<Tools>(load_tools(machine_names[machine_number(byte)]));
    return *chosen;
}

// Where the instructions of some code begin, and its end; what is none has the length of a unit.
inline std::vector<std::size_t> instruction_bounds(const Codec& codec, std::string_view code) {
    std::vector<std::size_t> bounds;
    const unsigned unit = codec.isa().unit_bytes();
    for (std::size_t at = 0; at < code.size();) {
        bounds.push_back(at);
        const std::size_t there = std::min<std::size_t>(code.size() - at, max_instruction_bits / 8) / unit * unit;
        unsigned bits = 0;
        if (there != 0) {
            const Image image = codec.load(reinterpret_cast<const std::uint8_t*>(code.data()) + at, there);
            codec.decode(image, static_cast<unsigned>(there * 8), bits);
        }
        at += std::max(bits / 8, unit);
    }
    bounds.push_back(code.size());
    return bounds;
}

inline std::string random_instruction(const Tools& with, Random& random) {
    Sampled sampled;
    if (with.statement(random, false, sampled).empty()) return {};
    std::uint8_t bytes[max_instruction_bits / 8] = {};
    with.codec->store(sampled.image, sampled.bits, bytes);
    return std::string(text_of(bytes, sampled.bits / 8));
}

// One change of a program: an instruction more, less, another, elsewhere, again, or with other bits.
inline void change_code(std::string& code, Random& random, const Tools& with) {
    const std::vector<std::size_t> bounds = instruction_bounds(*with.codec, code);
    const std::size_t index = bounds.size() < 2 ? 0 : random.below(bounds.size() - 1);
    const std::size_t begin = bounds[index], size = bounds.size() < 2 ? 0 : bounds[index + 1] - begin;
    const std::size_t to = random.pick(bounds);
    switch (random.below(size == 0 ? 1 : 10)) {
        case 0:
        case 1:
        case 2: code.insert(to, random_instruction(with, random)); break;
        case 3: code.replace(begin, size, random_instruction(with, random)); break;
        case 4: code.erase(begin, size); break;
        case 5: code.insert(to, code.substr(begin, size)); break;
        case 6: change_bytes(code, begin, begin + size); break;
        default: code[begin + random.below(size)] ^= static_cast<char>(1 << random.below(8));
    }
}

}  // namespace isaforge::fuzz
