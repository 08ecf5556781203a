// What a target handed out, put into later requests of a case: a case is made before anybody knows
// it. The `requestState`s of requests that take several rounds, and identifiers in what tools
// answered (links.h).
//
// Specification of 2026-07-28: basic/patterns/mrtr.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace assay::fuzz {

// What becomes of a state on its way back.
enum class StateChange : std::uint8_t {
  kNone,
  kFlipped,  // one character in the middle is another one
  kCut,      // the second half is missing
  kOdd,      // the last character is missing
  kLonger,   // one character more at the end
  kTwice,    // twice in a row
  kBlank,    // as long, and all of it spaces
  kInside,   // what it packs is changed inside, where that can be opened up
  kCount
};
std::string_view name(StateChange change);

// What stands for the state that the answer to the request `id` carries, in a JSON string.
std::string state_place(std::uint64_t id, StateChange change);
// What stands for a member of a tool's answer to the request `id`: all of a JSON string.
std::string link_place(std::uint64_t id, std::string_view member);
// The ids of the requests whose states or members `text` has places for.
std::vector<std::uint64_t> state_places(std::string_view text);

// Used by one thread.
class RequestStates {
 public:
  // Bounds on what a target can make us remember.
  static constexpr std::size_t kMost = 64;
  static constexpr std::size_t kLongest = 64u << 10;
  static constexpr std::size_t kMostAnswers = 64;

  // A message of the target's.
  void note(std::string_view bytes);
  // The text with its places filled in. What is not known becomes a state that never was.
  std::string fill(std::string text) const;

 private:
  struct Known {
    std::string id;  // as JSON
    std::string state;
  };
  std::string changed(std::uint64_t id, StateChange change) const;
  // The member of that answer as JSON; one that never was, if it is not known.
  std::string linked(std::uint64_t id, std::string_view member) const;
  std::string fill_links(std::string text) const;

  std::vector<Known> known_;         // oldest first
  std::deque<std::string> answers_;  // of tools, as they came; the oldest first
};

}  // namespace assay::fuzz
