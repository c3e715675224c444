#include "disassembler/prove.hpp"

#include <algorithm>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "disassembler/verify.hpp"

namespace isaforge::disassembler {

namespace {

constexpr std::size_t most_read = 4096;  // instructions of one form
constexpr unsigned widest_proved = 16;   // of operands, whose codes are all looked at
constexpr std::size_t most_codes = std::size_t{1} << widest_proved;

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
    static constexpr std::uint32_t first_own_name = own_kind + 1u;
    struct Kind {
        std::vector<std::uint64_t> codes;
        bool is_left_out = false;
    };
    struct Operand {
        Index field = no_index;
        std::map<std::uint32_t, Kind> kinds;
        // By code: its kind; `own_kind` where it is like no other, 0 where it does not decode.
        std::vector<std::uint32_t> names;
    };
    enum class Read : std::uint8_t { good, bad, grown };
    using Choice = std::vector<std::map<std::uint32_t, Kind>::iterator>;  // of each operand

    const PartField& part(std::size_t number) const { return verifier_.part_fields_[known_.first_part + number]; }

    // False where there are too many.
    bool find_kinds() {
        const Codec::Tables& tables = verifier_.codec_.tables_so_far();
        Shape& shape = verifier_.shapes_[verifier_.known_too_[index_].shape];
        operands_.assign(known_.parts, {});
        std::size_t all = 1;
        for (std::size_t i = 0; i < operands_.size(); ++i) {
            Operand& operand = operands_[i];
            operand.field = part(i).index;
            const Field& field = form_.fields[operand.field];
            if (field.place.width > widest_proved) return false;
            const std::uint64_t codes = std::uint64_t{1} << field.place.width;
            operand.names.assign(codes, 0);
            for (std::uint64_t code = 0; code < codes; ++code) {
                if (!codec::code_is_valid(isa_, tables, field.type, code)) continue;
                // Where texts say nothing each code is a kind of its own.
                const std::uint32_t name = shape.looks[i] ? verifier_.kind_of(*shape.looks[i], code)
                                                          : first_own_name + static_cast<std::uint32_t>(code);
                operand.names[code] = name;
                if (name != own_kind) operand.kinds[name].codes.push_back(code);
            }
            all *= operand.kinds.size();
            if (all == 0 || all > (operands_.size() == 1 ? most_codes : most_read)) return false;
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

    Read read_one(const Choice& choice) {
        const Codec& codec = verifier_.codec_;
        Image image;
        unsigned bits = 0;
        if (!find_plain(choice, image, bits)) {
            image = form_.written;
            Search search;
            for (std::size_t i = 0; i < choice.size(); ++i) search.order.push_back(i);
            std::ranges::stable_sort(search.order, {}, [&](std::size_t i) { return choice[i]->second.codes.size(); });
            if (!find_limited(choice, 0, 0, search, image, bits)) return search.is_whole ? Read::good : Read::bad;
        }
        char text[Codec::max_text + 1];
        char* const end = codec.print(text, index_, image, bits, 0, nullptr);
        *end = '\0';
        if (!verifier_.reads_back(image, bits, text, end, 0) || verifier_.is_ruled_out()) return Read::bad;
        const std::uint32_t group = known_.group;
        if (!verifier_.add_steps(index_)) return Read::bad;
        return known_.group == group ? Read::good : Read::grown;
    }

    void set(Image& image, std::size_t operand, const Choice& choice, std::size_t number) const {
        const std::vector<std::uint64_t>& codes = choice[operand]->second.codes;
        part(operand).place->insert(image, codes[number % codes.size()]);
    }
    bool is_one(const Image& image, unsigned& bits) const {
        return verifier_.codec_.decode(image, max_instruction_bits, bits) == index_;
    }

    // An instruction whose operands are of these kinds.
    bool find_plain(const Choice& choice, Image& image, unsigned& bits) const {
        constexpr std::size_t most_tried = 8;
        for (std::size_t number = 0; number < most_tried; ++number) {
            image = form_.written;
            for (std::size_t i = 0; i < choice.size(); ++i) set(image, i, choice, number);
            if (is_one(image, bits)) return true;
        }
        return false;
    }

    struct Search {
        std::vector<std::size_t> order;  // of operands
        unsigned looked_at = 0;
        bool is_whole = true;  // what keeps the limits was looked for everywhere, and not found
    };

    // The same where a limit counts operands, some of which may have to be the same register: from the `number`th on, behind those
    // in `fields`. Those that leave little choice come first.
    bool find_limited(const Choice& choice, std::size_t number, std::uint32_t fields, Search& search, Image& image,
                      unsigned& bits) const {
        constexpr unsigned most_looked_at = 1 << 14;
        if (number == choice.size()) {
            search.is_whole = false;
            return is_one(image, bits);
        }
        const std::size_t operand = search.order[number];
        const std::uint32_t own = 1u << (operands_[operand].field & 31);
        const std::size_t count = is_limited(operand) ? choice[operand]->second.codes.size() : 1;
        for (std::size_t code = 0; code < count; ++code) {
            set(image, operand, choice, code);
            if (++search.looked_at > most_looked_at) {
                search.is_whole = false;
                return false;
            }
            if (breaks_limit(image, fields | own)) continue;
            if (find_limited(choice, number + 1, fields | own, search, image, bits)) return true;
        }
        return false;
    }

    bool breaks_limit(const Image& image, std::uint32_t fields) const {
        return std::ranges::any_of(limits(),
                                   [&](const codec::FormLimit& limit) { return exceeds(limit, image, fields); });
    }
    bool is_limited(std::size_t operand) const {
        return std::ranges::any_of(limits(), [&](const codec::FormLimit& limit) {
            return std::ranges::any_of(limit.fields,
                                       [&](const auto& field) { return field.index == operands_[operand].field; });
        });
    }
    std::span<const codec::FormLimit> limits() const { return verifier_.codec_.tables_so_far().forms[index_].limits; }

    Proof proof() const {
        Proof out;
        for (const Operand& operand : operands_) {
            Proof::Operand made{operand.field, std::string(operand.names.size(), '\0')};
            bool is_all = true;
            for (std::size_t code = 0; code < operand.names.size(); ++code) {
                const std::uint32_t name = operand.names[code];
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
            const auto [place, is_new] = known.try_emplace(operand.codes, static_cast<std::uint32_t>(out.codes.size()));
            if (is_new) out.codes += operand.codes;
            out.checks.push_back({place->second, operand.field});
        }
    }
    return out;
}

}  // namespace isaforge::disassembler
