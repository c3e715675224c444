// What `object` of an operation names.
#pragma once

#include <string>

#include "ir/operations.hpp"
#include "isaforge/isa.hpp"

namespace isaforge::ir {

enum class ObjectKind { none, registers, memory, mode, text };

constexpr ObjectKind object_kind(Op op) {
    switch (op) {
        case Op::get:
        case Op::get_at:
        case Op::put:
        case Op::put_at: return ObjectKind::registers;
        case Op::load:
        case Op::store:
        case Op::update:
        case Op::load_linked:
        case Op::store_conditional:
        case Op::check_access:
        case Op::check_load:
        case Op::check_store:
        case Op::lock: return ObjectKind::memory;
        case Op::put_mode: return ObjectKind::mode;
        case Op::signal:
        case Op::check_use:
        case Op::check_that:
        case Op::check_wait:
        case Op::check_arrival:
        case Op::fail: return ObjectKind::text;
        default: return ObjectKind::none;
    }
}

// Whom an operation `host` asks: its number.
inline constexpr std::uint64_t to_host = 0, to_linux = 1, to_new_process = 2;

// Operations whose meaning depends on `number`.
constexpr bool has_number(Op op) {
    return op == Op::get || op == Op::put || op == Op::item || op == Op::take || op == Op::at || op == Op::executed ||
           op == Op::event_value || op == Op::host_argument || op == Op::host || op == Op::fault ||
           op == Op::check_access || op == Op::check_use;
}

// How many objects of a kind an instruction set has, and their names. Texts are of the graph itself.
inline std::size_t object_count(ObjectKind kind, const Isa& isa) {
    switch (kind) {
        case ObjectKind::registers: return isa.register_files.size();
        case ObjectKind::memory: return isa.memories.size();
        case ObjectKind::mode: return isa.modes.size();
        default: return 0;
    }
}
inline const std::string& object_name(ObjectKind kind, Index object, const Isa& isa) {
    return kind == ObjectKind::registers ? isa.register_files[object].name
           : kind == ObjectKind::memory  ? isa.memories[object].name
                                         : isa.modes[object].name;
}

}  // namespace isaforge::ir
