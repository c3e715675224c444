// Instruction tables: each row, in each of its encodings and lengths, becomes a form.
#include <fmt/format.h>

#include <algorithm>

#include "language/limits.hpp"
#include "language/resolver.hpp"

namespace isaforge::language {

// One instruction of a table: a row, or one member of a family of rows.
struct Resolver::Row {
    const InstructionRow& syntax;
    std::vector<const Value*> values;    // by column, for the chosen variant
    std::vector<std::uint64_t> numbers;  // of those that are numbers
    std::vector<std::string> names;
    std::vector<std::string> relax_names;
};

namespace {

std::size_t column_index(const std::vector<Column>& columns, std::string_view name) {
    for (std::size_t i = 0; i < columns.size(); ++i) {
        if (columns[i].name.text == name) return i;
    }
    return columns.size();
}

// Whether `value` is written in this row and not in one that it names.
bool own(const InstructionRow& row, const Value& value) {
    return &value >= row.values.data() && &value < row.values.data() + row.values.size();
}

// The field whose value chooses between the lengths of a bar, and how many there are; null where there is one length.
const Cell* length_selector(const FormatDeclaration& format) {
    for (const Cell& cell : format.bar.cells) {
        if (!cell.selector.text.empty()) return &cell;
    }
    return nullptr;
}

}  // namespace

const FormatDeclaration* Resolver::find_format(const Name& name, bool complain) {
    const auto found = formats_.find(name.text);
    if (found != formats_.end()) return found->second;
    if (name.text.empty() || broken_.contains(name.text) || !complain) return nullptr;
    std::vector<std::string_view> known;
    for (const FormatDeclaration& format : description_.formats) known.push_back(format.name.text);
    Diagnostic& error = diagnostics_.error(name.place, fmt::format("there is no format '{}'", name.text));
    const std::string_view meant = nearest(name.text, known);
    if (!meant.empty()) error.suggest(std::string(meant));
    return nullptr;
}

void Resolver::resolve_table(const InstructionsDeclaration& table) {
    const std::size_t before = diagnostics_.errors();
    bool all_known = true;
    encodings_here_.clear();
    for (const EncodingSyntax& encoding : table.encodings) {
        if (!here(encoding.only)) continue;
        all_known &= find_format(encoding.format) != nullptr;
        encodings_here_.push_back(&encoding);
    }
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
        const Name& name = table.columns[i].name;
        if (column_index(table.columns, name.text) != i)
            diagnostics_.error(name.place, fmt::format("column '{}' is there twice", name.text));
    }
    if (diagnostics_.errors() != before || !all_known) return;
    for (const InstructionRow& row : table.rows) {
        if (diagnostics_.overflowing() || forms_limit_told_) return;
        if (!row.broken && here(row.only)) resolve_row(table, row);
    }
}

// Picks each column's value for the chosen variant; false where the row does not exist in it or is broken.
bool Resolver::column_values(const InstructionsDeclaration& table, const InstructionRow& syntax,
                             std::vector<const Value*>& out) {
    std::size_t next = 0;
    out.reserve(table.columns.size());
    for (const Column& column : table.columns) {
        const std::size_t count = column.by_variant ? std::max<std::size_t>(description_.own_variants(), 1) : 1;
        if (next + count > syntax.values.size()) return false;  // the parser has said so
        const Value& value = syntax.values[next + (column.by_variant ? variant_index_ : 0)];
        next += count;
        if (value.kind == Value::Kind::absent && column.by_variant) return false;
        out.push_back(&value);
    }
    return true;
}

