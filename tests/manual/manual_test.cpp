// What a manual says of small descriptions.
#include "manual/manual.hpp"

#include <gtest/gtest.h>

#include <map>
#include <regex>
#include <set>

#include "manual/diff_page.hpp"
#include "manual/markdown.hpp"
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

// What stands between <main> and </main>, without tags of the frame.
std::string content_of(const std::string& page) {
    const std::size_t begin = page.find('>', page.find("<main")) + 2;
    return page.substr(begin, page.find("\n</main>") - begin);
}

TEST(manual, markdown_becomes_markup_and_html_stays_text) {
    const auto nowhere = [](std::string_view) { return std::string(); };
    const auto place = [](std::string_view name) { return name == "add" ? std::string("add.html") : std::string(); };
    const auto page = [](std::string_view file) {
        return file == "next.md" ? std::string("page-next.html") : std::string();
    };
    const auto html = [&](std::string_view text, Markdown::As as = Markdown::As::page) {
        const std::string out = Markdown{as, place, page}.html(text).str();
        EXPECT_TRUE(out.starts_with("<div class=\"prose\">") && out.ends_with("</div>")) << out;
        return out.substr(19, out.size() - 25);
    };
    const std::pair<const char*, const char*> cases[] = {
        {"a *b* **c** `d < e`", "<p>a <i>b</i> <strong>c</strong> <code>d &lt; e</code></p>"},
        {"`add` it", "<p><a href=\"add.html\"><code>add</code></a> it</p>"},
        {"[see `add`](next.md#more)", "<p><a href=\"page-next.html#more\">see <code>add</code></a></p>"},
        {"[a](docs/next.md) [b](other.md) [c](#here)",
         "<p><a href=\"page-next.html\">a</a> b <a href=\"#here\">c</a></p>"},
        {"[a](https://b.c/?d&e) [f](mailto:g@h.i)",
         "<p><a href=\"https://b.c/?d&amp;e\">a</a> <a href=\"mailto:g@h.i\">f</a></p>"},
        {"[a](javascript:b) [c](java&#115;cript:d) [e](data:f) <javascript:g> [h](//i.j)",
         "<p>a c e javascript:g h</p>"},
        {"<b onclick=\"x\">bold</b>\n\n<script>\ny\n</script>",
         "<p>&lt;b onclick=&quot;x&quot;&gt;bold&lt;/b&gt;</p><p>&lt;script&gt;\ny\n&lt;/script&gt;</p>"},
        {"![words](x.png)", "<p>words</p>"},
        {"&copy; &lt;i&gt; \\*", "<p>&copy; &lt;i&gt; *</p>"},
        {"```asm x.s\na & b\n```", "<pre tabindex=\"0\"><code>a &amp; b\n</code></pre>"},
        {"3. a\n4. b", "<ol start=\"3\"><li>a</li><li>b</li></ol>"},
        {"## A\n## B\n### C", "<h2 id=\"a\">A</h2><h2 id=\"b\">B</h2><h3 id=\"c\">C</h3>"},
        {"# A\n### B\n# A\n## Content",
         "<h2 id=\"a\">A</h2><h3 id=\"b\">B</h3><h2 id=\"a~\">A</h2><h3 id=\"content~\">Content</h3>"},
        {"| |b|\n|---|---|\n|1|2|",
         "<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"Table\"><table><thead><tr><td></td>"
         "<th scope=\"col\">b</th></tr></thead><tbody><tr><td>1</td><td>2</td></tr></tbody></table></div>"},
    };
    for (const auto& [text, expected] : cases) EXPECT_EQ(html(text), expected) << text;
    EXPECT_EQ(html("# A `b`", Markdown::As::part), "<p><strong>A <code>b</code></strong></p>");
    EXPECT_EQ(Markdown({Markdown::As::part, nowhere, nowhere}).html("").str(), "<div class=\"prose\"></div>");
}

