// How a client and a server come to a common revision: specification, basic/lifecycle and, since
// 2026-07-28, basic/versioning.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "harness/interop/act_sights.h"
#include "harness/script/json_member.h"
#include "reports/escape.h"

namespace assay::harness {
namespace {

constexpr std::size_t kLongestRevision = 40;
constexpr const char* kVersionInMeta = "io.modelcontextprotocol/protocolVersion";

std::string shown_revision(std::string_view text) {
  return reports::printable_line(reports::cut(text, kLongestRevision));
}

// The revision that a request is in, or asks for.
std::string named_in(const wire::Message& request) {
  const Json& params = request.params();
  if (request.method() == "initialize")
    return shown_revision(text_member(params, "protocolVersion"));
  return shown_revision(text_member(member(params, "_meta"), kVersionInMeta));
}

// The requests of the client's first start, in the order of time, with the session of each.
struct Opening {
  const Asked* asked = nullptr;
  const ReadSession* session = nullptr;
};

std::vector<Opening> openings_of(const CellView& view) {
  std::vector<Opening> out;
  for (const ReadSession& session : view.sessions) {
    if (session.start != view.sessions.front().start || session.is_after_gateway) continue;
    for (const Asked& asked : session.dialogue.asked()) {
      if (asked.asker == Party::kClient) out.push_back({&asked, &session});
    }
  }
  std::stable_sort(out.begin(), out.end(), [](const Opening& a, const Opening& b) {
    return a.asked->event->at < b.asked->event->at;
  });
  return out;
}

std::string step_text(const Asked& asked, const std::string& named) {
  const std::string what =
      named.empty() ? asked.method : fmt::format("{} ({})", asked.method, named);
  if (asked.method == "initialize" && asked.is_result()) {
    return fmt::format("{}: {}", what,
                       shown_revision(text_member(asked.result(), "protocolVersion")));
  }
  return fmt::format("{}: {}", what, asked.fate());
}

// What that exchange settled; empty if nothing.
std::string settled_by(const Opening& opening) {
  const Asked& asked = *opening.asked;
  if (!asked.is_result()) return "";
  // The answer came too late: the client went another way.
  if (asked.given_up && asked.given_up->n < asked.answer->n) return "";
  if (asked.method == "initialize") {
    const bool goes_on = opening.session->dialogue.client_went_on_after(asked.answer);
    return goes_on ? shown_revision(text_member(asked.result(), "protocolVersion")) : "";
  }
  const std::string named = named_in(asked.request);
  // Where each message names its revision, one that is answered is enough.
  return named;
}

// The client asked for more than that: some open a session only to see whether they can.
bool is_used(const Opening& opening) {
  const auto& all = opening.session->dialogue.asked();
  return std::any_of(all.begin(), all.end(), [](const Asked& asked) {
    return asked.asker == Party::kClient && asked.method != "initialize" &&
           asked.method != "server/discover" && asked.method != "ping";
  });
}

// The exchange that settled the revision of the session that the client uses; where it uses none,
// the first that settled one.
const Opening* settling_of(const std::vector<Opening>& openings) {
  const Opening* first = nullptr;
  for (const Opening& each : openings) {
    if (settled_by(each).empty()) continue;
    if (is_used(each)) return &each;
    if (first == nullptr) first = &each;
  }
  return first;
}

}  // namespace

reports::Agreement agreement_of(const CellView& view) {
  reports::Agreement out;
  if (view.sessions.empty()) {
    out.dead_end = "the client did not speak to the server";
    return out;
  }
  const std::vector<Opening> openings = openings_of(view);
  const Opening* settling = settling_of(openings);
  for (const Opening& each : openings) {
    const std::string named = named_in(each.asked->request);
    if (out.asked.empty()) out.asked = named;
    out.steps.push_back(step_text(*each.asked, named));
    if (&each != settling) continue;
    out.revision = settled_by(each);
    const auto took = each.asked->answer->at - openings.front().asked->event->at;
    out.took_ms = std::chrono::duration<double, std::milli>(took).count();
    return out;
  }
  if (openings.empty()) {
    out.dead_end = "the client sent no request";
    return out;
  }
  const Asked& last = *openings.back().asked;
  if (last.is_result()) {
    out.dead_end = fmt::format("the client did not go on after the answer to {}", last.method);
  } else if (last.answer || last.refusal) {
    out.dead_end = fmt::format("the server refused {} with {}, and the client gave up", last.method,
                               last.fate());
  } else {
    out.dead_end = fmt::format("{} had no answer, and the client gave up", last.method);
  }
  return out;
}

}  // namespace assay::harness
