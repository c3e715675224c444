// No thread encodes anything ahead: all statements are the engine's.
#include "assembler/ahead.hpp"

namespace isaforge::assembler {

struct Ahead::Worker {};

Ahead::Ahead(const Codec& codec, std::string_view text, unsigned) : codec_(codec), text_(text) {}
Ahead::~Ahead() = default;

const EncodedAhead* Ahead::find(const char*) { return nullptr; }

}  // namespace isaforge::assembler
