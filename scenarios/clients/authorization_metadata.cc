// Where a client looks for the metadata of the resource, and of the authorization server.
//
// Specification: basic/authorization, "Authorization Server Discovery" (2025-06-18 and later).
#include <algorithm>
#include <memory>
#include <utility>

#include "scenarios/clients/login_play.h"
#include "scenarios/clients/server_places.h"

namespace assay::scenarios {
namespace {

using harness::ClientScenarioRegistration;
using harness::EventPtr;
using harness::Play;
using Kind = LoginStep::Kind;

// Where the metadata of the resource were asked for once a token was asked for: what a client looks
// for before that belongs to no login.
std::vector<const LoginStep*> asked_in_login(const LoginReview& login) {
  const LoginStep* refused = nullptr;
  for (const LoginStep* step : login.all(Kind::kProtected)) {
    if (step->status() == 401 && refused == nullptr) refused = step;
  }
  auto asked = login.all(Kind::kResourceMetadata);
  std::erase_if(asked, [&](const LoginStep* step) {
    return refused == nullptr || step->request->at < refused->response->at;
  });
  return asked;
}

// The first well-known place that was asked, and answered, before the place of the challenge; null
// if there is none. What a client began before it saw the challenge it may finish.
const LoginStep* asked_before_challenge(const LoginReview& login, const LoginStep& there,
                                        const std::vector<const LoginStep*>& asked) {
  if (asked.size() != login.all(Kind::kResourceMetadata).size()) return nullptr;
  for (const LoginStep* step : asked) {
    const bool is_well_known = step->path == kMetadataOfEndpoint || step->path == kMetadataOfServer;
    if (is_well_known && step->path != there.path && was_asked_before(*step, there)) return step;
  }
  return nullptr;
}

void judge_challenge_location(LoginReview& login, const std::string& location,
                              const std::vector<catalogue::RequirementId>& rules) {
  constexpr catalogue::RequirementId kUses = "authorization.client-uses-challenge-location";
  const auto asked = asked_in_login(login);
  if (asked.empty()) return;
  const LoginStep* there = first_at(asked, location);
  const LoginStep* before =
      there == nullptr ? nullptr : asked_before_challenge(login, *there, asked);
  for (const catalogue::RequirementId rule : rules) {
    if (rule == kUses && before != nullptr) {
      login.check_order(rule, false,
                        "the challenge says where the metadata of the resource are, and the client "
                        "asked at a well-known place first",
                        {before->request, before->response, there->request});
      continue;
    }
    login.check(rule, there != nullptr,
                "the challenge says where the metadata of the resource are, and the client asked "
                "elsewhere",
                there == nullptr ? *asked.front() : *there);
  }
}

void judge_well_known(LoginReview& login) {
  constexpr catalogue::RequirementId kRule = "authorization.client-falls-back-to-well-known";
  const auto asked = asked_in_login(login);
  const LoginStep* of_endpoint = first_at(asked, kMetadataOfEndpoint);
  const LoginStep* of_server = first_at(asked, kMetadataOfServer);
  if (of_server != nullptr) {
    const bool is_in_order = of_endpoint != nullptr && !was_asked_before(*of_server, *of_endpoint);
    login.check(kRule, is_in_order,
                "the metadata of the whole server were asked for before those of the endpoint",
                *of_server);
    return;
  }
  if (of_endpoint == nullptr || of_endpoint->response == nullptr) return;
  login.check_came(kRule, of_endpoint->status() == 200,
                   "the metadata of the endpoint are not there, and those of the whole server were "
                   "not asked for",
                   *of_endpoint);
}

class MetadataPlay : public LoginPlay {
 public:
  MetadataPlay(LoginTerms terms, std::string issuer_path, std::size_t found)
      : LoginPlay(std::move(terms)), issuer_path_(std::move(issuer_path)), found_(found) {}

