// How a client can begin badly. Specification: basic/lifecycle.
#include "reference/client/faults/fault.h"

namespace assay::client {
namespace {

constexpr const char* kEarlyList = R"({"jsonrpc":"2.0","id":"early","method":"tools/list"})";

}  // namespace

std::vector<Fault> lifecycle_faults() {
  return {
      {.id = "lists-before-initialize",
       .description = "Lists the tools before it initializes",
       .breaks = {"lifecycle.initialize-first"},
       .seen_over = SeenOver::kStdioOnly,
       .departure =
           [](Departure& d) {
             if (d.is_request("initialize")) d.before(kEarlyList);
           }},
      {.id = "initialize-without-info",
       .description = "Does not say who it is in initialize",
       .breaks = {"lifecycle.client-initializes"},
       .departure =
           [](Departure& d) {
             if (d.is_request("initialize")) d.params().erase("clientInfo");
           }},
      {.id = "never-initialized",
       .description = "Sends no notifications/initialized",
       .breaks = {"lifecycle.initialized-notification"},
       .departure =
           [](Departure& d) {
             if (d.is_notification("notifications/initialized")) d.drop();
           }},
      {.id = "does-not-wait",
       .description = "Lists the tools before initialize is answered",
       .breaks = {"lifecycle.client-waits-for-initialize-result"},
       // The answer may cross it on its way.
       .may_break = {"lifecycle.initialized-notification"},
       .seen_over = SeenOver::kStdioOnly,
       .departure =
           [](Departure& d) {
             if (d.is_request("initialize")) d.after(kEarlyList);
           }},
      {.id = "cancels-initialize",
       .description = "Cancels its initialize request",
       .breaks = {"cancellation.initialize-not-cancelled"},
       .seen_over = SeenOver::kStdioOnly,
       .departure =
           [](Departure& d) {
             if (!d.is_request("initialize")) return;
             const Json note = {{"jsonrpc", "2.0"},
                                {"method", "notifications/cancelled"},
                                {"params", {{"requestId", d.json()["id"]}}}};
             d.after(note.dump());
           }},
      {.id = "takes-any-version",
       .description = "Goes on whatever version the server answers with",
       .breaks = {"lifecycle.version-unsupported-disconnect",
                  "lifecycle.unsupported-answer-disconnects", "lifecycle.handles-version-mismatch"},
       .intake =
           [](Json& message, const FaultMemory& memory) {
             if (!message.is_object() || !message.contains("result")) return;
             Json& result = message["result"];
             if (!result.is_object() || !result.contains("protocolVersion")) return;
             result["protocolVersion"] = memory.version;
           }},
      {.id = "asks-for-a-version-it-lacks",
       .description = "Asks for a version that it does not speak",
       .breaks = {"lifecycle.client-requests-supported-version"},
       .departure =
           [](Departure& d) {
             if (d.is_request("initialize")) d.params()["protocolVersion"] = "2024-10-07";
           }},
      {.id = "method-of-another-revision",
       .description = "Sends a request that the negotiated version does not have",
       .breaks = {"lifecycle.respects-negotiated-version"},
       .departure =
           [](Departure& d) {
             const Json extra = {
                 {"jsonrpc", "2.0"}, {"id", "later"}, {"method", "subscriptions/listen"}};
             if (d.is_request("ping")) d.after(extra.dump());
           }},
      {.id = "prompts-undeclared",
       .description = "Lists prompts, whatever the server declares",
       .breaks = {"lifecycle.uses-negotiated-capabilities", "prompts.negotiation-respected"},
       .concerns = &model::Revision::has_handshake,
       .departure =
           [](Departure& d) {
             const Json extra = {
                 {"jsonrpc", "2.0"}, {"id", "undeclared"}, {"method", "prompts/list"}};
             if (d.is_request("ping")) d.after(extra.dump());
           }},
  };
}

}  // namespace assay::client
