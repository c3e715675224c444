// From syntax tree to model: one variant, all names bound, all bits placed. Each part of the work has a file of its own:
//   resolver.cpp   the order of things, settings, registers, memories
//   constants.cpp  constant expressions
//   types.cpp      operands, numbers, enumerations
//   layout.cpp     bars: cells to bit places
//   templates.cpp  texts with holes
//   tables.cpp     instruction tables
//   limits.cpp     what the operands of one instruction may have together
//   hazards.cpp    which instructions have to keep a distance
//   execution.cpp  what meanings stand on beside the registers: names, modes, events, devices
//   opcodes.cpp    the opcode space: pools, reserved patterns, rows that say `auto` or name another row's opcode
#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "isaforge/isa.hpp"
#include "language/syntax.hpp"

namespace isaforge::language {

// What a parameter of a format or an operand stands for: a number or a type.
struct Binding {
    std::optional<std::uint64_t> number;
    Index type = no_index;

    bool operator==(const Binding&) const = default;
};

// The names that were asked for, and what they stood for then.
using Asked = std::vector<std::pair<std::string_view, std::optional<Binding>>>;

// What names stand for: they are few, so they are looked at one by one. The names themselves are the syntax tree's. Notes which
// were asked for, where somebody wants to know.
class Bindings {
public:
    struct Entry {
        std::string_view name;
        Binding binding;
    };

    const Binding* find(std::string_view name) const {
        const Binding* const found = look(name);
        if (asked) note(name, found);
        return found;
    }
    void set(std::string_view name, const Binding& binding) {
        if (Binding* const known = const_cast<Binding*>(look(name))) {
            *known = binding;
        } else {
            entries_.push_back({name, binding});
        }
    }
    void set_missing(std::string_view name, const Binding& binding) {
        if (!look(name)) entries_.push_back({name, binding});
    }
    // Those of `others` take the place of what has the same name.
    void set_all(const Bindings& others) {
        for (const Entry& entry : others.entries_) set(entry.name, entry.binding);
    }
    // Whether the names mean now what they meant when they were noted.
    bool agree(const Asked& noted) const {
        return std::all_of(noted.begin(), noted.end(), [&](const auto& one) {
            const Binding* const found = look(one.first);
            return found ? one.second && *one.second == *found : !one.second;
        });
    }
    const std::vector<Entry>& entries() const { return entries_; }

    Asked* asked = nullptr;

private:
    const Binding* look(std::string_view name) const {
        for (const Entry& entry : entries_) {
            if (entry.name == name) return &entry.binding;
        }
        return nullptr;
    }
    void note(std::string_view name, const Binding* found) const {
        const auto same = [&](const auto& one) { return one.first == name; };
        if (std::none_of(asked->begin(), asked->end(), same))
            asked->emplace_back(name, found ? std::optional(*found) : std::nullopt);
    }

