#include "scenarios/clients/login_play.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <utility>

#include "harness/script/json_member.h"
#include "reference/wire/challenge.h"
#include "reference/wire/dpop.h"
#include "reference/wire/http_text.h"
#include "reference/wire/message.h"
#include "scenarios/clients/hosted_tools.h"

namespace assay::scenarios {
namespace {

using transport::HttpHead;
using transport::HttpReply;

constexpr const char* kLoginTool = "test-tool";
// Where the endpoints of an authorization server are that has metadata: a client that does not read
// these cannot guess it.
constexpr const char* kEndpoints = "/desk-7d31";

std::string shouted(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return text;
}

harness::Feats feats_seen(const LoginReview& login) {
  harness::Feats feats;
  const std::vector<std::string>& registered = login.clients_made();
  for (const LoginStep* step : login.all(LoginStep::Kind::kAuthorize)) {
    const std::string id = step->value("client_id");
    const bool is_registered =
        std::find(registered.begin(), registered.end(), id) != registered.end();
    if (id == kGivenClient) feats.emplace(kTakesGivenClient);
    if (id.find("://") != std::string::npos) feats.emplace(kHasDocument);
    if (is_registered) feats.emplace(kRegisters);
  }
  return feats;
}

bool is_guarded(std::string_view path) {
  return path == "/mcp" || path == "/sse" || path == "/messages";
}

}  // namespace

Json login_tool() {
  Json tool = hosted_tool(kLoginTool, "Says that it was called");
  tool["annotations"] = {{"readOnlyHint", true}};
  return tool;
}

bool calls_login_tool(std::string_view body) {
  const wire::Decoded arrived = wire::decode(body);
  const auto* message = std::get_if<wire::Message>(&arrived);
  return message != nullptr && message->kind() == wire::MessageKind::kRequest &&
         message->method() == "tools/call" && called_tool(*message) == kLoginTool;
}

authorization::Knobs LoginPlay::furnished(const std::string& origin) const {
  authorization::Knobs knobs = furnish(origin);
  const bool has_metadata =
      knobs.has_oauth_metadata || knobs.has_openid_metadata || knobs.has_openid_appended;
  if (!knobs.endpoints_path && has_metadata) knobs.endpoints_path = kEndpoints;
  return knobs;
}

std::optional<std::string> LoginPlay::begin(const harness::Venue& venue) {
  venue_ = venue;
  if (venue_.recorder == nullptr) return "a client logs in over HTTP only";
  if (terms_.is_own_office) {
    own_ = std::make_unique<authorization::Server>(furnished(venue.origin), venue.origin);
  }
  for (int number = 1; !own_ && number <= terms_.offices; ++number) {
    offices_.push_back(std::make_unique<harness::Office>(venue, number));
    const auto furnish_it = [this](const std::string& origin) { return furnished(origin); };
    if (auto trouble = offices_.back()->start(furnish_it)) return trouble;
  }
  current_ = terms_.first_office;
  for (const authorization::KnownClient& each : server().knobs().clients) {
    if (!each.secret.empty()) venue.vault->add(each.secret);
  }
  return std::nullopt;
}

void LoginPlay::end() {
  for (const auto& office : offices_) office->stop();
}

void LoginPlay::on_message(harness::Visit& visit) {
  const bool is_call = visit.is_request("tools/call") && called_tool(visit.message()) == kLoginTool;
  if (is_call) visit.answer(text_result(visit.message(), "called"));
}

void LoginPlay::on_result(const wire::Message& request, Json& result) {
  if (request.method() == "tools/list") list_only({login_tool()}, result);
}

std::optional<HttpReply> LoginPlay::resource_metadata(const HttpHead& request) const {
  const std::string_view path = wire::path_in(request.target);
  const auto& paths = terms_.metadata_paths;
  const bool is_there = std::find(paths.begin(), paths.end(), path) != paths.end();
  if (terms_.is_own_office || request.method != "GET" || !is_there) return std::nullopt;
  Json document = Json::object();
  document["resource"] = terms_.resource.empty() ? venue_.endpoint : terms_.resource;
  if (terms_.shouts_resource) {
    document["resource"] = shouted(venue_.origin) + venue_.endpoint.substr(venue_.origin.size());
  }
  document["authorization_servers"] = std::vector<std::string>{server().issuer()};
  if (!terms_.scopes.empty()) document["scopes_supported"] = terms_.scopes;
  return HttpReply{200, {{"Content-Type", "application/json"}}, document.dump(), nullptr};
}

// Schemes and names of parameters are written in any case, values may hold commas and quotes, and
// several challenges stand in one field or in several (RFC 9110, section 11).
std::vector<std::string> LoginPlay::challenges(std::string_view error,
                                               const std::string& scope) const {
  using Challenge = LoginTerms::Challenge;
  const std::string place = venue_.origin + terms_.metadata_paths.front();
  switch (terms_.challenge) {
    case Challenge::kPlain:
      return {challenge(error, scope)};
    case Challenge::kQuaint:
      return {fmt::format(R"(bearer realm="tools, \"prompts\" and more", resource_metadata="{}")",
                          place)};
    case Challenge::kSecond:
      return {fmt::format(R"(Basic realm="tools", Bearer resource_metadata="{}")", place)};
    case Challenge::kNextField:
      return {R"(Basic realm="tools")", fmt::format(R"(Bearer resource_metadata="{}")", place)};
    case Challenge::kCapitals:
      return {fmt::format(R"(Bearer Resource_Metadata="{}")", place)};
    case Challenge::kNone:
      return {};
  }
  return {};
}

