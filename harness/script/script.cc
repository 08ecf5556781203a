#include "harness/script/script.h"

#include <fmt/format.h>

#include <utility>

namespace assay::harness {

Script::Script(const RunContext& run, std::string judge, Connection* shared)
    : run_(run), judge_(std::move(judge)), session_(shared) {}

Script::~Script() = default;

Connection& Script::session() {
  if (session_ == nullptr) session_ = &open_session();
  return *session_;
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

Connection& Script::begin(Connection& connection) {
  const Reply reply = connection.begin();
  if (reply.kind() == Reply::Kind::kSilence) {
    throw Abandoned(late_start(connection.revision(), connection.patience()),
                    Abandoned::Cause::kLateStart);
  }
  if (!connection.has_begun()) {
    throw Abandoned(fmt::format("initialize was answered with {}", reply.describe()));
  }
  return connection;
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
  const bool is_silence = reply.kind() == Reply::Kind::kSilence;
  check(requirement, did_hold, reply.events(), std::move(detail), is_silence);
  findings_.back().pointer = std::move(pointer);
  const bool is_breach = findings_.back().kind == Finding::Kind::kBroke;
  findings_.back().lacks_answer = is_breach && !reply.is_answered();
}

void Script::check(catalogue::RequirementId requirement, bool did_hold,
                   std::vector<EventPtr> events, std::string detail, bool depends_on_time) {
  Finding& finding = add(did_hold ? Finding::Kind::kHeld : Finding::Kind::kBroke, requirement,
                         did_hold ? "" : std::move(detail));
  finding.events = std::move(events);
  finding.depends_on_time = depends_on_time && finding.kind == Finding::Kind::kBroke;
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
