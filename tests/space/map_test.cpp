// The map: blocks cover the space, the SVG is well-formed and to scale.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <cmath>
#include <regex>

#include "render/space_map.hpp"

namespace isaforge::test {
namespace {

struct Mapped {
    std::shared_ptr<const Isa> isa;
    render::SpaceMap map;
};

Mapped map_of(std::shared_ptr<const Isa> isa) {
    Diagnostics diagnostics;
    auto map = isa ? render::space_map(*isa, diagnostics) : std::nullopt;
    EXPECT_TRUE(map);
    return {isa, map.value_or(render::SpaceMap{})};
}

Mapped map_of_text(const std::string& text) {
    SourceManager sources;
    Diagnostics diagnostics;
    const auto isa = load_isa_text("test.isa", text, sources, diagnostics);
    EXPECT_TRUE(isa) << to_text(diagnostics, sources);
    return map_of(isa);
}

Mapped map_of_sample(std::string name) {
    SourceManager sources;
    Diagnostics diagnostics;
    if (name.ends_with(".isa")) name = ISAFORGE_SOURCE_DIR "/tests/isas/" + name;
    return map_of(load_isa(name, sources, diagnostics));
}

// Whether tags are closed in the order they are opened, and nothing stands unescaped. What the maps use of XML is so much.
bool well_formed(const std::string& xml) {
    std::vector<std::string> open;
    for (std::size_t at = 0; at < xml.size();) {
        if (xml[at] == '&') {
            static const std::regex entity("^&(amp|lt|gt|quot);");
            if (!std::regex_search(xml.begin() + static_cast<std::ptrdiff_t>(at), xml.end(), entity,
                                   std::regex_constants::match_continuous))
                return false;
        }
        if (xml[at] == '>') return false;
        if (xml[at] != '<') {
            ++at;
            continue;
        }
        const std::size_t end = xml.find('>', at);
        if (end == std::string::npos) return false;
        const std::string tag = xml.substr(at + 1, end - at - 1);
        if (tag.find('<') != std::string::npos || std::count(tag.begin(), tag.end(), '"') % 2 != 0) return false;
        if (tag[0] == '/') {
            if (open.empty() || open.back() != tag.substr(1)) return false;
            open.pop_back();
        } else if (tag.back() != '/') {
            open.push_back(tag.substr(0, tag.find(' ')));
        }
        at = end + 1;
    }
    return open.empty();
}

// The sum of the areas of all blocks, and that of the frame around them.
std::pair<double, double> areas(const std::string& svg) {
    static const std::regex rect(
        "<rect x=\"([0-9.]+)\" y=\"([0-9.]+)\" width=\"([0-9.]+)\" height=\"([0-9.]+)\" fill=\"([^\"]*)\"([^>]*)>");
    const std::size_t begin = svg.find("<g id=\"blocks\""), frame_at = svg.find("fill=\"none\" stroke=\"#000\"/>");
    double blocks = 0, frame = 0;
    for (std::sregex_iterator i(svg.begin() + static_cast<std::ptrdiff_t>(begin), svg.end(), rect), end; i != end;
         ++i) {
        const double area = std::stod((*i)[3]) * std::stod((*i)[4]);
        const bool past = static_cast<std::size_t>(i->position()) + begin >= frame_at;
        if ((*i)[5] == "none") {
            if ((*i)[6].str().find("edge") == std::string::npos && frame == 0) frame = area;
        } else if (!past) {
            blocks += area;
        }
        if (frame != 0) break;
    }
    return {blocks, frame};
}

class SampleMap : public testing::TestWithParam<const char*> {};

TEST_P(SampleMap, CoversTheSpaceToScale) {
    const auto [isa, map] = map_of_sample(GetParam());
    std::uint64_t next = 0;
    for (const render::MapBlock& block : map.blocks) {
        EXPECT_EQ(block.low, next);
        ASSERT_FALSE(block.parts.empty());
        EXPECT_EQ(block.parts.front().low, block.low);
        EXPECT_EQ(block.parts.back().high, block.high);
        for (std::size_t i = 1; i < block.parts.size(); ++i) EXPECT_EQ(block.parts[i].low, block.parts[i - 1].high + 1);
        next = block.high + 1;
    }
    EXPECT_EQ(next, map.cells());
    for (const unsigned width : {1u, 600u, 1400u, 3000u}) {
        const std::string svg = render::map_svg(*isa, map, width);
        EXPECT_TRUE(well_formed(svg));
        const auto [blocks, frame] = areas(svg);
        EXPECT_GT(frame, 0);
        EXPECT_NEAR(blocks / frame, 1, 0.001) << width;
    }
}

INSTANTIATE_TEST_SUITE_P(Samples, SampleMap,
                         testing::Values("wishbone-gpu", "gcn-sample.isa", "fabrisc-sample.isa",
                                         "big-endian-sample.isa", "big-endian-words-sample.isa"));

constexpr const char* small = R"(
isa small "Less < more & \"less\""
code unit 8 little
reserved 00000000 "zeros"
reserved 11111111 "ones"
pool 001 .. 011 for SHORT
pool 1000 .. 1110 for LONG
format SHORT | OP:3 | X:5 |
format LONG  | OP:4 | X:12 |
instructions SHORT [OP] "{name} {X}" {
    1  one
    3  three
}
instructions LONG [OP] "{name} {X}" {
    8   eight
    14  fourteen
}
)";

TEST(Map, ShowsWhatIsWhere) {
    const auto [isa, map] = map_of_text(small);
    ASSERT_EQ(map.bits.size(), 8u);
    std::vector<std::string> blocks;
    for (const render::MapBlock& block : map.blocks) {
        const bool used = block.kind == render::MapBlock::Kind::used;
        blocks.push_back(render::cell_text(map, block.low, block.high) + " " +
                         (used                                         ? render::names_text(*isa, block, 9)
                          : block.kind == render::MapBlock::Kind::free ? "free"
                                                                       : "reserved"));
    }
    EXPECT_EQ(blocks, (std::vector<std::string>{
                          "0000_0000 reserved",
                          "0000_0001 .. 0001_1111 free",
                          "001x_xxxx one",
                          "010x_xxxx free",
                          "011x_xxxx three",
                          "1000_xxxx eight",
                          "1001_xxxx .. 1101_xxxx free",
                          "1110_xxxx fourteen",
                          "1111_0000 .. 1111_1110 free",
                          "1111_1111 reserved",
                      }));
}

TEST(Map, InTheTerminalHasALetterForEachFormat) {
    const auto [isa, map] = map_of_text(small);
    const std::string text = render::map_text(*isa, map, 8, false);
    const std::string expected =
        "small: a letter is one value of 8 leading bits\n\n"
        "0000_0  #.......\n";
    EXPECT_EQ(text.substr(0, expected.size()), expected);
    EXPECT_NE(text.find("0010_0  SSSSSSSS\n"), std::string::npos);
    EXPECT_NE(text.find("1000_1  LLLLLLLL\n"), std::string::npos);
    EXPECT_NE(text.find("1111_1  .......#\n"), std::string::npos);
    EXPECT_EQ(text.find('\x1b'), std::string::npos);
    const std::string coloured = render::map_text(*isa, map, 8, true);
    EXPECT_EQ(std::regex_replace(coloured, std::regex("\x1b\\[[0-9;]*m"), ""), text);
}

TEST(Map, NamesEveryInstructionAndPoolInToolTips) {
    const auto [isa, map] = map_of_text(small);
    const std::string svg = render::map_svg(*isa, map, 800);
    for (const char* name : {"one", "three", "eight", "fourteen"}) {
        EXPECT_TRUE(std::regex_search(svg, std::regex(fmt::format("<title>[01x_]+\n{}\n", name)))) << name;
    }
    EXPECT_NE(svg.find("Less &lt; more &amp; &quot;less&quot;"), std::string::npos);
    EXPECT_NE(svg.find("<title>pool SHORT\n001x_xxxx .. 011x_xxxx</title>"), std::string::npos);
}

TEST(Map, SurvivesBytesThatAreNoText) {
    const auto [isa, map] = map_of_text(
        "isa odd \"\xff\xc0\xaf\xed\xa0\x80 caf\xc3\xa9\"\nformat F | OP:8 |\ninstructions F [OP] \"{name}\" {\n    1  "
        "one\n}\n");
    const std::string svg = render::map_svg(*isa, map, 800);
    EXPECT_NE(svg.find("caf\xc3\xa9"), std::string::npos);
    EXPECT_EQ(svg.find('\xff'), std::string::npos);
    EXPECT_EQ(svg.find('\xed'), std::string::npos);
}

}  // namespace
}  // namespace isaforge::test
