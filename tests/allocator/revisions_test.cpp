// The three revisions of FabRISC with their opcodes taken out again: all that were there find a place, within the pools
// and apart from each other, and the result is no costlier than the author's order, the first that fits, or what is shipped.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "isaforge/allocate.hpp"
#include "isaforge/isa.hpp"

namespace isaforge {
namespace {

namespace fs = std::filesystem;

const fs::path folder = fs::path(ISAFORGE_SOURCE_DIR) / "isas" / "fabrisc";

std::string read(const fs::path& path) {
    std::ifstream in(path);
    std::stringstream out;
    out << in.rdbuf();
    return out.str();
}

// The names between the brackets of a table's head.
std::vector<std::string> columns_of(const std::string& line) {
    std::vector<std::string> out;
    const std::size_t open = line.find('['), close = line.find(']');
    if (open == std::string::npos || close == std::string::npos) return out;
    std::istringstream in(line.substr(open + 1, close - open - 1));
    for (std::string name; std::getline(in, name, ',');) out.push_back(name.substr(name.find_first_not_of(' ')));
    return out;
}

// The description with `auto` for each number in a column of opcodes.
std::string without_opcodes(const std::string& text, std::size_t& taken_out) {
    const std::set<std::string> opcodes = {"OPCODE", "LONG", "EXT"};
    std::vector<std::string> columns;
    std::istringstream in(text);
    std::string out;
    for (std::string line; std::getline(in, line);) {
        if (line.starts_with("instructions ")) columns = columns_of(line);
        if (line.starts_with("}")) columns.clear();
        const bool row = line.starts_with("    ") && line.size() > 4 && line[4] >= '0' && line[4] <= '9';
        if (!row || columns.empty()) {
            out += line + "\n";
            continue;
        }
        std::istringstream words(line);
        std::string changed = "   ", word;
        for (const std::string& column : columns) {
            words >> word;
            const bool opcode = opcodes.contains(column);
            taken_out += opcode;
            changed += " " + (opcode ? "auto" : word);
        }
        std::getline(words, word);
        out += changed + word + "\n";
    }
    return out;
}

class Revisions : public testing::TestWithParam<const char*> {
protected:
    void SetUp() override {
        where_ = fs::temp_directory_path() / ("isaforge-allocator-" + std::string(GetParam()));
        fs::remove_all(where_);
        fs::copy(folder, where_);
        file_ = where_ / (std::string(GetParam()) + ".isa");
    }
    void TearDown() override { fs::remove_all(where_); }

    // Without rows to place there are no pairs.
    unsigned shipped_cost() const {
        SourceManager sources;
        Diagnostics diagnostics;
        LoadOptions options;
        options.draft = true;
        const auto isa = load_isa("fabrisc-" + std::string(GetParam()), sources, diagnostics, options);
        std::vector<AutoChoice> choices;
        AllocationReport report;
        EXPECT_TRUE(isa && allocate(*isa, choices, diagnostics, &report)) << to_text(diagnostics, sources);
        return report.ours.cost;
    }

    void write(const std::string& text) const { std::ofstream(file_) << text; }

    fs::path where_, file_;
};

TEST_P(Revisions, FindOpcodesForAllTheirRows) {
    std::size_t taken_out = 0;
    const std::string open = without_opcodes(read(file_), taken_out);
    ASSERT_GT(taken_out, 240U);
    write(open);
    SourceManager sources;
    Diagnostics diagnostics;
    LoadOptions options;
    options.draft = true;
    const auto draft = load_isa(file_.string(), sources, diagnostics, options);
    ASSERT_TRUE(draft) << to_text(diagnostics, sources);
    std::vector<AutoChoice> choices;
    AllocationReport report;
    ASSERT_TRUE(allocate(*draft, choices, diagnostics, &report)) << to_text(diagnostics, sources);
    EXPECT_EQ(choices.size(), taken_out);
    ASSERT_TRUE(report.in_order && report.first_fit);
    EXPECT_LE(report.ours.cost, report.in_order->cost);
    EXPECT_LE(report.ours.cost, report.first_fit->cost);
    EXPECT_LE(report.ours.cost - report.ours.apart, shipped_cost());

    const FileId file = choices.front().where.file;
    write(with_numbers(open, file, choices));
    SourceManager again;
    Diagnostics found;
    const auto isa = load_isa(file_.string(), again, found);
    ASSERT_TRUE(isa) << to_text(found, again);
    check_isa(*isa, found);
    EXPECT_EQ(to_text(found, again), "");
}

INSTANTIATE_TEST_SUITE_P(Fabrisc, Revisions, testing::Values("2022-03-18", "2022-05-02", "2022-05-15"),
                         [](const testing::TestParamInfo<const char*>& revision) {
                             std::string name = revision.param;
                             for (char& c : name) c = c == '-' ? '_' : c;
                             return name;
                         });

}  // namespace
}  // namespace isaforge
