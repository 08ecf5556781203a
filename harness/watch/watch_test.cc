#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <condition_variable>
#include <cstring>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string>

#include "harness/watch/board.h"
#include "harness/watch/feed.h"
#include "harness/watch/gate.h"
#include "harness/watch/lines.h"
#include "harness/watch/live_sessions.h"
#include "harness/watch/page.h"
#include "harness/watch/terminal_view.h"

namespace assay::harness {
namespace {

using Kind = transport::Observation::Kind;

constexpr const char* kAsk =
    R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18",)"
    R"("capabilities":{},"clientInfo":{"name":"c","version":"1"}}})";
constexpr const char* kAnswer =
    R"({"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-06-18","capabilities":{},)"
    R"("serverInfo":{"name":"s","version":"1"}}})";
constexpr const char* kPing = R"({"jsonrpc":"2.0","id":1,"method":"ping"})";
constexpr const char* kPong = R"({"jsonrpc":"2.0","id":1,"result":{"pong":1}})";

EventPtr line_event(Party speaker, const std::string& text) {
  transport::Observation observation;
  observation.kind = Kind::kLine;
  observation.speaker = speaker;
  observation.bytes = text;
  auto event = std::make_shared<Event>(KeptObservation(observation));
  event->n = 1;
  return event;
}

// Waits until the board is as a test wants it.
class Bell : public transport::Waker {
 public:
  void wake() override {
    const std::lock_guard lock(mutex_);
    ++rings_;
    rung_.notify_all();
  }
  template <typename IsThere>
  bool wait_until(const IsThere& is_there) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    for (std::uint64_t seen = 0; !is_there();) {
      std::unique_lock lock(mutex_);
      if (!rung_.wait_until(lock, deadline, [&] { return rings_ != seen; })) return is_there();
      seen = rings_;
    }
    return true;
  }

