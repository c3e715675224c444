// From a name or a path to a model: built-in descriptions, files, and what they include.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <functional>

#include "codec/mnemonics.hpp"
#include "isa/packed.hpp"
#include "isaforge/allocate.hpp"
#include "isaforge/isa.hpp"
#include "language/builtin.hpp"
#include "language/cache.hpp"
#include "language/limits.hpp"
#include "language/parser.hpp"
#include "language/resolver.hpp"

namespace isaforge {

namespace {

namespace fs = std::filesystem;
using language::Description;
using language::embedded_files;
using language::EmbeddedFile;

constexpr std::string_view builtin_prefix = "isas/";

const EmbeddedFile* find_embedded(std::string_view path) {
    for (const EmbeddedFile* file = embedded_files; !file->path.empty(); ++file) {
        if (file->path == path) return file;
    }
    return nullptr;
}

FileId add_embedded(const EmbeddedFile& file, SourceManager& sources) {
    return sources.add(std::string(builtin_prefix) + std::string(file.path), std::string(file.text));
}

// Includes are relative to the including file; built-in files include built-in files. A path below a folder isas/ may be
// of either kind, so that is decided by where the description itself comes from.
enum class Origin { file, builtin };

using language::IncludedText;

class FileIncluder : public language::Includer {
public:
    FileIncluder(SourceManager& sources, Origin origin) : sources_(sources), origin_(origin) {}

    // Files are those that were met before, and no others are opened; or those that are met are noted.
    void take_from(const std::vector<IncludedText>& known) { known_ = &known; }
    void note_in(std::vector<IncludedText>& met) { met_ = &met; }

    FileId include(const std::string& path, FileId from, std::string& why) override {
        const fs::path target = fs::path(std::string(sources_.name(from))).parent_path() / path;
        if (origin_ == Origin::builtin) {
            const std::string below = target.lexically_normal().generic_string().substr(builtin_prefix.size());
            if (const EmbeddedFile* file = find_embedded(below)) return add_embedded(*file, sources_);
        }
        return include_file(target.string(), why);
    }

private:
    FileId include_file(const std::string& path, std::string& why) {
        if (known_) {
            const auto is_it = [&](const IncludedText& each) { return each.path == path; };
            const auto found = std::find_if(known_->begin(), known_->end(), is_it);
            return found == known_->end() ? 0 : sources_.add(path, found->text);
        }
        const FileId file = sources_.load_text(path, why, Readable::only_regular, language::largest_text).value_or(0);
        if (file != 0 && met_) met_->push_back({path, std::string(sources_.text(file))});
        return file;
    }

