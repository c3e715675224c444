// The opcode space as a description speaks of it: pools for formats, patterns that nothing may have, rows whose opcode the
// allocator chooses, and columns that name another row instead of repeating its opcode.
#include <fmt/format.h>

#include <algorithm>

#include "isaforge/image.hpp"
#include "language/resolver.hpp"

namespace isaforge::language {

namespace {

// The digits up to the first x, as a number of so many bits.
std::pair<std::uint64_t, unsigned> fixed_part(const BitPattern& pattern) {
    std::uint64_t value = 0;
    unsigned width = 0;
    for (; width < pattern.digits.size() && pattern.digits[width] != 'x'; ++width)
        value = value << 1 | (pattern.digits[width] == '1');
    return {value, width};
}

// Which bits a rule for words looks at, and what they are there.
template <typename Rule>
void set_pattern(Rule& rule, const BitPattern& pattern) {
    for (const char digit : pattern.digits) {
        rule.mask = rule.mask << 1 | (digit != 'x');
        rule.value = rule.value << 1 | (digit == '1');
    }
}

}  // namespace

void Resolver::resolve_pools() {
    for (const PoolDeclaration& syntax : description_.pools) {
        Pool pool;
        pool.name = syntax.name.text;
        pool.where = syntax.place;
        pool.capacity = syntax.capacity;
        const std::size_t before = diagnostics_.errors();
        for (const BitPattern* bound : {&syntax.low, &syntax.high}) {
            if (bound->digits.find_last_of("01") != std::string::npos &&
                bound->digits.find_last_of("01") > bound->digits.find('x'))
                diagnostics_.error(bound->place, "the free bits of a pool's bound stand at its end");
        }
        const auto [low, low_width] = fixed_part(syntax.low);
        const auto [high, high_width] = fixed_part(syntax.high);
        if (diagnostics_.errors() == before && low_width != high_width) {
            diagnostics_
                .error(syntax.high.place, fmt::format("the upper bound fixes {} bits but the lower one {}: a pool "
                                                      "counts opcodes of one width",
                                                      high_width, low_width))
                .note(syntax.low.place, "the lower bound is here");
        } else if (low_width == 0 && diagnostics_.errors() == before) {
            diagnostics_.error(syntax.low.place, "a pool's bounds have at least one fixed bit");
        } else if (high < low && diagnostics_.errors() == before) {
            diagnostics_.error(syntax.high.place, "the upper bound of the pool is below the lower one");
        }
        for (const Name& name : syntax.formats) add_pool_formats(name, pool);
        if (diagnostics_.errors() != before) continue;
        pool.width = low_width;
        pool.low = low;
        pool.high = high;
        isa_.pools.push_back(std::move(pool));
    }
}

void Resolver::add_pool_formats(const Name& name, Pool& pool) {
    if (!name.text.ends_with('*')) {
        const FormatDeclaration* format = find_format(name);
        if (format) pool.formats.push_back(static_cast<Index>(format - description_.formats.data()));
        return;
    }
    const std::string_view begin = std::string_view(name.text).substr(0, name.text.size() - 1);
    const std::size_t before = pool.formats.size();
    for (Index i = 0; i < description_.formats.size(); ++i) {
        const FormatDeclaration& format = description_.formats[i];
        if (format.name.text.starts_with(begin) && here(format.only)) pool.formats.push_back(i);
    }
    if (pool.formats.size() == before)
        diagnostics_.error(name.place, fmt::format("there is no format whose name begins with '{}'", begin));
}

void Resolver::resolve_reserved() {
    for (const ReservedDeclaration& syntax : description_.reserved) {
        ReservedPattern out;
        out.width = static_cast<unsigned>(syntax.pattern.digits.size());
        set_pattern(out, syntax.pattern);
        out.reason = syntax.reason;
        out.where = syntax.pattern.place;
        isa_.reserved.push_back(std::move(out));
    }
}

void Resolver::resolve_lengths() {
    bool is_last = false;
    for (const LengthDeclaration& syntax : description_.lengths) {
        LengthRule out;
        out.where = syntax.place;
        out.bits = static_cast<unsigned>(std::min<std::uint64_t>(syntax.bits, max_instruction_bits + 1));
        if (out.bits == 0 || out.bits > max_instruction_bits || out.bits % isa_.unit_bits != 0)
            diagnostics_.error(syntax.place,
                               fmt::format("the length of an instruction is a whole number of units of {} "
                                           "bits, {} bits at most",
                                           isa_.unit_bits, max_instruction_bits));
        const std::string& digits = syntax.pattern.digits;
        if (!digits.empty() && digits.size() != isa_.unit_bits)
            diagnostics_.error(syntax.pattern.place,
                               fmt::format("this has {} bits: the length is told by the first unit, "
                                           "which has {}",
                                           digits.size(), isa_.unit_bits));
        if (is_last)
            diagnostics_.error(syntax.place,
                               "this is never asked: the line before it says the length of all that is left");
        is_last |= digits.empty();
        set_pattern(out, syntax.pattern);
        isa_.lengths.push_back(out);
    }
}

// Which rows wait for the allocator.
void Resolver::find_auto_rows() {
    if (assignments_) return;
    for (std::size_t t = 0; t < description_.instructions.size(); ++t) {
        const InstructionsDeclaration& table = description_.instructions[t];
        if (!here(table.only)) continue;
        for (const InstructionRow& row : table.rows) {
            if (row.broken || row.reserved || !here(row.only)) continue;
            const bool waits = std::any_of(row.values.begin(), row.values.end(),
                                           [](const Value& value) { return value.kind == Value::Kind::automatic; });
            if (waits) add_auto_row(table, row, static_cast<Index>(t));
        }
    }
}

// Which rows go by which mnemonic. Few descriptions have columns that name another row.
void Resolver::index_rows() {
    if (rows_indexed_) return;
    rows_indexed_ = true;
    for (const InstructionsDeclaration& table : description_.instructions) {
        if (!here(table.only)) continue;
        for (const InstructionRow& row : table.rows) {
            if (row.broken || row.reserved || !here(row.only)) continue;
            for (const auto& [alternative, dialect] : row.names) {
                for (std::size_t member = 0; member < alternative.size(); ++member)
                    rows_by_name_.push_back({alternative[member].text, {&table, &row, member}});
            }
        }
    }
    std::stable_sort(rows_by_name_.begin(), rows_by_name_.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
}

void Resolver::add_auto_row(const InstructionsDeclaration& table, const InstructionRow& row, Index table_index) {
    std::vector<const Value*> values;
    if (!column_values(table, row, values)) return;
    AutoRow out;
    out.table = table_index;
    out.aligned = table.aligned;
    out.where = row.place;
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (values[i]->kind != Value::Kind::automatic) continue;
        auto_columns_[values[i]] = {isa_.auto_rows.size(), out.columns.size()};
        out.columns.push_back({table.columns[i].name.text, values[i]->place, 0, {}, table.columns[i].bits});
    }
    if (!out.columns.empty()) isa_.auto_rows.push_back(std::move(out));
}

// The value in column `column` of the row that `value` names, with its number; nothing where it names a type or a constant.
std::optional<std::pair<const Value*, std::uint64_t>> Resolver::opcode_of(const Value& value, const Column& column) {
    const std::string& name = value.type->name;
    if (name.empty() || !value.type->arguments.empty() || isa_.constants.contains(name)) return std::nullopt;
    index_rows();
    auto row = std::lower_bound(rows_by_name_.begin(), rows_by_name_.end(), name,
                                [](const auto& named, const std::string& wanted) { return named.first < wanted; });
    for (; row != rows_by_name_.end() && row->first == name; ++row) {
        const NamedRow& found = row->second;
        std::vector<const Value*> values;
        if (!column_values(*found.table, *found.row, values)) continue;
        for (std::size_t i = 0; i < values.size(); ++i) {
            const Value& target = *values[i];
            if (&target == &value || found.table->columns[i].name.text != column.name.text) continue;
            if (target.kind == Value::Kind::type || target.kind == Value::Kind::absent) continue;
            const bool range = target.kind == Value::Kind::range;
            return std::pair{&target, number_of(target) + (range ? found.member : 0)};
        }
    }
    return std::nullopt;
}

std::uint64_t Resolver::number_of(const Value& value) const {
    if (value.kind != Value::Kind::automatic || !assignments_) return value.low;
    const auto found = assignments_->find({value.place.file, value.place.offset});
    return found == assignments_->end() ? 0 : found->second;
}

// A field of the form being made that gets its number from the allocator.
bool Resolver::await_number(Draft& draft, const std::string& name, const Value& value) {
    const auto field = std::find_if(draft.fields.begin(), draft.fields.end(),
                                    [&](const Field& candidate) { return candidate.name == name; });
    const auto column = auto_columns_.find(&value);
    if (field == draft.fields.end() || column == auto_columns_.end()) {
        diagnostics_.error(value.place, fmt::format("the format has no field '{}' to put an opcode into", name));
        return false;
    }
    AutoRow::Column& waiting = isa_.auto_rows[column->second.first].columns[column->second.second];
    if (waiting.width != 0 && waiting.width != field->place.width) {
        diagnostics_
            .error(value.place, fmt::format("this opcode has {} bits in one encoding and {} in another", waiting.width,
                                            field->place.width))
            .note(field->where, "the field is here");
        return false;
    }
    waiting.width = field->place.width;
    field->fixed = true;
    awaited_.emplace_back(&value, static_cast<Index>(field - draft.fields.begin()));
    return true;
}

void Resolver::keep_awaited(Index form, Index instruction) {
    for (const auto& [value, field] : awaited_) {
        const auto [row, column] = auto_columns_.at(value);
        AutoRow& waiting = isa_.auto_rows[row];
        waiting.columns[column].fields.emplace_back(form, field);
        if (waiting.instruction == no_index) waiting.instruction = instruction;
    }
}

}  // namespace isaforge::language
