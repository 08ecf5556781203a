#include "harness/recording/http_sessions.h"

#include <set>
#include <utility>

#include "harness/recording/session_builder.h"
#include "reference/transport/observer.h"

namespace assay::harness {
namespace {

using Kind = transport::Observation::Kind;

// One exchange, as far as it tells of its session.
struct Passed {
  std::string method;
  std::string target;
  std::string session;  // once it is known
  SessionMarks marks;
  bool is_mcp = false;   // a message was sent, or an older stream named where to send some
  std::string messages;  // of an older stream: where
};

std::string path_in(const std::string& target) {
  return target.substr(0, target.find_first_of("?#"));
}

// What a stream of the older pair gives: a path with a query, or a whole URL.
std::string target_in(const std::string& endpoint) {
  const std::size_t scheme = endpoint.find("://");
  if (scheme == std::string::npos) return endpoint;
  const std::size_t path = endpoint.find('/', scheme + 3);
  return path == std::string::npos ? "/" : endpoint.substr(path);
}

void note(const Event& event, Passed& passed) {
  const auto& observation = event.observation;
  if (const transport::HttpHead* head = observation.http()) {
    const auto id = transport::find_header(head->headers, "Mcp-Session-Id");
    if (observation.kind == Kind::kHttpRequest) {
      passed.method = head->method;
      passed.target = head->target;
      passed.marks.endpoint = path_in(head->target);
      if (id) passed.marks.asked = std::string(*id);
      const wire::Message* message = event.message();
      passed.is_mcp = message != nullptr && message->kind() != wire::MessageKind::kMalformed;
      passed.marks.is_initialize = passed.is_mcp && message->method() == "initialize";
    } else if (id) {
      passed.marks.given = std::string(*id);
    }
  }
  const wire::SseEvent* sse = observation.event();
  if (sse != nullptr && sse->event == "endpoint") passed.messages = target_in(sse->data);
}

// Every exchange by its lane, in the order in which they began.
struct Exchanges {
  std::map<transport::Lane, Passed> all;
  std::vector<transport::Lane> order;
};

Exchanges exchanges_in(const std::vector<EventPtr>& events) {
  Exchanges out;
  for (const EventPtr& event : events) {
    const transport::Lane lane = event->observation.lane;
    if (lane.kind != transport::Lane::Kind::kHttp) continue;
    const auto [found, is_new] = out.all.try_emplace(lane);
    if (is_new) out.order.push_back(lane);
    note(*event, found->second);
  }
  return out;
}

void name_sessions(Exchanges& exchanges) {
  std::set<std::string> endpoints;
  std::map<std::string, std::string> older;  // where messages are sent -> the session
  for (auto& [lane, passed] : exchanges.all) {
    if (passed.is_mcp) endpoints.insert(passed.marks.endpoint);
    if (passed.messages.empty()) continue;
    passed.session = "older " + lane.text();
    older[passed.messages] = passed.session;
  }
  HttpSessions names;
  for (const transport::Lane lane : exchanges.order) {
    Passed& passed = exchanges.all[lane];
    if (!passed.session.empty()) continue;
    const auto of_older = older.find(passed.target);
    if (of_older != older.end()) {
      passed.session = of_older->second;
    } else if (endpoints.contains(passed.marks.endpoint)) {
      passed.session = names.name_of(passed.marks);
    }
  }
}

}  // namespace

std::string HttpSessions::name_of(const SessionMarks& marks) {
  const auto& id = marks.asked ? marks.asked : marks.given;
  if (id) return marks.endpoint + "\nid " + *id;
  int& begun = without_id_[marks.endpoint];
  if (marks.is_initialize) ++begun;
  return marks.endpoint + "\nnumber " + std::to_string(begun);
}

std::vector<RecordedSession> split_http(const RecordedSession& all) {
  Exchanges exchanges = exchanges_in(all.events);
  name_sessions(exchanges);
  std::vector<std::string> order;
  std::map<std::string, SessionBuilder> builders;
  for (const EventPtr& event : all.events) {
    const auto found = exchanges.all.find(event->observation.lane);
    if (found == exchanges.all.end() || found->second.session.empty()) continue;
    const std::string& name = found->second.session;
    const bool is_older = name.starts_with("older ");
    const auto [builder, is_new] = builders.try_emplace(
        name, nullptr, is_older ? TransportKind::kHttpSse : TransportKind::kHttp);
    if (is_new) order.push_back(name);
    builder->second.add(event);
  }
  const bool is_cut = !all.events.empty() && all.events.back()->observation.kind == Kind::kCutOff;
  std::vector<RecordedSession> out;
  for (const std::string& name : order) {
    RecordedSession& session = out.emplace_back(builders.at(name).finish(false));
    if (session.gap.empty()) session.gap = all.gap;
    session.is_whole = session.is_whole && !is_cut;
    session.is_altered = all.is_altered;
    session.fallback = all.fallback;
  }
  return out;
}

}  // namespace assay::harness
