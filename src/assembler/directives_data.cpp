// Directives that emit data or move the location counter.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "assembler/engine.hpp"
#include "assembler/limits.hpp"
#include "support/half.hpp"
#include "support/leb128.hpp"
#include "support/wide.hpp"

namespace isaforge::assembler {

void Engine::put(std::uint64_t value, unsigned bytes, std::uint8_t* out) const {
    for (unsigned i = 0; i < bytes; ++i)
        out[data_big_endian_ ? bytes - 1 - i : i] = static_cast<std::uint8_t>(value >> 8 * i);
}

// --- numbers

// Each of the expressions between commas, which `emit(value, begin, end)` makes bytes of.
template <typename Emit>
void Engine::each_value(const char*& p, Emit&& emit) {
    mark_line(p);
    if (ends_statement(p)) return skip_statement(p);
    do {
        const char* const begin = p;
        Value value;
        if (!expression(p, value)) return skip_statement(p);
        emit(value, begin, p);
    } while (comma(p));
    finish_statement(p);
}

void Engine::integers(const char*& p, int bytes) {
    each_value(p,
               [&](const Value& value, const char* begin, const char* end) { emit_integer(value, bytes, begin, end); });
}

void Engine::emit_integer(const Value& value, int bytes, const char* begin, const char* end) {
    const unsigned bits = static_cast<unsigned>(bytes) * 8;
    if (value.kind == Value::Kind::floating) {
        error(begin, end, "this must be an integer");
        return;
    }
    const Position start = expressions_.here;
    std::uint8_t* out = nullptr;
    if (!room(static_cast<std::uint64_t>(bytes), out, begin)) return;
    moved();
    if (value.is_symbolic()) {
        Fixup fixup;
        fixup.position = start;
        fixup.node = value.node;
        fixup.bytes = static_cast<std::uint8_t>(bytes);
        fixup.place = place(begin, end);
        return add_fixup(fixup, begin);
    }
    if (!fits_bits(value.integer, bits)) {
        warning(place(begin, end), fmt::format("the value {} is cut to {} bits", value_text(value.integer), bits));
    }
    put(value.integer.bits, static_cast<unsigned>(bytes), out);
}

// Numbers in groups of seven bits, as debugging information has them.
void Engine::lebs(const char*& p, int is_signed) {
    each_value(p, [&](const Value& value, const char* begin, const char* end) {
        emit_leb(value, is_signed != 0, begin, end);
    });
}

// One that is not known yet gets five bytes, whatever it will be.
void Engine::emit_leb(const Value& value, bool is_signed, const char* begin, const char* end) {
    constexpr unsigned waiting = 5;
    if (value.kind == Value::Kind::floating) {
        error(begin, end, "this must be an integer");
        return;
    }
    Integer number = value.integer;
    bool known = value.is_integer();
    Resolved resolved;
    if (!known && expressions_.evaluate(value.node, true, resolved)) {
        known = resolved.base == Resolved::Base::absolute;
        number = resolved.offset;
    }
    expressions_.error.clear();
    std::uint8_t bytes[longest_leb];
    unsigned size = waiting;
    if (known && !is_signed && number.negative) {
        error(begin, end, "this must not be negative");
        return;
    }
    if (known) size = is_signed ? put_signed_leb(number.as_signed(), bytes) : put_unsigned_leb(number.bits, bytes);
    const Position start = expressions_.here;
    std::uint8_t* out = nullptr;
    if (!room(size, out, begin)) return;
    moved();
    if (known) {
        std::copy_n(bytes, size, out);
        return;
    }
    Fixup fixup;
    fixup.position = start;
    fixup.node = value.node;
    fixup.bytes = waiting;
    fixup.leb = is_signed ? Fixup::Leb::is_signed : Fixup::Leb::is_unsigned;
    fixup.place = place(begin, end);
    add_fixup(fixup, begin);
}

// As GNU as sees it: unsigned, or negative with the sign bit kept.
bool Engine::fits_bits(Integer value, unsigned bits) {
    if (bits >= 64) return true;
    if (value.negative) return value.as_signed() >= -(std::int64_t{1} << (bits - 1));
    return value.bits >> bits == 0;
}

std::string Engine::value_text(Integer value) {
    return value.negative ? std::to_string(value.as_signed()) : std::to_string(value.bits);
}

void Engine::octas(const char*& p, int) {
    mark_line(p);
    if (ends_statement(p)) return skip_statement(p);
    do {
        if (!octa(p)) return skip_statement(p);
    } while (comma(p));
    finish_statement(p);
}

// 128 bits: a plain number of any such size, or an expression of 64 bits with its sign.
bool Engine::octa(const char*& p) {
    const char* const begin = p;
    UnsignedWide number = 0;
    const bool hexadecimal = p[0] == '0' && lower(p[1]) == 'x';
    const unsigned radix = hexadecimal ? 16 : 10;
    const char* q = hexadecimal ? p + 2 : p;
    bool plain = is(*p, class_digit) && (hexadecimal || *p != '0'), too_large = false;
    for (; plain && is(*q, class_name); ++q) {
        const char c = lower(*q);
        const unsigned digit = c >= '0' && c <= '9'   ? static_cast<unsigned>(c - '0')
                               : c >= 'a' && c <= 'f' ? static_cast<unsigned>(c - 'a' + 10)
                                                      : 99;
        plain = digit < radix;
        too_large |= number > (~UnsignedWide{0} - digit) / radix;
        number = number * radix + digit;
    }
    const char* after = skip_space(q);
    if (plain && (*after == ',' || ends_statement(after))) {
        if (too_large) error(begin, q, "this number does not fit into 128 bits");
        p = q;
    } else {
        Value value;
        if (!expression(p, value)) return false;
        Integer integer;
        if (!evaluate_now(value, integer, begin, p)) return false;
        number = static_cast<UnsignedWide>(integer.wide());
    }
    std::uint8_t* out = nullptr;
    if (!room(16, out, begin)) return false;
    put(static_cast<std::uint64_t>(number), 8, data_big_endian_ ? out + 8 : out);
    put(static_cast<std::uint64_t>(number >> 64), 8, data_big_endian_ ? out : out + 8);
    moved();
    return true;
}

void Engine::floats(const char*& p, int bits) {
    mark_line(p);
    if (ends_statement(p)) return skip_statement(p);
    do {
        const char* const begin = p;
        double value = 0;
        if (!float_operand(p, value)) return skip_statement(p);
        std::uint64_t pattern = 0;
        if (bits == 64) {
            std::memcpy(&pattern, &value, 8);
        } else if (bits == 32) {
            // Straight from the text where it is a plain number: rounding twice may differ in the last bit.
            float narrow = static_cast<float>(value);
            const char* q = *begin == '-' || *begin == '+' ? begin + 1 : begin;
            float direct = 0;
            const auto read = std::from_chars(q, p, direct);
            if (read.ec == std::errc() && skip_space(read.ptr) == p) narrow = *begin == '-' ? -direct : direct;
            std::uint32_t half = 0;
            std::memcpy(&half, &narrow, 4);
            pattern = half;
        } else {
            pattern = half_from_double(value);
        }
        std::uint8_t* out = nullptr;
        if (!room(static_cast<unsigned>(bits) / 8, out, begin)) return skip_statement(p);
        put(pattern, static_cast<unsigned>(bits) / 8, out);
        moved();
    } while (comma(p));
    finish_statement(p);
}

bool Engine::float_operand(const char*& p, double& value) {
    p = skip_space(p);
    const char* const begin = p;
    const bool negative = *p == '-';
    const char* q = negative || *p == '+' ? p + 1 : p;
    const char* const word_end = skip_name(q);
    std::string word(q, word_end);
    std::transform(word.begin(), word.end(), word.begin(), lower);
    if (word == "inf" || word == "infinity" || word == "nan") {
        value = word == "nan" ? std::nan("") : INFINITY;
        if (negative) value = -value;
        p = skip_space(word_end);
        return true;
    }
    // GNU as lets a letter say that a float follows: 0f1.5.
    if (*q == '0' && (lower(q[1]) == 'f' || lower(q[1]) == 'd') &&
        (is(q[2], class_digit) || q[2] == '-' || q[2] == '.')) {
        const char* number = q + 2;
        const std::from_chars_result read = std::from_chars(number, text_end_, value);
        if (read.ec == std::errc()) {
            if (negative) value = -value;
            p = skip_space(read.ptr);
            return true;
        }
    }
    if (*q == '.' && is(q[1], class_digit)) {  // would read as a name
        const std::from_chars_result read = std::from_chars(q, text_end_, value);
        if (negative) value = -value;
        p = skip_space(read.ptr);
        return true;
    }
    Value number;
    if (!expression(p, number)) return false;
    if (number.kind == Value::Kind::floating) {
        value = number.floating;
        return true;
    }
    Integer integer;
    if (!evaluate_now(number, integer, begin, p)) return false;
    value = integer.real();
    return true;
}

// --- strings

// `argument`: bit 0, a zero follows each string; above, the bytes of a character, 0 for one.
void Engine::strings(const char*& p, int argument) {
    const bool terminated = argument & 1;
    const std::size_t width = std::max<std::size_t>(1, static_cast<std::size_t>(argument >> 1));
    mark_line(p);
    if (ends_statement(p)) return skip_statement(p);
    do {
        std::string text;
        const char* const begin = p;
        do {
            if (!string(p, text)) return skip_statement(p);
            p = skip_space(p);
        } while (*p == '"');
        if (terminated) text += '\0';
        if (width == 1) {
            emit_bytes(text.data(), text.size(), begin);
            continue;
        }
        std::uint8_t* out = nullptr;
        if (!room(text.size() * width, out, begin)) return skip_statement(p);
        for (std::size_t i = 0; i < text.size(); ++i) {
            put(static_cast<unsigned char>(text[i]), static_cast<unsigned>(width), out + i * width);
        }
        moved();
    } while (comma(p));
    finish_statement(p);
}

void Engine::incbin(const char*& p, int) {
    mark_line(p);
    const char* const begin = p;
    std::string wanted;
    if (!string(p, wanted)) return skip_statement(p);
    const char* const end = p;
    std::uint64_t skip = 0, count = ~std::uint64_t{0};
    bool good = true;
    if (comma(p) && *p != ',') good = small_count(p, skip, "the bytes to skip", UINT32_MAX);
    if (good && comma(p)) good = small_count(p, count, "the number of bytes", UINT32_MAX);
    if (!good) return skip_statement(p);
    std::string reason;
    FileId file = 0;
    if (!open_file(wanted, false, file, reason)) {
        error(begin, end, fmt::format("'{}' cannot be read: {}", wanted, reason));
        return skip_statement(p);
    }
    const std::string_view bytes = sources_.text(file);
    if (skip > bytes.size()) {
        error(begin, end, fmt::format("'{}' has only {} bytes", wanted, bytes.size()));
    } else {
        emit_bytes(bytes.data() + skip, std::min<std::uint64_t>(count, bytes.size() - skip), begin);
    }
    finish_statement(p);
}

// --- repetition and gaps

void Engine::fill(const char*& p, int whole) {
    mark_line(p);
    const char* const begin = p;
    Integer repeat, value;
    std::uint64_t size = 1;
    if (!absolute(p, repeat, "a repeat count")) return skip_statement(p);
    if (comma(p)) {
        if (*p != ',' && !small_count(p, size, "the size of .fill", UINT32_MAX)) return skip_statement(p);
        if (comma(p) && !absolute(p, value, "a value")) return skip_statement(p);
    }
    size = std::min<std::uint64_t>(size, 8);  // as GNU as
    if (repeat.negative) {
        warning(place(begin, p), "a negative repeat count does nothing");
    } else if (size != 0 && repeat.bits > options_.max_output / size) {
        output_full(begin);
    } else if (repeat.bits * size != 0) {
        std::uint8_t* out = nullptr;
        if (room(repeat.bits * size, out, begin)) {
            const std::uint64_t pattern = whole ? value.bits : value.bits & 0xFFFFFFFF;
            for (std::uint64_t i = 0; i < repeat.bits; ++i) put(pattern, static_cast<unsigned>(size), out + i * size);
            moved();
        }
    }
    finish_statement(p);
}

void Engine::space(const char*& p, int) {
    mark_line(p);
    const char* const begin = p;
    Value count;
    if (!expression(p, count)) return skip_statement(p);
    const char* const end = p;
    Integer value;
    if (comma(p) && !absolute(p, value, "a fill value")) return skip_statement(p);
    make_space(count, static_cast<std::uint8_t>(value.bits), begin, end);
    finish_statement(p);
}

void Engine::make_space(const Value& count, std::uint8_t fill_value, const char* begin, const char* end) {
    Resolved resolved;
    if (count.is_symbolic()) {
        const bool known =
            expressions_.evaluate(count.node, true, resolved) && resolved.base == Resolved::Base::absolute;
        expressions_.error.clear();
        if (!known) {
            Fragment gap;
            gap.kind = GapKind::space;
            gap.fill = fill_value;
            gap.node = count.node;
            gap.place = place(begin, end);
            begin_fragment(gap);
            return;
        }
    } else if (count.is_integer()) {
        resolved.offset = count.integer;
    } else {
        error(begin, end, "this must be an integer");
        return;
    }
    if (resolved.offset.negative) {
        warning(place(begin, end), "a negative number of bytes does nothing");
        return;
    }
    add_padding(resolved.offset.bits, fill_value, 1, begin);
}

// `count` bytes, a multiple of `size`, of a repeated pattern.
void Engine::add_padding(std::uint64_t count, std::uint64_t pattern, unsigned size, const char* at) {
    const std::uint64_t start = current_->used;
    if (!sections_.skip(*current_, count)) return output_full(at);
    moved();
    if (pattern == 0) return;
    if (current_->section.no_bits) {
        error(place(at), fmt::format("section {} holds no bytes", current_->section.name));
        return;
    }
    std::uint8_t* const out = current_->section.bytes.data() + start;
    for (std::uint64_t i = 0; i < count; i += size) put(pattern, size, out + i);
}

// What the description fills code with, up to an alignment: of the instructions that `.align` becomes, the first that there is.
bool Engine::code_padding(std::uint64_t& pattern, unsigned& size) {
    const auto found = described_macros_.find(std::string(".align"));
    if (found == described_macros_.end()) return false;
    const char* line = found->second.body.data();
    const char* const last = line + found->second.body.size();
    for (const char* end = line; line < last; line = end + 1) {
        end = std::find(line, last, '\n');
        const char* p = line;
        Encoded encoded;
        const bool good = codec_.try_assemble(p, end, 0, expressions_, encoded,
                                              [&](const Encoded& one, const char*) { return !is_off(one.form); });
        expressions_.clear_operands();
        if (!good || encoded.deferred_count != 0 || encoded.bits > 64) continue;
        size = encoded.bits / 8;
        std::uint8_t bytes[max_instruction_bits / 8] = {};
        codec_.store(encoded.image, encoded.bits, bytes);
        pattern = 0;
        for (unsigned i = 0; i < size; ++i)
            pattern |= std::uint64_t{bytes[i]} << 8 * (data_big_endian_ ? size - 1 - i : i);
        return true;
    }
    return false;
}

// `argument`: bit 0, the operand is a power of two; above, the size of the fill value.
void Engine::align(const char*& p, int argument) {
    mark_line(p);
    const bool power = argument & 1;
    const char* const begin = p;
    std::uint64_t alignment = 0, limit = 0;
    Integer pattern;
    bool has_pattern = false;
    constexpr std::uint64_t largest_power = limits::alignment_power;
    if (!small_count(p, alignment, "the alignment", power ? largest_power : std::uint64_t{1} << largest_power)) {
        return skip_statement(p);
    }
    const char* const end = p;
    if (comma(p)) {
        has_pattern = *p != ',' && !ends_statement(p);
        if (has_pattern && !absolute(p, pattern, "a fill value")) return skip_statement(p);
        if (comma(p) && !small_count(p, limit, "the most bytes to skip", UINT32_MAX)) return skip_statement(p);
    }
    unsigned size = static_cast<unsigned>(argument >> 1);
    if (flavour_ && size == 1 && pattern.bits == 0 && current_->section.executable) {
        pattern = Integer(flavour_->code_padding(), false);
        size = object_.unit_bytes;
    }
    std::uint64_t padding = 0;
    const bool pads_code = !flavour_ && !has_pattern && size == 1 && current_->section.executable;
    if (pads_code && code_padding(padding, size)) pattern = Integer(padding, false);
    if (power) alignment = std::uint64_t{1} << alignment;
    if (alignment == 0) alignment = 1;
    if ((alignment & (alignment - 1)) != 0) {
        error(begin, end, "an alignment must be a power of two");
    } else {
        align_to(alignment, pattern.bits, size, limit, begin);
    }
    finish_statement(p);
}

void Engine::align_to(std::uint64_t alignment, std::uint64_t pattern, unsigned size, std::uint64_t limit,
                      const char* at) {
    current_->section.alignment = std::max(current_->section.alignment, alignment);
    if (!current_->fixed()) {
        Fragment gap;
        gap.kind = GapKind::align;
        gap.alignment = alignment;
        gap.fill = pattern;
        gap.fill_size = static_cast<std::uint8_t>(size);
        gap.limit = limit;
        gap.place = place(at);
        begin_fragment(gap);
        return;
    }
    const std::uint64_t count = (0 - current_->used) & (alignment - 1);
    if (limit != 0 && count > limit) return;
    if ((flavour_ || !described_macros_.empty()) && current_->section.executable && count % size != 0) {
        add_padding(count % size, 0, 1, at);
        return add_padding(count - count % size, pattern, size, at);
    }
    if (count % size != 0) {
        error(place(at), fmt::format("the padding of {} bytes is no multiple of {}", count, size));
        return;
    }
    add_padding(count, pattern, size, at);
}

void Engine::origin(const char*& p, int) {
    mark_line(p);
    const char* const begin = p;
    Value target;
    if (!expression(p, target)) return skip_statement(p);
    const char* const end = p;
    Integer value;
    if (comma(p) && !absolute(p, value, "a fill value")) return skip_statement(p);
    move_to(target, begin, end, static_cast<std::uint8_t>(value.bits));
    finish_statement(p);
}

// Moves the location counter forward, to a number counted in the section's addresses or to a place in the section.
void Engine::move_to(const Value& target, const char* begin, const char* end, std::uint8_t fill_value) {
    Resolved resolved;
    bool known = target.is_integer() && current_->fixed();
    if (target.kind == Value::Kind::floating) {
        error(begin, end, "this must be an integer");
        return;
    }
    if (target.is_integer()) resolved.offset = target.integer;
    if (target.is_symbolic()) {
        known = expressions_.evaluate(target.node, true, resolved);
        known &= resolved.base == Resolved::Base::section && resolved.index == current_index_ &&
                 resolved.fragment == expressions_.here.fragment;
        expressions_.error.clear();
    }
    if (!known) {
        Fragment gap;
        gap.kind = GapKind::origin;
        gap.fill = fill_value;
        gap.node = target.is_symbolic() ? target.node : expressions_.leaf(target.integer);
        gap.place = place(begin, end);
        begin_fragment(gap);
        return;
    }
    const Wide there = resolved.offset.wide() * current_->step;
    if (there < static_cast<Wide>(current_->used)) {
        error(begin, end, "the location counter cannot move backwards");
        return;
    }
    if (there > static_cast<Wide>(options_.max_output)) return output_full(begin);
    add_padding(static_cast<std::uint64_t>(there) - current_->used, fill_value, 1, begin);
}

}  // namespace isaforge::assembler