void Resolver::resolve_row(const InstructionsDeclaration& table, const InstructionRow& syntax) {
    Row row{syntax, {}, {}, {}, {}};
    if (!column_values(table, syntax, row.values)) return;
    row.numbers.reserve(row.values.size());
    for (const Value* value : row.values) row.numbers.push_back(number_of(*value));
    if (!substitute_names(table, row)) return;
    const Value* range = nullptr;
    for (const Value* value : row.values) {
        if (value->kind != Value::Kind::range || !own(syntax, *value)) continue;
        if (value->high < value->low || value->high - value->low > longest_range) {
            diagnostics_.error(value->place, fmt::format("the range {}..{} is empty or longer than {}", value->low,
                                                         value->high, longest_range));
            return;
        }
        if (range) {
            diagnostics_.error(value->place, "one column of a row may be a range")
                .note(range->place, "the other is here");
            return;
        }
        range = value;
    }
    if (syntax.reserved) return add_reserved(table, row);
    const auto& first = syntax.names.empty() ? syntax.relax_names : syntax.names;
    if (first.empty() || first[0].members.empty() || first[0].members[0].text.empty()) return;
    if (syntax.names.empty() && !syntax.alias) {
        diagnostics_.error(
            first[0].members[0].place,
            "a row with only `relax` names is never printed: mark it `alias`, beside the row it reads as");
        return;
    }
    const std::size_t members = range ? range->high - range->low + 1 : 1;
    for (const auto* alternatives : {&syntax.names, &syntax.relax_names}) {
        for (const auto& [alternative, dialect] : *alternatives) {
            if (alternative.size() == members) continue;
            diagnostics_
                .error(alternative[0].place,
                       fmt::format("{} name{} for {} value{}: a range needs a list of as many names, as in add_{{a b}}",
                                   alternative.size(), alternative.size() == 1 ? "" : "s", members,
                                   members == 1 ? "" : "s"))
                .note(range ? range->place : syntax.place, "the values are here");
            return;
        }
    }
    const std::vector<const RowName*> names = in_dialect_order(syntax.names);
    for (std::size_t member = 0; member < members; ++member) {
        row.names.clear();
        row.relax_names.clear();
        for (const RowName* name : names) row.names.push_back(name->members[member].text);
        for (const RowName& name : syntax.relax_names) row.relax_names.push_back(name.members[member].text);
        for (std::size_t i = 0; i < row.values.size(); ++i) {
            if (range && row.values[i] == range) row.numbers[i] = range->low + member;
        }
        add_instruction(table, row);
    }
}

// A column that names another row has that row's opcode. False where it names none.
bool Resolver::substitute_names(const InstructionsDeclaration& table, Row& row) {
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
        if (row.values[i]->kind != Value::Kind::type) continue;
        const std::size_t before = diagnostics_.errors();
        const auto found = opcode_of(*row.values[i], table.columns[i]);
        if (diagnostics_.errors() != before) return false;
        if (!found) continue;
        row.values[i] = found->first;
        row.numbers[i] = found->second;
    }
    return true;
}

// A column that fills a field takes numbers and the opcodes of other rows: says so where the name is none.
bool Resolver::names_no_opcode(const InstructionsDeclaration& table, const Column& column, const Value& value) {
    const FormatDeclaration* format = table.encodings.empty() ? nullptr : find_format(table.encodings[0].format, false);
    if (!format || value.type->name.empty() || !value.type->arguments.empty()) return false;
    const bool is_field = std::any_of(format->bar.cells.begin(), format->bar.cells.end(), [&](const Cell& cell) {
        return cell.kind == Cell::Kind::named && cell.name.text == column.name.text;
    });
    if (!is_field || is_type(value.type->name)) return false;
    Diagnostic& error = diagnostics_.error(
        value.place, fmt::format("there is no instruction '{}' with a number in column {}, and no such constant",
                                 value.type->name, column.name.text));
    std::vector<std::string_view> known;
    index_rows();
    for (const auto& [name, named] : rows_by_name_) {
        if (known.empty() || known.back() != name) known.push_back(name);
    }
    for (const auto& [name, constant] : isa_.constants) known.push_back(name);
    const std::string_view meant = nearest(value.type->name, known);
    if (!meant.empty()) error.suggest(std::string(meant));
    return true;
}

// The number of a constant whose name stands in a column.
std::optional<std::uint64_t> Resolver::constant_in(const Value& value) const {
    if (value.kind != Value::Kind::type || !value.type->arguments.empty()) return std::nullopt;
    const auto constant = isa_.constants.find(value.type->name);
    return constant != isa_.constants.end() ? std::optional(constant->second) : std::nullopt;
}

// What the names of a row's columns and of the constants stand for.
Bindings Resolver::row_bindings(const InstructionsDeclaration& table, const Row& row) {
    Bindings out;
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
        const Value& value = *row.values[i];
        Binding binding;
        if (value.kind == Value::Kind::type) {
            binding.number = constant_in(value);
            if (!binding.number) {
                if (names_no_opcode(table, table.columns[i], value)) continue;
                binding.type = type_of(*value.type, {});
                if (binding.type == no_index) continue;
            }
        } else if (value.kind != Value::Kind::absent && !unassigned(value)) {
            binding.number = row.numbers[i];
        }
        out.set(table.columns[i].name.text, binding);
    }
    return out;
}

