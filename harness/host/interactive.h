// A server for applications that somebody drives by hand: it plays nothing, whatever connects is
// watched, and at the end the clients are judged by what passed.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/host/errand_list.h"
#include "harness/host/house.h"
#include "harness/runner/passive.h"
#include "harness/watch/board.h"
#include "harness/watch/live_sessions.h"
#include "reports/result.h"

namespace assay::harness {

class Stage;

struct InteractiveOptions {
  TransportKind transport = TransportKind::kHttp;
  std::string relay_program;               // over stdio: mcp-assay, which the application starts
  std::vector<model::Revision> revisions;  // hosted, oldest first
  int port = 0;                            // over HTTP; 0: a free one
  std::string page_origin = {};            // see HouseOptions
  // Only what this version of the catalogue required is judged; 0: everything.
  int catalogue_version = 0;
  std::shared_ptr<reports::Vault> vault;
  // Called with the transcript of each session; may be empty.
  std::function<void(std::string_view run, std::string_view scenario, std::span<const EventPtr>)>
      on_transcript;
};

class InteractiveHost {
 public:
  // What passes, what it breaks, and what is left to be done stands on the board, which outlives
  // the host.
  InteractiveHost(InteractiveOptions options, WatchBoard& board);
  ~InteractiveHost();
  InteractiveHost(const InteractiveHost&) = delete;
  InteractiveHost& operator=(const InteractiveHost&) = delete;

  // Otherwise: why it cannot, in one sentence.
  std::optional<std::string> start();
  // Once started: how an application finds it. The URL; over stdio a file with mcpServers, whole.
  const std::string& where() const { return where_; }
  // Ends all connections, and judges what passed on them. That somebody ended it is the end that it
  // always has: only what was too much to be judged makes the result incomplete. Call it once.
  reports::Result finish(reports::Target target);

 private:
  // One that is open: over HTTP all that passes is one.
  struct Connection {
    Connection(int on_board, TransportKind transport) : number(on_board), judge(transport) {}

    const int number;  // on the board
    LiveSessions judge;
  };

  void note(int process, const EventPtr& event);
  void show(Connection& connection, const EventPtr& event);
  void show_left();
  void judge(RecordedSession session);

  const InteractiveOptions options_;
  WatchBoard& board_;
  std::string where_;
  std::chrono::steady_clock::time_point began_;

  std::mutex mutex_;  // guards all down to the blank line
  std::map<int, Connection> connections_;
  ErrandList errands_;
  std::vector<std::string> left_;
  PassiveJudge judge_;
  int sessions_ = 0;

  // The last: its threads use all of the above.
  std::unique_ptr<Play> play_;
  std::unique_ptr<Stage> stage_;
  std::unique_ptr<House> house_;
};

}  // namespace assay::harness
