// `isaforge link`: objects and archives to a program.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "cli/arguments.hpp"
#include "cli/command.hpp"
#include "cli/outputs.hpp"
#include "cli/program.hpp"
#include "cli/session.hpp"
#include "cli/terminal.hpp"
#include "isaforge/linker.hpp"

namespace isaforge::cli {

namespace {

struct Options {
    IsaChoice isa;
    std::vector<std::string> inputs, libraries, library_paths;
    std::string output, map, script, entry;
    std::string format = "elf", base;
    std::vector<std::string> addresses, definitions, wanted;
    bool relocatable = false, drop_unused = false, keep_lengths = false;
};

// NAME=NUMBER
std::optional<std::pair<std::string, std::uint64_t>> parse_named(const std::string& text) {
    const std::size_t sign = text.rfind('=');
    if (sign == std::string::npos || sign == 0) return std::nullopt;
    const auto number = parse_size(std::string_view(text).substr(sign + 1));
    if (!number) return std::nullopt;
    return std::pair(text.substr(0, sign), *number);
}

// Of an object, or of each member of an archive, which is taken where somebody lacks what it defines.
bool add_object(std::string name, std::vector<std::uint8_t>&& bytes, bool lazy, std::vector<LinkInput>& inputs) {
    std::string error;
    std::optional<Object> object = is_elf(bytes) ? read_elf(std::move(bytes), error) : std::nullopt;
    if (!object) {
        complain(fmt::format("cannot link '{}': {}", name,
                             error.empty() ? "this is neither an object nor an archive" : error));
        return false;
    }
    if (!object->lines_problem.empty())
        warn(fmt::format("'{}' names lines of its source that cannot all be read: {}", name, object->lines_problem));
    inputs.push_back({std::move(name), std::move(*object), lazy});
    return true;
}

bool add_file(const std::string& path, std::vector<LinkInput>& inputs) {
    std::optional<std::vector<std::uint8_t>> bytes = read_bytes(path);
    if (!bytes) return false;
    if (!is_archive(*bytes)) return add_object(path, std::move(*bytes), false, inputs);
    std::string error;
    std::optional<std::vector<ArchiveMember>> members = read_archive(*bytes, error);
    if (!members) {
        complain(fmt::format("cannot link '{}': {}", path, error));
        return false;
    }
    return std::ranges::all_of(*members, [&](ArchiveMember& member) {
        return add_object(fmt::format("{}({})", path, member.name), std::move(member.bytes), true, inputs);
    });
}

// libNAME.a in the folders that were given, in order.
std::optional<std::string> find_library(const Options& options, const std::string& name) {
    for (const std::string& folder : options.library_paths) {
        std::string path = (std::filesystem::path(folder) / ("lib" + name + ".a")).string();
        if (std::error_code ignored; std::filesystem::exists(path, ignored)) return path;
    }
    complain(fmt::format("there is no lib{}.a in the folders that -L names", name));
    return std::nullopt;
}

// Whoever may read a program may run it.
void let_run(const std::string& path) {
    namespace fs = std::filesystem;
    std::error_code problem;
    const fs::file_status status = fs::status(path, problem);
    if (problem || status.type() != fs::file_type::regular) return;
    const auto reads = static_cast<unsigned>(status.permissions() &
                                             (fs::perms::owner_read | fs::perms::group_read | fs::perms::others_read));
    fs::permissions(path, static_cast<fs::perms>(reads >> 2), fs::perm_options::add, problem);
}

int link_files(const Options& options) {
    std::vector<std::string> paths = options.inputs;
    for (const std::string& name : options.libraries) {
        const std::optional<std::string> path = find_library(options, name);
        if (!path) return input_error;
        paths.push_back(*path);
    }
    std::vector<LinkInput> inputs;
    for (const std::string& path : paths) {
        if (!add_file(path, inputs)) return input_error;
    }
    Session session;
    std::vector<std::string> read = paths;
    if (!options.script.empty()) read.push_back(options.script);
    if (!outputs_are_apart({options.output, options.map}, session.sources, read)) return usage_error;
    IsaChoice choice = options.isa;
    choice.meanings = false;
    if (!complete_choice(choice, inputs.empty() ? nullptr : &inputs[0].object)) return usage_error;
    const std::shared_ptr<const Isa> isa = session.load(choice);
    if (!isa) return session.report();
    for (LinkInput& input : inputs) {
        if (!is_for(input.object, *isa, input.name)) return input_error;
        complete_object(input.object, *isa);
    }
    LinkScript script;
    LinkOptions how;
    if (!options.script.empty()) {
        const std::optional<FileId> file = read_source(session, options.script);
        if (!file) return input_error;
        if (!read_link_script(*file, session.sources, script, session.diagnostics)) return session.report();
        how.script = &script;
    }
    how.entry = options.entry;
    if (!options.base.empty()) how.base = *parse_size(options.base);
    how.as_process = isa->elf.machine != 0 && options.format == "elf" && !options.relocatable &&
                     options.script.empty() && options.addresses.empty();
    how.keep_lengths = options.keep_lengths;
    for (const std::string& text : options.addresses) how.section_addresses.push_back(*parse_named(text));
    for (const std::string& text : options.definitions) how.definitions.push_back(*parse_named(text));
    how.wanted = options.wanted;
    how.relocatable = options.relocatable;
    how.drop_unused = options.drop_unused;
    const auto& codec = make_for_good<Codec>(isa);
    auto& program = make_for_good<LinkedProgram>();
    const bool linked = link(std::move(inputs), codec, how, program, session.diagnostics);
    if (!options.map.empty() && linked && !write_text(options.map, map_text(program))) return input_error;
    const int status = session.report();
    if (!linked) return status == success ? input_error : status;
    if (!write_object(options.output, program.object, *object_format(options.format))) return input_error;
    if (how.as_process) let_run(options.output);
    return status;
}

int link_any(const Options& options) {
    if (options.relocatable && (!options.script.empty() || options.format != "elf")) {
        complain("--relocatable makes an object again: nothing is placed, and its format is elf");
        return usage_error;
    }
    if (!options.script.empty() && (!options.addresses.empty() || !options.base.empty())) {
        complain("where sections go is said by --script or by --base and --section-address, not by both");
        return usage_error;
    }
    return link_files(options);
}

Action define(Arguments& app) {
    auto options = std::make_shared<Options>();
    add_optional_isa_option(app, options->isa);
    app.add_option("FILE", options->inputs, "Objects, and archives of objects")->required()->type_name("");
    app.add_option("-o,--output", options->output, "Where the program goes; - is standard output")
        ->required()
        ->type_name("OUT");
    app.add_option("--format", options->format, "elf, bin, ihex, memh, c or vhdl")
        ->type_name("FORMAT")
        ->capture_default_str()
        ->one_of({"elf", "bin", "ihex", "memh", "c", "vhdl"});
    app.add_option("-e,--entry", options->entry, "The symbol at which the program begins; by default _start")
        ->type_name("SYMBOL");
    app.add_option("-l,--library", options->libraries, "An archive libNAME.a in the folders of -L")
        ->type_name("NAME")
        ->allow_extra_args(false);
    app.add_option("-L,--library-path", options->library_paths, "Search archives here")
        ->type_name("DIR")
        ->allow_extra_args(false);
    app.add_option("-u,--undefined", options->wanted, "Take the member of an archive that defines this symbol")
        ->type_name("SYMBOL")
        ->allow_extra_args(false);
    app.add_option("--defsym", options->definitions, "Define a symbol")
        ->type_name("NAME=NUMBER")
        ->allow_extra_args(false)
        ->check(wants(parse_named, "NAME=NUMBER"));
    app.add_option("-T,--script", options->script, "Where sections go, and further symbols")->type_name("FILE");
    app.add_option("--base", options->base,
                   "The address of the first section, in bytes: 0 where it is not said, of a process of Linux 0x10000")
        ->type_name("ADDRESS")
        ->check(wants(parse_size, "a number such as 4096, 0x1000 or 4K"));
    app.add_option("--section-address", options->addresses, "Where a section goes, in bytes; those behind it follow")
        ->type_name("NAME=ADDRESS")
        ->allow_extra_args(false)
        ->check(wants(parse_named, "NAME=NUMBER"));
    app.add_flag("--gc-sections", options->drop_unused, "Leave out sections that nothing reaches from the entry");
    app.add_flag("--no-relax", options->keep_lengths,
                 "Leave instructions as long as they are, also where what they lead to is near");
    app.add_flag("-r,--relocatable", options->relocatable, "Make one object of several");
    app.add_option("--map", options->map, "Write what lies where; - is standard output")->type_name("FILE");
    return [options] { return link_any(*options); };
}

constexpr Command command{about_programs, "link", "Put a program together from objects and archives",
                          "Examples:\n"
                          "  isaforge link main.o lib.o -o program\n"
                          "  isaforge link main.o -L lib -l math -T board.link -o program --map -\n",
                          define};
const Registration registration{command};

}  // namespace

}  // namespace isaforge::cli
