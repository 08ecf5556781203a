// A reference server that follows a play.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "harness/host/hosted.h"
#include "harness/host/play.h"
#include "reference/model/revision.h"
#include "reference/server/options.h"
#include "reference/server/server.h"
#include "reference/wire/message.h"

namespace assay::harness {

// Of the reference server, where a client under test is served: this revision and no other, and no
// tool takes its time.
server::Options hosted_options(model::Revision revision);

// Thread safety: any thread may call any member.
class Stage : public Hosted {
 public:
  // Serves the revision and no other. A question of the play's is waited for as long as `patience`.
  // The play outlives the stage.
  // `trap`: the origin of the trap that the play sets, if it does.
  Stage(Play& play, model::Revision revision, std::chrono::milliseconds patience,
        std::string trap = "");
  // Serves as `options` have it; what visits are told is hosted is the newest of its revisions.
  Stage(Play& play, const server::Options& options, std::chrono::milliseconds patience,
        std::string trap = "");
  ~Stage() override;

  // Lets the answer to initialize wait so long: what the client sends without waiting for it is
  // here by then. Before anything is received.
  void hold_openings(std::chrono::milliseconds time) { opening_ = time; }
  // See Play::defies().
  bool defies() const override { return play_.defies(); }
  void note_input_end() override;
  void note_signal(int signal) override;
  void note_client_end();
  // See Play::log().
  std::string_view log() const override;
  std::shared_ptr<transport::ServerSession> open(
      transport::WireKind wire, std::shared_ptr<transport::Sink> unrelated) override;
  std::vector<transport::MirroredParameter> mirrored(const wire::Message& request) const override {
    return server_.mirrored(request);
  }
  std::optional<transport::HttpReply> turn_away(const transport::HttpHead& request,
                                                std::string_view body) const override;
  std::optional<transport::HttpHead> mishears(const transport::HttpHead& request,
                                              std::string_view body) const override;
  void reply(const transport::HttpHead& request, std::string_view body,
             transport::HttpReply& reply) const override;
  void event(wire::SseEvent& event) const override;
  // Play::begin(), and no request is answered meanwhile.
  std::optional<std::string> begin(const Venue& venue);

 private:
  class Session;
  class AmendingSink;
  // A message that waits until the client has answered what it was asked.
  struct Held {
    std::deque<Visit::Step> more;   // said one after the other, before the message goes on
    std::set<std::string> awaited;  // ids
    std::chrono::steady_clock::time_point until;
    std::shared_ptr<transport::ServerSession> good;
    std::optional<std::string> answer;  // in place of the reference server's
    bool is_rejected = false;           // with it
    wire::Message message;
    std::shared_ptr<transport::Sink> sink;     // for the answer
    std::shared_ptr<transport::Sink> where;    // for what is said ahead of it
    std::function<Json(int)> again = nullptr;  // said while it waits
    int said_again = 0;                        // how often
    int number = 0;                            // tells it from others
    std::chrono::steady_clock::time_point next = std::chrono::steady_clock::time_point::max();
  };

  void receive(const wire::Decoded& arrived, const std::shared_ptr<transport::Sink>& answers,
               const std::shared_ptr<transport::ServerSession>& good,
               const std::shared_ptr<transport::Sink>& unrelated);
  // Says the next step, and all behind it that wait for nothing; after the last lets go of the
  // message.
  void go_on(Held held);
  void note_answers(const wire::Message& message);
  void note_settled(const std::set<std::string>& ids);
  // Says once more what the held message of that number says again and again, if it still waits.
  void pulse(int number);
  void release(Held held);
  void let_go_late();
  void amend(const wire::Message& request, Json& result);

  const model::Revision revision_;
  const std::chrono::milliseconds patience_;
  const std::string trap_;
  std::chrono::milliseconds opening_{0};
  mutable std::mutex play_mutex_;  // one call of the play at a time
  Play& play_;
  server::Server server_;

  std::mutex pulse_mutex_;  // held while a pulse is said: what it belongs to goes on after it
  std::mutex mutex_;        // guards the four below
  std::condition_variable changed_;
  std::vector<Held> held_;
  int last_held_ = 0;
  bool is_over_ = false;
  std::thread thread_;  // lets go of what waited long enough
};

}  // namespace assay::harness
