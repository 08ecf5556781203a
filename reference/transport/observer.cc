#include "reference/transport/observer.h"

#include <algorithm>
#include <variant>

#include "reference/wire/http_text.h"
#include "reference/wire/message.h"

namespace assay::transport {
namespace {

// A session's id or an event's id has a few dozen bytes; heads beyond 8 KiB are refused by many.
constexpr std::size_t kLongestFieldValue = 4096;

// In the case that it was sent in.
std::string_view written_media_type(const Headers& headers) {
  const std::string_view value = find_header(headers, "content-type").value_or("");
  return wire::trim_blanks(value.substr(0, value.find(';')));
}

// As a JSON-RPC message does. Any letter of it may be escaped.
bool says_jsonrpc(std::string_view body) {
  if (body.find("\"jsonrpc\"") != std::string_view::npos) return true;
  if (body.find("\\u") == std::string_view::npos) return false;
  const auto decoded = wire::decode(body);
  const auto* message = std::get_if<wire::Message>(&decoded);
  return message != nullptr && message->json().contains("jsonrpc");
}

}  // namespace

std::string Lane::text() const {
  switch (kind) {
    case Kind::kStdio:
      return "stdio";
    case Kind::kStderr:
      return "stderr";
    case Kind::kProcess:
      return "process";
    case Kind::kHttp:
      return "http/" + std::to_string(number);
    case Kind::kPipe:
      return "pipe";
  }
  return "";
}

std::optional<std::string_view> find_header(const Headers& headers, std::string_view name) {
  for (const auto& [candidate, value] : headers) {
    if (wire::equals_without_case(candidate, name)) return value;
  }
  return std::nullopt;
}

bool is_field_value(std::string_view text) {
  const auto is_control = [](unsigned char c) { return (c < 0x20 && c != '\t') || c == 0x7f; };
  return text.size() <= kLongestFieldValue && std::none_of(text.begin(), text.end(), is_control);
}

std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

std::string media_type(const Headers& headers) {
  return lower_case(written_media_type(headers));
}

bool has_media_type(const Headers& headers, std::string_view type) {
  return wire::equals_without_case(written_media_type(headers), type);
}

bool may_be_no_message(const HttpHead& response) {
  return response.status >= 300 || (!response.method.empty() && response.method != "POST");
}

std::optional<std::string_view> Observation::message() const {
  switch (kind) {
    case Kind::kLine:
      return bytes;
    case Kind::kHttpRequest:
      if (http && http->method == "POST") return bytes;
      return std::nullopt;
    case Kind::kHttpBody:
      if (!http || is_truncated || !has_media_type(http->headers, "application/json")) {
        return std::nullopt;
      }
      if (may_be_no_message(*http) && !says_jsonrpc(bytes)) return std::nullopt;
      return bytes;
    case Kind::kSseEvent:
      if (event && !event->data.empty() && (event->event.empty() || event->event == "message")) {
        return event->data;
      }
      return std::nullopt;
    case Kind::kStderr:
    case Kind::kExit:
    case Kind::kHttpResponse:
    case Kind::kClosed:
    case Kind::kBroken:
    case Kind::kCutOff:
      return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace assay::transport
