// A pure operation of whatever family, and functions, which are rows of them.
#include "jit/emit.hpp"

namespace isaforge::jit {

namespace {

// Element by element; one truth value chooses between tuples.
Elements computed(Emission& e, const ir::Instruction& instruction, ir::Type operand, ir::Type result,
                  llvm::ArrayRef<Elements> x) {
    Elements made;
    for (unsigned i = 0; i < result.count; ++i) {
        llvm::SmallVector<llvm::Value*, 3> operands;
        for (const Elements& all : x) operands.push_back(all[all.size() == 1 ? 0 : i]);
        made.push_back(ir::about(instruction.op).family == ir::Family::integer
                           ? emit_integer(e, instruction, operand, result.element(), operands)
                           : emit_float(e, instruction, operand, result.element(), operands));
    }
    return made;
}

}  // namespace

Elements emit_pure(Emission& e, const ir::Instruction& instruction, ir::Type operand, ir::Type result,
                   llvm::ArrayRef<Elements> x) {
    return ir::is_computed(instruction.op) ? computed(e, instruction, operand, result, x)
                                           : emit_moved(e, instruction, operand, result, x);
}

llvm::Value* emit_function(Emission& e, const ir::Graph& function, llvm::ArrayRef<llvm::Value*> arguments) {
    std::vector<Elements> values(function.values.size());
    const ir::Block& block = function.blocks[0];
    for (std::size_t i = 0; i < arguments.size(); ++i) values[block.arguments[i]] = {arguments[i]};
    const auto elements = [&](ir::Value value) -> const Elements& {
        const auto known = function.known(value);
        if (known && values[value].empty())
            values[value].assign(function.type(value).count, e.constant(function.type(value), *known));
        return values[value];
    };
    for (const ir::Instruction& each : block.body) {
        llvm::SmallVector<Elements, 3> operands;
        for (const ir::Value operand : each.inputs()) operands.push_back(elements(operand));
        const ir::Type type = function.type(each.result);
        const ir::Type operand = operands.empty() ? type : function.type(each.operands[0]);
        values[each.result] = emit_pure(e, each, operand, type, operands);
    }
    return elements(block.end.operands[0])[0];
}

}  // namespace isaforge::jit
