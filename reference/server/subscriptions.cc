#include "reference/server/subscriptions.h"

#include <algorithm>
#include <utility>

#include "reference/server/call.h"
#include "reference/server/era.h"
#include "reference/server/handlers.h"
#include "reference/wire/compose.h"

namespace assay::server {

bool SubscriptionFilter::wants(std::string_view method, const Json& params) const {
  if (is_ignored) return true;
  if (method == "notifications/tools/list_changed") return tools;
  if (method == "notifications/prompts/list_changed") return prompts;
  if (method == "notifications/resources/list_changed") return resources;
  if (method == "notifications/tasks") {
    const auto task = string_member(params, "taskId");
    return task && tasks.contains(*task);
  }
  const auto uri = string_member(params, "uri");
  return method == "notifications/resources/updated" && uri && uris.contains(*uri);
}

Json SubscriptionFilter::json() const {
  Json json = Json::object();
  if (tools) json["toolsListChanged"] = true;
  if (prompts) json["promptsListChanged"] = true;
  if (resources) json["resourcesListChanged"] = true;
  if (!uris.empty()) json["resourceSubscriptions"] = uris;
  if (!tasks.empty()) json["taskIds"] = tasks;
  return json;
}

void Subscription::begin(const std::function<bool()>& enter) {
  const std::lock_guard lock(mutex_);
  if (!enter()) return;
  send("notifications/subscriptions/acknowledged", {{"notifications", filter_.json()}});
}

void Subscription::tell(std::string_view method, const Json& params) {
  if (!filter_.wants(method, params)) return;
  const std::lock_guard lock(mutex_);
  if (!is_over_) send(method, params);
}

void Subscription::end() {
  const std::lock_guard lock(mutex_);
  if (std::exchange(is_over_, true)) return;
  send("notifications/cancelled",
       {{"requestId", wire::to_json(call_->id())}, {"reason", "The server ends the subscription"}});
  call_->answer(Json{{"_meta", {{kSubscriptionIdKey, wire::to_json(call_->id())}}}});
  on_end_(*call_);
}

void Subscription::cancel() {
  const std::lock_guard lock(mutex_);
  is_over_ = true;
}

void Subscription::send(std::string_view method, Json params) {
  params["_meta"][kSubscriptionIdKey] = wire::to_json(call_->id());
  call_->sink()->send({transport::Outgoing::Kind::kNotification,
                       wire::encode(wire::make_notification(method, std::move(params)))});
}

bool Subscriptions::add(const void* owner, const std::shared_ptr<Subscription>& subscription) {
  bool is_added = false;
  subscription->begin([&] {
    const std::lock_guard lock(mutex_);
    is_added = entries_.size() < most_;
    if (is_added) entries_.push_back({owner, subscription});
    return is_added;
  });
  return is_added;
}

void Subscriptions::cancel(const Call& call) {
  for (const Entry& entry :
       take([&](const Entry& entry) { return &entry.subscription->call() == &call; })) {
    entry.subscription->cancel();
  }
}

void Subscriptions::tell(std::string_view method, const Json& params) {
  std::vector<Entry> entries;
  {
    const std::lock_guard lock(mutex_);
    entries = entries_;
  }
  for (const Entry& entry : entries) entry.subscription->tell(method, params);
}

void Subscriptions::end(const void* owner) {
  for (const Entry& entry : take([&](const Entry& entry) { return entry.owner == owner; })) {
    entry.subscription->end();
  }
}

void Subscriptions::end_of(const Json& id) {
  const auto has_id = [&](const Entry& entry) {
    return wire::to_json(entry.subscription->call().id()) == id;
  };
  for (const Entry& entry : take(has_id)) entry.subscription->end();
}

template <typename Wanted>
std::vector<Subscriptions::Entry> Subscriptions::take(const Wanted& is_wanted) {
  std::vector<Entry> taken;
  const std::lock_guard lock(mutex_);
  const auto kept = std::stable_partition(entries_.begin(), entries_.end(),
                                          [&](const Entry& entry) { return !is_wanted(entry); });
  std::move(kept, entries_.end(), std::back_inserter(taken));
  entries_.erase(kept, entries_.end());
  return taken;
}

}  // namespace assay::server