    std::vector<Entry> entries_;
};

// What was worked out where names meant something, to be used again where they mean the same.
template <typename T>
class Remembered {
public:
    std::shared_ptr<const T> find(const Bindings& bindings) const {
        for (const auto& [asked, result] : known_) {
            if (!bindings.agree(asked)) continue;
            if (bindings.asked) {  // who notes what this needs, needs what went into the result
                for (const auto& [name, meaning] : asked) bindings.find(name);
            }
            return result;
        }
        return nullptr;
    }
    void add(Asked asked, std::shared_ptr<const T> result) { known_.emplace_back(std::move(asked), std::move(result)); }

private:
    std::vector<std::pair<Asked, std::shared_ptr<const T>>> known_;
};

// Which bit of a bar is where: units one behind the other, each from its most significant bit on; or, where `end` is not 0, the
// whole instruction that lies from `begin` to `end` from its most significant bit on.
struct BarOrder {
    unsigned unit_bits = 0;
    unsigned begin = 0, end = 0;
};

// The bits of a bar or of an operand's row.
struct Layout {
    unsigned bits = 0;
    BarOrder order;
    std::vector<unsigned> parts;  // see Form
    Image mask, value, written;  // see Form
    std::vector<Field> fields;
    std::vector<Constraint> constraints;
    unsigned tail_bits = 0;
};

// The allocator's numbers, by file and offset of the word `auto`.
using Assignments = std::map<std::pair<FileId, std::uint32_t>, std::uint64_t>;

class Resolver {
public:
    // Without `assignments` the result is a draft if the description says `auto` anywhere.
    Resolver(const Description& description, const LoadOptions& options, const Assignments* assignments, Isa& isa,
             Diagnostics& diagnostics);
    void run();

private:
    // resolver.cpp
    bool within_limits();
    void choose_variant();
    void resolve_settings();
    void resolve_objects(const ObjectsDeclaration& declaration);
    void resolve_elf(const ObjectsDeclaration& declaration);
    void unknown_word(const Name& word, const std::vector<std::string_view>& known);
    void resolve_surface();
    void add_number_mark(Surface& surface, const SurfaceSetting& setting, unsigned radix);
    void apply_setting(Surface& surface, const SurfaceSetting& setting);
    void resolve_registers();
    void resolve_types();
    const semantics::TypeAlias* find_alias(const std::string& name) const;
    std::optional<unsigned> evaluate_type(const semantics::TypeName& type, const Bindings& bindings = {},
                                          bool* is_signed = nullptr);
    void reject_blanks(const RegisterFile& file);
    void resolve_fields(const std::vector<BitFieldSyntax>& syntax, std::uint64_t number, RegisterFile& file);
    void resolve_memories();
    void resolve_functions();

    // execution.cpp
    void resolve_execution();
    void resolve_floats(const std::vector<Name>& words);
    template <class Meaning, std::size_t n, class Found>
    std::size_t resolve_float_mode(const std::vector<Name>& words, std::size_t at,
                                   const std::pair<std::string_view, Meaning> (&meanings)[n], const Found& found);
    void resolve_devices();
    void resolve_modes();
    struct ReadsSeen {
        std::vector<ExpressionPointer> waiting;  // what the names met stand for
        std::set<const Naming*> names;
    };
    void collect_reads(const ExpressionPointer& expression, Mode& mode, ReadsSeen& seen);
    const Naming* find_naming(const std::string& name) const;
    void resolve_events();
    SharedList<Naming> names_of(const std::vector<WhereSyntax>& syntax);
    SharedList<Naming> names_of(const FormatDeclaration& format, const EncodingSyntax& encoding,
                                const Bindings& parameters);
    void choose_dialect();
    void find_lineage();
    bool here(const Only& only);  // exists in the chosen variant and dialect
    void report_only(const Name& name);

    // Texts or names with those of the chosen dialect first, then everyone's: the first is the one that is printed. Those of other
    // dialects may be asked to be left out; one always stays.
    template <typename Alternative>
    std::vector<const Alternative*> in_dialect_order(const std::vector<Alternative>& alternatives) const {
        std::vector<const Alternative*> out;
        out.reserve(alternatives.size());
        const auto rank = [&](const Alternative& one) {
            return one.dialect.empty() ? 1 : one.dialect == isa_.dialect ? 0 : 2;
        };
        for (const int wanted : {0, 1, 2}) {
            for (const Alternative& one : alternatives) {
                if (rank(one) == wanted) out.push_back(&one);
            }
        }
        if (!options_.only_dialect) return out;
        const auto foreign = [&](const Alternative* one) { return rank(*one) == 2 && !says_nothing(*one); };
        if (!out.empty()) out.erase(std::remove_if(out.begin() + 1, out.end(), foreign), out.end());
        return out;
    }
    static bool says_nothing(const Text& text) { return text.text.empty(); }  // what may be left out is so for everyone
    static bool says_nothing(const RowName&) { return false; }
    std::vector<Entry> resolve_entries(const std::vector<EntrySyntax>& entries, unsigned width, Place place);
    void reject_duplicates();
    void number_relocations();
    void link_number(const NumberDeclaration& number, NumberRule& rule);
    void add_switch(Surface& surface, const SurfaceSetting& setting);
    void resolve_expansions();
    std::uint32_t needs_of(const ExpressionPointer& condition, const Bindings& bindings);
    void resolve_prose();

