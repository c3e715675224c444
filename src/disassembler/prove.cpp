#include "disassembler/prove.hpp"

#include <algorithm>
#include <map>
#include <optional>

#include "disassembler/verify.hpp"

namespace isaforge::disassembler {

namespace {

constexpr std::size_t most_read = 4096;  // instructions of one form
constexpr unsigned widest_proved = 16;   // of operands, whose codes are all looked at
constexpr std::size_t most_examples = 8;

}  // namespace

// Of each operand there are a few kinds of codes that all looks at its text tell apart. One instruction for each way to choose
// one of each is read back; those that are like it are read as it is. A kind that is not read back where the others are
// is left out. When a reading brings new looks to light, kinds are found anew.
class Verifier::Prover {
public:
    Prover(Verifier& verifier, Index form)
        : verifier_(verifier),
          isa_(verifier.codec_.isa()),
          index_(form),
          form_(isa_.forms[form]),
          known_(verifier.known_[form]) {}

    Proof run() {
        while (find_kinds()) {
            const Read all = read_all();
            if (all == Read::good) return proof();
            if (all == Read::bad) return {};
        }
        return {};
    }

private:
    struct Kind {
        std::vector<std::uint64_t> examples;  // codes
        bool is_left_out = false;
    };
    struct Operand {
        Index field = no_index;
        std::map<std::uint64_t, Kind> kinds;
        std::string names;  // by code: its kind; `own_kind` where it is like no other, 0 where it does not decode
    };
    enum class Read : std::uint8_t { good, bad, grown };
    using Choice = std::vector<std::map<std::uint64_t, Kind>::iterator>;  // of each operand

    const PartField& part(std::size_t number) const { return verifier_.part_fields_[known_.first_part + number]; }

    // False where there are too many codes, or some of them are looked at by themselves.
    bool find_kinds() {
        const Codec::Tables& tables = verifier_.codec_.tables_so_far();
        Shape& shape = verifier_.shapes_[verifier_.known_too_[index_].shape];
        operands_.assign(known_.parts, {});
        std::size_t all = 1;
        for (std::size_t i = 0; i < operands_.size(); ++i) {
            Operand& operand = operands_[i];
            operand.field = part(i).index;
            const Field& field = form_.fields[operand.field];
            if (shape.looks[i] == nullptr || field.place.width > widest_proved) return false;
            const std::uint64_t codes = std::uint64_t{1} << field.place.width;
            operand.names.assign(codes, '\0');
            for (std::uint64_t code = 0; code < codes; ++code) {
                if (!codec::code_is_valid(isa_, tables, field.type, code)) continue;
                const std::uint8_t name = verifier_.kind_of(*shape.looks[i], code);
                operand.names[code] = static_cast<char>(name);
                if (name == own_kind) continue;
                std::vector<std::uint64_t>& examples = operand.kinds[name].examples;
                if (examples.size() < most_examples) examples.push_back(code);
            }
            all *= operand.kinds.size();
            if (all == 0 || all > most_read) return false;
        }
        return true;
    }

    Read read_all() {
        Choice base = first_choice();
        Read read = Read::bad;
        do {
            read = read_one(base);
        } while (read == Read::bad && next_choice(base));
        for (std::size_t i = 0; i < base.size() && read == Read::good; ++i) read = leave_out(i, base);
        if (read != Read::good) return read;
        Choice choice = first_choice();
        do {
            read = read_one(choice);
            if (read == Read::bad) read = leave_out_one(choice, base);
        } while (read == Read::good && next_choice(choice));
        return read;
    }

    // Of kinds that are read back alone, but not together, one is left out.
    Read leave_out_one(const Choice& choice, const Choice& base) {
        for (std::size_t i = choice.size(); i-- > 0;) {
            if (choice[i] == base[i]) continue;
            choice[i]->second.is_left_out = true;
            return Read::good;
        }
        return Read::bad;
    }

