// Statements that mean the same wherever they stand: instructions whose operands are registers, names and plain numbers. What is
// read so depends on nothing but the description, so that it may be read on any thread, and a program may stand for it. So may one
// for a statement whose last operand is the name of a symbol; what that means is for the engine to say.
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
        return programs_.read(cursor, text_end, false, out);
    }
    // The same also where the last operand is a name, `name()`, that stands for a number.
    bool known_or_named(const char*& cursor, const char* text_end, Encoded& out) {
        return programs_.read(cursor, text_end, true, out);
    }
    std::string_view name() const { return programs_.name(); }
    template <class Visit>
    bool visit_encodings(const Visit& visit) const {
        return programs_.visit_encodings(visit);
    }
    // The statement at `begin` was asked for last, and is an instruction: makes a program of it, where that is worthwhile. `named`: its
    // last operand is a name, and the one number that is not known.
    void note(const char* begin, bool named = false) {
        if (programs_.wanted(named)) learn(begin, named);
    }
    // Reads any. False where it is none, or means something else in another place. What stands behind the operands is not looked
    // at.
    bool read(const char*& cursor, const char* line_end, Encoded& out);

private:
    class Numbers;

    void learn(const char* begin, bool named);

    const Codec& codec_;
    codec::Programs programs_;
    std::unique_ptr<Numbers> numbers_;
};

}  // namespace isaforge::assembler
