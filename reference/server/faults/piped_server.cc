#include "reference/server/faults/piped_server.h"

#include <chrono>
#include <utility>

#include "reference/wire/message.h"

namespace assay::server {
namespace {

class PipeSink : public transport::Sink {
 public:
  explicit PipeSink(transport::Pipe& pipe) : pipe_(pipe) {}
  void send(transport::Outgoing message) override { pipe_.deliver(message.bytes); }
  void finish() override {}
  bool is_listened_to() const override { return true; }
  void disconnect(std::chrono::milliseconds) override {}
  void hang_up() override { pipe_.close_from_peer(); }

 private:
  transport::Pipe& pipe_;
};

}  // namespace

PipedServer::PipedServer(const Options& options, const Faults& faults,
                         transport::Observer& observer)
    : pipe_([this](std::string_view bytes) { session_->receive(wire::decode(bytes), sink_); },
            observer),
      sink_(std::make_shared<PipeSink>(pipe_)),
      server_(options),
      faulty_(server_, faults) {}

PipedServer::~PipedServer() {
  end_session();
}

std::optional<transport::Failure> PipedServer::open() {
  if (auto failure = pipe_.open()) return failure;
  // Like a process that starts: what it says first is heard.
  session_ = faulty_.open(transport::WireKind::kStdio, sink_);
  return std::nullopt;
}

transport::Lane PipedServer::send_raw(std::string_view bytes) {
  if (bytes.ends_with('\n')) bytes.remove_suffix(1);
  return pipe_.send_raw(bytes);
}

void PipedServer::close(transport::Deadline deadline) {
  end_session();
  pipe_.close(deadline);
}

void PipedServer::end_session() {
  if (session_) session_->close();
}

}  // namespace assay::server
