#include "harness/script/script.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "harness/script/limit.h"
#include "harness/script/pace.h"

namespace assay::harness {

Proof proof_of(const Reply& reply, std::chrono::milliseconds waited) {
  if (reply.is_absent()) return Proof::absence({reply.awaited(), waited, nullptr, true});
  if (!reply.is_answered()) return Proof::unanswered();
  return Proof::of(reply.events(), Party::kServer);
}

Script::Script(const RunContext& run, std::string judge, Connection* shared)
    : run_(run), judge_(std::move(judge)), session_(shared) {}

Script::~Script() = default;

Connection& Script::session() {
  if (session_ == nullptr) session_ = &open_session();
  return *session_;
}

Connection& Script::session_that_declares(Json capabilities) {
  if (session_ != nullptr) return *session_;
  Connection& connection = open_connection();
  connection.begin(std::move(capabilities));
  if (connection.has_begun()) hand_on(connection);
  return connection;
}

std::unique_ptr<Connection> Script::take_session() {
  const auto found = std::find_if(connections_.begin(), connections_.end(),
                                  [&](const auto& each) { return each.get() == session_; });
  if (found == connections_.end()) return nullptr;
  std::unique_ptr<Connection> session = std::move(*found);
  connections_.erase(found);
  return session;
}

Connection& Script::open_connection() {
  return open(run_.access);
}

Connection& Script::open(const TargetAccess& access) {
  auto connection = connect(access, run_.revision, run_.patience, run_.stop);
  if (const auto failure = connection->open()) throw Abandoned(failure->detail);
  connections_.push_back(std::move(connection));
  return *connections_.back();
}

Connection& Script::open_session() {
  return begin(open_connection());
}

Connection& Script::open_session(const UserToken& token) {
  TargetAccess access = run_.access;
  access.connect = run_.access.with_token(token);
  return begin(open(access));
}

// A server that limits its sessions may end those of earlier scenarios a little later.
Reply Script::begin_patiently(Connection& connection) const {
  constexpr int kMostTries = 6;
  const int tries = connections_.size() == 1 ? kMostTries : 2;
  Reply reply = connection.begin();
  for (int i = 1; i < tries && limit_of(reply); ++i) {
    if (!run_.access.pace || !run_.access.pace->is_patient()) break;
    Reply again = connection.begin();
    if (!limit_of(again)) connection.forgive_limits();
    reply = std::move(again);
  }
  return reply;
}

Connection& Script::begin(Connection& connection) {
  const Reply reply = begin_patiently(connection);
  if (reply.kind() == Reply::Kind::kSilence) {
    throw Abandoned(late_start(connection.revision(), connection.patience()),
                    Abandoned::Cause::kLateStart);
  }
  if (const auto limit = limit_of(reply)) throw Abandoned(limit->words());
  if (connection.http() != nullptr && reply.kind() == Reply::Kind::kGone && reply.is_absent()) {
    throw Abandoned("the server closed the connection before it answered initialize",
                    Abandoned::Cause::kTurnedAway);
  }
  if (!connection.has_begun()) {
    throw Abandoned(fmt::format("initialize was answered with {}", reply.describe()));
  }
  return connection;
}

bool Script::is_declared(std::string_view capability) {
  if (session_ == nullptr && !survey().may_declare(capability)) return false;
  return session().has_capability(capability);
}

bool Script::may_call(std::string_view tool) const {
  const Json* listed = survey().tool(tool);
  return listed != nullptr && run_.tools.allows(*listed);
}

std::optional<ToolUse> Script::tool_with(Ability ability) const {
  return find_tool(survey(), run_.tools, ability);
}

std::vector<ToolUse> Script::tools_with(Ability ability) const {
  return find_tools(survey(), run_.tools, ability);
}

Reply Script::call_tool(std::string_view name, Json arguments) {
  if (!may_call(name)) throw Abandoned(fmt::format("the tool {} may not be called", name));
  return request("tools/call", {{"name", name}, {"arguments", std::move(arguments)}});
}

std::optional<std::string> Script::cut_off() const {
  if (session_ != nullptr) {
    if (auto why = session_->cut_off()) return why;
  }
  for (const auto& connection : connections_) {
    if (auto why = connection->cut_off()) return why;
  }
  return std::nullopt;
}

Finding& Script::add(Finding::Kind kind, catalogue::RequirementId requirement, std::string detail) {
  if (auto why = cut_off(); why && kind != Finding::Kind::kNotApplicable) {
    kind = Finding::Kind::kUnclear;
    detail = *std::move(why);
  }
  return findings_.emplace_back(requirement, kind, judge_, std::move(detail));
}

void Script::check(catalogue::RequirementId requirement, bool did_hold, const Reply& reply,
                   std::string detail, std::string pointer) {
  if (detail.empty() && !did_hold) detail = fmt::format("the answer was {}", reply.describe());
  if (!did_hold) {
    if (const auto limit = limit_of(reply)) {
      return unclear(requirement, limit->words(), reply.events());
    }
  }
  const Proof proof = reply.is_absent() ? absence_after(reply.events(), reply.awaited(), true)
                                        : proof_of(reply, run_.patience.request);
  add_check(requirement, did_hold, reply.events(), std::move(detail), proof);
  findings_.back().pointer = std::move(pointer);
}

void Script::check(catalogue::RequirementId requirement, bool did_hold,
                   std::vector<EventPtr> events, std::string detail) {
  const Proof proof = Proof::of(events, Party::kServer);
  add_check(requirement, did_hold, std::move(events), std::move(detail), proof);
}

void Script::check(catalogue::RequirementId requirement, bool did_hold,
                   std::vector<EventPtr> events, std::string detail,
                   std::optional<Awaited> awaited) {
  const Proof proof = awaited ? absence_after(events, std::move(awaited->what), false)
                              : Proof::of(events, Party::kServer);
  add_check(requirement, did_hold, std::move(events), std::move(detail), proof);
}

void Script::check(catalogue::RequirementId requirement, bool did_hold,
                   std::vector<EventPtr> events, std::string detail, Crossed /*crossed*/) {
  add_check(requirement, did_hold, std::move(events), std::move(detail), Proof::order(false));
}

void Script::add_check(catalogue::RequirementId requirement, bool did_hold,
                       std::vector<EventPtr> events, std::string detail, const Proof& proof) {
  if (const auto limit = did_hold ? std::nullopt : limit_in(events)) {
    return unclear(requirement, limit->words(), std::move(events));
  }
  Finding& finding = add(did_hold ? Finding::Kind::kHeld : Finding::Kind::kBroke, requirement,
                         did_hold ? "" : std::move(detail));
  finding.events = std::move(events);
  finding.proof = proof;
}

void Script::tried(const std::vector<catalogue::RequirementId>& requirements, std::size_t count,
                   std::string_view specimens) {
  for (Finding& finding : findings_) {
    const bool is_meant = std::find(requirements.begin(), requirements.end(),
                                    finding.requirement) != requirements.end();
    if (!is_meant) continue;
    if (finding.kind == Finding::Kind::kHeld) {
      finding.detail = fmt::format("tried with {} {}", count, specimens);
    } else if (finding.kind == Finding::Kind::kBroke) {
      finding.detail += fmt::format(" (one of {} {} that were tried)", count, specimens);
    }
  }
}

Proof Script::absence_after(const std::vector<EventPtr>& events, std::string what,
                            bool is_answer) const {
  Absence absence{std::move(what), run_.patience.request, nullptr, is_answer};
  const auto look_in = [&](const Connection& connection) {
    const auto all = connection.shared_transcript()->events();
    if (events.empty() || !events.back() || events.back()->n > all.size()) return;
    if (all[events.back()->n - 1] != events.back()) return;
    for (std::size_t i = events.back()->n; i < all.size(); ++i) {
      if (all[i]->is_from_server() && all[i]->carries_message()) absence.alive = all[i];
    }
    const std::chrono::nanoseconds passed = all.back()->at - events.back()->at;
    absence.waited =
        std::max(absence.waited, std::chrono::duration_cast<std::chrono::milliseconds>(passed));
  };
  if (session_ != nullptr) look_in(*session_);
  for (const auto& connection : connections_) look_in(*connection);
  return Proof::absence(std::move(absence));
}

void Script::unclear(catalogue::RequirementId requirement, std::string why,
                     std::vector<EventPtr> events) {
  add(Finding::Kind::kUnclear, requirement, std::move(why)).events = std::move(events);
}

void Script::not_exercised(catalogue::RequirementId requirement, std::string why,
                           std::string hint) {
  if (auto gap = survey().gap()) return unclear(requirement, *std::move(gap));
  add(Finding::Kind::kNotExercised, requirement, std::move(why)).hint = std::move(hint);
}

void Script::lacks(catalogue::RequirementId requirement, Ability ability) {
  Lack lack = lack_of(survey(), run_.tools, ability);
  not_exercised(requirement, std::move(lack.why), std::move(lack.hint));
}

void Script::not_applicable(catalogue::RequirementId requirement, std::string why) {
  add(Finding::Kind::kNotApplicable, requirement, std::move(why));
}

}  // namespace assay::harness
