// `isaforge dis`: an object or bytes to text.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "cli/arguments.hpp"
#include "cli/command.hpp"
#include "cli/outputs.hpp"
#include "cli/session.hpp"
#include "cli/terminal.hpp"
#include "isaforge/container.hpp"
#include "isaforge/disassembler.hpp"
#include "isaforge/object.hpp"

namespace isaforge::cli {

namespace {

struct Options {
    IsaChoice isa;
    std::string input, output = "-", hex, format;
    bool json = false, listing = false, no_labels = false;
    unsigned threads = 0;
};

// Bytes from hexadecimal digits, two each; blanks, commas, underscores and 0x before a byte or word mean nothing.
std::optional<std::vector<std::uint8_t>> bytes_of_hex(std::string_view text) {
    std::string digits;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        const bool separator = c == ' ' || c == '\t' || c == '\n' || c == ',' || c == '_';
        if (separator) continue;
        if (c == '0' && i + 1 < text.size() && (text[i + 1] == 'x' || text[i + 1] == 'X')) {
            ++i;
            continue;
        }
        if (!std::isxdigit(static_cast<unsigned char>(c))) return std::nullopt;
        digits += c;
    }
    if (digits.size() % 2 != 0) return std::nullopt;
    std::vector<std::uint8_t> bytes;
    for (std::size_t i = 0; i < digits.size(); i += 2) {
        bytes.push_back(static_cast<std::uint8_t>(std::stoul(digits.substr(i, 2), nullptr, 16)));
    }
    return bytes;
}

std::string shown(const std::uint8_t* bytes, std::size_t size) {
    return fmt::format("{:02x}", fmt::join(bytes, bytes + size, ""));
}

// One line of text per instruction; stops at the first bytes that are none.
int print_instructions(const Codec& codec, const std::vector<std::uint8_t>& bytes) {
    const Isa& isa = codec.isa();
    std::vector<char> text(Codec::max_text);
    for (std::size_t at = 0; at < bytes.size();) {
        const std::size_t left = std::min<std::size_t>(bytes.size() - at, max_instruction_bits / 8);
        unsigned bits = 0;
        Image image;
        Index form = no_index;
        const std::size_t whole_units = left - left % isa.unit_bytes();
        if (whole_units > 0) {
            image = codec.load(bytes.data() + at, whole_units);
            form = codec.decode(image, static_cast<unsigned>(whole_units * 8), bits);
        }
        if (form == no_index) {
            std::string why;
            const bool refused =
                bits != 0 && codec.refused(image, static_cast<unsigned>(whole_units * 8), bits, why) != no_index;
            complain(fmt::format("{} begins no instruction of {}{}", shown(bytes.data() + at, left), isa.variant,
                                 refused ? ": " + why : ""));
            return input_error;
        }
        const char* const end = codec.print(text.data(), form, image, bits, at * 8 / isa.address_bits);
        say(fmt::format("{}{}\n", std::string_view(text.data(), static_cast<std::size_t>(end - text.data())),
                        isa.surface.statement_end));
        at += bits / 8;
    }
    return success;
}

bool is_elf_input(const Options& options, const std::vector<std::uint8_t>& bytes) {
    return options.hex.empty() && (options.format == "elf" || (options.format.empty() && is_elf(bytes)));
}

// What is no ELF file.
std::optional<Object> object_of(const Options& options, std::vector<std::uint8_t> bytes, const Isa& isa,
                                std::string& error) {
    if (!options.hex.empty()) return read_binary(bytes, isa);
    if (options.format == "ihex" || (options.format.empty() && is_intel_hex(bytes)))
        return read_intel_hex(bytes, error);
    Object object = read_binary({}, isa);
    object.sections[0].bytes = std::move(bytes);
    return object;
}

DisassembleOptions library_options(const Options& options) {
    DisassembleOptions how;
    how.style = options.json      ? DisassemblyStyle::json
                : options.listing ? DisassemblyStyle::listing
                                  : DisassemblyStyle::source;
    how.labels = !options.no_labels;
    how.threads = options.threads;
    return how;
}

// The programs in a file of an older kind, each with its settings before it.
int print_container(const Options& options, const Container& container) {
    IsaChoice choice = options.isa;
    choice.meanings = false;
    if (choice.name.empty()) choice.name = container.isa;
    const bool chosen = !choice.variant.empty() || choice.name != container.isa;
    if (!chosen) choice.variant = container.variant;
    if (choice.dialect.empty()) choice.dialect = container.dialect;
    Session session;
    const std::shared_ptr<const Isa> isa = session.load(choice);
    if (!isa) return session.report();
    const auto& codec = make_for_good<Codec>(isa);
    const DisassembleOptions how = library_options(options);
    if (!outputs_are_apart({options.output}, session.sources, {options.input})) return usage_error;
    Output output;
    if (!output.open(options.output)) return input_error;
    const auto write = [&](std::string_view text) { output.write(text); };
    if (!options.json) {
        write(container.head);
        if (container.variant.empty() && !isa->surface.line_comments.empty()) {
            write(fmt::format("{} the file does not say for which generation it is: read as {}\n",
                              isa->surface.line_comments[0], isa->variant));
        }
    }
    for (const ContainerPart& part : container.parts) {
        // Labels of one program are not the next one's.
        const bool apart = container.parts.size() > 1 && how.style == DisassemblyStyle::source;
        if (!options.json) write(part.head);
        if (apart) write(".scope\n");
        disassemble(codec, part.object, how, write);
        if (apart) write(".ends\n");
    }
    return output.commit() ? success : input_error;
}

int print_object(const Options& options, const Session& session, const Codec& codec, const Object& object) {
    if (!outputs_are_apart({options.output}, session.sources, {options.input})) return usage_error;
    const DisassembleOptions how = library_options(options);
    Output output;
    if (!output.open(options.output)) return input_error;
    disassemble(codec, object, how, [&](std::string_view text) { output.write(text); });
    return output.commit() ? success : input_error;
}

int disassemble_any(const Options& options) {
    if (options.hex.empty() == options.input.empty()) {
        complain("give a file or --hex, one of the two");
        return usage_error;
    }
    std::optional<std::vector<std::uint8_t>> bytes;
    if (options.hex.empty()) {
        bytes = read_bytes(options.input);
        if (!bytes) return input_error;
    } else {
        bytes = bytes_of_hex(options.hex);
        if (!bytes) {
            complain("--hex wants pairs of hexadecimal digits");
            return usage_error;
        }
    }
    if (options.hex.empty() && options.format.empty()) {
        std::string error;
        const std::optional<Container> container = read_container(*bytes, error);
        if (container) return print_container(options, *container);
        if (!error.empty()) {
            complain(fmt::format("cannot read '{}': {}", options.input, error));
            return input_error;
        }
    }
    Session session;
    IsaChoice choice = options.isa;
    choice.meanings = false;
    std::string error;
    std::optional<Object> object;
    const bool elf = is_elf_input(options, *bytes);
    if (elf) object = read_elf(std::move(*bytes), error, false);
    const bool chosen = elf ? complete_choice(choice, object ? &*object : nullptr) : complete_choice(choice, *bytes);
    if (!chosen) return usage_error;
    const std::shared_ptr<const Isa> isa = session.load(choice);
    if (!isa) return session.report();
    const auto& codec = make_for_good<Codec>(isa);
    if (!options.hex.empty() && !options.json && !options.listing) return print_instructions(codec, *bytes);
    if (object && !is_for(*object, *isa, options.input)) return input_error;
    if (object) complete_object(*object, *isa);
    if (!elf) object = object_of(options, std::move(*bytes), *isa, error);
    if (object) return print_object(options, session, codec, *object);
    complain(fmt::format("cannot read '{}': {}", options.input, error));
    return input_error;
}

Action define(Arguments& app) {
    auto options = std::make_shared<Options>();
    add_optional_isa_option(app, options->isa);
    app.add_option("FILE", options->input, "Object file; - is standard input")->type_name("");
    app.add_option("-o,--output", options->output, "Where the text goes; - is standard output")
        ->type_name("OUT")
        ->capture_default_str();
    app.add_option("--hex", options->hex, "Disassemble these bytes, in the order they lie in memory")
        ->type_name("BYTES");
    app.add_option("--format", options->format, "elf, ihex or bin; by default what the file looks like")
        ->type_name("FORMAT")
        ->one_of({"elf", "ihex", "bin"});
    const Argument json = app.add_flag("--json", options->json, "One JSON object per instruction");
    app.add_flag("--listing", options->listing, "Addresses and bytes before each instruction")->excludes(json);
    app.add_flag("--no-labels", options->no_labels, "Numbers instead of labels as the targets of jumps");
    add_threads_option(app, options->threads);
    return [options] { return disassemble_any(*options); };
}

constexpr Command command{about_programs, "dis", "Disassemble an object or a few bytes",
                          "Without --json or --listing the output assembles back to the same bytes.\n\n"
                          "Examples:\n"
                          "  isaforge dis -i wishbone-gpu draw.o\n"
                          "  isaforge dis -i wishbone-gpu draw.o --json | jq .text\n"
                          "  isaforge dis -i wishbone-gpu --hex '43006120'\n",
                          define};
const Registration registration{command};

}  // namespace

}  // namespace isaforge::cli
