// The map as SVG, for the wall: colours by format (Paul Tol's light scheme, which the colour-blind tell apart and black
// letters stand out from), hatching by length, white where nothing is. No scripts and no fonts of its own.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

#include "render/space_map.hpp"
#include "render/xml.hpp"

namespace isaforge::render {

namespace {

constexpr std::array<std::uint32_t, 8> palette{0x77aadd, 0xee8866, 0xeedd88, 0x44bb99,
                                               0xffaabb, 0xbbcc33, 0x99ddff, 0xaaaa00};
constexpr double left = 96, right = 150, letter_width = 0.62, label_size = 9;
constexpr unsigned magnified = 4;           // bits of a row of the magnified part
constexpr std::size_t most_magnified = 96;  // rows there

struct Box {
    double x = 0, y = 0, width = 0, height = 0;
};

class SvgMap {
public:
    SvgMap(const Isa& isa, const SpaceMap& map, unsigned width, const MapDress& dress)
        : isa_(isa), map_(map), dress_(dress), width_(std::max<double>(width, left + right + 200)) {
        const auto bits = static_cast<unsigned>(map.bits.size());
        row_bits_ = std::min(7U, bits > 8 ? bits - 6 : bits / 2);
        if (bits > 13) row_bits_ = 7;
        columns_ = std::uint64_t{1} << (bits - row_bits_);
        rows_ = std::uint64_t{1} << row_bits_;
        plot_width_ = width_ - left - right;
        row_height_ = std::clamp(1800.0 / static_cast<double>(rows_), 14.0, 40.0);
        std::uint32_t number = 0;
        for (const SpaceFormat& format : map.space.formats) {
            if (format.instructions > 0) number_[format.format] = number++;
        }
    }

    std::string draw() {
        legend();
        top_ = y_ + 18;
        axes();
        out_ += "<g id=\"blocks\" stroke=\"#fff\" stroke-width=\"0.4\">\n";
        for (const MapBlock& block : map_.blocks) draw_block(block);
        out_ += "</g>\n";
        label_runs();
        out_ += fmt::format(
            "<rect x=\"{}\" y=\"{:.2f}\" width=\"{:.2f}\" height=\"{:.2f}\" fill=\"none\" "
            "stroke=\"#000\"/>\n",
            left, top_, plot_width_, row_height_ * static_cast<double>(rows_));
        for (const MapPool& pool : map_.pools) draw_pool(pool);
        for (const MapDress::Trace& trace : dress_.traces) draw_trace(trace);
        y_ = top_ + row_height_ * static_cast<double>(rows_) + 24;
        magnify();
        return head() + out_ + "</svg>\n";
    }

private:
    std::string head() const {
        const double height = y_ + 16;
        std::string out = fmt::format(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" viewBox=\"0 0 {0:.0f} "
            "{1:.0f}\" "
            "font-family=\"DejaVu Sans, Verdana, sans-serif\" font-size=\"11\">\n"
            "<title>Code space of {2}</title>\n<defs>\n"
            "<pattern id=\"free\" width=\"8\" height=\"8\" patternUnits=\"userSpaceOnUse\">"
            "<path d=\"M0 0h8v8h-8z\" fill=\"#fff\"/><path d=\"M-1 7l2 2M0 0l8 8M7 -1l2 2\" stroke=\"#ccc\" "
            "stroke-width=\"0.7\"/></pattern>\n"
            "<pattern id=\"reserved\" width=\"5\" height=\"5\" patternUnits=\"userSpaceOnUse\">"
            "<path d=\"M0 0h5v5h-5z\" fill=\"#fff\"/><path d=\"M0 0l5 5M5 0l-5 5\" stroke=\"#000\" "
            "stroke-width=\"1\"/></pattern>\n",
            width_, height, escape_xml(isa_.variant));
        static constexpr std::array<const char*, 5> strokes{"M-1 1l2 -2M0 6l6 -6M5 7l2 -2", "M0 3h6", "M3 0v6M0 3h6",
                                                            "M3 0v6", "M0 0l6 6M6 0l-6 6"};
        for (std::size_t i = 0; i < strokes.size(); ++i) {
            out += fmt::format(
                "<pattern id=\"length{}\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\">"
                "<path d=\"{}\" stroke=\"#000\" stroke-opacity=\"0.28\" stroke-width=\"0.8\" "
                "fill=\"none\"/></pattern>\n",
                i + 1, strokes[i]);
        }
        return out + fmt::format("</defs>\n<rect width=\"{:.0f}\" height=\"{:.0f}\" fill=\"#fff\"/>\n", width_, height);
    }

