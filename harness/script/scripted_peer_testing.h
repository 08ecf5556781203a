// A target that says just what a test tells it to, over a pipe.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "harness/script/handshake_connection.h"
#include "harness/script/link.h"
#include "reference/transport/pipe.h"
#include "reference/wire/compose.h"
#include "reference/wire/message.h"

namespace assay::harness {

// Called with each message that the harness sends; `say` sends one back.
using PeerBehaviour =
    std::function<void(const wire::Message& message, const std::function<void(std::string)>& say)>;

// Answers `initialize` for any revision, and ping; everything else goes to `behaviour`.
inline TargetAccess scripted_target(PeerBehaviour behaviour, Json capabilities = Json::object()) {
  TargetAccess access;
  access.kind = TransportKind::kStdio;
  access.connect = [behaviour, capabilities](transport::Observer& observer) {
    auto pipe = std::make_shared<transport::Pipe*>(nullptr);
    const auto say = [pipe](std::string text) { (*pipe)->deliver(text); };
    auto wire = std::make_unique<transport::Pipe>(
        [behaviour, capabilities, say](std::string_view bytes) {
          const auto decoded = wire::decode(bytes);
          const auto* message = std::get_if<wire::Message>(&decoded);
          if (message == nullptr) return;
          if (message->method() == "initialize") {
            say(wire::encode(wire::make_result(
                *message->id(), {{"protocolVersion", message->params()["protocolVersion"]},
                                 {"capabilities", capabilities},
                                 {"serverInfo", {{"name", "scripted"}, {"version", "1"}}}})));
          } else if (message->method() == "ping") {
            say(wire::encode(wire::make_result(*message->id(), Json::object())));
          } else {
            behaviour(*message, say);
          }
        },
        observer);
    *pipe = wire.get();
    Link link;
    link.transport = std::move(wire);
    return link;
  };
  return access;
}

}  // namespace assay::harness
