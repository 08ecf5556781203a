#include "reference/server/faults/faulty_server.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <utility>

#include "reference/transport/passing_sink.h"
#include "reference/wire/compose.h"
#include "reference/wire/message.h"

namespace assay::server {
namespace {

using transport::Outgoing;
using transport::Sink;

// Where what is said for another session goes.
class Nowhere : public Sink {
 public:
  void send(Outgoing) override {}
  void finish() override {}
  bool is_listened_to() const override { return false; }
  void disconnect(std::chrono::milliseconds) override {}
  void hang_up() override {}
};

}  // namespace

// The sessions of the server, and where each client hears what relates to no request of its own.
class Everybody {
 public:
  void add(const std::shared_ptr<transport::ServerSession>& session) {
    const std::lock_guard lock(mutex_);
    std::erase_if(sessions_, [](const auto& weak) { return weak.expired(); });
    sessions_.push_back(session);
  }
  // All but the one that was sent it itself.
  void hear(const wire::Decoded& message, const transport::ServerSession& but) {
    std::vector<std::shared_ptr<transport::ServerSession>> sessions;
    {
      const std::lock_guard lock(mutex_);
      for (const auto& weak : sessions_) {
        if (auto session = weak.lock()) sessions.push_back(std::move(session));
      }
    }
    const auto nowhere = std::make_shared<Nowhere>();
    for (const auto& session : sessions) {
      if (session.get() != &but) session->receive(message, nowhere);
    }
  }
  void add(const std::shared_ptr<Sink>& sink) {
    const std::lock_guard lock(mutex_);
    std::erase_if(sinks_, [](const auto& weak) { return weak.expired(); });
    sinks_.push_back(sink);
  }
  void send(const Outgoing& message) {
    std::vector<std::shared_ptr<Sink>> sinks;
    {
      const std::lock_guard lock(mutex_);
      for (const auto& weak : sinks_) {
        if (auto sink = weak.lock()) sinks.push_back(std::move(sink));
      }
    }
    for (const auto& sink : sinks) sink->send(message);
  }

 private:
  std::mutex mutex_;  // guards sinks_ and sessions_
  std::vector<std::weak_ptr<Sink>> sinks_;
  std::vector<std::weak_ptr<transport::ServerSession>> sessions_;
};

// What the faults of a server remember.
class Memories {
 public:
  // Calls `use` with the memory of the connection whose own part `of_connection` is.
  template <typename Use>
  void with(Json& of_connection, const Use& use) {
    const std::lock_guard lock(mutex_);
    FaultMemory memory{of_server_, of_connection};
    use(memory);
  }

 private:
  std::mutex mutex_;  // guards of_server_, and what connections have
  Json of_server_ = Json::object();
};

// What is said by itself, some time after what gave rise to it.
class Afterthoughts {
 public:
  ~Afterthoughts() {
    {
      const std::lock_guard lock(mutex_);
      is_over_ = true;
    }
    changed_.notify_all();
    if (thread_.joinable()) thread_.join();
  }
  void add(const std::shared_ptr<Sink>& to, const Json& message) {
    const bool is_request = message.contains("method") && message.contains("id");
    const Outgoing::Kind kind = is_request                   ? Outgoing::Kind::kRequest
                                : message.contains("method") ? Outgoing::Kind::kNotification
                                                             : Outgoing::Kind::kResponse;
    const std::lock_guard lock(mutex_);
    thoughts_.push_back({Clock::now() + kPause, to, {kind, wire::encode(message)}});
    if (!thread_.joinable()) thread_ = std::thread([this] { tell(); });
    changed_.notify_all();
  }

 private:
  using Clock = std::chrono::steady_clock;
  // Longer than most of what is done in a session takes.
  static constexpr std::chrono::milliseconds kPause{250};
  struct Thought {
    Clock::time_point due;
    std::weak_ptr<Sink> to;
    Outgoing message;
  };

  void tell() {
    std::unique_lock lock(mutex_);
    while (!is_over_) {
      if (thoughts_.empty()) {
        changed_.wait(lock);
      } else if (Clock::now() < thoughts_.front().due) {
        changed_.wait_until(lock, thoughts_.front().due);
      } else {
        Thought next = std::move(thoughts_.front());
        thoughts_.pop_front();
        lock.unlock();
        if (const auto sink = next.to.lock()) sink->send(std::move(next.message));
        lock.lock();
      }
    }
  }

