// The load generator against servers in this process, and against small programs.
#include "bench/load/load.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <memory>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#include "reference/server/server.h"
#include "reference/transport/http_listener.h"
#include "reference/transport/http_server.h"

namespace assay::bench {
namespace {

using std::chrono::milliseconds;
using testing::Contains;
using testing::HasSubstr;
using testing::Key;
using transport::Failure;
using transport::HttpListener;
using transport::HttpReply;
using transport::HttpServer;
using transport::HttpServerOptions;

LoadOptions brief() {
  LoadOptions options;
  options.mix = default_mix(options.revision);
  options.time = milliseconds(300);
  options.timeout = milliseconds(5000);
  return options;
}

LoadOptions brief_at(const std::string& url) {
  LoadOptions options = brief();
  options.url = std::get<transport::HttpUrl>(transport::HttpUrl::parse(url));
  return options;
}

LoadOptions brief_with(std::vector<std::string> command) {
  LoadOptions options = brief();
  options.command = std::move(command);
  return options;
}

std::variant<reports::LoadResult, Failure> run(const LoadOptions& options) {
  std::signal(SIGPIPE, SIG_IGN);
  const std::stop_source stop;
  return run_load(options, stop.get_token(), [](const LoadProgress&) {});
}

reports::LoadResult measure(const LoadOptions& options) {
  auto outcome = run(options);
  if (const auto* failure = std::get_if<Failure>(&outcome)) {
    ADD_FAILURE() << failure->detail;
    return {};
  }
  return std::get<reports::LoadResult>(std::move(outcome));
}

std::string failure_of(const LoadOptions& options) {
  const auto outcome = run(options);
  const auto* failure = std::get_if<Failure>(&outcome);
  return failure ? failure->detail : "";
}

class LoadOverHttp : public testing::TestWithParam<HttpServerOptions::Answers> {
 protected:
  LoadOverHttp() : http_(server_, {.answers = GetParam()}) {
    EXPECT_EQ(http_.start(), std::nullopt);
  }

  server::Server server_{server::Options{}};
  HttpServer http_;
};

TEST_P(LoadOverHttp, CountsGoodAnswers) {
  LoadOptions options = brief_at(http_.url());
  options.connections = 3;
  options.sessions = 7;
  const reports::LoadResult result = measure(options);
  EXPECT_GT(result.answers, 10u);
  EXPECT_EQ(result.error_count(), 0u);
  EXPECT_EQ(result.samples.size(), 3u);
  EXPECT_EQ(result.revision, "2025-11-25");
  EXPECT_THAT(result.server_name, HasSubstr("mcp-assay-reference-server"));
  EXPECT_FALSE(result.service);
}

TEST_P(LoadOverHttp, KeepsToARate) {
  LoadOptions options = brief_at(http_.url());
  options.rate = 200;
  options.connections = 4;
  const reports::LoadResult result = measure(options);
  EXPECT_LE(result.answers, 61u);
  EXPECT_GE(result.latency.count(), 59u);  // each that was due is in it, late or not
  ASSERT_TRUE(result.service);
}

TEST_P(LoadOverHttp, SendsAMixAndTellsErrorsApart) {
  LoadOptions options = brief_at(http_.url());
  options.mix = {{"ping", nullptr, 2},
                 {"tools/call", {{"name", "test_simple_text"}}},
                 {"tools/call", {{"name", "test_error_handling"}}},
                 {"no/such/method"}};
  const reports::LoadResult result = measure(options);
  ASSERT_EQ(result.methods.size(), 4u);
  EXPECT_GT(result.methods[1].answers, 0u);
  EXPECT_EQ(result.methods[1].errors, 0u);
  EXPECT_EQ(result.methods[2].answers, 0u);
  EXPECT_THAT(result.errors, Contains(Key("the tool failed (isError)")));
  EXPECT_THAT(result.errors, Contains(Key("answered with an error")));
}

INSTANTIATE_TEST_SUITE_P(Answers, LoadOverHttp,
                         testing::Values(HttpServerOptions::Answers::kJson,
                                         HttpServerOptions::Answers::kSse));

// A server that answers as it is told, whatever is asked.
std::unique_ptr<HttpListener> answering(HttpReply reply) {
  auto listener = std::make_unique<HttpListener>(
      HttpListener::Options{},
      [reply = std::move(reply)](const transport::HttpHead&, std::string_view) { return reply; });
  EXPECT_EQ(listener->start(), std::nullopt);
  return listener;
}

std::string url_of(const HttpListener& listener) {
  return "http://127.0.0.1:" + std::to_string(listener.port()) + "/mcp";
}

TEST(Load, PlainCountsAnyAnswerOfStatus2xx) {
  const auto good = answering({200, {{"Content-Type", "text/plain"}}, "hello", nullptr});
  LoadOptions options = brief_at(url_of(*good));
  options.is_plain = true;
  const reports::LoadResult result = measure(options);
  EXPECT_GT(result.answers, 10u);
  EXPECT_EQ(result.error_count(), 0u);
}

TEST(Load, PlainCountsOtherStatusesAsErrors) {
  const auto bad = answering({503, {{"Content-Type", "text/plain"}}, "busy", nullptr});
  LoadOptions options = brief_at(url_of(*bad));
  options.is_plain = true;
  const reports::LoadResult result = measure(options);
  EXPECT_EQ(result.answers, 0u);
  EXPECT_THAT(result.errors, Contains(Key("HTTP status 503")));
}

// Gives an answer, and then nothing more.
class EndlessStream : public transport::BodyStream {
 public:
  explicit EndlessStream(std::string first) : first_(std::move(first)) {}
  bool read(std::string& chunk) override {
    chunk += std::exchange(first_, "");
    return true;
  }
  void watch(std::shared_ptr<transport::Waker>) override {}

