#include "allocator/words.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <optional>
#include <tuple>

#include "allocator/classes.hpp"

namespace isaforge::allocator {

namespace {

constexpr unsigned most_code_bits = 12;            // of one row: all codes are looked at
constexpr std::size_t most_chunks = 2000;          // each is a step of a recursion
constexpr std::uint64_t most_work = 30'000'000;    // pairs of words that are compared

bool meet(const Cube& a, const Cube& b) { return ((a.value ^ b.value) & a.mask & b.mask) == 0; }

// One or more rows whose codes follow one another.
struct Chunk {
    std::vector<std::size_t> items;
    std::uint64_t size = 1;
};

// A place for a chunk: the code of its first row, and the words of all of them.
struct Candidate {
    std::uint64_t code = 0;
    std::vector<Cube> words;
};

// Chunks that may change places with one another.
struct Kind {
    std::vector<std::size_t> chunks;
    std::vector<Candidate> candidates;
};

bool same_rows(const Item& a, const Item& b) {
    return a.chosen == b.chosen && std::equal(a.forms.begin(), a.forms.end(), b.forms.begin(), b.forms.end(),
                                              [](const Shape& x, const Shape& y) {
                                                  return x.format == y.format && x.constants == y.constants;
                                              });
}

class WordSearch {
public:
    WordSearch(const Problem& problem, std::uint64_t most) : problem_(problem), most_(most) {}

    WordsAnswer run() {
        WordsAnswer out;
        if (!prepare()) return out;
        std::vector<std::vector<std::uint32_t>> open;
        for (const Kind& kind : kinds_) {
            open.emplace_back();
            for (std::uint32_t i = 0; i < kind.candidates.size(); ++i) open.back().push_back(i);
            left_.push_back(kind.chunks.size());
            chosen_.emplace_back();
        }
        const bool found = place(std::move(open));
        out.placements = placements_;
        out.answer = found ? Answer::yes : gave_up_ ? Answer::gave_up : Answer::no;
        if (found) out.assignment = assignment();
        if (out.answer != Answer::no) return out;
        for (const Kind& kind : kinds_) {
            out.free.push_back({{}, kind.candidates.size()});
            for (const std::size_t chunk : kind.chunks)
                out.free.back().items.insert(out.free.back().items.end(), chunks_[chunk].items.begin(),
                                             chunks_[chunk].items.end());
        }
        return out;
    }

private:
    // Rows of one table that stand in aligned chunks, as Classes cuts them, and the kinds of chunks.
    bool prepare() {
        std::map<std::tuple<unsigned, Bits, unsigned>, std::size_t> last;
        for (std::size_t i = 0; i < problem_.items.size(); ++i) {
            const Item& item = problem_.items[i];
            const auto bits = static_cast<unsigned>(std::popcount(item.chosen));
            if (bits > most_code_bits) return false;
            const std::uint64_t size = std::min<std::uint64_t>(item.aligned, std::uint64_t{1} << bits);
            const auto [entry, added] = last.try_emplace({item.table, item.chosen, item.aligned}, chunks_.size());
            if (size > 1 && !added && chunks_[entry->second].items.size() < size) {
                chunks_[entry->second].items.push_back(i);
                continue;
            }
            entry->second = chunks_.size();
            chunks_.push_back({{i}, size});
        }
        for (std::size_t i = 0; i < chunks_.size(); ++i) {
            const auto alike = [&](const Kind& kind) {
                const Chunk& other = chunks_[kind.chunks.front()];
                return other.size == chunks_[i].size &&
                       std::equal(other.items.begin(), other.items.end(), chunks_[i].items.begin(),
                                  chunks_[i].items.end(), [&](std::size_t a, std::size_t b) {
                                      return same_rows(problem_.items[a], problem_.items[b]);
                                  });
            };
            const auto kind = std::find_if(kinds_.begin(), kinds_.end(), alike);
            if (kind == kinds_.end())
                kinds_.push_back({{i}, {}});
            else
                kind->chunks.push_back(i);
        }
        if (chunks_.size() > most_chunks) return false;
        Classes classes(problem_, Grouping::by_pools);
        for (Kind& kind : kinds_) find_candidates(kind, classes);
        return !gave_up_;
    }

