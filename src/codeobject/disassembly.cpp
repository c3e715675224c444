#include "codeobject/disassembly.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "codeobject/descriptor.hpp"
#include "codeobject/kernel_code.hpp"
#include "codeobject/notes.hpp"
#include "codeobject/relocations.hpp"
#include "codeobject/target.hpp"

namespace isaforge::codeobject {

namespace {

constexpr std::string_view descriptor_suffix = ".kd";

class Disassembly final : public DisassemblyFlavour {
public:
    Disassembly(const Object& object, Target target)
        : object_(object), target_(target), version_(version_of(object)), said_(object.sections.size()) {
        for (Index i = 0; i < object_.sections.size(); ++i) said_[i] = read_notes_of(i);
        for (Index i = 0; i < object_.relocations.size(); ++i) relocations_.push_back(i);
        std::ranges::stable_sort(relocations_, {}, [&](Index i) {
            return std::pair(object_.relocations[i].section, object_.relocations[i].offset);
        });
    }

    std::string head() override;
    std::string tail() override { return tail_; }
    bool says_section(Index section) const override { return said_[section]; }
    std::vector<Part> parts() override;
    std::string special_type(const Symbol& symbol) override {
        return fmt::format(".amdgpu_hsa_kernel {}\n", symbol.name);
    }

private:
    bool read_notes_of(Index section);
    bool is_descriptor(Index symbol, const std::unordered_map<std::string_view, Index>& by_name) const;
    bool leads_to(Index section, std::uint64_t entry, const Symbol& kernel) const;
    bool write(Part& part) const;

