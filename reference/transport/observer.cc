#include "reference/transport/observer.h"

#include <algorithm>
#include <cctype>

namespace assay::transport {
namespace {

bool equal_without_case(std::string_view left, std::string_view right) {
  return std::equal(left.begin(), left.end(), right.begin(), right.end(),
                    [](unsigned char a, unsigned char b) { return std::tolower(a) == std::tolower(b); });
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
    if (equal_without_case(candidate, name)) return value;
  }
  return std::nullopt;
}

std::string media_type(const Headers& headers) {
  const std::string_view value = find_header(headers, "content-type").value_or("");
  std::string type(value.substr(0, value.find(';')));
  while (!type.empty() && (type.back() == ' ' || type.back() == '\t')) type.pop_back();
  std::transform(type.begin(), type.end(), type.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return type;
}

std::optional<std::string_view> Observation::message() const {
  switch (kind) {
    case Kind::kLine:
      return bytes;
    case Kind::kHttpRequest:
      if (http && http->method == "POST") return bytes;
      return std::nullopt;
    case Kind::kHttpBody:
      if (http && media_type(http->headers) == "application/json") return bytes;
      return std::nullopt;
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
      return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace assay::transport
