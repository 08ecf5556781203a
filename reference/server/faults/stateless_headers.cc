// Faults of the header fields that repeat parts of a request. Specification:
// basic/transports/streamable-http (since 2026-07-28).
#include <algorithm>
#include <string_view>

#include "reference/server/faults/stateless_faults.h"
#include "reference/transport/header_value.h"
#include "reference/transport/request_headers.h"

namespace assay::server {
namespace {

using transport::find_header;
using transport::Headers;
using transport::HttpDuty;
using transport::HttpHead;

constexpr std::string_view kParameterPrefix = "Mcp-Param-";

bool is_named(const transport::Header& header, std::string_view name) {
  return transport::lower_case(header.first) == transport::lower_case(name);
}

bool is_parameter(const transport::Header& header) {
  return transport::lower_case(header.first)
      .starts_with(transport::lower_case(std::string(kParameterPrefix)));
}

void set_header(HttpHead& head, std::string_view name, std::string_view value) {
  std::erase_if(head.headers, [&](const auto& header) { return is_named(header, name); });
  head.headers.emplace_back(name, value);
}

// What the body says where a header has to say it too; nothing where it says nothing.
std::optional<std::string> said(const Json& body, std::string_view header) {
  const Json& params = member(body, "params");
  if (header == transport::kMethodHeader) return string_member(body, "method");
  if (header == transport::kProtocolVersionHeader) {
    return string_member(member(params, "_meta"), kProtocolVersionKey);
  }
  const std::optional<std::string> name = string_member(params, "name");
  return name ? name : string_member(params, "uri");
}

// Where the header is not there, it is taken to say what the body says.
template <const std::string_view& kHeader>
void do_without(const Json& body, HttpHead& head) {
  const auto value = said(body, kHeader);
  if (value && !find_header(head.headers, kHeader)) set_header(head, kHeader, *value);
}

// Where the header is there, and says something else, it is taken to say what the body says.
template <const std::string_view& kHeader>
void believe_the_body(const Json& body, HttpHead& head) {
  const auto value = said(body, kHeader);
  if (value && find_header(head.headers, kHeader)) set_header(head, kHeader, *value);
}

// The same where the two differ in case only.
template <const std::string_view& kHeader>
void ignore_case(const Json& body, HttpHead& head) {
  const auto value = said(body, kHeader);
  const auto heard = find_header(head.headers, kHeader);
  if (value && heard && transport::lower_case(*heard) == transport::lower_case(*value)) {
    set_header(head, kHeader, *value);
  }
}

// The value that `body` has for a parameter's header, as far as it stands at the top.
const Json& argument_of(const Json& body, const transport::Header& header) {
  const Json& arguments = member(member(body, "params"), "arguments");
  const std::string wanted = transport::lower_case(header.first.substr(kParameterPrefix.size()));
  for (const auto& [name, value] : arguments.items()) {
    if (transport::lower_case(name) == wanted) return value;
  }
  return member(arguments, "");
}

std::vector<Fault> missing_header_faults() {
  return {
      {.id = "version-header-missing-accepted",
       .description = "Serves a request without MCP-Protocol-Version",
       .breaks = {"http.version-header-absent-rejected", "http.header-body-mismatch-rejected"},
       .may_break = {"http.version-mismatch-rejected"},
       .mishears = do_without<transport::kProtocolVersionHeader>},
      {.id = "method-header-missing-accepted",
       .description = "Serves a request without Mcp-Method",
       .breaks = {"http.header-body-mismatch-rejected"},
       .mishears = do_without<transport::kMethodHeader>},
      {.id = "name-header-missing-accepted",
       .description = "Serves a request without Mcp-Name",
       .breaks = {"http.header-body-mismatch-rejected"},
       .mishears = do_without<transport::kNameHeader>},
      {.id = "version-header-unread",
       .description = "Serves a request whose MCP-Protocol-Version is not that of its body",
       .breaks = {"http.version-mismatch-rejected", "http.header-body-mismatch-rejected"},
       .mishears = believe_the_body<transport::kProtocolVersionHeader>},
      {.id = "version-of-body-unread",
       .description = "Serves a request by its MCP-Protocol-Version, whatever its body says",
       .breaks = {"http.version-mismatch-rejected"},
       .may_break = {"versioning.unsupported-version-error", "http.version-unsupported-400",
                     "http.header-body-mismatch-rejected"},
       .intake =
           [](Json& message, FaultMemory&) {
             if (!has_meta(message)) return;
             Json& version = meta_of(message)[kProtocolVersionKey];
             if (version.is_string()) version = model::Revision::newest_stateless().text();
           },
       .mishears =
           [](const Json& body, HttpHead& head) {
             const auto heard = find_header(head.headers, transport::kProtocolVersionHeader);
             if (heard == model::Revision::newest_stateless().text()) {
               believe_the_body<transport::kProtocolVersionHeader>(body, head);
             }
           }},
      {.id = "method-header-unread",
       .description = "Serves a request whose Mcp-Method is not that of its body",
       .breaks = {"http.header-body-mismatch-rejected"},
       .mishears = believe_the_body<transport::kMethodHeader>},
      {.id = "name-header-unread",
       .description = "Serves a request whose Mcp-Name is not that of its body",
       .breaks = {"http.header-body-mismatch-rejected"},
       .may_break = {"http.base64-decoded", "http.base64-decoded-before-compare"},
       .mishears = believe_the_body<transport::kNameHeader>},
      {.id = "headers-unread",
       .description = "Does not look at the headers that mirror the body",
       .breaks = {"http.header-body-mismatch-rejected", "http.parameter-header-matches-body"},
       .may_break = {"http.version-mismatch-rejected", "http.version-header-absent-rejected",
                     "http.parameter-header-missing-rejected", "http.base64-decoded",
                     "http.base64-decoded-before-compare", "http.parameter-header-characters"},
       .neglects = HttpDuty::kChecksParameterHeaders,
       .mishears =
           [](const Json& body, HttpHead& head) {
             std::erase_if(head.headers, is_parameter);
             for (const std::string_view name :
                  {transport::kProtocolVersionHeader, transport::kMethodHeader,
                   transport::kNameHeader}) {
               if (const auto value = said(body, name)) set_header(head, name, *value);
             }
           }},
      {.id = "method-header-without-case",
       .description = "Compares Mcp-Method with the body without regard to case",
       .breaks = {"http.header-body-mismatch-rejected"},
       .mishears = ignore_case<transport::kMethodHeader>},
      {.id = "name-header-without-case",
       .description = "Compares Mcp-Name with the body without regard to case",
       .breaks = {"http.header-body-mismatch-rejected"},
       .mishears = ignore_case<transport::kNameHeader>},
      {.id = "header-names-by-case",
       .description = "Knows the header Mcp-Method in this spelling alone",
       .breaks = {"http.header-names-case-insensitive"},
       .mishears =
           [](const Json&, HttpHead& head) {
             std::erase_if(head.headers, [](const auto& header) {
               return is_named(header, transport::kMethodHeader) &&
                      header.first != transport::kMethodHeader;
             });
           }},
      {.id = "encoded-names-compared",
       .description = "Compares an encoded Mcp-Name with the body without decoding it",
       .breaks = {"http.base64-decoded", "http.base64-decoded-before-compare"},
       .may_break = {"http.header-body-mismatch-rejected"},
       .mishears =
           [](const Json&, HttpHead& head) {
             const auto name = find_header(head.headers, transport::kNameHeader);
             if (name && transport::looks_encoded(*name))
               set_header(head, transport::kNameHeader, "undecoded");
           }},
  };
}

std::vector<Fault> parameter_header_faults() {
  return {
      {.id = "parameter-headers-unread",
       .description = "Does not compare Mcp-Param headers with the body",
       .breaks = {"http.parameter-header-matches-body", "http.header-body-mismatch-rejected",
                  "http.parameter-header-missing-rejected", "http.parameter-header-characters"},
       .may_break = {"http.base64-decoded-before-compare", "http.base64-decoded"},
       .neglects = HttpDuty::kChecksParameterHeaders},
      {.id = "parameter-headers-misread",
       .description = "Serves a call whose Mcp-Param headers say something else",
       .breaks = {"http.parameter-header-matches-body", "http.header-body-mismatch-rejected"},
       .may_break = {"http.parameter-header-characters", "http.base64-decoded",
                     "http.base64-decoded-before-compare"},
       .mishears =
           [](const Json& body, HttpHead& head) {
             for (auto& header : head.headers) {
               if (!is_parameter(header)) continue;
               const Json& value = argument_of(body, header);
               if (value.is_string()) header.second = value.get<std::string>();
               if (value.is_number() || value.is_boolean()) header.second = value.dump();
             }
           }},
      {.id = "parameter-headers-missing-accepted",
       .description = "Serves a call that lacks the header of an argument",
       .breaks = {"http.parameter-header-missing-rejected"},
       .may_break = {"http.header-body-mismatch-rejected", "http.parameter-header-matches-body"},
       .mishears =
           [](const Json& body, HttpHead& head) {
             const Json& arguments = member(member(body, "params"), "arguments");
             for (const auto& [name, value] : arguments.items()) {
               std::string header = std::string(kParameterPrefix) + name;
               if (find_header(head.headers, header) || value.is_object() || value.is_null())
                 continue;
               const bool is_plain =
                   value.is_string() &&
                   transport::decode_header_value(value.get_ref<const std::string&>()).has_value();
               if (is_plain) head.headers.emplace_back(header, value.get<std::string>());
               if (!value.is_string()) head.headers.emplace_back(header, value.dump());
             }
           }},
      {.id = "encoded-parameters-compared",
       .description = "Compares encoded Mcp-Param headers with the body without decoding them",
       .breaks = {"http.base64-decoded", "http.base64-decoded-before-compare"},
       .may_break = {"http.parameter-header-matches-body"},
       .mishears =
           [](const Json&, HttpHead& head) {
             for (auto& header : head.headers) {
               if (is_parameter(header) && transport::looks_encoded(header.second))
                 header.second = "undecoded";
             }
           }},
      {.id = "parameter-header-characters-accepted",
       .description = "Takes bytes in Mcp-Param headers that no header may have",
       .breaks = {"http.parameter-header-characters"},
       .may_break = {"http.parameter-header-matches-body"},
       .mishears =
           [](const Json& body, HttpHead& head) {
             for (auto& header : head.headers) {
               if (!is_parameter(header) || transport::decode_header_value(header.second)) continue;
               const Json& value = argument_of(body, header);
               if (!value.is_string()) continue;
               header.second =
                   transport::encode_header_value_in_base64(value.get_ref<const std::string&>());
             }
           }},
      {.id = "integers-compared-as-text",
       .description = "Takes 42.0 in a header for another number than 42",
       .breaks = {"http.integer-headers-numeric"},
       .may_break = {"http.base64-decoded", "http.base64-decoded-before-compare"},
       .mishears =
           [](const Json& body, HttpHead& head) {
             for (auto& header : head.headers) {
               if (!is_parameter(header)) continue;
               const Json& value = argument_of(body, header);
               if (value.is_number_integer() && header.second != value.dump()) {
                 header.second = "another";
               }
             }
           }},
      {.id = "headers-of-explicit-null-demanded",
       .description = "Wants a header for an argument that is null",
       .breaks = {"http.parameter-header-not-expected"},
       .may_break = {"jsonrpc.reserved-codes-meaning"},
       .mishears =
           [](const Json& body, HttpHead& head) {
             const Json& arguments = member(member(body, "params"), "arguments");
             if (!arguments.is_object()) return;
             for (const auto& [name, value] : arguments.items()) {
               if (value.is_null()) set_header(head, std::string(kParameterPrefix) + name, "null");
             }
           }},
      {.id = "headers-of-null-demanded",
       .description = "Wants a header for an argument that is null or left out",
       .breaks = {"http.parameter-header-not-expected"},
       .may_break = {"jsonrpc.reserved-codes-meaning"},
       .mishears =
           [](const Json& body, HttpHead& head) {
             const Json& arguments = member(member(body, "params"), "arguments");
             const bool has_headers =
                 string_member(member(body, "params"), "name") == "test_custom_headers";
             const bool is_given = !member(arguments, "region").is_null();
             if (has_headers && !is_given) set_header(head, "Mcp-Param-Region", "expected");
           }},
  };
}

// What comes near to a value is taken for it: where `kIsNear` holds of the text in the header, and
// of what the argument is as text.
template <bool (*kIsNear)(std::string_view heard, const Json& value)>
void take_near_parameters(const Json& body, HttpHead& head) {
  for (auto& header : head.headers) {
    if (!is_parameter(header)) continue;
    const Json& value = argument_of(body, header);
    if (!kIsNear(header.second, value)) continue;
    header.second = value.is_string() ? value.get<std::string>() : value.dump();
  }
}

bool is_text_in_any_case(std::string_view heard, const Json& value) {
  return value.is_string() &&
         transport::lower_case(heard) == transport::lower_case(value.get<std::string>());
}

bool is_truth_in_any_case(std::string_view heard, const Json& value) {
  return value.is_boolean() && transport::lower_case(heard) == value.dump();
}

// As where the number is read up to the first character that is no digit.
bool begins_with_number(std::string_view heard, const Json& value) {
  return value.is_number_integer() && heard.starts_with(value.dump()) &&
         heard.substr(value.dump().size()).find_first_of("0123456789.") != 0;
}

Fault near_parameter_fault(std::string_view id, std::string_view description,
                           void (*mishears)(const Json&, HttpHead&)) {
  return {.id = id,
          .description = description,
          .breaks = {"http.parameter-header-matches-body"},
          .may_break = {"http.header-body-mismatch-rejected"},
          .mishears = mishears};
}

std::vector<Fault> near_header_faults() {
  return {
      near_parameter_fault("text-parameters-without-case",
                           "Compares a text in Mcp-Param without regard to case",
                           take_near_parameters<is_text_in_any_case>),
      near_parameter_fault("truth-parameters-without-case",
                           "Takes TRUE in Mcp-Param for the argument true",
                           take_near_parameters<is_truth_in_any_case>),
      near_parameter_fault("integer-parameters-by-their-beginning",
                           "Takes 42abc in Mcp-Param for the argument 42",
                           take_near_parameters<begins_with_number>),
      {.id = "encoded-methods-decoded",
       .description = "Decodes Mcp-Method as if it could be encoded",
       .breaks = {"http.header-body-mismatch-rejected"},
       .mishears =
           [](const Json&, HttpHead& head) {
             const auto method = find_header(head.headers, transport::kMethodHeader);
             if (!method || !transport::looks_encoded(*method)) return;
             const auto decoded = transport::decode_header_value(*method);
             if (decoded) set_header(head, transport::kMethodHeader, *decoded);
           }},
  };
}

}  // namespace

// Only HTTP has headers.
std::vector<Fault> stateless_header_faults() {
  std::vector<Fault> faults =
      of_stateless_era({missing_header_faults, parameter_header_faults, near_header_faults});
  for (Fault& fault : faults) fault.seen_over = SeenOver::kHttpOnly;
  return faults;
}

}  // namespace assay::server
