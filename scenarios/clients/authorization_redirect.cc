// The server redirects a request to another host: the token was not issued for that one.
//
// Specification: basic/authorization, "Token Handling" (2025-06-18 and later).
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "harness/script/json_member.h"
#include "reference/wire/form.h"
#include "reference/wire/http_text.h"
#include "scenarios/clients/login_play.h"

namespace assay::scenarios {
namespace {

using harness::ClientScenarioRegistration;
using transport::HttpHead;
using transport::HttpReply;

constexpr int kOtherHost = 2;
constexpr const char* kEndpoint = "/mcp";

// There is a protected server on the other host as well, with an authorization server of its own.
std::optional<HttpReply> other_server(const std::string& origin, const HttpHead& request) {
  const std::string_view path = wire::path_in(request.target);
  if (path == kMetadataOfEndpoint && request.method == "GET") {
    const Json document = {{"resource", origin + kEndpoint},
                           {"authorization_servers", std::vector<std::string>{origin}}};
    return HttpReply{200, {{"Content-Type", "application/json"}}, document.dump(), nullptr};
  }
  if (path != kEndpoint) return std::nullopt;
  const std::string challenge =
      fmt::format(R"(Bearer resource_metadata="{}{}")", origin, kMetadataOfEndpoint);
  return HttpReply{401,
                   {{"Content-Type", "text/plain"}, {"WWW-Authenticate", challenge}},
                   "This server asks for a token",
                   nullptr};
}

class RedirectPlay : public LoginPlay {
 public:
  RedirectPlay() : LoginPlay(the_terms()) {}

  std::optional<std::string> begin(const harness::Venue& venue) override {
    if (auto trouble = LoginPlay::begin(venue)) return trouble;
    other_ = office(kOtherHost).origin();
    office(kOtherHost).serve_beside([origin = other_](const HttpHead& request, std::string_view) {
      return other_server(origin, request);
    });
    return std::nullopt;
  }

 protected:
  void on_admitted(int count, authorization::Server&) override { has_begun_ = count >= 1; }
  std::optional<HttpReply> in_place_of(const HttpHead& request) override {
    if (!has_begun_ || request.method != "POST") return std::nullopt;
    return HttpReply{307, {{"Location", other_ + kEndpoint}}, "", nullptr};
  }
  void judge(LoginReview& login) override {
    std::vector<std::string> ours;  // tokens of the first authorization server
    for (const LoginStep* step : login.granted()) {
      const Json answer = step->received_json();
      if (step->office != kOtherHost) {
        ours.emplace_back(harness::text_member(answer, "access_token"));
      }
    }
    const LoginStep* redirected = nullptr;
    for (const LoginStep& step : login.steps()) {
      const bool is_redirect = step.kind == LoginStep::Kind::kProtected && step.status() == 307;
      if (is_redirect && redirected == nullptr) redirected = &step;
      if (redirected == nullptr || step.office != kOtherHost || step.path != kEndpoint) continue;
      const auto bearer = LoginReview::bearer_of(step);
      const bool is_ours = bearer && std::find(ours.begin(), ours.end(), *bearer) != ours.end();
      login.check("authorization.foreign-token-not-sent", !is_ours,
                  "the server redirected the client to another host, which has another "
                  "authorization server, and the client showed its token there",
                  {redirected->request, step.request});
    }
  }

 private:
  static LoginTerms the_terms() {
    LoginTerms terms;
    terms.offices = kOtherHost;
    return terms;
  }

  std::string other_;  // the origin of the other host
  bool has_begun_ = false;
};

const ClientScenarioRegistration kRedirect(
    login_scenario("auth/redirect-to-another-host",
                   "logs in, is redirected to another host, and does not show its token there",
                   harness::make_play<RedirectPlay>, &model::Revision::has_resource_metadata));

}  // namespace
}  // namespace assay::scenarios
