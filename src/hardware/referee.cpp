#include "hardware/referee.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>
#include <set>

#include "codec/tables.hpp"
#include "isaforge/sample.hpp"
#include "support/splitmix.hpp"

namespace isaforge::hardware {

namespace {

constexpr unsigned widest_listed = 20;  // operands up to this width are tried code by code
constexpr unsigned most_ranges = 16;    // of codes without a gap, that are written down

bool is_negative(const OperandType& type, unsigned width, std::uint64_t code) {
    if (type.kind != OperandKind::number || type.number.sliced || type.number.base != NumberBase::signed_integer)
        return false;
    const std::int64_t value = codec::decode_number(type.number, width, code, 0) - type.number.bias;
    return (value < 0) != (type.number.scale < 0);
}

// What is the same for all words of a form.
struct FormFacts {
    unsigned number = 0, format = 0;
    std::string effects;         // a digit for each
    std::vector<Index> fields;   // of the form, by member; no_index
};

class Facts {
public:
    explicit Facts(const Decoder& decoder) : forms_(decoder.isa->forms.size()) {
        unsigned number = 0;
        for (std::size_t format = 0; format < decoder.sections.size(); ++format) {
            for (const Row& row : decoder.sections[format].rows) {
                FormFacts& facts = forms_[row.form];
                facts.number = ++number;
                facts.format = static_cast<unsigned>(format);
                facts.effects.assign(decoder.effects.size(), '0');
                for (const std::size_t effect : row.effects) facts.effects[effect] = '1';
                const Form& form = decoder.isa->forms[row.form];
                for (const Member& member : decoder.members) {
                    const Field* const field = field_of(form, member.field);
                    const bool has = field && (member.kind != Member::Kind::operand || !field->fixed);
                    facts.fields.push_back(has ? static_cast<Index>(field - form.fields.data()) : no_index);
                }
            }
        }
    }
    const FormFacts& operator[](Index form) const { return forms_[form]; }

private:
    std::vector<FormFacts> forms_;
};

// What follows an instruction because of this code of an operand; null where nothing does.
const Field* tail_of(const Codec& codec, Index type, std::uint64_t code) {
    const Index row = codec.row_of(type, code);
    if (row == no_index) return nullptr;
    for (const Field& field : codec.isa().operand_types[type].rows[row].fields) {
        if (field.in_tail) return &field;
        if (const Field* const inner = tail_of(codec, field.type, field.place.extract(code))) return inner;
    }
    return nullptr;
}

std::string bits_text(std::uint64_t value, unsigned width) { return fmt::format("{:0{}b}", value, width); }

// --- A module -----------------------------------------------------------------------------------------------------------

class Reference {
public:
    Reference(const Decoder& decoder, const Codec& codec)
        : d_(decoder),
          codec_(codec),
          isa_(codec.isa()),
          tables_(codec.tables()),
          tree_(tables_.need_tree()),
          facts_(decoder) {}

    std::string print() {
        const unsigned bits = d_.bundle_bits();
        add("// What {}_decoder is to be, as the codec has it: its tree of decisions and its tables of codes.\n",
            d_.name);
        add("module {}_reference (\n    input [{}:0] word,\n    output reg [{}:0] expected, care\n);\n", d_.name,
            d_.word_bits - 1, bits - 1);
        const std::string root = node(tree_.nodes[0]);
        for (Index i = 0; i < isa_.forms.size(); ++i) {
            if (facts_[i].number != 0) form(i);
        }
        add("    always @* begin\n        expected = 0; care = 0; expected[{0}] = 1; care[{0}] = 1;\n        case "
            "({2})\n{1}            default: ;\n        endcase\n    end\nendmodule\n\n",
            bits - 1, cases_, root);
        add("module {0}_proof (\n    input [{1}:0] word,\n    output differs\n);\n    wire [{2}:0] decoded, expected, "
            "care;\n"
            "    {0}_decoder decoder (.word(word), .decoded(decoded));\n"
            "    {0}_reference reference (.word(word), .expected(expected), .care(care));\n"
            "    assign differs = ((decoded ^ expected) & care) != 0;\nendmodule\n",
            d_.name, d_.word_bits - 1, bits - 1);
        return tables_text_.empty() ? out_ : out_.insert(out_.find(");\n") + 3, tables_text_);
    }

private:
    template <typename... Values>
    void add(fmt::format_string<Values...> text, Values&&... values) {
        fmt::format_to(std::back_inserter(out_), text, std::forward<Values>(values)...);
    }

