// The last question, for machines whose opcode bits stand behind operands: rows of several classes then fit into one block,
// told apart by bits behind it, which the rule of one class to a block does not see. Here codes are chosen one by one, and
// all that counts is that no word belongs to two rows. Slower, and asked only where blocks find no assignment.
#pragma once

#include <cstdint>
#include <vector>

#include "allocator/problem.hpp"

namespace isaforge::allocator {

// Whether the rule of one class to a block can be in nobody's way: what is proved of blocks is proved of words then.
bool blocks_are_words(const Problem& problem);

// Rows that are alike, and how many codes are free for each before any of them has one.
struct FreeCodes {
    std::vector<std::size_t> items;
    std::uint64_t codes = 0;
};

struct WordsAnswer {
    Answer answer = Answer::gave_up;
    Assignment assignment;         // yes
    std::vector<FreeCodes> free;   // no
    std::uint64_t placements = 0;
};
WordsAnswer fit_words(const Problem& problem, std::uint64_t most);

}  // namespace isaforge::allocator
