// A sink in front of another one: whatever a class derived from it does not change passes as it is.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <utility>

#include "reference/transport/server_transport.h"

namespace assay::transport {

class PassingSink : public Sink {
 public:
  explicit PassingSink(std::shared_ptr<Sink> to) : to_(std::move(to)) {}

  void send(Outgoing message) override { to_->send(std::move(message)); }
  void finish() override { to_->finish(); }
  bool is_listened_to() const override { return to_->is_listened_to(); }
  bool can_ask() const override { return to_->can_ask(); }
  void disconnect(std::chrono::milliseconds retry) override { to_->disconnect(retry); }
  void hang_up() override { to_->hang_up(); }
  std::string credentials() const override { return to_->credentials(); }

 private:
  const std::shared_ptr<Sink> to_;
};

}  // namespace assay::transport
