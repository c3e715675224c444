// A recursive descent over the text that computes as it reads: expressions are short, and are read again whenever they
// are asked for.
#include "debugger/expression.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <deque>

#include "isaforge/diagnostics.hpp"
#include "support/characters.hpp"

namespace isaforge::debugger {

namespace {

constexpr unsigned most_nesting = 64;

bool is_name_begin(char c) { return is_letter(c) || c == '_' || c == '.' || c == '$' || c == '@'; }
bool is_name(char c) { return is_name_begin(c) || is_digit(c); }

// The binary operators, longest first where one begins another; higher levels bind closer.
struct Operator {
    std::string_view text;
    unsigned level;
};
constexpr std::array<Operator, 18> operators = {{{"||", 1},
                                                 {"&&", 2},
                                                 {"==", 6},
                                                 {"!=", 6},
                                                 {"<<", 8},
                                                 {">>", 8},
                                                 {"<=", 7},
                                                 {">=", 7},
                                                 {"<", 7},
                                                 {">", 7},
                                                 {"|", 3},
                                                 {"^", 4},
                                                 {"&", 5},
                                                 {"+", 9},
                                                 {"-", 9},
                                                 {"*", 10},
                                                 {"/", 10},
                                                 {"%", 10}}};

std::uint64_t apply(std::string_view op, std::uint64_t a, std::uint64_t b) {
    if (op == "||") return a != 0 || b != 0;
    if (op == "&&") return a != 0 && b != 0;
    if (op == "==") return a == b;
    if (op == "!=") return a != b;
    if (op == "<<") return b < 64 ? a << b : 0;
    if (op == ">>") return b < 64 ? a >> b : 0;
    if (op == "<=") return a <= b;
    if (op == ">=") return a >= b;
    switch (op[0]) {
        case '<': return a < b;
        case '>': return a > b;
        case '|': return a | b;
        case '^': return a ^ b;
        case '&': return a & b;
        case '+': return a + b;
        case '-': return a - b;
        case '*': return a * b;
        case '/': return a / b;
        default: return a % b;
    }
}

class Reader {
public:
    Reader(std::string_view text, Machine& machine, const ProgramMap& map, const Evaluator& evaluator)
        : text_(text), machine_(machine), map_(map), evaluator_(evaluator) {}

    bool expression(Value& value, unsigned level = 1);
    void skip_blanks() {
        while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
    }
    std::string_view rest() const { return text_.substr(at_); }

    std::string error;

private:
    bool unary(Value& value);
    bool primary(Value& value);
    bool name(Value& value);
    bool memory_cell(Index memory, Value& value);
    bool register_lane(Value& value);
    bool joined(Index file, std::uint64_t first, std::uint64_t last, Value& value);
    bool index(std::uint64_t& value, std::uint64_t* last = nullptr);
    bool fail(std::string message) {
        if (error.empty()) error = std::move(message);
        return false;
    }
    bool take(char c) {
        skip_blanks();
        if (at_ >= text_.size() || text_[at_] != c) return false;
        ++at_;
        return true;
    }
    std::string_view word() {
        const std::size_t begin = at_;
        while (at_ < text_.size() && is_name(text_[at_])) ++at_;
        return text_.substr(begin, at_ - begin);
    }
    const Operator* next_operator(unsigned level);

