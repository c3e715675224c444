// Where a word begins in a text: each work-item looks at one place, and those that find it take a place in the list. The list
// has no order, for who comes first is nobody's choice.
#include "items.h"

__kernel void string_search(__global const char *text, uint length, __global const char *word, uint word_length,
                            __global uint *found, __global uint *places, uint room) {
    uint at = global_x();
    if (at >= length || word_length > length - at) return;
    for (uint i = 0; i < word_length; ++i)
        if (text[at + i] != word[i]) return;
    uint place = __atomic_fetch_add(found, 1, __ATOMIC_RELAXED);
    if (place < room) places[place] = at;
}