std::string LoginPlay::challenge(std::string_view error, const std::string& scope) const {
  wire::Challenge challenge;
  challenge.scheme = terms_.binds_tokens ? wire::kProofName : "Bearer";
  if (!error.empty()) challenge.parameters.emplace_back("error", error);
  if (terms_.names_metadata && !terms_.is_own_office) {
    challenge.parameters.emplace_back("resource_metadata",
                                      venue_.origin + terms_.metadata_paths.front());
  }
  if (!scope.empty()) challenge.parameters.emplace_back("scope", scope);
  return wire::write_challenge(challenge);
}

HttpReply LoginPlay::refuse(int status, std::string_view error, const std::string& scope) const {
  HttpReply reply{
      status, {{"Content-Type", "text/plain"}}, "This server asks for a token", nullptr};
  for (const std::string& each : challenges(error, scope)) {
    reply.headers.emplace_back("WWW-Authenticate", each);
  }
  return reply;
}

std::optional<HttpReply> LoginPlay::on_request(const HttpHead& request, std::string_view body) {
  if (venue_.recorder == nullptr) return std::nullopt;
  if (own_) {
    if (auto reply = own_->handle(request, body)) return reply;
  }
  if (auto document = resource_metadata(request)) return document;
  if (!is_guarded(wire::path_in(request.target))) return std::nullopt;
  const auto field = transport::find_header(request.headers, "Authorization");
  if (!field) return refuse(401, "", terms_.scope);
  const std::string_view scheme = field->substr(0, field->find(' '));
  // Who shows a bound token as a bearer token is judged for that, and for what comes after it.
  const bool is_read = wire::equals_without_case(scheme, "Bearer") ||
                       (terms_.binds_tokens && wire::equals_without_case(scheme, wire::kProofName));
  const auto grant =
      is_read ? server().grant_of(wire::trim_blanks(field->substr(scheme.size()))) : std::nullopt;
  if (!grant) return refuse(401, "invalid_token", terms_.scope);
  const std::string lacks = lacking(*grant, body);
  if (!lacks.empty()) return refuse(403, "insufficient_scope", lacks);
  if (auto reply = in_place_of(request)) return reply;
  on_admitted(++admitted_, server());
  return std::nullopt;
}

void LoginPlay::review(harness::Review& review) {
  LoginReview login(review, venue_, terms_.is_own_office, terms_.binds_tokens);
  was_taken_up_ = login.has_begun();
  if (!was_taken_up_) return judge_idle(login);
  feats_ = feats_seen(login);
  judge_login(login);
  judge(login);
}

harness::ClientScenario with_given_client(harness::ClientScenario scenario) {
  scenario.context = []() -> Json {
    return {{"name", "auth/pre-registration"},
            {"client_id", kGivenClient},
            {"client_secret", kGivenSecret}};
  };
  return scenario;
}

harness::ClientScenario login_scenario(std::string_view name, std::string_view task,
                                       std::unique_ptr<harness::Play> (*make)(),
                                       model::Revision::Question concerns,
                                       std::vector<catalogue::RequirementId> rules) {
  const std::vector<catalogue::RequirementId> common = common_login_rules();
  rules.insert(rules.end(), common.begin(), common.end());
  harness::ClientScenario scenario;
  scenario.name = name;
  scenario.task = task;
  scenario.requirements = std::move(rules);
  scenario.make = make;
  scenario.concerns = concerns;
  scenario.transports = {harness::TransportKind::kHttp};
  scenario.may_fail = true;
  scenario.topic = kLoginTopic;
  scenario.deeds = {{harness::Act::kLogsIn}};
  return scenario;
}

}  // namespace assay::scenarios
