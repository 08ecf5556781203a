// What an application can be made to do at the reference server, and the rules that come up with
// it. Those that any message shows need no errand.
#include "harness/runner/client_errand.h"

namespace assay::scenarios {
namespace {

using harness::ClientErrandRegistration;
using harness::TransportKind;

// Whoever answers one question of the server's shows these.
std::vector<catalogue::RequirementId> rules_of_answers() {
  return {"jsonrpc.request-answered-once", "jsonrpc.result-response-id",
          "jsonrpc.result-response-result", "schema.client-results"};
}

const ClientErrandRegistration kErrands({
    {.words = "connect",
     .requirements = {"lifecycle.client-initializes", "lifecycle.initialize-first",
                      "lifecycle.initialized-notification"},
     .method = "initialize"},
    {.words = "connect", .requirements = {"meta.required-fields"}},
    {.words = "list the tools",
     .requirements = {"lifecycle.client-waits-for-initialize-result",
                      "lifecycle.uses-negotiated-capabilities", "http.session-id-sent"},
     .method = "tools/list"},
    {.words = "list the prompts",
     .requirements = {"prompts.negotiation-respected"},
     .method = "prompts/list",
     .concerns = &model::Revision::has_sessions},
    {.words = "call a tool, such as test_simple_text",
     .requirements = {"http.call-headers-appended", "http.call-headers-extracted"},
     .method = "tools/call",
     .transports = {TransportKind::kHttp}},
    {.words = "list all tools, and call test_custom_header_tool with a greeting beyond ASCII",
     .requirements = {"http.call-parameter-headers", "http.parameter-headers-mirrored",
                      "http.parameter-values-encoded", "http.unsafe-value-base64"},
     .method = "tools/call",
     .target = "test_custom_header_tool",
     .transports = {TransportKind::kHttp}},
    {.words = "call the tool test_tool_with_progress, and ask for its progress",
     .requirements = {"progress.token-type", "progress.token-unique"},
     .method = "tools/call",
     .target = "test_tool_with_progress",
     .with = "_meta.progressToken"},
    {.words = "call the tool test_slow with duration_ms 20000, and cancel the call",
     .requirements = {"cancellation.request-id-given", "cancellation.same-direction",
                      "cancellation.still-in-progress", "cancellation.initialize-not-cancelled"},
     .method = "notifications/cancelled",
     .concerns = &model::Revision::has_sessions},
    {.words = "call the tool test_slow with duration_ms 20000, and cancel the call",
     .requirements = {"cancellation.same-direction", "cancellation.still-in-progress"},
     .method = "notifications/cancelled",
     .concerns = &model::Revision::is_stateless,
     .transports = {TransportKind::kStdio}},
    {.words = "call the tool test_roots, which asks for the roots",
     .requirements = rules_of_answers(),
     .method = "tools/call",
     .target = "test_roots",
     .concerns = &model::Revision::has_sessions,
     .capability = "roots"},
    {.words = "call the tool test_sampling, which asks the model",
     .requirements = rules_of_answers(),
     .method = "tools/call",
     .target = "test_sampling",
     .concerns = &model::Revision::has_sessions,
     .capability = "sampling"},
    {.words = "call the tool test_elicitation, and answer its form",
     .requirements = rules_of_answers(),
     .method = "tools/call",
     .target = "test_elicitation",
     .concerns = &model::Revision::has_sessions,
     .capability = "elicitation"},
    {.words = "call the tool test_tool_with_task as a task",
     .requirements = {"tasks.tool-required-augmented"},
     .method = "tools/call",
     .target = "test_tool_with_task"},
});

}  // namespace
}  // namespace assay::scenarios
