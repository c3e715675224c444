// An editor's side of the language server, in one process and on one thread: every document is looked at when it is changed.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "lsp/server.hpp"

namespace isaforge::lsp {

class Session {
public:
    explicit Session(Json initialize = {{"capabilities", Json::object()}}, ServerOptions options = one_thread())
        : server_(options, [this](const Json& message) { take(message); }) {
        ask("initialize", std::move(initialize));
    }

    static ServerOptions one_thread() {
        ServerOptions options;
        options.threads = false;
        return options;
    }

    void open(const std::string& uri, const std::string& text) {
        tell("textDocument/didOpen",
             {{"textDocument", {{"uri", uri}, {"languageId", "x"}, {"version", 1}, {"text", text}}}});
        current = uri;
        texts_[uri] = text;
    }
    void change(Position start, Position end, const std::string& text) {
        const Json one{{"range", to_json(Range{start, end})}, {"text", text}};
        tell("textDocument/didChange",
             {{"textDocument", {{"uri", current}, {"version", ++version_}}}, {"contentChanges", {one}}});
    }
    void change(const std::string& whole) {
        tell("textDocument/didChange",
             {{"textDocument", {{"uri", current}, {"version", ++version_}}}, {"contentChanges", {{{"text", whole}}}}});
        texts_[current] = whole;
    }

    Json ask(const std::string& method, Json params = Json::object()) {
        const int id = ++id_;
        server_.handle({protocol::Incoming::Kind::message, protocol::request(id, method, std::move(params)), {}});
        const std::lock_guard lock(mutex_);
        const auto found = answers_.find(id);
        if (found == answers_.end()) return "no answer";
        return found->second.contains("result") ? found->second.at("result") : found->second;
    }
    void tell(const std::string& method, Json params) {
        server_.handle({protocol::Incoming::Kind::message, protocol::notification(method, std::move(params)), {}});
    }

    // Asks about the place of the current document before which `before` stands for the first time, and behind it `behind`.
    Json at(const std::string& method, const std::string& before, const std::string& behind,
            Json more = Json::object()) {
        const Text text(texts_[current]);
        const std::size_t found = text.str().find(before + behind);
        EXPECT_NE(found, std::string::npos) << before << behind;
        if (found == std::string::npos) return nullptr;
        more["position"] = to_json(text.position_of(static_cast<std::uint32_t>(found + before.size())));
        return about(method, std::move(more));
    }
    // Asks about the current document.
    Json about(const std::string& method, Json more = Json::object()) {
        more["textDocument"] = {{"uri", current}};
        return ask("textDocument/" + method, std::move(more));
    }

    // "line:column-column message", lines from 1, in the order of the text.
    std::vector<std::string> messages(const std::string& uri) const {
        std::vector<std::string> out;
        const auto found = diagnostics.find(uri);
        if (found == diagnostics.end()) return {"never told"};
        for (const Json& one : found->second.at("diagnostics"))
            out.push_back(place(one.at("range")) + " " + one.at("message").get<std::string>());
        return out;
    }

    static std::string place(const Json& range) {
        const Position start = read_position(range.at("start")), end = read_position(range.at("end"));
        return std::to_string(start.line + 1) + ":" + std::to_string(start.character + 1) + "-" +
               std::to_string(end.character + 1);
    }
    // The places of a list of locations or of things with ranges.
    static std::vector<std::string> places(const Json& list) {
        std::vector<std::string> out;
        if (!list.is_array()) return {list.dump()};
        for (const Json& one : list) out.push_back(place(one.at("range")));
        return out;
    }
    // The labels of what may be written there.
    std::vector<std::string> labels(const std::string& before, const std::string& behind) {
        std::vector<std::string> out;
        const Json list = at("completion", before, behind);
        if (!list.is_object()) return out;
        for (const Json& item : list.at("items")) out.push_back(item.at("label"));
        return out;
    }
    std::string hover(const std::string& before, const std::string& behind) {
        const Json said = at("hover", before, behind);
        return said.is_object() && said.contains("contents") ? said.at("contents").at("value").get<std::string>()
                                                             : said.dump();
    }

    // The text with edits done that were answered.
    std::string edited(const Json& edits) const {
        Text text(texts_.at(current));
        std::vector<Json> all(edits.begin(), edits.end());
        std::sort(all.begin(), all.end(), [](const Json& a, const Json& b) {
            const Position x = read_range(a.at("range")).start, y = read_range(b.at("range")).start;
            return std::make_pair(x.line, x.character) > std::make_pair(y.line, y.character);
        });
        for (const Json& edit : all)
            text.replace(text.span_of(read_range(edit.at("range"))), edit.at("newText").get<std::string>());
        return text.str();
    }

    Server& server() { return server_; }
    std::string current;
    std::map<std::string, Json> diagnostics;
    std::vector<Json> others;  // that came without a request

private:
    void take(const Json& message) {
        const std::lock_guard lock(mutex_);
        if (message.contains("method")) {
            if (message.at("method") == "textDocument/publishDiagnostics")
                diagnostics[message.at("params").at("uri")] = message.at("params");
            else
                others.push_back(message);
        } else if (message.at("id").is_number()) {
            answers_[message.at("id")] = message;
        } else {
            others.push_back(message);
        }
    }

    std::mutex mutex_;  // the server sends from its threads, too
    std::map<std::string, std::string> texts_;
    std::map<int, Json> answers_;
    int id_ = 0, version_ = 1;
    Server server_;
};

}  // namespace isaforge::lsp
