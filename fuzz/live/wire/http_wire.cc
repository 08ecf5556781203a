// Cases over Streamable HTTP: two sessions side by side, an exchange for each step, many at once.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "fuzz/live/target/era.h"
#include "fuzz/live/wire/http_traffic.h"
#include "fuzz/live/wire/wire.h"
#include "reference/wire/compose.h"

namespace assay::fuzz {
namespace {

using Clock = std::chrono::steady_clock;

// A server may close a connection behind any answer without a word, and then what is sent on it
// next breaks: nobody is silent who breaks off fewer.
constexpr int kMostBegins = 3;
// Some servers send the head of a stream only with the first thing that they say on it.
constexpr std::chrono::milliseconds kListenTime{300};

// How a request of our own fared.
enum class Fate : std::uint8_t {
  kAnswered,
  kRefused,  // there was an HTTP status, and no answer to the request behind it
  kBroken,   // the server broke the connection off
  kLate,     // nothing came in time
};

// A request of our own that is under way.
struct Asked {
  wire::Id id;
  HttpTraffic::Key key = 0;
};

class HttpWire : public Wire {
 public:
  HttpWire(const WireSetting& setting, bool is_fresh)
      : setting_(setting), judge_(setting.words, !is_fresh), traffic_(setting_, judge_) {}
  ~HttpWire() override { traffic_.close(); }

  std::optional<transport::Failure> open() override { return traffic_.open(); }

  bool begin() override { return begin(0) == Fate::kAnswered && begin(1) == Fate::kAnswered; }

  void set_manners(int manners) override { traffic_.set_manners(manners); }

  void post(std::span<const Case> cases, std::size_t first_number) override {
    for (std::size_t i = 0; i < cases.size() && is_alive(); ++i) {
      traffic_.start(cases[i], first_number + i);
    }
  }

  WireState await() override {
    traffic_.finish_prompt();
    const Asked pings[] = {ask_ping(0), ask_ping(1)};
    const Fate fates[] = {fate_of(pings[0], setting_.waits.ping),
                          fate_of(pings[1], setting_.waits.ping)};
    for (const int session : {0, 1}) {
      if (!is_alive() || fates[session] == Fate::kAnswered) continue;
      // The session may have been ended by a case; then another can be begun.
      Fate fate = Fate::kBroken;
      for (int i = 0; i < kMostBegins && fate == Fate::kBroken && is_alive(); ++i) {
        fate = begin(session);
      }
      if (is_alive() && fate != Fate::kAnswered) fall_silent(fate);
    }
    judge_.pass_barrier();
    return state();
  }

  void settle() override {
    traffic_.finish_all(Clock::now() + setting_.waits.answer);
    traffic_.hear();
    if (is_alive()) judge_.give_up_on(Clock::now());
  }

  bool ping() override { return ping_in(0); }
  std::optional<std::size_t> held(Oracle) override { return std::nullopt; }
  const Delays& delays() const override { return traffic_.delays(); }
  void close() override { traffic_.close(); }
  LiveJudge& judge() override { return judge_; }

 private:
  WireState state() const { return is_silent_ ? WireState::kSilent : traffic_.state(); }
  bool is_alive() const { return state() == WireState::kAlive; }

  Fate begin(int session) {
    traffic_.renew(session);
    const wire::Id id = wire::Id::of_string(fmt::format("assay-begin-{}", ++asked_));
    const Fate fate =
        fate_of(ask(session, id, opening_text(setting_.words, id)), setting_.waits.start);
    if (fate != Fate::kAnswered || !setting_.words.revision.has_handshake()) return fate;
    traffic_.client(session).set_protocol_version(setting_.words.revision.text());
    const bool tells_roots = setting_.words.sandbox != nullptr;
    if (tells_roots) traffic_.listen(session, std::min(kListenTime, setting_.waits.ping));
    const auto key =
        traffic_.send(session, wire::encode(wire::make_notification("notifications/initialized")));
    traffic_.wait_for(key, setting_.waits.ping);
    if (tells_roots && is_alive()) tell_roots(session);
    return is_alive() ? Fate::kAnswered : Fate::kBroken;
  }

  // Goes on until the target knows what our roots are, if it asks for them as soon as it may. It
  // may ask on a stream of its own, and then the answer to a ping says nothing of what is under
  // way.
  void tell_roots(int session) {
    const auto deadline = Clock::now() + setting_.waits.answer;
    while (is_alive() && setting_.words.asks_for_roots && traffic_.roots_told(session) == 0 &&
           Clock::now() < deadline) {
      traffic_.hear(deadline);
    }
    bool has_settled = settle_roots(session);
    const bool was_told = traffic_.roots_told(session) > 0;
    if (was_told) has_settled = settle_roots(session);
    const bool asks = setting_.words.asks_for_roots;
    if (was_told ? !has_settled : asks) judge_.overlook_escapes();
  }

  // False where a ping was not answered: what it knows by then, nobody knows.
  bool settle_roots(int session) {
    const auto settled = Clock::now() + kRootsTime;
    while (is_alive() && ping_in(session)) {
      if (Clock::now() >= settled) return true;
      traffic_.rest(kRootsPingEvery);
    }
    return false;
  }

  bool ping_in(int session) {
    return fate_of(ask_ping(session), setting_.waits.ping) == Fate::kAnswered;
  }

  Asked ask_ping(int session) {
    const wire::Id id = wire::Id::of_string(fmt::format("assay-ping-{}", ++asked_));
    return ask(session, id, fence_text(setting_.words, id));
  }

  Asked ask(int session, const wire::Id& id, const std::string& text) {
    return {id, traffic_.send(session, text)};
  }

  Fate fate_of(const Asked& asked, std::chrono::milliseconds patience) {
    const ExchangeFate done = traffic_.wait_for(asked.key, patience);
    if (is_alive() && judge_.is_answered(asked.id)) return Fate::kAnswered;
    if (done.has_broken || !is_alive()) return Fate::kBroken;
    return done.status != 0 ? Fate::kRefused : Fate::kLate;
  }

  void fall_silent(Fate fate) {
    is_silent_ = true;
    // Who refuses to begin another session does not hang: it only cannot be tried any further.
    if (fate == Fate::kRefused) return;
    const std::string detail =
        fate == Fate::kLate
            ? fmt::format("It answered no ping within {} ms, and no new session within {} ms",
                          setting_.waits.ping.count(), setting_.waits.start.count())
            : fmt::format("It answered no ping, and broke off {} attempts to begin anew",
                          kMostBegins);
    judge_.suspect(
        {Oracle::kHang, "no answer to a ping", detail, "", false, traffic_.case_number()});
  }

  const WireSetting setting_;
  LiveJudge judge_;
  HttpTraffic traffic_;
  bool is_silent_ = false;
  std::size_t asked_ = 0;  // requests of our own
};

}  // namespace

std::unique_ptr<Wire> make_http_wire(const WireSetting& setting, bool is_fresh) {
  return std::make_unique<HttpWire>(setting, is_fresh);
}

}  // namespace assay::fuzz