 private:
  std::string first_;
};

TEST(Load, AStreamThatDoesNotEndIsAnErrorAndNoHang) {
  HttpListener listener({}, [](const transport::HttpHead&, std::string_view body) -> HttpReply {
    const Json request = Json::parse(body);
    if (!request.contains("id")) return {202, {}, "", nullptr};
    const Json answer = {
        {"jsonrpc", "2.0"}, {"id", request["id"]}, {"result", {{"protocolVersion", "2025-11-25"}}}};
    if (request["method"] == "initialize") {
      return {200, {{"Content-Type", "application/json"}}, answer.dump(), nullptr};
    }
    return {200,
            {{"Content-Type", "text/event-stream"}},
            "",
            std::make_shared<EndlessStream>("data: " + answer.dump() + "\n\n")};
  });
  ASSERT_EQ(listener.start(), std::nullopt);
  LoadOptions options = brief_at(url_of(listener));
  options.timeout = milliseconds(150);
  options.time = milliseconds(600);
  const reports::LoadResult result = measure(options);
  EXPECT_GE(result.answers, 2u);  // a new connection goes on
  EXPECT_THAT(result.errors, Contains(Key("an event stream that did not end after its answer")));
}

TEST(Load, AFloodIsNoAnswer) {
  LoadOptions options = brief_with({"/bin/sh", "-c", "while :; do echo '{}'; done"});
  options.timeout = milliseconds(300);
  EXPECT_THAT(failure_of(options), HasSubstr("did not answer the handshake in time"));
}

TEST(Load, AServerThatRefusesTheHandshakeCannotBeMeasured) {
  const auto server = answering({404, {{"Content-Type", "text/plain"}}, "nothing here", nullptr});
  EXPECT_THAT(failure_of(brief_at(url_of(*server))), HasSubstr("HTTP status 404"));
}

TEST(Load, AnUnreachableUrlCannotBeMeasured) {
  auto listener = answering({});
  const std::string url = url_of(*listener);
  listener.reset();
  EXPECT_THAT(failure_of(brief_at(url)), HasSubstr("cannot connect"));
}

TEST(Load, ACommandThatDoesNotStartCannotBeMeasured) {
  EXPECT_THAT(failure_of(brief_with({"/no/such/command"})), HasSubstr("command not found"));
  EXPECT_THAT(failure_of(brief_with({"/bin/sh", "-c", "echo oh dear >&2; exit 7"})),
              HasSubstr("exited with status 7: oh dear"));
}

TEST(Load, PlainTakesAnyLineForAnAnswer) {
  LoadOptions options = brief_with({"/bin/cat"});
  options.is_plain = true;
  options.pipeline = 32;
  const reports::LoadResult result = measure(options);
  EXPECT_GT(result.answers, 100u);
  EXPECT_EQ(result.error_count(), 0u);
  EXPECT_TRUE(result.server_peak_bytes);
}

TEST(Load, AServerThatDiesInTheMiddleIsAnError) {
  LoadOptions options = brief_with(
      {"/bin/sh", "-c", "n=0; while [ $n -lt 50 ] && read -r x; do n=$((n+1)); echo y; done"});
  options.is_plain = true;
  options.time = milliseconds(3000);
  const reports::LoadResult result = measure(options);
  EXPECT_GE(result.error_count(), 1u);
}

// Each stall delays the answers to all that was due during it, and the percentiles must show it.
TEST(Load, OpenLoopCountsFromWhenARequestWasDue) {
  LoadOptions options =
      brief_with({"/bin/sh", "-c",
                  "n=0; while read -r x; do n=$((n+1)); [ $n = 20 ] && sleep 0.2; echo y; done"});
  options.is_plain = true;
  options.rate = 500;
  options.time = milliseconds(400);
  const reports::LoadResult result = measure(options);
  ASSERT_TRUE(result.service);
  // A fifth of a second of 500 requests a second: far more than one in ten had to wait.
  EXPECT_GT(result.latency.percentile(90), 50'000'000u);
  EXPECT_GE(result.latency.count(), 199u);
}

TEST(Load, AStopGivesWhatThereIs) {
  std::signal(SIGPIPE, SIG_IGN);
  LoadOptions options = brief_with({"/bin/cat"});
  options.is_plain = true;
  options.time = std::chrono::seconds(60);
  std::stop_source stop;
  const auto outcome = run_load(options, stop.get_token(), [&stop](const LoadProgress& progress) {
    if (progress.answers > 0) stop.request_stop();
  });
  ASSERT_TRUE(std::holds_alternative<reports::LoadResult>(outcome));
  const auto& result = std::get<reports::LoadResult>(outcome);
  EXPECT_TRUE(result.was_interrupted);
  EXPECT_GT(result.answers, 0u);
  EXPECT_LT(result.seconds, 30);
  EXPECT_EQ(result.error_count(), 0u);
}

}  // namespace
}  // namespace assay::bench
