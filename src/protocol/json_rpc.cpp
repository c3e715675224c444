#include "protocol/json_rpc.hpp"

namespace isaforge::protocol {

namespace {

Json member(Json& object, const char* name) {
    const auto found = object.find(name);
    return found == object.end() ? Json() : std::move(*found);
}

}  // namespace

Call read_call(Json&& message) {
    Call call;
    if (!message.is_object()) return call;
    const bool has_id = message.contains("id");
    const bool is_answer = message.contains("result") || message.contains("error");
    Json id = member(message, "id");
    if (id.is_number() || id.is_string()) call.id = std::move(id);
    const Json method = member(message, "method");
    if (method.is_string()) {
        // An id of another type could not be answered so that the other side knows what is meant.
        if (has_id && call.id.is_null()) return call;
        call.kind = has_id ? Call::Kind::request : Call::Kind::notification;
        call.method = method.get<std::string>();
        call.params = member(message, "params");
    } else if (has_id && is_answer) {
        call.kind = Call::Kind::reply;
        call.params = member(message, "result");
    }
    return call;
}

Json request(std::int64_t id, std::string_view method, Json params) {
    return {{"jsonrpc", "2.0"}, {"id", id}, {"method", method}, {"params", std::move(params)}};
}

Json notification(std::string_view method, Json params) {
    return {{"jsonrpc", "2.0"}, {"method", method}, {"params", std::move(params)}};
}

Json result(const Json& id, Json value) { return {{"jsonrpc", "2.0"}, {"id", id}, {"result", std::move(value)}}; }

Json error(const Json& id, ErrorCode code, std::string_view message) {
    const Json what{{"code", static_cast<int>(code)}, {"message", message}};
    return {{"jsonrpc", "2.0"}, {"id", id}, {"error", what}};
}

}  // namespace isaforge::protocol
