// The graphs of an instruction set's forms. Each is lowered once, its operands and its address being open; what is known to decide
// about types (rows of operands, sizes, modes) makes a graph of its own. A place in a program has one of these with its numbers
// put in.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "ir/graph.hpp"
#include "isaforge/codec.hpp"
#include "semantics/lower.hpp"

namespace isaforge::semantics {

struct Site {
    std::uint64_t address = 0, next_address = 0;
    std::vector<std::uint64_t> modes;  // the value of each
};

// What an instruction does with the registers that an operand names, if it executes.
struct Access {
    bool read = false, written = false;
};

// What of a description stays in graphs though not every run needs it.
struct Kept {
    bool checks = false;  // what it says for the checker
    bool cycles = false;  // what instructions take
};

// May be asked by several threads.
class FormGraphs {
public:
    explicit FormGraphs(std::shared_ptr<const Codec> codec, Kept kept = {})
        : codec_(std::move(codec)), isa_(codec_->isa()), kept_(kept) {}

    // What an instruction of that form does at a site; nothing, with the reason, where it has no meaning there.
    std::optional<ir::Graph> instruction(Index form, const Image& image, const Site& site, std::string& trouble);
    // The same with its operands and address open, but for those that decide about types: the arguments of the graph.
    std::shared_ptr<const ir::Graph> open(Index form, const Image& image, const Site& site, std::string& trouble);
    // What an instruction of so many bits does whose operands are overwritten again and again: numbers that fill bytes are looked up
    // each time (ir::Op::code); `first_byte` is where it begins in memory, and `open` becomes which of its bytes may change while
    // this stays true. Nothing where none may.
    std::optional<ir::Graph> rewritten(Index form, const Image& image, unsigned bits, const Site& site,
                                       std::uint64_t first_byte, std::vector<bool>& open);
    // What happens to the registers of each of the form's fields where all modes are 0. Registers that a row
    // names without a number count where the instruction touches them at all. None, with the reason, where it has no meaning.
    std::vector<Access> accesses(Index form, const Image& image, std::string& trouble);
    // What an expression means of an instruction; nothing where that is an error.
    Meant meant_by(const Expression& expression, Index form, const Image& image) const;
    // What happens to the hart that is there at an event.
    std::optional<ir::Graph> event(Index event, const Site& site, std::string& trouble);
    // What computes the values of all modes.
    std::optional<ir::Graph> modes(std::string& trouble);

private:
    struct Argument {
        Opening::Kind kind = Opening::Kind::operand;
        std::size_t leaf = 0;  // which operand; behind the last one: a mode
    };
    // A form as it is with some operands known.
    struct Lowered {
        ir::Graph graph;
        std::vector<Argument> arguments;  // of the graph
        std::string trouble;              // why there is no graph; then nothing else means anything
    };
    // What a key begins with: which kind of thing it is, and its number.
    enum class Subject : std::uint64_t { instruction, event, modes };
    using Key = std::vector<std::uint64_t>;
    struct Hash {
        std::size_t operator()(const Key& key) const;
    };

    std::vector<Binding> bindings_of(Index form, const Image& image) const;
    // What an argument is at a site, as far as that is known; nothing where a code means nothing.
    std::optional<std::uint64_t> value_at(const Argument& argument, const std::vector<const Binding*>& leaves,
                                          const Site& site) const;
    ir::Graph at_site(const ir::Graph& form, const std::vector<std::uint64_t>& values) const;
    std::optional<ir::Graph> looked_up(Index form, const Image& image, unsigned bits, const Site& site,
                                       std::uint64_t first_byte, std::vector<bool>& open);
    std::optional<ir::Graph> at(Subject subject, Index index, std::vector<Binding> bindings, const Site& site,
                                std::string& trouble);
    std::shared_ptr<const Lowered> lowered(Subject subject, Index index, std::vector<Binding>& bindings,
                                           const std::vector<const Binding*>& leaves, const Site& site);
    Lowered lower_open(Subject subject, Index index, std::vector<Binding>& bindings, const Site& site,
                       std::vector<bool>& decides);

    std::shared_ptr<const Codec> codec_;
    const Isa& isa_;
    const Kept kept_;
    static constexpr std::size_t most_lowered = 1 << 14;  // then all are forgotten
    std::mutex mutex_;
    std::unordered_map<Key, std::shared_ptr<const Lowered>, Hash> lowered_;
    // Which of a form's leaves have to be known, as far as that was found out; by subject, index and rows.
    std::unordered_map<Key, std::vector<bool>, Hash> decides_;
};

}  // namespace isaforge::semantics
