// Which messages of a stateless session belong to another revision: a server may serve both eras on
// one connection, and what it says to a client of the other one is no business of this one's rules.
//
// Specification of 2026-07-28: basic/versioning, "Backward Compatibility with Initialization-Based
// Versions".
#pragma once

#include <set>

#include "harness/monitors/session_view.h"

namespace assay::harness {

class EraWatch {
 public:
  // Where the session has a handshake nothing is of another era: each message is what was agreed.
  explicit EraWatch(model::Revision session) : session_(session) {}

  void note(const Event& event);
  void note(const Sighting& sighting);
  // A result of a request that does not name the session's revision; an answer of any kind to
  // `initialize`, or in a session that it began; and what the server says by itself in such a
  // session, or over HTTP in its answer to such a request.
  bool is_of_another(const Sighting& sighting) const;

 private:
  bool names_session(const wire::Message& request) const;
  bool is_answer_of_another(const Sighting& sighting) const;

  const model::Revision session_;
  bool has_legacy_session_ = false;  // `initialize` was answered with a result
  // HTTP exchanges whose request names the session's revision.
  std::set<transport::Lane> modern_lanes_;
};

}  // namespace assay::harness