    using Bits = std::vector<std::string>;  // of a code, the most significant first

    // Writes the node and what is below it, once; its name. Nodes that are alike are one.
    std::string node(const DecodeTree::Node& node_of) {
        std::string name = fmt::format("{}{}", node_of.is_leaf() ? 'l' : 'n', node_of.first);
        if (!done_.insert(name).second) return name;
        const unsigned width = d_.form_bits();
        if (node_of.is_leaf()) {
            std::string choice;
            for (const Index form : tree_.forms_of(node_of.first)) {
                if (conditions_.insert(form).second) add("    wire c{} = {};\n", form, condition(form));
                choice += fmt::format("c{} ? {} : ", form, facts_[form].number);
            }
            add("    wire [{}:0] {} = {}0;\n", width - 1, name, choice);
            return name;
        }
        std::vector<std::string> children;
        for (std::uint32_t i = 0; i < node_of.children(); ++i) children.push_back(node(tree_.nodes[node_of.first + i]));
        const unsigned position = node_of.word * 64u + node_of.shift;
        add("    reg [{}:0] {};\n    always @* case (word[{}:{}])\n", width - 1, name,
            position + static_cast<unsigned>(std::bit_width(node_of.mask)) - 1, position);
        for (std::size_t i = 0; i < children.size(); ++i) add("        {}: {} = {};\n", i, name, children[i]);
        add("    endcase\n");
        return name;
    }

    std::string condition(Index index) {
        const Form& form = isa_.forms[index];
        std::string mask, value;
        for (unsigned at = d_.word_bits; at-- > 0;) {
            mask += form.mask.get(at, 1) != 0 ? '1' : '0';
            value += form.value.get(at, 1) != 0 ? '1' : '0';
        }
        std::string out = fmt::format("(word & {0}'b{1}) == {0}'b{2}", d_.word_bits, mask, value);
        for (const codec::Check& check : tables_.forms[index].checks) {
            const Field& field = form.fields[check.field];
            out += " && " + check_text(field.type, bits_of(index, check.field));
        }
        if (tables_.forms[index].longest_tail != 0) out += " && " + tails(index);
        for (const codec::FormLimit& limit : tables_.forms[index].limits) out += " && !" + exceeds(index, limit);
        return out;
    }

    // Where the codec takes each bit of a field from; fields that are fixed take none.
    Bits bits_of(Index form, Index field) {
        std::vector<std::uint64_t> codes;
        return bits_by(form, isa_.forms[form].fields[field].place.width, [&](const Image& image) {
            codec_.fields(form, image, codes);
            return codes[field];
        });
    }

    // The same for anything that is made of bits of an instruction.
    template <typename Read>
    Bits bits_by(Index form, unsigned width, Read&& read) {
        Bits out(width, "1'b0");
        for (unsigned position = 0; position < isa_.forms[form].bits; ++position) {
            Image image;
            image.set(position, 1, 1);
            const std::uint64_t code = read(image), none = read(Image{});
            for (unsigned bit = 0; bit < width; ++bit) {
                if ((none >> bit & 1) != 0) {
                    out[width - 1 - bit] = "1'b1";
                } else if ((code >> bit & 1) != 0) {
                    out[width - 1 - bit] = fmt::format("word[{}]", position);
                }
            }
        }
        return out;
    }

    static std::string bits_join(const Bits& bits) { return fmt::format("{{{}}}", fmt::join(bits, ", ")); }

    // A field of an operand with these bits.
    static Bits bits_in(const BitPlace& place, const Bits& bits) {
        Bits out(place.width);
        for (std::size_t bit = 0; bit < bits.size(); ++bit) {
            const std::uint64_t code = place.extract(std::uint64_t{1} << bit);
            for (unsigned i = 0; i < out.size(); ++i) {
                if ((code >> i & 1) != 0) out[out.size() - 1 - i] = bits[bits.size() - 1 - bit];
            }
        }
        return out;
    }