    // The hatching of a length: none for the shortest.
    std::string hatching(unsigned bits) const {
        const auto at = std::find(map_.lengths.begin(), map_.lengths.end(), bits) - map_.lengths.begin();
        return at == 0 ? "" : fmt::format("url(#length{})", std::min<std::ptrdiff_t>(at, 5));
    }

    // Past the palette's colours come lighter ones, then darker ones.
    std::string colour(Index format) const {
        if (format == no_index) return "#dddddd";
        const std::uint32_t number = number_.at(format);
        const std::uint32_t base = palette[number % palette.size()];
        const double towards_white = number / palette.size() % 3 == 1 ? 0.5 : 0;
        const double shade = number / palette.size() % 3 == 2 ? 0.82 : 1;
        std::uint32_t out = 0;
        for (const unsigned shift : {16u, 8u, 0u}) {
            const double channel = (base >> shift & 255) * shade;
            out |= static_cast<std::uint32_t>(std::lround(channel + (255 - channel) * towards_white)) << shift;
        }
        return fmt::format("#{:06x}", out);
    }

    std::string paint(const MapBlock& block) const {
        return dress_.colour ? dress_.colour(block) : colour(block.format);
    }

    void text(double x, double y, double size, std::string_view what, const char* more = "") {
        out_ += fmt::format("<text x=\"{:.2f}\" y=\"{:.2f}\" font-size=\"{:.1f}\"{}>{}</text>\n", x, y, size, more,
                            escape_xml(what));
    }

    void swatch(const Box& box, const std::string& fill, const std::string& over) {
        for (const std::string& paint : {fill, over}) {
            if (!paint.empty())
                out_ += fmt::format(
                    "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"{}\" "
                    "stroke=\"#000\" stroke-width=\"0.5\"/>\n",
                    box.x, box.y, box.width, box.height, paint);
        }
    }

    void legend() {
        y_ = 34;
        text(left, y_, 22, isa_.title.empty() ? isa_.variant : isa_.title, " font-weight=\"bold\"");
        y_ += 18;
        text(left, y_, 12,
             fmt::format("{}: {} instructions in {:.1f} % of the code space; {:.2f} % reserved, {:.1f} % free.",
                         isa_.variant, isa_.instructions.size(), map_.space.used.fraction() * 100,
                         map_.space.reserved.fraction() * 100, map_.space.free.fraction() * 100));
        y_ += 16;
        text(left, y_, 12,
             fmt::format("The bits of a cell are {} of the bar; a row has the first {} in common.", bits_text(),
                         row_bits_));
        y_ += 14;
        lengths_legend();
        if (!dress_.colour) formats_legend();
    }

    // "bits 0 to 4, 16 to 21".
    std::string bits_text() const {
        std::string out = "bits";
        for (std::size_t i = 0; i < map_.bits.size();) {
            std::size_t end = i + 1;
            while (end < map_.bits.size() && map_.bits[end] == map_.bits[end - 1] + 1) ++end;
            out += fmt::format("{} {}", i > 0 ? "," : "", map_.bits[i]);
            if (end - i > 1) out += fmt::format(" to {}", map_.bits[end - 1]);
            i = end;
        }
        return out;
    }

    void lengths_legend() {
        double x = left;
        const auto entry = [&](const std::string& fill, const std::string& over, const std::string& what) {
            swatch({x, y_, 26, 13}, fill, over);
            text(x + 32, y_ + 11, 11, what);
            x += 32 + 6.6 * static_cast<double>(what.size()) + 24;
        };
        for (const SpaceLength& length : map_.space.lengths) {
            entry("#e4e4e4", hatching(length.bits),
                  fmt::format("{} bits: {:.1f} %", length.bits, length.used.fraction() * 100));
        }
        entry("url(#free)", "", fmt::format("free: {:.1f} %", map_.space.free.fraction() * 100));
        if (!map_.space.reserved.is_zero())
            entry("url(#reserved)", "", fmt::format("reserved: {:.2f} %", map_.space.reserved.fraction() * 100));
        if (std::any_of(map_.blocks.begin(), map_.blocks.end(), [](const MapBlock& block) { return block.partly; })) {
            const Box corner{x, y_, 26, 13};
            entry("#e4e4e4", "", "partly free");
            mark_partly({corner});
        }
        y_ += 22;
    }

