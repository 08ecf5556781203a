// What a shard of a run holds, and what becomes of all of them.
#include <gtest/gtest.h>

#include <utility>
#include <variant>
#include <vector>

#include "harness/runner/runner_testing.h"
#include "harness/runner/scenario.h"
#include "harness/script/scripted_peer_testing.h"
#include "reference/wire/compose.h"
#include "reference/wire/message.h"
#include "reports/json.h"
#include "reports/merge.h"

namespace assay::harness {
namespace {

reports::Result certify_shard(const TargetAccess& access, CountingEvents& recorder,
                              reports::Shard shard = {}) {
  CertifyOptions options;
  options.accesses = {access};
  options.revisions = {model::Revision::v2025_11_25};
  options.patience = kShort;
  options.shard = shard;
  return certify(options, recorder);
}

SCENARIO(runner_test_asks_alone, judges({"ping.empty-result"}), own_session()) {
  Connection& connection = script.open_session();
  const Reply reply = connection.request("assay/one");
  script.check("ping.empty-result", reply.is_result() && reply.result().empty(), reply);
}

SCENARIO(runner_test_asks_once_more, judges({"pagination.invalid-cursor"}), own_session()) {
  Connection& connection = script.open_session();
  const Reply reply = connection.request("assay/two");
  script.check("pagination.invalid-cursor", reply.is_error(), reply);
}

TEST(Runner, EachScenarioIsInExactlyOneShard) {
  CountingEvents whole;
  const TargetAccess access = scripted_target([](const wire::Message& message, const auto& say) {
    if (message.id()) say(wire::encode(wire::make_result(*message.id(), Json::object())));
  });
  certify_shard(access, whole);
  for (const int total : {2, 3, 7}) {
    int planned = 0;
    for (int index = 1; index <= total; ++index) {
      CountingEvents part;
      certify_shard(access, part, {index, total});
      planned += part.planned;
    }
    EXPECT_EQ(planned, whole.planned) << total;
  }
}

// What is allowed to differ: when it was, and how long it took.
reports::Result timeless(reports::Result result) {
  result.started.clear();
  result.duration_ms = 0;
  for (auto& run : result.runs) {
    run.duration_ms = 0;
    run.cost = {};  // each shard has sessions of its own
    for (auto& verdict : run.verdicts) {
      verdict.duration_ms = 0;
      for (auto& evidence : verdict.evidence) evidence.at_ms = 0;
    }
  }
  return result;
}

TEST(Runner, ShardsGiveTheWholeAgain) {
  const TargetAccess access = scripted_target([](const wire::Message& message, const auto& say) {
    if (!message.id()) return;
    say(wire::encode(wire::make_result(
        *message.id(), message.method() == "assay/one" ? Json{{"x", 1}} : Json::object())));
  });
  CountingEvents recorder;
  const reports::Result whole = certify_shard(access, recorder);
  for (const int total : {2, 3, 5}) {
    std::vector<reports::Result> parts;
    for (int index = total; index >= 1; --index) {
      const auto part = reports::render_json(certify_shard(access, recorder, {index, total}));
      parts.push_back(std::get<reports::Result>(reports::parse_json(part)));
    }
    const auto merged = reports::merge(parts);
    ASSERT_TRUE(std::holds_alternative<reports::Result>(merged)) << std::get<std::string>(merged);
    EXPECT_EQ(reports::render_json(timeless(std::get<reports::Result>(merged))),
              reports::render_json(timeless(whole)))
        << total;
  }
  EXPECT_EQ(verdict_of(whole, "ping.empty-result").outcome, reports::Outcome::kViolated);
}

}  // namespace
}  // namespace assay::harness
