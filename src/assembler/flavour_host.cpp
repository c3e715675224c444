// What the flavour of an object takes part in: directives that the assembler does not know, and numbers for a linker.
#include "assembler/flavour_host.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace isaforge::assembler {

// --- the engine's side

Engine::~Engine() = default;

bool Engine::choose_flavour() {
    flavour_ = object_flavour(isa_.object_flavour);
    std::string reason = "this instruction set has no targets";
    if (flavour_) {
        reason.clear();
        expressions_.syntax.modifiers = flavour_->modifiers();
        host_ = std::make_unique<FlavourHost>(*this);
        flavoured_ = flavour_->assembly(isa_, options_.target, *host_, reason);
        expressions_.refresh = [this] {
            if (std::exchange(host_->refreshing_, true)) return;
            flavoured_->refresh();
            host_->refreshing_ = false;
        };
    }
    if (flavoured_ || (!flavour_ && options_.target.empty())) return true;
    error(Place{main_, 0, 0}, reason);
    return false;
}

bool Engine::flavour_directive(const char* begin, const char* end, const char*& p) {
    const Position start = expressions_.here;
    std::string name(begin, end);
    std::transform(name.begin(), name.end(), name.begin(), lower);
    host_->cursor = skip_space(end);
    if (!flavoured_->directive(name, place(begin, end))) return false;
    p = host_->cursor;
    if (current_->section.executable && current_index_ == start.section) {
        data_in_code_.emplace_back(start, expressions_.here.offset);
    }
    if (listing_) mark_listing(start, begin, statement_end(begin));
    return true;
}

// The number's first byte from the instruction's or datum's.
std::uint64_t Engine::number_offset(const Fixup& fixup) const {
    return fixup.form == no_index ? 0 : fixup.deferred.pieces[0].position / 8;
}

// How a linker would fill the number in: one that is whole bytes in one piece.
std::optional<LinkedNumber> Engine::linked(const Fixup& fixup, unsigned modifier, bool relative) const {
    if (fixup.form == no_index) return flavour_->linked(modifier, fixup.bytes * 8u, false, relative, false);
    const NumberRule& rule = isa_.operand_types[fixup.deferred.type].number;
    if (fixup.deferred.piece_count != 1 || fixup.deferred.pieces[0].position % 8 != 0) return std::nullopt;
    if (!rule.relative && (rule.scale != 1 || rule.bias != 0)) return std::nullopt;
    return flavour_->linked(modifier, fixup.deferred.width, true, relative, rule.relative);
}

bool Engine::flavour_relocation(const Fixup& fixup, const Resolved& value, bool relative, Relocation& relocation) {
    const std::optional<LinkedNumber> number = linked(fixup, value.modifier, relative);
    if (!number) {
        error(fixup.place, "there is no relocation for such a number");
        return false;
    }
    if (number->branch && value.base == Resolved::Base::symbol && symbols_[value.index].kind == SymbolKind::undefined) {
        undefined(value.index, fixup.place);
        return false;
    }
    relocation.type = number->type;
    relocation.offset += number_offset(fixup);
    if (number->branch) {
        std::uint8_t* const bytes = bytes_at(fixup.position) + number_offset(fixup);
        std::fill(bytes, bytes + number->bits / 8, std::uint8_t{0xFF});
    }
    return true;
}

// --- the flavour's side: reading

bool FlavourHost::at_end() {
    cursor = engine_.skip_space(cursor);
    return engine_.ends_statement(cursor);
}

bool FlavourHost::accept(char mark) {
    cursor = engine_.skip_space(cursor);
    if (*cursor != mark || cursor >= engine_.text_end_) return false;
    cursor = engine_.skip_space(cursor + 1);
    return true;
}

bool FlavourHost::read_name(std::string_view& name, Place& where, std::string_view what) {
    cursor = engine_.skip_space(cursor);
    const char* const begin = cursor;
    const bool good = engine_.name(cursor, name, what);
    where = engine_.place(begin, cursor);
    return good;
}

bool FlavourHost::read_string(std::string& text, Place& where) {
    cursor = engine_.skip_space(cursor);
    const char* const begin = cursor;
    const bool good = engine_.string(cursor, text);
    where = engine_.place(begin, cursor);
    return good;
}

bool FlavourHost::read_integer(std::int64_t& value, Place& where) {
    cursor = engine_.skip_space(cursor);
    const char* const begin = cursor;
    Integer number;
    const bool good = engine_.absolute(cursor, number, "a number");
    const char* end = cursor;
    while (end > begin && is(end[-1], class_blank)) --end;
    where = engine_.place(begin, end);
    value = number.as_signed();
    return good;
}

void FlavourHost::skip_statement() { engine_.skip_statement(cursor); }

bool FlavourHost::next_statement() {
    engine_.finish_statement(cursor);
    while (cursor < engine_.text_end_) {
        bool to_line_end = false;
        if (is(*cursor, class_blank) || *cursor == '\n') {
            ++cursor;
        } else if (!engine_.skip_comment(cursor, to_line_end) && !engine_.accept_end(cursor)) {
            return true;
        }
    }
    return false;
}

bool FlavourHost::read_lines(std::string_view end, std::string& text, Place& where) {
    engine_.finish_statement(cursor);
    const char* line = engine_.find_line_end(cursor);
    if (line < engine_.text_end_) ++line;
    const char* const begin = line;
    while (line < engine_.text_end_) {
        const char* const word = skip_blanks(line);
        if (starts_with(word, engine_.text_end_, end) && !is(word[end.size()], class_name)) {
            text.assign(begin, line);
            where = engine_.place(begin, line);
            cursor = word + end.size();
            return true;
        }
        line = engine_.find_line_end(line);
        if (line < engine_.text_end_) ++line;
    }
    cursor = line;
    return false;
}

