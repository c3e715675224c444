// Loads and stores. Addresses that the hart's tables of pages know are accessed at once; for the others the bus is called.
#pragma once

#include "jit/exits.hpp"

namespace isaforge::jit {

class Memory {
public:
    Memory(Emission& e, Exits& exits) : e_(e), exits_(exits) {}

    void make_variables();
    // Where the run may have to stop with this instruction because of what it stores.
    void begin(bool stores);
    llvm::Value* wants_attention();

    Elements load(const ir::Instruction& instruction, ir::Type address_type, ir::Type type, llvm::Value* address,
                  llvm::Value* mask);
    void store(const ir::Instruction& instruction, ir::Type address_type, ir::Type type, llvm::Value* address,
               llvm::Value* value, llvm::Value* mask);

private:
    struct Way {
        llvm::Value* bytes = nullptr;  // in the host's memory
        llvm::BasicBlock* slow = nullptr;
    };

    llvm::Value* load_lane(llvm::Value* address, unsigned bits);
    void store_lane(llvm::Value* address, llvm::Value* value, unsigned bits);
    Way page(llvm::Value* address, unsigned bytes, std::size_t tables);
    llvm::Value* in_order(llvm::Value* value);
    llvm::Value* field(llvm::Value* base, std::size_t offset, llvm::Type* type);
    void refuse_unless(llvm::Value* done);
    llvm::Value* lane_of(llvm::Value* value, unsigned lanes, unsigned lane);
    // Puts what `emit` makes where the mask is true in that lane, and gives its value; 0 elsewhere.
    template <class Function>
    llvm::Value* where(llvm::Value* mask, llvm::Type* type, Function&& emit);
    unsigned unit_shift() const;
    llvm::MDNode* rarely();

    Emission& e_;
    Exits& exits_;
    llvm::AllocaInst *raw_ = nullptr, *attention_ = nullptr;
    Index memory_ = 0;
};

}  // namespace isaforge::jit
