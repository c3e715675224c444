// The members of everything that the model is made of, each named once: what packs, unpacks and compares models walks them.
// A member that is added to a structure and forgotten here does not compile.
#pragma once

#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

#include "isaforge/isa.hpp"
#include "semantics/tree.hpp"

namespace isaforge {

// `list`: pointers to the members of T.
template <typename T>
struct Members;

template <typename T>
concept HasMembers = requires {
    Members<T>::list;
};

// Calls `visit(pointer)` for each of them, in order.
template <HasMembers T, typename Visit>
constexpr void for_each_member(Visit&& visit) {
    std::apply([&](auto... member) { (visit(member), ...); }, Members<T>::list);
}

namespace members {

struct Anything {
    template <typename T>
    operator T() const;
};

template <typename T, std::size_t... i>
constexpr bool takes(std::index_sequence<i...>) {
    return requires { T{(void(i), Anything{})...}; };
}

// Whether T has so many members.
template <typename T, std::size_t count>
constexpr bool has_so_many() {
    return takes<T>(std::make_index_sequence<count>()) && !takes<T>(std::make_index_sequence<count + 1>());
}

template <typename T>
inline constexpr std::size_t left_out = 0;
template <>
inline constexpr std::size_t left_out<Isa> = 1;  // find_unused is a function

}  // namespace members

#define ISAFORGE_MEMBERS(type, ...)                                                                         \
    template <>                                                                                             \
    struct Members<type> {                                                                                  \
        using T = type;                                                                                     \
        static constexpr auto list = std::tuple(__VA_ARGS__);                                               \
        static_assert(members::has_so_many<T, std::tuple_size_v<decltype(list)> + members::left_out<T>>()); \
    }

// clang-format off
ISAFORGE_MEMBERS(BitPlace, &T::pieces, &T::width);
ISAFORGE_MEMBERS(Field, &T::name, &T::type, &T::place, &T::fixed, &T::ignored, &T::in_tail, &T::shared, &T::where);
ISAFORGE_MEMBERS(Constraint, &T::field, &T::low, &T::high, &T::step);
ISAFORGE_MEMBERS(TextElement, &T::kind, &T::text, &T::field, &T::scale, &T::bias, &T::radix, &T::constant, &T::bits,
                 &T::pattern, &T::fields);
ISAFORGE_MEMBERS(NumberRule, &T::base, &T::format, &T::value_bits, &T::slice_low, &T::sliced, &T::scale, &T::bias,
                 &T::relative, &T::plain, &T::minimum, &T::maximum, &T::carries, &T::relocation, &T::relocation_name,
                 &T::relocation_type, &T::other_relocations, &T::based, &T::linked);
ISAFORGE_MEMBERS(Naming, &T::name, &T::value, &T::where, &T::parameter);
ISAFORGE_MEMBERS(OperandRow, &T::mask, &T::value, &T::written, &T::fields, &T::constraints, &T::texts, &T::meaning,
                 &T::facts, &T::tail_bits, &T::reserved, &T::alias, &T::takes, &T::where);
ISAFORGE_MEMBERS(Entry, &T::code, &T::texts, &T::value, &T::where);
ISAFORGE_MEMBERS(OperandType, &T::name, &T::kind, &T::width, &T::number, &T::registers, &T::entries, &T::value_bits,
                 &T::rows, &T::parameters, &T::facts, &T::where);
ISAFORGE_MEMBERS(BitField, &T::name, &T::low, &T::width, &T::number, &T::where);
ISAFORGE_MEMBERS(RegisterFile, &T::name, &T::index_bits, &T::count, &T::bits, &T::fields, &T::lanes, &T::write_ports,
                 &T::is_zero_at_reset, &T::entries, &T::where);
ISAFORGE_MEMBERS(MemorySpace, &T::name, &T::unit_bits, &T::big_endian, &T::holds_code, &T::per_group, &T::cells,
                 &T::where);
ISAFORGE_MEMBERS(Device, &T::kind, &T::memory, &T::address, &T::where);
ISAFORGE_MEMBERS(Mode::Read, &T::file, &T::number);
ISAFORGE_MEMBERS(Mode, &T::name, &T::bits, &T::value, &T::reads, &T::where);
ISAFORGE_MEMBERS(EventHandler, &T::name, &T::parameters, &T::condition, &T::body, &T::where);
ISAFORGE_MEMBERS(Format, &T::name, &T::where);
ISAFORGE_MEMBERS(Limit, &T::name, &T::most, &T::reason, &T::where);
ISAFORGE_MEMBERS(Taking, &T::limit, &T::fields, &T::besides, &T::own);
ISAFORGE_MEMBERS(InstructionClass, &T::name, &T::where);
ISAFORGE_MEMBERS(HazardSide, &T::of, &T::touches, &T::files, &T::fields, &T::condition);
ISAFORGE_MEMBERS(Hazard, &T::states, &T::first, &T::second, &T::where);
ISAFORGE_MEMBERS(Duration, &T::of, &T::states, &T::where);
ISAFORGE_MEMBERS(Held, &T::side, &T::counter, &T::most, &T::where);
ISAFORGE_MEMBERS(Form, &T::instruction, &T::format, &T::bits, &T::mask, &T::value, &T::written, &T::parts, &T::fields, &T::texts,
                 &T::alias, &T::names_twin, &T::takes, &T::classes, &T::needs, &T::names_in_meaning, &T::where);
ISAFORGE_MEMBERS(Arrival, &T::counter, &T::in_order, &T::condition);
ISAFORGE_MEMBERS(Instruction, &T::names, &T::relax_names, &T::only_relaxed, &T::title, &T::forms, &T::meaning, &T::guard,
                 &T::lanes, &T::lane_mask, &T::arrivals, &T::names_in_meaning, &T::constants, &T::where);
ISAFORGE_MEMBERS(OpcodeRow::Column, &T::place, &T::low, &T::high);
ISAFORGE_MEMBERS(OpcodeRow, &T::columns, &T::mask, &T::value, &T::table, &T::reserved, &T::where);
ISAFORGE_MEMBERS(Pool, &T::name, &T::width, &T::low, &T::high, &T::formats, &T::capacity, &T::where);
ISAFORGE_MEMBERS(ReservedPattern, &T::width, &T::mask, &T::value, &T::reason, &T::where);
ISAFORGE_MEMBERS(LengthRule, &T::mask, &T::value, &T::bits, &T::where);
ISAFORGE_MEMBERS(AutoRow::Column, &T::name, &T::where, &T::width, &T::fields, &T::bits);
ISAFORGE_MEMBERS(AutoRow, &T::columns, &T::instruction, &T::table, &T::aligned, &T::where);
ISAFORGE_MEMBERS(NumberMark, &T::radix, &T::before, &T::behind);
ISAFORGE_MEMBERS(Surface, &T::line_comments, &T::block_comments, &T::statement_end, &T::separator, &T::label_prefix,
                 &T::label_suffix, &T::define, &T::undefine, &T::immediate_prefix, &T::label_reference_prefix,
                 &T::expression_prefix, &T::number_marks, &T::low_byte, &T::high_byte, &T::directives, &T::case_insensitive,
                 &T::switches);
ISAFORGE_MEMBERS(Surface::Switch, &T::statement, &T::kind, &T::parameter, &T::value);
ISAFORGE_MEMBERS(Expansion, &T::name, &T::parameters, &T::body, &T::where);
ISAFORGE_MEMBERS(Parameter, &T::name, &T::allowed, &T::where);
ISAFORGE_MEMBERS(Kind, &T::name, &T::code, &T::facts, &T::where);
ISAFORGE_MEMBERS(FloatRules, &T::flush_subnormals, &T::canonical_nan, &T::rounding);
ISAFORGE_MEMBERS(FloatFormat, &T::rounding_mode, &T::roundings, &T::subnormals_mode, &T::subnormals);
ISAFORGE_MEMBERS(Doc, &T::of, &T::text);
ISAFORGE_MEMBERS(DocPage, &T::title, &T::text, &T::file);
ISAFORGE_MEMBERS(ElfMachine::Operation, &T::kind, &T::bits, &T::type);
ISAFORGE_MEMBERS(ElfMachine, &T::machine, &T::wide, &T::flags, &T::data, &T::operations, &T::none, &T::align, &T::relax,
                 &T::varying_flags, &T::data_symbol, &T::data_symbol_offset);
ISAFORGE_MEMBERS(MnemonicIndex::Head::Slot, &T::literal, &T::type);
ISAFORGE_MEMBERS(MnemonicIndex::Head, &T::slots);
ISAFORGE_MEMBERS(MnemonicIndex, &T::words, &T::mnemonics, &T::readings, &T::slots, &T::heads, &T::forms,
                 &T::names, &T::has_dots, &T::may_relax, &T::longest);
ISAFORGE_MEMBERS(FunctionList, &T::names, &T::all);
ISAFORGE_MEMBERS(DecodeTree, &T::nodes, &T::begins, &T::forms);
ISAFORGE_MEMBERS(ReadBack, &T::forms, &T::checks, &T::patterns, &T::tails, &T::codes);
ISAFORGE_MEMBERS(Isa, &T::name, &T::title, &T::variant, &T::variants, &T::lineage, &T::variant_bases, &T::dialects,
                 &T::dialect_surfaces, &T::dialect, &T::unit_bits, &T::big_endian, &T::address_bits, &T::last_unit_first,
                 &T::opcodes_accounted, &T::meanings_complete, &T::object_flavour, &T::elf, &T::surface, &T::expansions, &T::switched, &T::floats,
                 &T::float_formats, &T::constants, &T::parameters, &T::kinds, &T::kind_facts, &T::register_files, &T::memories, &T::devices, &T::names_in_meanings,
                 &T::modes, &T::events, &T::operand_types, &T::limits, &T::formats, &T::instructions, &T::has_arrivals,
                 &T::has_cycles, &T::classes, &T::hazards, &T::durations, &T::held, &T::forms, &T::opcode_rows, &T::pools, &T::reserved, &T::lengths,
                 &T::auto_rows, &T::functions, &T::types, &T::docs, &T::pages, &T::mnemonics,
                 &T::decoding, &T::read_back);

ISAFORGE_MEMBERS(semantics::TypeName, &T::is_signed, &T::width, &T::name, &T::arguments, &T::place);
ISAFORGE_MEMBERS(semantics::TypeAlias, &T::name, &T::place, &T::parameters, &T::meaning);
ISAFORGE_MEMBERS(semantics::Expression, &T::kind, &T::place, &T::integer, &T::floating, &T::name, &T::op, &T::type,
                 &T::operands, &T::depth);
ISAFORGE_MEMBERS(semantics::Statement, &T::kind, &T::place, &T::targets, &T::compound, &T::value, &T::first, &T::last,
                 &T::delay, &T::name, &T::body, &T::otherwise);
ISAFORGE_MEMBERS(semantics::Function, &T::name, &T::place, &T::parameters, &T::body);
// clang-format on

#undef ISAFORGE_MEMBERS

}  // namespace isaforge
