// Cases over Streamable HTTP: two sessions side by side, one exchange for each step.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <utility>

#include "fuzz/live/courtesy.h"
#include "fuzz/live/http_rules.h"
#include "fuzz/live/inbox.h"
#include "fuzz/live/raw_socket.h"
#include "fuzz/live/text.h"
#include "fuzz/live/wire.h"
#include "reference/transport/http_client.h"

namespace assay::fuzz {
namespace {

using transport::Observation;
using Clock = std::chrono::steady_clock;

// For what may rightly stay open, such as a stream, or a request that was cut off.
constexpr std::chrono::milliseconds kGlance{80};
// A server may close a connection behind any answer without a word, and then what is sent on it
// next breaks: nobody is silent who breaks off fewer.
constexpr int kAttempts = 3;

// One exchange that has begun.
struct Exchange {
  const Step* step = nullptr;
  int status = 0;
  bool is_over = false;
  bool has_broken = false;
};

// How a request of our own fared.
enum class Fate : std::uint8_t {
  kAnswered,
  kRefused,  // there was an HTTP status, and no answer to the request behind it
  kBroken,   // the server broke the connection off
  kLate,     // nothing came in time
};

struct Side {
  std::unique_ptr<Inbox> inbox;
  harness::Link link;
  std::map<std::uint64_t, Exchange> exchanges;  // by lane number
  bool has_ended = false;                       // it was told to end, and agreed
};

class HttpWire : public Wire {
 public:
  HttpWire(const WireSetting& setting, bool is_fresh)
      : setting_(setting), judge_(setting.words, !is_fresh), courtesy_(setting.words.revision) {
    for (Side& side : sides_) {
      side.inbox = std::make_unique<Inbox>(setting.transcript, setting.access.budget);
      side.link = setting.access.connect(*side.inbox);
    }
  }
  ~HttpWire() override { close(); }

  std::optional<transport::Failure> open() override {
    for (Side& side : sides_) {
      if (auto trouble = side.link.transport->open()) return trouble;
    }
    return std::nullopt;
  }

  bool begin() override { return begin(0) == Fate::kAnswered && begin(1) == Fate::kAnswered; }

  void set_manners(int manners) override { manners_ = manners; }

  void post(std::span<const Case> cases, std::size_t first_number) override {
    for (std::size_t i = 0; i < cases.size() && state_ == WireState::kAlive; ++i) {
      number_ = first_number + i;
      for (const Step& step : cases[i].steps) run_step(step);
      finish_all();
    }
  }

  WireState await() override {
    finish_all();
    for (int session : {0, 1}) {
      if (state_ != WireState::kAlive || ping_on(session) == Fate::kAnswered) continue;
      // The session may have been ended by a case; then another can be begun.
      Fate fate = Fate::kBroken;
      for (int i = 0; i < kAttempts && fate == Fate::kBroken && state_ == WireState::kAlive; ++i) {
        fate = begin(session);
      }
      if (fate != Fate::kAnswered) fall_silent(fate);
    }
    return state_;
  }

  void settle() override {
    for (Side& side : sides_) hear(side, Clock::now());
    judge_.give_up_on(Clock::now());
  }

  bool ping() override { return ping_on(0) == Fate::kAnswered; }
  std::optional<Holdings> holdings() override { return std::nullopt; }

  void close() override {
    if (is_closed_) return;
    is_closed_ = true;
    for (Side& side : sides_) {
      if (side.link.http != nullptr && !side.has_ended) (void)side.link.http->end_session();
      side.link.transport->close(Clock::now() + std::chrono::milliseconds(200));
    }
  }

  Judge& judge() override { return judge_; }

 private:
  Side& side(int session) { return sides_[static_cast<std::size_t>(session)]; }

  Fate begin(int session) {
    Side& own = side(session);
    own.link.http->set_session_id(std::nullopt);
    own.has_ended = false;
    const wire::Id id = wire::Id::of_string(fmt::format("assay-begin-{}", ++pings_));
    const std::string text =
        wire::encode(wire::make_request(id, "initialize", setting_.words.initialize_params));
    const Fate fate = ask(session, id, text, setting_.waits.start);
    if (fate != Fate::kAnswered) return fate;
    own.link.http->set_protocol_version(setting_.words.revision.text());
    exchange(session, wire::encode(wire::make_notification("notifications/initialized")),
             setting_.waits.ping);
    return state_ == WireState::kAlive ? Fate::kAnswered : Fate::kBroken;
  }

  Fate ping_on(int session) {
    const wire::Id id = wire::Id::of_string(fmt::format("assay-ping-{}", ++pings_));
    return ask(session, id, wire::encode(wire::make_request(id, "ping")), setting_.waits.ping);
  }

