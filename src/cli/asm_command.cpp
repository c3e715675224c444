// `isaforge asm`: a source file to an object, or one line to its bytes.
#include <fmt/format.h>

#include <memory>

#include "cli/arguments.hpp"
#include "cli/command.hpp"
#include "cli/outputs.hpp"
#include "cli/session.hpp"
#include "cli/terminal.hpp"
#include "ir/text.hpp"
#include "isaforge/assembler.hpp"
#include "semantics/forms.hpp"
#include "support/input_file.hpp"
#include "support/large_pages.hpp"
#include "support/output_file.hpp"

namespace isaforge::cli {

namespace {

struct Options {
    IsaChoice isa;
    std::string source, output, line;
    std::string format = "elf";
    std::string listing, listing_json;
    std::string target;
    std::vector<std::string> defines, include_paths;
    bool relax = false, meaning = false;
    std::uint64_t error_limit = 1000;
    unsigned threads = 0;
};

AssembleOptions library_options(const Options& options) {
    AssembleOptions out;
    for (const std::string& define : options.defines) {
        const std::size_t sign = define.find('=');
        if (sign == std::string::npos) {
            out.defines.emplace_back(define, "");
        } else {
            out.defines.emplace_back(define.substr(0, sign), define.substr(sign + 1));
        }
    }
    out.include_paths = options.include_paths;
    out.target = options.target;
    out.threads = options.threads;
    out.flat = options.format != "elf";
    out.linker_relaxes = options.relax && !out.flat;
    out.line_table = !out.flat;  // the other formats have no room for one
    return out;
}

// The line as a whole statement: where the description wants a mark at the end, nobody has to type it here.
std::string as_statement(const Isa& isa, std::string line) {
    const std::string& mark = isa.surface.statement_end;
    const std::size_t last = line.find_last_not_of(" \t\r\n");
    if (mark.empty() || last == std::string::npos) return line;
    line.erase(last + 1);
    return line.ends_with(mark) ? line : line + mark;
}

// What the instruction's text says, operand by operand, and what becomes of their registers.
std::string operand_list(const Codec& codec, Index form, const Image& image,
                         const std::vector<semantics::Access>& accesses) {
    const Isa& isa = codec.isa();
    char text[Codec::max_text + 64];
    std::vector<PrintedOperand> operands;
    codec.print(text, form, image, 0, {}, operands);
    std::string out;
    for (const PrintedOperand& operand : operands) {
        const std::string_view written(text + operand.begin, operand.end - operand.begin);
        out += fmt::format("    {:<8}{:<16}", isa.forms[form].fields[operand.field].name, written);
        if (operand.kind == Operand::Kind::number)
            out += fmt::format("{} {}", operand.relative ? "target" : "number", operand.value);
        if (operand.kind == Operand::Kind::registers) {
            const semantics::Access access = accesses[operand.field];
            const std::uint32_t last = operand.first + operand.count - 1;
            out += isa.register_files[operand.file].name;
            if (isa.register_files[operand.file].index_bits != 0) out += fmt::format(" {}", operand.first);
            if (operand.count > 1) out += fmt::format("..{}", last);
            if (access.read) out += ", read";
            if (access.written) out += ", written";
        }
        while (out.ends_with(' ')) out.pop_back();
        out += '\n';
    }
    return out;
}

// What an instruction does, for any operands and with those that it has here. False where it has no meaning.
bool print_meaning(const Codec& codec, const std::vector<std::uint8_t>& bytes) {
    const Isa& isa = codec.isa();
    const Image image = codec.load(bytes.data(), bytes.size());
    unsigned bits = 0;
    const Index form = codec.decode(image, static_cast<unsigned>(bytes.size() * 8), bits);
    if (form == no_index) {
        complain("this is no instruction");
        return false;
    }
    semantics::FormGraphs graphs(std::shared_ptr<const Codec>(std::shared_ptr<void>(), &codec));
    const semantics::Site site{0, bits / isa.address_bits, std::vector<std::uint64_t>(isa.modes.size())};
    std::string trouble;
    const auto any = graphs.open(form, image, site, trouble);
    const auto here = any ? graphs.instruction(form, image, site, trouble) : std::nullopt;
    if (!here) {
        complain(trouble);
        return false;
    }
    const std::string list = operand_list(codec, form, image, graphs.accesses(form, image, trouble));
    if (!list.empty()) say(fmt::format("Operands:\n\n{}\n", list));
    say(fmt::format("Anywhere, with any operands:\n\n{}\n", ir::to_text(*any, isa)));
    say(fmt::format("Here, at address 0:\n\n{}", ir::to_text(*here, isa)));
    return true;
}

int assemble_line(const Options& options, Session& session, const Codec& codec) {
    const FileId file = session.sources.add("<line>", as_statement(codec.isa(), options.line));
    AssembleOptions how = library_options(options);
    how.flat = true;
    how.line_table = false;
    Object object;
    if (assemble(codec, file, session.sources, how, object, session.diagnostics)) {
        std::vector<std::uint8_t> bytes;
        for (const Section& section : object.sections)
            if (section.allocated) bytes.insert(bytes.end(), section.bytes.begin(), section.bytes.end());
        if (options.meaning) return print_meaning(codec, bytes) ? session.report() : input_error;
        say(fmt::format("{:02x}\n", fmt::join(bytes, "")));
    }
    return session.report();
}

// Assembles; where the source says that it is written in another dialect than the description was loaded in, or for a variant
// that has more, once more with what only those have.
bool assemble_source(const Options& options, Session& session, const Codec& codec, FileId file, Object& object,
                     Listing* listing) {
    const AssembleOptions how = library_options(options);
    const bool assembled = assemble(codec, file, session.sources, how, object, session.diagnostics, listing);
    IsaChoice choice = options.isa;
    choice.meanings = false;
    if (choice.dialect.empty()) choice.dialect = object.dialect;
    if (!object.wanted_variant.empty()) choice.variant = object.wanted_variant;
    if (!choice.variant.empty() && choice.name == codec.isa().variant) choice.name = codec.isa().name;
    if (choice.dialect == options.isa.dialect && object.wanted_variant.empty()) return assembled;
    object = {};
    if (listing) *listing = {};
    session.diagnostics = Diagnostics(options.error_limit);
    const std::shared_ptr<const Isa> isa = session.load(choice);
    if (!isa) return false;
    const auto& other = make_for_good<Codec>(isa, options.relax);
    return assemble(other, file, session.sources, how, object, session.diagnostics, listing);
}

int assemble_file(const Options& options, Session& session, const Codec& codec) {
    const std::optional<FileId> file = read_source(session, options.source);
    if (!file) return input_error;
    // A large source needs more memory than other runs do, about as much as it is long.
    const std::size_t size = session.sources.text(*file).size();
    if (size > usual_heap / 8) extend_heap(usual_heap + size);
    const std::vector<std::string> outputs{options.output, options.listing, options.listing_json};
    if (!outputs_are_apart(outputs, session.sources)) return usage_error;
    Object object;
    Listing listing;
    const bool listed = !options.listing.empty() || !options.listing_json.empty();
    const bool assembled = assemble_source(options, session, codec, *file, object, listed ? &listing : nullptr);
    int status = session.report();
    if (!outputs_are_apart(outputs, session.sources)) return usage_error;  // included files are known now
    if (!options.listing.empty() &&
        !write_text(options.listing, listing_text(listing, object, session.sources, *file))) {
        status = input_error;
    }
    if (!options.listing_json.empty() &&
        !write_text(options.listing_json, listing_json(listing, object, session.sources, *file))) {
        status = input_error;
    }
    if (!assembled || options.output.empty()) return status;
    object.parameters = fmt::format("{}", fmt::join(options.isa.parameters, " "));
    return write_object(options.output, object, *object_format(options.format)) ? status : input_error;
}

int assemble_any(const Options& options) {
    const bool one_line = !options.line.empty();
    if (one_line != options.source.empty()) {
        complain("give a source file or --line, one of the two");
        return usage_error;
    }
    if (options.meaning && !one_line) {
        complain("--meaning is for an instruction: give it with --line");
        return usage_error;
    }
    if (!one_line && options.output.empty() && options.listing.empty() && options.listing_json.empty()) {
        complain("say where the output goes: -o FILE");
        return usage_error;
    }
    OutputFile::end_on_lost_input(input_error);
    map_large_inputs();
    Session session;
    session.diagnostics = Diagnostics(options.error_limit);
    IsaChoice choice = options.isa;
    choice.meanings = options.meaning;
    const std::shared_ptr<const Isa> isa = session.load(choice);
    if (!isa) return session.report();
    const auto& codec = make_for_good<Codec>(isa, options.relax);
    return one_line ? assemble_line(options, session, codec) : assemble_file(options, session, codec);
}

Action define(Arguments& app) {
    auto options = std::make_shared<Options>();
    add_isa_option(app, options->isa);
    add_threads_option(app, options->threads);
    app.add_option("FILE", options->source, "Source file; - is standard input")->type_name("");
    app.add_option("-o,--output", options->output, "Where the object goes; - is standard output")->type_name("OUT");
    app.add_option("--line", options->line, "Assemble this text and print its bytes in hexadecimal")
        ->type_name("TEXT")
        ->completes(Completes::mnemonic);
    app.add_flag("--meaning", options->meaning, "With --line: print what the instruction does, step by step");
    app.add_option("--format", options->format, "elf, bin, ihex, memh, c or vhdl")
        ->type_name("FORMAT")
        ->capture_default_str()
        ->one_of({"elf", "bin", "ihex", "memh", "c", "vhdl"});
    app.add_option("--target", options->target, "The processor, where the object file says for which one it is: gfx803")
        ->type_name("NAME")
        ->completes(Completes::processor);
    app.add_option("--listing", options->listing, "Write a listing for people")->type_name("FILE");
    app.add_option("--listing-json", options->listing_json, "Write one JSON object a line; also when there are errors")
        ->type_name("FILE");
    app.add_option("-D,--define", options->defines, "Define a symbol; 1 without a value")
        ->type_name("NAME[=VALUE]")
        ->allow_extra_args(false);
    app.add_option("-I,--include", options->include_paths, "Search included files here too")
        ->type_name("DIR")
        ->allow_extra_args(false);
    app.add_option("--error-limit", options->error_limit, "So many errors are shown, and the others counted")
        ->type_name("N")
        ->capture_default_str()
        ->in_range(0, any_number);
    app.add_flag("--relax", options->relax,
                 "Where a number does not fit, take the longer form that the description names for that");
    return [options] { return assemble_any(*options); };
}

constexpr Command command{about_programs, "asm", "Assemble a program, or one line",
                          "Examples:\n"
                          "  isaforge asm -i wishbone-gpu draw.s -o draw.o\n"
                          "  isaforge asm -i wishbone-gpu draw.s -o draw.hex --format memh --listing -\n"
                          "  isaforge asm -i wishbone-gpu --line 'fadd r1, r2, r3;'\n",
                          define};
const Registration registration{command};

}  // namespace

}  // namespace isaforge::cli
