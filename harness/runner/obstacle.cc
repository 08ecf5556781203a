#include "harness/runner/obstacle.h"

#include <algorithm>

#include "reference/transport/http_client.h"

namespace assay::harness {
namespace {

using Kind = transport::Observation::Kind;

constexpr int kNotFound = 404;

bool is_not_found(const EventPtr& event) {
  const auto* http = event->observation.http();
  return event->is_from_server() && event->observation.kind == Kind::kHttpResponse &&
         http != nullptr && http->status == kNotFound;
}

bool is_delete(const EventPtr& event) {
  const auto* http = event->observation.http();
  return event->observation.kind == Kind::kHttpRequest && http != nullptr &&
         http->method == "DELETE";
}

}  // namespace

bool has_lost_session(Connection& connection, std::size_t from) {
  const bool has_session = connection.http() != nullptr && connection.http()->session_id() &&
                           connection.revision().has_sessions();
  if (!has_session) return false;
  const auto events = connection.transcript().events(from);
  if (std::none_of(events.begin(), events.end(), is_not_found)) return false;
  const auto all = connection.transcript().events();
  if (std::any_of(all.begin(), all.end(), is_delete)) return false;
  return connection.probe().http_status() == kNotFound;
}

std::optional<std::string> obstacle_on(Connection& connection, std::size_t from) {
  if (const auto limit = connection.limit_since(from)) return limit->words();
  if (has_lost_session(connection, from)) {
    return "the server ended the session, as it may at any time (HTTP 404)";
  }
  return std::nullopt;
}

}  // namespace assay::harness