    std::vector<Cube> words_of(const Item& item, std::uint64_t code) const {
        std::vector<Cube> out;
        const Bits chosen = spread(code, item.chosen);
        for (const Shape& form : item.forms) {
            out.push_back({form.constants.mask | item.chosen,
                           (form.constants.value & form.constants.mask & ~item.chosen) | chosen});
        }
        return out;
    }

    // Codes whose words are in the region of their format, and nobody else's yet.
    void find_candidates(Kind& kind, Classes& classes) {
        const Chunk& chunk = chunks_[kind.chunks.front()];
        const std::uint64_t codes = std::uint64_t{1} << std::popcount(problem_.items[chunk.items.front()].chosen);
        for (std::uint64_t first = 0; first + chunk.items.size() <= codes; first += chunk.size) {
            Candidate candidate{first, {}};
            bool good = true;
            for (std::size_t i = 0; i < chunk.items.size() && good; ++i) {
                const Item& item = problem_.items[chunk.items[i]];
                const std::vector<Cube> words = words_of(item, first + i);
                for (std::size_t k = 0; k < words.size() && good; ++k) {
                    good = classes.bdd.contains(region(classes, item.forms[k].format), classes.bdd.cube(words[k])) &&
                           free(words[k]);
                }
                candidate.words.insert(candidate.words.end(), words.begin(), words.end());
            }
            if (gave_up_ || classes.bdd.exhausted()) return void(gave_up_ = true);
            if (good) kind.candidates.push_back(std::move(candidate));
        }
    }

    Bdd::Ref region(Classes& classes, unsigned format) {
        const auto [entry, added] = regions_.try_emplace(format);
        if (added) entry->second = classes.region({format});
        return entry->second;
    }

    bool free(const Cube& word) {
        work(problem_.fixed.size());
        return std::none_of(problem_.fixed.begin(), problem_.fixed.end(),
                            [&](const FixedRow& row) { return meet(row.shape.constants, word); }) &&
               std::none_of(problem_.reserved.begin(), problem_.reserved.end(),
                            [&](const ReservedWords& reserved) { return meet(reserved.pattern, word); });
    }

    void work(std::uint64_t pairs) {
        work_ += pairs;
        if (work_ > most_work) gave_up_ = true;
    }

    static bool meet_any(const Candidate& a, const Candidate& b) {
        return std::any_of(a.words.begin(), a.words.end(), [&](const Cube& x) {
            return std::any_of(b.words.begin(), b.words.end(), [&](const Cube& y) { return meet(x, y); });
        });
    }

    // Of the kind that has the least to spare, the lowest code: it is used for one of the chunks, or for none.
    bool place(std::vector<std::vector<std::uint32_t>> open) {
        for (;;) {
            gave_up_ = gave_up_ || ++placements_ > most_;
            if (gave_up_) return false;
            std::optional<std::size_t> next;
            for (std::size_t i = 0; i < kinds_.size(); ++i) {
                if (left_[i] == 0) continue;
                if (open[i].size() < left_[i]) return false;
                if (!next || open[i].size() - left_[i] < open[*next].size() - left_[*next]) next = i;
            }
            if (!next) return true;
            const std::uint32_t code = open[*next].front();
            open[*next].erase(open[*next].begin());
            if (use(open, *next, code)) return true;
            if (gave_up_) return false;
        }
    }

    bool use(std::vector<std::vector<std::uint32_t>> open, std::size_t kind, std::uint32_t code) {
        const Candidate& used = kinds_[kind].candidates[code];
        --left_[kind];
        chosen_[kind].push_back(code);
        for (std::size_t i = 0; i < kinds_.size(); ++i) {
            if (left_[i] == 0) continue;
            work(open[i].size());
            std::erase_if(open[i], [&](std::uint32_t other) { return meet_any(used, kinds_[i].candidates[other]); });
        }
        if (place(std::move(open))) return true;
        ++left_[kind];
        chosen_[kind].pop_back();
        return false;
    }

    Assignment assignment() const {
        Assignment out(problem_.items.size());
        for (std::size_t i = 0; i < kinds_.size(); ++i) {
            for (std::size_t k = 0; k < kinds_[i].chunks.size(); ++k) {
                const Chunk& chunk = chunks_[kinds_[i].chunks[k]];
                const std::uint64_t first = kinds_[i].candidates[chosen_[i][k]].code;
                for (std::size_t n = 0; n < chunk.items.size(); ++n)
                    out[chunk.items[n]] = spread(first + n, problem_.items[chunk.items[n]].chosen);
            }
        }
        return out;
    }

