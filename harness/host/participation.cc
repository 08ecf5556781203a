#include "harness/host/participation.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "harness/monitors/trace.h"
#include "harness/script/json_member.h"
#include "reference/wire/message.h"

namespace assay::harness {
namespace {

using wire::Message;
using wire::MessageKind;

constexpr const char* kVersionKey = "io.modelcontextprotocol/protocolVersion";
// Those that open a conversation or keep it alive show nothing of what a server offers.
constexpr std::array<std::string_view, 3> kOpening = {"initialize", "server/discover", "ping"};

bool is_opening(std::string_view method) {
  return std::find(kOpening.begin(), kOpening.end(), method) != kOpening.end();
}

// The revision that a message asks for, as it writes it; empty if it names none.
std::string_view named_in(const Message& message) {
  if (message.method() == "initialize") return text_member(message.params(), "protocolVersion");
  return text_member(member(message.params(), "_meta"), kVersionKey);
}

// Follows one session, message by message.
class Follower {
 public:
  explicit Follower(model::Revision hosted) : hosted_(hosted) {}

  void take(const EventPtr& event) {
    note_status(*event);
    if (event->message() != nullptr) take_message(*event->message(), event->is_from_client());
  }
  // Of a session in another revision only what it asked for counts.
  Participation result(bool is_of_hosted) {
    if (!is_of_hosted) out_.took_part = out_.used_server = out_.was_let_in = false;
    return std::move(out_);
  }

 private:
  void note_status(const Event& event) {
    const transport::HttpHead* head = event.observation.http();
    if (head == nullptr) return;
    if (event.is_from_client()) {
      methods_[event.observation.lane] = head->method;
      return;
    }
    if (head->status < 400) return;
    const std::string_view method = methods_[event.observation.lane];
    if (method == "OPTIONS") out_.had_preflight = true;
    if (method != "POST") return;
    if (head->status == 401) {
      out_.was_asked_for_token = true;
      return;
    }
    const Message* message = event.message();
    const bool has_words = message != nullptr && message->kind() == MessageKind::kError;
    refuse(has_words ? fmt::format("HTTP {} ({})", head->status,
                                   text_member(member(message->json(), "error"), "message"))
                     : fmt::format("HTTP {}", head->status));
  }
  void refuse(std::string how) {
    if (out_.refusal.empty()) out_.refusal = std::move(how);
  }

  void take_message(const Message& message, bool is_client) {
    if (message.kind() == MessageKind::kBatch) {
      for (const Message& member : message.members()) take_message(member, is_client);
    } else if (is_client) {
      take_request(message);
    } else if (message.kind() == MessageKind::kResult && message.id()) {
      take_result(*message.id());
    } else if (message.kind() == MessageKind::kError) {
      refuse(fmt::format("an error ({})", text_member(member(message.json(), "error"), "message")));
    }
  }

  void take_request(const Message& message) {
    const std::string_view named = named_in(message);
    if (!named.empty()) (named == hosted_.text() ? out_.names_it : out_.names_other) = true;
    // It says so only after the answer.
    if (out_.was_let_in && message.method() == "notifications/initialized") out_.took_part = true;
    if (message.kind() != MessageKind::kRequest) return;
    if (message.method() == "initialize") openings_.insert(*message.id());
    if (!is_opening(message.method())) others_.insert(*message.id());
    if (hosted_.is_stateless() && !named.empty()) alone_.insert(*message.id());
  }

  void take_result(const wire::Id& id) {
    out_.was_let_in = out_.was_let_in || openings_.contains(id);
    if (alone_.contains(id)) out_.took_part = true;
    if (others_.contains(id)) out_.took_part = out_.used_server = true;
  }

  const model::Revision hosted_;
  Participation out_;
  std::map<transport::Lane, std::string> methods_;  // of the requests, over HTTP
  std::set<wire::Id> openings_;                     // the ids of initialize
  std::set<wire::Id> others_;                       // of what shows more than an opening
  std::set<wire::Id> alone_;                        // of what names its revision itself
};

}  // namespace

void Participation::add(const Participation& more) {
  names_it = names_it || more.names_it;
  names_other = names_other || more.names_other;
  took_part = took_part || more.took_part;
  used_server = used_server || more.used_server;
  was_let_in = was_let_in || more.was_let_in;
  was_asked_for_token = was_asked_for_token || more.was_asked_for_token;
  had_preflight = had_preflight || more.had_preflight;
  if (refusal.empty()) refusal = more.refusal;
}

Participation participation_in(std::span<const RecordedSession> sessions,
                               const RecordedSession& beside, model::Revision hosted) {
  Participation all;
  const auto follow = [&](const RecordedSession& session) {
    Follower follower(hosted);
    for (const EventPtr& event : session.events) follower.take(event);
    const auto told = revision_of(session.events);
    all.add(follower.result(!told || *told == hosted));
  };
  for (const RecordedSession& session : sessions) follow(session);
  follow(beside);
  return all;
}

}  // namespace assay::harness
