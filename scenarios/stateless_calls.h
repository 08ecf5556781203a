// Requests of the revisions without a handshake, made by hand: what the suite would send, to be
// changed.
//
// Specification of 2026-07-28: basic/index, "_meta"; basic/transports/streamable-http.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/script/http_script.h"
#include "harness/script/script.h"

namespace assay::scenarios {

inline constexpr const char* kProtocolVersion = "io.modelcontextprotocol/protocolVersion";
inline constexpr const char* kClientCapabilities = "io.modelcontextprotocol/clientCapabilities";
inline constexpr const char* kClientInfo = "io.modelcontextprotocol/clientInfo";
inline constexpr const char* kLogLevel = "io.modelcontextprotocol/logLevel";
inline constexpr const char* kSubscriptionId = "io.modelcontextprotocol/subscriptionId";

inline constexpr const char* kVersionField = "MCP-Protocol-Version";
inline constexpr const char* kMethodField = "Mcp-Method";
inline constexpr const char* kNameField = "Mcp-Name";

inline constexpr int kBadRequest = 400;

inline constexpr std::int64_t kHeaderMismatch = -32020;
inline constexpr std::int64_t kMissingCapability = -32021;
inline constexpr std::int64_t kUnsupportedVersion = -32022;

// The cheapest request that the server must serve by what it declares: one of its lists, else
// `server/discover`.
std::string cheap_method(harness::Script& script);

// A request as the suite sends it, with a fresh id.
Json request_as_sent(harness::Connection& connection, std::string_view method,
                     Json params = Json::object(), std::optional<Json> capabilities = std::nullopt);

// Sends it as it is, with the header fields that repeat it, and waits for the answer.
harness::Reply ask(harness::Connection& connection, const Json& request);

// The same with the header fields of another request, so that nothing but its body is to be judged.
harness::Pending start_with_fields_of(harness::Connection& connection, const Json& sane,
                                      const Json& request);

// Requests whose name is repeated in a header field, some of each kind: tools that may be called,
// prompts, resources. Their arguments need not be right.
std::vector<Json> named_requests(harness::Script& script);
// What completes the first argument of a prompt; nothing where the server completes nothing, or no
// prompt has one.
std::optional<Json> completion_of_prompt(harness::Script& script);
// The cheapest request, and one more of each method that is served as it is.
std::vector<Json> served_requests(harness::Script& script);
// The same request with an id of its own.
Json once_more(harness::Connection& connection, Json request);

// Whether the server serves an unchanged request: what frames a refusal. Where it does not, each of
// the rules is noted as inconclusive.
bool serves(harness::Script& script, std::initializer_list<catalogue::RequirementId> rules);

// "result" of this era: it has a resultType.
bool is_served(const harness::Reply& reply);
// What is left of a served request that had to wait for nothing: "complete".
bool is_complete(const harness::Reply& reply);

// The versions that the server listed.
std::vector<std::string> listed_versions(harness::Connection& connection);
// The answer to a client of old, which begins with `initialize` on a connection of its own.
harness::Reply answer_to_initialize(harness::Script& script);
// Whether it also serves clients that begin with `initialize`: it lists one of their versions, or
// answers one of them.
bool has_older_era(harness::Script& script);

// How a request that names no version may be refused other than with -32602. Over HTTP its header
// names one, which does not fit; and a server of both eras may take it for one of the older. But no
// version was requested that could be unsupported.
bool is_other_refusal(harness::Script& script, const harness::Reply& reply, bool has_both_eras);
// The status that goes with an error, over HTTP.
void judge_status(harness::Script& script, catalogue::RequirementId rule, int status,
                  const harness::Reply& reply, std::string_view what);

// Over HTTP: the fields that go with the request, and the same POSTed with others.
transport::Headers fields_of(const Json& request);
transport::Headers without(transport::Headers headers, std::string_view name);
transport::Headers with(transport::Headers headers, const std::string& name, std::string value);
// With every letter in the other case.
std::string in_other_case(std::string text);
harness::HttpAnswer post_as_is(harness::Connection& connection, const Json& request,
                               transport::Headers headers);
// The error that it is; null if it is none. And an error of that code.
const wire::Message* error_of(const harness::HttpAnswer& answer);
bool has_error(const harness::HttpAnswer& answer, std::int64_t code);
// A status of failure or an error says that a request is refused; which of them is right has rules
// of its own. And the rule that it is.
bool is_refused(const harness::HttpAnswer& answer);
void judge_refused(harness::Script& script, catalogue::RequirementId rule,
                   const harness::HttpAnswer& answer, const std::string& detail);
// A request that has been refused for its fields says so by status and code, too.
void judge_field_refusal(harness::Script& script, catalogue::RequirementId rule,
                         const harness::HttpAnswer& answer, std::string_view what);
// A request whose header and body name different versions is refused. Where one of them is unknown,
// that may be said first.
void judge_version_refusal(harness::Script& script, const harness::HttpAnswer& answer,
                           std::string_view what);

}  // namespace assay::scenarios