  Fate ask(int session, const wire::Id& id, const std::string& text,
           std::chrono::milliseconds patience) {
    const Exchange done = exchange(session, text, patience);
    if (state_ == WireState::kAlive && judge_.is_answered(id)) return Fate::kAnswered;
    if (done.has_broken || state_ != WireState::kAlive) return Fate::kBroken;
    return done.status != 0 ? Fate::kRefused : Fate::kLate;
  }

  // A message of our own, there and back.
  Exchange exchange(int session, const std::string& text, std::chrono::milliseconds patience) {
    const std::uint64_t number = side(session).link.http->send(text).number;
    begin_exchange(session, number, text, own_step_);
    wait_for(session, number, patience);
    return finish(session, number);
  }

  void begin_exchange(int session, std::uint64_t number, std::string_view body, const Step& step) {
    side(session).exchanges[number].step = &step;
    judge_.sent(body, number_, lane_key(number, session));
  }

  void run_step(const Step& step) {
    if (state_ != WireState::kAlive) return;
    if (step.kind == Step::Kind::kSocket) {
      run_socket(step);
      return;
    }
    transport::HttpClient& client = *side(step.session).link.http;
    std::string body = step.bytes;
    while (!body.empty() && body.back() == '\n') body.pop_back();
    transport::HttpRequest request;
    request.method = step.method;
    request.headers = step.headers;
    request.body = body;
    const std::uint64_t number = client.start(std::move(request)).number;
    begin_exchange(step.session, number, body, step);
    if (step.end == Step::End::kAbandon) {
      client.abandon({transport::Lane::Kind::kHttp, number});
      judge_.refuse_lane(lane_key(number, step.session));
    }
    if (step.overlaps) return;
    const bool may_stay_open = step.method != "POST" || step.kind == Step::Kind::kHttp;
    wait_for(step.session, number, may_stay_open ? kGlance : setting_.waits.answer);
    finish(step.session, number);
  }

  void run_socket(const Step& step) {
    const transport::HttpClient& client = *side(step.session).link.http;
    if (client.endpoint().is_tls) return;
    const std::string bytes = with_places(step.bytes, client.endpoint(),
                                          client.session_id().value_or("assay-no-session"));
    judge_.sent_loosely(step.bytes, number_);
    const RawReply reply = send_raw_bytes(client.endpoint(), bytes, step.end, kGlance);
    if (!reply.is_connected) {
      unreachable("nothing accepts connections any more");
      return;
    }
    hear_status(reply.status, "a request of raw bytes");
    if (reply.status != 0) {
      judge_.add_shape(hash(fmt::format("raw {}", reply.status)), number_);
    }
  }

  // Waits until an exchange is over.
  void wait_for(int session, std::uint64_t number, std::chrono::milliseconds patience) {
    const auto deadline = Clock::now() + patience;
    Side& own = side(session);
    while (!own.exchanges[number].is_over && Clock::now() < deadline) {
      // A stream stays open; that it has begun is all there is to wait for.
      const Exchange& exchange = own.exchanges[number];
      if (exchange.step->method == "GET" && exchange.status != 0) return;
      hear(own, deadline);
    }
  }

  void finish_all() {
    for (int session : {0, 1}) {
      std::vector<std::uint64_t> open;
      for (const auto& [number, exchange] : side(session).exchanges) open.push_back(number);
      for (const std::uint64_t number : open) {
        wait_for(session, number, setting_.waits.answer);
        finish(session, number);
      }
    }
  }

  // The exchange is over, or has had its time: takes it away.
  Exchange finish(int session, std::uint64_t number) {
    Side& own = side(session);
    const auto found = own.exchanges.find(number);
    if (found == own.exchanges.end()) return {};
    const Exchange done = found->second;
    own.exchanges.erase(found);
    if (!done.is_over) own.link.http->abandon({transport::Lane::Kind::kHttp, number});
    const bool was_refused = done.status >= 400;
    const bool was_odd = done.step->kind != Step::Kind::kBytes;
    const bool is_tried_again = done.step == &own_step_ && done.has_broken;
    if (was_refused || was_odd || is_tried_again) {
      judge_.refuse_lane(lane_key(number, session));
    } else {
      judge_.close_lane(lane_key(number, session));
    }
    hear_status(done.status, done.step->method);
    if (done.status >= 200 && done.status < 300) check_success(*done.step, own);
    return done;
  }

  void check_success(const Step& step, Side& own) {
    const bool has_session = own.link.http->session_id().has_value();
    if (auto wrong = wrong_http_success(setting_.words, step, own.link.http->endpoint(),
                                        has_session, own.has_ended)) {
      wrong->case_number = number_;
      judge_.suspect(std::move(*wrong));
    }
    if (step.method == "DELETE" && has_session) own.has_ended = true;
  }