TEST(manual, prose_stands_where_it_belongs) {
    const Files files = manual_of(R"(isa sample "A sample"
code unit 16 little
registers r : 3 of u16 "r{n}"       // a comment that gives way
doc "Where `add` puts things."
memory data : u8 little             // a comment that stays
format RR | OP:4 | D:r | A:r | B:r | -:3 |
doc "Three *registers*."
instructions RR [OP] "{name} {D}, {A}, {B}" {
    1  add  D = A + B               // likewise one
       doc "Puts it into `r`."
       doc ""
       doc "See `sub` & `nothing`."
    2  sub  D = A - data.u16[B]
}
)");
    const std::string add = content_of(files.at("instructions/add.html"));
    EXPECT_NE(
        add.find("<div class=\"prose\"><p>Puts it into <a href=\"../registers.html#r\"><code>r</code></a>.</p><p>See "
                 "<a href=\"../instructions/sub.html\"><code>sub</code></a> &amp; <code>nothing</code>.</p></div>"),
        std::string::npos)
        << add;
    EXPECT_EQ(add.find("likewise one"), add.rfind("likewise one")) << "but for the line of the description";
    EXPECT_NE(content_of(files.at("registers.html")).find("Where <a href=\"instructions/add.html\">"),
              std::string::npos);
    EXPECT_EQ(content_of(files.at("registers.html")).find("gives way"), std::string::npos);
    EXPECT_NE(content_of(files.at("machine.html")).find("a comment that stays"), std::string::npos);
    EXPECT_NE(content_of(files.at("formats.html")).find("Three <i>registers</i>."), std::string::npos);
}

// With what stands for the names of what is repeated.
TEST(manual, rows_that_are_repeated_are_shown_as_they_were_read) {
    const Files files = manual_of(R"(isa sample "A sample"
code unit 16 little
registers r : 3 of u16 "r{n}"
format RR | OP:4 | D:r | A:r | B:r | -:3 |
part row(o, name, does) {
    o + 1  {name}_twice  D = does(A, B)
}
instructions RR [OP] "{name} {D}, {A}, {B}" {
    for (o, name) in (1, min) (3, max) {
        o  name  D = name(A, B)
        use row(o, name, name)
    }
}
)");
    const auto row_of = [&](const std::string& name) {
        const std::string page = content_of(files.at("instructions/" + name + ".html"));
        const std::size_t begin = page.find("machine.isa:");
        return page.substr(begin, page.find("</section>", begin) - begin);
    };
    EXPECT_NE(row_of("max").find("3  max  D = max(A, B)"), std::string::npos) << row_of("max");
    EXPECT_NE(row_of("max_twice").find("3 + 1  max_twice  D = max(A, B)"), std::string::npos) << row_of("max_twice");
}

TEST(manual, pages_of_prose_are_in_the_navigation) {
    SourceManager sources;
    Diagnostics diagnostics;
    std::vector<Configuration> configurations;
    const auto isa = load_isa("fabrisc-2022-05-15", sources, diagnostics);
    ASSERT_TRUE(isa) << to_text(diagnostics, sources);
    ASSERT_EQ(isa->pages.size(), 2u);
    EXPECT_EQ(isa->pages[1].file, "machine.md");
    configurations.push_back({isa, {}});
    Files files;
    write_manual(configurations, sources, Diagnostics{},
                 [&](const std::string& path, std::string_view text) { return files.emplace(path, text).second; });
    for (const char* const page : {"index.html", "map.html", "page-getting-started.html"})
        EXPECT_NE(files.at(page).find("<li><a href=\"page-getting-started.html\""), std::string::npos) << page;
    EXPECT_NE(files.at("instructions/ADD.html").find("<a href=\"../page-the-machine.html\">The machine</a>"),
              std::string::npos);
    EXPECT_NE(
        content_of(files.at("page-getting-started.html")).find("<a href=\"page-the-machine.html\">The machine</a>"),
        std::string::npos);
    EXPECT_NE(files.at("search.js").find("\"page-the-machine.html\""), std::string::npos);
    const std::string whole = manual_as_page(configurations[0], sources, Diagnostics{});
    EXPECT_NE(whole.find("<a href=\"#page-the-machine\">The machine</a>"), std::string::npos);
    EXPECT_NE(whole.find("<h3 id=\"page-the-machine:masks\">Masks</h3>"), std::string::npos);
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
