// Servers that take tokens which are bound to keys, and do what the text leaves open, are not
// accused. Extension io.modelcontextprotocol/auth/dpop.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "reference/server/faults/tokens.h"
#include "reference/wire/dpop.h"
#include "scenarios/authorization_sound_testing.h"

namespace assay::scenarios {
namespace {

using model::Revision;
using reports::Outcome;
using transport::HttpHead;
using transport::HttpReply;

constexpr std::size_t kRulesOfServers = 8;
const std::vector<Revision> kRevisionsWithProofs = {Revision::v2025_11_25, Revision::v2026_07_28};

// What was found of a server that trusts our authorization server and is asked about proofs.
Outcomes outcomes_of_proofs(const ReferenceOverHttp& reference, bool is_asked = true) {
  harness::CertifyOptions options;
  options.revisions = kRevisionsWithProofs;
  options.accesses = {reference.http_with_issuer()};
  options.wants = [](std::string_view scenario) { return scenario.starts_with("authorization_"); };
  if (is_asked) options.extensions = {model::find_extension("dpop")};
  NoEvents events;
  Outcomes found;
  for (const reports::Run& run : harness::certify(options, events).runs) {
    for (const reports::Verdict& verdict : run.verdicts) {
      EXPECT_NE(verdict.outcome, Outcome::kViolated)
          << run.revision << " " << verdict.requirement << ": " << verdict.detail;
      if (verdict.requirement.starts_with("ext-dpop.")) {
        found[verdict.requirement].insert(verdict.outcome);
      }
    }
  }
  return found;
}

void expect_all(const Outcomes& found, Outcome outcome) {
  EXPECT_EQ(found.size(), kRulesOfServers);
  for (const auto& [rule, all] : found) EXPECT_EQ(all, std::set<Outcome>{outcome}) << rule;
}

Outcomes outcomes_of_behaviour(const server::Fault& behaviour,
                               const ReferenceOverHttp::Trusting& trusting = {}) {
  return outcomes_of_proofs(ReferenceOverHttp(trusting, {&behaviour}));
}

bool shows_proof(const HttpHead& request) {
  return transport::find_header(request.headers, wire::kProofName).has_value();
}

TEST(AuthorizationPossession, ASoundServerKeepsEveryRule) {
  expect_all(outcomes_of_proofs(ReferenceOverHttp(ReferenceOverHttp::Trusting{})),
             Outcome::kSatisfied);
}

// The level at which the breach of a server that does not want content_digest is told.
std::string level_of_breach(bool binds_drafts) {
  const server::Fault* const fault = server::find_fault("proof-without-digest");
  EXPECT_NE(fault, nullptr);
  const ReferenceOverHttp reference(ReferenceOverHttp::Trusting{}, {fault});
  harness::CertifyOptions options;
  options.revisions = {Revision::newest_handshake()};
  options.accesses = {reference.http_with_issuer()};
  options.wants = [](std::string_view scenario) { return scenario.starts_with("authorization_"); };
  options.extensions = {model::find_extension("dpop")};
  options.binds_drafts = binds_drafts;
  NoEvents events;
  const reports::Result result = harness::certify(options, events);
  for (const reports::Verdict& verdict : result.runs.at(0).verdicts) {
    const bool is_it =
        verdict.requirement.starts_with("ext-dpop.") && verdict.outcome == Outcome::kViolated;
    if (is_it) return std::string(reports::name(verdict.level));
  }
  return "none";
}

TEST(AuthorizationPossession, ADraftBindsWhereItIsAskedTo) {
  EXPECT_EQ(level_of_breach(true), "MUST");
  EXPECT_NE(level_of_breach(false), "MUST");
  EXPECT_NE(level_of_breach(false), "none");
}

TEST(AuthorizationPossession, AServerMayGiveANonceForEachProof) {
  const ReferenceOverHttp reference(
      ReferenceOverHttp::Trusting{.proofs = authorization::ProofManner{.gives_nonces = true}});
  expect_all(outcomes_of_proofs(reference), Outcome::kSatisfied);
}

TEST(AuthorizationPossession, AServerMayHaveAStricterWindow) {
  const ReferenceOverHttp reference(ReferenceOverHttp::Trusting{
      .proofs = authorization::ProofManner{.window = std::chrono::seconds(20)}});
  expect_all(outcomes_of_proofs(reference), Outcome::kSatisfied);
}

// Its rules about tokens of the scheme Bearer are judged as far as they hold for all tokens.
TEST(AuthorizationPossession, AServerMayTakeBoundTokensOnly) {
  const ReferenceOverHttp reference(ReferenceOverHttp::Trusting{.wants_proofs = true});
  expect_all(outcomes_of_proofs(reference), Outcome::kSatisfied);
}

TEST(AuthorizationPossession, AServerMayWriteItsFieldsInAnyCase) {
  const server::Fault behaviour =
      behaviour_of([](const HttpHead&, std::string_view, HttpReply& reply) {
        for (auto& [name, value] : reply.headers) {
          if (name == "WWW-Authenticate" && value.starts_with("DPoP")) value.replace(0, 4, "dpop");
          name = transport::lower_case(name);
        }
      });
  expect_all(outcomes_of_behaviour(behaviour,
                                   {.proofs = authorization::ProofManner{.gives_nonces = true}}),
             Outcome::kSatisfied);
}

// The challenge for proofs need not come first.
TEST(AuthorizationPossession, AServerMayOfferBothSchemes) {
  const server::Fault behaviour =
      behaviour_of([](const HttpHead&, std::string_view, HttpReply& reply) {
        for (auto& [name, value] : reply.headers) {
          if (name == "WWW-Authenticate" && value.starts_with("DPoP")) {
            value = "Bearer realm=\"mcp\", " + value;
          }
        }
      });
  expect_all(outcomes_of_behaviour(behaviour), Outcome::kSatisfied);
}

// What stands before it may refuse a field that comes twice, or a request without one.
TEST(AuthorizationPossession, AServerMayRefuseOtherNumbersOfProofsInItsOwnManner) {
  const server::Fault behaviour =
      behaviour_of([](const HttpHead& request, std::string_view, HttpReply& reply) {
        const auto count = std::count_if(
            request.headers.begin(), request.headers.end(),
            [](const transport::Header& header) { return header.first == wire::kProofName; });
        const bool is_of_proofs = server::credentials_of(request).value_or("").starts_with("DPoP");
        if (is_of_proofs && count != 1) reply = {400, {}, "", nullptr};
      });
  expect_all(outcomes_of_behaviour(behaviour), Outcome::kSatisfied);
}

// Patience asked of who is refused often, or a failure, is about no proof.
TEST(AuthorizationPossession, WhoAsksForPatienceOrFailsIsNotBlamed) {
  const std::vector<ReplyChange> troubles = {
      [](const HttpHead& request, std::string_view, HttpReply& reply) {
        if (shows_proof(request) && reply.status == 401) reply = json_with(429, "{}");
      },
      [](const HttpHead& request, std::string_view, HttpReply& reply) {
        if (shows_proof(request) && reply.status == 401) reply = json_with(500, "{}");
      },
      [](const HttpHead& request, std::string_view, HttpReply& reply) {
        if (!shows_proof(request) || reply.status != 401) return;
        reply = json_with(200, R"({"jsonrpc":"2.0","id":1,"error":{"code":-32000,)"
                               R"("message":"Rate limit exceeded"}})");
      }};
  for (const ReplyChange trouble : troubles) {
    const auto found = outcomes_of_behaviour(behaviour_of(trouble));
    EXPECT_EQ(found.at("ext-dpop.method-compared"), std::set<Outcome>{Outcome::kInconclusive});
  }
}

TEST(AuthorizationPossession, AServerNeedNotKnowProofs) {
  const ReferenceOverHttp::Trusting without{.proofs = std::nullopt};
  expect_all(outcomes_of_proofs(ReferenceOverHttp(without)), Outcome::kNotExercised);
  // Some look at no scheme.
  const server::Fault behaviour = {.id = "any-scheme",
                                   .description = "",
                                   .breaks = {},
                                   .mishears = [](const Json&, HttpHead& request) {
                                     const std::string shown =
                                         server::credentials_of(request).value_or("");
                                     if (shown.starts_with("DPoP "))
                                       server::take_for(request, shown.substr(5));
                                   }};
  expect_all(outcomes_of_behaviour(behaviour, without), Outcome::kNotExercised);
}

// Who is not asked about proofs is shown none.
TEST(AuthorizationPossession, IsNotTriedUnasked) {
  static std::atomic<int> shown = 0;
  const server::Fault behaviour =
      behaviour_of([](const HttpHead& request, std::string_view, HttpReply&) {
        const bool is_of_proofs = server::credentials_of(request).value_or("").starts_with("DPoP");
        if (is_of_proofs || shows_proof(request)) ++shown;
      });
  EXPECT_TRUE(
      outcomes_of_proofs(ReferenceOverHttp(ReferenceOverHttp::Trusting{}, {&behaviour}), false)
          .empty());
  EXPECT_EQ(shown, 0);
}

// Where the suite issues no tokens, it has none that is bound to its key.
TEST(AuthorizationPossession, NeedsOurAuthorizationServer) {
  const ReferenceOverHttp reference({}, ReferenceOverHttp::Answers::kAuto, {}, "127.0.0.1", true);
  harness::CertifyOptions options;
  options.revisions = kRevisionsWithProofs;
  options.accesses = {reference.http_with(reference_tokens())};
  options.wants = [](std::string_view scenario) { return scenario.starts_with("authorization_p"); };
  options.extensions = {model::find_extension("dpop")};
  NoEvents events;
  for (const reports::Run& run : harness::certify(options, events).runs) {
    for (const reports::Verdict& verdict : run.verdicts) {
      if (!verdict.requirement.starts_with("ext-dpop.")) continue;
      EXPECT_EQ(verdict.outcome, Outcome::kNotExercised) << verdict.requirement;
      EXPECT_NE(verdict.hint.find("--auth-server"), std::string::npos) << verdict.requirement;
    }
  }
}

}  // namespace
}  // namespace assay::scenarios
