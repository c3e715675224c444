// The type check. It lowers each instruction with the codes of its operands left open. What the types can depend on is
// tried out: one row of a table operand for each kind of thing that its rows mean, and, where a width or a bound
// depends on an operand's value, all values. Where that is too much for an instruction as a whole its statements are looked
// at one by one, each with the operands that it depends on (slices.hpp). What is still left out is said.
#include "semantics/check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "language/limits.hpp"
#include "semantics/findings.hpp"
#include "semantics/lowering.hpp"
#include "semantics/reach.hpp"
#include "semantics/slices.hpp"

namespace isaforge::semantics {

namespace {

using language::most_check_effort;
using language::most_combinations;
using language::most_lowerings;
using language::most_shapes;

constexpr unsigned widest_tried = 16;  // bits of an operand that are all tried
constexpr std::size_t few_combinations = 16;
constexpr double all_but_nothing = 0.9999;  // of the values: sums of shares are not exact

class Checker {
public:
    // `each`: what is the same in several forms is looked at in each of them.
    Checker(const Isa& isa, Diagnostics& diagnostics, MeaningsChecked::Findings& findings, bool each)
        : isa_(isa),
          diagnostics_(diagnostics),
          findings_(findings),
          each_(each),
          modes_(isa.modes.size()),
          reach_(isa) {}

    bool run() {
        for (Index type = 0; type < isa_.operand_types.size(); ++type)
            if (isa_.operand_types[type].kind == OperandKind::table) variants(type);
        for (const Instruction& instruction : isa_.instructions) {
            if (enough_.overflowing()) break;
            if (instruction.meaning || instruction.guard)
                check_forms(instruction);
            else
                found_.emplace_back(&instruction, nullptr);
        }
        tell_found();
        check_hazards();
        static const Instruction none;
        LowerInput around{.isa = &isa_, .instruction = &none, .mode_bindings = &modes_};
        for (const EventHandler& event : isa_.events) {
            around.event = &event;
            if (check(around, true)) tell_rest(event.where, "event " + event.name, looked_);
        }
        around.event = nullptr;
        around.only_modes = true;
        if (check(around, true) && !isa_.modes.empty()) tell_rest(isa_.modes.front().where, "the modes", looked_);
        return ok_;
    }

private:
    void check_forms(const Instruction& instruction);
    std::string signature(const Instruction& instruction, std::uint64_t reached_by_row, const Form& form);
    std::uint64_t reached(const Instruction& instruction) const;
    std::uint64_t reached(const SharedList<Naming>& namings);
    // The kinds of bindings of an operand: one for each shape of its rows.
    const std::vector<Binding>& variants(Index type);
    // `names`: those of the fields that matter; null: all do. `share` becomes the part of the combinations that is given.
    std::vector<std::vector<Binding>> products(const std::vector<Field>& fields, const Image& image, const Names* names,
                                               double& share);
    void row_variants(Index type, Index row, std::set<std::string>& shapes, std::vector<Binding>& out);
    Index first_row(Index type) const;
    Index row_without_meaning(Index type) const;
    std::string shape(Index type, const Binding& binding, Diagnostics& found);
    void check(const Instruction& instruction, const Form& form, Finding& finding);
    void tell_found();
    bool check(const LowerInput& input, bool warnings);
    // The part of the operands' values that was looked at; nothing where there are errors.
    std::optional<double> looked_at(const Instruction& instruction, const Form& form, const Names* names,
                                    bool warnings);
    bool are_new_names(const Instruction& instruction, const Form& form);
    void check_hazards();
    void check_number(const Meaning& number, Index of);
    double looked_at_slices(const Instruction& instruction, const Form& form);
    void tell_rest(Place place, const std::string& what, double looked);
    void note_silent(const Instruction& instruction);
    void try_all(const LowerInput& input, Diagnostics& found, bool warnings, double share);
    std::vector<std::uint64_t> codes(const Binding& binding);
    void report(const Diagnostics& found);

