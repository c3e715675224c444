// Where everything goes. Sections without gaps of unknown size are done before this begins. For the others, sizes are
// computed from addresses and addresses from sizes until nothing changes. Instructions begin at their shortest and only
// ever grow, and only at addresses that agree with all sizes, so that it ends, and with nothing longer than it must be.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "assembler/engine.hpp"
#include "assembler/limits.hpp"
#include "object/placement.hpp"

namespace isaforge::assembler {

std::uint64_t Engine::offset_of(const Position& position) const {
    const Fragment& fragment = sections_[position.section].fragments[position.fragment];
    return fragment.address + (position.offset - fragment.start);
}

void Engine::lay_out() {
    bool any_gap = false;
    for (Index i = 0; i < sections_.size(); ++i) {
        Section& section = sections_[i].section;
        const std::uint64_t unit = object_.unit_bytes;
        if (section.executable && (unit & (unit - 1)) == 0) section.alignment = std::max(section.alignment, unit);
        any_gap |= !sections_[i].fixed();
    }
    if (any_gap) {
        choose_shrinking();
        grow_instructions();
        report_gaps();
    }
    std::uint64_t total = 0;
    for (Index i = 0; i < sections_.size(); ++i) {
        if (!sections_[i].section.no_bits) total += sections_[i].extent();
    }
    if (total > options_.max_output) {
        error(Place{main_, 0, 0}, fmt::format("the output exceeds the limit of {} bytes", options_.max_output));
        output_full_ = true;
    }
}

// Sections of which a linker may make instructions shorter: those that have some of several lengths. What it changes it has to
// know of, so no distance between two of their places may be part of anything but a datum.
void Engine::choose_shrinking() {
    const ElfMachine& elf = isa_.elf;
    const unsigned unit = object_.unit_bytes;
    if (!options_.linker_relaxes || options_.flat || flavour_ || elf.relax == 0 || elf.align == 0 ||
        (unit & (unit - 1)) != 0)
        return;
    for (const Relaxation& relaxation : relaxations_) {
        SectionBuffer& section = sections_[relaxation.position.section];
        section.may_shrink = section.section.executable;
    }
    constexpr unsigned begin = 0;
    const auto look = [&](const Fixup& fixup) {
        if (!is_place(fixup.node, begin) && !may_stay_apart(fixup)) pin(fixup.node, begin);
    };
    for (const Fixup& fixup : fixups_) look(fixup);
    for (const Fixup& fixup : relaxed_fixups_) look(fixup);
    for (Index i = 0; i < sections_.size(); ++i) {
        for (const Fragment& fragment : sections_[i].fragments) {
            if (fragment.kind != GapKind::space && fragment.kind != GapKind::origin) continue;
            pin(fragment.node, begin);
            if (fragment.kind == GapKind::origin) sections_[i].may_shrink = false;
        }
    }
}

namespace {
constexpr unsigned deepest_look = 200;  // into an expression; below, nothing is known of it
}  // namespace

// Whether a tree is one place, perhaps by another name.
bool Engine::is_place(Index index, unsigned depth) const {
    const Node& node = expressions_.node(index);
    if (node.op == Operator::integer || node.op == Operator::position) return true;
    if (node.op != Operator::symbol || depth > deepest_look) return false;
    const SymbolEntry& entry = symbols_[node.a];
    return entry.kind != SymbolKind::expression || is_place(static_cast<Index>(entry.value), depth + 1);
}

// The difference of two places, in a datum for which the machine's objects can say so.
bool Engine::may_stay_apart(const Fixup& fixup) const {
    const Node& node = expressions_.node(fixup.node);
    if (fixup.form != no_index || fixup.leb != Fixup::Leb::no || node.op != Operator::subtract) return false;
    return is_place(node.a, 0) && is_place(node.b, 0) &&
           operation_type(ElfMachine::Operation::Kind::subtract, fixup.bytes * 8u) != 0;
}

// Sections of places in this tree stay as they are.
void Engine::pin(Index index, unsigned depth) {
    const auto leave = [this](Index section) { sections_[section].may_shrink = false; };
    if (index == no_index) return;
    if (depth > deepest_look) {
        for (Index i = 0; i < sections_.size(); ++i) leave(i);
        return;
    }
    const Node& node = expressions_.node(index);
    switch (node.op) {
        case Operator::integer: return;
        case Operator::position: return leave(node.a);
        case Operator::symbol: {
            const SymbolEntry& entry = symbols_[node.a];
            if (entry.kind == SymbolKind::label) return leave(entry.position.section);
            if (entry.kind == SymbolKind::expression) pin(static_cast<Index>(entry.value), depth + 1);
            return;
        }
        default: break;
    }
    pin(node.a, depth + 1);
    pin(node.b, depth + 1);
    if (node.op == Operator::select) pin(static_cast<Index>(node.value), depth + 1);
}

// In a section that a linker changes, all padding that may be needed, and where it is.
void Engine::mark_padding(Index index, std::vector<Relocation>& marks) const {
    const SectionBuffer& section = sections_[index];
    for (const Fragment& fragment : section.fragments) {
        if (!section.may_shrink || fragment.kind != GapKind::align || fragment.gap == 0) continue;
        Relocation mark;
        mark.section = index;
        mark.offset = fragment.address - fragment.gap;
        mark.type = isa_.elf.align;
        mark.addend = static_cast<std::int64_t>(fragment.gap);
        marks.push_back(mark);
    }
}

// In a chain of branches each pass may lengthen only the one that makes the next too short: as many passes as branches.
void Engine::grow_instructions() {
    std::uint64_t trials = 0;
    bool settled = true;
    do {
        settled = settle();
        trials += relaxations_.size();
    } while (settled && relax(trials > limits::relaxation_trials));
    if (settled && trials <= limits::relaxation_trials && !relaxations_.empty()) shrink_instructions();
    sections_.set_addresses_final(false);
    if (!settled)
        error(Place{main_, 0, 0}, "the layout does not settle: sizes depend on addresses that depend on them");
}

// Where gaps shrink as instructions grow, some may have grown for nothing: those whose shorter form fits where they now
// stand get it back, each if everything else still fits then.
void Engine::shrink_instructions() {
    std::uint64_t attempts = 0;  // each looks at all of them
    const std::uint64_t most =
        std::min<std::uint64_t>(limits::shortening_attempts, limits::relaxation_trials / relaxations_.size());
    for (Index i = 0; i < relaxations_.size(); ++i) {
        while (relaxations_[i].chosen > 0 && attempts < most) {
            bool external = false;
            --relaxations_[i].chosen;
            const bool fits = encoding_fits(relaxations_[i], external);
            if (fits) {
                ++attempts;
                std::vector<Index> before;
                for (const Relaxation& relaxation : relaxations_) before.push_back(relaxation.chosen);
                if (settle() && !relax(false)) continue;
                for (Index k = 0; k < relaxations_.size(); ++k) relaxations_[k].chosen = before[k];
            }
            ++relaxations_[i].chosen;
            if (fits) settle();
            break;
        }
    }
}

// Gives everything its address by the current sizes of instructions. One round does, except where `.org` or `.space`
// look at addresses further on.
bool Engine::settle() {
    sections_.set_addresses_final(false);
    bool changed = true;
    for (unsigned round = 0; changed && round < limits::layout_rounds; ++round) {
        changed = false;
        for (Index i = 0; i < sections_.size(); ++i) changed |= assign_addresses(sections_[i]);
    }
    if (options_.flat) place_all();
    sections_.set_addresses_final(options_.flat);
    return !changed;
}

bool Engine::assign_addresses(SectionBuffer& section) {
    bool changed = false;
    for (std::size_t i = 1; i < section.fragments.size(); ++i) {
        const Fragment& before = section.fragments[i - 1];
        Fragment& fragment = section.fragments[i];
        const std::uint64_t end = before.address + (fragment.start - before.start);
        fragment.gap = gap_size(section, fragment, end);
        changed |= fragment.address != end + fragment.gap;
        fragment.address = end + fragment.gap;
    }
    return changed;
}

std::uint64_t Engine::gap_size(const SectionBuffer& section, Fragment& fragment, std::uint64_t end) {
    if (fragment.kind == GapKind::instruction) {
        return chosen_of(relaxations_[fragment.relaxation]).bits / 8;
    }
    if (fragment.kind == GapKind::align && section.may_shrink)
        return fragment.alignment - std::min<std::uint64_t>(fragment.alignment, object_.unit_bytes);
    if (fragment.kind == GapKind::align) {
        const std::uint64_t gap = (0 - end) & (fragment.alignment - 1);
        return fragment.limit == 0 || gap <= fragment.limit ? gap : 0;
    }
    Resolved value;
    if (!expressions_.evaluate(fragment.node, false, value) || value.base == Resolved::Base::symbol) return 0;
    if (fragment.kind == GapKind::space && value.base != Resolved::Base::absolute) return 0;
    Wide gap = value.offset.wide();
    if (fragment.kind == GapKind::origin) gap = gap * section.step - static_cast<Wide>(end);
    if (gap < 0) return 0;
    const auto limit = static_cast<Wide>(options_.max_output) + 1;
    return static_cast<std::uint64_t>(gap < limit ? gap : limit);
}

// What is wrong with .org and .space once the layout stands.
void Engine::report_gaps() {
    for (Index i = 0; i < sections_.size(); ++i) {
        const SectionBuffer& section = sections_[i];
        for (const Fragment& fragment : section.fragments) {
            if (fragment.kind != GapKind::origin && fragment.kind != GapKind::space) continue;
            Resolved value;
            if (!expressions_.evaluate(fragment.node, false, value)) {
                error(fragment.place, std::exchange(expressions_.error, {}));
            } else if (value.base == Resolved::Base::symbol) {
                undefined(value.index, fragment.place);
            } else if (fragment.kind == GapKind::space && value.base == Resolved::Base::section) {
                error(fragment.place, "this must be a number, not an address");
            } else if (value.base == Resolved::Base::section && value.index != i) {
                error(fragment.place, "the location counter cannot leave its section");
            } else if (fragment.kind == GapKind::origin &&
                       value.offset.wide() * section.step != static_cast<Wide>(fragment.address)) {
                error(fragment.place, "the location counter cannot move backwards");
            } else if (value.offset.negative) {
                error(fragment.place, "the number of bytes is negative");
            }
        }
    }
}

bool Engine::relax(bool give_up) {
    bool changed = false;
    for (Relaxation& relaxation : relaxations_) {
        if (give_up && relaxation.chosen + 1 < relaxation.count) {
            relaxation.chosen = relaxation.count - 1;
            changed = true;
        } else {
            changed |= relax_one(relaxation);
        }
    }
    return changed;
}

bool Engine::relax_one(Relaxation& relaxation) {
    const Index before = relaxation.chosen;
    const Index last = relaxation.count - 1;
    bool external = false;
    while (relaxation.chosen < last && !encoding_fits(relaxation, external)) {
        relaxation.chosen = external ? last : relaxation.chosen + 1;
    }
    return relaxation.chosen != before;
}

// Whether all numbers of the chosen encoding fit at the current addresses. `external`: one is left to a linker.
bool Engine::encoding_fits(const Relaxation& relaxation, bool& external) {
    const Position& at = relaxation.position;
    const std::uint64_t base = options_.flat ? sections_[at.section].section.address : 0;
    const std::uint64_t address = (offset_of(at) + base) / object_.address_bytes;
    Encoded encoded = chosen_of(relaxation).encoded();
    for (const Fixup& fixup : fixups_of(chosen_of(relaxation))) {
        Resolved value;
        if (!expressions_.evaluate(fixup.node, false, value)) continue;  // reported when it is applied
        const bool relative = isa_.operand_types[fixup.deferred.type].number.relative;
        const bool weak = value.via != no_index && symbols_[value.via].binding == Binding::weak;
        const bool near = value.base == Resolved::Base::section && relative && value.index == at.section && !weak;
        if (value.base != Resolved::Base::absolute && !near) {
            if (flavour_ && linked(fixup, value.modifier, relative)) continue;
            if (flavour_) return false;
            external = true;
            return false;
        }
        if (!codec_.try_patch(encoded, fixup.deferred, value.offset.as_signed(), address)) return false;
    }
    return true;
}

void Engine::place_all() {
    std::vector<Placed> placed;
    for (Index i = 0; i < sections_.size(); ++i) placed.push_back({&sections_[i].section, sections_[i].extent()});
    place_sections(placed, object_.address_bytes != 1, 0);
}

// Gives the buffer its final form: without spare room, with the gaps filled.
void Engine::fill_gaps(SectionBuffer& section) {
    std::vector<std::uint8_t>& bytes = section.section.bytes;
    if (section.section.no_bits) {
        section.section.size = section.extent();
        return;
    }
    if (section.fixed()) {
        bytes.resize(section.used);
        return;
    }
    std::vector<std::uint8_t> whole(section.extent());
    for (std::size_t i = 0; i < section.fragments.size(); ++i) {
        const Fragment& fragment = section.fragments[i];
        const std::uint64_t end = i + 1 < section.fragments.size() ? section.fragments[i + 1].start : section.used;
        if (fragment.gap) fill_gap(fragment, whole.data() + (fragment.address - fragment.gap));
        if (end > fragment.start) {
            std::memcpy(whole.data() + fragment.address, bytes.data() + fragment.start, end - fragment.start);
        }
    }
    bytes = std::move(whole);
}

void Engine::fill_gap(const Fragment& fragment, std::uint8_t* out) {
    if (fragment.kind == GapKind::instruction) {
        const Relaxation& relaxation = relaxations_[fragment.relaxation];
        store(chosen_of(relaxation).encoded(), out);
        bool external = false;
        const Position& at = relaxation.position;
        if (sections_[at.section].may_shrink && !encoding_fits(relaxation, external) && external) {
            Relocation mark;
            mark.section = at.section;
            mark.offset = offset_of(at);
            mark.type = isa_.elf.relax;
            linker_marks_.push_back(mark);
        }
        std::ranges::copy(fixups_of(chosen_of(relaxation)), std::back_inserter(fixups_));
        return;
    }
    if (fragment.fill == 0) return;
    for (std::uint64_t i = fragment.gap % fragment.fill_size; i < fragment.gap; i += fragment.fill_size) {
        put(fragment.fill, fragment.fill_size, out + i);
    }
}

}  // namespace isaforge::assembler
