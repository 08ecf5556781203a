// An authorization server for the clients of a play, on this machine.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "harness/host/play.h"
#include "harness/transcript/credential_mask.h"
#include "reference/authorization/server.h"
#include "reference/transport/http_listener.h"

namespace assay::harness {

class Office {
 public:
  // More exchanges than any house or office has.
  static constexpr std::uint64_t kLanes = 1'000'000;

  // What the server is to be like, once it is known where it is: "http://127.0.0.1:1234".
  using Furnish = std::function<authorization::Knobs(const std::string& origin)>;

  // What passes is told to the recorder of the venue, without credentials. `number` keeps the lanes
  // of several offices apart.
  explicit Office(const Venue& venue, int number = 1);
  ~Office() { stop(); }

  // Otherwise: why it cannot, in one sentence.
  std::optional<std::string> start(const Furnish& furnish);
  // Once started.
  authorization::Server& server() { return *server_; }
  const std::string& origin() const { return origin_; }
  // What else is found on this host; it is asked first. Before the client is started.
  using Beside = std::function<std::optional<transport::HttpReply>(
      const transport::HttpHead& request, std::string_view body)>;
  void serve_beside(Beside beside) { beside_ = std::move(beside); }
  void stop() { listener_.stop(); }

 private:
  transport::HttpReply handle(const transport::HttpHead& request, std::string_view body);

  CredentialMask mask_;
  std::string origin_;
  Beside beside_ = nullptr;
  std::unique_ptr<authorization::Server> server_;
  std::atomic<authorization::Server*> serving_ = nullptr;  // once it may be asked
  transport::HttpListener listener_;
};

}  // namespace assay::harness
