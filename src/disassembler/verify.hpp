// Whether an instruction's text reads back as the same bits. It is read back once for all instructions that are alike to the
// reader. Reading is a row of looks at texts, each of which says where to look next: if every look at an operand of one
// instruction comes out at another one's operand as it did there, both are read in the same way. How a look at a text comes
// out is asked of the reader, once for each code of an operand.
//
// Of the built-in descriptions' forms that has been done for all codes when the program was built: see Isa::read_back.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "codec/quick_place.hpp"
#include "codec/tables.hpp"
#include "isaforge/codec.hpp"

namespace isaforge::codec {
struct Look;
}  // namespace isaforge::codec

namespace isaforge::disassembler {

class Verifier {
public:
    // `registers_are_symbols`: symbols have names of registers, so that these may be meant by them.
    explicit Verifier(const Codec& codec, bool registers_are_symbols = false);
    ~Verifier();

    // `text` is what Codec::print wrote without labels; a NUL follows it.
    bool reads_back(const Image& image, unsigned bits, const char* text, const char* end, std::uint64_t address);

    // The text is one statement and no number in it is out of range.
    bool reads(const char* text, const char* end, std::uint64_t address);

    // What the last reading came to: how long the instruction is, or why it was not read.
    unsigned bits() const;
    const ReadFailure& failure() const;

    // One like it has been read back.
    bool is_certain(Index form, const Image& image) {
        return proved_[form].holds(image.words[0]) || is_like_one_before(form, image);
    }

    // This instruction has been read back: it was the last.
    void learn(Index form, const Image& image);

    // Reads back one instruction of the form for each way in which its operands are looked at. Codes of which nothing is proved
    // are left to is_certain.
    struct Proof {
        struct Operand {
            Index field;                // of the form
            std::string codes;          // a byte for each: 1 where it is proved
        };
        bool holds = false;             // for some codes …
        std::vector<Operand> operands;  // … of these, and all of others
    };
    Proof prove(Index form);

private:
    // What was proved of a form before.
    struct Proved {
        std::uint64_t loose = 0;      // bits that are ignored …
        std::uint64_t tight =
            never;  // … and what the assembler writes there, or `never`: nothing is proved, or not asked for yet
        const codec::Check* checks = nullptr;
        std::uint32_t count = 0;
        bool is_known = false;

        bool holds(std::uint64_t word) const {
            if ((word & loose) != tight) return false;
            for (std::uint32_t i = 0; i < count; ++i) {
                if (!checks[i].holds(word)) return false;
            }
            return true;
        }
    };
    struct Step;   // a way in which a text is looked at
    struct Texts;  // of an operand, where the same stands around them
    struct Looks;  // what some steps make of texts
    // An operand of a form: which of those that are alike it is, or its code itself. Small, and those of a form lie together.
    struct Part {
        std::uint32_t kinds;  // by code: in kinds_; 0: there are too many, its place is not quick, or its code counts
        codec::QuickPlace quick;
        bool is_quick;
        bool by_code;
        std::uint8_t bits;    // in a key

        void use(const Looks* looks) { kinds = is_quick ? kinds_of(looks) : 0; }
    };
    struct PartField {
        const BitPlace* place;
        Index index;          // Form::fields
    };
    // Forms whose texts are looked for among the same.
    struct Shape {
        std::vector<Looks*> looks;  // by part; null: its code counts
        std::vector<Index> forms;
    };
    // What was read back, by what stands for it and the forms that it stands for: a hash table.
    class Proofs {
    public:
        bool holds(std::uint32_t group, std::uint64_t key) const {
            for (std::size_t at = slot_of(group, key); list_[at].key != 0; at = (at + 1) & (list_.size() - 1)) {
                if (list_[at].key == key && list_[at].group == group) return true;
            }
            return false;
        }
        void add(std::uint32_t group, std::uint64_t key);

    private:
        struct Proof {
            std::uint64_t key = 0;  // 0: nothing
            std::uint32_t group = 0;
        };
        std::size_t slot_of(std::uint32_t group, std::uint64_t key) const {
            return (key + group * 0xd6e8feb86659fd93) * 0x9e3779b97f4a7c15 >> 32 & (list_.size() - 1);
        }
        void put(const Proof& proof);

        std::vector<Proof> list_ = std::vector<Proof>(1024);
        std::size_t used_ = 0;
    };
    struct More {  // Known::loose and tight, of all bits
        Image loose, tight;
    };
    static constexpr std::uint64_t never = 1;  // no bits of no mask
    // What is known of a form: at each of its instructions …
    struct Known {
        enum class State : std::uint8_t { unseen, usable, useless } state = State::unseen;
        std::uint8_t parts = 0;
        std::uint32_t first_part = 0;
        std::uint32_t group = 0;  // of the forms that are alike, as long as the same looks count
        std::uint64_t loose = 0;  // bits that are ignored …
        std::uint64_t tight = never;  // … and what the assembler writes there, or `never`: there is more to look at
    };
    // … and now and then.
    struct KnownToo {
        std::uint32_t shape = 0;
        std::uint32_t mnemonic = 0;  // of the text that is printed
        std::unique_ptr<More> more;
    };
    // What stands around an operand in a text.
    struct Around {
        char before = ' ';
        std::vector<std::string> behind;  // one of these: a comma, a blank and the begin of a word, nothing
        bool known = true;
    };

