#include "allocator/placement.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <set>
#include <utility>

#include "allocator/room.hpp"

namespace isaforge::allocator {

namespace {

using Ref = Bdd::Ref;

constexpr unsigned most_runs = 64;         // looked at for one class
constexpr unsigned most_starts = 6;        // looked ahead from
constexpr std::uint64_t most_steps = 1u << 16;  // through blocks one by one

std::uint64_t align_up(std::uint64_t value, std::uint64_t to) { return (value + to - 1) / to * to; }

// All parts of a class one behind the other, as codes from a start that is still open.
struct Row {
    std::vector<std::pair<std::size_t, std::uint64_t>> parts;       // part, code
    std::vector<std::pair<std::uint64_t, std::uint64_t>> blocks;    // used ones, first and last
    std::uint64_t length = 0, alignment = 1;                        // in blocks
};

class Placer {
public:
    Placer(const Classes& classes, const Plan& plan, bool look_ahead, std::size_t& looks)
        : classes_(classes),
          plan_(plan),
          look_ahead_(look_ahead),
          looks_(looks),
          room_(classes),
          placed_(classes.list.size()),
          starts_(classes.list.size()),
          blocks_(classes.list.size(), Bdd::none),
          assignment_(classes.problem.items.size()) {
        find_relatives();
    }

    std::optional<Placement> run() {
        for (const std::size_t index : plan_.order) {
            if (placed_[index]) continue;  // with its relative
            placed_[index] = true;
            place_opened(index);
            if (plan_.policy[index] == Policy::interleaved && place_with_relative(index)) continue;
            if (!place_in_a_row(index, true) && !place_in_a_row(index, false) && !place_in_pieces(index)) {
                return std::nullopt;
            }
        }
        return Placement{std::move(assignment_), std::move(blocks_), std::move(room_.bdd())};
    }

private:
    const Class& group(std::size_t index) const { return classes_.list[index]; }

    // The class of the same width that each class has most relations with.
    void find_relatives() {
        relative_.assign(classes_.list.size(), classes_.list.size());
        std::vector<std::size_t> class_of(classes_.problem.items.size());
        for (std::size_t i = 0; i < classes_.list.size(); ++i) {
            for (const std::size_t item : group(i).items) class_of[item] = i;
        }
        std::map<std::pair<std::size_t, std::size_t>, unsigned> counts;
        for (const auto& [a, b] : classes_.problem.related) {
            const std::size_t x = class_of[a], y = class_of[b];
            if (x == y || group(x).chosen != group(y).chosen) continue;
            ++counts[{x, y}];
            ++counts[{y, x}];
        }
        std::vector<unsigned> best(classes_.list.size());
        for (const auto& [pair, count] : counts) {
            if (count <= best[pair.first]) continue;
            best[pair.first] = count;
            relative_[pair.first] = pair.second;
        }
    }

    void assign(const Class& group, std::size_t part, std::uint64_t code) {
        for (const std::size_t item : group.parts[part].items) assignment_[item] = group.word(code++);
    }

    void take(std::size_t index, Ref blocks) {
        room_.take(index, blocks);
        blocks_[index] = room_.bdd().either(blocks_[index], blocks);
    }

    // Rows for which fixed ones have left codes.
    void place_opened(std::size_t index) {
        for (const SlotPlace& place : group(index).places) {
            const Slot& slot = group(index).slots[place.slot];
            if (slot.kind != Slot::Kind::opened) continue;
            assign(group(index), place.part, (slot.block << group(index).extra_bits) + place.code);
        }
    }

    Row row_of(const Class& group, bool in_pairs) const {
        std::vector<bool> elsewhere(group.parts.size());
        for (const SlotPlace& place : group.places) {
            elsewhere[place.part] = group.slots[place.slot].kind == Slot::Kind::opened;
        }
        Row row;
        std::uint64_t cursor = 0;
        std::optional<unsigned> table;
        for (std::size_t i = 0; i < group.parts.size(); ++i) {
            if (elsewhere[i]) continue;
            const Part& part = group.parts[i];
            const unsigned here = classes_.problem.items[part.items.front()].table;
            if (part.size > 1) {
                cursor = align_up(cursor, part.size);
                row.alignment = std::max<std::uint64_t>(row.alignment, part.size >> group.extra_bits);
            } else if (in_pairs && table != here) {
                cursor = align_up(cursor, 2);
            }
            table = here;
            row.parts.push_back({i, cursor});
            const std::uint64_t first = cursor >> group.extra_bits;
            cursor += part.items.size();
            const std::uint64_t last = (cursor - 1) >> group.extra_bits;
            if (!row.blocks.empty() && row.blocks.back().second + 1 >= first) {
                row.blocks.back().second = last;
            } else {
                row.blocks.push_back({first, last});
            }
            row.length = last + 1;
        }
        return row;
    }

