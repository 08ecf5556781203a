// A target that says just what a test tells it to, over a pipe.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "harness/script/handshake_connection.h"
#include "harness/script/link.h"
#include "reference/transport/pipe.h"
#include "reference/wire/compose.h"
#include "reference/wire/message.h"

namespace assay::harness {

// Called with what the harness writes, and with the pipe that takes what comes back.
inline TargetAccess piped_target(std::function<void(std::string_view, transport::Pipe&)> hears) {
  TargetAccess access;
  access.kind = TransportKind::kStdio;
  access.connect = [hears = std::move(hears)](transport::Observer& observer) {
    auto self = std::make_shared<transport::Pipe*>(nullptr);
    auto pipe = std::make_unique<transport::Pipe>(
        [hears, self](std::string_view bytes) { hears(bytes, **self); }, observer);
    *self = pipe.get();
    Link link;
    link.transport = std::move(pipe);
    return link;
  };
  return access;
}

// Called with each message that the harness sends; `say` sends one back.
using PeerBehaviour =
    std::function<void(const wire::Message& message, const std::function<void(std::string)>& say)>;

// Answers `initialize` for any revision, and ping; everything else goes to `behaviour`.
inline TargetAccess scripted_target(PeerBehaviour behaviour, Json capabilities = Json::object()) {
  return piped_target([behaviour = std::move(behaviour), capabilities = std::move(capabilities)](
                          std::string_view bytes, transport::Pipe& pipe) {
    const auto decoded = wire::decode(bytes);
    const auto* message = std::get_if<wire::Message>(&decoded);
    if (message == nullptr) return;
    const auto say = [&pipe](std::string text) { pipe.deliver(text); };
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
  });
}

}  // namespace assay::harness
