// Scenarios about tools with a user interface: the extension `io.modelcontextprotocol/ui`. A
// monitor judges what is listed and read; here a host asks for it.
//
// Specification: the extension's page, "Behavior", "Server Behavior".
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "harness/runner/scenario.h"
#include "harness/script/app_resource.h"
#include "harness/script/sample_value.h"
#include "harness/script/stateless_connection.h"
#include "reference/model/formats.h"
#include "reference/wire/compose.h"

namespace assay::scenarios {
namespace {

using namespace harness;
using catalogue::RequirementId;

constexpr std::size_t kMostApps = 12;
constexpr std::string_view kNoApps = "the server lists no tool with a user interface";

// A session of a host that renders user interfaces; null if it did not begin.
Connection* open_as_host(Script& script) {
  Connection& host = script.open_connection();
  host.begin(capabilities_with(script.revision(), apps_extension()));
  return host.has_begun() ? &host : nullptr;
}

std::vector<Json> tools_with_apps(Connection& host) {
  std::vector<Json> tools = Survey::read(host, "tools/list").items;
  std::erase_if(tools, [](const Json& tool) { return app_uri(tool).empty(); });
  return tools;
}

bool is_still_named(Connection& host, std::string_view uri) {
  const std::vector<Json> tools = tools_with_apps(host);
  return std::any_of(tools.begin(), tools.end(),
                     [&](const Json& tool) { return app_uri(tool) == uri; });
}

// An error that may say that there is no such resource. What others say of it is open.
bool may_say_that_it_is_gone(const Reply& reply) {
  return reply.is_error(wire::kResourceNotFound) || reply.is_error(wire::kInvalidParams) ||
         reply.is_error(wire::kMethodNotFound);
}

void judge_existence(Script& script, Connection& host, const std::string& uri) {
  constexpr RequirementId kRule("ext-apps.resource-exists");
  const Reply reply = host.request("resources/read", {{"uri", uri}});
  if (reply.is_error()) {
    if (!may_say_that_it_is_gone(reply)) {
      return script.unclear(kRule, "resources/read failed: " + reply.describe(), reply.events());
    }
    if (!is_still_named(host, uri)) {
      return script.unclear(kRule, "no tool names the user interface any longer", reply.events());
    }
  }
  script.check(kRule, reply.is_result(), reply,
               fmt::format("resources/read of {}, the user interface that a tool names, was "
                           "answered with {}",
                           uri, reply.describe()));
}

// What a tool names can be read.
SCENARIO(ext_apps_are_read, of_extension("apps"), own_session(),
         judges({"ext-apps.resource-exists"})) {
  Connection* const host = open_as_host(script);
  if (host == nullptr) return;
  const std::vector<Json> tools = tools_with_apps(*host);
  if (tools.empty()) return script.not_exercised("ext-apps.resource-exists", std::string(kNoApps));
  if (host->has_capability("resources")) Survey::read(*host, "resources/list");
  std::set<std::string> asked;
  for (const Json& tool : tools) {
    const std::string uri(app_uri(tool));
    const bool can_be_asked =
        has_ui_scheme(uri) && model::format_defect(model::Format::kUri, uri).empty();
    if (asked.size() == kMostApps || !can_be_asked || !asked.insert(uri).second) continue;
    judge_existence(script, *host, uri);
  }
}

// The arguments that are known for the tool, or a guess; nothing where it may not be called.
std::optional<Json> arguments_for(const Script& script, const Json& tool) {
  if (!is_for_model(tool) || !script.tool_policy().allows(tool)) return std::nullopt;
  for (const auto& known : script.profile().tools) {
    if (known.name != text_member(tool, "name") || known.uses.empty()) continue;
    return known.uses.front().arguments;
  }
  return sample_arguments(member(tool, "inputSchema"));
}

bool has_done_its_work(const Reply& reply) {
  const Json& result = reply.result();
  return reply.is_result() && member(result, "isError") != true &&
         member(result, "task").is_null() &&
         (member(result, "resultType").is_null() || member(result, "resultType") == "complete");
}

// A text stands alone, or in a resource that is embedded or linked.
bool has_text(const Json& result) {
  const Json& content = array_member(result, "content");
  return std::any_of(content.begin(), content.end(), [](const Json& block) {
    return member(block, "text").is_string() || text_member(block, "type") == "resource_link" ||
           member(member(block, "resource"), "text").is_string();
  });
}

// Called by a host, and by a client that renders nothing, a tool says in text what it has to say.
SCENARIO(ext_apps_answer_in_text, of_extension("apps"), own_session(),
         judges({"ext-apps.text-fallback"})) {
  constexpr RequirementId kRule("ext-apps.text-fallback");
  Connection* const host = open_as_host(script);
  if (host == nullptr) return;
  const std::vector<Json> tools = tools_with_apps(*host);
  std::size_t count = 0;
  for (const Json& tool : tools) {
    const auto arguments = arguments_for(script, tool);
    if (!arguments || count == kMostApps) continue;
    const Json call = {{"name", text_member(tool, "name")}, {"arguments", *arguments}};
    host->request("tools/call", call);
    const Reply reply = script.session().request("tools/call", call);
    if (!has_done_its_work(reply)) continue;
    ++count;
    script.check(kRule, has_text(reply.result()), reply,
                 fmt::format("{} has a user interface, and answered a client that renders none "
                             "without any text",
                             text_member(tool, "name")));
  }
  if (count > 0) return script.tried({kRule}, count, "tools with a user interface");
  script.not_exercised(kRule, tools.empty() ? std::string(kNoApps)
                                            : "no tool with a user interface may be called, or "
                                              "none succeeded");
}

}  // namespace
}  // namespace assay::scenarios
