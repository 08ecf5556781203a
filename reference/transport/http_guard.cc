#include "reference/transport/http_guard.h"

#include <algorithm>

#include "reference/wire/compose.h"
#include "reference/wire/form.h"
#include "reference/wire/http_text.h"

namespace assay::transport {
namespace {

constexpr std::int64_t kServerError = -32000;

}  // namespace

namespace {

// In the case that it was sent in.
std::string_view written_host_name(std::string_view text) {
  if (const std::size_t scheme = text.find("://"); scheme != std::string_view::npos) {
    text.remove_prefix(scheme + 3);
  }
  const auto end = std::find_if(text.begin(), text.end(),
                                [](char c) { return c == '/' || c == '?' || c == '#'; });
  text = text.substr(0, static_cast<std::size_t>(end - text.begin()));
  const std::size_t bracket = text.find(']');  // of an IPv6 address
  const std::size_t colon = text.find(':', bracket == std::string_view::npos ? 0 : bracket);
  return wire::trim_blanks(text.substr(0, colon));
}

}  // namespace

std::string host_name(std::string_view authority_or_origin) {
  return lower_case(written_host_name(authority_or_origin));
}

HttpReply error_reply(int status, std::string_view message) {
  return {status,
          {{"Content-Type", "application/json"}},
          wire::encode(wire::make_error(std::nullopt, kServerError, message)),
          nullptr};
}

bool HttpGuard::is_ours(std::string_view host) const {
  if (wire::equals_without_case(host, "localhost") || host == "127.0.0.1" || host == "[::1]") {
    return true;
  }
  return std::any_of(allowed_hosts_.begin(), allowed_hosts_.end(), [&](const std::string& allowed) {
    return wire::equals_without_case(allowed, host);
  });
}

bool HttpGuard::is_our_origin(std::string_view origin) const {
  if (is_ours(written_host_name(origin))) return true;
  if (conduct_.does(HttpDuty::kComparesWholeOrigins)) return false;
  const std::string host = host_name(origin);
  return host.starts_with("localhost") || host.starts_with("127.0.0.1");
}

std::optional<HttpReply> HttpGuard::check_origin(const HttpHead& request) const {
  const auto origin = find_header(request.headers, "Origin");
  const bool is_due =
      conduct_.does(HttpDuty::kChecksOrigin) &&
      (request.method != "DELETE" || conduct_.does(HttpDuty::kChecksOriginOfDeletes));
  if (origin && is_due && !is_our_origin(*origin)) {
    return error_reply(403, "Forbidden: the origin is not allowed");
  }
  const std::string_view written = wire::authority_in(request.target);
  const auto host = written.empty() ? find_header(request.headers, "Host") : std::optional(written);
  if (host && conduct_.does(HttpDuty::kChecksHost) && !is_ours(written_host_name(*host))) {
    return error_reply(403, "Forbidden: the host is not allowed");
  }
  return std::nullopt;
}

std::optional<HttpReply> HttpGuard::check_form(const HttpHead& request, Acceptance takes) const {
  if (conduct_.does(HttpDuty::kChecksContentType) &&
      !has_media_type(request.headers, "application/json")) {
    return error_reply(415, "Unsupported media type: the body must be application/json");
  }
  const auto coding = find_header(request.headers, "Content-Encoding");
  if (coding && !wire::equals_without_case(*coding, "identity")) {
    return error_reply(415, "Unsupported media type: the body must not be compressed");
  }
  if (conduct_.does(HttpDuty::kChecksAccept) && !takes.json && !takes.events) {
    return error_reply(
        406, "Not acceptable: the client must accept application/json and text/event-stream");
  }
  return std::nullopt;
}

}  // namespace assay::transport
