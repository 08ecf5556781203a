#include "harness/authority/inquirer.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <variant>

#include "harness/script/abandoned.h"
#include "harness/script/json_member.h"
#include "reference/wire/message.h"
#include "reference/wire/peer_json.h"
#include "reports/escape.h"

namespace assay::harness {
namespace {

using transport::HttpUrl;

constexpr std::size_t kLongestError = 60;

}  // namespace

std::string AuthorityAnswer::location() const {
  if (status / 100 != 3) return "";
  return std::string(transport::find_header(headers, "Location").value_or(""));
}

std::string AuthorityAnswer::describe() const {
  if (status == 0) return trouble.empty() ? "silence" : fmt::format("no answer ({})", trouble);
  const std::string_view error = text_member(json, "error");
  if (error.empty()) return fmt::format("HTTP {}", status);
  return fmt::format("HTTP {} ({})", status,
                     reports::printable_line(std::string(error.substr(0, kLongestError))));
}

Inquirer::Inquirer(const InquirerOptions& options)
    : options_(options), transcript_({}, options.vault), mask_(transcript_, options.vault) {}

bool Inquirer::may_ask(std::string_view url) const {
  const auto parsed = HttpUrl::parse(url);
  const auto* read = std::get_if<HttpUrl>(&parsed);
  if (read == nullptr) return false;
  return std::find(options_.origins.begin(), options_.origins.end(), read->origin()) !=
         options_.origins.end();
}

AuthorityAnswer Inquirer::get(const std::string& url, const std::string& accept,
                              transport::Headers headers) {
  transport::HttpMessage message;
  message.method = "GET";
  message.headers = std::move(headers);
  message.headers.emplace_back("Accept", accept);
  return ask(url, std::move(message));
}

AuthorityAnswer Inquirer::post_form(const std::string& url, const wire::Form& form,
                                    transport::Headers headers) {
  transport::HttpMessage message;
  message.headers = std::move(headers);
  message.headers.emplace_back("Content-Type", "application/x-www-form-urlencoded");
  message.headers.emplace_back("Accept", "application/json");
  message.body = wire::write_form(form);
  return ask(url, std::move(message));
}

AuthorityAnswer Inquirer::post_json(const std::string& url, const Json& json) {
  transport::HttpMessage message;
  message.headers = {{"Content-Type", "application/json"}, {"Accept", "application/json"}};
  message.body = json.dump();
  return ask(url, std::move(message));
}

AuthorityAnswer Inquirer::ask(const std::string& url, transport::HttpMessage message) {
  if (options_.stop.stop_requested()) {
    throw Abandoned("the run was stopped", Abandoned::Cause::kStopped);
  }
  AuthorityAnswer answer;
  if (!may_ask(url)) {
    answer.trouble = fmt::format("{} is at an origin that you have not named", url);
    return answer;
  }
  const std::size_t from = transcript_.size();
  const std::uint64_t lane = ++lane_;
  auto came = transport::fetch_watched(url, std::move(message), options_.patience, mask_, lane);
  if (const auto* failure = std::get_if<transport::Failure>(&came)) {
    answer.trouble = failure->detail;
  } else {
    auto& fetched = std::get<transport::Fetched>(came);
    answer.status = fetched.status;
    answer.headers = std::move(fetched.headers);
    answer.body = std::move(fetched.body);
    Json json = wire::parse_of_peer(answer.body);
    if (json.is_object()) answer.json = std::move(json);
  }
  for (const EventPtr& event : transcript_.events(from)) {
    if (event->observation.lane.number == lane) answer.events.push_back(event);
  }
  // What a stop cut short counts for nothing.
  if (options_.stop.stop_requested()) {
    throw Abandoned("the run was stopped", Abandoned::Cause::kStopped);
  }
  return answer;
}

}  // namespace assay::harness
