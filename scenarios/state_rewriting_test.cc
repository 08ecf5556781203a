#include "scenarios/state_rewriting.h"

#include <gtest/gtest.h>

#include <string>

#include "reference/wire/base64.h"
#include "reference/wire/pkce.h"

namespace assay::scenarios {
namespace {

std::string sum_of(const std::string& text) {
  return wire::s256_challenge(text);
}

TEST(StateRewriting, PutsAnotherNameInPlace) {
  EXPECT_EQ(state_renamed("user=alice", "alice", "bob"), "user=bob");
  EXPECT_EQ(state_renamed("616c696365", "alice", "bob"), "626f62");
  EXPECT_EQ(state_renamed(wire::encode_base64("{\"u\":\"alice\"}"), "alice", "bob"),
            wire::encode_base64("{\"u\":\"bob\"}"));
  EXPECT_EQ(state_renamed("c2VhbA.alice", "alice", "bob"), "c2VhbA.bob");
  EXPECT_EQ(state_renamed("nobody", "alice", "bob"), std::nullopt);
}

TEST(StateRewriting, MakesSumsAnew) {
  EXPECT_EQ(state_renamed("alice." + sum_of("alice"), "alice", "bob"), "bob." + sum_of("bob"));
  const std::string own = wire::encode_base64url("for alice");
  const std::string other = wire::encode_base64url("for bob");
  EXPECT_EQ(state_renamed(own + '.' + sum_of("for alice"), "alice", "bob"),
            other + '.' + sum_of("for bob"));
  EXPECT_EQ(state_renamed(own + '.' + sum_of(own), "alice", "bob"), other + '.' + sum_of(other));
  // SHA-256 of "alice" and of "bob".
  EXPECT_EQ(state_renamed("alice2bd806c97f0e00af1a1fc3328fa763a9269723c8db8fac4f93af71db186d6e90",
                          "alice", "bob"),
            "bob81b637d8fcd2c6da6359e6963113a1170de795e4b725b84d1e0b4cfd9ec58ce9");
}

}  // namespace
}  // namespace assay::scenarios