void Resolver::add_instruction(const InstructionsDeclaration& table, const Row& row) {
    if (isa_.forms.size() >= most_forms) {
        if (!forms_limit_told_)
            diagnostics_.error(
                row.syntax.place,
                fmt::format("more than {} instructions, each counted with all of its encodings", most_forms));
        forms_limit_told_ = true;
        return;
    }
    Instruction instruction;
    instruction.names = row.names;
    instruction.relax_names = row.relax_names;
    instruction.only_relaxed = row.names.empty();
    if (instruction.only_relaxed) instruction.names = row.relax_names;
    instruction.title = row.syntax.title;
    instruction.meaning = row.syntax.meaning;
    instruction.guard = table.guard;
    instruction.lanes = table.lanes;
    instruction.lane_mask = table.lane_mask;
    std::vector<Arrival> arrivals;
    for (const ArrivalSyntax& each : table.arrivals) arrivals.push_back({each.counter, each.in_order, each.condition});
    instruction.arrivals = std::move(arrivals);
    isa_.has_arrivals |= !table.arrivals.empty();
    instruction.names_in_meaning = names_of(table.where[row.syntax.where]);
    instruction.where = row.syntax.place;
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
        const Value& value = *row.values[i];
        if (value.kind == Value::Kind::number || value.kind == Value::Kind::range ||
            value.kind == Value::Kind::automatic)
            instruction.constants[table.columns[i].name.text] = row.numbers[i];
        else if (const auto constant = constant_in(value))
            instruction.constants[table.columns[i].name.text] = *constant;
        isa_.has_cycles |= table.columns[i].name.text == cycle_count;
    }
    const std::size_t before = diagnostics_.errors();
    const Bindings names = row_bindings(table, row);
    Bindings with_all = names;
    for (const Column& column : table.columns) with_all.set_missing(column.name.text, Binding{0, no_index});
    for (const EncodingSyntax* encoding : encodings_here_)
        add_forms(table, row, *encoding, names, with_all, instruction);
    if (instruction.forms.empty()) {
        const bool broken_format = std::any_of(
            table.encodings.begin(), table.encodings.end(),
            [&](const EncodingSyntax& encoding) { return formats_checked_.contains(encoding.format.text); });
        if (diagnostics_.errors() == before && !broken_format && !absent())
            diagnostics_.error(row.syntax.place, "this row has no encoding: every one of its table's is absent for it");
        return;
    }
    std::stable_sort(instruction.forms.begin(), instruction.forms.end(),
                     [&](Index a, Index b) { return isa_.forms[a].bits < isa_.forms[b].bits; });
    const auto index = static_cast<Index>(isa_.instructions.size());
    for (const Index form : instruction.forms) isa_.forms[form].instruction = index;
    isa_.instructions.push_back(std::move(instruction));
}

// Whether the parameters alone say that no encoding of the table is there: whatever its rows are.
bool Resolver::absent() {
    return std::ranges::all_of(encodings_here_, [&](const EncodingSyntax* encoding) {
        return encoding->condition && evaluate(encoding->condition, {}, false) == 0u;
    });
}

void Resolver::add_forms(const InstructionsDeclaration& table, const Row& row, const EncodingSyntax& encoding,
                         const Bindings& names, const Bindings& with_all, Instruction& instruction) {
    const FormatDeclaration* format = find_format(encoding.format);
    if (!format) return;
    if (encoding.condition && evaluate(encoding.condition, with_all).value_or(0) == 0) return;
    const std::size_t before = isa_.forms.size();
    const Cell* selector = length_selector(*format);
    if (!selector) add_form(table, row, encoding, *format, names, std::nullopt, instruction);
    for (unsigned choice = 0; selector && choice < selector->types.size(); ++choice)
        add_form(table, row, encoding, *format, names, Alternative{selector->selector.text, choice}, instruction);
    const std::uint32_t needs = needs_of(encoding.condition, with_all);
    for (std::size_t i = before; i < isa_.forms.size(); ++i) isa_.forms[i].needs = needs;
}

