// Every instruction in every encoding with every combination of its modes: bits to text, text to bits. The bits are put
// together here, the texts are written here from the templates and from all alternatives that they have; codec and
// assembler have to agree with both.
#include <functional>
#include <random>
#include <vector>

#include "codec/plain_reader.hpp"
#include "fabrisc/revision.hpp"

namespace isaforge::test {
namespace {

class ModesOfRevision : public OfRevision {};

using Codes = std::vector<std::uint64_t>;  // in the order of Form::fields

constexpr std::uint64_t address = 0x40000;
constexpr unsigned samples = 20;  // of registers and numbers, for each combination of modes

// Writes the text of a form. `alternative` picks among the texts that an operand's row has, modulo their number.
class Writer {
public:
    Writer(const Isa& isa, unsigned alternative) : isa_(isa), alternative_(alternative) {}

    std::string instruction(const Form& form, const Codes& codes, unsigned text) const {
        const auto name = isa_.instruction_of(form).names[0];
        return elements(form.texts[text], name, form.fields, [&](Index field) { return codes[field]; });
    }

private:
    using Lookup = std::function<std::uint64_t(Index)>;

    std::string elements(const TextTemplate& text, const std::string& name, const std::vector<Field>& fields,
                         const Lookup& code) const {
        std::string out;
        for (const TextElement& element : text) {
            switch (element.kind) {
                case TextKind::literal: out += element.text; break;
                case TextKind::space: out += ' '; break;
                case TextKind::name: out += name; break;
                case TextKind::field:
                    out += operand(isa_.operand_types[fields[element.field].type], code(element.field));
                    break;
                case TextKind::number: {
                    const auto raw = static_cast<std::int64_t>(code(element.field));
                    out += std::to_string(element.scale * raw + element.bias);
                    break;
                }
                default: ADD_FAILURE() << "no FabRISC text has this";
            }
        }
        return out;
    }

    std::string operand(const OperandType& type, std::uint64_t code) const {
        if (type.kind == OperandKind::number) return number(type, code);
        if (type.kind == OperandKind::table) return row(type, code);
        for (const Entry& entry :
             type.kind == OperandKind::registers ? isa_.register_files[type.registers].entries : type.entries) {
            if (entry.code == code) return entry.texts[alternative_ % entry.texts.size()];
        }
        return "nothing";
    }

    std::string row(const OperandType& type, std::uint64_t code) const {
        for (const OperandRow& row : type.rows) {
            if (row.alias || !row.claims(code)) continue;
            if (row.reserved) break;
            return elements(row.texts[alternative_ % row.texts.size()], {}, row.fields,
                            [&](Index field) { return row.fields[field].place.extract(code); });
        }
        return "nothing";
    }

    std::string number(const OperandType& type, std::uint64_t code) const {
        const NumberRule& rule = type.number;
        auto value = static_cast<std::int64_t>(code);
        if (rule.base == NumberBase::signed_integer && code >> (type.width - 1) & 1)
            value -= std::int64_t{1} << type.width;
        value = value * rule.scale + rule.bias;
        if (rule.relative) value += static_cast<std::int64_t>(address);
        if (rule.format != NumberFormat::hexadecimal) return "#" + std::to_string(value);
        char digits[32];
        std::snprintf(digits, sizeof digits, "#0x%llx", static_cast<unsigned long long>(value));
        return digits;
    }

    const Isa& isa_;
    unsigned alternative_;
};

bool is_mode(const OperandType& type) {
    return type.kind == OperandKind::table || type.kind == OperandKind::enumeration;
}

// Whether the code has a text.
bool is_written(const OperandType& type, std::uint64_t code) {
    if (type.kind == OperandKind::enumeration) {
        for (const Entry& entry : type.entries) {
            if (entry.code == code) return true;
        }
        return false;
    }
    for (const OperandRow& row : type.rows) {
        if (!row.alias && row.claims(code)) return !row.reserved;
    }
    return false;
}

// Extremes first, then whatever comes.
std::uint64_t sample(unsigned width, unsigned number, std::mt19937_64& random) {
    const std::uint64_t all = low_mask(width), top = std::uint64_t{1} << (width - 1);
    const std::uint64_t fixed[] = {0, all, top, top - 1};
    return number < 4 ? fixed[number] : random() & all;
}

class Sweep {
public:
    Sweep(const Codec& codec, const Form& form) : codec_(codec), isa_(codec.isa()), form_(form) {
        for (const Index other : isa_.instruction_of(form).forms) one_length_ &= isa_.forms[other].bits == form.bits;
    }

