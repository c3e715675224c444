#include "codec/memory.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "codec/reader.hpp"

namespace isaforge {

using codec::Guard;
using codec::Link;
using codec::Put;

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// What stands in a shape for a number.
constexpr char decimal_mark = '\1', hexadecimal_mark = '\2';

}  // namespace

StatementMemory::Store::Store(const Isa& isa, const Codec::Tables& tables, bool patient)
    : isa_(isa), tables_(tables), patient_(patient), seen_(most_seen) {
    for (int c = 0; c < 256; ++c) {
        const auto at = static_cast<std::size_t>(c);
        Kind& kind = kind_[at];
        if (tables.letter[at] == 1) kind = c >= '0' && c <= '9' ? Kind::digit : Kind::letter;
        if (c == '_' || c >= 128) kind = Kind::letter;
        if (tables.blank[at] == 1) kind = Kind::blank;
        if (tables.ender[at] != 0) kind = Kind::ender;
        // Characters and strings hold anything; a comment inside a statement does, too.
        if (c == '"' || c == '\'' || c == '\\' || tables.blank[at] > 1 || (c < ' ' && kind == Kind::other))
            kind = Kind::unfit;
    }
}

// Reads the number at `p`, and puts a mark for it into the shape. False where the digits are to be letters.
bool StatementMemory::Store::written_number(const char*& p, const char* end, bool in_word) {
    if (shape.count == codec::most_written) return false;
    const char* q = p;
    std::uint64_t value = 0;
    char mark = decimal_mark;
    if (*p == '0' && end - p > 2 && (p[1] | 0x20) == 'x') {
        if (in_word) return false;
        mark = hexadecimal_mark;
        for (q += 2; q != end; ++q) {
            const char low = static_cast<char>(*q | 0x20);
            if (!is_digit(*q) && (low < 'a' || low > 'f')) break;
            value = value << 4 | static_cast<std::uint64_t>(is_digit(*q) ? *q - '0' : low - 'a' + 10);
        }
        if (q - p < 3 || q - p > 17) return false;
    } else {
        for (; q != end && is_digit(*q); ++q) value = value * 10 + static_cast<std::uint64_t>(*q - '0');
        if (q - p > 17 || (*p == '0' && q - p > 1)) return false;
    }
    if (q != end && (*q == '.' || kind_[static_cast<unsigned char>(*q)] == Kind::letter)) return false;
    shape.numbers[shape.count++] = {p, q, value};
    shape.text[shape.size++] = mark;
    p = q;
    return true;
}

bool StatementMemory::Store::scan(const char* cursor, const char* end) {
    if (pause_ != 0) {
        --pause_;
        return false;
    }
    shape.size = 0;
    shape.count = 0;
    const char* p = cursor;
    const char* last = p;            // behind the last character that is no blank
    std::size_t size = 0;            // of the shape up to there
    bool first_word = true;          // its digits are letters: mnemonics differ in them
    char previous = 0;
    while (p != end && shape.size < codec::Shape::longest) {
        const Kind kind = kind_[static_cast<unsigned char>(*p)];
        if (kind == Kind::blank) {
            first_word = false;
            previous = ' ';
            shape.text[shape.size++] = *p++;
            continue;
        }
        if (kind == Kind::unfit) return false;
        if (kind == Kind::ender && codec::statement_ends(isa_, tables_, p, end)) break;
        const bool may_be_number =
            kind == Kind::digit && !first_word && previous != '.' && previous != '_' && !is_digit(previous);
        if (may_be_number && written_number(p, end, kind_[static_cast<unsigned char>(previous)] == Kind::letter)) {
            previous = '0';
        } else {
            previous = *p;
            shape.text[shape.size++] = *p++;
        }
        last = p;
        size = shape.size;
    }
    if (shape.size >= codec::Shape::longest || size == 0) return false;
    shape.size = size;
    shape.end = last;
    std::memset(shape.text + size, 0, 8);
    hash_ = hash();
    return true;
}

std::uint64_t StatementMemory::Store::hash() const {
    std::uint64_t hash = shape.size * 0x9E3779B97F4A7C15u;
    for (std::size_t at = 0; at < shape.size; at += 8) {
        std::uint64_t word = 0;
        std::memcpy(&word, shape.text + at, 8);
        hash = (hash ^ word) * 0xD6E8FEB86659FD93u;
        hash ^= hash >> 32;
    }
    return hash;
}

void StatementMemory::Store::Slots::add(std::uint64_t hash, Index index) {
    if (++count_ * 2 > slots_.size()) {
        std::vector<Slot> old(slots_.size() * 2);
        old.swap(slots_);
        count_ = 1;
        for (const Slot& slot : old) {
            if (slot.index != no_index) add(slot.hash, slot.index);
        }
    }
    const std::size_t mask = slots_.size() - 1;
    std::size_t at = hash & mask;
    while (slots_[at].index != no_index) at = (at + 1) & mask;
    slots_[at] = {hash, index};
}

// The shape of the statement, or no_index.
Index StatementMemory::Store::find() const {
    return shape_slots_.find(hash_, [&](Index index) {
        const Known& known = shapes_[index];
        return known.size == shape.size && std::memcmp(texts_.data() + known.text, shape.text, shape.size) == 0;
    });
}

std::uint64_t StatementMemory::Store::chain_hash(Index index) const {
    std::uint64_t hash = (std::uint64_t{index} + 1) * 0x9E3779B97F4A7C15u;
    for (unsigned fixed = shapes_[index].fixed; fixed != 0; fixed &= fixed - 1) {
        hash = (hash ^ shape.numbers[std::countr_zero(fixed)].value) * 0xD6E8FEB86659FD93u;
        hash ^= hash >> 32;
    }
    return hash;
}

