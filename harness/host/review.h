// What passed while a client acted, for a play to judge.
#pragma once

#include <chrono>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/finding.h"
#include "harness/runner/recorded_session.h"
#include "reference/wire/message.h"

namespace assay::harness {

// A message and the event that it came with; of a batch, one of its members.
struct Said {
  EventPtr event;
  wire::Message message;
  std::size_t session = 0;  // which of the review's
};

class Review {
 public:
  // The sessions, and what passed beside them, outlive it.
  Review(std::string scenario, model::Revision revision, std::span<const RecordedSession> sessions,
         std::span<const EventPtr> beside = {}, std::vector<std::string> hits = {});

  model::Revision revision() const { return revision_; }
  TransportKind transport() const;
  bool has_order() const { return transport().has_order(); }

  std::span<const RecordedSession> sessions() const { return sessions_; }
  // Metadata, an authorization server, and what was refused for want of a token; in order.
  std::span<const EventPtr> beside() const { return beside_; }
  // Everything that one of the two said, in order, session by session.
  const std::vector<Said>& client() const { return client_; }
  const std::vector<Said>& server() const { return server_; }
  std::vector<Said> requests(std::string_view method) const;  // the client's
  // The client's answer to the question of that id ("assay-ping"); and the question.
  std::optional<Said> answer_to(std::string_view id) const;
  std::optional<Said> question(std::string_view id) const;
  // What the server said last before it said this, on the same lane; the event of this if nothing.
  EventPtr said_before(const Said& said) const;
  // What the server answered to this request of the client's.
  std::optional<Said> reply_to(const Said& request) const;
  // What somebody fetched in the trap: "GET /secret".
  const std::vector<std::string>& hits() const { return hits_; }
  // The client asked something behind this event, in the same session: it went on.
  bool went_on_after(const Said& said) const;
  // While the client waited for the answer to the first request of that method, in the session of
  // `question`, it asked for more: then it may leave without that answer for reasons of its own.
  bool asked_beside(std::string_view method, const Said& question) const;

  // How the client crashed: "it was ended by signal 11". Empty if it did not.
  const std::string& crash() const { return crash_; }
  void set_crash(std::string how) { crash_ = std::move(how); }
  // The end of what the client wrote to its standard error.
  const std::string& errors() const { return errors_; }
  void set_errors(std::string text) { errors_ = std::move(text); }
  // What the client asked next in that session, before it had the answer to this; it asked for
  // nothing while it waited before, so it waits for this no more.
  // A ping does not count: it may be there to keep the connection alive.
  std::optional<Said> asked_instead(const Said& request) const;
  // The longest that the client took, in that session and before that request, from an answer to
  // what it asked next: its own pace.
  std::chrono::nanoseconds longest_pause(const Said& request) const;

  void held(catalogue::RequirementId requirement, const EventPtr& event);
  // `events` break the rule by what they say.
  void broke(catalogue::RequirementId requirement, std::string detail, std::vector<EventPtr> events,
             std::string pointer = "");
  // After `events`, this did not come. The scenario is played again before that is reported.
  void missed(catalogue::RequirementId requirement, std::string detail,
              std::vector<EventPtr> events, Awaited awaited, std::string pointer = "");
  // `events` came in an order, or at a pace, that nothing guarantees. Played again, too.
  void crossed(catalogue::RequirementId requirement, std::string detail,
               std::vector<EventPtr> events);
  // After the last of these events the client fell silent, or went, where it should have gone on.
  // Played again; and it counts only for a client that ends well in another scenario.
  void fell_silent(catalogue::RequirementId requirement, std::string detail,
                   std::vector<EventPtr> events);
  // The same of a client that crashed there: see crash().
  void crashed(catalogue::RequirementId requirement, std::string detail,
               std::vector<EventPtr> events);
  void check(catalogue::RequirementId requirement, bool did_hold, std::string detail,
             std::vector<EventPtr> events, std::string pointer = "");
  void unclear(catalogue::RequirementId requirement, std::string why,
               std::vector<EventPtr> events = {});
  // The same where a situation arose in which the rule may have been broken: that it held elsewhere
  // does not settle it.
  void left_open(catalogue::RequirementId requirement, std::string why,
                 std::vector<EventPtr> events);
  // What the server asked under that id was answered (jsonrpc.request-answered-once). Where a
  // person may have to answer, silence is left open.
  void expect_answer(std::string_view id, bool may_ask_person);
  void not_exercised(catalogue::RequirementId requirement, std::string why);
  void not_applicable(catalogue::RequirementId requirement, std::string why);

  // What the client declared in the session of that message; null where it said nothing.
  Json capabilities(const Said& said) const;

  Findings take_findings() { return std::move(findings_); }
  // Which of them are left open, by their place.
  const std::set<std::size_t>& left_open() const { return left_open_; }

 private:
  Finding& add(Finding::Kind kind, catalogue::RequirementId requirement, std::string detail);
  void add_breach(catalogue::RequirementId requirement, std::string detail,
                  std::vector<EventPtr> events, std::string pointer, const Proof& proof);
  Proof absence_after(const std::vector<EventPtr>& events, std::string what) const;

  const std::string scenario_;
  const model::Revision revision_;
  const std::span<const RecordedSession> sessions_;
  const std::span<const EventPtr> beside_;
  const std::vector<std::string> hits_;
  std::vector<Said> client_;
  std::vector<Said> server_;
  std::string crash_;
  std::string errors_;
  Findings findings_;
  std::set<std::size_t> left_open_;
};

}  // namespace assay::harness
