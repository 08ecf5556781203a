#include "harness/interop/act_traffic.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>

#include "harness/interop/login_sight.h"
#include "harness/script/json_member.h"
#include "reference/model/revision.h"
#include "reports/escape.h"

namespace assay::harness {
namespace {

using reports::ActSeen;
using reports::Parting;

constexpr std::size_t kLongestToolText = 200;
constexpr std::array<std::string_view, 4> kListMethods = {
    "tools/list", "resources/list", "resources/templates/list", "prompts/list"};

// A request of the client, where it stands.
struct Ask {
  std::size_t session = 0;
  const Dialogue* dialogue = nullptr;
  const Asked* asked = nullptr;
};
using Asks = std::vector<Ask>;
// Why that exchange was no success; empty if it was one.
using WhyNot = std::function<std::string(const Ask&)>;

std::string refused_or_silent(const Ask& ask) {
  if (ask.asked->is_result()) return "";
  if (ask.asked->answer || ask.asked->refusal) {
    return fmt::format("the server refused {}: {}", ask.asked->method, ask.asked->fate());
  }
  return fmt::format("{} had no answer", ask.asked->method);
}

// The first text of a tool's result.
std::string tool_text(const Json& result) {
  for (const Json& content : array_member(result, "content")) {
    const std::string_view text = text_member(content, "text");
    if (!text.empty()) return reports::printable_line(reports::cut(text, kLongestToolText));
  }
  return "";
}

std::string why_call_failed(const Ask& ask) {
  if (std::string why = refused_or_silent(ask); !why.empty()) return why;
  if (member(ask.asked->result(), "isError") != true) return "";
  return fmt::format("the tool failed: {}", tool_text(ask.asked->result()));
}

bool asks_for_input(const Asked& asked) {
  return member(asked.result(), "inputRequests").is_object();
}

// A sight of what was asked: it worked where one of them did.
ActSight sight_of(const Asks& asks, const WhyNot& why_not) {
  ActSight out;
  for (const Ask& ask : asks) {
    const std::string why = why_not(ask);
    const auto events = ask.dialogue->events_of(*ask.asked);
    if (!why.empty() && out.seen == ActSeen::kWorked) continue;
    if (why.empty() != (out.seen == ActSeen::kWorked)) out.events.clear();
    for (const std::uint64_t n : events) out.events.emplace(ask.session, n);
    out.seen = why.empty() ? ActSeen::kWorked : ActSeen::kFailed;
    out.detail = why;
    out.parting.reset();
    if (!why.empty()) out.parting = Parting{ask.session, ask.asked->last()->n, why};
  }
  return out;
}

// What the recognizers of the acts share.
class Recognizer {
 public:
  explicit Recognizer(const CellView& view) : view_(view) {}

  Asks asks(std::string_view method, Party asker = Party::kClient) const {
    Asks out;
    for (std::size_t i = 0; i < view_.sessions.size(); ++i) {
      if (!is_here(view_.sessions[i])) continue;
      const Dialogue& dialogue = view_.sessions[i].dialogue;
      for (const Asked* asked : dialogue.of(method, asker)) out.push_back({i, &dialogue, asked});
    }
    return out;
  }
  Asks calls_of(const std::optional<ToolUse>& use) const {
    Asks out = asks("tools/call");
    std::erase_if(out, [&](const Ask& ask) {
      return !use || text_member(ask.asked->request.params(), "name") != use->name;
    });
    return out;
  }

  ActSight connect(const reports::Agreement& agreement) const {
    ActSight out;
    out.seen = agreement.revision.empty() ? ActSeen::kFailed : ActSeen::kWorked;
    out.detail = agreement.dead_end;
    Asks opening = asks("initialize");
    for (const Ask& each : asks("server/discover")) opening.push_back(each);
    for (const Ask& each : opening) {
      for (const std::uint64_t n : each.dialogue->events_of(*each.asked)) {
        out.events.emplace(each.session, n);
      }
    }
    if (out.seen == ActSeen::kFailed && !view_.sessions.empty()) out.parting = last_heard();
    if (out.parting) out.parting->why = agreement.dead_end;
    return out;
  }

