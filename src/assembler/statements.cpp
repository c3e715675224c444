// Reading statements: labels, assignments, and the decision whether a directive, a macro or an instruction follows. The
// source is read in place; what a description says about comments and statement ends is looked up in one table of bytes.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "assembler/engine.hpp"
#include "assembler/limits.hpp"
#include "codec/printed_reader.hpp"
#include "support/text_scan.hpp"

namespace isaforge::assembler {

namespace {

// The text with each line that ends with a backslash and the next one as one line; the blank line behind it keeps the
// count. Empty where there are none.
std::string joined_lines(std::string_view text) {
    std::string joined;
    std::size_t copied = 0, owed = 0;
    for (std::size_t at = text.find("\\\n"); at != std::string_view::npos; at = text.find("\\\n", at + 2)) {
        for (std::size_t line = text.find('\n', copied); owed && line < at; line = text.find('\n', copied)) {
            joined.append(text, copied, line + 1 - copied);
            copied = line + 1;
            joined.append(std::exchange(owed, 0), '\n');
        }
        joined.append(text, copied, at - copied);
        joined += ' ';
        ++owed;
        copied = at + 2;
    }
    if (joined.empty()) return joined;
    const std::size_t line = std::min(text.find('\n', copied), text.size());
    joined.append(text, copied, line - copied).append(owed, '\n');
    return joined.append(text, line);
}

}  // namespace

// A file whose lines go on with a backslash is read from a copy in which they are joined.
void Engine::run_file(Input& input) {
    std::string joined = joined_lines({input.begin, static_cast<std::size_t>(input.end - input.begin)});
    if (!joined.empty()) {
        const std::string& kept = joined_texts_.emplace_back(std::move(joined));
        input.begin = input.base = kept.data();
        input.end = kept.data() + kept.size();
    }
    run(input);
}

void Engine::run(Input& input) {
    Input* const outer = input_;
    const char* const outer_end = text_end_;
    const bool outer_stable = expressions_.stable_text;
    const Span outer_line = line_, outer_instruction = instruction_;
    input.parent = outer;
    input.conditions = conditions_.size();
    input_ = &input;
    read_text_until(input.end);
    expressions_.stable_text = input.kind != Input::Kind::substitution;
    const char* p = input.begin;
    while (true) {
        while (is(*p, class_blank | class_line_end)) ++p;
        if (p >= input.end || ended_ || input.exited || output_full_) break;
        if (may_be_instruction() && run_instructions(p)) continue;
        run_statement(p);
    }
    report_open_comment(input);
    if (input.kind != Input::Kind::substitution) close_conditions(input);
    input_ = outer;
    text_end_ = outer_end;
    line_ = outer_line;
    instruction_ = outer_instruction;
    expressions_.stable_text = outer_stable;
}

void Engine::read_text_until(const char* end) {
    text_end_ = end;
    line_ = instruction_ = {};
}

// A comment that nothing ends has swallowed the rest of the text.
void Engine::report_open_comment(const Input& input) {
    const char* const at = open_comment_;
    if (!at || at < input.begin || at >= input.end) return;
    open_comment_ = nullptr;
    if (input.kind == Input::Kind::substitution || ended_) return;
    for (const auto& [open, close] : surface_.block_comments) {
        if (!starts_with(at, text_end_, open)) continue;
        error(at, at + open.size(), fmt::format("this comment does not end: '{}' is missing", close));
        return;
    }
}

void Engine::run_statement(const char*& p) {
    const std::uint8_t lexical = lexical_[static_cast<unsigned char>(*p)];
    if (lexical) {
        bool to_line_end = false;
        if ((lexical & lexical_define) && assembling() && definition_directive(p)) return;
        if ((lexical & lexical_comment) && skip_comment(p, to_line_end)) return;
        if ((lexical & lexical_end) && accept_end(p)) return;
    }
    if (!assembling()) return skip_inactive(p);
    if (!definitions_.empty() && input_->kind != Input::Kind::substitution && run_defined(p)) return;
    if (!surface_.label_prefix.empty() && prefixed_label(p)) return;
    const char* const name = p;
    const char* const end = skip_symbol(p);
    if (end != name) {
        if (begins_label(name, end)) {
            define_label(expressions_.definition({name, static_cast<std::size_t>(end - name)}), name, end);
            p = end + surface_.label_suffix.size();
            return;
        }
        const char* const next = skip_blanks(end);
        if (*next == '=' && next[1] != '=') {
            if (codec_.has_nameless() && instruction_that_assigns(next, p)) return;
            return assignment(name, end, p);
        }
        if (*name == '.') return directive(name, end, p);
        if (!macros_.empty()) {
            const auto found = macros_.find(std::string_view(name, static_cast<std::size_t>(end - name)));
            if (found != macros_.end()) {
                p = end;
                return expand(found->second, p, name);
            }
        }
    } else if (is(*p, class_digit)) {
        if (numeric_label(p)) return;
    }
    instruction(p);
}

// --- labels

bool Engine::begins_label(const char* begin, const char* name_end) const {
    const Surface& surface = surface_;
    if (!surface.label_prefix.empty() || surface.label_suffix.empty()) return false;
    if (*name_end != surface.label_suffix[0] || continues_path(name_end) ||
        !starts_with(name_end, text_end_, surface.label_suffix))
        return false;
    // `ADD.w:` begins an instruction where the texts of instructions have such marks.
    const auto length = [&](const char* end) { return static_cast<std::size_t>(end - begin); };
    return !codec_.reads_as_label({begin, length(std::find(begin + 1, name_end, '.'))}) &&
           !codec_.reads_as_label({begin, length(name_end)});
}

bool Engine::prefixed_label(const char*& p) {
    const Surface& surface = surface_;
    if (!starts_with(p, text_end_, surface.label_prefix)) return false;
    const char* const name = p + surface.label_prefix.size();
    if (!is(*name, class_name_start)) return false;
    const char* const end = skip_name(name);
    if (!starts_with(end, text_end_, surface.label_suffix)) return false;
    if (surface.label_suffix.empty() && find_directive(p, end)) return false;  // `.byte` where labels begin with a dot
    define_label(expressions_.definition({name, static_cast<std::size_t>(end - name)}), name, end);
    p = end + surface.label_suffix.size();
    return true;
}

bool Engine::numeric_label(const char*& p) {
    const char* end = p;
    while (is(*end, class_digit)) ++end;
    const std::string& suffix = surface_.label_suffix;
    if (suffix.empty() || !starts_with(end, text_end_, suffix)) return false;
    std::uint32_t number = 0;
    if (std::from_chars(p, end, number).ec != std::errc()) {
        error(p, end, "this label's number is too large");
    } else {
        Index symbol = no_index;
        expressions_.define_numeric_label(number, symbol);
        define_label(symbol, p, end);
    }
    p = end + suffix.size();
    return true;
}

bool Engine::redefined(Index symbol, Place where) {
    const SymbolEntry& entry = symbols_[symbol];
    if (entry.kind == SymbolKind::undefined) return false;
    error(where, fmt::format("'{}' is defined twice", entry.name)).note(entry.where, "it was defined here before");
    return true;
}

void Engine::define_label(Index symbol, const char* begin, const char* end) {
    const Place where = place(begin, end);
    mention_at(Named::symbol, symbol, where, true);
    if (redefined(symbol, where)) return;
    SymbolEntry& entry = symbols_[symbol];
    entry.kind = SymbolKind::label;
    entry.position = expressions_.here;
    entry.where = where;
}

// Where statements have no mnemonic, what looks like an assignment may be an instruction: what one reads beyond the mark is.
bool Engine::instruction_that_assigns(const char* mark, const char*& p) {
    const char* const begin = p;
    if (encode(p)) return true;
    if (failure_.kind == ReadFailure::Kind::none || begin + failure_.offset <= mark) return false;
    missing_statement(begin, p);
    return true;
}

void Engine::assignment(const char* begin, const char* name_end, const char*& p) {
    const char* q = skip_blanks(skip_blanks(name_end) + 1);
    const std::string_view name(begin, static_cast<std::size_t>(name_end - begin));
    Value value;
    const char* const operand = q;
    p = q;
    if (*p == '%' && name != ".") return define_registers(name, begin, p);
    if (!expression(p, value)) return skip_statement(p);
    if (name != ".") {
        give_value(name, begin, value, true);
        return finish_statement(p);
    }
    const char* const operand_end = p;
    finish_statement(p);
    move_to(value, operand, operand_end);
}

// --- directives

void Engine::directive(const char* begin, const char* end, const char*& p) {
    if (!surface_.switches.empty() && run_switch(begin, end, p)) return finish_statement(p);
    const Directive* found = find_directive(begin, end);
    if (found) {
        const Position start = expressions_.here;
        p = skip_space(end);
        (this->*found->handler)(p, found->argument);
        if (listing_ && found->emits) mark_listing(start, begin, statement_end(begin));
        if (flavour_ && found->emits && current_->section.executable) {
            data_in_code_.emplace_back(start, expressions_.here.offset);
        }
        return;
    }
    if (flavoured_ && flavour_directive(begin, end, p)) return;
    unknown_directive(begin, end);
    p = end;
    skip_statement(p);
}

// `#def` and `#undef`, or whatever the description calls them.
bool Engine::definition_directive(const char*& p) {
    const Surface& surface = surface_;
    const auto names = [&](const std::string& word) {
        return !word.empty() && starts_with(p, text_end_, word) && !is(p[word.size()], class_name);
    };
    if (names(surface.define)) {
        p = skip_space(p + surface.define.size());
        define(p, 0);
        return true;
    }
    if (names(surface.undefine)) {
        p = skip_space(p + surface.undefine.size());
        undefine(p, 0);
        return true;
    }
    return false;
}

// Where assembly is switched off only conditions count.
void Engine::skip_inactive(const char*& p) {
    while (is(*p, class_name_start)) {
        const char* end = skip_name(p + 1);
        if (*p == '.') {
            const Directive* found = find_directive(p, end);
            if (found && found->conditional) {
                const bool decides = found->handler == &Engine::else_if && !definitions_.empty();
                if (decides && input_->kind != Input::Kind::substitution && run_defined(p)) return;
                p = skip_space(end);
                return (this->*found->handler)(p, found->argument);
            }
        }
        end = skip_path(end);
        if (!begins_label(p, end)) break;
        p = skip_blanks(end + surface_.label_suffix.size());
    }
    skip_statement(p);
}

// --- instructions

void Engine::instruction(const char*& p) {
    if (encode(p)) return;
    const char* const begin = p;
    const ReadFailure failure = failure_;
    if (encode_blanked(p)) return;
    if (!described_macros_.empty() && run_expansion(begin, p, failure)) return;
    failure_ = failure;
    missing_statement(begin, p);
}

// A pseudo-instruction that the description has as a macro, where as many operands are written as that takes, and what no row
// of the name takes is a number that is all of an operand, or what stands behind one.
bool Engine::run_expansion(const char* begin, const char*& p, const ReadFailure& failure) {
    const char* const end = skip_symbol(begin);
    std::string name(begin, end);
    if (surface_.case_insensitive) std::transform(name.begin(), name.end(), name.begin(), lower);
    const auto found = described_macros_.find(name);
    if (found == described_macros_.end()) return false;
    using Kind = ReadFailure::Kind;
    const bool is_number = failure.kind == Kind::out_of_range;
    const bool between = is_number || failure.kind == Kind::expected || failure.kind == Kind::trailing;
    const char* const behind = begin + failure.offset + (is_number ? failure.length : 0);
    const char* const at = skip_blanks(std::min(behind, text_end_));
    if (between && behind >= end && *at != ',' && !ends_statement(at)) return false;
    const char* q = skip_space(end);
    const char* const statement = statement_end(q);
    std::size_t operands = q < statement ? 1 : 0;
    unsigned depth = 0;  // of parentheses
    for (; q < statement; ++q) {
        if (*q == '"' || *q == '\'') q = skip_quoted(q) - 1;
        if (*q == '(') ++depth;
        if (*q == ')' && depth > 0) --depth;
        if (*q == ',' && depth == 0) ++operands;
    }
    if (operands != found->second.parameters.size() || depth != 0) return false;
    expressions_.error.clear();
    p = end;
    expand(found->second, p, begin);
    return true;
}

// `.option norvc`: what is read from here on.
bool Engine::run_switch(const char* begin, const char* name_end, const char*& p) {
    const auto length = static_cast<std::size_t>(name_end - begin);
    const bool may_be = std::ranges::any_of(surface_.switches, [&](const Surface::Switch& one) {
        return one.statement.size() >= length && (one.statement.size() == length || one.statement[length] == ' ') &&
               std::equal(begin, name_end, one.statement.begin(), [](char a, char b) { return lower(a) == lower(b); });
    });
    if (!may_be) return false;
    std::string statement;
    const char* const end = statement_end(begin);
    for (const char* q = begin; q < end; ++q) {
        const bool blank = is(*q, class_blank);
        if (!blank) {
            statement += static_cast<char>(lower(*q));
        } else if (!statement.empty() && statement.back() != ' ') {
            statement += ' ';
        }
    }
    while (!statement.empty() && statement.back() == ' ') statement.pop_back();
    const auto found = std::ranges::find(surface_.switches, statement, &Surface::Switch::statement);
    if (found == surface_.switches.end()) return false;
    switch (found->kind) {
        case Surface::Switch::Kind::push:
            if (switches_before_.size() >= limits::scopes) {
                error(begin, end, fmt::format("more than {} are kept", limits::scopes));
            } else {
                switches_before_.emplace_back(constants_, off_);
            }
            break;
        case Surface::Switch::Kind::pop:
            if (switches_before_.empty()) {
                error(begin, end, "nothing was kept before");
            } else {
                constants_ = std::move(switches_before_.back().first);
                off_ = switches_before_.back().second;
                switches_before_.pop_back();
            }
            break;
        case Surface::Switch::Kind::set: {
            const std::string& name = isa_.switched[found->parameter];
            const std::uint32_t bit = 1u << found->parameter;
            constants_[name] = found->value;
            const auto whole = isa_.constants.find(name);
            const bool had = whole != isa_.constants.end() && whole->second != 0;
            off_ = found->value == 0 && had ? off_ | bit : off_ & ~bit;
        }
    }
    p = end;
    return true;
}

// What stands at `p` is no instruction. Once no more messages are kept, none is made: that takes longer than reading.
void Engine::missing_statement(const char* begin, const char*& p) {
    p = begin;
    if (diagnostics_.full()) {
        error(place(begin), {});
        return skip_statement(p);
    }
    ReadFailure failure = failure_;
    // Where lines do not end instructions, what is missing at this line's end shows only on the next one.
    const char* const line_end = find_line_end(begin);
    if (!newline_ends_ && begin + failure.offset > line_end) {
        const char* q = begin;
        if (!codec_.assemble(q, line_end, code_address(), expressions_, encoded_, failure_)) failure = failure_;
        expressions_.clear_operands();
    }
    report_failure(begin, failure);
    skip_statement(p);
}

// Takes over what another thread has encoded.
bool Engine::take_ahead(const char*& p) {
    if (!ahead_) return false;
    if (symbols_.shadows_registers()) {
        ahead_.reset();
        return false;
    }
    const EncodedAhead* const found = ahead_->find(p);
    if (!found || codec_.is_loaded(found->form) || is_off(found->form)) return false;
    encoded_.form = found->form;
    encoded_.bits = found->bits;
    encoded_.image.words = {found->words[0], found->words[1]};
    encoded_.deferred_count = 0;
    p += found->length;
    return true;
}

// Whether what reads as an instruction is one: no name of a macro, and not replaced.
bool Engine::may_be_instruction() const {
    return assembling() && definitions_.empty() && macros_.empty() && off_ == 0 &&
           input_->kind != Input::Kind::substitution && !symbols_.shadows_registers();
}

// Whether a word that is a mnemonic, up to `end`, begins an instruction for certain: no label, no assignment.
[[gnu::always_inline]] inline bool Engine::begins_with_mnemonic(const char* p, const char* end) const {
    const std::string& label = surface_.label_prefix;
    if (!is(*p, class_name_start) || *p == '.' || (!label.empty() && label[0] == *p)) return false;
    while (is(*end, class_name)) ++end;
    const bool is_plain = *end == '\n' || (*end == ' ' && end[1] != '=' && !is(end[1], class_blank)) ||
                          (*end == ':' && end[1] != ':' && !label.empty());
    return is_plain && lexical_[static_cast<unsigned char>(*p)] == 0;
}

// Whether what stands there is no label, no assignment and no directive. `mnemonic_end`: of a word that it begins with, if that is
// known.
bool Engine::begins_instruction(const char* p, const char* mnemonic_end) const {
    if (lexical_[static_cast<unsigned char>(*p)] != 0 || *p == '.' || is(*p, class_digit)) return false;
    if (!surface_.label_prefix.empty() && starts_with(p, text_end_, surface_.label_prefix)) return false;
    const char* const end = mnemonic_end && is(*p, class_name_start) ? skip_path(mnemonic_end) : skip_symbol(p);
    if (end == p) return true;
    if (begins_label(p, end)) return false;
    const char* const next = skip_blanks(end);
    return *next != '=' || next[1] == '=';
}

template <typename Read>
bool Engine::read_with_numbers(const Read& read) {
    expressions_.clear_operands();
    // Behind a gap that may grow, the distance to a fixed address is not known either.
    expressions_.defer_targets = !current_->fixed();
    const std::size_t nodes = expressions_.node_count();
    if (!read()) return false;
    if (encoded_.deferred_count == 0) expressions_.forget_nodes(nodes);
    return true;
}

// The next of many, which is read at once where it is written as it is printed. False also where it is no instruction.
[[gnu::always_inline]] inline bool Engine::read_next(codec::PrintedReader& printed, const char*& p) {
    using Seen = codec::PrintedReader::Seen;
    const char* q = p;
    const Seen seen = printed.statement(q, encoded_);
    if (seen == Seen::refused) return false;
    const char* const mnemonic_end = printed.behind_mnemonic();
    if (!(mnemonic_end && begins_with_mnemonic(p, mnemonic_end)) && !begins_instruction(p, mnemonic_end)) return false;
    const bool loaded = seen == Seen::taken && may_load_ && codec_.is_loaded(encoded_.form);
    if (seen == Seen::taken && !loaded) {
        p = q;
        return true;
    }
    return read_with_numbers([&] { return codec_.go_on(printed, p, code_address(), expressions_, encoded_); });
}

// One that is not switched off. `explains`: `failure_` says why it is none.
bool Engine::read_instruction(const char*& p, bool explains) {
    Codec::Choice takes;  // whoever relocates asks for numbers, which not all ways to read tell
    if (off_ != 0 || may_load_) takes = [&](const Encoded& one, const char*) { return !is_off(one.form); };
    const char* const limit = newline_ends_ ? find_line_end(p) : text_end_;
    failure_.kind = ReadFailure::Kind::none;
    return read_with_numbers([&] {
        return explains ? codec_.assemble(p, limit, code_address(), expressions_, encoded_, failure_, takes)
                        : codec_.try_assemble(p, limit, code_address(), expressions_, encoded_, takes);
    });
}

// Instructions, one after the other, as long as nothing else comes and all are read at once. False where the first is none.
bool Engine::run_instructions(const char*& p) {
    const char* const first = p;
    const Position& here = expressions_.here;
    std::uint64_t last = 0;  // where the last one's bytes are …
    Index fragment = here.fragment;
    std::uint32_t line_ends = 0;  // … and what lies between it and this one
    codec::PrintedReader printed(isa_, codec_.tables_so_far(), text_end_);
    do {
        const char* q = p;
        if (!(ahead_ && take_ahead(q)) && !read_next(printed, q)) break;
        const char* const end = q;
        if (*q == usual_end_ && q < text_end_) {
            ++q;
        } else if (!accept_usual_end(q)) {
            break;
        }
        const char* const begin = std::exchange(p, q);
        if (begin == first || input_->attributed || !record_lines_ || here.fragment != fragment) {
            mark_line(begin);
        } else {
            line_marks_.mark_next(here.offset - last, static_cast<std::uint32_t>(begin - input_->base), line_ends);
        }
        last = here.offset;
        fragment = here.fragment;
        const bool loaded = may_load_ && codec_.is_loaded(encoded_.form);
        if (!loaded && encoded_.deferred_count == 0) {
            emit_encoded(begin, end);
        } else {
            emit_marked(begin, end, loaded);
        }
        line_ends = 0;
        q = end;
        do line_ends += *q++ == '\n';
        while (q < p);
        for (; is(*p, class_blank | class_line_end); ++p) line_ends += *p == '\n';
    } while (p < text_end_ && !ended_ && !output_full_);
    return p != first;
}

// The end of such a statement: its mark, or a comment to the line's end.
bool Engine::accept_usual_end(const char*& q) const {
    q = skip_blanks(q);
    bool to_line_end = false;
    return accept_end(q) || (newline_ends_ && skip_comment(q, to_line_end) && to_line_end);
}

// Encodes what stands at `p` as it stands. Fails also where more follows than the statement's end.
bool Engine::encode(const char*& p) {
    const char* const begin = p;
    const char* q = p;
    if (!take_ahead(q) && !read_instruction(q, !diagnostics_.full())) return false;
    const char* const end = q;
    q = skip_blanks(q);
    if (!accept_end(q)) {
        bool to_line_end = false;
        const char* after = q;
        const bool comment = skip_comment(after, to_line_end);
        if (newline_ends_ && comment && to_line_end) {
            q = after;
        } else if (newline_ends_ || !(comment || *q == '\n' || q >= text_end_) || statement_continues(q)) {
            failure_.kind = ReadFailure::Kind::trailing;
            failure_.offset = static_cast<std::uint32_t>(q - begin);
            failure_.length = static_cast<std::uint32_t>(statement_end(q) - q);
            failure_.message = newline_ends_ ? "unexpected text after the operands"
                                             : fmt::format("expected '{}'", surface_.statement_end);
            failure_.suggestion.clear();
            if (!newline_ends_) failure_.offset = static_cast<std::uint32_t>(end - begin), failure_.length = 1;
            expressions_.clear_operands();
            return false;
        } else {
            error(end, end + 1, fmt::format("expected '{}'", surface_.statement_end)).suggest(surface_.statement_end);
        }
    }
    p = q;
    emit_instruction(begin, end);
    return true;
}

// Whether an instruction that need not end with its line has operands or its end mark on the next one.
bool Engine::statement_continues(const char* p) const {
    bool to_line_end = false;
    while (p < text_end_) {
        if (is(*p, class_blank) || *p == '\n') {
            ++p;
        } else if (!(lexical_[static_cast<unsigned char>(*p)] & lexical_comment) || !skip_comment(p, to_line_end)) {
            break;
        }
    }
    if (p >= text_end_) return false;
    return *p == ',' || starts_with(p, text_end_, surface_.statement_end);
}

// Comments and line ends within a statement are rare. They are replaced by blanks in a copy of the same length, which is
// then read like any statement.
bool Engine::encode_blanked(const char*& p) {
    const char* const open = open_comment_;
    if (try_blanked(p)) return true;
    open_comment_ = open;  // what was looked at is read again
    return false;
}

bool Engine::try_blanked(const char*& p) {
    const char* const begin = p;
    const char* const end = instruction_end(p);
    if (end - begin > limits::broken_instruction || input_->kind == Input::Kind::substitution) return false;
    std::string copy(begin, end);
    bool changed = false;
    for (const char* q = begin; q < end;) {
        const char* after = q;
        bool to_line_end = false;
        if (*q == '\'' || *q == '"') {
            q = skip_quoted(q);
        } else if ((lexical_[static_cast<unsigned char>(*q)] & lexical_comment) && skip_comment(after, to_line_end)) {
            after = std::min(after, end);
            std::fill(copy.begin() + (q - begin), copy.begin() + (after - begin), ' ');
            changed = true;
            q = after;
        } else {
            if (*q == '\n') copy[static_cast<std::size_t>(q - begin)] = ' ', changed = true;
            ++q;
        }
    }
    if (!changed) return false;
    const std::string_view mark = surface_.statement_end;
    if (!newline_ends_ && starts_with(end, text_end_, mark)) copy += mark;
    Input blanked;
    blanked.kind = Input::Kind::substitution;
    blanked.begin = copy.data();
    blanked.end = copy.data() + copy.size();
    blanked.file = input_->file;
    blanked.attributed = true;
    blanked.root = origin_of(begin, end);
    blanked.map = {{0, place(begin, end).offset, 0}};
    if (!run_blanked(blanked)) return false;
    p = end + (copy.size() - static_cast<std::size_t>(end - begin));
    return true;
}

bool Engine::run_blanked(Input& blanked) {
    const char* const outer_end = text_end_;
    const bool outer_stable = expressions_.stable_text;
    const Span outer_line = line_, outer_instruction = instruction_;
    blanked.parent = input_;
    input_ = &blanked;
    read_text_until(blanked.end);
    expressions_.stable_text = false;
    const char* q = blanked.begin;
    const bool good = encode(q);
    input_ = blanked.parent;
    text_end_ = outer_end;
    line_ = outer_line;
    instruction_ = outer_instruction;
    expressions_.stable_text = outer_stable;
    return good;
}

void Engine::report_failure(const char* begin, const ReadFailure& failure) {
    if (!expressions_.error.empty() && expressions_.error_at >= begin &&
        expressions_.error_at <= statement_end(begin)) {
        error(place(expressions_.error_at), expressions_.error);
        expressions_.error.clear();
        return;
    }
    const char* const end = std::min(begin + failure.offset + std::max(failure.length, 1u), text_end_ + 1);
    const char* const at = std::min(begin + failure.offset, text_end_);
    Diagnostic& report =
        error(at, std::max(at + 1, end), failure.message.empty() ? "this is not an instruction" : failure.message);
    if (!failure.suggestion.empty()) report.suggest(failure.suggestion);
}

// --- ends of statements, comments

const char* Engine::find_line_end(const char* p) const {
    if (line_.has(p)) return line_.end;
    if (p >= text_end_) return p;
    line_ = {p, scan_line(p, text_end_)};
    return line_.end;
}

// Moves over the end mark of a statement that stands at `p`. A line's end is left where only a mark ends instructions.
bool Engine::accept_end(const char*& p) const {
    const Surface& surface = surface_;
    if (!newline_ends_) {
        if (!starts_with(p, text_end_, surface.statement_end)) return false;
        p += surface.statement_end.size();
        return true;
    }
    if (*p == '\n') {
        ++p;
        return true;
    }
    if (p >= text_end_) return true;
    if (surface.separator.empty() || !starts_with(p, text_end_, surface.separator)) return false;
    p += surface.separator.size();
    return true;
}

bool Engine::ends_statement(const char* p) const {
    if (*p == '\n' || p >= text_end_) return true;
    const std::uint8_t lexical = lexical_[static_cast<unsigned char>(*p)];
    if (!lexical) return false;
    if (lexical & lexical_end) {
        const char* q = p;
        if (accept_end(q)) return true;
    }
    if (lexical & lexical_comment) {
        for (const std::string& mark : surface_.line_comments) {
            if (starts_with(p, text_end_, mark)) return true;
        }
    }
    return false;
}

// Moves past the comment at `p`: to the line's end, or behind its closing mark.
bool Engine::skip_comment(const char*& p, bool& to_line_end) const {
    for (const std::string& mark : surface_.line_comments) {
        if (!starts_with(p, text_end_, mark)) continue;
        p = find_line_end(p);
        to_line_end = true;
        return true;
    }
    for (const auto& [open, close] : surface_.block_comments) {
        if (!starts_with(p, text_end_, open)) continue;
        const std::string_view rest(p + open.size(), static_cast<std::size_t>(text_end_ - p) - open.size());
        const std::size_t found = rest.find(close);
        if (found == std::string_view::npos && !open_comment_) open_comment_ = p;
        p = found == std::string_view::npos ? text_end_ : rest.data() + found + close.size();
        to_line_end = false;
        return true;
    }
    return false;
}

const char* Engine::skip_space(const char* p) const {
    while (true) {
        p = skip_blanks(p);
        if (!(lexical_[static_cast<unsigned char>(*p)] & lexical_comment)) return p;
        const char* q = p;
        bool to_line_end = false;
        if (!skip_comment(q, to_line_end) || to_line_end) return p;
        p = q;
    }
}

const char* Engine::skip_quoted(const char* p) const {
    const char quote = *p++;
    if (quote == '\'') {  // a character constant, whose closing quote may be missing
        const char* q = p;
        unsigned char c = 0;
        if (!read_character(q, c)) return p;
        return *q == '\'' ? q + 1 : q;
    }
    while (p < text_end_ && *p != quote && *p != '\n') p += *p == '\\' && p[1] != '\n' && p + 1 < text_end_ ? 2 : 1;
    return p < text_end_ && *p == quote ? p + 1 : p;
}

// The statement's end on this line.
const char* Engine::statement_end(const char* p) const {
    while (p < text_end_ && *p != '\n') {
        if (*p == '"' || *p == '\'') {
            p = skip_quoted(p);
            continue;
        }
        const std::uint8_t lexical = lexical_[static_cast<unsigned char>(*p)];
        if (lexical & (lexical_end | lexical_comment)) {
            if (ends_statement(p)) return p;
            bool to_line_end = false;
            if ((lexical & lexical_comment) && skip_comment(p, to_line_end)) continue;
        }
        ++p;
    }
    return std::min(p, text_end_);
}

// The instruction's end mark, on whatever line that is.
const char* Engine::instruction_end(const char* p) const {
    if (!instruction_.has(p)) instruction_ = {p, find_instruction_end(p)};
    return instruction_.end;
}

const char* Engine::find_instruction_end(const char* p) const {
    while (true) {
        p = statement_end(p);
        if (newline_ends_ || p >= text_end_ || starts_with(p, text_end_, surface_.statement_end)) return p;
        bool to_line_end = false;
        if (*p != '\n' && skip_comment(p, to_line_end)) continue;
        ++p;
    }
}

void Engine::finish_statement(const char*& p) {
    p = skip_space(p);
    if (!ends_statement(p)) {
        const char* const end = statement_end(p);
        error(p, end, "unexpected text after the operands");
    }
    skip_statement(p);
}

void Engine::skip_statement(const char*& p) {
    p = statement_end(p);
    bool to_line_end = false;
    const char* q = p;
    if (*p == '\n' || p >= text_end_) return;
    if (accept_end(q) || skip_comment(q, to_line_end)) p = q;
}

}  // namespace isaforge::assembler
