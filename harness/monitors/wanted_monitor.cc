// Judges what a server says by itself by what its client wants to hear: log messages by the level
// that was set, changes of resources by what is subscribed to.
//
// Specification: server/utilities/logging, "Message Flow"; server/resources, "Subscriptions", and
// the description of ResourceUpdatedNotification in the schema.
//
// A wish counts once a later request of ours was answered: what was said before the server had
// heard of it may come after its answer. While it may count or not, the milder one is held against
// a message.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "harness/monitors/http_lanes.h"
#include "harness/monitors/monitor.h"
#include "harness/monitors/session_view.h"
#include "harness/script/json_member.h"
#include "reference/wire/message.h"

namespace assay::harness {
namespace {

using catalogue::RequirementId;

// RFC 5424, least severe first.
constexpr std::array<std::string_view, 8> kBySeverity = {
    "debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"};

std::optional<std::size_t> severity_of(std::string_view level) {
  const auto found = std::find(kBySeverity.begin(), kBySeverity.end(), level);
  if (found == kBySeverity.end()) return std::nullopt;
  return static_cast<std::size_t>(found - kBySeverity.begin());
}

class WantedMonitor : public Monitor {
 public:
  std::string_view name() const override { return "wanted_monitor"; }
  std::vector<RequirementId> server_requirements() const override {
    return {"logging.session-level-respected", "resources.updates-only-subscribed"};
  }

  void on_event(const EventPtr& event, const SessionView& session, Judge& /*judge*/) override {
    if (!session.transport().is_streamable_http()) return;
    const HttpLane* lane = lanes_.note(event);
    if (lane == nullptr || !lane->is_initialize || !lane->response) return;
    const auto& headers = lane->response->observation.http()->headers;
    has_session_ = has_session_ || transport::find_header(headers, "Mcp-Session-Id").has_value();
  }

  void on_message(const Sighting& sighting, const SessionView& session, Judge& judge) override {
    // Who has no sessions cannot tell one client's wishes from another's.
    if (session.transport().is_streamable_http() && !has_session_) return;
    if (!sighting.is_from_judged) {
      if (sighting.is_request()) take_wish(sighting);
      return;
    }
    if (sighting.exchange != nullptr && sighting.exchange->asker == Party::kClient) {
      take_answer(sighting);
    } else if (sighting.message.method() == "notifications/message") {
      judge_level(sighting, judge);
    } else if (sighting.message.method() == "notifications/resources/updated" &&
               session.server_declares("resources.subscribe")) {
      judge_update(sighting, judge);
    }
  }

 private:
  // A stream that was opened with GET begins with what had to wait for one, however long ago it was
  // said. One that was open before the wish kept nothing waiting.
  bool may_have_waited(const Sighting& sighting, std::uint64_t asked) {
    const HttpLane* lane = lanes_.find(sighting.event->observation.lane);
    return lane != nullptr && lane->is_get() && (!lane->response || lane->response->n > asked);
  }

  struct Wish {
    std::uint64_t asked = 0;     // the number of the event that asks for it, or gives it up
    std::uint64_t answered = 0;  // of the result; 0: none so far
    bool is_settled = false;
  };
  struct LevelWish : Wish {
    std::size_t severity = 0;
  };
  struct Subscription : Wish {
    bool is_wanted = true;  // false: it is being given up
  };

  // Any request may change what is wanted, and begins to before it is answered.
  void take_wish(const Sighting& request) {
    const Json& params = request.message.params();
    const std::uint64_t asked = request.event->n;
    if (request.message.method() == "logging/setLevel") {
      const auto severity = severity_of(text_member(params, "level"));
      if (severity) levels_.push_back({{asked, 0, false}, *severity});
    } else if (request.message.method() == "resources/subscribe") {
      subscriptions_[std::string(text_member(params, "uri"))] = {{asked, 0, false}, true};
    }
  }