  // Every list that the client asks for has to come; one with items is enough.
  ActSight list() const {
    ActSight out;
    Asks empty;
    for (const std::string_view method : kListMethods) {
      const Asks all = asks(method);
      if (all.empty()) continue;
      ActSight sight = sight_of(all, refused_or_silent);
      // A client may ask for what no server has to offer.
      const bool is_offered = std::find(view_.offer.lists.begin(), view_.offer.lists.end(),
                                        method) != view_.offer.lists.end();
      if (sight.seen == ActSeen::kFailed && !is_offered) continue;
      if (sight.seen == ActSeen::kFailed) return sight;
      const std::string_view key = method.substr(method.find('/') + 1) == "templates/list"
                                       ? std::string_view("resourceTemplates")
                                       : method.substr(0, method.find('/'));
      const bool has_items = std::any_of(all.begin(), all.end(), [&](const Ask& ask) {
        return !array_member(ask.asked->result(), key).empty();
      });
      if (!has_items && is_offered) empty.insert(empty.end(), all.begin(), all.end());
      if (!has_items) continue;
      out.seen = ActSeen::kWorked;
      out.events.insert(sight.events.begin(), sight.events.end());
    }
    if (out.seen == ActSeen::kWorked || empty.empty()) return out;
    return sight_of(empty, [](const Ask& ask) {
      return fmt::format("the answer to {} lists nothing, though the server has some for others",
                         ask.asked->method);
    });
  }

  ActSight page() const {
    Asks pages;
    for (const std::string_view method : kListMethods) {
      for (const Ask& ask : asks(method)) {
        if (member(ask.asked->request.params(), "cursor").is_string()) pages.push_back(ask);
      }
    }
    return sight_of(pages, refused_or_silent);
  }

  // Any tool that has no other use here.
  ActSight call() const {
    Asks all = asks("tools/call");
    std::erase_if(all, [&](const Ask& ask) {
      const std::string_view name = text_member(ask.asked->request.params(), "name");
      if (view_.offer.call && view_.offer.call->name == name) return false;
      for (const auto* use :
           {&view_.offer.progress, &view_.offer.slow, &view_.offer.sample, &view_.offer.elicit,
            &view_.offer.update, &view_.offer.breaks_stream}) {
        if (*use && (*use)->name == name) return true;
      }
      return false;
    });
    return sight_of(all, why_call_failed);
  }

  ActSight progress() const {
    Asks all = calls_of(view_.offer.progress);
    std::erase_if(all, [](const Ask& ask) {
      return member(member(ask.asked->request.params(), "_meta"), "progressToken").is_null() ||
             ask.asked->given_up;
    });
    return sight_of(all, [](const Ask& ask) {
      if (std::string why = why_call_failed(ask); !why.empty()) return why;
      return ask.asked->progress.empty() ? std::string("no progress was reported before the answer")
                                         : std::string();
    });
  }

  ActSight cancel() const {
    Asks all = calls_of(view_.offer.slow);
    std::erase_if(all, [](const Ask& ask) { return !ask.asked->given_up; });
    return sight_of(all, [](const Ask& ask) -> std::string {
      const std::uint64_t since = ask.asked->given_up->n;
      bool went_on = false;
      for (const Asked& later : ask.dialogue->asked()) {
        // It is answered when it ends.
        const bool is_stream = later.method == "subscriptions/listen";
        if (later.asker != Party::kClient || later.event->n < since || later.given_up) continue;
        if (is_stream) continue;
        if (!later.answer) {
          return fmt::format("after the cancellation, {} had no answer", later.method);
        }
        went_on = true;
      }
      // Behind what went on, it ended for another reason.
      const EventPtr end = ask.dialogue->server_end();
      const bool has_ended = !went_on && end && end->n > since;
      return has_ended ? "the server ended after the cancellation" : "";
    });
  }

  ActSight read() const {
    return sight_of(asks("resources/read"), [](const Ask& ask) {
      if (std::string why = refused_or_silent(ask); !why.empty()) return why;
      return array_member(ask.asked->result(), "contents").empty()
                 ? std::string("the resource came without contents")
                 : std::string();
    });
  }

  ActSight subscribe() const {
    Asks all = asks("resources/subscribe");
    for (const Ask& ask : asks("subscriptions/listen")) all.push_back(ask);
    // Without a change there is nothing to be told.
    const Asks changes = calls_of(view_.offer.update);
    std::erase_if(all, [&](const Ask& ask) {
      const bool is_refused = ask.asked->answer && !ask.asked->is_result();
      return !is_refused && std::none_of(changes.begin(), changes.end(), [&](const Ask& change) {
        return change.asked->event->at > ask.asked->event->at;
      });
    });
    return sight_of(all, [](const Ask& ask) -> std::string {
      const bool is_stream = ask.asked->method == "subscriptions/listen";
      if (!is_stream || ask.asked->is_error()) {
        if (std::string why = refused_or_silent(ask); !why.empty()) return why;
      }
      for (const Dialogue::Notice& notice : ask.dialogue->notices()) {
        const bool is_it = notice.message.method() == "notifications/resources/updated";
        if (is_it && notice.event->n > ask.asked->event->n) return "";
      }
      return "the resource changed, and the subscriber was not told";
    });
  }