 private:
  std::mutex mutex_;  // guards rings_
  std::condition_variable rung_;
  std::uint64_t rings_ = 0;
};

class WatchTest : public testing::Test {
 protected:
  WatchTest() {
    std::string name = (std::filesystem::temp_directory_path() / "watch_test_XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
    board_.watch(bell_);
  }
  ~WatchTest() override { std::filesystem::remove_all(folder_); }

  std::string path() const { return folder_ / "socket"; }
  std::unique_ptr<WatchFeed> feed(const std::string& name) const {
    WatchFeed::Session session;
    session.name = name;
    return std::make_unique<WatchFeed>(path(), session, std::make_shared<reports::Vault>());
  }
  static void converse(WatchFeed& feed) {
    feed.show(line_event(Party::kClient, kAsk));
    feed.show(line_event(Party::kServer, kAnswer));
    feed.show(line_event(Party::kClient, kPing));
    feed.show(line_event(Party::kServer, kPong));
  }
  std::vector<WatchedSession> sessions() const {
    WatchBoard::Place place;
    return board_.since(place).sessions;
  }
  bool have_ended(std::size_t count) {
    return bell_->wait_until([&] {
      std::size_t ended = 0;
      for (const WatchedSession& each : sessions()) ended += each.has_ended ? 1 : 0;
      return ended == count;
    });
  }
  transport::HttpReply get(WatchPage& page, const std::string& target,
                           const std::string& host = "127.0.0.1:80", const std::string& origin = "",
                           const std::string& method = "GET") {
    transport::HttpHead head{method, target, 0, {{"Host", host}}};
    if (!origin.empty()) head.headers.emplace_back("Origin", origin);
    return page.handler()(head, "");
  }

  std::filesystem::path folder_;
  WatchBoard board_;
  const std::shared_ptr<Bell> bell_ = std::make_shared<Bell>();
};

TEST_F(WatchTest, ShowsTheSessionsOfSeveralTaps) {
  WatchGate gate(path(), board_);
  ASSERT_EQ(gate.start(), std::nullopt);
  const auto one = feed("one");
  const auto other = feed("other");
  ASSERT_TRUE(one->is_connected());
  converse(*one);
  converse(*other);
  one->finish();
  other->finish();
  ASSERT_TRUE(have_ended(2));
  for (const WatchedSession& each : sessions()) {
    EXPECT_EQ(each.messages, 4u) << each.name;
    EXPECT_EQ(each.violations, 1u) << each.name;
  }
}

TEST_F(WatchTest, ShowsTheOffendingPartOfAViolation) {
  WatchGate gate(path(), board_);
  ASSERT_EQ(gate.start(), std::nullopt);
  const auto tap = feed("tap");
  converse(*tap);
  tap->finish();
  ASSERT_TRUE(have_ended(1));
  WatchPage page(board_);
  const transport::HttpReply reply = get(page, page.path() + "/events");
  ASSERT_NE(reply.stream, nullptr);
  std::string news;
  EXPECT_TRUE(reply.stream->read(news));
  EXPECT_TRUE(news.starts_with("data: {")) << news;
  EXPECT_NE(news.find(R"("rule":"ping.empty-result")"), std::string::npos) << news;
  EXPECT_NE(news.find(R"(\"pong\")"), std::string::npos) << news;
  WatchBoard::Place place;
  std::string shown;
  for (const auto& line : board_.since(place).lines) shown += as_text(line) + "\n";
  EXPECT_NE(shown.find("VIOLATION MUST ping.empty-result of the server"), std::string::npos)
      << shown;
}

EventPtr http_event(Kind kind, Party speaker, int lane, transport::HttpHead head,
                    const std::string& bytes = "") {
  transport::Observation observation;
  observation.kind = kind;
  observation.speaker = speaker;
  observation.lane = {transport::Lane::Kind::kHttp, static_cast<std::uint64_t>(lane)};
  if (kind != Kind::kClosed) observation.http = std::move(head);
  observation.bytes = bytes;
  return std::make_shared<Event>(KeptObservation(observation));
}

// One exchange of a session.
std::vector<LiveSessions::Breach> exchange(LiveSessions& sessions, int lane, const std::string& id,
                                           const std::string& sent, const std::string& answer) {
  const transport::Headers asked = {{"Accept", "application/json, text/event-stream"},
                                    {"MCP-Protocol-Version", "2025-06-18"},
                                    {"Mcp-Session-Id", id}};
  const transport::Headers given = {{"Content-Type", "application/json"}, {"Mcp-Session-Id", id}};
  std::vector<LiveSessions::Breach> all;
  for (const EventPtr& event :
       {http_event(Kind::kHttpRequest, Party::kClient, lane, {"POST", "/mcp", 0, asked}, sent),
        http_event(Kind::kHttpResponse, Party::kServer, lane, {"", "", 200, given}),
        http_event(Kind::kHttpBody, Party::kServer, lane, {"", "", 200, given}, answer),
        http_event(Kind::kClosed, Party::kServer, lane, {})}) {
    for (auto& each : sessions.show(event)) all.push_back(std::move(each));
  }
  return all;
}

TEST(LiveSessions, AreToldApartOverHttp) {
  LiveSessions sessions(TransportKind::kHttp);
  exchange(sessions, 1, "a", kAsk, kAnswer);
  exchange(sessions, 2, "b", kAsk, kAnswer);
  const auto found = exchange(sessions, 3, "a", kPing, kPong);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].finding.requirement.text(), "ping.empty-result");
}

// Nobody knows what came before.
TEST(LiveSessions, AreNotJudgedWhereTheyBeganElsewhere) {
  LiveSessions sessions(TransportKind::kHttp);
  EXPECT_TRUE(exchange(sessions, 1, "a", kPing, kPong).empty());
}

