#include "debugger/profile.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "support/printable.hpp"

namespace isaforge::debugger {

namespace {

constexpr std::uint64_t most_code = std::uint64_t{1} << 26;  // addresses that are looked at

struct Counted {
    std::uint64_t executed = 0, cycles = 0;
    std::optional<std::uint64_t> jumps;
    bool late = false;
};

std::map<std::uint64_t, Counted> counts_of(const Machine& machine) {
    std::map<std::uint64_t, Counted> all;
    for (const auto& [address, count] : machine.counts()) all[address].executed = count;
    for (const auto& [address, count] : machine.cycle_counts()) all[address].cycles = count;
    for (const JumpCount& jump : machine.jump_counts()) {
        all[jump.address].jumps = jump.count;
        all[jump.address].late = jump.late;
    }
    return all;
}

class Maker {
public:
    Maker(const Machine& machine, const ProgramMap& map) : machine_(machine), map_(map), counts_(counts_of(machine)) {}

    Profile make() {
        read_code();
        for (const auto& [address, counted] : counts_) {
            if (counted.executed != 0 && !seen_.contains(address)) add(address);
        }
        std::sort(profile_.instructions.begin(), profile_.instructions.end(),
                  [](const auto& a, const auto& b) { return a.address < b.address; });
        add_groups();
        add_pairs();
        profile_.has_cycles = machine_.isa().has_cycles;
        profile_.event_cycles = cycles_of_all() - profile_.all.cycles;
        return std::move(profile_);
    }

private:
    void read_code();
    unsigned add(std::uint64_t address);
    void add_groups();
    void add_pairs();
    std::uint64_t cycles_of_all() const {
        std::uint64_t sum = 0;
        for (unsigned hart = 0; hart < machine_.harts(); ++hart) sum += machine_.hart(hart).cycles();
        return sum;
    }

