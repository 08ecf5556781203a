#include "fuzz/live/client/spoiling_server.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "fuzz/live/target/text.h"
#include "harness/host/stage.h"
#include "reference/transport/passing_sink.h"
#include "reference/wire/compose.h"
#include "reference/wire/message.h"

namespace assay::fuzz {
namespace {

using transport::Outgoing;
using transport::Sink;

// Of what was said, so many kinds are told apart.
constexpr std::size_t kMostKinds = 20'000;
constexpr std::size_t kMostSuspicions = 20;
constexpr std::size_t kMostApplied = 2000;

std::string id_of(const wire::Message& message) {
  return message.id() ? message.id()->json_text() : "";
}

bool is_answer(const wire::Message& message) {
  return message.kind() == wire::MessageKind::kResult ||
         message.kind() == wire::MessageKind::kError;
}

// What is asked again and again by right: whoever polls, and whoever keeps a connection alive.
bool may_be_repeated(std::string_view method) {
  return method == "ping" || method.starts_with("tasks/");
}

// What asks for patience asks for little.
server::Options hasty_options(model::Revision revision) {
  constexpr std::chrono::milliseconds kPollInterval{20};
  server::Options options = harness::hosted_options(revision);
  options.poll_interval = kPollInterval;
  return options;
}

std::string gist(const wire::Message& request) {
  Json params = request.params();
  if (params.is_object()) params.erase("_meta");
  const std::string text = params.dump(-1, ' ', false, Json::error_handler_t::replace);
  return fmt::format("{} {}", request.method(), text.substr(0, 300));
}

}  // namespace

// Shared with what outlives a session.
struct SpoilingServer::State {
  State(SpoilPlan planned, bool http, model::Revision spoken)
      : plan(std::move(planned)), is_http(http), revision(spoken) {}

  const SpoilPlan plan;
  const bool is_http;
  const model::Revision revision;

  std::mutex mutex;                                        // guards all below
  std::map<std::string, std::size_t, std::less<>> counts;  // of requests, by method
  std::map<std::string, Spoil, std::less<>> lasting;       // by method
  std::map<std::string, Spoil> replies;                    // to be spoilt, by the request's id
  std::set<std::string> asked;                             // ids of our questions
  std::map<std::string, int> answered;                     // and how often, by id
  std::set<std::string> owed;                              // ids of the client's
  std::map<std::string, std::size_t> repeats;
  bool is_garbled = false;
  std::optional<Clock::time_point> latest;
  std::size_t wording_bytes = 0;  // of those in `notes`
  ServerNotes notes;

  bool may_wait() const { return notes.may_wait || !owed.empty(); }

  void note_activity() {
    const auto now = Clock::now();
    if (latest) {
      notes.longest_pause =
          std::max(notes.longest_pause,
                   std::chrono::duration_cast<std::chrono::milliseconds>(now - *latest));
    }
    latest = now;
    notes.was_reached = true;
  }

  void suspect(ClientOracle oracle, std::string detail) {
    if (notes.suspicions.size() < kMostSuspicions) {
      notes.suspicions.push_back({oracle, "", std::move(detail)});
    }
  }

