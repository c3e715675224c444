// Texts with holes. A hole names the mnemonic, a field, a number computed from one field, or a set of fields that may
// stand in any order:   {name}   {A}   {2*n + 1}   {k:hex}   {any GLC SLC by ' '}
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>

#include "codec/tables.hpp"
#include "language/resolver.hpp"

namespace isaforge::language {

class TemplateReader {
public:
    TemplateReader(Resolver& resolver, const Text& text, const std::vector<Field>& fields, const Bindings& bindings,
                   bool with_name)
        : resolver_(resolver),
          source_(text),
          text_(text.text),
          fields_(fields),
          bindings_(bindings),
          with_name_(with_name) {}

    std::optional<TextTemplate> read();

private:
    void literal(char c);
    bool hole();
    bool any(std::string_view inside, std::size_t begin);
    bool number(std::string_view inside, std::size_t begin);
    bool number_suffix(std::string_view suffix, std::size_t begin, TextElement& element);
    bool floating(std::string_view digits, std::size_t begin, TextElement element);
    bool integer(TextElement element, std::size_t begin, std::size_t length);
    Index field(std::string_view name) const;
    bool fail(std::size_t begin, std::size_t length, std::string message, std::string_view name = {});

    Resolver& resolver_;
    const Text& source_;
    const std::string& text_;
    const std::vector<Field>& fields_;
    const Bindings& bindings_;
    bool with_name_;
    std::size_t position_ = 0;
    TextTemplate out_;
};

bool TemplateReader::fail(std::size_t begin, std::size_t length, std::string message, std::string_view name) {
    Place place = source_.place;
    place.offset += static_cast<std::uint32_t>(begin);
    place.length = static_cast<std::uint32_t>(std::max<std::size_t>(length, 1));
    Diagnostic& error = resolver_.diagnostics_.error(place, std::move(message));
    std::vector<std::string_view> known;
    for (const Field& candidate : fields_) known.push_back(candidate.name);
    if (with_name_) known.push_back("name");
    const std::string_view meant = name.empty() ? std::string_view{} : nearest(name, known);
    if (!meant.empty()) error.suggest(std::string(meant));
    return false;
}

Index TemplateReader::field(std::string_view name) const {
    for (std::size_t i = 0; i < fields_.size(); ++i) {
        if (fields_[i].name == name) return static_cast<Index>(i);
    }
    return no_index;
}

void TemplateReader::literal(char c) {
    const TextKind kind = c == ' ' || c == '\t' ? TextKind::space : TextKind::literal;
    if (kind == TextKind::space) {
        if (out_.empty() || out_.back().kind != TextKind::space) out_.push_back({TextKind::space, " "});
        return;
    }
    if (out_.empty() || out_.back().kind != TextKind::literal) out_.push_back({TextKind::literal, ""});
    out_.back().text += c;
}

std::optional<TextTemplate> TemplateReader::read() {
    out_.reserve(2 * static_cast<std::size_t>(std::count(text_.begin(), text_.end(), '{')) + 1);
    while (position_ < text_.size()) {
        const char c = text_[position_];
        const bool doubled = position_ + 1 < text_.size() && text_[position_ + 1] == c;
        if ((c == '{' || c == '}') && doubled) {
            literal(c);
            position_ += 2;
        } else if (c == '{') {
            if (!hole()) return std::nullopt;
        } else if (c == '}') {
            fail(position_, 1, "this '}' closes nothing; write }} for a brace in the text");
            return std::nullopt;
        } else {
            literal(c);
            ++position_;
        }
    }
    return std::move(out_);
}

bool TemplateReader::hole() {
    const std::size_t close = text_.find('}', position_);
    if (close == std::string::npos)
        return fail(position_, 1, "this '{' is never closed; write {{ for a brace in the text");
    const std::size_t begin = position_ + 1;
    const std::string_view inside = std::string_view(text_).substr(begin, close - begin);
    position_ = close + 1;
    if (inside == "name" && with_name_) {
        out_.push_back({TextKind::name, ""});
        return true;
    }
    if (inside.starts_with("any ")) return any(inside.substr(4), begin + 4);
    const bool hexadecimal = inside.ends_with(":hex");
    const Index index = field(hexadecimal ? inside.substr(0, inside.size() - 4) : inside);
    if (index != no_index && (!hexadecimal || resolver_.is_integer(fields_[index].type))) {
        TextElement element{TextKind::field, ""};
        element.field = index;
        element.radix = hexadecimal ? 16 : 10;
        out_.push_back(std::move(element));
        return true;
    }
    return number(inside, begin);
}

// A B C by ', '
bool TemplateReader::any(std::string_view inside, std::size_t begin) {
    TextElement element{TextKind::any, ""};
    std::size_t i = 0;
    while (i < inside.size()) {
        if (inside[i] == ' ') {
            ++i;
            continue;
        }
        std::size_t end = i;
        while (end < inside.size() && inside[end] != ' ') ++end;
        const std::string_view word = inside.substr(i, end - i);
        if (word == "by") {
            const std::size_t open = inside.find('\'', end), close = inside.rfind('\'');
            if (open == std::string_view::npos || close <= open)
                return fail(begin + i, 2, "`by` is followed by a separator in single quotes");
            element.text = std::string(inside.substr(open + 1, close - open - 1));
            break;
        }
        const Index index = field(word);
        if (index == no_index)
            return fail(begin + i, word.size(), fmt::format("there is no field '{}' here", word), word);
        element.fields.push_back(index);
        if (!resolver_.may_be_absent(fields_[index].type))
            return fail(begin + i, word.size(),
                        fmt::format("'{}' cannot be left out: its operand has no row whose text is empty", word));
        i = end;
    }
    if (element.fields.empty())
        return fail(begin, inside.size(), "`any` is followed by the fields that may stand in any order");
    out_.push_back(std::move(element));
    return true;
}

namespace {

struct Term {
    bool negative = false;
    std::int64_t factor = 1;
    std::string_view name;  // empty: the factor alone
};

// Reads a sum of products of numbers and names; false where the text is nothing of the kind.
bool read_terms(std::string_view text, std::vector<Term>& out) {
    std::size_t i = 0;
    const auto skip = [&] {
        while (i < text.size() && text[i] == ' ') ++i;
    };
    bool negative = false;
    skip();
    if (i < text.size() && text[i] == '-') negative = true, ++i;
    for (;;) {
        Term term;
        term.negative = negative;
        for (;;) {
            skip();
            const std::size_t begin = i;
            while (i < text.size() && (std::isalnum(static_cast<unsigned char>(text[i])) || text[i] == '_')) ++i;
            if (begin == i || i - begin > 64) return false;
            const std::string_view word = text.substr(begin, i - begin);
            if (std::isdigit(static_cast<unsigned char>(word[0]))) {
                const int base = word.starts_with("0x") ? 16 : word.starts_with("0b") ? 2 : 10;
                const std::string_view digits = base == 10 ? word : word.substr(2);
                std::int64_t value = 0;
                const auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
                if (problem != std::errc() || end != digits.data() + digits.size() || value > (std::int64_t{1} << 40))
                    return false;
                if (term.factor > (std::int64_t{1} << 20)) return false;
                term.factor *= value;
            } else if (term.name.empty()) {
                term.name = word;
            } else {
                return false;
            }
            skip();
            if (i < text.size() && text[i] == '*') {
                ++i;
                continue;
            }
            break;
        }
        out.push_back(term);
        if (i == text.size()) return true;
        if (text[i] != '+' && text[i] != '-') return false;
        negative = text[i++] == '-';
    }
}

}  // namespace

// What may stand behind the colon of a number: how it is printed, or in how many bits it is compared.
bool TemplateReader::number_suffix(std::string_view suffix, std::size_t begin, TextElement& element) {
    if (suffix == "hex") {
        element.radix = 16;
        return true;
    }
    std::uint64_t given = 0;  // b(NAME): a parameter or a constant; b(NAME.FACT): what it says, being a kind
    if (suffix.starts_with("b(") && suffix.ends_with(')')) {
        const std::string_view inside = suffix.substr(2, suffix.size() - 3);
        const std::size_t dot = inside.find('.');
        const std::string_view name = inside.substr(0, dot);
        const Binding* const bound = bindings_.find(name);
        const auto constant = resolver_.isa_.constants.find(std::string(name));
        if (bound) given = bound->number.value_or(0);
        if (!bound && constant != resolver_.isa_.constants.end()) given = constant->second;
        if (dot != std::string_view::npos) {
            const KindFact fact = resolver_.isa_.kind_fact(given, inside.substr(dot + 1));
            if (!fact.value) return fail(begin, suffix.size(), fact.problem);
            given = *fact.value;
        }
    }
    for (const unsigned width : {16u, 32u, 64u}) {
        if (suffix != fmt::format("b{}", width) && given != width) continue;
        element.bits = width;
        return true;
    }
    return fail(begin, suffix.size(),
                "behind the colon stands `hex`, or b16, b32 or b64 where any number with the same bits is read");
}

// {-0.5}: a float by its value; {-0.5:b32}: by its bits
bool TemplateReader::floating(std::string_view digits, std::size_t begin, TextElement element) {
    element.kind = TextKind::constant;
    element.text = std::string(digits);
    const auto [end, problem] =
        std::from_chars(element.text.data(), element.text.data() + digits.size(), element.constant);
    if (problem != std::errc() || end != element.text.data() + digits.size() || element.radix != 10)
        return fail(begin, digits.size(), fmt::format("'{}' is no number", digits));
    if (element.bits != 0) element.pattern = codec::float_bits(element.constant, element.bits);
    out_.push_back(std::move(element));
    return true;
}

// {3}: the digits; {3:b16}: a number by its bits
bool TemplateReader::integer(TextElement element, std::size_t begin, std::size_t length) {
    if (element.bits == 0) {
        for (const char c : std::to_string(element.bias)) literal(c);
        return true;
    }
    element.kind = TextKind::constant;
    element.text = std::to_string(element.bias);
    NumberValue value;
    value.integer = static_cast<std::uint64_t>(element.bias);
    value.negative = element.bias < 0;
    if (!codec::number_bits(value, element.bits, element.pattern))
        return fail(begin, length, fmt::format("{} does not fit in {} bits", element.bias, element.bits));
    out_.push_back(std::move(element));
    return true;
}

bool TemplateReader::number(std::string_view inside, std::size_t begin) {
    TextElement element{TextKind::number, ""};
    element.bias = 0;
    std::string_view sum = inside;
    const std::size_t colon = inside.find(':');
    if (colon != std::string_view::npos) {
        if (!number_suffix(inside.substr(colon + 1), begin + colon + 1, element)) return false;
        sum = inside.substr(0, colon);
    }
    if (sum.find('.') != std::string_view::npos) return floating(sum, begin, std::move(element));
    std::vector<Term> terms;
    if (!read_terms(sum, terms))
        return fail(begin, inside.size(), "a hole holds a field, {name}, {any …} or a sum such as {2*n + 1}");
    for (const Term& term : terms) {
        const std::int64_t factor = term.negative ? -term.factor : term.factor;
        if (term.name.empty()) {
            element.bias += factor;
            continue;
        }
        const Binding* const bound = bindings_.find(term.name);
        const auto constant = resolver_.isa_.constants.find(std::string(term.name));
        const Index index = field(term.name);
        if (index != no_index && element.field == no_index) {
            element.field = index;
            element.scale = factor;
        } else if (bound && bound->number) {
            element.bias += factor * static_cast<std::int64_t>(*bound->number);
        } else if (constant != resolver_.isa_.constants.end()) {
            element.bias += factor * static_cast<std::int64_t>(constant->second);
        } else if (index != no_index) {
            return fail(begin, inside.size(), "a sum may hold one field: the assembler has to solve it");
        } else {
            return fail(begin, inside.size(), fmt::format("there is no field '{}' here", term.name), term.name);
        }
    }
    if (element.field == no_index) return integer(std::move(element), begin, inside.size());
    out_.push_back(std::move(element));
    return true;
}

// Whether an operand is a number that is no float, so that `{k:hex}` is another way to print it. Of anything else that is its bits.
bool Resolver::is_integer(Index index) const {
    const OperandType& type = isa_.operand_types[index];
    return type.kind == OperandKind::number && type.number.format != NumberFormat::floating;
}

// Whether an operand has a row that is written as nothing.
bool Resolver::may_be_absent(Index index) {
    if (index >= absent_.size()) absent_.resize(isa_.operand_types.size());
    if (absent_[index]) return *absent_[index];
    const OperandType& type = isa_.operand_types[index];
    const bool absent = std::any_of(type.rows.begin(), type.rows.end(), [](const OperandRow& row) {
        return std::any_of(row.texts.begin(), row.texts.end(), [](const TextTemplate& text) { return text.empty(); });
    });
    absent_[index] = absent;
    return absent;
}

std::optional<TextTemplate> Resolver::resolve_text(const Text& text, const std::vector<Field>& fields,
                                                   const Bindings& bindings, bool with_name) {
    return TemplateReader(*this, text, fields, bindings, with_name).read();
}

std::vector<TextTemplate> Resolver::resolve_texts(const std::vector<Text>& texts, const std::vector<Field>& fields,
                                                  const Bindings& bindings, bool with_name) {
    std::vector<TextTemplate> out;
    for (const Text* text : in_dialect_order(texts)) {
        if (auto resolved = resolve_text(*text, fields, bindings, with_name)) out.push_back(std::move(*resolved));
    }
    return out;
}

}  // namespace isaforge::language