    // What stands for the instruction and all that are like it; 0 where it has to be read back itself.
    std::uint64_t key_of(Index form, const Image& image) {
        const Known& known = known_[form];
        const std::uint64_t word = image.words[0];
        if ((word & known.loose) != known.tight && !is_usable(form, image)) return 0;
        std::uint64_t key = 1;
        const Part* part = parts_.data() + known.first_part;
        for (unsigned i = 0; i < known.parts; ++i, ++part) {
            const std::uint64_t kind = part->kinds != 0 ? kinds_[part->kinds + part->quick.code(word)] : 0;
            if (kind == 0 || kind == own_kind) [[unlikely]] {
                if (!add_unusual(form, i, image, key)) return 0;
            } else {
                key = key << kind_bits | kind;
            }
        }
        return key;
    }

    class Prover;
    bool is_like_one_before(Index form, const Image& image);
    // Whether a text before was read whole, but broke a rule. That depends on more than kinds of texts: on which registers are the
    // same, say.
    bool is_ruled_out() const;
    void find_proofs();
    void take_proof(Index form);
    void begin_learning();
    const Known& know(Index form);
    bool is_usable(Index form, const Image& image);
    bool add_unusual(Index form, unsigned number, const Image& image, std::uint64_t& key);
    bool look_at(Index form, Known& known, KnownToo& too);
    bool find_own(Index form, std::vector<const codec::Candidate*>& out) const;
    bool add_parts(const Form& form, const codec::Candidate* only, Known& known, std::vector<Looks*>& looks);
    bool add_looks(const Form& form, std::size_t element, const Field& field, Part& part, std::vector<Looks*>& looks);
    void add_loose(const Form& form, Known& known, KnownToo& too) const;
    std::string name_of_shape(const Form& form, const std::vector<const codec::Candidate*>& candidates);
    Around around(const Form& form, std::size_t element, Index type) const;
    static unsigned begins_of(std::span<const TextElement> text);
    unsigned begins_of(Index type) const;
    bool reads_in_order(const codec::Candidate& own) const;
    bool says_its_code(Index type) const;
    bool has_tail(Index type, std::uint64_t code) const;
    bool add_steps(Index form);
    Looks* looks_of(Texts& texts, const std::vector<std::uint32_t>& steps);
    static std::uint32_t kinds_of(const Looks* looks);
    std::uint32_t step_of(const codec::Look& look, std::size_t offset);
    void add_step(std::string& name, const codec::Candidate& candidate, const codec::ReadStep& step,
                  Index member) const;
    std::uint8_t kind_of(Looks& looks, std::uint64_t code);
    // Whether so many bytes may be kept. What may not is found out each time.
    bool take(std::size_t bytes) {
        if (bytes > room_) return false;
        room_ -= bytes;
        return true;
    }
    std::uint8_t find_kind(Looks& looks, std::uint64_t code);
    std::uint16_t glance(Texts& texts, std::uint32_t step, std::uint64_t code, const std::string& text);
    std::uint16_t glance(const Texts& texts, const Step& step, std::uint64_t code, const std::string& text,
                         const std::string& behind);

    static constexpr unsigned no_text = 1, blank_and_letter = 2, comma = 4;  // begins of texts
    static constexpr std::uint8_t kind_bits = 4;
    static constexpr std::uint8_t own_kind = (1 << kind_bits) - 1;  // like no other

    const Codec& codec_;
    struct Reading;  // what reading a statement needs, made once
    std::unique_ptr<Reading> reading_;
    std::vector<Proved> proved_;             // by form
    std::vector<codec::Check> checks_;       // of these; as many as there can be have room
    bool asks_for_proofs_ = false;           // has not found them yet, and would use them
    const ReadBack* read_back_ = nullptr;    // what they are taken from; null: nothing is proved, or not for us
    // Empty until something is not proved, or is learnt all the same.
    std::vector<Known> known_;               // by form …
    std::vector<KnownToo> known_too_;        // … likewise
    std::uint32_t groups_ = 0;
    Proofs proofs_;
    std::vector<std::uint8_t> kinds_ = std::vector<std::uint8_t>(1);  // of operands, by code; 0: not known yet
    std::vector<Part> parts_;
    std::vector<PartField> part_fields_;     // of each part
    std::vector<Shape> shapes_;
    std::map<std::string, std::uint32_t> shape_names_;
    std::vector<Step> steps_;
    std::map<std::string, std::uint32_t> step_names_;
    std::vector<std::uint32_t> step_numbers_;  // by ReadStep::number
    std::size_t room_ = std::size_t{256} << 20;
    std::map<std::string, std::unique_ptr<Texts>> texts_;
    std::map<std::pair<Texts*, std::vector<std::uint32_t>>, std::unique_ptr<Looks>> looks_;
};

}  // namespace isaforge::disassembler
