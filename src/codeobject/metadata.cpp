#include "codeobject/metadata.hpp"

#include <fmt/format.h>
#include <yaml.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "support/printable.hpp"

namespace isaforge::codeobject {

namespace {

using Json = nlohmann::json;  // its objects are ordered by key, as LLVM's are

constexpr unsigned deepest = 32;
constexpr std::size_t longest_yaml = std::size_t{1} << 26;

// --- scalars

// An integer as LLVM's YAML reads it: all of the text, with the radix that its prefix says.
bool read_integer(std::string_view text, Json& value) {
    const bool negative = text.starts_with('-');
    if (negative) text.remove_prefix(1);
    unsigned radix = 10;
    const auto prefix = [&](std::string_view small, std::string_view large, unsigned found) {
        if (!text.starts_with(small) && !text.starts_with(large)) return false;
        text.remove_prefix(2);
        radix = found;
        return true;
    };
    if (!prefix("0x", "0X", 16) && !prefix("0b", "0B", 2) && !prefix("0o", "0o", 8) && text.size() > 1 &&
        text[0] == '0' && text[1] >= '0' && text[1] <= '9') {
        text.remove_prefix(1);
        radix = 8;
    }
    if (text.empty()) return false;
    std::uint64_t number = 0;
    for (const char c : text) {
        const int digit = c >= '0' && c <= '9'                 ? c - '0'
                          : (c | 32) >= 'a' && (c | 32) <= 'f' ? (c | 32) - 'a' + 10
                                                               : 99;
        if (digit >= static_cast<int>(radix)) return false;
        if (__builtin_mul_overflow(number, std::uint64_t{radix}, &number)) return false;
        if (__builtin_add_overflow(number, static_cast<std::uint64_t>(digit), &number)) return false;
    }
    if (!negative) {
        value = number;
    } else if (number <= std::uint64_t{1} << 63) {
        value = static_cast<std::int64_t>(0 - number);
    } else {
        return false;
    }
    return true;
}

bool read_float(const std::string& text, Json& value) {
    char* end = nullptr;
    const double number = std::strtod(text.c_str(), &end);
    if (text.empty() || *end != '\0' || end != text.c_str() + text.size()) return false;
    value = number;
    return true;
}

// The words that LLVM 19 takes for true and false, in small letters, capitals, or with a capital at the begin.
std::optional<bool> read_truth(std::string_view text) {
    static constexpr std::string_view words[] = {"n", "y", "no", "yes", "off", "on", "false", "true"};
    for (std::size_t i = 0; i < std::size(words); ++i) {
        std::string first(words[i]), all(words[i]);
        first[0] = static_cast<char>(first[0] - 'a' + 'A');
        std::ranges::transform(all, all.begin(), [](char c) { return static_cast<char>(c - 'a' + 'A'); });
        if (text == words[i] || text == first || text == all) return i % 2 == 1;
    }
    return std::nullopt;
}

// `tag`: "!int" and the like, or empty.
bool read_scalar(const std::string& text, std::string_view tag, Json& value, std::string& wrong) {
    constexpr std::string_view standard = "tag:yaml.org,2002:";
    if (tag.starts_with(standard)) tag = tag == "tag:yaml.org,2002:str" ? "" : tag;
    if ((tag == "!int" || tag.empty()) && read_integer(text, value)) return true;
    if (tag == "!nil") return value = nullptr, true;
    const std::optional<bool> truth = tag == "!bool" || tag.empty() ? read_truth(text) : std::nullopt;
    if (truth) return value = *truth, true;
    if ((tag == "!float" || tag.empty()) && read_float(text, value)) return true;
    if (tag.empty() || tag == "!str") return value = text, true;
    wrong = fmt::format("'{}' is no value of the kind {}", text, tag);
    return false;
}

// Whether some version of LLVM takes a text without a tag for something else.
bool is_ambiguous(const std::string& text) {
    Json value;
    return text.empty() || text == "null" || text == "~" || read_truth(text) || read_integer(text, value) ||
           read_float(text, value);
}

// --- YAML to a tree, by libyaml's events

class YamlReader {
public:
    YamlReader(std::string_view text, MetadataError& error) : error_(error) {
        yaml_parser_initialize(&parser_);
        yaml_parser_set_input_string(&parser_, reinterpret_cast<const unsigned char*>(text.data()), text.size());
    }
    ~YamlReader() { yaml_parser_delete(&parser_); }
    YamlReader(const YamlReader&) = delete;
    YamlReader& operator=(const YamlReader&) = delete;

    bool read(Json& root);

private:
    // A list or map that is open. `value` waits for its place in the one around it.
    struct Open {
        Json value;
        std::string key;
        bool has_key = false;
    };
    bool fail(std::size_t line, std::string message) {
        error_ = {std::move(message), line};
        return false;
    }
    bool event(const yaml_event_t& event, bool& done);
    bool scalar(const yaml_event_t& event);
    bool add(Json value, std::size_t line);

