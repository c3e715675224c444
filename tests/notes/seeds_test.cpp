// The notes of a real designer, three revisions of them. They are not part of the repository: where they are not beside
// it, these tests are skipped and say so.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "notes/reading.hpp"

namespace isaforge {
namespace {

namespace fs = std::filesystem;

// A folder named by the environment, or `shared` next to the repository.
fs::path shared_folder() {
    const char* const told = std::getenv("ISAFORGE_SHARED");
    return told ? fs::path(told) : fs::path(ISAFORGE_SOURCE_DIR) / ".." / "shared";
}

std::string read_file(const fs::path& path) {
    std::ifstream in(path, std::ios::binary);
    std::ostringstream out;
    out << in.rdbuf();
    return out.str();
}

// The file of a folder whose name begins so; an empty text where there is none.
std::string find_file(const fs::path& folder, const std::string& beginning) {
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(folder, error)) {
        if (entry.path().filename().string().starts_with(beginning)) return read_file(entry.path());
    }
    return {};
}

// Only the findings, without their notes.
std::string short_findings(const std::string& text, const std::string& list = {}) {
    std::istringstream in(all_findings(text, list));
    std::string out, line;
    while (std::getline(in, line)) {
        const bool note = line.find(":   ") != std::string::npos;
        if (!note) out += line + "\n";
    }
    return out;
}

struct Seed {
    const char* file;
    const char* list;
    const char* findings;
    const char* against_list;  // what the list adds about the notes themselves
    std::size_t all;           // findings with the list, those about the list among them
};

class Seeds : public testing::TestWithParam<Seed> {
protected:
    void SetUp() override {
        notes_ = find_file(shared_folder() / "seeds", GetParam().file);
        list_ = find_file(shared_folder() / "reference" / "fabrisc", GetParam().list);
        if (notes_.empty() || list_.empty()) {
            GTEST_SKIP() << "SKIPPED: no notes " << GetParam().file << " in " << shared_folder()
                         << "; name the folder with ISAFORGE_SHARED";
        }
    }
    std::string notes_, list_;
};

TEST_P(Seeds, HaveExactlyTheseDefects) { EXPECT_EQ(short_findings(notes_), GetParam().findings); }

TEST_P(Seeds, AreComparedWithTheirLists) {
    const std::string found = short_findings(notes_, list_);
    EXPECT_EQ(static_cast<std::size_t>(std::ranges::count(found, '\n')), GetParam().all) << found;
    std::istringstream in(GetParam().against_list);
    for (std::string line; std::getline(in, line);)
        EXPECT_NE(found.find(line + "\n"), std::string::npos) << line << "\n" << found;
    EXPECT_EQ(found.find("the list needs"), std::string::npos) << "no reading of these notes has a shortage";
}

TEST_P(Seeds, BecomeDescriptionsThatLoad) {
    SourceManager sources;
    Diagnostics diagnostics;
    const Notes notes = read_notes(sources.add("notes.txt", notes_), sources, diagnostics);
    const auto list = read_instruction_list(sources.add("list.tsv", list_), sources, diagnostics);
    for (const bool with_list : {false, true}) {
        const std::string draft =
            import_notes(notes, with_list ? list : std::vector<ListedInstruction>{}, sources, "draft");
        SourceManager ours;
        Diagnostics found;
        const auto isa = load_isa_text("draft.isa", draft, ours, found);
        ASSERT_TRUE(isa) << to_text(found, ours);
        check_isa(*isa, found);
        EXPECT_TRUE(found.ok()) << to_text(found, ours);
        const auto placed = std::ranges::count_if(list, [](const ListedInstruction& row) { return row.format != "?"; });
        EXPECT_EQ(isa->instructions.size(), with_list ? static_cast<std::size_t>(placed) : 0U);
        EXPECT_EQ(draft.find("The rows below do not fit"), std::string::npos);
    }
}

INSTANTIATE_TEST_SUITE_P(
    All, Seeds,
    testing::Values(
        Seed{"002_", "instructions-2022-03-18",
             "153:5: [E] has 40 bits in alternative 2 (6 + 3 + 5 + 5 + 5 + 16), 8 too few for the 48 bits of 6 bytes\n"
             "268:9: IMM has 12/28 bits by this legend, 15/31 by the bar of [I]\n"
             "297:9: IMM has 20/36 bits by this legend, 15/31 by the bar of [K]\n"
             "347:1: no format has an opcode of 4 bits, as this range gives\n"
             "358:1: two statements of the opcodes of 6 bits: 32 from 000000 here, 12 from 010000 before\n"
             "359:1: two statements of the opcodes of 7 bits: 40 from 1000000 here, 48 from 0111000 before\n",
             "366:6: [C] is counted as 50; the list has 53 instructions\n"
             "370:7: [G] is counted as 2; the list has 4 instructions\n"
             "240:19: WINT has no format\n241:19: BPTRG has no format\n",
             16},
        Seed{"001_", "instructions-2022-05-02",
             "267:77: 120 instructions need opcodes of 13 bits ([A] 120); the range holds 96\n"
             "270:2: [B.1] is called [B.l] elsewhere; likewise [D.l], [E.l], [G.l], [H.l] and [J.l]\n"
             "306:47: this range is said to hold 128; its bounds hold 96\n",
             "272:77: [C] is counted as 64; the list has 72 instructions\n"
             "288:77: [G] is counted as 8; the list has 9 instructions\n"
             "298:78: [P] is counted as 9; the list has 10 instructions\n",
             20},
        Seed{"000_", "instructions-2022-05-15",
             "69:8: [B] has 31 bits (12 + 4 + 5 + 5 + 5), 1 too few for the 32 bits of 4 bytes\n"
             "200:24: no legend says what 'a' is\n"
             "272:9: MOD has 2 bits here, 3 in the bar of [G], and 3 in the pattern\n",
             "208:19: WINT has no format\n", 16}),
    [](const testing::TestParamInfo<Seed>& seed) { return "Notes" + std::string(seed.param.file).substr(0, 3); });

}  // namespace
}  // namespace isaforge
