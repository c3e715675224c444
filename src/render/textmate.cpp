#include "render/textmate.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

namespace isaforge::render {

namespace {

using Json = nlohmann::ordered_json;

// The text as a regular expression that means itself.
std::string quoted(const std::string& text) {
    std::string out;
    for (const char c : text) {
        if (std::string_view("\\^$.|?*+()[]{}/-#&~").find(c) != std::string_view::npos) out += '\\';
        out += c;
    }
    return out;
}

Json matched(const char* name, std::string match) { return {{"name", name}, {"match", std::move(match)}}; }

// Longest first: a word that begins like another one is a word of its own. `behind` may follow.
std::string any_of(const std::set<std::string>& words, bool ignore_case, const char* behind = "") {
    std::vector<std::string> all(words.begin(), words.end());
    std::stable_sort(all.begin(), all.end(),
                     [](const std::string& a, const std::string& b) { return a.size() > b.size(); });
    std::string out = ignore_case ? "(?i)(?<![\\w.])(?:" : "(?<![\\w.])(?:";
    for (const std::string& word : all) out += (&word == all.data() ? "" : "|") + quoted(word);
    return out + ")" + behind + "(?![\\w])";
}

// Numbers as all machines have them, and with the marks of this one: digits of their radix, a letter only where a mark says so.
std::string numbers(const Surface& surface) {
    std::string out = "(?<![\\w.$])(?:0[xX][0-9a-fA-F]+|0[bB][01]+";
    for (const NumberMark& mark : surface.number_marks) {
        const char* const digits = mark.radix == 16 ? "[0-9a-fA-F]" : mark.radix == 8 ? "[0-7]" : "[01]";
        out += "|" + quoted(mark.before) + (mark.before.empty() ? "[0-9]" : "") + digits +
               (mark.before.empty() ? "*" : "+") + quoted(mark.behind);
    }
    return out + "|[0-9][\\w.]*)";
}

bool is_plain(const std::string& word) { return !word.empty() && word.find(' ') == std::string::npos; }

}  // namespace

std::string textmate_grammar(const Isa& isa) {
    const Surface& surface = isa.surface;
    Json patterns = Json::array();
    for (const std::string& mark : surface.line_comments)
        patterns.push_back(matched("comment.line.isaforge-asm", quoted(mark) + ".*$"));
    for (const auto& [open, close] : surface.block_comments)
        patterns.push_back({{"name", "comment.block.isaforge-asm"}, {"begin", quoted(open)}, {"end", quoted(close)}});
    patterns.push_back({{"name", "string.quoted.double.isaforge-asm"},
                        {"begin", "\""},
                        {"end", "\"|$"},
                        {"patterns", {matched("constant.character.escape.isaforge-asm", "\\\\.")}}});
    if (!surface.label_suffix.empty() || !surface.label_prefix.empty())
        patterns.push_back(matched("entity.name.function.isaforge-asm",
                                   "^\\s*" + quoted(surface.label_prefix) + "[\\w.$]+" + quoted(surface.label_suffix)));
    std::set<std::string> mnemonics, registers;
    for (const Instruction& instruction : isa.instructions)
        for (const std::string& name : instruction.names)
            if (is_plain(name)) mnemonics.insert(name);
    for (const RegisterFile& file : isa.register_files)
        for (const Entry& entry : file.entries)
            for (const std::string& text : entry.texts)
                if (is_plain(text)) registers.insert(text);
    if (!mnemonics.empty())
        patterns.push_back(
            matched("keyword.mnemonic.isaforge-asm", any_of(mnemonics, surface.case_insensitive, "(?:\\.\\w+)*")));
    if (!registers.empty())
        patterns.push_back(
            matched("variable.language.register.isaforge-asm", any_of(registers, surface.case_insensitive)));
    patterns.push_back(matched("keyword.control.directive.isaforge-asm", "(?<![\\w.$])\\.[a-z_]\\w*"));
    patterns.push_back(matched("constant.numeric.isaforge-asm", numbers(surface)));
    const Json grammar{
        {"name", "Assembly (" + isa.variant + ")"}, {"scopeName", "source.isaforge-asm"}, {"patterns", patterns}};
    return grammar.dump(4, ' ', false, Json::error_handler_t::replace);
}

}  // namespace isaforge::render
