#include "allocator/flow.hpp"

#include <algorithm>

namespace isaforge::allocator {

void Flow::edge(std::size_t from, std::size_t to, std::uint64_t capacity) {
    edges_.push_back({static_cast<std::uint32_t>(to), first_[from], capacity});
    first_[from] = static_cast<std::uint32_t>(edges_.size() - 1);
    edges_.push_back({static_cast<std::uint32_t>(from), first_[to], 0});
    first_[to] = static_cast<std::uint32_t>(edges_.size() - 1);
}

// Distances from the source along edges that have something left.
bool Flow::layer(std::size_t source, std::size_t sink) {
    distance_.assign(first_.size(), -1);
    distance_[source] = 0;
    std::vector<std::size_t> queue{source};
    for (std::size_t at = 0; at < queue.size(); ++at) {
        for (std::uint32_t e = first_[queue[at]]; e != none; e = edges_[e].next) {
            if (edges_[e].left == 0 || distance_[edges_[e].to] >= 0) continue;
            distance_[edges_[e].to] = distance_[queue[at]] + 1;
            queue.push_back(edges_[e].to);
        }
    }
    return distance_[sink] >= 0;
}

std::uint64_t Flow::push(std::size_t node, std::size_t sink, std::uint64_t most) {
    if (node == sink) return most;
    for (std::uint32_t& e = current_[node]; e != none; e = edges_[e].next) {
        if (edges_[e].left == 0 || distance_[edges_[e].to] != distance_[node] + 1) continue;
        const std::uint64_t done = push(edges_[e].to, sink, std::min(most, edges_[e].left));
        if (done == 0) continue;
        edges_[e].left -= done;
        edges_[e ^ 1].left += done;
        return done;
    }
    return 0;
}

std::uint64_t Flow::run(std::size_t source, std::size_t sink) {
    std::uint64_t sum = 0;
    while (layer(source, sink)) {
        current_ = first_;
        while (const std::uint64_t done = push(source, sink, ~std::uint64_t{0})) sum += done;
    }
    return sum;
}

}  // namespace isaforge::allocator
