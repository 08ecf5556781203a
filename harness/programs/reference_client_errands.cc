#include "harness/programs/reference_client_errands.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <latch>
#include <memory>

#include "harness/programs/reference_client_skills.h"
#include "harness/script/json_member.h"
#include "harness/script/sample_value.h"
#include "reports/escape.h"

namespace assay::cli {
namespace {

using harness::member;
using harness::text_member;

// In which every tool is called that the server lists.
constexpr std::array<std::string_view, 9> kCallEveryTool = {"calls-become-tasks",
                                                            "header-mismatch",
                                                            "http-invalid-tool-headers",
                                                            "http-standard-headers",
                                                            "results-ask",
                                                            "results-ask-for-samples",
                                                            "results-ask-for-undeclared-samples",
                                                            "sep-2322-client-request-state",
                                                            "tasks-ask"};

// What a silent server is given for its answer: well over what counts as a wait, so that a busy
// machine, which hears of the call late, still sees one.
constexpr std::chrono::milliseconds kLittlePatience{1000};

// For the acknowledgment of what it listens for.
constexpr std::chrono::milliseconds kAcknowledgmentPatience{2000};

// Of what is asked for, so many bytes are shown.
constexpr std::size_t kMostShown = 100;

}  // namespace

void ReferenceClientErrands::run(std::string_view scenario, const Json& context, bool is_again) {
  for (const Json& each : harness::array_member(context, "toolCalls")) {
    call({{"name", member(each, "name")}, {"arguments", member(each, "arguments")}});
  }
  if (std::find(kCallEveryTool.begin(), kCallEveryTool.end(), scenario) != kCallEveryTool.end()) {
    call_every_tool();
  }
  if (scenario == "http-standard-headers" || scenario == "sep-2322-client-request-state") {
    read_every_resource();
    get_every_prompt();
  }
  if (scenario == "json-schema-2020-12-preservation") give_back_schema();
  if (scenario == "list-in-pages" && tool("tool_4_3") != nullptr) call_plainly("tool_4_3");
  if (scenario == "two-calls-at-once") call_two_at_once();
  if (scenario == "server-silent") give_up_a_call();
  if (scenario == "server-busy") give_up_a_busy_call();
  if (scenario == "tasks-without-end") {
    give_up("test_task_never_ends");
    call_plainly("test_task_expires");
  }
  if (scenario == "server-exits") {
    listen_to_changes();
    call_plainly(is_again ? "test_simple_text" : "test_exits");
  }
  if (scenario == "subscription-declined") {
    listen_to_changes();
    call_plainly("test_simple_text");
  }
  // The others are what the official suite calls its own; in one of them no skill is needed.
  if (scenario.starts_with("skills") || scenario.starts_with("sep-2640-client-verify")) {
    load_skills();
  } else if (scenario == "sep-2640-client-no-prefetch") {
    session_.list_all("skills/list", "skills", deadline());
  }
  if (scenario == "apps") render_apps();
  if (scenario == "short-lived-lists") call_plainly("test_waits");
  if (scenario == "costly-schema") {
    for (const char* tool : {"test_before", "test_costly_schema", "test_simple_text"}) {
      call_plainly(tool);
    }
  }
}

// Until the session ends; nobody waits for that. What is asked next comes behind what the server
// says to it: over HTTP each goes by itself.
void ReferenceClientErrands::listen_to_changes() {
  constexpr std::string_view kAcknowledged = "notifications/subscriptions/acknowledged";
  heard_.forget(kAcknowledged);
  const Json filter = {{"toolsListChanged", true}, {"promptsListChanged", true}};
  session_.start("subscriptions/listen", {{"notifications", filter}}, deadline(),
                 [](const client::ServerAnswer&) {});
  heard_.wait_for(kAcknowledged, std::chrono::steady_clock::now() + kAcknowledgmentPatience);
}

void ReferenceClientErrands::load_skills() {
  const auto ask = [this](std::string_view method, const Json& params) {
    if (session_.closed()) return Json();
    const client::ServerAnswer reply = session_.request(method, params, deadline());
    show(method, params, reply);
    return reply.is_result() ? reply.json : Json();
  };
  cli::load_skills(session_.server(), session_.list_all("skills/list", "skills", deadline()).items,
                   ask);
}

// Each tool is called when its user interface is there to show the result.
void ReferenceClientErrands::render_apps() {
  for (const Json& each : tools_) {
    const Json& uri = member(member(member(each, "_meta"), "ui"), "resourceUri");
    if (!uri.is_string()) continue;
    ask("resources/read", {{"uri", uri}});
    call_plainly(text_member(each, "name"));
  }
}

void ReferenceClientErrands::give_up(std::string_view name) {
  const Json params = {{"name", name}, {"arguments", Json::object()}};
  show("tools/call", params,
       session_.request("tools/call", params, std::chrono::steady_clock::now() + kLittlePatience));
}

void ReferenceClientErrands::give_up_a_call() {
  give_up("test_silent");
  call_plainly("test_simple_text");
  ask("tools/list", Json::object());
}

// Whatever it reports meanwhile.
void ReferenceClientErrands::give_up_a_busy_call() {
  const Json busy = {{"name", "test_progresses"}, {"arguments", Json::object()}};
  client::RequestOptions options;
  options.on_progress = [](const Json&) {};
  show("tools/call", busy,
       session_.request("tools/call", busy, std::chrono::steady_clock::now() + kLittlePatience,
                        std::move(options)));
  call_plainly("test_simple_text");
}

void ReferenceClientErrands::call_two_at_once() {
  const auto answered = std::make_shared<std::latch>(2);
  for (const char* name : {"test_meets_one", "test_meets_other"}) {
    client::RequestOptions options;
    options.on_progress = [](const Json&) {};
    session_.start(
        "tools/call", {{"name", name}, {"arguments", Json::object()}}, deadline(),
        [answered](const client::ServerAnswer&) { answered->count_down(); }, std::move(options));
  }
  answered->wait();
}

void ReferenceClientErrands::call_plainly(std::string_view name) {
  call({{"name", name}, {"arguments", Json::object()}});
}

void ReferenceClientErrands::call_every_tool() {
  for (const Json& each : tools_) {
    const auto arguments = harness::sample_arguments(member(each, "inputSchema"));
    call({{"name", member(each, "name")}, {"arguments", arguments.value_or(Json::object())}});
  }
}

void ReferenceClientErrands::read_every_resource() {
  for (const Json& each : session_.list_all("resources/list", "resources", deadline()).items) {
    ask("resources/read", {{"uri", member(each, "uri")}});
  }
}

void ReferenceClientErrands::get_every_prompt() {
  for (const Json& each : session_.list_all("prompts/list", "prompts", deadline()).items) {
    ask("prompts/get", {{"name", member(each, "name")}});
  }
}

void ReferenceClientErrands::give_back_schema() {
  const Json* shown = tool("json_schema_2020_12_tool");
  if (shown == nullptr || tool("json_schema_echo") == nullptr) return;
  call({{"name", "json_schema_echo"}, {"arguments", {{"schema", member(*shown, "inputSchema")}}}});
}

const Json* ReferenceClientErrands::tool(std::string_view name) const {
  const auto found = std::find_if(tools_.begin(), tools_.end(), [&](const Json& each) {
    return text_member(each, "name") == name;
  });
  return found == tools_.end() ? nullptr : &*found;
}

void ReferenceClientErrands::call(const Json& params) {
  if (session_.closed()) return;
  show("tools/call", params, call_tool(session_, params, patience_, on_tools_));
}

void ReferenceClientErrands::ask(std::string_view method, const Json& params) {
  if (session_.closed()) return;
  show(method, params, session_.request(method, params, deadline()));
}

void ReferenceClientErrands::show(std::string_view method, const Json& params,
                                  const client::ServerAnswer& reply) {
  const std::string_view outcome = reply.is_result()  ? "a result"
                                   : reply.is_error() ? "an error"
                                                      : "no answer";
  const std::string what = params.dump(-1, ' ', false, Json::error_handler_t::replace);
  fmt::print("  {} {}: {}\n", method, reports::printable_line(what.substr(0, kMostShown)), outcome);
}

}  // namespace assay::cli