    yaml_parser_t parser_;
    MetadataError& error_;
    std::vector<Open> open_;
    Json root_;
    bool has_root_ = false;
};

bool YamlReader::add(Json value, std::size_t line) {
    if (open_.empty()) {
        root_ = std::move(value);
        has_root_ = true;
        return true;
    }
    Open& around = open_.back();
    if (around.value.is_array()) {
        around.value.push_back(std::move(value));
        return true;
    }
    if (around.value.contains(around.key)) return fail(line, fmt::format("'{}' stands here twice", around.key));
    around.value[around.key] = std::move(value);
    around.has_key = false;
    return true;
}

bool YamlReader::scalar(const yaml_event_t& event) {
    const auto& scalar = event.data.scalar;
    const std::size_t line = event.start_mark.line;
    std::string text(reinterpret_cast<const char*>(scalar.value), scalar.length);
    if (!open_.empty() && open_.back().value.is_object() && !open_.back().has_key) {
        open_.back().key = std::move(text);
        open_.back().has_key = true;
        return true;
    }
    const std::string tag = scalar.tag ? reinterpret_cast<const char*>(scalar.tag) : "";
    Json value;
    std::string wrong;
    if (!read_scalar(text, tag, value, wrong)) return fail(line, std::move(wrong));
    return add(std::move(value), line);
}

bool YamlReader::event(const yaml_event_t& event, bool& done) {
    const std::size_t line = event.start_mark.line;
    switch (event.type) {
        case YAML_SEQUENCE_START_EVENT:
        case YAML_MAPPING_START_EVENT:
            if (open_.size() >= deepest) return fail(line, "this nests too deeply");
            if (!open_.empty() && open_.back().value.is_object() && !open_.back().has_key)
                return fail(line, "a key must be a text");
            open_.push_back({event.type == YAML_MAPPING_START_EVENT ? Json::object() : Json::array(), {}, false});
            return true;
        case YAML_SEQUENCE_END_EVENT:
        case YAML_MAPPING_END_EVENT: {
            Json value = std::move(open_.back().value);
            open_.pop_back();
            return add(std::move(value), line);
        }
        case YAML_SCALAR_EVENT: return scalar(event);
        case YAML_ALIAS_EVENT: return fail(line, "metadata have no aliases");
        case YAML_DOCUMENT_END_EVENT:
        case YAML_STREAM_END_EVENT: done = true; return true;
        default: return true;
    }
}

bool YamlReader::read(Json& root) {
    for (bool done = false; !done;) {
        yaml_event_t next;
        if (!yaml_parser_parse(&parser_, &next)) {
            return fail(parser_.problem_mark.line,
                        fmt::format("this is no YAML: {}", parser_.problem ? parser_.problem : "?"));
        }
        const bool good = event(next, done);
        yaml_event_delete(&next);
        if (!good) return false;
    }
    if (!has_root_) return fail(0, "the metadata are empty");
    root = std::move(root_);
    return true;
}

// --- MessagePack to a tree

// Counts how deep the bytes nest before they are trusted to the parser, which is recursive.
class DepthCheck : public nlohmann::json_sax<Json> {
public:
    bool null() override { return true; }
    bool boolean(bool) override { return true; }
    bool number_integer(number_integer_t) override { return true; }
    bool number_unsigned(number_unsigned_t) override { return true; }
    bool number_float(number_float_t, const string_t&) override { return true; }
    bool string(string_t&) override { return true; }
    bool binary(binary_t&) override { return false; }
    bool start_object(std::size_t) override { return ++depth_ <= deepest; }
    bool end_object() override { return --depth_, true; }
    bool start_array(std::size_t) override { return ++depth_ <= deepest; }
    bool end_array() override { return --depth_, true; }
    bool key(string_t&) override { return true; }
    bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override { return false; }

private:
    unsigned depth_ = 0;
};

// --- a tree to YAML, in the layout that LLVM prints

bool is_plain(const std::string& text) {
    if (text.empty() || text.back() == ' ') return false;
    const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '.'; };
    return letter(text[0]) && std::ranges::all_of(text, [&](char c) {
               return letter(c) || (c >= '0' && c <= '9') || c == '-' || c == '+' || c == ' ' || c == '$' || c == '(' ||
                      c == ')';
           });
}

// What the assembler would take for a comment or for a quote is escaped.
std::string quoted(const std::string& text) {
    const bool simple = std::ranges::all_of(text, [](char c) {
        return c >= 0x20 && c < 0x7F && std::string_view("'\";/#\\").find(c) == std::string_view::npos;
    });
    if (simple) return "'" + text + "'";
    std::string out = "\"";
    for (std::string_view rest = text; !rest.empty();) {
        const Character next = first_character(rest);
        const bool means_something = std::string_view("'\";/#\\").find(rest[0]) != std::string_view::npos;
        if (means_something || (next.is_utf8 && !next.is_printable)) {
            const auto code = static_cast<unsigned>(next.code);
            out += code < 0x80 ? fmt::format("\\x{:02X}", code) : fmt::format("\\u{:04X}", code);
        } else {
            out += rest.substr(0, next.length);
        }
        rest.remove_prefix(next.length);
    }
    return out + "\"";
}

std::string scalar_text(const Json& value) {
    if (value.is_null()) return "!nil ''";
    if (value.is_boolean()) return value.get<bool>() ? "true" : "false";
    if (value.is_number_float()) {
        // Without a tag, if it does not look like an integer.
        const std::string text = fmt::format("{}", value.get<double>());
        Json read;
        return (read_integer(text, read) ? "!float " : "") + text;
    }
    if (value.is_number()) return value.dump();
    const auto& text = value.get_ref<const std::string&>();
    return (is_ambiguous(text) ? "!str " : "") + (is_plain(text) ? text : quoted(text));
}

class YamlWriter {
public:
    std::string document(const Json& root) {
        out_ = "---\n";
        if (root.is_structured() && !root.empty()) {
            block(root, 0);
        } else {
            out_ += inline_text(root) + "\n";
        }
        return out_ + "...\n";
    }
    // Keys that would come back as numbers: no tag helps there.
    bool has_numeric_keys() const { return numeric_keys_; }

private:
    static std::string inline_text(const Json& value) {
        return value.is_object() ? "{}" : value.is_array() ? "[]" : scalar_text(value);
    }
    // The depth is bounded by what was read.
    void block(const Json& value, unsigned indent, bool first_is_placed = false) {
        bool placed = first_is_placed;
        const auto begin_line = [&] {
            if (!placed) out_.append(indent, ' ');
            placed = false;
        };
        if (value.is_array()) {
            for (const Json& item : value) {
                begin_line();
                out_ += "- ";
                inner(item, indent + 2, true);
            }
            return;
        }
        for (const auto& [key, item] : value.items()) {
            begin_line();
            numeric_keys_ |= is_ambiguous(key);
            const std::string name = (is_plain(key) ? key : quoted(key)) + ":";
            out_ += name;
            if (item.is_structured() && !item.empty()) {
                out_ += '\n';
                inner(item, indent + 2, false);
            } else {
                constexpr std::size_t column = 17;
                out_.append(name.size() < column ? column - name.size() : 1, ' ');
                inner(item, indent + 2, false);
            }
        }
    }
    void inner(const Json& item, unsigned indent, bool in_line) {
        if (item.is_structured() && !item.empty()) return block(item, indent, in_line);
        out_ += inline_text(item) + "\n";
    }