    std::string_view text_;
    std::size_t at_ = 0;
    unsigned depth_ = 0;
    Machine& machine_;
    const ProgramMap& map_;
    const Evaluator& evaluator_;
};

const Operator* Reader::next_operator(unsigned level) {
    skip_blanks();
    for (const Operator& each : operators) {
        if (!rest().starts_with(each.text)) continue;
        return each.level >= level ? &each : nullptr;
    }
    return nullptr;
}

bool Reader::expression(Value& value, unsigned level) {
    if (++depth_ > most_nesting) return fail("this is nested too deeply");
    if (!unary(value)) return false;
    while (const Operator* op = next_operator(level)) {
        at_ += op->text.size();
        Value right;
        if (!expression(right, op->level + 1)) return false;
        if ((op->text == "/" || op->text == "%") && right.value == 0) return fail("division by zero");
        value = {apply(op->text, value.value, right.value), 64, {}};
    }
    --depth_;
    return true;
}

bool Reader::unary(Value& value) {
    skip_blanks();
    const char op = at_ < text_.size() ? text_[at_] : '\0';
    if (op != '-' && op != '~' && op != '!' && op != '+') return primary(value);
    ++at_;
    if (++depth_ > most_nesting) return fail("this is nested too deeply");
    if (!unary(value)) return false;
    --depth_;
    const std::uint64_t a = value.value;
    value = {op == '-' ? 0 - a : op == '~' ? ~a : op == '!' ? std::uint64_t{a == 0} : a, 64, {}};
    return true;
}

bool Reader::primary(Value& value) {
    skip_blanks();
    if (at_ == text_.size()) return fail("a value is missing here");
    if (take('(')) {
        if (!expression(value)) return false;
        return take(')') || fail("a ) is missing");
    }
    if (is_digit(text_[at_])) {
        const std::string_view digits = word();
        const std::optional<std::uint64_t> number = parse_number(digits);
        if (!number) return fail(fmt::format("'{}' is not a number", digits));
        value = {*number, 64, {}};
        return true;
    }
    if (is_name_begin(text_[at_])) return name(value);
    return fail(fmt::format("'{}' is no value", text_[at_]));
}

// [expression]; where `last` is given also [expression:expression], else with one value for both.
bool Reader::index(std::uint64_t& value, std::uint64_t* last) {
    Value inside;
    if (!take('[')) return fail("a [ is missing");
    if (!expression(inside)) return false;
    value = inside.value;
    if (last != nullptr && take(':') && !expression(inside)) return false;
    if (last != nullptr) *last = inside.value;
    return take(']') || fail("a ] is missing");
}

// Registers that follow each other, the first the lowest bits.
bool Reader::joined(Index file, std::uint64_t first, std::uint64_t last, Value& value) {
    const RegisterFile& registers = machine_.isa().register_files[file];
    if (last < first || (last - first + 1) * registers.bits > 64 || registers.lanes > 1)
        return fail(fmt::format("{}[{}:{}] is no number of 64 bits", registers.name, first, last));
    value = {};
    value.bits = static_cast<unsigned>(last - first + 1) * registers.bits;
    for (std::uint64_t number = last + 1; number-- > first;)
        value.value = value.value << registers.bits | machine_.get(file, number);
    return true;
}

// data[address], data.u16[address]: behind the memory's name.
bool Reader::memory_cell(Index memory, Value& value) {
    const MemorySpace& space = machine_.isa().memories[memory];
    value.target = {Target::Kind::memory, memory, 0, 0, false, space.unit_bits};
    if (!index(value.target.number)) return false;
    value.bits = value.target.bits;
    return true;
}

// A lane of a register with several.
bool Reader::register_lane(Value& value) {
    const RegisterFile& file = machine_.isa().register_files[value.target.object];
    std::uint64_t lane = 0;
    if (!index(lane)) return false;
    if (lane >= file.lanes) return fail(fmt::format("there is no lane {}: it has {}", lane, file.lanes));
    value.target.lane = static_cast<unsigned>(lane);
    value.target.one_lane = true;
    return true;
}

bool Reader::name(Value& value) {
    std::string_view word = this->word();
    const Isa& isa = machine_.isa();
    skip_blanks();
    const bool indexed = at_ < text_.size() && text_[at_] == '[';
    value = {};
    Target& target = value.target;
    if (find_register(machine_, word, target.object, target.number)) {
        target.kind = Target::Kind::register_;
        value.bits = target.bits = isa.register_files[target.object].bits;
        if (indexed && isa.register_files[target.object].lanes > 1 && !register_lane(value)) return false;
    } else if (word == "pc" || word == "$pc") {
        target.kind = Target::Kind::pc;
    } else if (const NamedAddress* symbol = find_symbol(map_, word)) {
        value = {symbol->value, 64, {}};
        return true;
    } else if (indexed) {
        for (Index i = 0; i < isa.register_files.size(); ++i) {  // r[3]
            if (isa.register_files[i].name != word) continue;
            std::uint64_t last = 0;
            if (!index(target.number, &last)) return false;
            if (std::max(target.number, last) >= isa.register_files[i].count)
                return fail(fmt::format("there is no {}[{}]", word, std::max(target.number, last)));
            if (last != target.number) return joined(i, target.number, last, value);
            target = {Target::Kind::register_, i, target.number, 0, false, isa.register_files[i].bits};
            value.bits = target.bits;
            return evaluator_.read(target, value.value, error);
        }
        unsigned bits = 0;
        const std::size_t dot = word.rfind('.');
        if (dot != std::string_view::npos && word.substr(dot).starts_with(".u")) {
            bits = static_cast<unsigned>(parse_number(word.substr(dot + 2)).value_or(0));
            if (bits != 8 && bits != 16 && bits != 32 && bits != 64)
                return fail("memory is read as u8, u16, u32 or u64");
            word = word.substr(0, dot);
        }
        const Index memory = machine_.find_memory(word);
        if (memory == no_index) return fail(fmt::format("there is no memory '{}'", word));
        if (!memory_cell(memory, value)) return false;
        if (bits != 0) value.bits = target.bits = bits;
    } else if (machine_.find_memory(word) != no_index) {
        return fail(fmt::format("'{0}' is a memory: a place in it is {0}.u32[ADDRESS]", word));
    } else {
        const std::string_view meant = nearest_name(word, machine_, map_);
        return fail(meant.empty()
                        ? fmt::format("there is no register and no symbol '{}'", word)
                        : fmt::format("there is no register and no symbol '{}'; did you mean '{}'?", word, meant));
    }
    return evaluator_.read(target, value.value, error);
}

}  // namespace

bool find_register(const Machine& machine, std::string_view name, Index& file, std::uint64_t& number) {
    if (machine.find_register(name, file, number)) return true;
    if (name.starts_with('$')) return machine.find_register(name.substr(1), file, number);
    return machine.find_register("$" + std::string(name), file, number);
}

const NamedAddress* find_symbol(const ProgramMap& map, std::string_view name) {
    const NamedAddress* found = map.find(name);
    const bool marked = name.size() > 1 && (name[0] == '.' || name[0] == '@');
    return found == nullptr && marked ? map.find(name.substr(1)) : found;
}

std::optional<std::uint64_t> parse_number(std::string_view text) {
    int base = 10;
    if (text.size() > 2 && text[0] == '0') {
        const char kind = static_cast<char>(text[1] | 0x20);
        base = kind == 'x' ? 16 : kind == 'b' ? 2 : kind == 'o' ? 8 : 10;
        if (base != 10) text.remove_prefix(2);
    }
    std::string digits;
    for (char c : text) {
        if (c != '_') digits += c;
    }
    std::uint64_t value = 0;
    const auto [end, failure] = std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
    if (digits.empty() || failure != std::errc{} || end != digits.data() + digits.size()) return std::nullopt;
    return value;
}

std::string_view nearest_name(std::string_view word, const Machine& machine, const ProgramMap& map) {
    static thread_local std::deque<std::string> kept;  // what the view refers to
    kept.clear();
    std::vector<std::string_view> names;
    const Isa& isa = machine.isa();
    for (const RegisterFile& file : isa.register_files) {
        if (file.index_bits == 0) names.emplace_back(file.name);
        for (const Entry& entry : file.entries) {
            for (const std::string& text : entry.texts) names.emplace_back(text);
        }
    }
    for (const auto& [name, symbol] : map.symbols()) names.push_back(name);
    for (const MemorySpace& space : isa.memories) names.emplace_back(space.name);
    const std::string_view found = nearest(word, names);
    if (found.empty()) return {};
    kept.emplace_back(found);
    return kept.back();
}

bool read_bytes(const Machine& machine, Index memory, std::uint64_t address, std::span<std::uint8_t> to) {
    return machine.peek(memory, address, to);
}

bool write_bytes(Machine& machine, Index memory, std::uint64_t address, std::span<const std::uint8_t> from) {
    return machine.load_data(memory, address, from);
}

namespace {

std::string no_memory_at(const Machine& machine, const Target& target) {
    return fmt::format("{} has no {} bits at {:#x}", machine.isa().memories[target.object].name, target.bits,
                       target.number);
}

}  // namespace

bool Evaluator::read(const Target& target, std::uint64_t& value, std::string& error) const {
    switch (target.kind) {
        case Target::Kind::none: return false;
        case Target::Kind::pc: value = machine_.pc(); return true;
        case Target::Kind::register_: value = machine_.get(target.object, target.number, target.lane); return true;
        case Target::Kind::memory: break;
    }
    std::uint8_t bytes[8] = {};
    const unsigned size = target.bits / 8;
    if (size > 8 || !read_bytes(machine_, target.object, target.number, {bytes, size})) {
        error = no_memory_at(machine_, target);
        return false;
    }
    value = 0;
    const bool big = machine_.isa().memories[target.object].big_endian;
    for (unsigned i = 0; i < size; ++i) value |= std::uint64_t{bytes[big ? size - 1 - i : i]} << 8 * i;
    return true;
}

bool Evaluator::write(const Target& target, std::uint64_t value, std::string& error) const {
    switch (target.kind) {
        case Target::Kind::none: error = "this is no place that could be assigned"; return false;
        case Target::Kind::pc: machine_.set_pc(value); return true;
        case Target::Kind::register_: machine_.set(target.object, target.number, value, target.lane); return true;
        case Target::Kind::memory: break;
    }
    std::uint8_t bytes[8] = {};
    const unsigned size = target.bits / 8;
    const bool big = machine_.isa().memories[target.object].big_endian;
    for (unsigned i = 0; i < size && i < 8; ++i)
        bytes[big ? size - 1 - i : i] = static_cast<std::uint8_t>(value >> 8 * i);
    if (size <= 8 && write_bytes(machine_, target.object, target.number, {bytes, size})) return true;
    error = no_memory_at(machine_, target);
    return false;
}

std::optional<Value> Evaluator::take(std::string_view& text, std::string& error) const {
    Reader reader(text, machine_, map_, *this);
    Value value;
    if (!reader.expression(value)) {
        error = reader.error;
        return std::nullopt;
    }
    reader.skip_blanks();
    text = reader.rest();
    return value;
}

std::optional<Value> Evaluator::evaluate(std::string_view text, std::string& error) const {
    std::optional<Value> value = take(text, error);
    if (value && !text.empty()) {
        error = fmt::format("'{}' is too much here", text);
        return std::nullopt;
    }
    return value;
}

}  // namespace isaforge::debugger
