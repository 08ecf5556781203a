#include "scenarios/reference_target_testing.h"

#include <memory>
#include <utility>

#include "reference/server/server.h"
#include "reference/transport/pipe.h"
#include "reference/wire/message.h"

namespace assay::scenarios {
namespace {

class PipeSink : public transport::Sink {
 public:
  explicit PipeSink(transport::Pipe& pipe) : pipe_(pipe) {}
  void send(transport::Outgoing message) override { pipe_.deliver(message.bytes); }
  void finish() override {}
  bool is_listened_to() const override { return true; }
  void disconnect(std::chrono::milliseconds) override {}

 private:
  transport::Pipe& pipe_;
};

// A pipe with a server of its own behind it.
class ReferencePipe : public transport::ClientTransport {
 public:
  ReferencePipe(const server::Options& options, transport::Observer& observer)
      : pipe_([this](std::string_view bytes) { session_->receive(wire::decode(bytes), sink_); },
              observer),
        sink_(std::make_shared<PipeSink>(pipe_)),
        server_(std::make_unique<server::Server>(options)),
        session_(server_->open(transport::WireKind::kStdio, sink_)) {}
  ~ReferencePipe() override { session_->close(); }

  std::optional<transport::Failure> open() override { return pipe_.open(); }
  transport::Lane send(std::string_view message) override { return pipe_.send(message); }
  transport::Lane send_raw(std::string_view bytes) override {
    if (bytes.ends_with('\n')) bytes.remove_suffix(1);
    return pipe_.send_raw(bytes);
  }
  void close(transport::Deadline deadline) override {
    session_->close();
    pipe_.close(deadline);
  }

 private:
  transport::Pipe pipe_;
  std::shared_ptr<PipeSink> sink_;
  std::unique_ptr<server::Server> server_;
  std::shared_ptr<transport::ServerSession> session_;
};

}  // namespace

harness::TargetAccess reference_over_pipe(const server::Options& options) {
  harness::TargetAccess access;
  access.kind = harness::TransportKind::kStdio;
  access.connect = [options](transport::Observer& observer) {
    harness::Link link;
    link.transport = std::make_unique<ReferencePipe>(options, observer);
    return link;
  };
  return access;
}

}  // namespace assay::scenarios
