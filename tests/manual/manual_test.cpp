// What a manual says of small descriptions.
#include "manual/manual.hpp"

#include <gtest/gtest.h>

#include <map>
#include <regex>
#include <set>

#include "manual/diff_page.hpp"
#include "manual/prose.hpp"
#include "manual/site.hpp"

namespace isaforge::manual {
namespace {

using Files = std::map<std::string, std::string>;

// The manual of a description, for each of the values of its parameter P where there are some.
Files manual_of(const std::string& text, const std::vector<std::uint64_t>& values = {}) {
    SourceManager sources;
    Diagnostics diagnostics;
    std::vector<Configuration> configurations;
    const auto add = [&](const LoadOptions& options) {
        const auto isa = load_isa_text("machine.isa", text, sources, diagnostics, options);
        if (isa) configurations.push_back({isa, {options.parameters.begin(), options.parameters.end()}});
    };
    if (values.empty()) add({});
    for (const std::uint64_t value : values) {
        LoadOptions options;
        options.parameters["P"] = value;
        add(options);
    }
    EXPECT_TRUE(diagnostics.ok()) << to_text(diagnostics, sources);
    Files files;
    EXPECT_TRUE(
        write_manual(configurations, sources, Diagnostics{}, [&](const std::string& path, std::string_view content) {
            EXPECT_TRUE(files.emplace(path, content).second) << path << " comes twice";
            return true;
        }));
    return files;
}

// A page without its tags and entities, blanks as they come.
std::string words_of(const std::string& page) {
    const std::size_t begin = page.find("<main"), end = page.find("</main>");
    std::string out = std::regex_replace(page.substr(begin, end - begin), std::regex("<[^>]*>"), "\n");
    for (const auto& [entity, sign] :
         std::map<std::string, std::string>{{"&lt;", "<"}, {"&gt;", ">"}, {"&quot;", "\""}, {"&amp;", "&"}})
        out = std::regex_replace(out, std::regex(entity), sign);
    return out;
}

// The lines of code of an instruction's meaning.
std::string meaning_in(const std::string& page) {
    std::smatch found;
    if (!std::regex_search(page, found, std::regex("<pre class=\"meaning\"[^>]*><code>([^]*?)</code></pre>")))
        return "";
    std::string out = std::regex_replace(found[1].str(), std::regex("<[^>]*>"), "");
    for (const auto& [entity, sign] :
         std::map<std::string, std::string>{{"&lt;", "<"}, {"&gt;", ">"}, {"&quot;", "\""}, {"&amp;", "&"}})
        out = std::regex_replace(out, std::regex(entity), sign);
    return out;
}

// The facts below a meaning: "Reads" and what stands beside it.
std::map<std::string, std::string> facts_in(const std::string& page) {
    std::map<std::string, std::string> out;
    const std::regex fact("<dt>([^<]*)</dt><dd>([^]*?)</dd>");
    for (auto at = std::sregex_iterator(page.begin(), page.end(), fact); at != std::sregex_iterator(); ++at)
        out[(*at)[1]] = std::regex_replace((*at)[2].str(), std::regex("<[^>]*>"), "");
    return out;
}

const std::string head = R"(isa sample "A sample"
code unit 16 little
registers r : 3 of u16 "r{n}"
register  flag : u1
memory    data : u8 little
format RR | OP:4 | D:r | A:r | B:r | -:3 |
)";

std::string with_row(const std::string& row, const std::string& more = {}) {
    return head + more + "instructions RR [OP] \"{name} {D}, {A}, {B}\" {\n" + row + "\n}\n";
}

TEST(manual, meanings_read_as_in_the_description) {
    const char* const meanings[] = {
        "D = A + B * 2 - (A - B)",
        "D = (A + B) * 2",
        "D = A & 1 == 0 ? A : B",
        "D = -(A << 2)[7:0] ++ ~B[15:8]",
        "D = data.u16[A + 1]  after 2",
        "data.u16[A] = B",
        "D = case A[1:0] { 0: B; 1..2: A; else: 0 }",
    };
    for (const std::string meaning : meanings) {
        const Files files = manual_of(with_row("1  op  " + meaning));
        EXPECT_EQ(meaning_in(files.at("instructions/op.html")), meaning);
    }
}

TEST(manual, statements_are_indented) {
    const Files files = manual_of(with_row("1  op  { if A == 0 { D = B } else { let x = A; D = x } }"));
    EXPECT_EQ(meaning_in(files.at("instructions/op.html")),
              "if A == 0 {\n    D = B\n} else {\n    let x = A\n    D = x\n}");
}

TEST(manual, effects_are_those_of_functions_too) {
    const Files files =
        manual_of(with_row("1  op  give(D, A)\n2  ld  D = data.u16[A]\n3  go  pc = A after 1\n4  no  check(B)",
                           "function give(d, x) { flag = x == 0; d = x }\n"
                           "function wrong() { fail(\"wrong\", 1) }\n"
                           "function check(x) { if x == 0 { wrong() } }\n"));
    auto facts = facts_in(files.at("instructions/op.html"));
    EXPECT_EQ(facts["Reads"], "A");
    EXPECT_EQ(facts["Writes"], "D, flag");
    facts = facts_in(files.at("instructions/ld.html"));
    EXPECT_EQ(facts["Reads"], "A, memory data");
    EXPECT_EQ(facts["Writes"], "D");
    facts = facts_in(files.at("instructions/go.html"));
    EXPECT_EQ(facts["Jumps"], "sets pc");
    EXPECT_EQ(facts["Timing"], "goes on there after 1 more instruction");
    facts = facts_in(files.at("instructions/no.html"));
    EXPECT_EQ(facts["Reads"], "B");
    EXPECT_EQ(facts["May trap"], "wrong");
    EXPECT_NE(words_of(files.at("effects.html")).find("Writes register flag"), std::string::npos);
}

TEST(manual, text_of_a_description_is_no_markup) {
    const Files files = manual_of(R"(isa sample "<script>alert(1)</script> & more"
code unit 16 little
registers r : 3 of u16 "<r{n}>"
enum how : 3 { "<i>" "\"&amp;" "</script>" }
format RR | OP:4 | D:r | H:how | -:6 |
instructions RR [OP] "{name} <b>{D}</b>, {H}" {
    1  op  "<img src=x>"   D = 1       // a comment with <tags> & `<code>`
}
)");
    for (const auto& [path, text] : files) {
        if (path.ends_with(".js")) {
            EXPECT_EQ(text.find("</script"), std::string::npos) << path;
            continue;
        }
        for (const char* const wrong : {"<script>", "<img", "<b>D", "<r0", "<i>\"", "&amp;amp;\"", "<tags"})
            EXPECT_EQ(text.find(wrong), std::string::npos) << path << " has " << wrong;
    }
    const std::string words = words_of(files.at("instructions/op.html"));
    EXPECT_NE(words.find("<img src=x>"), std::string::npos);
    EXPECT_NE(words.find("a comment with <tags> & "), std::string::npos);
}

// The numbers of the bytes below a picture, from its left.
std::vector<std::string> bytes_below(const std::string& page) {
    std::vector<std::string> out;
    const std::regex byte("<text class=\"n\"[^>]*>\\+([0-9]+)</text>");
    for (auto at = std::sregex_iterator(page.begin(), page.end(), byte); at != std::sregex_iterator(); ++at)
        out.push_back((*at)[1]);
    return out;
}

TEST(manual, bytes_stand_where_they_lie_in_memory) {
    const auto picture = [](const std::string& order) {
        return bytes_below(manual_of("isa sample\ncode unit 32 " + order + R"(
registers r : 3 of u16 "r{n}"
format R | OP:29 | D:r |
instructions R [OP] "{name} {D}" {
    1  op  D = 1
}
)")
                               .at("instructions/op.html"));
    };
    EXPECT_EQ(picture("little"), (std::vector<std::string>{"3", "2", "1", "0"}));
    EXPECT_EQ(picture("big"), (std::vector<std::string>{"0", "1", "2", "3"}));
}

TEST(manual, parts_of_a_field_are_joined) {
    const Files files = manual_of(R"(isa sample
code unit 32 little
number target = pc + s18
format JUMP | OP:8 | T[17:10] | -:6 | T[9:0]:target |
instructions JUMP [OP] "{name} {T}" {
    1  jump  pc = T
}
)");
    const std::string& page = files.at("instructions/jump.html");
    for (const char* const label : {">T[17:10]<", ">T[9:0]<", ">T[17:0]<"})
        EXPECT_NE(page.find(label), std::string::npos) << label;
}

TEST(manual, what_differs_says_where_it_holds) {
    const Files files = manual_of(R"(isa sample
parameter P = 1 in 1, 2
code unit 16 little
registers r : 3 of u16 "r{n}"
register  wide : u(8 * P)
format R | OP:13 | D:r |
instructions R [OP] "{name} {D}" {
    1  op  D = P
}
instructions R [OP] "{name} {D}" if P == 2 {
    2  more  D = 2
}
)",
                                  {1, 2});
    EXPECT_NE(files.at("registers.html").find("data-in=\"1\"><dt><code>wide</code></dt><dd>One register of 16 bits"),
              std::string::npos);
    EXPECT_NE(words_of(files.at("instructions/more.html")).find("P 2"), std::string::npos);
    EXPECT_EQ(files.at("instructions/op.html").find("article class=\"form\" data-in"), std::string::npos);
    EXPECT_TRUE(files.contains("map-1.html")) << "its code space is another";
}