  void note(const wire::Decoded& arrived) {
    const auto* message = std::get_if<wire::Message>(&arrived);
    if (message == nullptr) return note_ruin(std::get<wire::DecodeError>(arrived).detail);
    if (message->kind() == wire::MessageKind::kMalformed) return note_ruin(message->defect());
    for (const wire::Message& member : message->members()) note(wire::Decoded(member));
    if (message->kind() == wire::MessageKind::kRequest) note_request(*message);
    if (is_answer(*message)) note_answer(*message);
  }
  void note_ruin(std::string_view why) {
    if (is_garbled) return;
    suspect(ClientOracle::kInvalid,
            fmt::format("It sent something that is not a JSON-RPC message: {}", shown(why, 200)));
  }
  void note_request(const wire::Message& request) {
    owed.insert(id_of(request));
    if (may_be_repeated(request.method()) || repeats.size() > kMostKinds) return;
    const std::string what = gist(request);
    const std::size_t times = ++repeats[what];
    if (times <= notes.most_repeats) return;
    notes.most_repeats = times;
    notes.most_repeated = what;
  }
  void note_answer(const wire::Message& answer) {
    const std::string id = id_of(answer);
    if (is_garbled) return;
    if (!asked.contains(id)) {
      suspect(ClientOracle::kUnasked,
              fmt::format("It sent an answer with the id {}, which no request had",
                          id.empty() ? "null" : shown(id, 60)));
    } else if (++answered[id] == 2) {
      suspect(ClientOracle::kDoubled,
              fmt::format("It answered the request with the id {} twice", shown(id, 60)));
    }
  }

  void note_sent(std::string_view bytes) {
    notes.sent_bytes += bytes.size();
    latest = Clock::now();
    if (bytes.find("\"method\"") == std::string_view::npos) return;
    const wire::Decoded decoded = wire::decode(bytes);
    const auto* message = std::get_if<wire::Message>(&decoded);
    if (message != nullptr && message->kind() == wire::MessageKind::kRequest) {
      asked.insert(id_of(*message));
    }
  }

  SpoilPlace place_of(std::string_view method) const {
    return {method, is_http, revision.has_sessions()};
  }
  std::optional<Spoil> choose(std::string_view method) {
    const std::size_t occurrence = ++counts[std::string(method)];
    const auto going_on = lasting.find(method);
    if (going_on != lasting.end()) return going_on->second;
    auto chosen = plan.chooser(place_of(method), occurrence);
    if (chosen && chosen->occurrence == 0) lasting.emplace(method, *chosen);
    return chosen;
  }
  bool takes(const Aftermath& after) const {
    const bool is_left_out =
        (plan.is_tidy && after.is_garbled) || (plan.is_prompt && after.may_wait);
    return !after.label.empty() && !is_left_out;
  }
  void note_applied(const Spoil& spoil, const Aftermath& after,
                    std::optional<Wording> wording = std::nullopt) {
    notes.may_wait = notes.may_wait || after.may_wait;
    notes.sent_bytes += after.streamed_bytes;
    is_garbled = is_garbled || after.is_garbled;
    const bool is_known =
        std::find(notes.applied.begin(), notes.applied.end(), spoil) != notes.applied.end();
    if (is_known || notes.applied.size() >= kMostApplied) return;
    const std::size_t bytes = wording ? bytes_of(*wording) : 0;
    if (wording_bytes + bytes > kMostWordingBytes) {
      wording.reset();
    } else {
      wording_bytes += bytes;
    }
    notes.applied.push_back(spoil);
    notes.labels.push_back(after.label);
    notes.wordings.push_back(std::move(wording));
  }
};

// What relates to no request.
class SpoilingServer::Wire : public transport::PassingSink {
 public:
  Wire(std::shared_ptr<State> state, std::shared_ptr<Sink> to)
      : PassingSink(std::move(to)), state_(std::move(state)) {}
  void send(Outgoing message) override {
    {
      const std::lock_guard lock(state_->mutex);
      state_->note_sent(message.bytes);
    }
    PassingSink::send(std::move(message));
  }

 protected:
  const std::shared_ptr<State> state_;
};

// What relates to one request, with its answer spoilt.
class SpoilingServer::Answers : public Wire {
 public:
  Answers(std::shared_ptr<State> state, std::shared_ptr<Sink> to, wire::Message request,
          std::string canary, std::optional<Spoil> spoil)
      : Wire(std::move(state), std::move(to)),
        request_(std::move(request)),
        canary_(std::move(canary)),
        spoil_(std::move(spoil)) {}

