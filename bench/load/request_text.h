// Requests as bytes that are ready to be sent: only the id is written anew each time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "bench/load/mix.h"
#include "reference/model/revision.h"
#include "reference/transport/http_url.h"

namespace assay::bench {

// Ids have ten digits, so that a request's length never changes.
inline constexpr std::uint64_t kFirstId = 1'000'000'000;

class RequestText {
 public:
  // A JSON-RPC request; for a revision without a handshake with the `_meta` that each request
  // carries there (2026-07-28, basic, "_meta").
  RequestText(const MixEntry& entry, model::Revision revision);

  // Puts something before and after: an HTTP head, a newline.
  void wrap(std::string_view before, std::string_view after);
  // The bytes with that id, valid until the next call.
  std::string_view with_id(std::uint64_t id);
  std::size_t size() const { return bytes_.size(); }

 private:
  std::string bytes_;
  std::size_t id_at_ = 0;
};

struct HttpSetting {
  const transport::HttpUrl* url = nullptr;
  const transport::Headers* headers = nullptr;  // further ones
  model::Revision revision = model::Revision::v2025_11_25;
};

// The head of a POST to an MCP endpoint. `session` may be empty; `entry` is null for what comes
// before a session is open, and for what is no request of the mix. What they say has been found to
// be text that a head can hold, where it was read.
std::string post_head(const HttpSetting& setting, std::string_view session, const MixEntry* entry,
                      std::size_t body_bytes);

// The messages of the handshake.
std::string initialize_text(model::Revision revision);
inline constexpr std::string_view kInitialized =
    R"({"jsonrpc":"2.0","method":"notifications/initialized"})";

}  // namespace assay::bench
