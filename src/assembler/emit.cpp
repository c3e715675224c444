// Bytes into sections: instructions as the codec encoded them, with the numbers that wait for a symbol; and what has to
// be remembered about them for the line table and the listing.
#include <fmt/format.h>

#include <algorithm>

#include "assembler/engine.hpp"
#include "assembler/limits.hpp"

namespace isaforge::assembler {

// Says why there is none.
bool Engine::no_room(const char* at) {
    if (sections_.over_limit()) {
        output_full(at);
    } else {
        error(place(at), fmt::format("section {} holds no bytes", current_->section.name));
    }
    return false;
}

void Engine::output_full(const char* at) {
    if (output_full_) return;
    output_full_ = true;
    error(place(at), fmt::format("the output exceeds the limit of {} bytes", options_.max_output));
}

void Engine::emit_bytes(const void* bytes, std::size_t count, const char* at) {
    std::uint8_t* out = nullptr;
    if (count == 0 || !room(count, out, at)) return;
    std::memcpy(out, bytes, count);
    moved();
}

Index Engine::begin_fragment(Fragment fragment) {
    fragment.start = current_->used;
    current_->fragments.push_back(fragment);
    expressions_.here.fragment = current_->last_fragment();
    return expressions_.here.fragment;
}

void Engine::emit_instruction(const char* begin, const char* end) {
    mark_line(begin);
    const bool loaded = codec_.is_loaded(encoded_.form);
    if (!loaded && encoded_.deferred_count == 0) return emit_encoded(begin, end);
    emit_marked(begin, end, loaded);
}

// One whose line is marked already; `loaded`: with a number that a loader changes.
void Engine::emit_marked(const char* begin, const char* end, bool loaded) {
    const Position start = expressions_.here;
    check_address(begin, end);
    emit_waiting(begin, end, loaded);
    if (listing_) mark_listing(start, begin, end);
}

void Engine::report_address(const char* begin, const char* end) {
    error(begin, end, fmt::format("an instruction must begin at a multiple of {} bytes", object_.address_bytes));
}

// An instruction with numbers that are not known, or that a loader changes.
void Engine::emit_waiting(const char* begin, const char* end, bool loaded) {
    bool known[8] = {}, all_fit = true, all_known = true;
    for (unsigned i = 0; i < encoded_.deferred_count; ++i) {
        bool fits = true;
        // What repeats another number is compared when that one is there.
        known[i] = !(encoded_.deferred[i].repeats && !all_known) && patch_now(encoded_, encoded_.deferred[i], fits);
        all_known &= known[i];
        all_fit &= fits;
    }
    const bool may_change = encoded_.deferred_count != 0 && !(all_known && all_fit);
    if (may_change && codec_.may_grow(encoded_) && emit_relaxable(begin, end)) {
        expressions_.clear_operands();
        return;
    }
    const Position start = expressions_.here;
    std::uint8_t* out = nullptr;
    if (room(encoded_.bits / 8, out, begin)) {
        store(encoded_, out);
        moved();
        for (unsigned i = 0; i < encoded_.deferred_count; ++i) {
            if (!known[i] || !all_fit) add_fixup(fixup_of(encoded_, i, start), begin);
        }
        if (loaded && encoded_.deferred_count == 0) mark_relocatable(start, begin, end);
    }
    expressions_.clear_operands();
}

Fixup Engine::fixup_of(const Encoded& encoded, unsigned number, const Position& position) const {
    const Deferred& deferred = encoded.deferred[number];
    const Expressions::Operand& operand = expressions_.operand(deferred.handle);
    Fixup fixup;
    fixup.position = position;
    fixup.node = operand.node;
    fixup.form = encoded.form;
    fixup.deferred = deferred;
    fixup.bytes = static_cast<std::uint8_t>(encoded.bits / 8);
    fixup.place = place(operand.begin, operand.end);
    return fixup;
}

void Engine::add_fixup(const Fixup& fixup, const char* at) {
    if (fixups_.size() < limits::waiting) {
        fixups_.push_back(fixup);
    } else {
        too_many_waiting(at);
    }
}

void Engine::too_many_waiting(const char* at) {
    if (too_many_fixups_) return;
    too_many_fixups_ = true;
    error(place(at),
          fmt::format("more than {} numbers, or {} instructions of several lengths, wait for the value of a symbol",
                      limits::waiting, limits::relaxed_instructions));
}

// A number that does not depend on layout after all: plain, or the distance to a label in the same fragment.
bool Engine::patch_now(Encoded& encoded, const Deferred& deferred, bool& fits) {
    const Node& node = expressions_.node(expressions_.operand(deferred.handle).node);
    const NumberRule& rule = isa_.operand_types[deferred.type].number;
    if (rule.linked != NumberRule::Linked::address || is_part(rule)) return false;
    const bool relative = rule.relative;
    std::int64_t value = 0;
    if (node.op == Operator::integer && !(relative && !current_->fixed())) {
        value = static_cast<std::int64_t>(node.value);
    } else if (node.op == Operator::symbol && relative) {
        const SymbolEntry& entry = symbols_[node.a];
        const Position& here = expressions_.here;
        if (entry.kind != SymbolKind::label || entry.binding == Binding::weak) return false;
        if (entry.position.section != here.section || entry.position.fragment != here.fragment) return false;
        value = static_cast<std::int64_t>(entry.position.offset / current_->step) + node.addend;
    } else {
        return false;
    }
    fits = codec_.try_patch(encoded, deferred, value, code_address());
    return true;
}

// Keeps all encodings of the statement; layout chooses. False where there is only one.
bool Engine::emit_relaxable(const char* begin, const char* end) {
    if (relaxations_.size() >= limits::relaxed_instructions) {
        too_many_waiting(begin);
        return false;
    }
    Relaxation relaxation;
    relaxation.position = expressions_.here;
    relaxation.place = place(begin, end);
    relaxation.first = static_cast<Index>(relaxed_encodings_.size());
    const std::size_t first_fixup = relaxed_fixups_.size();
    // Where a number would be what is a register in the first, it is no other encoding of that.
    const auto waits_alike = [&](const Encoded& candidate) {
        for (unsigned i = 0; i < candidate.deferred_count && relaxation.count != 0; ++i) {
            const Expressions::Operand& number = expressions_.operand(candidate.deferred[i].handle);
            const Place where = place(number.begin, number.end);
            const auto is_there = [&](const Fixup& one) { return one.place.offset == where.offset; };
            if (std::ranges::none_of(fixups_of(relaxed_encodings_[relaxation.first]), is_there)) return false;
        }
        return true;
    };
    const auto keep = [&](const Encoded& candidate) {
        if (is_off(candidate.form) || !waits_alike(candidate)) return false;
        if (candidate.bits / 8 == 0 || (relaxation.count != 0 && candidate.bits < relaxed_encodings_.back().bits))
            return true;
        RelaxedEncoding& kept = relaxed_encodings_.emplace_back();
        kept.image = candidate.image;
        kept.form = candidate.form;
        kept.bits = candidate.bits;
        kept.first_fixup = static_cast<Index>(relaxed_fixups_.size());
        kept.fixup_count = candidate.deferred_count;
        for (unsigned i = 0; i < candidate.deferred_count; ++i)
            relaxed_fixups_.push_back(fixup_of(candidate, i, expressions_.here));
        return ++relaxation.count == limits::encodings;
    };
    const char* p = begin;
    Encoded last;
    codec_.try_assemble(p, end, code_address(), expressions_, last,
                        [&](const Encoded& candidate, const char*) { return keep(candidate); });
    if (relaxation.count < 2) {
        relaxed_encodings_.resize(relaxation.first);
        relaxed_fixups_.resize(first_fixup);
        return false;
    }
    const auto index = static_cast<Index>(relaxations_.size());
    Fragment fragment;
    fragment.kind = GapKind::instruction;
    fragment.gap = relaxed_encodings_[relaxation.first].bits / 8;
    fragment.relaxation = index;
    fragment.place = relaxation.place;
    relaxations_.push_back(relaxation);
    begin_fragment(fragment);
    return true;
}

Encoded RelaxedEncoding::encoded() const {
    Encoded out;
    out.form = form;
    out.image = image;
    out.bits = bits;
    return out;
}

// A number to which a loader adds the base of the data segment, though we know what was written.
void Engine::mark_relocatable(const Position& start, const char* begin, const char* end) {
    for (const Field& field : isa_.forms[encoded_.form].fields) {
        if (field.fixed || !isa_.operand_types[field.type].number.based) continue;
        if (base_marks_.size() >= limits::marks) return;
        Fixup fixup;
        fixup.position = start;
        fixup.form = encoded_.form;
        fixup.deferred.type = field.type;
        fixup.place = place(begin, end);
        base_marks_.emplace_back(fixup, expressions_.last_integer.as_signed());
        return;
    }
}

// The statement of the source that emitted bytes are attributed to.
Place Engine::origin_of(const char* begin, const char* end) const {
    return input_->attributed ? input_->root : place(begin, end);
}

void Engine::mark_line(const char* begin) {
    if (!record_lines_) return;
    if (told_waits_) take_told_line();
    if (input_->attributed) {
        line_marks_.mark(expressions_.here, input_->root.file, input_->root.offset);
    } else {
        line_marks_.mark(expressions_.here, input_->file, static_cast<std::uint32_t>(begin - input_->base));
    }
}

void Engine::mark_listing(const Position& begin, const char* statement, const char* end) {
    if (!listing_) return;
    const Position& now = expressions_.here;
    if (now.fragment == begin.fragment && now.offset == begin.offset) return;
    const Place origin = origin_of(statement, end);
    if (!listing_marks_.empty() && input_->attributed) {
        ListingMark& last = listing_marks_.back();
        const bool adjoins =
            last.end.section == begin.section && last.end.fragment == begin.fragment && last.end.offset == begin.offset;
        if (adjoins && last.statement.file == origin.file && last.statement.offset == origin.offset) {
            last.end = now;
            return;
        }
    }
    if (listing_marks_.size() < limits::marks) listing_marks_.push_back({begin, now, origin});
}

// --- places and messages

Place Engine::place(const char* begin, const char* end) const {
    const auto length = static_cast<std::uint32_t>(end > begin ? end - begin : 0);
    if (input_->kind != Input::Kind::substitution) {
        return {input_->file, static_cast<std::uint32_t>(begin - input_->base), length};
    }
    const auto offset = static_cast<std::uint32_t>(begin - input_->begin);
    const auto next = std::upper_bound(input_->map.begin(), input_->map.end(), offset,
                                       [](std::uint32_t at, const MapPiece& piece) { return at < piece.text; });
    const MapPiece piece = next == input_->map.begin() ? MapPiece{} : *std::prev(next);
    if (piece.length) return {input_->file, piece.source, piece.length};
    return {input_->file, piece.source + (offset - piece.text), length};
}

Diagnostic& Engine::error(Place where, std::string message) {
    const bool kept = !diagnostics_.full();
    Diagnostic& report = diagnostics_.error(where, std::move(message));
    if (diagnostics_.errors() >= limits::errors) ended_ = true;
    if (kept) add_expansion_notes(report);
    return report;
}

Diagnostic& Engine::warning(Place where, std::string message) {
    const bool kept = !diagnostics_.full();
    Diagnostic& report = diagnostics_.warning(where, std::move(message));
    if (kept) add_expansion_notes(report);
    return report;
}

// What led to the text that is read, or, once all is read, to the text of a message: the innermost first.
std::vector<std::pair<Place, std::string>> Engine::calls_of(const Diagnostic& report) const {
    std::vector<std::pair<Place, std::string>> calls;
    const auto expanded = [&](Place call, std::string_view macro) {
        calls.emplace_back(call, macro.empty() ? std::string("in the repetition here")
                                               : fmt::format("in expansion of macro '{}'", macro));
    };
    for (const Input* input = input_; input; input = input->parent) {
        if (!input->call.known()) continue;
        if (input->kind == Input::Kind::macro) expanded(input->call, input->macro);
        if (input->kind == Input::Kind::file) calls.emplace_back(input->call, "included from here");
    }
    Place at = report.place;
    while (!input_ && at.file < calls_.size() && calls_[at.file].macro) {
        expanded(calls_[at.file].place, calls_[at.file].macro);
        at = calls_[at.file].place;
    }
    return calls;
}

// Of many calls inside each other the outermost is told too: it is what stands in the source.
void Engine::add_expansion_notes(Diagnostic& report) const {
    if (!input_ && calls_.empty()) return;
    const auto calls = calls_of(report);
    const std::size_t all = calls.size(), shown = all > limits::expansion_notes ? limits::expansion_notes - 1 : all;
    for (std::size_t i = 0; i < shown; ++i) report.note(calls[i].first, calls[i].second);
    if (shown < all)
        report.note(calls.back().first, fmt::format("{} (and {} more between)", calls.back().second, all - shown - 1));
}

}  // namespace isaforge::assembler
