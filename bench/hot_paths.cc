#include "bench/hot_paths.h"

#include <array>
#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "bench/samples.h"
#include "harness/transcript/transcript.h"
#include "reference/server/server.h"
#include "reference/transport/server_transport.h"
#include "reference/wire/line_framer.h"
#include "reference/wire/message.h"
#include "reference/wire/sse.h"

namespace assay::bench {
namespace {

// As standard output takes answers: behind each other, to be written at once.
class GatheringSink : public transport::Sink {
 public:
  void send(transport::Outgoing message) override {
    if (buffer_.size() > kFlushBytes) buffer_.clear();
    buffer_ += message.bytes;
    buffer_ += '\n';
  }
  void finish() override {}
  bool is_listened_to() const override { return true; }
  void disconnect(std::chrono::milliseconds) override {}

 private:
  static constexpr std::size_t kFlushBytes = 64u << 10;
  std::string buffer_;
};

std::function<void()> decoding(Input input) {
  return [bytes = input()] {
    if (!std::holds_alternative<wire::Message>(wire::decode(bytes))) std::abort();
  };
}

std::function<void()> decode_ping() {
  return decoding(ping);
}

std::function<void()> decode_tools_call() {
  return decoding(tools_call);
}

// A chunk of 64 KiB, as a read of a busy pipe gives it.
std::function<void()> frame_lines() {
  std::string chunk;
  while (chunk.size() < (64u << 10)) chunk += tools_call() + "\n";
  auto lines = std::make_shared<std::size_t>(0);
  auto framer =
      std::make_shared<wire::LineFramer>([lines](const wire::LineFramer::Line&) { ++*lines; });
  return [chunk = std::move(chunk), framer] { framer->feed(chunk); };
}

std::function<void()> parse_event() {
  const std::string text =
      wire::SseWriter::event({.id = "12", .data = result_of_1_kib(), .has_data = true});
  auto bytes = std::make_shared<std::size_t>(0);
  auto parser = std::make_shared<wire::SseParser>(
      [bytes](const wire::SseEvent& event) { *bytes += event.data.size(); });
  return [text, parser] { parser->feed(text); };
}

// Bytes in, handler, bytes out: what a server over stdio does for a line.
std::function<void()> dispatching(std::string request) {
  struct Setting {
    server::Server server{server::Options{}};
    std::shared_ptr<GatheringSink> sink = std::make_shared<GatheringSink>();
    std::shared_ptr<transport::ServerSession> session =
        server.open(transport::WireKind::kStdio, sink);
  };
  auto setting = std::make_shared<Setting>();
  setting->session->receive(
      wire::decode(R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{)"
                   R"("protocolVersion":"2025-11-25","capabilities":{},)"
                   R"("clientInfo":{"name":"bench","version":"1"}}})"),
      setting->sink);
  return [setting, request = std::move(request)] {
    setting->session->receive(wire::decode(request), setting->sink);
  };
}

std::function<void()> dispatch_ping() {
  return dispatching(ping());
}

std::function<void()> dispatch_tools_call() {
  std::string request = tools_call();
  const std::string_view name = "search_files";
  return dispatching(request.replace(request.find(name), name.size(), "test_simple_text"));
}

// A transcript is bounded, so that it is started anew from time to time.
std::function<void()> append_to_transcript() {
  transport::Observation observation;
  observation.bytes = tools_call();
  auto transcript = std::make_shared<std::unique_ptr<harness::Transcript>>(
      std::make_unique<harness::Transcript>());
  auto count = std::make_shared<std::size_t>(0);
  return [observation, transcript, count] {
    constexpr std::size_t kEvents = 10'000;
    if (++*count % kEvents == 0) *transcript = std::make_unique<harness::Transcript>();
    (*transcript)->observe(observation);
  };
}

constexpr std::array<HotPath, 7> kHotPaths = {{
    {"decode_ping", decode_ping, 1},
    {"decode_tools_call", decode_tools_call, 1},
    {"frame_lines", frame_lines, 0},
    {"parse_event", parse_event, 3},
    {"dispatch_ping", dispatch_ping, 4},
    {"dispatch_tools_call", dispatch_tools_call, 87},
    {"append_to_transcript", append_to_transcript, 2},
}};

}  // namespace

std::span<const HotPath> hot_paths() {
  return kHotPaths;
}

}  // namespace assay::bench