    // Where a row of this length may begin, best first.
    std::vector<std::uint64_t> starts(std::size_t index, const Row& row) {
        const Policy policy = plan_.policy[index];
        std::vector<std::uint64_t> found;
        if (policy == Policy::beside) {
            starts_beside(index, row, found);
            if (!found.empty()) return found;
        }
        const std::uint64_t whole = std::bit_ceil(row.length);
        if (policy != Policy::low && policy != Policy::high)
            starts_at(index, row, std::max(row.alignment, whole), found);
        starts_at(index, row, row.alignment, found);
        return found;
    }

    void starts_beside(std::size_t index, const Row& row, std::vector<std::uint64_t>& found) {
        const std::size_t relative = relative_[index];
        if (relative == classes_.list.size() || !starts_[relative]) return;
        for (unsigned bit = 0; bit < group(index).block_bits && found.size() < most_starts; ++bit) {
            const std::uint64_t start = *starts_[relative] ^ (std::uint64_t{1} << bit);
            const auto run = room_.run(index, start);
            if (run && run->first == start && start + row.length - 1 <= run->second && start % row.alignment == 0) {
                found.push_back(start);
            }
        }
    }

    // Of the runs that the class may open and that have room for so many blocks from an aligned one on: that one, and the
    // run's last.
    std::vector<std::pair<std::uint64_t, std::uint64_t>> roomy_runs(std::size_t index, std::uint64_t length,
                                                                    std::uint64_t alignment) {
        std::vector<std::pair<std::uint64_t, std::uint64_t>> found;
        std::uint64_t from = 0;
        for (unsigned i = 0; i < most_runs; ++i) {
            const auto run = room_.run(index, from);
            if (!run) break;
            from = run->second + 1;
            const std::uint64_t lowest = align_up(run->first, alignment);
            if (lowest <= run->second && run->second - lowest + 1 >= length) found.emplace_back(lowest, run->second);
        }
        return found;
    }

    void starts_at(std::size_t index, const Row& row, std::uint64_t alignment, std::vector<std::uint64_t>& found) {
        const bool high = plan_.policy[index] == Policy::high || plan_.policy[index] == Policy::high_aligned;
        std::vector<std::uint64_t> all;
        for (const auto& [lowest, last] : roomy_runs(index, row.length, alignment)) {
            const std::uint64_t highest = (last + 1 - row.length) / alignment * alignment;
            all.push_back(high ? highest : lowest);
        }
        if (high) std::reverse(all.begin(), all.end());
        for (const std::uint64_t start : all) {
            if (found.size() < most_starts && std::find(found.begin(), found.end(), start) == found.end()) {
                found.push_back(start);
            }
        }
    }

    bool place_in_a_row(std::size_t index, bool in_pairs) {
        const Row row = row_of(group(index), in_pairs);
        if (row.parts.empty()) return true;
        for (const std::uint64_t start : starts(index, row)) {
            Ref blocks = Bdd::none;
            for (const auto& [first, last] : row.blocks) {
                blocks = room_.bdd().either(blocks, group(index).blocks(room_.bdd(), start + first, start + last));
            }
            if (!leaves_room(index, blocks)) continue;
            take(index, blocks);
            starts_[index] = start;
            const std::uint64_t code = start << group(index).extra_bits;
            for (const auto& [part, offset] : row.parts) assign(group(index), part, code + offset);
            return true;
        }
        return false;
    }

    static bool is_plain(const Class& group) {
        return group.chunks.empty() &&
               std::none_of(group.slots.begin(), group.slots.end(),
                            [](const Slot& slot) { return slot.kind == Slot::Kind::opened; }) &&
               std::all_of(group.parts.begin(), group.parts.end(), [](const Part& part) { return part.size == 1; });
    }

