#include "codec/operands.hpp"

#include <algorithm>
#include <limits>
#include <optional>

#include "codec/tables.hpp"
#include "semantics/tree.hpp"

namespace isaforge {

namespace codec {

namespace {

using semantics::Expression;
using semantics::ExpressionKind;
using semantics::Operator;

// scale * a captured number + bias; the number alone is missing where it is a constant.
struct Sum {
    const Field* field = nullptr;
    std::int64_t scale = 0, bias = 0;
};

// Registers that follow one another.
struct Place {
    Index file = no_index;
    Sum first;
    std::int64_t count = 1;
};

// Which registers a row's meaning names, where it is a place and no computation: `r[n]`, `s[n+1] ++ s[n]`, `v[n +: 4]`, `pc`.
class PlaceReader {
public:
    PlaceReader(const Isa& isa, const OperandType& type, const OperandRow& row) : isa_(isa), type_(type), row_(row) {}

    std::optional<Place> place(const Expression& expression) const;

private:
    std::optional<Sum> sum(const Expression& expression) const;
    std::optional<Sum> named(const std::string& name) const;
    std::optional<Place> side_by_side(const Place& high, const Place& low) const;
    Index file(const std::string& name) const;

    const Isa& isa_;
    const OperandType& type_;
    const OperandRow& row_;
};

Index PlaceReader::file(const std::string& name) const {
    const auto is_captured = [&](const Field& field) { return field.name == name; };
    if (std::ranges::any_of(row_.fields, is_captured)) return no_index;
    const auto found = std::ranges::find(isa_.register_files, name, &RegisterFile::name);
    return found == isa_.register_files.end() ? no_index : static_cast<Index>(found - isa_.register_files.begin());
}

std::optional<Sum> PlaceReader::named(const std::string& name) const {
    for (const Field& field : row_.fields) {
        if (field.name != name) continue;
        const OperandType& type = isa_.operand_types[field.type];
        const NumberRule& rule = type.number;
        const bool plain = type.kind == OperandKind::number && !rule.sliced && !rule.relative && rule.scale == 1 &&
                           rule.bias == 0 && rule.carries == 0 && rule.base == NumberBase::unsigned_integer;
        return plain ? std::optional(Sum{&field, 1, 0}) : std::nullopt;
    }
    for (const auto& [parameter, value] : type_.parameters)
        if (parameter == name) return Sum{nullptr, 0, static_cast<std::int64_t>(value)};
    const auto constant = isa_.constants.find(name);
    if (constant == isa_.constants.end()) return std::nullopt;
    return Sum{nullptr, 0, static_cast<std::int64_t>(constant->second)};
}

std::optional<Sum> PlaceReader::sum(const Expression& expression) const {
    constexpr std::int64_t most = std::int64_t{1} << 20;  // more than there are registers
    const auto small = [](std::int64_t value) { return value > -most && value < most; };
    if (expression.kind == ExpressionKind::integer)
        return expression.integer < most ? std::optional(Sum{nullptr, 0, static_cast<std::int64_t>(expression.integer)})
                                         : std::nullopt;
    if (expression.kind == ExpressionKind::name) return named(expression.name);
    const bool converts = expression.kind == ExpressionKind::call && expression.name.empty();
    if (converts && expression.operands.size() == 1) return sum(*expression.operands[0]);
    if (expression.kind != ExpressionKind::binary) return std::nullopt;
    const std::optional<Sum> a = sum(*expression.operands[0]), b = sum(*expression.operands[1]);
    if (!a || !b || !small(a->scale) || !small(a->bias) || !small(b->scale) || !small(b->bias)) return std::nullopt;
    if (expression.op == Operator::mul && (!a->field || !b->field)) {
        const Sum& factor = a->field ? *b : *a;
        const Sum& other = a->field ? *a : *b;
        return Sum{other.field, other.scale * factor.bias, other.bias * factor.bias};
    }
    if ((expression.op != Operator::add && expression.op != Operator::sub) || (a->field && b->field))
        return std::nullopt;
    const std::int64_t sign = expression.op == Operator::add ? 1 : -1;
    return Sum{a->field ? a->field : b->field, a->scale + sign * b->scale, a->bias + sign * b->bias};
}

std::optional<Place> PlaceReader::side_by_side(const Place& high, const Place& low) const {
    const bool alike =
        high.file == low.file && high.first.field == low.first.field && high.first.scale == low.first.scale;
    if (!alike || high.first.bias != low.first.bias + low.count) return std::nullopt;
    return Place{low.file, low.first, low.count + high.count};
}

std::optional<Place> PlaceReader::place(const Expression& expression) const {
    switch (expression.kind) {
        case ExpressionKind::name: {
            const Index single = file(expression.name);
            if (single == no_index || isa_.register_files[single].index_bits != 0) return std::nullopt;
            return Place{single, {}, 1};
        }
        case ExpressionKind::slice:
        case ExpressionKind::member: return place(*expression.operands[0]);
        case ExpressionKind::element: {
            const Index of = file(expression.name);
            const std::optional<Sum> first = of == no_index ? std::nullopt : sum(*expression.operands[0]);
            return first ? std::optional(Place{of, *first, 1}) : std::nullopt;
        }
        case ExpressionKind::consecutive: {
            const Expression& base = *expression.operands[0];
            const Index of = base.kind == ExpressionKind::name ? file(base.name) : no_index;
            if (of == no_index || isa_.register_files[of].index_bits == 0) return std::nullopt;
            const std::optional<Sum> first = sum(*expression.operands[1]), count = sum(*expression.operands[2]);
            if (!first || !count || count->field || count->bias < 1) return std::nullopt;
            return Place{of, *first, count->bias};
        }
        case ExpressionKind::binary: {
            if (expression.op != Operator::concat) return std::nullopt;
            const std::optional<Place> high = place(*expression.operands[0]), low = place(*expression.operands[1]);
            return high && low ? side_by_side(*high, *low) : std::nullopt;
        }
        default: return std::nullopt;
    }
}

bool is_written(const TextTemplate& text) {
    return std::ranges::any_of(text, [](const TextElement& element) { return element.kind != TextKind::space; });
}

}  // namespace

// --- making plans

const std::vector<OperandStep>& OperandPlans::make(Index form) const {
    const std::lock_guard lock(mutex_);
    if (const auto* const made = forms_[form].load(std::memory_order_relaxed)) return *made;
    const Form& described = isa_.forms[form];
    const auto& made = made_.emplace_back(steps_of(described.texts[0], described.fields));
    forms_[form].store(&made, std::memory_order_release);
    return made;
}

const TypePlan& OperandPlans::of_type(Index type) const {
    const std::lock_guard lock(mutex_);
    return *type_plan(type);
}

const TypePlan* OperandPlans::type_plan(Index index) const {
    const auto [place, is_new] = types_.try_emplace(index);
    TypePlan& plan = place->second;
    if (!is_new) return &plan;
    const OperandType& type = isa_.operand_types[index];
    plan.index = index;
    plan.type = &type;
    plan.has_empty_texts = std::ranges::any_of(type.entries, [](const Entry& entry) { return entry.texts[0].empty(); });
    for (const OperandRow& row : type.rows) plan.rows.push_back(row_plan(type, row));
    return &plan;
}

RowPlan OperandPlans::row_plan(const OperandType& type, const OperandRow& row) const {
    RowPlan plan;
    if (row.texts.empty() || !is_written(row.texts[0])) return plan;
    const std::optional<Place> place = row.meaning ? PlaceReader(isa_, type, row).place(*row.meaning) : std::nullopt;
    if (place) {
        plan.kind = RowPlan::Kind::registers;
        plan.file = place->file;
        plan.count = static_cast<std::uint32_t>(place->count);
        plan.number.field = place->first.field;
        plan.number.scale = place->first.scale;
        plan.number.bias = place->first.bias;
        if (place->first.field && !place->first.field->in_tail)
            plan.number.quick = plan.number.place.set(place->first.field->place);
        return plan;
    }
    plan.steps = steps_of(row.texts[0], row.fields);
    plan.kind = plan.steps.empty() ? RowPlan::Kind::word : RowPlan::Kind::inside;
    return plan;
}

std::vector<OperandStep> OperandPlans::steps_of(const TextTemplate& text, const std::vector<Field>& fields) const {
    std::vector<OperandStep> steps;
    const auto add = [&](Index index, const TextElement* number) {
        const Field& field = fields[index];
        if (field.type >= isa_.operand_types.size()) return;
        OperandStep step;
        step.field = &field;
        step.index = index;
        if (number) {
            step.scale = number->scale;
            step.bias = number->bias;
        } else {
            step.type = type_plan(field.type);
        }
        step.quick = !field.in_tail && step.place.set(field.place);
        steps.push_back(step);
    };
    for (const TextElement& element : text) {
        if (element.kind == TextKind::field) add(element.field, nullptr);
        if (element.kind == TextKind::number) add(element.field, &element);
        if (element.kind != TextKind::any) continue;
        for (const Index index : element.fields) add(index, nullptr);
    }
    return steps;
}

// --- walking

void describe_sum(Index type, std::uint64_t code, std::int64_t value, Operand& out) {
    out.kind = Operand::Kind::number;
    out.relative = false;
    out.type = type;
    out.row = out.file = no_index;
    out.code = code;
    out.first = out.count = 0;
    out.value = value;
}

bool describe(const TypePlan& plan, Index row, std::uint64_t code, const Image& image, unsigned tail,
              std::uint64_t address, Operand& out) {
    const OperandType& type = *plan.type;
    out.relative = false;
    out.type = plan.index;
    out.row = row;
    out.code = code;
    out.file = no_index;
    out.first = out.count = 0;
    out.value = 0;
    if (plan.has_empty_texts) {
        const auto entry = std::ranges::find(type.entries, code, &Entry::code);
        if (entry != type.entries.end() && entry->texts[0].empty()) return false;
    }
    switch (type.kind) {
        case OperandKind::number: {
            const NumberRule& rule = type.number;
            out.kind = Operand::Kind::number;
            out.relative = rule.relative;
            out.value = rule.format == NumberFormat::floating ? static_cast<std::int64_t>(code << rule.slice_low)
                                                              : decode_number(rule, type.width, code, address);
            return true;
        }
        case OperandKind::registers:
            out.kind = Operand::Kind::registers;
            out.file = type.registers;
            out.first = static_cast<std::uint32_t>(code);
            out.count = 1;
            return true;
        case OperandKind::enumeration: out.kind = Operand::Kind::entry; return true;
        case OperandKind::table: break;
    }
    const RowPlan& found = plan.rows[row];
    out.kind = found.kind == RowPlan::Kind::registers ? Operand::Kind::registers : Operand::Kind::word;
    out.file = found.file;
    out.count = found.count;
    if (found.kind != RowPlan::Kind::registers) return found.kind == RowPlan::Kind::word;
    const std::uint64_t number = found.number.field ? found.number.code_in(code, image, tail) : 0;
    out.first = static_cast<std::uint32_t>(static_cast<std::int64_t>(number) * found.number.scale + found.number.bias);
    return true;
}

namespace {

struct Walk {
    const Codec& codec;
    const Codec::Tables& tables;
    const Image& image;
    unsigned tail;
    std::uint64_t address;
    void (*visit)(void*, const Operand&);
    void* to;
    Operand operand{};