    // --- What follows -------------------------------------------------------------------------------------------------------

    // One bit of a table, by the code; equal tables are one.
    std::string table_bit(const std::vector<bool>& table, const Bits& bits) {
        std::string digits;
        for (std::size_t code = table.size(); code-- > 0;) digits += table[code] ? '1' : '0';
        const auto [at, fresh] = known_digits_.try_emplace(digits, known_digits_.size());
        if (fresh)
            tables_text_ += fmt::format("    localparam [{}:0] d{} = {}'b{};\n", table.size() - 1, at->second,
                                        table.size(), digits);
        return fmt::format("d{}[{}]", at->second, bits_join(bits));
    }

    // Numbers of `width` bits by the code, as a wire.
    std::string table_wire(const std::vector<std::uint64_t>& numbers, unsigned width, const Bits& bits) {
        Bits out;
        for (unsigned bit = width; bit-- > 0;) {
            std::vector<bool> table(numbers.size());
            for (std::size_t i = 0; i < numbers.size(); ++i) table[i] = (numbers[i] >> bit & 1) != 0;
            const bool never = std::ranges::count(table, true) == 0;
            out.push_back(never ? "1'b0" : table_bit(table, bits));
        }
        return wire(width, bits_join(out));
    }

    // A wire with this value, the same for equal ones.
    std::string wire(unsigned width, const std::string& value) {
        const auto [at, fresh] = known_wires_.try_emplace({width, value}, known_wires_.size());
        if (fresh) add("    wire [{}:0] w{} = {};\n", width - 1, at->second, value);
        return fmt::format("w{}", at->second);
    }

    // How many bits follow because of the operand, bit 7 being set where others may have the same, and bit 8 where it cannot be.
    static constexpr unsigned tail_width = 9, shared_tail = 1 << 7, broken_tail = 1 << 8;

    std::uint64_t tail_number(Index type, std::uint64_t code) const {
        std::vector<const Field*> all;
        const auto collect = [&](const auto& self, Index index, std::uint64_t of) -> void {
            const Index row = codec_.row_of(index, of);
            if (row == no_index) return;
            for (const Field& field : isa_.operand_types[index].rows[row].fields) {
                if (field.in_tail) {
                    all.push_back(&field);
                } else {
                    self(self, field.type, field.place.extract(of));
                }
            }
        };
        collect(collect, type, code);
        if (all.empty()) return 0;
        const bool one = all.size() == 1 || std::ranges::all_of(all, [&](const Field* field) {
                             return field->shared && field->place.width == all[0]->place.width;
                         });
        return all[0]->place.width | (all[0]->shared ? shared_tail : 0) | (one ? 0 : broken_tail);
    }

    std::string tail_text(Index type, const Bits& bits) {
        if (tables_.operands[type].longest_tail == 0) return fmt::format("{}'d0", tail_width);
        if (bits.size() <= codec::widest_table) {
            std::vector<std::uint64_t> numbers;
            for (std::uint64_t code = 0; code < std::uint64_t{1} << bits.size(); ++code)
                numbers.push_back(tail_number(type, code));
            return table_wire(numbers, tail_width, bits);
        }
        std::string out;
        each_row(type, bits, [&](const OperandRow& row, const std::string& is) {
            std::string value = fmt::format("{}'d0", tail_width);
            for (const Field& field : row.fields) {
                if (field.in_tail) {
                    value = fmt::format("{}'d{}", tail_width, field.place.width | (field.shared ? shared_tail : 0));
                } else if (tables_.operands[field.type].longest_tail != 0) {
                    value = tail_text(field.type, bits_in(field.place, bits));
                }
            }
            out += fmt::format("{} ? {} : ", is, value);
        });
        return fmt::format("({}{}'d0)", out, tail_width);
    }

