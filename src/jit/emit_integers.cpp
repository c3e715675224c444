// Operations on integers of any width, in LLVM's integers of that width. What is long there is left to the kernels.
#include <llvm/IR/Intrinsics.h>

#include "jit/emit.hpp"

namespace isaforge::jit {

namespace {

using llvm::Value;
using llvm::Intrinsic::ID;

class Integers {
public:
    Integers(Emission& e, ir::Type operand, llvm::ArrayRef<Value*> x)
        : b_(e.b), bits_(operand.bits), x_(x), type_(x[0]->getType()) {}

    // Null where the kernel has to do it.
    Value* make(ir::Op op, ir::Type result) {
        using ir::Op;
        switch (op) {
            case Op::add: return b_.CreateAdd(x_[0], x_[1]);
            case Op::sub: return b_.CreateSub(x_[0], x_[1]);
            case Op::mul: return b_.CreateMul(x_[0], x_[1]);
            case Op::divide_unsigned: return divided(llvm::Instruction::UDiv);
            case Op::divide_signed: return divided_signed(llvm::Instruction::SDiv);
            case Op::remainder_unsigned: return divided(llvm::Instruction::URem);
            case Op::remainder_signed: return divided_signed(llvm::Instruction::SRem);
            case Op::mul_high_unsigned: return high_product(false);
            case Op::mul_high_signed: return high_product(true);
            case Op::min_unsigned: return binary(llvm::Intrinsic::umin);
            case Op::max_unsigned: return binary(llvm::Intrinsic::umax);
            case Op::min_signed: return binary(llvm::Intrinsic::smin);
            case Op::max_signed: return binary(llvm::Intrinsic::smax);
            case Op::bit_and: return b_.CreateAnd(x_[0], x_[1]);
            case Op::bit_or: return b_.CreateOr(x_[0], x_[1]);
            case Op::bit_xor: return b_.CreateXor(x_[0], x_[1]);
            case Op::bit_not: return b_.CreateNot(x_[0]);
            case Op::shift_left: return b_.CreateSelect(in_width(), b_.CreateShl(x_[0], x_[1]), number(0));
            case Op::shift_right: return b_.CreateSelect(in_width(), b_.CreateLShr(x_[0], x_[1]), number(0));
            case Op::shift_right_signed:
                return b_.CreateAShr(x_[0], b_.CreateSelect(in_width(), x_[1], number(bits_ - 1)));
            case Op::rotate_left: return b_.CreateIntrinsic(llvm::Intrinsic::fshl, {type_}, {x_[0], x_[0], x_[1]});
            case Op::sign_extend_from: return sign_extended();
            case Op::equal: return b_.CreateICmpEQ(x_[0], x_[1]);
            case Op::not_equal: return b_.CreateICmpNE(x_[0], x_[1]);
            case Op::less_unsigned: return b_.CreateICmpULT(x_[0], x_[1]);
            case Op::less_equal_unsigned: return b_.CreateICmpULE(x_[0], x_[1]);
            case Op::less_signed: return b_.CreateICmpSLT(x_[0], x_[1]);
            case Op::less_equal_signed: return b_.CreateICmpSLE(x_[0], x_[1]);
            case Op::count_ones: return b_.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop, x_[0]);
            case Op::count_leading_zeros: return zeros(llvm::Intrinsic::ctlz);
            case Op::count_trailing_zeros: return zeros(llvm::Intrinsic::cttz);
            case Op::reverse: return b_.CreateUnaryIntrinsic(llvm::Intrinsic::bitreverse, x_[0]);
            case Op::leading_bits: return leading_bits();
            case Op::select: return b_.CreateSelect(x_[0], x_[1], x_[2]);
            default: static_cast<void>(result); return nullptr;
        }
    }

private:
    Value* number(std::uint64_t value) const { return llvm::ConstantInt::get(type_, value); }
    Value* binary(ID id) { return b_.CreateBinaryIntrinsic(id, x_[0], x_[1]); }
    Value* zeros(ID id) { return b_.CreateBinaryIntrinsic(id, x_[0], b_.getFalse()); }
    // Whether the amount is less than the width.
    Value* in_width() { return b_.CreateICmpULT(x_[1], number(bits_)); }
    llvm::Type* widened(unsigned bits) const { return type_->getWithNewBitWidth(bits); }

