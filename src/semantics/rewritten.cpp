// Instructions whose operands a program overwrites again and again, as programs for small processors do that have no other way to
// count an address up. A byte of such an instruction that holds nothing but a number is looked up whenever the instruction executes;
// so nothing has to be made anew when it changes. What else it might decide, an operand's row or the instruction itself, is looked
// at here for all that the byte may hold.
#include <algorithm>
#include <bit>
#include <span>

#include "codec/tables.hpp"
#include "ir/passes/passes.hpp"
#include "ir/substitute.hpp"
#include "ir/text.hpp"
#include "semantics/forms.hpp"
#include "semantics/leaves.hpp"

namespace isaforge::semantics {

namespace {

constexpr unsigned most_bits_of_code = 16;  // that may change in an operand which has rows: all of its codes are tried
constexpr unsigned no_bit = ~0u;

// By the bits of an operand's code, where they lie in the image.
using Bits = std::vector<unsigned>;

Bits bits_at(const BitPlace& place, std::size_t width, const Bits* inside, unsigned from) {
    Bits bits(width, no_bit);
    for (const BitPiece& piece : place.pieces)
        for (unsigned k = 0; k < piece.width && piece.shift + k < width; ++k) {
            const unsigned at = piece.position + k;
            bits[piece.shift + k] = inside == nullptr ? from + at : at < inside->size() ? (*inside)[at] : no_bit;
        }
    return bits;
}

// Whether any code is a number, and each bit of the code a part of it.
bool takes_all(const OperandType& type) {
    const NumberRule& rule = type.number;
    return type.kind == OperandKind::number && !rule.minimum && !rule.maximum && !rule.sliced && rule.carries == 0 &&
           type.width != 0;
}

// Whether a word of this form could be taken for one of another.
bool is_alone(const Isa& isa, Index index) {
    const Form& form = isa.forms[index];
    for (Index i = 0; i < isa.forms.size(); ++i) {
        const Form& other = isa.forms[i];
        if (i == index || other.alias) continue;
        bool differs = false;
        for (std::size_t word = 0; word < form.mask.words.size(); ++word)
            differs |= ((form.value.words[word] ^ other.value.words[word]) & form.mask.words[word] &
                        other.mask.words[word]) != 0;
        if (!differs) return false;
    }
    return true;
}

// The number that the bytes of its code make, those that are open as they lie in memory when this is executed.
class NumberInCode {
public:
    NumberInCode(ir::Graph& graph, const OperandType& type, const Site& site)
        : builder_(graph), graph_(graph), type_(type), site_(site) {
        builder_.at(builder_.new_block());
    }

    void add_known(std::uint64_t bits) { add(builder_.constant(wide, bits)); }
    void add_byte(std::uint64_t address, unsigned shift) {
        const ir::Value byte = builder_.make(ir::Op::code, ir::Type::integer(8), {builder_.constant(wide, address)});
        add(of(ir::Op::shift_left, builder_.make(ir::Op::zero_extend, wide, {byte}), shift));
    }
    // As the argument `result`. The operations behind which it is known.
    std::vector<ir::Instruction> finish(ir::Value result) {
        const NumberRule& rule = type_.number;
        if (rule.base == NumberBase::signed_integer && type_.width < 64)
            sum_ = of(ir::Op::sign_extend_from, sum_, type_.width);
        sum_ = of(ir::Op::mul, sum_, static_cast<std::uint64_t>(rule.scale));
        sum_ = of(ir::Op::add, sum_, static_cast<std::uint64_t>(rule.bias) + (rule.relative ? site_.address : 0));
        const bool narrow = graph_.type(result).bits < 64;
        ir::Instruction last{.op = narrow ? ir::Op::truncate : ir::Op::bit_or, .result = result};
        last.operands = {sum_, narrow ? ir::no_value : builder_.constant(wide, 0), ir::no_value};
        std::vector<ir::Instruction> made = std::move(graph_.blocks.back().body);
        graph_.blocks.pop_back();
        made.push_back(last);
        return made;
    }

private:
    static constexpr ir::Type wide = ir::Type::integer(64);
    ir::Value of(ir::Op op, ir::Value value, std::uint64_t number) {
        return builder_.make(op, wide, {value, builder_.constant(wide, number)});
    }
    void add(ir::Value value) {
        sum_ = sum_ == ir::no_value ? value : builder_.make(ir::Op::bit_or, wide, {sum_, value});
    }