    void formats_legend() {
        constexpr double swatch_width = 32, gap = 18, bold_letter = 7.4, letter = 6.4;
        struct Item {
            const SpaceFormat& format;
            std::string name, rest;
        };
        std::vector<Item> items;
        double widest = 0;
        for (const SpaceFormat& format : map_.space.formats) {
            if (format.instructions == 0) continue;
            items.push_back({format, isa_.formats[format.format].name,
                             fmt::format(" {} bits, {} × {:.1f} %", fmt::join(format.lengths, "/"), format.instructions,
                                         format.used.fraction() * 100)});
            widest = std::max(widest, bold_letter * static_cast<double>(items.back().name.size()) +
                                          letter * static_cast<double>(items.back().rest.size()));
        }
        const double room = width_ - left - 20;
        const auto across = static_cast<unsigned>(std::clamp(room / (swatch_width + widest + gap), 1.0, 5.0));
        unsigned at = 0;
        for (const Item& item : items) {
            const unsigned column = at % across, row = at / across;
            const double x = left + room / across * column, y = y_ + 18.0 * row;
            swatch({x, y, 26, 13}, colour(item.format.format), "");
            out_ += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\"><tspan font-weight=\"bold\">{}</tspan>{}</text>\n",
                                x + swatch_width, y + 11, escape_xml(item.name), item.rest);
            ++at;
        }
        const unsigned lines = (at + across - 1) / across;
        y_ += 18.0 * lines;
    }

    // Row prefixes on the left, the next three bits above.
    void axes() {
        out_ += "<g font-family=\"DejaVu Sans Mono, monospace\" text-anchor=\"end\">\n";
        for (std::uint64_t row = 0; row < rows_; ++row) {
            std::string bits = leading_pattern(row, row_bits_, row_bits_);
            text(left - 8, top_ + row_height_ * (static_cast<double>(row) + 0.5) + 3.5, 10, bits);
        }
        out_ += "</g>\n<g font-family=\"DejaVu Sans Mono, monospace\" text-anchor=\"middle\">\n";
        const unsigned across = std::min<unsigned>(3, static_cast<unsigned>(map_.bits.size()) - row_bits_);
        const double step = plot_width_ / (1 << across);
        for (unsigned i = 0; i < 1U << across && across > 0; ++i) {
            text(left + step * (i + 0.5), top_ - 5, 10, "…" + leading_pattern(i, across, across) + "…");
        }
        out_ += "</g>\n";
    }

    Box box(std::uint64_t row, std::uint64_t rows, std::uint64_t low, std::uint64_t cells) const {
        const double unit = plot_width_ / static_cast<double>(columns_);
        return {left + unit * static_cast<double>(low), top_ + row_height_ * static_cast<double>(row),
                unit * static_cast<double>(cells), row_height_ * static_cast<double>(rows)};
    }

    // Cells low..high as boxes: the rest of a row, whole rows as one, the begin of a row.
    std::vector<Box> boxes(std::uint64_t low, std::uint64_t high) const {
        std::vector<Box> out;
        while (low <= high) {
            const std::uint64_t row = low / columns_, column = low % columns_;
            if (column == 0 && high - low + 1 >= columns_) {
                const std::uint64_t rows = (high - low + 1) / columns_;
                out.push_back(box(row, rows, 0, columns_));
                low += rows * columns_;
                continue;
            }
            const std::uint64_t cells = std::min(columns_ - column, high - low + 1);
            out.push_back(box(row, 1, column, cells));
            low += cells;
        }
        return out;
    }

    void rectangle(const Box& b, const std::string& fill, const char* more = "") {
        out_ += fmt::format("<rect x=\"{:.3f}\" y=\"{:.3f}\" width=\"{:.3f}\" height=\"{:.3f}\" fill=\"{}\"{}/>\n", b.x,
                            b.y, b.width, b.height, fill, more);
    }

    std::string title_of(const MapBlock& block) const {
        std::string out = cell_text(map_, block.low, block.high);
        if (block.kind == MapBlock::Kind::free) return out + "\nfree";
        if (block.kind == MapBlock::Kind::reserved) return out + "\nreserved";
        out += "\n" + names_text(isa_, block, 24);
        if (block.instructions.size() == 1) {
            const std::string& title = isa_.instructions[block.instructions[0]].title;
            if (!title.empty()) out += ": " + title;
        }
        if (block.format != no_index) out += "\nformat " + isa_.formats[block.format].name;
        std::vector<unsigned> lengths;
        for (const MapBlock::Part& part : block.parts)
            lengths.insert(lengths.end(), part.lengths.begin(), part.lengths.end());
        std::sort(lengths.begin(), lengths.end());
        lengths.erase(std::unique(lengths.begin(), lengths.end()), lengths.end());
        return out + fmt::format(", {} bits{}", fmt::join(lengths, " or "), block.partly ? ", partly free" : "");
    }

