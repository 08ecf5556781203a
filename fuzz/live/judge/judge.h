// Reads both directions of one conversation and says what looks wrong.
//
// What was sent is read as the target would read it, whatever the fuzzer meant by it: only a plain
// request, which every parser reads alike, must be answered; where readings may differ, every
// reading is allowed. A suspicion is not yet an accusation: it is tried again from a fresh start.
//
// Specification: JSON-RPC 2.0, section 5; basic; and the pages that refusals.cc names.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "fuzz/live/judge/suspicion.h"
#include "fuzz/live/target/dictionary.h"
#include "fuzz/live/target/links.h"
#include "fuzz/live/target/vocabulary.h"
#include "reference/model/revision.h"
#include "reference/model/validate.h"
#include "reference/wire/id.h"
#include "reference/wire/json.h"
#include "reference/wire/message_fwd.h"

namespace assay::fuzz {

// The form of an answer: method, kind, code, status and field set, as one number.
struct NewShape {
  std::uint64_t hash = 0;
  std::size_t case_number = 0;
};

// Over HTTP a lane is an exchange of one of two sessions: its number, times two, and the session.
constexpr std::uint64_t lane_key(std::uint64_t exchange, int session) {
  return exchange * 2 + static_cast<std::uint64_t>(session);
}
constexpr int session_of(std::uint64_t lane) {
  return static_cast<int>(lane % 2);
}

// Used by one thread.
class LiveJudge {
 public:
  using Clock = std::chrono::steady_clock;
  // What a target may make us remember.
  static constexpr std::size_t kMostRemembered = 16384;          // requests, as they were
  static constexpr std::size_t kMostRememberedBytes = 8u << 20;  // of all of them
  static constexpr std::size_t kMostFaded = 1u << 20;  // older ones, of which only that is known
  // Unanswered calls are never forgotten, up to so many and so much beside those.
  static constexpr std::size_t kMostHeld = 4096;
  static constexpr std::size_t kMostHeldBytes = 8u << 20;
  static constexpr std::size_t kMostSuspicions = 256;  // until they are taken
  static constexpr std::size_t kMostWordsHeard = 512;  // likewise
  static constexpr std::size_t kMostWordings = 32;     // of answers of one form

  // `words` outlives it. Without a handshake behind it the revision is not settled, and schemas are
  // not asked.
  LiveJudge(const Vocabulary& words, bool is_settled) : words_(words), is_settled_(is_settled) {}

  // One line, or the body of one POST, on its way to the target. `lane` is that of its HTTP
  // exchange; 0 over stdio.
  void sent(std::string_view line, std::size_t case_number, std::uint64_t lane = 0);
  // Bytes that nobody need take for a message, but may: nothing must come of them.
  void sent_loosely(std::string_view bytes, std::size_t case_number, std::uint64_t lane = 0) {
    last_case_ = case_number;
    remember_bytes(bytes);
    ask_loosely(bytes, case_number, lane);
  }
  // One message from the target; whether it is one is for the judge to say. Returns the message if
  // it is a request of the target's, which wants an answer.
  std::optional<wire::Message> heard(std::string_view bytes, std::uint64_t lane = 0);

  // True once a request with this id has been answered.
  bool is_answered(const wire::Id& id) const;
  // The case that sent the request with this id, if it is remembered.
  std::optional<std::size_t> case_of(const wire::Id& id) const;
  // How many requests are waited for: those that must be answered, and calls of tools that answered
  // before.
  std::size_t count_open() const;
  // Requests sent before `time` that must be answered and were not: each becomes a suspicion, once.
  void give_up_on(Clock::time_point time);
  // The same for calls of tools that answered before and have no reason to wait. Asked where the
  // target has nothing to do; elsewhere it is only a guess.
  void give_up_on_calls(Clock::time_point time, bool is_guess);
  // Nothing that is open is waited for any more, nor missed.
  void drop_open();
  // A ping that was sent behind everything else was answered: an error without an id, or an array,
  // that was owed for what was sent before the ping before that does not come any more.
  void pass_barrier();
  // On a lane whose exchange has ended: what it did not answer becomes a suspicion.
  void close_lane(std::uint64_t lane);
  // True once an answer has come on the lane, and nothing that must be answered there is open.
  bool has_answered(std::uint64_t lane) const;
  // An HTTP status refused what was sent on the lane; an error without an id may come with it.
  void refuse_lane(std::uint64_t lane);
  // The lowest number of a case that has an open request; nothing if none has.
  std::optional<std::size_t> oldest_open_case() const;
  // The first case without an answer after the newest that has one, be it a call or anything else:
  // who does one thing after the other is at work on it. Otherwise: oldest_open_case().
  std::optional<std::size_t> first_unanswered_case() const;
  std::size_t newest_answered_case() const { return newest_answered_case_; }

  // From now on what is in a canary accuses nobody: the target may not know what it is to serve.
  void overlook_escapes() { overlooks_escapes_ = true; }
  // Whether it asked what only a person can answer. Our answer is a yes, as a rule: what it then
  // does may be what it was allowed.
  bool has_asked_a_person() const { return has_asked_a_person_; }