    // Codes for the relative's parts: those of the parts that they are related to; the others where one is left.
    std::map<std::size_t, std::uint64_t> codes_beside(const Row& row, std::size_t index, std::size_t relative) const {
        std::map<std::size_t, std::uint64_t> code_of_item;
        for (const auto& [part, code] : row.parts) code_of_item[group(index).parts[part].items.front()] = code;
        std::map<std::size_t, std::uint64_t> wanted;  // by item of the relative
        for (const auto& [a, b] : classes_.problem.related) {
            if (code_of_item.contains(a)) wanted.emplace(b, code_of_item[a]);
            if (code_of_item.contains(b)) wanted.emplace(a, code_of_item[b]);
        }
        std::map<std::size_t, std::uint64_t> codes;
        std::set<std::uint64_t> used;
        const std::vector<Part>& parts = group(relative).parts;
        for (std::size_t i = 0; i < parts.size(); ++i) {
            const auto code = wanted.find(parts[i].items.front());
            if (code != wanted.end() && used.insert(code->second).second) codes[i] = code->second;
        }
        std::uint64_t next = 0;
        for (std::size_t i = 0; i < parts.size(); ++i) {
            if (codes.contains(i)) continue;
            while (!used.insert(next).second) ++next;
            codes[i] = next;
        }
        return codes;
    }

    // This class at even blocks from some start on, its relative at the odd ones.
    bool place_with_relative(std::size_t index) {
        const std::size_t relative = relative_[index];
        if (look_ahead_ || relative == classes_.list.size() || placed_[relative]) return false;
        const Class &even = group(index), &odd = group(relative);
        if (!is_plain(even) || !is_plain(odd)) return false;
        const Row row = row_of(even, true);
        const auto codes = codes_beside(row, index, relative);
        std::uint64_t length = row.length;
        for (const auto& [part, code] : codes) length = std::max(length, (code >> odd.extra_bits) + 1);
        for (const std::uint64_t alignment : {std::bit_ceil(2 * length), std::uint64_t{2}}) {
            for (const auto& run : roomy_runs(index, 2 * length, alignment)) {
                if (interleave(index, relative, row, codes, run.first)) return true;
            }
        }
        return false;
    }

    bool interleave(std::size_t index, std::size_t relative, const Row& row,
                    const std::map<std::size_t, std::uint64_t>& codes, std::uint64_t start) {
        const Class &even = group(index), &odd = group(relative);
        const auto block = [&](std::uint64_t code, unsigned extra, unsigned side) {
            return start + 2 * (code >> extra) + side;
        };
        const auto word = [&](std::uint64_t code, unsigned extra, unsigned side) {
            return (block(code, extra, side) << extra) + (code & ((std::uint64_t{1} << extra) - 1));
        };
        Ref evens = Bdd::none, odds = Bdd::none;
        for (const auto& [part, code] : row.parts) {
            const std::uint64_t number = block(code, even.extra_bits, 0);
            evens = room_.bdd().either(evens, even.blocks(room_.bdd(), number, number));
        }
        for (const auto& [part, code] : codes) {
            const std::uint64_t number = block(code, odd.extra_bits, 1);
            odds = room_.bdd().either(odds, odd.blocks(room_.bdd(), number, number));
        }
        if (!room_.bdd().contains(room_.allowed(index), evens) || !room_.bdd().contains(room_.allowed(relative), odds))
            return false;
        placed_[relative] = true;
        take(index, evens);
        take(relative, odds);
        starts_[index] = starts_[relative] = start;
        for (const auto& [part, code] : row.parts) assign(even, part, word(code, even.extra_bits, 0));
        for (const auto& [part, code] : codes) assign(odd, part, word(code, odd.extra_bits, 1));
        return true;
    }

    // Chunks and blocks of a class that finds no room in a row: each where it leaves room for the rest.
    bool place_in_pieces(std::size_t index) {
        std::vector<Demand> rest = demands_of(room_.bdd(), group(index), index);
        std::map<std::size_t, std::uint64_t> chunk_starts;
        std::vector<std::size_t> chunks = group(index).chunks;
        std::stable_sort(chunks.begin(), chunks.end(), [&](std::size_t a, std::size_t b) {
            return group(index).parts[a].size > group(index).parts[b].size;
        });
        for (const std::size_t part : chunks) {
            for (Demand& demand : rest) {
                if (demand.depth == group(index).chunk_depth(group(index).parts[part].size) &&
                    demand.blocks == group(index).chunk_blocks(part) && demand.depth != group(index).width) {
                    --demand.count;
                    break;
                }
            }
            const auto start = place_chunk(index, part, rest);
            if (!start) return false;
            chunk_starts[part] = *start;
        }
        std::vector<std::uint64_t> fresh;
        if (!place_fresh(index, fresh)) return false;
        for (const std::size_t part : chunks) {
            assign(group(index), part, chunk_starts[part] << group(index).extra_bits);
        }
        for (const SlotPlace& place : group(index).places) {
            const Slot& slot = group(index).slots[place.slot];
            if (slot.kind == Slot::Kind::opened) continue;
            const std::uint64_t block =
                slot.kind == Slot::Kind::fresh ? fresh[slot.block] : chunk_starts[slot.part] + slot.block;
            assign(group(index), place.part, (block << group(index).extra_bits) + place.code);
        }
        return true;
    }

