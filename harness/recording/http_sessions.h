// Which of several HTTP exchanges belong to one session.
#pragma once

#include <map>
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
  bool is_initialize = false;
};

// Names the session of each exchange, which come in the order in which they began.
class HttpSessions {
 public:
  // A server without session ids has its next session when somebody initializes it again.
  std::string name_of(const SessionMarks& marks);

 private:
  std::map<std::string, int> without_id_;  // by endpoint: how many have begun
};

// The sessions in what passed at one place, each with the events of its exchanges in their order,
// and without what has nothing to do with MCP. Streamable HTTP and HTTP+SSE.
std::vector<RecordedSession> split_http(const RecordedSession& all);

}  // namespace assay::harness
