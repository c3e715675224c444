// The greatest flow from demands to supplies through a small graph, and the cut that limits it.
#pragma once

#include <cstdint>
#include <vector>

namespace isaforge::allocator {

class Flow {
public:
    explicit Flow(std::size_t nodes) : first_(nodes, none) {}

    void edge(std::size_t from, std::size_t to, std::uint64_t capacity);
    std::uint64_t run(std::size_t source, std::size_t sink);
    // After run: whether the node is on the source's side of the cut.
    bool reached(std::size_t node) const { return distance_[node] >= 0; }

private:
    static constexpr std::uint32_t none = ~std::uint32_t{0};
    struct Edge {
        std::uint32_t to, next;
        std::uint64_t left;
    };
    bool layer(std::size_t source, std::size_t sink);
    std::uint64_t push(std::size_t node, std::size_t sink, std::uint64_t most);

    std::vector<Edge> edges_;
    std::vector<std::uint32_t> first_, current_;
    std::vector<int> distance_;
};

}  // namespace isaforge::allocator
