// Texts that mean two things. Each form is printed with many values of its fields, and the text is read again: it must come
// back to the same bits. Where it does not, some other row takes the text, and the message shows which.
#include <fmt/format.h>

#include <cstdlib>
#include <cstring>
#include <optional>
#include <random>

#include "check/findings.hpp"
#include "codec/numerals.hpp"
#include "codec/tables.hpp"
#include "sample/draw.hpp"

namespace isaforge::check {

namespace {

constexpr unsigned samples_per_form = 24;

// Plain numbers, as the codec itself prints them.
class NumberReader : public ExpressionReader {
public:
    explicit NumberReader(const Surface& surface) : surface_(surface) {}

    bool read(const char*& cursor, const char* end, NumberValue& value) override {
        const std::size_t size = std::min<std::size_t>(static_cast<std::size_t>(end - cursor), sizeof text_ - 1);
        std::memcpy(text_, cursor, size);
        text_[size] = '\0';
        const bool negative = text_[0] == '-';
        const char* digits = text_ + negative;
        std::uint64_t marked = 0;
        bool too_large = false;
        if (const char* const after =
                codec::read_numeral(surface_.number_marks, digits, text_ + size, marked, too_large)) {
            value = {};
            value.integer = negative ? 0 - marked : marked;
            value.negative = negative && marked != 0;
            cursor += after - text_;
            return !too_large;
        }
        if (digits[0] < '0' || digits[0] > '9') return false;
        char* integer_end = nullptr;
        char* float_end = nullptr;
        const std::uint64_t integer = std::strtoull(digits, &integer_end, 0);
        const double floating = std::strtod(digits, &float_end);
        const bool hexadecimal = digits[0] == '0' && digits[1] == 'x';
        value = {};
        if (!hexadecimal && float_end > integer_end) {
            value.kind = NumberValue::Kind::floating;
            value.floating = negative ? -floating : floating;
            integer_end = float_end;
        } else {
            value.integer = negative ? 0 - integer : integer;
            value.negative = negative && integer != 0;
        }
        cursor += integer_end - text_;
        return true;
    }

private:
    const Surface& surface_;
    char text_[128];
};

class TextCheck {
public:
    TextCheck(const Codec& codec, Diagnostics& diagnostics)
        : codec_(codec), isa_(codec.isa()), diagnostics_(diagnostics) {}

    void look(Index index) {
        if (isa_.forms[index].alias) return;
        for (unsigned i = 0; i < samples_per_form; ++i) {
            const auto image = sample(index, i);
            if (image && !comes_back(index, *image)) return;
        }
    }

private:
    // An instruction of the form: all fields low, all high, then random. Nothing where no valid code was found.
    std::optional<Image> sample(Index index, unsigned number) {
        const Form& form = isa_.forms[index];
        Image image = form.written;
        for (const Field& field : form.fields) {
            if (field.fixed) continue;
            const auto code = valid_code(field, number);
            if (!code) return std::nullopt;
            field.place.insert(image, *code);
        }
        for (Index i = 0; i < form.fields.size(); ++i) {
            const Field& field = form.fields[i];
            set_tail(field.type, field.place.extract(image), codec::tail_at(codec_, index, i, image), image);
        }
        return image;
    }

    // Puts a number behind the instruction where the operand `code` calls for one: none that has a short form, too.
    void set_tail(Index type, std::uint64_t code, unsigned at, Image& image) {
        const Index row = codec_.tables().operands[type].longest_tail != 0 ? codec_.row_of(type, code) : no_index;
        if (row == no_index) return;
        for (const Field& field : isa_.operand_types[type].rows[row].fields) {
            if (!field.in_tail) {
                set_tail(field.type, field.place.extract(code), at, image);
                continue;
            }
            const std::uint64_t tail = tail_code(field);
            for (const BitPiece& piece : field.place.pieces)
                image.set(at + piece.position, piece.width, tail >> piece.shift);
        }
    }

