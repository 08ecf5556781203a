// Any lines from a server into the reference client: it never crashes, leaks or hangs, everything
// it says is a valid message, and each request of the server's is answered exactly once.
//
// The first byte: bits 0 and 1 choose the revision that is asked for; bit 7 set, the lines answer
// the handshake themselves. Where a line says "@ID@", the id of the request stands that waits
// longest.
#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz/fuzzing.h"
#include "fuzz/message_mutator.h"
#include "reference/client/session.h"
#include "reference/model/validate.h"
#include "reference/transport/pipe.h"
#include "reference/wire/compose.h"
#include "reference/wire/message.h"

namespace {

using assay::Json;
using assay::fuzz::require;
using namespace std::chrono_literals;
namespace client = assay::client;
namespace model = assay::model;
namespace transport = assay::transport;
namespace wire = assay::wire;

constexpr std::uint8_t kBare = 0x80;
constexpr std::size_t kMostLines = 64;
constexpr std::string_view kPlaceholder = "\"@ID@\"";
constexpr std::string_view kBarrier = R"({"jsonrpc":"2.0","id":"@barrier","method":"ping"})";

// The server's end: sends the lines of the input whenever the client waits for an answer, and
// judges what the client says.
class Script {
 public:
  Script(std::string_view text, model::Revision revision) : text_(text), revision_(revision) {}

  // The pipe outlives the use of the script.
  void use(transport::Pipe& pipe) { pipe_ = &pipe; }
  void answer_next_with(std::string line) { first_ = std::move(line); }

  // What the client sends.
  void take(std::string_view bytes) {
    const wire::Decoded decoded = wire::decode(bytes);
    const auto* message = std::get_if<wire::Message>(&decoded);
    require(message != nullptr, "the client sends JSON");
    require(message->kind() != wire::MessageKind::kMalformed, "the client sends JSON-RPC");
    if (message->kind() == wire::MessageKind::kBatch) {
      for (const wire::Message& member : message->members()) take_answer(member);
    } else if (message->kind() == wire::MessageKind::kRequest) {
      check(*message);
      waiting_.push_back(*message->id());
      play();
    } else if (message->kind() == wire::MessageKind::kNotification) {
      check(*message);
    } else {
      take_answer(*message);
    }
  }

 private:
  void check(const wire::Message& message) {
    const auto deviations =
        model::validate_message(revision_, model::Direction::kClientToServer, message.json());
    for (const model::Deviation& one : deviations) {
      if (one.strength != model::Strength::kMust) continue;
      std::fprintf(stderr, "%s\n%s\n", std::string(message.bytes()).c_str(),
                   model::to_text(one).c_str());
      require(false, "the client sends valid messages");
    }
  }

  void take_answer(const wire::Message& answer) {
    require(answer.id().has_value(), "an answer has an id");
    if (answer.id()->is_valid()) check(answer);
    const std::lock_guard lock(mutex_);
    const auto found = unanswered_.find(*answer.id());
    require(found != unanswered_.end(), "nothing is answered that was not asked");
    require(found->second-- > 0, "each request of the server is answered once");
    answered_.notify_all();
  }

  // Sends lines until one answers what the client waits for. When there are no more, goes away.
  void play() {
    if (!first_.empty() && send(std::exchange(first_, {}))) return;
    while (!text_.empty() && lines_++ < kMostLines) {
      const std::size_t end = std::min(text_.find('\n'), text_.size());
      const std::string line(text_.substr(0, end));
      text_.remove_prefix(std::min(end + 1, text_.size()));
      if (send(line)) return;
    }
    send(std::string(kBarrier));
    await_answers();
    pipe_->close_from_peer();
  }

  // The client answers in order: with the last answer all have come.
  void await_answers() {
    const auto has_passed = [&] { return unanswered_.at(wire::Id::of_string("@barrier")) == 0; };
    std::unique_lock lock(mutex_);
    require(answered_.wait_for(lock, 10s, has_passed), "a ping is answered");
    for (const auto& [id, count] : unanswered_) {
      // A request that was cancelled is to have no answer.
      const bool is_cancelled =
          std::find(cancelled_.begin(), cancelled_.end(), wire::to_json(id)) != cancelled_.end();
      require(count == 0 || is_cancelled, "each request of the server is answered");
    }
  }

