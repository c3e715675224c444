// Text that is read more than once or in place of other text: macros, repetitions, included files and textual
// definitions. Every way to multiply text has a limit here, so that a short input cannot run for ever.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "assembler/engine.hpp"
#include "assembler/limits.hpp"

namespace isaforge::assembler {

namespace {

bool is_word(std::string_view line, std::string_view word) {
    if (line.size() < word.size() || (line.size() > word.size() && is(line[word.size()], class_name))) return false;
    return std::equal(word.begin(), word.end(), line.begin(), [](char a, char b) { return a == lower(b); });
}

bool is_any(std::string_view line, std::initializer_list<std::string_view> words) {
    return std::any_of(words.begin(), words.end(), [&](std::string_view word) { return is_word(line, word); });
}

// Where the first of several arguments ends that only blanks part, as in GNU as: no operator and no bracket is next to
// those. `end` where there is one argument.
const char* first_argument_end(const char* begin, const char* end) {
    const auto joins = [](char c) { return is(c, class_operator) || c == '(' || c == ')' || c == ':' || c == '~'; };
    unsigned depth = 0;
    for (const char* p = begin; p < end; ++p) {
        if (*p == '"' || *p == '\'') return end;
        if (*p == '(' || *p == '[') ++depth;
        if ((*p == ')' || *p == ']') && depth > 0) --depth;
        if (depth > 0 || p == begin || !is(*p, class_blank) || is(p[-1], class_blank)) continue;
        const char* const next = skip_blanks(p);
        if (next < end && !joins(p[-1]) && !joins(*next)) return p;
    }
    return end;
}

}  // namespace

bool Engine::may_nest(const char* at) {
    if (nesting_ < limits::nesting) return true;
    if (!ended_)
        error(place(at), fmt::format("macros, repetitions and included files nest more than {} deep", limits::nesting));
    ended_ = true;
    return false;
}

bool Engine::may_repeat(std::size_t text, const char* at) {
    repeated_text_ += text + limits::cost_of_a_round;
    if (repeated_text_ <= limits::repeated_text) return true;
    if (!ended_)
        error(place(at), fmt::format("more than {} bytes of text are repeated and included", limits::repeated_text));
    ended_ = true;
    return false;
}

// The lines up to the one that ends the body that begins on the next line.
bool Engine::read_body(const char*& p, const char* at, std::string_view& body, bool of_macro) {
    const char* line = find_line_end(p);
    if (line < text_end_) ++line;
    const char* const begin = line;
    unsigned depth = 1;
    while (line < text_end_) {
        const char* const line_end = find_line_end(line);
        const char* q = skip_blanks(line);
        if (is(*q, class_name_start) && *q != '.') {  // a label may stand before
            const char* const name_end = skip_name(q);
            if (begins_label(q, name_end)) q = skip_blanks(name_end + surface_.label_suffix.size());
        }
        if (*q == '.' && q < line_end) {
            const std::string_view rest(q, static_cast<std::size_t>(line_end - q));
            const bool opens =
                of_macro ? is_word(rest, ".macro") : is_any(rest, {".rept", ".irp", ".irpc", ".for", ".while"});
            const bool closes = of_macro ? is_any(rest, {".endm", ".endmacro"}) : is_any(rest, {".endr", ".endrept"});
            if (opens) ++depth;
            if (closes && --depth == 0) {
                body = {begin, static_cast<std::size_t>(line - begin)};
                p = skip_name(q);
                finish_statement(p);
                return true;
            }
        }
        line = line_end < text_end_ ? line_end + 1 : line_end;
    }
    p = text_end_;
    error(place(at), of_macro ? "no .endm ends this macro" : "no .endr ends this repetition");
    return false;
}

// --- macros

void Engine::macro(const char*& p, int) {
    const char* const begin = p;
    std::string_view found;
    if (!name(p, found, "the macro's name")) return skip_statement(p);
    Macro made;
    made.name = found;
    made.where = place(begin, p);
    comma(p);
    const bool good = read_parameters(p, made);
    std::string_view body;
    if (!read_body(p, begin, body, true) || !good) return;
    // A body inside a text that will go is kept; other text stays.
    made.body = body;
    const auto known = macros_.find(found);
    if (known != macros_.end()) {
        error(made.where, fmt::format("the macro '{}' is defined twice", found))
            .note(known->second.where, "it was defined here before");
        return;
    }
    note_macro(made);
    macros_.emplace(made.name, std::move(made));
}

bool Engine::read_parameters(const char*& p, Macro& made) {
    while (true) {
        p = skip_space(p);
        if (ends_statement(p)) return true;
        MacroParameter parameter;
        if (!read_parameter(p, parameter)) return false;
        for (const MacroParameter& other : made.parameters) {
            if (other.name == parameter.name) {
                error(place(p - 1), fmt::format("the parameter '{}' stands here twice", parameter.name));
                return false;
            }
        }
        if (made.parameters.size() >= limits::parameters) {
            error(place(p), fmt::format("a macro has at most {} parameters", limits::parameters));
            return false;
        }
        made.parameters.push_back(std::move(parameter));
        comma(p);
    }
}

bool Engine::read_parameter(const char*& p, MacroParameter& parameter) {
    std::string_view found;
    if (!name(p, found, "a parameter")) return false;
    parameter.name = found;
    p = skip_space(p);
    if (*p == ':') {
        const char* const begin = ++p;
        if (!name(p, found, "'req' or 'vararg'")) return false;
        parameter.required = found == "req";
        parameter.rest = found == "vararg";
        if (!parameter.required && !parameter.rest) {
            error(begin, p, "expected 'req' or 'vararg'");
            return false;
        }
        p = skip_space(p);
    }
    if (*p == '=') {
        p = skip_space(p + 1);
        parameter.preset = argument(p, statement_end(p), false);
    }
    return true;
}

void Engine::purge(const char*& p, int) {
    do {
        const char* const begin = p;
        std::string_view found;
        if (!name(p, found, "a macro")) return skip_statement(p);
        const auto known = macros_.find(found);
        if (known == macros_.end()) {
            error(begin, p, fmt::format("there is no macro '{}'", found));
        } else {
            macros_.erase(known);
        }
    } while (comma(p));
    finish_statement(p);
}

void Engine::exit_macro(const char*& p, int) {
    Input* input = input_;
    while (input && input->kind != Input::Kind::macro && input->kind != Input::Kind::file) input = input->parent;
    if (!input || input->kind == Input::Kind::file) {
        error(place(p), "this .exitm stands in no macro");
    } else {
        for (Input* inner = input_; inner != input; inner = inner->parent) inner->exited = true;
        input->exited = true;
    }
    finish_statement(p);
}

void Engine::stray(const char*& p, int of_macro) {
    error(place(p), of_macro ? "no .macro stands before this .endm" : "no repetition stands before this .endr");
    finish_statement(p);
}

// One argument: up to a comma outside brackets and quotes, or the statement's `end`. A text wholly in quotes loses them.
std::string Engine::argument(const char*& p, const char* end, bool rest) {
    p = std::min(skip_space(p), end);
    const char* const begin = p;
    unsigned depth = 0;
    while (p < end) {
        if (*p == '"' || *p == '\'') {
            p = std::min(skip_quoted(p), end);
            continue;
        }
        if (*p == '(' || *p == '[') ++depth;
        if ((*p == ')' || *p == ']') && depth > 0) --depth;
        if (*p == ',' && depth == 0 && !rest) break;
        ++p;
    }
    const char* last = p;
    while (last > begin && is(last[-1], class_blank)) --last;
    std::string_view text(begin, static_cast<std::size_t>(last - begin));
    const bool quoted = !rest && text.size() >= 2 && text.front() == '"' && skip_quoted(begin) == last;
    return std::string(quoted ? text.substr(1, text.size() - 2) : text);
}

bool Engine::bind_arguments(const Macro& called, const char*& p, const char* at, std::vector<std::string>& values) {
    std::vector<bool> given(called.parameters.size());
    std::size_t next = 0;
    values.resize(called.parameters.size());
    p = skip_space(p);
    const char* const end = statement_end(p);
    while (!ends_statement(p)) {
        const char* const begin = p;
        const bool rest = next < called.parameters.size() && called.parameters[next].rest;
        std::string text = argument(p, end, rest);
        const bool several = !rest && next + 1 < called.parameters.size();
        const char* const first_end = several ? first_argument_end(begin, p) : p;
        const bool parted = first_end != p;
        if (parted) text.assign(begin, first_end), p = first_end;
        if (!bind(called, std::move(text), next, values, given, place(begin, p))) return false;
        if (!comma(p) && !parted) break;
    }
    for (std::size_t i = 0; i < given.size(); ++i) {
        if (given[i] && !values[i].empty()) continue;
        if (called.parameters[i].required) {
            wrong_call(called, place(at, at + called.name.size()),
                       fmt::format("needs a value for '{}'", called.parameters[i].name));
            return false;
        }
        values[i] = called.parameters[i].preset;
    }
    return true;
}

// A pseudo-instruction of the description has no place in this program's sources: its form is told instead.
void Engine::wrong_call(const Macro& called, Place where, std::string_view wrong) {
    if (called.where.known()) {
        error(where, fmt::format("the macro '{}' {}", called.name, wrong)).note(called.where, "it is defined here");
        return;
    }
    std::string form = called.name;
    for (const MacroParameter& parameter : called.parameters)
        form += (&parameter == called.parameters.data() ? " " : ", ") + parameter.name;
    error(where, fmt::format("'{}' {}; the form is `{}`", called.name, wrong, form));
}

bool Engine::bind(const Macro& called, std::string text, std::size_t& next, std::vector<std::string>& values,
                  std::vector<bool>& given, Place where) {
    const char* const begin = text.c_str();
    const char* const name_end = is(*begin, class_name_start) ? skip_name(begin) : begin;
    const char* const mark = skip_blanks(name_end);
    if (name_end > begin && *mark == '=' && mark[1] != '=') {
        for (std::size_t i = 0; i < called.parameters.size(); ++i) {
            if (called.parameters[i].name != std::string_view(begin, static_cast<std::size_t>(name_end - begin)))
                continue;
            given[i] = true;
            values[i] = skip_blanks(mark + 1);
            return true;
        }
    }
    if (next >= called.parameters.size()) {
        const std::size_t count = called.parameters.size();
        wrong_call(called, where, fmt::format("takes {} argument{}", count, count == 1 ? "" : "s"));
        return false;
    }
    given[next] = true;
    values[next++] = std::move(text);
    return true;
}

void Engine::expand(const Macro& called, const char*& p, const char* at) {
    mention(Named::macro, number_of(Named::macro, called.name), at, at + called.name.size(), false);
    std::vector<std::string> values;
    const bool good = bind_arguments(called, p, at, values);
    const char* const end = p;
    if (good) {
        finish_statement(p);
    } else {
        skip_statement(p);
        return;
    }
    // The macro may be purged or replaced while it runs.
    const std::string macro_name = called.name;
    std::string text = substitute(called.body, called.parameters, values);
    ++expansions_;
    run_text(fmt::format("<macro {}>", macro_name), std::move(text), Input::Kind::macro, at, end, macro_name);
}

std::string Engine::substitute(std::string_view body, const std::vector<MacroParameter>& parameters,
                               const std::vector<std::string>& values) const {
    std::string text;
    text.reserve(body.size() + 64);
    for (std::size_t i = 0; i < body.size();) {
        const std::size_t mark = std::min(body.find('\\', i), body.size());
        text.append(body, i, mark - i);
        i = mark;
        if (i + 1 >= body.size()) {
            text.append(body, i);
            break;
        }
        if (body[i + 1] == '@') {
            text += std::to_string(expansions_);
            i += 2;
            continue;
        }
        if (body[i + 1] == '(' && i + 2 < body.size() && body[i + 2] == ')') {
            i += 3;
            continue;
        }
        std::size_t end = i + 1;
        while (end < body.size() && is(body[end], class_name) && body[end] != '.') ++end;
        const std::string_view word = body.substr(i + 1, end - i - 1);
        const auto found = std::find_if(parameters.begin(), parameters.end(),
                                        [&](const MacroParameter& parameter) { return parameter.name == word; });
        if (found != parameters.end()) {
            text += values[static_cast<std::size_t>(found - parameters.begin())];
            i = end;
        } else {
            text += body[i++];
        }
        if (text.size() > limits::expanded_text) break;
    }
    return text;
}

void Engine::run_text(std::string text_name, std::string text, Input::Kind kind, const char* at, const char* end,
                      std::string_view macro_name) {
    if (!may_nest(at)) return;
    expanded_text_ += text.size() + limits::cost_of_an_expansion;
    if (expanded_text_ > limits::expanded_text) {
        if (!ended_)
            error(place(at), fmt::format("macros expand to more than {} bytes of text", limits::expanded_text));
        ended_ = true;
        return;
    }
    Input input;
    input.kind = kind;
    input.call = place(at, end);
    input.attributed = true;
    input.root = origin_of(at, end);
    input.macro = macro_name;
    input.file = sources_.add(std::move(text_name), std::move(text));
    calls_.resize(input.file + 1);
    calls_[input.file] = {input.call, macros_named_.emplace(macro_name).first->c_str()};
    const std::string_view stored = sources_.text(input.file);
    input.begin = input.base = stored.data();
    input.end = stored.data() + stored.size();
    ++nesting_;
    run(input);
    --nesting_;
}

// --- repetitions

void Engine::repeat(const char*& p, int) {
    const char* const begin = p;
    Integer count;
    std::string operand(p, statement_end(p)), replaced;
    bool good = false;
    definition_steps_ = 0;
    if (!definitions_.empty() && replace_definitions(operand, replaced, 0, nullptr, 0)) {
        const FileId file = sources_.add("<definition>", replaced + "\n");
        Input input;
        input.file = file;
        input.begin = input.base = sources_.text(file).data();
        input.end = input.begin + replaced.size();
        input.parent = input_;
        Input* const outer = std::exchange(input_, &input);
        const char* const outer_end = text_end_;
        read_text_until(input.end);
        const char* q = input.begin;
        good = absolute(q, count, "a repeat count");
        input_ = outer;
        read_text_until(outer_end);
        p = statement_end(p);
    } else {
        good = absolute(p, count, "a repeat count");
    }
    std::string_view body;
    const char* const end = p;
    if (!read_body(p, begin, body, false) || !good) return;
    if (count.negative) {
        warning(place(begin, end), "a negative repeat count does nothing");
        return;
    }
    if (!may_nest(begin)) return;
    ++nesting_;
    for (std::uint64_t i = 0; i < count.bits && !ended_ && !output_full_ && may_repeat(body.size(), begin); ++i) {
        if (!run_round(body)) break;
    }
    --nesting_;
}

void Engine::repeat_words(const char*& p, int characters) {
    const char* const begin = p;
    std::vector<MacroParameter> parameters(1);
    std::string_view found;
    const bool good = name(p, found, "a parameter");
    parameters[0].name = found;
    comma(p);
    std::vector<std::string> words;
    p = skip_space(p);
    const char* const words_end = statement_end(p);
    while (good && !ends_statement(p)) {
        words.push_back(argument(p, words_end, characters != 0));
        if (characters || !comma(p)) break;
    }
    if (characters && !words.empty()) {
        const std::string all = std::exchange(words, {}).front();
        for (const char c : all) words.emplace_back(1, c);
    } else if (words.empty()) {
        words.emplace_back();
    }
    const char* const end = p;
    std::string_view body;
    if (!read_body(p, begin, body, false) || !good) return;
    const std::string kept(body);
    for (const std::string& word : words) {
        if (ended_ || output_full_ || input_->exited) break;
        run_text("<repetition>", substitute(kept, parameters, {word}), Input::Kind::macro, begin, end, {});
    }
}

// --- included files

bool Engine::open_file(std::string_view wanted, bool is_text, FileId& file, std::string& reason) {
    namespace fs = std::filesystem;
    const Input* input = input_;
    while (input->parent && input->kind != Input::Kind::file) input = input->parent;
    std::vector<fs::path> folders{fs::path(sources_.name(input->file)).parent_path()};
    for (const std::string& folder : options_.include_paths) folders.emplace_back(folder);
    if (fs::path(wanted).is_absolute()) folders = {fs::path()};
    reason = "no such file";
    for (const fs::path& folder : folders) {
        const std::string path = (folder / fs::path(wanted)).string();
        NameMap<FileId>& opened = is_text ? included_ : embedded_;
        const auto known = opened.find(path);
        if (known != opened.end()) {
            file = known->second;
            return true;
        }
        std::error_code code;
        if (!fs::exists(path, code)) continue;
        const std::optional<FileId> loaded = is_text ? sources_.load_text(path, reason, Readable::only_regular)
                                                     : sources_.load(path, reason, Readable::only_regular);
        if (!loaded) continue;
        file = *loaded;
        opened.emplace(path, file);
        return true;
    }
    return false;
}

void Engine::include(const char*& p, int) {
    const char* const begin = p;
    std::string wanted;
    if (!string(p, wanted)) return skip_statement(p);
    const char* const end = p;
    std::string reason;
    FileId file = 0;
    if (!open_file(wanted, true, file, reason)) {
        error(begin, end, fmt::format("'{}' cannot be read: {}", wanted, reason));
        return skip_statement(p);
    }
    finish_statement(p);
    const std::string_view text = sources_.text(file);
    if (!may_nest(begin) || !may_repeat(text.size(), begin)) return;
    Input input;
    input.file = file;
    input.begin = input.base = text.data();
    input.end = text.data() + text.size();
    input.call = place(begin, end);
    ++nesting_;
    run_file(input);
    --nesting_;
}

// --- textual definitions

// Reads the statement at `p` with its definitions replaced; false where there are none in it.
bool Engine::run_defined(const char*& p) {
    if (*p == '.') {
        const Directive* found = find_directive(p, skip_name(p));
        if (found && found->raw) return false;
    }
    const char* end = statement_end(p);
    if (!newline_ends_ && *end == '\n' && *p != '.' && statement_continues(end)) end = instruction_end(p);
    if (end <= p) return false;
    std::string text;
    std::vector<MapPiece> map;
    definition_steps_ = 0;
    const char* const target_end = std::min(assigned_name_end(p), end);
    const Place whole = place(target_end, end);
    text.assign(p, target_end);
    map.push_back({0, place(p).offset, 0});
    const std::string_view replaced(target_end, static_cast<std::size_t>(end - target_end));
    if (!replace_definitions(replaced, text, 0, &map, whole.offset)) return false;
    if (too_much_replaced(text, p, end)) return true;
    const char* after = end;
    if (end < text_end_ && *end != '\n' && accept_end(after)) text.append(end, after);
    Input input;
    input.kind = Input::Kind::substitution;
    input.begin = text.data();
    input.end = text.data() + text.size();
    input.file = input_->file;
    input.attributed = true;
    input.root = origin_of(p, end);
    input.map = std::move(map);
    if (!may_nest(p)) return true;
    ++nesting_;
    run(input);
    --nesting_;
    if (input.exited && input_->kind == Input::Kind::repetition) input_->exited = true;
    p = after;
    return true;
}

// Definitions that multiply each other: the statement at `p` is left out.
bool Engine::too_much_replaced(const std::string& text, const char*& p, const char* end) {
    const bool too_long = text.size() > limits::defined_text, too_many = definition_steps_ > limits::definition_steps;
    all_definition_steps_ += definition_steps_;
    if (all_definition_steps_ > limits::all_definition_steps) {
        if (!ended_)
            error(p, end, fmt::format("definitions are replaced more than {} times", limits::all_definition_steps));
        ended_ = true;
    } else if (too_long) {
        error(p, end, fmt::format("with its definitions replaced, this has more than {} bytes", limits::defined_text));
    } else if (too_many) {
        error(p, end, fmt::format("more than {} definitions are replaced here", limits::definition_steps));
    }
    if (ended_ || too_long || too_many) p = end;
    return ended_ || too_long || too_many;
}

// Behind the name that the statement at `p` gives a value to, which is not replaced; `p` where it does not.
const char* Engine::assigned_name_end(const char* p) const {
    const char* const end = skip_symbol(p);
    if (*p == '.') {
        const Directive* found = find_directive(p, end);
        if (found && found->handler != &Engine::set && found->handler != &Engine::take_back) return p;
        if (found) return skip_symbol(skip_blanks(end));
    }
    if (end == p) return p;
    const char* const sign = skip_blanks(end);
    return *sign == '=' && sign[1] != '=' ? end : p;
}

bool Engine::replace_definitions(std::string_view text, std::string& out, unsigned depth, std::vector<MapPiece>* map,
                                 std::uint32_t source) {
    bool changed = false;
    const auto copied = [&](std::size_t at) {
        if (map) map->push_back({static_cast<std::uint32_t>(out.size()), static_cast<std::uint32_t>(source + at), 0});
    };
    copied(0);
    for (std::size_t i = 0; i < text.size() && out.size() <= limits::defined_text;) {
        const std::size_t begin = i;
        if (text[i] == '"' || text[i] == '\'') {
            const char quote = text[i++];
            const std::size_t longest = quote == '\'' ? std::min(text.size(), i + 3) : text.size();
            std::size_t end = i;
            while (end < longest && text[end] != quote) end += text[end] == '\\' ? 2 : 1;
            i = quote == '"' || (end < longest && text[end] == quote) ? std::min(end + 1, text.size()) : i;
            out.append(text, begin, i - begin);
            continue;
        }
        while (i < text.size() && is(text[i], class_name)) ++i;
        if (expressions_.scopes.used() && i < text.size() && continues_path(text.data() + i)) {
            i = std::min(text.size(), static_cast<std::size_t>(skip_path(text.data() + i) - text.data()));
        }
        if (i == begin) {
            out += text[i++];
            continue;
        }
        const std::string_view word = text.substr(begin, i - begin);
        // Behind the mark of labels stands the name of a label.
        const std::string& mark = surface_.label_reference_prefix;
        const bool label = !mark.empty() && text.substr(0, begin).ends_with(mark);
        if (!label && replace_name(word, text, i, out, depth, map, static_cast<std::uint32_t>(source + begin))) {
            changed = true;
            copied(i);
        } else {
            out += word;
        }
    }
    return changed;
}

bool Engine::replace_name(std::string_view word, std::string_view text, std::size_t& i, std::string& out,
                          unsigned depth, std::vector<MapPiece>* map, std::uint32_t source) {
    if (is(word[0], class_digit) || depth >= limits::definition_depth) return false;
    const auto known = [&](std::string_view name) { return definitions_.find(name) != definitions_.end(); };
    const auto found = expressions_.scopes.used() ? definitions_.find(expressions_.scopes.reference(word, known))
                                                  : definitions_.find(word);
    if (found == definitions_.end() || ++definition_steps_ > limits::definition_steps) return false;
    if (map) {
        const auto length = static_cast<std::uint32_t>(word.size());
        map->push_back({static_cast<std::uint32_t>(out.size()), source, length});
        mention_at(Named::definition, number_of(Named::definition, found->first), {input_->file, source, length},
                   false);
    }
    if (!found->second.registers) {
        replace_definitions(found->second.value, out, depth + 1, nullptr, 0);
    } else if (!replace_part(text, i, found->second, depth, out)) {
        out += found->second.value;
    }
    return true;
}

}  // namespace isaforge::assembler
