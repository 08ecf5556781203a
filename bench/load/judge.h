// What a message from a server under load is.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace assay::bench {

struct Judged {
  enum class Kind {
    kAnswer,   // to the request `id`
    kRequest,  // of the server's own
    kOther,    // a notification
    kBad,      // no message that makes sense here
  };
  Kind kind = Kind::kBad;
  std::uint64_t id = 0;  // of kAnswer
  // Why an answer is no good one, or what is bad; empty for a good answer.
  std::string_view trouble = {};  // of static storage
  std::string request_id = {};    // of kRequest: its JSON text
  bool is_ping = false;           // of kRequest
};

// An error and a tool's `isError` are troubles: the work was not done.
Judged judge(std::string_view message);

}  // namespace assay::bench
