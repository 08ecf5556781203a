// What a client may give for a form: a sound value in another spelling is no misfit.
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "scenarios/sound_clients_testing.h"

namespace assay::scenarios {
namespace {

using harness::Finding;
using model::Revision;

const std::set<std::string> kValidates = {"elicitation.client-validates"};

// What is said of a client that gives this age in the form that takes 18, 19 and 20.
std::set<std::string> told_of_age(const std::string& age, Finding::Kind kind) {
  harness::Traffic traffic(Revision::v2025_11_25);
  traffic.handshake(Json::object(), {{"elicitation", Json::object()}});
  traffic.came(R"({"jsonrpc":"2.0","id":"assay-narrow-form","method":"elicitation/create"})");
  traffic.sent(
      R"({"jsonrpc":"2.0","id":"assay-narrow-form","result":{"action":"accept","content":{"age":)" +
      age + R"(,"colour":"red","email":"a@example.com","agreed":true}}})");
  return told("server-elicits-narrowly", Revision::v2025_11_25, traffic, kind);
}

// JSON Schema takes a number with a fraction of zero for an integer.
TEST(SoundForms, MayHaveAnIntegerWithAFractionOfZero) {
  EXPECT_EQ(told_of_age("18.0", Finding::Kind::kHeld), kValidates);
  EXPECT_EQ(told_of_age("2e1", Finding::Kind::kHeld), kValidates);
}

TEST(SoundForms, HaveNoOtherAge) {
  for (const char* age : {"18.5", "17.0", "21.0", "\"18\"", "null"}) {
    EXPECT_EQ(told_of_age(age, Finding::Kind::kBroke), kValidates) << age;
  }
}

}  // namespace
}  // namespace assay::scenarios
