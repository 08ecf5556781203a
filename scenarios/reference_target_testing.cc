#include "scenarios/reference_target_testing.h"

#include <chrono>
#include <memory>
#include <stdexcept>
#include <utility>
#include <variant>

#include "reference/server/server.h"
#include "reference/transport/http_client.h"
#include "reference/transport/http_sse_client.h"
#include "reference/transport/http_url.h"
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
  void hang_up() override { pipe_.close_from_peer(); }

 private:
  transport::Pipe& pipe_;
};

// A pipe with a server of its own behind it.
class ReferencePipe : public transport::ClientTransport {
 public:
  ReferencePipe(const server::Options& options, const server::Faults& faults,
                transport::Observer& observer)
      : pipe_([this](std::string_view bytes) { session_->receive(wire::decode(bytes), sink_); },
              observer),
        sink_(std::make_shared<PipeSink>(pipe_)),
        server_(options),
        faulty_(server_, faults) {}
  ~ReferencePipe() override { end_session(); }

  std::optional<transport::Failure> open() override {
    if (auto failure = pipe_.open()) return failure;
    // Like a process that starts: what it says first is heard.
    session_ = faulty_.open(transport::WireKind::kStdio, sink_);
    return std::nullopt;
  }
  transport::Lane send(std::string_view message) override { return pipe_.send(message); }
  transport::Lane send_raw(std::string_view bytes) override {
    if (bytes.ends_with('\n')) bytes.remove_suffix(1);
    return pipe_.send_raw(bytes);
  }
  void close(transport::Deadline deadline) override {
    end_session();
    pipe_.close(deadline);
  }

 private:
  void end_session() {
    if (session_) session_->close();
  }

  transport::Pipe pipe_;
  std::shared_ptr<PipeSink> sink_;
  server::Server server_;
  server::FaultyServer faulty_;
  std::shared_ptr<transport::ServerSession> session_;  // null until the pipe is open
};

}  // namespace

harness::TargetAccess reference_over_pipe(server::Options options, const server::Faults& faults) {
  server::turn_switches(faults, options);
  harness::TargetAccess access;
  access.kind = harness::TransportKind::kStdio;
  access.connect = [options, faults](transport::Observer& observer) {
    harness::Link link;
    link.transport = std::make_unique<ReferencePipe>(options, faults, observer);
    return link;
  };
  return access;
}

namespace {

server::Options with_switches(server::Options options, const server::Faults& faults) {
  server::turn_switches(faults, options);
  return options;
}

transport::HttpServerOptions http_options(const server::Options& options,
                                          ReferenceOverHttp::Answers answers,
                                          const std::string& host) {
  transport::HttpServerOptions http;
  http.host = host;
  http.answers = answers;
  http.revisions = options.all_revisions();
  return http;
}

// What a server that does not tell its endpoint may make a test wait for.
constexpr std::chrono::milliseconds kAnswerTimeout{2000};

template <typename Attach>
harness::TargetAccess access_to(const std::string& text, harness::TransportKind kind,
                                const std::vector<transport::UserHeader>& headers, Attach attach) {
  harness::TargetAccess access;
  access.kind = kind;
  access.shell_form = text;
  access.connect = [url = std::get<transport::HttpUrl>(transport::HttpUrl::parse(text)), headers,
                    attach](transport::Observer& observer) {
    transport::HttpClientOptions options;
    options.limits.answer_timeout = kAnswerTimeout;
    options.headers = headers;
    harness::Link link;
    attach(url, options, observer, link);
    return link;
  };
  return access;
}

// However it listens, it is reached over the loopback.
std::string on_loopback(int port, std::string_view path) {
  return "http://127.0.0.1:" + std::to_string(port) + std::string(path);
}

}  // namespace

ReferenceOverHttp::ReferenceOverHttp(const server::Options& options, Answers answers,
                                     const server::Faults& faults, const std::string& host)
    : good_(with_switches(options, faults)),
      server_(good_, faults),
      conduct_(faults),
      http_(server_, http_options(options, answers, host), &conduct_) {
  if (const auto trouble = http_.start()) throw std::runtime_error(*trouble);
}

ReferenceOverHttp::ReferenceOverHttp(const transport::HttpConduct& conduct)
    : good_(server::Options{}),
      server_(good_, {}),
      conduct_({}),
      http_(server_, http_options({}, Answers::kAuto, "127.0.0.1"), &conduct) {
  if (const auto trouble = http_.start()) throw std::runtime_error(*trouble);
}

harness::TargetAccess ReferenceOverHttp::http(
    const std::vector<transport::UserHeader>& headers) const {
  return access_to(on_loopback(http_.port(), "/mcp"), harness::TransportKind::kHttp, headers,
                   [](const transport::HttpUrl& url, const transport::HttpClientOptions& options,
                      transport::Observer& observer, harness::Link& link) {
                     auto client = std::make_unique<transport::HttpClient>(url, options, observer);
                     link.http = client.get();
                     link.transport = std::move(client);
                   });
}

harness::TargetAccess ReferenceOverHttp::http_sse() const {
  return access_to(on_loopback(http_.port(), "/sse"), harness::TransportKind::kHttpSse, {},
                   [](const transport::HttpUrl& url, const transport::HttpClientOptions& options,
                      transport::Observer& observer, harness::Link& link) {
                     auto client =
                         std::make_unique<transport::HttpSseClient>(url, options, observer);
                     link.http_sse = client.get();
                     link.transport = std::move(client);
                   });
}

}  // namespace assay::scenarios
