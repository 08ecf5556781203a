// Who is told what of a server that answers `initialize` with no result.
#include "harness/runner/refusal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "harness/runner/runner.h"
#include "harness/script/scripted_peer_testing.h"
#include "reference/wire/compose.h"
#include "reference/wire/message.h"

namespace assay::harness {
namespace {

using reports::RunStatus;
using ::testing::HasSubstr;

class Nobody : public reports::Events {
 public:
  void run_started(const reports::PlanSize&) override {}
  void scenario_finished(const reports::RunKey&, const std::string&, std::int64_t) override {}
  void verdict(const reports::RunKey&, const reports::Verdict&) override {}
  void run_finished(const reports::Result&) override {}
};

// The answer to a request, made by `answer`; null for none.
using Answering = std::function<Json(const wire::Message& request)>;

TargetAccess answering(Answering answer) {
  return piped_target([answer = std::move(answer)](std::string_view bytes, transport::Pipe& pipe) {
    const auto decoded = wire::decode(bytes.substr(0, bytes.find('\n')));
    const auto* message = std::get_if<wire::Message>(&decoded);
    if (message == nullptr || !message->id()) return;
    const Json reply = answer(*message);
    if (!reply.is_null()) pipe.deliver(wire::encode(reply));
  });
}

reports::Run certify_answering(const TargetAccess& access) {
  CertifyOptions options;
  options.accesses = {access};
  options.revisions = {model::Revision::v2025_11_25};
  options.patience = {std::chrono::milliseconds(200), std::chrono::milliseconds(40),
                      std::chrono::milliseconds(100)};
  Nobody events;
  return certify(options, events).runs.at(0);
}

bool is_accused(const reports::Run& run) {
  return std::any_of(run.verdicts.begin(), run.verdicts.end(), [](const auto& verdict) {
    return verdict.outcome == reports::Outcome::kViolated;
  });
}

Json not_found(const wire::Message& request) {
  return wire::make_error(*request.id(), wire::kMethodNotFound, "Method not found");
}

TEST(Refusal, AServerOfAnotherEraIsNotAccused) {
  const auto run = certify_answering(answering([](const wire::Message& request) {
    if (request.method() != "server/discover") return not_found(request);
    const Json& meta = request.params()["_meta"];
    EXPECT_EQ(meta["io.modelcontextprotocol/protocolVersion"], "2026-07-28");
    return wire::make_result(*request.id(), {{"resultType", "complete"},
                                             {"supportedVersions", {"2026-07-28"}},
                                             {"capabilities", Json::object()}});
  }));
  EXPECT_EQ(run.status, RunStatus::kUnsupported);
  EXPECT_THAT(run.reason, HasSubstr("the server speaks 2026-07-28"));
  EXPECT_FALSE(is_accused(run));
}

TEST(Refusal, SoIsOneOfALaterVersionOfThatEra) {
  const auto run = certify_answering(answering([](const wire::Message& request) {
    if (request.method() != "server/discover") return not_found(request);
    return wire::make_error(*request.id(), -32022, "Unsupported protocol version",
                            {{"supported", {"2027-01-01"}}, {"requested", "2026-07-28"}});
  }));
  EXPECT_EQ(run.status, RunStatus::kUnsupported);
  EXPECT_THAT(run.reason, HasSubstr("the server speaks 2027-01-01"));
  EXPECT_FALSE(is_accused(run));
}

TEST(Refusal, WhoNamesItsVersionsInTheErrorIsBelieved) {
  const auto run = certify_answering(answering([](const wire::Message& request) {
    if (request.method() != "initialize") return Json();
    return wire::make_error(*request.id(), wire::kMethodNotFound, "Method not found",
                            {{"supported", {"2026-07-28"}}});
  }));
  EXPECT_EQ(run.status, RunStatus::kUnsupported);
  EXPECT_THAT(run.reason, HasSubstr("it names 2026-07-28"));
  EXPECT_FALSE(is_accused(run));
}

TEST(Refusal, WhoKnowsNeitherBeginningIsAccused) {
  const auto run = certify_answering(answering(not_found));
  EXPECT_EQ(run.status, RunStatus::kViolations);
  EXPECT_TRUE(is_accused(run));
}

TEST(Refusal, WhoDoesNotAnswerTheProbeIsNotAccused) {
  const auto run = certify_answering(answering([](const wire::Message& request) {
    return request.method() == "initialize" ? not_found(request) : Json();
  }));
  EXPECT_EQ(run.status, RunStatus::kUnsupported);
  EXPECT_FALSE(is_accused(run));
}

TEST(Refusal, AnErrorThatIsNotAboutTheVersionIsNoLackOfSupport) {
  const auto run = certify_answering(answering([](const wire::Message& request) {
    return wire::make_error(*request.id(), wire::kInternalError, "the database is away");
  }));
  EXPECT_EQ(run.status, RunStatus::kFailed);
  EXPECT_THAT(run.reason, HasSubstr("error -32603: \"the database is away\""));
  EXPECT_FALSE(is_accused(run));
}

}  // namespace
}  // namespace assay::harness
