#include "disassembler/verify.hpp"

#include <algorithm>

namespace isaforge::disassembler {

namespace {

// Proving a form takes as long as reading some hundred instructions back.
constexpr unsigned worth_proving = 200;

}  // namespace

Verifier::Verifier(const Codec& codec, bool registers_are_symbols)
    : codec_(codec),
      reader_(codec, registers_are_symbols),
      proved_(codec.isa().forms.size()),
      asks_for_built_in_(!registers_are_symbols && !codec.tables_so_far().relaxes) {}

Verifier::~Verifier() = default;

bool Verifier::Proved::holds_tail(Index form, const Image& image, const Codec& codec) const {
    const std::uint64_t tail = image.get(codec.isa().forms[form].bits, tail_bits);
    const std::span stretches(tails, tail_count);
    const auto behind = std::ranges::upper_bound(stretches, tail, {}, &ReadBack::Stretch::first);
    return behind != stretches.begin() && tail <= behind[-1].last;
}

// An instruction of a form of which it is not known yet what is certain.
bool Verifier::find_out(Index form, const Image& image) {
    Proved& proved = proved_[form];
    if (proved.state == State::unseen) {
        const ReadBack* const all = built_in();
        proved.state = all ? State::known : State::not_built_in;
        if (all) take(form, *all, all->forms[form], proved);
    }
    if (proved.state == State::not_built_in && ++proved.seen == worth_proving) {
        proved.state = State::known;
        if (!prover_) prover_ = std::make_unique<Prover>(codec_, reader_);
        const ReadBack& own = proofs_.emplace_back(prover_->prove(form));
        if (!own.forms.empty()) take(form, own, own.forms[0], proved);
    }
    return proved.holds(form, image, codec_);
}

const ReadBack* Verifier::built_in() {
    const Isa& isa = codec_.isa();
    if (std::exchange(asks_for_built_in_, false) && !isa.read_back.empty() &&
        isa.read_back[0].forms.size() == isa.forms.size())
        built_in_ = &isa.read_back[0];
    return built_in_;
}

// A damaged file's is not believed.
void Verifier::take(Index index, const ReadBack& all, const ReadBack::FormProof& proof, Proved& proved) {
    const Form& form = codec_.isa().forms[index];
    const auto lie_in = [](std::size_t first, std::size_t count, const auto& list) {
        return first <= list.size() && count <= list.size() - first;
    };
    if (proof.is_proved == ReadBack::no_code || !lie_in(proof.first, proof.count, all.checks) ||
        !lie_in(proof.first_tail, proof.tail_count, all.tails) || proof.tail_bits > 64 ||
        proof.tail_bits + form.bits > max_instruction_bits)
        return;
    proved.tails = all.tails.data() + proof.first_tail;
    proved.tail_count = proof.tail_count;
    proved.tail_bits = proof.tail_bits;
    proved.what = static_cast<std::uint8_t>(proof.is_proved);
    std::vector<codec::Check>& made = checks_.emplace_back();
    std::vector<WideCheck> wide;
    for (const ReadBack::Check& check : std::span(all.checks).subspan(proof.first, proof.count)) {
        codec::QuickPlace place;
        if (check.field >= form.fields.size() || !place.set(form.fields[check.field].place)) return;
        const unsigned width = form.fields[check.field].place.width;
        if (check.patterns != 0) {
            if (!lie_in(check.codes, check.patterns, all.patterns)) return;
            wide.push_back({std::span(all.patterns).subspan(check.codes, check.patterns), place});
            continue;
        }
        if (width > Prover::widest_listed || !lie_in(check.codes, std::size_t{1} << width, all.codes)) return;
        made.push_back({reinterpret_cast<const std::uint8_t*>(all.codes.data()) + check.codes, place, check.field});
    }
    const auto [loose, tight] = loose_bits(codec_.isa(), form);
    if (!is_one_word(loose)) return;
    proved.checks = made.data();
    proved.count = static_cast<std::uint16_t>(made.size());
    if (!wide.empty()) {
        proved.wide_count = static_cast<std::uint16_t>(wide.size());
        proved.wide = wide_checks_.emplace_back(std::move(wide)).data();
    }
    proved.loose = loose.words[0];
    proved.tight = tight.words[0];
}

}  // namespace isaforge::disassembler
