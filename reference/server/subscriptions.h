// Who listens to changes: the streams that `subscriptions/listen` has opened, of every client.
//
// Specification: basic/patterns/subscriptions (since 2026-07-28).
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "reference/wire/json.h"

namespace assay::server {

class Call;

// What one listener wants to be told of.
struct SubscriptionFilter {
  bool is_ignored = false;  // everything is wanted
  bool tools = false;
  bool prompts = false;
  bool resources = false;
  std::set<std::string> uris;
  std::set<std::string> tasks;  // of the extension, by id

  bool wants(std::string_view method, const Json& params) const;
  // As the acknowledgement says it.
  Json json() const;
};

// Thread safety: any thread may call any member. Nothing is sent once it is over.
class Subscription {
 public:
  // `on_end` is called when the server has ended it.
  Subscription(std::shared_ptr<Call> call, SubscriptionFilter filter,
               std::function<void(const Call&)> on_end)
      : call_(std::move(call)), filter_(std::move(filter)), on_end_(std::move(on_end)) {}

  const Call& call() const { return *call_; }
  // Acknowledges. What is told meanwhile waits.
  void begin(const std::function<bool()>& enter);
  void tell(std::string_view method, const Json& params);
  // The server ends it: says so, and answers the request.
  void end();
  // The client has ended it.
  void cancel();

 private:
  void send(std::string_view method, Json params);  // with mutex_ held

  const std::shared_ptr<Call> call_;
  const SubscriptionFilter filter_;
  const std::function<void(const Call&)> on_end_;
  std::mutex mutex_;  // guards is_over_ and the order of what is sent
  bool is_over_ = false;
};

// Thread safety: any thread may call any member.
class Subscriptions {
 public:
  explicit Subscriptions(std::size_t most) : most_(most) {}

  // Acknowledges it, and from then on tells it of changes. False when there are too many. `owner`
  // is whose end() ends it.
  [[nodiscard]] bool add(const void* owner, const std::shared_ptr<Subscription>& subscription);
  // The client has cancelled that call; nothing happens if it is none of these.
  void cancel(const Call& call);
  void tell(std::string_view method, const Json& params);
  // Ends those of the owner, and those of an id.
  void end(const void* owner);
  void end_of(const Json& id);

 private:
  struct Entry {
    const void* owner = nullptr;
    std::shared_ptr<Subscription> subscription;
  };
  template <typename Wanted>
  std::vector<Entry> take(const Wanted& is_wanted);

  const std::size_t most_;
  std::mutex mutex_;  // guards entries_
  std::vector<Entry> entries_;
};

}  // namespace assay::server
