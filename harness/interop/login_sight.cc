#include "harness/interop/login_sight.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>

namespace assay::harness {
namespace {

using reports::ActSeen;

constexpr int kUnauthorized = 401;
constexpr int kForbidden = 403;

// A request of the client, where it stands.
struct Knock {
  std::size_t session = 0;
  const Dialogue* dialogue = nullptr;
  const Asked* asked = nullptr;
  bool has_token = false;
  int refused = 0;  // the status, of one for want of a token, or for a wrong one
};

std::vector<Knock> knocks_in(const CellView& view) {
  std::vector<Knock> out;
  for (std::size_t i = 0; i < view.sessions.size(); ++i) {
    const ReadSession& session = view.sessions[i];
    if (session.is_after_gateway != view.is_after_gateway) continue;
    for (const Asked& asked : session.dialogue.asked()) {
      const transport::HttpHead* head = asked.event->observation.http();
      if (asked.asker != Party::kClient || head == nullptr) continue;
      Knock knock{i, &session.dialogue, &asked};
      knock.has_token = transport::find_header(head->headers, "Authorization").has_value();
      const int status = asked.refusal ? asked.refusal->observation.http()->status : 0;
      if (status == kUnauthorized || status == kForbidden) knock.refused = status;
      out.push_back(knock);
    }
  }
  std::stable_sort(out.begin(), out.end(), [](const Knock& a, const Knock& b) {
    return a.asked->event->at < b.asked->event->at;
  });
  return out;
}

void add_events(const Knock& knock, ActSight& act) {
  for (const std::uint64_t n : knock.dialogue->events_of(*knock.asked)) {
    act.events.emplace(knock.session, n);
  }
}

// Its first refusal for want of a token, and what came of it.
ActSight act_after(const Knock& refusal, const Knock* let_in, const Knock* refused_again,
                   const CellView& view) {
  ActSight out;
  add_events(refusal, out);
  if (let_in != nullptr) {
    out.seen = ActSeen::kWorked;
    add_events(*let_in, out);
    return out;
  }
  const auto& starts = view.starts;
  const auto named = std::find_if(starts.begin(), starts.end(),
                                  [](const SeenStart& start) { return !start.other_name.empty(); });
  const bool has_asked = std::any_of(starts.begin(), starts.end(), [](const SeenStart& start) {
    return start.was_asked_for_login;
  });
  if (refused_again != nullptr) {
    out.seen = ActSeen::kFailed;
    add_events(*refused_again, out);
    out.detail = fmt::format("the server refused the token: HTTP {}", refused_again->refused);
    out.parting =
        reports::Parting{refused_again->session, refused_again->asked->last()->n, out.detail};
  } else if (named != starts.end()) {
    out.seen = ActSeen::kNotReached;
    out.detail = fmt::format(
        "the server calls itself {}, and the client found it at another URL, which is ours",
        named->other_name);
  } else if (has_asked) {
    out.seen = ActSeen::kFailed;
    out.detail = "the client asked where to log in, and did not come back with a token";
    out.parting = reports::Parting{refusal.session, refusal.asked->last()->n,
                                   "the client did not come back with a token"};
  } else {
    out.detail = "the client was asked for a token, and did not look where to get one";
  }
  return out;
}

}  // namespace

LoginSight login_in(const CellView& view) {
  LoginSight out;
  const Knock* refusal = nullptr;
  const Knock* refused_again = nullptr;
  const Knock* let_in = nullptr;
  const std::vector<Knock> knocks = knocks_in(view);
  for (const Knock& knock : knocks) {
    if (refusal == nullptr) {
      if (knock.refused == kUnauthorized && !knock.has_token) refusal = &knock;
      continue;
    }
    if (!knock.has_token) continue;
    if (knock.refused != 0) refused_again = &knock;
    if (knock.refused == 0 && knock.asked->answer && let_in == nullptr) let_in = &knock;
  }
  if (refusal == nullptr) {
    out.act.detail = "the server did not ask for a token";
    return out;
  }
  out.act = act_after(*refusal, let_in, refused_again, view);
  out.is_kept_out = let_in == nullptr;
  return out;
}

}  // namespace assay::harness