    // Few numbers of either size have all the bits that are set here and none of the others.
    std::uint64_t tail_code(const Field& field) {
        constexpr std::uint64_t set = 1u << 20 | 1u << 8 | 1u, clear = 1u << 5;
        const std::uint64_t all = low_bits(field.place.width);
        for (const std::uint64_t kept : {all, all & 0xffff, all & 0xff}) {
            const std::uint64_t code = (random_() | set) & ~clear & kept;
            if (is_valid(field, code)) return codec_.as_written(field.type, code);
        }
        return 0;
    }

    bool is_valid(const Field& field, std::uint64_t code) const {
        return codec::code_is_valid(isa_, codec_.tables(), field.type, code);
    }

    std::optional<std::uint64_t> valid_code(const Field& field, unsigned number) {
        const std::uint64_t all = low_bits(field.place.width);
        const unsigned attempts = number < 2 ? 4096 : 256;
        for (unsigned attempt = 0; attempt < attempts; ++attempt) {
            std::uint64_t code = random_() & all;
            if (number == 0) code = attempt & all;
            if (number == 1) code = all - (attempt & all);
            if (is_valid(field, code)) return codec_.as_written(field.type, code);
        }
        // There are few: rows say which.
        for (unsigned attempt = 0; attempt < 16; ++attempt) {
            sample::Tail tail;
            const std::uint64_t code = draw_.code(field.type, tail);
            if (is_valid(field, code)) return codec_.as_written(field.type, code);
        }
        return std::nullopt;
    }

    bool comes_back(Index index, const Image& image) {
        const Form& form = isa_.forms[index];
        constexpr std::uint64_t address = 1 << 12;
        unsigned bits = 0;
        const Index decoded = codec_.decode(image, max_instruction_bits, bits);
        if (decoded == no_index && bits != 0) return true;  // its operands break a rule together
        if (decoded != index) return report_decode(form, image, decoded);
        char text[Codec::max_text];
        const char* end = codec_.print(text, index, image, bits, address);
        const std::string printed(text, static_cast<std::size_t>(end - text));
        const char* cursor = printed.data();
        Encoded read;
        ReadFailure failure;
        if (!codec_.assemble(cursor, printed.data() + printed.size(), address, numbers_, read, failure)) {
            diagnostics_.error(form.where, fmt::format("the text of this row cannot be read back: `{}`: {}", printed,
                                                       failure.message));
            return false;
        }
        bool same = read.bits == bits;
        for (unsigned position = 0; position < bits && same; position += isa_.unit_bits)
            same = read.image.get(position, isa_.unit_bits) == image.get(position, isa_.unit_bits);
        if (same) return true;
        // An alias that is shorter takes its place on purpose: who reads back what is printed sees that.
        if (isa_.forms[read.form].alias && read.bits < bits) return true;
        Diagnostic& error = diagnostics_.error(
            form.where, fmt::format("`{}` stands for {} here but is read as {}", printed, word_text(isa_, image, bits),
                                    word_text(isa_, read.image, read.bits)));
        if (read.form != index) error.note(isa_.forms[read.form].where, "by this row");
        return false;
    }

    bool report_decode(const Form& form, const Image& image, Index decoded) {
        const std::string word = word_text(isa_, image, form.bits);
        if (decoded == no_index) {
            diagnostics_.error(form.where, fmt::format("{} is an instruction of this row but does not decode", word));
        } else {
            diagnostics_.error(form.where, fmt::format("{} is an instruction of this row but decodes as another", word))
                .note(isa_.forms[decoded].where, "as this one");
        }
        return false;
    }

    const Codec& codec_;
    const Isa& isa_;
    Diagnostics& diagnostics_;
    NumberReader numbers_{isa_.surface};
    std::mt19937_64 random_{1};
    sample::Random drawing_{1};
    sample::Draw draw_{isa_, drawing_};
};

}  // namespace

void find_ambiguous_texts(const Codec& codec, Diagnostics& diagnostics) {
    TextCheck check(codec, diagnostics);
    for (Index i = 0; i < codec.isa().forms.size(); ++i) check.look(i);
}

}  // namespace isaforge::check
