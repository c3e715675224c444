// Wrong descriptions and what is said about them. Each descriptions/NAME.isa has one defect, or a few on purpose, and
// NAME.expected holds the exact diagnostics of loading and checking it, as the command prints them.
//
// A first line `// load with NAME=VALUE` gives a parameter a value, `// load with variant NAME` chooses a variant.
// After a change of a message, ISAFORGE_UPDATE_GOLDEN=1 rewrites the .expected files; read the difference before it is
// committed.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "isaforge/isa.hpp"

namespace isaforge {
namespace {

namespace fs = std::filesystem;

const fs::path folder = fs::path(ISAFORGE_SOURCE_DIR) / "tests/golden/descriptions";

std::string read_file(const fs::path& path) {
    std::ifstream in(path, std::ios::binary);
    std::ostringstream out;
    out << in.rdbuf();
    return out.str();
}

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    return lines;
}

LoadOptions options_of(const std::string& text) {
    LoadOptions options;
    const std::string prefix = "// load with ";
    for (const std::string& line : lines_of(text)) {
        if (!line.starts_with(prefix)) break;
        const std::string what = line.substr(prefix.size());
        const std::size_t sign = what.find('=');
        if (what.starts_with("variant ")) {
            options.variant = what.substr(8);
        } else if (sign != std::string::npos) {
            options.parameters[what.substr(0, sign)] = std::stoull(what.substr(sign + 1), nullptr, 0);
        }
    }
    return options;
}

// What loading and checking say, with bare file names.
std::string diagnose(const fs::path& path) {
    SourceManager sources;
    Diagnostics diagnostics;
    const auto isa = load_isa(path.string(), sources, diagnostics, options_of(read_file(path)));
    if (isa) check_isa(*isa, diagnostics);
    std::string text = to_text(diagnostics, sources);
    const std::string prefix = path.parent_path().string() + "/";
    for (std::size_t at = 0; (at = text.find(prefix, at)) != std::string::npos;) text.erase(at, prefix.size());
    return text;
}

// The lines of both texts, those of one alone marked - or +, by a longest common subsequence.
std::string unified_difference(const std::string& expected, const std::string& actual) {
    const auto a = lines_of(expected), b = lines_of(actual);
    std::vector<std::vector<std::size_t>> common(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
    for (std::size_t i = a.size(); i-- > 0;) {
        for (std::size_t j = b.size(); j-- > 0;) {
            common[i][j] = a[i] == b[j] ? common[i + 1][j + 1] + 1 : std::max(common[i + 1][j], common[i][j + 1]);
        }
    }
    std::string out = "--- expected\n+++ actual\n";
    std::size_t i = 0, j = 0;
    while (i < a.size() || j < b.size()) {
        if (i < a.size() && j < b.size() && a[i] == b[j]) {
            out += " " + a[i++] + "\n";
            ++j;
        } else if (i < a.size() && (j == b.size() || common[i + 1][j] >= common[i][j + 1])) {
            out += "-" + a[i++] + "\n";
        } else {
            out += "+" + b[j++] + "\n";
        }
    }
    return out;
}

std::vector<std::string> all_descriptions() {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder)) {
        if (entry.path().extension() == ".isa") names.push_back(entry.path().stem().string());
    }
    std::sort(names.begin(), names.end());
    return names;
}

class WrongDescription : public testing::TestWithParam<std::string> {};

TEST_P(WrongDescription, IsReportedExactly) {
    const std::string actual = diagnose(folder / (GetParam() + ".isa"));
    EXPECT_FALSE(actual.empty()) << "nothing was found wrong";
    const fs::path golden = folder / (GetParam() + ".expected");
    const char* update = std::getenv("ISAFORGE_UPDATE_GOLDEN");
    if (update && *update == '1') {
        std::ofstream(golden, std::ios::binary) << actual;
        return;
    }
    const std::string expected = read_file(golden);
    EXPECT_EQ(expected == actual, true) << unified_difference(expected, actual);
}

std::string test_name(const testing::TestParamInfo<std::string>& info) {
    std::string name = info.param;
    std::replace(name.begin(), name.end(), '-', '_');
    return name;
}

INSTANTIATE_TEST_SUITE_P(Golden, WrongDescription, testing::ValuesIn(all_descriptions()), test_name);

TEST(WrongDescriptions, ThereAreMany) { EXPECT_GE(all_descriptions().size(), 70u); }

TEST(WrongDescriptions, EveryExpectationHasItsDescription) {
    for (const auto& entry : fs::directory_iterator(folder)) {
        if (entry.path().extension() != ".expected") continue;
        fs::path description = entry.path();
        EXPECT_TRUE(fs::exists(description.replace_extension(".isa"))) << entry.path().filename();
    }
}

}  // namespace
}  // namespace isaforge
