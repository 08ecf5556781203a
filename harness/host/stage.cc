#include "harness/host/stage.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "reference/transport/passing_sink.h"
#include "reference/transport/signals.h"
#include "reference/wire/compose.h"
#include "reference/wire/message.h"

namespace assay::harness {
namespace {

using Clock = std::chrono::steady_clock;
using transport::Outgoing;
using transport::Sink;

// What a tool of the reference server's takes its time for tells nothing of a client.
constexpr std::chrono::milliseconds kLongestWait{20};
// Between two times that the same is said again.
constexpr std::chrono::milliseconds kPulse{50};
// What the answer to initialize waits for where it is held back. It never comes.
constexpr const char* kHeldOpening = "\"assay-opening\"";

Outgoing::Kind kind_of(const std::string& bytes) {
  const wire::Decoded decoded = wire::decode(bytes);
  const auto* message = std::get_if<wire::Message>(&decoded);
  if (message == nullptr) return Outgoing::Kind::kNotification;
  return message->kind() == wire::MessageKind::kRequest ? Outgoing::Kind::kRequest
                                                        : Outgoing::Kind::kNotification;
}

}  // namespace

server::Options hosted_options(model::Revision revision) {
  server::Options options;
  options.longest_wait = kLongestWait;
  options.revisions.clear();
  options.stateless_revisions.clear();
  (revision.has_handshake() ? options.revisions : options.stateless_revisions) = {revision};
  return options;
}

// Lets the play change results.
class Stage::AmendingSink : public transport::PassingSink {
 public:
  AmendingSink(Stage& stage, std::shared_ptr<Sink> to, wire::Message request)
      : PassingSink(std::move(to)), stage_(stage), request_(std::move(request)) {}

  void send(Outgoing message) override {
    if (message.kind == Outgoing::Kind::kResponse) amend(message.bytes);
    PassingSink::send(std::move(message));
  }

 private:
  void amend(std::string& bytes) {
    // Our own reference server's.
    Json json = Json::parse(bytes, nullptr, false);
    if (!json.is_object() || !json.contains("result") || !request_.id()) return;
    const Json before = json["result"];
    stage_.amend(request_, json["result"]);
    if (json["result"] != before) bytes = wire::encode_result(*request_.id(), json["result"]);
  }

  Stage& stage_;
  const wire::Message request_;
};

class Stage::Session : public transport::ServerSession {
 public:
  Session(Stage& stage, std::shared_ptr<ServerSession> good, std::shared_ptr<Sink> unrelated)
      : stage_(stage), good_(std::move(good)), unrelated_(std::move(unrelated)) {}

  void receive(const wire::Decoded& arrived, const std::shared_ptr<Sink>& answers) override {
    stage_.receive(arrived, answers, good_, unrelated_);
  }
  std::optional<model::Revision> revision() const override { return good_->revision(); }
  void close() override { good_->close(); }