  // True if that answers a request of the client's.
  bool send(std::string line) {
    if (const auto at = line.find(kPlaceholder); at != std::string::npos && !waiting_.empty()) {
      line.replace(at, kPlaceholder.size(), waiting_.front().json_text());
    }
    const wire::Decoded decoded = wire::decode(line);
    const auto* message = std::get_if<wire::Message>(&decoded);
    if (message != nullptr) note_requests(*message);
    pipe_->deliver(line);
    return message != nullptr && is_answered_by(*message);
  }

  bool is_answered_by(const wire::Message& message) {
    const bool is_response =
        message.kind() == wire::MessageKind::kResult || message.kind() == wire::MessageKind::kError;
    if (is_response && message.id() && !waiting_.empty() && *message.id() == waiting_.front()) {
      waiting_.pop_front();
      return true;
    }
    bool is_answered = false;
    for (const wire::Message& member : message.members()) is_answered |= is_answered_by(member);
    return is_answered;
  }

  void note_requests(const wire::Message& message) {
    if (message.kind() == wire::MessageKind::kRequest) {
      const std::lock_guard lock(mutex_);
      ++unanswered_[*message.id()];
    }
    if (message.method() == "notifications/cancelled" && message.params().is_object()) {
      cancelled_.push_back(message.params().value("requestId", Json()));
    }
    for (const wire::Message& member : message.members()) note_requests(member);
  }

  std::string_view text_;
  const model::Revision revision_;
  transport::Pipe* pipe_ = nullptr;
  std::string first_;             // in place of the next line, if not empty
  std::deque<wire::Id> waiting_;  // requests of the client without an answer, oldest first
  std::size_t lines_ = 0;
  std::mutex mutex_;  // guards what follows; the client answers on a thread of its own
  std::condition_variable answered_;
  std::map<wire::Id, int> unanswered_;
  std::vector<Json> cancelled_;  // ids
};

std::string good_handshake(model::Revision revision) {
  const Json result = {{"protocolVersion", revision.text()},
                       {"capabilities", {{"tools", Json::object()}}},
                       {"serverInfo", {{"name", "fuzz"}, {"version", "1"}}}};
  return R"({"jsonrpc":"2.0","id":"@ID@","result":)" + result.dump() + "}";
}

void use(client::ClientSession& session) {
  const auto deadline = std::chrono::steady_clock::now() + 60s;  // beyond the fuzzer's own patience
  if (!session.initialize(deadline).is_result()) return;
  session.list_all("tools/list", "tools", deadline);
  session.request("tools/call", {{"name", "any"}}, deadline, {.on_progress = [](const Json&) {}});
  session.list_all("prompts/list", "prompts", deadline);
  session.notify("notifications/roots/list_changed");
  while (!session.closed()) session.request("ping", Json::object(), deadline);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 1) return 0;
  const auto revisions = model::Revision::handshake();
  const model::Revision revision = revisions[data[0] % revisions.size()];
  Script script(assay::fuzz::view(data + 1, size - 1), revision);
  client::SessionOptions options;
  options.revision = revision;
  options.offer.root_list = {{"file:///tmp", "tmp"}};
  client::ClientSession session(std::move(options));
  transport::Pipe pipe([&script](std::string_view bytes) { script.take(bytes); }, session);
  script.use(pipe);
  if ((data[0] & kBare) == 0) script.answer_next_with(good_handshake(revision));
  require(!session.open(pipe), "a pipe opens");
  use(session);
  session.close(std::chrono::steady_clock::now() + 1s);
  return 0;
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t max_size, unsigned seed) {
  return assay::fuzz::mutate_messages(
      data, size, max_size, seed,
      {.header_bytes = 1, .direction = model::Direction::kServerToClient});
}
