// Reads the text form, which is what to_text writes.
#include <fmt/format.h>

#include <cctype>
#include <charconv>
#include <map>

#include "ir/names.hpp"
#include "ir/text.hpp"

namespace isaforge::ir {

namespace {

class Parser {
public:
    Parser(std::string_view text, const Isa& isa) : text_(text), isa_(isa) {}

    std::optional<Graph> run(std::string& error) {
        while (good_ && read_graph() && skip_to_word()) {
            if (!is_block('f')) {
                fail("a block");
                break;
            }
            read_function();
        }
        if (good_) return std::move(graph_);
        error = error_;
        return std::nullopt;
    }

private:
    // Of values that all have a definition there, up to a function or the end of the text.
    bool read_graph() {
        while (skip_to_word() && good_) {
            if (is_block('b'))
                read_block();
            else if (is_block('f') && !graph_.blocks.empty())
                break;
            else if (graph_.blocks.empty())
                fail("a block");
            else
                read_instruction();
        }
        if (good_ && !ended_) fail("an end of the last block");
        for (const auto& [number, used] : names_) {
            if (good_ && !defined_[used.value]) {
                line_ = used.line;
                fail_plainly(fmt::format("%{} has no definition", number));
            }
        }
        return good_;
    }
    // Functions stand behind the graph, each by itself.
    void read_function() {
        Graph whole = std::move(graph_);
        graph_ = {};
        names_.clear();
        defined_.clear();
        skip_blanks();
        if (const std::uint64_t id = block_number('f'); good_ && id != whole.functions.size())
            fail(fmt::format("f{}", whole.functions.size()));
        open_block();
        if (read_graph()) whole.functions.push_back(std::make_shared<const Graph>(std::move(graph_)));
        graph_ = std::move(whole);
    }

