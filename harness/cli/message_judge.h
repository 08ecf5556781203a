// Judges the messages of one conversation by the wire model of a revision.
//
// The result of a response can be judged only as the result of a method, and the method stands in
// the request. So requests are remembered by their id, and a response whose request was not seen is
// judged by its envelope alone, which is said.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "reference/model/protocol.h"
#include "reference/model/validate.h"
#include "reference/wire/json.h"

namespace assay::cli {

// A whole response whose result is of `type`, which the protocol knows.
model::Deviations validate_response(model::Protocol protocol, std::string_view type,
                                    const Json& message);

struct JudgedMessage {
  model::Deviations deviations;
  std::string judged_as;            // "tools/call request", "result of tools/list"
  std::size_t envelopes_only = 0;   // results (of a batch: several) judged by their envelope alone
  std::size_t unknown_methods = 0;  // requests and notifications judged as plain JSON-RPC
};

class MessageJudge {
 public:
  // `method` is that of every response whose request is not seen; empty if nobody says.
  MessageJudge(model::Protocol protocol, std::string method)
      : protocol_(protocol), method_(std::move(method)) {}

  model::Protocol protocol() const { return protocol_; }

  // The way the message went is guessed from its method where it is not known.
  JudgedMessage judge(const Json& message, std::optional<model::Direction> direction = {});
  // Remembers what the message asks, and judges nothing.
  void note(const Json& message, model::Direction direction);

 private:
  struct Request {
    std::string method;
    bool is_task = false;  // asked for a task, so that the result may be a CreateTaskResult
  };
  using Key = std::pair<model::Direction, std::string>;  // the id as JSON text

  // A file of millions of requests without answers is no reason to hold them all.
  static constexpr std::size_t kMostRequests = 100'000;

  model::Direction direction_of(const Json& message) const;
  const Request* find_request(const Json& id, std::optional<model::Direction> answer) const;
  void judge_one(const Json& message, std::optional<model::Direction> direction,
                 const std::string& place, JudgedMessage& judged);
  void judge_result(const Json& message, std::optional<model::Direction> direction,
                    const std::string& place, JudgedMessage& judged);

  model::Protocol protocol_;
  std::string method_;
  std::map<Key, Request> requests_;
};

}  // namespace assay::cli
