// Scenarios about the beginning and the end of a session.
//
// Specification: basic/lifecycle.
#include <fmt/format.h>

#include <string>

#include "harness/runner/scenario.h"
#include "reference/model/revision.h"

namespace assay::scenarios {
namespace {

using namespace harness;

Json initialize_params(const Connection& connection, std::string_view version) {
  Json params = connection.initialize_params();
  params["protocolVersion"] = version;
  return params;
}

// A server that supports the requested version answers with just that version.
SCENARIO(lifecycle_echoes_a_supported_version, own_session(),
         judges({"lifecycle.version-supported-echo"})) {
  Connection& connection = script.open_connection();
  const Reply reply = connection.initialize();
  const Json version =
      reply.result().is_object() ? reply.result().value("protocolVersion", Json()) : Json();
  script.check("lifecycle.version-supported-echo", version == script.revision().text(), reply);
}

// A server that does not know the requested version offers another one, which it supports.
SCENARIO(lifecycle_offers_another_version, own_session(),
         judges({"lifecycle.version-unsupported-other"})) {
  constexpr std::string_view kNeverPublished = "1999-12-31";
  Connection& connection = script.open_connection();
  const Reply reply = connection.await(
      connection.start("initialize", initialize_params(connection, kNeverPublished)),
      connection.patience().start);
  if (reply.is_error()) {
    // The pages show an error for an unsupported version beside the sentence that asks for an
    // offer.
    script.unclear(
        "lifecycle.version-unsupported-other",
        fmt::format("the server refused with {}, as an example of the page does", reply.describe()),
        reply.events());
    return;
  }
  const Json version =
      reply.result().is_object() ? reply.result().value("protocolVersion", Json()) : Json();
  script.check(
      "lifecycle.version-unsupported-other", version.is_string() && version != kNeverPublished,
      reply,
      fmt::format("asked for the unknown version {}, the server answered with {}", kNeverPublished,
                  version.is_string() ? version.get<std::string>() : reply.describe()));
}

}  // namespace
}  // namespace assay::scenarios
