// What may come next in a statement. The statement so far is read as always, thoroughly, with the end of the text where
// more is to come: whatever is looked for there is what the grammar allows.
#include "isaforge/expected.hpp"

#include <algorithm>
#include <set>
#include <unordered_set>

#include "codec/reader.hpp"

namespace isaforge::codec {

namespace {

constexpr unsigned widest_listed = 12;  // operands of more bits are not gone through code by code
constexpr std::size_t most_signatures = 32, deepest_listed = 4;

bool is_number(std::string_view text) {
    if (text.starts_with('-')) text.remove_prefix(1);
    return !text.empty() && ((text[0] >= '0' && text[0] <= '9') || text[0] == '.');
}

}  // namespace

class Expecter {
public:
    Expecter(const Codec& codec, std::string_view prefix, std::size_t most, Expected& out)
        : codec_(codec), isa_(codec.isa()), tables_(codec.tables()), prefix_(prefix), most_(most), out_(out) {}

    void run(std::string_view text, std::uint64_t address, ExpressionReader& expressions) {
        const char* const begin = text.data();
        Reader reader(isa_, tables_, expressions, begin, begin + text.size(), address, true);
        std::vector<Wanted> wanted;
        reader.wanted_ = &wanted;
        Encoded encoded;
        const char* cursor = begin;
        reader.statement(cursor, encoded, [](const Encoded&, const char*) { return false; });  // others may go on
        reader_ = &reader;
        const bool is_named = reader.found_ && reader.found_ != tables_.nameless;
        const bool at_mnemonic = !is_named && reader.word_begin_ == begin + text.size();
        if (at_mnemonic) mnemonics(text);
        // What an operand may be says more than the begins of its texts.
        unsigned outermost = ~0u;
        for (const Wanted& one : wanted) outermost = std::min(outermost, one.depth);
        for (const Wanted& one : wanted) {
            if (reader.found_ && !one.candidate) continue;  // a head that was passed over
            add(one, outermost);
        }
        signatures(wanted);
        reader_ = nullptr;
    }

private:
    bool begins(std::string_view text) const {
        return text.size() >= prefix_.size() &&
               std::equal(prefix_.begin(), prefix_.end(), text.begin(), [&](char a, char b) {
                   return tables_.fold[static_cast<unsigned char>(a)] == tables_.fold[static_cast<unsigned char>(b)];
               });
    }

    void offer(Continuation::Kind kind, std::string_view text, Index instruction, Index type, std::string_view place) {
        while (text.starts_with(' ')) text.remove_prefix(1);
        while (text.ends_with(' ')) text.remove_suffix(1);
        if (text.empty() || !begins(text) || seen_.contains(std::string(text))) return;
        if (out_.continuations.size() >= most_) {
            out_.more = true;
            return;
        }
        seen_.insert(std::string(text));
        out_.continuations.push_back({kind, std::string(text), instruction, type, std::string(place)});
    }

    void mnemonics(std::string_view text) {
        for (const Mnemonic& mnemonic : tables_.mnemonics) {
            const Index instruction =
                mnemonic.count == 0 ? no_index : isa_.forms[tables_.index->readings[mnemonic.first].form].instruction;
            offer(Continuation::Kind::mnemonic, mnemonic.text, instruction, no_index, {});
        }
        if (text.find_first_not_of(" \t") != std::string_view::npos) return;
        for (const Head& head : tables_.index->heads) {
            if (head.slots.empty()) continue;
            const Head::Slot& first = head.slots.front();
            if (first.type == no_index)
                offer(Continuation::Kind::mark, first.literal, no_index, no_index, {});
            else
                operand(first.type, {}, 0);
        }
    }

    void add(const Wanted& one, unsigned outermost) {
        const std::string_view place = place_of(one);
        if (one.element && one.type == no_index) {
            if (one.exact)
                offer(Continuation::Kind::word, std::to_string(one.value), no_index, no_index, place);
            else if (one.element->kind != TextKind::literal)
                out_.numbers = true;
            else if (one.depth == outermost)
                offer(Continuation::Kind::mark, one.element->text, no_index, no_index, place);
            return;
        }
        if (one.type == no_index) return;
        if (one.depth == outermost) told(one);
        operand(one.type, place, 0);
    }

    // For the first form that has an operand of that type there.
    void told(const Wanted& one) {
        const auto same = [&](const ExpectedOperand& other) { return other.type == one.type; };
        if (std::any_of(out_.operands.begin(), out_.operands.end(), same)) return;
        out_.operands.push_back({one.candidate ? one.candidate->form : no_index, field_of_step(one), one.type,
                                 reader_->describe(one.type, 0)});
    }

    static Index field_of_step(const Wanted& one) { return one.candidate && one.step ? one.step->field : no_index; }

    std::string_view place_of(const Wanted& one) const {
        if (!one.candidate || !one.step) return {};
        const Form& form = isa_.forms[one.candidate->form];
        if (one.step->field != no_index) return form.fields[one.step->field].name;
        if (!one.element || one.element->field >= form.fields.size() || one.depth != 0) return {};
        return form.fields[one.element->field].name;
    }

    // All texts of an operand, or, where that is too much, what its texts begin with.
    void operand(Index index, std::string_view place, unsigned depth) {
        if (depth > deepest_listed || !done_.insert(index).second) return;
        const OperandType& type = isa_.operand_types[index];
        if (type.kind == OperandKind::number) {
            out_.numbers = true;
            return;
        }
        if (type.width <= widest_listed) {
            codes(index, type, place);
        } else {
            for (const OperandRow& row : type.rows) {
                for (const TextTemplate& text : row.texts) begin_of(row, text, place, depth);
            }
        }
        for (const Entry& entry : type.entries) {
            for (const std::string& text : entry.texts) offer(kind_of(type, text), text, no_index, index, place);
        }
    }

