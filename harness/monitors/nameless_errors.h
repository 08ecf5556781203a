// Errors without an id that can answer but one request: the one in their HTTP exchange, or the only
// one that is open.
//
// Specification: basic/messages (2024-11-05), basic/index (later): an error carries the id of its
// request, except where that could not be read.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "harness/monitors/http_lanes.h"
#include "harness/monitors/session_view.h"

namespace assay::harness {

class NamelessErrors {
 public:
  struct Pair {
    EventPtr request;
    EventPtr error;
  };

  // A message of the party that asks.
  void note_sent(const Sighting& sighting);
  // Bytes of the party that asks which are no message.
  void note_unreadable() { is_muddled_ = true; }
  // An answer that has an id.
  void note_answer(const wire::Id& id);
  // An error that has none. The pair if it is the answer to a sound request of its own HTTP
  // exchange; `lane` is null over other transports, where only the end can tell.
  std::optional<Pair> note_error(const EventPtr& error, const HttpLane* lane,
                                 model::Revision revision);
  // The same of a client, which may have been asked several things at once: only the end can tell.
  void note_client_error(const EventPtr& error);
  // An array that answers an array. The pair if an error in it has no id, and everything that it
  // answers is sound.
  std::optional<Pair> note_batch(const EventPtr& answer, const HttpLane* lane,
                                 model::Revision revision) const;
  // At the end: errors that came while one sound request was open, behind everything else that had
  // been sent, and that request was never answered; and the only one of a client, where the only
  // request that it never answered came before it.
  std::vector<Pair> unanswered() const;

 private:
  struct Asked {
    EventPtr event;
    EventPtr error;  // without an id, while nothing else was open
  };

  std::map<wire::Id, Asked> open_;
  std::vector<EventPtr> of_client_;  // two at most
  std::vector<EventPtr> batches_;    // the latest arrays of the party that asks
  EventPtr last_sent_;
  // Something was sent that need not be understood: an error without an id may be about that.
  bool is_muddled_ = false;
};

}  // namespace assay::harness
