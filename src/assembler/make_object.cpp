// The finished sections, symbols, lines and listing, in the form that object files are written from.
#include <algorithm>

#include "assembler/engine.hpp"

namespace isaforge::assembler {

void Engine::make_sections() {
    object_.sections.clear();
    for (Index i = 0; i < sections_.size(); ++i) {
        Section& section = sections_[i].section;
        const std::uint64_t address = section.address;
        object_.sections.push_back(std::move(section));
        section = {};
        section.address = address;  // still asked for by fixups
    }
    object_.relocatable = !options_.flat;
}

void Engine::make_object() {
    make_symbols();
    make_lines();
    make_listing();
}

void Engine::make_symbols() {
    object_.symbols.reserve(object_.symbols.size() + symbols_.size());
    for (Index i = 0; i < symbols_.size(); ++i) {
        const SymbolEntry& entry = symbols_[i];
        if (entry.name.empty() || entry.name.starts_with(".L")) continue;
        if (entry.kind == SymbolKind::undefined && !entry.declared) continue;
        if (entry.kind == SymbolKind::floating || entry.live) continue;
        make_symbol(i);
    }
}

Index Engine::make_symbol(Index symbol) {
    SymbolEntry& entry = symbols_[symbol];
    if (entry.object_index != no_index) return entry.object_index;
    Symbol made;
    made.name = entry.name;
    made.binding = entry.binding;
    made.type = entry.type;
    made.visibility = entry.visibility;
    Resolved value;
    switch (entry.kind) {
        case SymbolKind::label:
            made.section = entry.position.section;
            made.value = offset_of(entry.position);
            if (object_.sections[made.section].of_thread) made.type = SymbolType::thread;
            break;
        case SymbolKind::integer:
            made.section = absolute_section;
            made.value = entry.value;
            break;
        case SymbolKind::common:
            made.section = common_section;
            made.value = entry.alignment;
            made.size = entry.value;
            break;
        case SymbolKind::expression:
            if (!expressions_.evaluate(static_cast<Index>(entry.value), false, value) ||
                value.base == Resolved::Base::symbol) {
                return no_index;
            }
            made.section = value.base == Resolved::Base::section ? value.index : absolute_section;
            made.value = value.offset.bits;
            if (value.base == Resolved::Base::section) made.value *= sections_.step(value.index);
            break;
        default: break;
    }
    if (entry.size_node != no_index && expressions_.evaluate(entry.size_node, false, value) &&
        value.base == Resolved::Base::absolute) {
        // The difference of two code labels counts addresses, a size counts bytes.
        const bool code = made.section < sections_.size() && sections_[made.section].step != 1;
        made.size = value.offset.bits * (code ? sections_[made.section].step : 1);
    }
    entry.object_index = static_cast<Index>(object_.symbols.size());
    object_.symbols.push_back(std::move(made));
    return entry.object_index;
}

// A symbol of this place: what is at a label cannot be told by a distance from the section's begin.
Index Engine::label_symbol(Index symbol, Index section, std::uint64_t offset) {
    const bool is_there = symbol != no_index && offset_of(symbols_[symbol].position) == offset;
    if (is_there && !symbols_[symbol].name.empty()) return make_symbol(symbol);
    Symbol made;
    made.name = ".L0";
    made.section = section;
    made.value = offset;
    object_.symbols.push_back(std::move(made));
    return static_cast<Index>(object_.symbols.size() - 1);
}

Index Engine::section_symbol(Index section) {
    Index& symbol = sections_[section].symbol;
    if (symbol != no_index) return symbol;
    symbol = static_cast<Index>(object_.symbols.size());
    Symbol made;
    made.section = section;
    made.type = SymbolType::section;
    object_.symbols.push_back(std::move(made));
    return symbol;
}

void Engine::make_lines() {
    if (!record_lines_) return;
    if (told_lines_.empty()) {
        line_marks_.put_into(object_, [this](const Position& position) { return offset_of(position); });
    } else {
        make_told_lines();
    }
}

void Engine::make_listing() {
    if (!listing_) return;
    listing_->entries.reserve(listing_marks_.size());
    for (const ListingMark& mark : listing_marks_) {
        const std::uint64_t begin = offset_of(mark.begin);
        listing_->entries.push_back({mark.statement, mark.begin.section, begin, offset_of(mark.end) - begin});
    }
}

}  // namespace isaforge::assembler
