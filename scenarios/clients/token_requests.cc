#include "scenarios/clients/token_requests.h"

#include <fmt/format.h>

#include <algorithm>

#include "reference/transport/observer.h"
#include "reference/wire/base64.h"
#include "reference/wire/http_text.h"

namespace assay::scenarios {
namespace {

constexpr std::string_view kBasicScheme = "Basic";

// What follows "Basic" in Authorization, as it was kept; nothing for anything else.
std::optional<std::string> basic_of(const LoginStep& step) {
  const auto field = transport::find_header(step.head().headers, "Authorization");
  if (!field) return std::nullopt;
  const std::string_view scheme = field->substr(0, field->find(' '));
  if (!wire::equals_without_case(scheme, kBasicScheme)) return std::nullopt;
  return std::string(wire::trim_blanks(field->substr(scheme.size())));
}

bool shows_any(const LoginReview& login, const LoginStep& step,
               const std::vector<std::string>& labels) {
  if (login.held_in(step.request->observation.bytes(), labels) != nullptr) return true;
  const auto& fields = step.head().headers;
  return std::any_of(fields.begin(), fields.end(), [&](const auto& field) {
    return login.held_in(field.second, labels) != nullptr;
  });
}

}  // namespace

bool is_form_request(const LoginStep& step) {
  return step.head().method == "POST" &&
         transport::media_type(step.head().headers) == "application/x-www-form-urlencoded";
}

int ways_of_authentication(const LoginStep& step) {
  return static_cast<int>(basic_of(step).has_value()) +
         static_cast<int>(!step.value("client_secret").empty()) +
         static_cast<int>(!step.value("client_assertion").empty());
}

std::string client_of(const LoginReview& login, const LoginStep& step) {
  const auto basic = basic_of(step);
  if (!basic) return step.value("client_id");
  const std::string pair = wire::decode_base64(login.bare(*basic)).value_or("");
  return wire::decode_form_text(std::string_view(pair).substr(0, pair.find(':')));
}

bool names_server(const LoginReview& login, const std::string& resource) {
  const std::string named = transport::lower_case(resource);
  const std::string& endpoint = login.venue().endpoint;
  const std::string& origin = login.venue().origin;
  return named == endpoint || named == endpoint + "/" || named == origin || named == origin + "/";
}

void judge_named_resource(LoginReview& login, const LoginStep& step,
                          catalogue::RequirementId rule) {
  const std::string named = step.value("resource");
  login.review().check(
      rule, names_server(login, named),
      named.empty() ? std::string("the token request has no resource parameter")
                    : fmt::format("the resource parameter is not the URI of the server, which is "
                                  "{}",
                                  login.venue().endpoint),
      step.events());
}

void judge_secret_places(LoginReview& login, const LoginStep& asked, catalogue::RequirementId rule,
                         const std::vector<std::string>& labels) {
  for (const LoginStep& step : login.steps()) {
    const wire::Form query = step.query();
    for (const char* name : {"client_secret", "client_assertion", "assertion"}) {
      if (!wire::form_value(query, name)) continue;
      return login.review().check(rule, false, fmt::format("{} is in the query of the URL", name),
                                  step.events());
    }
    if (step.is_at_office || !shows_any(login, step, labels)) continue;
    return login.review().check(rule, false,
                                "the server was shown what only the authorization server may see",
                                step.events());
  }
  login.review().held(rule, asked.request);
}

}  // namespace assay::scenarios
