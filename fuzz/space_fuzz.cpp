// Any description: its code space is counted, and drawn, or it is said why not. The parts add up to the whole.
#include "description.hpp"
#include "render/space_map.hpp"

using namespace isaforge;

namespace {

void add_up(const Space& space) {
    Share in_ranges;
    for (const SpaceRange& range : space.free_ranges) in_ranges += range.size();
    fuzz::require(in_ranges == space.free_in_ranges && in_ranges <= space.free);
    fuzz::require(space.used + space.reserved + space.free == Share::block(0));
}

void draw(const Isa& isa, const render::SpaceMap& map) {
    std::uint64_t next = 0;
    for (const render::MapBlock& block : map.blocks) {
        fuzz::require(block.low == next && block.high >= block.low);
        next = block.high + 1;
        render::cell_text(map, block.low, block.high);
        render::names_text(isa, block, 3);
    }
    fuzz::require(next == map.cells());
    render::map_svg(isa, map, 300);
    render::map_text(isa, map, 64, true);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    fuzz::Loaded loaded;
    fuzz::load_text(loaded, fuzz::text_of(data, size));
    if (!loaded.isa) return 0;
    Space space;
    const bool counted = account_space(*loaded.isa, space, loaded.diagnostics);
    fuzz::require(counted || !loaded.diagnostics.ok());
    if (counted) add_up(space);
    if (const auto map = render::space_map(*loaded.isa, loaded.diagnostics)) draw(*loaded.isa, *map);
    to_text(loaded.diagnostics, loaded.sources);
    return 0;
}