  std::mutex mutex_;  // guards thoughts_ and is_over_
  std::condition_variable changed_;
  std::deque<Thought> thoughts_;
  bool is_over_ = false;
  std::thread thread_;
};

// What one client of the server shares with all of them.
struct Surroundings {
  std::shared_ptr<const Faults> faults;
  std::shared_ptr<Everybody> everybody;
  std::shared_ptr<Memories> memories;
  std::shared_ptr<Afterthoughts> afterthoughts;
  std::shared_ptr<Json> of_connection = std::make_shared<Json>(Json::object());
};

namespace {

// Lets the faults at what leaves. `received` is the message that gave rise to it, if one did.
class FaultySink : public transport::PassingSink {
 public:
  FaultySink(std::shared_ptr<Sink> to, Surroundings around, std::optional<wire::Message> received)
      : PassingSink(std::move(to)), around_(std::move(around)), received_(std::move(received)) {}

  void send(Outgoing message) override {
    const Json json = Json::parse(message.bytes, nullptr, false);
    if (message.kind == Outgoing::Kind::kNotification) has_told_ = true;
    if (json.is_array()) {
      send_batch(json, message.kind);
      return;
    }
    for (std::string& bytes : spoil(std::move(message.bytes), json)) {
      PassingSink::send({message.kind, std::move(bytes)});
    }
  }
  void finish() override {
    const bool stays = std::any_of(around_.faults->begin(), around_.faults->end(),
                                   [](const Fault* fault) { return fault->leaves_streams_open; });
    if (!stays || !has_told_) PassingSink::finish();
  }

 private:
  void send_batch(Json batch, Outgoing::Kind kind) {
    bool is_split = false;
    for (const Fault* fault : *around_.faults) {
      if (fault->batch) fault->batch(batch);
      is_split =
          is_split || fault->splits_batches || (fault->unwraps_batches_of_one && batch.size() == 1);
    }
    std::string text;
    for (const Json& member : batch) {
      for (const std::string& bytes : spoil(wire::encode(member), member)) {
        if (is_split) {
          PassingSink::send({kind, bytes});
        } else {
          text += (text.empty() ? "[" : ",") + bytes;
        }
      }
    }
    if (!text.empty()) PassingSink::send({kind, text + "]"});
  }

  std::vector<std::string> spoil(std::string bytes, const Json& json) const {
    Departure departure(std::move(bytes), request_of(json));
    if (!is_listened_to()) departure.note_unheard();
    for (const Fault* fault : *around_.faults) {
      if (fault->departure) fault->departure(departure);
      if (fault->recollection) {
        around_.memories->with(*around_.of_connection, [&](FaultMemory& memory) {
          fault->recollection(departure, memory);
        });
      }
      if (fault->tells_everybody && fault->tells_everybody(departure)) {
        around_.everybody->send({Outgoing::Kind::kNotification, departure.text()});
      }
    }
    return departure.take();
  }

  const wire::Message* request_of(const Json& json) const {
    const bool is_response = json.is_object() && !json.contains("method") && json.contains("id");
    if (!received_ || !is_response) return nullptr;
    const wire::Id id = wire::Id::from_json_text(wire::encode(json["id"]));
    if (received_->id() && *received_->id() == id) return &*received_;
    for (const wire::Message& member : received_->members()) {
      if (member.id() && *member.id() == id) return &member;
    }
    return nullptr;
  }

  const Surroundings around_;
  const std::optional<wire::Message> received_;
  std::atomic<bool> has_told_ = false;  // something besides answers was sent
};

class FaultySession : public transport::ServerSession {
 public:
  // `aside`: where it says what relates to no request.
  FaultySession(std::shared_ptr<transport::ServerSession> good, Surroundings around,
                std::shared_ptr<Sink> aside)
      : good_(std::move(good)), around_(std::move(around)), aside_(std::move(aside)) {}

  void receive(const wire::Decoded& arrived, const std::shared_ptr<Sink>& answers) override {
    const auto* message = std::get_if<wire::Message>(&arrived);
    for (const Fault* fault : *around_.faults) {
      if (!fault->ends_at || !fault->ends_at(arrived)) continue;
      answers->hang_up();
      answers->finish();
      return;
    }
    if (message) {
      Arrival arrival(*message, *answers);
      for (const Fault* fault : *around_.faults) {
        if (fault->arrival) fault->arrival(arrival);
        if (fault->afterthought) {
          const Json more = fault->afterthought(*message);
          if (!more.is_null()) around_.afterthoughts->add(aside_, more);
        }
        if (fault->heard_by_everybody && fault->heard_by_everybody(*message)) {
          around_.everybody->hear(arrived, *good_);
        }
      }
    }
    good_->receive(message ? taken_in(*message) : arrived,
                   std::make_shared<FaultySink>(answers, around_,
                                                message ? std::optional(*message) : std::nullopt));
  }
  std::optional<model::Revision> revision() const override { return good_->revision(); }
  void close() override { good_->close(); }

