// A server that offers another revision than it is tested in, and breaks a rule before it does.
#include <gtest/gtest.h>

#include "harness/runner/runner.h"
#include "harness/script/scripted_peer_testing.h"
#include "scenarios/reference_target_testing.h"

namespace assay::scenarios {
namespace {

// As many servers from npm do: a banner on standard output, and a revision of some time ago.
TEST(OtherRevision, OnlyWhatItBrokeIsTold) {
  harness::CertifyOptions options;
  options.accesses = {harness::piped_target([](std::string_view bytes, transport::Pipe& pipe) {
    const auto decoded = wire::decode(bytes);
    const auto* message = std::get_if<wire::Message>(&decoded);
    if (message == nullptr || message->method() != "initialize") return;
    pipe.deliver("Server is running on stdio");
    pipe.deliver(wire::encode(wire::make_result(
        *message->id(), {{"protocolVersion", "2025-03-26"},
                         {"capabilities", Json::object()},
                         {"serverInfo", {{"name", "banner"}, {"version", "1"}}}})));
  })};
  options.revisions = {model::Revision::v2025_11_25};
  NoEvents events;
  const reports::Run run = harness::certify(options, events).runs.at(0);
  EXPECT_EQ(run.status, reports::RunStatus::kViolations);
  EXPECT_EQ(run.reason, "the server offered 2025-03-26 instead");
  ASSERT_EQ(run.verdicts.size(), 1u);
  EXPECT_EQ(run.verdicts.front().requirement, "stdio.stdout-only-messages");
}

}  // namespace
}  // namespace assay::scenarios
