// What is shown between the lines: what a statement became, how much of the opcode space a table takes.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "lsp/features.hpp"
#include "semantics/tree.hpp"

namespace isaforge::lsp {

namespace {

constexpr std::uint64_t most_bytes = 16;  // of a hint
constexpr std::size_t most_hints = 50000;

// The longest delay that a meaning names with a number: `after 2`.
std::uint64_t delay_of(const std::vector<semantics::Statement>& block) {
    std::uint64_t out = 0;
    for (const semantics::Statement& statement : block) {
        if (statement.delay && statement.delay->kind == semantics::ExpressionKind::integer)
            out = std::max(out, statement.delay->integer);
        out = std::max({out, delay_of(statement.body), delay_of(statement.otherwise)});
    }
    return out;
}

std::string timing_of(const Isa& isa, const Form& form) {
    std::string out;
    const Instruction& instruction = isa.instruction_of(form);
    const std::uint64_t delay = instruction.meaning ? delay_of(*instruction.meaning) : 0;
    if (delay != 0) out += fmt::format(" after {}", delay);
    for (const Duration& duration : isa.durations) {
        const bool is_one = form.classes >> duration.of & 1;
        if (is_one && duration.states && duration.states->kind == semantics::ExpressionKind::integer)
            out += fmt::format(" {} states", static_cast<std::uint64_t>(duration.states->integer));
    }
    for (const Arrival& arrival : instruction.arrivals) out += " by " + arrival.counter;
    return out;
}

// "0x10: 01020304 VOP2".
std::string hint_of(const Machine& machine, const Program& program, const ListingEntry& entry) {
    const Section& section = program.object.sections[entry.section];
    const std::uint64_t step = section.executable ? std::max(1u, program.object.address_bytes) : 1;
    std::string out = fmt::format("{:#x}:", entry.offset / step);
    std::string digits;
    for (std::uint64_t i = 0; i < std::min(entry.size, most_bytes); ++i) {
        if (entry.offset + i >= section.bytes.size()) break;
        digits += fmt::format("{:02x}", section.bytes[entry.offset + i]);
    }
    if (!digits.empty()) out += " " + digits + (entry.size > most_bytes ? "…" : "");
    if (!section.executable || entry.offset + entry.size > section.bytes.size()) return out;
    const Image image = machine.codec->load(section.bytes.data() + entry.offset, entry.size);
    unsigned bits = 0;
    const Index form =
        machine.codec->decode(image, static_cast<unsigned>(std::min<std::uint64_t>(entry.size * 8, 256)), bits);
    if (form == no_index || bits != entry.size * 8) return out;
    const Isa& isa = *machine.isa;
    if (isa.forms[form].format != no_index) out += " " + isa.formats[isa.forms[form].format].name;
    return out + timing_of(isa, isa.forms[form]);
}

}  // namespace

Json inlay_hints(Asked& asked) {
    Json out = Json::array();
    const Machine* const machine = asked.machine();
    if (!machine || !asked.params.contains("range")) return out;
    const Document& document = asked.document;
    const Program& program = *document.program;
    const Span range = document.text.span_of(read_range(asked.params.at("range")));
    for (const ListingEntry& entry : program.listing.entries) {
        const Place place = entry.statement;
        const std::uint32_t end = document.now(place.offset + place.length);
        if (end < range.begin || document.now(place.offset) > range.end) continue;
        if (entry.section >= program.object.sections.size() || out.size() >= most_hints) continue;
        out.push_back({{"position", to_json(document.text.position_of(end))},
                       {"label", hint_of(*machine, program, entry)},
                       {"paddingLeft", true}});
    }
    return out;
}

Json code_lenses(Asked& asked) {
    Json out = Json::array();
    const Document& document = asked.document;
    if (!document.description || !document.description->machine) return out;
    const Description& description = *document.description;
    const Isa& isa = *description.machine->isa;
    for (const DescribedTable& table : description.names.tables) {
        if (table.file != description.main) continue;
        std::size_t rows = 0;
        const Rows<Instruction> none;
        for (const Instruction& instruction : description.is_current() ? isa.instructions : none) {
            const Place where = description.sources.origin(instruction.where);
            if (where.file == table.file && table.whole.has(where.offset)) ++rows;
        }
        std::string title = description.is_current() ? fmt::format("{} instruction{}", rows, rows == 1 ? "" : "s") : "";
        for (const SpaceFormat& one : description.has_space ? description.space.formats : std::vector<SpaceFormat>()) {
            if (one.format == no_index) continue;
            const std::string& name = isa.formats[one.format].name;
            if (std::find(table.formats.begin(), table.formats.end(), name) == table.formats.end()) continue;
            title += fmt::format(" · {}: {:.2f} % of the opcode space", name, 100 * one.used.fraction());
            if (one.counted && one.opcode_bits <= 64)
                title +=
                    fmt::format(", {} more of {} bits fit", one.further.count(one.opcode_bits, 0), one.opcode_bits);
        }
        const Json range = to_json(document.text.range_of(document.now(table.head)));
        out.push_back({{"range", range}, {"command", {{"title", title}, {"command", ""}}}});
    }
    return out;
}

Json document_links(Asked& asked) {
    namespace fs = std::filesystem;
    Json out = Json::array();
    const Text& text = asked.text();
    const SourceManager* const sources = asked.document.program       ? &asked.document.program->sources
                                         : asked.document.description ? &asked.document.description->sources
                                                                      : nullptr;
    if (!sources) return out;
    std::set<std::string> known;
    for (FileId file = 1; file <= sources->size(); ++file)
        if (!sources->derivation(file)) known.insert(fs::path(sources->name(file)).lexically_normal().string());
    const std::string_view all = text.str();
    for (std::size_t at = all.find("include"); at != std::string_view::npos; at = all.find("include", at + 7)) {
        const std::size_t line_end = std::min(all.find('\n', at), all.size());
        const std::size_t open = all.find('"', at);
        const std::size_t close = open < line_end ? all.find('"', open + 1) : std::string_view::npos;
        if (close >= line_end) continue;
        const std::string written(all.substr(open + 1, close - open - 1));
        const std::string tail = "/" + fs::path(written).lexically_normal().filename().string();
        for (const std::string& path : known) {
            const bool same =
                path == (fs::path(asked.document.path).parent_path() / written).lexically_normal().string();
            if (!same && !path.ends_with(tail)) continue;
            const Span span{static_cast<std::uint32_t>(open + 1), static_cast<std::uint32_t>(close)};
            out.push_back({{"range", to_json(text.range_of(span))}, {"target", uri_of(path)}});
            break;
        }
    }
    return out;
}

}  // namespace isaforge::lsp
