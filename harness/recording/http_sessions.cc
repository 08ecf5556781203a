#include "harness/recording/http_sessions.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "harness/monitors/trace.h"
#include "harness/recording/session_builder.h"
#include "reference/transport/observer.h"
#include "reference/wire/compose.h"
#include "reference/wire/form.h"
#include "reference/wire/message.h"

namespace assay::harness {
namespace {

using Kind = transport::Observation::Kind;

constexpr const char* kSeveralClients =
    "several clients may have spoken, and the server gives no session ids";

// What is known of one endpoint by now.
struct Endpoint {
  std::map<std::string, std::string> agents;  // of those who were given ids
  int without_id = 0;                         // sessions without one that have begun
  std::set<std::string> request_ids;          // where there are no sessions
  std::set<std::string> clients;              // the User-Agents there
};

class SessionNamer {
 public:
  explicit SessionNamer(const std::vector<SessionMarks>& exchanges) {
    for (const SessionMarks& each : exchanges) {
      if (each.asked) sent_.insert({each.endpoint, *each.asked});
    }
  }

  HttpSessionName next(const SessionMarks& marks) {
    Endpoint& endpoint = endpoints_[marks.endpoint];
    if (marks.given && marks.is_initialize) endpoint.agents[*marks.given] = marks.agent;
    if (marks.is_initialize && marks.given) return named(marks, *marks.given);
    if (marks.asked && endpoint.agents.contains(*marks.asked)) return named(marks, *marks.asked);
    if (const std::string* only = only_session(marks, endpoint)) return named(marks, *only);
    if (marks.asked) return named(marks, *marks.asked);
    if (marks.given) return named(marks, *marks.given);
    return without_id(marks, endpoint);
  }

 private:
  static HttpSessionName named(const SessionMarks& marks, const std::string& id) {
    return {marks.endpoint + "\nid " + id, ""};
  }

  // The one to which it belongs though it does not say so; null if there is none.
  const std::string* only_session(const SessionMarks& marks, const Endpoint& endpoint) const {
    if (marks.is_initialize || marks.names_revision || !marks.is_mcp) return nullptr;
    if (endpoint.agents.size() != 1 || endpoint.without_id > 0) return nullptr;
    const auto& [id, agent] = *endpoint.agents.begin();
    if (agent != marks.agent) return nullptr;
    if (marks.asked && sent_.contains({marks.endpoint, id})) return nullptr;
    return &id;
  }

  static HttpSessionName without_id(const SessionMarks& marks, Endpoint& endpoint) {
    if (marks.is_initialize) ++endpoint.without_id;
    int number = endpoint.without_id;
    bool is_doubtful = number > 1;
    if (marks.names_revision) {
      // Each request stands for itself, and is of no handshake that passed before it; an id that
      // comes again is another client's, or a breach.
      number = 0;
      endpoint.clients.insert(marks.agent);
      const bool is_new = marks.id.empty() || endpoint.request_ids.insert(marks.id).second;
      is_doubtful = !is_new || endpoint.clients.size() > 1;
    }
    return {marks.endpoint + "\nnumber " + std::to_string(number),
            is_doubtful ? kSeveralClients : ""};
  }

