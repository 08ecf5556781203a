// Where a client may not go on: near misses of a state, and of an issuer.
//
// Specification: basic/authorization, "Open Redirection" (2025-06-18 and later); 2026-07-28:
// "Authorization Response Validation", and basic/authorization/authorization-server-discovery.
#include <algorithm>
#include <memory>
#include <utility>

#include "scenarios/clients/refusal_plays.h"

namespace assay::scenarios {
namespace {

using authorization::Knobs;
using harness::ClientScenario;
using harness::ClientScenarioRegistration;
using harness::Play;
using Kind = LoginStep::Kind;
using Rules = std::vector<catalogue::RequirementId>;
using MakePlay = std::unique_ptr<Play> (*)();

constexpr std::string_view kStopsShort = "begins to log in, and does not go on";
constexpr const char* kHonest = "https://honest.example";

// --- The state of a response ---

std::unique_ptr<Play> near_state(std::string detail,
                                 void (*change)(Knobs&, const std::string& origin)) {
  return std::make_unique<ResponsePlay>(Rules{"authorization.state-verified"}, std::move(detail),
                                        change);
}

// Another one in any case, also where it has no letters.
std::string in_other_case(const std::string& state) {
  std::string out = state;
  for (char& c : out) {
    const bool is_lower = c >= 'a' && c <= 'z';
    const bool is_upper = c >= 'A' && c <= 'Z';
    if (is_lower || is_upper) c = static_cast<char>(c ^ 0x20);
  }
  return out == state ? state + "-1" : out;
}

std::unique_ptr<Play> make_state_missing() {
  return near_state("the response came without a state, and its code was redeemed",
                    [](Knobs& knobs, const std::string&) { knobs.sends_state = false; });
}
std::unique_ptr<Play> make_state_empty() {
  return near_state("the response came with an empty state, and its code was redeemed",
                    [](Knobs& knobs, const std::string&) { knobs.sent_state = ""; });
}
std::unique_ptr<Play> make_state_prolonged() {
  return near_state("the response came with more after the state, and its code was redeemed",
                    [](Knobs& knobs, const std::string&) {
                      knobs.changed_state = [](const std::string& state) { return state + "-1"; };
                    });
}
std::unique_ptr<Play> make_state_shortened() {
  return near_state("the response came with a part of the state, and its code was redeemed",
                    [](Knobs& knobs, const std::string&) {
                      knobs.changed_state = [](const std::string& state) {
                        return state.substr(0, state.size() / 2);
                      };
                    });
}
std::unique_ptr<Play> make_state_in_other_case() {
  return near_state("the response came with the state in other letters, and its code was redeemed",
                    [](Knobs& knobs, const std::string&) { knobs.changed_state = in_other_case; });
}

ClientScenario state_scenario(std::string_view name, MakePlay make) {
  return login_scenario(name, kStopsShort, make, &model::Revision::has_resource_metadata);
}

const ClientScenarioRegistration kStateMissing(state_scenario("auth/state-missing",
                                                              make_state_missing));
const ClientScenarioRegistration kStateEmpty(state_scenario("auth/state-empty", make_state_empty));
const ClientScenarioRegistration kStateProlonged(state_scenario("auth/state-prolonged",
                                                                make_state_prolonged));
const ClientScenarioRegistration kStateShortened(state_scenario("auth/state-shortened",
                                                                make_state_shortened));
const ClientScenarioRegistration kStateInOtherCase(state_scenario("auth/state-in-other-case",
                                                                  make_state_in_other_case));

// --- The issuer of metadata ---

// The path that issuers have in these plays.
constexpr const char* kIssuerPath = "/tenant1";

std::string with_loud_scheme(const std::string& origin) {
  return "HTTP" + origin.substr(origin.find(':'));
}
std::string without_port(const std::string& origin) {
  return origin.substr(0, origin.rfind(':'));
}

Rules metadata_rules(bool is_on_another_host) {
  Rules rules = {"authorization.metadata-issuer-identical",
                 "authorization.metadata-of-other-issuer-unused",
                 "authorization.metadata-validated"};
  if (is_on_another_host) rules.push_back("authorization.metadata-of-other-issuer-rejected");
  return rules;
}

// The first use of the authorization server of that number; null if there is none.
const LoginStep* use_of(const LoginReview& login, int office) {
  for (const LoginStep& step : login.steps()) {
    const bool is_use =
        step.kind == Kind::kRegister || step.kind == Kind::kAuthorize || step.kind == Kind::kToken;
    if (is_use && step.office == office) return &step;
  }
  return nullptr;
}

void judge_other_issuer(LoginReview& login, int office, bool is_on_another_host) {
  const LoginStep* metadata = nullptr;
  for (const LoginStep* step : login.all(Kind::kServerMetadata)) {
    if (step->office == office && step->status() == 200) metadata = step;
  }
  if (metadata == nullptr) return;
  login.check_refused(metadata_rules(is_on_another_host), *metadata, use_of(login, office),
                      "the metadata do not name the issuer that they were fetched for, and the "
                      "client used them");
}

// The metadata do not name the issuer that they were fetched for.
class OtherIssuerPlay : public LoginPlay {
 public:
  // What they name in its place, at the authorization server at that origin; empty: none.
  using Said = std::string (*)(const std::string& origin);
  enum class Document { kOauth, kOpenid };
  OtherIssuerPlay(Said said, bool is_on_another_host, Document document = Document::kOauth)
      : LoginPlay({}), said_(said), is_on_another_host_(is_on_another_host), document_(document) {}

