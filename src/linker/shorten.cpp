#include "linker/shorten.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>

#include "object/relocation_place.hpp"

namespace isaforge {

namespace {

// The cuts of one section: where its places are afterwards.
class Moves {
public:
    explicit Moves(std::span<const Cut> cuts) : cuts_(cuts) {
        for (const Cut& cut : cuts_) before_.push_back((before_.empty() ? 0 : before_.back()) + cut.count);
    }
    bool empty() const { return cuts_.empty(); }

    // What lies in a cut is where that began.
    std::uint64_t operator()(std::uint64_t offset) const {
        const auto behind = std::ranges::upper_bound(cuts_, offset, {}, &Cut::offset);
        if (behind == cuts_.begin()) return offset;
        const auto i = static_cast<std::size_t>(behind - cuts_.begin()) - 1;
        const std::uint64_t inside = std::min(offset - cuts_[i].offset, cuts_[i].count);
        return offset - (before_[i] - cuts_[i].count) - inside;
    }
    bool takes(std::uint64_t offset) const {
        const auto behind = std::ranges::upper_bound(cuts_, offset, {}, &Cut::offset);
        return behind != cuts_.begin() && offset - std::prev(behind)->offset < std::prev(behind)->count;
    }

private:
    std::span<const Cut> cuts_;
    std::vector<std::uint64_t> before_;  // bytes that these cuts and those before them take
};

void take_out(std::vector<std::uint8_t>& bytes, std::span<const Cut> cuts) {
    std::size_t to = cuts.empty() ? bytes.size() : cuts[0].offset;
    for (std::size_t i = 0; i < cuts.size(); ++i) {
        const std::size_t from = cuts[i].offset + cuts[i].count;
        const std::size_t end = i + 1 < cuts.size() ? cuts[i + 1].offset : bytes.size();
        std::copy(bytes.begin() + static_cast<std::ptrdiff_t>(from), bytes.begin() + static_cast<std::ptrdiff_t>(end),
                  bytes.begin() + static_cast<std::ptrdiff_t>(to));
        to += end - from;
    }
    bytes.resize(to);
}

// Reads the numbers that the codec prints. What counts from the instruction waits for its value.
class PrintedNumbers final : public ExpressionReader {
public:
    bool read(const char*& cursor, const char* end, NumberValue& value) override {
        const bool negative = cursor < end && *cursor == '-';
        const char* p = cursor + negative;
        const bool hexadecimal = end - p > 2 && p[0] == '0' && p[1] == 'x';
        if (hexadecimal) p += 2;
        const auto [after, error] = std::from_chars(p, end, value.integer, hexadecimal ? 16 : 10);
        if (error != std::errc() || after == p) return false;
        value.kind = NumberValue::Kind::integer;
        value.negative = negative && value.integer != 0;
        if (negative) value.integer = 0 - value.integer;
        cursor = after;
        return true;
    }
    bool read_target(const char*& cursor, const char* end, NumberValue& value) override {
        if (!read(cursor, end, value)) return false;
        value.kind = NumberValue::Kind::deferred;
        value.handle = 0;
        return true;
    }
};

}  // namespace

void cut(Object& object, const std::vector<Cut>& cuts) {
    std::vector<Moves> moves;
    std::size_t next = 0;
    for (Index i = 0; i < object.sections.size(); ++i) {
        const std::size_t first = next;
        while (next < cuts.size() && cuts[next].section == i) ++next;
        const std::span<const Cut> own(cuts.data() + first, next - first);
        moves.emplace_back(own);
        take_out(object.sections[i].bytes, own);
    }
    const auto moved = [&](Index section) -> const Moves* {
        return section < moves.size() && !moves[section].empty() ? &moves[section] : nullptr;
    };
    std::vector<Relocation> kept;
    kept.reserve(object.relocations.size());
    for (Relocation& relocation : object.relocations) {
        if (const Moves* const own = moved(relocation.section)) {
            if (own->takes(relocation.offset)) continue;
            relocation.offset = (*own)(relocation.offset);
        }
        if (relocation.symbol < object.symbols.size()) {
            const Symbol& symbol = object.symbols[relocation.symbol];
            const Moves* const there = symbol.type == SymbolType::section ? moved(symbol.section) : nullptr;
            if (there)
                relocation.addend = static_cast<std::int64_t>((*there)(static_cast<std::uint64_t>(relocation.addend)));
        }
        kept.push_back(relocation);
    }
    object.relocations = std::move(kept);
    for (Symbol& symbol : object.symbols) {
        const Moves* const own = symbol.type == SymbolType::section ? nullptr : moved(symbol.section);
        if (!own) continue;
        const std::uint64_t end = (*own)(symbol.value + symbol.size);
        symbol.value = (*own)(symbol.value);
        symbol.size = end - symbol.value;
    }
    LineTable lines;
    for (LineEntry line : object.lines) {
        if (const Moves* const own = moved(line.section)) line.offset = (*own)(line.offset);
        lines.add(line);
    }
    object.lines = std::move(lines);
}

std::string settle_padding(Object& object, const Codec& codec, Index& section, std::uint64_t& offset) {
    const std::uint32_t align = codec.isa().elf.align;
    std::vector<Relocation> marks;
    for (const Relocation& relocation : object.relocations) {
        if (align != 0 && relocation.type == align && relocation.section < object.sections.size())
            marks.push_back(relocation);
    }
    std::ranges::stable_sort(marks, {}, [](const Relocation& mark) { return std::pair(mark.section, mark.offset); });
    std::vector<Cut> cuts;
    std::uint64_t taken = 0;  // of the section, before the mark
    std::uint64_t begin = 0;  // where the padding before this one ended
    Index of = no_index;
    for (const Relocation& mark : marks) {
        const Section& there = object.sections[mark.section];
        section = mark.section;
        offset = mark.offset;
        if (of != mark.section) of = mark.section, taken = begin = 0;
        const auto most = static_cast<std::uint64_t>(mark.addend);
        if (mark.offset > there.bytes.size() || most > there.bytes.size() - mark.offset)
            return "this relocation lies outside its section";
        if (mark.offset < begin) return "two relocations are about the same padding";
        begin = mark.offset + most;
        const std::uint64_t alignment = std::bit_ceil(most + 1);
        if (alignment > there.alignment)
            return fmt::format("section {} is aligned to {} bytes, and a place in it to {}", there.name,
                               there.alignment, alignment);
        std::uint64_t need = (0 - (mark.offset - taken)) & (alignment - 1);
        if (need > most) return fmt::format("{} bytes are too few to align this place to {}", most, alignment);
        // Whole instructions stay, the last ones first.
        std::vector<std::pair<std::uint64_t, std::uint64_t>> padding;  // offset and size
        for (std::uint64_t at = 0; at < most;) {
            const std::uint8_t* const bytes = there.bytes.data() + mark.offset + at;
            const std::size_t left = std::min<std::size_t>(most - at, max_instruction_bits / 8);
            unsigned bits = 0;
            const Index form = codec.decode(codec.load(bytes, left), static_cast<unsigned>(left * 8), bits);
            const std::uint64_t size =
                form == no_index || bits == 0 ? std::min<std::uint64_t>(most - at, object.unit_bytes) : bits / 8;
            padding.emplace_back(mark.offset + at, size);
            at += size;
        }
        std::vector<Cut> own;
        for (auto it = padding.rbegin(); it != padding.rend(); ++it) {
            if (it->second <= need) {
                need -= it->second;
                continue;
            }
            own.push_back({mark.section, it->first, it->second});
            taken += it->second;
        }
        if (need != 0) return "the padding here has no instructions of the sizes that it would take";
        cuts.insert(cuts.end(), own.rbegin(), own.rend());
    }
    std::erase_if(object.relocations,
                  [&](const Relocation& relocation) { return align != 0 && relocation.type == align; });
    if (!cuts.empty()) cut(object, cuts);
    return {};
}

Shortener::Shortener(const Codec& codec)
    : codec_(codec),
      relaxing_(std::make_unique<Codec>(std::shared_ptr<const Isa>(std::shared_ptr<void>(), &codec.isa()), true)) {}
Shortener::~Shortener() = default;

std::optional<Shortener::Shorter> Shortener::find(const std::uint8_t* bytes, std::size_t available, std::uint32_t type,
                                                  unsigned number, std::int64_t target, std::uint64_t address,
                                                  std::int64_t slack, unsigned& bits) {
    available = std::min<std::size_t>(available, max_instruction_bits / 8);
    const Image image = codec_.load(bytes, available);
    std::optional<Shorter> best;
    for (const RelocatedNumber& found :
         relocated_in_forms(codec_, image, static_cast<unsigned>(available * 8), type, number)) {
        const NumberRule& rule = codec_.isa().operand_types[found.number.type].number;
        if (!rule.relative || rule.linked != NumberRule::Linked::address) continue;
        Encoded written;
        written.image = image;
        written.form = found.form;
        written.bits = found.bits;
        if (!codec_.try_patch(written, found.number, target, address)) continue;
        const std::optional<Shorter> shorter = of_form(written, target, address, slack);
        if (!shorter || (best && best->encoded.bits <= shorter->encoded.bits)) continue;
        best = shorter;
        bits = found.bits;
    }
    return best;
}

// The same for one form, by each of its names: a shorter one may share one that is not printed.
std::optional<Shortener::Shorter> Shortener::of_form(const Encoded& written, std::int64_t target, std::uint64_t address,
                                                     std::int64_t slack) {
    const Isa& isa = codec_.isa();
    const Instruction& instruction = isa.instructions[isa.forms[written.form].instruction];
    char printed[Codec::max_text];
    const std::string text(printed, codec_.print(printed, written.form, written.image, written.bits, address));
    const std::string& name = instruction.names[0];
    std::optional<Shorter> best;
    const auto look = [&](const std::string& one) {
        const std::optional<Shorter> shorter = of_text(one, written.bits, target, address, slack);
        if (shorter && (!best || shorter->encoded.bits < best->encoded.bits)) best = shorter;
    };
    look(text);
    for (const auto* names : {&instruction.names, &instruction.relax_names}) {
        for (const std::string& other : *names) {
            if (other != name && text.starts_with(name)) look(other + text.substr(name.size()));
        }
    }
    return best;
}

std::optional<Shortener::Shorter> Shortener::of_text(const std::string& text, unsigned bits, std::int64_t target,
                                                     std::uint64_t address, std::int64_t slack) {
    const char* const end = text.data() + text.size();
    PrintedNumbers numbers;
    Shorter shorter;
    bool is_found = false;
    const auto takes = [&](const Encoded& encoded, const char* read_to) {
        if (read_to != end || encoded.bits >= bits) return true;  // no other is shorter
        if (encoded.deferred_count != 1) return false;
        const NumberRule& rule = codec_.isa().operand_types[encoded.deferred[0].type].number;
        if (!rule.relative || rule.linked != NumberRule::Linked::address) return false;
        is_found = std::ranges::all_of(std::array{-slack, std::int64_t{0}, slack}, [&](std::int64_t by) {
            Encoded tried = encoded;
            return relaxing_->try_patch(tried, encoded.deferred[0], target + by, address);
        });
        shorter.type = rule.relocation_type;
        return is_found;
    };
    const char* p = text.data();
    relaxing_->try_assemble(p, end, address, numbers, shorter.encoded, takes);
    return is_found ? std::optional(shorter) : std::nullopt;
}

}  // namespace isaforge