    template <typename Visit>
    void each_row(Index type, const Bits& bits, Visit&& visit) {
        for (const OperandRow& row : isa_.operand_types[type].rows) {
            if (!row.alias) visit(row, row_text(row, bits));
        }
    }

    // What an operand's row makes of the bits behind the instruction: a value of `what` for each row that has some, else `none`.
    template <typename What>
    std::string by_tail(Index type, const Bits& bits, const std::string& none, What&& what) {
        std::string out;
        each_row(type, bits, [&](const OperandRow& row, const std::string& is) {
            std::string value = none;
            for (const Field& field : row.fields) {
                if (field.in_tail) {
                    value = what(field);
                } else if (tables_.operands[field.type].longest_tail != 0) {
                    value = by_tail(field.type, bits_in(field.place, bits), none, what);
                }
            }
            out += fmt::format("{} ? {} : ", is, value);
        });
        return fmt::format("({}{})", out, none);
    }

    void collect_tails(Index type, std::vector<const Field*>& out) const {
        for (const OperandRow& row : isa_.operand_types[type].rows) {
            if (row.alias || row.reserved) continue;
            for (const Field& field : row.fields) {
                if (field.in_tail) {
                    out.push_back(&field);
                } else {
                    collect_tails(field.type, out);
                }
            }
        }
    }

    // The names of wires that say what an operand's code calls for, and where that begins.
    struct TailWires {
        std::string number, bits, at;
        std::set<unsigned> begins;
    };

    // Writes these for all operands of a form, and gives the condition that all of that can be.
    std::string tails(Index index) {
        const Form& form = isa_.forms[index];
        std::string next = fmt::format("9'd{}", form.bits), shared_at = "9'd0", shared_bits = "7'd0", good = "1'b1";
        std::set<unsigned> begins = {form.bits};
        for (const Index field : tables_.forms[index].tail_order) {
            TailWires& own = tail_wires_[{index, field}];
            const Bits bits = bits_in_image(index, field);
            own.number = wire(tail_width, tail_text(form.fields[field].type, bits));
            own.bits = own.number + "[6:0]";
            const std::string joins = wire(1, fmt::format("{}[7] && {} != 0", own.number, shared_bits));
            own.at = wire(9, fmt::format("{} ? {} : {}", joins, shared_at, next));
            own.begins = begins;
            std::vector<const Field*> all;
            collect_tails(form.fields[field].type, all);
            for (const unsigned begin : own.begins) {
                for (const Field* const one : all) begins.insert(begin + one->place.width);
            }
            good += fmt::format(" && !{}[8] && !({} && {} != {})", own.number, joins, own.bits, shared_bits);
            const std::string before = next;
            next = wire(9, fmt::format("{0} ? {1} : {1} + {2}", joins, next, own.bits));
            const std::string first = wire(1, fmt::format("{}[7] && {} == 0", own.number, shared_bits));
            shared_at = wire(9, fmt::format("{} ? {} : {}", first, before, shared_at));
            shared_bits = wire(7, fmt::format("{} ? {} : {}", first, own.bits, shared_bits));
            good += value_check(form.fields[field].type, bits, own);
        }
        ends_[index] = next;
        return good;
    }

    Bits bits_in_image(Index form, Index field) {
        const BitPlace& place = isa_.forms[form].fields[field].place;
        return bits_by(form, place.width, [&](const Image& image) { return place.extract(image); });
    }

    // The bits of a value behind the instruction, wherever it may begin.
    Bits value_bits(const Field& field, const TailWires& wires) {
        std::string value;
        for (const unsigned at : wires.begins) {
            if (at + field.place.width > d_.word_bits) continue;
            const std::string here = fmt::format("word[{} +: {}]", at, field.place.width);
            value = value.empty() ? here : fmt::format("{} == {} ? {} : {}", wires.at, at, here, value);
        }
        value = wire(field.place.width, value.empty() ? "0" : value);
        Bits out(field.place.width);
        for (unsigned position = 0; position < field.place.width; ++position) {
            Image image;
            image.set(position, 1, 1);
            const std::uint64_t code = field.place.extract(image);
            for (unsigned i = 0; i < out.size(); ++i) {
                if ((code >> i & 1) != 0) out[out.size() - 1 - i] = fmt::format("{}[{}]", value, position);
            }
        }
        return out;
    }

