// A login that a test stages: a play, and a client that says to its authorization servers what the
// test has it say.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <variant>

#include "harness/host/play.h"
#include "harness/host/review.h"
#include "harness/runner/client_scenario.h"
#include "harness/transcript/transcript.h"
#include "reference/transport/http_fetch.h"
#include "reference/wire/base64.h"
#include "reference/wire/form.h"

namespace assay::scenarios {

inline constexpr const char* kStagedEndpoint = "http://localhost:3999/mcp";

inline std::int64_t seconds_from_now(std::int64_t seconds) {
  return std::chrono::duration_cast<std::chrono::seconds>(
             std::chrono::system_clock::now().time_since_epoch())
             .count() +
         seconds;
}

class StagedLogin {
 public:
  explicit StagedLogin(std::string_view name) : name_(name), transcript_({}, vault_) {
    for (const harness::ClientScenario& each : harness::client_scenarios()) {
      if (each.name == name) play_ = each.make();
    }
    harness::Venue venue;
    venue.origin = "http://localhost:3999";
    venue.endpoint = kStagedEndpoint;
    venue.recorder = &transcript_;
    venue.vault = vault_;
    EXPECT_EQ(play_->begin(venue), std::nullopt);
    told_ = play_->context();
    const auto reply =
        play_->on_request({"GET", "/.well-known/oauth-protected-resource/mcp", 0, {}}, "");
    issuer_ = Json::parse(reply->body)["authorization_servers"][0];
    const Json metadata = Json::parse(get(issuer_ + "/.well-known/oauth-authorization-server"));
    token_endpoint_ = metadata["token_endpoint"];
    authorization_endpoint_ = metadata["authorization_endpoint"];
    registration_endpoint_ = metadata.value("registration_endpoint", "");
  }

  std::string told(const char* name) const { return told_.value(name, ""); }
  const std::string& issuer() const { return issuer_; }
  const std::string& token_endpoint() const { return token_endpoint_; }
  const std::string& authorization_endpoint() const { return authorization_endpoint_; }
  const std::string& registration_endpoint() const { return registration_endpoint_; }
  transport::Headers as_basic(std::string_view scheme = "Basic") const {
    return {{"Authorization",
             std::string(scheme) + " " +
                 wire::encode_base64(told("client_id") + ":" + told("client_secret"))}};
  }

  std::string get(const std::string& url) {
    transport::HttpMessage message;
    message.method = "GET";
    return body_of(transport::fetch(url, std::move(message), std::chrono::seconds(20)));
  }
  Json post(const std::string& url, const std::string& type, const std::string& body,
            transport::Headers headers = {}) {
    transport::HttpMessage message;
    message.headers = std::move(headers);
    message.headers.emplace_back("Content-Type", type);
    message.body = body;
    const std::string text =
        body_of(transport::fetch(url, std::move(message), std::chrono::seconds(20)));
    return Json::parse(text, nullptr, false);
  }
  Json ask(const std::string& url, const wire::Form& form, transport::Headers headers = {}) {
    return post(url, "application/x-www-form-urlencoded", wire::write_form(form),
                std::move(headers));
  }

  // The code that an authorization request with that query is answered with.
  std::string code_for(const wire::Form& query) {
    transport::HttpMessage message;
    message.method = "GET";
    const auto came = transport::fetch(authorization_endpoint_ + "?" + wire::write_form(query),
                                       std::move(message), std::chrono::seconds(20));
    const auto* fetched = std::get_if<transport::Fetched>(&came);
    EXPECT_NE(fetched, nullptr);
    if (fetched == nullptr) return "";
    const auto place = transport::find_header(fetched->headers, "Location");
    return wire::form_value(wire::read_form(wire::query_in(place.value_or(""))), "code")
        .value_or("");
  }
  // A request to the server itself, and its status. `is_answered`: the answer arrives.
  int visit(const std::string& method, transport::Headers headers, const std::string& body,
            bool is_answered = true) {
    headers.emplace_back("Host", "localhost:3999");
    const transport::HttpHead head{method, "/mcp", 0, std::move(headers)};
    transport::Observation seen;
    seen.lane = {transport::Lane::Kind::kHttp, ++visits_};
    seen.kind = transport::Observation::Kind::kHttpRequest;
    seen.speaker = transport::Party::kClient;
    seen.http = head;
    seen.bytes = body;
    transcript_.observe(seen);
    const auto reply = play_->on_request(head, body);
    const int status = reply ? reply->status : 200;
    if (!is_answered) return status;
    seen.kind = transport::Observation::Kind::kHttpResponse;
    seen.speaker = transport::Party::kServer;
    seen.http = transport::HttpHead{"", "", status, reply ? reply->headers : transport::Headers()};
    seen.bytes.clear();
    transcript_.observe(seen);
    return status;
  }

  // The rules of drafts of which the play says so.
  std::set<std::string> rules(harness::Finding::Kind kind) {
    play_->end();
    const auto events = transcript_.events();
    harness::Review review(name_, model::Revision::v2026_07_28, {}, events);
    play_->review(review);
    std::set<std::string> rules;
    for (const harness::Finding& each : review.take_findings()) {
      const std::string rule(each.requirement.text());
      if (each.kind == kind && rule.starts_with("ext-")) rules.insert(rule.substr(rule.find('.')));
    }
    return rules;
  }
  std::set<std::string> broken() { return rules(harness::Finding::Kind::kBroke); }

 private:
  static std::string body_of(const std::variant<transport::Fetched, transport::Failure>& came) {
    const auto* fetched = std::get_if<transport::Fetched>(&came);
    EXPECT_NE(fetched, nullptr);
    return fetched == nullptr ? "" : fetched->body;
  }

  const std::string name_;
  std::shared_ptr<reports::Vault> vault_ = std::make_shared<reports::Vault>();
  harness::Transcript transcript_;
  std::unique_ptr<harness::Play> play_;
  Json told_;
  std::uint64_t visits_ = 0;
  std::string issuer_;
  std::string token_endpoint_;
  std::string authorization_endpoint_;
  std::string registration_endpoint_;
};

using RuleNames = std::set<std::string>;

}  // namespace assay::scenarios
