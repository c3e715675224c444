#include "manual/site.hpp"

#include <algorithm>
#include <bit>
#include <functional>
#include <set>

#include "manual/prose.hpp"
#include "semantics/tree.hpp"

namespace isaforge::manual {

namespace {

// Everything about an operand type that readers can see, so that two with the same key are told once.
class TypeKeys {
public:
    explicit TypeKeys(const Isa& isa) : isa_(isa), keys_(isa.operand_types.size()) {}

    std::vector<std::string> find() {
        for (Index type = 0; type < keys_.size(); ++type) key(type);
        return std::move(keys_);
    }

private:
    const std::string& key(Index type) {
        if (keys_[type].empty()) {
            keys_[type] = "…";  // a type that holds itself
            keys_[type] = made(isa_.operand_types[type]);
        }
        return keys_[type];
    }

    void field(const Field& field) {
        add(field.name, field.place.width, field.type == no_index ? std::string{} : key(field.type), field.in_tail);
        for (const BitPiece& piece : field.place.pieces) add(piece.position, piece.width, piece.shift);
    }

    // A number for what was put together: two that differ have the same by a chance of 2^-64.
    std::string made(const OperandType& type) {
        std::string own;
        own.swap(text_);
        const NumberRule& n = type.number;
        add(type.name, static_cast<int>(type.kind), type.width, static_cast<int>(n.base), static_cast<int>(n.format),
            n.value_bits, n.slice_low, n.scale, n.bias, n.relative, n.minimum.value_or(1), n.maximum.value_or(0),
            n.minimum.has_value(), n.maximum.has_value(), n.carries, n.relocation_name, type.value_bits);
        for (const Entry& entry : type.entries) {
            add(entry.code, entry.value);
            for (const std::string& text : entry.texts) add(text);
        }
        for (const OperandRow& row : type.rows) {
            add(row.mask, row.value, row.reserved, row.alias, row.tail_bits);
            for (const Field& capture : row.fields) field(capture);
            for (const Constraint& limit : row.constraints) add(limit.field, limit.low, limit.high, limit.step);
            for (const TextTemplate& text : row.texts) template_text(text);
        }
        const std::uint64_t hash = std::hash<std::string>{}(text_);
        text_ = std::move(own);
        return fmt::format("{}#{:x}", type.name, hash);
    }

    void template_text(const TextTemplate& text) {
        for (const TextElement& element : text)
            add(static_cast<int>(element.kind), element.text, element.field, element.scale, element.bias);
        add("/");
    }

    template <typename... T>
    void add(const T&... values) {
        (fmt::format_to(std::back_inserter(text_), "{}|", values), ...);
    }