 protected:
  Knobs furnish(const std::string& origin) const override {
    Knobs knobs;
    knobs.issuer_path = kIssuerPath;
    knobs.has_oauth_metadata = document_ == Document::kOauth;
    knobs.has_openid_metadata = document_ == Document::kOpenid;
    knobs.said_issuer = said_(origin);
    if (!knobs.said_issuer->empty()) return knobs;
    knobs.conduct.metadata = [](Json& metadata, bool) { metadata.erase("issuer"); };
    return knobs;
  }
  void judge(LoginReview& login) override { judge_other_issuer(login, 1, is_on_another_host_); }

 private:
  const Said said_;
  const bool is_on_another_host_;
  const Document document_;
};

// The first authorization server is sound; the next one, which the server names later, says that it
// is another.
class MovedToImpostorPlay : public LoginPlay {
 public:
  MovedToImpostorPlay() : LoginPlay(the_terms()) {}

 protected:
  Knobs furnish(const std::string& origin) const override {
    Knobs knobs;
    if (first_.empty()) first_ = origin;
    if (origin != first_) knobs.said_issuer = kHonest;
    return knobs;
  }
  void on_admitted(int count, authorization::Server&) override {
    if (count == 1) change_office();
  }
  void judge(LoginReview& login) override { judge_other_issuer(login, kNext, true); }

 private:
  static constexpr int kNext = 2;

  static LoginTerms the_terms() {
    LoginTerms terms;
    terms.offices = kNext;
    return terms;
  }

