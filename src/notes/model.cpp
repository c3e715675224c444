#include "notes/model.hpp"

#include <algorithm>

#include "notes/scanner.hpp"

namespace isaforge::notes {

std::string key_of(std::string_view name) {
    std::string key(name);
    for (std::size_t i = std::min(key.find('.'), key.size()); i < key.size(); ++i) {
        key[i] = lower(key[i]);
        if (key[i] == '1') key[i] = 'l';
    }
    return key;
}

Model::Model(const Notes& of) : notes(of) {
    for (const Bar& bar : notes.bars) {
        const auto [at, added] = by_key_.try_emplace(key_of(bar.format.name), formats.size());
        if (added) formats.push_back({at->first, bar.format.name, {}, nullptr, no_index, nullptr, {}});
        Format& format = formats[at->second];
        format.bars.push_back(&bar);
        if (!format.main || (format.main->block == no_index && bar.block != no_index)) {
            format.main = &bar;
            format.name = bar.format.name;
        }
        if (bar.tally) format.tallies.push_back(*bar.tally);
    }
    for (const Tally& tally : notes.tallies) {
        const auto at = by_key_.find(key_of(tally.format.name));
        if (at != by_key_.end()) formats[at->second].tallies.push_back(tally.count);
    }
    for (Format& format : formats) {
        for (const Bar* bar : format.bars) {
            if (format.lengths) break;
            if (bar->lengths) format.lengths = &*bar->lengths;
            if (!format.lengths && bar->block != no_index && notes.blocks[bar->block].lengths) {
                format.lengths = &*notes.blocks[bar->block].lengths;
            }
        }
    }
    find_blocks();
    find_extra_opcode_bits();
    find_register_bits();
}

const Format* Model::find(std::string_view name) const {
    const auto at = by_key_.find(key_of(name));
    return at == by_key_.end() ? nullptr : &formats[at->second];
}

void Model::find_blocks() {
    in_block_.resize(notes.blocks.size());
    std::map<std::string, std::vector<Index>, std::less<>> of_family;
    for (Index i = 0; i < notes.blocks.size(); ++i) of_family[key_of(notes.blocks[i].format.name)].push_back(i);
    for (Format& format : formats) {
        const auto add = [&](Index block) {
            std::vector<const Format*>& list = in_block_[block];
            if (list.empty() || list.back() != &format) list.push_back(&format);
        };
        for (const Bar* bar : format.bars) {
            if (bar->block != no_index) add(bar->block);
        }
        const auto blocks = of_family.find(format.family());
        format.block = format.main->block;
        if (format.block != no_index || blocks == of_family.end()) continue;
        format.block = blocks->second.front();
        for (const Index block : blocks->second) add(block);
    }
}

std::vector<const Format*> Model::described_by(const ModeLabel& label, Index block) const {
    if (label.formats.empty()) return in_block(block);
    std::vector<const Format*> found;
    for (const FormatName& name : label.formats) {
        if (const Format* format = find(name.name)) found.push_back(format);
    }
    return found;
}

void Model::find_extra_opcode_bits() {
    constexpr unsigned most = 32;
    for (Index i = 0; i < notes.blocks.size(); ++i) {
        for (const Group& group : notes.blocks[i].groups) {
            std::string letters;
            for (const Legend& legend : group.legends) {
                if (legend.extra_opcode) letters += legend.letters.front().front();
            }
            for (const ModeLabel& label : group.labels) {
                unsigned bits = label.nested_opcode ? label.width : 0;
                for (const ModePattern& pattern : label.patterns) {
                    const auto extra = std::ranges::count_if(
                        pattern.bits, [&](char c) { return letters.find(c) != std::string::npos; });
                    bits = std::max(bits, static_cast<unsigned>(extra));
                }
                if (bits == 0) continue;
                for (const Format* format : described_by(label, i)) {
                    unsigned& known = extra_opcode_bits_[format];
                    known = std::max(known, std::min(bits, most));
                }
            }
        }
    }
}

unsigned Model::extra_opcode_bits(const Format& format) const {
    const auto known = extra_opcode_bits_.find(&format);
    return known == extra_opcode_bits_.end() ? 0 : known->second;
}

void Model::find_register_bits() {
    std::map<unsigned, unsigned> votes;
    for (const Format& format : formats) {
        for (const BarField& field : format.main->fields) {
            if (is_register(field)) ++votes[field.widths.front()];
        }
    }
    unsigned most = 0;
    for (const auto& [width, count] : votes) {
        if (count < most) continue;  // of two, the wider
        register_bits = width;
        most = count;
    }
}

bool is_register(const BarField& field) {
    constexpr unsigned widest_register = 12;
    return lower(field.name.front()) == 'r' && field.widths.size() == 1 && field.widths.front() <= widest_register;
}

std::size_t alternatives(const Bar& bar) {
    std::size_t most = 1;
    for (const BarField& field : bar.fields) most = std::max(most, field.widths.size());
    return most;
}

unsigned width_of(const BarField& field, std::size_t alternative) {
    return field.widths[std::min(alternative, field.widths.size() - 1)];
}

unsigned bits_of(const Bar& bar, std::size_t alternative) {
    unsigned bits = 0;
    for (const BarField& field : bar.fields) bits += width_of(field, alternative);
    return bits;
}

const BarField* field_of(const Bar& bar, std::string_view name) {
    for (const BarField& field : bar.fields) {
        if (field.name == name) return &field;
    }
    return nullptr;
}

std::vector<unsigned> numeric_values(const Legend& legend) {
    std::vector<unsigned> values;
    for (const LegendValue& value : legend.values) {
        const bool number = value.code.empty() && !value.text.empty() && value.text.size() <= 6 &&
                            std::ranges::all_of(value.text, is_digit);
        if (!number) return {};
        values.push_back(static_cast<unsigned>(std::stoul(value.text)));
    }
    return values;
}

bool mentions_field(std::string_view words, const BarField& field) {
    const std::string all = lower(words);
    const std::string name = lower(field.name);
    if (name.size() < 2) return false;
    for (std::size_t at = all.find(name); at != std::string::npos; at = all.find(name, at + 1)) {
        if (at == 0 || !is_letter(all[at - 1])) return true;
    }
    return false;
}

bool is_about_width_of(const Legend& legend, const BarField& field) {
    return mentions_field(legend.what, field) && numeric_values(legend).size() > 1;
}

unsigned space_bits(const RangeTable& table) {
    std::map<unsigned, unsigned> votes;
    for (const Range& range : table.ranges) {
        ++votes[range.low_bits];
        ++votes[range.high_bits];
    }
    unsigned best = 0, most = 0;
    for (const auto& [bits, count] : votes) {
        if (count > most) {
            best = bits;
            most = count;
        }
    }
    return best;
}

bool is_sound(const Range& range, unsigned space) {
    return range.low_bits == space && range.high_bits == space && range.low_fixed == range.high_fixed &&
           range.low <= range.high;
}

bool names_formats(const RangeTable& table) {
    return std::ranges::any_of(table.ranges, [](const Range& range) { return !range.formats.empty(); });
}

std::vector<const Format*> formats_of(const Model& model, const RangeTable& table, const Range& range) {
    std::vector<const Format*> found;
    if (names_formats(table)) {
        for (const FormatName& name : range.formats) {
            const Format* const format = model.find(name.name);
            if (format && std::ranges::find(found, format) == found.end()) found.push_back(format);
        }
        return found;
    }
    for (const Format& format : model.formats) {
        if (width_of(format.opcode(), 0) == range.low_fixed) found.push_back(&format);
    }
    return found;
}

}  // namespace isaforge::notes