    // What the classes may do in a part of the space: two parts that look alike need not both be tried.
    std::vector<Ref> look(unsigned depth, Bits word) {
        std::vector<Ref> look;
        for (std::size_t i = 0; i < classes_.list.size(); ++i) {
            look.push_back(room_.bdd().follow(room_.allowed(i), depth, word));
        }
        return look;
    }

    std::optional<std::uint64_t> place_chunk(std::size_t index, std::size_t part, const std::vector<Demand>& rest) {
        const std::uint64_t size = group(index).parts[part].size >> group(index).extra_bits;
        const std::uint64_t count = group(index).chunk_blocks(part);
        const unsigned depth = group(index).chunk_depth(group(index).parts[part].size);
        std::set<std::vector<Ref>> refused;
        std::uint64_t from = 0;
        for (std::uint64_t step = 0; step < most_steps; ++step) {
            const auto next = room_.seek(index, from, true);
            if (!next) break;
            const std::uint64_t start = align_up(*next, size);
            if (start != *next) {
                from = start;
                continue;
            }
            from = start + size;
            const Ref blocks = group(index).blocks(room_.bdd(), start, start + count - 1);
            if (!room_.bdd().contains(room_.allowed(index), blocks)) continue;
            std::vector<Ref> here = look(depth, group(index).block(start));
            if (refused.contains(here)) continue;
            if (leaves_room(index, blocks, rest)) {
                take(index, blocks);
                return start;
            }
            refused.insert(std::move(here));
        }
        return std::nullopt;
    }

    bool place_fresh(std::size_t index, std::vector<std::uint64_t>& numbers) {
        std::uint64_t left = group(index).fresh, from = 0;
        std::set<std::vector<Ref>> refused;
        for (std::uint64_t step = 0; left != 0 && step < most_steps; ++step) {
            const auto run = room_.run(index, from);
            if (!run) return false;
            from = run->first + 1;
            std::vector<Ref> here = look(group(index).width, group(index).block(run->first));
            if (refused.contains(here)) continue;
            std::uint64_t count = std::min(left, run->second - run->first + 1);
            for (; count != 0; count /= 2) {
                const Ref blocks = group(index).blocks(room_.bdd(), run->first, run->first + count - 1);
                std::vector<Demand> rest{{index, group(index).width, Bdd::all, 1, left - count}};
                if (!leaves_room(index, blocks, rest)) continue;
                take(index, blocks);
                for (std::uint64_t i = 0; i < count; ++i) numbers.push_back(run->first + i);
                left -= count;
                from = run->first + count;
                refused.clear();
                break;
            }
            if (count == 0) refused.insert(std::move(here));
        }
        return left == 0;
    }

    bool leaves_room(std::size_t index, Ref blocks, const std::vector<Demand>& rest = {}) {
        if (look_ahead_) ++looks_;
        return !look_ahead_ || room_.leaves_room(index, blocks, placed_, rest);
    }

    const Classes& classes_;
    const Plan& plan_;
    const bool look_ahead_;
    std::size_t& looks_;
    Room room_;
    std::vector<bool> placed_;
    std::vector<std::size_t> relative_;                  // class; their number where there is none
    std::vector<std::optional<std::uint64_t>> starts_;   // of classes that are in a row
    std::vector<Ref> blocks_;
    Assignment assignment_;
};

// One part after the other, without a look ahead.
class FirstFit {
public:
    explicit FirstFit(const Classes& classes)
        : classes_(classes),
          room_(classes),
          open_(classes.list.size()),
          from_(classes.list.size()),
          blocks_(classes.list.size(), Bdd::none),
          assignment_(classes.problem.items.size()) {
        for (std::size_t i = 0; i < classes.list.size(); ++i) {
            for (const Slot& slot : classes.list[i].slots) {
                if (slot.kind == Slot::Kind::opened) open_[i][slot.block] = slot.before;
            }
        }
    }

