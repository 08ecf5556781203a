// Sees where a server lets nobody in without a token, or without another one.
#pragma once

#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "reference/transport/observer.h"

namespace assay::client {

// Stands between an HTTP wire and its session. Thread safety: any thread may call any member.
class ChallengeWatch : public transport::Observer {
 public:
  struct Refusal {
    int status = 0;         // 401 or 403
    std::string challenge;  // WWW-Authenticate
  };

  explicit ChallengeWatch(transport::Observer& session) : session_(session) {}

  void observe(const transport::Observation& observation) override {
    const bool is_refusal = observation.kind == transport::Observation::Kind::kHttpResponse &&
                            (observation.http->status == 401 || observation.http->status == 403);
    if (is_refusal) {
      const auto field = transport::find_header(observation.http->headers, "WWW-Authenticate");
      const std::lock_guard lock(mutex_);
      refusal_ = Refusal{observation.http->status, std::string(field.value_or(""))};
    }
    session_.observe(observation);
  }
  bool is_full() const override { return session_.is_full(); }

  // The latest, once.
  std::optional<Refusal> take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(refusal_, std::nullopt);
  }

 private:
  transport::Observer& session_;
  std::mutex mutex_;  // guards refusal_
  std::optional<Refusal> refusal_;
};

}  // namespace assay::client
