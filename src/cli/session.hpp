// What nearly every sub-command starts with: an instruction set chosen on the command line, the sources and diagnostics of
// a run, files that are read.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "isaforge/diagnostics.hpp"
#include "isaforge/isa.hpp"
#include "isaforge/limits.hpp"
#include "isaforge/object.hpp"
#include "isaforge/source.hpp"

namespace isaforge::cli {

class Arguments;

// Makes what a command needs to its very end. It is never taken apart: the system takes the memory back faster.
template <typename T, typename... From>
T& make_for_good(From&&... from) {
    static auto& kept = *new std::vector<T*>;
    kept.push_back(new T(std::forward<From>(from)...));
    return *kept.back();
}

// The instruction set that was asked for. One of the two functions adds the options that fill it.
struct IsaChoice {
    std::string name;
    std::string variant;
    std::string dialect;
    bool only_dialect = false;            // no texts of others
    bool meanings = true;                 // whether it is asked what instructions do
    bool no_cache = false;                // nothing is taken from earlier runs, or kept for later ones
    std::vector<std::string> parameters;  // NAME=VALUE
};
void add_isa_option(Arguments& app, IsaChoice& choice);  // -i ISA, for commands whose subject is a program
void add_threads_option(Arguments& app, unsigned& threads);
void add_optional_isa_option(Arguments& app, IsaChoice& choice);  // -i ISA, where an object file may say it itself
void add_isa_positional(Arguments& app, IsaChoice& choice);       // ISA, for commands whose subject is the description

// One run of the command.
struct Session {
    SourceManager sources;
    Diagnostics diagnostics;
    std::optional<FileId> standard_input;  // where that has been read already

    // Loads the chosen instruction set; null, with everything said in `diagnostics`, where that fails.
    // A draft still has its rows without an opcode: see LoadOptions.
    std::shared_ptr<const Isa> load(const IsaChoice& choice, bool draft = false);

    // Prints the diagnostics so far to standard error; the exit status that they call for.
    int report() const;
};

// A file's text into `sources`, or a file's bytes; `-` is standard input. Nothing after a complaint.
std::optional<FileId> read_source(Session& session, const std::string& path);
std::optional<std::vector<std::uint8_t>> read_bytes(const std::string& path);

// Where no instruction set was asked for, takes the one that an object file says it is for. False after a complaint.
bool complete_choice(IsaChoice& choice, const std::vector<std::uint8_t>& object);
bool complete_choice(IsaChoice& choice, const Object* object);  // null where it cannot be read

// Whether the file is for this instruction set, as far as that is known; what speaks against it is said.
bool is_for(const Object& object, const Isa& isa, const std::string& path);

// A count of bytes or an address: decimal, 0x…, with K, M or G behind it for 2^10, 2^20, 2^30.
std::optional<std::uint64_t> parse_size(std::string_view text);

// No limit on a number that an option takes.
inline constexpr std::uint64_t any_number = ~std::uint64_t{0};

}  // namespace isaforge::cli
