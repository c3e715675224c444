#include "codec/mnemonics.hpp"

#include <algorithm>
#include <map>
#include <span>
#include <unordered_map>
#include <utility>

#include "codec/decode_tree.hpp"
#include "codec/tables.hpp"

namespace isaforge::codec {

namespace {

class Indexer {
public:
    Indexer(const Isa& isa, bool relax) : isa_(isa), relax_(relax) {}

    MnemonicIndex run() {
        grow_slots();
        for (Index i = 0; i < isa_.forms.size(); ++i) {
            const Instruction& instruction = isa_.instructions[isa_.forms[i].instruction];
            if (!instruction.only_relaxed) add_readings(i, instruction.names, false);
            out_.may_relax |= !instruction.relax_names.empty();
        }
        for (Index i = 0; relax_ && i < isa_.forms.size(); ++i)  // behind the forms that need no such permission
            add_readings(i, isa_.instructions[isa_.forms[i].instruction].relax_names, true);
        keep_readings();
        describe_forms();
        add_names();
        return std::move(out_);
    }

private:
    // What forms with the same texts and fields have in common.
    struct Begin {
        std::uint32_t head = 0;
        std::string glued;
        bool has_name = true;
    };
    using Written = std::pair<const TextTemplate*, const Field*>;

    const std::vector<Begin>& begins_of(const Form& form) {
        auto [known, fresh] = begins_.try_emplace({form.texts.data(), form.fields.data()});
        for (std::size_t i = 0; fresh && i < form.texts.size(); ++i) {
            TextBegin begin = text_begin(isa_, form, form.texts[i]);
            auto head = std::ranges::find(out_.heads, begin.head);
            if (head == out_.heads.end()) head = out_.heads.insert(head, std::move(begin.head));
            known->second.push_back(
                {static_cast<std::uint32_t>(head - out_.heads.begin()), std::move(begin.glued), begin.has_name});
        }
        return known->second;
    }

    void add_readings(Index form, const std::vector<std::string>& names, bool relaxed) {
        if (names.empty()) return;
        const std::vector<Begin>& begins = begins_of(isa_.forms[form]);
        if (names_ != names.data()) same_names_.clear();
        names_ = names.data();
        for (const std::string& name : names) {
            for (std::size_t i = 0; i < begins.size(); ++i) {
                const bool printed = i == 0 && &name == names.data() && !relaxed;
                if (!begins[i].has_name && (&name != names.data() || relaxed))
                    continue;  // there is no name to be another
                const std::string_view word = begins[i].has_name ? std::string_view(name) : std::string_view();
                auto known = std::ranges::find_if(same_names_, [&](const SameName& each) {
                    return each.name == &name && *each.glued == begins[i].glued && each.has_name == begins[i].has_name;
                });
                if (known == same_names_.end())
                    known = same_names_.insert(
                        known, {&name, &begins[i].glued, begins[i].has_name, mnemonic_of(word, begins[i].glued)});
                found_.push_back({known->mnemonic, {form, static_cast<std::uint16_t>(i), printed}});
            }
        }
    }

    // The number of the mnemonic `name` with what is glued to it, a new one where it has not been met. Both empty: statements
    // that have none.
    std::uint32_t mnemonic_of(std::string_view name, const std::string& glued) {
        const auto begin = static_cast<std::uint32_t>(out_.words.size());
        for (const char raw : name) {
            const char c = folded(isa_.surface, raw);
            out_.words += c;
            out_.has_dots |= c == '.';
        }
        out_.words += glued;
        const std::string_view word = std::string_view(out_.words).substr(begin);
        const std::uint32_t hash = hash_of(word, false);  // they are folded
        const auto mask = static_cast<std::uint32_t>(out_.slots.size() - 1);
        std::uint32_t slot = hash & mask;
        for (; out_.slots[slot].mnemonic != 0; slot = (slot + 1) & mask) {
            const std::uint32_t number = out_.slots[slot].mnemonic - 1;
            const MnemonicIndex::Mnemonic& other = out_.mnemonics[number];
            if (out_.slots[slot].hash != hash || std::string_view(out_.words).substr(other.begin, other.size) != word)
                continue;
            out_.words.resize(begin);
            return number;
        }
        out_.mnemonics.push_back({begin, static_cast<std::uint32_t>(word.size()), 0, 0});
        hashes_.push_back(hash);
        out_.slots[slot] = {hash, static_cast<std::uint32_t>(out_.mnemonics.size())};
        if (out_.mnemonics.size() * 4 > out_.slots.size()) grow_slots();
        return static_cast<std::uint32_t>(out_.mnemonics.size() - 1);
    }

    void grow_slots() {
        out_.slots.assign(std::max<std::size_t>(out_.slots.size() * 2, 16), {});
        const auto mask = static_cast<std::uint32_t>(out_.slots.size() - 1);
        for (std::uint32_t i = 0; i < hashes_.size(); ++i) {
            std::uint32_t slot = hashes_[i] & mask;
            while (out_.slots[slot].mnemonic != 0) slot = (slot + 1) & mask;
            out_.slots[slot] = {hashes_[i], i + 1};
        }
    }