// The shape that an earlier row of the same kind got, or a new one; null where it does not work out.
std::shared_ptr<Resolver::Shape> Resolver::shape_of(const InstructionsDeclaration& table, const Row& row,
                                                    const EncodingSyntax& encoding, const FormatDeclaration& format,
                                                    const Bindings& names,
                                                    const std::optional<Alternative>& alternative) {
    const auto& meanings = names.entries();
    const bool shared = row.syntax.texts.empty() && meanings.size() == table.columns.size();
    std::vector<std::shared_ptr<Shape>>* known = nullptr;
    if (shared) {
        known = &shapes_[{&encoding, alternative ? alternative->choice : 0}];
        for (const auto& shape : *known) {
            if (std::all_of(shape->asked.begin(), shape->asked.end(),
                            [&](const auto& asked) { return meanings[asked.first].binding == asked.second; }))
                return shape;
        }
    }
    Bindings noted = names;
    Asked asked;
    noted.asked = &asked;
    const std::size_t before = diagnostics_.errors();
    std::shared_ptr<Shape> shape = make_shape(table, row, encoding, format, noted, alternative);
    if (!shape || diagnostics_.errors() != before || !shared) return shape;
    for (const auto& [name, meaning] : asked) {
        for (std::size_t i = 0; i < meanings.size(); ++i) {
            if (meanings[i].name == name) shape->asked.emplace_back(i, meanings[i].binding);
        }
    }
    known->push_back(shape);
    return shape;
}

std::shared_ptr<Resolver::Shape> Resolver::make_shape(const InstructionsDeclaration& table, const Row& row,
                                                      const EncodingSyntax& encoding, const FormatDeclaration& format,
                                                      const Bindings& names,
                                                      const std::optional<Alternative>& alternative) {
    auto shape = std::make_shared<Shape>();
    std::vector<TypeRef> arguments = encoding.arguments;
    if (arguments.empty()) {  // parameters that the head does not give are columns of the same name
        for (const Name& parameter : format.parameters) {
            if (column_index(table.columns, parameter.text) < table.columns.size())
                arguments.push_back({encoding.format.place, {}, parameter.text, {}});
        }
    }
    Asked asked;  // the arguments do not last
    Bindings outer = names;
    outer.asked = &asked;
    const bool bound = bind_arguments(format.parameters, arguments, outer, encoding.format.place, "format", format.name,
                                      shape->parameters);
    for (const auto& [name, meaning] : asked) {
        for (const auto& entry : names.entries()) {
            if (entry.name == name) names.find(entry.name);
        }
    }
    if (!bound) return nullptr;
    // A format that does not work out is reported once, not for each of its rows.
    if (formats_checked_.contains(format.name.text)) return nullptr;
    if (format.bar.broken) {
        formats_checked_.insert(format.name.text);
        return nullptr;
    }
    Bindings bindings = names;
    bindings.set_all(shape->parameters);
    shape->layout = whole_layout(format, bindings, alternative);
    if (!shape->layout) {
        formats_checked_.insert(format.name.text);
        return nullptr;
    }
    const auto& texts = row.syntax.texts.empty() ? encoding.texts : row.syntax.texts;
    shape->texts = form_texts(texts, format, alternative, *shape->layout, bindings);
    shape->names = names_of(format, encoding, shape->parameters);
    return shape;
}

// The names that hold in meanings of a format's forms: its parameters that are numbers, its own names, and the encoding's.
SharedList<Naming> Resolver::names_of(const FormatDeclaration& format, const EncodingSyntax& encoding,
                                      const Bindings& parameters) {
    if (format.where.empty()) return names_of(encoding.where);
    std::vector<Naming> out;
    for (const auto& [name, binding] : parameters.entries()) {
        if (!binding.number) continue;
        semantics::Expression number;
        number.kind = semantics::ExpressionKind::integer;
        number.integer = *binding.number;
        number.place = format.name.place;
        out.push_back({std::string(name),
                       std::make_shared<const semantics::Expression>(std::move(number)),
                       format.name.place,
                       {}});
    }
    for (const auto* names : {&format.where, &encoding.where})
        for (const Naming& each : names_of(*names).list()) out.push_back(each);
    return out;
}

