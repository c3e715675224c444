// The type check. It lowers each instruction with the codes of its operands left open. What the types can depend on is
// tried out: one row of a table operand for each kind of thing that its rows mean, and, where a width or a bound
// depends on an operand's value, all values (of wide operands, a sample).
#include "semantics/check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "semantics/lowering.hpp"

namespace isaforge::semantics {

namespace {

constexpr std::size_t max_variants = 256;       // of one operand
constexpr std::size_t max_combinations = 4096;  // of one instruction's operands
constexpr std::size_t max_effort = 20'000'000;  // of the whole check, in expressions looked at
constexpr unsigned max_lowerings = 4096;        // of one combination

class Checker {
public:
    Checker(const Isa& isa, Diagnostics& diagnostics)
        : isa_(isa), diagnostics_(diagnostics), modes_(isa.modes.size()) {}

    bool run() {
        for (Index type = 0; type < isa_.operand_types.size(); ++type)
            if (isa_.operand_types[type].kind == OperandKind::table) variants(type);
        for (const Instruction& instruction : isa_.instructions) {
            if (instruction.meaning || instruction.guard)
                for (Index form : instruction.forms) check(instruction, isa_.forms[form]);
            else
                note_silent(instruction);
        }
        static const Instruction none;
        LowerInput around{.isa = &isa_, .instruction = &none, .mode_bindings = &modes_};
        for (const EventHandler& event : isa_.events) {
            around.event = &event;
            check(around, true);
        }
        around.event = nullptr;
        around.only_modes = true;
        check(around, true);
        return ok_;
    }

private:
    // The kinds of bindings of an operand: one for each shape of its rows.
    const std::vector<Binding>& variants(Index type);
    std::vector<std::vector<Binding>> products(const std::vector<Field>& fields, const Image& image);
    void row_variants(Index type, Index row, std::set<std::string>& shapes, std::vector<Binding>& out);
    Index first_row(Index type) const;
    Index row_without_meaning(Index type) const;
    std::string shape(Index type, const Binding& binding, Diagnostics& found);
    Binding fixed(Index type, std::uint64_t code);
    void check(const Instruction& instruction, const Form& form);
    bool check(const LowerInput& input, bool warnings);
    void note_silent(const Instruction& instruction);
    void try_all(const LowerInput& input, Diagnostics& found, bool warnings);
    std::vector<std::uint64_t> codes(const Binding& binding);
    void report(const Diagnostics& found);