    std::string value_check(Index type, const Bits& bits, const TailWires& wires) {
        std::vector<const Field*> all;
        collect_tails(type, all);
        if (std::ranges::all_of(all, [&](const Field* field) { return tables_.operands[field->type].all_valid; }))
            return "";
        return " && " + by_tail(type, bits, "1'b1", [&](const Field& field) {
                   return tables_.operands[field.type].all_valid ? "1'b1"
                                                                 : check_text(field.type, value_bits(field, wires));
               });
    }

    // The value, as wide as the bundle has it.
    std::string tail_value(Index form, Index field, unsigned width) {
        const Index type = isa_.forms[form].fields[field].type;
        const TailWires& wires = tail_wires_[{form, field}];
        const auto value = [&](const Field& own) {
            const Bits bits = value_bits(own, wires);
            const auto wide = static_cast<unsigned>(bits.size());
            if (wide == width) return bits_join(bits);
            const bool sign = is_negative(isa_.operand_types[own.type], wide, std::uint64_t{1} << (wide - 1));
            return fmt::format("{{{{{}{{{}}}}}, {}}}", width - wide, sign ? bits[0] : "1'b0", bits_join(bits));
        };
        std::vector<const Field*> all;
        collect_tails(type, all);
        const bool alike = std::ranges::all_of(all, [&](const Field* one) { return value(*one) == value(*all[0]); });
        return alike ? value(*all[0]) : by_tail(type, bits_in_image(form, field), fmt::format("{}'d0", width), value);
    }

    // --- Limits -------------------------------------------------------------------------------------------------------------

    // Whether the operands take too much, counted as the codec counts: by its tables of what they take.
    std::string exceeds(Index form, const codec::FormLimit& limit) {
        if (const auto known = exceeded_.find(&limit); known != exceeded_.end()) return known->second;
        std::vector<std::string> things;
        std::vector<bool> is_constant;
        for (const std::uint32_t identity : limit.own)
            things.push_back(fmt::format("{}'d{}", thing_width, number_of(identity)));
        for (const codec::LimitedField& field : limit.fields) {
            const unsigned width = isa_.forms[form].fields[field.index].place.width;
            const Bits bits = bits_by(form, width, [&](const Image& image) { return field.code(image); });
            for (std::size_t slot = 0;; ++slot) {
                std::vector<std::uint64_t> numbers;
                for (std::uint64_t code = 0; code < std::uint64_t{1} << width; ++code)
                    numbers.push_back(thing_number(field, code, limit.limit, slot));
                if (std::ranges::count(numbers, std::uint64_t{0}) == static_cast<std::ptrdiff_t>(numbers.size())) break;
                things.push_back(table_wire(numbers, thing_width, bits));
            }
        }
        std::string sum = "32'd0";
        for (std::size_t i = 0; i < things.size(); ++i) {
            std::string counted = things[i] + " != 0";
            std::string other = "1'b1";
            for (std::size_t j = 0; j < i; ++j) other += fmt::format(" && {} != {}", things[i], things[j]);
            sum += fmt::format(" + ({} && ({} == {} || ({})))", counted, things[i], codec::own_tail_identity, other);
        }
        return exceeded_[&limit] = wire(1, fmt::format("({}) > 32'd{}", sum, limit.most));
    }

    static constexpr unsigned thing_width = 16;

    std::uint64_t thing_number(const codec::LimitedField& field, std::uint64_t code, Index limit, std::size_t slot) {
        const codec::Taken* taken = field.taken[code];
        if (!taken) return 0;
        for (; taken->identity != 0; ++taken) {
            if ((taken->limits >> limit & 1) != 0 && slot-- == 0) return number_of(taken->identity);
        }
        return 0;
    }

    // Small numbers for the codec's identities; those of values that follow stay.
    std::uint64_t number_of(std::uint32_t identity) {
        if (identity <= codec::own_tail_identity) return identity;
        return identities_.try_emplace(identity, identities_.size() + codec::own_tail_identity + 1).first->second;
    }

