// Repetitions that end by a condition: .while and .for.
#include <fmt/format.h>

#include "assembler/engine.hpp"

namespace isaforge::assembler {

// The body once, as a part of the text around it.
bool Engine::run_round(std::string_view body) {
    Input input;
    input.kind = Input::Kind::repetition;
    input.begin = body.data();
    input.end = body.data() + body.size();
    input.file = input_->file;
    input.base = input_->base;
    input.attributed = input_->attributed;
    input.root = input_->root;
    run(input);
    return !input.exited;
}

bool Engine::loop_number(const std::string& text, Integer& value, const char* begin, const char* end) {
    std::string replaced;
    definition_steps_ = 0;
    replace_definitions(text, replaced, 0, nullptr, 0);
    if (evaluate_text(replaced, value)) return true;
    error(begin, end, fmt::format("'{}' must be a number that is known here", text));
    return false;
}

// .while CONDITION, or .for NAME = START, CONDITION, NEXT
void Engine::loop(const char*& p, int counted) {
    const char* const begin = p;
    std::string_view counter;
    std::string start, condition, next;
    bool good = true;
    const char* const operands_end = statement_end(p);
    if (counted) {
        good = name(p, counter, "a symbol");
        p = skip_space(p);
        good &= *p == '=';
        if (good) ++p;
        start = argument(p, operands_end, false);
        good &= comma(p);
        condition = argument(p, operands_end, false);
        good &= comma(p);
        next = argument(p, operands_end, false);
        if (!good) error(place(begin), "expected NAME = START, CONDITION, NEXT");
    } else {
        condition = argument(p, operands_end, true);
    }
    const char* const end = p;
    std::string_view body;
    if (!read_body(p, begin, body, false) || !good || !may_nest(begin)) return;
    Integer value;
    const auto set_counter = [&](const std::string& text) {
        if (!loop_number(text, value, begin, end)) return false;
        give_value(counter, begin, Value::of(value), true);
        return true;
    };
    if (counted && !set_counter(start)) return;
    ++nesting_;
    while (!ended_ && !output_full_ && may_repeat(body.size(), begin)) {
        if (!loop_number(condition, value, begin, end) || value.bits == 0) break;
        if (!run_round(body) || (counted && !set_counter(next))) break;
    }
    --nesting_;
}

}  // namespace isaforge::assembler
