#include "harness/interop/act_sights.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/interop/act_traffic.h"

namespace assay::harness {
namespace {

using reports::ActSeen;
using reports::Parting;

// What the client says of the act itself counts where the traffic does not tell: a client alone
// knows whether it could use an answer.
void take_word(ActSight& sight, const ClientWord& word, const std::optional<Parting>& last) {
  using Kind = ClientWord::Kind;
  const std::string says = word.why.empty() ? "" : fmt::format("the client says: {}", word.why);
  if (word.kind == Kind::kFailed && sight.seen != ActSeen::kFailed) {
    const bool was_answered = sight.seen == ActSeen::kWorked;
    std::optional<Parting> parting = last;
    if (was_answered && !sight.events.empty()) {
      parting = Parting{sight.events.rbegin()->first, sight.events.rbegin()->second, ""};
    }
    sight.seen = ActSeen::kFailed;
    sight.detail = says.empty() ? "the client says that it failed" : says;
    sight.parting = parting;
    if (sight.parting) {
      sight.parting->why = was_answered ? "the client did not take this answer"
                                        : "the client did not go on after this";
    }
    return;
  }
  if (word.kind == Kind::kCannot && sight.seen == ActSeen::kNotBegun && sight.detail.empty()) {
    sight.detail = says;
  }
  if (word.kind == Kind::kFailed && !says.empty()) sight.detail += "; " + says;
}

bool ended_badly(const SeenStart& start) {
  return !start.end.is_sound() && start.end.kind != GuestEnd::Kind::kStopped;
}

class Acts {
 public:
  Acts(const CellView& view, const reports::Agreement& agreement)
      : view_(view), out_(by_traffic(view, agreement)) {}

  std::vector<ActSight> read() {
    const ActSeen connected = sight("connect").seen;
    if (connected == ActSeen::kNotReached) {
      // Whatever it says and however it ends, it was not let in.
      leave_rest(sight("connect").detail);
      return std::move(out_);
    }
    for (std::size_t i = 0; i < view_.starts.size(); ++i) note_start(i);
    if (connected == ActSeen::kFailed) leave_rest("the two did not agree on a revision");
    // As the client says, though a revision was agreed on: a bridge may have its own session.
    if (sight("connect").seen == ActSeen::kFailed) leave_rest("the client did not connect");
    return std::move(out_);
  }

 private:
  ActSight& sight(std::string_view act) {
    const auto& all = reports::pair_acts();
    const auto found =
        std::find_if(all.begin(), all.end(), [&](const auto& info) { return info.id == act; });
    return out_[static_cast<std::size_t>(found - all.begin())];
  }

  void note_start(std::size_t index) {
    const SeenStart& start = view_.starts[index];
    for (const auto& [act, word] : start.words) {
      if (start.start.aims.contains(act)) take_word(sight(act), word, last_heard(view_, index));
    }
    const bool is_telling = view_.client.ends_well && ended_badly(start);
    if (!is_telling) return;
    const bool is_for_several = start.start.aims.size() > 1;
    if (start.start.has_plan && is_for_several) return note_bad_end_of_plan(index);
    for (const std::string& act : start.start.aims) note_bad_end(sight(act), index);
  }

  // A client that was started for one act, and ended badly: it did not come to its end.
  void note_bad_end(ActSight& sight, std::size_t index) {
    if (sight.seen == ActSeen::kFailed) return;
    const bool was_answered = sight.seen == ActSeen::kWorked;
    sight.seen = ActSeen::kFailed;
    sight.detail = fmt::format("the client gave up: {}", view_.starts[index].end.text());
    sight.parting = last_heard(view_, index);
    if (sight.parting) {
      sight.parting->why = was_answered ? "the client ended after this answer"
                                        : "the client did not go on after this";
    }
  }

  // One that was to do several: what it did last before it ended is what failed, unless it said
  // what did. What it would have done after that was not reached.
  void note_bad_end_of_plan(std::size_t index) {
    const SeenStart& start = view_.starts[index];
    const bool has_said = std::any_of(start.words.begin(), start.words.end(), [](const auto& each) {
      return each.second.kind == ClientWord::Kind::kFailed;
    });
    const bool has_failed = std::any_of(out_.begin(), out_.end(), [](const ActSight& each) {
      return each.seen == ActSeen::kFailed;
    });
    const bool has_missed = std::any_of(
        view_.client.acts.begin(), view_.client.acts.end(), [&](const std::string& act) {
          return start.start.aims.contains(act) && sight(act).seen == ActSeen::kNotBegun;
        });
    if (!has_said && !has_failed && has_missed) {
      if (ActSight* last = last_done()) note_bad_end(*last, index);
    }
    leave_rest(fmt::format("the client had ended: {}", start.end.text()));
  }

  // The act whose exchange ended last.
  ActSight* last_done() {
    ActSight* last = nullptr;
    for (ActSight& each : out_) {
      if (each.seen != ActSeen::kWorked || each.events.empty()) continue;
      if (last == nullptr || *each.events.rbegin() >= *last->events.rbegin()) last = &each;
    }
    return last;
  }

  // A login is begun by the client itself, or not at all.
  void leave_rest(const std::string& why) {
    for (ActSight& each : out_) {
      const bool is_login = &each == &sight("login");
      if (each.seen != ActSeen::kNotBegun || is_login) continue;
      each.seen = ActSeen::kNotReached;
      if (each.detail.empty()) each.detail = why;
    }
  }

  const CellView& view_;
  std::vector<ActSight> out_;
};

}  // namespace

std::vector<ReadSession> read_sessions(const std::vector<SeenStart>& starts) {
  std::vector<ReadSession> out;
  for (const bool is_after_gateway : {false, true}) {
    for (std::size_t i = 0; i < starts.size(); ++i) {
      const auto& sessions = is_after_gateway ? starts[i].after_gateway : starts[i].sessions;
      for (const RecordedSession& session : sessions) {
        out.push_back({i, &session, Dialogue(session.events), is_after_gateway});
      }
    }
  }
  return out;
}

std::vector<ActSight> sights_of(const CellView& view, const reports::Agreement& agreement) {
  std::vector<ActSight> sights = Acts(view, agreement).read();
  const bool has_gateway =
      std::any_of(view.sessions.begin(), view.sessions.end(),
                  [](const ReadSession& session) { return session.is_after_gateway; });
  if (!has_gateway) return sights;
  CellView beyond = view;
  beyond.is_after_gateway = true;
  const std::vector<ActSight> further = by_traffic(beyond, agreement);
  for (std::size_t i = 0; i < sights.size(); ++i) {
    sights[i].events.insert(further[i].events.begin(), further[i].events.end());
  }
  return sights;
}

}  // namespace assay::harness
