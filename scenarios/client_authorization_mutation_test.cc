// A client that logs in as it should is accused of nothing; each fault of its login is caught, and
// nothing else is blamed; and none of its credentials leaves in a report or a transcript.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "harness/transcript/transcript_file.h"
#include "reports/digest.h"
#include "reports/writer.h"
#include "scenarios/client_mutation_testing.h"
#include "scenarios/clients/login_review.h"
#include "scenarios/fault_matrix_testing.h"

namespace assay::scenarios {
namespace {

using client::Fault;
using harness::TransportKind;
using model::Revision;
using reports::Outcome;

constexpr const char* kDocument = "https://client.example/client.json";

bool is_login_scenario(std::string_view name) {
  return name.starts_with("auth/");
}

std::vector<Revision> revisions_with_login() {
  std::vector<Revision> all;
  for (const Revision revision : Revision::all()) {
    if (revision.has_authorization()) all.push_back(revision);
  }
  return all;
}

// What is served at client.example.
harness::DocumentRead document_at(const std::string& url) {
  Json document = {{"client_id", kDocument},
                   {"client_name", "mcp-assay reference client"},
                   {"redirect_uris", {"http://localhost:3000/callback"}}};
  if (url.ends_with("/nameless.json")) {
    document["client_id"] = url;
    document.erase("client_name");
  }
  const bool is_moved = url.ends_with("/moved.json");
  if (is_moved) {
    document["client_id"] = url;
    document["redirect_uris"] = Json::array({"https://client.example/callback"});
  }
  const bool has_secret = url.ends_with("/secret.json");
  const bool has_method = url.ends_with("/method.json");
  const bool is_bare = url.ends_with("/bare.json");
  const bool is_loud = url.ends_with("/Loud.json");
  if (has_secret || has_method || is_bare) document["client_id"] = url;
  if (is_loud) document["client_id"] = transport::lower_case(url);
  if (is_bare) document.erase("redirect_uris");
  if (has_secret) document["client_secret"] = "for everybody";
  if (has_method) document["token_endpoint_auth_method"] = "client_secret_post";
  const bool is_there = url.ends_with("/client.json") || url.ends_with("/other.json") ||
                        url.ends_with("/nameless.json") || is_moved || has_secret || has_method ||
                        is_bare || is_loud;
  return is_there ? harness::DocumentRead{document.dump(), ""}
                  : harness::DocumentRead{std::nullopt, "HTTP 404"};
}

harness::CertifyClientOptions login_options(std::vector<std::string> words, int slowness = 1) {
  words.insert(words.begin(), {"--login-without-browser", "--client-document", kDocument});
  harness::CertifyClientOptions options =
      reference_client_options(words, TransportKind::kHttp, slowness);
  options.wants = is_login_scenario;
  options.command.read_document = document_at;
  return options;
}

reports::Result certified(const harness::CertifyClientOptions& options) {
  NoClientEvents events;
  return harness::certify_client(options, events);
}

// Rules about all logins that only one play brings out.
bool shows_alone(const Fault& fault, std::string_view name) {
  static const std::multimap<std::string_view, std::string_view> kPlays = {
      {"login-adds-question-mark", "auth/endpoint-with-query"},
      {"login-any-resource", "auth/resource-mismatch"},
      {"login-any-response-without-state", "auth/state-missing"},
      {"login-any-state", "auth/state-mismatch"},
      {"login-checks-response-late", "auth/state-mismatch"},
      {"login-document-lacks-redirect", "auth/client-document-only"},
      {"login-drops-endpoint-query", "auth/endpoint-with-query"},
      {"login-ignores-move", "auth/authorization-server-migration"},
      {"login-keeps-first-refresh-token", "auth/token-refresh-at-server"},
      {"login-keeps-refresh-token-when-moved", "auth/migration-with-secrets"},
      {"login-knows-one-spelling", "auth/resource-in-upper-case"},
      {"login-minds-case-of-token-type", "auth/terse-token"},
      {"login-needs-lifetime", "auth/terse-token"},
      {"login-next-without-pkce", "auth/token-expired"},
      {"login-next-without-pkce", "auth/token-expired-at-server"},
      {"login-next-without-resource", "auth/token-expired"},
      {"login-next-without-state", "auth/token-expired"},
      {"login-no-default-paths", "auth/default-paths"},
      {"login-once", "auth/token-expired"},
      {"login-reads-first-challenge", "auth/resource-in-upper-case"},
      {"login-repeats-refused-token", "auth/token-expired"},
      {"login-same-verifier", "auth/token-expired"},
      {"login-same-verifier", "auth/token-expired-at-server"},
      {"login-secret-in-authorization-request", "auth/secret-at-server"},
      {"login-secret-in-url", "auth/secret-at-server"},
      {"login-secret-twice", "auth/secret-at-server"},
      {"login-state-any-case", "auth/state-in-other-case"},
      {"login-state-by-its-beginning", "auth/state-prolonged"},
      {"login-state-in-part", "auth/state-shortened"},
      {"login-takes-empty-state", "auth/state-empty"},
      {"token-follows-redirect", "auth/redirect-to-another-host"},
      {"token-of-former-server", "auth/authorization-server-migration"},
      {"token-renewed-with-none", "auth/token-expired"}};
  const auto [begin, end] = kPlays.equal_range(fault.id);
  return std::any_of(begin, end, [&](const auto& each) { return each.second == name; });
}

// Those in which a client logs in as it mostly does, and those about a rule that the fault breaks.
bool shows(const Fault& fault, std::string_view name) {
  const bool is_of_extension =
      std::any_of(fault.breaks.begin(), fault.breaks.end(), is_of_login_extension);
  for (const harness::ClientScenario& scenario : harness::client_scenarios()) {
    if (scenario.name != name || (scenario.extension.empty() && !is_of_extension)) continue;
    return std::any_of(scenario.requirements.begin(), scenario.requirements.end(), [&](auto rule) {
      return is_of_login_extension(rule.text()) &&
             std::find(fault.breaks.begin(), fault.breaks.end(), rule.text()) != fault.breaks.end();
    });
  }
  if (name == "auth/basic-cimd" || name == "auth/metadata-default" ||
      name == "auth/token-refresh" || name.starts_with("auth/2025-03-26")) {
    return true;
  }
  // What a client can do is seen before it is judged which way it prefers.
  const bool is_about_order =
      std::any_of(fault.breaks.begin(), fault.breaks.end(), [](std::string_view rule) {
        return rule.starts_with("authorization.registration-") && !rule.ends_with("-server") &&
               !rule.ends_with("-handled");
      });
  if (is_about_order && (name == "auth/client-document-only" || name == "auth/pre-registration")) {
    return true;
  }
  const auto common = common_login_rules();
  for (const harness::ClientScenario& scenario : harness::client_scenarios()) {
    if (scenario.name != name) continue;
    const bool is_secret_document = fault.id.starts_with("login-document-with-secret");
    if (name == "auth/client-document-only" && is_secret_document) return true;
    if (shows_alone(fault, name)) return true;
    return std::any_of(scenario.requirements.begin(), scenario.requirements.end(),
                       [&](catalogue::RequirementId rule) {
                         const bool is_common =
                             std::find(common.begin(), common.end(), rule) != common.end();
                         return !is_common && std::find(fault.breaks.begin(), fault.breaks.end(),
                                                        rule.text()) != fault.breaks.end();
                       });
  }
  return false;
}

Row certify_login(const Fault& fault, int slowness) {
  Row row;
  const std::vector<Revision> revisions = revisions_of(fault, TransportKind::kHttp);
  EXPECT_FALSE(revisions.empty()) << fault.id << " breaks nothing anywhere";
  for (const Revision revision : revisions) {
    auto options = login_options({fmt::format("--fault={}", fault.id)}, slowness);
    options.revisions = {revision};
    options.extensions = extensions_of(fault);
    options.wants = [&](std::string_view name) {
      return is_login_scenario(name) && shows(fault, name);
    };
    row.take(fault, certified(options), revision, TransportKind::kHttp);
  }
  return row;
}

TEST(LoginMutations, EachIsCaughtAndNothingElseIsBlamed) {
  std::vector<const Fault*> faults;
  for (const Fault& fault : client::all_faults()) {
    if (is_about_login(fault) && is_wanted_fault(fault.id)) faults.push_back(&fault);
  }
  expect_each_caught(faults, certify_login);
}

// Every rule that a login is judged by is kept, and seen to be kept.
TEST(Login, OfTheReferenceClientKeepsEachRule) {
  std::set<std::string> satisfied;
  auto options = login_options({});
  options.revisions = revisions_with_login();
  for (const model::Extension& extension : model::extensions()) {
    if (extension.folder == "auth") options.extensions.push_back(&extension);
  }
  for (const reports::Run& run : certified(options).runs) {
    EXPECT_EQ(run.status, reports::RunStatus::kConformant) << run.revision << ": " << run.reason;
    EXPECT_EQ(run.reason, "") << run.revision;
    for (const reports::Verdict& verdict : run.verdicts) {
      EXPECT_NE(verdict.outcome, Outcome::kViolated)
          << run.revision << ": " << verdict.requirement << ": " << verdict.detail;
      if (verdict.outcome == Outcome::kSatisfied) satisfied.insert(verdict.requirement);
    }
  }
  for (const harness::ClientScenario& scenario : harness::client_scenarios()) {
    if (!is_login_scenario(scenario.name)) continue;
    for (const catalogue::RequirementId rule : scenario.requirements) {
      EXPECT_TRUE(satisfied.contains(std::string(rule.text())))
          << scenario.name << ": " << rule.text();
    }
  }
}

// A client that cannot log in shows nothing of it, and is asked once.
TEST(Login, IsNotAskedAgainOfAClientThatDoesNothing) {
  struct Count : NoClientEvents {
    void scenario_finished(const reports::RunKey&, const std::string& scenario,
                           std::int64_t) override {
      names.push_back(scenario);
    }
    std::vector<std::string> names;
  } events;
  auto options = reference_client_options({}, TransportKind::kHttp);
  options.wants = is_login_scenario;
  options.revisions = {Revision::v2025_11_25};
  std::atomic<int> transcripts = 0;
  options.on_transcript = [&](auto, auto, auto) { ++transcripts; };
  const reports::Result result = harness::certify_client(options, events);
  EXPECT_EQ(violated_rules(result), std::set<std::string>());
  EXPECT_EQ(transcripts, 1);
  for (const reports::Verdict& verdict : result.runs.at(0).verdicts) {
    if (verdict.requirement.starts_with("authorization.")) {
      EXPECT_NE(verdict.outcome, Outcome::kSatisfied) << verdict.requirement;
    }
  }
}

// What it sent is judged, though no request of its was ever answered.
TEST(Login, ThatNeverLetsTheClientInIsJudgedAllTheSame) {
  auto options = login_options({"--fault=token-under-other-scheme"});
  options.revisions = {Revision::v2025_11_25};
  const reports::Result result = certified(options);
  EXPECT_TRUE(violated_rules(result).contains("authorization.bearer-header"));
  EXPECT_EQ(result.runs.at(0).status, reports::RunStatus::kViolations);
}

// Rules of drafts are reported as advice, and with --drafts at their own level.
TEST(Login, IsToldOfDraftsAsAdvice) {
  for (const bool binds : {false, true}) {
    auto options = login_options({"--fault=own-token-without-resource"});
    options.wants = [](std::string_view name) { return name == "auth/client-credentials-basic"; };
    options.revisions = {Revision::v2026_07_28};
    options.extensions = {model::find_extension("oauth-client-credentials")};
    options.binds_drafts = binds;
    const reports::Run run = certified(options).runs.at(0);
    EXPECT_EQ(run.status,
              binds ? reports::RunStatus::kViolations : reports::RunStatus::kConformant);
    int told = 0;
    for (const reports::Verdict& verdict : run.verdicts) {
      if (verdict.outcome != Outcome::kViolated) continue;
      ++told;
      EXPECT_EQ(verdict.requirement, "ext-oauth-client-credentials.baseline-conforms");
      EXPECT_EQ(reports::strength(verdict.level),
                binds ? reports::Strength::kMust : reports::Strength::kShould);
    }
    EXPECT_EQ(told, 1);
  }
}

// What a client declares is judged, and nothing else.
TEST(Login, IsToldOfTheDraftThatItDeclares) {
  for (const Revision revision : {Revision::v2025_11_25, Revision::v2026_07_28}) {
    auto options = login_options({"--declare=oauth-client-credentials"});
    options.wants = [](std::string_view name) {
      return name == "auth/metadata-default" || name == "auth/client-credentials-jwt" ||
             name == "auth/enterprise-managed-authorization";
    };
    options.revisions = {revision};
    std::set<std::string> satisfied;
    const reports::Run run = certified(options).runs.at(0);
    for (const reports::Verdict& verdict : run.verdicts) {
      if (!is_of_login_extension(verdict.requirement)) continue;
      EXPECT_TRUE(verdict.requirement.starts_with("ext-oauth-client-credentials."));
      if (verdict.outcome == Outcome::kSatisfied) satisfied.insert(verdict.requirement);
    }
    EXPECT_EQ(satisfied.size(), 9u) << revision.text();
  }
}

// Drafts that are neither asked for nor declared are not reported at all.
TEST(Login, IsNotToldOfDraftsUnasked) {
  auto options = login_options({"--fault=own-token-without-resource"});
  options.wants = [](std::string_view name) {
    return name == "auth/basic-cimd" || name.starts_with("auth/client-credentials-");
  };
  options.revisions = {Revision::v2026_07_28};
  std::atomic<int> transcripts = 0;
  options.on_transcript = [&](std::string_view, std::string_view scenario, auto) {
    if (scenario.starts_with("auth/client-credentials-")) ++transcripts;
  };
  const reports::Run run = certified(options).runs.at(0);
  EXPECT_FALSE(run.verdicts.empty());
  for (const reports::Verdict& verdict : run.verdicts) {
    EXPECT_FALSE(is_of_login_extension(verdict.requirement)) << verdict.requirement;
  }
  EXPECT_EQ(transcripts, 0);
}

// It need not have a document, nor be able to come in every way.
TEST(Login, WithoutADocumentIsBlamedForThatAlone) {
  auto options = reference_client_options({"--login-without-browser"}, TransportKind::kHttp);
  options.wants = is_login_scenario;
  options.revisions = {Revision::v2026_07_28};
  const reports::Result result = certified(options);
  EXPECT_EQ(violated_rules(result),
            std::set<std::string>{"authorization.client-id-documents-client"});
  EXPECT_EQ(result.runs.at(0).status, reports::RunStatus::kConformant);
}

// What the text names by 32 hexadecimal digits or more: tokens, codes, verifiers, secrets, and what
// may be seen.
std::set<std::string> long_numbers(const std::string& text) {
  static const std::regex kNumber("[0-9a-f]{32,}");
  std::set<std::string> found;
  for (std::sregex_iterator it(text.begin(), text.end(), kNumber), end; it != end; ++it) {
    found.insert(it->str());
  }
  return found;
}

TEST(Login, LeavesNoCredentialInReportsAndTranscripts) {
  // With faults, so that what carries credentials is shown as evidence.
  auto options = login_options({"--fault=token-in-query", "--fault=login-token-without-resource"});
  options.revisions = revisions_with_login();
  std::mutex mutex;  // guards transcripts
  std::string transcripts;
  const auto redact = [&](std::string& text) { options.vault->redact(text); };
  options.on_transcript = [&](std::string_view, std::string_view, auto events) {
    const std::lock_guard lock(mutex);
    for (const harness::EventPtr& event : events) {
      transcripts += harness::to_json_line(*event, redact) + '\n';
    }
  };
  reports::Result result = certified(options);
  std::set<std::string> open = {
      result.catalogue_digest.substr(result.catalogue_digest.find(':') + 1)};
  static const std::regex kOpen("(?:state=|client-)([0-9a-f]{32})");
  for (std::sregex_iterator it(transcripts.begin(), transcripts.end(), kOpen), end; it != end;
       ++it) {
    open.insert((*it)[1].str());
  }
  options.vault->redact(result);
  open.insert(reports::sha256_hex(reports::find_format("json")->render(result)));
  EXPECT_NE(transcripts.find("code_verifier=token#"), std::string::npos);
  EXPECT_NE(transcripts.find("Bearer token#"), std::string::npos);
  EXPECT_NE(transcripts.find("access_token"), std::string::npos);
  for (const std::string& number : long_numbers(transcripts)) {
    EXPECT_TRUE(open.contains(number)) << "a transcript shows " << number;
  }
  EXPECT_EQ(transcripts.find("pre-registered-secret"), std::string::npos);
  for (const reports::Format& writer : reports::formats()) {
    const std::string text = writer.render(result);
    for (const std::string& number : long_numbers(text)) {
      EXPECT_TRUE(open.contains(number)) << writer.name << " shows " << number;
    }
    EXPECT_EQ(text.find("pre-registered-secret"), std::string::npos) << writer.name;
  }
}

}  // namespace
}  // namespace assay::scenarios
