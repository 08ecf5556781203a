#include "fuzz/live/judge/http_rules.h"

#include <fmt/format.h>

#include <utility>

#include "fuzz/live/judge/stateless_rules.h"

namespace assay::fuzz {
namespace {

bool is_loopback(const transport::HttpUrl& url) {
  return url.host == "localhost" || url.host == "::1" || url.host.starts_with("127.");
}

void replace_all(std::string& text, std::string_view what, const std::string& by) {
  for (std::size_t at = text.find(what); at != std::string::npos;
       at = text.find(what, at + by.size())) {
    text.replace(at, what.size(), by);
  }
}

}  // namespace

std::string_view session_mark(int session) {
  return session == 0 ? "assay-said-in-session-0" : "assay-said-in-session-1";
}

std::string with_places(std::string text, const transport::HttpUrl& url,
                        const std::string& session) {
  replace_all(text, "@HOST@", url.authority());
  replace_all(text, "@PATH@", url.target);
  replace_all(text, "@SESSION@", session);
  return text;
}

std::optional<Suspicion> wrong_http_success(const Vocabulary& words, const Step& step,
                                            const transport::HttpUrl& url, bool has_session,
                                            bool has_ended, std::string_view body) {
  const bool is_get = step.method == "GET";
  if (step.kind == Step::Kind::kSocket || (step.method != "POST" && !is_get)) return std::nullopt;
  const auto header = [&](std::string_view name) {
    return transport::find_header(step.headers, name).value_or("");
  };
  if (header("Origin") == kEvilOrigin && is_loopback(url)) {
    return accepted(is_get ? "foreign origin of a GET" : "foreign origin",
                    fmt::format("A {} from a foreign Origin was accepted", step.method),
                    "Servers MUST validate the Origin header, to keep strange web pages away "
                    "(basic/transports, \"Security Warning\").",
                    false);
  }
  if (is_get) {
    if (!has_ended) return std::nullopt;
    return accepted("GET in an ended session",
                    "A GET in a session that had been ended was accepted",
                    "Requests in a session that was ended MUST be answered with 404 "
                    "(basic/transports, \"Session Management\").",
                    false);
  }
  if (auto wrong = wrong_field_success(words, step.headers, body)) return wrong;
  if (header("MCP-Protocol-Version") == kNoVersion &&
      words.revision.has_protocol_version_header()) {
    return accepted("unknown protocol version",
                    "A POST whose MCP-Protocol-Version does not exist was accepted",
                    "A request with an unsupported MCP-Protocol-Version MUST be answered with 400 "
                    "(basic/transports, \"Protocol Version Header\").",
                    false);
  }
  if (header("Mcp-Session-Id") == kNoSession && has_session) {
    return accepted("unknown session", "A POST in a session that never was was accepted",
                    "A server that names its sessions refuses ids that it never gave "
                    "(basic/transports, \"Session Management\").",
                    true);
  }
  if (has_ended && step.kind == Step::Kind::kBytes) {
    return accepted("ended session", "A POST in a session that had been ended was accepted",
                    "Requests in a session that was ended MUST be answered with 404 "
                    "(basic/transports, \"Session Management\").",
                    false);
  }
  return std::nullopt;
}

}  // namespace assay::fuzz