  void hear_status(int status, std::string_view what) {
    // What a server may rightly say of a method or version it does not know, or when it is busy.
    const bool is_excused = status == 501 || status == 503 || status == 505;
    if (status < 500 || is_excused) return;
    judge_.suspect({Oracle::kServerError, fmt::format("HTTP {} to {}", status, shown(what, 40)),
                    fmt::format("It answered {} with HTTP {}", shown(what, 40), status), "", false,
                    number_});
  }

  void hear(Side& own, Clock::time_point deadline) {
    const int session = &own == &sides_[0] ? 0 : 1;
    for (const Observation& observation : own.inbox->take(deadline)) {
      const std::uint64_t number = observation.lane.number;
      const auto found = own.exchanges.find(number);
      Exchange* exchange = found == own.exchanges.end() ? nullptr : &found->second;
      switch (observation.kind) {
        case Observation::Kind::kHttpResponse:
          if (exchange != nullptr) exchange->status = observation.http->status;
          if (observation.http->status >= 400) judge_.refuse_lane(lane_key(number, session));
          judge_.add_shape(hash(fmt::format("{} {}", observation.http->status,
                                            exchange == nullptr ? "" : exchange->step->method)),
                           number_);
          break;
        case Observation::Kind::kHttpBody:
        case Observation::Kind::kSseEvent:
          hear_message(observation, session);
          break;
        case Observation::Kind::kClosed:
          if (exchange != nullptr) exchange->is_over = true;
          break;
        case Observation::Kind::kBroken:
          if (exchange != nullptr) {
            exchange->is_over = true;
            exchange->has_broken = observation.direction == transport::Direction::kReceived;
          }
          if (observation.bytes.find("refused") != std::string::npos) {
            unreachable(observation.bytes);
          }
          break;
        case Observation::Kind::kCutOff:
          // Nobody reads it any more: that it then says nothing is our doing.
          for (auto& [lane, open] : own.exchanges) open.is_over = true;
          if (state_ == WireState::kAlive) state_ = WireState::kSilent;
          break;
        case Observation::Kind::kLine:
        case Observation::Kind::kStderr:
        case Observation::Kind::kExit:
        case Observation::Kind::kHttpRequest:
          break;
      }
    }
  }

  void hear_message(const Observation& observation, int session) {
    const auto bytes = observation.message();
    if (!bytes) return;
    if (bytes->find(session_mark(1 - session)) != std::string_view::npos) {
      judge_.suspect(
          {Oracle::kOtherSession, "mark of another session",
           fmt::format("A session was told what only the other one said: {}", shown(*bytes)), "",
           false, number_});
    }
    const auto request = judge_.heard(*bytes, lane_key(observation.lane.number, session));
    if (!request || !request->id()) return;
    // Its own exchange is looked at together with the others.
    const std::string answer = courtesy_.answer(*request, manners_);
    side(session).link.http->send(answer);
    judge_.sent(answer, number_);
  }

  void unreachable(std::string_view why) {
    if (state_ == WireState::kGone || is_closed_) return;
    state_ = WireState::kGone;
    judge_.suspect({Oracle::kCrash, "unreachable",
                    fmt::format("It cannot be reached any more: {}", shown(why)), "", false,
                    number_});
  }

  void fall_silent(Fate fate) {
    if (state_ != WireState::kAlive) return;
    state_ = WireState::kSilent;
    // Who refuses to begin another session does not hang: it only cannot be tried any further.
    if (fate == Fate::kRefused) return;
    const std::string detail =
        fate == Fate::kLate
            ? fmt::format("It answered no ping within {} ms, and no new 'initialize' within {} ms",
                          setting_.waits.ping.count(), setting_.waits.start.count())
            : fmt::format("It answered no ping, and broke off {} new requests to 'initialize'",
                          kAttempts);
    judge_.suspect({Oracle::kHang, "no answer to a ping", detail, "", false, number_});
  }

  const WireSetting setting_;
  const Step own_step_;  // what messages of our own are sent by
  std::array<Side, 2> sides_;
  Judge judge_;
  Courtesy courtesy_;
  WireState state_ = WireState::kAlive;
  int manners_ = 0;
  std::size_t number_ = 0;
  std::size_t pings_ = 0;
  bool is_closed_ = false;
};

}  // namespace

std::unique_ptr<Wire> make_http_wire(const WireSetting& setting, bool is_fresh) {
  return std::make_unique<HttpWire>(setting, is_fresh);
}

}  // namespace assay::fuzz
