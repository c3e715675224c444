#include "disassembler/labels.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "assembler/characters.hpp"

namespace isaforge::disassembler {

namespace {

// Reads as one name in our assembler.
bool is_plain(std::string_view name) {
    using assembler::is;
    if (name.empty() || name == "." || !is(name[0], assembler::class_name_start)) return false;
    return std::all_of(name.begin(), name.end(), [](char c) { return is(c, assembler::class_name); });
}

bool before(const Label& a, const Label& b) { return a.offset < b.offset; }

}  // namespace

std::string_view SectionLabels::at(std::uint64_t offset) const {
    const auto found = std::lower_bound(list.begin(), list.end(), offset,
                                        [](const Label& label, std::uint64_t value) { return label.offset < value; });
    return found != list.end() && found->offset == offset && found->on_boundary ? std::string_view(found->name)
                                                                                : std::string_view();
}

Labels::Labels(const Codec& codec, const Object& object, bool make_targets)
    : codec_(codec),
      object_(object),
      sections_(object.sections.size()),
      begins_(object.sections.size()),
      relocated_(object.sections.size()),
      usable_(object.symbols.size()) {
    for (const Relocation& relocation : object.relocations) {
        if (relocation.section < relocated_.size()) relocated_[relocation.section].push_back(relocation.offset);
    }
    choose_symbols();
    for (SectionLabels& labels : sections_) std::stable_sort(labels.list.begin(), labels.list.end(), before);
    name_begins();
    for (Index i = 0; i < object_.sections.size(); ++i) {
        if (object_.sections[i].executable && make_targets) collect_targets(i);
    }
}

std::string Labels::fresh(std::string name) const {
    while (taken_.contains(name)) name += '_';
    return name;
}

void Labels::choose_symbols() {
    taken_.reserve(object_.symbols.size());
    for (Index i = 0; i < object_.symbols.size(); ++i) {
        const Symbol& symbol = object_.symbols[i];
        if (symbol.type == SymbolType::section || symbol.type == SymbolType::file) continue;
        usable_[i] = is_plain(symbol.name) && taken_.insert(symbol.name).second;
        if (symbol.section >= sections_.size() || symbol.value > object_.sections[symbol.section].extent()) continue;
        Label label{symbol.value, symbol.name, i, true};
        if (!usable_[i]) label.name = fresh(fmt::format("L_symbol_{}", i));
        sections_[symbol.section].list.push_back(std::move(label));
    }
}

// A relocation against a section needs a name for the section's begin; `.L` keeps it out of the symbol table.
void Labels::name_begins() {
    for (const Relocation& relocation : object_.relocations) {
        if (relocation.symbol >= object_.symbols.size()) continue;
        const Symbol& symbol = object_.symbols[relocation.symbol];
        if (symbol.type != SymbolType::section || symbol.section >= sections_.size()) continue;
        std::string& name = begins_[symbol.section];
        if (!name.empty()) continue;
        name = fresh(fmt::format(".L_section_{}", symbol.section));
        std::vector<Label>& list = sections_[symbol.section].list;
        list.insert(std::upper_bound(list.begin(), list.end(), Label{}, before), {0, name, no_index, true});
    }
}

// Where instructions begin, and where their branches go.
void Labels::collect_targets(Index index) {
    const Section& section = object_.sections[index];
    const std::uint64_t unit = object_.unit_bytes, step = object_.address_bytes;
    const std::uint64_t first = section.address / step;
    std::vector<bool> begins(section.bytes.size() / unit + 1);
    std::vector<std::uint64_t> targets;
    std::vector<std::uint64_t>& relocated = relocated_[index];
    std::sort(relocated.begin(), relocated.end());
    std::size_t next_relocated = 0;
    for (std::uint64_t at = 0; at < section.bytes.size();) {
        begins[at / unit] = true;
        const std::size_t available = std::min<std::uint64_t>(section.bytes.size() - at, max_instruction_bits / 8);
        const Image image = codec_.load(section.bytes.data() + at, available);
        unsigned bits = 0;
        const Index form = codec_.decode(image, static_cast<unsigned>(available * 8), bits);
        if (form == no_index || bits < 8) {
            at += unit;
            continue;
        }
        // A number that a linker fills in does not say yet where it leads.
        while (next_relocated < relocated.size() && relocated[next_relocated] < at) ++next_relocated;
        const bool unknown = next_relocated < relocated.size() && relocated[next_relocated] < at + bits / 8;
        if (!unknown) codec_.targets(form, image, bits, first + at / step, targets);
        at += bits / 8;
    }
    std::sort(targets.begin(), targets.end());
    targets.erase(std::unique(targets.begin(), targets.end()), targets.end());
    std::vector<Label>& list = sections_[index].list;
    const auto is_begin = [&](std::uint64_t offset) {
        return offset >= section.bytes.size() || (offset % unit == 0 && begins[offset / unit]);
    };
    for (Label& label : list) label.on_boundary = is_begin(label.offset);
    const std::size_t named = list.size();
    for (const std::uint64_t target : targets) {
        if (target < first || target - first > section.bytes.size() / step) continue;
        const std::uint64_t offset = (target - first) * step;
        if (offset > section.bytes.size() || !is_begin(offset)) continue;
        const auto known = std::lower_bound(list.begin(), list.begin() + static_cast<std::ptrdiff_t>(named),
                                            Label{offset, {}, no_index, true}, before);
        if (known != list.begin() + static_cast<std::ptrdiff_t>(named) && known->offset == offset) continue;
        const std::string suffix = index == 0 || section.name == ".text" ? std::string() : fmt::format("_{}", index);
        list.push_back({offset, fresh(fmt::format("L_{:x}{}", target, suffix)), no_index, true});
    }
    std::stable_sort(list.begin(), list.end(), before);
}

}  // namespace isaforge::disassembler
