// The three revisions, loaded once each, and what the tests of all of them share.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <string>

#include "isaforge/codec.hpp"

namespace isaforge::test {

struct Revision {
    const char* name;
    const char* date;
    unsigned rows;  // in the author's list of instructions
};

inline constexpr std::array<Revision, 3> revisions{{
    {"fabrisc-2022-03-18", "2022-03-18", 266},
    {"fabrisc-2022-05-02", "2022-05-02", 356},
    {"fabrisc-2022-05-15", "2022-05-15", 249},
}};

inline const Codec& revision_codec(const std::string& name, bool relax = false) {
    static SourceManager sources;
    static std::map<std::pair<std::string, bool>, std::unique_ptr<const Codec>> codecs;
    std::unique_ptr<const Codec>& codec = codecs[{name, relax}];
    if (!codec) {
        Diagnostics diagnostics;
        const auto isa = load_isa(name, sources, diagnostics);
        if (!isa) {
            std::fputs(to_text(diagnostics, sources).c_str(), stderr);
            std::abort();
        }
        codec = std::make_unique<Codec>(isa, relax);
    }
    return *codec;
}

class OfRevision : public ::testing::TestWithParam<Revision> {
protected:
    const Codec& codec() const { return revision_codec(GetParam().name); }
    const Isa& isa() const { return codec().isa(); }
};

inline std::string revision_name(const ::testing::TestParamInfo<Revision>& info) {
    std::string out = info.param.date;
    for (char& c : out) {
        if (c == '-') c = '_';
    }
    return out;
}

// Instructions are at most 48 bits long: all of one is in the first word of its image.
inline std::uint64_t mask_of(const Form& form) { return form.mask.words[0]; }
inline std::uint64_t value_of(const Form& form) { return form.value.words[0]; }
inline std::uint64_t low_mask(unsigned bits) { return (std::uint64_t{1} << bits) - 1; }

}  // namespace isaforge::test
