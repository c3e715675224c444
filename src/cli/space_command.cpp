// `isaforge space`: what of the code space is used, reserved and free.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/arguments.hpp"
#include "cli/command.hpp"
#include "cli/session.hpp"
#include "cli/terminal.hpp"
#include "isaforge/space.hpp"

namespace isaforge::cli {

namespace {

using Json = nlohmann::ordered_json;

struct Options {
    IsaChoice isa;
    bool json = false;
    bool all = false;
};

constexpr std::size_t most_ranges = 24;  // shown without --all
constexpr unsigned most_widths = 16;     // likewise
constexpr std::size_t page_width = 100;

// "65,536", with what is behind the point as it is.
std::string grouped(const std::string& number) {
    const std::size_t first = number.starts_with('<') ? 1 : 0;
    const std::size_t point = std::min(number.find('.'), number.size());
    std::string out = number.substr(0, first);
    for (std::size_t i = first; i < point; ++i) {
        if (i > first && (point - i) % 3 == 0) out += ',';
        out += number[i];
    }
    return out + number.substr(point);
}

std::string words(const Share& share, const Space& space) { return grouped(share.count(space.unit_bits, 2)); }

std::string percent(const Share& share) {
    const double value = share.fraction() * 100;
    if (!share.is_zero() && value < 0.005) return "<0.01 %";
    if (share != Share::block(0) && value > 99.995) return ">99.99 %";
    return fmt::format("{:.2f} %", value);
}

std::string lengths_text(const std::vector<unsigned>& lengths) { return fmt::format("{}", fmt::join(lengths, ", ")); }

// Columns as wide as what stands in them; the first is flush left, and so is every one whose head begins with '<'.
class Table {
public:
    explicit Table(std::vector<std::string> head) {
        for (std::string& cell : head) {
            left_.push_back(left_.empty() || cell.starts_with('<'));
            if (cell.starts_with('<')) cell.erase(0, 1);
        }
        rows_.push_back(std::move(head));
    }
    void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
    void print() const {
        std::vector<std::size_t> widths(rows_[0].size());
        for (const auto& row : rows_) {
            for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
        }
        for (const auto& row : rows_) {
            std::string line;
            for (std::size_t i = 0; i < row.size(); ++i) {
                if (i > 0) line += "  ";
                line += left_[i] ? fmt::format("{:<{}}", row[i], widths[i]) : fmt::format("{:>{}}", row[i], widths[i]);
            }
            line.erase(line.find_last_not_of(' ') + 1);
            say(fmt::format("{}\n", line));
        }
    }

private:
    std::vector<std::vector<std::string>> rows_;
    std::vector<bool> left_;
};

std::string opcode_text(const SpaceFormat& format) {
    if (format.opcode_bits == 0) return "-";
    return fmt::format("{}:{}", fmt::join(format.opcode_fields, "+"), format.opcode_bits);
}

std::string further_text(const SpaceFormat& format) {
    if (!format.counted) return "?";
    return grouped(format.further.count(format.opcode_bits, 0));
}

void print_totals(const Isa& isa, const Space& space) {
    std::vector<unsigned> lengths;
    for (const SpaceLength& length : space.lengths) lengths.push_back(length.bits);
    const std::size_t count = isa.instructions.size();
    say(fmt::format("{}: {} instruction{}{}; a word is the first {} bits, there are {}\n\n", isa.variant, count,
                    count == 1 ? "" : "s", lengths.empty() ? "" : fmt::format(" of {} bits", lengths_text(lengths)),
                    space.unit_bits, words(Share::block(0), space)));
    Table table({"", "words", "of all", "forms"});
    table.add({"used", words(space.used, space), percent(space.used), ""});
    for (const SpaceLength& length : space.lengths) {
        table.add({fmt::format("  {} bits", length.bits), words(length.used, space), percent(length.used),
                   fmt::format("{}", length.forms)});
    }
    table.add({"reserved", words(space.reserved, space), percent(space.reserved), ""});
    table.add({"free", words(space.free, space), percent(space.free), ""});
    table.print();
}

void print_formats(const Isa& isa, const Space& space) {
    Table table({"format", "<bits", "instructions", "words", "of all", "stretches", "<opcode", "more fit"});
    for (const SpaceFormat& format : space.formats) {
        if (format.instructions == 0) continue;
        table.add({isa.formats[format.format].name, lengths_text(format.lengths),
                   fmt::format("{}", format.instructions), words(format.used, space), percent(format.used),
                   fmt::format("{}", format.stretches), opcode_text(format), further_text(format)});
    }
    say("\n");
    table.print();
}

// "pool 1  LOW .. HIGH  for A, B, C", the list of formats as wide as the page.
void print_bounds(const Isa& isa, const Space& space, const Pool& pool, const std::string& name) {
    const unsigned digits = std::max(pool.width, std::min(space.unit_bits, 16u));
    std::string line = fmt::format("pool {}  {} .. {}  for", name, leading_pattern(pool.low, pool.width, digits),
                                   leading_pattern(pool.high, pool.width, digits));
    for (const Index format : pool.formats) {
        const std::string& one = isa.formats[format].name;
        if (line.size() + one.size() + 1 > page_width) {
            say(fmt::format("{}\n", line));
            line = "       ";
        }
        line += " " + one;
    }
    say(fmt::format("{}\n", line));
}

// A pool's opcodes are counted in its own width.
void print_pools(const Isa& isa, const Space& space) {
    if (space.pools.empty()) return;
    Table table(
        {"pool", "bits", "opcodes", "claimed", "used", "partly", "reserved", "free", "instructions", "outside"});
    std::vector<std::string> names;
    for (const SpacePool& counted : space.pools) {
        const Pool& pool = isa.pools[counted.pool];
        const auto opcodes = [&](const Share& share) { return grouped(share.count(pool.width, 0)); };
        names.push_back(pool.name.empty() ? fmt::format("{}", counted.pool + 1) : pool.name);
        table.add({names.back(), fmt::format("{}", pool.width), opcodes(counted.size),
                   pool.capacity ? fmt::format("{}", *pool.capacity) : "-", opcodes(counted.used),
                   opcodes(counted.partly), opcodes(counted.reserved), opcodes(counted.free),
                   fmt::format("{}", counted.instructions), fmt::format("{}", counted.outside)});
    }
    say("\n");
    table.print();
    say("\n");
    for (std::size_t i = 0; i < names.size(); ++i) print_bounds(isa, space, isa.pools[space.pools[i].pool], names[i]);
}

void print_ranges(const Space& space, bool all) {
    if (space.free_ranges.empty()) {
        say(fmt::format("\nno block of {} leading bits is free\n", space.depth));
        return;
    }
    const std::size_t count = space.free_ranges.size();
    say(fmt::format("\n{} free range{} of {} leading bits, {} words together", count, count == 1 ? "" : "s",
                    space.depth, words(space.free_in_ranges, space)));
    const Share between = space.free - space.free_in_ranges;
    if (!between.is_zero())
        say(fmt::format("; {} free words lie between those of instructions", words(between, space)));
    say("\n");
    Table table({"range", "words", "<"});
    std::size_t left_out = 0;
    for (std::size_t i = 0; i < count; ++i) {
        const bool named = i == space.longest || i == space.cheapest;
        if (!all && !named && i >= most_ranges) {
            ++left_out;
            continue;
        }
        std::string remark = i == space.longest ? "longest" : "";
        if (i == space.cheapest) remark += remark.empty() ? "cheapest" : ", cheapest";
        table.add({range_text(space.free_ranges[i]), words(space.free_ranges[i].size(), space), remark});
    }
    table.print();
    if (left_out > 0) say(fmt::format("… and {} more; --all lists them\n", left_out));
}

void print_fits(const Space& space, bool all) {
    say(fmt::format("\nopcodes that still fit, by their width, and the smallest free block that has room for one\n"));
    Table out({"bits", "opcodes", "<cheapest"});
    for (const SpaceFit& fit : space.fits) {
        if (fit.opcodes.is_zero() || (!all && fit.width > most_widths)) continue;
        out.add({fmt::format("{}", fit.width), grouped(fit.opcodes.count(fit.width, 0)),
                 fit.somewhere ? leading_pattern(fit.cheapest.low, fit.cheapest.width, space.depth) : "-"});
    }
    out.print();
}

Json share_json(const Share& share, const Space& space) {
    return {{"words", std::ldexp(share.fraction(), static_cast<int>(space.unit_bits))},
            {"exact", share.exact(space.unit_bits)},
            {"percent", share.fraction() * 100}};
}

Json range_json(const SpaceRange& range, const Space& space) {
    Json out{{"range", range_text(range)},
             {"bits", range.width},
             {"low", leading_pattern(range.low, range.width, range.width)},
             {"high", leading_pattern(range.high, range.width, range.width)}};
    out["size"] = share_json(range.size(), space);
    return out;
}

Json formats_json(const Isa& isa, const Space& space) {
    Json out = Json::array();
    for (const SpaceFormat& format : space.formats) {
        Json one{{"name", isa.formats[format.format].name},
                 {"lengths", format.lengths},
                 {"instructions", format.instructions},
                 {"used", share_json(format.used, space)},
                 {"stretches", format.stretches},
                 {"opcode", {{"fields", format.opcode_fields}, {"bits", format.opcode_bits}}}};
        one["further"] = format.counted ? Json(format.further.exact(format.opcode_bits)) : Json();
        out.push_back(std::move(one));
    }
    return out;
}

Json pools_json(const Isa& isa, const Space& space) {
    Json out = Json::array();
    for (const SpacePool& counted : space.pools) {
        const Pool& pool = isa.pools[counted.pool];
        std::vector<std::string> names;
        for (const Index format : pool.formats) names.push_back(isa.formats[format].name);
        out.push_back({{"name", pool.name},
                       {"formats", names},
                       {"bits", pool.width},
                       {"low", leading_pattern(pool.low, pool.width, pool.width)},
                       {"high", leading_pattern(pool.high, pool.width, pool.width)},
                       {"opcodes", counted.size.exact(pool.width)},
                       {"claimed", pool.capacity ? Json(*pool.capacity) : Json()},
                       {"used", counted.used.exact(pool.width)},
                       {"partly", counted.partly.exact(pool.width)},
                       {"reserved", counted.reserved.exact(pool.width)},
                       {"free", counted.free.exact(pool.width)},
                       {"words_used", share_json(counted.words_used, space)},
                       {"instructions", counted.instructions},
                       {"outside", counted.outside}});
    }
    return out;
}

Json space_json(const Isa& isa, const Space& space) {
    Json out{{"isa", isa.variant}, {"unit_bits", space.unit_bits}, {"depth", space.depth}};
    out["used"] = share_json(space.used, space);
    out["reserved"] = share_json(space.reserved, space);
    out["free"] = share_json(space.free, space);
    out["lengths"] = Json::array();
    for (const SpaceLength& length : space.lengths) {
        out["lengths"].push_back(
            {{"bits", length.bits}, {"forms", length.forms}, {"used", share_json(length.used, space)}});
    }
    out["formats"] = formats_json(isa, space);
    out["pools"] = pools_json(isa, space);
    out["free_ranges"] = Json::array();
    for (const SpaceRange& range : space.free_ranges) out["free_ranges"].push_back(range_json(range, space));
    const bool any = !space.free_ranges.empty();
    out["longest"] = any ? range_json(space.free_ranges[space.longest], space) : Json();
    out["cheapest"] = any ? range_json(space.free_ranges[space.cheapest], space) : Json();
    out["fits"] = Json::array();
    for (const SpaceFit& fit : space.fits) {
        Json one{{"bits", fit.width}, {"opcodes", fit.opcodes.exact(fit.width)}};
        one["cheapest"] =
            fit.somewhere ? Json(leading_pattern(fit.cheapest.low, fit.cheapest.width, space.depth)) : Json();
        out["fits"].push_back(std::move(one));
    }
    return out;
}

int space(const Options& options) {
    Session session;
    const std::shared_ptr<const Isa> isa = session.load(options.isa);
    Space space;
    const bool counted = isa && account_space(*isa, space, session.diagnostics);
    const int status = session.report();
    if (!counted) return status == success ? input_error : status;
    if (options.json) {
        say(fmt::format("{}\n", space_json(*isa, space).dump(1, ' ', false, Json::error_handler_t::replace)));
        return status;
    }
    print_totals(*isa, space);
    print_formats(*isa, space);
    print_pools(*isa, space);
    print_ranges(space, options.all);
    print_fits(space, options.all);
    return status;
}

Action define(Arguments& app) {
    auto options = std::make_shared<Options>();
    add_isa_positional(app, options->isa);
    app.add_flag("--json", options->json, "Print one JSON object, with all numbers exact");
    app.add_flag("--all", options->all, "List every free range and every width of opcodes");
    return [options] { return space(*options); };
}

constexpr Command command{about_descriptions, "space", "Count what of the code space is used and free",
                          "Counts are in words: the values of an instruction's first unit.\n\n"
                          "Examples:\n"
                          "  isaforge space wishbone-gpu\n"
                          "  isaforge space machine.isa --json | jq .longest.range\n",
                          define};
const Registration registration{command};

}  // namespace

}  // namespace isaforge::cli
