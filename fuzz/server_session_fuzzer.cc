// Any lines into the reference server: it never crashes, leaks or hangs, everything it says is a
// valid message, and each request is answered exactly once (unless it was cancelled).
//
// The first byte: bit 7 set, the lines begin a session themselves; otherwise it has begun in the
// revision that bits 0 and 1 choose. Bit 6 set: tools that take their time are given some.
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz/answer_check.h"
#include "fuzz/fuzzing.h"
#include "fuzz/message_mutator.h"
#include "reference/server/server.h"
#include "reference/wire/message.h"

namespace {

using assay::Json;
using assay::fuzz::AnswerCheck;
using assay::fuzz::require;
using namespace assay::transport;
using namespace std::chrono_literals;
namespace model = assay::model;
namespace wire = assay::wire;

constexpr std::uint8_t kBare = 0x80;
constexpr std::uint8_t kPatient = 0x40;
constexpr std::size_t kMostLines = 64;
constexpr auto kHang = 10s;  // what is answered at once takes less, sanitizers and all

// What relates to no request.
class Unrelated : public Sink {
 public:
  void send(Outgoing message) override {
    require(message.kind == Outgoing::Kind::kNotification, "only notifications relate to nothing");
    const std::lock_guard lock(mutex_);
    texts_.push_back(std::move(message.bytes));
  }
  void finish() override { require(false, "a session's own sink is never finished with"); }
  bool is_listened_to() const override { return true; }
  void disconnect(std::chrono::milliseconds) override {}

  void check(model::Revision revision) {
    const std::lock_guard lock(mutex_);
    for (const std::string& text : texts_) {
      assay::fuzz::check_server_message(revision, text, std::nullopt);
    }
  }

 private:
  std::mutex mutex_;  // guards texts_
  std::vector<std::string> texts_;
};

assay::server::Options options() {
  assay::server::Options options;
  options.page_size = 3;
  options.client_timeout = 1ms;
  options.poll_interval = 1ms;
  options.longest_wait = 0ms;
  options.bounds.workers = 4;
  options.bounds.queued_work = 8;
  options.bounds.calls = 16;
  options.bounds.tasks = 8;
  options.bounds.batch = 8;
  return options;
}

using Checks = std::vector<std::shared_ptr<AnswerCheck>>;

void feed(ServerSession& session, std::string_view line, Checks& checks) {
  auto check = std::make_shared<AnswerCheck>(line, wire::decode(line));
  session.receive(check->decoded(), check);
  checks.push_back(std::move(check));
}

void begin(ServerSession& session, model::Revision revision, Checks& checks) {
  const Json capabilities = {{"roots", {{"listChanged", true}}},
                             {"sampling", Json::object()},
                             {"elicitation", Json::object()}};
  const Json initialize = {{"jsonrpc", "2.0"},
                           {"id", "begin"},
                           {"method", "initialize"},
                           {"params",
                            {{"protocolVersion", revision.text()},
                             {"capabilities", capabilities},
                             {"clientInfo", {{"name", "fuzz"}, {"version", "1"}}}}}};
  feed(session, initialize.dump(), checks);
  feed(session, R"({"jsonrpc":"2.0","method":"notifications/initialized"})", checks);
}

bool is_cancellation(const wire::Message& message) {
  return message.method() == "notifications/cancelled" ||
         std::any_of(message.members().begin(), message.members().end(), is_cancellation);
}

// The client took something back: that request needs no answer.
bool has_cancellation(const Checks& checks) {
  return std::any_of(checks.begin(), checks.end(), [](const auto& check) {
    const auto* message = std::get_if<wire::Message>(&check->decoded());
    return message != nullptr && is_cancellation(*message);
  });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 1) return 0;
  const auto revisions = model::Revision::handshake();
  std::string_view text = assay::fuzz::view(data + 1, size - 1);
  Checks checks;
  const auto unrelated = std::make_shared<Unrelated>();
  std::vector<bool> was_settled;
  std::optional<model::Revision> revision;
  {
    assay::server::Server server(options());
    const auto session = server.open(WireKind::kStdio, unrelated);
    if ((data[0] & kBare) == 0) begin(*session, revisions[data[0] % revisions.size()], checks);
    for (std::size_t lines = 0; !text.empty() && lines < kMostLines; ++lines) {
      const std::size_t end = std::min(text.find('\n'), text.size());
      if (end > 0) feed(*session, text.substr(0, end), checks);
      text.remove_prefix(std::min(end + 1, text.size()));
    }
    auto patience = (data[0] & kPatient) != 0 ? 20ms : 1ms;
    for (const auto& check : checks) {
      const bool is_settled = check->wait_until_finished(check->may_take_long() ? patience : kHang);
      require(is_settled || check->may_take_long(), "what takes no time is answered");
      if (!is_settled) patience = 0ms;
      was_settled.push_back(is_settled);
    }
    revision = session->revision();
    session->close();
  }
  const bool is_cancelled = has_cancellation(checks);
  const model::Revision spoken = revision.value_or(revisions.back());
  for (std::size_t i = 0; i < checks.size(); ++i) {
    checks[i]->check(spoken, was_settled[i] && !(is_cancelled && checks[i]->may_take_long()));
  }
  unrelated->check(spoken);
  return 0;
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t max_size, unsigned seed) {
  return assay::fuzz::mutate_messages(data, size, max_size, seed, {.header_bytes = 1});
}