    std::string check_text(Index type, const Bits& bits) {
        const codec::OperandTable& table = tables_.operands[type];
        const std::size_t count = std::size_t{1} << bits.size();
        if (!table.valid.empty()) {
            if (known_tables_.try_emplace(type, true).second) {
                std::string digits;
                for (std::size_t code = count; code-- > 0;) digits += table.valid[code] ? '1' : '0';
                tables_text_ +=
                    fmt::format("    localparam [{0}:0] t{1} = {2}'b{3};\n", count - 1, type, count, digits);
            }
            return fmt::format("t{}[{}]", type, bits_join(bits));
        }
        if (bits.size() > widest_listed) return rule_text(isa_.operand_types[type], bits);
        // Too wide for a table: from where to where codes are, unless there are many gaps.
        std::string out;
        unsigned ranges = 0;
        for (std::size_t code = 0; code < count; ++code) {
            if (!codec::code_is_valid(isa_, type, code)) continue;
            if (++ranges > most_ranges) return rule_text(isa_.operand_types[type], bits);
            const std::size_t first = code;
            while (code + 1 < count && codec::code_is_valid(isa_, type, code + 1)) ++code;
            out += fmt::format("{}({} >= {} && {} <= {})", out.empty() ? "" : " || ", bits_join(bits), first,
                               bits_join(bits), code);
        }
        return fmt::format("({})", out.empty() ? "1'b0" : out);
    }

    // Of an operand with too many codes to list: what the codec asks, written down.
    std::string rule_text(const OperandType& type, const Bits& bits) {
        if (type.kind == OperandKind::number) return number_text(type.number, bits);
        std::string out;
        for (const Entry& entry : type.entries) {
            out += fmt::format("{}{} == {}'d{}", out.empty() ? "" : " || ", bits_join(bits), bits.size(), entry.code);
        }
        if (type.kind != OperandKind::table) return fmt::format("({})", out.empty() ? "1'b0" : out);
        for (const OperandRow& row : type.rows) {
            if (!row.alias) out += fmt::format("{} ? {} : ", row_text(row, bits), row.reserved ? "1'b0" : "1'b1");
        }
        return fmt::format("({}1'b0)", out);
    }

    std::string row_text(const OperandRow& row, const Bits& bits) {
        std::string out =
            fmt::format("({0} & {1}'d{2}) == {1}'d{3}", bits_join(bits), bits.size(), row.mask, row.value);
        for (const Constraint& range : row.constraints) {
            const Bits own = bits_in(row.fields[range.field].place, bits);
            out += fmt::format(" && {0} >= 64'd{1} && {0} <= 64'd{2} && ({0} - 64'd{1}) % 64'd{3} == 0", bits_join(own),
                               range.low, range.high, range.step);
        }
        for (const Field& field : row.fields) {
            if (!field.in_tail && !tables_.operands[field.type].all_valid)
                out += " && " + check_text(field.type, bits_in(field.place, bits));
        }
        return fmt::format("({})", out);
    }

    static std::string number_text(const NumberRule& rule, const Bits& bits) {
        const auto literal = [](std::int64_t value) {
            return value < 0 ? fmt::format("-128'sd{}", std::uint64_t{0} - static_cast<std::uint64_t>(value))
                             : fmt::format("128'sd{}", value);
        };
        const bool sign = rule.base == NumberBase::signed_integer;
        const std::string value =
            fmt::format("($signed({{{{{}{{{}}}}}, {}}}) * {} + {})", 128 - bits.size(), sign ? bits[0] : "1'b0",
                        bits_join(bits), literal(rule.scale), literal(rule.bias));
        std::string out = "1'b1";
        if (rule.minimum) out += fmt::format(" && {} >= {}", value, literal(*rule.minimum));
        if (rule.maximum) out += fmt::format(" && {} <= {}", value, literal(*rule.maximum));
        return fmt::format("({})", out);
    }

