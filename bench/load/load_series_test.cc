// Several rates of one target, and the search over a real one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <functional>
#include <stop_token>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "bench/load/limit_run.h"
#include "bench/load/load.h"
#include "reference/server/server.h"
#include "reference/transport/http_server.h"

namespace assay::bench {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;
using transport::Failure;

LoadOptions plain_options(std::vector<std::string> command) {
  std::signal(SIGPIPE, SIG_IGN);
  LoadOptions options;
  options.mix = default_mix(options.revision);
  options.command = std::move(command);
  options.is_plain = true;
  options.pipeline = 64;
  options.warm_up = milliseconds(20);
  options.time = milliseconds(100);
  options.timeout = milliseconds(5000);
  return options;
}

const std::function<void(const LoadProgress&)> kUnseen = [](const LoadProgress&) {};

// A second process could not make the folder, and would end.
TEST(LoadSeries, KeepsTheConnectionFromOneRateToTheNext) {
  const std::string once = testing::TempDir() + "/load_series_once";
  const LoadOptions options =
      plain_options({"/bin/sh", "-c", "mkdir '" + once + "' && exec /bin/cat"});
  const std::stop_source stop;
  {
    LoadSeries series(options, stop.get_token(), kUnseen);
    for (const double rate : {200.0, 400.0}) {
      const auto outcome = series.measure(rate);
      ASSERT_TRUE(std::holds_alternative<reports::LoadResult>(outcome))
          << std::get<Failure>(outcome).detail;
      const auto& result = std::get<reports::LoadResult>(outcome);
      EXPECT_EQ(result.rate, rate);
      EXPECT_NEAR(static_cast<double>(result.latency.count()), rate / 10, 2);
      EXPECT_TRUE(result.sender_late);
      EXPECT_EQ(result.lost_connections, 0u);
    }
  }
  EXPECT_EQ(::rmdir(once.c_str()), 0);
}

TEST(LoadSeries, OpensAgainAfterTheServerEnded) {
  const LoadOptions options = plain_options(
      {"/bin/sh", "-c", "n=0; while [ $n -lt 9 ] && read -r x; do n=$((n+1)); echo y; done"});
  const std::stop_source stop;
  LoadSeries series(options, stop.get_token(), kUnseen);
  for (int i = 0; i < 2; ++i) {
    const auto outcome = series.measure(200);
    ASSERT_TRUE(std::holds_alternative<reports::LoadResult>(outcome));
    EXPECT_EQ(std::get<reports::LoadResult>(outcome).lost_connections, 1u);
  }
}

TEST(LoadSeries, MeasuresSessionsOverHttp) {
  server::Server server{server::Options{}};
  transport::HttpServer http(server, {});
  ASSERT_EQ(http.start(), std::nullopt);
  LoadOptions options = plain_options({});
  options.is_plain = false;
  options.url = std::get<transport::HttpUrl>(transport::HttpUrl::parse(http.url()));
  options.pipeline = 1;
  options.connections = 4;
  const std::stop_source stop;
  LoadSeries series(options, stop.get_token(), kUnseen);
  for (const double rate : {100.0, 300.0}) {
    const auto outcome = series.measure(rate);
    ASSERT_TRUE(std::holds_alternative<reports::LoadResult>(outcome));
    EXPECT_EQ(std::get<reports::LoadResult>(outcome).error_count(), 0u);
  }
  EXPECT_FALSE(series.lacks_sockets());
}

// It answers once and never again, so that no rate is held, however busy the machine.
TEST(FindLimitRun, TellsThatNoRateWasHeld) {
  LoadOptions options = plain_options({"/bin/sh", "-c", "read -r x; echo y; cat >/dev/null; :"});
  options.time = milliseconds(200);
  options.timeout = milliseconds(300);
  const std::stop_source stop;
  std::size_t seen = 0;
  const auto outcome = run_find_limit(
      options, 10e6, stop.get_token(),
      {.progress = kUnseen, .step_done = [&](const reports::LimitResult&) { ++seen; }});
  ASSERT_TRUE(std::holds_alternative<reports::LimitResult>(outcome));
  const auto& result = std::get<reports::LimitResult>(outcome);
  EXPECT_EQ(result.held, 0);
  EXPECT_EQ(result.failed, 25);
  EXPECT_EQ(result.steps.size(), seen);
  EXPECT_EQ(result.steps.size(), 6u);  // each of three rates twice
}

TEST(FindLimitRun, ATargetThatDoesNotStartIsAFailure) {
  const std::stop_source stop;
  const auto outcome = run_find_limit(
      plain_options({"/no/such/command"}), 10e6, stop.get_token(),
      {.progress = kUnseen, .step_done = [](const reports::LimitResult&) { ADD_FAILURE(); }});
  ASSERT_TRUE(std::holds_alternative<Failure>(outcome));
  EXPECT_THAT(std::get<Failure>(outcome).detail, HasSubstr("command not found"));
}

TEST(FindLimitRun, AStopGivesWhatThereIs) {
  std::stop_source stop;
  const auto outcome =
      run_find_limit(plain_options({"/bin/cat"}), 10e9, stop.get_token(),
                     {.progress = kUnseen, .step_done = [&](const reports::LimitResult& result) {
                        if (result.steps.size() == 2) stop.request_stop();
                      }});
  ASSERT_TRUE(std::holds_alternative<reports::LimitResult>(outcome));
  const auto& result = std::get<reports::LimitResult>(outcome);
  EXPECT_TRUE(result.was_interrupted);
  EXPECT_FALSE(result.is_out_of_time);
  EXPECT_EQ(result.steps.size(), 2u);
}

}  // namespace
}  // namespace assay::bench
