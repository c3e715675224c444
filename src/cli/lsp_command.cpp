// `isaforge lsp`: a language server for programs and descriptions, which an editor starts.
#include <csignal>
#include <cstdlib>
#include <memory>

#include "cli/arguments.hpp"
#include "cli/command.hpp"
#include "cli/session.hpp"
#include "cli/terminal.hpp"
#include "lsp/server.hpp"
#include "protocol/connection.hpp"

#include <unistd.h>

namespace isaforge::cli {

namespace {

struct Options {
    IsaChoice isa;
    std::vector<std::string> defines, include_paths;
    bool stdio = false;
};

int serve(const Options& options) {
    std::signal(SIGPIPE, SIG_IGN);  // an editor that is gone is the end of the input, too
    lsp::ServerOptions how;
    how.preset.name = options.isa.name;
    how.preset.variant = options.isa.variant;
    how.preset.dialect = options.isa.dialect;
    how.preset.parameters = options.isa.parameters;
    how.preset.include_paths = options.include_paths;
    for (const std::string& define : options.defines) {
        const std::size_t sign = std::min(define.find('='), define.size());
        how.preset.defines.emplace_back(define.substr(0, sign), define.substr(std::min(sign + 1, define.size())));
    }
    protocol::Connection connection(STDIN_FILENO, STDOUT_FILENO);
    lsp::Server server(how, [&](const lsp::Json& message) { connection.send(message); });
    while (!server.exited()) {
        std::optional<protocol::Incoming> incoming = connection.receive();
        if (!incoming) break;  // nobody said goodbye
        server.handle(std::move(*incoming));
    }
    const int status = server.exited() && server.exit_status() == 0 ? success : input_error;
    if (server.is_busy()) std::_Exit(status);  // an editor does not wait for what nobody will see
    return status;
}

Action define(Arguments& app) {
    auto options = std::make_shared<Options>();
    add_optional_isa_option(app, options->isa);
    app.add_option("-D,--define", options->defines, "Define a symbol in every program; 1 without a value")
        ->type_name("NAME[=VALUE]")
        ->allow_extra_args(false);
    app.add_option("-I,--include", options->include_paths, "Search included files of programs here too")
        ->type_name("DIR")
        ->allow_extra_args(false);
    app.add_flag("--stdio", options->stdio, "Speak over standard input and output; there is no other way");
    return [options] { return serve(*options); };
}

constexpr Command command{
    about_programs, "lsp", "Serve an editor that shows programs or descriptions",
    "An editor starts it and speaks the Language Server Protocol with it. A program says in its first\n"
    "lines which instruction set it is for, as `// isaforge: wishbone-gpu`, or an isaforge.json beside\n"
    "or above it does, as {\"isa\": \"machine.isa\"}, or the editor's settings do.\n"
    "\n"
    "Examples:\n"
    "  isaforge lsp\n"
    "  isaforge lsp -i wishbone-gpu\n",
    define};
const Registration registration{command};

}  // namespace

}  // namespace isaforge::cli
