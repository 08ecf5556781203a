// How far a client went with what was hosted for it. Having asked is not having taken part: what
// counts is that an answer reached it, and that it went on from there.
#pragma once

#include <span>
#include <string>

#include "harness/runner/recorded_session.h"
#include "reference/model/revision.h"

namespace assay::harness {

struct Participation {
  bool names_it = false;     // it asked for the revision that was hosted
  bool names_other = false;  // it asked for another one
  // The beginning of a session was answered with a result, and the client went on; or, where there
  // are no sessions, any request was.
  bool took_part = false;
  // More than that: a list, a call or the like was answered with a result.
  bool used_server = false;
  bool was_let_in = false;  // initialize was answered with a result
  // How a message was refused first: "HTTP 415 (...)"; empty if none was. That a token is asked for
  // is no refusal of it.
  std::string refusal;
  bool was_asked_for_token = false;  // by HTTP 401
  bool had_preflight = false;  // a browser asked whether its page may ask, and was refused

  void add(const Participation& more);
};

// `sessions`: all that passed, whatever revision is spoken there; and what passed beside them.
Participation participation_in(std::span<const RecordedSession> sessions,
                               const RecordedSession& beside, model::Revision hosted);

}  // namespace assay::harness
