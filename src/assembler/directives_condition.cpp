// Conditional assembly.
#include <fmt/format.h>

#include "assembler/engine.hpp"

namespace isaforge::assembler {

namespace {

constexpr std::size_t deepest_conditions = 1000;

bool compare(Integer value, int comparison) {
    const Wide number = value.wide();
    switch (comparison) {
        case 0: return number != 0;
        case 1: return number == 0;
        case 2: return number > 0;
        case 3: return number >= 0;
        case 4: return number < 0;
        default: return number <= 0;
    }
}

}  // namespace

void Engine::begin_condition(const char* at, bool active) {
    if (conditions_.size() >= deepest_conditions) {
        error(place(at), "conditions nest too deeply");
        ended_ = true;
        return;
    }
    const bool outer = assembling();
    conditions_.push_back({place(at), active, outer && active, outer, false});
}

bool Engine::condition_operand(const char*& p, int comparison, bool& holds) {
    Integer value;
    if (!absolute(p, value, "a condition")) return false;
    holds = compare(value, comparison);
    return true;
}

void Engine::if_value(const char*& p, int comparison) {
    const char* const begin = p;
    bool holds = false;
    if (assembling() && condition_operand(p, comparison, holds)) {
        begin_condition(begin, holds);
        return finish_statement(p);
    }
    begin_condition(begin, false);
    skip_statement(p);
}

void Engine::if_defined(const char*& p, int wanted) {
    const char* const begin = p;
    std::string_view found;
    if (!assembling() || !name(p, found, "a symbol")) {
        begin_condition(begin, false);
        return skip_statement(p);
    }
    const Index symbol = symbols_.find(found);
    const bool known = (symbol != no_index && symbols_[symbol].kind != SymbolKind::undefined) ||
                       definitions_.find(found) != definitions_.end();
    begin_condition(begin, known == (wanted != 0));
    finish_statement(p);
}

void Engine::if_blank(const char*& p, int wanted) {
    const char* const begin = p;
    const bool blank = rest_of_statement(p).empty();
    begin_condition(begin, blank == (wanted != 0));
    skip_statement(p);
}

// Two texts with a comma between them, each perhaps in quotes.
void Engine::if_same(const char*& p, int wanted) {
    const char* const begin = p;
    const std::string_view text = rest_of_statement(p);
    const auto strip = [](std::string_view part) {
        while (!part.empty() && is(part.front(), class_blank)) part.remove_prefix(1);
        while (!part.empty() && is(part.back(), class_blank)) part.remove_suffix(1);
        const bool quoted =
            part.size() >= 2 && part.front() == part.back() && (part.front() == '\'' || part.front() == '"');
        return quoted ? part.substr(1, part.size() - 2) : part;
    };
    std::size_t split = std::string_view::npos;
    char quote = 0;
    for (std::size_t i = 0; i < text.size() && split == std::string_view::npos; ++i) {
        if (quote) {
            if (text[i] == quote) quote = 0;
        } else if (text[i] == '"' || text[i] == '\'') {
            quote = text[i];
        } else if (text[i] == ',') {
            split = i;
        }
    }
    bool same = false;
    if (split != std::string_view::npos) {
        same = strip(text.substr(0, split)) == strip(text.substr(split + 1));
    } else if (assembling()) {
        error(place(begin), "expected two texts with ',' between them");
    }
    begin_condition(begin, same == (wanted != 0));
    skip_statement(p);
}

void Engine::else_if(const char*& p, int) {
    if (conditions_.size() <= input_floor() || conditions_.back().saw_else) {
        error(place(p), "no .if stands before this .elseif");
        return skip_statement(p);
    }
    Condition& condition = conditions_.back();
    bool holds = false;
    condition.active = false;
    if (condition.outer_active && !condition.taken) {
        if (!condition_operand(p, 0, holds)) return skip_statement(p);
        condition.taken = condition.active = holds;
        return finish_statement(p);
    }
    skip_statement(p);
}

void Engine::otherwise(const char*& p, int) {
    if (conditions_.size() <= input_floor() || conditions_.back().saw_else) {
        error(place(p), "no .if stands before this .else");
    } else {
        Condition& condition = conditions_.back();
        condition.active = condition.outer_active && !condition.taken;
        condition.taken = condition.saw_else = true;
    }
    finish_statement(p);
}

void Engine::end_if(const char*& p, int) {
    if (conditions_.size() <= input_floor()) {
        error(place(p), "no .if stands before this .endif");
    } else {
        conditions_.pop_back();
    }
    finish_statement(p);
}

// Conditions below this one belong to an outer text.
std::size_t Engine::input_floor() const {
    const Input* input = input_;
    while (input->kind == Input::Kind::substitution && input->parent) input = input->parent;
    return input->conditions;
}

void Engine::close_conditions(const Input& input) {
    while (conditions_.size() > input.conditions) {
        if (!input.exited && !ended_ && !output_full_) error(conditions_.back().place, "no .endif ends this condition");
        conditions_.pop_back();
    }
}

}  // namespace isaforge::assembler
