// Any text as a graph: it is read or refused; one that verifies does the same after each pass, and reads back.
#include "../tests/ir/bench_isa.hpp"
#include "../tests/ir/model.hpp"
#include "../tests/ir/random_graph.hpp"
#include "ir/passes/passes.hpp"
#include "ir/text.hpp"
#include "ir/verify.hpp"
#include "text.hpp"

using namespace isaforge;

namespace {

constexpr std::size_t most_steps = 400;

bool run(const ir::Graph& graph, std::string& trace) {
    ir::Model model(graph, ir::bench_isa(), 1);
    const bool ends = model.run(std::vector<std::uint64_t>(graph.blocks[0].arguments.size(), 5), most_steps);
    trace = model.trace;
    return ends;
}

void compare(const ir::Graph& before, const std::string& expected, void (*pass)(ir::Graph&)) {
    ir::Graph after = before;
    pass(after);
    fuzz::require(ir::verify(after, ir::bench_isa()).empty());
    std::string trace;
    fuzz::require(run(after, trace) && trace == expected);
}

std::string random_text(fuzz::Random& random) {
    return ir::to_text(ir::RandomGraph(ir::bench_isa(), random.next()).make(), ir::bench_isa());
}

}  // namespace

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed) {
    static const fuzz::Pieces pieces = [] {
        fuzz::Random random(1);
        std::vector<std::string> texts;
        for (unsigned i = 0; i < 50; ++i) texts.push_back(random_text(random));
        return fuzz::Pieces(texts);
    }();
    return fuzz::mutate(data, size, most, seed, [](std::string& text, fuzz::Random& random) {
        if (text.empty() || random.one_in(8))
            text = random_text(random);
        else
            fuzz::change_text(text, random, pieces, [](fuzz::Random& r) { return pieces.line(r); });
    });
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    std::string error;
    const auto graph = ir::parse(fuzz::text_of(data, size), ir::bench_isa(), error);
    fuzz::require(graph.has_value() == error.empty());
    if (!graph) return 0;
    if (!ir::verify(*graph, ir::bench_isa()).empty()) return 0;
    fuzz::require(ir::parse(ir::to_text(*graph, ir::bench_isa()), ir::bench_isa(), error).has_value());
    std::string expected;
    if (!run(*graph, expected)) return 0;
    compare(*graph, expected, [](ir::Graph& each) { ir::fold(each); });
    compare(*graph, expected, [](ir::Graph& each) { ir::share(each); });
    compare(*graph, expected, [](ir::Graph& each) { ir::forward_registers(each); });
    compare(*graph, expected, [](ir::Graph& each) { ir::forward_masked(each); });
    compare(*graph, expected, [](ir::Graph& each) { ir::drop_dead_writes(each); });
    compare(*graph, expected, [](ir::Graph& each) { ir::drop_unused(each); });
    compare(*graph, expected, [](ir::Graph& each) { ir::optimise(each); });
    return 0;
}
