// Whether an instruction's text reads back as the same bits. Of most instructions that is proved, form by form: see prove.hpp.
// For built-in descriptions that has been done when the program was built; for others it is done for a form of which many have
// come. The others are read back.
#pragma once

#include <algorithm>
#include <deque>
#include <memory>
#include <span>
#include <vector>

#include "codec/tables.hpp"
#include "disassembler/prove.hpp"
#include "disassembler/statement_reader.hpp"
#include "isaforge/codec.hpp"

namespace isaforge::disassembler {

class Verifier {
public:
    // See StatementReader.
    explicit Verifier(const Codec& codec, bool registers_are_symbols = false);
    ~Verifier();

    // What the instruction's text is need not be read, whatever the address is.
    bool is_certain(Index form, const Image& image) {
        const Proved& proved = proved_[form];
        return proved.holds(form, image, codec_) || (proved.state != State::known && find_out(form, image));
    }

    // `text` is what Codec::print wrote without labels; a NUL follows it.
    bool reads_back(const Image& image, unsigned bits, const char* text, const char* end, std::uint64_t address) {
        return reader_.reads_back(image, bits, text, end, address);
    }

private:
    struct WideCheck {
        std::span<const ReadBack::Pattern> patterns;
        codec::QuickPlace place;

        bool holds(std::uint64_t word) const {
            const std::uint64_t code = place.code(word);
            return std::ranges::any_of(patterns,
                                       [&](const ReadBack::Pattern& one) { return (code & one.mask) == one.value; });
        }
    };
    enum class State : std::uint8_t { unseen, not_built_in, known };
    // What is proved of a form.
    struct Proved {
        static constexpr std::uint64_t never = 1;  // no bits of no mask

        std::uint64_t loose = 0;           // bits that are ignored …
        std::uint64_t tight = never;       // … and what the assembler writes there
        const codec::Check* checks = nullptr;
        const WideCheck* wide = nullptr;
        const ReadBack::Stretch* tails = nullptr;
        std::uint16_t count = 0, wide_count = 0, tail_count = 0, tail_bits = 0;
        std::uint8_t what = ReadBack::no_code;  // FormProof::is_proved
        State state = State::unseen;
        std::uint8_t seen = 0;             // instructions, while it is not known

        bool holds(Index form, const Image& image, const Codec& codec) const {
            const std::uint64_t word = image.words[0];
            if ((word & loose) != tight) return false;
            unsigned all = what;
            for (std::uint32_t i = 0; i < count; ++i) {
                const unsigned one = checks[i].codes[checks[i].place.code(word)];
                if (one == ReadBack::no_code) return false;
                all |= one;
            }
            for (std::uint32_t i = 0; i < wide_count; ++i) {
                if (!wide[i].holds(word)) return false;
            }
            return (all & ReadBack::code_with_tail) == 0 || holds_tail(form, image, codec);
        }
        bool holds_tail(Index form, const Image& image, const Codec& codec) const;
    };

    bool find_out(Index form, const Image& image);
    const ReadBack* built_in();
    void take(Index form, const ReadBack& all, const ReadBack::FormProof& proof, Proved& proved);

    const Codec& codec_;
    StatementReader reader_;
    std::vector<Proved> proved_;  // by form
    std::deque<std::vector<codec::Check>> checks_;
    std::deque<std::vector<WideCheck>> wide_checks_;
    const ReadBack* built_in_ = nullptr;
    bool asks_for_built_in_;      // has not asked for it yet
    // Made when something has to be proved.
    std::unique_ptr<Prover> prover_;
    std::deque<ReadBack> proofs_;
};

}  // namespace isaforge::disassembler
