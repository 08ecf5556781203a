// What a hosted server does in one scenario, beyond what the reference server would do by itself.
//
// A play sees each message of the client's before the reference server reads it. It may answer in
// its place, ask the client something first, or let it pass; and it may change what the reference
// server answers. Once the client is done it reviews what passed.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "reference/model/revision.h"
#include "reference/transport/http_listener.h"
#include "reference/transport/observer.h"
#include "reference/wire/json.h"
#include "reference/wire/message_fwd.h"
#include "reference/wire/sse.h"
#include "reports/vault.h"

namespace assay::harness {

class Review;

// What a client is able to do, in words that the plays about one thing agree on.
using Feats = std::set<std::string, std::less<>>;

// A document that was asked for: its text, or why there is none.
struct DocumentRead {
  std::optional<std::string> text;
  std::string trouble;
};

// Asks for the document at that URL of a client's author.
using DocumentReader = std::function<DocumentRead(const std::string& url)>;

// Where the server of a play is found. Over stdio there is nothing in it.
struct Venue {
  std::string origin;                       // "http://localhost:1234"
  std::string endpoint;                     // "http://localhost:1234/mcp"
  transport::Observer* recorder = nullptr;  // of all that passes there
  std::shared_ptr<reports::Vault> vault = nullptr;
  // In an earlier play about the same thing the client did all that it is about.
  bool has_succeeded = false;
  // What it was seen to be able to do in earlier plays about the same thing: see Play::feats().
  Feats feats = {};
  DocumentReader read_document = nullptr;  // null: nobody but the client is asked
};

// One message of the client's, and what the play makes of it.
class Visit {
 public:
  Visit(const wire::Message& message, model::Revision revision, std::string trap)
      : message_(message), revision_(revision), trap_(std::move(trap)) {}

  const wire::Message& message() const { return message_; }
  // What is hosted.
  model::Revision revision() const { return revision_; }
  // Where nobody is to look: "http://127.0.0.1:4711". Of plays that set a trap.
  const std::string& trap() const { return trap_; }
  bool is_request(std::string_view method) const;
  bool is_notification(std::string_view method) const;
  // It is the answer to the question of that id: the client may use the id for a request, too.
  bool answers(std::string_view id) const;

  // Answers the request: the reference server does not see it.
  void answer(Json result);
  void refuse(std::int64_t code, std::string_view why);
  // The same of a message that is not accepted at all: over HTTP with 400 Bad Request.
  void reject(std::int64_t code, std::string_view why, const Json& data);
  // Over stdio: the server's process ends at once, with a status that is no good one; what came is
  // not answered.
  void crash() { has_crashed_ = true; }
  // Sends a message ahead of the answer, as it is.
  void say(const Json& message);
  void say_raw(std::string bytes) { steps_.back().said.push_back(std::move(bytes)); }
  // Asks the client, and lets the answer to its request wait until it has answered this, or nobody
  // can wait for it any longer. The id is the play's to choose: "assay-ping".
  void ask(std::string_view id, std::string_view method, Json params = nullptr);
  // The same for a question that stands in what say_raw() sends.
  void await(std::string_view id);
  // Lets the answer wait for this long: a client that gives its request up at once has left by then,
  // and is sent nothing.
  void pause(std::chrono::milliseconds time);
  // Nobody waits any longer for what is awaited under that id, here or in an earlier visit.
  void settle(std::string_view id);
  // While this step waits for what it asked, it says this, again and again; `make` is given how
  // often it has been said, and may be called from any thread.
  void repeat(std::function<Json(int)> make) { steps_.back().again = std::move(make); }
  // What follows is said once all that was asked before is answered; if that never comes, it stays
  // unsaid.
  void then() { steps_.emplace_back(); }
  // The same for what depends on those answers: on_message() has seen them by then.
  void then(std::function<void(Visit&)> speak) {
    steps_.push_back({{}, {}, std::move(speak), nullptr});
    steps_.emplace_back();
  }

