#include "hardware/names.hpp"

#include <algorithm>
#include <array>

namespace isaforge::hardware {

namespace {

// Of SystemVerilog and of VHDL, those that a description may well use for a name.
constexpr std::array reserved_words = {
    "abs",        "access",    "after",     "alias",      "all",        "always",        "and",      "architecture",
    "array",      "assert",    "assign",    "assume",     "attribute",  "automatic",     "begin",    "bind",
    "bit",        "block",     "body",      "break",      "buf",        "buffer",        "bus",      "byte",
    "case",       "cell",      "class",     "component",  "config",     "configuration", "const",    "constant",
    "constraint", "context",   "continue",  "cover",      "cross",      "default",       "design",   "disable",
    "disconnect", "do",        "downto",    "edge",       "else",       "elsif",         "end",      "entity",
    "enum",       "event",     "exit",      "expect",     "export",     "extends",       "extern",   "file",
    "final",      "for",       "force",     "forever",    "fork",       "function",      "generate", "generic",
    "global",     "group",     "guarded",   "if",         "iff",        "implements",    "import",   "impure",
    "in",         "include",   "inertial",  "initial",    "inout",      "inside",        "instance", "int",
    "integer",    "interface", "is",        "join",       "label",      "let",           "library",  "linkage",
    "literal",    "local",     "logic",     "loop",       "map",        "mod",           "module",   "nand",
    "negedge",    "new",       "next",      "nor",        "not",        "null",          "of",       "on",
    "open",       "or",        "others",    "out",        "output",     "package",       "packed",   "parameter",
    "port",       "posedge",   "postponed", "priority",   "private",    "procedure",     "process",  "program",
    "property",   "protected", "pure",      "rand",       "range",      "real",          "record",   "ref",
    "reg",        "register",  "reject",    "release",    "rem",        "repeat",        "report",   "restrict",
    "return",     "rol",       "ror",       "select",     "sequence",   "severity",      "shared",   "signal",
    "signed",     "sla",       "sll",       "small",      "soft",       "specify",       "sra",      "srl",
    "static",     "string",    "strong",    "struct",     "subtype",    "super",         "supply",   "table",
    "tagged",     "task",      "then",      "this",       "throughout", "time",          "to",       "transport",
    "tri",        "type",      "typedef",   "unaffected", "union",      "unique",        "units",    "unsigned",
    "until",      "use",       "var",       "variable",   "vector",     "view",          "virtual",  "void",
    "vunit",      "wait",      "wand",      "weak",       "when",       "while",         "wildcard", "wire",
    "with",       "within",    "wor",       "word",       "xnor",       "xor",
};

std::string lowered(std::string_view text) {
    std::string out(text);
    for (char& c : out) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    return out;
}

}  // namespace

std::string plain_name(std::string_view name) {
    std::string out;
    for (const char c : name) {
        const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        if (plain) {
            out += c;
        } else if (!out.empty() && out.back() != '_') {
            out += '_';
        }
    }
    while (out.ends_with('_')) out.pop_back();
    return out;
}

bool Names::is_free(const std::string& name) const {
    const std::string low = lowered(name);
    if (taken_.contains(low)) return false;
    return prefixed_ || std::find(reserved_words.begin(), reserved_words.end(), low) == reserved_words.end();
}

void Names::take(std::string_view name) { taken_.insert(lowered(name)); }

std::string Names::fresh(std::string_view name, std::string_view besides) {
    std::string base = plain_name(name);
    if (base.empty() || (!prefixed_ && base[0] >= '0' && base[0] <= '9')) base = "n" + (base.empty() ? "" : "_" + base);
    std::string out = base;
    if (!is_free(out) && !besides.empty()) out = base += "_" + plain_name(besides);
    for (unsigned number = 2; !is_free(out); ++number) out = base + "_" + std::to_string(number);
    take(out);
    return out;
}

}  // namespace isaforge::hardware
