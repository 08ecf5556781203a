#include "harness/cli/client_document.h"

#include <fmt/format.h>

#include <chrono>
#include <utility>
#include <variant>

#include "reference/transport/http_fetch.h"
#include "reference/transport/http_url.h"

namespace assay::cli {

harness::DocumentRead fetch_client_document(const std::string& url, transport::Reach reach) {
  constexpr std::chrono::seconds kPatience{10};
  constexpr int kOk = 200;
  const auto parsed = transport::HttpUrl::parse(url);
  const auto* read = std::get_if<transport::HttpUrl>(&parsed);
  if (read == nullptr || !read->is_tls) return {std::nullopt, "it is not at an https URL"};
  transport::HttpMessage message;
  message.method = "GET";
  auto answer = transport::fetch(url, std::move(message), kPatience, reach);
  if (auto* failure = std::get_if<transport::Failure>(&answer)) {
    const bool is_bounded = reach == transport::Reach::kPublic &&
                            failure->kind == transport::Failure::Kind::kUnreachable;
    const char* const bound = is_bounded ? "; --allow-private is not given" : "";
    return {std::nullopt, failure->detail + bound};
  }
  auto& fetched = std::get<transport::Fetched>(answer);
  if (fetched.status != kOk) return {std::nullopt, fmt::format("HTTP {}", fetched.status)};
  return {std::move(fetched.body), ""};
}

}  // namespace assay::cli
