// A file descriptor and who closes it.
#pragma once

#include <unistd.h>

namespace isaforge {

// Owns `number`, which may be negative: then opening failed. The standard streams are the process's, and stay open.
class Descriptor {
public:
    explicit Descriptor(int number) : number_(number) {}
    ~Descriptor() {
        if (number_ > STDERR_FILENO) ::close(number_);
    }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    int number() const { return number_; }

private:
    int number_;
};

}  // namespace isaforge
