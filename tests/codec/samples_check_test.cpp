// The sample descriptions and the shipped ones are free of defects, in every variant.
#include <gtest/gtest.h>

#include <map>

#include "isaforge/isa.hpp"

namespace isaforge::test {
namespace {

// `done`: meanings that have been checked in another variant are not checked again.
void expect_clean(const std::string& name, const std::string& variant = {}, MeaningsChecked* done = nullptr) {
    SourceManager sources;
    Diagnostics diagnostics;
    LoadOptions options;
    options.variant = variant;
    const auto isa = load_isa(name, sources, diagnostics, options);
    if (isa) check_isa(*isa, diagnostics, done);
    EXPECT_TRUE(isa && diagnostics.all().empty()) << name << " " << variant << "\n" << to_text(diagnostics, sources);
}

TEST(Descriptions, HaveNoDefects) {
    std::map<std::string, MeaningsChecked> done;  // "AMD GCN: Vega" is a variant of what is called "AMD GCN"
    for (const auto& [name, title] : builtin_isas()) expect_clean(name, {}, &done[title.substr(0, title.find(':'))]);
    for (const char* variant : {"gcn1.0", "gcn1.1", "gcn1.2", "gcn1.4"})
        expect_clean(ISAFORGE_SOURCE_DIR "/tests/isas/gcn-sample.isa", variant);
    for (const char* name : {"fabrisc-sample", "big-endian-sample", "big-endian-words-sample"})
        expect_clean(std::string(ISAFORGE_SOURCE_DIR "/tests/isas/") + name + ".isa");
}

}  // namespace
}  // namespace isaforge::test