    // Words
    bool skip_to_word() {
        while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])))
            line_ += text_[at_++] == '\n';
        return at_ < text_.size();
    }
    void skip_blanks() {
        while (at_ < text_.size() && text_[at_] == ' ') ++at_;
    }
    bool at_line_end() {
        skip_blanks();
        return at_ >= text_.size() || text_[at_] == '\n';
    }
    bool next_is(char c) {
        skip_blanks();
        return at_ < text_.size() && text_[at_] == c;
    }
    bool take(char c) {
        if (!next_is(c)) return false;
        ++at_;
        return true;
    }
    bool expect(char c) { return take(c) || fail(fmt::format("`{}`", c)); }
    std::string_view word() {
        skip_blanks();
        const std::size_t begin = at_;
        while (at_ < text_.size() &&
               (std::isalnum(static_cast<unsigned char>(text_[at_])) || text_[at_] == '_' || text_[at_] == '*'))
            ++at_;
        return text_.substr(begin, at_ - begin);
    }
    bool take_word(std::string_view wanted) {
        const std::size_t before = at_;
        if (word() == wanted) return true;
        at_ = before;
        return false;
    }
    std::uint64_t number() {
        std::string_view digits = word();
        int base = 10;
        if (digits.starts_with("0x")) digits.remove_prefix(2), base = 16;
        std::uint64_t value = 0;
        const auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
        if (code != std::errc{} || end != digits.data() + digits.size()) fail("a number");
        return value;
    }
    bool fail(const std::string& expected) { return fail_plainly("expected " + expected); }
    bool fail_plainly(const std::string& message) {
        if (good_) error_ = fmt::format("line {}: {}", line_, message);
        good_ = false;
        at_ = text_.size();
        return false;
    }

    // Values
    Value named() {
        const std::uint64_t name = number();
        const auto [found, is_new] = names_.try_emplace(name);
        if (is_new) {
            found->second = {graph_.new_value({}), line_};
            defined_.resize(graph_.values.size());
        }
        return found->second.value;
    }
    Value definition() {
        if (!expect('%')) return no_value;
        const Value value = named();
        if (!good_ || !expect(':')) return no_value;
        if (defined_[value]) fail_plainly("this value is defined already");
        defined_[value] = true;
        graph_.values[value].type = type();
        return value;
    }
    Type type() {
        const auto read = parse_type(word());
        if (!read) fail("a type");
        return read.value_or(Type{});
    }
    Value value() {
        if (take('%')) return named();
        const bool full = take_word("full"), empty = !full && take_word("empty");
        const std::uint64_t constant = full || empty ? full : number();
        if (!expect(':')) return no_value;
        const Type read = type();
        if (good_ && constant > ones(read)) fail("a number that fits the type");
        const Value made = good_ ? graph_.constant(read, constant) : no_value;
        defined_.resize(graph_.values.size(), true);
        return made;
    }
    std::vector<Value> values() {
        std::vector<Value> read;
        if (!expect('(') || take(')')) return read;
        do read.push_back(value());
        while (good_ && take(','));
        expect(')');
        return read;
    }

    // Blocks
    bool is_block(char letter) {
        const std::size_t before = at_;
        const std::string_view first = word();
        const bool found = first.size() > 1 && first[0] == letter &&
                           std::isdigit(static_cast<unsigned char>(first[1])) && next_is('(');
        at_ = before;
        return found;
    }
    BlockId block_number(char letter = 'b') {
        skip_blanks();
        if (!expect(letter)) return 0;
        return static_cast<BlockId>(number());
    }
    void read_block() {
        const BlockId id = block_number();
        if (good_ && id != graph_.blocks.size()) fail(fmt::format("b{}", graph_.blocks.size()));
        if (!graph_.blocks.empty() && !ended_) fail("an end of the block before");
        open_block();
    }
    void open_block() {
        ended_ = false;
        graph_.blocks.emplace_back();
        if (!expect('(')) return;
        if (!take(')')) {
            do graph_.blocks.back().arguments.push_back(definition());
            while (good_ && take(','));
            expect(')');
        }
        expect(':');
    }

    // Instructions
    void read_instruction() {
        if (ended_) {
            fail("a block, for this one has its end");
            return;
        }
        Instruction read;
        if (next_is('%')) {
            read.result = definition();
            if (!expect('=')) return;
        }
        const auto op = find_operation(word());
        if (!op || has_result(*op) != (read.result != no_value)) {
            fail(read.result == no_value ? "an operation that gives nothing" : "an operation that gives a value");
            return;
        }
        read.op = *op;
        read_head(read);
        read_operands(read);
        if (take_word("if")) read.mask = value();
        if (take_word("first")) read.first = static_cast<std::uint16_t>(number());
        if (take_word("after")) read.delay = static_cast<std::uint8_t>(number());
        Block& block = graph_.blocks.back();
        if (about(read.op).family == Family::end) {
            while (good_ && !at_line_end()) {
                const BlockId to = block_number();
                block.edges.push_back({to, values()});
            }
            block.end = read;
            ended_ = true;
        } else {
            block.body.push_back(read);
        }
        if (good_ && !at_line_end()) fail("the end of the line");
    }
    void read_operands(Instruction& read) {
        std::size_t i = 0;
        for (Value& operand : read.inputs()) {
            if (i++ != 0 && !expect(',')) return;
            operand = value();
        }
    }
    void read_head(Instruction& read) {
        if (about(read.op).family == Family::floating) read_mode(read);
        const ObjectKind kind = object_kind(read.op);
        if (kind == ObjectKind::text)
            read.object = graph_.text(quoted());
        else if (kind != ObjectKind::none)
            read.object = object(kind, word());
        if (read.op == Op::update) read.number = block_number('f');
        if (has_number(read.op) && expect('#')) read.number = number();
    }
    void read_mode(Instruction& read) {
        if (take_word("by")) {
            read.mode.by_mode = true;
            read.object = object(ObjectKind::mode, word());
        }
        if (take_word("up")) read.mode.rounding = Rounding::up;
        if (take_word("down")) read.mode.rounding = Rounding::down;
        if (take_word("zero")) read.mode.rounding = Rounding::zero;
        if (take_word("nearest_away")) read.mode.rounding = Rounding::nearest_away;
        read.mode.flush_subnormals = take_word("flush");
        read.mode.canonical_nan = take_word("canonical");
        if (take_word("raised_by")) read.mode.raised_by = static_cast<std::uint8_t>(number());
    }
    Index object(ObjectKind kind, std::string_view name) {
        for (Index i = 0; i < object_count(kind, isa_); ++i)
            if (object_name(kind, i, isa_) == name) return i;
        fail("a name of the instruction set");
        return no_index;
    }
    std::string quoted() {
        std::string read;
        if (!expect('"')) return read;
        while (at_ < text_.size() && text_[at_] != '"' && text_[at_] != '\n') {
            if (text_[at_] == '\\' && at_ + 1 < text_.size()) ++at_;
            read += text_[at_++];
        }
        expect('"');
        return read;
    }

    std::string_view text_;
    const Isa& isa_;
    std::size_t at_ = 0, line_ = 1;
    bool good_ = true, ended_ = false;
    std::string error_;
    Graph graph_;
    struct Used {
        Value value = no_value;
        std::size_t line = 0;  // where it stands first
    };
    std::map<std::uint64_t, Used> names_;
    std::vector<bool> defined_;  // of graph_.values
};

}  // namespace

std::optional<Graph> parse(std::string_view text, const Isa& isa, std::string& error) {
    return Parser(text, isa).run(error);
}

}  // namespace isaforge::ir
