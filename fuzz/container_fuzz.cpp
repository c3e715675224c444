// Any bytes as a container of GCN programs: what its reader accepts is disassembled, with a bound on the text.
#include "elf.hpp"
#include "isaforge/container.hpp"
#include "isaforge/disassembler.hpp"
#include "machines.hpp"

using namespace isaforge;

namespace {

constexpr std::size_t most_text = 1 << 20;

const Codec& gcn() {
    static const fuzz::Tools tools = fuzz::load_tools("gcn1.2");
    return *tools.codec;
}

// Numbers outside of the ELF files: lists of kernels and of arguments, pairs of registers.
void change_word(std::string& bytes, fuzz::Random& random) {
    if (bytes.size() < 4) return;
    const std::uint64_t value = random.edge();
    std::memcpy(bytes.data() + random.below(std::min<std::size_t>(bytes.size() / 4, 32)) * 4, &value, 4);
}

}  // namespace

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed) {
    return fuzz::mutate(data, size, most, seed, [](std::string& bytes, fuzz::Random& random) {
        random.one_in(4) ? change_word(bytes, random) : fuzz::change_elf(bytes, random);
    });
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    std::string error;
    const std::optional<Container> container = read_container({data, size}, error);
    if (!container) return 0;
    std::size_t written = container->head.size();
    for (const ContainerPart& part : container->parts) {
        DisassembleOptions options;
        options.threads = 1;
        written += part.head.size();
        disassemble(gcn(), part.object, options, [&](std::string_view text) { written += text.size(); });
        if (written > most_text) break;
    }
    return 0;
}