    // All combinations of the modes from field `next` on.
    void run(Codes& codes, std::size_t next, std::mt19937_64& random) {
        if (::testing::Test::HasFatalFailure()) return;
        if (next == form_.fields.size()) return combination(codes, random);
        const Field& field = form_.fields[next];
        const OperandType& type = isa_.operand_types[field.type];
        if (field.fixed || !is_mode(type)) {
            codes[next] = field.fixed ? form_.fixed_value(field) : 0;
            return run(codes, next + 1, random);
        }
        for (std::uint64_t code = 0; code <= low_mask(type.width); ++code) {
            if (!is_written(type, code)) continue;
            codes[next] = code;
            run(codes, next + 1, random);
        }
    }

    static unsigned long combinations, texts;

private:
    void combination(Codes codes, std::mt19937_64& random) {
        ++combinations;
        for (unsigned number = 0; number < samples; ++number) {
            for (std::size_t i = 0; i < codes.size(); ++i) {
                const Field& field = form_.fields[i];
                if (field.fixed || is_mode(isa_.operand_types[field.type])) continue;
                codes[i] = sample(field.place.width, number, random);
            }
            once(codes);
        }
    }

    void once(const Codes& codes) {
        Image image = form_.value;
        for (std::size_t i = 0; i < codes.size(); ++i) form_.fields[i].place.insert(image, codes[i]);
        unsigned bits = 0;
        const Index decoded = codec_.decode(image, 48, bits);
        const std::string wanted = Writer(isa_, 0).instruction(form_, codes, 0);
        ASSERT_EQ(decoded, static_cast<Index>(isa_.forms.index_of(form_))) << wanted;
        ASSERT_EQ(bits, form_.bits) << wanted;
        ASSERT_EQ(print(decoded, image, bits), wanted);
        expect_back(wanted, image, bits);
        for (unsigned text = 0; text < form_.texts.size(); ++text) {
            for (unsigned alternative = 0; alternative < 4; ++alternative) {
                if (text + alternative == 0) continue;
                const std::string other = Writer(isa_, alternative).instruction(form_, codes, text);
                if (other != wanted) one_length_ ? expect_back(other, image, bits) : expect_stable(other);
            }
        }
    }

    std::string print(Index form, const Image& image, unsigned bits) const {
        char line[Codec::max_text];
        return {line, codec_.print(line, form, image, bits, address)};
    }

    Encoded read(const std::string& text) {
        ++texts;
        const std::string statement = text + ";";
        const char* cursor = statement.data();
        Encoded out;
        ReadFailure failure;
        EXPECT_TRUE(codec_.assemble(cursor, cursor + statement.size(), address, reader_, out, failure))
            << text << ": " << failure.message;
        EXPECT_EQ(*cursor, ';') << text;
        return out;
    }

    void expect_back(const std::string& text, const Image& image, unsigned bits) {
        const Encoded again = read(text);
        ASSERT_EQ(again.bits, bits) << text;
        ASSERT_EQ(again.image.words[0] & low_mask(bits), image.words[0]) << text;
    }

    // A text that leaves the length open may be read as a shorter encoding of the same instruction.
    void expect_stable(const std::string& text) {
        const Encoded first = read(text);
        ASSERT_NE(first.form, no_index) << text;
        ASSERT_LE(first.bits, form_.bits) << text;
        ASSERT_EQ(isa_.forms[first.form].instruction, form_.instruction) << text;
        expect_back(print(first.form, first.image, first.bits), first.image, first.bits);
    }

    const Codec& codec_;
    const Isa& isa_;
    const Form& form_;
    bool one_length_ = true;
    PlainReader reader_;
};

unsigned long Sweep::combinations = 0, Sweep::texts = 0;

TEST_P(ModesOfRevision, EveryInstructionInEveryModeIsReadAsItIsPrinted) {
    std::mt19937_64 random(1);
    Sweep::combinations = Sweep::texts = 0;
    for (const Form& form : isa().forms) {
        if (form.alias) continue;
        ASSERT_LE(form.bits, 48u);
        Codes codes(form.fields.size());
        Sweep(codec(), form).run(codes, 0, random);
        if (HasFatalFailure()) return;
    }
    RecordProperty("combinations", std::to_string(Sweep::combinations));
    RecordProperty("texts", std::to_string(Sweep::texts));
    std::printf("%lu combinations of modes, %lu texts\n", Sweep::combinations, Sweep::texts);
}

INSTANTIATE_TEST_SUITE_P(Fabrisc, ModesOfRevision, ::testing::ValuesIn(revisions), revision_name);

}  // namespace
}  // namespace isaforge::test
