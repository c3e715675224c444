// Reads the built-in descriptions and packs the models of all their variants: run by the build, for the library.
#include <cstdio>
#include <fstream>

#include "codec/mnemonics.hpp"
#include "disassembler/prove.hpp"
#include "isa/packed.hpp"
#include "isaforge/diagnostics.hpp"
#include "isaforge/isa.hpp"
#include "language/builtin.hpp"

std::string_view isaforge::language::packed_descriptions() { return {}; }

namespace isaforge {

namespace {

bool add(Packer& packer, const std::string& name) {
    SourceManager sources;
    Diagnostics diagnostics;
    const auto isa = load_isa(name, sources, diagnostics);
    std::fputs(to_text(diagnostics, sources).c_str(), stderr);
    if (!isa) return false;
    auto whole = std::make_shared<Isa>(codec::with_indexes(*isa));
    whole->read_back.push_back(disassembler::prove(whole));
    packer.add(*whole, static_cast<FileId>(sources.size()));
    return true;
}

int run(const char* path) {
    Packer packer;
    for (const auto& [name, title] : builtin_isas()) {
        if (!add(packer, name)) return 1;
    }
    const std::string bytes = packer.bytes();
    std::ofstream out(path, std::ios::binary);
    out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    out.close();
    if (out) return 0;
    std::fprintf(stderr, "cannot write '%s'\n", path);
    return 1;
}

}  // namespace

}  // namespace isaforge

int main(int argc, char** argv) {
    if (argc == 2) return isaforge::run(argv[1]);
    std::fprintf(stderr, "usage: pack-descriptions FILE\n");
    return 2;
}