    SourceManager& sources_;
    Origin origin_;
    const std::vector<IncludedText>* known_ = nullptr;
    std::vector<IncludedText>* met_ = nullptr;
};

// The first words of a description: its name, title and variants, without the rest.
struct Heading {
    std::string name, title;
    std::vector<std::string> variants, titles;  // as many
};

std::string_view rest_of_line(std::string_view text, std::string_view keyword) {
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        const std::string_view line = text.substr(begin, end - begin);
        if (line.starts_with(keyword) && line.size() > keyword.size() && line[keyword.size()] == ' ')
            return line.substr(keyword.size());
        begin = end + 1;
    }
    return {};
}

std::vector<std::string> words_of(std::string_view line) {
    std::vector<std::string> out;
    std::string word;
    for (std::size_t i = 0; i <= line.size(); ++i) {
        const char c = i < line.size() ? line[i] : ' ';
        if (c == '/' && i + 1 < line.size() && line[i + 1] == '/') break;
        if (c != ' ' && c != '\t' && c != '\r') {
            word += c;
        } else if (!word.empty()) {
            out.push_back(std::move(word));
            word.clear();
        }
    }
    if (!word.empty()) out.push_back(word);
    return out;
}

// Names, each with the one that it is of and its title, in quotes.
void read_variants(std::string_view variants, Heading& out) {
    while (!variants.empty()) {
        const std::size_t quote = std::min(variants.find('"'), variants.size());
        bool is_base = false;
        for (std::string& name : words_of(variants.substr(0, quote))) {
            if (name != "of" && !is_base) {
                out.variants.push_back(name);
                out.titles.push_back(out.title);
            }
            is_base = name == "of";
        }
        const std::size_t end = variants.find('"', quote + 1);
        if (end >= variants.size()) break;
        if (!out.titles.empty()) out.titles.back() = std::string(variants.substr(quote + 1, end - quote - 1));
        variants.remove_prefix(end + 1);
    }
}

// Nothing where the file is none, but a page of prose.
Heading heading_of(const EmbeddedFile& file) {
    Heading out;
    if (!file.path.ends_with(".isa")) return out;
    const std::string_view text = file.text;
    const std::string_view line = rest_of_line(text, "isa");
    const auto words = words_of(line.substr(0, line.find('"')));
    if (!words.empty()) out.name = words[0];
    const std::size_t open = line.find('"'), close = line.rfind('"');
    if (open != close) out.title = std::string(line.substr(open + 1, close - open - 1));
    for (std::string_view line_of = rest_of_line(text, "variants"); !line_of.empty();
         line_of = rest_of_line(text.substr(std::size_t(line_of.data() - text.data())), "variants"))
        read_variants(line_of, out);
    return out;
}

// A model and what it was made from, which is left alone until the model goes: taking it apart takes as long as reading it.
struct Loaded {
    Description description;
    Isa isa;
};

std::shared_ptr<const Isa> resolve(FileId file, SourceManager& sources, FileIncluder& includer,
                                   Diagnostics& diagnostics, const LoadOptions& options) {
    const auto loaded = std::make_shared<Loaded>();
    Description& description = loaded->description;
    const std::size_t before = diagnostics.errors();
    description.with_meanings = options.meanings;
    language::parse(file, sources, includer, diagnostics, description);
    const std::shared_ptr<Isa> isa(loaded, &loaded->isa);
    language::Resolver(description, options, nullptr, *isa, diagnostics).run();
    if (diagnostics.errors() != before) return nullptr;
    isa->find_unused = [&description] { return language::find_unused(description); };
    if (isa->auto_rows.empty() || options.draft) return isa;
    std::vector<AutoChoice> choices;
    if (!allocate(*isa, choices, diagnostics)) return nullptr;
    language::Assignments assignments;
    for (const AutoChoice& choice : choices) assignments[{choice.where.file, choice.where.offset}] = choice.value;
    auto complete = std::make_shared<Isa>();
    language::Resolver(description, options, &assignments, *complete, diagnostics).run();
    complete->find_unused = [loaded] { return language::find_unused(loaded->description); };
    return diagnostics.errors() == before ? complete : nullptr;
}

// --- packed models ----------------------------------------------------------------------------------------------------

void move_places(std::vector<Diagnostic>& diagnostics, FileId by) {
    for (Diagnostic& diagnostic : diagnostics) {
        if (diagnostic.place.known()) diagnostic.place.file += by;
        move_places(diagnostic.notes, by);
    }
}

// Parses again what a model was made of, which has no errors: for its texts, and for what only they tell.
using Parse = std::function<void(SourceManager& sources, Description& description)>;

// Null where the bytes are damaged. `included`: paths of the files that the description includes.
std::shared_ptr<const Isa> unpack(const PackedModels& packed, const PackedModels::Model& model, SourceManager& sources,
                                  bool meanings, const Parse& parse, std::vector<std::string> included = {}) {
    const auto isa = std::make_shared<Isa>();
    const FileId first = static_cast<FileId>(sources.size()) + 1;
    if (!packed.unpack(model, first, meanings, *isa)) return nullptr;
    const auto read = [parse](SourceManager& own) {
        Description description;
        parse(own, description);
    };
    sources.expect(model.files, read, std::move(included));
    isa->find_unused = [parse, first] {
        SourceManager own;
        Description description;
        parse(own, description);
        std::vector<Diagnostic> found = language::find_unused(description);
        move_places(found, first - 1);
        return found;
    };
    return isa;
}

const EmbeddedFile* embedded_description(std::string_view name) {
    for (const EmbeddedFile* file = embedded_files; !file->path.empty(); ++file) {
        if (heading_of(*file).name == name) return file;
    }
    return nullptr;
}

// A model that was made when the program was built; null where there is none of this kind.
std::shared_ptr<const Isa> packed_builtin(const std::string& name, SourceManager& sources, const LoadOptions& options) {
    static const PackedModels packed(language::packed_descriptions());
    if (options.from_text || options.draft || options.only_dialect || !options.parameters.empty()) return nullptr;
    const PackedModels::Model* const model = packed.find(name, options.variant, options.dialect);
    if (!model) return nullptr;
    const auto parse = [described = model->name](SourceManager& own, Description& description) {
        Diagnostics none;
        FileIncluder includer(own, Origin::builtin);
        if (const EmbeddedFile* const file = embedded_description(described))
            language::parse(add_embedded(*file, own), own, includer, none, description);
    };
    return unpack(packed, *model, sources, options.meanings, parse);
}

// --- descriptions that were read before -------------------------------------------------------------------------------

using language::Cache;
using language::CacheEntry;
using language::CacheRequest;

CacheRequest request_for(FileId file, const SourceManager& sources, const LoadOptions& options, Origin origin) {
    CacheRequest out{std::string(sources.name(file)), std::string(sources.text(file)), origin == Origin::builtin, {}};
    out.options = fmt::format("{}\n{}\n{}", options.variant, options.dialect, options.only_dialect);
    for (const auto& [name, value] : options.parameters) out.options += fmt::format("\n{}={}", name, value);
    return out;
}

std::shared_ptr<const Isa> take_cached(const std::shared_ptr<const CacheEntry>& entry, const CacheRequest& request,
                                       SourceManager& sources, const LoadOptions& options) {
    const PackedModels packed(entry->packed);
    if (packed.models().size() != 1) return nullptr;
    const auto parse = [entry, request](SourceManager& own, Description& description) {
        Diagnostics none;
        FileIncluder includer(own, request.is_builtin ? Origin::builtin : Origin::file);
        includer.take_from(entry->included);
        language::parse(own.add(request.name, request.text), own, includer, none, description);
    };
    std::vector<std::string> paths;
    for (const IncludedText& each : entry->included) paths.push_back(each.path);
    return unpack(packed, packed.models().front(), sources, options.meanings, parse, std::move(paths));
}

// Makes the model once more, with all that any command asks for and places counted from the first file on, and keeps it.
void keep_cached(const Cache& cache, const CacheRequest& request, const std::vector<IncludedText>& included,
                 LoadOptions options) {
    SourceManager own;
    Diagnostics found;
    FileIncluder includer(own, request.is_builtin ? Origin::builtin : Origin::file);
    includer.take_from(included);
    options.meanings = true;
    const auto isa = resolve(own.add(request.name, request.text), own, includer, found, options);
    if (!isa || !found.all().empty()) return;
    Packer packer;
    packer.add(codec::with_indexes(*isa), static_cast<FileId>(own.size()));
    cache.keep(request, included, packer.bytes());
}

std::shared_ptr<const Isa> build(FileId file, SourceManager& sources, Diagnostics& diagnostics,
                                 const LoadOptions& options, Origin origin) {
    FileIncluder includer(sources, origin);
    if (options.cache.empty() || options.draft) return resolve(file, sources, includer, diagnostics, options);
    const Cache cache(options.cache);
    const CacheRequest request = request_for(file, sources, options, origin);
    if (const auto entry = cache.find(request)) {
        if (auto isa = take_cached(entry, request, sources, options)) return isa;
    }
    std::vector<IncludedText> included;
    includer.note_in(included);
    auto isa = resolve(file, sources, includer, diagnostics, options);
    if (isa && isa->forms.size() >= language::fewest_forms_kept) keep_cached(cache, request, included, options);
    return isa;
}

}  // namespace

