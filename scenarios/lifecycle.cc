// Scenarios about the beginning of a session.
//
// Specification: basic/lifecycle.
#include <fmt/format.h>

#include <string>
#include <string_view>

#include "harness/runner/scenario.h"
#include "reference/model/revision.h"

namespace assay::scenarios {
namespace {

using namespace harness;

// A version that no specification has, and none will.
constexpr std::string_view kNeverPublished = "1999-12-31";

// The answer to `initialize` for this version, on a connection of its own.
Reply ask_for(Script& script, std::string_view version) {
  Connection& connection = script.open_connection();
  Json params = connection.initialize_params();
  params["protocolVersion"] = version;
  return connection.await(connection.start("initialize", params), connection.patience().start);
}

// The version that an answer to `initialize` names; empty if it names none.
std::string version_in(const Reply& reply) {
  if (!reply.result().is_object()) return "";
  const Json version = reply.result().value("protocolVersion", Json());
  return version.is_string() ? version.get<std::string>() : "";
}

// A server that supports the requested version answers with just that version.
SCENARIO(lifecycle_echoes_a_supported_version, own_session(),
         judges({"lifecycle.version-supported-echo"})) {
  const Reply reply = ask_for(script, script.revision().text());
  script.check("lifecycle.version-supported-echo", version_in(reply) == script.revision().text(),
               reply);
}

// A server that does not know the requested version offers another one, which it supports.
SCENARIO(lifecycle_offers_another_version, own_session(),
         judges({"lifecycle.version-unsupported-other", "lifecycle.handles-version-mismatch"})) {
  const Reply reply = ask_for(script, kNeverPublished);
  script.check("lifecycle.handles-version-mismatch", reply.is_answered(), reply,
               fmt::format("to initialize with an unknown version came {}", reply.describe()));
  if (!reply.is_answered()) {
    script.unclear("lifecycle.version-unsupported-other", "initialize was not answered",
                   reply.events());
    return;
  }
  if (reply.is_error()) {
    // The page shows an error for an unsupported version beside the sentence that asks for an
    // offer.
    script.unclear(
        "lifecycle.version-unsupported-other",
        fmt::format("the server refused with {}, as an example of the page does", reply.describe()),
        reply.events());
    return;
  }
  const std::string version = version_in(reply);
  script.check("lifecycle.version-unsupported-other",
               !version.empty() && version != kNeverPublished, reply,
               fmt::format("asked for the unknown version {}, the server answered with {}",
                           kNeverPublished, version.empty() ? reply.describe() : version));
}

// What a server offers for a version that it does not know is the latest that it supports.
SCENARIO(lifecycle_offers_its_latest_version, own_session(),
         judges({"lifecycle.version-unsupported-latest"})) {
  const Reply offer = ask_for(script, kNeverPublished);
  const auto offered = model::Revision::parse(version_in(offer));
  if (!offered) {
    script.unclear("lifecycle.version-unsupported-latest", "the server offered no known version",
                   offer.events());
    return;
  }
  for (const model::Revision later : model::Revision::handshake()) {
    if (later <= *offered) continue;
    const Reply reply = ask_for(script, later.text());
    if (version_in(reply) != later.text()) continue;
    script.check(
        "lifecycle.version-unsupported-latest", false, reply,
        fmt::format("the server offered {}, but supports {}", offered->text(), later.text()));
    return;
  }
  script.check("lifecycle.version-unsupported-latest", true, offer);
}

}  // namespace
}  // namespace assay::scenarios
