// The server as its own authorization server.
//
// Specification: basic/authorization of 2025-03-26, "Server Metadata Discovery".
#include <algorithm>
#include <memory>
#include <utility>

#include "scenarios/clients/login_play.h"

namespace assay::scenarios {
namespace {

using harness::ClientScenarioRegistration;
using harness::Play;
using Kind = LoginStep::Kind;

constexpr const char* kMetadataAtBase = "/.well-known/oauth-authorization-server";

LoginTerms own_office() {
  LoginTerms terms;
  terms.is_own_office = true;
  return terms;
}

const LoginStep* first_of(LoginReview& login, Kind kind, std::string_view path) {
  for (const LoginStep* step : login.all(kind)) {
    if (step->path == path) return step;
  }
  return nullptr;
}

// A date: "2025-03-26".
bool is_version(std::string_view text) {
  constexpr std::string_view kForm = "dddd-dd-dd";
  return std::equal(text.begin(), text.end(), kForm.begin(), kForm.end(), [](char c, char form) {
    return form == 'd' ? c >= '0' && c <= '9' : c == form;
  });
}

// The first step of the login itself.
const LoginStep* first_use(LoginReview& login) {
  for (const LoginStep& step : login.steps()) {
    const bool is_use =
        step.kind == Kind::kRegister || step.kind == Kind::kAuthorize || step.kind == Kind::kToken;
    if (is_use) return &step;
  }
  return nullptr;
}

class OwnOfficePlay : public LoginPlay {
 public:
  explicit OwnOfficePlay(bool has_metadata)
      : LoginPlay(own_office()), has_metadata_(has_metadata) {}

 protected:
  authorization::Knobs furnish(const std::string&) const override {
    authorization::Knobs knobs;
    knobs.has_oauth_metadata = has_metadata_;
    // Elsewhere than without metadata.
    if (has_metadata_) knobs.endpoints_path = "/oauth";
    return knobs;
  }
  void judge(LoginReview& login) override {
    judge_metadata(login);
    if (has_metadata_) {
      judge_use_of_metadata(login);
    } else {
      judge_default_paths(login);
    }
  }

 private:
  static void judge_metadata(LoginReview& login) {
    const LoginStep* asked = first_of(login, Kind::kServerMetadata, kMetadataAtBase);
    const LoginStep* use = first_use(login);
    if (use != nullptr) {
      const LoginStep* any = login.first(Kind::kServerMetadata);
      login.check("authorization.metadata-before-default-paths",
                  any != nullptr && any->request->at < use->request->at,
                  "the client began to log in, and had not asked for the metadata", *use);
    }
    const LoginStep* elsewhere = login.first(Kind::kServerMetadata);
    if (asked == nullptr && elsewhere != nullptr) {
      login.check_came("authorization.base-url-without-path", false,
                       "the metadata were asked for below the path of the server's URL, and not at "
                       "its origin",
                       *elsewhere);
    }
    if (asked == nullptr) return;
    login.check("authorization.base-url-without-path", true, "", *asked);
    const auto named = transport::find_header(asked->head().headers, "MCP-Protocol-Version");
    login.check("authorization.version-header-in-discovery", named && is_version(*named),
                named ? "MCP-Protocol-Version of the request for the metadata is no version"
                      : "the request for the metadata has no MCP-Protocol-Version",
                *asked);
  }
  static void judge_use_of_metadata(LoginReview& login) {
    const LoginStep* use = first_use(login);
    if (use == nullptr) return;
    login.check("authorization.client-uses-server-metadata", use->path.starts_with("/oauth/"),
                "the metadata say where to log in, and the client did so elsewhere", *use);
  }
  static void judge_default_paths(LoginReview& login) {
    const LoginStep* asked = first_of(login, Kind::kServerMetadata, kMetadataAtBase);
    const bool gives_up = first_use(login) == nullptr && login.venue().has_succeeded;
    if (gives_up && asked != nullptr && asked->status() == 404) {
      for (const catalogue::RequirementId rule :
           {catalogue::RequirementId("authorization.client-default-register-path"),
            catalogue::RequirementId("authorization.client-default-authorize-path"),
            catalogue::RequirementId("authorization.client-default-token-path")}) {
        login.check_came(rule, false,
                         "the client logs in where there are metadata, and without them it did "
                         "not use the default paths",
                         *asked);
      }
    }
    judge_path(login, Kind::kRegister, "/register", "authorization.client-default-register-path");
    judge_path(login, Kind::kAuthorize, "/authorize",
               "authorization.client-default-authorize-path");
    judge_path(login, Kind::kToken, "/token", "authorization.client-default-token-path");
  }
  static void judge_path(LoginReview& login, Kind kind, std::string_view path,
                         catalogue::RequirementId rule) {
    const LoginStep* any = login.first(kind);
    if (any == nullptr) return;
    const LoginStep* there = first_of(login, kind, path);
    login.check(
        rule, there != nullptr,
        "there are no metadata, and the client did not use the default path " + std::string(path),
        there == nullptr ? *any : *there);
  }

  const bool has_metadata_;
};

std::unique_ptr<Play> make_own_metadata() {
  return std::make_unique<OwnOfficePlay>(true);
}
std::unique_ptr<Play> make_default_paths() {
  return std::make_unique<OwnOfficePlay>(false);
}

const ClientScenarioRegistration kOwnMetadata(login_scenario(
    "auth/2025-03-26-oauth-metadata-backcompat", "logs in and calls test-tool", make_own_metadata,
    &model::Revision::has_own_authorization_server,
    {"authorization.base-url-without-path", "authorization.client-uses-server-metadata",
     "authorization.metadata-before-default-paths", "authorization.version-header-in-discovery"}));
const ClientScenarioRegistration kDefaultPaths(login_scenario(
    "auth/2025-03-26-oauth-endpoint-fallback", "logs in and calls test-tool", make_default_paths,
    &model::Revision::has_own_authorization_server,
    {"authorization.base-url-without-path", "authorization.client-default-authorize-path",
     "authorization.client-default-register-path", "authorization.client-default-token-path",
     "authorization.metadata-before-default-paths", "authorization.version-header-in-discovery"}));

// Once more, when it is known whether the client logs in where there are metadata.
const ClientScenarioRegistration kDefaultPathsAgain(login_scenario(
    "auth/default-paths", "logs in and calls test-tool", make_default_paths,
    &model::Revision::has_own_authorization_server,
    {"authorization.client-default-authorize-path", "authorization.client-default-register-path",
     "authorization.client-default-token-path"}));

}  // namespace
}  // namespace assay::scenarios
