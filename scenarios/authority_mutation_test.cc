// Certifies the reference authorization server: sound it is conformant; with each fault in turn it
// is caught, in every revision where its requirement holds, and nothing else is blamed.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <iostream>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "harness/authority/authority.h"
#include "harness/catalogue/catalogue.h"
#include "harness/runner/authority_scenario.h"
#include "reference/authorization/fault.h"
#include "reference/authorization/hosted.h"
#include "reference/transport/http_fetch.h"
#include "reference/wire/message.h"
#include "scenarios/authority_mutation_testing.h"

namespace assay::scenarios {
namespace {

using authorization::Fault;
using model::Revision;
using reports::Outcome;

// What it breaks in that revision.
std::set<std::string> broken_by(const Fault& fault, Revision revision) {
  std::set<std::string> rules;
  if (!revision.satisfies(fault.concerns)) return rules;
  for (const std::string_view id : fault.breaks) {
    const auto* requirement = catalogue::find(id);
    if (requirement == nullptr) {
      ADD_FAILURE() << id;
    } else if (harness::binds_authority_in(*requirement, revision)) {
      rules.emplace(id);
    }
  }
  return rules;
}

bool is_of_draft(const Fault& fault) {
  return std::any_of(fault.breaks.begin(), fault.breaks.end(),
                     [](std::string_view rule) { return rule.starts_with("ext-"); });
}

bool is_of_workloads(const Fault& fault) {
  return std::any_of(fault.breaks.begin(), fault.breaks.end(), [](std::string_view rule) {
    return rule.starts_with("ext-workload-identity-federation.");
  });
}

TEST(AuthorityMutation, EveryFaultIsCaughtAndNothingElseIsBlamed) {
  int tried = 0;
  for (const Fault& fault : authorization::all_faults()) {
    const reports::Result result = is_of_workloads(fault) ? certify_with_workloads(fault.spoil)
                                   : is_of_draft(fault)   ? certify_with_drafts(fault.spoil)
                                                          : certify_authority_with(fault.spoil);
    int caught = 0;
    for (const reports::Run& run : result.runs) {
      const std::set<std::string> expected = broken_by(fault, *Revision::parse(run.revision));
      EXPECT_EQ(rules_with(run, Outcome::kViolated), expected) << fault.id << " " << run.revision;
      caught += static_cast<int>(expected.size());
    }
    EXPECT_GT(caught, 0) << fault.id;
    tried += caught;
  }
  std::cout << fmt::format("authorization servers: {} faults, {} verdicts\n",
                           authorization::all_faults().size(), tried);
}

// A check that cannot fail is a defect.
TEST(AuthorityMutation, EveryJudgedRuleHasAFault) {
  std::set<std::string> broken;
  for (const Fault& fault : authorization::all_faults()) {
    broken.insert(fault.breaks.begin(), fault.breaks.end());
  }
  for (const harness::AuthorityScenario& scenario : harness::authority_scenarios()) {
    for (const catalogue::RequirementId rule : scenario.requirements) {
      EXPECT_TRUE(broken.contains(std::string(rule.text()))) << rule.text();
      EXPECT_EQ(catalogue::find(rule.text())->observe, catalogue::Observation::kActive);
    }
  }
}

// The document at that URL, with whatever number is its client_id taken for the URL.
std::optional<std::string> fetch_with_any_id(const std::string& url) {
  transport::HttpMessage message;
  message.method = "GET";
  auto came = transport::fetch(url, std::move(message), std::chrono::seconds(20));
  const auto* fetched = std::get_if<transport::Fetched>(&came);
  if (fetched == nullptr || fetched->status != 200) return std::nullopt;
  Json document = Json::parse(fetched->body, nullptr, false);
  const bool has_number =
      document.is_object() && document.contains("client_id") && document["client_id"].is_number();
  if (!has_number) return fetched->body;
  document["client_id"] = url;
  return document.dump();
}

TEST(Authority, TakesNoNumberForTheUrlOfADocument) {
  const reports::Result result = certify_authority_with(
      [](authorization::Knobs& knobs) { knobs.fetch_document = fetch_with_any_id; });
  int seen = 0;
  for (const reports::Run& run : result.runs) {
    if (!Revision::parse(run.revision)->has_pkce_in_metadata()) continue;
    ++seen;
    EXPECT_EQ(rules_with(run, Outcome::kViolated),
              std::set<std::string>{"authorization.client-id-document-url-checked"})
        << run.revision;
  }
  EXPECT_EQ(seen, 2);
}

// A refusal may name the scope that it refuses, and gives none by that.
TEST(Authority, MayNameTheScopeThatItRefuses) {
  const reports::Result result = certify_authority_with([](authorization::Knobs& knobs) {
    knobs.conduct.reply = [](const transport::HttpHead&, transport::HttpReply& reply) {
      if (reply.status == 200 && reply.body.find("assay:never-granted") != std::string::npos) {
        reply.status = 400;
        reply.body = R"({"error": "invalid_scope", "scope": "assay:never-granted"})";
      }
    };
    knobs.conduct.keeps_scopes = false;
  });
  for (const reports::Run& run : result.runs) {
    EXPECT_EQ(rules_with(run, Outcome::kViolated), std::set<std::string>{}) << run.revision;
  }
}

TEST(Authority, IsConformantWhereItIsSound) {
  for (const char* path : {"", "/tenant1"}) {
    const reports::Result result = certify_authority_with([&](authorization::Knobs& knobs) {
      knobs.issuer_path = path;
      *knobs.sent_issuer += path;
    });
    ASSERT_EQ(result.runs.size(), all_revisions().size());
    for (const reports::Run& run : result.runs) {
      EXPECT_EQ(run.status, reports::RunStatus::kConformant) << run.revision << run.reason;
      EXPECT_EQ(rules_with(run, Outcome::kViolated), std::set<std::string>{}) << run.revision;
      const auto held = rules_with(run, Outcome::kSatisfied);
      for (const char* rule :
           {"oauth21-authorization-server", "redirects-matched-exactly", "trusted-redirects-only",
            "untrusted-redirects-prevented", "refresh-tokens-rotated"}) {
        EXPECT_TRUE(held.contains("authorization." + std::string(rule)))
            << rule << " " << run.revision;
      }
      // On this machine nobody needs https.
      EXPECT_EQ(rules_with(run, Outcome::kInconclusive),
                std::set<std::string>{"authorization.endpoints-over-https"})
          << run.revision;
    }
    const auto held = rules_with(result.runs.back(), Outcome::kSatisfied);
    for (const char* rule :
         {"issuer-in-response", "issuer-parameter-advertised", "pkce-advertised-openid",
          "client-id-document-fetched", "client-id-document-url-checked",
          "client-id-document-structure-checked", "client-id-document-redirects-checked",
          "client-id-document-cached", "authorization-server-discoverable"}) {
      EXPECT_TRUE(held.contains("authorization." + std::string(rule))) << rule;
    }
  }
}

// OpenID Connect Discovery is one of two ways, and of 2025-06-18 nobody can tell.
TEST(Authority, MayHaveOpenIdConnectDiscoveryOnly) {
  const reports::Result result = certify_authority_with([](authorization::Knobs& knobs) {
    knobs.has_oauth_metadata = knobs.has_openid_metadata = false;
    knobs.has_openid_appended = true;
    knobs.issuer_path = "/tenant1";
    *knobs.sent_issuer += "/tenant1";
  });
  for (const reports::Run& run : result.runs) {
    EXPECT_EQ(run.status, reports::RunStatus::kConformant) << run.revision << run.reason;
    const bool is_old = run.revision == "2025-06-18";
    EXPECT_EQ(rules_with(run, Outcome::kSatisfied)
                  .contains("authorization.authorization-server-discoverable"),
              !is_old);
    EXPECT_EQ(rules_with(run, Outcome::kInconclusive)
                  .contains("authorization.authorization-server-metadata-served"),
              is_old);
  }
}

// Who does less than it may is accused of no MUST.
TEST(Authority, MayDoWithout) {
  const reports::Result result = certify_authority_with(
      [](authorization::Knobs& knobs) {
        knobs.has_openid_metadata = false;
        knobs.takes_client_documents = false;
        knobs.gives_refresh_tokens = false;
        knobs.says_that_it_sends_issuer = false;
        knobs.sent_issuer.reset();
        knobs.registers = false;
        knobs.clients = {
            {"known", "", authorization::kNoSecret, {"http://127.0.0.1:33418/callback"}}};
      },
      [](harness::CertifyAuthorityOptions& options) { options.client_id = "known"; });
  for (const reports::Run& run : result.runs) {
    EXPECT_EQ(run.status, reports::RunStatus::kConformant) << run.revision << run.reason;
    for (const reports::Verdict& verdict : run.verdicts) {
      EXPECT_TRUE(verdict.outcome != Outcome::kViolated ||
                  reports::strength(verdict.level) == reports::Strength::kShould)
          << verdict.requirement;
    }
  }
}

// A client that the user registered has a secret, and is no public one.
TEST(Authority, IsAskedAsTheClientThatIsNamed) {
  const auto result = certify_authority_with(
      [](authorization::Knobs& knobs) {
        knobs.registers = false;
        knobs.clients = {{"known",
                          "a-secret-of-some-length",
                          authorization::kSecretInHeader,
                          {"http://127.0.0.1:33418/callback"}}};
      },
      [](harness::CertifyAuthorityOptions& options) {
        options.client_id = "known";
        options.client_secret = "a-secret-of-some-length";
      });
  const reports::Run& run = result.runs.back();
  EXPECT_EQ(run.status, reports::RunStatus::kConformant) << run.reason;
  EXPECT_TRUE(
      rules_with(run, Outcome::kSatisfied).contains("authorization.oauth21-authorization-server"));
  EXPECT_TRUE(
      rules_with(run, Outcome::kNotApplicable).contains("authorization.refresh-tokens-rotated"));
}

// It may have one all the same, which we were not given, and then need no PKCE.
TEST(Authority, IsNotAccusedForAClientWhoseSecretIsNotGiven) {
  const auto result = certify_authority_with(
      [](authorization::Knobs& knobs) {
        knobs.registers = false;
        knobs.takes_client_documents = false;  // which say that a client has no secret
        knobs.conduct.demands_challenge = false;
        knobs.clients = {{"known",
                          "a-secret-of-some-length",
                          authorization::kSecretInHeader,
                          {"http://127.0.0.1:33418/callback"}}};
      },
      [](harness::CertifyAuthorityOptions& options) { options.client_id = "known"; });
  for (const reports::Run& run : result.runs) {
    EXPECT_FALSE(
        rules_with(run, Outcome::kViolated).contains("authorization.oauth21-authorization-server"))
        << run.revision;
  }
}

// A server may replace what a client asked to be registered, and then goes by what it said; and a
// port of this machine may be left open.
TEST(Authority, IsNotAccusedForWhatItReplacedInARegistration) {
  constexpr const char* kRule = "authorization.dynamic-registration-authorization-server";
  const auto elsewhere = certify_authority_with([](authorization::Knobs& knobs) {
    knobs.clients = {{"elsewhere", "", authorization::kNoSecret, {"https://client.invalid/cb"}}};
    knobs.conduct.registration = [](Json& answer) {
      answer["client_id"] = "elsewhere";
      answer["redirect_uris"] = {"https://client.invalid/cb"};
    };
  });
  const auto portless = certify_authority_with([](authorization::Knobs& knobs) {
    knobs.conduct.registration = [](Json& answer) {
      answer["redirect_uris"] = {"http://127.0.0.1/callback"};
    };
  });
  for (const reports::Run& run : elsewhere.runs) {
    EXPECT_FALSE(rules_with(run, Outcome::kViolated).contains(kRule)) << run.revision;
  }
  for (const reports::Run& run : portless.runs) {
    EXPECT_TRUE(rules_with(run, Outcome::kSatisfied).contains(kRule)) << run.revision;
  }
}

// One host may answer for several, and clients have to pass over what is not the issuer's.
TEST(Authority, IsNotAccusedForTheMetadataOfAnother) {
  const auto result = certify_authority_with([](authorization::Knobs& knobs) {
    knobs.conduct.metadata = [](Json& json, bool is_openid) {
      if (!is_openid) return;
      json["issuer"] = "http://127.0.0.1:1/another";
      json.erase("code_challenge_methods_supported");
    };
  });
  for (const reports::Run& run : result.runs) {
    EXPECT_EQ(run.status, reports::RunStatus::kConformant) << run.revision << run.reason;
  }
}

// Metadata alone are no certificate.
TEST(Authority, IsNotCertifiedWithoutACode) {
  const auto result =
      certify_authority_with([](authorization::Knobs& knobs) { knobs.registers = false; });
  for (const reports::Run& run : result.runs) {
    EXPECT_EQ(run.status, reports::RunStatus::kFailed) << run.revision;
    EXPECT_THAT(run.reason, testing::HasSubstr("--client-id")) << run.reason;
  }
}

// No answer is evidence of nothing.
TEST(Authority, IsNotTestedWhereNobodyAnswers) {
  const auto result = certify_authority_with(
      nullptr,
      [](harness::CertifyAuthorityOptions& options) { options.issuer = "http://127.0.0.1:1"; });
  for (const reports::Run& run : result.runs) {
    EXPECT_EQ(run.status, reports::RunStatus::kFailed);
    EXPECT_EQ(rules_with(run, Outcome::kViolated), std::set<std::string>{});
  }
  EXPECT_FALSE(reports::has_passed(result));
}

// What was stopped is no certificate, and no accusation.
TEST(Authority, IsNotJudgedByAStop) {
  std::stop_source stop;
  stop.request_stop();
  const auto result = certify_authority_with(
      nullptr, [&](harness::CertifyAuthorityOptions& options) { options.stop = stop.get_token(); });
  for (const reports::Run& run : result.runs) {
    EXPECT_EQ(run.status, reports::RunStatus::kIncomplete);
    EXPECT_EQ(rules_with(run, Outcome::kViolated), std::set<std::string>{});
  }
}

// Codes, tokens and secrets stand in no transcript.
TEST(Authority, LeavesNoCredentialsBehind) {
  std::string text;
  certify_authority_with(nullptr, [&](harness::CertifyAuthorityOptions& options) {
    options.on_transcript = [&](auto, auto, std::span<const harness::EventPtr> events) {
      for (const harness::EventPtr& event : events) {
        text += event->observation.bytes();
        if (event->observation.http() == nullptr) continue;
        text += event->observation.http()->target;
        for (const auto& [name, value] : event->observation.http()->headers) text += value;
      }
    };
  });
  EXPECT_THAT(text, testing::HasSubstr("access_token"));
  EXPECT_THAT(text, testing::ContainsRegex("code=token#"));
  EXPECT_THAT(text, testing::Not(testing::ContainsRegex("code_verifier=[^t&]")));
}

}  // namespace
}  // namespace assay::scenarios