    const Object& object_;
    Target target_;
    unsigned version_;
    std::vector<bool> said_;
    std::string tail_;
    std::vector<Index> relocations_;  // in the order of their places
};

// Whether directives make all of the section again.
bool Disassembly::read_notes_of(Index index) {
    const Section& section = object_.sections[index];
    const bool usual = section.note && section.name == note_section && section.alignment == 4 &&
                       section.allocated == (target_.system == System::hsa);
    if (!usual) return false;
    const std::optional<std::vector<Note>> notes = read_notes(section.bytes);
    if (!notes) return false;
    std::string text;
    for (const Note& note : *notes) {
        const std::optional<std::string> one = note_text(note);
        if (!one) return false;
        const bool is_name = note.type == static_cast<std::uint32_t>(NoteType::isa_name) && note.owner == owner_v2;
        if (is_name) {
            std::string wrong;
            const std::string name(note.content.begin(), note.content.end());
            if (parse_target(name, wrong) != target_) return false;
        }
        text += *one;
    }
    tail_ += text;
    return true;
}

std::string Disassembly::head() {
    std::string text;
    if (version_ != first_version || target_.system != System::hsa) {
        text += fmt::format(".amdgcn_target \"{}\"\n", target_text(target_, version_));
    }
    const bool said = target_.system != System::hsa || version_ == usual_version || version_ == first_version;
    if (!said) text += fmt::format(".amdhsa_code_object_version {}\n", version_);
    return text;
}

// First the places, without those that overlap, then the texts: so they stay in proportion to the file.
std::vector<DisassemblyFlavour::Part> Disassembly::parts() {
    std::vector<Part> found;
    std::unordered_map<std::string_view, Index> by_name;
    by_name.reserve(object_.symbols.size());
    for (Index i = 0; i < object_.symbols.size(); ++i) by_name.try_emplace(object_.symbols[i].name, i);
    const bool has_descriptors = target_.system == System::hsa && version_ > first_version;
    for (Index i = 0; i < object_.symbols.size(); ++i) {
        const Symbol& symbol = object_.symbols[i];
        if (symbol.section >= object_.sections.size()) continue;
        if (has_descriptors && is_descriptor(i, by_name)) {
            found.push_back({symbol.section, symbol.value, descriptor_size, {}, i});
        } else if (symbol.type == SymbolType::special) {
            found.push_back({symbol.section, symbol.value, kernel_code_size, {}, no_index});
        }
    }
    std::ranges::stable_sort(found, [](const Part& a, const Part& b) {
        return a.section != b.section ? a.section < b.section : a.offset < b.offset;
    });
    std::vector<Part> parts;
    for (Part& part : found) {
        const bool overlaps = !parts.empty() && parts.back().section == part.section &&
                              part.offset - parts.back().offset < parts.back().size;
        if (!overlaps && write(part)) parts.push_back(std::move(part));
    }
    return parts;
}

bool Disassembly::write(Part& part) const {
    const Section& section = object_.sections[part.section];
    if (section.no_bits || part.offset > section.bytes.size() || section.bytes.size() - part.offset < part.size)
        return false;
    const std::span<const std::uint8_t> bytes(section.bytes.data() + part.offset, part.size);
    const bool descriptor = part.symbol != no_index;
    const std::optional<std::string> text =
        descriptor ? descriptor_text(bytes, target_) : kernel_code_text(bytes, target_);
    if (!text) return false;
    if (descriptor) {
        std::string name = object_.symbols[part.symbol].name;
        name.resize(name.size() - descriptor_suffix.size());
        part.text = fmt::format(".amdhsa_kernel {}\n{}.end_amdhsa_kernel\n", name, *text);
    } else {
        part.text = fmt::format("    .amd_kernel_code_t\n{}    .end_amd_kernel_code_t\n", *text);
    }
    return true;
}

// Whether the entry of a descriptor is this kernel: by its relocation, or, in a file that is linked, by its value.
bool Disassembly::leads_to(Index section, std::uint64_t entry, const Symbol& kernel) const {
    const Section& holder = object_.sections[section];
    if (kernel.section >= object_.sections.size()) return false;
    if (!object_.relocatable) {
        std::uint64_t distance = 0;
        for (unsigned i = 0; i < 8; ++i) distance |= std::uint64_t{holder.bytes[entry + i]} << 8 * i;
        const std::uint64_t from = holder.address + entry - descriptor_entry;
        return from + distance == object_.sections[kernel.section].address + kernel.value;
    }
    const auto place = [&](Index i) {
        return std::pair(object_.relocations[i].section, object_.relocations[i].offset);
    };
    const auto found = std::ranges::lower_bound(relocations_, std::pair(section, entry), {}, place);
    if (found == relocations_.end() || place(*found) != std::pair(section, entry)) return false;
    const Relocation& relocation = object_.relocations[*found];
    const std::optional<LinkedNumber> number = find_relocation(relocation.type);
    if (!number || number->bits != 64 || !number->relative || relocation.symbol >= object_.symbols.size()) return false;
    const Symbol& target = object_.symbols[relocation.symbol];
    const auto at = static_cast<std::uint64_t>(relocation.addend) - descriptor_entry + target.value;
    return target.section == kernel.section && at == kernel.value;
}

// A descriptor is known by its symbol: the kernel's name with `.kd`.
bool Disassembly::is_descriptor(Index index, const std::unordered_map<std::string_view, Index>& by_name) const {
    const Symbol& symbol = object_.symbols[index];
    const Section& section = object_.sections[symbol.section];
    if (!symbol.name.ends_with(descriptor_suffix) || symbol.type != SymbolType::object) return false;
    if (symbol.size != descriptor_size || section.no_bits || section.executable) return false;
    if (symbol.value > section.bytes.size() || section.bytes.size() - symbol.value < descriptor_size) return false;
    const std::string_view name(symbol.name.data(), symbol.name.size() - descriptor_suffix.size());
    const auto found = by_name.find(name);
    if (found == by_name.end() || by_name.at(symbol.name) != index) return false;
    const Symbol& kernel = object_.symbols[found->second];
    const bool visible = kernel.visibility == symbol.visibility ||
                         (kernel.visibility == Visibility::protected_ && symbol.visibility == Visibility::usual);
    return kernel.binding == symbol.binding && visible &&
           leads_to(symbol.section, symbol.value + descriptor_entry, kernel);
}

}  // namespace

std::unique_ptr<DisassemblyFlavour> make_disassembly(const Object& object) {
    const std::optional<Target> target = target_of(object);
    if (!target) return nullptr;
    return std::make_unique<Disassembly>(object, *target);
}

}  // namespace isaforge::codeobject
