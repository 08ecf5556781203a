#include "reference/hostile/polite.h"

#include <fmt/format.h>

#include <optional>

#include "reference/wire/compose.h"
#include "reference/wire/message.h"

namespace assay::hostile {
namespace {

using wire::Message;
using wire::MessageKind;

std::string call_answer(const Message& request) {
  const Json& params = request.params();
  const bool has_arguments = params.is_object() && params.contains("arguments");
  if (!params.is_object() || text_member(params, "name") != "look" ||
      (has_arguments && !params["arguments"].is_object())) {
    return error_text(request, wire::kInvalidParams, "there is one tool, look");
  }
  return result_text(request, R"({"content":[{"type":"text","text":"nothing in sight"}]})");
}

std::string request_answer(const Message& request) {
  const Json& params = request.params();
  if (request.has_params() && !params.is_object()) {
    return error_text(request, wire::kInvalidParams, "params must be an object");
  }
  if (request.method() == "initialize") return result_text(request, initialize_result());
  if (request.method() == "ping") return result_text(request, "{}");
  if (request.method() == "tools/call") return call_answer(request);
  if (request.method() != "tools/list") {
    return error_text(request, wire::kMethodNotFound, "Method not found");
  }
  if (!is_first_page(request)) {
    return error_text(request, wire::kInvalidParams, "no cursor was ever given out");
  }
  return result_text(request, kTools);
}

std::string refusal(const std::optional<wire::Id>& id, std::int64_t code, std::string_view why) {
  return wire::encode_error(id && id->is_valid() ? id : std::nullopt, code, why);
}

}  // namespace

std::string polite_answer(const wire::Decoded& said) {
  const auto* message = std::get_if<Message>(&said);
  if (message == nullptr) return refusal(std::nullopt, wire::kParseError, "Parse error");
  switch (message->kind()) {
    case MessageKind::kRequest:
      if (message->id() && message->id()->is_valid()) return request_answer(*message);
      return refusal(std::nullopt, wire::kInvalidRequest, "the id must be a string or an integer");
    case MessageKind::kNotification:
    case MessageKind::kResult:
    case MessageKind::kError:
      return {};
    case MessageKind::kBatch:
      return refusal(std::nullopt, wire::kInvalidRequest, "this revision has no batches");
    case MessageKind::kMalformed:
      return refusal(message->id(), wire::kInvalidRequest, message->defect());
  }
  return {};
}

std::string result_head(const Message& request) {
  const auto id = request.id();
  return fmt::format(R"({{"jsonrpc":"2.0","id":{},"result":)", id ? id->json_text() : "null");
}

std::string result_text(const Message& request, std::string_view result) {
  return result_head(request) + std::string(result) + "}";
}

std::string error_text(const Message& request, std::int64_t code, std::string_view message) {
  return wire::encode_error(request.id(), code, message);
}

std::string initialize_result(std::string_view version) {
  return fmt::format(
      R"({{"protocolVersion":"{}","capabilities":{{"tools":{{"listChanged":true}}}},)"
      R"("serverInfo":{{"name":"hostile-peer","version":"1"}}}})",
      version);
}

std::string notification(std::string_view method) {
  return fmt::format(R"({{"jsonrpc":"2.0","method":"{}"}})", method);
}

std::string text_member(const Json& object, std::string_view name) {
  if (!object.is_object()) return {};
  const auto member = object.find(name);
  return member != object.end() && member->is_string() ? member->get<std::string>() : "";
}

bool is_first_page(const Message& request) {
  return !request.params().is_object() || !request.params().contains("cursor");
}

bool is_request(const Message& message, std::string_view method) {
  return message.kind() == MessageKind::kRequest && message.method() == method;
}

}  // namespace assay::hostile
