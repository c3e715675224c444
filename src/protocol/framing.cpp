#include "protocol/framing.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <optional>

namespace isaforge::protocol {

namespace {

Incoming damaged(std::string problem) { return {Incoming::Kind::damaged, {}, std::move(problem)}; }

bool same_name(std::string_view a, std::string_view b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
}

std::string_view trimmed(std::string_view text) {
    const std::size_t first = text.find_first_not_of(" \t\r");
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

// What the header says; nothing where it does not say so, or says no number.
std::optional<std::size_t> content_length(std::string_view header) {
    std::optional<std::size_t> length;
    while (!header.empty()) {
        const std::size_t end = std::min(header.find('\n'), header.size());
        const std::string_view line = header.substr(0, end);
        header.remove_prefix(std::min(end + 1, header.size()));
        const std::size_t colon = line.find(':');
        if (colon == std::string_view::npos || !same_name(trimmed(line.substr(0, colon)), "content-length")) continue;
        const std::string_view digits = trimmed(line.substr(colon + 1));
        std::size_t value = 0;
        const auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
        if (error != std::errc() || stop != digits.data() + digits.size()) return std::nullopt;
        length = value;
    }
    return length;
}

// Before a tree is made of it: trees are walked by recursion.
bool is_too_deep(std::string_view text) {
    std::size_t depth = 0;
    bool in_string = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (in_string) {
            if (c == '\\') ++i;
            if (c == '"') in_string = false;
        } else if (c == '"') {
            in_string = true;
        } else if (c == '[' || c == '{') {
            if (++depth > deepest_message) return true;
        } else if ((c == ']' || c == '}') && depth != 0) {
            --depth;
        }
    }
    return false;
}

}  // namespace

void FrameReader::header_ended(std::vector<Incoming>& out) {
    const std::optional<std::size_t> length = drops_ ? std::nullopt : content_length(header_);
    header_.clear();
    drops_ = false;
    if (!length) {
        out.push_back(damaged("a message without a Content-Length"));
        return;
    }
    in_body_ = true;
    missing_ = *length;
    if (missing_ > most_message_bytes) {
        drops_ = true;
        out.push_back(damaged("a message of more than " + std::to_string(most_message_bytes) + " bytes"));
    }
    if (missing_ == 0) body_ended(out);
}

void FrameReader::body_ended(std::vector<Incoming>& out) {
    in_body_ = false;
    const std::string text = std::move(body_);
    body_.clear();
    const bool dropped = drops_;
    drops_ = false;
    if (dropped) return;
    if (is_too_deep(text)) {
        out.push_back(damaged("a message with more than " + std::to_string(deepest_message) + " levels"));
        return;
    }
    Json content = Json::parse(text, nullptr, false);
    if (content.is_discarded())
        out.push_back(damaged("a message that is no JSON"));
    else
        out.push_back({Incoming::Kind::message, std::move(content), {}});
}

std::vector<Incoming> FrameReader::feed(std::string_view bytes) {
    std::vector<Incoming> out;
    while (!bytes.empty()) {
        if (in_body_) {
            const std::size_t count = std::min(missing_, bytes.size());
            if (!drops_) body_.append(bytes.substr(0, count));
            bytes.remove_prefix(count);
            missing_ -= count;
            if (missing_ == 0) body_ended(out);
            continue;
        }
        const std::size_t count = std::min(bytes.find('\n'), bytes.size() - 1) + 1;
        header_.append(bytes.substr(0, count));
        bytes.remove_prefix(count);
        const std::string_view so_far = header_;
        if (so_far == "\n" || so_far == "\r\n") {
            header_.clear();  // lines between messages
        } else if (so_far.ends_with("\n\n") || so_far.ends_with("\n\r\n")) {
            header_ended(out);
        } else if (header_.size() > most_header_bytes) {
            drops_ = true;
            header_.erase(0, header_.size() - 2);  // enough to see where it ends
        }
    }
    return out;
}

std::string to_text(const Json& message) { return message.dump(-1, ' ', false, Json::error_handler_t::replace); }

std::string frame(const Json& message) {
    const std::string text = to_text(message);
    return "Content-Length: " + std::to_string(text.size()) + "\r\n\r\n" + text;
}

}  // namespace isaforge::protocol
