#include "render/bitfield_svg.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <vector>

#include "render/bar.hpp"
#include "render/xml.hpp"

namespace isaforge::render {

namespace {

constexpr unsigned margin = 1;
constexpr unsigned numbers_height = 14, box_height = 30, tallest_box = 96, join_height = 15, bytes_height = 15,
                   example_height = 22;
constexpr double letter = 7.0, small_letter = 5.8, number_letter = 5.4;

// A box of a row: bits begin .. end of it.
struct Box {
    const BarBit *begin = nullptr, *end = nullptr;
    unsigned first = 0;  // place in the row
    std::string label;

    unsigned bits() const { return static_cast<unsigned>(end - begin); }
    bool is_name() const { return !begin->digit; }
};

class Picture {
public:
    Picture(const Isa& isa, const Form& form, const PicturedExample* example, bool bytes)
        : isa_(isa), form_(form), example_(example), bytes_(bytes), bar_(bar_of(isa, form)) {
        const unsigned row = bar_row_bits(isa);
        unit_ = row > 32 ? 11 : 22;
        for (unsigned begin = 0; begin < bar_.size(); begin += row)
            draw_row(begin, std::min<unsigned>(begin + row, static_cast<unsigned>(bar_.size())));
        if (example && example->bits > form.bits) draw_tail();
    }

    std::string finish(const std::string& what) const {
        const unsigned columns = std::min<unsigned>(bar_row_bits(isa_), static_cast<unsigned>(bar_.size()));
        const unsigned width = std::max(columns * unit_, tail_width_) + 2 * margin;
        return fmt::format(
            "<svg class=\"bits\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" height=\"{1}\" role=\"img\" "
            "aria-label=\"{2}\">{3}</svg>",
            width, y_, escape_xml(what), out_);
    }

private:
    template <typename... T>
    void put(fmt::format_string<T...> text, T&&... values) {
        fmt::format_to(std::back_inserter(out_), text, std::forward<T>(values)...);
    }

    double room(unsigned bits) const { return bits * unit_ - 4.0; }
    double left(unsigned bit) const { return margin + bit * static_cast<double>(unit_); }

    static bool fits(const std::string& text, double width, double size) {
        return static_cast<double>(text.size()) * size <= width;
    }

    std::vector<Box> boxes_of(unsigned begin, unsigned end) const {
        std::vector<Box> out;
        const BarBit* const last = bar_.data() + end;
        for (const BarBit* at = bar_.data() + begin; at != last;) {
            Box box{at, cell_end(at, last), static_cast<unsigned>(at - bar_.data()) - begin, {}};
            box.label = bar_label(form_, box.begin, box.end);
            at = box.end;
            out.push_back(std::move(box));
        }
        return out;
    }

    void draw_row(unsigned begin, unsigned end) {
        const std::vector<Box> boxes = boxes_of(begin, end);
        if (y_ > 0) y_ += 8;
        draw_numbers(boxes);
        y_ += numbers_height;
        const unsigned height = height_of(boxes);
        for (const Box& box : boxes) draw_box(box, height);
        y_ += height;
        draw_joins(boxes);
        if (bytes_ && end - begin > 8) draw_bytes(begin, end);
        if (example_) draw_digits(boxes);
        y_ += 2;
    }

    void draw_numbers(const std::vector<Box>& boxes) {
        for (const Box& box : boxes) {
            const std::string high = std::to_string(box.begin->number), low = std::to_string(box.end[-1].number);
            const double x = left(box.first), width = box.bits() * static_cast<double>(unit_), y = y_ + 10.0;
            if (box.bits() == 1) {
                put("<text class=\"n\" x=\"{:g}\" y=\"{:g}\">{}</text>", x + width / 2, y, high);
            } else if (fits(high + low, width - 6, number_letter)) {
                put("<text class=\"n s\" x=\"{:g}\" y=\"{:g}\">{}</text>", x + 2, y, high);
                put("<text class=\"n e\" x=\"{:g}\" y=\"{:g}\">{}</text>", x + width - 2, y, low);
            } else if (fits(high, width, number_letter)) {
                put("<text class=\"n\" x=\"{:g}\" y=\"{:g}\">{}</text>", x + width / 2, y, high);
            }
        }
    }

