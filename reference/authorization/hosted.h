// A reference authorization server on a port of its own.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "reference/authorization/server.h"
#include "reference/transport/http_listener.h"

namespace assay::authorization {

class HostedServer {
 public:
  // What the server is to be like, once it is known where it is: "http://127.0.0.1:1234". Metadata
  // documents of clients are fetched from this machine, and from nowhere else.
  using Furnish = std::function<Knobs(const std::string& origin)>;

  // `port` 0: any free one.
  explicit HostedServer(int port = 0);
  ~HostedServer() { stop(); }

  // Otherwise: why it cannot, in one sentence.
  std::optional<std::string> start(const Furnish& furnish);
  // Once started.
  const std::string& origin() const { return origin_; }
  Server& server() { return *server_; }
  void stop() { listener_.stop(); }

 private:
  transport::HttpReply handle(const transport::HttpHead& request, std::string_view body);

  std::string origin_;
  std::unique_ptr<Server> server_;
  std::atomic<Server*> serving_ = nullptr;  // once it may be asked
  transport::HttpListener listener_;        // the last: its threads use the others
};

}  // namespace assay::authorization