  // For the stage.
  struct Step {
    std::vector<std::string> said;
    std::vector<std::string> asked;               // ids, as JSON text
    std::function<void(Visit&)> speak = nullptr;  // what says the rest
    std::function<Json(int)> again = nullptr;     // said while it waits
    // How long it waits; nothing: as long as for any question.
    std::optional<std::chrono::milliseconds> at_most = std::nullopt;
  };
  struct Outcome {
    std::vector<Step> steps;  // one at least
    std::optional<std::string> answer;
    bool is_rejected = false;
    std::vector<std::string> settled;  // ids, as JSON text
    bool has_crashed = false;
  };
  Outcome take() {
    return {std::move(steps_), std::move(answer_), is_rejected_, std::move(settled_), has_crashed_};
  }

 private:
  const wire::Message& message_;
  const model::Revision revision_;
  const std::string trap_;
  std::vector<Step> steps_{1};
  std::optional<std::string> answer_;
  bool is_rejected_ = false;
  std::vector<std::string> settled_;
  bool has_crashed_ = false;
};

// on_...() are called while the client acts, one call at a time.
class Play {
 public:
  virtual ~Play() = default;
  // Before the client is started. Otherwise: why the play cannot be given, in one sentence.
  virtual std::optional<std::string> begin(const Venue& /*venue*/) { return std::nullopt; }
  // Once it has begun: what MCP_CONFORMANCE_CONTEXT holds, where that depends on it; null: what its
  // scenario names.
  virtual Json context() const { return nullptr; }
  // An HTTP request that the reference server is not to see: what is answered in its place.
  virtual std::optional<transport::HttpReply> on_request(const transport::HttpHead& /*request*/,
                                                         std::string_view /*body*/) {
    return std::nullopt;
  }
  // What the reference server takes the head of an HTTP request for, where that is another one.
  virtual std::optional<transport::HttpHead> on_head(const transport::HttpHead& /*request*/) {
    return std::nullopt;
  }
  // An event of a stream on its way out.
  virtual void on_event(wire::SseEvent& /*event*/) {}
  // Its silence is the point: it lasts as long as the client may take, and not only for as long as
  // an answer of the client's is waited for.
  virtual bool is_silent() const { return false; }
  // It names URLs that nobody is to fetch; Review::hits() says who did.
  virtual bool sets_trap() const { return false; }
  // Over stdio: the client has started the server, once more.
  virtual void on_start() {}
  // Over stdio the server exits neither when its input ends nor when a signal comes, but when it is
  // killed.
  virtual bool defies() const { return false; }
  // The input of such a server has ended; a signal came to it, 0: it is gone. What the end of the
  // client brings about comes behind on_client_end().
  virtual void on_input_end() {}
  virtual void on_signal(int /*signal*/) {}
  virtual void on_client_end() {}
  // What the server writes to its standard error, once, over stdio: asked with each line of the
  // client's, before it is read, until there is something. A literal.
  virtual std::string_view log() const { return ""; }
  virtual void on_message(Visit& /*visit*/) {}
  // The result with which the reference server answers the request.
  virtual void on_result(const wire::Message& /*request*/, Json& /*result*/) {}
  // An HTTP answer on its way out.
  virtual void on_reply(const transport::HttpHead& /*request*/, std::string_view /*body*/,
                        transport::HttpReply& /*reply*/) {}
  // After the client's end, and before anything is reviewed: what the play brought up ends.
  virtual void end() {}
  // What the client speaks in other revisions than the one that is hosted is reviewed as well.
  virtual bool reviews_all() const { return false; }
  // It lets nobody in without a token: what is refused with 401 or 403 is no part of a session.
  virtual bool asks_for_tokens() const { return false; }
  // After review(): the client did what the play is about. Of several plays about one thing the
  // others are not given to a client that did nothing in the first.
  virtual bool was_taken_up() const { return true; }
  // After review(): the client did all of it. Only then it tells something if in another play it
  // does less.
  virtual bool has_succeeded() const { return false; }
  // After review(): what the client was seen to be able to do, for later plays to know.
  virtual Feats feats() const { return {}; }
  // After the client's end.
  virtual void review(Review& /*review*/) {}
};

// What a scenario's registration names to have such a play made.
template <typename P>
std::unique_ptr<Play> make_play() {
  return std::make_unique<P>();
}

}  // namespace assay::harness