 protected:
  authorization::Knobs furnish(const std::string&) const override {
    authorization::Knobs knobs;
    knobs.issuer_path = issuer_path_;
    knobs.has_oauth_metadata = found_ == 0;
    knobs.has_openid_metadata = found_ == 1;
    knobs.has_openid_appended = found_ == 2;
    return knobs;
  }
  void judge(LoginReview& login) override {
    if (terms().names_metadata) {
      judge_challenge_location(login, terms().metadata_paths.front(), challenge_rules());
    } else {
      judge_well_known(login);
    }
    judge_server_places(login, issuer_path_, found_);
  }
  // What a client shows that asks at the place that the challenge names.
  virtual std::vector<catalogue::RequirementId> challenge_rules() const {
    std::vector<catalogue::RequirementId> rules = {
        "authorization.client-uses-challenge-location",
        "authorization.client-supports-both-metadata-locations"};
    // Who knows this place has read the challenge.
    if (terms().metadata_paths.front() != kMetadataOfEndpoint) {
      rules.push_back("authorization.client-parses-challenge");
    }
    return rules;
  }
  // Without the location in the challenge a client looks at the well-known places.
  void judge_idle(LoginReview& login) override {
    const LoginStep* refused = login.first(Kind::kProtected);
    const bool is_refused = refused != nullptr && refused->status() == 401;
    if (terms().names_metadata || !is_refused || !login.venue().has_succeeded) return;
    for (const catalogue::RequirementId rule :
         {catalogue::RequirementId("authorization.client-falls-back-to-well-known"),
          catalogue::RequirementId("authorization.client-supports-both-metadata-locations")}) {
      login.check_came(rule, false,
                       "the client logs in where the challenge says where the resource metadata "
                       "are, and did not look for them here, where it does not",
                       *refused);
    }
  }

 private:
  const std::string issuer_path_;
  const std::size_t found_;  // which of the places has the document
};

// What a client does not show that logs in only in the scenarios that it knows by name.
constexpr std::string_view kLogsInAnywhere = "logs in whatever the scenario is called";

// The challenge is written as few write it. Whoever logs in elsewhere, and does nothing here, has
// not read it.
class QuaintChallengePlay : public MetadataPlay {
 public:
  explicit QuaintChallengePlay(LoginTerms::Challenge challenge)
      : MetadataPlay(the_terms(challenge), "", 0) {}

 protected:
  // It may use what other challenges name, and cannot read this one.
  std::vector<catalogue::RequirementId> challenge_rules() const override {
    return {"authorization.client-parses-challenge"};
  }
  void judge_idle(LoginReview& login) override {
    const LoginStep* refused = login.first(Kind::kProtected);
    const bool logs_in = login.venue().feats.contains(kLogsInAnywhere);
    if (refused == nullptr || refused->status() != 401 || !logs_in) return;
    for (const catalogue::RequirementId rule :
         {catalogue::RequirementId("authorization.client-parses-challenge"),
          catalogue::RequirementId("authorization.client-responds-to-401")}) {
      login.check_came(rule, false,
                       "the client logs in to other servers, and did not even begin to where the "
                       "challenge is written otherwise",
                       *refused);
    }
  }

 private:
  static LoginTerms the_terms(LoginTerms::Challenge challenge) {
    LoginTerms terms;
    terms.challenge = challenge;
    terms.metadata_paths = {"/custom/metadata/quaint.json"};
    return terms;
  }
};

// The metadata name the resource with scheme and host in upper case.
class UppercasePlay : public LoginPlay {
 public:
  UppercasePlay() : LoginPlay(the_terms()) {}

  // No other suite has a scenario of this name.
  harness::Feats feats() const override {
    harness::Feats feats = LoginPlay::feats();
    if (has_succeeded()) feats.emplace(kLogsInAnywhere);
    return feats;
  }

 protected:
  void judge(LoginReview& login) override {
    const LoginStep* document = nullptr;
    for (const LoginStep* step : login.all(Kind::kResourceMetadata)) {
      if (step->status() == 200) document = step;
    }
    if (document == nullptr) return;
    const bool goes_on = std::any_of(
        login.steps().begin(), login.steps().end(),
        [](const LoginStep& step) { return step.is_at_office && step.kind != Kind::kOther; });
    if (!goes_on && !login.venue().has_succeeded) return;
    login.check_came("authorization.uppercase-uri-accepted", goes_on,
                     "the metadata name the server with scheme and host in upper case, and the "
                     "client did not go on",
                     *document);
  }

