#include "lsp/server.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <unordered_map>

#include "lsp/features.hpp"

namespace isaforge::lsp {

using protocol::Call;
using protocol::ErrorCode;

namespace {

constexpr std::size_t most_documents = 1000;
constexpr auto longest_wait = std::chrono::milliseconds(35);    // of a request that can do with what was found before
constexpr auto quiet_time = std::chrono::milliseconds(300);      // without an edit before a description is checked
constexpr auto longest_patience = std::chrono::seconds(10);     // of one that cannot, such as renaming

std::string text_in(const Json& json, const char* name) {
    if (!json.is_object()) return {};
    const auto found = json.find(name);
    return found != json.end() && found->is_string() ? found->get<std::string>() : std::string();
}

const Json& at(const Json& json, std::initializer_list<const char*> path) {
    static const Json none;
    const Json* here = &json;
    for (const char* name : path) {
        if (!here->is_object()) return none;
        const auto found = here->find(name);
        if (found == here->end()) return none;
        here = &*found;
    }
    return *here;
}

bool is_true(const Json& json) { return json.is_boolean() && json.get<bool>(); }

// What a request needs of what was found out about its document.
enum class Needs : std::uint8_t {
    nothing,  // what there is will do
    soon,     // what is of the text now, if that comes soon
    fresh,    // nothing else
};

struct Request {
    Json (*handler)(Asked& asked);
    Needs needs;
};

const std::unordered_map<std::string, Request>& requests() {
    static const std::unordered_map<std::string, Request> all{
        {"textDocument/completion", {completion, Needs::nothing}},
        {"textDocument/hover", {hover, Needs::nothing}},
        {"textDocument/signatureHelp", {signature_help, Needs::nothing}},
        {"textDocument/definition", {definition, Needs::nothing}},
        {"textDocument/references", {references, Needs::fresh}},
        {"textDocument/documentHighlight", {highlights, Needs::soon}},
        {"textDocument/prepareRename", {prepare_rename, Needs::soon}},
        {"textDocument/rename", {rename, Needs::fresh}},
        {"textDocument/documentSymbol", {symbols, Needs::soon}},
        {"textDocument/foldingRange", {folding, Needs::nothing}},
        {"textDocument/formatting", {formatting, Needs::nothing}},
        {"textDocument/rangeFormatting", {formatting, Needs::nothing}},
        {"textDocument/semanticTokens/full", {tokens, Needs::nothing}},
        {"textDocument/semanticTokens/full/delta", {tokens_delta, Needs::nothing}},
        {"textDocument/semanticTokens/range", {tokens_in_range, Needs::nothing}},
        {"textDocument/inlayHint", {inlay_hints, Needs::soon}},
        {"textDocument/codeLens", {code_lenses, Needs::soon}},
        {"textDocument/codeAction", {code_actions, Needs::soon}},
        {"textDocument/documentLink", {document_links, Needs::nothing}},
    };
    return all;
}

Json capabilities() {
    Json out{
        {"textDocumentSync", {{"openClose", true}, {"change", 2}, {"save", true}}},
        {"completionProvider", {{"triggerCharacters", {".", " ", ",", "[", ":", "$", "@", "%"}}}},
        {"hoverProvider", true},
        {"signatureHelpProvider", {{"triggerCharacters", {" ", ","}}}},
        {"definitionProvider", true},
        {"referencesProvider", true},
        {"documentHighlightProvider", true},
        {"documentSymbolProvider", true},
        {"workspaceSymbolProvider", true},
        {"renameProvider", {{"prepareProvider", true}}},
        {"foldingRangeProvider", true},
        {"documentFormattingProvider", true},
        {"documentRangeFormattingProvider", true},
        {"inlayHintProvider", true},
        {"codeLensProvider", {{"resolveProvider", false}}},
        {"codeActionProvider", {{"codeActionKinds", {"quickfix"}}}},
        {"documentLinkProvider", {{"resolveProvider", false}}},
    };
    out["semanticTokensProvider"] = {{"legend", tokens_legend()}, {"range", true}, {"full", {{"delta", true}}}};
    return out;
}

}  // namespace

Server::Server(ServerOptions options, Send send)
    : options_(std::move(options)), preset_(options_.preset), send_(std::move(send)) {
    if (!options_.threads) return;
    thread_ = std::jthread([this] { work(); });
    checker_ = std::jthread([this] { check(); });
}

Server::~Server() {
    {
        const std::lock_guard lock(mutex_);
        stop_ = true;
    }
    work_.notify_all();
    check_.notify_all();
}

// --- what comes in ----------------------------------------------------------------------------------------------------

void Server::handle(protocol::Incoming&& incoming) {
    if (incoming.kind == protocol::Incoming::Kind::damaged) {
        send_(protocol::error(nullptr, ErrorCode::parse_error, incoming.problem));
        return;
    }
    const Call call = protocol::read_call(std::move(incoming.content));
    switch (call.kind) {
        case Call::Kind::none:
            send_(protocol::error(nullptr, ErrorCode::invalid_request, "this is no message of JSON-RPC"));
            break;
        case Call::Kind::reply: break;  // of requests that nobody waits for
        case Call::Kind::notification: try { notified(call.method, call.params);
            } catch (const std::exception&) {
                // It is not answered: what it asks for is left undone.
            }
            break;
        case Call::Kind::request: asked(call); break;
    }
}

void Server::asked(const Call& call) {
    const auto refuse = [&](ErrorCode code, std::string_view why) { send_(protocol::error(call.id, code, why)); };
    if (call.method == "initialize") {
        if (initialized_) return refuse(ErrorCode::invalid_request, "the server is initialized already");
        send_(protocol::result(call.id, initialize(call.params)));
        return;
    }
    if (!initialized_) return refuse(ErrorCode::server_not_initialized, "`initialize` comes first");
    if (was_shut_down_) return refuse(ErrorCode::invalid_request, "the server was shut down");
    if (call.method == "shutdown") {
        was_shut_down_ = true;
        send_(protocol::result(call.id, nullptr));
        return;
    }
    Json out;
    try {
        std::unique_lock lock(mutex_);
        if (call.method == "workspace/symbol") {
            out = workspace_symbols(call.params);
        } else if (!requests().contains(call.method)) {
            lock.unlock();
            return refuse(ErrorCode::method_not_found, fmt::format("there is no '{}'", call.method));
        } else {
            out = answer(call, lock);
        }
    } catch (const std::exception& error) {
        return refuse(ErrorCode::internal_error, error.what());
    }
    const std::string problem = text_in(out, "problem");
    if (!problem.empty()) return refuse(ErrorCode::request_failed, problem);
    send_(protocol::result(call.id, std::move(out)));
}

Json Server::answer(const Call& call, std::unique_lock<std::mutex>& lock) {
    const Request& request = requests().at(call.method);
    Document* document = find(call.params);
    if (!document) return nullptr;
    if (request.needs != Needs::nothing) {
        const std::string uri = document->uri;
        const auto is_ready = [&] {
            const auto found = documents_.find(uri);
            return found == documents_.end() || found->second.analysed == found->second.revision;
        };
        if (!is_ready() && options_.threads) {
            const auto patience = request.needs == Needs::soon ? std::chrono::milliseconds(longest_wait)
                                                               : std::chrono::milliseconds(longest_patience);
            done_.wait_for(lock, patience, is_ready);
        }
        document = find(call.params);
        if (!document) return nullptr;
    }
    Asked asked{*document, document->text.offset_of(read_position(at(call.params, {"position"}))), call.params};
    return request.handler(asked);
}

Document* Server::find(const Json& params) {
    const auto found = documents_.find(text_in(at(params, {"textDocument"}), "uri"));
    return found == documents_.end() ? nullptr : &found->second;
}

void Server::notified(const std::string& method, const Json& params) {
    if (method == "exit") {
        exited_ = true;
        return;
    }
    if (!initialized_) return;
    const std::lock_guard lock(mutex_);
    if (method == "textDocument/didOpen") {
        open(params);
    } else if (method == "textDocument/didChange") {
        change(params);
    } else if (method == "textDocument/didClose") {
        close(params);
    } else if (method == "textDocument/didSave" || method == "workspace/didChangeWatchedFiles") {
        touch_all();  // what others include may be another
    } else if (method == "workspace/didChangeConfiguration") {
        configure(at(params, {"settings"}));
        touch_all();
    }
}

Json Server::initialize(const Json& params) {
    const Json& encodings = at(params, {"capabilities", "general", "positionEncodings"});
    if (encodings.is_array() && std::find(encodings.begin(), encodings.end(), "utf-8") != encodings.end())
        columns_ = Text::Columns::utf8;
    const Json& workspace = at(params, {"capabilities", "workspace"});
    refreshes_hints_ = is_true(at(workspace, {"inlayHint", "refreshSupport"}));
    refreshes_tokens_ = is_true(at(workspace, {"semanticTokens", "refreshSupport"}));
    refreshes_lenses_ = is_true(at(workspace, {"codeLens", "refreshSupport"}));
    configure(at(params, {"initializationOptions"}));
    initialized_ = true;
    Json out{{"capabilities", capabilities()}, {"serverInfo", {{"name", "isaforge"}, {"version", options_.version}}}};
    out["capabilities"]["positionEncoding"] = columns_ == Text::Columns::utf8 ? "utf-8" : "utf-16";
    return out;
}

// Editors send settings as they are or below the program's name.
void Server::configure(const Json& settings) {
    preset_ = options_.preset;
    const Json& own = at(settings, {"isaforge"});
    take_settings(preset_, own.is_object() ? own : settings, "/");
}

// --- documents --------------------------------------------------------------------------------------------------------

void Server::open(const Json& params) {
    const Json& item = at(params, {"textDocument"});
    const std::string uri = text_in(item, "uri");
    if (uri.empty() || (documents_.size() >= most_documents && !documents_.contains(uri))) return;
    Document& document = documents_[uri];
    const std::uint64_t revision = document.revision;
    document = Document{};
    document.uri = uri;
    document.path = path_of(uri);
    document.is_description = document.path.ends_with(".isa") || text_in(item, "languageId") == "isaforge-description";
    const Json& version = at(item, {"version"});
    document.version = version.is_number_integer() ? version.get<std::int64_t>() : 0;
    document.text = Text(text_in(item, "text"), columns_);
    document.revision = revision;
    touch(document, true);
}

void Server::change(const Json& params) {
    Document* const document = find(params);
    const Json& changes = at(params, {"contentChanges"});
    if (!document || !changes.is_array()) return;
    const Json& version = at(params, {"textDocument", "version"});
    if (version.is_number_integer()) document->version = version.get<std::int64_t>();
    for (const Json& change : changes) {
        const std::string with = text_in(change, "text");
        const Json& range = at(change, {"range"});
        if (range.is_object())
            document->edit(document->text.span_of(read_range(range)), with);
        else if (change.is_object())
            document->set(with);
    }
    touch(*document, false);
}

void Server::close(const Json& params) {
    const std::string uri = text_in(at(params, {"textDocument"}), "uri");
    if (documents_.erase(uri) == 0) return;
    waiting_.erase(uri);
    Document gone;
    gone.uri = uri;
    publish(gone, {});
    published_.erase(uri);
    touch_all();
}

// The document is to be looked at, and, where it is one that they may use, so are others.
void Server::touch(Document& document, bool others) {
    ++document.revision;
    waiting_.insert(document.uri);
    for (auto& [uri, other] : documents_) {
        if (&other == &document) continue;
        bool uses = others;
        if (other.program) {
            uses |= other.program->file_of(document.path) != 0;
            uses |= document.is_description && other.program->machine && !other.program->machine->path.empty();
        } else if (other.description) {
            uses |= document.is_description;
        }
        if (!uses || document.path.empty()) continue;
        ++other.revision;
        waiting_.insert(uri);
    }
    if (options_.threads) {
        work_.notify_one();
        return;
    }
    std::unique_lock lock(mutex_, std::adopt_lock);
    while (!waiting_.empty()) {
        const std::string next = *waiting_.begin();
        waiting_.erase(waiting_.begin());
        look_at(next, lock);
    }
    lock.release();
}

void Server::touch_all() {
    if (documents_.empty()) return;
    for (auto& [uri, document] : documents_) {
        ++document.revision;
        waiting_.insert(uri);
    }
    touch(documents_.begin()->second, false);
}

// --- the thread that looks at documents -------------------------------------------------------------------------------

void Server::work() {
    std::unique_lock lock(mutex_);
    while (true) {
        work_.wait(lock, [&] { return stop_ || !waiting_.empty(); });
        if (stop_) return;
        // The one that was changed last is what is being looked at by a person: it has the highest version of changes.
        const std::string next = *waiting_.begin();
        waiting_.erase(waiting_.begin());
        look_at(next, lock);
    }
}

void Server::look_at(const std::string& uri, std::unique_lock<std::mutex>& lock) {
    const auto found = documents_.find(uri);
    if (found == documents_.end()) return;
    const Document& document = found->second;
    const std::uint64_t revision = document.revision;
    const std::string path = document.path;
    const Text text = document.text;
    const bool is_description = document.is_description;
    const std::shared_ptr<const Description> before = document.description;
    const Choice preset = preset_;
    Overlays overlays;
    for (const auto& [other, one] : documents_) {
        if (one.path.empty() || other == uri) continue;
        overlays[one.path] = {static_cast<int>(one.revision), std::make_shared<const std::string>(one.text.str())};
    }
    working_ = uri;
    lock.unlock();
    std::shared_ptr<const Program> program;
    std::shared_ptr<const Description> description;
    Findings trouble;
    try {
        if (is_description)
            description = read_description(text, path, overlays, columns_, before.get());
        else
            program = assemble_program(text, path, preset, overlays, machines_, columns_);
    } catch (const std::exception& error) {
        Finding finding;
        finding.message = error.what();
        trouble[path].push_back(finding);
    }
    lock.lock();
    working_.clear();
    const auto now = documents_.find(uri);
    if (now != documents_.end()) {
        Document& still = now->second;
        if (program) still.program = program;
        if (description) {
            still.description = description;
            still.checked.clear();
        }
        still.took(revision);
        if (still.revision == revision)
            publish(still, program ? program->findings : description ? description->findings : trouble);
    }
    done_.notify_all();
    if (description && description->is_current()) {
        unchecked_.insert(uri);
        if (!options_.threads) {
            unchecked_.erase(uri);
            check_one(uri, lock);
        }
        check_.notify_one();
    }
    const bool is_done = waiting_.empty();
    if (!is_done || !options_.threads) return;
    const std::pair<bool, const char*> refreshed[] = {{refreshes_hints_, "workspace/inlayHint/refresh"},
                                                      {refreshes_tokens_, "workspace/semanticTokens/refresh"},
                                                      {refreshes_lenses_, "workspace/codeLens/refresh"}};
    for (const auto& [wanted, method] : refreshed)
        if (wanted) send_(protocol::request(++requests_, method, nullptr));
}

void Server::check() {
    std::unique_lock lock(mutex_);
    while (true) {
        check_.wait(lock, [&] { return stop_ || !unchecked_.empty(); });
        if (stop_) return;
        // Not while somebody is writing.
        const std::string next = *unchecked_.begin();
        const auto revision_of = [&] {
            const auto found = documents_.find(next);
            return found == documents_.end() ? 0 : found->second.revision;
        };
        for (std::uint64_t before = 0; before != revision_of() && !stop_;) {
            before = revision_of();
            check_.wait_for(lock, quiet_time, [&] { return stop_; });
        }
        if (stop_) return;
        unchecked_.erase(next);
        checking_ = next;
        check_one(next, lock);
        checking_.clear();
        done_.notify_all();
    }
}

void Server::check_one(const std::string& uri, std::unique_lock<std::mutex>& lock) {
    const auto found = documents_.find(uri);
    if (found == documents_.end() || !found->second.description) return;
    const std::uint64_t revision = found->second.revision;
    const std::shared_ptr<const Description> description = found->second.description;
    if (!description->is_current()) return;
    lock.unlock();
    Diagnostics diagnostics;
    try {
        check_isa(*description->machine->isa, diagnostics);
    } catch (const std::exception&) {
        // What was found until then is told.
    }
    lock.lock();
    const auto now = documents_.find(uri);
    if (now == documents_.end() || now->second.revision != revision) return;
    Document& document = now->second;
    document.checked = findings_of(diagnostics, description->sources, document.path, columns_);
    Findings all = description->findings;
    for (const auto& [path, list] : document.checked) all[path].insert(all[path].end(), list.begin(), list.end());
    publish(document, all);
}

// Messages of the files that a document leads to. Those that have none any more are told so.
void Server::publish(const Document& document, const Findings& findings) {
    std::set<std::string> told;
    for (const auto& [path, list] : findings) {
        const std::string uri = path == document.path ? document.uri : uri_of(path);
        told.insert(uri);
        Json diagnostics = Json::array();
        for (const Finding& finding : list) {
            const int severity = finding.severity == Severity::error     ? 1
                                 : finding.severity == Severity::warning ? 2
                                                                         : 3;
            Json one{{"range", to_json(finding.range)},
                     {"severity", severity},
                     {"source", "isaforge"},
                     {"message", finding.message}};
            if (!finding.suggestion.empty()) one["data"] = {{"suggestion", finding.suggestion}};
            for (const Finding::Related& related : finding.related) {
                const Json where{{"uri", related.path == document.path ? document.uri : uri_of(related.path)},
                                 {"range", to_json(Range{related.start, related.end})}};
                one["relatedInformation"].push_back({{"location", where}, {"message", related.message}});
            }
            diagnostics.push_back(std::move(one));
        }
        Json params{{"uri", uri}, {"diagnostics", std::move(diagnostics)}};
        if (uri == document.uri) params["version"] = document.version;
        send_(protocol::notification("textDocument/publishDiagnostics", std::move(params)));
    }
    std::set<std::string>& before = published_[document.uri];
    for (const std::string& uri : before) {
        if (told.contains(uri)) continue;
        send_(
            protocol::notification("textDocument/publishDiagnostics", {{"uri", uri}, {"diagnostics", Json::array()}}));
    }
    before = std::move(told);
}

bool Server::is_busy() {
    const std::lock_guard lock(mutex_);
    return !working_.empty() || !checking_.empty();
}

void Server::settle() {
    std::unique_lock lock(mutex_);
    done_.wait(lock, [&] {
        return !options_.threads || (waiting_.empty() && working_.empty() && unchecked_.empty() && checking_.empty());
    });
}

Json Server::workspace_symbols(const Json& params) {
    constexpr std::size_t most = 500;
    const std::string wanted = text_in(params, "query");
    Json out = Json::array();
    for (auto& [uri, document] : documents_) {
        const Json none;
        Asked asked{document, 0, none};
        for (const Json& symbol : symbols(asked)) {
            const std::string name = text_in(symbol, "name");
            if (name.find(wanted) == std::string::npos) continue;
            if (out.size() >= most) return out;
            out.push_back({{"name", name},
                           {"kind", symbol.at("kind")},
                           {"location", {{"uri", uri}, {"range", symbol.at("selectionRange")}}}});
        }
    }
    return out;
}

}  // namespace isaforge::lsp