 private:
  Stage& stage_;
  const std::shared_ptr<ServerSession> good_;
  const std::shared_ptr<Sink> unrelated_;
};

Stage::Stage(Play& play, model::Revision revision, std::chrono::milliseconds patience,
             std::string trap)
    : Stage(play, hosted_options(revision), patience, std::move(trap)) {}

Stage::Stage(Play& play, const server::Options& options, std::chrono::milliseconds patience,
             std::string trap)
    : revision_(options.all_revisions().back()),
      patience_(patience),
      trap_(std::move(trap)),
      play_(play),
      server_(options),
      thread_([this] { let_go_late(); }) {}

Stage::~Stage() {
  {
    const std::lock_guard lock(mutex_);
    is_over_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

std::shared_ptr<transport::ServerSession> Stage::open(transport::WireKind wire,
                                                      std::shared_ptr<Sink> unrelated) {
  if (wire == transport::WireKind::kStdio) {
    const std::lock_guard lock(play_mutex_);
    play_.on_start();
  }
  return std::make_shared<Session>(*this, server_.open(wire, unrelated), unrelated);
}

std::optional<transport::HttpReply> Stage::turn_away(const transport::HttpHead& request,
                                                     std::string_view body) const {
  const std::lock_guard lock(play_mutex_);
  return play_.on_request(request, body);
}

std::optional<transport::HttpHead> Stage::mishears(const transport::HttpHead& request,
                                                   std::string_view /*body*/) const {
  const std::lock_guard lock(play_mutex_);
  return play_.on_head(request);
}

void Stage::event(wire::SseEvent& event) const {
  const std::lock_guard lock(play_mutex_);
  play_.on_event(event);
}

std::optional<std::string> Stage::begin(const Venue& venue) {
  const std::lock_guard lock(play_mutex_);
  return play_.begin(venue);
}

std::string_view Stage::log() const {
  const std::lock_guard lock(play_mutex_);
  return play_.log();
}

void Stage::note_input_end() {
  const std::lock_guard lock(play_mutex_);
  play_.on_input_end();
}

void Stage::note_signal(int signal) {
  const std::lock_guard lock(play_mutex_);
  play_.on_signal(signal);
}

void Stage::note_client_end() {
  const std::lock_guard lock(play_mutex_);
  play_.on_client_end();
}

void Stage::reply(const transport::HttpHead& request, std::string_view body,
                  transport::HttpReply& reply) const {
  const std::lock_guard lock(play_mutex_);
  play_.on_reply(request, body, reply);
}

void Stage::receive(const wire::Decoded& arrived, const std::shared_ptr<Sink>& answers,
                    const std::shared_ptr<transport::ServerSession>& good,
                    const std::shared_ptr<Sink>& unrelated) {
  const auto* message = std::get_if<wire::Message>(&arrived);
  if (message == nullptr || message->kind() == wire::MessageKind::kBatch) {
    if (message != nullptr) note_answers(*message);
    return good->receive(arrived, answers);
  }
  Visit visit(*message, revision_, trap_);
  {
    const std::lock_guard lock(play_mutex_);
    play_.on_message(visit);
  }
  note_answers(*message);
  Visit::Outcome outcome = visit.take();
  if (outcome.has_crashed) return answers->hang_up();
  note_settled({outcome.settled.begin(), outcome.settled.end()});
  // What relates to no request has no stream of its own.
  const bool is_request = message->kind() == wire::MessageKind::kRequest;
  if (opening_.count() > 0 && is_request && message->method() == "initialize") {
    outcome.steps.insert(outcome.steps.begin(), {{}, {kHeldOpening}, nullptr, nullptr, opening_});
  }
  go_on({{std::make_move_iterator(outcome.steps.begin()),
          std::make_move_iterator(outcome.steps.end())},
         {},
         {},
         good,
         std::move(outcome.answer),
         outcome.is_rejected,
         *message,
         answers,
         is_request ? answers : unrelated});
}

void Stage::go_on(Held held) {
  while (!held.more.empty()) {
    const Visit::Step step = std::move(held.more.front());
    held.more.pop_front();
    if (step.speak) {
      Visit visit(held.message, revision_, trap_);
      {
        const std::lock_guard lock(play_mutex_);
        step.speak(visit);
      }
      std::vector<Visit::Step> steps = visit.take().steps;
      held.more.insert(held.more.begin(), std::make_move_iterator(steps.begin()),
                       std::make_move_iterator(steps.end()));
      continue;
    }
    const std::shared_ptr<Sink> where = held.where;
    const bool waits = !step.asked.empty();
    if (waits) {
      held.awaited = {step.asked.begin(), step.asked.end()};
      held.until = Clock::now() + step.at_most.value_or(patience_);
      held.again = step.again;
      held.next = step.again ? Clock::now() + kPulse : Clock::time_point::max();
      // In its place before anybody can answer.
      const std::lock_guard lock(mutex_);
      held.number = ++last_held_;
      held_.push_back(std::move(held));
    }
    for (const std::string& bytes : step.said) where->send({kind_of(bytes), bytes});
    if (waits) {
      changed_.notify_all();
      return;
    }
  }
  release(std::move(held));
}

// Of a batch, those of its members.
void Stage::note_answers(const wire::Message& message) {
  std::set<std::string> ids;
  const auto note = [&](const wire::Message& one) {
    const bool is_answer =
        one.kind() == wire::MessageKind::kResult || one.kind() == wire::MessageKind::kError;
    if (is_answer && one.id()) ids.insert(one.id()->json_text());
  };
  note(message);
  if (message.kind() == wire::MessageKind::kBatch) {
    std::for_each(message.members().begin(), message.members().end(), note);
  }
  note_settled(ids);
}

void Stage::note_settled(const std::set<std::string>& ids) {
  if (ids.empty()) return;
  std::vector<Held> free;
  {
    const std::lock_guard lock(mutex_);
    for (Held& each : held_) {
      std::erase_if(each.awaited, [&](const std::string& id) { return ids.contains(id); });
    }
    const auto first = std::stable_partition(
        held_.begin(), held_.end(), [](const Held& each) { return !each.awaited.empty(); });
    std::move(first, held_.end(), std::back_inserter(free));
    held_.erase(first, held_.end());
  }
  if (free.empty()) return;
  {
    // A pulse that has begun comes before the answer, never after it.
    const std::lock_guard lock(pulse_mutex_);
  }
  for (Held& each : free) go_on(std::move(each));
}

void Stage::release(Held held) {
  if (held.answer) {
    const auto kind = held.is_rejected ? Outgoing::Kind::kRefusal : Outgoing::Kind::kResponse;
    held.sink->send({kind, *std::move(held.answer)});
    held.sink->finish();
    return;
  }
  held.good->receive(held.message, std::make_shared<AmendingSink>(*this, held.sink, held.message));
}

void Stage::pulse(int number) {
  const std::lock_guard saying(pulse_mutex_);
  std::string said;
  std::shared_ptr<Sink> where;
  {
    const std::lock_guard lock(mutex_);
    const auto held = std::find_if(held_.begin(), held_.end(),
                                   [&](const Held& each) { return each.number == number; });
    if (held == held_.end()) return;
    said = wire::encode(held->again(held->said_again++));
    where = held->where;
  }
  where->send({Outgoing::Kind::kNotification, said});
}

void Stage::let_go_late() {
  transport::take_no_signals();
  const auto due = [](const Held& held) { return std::min(held.until, held.next); };
  std::unique_lock lock(mutex_);
  while (!is_over_) {
    const auto soonest = std::min_element(
        held_.begin(), held_.end(), [&](const Held& a, const Held& b) { return due(a) < due(b); });
    if (soonest == held_.end()) {
      changed_.wait(lock);
      continue;
    }
    const Clock::time_point until = due(*soonest);
    if (Clock::now() < until) {
      changed_.wait_until(lock, until);
      continue;
    }
    if (soonest->next < soonest->until) {
      const int number = soonest->number;
      soonest->next = Clock::now() + kPulse;
      lock.unlock();
      pulse(number);
      lock.lock();
      continue;
    }
    Held late = std::move(*soonest);
    held_.erase(soonest);
    lock.unlock();
    release(std::move(late));
    lock.lock();
  }
}

void Stage::amend(const wire::Message& request, Json& result) {
  const std::lock_guard lock(play_mutex_);
  play_.on_result(request, result);
}

}  // namespace assay::harness