 private:
  static LoginTerms the_terms() {
    LoginTerms terms;
    terms.shouts_resource = true;
    return terms;
  }
};

std::unique_ptr<Play> make_quaint_challenge() {
  return std::make_unique<QuaintChallengePlay>(LoginTerms::Challenge::kQuaint);
}
std::unique_ptr<Play> make_second_challenge() {
  return std::make_unique<QuaintChallengePlay>(LoginTerms::Challenge::kSecond);
}
std::unique_ptr<Play> make_challenge_in_next_field() {
  return std::make_unique<QuaintChallengePlay>(LoginTerms::Challenge::kNextField);
}
std::unique_ptr<Play> make_challenge_in_capitals() {
  return std::make_unique<QuaintChallengePlay>(LoginTerms::Challenge::kCapitals);
}
std::unique_ptr<Play> make_no_challenge() {
  LoginTerms terms;
  terms.names_metadata = false;
  terms.challenge = LoginTerms::Challenge::kNone;
  return std::make_unique<MetadataPlay>(terms, "", 0);
}
std::unique_ptr<Play> make_metadata_default() {
  return std::make_unique<MetadataPlay>(LoginTerms{}, "", 0);
}
std::unique_ptr<Play> make_metadata_var1() {
  LoginTerms terms;
  terms.names_metadata = false;
  return std::make_unique<MetadataPlay>(terms, "", 1);
}
std::unique_ptr<Play> make_metadata_var2() {
  LoginTerms terms;
  terms.names_metadata = false;
  terms.metadata_paths = {kMetadataOfServer};
  return std::make_unique<MetadataPlay>(terms, "/tenant1", 0);
}
std::unique_ptr<Play> make_metadata_var3() {
  LoginTerms terms;
  terms.metadata_paths = {"/custom/metadata/location.json"};
  return std::make_unique<MetadataPlay>(terms, "/tenant1", 2);
}

constexpr std::string_view kLogsIn = "logs in and calls test-tool";

const ClientScenarioRegistration kMetadataDefault(
    login_scenario("auth/metadata-default", kLogsIn, make_metadata_default,
                   &model::Revision::has_resource_metadata,
                   {"authorization.client-uses-challenge-location",
                    "authorization.client-supports-both-metadata-locations",
                    "authorization.issuer-without-path-first-oauth",
                    "authorization.several-well-known-endpoints-tried"}));
std::vector<catalogue::RequirementId> quaint_rules() {
  return {"authorization.client-parses-challenge", "authorization.issuer-without-path-first-oauth"};
}

const ClientScenarioRegistration kQuaintChallenge(
    login_scenario("auth/unusual-challenge", kLogsIn, make_quaint_challenge,
                   &model::Revision::has_resource_metadata, quaint_rules()));
const ClientScenarioRegistration kSecondChallenge(
    login_scenario("auth/unusual-challenge-after-another", kLogsIn, make_second_challenge,
                   &model::Revision::has_resource_metadata, quaint_rules()));
const ClientScenarioRegistration kChallengeInNextField(
    login_scenario("auth/unusual-challenge-in-next-field", kLogsIn, make_challenge_in_next_field,
                   &model::Revision::has_resource_metadata, quaint_rules()));
const ClientScenarioRegistration kChallengeInCapitals(
    login_scenario("auth/unusual-challenge-in-capitals", kLogsIn, make_challenge_in_capitals,
                   &model::Revision::has_resource_metadata, quaint_rules()));
// The pages before asked servers for a challenge in each case.
const ClientScenarioRegistration kNoChallenge(login_scenario(
    "auth/no-challenge", kLogsIn, make_no_challenge, &model::Revision::has_client_documents,
    {"authorization.client-falls-back-to-well-known",
     "authorization.client-supports-both-metadata-locations",
     "authorization.issuer-without-path-first-oauth"}));
const ClientScenarioRegistration kUppercase(login_scenario(
    "auth/resource-in-upper-case", kLogsIn, harness::make_play<UppercasePlay>,
    &model::Revision::has_resource_metadata, {"authorization.uppercase-uri-accepted"}));
const ClientScenarioRegistration kMetadataVar1(login_scenario(
    "auth/metadata-var1", kLogsIn, make_metadata_var1, &model::Revision::has_resource_metadata,
    {"authorization.client-falls-back-to-well-known",
     "authorization.client-supports-both-metadata-locations",
     "authorization.client-supports-both-discoveries",
     "authorization.issuer-without-path-first-oauth",
     "authorization.issuer-without-path-then-openid",
     "authorization.several-well-known-endpoints-tried"}));
const ClientScenarioRegistration kMetadataVar2(login_scenario(
    "auth/metadata-var2", kLogsIn, make_metadata_var2, &model::Revision::has_resource_metadata,
    {"authorization.client-falls-back-to-well-known",
     "authorization.client-supports-both-metadata-locations",
     "authorization.issuer-with-path-first-oauth-inserted",
     "authorization.several-well-known-endpoints-tried"}));
const ClientScenarioRegistration kMetadataVar3(login_scenario(
    "auth/metadata-var3", kLogsIn, make_metadata_var3, &model::Revision::has_resource_metadata,
    {"authorization.client-parses-challenge", "authorization.client-supports-both-discoveries",
     "authorization.client-supports-both-metadata-locations",
     "authorization.client-uses-challenge-location",
     "authorization.issuer-with-path-first-oauth-inserted",
     "authorization.issuer-with-path-then-openid-appended",
     "authorization.issuer-with-path-then-openid-inserted",
     "authorization.several-well-known-endpoints-tried"}));

}  // namespace
}  // namespace assay::scenarios
