// What a scenario may say: open a session, ask, tell, wait, and judge what came.
//
// A scenario never sleeps: it waits for events with a deadline, and proves silence with a barrier.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "harness/finding.h"
#include "harness/script/abandoned.h"
#include "harness/script/connection.h"
#include "harness/script/means.h"
#include "harness/script/survey.h"
#include "harness/transcript/proof.h"
#include "reference/model/protocol.h"

namespace assay::harness {

// What all scenarios of one run have in common.
struct RunContext {
  const TargetAccess& access;
  model::Revision revision;
  Patience patience;
  ToolPolicy tools;
  std::stop_token stop;
  Survey survey;  // filled before the first scenario starts, and only read afterwards
  // The target refuses us for want of credentials, so no session can be had.
  bool is_locked_out = false;
  // Which extensions are judged. Known before the first scenario starts.
  model::ExtensionSet extensions{};
};

// What it proves that a request had this reply and no better one; `waited` is how long we waited.
Proof proof_of(const Reply& reply, std::chrono::milliseconds waited);

class Script {
 public:
  // `judge` is the scenario's name. `shared`, if not null, is an initialized session that several
  // scenarios use one after another; otherwise session() opens one of the scenario's own.
  Script(const RunContext& run, std::string judge, Connection* shared);
  ~Script();

  model::Revision revision() const { return run_.revision; }
  TransportKind transport() const { return run_.access.kind; }
  const Survey& survey() const { return run_.survey; }
  const ToolPolicy& tool_policy() const { return run_.tools; }
  bool is_locked_out() const { return run_.is_locked_out; }
  model::ExtensionSet extensions() const { return run_.extensions; }
  // What is known of the target.
  const Profile& profile() const { return run_.tools.known; }
  // The tokens that were given: the first of the good ones is shown with every request.
  const std::vector<UserToken>& tokens() const { return run_.access.tokens; }
  // The authorization server that the target was told of, which is ours; null: it was told of none.
  TokenIssuer* issuer() const { return run_.access.issuer.get(); }
  // The API that the target was told to ask, which is ours; null: it was told of none.
  Upstream* upstream() const { return run_.access.upstream.get(); }

  // The session at hand, initialized.
  Connection& session();
  // An earlier scenario of the round has left one.
  bool has_session() const { return session_ != nullptr; }
  // One whose client declares these capabilities and no others: session(), where an earlier
  // scenario of the round opened it so. It has not begun where the server did not let it.
  Connection& session_that_declares(Json capabilities);
  // From now on session() is this one, which the script opened; the next in turn goes on with it.
  void hand_on(Connection& connection) { session_ = &connection; }
  // True if the server declares the capability ("resources.subscribe") on session(). Opens none
  // where the survey shows that it does not: over stdio that would be a process for nothing.
  bool is_declared(std::string_view capability);
  // A further connection, initialized; and one on which nothing has been sent yet. They live as
  // long as the script.
  Connection& open_session();
  Connection& open_connection();
  // The same for one who shows another token than session() does.
  Connection& open_session(const UserToken& token);

  // On session().
  Reply request(std::string_view method, Json params = nullptr) {
    return session().request(method, std::move(params));
  }
  void notify(std::string_view method, Json params = nullptr) {
    session().notify(method, std::move(params));
  }
  // Calls a tool if the policy allows it, else abandons the scenario.
  Reply call_tool(std::string_view name, Json arguments = Json::object());
  // True if the tool is listed and may be called.
  bool may_call(std::string_view tool) const;
  // A tool of that ability which may be called; nothing if there is none (see lacks()). Or all.
  std::optional<ToolUse> tool_with(Ability ability) const;
  std::vector<ToolUse> tools_with(Ability ability) const;
  Reply call(const ToolUse& tool) { return call_tool(tool.name, tool.arguments); }

  // Judging. `detail` says what happened instead, in words for a server's author; without it the
  // reply describes itself. A reply that did not come is an absence, and one that speaks of a limit
  // (limit.h) is unclear.
  void check(catalogue::RequirementId requirement, bool did_hold, const Reply& reply,
             std::string detail = "", std::string pointer = "");
  // `events` break the rule by what they say.
  void check(catalogue::RequirementId requirement, bool did_hold, std::vector<EventPtr> events,
             std::string detail);
  // After `events`, this did not come in time; nothing: they break the rule by what they say.
  void check(catalogue::RequirementId requirement, bool did_hold, std::vector<EventPtr> events,
             std::string detail, std::optional<Awaited> awaited);
  // `events` came in an order, or at a pace, that nothing guarantees.
  void check(catalogue::RequirementId requirement, bool did_hold, std::vector<EventPtr> events,
             std::string detail, Crossed crossed);
  void unclear(catalogue::RequirementId requirement, std::string why,
               std::vector<EventPtr> events = {});
  // `hint` is what would let the rule be exercised: "list a tool with readOnlyHint".
  void not_exercised(catalogue::RequirementId requirement, std::string why, std::string hint = "");
  // Not exercised for want of a tool of that ability: says why there is none, and what to do.
  void lacks(catalogue::RequirementId requirement, Ability ability);
  void not_applicable(catalogue::RequirementId requirement, std::string why);
  // What was found of these rules so far was found with so many specimens ("12 names"): verdicts
  // say so.
  void tried(const std::vector<catalogue::RequirementId>& requirements, std::size_t count,
             std::string_view specimens);

  // Why we read no more of one of the connections at hand; nothing while we read all of them. What
  // is said from then on is inconclusive: no answer is evidence of nothing.
  std::optional<std::string> cut_off() const;
  Findings take_findings() { return std::move(findings_); }
  // Gives away what session() opened, or hand_on() was told of; null if there is none.
  std::unique_ptr<Connection> take_session();
  // Connections that the script opened itself, for the monitors; closed by now or on destruction.
  const std::vector<std::unique_ptr<Connection>>& connections() const { return connections_; }

 private:
  Connection& open(const TargetAccess& access);
  Connection& begin(Connection& connection);
  Reply begin_patiently(Connection& connection) const;
  Finding& add(Finding::Kind kind, catalogue::RequirementId requirement, std::string detail);
  void add_check(catalogue::RequirementId requirement, bool did_hold, std::vector<EventPtr> events,
                 std::string detail, const Proof& proof);
  // That this did not come after `events`, with what the server said later.
  Proof absence_after(const std::vector<EventPtr>& events, std::string what, bool is_answer) const;

  const RunContext& run_;
  std::string judge_;
  Connection* session_;
  std::vector<std::unique_ptr<Connection>> connections_;
  Findings findings_;
};

}  // namespace assay::harness