  std::set<std::pair<std::string, std::string>> sent_;  // ids that requests carry, by endpoint
  std::map<std::string, Endpoint> endpoints_;
};

// One exchange, as far as it tells of its session.
struct Passed {
  std::string method;
  std::string target;
  HttpSessionName session;  // once it is known
  SessionMarks marks;
  bool has_message = false;
  std::string messages;  // of an older stream: where they are sent
};

// What a stream of the older pair gives: a path with a query, or a whole URL.
std::string target_in(const std::string& endpoint) {
  const std::size_t scheme = endpoint.find("://");
  if (scheme == std::string::npos) return endpoint;
  const std::size_t path = endpoint.find('/', scheme + 3);
  return path == std::string::npos ? "/" : endpoint.substr(path);
}

void note_request(const Event& event, const transport::HttpHead& head, Passed& passed) {
  SessionMarks& marks = passed.marks;
  passed.method = head.method;
  passed.target = head.target;
  marks.endpoint = wire::path_in(head.target);
  const auto asked = transport::find_header(head.headers, "Mcp-Session-Id");
  if (asked) marks.asked = std::string(*asked);
  marks.agent = transport::find_header(head.headers, "User-Agent").value_or("");
  const wire::Message* message = event.message();
  passed.has_message = message != nullptr && message->kind() != wire::MessageKind::kMalformed;
  const auto accept = transport::find_header(head.headers, "Accept").value_or("");
  const bool asks_for_stream =
      head.method == "GET" && accept.find("text/event-stream") != std::string_view::npos;
  marks.is_mcp = passed.has_message || asks_for_stream || head.method == "DELETE";
  if (!passed.has_message) return;
  marks.is_initialize = message->method() == "initialize";
  marks.names_revision = revision_of(*message).has_value();
  if (message->kind() == wire::MessageKind::kRequest) {
    marks.id = wire::encode(wire::to_json(*message->id()));
  }
}

void note(const Event& event, Passed& passed) {
  const auto& observation = event.observation;
  if (const transport::HttpHead* head = observation.http()) {
    const auto id = transport::find_header(head->headers, "Mcp-Session-Id");
    if (observation.kind == Kind::kHttpRequest) {
      note_request(event, *head, passed);
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

void name_sessions(Exchanges& exchanges, const std::string& endpoint) {
  std::set<std::string> endpoints;
  if (!endpoint.empty()) endpoints.insert(endpoint);
  std::map<std::string, std::string> older;  // where messages are sent -> the session
  for (auto& [lane, passed] : exchanges.all) {
    if (passed.has_message) endpoints.insert(passed.marks.endpoint);
    if (passed.messages.empty()) continue;
    passed.session.name = "older " + lane.text();
    older[passed.messages] = passed.session.name;
  }
  std::vector<Passed*> unnamed;
  std::vector<SessionMarks> marks;
  for (const transport::Lane lane : exchanges.order) {
    Passed& passed = exchanges.all[lane];
    // Browsers ask first whether they may.
    if (!passed.session.name.empty() || passed.method == "OPTIONS") continue;
    const auto of_older = older.find(passed.target);
    if (of_older != older.end()) {
      passed.session.name = of_older->second;
    } else if (endpoints.contains(passed.marks.endpoint)) {
      unnamed.push_back(&passed);
      marks.push_back(passed.marks);
    }
  }
  const std::vector<HttpSessionName> names = sessions_of(marks);
  for (std::size_t i = 0; i < names.size(); ++i) unnamed[i]->session = names[i];
}

// One session while it is put together.
struct SessionPart {
  SessionBuilder builder;
  std::string doubt = {};
  bool has_handshake = true;
};

}  // namespace

std::vector<HttpSessionName> sessions_of(const std::vector<SessionMarks>& exchanges) {
  SessionNamer namer(exchanges);
  std::vector<HttpSessionName> names;
  for (const SessionMarks& each : exchanges) names.push_back(namer.next(each));
  return names;
}

std::vector<RecordedSession> split_http(const RecordedSession& all, const std::string& endpoint) {
  Exchanges exchanges = exchanges_in(all.events);
  name_sessions(exchanges, endpoint);
  std::vector<std::string> order;
  std::map<std::string, SessionPart> parts;
  for (const EventPtr& event : all.events) {
    const auto found = exchanges.all.find(event->observation.lane);
    if (found == exchanges.all.end() || found->second.session.name.empty()) continue;
    const auto& [name, doubt] = found->second.session;
    const bool is_older = name.starts_with("older ");
    const auto [part, is_new] = parts.try_emplace(
        name, SessionPart{SessionBuilder(
                  nullptr, is_older ? TransportKind::kHttpSse : TransportKind::kHttp)});
    if (is_new) order.push_back(name);
    if (!doubt.empty()) part->second.doubt = doubt;
    if (found->second.marks.names_revision) part->second.has_handshake = false;
    part->second.builder.add(event);
  }
  const bool is_cut = !all.events.empty() && all.events.back()->observation.kind == Kind::kCutOff;
  std::vector<RecordedSession> out;
  for (const std::string& name : order) {
    SessionPart& part = parts.at(name);
    // Where there is no handshake, what we stood by from the beginning has no other one.
    const bool is_beginning_known = all.gap.empty() && !part.has_handshake;
    RecordedSession& session = out.emplace_back(part.builder.finish(is_beginning_known));
    if (session.gap.empty()) session.gap = all.gap.empty() ? part.doubt : all.gap;
    session.is_whole = session.is_whole && !is_cut;
    session.is_altered = all.is_altered;
    session.fallback = all.fallback;
  }
  return out;
}

}  // namespace assay::harness
