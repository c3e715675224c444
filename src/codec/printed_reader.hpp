// Reads statements that are written as they are printed: single blanks or none, plain numbers, names. Each character is looked at
// once for each text that may stand there, and it is decided at once whether it fits, does not, or whether more has to be looked
// at. That is the Reader's, which is one of these and goes on where it stopped.
#pragma once

#include <algorithm>
#include <cstdint>

#include "codec/tables.hpp"
#include "support/text_scan.hpp"

namespace isaforge::codec {

// Whether what ends a statement stands at `p`, behind blanks: its line's end, its end mark, a comment.
bool statement_ends(const Isa& isa, const Codec::Tables& tables, const char* p, const char* end);

class PrintedReader {
public:
    // `end`: of the text in which the statements are, of which each may end before.
    PrintedReader(const Isa& isa, const Codec::Tables& tables, const char* end)
        : PrintedReader(isa, tables, end, true) {}

    enum class Seen : std::uint8_t { taken, refused, unclear };
    // The statement at `cursor`, which is moved behind it where it is taken. Where it is unclear, Codec::go_on goes on.
    Seen statement(const char*& cursor, Encoded& out);
    // Behind the mnemonic of the statement that was read last, where it begins with that; otherwise null.
    const char* behind_mnemonic() const { return behind_mnemonic_; }
    // Up to where a statement may go of which `p` is part.
    const char* limit(const char* p) const {
        return tables_.blank[static_cast<unsigned char>('\n')] == 1 ? end_ : scan_line(p, end_);
    }

protected:
    // `takes_tails`: a word that an operand brings along is put behind the instruction; otherwise the operand is unclear.
    PrintedReader(const Isa& isa, const Codec::Tables& tables, const char* end,
                  bool takes_tails)  // NOLINT(*-member-init): see head_codes_
        : isa_(isa), tables_(tables), end_(end), takes_tails_(takes_tails) {}

    // White space, and comments where they may stand inside a statement.
    const char* skip(const char* p) const {
        for (; p != end_; ++p) {
            const std::uint8_t kind = tables_.blank[static_cast<unsigned char>(*p)];
            if (kind != 1) return kind == 0 ? p : skip_slowly(p);
        }
        return p;
    }
    const char* skip_slowly(const char* p) const;
    const char* skip_comment(const char* p) const;
    bool at_end(const char* p) const {
        while (p != end_ && (*p == ' ' || *p == '\t' || *p == '\r')) ++p;
        if (p == end_) return true;
        const std::uint8_t kind = tables_.ender[static_cast<unsigned char>(*p)];
        return kind == 2 ? statement_ends(isa_, tables_, p, limit(p)) : kind == 1;
    }

    // `glued`: what stands behind the text may continue its word.
    bool literal(const char*& cursor, std::string_view text, bool glued) const;

    // The mnemonic at `cursor`, which is moved behind it. A dot may be part of it or begin a suffix: the longest known word is taken.
    const Mnemonic* mnemonic(const char*& cursor) const;

    PatternReader nested_reader() const { return {isa_, tables_, end_}; }

    // A text of an operand as it is printed: where it ends, or null, and what it is.
    struct Found {
        const char* end = nullptr;
        PatternMatch match;
    };
    void find_pattern(const char* p, const OperandTable& table, bool glued, Found& out) {
        PatternReader nested = nested_reader();
        out.end = table.patterns.match(p, end_, nested, {glued, 0}, out.match);
    }
    // Whether a text is all there is to the operand: nobody else has to be asked …
    bool is_all(const Found& found, const OperandTable& table, Index type) const {
        return (found.match.nested ? nested_reader().comes_back(type, found.match) : table.decodes(found.match.code)) &&
               !may_go_on(table, found.end);
    }
    // … and there is one, which brings nothing along.
    bool is_plain(const Found& found, const char* begin, const OperandTable& table, Index type) const {
        return found.end && found.end != begin && found.match.tail_bits == 0 && is_all(found, table, type);
    }
    // Whether a row may know more of the text that a pattern fitted up to `after`.
    bool may_go_on(const OperandTable& table, const char* after) const {
        return after != end_ && table.looks_on[static_cast<unsigned char>(*after)] && goes_on_with(table, after);
    }
    bool goes_on_with(const OperandTable& table, const char* after) const;
    // Whether what begins with a name, behind signs, and did not match is no text of the operand however the rest of it is written.
    // `thorough`: whoever asks wants to know all that could stand there.
    // `may_call`: what stands behind the operand may begin with a parenthesis.
    bool is_refused(const char* p, const OperandTable& table, const PatternMatch& match, bool thorough,
                    bool may_call) const;
    const char* behind_signs(const char* p) const;
    std::string_view word_at(const char* p) const;
    bool can_begin(const char* p, const OperandTable& table) const {
        return p != end_ && table.first[static_cast<unsigned char>(*p)];
    }

