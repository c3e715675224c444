// The text does not depend on how many threads make it. Programs of random bytes with instructions of 2, 4 and 6 bytes,
// so that a thread often begins inside an instruction, and large enough to be divided.
#include <gtest/gtest.h>

#include <random>
#include <sstream>

#include "isaforge/disassembler.hpp"

namespace isaforge {
namespace {

std::shared_ptr<const Isa> load(const char* name) {
    SourceManager sources;
    Diagnostics diagnostics;
    auto isa = load_isa(name, sources, diagnostics);
    EXPECT_NE(isa, nullptr) << to_text(diagnostics, sources);
    return isa;
}

Object random_program(const Isa& isa, unsigned seed, bool symbols) {
    std::mt19937 random(seed);
    std::vector<std::uint8_t> bytes(900'000 + random() % 1000 * isa.unit_bytes());
    for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random());
    Object object = read_binary(bytes, isa);
    for (unsigned i = 0; symbols && i < 3000; ++i) {
        Symbol symbol;
        symbol.name = "symbol_" + std::to_string(i);
        symbol.section = 0;
        symbol.value = random() % bytes.size();
        object.symbols.push_back(symbol);
    }
    return object;
}

// The first line in which two texts differ.
std::string difference(const std::string& a, const std::string& b) {
    std::istringstream left(a), right(b);
    std::string x, y;
    while (std::getline(left, x) && std::getline(right, y)) {
        if (x != y) return x + "\n" + y;
    }
    return a.size() == b.size() ? "" : "one is longer";
}

void expect_same(const char* name, DisassemblyStyle style, bool symbols) {
    const Codec codec(load(name));
    const Object object = random_program(codec.isa(), 1, symbols);
    DisassembleOptions options;
    options.style = style;
    options.threads = 1;
    const std::string one = disassemble(codec, object, options);
    for (const unsigned threads : {2u, 3u, 8u}) {
        options.threads = threads;
        EXPECT_EQ(difference(one, disassemble(codec, object, options)), "") << threads << " threads";
    }
}

TEST(Threads, SourceIsTheSame) { expect_same("fabrisc-2022-05-15", DisassemblyStyle::source, true); }
TEST(Threads, ListingIsTheSame) { expect_same("fabrisc-2022-05-15", DisassemblyStyle::listing, false); }
TEST(Threads, LargerUnitsAreTheSame) { expect_same("wishbone-gpu", DisassemblyStyle::source, true); }

}  // namespace
}  // namespace isaforge