    const Isa& isa_;
    Diagnostics& diagnostics_;
    MeaningsChecked::Findings& findings_;
    const bool each_;
    // Of instructions' forms, in order; null for an instruction that says nothing.
    std::vector<std::pair<const Instruction*, const Finding*>> found_;
    Diagnostics enough_;             // what this one found of them
    Diagnostics* finding_ = nullptr; // where messages go while a form is looked at
    std::vector<Binding> modes_;  // open, or as they are being tried
    const Reach reach_;
    std::map<Index, std::vector<Binding>> variants_;
    std::map<const Naming*, std::uint64_t> reached_;  // by the lists of what names stand for in encodings
    std::set<std::tuple<FileId, std::uint32_t, std::string>> reported_;
    std::size_t lowerings_ = 0;
    std::size_t effort_ = 0;
    double looked_ = 0;                     // the part of the values of the operands being tried that was looked at
    std::map<Index, double> known_shapes_;  // the part of an operand's rows whose shapes are known, where it is not all
    std::set<std::string> told_;
    std::set<const Naming*> looked_at_names_;  // lists of them
    std::set<unsigned> with_events_;        // lanes: one instruction of each was checked with the events around it
    bool ok_ = true;
};

void Checker::report(const Diagnostics& found) {
    for (const Diagnostic& diagnostic : found.all()) {
        if (finding_ != nullptr) {
            finding_->take(diagnostic);
            enough_.take(diagnostic);
            continue;
        }
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

// Combinations of the fields' variants: all of them where they are few; else each with the first ones of the other fields, and
// those of one place in all lists together.
std::vector<std::vector<Binding>> Checker::products(const std::vector<Field>& fields, const Image& image,
                                                    const Names* names, double& share) {
    std::vector<std::vector<Binding>> choices;
    std::size_t wanted = 1, most = 1;
    for (const Field& field : fields) {
        std::vector<Binding>& of_field = choices.emplace_back();
        if (field.fixed)
            of_field.push_back(bind_fixed(isa_, field.type, field.place.extract(image)));
        else if (isa_.operand_types[field.type].kind == OperandKind::table)
            of_field = variants(field.type);
        else
            of_field.push_back({.type = field.type});
        if (names && !names->contains(field.name)) of_field.resize(1);
        if (known_shapes_.contains(field.type)) share *= known_shapes_.at(field.type);
        wanted = std::min(wanted * of_field.size(), std::size_t{1} << 32);
        most = std::max(most, of_field.size());
    }
    std::vector<std::vector<Binding>> all;
    const auto add = [&](const auto& which) {
        std::vector<Binding>& next = all.emplace_back();
        for (std::size_t i = 0; i < choices.size(); ++i) next.push_back(choices[i][which(i) % choices[i].size()]);
    };
    if (wanted <= few_combinations) {
        for (std::size_t code = 0; code < wanted; ++code) {
            std::size_t rest = code;
            add([&](std::size_t i) { return std::exchange(rest, rest / choices[i].size()); });
        }
        return all;
    }
    for (std::size_t k = 0; k < most; ++k) add([&](std::size_t) { return k; });
    for (std::size_t field = 0; field < choices.size(); ++field)
        for (std::size_t k = 1; k < choices[field].size() && all.size() < most_combinations; ++k)
            add([&](std::size_t i) { return i == field ? k : 0; });
    if (all.size() >= most_combinations) share *= static_cast<double>(most_combinations) / static_cast<double>(wanted);
    return all;
}

void Checker::row_variants(Index type, Index row, std::set<std::string>& shapes, std::vector<Binding>& out) {
    const OperandRow& table_row = isa_.operand_types[type].rows[row];
    if (table_row.reserved || !table_row.meaning) return;
    double share = 1;
    auto all = products(table_row.fields, {}, nullptr, share);
    if (out.size() >= most_shapes) share = 0;
    const double rows = static_cast<double>(isa_.operand_types[type].rows.size());
    if (share < all_but_nothing) known_shapes_.try_emplace(type, 1).first->second -= (1 - share) / rows;
    for (auto& captures : all) {
        if (out.size() >= most_shapes) return;
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
    if (found.empty()) {  // none is without errors: what refers to it is looked at all the same
        Binding first{.type = type, .row = first_row(type)};
        if (first.row != no_index)
            for (const Field& field : isa_.operand_types[type].rows[first.row].fields) {
                const bool is_table = isa_.operand_types[field.type].kind == OperandKind::table;
                first.captures.push_back(is_table ? variants(field.type).front() : Binding{.type = field.type});
            }
        found.push_back(std::move(first));
    }
    return variants_[type] = std::move(found);
}

namespace {

void add_names(const SharedList<Naming>& namings, Names& names) {
    for (const Naming& naming : namings) add_names(*naming.value, names);
}

}  // namespace

// What an instruction's meaning reaches, but for what its encodings give names to.
std::uint64_t Checker::reached(const Instruction& instruction) const {
    Names names;
    add_names(instruction.names_in_meaning, names);
    for_each_name_in(instruction, [&](const std::string& name) { names.insert(name); });
    return reach_.of(names);
}

std::uint64_t Checker::reached(const SharedList<Naming>& namings) {
    const auto [known, is_new] = reached_.try_emplace(namings.data());
    if (!is_new) return known->second;
    Names names;
    add_names(namings, names);
    return known->second = reach_.of(names);
}

// What is the same in another variant or dialect: the same row in the same encoding, with operands of the same kinds, whose meaning
// reaches the same.
std::string Checker::signature(const Instruction& instruction, std::uint64_t reached_by_row, const Form& form) {
    std::string text = fmt::format("{} {} {} {:x} {:x}", instruction.names[0], instruction.where.offset,
                                   form.where.offset, reached_by_row, reached(form.names_in_meaning));
    for (const Field& field : form.fields.list()) {
        const bool is_table = isa_.operand_types[field.type].kind == OperandKind::table;
        text += fmt::format(" {}:{}:{}", field.name, isa_.operand_types[field.type].name,
                            is_table ? variants(field.type).size() : 0);
    }
    return text;
}

void Checker::check_forms(const Instruction& instruction) {
    const std::uint64_t by_row = reached(instruction);
    for (const Index form : instruction.forms) {
        bool is_first = false;
        std::string name = signature(instruction, by_row, isa_.forms[form]);
        if (each_) name += fmt::format(" {}", form);
        Finding& finding = findings_.claim(name, is_first);
        found_.emplace_back(&instruction, &finding);
        if (is_first) check(instruction, isa_.forms[form], finding);
    }
}

void Checker::check(const Instruction& instruction, const Form& form, Finding& finding) {
    // Others wait for it, whatever happens.
    const auto publish = [this](Finding* done) {
        finding_ = nullptr;
        findings_.publish(*done);
    };
    const std::unique_ptr<Finding, decltype(publish)> published(&finding, publish);
    finding_ = &finding.messages;
    const auto looked = looked_at(instruction, form, nullptr, true);
    if (!looked || *looked > all_but_nothing) return;
    finding.looked = effort_ <= most_check_effort ? looked_at_slices(instruction, form) : *looked;
}

// What was found in all forms, here or where another variant was looked at.
void Checker::tell_found() {
    for (const auto& [instruction, finding] : found_) {
        if (finding == nullptr) {
            note_silent(*instruction);
            continue;
        }
        findings_.wait(*finding);
        report(finding->messages);
        if (finding->looked) tell_rest(instruction->where, instruction->names[0], *finding->looked);
    }
}

// Whether nobody has looked at all that a table, or a format, gives names to. Others look at what their meanings mention.
bool Checker::are_new_names(const Instruction& instruction, const Form& form) {
    const bool of_table = looked_at_names_.insert(instruction.names_in_meaning.data()).second;
    return looked_at_names_.insert(form.names_in_meaning.data()).second || of_table;
}

std::optional<double> Checker::looked_at(const Instruction& instruction, const Form& form, const Names* names,
                                         bool warnings) {
    double share = 1, looked = 0;
    const auto combinations = products(form.fields, form.written, names, share);
    for (const auto& bindings : combinations) {
        LowerInput input{
            .isa = &isa_, .instruction = &instruction, .fields = &form.fields.list(), .bindings = &bindings};
        input.names = &form.names_in_meaning;
        input.mode_bindings = &modes_;
        input.alone = !with_events_.insert(instruction.lanes).second;
        const bool is_first = warnings && &bindings == &combinations.front();
        input.every_name = is_first && are_new_names(instruction, form);
        if (!check(input, is_first)) return std::nullopt;
        looked += looked_;
    }
    return share * looked / static_cast<double>(combinations.size());
}

// What hazards say about instructions: they have to be numbers in all encodings of their class.
void Checker::check_hazards() {
    for (const Hazard& hazard : isa_.hazards)
        for (const HazardSide* side : {&hazard.first, &hazard.second}) check_number(side->condition, side->of);
    for (const Held& held : isa_.held) check_number(held.side.condition, held.side.of);
    for (const Duration& duration : isa_.durations) check_number(duration.states, duration.of);
}

void Checker::check_number(const Meaning& number, Index of) {
    if (!number) return;
    for (const Form& form : isa_.forms) {
        if ((form.classes >> of & 1) == 0) continue;
        double share = 1;
        for (const auto& bindings : products(form.fields, form.written, nullptr, share)) {
            LowerInput input{.isa = &isa_,
                             .instruction = &isa_.instruction_of(form),
                             .fields = &form.fields.list(),
                             .bindings = &bindings,
                             .expression = number.get()};
            input.mode_bindings = &modes_;
            if (!check(input, false)) return;
        }
    }
}

// Each statement with the values of those operands alone that it depends on.
double Checker::looked_at_slices(const Instruction& instruction, const Form& form) {
    double least = 1;
    for (const Slice& slice : slices_of(isa_, instruction, form)) {
        Instruction part = instruction;
        part.meaning = slice.statements;
        const auto looked = looked_at(part, form, &slice.names, false);
        if (!looked) return 1;  // what is wrong there has been said
        least = std::min(least, *looked);
    }
    return least;
}

void Checker::tell_rest(Place place, const std::string& what, double looked) {
    if (looked > all_but_nothing || !told_.insert(what).second) return;
    const double percent = std::max(0.1, 100 * (1 - looked));
    diagnostics_.warning(place,
                         fmt::format("the meaning of {} was not checked for {:.1f}% of what its operands may be: "
                                     "types depend on their values, and there are too many",
                                     what, percent));
}

bool Checker::check(const LowerInput& input, bool warnings) {
    Diagnostics found;
    lowerings_ = 0;
    looked_ = 0;
    try_all(input, found, warnings, 1);
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

// The codes to try for an operand, or a mode, whose value a type depends on; of wide ones a sample, of modes the ends and
// what is next to them: all of them with all operands would be too many.
std::vector<std::uint64_t> Checker::codes(const Binding& binding) {
    std::vector<std::uint64_t> all;
    if (binding.type == no_index) {
        const std::uint64_t last = mask_of(isa_.modes[static_cast<std::size_t>(&binding - modes_.data())].bits);
        std::set<std::uint64_t> some{0, std::min<std::uint64_t>(last, 1), last - std::min<std::uint64_t>(last, 1),
                                     last};
        return {some.begin(), some.end()};
    }
    const OperandType& type = isa_.operand_types[binding.type];
    for (const Entry& entry : type.entries) all.push_back(entry.code);
    if (!type.entries.empty()) return all;
    const unsigned width = type.width;
    if (width <= widest_tried) {
        for (std::uint64_t code = 0; code < (std::uint64_t{1} << width); ++code) all.push_back(code);
        return all;
    }
    for (unsigned bit = 0; bit < width; ++bit) all.push_back(std::uint64_t{1} << bit);
    all.push_back(0);
    all.push_back(mask_of(width));
    return all;
}

void Checker::try_all(const LowerInput& input, Diagnostics& found, bool warnings, double share) {
    if (++lowerings_ > most_lowerings || effort_ > most_check_effort) return;
    Diagnostics attempt;
    LowerResult result = lower(input, attempt, warnings);
    effort_ += result.effort;
    if (result.steering == nullptr) {
        found.append(std::move(attempt));
        looked_ += share;
        return;
    }
    // The binding is one of ours; it is put back as it was.
    Binding& binding = const_cast<Binding&>(*result.steering);
    const std::vector<std::uint64_t> tried = codes(binding);
    const bool is_operand = binding.type != no_index && isa_.operand_types[binding.type].entries.empty();
    const unsigned width = is_operand ? isa_.operand_types[binding.type].width : 0;
    const double of_one = width > widest_tried ? std::ldexp(1.0, -static_cast<int>(width))
                                               : 1 / static_cast<double>(std::max<std::size_t>(tried.size(), 1));
    for (std::uint64_t code : tried) {
        binding.known = true;
        binding.code = code;
        try_all(input, found, false, share * of_one);
        if (!found.ok()) break;
    }
    binding.known = false;
    binding.code = 0;
}

}  // namespace

bool check_semantics(const Isa& isa, Diagnostics& diagnostics, MeaningsChecked* done) {
    MeaningsChecked own;
    return Checker(isa, diagnostics, (done ? *done : own).findings(), done == nullptr).run();
}

}  // namespace isaforge::semantics

namespace isaforge {

MeaningsChecked::MeaningsChecked() : findings_(std::make_unique<Findings>()) {}
MeaningsChecked::~MeaningsChecked() = default;

}  // namespace isaforge
