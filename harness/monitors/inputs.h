// What a server asks of its client within a result, and what the client answers with its next
// attempt, each as a message of its own: for monitors that judge what is asked, however it is sent.
// The same of what a task asks, and of what answers it.
//
// Specification of 2026-07-28: basic/patterns/mrtr; the extension io.modelcontextprotocol/tasks.
#pragma once

#include <compare>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/monitors/session_view.h"
#include "reference/wire/message.h"

namespace assay::harness {

// A request or an answer that stands inside of another message.
struct Input {
  wire::Message message;            // its id is its key, which no message of the wire has
  std::string pointer;              // where it stands: "/result/inputRequests/name"
  std::optional<Exchange> answers;  // for an answer: the request that it answers, if that is known
  bool is_of_task = false;
};

// True for a result that asks for input.
bool is_input_required(const Sighting& sighting);

class Inputs {
 public:
  // What a server may ask for in one result, and have shown to monitors.
  static constexpr std::size_t kMostInputs = 64;
  // What is remembered of it until it is answered.
  static constexpr std::size_t kMostOpen = 256;

  // The requests in a result that asks for input, and the answers in a request; mostly none.
  std::vector<Input> take(const Sighting& sighting);

 private:
  // Who asks and is answered: a call, by what it does and its requestState, or a task.
  struct Asker {
    std::string operation;
    std::string state;
    const Json& holder;  // of inputRequests or inputResponses
    const char* place;   // of the holder
    bool is_task = false;
  };
  static Asker task(const Json& holder, const char* place);
  std::vector<Input> requests_in(const Asker& asker, const EventPtr& event);
  std::vector<Input> answers_in(const Asker& asker) const;

  // Where something is asked: by which operation, with which requestState (also kept without it,
  // for a client that lost it), under which key. Several calls at a time may use the same keys.
  struct Place {
    std::string operation;
    std::string state;
    std::string key;
    auto operator<=>(const Place&) const = default;
  };
  struct Open {
    EventPtr event;  // that asked last
    Json request;
  };
  void note_open(const Place& place, const Open& open);
  // What was asked last of those who give that under the key; null if nothing was.
  const Open* asked_by(const Asker& asker, const std::string& key) const;

  std::map<Place, Open> open_;
};

}  // namespace assay::harness
