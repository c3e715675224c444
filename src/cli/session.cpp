#include "cli/session.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cstdio>

#include "cli/command.hpp"
#include "cli/terminal.hpp"
#include "isaforge/object.hpp"
#include "object/flavour.hpp"

namespace isaforge::cli {

namespace {

void add_variant_options(CLI::App& app, IsaChoice& choice) {
    app.add_option("--variant", choice.variant, "Which variant of the instruction set, where it has several");
    app.add_option("--dialect", choice.dialect, "Whose way of writing is printed, where the description has several");
    app.add_option("-P,--parameter", choice.parameters, "A value for a parameter of the description")
        ->type_name("NAME=VALUE")
        ->allow_extra_args(false)
        ->check([](const std::string& text) {
            const std::size_t sign = text.find('=');
            const bool good = sign != std::string::npos && sign > 0 && parse_size(text.substr(sign + 1)).has_value();
            return good ? std::string{} : "'" + text + "' is not NAME=VALUE with a number as the value";
        });
}

}  // namespace

void add_isa_option(CLI::App& app, IsaChoice& choice) {
    app.add_option("-i,--isa", choice.name, "Instruction set: a name of `isaforge list` or an .isa file")
        ->required()
        ->type_name("ISA");
    add_variant_options(app, choice);
}

void add_optional_isa_option(CLI::App& app, IsaChoice& choice) {
    app.add_option("-i,--isa", choice.name, "Instruction set, where the object file does not say it")->type_name("ISA");
    add_variant_options(app, choice);
}

void add_threads_option(CLI::App& app, unsigned& threads) {
    constexpr unsigned most_threads = 256;
    app.add_option("--threads", threads, "How many threads work on large inputs; by default one for each processor")
        ->type_name("N")
        ->check(CLI::Range(1u, most_threads).description(""));
}

bool complete_choice(IsaChoice& choice, const std::vector<std::uint8_t>& object) {
    std::string error;
    const std::optional<Object> read = is_elf(object) ? read_elf(object, error, false) : std::nullopt;
    return complete_choice(choice, read ? &*read : nullptr);
}

namespace {

// The parameters that the file was made with, but for those that are asked for here.
void take_parameters(IsaChoice& choice, const Object& read) {
    const std::size_t asked = choice.parameters.size();
    for (std::size_t begin = 0; begin < read.parameters.size();) {
        const std::size_t end = std::min(read.parameters.find(' ', begin), read.parameters.size());
        const std::string one = read.parameters.substr(begin, end - begin);
        const std::string name = one.substr(0, one.find('=') + 1);
        const bool given = std::any_of(choice.parameters.begin(), choice.parameters.begin() + static_cast<long>(asked),
                                       [&](const std::string& other) { return other.starts_with(name); });
        if (!given && name.size() > 1 && name.size() < one.size()) choice.parameters.push_back(one);
        begin = end + 1;
    }
}

}  // namespace

bool complete_choice(IsaChoice& choice, const Object* read) {
    if (read && (choice.name.empty() || choice.name == read->isa || choice.name == read->variant))
        take_parameters(choice, *read);
    if (!choice.name.empty()) return true;
    for (const ObjectFlavour* flavour : object_flavours()) {
        if (read && choice.name.empty()) choice.name = flavour->isa_of(*read);
    }
    if (!choice.name.empty()) return true;
    if (!read || read->isa.empty()) {
        complain("the file does not say which instruction set it is for: give it with -i");
        return false;
    }
    const bool known = std::ranges::any_of(
        builtin_isas(), [&](const auto& isa) { return isa.first == read->isa || isa.first == read->variant; });
    if (!known) {
        complain(fmt::format("the file is for {}, which is not built in: give its description with -i", read->isa));
        return false;
    }
    choice.name = read->isa;
    if (choice.variant.empty() && read->variant != read->isa) choice.variant = read->variant;
    return true;
}

void add_isa_positional(CLI::App& app, IsaChoice& choice) {
    app.add_option("ISA", choice.name, "A name of `isaforge list` or an .isa file")->required()->type_name("");
    add_variant_options(app, choice);
}

std::shared_ptr<const Isa> Session::load(const IsaChoice& choice, bool draft) {
    LoadOptions options;
    options.draft = draft;
    options.variant = choice.variant;
    options.dialect = choice.dialect;
    options.only_dialect = choice.only_dialect;
    for (const std::string& parameter : choice.parameters) {
        const std::size_t sign = parameter.find('=');
        options.parameters[parameter.substr(0, sign)] = parse_size(parameter.substr(sign + 1)).value_or(0);
    }
    const auto loaded = [&] {
        if (choice.name != "-" || !standard_input) return load_isa(choice.name, sources, diagnostics, options);
        const std::string name(sources.name(*standard_input)), text(sources.text(*standard_input));
        return load_isa_text(name, text, sources, diagnostics, options);
    };
    return make_for_good<std::shared_ptr<const Isa>>(loaded());
}

int Session::report() const {
    const std::string text = to_text(diagnostics, sources, colour_on_stderr());
    std::fwrite(text.data(), 1, text.size(), stderr);
    return diagnostics.ok() ? success : input_error;
}

std::optional<FileId> read_source(Session& session, const std::string& path) {
    std::string error;
    const std::optional<FileId> file = session.sources.load_text(path, error);
    if (!file) complain("cannot read '" + path + "': " + error);
    return file;
}

std::optional<std::vector<std::uint8_t>> read_bytes(const std::string& path) {
    SourceManager files;
    std::string error;
    const std::optional<FileId> file = files.load(path, error);
    if (!file) {
        complain("cannot read '" + path + "': " + error);
        return std::nullopt;
    }
    const std::string_view text = files.text(*file);
    return std::vector<std::uint8_t>(text.begin(), text.end());
}

bool write_text(const std::string& path, std::string_view text) {
    std::string error;
    if (write_file_atomically(path, text, error)) return true;
    complain("cannot write '" + path + "': " + error);
    return false;
}

std::optional<std::uint64_t> parse_size(std::string_view text) {
    unsigned shift = 0;
    if (!text.empty()) {
        switch (text.back()) {
            case 'k':
            case 'K': shift = 10; break;
            case 'm':
            case 'M': shift = 20; break;
            case 'g':
            case 'G': shift = 30; break;
            default: break;
        }
    }
    if (shift != 0) text.remove_suffix(1);
    int base = 10;
    if (text.starts_with("0x") || text.starts_with("0X")) {
        text.remove_prefix(2);
        base = 16;
    }
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
    if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    if (value > ~std::uint64_t{0} >> shift) return std::nullopt;
    return value << shift;
}

}  // namespace isaforge::cli
