#include "cli/kernel_arguments.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>

#include "cli/session.hpp"
#include "cli/terminal.hpp"
#include "isaforge/limits.hpp"
#include "support/half.hpp"

namespace isaforge::cli {

const char* const kernel_argument_kinds =
    "i8 i16 i32 i64 u8 u16 u32 u64 f16 f32 f64 with a number behind a colon, or several parted by commas; a bare "
    "number; "
    "bytes:HEX; in:FILE, out:BYTES:FILE, inout:FILE:FILE, zero:BYTES; lds:BYTES";

namespace {

// One `--arg`.
struct Given {
    std::string kind;   // "i32", "in"; empty for a bare number
    std::string rest;   // behind the colon
};

Given split(const std::string& text) {
    const std::size_t colon = text.find(':');
    return colon == std::string::npos ? Given{{}, text} : Given{text.substr(0, colon), text.substr(colon + 1)};
}

// "out:BYTES:FILE", "inout:FILE:FILE": behind the last colon stands a file. The one before it may have colons of its own.
bool split_file(const std::string& rest, std::string& first, std::string& file, bool at_first) {
    const std::size_t colon = at_first ? rest.find(':') : rest.rfind(':');
    if (colon == std::string::npos) return false;
    first = rest.substr(0, colon);
    file = rest.substr(colon + 1);
    return !first.empty() && !file.empty();
}

struct NumberKind {
    std::string_view name;
    unsigned bytes;
    char letter;
};
constexpr NumberKind number_kinds[] = {{"i8", 1, 'i'},  {"i16", 2, 'i'}, {"i32", 4, 'i'}, {"i64", 8, 'i'},
                                       {"u8", 1, 'u'},  {"u16", 2, 'u'}, {"u32", 4, 'u'}, {"u64", 8, 'u'},
                                       {"f16", 2, 'f'}, {"f32", 4, 'f'}, {"f64", 8, 'f'}};

const NumberKind* number_kind(std::string_view name) {
    const auto* const found = std::ranges::find(number_kinds, name, &NumberKind::name);
    return found == std::end(number_kinds) ? nullptr : found;
}

void append(std::vector<std::uint8_t>& bytes, std::uint64_t value, unsigned count) {
    for (unsigned i = 0; i < count; ++i) bytes.push_back(static_cast<std::uint8_t>(value >> 8 * i));
}

bool append_float(std::vector<std::uint8_t>& bytes, const std::string& text, unsigned count) {
    char* end = nullptr;
    const double value = std::strtod(text.c_str(), &end);
    if (text.empty() || *end != '\0') return false;
    if (count == 8) append(bytes, std::bit_cast<std::uint64_t>(value), 8);
    if (count == 4) append(bytes, std::bit_cast<std::uint32_t>(std::strtof(text.c_str(), nullptr)), 4);
    if (count == 2) append(bytes, half_from_double(value), 2);
    return true;
}

// Decimal or 0x…, with a sign; K, M and G as everywhere.
bool append_integer(std::vector<std::uint8_t>& bytes, std::string text, const NumberKind& kind) {
    const bool negative = text.starts_with('-');
    if (negative) text.erase(0, 1);
    const std::optional<std::uint64_t> size = parse_size(text);
    if (!size) return false;
    const std::uint64_t all = kind.bytes == 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << 8 * kind.bytes) - 1;
    // A bit pattern is taken for a signed number too.
    if (negative ? kind.letter == 'u' || *size > all / 2 + 1 : *size > all) return false;
    append(bytes, negative ? 0 - *size : *size, kind.bytes);
    return true;
}

bool append_numbers(std::vector<std::uint8_t>& bytes, const std::string& list, const NumberKind& kind) {
    for (std::size_t at = 0; at <= list.size();) {
        const std::size_t end = std::min(list.find(',', at), list.size());
        const std::string one = list.substr(at, end - at);
        if (!(kind.letter == 'f' ? append_float(bytes, one, kind.bytes) : append_integer(bytes, one, kind)))
            return false;
        at = end + 1;
    }
    return true;
}

bool append_hex(std::vector<std::uint8_t>& bytes, std::string_view text) {
    if (text.size() % 2 != 0) return false;
    for (std::size_t i = 0; i < text.size(); i += 2) {
        std::uint8_t byte = 0;
        const auto [end, problem] = std::from_chars(text.data() + i, text.data() + i + 2, byte, 16);
        if (problem != std::errc{} || end != text.data() + i + 2) return false;
        bytes.push_back(byte);
    }
    return true;
}

// What a bare number is, by the type's name: "float4" has elements of 4 bytes.
std::optional<NumberKind> bare_kind(const KernelArgument& argument) {
    const std::string_view type = argument.type_name;
    const auto is = [&](std::string_view name) {
        return type.starts_with(name) && type.find_first_not_of("0123456789", name.size()) == std::string_view::npos;
    };
    if (is("half")) return NumberKind{"f16", 2, 'f'};
    if (is("float")) return NumberKind{"f32", 4, 'f'};
    if (is("double")) return NumberKind{"f64", 8, 'f'};
    if (is("char") || is("uchar")) return NumberKind{"i8", 1, 'i'};
    if (is("short") || is("ushort")) return NumberKind{"i16", 2, 'i'};
    if (is("int") || is("uint")) return NumberKind{"i32", 4, 'i'};
    if (is("long") || is("ulong")) return NumberKind{"i64", 8, 'i'};
    switch (argument.size) {
        case 1: return NumberKind{"i8", 1, 'i'};
        case 2: return NumberKind{"i16", 2, 'i'};
        case 4: return NumberKind{"i32", 4, 'i'};
        case 8: return NumberKind{"i64", 8, 'i'};
        default: return std::nullopt;
    }
}

bool is_buffer_kind(std::string_view kind) {
    return kind == "in" || kind == "out" || kind == "inout" || kind == "zero";
}
bool is_pointer(const KernelArgument& argument) {
    return argument.value_kind == "global_buffer" || argument.value_kind == "dynamic_shared_pointer" ||
           argument.value_kind == "queue" || argument.value_kind == "pipe";
}

std::string article_of(const KernelArgument& argument) {
    if (argument.value_kind == "global_buffer")
        return "a buffer: in:FILE, out:BYTES:FILE, inout:FILE:FILE or zero:BYTES";
    if (argument.value_kind == "dynamic_shared_pointer") return "memory of the group's: lds:BYTES";
    if (argument.value_kind == "by_value")
        return fmt::format("a value of {} byte{}{}", argument.size, argument.size == 1 ? "" : "s",
                           argument.type_name.empty() ? "" : " (" + argument.type_name + ")");
    return fmt::format("{}, which cannot be given here", argument.value_kind);
}

class ArgumentReader {
public:
    ArgumentReader(const KernelInfo& kernel, const std::vector<std::string>& texts) : kernel_(kernel), texts_(texts) {}

