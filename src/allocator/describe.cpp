// The allocator's findings as sentences.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "allocator/problem.hpp"

namespace isaforge::allocator {

namespace {

constexpr std::size_t most_listed = 24;

std::string list_of(std::vector<std::string> words, const char* last = " and ") {
    std::string out;
    if (words.size() > most_listed) {
        const std::size_t more = words.size() - most_listed + 1;
        words.resize(most_listed - 1);
        words.push_back(fmt::format("{} more", more));
    }
    for (std::size_t i = 0; i < words.size(); ++i) {
        if (i != 0) out += i + 1 == words.size() ? last : ", ";
        out += words[i];
    }
    return out;
}

std::string names_of(const Problem& problem, const std::vector<unsigned>& formats) {
    std::vector<std::string> names;
    names.reserve(formats.size());
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
    if (index == problem.pools.size())
        return problem.pools.empty() ? "the whole space" : "the space outside of all pools";
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
    if (shortage.searched) {
        return fmt::format(
            "the rows of format{} {} that wait for opcodes do not fit beside one another and those that have "
            "one; every choice was tried",
            plural, names_of(problem, formats));
    }
    if (shortage.fragmented) {
        return fmt::format(
            "the opcodes of format{} {} do not fit: their sizes add up to no more than there is, but the free space is "
            "cut into "
            "pieces in which no placement exists; every one was tried",
            plural, names_of(problem, formats));
    }
    return fmt::format("the opcode space overflows by {}: format{} {} need{} {} of {}, and {} left for {}",
                       shortage.needed - shortage.available, plural, names_of(problem, formats),
                       formats.size() == 1 ? "s" : "", counted(shortage.needed, "opcode"),
                       counted(shortage.width, "bit"),
                       shortage.available == 0   ? "none is"
                       : shortage.available == 1 ? "1 is"
                                                 : fmt::format("{} are", shortage.available),
                       formats.size() == 1 ? "it" : "them");
}

std::vector<std::string> describe_figures(const Problem& problem, const Shortage& shortage) {
    std::vector<std::string> lines;
    for (const auto& demand : shortage.demands) {
        if (shortage.searched) {
            lines.push_back(fmt::format("{}: {} {} free, for {}", names_of(problem, demand.formats),
                                        counted(demand.units, "opcode"), demand.units == 1 ? "is" : "are",
                                        counted(demand.rows, "row")));
            continue;
        }
        std::string line = fmt::format("{}: {}, for {}", names_of(problem, demand.formats),
                                       counted(demand.units, "opcode"), counted(demand.rows, "row"));
        const std::uint64_t blocks = demand.units >> (shortage.width - demand.width);
        if (demand.width != shortage.width || blocks != demand.rows) {
            line += fmt::format(" in {} of {}", counted(blocks, "block"), counted(demand.width, "bit"));
        }
        if (demand.extra != 0) line += fmt::format(" with {}", counted(demand.extra, "extra bit"));
        lines.push_back(line);
    }
    for (const auto& part : shortage.parts) {
        std::string line = fmt::format("{} holds {}", name_of(problem, part.pool), counted(part.holds, "opcode"));
        if (part.fixed != 0) line += fmt::format(", {} taken by rows that have a number", part.fixed);
        if (part.reserved != 0) line += fmt::format(", {} reserved", part.reserved);
        lines.push_back(line);
    }
    return lines;
}

std::string describe(const Problem& problem, const std::vector<Change>& alike) {
    const Change& first = alike.front();
    std::vector<std::string> subjects;
    switch (first.kind) {
        case Change::Kind::drop_rows:
            if (first.rows.size() != 1) {
                for (const auto& [format, count] : first.rows) {
                    subjects.push_back(fmt::format("{} of {}", counted(count, "row"), problem.formats[format]));
                }
                return "drop " + list_of(subjects);
            }
            for (const Change& change : alike) subjects.push_back(problem.formats[change.rows.front().first]);
            return fmt::format("drop {} of {}", counted(first.rows.front().second, "row"), list_of(subjects, " or "));
        case Change::Kind::grow_pool_up:
        case Change::Kind::grow_pool_down: {
            const PoolRange& pool = problem.pools[first.subject];
            const bool up = first.kind == Change::Kind::grow_pool_up;
            return fmt::format("let {} {} {}, {} {}", name_of(problem, first.subject), up ? "end at" : "begin at",
                               binary(up ? pool.high + first.amount : pool.low - first.amount, pool.width),
                               counted(first.amount, "opcode"), up ? "later" : "earlier");
        }
        case Change::Kind::wider_opcode:
        case Change::Kind::extra_bit:
            for (const Change& change : alike) subjects.push_back(problem.formats[change.subject]);
            return first.kind == Change::Kind::wider_opcode
                       ? fmt::format("give the opcode of {} one more bit", list_of(subjects, " or "))
                       : fmt::format("give {} one more opcode bit behind its opcode", list_of(subjects, " or "));
    }
    return {};
}

std::vector<std::vector<Change>> grouped(const std::vector<Change>& changes) {
    std::vector<std::vector<Change>> groups;
    for (const Change& change : changes) {
        const auto alike = [&](const std::vector<Change>& group) {
            const Change& first = group.front();
            if (first.kind != change.kind) return false;
            switch (change.kind) {
                case Change::Kind::drop_rows:
                    return first.rows.size() == 1 && change.rows.size() == 1 &&
                           first.rows.front().second == change.rows.front().second;
                case Change::Kind::grow_pool_up:
                case Change::Kind::grow_pool_down: return false;
                default: return true;
            }
        };
        const auto group = std::find_if(groups.begin(), groups.end(), alike);
        if (group == groups.end()) {
            groups.push_back({change});
        } else {
            group->push_back(change);
        }
    }
    // Of rows, the fewest first.
    std::stable_sort(groups.begin(), groups.end(), [](const auto& a, const auto& b) {
        const auto rank = [](const std::vector<Change>& group) {
            const bool drops = group.front().kind == Change::Kind::drop_rows;
            return std::pair(!drops, drops ? group.front().rows.front().second : 0);
        };
        return rank(a) < rank(b);
    });
    return groups;
}

}  // namespace isaforge::allocator
