// Verdicts from traffic that nobody provoked: recorded, or watched between two strangers.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/runner/judgement.h"
#include "harness/runner/recorded_session.h"
#include "reference/model/protocol.h"
#include "reference/wire/json.h"
#include "reports/result.h"

namespace assay::harness {

// Judges one of the two parties in any number of conversations.
class PassiveJudge {
 public:
  // `catalogue_version`: only what that version of the catalogue required; 0: everything.
  explicit PassiveJudge(Party party, int catalogue_version = 0);

  // Keeps nothing of the conversation but what proves a breach. False if nothing tells which
  // revision it is in: then it is not judged. One that was cut off (kCutOff) cuts all of it short.
  bool add(const RecordedSession& conversation);
  // The rules that were broken, as far as one sighting tells, where another one has to show it.
  std::set<std::string> open_breaches() const;
  // That rule was broken in the same way when the same was done before.
  void confirm(std::string_view requirement);
  // What was found: a run for each revision over each transport. `target` is how reports show the
  // party; it receives the name by which the party introduced itself. Where nothing could be judged
  // there is one run that says so.
  reports::Result finish(reports::Target target);
  // Says why less was judged than there was: every run is incomplete then.
  void cut_short(std::string why) { cut_short_ = std::move(why); }
  // What else every run says of how it came about.
  void remark(std::string text) { remark_ = std::move(text); }

 private:
  using Key = std::pair<model::Revision, TransportKind>;
  struct Group {
    Judgements judgements;
    reports::Cost cost;
    Json server;  // the first result of `initialize`, or of `server/discover`
    Json client;  // the params of `initialize`
    // Declared by the party; by its client, where nobody heard what a server declares.
    model::ExtensionSet extensions;
    // Why none of its conversations is known from its beginning; empty where one is.
    std::optional<std::string> gap;
  };

  void note_cut_off(std::span<const EventPtr> events);
  reports::Run finish_run(const Key& key, Group& group) const;

  const Party party_;
  const int catalogue_version_;
  std::string cut_short_;
  std::string remark_;
  int conversations_ = 0;
  std::map<Key, Group> groups_;
};

}  // namespace assay::harness
