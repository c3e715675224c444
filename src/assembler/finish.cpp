// After the layout: the numbers that waited are computed and written into the bytes, or become relocations.
#include <fmt/format.h>

#include "assembler/engine.hpp"
#include "assembler/limits.hpp"
#include "codec/tables.hpp"
#include "object/relocation_place.hpp"
#include "support/leb128.hpp"

namespace isaforge::assembler {

void Engine::finish() {
    expressions_.settle_references();
    lay_out();
    if (output_full_) return;
    for (Index i = 0; i < sections_.size(); ++i) fill_gaps(sections_[i]);
    if (options_.flat) place_all();
    sections_.set_addresses_final(options_.flat);
    make_sections();
    apply_fixups();
    for (Index i = 0; i < sections_.size(); ++i) mark_padding(i, linker_marks_);
    object_.relocations.insert(object_.relocations.end(), linker_marks_.begin(), linker_marks_.end());
    sections_.set_addresses_final(false);
    make_object();
}

void Engine::apply_fixups() {
    // What has the rest of another instruction's number comes behind that.
    for (const bool at_labels : {false, true}) {
        for (const Fixup& fixup : fixups_) {
            const bool at_label = fixup.form != no_index &&
                                  isa_.operand_types[fixup.deferred.type].number.linked == NumberRule::Linked::label;
            if (at_label == at_labels) apply(fixup);
        }
    }
    number_relocations();
    for (const auto& [fixup, value] : base_marks_) {
        object_.relocations.push_back({fixup.position.section, offset_of(fixup.position), no_index,
                                       isa_.operand_types[fixup.deferred.type].number.relocation, value, fixup.place});
    }
}

// A relocation says where the instruction is and of which type the number: which of several it is can be told once all bits
// of the instruction are there.
void Engine::number_relocations() {
    for (const auto& [index, fixup] : relocated_numbers_) {
        Relocation& relocation = object_.relocations[index];
        const Image image = codec_.load(bytes_at(fixup->position), fixup->bytes);
        const std::optional<unsigned> number =
            relocated_number_of(codec_, image, fixup->bytes * 8u, relocation.type, fixup->deferred);
        if (number) {
            relocation.number = *number;
        } else {
            error(fixup->place, "a linker could not find this number in the instruction");
        }
    }
}

std::uint8_t* Engine::bytes_at(const Position& position) {
    return object_.sections[position.section].bytes.data() + offset_of(position);
}

void Engine::undefined(Index symbol, const Place& where) {
    SymbolEntry& entry = symbols_[symbol];
    if (entry.used) return;  // reported already
    entry.used = true;
    if (entry.name.empty()) {
        error(where, "no such label follows");
        return;
    }
    Diagnostic& report = error(where, fmt::format("'{}' is not defined", entry.name));
    if (++suggestions_ > limits::symbol_suggestions || symbols_.size() > limits::suggestion_candidates) return;
    std::vector<std::string_view> candidates;
    for (Index i = 0; i < symbols_.size(); ++i) {
        if (symbols_[i].kind != SymbolKind::undefined && !symbols_[i].name.empty())
            candidates.push_back(symbols_[i].name);
    }
    const std::string_view meant = nearest(entry.name, candidates);
    if (!meant.empty()) {
        report.suggest(std::string(meant));
        report.message += fmt::format("; did you mean '{}'?", meant);
    }
}

void Engine::apply(const Fixup& fixup) {
    Resolved value;
    NumberValue number;
    if (fixup.form != no_index && expressions_.floating_value(fixup.node, number.floating)) {
        number.kind = NumberValue::Kind::floating;
        return patch(fixup, number);
    }
    if (!expressions_.evaluate(fixup.node, false, value)) {
        const std::string reason = std::exchange(expressions_.error, {});
        const bool may_relocate = (fixup.form == no_index && fixup.leb == Fixup::Leb::no) || flavour_;
        if (may_relocate && !options_.flat && difference(fixup)) return;
        error(fixup.place, reason);
        return;
    }
    if (options_.flat && value.base == Resolved::Base::symbol) {
        if (value.modifier == 0) return undefined(value.index, fixup.place);
        error(fixup.place, "only a linker can compute this: make an ELF file");
        return;
    }
    if (fixup.leb != Fixup::Leb::no) {
        apply_leb(fixup, value);
    } else if (fixup.form == no_index) {
        apply_data(fixup, value);
    } else {
        apply_instruction(fixup, value);
    }
}

// --- data

// The relocation of a datum; 0, which no relocation has, behind a complaint.
std::uint32_t Engine::data_relocation(const Fixup& fixup, bool relative) {
    const std::uint32_t type = isa_.elf.of_data(std::bit_ceil(unsigned{fixup.bytes}), relative);
    if (type == 0 && !flavour_)
        error(fixup.place, fmt::format("objects of this machine have no relocation for {} of {} bits",
                                       relative ? "a distance" : "an address", fixup.bytes * 8));
    return type;
}

std::uint32_t Engine::operation_type(ElfMachine::Operation::Kind kind, unsigned bits) const {
    for (const ElfMachine::Operation& operation : isa_.elf.operations) {
        if (operation.kind == kind && operation.bits == bits) return operation.type;
    }
    return 0;
}

// The distance of two places of a section that a linker may change: it adds the one and subtracts the other.
bool Engine::shrinking_difference(const Fixup& fixup) {
    using Kind = ElfMachine::Operation::Kind;
    const Node node = expressions_.node(fixup.node);
    if (node.op != Operator::subtract || !may_stay_apart(fixup)) return false;
    Resolved to, from;
    const bool good = expressions_.evaluate(node.a, false, to) && expressions_.evaluate(node.b, false, from);
    expressions_.error.clear();
    if (!good || to.base != Resolved::Base::section || from.base != Resolved::Base::section) return false;
    if (!sections_[to.index].may_shrink && !sections_[from.index].may_shrink) return false;
    relocate(fixup, to, operation_type(Kind::add, fixup.bytes * 8u), false);
    relocate(fixup, from, operation_type(Kind::subtract, fixup.bytes * 8u), false);
    return true;
}

void Engine::apply_data(const Fixup& fixup, const Resolved& value) {
    if (shrinking_difference(fixup)) return;
    if (value.base != Resolved::Base::absolute) {
        return relocate(fixup, value, data_relocation(fixup, false), false);
    }
    const unsigned bits = fixup.bytes * 8u;
    if (!fits_bits(value.offset, bits)) {
        warning(fixup.place, fmt::format("the value {} is cut to {} bits", value_text(value.offset), bits));
    }
    put(value.offset.bits, fixup.bytes, bytes_at(fixup.position));
}

void Engine::apply_leb(const Fixup& fixup, const Resolved& value) {
    if (value.base != Resolved::Base::absolute) {
        error(fixup.place, "a number of this kind cannot wait for a linker");
        return;
    }
    const bool is_signed = fixup.leb == Fixup::Leb::is_signed;
    const std::int64_t number = value.offset.as_signed();
    const std::int64_t span = std::int64_t{1} << fixup.bytes * 7u;
    if (is_signed ? number < -span / 2 || number >= span / 2
                  : value.offset.negative || value.offset.bits >= static_cast<std::uint64_t>(span)) {
        error(fixup.place, fmt::format("{} does not fit the {} bytes that a number which was not known here gets",
                                       value_text(value.offset), fixup.bytes));
        return;
    }
    std::uint8_t* const bytes = bytes_at(fixup.position);
    if (is_signed) {
        put_signed_leb(number, bytes, fixup.bytes);
    } else {
        put_unsigned_leb(value.offset.bits, bytes, fixup.bytes);
    }
}

// `symbol - place in this section`: relative to the number itself, a linker can compute it.
bool Engine::difference(const Fixup& fixup) {
    const Node node = expressions_.node(fixup.node);
    if (node.op != Operator::subtract) return false;
    Resolved target, from;
    const bool good = expressions_.evaluate(node.a, false, target) && expressions_.evaluate(node.b, false, from);
    expressions_.error.clear();
    const Index section = fixup.position.section;
    if (!good || target.base == Resolved::Base::absolute) return false;
    if (from.base != Resolved::Base::section || from.index != section || sections_.step(section) != 1) return false;
    const Wide distance = static_cast<Wide>(offset_of(fixup.position) + number_offset(fixup)) - from.offset.wide();
    target.offset = Integer::from(target.offset.wide() + distance);
    relocate(fixup, target, data_relocation(fixup, true), false, true);
    return true;
}

// --- instructions

std::uint32_t Engine::relocation_of(Index operand_type) const {
    return isa_.operand_types[operand_type].number.relocation_type;
}

// Whether a number is a part of a distance, of which another instruction has the rest: that asks for what a linker knows of
// this one.
bool Engine::is_part(const NumberRule& rule) const { return rule.relative && rule.sliced && rule.relocation != 0; }

// In flat outputs: the rest of the number that the instruction at a label has.
void Engine::apply_at_label(const Fixup& fixup, const Resolved& value) {
    const auto found = distances_.find(value.offset.bits);
    if (value.offset.negative || found == distances_.end())
        return error(fixup.place, "at this label is no instruction with the other part of the number"), void();
    NumberValue number;
    number.integer = static_cast<std::uint64_t>(found->second);
    number.negative = found->second < 0;
    patch(fixup, number);
}

void Engine::apply_instruction(const Fixup& fixup, const Resolved& value) {
    const NumberRule& rule = isa_.operand_types[fixup.deferred.type].number;
    using Linked = NumberRule::Linked;
    if (options_.flat && rule.linked == Linked::label) return apply_at_label(fixup, value);
    if (options_.flat && rule.linked != Linked::address)
        return error(fixup.place, "only a linker can compute this: make an ELF file"), void();
    if (options_.flat && is_part(rule)) {
        const std::uint64_t address = sections_.address(fixup.position) / object_.address_bytes;
        distances_[address] = value.offset.as_signed() - static_cast<std::int64_t>(address);
    } else if (rule.linked != Linked::address || is_part(rule)) {
        return relocate(fixup, value, relocation_of(fixup.deferred.type), rule.relative);
    }
    bool known = value.base == Resolved::Base::absolute;
    if (rule.relative && value.base == Resolved::Base::section && value.index == fixup.position.section) {
        const Binding binding = value.via == no_index ? Binding::local : symbols_[value.via].binding;
        known = flavour_ && !options_.flat ? binding == Binding::local : binding != Binding::weak;
        known = known && !sections_[fixup.position.section].may_shrink;
    }
    if (!known) return relocate(fixup, value, relocation_of(fixup.deferred.type), rule.relative);
    if (fixup.deferred.repeats && relocated_here(fixup)) return error(fixup.place, codec::other_tail_text), void();
    NumberValue number;
    number.integer = static_cast<std::uint64_t>(value.offset.as_signed());
    number.negative = value.offset.as_signed() < 0;
    patch(fixup, number);
    if (rule.based && value.base == Resolved::Base::absolute) {
        object_.relocations.push_back({fixup.position.section, offset_of(fixup.position), no_index, rule.relocation,
                                       value.offset.as_signed(), fixup.place});
    }
}

void Engine::patch(const Fixup& fixup, const NumberValue& value) {
    std::uint8_t* const bytes = bytes_at(fixup.position);
    Encoded encoded;
    encoded.form = fixup.form;
    encoded.bits = fixup.bytes * 8u;
    encoded.deferred_count = 1;
    encoded.deferred[0] = fixup.deferred;
    encoded.image = codec_.load(bytes, fixup.bytes);
    const std::uint64_t address = sections_.address(fixup.position) / object_.address_bytes;
    std::string wrong = codec_.patch(encoded, fixup.deferred, value, address);
    if (!wrong.empty()) {
        error(fixup.place, std::move(wrong));
        return;
    }
    store(encoded, bytes);
}

// Whether the instruction's number was left to the linker on behalf of another operand.
bool Engine::relocated_here(const Fixup& fixup) {
    if (object_.relocations.empty()) return false;
    const Relocation& last = object_.relocations.back();
    return last.symbol != no_index && last.section == fixup.position.section &&
           last.offset - offset_of(fixup.position) < fixup.bytes;
}

void Engine::relocate(const Fixup& fixup, const Resolved& value, std::uint32_t type, bool in_code, bool difference) {
    Relocation relocation;
    relocation.section = fixup.position.section;
    relocation.offset = offset_of(fixup.position);
    relocation.type = type;
    relocation.place = fixup.place;
    const auto linked =
        fixup.form == no_index ? NumberRule::Linked::address : isa_.operand_types[fixup.deferred.type].number.linked;
    if (flavour_ && !flavour_relocation(fixup, value, difference, relocation)) return;
    Wide offset = value.offset.wide();
    if (value.base == Resolved::Base::symbol) {
        SymbolEntry& entry = symbols_[value.index];
        if (entry.name.empty()) return undefined(value.index, fixup.place);
        entry.used = true;
        const bool of_thread = linked == NumberRule::Linked::thread || linked == NumberRule::Linked::thread_slot;
        if (of_thread && entry.kind == SymbolKind::undefined) entry.type = SymbolType::thread;
        if (entry.kind == SymbolKind::label && entry.binding == Binding::local) {
            relocation.symbol = section_symbol(entry.position.section);
            offset += static_cast<Wide>(offset_of(entry.position));
        } else {
            if (entry.binding == Binding::local) entry.binding = Binding::global;
            offset *= in_code ? object_.address_bytes : 1;
            relocation.symbol = make_symbol(value.index);
        }
    } else if (value.base == Resolved::Base::absolute) {
        offset *= in_code ? object_.address_bytes : 1;
    } else if (linked == NumberRule::Linked::label) {
        offset *= sections_.step(value.index);
        relocation.symbol = label_symbol(value.via, value.index, Integer::from(offset).bits);
        offset = 0;
    } else {
        offset *= sections_.step(value.index);
        // What is a thread's has a symbol that says so.
        const bool of_thread = linked == NumberRule::Linked::thread || linked == NumberRule::Linked::thread_slot;
        const bool visible = value.via != no_index && (symbols_[value.via].binding != Binding::local || of_thread);
        if (visible) {
            offset -= static_cast<Wide>(offset_of(symbols_[value.via].position));
            relocation.symbol = make_symbol(value.via);
        } else if (sections_[value.index].may_shrink) {  // where a distance from the begin may change
            relocation.symbol = label_symbol(value.via, value.index, Integer::from(offset).bits);
            offset = 0;
        } else {
            relocation.symbol = section_symbol(value.index);
        }
    }
    relocation.addend = Integer::from(offset).as_signed();
    if (fixup.form != no_index &&
        fixup.deferred.repeats) {  // one relocation for all the operands that share the number
        const bool same = relocated_here(fixup) && object_.relocations.back().symbol == relocation.symbol &&
                          object_.relocations.back().addend == relocation.addend &&
                          object_.relocations.back().type == relocation.type;
        if (!same) error(fixup.place, codec::other_tail_text);
        return;
    }
    if (fixup.form != no_index && !flavour_) relocated_numbers_.emplace_back(object_.relocations.size(), &fixup);
    object_.relocations.push_back(relocation);
}

}  // namespace isaforge::assembler
