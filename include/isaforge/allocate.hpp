// The allocator: gives opcodes to the rows of a description that say `auto`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "isaforge/isa.hpp"

namespace isaforge {

// The number for one `auto` of a description, at the place of that word.
struct AutoChoice {
    Place where;
    std::uint64_t value = 0;
    unsigned width = 0;  // of the field, in bits
    bool bits = false;   // to be written as bits, all of them
};

// What an assignment costs in hardware: how many leading bits the decoders of the length and of the format look at, and
// how many products they have as two-level covers with free words as don't-care.
struct AllocationFigures {
    unsigned length_bits = 0, length_terms = 0;
    unsigned format_bits = 0, format_terms = 0;
    unsigned apart = 0;  // pairs of related rows whose opcodes differ in more than one bit
    unsigned cost = 0;   // 8 (length_bits + length_terms) + 4 (format_bits + format_terms) + apart
};

struct AllocationReport {
    // Of a pool, in its opcodes: what rows with a number have, what the rows with `auto` were given, what is reserved, and
    // what is left.
    struct PoolUse {
        Index pool = 0;
        std::uint64_t fixed = 0, given = 0, reserved = 0, free = 0;
    };
    std::size_t rows = 0;   // numbers that were chosen together, one or two for a row
    std::size_t pairs = 0;  // related ones
    AllocationFigures ours;
    std::optional<AllocationFigures>
        in_order;  // formats in the order of the pools, from the bottom; nothing: does not fit
    std::optional<AllocationFigures> first_fit;  // rows in the order of the description, each where there is room first
    std::vector<PoolUse> pools;
};

// Which opcodes are given.
enum class AllocationOrder {
    cheapest,  // what the cost says
    pools,     // AllocationReport::in_order
    rows,      // AllocationReport::first_fit
};

// Chooses an opcode for each `auto` of a draft (see LoadOptions::draft), such that no two instructions overlap, pools and
// reserved patterns are respected, and what has a number keeps it. The same draft always gives the same choices. False
// where no assignment exists: then `diagnostics` has an error with the proof and the smallest changes that would help. False,
// with an error, also where `order` asks for another one than the cheapest, and that does not fit.
bool allocate(const Isa& draft, std::vector<AutoChoice>& choices, Diagnostics& diagnostics,
              AllocationReport* report = nullptr, AllocationOrder order = AllocationOrder::cheapest);

// The draft with the numbers that `previous` has for rows of the same mnemonic and format, which are added to `choices`: what
// allocate() is to be given where they are to stay. Null after an error, where another row has such a number now.
std::shared_ptr<const Isa> keep_numbers(const Isa& draft, const Isa& previous, std::vector<AutoChoice>& choices,
                                        Diagnostics& diagnostics);

// The text of a file with the numbers in the place of the words `auto` that are in it: hexadecimal with as many digits as
// the field needs, or all bits. What stands behind keeps its column where there are blanks to spare.
std::string with_numbers(std::string_view text, FileId file, const std::vector<AutoChoice>& choices);

}  // namespace isaforge