  // Forgets all that was sent and suspected: what follows is judged as if it were the first.
  void forget();
  void suspect(Suspicion suspicion);
  // Whether a suspicion of this signature waits to be taken.
  bool suspects(const std::string& signature) const;
  Suspicions take_suspicions() { return std::exchange(suspicions_, {}); }
  std::vector<NewShape> take_shapes() { return std::exchange(shapes_, {}); }
  // Words that the target named and we did not.
  std::vector<Word> take_words() { return std::exchange(words_heard_, {}); }
  // What tools answered with that others may ask for.
  std::vector<Learnt> take_learnt() { return links_.take(); }
  void add_shape(std::uint64_t hash, std::size_t case_number) {
    shapes_.push_back({hash, case_number});
  }

 private:
  // A request, as it may be answered. `must` is false where the target may have read it otherwise.
  struct Asked {
    std::string method;
    std::shared_ptr<const wire::Message> request;
    std::size_t case_number = 0;
    std::uint64_t lane = 0;
    int sent = 0;
    int answered = 0;
    bool must = false;
    std::string tool = {};  // of a call whose answer can be missed
    Clock::time_point at;
  };
  // What the target may say that has no request to belong to, once for each.
  struct Owed {
    std::size_t errors = 0;  // without an id
    std::size_t arrays = 0;
  };
  // Calls that are older than what is remembered, and still open.
  struct Held {
    std::unordered_set<std::string> keys;
    std::size_t bytes = 0;  // of their requests
  };
  // What is known of an answer's bytes, its id aside.
  struct Known {
    std::uint64_t shape = 0;
  };

  void ask(const wire::Message& request, std::size_t case_number, std::uint64_t lane);
  void ask_loosely(std::string_view line, std::size_t case_number, std::uint64_t lane);
  void note_cancellation(const wire::Message& message);
  void note_call(Asked& asked, const std::string& key);
  void forget_call(const std::string& key);
  // Takes it out of what is held, if it is there: it may be forgotten again.
  void release(const std::string& key);
  // Keeps the call in mind, if it is open and there is room.
  bool hold(const std::string& key);
  void forget_calls_on(std::uint64_t lane);
  void note_answered_call(const Asked& asked, const std::string& key, bool is_result);
  void hear_batch(const wire::Message& batch, std::uint64_t lane);
  // Whether the value that is wrong is one that we supplied.
  bool is_ours(const model::Deviation& deviation, const Json& message, const Asked* asked) const;
  void remember_bytes(std::string_view line);
  void fade(const std::string& key);
  // Takes the answers that may still come to a key; none if nothing is known of it.
  int take_faded(const std::string& key);
  Asked& remember(const std::string& key, std::size_t case_number, std::uint64_t lane);
  void hear_message(const wire::Message& message, std::uint64_t lane);
  void hear_answer(const wire::Message& answer, std::uint64_t lane);
  // An answer that is damaged is an answer all the same: nothing more is missed.
  void hear_damaged(const wire::Message& damaged);
  void hear_error_without_id(const wire::Message& answer);
  // `asked`: what the message answers, if it answers anything. True if nothing is wrong with it,
  // not even a value of ours.
  bool check_form(const wire::Message& message, const Asked* asked, std::size_t case_number);
  // The form of an answer of that tool, and the words in it as long as they are few.
  std::uint64_t shape_with_words(const wire::Message& answer, const Asked& asked,
                                 const std::string& tool);
  void learn_words(const wire::Message& answer, const Asked& asked, const std::string& tool);
  void check_answer(const wire::Message& answer, Asked& asked);
  void check_subscription(const wire::Message& message);
  void check_escape(const wire::Message& message);
  bool is_of_our_revision(const wire::Message& message, const Asked* asked) const;

  const Vocabulary& words_;
  bool is_settled_;
  bool overlooks_escapes_ = false;
  bool has_asked_a_person_ = false;
  std::unordered_map<std::string, Asked> asked_;  // by id_key()
  std::deque<std::string> order_;                 // keys of asked_, oldest first
  Held held_;                                     // keys of asked_ that are not in order_
  std::unordered_set<std::string> open_;          // keys that must be answered and are not
  // How many answers may still come to requests that are not in asked_ any more, by the hash of
  // their key: tools take as long as they like.
  std::unordered_map<std::uint64_t, int> faded_;
  std::unordered_set<std::string> cancelled_;  // keys named by a cancellation
  std::unordered_map<std::uint64_t, Known> known_;
  std::size_t asked_bytes_ = 0;  // of the requests in asked_
  // The tools of calls that are not answered, by key.
  std::unordered_map<std::string, std::string> calls_;
  std::unordered_set<std::string> slow_calls_;  // keys of those that may take their time
  std::unordered_set<std::string> answering_tools_;
  Owed owed_;         // since the last barrier
  Owed owed_before_;  // since the barrier before
  // The end of all that was sent, in two halves of which the older is thrown away: what the target
  // may have kept of us.
  std::string sent_lately_;
  std::string sent_before_;
  std::size_t last_case_ = 0;
  std::size_t newest_answered_case_ = 0;
  std::uint64_t answered_lane_ = 0;  // of the last answer
  Suspicions suspicions_;
  std::vector<NewShape> shapes_;
  std::unordered_map<std::uint64_t, std::unordered_set<std::uint64_t>> wordings_;  // by shape
  std::vector<Word> words_heard_;
  LinkLearner links_;
};

}  // namespace assay::fuzz
