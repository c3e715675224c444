#include "disassembler/labels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>

#include "assembler/characters.hpp"
#include "codec/decode.hpp"
#include "codec/load.hpp"
#include "codec/tables.hpp"
#include "support/in_order.hpp"
#include "support/printable.hpp"

namespace isaforge::disassembler {

namespace {

// Reads as one name in our assembler, and shows as one.
bool is_plain(std::string_view name) {
    using assembler::is;
    if (name.empty() || name == "." || !is(name[0], assembler::class_name_start)) return false;
    return std::all_of(name.begin(), name.end(), [](char c) { return is(c, assembler::class_name); }) &&
           printable_in_line(name) == name;
}

bool before(const Label& a, const Label& b) { return a.offset < b.offset; }

}  // namespace

std::string_view SectionLabels::at(std::uint64_t offset) const {
    if (offset > size_ || (offset % unit_ != 0 && offset != size_)) return {};
    const std::uint64_t unit = (offset + unit_ - 1) / unit_;
    const Rank& rank = ranks_[unit / 64];
    const std::uint64_t bit = std::uint64_t{1} << unit % 64;
    if ((rank.bits & bit) == 0) return {};
    return list[first_[rank.before + static_cast<unsigned>(std::popcount(rank.bits & (bit - 1)))]].name;
}

void SectionLabels::index(std::uint64_t size, std::uint64_t unit) {
    size_ = size;
    unit_ = unit;
    ranks_.assign((size + unit - 1) / unit / 64 + 1, {});
    first_.reserve(list.size());
    for (std::size_t i = 0; i < list.size(); ++i) {
        const Label& label = list[i];
        if (!label.on_boundary || label.offset > size || (i > 0 && list[i - 1].offset == label.offset)) continue;
        const std::uint64_t place = (label.offset + unit - 1) / unit;
        ranks_[place / 64].bits |= std::uint64_t{1} << place % 64;
        first_.push_back(static_cast<std::uint32_t>(i));
    }
    std::uint32_t before = 0;
    for (Rank& rank : ranks_) {
        rank.before = before;
        before += static_cast<std::uint32_t>(std::popcount(rank.bits));
    }
}

Labels::Labels(const Codec& codec, const Object& object, const std::vector<DisassemblyFlavour::Part>& parts,
               bool make_targets, std::size_t longest, unsigned threads)
    : codec_(codec),
      object_(object),
      parts_(parts),
      longest_(longest),
      unit_bytes_(std::max(1u, codec.isa().unit_bytes())),
      address_bytes_(std::max(1u, codec.isa().address_bits / 8)),
      threads_(threads),
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
    if (make_targets) collect_targets();
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

void Labels::collect_targets() {
    std::vector<Index> code;
    for (Index i = 0; i < object_.sections.size(); ++i) {
        if (object_.sections[i].executable) code.push_back(i);
    }
    if (!object_.relocatable && code.size() > 1) placed_ = code;
    const auto address = [&](Index i) { return object_.sections[i].address; };
    std::ranges::stable_sort(placed_, {}, address);
    wanted_.resize(sections_.size());
    for (const Index i : code) decode_all(i);
    for (const Index i : code) {
        name_targets(i, wanted_[i]);
        sections_[i].index(object_.sections[i].bytes.size(), unit_bytes_);
    }
    wanted_.clear();
}

// Addresses of a linked program are those of all its code.
Index Labels::section_at(std::uint64_t address) const {
    const auto begin = [&](Index i) { return object_.sections[i].address; };
    const auto behind = std::ranges::upper_bound(placed_, address, {}, begin);
    if (behind == placed_.begin()) return no_index;
    const Section& section = object_.sections[behind[-1]];
    return address - section.address < section.bytes.size() ? behind[-1] : no_index;
}

std::string_view Labels::elsewhere(std::uint64_t address) const {
    const Index section = section_at(address);
    return section == no_index ? std::string_view()
                               : sections_[section].at(address - object_.sections[section].address);
}

// Parts are no code.
std::vector<DisassemblyFlavour::Part>::const_iterator Labels::first_part(Index index) const {
    const auto first = std::ranges::lower_bound(parts_, index, {}, &DisassemblyFlavour::Part::section);
    return first != parts_.end() && first->section == index ? first : parts_.end();
}

void Labels::decode(Index index, std::uint64_t until, Stretch& out) const {
    const Section& section = object_.sections[index];
    const std::uint64_t unit = unit_bytes_, step = address_bytes_, size = section.bytes.size();
    const std::uint64_t first = section.address / step;
    const std::vector<std::uint64_t>& relocated = relocated_[index];
    std::size_t next_relocated =
        static_cast<std::size_t>(std::lower_bound(relocated.begin(), relocated.end(), out.begin) - relocated.begin());
    std::uint64_t at = out.begin;
    const auto note_target = [&](std::uint64_t target) {
        std::uint64_t offset = (target - first) * step;
        if (target >= first && target - first <= size / step) {
            if (offset % unit == 0 || offset == size) out.targets.push_back({at, index, offset});
        } else if (const Index other = section_at(target * step); other != no_index) {
            offset = target * step - object_.sections[other].address;
            if (offset % unit == 0) out.targets.push_back({at, other, offset});
        }
    };
    const std::uint8_t* const bytes = section.bytes.data();
    const Isa& isa = codec_.isa();
    const MnemonicIndex::FormFacts* const facts = codec_.tables_so_far().index->forms.data();
    // A number that a linker fills in does not say yet where it leads.
    const auto is_unknown = [&](std::uint64_t end) {
        while (next_relocated < relocated.size() && relocated[next_relocated] < at) ++next_relocated;
        return next_relocated < relocated.size() && relocated[next_relocated] < end;
    };
    const codec::Decoder decoder(isa, codec_.tables_so_far());
    const codec::Loader loader(isa, longest_);
    auto next_part = first_part(index);
    while (at < until) {
        if (next_part != parts_.end() && next_part->section == index && next_part->offset <= at) {
            const std::uint64_t end = (next_part->offset + next_part->size + unit - 1) / unit * unit;
            for (; at < end; at += unit) out.code.emplace_back(Decoded::no_form, unit);
            ++next_part;
            continue;
        }
        const std::size_t available = std::min<std::uint64_t>(size - at, longest_);
        const Image image = loader.load(bytes + at, size - at);
        unsigned bits = 0;
        const Index form = decoder.decode(image, static_cast<unsigned>(available * 8), bits);
        if (form == no_index || bits < 8) {
            // What breaks a rule is data from end to end.
            const std::uint64_t count = std::max(unit, std::min<std::uint64_t>(bits / 8, size - at));
            out.code.emplace_back(Decoded::no_form, count);
            at += count;
            continue;
        }
        // A jump that is foretold lets the next one be looked at before this one is done.
        std::uint64_t end = at + unit;
        if (bits != 8 * unit) {
            end = at + bits / 8;
            __asm__("" : "+r"(end));
        }
        out.code.emplace_back(form, bits / 8);
        if (facts[form].is_relative && !is_unknown(end)) {
            codec_.operands(form, image, first + at / step, [&](const Operand& operand) {
                if (operand.relative) note_target(static_cast<std::uint64_t>(operand.value));
            });
        }
        at = end;
    }
    out.end = at;
}

// Several threads decode from several places, and do not know whether an instruction begins there.
std::vector<Labels::Stretch> Labels::decode_stretches(Index index) const {
    constexpr std::uint64_t stretch_bytes = 1 << 16;
    const std::uint64_t size = object_.sections[index].bytes.size();
    const std::uint64_t length = stretch_bytes / unit_bytes_ * unit_bytes_;
    std::vector<Stretch> out(
        threads_ < 2 || size < 4 * length || first_part(index) != parts_.end() ? 1 : (size + length - 1) / length);
    for (std::size_t i = 0; i < out.size(); ++i) out[i].begin = i * length;
    const auto decode_one = [&](unsigned, std::size_t i) {
        const std::uint64_t until = i + 1 < out.size() ? out[i + 1].begin : size;
        out[i].code.reserve((until - out[i].begin) / unit_bytes_ + 1);
        decode(index, until, out[i]);
    };
    in_order(threads_, out.size(), decode_one, [](unsigned, std::size_t) {});
    return out;
}

// Decodes the section, so that printing need not do so again, and adds where branches go to what is wanted. Where one stretch ends
// inside the first instruction of the next, that one is decoded again up to where both agree on a begin; with instructions of
// several lengths that is soon.
void Labels::decode_all(Index index) {
    const std::uint64_t unit = unit_bytes_, size = object_.sections[index].bytes.size();
    std::sort(relocated_[index].begin(), relocated_[index].end());
    std::vector<Stretch> stretches = decode_stretches(index);
    std::vector<Decoded>& code = sections_[index].code;
    if (stretches.size() > 1) code.reserve(size / unit + 1);
    std::uint64_t at = 0;
    const auto take = [&](const Stretch& stretch, std::uint64_t from, std::size_t first) {
        for (const Target& target : stretch.targets) {
            if (target.source >= from) wanted_[target.section].push_back(target.offset);
        }
        code.insert(code.end(), stretch.code.begin() + static_cast<std::ptrdiff_t>(first), stretch.code.end());
    };
    for (Stretch& stretch : stretches) {
        std::uint64_t agreed = stretch.begin;
        std::size_t skipped = 0;
        while (at < stretch.end && agreed != at) {
            if (agreed < at) {
                agreed += stretch.code[skipped++].bytes();
                continue;
            }
            Stretch again{.begin = at, .end = 0, .code = {}, .targets = {}};
            decode(index, at + 1, again);
            take(again, at, 0);
            at = again.end;
        }
        if (at >= stretch.end) continue;
        if (stretches.size() == 1) {
            code = std::move(stretch.code);
            stretch.code.clear();
        }
        take(stretch, at, skipped);
        at = stretch.end;
        stretch = {};
    }
}

namespace {

// Whether instructions begin at places, which are asked for by rising offset.
class Begins {
public:
    Begins(const std::vector<Decoded>& code, std::uint64_t size) : code_(code), size_(size) {}

