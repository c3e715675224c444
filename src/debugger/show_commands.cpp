// The commands that show and change the machine's state, the program and its source.
#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "debugger/debugger.hpp"
#include "debugger/words.hpp"
#include "support/half.hpp"

namespace isaforge::debugger {

namespace {

constexpr std::uint64_t default_memory_bytes = 64;
constexpr std::uint64_t most_memory_bytes = 1 << 16;
constexpr std::uint64_t default_instructions = 11;
constexpr std::uint64_t most_items = 1 << 12;
constexpr std::int64_t lines_around = 5;

std::int64_t sign_extended(std::uint64_t value, unsigned bits) {
    if (bits == 0 || bits >= 64) return static_cast<std::int64_t>(value);
    return static_cast<std::int64_t>(value << (64 - bits)) >> (64 - bits);
}

std::string float_text(std::uint64_t value, unsigned bits) {
    if (bits == 64) return fmt::format("{}", std::bit_cast<double>(value));
    if (bits == 16) return fmt::format("{}", double_from_half(static_cast<std::uint16_t>(value)));
    return fmt::format("{}", std::bit_cast<float>(static_cast<std::uint32_t>(value)));
}

std::string formatted(std::uint64_t value, unsigned bits, char format) {
    const std::uint64_t cut = bits >= 64 ? value : value & low_bits(bits);
    switch (format) {
        case 'd': return fmt::format("{}", sign_extended(value, bits));
        case 'u': return fmt::format("{}", cut);
        case 't': return fmt::format("{:0{}b}", cut, bits);
        case 'f': return float_text(cut, bits);
        case 'c':
            return cut >= 0x20 && cut < 0x7f ? fmt::format("'{}'", static_cast<char>(cut)) : fmt::format("{:#x}", cut);
        default: return fmt::format("0x{:0{}x}", cut, (bits + 3) / 4);
    }
}

}  // namespace

// ---------------------------------------------------------------------------------------------------------------------
// State

void Debugger::info(std::string_view arguments) {
    const std::string_view what = take_word(arguments);
    auto means = [&](std::string_view name) { return !what.empty() && name.starts_with(what); };
    if (means("breakpoints") || means("watchpoints")) {
        if (control_.points().empty()) out_ += "no breakpoints\n";
        for (const Point& point : control_.points()) out_ += describe(point) + "\n";
    } else if (means("registers")) {
        registers(arguments);
    } else if (means("symbols")) {
        symbols(arguments);
    } else if (means("pending")) {
        const std::vector<PendingResult> pending = machine().pending();
        if (pending.empty()) out_ += "no late results are under way\n";
        for (const PendingResult& each : pending) {
            out_ += fmt::format("{} = {:#x} in {} instruction{}, from {}\n", each.target, each.value, each.instructions,
                                each.instructions == 1 ? "" : "s", address_text(each.origin));
        }
    } else if (means("program")) {
        out_ += fmt::format("{}, {} instructions executed\n", machine().isa().variant, execution_.executed());
        for (const auto& [begin, end] : map_.code()) out_ += fmt::format("code {:#x} to {:#x}\n", begin, end - 1);
        for (const std::string& line : machine().memory_map()) out_ += line + "\n";
        for (const auto& [name, count] : machine().signals()) out_ += fmt::format("signal {}: {}\n", name, count);
    } else {
        fail("info shows breakpoints, registers, symbols, pending or program");
    }
}

namespace {

// A bit for each lane, the first one first.
std::string mask_picture(std::uint64_t mask, unsigned lanes) {
    std::string text;
    for (unsigned lane = 0; lane < lanes; ++lane) text += (mask >> lane & 1) != 0 ? '#' : '.';
    return text;
}

// Whether a register has a bit for each lane of the vectors of its machine, which are many.
bool is_like_mask(const RegisterFile& file, const Isa& isa) {
    constexpr unsigned many = 16;
    return file.lanes == 1 && file.bits >= many &&
           std::any_of(isa.register_files.begin(), isa.register_files.end(),
                       [&](const RegisterFile& each) { return each.lanes == file.bits; });
}

}  // namespace

std::string Debugger::register_text(Index file_index, std::uint64_t number) const {
    const RegisterFile& file = machine().isa().register_files[file_index];
    std::string text = fmt::format("{:8} ", machine().register_name(file_index, number));
    const std::vector<std::uint64_t> lanes = register_lanes(machine(), file_index, number);
    text += lanes_text(lanes, file.bits);
    if (is_like_mask(file, machine().isa())) return text + "  " + mask_picture(lanes[0], file.bits) + "\n";
    if (file.lanes == 1 && file.bits > 1) {
        const std::uint64_t value = machine().get(file_index, number);
        text += fmt::format("  {}", value);
        if (value >> (file.bits - 1) != 0) text += fmt::format("  {}", sign_extended(value, file.bits));
        for (const BitField& field : file.fields) {
            if (field.belongs_to(number))
                text += fmt::format("  {}={}", field.name, value >> field.low & low_bits(field.width));
        }
    }
    return text + "\n";
}

void Debugger::registers(std::string_view arguments) {
    if (trimmed(arguments).empty()) {
        out_ += register_dump(machine());
        return;
    }
    while (!trimmed(arguments).empty()) {
        std::string_view name = take_word(arguments);
        Index file = no_index;
        std::uint64_t number = 0;
        if (find_register(machine(), name, file, number)) {
            out_ += register_text(file, number);
            continue;
        }
        if (name == "pc") {
            out_ += fmt::format("{:8} {:x}\n", "pc", machine().pc());
            continue;
        }
        const std::vector<RegisterFile>& files = machine().isa().register_files;
        const auto meant =
            std::find_if(files.begin(), files.end(), [&](const auto& each) { return each.name == name; });
        if (meant == files.end()) {
            const std::string_view near = nearest_name(name, machine(), map_);
            return fail(near.empty() ? fmt::format("there is no register '{}'", name)
                                     : fmt::format("there is no register '{}'; did you mean '{}'?", name, near));
        }
        for (std::uint64_t i = 0; i < meant->count; ++i) {
            out_ += register_text(static_cast<Index>(meant - files.begin()), i);
        }
    }
}

namespace {

// 1.5, -2.0e3: the bits of a float of that size; nothing where the text is not written as one.
std::optional<std::uint64_t> float_bits(std::string_view text, unsigned bits) {
    const bool is_float =
        text.find('.') != std::string_view::npos && text.find_first_not_of("0123456789.+-e") == std::string_view::npos;
    if (!is_float || (bits != 32 && bits != 64)) return std::nullopt;
    const std::string kept(text);
    char* end = nullptr;
    const double value = std::strtod(kept.c_str(), &end);
    if (end != kept.c_str() + kept.size()) return std::nullopt;
    if (bits == 64) return std::bit_cast<std::uint64_t>(value);
    return std::bit_cast<std::uint32_t>(static_cast<float>(value));
}

}  // namespace

// set [var] WHAT = VALUE
void Debugger::assign(std::string_view arguments) {
    for (std::string_view word : {"var ", "register "}) {
        if (arguments.starts_with(word)) arguments = trimmed(arguments.substr(word.size()));
    }
    std::string error;
    const std::optional<Value> place = evaluator().take(arguments, error);
    if (!place) return fail(error);
    if (!arguments.starts_with('=')) return fail("set WHAT = VALUE: a = is missing");
    const Target& target = place->target;
    if (target.kind == Target::Kind::none) return fail("only a register, pc or memory can be set");
    const std::string_view text = trimmed(arguments.substr(1));
    std::optional<std::uint64_t> value = float_bits(text, target.bits);
    if (!value) value = number(text);
    if (!value) return;
    const bool all_lanes = target.kind == Target::Kind::register_ && !target.one_lane;
    const unsigned lanes = all_lanes ? machine().isa().register_files[target.object].lanes : 1;
    const Change change = [&map = map_, target, all_lanes, lanes, bits = *value](Machine& to) {
        std::string problem;
        for (unsigned lane = 0; lane < lanes; ++lane) {
            Target one = target;
            if (all_lanes) one.lane = lane;
            if (!Evaluator(to, map).write(one, bits, problem)) return false;
        }
        return true;
    };
    if (!execution_.change(change) && !evaluator().write(target, *value, error)) return fail(error);
    if (target.kind == Target::Kind::pc) out_ += where();
}

void Debugger::print(std::string_view arguments) {
    char format = '\0';
    if (!take_format(arguments, "xdutfc", format)) return fail("print formats with /x, /d, /u, /t, /f or /c");
    if (arguments.empty()) return fail("say what to print");
    std::string error;
    const std::optional<Value> value = evaluator().evaluate(arguments, error);
    if (!value) return fail(error);
    const Target& target = value->target;
    const bool has_lanes = target.kind == Target::Kind::register_ && !target.one_lane &&
                           machine().isa().register_files[target.object].lanes > 1;
    if (has_lanes) {
        std::string text;
        for (const std::uint64_t part : register_lanes(machine(), target.object, target.number))
            text += (text.empty() ? "" : " ") + formatted(part, value->bits, format == '\0' ? 'x' : format);
        out_ += text + '\n';
        return;
    }
    if (format != '\0') {
        out_ += formatted(value->value, value->bits, format) + "\n";
        return;
    }
    out_ += fmt::format("{}  {:#x}", value->value, value->value);
    const std::int64_t with_sign = sign_extended(value->value, value->bits);
    if (with_sign < 0 && value->bits > 1) out_ += fmt::format("  {}", with_sign);
    const std::string place = map_.place(value->value);
    if (target.kind == Target::Kind::pc && !place.empty()) out_ += fmt::format("  <{}>", place);
    out_ += '\n';
}

// memory [NAME] ADDRESS [LENGTH]
void Debugger::memory(std::string_view arguments) {
    std::string_view rest = arguments;
    Index space = machine().isa().memories.empty() ? no_index : 0;
    const Index named = machine().find_memory(take_word(rest));
    if (named != no_index) {
        space = named;
        arguments = rest;
    }
    if (space == no_index) return fail("this machine has no memory");
    std::uint64_t length = default_memory_bytes;
    if (!arguments.empty()) {
        std::string error;
        const std::optional<Value> address = evaluator().take(arguments, error);
        if (!address) return fail(error);
        examined_ = address->value;
        if (arguments.starts_with(':') || arguments.starts_with(',')) arguments.remove_prefix(1);
        if (!arguments.empty()) {
            const std::optional<std::uint64_t> given = number(arguments);
            if (!given) return;
            length = std::min(*given, most_memory_bytes);
        }
    }
    const std::string text = memory_dump(machine(), space, examined_, length);
    if (text.empty())
        return fail(fmt::format("{} has nothing at {:#x}", machine().isa().memories[space].name, examined_));
    out_ += text;
    examined_ += length / machine().isa().memories[space].unit_bytes();
}

// x/NFU ADDRESS, in the first memory
void Debugger::examine(std::string_view arguments) {
    std::uint64_t count = 1;
    if (arguments.starts_with('/')) {
        std::string_view how = take_word(arguments).substr(1);
        const std::size_t digits = std::min(how.find_first_not_of("0123456789"), how.size());
        if (digits != 0) count = parse_number(how.substr(0, digits)).value_or(1);
        for (char c : how.substr(digits)) {
            if (std::string_view("xdutfci").find(c) != std::string_view::npos) {
                examine_format_[0] = c;
            } else if (std::string_view("bhwg").find(c) != std::string_view::npos) {
                examine_format_[1] = c;
            } else {
                return fail(fmt::format("x has no format '{}': x d u t f c i, and units b h w g", c));
            }
        }
    }
    if (!arguments.empty()) {
        const std::optional<std::uint64_t> address = location(arguments);
        if (!address) return;
        examined_ = address.value();
    }
    count = std::min(count, most_items);
    if (examine_format_[0] == 'i') {
        show_instructions(examined_, count);
        for (std::uint64_t i = 0; i < count; ++i) examined_ += control_.length_at(examined_);
        return;
    }
    if (machine().isa().memories.empty()) return fail("this machine has no memory");
    const unsigned bits = examine_format_[1] == 'b'   ? 8
                          : examine_format_[1] == 'h' ? 16
                          : examine_format_[1] == 'w' ? 32
                                                      : 64;
    const unsigned unit = machine().isa().memories[0].unit_bytes();
    const std::uint64_t per_line = examine_format_[0] == 't' ? 1 : 128 / bits;
    for (std::uint64_t i = 0; i < count; ++i) {
        std::uint64_t value = 0;
        std::string error;
        if (!evaluator().read({Target::Kind::memory, 0, examined_, 0, false, bits}, value, error)) {
            if (i % per_line != 0) out_ += '\n';
            return fail(error);
        }
        if (i % per_line == 0) out_ += fmt::format("{}{:#010x}:", i == 0 ? "" : "\n", examined_);
        out_ += " " + formatted(value, bits, examine_format_[0]);
        examined_ += std::max(1u, bits / 8 / unit);
    }
    if (count != 0) out_ += '\n';
}

// hart [N]
void Debugger::choose_hart(std::string_view arguments) {
    if (arguments.empty()) {
        for (unsigned hart = 0; hart < execution_.harts(); ++hart) {
            const Machine& each = execution_.machine(hart);
            out_ += fmt::format("{} {}  {:24}  {}\n", hart == execution_.hart() ? "=>" : "  ",
                                execution_.hart_text(hart), address_text(each.pc()), executed_text(each));
        }
        return;
    }
    for (unsigned hart = 0; hart < execution_.harts(); ++hart) {
        if (!control_.is_hart(hart, arguments) || !execution_.choose(hart)) continue;
        out_ += where();
        return;
    }
    fail(fmt::format("there is no hart '{}': this machine has {}", arguments, execution_.harts()));
}

namespace {

// A column of the table of lanes: a register of lanes, or one whose bits are lanes.
struct LaneColumn {
    std::string name;
    std::vector<std::string> cells;
};

LaneColumn lane_column(const Machine& machine, Index index, std::uint64_t number, char format) {
    const RegisterFile& file = machine.isa().register_files[index];
    LaneColumn column{machine.register_name(index, number), {}};
    if (file.lanes == 1) {
        for (const char bit : mask_picture(machine.get(index, number), file.bits)) column.cells.emplace_back(1, bit);
    } else {
        for (const std::uint64_t lane : register_lanes(machine, index, number))
            column.cells.push_back(formatted(lane, file.bits, format));
    }
    return column;
}

// With a line for each lane, as wide as it has to be.
std::string lane_table(const std::vector<LaneColumn>& columns) {
    std::size_t lanes = 0;
    for (const LaneColumn& column : columns) lanes = std::max(lanes, column.cells.size());
    std::vector<std::string> lines = {"lane"};
    for (std::size_t lane = 0; lane < lanes; ++lane) lines.push_back(fmt::format("{:>4}", lane));
    for (const LaneColumn& column : columns) {
        std::size_t width = column.name.size();
        for (const std::string& cell : column.cells) width = std::max(width, cell.size());
        lines[0] += fmt::format("  {:{}}", column.name, width);
        for (std::size_t lane = 0; lane < lanes; ++lane)
            lines[lane + 1] += fmt::format("  {:{}}", lane < column.cells.size() ? column.cells[lane] : "", width);
    }
    std::string text;
    for (const std::string& line : lines) text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
    return text;
}

}  // namespace

// lanes [/F] REGISTER …
void Debugger::lanes(std::string_view arguments) {
    char format = 'x';
    if (!take_format(arguments, "xdutf", format)) return fail("lanes are shown with /x, /d, /u, /t or /f");
    if (arguments.empty()) return fail("say which registers: lanes exec v0 v1");
    std::vector<LaneColumn> columns;
    while (!arguments.empty()) {
        const std::string_view name = take_word(arguments);
        Index file = no_index;
        std::uint64_t number = 0;
        if (!find_register(machine(), name, file, number)) return fail(fmt::format("there is no register '{}'", name));
        columns.push_back(lane_column(machine(), file, number, format));
    }
    out_ += lane_table(columns);
}

void Debugger::symbols(std::string_view arguments) {
    for (const auto& [name, symbol] : map_.symbols()) {
        if (name.find(arguments) == std::string_view::npos) continue;
        out_ += fmt::format("{:#010x}  {:4}  {}\n", symbol.value, symbol.code ? "code" : "", name);
    }
}

// ---------------------------------------------------------------------------------------------------------------------
// Program

void Debugger::show_instructions(std::uint64_t address, std::uint64_t count) {
    for (std::uint64_t i = 0; i < count && machine().has_code(address); ++i) {
        const bool inside = std::any_of(map_.code().begin(), map_.code().end(), [&](const auto& stretch) {
            return stretch.first <= address && address < stretch.second;
        });
        if (i != 0 && !inside && !map_.code().empty()) break;  // beyond the program's end
        const NamedAddress* label = map_.label_before(address);
        if (label != nullptr && label->value == address) out_ += fmt::format("{}:\n", label->name);
        const bool breaks = std::ranges::any_of(control_.points(), [&](const Point& point) {
            return !point.is_watch && point.enabled && point.address == address;
        });
        std::string line = fmt::format("{}{} {:#06x}  {:40} {}", address == machine().pc() ? "=>" : "  ",
                                       breaks ? '*' : ' ', address, instruction_text(address), map_.line_text(address));
        line.resize(line.find_last_not_of(' ') + 1);
        out_ += line + "\n";
        address += control_.length_at(address);
    }
    shown_code_ = address;
}

// disassemble [LOCATION] [N]
void Debugger::disassemble(std::string_view arguments) {
    constexpr unsigned before = 4;
    std::uint64_t count = default_instructions, address = shown_code_;
    if (arguments.empty()) {
        if (!showed_code_) address = control_.begin_before(machine().pc(), before);
    } else if (source_place(arguments)) {
        const std::optional<std::uint64_t> place = location(arguments);
        if (!place) return;
        address = *place;
    } else {
        std::string error;
        if (arguments.starts_with('*')) arguments.remove_prefix(1);
        const std::optional<Value> place = evaluator().take(arguments, error);
        if (!place) return fail(error);
        address = place->value;
        if (arguments.starts_with(',')) arguments.remove_prefix(1);
        if (!arguments.empty()) {
            const std::optional<std::uint64_t> given = number(arguments);
            if (!given) return;
            count = std::min(*given, most_items);
        }
    }
    if (!machine().has_code(address)) return fail(fmt::format("there is no code at {:#x}", address));
    showed_code_ = true;
    show_instructions(address, count);
}

// The lines of a source file; null where it cannot be read.
const std::vector<std::string>* Debugger::source(std::string_view file) {
    const auto known = sources_.find(file);
    if (known != sources_.end()) return known->second.empty() ? nullptr : &known->second;
    std::vector<std::string>& lines = sources_[std::string(file)];
    const std::optional<std::string> text =
        surroundings_.read_source ? surroundings_.read_source(std::string(file)) : std::nullopt;
    if (!text) return nullptr;
    for (std::size_t at = 0; at < text->size();) {
        const std::size_t end = std::min(text->find('\n', at), text->size());
        lines.push_back(text->substr(at, end - at));
        if (lines.back().ends_with('\r')) lines.back().pop_back();
        at = end + 1;
    }
    return lines.empty() ? nullptr : &lines;
}

void Debugger::list(std::string_view arguments) {
    const std::optional<SourceLine> here = map_.line_of(machine().pc());
    std::string file = here ? std::string(here->file) : listed_file_;
    std::int64_t first = listed_to_ + 1;
    if (!arguments.empty()) {
        if (const auto place = source_place(arguments)) {
            file = place->first;
            first = std::int64_t{place->second} - lines_around;
        } else {
            const std::optional<std::uint64_t> address = location(arguments);
            if (!address) return;
            const std::optional<SourceLine> line = map_.line_of(*address);
            if (!line) return fail(fmt::format("it is not known which line {:#x} comes from", *address));
            file = line->file;
            first = std::int64_t{line->line} - lines_around;
        }
    } else if (listed_to_ == 0) {
        if (!here) return fail("it is not known which line pc comes from");
        first = std::int64_t{here->line} - lines_around;
    } else {
        file = listed_file_;
    }
    const std::vector<std::string>* lines = source(file);
    if (lines == nullptr) return fail(fmt::format("the source '{}' cannot be read", file));
    const auto last = static_cast<std::int64_t>(lines->size());
    first = std::max<std::int64_t>(1, first);
    if (first > last) return fail(fmt::format("{} has {} lines", file, last));
    listed_file_ = file;
    listed_to_ = std::min(last, first + 2 * lines_around);
    for (std::int64_t number = first; number <= listed_to_; ++number) {
        const bool current = here && here->file == file && std::int64_t{here->line} == number;
        out_ += fmt::format("{} {:>5}  {}\n", current ? "=>" : "  ", number,
                            (*lines)[static_cast<std::size_t>(number) - 1]);
    }
}

}  // namespace isaforge::debugger
