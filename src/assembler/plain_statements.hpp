// Statements that mean the same wherever they stand: instructions whose operands are registers, names and plain numbers. What is
// read so depends on nothing but the description, so that it may be read on any thread, and a program may stand for it.
#pragma once

#include <memory>

#include "codec/programs.hpp"

namespace isaforge::assembler {

class PlainStatements {
public:
    // `is_fast`: see codec::Programs.
    explicit PlainStatements(const Codec& codec, bool is_fast = codec::Programs::is_wide_there());
    ~PlainStatements();

    // Reads a statement of which there is a program: see codec::Programs::read.
    bool known(const char*& cursor, const char* text_end, Encoded& out) {
        return programs_.read(cursor, text_end, out);
    }
    // The statement at `begin` was asked for last, and is an instruction: makes a program of it, where that is worthwhile.
    void note(const char* begin) {
        if (programs_.wanted()) learn(begin);
    }
    // Reads any. False where it is none, or means something else in another place. What stands behind the operands is not looked
    // at.
    bool read(const char*& cursor, const char* line_end, Encoded& out);

private:
    class Numbers;

    void learn(const char* begin);

    const Codec& codec_;
    codec::Programs programs_;
    std::unique_ptr<Numbers> numbers_;
};

}  // namespace isaforge::assembler
