// The map for the terminal: a letter for so many words.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>

#include "render/space_map.hpp"

namespace isaforge::render {

namespace {

constexpr char several = '*', free_letter = '.', reserved_letter = '#';
constexpr std::uint64_t most_rows = 32;

// Backgrounds from the 256-colour palette that black letters stand out from, and that the colour-blind tell apart.
constexpr int backgrounds[] = {110, 153, 79, 185, 142, 222, 209, 217, 182, 252, 73, 187};

class TextMap {
public:
    TextMap(const Isa& isa, const SpaceMap& map, unsigned columns, bool colour)
        : isa_(isa), map_(map), colour_(colour), letters_(format_letters(isa, map)) {
        columns_ = std::min<std::uint64_t>(std::bit_floor(std::max(columns, 1u)), map.cells());
        rows_ = std::min<std::uint64_t>(map.cells() / columns_, most_rows);
        per_letter_ = map.cells() / columns_ / rows_;
        number_formats();
    }

    std::string draw() {
        out_ = fmt::format("{}: a letter is {} of {} leading bits\n\n", isa_.variant,
                           per_letter_ == 1 ? "one value" : fmt::format("{} values", per_letter_), map_.bits.size());
        std::size_t block = 0;
        for (std::uint64_t row = 0; row < rows_; ++row) {
            const std::uint64_t first = row * columns_ * per_letter_;
            const std::string pattern = cell_text(map_, first, first + columns_ * per_letter_ - 1);
            out_ += fmt::format("{}  ", pattern.substr(0, shown_digits()));
            for (std::uint64_t column = 0; column < columns_; ++column) {
                put_letter(first + column * per_letter_, block);
            }
            end_colour();
            out_ += '\n';
        }
        legend();
        return std::move(out_);
    }

private:
    void number_formats() {
        for (const SpaceFormat& format : map_.space.formats) {
            if (format.instructions > 0) number_[letters_[format.format]] = static_cast<int>(number_.size());
        }
    }

    // The digits of a row's pattern that are no x.
    std::size_t shown_digits() const {
        const auto digits = static_cast<std::size_t>(std::bit_width(rows_) - 1);
        return digits == 0 ? 0 : digits + (digits - 1) / 4;
    }

    // What has most of the letter's cells; with several formats in it and none that has all, a star.
    void put_letter(std::uint64_t low, std::size_t& block) {
        const std::uint64_t high = low + per_letter_ - 1;
        while (map_.blocks[block].high < low) ++block;
        std::map<char, std::uint64_t> found;
        for (std::size_t i = block; i < map_.blocks.size() && map_.blocks[i].low <= high; ++i) {
            const MapBlock& here = map_.blocks[i];
            char letter = free_letter;
            if (here.kind == MapBlock::Kind::reserved) letter = reserved_letter;
            if (here.kind == MapBlock::Kind::used) letter = here.format == no_index ? several : letters_[here.format];
            found[letter] += std::min(high, here.high) - std::max(low, here.low) + 1;
        }
        std::size_t formats = 0;
        for (const auto& [letter, cells] : found) formats += letter != free_letter && letter != reserved_letter;
        char letter = found.begin()->first;
        for (const auto& [candidate, cells] : found) {
            const bool used = candidate != free_letter && candidate != reserved_letter;
            if (formats > 0 ? used : cells > found[letter] || candidate == reserved_letter) letter = candidate;
        }
        put(formats > 1 ? several : letter);
    }

    void put(char letter) {
        if (colour_ && letter != last_) {
            end_colour();
            const auto number = number_.find(letter);
            if (number != number_.end())
                out_ += fmt::format("\x1b[30;48;5;{}m",
                                    backgrounds[static_cast<std::size_t>(number->second) % std::size(backgrounds)]);
            last_ = letter;
        }
        out_ += letter;
    }

    void end_colour() {
        if (colour_ && last_ != 0 && number_.contains(last_)) out_ += "\x1b[0m";
        last_ = 0;
    }

    void legend() {
        out_ += '\n';
        std::size_t widest = 8;
        for (const SpaceFormat& format : map_.space.formats)
            widest = std::max(widest, isa_.formats[format.format].name.size());
        for (const SpaceFormat& format : map_.space.formats) {
            if (format.instructions == 0) continue;
            put(letters_[format.format]);
            end_colour();
            out_ +=
                fmt::format("  {:<{}}  {:>5.1f} %  {:>3} instruction{}  {} bits\n", isa_.formats[format.format].name,
                            widest, format.used.fraction() * 100, format.instructions,
                            format.instructions == 1 ? " " : "s", fmt::join(format.lengths, ", "));
        }
        const auto line = [&](char letter, const char* what, double part) {
            out_ += fmt::format("{}  {:<{}}  {:>5.1f} %\n", letter, what, widest, part * 100);
        };
        line(free_letter, "free", map_.space.free.fraction());
        if (!map_.space.reserved.is_zero()) line(reserved_letter, "reserved", map_.space.reserved.fraction());
        if (out_.find(several) != std::string::npos) out_ += "*  several formats\n";
    }

    const Isa& isa_;
    const SpaceMap& map_;
    bool colour_;
    std::vector<char> letters_;
    std::uint64_t columns_ = 1, rows_ = 1, per_letter_ = 1;
    std::map<char, int> number_;
    std::string out_;
    char last_ = 0;
};

}  // namespace

std::string map_text(const Isa& isa, const SpaceMap& map, unsigned columns, bool colour) {
    return TextMap(isa, map, columns, colour).draw();
}

}  // namespace isaforge::render
