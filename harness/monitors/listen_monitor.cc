// Judges what a server sends on the streams that subscriptions/listen opens, and how it ends them.
//
// Specification of 2026-07-28: basic/patterns/subscriptions; basic/patterns/cancellation; the
// subscription id also in basic/index, "_meta". What belongs to a stream is told by the stream over
// HTTP, and by the subscription id over stdio.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "harness/monitors/monitor.h"
#include "harness/monitors/session_view.h"
#include "harness/script/json_member.h"
#include "reference/wire/message.h"

namespace assay::harness {
namespace {

using catalogue::RequirementId;
using wire::Id;

constexpr std::string_view kListen = "subscriptions/listen";
constexpr std::string_view kAcknowledged = "notifications/subscriptions/acknowledged";

struct Wanted {
  std::string_view method;
  std::string_view field;  // of the filter
};
constexpr std::array kWanted = {
    Wanted{"notifications/tasks", "taskIds"},  // of an extension
    Wanted{"notifications/tools/list_changed", "toolsListChanged"},
    Wanted{"notifications/prompts/list_changed", "promptsListChanged"},
    Wanted{"notifications/resources/list_changed", "resourcesListChanged"},
    Wanted{"notifications/resources/updated", "resourceSubscriptions"},
};

// The field of the filter that asks for these notifications; empty for others.
std::string_view field_for(std::string_view method) {
  const auto found = std::find_if(kWanted.begin(), kWanted.end(),
                                  [&](const Wanted& each) { return each.method == method; });
  return found == kWanted.end() ? std::string_view() : found->field;
}

const Json& subscription_id(const wire::Message& notification) {
  return member(member(notification.params(), "_meta"), "io.modelcontextprotocol/subscriptionId");
}

// Hostile clients may listen as often as they like.
constexpr std::size_t kMostListens = 1024;

struct Listen {
  EventPtr request;
  Json filter;  // null where it is malformed
  bool is_acknowledged = false;
  bool is_over = false;
  bool had_other = false;         // something came before the acknowledgment
  bool had_other_tagged = false;  // and carried the subscription's id

  bool asks_for(std::string_view field) const {
    const Json& value = member(filter, field);
    return value == true || (value.is_array() && !value.empty());
  }
};

class ListenMonitor : public Monitor {
 public:
  std::string_view name() const override { return "listen_monitor"; }
  std::vector<RequirementId> server_requirements() const override {
    return {"subscriptions.only-requested",
            "subscriptions.acknowledged-first",
            "subscriptions.nothing-before-acknowledgment",
            "subscriptions.stdio-interleaving",
            "subscriptions.id-on-every-notification",
            "subscriptions.graceful-end",
            "cancellation.server-ends-subscription",
            "cancellation.server-names-listen",
            "cancellation.server-no-other-purpose"};
  }
  bool holds_in(model::Revision revision) const override { return revision.is_stateless(); }

  void on_message(const Sighting& sighting, const SessionView& session, Judge& judge) override {
    if (!sighting.is_from_judged) {
      if (sighting.is_request() && sighting.message.method() == kListen) note_listen(sighting);
      return;
    }
    if (sighting.exchange != nullptr) {
      take_answer(sighting, judge);
    } else if (sighting.is_notification()) {
      if (sighting.message.method() == "notifications/cancelled") {
        judge_cancellation(sighting, session, judge);
      } else {
        judge_notification(sighting, session, judge);
      }
    }
  }

 private:
  void note_listen(const Sighting& sighting) {
    const Id id = *sighting.message.id();
    if (listens_.size() >= kMostListens && !listens_.contains(id)) return;
    const auto earlier = listens_.find(id);
    has_shared_ids_ = has_shared_ids_ || (earlier != listens_.end() && !earlier->second.is_over);
    const Json& filter = member(sighting.message.params(), "notifications");
    Listen listen;
    listen.request = sighting.event;
    if (filter.is_object()) listen.filter = filter;
    listens_.insert_or_assign(id, std::move(listen));
  }

  void take_answer(const Sighting& sighting, Judge& judge) {
    if (sighting.exchange->request.method() != kListen) return;
    const auto found = listens_.find(*sighting.exchange->request.id());
    if (found == listens_.end() || found->second.request != sighting.exchange->request_event)
      return;
    Listen& listen = found->second;
    listen.is_over = true;
    if (!sighting.is_result()) return;
    const bool is_clients_wish = sighting.exchange->cancelled != nullptr;
    if (!listen.is_acknowledged && !listen.had_other && !is_clients_wish) {
      judge.broke("subscriptions.acknowledged-first",
                  "the subscription was ended and had not been acknowledged",
                  {listen.request, sighting.event});
    }
    if (listen.is_acknowledged && !is_clients_wish) {
      judge.held("subscriptions.graceful-end", sighting.event);
    }
  }

  static void judge_cancellation(const Sighting& sighting, const SessionView& session,
                                 Judge& judge) {
    const Json& id = member(sighting.message.params(), "requestId");
    const Exchange* exchange =
        id.is_null() ? nullptr : session.exchange(Id::from_json_text(id.dump()), Party::kClient);
    const bool is_listen = exchange != nullptr && exchange->request.method() == kListen;
    const std::string detail = exchange != nullptr
                                   ? fmt::format("the server cancels a request for {}",
                                                 exchange->request.method().substr(0, 80))
                                   : std::string("the server cancels what no client asked for");
    for (const RequirementId rule : {RequirementId("cancellation.server-names-listen"),
                                     RequirementId("cancellation.server-no-other-purpose")}) {
      judge.check(rule, is_listen, detail, sighting.event, "/params/requestId");
    }
    if (is_listen) judge.held("cancellation.server-ends-subscription", sighting.event);
  }