    void form(Index index) {
        const FormFacts& facts = facts_[index];
        const Form& form = isa_.forms[index];
        const unsigned head = 1 + d_.length_bits() + d_.format_bits() + d_.form_bits();
        std::string care = fmt::format("{}'b{}", head + d_.effects.size(), std::string(head + d_.effects.size(), '1'));
        std::string value;
        for (std::size_t m = 0; m < d_.members.size(); ++m) {
            const Member& member = d_.members[m];
            if (member.kind == Member::Kind::operand) {
                const bool has = facts.fields[m] != no_index;
                care += fmt::format(", {}'b{}", member.width, std::string(member.width, has ? '1' : '0'));
                value +=
                    ", " + (has ? operand(index, facts.fields[m], member.width) : fmt::format("{}'d0", member.width));
                continue;
            }
            const auto wires = tail_wires_.find({index, facts.fields[m]});
            const std::string has = wires == tail_wires_.end() ? "1'b0" : fmt::format("({} != 0)", wires->second.bits);
            if (member.kind == Member::Kind::has_tail) {
                care += ", 1'b1";
                value += ", " + has;
            } else {
                care += fmt::format(", {{{}{{{}}}}}", member.width, has);
                value += ", " + (wires == tail_wires_.end() ? fmt::format("{}'d0", member.width)
                                                            : tail_value(index, facts.fields[m], member.width));
            }
        }
        const auto end = ends_.find(index);
        const std::string length = end == ends_.end()
                                       ? fmt::format("{}'d{}", d_.length_bits(), form.bits / isa_.unit_bits)
                                       : wire(d_.length_bits(), fmt::format("{} / {}", end->second, isa_.unit_bits));
        const std::string head_text = fmt::format("1'b0, {}, {}'d{}, {}'d{}", length, d_.format_bits(), facts.format,
                                                  d_.form_bits(), facts.number);
        const std::string effects =
            facts.effects.empty() ? "" : fmt::format(", {}'b{}", facts.effects.size(), facts.effects);
        cases_ += fmt::format("            {}: begin expected = {{{}{}{}}}; care = {{{}}}; end\n", facts.number,
                              head_text, effects, value, care);
    }

    std::string operand(Index form, Index field, unsigned width) {
        const Bits bits = bits_of(form, field);
        const auto own = static_cast<unsigned>(bits.size());
        const OperandType& type = isa_.operand_types[isa_.forms[form].fields[field].type];
        const bool sign = own > 0 && is_negative(type, own, std::uint64_t{1} << (own - 1));
        std::string out;
        if (own < width) out = fmt::format("{{{}{{{}}}}}", width - own, sign ? bits[0] : "1'b0");
        if (own > 0) out += (out.empty() ? "" : ", ") + bits_join(bits);
        return out;
    }

    const Decoder& d_;
    const Codec& codec_;
    const Isa& isa_;
    const Codec::Tables& tables_;
    const DecodeTree& tree_;
    Facts facts_;
    std::set<std::string> done_;  // nodes
    std::map<Index, bool> known_tables_;
    std::set<Index> conditions_;                             // that are written
    std::map<std::string, std::size_t> known_digits_;
    std::map<std::pair<unsigned, std::string>, std::size_t> known_wires_;
    std::map<std::pair<Index, Index>, TailWires> tail_wires_;  // by form and field
    std::map<Index, std::string> ends_;                        // of forms, with what follows
    std::map<const codec::FormLimit*, std::string> exceeded_;
    std::map<std::uint32_t, std::uint64_t> identities_;
    std::string tables_text_, cases_, out_;
};

// --- Words --------------------------------------------------------------------------------------------------------------

class Words {
public:
    Words(const Decoder& decoder, const Codec& codec, std::uint64_t seed)
        : d_(decoder), codec_(codec), isa_(codec.isa()), facts_(decoder), random_(seed), sampler_(codec, seed) {
        for (Index i = 0; i < isa_.forms.size(); ++i) {
            if (facts_[i].number != 0) forms_.push_back(i);
        }
    }

