#include "harness/cli/client_document.h"

#include <chrono>
#include <utility>
#include <variant>

#include "reference/transport/http_fetch.h"
#include "reference/transport/http_url.h"

namespace assay::cli {

std::optional<std::string> fetch_client_document(const std::string& url) {
  constexpr std::chrono::seconds kPatience{10};
  const auto parsed = transport::HttpUrl::parse(url);
  const auto* read = std::get_if<transport::HttpUrl>(&parsed);
  if (read == nullptr || !read->is_tls) return std::nullopt;
  transport::HttpMessage message;
  message.method = "GET";
  auto answer = transport::fetch(url, std::move(message), kPatience);
  auto* fetched = std::get_if<transport::Fetched>(&answer);
  if (fetched == nullptr || fetched->status != 200) return std::nullopt;
  return std::move(fetched->body);
}

}  // namespace assay::cli