    const Machine& machine_;
    const ProgramMap& map_;
    std::map<std::uint64_t, Counted> counts_;
    std::map<std::uint64_t, bool> seen_;
    Profile profile_;
};

// Adds the instruction at an address; its length in address units, 0 where there is none.
unsigned Maker::add(std::uint64_t address) {
    Index form = no_index;
    Image image;
    unsigned bits = 0;
    if (!machine_.decode(address, form, image, bits)) return 0;
    const Isa& isa = machine_.isa();
    Profile::Instruction made;
    made.address = address;
    made.bytes = bits / 8;
    Labels labels(map_);
    made.text = machine_.text(address, &labels);
    made.mnemonic = isa.instruction_of(isa.forms[form]).names.front();
    made.format = isa.formats[isa.forms[form].format].name;
    made.source = map_.line_text(address);
    const auto counted = counts_.find(address);
    if (counted != counts_.end()) {
        made.executed = counted->second.executed;
        made.cycles = counted->second.cycles;
        made.jumps = counted->second.jumps;
        made.late = counted->second.late;
    }
    profile_.instructions.push_back(std::move(made));
    seen_[address] = true;
    return std::max(1u, bits / std::max(1u, isa.address_bits));
}

// The code from its begin to its end, as a disassembler would go through it.
void Maker::read_code() {
    const Isa& isa = machine_.isa();
    const std::uint64_t unit = std::max(1u, isa.unit_bits / std::max(1u, isa.address_bits));
    for (const auto& [begin, end] : map_.code()) {
        std::uint64_t address = begin;
        while (address < end && address - begin < most_code) {
            const unsigned length = add(address);
            if (length == 0) profile_.other_bytes += unit * isa.address_bits / 8;
            address += length == 0 ? unit : length;
        }
    }
}

void Maker::add_groups() {
    std::map<std::string, Profile::Group> mnemonics, formats;
    std::map<unsigned, Profile::Group> lengths;
    for (const Profile::Instruction& each : profile_.instructions) {
        for (Profile::Group* group :
             {&mnemonics[each.mnemonic], &formats[each.format], &lengths[each.bytes], &profile_.all}) {
            ++group->count;
            group->bytes += each.bytes;
            group->executed += each.executed;
            group->cycles += each.cycles;
            group->fetched += each.executed * each.bytes;
        }
    }
    auto sorted = [](const std::map<std::string, Profile::Group>& groups) {
        std::vector<Profile::Group> list;
        for (const auto& [name, group] : groups) {
            list.push_back(group);
            list.back().name = name;
        }
        std::stable_sort(list.begin(), list.end(), [](const auto& a, const auto& b) {
            return std::pair(a.executed, a.count) > std::pair(b.executed, b.count);
        });
        return list;
    };
    profile_.mnemonics = sorted(mnemonics);
    profile_.formats = sorted(formats);
    for (const auto& [bytes, group] : lengths) {
        profile_.lengths.push_back(group);
        profile_.lengths.back().name = fmt::format("{}", bytes);
    }
}

// Two neighbours are executed one behind the other as often as the first does not jump, and the one before it not late.
void Maker::add_pairs() {
    std::map<std::pair<std::string, std::string>, Profile::Pair> pairs;
    const unsigned address_bytes = std::max(1u, machine_.isa().address_bits / 8);
    for (std::size_t i = 0; i + 1 < profile_.instructions.size(); ++i) {
        const Profile::Instruction& first = profile_.instructions[i];
        const Profile::Instruction& second = profile_.instructions[i + 1];
        if (first.address * address_bytes + first.bytes != second.address * address_bytes) continue;
        std::uint64_t leaves = first.late ? 0 : first.jumps.value_or(0);
        if (i > 0 && profile_.instructions[i - 1].late) leaves += profile_.instructions[i - 1].jumps.value_or(0);
        const std::uint64_t goes_on = first.executed - std::min(first.executed, leaves);
        Profile::Pair& pair = pairs[{first.mnemonic, second.mnemonic}];
        ++pair.count;
        pair.bytes += first.bytes + second.bytes;
        pair.executed += std::min(goes_on, second.executed);
    }
    for (auto& [names, pair] : pairs) {
        pair.first = names.first, pair.second = names.second;
        profile_.pairs.push_back(pair);
    }
    std::stable_sort(profile_.pairs.begin(), profile_.pairs.end(), [](const auto& a, const auto& b) {
        return std::pair(a.executed, a.count) > std::pair(b.executed, b.count);
    });
}

std::string percent(std::uint64_t part, std::uint64_t whole) {
    if (whole == 0) return "-";
    return fmt::format("{:.1f} %", 100.0 * static_cast<double>(part) / static_cast<double>(whole));
}

void write_line(std::string& text, std::string line) {
    line.resize(line.find_last_not_of(' ') + 1);
    text += line + "\n";
}

// A number and its part of all, where cycles are counted; else nothing.
std::string cycle_columns(const Profile& profile, std::uint64_t cycles) {
    return profile.has_cycles ? fmt::format(" {:>12} {:>8}", cycles, percent(cycles, profile.all.cycles)) : "";
}
std::string cycle_heading(const Profile& profile) {
    return profile.has_cycles ? fmt::format(" {:>12} {:>8}", "cycles", "") : "";
}

void write_groups(std::string& text, std::string_view title, const Profile& profile,
                  const std::vector<Profile::Group>& groups, std::size_t rows) {
    const Profile::Group& all = profile.all;
    text += '\n';
    write_line(text, fmt::format("{:16} {:>12} {:>8}{} {:>12} {:>8} {:>10} {:>8} {:>8}", title, "executed", "",
                                 cycle_heading(profile), "fetched", "", "in code", "bytes", ""));
    for (std::size_t i = 0; i < groups.size() && i < rows; ++i) {
        const Profile::Group& each = groups[i];
        text += fmt::format("{:16} {:>12} {:>8}{} {:>12} {:>8} {:>10} {:>8} {:>8}\n", each.name, each.executed,
                            percent(each.executed, all.executed), cycle_columns(profile, each.cycles), each.fetched,
                            percent(each.fetched, all.fetched), each.count, each.bytes, percent(each.bytes, all.bytes));
    }
    if (groups.size() > rows) text += fmt::format("… {} more\n", groups.size() - rows);
}

void write_busiest(std::string& text, const Profile& profile, std::size_t rows) {
    std::vector<const Profile::Instruction*> sorted;
    for (const Profile::Instruction& each : profile.instructions) {
        if (each.executed != 0) sorted.push_back(&each);
    }
    // What takes the time comes first: where nobody says how long instructions take, each as long as the others.
    std::stable_sort(sorted.begin(), sorted.end(), [](const auto* a, const auto* b) {
        return std::pair(a->cycles, a->executed) > std::pair(b->cycles, b->executed);
    });
    text += "\nbusiest instructions\n";
    if (profile.has_cycles) write_line(text, fmt::format("{:>12} {:>8}{}", "executed", "", cycle_heading(profile)));
    for (std::size_t i = 0; i < sorted.size() && i < rows; ++i) {
        const Profile::Instruction& each = *sorted[i];
        write_line(text, fmt::format("{:>12} {:>8}{}  {:#06x}  {:36}  {}", each.executed,
                                     percent(each.executed, profile.all.executed), cycle_columns(profile, each.cycles),
                                     each.address, each.text, each.source));
    }
    if (sorted.size() > rows) text += fmt::format("… {} more\n", sorted.size() - rows);
}

void write_branches(std::string& text, const Profile& profile, std::size_t rows) {
    std::vector<const Profile::Instruction*> sorted;
    for (const Profile::Instruction& each : profile.instructions) {
        if (each.executed != 0 && each.jumps) sorted.push_back(&each);
    }
    if (sorted.empty()) return;
    std::stable_sort(sorted.begin(), sorted.end(),
                     [](const auto* a, const auto* b) { return a->executed > b->executed; });
    text += fmt::format("\nbranches\n{:>12} {:>12}\n", "executed", "taken");
    for (std::size_t i = 0; i < sorted.size() && i < rows; ++i) {
        const Profile::Instruction& each = *sorted[i];
        write_line(text, fmt::format("{:>12} {:>12} {:>8}  {:#06x}  {:36}  {}", each.executed, *each.jumps,
                                     percent(*each.jumps, each.executed), each.address, each.text, each.source));
    }
    if (sorted.size() > rows) text += fmt::format("… {} more\n", sorted.size() - rows);
}

nlohmann::ordered_json to_json(const Profile& profile, const Profile::Group& group) {
    nlohmann::ordered_json json = {{"name", group.name},
                                   {"count", group.count},
                                   {"bytes", group.bytes},
                                   {"executed", group.executed},
                                   {"fetched", group.fetched}};
    if (profile.has_cycles) json["cycles"] = group.cycles;
    return json;
}

}  // namespace

Profile make_profile(const Machine& machine, const ProgramMap& map) { return Maker(machine, map).make(); }

std::string to_text(const Profile& profile, std::size_t rows) {
    const Profile::Group& all = profile.all;
    std::string text = fmt::format("{} instructions executed, {} bytes fetched\n{} instructions in the code, {} bytes",
                                   all.executed, all.fetched, all.count, all.bytes);
    text += profile.other_bytes == 0 ? "\n" : fmt::format(", and {} bytes that are none\n", profile.other_bytes);
    if (profile.has_cycles) {
        text += fmt::format(
            "{} cycles, {:.2f} an instruction", all.cycles,
            static_cast<double>(all.cycles) / static_cast<double>(std::max<std::uint64_t>(all.executed, 1)));
        text += profile.event_cycles == 0 ? "\n" : fmt::format("; {} more in events\n", profile.event_cycles);
    }
    write_busiest(text, profile, rows);
    write_branches(text, profile, rows);
    write_groups(text, "mnemonics", profile, profile.mnemonics, rows);
    write_groups(text, "formats", profile, profile.formats, rows);
    write_groups(text, "lengths in bytes", profile, profile.lengths, rows);
    text +=
        fmt::format("\n{:33} {:>12} {:>8} {:>10} {:>8}\n", "pairs of neighbours", "executed", "", "in code", "bytes");
    for (std::size_t i = 0; i < profile.pairs.size() && i < rows; ++i) {
        const Profile::Pair& each = profile.pairs[i];
        text += fmt::format("{:16} {:16} {:>12} {:>8} {:>10} {:>8}\n", each.first, each.second, each.executed,
                            percent(each.executed, all.executed), each.count, each.bytes);
    }
    if (profile.pairs.size() > rows) text += fmt::format("… {} more\n", profile.pairs.size() - rows);
    return text;
}

std::string to_json(const Profile& profile) {
    nlohmann::ordered_json json = {{"executed", profile.all.executed},
                                   {"fetched", profile.all.fetched},
                                   {"count", profile.all.count},
                                   {"bytes", profile.all.bytes},
                                   {"other_bytes", profile.other_bytes}};
    if (profile.has_cycles) {
        json["cycles"] = profile.all.cycles;
        json["event_cycles"] = profile.event_cycles;
    }
    for (const char* list : {"instructions", "mnemonics", "formats", "lengths", "pairs"}) {
        json[list] = nlohmann::ordered_json::array();
    }
    for (const Profile::Instruction& each : profile.instructions) {
        nlohmann::ordered_json one = {{"address", each.address}, {"text", each.text},   {"mnemonic", each.mnemonic},
                                      {"format", each.format},   {"bytes", each.bytes}, {"executed", each.executed}};
        if (profile.has_cycles) one["cycles"] = each.cycles;
        if (each.jumps) one["jumps"] = *each.jumps;
        if (!each.source.empty()) one["source"] = each.source;
        json["instructions"].push_back(std::move(one));
    }
    for (const Profile::Group& each : profile.mnemonics) json["mnemonics"].push_back(to_json(profile, each));
    for (const Profile::Group& each : profile.formats) json["formats"].push_back(to_json(profile, each));
    for (const Profile::Group& each : profile.lengths) json["lengths"].push_back(to_json(profile, each));
    for (const Profile::Pair& each : profile.pairs) {
        json["pairs"].push_back({{"first", each.first},
                                 {"second", each.second},
                                 {"count", each.count},
                                 {"bytes", each.bytes},
                                 {"executed", each.executed}});
    }
    return printable(json.dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace)) + "\n";
}

}  // namespace isaforge::debugger
