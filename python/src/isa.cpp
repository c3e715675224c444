// Descriptions: loading, checking, instructions to and from bytes, programs.
#include <algorithm>
#include <filesystem>

#include "isaforge/assembler.hpp"
#include "isaforge/disassembler.hpp"
#include "isaforge/sample.hpp"
#include "module.hpp"

namespace isaforge::python {

namespace {

using DescriptionPointer = std::shared_ptr<Description>;

// One decoded instruction.
struct Decoded {
    std::uint64_t address = 0;
    Bytes bytes;
    std::string text, mnemonic, format;
    std::map<std::string, std::uint64_t> fields;
    Index form = no_index;
};

// A row of an instruction table.
struct InstructionRow {
    std::string name, title;
    std::vector<std::string> names, formats;
    std::vector<unsigned> lengths;  // in bytes, of each form
};

LoadOptions options_of(const std::string& variant, const std::string& dialect, const py::kwargs& parameters) {
    LoadOptions options;
    options.variant = variant;
    options.dialect = dialect;
    for (const auto& [name, value] : parameters)
        options.parameters[name.cast<std::string>()] = value.cast<std::uint64_t>();
    return options;
}

template <class Load>
DescriptionPointer loaded(const Load& load) {
    const py::gil_scoped_release unlocked;
    auto description = std::make_shared<Description>();
    description->sources = std::make_shared<SourceManager>();
    Diagnostics diagnostics;
    description->isa = load(*description->sources, diagnostics);
    if (!description->isa) throw Failure(diagnostics, *description->sources);
    description->codec = std::make_shared<const Codec>(description->isa);
    return description;
}

DescriptionPointer load(const std::filesystem::path& name_or_path, const std::string& variant,
                        const std::string& dialect, const py::kwargs& parameters) {
    const LoadOptions options = options_of(variant, dialect, parameters);
    return loaded([&](SourceManager& sources, Diagnostics& diagnostics) {
        return load_isa(name_or_path.string(), sources, diagnostics, options);
    });
}

DescriptionPointer load_text(const std::string& text, const std::string& name, const std::string& variant,
                             const std::string& dialect, const py::kwargs& parameters) {
    const LoadOptions options = options_of(variant, dialect, parameters);
    return loaded([&](SourceManager& sources, Diagnostics& diagnostics) {
        return load_isa_text(name, text, sources, diagnostics, options);
    });
}

std::vector<Message> check(const Description& description) {
    Diagnostics diagnostics;
    {
        const py::gil_scoped_release unlocked;
        check_isa(*description.isa, diagnostics);
    }
    return messages_of(diagnostics, *description.sources);
}

Decoded decode_at(const Description& description, const Bytes& bytes, std::size_t at, std::uint64_t address) {
    const Codec& codec = *description.codec;
    const Isa& isa = *description.isa;
    const std::size_t there = std::min<std::size_t>(bytes.size() - at, max_instruction_bits / 8);
    unsigned bits = 0;
    Image image;
    Index form = no_index;
    if (there >= isa.unit_bytes()) {
        image = codec.load(bytes.data() + at, there);
        form = codec.decode(image, static_cast<unsigned>(there * 8), bits);
    }
    if (form == no_index || bits > there * 8)
        throw Failure("there is no instruction of " + isa.variant + " at byte " + std::to_string(at));
    Decoded out;
    out.address = address;
    out.form = form;
    out.bytes.assign(bytes.begin() + static_cast<std::ptrdiff_t>(at),
                     bytes.begin() + static_cast<std::ptrdiff_t>(at + bits / 8));
    char text[Codec::max_text];
    out.text.assign(text, codec.print(text, form, image, bits, address));
    const Form& decoded = isa.forms[form];
    out.mnemonic = isa.instruction_of(decoded).names.front();
    if (decoded.format != no_index) out.format = isa.formats[decoded.format].name;
    std::vector<std::uint64_t> codes;
    codec.fields(form, image, codes);
    for (std::size_t i = 0; i < codes.size() && i < decoded.fields.size(); ++i)
        out.fields[decoded.fields[i].name] = codes[i];
    return out;
}

std::vector<Decoded> decode_all(const Description& description, const py::buffer& buffer, std::uint64_t address) {
    const Bytes bytes = bytes_of(buffer);
    const py::gil_scoped_release unlocked;
    std::vector<Decoded> out;
    for (std::size_t at = 0; at < bytes.size(); at += out.back().bytes.size()) {
        const std::uint64_t here = address + at * 8 / description.isa->address_bits;
        out.push_back(decode_at(description, bytes, at, here));
    }
    return out;
}

std::string disassembled(const Description& description, const Object& object, const std::string& style) {
    DisassembleOptions options;
    if (style == "listing")
        options.style = DisassemblyStyle::listing;
    else if (style != "source")
        throw py::value_error("style: '" + style + "' is not source or listing");
    const py::gil_scoped_release unlocked;
    return disassemble(*description.codec, object, options);
}

std::vector<InstructionRow> rows_of(const Isa& isa) {
    std::vector<InstructionRow> out;
    for (const Instruction& instruction : isa.instructions) {
        if (instruction.only_relaxed || instruction.names.empty()) continue;
        InstructionRow& row = out.emplace_back();
        row.name = instruction.names.front();
        row.names = instruction.names;
        row.title = instruction.title;
        for (const Index form : instruction.forms) {
            row.lengths.push_back(isa.forms[form].bits / 8);
            if (isa.forms[form].format == no_index) continue;
            const std::string& format = isa.formats[isa.forms[form].format].name;
            if (std::ranges::find(row.formats, format) == row.formats.end()) row.formats.push_back(format);
        }
    }
    return out;
}

std::vector<std::string> sampled(const Description& description, std::uint64_t count, std::uint64_t seed) {
    const py::gil_scoped_release unlocked;
    const Isa& isa = *description.isa;
    std::vector<Index> all;
    for (Index i = 0; i < isa.instructions.size(); ++i) {
        if (!isa.instructions[i].forms.empty()) all.push_back(i);
    }
    std::vector<std::string> out;
    Sampler sampler(*description.codec, seed);
    const auto one = std::make_unique<Sampled>();
    for (std::uint64_t i = 0; i < count && !all.empty(); ++i) {
        if (sampler.statement(sampler.choose(all), 0, *one))
            out.push_back(std::string(one->view()) + isa.surface.statement_end);
    }
    return out;
}

// Sections get their addresses, and references are resolved, where that is possible.
void place(Program& program, const SourceManager& sources) {
    program.placed = program.object;
    if (!program.placed.relocatable) return;
    Diagnostics diagnostics;
    place_sections(program.placed);
    if (apply_relocations(program.placed, *program.description->codec, diagnostics)) return;
    const Failure failure(diagnostics, sources);
    program.problem = failure.what();
    program.messages = failure.messages;
}

std::shared_ptr<Program> assemble_text(const DescriptionPointer& description, const std::string& text,
                                       const std::string& name, const std::map<std::string, std::string>& defines,
                                       const std::vector<std::string>& include_paths, const std::string& target) {
    const py::gil_scoped_release unlocked;
    auto program = std::make_shared<Program>();
    program->description = description;
    SourceManager sources;
    Diagnostics diagnostics;
    AssembleOptions options;
    options.defines.assign(defines.begin(), defines.end());
    options.include_paths = include_paths;
    options.target = target;
    Listing listing;
    const FileId main = sources.add(name, text);
    if (!assemble(*description->codec, main, sources, options, program->object, diagnostics, &listing))
        throw Failure(diagnostics, sources);
    place(*program, sources);
    program->listing = listing_text(listing, program->placed, sources, main);
    for (const ListingEntry& entry : listing.entries) {
        const Section& section = program->placed.sections[entry.section];
        Line& line = program->lines.emplace_back();
        line.number = sources.line_column(entry.statement).line;
        line.address = (section.address + entry.offset) / program->placed.address_bytes;
        line.text = sources.text(entry.statement);
        if (section.no_bits) continue;
        const auto begin = section.bytes.begin() + static_cast<std::ptrdiff_t>(entry.offset);
        line.bytes.assign(begin, begin + static_cast<std::ptrdiff_t>(entry.size));
    }
    return program;
}

Bytes encode(const DescriptionPointer& description, const std::string& statement) {
    const std::string text = statement.ends_with(description->isa->surface.statement_end)
                                 ? statement
                                 : statement + description->isa->surface.statement_end;
    const py::gil_scoped_release unlocked;
    SourceManager sources;
    Diagnostics diagnostics;
    AssembleOptions options;
    options.line_table = false;
    options.flat = true;
    Object object;
    if (!assemble(*description->codec, sources.add("<text>", text), sources, options, object, diagnostics))
        throw Failure(diagnostics, sources);
    Bytes out;
    for (const Section& section : object.sections) {
        if (section.executable) out.insert(out.end(), section.bytes.begin(), section.bytes.end());
    }
    return out;
}

std::shared_ptr<Program> read_program(const DescriptionPointer& description, const py::buffer& data) {
    const Bytes bytes = bytes_of(data);
    const py::gil_scoped_release unlocked;
    auto program = std::make_shared<Program>();
    program->description = description;
    program->has_flags = is_elf(bytes);
    if (!is_elf(bytes) && !is_intel_hex(bytes)) {
        program->object = read_binary(bytes, *description->isa);
    } else {
        std::string error;
        std::optional<Object> object = is_elf(bytes) ? read_elf(bytes, error) : read_intel_hex(bytes, error);
        if (object && is_elf(bytes)) error = mismatch(*object, *description->isa);
        if (!error.empty()) throw Failure(error);
        complete_object(*object, *description->isa);
        program->object = std::move(*object);
    }
    const SourceManager none;
    place(*program, none);
    return program;
}

Bytes written(const Object& object, const std::string& format) {
    const std::optional<ObjectFormat> known = object_format(format);
    if (!known) throw py::value_error("format: '" + format + "' is not elf, bin, ihex, memh, c or vhdl");
    std::string out, error;
    if (!write_object(object, *known, out, error)) throw Failure(error);
    return {out.begin(), out.end()};
}

template <class T>
std::vector<std::string> names_in(const std::vector<T>& all) {
    std::vector<std::string> out;
    out.reserve(all.size());
    for (const T& one : all) out.push_back(one.name);
    return out;
}

}  // namespace

const Object& Program::with_addresses() const {
    if (!problem.empty()) throw Failure(problem, messages);
    return placed;
}

std::map<std::string, std::uint64_t> Program::symbols() const {
    std::map<std::string, std::uint64_t> out;
    const Isa& isa = *description->isa;
    const std::uint64_t data_unit = isa.memories.empty() ? 1 : isa.memories.front().unit_bytes();
    for (const Symbol& symbol : placed.symbols) {
        if (symbol.name.empty() || symbol.type == SymbolType::section || symbol.type == SymbolType::file) continue;
        if (symbol.section == absolute_section) out[symbol.name] = symbol.value;
        if (symbol.section >= placed.sections.size()) continue;
        const Section& section = placed.sections[symbol.section];
        out[symbol.name] = (section.address + symbol.value) / (section.executable ? placed.address_bytes : data_unit);
    }
    return out;
}

void define_isa(py::module_& module) {
    py::class_<Decoded>(module, "Instruction", "One decoded instruction.")
        .def_readonly("address", &Decoded::address, "As the code counts its addresses")
        .def_property_readonly("bytes", [](const Decoded& decoded) { return to_bytes(decoded.bytes); })
        .def_readonly("text", &Decoded::text)
        .def_readonly("mnemonic", &Decoded::mnemonic)
        .def_readonly("format", &Decoded::format)
        .def_readonly("fields", &Decoded::fields, "The codes of its fields, by name")
        .def("__len__", [](const Decoded& decoded) { return decoded.bytes.size(); })
        .def("__str__", [](const Decoded& decoded) { return decoded.text; })
        .def("__repr__", [](const Decoded& decoded) { return "<Instruction " + decoded.text + ">"; });

    py::class_<InstructionRow>(module, "InstructionInfo", "What a description says of an instruction.")
        .def_readonly("name", &InstructionRow::name)
        .def_readonly("names", &InstructionRow::names, "All mnemonics; the first is printed")
        .def_readonly("title", &InstructionRow::title)
        .def_readonly("formats", &InstructionRow::formats)
        .def_readonly("lengths", &InstructionRow::lengths, "In bytes, of each encoding, the preferred first")
        .def("__repr__", [](const InstructionRow& row) { return "<InstructionInfo " + row.name + ">"; });

    py::class_<RegisterFile>(module, "RegisterFile", "Registers of one kind.")
        .def_readonly("name", &RegisterFile::name)
        .def_readonly("count", &RegisterFile::count)
        .def_readonly("bits", &RegisterFile::bits, "Of one lane")
        .def_readonly("lanes", &RegisterFile::lanes)
        .def("__repr__", [](const RegisterFile& file) { return "<RegisterFile " + file.name + ">"; });

    py::class_<Line>(module, "Line", "A line of a program that became bytes.")
        .def_readonly("number", &Line::number, "From 1 on")
        .def_readonly("address", &Line::address)
        .def_property_readonly("bytes", [](const Line& line) { return to_bytes(line.bytes); })
        .def_readonly("text", &Line::text)
        .def("__repr__",
             [](const Line& line) { return "<Line " + std::to_string(line.number) + ": " + line.text + ">"; });

    py::class_<Program, std::shared_ptr<Program>>(module, "Program", "A program that was assembled or read.")
        .def_property_readonly(
            "bytes", [](const Program& program) { return to_bytes(written(program.with_addresses(), "bin")); },
            "The image in memory")
        .def_property_readonly("symbols", &Program::symbols, "The addresses of labels, as programs count them")
        .def_property_readonly(
            "entry", [](const Program& program) { return program.placed.entry / program.placed.address_bytes; })
        .def_readonly("lines", &Program::lines)
        .def_readonly("listing", &Program::listing, "Addresses, bytes and source, for people")
        .def(
            "to_bytes",
            [](const Program& program, const std::string& format) {
                return to_bytes(written(format == "elf" ? program.object : program.with_addresses(), format));
            },
            py::arg("format") = "elf", "As a file: elf, which a linker may get, bin, ihex, memh, c or vhdl.")
        .def(
            "disassemble",
            [](const Program& program, const std::string& style) {
                return disassembled(*program.description, program.object, style);
            },
            py::arg("style") = "source", "Its text, which assembles back to the same bytes; or a listing.");

    py::class_<Description, DescriptionPointer>(module, "Isa", "An instruction set.")
        .def_property_readonly("name", [](const Description& d) { return d.isa->name; })
        .def_property_readonly("title", [](const Description& d) { return d.isa->title; })
        .def_property_readonly("variant", [](const Description& d) { return d.isa->variant; })
        .def_property_readonly("variants", [](const Description& d) { return d.isa->variants; })
        .def_property_readonly("dialect", [](const Description& d) { return d.isa->dialect; })
        .def_property_readonly("dialects", [](const Description& d) { return d.isa->dialects; })
        .def_property_readonly("parameters",
                               [](const Description& d) {
                                   std::map<std::string, std::uint64_t> out;
                                   for (const Parameter& parameter : d.isa->parameters)
                                       out[parameter.name] = d.isa->constants.at(parameter.name);
                                   return out;
                               })
        .def_property_readonly("instructions", [](const Description& d) { return rows_of(*d.isa); })
        .def_property_readonly("formats", [](const Description& d) { return names_in(d.isa->formats); })
        .def_property_readonly("register_files", [](const Description& d) { return d.isa->register_files; })
        .def_property_readonly("memories", [](const Description& d) { return names_in(d.isa->memories); })
        .def("check", &check, "Everything that is wrong with the description; nothing where all is well.")
        .def(
            "encode", [](const DescriptionPointer& d, const std::string& text) { return to_bytes(encode(d, text)); },
            py::arg("text"), "The bytes of a statement, or of several.")
        .def(
            "decode",
            [](const Description& d, const py::buffer& data, std::uint64_t address) {
                return decode_at(d, bytes_of(data), 0, address);
            },
            py::arg("data"), py::arg("address") = 0, "The instruction that the bytes begin with.")
        .def("decode_all", &decode_all, py::arg("data"), py::arg("address") = 0,
             "All instructions, one behind the other.")
        .def(
            "disassemble",
            [](const Description& d, const py::buffer& data, const std::string& style) {
                return disassembled(d, read_binary(bytes_of(data), *d.isa), style);
            },
            py::arg("data"), py::arg("style") = "source",
            "The text of machine code, which assembles back to the same bytes; or a listing.")
        .def("assemble", &assemble_text, py::arg("text"), py::arg("name") = "<text>", py::kw_only(),
             py::arg("defines") = std::map<std::string, std::string>{},
             py::arg("include_paths") = std::vector<std::string>{}, py::arg("target") = "", "Assembles a program.")
        .def("read_program", &read_program, py::arg("data"), "An ELF or Intel HEX file, or machine code, as a program.")
        .def("sample", &sampled, py::arg("count"), py::arg("seed") = 1, "Random statements, for tests.")
        .def("__repr__", [](const Description& d) { return "<Isa " + d.isa->variant + ">"; });

    module.def(
        "load", &load, py::arg("name_or_path"), py::arg("variant") = "", py::arg("dialect") = "",
        "Loads a built-in description by name, or a file by path. Other arguments are parameters of the description.");
    module.def("load_text", &load_text, py::arg("text"), py::arg("name") = "description", py::arg("variant") = "",
               py::arg("dialect") = "", "The same from a text.");
    module.def(
        "builtin_isas",
        [] {
            py::dict out;
            for (const auto& [name, title] : builtin_isas()) out[py::str(name)] = title;
            return out;
        },
        "Names of the built-in descriptions, with their titles.");
}

}  // namespace isaforge::python
