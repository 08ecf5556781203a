#include "reference/client/faults/fault.h"

#include <gtest/gtest.h>

#include <chrono>
#include <future>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace assay::client {
namespace {

using transport::Lane;
using transport::Observation;

// Whoever is told of what comes in.
struct Nobody : transport::Observer {
  void observe(const Observation&) override {}
};

// A wire over HTTP whose exchanges end when the test says so.
struct HeldWire : transport::ClientTransport {
  explicit HeldWire(std::vector<std::string>& told) : done(told) {}
  std::optional<transport::Failure> open() override { return std::nullopt; }
  Lane send(std::string_view) override {
    done.push_back("sends");
    has_sent.set_value();
    return {Lane::Kind::kHttp, 7};
  }
  Lane send_raw(std::string_view) override { return {}; }
  void close(transport::Deadline) override { done.push_back("closes"); }

  std::vector<std::string>& done;
  std::promise<void> has_sent;
};

TEST(FaultyWire, IsHeardBeforeItCloses) {
  std::vector<std::string> done;
  Nobody nobody;
  FaultyWire wire({find_fault("no-json-odd-code")}, nobody);
  auto held = std::make_unique<HeldWire>(done);
  std::future<void> has_sent = held->has_sent.get_future();
  wire.use(std::move(held));

  Observation odd;
  odd.kind = Observation::Kind::kLine;
  odd.bytes = R"({"jsonrpc":"2.0","method":)";
  wire.observe(odd);
  const auto ends = std::async(std::launch::async, [&] {
    if (has_sent.wait_for(std::chrono::seconds(10)) != std::future_status::ready) return;
    Observation end;
    end.kind = Observation::Kind::kClosed;
    end.lane = {Lane::Kind::kHttp, 7};
    done.push_back("ends");
    wire.observe(end);
  });
  wire.close(transport::Deadline::max());
  ends.wait();
  EXPECT_EQ(done, (std::vector<std::string>{"sends", "ends", "closes"}));
}

}  // namespace
}  // namespace assay::client
