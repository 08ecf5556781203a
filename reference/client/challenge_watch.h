// Sees where a server lets nobody in without a token, or without another one.
#pragma once

#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "reference/transport/observer.h"
#include "reference/wire/dpop.h"
#include "reference/wire/http_text.h"

namespace assay::client {

// Stands between an HTTP wire and its session. Thread safety: any thread may call any member.
class ChallengeWatch : public transport::Observer {
 public:
  struct Refusal {
    int status = 0;         // 401 or 403
    std::string challenge;  // WWW-Authenticate: all such fields as one, or the first alone
    std::string nonce;      // DPoP-Nonce
  };

  ChallengeWatch(transport::Observer& session, bool reads_all_fields)
      : session_(session), reads_all_fields_(reads_all_fields) {}

  void observe(const transport::Observation& observation) override {
    const bool is_refusal = observation.kind == transport::Observation::Kind::kHttpResponse &&
                            (observation.http->status == 401 || observation.http->status == 403);
    if (is_refusal) {
      std::string challenge = challenge_in(observation.http->headers);
      const auto nonce = transport::find_header(observation.http->headers, wire::kNonceField);
      const std::lock_guard lock(mutex_);
      refusal_ =
          Refusal{observation.http->status, std::move(challenge), std::string(nonce.value_or(""))};
    }
    const bool is_redirect = observation.kind == transport::Observation::Kind::kHttpResponse &&
                             (observation.http->status == 307 || observation.http->status == 308);
    if (is_redirect) {
      const auto place = transport::find_header(observation.http->headers, "Location");
      const std::lock_guard lock(mutex_);
      redirect_ = std::string(place.value_or(""));
    }
    session_.observe(observation);
  }
  bool is_full() const override { return session_.is_full(); }

  // The latest, once.
  std::optional<Refusal> take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(refusal_, std::nullopt);
  }
  // Where the server says that it is found now, once; empty if it does not.
  std::string take_redirect() {
    const std::lock_guard lock(mutex_);
    return std::exchange(redirect_, "");
  }

 private:
  std::string challenge_in(const transport::Headers& headers) const {
    std::string all;
    for (const auto& [name, value] : headers) {
      const bool is_it = wire::equals_without_case(name, "WWW-Authenticate");
      if (is_it && (all.empty() || reads_all_fields_)) all += (all.empty() ? "" : ", ") + value;
    }
    return all;
  }

  transport::Observer& session_;
  const bool reads_all_fields_;
  std::mutex mutex_;  // guards those below
  std::optional<Refusal> refusal_;
  std::string redirect_;
};

}  // namespace assay::client
