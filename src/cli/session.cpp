#include "cli/session.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>

#include "cli/arguments.hpp"
#include "cli/command.hpp"
#include "cli/terminal.hpp"
#include "isaforge/object.hpp"
#include "object/flavour.hpp"
#include "support/input_file.hpp"

namespace isaforge::cli {

namespace {

// NAME=VALUE, on the command line and in notes.
bool is_parameter(const std::string& text) {
    const std::size_t sign = text.find('=');
    return sign != std::string::npos && sign > 0 && parse_size(text.substr(sign + 1)).has_value();
}

void add_variant_options(Arguments& app, IsaChoice& choice) {
    app.add_option("--variant", choice.variant, "Which variant of the instruction set, where it has several")
        ->completes(Completes::variant);
    app.add_option("--dialect", choice.dialect, "Whose way of writing is printed, where the description has several")
        ->completes(Completes::dialect);
    app.add_option("-P,--parameter", choice.parameters, "A value for a parameter of the description")
        ->type_name("NAME=VALUE")
        ->allow_extra_args(false)
        ->completes(Completes::parameter)
        ->check([](const std::string& text) {
            return is_parameter(text) ? std::string{} : "'" + text + "' is not NAME=VALUE with a number as the value";
        });
    app.add_flag("--no-cache", choice.no_cache, "Read the description, and keep nothing of it for the next time");
}

// Where descriptions that were read are kept; empty: nowhere.
std::string cache_folder() {
    const auto value_of = [](const char* name) {
        const char* const value = std::getenv(name);
        return std::string(value ? value : "");
    };
    if (std::getenv("ISAFORGE_CACHE")) return value_of("ISAFORGE_CACHE");
    const std::string caches = value_of("XDG_CACHE_HOME"), home = value_of("HOME");
    if (caches.starts_with('/')) return caches + "/isaforge";
    return home.starts_with('/') ? home + "/.cache/isaforge" : std::string();
}

}  // namespace

void add_isa_option(Arguments& app, IsaChoice& choice) {
    app.add_option("-i,--isa", choice.name, "Instruction set: a name of `isaforge list` or an .isa file")
        ->required()
        ->type_name("ISA")
        ->completes(Completes::isa);
    add_variant_options(app, choice);
}

void add_optional_isa_option(Arguments& app, IsaChoice& choice) {
    app.add_option("-i,--isa", choice.name, "Instruction set, where the object file does not say it")
        ->type_name("ISA")
        ->completes(Completes::isa);
    add_variant_options(app, choice);
}

void add_threads_option(Arguments& app, unsigned& threads) {
    app.add_option("--threads", threads, "How many threads work on large inputs; by default one for each processor")
        ->type_name("N")
        ->in_range(1, most_threads);
}

bool complete_choice(IsaChoice& choice, const std::vector<std::uint8_t>& object) {
    std::string error;
    const std::optional<Object> read = is_elf(object) ? read_elf(object, error, false) : std::nullopt;
    return complete_choice(choice, read ? &*read : nullptr);
}

namespace {

// The parameters that the file was made with, but for those that are asked for here.
bool take_parameters(IsaChoice& choice, const Object& read) {
    const std::size_t asked = choice.parameters.size();
    for (std::size_t begin = 0; begin < read.parameters.size();) {
        const std::size_t end = std::min(read.parameters.find(' ', begin), read.parameters.size());
        const std::string one = read.parameters.substr(begin, end - begin);
        begin = end + 1;
        if (!is_parameter(one)) {
            complain(fmt::format("the file says '{}', which is not NAME=VALUE with a number as the value", one));
            return false;
        }
        const std::string name = one.substr(0, one.find('=') + 1);
        const bool given = std::any_of(choice.parameters.begin(), choice.parameters.begin() + static_cast<long>(asked),
                                       [&](const std::string& other) { return other.starts_with(name); });
        if (!given) choice.parameters.push_back(one);
    }
    return true;
}

}  // namespace

bool complete_choice(IsaChoice& choice, const Object* read) {
    const bool own = read && (choice.name.empty() || choice.name == read->isa || choice.name == read->variant);
    if (own && !take_parameters(choice, *read)) return false;
    if (!choice.name.empty()) return true;
    for (const ObjectFlavour* flavour : object_flavours()) {
        if (read && choice.name.empty()) choice.name = flavour->isa_of(*read);
    }
    if (!choice.name.empty()) return true;
    if (!read || read->isa.empty()) {
        complain("the file does not say which instruction set it is for: give it with -i");
        return false;
    }
    // What a file says opens no other file: only names of built-in descriptions count. A variant is a name of its own; what
    // the file calls the whole is compared once that is loaded.
    const auto known = [](const std::string& name) {
        return std::ranges::any_of(builtin_isas(), [&](const auto& isa) { return isa.first == name; });
    };
    const std::string& name = known(choice.variant) ? choice.variant : known(read->variant) ? read->variant : read->isa;
    if (!known(name)) {
        complain(fmt::format("the file is for {}, which is not built in: give its description with -i", read->isa));
        return false;
    }
    choice.name = name;
    return true;
}

bool is_for(const Object& object, const Isa& isa, const std::string& path) {
    const std::string wrong = mismatch(object, isa);
    if (!wrong.empty()) {
        complain(fmt::format("cannot use '{}': {}; where only a description's name or units changed, assemble again",
                             path, wrong));
        return false;
    }
    const std::string foreign = foreign_machine(object, isa);
    if (!foreign.empty()) warn(fmt::format("'{}': {}", path, foreign));
    return true;
}

void add_isa_positional(Arguments& app, IsaChoice& choice) {
    app.add_option("ISA", choice.name, "A name of `isaforge list` or an .isa file")
        ->required()
        ->type_name("")
        ->completes(Completes::isa);
    add_variant_options(app, choice);
}

std::shared_ptr<const Isa> Session::load(const IsaChoice& choice, bool draft) {
    LoadOptions options;
    options.draft = draft;
    options.variant = choice.variant;
    options.dialect = choice.dialect;
    options.only_dialect = choice.only_dialect;
    options.meanings = choice.meanings;
    if (!choice.no_cache) options.cache = cache_folder();
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
    std::string error;
    std::optional<std::vector<std::uint8_t>> bytes(std::in_place);
    if (read_input(path, Readable::anything, *bytes, error)) return bytes;
    complain("cannot read '" + path + "': " + error);
    return std::nullopt;
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