    std::optional<KernelArguments> read();

private:
    bool fail(const std::string& why) const {
        const std::string name = argument_ != nullptr ? name_of() : std::string{};
        const bool has_name = argument_ != nullptr && !argument_->name.empty();
        complain(fmt::format("argument {}{} of `{}`: {}", number_ + 1, has_name ? " `" + name + "`" : "", kernel_.name,
                             why));
        return false;
    }
    std::string name_of() const {
        return argument_ != nullptr && !argument_->name.empty() ? argument_->name
                                                                : fmt::format("argument {}", number_ + 1);
    }
    bool has_right_count();
    bool read_one(const std::string& text);
    bool read_value(const Given& given, std::vector<std::uint8_t>& bytes);
    bool read_buffer(const Given& given);
    bool read_share(const Given& given);
    void put(std::span<const std::uint8_t> bytes, std::uint64_t alignment);

    const KernelInfo& kernel_;
    const std::vector<std::string>& texts_;
    std::size_t number_ = 0;
    const KernelArgument* argument_ = nullptr;   // null: there are no metadata
    KernelArguments made_;
};

bool ArgumentReader::has_right_count() {
    if (!kernel_.has_metadata) return true;
    const auto wanted = static_cast<std::size_t>(
        std::ranges::count_if(kernel_.arguments, [](const KernelArgument& each) { return !each.is_hidden(); }));
    if (wanted == texts_.size()) return true;
    complain(fmt::format("kernel `{}` takes {} argument{}, and {} {} given", kernel_.name, wanted,
                         wanted == 1 ? "" : "s", texts_.size(), texts_.size() == 1 ? "is" : "are"));
    tell(description(kernel_));
    return false;
}

// Where the metadata say, else behind what is there.
void ArgumentReader::put(std::span<const std::uint8_t> bytes, std::uint64_t alignment) {
    const std::uint64_t place =
        argument_ != nullptr ? argument_->offset : (made_.block.size() + alignment - 1) / alignment * alignment;
    if (made_.block.size() < place + bytes.size()) made_.block.resize(place + bytes.size());
    std::ranges::copy(bytes, made_.block.begin() + static_cast<std::ptrdiff_t>(place));
}

bool ArgumentReader::read_value(const Given& given, std::vector<std::uint8_t>& bytes) {
    if (given.kind == "bytes")
        return append_hex(bytes, given.rest) || fail(fmt::format("'{}' are no bytes in hexadecimal", given.rest));
    std::optional<NumberKind> kind;
    if (const NumberKind* const known = number_kind(given.kind)) kind = *known;
    if (given.kind.empty()) {
        if (argument_ == nullptr)
            return fail("the object does not tell of its type: write it before the number, as in i32:7");
        kind = bare_kind(*argument_);
        if (!kind)
            return fail(
                fmt::format("it has {} bytes: write the type before the number, or bytes:HEX", argument_->size));
    }
    if (!kind) return fail(fmt::format("there is no kind '{}' of arguments: {}", given.kind, kernel_argument_kinds));
    return append_numbers(bytes, given.rest, *kind) ||
           fail(fmt::format("'{}' is not {} of {} bits", given.rest, kind->letter == 'f' ? "a float" : "an integer",
                            8 * kind->bytes));
}

bool ArgumentReader::read_buffer(const Given& given) {
    KernelBuffer buffer;
    buffer.argument = number_;
    buffer.name = name_of();
    std::string first;
    std::optional<std::uint64_t> size;
    if (given.kind == "in") {
        buffer.input = given.rest;
    } else if (given.kind == "inout") {
        if (!split_file(given.rest, buffer.input, buffer.output, false)) return fail("it is inout:FILE:FILE");
    } else if (given.kind == "out") {
        if (!split_file(given.rest, first, buffer.output, true) || !(size = parse_size(first)))
            return fail("it is out:BYTES:FILE");
        buffer.is_unwritten = true;
    } else if (!(size = parse_size(given.rest))) {
        return fail("it is zero:BYTES");
    }
    buffer.bytes = size.value_or(0);
    if (buffer.bytes > most_memory_bytes) return fail(fmt::format("there is no room for {:#x} bytes", buffer.bytes));
    if (!buffer.input.empty()) {
        auto contents = read_bytes(buffer.input);
        if (!contents) return false;
        buffer.contents = std::move(*contents);
        buffer.bytes = buffer.contents.size();
    }
    const std::uint8_t room[8] = {};
    buffer.place = argument_ != nullptr ? argument_->offset : (made_.block.size() + 7) / 8 * 8;
    put(room, 8);
    made_.buffers.push_back(std::move(buffer));
    return true;
}

// The kernel gets where its memory begins in the group's.
bool ArgumentReader::read_share(const Given& given) {
    constexpr std::uint32_t alignment = 16, most = 1u << 16;
    const std::optional<std::uint64_t> size = parse_size(given.rest);
    if (!size || *size > most) return fail(fmt::format("it is lds:BYTES, at most {} of them", most));
    const std::uint32_t begin = (kernel_.group_bytes + made_.group_bytes + alignment - 1) / alignment * alignment;
    made_.group_bytes = begin + static_cast<std::uint32_t>(*size) - kernel_.group_bytes;
    std::vector<std::uint8_t> bytes;
    append(bytes, begin, 4);
    put(bytes, 4);
    return true;
}

bool ArgumentReader::read_one(const std::string& text) {
    const Given given = split(text);
    const bool is_buffer = is_buffer_kind(given.kind), is_share = given.kind == "lds";
    const std::string_view wanted = argument_ != nullptr ? std::string_view(argument_->value_kind) : std::string_view();
    if (argument_ != nullptr) {
        const bool fits = wanted == "global_buffer" ? is_buffer || given.kind == "u64" || given.kind == "bytes"
                          : wanted == "dynamic_shared_pointer" ? is_share
                                                               : wanted == "by_value" && !is_buffer && !is_share;
        if (!fits) return fail(fmt::format("'{}' is given, and it takes {}", text, article_of(*argument_)));
    }
    if (is_buffer) return read_buffer(given);
    if (is_share) return read_share(given);
    std::vector<std::uint8_t> bytes;
    if (!read_value(given, bytes)) return false;
    // A vector of three has the room of four.
    if (argument_ != nullptr && bytes.size() * 4 == argument_->size * 3) bytes.resize(argument_->size);
    if (argument_ != nullptr && bytes.size() != argument_->size)
        return fail(fmt::format("it has {} bytes{}, and '{}' has {}", argument_->size,
                                argument_->type_name.empty() ? "" : " (" + argument_->type_name + ")", text,
                                bytes.size()));
    const NumberKind* const kind = number_kind(given.kind);
    put(bytes, kind != nullptr ? kind->bytes : 1);
    return true;
}

std::optional<KernelArguments> ArgumentReader::read() {
    if (!has_right_count()) return std::nullopt;
    auto argument = kernel_.arguments.begin();
    for (; number_ < texts_.size(); ++number_) {
        if (kernel_.has_metadata) {
            while (argument->is_hidden()) ++argument;
            argument_ = &*argument++;
        }
        if (!read_one(texts_[number_])) return std::nullopt;
    }
    return std::move(made_);
}

std::vector<std::string> files_of(const std::vector<std::string>& texts, bool written) {
    std::vector<std::string> files;
    for (const std::string& text : texts) {
        const Given given = split(text);
        std::string first, second;
        if (given.kind == "in" && !written) files.push_back(given.rest);
        if (given.kind == "out" && written && split_file(given.rest, first, second, true)) files.push_back(second);
        // One that is read and then written over is what was asked for.
        if (given.kind == "inout" && split_file(given.rest, first, second, false) && (written || first != second))
            files.push_back(written ? second : first);
    }
    return files;
}

}  // namespace

