// Limits: whether the operands of one instruction have more together than it may have. Asked for every instruction that is
// read or decoded in a form with a limit, so it looks at little: most operands take nothing.
#include "codec/tables.hpp"

namespace isaforge::codec {

namespace {

// What was counted, each once.
class Counted {
public:
    explicit Counted(unsigned most) : most_(most) {}

    // False where that is one too many.
    bool add(std::uint32_t identity) {
        for (unsigned i = 0; i < count_ && identity != own_tail_identity; ++i) {
            if (seen_[i] == identity) return true;
        }
        if (count_ == most_) return false;
        seen_[count_++] = identity;
        return true;
    }

private:
    std::array<std::uint32_t, most_taken> seen_;
    unsigned count_ = 0;
    unsigned most_;
};

}  // namespace

bool exceeds(const FormLimit& limit, const Image& image, std::uint32_t fields) {
    Counted counted(limit.most);
    for (const std::uint32_t identity : limit.own) {
        if (!counted.add(identity)) return true;
    }
    for (const LimitedField& field : limit.fields) {
        const Taken* taken = field.taken[field.code(image)];
        if (!taken || (fields >> (field.index & 31) & 1) == 0) continue;
        for (; taken->identity != 0; ++taken) {
            if ((taken->limits >> limit.limit & 1) != 0 && !counted.add(taken->identity)) return true;
        }
    }
    return false;
}

// Most instructions have few fields that take anything.
bool exceeds(const FormLimit& limit, const Image& image) {
    int count = 0;
    for (const LimitedField& field : limit.fields) count += field.taken[field.code(image)] != nullptr ? 1 : 0;
    return count > limit.fields_within && exceeds(limit, image, ~0u);
}

bool names_register(const Codec::Tables& tables, std::string_view name) {
    const char* const end = name.data() + name.size();
    PatternMatch match;
    NoNested none;
    return !name.empty() && tables.registers.match(name.data(), end, none, {}, match) == end;
}

}  // namespace isaforge::codec

namespace isaforge {

bool Codec::names_register(std::string_view name) const { return codec::names_register(*tables_, name); }

}  // namespace isaforge