TEST(manual, examples_are_assembled) {
    const Files files = manual_of(with_row("1  op  D = A + B"));
    std::smatch found;
    const std::string& page = files.at("instructions/op.html");
    ASSERT_TRUE(std::regex_search(page, found,
                                  std::regex("class=\"example\">op r([0-7]), r([0-7]), r([0-7])</code> "
                                             "<span>assembles to</span> <code>([0-9a-f]{2}) ([0-9a-f]{2})<")));
    const unsigned word = 1u << 12 | unsigned(std::stoul(found[1])) << 9 | unsigned(std::stoul(found[2])) << 6 |
                          unsigned(std::stoul(found[3])) << 3;
    EXPECT_EQ(std::stoul(found[4], nullptr, 16) | std::stoul(found[5], nullptr, 16) << 8, word);
}

TEST(manual, one_page_has_all_its_links_inside) {
    SourceManager sources;
    Diagnostics diagnostics;
    const auto isa = load_isa("wishbone-gpu", sources, diagnostics);
    ASSERT_TRUE(isa);
    const std::string page = manual_as_page({isa, {}}, sources, diagnostics);
    const auto all = [&](const char* pattern) {
        std::vector<std::string> out;
        const std::regex wanted(pattern);
        for (auto at = std::sregex_iterator(page.begin(), page.end(), wanted); at != std::sregex_iterator(); ++at)
            out.push_back((*at)[1]);
        return out;
    };
    const std::vector<std::string> list = all(" id=\"([^\"]*)\""), links = all("(?:href=\"|url\\()#?([^\")]*)");
    const std::set<std::string> ids(list.begin(), list.end());
    EXPECT_EQ(ids.size(), list.size());
    EXPECT_GT(links.size(), 500u);
    for (const std::string& link : links) EXPECT_TRUE(ids.contains(link)) << link;
    EXPECT_TRUE(ids.contains("instructions:fadd"));
    EXPECT_EQ(page.find("<script"), std::string::npos);
    EXPECT_LT(page.find("id=\"instructions:fadd\""), page.find("id=\"opcodes\"")) << "indexes stand at the end";
}

