// What all pages of a manual have in common: the configurations of the instruction set that stand side by side, what pages are
// called, and who is told where.
//
// A configuration is one variant with one choice of parameters. What is told of an instruction, a register or an operand is a
// list of pieces; a piece that is the same in several configurations stands there once, and says in which.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "isaforge/codec.hpp"
#include "isaforge/diagnostics.hpp"
#include "isaforge/isa.hpp"
#include "manual/html.hpp"
#include "manual/manual.hpp"
#include "manual/markdown.hpp"

namespace isaforge::manual {

// A bit for each configuration.
using Set = std::uint64_t;

// What a name in a meaning is, beside operands and what is local there.
struct Named {
    enum class Kind : std::uint8_t { none, registers, memory, mode, function, naming, constant };
    Kind kind = Kind::none;
    std::size_t index = 0;  // in the list of its kind
};

// A configuration with what is looked up in it again and again.
struct Edition {
    explicit Edition(const Configuration& configuration, unsigned own_number);

    const Configuration& configuration;
    const Isa& isa;
    unsigned number;
    std::unique_ptr<Codec> codec;
    std::unordered_map<std::string_view, Named> names;
    std::vector<std::string>
        type_keys;  // of operand types: equal where nothing about them differs, also in other editions
    std::vector<std::string> file_keys;  // the same of register files

    Named find(std::string_view name) const;
    Set set() const { return Set{1} << number; }
};

// An instruction of one edition.
struct Row {
    const Edition* edition = nullptr;
    Index instruction = no_index;
    std::string source;         // "machine.isa:12"; empty where that is not known
    std::string_view text;      // of that line

    const Instruction& operator*() const { return edition->isa.instructions[instruction]; }
};

// All rows with one name, which have a page together.
struct Topic {
    std::string name, title;
    std::string path;                   // of the page, from the manual's folder
    std::vector<std::string> others;    // more names
    std::vector<Row> rows;              // edition after edition
    std::string format;                 // of its first form
    Set in = 0;
};

// A page of prose that the description has.
struct Guide {
    std::string title, path;
    std::string_view text;  // Markdown
    std::string file;       // where it comes from, as other pages link to it
    Set in = 0;
};

class Site {
public:
    Site(const std::vector<Configuration>& configurations, const SourceManager& sources);

    const std::vector<std::unique_ptr<Edition>>& editions() const { return editions_; }
    // The edition that the manual is of, of those that it has side by side.
    const Edition& main() const { return *editions_.front(); }
    Set all() const { return all_; }
    // Not to be asked by several threads.
    const SourceManager& sources() const { return sources_; }
    const std::vector<Topic>& topics() const { return topics_; }
    const Topic& topic_of(const Edition& edition, Index instruction) const {
        return topics_[topic_numbers_[edition.number][instruction]];
    }
    bool has_findings = false;

    // The page with the map of the edition's code space, which editions share that have the same, and who these are.
    const std::string& map_of(const Edition& edition) const { return maps_[edition.number]; }
    Set same_map(const Edition& edition) const;

    // What the description says of what was declared at a place, for a page with that way to the manual's folder: in prose, or
    // else in comments, of an instruction's row in the one that stands behind it.
    Html comment(Place place, std::string_view root = "") const;
    // The comment that it begins with.
    const std::string& introduction() const { return introduction_; }
    const std::vector<Guide>& guides() const { return guides_; }
    // Prose as part of a page.
    Html from_markdown(std::string_view text, Markdown::As as, std::string_view root) const;

    // "v1.0, v1.1", "WLEN 64".
    std::string words(Set set) const;

private:
    void add_rows(const Edition& edition);
    void find_source(Row& row) const;
    void find_comments(const Edition& edition);
    void find_paths();
    void find_maps();
    void find_guides();
    void find_places();

    struct Comment {
        std::string text;
        bool is_markdown = false;
    };
    const SourceManager& sources_;
    std::vector<std::unique_ptr<Edition>> editions_;
    Set all_ = 0;
    std::vector<std::string> maps_;
    std::map<std::pair<FileId, std::uint32_t>, Comment> comments_;  // by place; only those that there are
    std::string introduction_;
    std::vector<Guide> guides_;
    std::map<std::string, std::string, std::less<>> places_;  // where names are told, from the manual's folder
    std::vector<Topic> topics_;
    std::map<std::string, std::size_t, std::less<>> by_name_;
    std::vector<std::vector<std::size_t>> topic_numbers_;
};

// Pieces in the order in which they first come.
class Pieces {
public:
    struct Piece {
        std::string key;
        Set in = 0;
        Html content;
    };
    // The piece with that key, in one edition more. Its content is empty where it is new.
    Piece& add(const Edition& edition, std::string_view key);
    const std::vector<Piece>& all() const { return pieces_; }
    bool empty() const { return pieces_.empty(); }

private:
    std::vector<Piece> pieces_;
    std::unordered_map<std::string, std::size_t> numbers_;
};

// ` data-in="0 2"`, for a tag; nothing where it is in all.
Html in_attribute(const Site& site, Set in);
// The mark that says so to readers; nothing where it is in all.
Html in_mark(const Site& site, Set in);

// What a name is called in addresses: letters, digits, `_`, `-` and `.` of it, other characters by number. Two names have never
// the same.
std::string slug(std::string_view name);

// A page around its content. `path` is where it will be.
struct Page {
    std::string path, title;
    std::string description;  // for search engines, one sentence
    Html content;
    bool wide = false;  // it takes all the room there is
};
std::string whole_page(const Site& site, const Page& page);

// The page of the map of that edition, where it has one of its own.
std::string map_path(unsigned edition);

// "../" as often as it takes to come from a page to the manual's folder.
std::string root_of(std::string_view path);

}  // namespace isaforge::manual
