// A client's end of a conversation: requests and their answers over a wire to the server under
// test.
//
// How a conversation begins, what it does when the server asks, and how it fences, are the era's;
// scenarios need not know. Requests of the server's are answered while the script waits for
// something, on the script's own thread, so that a conversation is deterministic.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "harness/script/conversation.h"
#include "harness/script/limit.h"
#include "harness/script/link.h"
#include "harness/script/reply.h"

namespace assay::harness {

// A request that has been sent and may be answered by now.
struct Pending {
  wire::Id id;
  transport::Lane lane;
  EventPtr sent;         // the request in the transcript
  std::size_t from = 0;  // index from which its answer may be
  // Whether it was sent in its turn, and no more than that: if not, a refusal of it because of a
  // limit does not say that the target is asked too often.
  bool is_paced = true;
};

// The answer to a request of the target's: a result, or an error as {code, message}, or none for
// now (Connection::respond may give it later).
struct RefusedRequest {
  std::int64_t code = 0;
  std::string message;
};
struct WithheldAnswer {};
using Answer = std::variant<Json, RefusedRequest, WithheldAnswer>;
using RequestHandler = std::function<Answer(const Json& params)>;

// That the target did not begin in time, and what the person can do who started the run.
std::string late_start(model::Revision revision, const Patience& patience);

class Connection : public Conversation {
 public:
  // Closes the wire.
  ~Connection() override;

  std::optional<transport::Failure> open();
  // Ends the conversation in an orderly way; nothing arrives after it. Idempotent. Where the target
  // limits us, ends its session too, lest it be one too many for others.
  void close();

  // Begins as the revision has it, with these capabilities (default: everything that a client of
  // the revision can offer), and returns the answer to the first request; only after a result has
  // it begun.
  virtual Reply begin(std::optional<Json> capabilities = std::nullopt) = 0;
  bool has_begun() const { return !server_.is_null(); }
  // What begin() does before it says that the client is initialized, in revisions that say so.
  void before_initialized(std::function<void()> then) { before_initialized_ = std::move(then); }
  // What the target said of itself: the result with which it began; null before.
  const Json& server() const { return server_; }
  // True if the target declared this capability, written as a path: "resources.subscribe".
  bool has_capability(std::string_view path) const;
  // The method of a request that the revision has every server answer; and such a request.
  virtual std::string_view fence_method() const = 0;
  Json fence_request(const wire::Id& id) const;
  // The header fields that the era sends with a message over HTTP, because they repeat parts of it.
  virtual transport::Headers fields_of(const Json& /*message*/) const { return {}; }
  Pending start_fence() { return start(fence_method()); }
  Reply probe() { return await(start_fence()); }
  // Proves silence, by probe(): all that was sent before has reached the server by then. False if
  // no answer came.
  bool fence() { return probe().is_answered(); }

  // What we send has the form that the revision gives it. A message that has not is a mistake
  // of the harness, or repeats a malformed value of the target's (the URI of a listed
  // resource): it is not sent, the scenario is abandoned, and standard error says so.
  Reply request(std::string_view method, Json params = nullptr);
  Reply request_with_id(const wire::Id& id, std::string_view method, Json params = nullptr);
  // Over HTTP each message travels by itself, and may overtake another. A request does not overtake
  // what was sent before it and is no request: notifications, answers and raw bytes.
  Pending start(std::string_view method, Json params = nullptr);
  Pending start_with_id(const wire::Id& id, std::string_view method, Json params = nullptr);
  // Sends it at once, though it may not be our turn: to meet a limit, if there is one.
  Pending start_out_of_turn(std::string_view method, Json params = nullptr);
  // The same as start() for a request that is sent as it is: whatever it lacks, or has too much, is
  // meant.
  Pending start_as_is(const Json& request);
  // Waits as long as patience allows a request; as long as it allows the start of a process that
  // has said nothing yet.
  Reply await(const Pending& pending);
  Reply await(const Pending& pending, std::chrono::milliseconds patience);
  // The answer to what may well be ignored. On one line of traffic a fence is sent behind it: once
  // that is answered, what does not follow within patience().grace is silence. Over Streamable
  // HTTP, where each message has an answer of its own, as await().
  Reply await_before_fence(const Pending& pending);
  // The answer, if it is there already.
  std::optional<Reply> poll(const Pending& pending);
  void notify(std::string_view method, Json params = nullptr);
  // While the returned object lives, what is sent may break the schema: it is malformed on purpose.
  class [[nodiscard]] OnPurpose {
   public:
    explicit OnPurpose(Connection& conversation) : conversation_(conversation) {
      ++conversation_.malformed_on_purpose_;
    }
    ~OnPurpose() { --conversation_.malformed_on_purpose_; }
    OnPurpose(const OnPurpose&) = delete;
    OnPurpose& operator=(const OnPurpose&) = delete;