TEST(manual, a_page_of_differences_shows_what_moved) {
    SourceManager sources;
    Diagnostics diagnostics;
    const auto load = [&](const std::string& rows) {
        return load_isa_text("machine.isa", with_row(rows), sources, diagnostics);
    };
    const auto before = load("1  add  D = A + B\n2  sub  D = A - B\n3  old  D = A\n4  low  D = ~A");
    const auto after = load("1  add  D = A + B\n5  sub  D = A - B\n4  low  D = ~B\n6  fresh  D = B & A");
    ASSERT_TRUE(before && after) << to_text(diagnostics, sources);
    const std::string page = diff_page(*before, *after, compare(*before, *after));
    const auto colour_of = [&](const std::string& name) -> std::string {  // of its block in the map
        std::smatch found;
        const std::regex block("<a href=\"[^\"]*\"><title>[^<]*\n" + name + "\n[^]*?fill=\"(#[0-9a-f]{6})\"");
        return std::regex_search(page, found, block) ? found[1].str() : "none";
    };
    const std::set<std::string> colours{colour_of("add"), colour_of("sub"), colour_of("low"), colour_of("fresh")};
    EXPECT_EQ(colours.size(), 4u) << "the same, moved, changed, new";
    EXPECT_FALSE(colours.contains("none"));
    EXPECT_NE(page.find("<title>here was sub</title>"), std::string::npos);
    EXPECT_NE(page.find("<title>here was old</title>"), std::string::npos);
    EXPECT_EQ(page.find("<title>here was add</title>"), std::string::npos);
    EXPECT_NE(words_of(page).find("gone"), std::string::npos);
}

TEST(slug, names_that_differ_have_different_ones) {
    const std::vector<std::string> names{"add", "ADD", "add.w", "add w", "add/w", "../x", ".x", "a~20w", "é", ""};
    std::set<std::string> slugs;
    for (const std::string& name : names) {
        const std::string own = slug(name);
        EXPECT_EQ(own.find_first_of("/ \"<&#?"), std::string::npos) << own;
        EXPECT_FALSE(own.starts_with(".")) << own;
        EXPECT_TRUE(slugs.insert(own).second) << own;
    }
}

TEST(manual, names_that_differ_in_case_alone_are_two_files) {
    const Files files = manual_of(with_row("1  op  D = A\n2  OP  D = B\n3  con  D = 0"));
    std::set<std::string> lower;
    for (const auto& [path, text] : files) {
        std::string own = path;
        for (char& c : own) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
        EXPECT_TRUE(lower.insert(own).second) << path;
    }
    EXPECT_FALSE(files.contains("instructions/con.html")) << "on some systems that is a device";
}

TEST(comments, stand_behind_or_above) {
    SourceManager sources;
    const std::string text =
        "// About it.\n// And more.\n\n// ---- Heading\n// above one\n// in two lines\none \"//\" // behind\n// "
        "above\ntwo\n\nthree\n";
    const FileId file = sources.add("x.isa", text);
    const auto at = [&](const char* word) { return Place{file, static_cast<std::uint32_t>(text.find(word)), 3}; };
    EXPECT_EQ(first_comment(text), "About it. And more.");
    EXPECT_EQ(comment_at(sources, at("one \""), true), "behind");
    EXPECT_EQ(comment_at(sources, at("two\n\n"), true), "above");
    EXPECT_EQ(comment_at(sources, at("two\n\n"), false), "");
    EXPECT_EQ(comment_at(sources, at("three"), true), "");
    EXPECT_EQ(prose("a `<b>` c").str(), "<p class=\"prose\">a <code>&lt;b&gt;</code> c</p>");
}

}  // namespace
}  // namespace isaforge::manual