  ActSight prompt() const {
    return sight_of(asks("prompts/get"), [](const Ask& ask) {
      if (std::string why = refused_or_silent(ask); !why.empty()) return why;
      return array_member(ask.asked->result(), "messages").empty()
                 ? std::string("the prompt came without messages")
                 : std::string();
    });
  }

  ActSight complete() const { return sight_of(asks("completion/complete"), refused_or_silent); }

  // What the server asks of the client, in the middle of a call of that tool.
  ActSight question(const std::optional<ToolUse>& use, std::string_view method,
                    std::string_view capability) const {
    const Asks calls = calls_of(use);
    if (calls.empty()) return {};
    const bool was_asked = !asks(method, Party::kServer).empty() ||
                           std::any_of(calls.begin(), calls.end(),
                                       [](const Ask& call) { return asks_for_input(*call.asked); });
    if (!was_asked && !declares(capability)) {
      ActSight out;
      out.detail = fmt::format("the client does not declare {}", capability);
      return out;
    }
    return sight_of(calls, [&](const Ask& call) -> std::string {
      if (call.asked->given_up) return "the client gave the call up";
      // It goes on in another request.
      if (asks_for_input(*call.asked)) return "the call was not taken up again after the question";
      if (std::string why = why_call_failed(call); !why.empty()) return why;
      return was_asked ? "" : "the tool did not ask the client";
    });
  }
  ActSight sample() const {
    return question(view_.offer.sample, "sampling/createMessage", "sampling");
  }
  ActSight elicit() const {
    return question(view_.offer.elicit, "elicitation/create", "elicitation");
  }

  ActSight resume() const {
    if (view_.transport.has_process()) return {};
    return sight_of(calls_of(view_.offer.breaks_stream), why_call_failed);
  }

  // What came after the first call where the session was ended after it.
  ActSight expire() const {
    ActSight out;
    for (std::size_t i = 0; i < view_.starts.size(); ++i) {
      const std::optional<int>& ended = view_.starts[i].session_end;
      if (!view_.starts[i].start.ends_session) continue;
      Asks calls = of_start(i, calls_of(view_.offer.call));
      if (!ended && !calls.empty()) {
        out.detail = "the server has no sessions, or the client called once";
      } else if (ended && *ended / 100 != 2) {
        out.detail = fmt::format("the server does not end sessions: DELETE got {}", *ended);
      } else if (ended && calls.size() > 1) {
        calls.erase(calls.begin());
        const Asks handshakes = of_start(i, asks("initialize"));
        // Some open more than one session to begin with.
        const bool has_new_session = !handshakes.empty() && handshakes.back().asked->event->at >
                                                                calls.front().asked->event->at;
        return after_expiry(calls, has_new_session);
      }
    }
    return out;
  }

  // Where the two parted, where nothing tells more: at the last that the server said.
  std::optional<Parting> last_heard(std::optional<std::size_t> start = std::nullopt) const {
    std::optional<Parting> out;
    for (std::size_t i = 0; i < view_.sessions.size(); ++i) {
      if (!is_here(view_.sessions[i])) continue;
      if (start && view_.sessions[i].start != *start) continue;
      const EventPtr last = view_.sessions[i].dialogue.last_of_server();
      if (last) out = Parting{i, last->n, ""};
    }
    return out;
  }