    ir::Builder builder_;
    ir::Graph& graph_;
    const OperandType& type_;
    const Site& site_;
    ir::Value sum_ = ir::no_value;
};

// Where an instruction's numbers lie.
struct Layout {
    static constexpr std::size_t nobody = ~std::size_t{0};
    std::vector<Bits> leaves;          // by leaf; empty: not known
    std::vector<std::size_t> leaf_of;  // by bit of the image: the only leaf that it is of, or nobody
    std::vector<unsigned> memory_bit;  // by bit of the image: where it lies in memory, eight to a byte
};

Layout layout_of(const Codec& codec, Index index, const Image& image, unsigned bits,
                 const std::vector<Binding>& bindings) {
    const Isa& isa = codec.isa();
    const Form& form = isa.forms[index];
    Layout layout;
    std::vector<unsigned> users(bits);
    const auto note = [&](const Bits& places) {
        for (const unsigned at : places)
            if (at < bits) ++users[at];
    };
    for (Index i = 0; i < bindings.size(); ++i) {
        const OperandType& type = isa.operand_types[bindings[i].type];
        const Bits own = bits_at(form.fields[i].place, type.width, nullptr, 0);
        note(own);
        if (type.kind != OperandKind::table) layout.leaves.push_back(own);
        for (std::size_t k = 0; k < bindings[i].captures.size(); ++k) {
            const Binding& capture = bindings[i].captures[k];
            const Field& part = type.rows[bindings[i].row].fields[k];
            const Bits places = bits_at(part.place, isa.operand_types[capture.type].width,
                                        part.in_tail ? nullptr : &own, codec::tail_at(codec, index, i, image));
            if (part.in_tail) note(places);
            if (isa.operand_types[capture.type].kind != OperandKind::table)
                layout.leaves.push_back(places);
            else
                layout.leaves.resize(layout.leaves.size() + leaves_of(isa, capture.captures).size());
        }
    }
    layout.leaf_of.assign(bits, Layout::nobody);
    for (std::size_t leaf = 0; leaf < layout.leaves.size(); ++leaf)
        for (const unsigned at : layout.leaves[leaf])
            if (at < bits && users[at] == 1 && form.mask.get(at, 1) == 0) layout.leaf_of[at] = leaf;
    for (unsigned at = 0; at < bits; ++at) {
        Image one;
        one.set(at, 1, 1);
        std::array<std::uint8_t, max_instruction_bits / 8> bytes{};
        codec.store(one, bits, bytes.data());
        const auto found = std::find_if(bytes.begin(), bytes.end(), [](std::uint8_t byte) { return byte != 0; });
        layout.memory_bit.push_back(static_cast<unsigned>(found - bytes.begin()) * 8 +
                                    static_cast<unsigned>(std::countr_zero(*found)));
    }
    return layout;
}

// The bytes all of whose bits are of one leaf that may be open, and lie side by side in it as in the byte.
std::vector<std::size_t> open_bytes(const Layout& layout, const std::vector<bool>& may_be_open) {
    std::vector<std::size_t> leaf_of(layout.memory_bit.size() / 8, Layout::nobody);
    std::vector<unsigned> count(leaf_of.size());
    for (std::size_t leaf = 0; leaf < layout.leaves.size(); ++leaf)
        for (unsigned k = 0; may_be_open[leaf] && k < layout.leaves[leaf].size(); ++k) {
            const unsigned at = layout.leaves[leaf][k];
            if (at >= layout.leaf_of.size() || layout.leaf_of[at] != leaf) continue;
            const unsigned place = layout.memory_bit[at];
            if (k % 8 != place % 8) continue;
            const unsigned first = layout.leaves[leaf][k - k % 8];
            if (first >= layout.memory_bit.size() || layout.memory_bit[first] != place - place % 8) continue;
            leaf_of[place / 8] = leaf;
            ++count[place / 8];
        }
    for (std::size_t byte = 0; byte < leaf_of.size(); ++byte)
        if (count[byte] != 8) leaf_of[byte] = Layout::nobody;
    return leaf_of;
}

}  // namespace

// The graph with the open bytes' leaves looked up. `open`: by byte; where it is empty it is found out, else it has to be so.
std::optional<ir::Graph> FormGraphs::looked_up(Index form, const Image& image, unsigned bits, const Site& site,
                                               std::uint64_t first_byte, std::vector<bool>& open) {
    std::vector<Binding> bindings = bindings_of(form, image);
    const std::vector<const Binding*> leaves = leaves_of(isa_, bindings);
    const auto found = lowered(Subject::instruction, form, bindings, leaves, site);
    if (!found->trouble.empty()) return std::nullopt;
    std::vector<bool> may_be_open(leaves.size());
    for (const auto& [kind, leaf] : found->arguments)
        if (kind == Opening::Kind::operand && leaf < leaves.size())
            may_be_open[leaf] = takes_all(isa_.operand_types[leaves[leaf]->type]);
    const Layout layout = layout_of(*codec_, form, image, bits, bindings);
    const std::vector<std::size_t> leaf_of = open_bytes(layout, may_be_open);
    std::vector<bool> is_open(leaf_of.size());
    for (std::size_t byte = 0; byte < leaf_of.size(); ++byte) is_open[byte] = leaf_of[byte] != Layout::nobody;
    if (open.empty()) open = is_open;
    if (open != is_open) return std::nullopt;

    ir::Graph graph = found->graph;
    std::vector<ir::Instruction> body;
    std::vector<ir::Value> arguments;
    std::vector<std::uint64_t> values;
    for (std::size_t i = 0; i < found->arguments.size(); ++i) {
        const auto& [kind, leaf] = found->arguments[i];
        const ir::Value argument = graph.blocks[0].arguments[i];
        const bool is_operand = kind == Opening::Kind::operand && leaf < leaves.size();
        if (is_operand && std::find(leaf_of.begin(), leaf_of.end(), leaf) != leaf_of.end()) {
            NumberInCode number(graph, isa_.operand_types[leaves[leaf]->type], site);
            std::uint64_t known = leaves[leaf]->code;
            for (std::size_t byte = 0; byte < leaf_of.size(); ++byte) {
                if (leaf_of[byte] != leaf) continue;
                const auto at = std::find_if(layout.leaves[leaf].begin(), layout.leaves[leaf].end(), [&](unsigned bit) {
                    return bit < layout.memory_bit.size() && layout.memory_bit[bit] == 8 * byte;
                });
                const auto shift = static_cast<unsigned>(at - layout.leaves[leaf].begin());
                known &= ~(std::uint64_t{0xff} << shift);
                number.add_byte(first_byte + byte, shift);
            }
            number.add_known(known);
            const auto made = number.finish(argument);
            body.insert(body.end(), made.begin(), made.end());
            continue;
        }
        arguments.push_back(argument);
        const auto value = value_at(found->arguments[i], leaves, site);
        if (!value) return std::nullopt;
        values.push_back(*value);
    }
    auto& entry = graph.blocks[0];
    entry.arguments = std::move(arguments);
    entry.body.insert(entry.body.begin(), body.begin(), body.end());
    return at_site(graph, values);
}

std::optional<ir::Graph> FormGraphs::rewritten(Index form, const Image& image, unsigned bits, const Site& site,
                                               std::uint64_t first_byte, std::vector<bool>& open) {
    open.clear();
    if (isa_.forms[form].parts.size() > 1 || !is_alone(isa_, form)) return std::nullopt;
    auto graph = looked_up(form, image, bits, site, first_byte, open);
    if (!graph || std::find(open.begin(), open.end(), true) == open.end()) return std::nullopt;
    // Where the operand has rows, each that the bytes may lead to has to mean the same.
    const std::string text = ir::to_text(*graph, isa_);
    const std::vector<Binding> bindings = bindings_of(form, image);
    const Layout layout = layout_of(*codec_, form, image, bits, bindings);
    for (Index i = 0; i < bindings.size(); ++i) {
        if (isa_.operand_types[bindings[i].type].kind != OperandKind::table) continue;
        const Field& field = isa_.forms[form].fields[i];
        const Bits places = bits_at(field.place, isa_.operand_types[bindings[i].type].width, nullptr, 0);
        std::uint64_t changing = 0;
        for (std::size_t k = 0; k < places.size(); ++k)
            if (places[k] < bits && open[layout.memory_bit[places[k]] / 8]) changing |= std::uint64_t{1} << k;
        if (changing == 0) continue;
        if (std::popcount(changing) > static_cast<int>(most_bits_of_code)) return std::nullopt;
        std::vector<Index> rows = {bindings[i].row};
        std::uint64_t code = 0;
        do {  // all that `changing` can hold, 0 first and last
            const std::uint64_t whole = (bindings[i].code & ~changing) | code;
            const Index row = codec_->row_of(bindings[i].type, whole);
            const auto& rows_of_type = isa_.operand_types[bindings[i].type].rows;
            if (row == no_index || rows_of_type[row].tail_bits != rows_of_type[bindings[i].row].tail_bits)
                return std::nullopt;
            if (std::find(rows.begin(), rows.end(), row) == rows.end()) {
                rows.push_back(row);
                Image other = image;
                field.place.insert(other, whole);
                const auto same = looked_up(form, other, bits, site, first_byte, open);
                if (!same || ir::to_text(*same, isa_) != text) return std::nullopt;
            }
            code = (code - changing) & changing;
        } while (code != 0);
    }
    return graph;
}

}  // namespace isaforge::semantics
