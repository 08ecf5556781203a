// What the plays for clients share: tools that they list in place of the reference server's, and
// results in the form of the revision.
#pragma once

#include <string>
#include <vector>

#include "reference/wire/json.h"
#include "reference/wire/message_fwd.h"

namespace assay::scenarios {

// A tool with an input schema, as it is listed. Without one the tool takes no arguments.
Json hosted_tool(const std::string& name, const std::string& description,
                 Json input_schema = nullptr);
// Makes a result of tools/list hold just these, on one page.
void list_only(const std::vector<Json>& tools, Json& result);
// The same with one tool of the reference server's, where a play is about something else.
void list_little(const wire::Message& request, Json& result);
// The result of a call: one text. In the revisions without a handshake it says that it is complete.
Json text_result(const wire::Message& request, const std::string& text);
// Next to nothing, as the result of a call, of prompts/get or of resources/read.
Json done_result(const wire::Message& request);
// The tool that a call names.
std::string called_tool(const wire::Message& request);

}  // namespace assay::scenarios