    std::optional<Placement> run(const std::vector<unsigned>& formats) {
        struct Turn {
            std::size_t rank, item, index, part;
        };
        std::vector<Turn> turns;
        for (std::size_t index = 0; index < classes_.list.size(); ++index) {
            const Class& group = classes_.list[index];
            const auto rank = std::find(formats.begin(), formats.end(), group.formats.front()) - formats.begin();
            for (std::size_t part = 0; part < group.parts.size(); ++part) {
                turns.push_back({static_cast<std::size_t>(rank), group.parts[part].items.front(), index, part});
            }
        }
        std::sort(turns.begin(), turns.end(),
                  [](const Turn& a, const Turn& b) { return std::pair(a.rank, a.item) < std::pair(b.rank, b.item); });
        for (const Turn& turn : turns) {
            if (!put(turn.index, turn.part)) return std::nullopt;
        }
        return Placement{std::move(assignment_), std::move(blocks_), std::move(room_.bdd())};
    }

private:
    bool put(std::size_t index, std::size_t part) {
        const Class& group = classes_.list[index];
        const auto code =
            group.parts[part].size > group.block_codes() ? code_of_chunk(index, part) : code_in_block(index, part);
        if (!code) return false;
        std::uint64_t at = *code;
        for (const std::size_t item : group.parts[part].items) {
            open_[index][at >> group.extra_bits][at % group.block_codes()] = true;
            assignment_[item] = group.word(at++);
        }
        return true;
    }

    void open(std::size_t index, std::uint64_t first, std::uint64_t last) {
        const Class& group = classes_.list[index];
        const Ref blocks = group.blocks(room_.bdd(), first, last);
        room_.take(index, blocks);
        blocks_[index] = room_.bdd().either(blocks_[index], blocks);
        for (std::uint64_t i = first; i <= last; ++i) {
            open_[index].emplace(i, std::vector<bool>(group.block_codes()));
        }
    }

    std::optional<std::uint64_t> code_in_block(std::size_t index, std::size_t part) {
        const Class& group = classes_.list[index];
        const std::size_t size = group.parts[part].size, count = group.parts[part].items.size();
        if (group.extra_bits != 0) {
            for (const auto& [block, taken] : open_[index]) {
                for (std::size_t at = 0; at < taken.size(); at += size) {
                    const auto begin = taken.begin() + static_cast<std::ptrdiff_t>(at);
                    if (std::find(begin, begin + static_cast<std::ptrdiff_t>(count), true) ==
                        begin + static_cast<std::ptrdiff_t>(count)) {
                        return (block << group.extra_bits) + at;
                    }
                }
            }
        }
        const auto block = room_.seek(index, from_[index], true);
        if (!block) return std::nullopt;
        from_[index] = *block;
        open(index, *block, *block);
        return *block << group.extra_bits;
    }

    std::optional<std::uint64_t> code_of_chunk(std::size_t index, std::size_t part) {
        const Class& group = classes_.list[index];
        const std::uint64_t size = group.parts[part].size >> group.extra_bits, count = group.chunk_blocks(part);
        std::uint64_t from = 0;
        for (std::uint64_t step = 0; step < most_steps; ++step) {
            const auto next = room_.seek(index, from, true);
            if (!next) break;
            const std::uint64_t start = *next / size * size;
            from = start + size;
            const Ref blocks = group.blocks(room_.bdd(), start, start + count - 1);
            if (!room_.bdd().contains(room_.allowed(index), blocks)) continue;
            open(index, start, start + count - 1);
            for (std::uint64_t i = 0; i < count; ++i) {
                open_[index].emplace(start + i, std::vector<bool>(group.block_codes()));
            }
            return start << group.extra_bits;
        }
        return std::nullopt;
    }

    const Classes& classes_;
    Room room_;
    std::vector<std::map<std::uint64_t, std::vector<bool>>> open_;  // blocks with some code left
    std::vector<std::uint64_t> from_;                               // nothing is free below
    std::vector<Ref> blocks_;
    Assignment assignment_;
};

}  // namespace

std::optional<Placement> place(const Classes& classes, const Plan& plan, bool look_ahead, std::size_t& looks) {
    return Placer(classes, plan, look_ahead, looks).run();
}

std::optional<Placement> place_first_fit(const Classes& classes, const std::vector<unsigned>& formats) {
    return FirstFit(classes).run(formats);
}

}  // namespace isaforge::allocator
