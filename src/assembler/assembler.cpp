// The public entry: sets the engine up from the description, runs the passes.
#include "isaforge/assembler.hpp"

#include <algorithm>
#include <bit>

#include "assembler/flavour_host.hpp"
#include "support/in_order.hpp"

namespace isaforge {

namespace assembler {

Engine::Engine(const Codec& codec, SourceManager& sources, const AssembleOptions& options, Object& object,
               Diagnostics& diagnostics, Listing* listing, ProgramNames* names)
    : codec_(codec),
      isa_(codec.isa()),
      sources_(sources),
      options_(options),
      object_(object),
      diagnostics_(diagnostics),
      listing_(listing),
      names_(names),
      surface_(codec.isa().surface),
      sections_(std::max(1u, codec.isa().address_bits / 8), options.max_output),
      expressions_(symbols_, sections_),
      line_marks_(sources) {
    little_endian_ = !isa_.big_endian;
    expressions_.constants = &isa_.constants;
    if (!surface_.switches.empty()) {
        constants_ = isa_.constants;
        expressions_.constants = &constants_;
    }
    for (const Expansion& expansion : isa_.expansions) {
        Macro macro;
        macro.name = expansion.name;
        macro.body = expansion.body;
        for (const std::string& name : expansion.parameters) macro.parameters.push_back({name, {}, true, false});
        described_macros_.emplace(expansion.name, std::move(macro));
    }
    data_big_endian_ = isa_.memories.empty() ? isa_.big_endian : isa_.memories[0].big_endian;
    record_lines_ = options.line_table;
    const unsigned step = std::max(1u, isa_.address_bits / 8);
    step_is_power_ = std::has_single_bit(step);
    step_shift_ = static_cast<unsigned>(std::countr_zero(step));
    use_surface(codec.isa().surface);
    if (!names) return;
    expressions_.mentioned = [this](Index symbol, const char* begin, const char* end) {
        mention(Named::symbol, symbol, begin, end, false);
    };
}

// From here on the source is written like this.
void Engine::use_surface(const Surface& surface) {
    surface_ = surface;
    newline_ends_ = surface.statement_end.empty();
    usual_end_ = newline_ends_ ? '\n' : surface.statement_end.size() == 1 ? surface.statement_end[0] : '\0';
    std::fill(std::begin(lexical_), std::end(lexical_), std::uint8_t{0});
    const auto begins = [&](const std::string& text, std::uint8_t what) {
        if (!text.empty()) lexical_[static_cast<unsigned char>(text[0])] |= what;
    };
    for (const std::string& mark : surface.line_comments) begins(mark, lexical_comment);
    for (const auto& [open, close] : surface.block_comments) begins(open, lexical_comment);
    begins(surface.statement_end, lexical_end);
    begins(surface.separator, lexical_end);
    begins(surface.define, lexical_define);
    begins(surface.undefine, lexical_define);
    symbols_.registers = expressions_.registers = &codec_;
    expressions_.syntax.use(surface);
}

// A directive that only one dialect has says whose the source is.
void Engine::use_dialect(std::string_view dialect) {
    const auto own = isa_.dialect_surfaces.find(std::string(dialect));
    if (own == isa_.dialect_surfaces.end()) return;
    if (own->first != isa_.dialect) object_.dialect = own->first;
    ahead_.reset();
    use_surface(own->second);
}

void Engine::use_variant(std::string_view variant) {
    if (variant != isa_.variant) object_.wanted_variant = variant;
}

// Room for what a source of this size usually makes. What is not used costs nothing; growing copies, and takes new
// memory from the system each time.
void Engine::expect(std::size_t source_bytes) {
    constexpr std::size_t bytes_a_symbol = 300, bytes_a_code_byte = 4;
    fixups_.reserve(source_bytes / bytes_a_symbol);
    symbols_.reserve(source_bytes / bytes_a_symbol);
    sections_[0].section.bytes.reserve(std::min<std::uint64_t>(source_bytes / bytes_a_code_byte, options_.max_output));
}

bool Engine::assemble(FileId main) {
    main_ = main;
    const std::size_t errors = diagnostics_.errors();
    object_ = isaforge::make_object(isa_);
    sections_.add(".text");
    enter(0);
    if (!choose_flavour()) return false;
    const unsigned threads = thread_count(options_.threads);
    const auto read = [&](FileId file) {
        Input input;
        input.file = file;
        const std::string_view text = sources_.text(file);
        input.begin = input.base = text.data();
        input.end = text.data() + text.size();
        if (file == main && Ahead::is_worthwhile(text.size(), threads))
            ahead_ = std::make_unique<Ahead>(codec_, text, threads);
        run_file(input);
        ahead_.reset();
    };
    std::string defines;
    for (const auto& [name, value] : options_.defines) defines += name + " = " + (value.empty() ? "1" : value) + "\n";
    if (!defines.empty()) read(sources_.add("<command line>", std::move(defines)));
    expect(sources_.text(main).size());
    read(main);
    if (flavoured_) flavoured_->finish();
    finish();
    if (flavoured_) flavoured_->complete(object_);
    if (names_) tell_names();
    return diagnostics_.errors() == errors;
}

}  // namespace assembler

std::vector<std::string_view> assembler_directives() { return assembler::Engine::directive_names(); }

bool assemble(const Codec& codec, FileId main, SourceManager& sources, const AssembleOptions& options, Object& object,
              Diagnostics& diagnostics, Listing* listing, ProgramNames* names) {
    assembler::Engine engine(codec, sources, options, object, diagnostics, listing, names);
    return engine.assemble(main);
}

}  // namespace isaforge
