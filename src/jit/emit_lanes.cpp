// Conversions between types, and what moves values between lanes.
#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/Intrinsics.h>

#include "jit/emit.hpp"

namespace isaforge::jit {

namespace {

using ir::Op;
using llvm::Value;

class Moves {
public:
    Moves(Emission& e, const ir::Instruction& instruction, ir::Type operand, ir::Type result,
          llvm::ArrayRef<Elements> x)
        : e_(e), b_(e.b), instruction_(instruction), operand_(operand), result_(result), x_(x) {}

    Elements make() {
        switch (instruction_.op) {
            case Op::cast: return split(b_.CreateBitCast(joined(), whole_type()));
            case Op::splat: return each([&](Value* value) { return splat(value); });
            case Op::pick: return each([&](Value* value) { return pick(value); });
            case Op::take: return each([&](Value* value) { return taken(value); });
            case Op::permute: return each([&](Value* value) { return permuted(value); });
            case Op::join: {
                Elements all = x_[0];
                all.append(x_[1].begin(), x_[1].end());
                return all;
            }
            case Op::item: return {x_[0][instruction_.number]};
            case Op::lane_number: return {lane_numbers()};
            default: return {single(x_[0][0])};
        }
    }

private:
    llvm::Type* type() const { return e_.element_type(result_); }

    template <class Function>
    Elements each(Function&& function) {
        Elements made;
        for (Value* const value : x_[0]) made.push_back(function(value));
        return made;
    }

    Value* single(Value* value) {
        switch (instruction_.op) {
            case Op::truncate: return b_.CreateTrunc(value, type());
            case Op::zero_extend: return b_.CreateZExt(value, type());
            case Op::sign_extend: return b_.CreateSExt(value, type());
            case Op::from_truth: return b_.CreateZExt(value, type());
            case Op::reduce_and: return reduced(value, llvm::Intrinsic::vector_reduce_and);
            case Op::reduce_or: return reduced(value, llvm::Intrinsic::vector_reduce_or);
            case Op::reduce_add: return reduced(value, llvm::Intrinsic::vector_reduce_add);
            default: return b_.CreateBitCast(value, type());  // ballot, spread
        }
    }

    // All bits in a row: elements one after the other, the lanes of each in their order.
    Value* joined() {
        const Elements& elements = x_[0];
        if (operand_.count == 1) return elements[0];
        if (operand_.lanes != 1) return llvm::concatenateVectors(b_, elements);
        Value* all = llvm::PoisonValue::get(llvm::FixedVectorType::get(e_.element_type(operand_), operand_.count));
        for (unsigned i = 0; i < operand_.count; ++i) all = b_.CreateInsertElement(all, elements[i], i);
        return all;
    }
    llvm::Type* whole_type() const {
        const unsigned lanes = unsigned{result_.lanes} * result_.count;
        llvm::Type* const lane = b_.getIntNTy(result_.bits);
        return lanes == 1 ? lane : llvm::FixedVectorType::get(lane, lanes);
    }
    Elements split(Value* all) {
        if (result_.count == 1) return {all};
        Elements made;
        for (unsigned i = 0; i < result_.count; ++i)
            made.push_back(result_.lanes == 1 ? b_.CreateExtractElement(all, i)
                                              : b_.CreateShuffleVector(all, llvm::createSequentialMask(
                                                                                i * result_.lanes, result_.lanes, 0)));
        return made;
    }

    Value* splat(Value* value) { return result_.lanes == 1 ? value : b_.CreateVectorSplat(result_.lanes, value); }
    Value* lane_numbers() {
        if (result_.lanes == 1) return e_.constant(result_, 0);
        llvm::SmallVector<llvm::Constant*> numbers;
        for (unsigned i = 0; i < result_.lanes; ++i)
            numbers.push_back(llvm::ConstantInt::get(b_.getIntNTy(result_.bits), i));
        return llvm::ConstantVector::get(numbers);
    }
    // Modulo the lanes.
    Value* index(Value* number) {
        Value* const wide = b_.CreateZExt(number, b_.getInt64Ty());
        return b_.CreateURem(wide, b_.getInt64(operand_.lanes));
    }
    Value* pick(Value* from) { return operand_.lanes == 1 ? from : b_.CreateExtractElement(from, index(x_[1][0])); }
    Value* permuted(Value* from) {
        if (operand_.lanes == 1) return from;
        Value* made = llvm::PoisonValue::get(from->getType());
        for (unsigned lane = 0; lane < operand_.lanes; ++lane) {
            Value* const number = index(b_.CreateExtractElement(x_[1][0], lane));
            made = b_.CreateInsertElement(made, b_.CreateExtractElement(from, number), lane);
        }
        return made;
    }
    Value* taken(Value* from) {
        const auto first = static_cast<unsigned>(instruction_.number);
        if (operand_.lanes == 1) return from;
        if (result_.lanes == 1) return b_.CreateExtractElement(from, first);
        return b_.CreateShuffleVector(from, llvm::createSequentialMask(first, result_.lanes, 0));
    }
    Value* reduced(Value* lanes, llvm::Intrinsic::ID id) {
        return operand_.lanes == 1 ? lanes : b_.CreateUnaryIntrinsic(id, lanes);
    }

    Emission& e_;
    llvm::IRBuilder<>& b_;
    const ir::Instruction& instruction_;
    ir::Type operand_, result_;
    llvm::ArrayRef<Elements> x_;
};

}  // namespace

Elements emit_moved(Emission& e, const ir::Instruction& instruction, ir::Type operand, ir::Type result,
                    llvm::ArrayRef<Elements> x) {
    return Moves(e, instruction, operand, result, x).make();
}

}  // namespace isaforge::jit
