// Programs of statements. Of two statements that differ in their numbers only, the second is not read as the first was: which
// form it is, what its numbers must be for that, and into which bits they go, is a short program. It is derived from reading
// the first (derive.cpp), by the one reader that there is, which notes on what it decided: of a number that it took as one, the
// rule that it had to fit; of all other text that it looked at, that this has to be the same. So whatever fits the program
// is read as the reader would.
//
// The text in which each number is one mark, however many digits it has, the statement's outline, is looked up, sixteen characters
// at a time. A program is made when an outline comes the third time. Where there is none, and the last operand is a name, that is
// struck out, too: of a branch all is known but what the name means.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
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
    static constexpr char decimal = '\1', hexadecimal = '\2';  // a number, and each character of such a one; …
    static constexpr char name = '\3';                         // … a name

    std::uint64_t hash = 0;
    unsigned size = 0;
    unsigned blocks = 0;
    alignas(block) char text[longest + 2 * block];  // zeros behind it, to the end of a block
};

// A number in a statement: where its characters are.
struct OutlineNumber {
    std::uint8_t at = 0, size = 0;
    bool is_hexadecimal = false;
};

// One thing that a program asks of a number, or of the difference of two, less `bias`: whether it is at most `span` and a
// multiple of a power of two. What is, without its lowest `scale` bits, is added to `low`, or subtracted. Of that, the bits from
// `drop` on for which there is a mask go into the image from bit `shift` on.
struct Operation {
    std::uint64_t bias = 0;
    std::uint32_t span = 0, mask = 0, step_mask = 0;
    std::int32_t low = 0;
    std::uint8_t number = 0;
    std::uint8_t less = Outline::nothing;  // the number that is subtracted
    std::uint8_t shift = 0, scale = 0, drop = 0;
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

// Its operations lie behind it, then its checks, and how the name's number gets into it.
struct Program {
    std::uint8_t count = 0, check_count = 0;
    bool limited = false;           // numbers decide about the form's limits
    bool named = false;
    std::uint16_t bits = 0;
    // With a name: so many programs behind this are the statement's other encodings, which it has while the name means nothing yet.
    static constexpr std::uint8_t unknown_others = 255;
    std::uint8_t others = 0;
    Index form = no_index;
    std::uint32_t next = no_index;  // another of the same outline
    std::uint64_t words[2] = {};    // of the image, without what is put into it
};
static_assert(sizeof(Program) == 32);

// Keeps things of several kinds one behind the other, so that what is used together lies together. They are found by where they are.
class Store {
public:
    using At = std::uint32_t;
    static constexpr std::size_t unit = 16;  // bytes

    template <class T>
    static constexpr At size_of(std::size_t count = 1) {
        return static_cast<At>((count * sizeof(T) + unit - 1) / unit);
    }
    At end() const { return static_cast<At>(units_.size()); }
    template <class T>
    At add(std::span<const T> many) {
        static_assert(std::is_trivially_copyable_v<T> && alignof(T) <= unit);
        if (units_.capacity() == 0) units_.reserve(usual);
        const At at = end();
        units_.resize(at + size_of<T>(many.size()));
        if (!many.empty()) std::memcpy(units_.data() + at, many.data(), many.size_bytes());
        return at;
    }
    template <class T>
    At add(const T& one) {
        return add(std::span<const T>(&one, 1));
    }
    template <class T>
    T* get(At at) {
        return reinterpret_cast<T*>(units_.data() + at);
    }
    template <class T>
    const T* get(At at) const {
        return reinterpret_cast<const T*>(units_.data() + at);
    }
    // Forgets what is there from `end` on.
    void end_at(At end) { units_.resize(end); }

private:
    static constexpr std::size_t usual =
        1u << 18;  // of address space, rather than to copy what is there whenever it grows
    struct alignas(unit) Unit {
        std::byte bytes[unit];
    };
    std::vector<Unit> units_;
};

class Recorder;

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
    // or that a loader changes, and ends there: nothing but blanks comes before its line's end, its mark or a comment. With `names`
    // its last operand may be a name, `name()`, if no register is called so and it means no number that is known: for that one number
    // is deferred, and its handle is for the caller to set.
    bool read(const char*& cursor, const char* end, bool names, Encoded& out);
    std::string_view name() const { return name_; }
    // All encodings of the statement with a name that was read last, in the order of reading, until `visit` says that it is enough.
    // False where not all are known.
    template <class Visit>
    bool visit_encodings(const Visit& visit) const {
        unsigned left = store_.get<Program>(read_)->others;
        if (left == Program::unknown_others) return false;
        for (Store::At at = read_;; at += size_of(*store_.get<Program>(at))) {
            Encoded one;
            if (!run(at, values_, one)) return false;
            if (visit(one) || left-- == 0) return true;
        }
    }

