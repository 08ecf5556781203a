// A tool that asks an API elsewhere on behalf of its client. Specification: basic/authorization,
// "Access Token Privilege Restriction".
#include <chrono>
#include <string>
#include <utility>
#include <variant>

#include "reference/server/content.h"
#include "reference/server/context.h"
#include "reference/server/options.h"
#include "reference/server/tools.h"
#include "reference/transport/http_fetch.h"
#include "reference/wire/base64.h"
#include "reference/wire/message.h"

namespace assay::server {
namespace {

// A client waits for it.
constexpr std::chrono::milliseconds kTimeout{5000};
// What the server itself shows to the API. Nobody is let in by it anywhere.
constexpr const char* kOwnKey = "Bearer key-of-the-reference-server";

std::string token_in(const std::string& credentials) {
  const std::size_t blank = credentials.find(' ');
  return blank == std::string::npos ? "" : credentials.substr(blank + 1);
}

Answer ask_upstream(ToolDialogue& conversation, const Json&) {
  const Options& options = conversation.context().options();
  const std::string credentials = conversation.credentials();
  std::string url = options.upstream + "/v1/weather";
  transport::HttpMessage message;
  message.method = "GET";
  const bool is_passed_on = options.has(Switch::kPassesTokenOn) && !credentials.empty();
  message.headers = {{"Authorization", is_passed_on ? credentials : kOwnKey}};
  if (options.has(Switch::kPassesTokenAsPassword)) {
    message.headers = {
        {"Authorization", "Basic " + wire::encode_base64("x:" + token_in(credentials))}};
  }
  if (options.has(Switch::kPassesTokenInUrl)) url += "?access_token=" + token_in(credentials);
  const auto answer = transport::fetch(url, std::move(message), kTimeout);
  if (const auto* failure = std::get_if<transport::Failure>(&answer)) {
    return tool_error("The API cannot be asked: " + failure->detail);
  }
  return tool_text("The API answered with " +
                   std::to_string(std::get<transport::Fetched>(answer).status));
}

}  // namespace

std::vector<Tool> upstream_tools() {
  return {
      {.name = "test_upstream",
       .title = "Upstream",
       .description = "Asks the API that the server was told of",
       .input_schema = no_arguments(),
       .run = ask_upstream,
       .is_slow = true,
       .needs_upstream = true},
  };
}

}  // namespace assay::server