    // constants.cpp
    std::optional<std::uint64_t> resolve_kind(const ConstantDeclaration& declaration);
    void resolve_constants();
    std::optional<std::uint64_t> evaluate(const ExpressionPointer& expression, const Bindings& bindings,
                                          bool complain = true);
    std::optional<unsigned> evaluate_width(const ExpressionPointer& expression, const Bindings& bindings);

    // types.cpp
    Index type_of(const TypeRef& ref, const Bindings& bindings);
    Index named_type(const TypeRef& ref, const Bindings& bindings);
    Index find_type(const TypeRef& ref, const Bindings& bindings);
    Index raw_bits(unsigned width);
    Index builtin_type(std::string_view name);
    Index add_type(const std::string& key, OperandType type);
    void plain_number(const NumberDeclaration& number, OperandType& type);
    Index resolve_number(const NumberDeclaration& number);
    Index resolve_enum(const EnumDeclaration& declaration);
    Index resolve_operand(const OperandDeclaration& operand, const TypeRef& ref, const Bindings& bindings);
    void resolve_operand_row(const OperandDeclaration& operand, const OperandRowSyntax& row, const Bindings& bindings,
                             OperandType& type);
    bool bind_arguments(const std::vector<Name>& parameters, const std::vector<TypeRef>& arguments,
                        const Bindings& outer, Place place, std::string_view what, const Name& declared, Bindings& out);
    Index unknown_type(const TypeRef& ref);
    bool is_type(const std::string& name) const;

    // layout.cpp
    struct Alternative {
        std::string selector;
        unsigned choice = 0;
    };
    BarOrder bar_order() const;
    void begin_part(const std::vector<Cell>& cells, std::size_t first, const Bindings& bindings,
                    const std::optional<Alternative>& alternative, Layout& layout);
    std::optional<Layout> lay_out(const std::vector<Cell>& cells, const BarOrder& order, const Bindings& bindings,
                                  const std::optional<Alternative>& alternative);
    bool place_cell(const Cell& cell, const Bindings& bindings, const std::optional<Alternative>& alternative,
                    Layout& layout);
    bool place_named(const Cell& cell, const Bindings& bindings, const std::optional<Alternative>& alternative,
                     Layout& layout);
    bool place_slice(const Cell& cell, Index type, Layout& layout);
    bool place_tail(const Cell& cell, const Bindings& bindings, Layout& layout);
    bool finish_slices(Layout& layout, bool may_repeat);
    unsigned width_of(const Cell& cell, const Bindings& bindings, const std::optional<Alternative>& alternative,
                      const Layout* before);
    std::string sum_of(const std::vector<Cell>& cells, const Bindings& bindings);

    // templates.cpp
    bool is_integer(Index type) const;
    bool may_be_absent(Index type);
    std::optional<TextTemplate> resolve_text(const Text& text, const std::vector<Field>& fields,
                                             const Bindings& bindings, bool with_name);
    std::vector<TextTemplate> resolve_texts(const std::vector<Text>& texts, const std::vector<Field>& fields,
                                            const Bindings& bindings, bool with_name);
    friend class TemplateReader;

    // limits.cpp
    void resolve_limits();
    Index find_limit(const Name& name);
    struct OwnTaking {  // Taking::own, by text: found when all operands are known
        std::shared_ptr<std::vector<Taking>> list;
        std::size_t taking;
        const Text* text;
    };
    void add_taking(const TakesSyntax& syntax, const FormatDeclaration& format, const std::vector<Field>& fields,
                    const std::shared_ptr<std::vector<Taking>>& takes);
    void resolve_own_takings();