// Somebody listens there and takes nothing.
TEST_F(WatchTest, IsWaitedForByNobody) {
  const transport::UniqueFd idle(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, path().c_str(), sizeof address.sun_path - 1);
  ASSERT_EQ(::bind(idle.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  ASSERT_EQ(::listen(idle.get(), 1), 0);
  const auto tap = feed("tap");
  ASSERT_TRUE(tap->is_connected());
  const std::string text(5'000, 'x');
  for (int i = 0; i < 20'000; ++i) tap->show(line_event(Party::kClient, text));
  tap->finish();
}

TEST_F(WatchTest, NeedsNobodyAtTheSocket) {
  const auto tap = feed("tap");
  EXPECT_FALSE(tap->is_connected());
  converse(*tap);
  tap->finish();
}

TEST_F(WatchTest, ListensForItsUserOnly) {
  {
    WatchGate gate(path(), board_);
    ASSERT_EQ(gate.start(), std::nullopt);
    struct stat status {};
    ASSERT_EQ(::stat(path().c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777, 0600u);
    EXPECT_NE(WatchGate(path(), board_).start(), std::nullopt);
  }
  EXPECT_FALSE(std::filesystem::exists(path()));
  std::string chosen;
  {
    WatchGate gate("", board_);
    ASSERT_EQ(gate.start(), std::nullopt);
    chosen = gate.path();
    struct stat status {};
    ASSERT_EQ(::stat(std::filesystem::path(chosen).parent_path().c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777, 0700u);
  }
  EXPECT_FALSE(std::filesystem::exists(std::filesystem::path(chosen).parent_path()));
}

TEST_F(WatchTest, AnswersOnItsOwnPathOnly) {
  WatchPage page(board_);
  EXPECT_EQ(get(page, page.path()).status, 200);
  EXPECT_EQ(get(page, "/").status, 404);
  EXPECT_EQ(get(page, page.path() + "/other").status, 404);
  EXPECT_EQ(get(page, page.path() + "x").status, 404);
  EXPECT_EQ(get(page, page.path(), "evil.test").status, 403);
  EXPECT_EQ(get(page, page.path(), "127.0.0.1:80", "http://evil.test").status, 403);
  EXPECT_EQ(get(page, page.path(), "127.0.0.1:80", "http://127.0.0.1:80").status, 200);
  EXPECT_EQ(get(page, page.path(), "127.0.0.1:80", "", "POST").status, 405);
  const auto reply = get(page, page.path());
  const std::string policy(
      transport::find_header(reply.headers, "Content-Security-Policy").value_or(""));
  EXPECT_TRUE(policy.starts_with("default-src 'none'")) << policy;
  EXPECT_EQ(policy.find("unsafe"), std::string::npos) << policy;
}

TEST_F(WatchTest, TrustsNoLine) {
  const int session = board_.begin();
  for (const char* line : {"", "x", "[]", "{}", R"({"message":1,"end":true})", R"({"other":1})",
                           R"({"session":{"name":[[[[1]]]]}})", R"({"message":"x"})",
                           R"({"violation":{"rule":5,"n":-1}})", R"({"left_out":-5})"}) {
    board_.take(session, line);
  }
  board_.take(999, R"({"end":true})");
  board_.take(session,
              R"({"message":{"n":1,"party":"\u001b[2J","text":"\u001b]0;x\u0007\u202e"}})");
  WatchBoard::Place place;
  const WatchBoard::News news = board_.since(place);
  WatchScreen screen;
  screen.take(news);
  std::string shown = screen.draw(60, 20);
  for (const auto& line : news.lines) shown += as_text(line);
  for (const char c : shown) EXPECT_TRUE(c == '\n' || static_cast<unsigned char>(c) >= ' ');
  EXPECT_EQ(shown.find("\u202e"), std::string::npos);
}

TEST_F(WatchTest, ShowsAGuideWhereThereIsOne) {
  WatchPage page(board_);
  const auto news = [&](const transport::HttpReply& reply) {
    std::string text;
    reply.stream->read(text);
    return text;
  };
  EXPECT_EQ(news(get(page, page.path() + "/events")).find("guide"), std::string::npos);
  board_.guide({"http://localhost:1/mcp", {"list the tools", "leave"}});
  const transport::HttpReply viewer = get(page, page.path() + "/events");
  EXPECT_NE(news(viewer).find(
                R"("guide":{"next":["list the tools","leave"],"where":"http://localhost:1/mcp"})"),
            std::string::npos);
  EXPECT_EQ(news(viewer), "");
  board_.guide({"http://localhost:1/mcp", {}});
  EXPECT_NE(news(viewer).find(R"("next":[])"), std::string::npos);
}

TEST_F(WatchTest, TellsAViewerWhatHeMissed) {
  const int session = board_.begin();
  WatchBoard::Place place;
  board_.since(place);
  const std::size_t more = 10;
  for (std::size_t i = 0; i < WatchBoard::kMostLines + more; ++i) {
    board_.take(session, R"({"left_out":1})");
  }
  const WatchBoard::News news = board_.since(place);
  EXPECT_EQ(news.missed, more);
  EXPECT_EQ(news.lines.size(), WatchBoard::kMostLines);
  EXPECT_TRUE(board_.since(place).lines.empty());
}

TEST_F(WatchTest, DrawsNoMoreThanItsScreen) {
  const int session = board_.begin();
  for (int i = 0; i < 50; ++i) {
    board_.take(session, R"({"message":{"n":1,"party":"client","text":")" + std::string(200, 'x') +
                             R"("}})");
  }
  WatchBoard::Place place;
  WatchScreen screen;
  screen.take(board_.since(place));
  const std::string drawn = screen.draw(40, 12);
  EXPECT_EQ(std::count(drawn.begin(), drawn.end(), '\n'), 12);
}

}  // namespace
}  // namespace assay::harness