    bool at(std::uint64_t offset) {
        while (at_ < offset && next_ < code_.size()) at_ += code_[next_++].bytes();
        return offset >= size_ || at_ == offset;
    }

private:
    const std::vector<Decoded>& code_;
    const std::uint64_t size_;
    std::uint64_t at_ = 0;
    std::size_t next_ = 0;
};

}  // namespace

void Labels::name_targets(Index index, std::vector<std::uint64_t>& targets) {
    std::sort(targets.begin(), targets.end());
    targets.erase(std::unique(targets.begin(), targets.end()), targets.end());
    const Section& section = object_.sections[index];
    std::vector<Label>& list = sections_[index].list;
    Begins named_begins(sections_[index].code, section.bytes.size());
    for (Label& label : list) label.on_boundary = named_begins.at(label.offset);
    Begins begins(sections_[index].code, section.bytes.size());
    const auto named = static_cast<std::ptrdiff_t>(list.size());
    std::ptrdiff_t next = 0;
    const std::string suffix = index == 0 || section.name == ".text" ? std::string() : fmt::format("_{}", index);
    list.reserve(list.size() + targets.size());
    for (const std::uint64_t offset : targets) {
        if (!begins.at(offset)) continue;
        while (next < named && list[static_cast<std::size_t>(next)].offset < offset) ++next;
        if (next < named && list[static_cast<std::size_t>(next)].offset == offset) continue;
        char text[24] = "L_";
        const std::uint64_t address = (section.address + offset) / address_bytes_;
        std::string name(text, std::to_chars(text + 2, std::end(text), address, 16).ptr);
        list.push_back({offset, fresh(std::move(name += suffix)), no_index, true});
    }
    std::inplace_merge(list.begin(), list.begin() + named, list.end(), before);
}

}  // namespace isaforge::disassembler
