// The least that a user of the library writes: a description loaded, an instruction decoded and printed.
#include <cstdio>

#include "isaforge/codec.hpp"

int main() {
    isaforge::SourceManager sources;
    isaforge::Diagnostics diagnostics;
    const auto isa = isaforge::load_isa("wishbone-gpu", sources, diagnostics);
    std::fputs(to_text(diagnostics, sources).c_str(), stderr);
    if (!isa) return 1;
    const isaforge::Codec codec(isa);
    const isaforge::Image image{};
    char text[isaforge::Codec::max_text];
    unsigned bits = 0;
    const isaforge::Index form = codec.decode(image, 32, bits);
    std::printf("%.*s\n", static_cast<int>(codec.print(text, form, image, bits, 0) - text), text);
}
