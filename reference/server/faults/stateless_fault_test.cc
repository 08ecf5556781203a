// Every fault of the stateless era shows over a pipe: a tour through what the era has goes
// otherwise with it.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "reference/server/faults/faulty_server.h"
#include "reference/server/faults/stateless_tour_testing.h"
#include "reference/wire/message.h"

namespace assay::server {
namespace {

// Keeps what was sent, as text, and what the last response was.
class TellingSink : public transport::Sink {
 public:
  void send(transport::Outgoing message) override {
    const std::lock_guard lock(mutex_);
    texts_.push_back(message.bytes);
    if (message.kind != transport::Outgoing::Kind::kNotification) {
      last_ = Json::parse(message.bytes, nullptr, false);
    }
  }
  void finish() override {}
  bool is_listened_to() const override { return true; }
  void disconnect(std::chrono::milliseconds) override {}

  std::vector<std::string> texts() const {
    const std::lock_guard lock(mutex_);
    return texts_;
  }
  Json take_last() {
    const std::lock_guard lock(mutex_);
    return std::exchange(last_, Json());
  }

 private:
  mutable std::mutex mutex_;  // guards both
  std::vector<std::string> texts_;
  Json last_;
};

// What the client of a tour hears over a pipe. Every tool on the way answers at once.
std::vector<std::string> heard_over_pipe(const Faults& faults, std::chrono::milliseconds ttl) {
  Options options;
  options.page_size = 7;
  options.state_ttl = ttl;
  turn_switches(faults, options);
  Server good(options);
  FaultyServer server(good, faults);
  const auto sink = std::make_shared<TellingSink>();
  auto session = server.open(transport::WireKind::kStdio, sink);
  const auto send = [&](const Json& message) {
    session->receive(wire::decode(message.dump()), sink);
  };
  Tour tour([&](const Json& request) {
    sink->take_last();
    send(request);
    return sink->take_last();
  });
  tour.walk();
  const Json cursor = tour.walk_pages("tools/list");
  // Another connection, which goes on where the first one was.
  session->close();
  session = server.open(transport::WireKind::kStdio, sink);
  tour.walk_pages("tools/list", cursor);
  const Json change = {{"jsonrpc", "2.0"}, {"id", 901}, {"method", "tools/call"}};
  for (const auto& [id, filter] : std::vector<std::pair<Json, Json>>{
           {"all",
            {{"toolsListChanged", true},
             {"resourcesListChanged", true},
             {"promptsListChanged", true}}},
           {902, {{"toolsListChanged", true}, {"promptsListChanged", false}}},
           {"some", {{"resourceSubscriptions", {"test://watched-resource"}}}},
           {"other", {{"resourceSubscriptions", {"test://static-text"}}}}}) {
    send({{"jsonrpc", "2.0"},
          {"id", id},
          {"method", "subscriptions/listen"},
          {"params", with_meta({{"notifications", filter}})}});
  }
  for (const char* tool : {"test_trigger_tool_change", "test_trigger_prompt_change",
                           "test_trigger_resource_change", "test_trigger_resource_update"}) {
    Json call = change;
    call["params"] = calling(tool);
    send(call);
  }
  session->close();
  std::vector<std::string> heard;
  for (const std::string& text : sink->texts()) {
    Json message = Json::parse(text, nullptr, false);
    // A duplicate key is in the text alone.
    const std::string size = std::to_string(std::count(text.begin(), text.end(), ':'));
    forget_state(message);
    heard.push_back(message.dump() + size);
  }
  return heard;
}

TEST(StatelessFaults, ShowOverAPipe) {
  const auto soon = std::chrono::milliseconds(-1);  // state is of no use as soon as it is given
  const auto good = heard_over_pipe({}, std::chrono::minutes(1));
  const auto expiring = heard_over_pipe({}, soon);
  ASSERT_EQ(good, heard_over_pipe({}, std::chrono::minutes(1)));
  int tried = 0;
  for (const Fault& fault : all_faults()) {
    if (!is_of_stateless_era_alone(fault) || fault.seen_over == SeenOver::kHttpOnly) continue;
    // The tour has no two questions open, waits for nothing, cancels nothing, asks for no prompt
    // twice, leaves no capability undeclared and asks oddly in one way only; the matrix does.
    const bool is_off_tour =
        fault.id == "one-question-at-a-time" || is_of_one_method(fault.id) ||
        fault.id.starts_with("stdio-cancel") || fault.id == "prompts-fail-again" ||
        fault.id == "missing-capability-declared" || fault.afterthought != nullptr;
    if (is_off_tour) continue;
    ++tried;
    const bool shows = heard_over_pipe({&fault}, std::chrono::minutes(1)) != good ||
                       heard_over_pipe({&fault}, soon) != expiring;
    EXPECT_TRUE(shows) << fault.id;
  }
  EXPECT_GE(tried, 120);
}

// Structured content may be any value there: a fault that expects an object must not end the
// server.
TEST(StatelessFaults, LiveWithStructuredContentOfAnyType) {
  for (const Fault& fault : all_faults()) {
    if (fault.departure == nullptr) continue;
    Server good{Options()};
    FaultyServer server(good, {&fault});
    const auto sink = std::make_shared<TellingSink>();
    const auto session = server.open(transport::WireKind::kStdio, sink);
    for (const char* tool :
         {"test_structured_array", "test_structured_number", "test_structured_null"}) {
      const Json call = {
          {"jsonrpc", "2.0"}, {"id", 1}, {"method", "tools/call"}, {"params", calling(tool)}};
      EXPECT_NO_THROW(session->receive(wire::decode(call.dump()), sink)) << fault.id << " " << tool;
    }
    session->close();
  }
}

}  // namespace
}  // namespace assay::server
