// Specification: basic/lifecycle, basic/utilities/ping.
#include <algorithm>

#include "reference/server/call.h"
#include "reference/server/extensions.h"
#include "reference/server/handlers.h"
#include "reference/server/identity.h"
#include "reference/server/session.h"
#include "reference/wire/compose.h"
#include "reference/wire/message.h"

namespace assay::server {
namespace {

using model::Revision;

// The older HTTP+SSE pair of endpoints belongs to the revisions that describe it; everywhere else
// all of the server's revisions are spoken.
std::vector<Revision> offered(const Session& session) {
  std::vector<Revision> revisions = session.options().revisions;
  if (session.wire() != transport::WireKind::kHttpSse) return revisions;
  std::erase_if(revisions, [](Revision revision) { return !revision.has_http_sse(); });
  return revisions.empty() ? session.options().revisions : revisions;
}

// The revision asked for where we speak it, otherwise the newest one that we do speak.
Revision negotiate(const Session& session, std::string_view asked) {
  const std::vector<Revision> revisions = offered(session);
  const std::optional<Revision> known = Revision::parse(asked);
  const bool is_spoken =
      known && std::find(revisions.begin(), revisions.end(), *known) != revisions.end();
  return is_spoken ? *known : revisions.back();
}

}  // namespace

Answer initialize(Session& session, Call& call) {
  const std::optional<std::string> asked = string_member(call.params(), "protocolVersion");
  if (!asked) return invalid_params("protocolVersion must be a string");
  const Json& client = member(call.params(), "clientInfo");
  if (!string_member(client, "name") || !string_member(client, "version")) {
    return invalid_params("clientInfo must have a name and a version");
  }
  const Json& client_capabilities = member(call.params(), "capabilities");
  if (!client_capabilities.is_object()) return invalid_params("capabilities must be an object");

  const Revision revision = negotiate(session, *asked);
  if (!session.begin(revision, client_capabilities)) {
    return Refusal{wire::kInvalidRequest, "Already initialized"};
  }
  return Json{{"protocolVersion", revision.text()},
              {"capabilities", declared_capabilities(session.options(), revision)},
              {"serverInfo", server_info(revision)},
              {"instructions", kInstructions}};
}

Answer ping(Session& session, Call&) {
  if (session.options().has(Switch::kRefusesEarlyPings)) {
    const bool is_early = session.revision() && !session.is_ready();
    if (is_early) return Refusal{wire::kInvalidRequest, "Not initialized"};
  }
  if (session.options().has(Switch::kRefusesPingsAtWork) && !session.calls().is_empty()) {
    return Refusal{wire::kInternalError, "Busy"};
  }
  return kEmptyResult;
}

void initialized(Session& session, const wire::Message&) {
  if (session.revision()) session.become_ready();
}

}  // namespace assay::server