    // The readings of each mnemonic together, in the order in which they were found.
    void keep_readings() {
        for (const auto& [mnemonic, reading] : found_) ++out_.mnemonics[mnemonic].count;
        std::uint32_t first = 0;
        for (MnemonicIndex::Mnemonic& mnemonic : out_.mnemonics) {
            mnemonic.first = first;
            first += std::exchange(mnemonic.count, 0);
        }
        out_.readings.resize(found_.size());
        for (const auto& [number, reading] : found_) {
            MnemonicIndex::Mnemonic& mnemonic = out_.mnemonics[number];
            out_.readings[mnemonic.first + mnemonic.count++] = reading;
        }
    }

    void describe_forms() {
        std::vector<OperandTable> operands(isa_.operand_types.size());
        for (Index i = 0; i < operands.size(); ++i) describe_operand(isa_, i, operands);
        std::unordered_map<const Field*, MnemonicIndex::FormFacts> known;
        for (const Form& form : std::as_const(isa_.forms)) {
            const auto [at, fresh] = known.try_emplace(form.fields.data());
            MnemonicIndex::FormFacts& facts = at->second;
            for (const Field& field : form.fields) {
                if (!fresh || field.fixed) continue;
                const OperandType& type = isa_.operand_types[field.type];
                facts.longest_tail = static_cast<std::uint16_t>(facts.longest_tail + operands[field.type].longest_tail);
                facts.is_relative |= operands[field.type].relative;
                facts.is_loaded |= type.kind == OperandKind::number && type.number.based;
            }
            out_.forms.push_back(facts);
            out_.longest = std::max(out_.longest, form.bits + facts.longest_tail);
        }
        out_.longest = std::min(out_.longest, max_instruction_bits);
        for (const MnemonicIndex::Mnemonic& mnemonic : out_.mnemonics) see_growth(mnemonic);
    }

    // What a mnemonic says about its forms: whether a longer one may be tried.
    void see_growth(const MnemonicIndex::Mnemonic& mnemonic) {
        const std::span readings(out_.readings.data() + mnemonic.first, mnemonic.count);
        Index longest = readings.empty() ? no_index : readings.front().form;
        for (const MnemonicIndex::Reading& reading : readings)
            if (isa_.forms[reading.form].bits >= isa_.forms[longest].bits) longest = reading.form;
        for (const MnemonicIndex::Reading& reading : readings) {
            MnemonicIndex::FormFacts& facts = out_.forms[reading.form];
            facts.may_grow |= reading.form != longest || facts.longest_tail != 0;
        }
    }

    void add_names() {
        for (const OperandType& type : std::as_const(isa_.operand_types)) {
            for (const OperandRow& row : type.rows) {
                if (!row.meaning) continue;
                for (const TextTemplate& text : row.texts) {
                    if (text.size() == 1 && text[0].kind == TextKind::literal) out_.names.push_back(text[0].text);
                }
            }
        }
        std::ranges::sort(out_.names);
        out_.names.erase(std::unique(out_.names.begin(), out_.names.end()), out_.names.end());
    }

    const Isa& isa_;
    const bool relax_;
    MnemonicIndex out_;
    std::vector<std::uint32_t> hashes_;                                    // of the mnemonics
    std::vector<std::pair<std::uint32_t, MnemonicIndex::Reading>> found_;  // by mnemonic
    std::map<Written, std::vector<Begin>> begins_;
    struct SameName {  // of the instruction whose forms come one after the other
        const std::string *name = nullptr, *glued = nullptr;
        bool has_name = true;
        std::uint32_t mnemonic = 0;
    };
    std::vector<SameName> same_names_;
    const std::string* names_ = nullptr;
};

}  // namespace

TextBegin text_begin(const Isa& isa, const Form& form, const TextTemplate& text) {
    const auto name = std::ranges::find(text, TextKind::name, &TextElement::kind);
    TextBegin begin;
    begin.has_name = name != text.end();
    if (!begin.has_name) return begin;
    begin.name_at = static_cast<std::size_t>(name - text.begin());
    begin.operands_at = begin.name_at + 1;
    for (std::size_t i = 0; i < begin.name_at; ++i) {
        if (text[i].kind == TextKind::literal) begin.head.slots.push_back({text[i].text, no_index});
        if (text[i].kind == TextKind::field) begin.head.slots.push_back({"", form.fields[text[i].field].type});
    }
    if (begin.name_at + 1 >= text.size() || text[begin.name_at + 1].kind != TextKind::literal) return begin;
    for (const char c : text[begin.name_at + 1].text) {
        if (letter_kind(c) != 1) break;
        begin.glued += folded(isa.surface, c);
    }
    return begin;
}

MnemonicIndex index_mnemonics(const Isa& isa, bool relax) { return Indexer(isa, relax).run(); }

Isa with_indexes(Isa isa) {
    isa.mnemonics = index_mnemonics(isa);
    isa.decoding = {};
    isa.decoding.push_back(decode_tree(isa));
    return isa;
}

}  // namespace isaforge::codec
