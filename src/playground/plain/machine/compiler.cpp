// There is no compiler: everything is interpreted.
#include "machine/compiler.hpp"

namespace isaforge::machine {

Callouts machine_callouts() { return {}; }
LateShape results_under_way(const Core&, std::uint64_t, std::uint64_t) { return {}; }

std::unique_ptr<Compiler> load_compiler(const std::string&, const CompilerTarget&, std::string& error) {
    error = "there is no compiler here";
    return nullptr;
}

}  // namespace isaforge::machine
