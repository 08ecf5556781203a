// What must hold of everything that our reference server says, whatever it was sent: each message
// is valid by the model, each request gets exactly one answer, and nothing else gets any.
#pragma once

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "reference/model/revision.h"
#include "reference/transport/server_transport.h"
#include "reference/wire/message.h"

namespace assay::fuzz {

// Ends the program if `bytes` is no valid message of a server. `request_method`: of the request
// that it answers, if that is known.
void check_server_message(model::Revision revision, std::string_view bytes,
                          const std::optional<std::string>& request_method);

// Takes what one received message brings about.
//
// Thread safety: any thread may call any member.
class AnswerCheck : public transport::Sink {
 public:
  AnswerCheck(std::string_view received, wire::Decoded decoded);

  const wire::Decoded& decoded() const { return decoded_; }

  void send(transport::Outgoing message) override;
  void finish() override;
  bool is_listened_to() const override { return true; }
  void disconnect(std::chrono::milliseconds) override {}

  // Nothing more is expected. False if that did not come about in time.
  bool wait_until_finished(std::chrono::milliseconds patience);
  // True if a request in it may take as long as it likes: a tool, or the result of a task.
  bool may_take_long() const;

  // Call when the session is gone. `was_settled`: it had finished before the session was closed;
  // what had not may have lost its answers.
  void check(model::Revision revision, bool was_settled) const;

 private:
  struct Request {
    wire::Id id;
    std::string method;
    bool is_malformed;  // no request, but with an id that can be read: it may be refused by it
  };

  void collect_requests(const wire::Message& message);
  void check_answers(model::Revision revision, bool was_settled) const;
  void check_answer(model::Revision revision, const wire::Message& answer,
                    std::vector<bool>& is_answered) const;
  const Request* find_asker(const wire::Message& answer, std::vector<bool>& is_answered) const;

  const std::string received_;
  const wire::Decoded decoded_;
  std::vector<Request> requests_;
  mutable std::mutex mutex_;  // guards what follows
  std::condition_variable changed_;
  std::vector<transport::Outgoing> sent_;
  int finished_ = 0;
};

}  // namespace assay::fuzz
