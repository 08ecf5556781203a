// Makes the cases: valid traffic, and every way we know of going wrong on purpose.
//
// Every other case is one of the systematic phase (sweep.h) until that has come to its end.
// The same seed, vocabulary and answers of the target give the same cases.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_set>
#include <vector>

#include "fuzz/live/operators/sweep.h"
#include "fuzz/live/target/deck.h"
#include "fuzz/live/target/dictionary.h"
#include "fuzz/live/target/links.h"
#include "fuzz/live/target/step.h"
#include "fuzz/live/target/vocabulary.h"
#include "reference/model/mutate.h"
#include "reference/model/random.h"

namespace assay::fuzz {

// Used by one thread.
class Generator {
 public:
  // Bounds on what is kept for further mutation.
  static constexpr std::size_t kMostPooled = 512;
  static constexpr std::size_t kLargestPooled = 64u << 10;  // bytes of a case
  static constexpr std::size_t kMostLinks = 512;
  static constexpr std::size_t kMostPooledArguments = 48;  // of each tool

  // `words` outlives it.
  Generator(const Vocabulary& words, std::uint64_t seed, bool is_http);

  // A case for a session that has begun.
  Case next();
  // A case for a wire on which nothing has been said yet.
  Case next_fresh();
  // How what the target asks is to be answered during the next batch; mostly politely.
  int next_manners();
  // Keeps a case whose answers were new, to be mutated further.
  void keep(const Case& found);
  // Cases that come before all others; those that name what must not be called are left out.
  void replay_first(std::vector<Case> cases) { replayed_ = in_turn(std::move(cases)); }
  // The same of cases that every other one is from now on, until they come to their end: however
  // many they are, they leave time for the rest.
  void mix_in(std::vector<Case> cases) { mixed_ = in_turn(std::move(cases)); }
  // What tools answered with goes into what others ask for.
  void learn(const std::vector<Learnt>& learnt);
  // Words that the target named: they go in place of arguments, and the oldest are forgotten.
  void learn_words(const std::vector<Word>& heard);
  // The same of words of the user, of which none is forgotten.
  void keep_words(const std::vector<Word>& words) { dictionary_.keep(words); }
  // Hardly ever makes a case of this origin again: what it does to the target is known, and costs a
  // new process each time.
  void avoid(const std::string& origin) { avoided_.insert(origin); }

 private:
  using Make = Case (Generator::*)();
  struct Operator {
    std::size_t weight;
    Make make;
  };

  // operators.cc: one message, or its bytes, gone wrong.
  Case valid();
  Case mutated_field();
  Case odd_value_somewhere();
  Case bad_tool_arguments();
  Case odd_request_id();
  Case odd_envelope();
  Case unknown_name();
  Case from_pool();

  // linked_calls.cc: what one tool answers with, put into calls of others.
  Case linked();
  Json linked_call(Case& made, const Json& tool, const std::string& argument,
                   const std::string& place);

  // overlaps.cc: calls, cancellations and lists that meet each other.
  Case overlapping();
  Json call_of(Case& made, const Json& tool);

  // words.cc: words that the target itself named, and values of other cases.
  Case worded();
  Case spliced();
  Json worded_value(const std::string& tool);
  // Arguments of the tool: some that were answered in a new way, or new ones.
  Json base_arguments(const Json& tool);

  // framing.cc: lines that are none, or several.
  Case framed_badly();
  Case quiet_after_bad_line();

  // sequences.cc: several messages in an order that means something.
  Case cancelled();
  Case unasked_answer();
  Case batched();
  Case same_id_twice();
  Case many_at_once();
  Case odd_notification();
  Case before_lifecycle();
  Case ended_input();

  // stateless_operators.cc: what requests that stand alone carry.
  Case odd_meta();
  Case input_round();
  Case listening();
  Case first_of_all();
  Case odd_repeated_field();
  Json request_with_fields(Case& made);

  // http_operators.cc
  Case odd_http();
  Case raw_http();
  Case two_sessions();
  Case one_id_in_two_sessions();

  // Nothing once the systematic phase is over.
  std::optional<Case> next_swept();
  // Those that may be sent, the next one last.
  std::vector<Case> in_turn(std::vector<Case> cases) const;
  Case take_last(std::vector<Case>& cases);
  bool is_safe(const Case& made) const;
  Case pick_case(const std::vector<Operator>& operators);
  std::uint64_t new_id(Case& made);
  // A valid request, with an id.
  Json request(Case& made);
  Json request(Case& made, std::string_view method, Json params);
  // One that every server answers at once.
  Json fence(Case& made);
  Json fresh_arguments(Json seed);
  std::vector<Json> make_seeds();
  const std::vector<model::Mutation>& mutations_of(std::size_t seed);
  std::vector<Json::json_pointer> places(const Json& message, bool only_params);

  const Vocabulary& words_;
  const bool is_http_;
  model::Random random_;
  std::uint64_t last_id_ = 1'000'000;  // of seven digits, so that it is found again in any text
  std::vector<Json> seeds_;            // valid requests without their ids
  std::vector<std::vector<model::Mutation>> mutations_;  // of each seed, made when first needed
  std::vector<Operator> operators_;
  std::vector<Case> pool_;
  std::map<std::string, std::deque<Json>> pooled_arguments_;  // by tool, the newest last
  std::vector<Case> replayed_;                                // the next one last
  std::vector<Case> mixed_;                                   // the next one last
  bool is_mixed_next_ = false;
  // An argument of a tool that asks for a member of another tool's answer.
  struct Link {
    Learnt from;
    std::string tool;
    std::string argument;
    friend bool operator<(const Link& left, const Link& right) {
      return std::tie(left.from, left.tool, left.argument) <
             std::tie(right.from, right.tool, right.argument);
    }
  };
  std::set<Link> links_;
  Dictionary dictionary_;
  std::unordered_set<std::string> avoided_;
  Sweep sweep_;
  bool is_sweeping_ = true;
  bool is_swept_next_ = false;  // while it sweeps, every other case is swept
  Deck odd_headers_;
  Deck odd_headers_of_get_;
  Deck raws_;
  std::map<std::string, std::size_t> field_turns_;  // how often each header field was odd
};

// A step that is one line.
Step line_step(std::string_view text);
// "test://template/{id}/data" with something in place of each expression.
std::string expanded(std::string text);
// The text of a message that can be held as a value.
std::string text_of(const Json& message);

}  // namespace assay::fuzz