    std::string out_;
    bool numeric_keys_ = false;
};

std::vector<std::uint8_t> pack(const Json& root) { return Json::to_msgpack(root); }

// What every reader of metadata relies on.
bool is_metadata(const Json& root, MetadataError& error) {
    if (!root.is_object()) {
        error.message = "metadata are a map";
        return false;
    }
    for (const char* const key : {"amdhsa.version", "amdhsa.kernels"}) {
        const auto found = root.find(key);
        if (found != root.end() && found->is_array()) continue;
        if (found == root.end() && std::string_view(key) == "amdhsa.kernels") continue;
        error.message = fmt::format("metadata have a list '{}'", key);
        return false;
    }
    return true;
}

}  // namespace

std::optional<std::vector<std::uint8_t>> metadata_bytes(std::string_view yaml, MetadataError& error) {
    error = {};
    Json root;
    if (yaml.size() > longest_yaml) {
        error.message = "the metadata are too long";
        return std::nullopt;
    }
    if (!YamlReader(yaml, error).read(root) || !is_metadata(root, error)) return std::nullopt;
    return pack(root);
}

bool read_metadata(std::span<const std::uint8_t> bytes, Json& root) {
    DepthCheck check;
    if (!Json::sax_parse(bytes.begin(), bytes.end(), &check, Json::input_format_t::msgpack)) return false;
    root = Json::from_msgpack(bytes.begin(), bytes.end(), true, false);
    return root.is_object();
}

bool read_metadata(std::string_view yaml, Json& root) {
    MetadataError error;
    yaml = yaml.substr(0, yaml.find('\0'));
    return yaml.size() <= longest_yaml && YamlReader(yaml, error).read(root) && root.is_object();
}

std::optional<std::string> metadata_text(std::span<const std::uint8_t> bytes) {
    DepthCheck check;
    if (!Json::sax_parse(bytes.begin(), bytes.end(), &check, Json::input_format_t::msgpack)) return std::nullopt;
    const Json root = Json::from_msgpack(bytes.begin(), bytes.end(), true, false);
    if (root.is_discarded()) return std::nullopt;
    YamlWriter writer;
    std::string text = writer.document(root);
    if (writer.has_numeric_keys()) return std::nullopt;
    MetadataError error;
    const std::optional<std::vector<std::uint8_t>> again = metadata_bytes(text, error);
    if (!again || !std::ranges::equal(*again, bytes)) return std::nullopt;
    return text;
}

}  // namespace isaforge::codeobject