    Image word(std::uint64_t number) {
        Image out;
        for (unsigned at = 0; at < d_.word_bits; at += isa_.unit_bits) out.set(at, isa_.unit_bits, random_.next());
        const bool first_round = number < forms_.size();
        const Index index = forms_[first_round ? number : random_.below(forms_.size())];
        const Form& form = isa_.forms[index];
        const std::uint64_t kind = first_round ? 0 : random_.below(4);
        if (kind == 0) {
            Sampled sampled;
            if (sampler_.statement(index, 0, sampled))
                for (unsigned at = 0; at < sampled.bits; at += isa_.unit_bits)
                    out.set(at, isa_.unit_bits, sampled.image.get(at, isa_.unit_bits));
        } else if (kind < 3) {
            for (std::size_t w = 0; w < out.words.size(); ++w)
                out.words[w] = (out.words[w] & ~form.mask.words[w]) | form.value.words[w];
            if (kind == 2) {
                const auto at = static_cast<unsigned>(random_.below(form.bits));
                out.set(at, 1, ~out.get(at, 1) & 1);
            }
        }
        return out;
    }

    // The word, the bundle and the care as digits.
    std::string line(const Image& word) {
        std::string bits;
        for (unsigned at = d_.word_bits; at-- > 0;) bits += word.get(at, 1) != 0 ? '1' : '0';
        std::string value, care;
        expect(word, value, care);
        bits += value + care;
        bits.insert(0, (4 - bits.size() % 4) % 4, '0');
        std::string out;
        for (std::size_t i = 0; i < bits.size(); i += 4) {
            const int digit =
                (bits[i] - '0') * 8 + (bits[i + 1] - '0') * 4 + (bits[i + 2] - '0') * 2 + (bits[i + 3] - '0');
            out += "0123456789abcdef"[digit];
        }
        return out + "\n";
    }

private:
    void expect(const Image& word, std::string& value, std::string& care) {
        unsigned length = 0;
        const Index index = codec_.decode(word, d_.word_bits, length);
        if (index == no_index) {
            value.assign(d_.bundle_bits(), '0');
            care = value;
            value[0] = care[0] = '1';
            return;
        }
        const FormFacts& facts = facts_[index];
        value = "0" + bits_text(length / isa_.unit_bits, d_.length_bits()) + bits_text(facts.format, d_.format_bits()) +
                bits_text(facts.number, d_.form_bits()) + facts.effects;
        care.assign(value.size(), '1');
        codec_.fields(index, word, codes_);
        for (std::size_t m = 0; m < d_.members.size(); ++m)
            expect_member(index, facts.fields[m], d_.members[m], word, value, care);
    }

    // `index`: of the field, or no_index.
    void expect_member(Index form, Index index, const Member& member, const Image& word, std::string& value,
                       std::string& care) {
        const Field* field = index == no_index ? nullptr : &isa_.forms[form].fields[index];
        std::uint64_t code = field ? codes_[index] : 0;
        if (member.kind != Member::Kind::operand) {
            field = field ? tail_of(codec_, field->type, field->place.extract(word)) : nullptr;
            if (field) code = field->place.extract(word, codec::tail_at(codec_, form, index, word));
        }
        const bool tells_it = member.kind == Member::Kind::has_tail;
        care.append(member.width, tells_it || field ? '1' : '0');
        if (tells_it) {
            value += field ? '1' : '0';
            return;
        }
        if (field && is_negative(isa_.operand_types[field->type], field->place.width, code))
            code |= ~low_bits(field->place.width);
        value += bits_text(code & low_bits(member.width), member.width);
    }

    const Decoder& d_;
    const Codec& codec_;
    const Isa& isa_;
    Facts facts_;
    SplitMix64 random_;
    Sampler sampler_;
    std::vector<Index> forms_;
    std::vector<std::uint64_t> codes_;
};

}  // namespace

std::string reference(const Decoder& decoder, const Codec& codec) { return Reference(decoder, codec).print(); }

void expect_words(const Decoder& decoder, const Codec& codec, std::uint64_t count, std::uint64_t seed,
                  const std::function<bool(std::string_view)>& take) {
    Words words(decoder, codec, seed);
    for (std::uint64_t number = 0; number < count; ++number) {
        if (!take(words.line(words.word(number)))) return;
    }
}

}  // namespace isaforge::hardware
