// Scopes of names, counted names, and names that are taken back.
#include <fmt/format.h>

#include "assembler/engine.hpp"

namespace isaforge::assembler {

void Engine::open_scope(const char*& p, int) {
    const char* const begin = p;
    std::string_view found;
    if (!ends_statement(p) && !name(p, found, "a scope's name")) return skip_statement(p);
    if (!expressions_.scopes.open(found)) {
        error(place(begin), fmt::format("scopes nest more than {} deep, or their path has more than {} bytes",
                                        limits::scopes, limits::scope_path));
        ended_ = true;
    }
    finish_statement(p);
}

void Engine::close_scope(const char*& p, int) {
    if (!expressions_.scopes.close()) error(place(p), "no .scope stands before this .ends");
    finish_statement(p);
}

void Engine::use_scope(const char*& p, int stop) {
    const char* const begin = p;
    std::string_view found;
    if (!(stop && ends_statement(p)) && !name(p, found, "a scope")) return skip_statement(p);
    if (!stop) {
        if (!expressions_.scopes.use(found))
            error(begin, p, fmt::format("a scope uses at most {} others", limits::used_scopes));
    } else if (!expressions_.scopes.stop_using(found)) {
        warning(place(begin, p), fmt::format("'{}' is not used here", found));
    }
    finish_statement(p);
}

// .enum [>[START],] NAME, …
void Engine::enumerate(const char*& p, int) {
    std::uint64_t& counter = expressions_.scopes.counter();
    if (*p == '>') {
        p = skip_space(p + 1);
        Integer start;
        if (*p != ',' && !ends_statement(p) && !absolute(p, start, "a number")) return skip_statement(p);
        counter = start.bits;
        if (!comma(p)) return finish_statement(p);
    }
    do {
        p = skip_space(p);
        const char* const begin = p;
        std::string_view found;
        if (!name(p, found, "a name")) return skip_statement(p);
        give_value(found, begin, Value::of(Integer(counter++, false)), false);
    } while (comma(p));
    finish_statement(p);
}

// What was used before keeps its value; from here on the name is free.
void Engine::take_back(const char*& p, int) {
    const char* const begin = p;
    std::string_view found;
    if (!name(p, found, "a symbol")) return skip_statement(p);
    const bool registers = forget_registers(found);
    const Index symbol = expressions_.reference(found);
    SymbolEntry& entry = symbols_[symbol];
    if (entry.kind == SymbolKind::label || entry.kind == SymbolKind::common) {
        error(begin, p, fmt::format("'{}' is a label and stays one", found));
    } else if (entry.kind == SymbolKind::undefined && !registers) {
        warning(place(begin, p), fmt::format("'{}' is not defined", found));
    } else {
        entry.kind = SymbolKind::undefined;
        entry.redefinable = false;
    }
    finish_statement(p);
}

}  // namespace isaforge::assembler