// The texts for forms of this format: many tables write them alike. Where its fields stand and what they are called is the
// same in all of its layouts; what they are matters where they may be left out.
SharedList<TextTemplate> Resolver::form_texts(const std::vector<Text>& texts, const FormatDeclaration& format,
                                              const std::optional<Alternative>& alternative, const Layout& layout,
                                              const Bindings& bindings) {
    const auto fits = [&](const std::vector<TextTemplate>& templates) {
        return std::ranges::all_of(templates, [&](const TextTemplate& text) {
            return std::ranges::all_of(text, [&](const TextElement& element) {
                return std::ranges::all_of(element.fields,
                                           [&](Index i) { return may_be_absent(layout.fields[i].type); });
            });
        });
    };
    std::string key =
        fmt::format("{} {}", &format - description_.formats.data(), alternative ? alternative->choice : 0);
    for (const Text* text : in_dialect_order(texts)) key.append(1, '\0').append(text->text);
    Remembered<std::vector<TextTemplate>>& known = texts_[std::move(key)];
    if (const auto same = known.find(bindings); same && fits(*same)) return same;
    Bindings noted = bindings;
    Asked asked;
    noted.asked = &asked;
    const std::size_t before = diagnostics_.errors();
    const auto out =
        std::make_shared<const std::vector<TextTemplate>>(resolve_texts(texts, layout.fields, noted, true));
    for (const auto& [name, meaning] : asked) bindings.find(name);
    for (std::size_t i = 0; i < out->size(); ++i) {
        const auto marks = std::count_if((*out)[i].begin(), (*out)[i].end(),
                                         [](const TextElement& e) { return e.kind == TextKind::name; });
        if (marks > 1)
            diagnostics_.error(texts[i].place,
                               "the text of an instruction has {name} once at most: the mnemonic's place");
    }
    if (diagnostics_.errors() == before) known.add(std::move(asked), out);
    return out;
}

// Each of several instructions has whole units.
void Resolver::check_parts(const FormatDeclaration& format, const Layout& layout) {
    unsigned begin = 0;
    for (const unsigned end : layout.parts) {
        if (end == begin || (end - begin) % isa_.unit_bits != 0) {
            diagnostics_.error(format.bar.place,
                               fmt::format("before `then` stands an instruction of {} bits in format {}; instructions "
                                           "are made of units of {}",
                                           end - begin, format.name.text, isa_.unit_bits));
            return;
        }
        begin = end;
    }
}

// The format's bits, which must be whole units. Null where they do not work out.
std::shared_ptr<const Layout> Resolver::whole_layout(const FormatDeclaration& format, const Bindings& bindings,
                                                     const std::optional<Alternative>& alternative) {
    Remembered<Layout>& known = layouts_[{&format, alternative ? alternative->choice : 0}];
    if (auto same = known.find(bindings)) return same;
    Bindings noted = bindings;
    Asked asked;
    noted.asked = &asked;
    const std::size_t before = diagnostics_.errors();
    auto layout = lay_out(format.bar.cells, bar_order(), noted, alternative);
    for (const auto& [name, meaning] : asked) bindings.find(name);
    if (layout) check_parts(format, *layout);
    if (layout && (layout->bits % isa_.unit_bits != 0 || layout->bits == 0)) {
        const unsigned over = layout->bits % isa_.unit_bits;
        const unsigned whole = layout->bits / isa_.unit_bits * isa_.unit_bits;
        const std::string off = whole > 0 && over <= isa_.unit_bits / 2
                                    ? fmt::format("{} too many for {}", over, whole)
                                    : fmt::format("{} short of {}", isa_.unit_bits - over, whole + isa_.unit_bits);
        diagnostics_.error(
            format.bar.place,
            fmt::format("format {} has {} bits ({}), {}; instructions are made of units of {}", format.name.text,
                        layout->bits, sum_of(format.bar.cells, bindings), off, isa_.unit_bits));
    }
    if (!layout || diagnostics_.errors() != before) return nullptr;
    auto out = std::make_shared<const Layout>(std::move(*layout));
    known.add(std::move(asked), out);
    return out;
}

