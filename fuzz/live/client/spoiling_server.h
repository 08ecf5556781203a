// The reference server before a client, with answers that are spoilt as somebody chooses, and an
// eye on what the client says.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "fuzz/live/client/client_suspicion.h"
#include "fuzz/live/client/spoil.h"
#include "fuzz/live/client/spoiling.h"
#include "harness/host/hosted.h"
#include "reference/server/server.h"

namespace assay::fuzz {

// What to do to the request of this number of its method (counted from 1); nothing: leave it sound.
// Where its occurrence is 0, all that follow of the method are spoilt alike.
using Chooser = std::function<std::optional<Spoil>(const SpoilPlace&, std::size_t occurrence)>;

// Of all that was said in one launch, so much is kept word for word.
inline constexpr std::size_t kMostWordingBytes = 8u << 20;

// What is done in one launch.
struct SpoilPlan {
  Chooser chooser;
  // What not every parser reads alike is left out: then all that the client says can be judged.
  bool is_tidy = false;
  // What lets the client wait is left out: then its waiting can be judged.
  bool is_prompt = false;
};

// What the server has seen of one launch.
struct ServerNotes {
  Spoils applied;
  std::vector<std::string> labels;  // what each of them came to
  // What each of them said; nothing where that is not what a message says, or is long, or where the
  // others were long together.
  std::vector<std::optional<Wording>> wordings;
  std::size_t requests = 0;      // messages and HTTP requests of the client's
  std::size_t most_repeats = 0;  // of one request that was sent again and again
  std::string most_repeated;
  std::size_t sent_bytes = 0;
  // It was kept waiting by right, somewhere; or an answer is still owed.
  bool may_wait = false;
  ClientSuspicions suspicions;
  std::chrono::milliseconds longest_pause{0};  // between two things that it said
  bool was_reached = false;
};

// Thread safety: any thread may call any member.
class SpoilingServer : public harness::Hosted {
 public:
  using Clock = std::chrono::steady_clock;

  SpoilingServer(model::Revision revision, bool is_http, SpoilPlan plan, std::string canary);

  std::shared_ptr<transport::ServerSession> open(
      transport::WireKind wire, std::shared_ptr<transport::Sink> unrelated) override;
  std::vector<transport::MirroredParameter> mirrored(const wire::Message& request) const override {
    return server_.mirrored(request);
  }
  std::optional<transport::HttpReply> turn_away(const transport::HttpHead& request,
                                                std::string_view body) const override;
  void reply(const transport::HttpHead& request, std::string_view body,
             transport::HttpReply& reply) const override;

  // When it last said something or was told something; nothing before it has come.
  std::optional<Clock::time_point> last_activity() const;
  std::size_t requests() const;
  // As in the notes.
  bool may_wait() const;
  std::size_t sent_bytes() const;
  ServerNotes notes() const;

 private:
  class Session;
  class Wire;
  class Answers;
  struct State;

  const model::Revision revision_;
  const std::string canary_;
  const std::shared_ptr<State> state_;
  server::Server server_;
};

}  // namespace assay::fuzz
