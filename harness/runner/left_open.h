// What a part of a conversation leaves open: requests of either side, and tasks at work.
//
// Specification: basic/utilities/cancellation and basic/utilities/tasks of the revision.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "harness/transcript/transcript.h"
#include "reference/wire/id.h"
#include "reference/wire/message.h"

namespace assay::harness {

// Sees the events of that part, in their order.
class LeftOpen {
 public:
  void see(const Event& event);
  bool is_empty() const { return open_.empty() && tasks_.empty(); }

 private:
  using Key = std::pair<bool, wire::Id>;  // whether the request is ours, and its id
  struct Request {
    std::uint64_t n = 0;
    std::string what;  // the method, and the tool that it calls
    std::string task;  // whose result it asks for
    bool is_cancelled = false;
  };

  void see(std::uint64_t n, bool is_ours, const wire::Message& message);
  void see_request(std::uint64_t n, bool is_ours, const wire::Message& message);
  void see_answer(bool is_ours, const wire::Message& message);
  void see_notification(bool is_ours, const wire::Message& message);
  // What an answer or a notification says of a task.
  void see_task(const Json& object);

  std::map<Key, Request> open_;
  std::set<std::string, std::less<>> tasks_;
};

}  // namespace assay::harness