void Resolver::add_form(const InstructionsDeclaration& table, const Row& row, const EncodingSyntax& encoding,
                        const FormatDeclaration& format, const Bindings& names,
                        const std::optional<Alternative>& alternative, Instruction& instruction) {
    const std::size_t before = diagnostics_.errors();
    const auto shape = shape_of(table, row, encoding, format, names, alternative);
    if (!shape || formats_checked_.contains(format.name.text)) return;
    if (diagnostics_.errors() != before) return void(formats_checked_.insert(format.name.text));
    Form form;
    form.format = static_cast<Index>(&format - description_.formats.data());
    form.bits = shape->layout->bits;
    form.parts = shape->layout->parts;
    form.where = row.syntax.place;
    form.alias = row.syntax.alias || encoding.alias;
    if (!form.parts.empty() && !form.alias) {
        diagnostics_.error(row.syntax.place, "what stands for several instructions is an `alias`: they are printed");
        return;
    }
    form.names_twin = encoding.alias || std::any_of(row.values.begin(), row.values.end(),
                                                    [&](const Value* value) { return !own(row.syntax, *value); });
    awaited_.clear();
    const Reuse reused = shape->settled ? reuse(table, row, encoding, names, *shape, form) : Reuse::impossible;
    if (reused == Reuse::absent) return;
    if (reused == Reuse::impossible && !make_form(table, row, encoding, format, names, alternative, *shape, form))
        return;
    form.names_in_meaning = shape->names;
    if (!encoding.alias) note_opcodes(table, row, form.fields, *shape->layout);
    keep_awaited(static_cast<Index>(isa_.forms.size()), static_cast<Index>(isa_.instructions.size()));
    instruction.forms.push_back(static_cast<Index>(isa_.forms.size()));
    isa_.forms.push_back(std::move(form));
}

// The form of a row whose shape has one already: only the numbers differ. Impossible where one is not like those before, which
// is for make_form to see.
Resolver::Reuse Resolver::reuse(const InstructionsDeclaration& table, const Row& row, const EncodingSyntax& encoding,
                                const Bindings& names, const Shape& shape, Form& form) {
    Image written = shape.written;
    const auto put = [&](Index index, std::uint64_t number) {
        const BitPlace& place = shape.fields[index].place;
        if (place.width < 64 && number >> place.width != 0) return false;
        place.insert(written, number);
        return true;
    };
    for (const auto& [column, field] : shape.columns) {
        const Value& given = *row.values[column];
        if (given.kind == Value::Kind::absent) return Reuse::absent;
        const bool digits_fit = !table.columns[column].bits || given.digits.empty() ||
                                given.digits.size() == shape.fields[field].place.width;
        if (given.kind == Value::Kind::type || unassigned(given) || !digits_fit ||
            given.ignored != shape.fields[field].ignored || !put(field, row.numbers[column]))
            return Reuse::impossible;
    }
    if (!encoding.with.empty()) {
        Bindings bindings = names;
        bindings.set_all(shape.parameters);
        for (std::size_t i = 0; i < encoding.with.size(); ++i) {
            const With& with = encoding.with[i];
            const std::optional<std::uint64_t> number = with.value.number ? evaluate(with.value.number, bindings, false)
                                                                          : with_value(table, row, with, bindings);
            if (!number || !put(shape.with[i], *number)) return Reuse::impossible;
        }
    }
    form.mask = shape.mask;
    form.written = written;
    form.value = written & shape.mask;
    form.fields = shape.fields;
    form.texts = shape.texts;
    form.takes = shape.takes;
    return Reuse::done;
}

bool Resolver::make_form(const InstructionsDeclaration& table, const Row& row, const EncodingSyntax& encoding,
                         const FormatDeclaration& format, const Bindings& names,
                         const std::optional<Alternative>& alternative, Shape& shape, Form& form) {
    const std::size_t before = diagnostics_.errors();
    Bindings bindings = names;
    bindings.set_all(shape.parameters);
    Draft draft{form, shape.layout->fields};
    draft.form.mask = shape.layout->mask;
    draft.form.value = shape.layout->value;
    draft.form.written = shape.layout->written;
    if (alternative && !fix_field(draft, alternative->selector, alternative->choice, false,
                                  length_selector(format)->selector.place, format)) {
        formats_checked_.insert(format.name.text);
        return false;
    }
    shape.written = draft.form.written;
    if (!fix_columns(table, row, encoding, format, bindings, draft)) return false;
    form = draft.form;
    const auto takes = std::make_shared<std::vector<Taking>>();
    for (const TakesSyntax& taking : format.takes) add_taking(taking, format, draft.fields, takes);
    for (const TakesSyntax& taking : encoding.takes) add_taking(taking, format, draft.fields, takes);
    form.takes = std::shared_ptr<const std::vector<Taking>>(takes);
    form.fields = std::move(draft.fields);
    form.texts = shape.texts;
    check_fields_used(form, format, row);
    if (diagnostics_.errors() != before) {
        formats_checked_.insert(format.name.text);
        return false;
    }
    if (awaited_.empty()) settle(table, encoding, form, shape);
    return true;
}