    // Names that are too long for their boxes stand upright in taller ones.
    bool stands(const Box& box) const { return box.is_name() && !fits(box.label, room(box.bits()), small_letter); }

    unsigned height_of(const std::vector<Box>& boxes) const {
        unsigned out = box_height;
        for (const Box& box : boxes) {
            if (stands(box)) out = std::max(out, static_cast<unsigned>(box.label.size() * small_letter) + 12);
        }
        return std::min(out, tallest_box);
    }

    void draw_box(const Box& box, unsigned height) {
        const char* const kind = box.is_name()                  ? "v"
                                 : box.begin->ignored           ? "i"
                                 : box.begin->field == no_index ? "z"
                                                                : "o";
        const double x = left(box.first), width = box.bits() * static_cast<double>(unit_);
        put("<rect class=\"{}\" x=\"{:g}\" y=\"{}\" width=\"{:g}\" height=\"{}\"/>", kind, x, y_, width, height);
        if (box.is_name()) {
            draw_name(box, height);
        } else {
            draw_fixed(box, height);
        }
    }

    void draw_name(const Box& box, unsigned height) {
        const double x = left(box.first) + box.bits() * unit_ / 2.0, y = y_ + height / 2.0;
        const std::string& name = box.label;
        if (fits(name, room(box.bits()), letter)) {
            put("<text class=\"f\" x=\"{:g}\" y=\"{:g}\">{}</text>", x, y + 4, escape_xml(name));
        } else if (!stands(box)) {
            put("<text class=\"f t\" x=\"{:g}\" y=\"{:g}\">{}</text>", x, y + 3.5, escape_xml(name));
        } else {
            const auto most = static_cast<std::size_t>((tallest_box - 8) / small_letter);
            const std::string shown = name.size() > most ? name.substr(0, most - 1) + "…" : name;
            put("<text class=\"f t\" transform=\"translate({:g} {:g}) rotate(-90)\">{}</text>", x + 3.5, y,
                escape_xml(shown));
        }
    }

    // The digits, and below them whose they are.
    void draw_fixed(const Box& box, unsigned height) {
        const std::string name = box.begin->field == no_index ? "" : form_.fields[box.begin->field].name;
        const bool named = !name.empty() && fits(name, room(box.bits()), 5.2);
        const double y = y_ + height / 2.0 + (named ? -1 : 4.5);
        put("<text class=\"d\" y=\"{:g}\" x=\"", y);
        for (unsigned i = 0; i < box.bits(); ++i) put("{}{:g}", i ? " " : "", left(box.first + i) + unit_ / 2.0);
        put("\">");
        for (const BarBit* bit = box.begin; bit != box.end; ++bit) out_ += bit->one ? '1' : '0';
        put("</text>");
        if (named)
            put("<text class=\"l\" x=\"{:g}\" y=\"{:g}\">{}</text>", left(box.first) + box.bits() * unit_ / 2.0, y + 11,
                escape_xml(name));
    }

    // A line below the boxes joins the parts of each field that has several in the row.
    void draw_joins(const std::vector<Box>& boxes) {
        std::map<Index, std::vector<const Box*>> parts;
        for (const Box& box : boxes) {
            if (box.begin->field != no_index) parts[box.begin->field].push_back(&box);
        }
        for (const auto& [index, own] : parts) {
            if (own.size() < 2) continue;
            const Field& field = form_.fields[index];
            put("<path class=\"j\" d=\"");
            for (const Box* box : own) put("M{:g} {}V{}", left(box->first) + box->bits() * unit_ / 2.0, y_, y_ + 5);
            const double from = left(own.front()->first) + own.front()->bits() * unit_ / 2.0;
            const double to = left(own.back()->first) + own.back()->bits() * unit_ / 2.0;
            put("M{:g} {}H{:g}\"/>", from, y_ + 5, to);
            put("<text class=\"k\" x=\"{:g}\" y=\"{}\">{}[{}:0]</text>", (from + to) / 2, y_ + 14,
                escape_xml(field.name), field.place.width - 1);
            y_ += join_height;
        }
    }

