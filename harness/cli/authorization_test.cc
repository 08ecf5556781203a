// What the command line of `authorization` takes, and what it ends with.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "harness/cli/command_line_testing.h"
#include "harness/frame/command.h"
#include "reference/authorization/fault.h"
#include "reference/authorization/hosted.h"
#include "reference/authorization/jws.h"

namespace assay::cli {
namespace {

using ::testing::HasSubstr;

Outcome run_authorization(std::vector<std::string> words) {
  words.insert(words.begin(), "authorization");
  return run_captured(words);
}

std::string start_reference(authorization::HostedServer& server, const char* fault = nullptr) {
  const auto trouble = server.start([&](const std::string& origin) {
    authorization::Knobs knobs = authorization::sound_knobs(origin);
    if (fault != nullptr) authorization::find_fault(fault)->spoil(knobs);
    return knobs;
  });
  EXPECT_EQ(trouble, std::nullopt);
  return server.origin();
}

TEST(Authorization, CertifiesASoundServer) {
  authorization::HostedServer server;
  const Outcome ending = run_authorization({"--url", start_reference(server)});
  EXPECT_EQ(ending.status, kConformant) << ending.err;
  EXPECT_THAT(ending.out, HasSubstr("Conformant in 3 runs;"));
}

TEST(Authorization, EndsWithOneWhereARuleIsBroken) {
  authorization::HostedServer server;
  const std::string url = start_reference(server, "as-token-without-verifier");
  const Outcome ending = run_authorization({"--url", url, "--revision", "2025-11-25"});
  EXPECT_EQ(ending.status, kViolations) << ending.err;
  EXPECT_THAT(ending.out, HasSubstr("authorization.oauth21-authorization-server"));
}

TEST(Authorization, TellsOfDraftsAsAdviceUnlessTheyBind) {
  authorization::HostedServer server;
  const std::string url = start_reference(server, "as-client-jwt-expired");
  const std::vector<std::string> words = {"--url", url, "--revision", "2026-07-28"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), words.begin(), words.end());
    return run_authorization(more);
  };
  constexpr const char* kRule = "ext-oauth-client-credentials.assertions-checked";
  EXPECT_THAT(with({}).out, ::testing::Not(HasSubstr(kRule)));
  const Outcome advice = with({"--extension", "oauth-client-credentials"});
  EXPECT_EQ(advice.status, kConformant) << advice.err;
  EXPECT_THAT(advice.out, HasSubstr(kRule));
  EXPECT_EQ(with({"--extension", "oauth-client-credentials", "--drafts"}).status, kViolations);
  // Who names a scenario asks for its extension.
  EXPECT_EQ(with({"--scenario", "authority_checks_jwts_of_clients", "--drafts"}).status,
            kViolations);
}

TEST(Authorization, TakesThePlaceOfAnIdentityProvider) {
  constexpr const char* kIssuer = "https://idp.assay.invalid/acme";
  const authorization::SigningKey key(authorization::Signing::kEs256);
  const std::string path = testing::TempDir() + "/key-of-an-identity-provider.pem";
  std::ofstream(path) << key.private_pem();
  for (const char* fault : {"", "as-grant-expired"}) {
    authorization::HostedServer server;
    server.start([&](const std::string& origin) {
      authorization::Knobs knobs = authorization::sound_knobs(origin);
      knobs.trusted = {{kIssuer, authorization::VerifyingKey::read(key.jwk())}};
      if (*fault != '\0') authorization::find_fault(fault)->spoil(knobs);
      return knobs;
    });
    const Outcome ending = run_authorization({"--url", server.origin(), "--revision", "2026-07-28",
                                              "--idp", kIssuer, "--idp-key", path, "--drafts",
                                              "--scenario", "authority_checks_identity_grants"});
    EXPECT_EQ(ending.status, *fault == '\0' ? kConformant : kViolations) << ending.out;
    EXPECT_THAT(ending.out, HasSubstr("4 of "));
  }
  std::filesystem::remove(path);
}

TEST(Authorization, SaysWhatIsWrongWithTheOptions) {
  EXPECT_EQ(run_authorization({}).status, kUsage);
  for (const std::vector<std::string>& more : std::vector<std::vector<std::string>>{
           {"--client-key", "key.pem"},
           {"--client-id", "c", "--client-key", "/nonexistent/key.pem"},
           {"--idp-key", "key.pem"},
           {"--idp", "https://idp.example"},
           {"--idp", "https://idp.example", "--idp-key", "/nonexistent/key.pem"},
           {"--idp", "no url"},
           {"--extension", "oauth-client-credential"}}) {
    std::vector<std::string> words = {"--url", "http://127.0.0.1:1"};
    words.insert(words.end(), more.begin(), more.end());
    EXPECT_EQ(run_authorization(words).status, kUsage) << more.front() << " " << more.back();
  }
  EXPECT_EQ(run_authorization({"--url", "no url"}).status, kUsage);
  for (const char* behind : {"/.well-known/openid-configuration", "/?a=b", "/#there"}) {
    const Outcome ending = run_authorization({"--url", "http://127.0.0.1:1" + std::string(behind)});
    EXPECT_EQ(ending.status, kUsage) << behind;
    EXPECT_THAT(ending.err, HasSubstr("issuer")) << behind;
  }
  const Outcome old =
      run_authorization({"--url", "http://127.0.0.1:1", "--revision", "2025-03-26"});
  EXPECT_EQ(old.status, kUsage);
  EXPECT_THAT(old.err, HasSubstr("2025-03-26 has no rules for authorization servers"));
}

}  // namespace
}  // namespace assay::cli
