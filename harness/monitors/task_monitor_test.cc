// What the task monitor makes of the order in which a task is seen: a status that arrives late is
// no change of status.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <string_view>

#include "harness/monitors/monitor.h"
#include "harness/transcript/transcript.h"

namespace assay::harness {
namespace {

// A conversation over stdio, written down line by line.
class Talk {
 public:
  Talk() {
    sent(R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{}})");
    received(R"({"jsonrpc":"2.0","id":1,"result":{"capabilities":{"tasks":{"requests":)"
             R"({"tools":{"call":{}}}}}}})");
    ask(2, "tools/call", R"({"name":"slow","task":{}})");
    received(fmt::format(R"({{"jsonrpc":"2.0","id":2,"result":{{"task":{}}}}})", task("working")));
  }

  static std::string task(std::string_view status) {
    return fmt::format(R"({{"taskId":"t","status":"{}","createdAt":"2025-11-25T10:30:00Z",)"
                       R"("lastUpdatedAt":"2025-11-25T10:30:00Z","ttl":null}})",
                       status);
  }

  void ask(int id, std::string_view method, std::string_view params = R"({"taskId":"t"})") {
    sent(fmt::format(R"({{"jsonrpc":"2.0","id":{},"method":"{}","params":{}}})", id, method,
                     params));
  }
  void answer(int id, std::string_view status) {
    received(fmt::format(R"({{"jsonrpc":"2.0","id":{},"result":{}}})", id, task(status)));
  }
  void announce(std::string_view status) {
    received(fmt::format(R"({{"jsonrpc":"2.0","method":"notifications/tasks/status","params":{}}})",
                         task(status)));
  }

  // The ids of the rules of tasks that were broken.
  std::set<std::string> broken() const {
    std::set<std::string> ids;
    const auto events = transcript_.events();
    const Trace trace{events, TransportKind::kStdio, Party::kServer, model::Revision::v2025_11_25};
    for (const Finding& finding : watch(trace)) {
      const bool is_of_tasks = finding.requirement.text().starts_with("tasks.");
      if (is_of_tasks && finding.kind == Finding::Kind::kBroke) {
        ids.insert(std::string(finding.requirement.text()));
      }
    }
    return ids;
  }

 private:
  void sent(std::string bytes) { note(transport::Party::kClient, std::move(bytes)); }
  void received(std::string bytes) { note(transport::Party::kServer, std::move(bytes)); }
  void note(transport::Party speaker, std::string bytes) {
    transport::Observation observation;
    observation.speaker = speaker;
    observation.bytes = std::move(bytes);
    transcript_.observe(observation);
  }

  Transcript transcript_;
};

using Ids = std::set<std::string>;

TEST(TaskMonitor, AcceptsEveryPathThatThereIs) {
  Talk talk;
  int id = 10;
  for (const char* status : {"working", "input_required", "working", "completed", "completed"}) {
    talk.ask(++id, "tasks/get");
    talk.answer(id, status);
  }
  EXPECT_EQ(talk.broken(), Ids{});
}

TEST(TaskMonitor, ATaskAtItsEndStaysThere) {
  Talk talk;
  talk.ask(3, "tasks/get");
  talk.answer(3, "completed");
  talk.ask(4, "tasks/get");
  talk.answer(4, "working");
  EXPECT_EQ(talk.broken(), (Ids{"tasks.status-transitions", "tasks.terminal-is-final"}));
}

TEST(TaskMonitor, AnAnswerMayBeOvertakenByTheEnd) {
  Talk talk;
  talk.ask(3, "tasks/get");
  talk.announce("completed");
  talk.answer(3, "working");  // it was asked for before
  talk.announce("working");   // it may have waited in a queue
  EXPECT_EQ(talk.broken(), Ids{});
}

TEST(TaskMonitor, ACancelledTaskStaysCancelled) {
  Talk talk;
  talk.ask(3, "tasks/cancel");
  talk.answer(3, "cancelled");
  talk.ask(4, "tasks/get");
  talk.answer(4, "completed");
  EXPECT_EQ(talk.broken(), (Ids{"tasks.cancelled-stays-cancelled", "tasks.status-transitions"}));
}

TEST(TaskMonitor, NamesWhereAnUnknownStatusCameFrom) {
  Talk talk;
  talk.announce("input_required");
  talk.ask(3, "tasks/get");
  talk.answer(3, "resumed");
  EXPECT_EQ(talk.broken(),
            (Ids{"tasks.status-transitions", "tasks.transitions-from-input-required"}));
}

TEST(TaskMonitor, AnUnknownStatusThatTheEndOvertookIsNotLaidToTheEnd) {
  Talk talk;
  talk.ask(3, "tasks/get");
  talk.announce("completed");
  talk.answer(3, "paused");  // it was asked for before
  EXPECT_EQ(talk.broken(), Ids{"tasks.status-transitions"});
}

TEST(TaskMonitor, AnUnknownStatusBehindTheEndBreaksItsRule) {
  Talk talk;
  talk.announce("cancelled");
  talk.ask(3, "tasks/get");
  talk.answer(3, "paused");
  EXPECT_EQ(talk.broken(), (Ids{"tasks.cancelled-stays-cancelled", "tasks.status-transitions"}));
}

TEST(TaskMonitor, SaysNothingOfTheLifeOfATaskThatWasNotAskedFor) {
  Talk talk;
  talk.ask(3, "tasks/get");
  talk.answer(3, "completed");
  talk.ask(4, "tasks/get", R"({"taskId":"another"})");
  talk.answer(4, "working");
  EXPECT_EQ(talk.broken(), Ids{"tasks.task-id-parameter-rules"});
}

TEST(TaskMonitor, HoldsACancellationToTheTaskThatItNames) {
  Talk talk;
  talk.ask(3, "tasks/cancel", R"({"taskId":"another"})");
  talk.answer(3, "cancelled");
  EXPECT_EQ(talk.broken(), Ids{"tasks.task-id-parameter-rules"});
}

}  // namespace
}  // namespace assay::harness