std::vector<std::pair<std::string, std::string>> builtin_isas() {
    std::vector<std::pair<std::string, std::string>> out;
    for (const EmbeddedFile* file = embedded_files; !file->path.empty(); ++file) {
        const Heading heading = heading_of(*file);
        if (heading.name.empty()) continue;  // a part that others include
        if (heading.variants.empty()) out.emplace_back(heading.name, heading.title);
        for (std::size_t i = 0; i < heading.variants.size(); ++i)
            out.emplace_back(heading.variants[i], heading.titles[i]);
    }
    return out;
}

std::shared_ptr<const Isa> load_isa_text(std::string name, std::string text, SourceManager& sources,
                                         Diagnostics& diagnostics, const LoadOptions& options) {
    return build(sources.add(std::move(name), std::move(text)), sources, diagnostics, options, Origin::file);
}

std::shared_ptr<const Isa> load_isa(const std::string& name, SourceManager& sources, Diagnostics& diagnostics,
                                    const LoadOptions& options) {
    if (auto packed = packed_builtin(name, sources, options)) return packed;
    std::vector<std::string> known;
    for (const EmbeddedFile* file = embedded_files; !file->path.empty(); ++file) {
        const Heading heading = heading_of(*file);
        if (heading.name.empty()) continue;
        const bool is_variant =
            std::find(heading.variants.begin(), heading.variants.end(), name) != heading.variants.end();
        known.push_back(heading.name);
        known.insert(known.end(), heading.variants.begin(), heading.variants.end());
        if (name != heading.name && !is_variant) continue;
        LoadOptions chosen = options;
        if (is_variant && !options.variant.empty() && options.variant != name) {
            diagnostics.error({}, fmt::format("'{}' is one variant of {}, and '{}' was asked for: give {} that variant",
                                              name, heading.name, options.variant, heading.name));
            return nullptr;
        }
        if (is_variant) chosen.variant = name;
        return build(add_embedded(*file, sources), sources, diagnostics, chosen, Origin::builtin);
    }
    std::string error;
    const bool is_path = name.find('/') != std::string::npos || name.find(".isa") != std::string::npos || name == "-";
    std::error_code code;
    if (is_path || fs::is_regular_file(name, code)) {
        if (const auto file = sources.load_text(name, error, Readable::anything, language::largest_text))
            return build(*file, sources, diagnostics, options, Origin::file);
        diagnostics.error({}, fmt::format("cannot read '{}': {}", name, error));
        return nullptr;
    }
    const std::vector<std::string_view> candidates(known.begin(), known.end());
    const std::string_view meant = nearest(name, candidates);
    diagnostics.error({}, meant.empty()
                              ? fmt::format("there is no instruction set '{}'; `isaforge list` names those that are "
                                            "built in, or give the path of an .isa file",
                                            name)
                              : fmt::format("there is no instruction set '{}'; did you mean '{}'?", name, meant));
    return nullptr;
}

}  // namespace isaforge