    // Whether what `read` was asked for last should get a program, with its last operand as a name or not; `reader` reads plain
    // numbers, and says whether something was asked for that is none. It reads `name`, if there is one, as a deferred number.
    bool wanted(bool named) const { return (named ? wanted_named_ : wanted_) != Wanted::no; }
    class PlainReader : public ExpressionReader {
    public:
        virtual void begin(std::string_view name) = 0;
        virtual bool depends() const = 0;
    };
    void learn(const char* begin, bool named, PlainReader& reader);

private:
    enum class Wanted : std::uint8_t { no, program, another };
    // Of an outline, whose text lies behind it.
    struct Entry {
        std::uint64_t hash = 0;
        Store::At first = no_index;        // a chain of programs
        std::uint16_t size = 0;            // characters
        std::uint8_t blocks = 0;
        std::uint16_t tried = 0;           // about so many times
        std::uint16_t missed = 0;          // since then: the more there are, the less another is worth
    };
    static constexpr Store::At text_behind = Store::size_of<Entry>();
    static Store::At size_of(const Program& program) {
        return Store::size_of<Program>() + Store::size_of<Operation>(program.count) +
               Store::size_of<CodeCheck>(program.check_count) + (program.named ? Store::size_of<Deferred>() : 0);
    }
    static constexpr std::size_t most_entries = 1u << 15, first_slots = 1u << 10, glimpses = 1u << 16;
    static constexpr std::size_t first_made = 2000, least_known = 12;  // statements that each should have read
    static constexpr unsigned often = 3;  // making a program takes as long as reading six statements
    static constexpr std::uint32_t most_tried = 24, soon_tried = 3;  // … at each miss

    bool make_classes(unsigned stops);
    // What is found in a statement's characters, with a bit for each.
    struct Found {
        std::array<std::uint64_t, 2> digits{};        // behind the first word …
        std::array<std::uint64_t, 2> letters_x{};     // … and such letters
        std::array<std::uint64_t, 2> hexadecimals{};  // characters of such numbers
        unsigned word_end = 0;

        struct Characteristics {
            unsigned blanks, digits, letters_x;
        };
        void note(unsigned at, unsigned count, unsigned size, const Characteristics& here);
        bool is_hexadecimal(std::size_t at) const { return (hexadecimals[at >> 6] >> (at & 63) & 1) != 0; }
        template <bool is_short, class Visit>
        void visit_numbers(const Visit& visit) const;
        // So many numbers begin before a character, and so many of their digits have no mark in the outline.
        unsigned count_before(unsigned at) const;
        unsigned struck_before(unsigned at) const;
    };
    bool outline(const char* begin, const char* end);
    bool is_label(std::string_view word);
    unsigned look(const char* begin, const char* end);
    unsigned look_wide(const char* begin, const char* end);
    unsigned end_among(unsigned stops, const char* begin, const char* end) const;
    void find_hexadecimals(const char* begin, unsigned size);
    template <bool is_short>
    bool strike_out_numbers(const char* begin);
    std::vector<OutlineNumber> numbers(unsigned count) const;
    enum class Stop : std::uint8_t { end, text, other, unclear };
    void decide_stops();
    Stop find_stop(const char* p, const char* end) const;
    bool strike_out_name(const char* begin);
    Store::At find(const Outline& outline) const;
    bool try_entry(Store::At at, Wanted& wanted, Encoded& out);
    Wanted glimpse(const Outline& outline);
    bool run_any(Store::At entry, Encoded& out);
    bool run(Store::At program, const std::uint64_t* numbers, Encoded& out) const;
    // Whether those that were made have read so many statements that others are worth it, too.
    bool is_worthwhile() const { return made_ < first_made + known_ / least_known; }
    Store::At add_entry(const Outline& outline);
    void put_entry(std::uint64_t hash, Store::At entry);
    Store::At add_program(Program program, const Recorder& recorder);
    void learn_others(Store::At first, const char* begin, PlainReader& reader);
    std::string_view statement_at(const char* begin) const { return {begin, size_}; }
    void forget();
    void count_hit(bool hit);

    const Codec& codec_;
    const Codec::Tables& tables_;
    static constexpr unsigned most_stops = 8;
    Block stops_[most_stops];  // each one character, with which such a mark begins; some of them several times
    std::array<Stop, 256> stop_at_{};  // what each character is, if nothing else can begin with it
    // Classes of characters, by their last and first four bits: one is in those that both have.
    static constexpr unsigned class_space = 1, class_tab = 2, class_first_stop = 4, class_last_stop = 32,
                              class_stops = 60, class_x = 64, class_digit = 128;
    Block classes_low_{}, classes_high_{};
    bool wide_ = false;
    char label_end_ = 0;                   // 0: labels have none of one character that no mnemonic has
    static constexpr unsigned none = ~0u, nowhere = none - 1;
    std::vector<std::string> marks_;  // may end a statement, or begin a comment in one
    bool usable_ = true;
    Wanted wanted_ = Wanted::no, wanted_named_ = Wanted::no;
    Outline outline_, named_;              // of what was read last; the second without its name
    unsigned size_ = 0;                    // of the statement, without blanks behind it
    Found found_;
    unsigned count_ = 0,
             plain_count_ = 0;  // numbers, and those before the first that may mean something else somewhere
    unsigned named_count_ = 0;             // those before the name
    std::string_view name_;
    const char* named_operand_ = nullptr;  // where the name begins, or what marks it
    Store::At entry_ = 0;                  // of the outline that has one
    Store::At read_ = 0;                   // the program that read it …
    std::uint64_t values_[Outline::longest / 2 + 1];  // … from these numbers
    std::vector<Store::At> slots_;         // where entries are, and one more
    std::vector<std::uint16_t> glimpsed_;  // bits of the hashes of what came, and how often
    std::size_t entry_count_ = 0, made_ = 0, known_ = 0;  // the last two of programs and statements, in all
    Store store_;
    unsigned hits_ = 0, asked_ = 0, pause_ = 0, pause_length_ = 128;  // statements
};

}  // namespace isaforge::codec
