// What a server that asks an API on behalf of its clients is told to do, and what of the API it
// then asks us, who play it (--upstream).
//
// Specification: basic/authorization, "Access Token Privilege Restriction".
#pragma once

#include <chrono>
#include <cstddef>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "harness/script/script.h"
#include "harness/script/upstream.h"

namespace assay::scenarios {

// For one answer, and for all of them: a tool that takes its time is let be.
inline constexpr std::chrono::milliseconds kLongestCall{3'000};
inline constexpr std::chrono::seconds kLongestCalls{10};
// What the server asks once it has answered is waited for as long.
inline constexpr std::chrono::milliseconds kQuiet{150};
// How often it is tried what needs no API.
inline constexpr std::size_t kIdleRounds = 3;

// A request of ours that may make the server ask the API.
struct Errand {
  std::string what;  // "a call of weather"
  std::string method;
  Json params;
};

// What needs no API: whatever the server asks it even then is about the token that we show.
std::vector<Errand> idle_errands(const harness::Connection& session);
// The tools that say they ask others (openWorldHint) come first; then those that do nothing but
// answer, then the rest, each once; then reads.
std::vector<Errand> errands_for(const harness::Script& script);

// What reached the API by an errand.
struct Seen {
  const Errand* errand;
  std::vector<harness::EventPtr> asked;  // our request
  harness::Upstream::Visit visit;
  // The same errand drew the same once more, so that it is no other scenario's.
  bool is_repeated = false;

  // Who checks or exchanges tokens may be shown one.
  bool is_plain_showing() const { return !visit.is_about_tokens && !visit.is_in_body; }
};

// Those from index `from` on, beside what we asked; how many there were.
std::size_t take_visits(const harness::Upstream& upstream, std::size_t from, const Errand& errand,
                        std::vector<harness::EventPtr> asked, std::vector<Seen>& all);
// What came late counts for the next errand, or, within `quiet`, for the last. The errands outlive
// what is seen.
std::vector<Seen> run_errands(harness::Connection& session, const harness::Upstream& upstream,
                              std::span<const Errand> errands,
                              std::chrono::milliseconds quiet = {});
// Those that drew something.
std::vector<Errand> fruitful_among(std::span<const Errand> errands, const std::vector<Seen>& all);
// By what the same errands drew once more.
void mark_repeated(std::vector<Seen>& all, const std::vector<Seen>& again);

// What the server asks the API though it was asked for nothing that needs it, told by method and
// path: that checks the token, whatever the path is called ("GET /user").
class Checks {
 public:
  // What carried a token that nobody shows but we.
  void learn(const std::vector<Seen>& all, const std::string& token);
  // What the same errand drew each time: others may ask the server for things, too, but hardly each
  // time just then.
  void learn_repeated(const std::vector<std::vector<Seen>>& rounds);
  void mark(std::vector<Seen>& all) const;

 private:
  std::set<std::string> known_;
};

// Those that carried the token plainly.
std::vector<Seen> plain_showings(const std::vector<Seen>& all, const std::string& token);

// A session that shows the token, of which is known what the server checks it by. To be moved, and
// not copied: what is seen points to its errands.
struct CheckedSession {
  harness::Connection& session;
  std::vector<Errand> idle;  // the last of them: to open it
  // Those that showed the token plainly though nothing needed the API, by an errand of `idle`. It
  // may be a check, and it may be passed on where that does no good.
  std::vector<Seen> shown = {};
};
CheckedSession open_checked_session(harness::Script& script, const harness::Upstream& upstream,
                                    const harness::UserToken& token, Checks& checks);

}  // namespace assay::scenarios
