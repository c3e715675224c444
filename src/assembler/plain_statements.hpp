// Statements that mean the same wherever they stand: instructions whose operands are registers, names and plain numbers. What is
// read so depends on nothing but the description, so that it may be read on any thread.
#pragma once

#include <memory>

#include "codec/printed_reader.hpp"
#include "isaforge/codec.hpp"

namespace isaforge::assembler {

class PlainStatements {
public:
    // `end`: of the text that they stand in.
    PlainStatements(const Codec& codec, const char* end);
    ~PlainStatements();

    // The statement at `cursor`, which is moved behind its operands. False where it is none, or means something else in another place.
    bool read(const char*& cursor, Encoded& out);

private:
    class Numbers;

    const Codec& codec_;
    codec::PrintedReader printed_;
    std::unique_ptr<Numbers> numbers_;
};

}  // namespace isaforge::assembler
