#include "harness/host/silence.h"

#include <fmt/format.h>

#include <algorithm>

namespace assay::harness {
namespace {

using std::chrono::nanoseconds;

// Over stdio a session begins when the client starts the server, and ends with the client.
nanoseconds before_session(const RecordedSession& session, nanoseconds lived) {
  const bool begins_later = session.transport.has_process() && !session.events.empty();
  return begins_later ? std::max(nanoseconds{0}, lived - session.events.back()->at)
                      : nanoseconds{0};
}

// The longest that the client took for something: for its first word since the server was up, and
// for each later one since anything was said.
nanoseconds longest_pause(const RecordedSession& session, nanoseconds start) {
  nanoseconds longest{0};
  nanoseconds before = -start;
  for (const EventPtr& event : session.events) {
    if (event->is_from_client() && event->carries_message()) {
      longest = std::max(longest, event->at - before);
    }
    before = event->at;
  }
  return longest;
}

double seconds(nanoseconds time) {
  return std::chrono::duration<double>(time).count();
}

}  // namespace

std::optional<std::string> had_no_time(const RecordedSession& session, const EventPtr& last,
                                       nanoseconds lived) {
  const nanoseconds start = before_session(session, lived);
  const nanoseconds left = lived - start - last->at;
  const nanoseconds longest = longest_pause(session, start);
  if (left >= 2 * longest) return std::nullopt;
  return fmt::format("the client was ended {:.1f} s later, and had taken {:.1f} s for one message",
                     std::max(0.0, seconds(left)), seconds(longest));
}

}  // namespace assay::harness