Diagnostic& FlavourHost::error(Place where, std::string message) { return engine_.error(where, std::move(message)); }

// --- sections and bytes

void FlavourHost::enter_section(const Section& described) {
    outer_.emplace_back(engine_.current_index_, engine_.previous_index_);
    const bool fresh = engine_.sections_.find(described.name) == no_index;
    const Index index = engine_.section_named(described.name);
    if (index == no_index) return;
    if (fresh) {
        engine_.sections_[index].section = described;
        engine_.sections_.set_code(index, described.executable);
    }
    engine_.enter(index);
}

void FlavourHost::leave_section() {
    if (outer_.empty()) return;
    engine_.enter(outer_.back().first);
    engine_.previous_index_ = outer_.back().second;
    outer_.pop_back();
}

void FlavourHost::align(std::uint64_t alignment) { engine_.align_to(alignment, 0, 1, 0, cursor); }

void FlavourHost::emit(std::span<const std::uint8_t> bytes) { engine_.emit_bytes(bytes.data(), bytes.size(), cursor); }

void FlavourHost::emit_reference(std::string_view symbol, unsigned modifier, std::int64_t addend, unsigned size) {
    Fixup fixup;
    fixup.position = engine_.expressions_.here;
    fixup.bytes = static_cast<std::uint8_t>(size);
    fixup.place = engine_.place(cursor);
    fixup.node = engine_.expressions_.leaf(engine_.symbols_.intern(symbol, false), modifier, addend);
    std::uint8_t* out = nullptr;
    if (!engine_.room(size, out, cursor)) return;
    engine_.moved();
    engine_.add_fixup(fixup, cursor);
}

// --- symbols

SymbolEntry& FlavourHost::entry(std::string_view symbol) {
    return engine_.symbols_[engine_.symbols_.intern(symbol, false)];
}

AssemblerHost::SymbolTraits FlavourHost::traits(std::string_view symbol) {
    const SymbolEntry& known = entry(symbol);
    return {known.binding, known.type, known.visibility};
}

void FlavourHost::set_traits(std::string_view symbol, const SymbolTraits& traits) {
    SymbolEntry& known = entry(symbol);
    known.binding = traits.binding;
    known.type = traits.type;
    known.visibility = traits.visibility;
}

bool FlavourHost::define_label(std::string_view symbol, std::uint64_t size, Place where) {
    const Index index = engine_.symbols_.intern(symbol, false);
    if (engine_.redefined(index, where)) return false;
    const Index length = engine_.expressions_.leaf(Integer(size, false));
    SymbolEntry& known = engine_.symbols_[index];
    known.kind = SymbolKind::label;
    known.position = engine_.expressions_.here;
    known.where = where;
    known.size_node = length;
    return true;
}

void FlavourHost::set_value(std::string_view symbol, std::int64_t value) {
    SymbolEntry& known = entry(symbol);
    known.kind = SymbolKind::integer;
    known.value = static_cast<std::uint64_t>(value);
    known.negative = value < 0;
    known.redefinable = true;
    known.live = true;
}

std::int64_t FlavourHost::value(std::string_view symbol) {
    const SymbolEntry& known = entry(symbol);
    return known.kind == SymbolKind::integer ? static_cast<std::int64_t>(known.value) : 0;
}

// Decodes what was put into the code sections since the last time. What came from data directives is passed over.
void FlavourHost::visit_operands(const OperandVisitor& visit) {
    visited_.resize(engine_.sections_.size());
    std::vector<std::pair<Position, std::uint64_t>> data = std::exchange(engine_.data_in_code_, {});
    for (Index i = 0; i < engine_.sections_.size(); ++i) {
        const SectionBuffer& section = engine_.sections_[i];
        Visited& visited = visited_[i];
        if (!section.section.executable || section.section.no_bits) continue;
        for (; visited.fragment < section.last_fragment(); ++visited.fragment) {
            const Fragment& next = section.fragments[visited.fragment + 1];
            if (next.kind != GapKind::instruction) continue;
            const RelaxedEncoding& encoded = engine_.relaxed_encodings_[engine_.relaxations_[next.relaxation].first];
            unsigned bits = 0;
            const Index form = engine_.codec_.decode(encoded.image, encoded.bits, bits);
            if (form != no_index) engine_.codec_.operands(form, encoded.image, 0, visit);
        }
        for (const auto& [begin, end] : data) {
            if (begin.section != i || end < visited.offset) continue;
            visit_bytes(i, visited.offset, begin.offset, visit);
            visited.offset = end;
        }
        visit_bytes(i, visited.offset, section.used, visit);
        visited.offset = section.used;
    }
}

void FlavourHost::visit_bytes(Index index, std::uint64_t begin, std::uint64_t end, const OperandVisitor& visit) const {
    const SectionBuffer& section = engine_.sections_[index];
    const std::uint64_t unit = engine_.object_.unit_bytes;
    for (std::uint64_t at = begin; at + unit <= end;) {
        const auto available = static_cast<std::size_t>(std::min<std::uint64_t>(end - at, max_instruction_bits / 8));
        const Image image = engine_.codec_.load(section.section.bytes.data() + at, available / unit * unit);
        unsigned bits = 0;
        const Index form = engine_.codec_.decode(image, static_cast<unsigned>(available / unit * unit * 8), bits);
        at += form == no_index ? unit : std::max<std::uint64_t>(bits / 8, 1);
        if (form != no_index) engine_.codec_.operands(form, image, 0, visit);
    }
}

}  // namespace isaforge::assembler
