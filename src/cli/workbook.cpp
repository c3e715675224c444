#include "cli/workbook.hpp"

#include <fmt/format.h>
#include <minizip/unzip.h>

#include <fstream>
#include <map>
#include <memory>
#include <pugixml.hpp>
#include <string_view>
#include <vector>

namespace isaforge::cli {

namespace {

struct Close {
    void operator()(void* archive) const { unzClose(archive); }
};

// The name of an element without that of its namespace.
std::string_view local(const pugi::xml_node& node) {
    const std::string_view name = node.name();
    return name.substr(name.find(':') + 1);
}

class Workbook {
public:
    explicit Workbook(const std::string& path) : archive_(unzOpen64(path.c_str())) {}

    std::optional<Sheet> first_sheet(std::string& error) {
        if (archive_ == nullptr) return fail(error, "it is no zip file");
        pugi::xml_document book, links;
        if (!parse("xl/workbook.xml", book) || !parse("xl/_rels/workbook.xml.rels", links))
            return fail(error, problem_.empty() ? "it is no workbook of a spreadsheet" : problem_);
        std::map<std::string, std::string, std::less<>> targets;
        for (const pugi::xml_node link : links.document_element())
            targets[link.attribute("Id").value()] = link.attribute("Target").value();
        if (!read_texts()) return fail(error, problem_);
        Sheet found;
        unsigned looked_at = 0;
        for (const pugi::xml_node sheet : child(book.document_element(), "sheets")) {
            const std::string name = sheet.attribute("name").value();
            if (!found.text.empty()) {
                found.others += (found.others.empty() ? "" : ", ") + name;
                continue;
            }
            if (looked_at++ > most_empty_sheets) return fail(error, "its first sheets are empty");
            std::string target = targets[id_of(sheet)];
            target.starts_with('/') ? target.erase(0, 1) : target.insert(0, "xl/");
            std::string text;
            if (!read_sheet(target, text))
                return fail(error, problem_.empty() ? "a sheet is missing: " + name : problem_);
            if (text.find_first_not_of("\t\n") != std::string::npos) found = {name, std::move(text), {}};
        }
        if (found.text.empty()) return fail(error, "its sheets are empty");
        return found;
    }

private:
    static std::nullopt_t fail(std::string& error, std::string why) {
        error = std::move(why);
        return std::nullopt;
    }

    static pugi::xml_node child(const pugi::xml_node& of, std::string_view name) {
        return of.find_child([name](const pugi::xml_node& each) { return local(each) == name; });
    }

    // A sheet's `r:id`, whatever the prefix is.
    static std::string id_of(const pugi::xml_node& sheet) {
        for (const pugi::xml_attribute each : sheet.attributes())
            if (std::string_view(each.name()).ends_with(":id")) return each.value();
        return {};
    }

    // False where there is no such part, or one that cannot be read, of which `problem_` then tells.
    bool parse(const std::string& name, pugi::xml_document& out) {
        unz_file_info64 about{};
        if (unzLocateFile(archive_.get(), name.c_str(), 2) != UNZ_OK ||
            unzGetCurrentFileInfo64(archive_.get(), &about, nullptr, 0, nullptr, 0, nullptr, 0) != UNZ_OK)
            return false;
        if (about.uncompressed_size > most_workbook_part) {
            problem_ =
                fmt::format("{} has {} bytes, and may have {}", name, about.uncompressed_size, most_workbook_part);
            return false;
        }
        std::string bytes(static_cast<std::size_t>(about.uncompressed_size), '\0');
        bool good = unzOpenCurrentFile(archive_.get()) == UNZ_OK;
        for (std::size_t at = 0; good && at < bytes.size();) {
            const int got =
                unzReadCurrentFile(archive_.get(), bytes.data() + at, static_cast<unsigned>(bytes.size() - at));
            good = got > 0;
            at += good ? static_cast<std::size_t>(got) : 0;
        }
        good = unzCloseCurrentFile(archive_.get()) == UNZ_OK && good;
        if (!good) {
            problem_ = name + " is damaged";
            return false;
        }
        const pugi::xml_parse_result result = out.load_buffer(bytes.data(), bytes.size());
        if (!result) problem_ = fmt::format("{}: {}", name, result.description());
        return static_cast<bool>(result);
    }

    // All that an element says: its `t`, and those of its runs, but not how it is pronounced.
    static std::string said(const pugi::xml_node& item) {
        std::string out;
        for (const pugi::xml_node each : item) {
            if (local(each) == "t") out += each.text().get();
            if (local(each) == "r") out += child(each, "t").text().get();
        }
        return out;
    }

    bool read_texts() {
        pugi::xml_document shared;
        if (!parse("xl/sharedStrings.xml", shared)) return problem_.empty();
        for (const pugi::xml_node item : shared.document_element()) texts_.push_back(said(item));
        return true;
    }

    std::string value_of(const pugi::xml_node& cell) const {
        const std::string_view type = cell.attribute("t").value();
        if (type == "inlineStr") return said(child(cell, "is"));
        const pugi::xml_text value = child(cell, "v").text();
        if (type != "s") return value.get();
        const std::size_t number = value.as_ullong(texts_.size());
        return number < texts_.size() ? texts_[number] : std::string{};
    }

    // Appends what stands between the cell before and this one, from `at` to a number; false where it would go too far.
    bool skip(std::string& text, std::uint64_t& at, std::uint64_t to, char with) {
        if (to > at && to - at > most_workbook_text - text.size()) return false;
        for (; at < to; ++at) text += with;
        return true;
    }

    bool read_sheet(const std::string& name, std::string& text) {
        pugi::xml_document sheet;
        if (!parse(name, sheet)) return false;
        std::uint64_t line = 1;
        for (const pugi::xml_node row : child(sheet.document_element(), "sheetData")) {
            std::uint64_t column = 1, next = 1;
            if (!skip(text, line, row.attribute("r").as_ullong(line), '\n')) return too_large();
            for (const pugi::xml_node cell : row) {
                const std::string value = value_of(cell);
                const std::uint64_t place = column_of(cell.attribute("r").value(), next);
                next = place + 1;
                if (value.empty()) continue;
                if (!skip(text, column, place, '\t') || value.size() > most_workbook_text - text.size())
                    return too_large();
                for (const char c : value) text += c == '\t' || c == '\n' || c == '\r' ? ' ' : c;
            }
            text += '\n';
            ++line;
        }
        return true;
    }

    bool too_large() {
        problem_ = fmt::format("a sheet is more than {} bytes of text", most_workbook_text);
        return false;
    }

    // `N7` is in column 14; a cell that does not say it is behind the one before.
    static std::uint64_t column_of(std::string_view reference, std::uint64_t otherwise) {
        std::uint64_t column = 0;
        for (const char c : reference.substr(0, 4)) {
            if (c < 'A' || c > 'Z') break;
            column = column * 26 + static_cast<std::uint64_t>(c - 'A' + 1);
        }
        return column == 0 ? otherwise : column;
    }

    std::unique_ptr<void, Close> archive_;
    std::vector<std::string> texts_;
    std::string problem_;
};

}  // namespace

bool is_workbook(const std::string& path) {
    char begin[4] = {};
    std::ifstream file(path, std::ios::binary);
    return file.read(begin, sizeof begin) && std::string_view(begin, sizeof begin) == std::string_view("PK\3\4", 4);
}

std::optional<Sheet> first_sheet(const std::string& path, std::string& error) {
    return Workbook(path).first_sheet(error);
}

}  // namespace isaforge::cli
