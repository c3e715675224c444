// Puts objects together: which of them take part, what every name means, where every section goes; then relocations are
// computed as they are for a single object.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <map>
#include <set>
#include <tuple>
#include <unordered_map>

#include "isaforge/linker.hpp"
#include "linker/places.hpp"
#include "linker/shorten.hpp"
#include "object/flavour.hpp"
#include "object/limits.hpp"
#include "object/placement.hpp"

namespace isaforge {

namespace {

// Where a section of an input went.
struct Moved {
    Index section = no_index;  // of the output
    std::uint64_t offset = 0;
};

// What a name means, among those that all objects see.
struct Global {
    enum class Rank : std::uint8_t { undefined, weak, common, strong } rank = Rank::undefined;
    Index input = no_index, symbol = no_index;  // where it is defined, or named first
    bool named = false;                         // by a relocation, or by an object that lacks it
    Index made = no_index;                      // in the output
    std::uint64_t alignment = 1;                // of a common symbol
};

// Sections that compilers give names of their own, so that they can be left out one by one, go where the others are.
std::string output_name(const std::string& name) {
    for (const std::string_view stem : {".text", ".rodata", ".data", ".bss", ".sdata", ".sbss", ".srodata", ".tdata",
                                        ".tbss", ".preinit_array", ".init_array", ".fini_array"}) {
        if (name.size() > stem.size() && name.starts_with(stem) && name[stem.size()] == '.') return std::string(stem);
    }
    return name;
}

bool is_identifier(std::string_view text) {
    return !text.empty() && std::ranges::all_of(text, [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    });
}

// The line of the source, or the place in the section.
std::string place_in(const LinkInput& input, Index section, std::uint64_t offset) {
    LineEntry found;
    for (const LineEntry& line : input.object.lines) {
        if (std::pair(line.section, line.offset) > std::pair(section, offset)) break;
        found = line;
    }
    if (found.section == section && found.line != 0 && found.file < input.object.files.size())
        return fmt::format("{}:{}", input.object.files[found.file], found.line);
    if (section >= input.object.sections.size()) return input.name;
    return fmt::format("{}({}+0x{:x})", input.name, input.object.sections[section].name, offset);
}

// Initialisers may say when they are run: `.init_array.00100` before those of higher numbers and those without.
unsigned order_of(const Section& section) {
    constexpr unsigned last = 65536;
    unsigned order = 0;
    const std::size_t dot = section.elf_type != 0 ? section.name.rfind('.') : std::string::npos;
    if (dot == std::string::npos || dot == 0) return last;
    const char* const end = section.name.data() + section.name.size();
    const auto [after, error] = std::from_chars(section.name.data() + dot + 1, end, order);
    return error == std::errc() && after == end ? std::min(order, last) : last;
}

class Linker {
public:
    Linker(std::vector<LinkInput>& inputs, const Codec& codec, const LinkOptions& options, LinkedProgram& program,
           Diagnostics& diagnostics)
        : inputs_(inputs),
          codec_(codec),
          options_(options),
          program_(program),
          object_(program.object),
          diagnostics_(diagnostics) {}

    // Whether it is to be done once more, with what has become shorter.
    bool run(Shortener* shortener, bool& again);

private:
    void fail(std::string message) { diagnostics_.error({}, std::move(message)); }
    bool check_inputs();
    void take(Index input);
    void index_lazy();
    void take_wanted();
    void look_up(Index input);
    bool define(Global& global, Index input, Index symbol);
    std::string place_of(const Global& global) const;
    void keep_one_of_each_group(Index input);
    void drop_unused();
    void reach_sections(std::string_view name, std::vector<std::pair<Index, Index>>& waiting);
    void reach(Index input, Index symbol, std::vector<std::pair<Index, Index>>& waiting);
    Section& section_for(const Section& like, Index& index);
    bool add_part(Index input, Index from, const Section& section, Moved& moved, std::string_view name);
    bool merge_sections();
    void merge_commons();
    void merge_symbols();
    Index add_symbol(Symbol symbol, Index input);
    Index section_symbol(Index section);
    void add_own_symbols();
    void own_symbol(std::string_view name, Index section, std::uint64_t value);
    bool define_own(const std::string& name, const LinkedValue& value, Place place = {});
    bool define_by_script();
    void merge_relocations();
    void add_slots();
    void fill_slots();
    bool settle_paddings();
    void drop_labels();
    bool shorten(Shortener& shortener);
    std::optional<std::int64_t> target_of(Index input, const Relocation& relocation) const;
    void merge_lines();
    void report_undefined();
    void set_entry();
    std::string origin(Index section, std::uint64_t offset) const;
    const std::string& entry_name() const {
        static const std::string usual = "_start";
        if (!options_.entry.empty()) return options_.entry;
        return options_.script && !options_.script->entry.empty() ? options_.script->entry : usual;
    }
    bool entry_is_asked_for() const {
        return !options_.entry.empty() || (options_.script && !options_.script->entry.empty());
    }

