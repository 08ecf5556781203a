// A server of a few lines in this process, each conversation with it being a life of its own.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "fuzz/live/target/text.h"
#include "harness/script/link.h"
#include "reference/transport/pipe.h"
#include "reference/wire/compose.h"
#include "reference/wire/message.h"

namespace assay::fuzz {

// One life of the server. Answers `initialize` and `ping`, and everything else with an empty
// result, unless `conduct` says otherwise.
class PipeLife {
 public:
  // Called with each line and, if it is one, the message in it. True if nothing more is to be done.
  using Conduct = std::function<bool(PipeLife&, std::string_view line, const wire::Message*)>;

  explicit PipeLife(Conduct conduct) : conduct_(std::move(conduct)) {}

  int mood = 0;  // what `conduct` remembers of this life

  void connect(transport::Pipe& pipe) { pipe_ = &pipe; }
  void say(std::string_view line) { pipe_->deliver(line); }
  void die() { pipe_->close_from_peer(); }
  void answer(const wire::Message& request, const Json& result) {
    say(wire::encode_result(*request.id(), result));
  }
  void hear(std::string_view bytes) {
    for_each_line(bytes, [&](std::string_view line) { hear_line(line); });
  }

 private:
  void hear_line(std::string_view line) {
    const wire::Decoded decoded = wire::decode(line);
    const auto* message = std::get_if<wire::Message>(&decoded);
    if (conduct_ && conduct_(*this, line, message)) return;
    if (message == nullptr || message->kind() != wire::MessageKind::kRequest) return;
    if (!message->id() || !message->id()->is_valid()) return;
    if (message->method() != "initialize") {
      answer(*message, Json::object());
      return;
    }
    answer(*message, {{"protocolVersion", "2025-11-25"},
                      {"capabilities", {{"tools", Json::object()}}},
                      {"serverInfo", {{"name", "pipe"}, {"version", "1"}}}});
  }

  Conduct conduct_;
  transport::Pipe* pipe_ = nullptr;
};

inline harness::TargetAccess over_pipe(PipeLife::Conduct conduct) {
  harness::TargetAccess access;
  access.connect = [conduct = std::move(conduct)](transport::Observer& observer) {
    auto life = std::make_shared<PipeLife>(conduct);
    auto pipe = std::make_unique<transport::Pipe>(
        [life](std::string_view bytes) { life->hear(bytes); }, observer);
    life->connect(*pipe);
    harness::Link link;
    link.transport = std::move(pipe);
    return link;
  };
  access.shell_form = "pipe";
  return access;
}

}  // namespace assay::fuzz
