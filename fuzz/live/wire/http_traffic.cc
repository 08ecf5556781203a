#include "fuzz/live/wire/http_traffic.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "fuzz/live/judge/http_rules.h"
#include "fuzz/live/target/era.h"
#include "fuzz/live/target/sandbox.h"
#include "fuzz/live/target/text.h"
#include "reference/wire/message.h"

namespace assay::fuzz {
namespace {

using transport::Observation;
using Clock = HttpTraffic::Clock;

// For what may rightly stay open, such as a stream, or a request that was cut off; and for the end
// of a stream on which the answer has come.
constexpr std::chrono::milliseconds kGlance{80};
constexpr std::chrono::milliseconds kSessionEndTime{200};
// What a mark and the id that it is part of consist of.
constexpr std::string_view kMarkCharacters = "abcdefghijklmnopqrstuvwxyz0123456789-";
constexpr std::string_view kAcknowledged = "\"notifications/subscriptions/acknowledged\"";
constexpr std::size_t kMostRaw = 8;  // raw requests at once, a thread each

bool is_event_stream(const transport::HttpHead& head) {
  return transport::media_type(head.headers) == "text/event-stream";
}

bool calls_tool(const Step& step) {
  return step.bytes.find("\"tools/call\"") != std::string::npos ||
         step.bytes.find("\"tasks/result\"") != std::string::npos;
}

}  // namespace

HttpTraffic::HttpTraffic(const WireSetting& setting, LiveJudge& judge)
    : setting_(setting),
      judge_(judge),
      courtesy_(setting.words),
      inbox_(setting.transcript, setting.access.budget),
      workers_(kMostRaw, 2 * kMostAtOnce) {
  for (const int session : {0, 1}) {
    sides_[index(session)].link = setting.access.connect(inbox_.session(session));
  }
}

HttpTraffic::~HttpTraffic() {
  close();
}

std::optional<transport::Failure> HttpTraffic::open() {
  for (Side& side : sides_) {
    if (auto trouble = side.link.transport->open()) return trouble;
  }
  return std::nullopt;
}

void HttpTraffic::close() {
  if (std::exchange(is_closed_, true)) return;
  // A server that is left with our sessions may come to have too many of them.
  std::set<Key> ending;
  for (const int session : {0, 1}) {
    if (sides_[index(session)].has_ended || !goes_on()) continue;
    if (const auto lane = client(session).end_session())
      ending.insert(lane_key(lane->number, session));
  }
  const auto deadline = Clock::now() + kSessionEndTime;
  while (!ending.empty() && Clock::now() < deadline) {
    for (const HttpEvent& event : inbox_.take(deadline, {})) {
      const bool is_end = event.observation.kind == Observation::Kind::kClosed ||
                          event.observation.kind == Observation::Kind::kBroken;
      if (!event.raw && is_end) ending.erase(lane_key(event.number, event.session));
    }
  }
  for (Side& side : sides_) side.link.transport->close(Clock::now() + kSessionEndTime);
}

void HttpTraffic::renew(int session) {
  // Servers may leave it open when the session is over, and each takes a thread.
  if (const auto stream = std::exchange(sides_[index(session)].stream, std::nullopt)) {
    client(session).abandon(*stream);
  }
  client(session).set_session_id(std::nullopt);
  sides_[index(session)].has_ended = false;
  sides_[index(session)].roots_told = 0;
}

void HttpTraffic::start(const Case& made, std::size_t number) {
  while (goes_on() && count_prompt() >= kMostAtOnce) pump(Clock::time_point::max());
  if (!goes_on()) return;
  case_number_ = number;
  auto run = std::make_shared<Run>(Run{made, number});
  runs_[number] = run;
  advance(run);
}

// Begins the steps that wait for nothing any more.
void HttpTraffic::advance(const RunPtr& run) {
  while (goes_on() && !run->waits_for && !run->waits_for_raw &&
         run->next < run->made.steps.size()) {
    start_step(run, run->made.steps[run->next++]);
  }
  if (run->open == 0 && run->next >= run->made.steps.size()) runs_.erase(run->number);
}

void HttpTraffic::start_step(const RunPtr& run, const Step& step) {
  if (step.kind == Step::Kind::kSocket) {
    start_raw(run, step);
    return;
  }
  const Sandbox* sandbox = setting_.words.sandbox;
  std::string body = states_.fill(sandbox == nullptr ? step.bytes : sandbox->told(step.bytes));
  while (!body.empty() && body.back() == '\n') body.pop_back();
  transport::HttpRequest request = request_of(body, step.headers);
  request.method = step.method;
  const bool may_stay_open = step.method != "POST" || step.kind == Step::Kind::kHttp;
  Open open;
  open.run = run;
  open.step = &step;
  open.case_number = run->number;
  open.deadline = Clock::now() + (may_stay_open ? kGlance : setting_.waits.answer);
  open.delay = may_stay_open      ? Delay::kConnection
               : calls_tool(step) ? Delay::kTool
                                  : Delay::kAnswer;
  open.had_ended = sides_[index(step.session)].has_ended;
  const std::uint64_t number = client(step.session).start(std::move(request)).number;
  const Key key = lane_key(number, step.session);
  if (step.kind == Step::Kind::kHttp) open.body = body;
  ++run->open;
  if (!step.overlaps) run->waits_for = key;
  begin(key, body, std::move(open));
  if (step.end == Step::End::kAbandon) {
    client(step.session).abandon({transport::Lane::Kind::kHttp, number});
    judge_.refuse_lane(key);
  }
}

HttpTraffic::Open& HttpTraffic::begin(Key key, std::string_view body, Open open) {
  open.began = Clock::now();
  const std::size_t number = open.case_number;
  Open& kept = open_[key] = std::move(open);
  judge_.sent(body, number, key);
  return kept;
}

void HttpTraffic::start_raw(const RunPtr& run, const Step& step) {
  const transport::HttpClient& own = client(step.session);
  if (own.endpoint().is_tls) return;
  const std::string bytes =
      with_places(step.bytes, own.endpoint(), own.session_id().value_or("assay-no-session"));
  judge_.sent_loosely(step.bytes, run->number);
  const std::uint64_t number = ++last_raw_;
  const bool is_taken = workers_.run(
      [this, number, url = own.endpoint(), bytes, end = step.end, stop = setting_.stop] {
        inbox_.add_raw(number, send_raw_bytes(url, bytes, end, kGlance, stop));
      });
  if (!is_taken) return;
  ++run->open;
  if (!step.overlaps) run->waits_for_raw = number;
  raws_[number] = {run, &step};
}

// With the fields that repeat parts of the body, in the revisions that have them, and `own` in
// their place.
transport::HttpRequest HttpTraffic::request_of(const std::string& body,
                                               const transport::Headers& own) const {
  transport::HttpRequest request;
  request.body = body;
  request.headers = own;
  request.with_session_headers = setting_.words.revision.has_sessions();
  for (const auto& [field, value] : repeated_fields(setting_.words, body)) {
    if (!transport::find_header(own, field)) request.headers.emplace_back(field, value);
  }
  return request;
}

HttpTraffic::Key HttpTraffic::send(int session, const std::string& text) {
  const bool has_sessions = setting_.words.revision.has_sessions();
  const std::uint64_t number =
      (has_sessions ? client(session).send(text) : client(session).start(request_of(text, {})))
          .number;
  Open open;
  open.case_number = case_number_;
  open.deadline = Clock::time_point::max();
  const Key key = lane_key(number, session);
  begin(key, text, std::move(open));
  return key;
}

void HttpTraffic::pump(Clock::time_point deadline) {
  for (const auto& [key, open] : open_) deadline = std::min(deadline, open.deadline);
  const auto start = Clock::now();
  const auto delay = waited_for();
  // A tool becomes one that is left behind by the clock alone.
  deadline = std::min(deadline, start + kPromptTime);
  for (HttpEvent& event : inbox_.take(deadline, setting_.stop)) {
    if (setting_.stop.stop_requested()) break;
    take(std::move(event));
  }
  const auto now = Clock::now();
  if (delay) delays_.add(*delay, now - start);
  if (inbox_.is_flooded() || setting_.stop.stop_requested()) {
    if (goes_on()) state_ = WireState::kCut;
    judge_.drop_open();
    return;
  }
  std::vector<Key> over;
  for (const auto& [key, open] : open_) {
    if (open.run && (open.exchange.is_over || now >= open.deadline)) over.push_back(key);
  }
  for (const Key key : over) finish(key);
}

void HttpTraffic::take(HttpEvent event) {
  if (event.raw) {
    take_raw(event.number, *event.raw);
    return;
  }
  const Key key = lane_key(event.number, event.session);
  const auto found = open_.find(key);
  Open* open = found == open_.end() ? nullptr : &found->second;
  const Observation& observation = event.observation;
  switch (observation.kind) {
    case Observation::Kind::kHttpResponse: {
      const int status = observation.http->status;
      const std::string_view method =
          open == nullptr || open->step == nullptr ? "" : std::string_view(open->step->method);
      if (status >= 400) judge_.refuse_lane(key);
      judge_.add_shape(hash(fmt::format("{} {}", status, method)),
                       open == nullptr ? case_number_ : open->case_number);
      if (open == nullptr) break;
      open->exchange.status = status;
      // A stream stays open; that it has begun is all there is to wait for.
      if (method == "GET" && is_event_stream(*observation.http)) open->deadline = Clock::now();
      break;
    }
    case Observation::Kind::kHttpBody:
    case Observation::Kind::kSseEvent:
      take_message(event, open);
      break;
    case Observation::Kind::kClosed:
      if (open != nullptr) open->exchange.is_over = true;
      break;
    case Observation::Kind::kBroken:
      if (open != nullptr) {
        open->exchange.is_over = true;
        open->exchange.has_broken = observation.speaker == transport::Party::kServer;
      }
      if (observation.bytes.find("refused") != std::string::npos) unreachable(observation.bytes);
      break;
    case Observation::Kind::kCutOff:  // more than we can hold
      if (goes_on()) state_ = WireState::kCut;
      break;
    case Observation::Kind::kLine:
    case Observation::Kind::kStderr:
    case Observation::Kind::kExit:
    case Observation::Kind::kHttpRequest:
      break;
  }
}

void HttpTraffic::take_raw(std::uint64_t number, const RawReply& reply) {
  const auto found = raws_.find(number);
  if (found == raws_.end()) return;
  const auto [run, step] = found->second;
  raws_.erase(found);
  --run->open;
  if (run->waits_for_raw == number) run->waits_for_raw.reset();
  if (!reply.is_connected && !setting_.stop.stop_requested()) {
    unreachable("nothing accepts connections any more");
    return;
  }
  case_number_ = run->number;
  hear_status(reply.status, "a request of raw bytes");
  if (reply.status != 0) judge_.add_shape(hash(fmt::format("raw {}", reply.status)), run->number);
  advance(run);
}

void HttpTraffic::take_message(const HttpEvent& event, Open* open) {
  const auto bytes = event.observation.message();
  if (!bytes) return;
  states_.note(*bytes);
  const bool is_result = bytes->find("\"result\"") != std::string_view::npos;
  if (open != nullptr && is_result) open->has_result = true;
  const std::size_t number = open == nullptr ? case_number_ : open->case_number;
  const std::size_t mark = bytes->find(session_mark(1 - event.session));
  if (mark != std::string_view::npos) {
    // It is laid to the case that said it: that says something in both sessions.
    const std::string_view said = bytes->substr(mark);
    const std::string id(said.substr(0, said.find_first_not_of(kMarkCharacters)));
    judge_.suspect(
        {Oracle::kOtherSession, "mark of another session",
         fmt::format("A session was told what only the other one said: {}", shown(*bytes)), "",
         false, judge_.case_of(wire::Id::of_string(id)).value_or(number)});
  }
  const Key key = lane_key(event.number, event.session);
  const auto request = judge_.heard(*bytes, key);
  // A subscription stays open; that it has begun is all there is to wait for.
  if (open != nullptr && bytes->find(kAcknowledged) != std::string_view::npos) {
    open->deadline = Clock::now();
  }
  if (open != nullptr && judge_.has_answered(key)) {
    open->delay = Delay::kOpenStream;
    open->deadline = std::min(open->deadline, Clock::now() + kGlance);
  }
  if (!request || !request->id()) return;
  // Its own exchange is looked at together with the others.
  const std::string answer = courtesy_.answer(*request, manners_);
  client(event.session).send(answer);
  judge_.sent(answer, number);
  if (request->method() == kRootsMethod) ++sides_[index(event.session)].roots_told;
}

// The exchange is over, or has had its time: takes it away, and lets its case go on.
void HttpTraffic::finish(Key key) {
  const auto found = open_.find(key);
  if (found == open_.end()) return;
  const Open done = std::move(found->second);
  open_.erase(found);
  const int session = session_of(key);
  if (!done.exchange.is_over) {
    client(session).abandon({transport::Lane::Kind::kHttp, key / 2});
  }
  const bool is_own = done.run == nullptr;
  const bool was_refused = done.exchange.status >= 400;
  const bool was_odd = !is_own && done.step->kind != Step::Kind::kBytes;
  // What is cut short says nothing, nor does an exchange of our own, which is tried again.
  const bool is_cut = !goes_on() || (is_own && done.exchange.has_broken);
  if (was_refused || was_odd || is_cut) {
    judge_.refuse_lane(key);
  } else {
    judge_.close_lane(key);
  }
  const std::string_view method = is_own ? "POST" : std::string_view(done.step->method);
  const std::size_t newest = std::exchange(case_number_, done.case_number);
  hear_status(done.exchange.status, method);
  if (done.exchange.status >= 200 && done.exchange.status < 300 && !is_own) {
    check_success(done, session);
  }
  case_number_ = newest;
  if (is_own) return;
  --done.run->open;
  if (done.run->waits_for == key) done.run->waits_for.reset();
  advance(done.run);
}

void HttpTraffic::check_success(const Open& open, int session) {
  Side& side = sides_[index(session)];
  const bool has_session = client(session).session_id().has_value();
  if (auto wrong =
          wrong_http_success(setting_.words, *open.step, client(session).endpoint(), has_session,
                             open.had_ended, open.has_result ? open.body : std::string_view())) {
    wrong->case_number = open.case_number;
    judge_.suspect(std::move(*wrong));
  }
  if (open.step->method == "DELETE" && has_session) side.has_ended = true;
}

void HttpTraffic::hear_status(int status, std::string_view what) {
  // What a server may rightly say of a method or version it does not know, or when it is busy.
  const bool is_excused = status == 501 || status == 503 || status == 505;
  if (status < 500 || is_excused) return;
  judge_.suspect({Oracle::kServerError, fmt::format("HTTP {} to {}", status, shown(what, 40)),
                  fmt::format("It answered {} with HTTP {}", shown(what, 40), status), "", false,
                  case_number_});
}

void HttpTraffic::unreachable(std::string_view why) {
  if (state_ == WireState::kGone || is_closed_) return;
  state_ = WireState::kGone;
  judge_.suspect({Oracle::kCrash, "unreachable",
                  fmt::format("It cannot be reached any more: {}", shown(why)), "", false,
                  case_number_});
}

}  // namespace assay::fuzz