    const Isa& isa_;
    std::vector<std::string> keys_;
    std::string text_;
};

std::string file_key(const RegisterFile& file) {
    std::string out = fmt::format("{}|{}|{}|{}|{}|{}|{}", file.name, file.index_bits, file.count, file.bits, file.lanes,
                                  file.write_ports, file.is_zero_at_reset);
    for (const BitField& field : file.fields)
        out += fmt::format("|{}:{}:{}:{}", field.name, field.low, field.width, field.number);
    for (const Entry& entry : file.entries) out += fmt::format("|{}:{}", entry.code, fmt::join(entry.texts, "/"));
    return out;
}

std::string lowered(std::string text) {
    for (char& c : text) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
    return text;
}

}  // namespace

Edition::Edition(const Configuration& own, unsigned own_number)
    : configuration(own), isa(*own.isa), number(own_number), codec(std::make_unique<Codec>(own.isa)) {
    // What is said last holds: a register hides a constant of its name.
    for (const auto& [name, value] : isa.constants) names[name] = {Named::Kind::constant, 0};
    const auto all = [&](const auto& list, Named::Kind kind) {
        for (std::size_t i = 0; i < list.size(); ++i) names[list[i].name] = {kind, i};
    };
    for (std::size_t i = 0; i < isa.functions.size(); ++i) names[isa.functions.names[i]] = {Named::Kind::function, i};
    all(isa.names_in_meanings, Named::Kind::naming);
    all(isa.modes, Named::Kind::mode);
    all(isa.memories, Named::Kind::memory);
    all(isa.register_files, Named::Kind::registers);
    type_keys = TypeKeys(isa).find();
    for (const RegisterFile& file : isa.register_files) file_keys.push_back(file_key(file));
}

Named Edition::find(std::string_view name) const {
    const auto found = names.find(name);
    return found == names.end() ? Named{} : found->second;
}

std::string slug(std::string_view name) {
    std::string out;
    for (const char c : name) {
        const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
                           c == '-' || (c == '.' && !out.empty());
        out += plain ? std::string(1, c) : fmt::format("~{:02x}", static_cast<unsigned char>(c));
    }
    return out;
}

Site::Site(const std::vector<Configuration>& configurations, const SourceManager& sources) : sources_(sources) {
    for (const Configuration& configuration : configurations) {
        editions_.push_back(std::make_unique<Edition>(configuration, static_cast<unsigned>(editions_.size())));
        all_ |= editions_.back()->set();
        add_rows(*editions_.back());
        find_comments(*editions_.back());
    }
    find_paths();
    find_maps();
    find_guides();
    find_places();
}

std::string map_path(unsigned edition) { return edition == 0 ? "map.html" : fmt::format("map-{}.html", edition); }

// Two code spaces are the same where the same instructions have the same bits.
void Site::find_maps() {
    std::map<std::string, std::size_t> known;
    for (const auto& edition : editions_) {
        const Isa& isa = edition->isa;
        std::string key;
        for (const Form& form : isa.forms) {
            key += fmt::format("{}|{}|{}|", isa.instruction_of(form).names[0],
                               form.format == no_index ? "" : isa.formats[form.format].name, form.bits);
            for (std::size_t i = 0; i < form.mask.words.size(); ++i)
                key += fmt::format("{:x}/{:x}|", form.mask.words[i], form.value.words[i]);
        }
        const auto [first, is_new] = known.try_emplace(std::move(key), maps_.size());
        maps_.push_back(is_new ? map_path(edition->number) : maps_[first->second]);
    }
}

Set Site::same_map(const Edition& edition) const {
    Set out = 0;
    for (const auto& other : editions_) {
        if (map_of(*other) == map_of(edition)) out |= other->set();
    }
    return out;
}

void Site::add_rows(const Edition& edition) {
    auto& numbers = topic_numbers_.emplace_back();
    for (Index index = 0; index < edition.isa.instructions.size(); ++index) {
        const Instruction& instruction = edition.isa.instructions[index];
        const auto [known, is_new] = by_name_.try_emplace(instruction.names[0], topics_.size());
        if (is_new) topics_.emplace_back().name = instruction.names[0];
        numbers.push_back(known->second);
        Topic& topic = topics_[known->second];
        Row& row = topic.rows.emplace_back(Row{&edition, index, {}, {}});
        find_source(row);
        topic.in |= edition.set();
        if (topic.title.empty()) topic.title = instruction.title;
        for (std::size_t i = 1; i < instruction.names.size(); ++i) {
            if (std::find(topic.others.begin(), topic.others.end(), instruction.names[i]) == topic.others.end())
                topic.others.push_back(instruction.names[i]);
        }
        if (topic.format.empty() && !instruction.forms.empty()) {
            const Index format = edition.isa.forms[instruction.forms[0]].format;
            if (format != no_index) topic.format = edition.isa.formats[format].name;
        }
    }
}

void Site::find_comments(const Edition& edition) {
    const Isa& isa = edition.isa;
    const auto look = [&](Place place, bool above) {
        const auto [entry, is_new] = comments_.try_emplace({place.file, place.offset});
        if (!is_new) return;
        const std::string_view doc = isa.doc_of(place);
        entry->second = doc.empty() ? Comment{comment_at(sources_, place, above)} : Comment{std::string(doc), true};
    };
    const auto all = [&](const auto& list) {
        for (const auto& one : list) look(one.where, true);
    };
    all(isa.register_files);
    all(isa.memories);
    all(isa.modes);
    all(isa.events);
    all(isa.formats);
    all(isa.operand_types);
    for (const auto& function : isa.functions.all) look(function->place, true);
    for (const Instruction& instruction : isa.instructions) look(instruction.where, false);
    if (!introduction_.empty() || isa.instructions.empty()) return;
    // The description's own file was read before those that it includes.
    introduction_ = first_comment(sources_.text(1));
}

Html Site::comment(Place place, std::string_view root) const {
    const auto known = comments_.find({place.file, place.offset});
    if (known == comments_.end()) return {};
    const auto& [text, is_markdown] = known->second;
    return is_markdown ? from_markdown(text, Markdown::As::part, root) : prose(text);
}

Html Site::from_markdown(std::string_view text, Markdown::As as, std::string_view root) const {
    const auto place_of = [&](std::string_view name) {
        const auto found = places_.find(name);
        return found == places_.end() ? std::string{} : std::string(root) + found->second;
    };
    const auto page_of = [&](std::string_view file) {
        const auto found = std::ranges::find(guides_, file, &Guide::file);
        return found == guides_.end() ? std::string{} : std::string(root) + found->path;
    };
    return Markdown{as, place_of, page_of}.html(text);
}

// A page that is the same in several editions is there once.
void Site::find_guides() {
    std::set<std::string> taken;
    for (const auto& edition : editions_) {
        for (const DocPage& page : edition->isa.pages) {
            const auto is_it = [&](const Guide& guide) { return guide.title == page.title && guide.text == page.text; };
            auto guide = std::ranges::find_if(guides_, is_it);
            if (guide == guides_.end()) {
                std::string name = lowered(page.title);
                std::ranges::replace(name, ' ', '-');
                name = slug(name);
                while (!taken.insert(name).second) name += '~';
                guides_.push_back({page.title, fmt::format("page-{}.html", name), page.text, page.file});
                guide = std::prev(guides_.end());
            }
            guide->in |= edition->set();
        }
    }
}

// Of what has one name, the instruction comes first.
void Site::find_places() {
    for (const Topic& topic : topics_) {
        places_.try_emplace(topic.name, topic.path);
        for (const std::string& other : topic.others) places_.try_emplace(other, topic.path);
    }
    const auto all = [&](const auto& list, const char* where) {
        for (const auto& one : list) places_.try_emplace(one.name, where + slug(one.name));
    };
    for (const auto& edition : editions_) {
        const Isa& isa = edition->isa;
        all(isa.register_files, "registers.html#");
        for (const Form& form : isa.forms) {
            if (form.format == no_index) continue;
            const std::string& name = isa.formats[form.format].name;
            places_.try_emplace(name, "formats.html#" + slug(name));
        }
        all(isa.memories, "machine.html#memory-");
        all(isa.modes, "machine.html#mode-");
        all(isa.events, "machine.html#event-");
    }
}

void Site::find_source(Row& row) const {
    const Place where = (*row).where;
    if (!where.known()) return;
    row.text = sources_.line_as_read(where);
    while (row.text.starts_with(' ')) row.text.remove_prefix(1);
    std::string_view file = sources_.name(where.file);
    file.remove_prefix(file.rfind('/') + 1);
    row.source = fmt::format("{}:{}", file, sources_.line_column(where).line);
}

// Names that differ in case alone are one file on some systems, and some names mean devices on others.
void Site::find_paths() {
    std::map<std::string, unsigned> taken;
    for (const char* const device : {"con", "prn", "aux", "nul"}) taken[device] = 1;
    std::vector<std::size_t> order(topics_.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::ranges::sort(order, {}, [&](std::size_t i) { return topics_[i].name; });
    for (const std::size_t i : order) {
        const std::string own = slug(topics_[i].name);
        const unsigned before = taken[lowered(own)]++;
        topics_[i].path =
            fmt::format("instructions/{}{}.html", own, before == 0 ? "" : fmt::format("~~{}", before + 1));
    }
}

namespace {

// The variants of a set in few words: one that stands for all that are of it is enough.
std::string variant_words(const Isa& isa, const std::vector<std::string>& in) {
    if (in.size() == 1) return in[0];
    const auto has = [&](const std::string& name) { return std::find(in.begin(), in.end(), name) != in.end(); };
    std::string out;
    for (const std::string& name : in) {
        const auto base = isa.variant_bases.find(name);
        if (base != isa.variant_bases.end() && has(base->second)) continue;
        out += (out.empty() ? "" : ", ") + name;
        for (const std::string& other : isa.variants) {
            const auto of = isa.variant_bases.find(other);
            if (of != isa.variant_bases.end() && of->second == name && !has(other))
                out += fmt::format(" (not {})", other);
        }
    }
    return out;
}

}  // namespace

std::string Site::words(Set set) const {
    // What each dimension has in the set: the variants, and each parameter.
    std::vector<std::string> variants;
    std::map<std::string, std::vector<std::uint64_t>> values, all_values;
    bool all_variants = true;
    std::vector<std::string> every;
    const auto note = [](auto& list, const auto& value) {
        if (std::find(list.begin(), list.end(), value) == list.end()) list.push_back(value);
    };
    for (const auto& edition : editions_) {
        note(every, edition->isa.variant);
        const bool in = set & edition->set();
        if (in) note(variants, edition->isa.variant);
        for (const auto& [name, value] : edition->configuration.parameters) {
            note(all_values[name], value);
            if (in) note(values[name], value);
        }
    }
    all_variants = variants.size() == every.size();
    std::size_t product = variants.size();
    for (const auto& [name, list] : values) product *= list.size();
    std::string out = all_variants ? "" : variant_words(main().isa, variants);
    if (product == static_cast<std::size_t>(std::popcount(set))) {
        for (const auto& [name, list] : values) {
            if (list.size() == all_values[name].size()) continue;
            out += fmt::format("{}{} {}", out.empty() ? "" : ", ", name, fmt::join(list, " or "));
        }
        return out;
    }
    out.clear();
    for (const auto& edition : editions_) {
        if (!(set & edition->set())) continue;
        std::string one = every.size() > 1 ? edition->isa.variant : "";
        for (const auto& [name, value] : edition->configuration.parameters)
            one += fmt::format("{}{} {}", one.empty() ? "" : " ", name, value);
        out += (out.empty() ? "" : "; ") + one;
    }
    return out;
}

Pieces::Piece& Pieces::add(const Edition& edition, std::string_view key) {
    const auto [known, is_new] = numbers_.try_emplace(std::string(key), pieces_.size());
    if (is_new) pieces_.emplace_back().key = key;
    Piece& piece = pieces_[known->second];
    piece.in |= edition.set();
    return piece;
}

Html in_attribute(const Site& site, Set in) {
    Html out;
    if (in == site.all()) return out;
    out(" data-in=\"");
    bool first = true;
    for (unsigned i = 0; i < site.editions().size(); ++i) {
        if (!(in >> i & 1)) continue;
        if (!first) out(" ");
        out.number(i);
        first = false;
    }
    return out("\"");
}

Html in_mark(const Site& site, Set in) {
    Html out;
    if (in != site.all()) out(" <span class=\"only\">").text(site.words(in))("</span>");
    return out;
}

std::string root_of(std::string_view path) {
    std::string out;
    for (const char c : path) out += c == '/' ? "../" : "";
    return out;
}

}  // namespace isaforge::manual
