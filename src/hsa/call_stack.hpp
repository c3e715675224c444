// Who asked for a kernel: the program's calls at that place, for reports.
#pragma once

#include <array>
#include <string>

namespace isaforge::hsa {

struct CallStack {
    std::array<void*, 24> addresses{};
    unsigned count = 0;

    static CallStack here();
    // A line for each call, the innermost first, without those of libraries that launch kernels; each begins with `indent`.
    std::string text(std::string_view indent) const;
};

// What a compiler has made of a name of C++'s, as it stands in the source; others as they are, and "?" for none.
std::string readable_name(const std::string& symbol);

}  // namespace isaforge::hsa
