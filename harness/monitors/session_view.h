// What a monitor may know of a session besides the event before it: who has asked for what, and
// what both sides have agreed on so far.
#pragma once

#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "harness/script/link.h"
#include "harness/transcript/transcript.h"
#include "reference/model/revision.h"
#include "reference/wire/message.h"

namespace assay::harness {

// A request that went over the wire, and what is known of it so far.
struct Exchange {
  EventPtr request_event;
  wire::Message request;
  Party asker = Party::kClient;
  int answers = 0;     // how many answers it has had, this one included
  EventPtr cancelled;  // the notifications/cancelled that its sender sent; null if none
  // Its sender gave the id to a second request before the first was answered.
  bool is_ambiguous = false;
};

// One message as it passed.
struct Sighting {
  EventPtr event;
  wire::Message message;
  bool is_from_judged = false;  // the party whose breaches are reported has sent it
  bool is_batch_member = false;
  // For an answer: the request of the other side that it answers; null if there is none.
  const Exchange* exchange = nullptr;
  // Shown by on_input() alone: a task of an extension asks, or is answered.
  bool is_of_task = false;

  Party speaker() const { return event->speaker(); }
  bool is_request() const { return message.kind() == wire::MessageKind::kRequest; }
  bool is_notification() const { return message.kind() == wire::MessageKind::kNotification; }
  bool is_result() const { return message.kind() == wire::MessageKind::kResult; }
  bool is_error() const { return message.kind() == wire::MessageKind::kError; }
  // The result of a request for `method`.
  bool is_result_of(std::string_view method) const {
    return is_result() && exchange != nullptr && exchange->request.method() == method;
  }
};

class SessionView {
 public:
  SessionView(model::Revision revision, TransportKind transport)
      : revision_(revision), transport_(transport) {}

  // The revision that the message at hand is in: of the whole session, or where every request names
  // one (2026-07-28) that of its request.
  model::Revision revision() const { return revision_; }
  TransportKind transport() const { return transport_; }
  // What the server says of itself: the result of `initialize`, or of `server/discover` where
  // there is no handshake; null before it passed.
  const Json& server() const { return revision_.has_handshake() ? server_ : discovered_; }
  // What the client declares: in `initialize`, or where every request says so for itself, in the
  // request that the message at hand is, answers or belongs to. Null where it says nothing.
  const Json& client_capabilities() const;
  // `notifications/initialized` has passed.
  bool is_initialized() const { return is_initialized_; }
  // True if a side declares the capability, written as a path: "resources.subscribe".
  bool server_declares(std::string_view path) const;
  bool client_declares(std::string_view path) const;
  // The latest request with this id, by who sent it; null if there never was one.
  const Exchange* exchange(const wire::Id& id, Party asker) const;

  // For the driver: takes note of a message after the monitors have seen it.
  void note(const Sighting& sighting);
  // For the driver: counts an answer, and tells what it answers.
  const Exchange* answered_by(const wire::Message& answer, Party speaker);
  // For the driver: what the next message is in.
  void set_revision(model::Revision revision) { revision_ = revision; }
  // For the driver: the request that the next message is, answers or belongs to; null if none.
  void set_request(const wire::Message* request);

 private:
  // What another `initialize` in the same session says that the server accepts, too: either may
  // count for it.
  void declare_further(const Json& params);

  model::Revision revision_;
  TransportKind transport_;
  Json client_;                           // the params of `initialize`
  Json server_;                           // its result
  Json discovered_;                       // the latest result of `server/discover`
  std::optional<wire::Message> request_;  // the one at hand
  bool is_initialized_ = false;
  std::map<std::pair<Party, wire::Id>, Exchange> exchanges_;  // by asker and id
};

}  // namespace assay::harness
