#include "hsa/messages.hpp"

#include <unistd.h>

namespace isaforge::hsa {

// By the system's own call: the program's buffers may be gone, or locked.
void say_line(const std::string& line) {
    std::size_t done = 0;
    while (done < line.size()) {
        const ssize_t written = ::write(STDERR_FILENO, line.data() + done, line.size() - done);
        if (written <= 0) return;
        done += static_cast<std::size_t>(written);
    }
}

}  // namespace isaforge::hsa
