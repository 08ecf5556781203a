// A Streamable HTTP server at "localhost": one port, on 127.0.0.1 and on ::1.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <set>
#include <utility>

#include "harness/host/cors.h"
#include "harness/host/hosted.h"
#include "harness/host/house.h"
#include "harness/recording/session_builder.h"
#include "harness/tap/http_recorder.h"
#include "harness/transcript/credential_mask.h"
#include "reference/transport/http_endpoint.h"
#include "reference/wire/message.h"

namespace assay::harness {
namespace {

// What a client may make us hold at once. It is one program, and no crowd.
constexpr std::size_t kMostConnections = 512;
constexpr std::size_t kMostBodyBytes = 16u << 20;
// The port that is free on one address may be taken on the other.
constexpr int kMostTries = 20;

transport::HttpServerOptions endpoint_options(const std::vector<model::Revision>& revisions,
                                              transport::Observer& observer) {
  transport::HttpServerOptions options;
  options.revisions = revisions;
  options.observer = &observer;
  return options;
}

class HttpHouse : public House {
 public:
  HttpHouse(Hosted& hosted, HouseOptions options)
      : options_(std::move(options)),
        recorder_(options_.vault, [this](const EventPtr& event) { take(event); }),
        mask_(recorder_, options_.vault),
        endpoint_(hosted, endpoint_options(options_.revisions, mask_), &hosted),
        handler_(options_.page_origin.empty()
                     ? endpoint_.handler()
                     : with_cors(options_.page_origin, endpoint_.handler())) {}
  ~HttpHouse() override { stop(); }

  std::optional<std::string> start() override {
    if (!folder_.make()) return "no folder for a configuration file can be made";
    const auto probe = listener_on("::1", 0);
    const bool has_ipv6 = !probe->start();
    probe->stop();
    for (int i = 0; i < kMostTries; ++i) {
      ipv4_ = listener_on("127.0.0.1", options_.port);
      if (auto trouble = ipv4_->start()) return trouble;
      folder_.write_config({{"type", "http"}, {"url", venue().endpoint}});
      if (!has_ipv6) return std::nullopt;
      ipv6_ = listener_on("::1", ipv4_->port());
      if (!ipv6_->start()) return std::nullopt;
      if (options_.port != 0) return fmt::format("the port {} is taken on ::1", options_.port);
    }
    return "no port is free on both 127.0.0.1 and ::1";
  }

  Venue venue() override { return {origin(), venue_url(), &recorder_, options_.vault}; }

  std::vector<std::string> told(std::vector<std::string> words) const override {
    return told_of_url(std::move(words), venue_url(), folder_.config_path());
  }

  void hang_up() override { stop(); }
  Recorded close() override {
    stop();
    std::vector<RecordedSession> sessions = recorder_.finish(std::string(transport::kMcpPath));
    RecordedSession beside = beside_of(sessions);
    const std::string& shortfall = recorder_.shortfall();
    return {std::move(sessions), std::move(beside),
            shortfall.empty() ? beside_shortfall_ : shortfall, was_reached_};
  }

 private:
  std::unique_ptr<transport::HttpListener> listener_on(const char* host, int port) {
    transport::HttpListener::Options options;
    options.host = host;
    options.port = port;
    options.most_connections = kMostConnections;
    options.most_body_bytes = kMostBodyBytes;
    options.on_connection = [this] { was_reached_ = true; };
    return std::make_unique<transport::HttpListener>(options, handler_);
  }
  std::string venue_url() const { return origin() + std::string(transport::kMcpPath); }
  std::string origin() const { return fmt::format("http://localhost:{}", ipv4_->port()); }
  // On the recorder's thread.
  void take(const EventPtr& event) {
    was_reached_ = true;
    if (options_.on_event) options_.on_event(0, event);
    if (events_.size() >= Transcript::kMaxEvents || kept_bytes_ > Transcript::kMaxBytes) {
      beside_shortfall_ = "more passed than is judged at once";
      return;
    }
    const wire::Message* message = event->message();
    kept_bytes_ +=
        event->observation.bytes().size() + (message == nullptr ? 0 : message->held_bytes());
    events_.push_back(event);
  }
  // What belongs to no session.
  RecordedSession beside_of(const std::vector<RecordedSession>& sessions) {
    std::set<transport::Lane> taken;
    for (const RecordedSession& session : sessions) {
      for (const EventPtr& event : session.events) taken.insert(event->observation.lane);
    }
    SessionBuilder beside(nullptr, TransportKind::kHttp);
    for (const EventPtr& event : events_) {
      if (!taken.contains(event->observation.lane)) beside.add(event);
    }
    events_.clear();
    return beside.finish(true);
  }
  void stop() {
    endpoint_.end();
    if (ipv4_) ipv4_->stop();
    if (ipv6_) ipv6_->stop();
  }

  ServerFolder folder_;
  std::atomic<bool> was_reached_ = false;
  // The recorder's thread's, until it has finished.
  std::vector<EventPtr> events_;
  std::size_t kept_bytes_ = 0;    // of them
  std::string beside_shortfall_;  // why there were more; empty if these are all
  const HouseOptions options_;
  HttpRecorder recorder_;
  CredentialMask mask_;
  transport::HttpEndpoint endpoint_;
  const transport::HttpListener::Handler handler_;
  std::unique_ptr<transport::HttpListener> ipv4_;
  std::unique_ptr<transport::HttpListener> ipv6_;  // null where the machine has none
};

}  // namespace

std::unique_ptr<House> make_http_house(Hosted& hosted, HouseOptions options) {
  return std::make_unique<HttpHouse>(hosted, std::move(options));
}

}  // namespace assay::harness