    bool has_link(const MapBlock& block) const { return dress_.link && block.kind == MapBlock::Kind::used; }

    void open_block(const MapBlock& block) {
        out_ += has_link(block) ? fmt::format("<a href=\"{}\">", escape_xml(dress_.link(block))) : "<g>";
        out_ += fmt::format("<title>{}</title>\n", escaped_lines(title_of(block)));
    }
    void close_block(const MapBlock& block) { out_ += has_link(block) ? "</a>\n" : "</g>\n"; }

    void draw_block(const MapBlock& block) {
        open_block(block);
        const std::vector<Box> own = boxes(block.low, block.high);
        if (block.kind != MapBlock::Kind::used) {
            const char* fill = block.kind == MapBlock::Kind::free ? "url(#free)" : "url(#reserved)";
            for (const Box& b : own) rectangle(b, fill, block.kind == MapBlock::Kind::free ? " stroke=\"none\"" : "");
            close_block(block);
            if (block.kind == MapBlock::Kind::free) label_free(block, own);
            return;
        }
        for (const Box& b : own) rectangle(b, paint(block));
        for (const MapBlock::Part& part : block.parts) hatch(part);
        if (block.partly) mark_partly(own);
        outline(block, own);
        close_block(block);
        label_block(block, own);
    }

    static std::string escaped_lines(const std::string& text) {
        std::string out;
        for (std::size_t begin = 0; begin <= text.size();) {
            const std::size_t end = std::min(text.find('\n', begin), text.size());
            out += (begin > 0 ? "\n" : "") + escape_xml(std::string_view(text).substr(begin, end - begin));
            begin = end + 1;
        }
        return out;
    }

    // Where later bits choose the length, each length gets its share of the height.
    void hatch(const MapBlock::Part& part) {
        const auto count = static_cast<double>(part.lengths.size());
        for (std::size_t i = 0; i < part.lengths.size(); ++i) {
            const std::string paint = hatching(part.lengths[i]);
            if (paint.empty()) continue;
            for (Box b : boxes(part.low, part.high)) {
                b.height /= count;
                b.y += b.height * static_cast<double>(i);
                out_ += fmt::format("<path d=\"M{:.2f} {:.2f}h{:.2f}v{:.2f}h-{:.2f}z\" fill=\"{}\" stroke=\"none\"/>\n",
                                    b.x, b.y, b.width, b.height, b.width, paint);
            }
        }
    }

    // A white corner for what is not all taken.
    void mark_partly(const std::vector<Box>& own) {
        for (const Box& b : own) {
            const double size = std::min({b.width, b.height, 8.0}) * 0.7;
            out_ += fmt::format("<path d=\"M{:.2f} {:.2f}v-{:.2f}l-{:.2f} {:.2f}z\" fill=\"#fff\" stroke=\"none\"/>\n",
                                b.x + b.width, b.y + b.height, size, size, size);
        }
    }

    void outline(const MapBlock& block, const std::vector<Box>& own) {
        if (own.size() > 1 && block.high - block.low < columns_) return;
        for (const Box& b : own) {
            if (b.width >= 4) rectangle(b, "none", " stroke=\"#333\" class=\"edge\"");
        }
    }

    static double text_width(std::string_view what, double size) {
        const auto letters = std::count_if(what.begin(), what.end(), [](char c) { return (c & 0xc0) != 0x80; });
        return static_cast<double>(letters) * size * letter_width;
    }

    void halo_text(const Box& b, std::string_view what, double size, bool upright) {
        const double x = b.x + b.width / 2, y = b.y + b.height / 2;
        const std::string turn =
            upright ? fmt::format(" transform=\"rotate(-90 {:.2f} {:.2f})\"", x, y) : std::string{};
        out_ += fmt::format(
            "<text x=\"{:.2f}\" y=\"{:.2f}\" font-size=\"{:.1f}\" text-anchor=\"middle\" stroke=\"#fff\" "
            "stroke-width=\"2.4\" stroke-opacity=\"0.85\" stroke-linejoin=\"round\" paint-order=\"stroke\" "
            "pointer-events=\"none\"{}>{}</text>\n",
            x, y + size * 0.36, size, turn, escape_xml(what));
    }

