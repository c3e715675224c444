// Statements that mean the same wherever they stand: instructions whose operands are registers, names and plain numbers. What is
// read so depends on nothing but the description, so that it may be read on any thread.
#pragma once

#include <memory>

#include "isaforge/codec.hpp"

namespace isaforge::assembler {

class PlainStatements {
public:
    explicit PlainStatements(const Codec& codec);
    ~PlainStatements();

    // False where it is none, or means something else in another place. What stands behind the operands is not looked at.
    // `readable`: up to where characters may be looked at.
    bool read(const char*& cursor, const char* line_end, const char* readable, Encoded& out);

private:
    class Numbers;

    const Codec& codec_;
    std::unique_ptr<Numbers> numbers_;
};

}  // namespace isaforge::assembler
