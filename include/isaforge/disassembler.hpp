// From objects to text: source that assembles back to the same bytes, a listing with addresses, or JSON.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "isaforge/codec.hpp"
#include "isaforge/object.hpp"

namespace isaforge {

enum class DisassemblyStyle {
    source,   // labels, directives, statements: assembles back to identical bytes
    listing,  // address, as the code counts it, and bytes before each instruction
    json,     // one object per instruction: address in bytes, bytes, text, mnemonic, fields as the codes in the word
};

struct DisassembleOptions {
    DisassemblyStyle style = DisassemblyStyle::source;
    bool labels = true;  // names for branch targets, in the style `source` and `listing`
    // Assemble again whatever might read as another encoding; what comes back different is printed as data with the
    // text as a comment. Only for the style `source`.
    bool verify = true;
    unsigned threads = 0;  // for large objects; 0: as many as the machine has. The text does not depend on it.
};

// Receives the text piece by piece, in order, not always on the same thread.
using TextSink = std::function<void(std::string_view)>;

// Writes the text of an object. Bytes that are no instruction become data, so this does not fail.
void disassemble(const Codec& codec, const Object& object, const DisassembleOptions& options, const TextSink& sink);
std::string disassemble(const Codec& codec, const Object& object, const DisassembleOptions& options = {});

}  // namespace isaforge
