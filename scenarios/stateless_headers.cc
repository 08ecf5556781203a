// Scenarios about the header fields that repeat parts of a request.
//
// Specification of 2026-07-28: basic/transports/streamable-http, "Request Metadata".
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "harness/runner/scenario.h"
#include "harness/script/json_member.h"
#include "reference/transport/header_value.h"
#include "reference/wire/compose.h"
#include "reference/wire/message.h"
#include "scenarios/stateless_calls.h"

namespace assay::scenarios {
namespace {

using namespace harness;
using catalogue::RequirementId;
using transport::Headers;

// judge_field_refusal() where the request is refused also with the right fields, for something
// else: it has to be refused in another way.
void judge_refusal_unlike(Script& script, RequirementId rule, const HttpAnswer& answer,
                          std::string_view what, const HttpAnswer& with_right_fields) {
  const auto code = [](const HttpAnswer& each) {
    return error_of(each) != nullptr ? error_of(each)->error_code() : std::nullopt;
  };
  const bool is_as_ever = is_refused(answer) && is_refused(with_right_fields) &&
                          answer.status == with_right_fields.status &&
                          code(answer) == code(with_right_fields);
  if (!is_as_ever) return judge_field_refusal(script, rule, answer, what);
  script.unclear(rule,
                 fmt::format("{} was answered with {}, as it is with the right fields", what,
                             answer.describe()),
                 answer.events);
}

SCENARIO(headers_of_other_methods_are_refused, stateless(), over_http(),
         judges({"http.header-body-mismatch-rejected", "http.header-failure-400",
                 "http.header-failure-error"})) {
  constexpr RequirementId kRule("http.header-body-mismatch-rejected");
  if (!serves(script, {kRule})) return;
  Connection& session = script.session();
  const std::vector<Json> requests = served_requests(script);
  for (const Json& sane : requests) {
    const std::string method(text_member(sane, "method"));
    // No method may be encoded.
    for (const std::string& other : {std::string("assay/other"), in_other_case(method),
                                     transport::encode_header_value_in_base64(method)}) {
      const Json request = once_more(session, sane);
      const HttpAnswer answer =
          post_as_is(session, request, with(fields_of(request), kMethodField, other));
      judge_field_refusal(script, kRule, answer,
                          fmt::format("{} with Mcp-Method: {}", method, other));
    }
    const Json request = once_more(session, sane);
    const HttpAnswer answer =
        post_as_is(session, request, without(fields_of(request), kMethodField));
    judge_field_refusal(script, kRule, answer, fmt::format("{} without Mcp-Method", method));
  }
  script.tried({kRule}, requests.size(), "methods");
}

constexpr RequirementId kNameMismatch("http.header-body-mismatch-rejected");
constexpr RequirementId kDecoded("http.base64-decoded");
constexpr RequirementId kBeforeCompare("http.base64-decoded-before-compare");
constexpr RequirementId kCodes("jsonrpc.reserved-codes-meaning");

void judge_encoded_name(Script& script, const Json& sane, const std::string& name) {
  Connection& session = script.session();
  const Json request = once_more(session, sane);
  const HttpAnswer answer = post_as_is(
      session, request,
      with(fields_of(request), kNameField, transport::encode_header_value_in_base64(name)));
  const bool is_taken = answer.answer() != nullptr && !has_error(answer, kHeaderMismatch);
  for (const RequirementId rule : {kDecoded, kBeforeCompare}) {
    script.check(rule, is_taken, answer.events,
                 fmt::format("{} with its own name in base64 as Mcp-Name was answered with {}",
                             text_member(sane, "method"), answer.describe()));
  }
}

// As a path has it: "%61dd" for "add".
std::string with_percent_sign(const std::string& name) {
  return name.empty() ? name
                      : fmt::format("%{:02X}{}", static_cast<unsigned char>(name.front()),
                                    std::string_view(name).substr(1));
}

void judge_names_of(Script& script, const Json& sane) {
  Connection& session = script.session();
  const auto name = std::string(*transport::find_header(fields_of(sane), kNameField));
  const std::string method(text_member(sane, "method"));
  // What is wrong with the arguments is another question: only a refusal for its fields counts.
  const HttpAnswer before = post_as_is(session, sane, fields_of(sane));
  if (has_error(before, kHeaderMismatch)) {
    return script.check(kCodes, false, before.events,
                        fmt::format("{} whose fields say what its body says was answered with {}",
                                    method, before.describe()));
  }
  if (!before.answer()) return;
  std::vector<std::string> others = {
      "assay-other", transport::encode_header_value_in_base64("assay-other"), in_other_case(name)};
  // Another way to write a URI may be the same one.
  if (method != "resources/read") others.push_back(with_percent_sign(name));
  for (const std::string& other : others) {
    if (other == name) continue;
    const Json request = once_more(session, sane);
    judge_refusal_unlike(script, kNameMismatch,
                         post_as_is(session, request, with(fields_of(request), kNameField, other)),
                         fmt::format("{} with Mcp-Name: {}", method, other), before);
  }
  const Json bare = once_more(session, sane);
  judge_refusal_unlike(script, kNameMismatch,
                       post_as_is(session, bare, without(fields_of(bare), kNameField)),
                       fmt::format("{} without Mcp-Name", method), before);
  judge_encoded_name(script, sane, name);
}

SCENARIO(headers_of_other_names_are_refused, stateless(), over_http(),
         judges({"http.header-body-mismatch-rejected", "http.base64-decoded",
                 "http.base64-decoded-before-compare", "http.header-failure-400",
                 "http.header-failure-error", "jsonrpc.reserved-codes-meaning"})) {
  const std::vector<Json> requests = named_requests(script);
  for (const Json& sane : requests) judge_names_of(script, sane);
  script.tried({kNameMismatch, kDecoded, kBeforeCompare}, requests.size(),
               "names of tools, prompts and resources");
  if (!requests.empty()) return;
  for (const RequirementId rule : {kNameMismatch, kDecoded, kBeforeCompare}) {
    script.not_exercised(rule,
                         "the server offers no tool, prompt or resource that may be asked for");
  }
}

// A request whose header and body name different versions, one of them unknown.
void judge_unknown_version(Script& script, const Json& sane, const std::string& in_header,
                           const std::string& in_body) {
  Connection& session = script.session();
  Json request = once_more(session, sane);
  request["params"]["_meta"][kProtocolVersion] = in_body;
  const HttpAnswer answer =
      post_as_is(session, request, with(fields_of(request), kVersionField, in_header));
  judge_version_refusal(script, answer,
                        fmt::format("{} for {} with MCP-Protocol-Version: {}",
                                    text_member(sane, "method"), in_body, in_header));
}

// The same where both are listed. What names a version with a handshake in its header may be served
// as that version has it: that it was served as one of this era, the resultType says.
void judge_listed_version(Script& script, const Json& sane, const std::string& in_header) {
  Connection& session = script.session();
  const Json request = once_more(session, sane);
  const HttpAnswer answer =
      post_as_is(session, request, with(fields_of(request), kVersionField, in_header));
  const bool is_of_this_era =
      answer.is_served() && !text_member(answer.answer()->result(), "resultType").empty();
  if (!is_of_this_era && !is_refused(answer)) return;
  script.check("http.version-mismatch-rejected", !is_of_this_era, answer.events,
               fmt::format("{} for {} with MCP-Protocol-Version: {} was answered with {}",
                           text_member(sane, "method"), script.revision().text(), in_header,
                           answer.describe()));
}

void judge_versions_of(Script& script, const Json& sane) {
  const std::string own(script.revision().text());
  judge_unknown_version(script, sane, "1900-01-01", own);
  judge_unknown_version(script, sane, own, "1900-01-01");
  for (const std::string& listed : listed_versions(script.session())) {
    if (listed != own) judge_listed_version(script, sane, listed);
  }
}

SCENARIO(headers_of_other_versions_are_refused, stateless(), over_http(),
         judges({"http.version-mismatch-rejected", "http.version-header-absent-rejected",
                 "http.header-failure-400", "http.header-failure-error"})) {
  constexpr RequirementId kMismatch("http.version-mismatch-rejected");
  constexpr RequirementId kAbsent("http.version-header-absent-rejected");
  if (!serves(script, {kMismatch, kAbsent})) return;
  Connection& session = script.session();
  const std::vector<Json> requests = served_requests(script);
  for (const Json& sane : requests) judge_versions_of(script, sane);
  script.tried({kMismatch}, requests.size(), "methods");
  if (has_older_era(script)) {
    script.not_applicable(kAbsent, "the server also serves clients of older revisions");
    return;
  }
  for (const Json& sane : requests) {
    const Json bare = once_more(session, sane);
    judge_field_refusal(
        script, kAbsent, post_as_is(session, bare, without(fields_of(bare), kVersionField)),
        fmt::format("{} without MCP-Protocol-Version", text_member(sane, "method")));
  }
  script.tried({kAbsent}, requests.size(), "methods");
}

// With every letter of its names in one case.
Headers with_names_in_case(Headers headers, bool is_upper) {
  for (auto& [name, value] : headers) {
    std::transform(name.begin(), name.end(), name.begin(), [is_upper](char c) {
      if (is_upper && c >= 'a' && c <= 'z') return static_cast<char>(c - 'a' + 'A');
      if (!is_upper && c >= 'A' && c <= 'Z') return static_cast<char>(c - 'A' + 'a');
      return c;
    });
  }
  return headers;
}

SCENARIO(headers_are_named_without_case, stateless(), over_http(),
         judges({"http.header-names-case-insensitive"})) {
  constexpr RequirementId kRule("http.header-names-case-insensitive");
  if (!serves(script, {kRule})) return;
  Connection& session = script.session();
  std::vector<Json> requests = named_requests(script);
  requests.push_back(request_as_sent(session, cheap_method(script)));
  for (const Json& sane : requests) {
    // Its arguments may be wrong: it is to be answered as it is with the usual names.
    const HttpAnswer usual = post_as_is(session, sane, fields_of(sane));
    if (usual.answer() == nullptr) continue;
    for (const bool is_upper : {false, true}) {
      const Json request = once_more(session, sane);
      const HttpAnswer answer =
          post_as_is(session, request, with_names_in_case(fields_of(request), is_upper));
      const bool is_right = answer.is_served() == usual.is_served() &&
                            has_error(answer, kHeaderMismatch) == has_error(usual, kHeaderMismatch);
      script.check(kRule, is_right, answer.events,
                   fmt::format("{} whose header names are in {} case was answered with {}",
                               text_member(sane, "method"), is_upper ? "upper" : "lower",
                               answer.describe()));
    }
  }
}

}  // namespace
}  // namespace assay::scenarios