 private:
  bool is_here(const ReadSession& session) const {
    return session.is_after_gateway == view_.is_after_gateway;
  }
  Asks of_start(std::size_t start, Asks asks) const {
    std::erase_if(asks, [&](const Ask& ask) { return view_.sessions[ask.session].start != start; });
    std::sort(asks.begin(), asks.end(),
              [](const Ask& a, const Ask& b) { return a.asked->event->at < b.asked->event->at; });
    return asks;
  }
  // The server confirmed the end of the session before these calls. It then has to answer 404, and
  // the client to begin another session. Our own request is not in the record, and a client that
  // ends after a 404 might have gone on later: neither is a verdict.
  ActSight after_expiry(const Asks& calls, bool has_new_session) const {
    ActSight out = sight_of(calls, why_call_failed);
    if (has_new_session) return out;
    if (out.seen == ActSeen::kWorked) {
      out = {};
      out.detail = "the server serves a session whose end it confirmed";
      return out;
    }
    const EventPtr& refusal = calls.front().asked->refusal;
    const bool is_told = refusal && refusal->observation.http()->status == 404;
    out.is_undecided = true;
    out.detail +=
        is_told ? "; a client that gets 404 has to begin a new session "
                  "(http.session-404-new-session), and this one gave up"
                : "; the server had confirmed the end of the session, and then has to answer 404 "
                  "(http.session-terminated-404)";
    return out;
  }
  bool declares(std::string_view capability) const {
    for (const ReadSession& session : view_.sessions) {
      if (!is_here(session)) continue;
      for (const Asked& asked : session.dialogue.asked()) {
        if (asked.asker != Party::kClient) continue;
        const Json& params = asked.request.params();
        const Json& meta =
            member(member(params, "_meta"), "io.modelcontextprotocol/clientCapabilities");
        if (!member(meta, capability).is_null()) return true;
        if (asked.method != "initialize") continue;
        if (!member(member(params, "capabilities"), capability).is_null()) return true;
      }
    }
    return false;
  }

  const CellView& view_;
};

// What the two agreed on says it: neither is an act of its own.
ActSight negotiated(bool is_it, const ActSight& connect, std::string_view otherwise) {
  ActSight out;
  if (is_it) out.seen = connect.seen;
  if (!is_it) out.detail = otherwise;
  if (is_it && connect.seen == ActSeen::kFailed) {
    out.detail = connect.detail;
    out.parting = connect.parting;
  }
  return out;
}

// The place of a revision among all, the oldest first; nothing for one that we do not know.
std::optional<std::size_t> place_among_all(std::string_view text) {
  const auto revision = model::Revision::parse(text);
  const auto all = model::Revision::all();
  if (!revision) return std::nullopt;
  return static_cast<std::size_t>(std::find(all.begin(), all.end(), *revision) - all.begin());
}

// The client asked for a newer revision first than the server speaks (`is_newer`), or for an older
// one than the server's newest.
bool is_asked_other(const CellView& view, const reports::Agreement& agreement, bool is_newer) {
  const auto asked = place_among_all(agreement.asked);
  const auto newest = place_among_all(view.offer.newest);
  if (!asked || !newest) return false;
  return is_newer ? *asked > *newest : *asked < *newest;
}

// The client was refused only because it had no token.
ActSight kept_out() {
  ActSight out;
  out.seen = ActSeen::kNotReached;
  out.detail = "the server asks for a token, and the client did not log in";
  return out;
}

ActSight sight_of(std::string_view act, const Recognizer& seen, const CellView& view,
                  const reports::Agreement& agreement, const ActSight& connect) {
  if (act == "connect") return connect;
  if (act == "list") return seen.list();
  if (act == "page") return seen.page();
  if (act == "call") return seen.call();
  if (act == "progress") return seen.progress();
  if (act == "cancel") return seen.cancel();
  if (act == "read") return seen.read();
  if (act == "subscribe") return seen.subscribe();
  if (act == "prompt") return seen.prompt();
  if (act == "complete") return seen.complete();
  if (act == "sample") return seen.sample();
  if (act == "elicit") return seen.elicit();
  if (act == "resume") return seen.resume();
  if (act == "expire") return seen.expire();
  if (act == "down") {
    return negotiated(is_asked_other(view, agreement, true), connect,
                      "the client did not ask for a revision that is too new for the server");
  }
  if (act == "up") {
    return negotiated(is_asked_other(view, agreement, false), connect,
                      "the client asked for the newest revision of the server, or for a newer one");
  }
  return {};
}

}  // namespace

std::vector<ActSight> by_traffic(const CellView& view, const reports::Agreement& agreement) {
  const Recognizer seen(view);
  ActSight connect = seen.connect(agreement);
  const LoginSight login = login_in(view);
  if (login.is_kept_out) connect = kept_out();
  std::vector<ActSight> out;
  for (const reports::PairActInfo& info : reports::pair_acts()) {
    out.push_back(info.id == "login" ? login.act
                                     : sight_of(info.id, seen, view, agreement, connect));
  }
  return out;
}

std::optional<Parting> last_heard(const CellView& view, std::size_t start) {
  return Recognizer(view).last_heard(start);
}

}  // namespace assay::harness
