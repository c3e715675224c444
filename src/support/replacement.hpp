// A file that takes the place of another only when it is complete: it is written beside it, links are followed, the mode
// stays. So a command that fails leaves what was there before.
#pragma once

#include <string>

namespace isaforge {

class Replacement {
public:
    Replacement() = default;
    ~Replacement();  // removes what was not put in place
    Replacement(const Replacement&) = delete;
    Replacement& operator=(const Replacement&) = delete;

    // Devices and pipes are no files to be replaced; they are written directly.
    static bool is_possible(const std::string& path);

    // A descriptor to write to, which the caller closes; -1 where there is none, errno says why.
    int open(const std::string& path);
    // After the descriptor is closed. False where it fails, errno says why.
    bool put_in_place();

private:
    std::string target_, temporary_;
};

}  // namespace isaforge