std::optional<KernelArguments> read_kernel_arguments(const KernelInfo& kernel, const std::vector<std::string>& texts) {
    return ArgumentReader(kernel, texts).read();
}

std::vector<std::string> argument_inputs(const std::vector<std::string>& texts) { return files_of(texts, false); }
std::vector<std::string> argument_outputs(const std::vector<std::string>& texts) { return files_of(texts, true); }

std::string signature(const KernelInfo& kernel) {
    if (!kernel.has_metadata) return kernel.name + "(…)";
    std::string list;
    for (const KernelArgument& argument : kernel.arguments) {
        if (argument.is_hidden()) continue;
        const std::string type = !argument.type_name.empty() ? argument.type_name
                                 : is_pointer(argument)      ? argument.address_space + "*"
                                                             : fmt::format("{} bytes", argument.size);
        list +=
            fmt::format("{}{}{}{}", list.empty() ? "" : ", ", type, argument.name.empty() ? "" : " ", argument.name);
    }
    return fmt::format("{}({})", kernel.name, list);
}

std::string description(const KernelInfo& kernel) {
    std::string text = "  " + signature(kernel) + "\n";
    unsigned number = 0;
    for (const KernelArgument& argument : kernel.arguments)
        if (!argument.is_hidden()) text += fmt::format("      --arg {}: {}\n", ++number, article_of(argument));
    if (!kernel.has_metadata)
        text += fmt::format("      {} bytes of arguments, of which the object does not tell\n", kernel.kernarg_bytes);
    std::string needs =
        fmt::format("{} vector registers, {} scalar registers", kernel.vector_registers, kernel.scalar_registers);
    if (kernel.group_bytes != 0) needs += fmt::format(", {} bytes of local memory", kernel.group_bytes);
    if (kernel.private_bytes != 0) needs += fmt::format(", {} bytes of private memory", kernel.private_bytes);
    if (kernel.required_group.x != 0)
        needs += fmt::format(", groups of {}x{}x{}", kernel.required_group.x, kernel.required_group.y,
                             kernel.required_group.z);
    else if (kernel.most_items != 0)
        needs += fmt::format(", groups of at most {}", kernel.most_items);
    return text + "      " + needs + "\n";
}

}  // namespace isaforge::cli
