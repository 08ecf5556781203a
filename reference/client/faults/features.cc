// How a client can get wrong what it offers to servers: sampling, elicitation and roots.
// Specification: client/sampling, client/elicitation, client/roots; 2024-11-05 to 2025-11-25.
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <charconv>

#include "reference/client/faults/fault.h"
#include "reference/transport/unique_fd.h"

namespace assay::client {
namespace {

constexpr const char* kSampling = "sampling/createMessage";
constexpr const char* kElicit = "elicitation/create";

// It answers the question of that id.
bool answers_id(const Departure& d, Json& json, std::string_view id) {
  return d.answers(kSampling) && json["id"] == id;
}

Json text_block() {
  return {{"type", "text"}, {"text", "I do not know"}};
}

Json use_block() {
  return {{"type", "tool_use"}, {"id", "c"}, {"name", "get_weather"}, {"input", Json::object()}};
}

void sample(Departure& d, Json content) {
  d.json().erase("error");
  d.json()["result"] = {
      {"role", "assistant"}, {"model", "m"}, {"stopReason", "endTurn"}, {"content", content}};
}

// One GET of a page on this machine, whose answer nobody reads.
void fetch_from_loopback(std::string_view url) {
  constexpr std::string_view kHost = "://127.0.0.1:";
  const std::size_t host = url.find(kHost);
  if (host == std::string_view::npos) return;
  url.remove_prefix(host + kHost.size());
  std::uint16_t port = 0;
  const auto end = std::from_chars(url.data(), url.data() + url.size(), port).ptr;
  url.remove_prefix(static_cast<std::size_t>(end - url.data()));
  const transport::UniqueFd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const auto* where = reinterpret_cast<const sockaddr*>(&address);
  if (::connect(socket.get(), where, sizeof address) != 0) return;
  const std::string request =
      "GET " + std::string(url) + " HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n";
  char answer[512];
  if (::send(socket.get(), request.data(), request.size(), MSG_NOSIGNAL) > 0) {
    [[maybe_unused]] const auto ignored = ::recv(socket.get(), answer, sizeof answer, 0);
  }
}

}  // namespace

std::vector<Fault> feature_faults() {
  return {
      {.id = "sampling-undeclared",
       .description = "Samples its model, and declares no such capability",
       .breaks = {"sampling.capability-declared"},
       .concerns = &model::Revision::has_server_requests,
       .departure =
           [](Departure& d) {
             if (d.is_request("initialize")) d.params()["capabilities"].erase("sampling");
           }},
      {.id = "sampling-tools-undeclared",
       .description = "Lets its model use tools, and declares no sampling.tools",
       .breaks = {"sampling.tools-declared", "sampling.undeclared-tools-error",
                  "sampling.undeclared-tool-choice-error"},
       .concerns = &model::Revision::has_sampling_tool_requests,
       .departure =
           [](Departure& d) {
             if (d.is_request("initialize")) {
               d.params()["capabilities"]["sampling"] = Json::object();
             }
           }},
      {.id = "tool-used-despite-none",
       .description = "Lets its model use a tool where toolChoice is none",
       .breaks = {"sampling.tool-choice-none"},
       .concerns = &model::Revision::has_sampling_tool_requests,
       .departure =
           [](Departure& d) {
             if (answers_id(d, d.json(), "assay-sample-none")) sample(d, use_block());
           }},
      {.id = "no-tool-despite-required",
       .description = "Lets its model answer without a tool where toolChoice is required",
       .breaks = {"sampling.tool-choice-required"},
       .concerns = &model::Revision::has_sampling_tool_requests,
       .departure =
           [](Departure& d) {
             if (answers_id(d, d.json(), "assay-sample-required")) sample(d, text_block());
           }},
      {.id = "missing-tool-result-taken",
       .description = "Samples though the result of a tool is missing",
       .breaks = {"sampling.missing-tool-result-error"},
       .departure =
           [](Departure& d) {
             if (answers_id(d, d.json(), "assay-sample-missing")) sample(d, text_block());
           }},
      {.id = "mixed-tool-results-taken",
       .description = "Samples although the result of a tool is mixed with other content",
       .breaks = {"sampling.mixed-tool-results-error"},
       .departure =
           [](Departure& d) {
             if (answers_id(d, d.json(), "assay-sample-mixed")) sample(d, text_block());
           }},
      {.id = "elicitation-of-no-mode",
       .description = "Declares elicitation in a mode that does not exist",
       .breaks = {"elicitation.some-mode-supported"},
       .may_break = {"elicitation.undeclared-mode-error"},
       .concerns = &model::Revision::has_url_elicitation_requests,
       .departure =
           [](Departure& d) {
             if (d.is_request("initialize")) {
               d.params()["capabilities"]["elicitation"] = {{"audio", Json::object()}};
             }
           }},
      {.id = "url-mode-undeclared",
       .description = "Answers an elicitation by URL, which it did not declare",
       .breaks = {"elicitation.undeclared-mode-error"},
       .departure =
           [](Departure& d) {
             if (d.is_request("initialize")) {
               d.params()["capabilities"]["elicitation"].erase("url");
             }
           }},
      {.id = "url-fetched",
       .description = "Fetches the URL of an elicitation before anybody agrees",
       .breaks = {"elicitation.url-not-prefetched", "elicitation.url-opened-with-consent"},
       .concerns = &model::Revision::has_url_elicitation_requests,
       .reaction = [](const Json& message, std::string_view) -> std::string {
         const bool is_it = message.is_object() && message.value("method", Json()) == kElicit &&
                            message["params"].is_object() &&
                            message["params"].value("mode", Json()) == "url";
         if (is_it) fetch_from_loopback(message["params"].value("url", ""));
         return "";
       }},
      {.id = "required-task-left-out",
       .description = "Calls a tool without a task that can only be called as one",
       .breaks = {"tasks.tool-required-augmented"},
       .departure =
           [](Departure& d) {
             if (d.is_request("tools/call")) d.params().erase("task");
           }},
      {.id = "task-for-any-tool",
       .description = "Calls a tool as a task that says nothing of tasks",
       .breaks = {"tasks.none-without-capability", "tasks.tool-forbidden-not-augmented",
                  "tasks.tool-not-augmented-without-capability"},
       .departure =
           [](Departure& d) {
             const bool is_it =
                 d.is_request("tools/call") && d.params()["name"] == "test_image_content";
             if (is_it) d.params()["task"] = Json::object();
           }},
      {.id = "icons-fetched",
       .description = "Fetches every icon, wherever it is",
       .breaks = {"content.icon-https-or-data", "content.icon-same-origin",
                  "content.icon-unsafe-scheme-rejected", "content.icon-trusted-domain"},
       .reaction = [](const Json& message, std::string_view) -> std::string {
         const Json::json_pointer tools("/result/tools");
         if (!message.is_object() || !message.contains(tools)) return "";
         for (const Json& tool : message[tools]) {
           for (const Json& icon : tool.value("icons", Json::array())) {
             fetch_from_loopback(icon.value("src", ""));
           }
         }
         return "";
       }},
      {.id = "samples-nothing",
       .description = "Samples messages that are none",
       .breaks = {"sampling.content-validated"},
       .concerns = &model::Revision::has_server_requests,
       .departure =
           [](Departure& d) {
             if (answers_id(d, d.json(), "assay-sample-of-nothing")) sample(d, text_block());
           }},
      {.id = "bad-sample-unanswered",
       .description = "Does not answer a sampling request whose messages are not messages",
       .breaks = {"sampling.rejection-error"},
       .departure =
           [](Departure& d) {
             if (answers_id(d, d.json(), "assay-sample-of-nothing")) d.drop();
           }},
      {.id = "form-filled-badly",
       .description = "Accepts a form with a value that does not fit",
       .breaks = {"elicitation.client-validates"},
       .concerns = &model::Revision::has_server_requests,
       .departure =
           [](Departure& d) {
             if (!d.answers(kElicit) || d.json()["id"] != "assay-narrow-form") return;
             d.json()["result"]["content"]["age"] = 7;
           }},
      {.id = "tool-names-in-small-letters",
       .description = "Calls tools in small letters, however they are named",
       .breaks = {"tools.name-case-sensitive"},
       .may_break = {"http.standard-headers", "http.call-headers-extracted"},
       .departure =
           [](Departure& d) {
             if (d.is_request("tools/call") && d.params()["name"] == "Assay_Reads") {
               d.params()["name"] = "assay_reads";
             }
           }},
      {.id = "root-that-climbs",
       .description = "Lists a root whose path leads upwards",
       .breaks = {"roots.uris-validated"},
       .concerns = &model::Revision::has_server_requests,
       .departure =
           [](Departure& d) {
             if (d.answers("roots/list") && !d.is_error()) {
               d.json()["result"]["roots"] = {{{"uri", "file:///project/../secret"}}};
             }
           }},
      {.id = "roots-change-untold",
       .description = "Changes its roots without a notification",
       .breaks = {"roots.list-changed-notified"},
       .departure =
           [](Departure& d) {
             const auto before = d.memory().answered.find("roots/list");
             const bool is_again = before != d.memory().answered.end() && before->second > 0;
             if (is_again && d.answers("roots/list") && !d.is_error()) {
               d.json()["result"]["roots"] = {{{"uri", "file:///another"}}};
             }
           }},
  };
}

}  // namespace assay::client
