// A run that is interrupted accuses nobody, in no format, whenever the interruption comes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <random>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/runner/runner.h"
#include "reports/terminal.h"
#include "reports/writer.h"
#include "scenarios/reference_target_testing.h"

namespace assay::scenarios {
namespace {

using reports::RunStatus;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

// Asks for a stop when so many things have happened on the wires of a run.
struct Fuse {
  explicit Fuse(std::uint64_t length) : moment(length) {}

  void burn() {
    if (++seen == moment) stop.request_stop();
  }

  const std::uint64_t moment;
  std::atomic<std::uint64_t> seen{0};
  std::stop_source stop;
};

// A wire that burns the fuse with whatever is observed on it.
class FusedWire : public transport::ClientTransport, private transport::Observer {
 public:
  FusedWire(const harness::Connector& connect, Fuse& fuse, transport::Observer& observer)
      : fuse_(fuse), observer_(observer), link_(connect(*this)) {}
  ~FusedWire() override { link_.transport.reset(); }

  const harness::Link& link() const { return link_; }

  std::optional<transport::Failure> open() override { return link_.transport->open(); }
  transport::Lane send(std::string_view message) override { return link_.transport->send(message); }
  transport::Lane send_raw(std::string_view bytes) override {
    return link_.transport->send_raw(bytes);
  }
  void set_protocol_version(std::string_view version) override {
    link_.transport->set_protocol_version(version);
  }
  bool is_resumable() const override { return link_.transport->is_resumable(); }
  transport::Lane resume(const std::optional<std::string>& last_event_id) override {
    return link_.transport->resume(last_event_id);
  }
  void close(transport::Deadline deadline) override { link_.transport->close(deadline); }

 private:
  void observe(const transport::Observation& observation) override {
    observer_.observe(observation);
    fuse_.burn();
  }

  Fuse& fuse_;
  transport::Observer& observer_;
  harness::Link link_;
};

harness::TargetAccess with_fuse(harness::TargetAccess access, Fuse& fuse) {
  access.connect = [connect = access.connect, &fuse](transport::Observer& observer) {
    auto wire = std::make_unique<FusedWire>(connect, fuse, observer);
    harness::Link link;
    link.http = wire->link().http;
    link.http_sse = wire->link().http_sse;
    link.child = wire->link().child;
    link.transport = std::move(wire);
    return link;
  };
  return access;
}

reports::Result certify_with(const harness::TargetAccess& access, model::Revision revision,
                             Fuse& fuse) {
  harness::CertifyOptions options;
  options.revisions = {revision};
  options.accesses = {with_fuse(access, fuse)};
  options.stop = fuse.stop.get_token();
  NoEvents events;
  return harness::certify(options, events);
}

std::string rendered(const reports::Result& result, std::string_view format) {
  return reports::find_format(format)->render(result);
}

void expect_no_accusation(const reports::Result& result) {
  for (const reports::Verdict& verdict : result.runs.at(0).verdicts) {
    EXPECT_NE(verdict.outcome, reports::Outcome::kViolated)
        << verdict.requirement << ": " << verdict.detail;
  }
  const auto sarif = nlohmann::json::parse(rendered(result, "sarif"));
  EXPECT_TRUE(sarif["runs"][0]["results"].empty());
  EXPECT_THAT(rendered(result, "junit"), Not(HasSubstr("<failure")));
}

void expect_incomplete_in_every_format(const reports::Result& result) {
  EXPECT_TRUE(result.was_interrupted);
  EXPECT_THAT(rendered(result, "badge"), HasSubstr("incomplete"));
  EXPECT_THAT(rendered(result, "html"), HasSubstr("Interrupted: 1 of 1 run incomplete"));
  EXPECT_THAT(rendered(result, "junit"), HasSubstr("<error"));
  EXPECT_THAT(rendered(result, "markdown"), HasSubstr("1 of 1 run incomplete"));
  EXPECT_THAT(rendered(result, "statement"), HasSubstr(": incomplete"));
  EXPECT_THAT(rendered(result, "tap"), HasSubstr("not ok 1 - "));
  EXPECT_THAT(reports::render_terminal(result, {}),
              HasSubstr("Interrupted: 1 of 1 run incomplete.\n"));
  EXPECT_THAT(reports::render_terminal(result, {.quiet = true}),
              EndsWith("Interrupted: 1 of 1 run incomplete.\n"));
  for (const char* format : {"badge", "junit", "markdown", "statement", "tap", "text"}) {
    EXPECT_THAT(rendered(result, format), Not(HasSubstr("onformant"))) << format;
  }
  const auto json = nlohmann::json::parse(rendered(result, "json"));
  EXPECT_EQ(json["interrupted"], true);
  EXPECT_EQ(json["runs"][0]["status"], "incomplete");
  const auto statement = nlohmann::json::parse(rendered(result, "statement-json"));
  EXPECT_EQ(statement["complete"], false);
  const auto sarif = nlohmann::json::parse(rendered(result, "sarif"));
  EXPECT_EQ(sarif["runs"][0]["invocations"][0]["executionSuccessful"], false);
}

void interrupt_often(const harness::TargetAccess& access, int moments, unsigned seed) {
  const auto revisions = model::Revision::handshake();
  std::mt19937 random(seed);
  int interrupted = 0;
  std::map<model::Revision, std::uint64_t> lengths;  // of a whole run, in events
  for (int i = 0; i < moments; ++i) {
    const model::Revision revision = revisions[static_cast<std::size_t>(i) % revisions.size()];
    if (!lengths.contains(revision)) {
      Fuse endless(0);
      certify_with(access, revision, endless);
      lengths[revision] = endless.seen;
    }
    Fuse fuse(std::uniform_int_distribution<std::uint64_t>(1, lengths[revision])(random));
    SCOPED_TRACE("after " + std::to_string(fuse.moment) + " of " +
                 std::to_string(lengths[revision]) + " events in " + std::string(revision.text()));
    const reports::Result result = certify_with(access, revision, fuse);
    expect_no_accusation(result);
    const RunStatus status = result.runs.at(0).status;
    // The last events of all come when everything has been judged.
    EXPECT_TRUE(status == RunStatus::kIncomplete || status == RunStatus::kConformant);
    if (status != RunStatus::kIncomplete) continue;
    ++interrupted;
    expect_incomplete_in_every_format(result);
  }
  EXPECT_GE(interrupted, moments * 9 / 10);
}

TEST(Interruption, AccusesNobodyOverAPipe) {
  interrupt_often(reference_over_pipe({}), 25, 14);
}

TEST(Interruption, AccusesNobodyOverHttp) {
  // An interrupted run leaves calls behind that wait for their client, and all runs share the
  // server: with the minute that it waits otherwise they would take all its threads.
  server::Options options;
  options.client_timeout = std::chrono::seconds(2);
  const ReferenceOverHttp reference(options);
  interrupt_often(reference.http(), 25, 41);
}

}  // namespace
}  // namespace assay::scenarios
