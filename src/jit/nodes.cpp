#include "jit/nodes.hpp"

#include <algorithm>

namespace isaforge::jit {

Nodes::Nodes(const machine::CodeRegion& region, const machine::CompilerTarget& target, Registers& registers)
    : region_(region),
      target_(target),
      nodes_(region.units.size()),
      registers_(registers),
      known_(region.units.size()) {
    plans_.reserve(region.units.size());
    for (std::size_t i = 0; i < region.units.size(); ++i) {
        plans_.emplace_back(region.units[i], target);
        units_[region.units[i].address] = i;
        nodes_[i].unit = i;
    }
    for (const machine::Unit& unit : region.units)
        for (const ir::Block& block : unit.graph->blocks)
            for (const ir::Instruction& each : block.body) puts_late_ |= each.delay != 0;
    for (const Plan& plan : plans_) plan.add_registers(registers);
    registers.lay_out();
    for (Plan& plan : plans_) plan.note_registers(registers);
    if (!region.under_way.empty()) come_to(0, first_under_way());
    follow_all();
    for (const std::size_t entry : region.entries) {
        if (!known_[entry] || !is_led_back_to(entry)) come_to(entry, {});
        follow_all();
    }
    for (Node& node : nodes_) node.compiled = node.compiled && !collides(node);
    find_checks();
    find_longest();
}

// Loops begin with what their ends leave under way; elsewhere a region is entered with anything less, too.
bool Nodes::is_led_back_to(std::size_t unit) const {
    return std::any_of(nodes_.begin(), nodes_.end(), [&](const Node& node) {
        return plans_[node.unit].unit().address >= plans_[unit].unit().address &&
               std::any_of(node.next.begin(), node.next.end(), [&](const auto& next) { return next.second == unit; });
    });
}

// What was under way at the first unit, as far as it lands in registers that the region knows.
UnderWay Nodes::first_under_way() const {
    UnderWay made;
    for (const machine::LateSite& site : region_.under_way) {
        LatePut late{.kind = LatePut::Kind::pc, .delay = site.delay, .always = true, .target = site.target};
        if (site.offset != machine::LateResult::to_pc) {
            const auto cell = registers_.at(site.offset);
            if (!cell) continue;
            late.kind = LatePut::Kind::cell;
            late.file = cell->first;
            late.cell = cell->second;
        }
        made.push_back(late);
    }
    return made;
}

void Nodes::come_to(std::size_t unit, const UnderWay& under_way) {
    Node& node = nodes_[unit];
    const bool changed = known_[unit] ? merge(node.under_way, under_way) : true;
    if (!known_[unit]) node.under_way = under_way;
    known_[unit] = true;
    if (changed) open_.push_back(unit);
}

// Until every instruction knows what may be under way.
void Nodes::follow_all() {
    while (!open_.empty()) {
        Node& node = nodes_[open_.back()];
        open_.pop_back();
        const Plan& plan = plans_[node.unit];
        const AtEnd end = at_end(node.under_way, plan.late());
        // The interpreter finds nothing under way where it is called.
        node.called = plan.is_called() && node.under_way.empty() && !puts_late_;
        node.compiled = (plan.is_compiled() || node.called) &&
                        node.under_way.size() + plan.late().size() <= most_under_way && !lands_too_much(end);
        node.next.clear();
        if (!node.compiled) continue;
        for (const std::uint64_t address : ways_from(node, end).known) {
            const auto unit = units_.find(address);
            if (unit == units_.end()) continue;
            node.next.emplace_back(address, unit->second);
            come_to(unit->second, end.next);
        }
    }
}

Ways Nodes::ways_from(const Node& node, const AtEnd& end) const {
    const Plan& plan = plans_[node.unit];
    Ways ways;
    bool always_jumps = false;
    for (const std::size_t slot : end.landing) {
        const LatePut& late = node.under_way[slot];
        if (late.kind != LatePut::Kind::pc) continue;
        always_jumps |= late.always;
        if (late.target) ways.add(*late.target);
    }
    if (!always_jumps)
        for (const std::uint64_t address : plan.ways().known) ways.add(address);
    for (const std::uint64_t target : plan.unit().targets) ways.add(target);
    return ways;
}

bool Nodes::lands_too_much(const AtEnd& end) const {
    return std::any_of(end.next.begin(), end.next.end(), [&](const LatePut& late) {
        return std::count_if(end.next.begin(), end.next.end(),
                             [&](const LatePut& each) { return each.delay == late.delay; }) > machine::max_landings;
    });
}

// Whether more results come to a file at the end of an instruction than it has ports; where that depends on which are under
// way, code looks.
bool Nodes::collides(Node& node) const {
    const Plan& plan = plans_[node.unit];
    const AtEnd end = at_end(node.under_way, plan.late());
    for (Index file = 0; file < target_.isa->register_files.size(); ++file) {
        const unsigned ports = target_.isa->register_files[file].write_ports;
        unsigned certain = plan.writes_to(file), most = certain;
        for (const std::size_t slot : end.landing) {
            if (node.under_way[slot].file != file) continue;
            ++most;
            if (node.under_way[slot].always) ++certain;
        }
        if (ports == 0 || most == plan.writes_to(file)) continue;
        if (certain > ports) return true;
        if (most > ports) node.crowded.push_back(file);
    }
    return false;
}

// Depth first, from the entries, loops first: an edge to a node that is still open leads back.
void Nodes::find_checks() {
    enum : std::uint8_t { fresh, open, done };
    std::vector<std::uint8_t> seen(nodes_.size(), fresh);
    std::vector<std::pair<std::size_t, std::size_t>> path;
    for (const std::size_t entry : region_.entries) {
        if (seen[entry] != fresh) continue;
        path.emplace_back(entry, 0);
        seen[entry] = open;
        while (!path.empty()) {
            auto& [node, next] = path.back();
            if (next == nodes_[node].next.size()) {
                seen[node] = done;
                nodes_[node].reached = true;
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
        const auto own = static_cast<unsigned>(plans_[node.unit].unit().count());
        node.longest = own;
        for (const auto& [address, to] : node.next)
            if (!nodes_[to].checked) node.longest = std::max(node.longest, own + nodes_[to].longest);
    }
}

}  // namespace isaforge::jit
