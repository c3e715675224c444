// A small instruction set for graphs to speak of.
#pragma once

#include <memory>
#include <string>

#include "isaforge/isa.hpp"

namespace isaforge::ir {

inline const Isa& bench_isa() {
    static const std::shared_ptr<const Isa> isa = [] {
        SourceManager sources;
        Diagnostics diagnostics;
        auto loaded = load_isa_text("bench.isa", R"(isa bench "bench"
code unit 32 little
registers r : 3 of u32 "r{n}"
registers w : 2 of u64 "w{n}"
registers v : 2 of u32 lanes 8 "v{n}"
register flags : u8
memory mem : u8 little
memory lds : u8 little
mode quick : u1 = flags[0]
format F | OP:8 | -:24 |
instructions F [OP] "{name}" {
    0  nop
}
)",
                                    sources, diagnostics);
        if (!loaded) throw std::runtime_error(to_text(diagnostics, sources));
        return loaded;
    }();
    return *isa;
}

}  // namespace isaforge::ir