  void take_answer(const Sighting& sighting) {
    const wire::Message& request = sighting.exchange->request;
    const std::uint64_t asked = sighting.exchange->request_event->n;
    settle(asked);
    if (request.method() == "logging/setLevel") {
      const auto severity = severity_of(text_member(request.params(), "level"));
      const auto found = std::find_if(levels_.begin(), levels_.end(), [&](const LevelWish& wish) {
        return wish.answered == 0 && wish.severity == severity;
      });
      if (found == levels_.end()) return;
      if (sighting.is_result()) {
        found->answered = sighting.event->n;
      } else {
        levels_.erase(found);
      }
    } else if (request.method() == "resources/unsubscribe" && sighting.is_result()) {
      const auto found = subscriptions_.find(text_member(request.params(), "uri"));
      if (found == subscriptions_.end()) return;
      found->second = {{asked, sighting.event->n, false}, false};
    }
  }

  // A request that was sent behind the answer to a wish has been answered itself.
  void settle(std::uint64_t asked) {
    for (std::size_t i = 0; i < levels_.size(); ++i) {
      if (levels_[i].answered == 0 || levels_[i].answered > asked) continue;
      levels_[i].is_settled = true;
      // What was wanted before is over.
      levels_.erase(levels_.begin(), levels_.begin() + static_cast<std::ptrdiff_t>(i));
      i = 0;
    }
    for (auto& [uri, subscription] : subscriptions_) {
      const bool is_heard = subscription.answered != 0 && subscription.answered < asked;
      subscription.is_settled = subscription.is_settled || is_heard;
    }
  }

  void judge_level(const Sighting& sighting, Judge& judge) {
    // Before any level was set for certain, the server chooses.
    if (levels_.empty() || !levels_.front().is_settled) return;
    if (may_have_waited(sighting, levels_.front().asked)) return;
    const auto logged = severity_of(text_member(sighting.message.params(), "level"));
    if (!logged) return;
    std::size_t wanted = levels_.front().severity;
    for (const LevelWish& wish : levels_) wanted = std::min(wanted, wish.severity);
    constexpr RequirementId kRule = "logging.session-level-respected";
    if (*logged >= wanted) return judge.held(kRule, sighting.event);
    // It may have been logged before the level was set, and come late.
    judge.crossed(kRule,
                  fmt::format("a message of level {} came after the level was set to {}",
                              kBySeverity[*logged], kBySeverity[wanted]),
                  {sighting.event}, false);
  }

  // An update may tell of a part of what was subscribed to, and the schema does not say how the
  // URIs are then related: as long as there is any subscription, only a URI that was given up, and
  // begins like none that is wanted, is certainly not wanted.
  void judge_update(const Sighting& sighting, Judge& judge) {
    constexpr RequirementId kRule = "resources.updates-only-subscribed";
    const std::string_view uri = text_member(sighting.message.params(), "uri");
    bool was_given_up = false;
    bool is_any_wanted = false;
    std::uint64_t last_given_up = 0;
    for (const auto& [subscribed, subscription] : subscriptions_) {
      if (!subscription.is_wanted && subscription.is_settled) {
        was_given_up = was_given_up || uri == subscribed;
        last_given_up = std::max(last_given_up, subscription.asked);
        continue;
      }
      is_any_wanted = true;
      if (!uri.starts_with(subscribed)) continue;
      if (uri == subscribed && subscription.is_wanted) judge.held(kRule, sighting.event);
      return;
    }
    if (is_any_wanted && !was_given_up) return;
    if (subscriptions_.empty()) {
      return judge.broke(kRule, "an update came without a subscription", {sighting.event},
                         "/params/uri");
    }
    if (may_have_waited(sighting, last_given_up)) return;
    // It may tell of a change that came before its subscription was given up.
    judge.crossed(kRule,
                  was_given_up ? "an update came for a resource after resources/unsubscribe"
                               : "an update came, and no subscription is left",
                  {sighting.event}, false);
  }

  HttpLanes lanes_;
  bool has_session_ = false;  // over HTTP
  std::vector<LevelWish> levels_;
  std::map<std::string, Subscription, std::less<>> subscriptions_;
};

const MonitorRegistration<WantedMonitor> kWantedMonitorRegistration;

}  // namespace
}  // namespace assay::harness
