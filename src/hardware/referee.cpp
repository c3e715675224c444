#include "hardware/referee.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "codec/tables.hpp"
#include "isaforge/sample.hpp"
#include "support/splitmix.hpp"

namespace isaforge::hardware {

namespace {

constexpr unsigned widest_listed = 20;  // operands up to this width are tried code by code

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
                    const bool has = field && !field->fixed;
                    facts.fields.push_back(has ? static_cast<Index>(field - form.fields.data()) : no_index);
                }
            }
        }
    }
    const FormFacts& operator[](Index form) const { return forms_[form]; }

private:
    std::vector<FormFacts> forms_;
};

std::string bits_text(std::uint64_t value, unsigned width) { return fmt::format("{:0{}b}", value, width); }

// --- A module -----------------------------------------------------------------------------------------------------------

class Reference {
public:
    Reference(const Decoder& decoder, const Codec& codec)
        : d_(decoder), codec_(codec), isa_(codec.isa()), tables_(codec.tables_so_far()), facts_(decoder) {
        tables_.need_decoding();
    }

    std::string print() {
        const unsigned bits = d_.bundle_bits();
        add("// What {}_decoder is to be, as the codec has it: its tree of decisions and its tables of codes.\n",
            d_.name);
        add("module {}_reference (\n    input [{}:0] word,\n    output reg [{}:0] expected, care\n);\n", d_.name,
            d_.word_bits - 1, bits - 1);
        node(0);
        add("    always @* begin\n        expected = 0; care = 0; expected[{0}] = 1; care[{0}] = 1;\n        case "
            "(n0)\n",
            bits - 1);
        for (Index i = 0; i < isa_.forms.size(); ++i) {
            if (facts_[i].number != 0) form(i);
        }
        add("            default: ;\n        endcase\n    end\nendmodule\n\n");
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

    void node(std::uint32_t index) {
        if (!done_.try_emplace(index, true).second) return;
        const codec::DecodeNode& node_of = tables_.nodes[index];
        const unsigned width = d_.form_bits();
        if (node_of.width == 0) {
            std::string choice;
            for (std::uint32_t i = 0; i < node_of.count; ++i) {
                const Index form = tables_.leaves[node_of.first + i].form;
                choice += fmt::format("{} ? {} :\n        ", condition(form), facts_[form].number);
            }
            add("    wire [{}:0] n{} = {}0;\n", width - 1, index, choice);
            return;
        }
        const std::size_t count = std::size_t{1} << node_of.width;
        for (std::size_t i = 0; i < count; ++i) node(tables_.children[node_of.first + i]);
        add("    reg [{}:0] n{};\n    always @* case (word[{}:{}])\n", width - 1, index,
            node_of.position + node_of.width - 1, node_of.position);
        for (std::size_t i = 0; i < count; ++i)
            add("        {}: n{} = n{};\n", i, index, tables_.children[node_of.first + i]);
        add("    endcase\n");
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
        return out;
    }

    // Where the codec takes each bit of a field from, the most significant first; fields that are fixed take none.
    std::vector<unsigned> bits_of(Index form, Index field) {
        std::vector<unsigned> out(isa_.forms[form].fields[field].place.width);
        std::vector<std::uint64_t> codes;
        for (unsigned position = 0; position < isa_.forms[form].bits; ++position) {
            Image image;
            image.set(position, 1, 1);
            codec_.fields(form, image, codes);
            for (unsigned bit = 0; bit < out.size(); ++bit) {
                if (codes[field] >> bit & 1) out[out.size() - 1 - bit] = position;
            }
        }
        return out;
    }

    static std::string bits_join(const std::vector<unsigned>& bits) {
        std::string out;
        for (const unsigned bit : bits) out += fmt::format("{}word[{}]", out.empty() ? "" : ", ", bit);
        return "{" + out + "}";
    }

    std::string check_text(Index type, const std::vector<unsigned>& bits) {
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
        // Too wide for a table: from where to where codes are.
        std::string out;
        for (std::size_t code = 0; code < count; ++code) {
            if (!codec::code_is_valid(isa_, type, code)) continue;
            const std::size_t first = code;
            while (code + 1 < count && codec::code_is_valid(isa_, type, code + 1)) ++code;
            out += fmt::format("{}({} >= {} && {} <= {})", out.empty() ? "" : " || ", bits_join(bits), first,
                               bits_join(bits), code);
        }
        return fmt::format("({})", out.empty() ? "1'b0" : out);
    }

    // Of an operand with too many codes to list: what the codec asks, written down.
    std::string rule_text(const OperandType& type, const std::vector<unsigned>& bits) {
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

    // `bits`: of the operand's code, the most significant first.
    std::string row_text(const OperandRow& row, const std::vector<unsigned>& bits) {
        std::string out =
            fmt::format("({0} & {1}'d{2}) == {1}'d{3}", bits_join(bits), bits.size(), row.mask, row.value);
        const auto bits_of_field = [&](const Field& field) {
            std::vector<unsigned> own(field.place.width);
            for (std::size_t bit = 0; bit < bits.size(); ++bit) {
                const std::uint64_t code = field.place.extract(std::uint64_t{1} << bit);
                for (unsigned i = 0; i < own.size(); ++i) {
                    if (code >> i & 1) own[own.size() - 1 - i] = bits[bits.size() - 1 - bit];
                }
            }
            return own;
        };
        for (const Constraint& range : row.constraints) {
            const std::vector<unsigned> own = bits_of_field(row.fields[range.field]);
            out += fmt::format(" && {0} >= 64'd{1} && {0} <= 64'd{2} && ({0} - 64'd{1}) % 64'd{3} == 0", bits_join(own),
                               range.low, range.high, range.step);
        }
        for (const Field& field : row.fields) {
            if (!field.in_tail && !tables_.operands[field.type].all_valid)
                out += " && " + check_text(field.type, bits_of_field(field));
        }
        return fmt::format("({})", out);
    }

    static std::string number_text(const NumberRule& rule, const std::vector<unsigned>& bits) {
        const auto literal = [](std::int64_t value) {
            return value < 0 ? fmt::format("-128'sd{}", std::uint64_t{0} - static_cast<std::uint64_t>(value))
                             : fmt::format("128'sd{}", value);
        };
        const bool sign = rule.base == NumberBase::signed_integer;
        const std::string value = fmt::format("($signed({{{{{}{{{}}}}}, {}}}) * {} + {})", 128 - bits.size(),
                                              sign ? fmt::format("word[{}]", bits[0]) : "1'b0", bits_join(bits),
                                              literal(rule.scale), literal(rule.bias));
        std::string out = "1'b1";
        if (rule.minimum) out += fmt::format(" && {} >= {}", value, literal(*rule.minimum));
        if (rule.maximum) out += fmt::format(" && {} <= {}", value, literal(*rule.maximum));
        return fmt::format("({})", out);
    }

    void form(Index index) {
        const FormFacts& facts = facts_[index];
        const Form& form = isa_.forms[index];
        const unsigned head = 1 + d_.length_bits() + d_.format_bits() + d_.form_bits();
        std::string care(head + d_.effects.size(), '1'), value;
        for (std::size_t m = 0; m < d_.members.size(); ++m) {
            const unsigned width = d_.members[m].width;
            const bool has = facts.fields[m] != no_index;
            care.append(width, has ? '1' : '0');
            if (!has) {
                value += fmt::format(", {}'d0", width);
                continue;
            }
            const std::vector<unsigned> bits = bits_of(index, facts.fields[m]);
            const auto own = static_cast<unsigned>(bits.size());
            const OperandType& type = isa_.operand_types[form.fields[facts.fields[m]].type];
            const bool sign = own > 0 && is_negative(type, own, std::uint64_t{1} << (own - 1));
            if (own < width)
                value += sign ? fmt::format(", {{{}{{word[{}]}}}}", width - own, bits[0])
                              : fmt::format(", {}'d0", width - own);
            if (own > 0) value += ", " + bits_join(bits);
        }
        add("            {}: begin expected = {{{}'b0{}{}{}{}{}}}; care = {}'b{}; end\n", facts.number,
            head + d_.effects.size(), bits_text(form.bits / isa_.unit_bits, d_.length_bits()),
            bits_text(facts.format, d_.format_bits()), bits_text(facts.number, d_.form_bits()), facts.effects, value,
            care.size(), care);
    }

    const Decoder& d_;
    const Codec& codec_;
    const Isa& isa_;
    const Codec::Tables& tables_;
    Facts facts_;
    std::map<std::uint32_t, bool> done_;
    std::map<Index, bool> known_tables_;
    std::string tables_text_, out_;
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
        for (std::size_t m = 0; m < d_.members.size(); ++m) {
            const unsigned width = d_.members[m].width;
            const bool has = facts.fields[m] != no_index;
            care.append(width, has ? '1' : '0');
            std::uint64_t code = 0;
            if (has) {
                const Field& field = isa_.forms[index].fields[facts.fields[m]];
                code = codes_[facts.fields[m]];
                if (is_negative(isa_.operand_types[field.type], field.place.width, code))
                    code |= ~low_bits(field.place.width);
            }
            value += bits_text(code & low_bits(width), width);
        }
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
