// What a tool is. Specification: server/tools.
//
// To add one: write its body in a file tools_*.cc, and an entry in the table at that file's end.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "reference/model/revision.h"
#include "reference/server/answer.h"
#include "reference/server/tool_dialogue.h"
#include "reference/transport/server_transport.h"

namespace assay::server {

enum class TaskSupport { kForbidden, kOptional, kRequired };

struct Tool {
  std::string name;
  std::string title;
  std::string description;
  Json input_schema;
  // Gives a CallToolResult, or an error of the protocol.
  Answer (*run)(ToolDialogue&, const Json& arguments) = nullptr;
  Json output_schema = nullptr;
  bool is_slow = false;  // waits for something: runs on a worker
  bool is_read_only = true;
  bool needs_upstream = false;  // there where Options::upstream is
  // What `_meta.ui` says of it to a client that renders apps. It is there where the server has the
  // extension.
  Json ui = nullptr;
  TaskSupport task_support = TaskSupport::kForbidden;
  // Which revisions have what the tool shows; every one where this is null.
  model::Revision::Question exists = nullptr;
  // Before it runs as a task of the extension: an answer in place of the task, as where the client
  // has to be asked first. It may add to the arguments.
  std::optional<Answer> (*prepare)(ToolDialogue&, Json& arguments) = nullptr;
};

// An input schema with these properties, all of them required or none.
Json no_arguments();
Json required_arguments(Json properties);
Json optional_arguments(Json properties);

// The tables of the tools_*.cc files, in the order in which they are listed.
std::vector<Tool> content_tools();
std::vector<Tool> slow_tools();
std::vector<Tool> client_tools();
std::vector<Tool> input_tools();
std::vector<Tool> header_tools();
std::vector<Tool> change_tools();
std::vector<Tool> task_tools();
std::vector<Tool> client_task_tools();
std::vector<Tool> job_tools();
std::vector<Tool> upstream_tools();
std::vector<Tool> app_tools();

// Null where the revision has no such tool.
const Tool* find_tool(model::Revision revision, std::string_view name);

// What of a tool's arguments HTTP headers have to say as well.
std::vector<transport::MirroredParameter> mirrored_parameters(const Json& input_schema,
                                                              const Json& arguments);

}  // namespace assay::server
