// Pictures of formats: what each kind of bar looks like.
#include "render/bitfield.hpp"

#include <gtest/gtest.h>

namespace isaforge {
namespace {

using render::Charset;

Field field(std::string name, BitPieces pieces) {
    Field out;
    out.name = std::move(name);
    for (const BitPiece& piece : pieces) out.place.width += piece.width;
    out.place.pieces = std::move(pieces);
    return out;
}

// A field that the form gives: its value is in the form's bits.
Field fixed_field(std::string name, BitPiece piece) {
    Field out = field(std::move(name), {piece});
    out.fixed = true;
    return out;
}

Isa isa_of(unsigned unit_bits, Form form, std::string name) {
    Isa isa;
    isa.unit_bits = unit_bits;
    Instruction instruction;
    instruction.names = {std::move(name)};
    instruction.forms = {0};
    form.instruction = 0;
    form.written = form.value;
    for (const Field& field : form.fields)
        for (const BitPiece& piece : field.place.pieces)
            if (field.fixed) form.mask.set(piece.position, piece.width, ~std::uint64_t{0});
    isa.instructions.push_back(std::move(instruction));
    isa.forms.push_back(std::move(form));
    return isa;
}

std::string ascii(const Isa& isa, const std::string& caption = {}) {
    return "\n" + render::bitfield_picture(isa, isa.forms[0], Charset::ascii, caption);
}

TEST(bitfield_picture, fixed_fields_are_digits_and_free_ones_names) {
    Form form;
    form.bits = 32;
    form.fields = {fixed_field("OP", {27, 5, 0}),  field("COND", {{22, 5, 0}}), field("A", {{16, 6, 0}}),
                   fixed_field("SEL", {10, 6, 0}), field("B", {{5, 5, 0}}),     field("C", {{0, 5, 0}})};
    form.value.set(27, 5, 4);
    const Isa isa = isa_of(32, form, "fadd");
    EXPECT_EQ("\n" + render::bitfield_picture(isa, isa.forms[0], Charset::unicode, "fadd"), R"(
 31   27 26  22 21  16 15    10 9   5 4   0
┌───────┬──────┬──────┬────────┬─────┬─────┐
│ 00100 │ COND │  A   │ 000000 │  B  │  C  │  fadd
└───────┴──────┴──────┴────────┴─────┴─────┘
)");
}

TEST(bitfield_picture, a_split_field_says_which_of_its_bits_stand_where) {
    Form form;
    form.bits = 32;
    form.mask.set(22, 10, 0x3ff);
    form.mask.set(10, 4, 0xf);
    form.value.set(22, 10, 0x2a0);
    form.fields = {field("T", {{14, 8, 10}, {0, 10, 0}})};
    EXPECT_EQ(ascii(isa_of(32, form, "jump")), R"(
 31        22 21      14 13  10 9        0
+------------+----------+------+----------+
| 1010100000 | T[17:10] | 0000 |  T[9:0]  |
+------------+----------+------+----------+
)");
}

TEST(bitfield_picture, a_unit_of_32_bits_has_a_row_of_its_own) {
    Form form;
    form.bits = 64;
    form.fields = {field("SRC", {{32, 32, 0}}), field("DST", {{0, 31, 0}}), field("M", {{31, 1, 0}})};
    EXPECT_EQ(ascii(isa_of(32, form, "load"), "load"), R"(
 31  30                            0
+---+-------------------------------+
| M |              DST              |  load
+---+-------------------------------+
 63                            32
+--------------------------------+
|              SRC               |
+--------------------------------+
)");
}

TEST(bitfield_picture, small_units_share_a_row_and_are_numbered_along_the_bar) {
    Form form;  // two units of 16 bits; the first, in which the bar begins, has positions 15..0
    form.bits = 32;
    form.fields = {field("OP", {{4, 12, 0}}), field("IMM", {{0, 4, 8}, {24, 8, 0}}), field("R", {{16, 8, 0}})};
    EXPECT_EQ(ascii(isa_of(16, form, "li")), R"(
 31        20 19         8 7      0
+------------+------------+--------+
|     OP     |    IMM     |   R    |
+------------+------------+--------+
)");
}

TEST(bitfield_picture, what_follows_the_instruction_is_named_below) {
    Form form;
    form.bits = 8;
    Field tail = field("K", {{0, 32, 0}});
    tail.in_tail = true;
    form.fields = {field("OP", {{0, 8, 0}}), tail};
    EXPECT_EQ(ascii(isa_of(8, form, "lit")), R"(
 7      0
+--------+
|   OP   |
+--------+
followed by K: 32 bits
)");
}

TEST(syntax_text, fields_stand_in_braces) {
    Form form;
    form.fields = {field("COND", {{22, 5, 0}}), field("A", {{16, 6, 0}}), field("GLC", {{1, 1, 0}}),
                   field("SLC", {{2, 1, 0}})};
    const auto element = [](TextKind kind, std::string text, Index index) {
        TextElement out;
        out.kind = kind;
        out.text = std::move(text);
        out.field = index;
        return out;
    };
    TextTemplate text = {element(TextKind::field, "", 0),           element(TextKind::name, "", no_index),
                         element(TextKind::space, "", no_index),    element(TextKind::field, "", 1),
                         element(TextKind::literal, ",", no_index), element(TextKind::space, "", no_index),
                         element(TextKind::any, " ", no_index)};
    text.back().fields = {2, 3};
    const Isa isa = isa_of(32, form, "load");
    EXPECT_EQ(render::syntax_text(isa, isa.forms[0], text), "{COND}load {A}, {GLC} {SLC}");
}

}  // namespace
}  // namespace isaforge
