// Scenarios about resources and subscriptions to them.
//
// Specification: server/resources.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "harness/runner/scenario.h"
#include "harness/script/json_member.h"
#include "harness/script/usable.h"

namespace assay::scenarios {
namespace {

using namespace harness;

// The most resources of a stranger's server that are read.
constexpr std::size_t kMostReads = 8;

bool is_update_of(const Event& event, std::string_view uri) {
  if (event.is_sent() || event.message() == nullptr) return false;
  return event.message()->method() == "notifications/resources/updated" &&
         member(event.message()->params(), "uri") == uri;
}

// A server that answers resources/list with resources has declared that it has them.
SCENARIO(resources_are_declared, judges({"resources.capability-declared"})) {
  if (script.survey().resources().is_declared) {
    script.check("resources.capability-declared", true, {}, "");
    return;
  }
  if (!script.session().server().contains("capabilities")) {
    script.unclear("resources.capability-declared", "the server declared no capabilities at all");
    return;
  }
  const Reply reply = script.request("resources/list");
  if (array_member(reply.result(), "resources").empty()) {
    script.not_applicable("resources.capability-declared", "the server has no resources");
  } else {
    script.check("resources.capability-declared", false, reply,
                 "resources/list gives resources, but the capability is not declared");
  }
}

// Listed resources, and those of the profile, are read, so that monitors see their contents.
SCENARIO(resources_can_be_read, judges({})) {
  if (!script.survey().resources().is_declared) return;
  std::vector<std::string> uris = script.profile().resources;
  for (const Json& resource : script.survey().resources().items) {
    const std::string uri(text_member(resource, "uri"));
    const bool is_known = std::find(uris.begin(), uris.end(), uri) != uris.end();
    const bool is_due = is_readable(resource) && !is_known && !script.profile().skips(uri);
    if (is_due) uris.push_back(uri);
  }
  if (uris.size() > kMostReads) uris.resize(kMostReads);
  for (const std::string& uri : uris) script.request("resources/read", {{"uri", uri}});
}

// A resource that does not exist is refused as not found.
SCENARIO(resources_refuse_unknown_uris, judges({"resources.not-found-error"})) {
  if (!script.survey().resources().is_declared) return;
  const Reply reply = script.request("resources/read", {{"uri", "assay://nowhere/no-such-thing"}});
  if (reply.is_error(wire::kMethodNotFound)) {
    script.unclear("resources.not-found-error", "the server does not serve resources/read",
                   reply.events());
    return;
  }
  script.check(
      "resources.not-found-error", reply.is_error(wire::kResourceNotFound), reply,
      fmt::format("reading a resource that does not exist was answered with {}", reply.describe()));
}

// What is no URI is not read.
SCENARIO(resources_validate_uris, judges({"resources.uris-validated"})) {
  if (!script.survey().resources().is_declared) return;
  const auto on_purpose = script.session().malformed_on_purpose();
  for (const char* uri : {"no uri at all", "", "://", "%%%"}) {
    const Reply reply = script.request("resources/read", {{"uri", uri}});
    // That it is answered at all is another rule; and nothing is read where nothing is given.
    const bool is_empty = reply.is_result() && array_member(reply.result(), "contents").empty();
    if (!reply.is_answered() || is_empty) continue;
    script.check("resources.uris-validated", reply.is_error(), reply,
                 fmt::format("reading \"{}\", which is no URI, was answered with {}", uri,
                             reply.describe()));
  }
}

// A subscriber is told of changes from the moment it subscribes to the moment it unsubscribes.
SCENARIO(resources_tell_subscribers_of_updates, own_session(),
         judges({"resources.updates-only-subscribed"})) {
  constexpr catalogue::RequirementId kRule = "resources.updates-only-subscribed";
  Connection& session = script.session();
  if (!session.has_capability("resources.subscribe")) return;
  const auto update = script.tool_with(Ability::kUpdatesResource);
  if (!update) {
    script.lacks(kRule, Ability::kUpdatesResource);
    return;
  }
  const std::string& uri = update->resource;
  if (!session.listen()) {
    script.not_exercised(kRule, "the server offers no stream to announce it on",
                         "a GET stream at the endpoint");
    return;
  }
  const Reply subscribed = session.request("resources/subscribe", {{"uri", uri}});
  if (!subscribed.is_result()) {
    script.unclear(kRule, "resources/subscribe was refused", subscribed.events());
    return;
  }
  std::size_t from = session.mark();
  script.call(*update);
  const EventPtr told = session.wait_for(
      from, [&](const Event& event) { return is_update_of(event, uri); },
      session.patience().request);
  script.check(kRule, told != nullptr, subscribed.events(),
               "a change of a subscribed resource was not announced", true);
  session.request("resources/unsubscribe", {{"uri", uri}});
  from = session.mark();
  script.call(*update);
  if (!session.barrier()) return;
  for (const EventPtr& event : session.transcript().events(from)) {
    if (!is_update_of(*event, uri)) continue;
    script.check(kRule, false, {event}, "an update came after resources/unsubscribe");
  }
}

}  // namespace
}  // namespace assay::scenarios
