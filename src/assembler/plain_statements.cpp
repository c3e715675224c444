#include "assembler/plain_statements.hpp"

#include "assembler/characters.hpp"
#include "assembler/expression.hpp"
#include "assembler/no_sections.hpp"

namespace isaforge::assembler {

// Reads plain numbers. What may be a symbol, or is counted from the instruction's place, is refused and remembered.
class PlainStatements::Numbers final : public ExpressionReader {
public:
    explicit Numbers(const Codec& codec) : codec_(codec) { start(); }

    bool read(const char*& cursor, const char* end, NumberValue& value) override {
        const char* p = cursor;
        while (p != end && !is(*p, class_name) && !is(*p, class_digit) && *p != '.' && *p != '"' && *p != '\'') ++p;
        if (p == end) return false;
        if (!is(*p, class_digit)) return refuse(p, end);
        is_new_ = false;
        state_->expressions.stop = stop;
        const bool good = state_->expressions.read(cursor, end, value);
        if (good && value.kind == NumberValue::Kind::deferred) depends_ = true;
        return good;
    }
    bool read_target(const char*&, const char*, NumberValue&) override {
        depends_ = true;
        return false;
    }

    void begin() {
        depends_ = false;
        if (is_new_) return;
        if (state_->symbols.size() != 0) start();
        state_->expressions.clear_operands();
        state_->expressions.forget_nodes(0);
        is_new_ = true;
    }
    bool depends() const { return depends_ || state_->symbols.size() != 0; }

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
    bool refuse(const char* word, const char* end) {
        const char* p = word;
        while (p != end && is(*p, class_name)) ++p;
        depends_ |= !codec_.names_register({word, static_cast<std::size_t>(p - word)});
        return false;
    }

    const Codec& codec_;
    std::unique_ptr<State> state_;
    bool is_new_ = true;     // nothing was read since the begin
    bool depends_ = false;
};

PlainStatements::PlainStatements(const Codec& codec, const char* end)
    : codec_(codec), printed_(codec.isa(), codec.tables_so_far(), end), numbers_(std::make_unique<Numbers>(codec)) {}

PlainStatements::~PlainStatements() = default;

bool PlainStatements::read(const char*& cursor, Encoded& out) {
    const char* p = cursor;
    const codec::PrintedReader::Seen seen = printed_.statement(p, out);
    if (seen == codec::PrintedReader::Seen::refused) return false;
    if (seen == codec::PrintedReader::Seen::unclear) {
        numbers_->begin();
        if (!codec_.go_on(printed_, p, 0, *numbers_, out) || numbers_->depends() || out.deferred_count != 0)
            return false;
    }
    if (out.bits > 128) return false;
    cursor = p;
    return true;
}

}  // namespace isaforge::assembler
