#include "hardware/writer.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace isaforge::hardware {

std::string comment(std::string_view prefix, std::string_view words, std::size_t width) {
    std::string out, line, plain(words);
    for (char& c : plain) c = c >= ' ' && c <= '~' ? c : '?';
    std::string_view text = plain;
    while (!text.empty()) {
        const std::string_view word = text.substr(0, text.find(' '));
        text.remove_prefix(std::min(text.size(), word.size() + 1));
        if (!line.empty() && prefix.size() + line.size() + 1 + word.size() > width) {
            out += fmt::format("{}{}\n", prefix, line);
            line.clear();
        }
        line += (line.empty() ? "" : " ") + std::string(word);
    }
    return out + fmt::format("{}{}\n", prefix, line);
}

std::string list(const std::vector<std::string>& items, const std::string& separator, std::size_t column,
                 const std::string& indent, std::size_t width) {
    std::string out;
    std::size_t at = column;
    for (std::size_t i = 0; i < items.size(); ++i) {
        const std::string item = items[i] + (i + 1 < items.size() ? separator : "");
        if (i != 0 && at + 1 + item.size() > width) {
            out += '\n';
            out += indent;
            out += item;
            at = indent.size() + item.size();
        } else {
            out += (i == 0 ? "" : " ") + item;
            at += item.size() + (i == 0 ? 0 : 1);
        }
    }
    return out;
}

std::string grouped(const std::string& pattern, const Slices& of) {
    std::string out;
    std::size_t at = 0;
    for (const Slice& slice : of) {
        const std::size_t width = slice.high - slice.low + 1;
        out += (out.empty() ? "" : "_") + pattern.substr(at, width);
        at += width;
    }
    return out;
}

std::string member_text(const Decoder& decoder, const Member& member, std::size_t width) {
    const auto of = [&] {
        const auto operand = std::ranges::find_if(decoder.members, [&](const Member& one) {
            return one.kind == Member::Kind::operand && one.field == member.field;
        });
        return operand == decoder.members.end() ? member.field : operand->name;
    };
    if (member.kind == Member::Kind::has_tail) return fmt::format("words follow because of {}", of());
    if (member.kind == Member::Kind::tail) return "these words";
    std::string says = member.field == member.name ? "" : member.field;
    if (!member.types.empty()) says += (says.empty() ? "" : ": ") + member.types;
    if (says.size() > width) says = says.substr(0, says.rfind(", ", width)) + ", ...";
    return says;
}

std::string limit_text(const Decoder& decoder, const LimitKept& kept) {
    const Limit& limit = decoder.isa->limits[decoder.limited[kept.limited].limit];
    std::vector<std::string> of;
    for (const LimitKept::Item& item : kept.items) {
        if (std::ranges::find(of, item.field) == of.end()) of.push_back(item.field);
    }
    const std::string unsaid = kept.unsaid.empty() ? "" : fmt::format(", {} unsaid", kept.unsaid.size());
    return fmt::format("limit {}, at most {} in {}{}: {}", limit.name, kept.most, fmt::join(of, ", "), unsaid,
                       limit.reason);
}

}  // namespace isaforge::hardware
