// Between a client and a server over HTTP: a proxy of its own for each start of a client.
#include <fmt/format.h>

#include <atomic>
#include <mutex>
#include <optional>
#include <set>
#include <string_view>
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
#include "reference/wire/peer_json.h"
#include "reports/escape.h"

namespace assay::harness {
namespace {

constexpr std::string_view kSessionHeader = "Mcp-Session-Id";
// Where a server that asks for a token says who gives them (RFC 9728), and, in 2025-03-26, where it
// does so itself (RFC 8414).
constexpr std::string_view kResourceMetadata = "/.well-known/oauth-protected-resource";
constexpr std::string_view kServerMetadata = "/.well-known/oauth-authorization-server";
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
  SessionEnder(std::string url, bool keeps_host, transport::HttpListener::Handler inner)
      : url_(std::move(url)), keeps_host_(keeps_host), inner_(std::move(inner)) {}

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
    for (const char* name : {"MCP-Protocol-Version", "Authorization", "Host"}) {
      if (name == std::string_view("Host") && !keeps_host_) continue;
      if (const auto value = transport::find_header(request.headers, name)) {
        message.headers.emplace_back(name, *value);
      }
    }
    const auto reply = transport::fetch(url_, std::move(message), kSessionEnd);
    if (const auto* fetched = std::get_if<transport::Fetched>(&reply)) status_ = fetched->status;
  }

  const std::string url_;
  const bool keeps_host_;
  const transport::HttpListener::Handler inner_;
  std::atomic<int> calls_ = 0;
  std::atomic<int> status_ = 0;
};

// Sees where a client asks how to log in, and by which name the server calls itself there.
class LoginWatch : public transport::Observer {
 public:
  explicit LoginWatch(transport::Observer& next) : next_(next) {}

  void observe(const transport::Observation& observation) override {
    note(observation);
    next_.observe(observation);
  }
  // `own_url`: the tap's. Nothing passes any more.
  void tell(const std::string& own_url, Tapped& out) const {
    out.was_asked_for_login = was_asked_;
    if (!name_.empty() && !own_url.starts_with(name_))
      out.other_name = reports::printable_line(name_);
  }

 private:
  using Kind = transport::Observation::Kind;

  void note(const transport::Observation& observation) {
    const std::lock_guard lock(mutex_);
    if (observation.kind == Kind::kHttpRequest) {
      const std::string_view target = observation.http->target;
      const bool is_of_resource = target.starts_with(kResourceMetadata);
      was_asked_ = was_asked_ || is_of_resource || target.starts_with(kServerMetadata);
      if (is_of_resource) lanes_.insert(observation.lane);
    } else if (observation.kind == Kind::kHttpBody && lanes_.contains(observation.lane)) {
      const Json document = wire::parse_of_peer(observation.bytes);
      name_ = reports::cut(text_member(document, "resource"), kLongestName);
    }
  }

  static constexpr std::size_t kLongestName = 300;

  transport::Observer& next_;
  std::mutex mutex_;  // guards all below
  bool was_asked_ = false;
  std::set<transport::Lane> lanes_;
  std::string name_;
};

class HttpTap : public PairTap {
 public:
  HttpTap(transport::HttpUrl server, HttpTapOptions options, std::shared_ptr<reports::Vault> vault)
      : target_(server.target),
        recorder_(std::move(vault), [](const EventPtr&) {}),
        watch_(recorder_),
        forwarder_(server, transport::ConnectOptions{},
                   options.keeps_host ? transport::HttpForwarder::HostField::kOfClient
                                      : transport::HttpForwarder::HostField::kOfServer),
        ender_(server.text(), options.keeps_host,
               with_headers(forwarder_.handler(), options.headers)),
        listener_(
            {}, transport::observed(
                    options.ends_session ? ending() : plain(std::move(options.headers)), watch_)) {}
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
    watch_.tell(url(), out);
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
  LoginWatch watch_;
  transport::HttpForwarder forwarder_;
  SessionEnder ender_;
  transport::HttpListener listener_;
};

}  // namespace

std::unique_ptr<PairTap> tap_http(transport::HttpUrl server, HttpTapOptions options,
                                  std::shared_ptr<reports::Vault> vault) {
  return std::make_unique<HttpTap>(std::move(server), std::move(options), std::move(vault));
}

}  // namespace assay::harness
