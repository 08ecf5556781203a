// The MCP endpoint in the stateless era: each POST stands alone, and is answered on a stream of its
// own.
//
// Specification: basic/transports/streamable-http (since 2026-07-28).
#pragma once

#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "reference/transport/accept.h"
#include "reference/transport/event_stream.h"
#include "reference/transport/http_conduct.h"
#include "reference/transport/http_server.h"
#include "reference/transport/server_transport.h"

namespace assay::transport {

// Thread safety: any thread may call any member.
class StatelessEndpoint {
 public:
  // All outlive it.
  StatelessEndpoint(SessionFactory& server, const HttpServerOptions& options,
                    const HttpConduct& conduct);

  // Whether a POST is of this era. `has_session`: it names a session that there is.
  bool concerns(const HttpHead& request, const wire::Decoded& arrived, bool has_session) const;
  // Whether a GET or a DELETE is.
  bool concerns(const HttpHead& request) const;

  // Of a POST of the era. `user`: whose token it shows; empty: nobody's.
  HttpReply answer(const HttpHead& request, const wire::Decoded& arrived, const std::string& user);
  // Ends what is under way: subscriptions are answered, other requests are not.
  void end();

 private:
  class Exchange;

  bool speaks(std::optional<model::Revision> version) const;
  HttpReply reply_to(Acceptance takes, const wire::Message* asked,
                     const std::shared_ptr<EventStream>& stream,
                     std::shared_ptr<Exchange> exchange) const;
  HttpReply stream_reply_to(const std::shared_ptr<EventStream>& stream,
                            std::shared_ptr<Exchange> exchange) const;

  SessionFactory& server_;
  const HttpServerOptions& options_;
  const HttpConduct& conduct_;
  const std::vector<model::Revision> spoken_;  // of the era
  const bool is_alone_;                        // no other era is spoken
  std::mutex mutex_;                           // guards under_way_
  std::set<const Exchange*> under_way_;
};

}  // namespace assay::transport