    // Where a bit lies in memory: bytes from the instruction's address on.
    unsigned byte_of(unsigned position) const {
        const unsigned unit = position / isa_.unit_bits, inside = position % isa_.unit_bits / 8;
        return unit * isa_.unit_bytes() + (isa_.big_endian ? isa_.unit_bytes() - 1 - inside : inside);
    }

    void draw_bytes(unsigned begin, unsigned end) {
        put("<path class=\"y\" d=\"");
        for (unsigned bit = begin; bit < end; bit += 8)
            put("M{:g} {}v3H{:g}v-3", left(bit - begin) + 2, y_ + 3, left(bit - begin + 8) - 2);
        put("\"/>");
        for (unsigned bit = begin; bit < end; bit += 8) {
            put("<text class=\"n\" x=\"{:g}\" y=\"{}\">+{}</text>", left(bit - begin + 4), y_ + 14,
                byte_of(bar_[bit].position));
        }
        y_ += bytes_height;
    }

    void draw_digits(const std::vector<Box>& boxes) {
        y_ += 3;
        for (const Box& box : boxes) {
            put("<rect class=\"x\" x=\"{:g}\" y=\"{}\" width=\"{}\" height=\"{}\"/>", left(box.first), y_,
                box.bits() * unit_, example_height - 3);
        }
        put("<text class=\"x\" y=\"{}\" x=\"", y_ + 14);
        std::string digits;
        for (const Box& box : boxes) {
            for (unsigned i = 0; i < box.bits(); ++i) {
                put("{:g} ", left(box.first + i) + unit_ / 2.0);
                digits += example_->image.get(box.begin[i].position, 1) != 0 ? '1' : '0';
            }
        }
        put("\">{}</text>", digits);
        y_ += example_height - 3;
    }

    // What follows the instruction has no boxes: its bits, unit by unit.
    void draw_tail() {
        const unsigned bits = example_->bits - form_.bits, row = bar_row_bits(isa_);
        for (unsigned begin = 0; begin < bits; begin += row) {
            const unsigned count = std::min(row, bits - begin);
            y_ += 4;
            put("<rect class=\"x\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/>", margin, y_, count * unit_,
                example_height - 3);
            put("<text class=\"x\" y=\"{}\" x=\"", y_ + 14);
            std::string digits;
            for (unsigned i = 0; i < count; ++i) {
                put("{:g} ", left(i) + unit_ / 2.0);
                const unsigned at = form_.bits + isa_.bar_position(begin + i, bits);
                digits += example_->image.get(at, 1) != 0 ? '1' : '0';
            }
            put("\">{}</text>", digits);
            y_ += example_height - 3;
            tail_width_ = std::max(tail_width_, count * unit_);
        }
        y_ += 2;
    }

    const Isa& isa_;
    const Form& form_;
    const PicturedExample* example_;
    bool bytes_;
    std::vector<BarBit> bar_;
    unsigned unit_ = 22, y_ = 0, tail_width_ = 0;
    std::string out_;
};

}  // namespace

std::string bitfield_svg(const Isa& isa, const Form& form, const PicturedExample* example, const std::string& what,
                         bool bytes) {
    return Picture(isa, form, example, bytes).finish(what);
}

std::string bitfield_words(const Isa& isa, const Form& form) {
    const std::vector<BarBit> bar = bar_of(isa, form);
    std::string out;
    const BarBit* const end = bar.data() + bar.size();
    for (const BarBit* at = bar.data(); at != end;) {
        const BarBit* const next = cell_end(at, end);
        out += out.empty() ? "bits " : ", ";
        out += next - at > 1 ? fmt::format("{} to {} ", at->number, next[-1].number) : fmt::format("{} ", at->number);
        if (at->digit && at->field != no_index) out += form.fields[at->field].name + " ";
        out += bar_label(form, at, next);
        at = next;
    }
    return out;
}

}  // namespace isaforge::render
