#include "jit/nodes.hpp"

#include <algorithm>

namespace isaforge::jit {

Nodes::Nodes(const machine::CodeRegion& region, const machine::CompilerTarget& target, Registers& registers)
    : region_(region), target_(target) {
    plans_.reserve(region.units.size());
    for (std::size_t i = 0; i < region.units.size(); ++i) {
        plans_.emplace_back(region.units[i], target);
        units_[region.units[i].address] = i;
    }
    for (const Plan& plan : plans_) plan.add_registers(registers);
    registers.lay_out();
    for (Plan& plan : plans_) plan.note_registers(registers);
    for (const std::size_t entry : region.entries) entries_.push_back(find_or_add(entry, {}));
    for (std::size_t i = 0; i < nodes_.size(); ++i) follow(i);
    find_checks();
    find_longest();
}

std::size_t Nodes::find_or_add(std::size_t unit, const UnderWay& under_way) {
    for (std::size_t i = 0; i < nodes_.size(); ++i)
        if (nodes_[i].unit == unit && nodes_[i].under_way == under_way) return i;
    Node made{.unit = unit, .under_way = under_way};
    const Plan& plan = plans_[unit];
    made.compiled = plan.is_compiled() && under_way.size() + plan.late().size() <= most_under_way &&
                    nodes_.size() < 4 * region_.units.size() + 16 && !may_collide(plan, under_way);
    nodes_.push_back(std::move(made));
    return nodes_.size() - 1;
}

// More results at the end of an instruction than a file has ports, or than may land at once.
bool Nodes::may_collide(const Plan& plan, const UnderWay& under_way) const {
    const AtEnd end = at_end(under_way, plan.late());
    for (const std::size_t slot : end.landing) {
        const Index file = under_way[slot].file;
        const unsigned ports = file == no_index ? 0 : target_.isa->register_files[file].write_ports;
        const auto lands = std::count_if(end.landing.begin(), end.landing.end(),
                                         [&](std::size_t each) { return under_way[each].file == file; });
        if (ports != 0 && static_cast<unsigned>(lands) + plan.writes_to(file) > ports) return true;
    }
    for (const LatePut& late : end.next) {
        const auto together = std::count_if(end.next.begin(), end.next.end(),
                                            [&](const LatePut& each) { return each.delay == late.delay; });
        if (together > machine::max_landings) return true;
    }
    return false;
}

void Nodes::follow(std::size_t index) {
    if (!nodes_[index].compiled) return;
    const Plan& plan = plans_[nodes_[index].unit];
    const AtEnd end = at_end(nodes_[index].under_way, plan.late());
    Ways ways;
    bool always_jumps = false;
    for (const std::size_t slot : end.landing) {
        const LatePut& late = nodes_[index].under_way[slot];
        if (late.kind != LatePut::Kind::pc) continue;
        always_jumps |= late.always;
        if (late.target) ways.add(*late.target);
    }
    if (!always_jumps)
        for (const std::uint64_t address : plan.ways().known) ways.add(address);
    for (const std::uint64_t target : plan.unit().targets) ways.add(target);
    for (const std::uint64_t address : ways.known) {
        const auto unit = units_.find(address);
        if (unit == units_.end()) continue;
        const std::size_t to = find_or_add(unit->second, end.next);
        nodes_[index].next.emplace_back(address, to);
    }
}

// Depth first, from the entries, loops first: an edge to a node that is still open leads back.
void Nodes::find_checks() {
    enum : std::uint8_t { fresh, open, done };
    std::vector<std::uint8_t> seen(nodes_.size(), fresh);
    std::vector<std::pair<std::size_t, std::size_t>> path;
    for (const std::size_t entry : entries_) {
        if (seen[entry] != fresh) continue;
        path.emplace_back(entry, 0);
        seen[entry] = open;
        while (!path.empty()) {
            auto& [node, next] = path.back();
            if (next == nodes_[node].next.size()) {
                seen[node] = done;
                finished_.push_back(node);
                path.pop_back();
                continue;
            }
            const std::size_t to = nodes_[node].next[next++].second;
            if (seen[to] == open) nodes_[to].checked = true;
            if (seen[to] != fresh) continue;
            seen[to] = open;
            path.emplace_back(to, 0);
        }
    }
}

void Nodes::find_longest() {
    for (const std::size_t index : finished_) {
        Node& node = nodes_[index];
        node.longest = 1;
        for (const auto& [address, to] : node.next)
            if (!nodes_[to].checked) node.longest = std::max(node.longest, 1 + nodes_[to].longest);
    }
}

}  // namespace isaforge::jit
