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
#include "harness/monitors/session_view.h"

namespace assay::harness {

// Where a monitor puts what it has seen. Keeps the first few breaches of each rule as evidence.
class Judge {
 public:
  explicit Judge(std::string name) : name_(std::move(name)) {}

  void held(catalogue::RequirementId requirement, const EventPtr& event);
  void broke(catalogue::RequirementId requirement, std::string detail, std::vector<EventPtr> events,
             std::string pointer = "");
  void unclear(catalogue::RequirementId requirement, std::string detail,
               std::vector<EventPtr> events);
  // held() or broke().
  void check(catalogue::RequirementId requirement, bool did_hold, std::string_view detail,
             const EventPtr& event, std::string pointer = "");
  Findings take() { return std::move(findings_); }

 private:
  void add(Finding::Kind kind, catalogue::RequirementId requirement, std::string detail,
           std::vector<EventPtr> events, std::string pointer);

  std::string name_;
  Findings findings_;
  // Where the findings about each requirement stand.
  std::map<std::pair<std::string_view, Finding::Kind>, std::vector<std::size_t>> told_;
};

// A party of the conversation, as the one whose breaches are reported.
enum class Party { kServer, kClient };

class Monitor {
 public:
  virtual ~Monitor() = default;
  // "json_rpc_answers": as findings and `explain` name it.
  virtual std::string_view name() const = 0;
  // Every requirement this monitor may speak of.
  virtual std::vector<catalogue::RequirementId> requirements() const = 0;
  // Whose breaches it reports. Servers are all that a command puts under test, so that what a
  // client does is judged by nobody until a monitor says otherwise here.
  virtual std::vector<Party> judged_parties() const { return {Party::kServer}; }
  // Every event, before its messages.
  virtual void on_event(const EventPtr& /*event*/, const SessionView& /*session*/,
                        Judge& /*judge*/) {}
  // Every message that could be read, both ways; batch members follow their batch.
  virtual void on_message(const Sighting& /*sighting*/, const SessionView& /*session*/,
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

// Shows the events of one connection to every registered monitor and returns what they found. Where
// we read no more of the target (kCutOff) that is the last event, and no monitor is told of an end.
Findings watch(std::span<const EventPtr> events, model::Revision revision, TransportKind transport);

}  // namespace assay::harness
