// Specification: basic, "Responses" and "Error codes"; client/elicitation, "URL Elicitation
// Required".
#include "reference/model/tables.h"

namespace assay::model {
namespace {

// The error member itself, with a code of its own.
Type error_object(std::string name, std::int64_t code) {
  return object(std::move(name), {required("code", constant(code))})
      .extends("Error")
      .since(v2026_07_28);
}

// A whole response whose error has this code and data.
Type error_response(std::string name, std::int64_t code, Fields data) {
  Fields error = {required("code", constant(code)), required("message", string())};
  if (!data.empty()) error.push_back(required("data", object(std::move(data))));
  return object(std::move(name), {required("error", object(std::move(error)))})
      .extends("JSONRPCErrorResponse");
}

constexpr std::int64_t kUrlElicitationRequired = -32042;
constexpr std::int64_t kHeaderMismatch = -32020;
constexpr std::int64_t kMissingClientCapability = -32021;
constexpr std::int64_t kUnsupportedProtocolVersion = -32022;

}  // namespace

Types error_types() {
  return {
      error_object("ParseError", -32700),
      error_object("InvalidRequestError", -32600),
      error_object("MethodNotFoundError", -32601),
      error_object("InvalidParamsError", -32602),
      error_object("InternalError", -32603),
      error_response("URLElicitationRequiredError", kUrlElicitationRequired,
                     {required("elicitations", array(ref("ElicitRequestURLParams")))})
          .only(v2025_11_25),
      error_response("HeaderMismatchError", kHeaderMismatch, {}).since(v2026_07_28),
      error_response("MissingRequiredClientCapabilityError", kMissingClientCapability,
                     {required("requiredCapabilities", ref("ClientCapabilities"))})
          .since(v2026_07_28),
      error_response("UnsupportedProtocolVersionError", kUnsupportedProtocolVersion,
                     {
                         required("requested", string()),
                         required("supported", array(string())),
                     })
          .since(v2026_07_28),
  };
}

const std::vector<ErrorType>& all_error_types() {
  static const std::vector<ErrorType> kAll = {
      {kUrlElicitationRequired, "URLElicitationRequiredError", RevisionSet::only(v2025_11_25)},
      {kHeaderMismatch, "HeaderMismatchError", RevisionSet::since(v2026_07_28)},
      {kMissingClientCapability, "MissingRequiredClientCapabilityError",
       RevisionSet::since(v2026_07_28)},
      {kUnsupportedProtocolVersion, "UnsupportedProtocolVersionError",
       RevisionSet::since(v2026_07_28)},
  };
  return kAll;
}

}  // namespace assay::model
