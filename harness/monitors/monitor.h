// Judges traffic. A monitor sees one connection's events in order and says which rules held and
// which were broken; it never sends anything, and never says "held" of a rule whose condition did
// not occur.
//
// A monitor is one .cc file that registers itself:
//
//   class AnswersCarryKnownIds : public Monitor { ... };
//   const MonitorRegistration<AnswersCarryKnownIds> kAnswersCarryKnownIdsRegistration;
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/finding.h"
#include "harness/monitors/trace.h"

namespace assay::harness {

class SessionView;
struct Sighting;

// Where a monitor puts what it has seen of one party. Keeps the first few breaches of each rule as
// evidence.
class Judge {
 public:
  Judge(std::string name, Party judged) : name_(std::move(name)), judged_(judged) {}

  // Whose breaches are reported.
  Party judged() const { return judged_; }

  void held(catalogue::RequirementId requirement, const EventPtr& event);
  void broke(catalogue::RequirementId requirement, std::string detail, std::vector<EventPtr> events,
             std::string pointer = "");
  // The evidence is the order of the events, or their pace. Where the transport does not keep it,
  // one sighting is not enough: see confirmation.h.
  void crossed(catalogue::RequirementId requirement, std::string detail,
               std::vector<EventPtr> events, bool is_kept_by_transport);
  void unclear(catalogue::RequirementId requirement, std::string detail,
               std::vector<EventPtr> events);
  // held() or broke().
  void check(catalogue::RequirementId requirement, bool did_hold, std::string_view detail,
             const EventPtr& event, std::string pointer = "");
  // For the driver: where the message at hand stands in that of its event; pointers begin there.
  void set_place(std::string place) { place_ = std::move(place); }
  Findings take() { return std::move(findings_); }

 private:
  Finding& add(Finding::Kind kind, catalogue::RequirementId requirement, std::string detail,
               std::vector<EventPtr> events, std::string pointer);

  std::string name_;
  Party judged_;
  std::string place_;
  Findings findings_;
  // Where the findings about each requirement stand.
  std::map<std::pair<std::string_view, Finding::Kind>, std::vector<std::size_t>> told_;
};

// There is one for each party that is judged.
class Monitor {
 public:
  virtual ~Monitor() = default;
  // "json_rpc_answers": as findings and `explain` name it.
  virtual std::string_view name() const = 0;
  // Every requirement this monitor may speak of where it judges servers, and where clients. Of a
  // party of which it may speak of none it is shown nothing.
  virtual std::vector<catalogue::RequirementId> server_requirements() const { return {}; }
  virtual std::vector<catalogue::RequirementId> client_requirements() const { return {}; }
  std::vector<catalogue::RequirementId> requirements(Party judged) const {
    return judged == Party::kServer ? server_requirements() : client_requirements();
  }
  // Whether it judges sessions of the revision.
  virtual bool holds_in(model::Revision revision) const { return revision.has_sessions(); }
  // Whether a breach of the requirement can only be told by who knows what passed before, besides
  // the request that an answer belongs to. Where that is not known (Trace::gap) nobody is accused.
  virtual bool rests_on_history(catalogue::RequirementId /*requirement*/) const { return true; }
  // Every event, before its messages.
  virtual void on_event(const EventPtr& /*event*/, const SessionView& /*session*/,
                        Judge& /*judge*/) {}
  // Every message that could be read, both ways; batch members follow their batch.
  virtual void on_message(const Sighting& /*sighting*/, const SessionView& /*session*/,
                          Judge& /*judge*/) {}
  // What a server asks of its client within a result (`inputRequests`), as a request of its own
  // right behind it, and what the client answers with its next attempt, as results (2026-07-28 on).
  virtual void on_input(const Sighting& /*sighting*/, const SessionView& /*session*/,
                        Judge& /*judge*/) {}
  // After the last event of the connection.
  virtual void on_end(const SessionView& /*session*/, Judge& /*judge*/) {}
};

using MonitorFactory = std::unique_ptr<Monitor> (*)();
// Called before main() by MonitorRegistration.
void register_monitor(MonitorFactory factory);
std::span<const MonitorFactory> monitors();

template <typename T>
struct MonitorRegistration {
  MonitorRegistration() {
    register_monitor([]() -> std::unique_ptr<Monitor> { return std::make_unique<T>(); });
  }
};

// Shows a trace to every registered monitor and returns what they found of the parties under test;
// nothing where no revision is known. Where nobody read on (kCutOff) that is the last event, and no
// monitor is told of an end.
Findings watch(const Trace& trace);

}  // namespace assay::harness