    // Leaves the kinds of an operand out with which an instruction is not read back that is with another.
    Read leave_out(std::size_t operand, Choice choice) {
        auto& kinds = operands_[operand].kinds;
        for (choice[operand] = kinds.begin(); choice[operand] != kinds.end(); ++choice[operand]) {
            const Read read = read_one(choice);
            if (read == Read::grown) return read;
            choice[operand]->second.is_left_out = read == Read::bad;
        }
        return Read::good;
    }

    Choice first_choice() {
        Choice choice;
        for (Operand& operand : operands_) {
            choice.push_back(operand.kinds.begin());
            while (choice.back()->second.is_left_out) ++choice.back();
        }
        return choice;
    }

    bool next_choice(Choice& choice) {
        for (std::size_t i = 0; i < choice.size(); ++i) {
            auto& kinds = operands_[i].kinds;
            do {
                ++choice[i];
            } while (choice[i] != kinds.end() && choice[i]->second.is_left_out);
            if (choice[i] != kinds.end()) return true;
            choice[i] = kinds.begin();
            while (choice[i]->second.is_left_out) ++choice[i];
        }
        return false;
    }

    // Where the first examples together are another instruction, or none, others are taken.
    Read read_one(const Choice& choice) {
        const Codec& codec = verifier_.codec_;
        for (std::size_t number = 0; number < most_examples; ++number) {
            Image image = form_.written;
            for (std::size_t i = 0; i < choice.size(); ++i) {
                const std::vector<std::uint64_t>& examples = choice[i]->second.examples;
                part(i).place->insert(image, examples[number % examples.size()]);
            }
            unsigned bits = 0;
            if (codec.decode(image, max_instruction_bits, bits) != index_) continue;
            char text[Codec::max_text + 1];
            char* const end = codec.print(text, index_, image, bits, 0, nullptr);
            *end = '\0';
            if (!verifier_.reads_back(image, bits, text, end, 0) || verifier_.is_ruled_out()) return Read::bad;
            const std::uint32_t group = known_.group;
            if (!verifier_.add_steps(index_)) return Read::bad;
            return known_.group == group ? Read::good : Read::grown;
        }
        return Read::bad;
    }

    Proof proof() const {
        Proof out;
        for (const Operand& operand : operands_) {
            Proof::Operand made{operand.field, std::string(operand.names.size(), '\0')};
            bool is_all = true;
            for (std::size_t code = 0; code < operand.names.size(); ++code) {
                const auto name = static_cast<std::uint8_t>(operand.names[code]);
                const auto kind = operand.kinds.find(name);
                const bool holds = kind != operand.kinds.end() && !kind->second.is_left_out;
                made.codes[code] = holds ? '\1' : '\0';
                is_all = is_all && (holds || name == 0);
            }
            if (is_all) continue;
            codec::QuickPlace place;
            if (!place.set(form_.fields[operand.field].place)) return {};
            out.operands.push_back(std::move(made));
        }
        out.holds = true;
        return out;
    }

    Verifier& verifier_;
    const Isa& isa_;
    const Index index_;
    const Form& form_;
    const Known& known_;
    std::vector<Operand> operands_;
};

Verifier::Proof Verifier::prove(Index form) {
    begin_learning();
    return know(form).state == Known::State::usable && !known_too_[form].more ? Prover(*this, form).run() : Proof{};
}

ReadBack prove(const std::shared_ptr<const Isa>& isa) {
    const Codec codec(isa);
    Verifier verifier(codec);
    ReadBack out;
    std::map<std::string, std::uint32_t> known;  // where such codes are
    for (Index form = 0; form < isa->forms.size(); ++form) {
        const Verifier::Proof proof = verifier.prove(form);
        out.forms.push_back({static_cast<std::uint32_t>(out.checks.size()),
                             static_cast<std::uint16_t>(proof.operands.size()), std::uint16_t{proof.holds}});
        for (const Verifier::Proof::Operand& operand : proof.operands) {
            const auto [place, is_new] =
                known.try_emplace(operand.codes, static_cast<std::uint32_t>(out.codes.size()));
            if (is_new) out.codes += operand.codes;
            out.checks.push_back({place->second, operand.field});
        }
    }
    return out;
}

}  // namespace isaforge::disassembler