    const Problem& problem_;
    std::map<unsigned, Bdd::Ref> regions_;             // by format
    std::vector<Chunk> chunks_;
    std::vector<Kind> kinds_;
    std::vector<std::size_t> left_;                    // of each kind: chunks without a place …
    std::vector<std::vector<std::uint32_t>> chosen_;   // … and the places of the others
    std::uint64_t placements_ = 0, most_ = 0, work_ = 0;
    bool gave_up_ = false;
};

}  // namespace

namespace {

// Whether bits behind a row's block can tell it from other words: where one of the two chooses, or both have constants that
// differ.
bool tells(const Item& item, Bits behind, const Cube& other, Bits other_chosen) {
    const Cube& own = item.forms.front().constants;
    const Bits chosen = (item.chosen & (other.mask | other_chosen)) | (other_chosen & own.mask);
    return ((chosen | (own.mask & other.mask & (own.value ^ other.value))) & behind) != 0;
}

// Rows of one class open blocks for each other: the rule of blocks loses nothing between them.
bool is_one_of(const FixedRow& row, const Item& item) {
    const Shape& own = item.forms.front();
    const Cube& fixed = row.shape.constants;
    return row.shape.format == own.format && fixed.mask == (own.constants.mask | item.chosen) &&
           ((fixed.value ^ own.constants.value) & own.constants.mask) == 0;
}

// Whether a pattern may have words in the pools of an item; always where it has none.
bool may_meet(const Problem& problem, const Cube& pattern, const Item& item) {
    const int turn = static_cast<int>(problem.skipped);
    const Bits mask = std::rotr(pattern.mask, turn), value = std::rotr(pattern.value, turn) & mask;
    bool pooled = false;
    for (const PoolRange& pool : problem.pools) {
        if (std::find(pool.formats.begin(), pool.formats.end(), item.forms.front().format) == pool.formats.end())
            continue;
        pooled = true;
        const unsigned rest = 64 - pool.width;
        if (value >> rest <= pool.high && (value | ~mask) >> rest >= pool.low) return true;
    }
    return !pooled;
}

}  // namespace

bool blocks_are_words(const Problem& problem) {
    if (problem.partial) return false;
    std::vector<const Item*> kinds;
    for (const Item& item : problem.items) {
        const auto same = [&](const Item* other) { return same_rows(*other, item); };
        if (std::none_of(kinds.begin(), kinds.end(), same)) kinds.push_back(&item);
    }
    const int turn = static_cast<int>(problem.skipped);
    return std::all_of(kinds.begin(), kinds.end(), [&](const Item* item) {
        const Cube& constants = item->forms.front().constants;
        const Bits mask = constants.mask | item->chosen;
        const Bits behind = mask & ~leading_bits(static_cast<unsigned>(std::countl_one(mask)));
        const Bits extra = behind & item->chosen;
        const auto alike = [&](const Shape& form) { return form.constants == constants; };
        const auto apart_from_item = [&](const Item* other) {
            return other == item || !tells(*item, behind, other->forms.front().constants, other->chosen);
        };
        const auto apart_from_row = [&](const FixedRow& row) {
            return is_one_of(row, *item) || !tells(*item, behind, row.shape.constants, 0);
        };
        const auto apart_from_words = [&](const ReservedWords& words) {
            return (words.pattern.mask & extra) == 0 || !may_meet(problem, words.pattern, *item);
        };
        const auto apart_from_pool = [&](const PoolRange& pool) {
            return (std::rotl(leading_bits(pool.width), turn) & extra) == 0;
        };
        return std::all_of(item->forms.begin(), item->forms.end(), alike) &&
               std::all_of(kinds.begin(), kinds.end(), apart_from_item) &&
               std::all_of(problem.fixed.begin(), problem.fixed.end(), apart_from_row) &&
               std::all_of(problem.reserved.begin(), problem.reserved.end(), apart_from_words) &&
               std::all_of(problem.pools.begin(), problem.pools.end(), apart_from_pool);
    });
}

WordsAnswer fit_words(const Problem& problem, std::uint64_t most) {
    if (problem.partial) return {};
    return WordSearch(problem, most).run();
}

}  // namespace isaforge::allocator
