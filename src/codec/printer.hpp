// Prints instructions. A form is made into steps when it is first printed, and each code of an operand into its text, so that
// an instruction is a handful of copies. Both are shared by all threads.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "codec/quick_place.hpp"
#include "codec/tables.hpp"

namespace isaforge::codec {

class Printer {
public:
    Printer(const Isa& isa, const Codec::Tables& tables);
    ~Printer();
    Printer(const Printer&) = delete;
    Printer& operator=(const Printer&) = delete;

    // See Codec::print.
    [[gnu::always_inline]] char* print(char* out, Index form, const Image& image, std::uint64_t address,
                                       Codec::LabelNamer* labels) const {
        const Step* steps = forms_[form].load(std::memory_order_acquire);
        if (!steps) [[unlikely]]
            steps = compile(form);
        return steps->kind == Step::Kind::many ? run_many(steps + 1, out, form, image, address, labels)
                                               : run<true>(steps, out, form, image, address, labels);
    }

private:
    // The text of an operand, and what follows it in the form. Operands of many types print the same, so that there are few of them,
    // of which those that are printed often stay near.
    struct Text {
        static constexpr std::size_t longest = 15;
        static constexpr std::uint8_t elsewhere = longest + 1, unknown = longest + 2, by_image = longest + 3;

        char text[longest];  // elsewhere: where it is, and how long
        std::uint8_t state;  // its length, or one of these
    };
    static_assert(sizeof(Text) == 16);
    using TextNumber = std::uint16_t;  // in texts_
    static constexpr TextNumber unknown = 0, by_image = 1;
    static constexpr std::size_t most_texts = std::size_t{1} << 16;

    // The texts of an operand, in front of which it lies, by code.
    struct Table {
        Index type = no_index;
        std::string_view suffix;

        std::atomic<TextNumber>& operator[](std::size_t code) {
            return reinterpret_cast<std::atomic<TextNumber>*>(this + 1)[code];
        }
    };

    // A row of a wide operand whose text is fixed but for a number in it.
    struct WideRow {
        std::uint64_t mask = 0, value = 0;            // of the code
        std::uint64_t number_mask = 0;
        std::uint64_t low = 0, high = 0;              // the number's
        std::uint8_t number_shift = 0;
        std::uint8_t value_shift = 0;                 // of a part of a larger number: where that begins
        std::uint8_t radix = 0;                       // 0: there is no number
        std::uint8_t sign_bit = 0;                    // of a signed number: its highest; 0: it is none
        std::string before, behind;
    };

    // Small, and those of a form lie together: most of the time goes into fetching them.
    struct Step {
        enum class Kind : std::uint8_t { end, text, table, wide, skip, operand, element, trim, many };
        struct Operand {
            union {
                Table* table;
                const std::vector<WideRow>* rows;    // wide
            };
            QuickPlace place;
        };
        struct Skip {
            std::uint64_t mask, value;
        };
        union {
            char text[24];
            Operand of;        // table, wide
            Skip skip;         // so many steps, where none of their operands is written
            const TextElement* element;
        };
        Kind kind;
        std::uint8_t size;     // text: of it; skip: steps
        std::uint16_t field;   // table, wide, operand: in the form

        explicit Step(Kind k, std::uint16_t f = 0) : text{}, kind(k), size(0), field(f) {}
    };
    static_assert(sizeof(Step) == 32);
    using Steps = std::vector<Step>;

    const Step* compile(Index form) const;
    void compile(const Form& form, Steps& steps) const;
    static void add_element(const TextElement& element, Steps& steps);
    bool add_any(const Form& form, const TextElement& element, Steps& steps) const;
    bool may_end_blank(const Form& form) const;
    bool may_print_nothing(const TextElement& element, const std::vector<Field>& fields) const;
    bool may_print_nothing(const OperandType& type) const;
    bool prints_nothing(Index type, std::uint64_t code) const;
    void add_text(Steps& steps, std::string_view text) const;
    void add_field(const Form& form, Index index, std::string_view suffix, Steps& steps) const;
    bool is_tabulated(const Field& field) const;
    Table& table_of(Index type, std::string_view suffix) const;
    struct Wide {
        std::vector<WideRow> rows;  // the first ones …
        bool is_all = true;         // … or all
    };
    Wide& wide_rows(Index type) const;
    bool make_wide_row(const OperandRow& row, WideRow& out) const;
    bool set_number(const OperandType& type, const Field* field, WideRow& out) const;

    static constexpr std::ptrdiff_t step_room = 64;  // that a step needs but for long texts …
    static constexpr std::size_t few_steps = 8;      // … and so many of which there is room for in any case
    static_assert(few_steps * step_room <= Codec::max_text / 2);

    // `few`: what the steps print is short, but for unusual texts, and there is room for it.
    template <bool few>
    [[gnu::always_inline]] char* run(const Step* step, char* out, Index form, const Image& image, std::uint64_t address,
                                     Codec::LabelNamer* labels) const;
    char* run_many(const Step* step, char* out, Index form, const Image& image, std::uint64_t address,
                   Codec::LabelNamer* labels) const;
    // A step that is no mere copy of a few characters.
    char* put(char* out, const Step& step, Index form, const Image& image, std::uint64_t address,
              Codec::LabelNamer* labels, char* limit) const;
    char* put_unusual(char* out, Table& table, std::uint64_t code, const PrintContext& context) const;
    TextNumber number_of(std::string_view text) const;
    bool is_closed(Index type, std::uint64_t code) const;
    char* put_wide(char* out, const std::vector<WideRow>& rows, std::uint64_t code) const;

    const Isa& isa_;
    const Codec::Tables& codec_tables_;
    mutable std::vector<std::atomic<const Step*>> forms_;
    mutable std::mutex mutex_;
    mutable std::deque<Steps> steps_;
    mutable std::vector<std::vector<Table*>> tables_;  // by operand: each with something else behind it
    mutable std::deque<std::string> suffixes_;
    mutable std::vector<std::unique_ptr<std::byte[]>> memory_;  // of these
    std::unique_ptr<Text[]> texts_;
    mutable std::unordered_map<std::string, TextNumber> text_numbers_;
    mutable std::map<Index, Wide> wide_;
};

template <bool few>
inline char* Printer::run(const Step* step, char* out, Index form, const Image& image, std::uint64_t address,
                          Codec::LabelNamer* labels) const {
    char *const begin = out, *const limit = out + Codec::max_text;
    const std::uint64_t word = image.words[0];
    for (;; ++step) {
        if (!few && limit - out < step_room) return out;
        if (step->kind == Step::Kind::table) {
            const Text& text = texts_[(*step->of.table)[step->of.place.code(word)].load(std::memory_order_acquire)];
            if (text.state <= Text::longest) [[likely]] {
                std::memcpy(out, text.text, sizeof text.text);
                out += text.state;
                continue;
            }
        } else if (step->kind == Step::Kind::text) {
            std::memcpy(out, step->text, sizeof step->text);
            out += step->size;
            continue;
        } else if (step->kind == Step::Kind::skip) {
            if ((word & step->skip.mask) == step->skip.value) step += step->size;
            continue;
        } else if (step->kind == Step::Kind::trim) {
            while (out != begin && out[-1] == ' ') --out;
            continue;
        } else if (step->kind == Step::Kind::end) {
            return out;
        }
        out = put(out, *step, form, image, address, labels, limit);
        if (few && limit - out < static_cast<std::ptrdiff_t>(few_steps) * step_room) return out;
    }
}

}  // namespace isaforge::codec