  void judge_notification(const Sighting& sighting, const SessionView& session, Judge& judge) {
    if (has_shared_ids_) return;
    const Json& tag = subscription_id(sighting.message);
    const auto tagged =
        tag.is_null() ? listens_.end() : listens_.find(Id::from_json_text(tag.dump()));
    Listen* listen = tagged == listens_.end() ? nullptr : &tagged->second;
    if (session.transport().answers_in_exchanges()) {
      Listen* const of_stream = carried_by(sighting.event->observation.lane);
      if (of_stream != nullptr) judge_tag(*of_stream, listen == of_stream, sighting, judge);
      const bool is_tagged = listen == of_stream;
      if (of_stream != nullptr) judge_order(*of_stream, is_tagged, sighting, judge);
      listen = of_stream;
    } else if (listen != nullptr) {
      judge.held("subscriptions.id-on-every-notification", sighting.event);
      judge_order(*listen, true, sighting, judge);
      note_interleaving(*listen, sighting, judge);
    } else if (is_of_some_subscription(sighting.message)) {
      judge.broke("subscriptions.id-on-every-notification",
                  tag.is_null() ? "the notification does not say to which subscription it belongs"
                                : "the subscription id is the id of no subscriptions/listen",
                  {sighting.event}, "/params/_meta");
      return;
    }
    judge_wanted(listen, sighting, judge);
  }

  Listen* carried_by(transport::Lane lane) {
    const auto found = std::find_if(listens_.begin(), listens_.end(), [&](const auto& entry) {
      return entry.second.request->observation.lane == lane;
    });
    return found == listens_.end() ? nullptr : &found->second;
  }

  // What belongs to requests has no place on the stream at all, which other rules say.
  static bool is_of_request(std::string_view method) {
    return method == "notifications/progress" || method == "notifications/message";
  }

  static void judge_tag(const Listen& listen, bool is_right, const Sighting& sighting,
                        Judge& judge) {
    if (is_of_request(sighting.message.method())) return;
    if (is_right) {
      judge.held("subscriptions.id-on-every-notification", sighting.event);
      return;
    }
    judge.broke("subscriptions.id-on-every-notification",
                subscription_id(sighting.message).is_null()
                    ? "a notification of the stream carries no subscription id"
                    : "the subscription id is not the id of the request that opened the stream",
                {listen.request, sighting.event}, "/params/_meta");
  }

  static void judge_order(Listen& listen, bool is_tagged, const Sighting& sighting, Judge& judge) {
    if (listen.is_acknowledged) return;
    if (sighting.message.method() == kAcknowledged) {
      listen.is_acknowledged = true;
      if (!listen.had_other_tagged) judge.held("subscriptions.acknowledged-first", sighting.event);
      if (!listen.had_other) {
        judge.held("subscriptions.nothing-before-acknowledgment", sighting.event);
      }
      return;
    }
    listen.had_other = true;
    judge.broke("subscriptions.nothing-before-acknowledgment",
                fmt::format("{} came before the subscription was acknowledged",
                            sighting.message.method().substr(0, 80)),
                {listen.request, sighting.event}, "/method");
    if (!is_tagged) return;
    listen.had_other_tagged = true;
    judge.broke("subscriptions.acknowledged-first",
                "the first message with the subscription's id is not the acknowledgment",
                {listen.request, sighting.event}, "/method");
  }

  void note_interleaving(const Listen& listen, const Sighting& sighting, Judge& judge) const {
    const bool is_between = std::any_of(listens_.begin(), listens_.end(), [&](const auto& entry) {
      const Listen& other = entry.second;
      return &other != &listen && !other.is_acknowledged && !other.is_over;
    });
    if (is_between) judge.held("subscriptions.stdio-interleaving", sighting.event);
  }

  // Over stdio, without a subscription's id: something that only a subscription brings, and that
  // one asks for.
  bool is_of_some_subscription(const wire::Message& notification) const {
    const std::string_view field = field_for(notification.method());
    return std::any_of(listens_.begin(), listens_.end(), [&](const auto& entry) {
      const Listen& listen = entry.second;
      if (notification.method() == kAcknowledged) return !listen.is_acknowledged && !listen.is_over;
      return !field.empty() && listen.asks_for(field);
    });
  }

  // `listen`: the one that it came for; null where that is not told.
  void judge_wanted(const Listen* listen, const Sighting& sighting, Judge& judge) const {
    const std::string_view method = sighting.message.method();
    const std::string_view field = field_for(method);
    if (field.empty()) return;
    // A filter that is malformed says nothing.
    if (listen != nullptr && listen->filter.is_null()) return;
    const bool is_wanted =
        listen != nullptr ? listen->asks_for(field)
                          : std::any_of(listens_.begin(), listens_.end(), [&](const auto& entry) {
                              return entry.second.filter.is_null() || entry.second.asks_for(field);
                            });
    if (is_wanted && listen == nullptr) return;
    judge.check("subscriptions.only-requested", is_wanted,
                listen != nullptr
                    ? fmt::format("{} came, which the filter of the subscription lacks", method)
                    : fmt::format("{} came, which no subscription asks for", method),
                sighting.event, "/method");
  }

  std::map<Id, Listen> listens_;
  // Two clients listen with one id, or one does twice: ids do not tell which is meant.
  bool has_shared_ids_ = false;
};

const MonitorRegistration<ListenMonitor> kListenMonitorRegistration;

}  // namespace
}  // namespace assay::harness
