// A server that gives up on its user is not taken for one that took an answer from somebody else.
#include "scenarios/elicitation_calls.h"

#include <gtest/gtest.h>

#include <chrono>

#include "scenarios/reference_target_testing.h"

namespace assay::scenarios {
namespace {

// How a call looks that another client answered, or that ended by itself: before its user said
// anything. `patience`: how long the server waits for its user.
Taken taken_where_it_ended_early(std::chrono::milliseconds patience) {
  server::Options options;
  options.client_timeout = patience;
  const ReferenceOverHttp reference(options);
  const auto connection =
      harness::connect(reference.http(), model::Revision::v2025_11_25, harness::Patience(), {});
  EXPECT_FALSE(connection->open());
  EXPECT_TRUE(connection->begin().is_result());
  const harness::ToolUse tool{"test_elicitation", {{"message", "Please answer"}}};
  EndOfQuestion early;
  early.is_early = true;
  early.took = std::chrono::milliseconds(5);
  return taken_from_another(*connection, tool, EndOfQuestion(), early);
}

TEST(TakenFromAnother, IsUnclearWhereTheCallEndsByItself) {
  EXPECT_EQ(taken_where_it_ended_early(std::chrono::milliseconds(1)), Taken::kUnclear);
}

TEST(TakenFromAnother, IsCertainWhereTheCallWaits) {
  EXPECT_EQ(taken_where_it_ended_early(std::chrono::minutes(1)), Taken::kYes);
}

}  // namespace
}  // namespace assay::scenarios