    const Isa& isa_;
    Diagnostics& diagnostics_;
    std::vector<Binding> modes_;   // open, or as they are being tried
    std::map<Index, std::vector<Binding>> variants_;
    std::set<std::tuple<FileId, std::uint32_t, std::string>> reported_;
    unsigned lowerings_ = 0;
    std::size_t effort_ = 0;
    bool ok_ = true;
};

void Checker::report(const Diagnostics& found) {
    for (const Diagnostic& diagnostic : found.all()) {
        bool is_error = diagnostic.severity == Severity::error;
        if (is_error) ok_ = false;
        if (!reported_.emplace(diagnostic.place.file, diagnostic.place.offset, diagnostic.message).second) continue;
        diagnostics_.take(diagnostic);
    }
}

std::string Checker::shape(Index type, const Binding& binding, Diagnostics& found) {
    static const Instruction none;
    LowerInput input{.isa = &isa_, .instruction = &none};
    Field field;
    field.name = isa_.operand_types[type].name;
    field.type = type;
    field.where = isa_.operand_types[type].where;
    Lowering lowering(input, found, false);
    std::string text = lowering.shape_of(field, binding);
    return lowering.steering != nullptr ? "steered" : text;
}

Binding Checker::fixed(Index type_index, std::uint64_t code) {
    const OperandType& type = isa_.operand_types[type_index];
    Binding binding{.type = type_index, .known = true, .code = code};
    if (type.kind != OperandKind::table) return binding;
    for (Index row = 0; row < type.rows.size() && binding.row == no_index; ++row)
        if ((code & type.rows[row].mask) == type.rows[row].value) binding.row = row;
    if (binding.row == no_index) return binding;
    for (const Field& field : type.rows[binding.row].fields)
        binding.captures.push_back(fixed(field.type, field.place.extract(code)));
    return binding;
}

// All combinations of the fields' variants, as far as the limit goes.
std::vector<std::vector<Binding>> Checker::products(const std::vector<Field>& fields, const Image& image) {
    std::vector<std::vector<Binding>> all(1);
    for (const Field& field : fields) {
        std::vector<Binding> choices;
        if (field.fixed)
            choices.push_back(fixed(field.type, field.place.extract(image)));
        else if (isa_.operand_types[field.type].kind == OperandKind::table)
            choices = variants(field.type);
        else
            choices.push_back({.type = field.type});
        std::vector<std::vector<Binding>> next;
        for (const auto& bindings : all)
            for (const Binding& choice : choices) {
                if (next.size() >= max_combinations) break;
                next.push_back(bindings);
                next.back().push_back(choice);
            }
        all = std::move(next);
    }
    return all;
}

void Checker::row_variants(Index type, Index row, std::set<std::string>& shapes, std::vector<Binding>& out) {
    const OperandRow& table_row = isa_.operand_types[type].rows[row];
    if (table_row.reserved || !table_row.meaning) return;
    for (auto& captures : products(table_row.fields, {})) {
        if (out.size() >= max_variants) return;
        Binding binding{.type = type, .row = row, .captures = std::move(captures)};
        Diagnostics found;
        std::string text = shape(type, binding, found);
        if (text != "steered") report(found);
        if (text.empty()) continue;
        if (text == "steered" || shapes.insert(text).second) out.push_back(std::move(binding));
    }
}

Index Checker::first_row(Index type) const {
    const std::vector<OperandRow>& rows = isa_.operand_types[type].rows;
    for (Index row = 0; row < rows.size(); ++row)
        if (!rows[row].reserved) return row;
    return no_index;
}

Index Checker::row_without_meaning(Index type) const {
    const std::vector<OperandRow>& rows = isa_.operand_types[type].rows;
    for (Index row = 0; row < rows.size(); ++row)
        if (!rows[row].reserved && !rows[row].alias && !rows[row].meaning) return row;
    return no_index;
}

const std::vector<Binding>& Checker::variants(Index type) {
    auto [place, added] = variants_.try_emplace(type);
    if (!added) return place->second;
    std::set<std::string> shapes;
    std::vector<Binding> found;
    for (Index row = 0; row < isa_.operand_types[type].rows.size(); ++row) row_variants(type, row, shapes, found);
    // Rows without a meaning may stand in an instruction as long as its meaning does not ask for the operand: one such row is
    // tried, and the lowering complains if it is asked.
    const Index silent = row_without_meaning(type);
    if (silent != no_index) found.push_back({.type = type, .row = silent});
    if (found.empty()) found.push_back({.type = type, .row = first_row(type)});
    return variants_[type] = std::move(found);
}

void Checker::check(const Instruction& instruction, const Form& form) {
    bool first = true;
    for (const auto& bindings : products(form.fields, form.written)) {
        LowerInput input{
            .isa = &isa_, .instruction = &instruction, .fields = &form.fields.list(), .bindings = &bindings};
        input.names = &form.names_in_meaning;
        input.mode_bindings = &modes_;
        if (!check(input, first)) return;
        first = false;
    }
}

bool Checker::check(const LowerInput& input, bool warnings) {
    Diagnostics found;
    lowerings_ = 0;
    try_all(input, found, warnings);
    report(found);
    return found.ok();
}

// With `meanings complete`, a row must say what it does; one that is only another way of writing has its twin's meaning.
void Checker::note_silent(const Instruction& instruction) {
    if (!isa_.meanings_complete) return;
    const bool only_alias = std::all_of(instruction.forms.begin(), instruction.forms.end(),
                                        [&](Index form) { return isa_.forms[form].alias; });
    if (only_alias) return;
    diagnostics_.error(instruction.where, fmt::format("{} has no meaning, and this description says that meanings are "
                                                      "complete: what does nothing says {{}}",
                                                      instruction.names[0]));
    ok_ = false;
}

// The codes to try for an operand whose value a type depends on.
std::vector<std::uint64_t> Checker::codes(const Binding& binding) {
    std::vector<std::uint64_t> all;
    if (binding.type == no_index) {  // a mode: the ends and one between
        const unsigned bits = isa_.modes[static_cast<std::size_t>(&binding - modes_.data())].bits;
        all = {0, mask_of(bits)};
        if (bits > 1) all.push_back(1);
        if (bits == 2) all.push_back(2);
        return all;
    }
    const OperandType& type = isa_.operand_types[binding.type];
    if (type.kind == OperandKind::enumeration || (type.kind == OperandKind::registers && !type.entries.empty())) {
        for (const Entry& entry : type.entries) all.push_back(entry.code);
    } else if (type.width <= 8) {
        for (std::uint64_t code = 0; code < (std::uint64_t{1} << type.width); ++code) all.push_back(code);
    } else {
        for (unsigned bit = 0; bit < type.width; ++bit) all.push_back(std::uint64_t{1} << bit);
        all.push_back(0);
        all.push_back(mask_of(type.width));
    }
    return all;
}

void Checker::try_all(const LowerInput& input, Diagnostics& found, bool warnings) {
    if (++lowerings_ > max_lowerings || effort_ > max_effort) return;
    Diagnostics attempt;
    LowerResult result = lower(input, attempt, warnings);
    effort_ += result.effort;
    if (result.steering == nullptr) {
        found.append(std::move(attempt));
        return;
    }
    // The binding is one of ours; it is put back as it was.
    Binding& binding = const_cast<Binding&>(*result.steering);
    for (std::uint64_t code : codes(binding)) {
        binding.known = true;
        binding.code = code;
        try_all(input, found, false);
        if (!found.ok()) break;
    }
    binding.known = false;
    binding.code = 0;
}

}  // namespace

bool check_semantics(const Isa& isa, Diagnostics& diagnostics) { return Checker(isa, diagnostics).run(); }

}  // namespace isaforge::semantics
