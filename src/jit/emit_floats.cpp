// Operations on floats rounded to nearest, as LLVM has them, with the rules of semantics/kernels.hpp for subnormals and NaNs
// around; lanes stay vectors. In half precision these are those that are right when they are done in 32 bits and rounded
// again, where the host converts by itself. What the host's library computes, and scaling are left to the kernels.
#include <llvm/IR/Intrinsics.h>
#include <llvm/TargetParser/Host.h>

#include "jit/emit.hpp"

namespace isaforge::jit {

namespace {

using ir::Op;
using llvm::Value;

class Floats {
public:
    Floats(Emission& e, const ir::Instruction& instruction, ir::Type operand, llvm::ArrayRef<Value*> x)
        : e_(e), b_(e.b), mode_(instruction.mode), x_(x), type_(x[0]->getType()) {
        set_format(operand.bits);
    }

    // Null where the kernel has to do it.
    Value* make(Op op, ir::Type result) {
        switch (op) {
            case Op::fadd: return packed(b_.CreateFAdd(unpacked(0), unpacked(1)));
            case Op::fsub: return packed(b_.CreateFSub(unpacked(0), unpacked(1)));
            case Op::fmul: return packed(b_.CreateFMul(unpacked(0), unpacked(1)));
            case Op::fdiv: return packed(b_.CreateFDiv(unpacked(0), unpacked(1)));
            case Op::fma:
                return packed(
                    b_.CreateIntrinsic(llvm::Intrinsic::fma, {float_type_}, {unpacked(0), unpacked(1), unpacked(2)}));
            case Op::fsqrt: return unary(llvm::Intrinsic::sqrt);
            case Op::fround_to_zero: return unary(llvm::Intrinsic::trunc);
            case Op::fround_half_away: return unary(llvm::Intrinsic::round);
            case Op::fround_half_even: return unary(llvm::Intrinsic::nearbyint);
            case Op::fround_up: return unary(llvm::Intrinsic::ceil);
            case Op::fround_down: return unary(llvm::Intrinsic::floor);
            case Op::fflush: return op_flushed();
            case Op::fmin: return smaller_or_larger(false);
            case Op::fmax: return smaller_or_larger(true);
            case Op::fequal: return b_.CreateFCmpOEQ(unpacked(0), unpacked(1));
            case Op::fless: return b_.CreateFCmpOLT(unpacked(0), unpacked(1));
            case Op::fless_equal: return b_.CreateFCmpOLE(unpacked(0), unpacked(1));
            case Op::float_to_u64: return saturated(llvm::Intrinsic::fptoui_sat);
            case Op::float_to_s64: return saturated(llvm::Intrinsic::fptosi_sat);
            case Op::float_widen: return widened();
            case Op::u64_to_float:
            case Op::s64_to_float:
            case Op::float_narrow: return from_64(op, result);
            default: return nullptr;
        }
    }

    // Those that look at bits only, of any width.
    Value* test_bits(Op op) {
        Value* const magnitude = b_.CreateAnd(x_[0], number(~sign_ & ones_));
        switch (op) {
            case Op::funordered: return b_.CreateOr(is_nan(x_[0]), is_nan(x_[1]));
            case Op::finfinite: return b_.CreateICmpEQ(magnitude, number(exponent_));
            case Op::fsubnormal:
                return b_.CreateAnd(b_.CreateICmpEQ(b_.CreateAnd(x_[0], number(exponent_)), number(0)),
                                    b_.CreateICmpNE(magnitude, number(0)));
            case Op::fzero: return b_.CreateICmpEQ(magnitude, number(0));
            default: return nullptr;
        }
    }

private:
    void set_format(unsigned bits) {
        const unsigned fraction = bits == 16 ? 10 : bits == 32 ? 23 : 52;
        ones_ = ~std::uint64_t{0} >> (64 - bits);
        sign_ = std::uint64_t{1} << (bits - 1);
        exponent_ = (sign_ - 1) & ~((std::uint64_t{1} << fraction) - 1);
        quiet_ = std::uint64_t{1} << (fraction - 1);
        llvm::Type* const lane = bits == 16 ? b_.getHalfTy() : bits == 32 ? b_.getFloatTy() : b_.getDoubleTy();
        float_type_ = type_->getWithNewType(lane);
    }
    Value* number(std::uint64_t value) const { return llvm::ConstantInt::get(type_, value); }
    Value* nan() const { return number(exponent_ | quiet_); }

