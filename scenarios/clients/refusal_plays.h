// Plays in which a client may not go on: what comes back is no answer to its request, or is of
// somebody else.
//
// Specification: basic/authorization, "Open Redirection" (2025-06-18 and later); 2026-07-28:
// "Authorization Response Validation", and basic/authorization/authorization-server-discovery.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "scenarios/clients/login_play.h"

namespace assay::scenarios {

// The authorization request was answered with a code.
inline const LoginStep* answered_request(const LoginReview& login) {
  for (const LoginStep* step : login.all(LoginStep::Kind::kAuthorize)) {
    if (step->status() == 302) return step;
  }
  return nullptr;
}

// What an authorization response says that a client must not take for an answer to its request.
class ResponsePlay : public LoginPlay {
 public:
  ResponsePlay(std::vector<catalogue::RequirementId> rules, std::string detail,
               void (*change)(authorization::Knobs&, const std::string& origin))
      : LoginPlay({}), rules_(std::move(rules)), detail_(std::move(detail)), change_(change) {}

 protected:
  authorization::Knobs furnish(const std::string& origin) const override {
    authorization::Knobs knobs;
    change_(knobs, origin);
    return knobs;
  }
  void judge(LoginReview& login) override {
    const LoginStep* request = answered_request(login);
    if (request == nullptr) return;
    const LoginStep* redeemed = nullptr;
    for (const LoginStep* step : login.all(LoginStep::Kind::kToken)) {
      if (step->has("code")) redeemed = step;
    }
    login.check_refused(rules_, *request, redeemed, detail_);
  }

 private:
  const std::vector<catalogue::RequirementId> rules_;
  const std::string detail_;
  void (*const change_)(authorization::Knobs&, const std::string& origin);
};

}  // namespace assay::scenarios
