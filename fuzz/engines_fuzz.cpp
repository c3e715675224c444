// Programs of random graphs, chosen by the bytes: as they are and after the passes, by the model, the interpreter and the
// compiler, they come to the same registers and memories.
#include "../tests/jit/engines.hpp"
#include "random.hpp"

using namespace isaforge;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static jit::Engines engines(jit::program_isa());
    if (size < 2) return 0;
    const std::uint64_t seed = data[1];
    jit::RandomProgram program(*jit::program_isa(), ir::Choices(std::span(data + 2, size - 2)),
                               jit::scope_of_engines(*jit::program_isa()));
    const std::string wrong = engines.run(program.make(1 + data[0] % 3), seed);
    if (!wrong.empty()) std::fprintf(stderr, "%s\n", wrong.c_str());
    fuzz::require(wrong.empty());
    return 0;
}
