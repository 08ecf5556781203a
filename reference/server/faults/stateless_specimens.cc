// Faults that show on some specimens of a kind only: on prompts and not on tools, in nested
// parameters and not at the top, in one part of a state. Specification:
// basic/transports/streamable-http, basic/versioning, basic/patterns/mrtr (since 2026-07-28).
#include <algorithm>
#include <string>
#include <string_view>

#include "reference/server/faults/stateless_faults.h"
#include "reference/transport/header_value.h"
#include "reference/transport/request_headers.h"

namespace assay::server {
namespace {

using transport::find_header;
using transport::HttpHead;

// --- versions ---

constexpr std::string_view kOfMarch = "2025-03-26";
constexpr std::string_view kOfJune = "2025-06-18";
constexpr std::string_view kOfNovember = "2025-11-25";

template <const std::string_view& kVersion>
void serve_version(Json& message, FaultMemory&) {
  if (!has_meta(message)) return;
  Json& version = meta_of(message)[kProtocolVersionKey];
  if (version == kVersion) version = model::Revision::newest_stateless().text();
}

Fault older_version(std::string_view id, std::string_view description,
                    void (*intake)(Json&, FaultMemory&)) {
  return {.id = id,
          .description = description,
          .breaks = {"versioning.unsupported-version-error", "http.version-unsupported-400"},
          .may_break = {"versioning.implemented"},
          .intake = intake};
}

std::vector<Fault> version_specimens() {
  return {
      older_version("version-of-march-served",
                    "Serves requests of 2025-03-26, which it does not list",
                    serve_version<kOfMarch>),
      older_version("version-of-june-served",
                    "Serves requests of 2025-06-18, which it does not list",
                    serve_version<kOfJune>),
      older_version("version-of-november-served",
                    "Serves requests of 2025-11-25, which it does not list",
                    serve_version<kOfNovember>),
  };
}

// --- Mcp-Name and the names of headers ---

constexpr std::string_view kOfPrompt = "prompts/get";
constexpr std::string_view kOfRead = "resources/read";

bool is_field(const transport::Header& header, std::string_view name) {
  return transport::lower_case(header.first) == transport::lower_case(std::string(name));
}

void set_field(HttpHead& head, std::string_view name, std::string_view value) {
  std::erase_if(head.headers, [&](const auto& header) { return is_field(header, name); });
  head.headers.emplace_back(name, value);
}

// What Mcp-Name should say of a request of that method; nothing of another.
std::optional<std::string> name_in(const Json& body, std::string_view method) {
  if (string_member(body, "method") != method) return std::nullopt;
  const Json& params = member(body, "params");
  const auto name = string_member(params, "name");
  return name ? name : string_member(params, "uri");
}

template <const std::string_view& kMethod>
void believe_names(const Json& body, HttpHead& head) {
  const auto name = name_in(body, kMethod);
  if (name && find_header(head.headers, transport::kNameHeader)) {
    set_field(head, transport::kNameHeader, *name);
  }
}

template <const std::string_view& kMethod>
void do_without_names(const Json& body, HttpHead& head) {
  const auto name = name_in(body, kMethod);
  if (name && !find_header(head.headers, transport::kNameHeader)) {
    set_field(head, transport::kNameHeader, *name);
  }
}

template <const std::string_view& kMethod>
void compare_encoded(const Json& body, HttpHead& head) {
  const auto name = find_header(head.headers, transport::kNameHeader);
  if (name_in(body, kMethod) && name && transport::looks_encoded(*name)) {
    set_field(head, transport::kNameHeader, "undecoded");
  }
}

// Knows the header in the usual spelling alone.
template <const std::string_view& kHeader>
void know_one_spelling(const Json&, HttpHead& head) {
  std::erase_if(head.headers, [](const auto& header) {
    return is_field(header, kHeader) && header.first != kHeader;
  });
}

Fault encoding_fault(std::string_view id, std::string_view description,
                     void (*mishears)(const Json&, HttpHead&)) {
  return {.id = id,
          .description = description,
          .breaks = {"http.base64-decoded", "http.base64-decoded-before-compare"},
          .may_break = {"http.header-body-mismatch-rejected", "http.parameter-header-matches-body"},
          .mishears = mishears};
}

Fault spelling_fault(std::string_view id, std::string_view description,
                     void (*mishears)(const Json&, HttpHead&)) {
  return {.id = id,
          .description = description,
          .breaks = {"http.header-names-case-insensitive"},
          .mishears = mishears};
}

std::vector<Fault> name_specimens() {
  return {
      name_header_fault("name-header-of-prompts-unread",
                        "Serves prompts whose Mcp-Name is not that of the body",
                        believe_names<kOfPrompt>),
      name_header_fault("name-header-of-reads-unread",
                        "Reads resources whose URI is not that of Mcp-Name",
                        believe_names<kOfRead>),
      name_header_fault("name-header-of-prompts-missing", "Serves prompts without Mcp-Name",
                        do_without_names<kOfPrompt>),
      name_header_fault("name-header-of-reads-missing", "Reads resources without Mcp-Name",
                        do_without_names<kOfRead>),
      encoding_fault("encoded-prompt-names-compared",
                     "Compares an encoded Mcp-Name of a prompt without decoding it",
                     compare_encoded<kOfPrompt>),
      encoding_fault("encoded-uris-compared",
                     "Compares an encoded Mcp-Name of a resource without decoding it",
                     compare_encoded<kOfRead>),
      spelling_fault("name-header-by-case", "Knows the header Mcp-Name in this spelling alone",
                     know_one_spelling<transport::kNameHeader>),
      spelling_fault("version-header-by-case",
                     "Knows the header MCP-Protocol-Version in this spelling alone",
                     know_one_spelling<transport::kProtocolVersionHeader>),
  };
}

// --- parameters in headers ---

constexpr std::string_view kRegion = "Mcp-Param-Region";
constexpr std::string_view kCount = "Mcp-Param-Count";
constexpr std::string_view kExact = "Mcp-Param-Exact";
constexpr std::string_view kCity = "Mcp-Param-City";

// What the arguments of test_custom_headers say where that header says it too; null where nothing.
const Json& argument_for(const Json& body, std::string_view header) {
  const Json& arguments = member(member(body, "params"), "arguments");
  if (header == kRegion) return member(arguments, "region");
  if (header == kCount) return member(arguments, "count");
  if (header == kExact) return member(arguments, "exact");
  return member(member(arguments, "place"), "city");
}

std::string header_text(const Json& value) {
  return value.is_string() ? transport::encode_header_value(value.get_ref<const std::string&>())
                           : value.dump();
}

// Takes the header to say what the body says, whatever it says.
template <const std::string_view& kHeader>
void believe_argument(const Json& body, HttpHead& head) {
  const Json& value = argument_for(body, kHeader);
  if (!value.is_null() && find_header(head.headers, kHeader)) {
    set_field(head, kHeader, header_text(value));
  }
}

// And where it is missing.
template <const std::string_view& kHeader>
void do_without_argument(const Json& body, HttpHead& head) {
  const Json& value = argument_for(body, kHeader);
  if (!value.is_null() && !find_header(head.headers, kHeader)) {
    set_field(head, kHeader, header_text(value));
  }
}

// Refuses it, although it says what the body says.
template <const std::string_view& kHeader>
void refuse_argument(const Json& body, HttpHead& head) {
  const Json& value = argument_for(body, kHeader);
  if (!value.is_null() && find_header(head.headers, kHeader)) set_field(head, kHeader, "refused");
}

template <const std::string_view& kHeader>
void compare_encoded_argument(const Json&, HttpHead& head) {
  const auto value = find_header(head.headers, kHeader);
  if (value && transport::looks_encoded(*value)) set_field(head, kHeader, "undecoded");
}

bool is_beyond_ascii(std::string_view text) {
  return std::any_of(text.begin(), text.end(),
                     [](char c) { return static_cast<unsigned char>(c) > 0x7f; });
}

// Each parameter's header, as `change` makes of its value.
void change_parameters(HttpHead& head, void (*change)(std::string& value)) {
  for (auto& [name, value] : head.headers) {
    if (transport::lower_case(name).starts_with("mcp-param-")) change(value);
  }
}

Fault unread_parameter(std::string_view id, std::string_view description,
                       void (*mishears)(const Json&, HttpHead&)) {
  return {.id = id,
          .description = description,
          .breaks = {"http.parameter-header-matches-body", "http.header-body-mismatch-rejected"},
          .may_break = {"http.parameter-header-characters", "http.base64-decoded",
                        "http.base64-decoded-before-compare"},
          .mishears = mishears};
}

Fault missing_parameter(std::string_view id, std::string_view description,
                        void (*mishears)(const Json&, HttpHead&)) {
  return {.id = id,
          .description = description,
          .breaks = {"http.parameter-header-missing-rejected"},
          .may_break = {"http.header-body-mismatch-rejected", "http.parameter-header-matches-body"},
          .mishears = mishears};
}

Fault refused_parameter(std::string_view id, std::string_view description,
                        void (*mishears)(const Json&, HttpHead&)) {
  return {.id = id,
          .description = description,
          .breaks = {"jsonrpc.reserved-codes-meaning"},
          .mishears = mishears};
}

std::vector<Fault> parameter_specimens() {
  return {
      unread_parameter("integer-header-unread", "Does not compare the header of an integer",
                       believe_argument<kCount>),
      unread_parameter("boolean-header-unread", "Does not compare the header of a boolean",
                       believe_argument<kExact>),
      unread_parameter("nested-header-unread", "Does not compare the header of a nested parameter",
                       believe_argument<kCity>),
      unread_parameter("optional-header-unread",
                       "Does not compare the header of an optional parameter",
                       believe_argument<kRegion>),
      missing_parameter("integer-header-missing", "Serves a call without the header of an integer",
                        do_without_argument<kCount>),
      missing_parameter("boolean-header-missing", "Serves a call without the header of a boolean",
                        do_without_argument<kExact>),
      missing_parameter("nested-header-missing",
                        "Serves a call without the header of a nested parameter",
                        do_without_argument<kCity>),
      refused_parameter("sound-integer-header-refused",
                        "Refuses a call whose header of an integer is right",
                        refuse_argument<kCount>),
      refused_parameter("sound-boolean-header-refused",
                        "Refuses a call whose header of a boolean is right",
                        refuse_argument<kExact>),
      refused_parameter("sound-nested-header-refused",
                        "Refuses a call whose header of a nested parameter is right",
                        refuse_argument<kCity>),
      encoding_fault("encoded-integers-compared",
                     "Compares the encoded header of an integer without decoding it",
                     compare_encoded_argument<kCount>),
      encoding_fault("encoded-nested-compared",
                     "Compares the encoded header of a nested parameter without decoding it",
                     compare_encoded_argument<kCity>),
  };
}

std::vector<Fault> encoding_specimens() {
  return {
      encoding_fault("encoded-beyond-ascii-refused",
                     "Decodes base64 in headers as if it held ASCII only",
                     [](const Json&, HttpHead& head) {
                       change_parameters(head, [](std::string& value) {
                         const auto text = transport::decode_header_value(value);
                         if (text && is_beyond_ascii(*text)) value = "garbled";
                       });
                     }),
      encoding_fault("encoded-blanks-trimmed", "Trims what it decoded of base64 in headers",
                     [](const Json&, HttpHead& head) {
                       change_parameters(head, [](std::string& value) {
                         const auto text = transport::decode_header_value(value);
                         if (text && !text->empty() && text->front() == ' ') value = "trimmed";
                       });
                     }),
      encoding_fault("encoded-marks-decoded-twice",
                     "Decodes what it decoded of base64 in headers once more",
                     [](const Json&, HttpHead& head) {
                       change_parameters(head, [](std::string& value) {
                         const auto text = transport::decode_header_value(value);
                         if (text && text->starts_with("=?base64?")) value = *text;
                       });
                     }),
      {.id = "marks-of-base64-without-case",
       .description = "Decodes headers whose marks of base64 are in capitals",
       .breaks = {"http.parameter-header-matches-body"},
       .may_break = {"http.header-body-mismatch-rejected"},
       .mishears =
           [](const Json&, HttpHead& head) {
             change_parameters(head, [](std::string& value) {
               if (value.starts_with("=?BASE64?")) value.replace(2, 6, "base64");
             });
           }},
  };
}

}  // namespace

std::vector<Fault> stateless_specimen_faults() {
  std::vector<Fault> all =
      of_stateless_era({name_specimens, parameter_specimens, encoding_specimens});
  for (Fault& fault : all) fault.seen_over = SeenOver::kHttpOnly;
  for (Fault& fault : of_stateless_era({version_specimens})) all.push_back(std::move(fault));
  return all;
}

}  // namespace assay::server
