// The allocator's findings as sentences.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "allocator/problem.hpp"

namespace isaforge::allocator {

namespace {

std::string list_of(const std::vector<std::string>& words) {
    std::string out;
    for (std::size_t i = 0; i < words.size(); ++i) {
        if (i != 0) out += i + 1 == words.size() ? " and " : ", ";
        out += words[i];
    }
    return out;
}

std::string names_of(const Problem& problem, const std::vector<unsigned>& formats) {
    std::vector<std::string> names;
    for (const unsigned format : formats) names.push_back(problem.formats[format]);
    return list_of(names);
}

std::string counted(std::uint64_t count, const char* thing) {
    return fmt::format("{} {}{}", count, thing, count == 1 ? "" : "s");
}

std::string binary(std::uint64_t value, unsigned width) {
    std::string out;
    for (unsigned i = width; i-- > 0;) out += value >> i & 1 ? '1' : '0';
    return out;
}

std::string name_of(const Problem& problem, std::size_t index) {
    if (index == problem.pools.size()) return problem.pools.empty() ? "the whole space" : "the space outside of all pools";
    const PoolRange& pool = problem.pools[index];
    if (!pool.name.empty()) return "pool " + pool.name;
    return fmt::format("pool {} .. {}", binary(pool.low, pool.width), binary(pool.high, pool.width));
}

std::vector<unsigned> formats_in(const Shortage& shortage) {
    std::vector<unsigned> formats;
    for (const auto& demand : shortage.demands) {
        for (const unsigned format : demand.formats) {
            if (std::find(formats.begin(), formats.end(), format) == formats.end()) formats.push_back(format);
        }
    }
    std::sort(formats.begin(), formats.end());
    return formats;
}

}  // namespace

std::string describe(const Problem& problem, const Shortage& shortage) {
    const std::vector<unsigned> formats = formats_in(shortage);
    const char* const plural = formats.size() == 1 ? "" : "s";
    if (shortage.fragmented) {
        return fmt::format(
            "the opcodes of format{} {} do not fit: their sizes add up to less than there is, but the free space is cut into "
            "pieces that they do not fill; no placement is possible (all were tried, {} in number)",
            plural, names_of(problem, formats), shortage.placements);
    }
    return fmt::format("the opcode space overflows by {}: format{} {} need{} {} of {} bits, and {} left for {}",
                       shortage.needed - shortage.available, plural, names_of(problem, formats),
                       formats.size() == 1 ? "s" : "", counted(shortage.needed, "opcode"), shortage.width,
                       shortage.available == 0   ? "none is"
                       : shortage.available == 1 ? "1 is"
                                                 : fmt::format("{} are", shortage.available),
                       formats.size() == 1 ? "it" : "them");
}

std::vector<std::string> describe_figures(const Problem& problem, const Shortage& shortage) {
    std::vector<std::string> lines;
    for (const auto& demand : shortage.demands) {
        std::string line = fmt::format("{}: {} without a number", names_of(problem, demand.formats),
                                       counted(demand.rows, "row"));
        const std::uint64_t blocks = demand.units >> (shortage.width - demand.width);
        if (demand.extra != 0 || blocks != demand.rows) {
            line += demand.extra != 0
                        ? fmt::format(", with {} in {}", counted(demand.extra, "extra bit"),
                                      counted(blocks, "block"))
                        : fmt::format(" in {}", counted(blocks, "block"));
        }
        if (demand.width != shortage.width) {
            line += fmt::format(" of {} bits, {} each", demand.width,
                                counted(std::uint64_t{1} << (shortage.width - demand.width), "opcode"));
        }
        lines.push_back(line + ": " + counted(demand.units, "opcode"));
    }
    for (const auto& part : shortage.parts) {
        std::string line = fmt::format("{} holds {}", name_of(problem, part.pool), counted(part.holds, "opcode"));
        if (part.fixed != 0) line += fmt::format(", {} taken by rows that have a number", part.fixed);
        if (part.reserved != 0) line += fmt::format(", {} reserved", part.reserved);
        lines.push_back(line);
    }
    return lines;
}

std::string describe(const Problem& problem, const Change& change) {
    switch (change.kind) {
        case Change::Kind::drop_rows: {
            std::vector<std::string> drops;
            for (const auto& [format, count] : change.rows) {
                drops.push_back(fmt::format("{} of {}", counted(count, "row"), problem.formats[format]));
            }
            return "drop " + list_of(drops);
        }
        case Change::Kind::grow_pool_up:
        case Change::Kind::grow_pool_down: {
            const PoolRange& pool = problem.pools[change.subject];
            const bool up = change.kind == Change::Kind::grow_pool_up;
            return fmt::format("let {} {} {}, {} {}", name_of(problem, change.subject), up ? "end at" : "begin at",
                               binary(up ? pool.high + change.amount : pool.low - change.amount, pool.width),
                               counted(change.amount, "opcode"), up ? "later" : "earlier");
        }
        case Change::Kind::wider_opcode:
            return fmt::format("give the opcode of {} one more bit, {} in all", problem.formats[change.subject],
                               change.amount);
        case Change::Kind::extra_bit:
            return fmt::format("give {} one more extra opcode bit behind its opcode", problem.formats[change.subject]);
    }
    return {};
}

}  // namespace isaforge::allocator