 private:
  // What the server sees of a message.
  wire::Decoded taken_in(const wire::Message& message) const {
    const bool is_read = (message.kind() == wire::MessageKind::kRequest ||
                          message.kind() == wire::MessageKind::kNotification) &&
                         std::any_of(around_.faults->begin(), around_.faults->end(),
                                     [](const Fault* fault) { return fault->intake != nullptr; });
    if (!is_read) return message;
    Json request = message.json();
    for (const Fault* fault : *around_.faults) {
      if (!fault->intake) continue;
      around_.memories->with(*around_.of_connection,
                             [&](FaultMemory& memory) { fault->intake(request, memory); });
    }
    if (request == message.json()) return message;
    return wire::decode(wire::encode(request));
  }

  const std::shared_ptr<transport::ServerSession> good_;
  const Surroundings around_;
  const std::shared_ptr<Sink> aside_;
};

}  // namespace

FaultyServer::FaultyServer(transport::SessionFactory& good, Faults faults)
    : good_(good),
      faults_(std::make_shared<const Faults>(std::move(faults))),
      everybody_(std::make_shared<Everybody>()),
      memories_(std::make_shared<Memories>()),
      afterthoughts_(std::make_shared<Afterthoughts>()) {}

std::variant<Faults, std::string> select_faults(const std::vector<std::string>& ids) {
  Faults faults;
  for (const std::string& id : ids) {
    const Fault* fault = find_fault(id);
    if (!fault) return id;
    faults.push_back(fault);
  }
  return faults;
}

void turn_switches(const Faults& faults, Options& options) {
  for (const Fault* fault : faults) {
    if (fault->inside) options.switches.set(static_cast<std::size_t>(*fault->inside));
  }
}

std::vector<transport::TokenDuty> overlooked(const Faults& faults) {
  std::vector<transport::TokenDuty> duties;
  for (const Fault* fault : faults) {
    if (fault->overlooks) duties.push_back(*fault->overlooks);
  }
  return duties;
}

std::shared_ptr<transport::ServerSession> FaultyServer::open_for(const std::string& user,
                                                                 transport::WireKind wire,
                                                                 std::shared_ptr<Sink> unrelated) {
  for (const Fault* fault : *faults_) {
    if (fault->opening) fault->opening(*unrelated);
  }
  everybody_->add(unrelated);
  const Surroundings around{faults_, everybody_, memories_, afterthoughts_};
  auto good =
      good_.open_for(user, wire, std::make_shared<FaultySink>(unrelated, around, std::nullopt));
  everybody_->add(good);
  return std::make_shared<FaultySession>(std::move(good), around, std::move(unrelated));
}

bool FaultyConduct::does(transport::HttpDuty duty) const {
  return std::none_of(faults_.begin(), faults_.end(),
                      [&](const Fault* fault) { return fault->neglects == duty; });
}

std::optional<transport::HttpHead> FaultyConduct::mishears(const transport::HttpHead& request,
                                                           std::string_view body) const {
  std::optional<transport::HttpHead> misheard;
  for (const Fault* fault : faults_) {
    if (!fault->mishears) continue;
    if (!misheard) misheard = request;
    fault->mishears(Json::parse(body, nullptr, false), *misheard);
  }
  return misheard;
}

std::optional<transport::HttpReply> FaultyConduct::turn_away(const transport::HttpHead& request,
                                                             std::string_view body) const {
  if (!office_) return std::nullopt;
  const std::optional<transport::HttpHead> misheard = mishears(request, body);
  auto answer = office_(misheard ? *misheard : request, body);
  if (answer) reply(request, body, *answer);
  return answer;
}

void FaultyConduct::reply(const transport::HttpHead& request, std::string_view body,
                          transport::HttpReply& reply) const {
  for (const Fault* fault : faults_) {
    if (fault->reply) fault->reply(request, body, reply);
  }
}

void FaultyConduct::event(wire::SseEvent& event) const {
  for (const Fault* fault : faults_) {
    if (fault->event) fault->event(event);
  }
}

std::string FaultyConduct::session_id(std::string id) const {
  for (const Fault* fault : faults_) {
    if (fault->session_id) id = fault->session_id(std::move(id));
  }
  return id;
}

}  // namespace assay::server
