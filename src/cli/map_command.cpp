// `isaforge map`: the code space as a picture.
#include <fmt/format.h>

#include <memory>

#include "cli/arguments.hpp"
#include "cli/command.hpp"
#include "cli/outputs.hpp"
#include "cli/session.hpp"
#include "cli/terminal.hpp"
#include "render/space_map.hpp"

namespace isaforge::cli {

namespace {

struct Options {
    IsaChoice isa;
    std::string output;
    unsigned width = 0;
};

int map(const Options& options) {
    Session session;
    const std::shared_ptr<const Isa> isa = session.load(options.isa);
    const auto map = isa ? render::space_map(*isa, session.diagnostics) : std::nullopt;
    const int status = session.report();
    if (!map) return status == success ? input_error : status;
    if (!options.output.empty()) {
        if (!outputs_are_apart({options.output}, session.sources)) return usage_error;
        const unsigned width = options.width == 0 ? 1400 : options.width;
        return write_text(options.output, render::map_svg(*isa, *map, width)) ? status : input_error;
    }
    std::fputs(render::map_text(*isa, *map, options.width == 0 ? 64 : options.width, colour_on_stdout()).c_str(),
               stdout);
    return status;
}

Action define(Arguments& app) {
    auto options = std::make_shared<Options>();
    add_isa_positional(app, options->isa);
    app.add_option("-o,--output", options->output, "Write an SVG there instead; - is standard output")
        ->type_name("FILE");
    app.add_option("--width", options->width,
                   "Of the SVG in pixels (1400), or letters in a row of the terminal (64; a power of two)")
        ->type_name("N")
        ->in_range(1, 10000);
    return [options] { return map(*options); };
}

constexpr Command command{about_descriptions, "map", "Draw the code space to scale",
                          "Blocks are instructions, coloured by format; hatching tells their length. What is white is\n"
                          "free.\n\n"
                          "Examples:\n"
                          "  isaforge map machine.isa\n"
                          "  isaforge map machine.isa -o map.svg\n",
                          define};
const Registration registration{command};

}  // namespace

}  // namespace isaforge::cli