  void send(Outgoing message) override {
    const bool is_said_beside =
        message.kind == Outgoing::Kind::kRequest || message.kind == Outgoing::Kind::kNotification;
    if (is_said_beside) return Wire::send(std::move(message));
    {
      const std::lock_guard lock(state_->mutex);
      state_->owed.erase(id_of(request_));
    }
    const Operator* one = spoil_ ? find_operator(spoil_->what) : nullptr;
    if (one == nullptr || one->answer == nullptr) return Wire::send(std::move(message));
    send_spoilt(*one, std::move(message));
  }

 private:
  void send_spoilt(const Operator& one, Outgoing message) {
    const SpoilPlace place = state_->place_of(request_.method());
    SpoiltAnswer answer{request_, place, canary_, Json::parse(message.bytes, nullptr, false), ""};
    model::Random random(spoil_->seed);
    const std::string sound = wire::encode(answer.json);
    if (answer.json.is_object()) one.answer(answer, random);
    if (answer.bytes.empty()) answer.bytes = wire::encode(answer.json);
    if (spoil_->wording) say_in_place(*spoil_->wording, sound, answer);
    judge(answer);
    if (!state_->takes(answer.after)) return Wire::send(std::move(message));
    // Before anybody can say anything to it.
    {
      const std::lock_guard lock(state_->mutex);
      state_->note_applied(*spoil_, answer.after, wording_of(answer, sound));
    }
    for (std::string& bytes : answer.ahead) {
      Wire::send({Outgoing::Kind::kNotification, std::move(bytes)});
    }
    if (answer.is_dropped) return;
    message.bytes = std::move(answer.bytes);
    Wire::send(std::move(message));
  }
  std::optional<Wording> wording_of(const SpoiltAnswer& answer, const std::string& sound) const {
    if (answer.is_dropped) return std::nullopt;
    const bool is_sound = answer.bytes == sound;
    return kept_wording({answer.ahead, is_sound ? std::nullopt : std::optional(answer.bytes)},
                        id_of(request_), canary_);
  }
  // The label, and what the operator knows to come of it, stay.
  void say_in_place(const Wording& wording, const std::string& sound, SpoiltAnswer& answer) const {
    answer.ahead.clear();
    for (const std::string& each : wording.ahead) {
      answer.ahead.push_back(filled(each, id_of(request_), canary_));
    }
    answer.bytes = wording.answer ? filled(*wording.answer, id_of(request_), canary_) : sound;
  }
  // What it may come to, where the operator has not said so.
  void judge(SpoiltAnswer& answer) const {
    Aftermath& after = answer.after;
    const bool is_plain = !answer.is_dropped && is_plain_answer(answer.bytes, request_);
    after.may_wait = after.may_wait || !is_plain;
    const bool are_plain = std::all_of(answer.ahead.begin(), answer.ahead.end(), is_plain_text);
    after.may_wait = after.may_wait || !are_plain;
    after.is_garbled =
        after.is_garbled || !are_plain || (!answer.is_dropped && !is_plain_text(answer.bytes));
  }

  const wire::Message request_;
  const std::string canary_;
  const std::optional<Spoil> spoil_;
};

class SpoilingServer::Session : public transport::ServerSession {
 public:
  Session(std::shared_ptr<State> state, std::string canary,
          std::shared_ptr<transport::ServerSession> good)
      : state_(std::move(state)), canary_(std::move(canary)), good_(std::move(good)) {}

  void receive(const wire::Decoded& arrived, const std::shared_ptr<Sink>& answers) override {
    const auto* message = std::get_if<wire::Message>(&arrived);
    std::optional<Spoil> spoil;
    {
      const std::lock_guard lock(state_->mutex);
      state_->note_activity();
      ++state_->notes.requests;
      state_->note(arrived);
      if (message != nullptr && message->kind() == wire::MessageKind::kRequest) {
        spoil = state_->choose(message->method());
        const Operator* one = spoil ? find_operator(spoil->what) : nullptr;
        if (one != nullptr && one->reply != nullptr) state_->replies[id_of(*message)] = *spoil;
      }
    }
    if (message == nullptr || message->kind() != wire::MessageKind::kRequest) {
      return good_->receive(arrived, std::make_shared<Wire>(state_, answers));
    }
    good_->receive(arrived,
                   std::make_shared<Answers>(state_, answers, *message, canary_, std::move(spoil)));
  }
  std::optional<model::Revision> revision() const override { return good_->revision(); }
  void close() override { good_->close(); }

