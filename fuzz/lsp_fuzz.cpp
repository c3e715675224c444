// A session of an editor that goes wrong: a document of any text, edits at any places, requests of any kind, and what is no
// message at all. Each request has one answer, and the text is what the edits make of it.
#include <memory>

#include "description.hpp"
#include "lsp/server.hpp"
#include "source.hpp"

using namespace isaforge;

namespace {

using lsp::Json;

constexpr unsigned most_steps = 24;
constexpr std::size_t longest_text = 1500;

const char* const methods[] = {"completion",
                               "hover",
                               "signatureHelp",
                               "definition",
                               "references",
                               "documentHighlight",
                               "prepareRename",
                               "rename",
                               "documentSymbol",
                               "foldingRange",
                               "formatting",
                               "rangeFormatting",
                               "semanticTokens/full",
                               "semanticTokens/full/delta",
                               "semanticTokens/range",
                               "inlayHint",
                               "codeLens",
                               "codeAction",
                               "documentLink"};

const char* const pieces[] = {"\n",
                              "{",
                              "}",
                              "\"",
                              "|",
                              "[",
                              "/*",
                              "*/",
                              "//",
                              ";",
                              ":",
                              ".macro m a\n",
                              ".endm\n",
                              ".if 1\n",
                              "m 1\n",
                              "x = 1\n",
                              "\\a",
                              "\xc3\xa9",
                              "\xff",
                              "\xf0\x9f\x98\x80",
                              "\r\n",
                              "instructions A [OP] {",
                              "format F | OP:4 | A:r |",
                              "#def q r1\n",
                              "jump x;",
                              "1:",
                              "1b",
                              ".rept 3\n",
                              ".endr\n",
                              ".include \"a\"\n",
                              "v_add_f32 v0, s[0:1], ",
                              ".scope s\n",
                              ".ends\n",
                              "s::x",
                              "= %r[1:2]\n"};

class Session {
public:
    Session() : server_(options(), [this](const Json& message) { take(message); }) {
        ask("initialize", {{"capabilities", Json::object()}});
    }

    void open(const std::string& uri, const std::string& text) {
        uri_ = uri;
        text_ = lsp::Text(text);
        tell("didOpen", {{"textDocument", {{"uri", uri}, {"languageId", ""}, {"version", 1}, {"text", text}}}});
    }

    void step(fuzz::Random& random) {
        const Json document{{"uri", random.one_in(20) ? "file:///none" : uri_}};
        switch (random.below(4)) {
            case 0: {
                lsp::Range range{place(random), place(random)};
                const std::string with = random.one_in(3) ? "" : random.pick(pieces);
                if (text_.str().size() > 4 * longest_text) range = text_.whole();
                text_.replace(text_.span_of(range), with);
                const Json change{{"range", lsp::to_json(range)}, {"text", with}};
                tell("didChange", {{"textDocument", {{"uri", uri_}, {"version", 2}}}, {"contentChanges", {change}}});
                break;
            }
            default: {
                Json params{{"textDocument", document}, {"position", lsp::to_json(place(random))}};
                params["range"] = lsp::to_json(lsp::Range{place(random), place(random)});
                if (random.one_in(2)) params["newName"] = random.one_in(4) ? "r1" : "other";
                if (random.one_in(4)) params["previousResultId"] = std::to_string(random.below(3));
                if (random.one_in(20)) params = random.below(9);
                ask(std::string("textDocument/") + random.pick(methods), std::move(params));
            }
        }
    }

private:
    static lsp::ServerOptions options() {
        lsp::ServerOptions out;
        out.threads = false;
        out.preset.name = "wishbone-gpu";
        return out;
    }

    lsp::Position place(fuzz::Random& random) {
        if (random.one_in(16))
            return {static_cast<std::uint32_t>(random.edge() & 0x7fffffff),
                    static_cast<std::uint32_t>(random.edge() & 0x7fffffff)};
        return text_.position_of(static_cast<std::uint32_t>(random.below(text_.str().size() + 1)));
    }

    void take(const Json& message) {
        fuzz::require(!protocol::to_text(message).empty());
        if (message.contains("id") && !message.contains("method"))
            answered_ = message["id"] == id_ ? answered_ + 1 : answered_;
    }
    void ask(const std::string& method, Json params) {
        ++id_;
        answered_ = 0;
        server_.handle({protocol::Incoming::Kind::message, protocol::request(id_, method, std::move(params)), {}});
        fuzz::require(answered_ == 1);
    }
    void tell(const std::string& method, Json params) {
        server_.handle({protocol::Incoming::Kind::message,
                        protocol::notification("textDocument/" + method, std::move(params)),
                        {}});
    }

    lsp::Server server_;
    std::string uri_;
    lsp::Text text_;
    int id_ = 0, answered_ = 0;
};

}  // namespace

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed) {
    return fuzz::mutate_behind(data, size, most, seed, [](std::string& rest, fuzz::Random& random, std::uint8_t which) {
        constexpr std::size_t choices = 8;
        rest.resize(std::max(rest.size(), choices));
        if (random.one_in(2)) fuzz::change_bytes(rest, 0, choices);
        rest.resize(std::max(rest.size(), choices));  // which may have taken some away
        std::string text = rest.substr(choices);
        if (which % 3 == 0)
            fuzz::change_text(text, random, fuzz::description_pieces(),
                              [](fuzz::Random& r) { return fuzz::description_pieces().line(r); });
        else
            fuzz::change_text(text, random, fuzz::source_pieces(),
                              [&](fuzz::Random& r) { return fuzz::source_line(r, fuzz::tools(which % 9 / 3)); });
        rest.replace(choices, std::string::npos, text);
    });
}

// The first byte says what the document is, the next eight what the editor does with it.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    constexpr std::size_t head = 9;
    if (size < head) return 0;
    std::uint64_t seed = 0;
    for (std::size_t i = 1; i < head; ++i) seed = seed << 8 | data[i];
    fuzz::Random random(seed);
    const std::string text(fuzz::text_of(data + head, std::min(size - head, longest_text)));
    Session session;
    const bool is_description = data[0] % 3 == 0;
    const char* const machines[] = {"wishbone-gpu", "gcn1.2", "fabrisc-2022-05-15"};
    const std::string first = is_description ? "" : std::string("// isaforge: ") + machines[data[0] % 9 / 3] + "\n";
    session.open(is_description ? "file:///nowhere/a.isa" : "file:///nowhere/a.s", first + text);
    for (unsigned i = 0; i < most_steps; ++i) session.step(random);
    return 0;
}
