// Programs of statements. Of two statements that differ in their numbers only, the second is not read as the first was: which
// form it is, what its numbers must be for that, and into which bits they go, is a short program. It is derived from reading
// the first (derive.cpp), by the one reader that there is, which notes on what it decided: of a number that it took as one, the
// rule that it had to fit; of all other text that it looked at, that this has to be the same. So whatever fits the program
// is read as the reader would.
//
// The text in which the digits of all numbers are struck out, the statement's outline, is looked up, sixteen characters at a time. A
// program is made when an outline comes the second time.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "codec/quick_place.hpp"
#include "isaforge/codec.hpp"

namespace isaforge::codec {

// The text of a statement with its numbers struck out.
struct Outline {
    static constexpr std::size_t block = 16;
    static constexpr std::size_t longest = 8 * block;  // characters of a statement
    static constexpr unsigned most_numbers = 15;
    static constexpr unsigned nothing = most_numbers;  // the number that is none, and 0
    static constexpr char decimal = '\1', hexadecimal = '\2';  // stand for the characters of numbers

    std::uint64_t hash = 0;
    unsigned size = 0;                    // of the statement, without blanks behind it
    unsigned blocks = 0;
    alignas(2 * block) char text[longest];  // zeros behind it, to the end of a block
};

// A number in an outline: where its characters are.
struct OutlineNumber {
    std::uint8_t at = 0, size = 0;
    bool is_hexadecimal = false;
    bool is_no_prefix = false;  // a zero here would begin another number, with the letter behind it
};

// One thing that a program asks of a number, or of the difference of two, less `bias`: whether it is at most `span` and a
// multiple of a power of two. What is, without its lowest `scale` bits, is added to `low`, or subtracted, and goes into the image
// from bit `shift` on, where it has a mask.
struct Operation {
    std::uint64_t bias = 0;
    std::uint32_t span = 0, mask = 0, step_mask = 0;
    std::int32_t low = 0;
    std::uint8_t number = 0;
    std::uint8_t less = Outline::nothing;  // the number that is subtracted
    std::uint8_t shift = 0, scale = 0;
    bool outside = false;                  // it must not be so
    bool negative = false;

    bool operator==(const Operation&) const = default;
};
static_assert(sizeof(Operation) == 32);  // they wait for memory

// A code of an operand in the image's first word, which must be one that decodes.
struct CodeCheck {
    const std::uint8_t* codes = nullptr;
    QuickPlace place;
};

struct Program {
    std::uint32_t first = 0;        // operations_
    std::uint32_t first_check = 0;  // checks_
    std::uint8_t count = 0, check_count = 0;
    bool limited = false;           // numbers decide about the form's limits
    std::uint16_t bits = 0;
    Index form = no_index;
    std::uint32_t next = no_index;  // programs_: another of the same outline
    std::uint64_t words[2] = {};    // of the image, without what is put into it
};

// Belongs to one thread.
class Programs {
public:
    struct alignas(Outline::block) Block {
        char text[Outline::block];
    };

    // `is_fast`: what the processor has beyond what all have is used. It makes no other difference.
    explicit Programs(const Codec& codec, bool is_fast = is_wide_there());
    static bool is_wide_there();

    // Reads the statement at `cursor`, where it is one of which there is a program; `end` is that of the text. Moves the cursor
    // behind the operands. Such a statement means the same wherever it stands, in at most 128 bits, with no number that is deferred
    // or that a loader changes, and ends there: nothing but blanks comes before its line's end, its mark or a comment.
    bool read(const char*& cursor, const char* end, Encoded& out);

    // Whether what `read` was asked for last should get a program; `reader` reads plain numbers, and says whether something was
    // asked for that is none.
    bool wanted() const { return wanted_ != Wanted::no; }
    class PlainReader : public ExpressionReader {
    public:
        virtual void begin() = 0;
        virtual bool depends() const = 0;
    };
    void learn(const char* begin, PlainReader& reader);

private:
    enum class Wanted : std::uint8_t { no, program, another };
    struct Entry {
        std::uint64_t hash = 0;
        std::uint32_t text = 0;            // blocks_
        std::uint32_t first = no_index;    // programs_, a chain
        std::uint32_t numbers = 0;         // numbers_
        std::uint16_t size = 0;            // characters
        std::uint8_t blocks = 0, number_count = 0;
        std::uint16_t tried = 0;           // about so many times
        std::uint16_t missed = 0;          // since then: the more there are, the less another is worth
    };
    static constexpr std::size_t most_entries = 1u << 14, slots = 1u << 15, glimpses = 1u << 13;
    static constexpr std::uint32_t most_tried = 24, soon_tried = 3;  // … at each miss

    bool make_classes(unsigned stops);
    bool outline(const char* begin, const char* end);
    unsigned strike_out(const char* begin, const char* end, unsigned& letters);
    unsigned strike_out_wide(const char* begin, const char* end, unsigned& letters);
    unsigned end_among(unsigned stops, const char* begin, const char* end) const;
    void strike_out_hexadecimals(const char* begin, unsigned size);
    enum class Stop : std::uint8_t { end, text, other };
    Stop stop_at(const char* p, const char* end) const;
    std::uint32_t find() const;
    bool run(const Entry& entry, const char* begin, Encoded& out) const;
    bool run(const Program& program, const std::uint64_t* numbers, Encoded& out) const;
    bool find_numbers(const char* begin, std::vector<OutlineNumber>& out) const;
    static bool value_of(const char* begin, const OutlineNumber& number, std::uint64_t& value);
    std::uint32_t add_entry(const char* begin);
    void forget();
    void count_hit(bool hit);

    const Codec& codec_;
    const Codec::Tables& tables_;
    static constexpr unsigned most_stops = 8;
    Block stops_[most_stops];  // each one character, with which such a mark begins; some of them several times
    unsigned stop_count_ = 0;
    // Classes of characters, by their last and first four bits: one is in those that both have.
    static constexpr unsigned class_digit = 1, class_x = 2, class_space = 4, class_tab = 8, class_first_stop = 16,
                              class_last_stop = 128, class_stops = 240;
    Block classes_low_{}, classes_high_{};
    bool wide_ = false;
    static constexpr unsigned none = ~0u, nowhere = none - 1;
    std::vector<std::string> marks_;  // may end a statement, or begin a comment in one
    bool usable_ = true;
    Wanted wanted_ = Wanted::no;
    Outline outline_;
    std::uint32_t entry_ = 0;              // of that, if there is one
    std::vector<std::uint32_t> slots_;     // entries_ + 1
    std::vector<std::uint32_t> glimpsed_;  // hashes of what came once
    std::vector<Entry> entries_;
    std::vector<Block> blocks_;
    std::vector<OutlineNumber> numbers_;
    std::vector<Program> programs_;
    std::vector<Operation> operations_;
    std::vector<CodeCheck> checks_;
    unsigned hits_ = 0, asked_ = 0, pause_ = 0, pause_length_ = 128;  // statements
};

}  // namespace isaforge::codec
