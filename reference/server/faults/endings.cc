// Faults that take everything else with them: the connection ends, or no answer comes.
// Specification: basic/lifecycle.
#include "reference/server/faults/fault.h"
#include "reference/wire/compose.h"
#include "reference/wire/message.h"

namespace assay::server {
namespace {

bool is_request_for(const wire::Decoded& arrived, std::string_view method) {
  const auto* message = std::get_if<wire::Message>(&arrived);
  return message && message->kind() == wire::MessageKind::kRequest && message->method() == method;
}

}  // namespace

std::vector<Fault> ending_faults() {
  return {
      {.id = "ends-at-ping",
       .description = "Ends when it is pinged",
       .breaks = {"jsonrpc.request-answered-once"},
       .seen_over = SeenOver::kStdioOnly,
       .ends_at = [](const wire::Decoded& arrived) { return is_request_for(arrived, "ping"); }},
      {.id = "ends-at-tool-call",
       .description = "Ends when a tool is called",
       .breaks = {"jsonrpc.request-answered-once"},
       .seen_over = SeenOver::kStdioOnly,
       .ends_at =
           [](const wire::Decoded& arrived) { return is_request_for(arrived, "tools/call"); }},
      {.id = "ends-at-list",
       .description = "Ends when its tools are listed",
       .breaks = {"jsonrpc.request-answered-once"},
       .seen_over = SeenOver::kStdioOnly,
       .ends_at =
           [](const wire::Decoded& arrived) { return is_request_for(arrived, "tools/list"); }},
      {.id = "ends-at-unknown-method",
       .description = "Ends at a request for a method that it does not know",
       .breaks = {"jsonrpc.request-answered-once"},
       .seen_over = SeenOver::kStdioOnly,
       .ends_at =
           [](const wire::Decoded& arrived) {
             return is_request_for(arrived, "assay/no-such-method");
           }},
      {.id = "ends-after-initialize",
       .description = "Ends at the first request after initialize",
       .breaks = {"jsonrpc.request-answered-once"},
       .seen_over = SeenOver::kStdioOnly,
       .ends_at =
           [](const wire::Decoded& arrived) {
             const auto* message = std::get_if<wire::Message>(&arrived);
             return message && message->kind() == wire::MessageKind::kRequest &&
                    message->method() != "initialize";
           }},
      {.id = "ends-at-bad-message",
       .description = "Ends when it gets something that is not a message",
       .breaks = {"jsonrpc.bad-message-survived"},
       .seen_over = SeenOver::kStdioOnly,
       .ends_at =
           [](const wire::Decoded& arrived) {
             const auto* message = std::get_if<wire::Message>(&arrived);
             return !message || message->kind() == wire::MessageKind::kMalformed;
           }},
      {.id = "ends-at-batch",
       .description = "Ends at a batch, which its revision does not have",
       .breaks = {"jsonrpc.bad-message-survived"},
       .seen_over = SeenOver::kStdioOnly,
       .concerns = &model::Revision::has_no_batches,
       .ends_at =
           [](const wire::Decoded& arrived) {
             const auto* message = std::get_if<wire::Message>(&arrived);
             return message && message->kind() == wire::MessageKind::kBatch;
           }},
      {.id = "mute-after-initialize",
       .description = "Answers initialize, and nothing that comes after it",
       .breaks = {"ping.answered"},
       .departure =
           [](Departure& d) {
             if (!d.answers("initialize")) d.drop();
           }},
      {.id = "initialize-unknown",
       .description = "Does not know the method initialize",
       .breaks = {"lifecycle.initialize-result"},
       .departure =
           [](Departure& d) {
             if (!d.answers("initialize")) return;
             d.json().erase("result");
             d.json()["error"] = {{"code", wire::kMethodNotFound}, {"message", "No such method"}};
           }},
      {.id = "lists-unknown",
       .description = "Declares lists and knows none of their methods",
       .breaks = {"lifecycle.declared-capabilities-served"},
       .departure =
           [](Departure& d) {
             if (!d.request() || !d.request()->method().ends_with("/list")) return;
             d.json().erase("result");
             d.json()["error"] = {{"code", wire::kMethodNotFound}, {"message", "No such method"}};
           }},
      {.id = "errors-500-after-initialize",
       .description = "Answers everything but the handshake with HTTP 500",
       .breaks = {"ping.answered"},
       .seen_over = SeenOver::kHttpOnly,
       .concerns = &model::Revision::has_streamable_http,
       .reply =
           [](const transport::HttpHead& request, std::string_view body,
              transport::HttpReply& reply) {
             const bool is_handshake = body.find("\"initialize\"") != std::string_view::npos ||
                                       body.find("/initialized\"") != std::string_view::npos;
             if (request.method == "POST" && !is_handshake) reply = {500, {}, "", nullptr};
           }},
  };
}

}  // namespace assay::server
