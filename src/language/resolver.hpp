// From syntax tree to model: one variant, all names bound, all bits placed. Each part of the work has a file of its own:
//   resolver.cpp   the order of things, settings, registers, memories
//   constants.cpp  constant expressions
//   types.cpp      operands, numbers, enumerations
//   layout.cpp     bars: cells to bit places
//   templates.cpp  texts with holes
//   tables.cpp     instruction tables
//   limits.cpp     what the operands of one instruction may have together
//   opcodes.cpp    the opcode space: pools, reserved patterns, rows that say `auto` or name another row's opcode
#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
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

// What names stand for. Notes which were asked for, where somebody wants to know.
class Bindings : public std::map<std::string, Binding> {
public:
    std::set<std::string>* asked = nullptr;

    const_iterator find(const std::string& name) const {
        if (asked) asked->insert(name);
        return std::map<std::string, Binding>::find(name);
    }
};

// The bits of a bar or of an operand's row.
struct Layout {
    unsigned bits = 0;
    Image mask, value;
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
    void choose_variant();
    void resolve_settings();
    void unknown_word(const Name& word, const std::vector<std::string_view>& known);
    void resolve_surface();
    void apply_setting(Surface& surface, const SurfaceSetting& setting);
    void resolve_registers();
    void resolve_memories();
    void resolve_functions();
    void choose_dialect();
    bool here(const Only& only);  // exists in the chosen variant

    // Texts or names with those of the chosen dialect first, then everyone's: the first is the one that is printed. Those of other
    // dialects may be asked to be left out; one always stays.
    template <typename Alternative>
    std::vector<Alternative> in_dialect_order(std::vector<Alternative> alternatives) const {
        const auto rank = [&](const Alternative& one) {
            return one.dialect.empty() ? 1 : one.dialect == isa_.dialect ? 0 : 2;
        };
        std::stable_sort(alternatives.begin(), alternatives.end(),
                         [&](const Alternative& a, const Alternative& b) { return rank(a) < rank(b); });
        if (!options_.only_dialect) return alternatives;
        const auto foreign = [&](const Alternative& one) { return rank(one) == 2 && !says_nothing(one); };
        if (!alternatives.empty())
            alternatives.erase(std::remove_if(alternatives.begin() + 1, alternatives.end(), foreign),
                               alternatives.end());
        return alternatives;
    }
    static bool says_nothing(const Text& text) { return text.text.empty(); }  // what may be left out is so for everyone
    static bool says_nothing(const RowName&) { return false; }
    std::vector<Entry> resolve_entries(const std::vector<EntrySyntax>& entries, unsigned width, Place place);
    void reject_duplicates();
    void number_relocations();

    // constants.cpp
    void resolve_constants();
    std::optional<std::uint64_t> evaluate(const ExpressionPointer& expression, const Bindings& bindings,
                                          bool complain = true);
    std::optional<unsigned> evaluate_width(const ExpressionPointer& expression, const Bindings& bindings);

    // types.cpp
    Index type_of(const TypeRef& ref, const Bindings& bindings);
    Index named_type(const TypeRef& ref, const Bindings& bindings);
    Index builtin_type(std::string_view name);
    Index add_type(std::string key, OperandType type);
    void plain_number(const NumberDeclaration& number, OperandType& type);
    Index resolve_number(const NumberDeclaration& number);
    Index resolve_enum(const EnumDeclaration& declaration);
    Index resolve_operand(const OperandDeclaration& operand, const TypeRef& ref, const Bindings& bindings);
    void resolve_operand_row(const OperandDeclaration& operand, const OperandRowSyntax& row, const Bindings& bindings,
                             OperandType& type);
    bool bind_arguments(const std::vector<Name>& parameters, const std::vector<TypeRef>& arguments,
                        const Bindings& outer, Place place, std::string_view what, Place declared, Bindings& out);
    Index unknown_type(const TypeRef& ref);
    bool is_type(const std::string& name) const;

    // layout.cpp
    struct Alternative {
        std::string selector;
        unsigned choice = 0;
    };
    std::optional<Layout> lay_out(const std::vector<Cell>& cells, unsigned unit_bits, const Bindings& bindings,
                                  const std::optional<Alternative>& alternative);
    bool place_cell(const Cell& cell, unsigned unit_bits, const Bindings& bindings,
                    const std::optional<Alternative>& alternative, Layout& layout);
    bool place_named(const Cell& cell, unsigned unit_bits, const Bindings& bindings,
                     const std::optional<Alternative>& alternative, Layout& layout);
    bool place_slice(const Cell& cell, Index type, unsigned unit_bits, Layout& layout);
    bool place_tail(const Cell& cell, const Bindings& bindings, Layout& layout);
    bool finish_slices(Layout& layout);
    std::string sum_of(const std::vector<Cell>& cells, const Bindings& bindings);

    // templates.cpp
    std::optional<TextTemplate> resolve_text(const Text& text, const std::vector<Field>& fields,
                                             const Bindings& bindings, bool with_name);
    std::vector<TextTemplate> resolve_texts(const std::vector<Text>& texts, const std::vector<Field>& fields,
                                            const Bindings& bindings, bool with_name);
    friend class TemplateReader;