// Keeps what the next form of the shape has in common with this one.
void Resolver::settle(const InstructionsDeclaration& table, const EncodingSyntax& encoding, const Form& form,
                      Shape& shape) {
    const auto field_of = [&](const std::string& name) {
        const auto found = std::find_if(form.fields.begin(), form.fields.end(),
                                        [&](const Field& field) { return field.name == name; });
        return static_cast<Index>(found - form.fields.begin());
    };
    shape.with.clear();
    shape.columns.clear();
    for (const With& with : encoding.with) shape.with.push_back(field_of(with.field.text));
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
        const Index field = field_of(table.columns[i].name.text);
        if (field == form.fields.size() || std::find(shape.with.begin(), shape.with.end(), field) != shape.with.end())
            continue;
        shape.columns.emplace_back(i, field);
    }
    shape.fields = form.fields;
    shape.takes = form.takes;
    shape.mask = form.mask;
    shape.settled = true;
}

bool Resolver::fix_field(Draft& draft, const std::string& name, std::uint64_t value, bool ignored, Place place,
                         const FormatDeclaration& format) {
    for (Field& field : draft.fields) {
        if (field.name != name) continue;
        const unsigned width = field.place.width;
        if (width < 64 && value >> width != 0) {
            diagnostics_.error(place, fmt::format("{} does not fit in the {} bits of '{}'", value, width, name))
                .note(field.where, "the field is here");
            return false;
        }
        if (field.fixed) {
            diagnostics_.error(place, fmt::format("'{}' is given twice", name));
            return false;
        }
        field.fixed = true;
        field.ignored = ignored;
        field.place.insert(draft.form.written, value);
        if (ignored) return true;
        field.place.insert(draft.form.mask, ~std::uint64_t{0});
        field.place.insert(draft.form.value, value);
        return true;
    }
    diagnostics_.error(place, fmt::format("format {} has no field '{}'", format.name.text, name))
        .note(format.bar.place, "the format is here");
    return false;
}

// Puts the row's columns and the encoding's `with` values into the form.
bool Resolver::fix_columns(const InstructionsDeclaration& table, const Row& row, const EncodingSyntax& encoding,
                           const FormatDeclaration& format, const Bindings& bindings, Draft& draft) {
    const auto overridden = [&](const std::string& name) {
        return std::any_of(encoding.with.begin(), encoding.with.end(),
                           [&](const With& with) { return with.field.text == name; });
    };
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
        const Column& column = table.columns[i];
        const Value& value = *row.values[i];
        const auto field = std::find_if(draft.fields.begin(), draft.fields.end(),
                                        [&](const Field& f) { return f.name == column.name.text; });
        if (field == draft.fields.end()) {
            if (value.ignored) {
                diagnostics_.error(value.place,
                                   fmt::format("only bits can be ignored (`?`), and format {} has no field {}",
                                               format.name.text, column.name.text));
                return false;
            }
            if (column.bits) {
                diagnostics_.error(column.name.place,
                                   fmt::format("column {} is in bits but format {} has no such field", column.name.text,
                                               format.name.text));
                return false;
            }
            continue;
        }
        if (overridden(column.name.text)) continue;
        if (value.kind == Value::Kind::absent) return false;
        if (value.kind == Value::Kind::type) {
            if (bindings.find(column.name.text) || !format.parameters.empty())
                diagnostics_.error(value.place,
                                   fmt::format("column {} is a field: it takes a number", column.name.text));
            return false;
        }
        if (unassigned(value)) {
            if (!await_number(draft, column.name.text, value)) return false;
            continue;
        }
        if (column.bits && !value.digits.empty() && value.digits.size() != field->place.width) {
            diagnostics_
                .error(value.place, fmt::format("'{}' has {} bits, but '{}' has {}", value.digits, value.digits.size(),
                                                column.name.text, field->place.width))
                .note(field->where, "the field is here");
            return false;
        }
        if (!fix_field(draft, column.name.text, row.numbers[i], value.ignored, value.place, format)) return false;
    }
    for (const With& with : encoding.with) {
        std::optional<std::uint64_t> value;
        if (with.value.number) {
            value = evaluate(with.value.number, bindings);
        } else {
            const std::size_t column = column_index(table.columns, with.value.name);
            if (column < table.columns.size() && unassigned(*row.values[column])) {
                if (!await_number(draft, with.field.text, *row.values[column])) return false;
                continue;
            }
            value = with_value(table, row, with, bindings);
            if (!value)
                diagnostics_.error(with.value.place, fmt::format("'{}' is not a number known here", with.value.name));
        }
        if (!value || !fix_field(draft, with.field.text, *value, with.ignored, with.value.place, format)) return false;
    }
    return true;
}