    std::vector<LinkInput>& inputs_;
    const Codec& codec_;
    const LinkOptions& options_;
    LinkedProgram& program_;
    Object& object_;
    Diagnostics& diagnostics_;
    std::unordered_map<std::string_view, Global> globals_;
    std::vector<std::string_view> names_;                            // of globals, in the order in which they were seen
    std::unordered_map<std::string_view, Index> lazy_;               // which member of an archive defines a name
    std::vector<Index> waiting_;                                     // inputs whose names have not been looked up
    std::vector<std::vector<bool>> dropped_, gone_;                  // by input and section; those of groups alone
    std::vector<std::vector<Moved>> moved_;                          // likewise
    std::vector<std::vector<Index>> made_;                           // symbols of the output, by input and symbol
    std::map<std::pair<std::string, bool>, Index> by_name_;          // sections of the output, by name and `allocated`
    std::map<Index, Index> section_symbols_;                         // by section of the output
    std::unordered_map<std::string_view, Index> groups_;             // which input has the sections of one
    Index slots_section_ = no_index;
    LinkerTables tables_;
    std::uint64_t image_bytes_ = 0, filling_ = 0;
};

// --- which objects, and what names mean -------------------------------------------------------------------------------

bool Linker::check_inputs() {
    const Object* first = nullptr;
    for (const LinkInput& input : inputs_) {
        const Object& object = input.object;
        if (object.self_describing || std::ranges::any_of(object_flavours(), [&](const ObjectFlavour* flavour) {
                return !flavour->isa_of(object).empty();
            })) {
            fail(fmt::format("{} is a code object, which ld.lld links; `run` takes it as it is", input.name));
            return false;
        }
        if (!object.relocatable) {
            fail(fmt::format("{} has been linked already: its relocations are gone", input.name));
            return false;
        }
        if (!first) first = &object;
        const std::uint32_t flags = (object.machine_flags ^ first->machine_flags) & ~codec_.isa().elf.varying_flags;
        const bool alike = object.wide == first->wide && object.big_endian == first->big_endian &&
                           object.machine == first->machine && flags == 0;
        if (alike) continue;
        fail(fmt::format("{} is another kind of ELF file than {}: class, byte order, machine or flags differ",
                         input.name, inputs_[0].name));
        return false;
    }
    if (!first) fail("there is nothing to link");
    return first != nullptr;
}

void Linker::index_lazy() {
    for (Index i = 0; i < inputs_.size(); ++i) {
        if (!inputs_[i].lazy) continue;
        for (const Symbol& symbol : inputs_[i].object.symbols) {
            if (symbol.binding != Binding::local && symbol.section != undefined_section)
                lazy_.try_emplace(symbol.name, i);
        }
    }
}

void Linker::take(Index input) {
    if (program_.taken[input]) return;
    program_.taken[input] = true;
    waiting_.push_back(input);
}

std::string Linker::place_of(const Global& global) const {
    const LinkInput& input = inputs_[global.input];
    const Symbol& symbol = input.object.symbols[global.symbol];
    return symbol.section < input.object.sections.size() ? place_in(input, symbol.section, symbol.value) : input.name;
}

// False where both definitions count.
bool Linker::define(Global& global, Index input, Index index) {
    const Symbol& symbol = inputs_[input].object.symbols[index];
    const Global::Rank rank = symbol.section == undefined_section ? Global::Rank::undefined
                              : symbol.section == common_section  ? Global::Rank::common
                              : symbol.binding == Binding::weak   ? Global::Rank::weak
                                                                  : Global::Rank::strong;
    if (rank == Global::Rank::undefined) {
        // One that has to be there counts more than one that may be missing.
        const bool stronger = global.rank == rank && global.input != no_index && symbol.binding != Binding::weak &&
                              inputs_[global.input].object.symbols[global.symbol].binding == Binding::weak;
        global.named = true;
        if (global.input == no_index || stronger) global.input = input, global.symbol = index;
        return true;
    }
    if (rank == Global::Rank::strong && global.rank == rank) return false;
    if (rank == Global::Rank::common) global.alignment = std::max(global.alignment, std::bit_floor(symbol.value));
    const Symbol* const known =
        global.input != no_index ? &inputs_[global.input].object.symbols[global.symbol] : nullptr;
    const bool larger = rank == Global::Rank::common && global.rank == rank && known && symbol.size > known->size;
    if (rank > global.rank || larger) {
        global.rank = rank;
        global.input = input;
        global.symbol = index;
    }
    return true;
}

// What another object has brought already is not there: its names mean what they mean there.
void Linker::keep_one_of_each_group(Index input) {
    Object& object = inputs_[input].object;
    std::vector<bool>& dropped = dropped_[input];
    for (const Object::Group& group : object.groups) {
        const auto [known, is_new] = groups_.try_emplace(group.name, input);
        if (is_new) continue;
        for (const Index section : group.sections) {
            if (section < dropped.size()) dropped[section] = true;
        }
    }
    for (Symbol& symbol : object.symbols) {
        const bool gone = symbol.section < dropped.size() && dropped[symbol.section];
        if (gone && symbol.binding != Binding::local && symbol.type != SymbolType::section)
            symbol.section = undefined_section;
    }
}

void Linker::look_up(Index input) {
    keep_one_of_each_group(input);
    const std::vector<Symbol>& symbols = inputs_[input].object.symbols;
    for (Index i = 0; i < symbols.size(); ++i) {
        const Symbol& symbol = symbols[i];
        if (symbol.binding == Binding::local || symbol.type == SymbolType::section || symbol.name.empty()) continue;
        const auto [at, is_new] = globals_.try_emplace(symbol.name);
        if (is_new) names_.push_back(at->first);
        Global& global = at->second;
        if (!define(global, input, i)) {
            Global other;
            other.input = input;
            other.symbol = i;
            fail(fmt::format("'{}' is defined twice: {} and {}", symbol.name, place_of(global), place_of(other)));
        }
        const bool lacking = global.rank == Global::Rank::undefined && symbol.binding != Binding::weak;
        const auto found = lacking ? lazy_.find(symbol.name) : lazy_.end();
        if (found != lazy_.end()) take(found->second);
    }
}

void Linker::take_wanted() {
    program_.taken.assign(inputs_.size(), false);
    dropped_.resize(inputs_.size());
    for (Index i = 0; i < inputs_.size(); ++i) dropped_[i].assign(inputs_[i].object.sections.size(), false);
    for (const LinkInput& input : inputs_) program_.inputs.push_back(input.name);
    index_lazy();
    for (Index i = 0; i < inputs_.size(); ++i) {
        if (!inputs_[i].lazy) take(i);
    }
    std::vector<std::string_view> wanted(options_.wanted.begin(), options_.wanted.end());
    if (!options_.relocatable) wanted.push_back(entry_name());
    if (options_.script) {
        for (const LinkScript::Definition& definition : options_.script->definitions) {
            for (const LinkScript::Term& term : definition.terms) {
                if (term.kind == LinkScript::Term::Kind::symbol) wanted.push_back(term.name);
            }
        }
    }
    // In the order of the command line, so that it is known which of two definitions in archives counts.
    for (std::size_t next = 0; next < waiting_.size() || !wanted.empty(); ++next) {
        while (next == waiting_.size() && !wanted.empty()) {
            const std::string_view name = wanted.back();
            wanted.pop_back();
            const auto known = globals_.find(name);
            const auto found = lazy_.find(name);
            if (found != lazy_.end() && (known == globals_.end() || known->second.rank == Global::Rank::undefined))
                take(found->second);
        }
        if (next == waiting_.size()) break;
        look_up(waiting_[next]);
    }
}

// --- what nothing reaches ---------------------------------------------------------------------------------------------

// The section that a symbol of an input is in, where that is in use from now on.
void Linker::reach(Index input, Index index, std::vector<std::pair<Index, Index>>& waiting) {
    if (index >= inputs_[input].object.symbols.size()) return;
    const Symbol* symbol = &inputs_[input].object.symbols[index];
    if (symbol->binding != Binding::local && symbol->type != SymbolType::section) {
        const auto known = globals_.find(symbol->name);
        if (known == globals_.end() || known->second.rank == Global::Rank::undefined)
            return reach_sections(symbol->name, waiting);
        input = known->second.input;
        symbol = &inputs_[input].object.symbols[known->second.symbol];
    }
    if (symbol->section >= inputs_[input].object.sections.size() || !dropped_[input][symbol->section]) return;
    if (gone_[input][symbol->section]) return;
    dropped_[input][symbol->section] = false;
    waiting.emplace_back(input, symbol->section);
}

// All sections of a name, whose ends are asked for.
void Linker::reach_sections(std::string_view name, std::vector<std::pair<Index, Index>>& waiting) {
    constexpr std::string_view begin = "__start_", end = "__stop_";
    if (!name.starts_with(begin) && !name.starts_with(end)) return;
    name.remove_prefix(name.starts_with(begin) ? begin.size() : end.size());
    for (Index i = 0; i < inputs_.size(); ++i) {
        const std::vector<Section>& sections = inputs_[i].object.sections;
        for (Index s = 0; program_.taken[i] && s < sections.size(); ++s) {
            if (!dropped_[i][s] || gone_[i][s] || sections[s].name != name) continue;
            dropped_[i][s] = false;
            waiting.emplace_back(i, s);
        }
    }
}

void Linker::drop_unused() {
    gone_ = dropped_;
    if (!options_.drop_unused || options_.relocatable) return;
    std::vector<std::pair<Index, Index>> waiting;
    std::vector<std::map<Index, std::vector<Index>>> from(inputs_.size());  // symbols that a section names
    for (Index i = 0; i < inputs_.size(); ++i) {
        if (!program_.taken[i]) continue;
        const Object& object = inputs_[i].object;
        for (Index s = 0; s < object.sections.size(); ++s) {
            const Section& section = object.sections[s];
            if (gone_[i][s]) continue;
            const bool kept = !section.allocated || section.note || section.name.starts_with(".init") ||
                              section.name.starts_with(".fini") || section.name.starts_with(".preinit");
            dropped_[i][s] = !kept;
            if (kept) waiting.emplace_back(i, s);
        }
        for (const Relocation& relocation : object.relocations)
            from[i][relocation.section].push_back(relocation.symbol);
    }
    std::vector<std::string_view> roots(options_.wanted.begin(), options_.wanted.end());
    roots.push_back(entry_name());
    for (const std::string_view root : roots) {
        const auto known = globals_.find(root);
        if (known != globals_.end() && known->second.rank != Global::Rank::undefined)
            reach(known->second.input, known->second.symbol, waiting);
    }
    while (!waiting.empty()) {
        const auto [input, section] = waiting.back();
        waiting.pop_back();
        const auto named = from[input].find(section);
        if (named == from[input].end()) continue;
        for (const Index symbol : named->second) reach(input, symbol, waiting);
    }
    for (Index i = 0; i < inputs_.size(); ++i) {
        for (Index s = 0; s < dropped_[i].size(); ++s) {
            const Section& section = inputs_[i].object.sections[s];
            if (dropped_[i][s] && !gone_[i][s] && section.extent() != 0)
                program_.dropped.push_back({i, s, no_index, 0, section.extent(), section.name});
        }
    }
}

// --- sections ---------------------------------------------------------------------------------------------------------

Section& Linker::section_for(const Section& like, Index& index) {
    std::string name = options_.relocatable ? like.name : output_name(like.name);
    const auto [known, is_new] =
        by_name_.try_emplace({std::move(name), like.allocated}, static_cast<Index>(object_.sections.size()));
    index = known->second;
    if (is_new) {
        Section made = like;
        made.name = known->first.first;
        made.bytes.clear();
        made.size = 0;
        object_.sections.push_back(std::move(made));
    }
    return object_.sections[index];
}

bool Linker::add_part(Index input, Index from, const Section& section, Moved& moved, std::string_view name) {
    Section& to = section_for(section, moved.section);
    const std::uint64_t offset = aligned(to.extent(), section.alignment), size = section.extent();
    const std::uint64_t end = offset + size;
    const auto too_large = [&] {
        fail(fmt::format(
            "section {} becomes too large: a program has at most {} bytes, of which {} lie between parts of sections",
            to.name, max_flat_image, limits::most_filling));
        return false;
    };
    constexpr std::uint64_t largest = std::uint64_t{1} << 62;
    if (offset > largest || size > largest) return too_large();
    const bool zeros = to.no_bits && section.no_bits;
    const std::uint64_t grown = zeros ? 0 : end - to.bytes.size();
    const std::uint64_t filling = grown - (zeros ? 0 : section.bytes.size());
    if (image_bytes_ + grown > max_flat_image || filling_ + filling > limits::most_filling) return too_large();
    image_bytes_ += grown;
    filling_ += filling;
    if (zeros) {
        to.size = end;
    } else {
        to.bytes.resize(end);
        std::copy(section.bytes.begin(), section.bytes.end(), to.bytes.begin() + static_cast<std::ptrdiff_t>(offset));
        to.no_bits = false;
        to.size = 0;
    }
    to.writable |= section.writable;
    to.executable |= section.executable;
    to.elf_flags &= section.elf_flags;
    if (to.entry_size != section.entry_size) to.entry_size = 0;
    to.alignment = std::max(to.alignment, section.alignment);
    moved.offset = offset;
    program_.parts.push_back({input, from, moved.section, offset, size, std::string(name)});
    return true;
}

bool Linker::merge_sections() {
    moved_.resize(inputs_.size());
    std::vector<std::tuple<unsigned, Index, Index>> parts;  // when, and which section of which input
    for (Index i = 0; i < inputs_.size(); ++i) {
        const Object& object = inputs_[i].object;
        moved_[i].resize(object.sections.size());
        for (Index s = 0; program_.taken[i] && s < object.sections.size(); ++s) {
            const bool only_warns = object.sections[s].name.starts_with(".gnu.warning.");  // to be said by a linker
            if (!dropped_[i][s] && !only_warns) parts.emplace_back(order_of(object.sections[s]), i, s);
        }
    }
    std::ranges::stable_sort(parts, {}, [](const auto& part) { return std::get<0>(part); });
    return std::ranges::all_of(parts, [&](const auto& part) {
        const auto [order, i, s] = part;
        const Section& section = inputs_[i].object.sections[s];
        return add_part(i, s, section, moved_[i][s], section.name);
    });
}

// Each symbol of a size alone gets its room where what is zeroed lies.
void Linker::merge_commons() {
    for (const std::string_view name : names_) {
        const Global& global = globals_[name];
        if (global.rank != Global::Rank::common || options_.relocatable) continue;
        Section zeros;
        zeros.name = ".bss";
        zeros.writable = zeros.no_bits = true;
        Symbol symbol = inputs_[global.input].object.symbols[global.symbol];
        zeros.alignment = std::min(global.alignment, limits::largest_alignment);
        zeros.size = symbol.size;
        Moved moved;
        if (!add_part(global.input, no_index, zeros, moved, "COMMON")) return;
        symbol.section = moved.section;
        symbol.value = moved.offset;
        globals_[name].made = add_symbol(std::move(symbol), global.input);
    }
}

// --- symbols ----------------------------------------------------------------------------------------------------------

Index Linker::add_symbol(Symbol symbol, Index input) {
    object_.symbols.push_back(std::move(symbol));
    program_.defined_in.push_back(input);
    return static_cast<Index>(object_.symbols.size() - 1);
}

Index Linker::section_symbol(Index section) {
    const auto [known, is_new] = section_symbols_.try_emplace(section);
    if (is_new) {
        Symbol symbol;
        symbol.section = section;
        symbol.type = SymbolType::section;
        known->second = add_symbol(std::move(symbol), no_index);
    }
    return known->second;
}

void Linker::merge_symbols() {
    // Moves a symbol with its section; false where that is left out.
    const auto place = [&](Symbol& symbol, Index input) {
        if (symbol.section >= inputs_[input].object.sections.size()) return true;
        const Moved& moved = moved_[input][symbol.section];
        symbol.section = moved.section;
        symbol.value += moved.offset;
        return moved.section != no_index;
    };
    made_.resize(inputs_.size());
    for (Index i = 0; i < inputs_.size(); ++i) {
        const std::vector<Symbol>& symbols = inputs_[i].object.symbols;
        made_[i].assign(symbols.size(), no_index);
        for (Index s = 0; program_.taken[i] && s < symbols.size(); ++s) {
            if (symbols[s].binding != Binding::local || symbols[s].type == SymbolType::section) continue;
            Symbol symbol = symbols[s];
            if (place(symbol, i)) made_[i][s] = add_symbol(std::move(symbol), i);
        }
    }
    for (const std::string_view name : names_) {
        Global& global = globals_[name];
        if (global.made != no_index) continue;
        Symbol symbol = inputs_[global.input].object.symbols[global.symbol];
        if (!place(symbol, global.input)) continue;
        const bool known = global.rank != Global::Rank::undefined;
        global.made = add_symbol(std::move(symbol), known ? global.input : no_index);
    }
    for (Index i = 0; i < inputs_.size(); ++i) {
        const std::vector<Symbol>& symbols = inputs_[i].object.symbols;
        for (Index s = 0; program_.taken[i] && s < symbols.size(); ++s) {
            if (symbols[s].binding == Binding::local || symbols[s].type == SymbolType::section) continue;
            const auto known = globals_.find(symbols[s].name);
            if (known == globals_.end()) continue;
            made_[i][s] = known->second.made;
            // What one object hides is hidden.
            if (known->second.made != no_index && symbols[s].visibility != Visibility::usual)
                object_.symbols[known->second.made].visibility = symbols[s].visibility;
        }
    }
}

// A symbol of the linker's: it is there where somebody names it and nobody defines it.
void Linker::own_symbol(std::string_view name, Index section, std::uint64_t value) {
    const auto known = globals_.find(name);
    if (known == globals_.end() || known->second.rank != Global::Rank::undefined || known->second.made == no_index)
        return;
    known->second.rank = Global::Rank::strong;
    Symbol& symbol = object_.symbols[known->second.made];
    symbol.section = section;
    symbol.value = value;
    symbol.binding = Binding::global;
}

// A symbol of the command line or the script. False where an object defines it.
bool Linker::define_own(const std::string& name, const LinkedValue& value, Place place) {
    const auto [known, is_new] = globals_.try_emplace(name);
    Global& global = known->second;
    if (global.rank == Global::Rank::strong) {
        const std::string other = global.input == no_index ? "here before" : place_of(global);
        diagnostics_.error(place, fmt::format("'{}' is defined already: {}", name, other));
        return false;
    }
    global.rank = Global::Rank::strong;
    Symbol symbol;
    symbol.name = name;
    symbol.section = value.section;
    symbol.value = value.value;
    symbol.binding = Binding::global;
    if (global.made == no_index) {
        global.made = add_symbol(std::move(symbol), no_index);
    } else {
        object_.symbols[global.made] = std::move(symbol);
    }
    global.input = no_index;
    return true;
}

bool Linker::define_by_script() {
    if (!options_.script) return true;
    const auto find = [this](std::string_view name) -> const Symbol* {
        const auto known = globals_.find(name);
        return known == globals_.end() || known->second.made == no_index ? nullptr
                                                                         : &object_.symbols[known->second.made];
    };
    for (const LinkScript::Definition& definition : options_.script->definitions) {
        LinkedValue value;
        if (!evaluate(*options_.script, definition, object_, find, value, diagnostics_)) return false;
        if (!define_own(definition.name, value, definition.place)) return false;
    }
    return true;
}

// Those that programs written for other linkers expect.
void Linker::add_own_symbols() {
    const auto last = [&](auto&& fits) {
        Index found = no_index;
        for (Index i = 0; i < object_.sections.size(); ++i) {
            const Section& section = object_.sections[i];
            const bool later =
                found == no_index ||
                section.address + section.extent() > object_.sections[found].address + object_.sections[found].extent();
            if (section.allocated && fits(section) && later) found = i;
        }
        return found;
    };
    const auto end_of = [&](std::string_view name, Index section) {
        if (section != no_index) own_symbol(name, section, object_.sections[section].extent());
    };
    for (const std::string_view line : {"", "_"}) {
        const auto named = [&](std::string_view name) { return fmt::format("{}{}", line, name); };
        end_of(named("etext"), last([](const Section& section) { return section.executable; }));
        end_of(named("edata"), last([](const Section& section) { return section.writable && !section.no_bits; }));
        end_of(named("end"),
               last([&](const Section& section) { return !section.executable || object_.address_bytes == 1; }));
    }
    const Index bss = object_.find_section(".bss");
    if (bss != no_index) own_symbol("__bss_start", bss, 0);
    // What programs look through before and after `main`; none is as well.
    for (const std::string_view name : {"preinit_array", "init_array", "fini_array", "rela_iplt"}) {
        const Index section = object_.find_section(fmt::format(".{}", name));
        const bool there = section != no_index;
        own_symbol(fmt::format("__{}_start", name), there ? section : absolute_section, 0);
        own_symbol(fmt::format("__{}_end", name), there ? section : absolute_section,
                   there ? object_.sections[section].extent() : 0);
    }
    if (slots_section_ != no_index) own_symbol("_GLOBAL_OFFSET_TABLE_", slots_section_, 0);
    if (object_.headers_address) own_symbol("__ehdr_start", absolute_section, *object_.headers_address);
    Index first = no_index;
    for (Index i = 0; i < object_.sections.size(); ++i) {
        const Section& section = object_.sections[i];
        const bool counts = section.allocated && section.writable && !section.of_thread;
        if (counts && (first == no_index || section.address < object_.sections[first].address)) first = i;
    }
    const ElfMachine& elf = codec_.isa().elf;
    if (!elf.data_symbol.empty())
        own_symbol(elf.data_symbol, first == no_index ? absolute_section : first, elf.data_symbol_offset);
    for (Index i = 0; i < object_.sections.size(); ++i) {
        const Section& section = object_.sections[i];
        if (!section.allocated || !is_identifier(section.name)) continue;
        own_symbol("__start_" + section.name, i, 0);
        own_symbol("__stop_" + section.name, i, section.extent());
    }
}

// --- relocations and lines --------------------------------------------------------------------------------------------

void Linker::merge_relocations() {
    for (Index i = 0; i < inputs_.size(); ++i) {
        if (!program_.taken[i]) continue;
        const Object& object = inputs_[i].object;
        for (const Relocation& relocation : object.relocations) {
            const Moved& target = moved_[i][relocation.section];
            if (target.section == no_index) continue;
            Relocation made = relocation;
            made.section = target.section;
            made.offset += target.offset;
            if (relocation.symbol < object.symbols.size()) {
                const Symbol& symbol = object.symbols[relocation.symbol];
                made.symbol = made_[i][relocation.symbol];
                if (symbol.type == SymbolType::section && symbol.section < object.sections.size()) {
                    const Moved& moved = moved_[i][symbol.section];
                    made.symbol = moved.section == no_index ? no_index : section_symbol(moved.section);
                    // Modulo 2^64, as addresses are.
                    made.addend = static_cast<std::int64_t>(static_cast<std::uint64_t>(made.addend) + moved.offset);
                }
                if (made.symbol == no_index) continue;  // what is left out has no address
            }
            object_.relocations.push_back(made);
        }
    }
}

// A place for each address that instructions read from a table.
void Linker::add_slots() {
    const Isa& isa = codec_.isa();
    std::unordered_map<std::uint32_t, bool> kinds;  // by relocation type: whether it is about threads
    for (const OperandType& type : isa.operand_types) {
        const auto linked = type.number.linked;
        if (type.kind != OperandKind::number) continue;
        if (linked == NumberRule::Linked::slot || linked == NumberRule::Linked::thread_slot)
            kinds.emplace(type.number.relocation_type, linked == NumberRule::Linked::thread_slot);
    }
    if (kinds.empty()) return;
    Section table;
    table.name = ".got";
    table.writable = true;
    const std::uint64_t bytes = object_.wide ? 8 : 4;
    table.alignment = bytes;
    std::vector<LinkerTables::Slot> order;
    for (const Relocation& relocation : object_.relocations) {
        const auto kind = kinds.find(relocation.type);
        if (kind == kinds.end() || relocation.symbol >= object_.symbols.size()) continue;
        const LinkerTables::Slot slot{relocation.symbol, relocation.addend, kind->second};
        if (tables_.slots.try_emplace(slot, order.size() * bytes).second) order.push_back(slot);
    }
    if (order.empty()) return;
    const std::uint32_t type = isa.elf.of_data(static_cast<unsigned>(bytes), false);
    if (type == 0)
        return fail("a table of addresses is needed, and the description has no relocation for one of its places");
    table.bytes.resize(order.size() * bytes);
    Moved moved;
    if (!add_part(no_index, no_index, table, moved, "addresses")) return;
    slots_section_ = moved.section;
    for (std::size_t i = 0; i < order.size(); ++i) {
        std::uint64_t& offset = tables_.slots[order[i]];
        offset += moved.offset;
        if (order[i].thread) continue;
        Relocation made;
        made.section = moved.section;
        made.offset = offset;
        made.symbol = order[i].symbol;
        made.addend = order[i].addend;
        made.type = type;
        object_.relocations.push_back(made);
    }
}

// Once sections have addresses: where the table's places are, and what those about threads hold.
void Linker::fill_slots() {
    for (const Section& section : object_.sections) {
        if (!section.of_thread || section.extent() == 0) continue;
        tables_.thread_begin = std::min(tables_.thread_begin.value_or(section.address), section.address);
    }
    if (slots_section_ == no_index) return;
    Section& table = object_.sections[slots_section_];
    for (auto& [slot, place] : tables_.slots) {
        const std::uint64_t offset = place;
        place += table.address;
        const Symbol& symbol = object_.symbols[slot.symbol];
        if (!slot.thread || symbol.section >= object_.sections.size()) continue;
        const std::uint64_t value = symbol.value + static_cast<std::uint64_t>(slot.addend) +
                                    object_.sections[symbol.section].address - tables_.thread_begin.value_or(0);
        const unsigned bytes = object_.wide ? 8 : 4;
        for (unsigned i = 0; i < bytes; ++i)
            table.bytes[offset + i] = static_cast<std::uint8_t>(value >> 8 * (object_.big_endian ? bytes - 1 - i : i));
    }
}

bool Linker::settle_paddings() {
    for (Index i = 0; i < inputs_.size(); ++i) {
        if (!program_.taken[i]) continue;
        Index section = no_index;
        std::uint64_t offset = 0;
        const std::string wrong = settle_padding(inputs_[i].object, codec_, section, offset);
        if (wrong.empty()) continue;
        fail(fmt::format("{}: {}", place_in(inputs_[i], section, offset), wrong));
        return false;
    }
    return true;
}

// The code address that a relocation leads to.
std::optional<std::int64_t> Linker::target_of(Index input, const Relocation& relocation) const {
    const Object& object = inputs_[input].object;
    if (relocation.symbol >= object.symbols.size()) return std::nullopt;
    const Symbol& symbol = object.symbols[relocation.symbol];
    std::uint64_t bytes = static_cast<std::uint64_t>(relocation.addend);
    if (symbol.type == SymbolType::section && symbol.section < object.sections.size()) {
        const Moved& moved = moved_[input][symbol.section];
        if (moved.section == no_index) return std::nullopt;
        bytes += object_.sections[moved.section].address + moved.offset;
    } else {
        const Index made = made_[input][relocation.symbol];
        if (made >= object_.symbols.size()) return std::nullopt;
        const Symbol& meant = object_.symbols[made];
        if (meant.section >= object_.sections.size()) return std::nullopt;
        bytes += object_.sections[meant.section].address + meant.value;
    }
    return static_cast<std::int64_t>(bytes / object_.address_bytes);
}

// Makes instructions of the inputs shorter that may be, as far as what they lead to is near enough. Other parts may move
// against each other by as much as they are aligned to. True where one is.
bool Linker::shorten(Shortener& shortener) {
    const std::uint32_t relax = codec_.isa().elf.relax;
    std::uint64_t alignment = 1;
    for (const Section& section : object_.sections) {
        if (section.allocated) alignment = std::max(alignment, section.alignment);
    }
    if (object_.page_bytes != 0) alignment = std::max(alignment, object_.page_bytes);
    const auto slack = static_cast<std::int64_t>(alignment / object_.address_bytes);
    bool any = false;
    for (Index i = 0; i < inputs_.size(); ++i) {
        if (!program_.taken[i]) continue;
        Object& object = inputs_[i].object;
        std::set<std::pair<Index, std::uint64_t>> marks;
        for (const Relocation& relocation : object.relocations) {
            if (relocation.type == relax) marks.emplace(relocation.section, relocation.offset);
        }
        std::vector<Cut> cuts;
        std::map<std::pair<Index, std::uint64_t>, std::uint64_t> changed;  // instructions, and where they ended
        const auto is_apart = [&](const Relocation& relocation, std::uint64_t end) {
            const auto behind = changed.lower_bound({relocation.section, end});
            return behind == changed.begin() || std::prev(behind)->first.first != relocation.section ||
                   std::prev(behind)->second <= relocation.offset;
        };
        for (Relocation& relocation : object.relocations) {
            if (relocation.type == relax || relocation.section >= object.sections.size()) continue;
            if (!marks.contains({relocation.section, relocation.offset})) continue;
            Section& section = object.sections[relocation.section];
            const Moved& moved = moved_[i][relocation.section];
            if (moved.section == no_index || relocation.offset >= section.bytes.size()) continue;
            const std::optional<std::int64_t> target = target_of(i, relocation);
            if (!target) continue;
            const std::uint64_t address =
                (object_.sections[moved.section].address + moved.offset + relocation.offset) / object_.address_bytes;
            const Symbol& symbol = object.symbols[relocation.symbol];
            const bool near = symbol.section == relocation.section;  // no part lies between that could move
            unsigned bits = 0;
            std::uint8_t* const bytes = section.bytes.data() + relocation.offset;
            const auto shorter = shortener.find(bytes, section.bytes.size() - relocation.offset, relocation.type,
                                                relocation.number, *target, address, near ? 0 : slack, bits);
            const std::uint64_t end = relocation.offset + bits / 8;
            if (!shorter || !is_apart(relocation, end)) continue;
            changed[{relocation.section, relocation.offset}] = end;
            codec_.store(shorter->encoded.image, shorter->encoded.bits, bytes);
            relocation.type = shorter->type;
            relocation.number = 0;
            cuts.push_back({relocation.section, relocation.offset + shorter->encoded.bits / 8,
                            (bits - shorter->encoded.bits) / 8});
        }
        if (cuts.empty()) continue;
        std::ranges::sort(cuts, {}, [](const Cut& one) { return std::pair(one.section, one.offset); });
        cut(object, cuts);
        any = true;
    }
    return any;
}

void Linker::merge_lines() {
    std::map<std::string_view, Index> files;
    std::map<std::pair<Index, Index>, std::vector<LineEntry>> lines;  // by input and section
    for (Index i = 0; i < inputs_.size(); ++i) {
        if (!program_.taken[i]) continue;
        for (const LineEntry& line : inputs_[i].object.lines) {
            if (line.file >= inputs_[i].object.files.size()) continue;
            const Moved& moved = moved_[i][line.section];
            if (moved.section == no_index) continue;
            const std::string& name = inputs_[i].object.files[line.file];
            const auto [known, is_new] = files.try_emplace(name, static_cast<Index>(object_.files.size()));
            if (is_new) object_.files.push_back(name);
            object_.lines.add({moved.section, known->second, line.offset + moved.offset, line.line});
            lines[{i, line.section}];
        }
        // The last line of a part does not go on in the next one.
        for (Index s = 0; s < moved_[i].size(); ++s) {
            const Moved& moved = moved_[i][s];
            if (moved.section == no_index || !lines.contains({i, s})) continue;
            const std::uint64_t end = moved.offset + inputs_[i].object.sections[s].extent();
            if (end < object_.sections[moved.section].extent()) object_.lines.add({moved.section, 0, end, 0});
        }
    }
    object_.lines.sort();
}

// Where in its own object a place of the output was.
std::string Linker::origin(Index section, std::uint64_t offset) const {
    for (const LinkedPart& part : program_.parts) {
        if (part.section != section || offset < part.offset || offset - part.offset >= part.size) continue;
        if (part.input < inputs_.size()) return place_in(inputs_[part.input], part.from, offset - part.offset);
    }
    return fmt::format("{}+0x{:x}", object_.sections[section].name, offset);
}

// Names that nobody defines, each once.
void Linker::report_undefined() {
    std::map<Index, std::vector<const Relocation*>> missing;  // by symbol
    std::set<Index> chosen;
    for (const Relocation& relocation : object_.relocations) {
        if (relocation.symbol >= object_.symbols.size()) continue;
        const Symbol& symbol = object_.symbols[relocation.symbol];
        if (symbol.section == undefined_section && symbol.binding != Binding::weak)
            missing[relocation.symbol].push_back(&relocation);
        // STT_GNU_IFUNC: a function gives the address.
        if (symbol.type == SymbolType::special && chosen.insert(relocation.symbol).second)
            fail(fmt::format("{}: where '{}' is, is computed when the program begins, and nothing here does that",
                             origin(relocation.section, relocation.offset), symbol.name));
    }
    for (const auto& [index, places] : missing) {
        const std::string& name = object_.symbols[index].name;
        std::string message =
            fmt::format("{}: '{}' is not defined", origin(places[0]->section, places[0]->offset), name);
        if (places.size() > 1) {
            message += fmt::format("; {} other place{} name{} it, too", places.size() - 1,
                                   places.size() == 2 ? "" : "s", places.size() == 2 ? "s" : "");
        }
        std::vector<std::string_view> names;
        for (const Symbol& symbol : object_.symbols) {
            if (symbol.section != undefined_section && symbol.binding != Binding::local) names.push_back(symbol.name);
        }
        Diagnostic& error = diagnostics_.error({}, std::move(message));
        const std::string_view near = nearest(name, names);
        if (!near.empty()) error.note({}, fmt::format("there is '{}'", near));
    }
}

void Linker::set_entry() {
    const auto known = globals_.find(entry_name());
    const bool found = known != globals_.end() && known->second.made != no_index &&
                       object_.symbols[known->second.made].section != undefined_section;
    if (found) {
        const Symbol& symbol = object_.symbols[known->second.made];
        object_.entry = symbol.value;
        if (symbol.section < object_.sections.size()) object_.entry += object_.sections[symbol.section].address;
        return;
    }
    if (entry_is_asked_for()) {
        fail(fmt::format("the program is to begin at '{}', which is not defined", entry_name()));
        return;
    }
    // With the first instruction, as objects do that were not linked.
    const auto code = std::ranges::find_if(
        object_.sections, [](const Section& section) { return section.executable && section.extent() != 0; });
    if (code != object_.sections.end()) object_.entry = code->address;
}

// Labels that tools make for themselves, and marks of where code and data begin, have done what they were for.
void Linker::drop_labels() {
    const bool named =
        std::ranges::any_of(object_.relocations, [&](const Relocation& one) { return one.symbol != no_index; });
    if (named) return;
    std::vector<Symbol> kept;
    std::vector<Index> defined_in;
    for (Index i = 0; i < object_.symbols.size(); ++i) {
        Symbol& symbol = object_.symbols[i];
        const Index input = program_.defined_in[i];
        const bool is_foreign = input < inputs_.size() && inputs_[input].object.isa.empty();
        const bool marks = is_foreign && symbol.type == SymbolType::none &&
                           (symbol.name.starts_with("$x") || symbol.name.starts_with("$d"));
        if (symbol.binding == Binding::local && (marks || symbol.name.starts_with(".L"))) continue;
        kept.push_back(std::move(symbol));
        defined_in.push_back(program_.defined_in[i]);
    }
    object_.symbols = std::move(kept);
    program_.defined_in = std::move(defined_in);
}

bool Linker::run(Shortener* shortener, bool& again) {
    again = false;
    if (!check_inputs()) return false;
    object_ = make_object(codec_.isa());
    const Object& first = inputs_[0].object;
    object_.wide = first.wide;
    object_.big_endian = first.big_endian;
    object_.machine = first.machine;
    object_.machine_flags = first.machine_flags;
    object_.os_abi = first.os_abi;
    object_.abi_version = first.abi_version;
    object_.parameters = first.parameters;
    object_.address_relocation = first.address_relocation;
    take_wanted();
    for (Index i = 0; i < inputs_.size(); ++i) {
        if (program_.taken[i]) object_.machine_flags |= inputs_[i].object.machine_flags;
    }
    drop_unused();
    if (!options_.relocatable && !shortener && !settle_paddings()) return false;
    if (!merge_sections()) return false;
    merge_commons();
    merge_symbols();
    merge_relocations();
    if (!options_.relocatable) add_slots();
    merge_lines();
    object_.relocatable = true;
    for (const auto& [name, value] : options_.definitions) define_own(name, {absolute_section, value});
    if (!options_.relocatable) {
        if (!place_linked_sections(program_, options_, diagnostics_) || !define_by_script()) return false;
        add_own_symbols();
        report_undefined();
        if (!diagnostics_.ok()) return false;
        if (shortener) {
            again = true;
            return shorten(*shortener);
        }
        fill_slots();
        set_entry();
        apply_relocations(
            object_, codec_, diagnostics_,
            [this](Index section, std::uint64_t offset) { return origin(section, offset); }, &tables_);
    }
    if (!options_.relocatable) drop_labels();
    std::ranges::stable_sort(program_.parts, {},
                             [](const LinkedPart& part) { return std::pair(part.section, part.offset); });
    return diagnostics_.ok();
}

}  // namespace

bool link(std::vector<LinkInput> inputs, const Codec& codec, const LinkOptions& options, LinkedProgram& program,
          Diagnostics& diagnostics) {
    // What becomes shorter brings other things nearer; the last times around gain little.
    constexpr unsigned most_rounds = 8;
    const std::uint32_t relax = codec.isa().elf.relax;
    const bool may_shorten =
        relax != 0 && !options.relocatable && !options.keep_lengths &&
        std::ranges::any_of(inputs, [&](const LinkInput& input) {
            return std::ranges::any_of(input.object.relocations,
                                       [&](const Relocation& relocation) { return relocation.type == relax; });
        });
    if (may_shorten) {
        Shortener shortener(codec);
        bool again = true;
        for (unsigned round = 0; again && round < most_rounds; ++round) {
            program = {};
            if (!Linker(inputs, codec, options, program, diagnostics).run(&shortener, again)) break;
        }
        if (!diagnostics.ok()) return false;
    }
    bool again = false;
    program = {};
    return Linker(inputs, codec, options, program, diagnostics).run(nullptr, again);
}

}  // namespace isaforge