    // hazards.cpp
    void resolve_classes();
    void add_member(const Name& name, std::uint32_t bit);
    bool is_anywhere(const Name& member) const;
    Index find_class(const Name& name);
    std::optional<HazardSide> hazard_side(const HazardSideSyntax& syntax);
    bool has_field(Index of, const std::string& field) const;
    void resolve_hazards();

    // tables.cpp
    struct Row;  // one instruction of a table, its columns' values known
    // What the rows of a table to whose columns the same things were given have in common in one encoding: worked out for the
    // first of them, and with its first form what all of their forms share.
    struct Shape {
        std::vector<std::pair<std::size_t, Binding>> asked;  // the columns that matter
        Bindings parameters;
        std::shared_ptr<const Layout> layout;
        SharedList<TextTemplate> texts;
        SharedList<Naming> names;
        bool settled = false;  // there is a form, and so the rest:
        SharedList<Field> fields;
        SharedList<Taking> takes;
        Image mask, written;                                 // the latter without what the columns and `with` give
        std::vector<std::pair<std::size_t, Index>> columns;  // and the fields that they give
        std::vector<Index> with;                             // fields, for each of the encoding's
    };
    // A form that is not finished: some of its fields are not fixed yet.
    struct Draft {
        Form form;
        std::vector<Field> fields;
    };
    void resolve_table(const InstructionsDeclaration& table);
    void resolve_row(const InstructionsDeclaration& table, const InstructionRow& row);
    bool column_values(const InstructionsDeclaration& table, const InstructionRow& syntax,
                       std::vector<const Value*>& out);
    void add_instruction(const InstructionsDeclaration& table, const Row& row);
    void add_reserved(const InstructionsDeclaration& table, const Row& row);
    // `with_all`: names, and 0 for what the row leaves open.
    void add_forms(const InstructionsDeclaration& table, const Row& row, const EncodingSyntax& encoding,
                   const Bindings& names, const Bindings& with_all, Instruction& instruction);
    void add_form(const InstructionsDeclaration& table, const Row& row, const EncodingSyntax& encoding,
                  const FormatDeclaration& format, const Bindings& names, const std::optional<Alternative>& alternative,
                  Instruction& instruction);
    enum class Reuse { done, absent, impossible };
    Reuse reuse(const InstructionsDeclaration& table, const Row& row, const EncodingSyntax& encoding,
                const Bindings& names, const Shape& shape, Form& form);
    std::optional<std::uint64_t> with_value(const InstructionsDeclaration& table, const Row& row, const With& with,
                                            const Bindings& bindings);
    bool make_form(const InstructionsDeclaration& table, const Row& row, const EncodingSyntax& encoding,
                   const FormatDeclaration& format, const Bindings& names,
                   const std::optional<Alternative>& alternative, Shape& shape, Form& form);
    void settle(const InstructionsDeclaration& table, const EncodingSyntax& encoding, const Form& form, Shape& shape);
    std::shared_ptr<Shape> shape_of(const InstructionsDeclaration& table, const Row& row,
                                    const EncodingSyntax& encoding, const FormatDeclaration& format,
                                    const Bindings& names, const std::optional<Alternative>& alternative);
    std::shared_ptr<Shape> make_shape(const InstructionsDeclaration& table, const Row& row,
                                      const EncodingSyntax& encoding, const FormatDeclaration& format,
                                      const Bindings& names, const std::optional<Alternative>& alternative);
    SharedList<TextTemplate> form_texts(const std::vector<Text>& texts, const FormatDeclaration& format,
                                        const std::optional<Alternative>& alternative, const Layout& layout,
                                        const Bindings& bindings);
    void check_parts(const FormatDeclaration& format, const Layout& layout);
    std::shared_ptr<const Layout> whole_layout(const FormatDeclaration& format, const Bindings& bindings,
                                               const std::optional<Alternative>& alternative);
    bool fix_field(Draft& draft, const std::string& name, std::uint64_t value, bool ignored, Place place,
                   const FormatDeclaration& format);
    bool fix_columns(const InstructionsDeclaration& table, const Row& row, const EncodingSyntax& encoding,
                     const FormatDeclaration& format, const Bindings& bindings, Draft& draft);
    void check_fields_used(const Form& form, const FormatDeclaration& format, const Row& row);
    void note_opcodes(const InstructionsDeclaration& table, const Row& row, const std::vector<Field>& fields,
                      const Layout& layout);
    bool absent();
    const FormatDeclaration* find_format(const Name& name, bool complain = true);
    std::optional<std::uint64_t> constant_in(const Value& value) const;
    Bindings row_bindings(const InstructionsDeclaration& table, const Row& row);
    bool names_no_opcode(const InstructionsDeclaration& table, const Column& column, const Value& value);

