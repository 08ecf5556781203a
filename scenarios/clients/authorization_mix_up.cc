// An authorization response that is another issuer's: which issuer it is compared with, and what
// becomes of the error that it tells of.
//
// Specification: basic/authorization of 2026-07-28, "Authorization Response Validation".
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "scenarios/clients/login_play.h"

namespace assay::scenarios {
namespace {

using authorization::Knobs;
using harness::ClientScenarioRegistration;
using Kind = LoginStep::Kind;

// While the user is asked, the resource is moved to another authorization server, and the response
// names that one. The client has to compare with what it recorded before.
class MovedMeanwhilePlay : public LoginPlay {
 public:
  MovedMeanwhilePlay() : LoginPlay(the_terms()) {}

  std::optional<transport::HttpReply> on_request(const transport::HttpHead& request,
                                                 std::string_view body) override {
    if (!has_moved_ && authorizations() > 0) {
      has_moved_ = true;
      change_office();
    }
    return LoginPlay::on_request(request, body);
  }

 protected:
  // The second one is named at first, and sends the issuer of the first one.
  Knobs furnish(const std::string& origin) const override {
    if (next_.empty()) next_ = origin;
    Knobs knobs;
    knobs.says_that_it_sends_issuer = true;
    knobs.sent_issuer = next_;
    return knobs;
  }
  void judge(LoginReview& login) override {
    const LoginStep* request = nullptr;
    std::string code;
    for (const LoginStep* step : login.all(Kind::kAuthorize)) {
      if (step->office != kAsked || step->status() != 302 || request != nullptr) continue;
      request = step;
      const auto field =
          transport::find_header(step->response->observation.http()->headers, "Location");
      // The label of a secret holds a '#', so this is no URL to be read as one.
      const std::string location(field.value_or(""));
      const wire::Form response = wire::read_form(
          std::string_view(location).substr(std::min(location.find('?') + 1, location.size())));
      code = wire::form_value(response, "code").value_or("");
    }
    if (request == nullptr || code.empty()) return;
    const LoginStep* redeemed = nullptr;
    for (const LoginStep* step : login.all(Kind::kToken)) {
      if (step->value("code") == code && redeemed == nullptr) redeemed = step;
    }
    login.check_refused(
        {"authorization.advertised-issuer-compared", "authorization.issuer-validated"}, *request,
        redeemed, "the response names another issuer than was asked, and its code was redeemed");
    // Who sends it where it came from compares with nothing, and may well have recorded it.
    if (redeemed != nullptr && redeemed->office == kAsked) return;
    login.check_refused({"authorization.issuer-recorded"}, *request, redeemed,
                        "the code of one authorization server was sent to another one, which the "
                        "server named meanwhile");
  }

 private:
  static constexpr int kAsked = 2;

  static LoginTerms the_terms() {
    LoginTerms terms;
    terms.offices = 2;
    terms.first_office = kAsked - 1;
    return terms;
  }

  mutable std::string next_;  // the issuer of the first one
  bool has_moved_ = false;
};

// An error instead of a code, and of another issuer.
class ForeignErrorPlay : public LoginPlay {
 public:
  ForeignErrorPlay() : LoginPlay({}) {}

 protected:
  Knobs furnish(const std::string& origin) const override {
    Knobs knobs;
    knobs.says_that_it_sends_issuer = true;
    knobs.sent_issuer = "https://attacker.example";
    knobs.sent_error = {kError, kDescription, origin + kPage};
    return knobs;
  }
  void judge(LoginReview& login) override {
    constexpr catalogue::RequirementId kRule = "authorization.mismatched-error-ignored";
    const LoginStep* request = nullptr;
    const LoginStep* page = nullptr;
    for (const LoginStep& step : login.steps()) {
      if (step.kind == Kind::kAuthorize && step.status() == 302 && request == nullptr) {
        request = &step;
      }
      if (step.is_at_office && step.path == kPage && page == nullptr) page = &step;
    }
    if (request == nullptr) return;
    const char* shown = shown_field(login.review().errors());
    if (shown != nullptr) {
      login.check(kRule, false,
                  fmt::format("the response names another issuer, and the client wrote its {} to "
                              "standard error",
                              shown),
                  *request);
      return;
    }
    login.check_refused({kRule}, *request, page,
                        "the response names another issuer, and the client fetched its error_uri");
  }

 private:
  // Whether the text shows that word, and not only within a URL that was logged.
  static bool shows_error(std::string_view text) {
    for (std::size_t at = text.find(kError); at != text.npos; at = text.find(kError, at + 1)) {
      const std::string_view before = text.substr(0, at);
      if (!before.ends_with("error=") && !before.ends_with("error%3D")) return true;
    }
    return false;
  }
  // Which of them the text shows as it reads once it is decoded: a log of the URL shows it
  // otherwise. Null if it shows none.
  static const char* shown_field(std::string_view text) {
    if (text.find(kDescription) != text.npos) return "error_description";
    if (shows_error(text)) return "error";
    return text.find(kPage) != text.npos ? "error_uri" : nullptr;
  }

  // No client writes any of these of its own accord.
  static constexpr const char* kError = "denied_7f3a";
  static constexpr const char* kDescription = "Call 555 0100 to have your account unlocked";
  static constexpr const char* kPage = "/why-7f3a";
};

const ClientScenarioRegistration kMovedMeanwhile(
    login_scenario("auth/iss-of-next-server", "begins to log in, and does not go on",
                   harness::make_play<MovedMeanwhilePlay>, &model::Revision::has_issuer_validation,
                   {"authorization.advertised-issuer-compared", "authorization.issuer-recorded",
                    "authorization.issuer-validated"}));
const ClientScenarioRegistration kForeignError(login_scenario(
    "auth/iss-wrong-in-error", "begins to log in, and does not say what error it was told of",
    harness::make_play<ForeignErrorPlay>, &model::Revision::has_issuer_validation,
    {"authorization.mismatched-error-ignored"}));

}  // namespace
}  // namespace assay::scenarios
