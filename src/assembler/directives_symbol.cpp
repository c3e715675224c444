// Directives about symbols, the messages that a program gives while it is assembled, and textual definitions.
#include <fmt/format.h>

#include "assembler/engine.hpp"

namespace isaforge::assembler {

void Engine::binding(const char*& p, int kind) {
    do {
        const Index symbol = symbol_operand(p);
        if (symbol == no_index) return skip_statement(p);
        SymbolEntry& entry = symbols_[symbol];
        if (kind == 3) {  // .extern says nothing in GNU as; to us it says that the symbol is meant to be undefined
            entry.declared = true;
            if (entry.kind == SymbolKind::undefined && entry.binding == Binding::local) entry.binding = Binding::global;
        } else {
            entry.declared = true;
            entry.binding = kind == 0 ? Binding::global : kind == 1 ? Binding::weak : Binding::local;
        }
    } while (comma(p));
    finish_statement(p);
}

void Engine::symbol_type(const char*& p, int) {
    const Index symbol = symbol_operand(p);
    if (symbol == no_index) return skip_statement(p);
    comma(p);
    const char* const begin = p;
    if (*p == '@' || *p == '%' || *p == '#') ++p;
    std::string_view type;
    if (!name(p, type, "@function, @object or @notype")) return skip_statement(p);
    SymbolEntry& entry = symbols_[symbol];
    entry.declared = true;
    if (type == "function" || type == "STT_FUNC") {
        entry.type = SymbolType::function;
    } else if (type == "object" || type == "STT_OBJECT") {
        entry.type = SymbolType::object;
    } else if (type == "notype" || type == "STT_NOTYPE") {
        entry.type = SymbolType::none;
    } else {
        error(begin, p, "expected @function, @object or @notype");
    }
    finish_statement(p);
}

void Engine::symbol_size(const char*& p, int) {
    const Index symbol = symbol_operand(p);
    if (symbol == no_index || !expect_comma(p)) return skip_statement(p);
    const char* const begin = p;
    Value value;
    if (!expression(p, value)) return skip_statement(p);
    if (value.kind == Value::Kind::floating) {
        error(begin, p, "this must be an integer");
    } else {
        symbols_[symbol].size_node = value.is_symbolic() ? value.node : expressions_.leaf(value.integer);
        symbols_[symbol].declared = true;
    }
    finish_statement(p);
}

void Engine::visibility(const char*& p, int visibility) {
    do {
        const Index symbol = symbol_operand(p);
        if (symbol == no_index) return skip_statement(p);
        symbols_[symbol].visibility = static_cast<Visibility>(visibility);
    } while (comma(p));
    finish_statement(p);
}

void Engine::common(const char*& p, int local) {
    const char* const begin = p;
    const Index symbol = symbol_operand(p);
    std::uint64_t size = 0, alignment = 1;
    if (symbol == no_index || !expect_comma(p)) return skip_statement(p);
    if (!small_count(p, size, "a size", options_.max_output)) return skip_statement(p);
    if (comma(p) && !small_count(p, alignment, "an alignment", 1 << 20)) return skip_statement(p);
    if (alignment == 0 || (alignment & (alignment - 1)) != 0) {
        error(begin, p, "an alignment must be a power of two");
        return skip_statement(p);
    }
    const Place where = symbols_[symbol].where;
    if (!redefined(symbol, where)) {
        SymbolEntry& entry = symbols_[symbol];
        if (local) {
            const Index outer = current_index_, bss = section_named(".bss");
            if (bss == no_index) {
                too_many_sections(begin);
                return skip_statement(p);
            }
            enter(bss);
            align_to(alignment, 0, 1, 0, begin);
            entry.kind = SymbolKind::label;
            entry.position = expressions_.here;
            entry.size_node = expressions_.leaf(Integer(size, false));
            add_padding(size, 0, 1, begin);
            enter(outer);
        } else {
            entry.kind = SymbolKind::common;
            entry.value = size;
            entry.alignment = alignment;
            if (entry.binding == Binding::local) entry.binding = Binding::global;
        }
        entry.type = SymbolType::object;
        entry.declared = true;
    }
    finish_statement(p);
}

// The name of a symbol and a comma, up to its value. False where there is no value to come: the statement is over, since it is
// wrong or defines names of registers.
bool Engine::defined_name(const char*& p, const char*& begin, std::string_view& found) {
    p = begin = skip_space(p);
    if (!name(p, found, "a symbol") || !expect_comma(p)) return skip_statement(p), false;
    p = skip_space(p);
    if (*p == '%') return define_registers(found, begin, p), false;
    return true;
}

void Engine::set(const char*& p, int once) {
    const char* begin = nullptr;
    std::string_view found;
    if (!defined_name(p, begin, found)) return;
    Value value;
    const char* const operand = p;
    if (!expression(p, value)) return skip_statement(p);
    if (found == ".") {
        move_to(value, operand, p);
    } else {
        give_value(found, begin, value, !once);
    }
    finish_statement(p);
}

void Engine::give_value(std::string_view found, const char* at, const Value& value, bool redefinable) {
    if (!definitions_.empty()) forget_registers(found);
    const Index symbol = expressions_.definition(found);
    const Place where = place(at, at + found.size());
    mention_at(Named::symbol, symbol, where, true);
    if (symbols_[symbol].live) expressions_.refresh();
    if (!(symbols_[symbol].redefinable && redefinable) && redefined(symbol, where)) return;
    SymbolEntry& entry = symbols_[symbol];
    entry.where = where;
    entry.redefinable = redefinable || entry.live;
    if (value.is_integer()) {
        entry.kind = SymbolKind::integer;
        entry.value = value.integer.bits;
        entry.negative = value.integer.negative;
    } else if (value.is_symbolic()) {
        entry.kind = SymbolKind::expression;
        entry.value = value.node;
    } else {
        entry.kind = SymbolKind::floating;
        std::memcpy(&entry.value, &value.floating, sizeof entry.value);
    }
}

// --- textual definitions

void Engine::define(const char*& p, int) {
    const char* const begin = p;
    std::string_view found;
    if (!name(p, found, "a name to define")) return skip_statement(p);
    const Place where = place(begin, p);
    p = skip_space(p);
    const char* const value = p;
    const char* end = find_line_end(p);
    for (const char* q = p; q < end;) {
        const char* after = q;
        bool to_line_end = false;
        if (*q == '"' || *q == '\'') {
            q = skip_quoted(q);
        } else if ((lexical_[static_cast<unsigned char>(*q)] & lexical_comment) && skip_comment(after, to_line_end)) {
            end = q;
        } else {
            ++q;
        }
    }
    p = end;
    while (end > value && is(end[-1], class_blank)) --end;
    std::string text(value, end);
    const std::string& mark = surface_.statement_end;
    if (!mark.empty() && text.ends_with(mark)) text.resize(text.size() - mark.size());
    const auto known = definitions_.find(found);
    if (known != definitions_.end() && known->second.value != text) {
        warning(where, fmt::format("'{}' is defined anew", found))
            .note(known->second.where, "it was defined here before");
    }
    const auto made = definitions_.insert_or_assign(std::string(found), Definition{std::move(text), where}).first;
    note_definition(made->first, made->second);
    skip_statement(p);
}

void Engine::undefine(const char*& p, int) {
    std::string_view found;
    if (!name(p, found, "a name")) return skip_statement(p);
    const auto known = definitions_.find(found);
    if (known != definitions_.end()) definitions_.erase(known);
    finish_statement(p);
}

// .eqv: an expression whose value is taken anew wherever the name stands.
void Engine::delay(const char*& p, int) {
    const char* begin = nullptr;
    std::string_view found;
    if (!defined_name(p, begin, found)) return;
    const Place where = place(begin, begin + found.size());
    const std::string_view text = rest_of_statement(p);
    const Index symbol = expressions_.definition(found);
    const auto known = definitions_.find(symbols_[symbol].name);
    if (known != definitions_.end()) {
        error(where, fmt::format("'{}' is defined twice", found))
            .note(known->second.where, "it was defined here before");
    } else if (!redefined(symbol, where)) {
        const Definition made{fmt::format("({})", text), where};
        note_definition(symbols_[symbol].name, made);
        definitions_.emplace(std::string(symbols_[symbol].name), made);
    }
    finish_statement(p);
}

// --- messages and the rest

void Engine::message(const char*& p, int kind) {
    const char* const begin = p;
    std::string text;
    p = skip_space(p);
    if (kind != 3 && *p == '"' && !string(p, text)) return skip_statement(p);
    if (text.empty()) text = kind == 1 ? ".warning" : kind == 2 ? "" : kind == 3 ? ".err" : ".error";
    const Place where = place(begin, std::max(begin + 1, p));
    if (kind == 1 || kind == 2) {
        warning(where, text);
    } else {
        error(where, text);
    }
    finish_statement(p);
}

// .fail NUMBER: a warning from 500 on, an error below; .abort ends the assembly.
void Engine::fail(const char*& p, int abort) {
    const char* const begin = p;
    Integer number;
    constexpr std::uint64_t mildest = 500;
    if (abort) {
        error(place(p), ".abort");
        ended_ = true;
    } else if (absolute(p, number, "a number")) {
        const std::string text = fmt::format(".fail {}", value_text(number));
        if (!number.negative && number.bits >= mildest) {
            warning(place(begin, p), text);
        } else {
            error(begin, p, text);
        }
    }
    finish_statement(p);
}

void Engine::end(const char*& p, int) {
    finish_statement(p);
    ended_ = true;
}

void Engine::ignored(const char*& p, int) { skip_statement(p); }

}  // namespace isaforge::assembler
