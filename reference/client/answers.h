// How a client answers what a server asks of it.
//
// Specification: client/roots, client/sampling, client/elicitation, basic/utilities/ping.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "reference/model/extension.h"
#include "reference/model/revision.h"
#include "reference/wire/json.h"

namespace assay::client {

struct ErrorAnswer {
  std::int64_t code = 0;
  std::string message;
};
// The result, or an error.
using Answer = std::variant<Json, ErrorAnswer>;
// Called on the session's own thread, where other questions of the server wait until it returns; or
// by who waits for a request whose result asks for something.
using Handler = std::function<Answer(const Json& params)>;

// Sends a notification to the server, and returns when the server has taken it, or takes long.
using Notify = std::function<void(std::string_view method, Json params)>;

struct Root {
  std::string uri;  // file://...
  std::string name;
};

// What the client offers to servers. What is not offered is neither declared nor answered.
struct Offer {
  bool roots = true;
  bool sampling = true;
  bool sampling_tools = true;  // where sampling is, and the revision has them
  bool tasks = true;           // of sampling and elicitation, where the revision has them
  bool durable_tasks = true;   // calls that go on as tasks of the extension, which is declared
  bool apps = true;            // it renders apps of the extension, as it declares
  bool elicitation_form = true;
  bool elicitation_url = true;
  std::vector<Root> root_list;
  // Declared as well, and known to those who log in.
  std::vector<const model::Extension*> extensions;
};

// The capabilities that `initialize` declares, in the form of the revision.
Json client_capabilities(const Offer& offer, model::Revision revision);

// Handlers by method: `ping` always, the rest as offered and as the revision has it. Sampling is
// answered with a fixed text, or where a tool is required with a use of the first; a form is
// accepted with default_content(); a URL is declined, because nobody is there to open it. `notify`
// tells of the progress of tasks; it may be empty.
std::map<std::string, Handler, std::less<>> default_handlers(const Offer& offer,
                                                             model::Revision revision,
                                                             const Notify& notify = nullptr);

// Values that fit a form's schema: each property's default where it has one, and otherwise a plain
// value within its bounds for the required ones.
Json default_content(const Json& requested_schema);

}  // namespace assay::client