    Value* divided(llvm::Instruction::BinaryOps op) {
        Value* const none = b_.CreateICmpEQ(x_[1], number(0));
        Value* const made = b_.CreateBinOp(op, x_[0], b_.CreateSelect(none, number(1), x_[1]));
        return b_.CreateSelect(none, op == llvm::Instruction::UDiv ? number(~std::uint64_t{0}) : x_[0], made);
    }
    // By -1, where the quotient may not fit, it is done without dividing. In one bit, 1 is -1.
    Value* divided_signed(llvm::Instruction::BinaryOps op) {
        const bool quotient = op == llvm::Instruction::SDiv;
        Value *const none = b_.CreateICmpEQ(x_[1], number(0)), *const minus = b_.CreateICmpEQ(x_[1], all_ones());
        Value* const negated = quotient ? b_.CreateNeg(x_[0]) : number(0);
        Value* made = negated;
        if (bits_ > 1) {
            Value* const divisor = b_.CreateSelect(b_.CreateOr(none, minus), number(1), x_[1]);
            made = b_.CreateSelect(minus, negated, b_.CreateBinOp(op, x_[0], divisor));
        }
        return b_.CreateSelect(none, quotient ? all_ones() : x_[0], made);
    }
    Value* all_ones() const { return llvm::Constant::getAllOnesValue(type_); }

    Value* high_product(bool is_signed) {
        llvm::Type* const wide = widened(2 * bits_);
        const auto extended = [&](Value* value) {
            return is_signed ? b_.CreateSExt(value, wide) : b_.CreateZExt(value, wide);
        };
        Value* const product = b_.CreateMul(extended(x_[0]), extended(x_[1]));
        return b_.CreateTrunc(b_.CreateLShr(product, llvm::ConstantInt::get(wide, bits_)), type_);
    }
    // As the table's kernel: the amount counts modulo the container.
    Value* sign_extended() {
        const unsigned container = ir::Type::integer(bits_).container();
        llvm::Type* const wide = widened(container);
        const auto as_wide = [&](std::uint64_t value) { return llvm::ConstantInt::get(wide, value); };
        Value* const above =
            b_.CreateAnd(b_.CreateSub(as_wide(container), b_.CreateZExt(x_[1], wide)), as_wide(container - 1));
        return b_.CreateTrunc(b_.CreateAShr(b_.CreateShl(b_.CreateZExt(x_[0], wide), above), above), type_);
    }
    Value* leading_bits() {
        Value* const width = b_.CreateSub(number(bits_), zeros(llvm::Intrinsic::ctlz));
        Value* const shift = b_.CreateSub(width, x_[1]);
        Value* const cut = b_.CreateAnd(x_[0], b_.CreateShl(all_ones(), shift));
        Value* const some = b_.CreateSelect(b_.CreateICmpEQ(x_[1], number(0)), number(0), cut);
        return b_.CreateSelect(b_.CreateICmpULE(width, x_[1]), x_[0], some);
    }

    llvm::IRBuilder<>& b_;
    unsigned bits_;
    llvm::ArrayRef<Value*> x_;
    llvm::Type* type_;
};

}  // namespace

Value* emit_integer(Emission& e, const ir::Instruction& instruction, ir::Type operand, ir::Type result,
                    llvm::ArrayRef<Value*> x) {
    if (Value* const made = Integers(e, operand, x).make(instruction.op, result)) return made;
    return emit_by_kernel(e, instruction, operand, result, x);
}

}  // namespace isaforge::jit
