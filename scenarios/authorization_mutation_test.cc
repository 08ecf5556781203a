// The same as mutation_test.cc for servers that ask for tokens: with a token at hand, and without
// one, where nothing else of the server can be judged.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <iostream>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "harness/runner/runner.h"
#include "scenarios/fault_matrix_testing.h"
#include "scenarios/mutation_testing.h"
#include "scenarios/reference_target_testing.h"

namespace assay::scenarios {
namespace {

using model::Revision;
using reports::Outcome;

std::vector<const server::Fault*> protected_faults() {
  std::vector<const server::Fault*> faults;
  for (const server::Fault& fault : server::all_faults()) {
    if (fault.needs_protection && is_wanted_fault(fault.id)) faults.push_back(&fault);
  }
  return faults;
}

bool is_wanted(std::string_view scenario) {
  return scenario.starts_with("authorization_") || scenario.starts_with("http_") ||
         scenario == "ext_tasks_are_kept_from_other_users" ||
         scenario == "ext_tasks_are_not_told_to_other_users";
}

TEST(AuthorizationMutation, EveryFaultIsCaughtAndNothingElseIsBlamed) {
  const std::vector<Revision> handshake = {Revision::v2025_03_26, Revision::v2025_06_18,
                                           Revision::v2025_11_25};
  int tried = 0;
  for (const auto& revisions : {handshake, std::vector<Revision>{Revision::v2026_07_28}}) {
    std::vector<const server::Fault*> faults = protected_faults();
    std::erase_if(faults,
                  [&](const server::Fault* fault) { return !fault->concerns_any(revisions); });
    const Matrix matrix = play(faults, revisions, Over::kHttp, is_wanted);
    std::cout << fmt::format("tokens, until {}: {}\n", revisions.back().text(), matrix.summary());
    EXPECT_TRUE(matrix.tried > 15 || are_faults_named()) << matrix.tried;
    EXPECT_EQ(matrix.all_missed(), "");
    EXPECT_EQ(matrix.all_blamed(), "");
    tried += matrix.tried;
  }
  EXPECT_GT(tried, 0) << "ASSAY_FAULTS names no fault of this matrix";
}

// Certifies without a token.
reports::Result certify_from_outside(const ReferenceOverHttp& reference,
                                     std::vector<Revision> revisions) {
  harness::CertifyOptions options;
  options.revisions = std::move(revisions);
  options.accesses = {reference.http()};
  options.wants = is_wanted;
  NoEvents events;
  return harness::certify(options, events);
}

// What was said of a rule, for who reads that a test failed.
std::string words_on(const reports::Run& run, std::string_view rule) {
  for (const reports::Verdict& verdict : run.verdicts) {
    if (verdict.requirement != rule) continue;
    return fmt::format("{}, {}: {}", run.revision, rule, verdict.detail);
  }
  return fmt::format("{}, {}: nothing", run.revision, rule);
}

std::set<std::string> rules_of(const reports::Run& run, Outcome outcome) {
  std::set<std::string> rules;
  for (const reports::Verdict& verdict : run.verdicts) {
    if (verdict.outcome == outcome && verdict.requirement.starts_with("authorization.")) {
      rules.insert(verdict.requirement);
    }
  }
  return rules;
}

// Who lets us not in is judged for that much, and for nothing else: that is no certificate.
TEST(Authorization, IsJudgedFromOutside) {
  const ReferenceOverHttp reference({}, ReferenceOverHttp::Answers::kAuto, {}, "127.0.0.1", true);
  const reports::Result result = certify_from_outside(
      reference, {Revision::v2025_03_26, Revision::v2025_11_25, Revision::v2026_07_28});
  ASSERT_EQ(result.runs.size(), 3u);
  for (const reports::Run& run : result.runs) {
    EXPECT_EQ(run.status, reports::RunStatus::kFailed) << run.revision;
    EXPECT_THAT(run.reason, testing::HasSubstr("--auth-token or --header sends credentials"))
        << run.revision;
    EXPECT_EQ(rules_of(run, Outcome::kViolated), std::set<std::string>{}) << run.revision;
    const auto held = rules_of(run, Outcome::kSatisfied);
    EXPECT_TRUE(held.contains("authorization.unauthenticated-401")) << run.revision;
    EXPECT_TRUE(held.contains("authorization.invalid-token-401")) << run.revision;
    EXPECT_EQ(held.contains("authorization.authorization-servers-listed"),
              run.revision != "2025-03-26");
    for (const reports::Verdict& verdict : run.verdicts) {
      const bool is_about_tokens = verdict.requirement.starts_with("authorization.");
      EXPECT_TRUE(is_about_tokens || verdict.outcome != Outcome::kSatisfied)
          << run.revision << " " << verdict.requirement;
    }
  }
}

const std::set<std::string> kOfTwoUsers = {"elicitation.bound-to-client-and-user",
                                           "mrtr.state-bound-to-principal",
                                           "tasks.bound-to-authorization",
                                           "tasks.foreign-task-refused",
                                           "tasks.list-own-context",
                                           "elicitation.state-bound-to-user",
                                           "elicitation.state-not-by-session-alone"};

reports::Result certify_with_tokens(const ReferenceOverHttp& reference,
                                    const std::vector<harness::UserToken>& tokens) {
  harness::CertifyOptions options;
  options.revisions = {Revision::v2025_03_26, Revision::v2025_06_18, Revision::v2025_11_25,
                       Revision::v2026_07_28};
  options.accesses = {reference.http_with(tokens)};
  options.wants = [](std::string_view scenario) { return scenario.starts_with("authorization_"); };
  NoEvents events;
  return harness::certify(options, events);
}

// Nobody blames a sound server, and of its rules about two users none is left open.
TEST(Authorization, ASoundServerKeepsItsUsersApart) {
  const ReferenceOverHttp reference({}, ReferenceOverHttp::Answers::kAuto, {}, "127.0.0.1", true);
  std::set<std::string> held;
  for (const reports::Run& run : certify_with_tokens(reference, reference_tokens()).runs) {
    for (const reports::Verdict& verdict : run.verdicts) {
      EXPECT_NE(verdict.outcome, Outcome::kViolated)
          << run.revision << " " << verdict.requirement << ": " << verdict.detail;
      if (verdict.outcome == Outcome::kSatisfied) held.insert(verdict.requirement);
    }
  }
  for (const std::string& rule : kOfTwoUsers) EXPECT_TRUE(held.contains(rule)) << rule;
  EXPECT_TRUE(held.contains("authorization.audience-validated"));
  EXPECT_TRUE(held.contains("authorization.insufficient-scope-scopes"));
}

// With one token such rules are not exercised, and it is said what would let them be.
TEST(Authorization, OneTokenExercisesNoRuleAboutTwoUsers) {
  const ReferenceOverHttp reference({}, ReferenceOverHttp::Answers::kAuto, {}, "127.0.0.1", true);
  for (const reports::Run& run :
       certify_with_tokens(reference, {reference_tokens().front()}).runs) {
    for (const reports::Verdict& verdict : run.verdicts) {
      EXPECT_NE(verdict.outcome, Outcome::kViolated) << run.revision << " " << verdict.requirement;
      if (!kOfTwoUsers.contains(verdict.requirement)) continue;
      const bool is_out = verdict.outcome == Outcome::kNotApplicable;
      EXPECT_TRUE(is_out || verdict.outcome == Outcome::kNotExercised)
          << run.revision << " " << verdict.requirement << ": " << verdict.detail;
      if (!is_out) {
        EXPECT_THAT(verdict.detail + verdict.hint, testing::HasSubstr("--auth-token"))
            << run.revision << " " << verdict.requirement;
      }
    }
  }
}

reports::Result certify_trusting(harness::TargetAccess access) {
  harness::CertifyOptions options;
  options.revisions = {Revision::v2025_03_26, Revision::v2025_06_18, Revision::v2025_11_25,
                       Revision::v2026_07_28};
  options.accesses = {std::move(access)};
  options.wants = [](std::string_view scenario) { return scenario.starts_with("authorization_"); };
  NoEvents events;
  return harness::certify(options, events);
}

// Who trusts our authorization server, and looks at all of a token, is blamed for nothing.
TEST(Authorization, ASoundServerRefusesWhatIsForged) {
  const ReferenceOverHttp reference(ReferenceOverHttp::Trusting{});
  const reports::Result result = certify_trusting(reference.http_with_issuer());
  ASSERT_EQ(result.runs.size(), 4u);
  for (const reports::Run& run : result.runs) {
    EXPECT_EQ(rules_of(run, Outcome::kViolated), std::set<std::string>{}) << run.revision;
    const auto held = rules_of(run, Outcome::kSatisfied);
    EXPECT_TRUE(held.contains("authorization.token-validated")) << run.revision;
    EXPECT_TRUE(held.contains("authorization.insufficient-permission-403")) << run.revision;
    EXPECT_EQ(held.contains("authorization.audience-validated"), run.revision != "2025-03-26");
    EXPECT_EQ(held.contains("authorization.token-expiration"), run.revision == "2025-03-26");
    const bool names_scopes = run.revision >= "2025-11-25";
    EXPECT_EQ(held.contains("authorization.needed-scopes-included"), names_scopes);
    EXPECT_EQ(held.contains("authorization.scope-strategy-consistent"), names_scopes);
    EXPECT_EQ(held.contains("authorization.all-scopes-at-once"), run.revision >= "2026");
  }
}

// The one scenario in the one revision, with nothing beside it.
reports::Result certify_alone(harness::TargetAccess access, std::string_view revision) {
  harness::CertifyOptions options;
  options.revisions = {*Revision::parse(revision)};
  options.accesses = {std::move(access)};
  options.jobs = 1;
  options.wants = [](std::string_view scenario) {
    return scenario == "authorization_tokens_stay_with_the_server";
  };
  NoEvents events;
  return harness::certify(options, events);
}

// Who asks an API with credentials of its own passes nothing on. Where there was no time to see the
// API asked twice, as on a busy machine, that is seen alone.
TEST(Authorization, ASoundServerKeepsTokensToItself) {
  const std::set<std::string> rules = {"authorization.no-token-passthrough",
                                       "authorization.other-tokens-not-forwarded"};
  const auto has_held = [](const reports::Run& run, const std::string& rule) {
    return rules_of(run, Outcome::kSatisfied).contains(rule);
  };
  const auto keeps = [&](const reports::Run& run) {
    EXPECT_EQ(rules_of(run, Outcome::kViolated), std::set<std::string>{}) << run.revision;
    return std::all_of(rules.begin(), rules.end(),
                       [&](const std::string& rule) { return has_held(run, rule); });
  };
  const ReferenceOverHttp reference(ReferenceOverHttp::Trusting{.has_upstream = true});
  const reports::Result result = certify_trusting(reference.http_with_issuer());
  ASSERT_EQ(result.runs.size(), 4u);
  for (const reports::Run& run : result.runs) {
    if (run.revision == "2025-03-26") {
      for (const std::string& rule : rules) EXPECT_FALSE(has_held(run, rule)) << rule;
      continue;
    }
    if (keeps(run)) continue;
    const reports::Result again = certify_alone(reference.http_with_issuer(), run.revision);
    EXPECT_TRUE(keeps(again.runs.at(0))) << words_on(again.runs[0], *rules.begin()) << "\n"
                                         << words_on(again.runs[0], *rules.rbegin());
  }
}

// A token that was given may be the secret by which the server itself asks the API.
TEST(Authorization, WhoAsksAnApiWithOneSecretIsNotBlamed) {
  const server::Fault behaviour = {
      .id = "one-secret",
      .description = "",
      .breaks = {},
      .inside = server::Switch::kPassesTokenOn,
      .mishears =
          [](const Json&, transport::HttpHead& request) {
            for (auto& [name, value] : request.headers) {
              if (value == "Bearer " + std::string(server::kOtherUsersToken)) {
                value = "Bearer " + std::string(server::kReferenceToken);
              }
            }
          },
      .needs_upstream = true};
  const ReferenceOverHttp reference({}, ReferenceOverHttp::Answers::kAuto, {&behaviour},
                                    "127.0.0.1", true);
  for (const auto& tokens : {reference_tokens(), {reference_tokens().front()}}) {
    for (const reports::Run& run : certify_with_tokens(reference, tokens).runs) {
      if (run.revision == "2025-03-26") continue;
      const auto verdict =
          std::find_if(run.verdicts.begin(), run.verdicts.end(), [](const reports::Verdict& each) {
            return each.requirement == "authorization.no-token-passthrough";
          });
      ASSERT_NE(verdict, run.verdicts.end());
      EXPECT_EQ(verdict->outcome, Outcome::kInconclusive) << run.revision << verdict->detail;
      EXPECT_THAT(verdict->detail, testing::HasSubstr("the server's own key")) << run.revision;
    }
  }
}

// Who was told of another authorization server refuses good tokens of ours: what it refuses besides
// proves nothing.
TEST(Authorization, WhoWasNotToldOfOursIsNotJudgedByIt) {
  const ReferenceOverHttp reference({}, ReferenceOverHttp::Answers::kAuto, {}, "127.0.0.1", true);
  harness::TargetAccess access = reference.http_with(reference_tokens());
  access.issuer = std::make_shared<harness::TokenIssuer>(authorization::Signing::kEs256);
  ASSERT_EQ(access.issuer->start(), std::nullopt);
  EXPECT_FALSE(access.issuer->learn(reference.url(), std::chrono::seconds(2)));
  const std::vector<harness::UserToken> unknown = access.issuer->tokens();
  access.tokens = unknown;
  access.connect = access.with_token(unknown.front());
  const reports::Result result = certify_trusting(std::move(access));
  for (const reports::Run& run : result.runs) {
    EXPECT_EQ(rules_of(run, Outcome::kViolated), std::set<std::string>{}) << run.revision;
    EXPECT_FALSE(rules_of(run, Outcome::kSatisfied).contains("authorization.audience-validated"))
        << run.revision;
    EXPECT_EQ(run.status, reports::RunStatus::kFailed) << run.revision;
  }
}

// Who is its own authorization server is judged for that from outside.
TEST(Authorization, ASoundServerIsItsOwnAuthorizationServer) {
  const ReferenceOverHttp with_metadata(ReferenceOverHttp::OwnOffice{});
  const ReferenceOverHttp without(ReferenceOverHttp::OwnOffice{.has_metadata = false});
  std::set<std::string> held;
  for (const ReferenceOverHttp* reference : {&with_metadata, &without}) {
    const reports::Result result = certify_from_outside(*reference, {Revision::v2025_03_26});
    // It may go without metadata, and should not.
    std::set<std::string> broken;
    if (reference == &without) broken = {"authorization.server-metadata-served"};
    EXPECT_EQ(rules_of(result.runs.at(0), Outcome::kViolated), broken);
    held.merge(rules_of(result.runs[0], Outcome::kSatisfied));
  }
  for (const char* rule :
       {"metadata-at-base-url", "server-without-metadata-uses-default-paths",
        "server-validates-redirects", "oauth21-implemented", "server-metadata-served",
        "dynamic-registration-server", "token-rotation"}) {
    EXPECT_TRUE(held.contains(std::string("authorization.") + rule)) << rule;
  }
}

// Where nobody is asked for a token, there are no users to be kept apart.
TEST(Authorization, AnOpenServerHasNoUsers) {
  const ReferenceOverHttp reference;
  for (const reports::Run& run : certify_with_tokens(reference, reference_tokens()).runs) {
    EXPECT_EQ(rules_of(run, Outcome::kViolated), std::set<std::string>{}) << run.revision;
    for (const reports::Verdict& verdict : run.verdicts) {
      if (!kOfTwoUsers.contains(verdict.requirement)) continue;
      EXPECT_NE(verdict.outcome, Outcome::kViolated) << run.revision << " " << verdict.requirement;
      EXPECT_NE(verdict.outcome, Outcome::kSatisfied) << run.revision << " " << verdict.requirement;
    }
  }
}

// Certifies a protected server that behaves so, with all tokens; nobody may blame it.
std::set<std::string> held_by(const server::Fault& behaviour) {
  const ReferenceOverHttp reference({}, ReferenceOverHttp::Answers::kAuto, {&behaviour},
                                    "127.0.0.1", true);
  std::set<std::string> held;
  for (const reports::Run& run : certify_with_tokens(reference, reference_tokens()).runs) {
    for (const reports::Verdict& verdict : run.verdicts) {
      EXPECT_NE(verdict.outcome, Outcome::kViolated)
          << run.revision << " " << verdict.requirement << ": " << verdict.detail;
      if (verdict.outcome == Outcome::kSatisfied) held.insert(verdict.requirement);
    }
  }
  return held;
}

// A tool may call cancelling what it likes.
TEST(Authorization, WhoSaysDeclinedForCancelledIsNotBlamed) {
  const server::Fault behaviour = {
      .id = "declined-or-cancelled", .description = "", .breaks = {}, .departure = [](auto& d) {
        if (!d.is_result_of("tools/call") || !d.result().contains("content")) return;
        for (Json& block : d.result()["content"]) {
          std::string text = block.value("text", "");
          if (text.find("cancel") != std::string::npos) block["text"] = "declined or cancelled";
        }
      }};
  EXPECT_TRUE(held_by(behaviour).contains("elicitation.state-bound-to-user"));
}

// Who asks for a token only when a tool is called is judged for how he asks.
TEST(Authorization, WhoAsksLaterIsJudgedForThatAlone) {
  const server::Fault behaviour = {
      .id = "asks-later",
      .description = "",
      .breaks = {},
      .mishears = [](const Json& body, transport::HttpHead& request) {
        const bool is_call = body.is_object() && body.value("method", "") == "tools/call";
        if (is_call || transport::find_header(request.headers, "Authorization")) return;
        request.headers.emplace_back("Authorization",
                                     "Bearer " + std::string(server::kReferenceToken));
      }};
  const std::set<std::string> held = held_by(behaviour);
  EXPECT_TRUE(held.contains("authorization.failure-per-oauth"));
  EXPECT_TRUE(held.contains("authorization.authorization-servers-listed"));
  EXPECT_TRUE(held.contains("tasks.bound-to-authorization"));
}

// Who goes by rules of his own for tokens is not held to those of the pages.
TEST(Authorization, WhoAsksInAMannerOfHisOwnIsNotBlamed) {
  const server::Fault behaviour = {
      .id = "own-manner",
      .description = "",
      .breaks = {},
      .mishears =
          [](const Json&, transport::HttpHead& request) {
            for (auto& [name, value] : request.headers) {
              if (value == "Bearer " + std::string(server::kForeignToken)) {
                value = "Bearer " + std::string(server::kReferenceToken);
              }
            }
          },
      .reply =
          [](const transport::HttpHead& request, std::string_view, transport::HttpReply& reply) {
            std::erase_if(reply.headers,
                          [](const auto& field) { return field.first == "WWW-Authenticate"; });
            if (request.target.starts_with("/.well-known/")) reply = {404, {}, "", nullptr};
            if (reply.status == 403) reply.status = 400;
          }};
  EXPECT_FALSE(held_by(behaviour).contains("authorization.audience-validated"));
}

TEST(Authorization, ABreachIsSeenFromOutside) {
  const server::Faults faults = {server::find_fault("any-password")};
  const ReferenceOverHttp reference({}, ReferenceOverHttp::Answers::kAuto, faults);
  const reports::Result result = certify_from_outside(reference, {Revision::v2025_11_25});
  EXPECT_EQ(result.runs.at(0).status, reports::RunStatus::kViolations);
  EXPECT_TRUE(
      rules_of(result.runs[0], Outcome::kViolated).contains("authorization.token-validated"));
}

TEST(Authorization, IsNoMatterOfAnOpenServer) {
  const ReferenceOverHttp reference;
  const reports::Result result =
      certify_from_outside(reference, {Revision::v2025_11_25, Revision::v2026_07_28});
  for (const reports::Run& run : result.runs) {
    EXPECT_EQ(rules_of(run, Outcome::kViolated), std::set<std::string>{});
    EXPECT_EQ(rules_of(run, Outcome::kSatisfied), std::set<std::string>{});
    EXPECT_TRUE(rules_of(run, Outcome::kNotApplicable).contains("authorization.token-validated"));
  }
}

}  // namespace
}  // namespace assay::scenarios
