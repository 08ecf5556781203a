#include "reference/server/faults/faulty_server.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <utility>

namespace assay::server {
namespace {

using transport::Outgoing;
using transport::Sink;

}  // namespace

// Where each client of the server hears what relates to no request of its own.
class Everybody {
 public:
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
  std::mutex mutex_;  // guards sinks_
  std::vector<std::weak_ptr<Sink>> sinks_;
};

namespace {

// Lets the faults at what leaves. `received` is the message that gave rise to it, if one did.
class FaultySink : public Sink {
 public:
  FaultySink(std::shared_ptr<Sink> to, std::shared_ptr<const Faults> faults,
             std::shared_ptr<Everybody> everybody, std::optional<wire::Message> received)
      : to_(std::move(to)),
        faults_(std::move(faults)),
        everybody_(std::move(everybody)),
        received_(std::move(received)) {}

  void send(Outgoing message) override {
    const Json json = Json::parse(message.bytes, nullptr, false);
    if (message.kind == Outgoing::Kind::kNotification) has_told_ = true;
    if (json.is_array()) {
      send_batch(json, message.kind);
      return;
    }
    for (std::string& bytes : spoil(std::move(message.bytes), json)) {
      to_->send({message.kind, std::move(bytes)});
    }
  }
  void finish() override {
    const bool stays = std::any_of(faults_->begin(), faults_->end(),
                                   [](const Fault* fault) { return fault->leaves_streams_open; });
    if (!stays || !has_told_) to_->finish();
  }
  bool is_listened_to() const override { return to_->is_listened_to(); }
  void disconnect(std::chrono::milliseconds retry) override { to_->disconnect(retry); }
  void hang_up() override { to_->hang_up(); }

 private:
  void send_batch(Json batch, Outgoing::Kind kind) {
    bool is_split = false;
    for (const Fault* fault : *faults_) {
      if (fault->batch) fault->batch(batch);
      is_split =
          is_split || fault->splits_batches || (fault->unwraps_batches_of_one && batch.size() == 1);
    }
    std::string text;
    for (const Json& member : batch) {
      for (const std::string& bytes : spoil(wire::encode(member), member)) {
        if (is_split) {
          to_->send({kind, bytes});
        } else {
          text += (text.empty() ? "[" : ",") + bytes;
        }
      }
    }
    if (!text.empty()) to_->send({kind, text + "]"});
  }

  std::vector<std::string> spoil(std::string bytes, const Json& json) const {
    Departure departure(std::move(bytes), request_of(json));
    for (const Fault* fault : *faults_) {
      if (fault->departure) fault->departure(departure);
      if (fault->tells_everybody && fault->tells_everybody(departure)) {
        everybody_->send({Outgoing::Kind::kNotification, departure.text()});
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

  const std::shared_ptr<Sink> to_;
  const std::shared_ptr<const Faults> faults_;
  const std::shared_ptr<Everybody> everybody_;
  const std::optional<wire::Message> received_;
  std::atomic<bool> has_told_ = false;  // something besides answers was sent
};

class FaultySession : public transport::ServerSession {
 public:
  FaultySession(std::shared_ptr<transport::ServerSession> good,
                std::shared_ptr<const Faults> faults, std::shared_ptr<Everybody> everybody)
      : good_(std::move(good)), faults_(std::move(faults)), everybody_(std::move(everybody)) {}

  void receive(const wire::Decoded& arrived, const std::shared_ptr<Sink>& answers) override {
    const auto* message = std::get_if<wire::Message>(&arrived);
    for (const Fault* fault : *faults_) {
      if (!fault->ends_at || !fault->ends_at(arrived)) continue;
      answers->hang_up();
      answers->finish();
      return;
    }
    if (message) {
      Arrival arrival(*message, *answers);
      for (const Fault* fault : *faults_) {
        if (fault->arrival) fault->arrival(arrival);
      }
    }
    good_->receive(arrived,
                   std::make_shared<FaultySink>(answers, faults_, everybody_,
                                                message ? std::optional(*message) : std::nullopt));
  }
  std::optional<model::Revision> revision() const override { return good_->revision(); }
  void close() override { good_->close(); }

 private:
  const std::shared_ptr<transport::ServerSession> good_;
  const std::shared_ptr<const Faults> faults_;
  const std::shared_ptr<Everybody> everybody_;
};

}  // namespace

FaultyServer::FaultyServer(transport::SessionFactory& good, Faults faults)
    : good_(good),
      faults_(std::make_shared<const Faults>(std::move(faults))),
      everybody_(std::make_shared<Everybody>()) {}

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

std::shared_ptr<transport::ServerSession> FaultyServer::open(transport::WireKind wire,
                                                             std::shared_ptr<Sink> unrelated) {
  for (const Fault* fault : *faults_) {
    if (fault->opening) fault->opening(*unrelated);
  }
  everybody_->add(unrelated);
  return std::make_shared<FaultySession>(
      good_.open(wire, std::make_shared<FaultySink>(std::move(unrelated), faults_, everybody_,
                                                    std::nullopt)),
      faults_, everybody_);
}

bool FaultyConduct::does(transport::HttpDuty duty) const {
  return std::none_of(faults_.begin(), faults_.end(),
                      [&](const Fault* fault) { return fault->neglects == duty; });
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