   private:
    Connection& conversation_;
  };
  OnPurpose malformed_on_purpose() { return OnPurpose(*this); }
  // The params with which a request is made again that was answered with questions, and our answers
  // to them; nothing where it was not, or where the revision has no such answers.
  virtual std::optional<Json> next_attempt(const Json& /*params*/, const Reply& /*reply*/) const {
    return std::nullopt;
  }
  // Sends bytes as they are; `expected_id` is the id that an answer would carry if the target can
  // read it (an answer with a null id counts too). await() takes what it returns.
  Pending send_raw(std::string_view bytes, std::optional<wire::Id> expected_id = std::nullopt);
  // The same for one line: over stdio its newline is added.
  Pending send_line(std::string_view bytes, std::optional<wire::Id> expected_id = std::nullopt);
  // Replaces what is answered to requests of this method; null goes back to the default.
  void on_request(std::string method, RequestHandler handler);
  // Goes back to the default for all methods.
  void restore_handlers();
  // Answers a request of the target's whose handler withheld the answer. What it says is not
  // checked: scenarios answer late, and malformed, on purpose.
  void respond(const wire::Id& id, Json result);
  // Opens the stream for what the target says by itself (Streamable HTTP: GET), and waits until it
  // has begun; over other transports all is heard anyway. False if the target offers none.
  bool listen();

  // The first event from `from` on that speaks of a limit (limit.h), and was not made good by
  // asking again.
  std::optional<Limit> limit_since(std::size_t from) const;
  // What spoke of a limit by now was made good.
  void forgive_limits();
  // The last error without an id from `from` on, which no request of ours can be told from; null:
  // there is none.
  EventPtr error_without_id(std::size_t from) const;
  // Waits for our turn, where the target limits how often it may be asked. For those who send by
  // http() themselves; all that is sent otherwise waits by itself.
  void await_turn();

  // What the target may make us hold; null: no bound over all conversations.
  const wire::BudgetPtr& budget() const { return budget_; }
  transport::HttpClient* http() { return link_.http; }
  transport::HttpSseClient* http_sse() { return link_.http_sse; }
  transport::StdioChild* child() { return link_.child; }
  transport::ClientTransport& wire_end() { return *link_.transport; }

 protected:
  Connection(const TargetAccess& access, model::Revision revision, Patience patience,
             std::stop_token stop);

  // What the era adds to each message of ours: here nothing.
  virtual Json prepared(std::string_view /*method*/, Json params) const { return params; }
  virtual transport::Lane transmit(const Json& message);
  // What the era does with the answer to a request, before request() returns it: here nothing.
  virtual Reply completed(std::string_view /*method*/, const Json& /*params*/, Reply reply) {
    return reply;
  }
  void set_server(Json result) { server_ = std::move(result); }
  std::function<void()> before_initialized_;
  // What is answered to a request of the target's.
  Answer answer_to(std::string_view method, const Json& params) const;
  void send_answer(const std::string& bytes);

 private:
  Pending send_request(const wire::Id& id, const Json& message);
  // Sends it now.
  Pending send_now(const wire::Id& id, const Json& message);
  void end_sessions();
  // Tells the pace what the reply says of it.
  bool may_be_starting() const;
  void note_pace(const Pending& pending, const Reply& reply);
  void check_own(const Json& message) const;
  // Remembers what is under way by an exchange of its own.
  void note_sent(const transport::Lane& lane, std::size_t from, bool may_be_answered = false);
  // Waits until what is under way has arrived: its exchange has been answered whole, or broke.
  void await_arrivals();
  Reply reply_from(const Pending& pending, const EventPtr& event) const;
  bool settles(const Pending& pending, const Event& event) const;
  EventPtr find_sent(std::size_t from) const;

  // Asks once more, later, if the answer speaks of a limit.
  Reply ask_patiently(const Pending& pending, std::string_view method, const Json& params);

  const TransportKind kind_;
  const wire::BudgetPtr budget_;
  const std::shared_ptr<Pace> pace_;
  std::set<std::uint64_t> made_good_;  // numbers of events that spoke of a limit
  Link link_;
  struct UnderWay {
    transport::Lane lane;
    std::size_t from = 0;
    bool may_be_answered = false;  // bytes that the target may take for a request
  };
  std::vector<UnderWay> under_way_;
  int malformed_on_purpose_ = 0;
  // Over stdio, the last bytes that were sent end within a line: answers of ours wait for its end.
  bool is_within_line_ = false;
  std::vector<std::string> waiting_answers_;
  std::map<std::string, RequestHandler, std::less<>> handlers_;
  Json server_;
  bool is_closed_ = false;
};

// A connection for the era of the revision; it is not open yet.
std::unique_ptr<Connection> connect(const TargetAccess& access, model::Revision revision,
                                    Patience patience, std::stop_token stop = {});

}  // namespace assay::harness
