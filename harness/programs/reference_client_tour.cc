#include "harness/programs/reference_client_tour.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <thread>

#include "harness/script/header_annotations.h"
#include "harness/script/json_member.h"
#include "reports/escape.h"

namespace assay::cli {
namespace {

constexpr std::size_t kMaxShownBytes = 200;

std::string text_of(const Json& object, const char* name) {
  if (!object.is_object()) return {};
  const auto found = object.find(name);
  if (found == object.end()) return {};
  return found->is_string() ? found->get<std::string>()
                            : found->dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string shown(std::string text) {
  const bool is_long = text.size() > kMaxShownBytes;
  if (is_long) text.resize(kMaxShownBytes);
  return reports::printable_line(text) + (is_long ? " ..." : "");
}

// The fixtures that the official suite names, and that are safe to call, with their arguments.
const std::map<std::string, Json>& fixture_tools() {
  static const std::map<std::string, Json> kTools{
      {"test_simple_text", Json::object()},
      {"test_image_content", Json::object()},
      {"test_audio_content", Json::object()},
      {"test_embedded_resource", Json::object()},
      {"test_multiple_content_types", Json::object()},
      {"test_tool_with_logging", Json::object()},
      {"test_tool_with_progress", Json::object()},
      {"test_error_handling", Json::object()},
      {"test_reconnection", Json::object()},
      {"test_tool_with_task", Json::object()},
      {"test_task_announced", Json::object()},
      {"test_task_wants_input", Json::object()},
      {"test_sampling", {{"prompt", "What is a conformance suite?"}}},
      {"test_elicitation", {{"message", "May I?"}}},
      {"test_elicitation_sep1034_defaults", Json::object()},
      {"test_input_required_result_elicitation", Json::object()},
      {"test_input_required_result_multiple_inputs", Json::object()},
      {"test_input_required_result_multi_round", Json::object()},
      {"add_numbers", {{"a", 5}, {"b", 3}}},
      {"test-tool", Json::object()},
      {"test_client_elicitation_defaults", Json::object()},
      {"test_custom_header_tool", {{"greeting", "Gr\u00fcezi"}}},
  };
  return kTools;
}

// It can be called in no other way.
bool needs_task(const Json& tool) {
  const Json execution = tool.value("execution", Json::object());
  return execution.is_object() && execution.value("taskSupport", Json()) == "required";
}

// As the server asks, within reason.
std::chrono::milliseconds poll_interval(const Json& task) {
  constexpr std::int64_t kDefault = 100;
  constexpr std::int64_t kLongest = 2000;
  const auto given = task.find("pollInterval");
  const bool is_given = given != task.end() && given->is_number_integer();
  return std::chrono::milliseconds(
      std::clamp(is_given ? given->get<std::int64_t>() : kDefault, std::int64_t{1}, kLongest));
}

// At its end, or in want of what tasks/result brings.
bool is_to_be_fetched(const Json& task) {
  return text_of(task, "status") != "working";
}

bool only_reads(const Json& tool) {
  const Json none = Json::object();
  const Json annotations = tool.value("annotations", none);
  const Json schema = tool.value("inputSchema", none);
  if (!annotations.is_object() || !schema.is_object()) return false;
  const auto hint = annotations.find("readOnlyHint");
  const bool is_read_only = hint != annotations.end() && *hint == true;
  return is_read_only && schema.value("required", Json::array()).empty();
}

constexpr std::int64_t kHeaderMismatch = -32020;

}  // namespace

void leave_out_unfit(std::vector<Json>& tools) {
  std::erase_if(tools, [](const Json& tool) {
    const auto trouble = harness::header_annotation_trouble(harness::member(tool, "inputSchema"));
    if (trouble) {
      const std::string name(harness::text_member(tool, "name"));
      fmt::print(stderr, "mcp-assay: the tool {} is left out: {}\n", reports::printable_line(name),
                 reports::printable_line(*trouble));
    }
    return trouble.has_value();
  });
}

client::ServerAnswer call_tool(client::ClientSession& session, const Json& params,
                               std::chrono::milliseconds patience, const OnTools& on_tools) {
  const auto deadline = [&] { return std::chrono::steady_clock::now() + patience; };
  client::ServerAnswer reply = session.request("tools/call", params, deadline());
  if (!reply.is_error(kHeaderMismatch)) return reply;
  client::ListOutcome list = session.list_all("tools/list", "tools", deadline());
  on_tools(list.items);
  return session.request("tools/call", params, deadline());
}

void ReferenceClientTour::run() {
  show_server();
  show_tools();
  show_list("resources", "resources/list", "resources", "Resources");
  show_list("resources", "resources/templates/list", "resourceTemplates", "Resource templates");
  show_list("prompts", "prompts/list", "prompts", "Prompts");
  if (!session_.revision()->has_ping()) return;
  show_reply("ping", session_.request("ping", Json::object(), deadline()));
}

void ReferenceClientTour::show_server() {
  const Json server = session_.server();
  const Json info = server.value("serverInfo", Json::object());
  fmt::print("Server        {} {}\n", shown(text_of(info, "name")),
             shown(text_of(info, "version")));
  fmt::print("Revision      {}\n", session_.revision()->text());
  const Json declared = server.value("capabilities", Json::object());
  std::string capabilities;
  for (const auto& [name, value] : declared.items()) {
    capabilities += (capabilities.empty() ? "" : ", ") + name;
  }
  fmt::print("Capabilities  {}\n", capabilities.empty() ? "none" : shown(capabilities));
  if (const std::string text = text_of(server, "instructions"); !text.empty()) {
    fmt::print("Instructions  {}\n", shown(text));
  }
}

std::vector<Json> ReferenceClientTour::show_list(std::string_view capability,
                                                 std::string_view method, const std::string& key,
                                                 std::string_view title) {
  const Json capabilities = session_.server().value("capabilities", Json::object());
  if (!capabilities.is_object() || !capabilities.contains(capability)) return {};
  client::ListOutcome list = session_.list_all(method, key, deadline());
  if (capability == "tools") on_tools_(list.items);
  fmt::print("\n{} ({} on {} page{})\n", title, list.items.size(), list.pages,
             list.pages == 1 ? "" : "s");
  for (const Json& item : list.items) {
    std::string name = text_of(item, "name");
    for (const char* place : {"uri", "uriTemplate"}) {
      if (std::string text = text_of(item, place); !text.empty()) name = std::move(text);
    }
    fmt::print("  {:<40} {}\n", shown(name), shown(text_of(item, "description")));
  }
  if (!list.is_complete) show_reply("the list breaks off:", list.last);
  return std::move(list.items);
}

void ReferenceClientTour::show_tools() {
  const std::vector<Json> tools = show_list("tools", "tools/list", "tools", "Tools");
  const Json capabilities = session_.server().value("capabilities", Json::object());
  if (!capabilities.is_object() || !capabilities.contains("tools")) return;
  fmt::print("\nCalls of safe tools\n");
  for (const Json& tool : tools) {
    if (session_.closed()) return;
    const std::string name = text_of(tool, "name");
    const auto fixture = fixture_tools().find(name);
    if (tool.is_object() && needs_task(tool)) {
      if (fixture != fixture_tools().end()) call_as_task(name, fixture->second);
    } else if (fixture != fixture_tools().end()) {
      call(name, fixture->second);
    } else if (tool.is_object() && only_reads(tool)) {
      call(name, Json::object());
    }
  }
}

void ReferenceClientTour::call(const std::string& tool, const Json& arguments) {
  const Json params = {{"name", tool}, {"arguments", arguments}};
  show_reply(tool, call_tool(session_, params, patience_, on_tools_));
}

void ReferenceClientTour::call_as_task(const std::string& tool, const Json& arguments) {
  if (!session_.revision()->has_core_tasks()) return;
  const Json::json_pointer capability("/capabilities/tasks/requests/tools/call");
  if (!session_.server().contains(capability)) return;
  client::ServerAnswer reply = session_.request(
      "tools/call", {{"name", tool}, {"arguments", arguments}, {"task", Json::object()}},
      deadline());
  const bool has_result = reply.is_result() && reply.json.is_object();
  Json task = has_result ? reply.json.value("task", Json()) : Json();
  const std::string id = text_of(task, "taskId");
  if (id.empty()) return show_reply(tool, reply);
  const client::Deadline end = deadline();
  while (!is_to_be_fetched(task) && std::chrono::steady_clock::now() < end) {
    std::this_thread::sleep_for(poll_interval(task));
    reply = session_.request("tasks/get", {{"taskId", id}}, end);
    if (!reply.is_result()) return show_reply(tool, reply);
    task = reply.json;
  }
  show_reply(tool, session_.request("tasks/result", {{"taskId", id}}, deadline()));
}

void ReferenceClientTour::show_reply(std::string_view what, const client::ServerAnswer& reply) {
  std::string text;
  switch (reply.kind) {
    case client::ServerAnswer::Kind::kResult:
      text = reply.json.dump(-1, ' ', false, Json::error_handler_t::replace);
      break;
    case client::ServerAnswer::Kind::kError:
      text =
          fmt::format("error {}: {}", text_of(reply.json, "code"), text_of(reply.json, "message"));
      break;
    case client::ServerAnswer::Kind::kInvalid:
      text = "an answer of no use: " + reply.detail;
      break;
    case client::ServerAnswer::Kind::kTimeout:
    case client::ServerAnswer::Kind::kClosed:
      text = "no answer: " + reply.detail;
      break;
  }
  fmt::print("  {:<40} {}\n", shown(std::string(what)), shown(std::move(text)));
}

}  // namespace assay::cli
