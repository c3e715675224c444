// The spellings of the operators, as descriptions write them.
#include "semantics/tree.hpp"

namespace isaforge::semantics {

const char* spelling(Operator op) {
    static constexpr const char* spellings[] = {
        "",   "+",  "-",  "*", "/", "%",  "&",  "|",  "^",  "~",  "<<",  ">>",  "==", "!=",  "<",  "<=",  ">",
        ">=", "&&", "||", "!", "-", "+.", "-.", "*.", "/.", "-.", "==.", "!=.", "<.", "<=.", ">.", ">=.", "++"};
    return spellings[static_cast<unsigned>(op)];
}

}  // namespace isaforge::semantics
