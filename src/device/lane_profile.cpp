#include "device/lane_profile.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <nlohmann/json.hpp>
#include <set>

#include "codeobject/target.hpp"
#include "device/compute_abi.hpp"

namespace isaforge::device {

namespace {

constexpr unsigned most_wavefronts = 10;         // of a SIMD
constexpr std::uint64_t unit_group_memory = 64 * 1024;   // of a compute unit, which has four SIMDs
constexpr unsigned simds = 4;

double ratio(std::uint64_t part, std::uint64_t whole) {
    return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

unsigned round_up(unsigned value, unsigned granule) { return (value + granule - 1) / granule * granule; }

// Cycles behind the first that lanes wait, because a bank gives one word of four bytes in each.
std::uint64_t waits_for_banks(const std::vector<std::uint64_t>& words) {
    std::set<std::uint64_t> of_bank[LaneProfile::banks];
    for (const std::uint64_t word : words) of_bank[word % LaneProfile::banks].insert(word);
    std::size_t most = 1;
    for (const auto& each : of_bank) most = std::max(most, each.size());
    return most - 1;
}

}  // namespace

void LaneProfile::Count::add(const Count& other) {
    executed += other.executed;
    lanes += other.lanes;
    partial += other.partial;
    accesses += other.accesses;
    lines += other.lines;
    shared += other.shared;
    waits += other.waits;
}

LaneProfile::LaneProfile(Machine& machine, const KernelInfo& kernel, std::uint32_t group_bytes, unsigned group_items,
                         std::string_view processor)
    : machine_(machine),
      kernel_(kernel),
      group_bytes_(kernel.group_bytes + group_bytes),
      group_items_(group_items),
      processor_(processor),
      seen_(machine.harts()) {
    std::uint64_t number = 0;
    machine.find_register("exec", exec_, number);
}

// The lanes that were on before the instruction, which may have changed that.
std::uint64_t LaneProfile::lanes_before(unsigned hart) {
    Machine& machine = machine_.hart(hart);
    Seen& seen = seen_[hart];
    const std::uint64_t now = machine.get(exec_, 0);
    const std::uint64_t before = seen.group == machine.group_number() ? seen.lanes : now;
    seen = {machine.group_number(), now};
    return before;
}

void LaneProfile::note_accesses(const TraceRecord& record, Count& count) const {
    std::set<std::uint64_t> lines;
    std::vector<std::uint64_t> words;
    bool shared = false;
    std::uint64_t waits = 0, lanes_together = 0;
    for (const TraceRecord::Access& access : record.accesses) {
        const std::uint64_t last = access.address + access.bits / 8 - 1;
        if (!machine_.isa().memories[access.memory].per_group) {
            for (std::uint64_t line = access.address / line_bytes; line <= last / line_bytes; ++line)
                lines.insert(line);
            continue;
        }
        shared = true;
        for (std::uint64_t word = access.address / 4; word <= last / 4; ++word) words.push_back(word);
        if (++lanes_together % banks == 0) waits += waits_for_banks(words), words.clear();
    }
    if (shared) {
        ++count.shared;
        count.waits += waits + (words.empty() ? 0 : waits_for_banks(words));
    }
    if (lines.empty()) return;
    ++count.accesses;
    count.lines += lines.size();
}

void LaneProfile::note(const TraceRecord& record, unsigned hart) {
    const std::uint64_t active = lanes_before(hart);
    const bool is_vector =
        record.form != no_index &&
        !machine_.isa().instructions[machine_.isa().forms[record.form].instruction].names[0].starts_with("s_");
    if (!is_vector) {
        ++scalar_;
        return;
    }
    Count& count = counts_[record.address];
    ++count.executed;
    count.lanes += static_cast<unsigned>(std::popcount(active));
    if (active != ~std::uint64_t{0}) ++count.partial;
    note_accesses(record, count);
}

LaneProfile::Occupancy LaneProfile::occupancy() const {
    const codeobject::Processor* const processor = codeobject::find_processor(processor_);
    const unsigned generation = processor == nullptr ? 9 : processor->major;
    Occupancy made;
    made.by_vector = std::min(most_wavefronts, 256 / std::max(4u, round_up(kernel_.vector_registers, 4)));
    const unsigned scalar = generation < 8 ? 512 / std::max(8u, round_up(kernel_.scalar_registers, 8))
                                           : 800 / std::max(16u, round_up(kernel_.scalar_registers, 16));
    made.by_scalar = std::min(most_wavefronts, scalar);
    made.by_group_memory = most_wavefronts;
    if (group_bytes_ != 0) {
        const std::uint64_t groups = unit_group_memory / round_up(group_bytes_, group_granule(generation));
        const std::uint64_t waves = groups * ((group_items_ + lanes - 1) / lanes);
        made.by_group_memory = static_cast<unsigned>(std::clamp<std::uint64_t>(waves / simds, 1, most_wavefronts));
    }
    made.all = std::min({made.by_vector, made.by_scalar, made.by_group_memory});
    return made;
}

LaneProfile::Count LaneProfile::sum() const {
    Count all;
    for (const auto& [address, count] : counts_) all.add(count);
    return all;
}

std::map<std::string, LaneProfile::Count> LaneProfile::by_line(const debugger::ProgramMap& map) const {
    std::map<std::string, Count> lines;
    for (const auto& [address, count] : counts_)
        if (std::string line = map.line_text(address); !line.empty()) lines[std::move(line)].add(count);
    return lines;
}

std::string LaneProfile::text(const debugger::ProgramMap& map, std::size_t rows) const {
    using Row = std::pair<std::string, Count>;
    std::string out;
    const auto table = [&](std::string_view title, std::vector<Row> all) {
        std::ranges::stable_sort(all, std::ranges::greater{}, [](const Row& row) { return row.second.executed; });
        out += fmt::format("\n{}\n{:>12} {:>8} {:>8} {:>8} {:>8}\n", title, "executed", "lanes", "partial", "lines",
                           "waits");
        for (const auto& [name, count] : std::span(all).first(std::min(rows, all.size()))) {
            const auto mean = [](std::uint64_t part, std::uint64_t of) {
                return of == 0 ? std::string("-") : fmt::format("{:.1f}", ratio(part, of));
            };
            out += fmt::format("{:12} {:7.1f}% {:7.1f}% {:>8} {:>8}  {}\n", count.executed,
                               100 * ratio(count.lanes, count.executed * lanes),
                               100 * ratio(count.partial, count.executed), mean(count.lines, count.accesses),
                               mean(count.waits, count.shared), name);
        }
        if (all.size() > rows) out += fmt::format("{:12} more\n", all.size() - rows);
    };
    std::vector<Row> instructions;
    for (const auto& [address, count] : counts_) {
        const std::string line = map.line_text(address);
        instructions.emplace_back(
            fmt::format("{:#x}  {}{}", address, machine_.text(address), line.empty() ? "" : "  " + line), count);
    }
    table(
        "vector instructions: share of lanes that act, of executions with lanes off, lines of memory an access, bank "
        "waits",
        std::move(instructions));
    const auto lines = by_line(map);
    if (!lines.empty()) table("by source line", {lines.begin(), lines.end()});
    const Count all = sum();
    out += fmt::format(
        "\n{} vector instructions, {} others; {:.1f}% of lanes act, {:.1f}% of vector instructions run with lanes "
        "off\n",
        all.executed, scalar_, 100 * ratio(all.lanes, all.executed * lanes), 100 * ratio(all.partial, all.executed));
    if (all.accesses != 0)
        out += fmt::format("{} accesses to memory touch {:.2f} lines of {} bytes each\n", all.accesses,
                           ratio(all.lines, all.accesses), line_bytes);
    if (all.shared != 0)
        out += fmt::format("{} accesses to the local data share wait {:.2f} cycles each for banks\n", all.shared,
                           ratio(all.waits, all.shared));
    const Occupancy room = occupancy();
    out += fmt::format(
        "{}: {} of {} wavefronts on a SIMD; {} vector registers allow {}, {} scalar ones {}, {} bytes of the local "
        "data share {}\n",
        processor_, room.all, most_wavefronts, kernel_.vector_registers, room.by_vector, kernel_.scalar_registers,
        room.by_scalar, group_bytes_, room.by_group_memory);
    return out;
}

std::string LaneProfile::json(const std::string& profile, const debugger::ProgramMap& map) const {
    using Json = nlohmann::ordered_json;
    const auto of = [](const Count& count) {
        return Json{{"executed", count.executed}, {"lanes", count.lanes}, {"partial", count.partial},
                    {"accesses", count.accesses}, {"lines", count.lines}, {"shared_accesses", count.shared},
                    {"bank_waits", count.waits}};
    };
    Json all = Json::parse(profile);
    Json& told = all["lanes"] = of(sum());
    told["others"] = scalar_;
    told["instructions"] = Json::array();
    for (const auto& [address, count] : counts_) {
        Json one = of(count);
        one["address"] = address;
        told["instructions"].push_back(std::move(one));
    }
    told["source_lines"] = Json::object();
    for (const auto& [line, count] : by_line(map)) told["source_lines"][line] = of(count);
    const Occupancy room = occupancy();
    told["occupancy"] = {{"wavefronts", room.all},
                         {"by_vector_registers", room.by_vector},
                         {"by_scalar_registers", room.by_scalar},
                         {"by_group_memory", room.by_group_memory}};
    return all.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace isaforge::device
