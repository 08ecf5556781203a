// One session as requests and what became of each: what the acts of a client are read from.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/transcript/transcript.h"
#include "reference/wire/message.h"

namespace assay::harness {

// A request of either party, and what became of it.
struct Asked {
  Party asker = Party::kClient;
  std::string method;
  wire::Message request;
  EventPtr event;
  EventPtr answer = nullptr;                         // a result or an error; null: there was none
  std::optional<wire::Message> said = std::nullopt;  // that answer
  EventPtr refusal = nullptr;   // over HTTP: a status from 400 on, without an answer
  EventPtr given_up = nullptr;  // the client cancelled it, or left the exchange
  std::vector<EventPtr> progress = {};
  std::vector<EventPtr> notified = {};  // of a stream that this request opened

  bool is_result() const { return said && said->kind() == wire::MessageKind::kResult; }
  bool is_error() const { return said && said->kind() == wire::MessageKind::kError; }
  const Json& result() const;
  // "error -32601: Method not found", "HTTP 400", "no answer".
  std::string fate() const;
  // The event that tells its fate; the request's own where nothing came.
  const EventPtr& last() const;
};

class Dialogue {
 public:
  explicit Dialogue(std::span<const EventPtr> events);

  const std::vector<Asked>& asked() const { return asked_; }
  // Requests of one party for one method, in order.
  std::vector<const Asked*> of(std::string_view method, Party asker = Party::kClient) const;
  // Notifications of the server, in order.
  struct Notice {
    EventPtr event;
    wire::Message message;
  };
  const std::vector<Notice>& notices() const { return notices_; }
  // The events of the exchange of that request: itself, its answer, what belongs to it, and over
  // HTTP everything on its lane.
  std::set<std::uint64_t> events_of(const Asked& asked) const;
  // The last thing that the server said; null: it said nothing.
  EventPtr last_of_server() const { return last_of_server_; }
  // The client said something after that event.
  bool client_went_on_after(const EventPtr& event) const;
  // Over stdio: the server ended the connection, and not the client. Null where it did not.
  EventPtr server_end() const { return server_end_; }

 private:
  void take(const EventPtr& event, const wire::Message& message);
  void take_request(const EventPtr& event, const wire::Message& message);
  void take_answer(const EventPtr& event, const wire::Message& message);
  void take_notice(const EventPtr& event, const wire::Message& message);
  void take_http(const EventPtr& event);
  Asked* open_on(const transport::Lane& lane);

  std::span<const EventPtr> events_;
  std::vector<Asked> asked_;
  std::vector<Notice> notices_;
  EventPtr last_of_server_;
  EventPtr server_end_;
  bool has_client_ended_ = false;
};

}  // namespace assay::harness
