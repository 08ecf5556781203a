// The requests of the client's that are not answered yet, so that they can be cancelled.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>

#include "reference/wire/id.h"

namespace assay::server {

class Call;

// Thread safety: any thread may call any member.
class CallRegistry {
 public:
  explicit CallRegistry(std::size_t most) : most_(most) {}

  // False when too many are under way, or one of the same id is.
  [[nodiscard]] bool add(const std::shared_ptr<Call>& call);
  void remove(const Call& call);
  // Forgets the call of that id and returns it; null if there is none.
  std::shared_ptr<Call> take(const wire::Id& id);
  void cancel_all();
  bool is_empty();

 private:
  const std::size_t most_;
  std::mutex mutex_;  // guards calls_
  std::map<wire::Id, std::shared_ptr<Call>> calls_;
};

}  // namespace assay::server
