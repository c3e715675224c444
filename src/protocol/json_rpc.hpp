// Messages of JSON-RPC 2.0 (jsonrpc.org/specification), which the Language Server Protocol is made of: requests, which are
// answered with a result or an error, and notifications, which are not answered.
#pragma once

#include <string>
#include <string_view>

#include "protocol/framing.hpp"

namespace isaforge::protocol {

// Why a request has no result. Those below -32800 are the Language Server Protocol's.
enum class ErrorCode {
    parse_error = -32700,
    invalid_request = -32600,
    method_not_found = -32601,
    invalid_params = -32602,
    internal_error = -32603,
    server_not_initialized = -32002,
    request_failed = -32803,
    request_cancelled = -32800,
};

// What the other side said.
struct Call {
    enum class Kind { request, notification, reply, none };  // none: no message of this protocol
    Kind kind = Kind::none;
    Json id;             // of a request or reply: a number or a text; null where that is not known
    std::string method;  // of a request or notification
    Json params;         // of those; of a reply the result, null after an error
};

// Takes a message apart.
Call read_call(Json&& message);

Json request(std::int64_t id, std::string_view method, Json params);
Json notification(std::string_view method, Json params);
Json result(const Json& id, Json value);
Json error(const Json& id, ErrorCode code, std::string_view message);

}  // namespace isaforge::protocol