// The number that a `with` names; nothing where it is none, or is not known yet.
std::optional<std::uint64_t> Resolver::with_value(const InstructionsDeclaration& table, const Row& row,
                                                  const With& with, const Bindings& bindings) {
    const std::size_t column = column_index(table.columns, with.value.name);
    if (column < table.columns.size() && unassigned(*row.values[column])) return std::nullopt;
    const Binding* const bound = bindings.find(with.value.name);
    if (bound && bound->number) return bound->number;
    const auto constant = isa_.constants.find(with.value.name);
    return constant != isa_.constants.end() ? std::optional(constant->second) : std::nullopt;
}

// Bits that neither the text nor a column gives could not be written by anyone.
void Resolver::check_fields_used(const Form& form, const FormatDeclaration& format, const Row& row) {
    for (std::size_t i = 0; i < form.fields.size(); ++i) {
        if (form.fields[i].fixed) continue;
        for (const TextTemplate& text : form.texts) {
            const bool used = std::any_of(text.begin(), text.end(), [&](const TextElement& e) {
                return e.field == i || std::find(e.fields.begin(), e.fields.end(), i) != e.fields.end();
            });
            if (used) continue;
            diagnostics_
                .error(row.syntax.place, fmt::format("'{}' of format {} is neither in the text nor given by a column",
                                                     form.fields[i].name, format.name.text))
                .note(form.fields[i].where, "the field is here");
            return;
        }
    }
}

void Resolver::note_opcodes(const InstructionsDeclaration& table, const Row& row, const std::vector<Field>& fields,
                            const Layout& layout) {
    if (!isa_.opcodes_accounted || row.syntax.alias || !awaited_.empty()) return;
    OpcodeRow out;
    out.where = row.syntax.place;
    out.reserved = row.syntax.reserved;
    out.mask = layout.mask;
    out.value = layout.value;
    out.table = static_cast<Index>(&table - description_.instructions.data());
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
        for (const Field& field : fields) {
            if (field.name != table.columns[i].name.text || field.ignored) continue;
            const bool range = row.syntax.reserved && row.values[i]->kind == Value::Kind::range;
            out.columns.push_back({field.place, row.numbers[i], range ? row.values[i]->high : row.numbers[i]});
        }
    }
    isa_.opcode_rows.push_back(std::move(out));
}

// A reserved row claims opcodes without an instruction: its columns are checked like any other's.
void Resolver::add_reserved(const InstructionsDeclaration& table, const Row& row) {
    if (table.encodings.empty()) return;  // which has been said
    const FormatDeclaration* format = find_format(table.encodings[0].format);
    if (!format || format->bar.broken || formats_checked_.contains(format->name.text)) return;
    Bindings bindings;
    const Bindings outer = row_bindings(table, row);
    std::vector<TypeRef> arguments = table.encodings[0].arguments;
    if (!bind_arguments(format->parameters, arguments, outer, table.encodings[0].format.place, "format", format->name,
                        bindings))
        return;
    std::optional<Alternative> alternative;
    if (const Cell* selector = length_selector(*format)) alternative = Alternative{selector->selector.text, 0};
    const auto layout = lay_out(format->bar.cells, bar_order(), bindings, alternative);
    if (!layout) {
        formats_checked_.insert(format->name.text);
        return;
    }
    Draft draft;
    draft.fields = layout->fields;
    Row last = row;
    for (std::size_t i = 0; i < last.numbers.size(); ++i) last.numbers[i] = row.values[i]->high;
    if (!fix_columns(table, last, table.encodings[0], *format, bindings, draft)) return;
    note_opcodes(table, row, draft.fields, *layout);
}

}  // namespace isaforge::language
