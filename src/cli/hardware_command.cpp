// `isaforge hardware`: a decoder for an instruction set, as hardware is described.
#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <sstream>
#include <string>

#include "cli/arguments.hpp"
#include "cli/command.hpp"
#include "cli/helper_program.hpp"
#include "cli/outputs.hpp"
#include "cli/session.hpp"
#include "cli/terminal.hpp"
#include "hardware/parts.hpp"
#include "hardware/referee.hpp"
#include "hardware/writer.hpp"

namespace isaforge::cli {

namespace {

namespace fs = std::filesystem;

struct Options {
    IsaChoice isa;
    std::string output, language, testbench, reference;
    std::uint64_t count = 10000, seed = 1;
    std::string report;  // "all", or one part
};

bool is_named_vhdl(const std::string& path) { return path.ends_with(".vhd") || path.ends_with(".vhdl"); }

bool is_vhdl(const Options& options) {
    if (!options.language.empty()) return options.language == "vhdl";
    return is_named_vhdl(options.output.empty() ? options.testbench : options.output);
}

// Without a language that was said, names of files that say different ones.
bool is_undecided(const Options& options) {
    return options.language.empty() && !options.output.empty() && !options.testbench.empty() &&
           is_named_vhdl(options.output) != is_named_vhdl(options.testbench);
}

// The words of a testbench lie beside it: `tb.sv` reads `tb.words`.
fs::path words_path(const std::string& testbench) { return fs::path(testbench).replace_extension(".words"); }

bool write_testbench(const Options& options, const hardware::Decoder& decoder, const Codec& codec) {
    const fs::path words = words_path(options.testbench);
    const std::string name = words.filename().string();
    const std::string text =
        is_vhdl(options) ? hardware::vhdl_testbench(decoder, name) : hardware::systemverilog_testbench(decoder, name);
    if (!write_text(options.testbench, text)) return false;
    Output output;
    if (!output.open(words.string())) return false;
    hardware::expect_words(decoder, codec, options.count, options.seed,
                           [&](std::string_view line) { return output.write(line); });
    return output.commit();
}

// --- What synthesis says ------------------------------------------------------------------------------------------------

// The number behind the last of these words in a text; nothing where it is not there.
std::optional<unsigned> number_behind(const std::string& text, const std::string& words) {
    const std::size_t at = text.rfind(words);
    if (at == std::string::npos) return std::nullopt;
    const std::size_t digit = text.find_first_of("0123456789", at + words.size());
    return digit == std::string::npos ? std::nullopt
                                      : std::optional(static_cast<unsigned>(std::stoul(text.substr(digit))));
}

int report(const hardware::Decoder& decoder, const std::string& only) {
    const TemporaryFolder scratch;
    if (!scratch.is_there()) {
        complain("there is no room for temporary files");
        return input_error;
    }
    hardware::Parts parts = hardware::parts_of(decoder);
    if (only != "all") std::erase_if(parts.list, [&](const hardware::Part& part) { return part.name != only; });
    const fs::path source = scratch.path() / "decoder.sv", log = scratch.path() / "log";
    std::ofstream(source) << hardware::systemverilog(decoder) << parts.text;
    const auto file = [&](const char* what, const hardware::Part& part) { return scratch.path() / (what + part.name); };
    std::string script = fmt::format("read_verilog -sv {}; design -save read", source.string());
    for (const hardware::Part& part : parts.list) {
        script += fmt::format(
            "; design -load read; synth_ice40 -top {0}; tee -q -o {1} stat -top {0}; tee -q -o {2} ltp -noff {0}",
            part.module, file("size-", part).string(), file("path-", part).string());
    }
    const int status = run_program({"yosys", "-q", "-p", script}, log.string());
    if (status == 127) {
        complain("the report is Yosys's, and there is no program `yosys`: Debian has it in the package of that name");
        return input_error;
    }
    std::string out = fmt::format("{:<10}{:>6} {:>6}\n", "part", "LUTs", "depth");
    for (const hardware::Part& part : parts.list) {
        const std::optional<unsigned> depth = number_behind(file_text(file("path-", part)), "(length=");
        if (status != 0 || !depth) {
            complain(fmt::format("Yosys failed: {}", file_text(log)));
            return input_error;
        }
        const unsigned size = number_behind(file_text(file("size-", part)), "SB_LUT4").value_or(0);
        out += fmt::format("{:<10}{:>6} {:>6}\n", part.name, size, *depth);
    }
    tell(out);
    return success;
}

int hardware(const Options& options) {
    if (is_undecided(options)) {
        complain("a decoder and its testbench are in one language, and these names say two: say --language");
        return usage_error;
    }
    Session session;
    const std::shared_ptr<const Isa> isa = session.load(options.isa);
    const auto decoder = isa ? hardware::decoder_of(isa, session.sources, session.diagnostics) : std::nullopt;
    const int status = session.report();
    if (!decoder) return status == success ? input_error : status;
    const bool silent =
        options.output.empty() && (!options.report.empty() || !options.testbench.empty() || !options.reference.empty());
    const std::string words = options.testbench.empty() ? "" : words_path(options.testbench).string();
    if (!outputs_are_apart({options.output, options.testbench, words, options.reference}, session.sources))
        return usage_error;
    const std::string text = is_vhdl(options) ? hardware::vhdl(*decoder) : hardware::systemverilog(*decoder);
    if (!silent && !write_text(options.output.empty() ? "-" : options.output, text)) return input_error;
    if (!options.testbench.empty() || !options.reference.empty()) {
        const Codec codec(isa);
        if (!options.testbench.empty() && !write_testbench(options, *decoder, codec)) return input_error;
        if (!options.reference.empty() && !write_text(options.reference, hardware::reference(*decoder, codec)))
            return input_error;
    }
    return options.report.empty() ? status : report(*decoder, options.report);
}

Action define(Arguments& app) {
    auto options = std::make_shared<Options>();
    add_isa_positional(app, options->isa);
    app.add_option("-o,--output", options->output, "Where the decoder goes; - is standard output")->type_name("FILE");
    app.add_option("--language", options->language,
                   "What it is written in; without this VHDL where the file's name ends in .vhd or .vhdl, else\n"
                   "SystemVerilog")
        ->one_of({"systemverilog", "vhdl"});
    app.add_option("--testbench", options->testbench,
                   "Write a testbench too, and beside it words with what is expected of each: of tb.sv in\n"
                   "tb.words")
        ->type_name("FILE");
    app.add_option("--count", options->count, "How many words the testbench has")
        ->type_name("N")
        ->capture_default_str()
        ->in_range(1, any_number);
    app.add_option("--seed", options->seed, "The same seed gives the same words")
        ->type_name("S")
        ->capture_default_str()
        ->in_range(0, any_number);
    app.add_option("--reference", options->reference,
                   "Write what the decoder is to be too, made of other tables and in Verilog, with a module that\n"
                   "compares both: for a proof")
        ->type_name("FILE");
    app.add_flag("--report{all}", options->report,
                 "Say what each part costs on an iCE40, in LUTs and their depth, by Yosys; --report=PART of one alone")
        ->one_of({"all", "length", "format", "form", "operands"});
    return [options] { return hardware(*options); };
}

constexpr Command command{
    about_descriptions, "hardware", "A decoder in SystemVerilog or VHDL",
    "The decoder gives the length of an instruction, its format and form, its operands, and what it\n"
    "does to memory, registers and the flow of control; or that the word is none.\n\n"
    "Examples:\n"
    "  isaforge hardware machine.isa -o decoder.sv --testbench decoder_tb.sv\n"
    "  isaforge hardware machine.isa -o decoder.vhd\n"
    "  isaforge hardware machine.isa --report\n",
    define};
const Registration registration{command};

}  // namespace

}  // namespace isaforge::cli
