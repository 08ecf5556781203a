#include "harness/script/script.h"

#include <gtest/gtest.h>

#include "harness/script/scripted_peer_testing.h"
#include "reference/wire/message.h"

namespace assay::harness {
namespace {

constexpr Patience kScriptPatience{std::chrono::milliseconds(2000), std::chrono::milliseconds(50),
                                   std::chrono::milliseconds(100)};

// Answers a ping, and anything else with more than a connection may hold.
TargetAccess flooding_target() {
  return scripted_target([](const wire::Message& message, const auto& say) {
    if (message.method() != "tools/call") return;
    for (int i = 0; i < 60; ++i) say(std::string(1u << 20, 'x'));
  });
}

TEST(Script, WhatFollowsAFloodIsInconclusiveAndSaysSo) {
  const TargetAccess access = flooding_target();
  const RunContext run{access, model::Revision::v2025_11_25, kScriptPatience, {}, {}, {}};
  Script script(run, "test", nullptr);
  script.check("ping.answered", true, script.request("ping"));
  const Reply reply = script.request("tools/call", {{"name", "flood"}});
  EXPECT_EQ(reply.kind(), Reply::Kind::kCutOff);
  script.check("tools.input-schema-object", !reply.is_result(), reply);
  script.check("tools.input-schema-object", reply.is_result(), reply, "a call succeeded");
  script.not_exercised("tools.input-schema-object", "nothing to call");
  const Findings findings = script.take_findings();
  ASSERT_EQ(findings.size(), 4u);
  EXPECT_EQ(findings[0].kind, Finding::Kind::kHeld);
  for (std::size_t i = 1; i < findings.size(); ++i) {
    EXPECT_EQ(findings[i].kind, Finding::Kind::kUnclear);
    EXPECT_NE(findings[i].detail.find("was not read"), std::string::npos) << findings[i].detail;
  }
}

TEST(Script, SaysWithHowManySpecimensARuleWasTried) {
  const TargetAccess access = flooding_target();
  const RunContext run{access, model::Revision::v2025_11_25, kScriptPatience, {}, {}, {}};
  Script script(run, "test", nullptr);
  const Reply reply = script.request("ping");
  script.check("ping.answered", true, reply);
  script.check("ping.answered", false, reply, "a ping was refused");
  script.check("jsonrpc.response-id", true, reply);
  script.tried({"ping.answered"}, 2, "pings");
  const Findings findings = script.take_findings();
  ASSERT_EQ(findings.size(), 3u);
  EXPECT_EQ(findings[0].detail, "tried with 2 pings");
  EXPECT_EQ(findings[1].detail, "a ping was refused (one of 2 pings that were tried)");
  EXPECT_EQ(findings[2].detail, "");
}

}  // namespace
}  // namespace assay::harness
