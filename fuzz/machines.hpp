// The instruction sets that the fuzzers of programs choose from: the shipped one, and the samples with several lengths
// and the other order of bytes.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <vector>

#include "isaforge/codec.hpp"

namespace isaforge::fuzz {

inline std::shared_ptr<const Codec> load(const char* name) {
    SourceManager sources;
    Diagnostics diagnostics;
    const auto isa = load_isa(name, sources, diagnostics);
    if (!isa) {
        std::fputs(to_text(diagnostics, sources).c_str(), stderr);
        std::abort();
    }
    return std::make_shared<const Codec>(isa);
}

// The first byte of the input chooses, and remains part of it: so the shipped files are seeds as they are.
inline const std::shared_ptr<const Codec>& choose(std::uint8_t byte) {
    static const std::vector<std::shared_ptr<const Codec>> all = {
        load("wishbone-gpu"),
        load(ISAFORGE_SOURCE_DIR "/tests/isas/fabrisc-sample.isa"),
        load(ISAFORGE_SOURCE_DIR "/tests/isas/gcn-sample.isa"),
        load(ISAFORGE_SOURCE_DIR "/tests/isas/big-endian-sample.isa"),
        load(ISAFORGE_SOURCE_DIR "/tests/isas/big-endian-words-sample.isa"),
        load(ISAFORGE_SOURCE_DIR "/examples/tutorial/sparrow.isa"),
        load("gcn1.2"),
        load("fabrisc-2022-03-18"),
        load("fabrisc-2022-05-02"),
        load("fabrisc-2022-05-15"),
    };
    return all[byte % all.size()];
}

}  // namespace isaforge::fuzz