    Value* is_nan(Value* bits) {
        return b_.CreateICmpUGT(b_.CreateAnd(bits, number(~sign_ & ones_)), number(exponent_));
    }
    Value* flushed(Value* bits) {
        if (!mode_.flush_subnormals) return bits;
        Value* const tiny = b_.CreateICmpEQ(b_.CreateAnd(bits, number(exponent_)), number(0));
        return b_.CreateSelect(tiny, b_.CreateAnd(bits, number(sign_)), bits);
    }
    Value* unpacked(unsigned i) { return b_.CreateBitCast(flushed(x_[i]), float_type_); }
    // What a result is that is no number.
    Value* nan_of_operands(std::size_t count) {
        Value* made = nan();
        if (mode_.canonical_nan) return made;
        for (std::size_t i = count; i-- > 0;)
            made = b_.CreateSelect(is_nan(x_[i]), b_.CreateOr(x_[i], number(quiet_)), made);
        return made;
    }
    Value* op_flushed() {
        Value* const tiny = b_.CreateICmpEQ(b_.CreateAnd(x_[0], number(exponent_)), number(0));
        return b_.CreateSelect(tiny, b_.CreateAnd(x_[0], number(sign_)), x_[0]);
    }
    // Whether it is enough to note that a value is no number.
    bool is_noted(Value* value) {
        if (e_.no_numbers == nullptr) return false;
        if (!e_.is_noted_later) e_.no_numbers->push_back(b_.CreateFCmpUNO(value, value));
        return true;
    }
    Value* packed(Value* value) {
        Value* const bits = flushed(b_.CreateBitCast(value, type_));
        if (is_noted(value)) return bits;
        return b_.CreateSelect(b_.CreateFCmpUNO(value, value), nan_of_operands(x_.size()), bits);
    }
    Value* unary(llvm::Intrinsic::ID id) { return packed(b_.CreateUnaryIntrinsic(id, unpacked(0))); }

    Value* smaller_or_larger(bool larger) {
        Value *const x = unpacked(0), *const y = unpacked(1);
        Value *const a = flushed(x_[0]), *const b = flushed(x_[1]);
        Value* const equal = b_.CreateFCmpOEQ(x, y);
        Value* const negative = b_.CreateICmpSLT(a, number(0));
        Value* const a_first = b_.CreateOr(b_.CreateFCmpOLT(x, y), b_.CreateAnd(equal, negative));
        Value* const number_of_both = larger ? b_.CreateSelect(a_first, b, a) : b_.CreateSelect(a_first, a, b);
        Value *const a_none = is_nan(x_[0]), *const b_none = is_nan(x_[1]);
        Value* const one = b_.CreateSelect(a_none, b, b_.CreateSelect(b_none, a, number_of_both));
        return b_.CreateSelect(b_.CreateAnd(a_none, b_none), nan_of_operands(2), one);
    }

    // LLVM's saturating conversions give 0 for NaNs.
    Value* saturated(llvm::Intrinsic::ID id) {
        return b_.CreateIntrinsic(id, {type_->getWithNewType(b_.getInt64Ty()), float_type_}, {unpacked(0)});
    }

    Value* widened() {
        if (ones_ == ~std::uint64_t{0}) return same_width();
        llvm::Type* const wide = type_->getWithNewType(b_.getInt64Ty());
        const auto in_wide = [&](std::uint64_t value) { return llvm::ConstantInt::get(wide, value); };
        Value* const extended = b_.CreateFPExt(unpacked(0), type_->getWithNewType(b_.getDoubleTy()));
        Value* const value = b_.CreateBitCast(extended, wide);
        if (is_noted(extended)) return value;
        Value* other = in_wide(wide_nan);
        if (!mode_.canonical_nan) {
            Value* const bits = b_.CreateZExt(x_[0], wide);
            Value* const sign = b_.CreateShl(b_.CreateAnd(bits, in_wide(sign_)), in_wide(32));
            Value* const payload = b_.CreateShl(b_.CreateAnd(bits, in_wide(~(sign_ | exponent_) & ones_)), in_wide(29));
            other = b_.CreateOr(b_.CreateOr(sign, payload), other);
        }
        return b_.CreateSelect(is_nan(x_[0]), other, value);
    }
    Value* same_width() {
        Value* const other = mode_.canonical_nan ? nan() : b_.CreateOr(x_[0], nan());
        return b_.CreateSelect(is_nan(x_[0]), other, flushed(x_[0]));
    }