    Continuation::Kind kind_of(const OperandType& type, std::string_view text) const {
        if (type.kind == OperandKind::registers) return Continuation::Kind::registers;
        const std::string_view word = text.substr(0, text.find('['));
        return codec_.names_register(text) || (word.size() < text.size() && is_file(word))
                   ? Continuation::Kind::registers
                   : Continuation::Kind::word;
    }

    bool is_file(std::string_view word) const {
        return codec_.names_register(std::string(word) + "0") || codec_.names_register(word);
    }

    bool begins_register(const TextTemplate& text) const {
        if (text.empty() || text.front().kind != TextKind::literal) return false;
        const std::string_view literal = text.front().text;
        return is_file(literal.substr(0, literal.find('[')));
    }

    void codes(Index index, const OperandType& type, std::string_view place) {
        std::vector<bool> with_number(type.rows.size());
        for (std::size_t i = 0; i < type.rows.size(); ++i) {
            const OperandRow& row = type.rows[i];
            if (row.texts.empty() || begins_register(row.texts.front())) continue;
            with_number[i] = std::any_of(row.fields.begin(), row.fields.end(), [&](const Field& field) {
                return isa_.operand_types[field.type].kind == OperandKind::number;
            });
            // `offset:` is told, and not each offset.
            if (with_number[i] && !row.alias) begin_of(row, row.texts.front(), place, 0);
        }
        const Image image{};
        char text[Codec::max_text];
        PrintContext context{.isa = isa_, .tables = tables_, .image = image, .limit = text + sizeof text};
        for (std::uint64_t code = 0; code <= low_bits(type.width); ++code) {
            if (!code_is_valid(isa_, index, code)) continue;
            if (type.kind == OperandKind::table) {
                const Index row = find_row(type, code, isa_);
                if (row == no_index || type.rows[row].tail_bits != 0) {
                    out_.numbers |= row != no_index;
                    continue;
                }
                if (with_number[row]) continue;
            }
            const std::string_view printed(text,
                                           static_cast<std::size_t>(print_operand(text, context, index, code) - text));
            if (is_number(printed))
                out_.numbers = true;
            else
                offer(kind_of(type, printed), printed, no_index, index, place);
        }
    }

    void begin_of(const OperandRow& row, const TextTemplate& text, std::string_view place, unsigned depth) {
        for (const TextElement& element : text) {
            switch (element.kind) {
                case TextKind::space: continue;
                case TextKind::literal:
                    offer(Continuation::Kind::word, element.text, no_index, no_index, place);
                    return;
                case TextKind::field: operand(row.fields[element.field].type, place, depth + 1); return;
                case TextKind::any:
                    for (const Index field : element.fields) operand(row.fields[field].type, place, depth + 1);
                    return;
                default: out_.numbers = true; return;
            }
        }
    }

    Signature signature(const Candidate& candidate) const {
        Signature out;
        out.form = candidate.form;
        const Form& form = isa_.forms[candidate.form];
        const Instruction& instruction = isa_.instruction_of(form);
        const auto part = [&](Index field) {
            const std::size_t begin = out.label.size();
            out.label += form.fields[field].name;
            out.parts.push_back({begin, out.label.size(), field});
        };
        for (const TextElement& element : form.texts.front()) {
            switch (element.kind) {
                case TextKind::constant:
                case TextKind::literal:
                case TextKind::space: out.label += element.text.empty() ? " " : element.text; break;
                case TextKind::name: out.label += instruction.names.front(); break;
                case TextKind::field:
                case TextKind::number: part(element.field); break;
                case TextKind::any:
                    for (const Index field : element.fields) {
                        out.label += " ";
                        part(field);
                    }
            }
        }
        return out;
    }

    void signatures(const std::vector<Wanted>& wanted) {
        std::set<const Candidate*> done;
        for (const Wanted& one : wanted) {
            if (!one.candidate || isa_.forms[one.candidate->form].texts.empty()) continue;
            if (!done.insert(one.candidate).second || out_.signatures.size() >= most_signatures) continue;
            Signature made = signature(*one.candidate);
            Index field = field_of_step(one);
            if (field == no_index && one.step && one.step->element) {
                const TextElement& element = *one.step->element;
                field = element.kind == TextKind::any && !element.fields.empty() ? element.fields[0] : element.field;
            }
            for (std::size_t i = 0; i < made.parts.size(); ++i)
                if (field != no_index && made.parts[i].field == field) made.active = i;
            const auto same = [&](const Signature& other) { return other.label == made.label; };
            if (std::none_of(out_.signatures.begin(), out_.signatures.end(), same))
                out_.signatures.push_back(std::move(made));
        }
    }

    const Codec& codec_;
    const Isa& isa_;
    const Codec::Tables& tables_;
    std::string_view prefix_;
    std::size_t most_;
    Expected& out_;
    const Reader* reader_ = nullptr;
    std::unordered_set<std::string> seen_;
    std::unordered_set<Index> done_;
};

}  // namespace isaforge::codec

namespace isaforge {

Expected expected_behind(const Codec& codec, std::string_view text, std::string_view prefix, std::uint64_t address,
                         ExpressionReader& reader, std::size_t most) {
    Expected out;
    // Expressions are read up to a character that is in no expression.
    const std::string copy = std::string(text) + '\n';
    codec::Expecter(codec, prefix, most, out).run({copy.data(), text.size()}, address, reader);
    return out;
}

}  // namespace isaforge
