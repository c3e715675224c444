// What may be done about a message: to write what was meant.
#include <algorithm>

#include "lsp/features.hpp"

namespace isaforge::lsp {

Json code_actions(Asked& asked) {
    const Document& document = asked.document;
    Json out = Json::array();
    const Findings* const findings = document.program       ? &document.program->findings
                                     : document.description ? &document.description->findings
                                                            : nullptr;
    if (!findings || !findings->contains(document.path) || !asked.params.contains("range")) return out;
    const Text& text = document.text;
    const Span wanted = text.span_of(read_range(asked.params.at("range")));
    std::vector<Finding> own = findings->at(document.path);
    if (const auto checked = document.checked.find(document.path); checked != document.checked.end())
        own.insert(own.end(), checked->second.begin(), checked->second.end());
    for (const Finding& finding : own) {
        Span span = document.now(finding.span);
        if (finding.suggestion.empty() || span.end < wanted.begin || span.begin > wanted.end) continue;
        const std::string_view there = text.view(span);
        // What is missing stands for nothing.
        if (there.find_first_not_of(" \t\r\n") == std::string_view::npos) span.end = span.begin;
        const Json edit{{"range", to_json(text.range_of(span))}, {"newText", finding.suggestion}};
        Json action{{"title", (span.size() == 0 ? "Write '" : "Change to '") + finding.suggestion + "'"},
                    {"kind", "quickfix"},
                    {"isPreferred", true}};
        action["edit"]["changes"][document.uri].push_back(edit);
        const Json diagnostics = asked.params.value("context", Json::object());
        if (diagnostics.is_object() && diagnostics.contains("diagnostics") &&
            diagnostics.at("diagnostics").is_array()) {
            for (const Json& one : diagnostics.at("diagnostics"))
                if (one.is_object() && one.contains("message") && one.at("message") == finding.message)
                    action["diagnostics"].push_back(one);
        }
        out.push_back(std::move(action));
    }
    return out;
}

}  // namespace isaforge::lsp