    // How far the steps of a candidate go that are plain.
    struct Progress {
        const char* p;                 // where the text goes on
        std::size_t step;              // Shape::steps
        std::uint64_t word;            // what was read, in the image
    };
    // Candidates begin alike, for the most part: where those that were tried parted from others, and the steps that failed.
    class Forks {
    public:
        void begin() { count_ = 0, failed_.clear(); }
        void fail(const PlainStep& step) {
            if (step.node != 0) failed_.add(step.node);
        }
        bool failed(const Shape& shape) const { return failed_.meets(shape.nodes); }
        // The steps that a candidate has in common with one that was tried before are not taken again.
        void go_on(const Shape& shape, Progress& at) {
            while (count_ != 0 && !shape.nodes.has(forks_[count_ - 1].node)) --count_;
            if (count_ == 0) return;
            const Fork& fork = forks_[count_ - 1];
            at = {fork.p, at.step + fork.steps, fork.word};
        }
        void add(const char* p, std::uint64_t word, std::size_t steps, const PlainStep& step) {
            if (count_ != most) forks_[count_++] = {p, word, static_cast<std::uint8_t>(steps), step.node};
        }

    private:
        static constexpr unsigned most = 8;
        struct Fork {
            const char* p;
            std::uint64_t word;
            std::uint8_t steps, node;
        };
        unsigned count_ = 0;
        StepSet failed_;
        union {
            Fork forks_[most];          // NOLINT(*-naming): private; not set before they are needed
        };

    public:
        Forks() {}  // NOLINT(*-member-init)
    };
    // Takes plain steps from `at` on: all of them, or up to one that does not fit, or is not plain; `found` is then what patterns have
    // of it, if it is a field. `forks`: null where something else was read before.
    Seen steps(Progress& at, const Shape& shape, Forks* forks, Found& found);
    Forks forks_;
    // Where a statement turned out to be unclear: at a candidate of a mnemonic, which ends there.
    struct Stop {
        const Mnemonic* mnemonic = nullptr;
        std::size_t candidate = 0;
        std::uint32_t head = 0;  // no_index: all
        const char* behind = nullptr;
    };
    Stop stop_at_;
    void copy_stop(const PrintedReader& other) {
        stop_at_ = other.stop_at_;
        if (!stop_at_.mnemonic) return;
        forks_ = other.forks_;
        if (stop_at_.head == no_index) return;  // of a statement without a mnemonic
        std::copy_n(other.head_codes_, tables_.index->heads[stop_at_.head].slots.size(), head_codes_);
    }
    std::uint64_t
        head_codes_[most_fields];  // NOLINT(*-naming): as many as the head has slots are set before they are read

    const Isa& isa_;
    const Codec::Tables& tables_;
    const char* const end_;

private:
    struct Tail {
        std::uint64_t value = 0;
        unsigned bits = 0;
    };
    const bool takes_tails_;
    const char* behind_mnemonic_ = nullptr;
    Tail tail_;

    Seen plain_head(const char*& cursor, const Head& head);
    Seen plain_candidates(const Mnemonic& found, std::uint32_t head, const char*& cursor, Encoded& out);
    Seen take_steps(Progress& at, const Shape& shape, Forks* forks, Found& found);
    const char* plain_literal(const char* p, const PlainStep& step) const;
    [[gnu::noinline]] Seen fixed_field(const char*& cursor, const ReadStep& step, Found& found);
    [[gnu::noinline]] Seen slow_field(const char*& cursor, const ReadStep& step, std::uint64_t& word, Found& found);
    // The word behind the instruction that an operand of the candidate brought along. A second one is unclear, and so is the
    // first to whoever goes on from here.
    bool may_take_tail() const { return takes_tails_ && tail_.bits == 0; }
    Seen field_slowly(const char* begin, const ReadStep& step, Patterns::Quick& out, Found& found, bool is_optional,
                      bool glued);
    Patterns::Quick plain_operand(const char* p, const OperandTable& table, bool glued) const;
    Seen members(const char*& cursor, const ReadStep& step, std::uint64_t& word, Found& found);
    const Mnemonic* find_mnemonic(const char*& cursor) const;
    const Mnemonic* lookup(const char* word, std::size_t size) const;
};

}  // namespace isaforge::codec
