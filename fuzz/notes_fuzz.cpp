// Any text as notes: reading and checking them, with a part of them as a list of instructions, reports what is wrong and
// nothing else; a draft made from them loads. So it is in every notation.
#include "isaforge/notations.hpp"
#include "isaforge/notes.hpp"
#include "text.hpp"

using namespace isaforge;

namespace {

// The shipped notes; the documentation of the notation has all of it.
const fuzz::Pieces& pieces() {
    static const fuzz::Pieces all({fuzz::read_file(ISAFORGE_SOURCE_DIR "/docs/notes.md"),
                                   fuzz::read_file(ISAFORGE_SOURCE_DIR "/examples/pebble/notes.txt"),
                                   fuzz::read_file(ISAFORGE_SOURCE_DIR "/examples/pebble/instructions.tsv"),
                                   fuzz::read_file(ISAFORGE_SOURCE_DIR "/tests/notes/wishbone-gpu/pasted.tsv"),
                                   fuzz::read_file(ISAFORGE_SOURCE_DIR "/tests/notes/wishbone-gpu/sheet.tsv"),
                                   fuzz::read_file(ISAFORGE_SOURCE_DIR "/tests/notes/gcn/operands.md")});
    return all;
}

const fuzz::Grammar& grammar() {
    static const fuzz::Grammar all(
        {
            {'l',
             {"[%f] %c\n",
              "[%f] format { length: %wB\n",
              "}\n",
              "- lengths: %wB, %wB\n",
              "%n(%w): \"%m\"\n",
              "    \"%m\" -> %n\n",
              "('%m' is %n: %w, %w, %w)\n",
              "%b ... %b  max: %w; current: %w; free: %w\n",
              "[%f]: %w\n",
              "max opcode pool: %w\n",
              "%w combinations left\n",
              "%n\t%f\t%n\t%n\t%n\n",
              "\x01\n",
              "[%f, %f.l] %n(%w): \"%m\"\n",
              "%n:  %o\n",
              "%h\n",
              "%n %n\t%s\n",
              "\t%s\n",
              "%n\n",
              "%k\n%r\n%r\n",
              "%t\n",
              "%r\n"}},
            {'t',
             {"%n", "<table>%t</table>", "<tr><td rowspan=%w>%n<td colspan=%w>%b%t", "<th>%w<th>%w%t",
              "</td><td>&#%w;%t", "<!-- ", "\\begin{bytefield}{%w}%t\\end{bytefield}", "\\bitbox{%w}{%n} & %t",
              "\\wordbox{%w}{%b} \\\\ %t", "\\begin{rightwordgroup}{%n}", "[{reg: [%t], config: {bits: %w}}]",
              "{bits: %w, name: '%n', attr: %w}, %t", "{\"bits\": %w, \"name\": %w}",
              "%n rd rs1 %w..%w=%w %w=%w imm12\n", "\"%n\", %w, %w\n", "%n %n  00%m 11 %m\n", "0001%m rrr %n\n"}},
            {'h', {"x\t7\t6\t5\t4\t3\t2\t1\t0", "x,0,1,2,3,4,5,6,7", "|x|3|2|1|0|\n|--|--|--|--|--|"}},
            {'s', {"%n", "%b", "%b\t%s", "\t%s", "%n\t%s", "%n[%w:%w]\t%s", "k_ra\tk\t%s"}},
            {'k', {"Code | Name | Since\n---|---|---", "| Binary | Name |\n|---|---|"}},
            {'r', {"%w | %n | (M%w/%w)", "%w-%w | %n%w - %n%w | GEN%w", "| %w | -%w |", "%w | %n, %n | %n", "%b | -"}},
            {'c', {"|%n(%w)|", "|%n(%w)%c", "|%n(%w/%w)%c", "|%n(%w)|%n(%w)|%n(%w)|%n(%w)|  %w"}},
            {'f', {"A", "B", "B.l", "?", "%n"}},
            {'w', {"08", "16", "24", "05", "??", "%1"}},
            {'m', {"tt", "ttmuu", "m01tt", "-", "xx%m", "0%m"}},
            {'b', {"0111000xxxxxxxxx", "1100111xxxxxxxxx", "0000000000000000", "1111111111111111", "xxxx", "%m"}},
            {'o', {"r,r,i", "R-R-I", "-", "r"}},
        },
        [](char rule, fuzz::Random& random) {
            return rule == '1' ? fuzz::number_text(random) : std::string(pieces().word(random));
        });
    return all;
}

}  // namespace

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed) {
    return fuzz::mutate(data, size, most, seed, [](std::string& text, fuzz::Random& random) {
        fuzz::change_text(text, random, pieces(), [](fuzz::Random& r) { return grammar().make('l', r); });
    });
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    SourceManager sources;
    Diagnostics diagnostics;
    const std::string text(fuzz::text_of(data, size));
    const std::size_t split = std::min(text.find('\x01'), text.size());
    const Notes notes = read_notes(sources.add("notes.txt", text.substr(0, split)), sources, diagnostics);
    const auto list = read_instruction_list(sources.add("list.tsv", text.substr(split)), sources, diagnostics);
    check_notes(notes, list, diagnostics);
    to_text(diagnostics, sources);
    const bool is_good_list = diagnostics.ok();
    for (const auto& rows : {std::vector<ListedInstruction>{}, list}) {
        if (!rows.empty() && !is_good_list) continue;
        Diagnostics found;
        fuzz::require(load_isa_text("draft.isa", import_notes(notes, rows, sources, "fuzz"), sources, found) !=
                      nullptr);
    }
    for (const std::string& name : notation_names()) {
        const Notation notation = *notation_named(name);
        if (notation == Notation::bars) continue;
        SourceManager own;
        const FileId file = own.add("notes.txt", text);
        notation_of(file, own);
        const NotedTables tables = read_noted_tables(notation, file, own);
        Diagnostics found;
        check_noted_tables(tables, own, found);
        to_text(found, own);
        if (!tables.empty()) {
            SourceManager ours;
            Diagnostics drafts;
            fuzz::require(load_isa_text("draft.isa", import_noted_tables(tables, own, "fuzz"), ours, drafts) !=
                          nullptr);
        }
    }
    return 0;
}
