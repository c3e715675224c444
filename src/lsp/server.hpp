// The language server: what an editor asks, and who answers. A thread beside that of the messages assembles programs and reads
// descriptions, each as it is when its turn comes; requests are answered with the text as it is now and with what was found out
// last, so that none has to wait, but those about a whole document do for a moment.
#pragma once

#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <thread>

#include "lsp/document.hpp"
#include "protocol/json_rpc.hpp"

namespace isaforge::lsp {

struct ServerOptions {
    Choice preset;        // what programs are written for that do not say it
    bool threads = true;  // false: documents are looked at at once, on the thread of the messages
    std::string version;
};

// What a request about a document is about.
struct Asked {
    Document& document;
    std::uint32_t offset = 0;  // of its `position`
    const Json& params;

    const Text& text() const { return document.text; }
    const Machine* machine() const {
        return document.program && document.program->machine && document.program->machine->isa
                   ? document.program->machine.get()
                   : nullptr;
    }
};

class Server {
public:
    using Send = std::function<void(const Json& message)>;

    // `send` may be called on any thread until the server is gone.
    Server(ServerOptions options, Send send);
    ~Server();
    Server(const Server&) = delete;
    Server& operator=(const Server&) = delete;

    // Takes what came in. No message makes it fail: what cannot be answered is answered with an error.
    void handle(protocol::Incoming&& incoming);

    bool exited() const { return exited_; }
    int exit_status() const { return was_shut_down_ ? 0 : 1; }

    // Whether a thread is at work, which may take seconds: the server cannot go before it is done.
    bool is_busy();

    // Until every document was looked at as it is now.
    void settle();

private:
    using Handler = Json (Server::*)(Asked& asked);

    void notified(const std::string& method, const Json& params);
    void asked(const protocol::Call& call);
    Json initialize(const Json& params);
    void configure(const Json& settings);
    void open(const Json& params);
    void change(const Json& params);
    void close(const Json& params);
    void touch(Document& document, bool others);
    void touch_all();
    Document* find(const Json& params);

    void work();
    void look_at(const std::string& uri, std::unique_lock<std::mutex>& lock);
    void check();
    void check_one(const std::string& uri, std::unique_lock<std::mutex>& lock);
    void publish(const Document& document, const Findings& findings);

    Json answer(const protocol::Call& call, std::unique_lock<std::mutex>& lock);
    Json workspace_symbols(const Json& params);

    ServerOptions options_;
    Choice preset_;  // with the editor's settings
    Send send_;
    Machines machines_;
    Text::Columns columns_ = Text::Columns::utf16;
    bool refreshes_hints_ = false, refreshes_tokens_ = false, refreshes_lenses_ = false;
    bool initialized_ = false, was_shut_down_ = false, exited_ = false;
    std::int64_t requests_ = 0;

    std::mutex mutex_;  // of what follows
    std::condition_variable work_, check_, done_;
    std::map<std::string, Document> documents_;
    std::set<std::string> waiting_;                         // documents to be looked at
    std::string working_;
    std::set<std::string> unchecked_;                       // descriptions that were read and not checked
    std::string checking_;
    std::map<std::string, std::set<std::string>> published_;  // by document: files that have messages
    bool stop_ = false;
    std::jthread thread_, checker_;  // checking a large description takes seconds
};

}  // namespace isaforge::lsp
