#include "reference/server/bugs/buggy_server.h"

#include <algorithm>
#include <utility>

#include "reference/transport/passing_sink.h"
#include "reference/wire/message.h"

namespace assay::server {
namespace {

using transport::Outgoing;
using transport::Sink;

class BuggySink : public transport::PassingSink {
 public:
  BuggySink(std::shared_ptr<Sink> to, const Bug& bug, std::shared_ptr<BugState> state, int session,
            std::optional<wire::Message> received)
      : PassingSink(std::move(to)),
        bug_(bug),
        state_(std::move(state)),
        session_(session),
        received_(std::move(received)) {}

  void send(Outgoing message) override {
    if (!bug_.departure) {
      PassingSink::send(std::move(message));
      return;
    }
    Departure departure(std::move(message.bytes), received_ ? &*received_ : nullptr);
    {
      const std::lock_guard lock(state_->mutex);
      bug_.departure(*state_, departure, session_);
    }
    for (std::string& bytes : departure.take()) {
      PassingSink::send({message.kind, std::move(bytes)});
    }
  }

 private:
  const Bug& bug_;
  const std::shared_ptr<BugState> state_;
  const int session_;
  const std::optional<wire::Message> received_;
};

class BuggySession : public transport::ServerSession {
 public:
  BuggySession(std::shared_ptr<transport::ServerSession> good, const Bug& bug,
               std::shared_ptr<BugState> state, int session)
      : good_(std::move(good)), bug_(bug), state_(std::move(state)), session_(session) {}

  void receive(const wire::Decoded& arrived, const std::shared_ptr<Sink>& answers) override {
    if (bug_.arrival) {
      const std::lock_guard lock(state_->mutex);
      if (bug_.arrival(*state_, arrived, *answers)) {
        answers->finish();
        return;
      }
    }
    const auto* message = std::get_if<wire::Message>(&arrived);
    good_->receive(arrived, std::make_shared<BuggySink>(
                                answers, bug_, state_, session_,
                                message == nullptr ? std::nullopt : std::optional(*message)));
  }
  std::optional<model::Revision> revision() const override { return good_->revision(); }
  void close() override { good_->close(); }

 private:
  const std::shared_ptr<transport::ServerSession> good_;
  const Bug& bug_;
  const std::shared_ptr<BugState> state_;
  const int session_;
};

}  // namespace

const std::vector<Bug>& all_bugs() {
  static const std::vector<Bug> kAll = [] {
    std::vector<Bug> all;
    for (std::vector<Bug> (*table)() : {crash_bugs, answer_bugs, argument_bugs, file_bugs,
                                        http_bugs, note_bugs, order_bugs, stateless_bugs}) {
      for (Bug& bug : table()) all.push_back(std::move(bug));
    }
    return all;
  }();
  return kAll;
}

const Bug* find_bug(std::string_view id) {
  const auto found = std::find_if(all_bugs().begin(), all_bugs().end(),
                                  [&](const Bug& bug) { return bug.id == id; });
  return found == all_bugs().end() ? nullptr : &*found;
}

std::shared_ptr<transport::ServerSession> BuggyServer::open_for(const std::string& user,
                                                                transport::WireKind wire,
                                                                std::shared_ptr<Sink> unrelated) {
  return std::make_shared<BuggySession>(good_.open_for(user, wire, std::move(unrelated)), bug_,
                                        state_, ++sessions_);
}

}  // namespace assay::server