Index StatementMemory::Store::find_chain(Index index, std::uint64_t hash) const {
    return chain_slots_.find(hash, [&](Index chain) { return chains_[chain].shape == index; });
}

bool StatementMemory::Store::fits(const Variant& variant) const {
    const Guard* const guards = guards_.data() + variant.guards;
    for (unsigned i = 0; i < shape.count; ++i) {
        if (!guards[i].allows(shape.numbers[i].value)) return false;
    }
    const Link* const links = links_.data() + variant.links;
    return std::all_of(links, links + variant.link_count, [&](const Link& link) {
        return shape.numbers[link.b].value - shape.numbers[link.a].value == link.distance;
    });
}

void StatementMemory::Store::encode(const Variant& variant, Encoded& out) const {
    out.image = variant.image;
    const Put* const puts = puts_.data() + variant.puts;
    for (unsigned i = 0; i < variant.put_count; ++i) {
        const std::uint64_t bits = puts[i].bits(shape.numbers);
        if (puts[i].position + puts[i].width <= 64) {
            out.image.words[0] |= bits << puts[i].position;
        } else {
            out.image.set(puts[i].position, puts[i].width, bits);
        }
    }
    out.form = variant.form;
    out.bits = variant.bits;
    out.deferred_count = 0;
}

bool StatementMemory::Store::recall(Encoded& out) {
    const Index index = find();
    bool found = false;
    if (index != no_index) {
        const Index chain = find_chain(index, chain_hash(index));
        for (std::uint32_t at = chain == no_index ? 0 : chains_[chain].first; at != 0; at = variants_[at - 1].next) {
            const Variant& variant = variants_[at - 1];
            if (!fits(variant)) continue;
            encode(variant, out);
            const auto& limits = tables_.forms[variant.form].limits;
            found = std::none_of(limits.begin(), limits.end(),
                                 [&](const codec::FormLimit& limit) { return codec::exceeds(limit, out.image); });
            break;
        }
    }
    watch(found);
    return found;
}

// Where hardly anything comes again, looking for it only takes time: then most statements are let pass.
void StatementMemory::Store::watch(bool found) {
    found_ += found;
    if (++tried_ < window) return;
    if (found_ < window / 3 && !patient_) pause_ = 8 * window;
    tried_ = found_ = 0;
}

bool StatementMemory::Store::worth_learning() {
    if (shapes_.size() >= most_shapes || variants_.size() >= most_variants) return false;
    const Index index = find();
    std::uint64_t hash = hash_;
    if (index != no_index) {
        hash = chain_hash(index);
        const Index chain = find_chain(index, hash);
        if (chain != no_index) return chains_[chain].count < most_alike;
    }
    std::uint32_t& seen = seen_[hash % most_seen];
    const auto part = static_cast<std::uint32_t>(hash >> 32 | 1);
    if (seen == part) return true;
    seen = part;
    return false;
}

Index StatementMemory::Store::add_shape() {
    const auto index = static_cast<Index>(shapes_.size());
    if (shapes_.size() >= most_shapes) return no_index;
    shapes_.push_back(
        {.text = static_cast<std::uint32_t>(texts_.size()), .size = static_cast<std::uint16_t>(shape.size)});
    texts_.append(shape.text, shape.size);
    shape_slots_.add(hash_, index);
    return index;
}

StatementMemory::Store::Chain& StatementMemory::Store::chain_of(Index shape_index) {
    const std::uint64_t hash = chain_hash(shape_index);
    const Index found = find_chain(shape_index, hash);
    if (found != no_index) return chains_[found];
    chain_slots_.add(hash, static_cast<Index>(chains_.size()));
    return chains_.emplace_back(Chain{.shape = shape_index});
}

void StatementMemory::Store::learn(const char* end, const Encoded& encoded) {
    if (!trace.learnable() || encoded.deferred_count != 0 || end != shape.end || variants_.size() >= most_variants)
        return;
    trace.finish();
    if (trace.links().size() > 255 || trace.puts().size() > 255) return;
    Variant variant{.image = encoded.image, .form = encoded.form, .bits = encoded.bits};
    for (const Put& put : trace.puts()) {
        if (encoded.image.get(put.position, put.width) != put.bits(shape.numbers)) return;
        variant.image.set(put.position, put.width, 0);
    }
    Index index = find();
    if (index == no_index) index = add_shape();
    if (index == no_index) return;
    for (unsigned i = 0; i < shape.count; ++i) {
        if (trace.guard(i).low == trace.guard(i).high) shapes_[index].fixed |= static_cast<std::uint16_t>(1u << i);
    }
    Chain& chain = chain_of(index);
    if (chain.count >= most_alike) return;
    variant.guards = static_cast<std::uint32_t>(guards_.size());
    variant.links = static_cast<std::uint32_t>(links_.size());
    variant.puts = static_cast<std::uint32_t>(puts_.size());
    variant.link_count = static_cast<std::uint8_t>(trace.links().size());
    variant.put_count = static_cast<std::uint8_t>(trace.puts().size());
    for (unsigned i = 0; i < shape.count; ++i) guards_.push_back(trace.guard(i));
    links_.insert(links_.end(), trace.links().begin(), trace.links().end());
    puts_.insert(puts_.end(), trace.puts().begin(), trace.puts().end());
    variant.next = chain.first;
    variants_.push_back(variant);
    chain.first = static_cast<std::uint32_t>(variants_.size());
    ++chain.count;
}

StatementMemory::StatementMemory(const Codec& codec, bool patient)
    : store_(std::make_unique<Store>(codec.isa(), codec.tables_so_far(), patient)) {}
StatementMemory::~StatementMemory() = default;

bool StatementMemory::recalled() const { return store_->way == Store::Way::recalled; }

}  // namespace isaforge
