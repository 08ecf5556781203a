// What kind of proof a breach of a rule has.
//
// A rule is reported as broken only on evidence. Bytes that break it are evidence by themselves.
// That something did not come, or came in the wrong order, may be the clock's doing: the
// constructor of each kind asks for what makes it true, and needs_second_look() says what is looked
// at again before it is reported (runner/confirmation.h).
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "harness/transcript/transcript.h"

namespace assay::harness {

// What did not come.
struct Absence {
  std::string awaited;                  // "the answer to tools/list"
  std::chrono::milliseconds waited{0};  // how long, at the least
  // What the party said after it should have sent that: it was alive and able to speak. Null: it
  // said nothing more, and only the session of the second look shows it alive.
  EventPtr alive;
  bool is_answer = false;  // it is the answer to a request
};

// How a check says what its evidence is, where that is not what the peer said. The script or review
// that reports it adds the times, and what the peer said later.
struct Awaited {
  std::string what;  // did not come: "the answer to ping"
};
// The evidence is an order or a pace that the transport does not keep: what the two said may have
// crossed, or the peer may have changed its mind in between.
struct Crossed {};

class Proof {
 public:
  enum class Kind {
    kSeen,     // bytes that break the rule
    kAbsence,  // something did not come
    kOrder,    // two things came in the wrong order
    kCrash,    // a process ended, or a client fell silent for good, over something
  };

  // The events of a finding about `party` break the rule by what they say. Where none of them is
  // the party's own, nothing was seen: then it is an absence of which no more is known.
  static Proof of(const std::vector<EventPtr>& events, Party party);
  static Proof seen() { return Proof(Kind::kSeen); }
  // The party ended an exchange without an answer to the request in it: an HTTP response without a
  // message, or the orderly end of the connection.
  static Proof unanswered();
  static Proof absence(Absence absence);
  // The events came in the wrong order, or too soon one after the other. That is certain only where
  // the transport keeps it; elsewhere they may have crossed, and a second sighting is needed.
  static Proof order(bool is_kept_by_transport);
  // `how` it ended: "it was ended by signal 11". It counts only for a party that does not end so
  // without the provocation.
  static Proof crash(std::string how);

  Kind kind() const { return kind_; }
  // It is reported only if the same rule is broken again, alone, with more patience.
  bool needs_second_look() const;
  // It is reported only if the party ended well in another session.
  bool needs_contrast() const { return needs_contrast_; }
  // It is no more than that a request had no answer.
  bool lacks_answer() const { return lacks_answer_; }
  // Another breach that makes a peer fall silent may explain it.
  bool rests_on_silence() const { return lacks_answer_ || needs_second_look(); }
  // The same proof of a client, which may have gone for reasons of its own: see needs_contrast().
  Proof with_contrast() const;
  // One sentence: "waited 5.0 s for the answer to ping".
  std::string words() const;

 private:
  explicit Proof(Kind kind) : kind_(kind) {}

  Kind kind_;
  bool is_certain_order_ = false;
  bool needs_contrast_ = false;
  bool lacks_answer_ = false;
  std::optional<Absence> absence_;
  std::string how_;
};

}  // namespace assay::harness
