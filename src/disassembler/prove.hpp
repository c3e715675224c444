// Proves of forms that what is printed of them is read as the same bits.
//
// Reading is a row of looks at texts, each of which says where to look next: if every look at an operand of one instruction comes
// out at another one's operand as it did there, both are read in the same way. How a look at a text comes out is asked of the reader
// itself. Codes of an operand of which all looks see the same are of one kind; one instruction for each way to choose kinds is read
// back, and stands for all.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "codec/tables.hpp"
#include "disassembler/statement_reader.hpp"
#include "isaforge/isa.hpp"

namespace isaforge::disassembler {

// The bits of the form's instructions that are ignored, and what the assembler writes there.
std::pair<Image, Image> loose_bits(const Isa& isa, const Form& form);
bool is_one_word(const Image& image);

class Prover {
public:
    Prover(const Codec& codec, StatementReader& reader);
    ~Prover();

    static constexpr unsigned widest_listed = 16;  // operands up to this width are proved code by code

    // Of this form alone, which has the only entry in `forms`; there is none where nothing is proved.
    ReadBack prove(Index form);

private:
    // A code of an operand, with the value behind the instruction that it may bring along.
    struct Point {
        std::uint64_t code = 0, tail = 0;
        std::uint16_t tail_bits = 0;
    };
    // What is looked at of an operand: all of its codes; of a number with many, and of values behind the instruction, those at the
    // ends of stretches in which all mean the same, in order.
    struct Points {
        std::vector<Point> list;
        std::vector<ReadBack::Pattern> patterns;  // where they are not all: what these stand for
        bool are_all = true;
        bool is_made = false, is_usable = false;
    };
    // What stands around an operand in a text.
    struct Around {
        char before = ' ';
        std::vector<std::string> behind;  // one of these: a comma, a blank and the begin of a word, nothing
        bool known = true;
    };
    // A way in which a text is looked at.
    struct Step {
        const codec::ReadStep* step;
        Index form;
        Index member;         // of an `any`: its number among the fields there; no_index otherwise
        std::size_t offset;   // from the begin of the operand's text
    };
    // Of an operand, where the same stands around them.
    struct Texts {
        Index type;
        bool hexadecimal;
        Around around;
        std::map<std::uint32_t, std::vector<std::uint16_t>> seen;  // by step, then by point
    };
    // What some steps make of texts.
    struct Looks {
        Texts* texts;
        std::vector<std::uint32_t> steps;
        std::vector<std::uint8_t> kinds;            // by point; 0: not known yet
        std::map<std::string, std::uint8_t> known;  // by what all steps make of a text
    };
    struct Part {
        const BitPlace* place;
        Index field;          // Form::fields
    };
    // Forms whose texts are looked for among the same have these in common. Null where the code itself counts.
    using Shape = std::vector<Looks*>;  // by part
    struct Known {
        enum class State : std::uint8_t { unseen, usable, useless } state = State::unseen;
        std::uint32_t shape = 0;
        std::vector<Part> parts;
        std::vector<Index> relative;  // fields that say where a branch goes
    };
    static constexpr std::uint8_t own_kind = 15;  // like no other

    class FormProver;

    const Known& know(Index form);
    bool look_at(Index form, Known& known);
    bool find_own(Index form, std::vector<const codec::Candidate*>& out) const;
    bool add_parts(const Form& form, const codec::Candidate* only, Known& known, Shape& looks);
    bool add_looks(const Form& form, std::size_t element, const Field& field, Shape& looks);
    std::string name_of_shape(const Form& form, const std::vector<const codec::Candidate*>& candidates) const;
    Around around(const Form& form, std::size_t element, Index type) const;
    static unsigned begins_of(std::span<const TextElement> text);
    unsigned begins_of(Index type) const;
    bool reads_in_order(const codec::Candidate& own) const;
    bool says_its_code(Index type) const;
    enum class Grown : std::uint8_t { no, yes, useless };
    Grown add_steps(Index form);
    Looks* looks_of(Texts& texts, const std::vector<std::uint32_t>& steps);
    std::uint32_t step_of(const codec::Look& look, std::size_t offset);
    void add_step(std::string& name, const codec::Candidate& candidate, const codec::ReadStep& step,
                  Index member) const;
    const Points& points_of(Index type);
    bool make_points(Index type, Points& out);
    std::vector<std::uint64_t> samples_of(Index type, std::vector<ReadBack::Pattern>& patterns) const;
    std::vector<std::uint64_t> samples_of_number(const OperandType& type) const;
    std::vector<std::uint64_t> samples(unsigned width) const;
    void find_bounds();
    std::uint8_t kind_of(Looks& looks, std::uint32_t point);
    std::uint8_t find_kind(Looks& looks, std::uint32_t point);
    std::uint16_t glance(Texts& texts, std::uint32_t step, std::uint32_t point, const std::string& text);
    std::uint16_t glance(const Texts& texts, const Step& step, const Point& point, const std::string& text,
                         const std::string& behind);
    // Whether so many bytes may be kept: what would take more is not proved.
    bool take(std::size_t bytes) {
        if (bytes > room_) return false;
        room_ -= bytes;
        return true;
    }

    static constexpr unsigned no_text = 1, blank_and_letter = 2, comma = 4;  // begins of texts

    const Codec& codec_;
    StatementReader& reader_;
    std::vector<Known> known_;               // by form
    std::vector<std::uint32_t> mnemonics_;   // by form: of the text that is printed
    std::vector<Shape> shapes_;
    std::map<std::string, std::uint32_t> shape_names_;
    std::vector<Step> steps_;
    std::map<std::string, std::uint32_t> step_names_;
    std::map<std::string, std::unique_ptr<Texts>> texts_;
    std::map<std::pair<Texts*, std::vector<std::uint32_t>>, std::unique_ptr<Looks>> looks_;
    std::vector<Points> points_;             // by Isa::operand_types
    std::vector<std::uint64_t> bounds_;      // numbers at which what is written means something else
    std::vector<std::uint64_t> number_steps_;  // between numbers that mean something
    std::size_t room_ = std::size_t{256} << 20;
};

// For Isa::read_back.
ReadBack prove(const std::shared_ptr<const Isa>& isa);

}  // namespace isaforge::disassembler
