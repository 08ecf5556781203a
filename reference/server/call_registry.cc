#include "reference/server/call_registry.h"

#include <utility>

#include "reference/server/call.h"

namespace assay::server {

bool CallRegistry::add(const std::shared_ptr<Call>& call) {
  const std::lock_guard lock(mutex_);
  if (calls_.size() >= most_ || calls_.contains(call->id())) return false;
  call->make_cancellable();
  return calls_.emplace(call->id(), call).second;
}

void CallRegistry::remove(const Call& call) {
  std::shared_ptr<Call> removed;  // destroyed without the lock: its round may finish a sink
  const std::lock_guard lock(mutex_);
  const auto found = calls_.find(call.id());
  if (found == calls_.end() || found->second.get() != &call) return;
  removed = std::move(found->second);
  calls_.erase(found);
}

std::shared_ptr<Call> CallRegistry::take(const wire::Id& id) {
  const std::lock_guard lock(mutex_);
  const auto found = calls_.find(id);
  if (found == calls_.end()) return nullptr;
  std::shared_ptr<Call> removed = std::move(found->second);
  calls_.erase(found);
  return removed;
}

void CallRegistry::cancel_all() {
  std::map<wire::Id, std::shared_ptr<Call>> removed;
  {
    const std::lock_guard lock(mutex_);
    removed.swap(calls_);
  }
  for (const auto& [id, call] : removed) call->cancel();
}

bool CallRegistry::is_empty() {
  const std::lock_guard lock(mutex_);
  return calls_.empty();
}

}  // namespace assay::server