    // The largest box takes the text, lying or standing; false where none has room.
    bool label_in(const std::vector<Box>& own, std::string_view what, bool small = true) {
        const auto smaller = [](const Box& a, const Box& b) { return a.width * a.height < b.width * b.height; };
        const auto best = std::max_element(own.begin(), own.end(), smaller);
        if (best == own.end()) return false;
        for (const double size : {label_size + 3, label_size, label_size - 2}) {
            if (size < label_size && !small) continue;
            if (size > label_size && best->height < 2.2 * row_height_ && best->height < 30) continue;
            if (text_width(what, size) + 2 <= best->width && size + 1 <= best->height)
                return halo_text(*best, what, size, false), true;
        }
        for (const double size : {label_size, label_size - 2}) {
            if (!small) break;
            if (text_width(what, size) + 2 <= best->height && size + 1 <= best->width)
                return halo_text(*best, what, size, true), true;
        }
        return false;
    }

    void label_block(const MapBlock& block, const std::vector<Box>& own) {
        const bool one = block.instructions.size() == 1;
        const std::string name = isa_.instructions[block.instructions[0]].names[0];
        const std::string format = block.format == no_index ? "" : isa_.formats[block.format].name;
        if (one && !format.empty() && label_in(own, name + " · " + format, false)) {
            named_.insert(block.instructions[0]);
            return;
        }
        if (label_in(own, one ? name : names_text(isa_, block, 3))) {
            named_.insert(block.instructions.begin(), block.instructions.end());
            return;
        }
        if (!one && label_in(own, fmt::format("{} {}s", block.instructions.size(), format))) return;
        unlabelled_.push_back(&block);
    }

    void label_free(const MapBlock& block, const std::vector<Box>& own) {
        const auto bits = static_cast<unsigned>(map_.bits.size());
        const SpaceRange range{bits, block.low, block.high};
        if (block.high - block.low + 1 >= columns_ / 8)
            label_in(own, fmt::format("free  {:.2f} %", range.size().fraction() * 100));
    }

    // Blocks too small for their own name share their format's where they stand side by side.
    void label_runs() {
        for (std::size_t i = 0; i < unlabelled_.size();) {
            std::size_t end = i + 1;
            const MapBlock& first = *unlabelled_[i];
            while (end < unlabelled_.size() && unlabelled_[end]->low == unlabelled_[end - 1]->high + 1 &&
                   unlabelled_[end]->format == first.format && unlabelled_[end]->low / columns_ == first.low / columns_)
                ++end;
            if (first.format != no_index) {
                label_in(boxes(first.low, unlabelled_[end - 1]->high), isa_.formats[first.format].name);
            }
            i = end;
        }
    }

    void draw_trace(const MapDress::Trace& trace) {
        out_ += fmt::format("<g class=\"trace\"><title>{}</title>", escape_xml(trace.what));
        for (const Box& b : boxes(trace.low, trace.high))
            rectangle(b, "none",
                      " stroke=\"#b3261e\" stroke-width=\"0.9\" stroke-dasharray=\"3 3\" pointer-events=\"stroke\"");
        out_ += "</g>\n";
    }

    void draw_pool(const MapPool& pool) {
        const Pool& own = isa_.pools[pool.pool];
        const std::vector<Box> parts = boxes(pool.low, pool.high);
        std::vector<std::string> names;
        for (const Index format : own.formats) names.push_back(isa_.formats[format].name);
        const std::string what = fmt::format("{}{}{}", own.name, own.name.empty() ? "" : ": ", fmt::join(names, " "));
        out_ += fmt::format(
            "<g><title>pool {}\n{}</title><path d=\"{}\" fill=\"none\" stroke=\"#000\" stroke-width=\"2.2\" "
            "stroke-linejoin=\"round\"/></g>\n",
            escape_xml(what), escape_xml(cell_text(map_, pool.low, pool.high)), pool_path(pool, parts));
        const std::uint64_t row = pool.low / columns_;
        double y = top_ + row_height_ * (static_cast<double>(row) + 0.5) + 4;
        y = std::max(y, pool_label_y_ + 12);
        pool_label_y_ = y;
        out_ += fmt::format("<path d=\"M{0:.1f} {1:.1f}h8\" stroke=\"#000\" stroke-width=\"2.2\"/>\n",
                            left + plot_width_, y - 4);
        text(left + plot_width_ + 12, y, 10, what.size() > 22 ? what.substr(0, 21) + "…" : what,
             " font-weight=\"bold\"");
    }

