// Identifiers in what tools answer, which other tools ask for: a `create` result's id into `get`.
//
// Which values they are is known only when the answer is there, and another process has others. So
// a case is made with a place for them, `@LINK 1000023 id@`: the member `id` of the answer to the
// request 1000023; see request_states.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "reference/wire/json.h"

namespace assay::fuzz {

// An answer of the tool has the member, which reads like an identifier.
struct Learnt {
  std::string tool;
  std::string member;
  friend bool operator==(const Learnt&, const Learnt&) = default;
  friend bool operator<(const Learnt& left, const Learnt& right) {
    return std::tie(left.tool, left.member) < std::tie(right.tool, right.member);
  }
};

struct Identifier {
  std::string member;
  Json value;  // a string or a number
};

// What reads like an identifier in a tool's result: members called `id`, `uri` or the like, or
// ending so (`note_id`, `noteId`), in its structured content, in texts that are JSON, and the
// addresses of resources. The first of each name, few, and each of them short.
std::vector<Identifier> identifiers_in(const Json& result);

// Whether an argument of this name may ask for the member: of one name, or of one kind where one of
// the two names nothing but the kind (`id` and `note_id`).
bool asks_for(std::string_view argument, std::string_view member);

// What a tool is learnt from: its first answers.
class LinkLearner {
 public:
  static constexpr std::size_t kMostTools = 256;
  static constexpr std::size_t kMostAnswers = 32;  // of each

  // The result of a call of the tool.
  void hear(const std::string& tool, const Json& result);
  std::vector<Learnt> take() { return std::exchange(learnt_, {}); }

 private:
  std::map<std::string, std::size_t> heard_;
  std::vector<Learnt> learnt_;
};

}  // namespace assay::fuzz
