// What reading a statement decided, and the program that follows from it: see programs.hpp.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "codec/programs.hpp"
#include "codec/tables.hpp"

namespace isaforge::codec {

// How the text of an operand was found, by Patterns::derive.
struct Derivation {
    struct Number {
        const char *begin, *end;
    };
    // What is asked of a number, and where it goes; in texts inside of the text too.
    struct Part {
        PatternNumber rule;
        Number written;
    };
    const char* begin = nullptr;
    const char* end = nullptr;       // null: none fits
    PatternMatch match;
    std::uint64_t base = 0;          // the code without its numbers
    std::vector<Part> parts;         // of the text that was taken …
    std::vector<Part> refused;       // … and that must not be so, for what stands for other texts
    std::vector<const char*> looked;  // characters of numbers that decided otherwise
    bool looked_on = false;          // all from `begin` on may have

    void look(const Number& number) { looked.push_back(number.begin); }
    void look_at_parts() {
        for (const Part& part : parts) look(part.written);
    }
};

class Recorder {
public:
    static constexpr std::size_t most_operations = 64;

    // Of a statement with these numbers, whose last operand is a name, with what marks it, or is none: null.
    Recorder(std::string_view text, const char* named, std::span<const OutlineNumber> numbers,
             const std::uint64_t* values)
        : begin_(text.data()), end_(begin_ + text.size()), named_(named), numbers_(numbers), values_(values) {}

    // Reads the statement with a record of it, as what is taken when so many readings are passed over. False where no program comes
    // of it, and `is_end` says whether that is for there being no such reading.
    bool derive(const Codec& codec, Programs::PlainReader& reader, std::string_view name, unsigned passed,
                Program& out);
    bool is_end() const { return is_end_; }
    const std::vector<Operation>& operations() const { return operations_; }
    const std::vector<CodeCheck>& checks() const { return checks_; }
    const Encoded& encoded() const { return encoded_; }

    // For the reader: it has begun with a candidate; the characters there decided, from `begin` on all of them; nothing can be
    // said of what decided.
    void candidate(const Candidate& candidate);
    void looked(const char* begin, const char* end);
    void looked_from(const char* begin) { looked(begin, end_); }
    bool differs(const char* p, std::string_view text);
    void give_up() { gave_up_ = true; }
    // Whether that operand is the name; and that it was read as the number that it stands for.
    bool is_name(const char* p) const { return named_ && p == named_; }
    void take_name() { took_name_ = true; }
    // The texts that were found, and refused; and the operand that was taken so.
    void found(const Derivation& derivation);
    void take(const OperandTable& table, const Field& field, const Derivation& derivation);
    bool take_again(const Field& field, const Derivation& derivation, bool is_same);
    void guard(const Derivation& derivation);
    void look_back();
    bool has_tail() const { return has_tail_; }

private:
    int number_at(const char* begin, const char* end) const;
    bool in_range(const PatternNumber& rule, unsigned number, Operation& out) const;
    bool put(const PatternNumber& rule, const Operation& number, const BitPlace& place, std::uint64_t base);
    void drop_candidate();
    void only(unsigned number) { only_ |= 1u << number; }
    bool takes(const OperandTable& table, const Derivation& derivation) const;
    void finish(Program& out);

    const char *const begin_, *const end_;
    const char* const named_;
    const std::span<const OutlineNumber> numbers_;
    const std::uint64_t* const values_;
    Encoded encoded_;
    const Candidate* candidate_ = nullptr;
    std::uint32_t only_ = 0;           // numbers that have to be as they are
    std::uint32_t put_ = 0;            // … and that go into the image
    std::vector<Operation> guards_;    // of candidates that were refused
    std::vector<Operation> noted_;     // of the candidate
    std::vector<CodeCheck> noted_checks_;
    struct Taken {
        const Field* field;
        std::uint64_t base;
        std::vector<Derivation::Part> parts;
    };
    std::vector<Taken> taken_;
    std::vector<Operation> operations_;
    std::vector<CodeCheck> checks_;
    bool has_tail_ = false;
    bool takes_ = false;               // a number decides whether the instruction takes something that is limited
    bool took_name_ = false;
    bool gave_up_ = false, is_end_ = false;
};

}  // namespace isaforge::codec