    // limits.cpp
    void resolve_limits();
    Index find_limit(const Name& name);
    void add_taking(const TakesSyntax& syntax, const FormatDeclaration& format, Form& form);
    void resolve_own_takings();

    // tables.cpp
    struct Row;  // one instruction of a table, its columns' values known
    // A format's bits and an encoding's texts, worked out for the first row of a kind and used again for all to which the
    // same names mean the same.
    struct Shape {
        std::map<std::string, std::optional<Binding>> asked;  // of the row's names
        Bindings parameters;
        Layout layout;
        SharedList<TextTemplate> texts;
    };
    void resolve_table(const InstructionsDeclaration& table);
    void resolve_row(const InstructionsDeclaration& table, const InstructionRow& row);
    bool column_values(const InstructionsDeclaration& table, const InstructionRow& syntax,
                       std::vector<const Value*>& out);
    void add_instruction(const InstructionsDeclaration& table, const Row& row);
    void add_reserved(const InstructionsDeclaration& table, const Row& row);
    void add_forms(const InstructionsDeclaration& table, const Row& row, const EncodingSyntax& encoding,
                   const Bindings& names, Instruction& instruction);
    void add_form(const InstructionsDeclaration& table, const Row& row, const EncodingSyntax& encoding,
                  const FormatDeclaration& format, const Bindings& names, const std::optional<Alternative>& alternative,
                  Instruction& instruction);
    std::shared_ptr<const Shape> shape_of(const InstructionsDeclaration& table, const Row& row,
                                          const EncodingSyntax& encoding, const FormatDeclaration& format,
                                          const Bindings& names, const std::optional<Alternative>& alternative);
    std::shared_ptr<Shape> make_shape(const InstructionsDeclaration& table, const Row& row,
                                      const EncodingSyntax& encoding, const FormatDeclaration& format,
                                      const Bindings& names, const std::optional<Alternative>& alternative);
    std::optional<Layout> whole_layout(const FormatDeclaration& format, const Bindings& bindings,
                                       const std::optional<Alternative>& alternative);
    bool fix_field(Form& form, const std::string& name, std::uint64_t value, Place place,
                   const FormatDeclaration& format);
    bool fix_columns(const InstructionsDeclaration& table, const Row& row, const EncodingSyntax& encoding,
                     const FormatDeclaration& format, const Bindings& bindings, Form& form);
    void check_fields_used(const Form& form, const FormatDeclaration& format, const Row& row);
    void note_opcodes(const InstructionsDeclaration& table, const Row& row, const Form& form);
    const FormatDeclaration* find_format(const Name& name, bool complain = true);
    Bindings row_bindings(const InstructionsDeclaration& table, const Row& row);
    bool names_no_opcode(const InstructionsDeclaration& table, const Column& column, const Value& value);

    // opcodes.cpp
    struct NamedRow {                               // a row, or one member of a family, found by a mnemonic
        const InstructionsDeclaration* table = nullptr;
        const InstructionRow* row = nullptr;
        std::size_t member = 0;
    };
    void resolve_pools();
    void add_pool_formats(const Name& name, Pool& pool);
    void resolve_reserved();
    void index_rows();
    void add_auto_row(const InstructionsDeclaration& table, const InstructionRow& row, Index table_index);
    bool substitute_names(const InstructionsDeclaration& table, Row& row);
    std::optional<std::pair<const Value*, std::uint64_t>> opcode_of(const Value& value, const Column& column);
    std::uint64_t number_of(const Value& value) const;
    bool unassigned(const Value& value) const { return value.kind == Value::Kind::automatic && !assignments_; }
    bool await_number(Form& form, const std::string& field, const Value& value);
    void keep_awaited(Index form, Index instruction);

    const Description& description_;
    const LoadOptions& options_;
    const Assignments* assignments_;
    Isa& isa_;
    Diagnostics& diagnostics_;
    std::size_t variant_index_ = 0;
    std::map<std::string, Index> types_;            // by name and arguments
    std::set<std::string> in_progress_;             // operands being resolved, to catch one that contains itself
    std::set<std::string> formats_checked_;         // formats whose bar was reported once
    std::map<std::pair<const EncodingSyntax*, unsigned>, std::vector<std::shared_ptr<const Shape>>> shapes_;
    std::set<std::string> broken_;                  // declarations that were reported: no more is said where they are used
    std::set<std::uint64_t> variants_reported_;     // names behind `only` that are no variants, by place
    std::map<std::string, std::vector<NamedRow>> rows_by_name_;
    std::map<const Value*, std::pair<std::size_t, std::size_t>> auto_columns_;  // Isa::auto_rows, column in it
    struct OwnTaking {                              // Taking::own, by text: found when all operands are known
        Index form, taking;
        const Text* text;
    };
    std::vector<OwnTaking> own_takings_;
    std::vector<std::pair<const Value*, Index>> awaited_;  // of the form being made: `auto`, and the field it is for
};

// Warnings for declarations of `description` that nothing in it refers to.
std::vector<Diagnostic> find_unused(const Description& description);

}  // namespace isaforge::language
