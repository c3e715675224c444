// Files that hold programs in a wrapping of their own, older than plain object files: what is in them as objects that the
// disassembler prints, each with text that goes before it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "isaforge/object.hpp"

namespace isaforge {

struct ContainerPart {
    std::string name;  // of the program; may be empty
    std::string head;  // directives, whole lines
    Object object;
};

struct Container {
    std::string format;        // what it is, for people
    std::string isa, variant;  // the description that its code needs; the variant is empty where the file does not say
    std::string dialect;       // whose directives `head` and the parts' heads are
    std::string head;          // directives about the whole file, whole lines
    std::vector<ContainerPart> parts;
};

// Reads a container of any known kind. Nothing, with `error` empty, where the bytes are none; nothing, with the reason in
// `error`, where they are one that is damaged.
std::optional<Container> read_container(std::span<const std::uint8_t> bytes, std::string& error);

}  // namespace isaforge
