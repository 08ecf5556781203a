#include "harness/cli/interactive.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/cli/news_bell.h"
#include "harness/frame/command.h"
#include "harness/watch/page.h"
#include "harness/watch/terminal_view.h"
#include "reference/transport/http_listener.h"

namespace assay::cli {
namespace {

// What comes in one burst is told of at once.
constexpr std::chrono::milliseconds kBurst{100};

// What changes on a board, as lines.
class Narrator {
 public:
  explicit Narrator(std::FILE* out) : out_(out) {}

  void take(const harness::WatchBoard::News& news) {
    for (const harness::WatchedSession& each : news.sessions) tell_session(each);
    if (news.missed > 0) fmt::print(out_, "({} lines are not shown)\n", news.missed);
    for (const harness::WatchBoard::Line& line : news.lines) {
      // Each message stands on the page.
      if (line.json.contains("violation")) fmt::print(out_, "{}\n", harness::as_text(line));
    }
    if (news.guide) tell_next(news.guide->next);
    std::fflush(out_);
  }

 private:
  void tell_session(const harness::WatchedSession& session) {
    // It has no name for the moment in which it begins.
    if (session.number > last_session_ && !session.name.empty()) {
      last_session_ = session.number;
      fmt::print(out_, "connected: {} {}\n", session.number, session.name);
    }
    if (!session.has_ended || !ended_.insert(session.number).second) return;
    fmt::print(out_, "ended: {} {}, {} messages\n", session.number, session.name, session.messages);
  }

  void tell_next(const std::vector<std::string>& next) {
    const auto tell_new = [this](std::string_view what, const auto& now, const auto& before) {
      for (const std::string& each : now) {
        const bool is_new = std::find(before.begin(), before.end(), each) == before.end();
        if (is_new) fmt::print(out_, "{}: {}\n", what, each);
      }
    };
    tell_new("no longer waited for", next_, next);
    tell_new("do next", next, next_);
    if (next.empty()) {
      fmt::print(out_, "nothing is left to do: all that can be watched has come up\n");
    }
    next_ = next;
  }

  std::FILE* const out_;
  int last_session_ = 0;
  std::set<int> ended_;
  std::vector<std::string> next_;
};

}  // namespace

reports::Result interact(const harness::InteractiveOptions& options, const std::stop_token& stop,
                         std::FILE* out) {
  harness::WatchBoard board;
  harness::InteractiveHost host(options, board);
  if (const auto trouble = host.start()) throw UsageError(*trouble);
  harness::WatchPage page(board);
  transport::HttpListener listener({}, page.handler());
  if (const auto trouble = listener.start()) throw UsageError(*trouble);
  const bool is_stdio = options.transport.has_process();
  fmt::print(out, "connect the application to{}{}\n", is_stdio ? " this server:\n" : ": ",
             host.where());
  fmt::print(out, "page: http://127.0.0.1:{}{}\n", listener.port(), page.path());
  fmt::print(out, "Ctrl-C ends the session, and the report follows.\n");
  std::fflush(out);

  const auto bell = std::make_shared<NewsBell>();
  board.watch(bell);
  harness::WatchBoard::Place place;
  Narrator narrator(out);
  while (bell->wait(stop)) {
    narrator.take(board.since(place));
    bell->pause(stop, kBurst);
  }
  reports::Result result = host.finish({});
  narrator.take(board.since(place));
  listener.stop();
  return result;
}

}  // namespace assay::cli
