// The notes of a real designer, three revisions of them with their lists of instructions. The folder fabrisc has what they say,
// line by line, its rules shortened and its tabs written out.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "notes/reading.hpp"

namespace isaforge {
namespace {

std::string read_file(const std::string& name) {
    std::ifstream in(std::string(ISAFORGE_SOURCE_DIR "/tests/notes/fabrisc/") + name, std::ios::binary);
    EXPECT_TRUE(in) << name;
    std::ostringstream out;
    out << in.rdbuf();
    return out.str();
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

struct Revision {
    const char* date;
    const char* findings;
    const char* against_list;  // what the list adds about the notes themselves
    std::size_t all;           // findings with the list, those about the list among them
};

class DesignersNotes : public testing::TestWithParam<Revision> {
protected:
    const std::string notes_ = read_file(std::string("formats-") + GetParam().date + ".txt");
    const std::string list_ = read_file(std::string("instructions-") + GetParam().date + ".tsv");
};

TEST_P(DesignersNotes, HaveExactlyTheseDefects) { EXPECT_EQ(short_findings(notes_), GetParam().findings); }

TEST_P(DesignersNotes, AreComparedWithTheirLists) {
    const std::string found = short_findings(notes_, list_);
    EXPECT_EQ(static_cast<std::size_t>(std::ranges::count(found, '\n')), GetParam().all) << found;
    std::istringstream in(GetParam().against_list);
    for (std::string line; std::getline(in, line);)
        EXPECT_NE(found.find(line + "\n"), std::string::npos) << line << "\n" << found;
    EXPECT_EQ(found.find("the list needs"), std::string::npos) << "no reading of these notes has a shortage";
}

TEST_P(DesignersNotes, BecomeDescriptionsThatLoad) {
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
    All, DesignersNotes,
    testing::Values(
        Revision{
            "2022-03-18",
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
        Revision{"2022-05-02",
                 "267:77: 120 instructions need opcodes of 13 bits ([A] 120); the range holds 96\n"
                 "270:2: [B.1] is called [B.l] elsewhere; likewise [D.l], [E.l], [G.l], [H.l] and [J.l]\n"
                 "306:47: this range is said to hold 128; its bounds hold 96\n",
                 "272:77: [C] is counted as 64; the list has 72 instructions\n"
                 "288:77: [G] is counted as 8; the list has 9 instructions\n"
                 "298:78: [P] is counted as 9; the list has 10 instructions\n",
                 20},
        Revision{"2022-05-15",
                 "69:11: [B] has 31 bits (12 + 4 + 5 + 5 + 5), 1 too few for the 32 bits of 4 bytes\n"
                 "200:24: no legend says what 'a' is\n"
                 "272:9: MOD has 2 bits here, 3 in the bar of [G], and 3 in the pattern\n",
                 "208:19: WINT has no format\n", 16}),
    [](const testing::TestParamInfo<Revision>& revision) {
        std::string out = revision.param.date;
        std::ranges::replace(out, '-', '_');
        return out;
    });

}  // namespace
}  // namespace isaforge