 private:
  const std::shared_ptr<State> state_;
  const std::string canary_;
  const std::shared_ptr<transport::ServerSession> good_;
};

SpoilingServer::SpoilingServer(model::Revision revision, bool is_http, SpoilPlan plan,
                               std::string canary)
    : revision_(revision),
      canary_(std::move(canary)),
      state_(std::make_shared<State>(std::move(plan), is_http, revision)),
      server_(hasty_options(revision)) {}

std::shared_ptr<transport::ServerSession> SpoilingServer::open(transport::WireKind wire,
                                                               std::shared_ptr<Sink> unrelated) {
  auto beside = std::make_shared<Wire>(state_, std::move(unrelated));
  return std::make_shared<Session>(state_, canary_, server_.open(wire, std::move(beside)));
}

std::optional<transport::HttpReply> SpoilingServer::turn_away(const transport::HttpHead& request,
                                                              std::string_view body) const {
  const std::lock_guard lock(state_->mutex);
  state_->note_activity();
  ++state_->notes.requests;
  // What is no JSON does not reach a session.
  const wire::Decoded arrived =
      request.method == "POST"
          ? wire::decode(body)
          : wire::Decoded(wire::DecodeError{wire::DecodeError::Kind::kEmpty, ""});
  const auto* error = std::get_if<wire::DecodeError>(&arrived);
  if (request.method == "POST" && error != nullptr) state_->note_ruin(error->detail);
  return std::nullopt;
}

void SpoilingServer::reply(const transport::HttpHead& request, std::string_view body,
                           transport::HttpReply& reply) const {
  const std::lock_guard lock(state_->mutex);
  state_->latest = Clock::now();
  std::optional<Spoil> spoil;
  if (request.method == "GET") {
    spoil = state_->choose("GET");
  } else if (request.method == "POST") {
    const wire::Decoded arrived = wire::decode(body);
    const auto* message = std::get_if<wire::Message>(&arrived);
    if (message == nullptr || message->kind() != wire::MessageKind::kRequest) return;
    const auto found = state_->replies.find(id_of(*message));
    if (found == state_->replies.end()) return;
    spoil = std::move(found->second);
    state_->replies.erase(found);
  }
  const Operator* one = spoil ? find_operator(spoil->what) : nullptr;
  if (one == nullptr || one->reply == nullptr) return;
  transport::HttpReply changed = reply;
  SpoiltReply spoilt{changed};
  model::Random random(spoil->seed);
  one->reply(spoilt, random);
  if (!state_->takes(spoilt.after)) return;
  reply = std::move(changed);
  state_->note_applied(*spoil, spoilt.after);
}

std::optional<SpoilingServer::Clock::time_point> SpoilingServer::last_activity() const {
  const std::lock_guard lock(state_->mutex);
  return state_->latest;
}

std::size_t SpoilingServer::requests() const {
  const std::lock_guard lock(state_->mutex);
  return state_->notes.requests;
}

bool SpoilingServer::may_wait() const {
  const std::lock_guard lock(state_->mutex);
  return state_->may_wait();
}

std::size_t SpoilingServer::sent_bytes() const {
  const std::lock_guard lock(state_->mutex);
  return state_->notes.sent_bytes;
}

ServerNotes SpoilingServer::notes() const {
  const std::lock_guard lock(state_->mutex);
  ServerNotes notes = state_->notes;
  notes.may_wait = state_->may_wait();
  return notes;
}

}  // namespace assay::fuzz