    // The result's format is another than the operand's, which are 64 bits.
    Value* from_64(Op op, ir::Type result) {
        Value* const given = x_[0];
        llvm::Type* const bits = type_->getWithNewType(b_.getIntNTy(result.bits));
        if (op == Op::float_narrow && result.bits == 64) return same_width();
        Value* const as_double = b_.CreateBitCast(given, type_->getWithNewType(b_.getDoubleTy()));
        Value* const not_a_number = op == Op::float_narrow ? is_nan(given) : nullptr;
        Value* const sign = op == Op::float_narrow ? b_.CreateTrunc(b_.CreateLShr(given, number(32)), bits) : nullptr;
        Value* const payload =
            op == Op::float_narrow ? b_.CreateTrunc(b_.CreateLShr(given, number(29)), bits) : nullptr;
        type_ = bits;
        set_format(result.bits);
        if (op == Op::u64_to_float) return b_.CreateBitCast(b_.CreateUIToFP(given, float_type_), bits);
        if (op == Op::s64_to_float) return b_.CreateBitCast(b_.CreateSIToFP(given, float_type_), bits);
        Value* other = nan();
        if (!mode_.canonical_nan)
            other = b_.CreateOr(b_.CreateOr(b_.CreateAnd(sign, number(sign_)),
                                            b_.CreateAnd(payload, number(~(sign_ | exponent_) & ones_))),
                                other);
        Value* const narrow = b_.CreateFPTrunc(as_double, float_type_);
        Value* const value = flushed(b_.CreateBitCast(narrow, bits));
        if (is_noted(narrow)) return value;
        return b_.CreateSelect(not_a_number, other, value);
    }

    static constexpr std::uint64_t wide_nan = 0x7ff8000000000000;

    Emission& e_;
    llvm::IRBuilder<>& b_;
    ir::FloatMode mode_;
    llvm::ArrayRef<Value*> x_;
    llvm::Type *type_, *float_type_ = nullptr;
    std::uint64_t ones_ = 0, sign_ = 0, exponent_ = 0, quiet_ = 0;
};

bool host_converts_halves() {
    static const bool found = llvm::sys::getHostCPUFeatures().lookup("f16c");
    return found;
}

// Whether LLVM's operation is right in half precision: twice as many bits and two more leave nothing to a second rounding.
bool is_right_in_half(Op op) {
    switch (op) {
        case Op::fadd:
        case Op::fsub:
        case Op::fmul:
        case Op::fdiv:
        case Op::fsqrt:
        case Op::fflush:
        case Op::fmin:
        case Op::fmax:
        case Op::fround_to_zero:
        case Op::fround_half_away:
        case Op::fround_half_even:
        case Op::fround_up:
        case Op::fround_down:
        case Op::fequal:
        case Op::fless:
        case Op::fless_equal: return host_converts_halves();
        default: return false;
    }
}

}  // namespace

Value* emit_float(Emission& e, const ir::Instruction& instruction, ir::Type operand, ir::Type result,
                  llvm::ArrayRef<Value*> x) {
    if (instruction.mode.raised_by != 0) return emit_by_callout(e, instruction, operand, result, x);
    if (operand.is_float())
        if (Value* const made = Floats(e, instruction, operand, x).test_bits(instruction.op)) return made;
    if (instruction.mode.rounding != Rounding::nearest) return emit_by_callout(e, instruction, operand, result, x);
    const bool half = operand.bits == 16 || (result.bits == 16 && result.is_float());
    if (!half || is_right_in_half(instruction.op))
        if (Value* const made = Floats(e, instruction, operand, x).make(instruction.op, result)) return made;
    return emit_by_kernel(e, instruction, operand, result, x);
}

}  // namespace isaforge::jit