    // opcodes.cpp
    struct NamedRow {  // a row, or one member of a family, found by a mnemonic
        const InstructionsDeclaration* table = nullptr;
        const InstructionRow* row = nullptr;
        std::size_t member = 0;
    };
    void resolve_pools();
    void add_pool_formats(const Name& name, Pool& pool);
    void resolve_reserved();
    void resolve_lengths();
    void index_declarations();
    void find_auto_rows();
    void index_rows();
    void add_auto_row(const InstructionsDeclaration& table, const InstructionRow& row, Index table_index);
    bool substitute_names(const InstructionsDeclaration& table, Row& row);
    std::optional<std::pair<const Value*, std::uint64_t>> opcode_of(const Value& value, const Column& column);
    std::uint64_t number_of(const Value& value) const;
    bool unassigned(const Value& value) const { return value.kind == Value::Kind::automatic && !assignments_; }
    bool await_number(Draft& draft, const std::string& field, const Value& value);
    void keep_awaited(Index form, Index instruction);

    const Description& description_;
    const LoadOptions& options_;
    const Assignments* assignments_;
    Isa& isa_;
    Diagnostics& diagnostics_;
    std::size_t variant_index_ = 0;
    std::unordered_map<std::string, Index> types_;                              // by name and arguments
    std::vector<std::optional<bool>> absent_;                                   // may_be_absent, by type
    std::unordered_map<std::string, Index> plain_types_;                        // by name alone
    std::vector<Index> raw_bits_ = std::vector<Index>(64, no_index);            // u1 to u64
    std::unordered_map<std::string_view, const FormatDeclaration*> formats_;    // those of the variant …
    std::unordered_map<std::string_view, const OperandDeclaration*> operands_;  // … likewise
    std::set<std::string> in_progress_;      // operands being resolved, to catch one that contains itself
    std::set<std::string> formats_checked_;  // formats whose bar was reported once
    std::map<std::pair<const EncodingSyntax*, unsigned>, std::vector<std::shared_ptr<Shape>>> shapes_;
    std::map<std::pair<const FormatDeclaration*, unsigned>, Remembered<Layout>> layouts_;
    std::unordered_map<std::string, Remembered<std::vector<TextTemplate>>> texts_;  // by format and what is written
    std::set<std::string> broken_;  // declarations that were reported: no more is said where they are used
    std::vector<const EncodingSyntax*> encodings_here_;  // those of the table that is being resolved that exist
    std::set<std::uint64_t> only_reported_;              // names behind `only` that are none, by place
    std::vector<std::pair<std::string_view, NamedRow>> rows_by_name_;  // sorted, once it is needed
    bool rows_indexed_ = false;
    bool forms_limit_told_ = false;
    std::map<const Value*, std::pair<std::size_t, std::size_t>> auto_columns_;  // Isa::auto_rows, column in it
    std::vector<OwnTaking> own_takings_;
    std::unordered_map<const std::vector<WhereSyntax>*, SharedList<Naming>> names_in_meaning_;
    std::vector<std::pair<const Value*, Index>> awaited_;  // of the form being made: `auto`, and the field it is for
};

// Warnings for declarations of `description` that nothing in it refers to.
std::vector<Diagnostic> find_unused(const Description& description);

}  // namespace isaforge::language
