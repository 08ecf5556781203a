// Which of several HTTP exchanges belong to one session.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "harness/runner/passive.h"

namespace assay::harness {

// What tells of the session of one exchange.
struct SessionMarks {
  std::string endpoint;              // the URL, or its path
  std::optional<std::string> asked;  // the request's Mcp-Session-Id
  std::optional<std::string> given;  // the response's
  std::string agent;                 // the request's User-Agent
  bool is_initialize = false;
  bool names_revision = false;  // there are no sessions where requests do
  bool is_mcp = false;          // no preflight, and not what a browser asks for
  std::string id;               // of the JSON-RPC request
};

// The session of one exchange.
struct HttpSessionName {
  std::string name;
  // Why nobody knows that all of it is of one client: empty where somebody does.
  std::string doubt;
};

// Of exchanges in the order in which they began.
//
// A request without a session id, or with one that nobody assigned, belongs to the one session that
// there is at its endpoint, if it is of the same client as far as its User-Agent tells: otherwise
// who loses an id could not be found out. (With another id only where nobody ever sends the right
// one: else it is more likely a session of somebody else, from before the recording.) A server
// without session ids has its next session when somebody initializes it again; whose the requests
// after that are is not known. Requests that name their revision form a session of their own.
std::vector<HttpSessionName> sessions_of(const std::vector<SessionMarks>& exchanges);

// The sessions in what passed at one place, each with the events of its exchanges in their order,
// and without what has nothing to do with MCP. Streamable HTTP and HTTP+SSE. `endpoint`: the path
// where a server is known to be; otherwise each is one where a message was sent.
std::vector<RecordedSession> split_http(const RecordedSession& all,
                                        const std::string& endpoint = "");

}  // namespace assay::harness
