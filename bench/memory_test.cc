// What is kept costs little: sessions that nobody uses at the moment, and the events of a
// transcript.
#include <gtest/gtest.h>
#include <malloc.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <stop_token>
#include <string>
#include <variant>
#include <vector>

#include "bench/load/load.h"
#include "bench/samples.h"
#include "harness/transcript/transcript.h"
#include "reference/server/server.h"
#include "reference/transport/http_server.h"
#include "reference/transport/raw_client_testing.h"

namespace assay::bench {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kCountsMemory = false;  // another allocator, which mallinfo2 does not see
#else
constexpr bool kCountsMemory = true;
#endif

std::size_t bytes_in_use() {
  const auto info = ::mallinfo2();
  return info.uordblks + info.hblkhd;
}

TEST(Memory, AnIdleHttpSessionTakesAtMost32KiB) {
  if (!kCountsMemory) GTEST_SKIP() << "not with a sanitizer";
  constexpr std::size_t kSessions = 1000;
  std::signal(SIGPIPE, SIG_IGN);
  server::Server server{server::Options{}};
  transport::HttpServer http(server, {});
  ASSERT_EQ(http.start(), std::nullopt);
  LoadOptions options;
  options.url = std::get<transport::HttpUrl>(transport::HttpUrl::parse(http.url()));
  options.mix = default_mix(options.revision);
  options.time = std::chrono::milliseconds(50);
  options.timeout = std::chrono::seconds(60);
  const auto open = [&options](std::size_t sessions) {
    options.sessions = sessions;
    const auto outcome = run_load(options, {}, [](const LoadProgress&) {});
    EXPECT_TRUE(std::holds_alternative<reports::LoadResult>(outcome));
  };
  open(1);  // everything that is made once
  const std::size_t before = bytes_in_use();
  open(kSessions - 1);
  const std::size_t each = (bytes_in_use() - before) / kSessions;
  std::printf("%zu bytes for each session\n", each);
  EXPECT_LE(each, 32u << 10);
}

// What the kernel holds of a connection is not counted.
TEST(Memory, AnIdleConnectionTakesAtMost2KiB) {
  if (!kCountsMemory) GTEST_SKIP() << "not with a sanitizer";
  constexpr std::size_t kConnections = 400;
  server::Server server{server::Options{}};
  transport::HttpServer http(server, {});
  ASSERT_EQ(http.start(), std::nullopt);
  const std::string request =
      "GET /mcp HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n";
  std::vector<transport::RawClient> clients;
  clients.reserve(2 * kConnections);
  const auto connect = [&] {
    for (std::size_t i = 0; i < kConnections; ++i) {
      transport::RawClient& client = clients.emplace_back(http.port());
      ASSERT_TRUE(client.write(request));
      ASSERT_NE(client.read_until("MCP-Session-Id is missing").size(), 0u);
      client.forget();
    }
  };
  connect();  // everything that is made once
  const std::size_t before = bytes_in_use();
  connect();
  const std::size_t each = (bytes_in_use() - before) / kConnections;
  std::printf("%zu bytes for each connection\n", each);
  EXPECT_LE(each, 2u << 10);
}

TEST(Memory, AnEventCostsAtMost200BytesBesideItsText) {
  if (!kCountsMemory) GTEST_SKIP() << "not with a sanitizer";
  transport::Observation observation;
  observation.bytes = ping();
  constexpr std::size_t kEvents = 32'768;  // a power of two: no list is half empty
  const std::size_t before = bytes_in_use();
  harness::Transcript transcript;
  for (std::size_t n = 0; n < kEvents; ++n) transcript.observe(observation);
  const std::size_t each = (bytes_in_use() - before) / kEvents - observation.bytes.size();
  std::printf("%zu bytes for each event beside its text\n", each);
  EXPECT_EQ(transcript.size(), kEvents);
  EXPECT_LE(each, 200u);
}

// A flood of what cannot be read is bounded by what is counted of it.
TEST(Memory, WhatABlankLineTakesIsCounted) {
  if (!kCountsMemory) GTEST_SKIP() << "not with a sanitizer";
  constexpr std::size_t kEvents = 32'768;
  constexpr std::size_t kLimit = std::size_t{64} << 20;
  const wire::BudgetPtr budget(new wire::Budget(kLimit));
  const std::size_t before = bytes_in_use();
  harness::Transcript transcript({}, nullptr, budget);
  for (std::size_t n = 0; n < kEvents; ++n) transcript.observe(transport::Observation{});
  const std::size_t taken = bytes_in_use() - before;
  std::printf("%zu bytes for each blank line, %zu counted\n", taken / kEvents,
              budget->taken() / kEvents);
  EXPECT_EQ(transcript.size(), kEvents);
  EXPECT_LE(taken, budget->taken() + (std::size_t{1} << 20));
}

}  // namespace
}  // namespace assay::bench
