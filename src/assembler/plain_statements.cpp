#include "assembler/plain_statements.hpp"

#include "assembler/characters.hpp"
#include "assembler/no_sections.hpp"

namespace isaforge::assembler {

// Reads plain numbers. What may be a symbol, or is counted from the instruction's place, is refused and remembered.
class PlainStatements::Numbers final : public codec::Programs::PlainReader {
public:
    explicit Numbers(const Codec& codec) : codec_(codec) { start(); }

    bool read(const char*& cursor, const char* end, NumberValue& value) override {
        if (is_name(cursor)) return read_name(cursor, value);
        const char* p = cursor;
        while (p != end && !is(*p, class_name) && !is(*p, class_digit) && *p != '.' && *p != '"' && *p != '\'') ++p;
        if (p == end) return false;
        if (!is(*p, class_digit)) return refuse(p, end);
        state_->expressions.stop = stop;
        const bool good = state_->expressions.read(cursor, end, value);
        if (good && value.kind == NumberValue::Kind::deferred) depends_ = true;
        return good;
    }
    bool read_target(const char*& cursor, const char*, NumberValue& value) override {
        if (is_name(cursor)) return read_name(cursor, value);
        depends_ = true;
        return false;
    }

    void begin(std::string_view name) override {
        name_ = name;
        if (state_->symbols.size() != 0) start();
        depends_ = false;
        state_->expressions.clear_operands();
        state_->expressions.forget_nodes(0);
    }
    bool depends() const override { return depends_ || state_->symbols.size() != 0; }

private:
    struct State {
        SymbolTable symbols;
        NoSections sections;
        Expressions expressions{symbols, sections};
    };

    void start() {
        state_ = std::make_unique<State>();
        state_->expressions.registers = &codec_;
        state_->expressions.stable_text = false;
        state_->expressions.syntax.use(codec_.isa().surface);
    }
    bool is_name(const char* p) const { return !name_.empty() && skip_blanks(p) == name_.data(); }
    bool read_name(const char*& cursor, NumberValue& value) const {
        cursor = name_.data() + name_.size();
        value.kind = NumberValue::Kind::deferred;
        value.handle = 0;
        return true;
    }
    bool refuse(const char* word, const char* end) {
        const char* p = word;
        while (p != end && is(*p, class_name)) ++p;
        depends_ |= !codec_.names_register({word, static_cast<std::size_t>(p - word)});
        return false;
    }

    const Codec& codec_;
    std::unique_ptr<State> state_;
    std::string_view name_;
    bool depends_ = false;
};

PlainStatements::PlainStatements(const Codec& codec, bool is_fast)
    : codec_(codec), programs_(codec, is_fast), numbers_(std::make_unique<Numbers>(codec)) {}

PlainStatements::~PlainStatements() = default;

bool PlainStatements::read(const char*& cursor, const char* line_end, Encoded& out) {
    const char* const begin = cursor;
    const char* p = begin;
    numbers_->begin({});
    if (!codec_.try_assemble(p, line_end, 0, *numbers_, out) || numbers_->depends() || out.deferred_count != 0 ||
        out.bits > 128)
        return false;
    cursor = p;
    note(begin);
    return true;
}

void PlainStatements::learn(const char* begin, bool named) { programs_.learn(begin, named, *numbers_); }

}  // namespace isaforge::assembler
