// Certifies the reference authorization server by the drafts about tokens without a person: what it
// may do otherwise than most, and what is told of it.
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <set>
#include <string>

#include "scenarios/authority_mutation_testing.h"

namespace assay::scenarios {
namespace {

using reports::Outcome;

// Each rule of the drafts is kept, and seen to be kept; and what they demand is told as advice.
TEST(Authority, KeepsTheDraftsThatAreAskedFor) {
  for (const bool binds : {false, true}) {
    const auto result = certify_with_drafts(
        nullptr, [&](harness::CertifyAuthorityOptions& options) { options.binds_drafts = binds; });
    const reports::Run& run = result.runs.back();
    EXPECT_EQ(run.status, reports::RunStatus::kConformant) << run.reason;
    EXPECT_EQ(run.extensions.size(), 3u);
    int seen = 0;
    for (const reports::Verdict& verdict : run.verdicts) {
      if (!verdict.requirement.starts_with("ext-")) continue;
      ++seen;
      EXPECT_EQ(verdict.outcome, Outcome::kSatisfied) << verdict.requirement << verdict.detail;
      EXPECT_EQ(reports::strength(verdict.level),
                binds ? reports::Strength::kMust : reports::Strength::kShould);
    }
    EXPECT_EQ(seen, 14);
  }
}

TEST(Authority, KeepsTheDraftAboutWorkloads) {
  const auto result = certify_with_workloads(nullptr);
  int seen = 0;
  for (const reports::Verdict& verdict : result.runs.back().verdicts) {
    if (!verdict.requirement.starts_with("ext-")) continue;
    ++seen;
    EXPECT_EQ(verdict.outcome, Outcome::kSatisfied) << verdict.requirement << verdict.detail;
  }
  EXPECT_EQ(seen, 6);
}

// The server may have reasons that do not show from outside, so no rule is judged.
TEST(Authority, MayHaveNoRuleForAWorkload) {
  const auto result =
      certify_with_workloads([](authorization::Knobs& knobs) { knobs.workload_issuers.clear(); });
  for (const reports::Verdict& verdict : result.runs.back().verdicts) {
    if (!verdict.requirement.starts_with("ext-")) continue;
    EXPECT_EQ(verdict.outcome, Outcome::kInconclusive) << verdict.requirement;
  }
}

TEST(Authority, IsNotToldOfDraftsUnasked) {
  for (const reports::Run& run : certify_authority_with(nullptr).runs) {
    EXPECT_TRUE(run.extensions.empty());
    for (const reports::Verdict& verdict : run.verdicts) {
      EXPECT_FALSE(verdict.requirement.starts_with("ext-")) << verdict.requirement;
    }
  }
}

// It may take only one name of itself, and only clients that somebody registered with it.
TEST(Authority, MayTakeItsTokenEndpointAsAudienceOnly) {
  const auto key =
      std::make_shared<const authorization::SigningKey>(authorization::Signing::kRs256);
  const auto result = certify_with_drafts(
      [&](authorization::Knobs& knobs) {
        knobs.registers = false;
        knobs.issuer_path = "/tenant1";
        knobs.endpoints_path = "/desk";
        *knobs.sent_issuer += "/tenant1";
        knobs.clients = {{"known",
                          "",
                          authorization::kSignedAssertion,
                          {"http://127.0.0.1:33418/callback"},
                          authorization::VerifyingKey::read(key->jwk())}};
      },
      [&](harness::CertifyAuthorityOptions& options) {
        options.client_id = "known";
        options.client_key = key;
      });
  const reports::Run& run = result.runs.back();
  EXPECT_EQ(rules_with(run, Outcome::kViolated), std::set<std::string>{});
  EXPECT_TRUE(rules_with(run, Outcome::kSatisfied)
                  .contains("ext-oauth-client-credentials.assertions-checked"));
  EXPECT_TRUE(rules_with(run, Outcome::kNotExercised)
                  .contains("ext-oauth-client-credentials.secrets-checked"));
}

// It supports neither way: none of the rules is about it.
TEST(Authority, MayDoWithoutTokensOfClients) {
  const auto result = certify_with_drafts([](authorization::Knobs& knobs) {
    knobs.serves_clients = false;
    knobs.trusted.clear();
    knobs.proof_algorithms.clear();
  });
  for (const reports::Verdict& verdict : result.runs.back().verdicts) {
    if (!verdict.requirement.starts_with("ext-")) continue;
    EXPECT_EQ(verdict.outcome, Outcome::kNotApplicable) << verdict.requirement;
  }
}

// It may want a nonce in each proof, so that ours do not hold.
TEST(Authority, MayWantNoncesInProofs) {
  const auto result = certify_with_drafts(
      [](authorization::Knobs& knobs) { knobs.proof_nonce = "a-nonce-of-the-day"; });
  const reports::Run& run = result.runs.back();
  EXPECT_EQ(rules_with(run, Outcome::kViolated), std::set<std::string>{});
  EXPECT_TRUE(
      rules_with(run, Outcome::kInconclusive).contains("ext-dpop.bound-clients-need-proof"));
}

// One that refuses every proof after the first has looked at none of them.
void refuse_later_proofs(const transport::HttpHead& request, transport::HttpReply& reply) {
  static std::atomic<int> proofs = 0;
  if (!transport::find_header(request.headers, "DPoP") || ++proofs == 1) return;
  reply.status = 400;
  reply.body = R"({"error":"invalid_request"})";
}

TEST(Authority, IsNotSaidToLookAtProofsThatItRefusesAll) {
  const auto result = certify_with_drafts(
      [](authorization::Knobs& knobs) { knobs.conduct.reply = refuse_later_proofs; });
  const reports::Run& run = result.runs.back();
  EXPECT_EQ(rules_with(run, Outcome::kViolated), std::set<std::string>{});
  EXPECT_TRUE(
      rules_with(run, Outcome::kInconclusive).contains("ext-dpop.bound-clients-need-proof"));
}

// It may leave out what a client says of its tokens, and give such that are bound to no key.
TEST(Authority, MayRegisterClientsWithoutBoundTokens) {
  const auto result = certify_with_drafts([](authorization::Knobs& knobs) {
    knobs.conduct.binds_registered_clients = false;
    knobs.conduct.registration = [](Json& answer) { answer.erase("dpop_bound_access_tokens"); };
  });
  const reports::Run& run = result.runs.back();
  EXPECT_EQ(rules_with(run, Outcome::kViolated), std::set<std::string>{});
  EXPECT_TRUE(
      rules_with(run, Outcome::kNotExercised).contains("ext-dpop.bound-clients-need-proof"));
}

// Algorithms that few know are as good as others.
TEST(Authority, MayListOtherAlgorithmsOfProofs) {
  const auto result = certify_with_drafts([](authorization::Knobs& knobs) {
    knobs.conduct.metadata = [](Json& json, bool) {
      json["dpop_signing_alg_values_supported"] =
          Json::array({"ES256", "PS512", "EdDSA", "Ed25519", "ML-DSA-44"});
    };
  });
  const reports::Run& run = result.runs.back();
  EXPECT_EQ(rules_with(run, Outcome::kViolated), std::set<std::string>{});
  EXPECT_TRUE(rules_with(run, Outcome::kSatisfied).contains("ext-dpop.algorithms-asymmetric"));
}

}  // namespace
}  // namespace assay::scenarios
