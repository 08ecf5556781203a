// A server that knows nothing of server/discover: a client of both eras falls back to initialize,
// whatever the error is.
//
// Specification of 2026-07-28: basic/transports/stdio, "Backward Compatibility".
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "harness/host/play.h"
#include "harness/host/review.h"
#include "harness/runner/client_scenario.h"
#include "scenarios/clients/hosted_tools.h"

namespace assay::scenarios {
namespace {

using catalogue::RequirementId;
using harness::ClientScenarioRegistration;
using harness::Play;
using harness::Review;
using harness::Said;
using harness::Visit;

// Play::has_succeeded() of the first says whether the client speaks both eras.
constexpr std::string_view kOlderTopic = "older-servers";
constexpr std::int64_t kNotInitialized = -32000;

class OlderServerPlay : public Play {
 public:
  explicit OlderServerPlay(std::int64_t code) : code_(code) {}

  std::optional<std::string> begin(const harness::Venue& venue) override {
    fell_back_before_ = venue.has_succeeded;
    return std::nullopt;
  }
  void on_message(Visit& visit) override {
    if (visit.message().kind() != wire::MessageKind::kRequest) return;
    if (visit.is_request("initialize")) {
      has_fallen_back_ = true;
      return visit.refuse(wire::kInternalError, "This server has seen enough");
    }
    visit.refuse(code_, "Server not initialized");
  }
  bool has_succeeded() const override { return has_fallen_back_; }

  void review(Review& review) override {
    constexpr RequirementId kRule = "stdio.era-fallback-any-error";
    const auto probes = review.requests("server/discover");
    const auto refusal = probes.empty() ? std::nullopt : review.reply_to(probes.front());
    if (!refusal) {
      review.not_exercised(kRule, "the client did not ask for server/discover");
    } else if (has_fallen_back_) {
      review.held(kRule, refusal->event);
    } else if (fell_back_before_) {
      review.broke(
          kRule,
          "the client falls back to initialize behind the error -32601, and did not behind "
          "another",
          {probes.front().event, refusal->event}, "/error/code", true);
    } else {
      review.not_exercised(kRule, "the client does not fall back to initialize");
    }
  }

 private:
  const std::int64_t code_;
  bool fell_back_before_ = false;
  bool has_fallen_back_ = false;
};

std::unique_ptr<Play> make_unknowing() {
  return std::make_unique<OlderServerPlay>(wire::kMethodNotFound);
}
std::unique_ptr<Play> make_refusing() {
  return std::make_unique<OlderServerPlay>(kNotInitialized);
}

bool meets_older_servers(model::Revision revision) {
  return !revision.has_handshake();
}

const ClientScenarioRegistration kUnknowing(
    {.name = "older-server",
     .task = "connects to a server that knows no server/discover, and falls back to initialize",
     .requirements = {"stdio.era-fallback-any-error"},
     .make = make_unknowing,
     .concerns = meets_older_servers,
     .transports = {harness::TransportKind::kStdio},
     .may_fail = true,
     .topic = kOlderTopic});

const ClientScenarioRegistration kRefusing(
    {.name = "older-server-refuses",
     .task = "connects to a server that answers server/discover with another error, and falls back "
             "to initialize",
     .requirements = {"stdio.era-fallback-any-error"},
     .make = make_refusing,
     .concerns = meets_older_servers,
     .transports = {harness::TransportKind::kStdio},
     .may_fail = true,
     .topic = kOlderTopic});

// The first thing that a client asks shows whether it probes.
class ProbePlay : public Play {
 public:
  void on_result(const wire::Message& request, Json& result) override {
    list_little(request, result);
  }
  void review(Review& review) override {
    constexpr RequirementId kRule = "stdio.modern-client-probes";
    for (const Said& said : review.client()) {
      if (said.message.kind() != wire::MessageKind::kRequest) continue;
      // Who begins with initialize speaks both eras, and is not meant.
      if (said.message.method() == "initialize") break;
      review.check(kRule, said.message.method() == "server/discover",
                   "the client asked for something before server/discover", {said.event},
                   "/method");
      return;
    }
    review.not_exercised(kRule, "the client asked for nothing");
  }
};

const ClientScenarioRegistration kProbe({.name = "server-probed",
                                         .task = "asks for server/discover, and lists the tools",
                                         .requirements = {"stdio.modern-client-probes"},
                                         .make = harness::make_play<ProbePlay>,
                                         .concerns = meets_older_servers,
                                         .transports = {harness::TransportKind::kStdio}});

}  // namespace
}  // namespace assay::scenarios