  mutable std::string first_;  // the origin of the first one
};

std::unique_ptr<Play> make_issuer_of_another_host() {
  return std::make_unique<OtherIssuerPlay>([](const std::string&) { return std::string(kHonest); },
                                           true);
}
std::unique_ptr<Play> make_openid_issuer_of_another_host() {
  return std::make_unique<OtherIssuerPlay>([](const std::string&) { return std::string(kHonest); },
                                           true, OtherIssuerPlay::Document::kOpenid);
}
std::unique_ptr<Play> make_issuer_in_upper_case() {
  return std::make_unique<OtherIssuerPlay>(
      [](const std::string& origin) { return with_loud_scheme(origin) + kIssuerPath; }, false);
}
std::unique_ptr<Play> make_issuer_with_slash() {
  return std::make_unique<OtherIssuerPlay>(
      [](const std::string& origin) { return origin + kIssuerPath + "/"; }, false);
}
std::unique_ptr<Play> make_issuer_prolonged() {
  return std::make_unique<OtherIssuerPlay>(
      [](const std::string& origin) { return origin + kIssuerPath + "/other"; }, false);
}
std::unique_ptr<Play> make_issuer_shortened() {
  return std::make_unique<OtherIssuerPlay>([](const std::string& origin) { return origin; }, false);
}
std::unique_ptr<Play> make_issuer_encoded() {
  return std::make_unique<OtherIssuerPlay>(
      [](const std::string& origin) { return origin + "/tenant%31"; }, false);
}
std::unique_ptr<Play> make_issuer_without_port() {
  return std::make_unique<OtherIssuerPlay>(
      [](const std::string& origin) { return without_port(origin) + kIssuerPath; }, false);
}
std::unique_ptr<Play> make_issuer_unnamed() {
  return std::make_unique<OtherIssuerPlay>([](const std::string&) { return std::string(); }, false);
}

ClientScenario other_issuer(std::string_view name, MakePlay make, bool is_on_another_host = false) {
  return login_scenario(name, kStopsShort, make, &model::Revision::has_issuer_validation,
                        metadata_rules(is_on_another_host));
}

const ClientScenarioRegistration kIssuerOfMetadata(other_issuer("auth/metadata-issuer-mismatch",
                                                                make_issuer_of_another_host, true));
const ClientScenarioRegistration kIssuerOfOpenidMetadata(
    other_issuer("auth/metadata-issuer-mismatch-openid", make_openid_issuer_of_another_host, true));
const ClientScenarioRegistration kIssuerInUpperCase(
    other_issuer("auth/metadata-issuer-in-upper-case", make_issuer_in_upper_case));
const ClientScenarioRegistration kIssuerWithSlash(other_issuer("auth/metadata-issuer-with-slash",
                                                               make_issuer_with_slash));
const ClientScenarioRegistration kIssuerProlonged(other_issuer("auth/metadata-issuer-prolonged",
                                                               make_issuer_prolonged));
const ClientScenarioRegistration kIssuerShortened(other_issuer("auth/metadata-issuer-shortened",
                                                               make_issuer_shortened));
const ClientScenarioRegistration kIssuerEncoded(other_issuer("auth/metadata-issuer-percent-encoded",
                                                             make_issuer_encoded));
const ClientScenarioRegistration kIssuerWithoutPort(
    other_issuer("auth/metadata-issuer-without-port", make_issuer_without_port));
const ClientScenarioRegistration kIssuerUnnamed(other_issuer("auth/metadata-issuer-unnamed",
                                                             make_issuer_unnamed));
const ClientScenarioRegistration kMovedToImpostor(
    other_issuer("auth/migration-to-impostor", harness::make_play<MovedToImpostorPlay>, true));

// --- The issuer of a response ---

// An issuer is announced, and the response names nearly the same one.
std::unique_ptr<Play> near_response(Rules rules,
                                    void (*change)(Knobs&, const std::string& origin)) {
  return std::make_unique<ResponsePlay>(
      std::move(rules), "the response names nearly the same issuer, and its code was redeemed",
      change);
}
Rules normalized_rules() {
  return {"authorization.issuer-not-normalized", "authorization.advertised-issuer-compared"};
}
Rules compared_rules() {
  return {"authorization.advertised-issuer-compared", "authorization.issuer-validated"};
}
std::unique_ptr<Play> make_response_in_upper_case() {
  return near_response(normalized_rules(), [](Knobs& knobs, const std::string& origin) {
    knobs.says_that_it_sends_issuer = true;
    knobs.sent_issuer = with_loud_scheme(origin);
  });
}
std::unique_ptr<Play> make_response_encoded() {
  return near_response(normalized_rules(), [](Knobs& knobs, const std::string& origin) {
    knobs.says_that_it_sends_issuer = true;
    knobs.issuer_path = kIssuerPath;
    knobs.sent_issuer = origin + "/tenant%31";
  });
}
std::unique_ptr<Play> make_response_prolonged() {
  return near_response(compared_rules(), [](Knobs& knobs, const std::string& origin) {
    knobs.says_that_it_sends_issuer = true;
    knobs.sent_issuer = origin + "/other";
  });
}
std::unique_ptr<Play> make_response_shortened() {
  return near_response(compared_rules(), [](Knobs& knobs, const std::string& origin) {
    knobs.says_that_it_sends_issuer = true;
    knobs.issuer_path = kIssuerPath;
    knobs.sent_issuer = origin;
  });
}
std::unique_ptr<Play> make_response_without_port() {
  return near_response(compared_rules(), [](Knobs& knobs, const std::string& origin) {
    knobs.says_that_it_sends_issuer = true;
    knobs.sent_issuer = without_port(origin);
  });
}
std::unique_ptr<Play> make_response_empty() {
  return near_response(compared_rules(), [](Knobs& knobs, const std::string&) {
    knobs.says_that_it_sends_issuer = true;
    knobs.sent_issuer = "";
  });
}

ClientScenario response_scenario(std::string_view name, MakePlay make, Rules rules) {
  return login_scenario(name, kStopsShort, make, &model::Revision::has_issuer_validation,
                        std::move(rules));
}

const ClientScenarioRegistration kResponseInUpperCase(response_scenario("auth/iss-in-upper-case",
                                                                        make_response_in_upper_case,
                                                                        normalized_rules()));
const ClientScenarioRegistration kResponseEncoded(response_scenario("auth/iss-percent-encoded",
                                                                    make_response_encoded,
                                                                    normalized_rules()));
const ClientScenarioRegistration kResponseProlonged(response_scenario("auth/iss-prolonged",
                                                                      make_response_prolonged,
                                                                      compared_rules()));
const ClientScenarioRegistration kResponseShortened(response_scenario("auth/iss-shortened",
                                                                      make_response_shortened,
                                                                      compared_rules()));
const ClientScenarioRegistration kResponseWithoutPort(response_scenario("auth/iss-without-port",
                                                                        make_response_without_port,
                                                                        compared_rules()));
const ClientScenarioRegistration kResponseEmpty(response_scenario("auth/iss-empty",
                                                                  make_response_empty,
                                                                  compared_rules()));

}  // namespace
}  // namespace assay::scenarios
