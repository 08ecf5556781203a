#include "harness/interop/dialogue.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/script/json_member.h"
#include "reports/escape.h"

namespace assay::harness {
namespace {

using Kind = transport::Observation::Kind;
using wire::MessageKind;

constexpr std::size_t kLongestErrorText = 200;

const Json& no_json() {
  static const Json null;
  return null;
}

bool is_http(const transport::Lane& lane) {
  return lane.kind == transport::Lane::Kind::kHttp;
}

// A text or a number, as one key.
std::string token_of(const Json& json) {
  return json.is_null() ? std::string() : json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string progress_token(const wire::Message& request) {
  return token_of(member(member(request.params(), "_meta"), "progressToken"));
}

}  // namespace

const Json& Asked::result() const {
  return is_result() ? said->result() : no_json();
}

std::string Asked::fate() const {
  if (is_error()) {
    const std::string text = reports::printable_line(
        reports::cut(text_member(said->error(), "message"), kLongestErrorText));
    const auto code = said->error_code();
    const std::string number = code ? fmt::format("error {}", *code) : std::string("an error");
    return text.empty() ? number : fmt::format("{}: {}", number, text);
  }
  if (is_result()) return "a result";
  if (refusal) return fmt::format("HTTP {}", refusal->observation.http()->status);
  return "no answer";
}

const EventPtr& Asked::last() const {
  if (answer) return answer;
  return refusal ? refusal : event;
}

Dialogue::Dialogue(std::span<const EventPtr> events) : events_(events) {
  for (const EventPtr& event : events) {
    const Kind kind = event->observation.kind;
    const bool is_said = event->carries_message() || kind == Kind::kHttpResponse;
    if (event->is_from_server() && is_said) last_of_server_ = event;
    if (const wire::Message* message = event->message()) {
      take(event, *message);
    } else {
      take_http(event);
    }
  }
}

void Dialogue::take(const EventPtr& event, const wire::Message& message) {
  switch (message.kind()) {
    case MessageKind::kRequest:
      return take_request(event, message);
    case MessageKind::kNotification:
      return take_notice(event, message);
    case MessageKind::kResult:
    case MessageKind::kError:
      return take_answer(event, message);
    case MessageKind::kBatch:
      for (const wire::Message& each : message.members()) take(event, each);
      return;
    case MessageKind::kMalformed:
      return;
  }
}

void Dialogue::take_request(const EventPtr& event, const wire::Message& message) {
  asked_.push_back({event->speaker(), std::string(message.method()), message, event});
}

void Dialogue::take_answer(const EventPtr& event, const wire::Message& message) {
  const auto id = message.id();
  if (!id) return;
  for (auto asked = asked_.rbegin(); asked != asked_.rend(); ++asked) {
    if (asked->answer || asked->asker == event->speaker() || asked->request.id() != id) continue;
    asked->answer = event;
    asked->said = message;
    return;
  }
}

void Dialogue::take_notice(const EventPtr& event, const wire::Message& message) {
  if (event->is_from_server()) notices_.push_back({event, message});
  const Json& params = message.params();
  if (message.method() == "notifications/progress") {
    const std::string token = token_of(member(params, "progressToken"));
    for (Asked& asked : asked_) {
      if (asked.asker == event->speaker() || asked.answer) continue;
      if (!token.empty() && progress_token(asked.request) == token) asked.progress.push_back(event);
    }
    return;
  }
  if (message.method() == "notifications/cancelled") {
    const std::string id = token_of(member(params, "requestId"));
    for (Asked& asked : asked_) {
      const bool is_it = asked.asker == event->speaker() && asked.request.id() &&
                         asked.request.id()->json_text() == id;
      if (is_it && !asked.given_up) asked.given_up = event;
    }
    return;
  }
  if (!event->is_from_server() || !is_http(event->observation.lane)) return;
  if (Asked* asked = open_on(event->observation.lane)) asked->notified.push_back(event);
}

Asked* Dialogue::open_on(const transport::Lane& lane) {
  const auto found = std::find_if(asked_.rbegin(), asked_.rend(), [&](const Asked& asked) {
    return asked.event->observation.lane == lane && asked.asker == Party::kClient;
  });
  return found == asked_.rend() ? nullptr : &*found;
}

void Dialogue::take_http(const EventPtr& event) {
  const auto& observation = event->observation;
  const bool is_end = observation.kind == Kind::kClosed || observation.kind == Kind::kBroken;
  if (!is_http(observation.lane) && (is_end || observation.kind == Kind::kExit)) {
    has_client_ended_ = has_client_ended_ || (is_end && event->is_from_client());
    if (!has_client_ended_ && !server_end_) server_end_ = event;
  }
  if (!is_http(observation.lane)) return;
  Asked* asked = open_on(observation.lane);
  if (asked == nullptr || asked->answer) return;
  if (observation.kind == Kind::kHttpResponse && observation.http()->status >= 400) {
    asked->refusal = event;
  }
  if (observation.kind == Kind::kBroken && event->is_from_client() && !asked->refusal) {
    asked->given_up = event;
  }
}

std::vector<const Asked*> Dialogue::of(std::string_view method, Party asker) const {
  std::vector<const Asked*> out;
  for (const Asked& asked : asked_) {
    if (asked.asker == asker && asked.method == method) out.push_back(&asked);
  }
  return out;
}

std::set<std::uint64_t> Dialogue::events_of(const Asked& asked) const {
  std::set<std::uint64_t> out = {asked.event->n};
  if (asked.answer) out.insert(asked.answer->n);
  if (asked.refusal) out.insert(asked.refusal->n);
  if (asked.given_up) out.insert(asked.given_up->n);
  for (const EventPtr& each : asked.progress) out.insert(each->n);
  const transport::Lane& lane = asked.event->observation.lane;
  if (is_http(lane)) {
    for (const EventPtr& event : events_) {
      if (event->observation.lane == lane) out.insert(event->n);
    }
  }
  // What the server asked meanwhile, and was answered.
  const EventPtr& over = asked.answer ? asked.answer : asked.given_up;
  const std::uint64_t end = over ? over->n : events_.size();
  for (const Asked& other : asked_) {
    if (other.asker == asked.asker || other.event->n < asked.event->n || other.event->n > end)
      continue;
    out.insert(other.event->n);
    if (other.answer) out.insert(other.answer->n);
  }
  return out;
}

bool Dialogue::client_went_on_after(const EventPtr& event) const {
  return std::any_of(events_.begin(), events_.end(), [&](const EventPtr& later) {
    return later->n > event->n && later->is_from_client() && later->carries_message();
  });
}

}  // namespace assay::harness
