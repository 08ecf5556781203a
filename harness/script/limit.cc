#include "harness/script/limit.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstdint>

#include "harness/script/json_member.h"
#include "reference/transport/observer.h"
#include "reference/wire/message.h"

namespace assay::harness {
namespace {

constexpr int kTooManyRequests = 429;
constexpr int kUnavailable = 503;
constexpr int kFirstRefusal = 400;
// A server that asks for more than that is not waited for, and a number beyond it is no number.
constexpr std::chrono::seconds kLongestWait{3'600};

// What a limit is said with; never "too many" alone, which may speak of arguments.
constexpr std::array<std::string_view, 17> kLimitSigns = {
    "rate limit",       "rate-limit",         "ratelimit",
    "rate_limit",       "too many requests",  "too many session",
    "too many connect", "too many calls",     "too many concurrent",
    "too many clients", "too many questions", "too many pending",
    "throttl",          "slow down",          "overloaded",
    "server is busy",   "limit exceeded"};

// A quota may be what is asked about: these say that it is used up.
constexpr std::array<std::string_view, 6> kQuotaSigns = {"exceed", "exhaust", "reached",
                                                         "over ",  "out of",  "used up"};

bool is_letter_or_digit(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0;
}

// Whether the words hold the sign, and not as the end of a name: "check_rate_limit" is a tool, and
// no limit.
bool holds(std::string_view lower, std::string_view sign) {
  for (std::size_t at = lower.find(sign); at != lower.npos; at = lower.find(sign, at + 1)) {
    const bool is_glued = at >= 2 && std::string_view("_-./").find(lower[at - 1]) != lower.npos &&
                          is_letter_or_digit(lower[at - 2]);
    if (!is_glued) return true;
  }
  return false;
}

bool holds_any(std::string_view lower, std::span<const std::string_view> signs) {
  return std::any_of(signs.begin(), signs.end(),
                     [lower](std::string_view sign) { return holds(lower, sign); });
}

// The codes by which JSON-RPC itself refuses: these speak of the request.
constexpr std::array<std::int64_t, 3> kAboutTheRequest = {-32700, -32601, -32602};

bool is_limit_status(int status) {
  return status == kTooManyRequests || status == kUnavailable;
}

std::optional<std::chrono::milliseconds> retry_after(const transport::Headers& headers) {
  const auto value = transport::find_header(headers, "Retry-After");
  if (!value) return std::nullopt;
  std::int64_t seconds = 0;
  const auto [end, error] = std::from_chars(value->data(), value->data() + value->size(), seconds);
  // The other form is a date. It is not read: we come back after a pause of our own.
  if (error != std::errc() || end != value->data() + value->size() || seconds < 0) {
    return std::chrono::milliseconds(0);
  }
  return std::min<std::chrono::milliseconds>(
      kLongestWait, std::chrono::seconds(std::min<std::int64_t>(seconds, kLongestWait.count())));
}

std::optional<Limit> limit_of_response(const EventPtr& event) {
  const auto* http = event->observation.http();
  if (http == nullptr) return std::nullopt;
  const auto wait = retry_after(http->headers);
  const bool is_limit =
      is_limit_status(http->status) || (http->status >= kFirstRefusal && wait.has_value());
  if (!is_limit) return std::nullopt;
  return Limit{event, fmt::format("HTTP {}", http->status), wait, event->speaker()};
}

std::optional<Limit> limit_of_message(const EventPtr& event, const wire::Message& message) {
  for (const wire::Message& member : message.members()) {
    if (auto limit = limit_of_message(event, member)) return limit;
  }
  if (message.kind() == wire::MessageKind::kError) {
    const auto code = message.error_code();
    const bool is_about_request =
        code && std::find(kAboutTheRequest.begin(), kAboutTheRequest.end(), *code) !=
                    kAboutTheRequest.end();
    if (is_about_request || !speaks_of_a_limit(text_member(message.error(), "message"))) {
      return std::nullopt;
    }
    return Limit{event, code ? fmt::format("error {}", *code) : "an error", std::nullopt,
                 event->speaker()};
  }
  if (message.kind() != wire::MessageKind::kResult || member(message.result(), "isError") != true) {
    return std::nullopt;
  }
  const Json& content = array_member(message.result(), "content");
  const bool is_limit = std::any_of(content.begin(), content.end(), [](const Json& block) {
    return speaks_of_a_limit(text_member(block, "text"));
  });
  if (!is_limit) return std::nullopt;
  return Limit{event, "a result with isError", std::nullopt, event->speaker()};
}

}  // namespace

std::string Limit::words() const {
  return fmt::format("the {} limits how often it may be asked: it answered with {}",
                     transport::name(party), said);
}

bool speaks_of_a_limit(std::string_view words) {
  std::string lower(words);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return holds_any(lower, kLimitSigns) || (holds(lower, "quota") && holds_any(lower, kQuotaSigns));
}

std::optional<Limit> limit_of(const Reply& reply) {
  if (auto limit = limit_in(reply.events())) return limit;
  if (!is_limit_status(reply.http_status())) return std::nullopt;
  return Limit{nullptr, fmt::format("HTTP {}", reply.http_status()), std::nullopt};
}

std::optional<Limit> limit_in(std::span<const EventPtr> events, Party party) {
  for (const EventPtr& event : events) {
    if (!event || !event->is_from(party)) continue;
    if (auto limit = limit_of_response(event)) return limit;
    if (event->message() == nullptr) continue;
    if (auto limit = limit_of_message(event, *event->message())) return limit;
  }
  return std::nullopt;
}

}  // namespace assay::harness
