// Scenarios about resources and subscriptions to them.
//
// Specification: server/resources.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/runner/scenario.h"
#include "harness/script/json_member.h"
#include "harness/script/means.h"
#include "harness/script/uri_template.h"
#include "harness/script/usable.h"
#include "reference/model/formats.h"
#include "reference/wire/compose.h"
#include "reference/wire/message.h"

namespace assay::scenarios {
namespace {

using namespace harness;

// The most resources of a stranger's server that are read.
constexpr std::size_t kMostReads = 8;

bool is_update_of(const Event& event, std::string_view uri) {
  if (event.is_from_client() || event.message() == nullptr) return false;
  return event.message()->method() == "notifications/resources/updated" &&
         member(event.message()->params(), "uri") == uri;
}

// The URIs of resources that the results of tools embed or link to, so far in this session.
void add_given_by_tools(Connection& session, std::vector<std::string>& uris) {
  for (const EventPtr& event : session.transcript().events()) {
    if (event->is_from_client() || event->message() == nullptr) continue;
    for (const Json& block : array_member(event->message()->result(), "content")) {
      const Json& resource =
          text_member(block, "type") == "resource_link" ? block : member(block, "resource");
      if (is_readable(resource)) uris.emplace_back(text_member(resource, "uri"));
    }
  }
}

// Whatever method gives resources, who has some has declared it. The templates are asked for, and
// what is known of by name is read, so that a server is not taken for one without resources.
void judge_undeclared(Script& script) {
  constexpr catalogue::RequirementId kRule = "resources.capability-declared";
  for (const auto& [method, items] : {std::pair("resources/list", "resources"),
                                      std::pair("resources/templates/list", "resourceTemplates")}) {
    const Reply reply = script.request(method);
    if (array_member(reply.result(), items).empty()) continue;
    script.check(kRule, false, reply,
                 fmt::format("{} gives resources, but the capability is not declared", method));
    return;
  }
  for (const ToolUse& tool : plain_tools(script.survey(), script.tool_policy(), kMostReads)) {
    script.call(tool);
  }
  std::vector<std::string> uris = script.profile().resources;
  add_given_by_tools(script.session(), uris);
  if (uris.size() > kMostReads) uris.resize(kMostReads);
  for (const std::string& uri : uris) {
    const Reply reply = script.request("resources/read", {{"uri", uri}});
    if (array_member(reply.result(), "contents").empty()) continue;
    script.check(kRule, false, reply,
                 fmt::format("{} can be read, but the capability is not declared", uri));
    return;
  }
  script.not_applicable(kRule, "the server has no resources");
}

// A server that gives resources has declared that it has them.
SCENARIO(resources_are_declared, in_both_eras(), judges({"resources.capability-declared"})) {
  if (script.survey().resources().is_declared) {
    script.check("resources.capability-declared", true, {}, "");
  } else if (!script.session().server().contains("capabilities")) {
    script.unclear("resources.capability-declared", "the server declared no capabilities at all");
  } else {
    judge_undeclared(script);
  }
}

// What a variable of that name stands for in a listed resource, by any template; empty if in none.
std::string listed_value(const Script& script, std::string_view variable) {
  constexpr std::size_t kMostResources = 64;
  std::size_t seen = 0;
  for (const Json& resource : script.survey().resources().items) {
    if (++seen > kMostResources) break;
    if (!is_readable(resource)) continue;
    std::size_t tried = 0;
    for (const Json& each : script.survey().resource_templates().items) {
      if (++tried > kMostReads) break;
      const auto found =
          matched_variable(text_member(each, "uriTemplate"), text_member(resource, "uri"));
      if (found && found->first == variable) return found->second;
    }
  }
  return "";
}

// What a variable of a template may stand for: what the server completes it to, or what it lists,
// or else a guess.
std::string value_for(Script& script, std::string_view uri_template, std::string_view variable) {
  if (script.session().has_capability("completions")) {
    const Reply reply = script.request("completion/complete",
                                       {{"ref", {{"type", "ref/resource"}, {"uri", uri_template}}},
                                        {"argument", {{"name", variable}, {"value", ""}}}});
    const Json& values = array_member(member(reply.result(), "completion"), "values");
    if (!values.empty() && values[0].is_string()) return values[0].get<std::string>();
  }
  const std::string listed = listed_value(script, variable);
  return listed.empty() ? "1" : listed;
}

// Listed resources, those of the profile, and one of each template are read, so that monitors see
// their contents.
SCENARIO(resources_can_be_read, in_both_eras(), judges({})) {
  if (!script.survey().resources().is_declared) return;
  std::vector<std::string> uris = script.profile().resources;
  const auto add = [&](const std::string& uri) {
    const bool is_known = std::find(uris.begin(), uris.end(), uri) != uris.end();
    if (!is_known && !script.profile().skips(uri)) uris.push_back(uri);
  };
  for (const Json& resource : script.survey().resources().items) {
    if (is_readable(resource)) add(std::string(text_member(resource, "uri")));
  }
  if (uris.size() > kMostReads) uris.resize(kMostReads);
  for (const Json& each : script.survey().resource_templates().items) {
    const std::string_view uri_template = text_member(each, "uriTemplate");
    if (uris.size() >= 2 * kMostReads || uri_template.empty()) break;
    const std::string uri = expand_template(uri_template, [&](std::string_view variable) {
      return value_for(script, uri_template, variable);
    });
    if (model::has_format(model::Format::kUri, uri)) add(uri);
  }
  for (const std::string& uri : uris) script.request("resources/read", {{"uri", uri}});
}

constexpr catalogue::RequirementId kNotFound = "resources.not-found-error";

// What says that a resource does not exist.
std::int64_t not_found_code(Script& script) {
  return script.revision().has_resource_not_found_code() ? wire::kResourceNotFound
                                                         : wire::kInvalidParams;
}

// The URI begins as those of a listed template do.
bool is_of_a_template(Script& script, std::string_view uri) {
  const auto& templates = script.survey().resource_templates().items;
  return std::any_of(templates.begin(), templates.end(), [&](const Json& each) {
    const std::string_view pattern = text_member(each, "uriTemplate");
    return uri.starts_with(pattern.substr(0, pattern.find('{')));
  });
}

// A resource that does not exist is refused as not found, also next to one that does.
SCENARIO(resources_refuse_unknown_uris, in_both_eras(),
         judges({"resources.not-found-error", "resources.no-empty-contents"})) {
  if (!script.survey().resources().is_declared) return;
  const Reply reply = script.request("resources/read", {{"uri", "assay://nowhere/no-such-thing"}});
  if (reply.is_error(wire::kMethodNotFound)) {
    script.unclear(kNotFound, "the server does not serve resources/read", reply.events());
    return;
  }
  script.check(
      kNotFound, reply.is_error(not_found_code(script)), reply,
      fmt::format("resources/read of an unknown URI was answered with {}", reply.describe()));
  const Json& contents = member(reply.result(), "contents");
  if (reply.is_answered()) {
    script.check("resources.no-empty-contents", !contents.is_array() || !contents.empty(), reply,
                 "reading a resource that does not exist was answered with empty contents",
                 "/result/contents");
  }
  for (const Json& resource : script.survey().resources().items) {
    if (!is_readable(resource)) continue;
    const std::string uri = std::string(text_member(resource, "uri")) + "-assay-no-such-thing";
    const Reply next = script.request("resources/read", {{"uri", uri}});
    const Json& found = member(next.result(), "contents");
    if (found.is_array() && found.empty()) {
      const Reply own = script.request("resources/read", {{"uri", member(resource, "uri")}});
      const std::string detail =
          fmt::format("{} is not listed, and was read with no contents", uri);
      // What a template leads to may exist, and be empty.
      if (array_member(own.result(), "contents").empty() || is_of_a_template(script, uri)) {
        script.unclear("resources.no-empty-contents", detail, next.events());
      } else {
        script.check("resources.no-empty-contents", false, next, detail, "/result/contents");
      }
    }
    // A server may make up what it is asked for: then it exists.
    if (next.is_error()) {
      script.check(kNotFound, next.is_error(not_found_code(script)), next,
                   fmt::format("reading {}, which does not exist, was answered with {}", uri,
                               next.describe()));
    }
    return;
  }
}

constexpr catalogue::RequirementId kValidated = "resources.uris-validated";

// What is no URI is not read, and nobody can subscribe to it.
SCENARIO(resources_validate_uris, in_both_eras(), judges({"resources.uris-validated"})) {
  if (!script.survey().resources().is_declared) return;
  const auto on_purpose = script.session().malformed_on_purpose();
  for (const char* uri : {"no uri at all", "", "://", "%%%"}) {
    const Reply reply = script.request("resources/read", {{"uri", uri}});
    // That it is answered at all is another rule; and nothing is read where nothing is given.
    const bool is_empty = reply.is_result() && array_member(reply.result(), "contents").empty();
    if (!reply.is_answered() || is_empty) continue;
    script.check(kValidated, reply.is_error(), reply,
                 fmt::format("resources/read of \"{}\", which is not a URI, was answered with {}",
                             uri, reply.describe()));
  }
  if (!script.session().has_capability("resources.subscribe")) return;
  for (const char* uri : {"no uri at all", "%%%"}) {
    const Reply reply = script.request("resources/subscribe", {{"uri", uri}});
    if (!reply.is_answered()) continue;
    script.check(kValidated, reply.is_error(), reply,
                 fmt::format("a subscription to \"{}\", which is not a URI, was accepted", uri));
    if (reply.is_result()) script.request("resources/unsubscribe", {{"uri", uri}});
  }
}

// The directories in which the server says that it has files, by what it lists.
std::vector<std::string> file_directories(const Survey& survey) {
  std::vector<std::string> directories;
  const auto add = [&](std::string_view uri) {
    const bool is_file = uri.starts_with("file:///");
    if (is_file) directories.emplace_back(uri.substr(0, uri.rfind('/') + 1));
  };
  for (const Json& each : survey.resource_templates().items) {
    add(template_prefix(text_member(each, "uriTemplate")));
  }
  for (const Json& each : survey.resources().items) add(text_member(each, "uri"));
  std::sort(directories.begin(), directories.end());
  directories.erase(std::unique(directories.begin(), directories.end()), directories.end());
  return directories;
}

// A URI is judged by what it names, not by how it begins: a file that is refused by its own URI is
// not read by a path that leads to it out of a directory that is served.
SCENARIO(resources_are_not_read_by_a_detour, in_both_eras(),
         judges({"resources.uris-validated", "resources.paths-sanitized"})) {
  constexpr std::size_t kMostDirectories = 3;
  constexpr int kDepth = 16;  // of a directory, at most
  // Where every system that has it lets everybody read.
  constexpr std::string_view kOutside = "etc/hosts";
  const auto has_read = [](const Reply& reply) {
    return !array_member(reply.result(), "contents").empty();
  };
  std::vector<std::string> directories = file_directories(script.survey());
  if (directories.size() > kMostDirectories) directories.resize(kMostDirectories);
  for (const std::string& directory : directories) {
    const auto read = [&](const std::string& uri) {
      return script.request("resources/read", {{"uri", uri}});
    };
    // Who gives every file lets nothing out, and who finds what is not there reads no files.
    const Reply direct = read("file:///" + std::string(kOutside));
    if (!direct.is_error() || !read(directory + "assay-no-such-file").is_error()) return;
    for (const std::string_view up : {"../", "..%2F", "%2E%2E/"}) {
      std::string uri = directory;
      for (int i = 0; i < kDepth; ++i) uri += up;
      uri += kOutside;
      const Reply reply = read(uri);
      if (!reply.is_answered()) continue;
      for (const auto& rule : {kValidated, catalogue::RequirementId("resources.paths-sanitized")}) {
        script.check(
            rule, !has_read(reply), reply,
            fmt::format("file:///{} is refused, and was read by a path with '{}'", kOutside, up));
      }
    }
  }
}

// Another subscription beside that of `uri` begins and ends again, which changes nothing for it.
void subscribe_beside(Script& script, std::string_view uri) {
  for (const Json& resource : script.survey().resources().items) {
    if (!is_readable(resource) || member(resource, "uri") == uri) continue;
    const Json params = {{"uri", member(resource, "uri")}};
    if (script.request("resources/subscribe", params).is_result()) {
      script.request("resources/unsubscribe", params);
    }
    return;
  }
}

// A subscriber is told of changes from the moment it subscribes to the moment it unsubscribes.
SCENARIO(resources_tell_subscribers_of_updates, in_turn(),
         judges({"resources.updates-only-subscribed"})) {
  constexpr catalogue::RequirementId kRule = "resources.updates-only-subscribed";
  if (!script.is_declared("resources.subscribe")) return;
  const auto update = script.tool_with(Ability::kUpdatesResource);
  if (!update) {
    script.lacks(kRule, Ability::kUpdatesResource);
    return;
  }
  Connection& session = script.session();
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
  subscribe_beside(script, uri);
  const std::size_t from = session.mark();
  const Reply changed = script.call(*update);
  if (!changed.is_result() || member(changed.result(), "isError") == true) {
    script.unclear(kRule, "the tool that changes the resource failed", changed.events());
    return;
  }
  const EventPtr told = session.wait_for(
      from, [&](const Event& event) { return is_update_of(event, uri); },
      session.patience().request);
  script.check(kRule, told != nullptr, subscribed.events(),
               "a change of a subscribed resource was not announced",
               Awaited{"notifications/resources/updated"});
  // A change may be announced more than once, and late.
  session.wait_for(
      session.mark(), [](const Event&) { return false; }, session.patience().grace);
  session.request("resources/unsubscribe", {{"uri", uri}});
  session.fence();       // it is over for certain
  script.call(*update);  // the monitor judges whether an update comes
  session.fence();
}

}  // namespace
}  // namespace assay::scenarios
