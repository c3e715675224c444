// Small instruction sets for graphs to speak of.
#pragma once

#include <memory>
#include <stdexcept>
#include <string>

#include "isaforge/isa.hpp"

namespace isaforge::ir {

// One with these registers, memories and modes, and an instruction that does nothing.
inline std::shared_ptr<const Isa> isa_of(const std::string& declarations) {
    SourceManager sources;
    Diagnostics diagnostics;
    auto loaded = load_isa_text("bench.isa", "isa bench \"bench\"\ncode unit 32 little\n" + declarations + R"(
format F | OP:8 | -:24 |
instructions F [OP] "{name}" {
    0  nop
}
)",
                                sources, diagnostics);
    if (!loaded) throw std::runtime_error(to_text(diagnostics, sources));
    return loaded;
}

inline const Isa& bench_isa() {
    static const std::shared_ptr<const Isa> isa = isa_of(R"(registers r : 3 of u32 "r{n}"
registers w : 2 of u64 "w{n}"
registers v : 2 of u32 lanes 8 "v{n}"
register flags : u8
memory mem : u8 little
memory lds : u8 little
mode quick : u1 = flags[0]
)");
    return *isa;
}

}  // namespace isaforge::ir
