// What a shell offers for the word under the cursor.
#pragma once

#include <string>
#include <vector>

namespace isaforge::cli {

struct Offer {
    std::string text;     // the whole word
    std::string summary;  // a line, or empty
};

struct Offers {
    std::vector<Offer> words;
    // What the shell itself knows besides.
    bool files = false, folders = false, programs = false;
};

// `words` stand behind the program's name; the last one, which may be empty, is to be completed. Nothing is ever said or
// changed.
Offers complete(const std::vector<std::string>& words);

}  // namespace isaforge::cli
