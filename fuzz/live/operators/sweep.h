// The systematic phase: every place of every request that the server offers, times a fixed list of
// values, one place at a time; then two places of a tool's arguments at once.
//
// Nothing is left to chance: it is the same for the same vocabulary, whatever the seed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "fuzz/live/target/step.h"
#include "fuzz/live/target/vocabulary.h"
#include "fuzz/live/values/sweep_values.h"
#include "reference/wire/json.h"

namespace assay::fuzz {

// Used by one thread.
class Sweep {
 public:
  // Bounds on what a target's lists can make of it.
  static constexpr std::size_t kMostRequests = 300;
  static constexpr std::size_t kMostPlaces = 24;  // of one request
  static constexpr std::size_t kMostPairs = 200;
  static constexpr std::size_t kMostCursors = 3000;  // for each list

  // `words` outlives it.
  explicit Sweep(const Vocabulary& words);

  // The next case; its request has this id. Nothing at the end.
  std::optional<Case> next(std::uint64_t id);

 private:
  // A place in a request.
  struct Place {
    std::size_t request = 0;
    Json::json_pointer pointer;
    std::vector<std::string> values = {};  // in place of the fixed list, where there are any
  };
  struct Request {
    Json message;
    std::string name;  // "tools/call read"
    std::vector<Json::json_pointer> leaves = {};
  };

  void add(Json message, std::string name);
  void add_envelope();
  void add_tools();
  void add_rounds();
  void add_uris();
  void add_prompts();
  void add_cursors();
  void add_pairs();
  std::optional<Case> next_of_envelope(std::uint64_t id);
  std::optional<Case> next_single(std::uint64_t id);
  std::optional<Case> next_pair(std::uint64_t id);

  Case make(const Place& place, const SweptValue& value, std::uint64_t id) const;

  const Vocabulary& words_;
  std::vector<Request> requests_;
  std::set<std::string> named_;  // methods whose names are tried
  std::vector<Place> envelope_;  // what every request has: tried first, all of it
  std::vector<Place> places_;
  std::vector<std::pair<Place, Place>> pairs_;
  // Where it stands: a value is tried everywhere before the next one is, so that large ones come
  // last.
  std::size_t envelope_value_ = 0;
  std::size_t value_ = 0;
  std::size_t place_ = 0;
  std::size_t paired_value_ = 0;
  std::size_t pair_ = 0;
};

}  // namespace assay::fuzz
