// Messages to bytes; see compose.h.
#include <fmt/format.h>

#include <utility>

#include "reference/wire/compose.h"
#include "reference/wire/json_text.h"

namespace assay::wire {

std::string encode(const Json& message) {
  return message.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string encode_result(const Id& id, const Json& result) {
  return fmt::format(R"({{"jsonrpc":"2.0","id":{},"result":{}}})", id.json_text(), encode(result));
}

std::string encode_error(const std::optional<Id>& id, std::int64_t code, std::string_view message,
                         const Json& data) {
  return fmt::format(R"({{"jsonrpc":"2.0","id":{},"error":{{"code":{},"message":{}{}{}}}}})",
                     id ? id->json_text() : "null", code, quote(message),
                     data.is_null() ? "" : ",\"data\":", data.is_null() ? "" : encode(data));
}

Json to_json(const Id& id) {
  return Json::parse(repair(id.json_text()), nullptr, false);
}

Json make_notification(std::string_view method, Json params) {
  Json message = {{"jsonrpc", "2.0"}, {"method", method}};
  if (!params.is_null()) message["params"] = std::move(params);
  return message;
}

Json make_request(const Id& id, std::string_view method, Json params) {
  Json message = make_notification(method, std::move(params));
  message["id"] = to_json(id);
  return message;
}

Json make_result(const Id& id, Json result) {
  Json message = {{"jsonrpc", "2.0"}};
  message["id"] = to_json(id);
  message["result"] = std::move(result);
  return message;
}

Json make_error(const std::optional<Id>& id, std::int64_t code, std::string_view message,
                Json data) {
  Json error = {{"code", code}, {"message", message}};
  if (!data.is_null()) error["data"] = std::move(data);
  Json whole = {{"jsonrpc", "2.0"}};
  whole["id"] = id ? to_json(*id) : Json();
  whole["error"] = std::move(error);
  return whole;
}

}  // namespace assay::wire