    std::string pool_path(const MapPool& pool, const std::vector<Box>& parts) const {
        const std::uint64_t last = pool.high / columns_, first = pool.low / columns_;
        const std::uint64_t begin = pool.low % columns_, end = pool.high % columns_ + 1;
        std::string out;
        if (first == last || (last == first + 1 && end <= begin)) {
            for (const Box& b : parts) {
                out += fmt::format("M{:.2f} {:.2f}h{:.2f}v{:.2f}h-{:.2f}z", b.x, b.y, b.width, b.height, b.width);
            }
            return out;
        }
        const Box head = box(first, 1, begin, columns_ - begin), tail = box(last, 1, 0, end);
        const double far = left + plot_width_;
        return fmt::format("M{:.2f} {:.2f}H{:.2f}V{:.2f}H{:.2f}V{:.2f}H{:.2f}V{:.2f}H{:.2f}z", head.x, head.y, far,
                           tail.y + (end == columns_ ? tail.height : 0), tail.x + tail.width, tail.y + tail.height,
                           left, head.y + (begin == 0 ? 0 : head.height), head.x);
    }

    // Rows of sixteen cells, enlarged, for instructions whose names had no room anywhere.
    void magnify() {
        if (columns_ < (1U << magnified) * 2) return;
        std::vector<std::uint64_t> groups;
        for (const MapBlock* block : unlabelled_) {
            const std::uint64_t group = block->low >> magnified;
            bool news = false;  // an instruction whose name stands nowhere yet
            for (const Index instruction : block->instructions) news |= named_.insert(instruction).second;
            if (!news) continue;
            if (block->high >> magnified == group && (groups.empty() || groups.back() != group))
                groups.push_back(group);
        }
        if (groups.empty()) return;
        text(left, y_, 13, "Magnified: rows of 16 values each", " font-weight=\"bold\"");
        y_ += 10;
        const std::size_t shown = std::min(groups.size(), most_magnified);
        for (std::size_t i = 0; i < shown; ++i) magnify_row(groups[i]);
        if (shown < groups.size()) {
            y_ += 14;
            text(left, y_, 11, fmt::format("… and {} more rows", groups.size() - shown));
        }
    }

    void magnify_row(std::uint64_t group) {
        const auto bits = static_cast<unsigned>(map_.bits.size());
        const std::uint64_t low = group << magnified, high = low + (1U << magnified) - 1;
        const double unit = (width_ - left - 24) / (1U << magnified), height = 15;
        out_ += "<g font-family=\"DejaVu Sans Mono, monospace\" text-anchor=\"end\">\n";
        text(left - 8, y_ + 11, 8, leading_pattern(group, bits - magnified, bits - magnified));
        out_ += "</g>\n";
        for (const MapBlock& block : map_.blocks) {
            if (block.high < low || block.low > high) continue;
            const std::uint64_t begin = std::max(low, block.low), end = std::min(high, block.high);
            const Box b{left + unit * static_cast<double>(begin - low), y_, unit * static_cast<double>(end - begin + 1),
                        height};
            open_block(block);
            const bool used = block.kind == MapBlock::Kind::used;
            const std::string plain = block.kind == MapBlock::Kind::free ? "url(#free)" : "url(#reserved)";
            swatch(b, used ? paint(block) : plain, used ? hatching(block.parts[0].lengths[0]) : "");
            close_block(block);
            if (used) {
                std::string name = names_text(isa_, block, 3);
                double size = label_size;
                while (size > 6 && text_width(name, size) + 2 > b.width) size -= 1;
                const auto room = static_cast<std::size_t>(b.width / size / letter_width);
                if (name.size() > room) name = name.substr(0, room > 0 ? room - 1 : 0) + "…";
                halo_text(b, name, size, false);
            }
        }
        y_ += height + 1;
    }

    const Isa& isa_;
    const SpaceMap& map_;
    const MapDress& dress_;
    double width_, plot_width_ = 0, row_height_ = 0, top_ = 0, y_ = 0, pool_label_y_ = 0;
    unsigned row_bits_ = 0;
    std::uint64_t columns_ = 1, rows_ = 1;
    std::map<Index, std::uint32_t> number_;
    std::vector<const MapBlock*> unlabelled_;
    std::set<Index> named_;  // instructions whose name is in the map
    std::string out_;
};

}  // namespace

std::string map_svg(const Isa& isa, const SpaceMap& map, unsigned width, const MapDress& dress) {
    return SvgMap(isa, map, width, dress).draw();
}

}  // namespace isaforge::render
