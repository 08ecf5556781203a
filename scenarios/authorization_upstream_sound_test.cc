// Servers that ask an API on behalf of their clients, and pass no token on, are not accused; and
// what proves nothing about them is not taken for a proof.
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "reference/server/faults/tokens.h"
#include "reference/transport/http_fetch.h"
#include "reference/wire/message.h"
#include "scenarios/authorization_sound_testing.h"

namespace assay::scenarios {
namespace {

using model::Revision;
using reports::Outcome;
using transport::HttpHead;
using transport::HttpReply;

bool stays_with_the_server(std::string_view scenario) {
  return scenario == "authorization_tokens_stay_with_the_server";
}

void ask(const std::string& url, transport::Headers headers) {
  transport::HttpMessage message;
  message.method = "GET";
  message.headers = std::move(headers);
  transport::fetch(url, std::move(message), std::chrono::seconds(5));
}

// The API is asked who shows a token, by a path that only its author knows.
class TokenCheck {
 public:
  void ask_at(const std::string& url) {
    const std::lock_guard lock(mutex_);
    url_ = url;
  }
  void check(const HttpHead& request, std::string_view path = "/whoami") {
    const auto shown = server::credentials_of(request);
    const std::lock_guard lock(mutex_);
    if (!shown || url_.empty()) return;
    ask(url_ + std::string(path), {{"Authorization", *shown}});
  }

 private:
  std::mutex mutex_;  // guards the one below
  std::string url_;
};

// Who asks the API about every token passes none on.
TEST(Authorization, WhoChecksTokensByTheApiIsNotBlamed) {
  static TokenCheck check;
  server::Fault always = behaviour_of(nullptr);
  always.mishears = [](const Json&, HttpHead& request) { check.check(request); };
  server::Fault by_calls = behaviour_of(nullptr);
  by_calls.mishears = [](const Json& body, HttpHead& request) {
    if (server::method_of(body) == "tools/call") check.check(request);
  };
  for (server::Fault* behaviour : std::vector<server::Fault*>{&always, &by_calls}) {
    behaviour->needs_upstream = true;
    const ReferenceOverHttp trusting(ReferenceOverHttp::Trusting{.has_upstream = true},
                                     {behaviour});
    const ReferenceOverHttp told({}, ReferenceOverHttp::Answers::kAuto, {behaviour}, "127.0.0.1",
                                 true);
    for (const harness::TargetAccess& access :
         {trusting.http_with_issuer(), told.http_with(reference_tokens())}) {
      check.ask_at(access.upstream->url());
      const auto found =
          outcomes(access, {Revision::v2025_11_25, Revision::v2026_07_28}, stays_with_the_server);
      check.ask_at("");
      EXPECT_EQ(rules_with(found, Outcome::kViolated), std::set<std::string>{});
    }
  }
}

// Who has the API shown the token where nothing needs the API, and calls it with a key of its own,
// may check the token so, or pass it on: nobody is blamed, and nothing is credited.
TEST(Authorization, ATokenThatIsShownBesideTheCallsProvesNothing) {
  static TokenCheck check;
  constexpr const char* kPassedOn = "authorization.no-token-passthrough";
  constexpr const char* kForwarded = "authorization.other-tokens-not-forwarded";
  const auto outcomes_of = [](void (*mishears)(const Json&, HttpHead&)) {
    server::Fault behaviour = behaviour_of(nullptr);
    behaviour.mishears = mishears;
    const ReferenceOverHttp reference(ReferenceOverHttp::Trusting{.has_upstream = true},
                                      {&behaviour});
    const harness::TargetAccess access = reference.http_with_issuer();
    check.ask_at(access.upstream->url());
    const auto found = outcomes(access, {Revision::v2025_11_25}, stays_with_the_server);
    check.ask_at("");
    return found;
  };
  const auto at_opening = outcomes_of([](const Json& body, HttpHead& request) {
    if (server::method_of(body) == "initialize") check.check(request, "/v1/session-of-a-user");
  });
  EXPECT_EQ(at_opening.at(kPassedOn), std::set<Outcome>{Outcome::kInconclusive});
  const auto at_list = outcomes_of([](const Json& body, HttpHead& request) {
    if (server::method_of(body) == "tools/list") check.check(request, "/tools");
  });
  EXPECT_EQ(at_list.at(kPassedOn), std::set<Outcome>{Outcome::kInconclusive});
  EXPECT_EQ(at_list.at(kForwarded), std::set<Outcome>{Outcome::kInconclusive});
  // It is about the token in any case.
  const auto by_introspection = outcomes_of([](const Json& body, HttpHead& request) {
    if (server::method_of(body) == "tools/list") check.check(request, "/introspect");
  });
  EXPECT_EQ(by_introspection.at(kPassedOn), std::set<Outcome>{Outcome::kSatisfied});
}

// A request that comes once, and not again when the same is done, may be another's.
TEST(Authorization, OneRequestToTheApiProvesNothing) {
  static std::mutex mutex;
  static std::string url;  // guarded by it; empty once it was asked
  server::Fault behaviour = behaviour_of(nullptr);
  behaviour.mishears = [](const Json& body, HttpHead&) {
    const std::lock_guard lock(mutex);
    const bool is_call = server::method_of(body) == "tools/call" && !url.empty() &&
                         body["params"].value("name", "") == server::kScopedTool;
    if (is_call) ask(std::exchange(url, ""), {});
  };
  const ReferenceOverHttp reference(ReferenceOverHttp::Trusting{}, {&behaviour});
  harness::TargetAccess access = reference.http_with_issuer();
  access.upstream = std::make_shared<harness::Upstream>();
  ASSERT_EQ(access.upstream->start(), std::nullopt);
  url = access.upstream->url() + "/v1/once";
  const auto found = outcomes(access, {Revision::v2025_11_25}, stays_with_the_server);
  EXPECT_EQ(access.upstream->count(), 1u);
  EXPECT_EQ(found.at("authorization.no-token-passthrough"),
            std::set<Outcome>{Outcome::kInconclusive});
}

// What reached the API with another token of ours is not said to be nothing.
TEST(Authorization, WhatReachedTheApiWithOurTokenIsNotDenied) {
  const server::Fault* const fault = server::find_fault("token-passed-on");
  const ReferenceOverHttp reference(ReferenceOverHttp::Trusting{.has_upstream = true}, {fault});
  harness::CertifyOptions options;
  options.revisions = {Revision::v2025_11_25};
  options.accesses = {reference.http_with_issuer()};
  options.wants = stays_with_the_server;
  NoEvents events;
  bool was_said = false;
  for (const reports::Run& run : harness::certify(options, events).runs) {
    for (const reports::Verdict& verdict : run.verdicts) {
      if (verdict.requirement != "authorization.other-tokens-not-forwarded") continue;
      EXPECT_EQ(verdict.outcome, Outcome::kNotExercised);
      was_said = verdict.detail.find("another token of ours") != verdict.detail.npos;
    }
  }
  EXPECT_TRUE(was_said);
}

}  // namespace
}  // namespace assay::scenarios
