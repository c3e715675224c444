#include "disassembler/statement_reader.hpp"

#include <algorithm>
#include <vector>

#include "assembler/no_sections.hpp"

namespace isaforge::disassembler {

struct StatementReader::State {
    assembler::SymbolTable symbols;
    assembler::NoSections sections;
    assembler::Expressions expressions{symbols, sections};
    Encoded encoded;
    ReadFailure failure;
    std::vector<codec::Look> looks;
    bool ruled_out = false;

    void begin() {
        expressions.clear_operands();
        expressions.forget_nodes(0);
    }
};

StatementReader::StatementReader(const Codec& codec, bool registers_are_symbols)
    : codec_(codec), state_(std::make_unique<State>()) {
    state_->expressions.stable_text = false;
    state_->expressions.syntax.use(codec.isa().surface);
    if (!registers_are_symbols) state_->expressions.registers = &codec;
}

StatementReader::~StatementReader() = default;

bool StatementReader::run(const char* text, const char* end, std::uint64_t address, KeptLooks looks) {
    State& state = *state_;
    state.begin();
    const char* p = text;
    codec::Reader reader(codec_.isa(), codec_.tables_so_far(), state.expressions, p, end, address, false);
    state.looks.clear();
    if (looks == KeptLooks::all) reader.tell(state.looks);
    const bool good = reader.statement(p, state.encoded);
    state.ruled_out = reader.ruled_out();
    if (!good) codec_.assemble(p, end, address, state.expressions, state.encoded, state.failure);
    return good && p == end && state.encoded.deferred_count == 0;
}

bool StatementReader::reads(const char* text, const char* end, std::uint64_t address) {
    return run(text, end, address, KeptLooks::none);
}

bool StatementReader::reads_back(const Image& image, unsigned bits, const char* text, const char* end,
                                 std::uint64_t address, KeptLooks looks) {
    const Encoded& encoded = state_->encoded;
    if (!run(text, end, address, looks) || encoded.bits != bits) return false;
    for (unsigned at = 0; at < bits; at += 64) {
        const unsigned width = std::min(bits - at, 64u);
        if (encoded.image.get(at, width) != image.get(at, width)) return false;
    }
    return true;
}

unsigned StatementReader::bits() const { return state_->encoded.bits; }
const ReadFailure& StatementReader::failure() const { return state_->failure; }
std::span<const codec::Look> StatementReader::looks() const { return state_->looks; }
bool StatementReader::is_ruled_out() const { return state_->ruled_out; }

codec::Glance StatementReader::glance(const codec::ReadStep& step, const Form& form, Index member,
                                      std::string_view whole, std::size_t begin, std::size_t end, Index type,
                                      std::uint64_t code, std::uint64_t tail) {
    state_->begin();
    codec::Reader reader(codec_.isa(), codec_.tables_so_far(), state_->expressions, whole.data(),
                         whole.data() + whole.size(), 0, false);
    return reader.glance(step, form, member, whole.data() + begin, whole.data() + end, type, code, tail);
}

}  // namespace isaforge::disassembler
