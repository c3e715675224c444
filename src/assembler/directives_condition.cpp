// Conditional assembly.
#include <fmt/format.h>

#include <algorithm>

#include "assembler/engine.hpp"
#include "assembler/limits.hpp"

namespace isaforge::assembler {

namespace {

bool compare(Integer value, Question question) {
    const Wide number = value.wide();
    switch (question) {
        case Question::not_zero: return number != 0;
        case Question::zero: return number == 0;
        case Question::positive: return number > 0;
        case Question::not_negative: return number >= 0;
        case Question::negative: return number < 0;
        default: return number <= 0;
    }
}

}  // namespace

void Engine::begin_condition(const char* at, bool active) {
    if (conditions_.size() >= limits::conditions) {
        error(place(at), fmt::format("conditions nest more than {} deep", limits::conditions));
        ended_ = true;
        return;
    }
    const bool outer = assembling();
    conditions_.push_back({place(at), active, outer && active, outer, false});
}

// Reads what the condition asks about; false where that is wrong, which was said then.
bool Engine::answer(const char*& p, Question question, bool& holds) {
    switch (question) {
        case Question::defined:
        case Question::not_defined: {
            std::string_view found;
            if (!name(p, found, "a symbol")) return false;
            holds = is_defined(found) == (question == Question::defined);
            return true;
        }
        case Question::blank:
        case Question::not_blank: holds = rest_of_statement(p).empty() == (question == Question::blank); return true;
        case Question::same:
        case Question::different: {
            bool same = false;
            if (!same_texts(p, same)) return false;
            holds = same == (question == Question::same);
            return true;
        }
        default: break;
    }
    if (question >= Question::of_target)
        return answer_target(p, static_cast<unsigned>(question) - static_cast<unsigned>(Question::of_target), holds);
    Integer value;
    if (!absolute(p, value, "a condition")) return false;
    holds = compare(value, question);
    return true;
}

// What is asked about the target, or, with the next number, its opposite.
bool Engine::answer_target(const char*& p, unsigned which, bool& holds) {
    const TargetQuestion& question = target_questions()[which / 2];
    const char* const begin = p;
    const std::string_view operand = question.has_name ? rest_of_statement(p) : std::string_view();
    const TargetAnswer answer = answer_question(question, operand, isa_, flavoured_.get());
    if (answer.holds) {
        holds = *answer.holds != (which % 2 != 0);
        return true;
    }
    Diagnostic& message = error(begin, std::max(begin + 1, p), answer.wrong);
    if (!answer.suggestion.empty()) message.suggest(answer.suggestion);
    return false;
}

bool Engine::is_defined(std::string_view found) {
    if (definitions_.find(found) != definitions_.end()) return true;
    const Index symbol = expressions_.scopes.used() ? expressions_.reference(found) : symbols_.find(found);
    if (symbol == no_index) return false;
    return symbols_[symbol].kind != SymbolKind::undefined ||
           definitions_.find(symbols_[symbol].name) != definitions_.end();
}

void Engine::if_any(const char*& p, int question) {
    const char* const begin = p;
    bool holds = false;
    if (assembling() && answer(p, static_cast<Question>(question), holds)) {
        begin_condition(begin, holds);
        return finish_statement(p);
    }
    begin_condition(begin, false);
    skip_statement(p);
}

// Two texts with a comma between them, each perhaps in quotes.
bool Engine::same_texts(const char*& p, bool& same) {
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
    if (split == std::string_view::npos) {
        error(place(begin), "expected two texts with ',' between them");
        return false;
    }
    same = strip(text.substr(0, split)) == strip(text.substr(split + 1));
    return true;
}

void Engine::else_if(const char*& p, int question) {
    if (conditions_.size() <= input_floor() || conditions_.back().saw_else) {
        error(place(p), "no .if stands before this .elseif");
        return skip_statement(p);
    }
    Condition& condition = conditions_.back();
    bool holds = false;
    condition.active = false;
    if (condition.outer_active && !condition.taken) {
        if (!answer(p, static_cast<Question>(question), holds)) return skip_statement(p);
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
