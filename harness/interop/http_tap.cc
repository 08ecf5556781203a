// Between a client and a server over HTTP: a proxy of its own for each start of a client.
#include <fmt/format.h>

#include <atomic>
#include <optional>
#include <utility>
#include <variant>

#include "harness/host/house.h"
#include "harness/interop/pair_tap.h"
#include "harness/script/json_member.h"
#include "harness/tap/http_recorder.h"
#include "reference/transport/http_fetch.h"
#include "reference/transport/http_forwarder.h"
#include "reference/transport/http_listener.h"
#include "reference/transport/observed_handler.h"

namespace assay::harness {
namespace {

constexpr std::string_view kSessionHeader = "Mcp-Session-Id";
// How long the server may take to end a session.
constexpr std::chrono::milliseconds kSessionEnd{5000};

transport::HttpListener::Handler with_headers(transport::HttpListener::Handler inner,
                                              transport::Headers headers) {
  if (headers.empty()) return inner;
  return [inner = std::move(inner), headers = std::move(headers)](
             const transport::HttpHead& request, std::string_view body) {
    transport::HttpHead more = request;
    more.headers.insert(more.headers.end(), headers.begin(), headers.end());
    return inner(more, body);
  };
}

// Has the server forget the session of the client before its second call of a tool. Neither of the
// two is told whose wish it was, so the record is that of a session that expired.
class SessionEnder {
 public:
  SessionEnder(std::string url, transport::HttpListener::Handler inner)
      : url_(std::move(url)), inner_(std::move(inner)) {}

  transport::HttpReply answer(const transport::HttpHead& request, std::string_view body) {
    const std::string id(transport::find_header(request.headers, kSessionHeader).value_or(""));
    if (!id.empty() && is_call(body) && ++calls_ == 2) end(request, id);
    return inner_(request, body);
  }
  std::optional<int> status() const {
    return status_ == 0 ? std::nullopt : std::optional<int>(status_);
  }

 private:
  static bool is_call(std::string_view body) {
    return text_member(Json::parse(body, nullptr, false), "method") == "tools/call";
  }
  void end(const transport::HttpHead& request, const std::string& id) {
    transport::HttpMessage message;
    message.method = "DELETE";
    message.headers = {{std::string(kSessionHeader), id}};
    for (const char* name : {"MCP-Protocol-Version", "Authorization"}) {
      if (const auto value = transport::find_header(request.headers, name)) {
        message.headers.emplace_back(name, *value);
      }
    }
    const auto reply = transport::fetch(url_, std::move(message), kSessionEnd);
    if (const auto* fetched = std::get_if<transport::Fetched>(&reply)) status_ = fetched->status;
  }

  const std::string url_;
  const transport::HttpListener::Handler inner_;
  std::atomic<int> calls_ = 0;
  std::atomic<int> status_ = 0;
};

class HttpTap : public PairTap {
 public:
  HttpTap(transport::HttpUrl server, transport::Headers headers,
          std::shared_ptr<reports::Vault> vault, bool ends_session)
      : target_(server.target),
        recorder_(std::move(vault), [](const EventPtr&) {}),
        forwarder_(server, transport::ConnectOptions{}),
        ender_(server.text(), with_headers(forwarder_.handler(), headers)),
        listener_({}, transport::observed(ends_session ? ending() : plain(std::move(headers)),
                                          recorder_)) {}
  ~HttpTap() override { listener_.stop(); }

  std::optional<std::string> start() override {
    if (!folder_.make()) return "no folder for a configuration file can be made";
    if (auto trouble = listener_.start()) return trouble;
    folder_.write_config({{"type", "http"}, {"url", url()}});
    return std::nullopt;
  }

  std::vector<std::string> told(std::vector<std::string> words) const override {
    return told_of_url(std::move(words), url(), folder_.config_path());
  }

  Tapped finish() override {
    listener_.stop();
    Tapped out;
    out.sessions = recorder_.finish();
    out.shortfall = recorder_.shortfall();
    out.session_end = ender_.status();
    return out;
  }

 private:
  transport::HttpListener::Handler plain(transport::Headers headers) {
    return with_headers(forwarder_.handler(), std::move(headers));
  }
  transport::HttpListener::Handler ending() {
    return [this](const transport::HttpHead& request, std::string_view body) {
      return ender_.answer(request, body);
    };
  }
  std::string url() const {
    return fmt::format("http://127.0.0.1:{}{}", listener_.port(), target_);
  }

  const std::string target_;
  ServerFolder folder_;
  HttpRecorder recorder_;
  transport::HttpForwarder forwarder_;
  SessionEnder ender_;
  transport::HttpListener listener_;
};

}  // namespace

std::unique_ptr<PairTap> tap_http(transport::HttpUrl server, transport::Headers headers,
                                  std::shared_ptr<reports::Vault> vault, bool ends_session) {
  return std::make_unique<HttpTap>(std::move(server), std::move(headers), std::move(vault),
                                   ends_session);
}

}  // namespace assay::harness
