// The last operation of conditional branches: a test, and one of the two ends that stand behind it.
#include "machine/micro_op.hpp"
#include "semantics/kernels.hpp"

namespace isaforge::machine {

namespace {

using ir::Op;

template <class Kernel, class T>
void test_and_branch(ISAFORGE_HANDLER_PARAMETERS) {
    const bool taken = Kernel::template apply<T>(load<T>(state, op->a), load<T>(state, op->b), T{}, core->rules) != 0;
    op += taken ? 2 : 1;
    ISAFORGE_FINISH;
}

template <class Kernel>
Handler integer_branch(unsigned container) {
    switch (container) {
        case 8: return test_and_branch<Kernel, std::uint8_t>;
        case 16: return test_and_branch<Kernel, std::uint16_t>;
        case 32: return test_and_branch<Kernel, std::uint32_t>;
        default: return test_and_branch<Kernel, std::uint64_t>;
    }
}

}  // namespace

Handler branch_handler(Op wanted, unsigned container) {
    using namespace semantics::kernels;
    switch (wanted) {
        case Op::equal: return integer_branch<Equal>(container);
        case Op::not_equal: return integer_branch<NotEqual>(container);
        case Op::less_unsigned: return integer_branch<LessUnsigned>(container);
        case Op::less_equal_unsigned: return integer_branch<LessEqualUnsigned>(container);
        case Op::less_signed: return integer_branch<LessSigned>(container);
        case Op::less_equal_signed: return integer_branch<LessEqualSigned>(container);
        default: return nullptr;
    }
}

namespace handlers {

void branch(ISAFORGE_HANDLER_PARAMETERS) {
    op += machine::load<std::uint8_t>(state, op->a) != 0 ? 2 : 1;
    ISAFORGE_FINISH;
}

}  // namespace handlers
}  // namespace isaforge::machine