    Index row_of(const TypePlan& plan, std::uint64_t code) const {
        const std::vector<std::uint16_t>& rows = tables.operands[plan.index].row;
        if (rows.empty()) return codec.row_of(plan.index, code);
        return code >= rows.size() || rows[code] == OperandTable::no_row ? no_index : rows[code];
    }

    void step(const OperandStep& step, std::uint64_t code) {
        if (step.type) return type(*step.type, code);
        describe_sum(step.field->type, code, static_cast<std::int64_t>(code) * step.scale + step.bias, operand);
        visit(to, operand);
    }

    void type(const TypePlan& plan, std::uint64_t code) {
        Index row = no_index;
        if (plan.type->kind == OperandKind::table) {
            row = row_of(plan, code);
            if (row == no_index) return;
            const RowPlan& found = plan.rows[row];
            for (const OperandStep& inside : found.steps) step(inside, inside.code_in(code, image, tail));
            if (found.kind == RowPlan::Kind::nothing || found.kind == RowPlan::Kind::inside) return;
        }
        if (describe(plan, row, code, image, tail, address, operand)) visit(to, operand);
    }
};

}  // namespace

// --- printing

void OperandRecord::add(Index type, Index row, std::uint64_t code, const PrintContext& context, const char* from,
                        const char* to) {
    Operand operand;
    if (describe(plans_.of_type(type), row, code, context.image, context.tail_at, context.address, operand))
        put(operand, context.tail_at, from, to);
}

void OperandRecord::add_sum(Index type, std::uint64_t code, std::int64_t value, const PrintContext& context,
                            const char* from, const char* to) {
    Operand operand;
    describe_sum(type, code, value, operand);
    put(operand, context.tail_at, from, to);
}

void OperandRecord::move(std::size_t first, const char* to) {
    const auto distance = static_cast<std::uint32_t>(to - begin);
    for (std::size_t i = first; i < operands_.size(); ++i) {
        operands_[i].begin += distance;
        operands_[i].end += distance;
    }
}

// Where the operand is follows from the fields that it is in, up to one whose bits are counted from the instruction's end.
void OperandRecord::put(Operand operand, unsigned tail, const char* from, const char* to) {
    unsigned bit = 0;
    bool counts = true;
    for (const InField* in = inside_; in != nullptr; in = in->outer_) {
        operand.field = in->index_;
        if (!counts) continue;
        const auto holds_it = [&](const BitPiece& one) { return bit >= one.shift && bit < one.shift + one.width; };
        const auto piece = std::ranges::find_if(in->field_.place.pieces, holds_it);
        counts = piece != in->field_.place.pieces.end() && !in->field_.in_tail;
        if (piece == in->field_.place.pieces.end()) {
            bit = PrintedOperand::no_bit;
        } else {
            bit = piece->position + bit - piece->shift + (in->field_.in_tail ? tail : 0);
        }
    }
    while (from != to && *from == ' ') ++from;  // between this one and the one before
    operands_.push_back(
        {operand, static_cast<std::uint32_t>(from - begin), static_cast<std::uint32_t>(to - begin), bit});
}

}  // namespace codec

void Codec::visit_operands(Index form, const Image& image, std::uint64_t address, void (*visit)(void*, const Operand&),
                           void* to) const {
    tables_->need_codes(form);
    codec::Walk walk{*this, *tables_, image, isa_->forms[form].bits, address, visit, to};
    for (const codec::OperandStep& step : operand_plans_->of(form)) {
        walk.operand.field = step.index;
        walk.tail = codec::tail_at(*this, form, step.index, image);
        walk.step(step, step.code_in(image));
    }
}

}  // namespace isaforge
