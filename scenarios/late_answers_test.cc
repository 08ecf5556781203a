// A server that is slow with some answers keeps every rule: what comes late is not taken for an
// answer to something else.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "harness/runner/runner_testing.h"
#include "harness/script/scripted_peer_testing.h"
#include "scenarios/reference_target_testing.h"

namespace assay::scenarios {
namespace {

using namespace harness;

Json answer_to(const wire::Message& request) {
  if (request.method() == "initialize") {
    return wire::make_result(*request.id(), {{"protocolVersion", "2025-03-26"},
                                             {"capabilities", Json::object()},
                                             {"serverInfo", {{"name", "slow"}, {"version", "1"}}}});
  }
  if (request.method() == "ping") return wire::make_result(*request.id(), Json::object());
  return wire::make_error(*request.id(), wire::kMethodNotFound, "Method not found");
}

// Answers a batch that has a notification in it when four more messages have come.
class SlowWithBatches {
 public:
  void hear(std::string_view bytes, transport::Pipe& pipe) {
    const auto decoded = wire::decode(bytes);
    const auto* message = std::get_if<wire::Message>(&decoded);
    if (message == nullptr) return;
    if (!held_.empty() && --left_ == 0) pipe.deliver(std::exchange(held_, ""));
    if (message->kind() == wire::MessageKind::kRequest) {
      pipe.deliver(wire::encode(answer_to(*message)));
    } else if (message->kind() == wire::MessageKind::kBatch) {
      take_batch(*message, pipe);
    }
  }

 private:
  void take_batch(const wire::Message& batch, transport::Pipe& pipe) {
    Json answers = Json::array();
    bool has_notification = false;
    for (const wire::Message& member : batch.members()) {
      if (member.kind() == wire::MessageKind::kRequest) answers.push_back(answer_to(member));
      has_notification = has_notification || member.kind() == wire::MessageKind::kNotification;
    }
    if (answers.empty()) return;
    if (!has_notification) return pipe.deliver(wire::encode(answers));
    held_ = wire::encode(answers);
    left_ = 4;
  }

  std::string held_;
  int left_ = 0;
};

TEST(LateAnswers, ToABatchAreNoAnswersToTheNext) {
  TargetAccess access;
  access.kind = TransportKind::kStdio;
  access.connect = [](transport::Observer& observer) {
    auto server = std::make_shared<SlowWithBatches>();
    return piped_target([server](std::string_view bytes, transport::Pipe& pipe) {
             server->hear(bytes, pipe);
           })
        .connect(observer);
  };
  CertifyOptions options;
  options.revisions = {model::Revision::v2025_03_26};
  options.accesses = {access};
  options.patience = kShort;
  options.wants = [](std::string_view scenario) { return scenario.starts_with("batching_"); };
  CountingEvents events;
  const auto result = certify(options, events);
  EXPECT_EQ(verdict_of(result, "jsonrpc.batch-no-requests-unanswered").outcome,
            reports::Outcome::kSatisfied);
}

}  // namespace
}  // namespace assay::scenarios
