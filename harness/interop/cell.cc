#include "harness/interop/cell.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <utility>

#include "harness/host/guest.h"
#include "harness/host/house.h"
#include "harness/interop/pair_way.h"
#include "harness/monitors/trace.h"
#include "harness/runner/evidence.h"
#include "reports/escape.h"

namespace assay::harness {
namespace {

using reports::ActSeen;
using std::chrono::milliseconds;

// What a report keeps of one cell: more of one in which something fails.
constexpr std::size_t kShownOfFailing = 160'000;
constexpr std::size_t kShownOfOther = 24'000;
constexpr std::size_t kLongestOfFailing = 4'000;
constexpr std::size_t kLongestOfOther = 600;

// What one start of the client came to.
SeenStart run_start(const ClientStart& start, const CellJob& job, const CellContext& context) {
  SeenStart out;
  out.start = start;
  PairWay way(job, context, start.ends_session);
  ServerFolder folder;
  std::optional<std::string> trouble = way.start();
  if (!trouble && !folder.make()) trouble = "no folder for the client's words can be made";
  if (trouble) {
    out.end.kind = GuestEnd::Kind::kNotStarted;
    out.end.detail = *std::move(trouble);
    return out;
  }
  const std::string log = folder.path_of("acts.jsonl");
  auto environment = start.launch.environment;
  environment.emplace_back(kActsLogVariable, log);
  {
    Guest guest(way.told(start.launch.words), std::move(environment), start.launch.directory);
    out.end = guest.run(context.patience, context.stop, [&way] { way.take_client_end(); });
  }
  std::vector<RecordedSession> after_gateway;
  Tapped tapped = way.finish(after_gateway);
  out.words = read_client_words(log);
  out.sessions = std::move(tapped.sessions);
  out.after_gateway = std::move(after_gateway);
  out.shortfall = std::move(tapped.shortfall);
  out.server_end = std::move(tapped.server_end);
  out.session_end = tapped.session_end;
  out.was_asked_for_login = tapped.was_asked_for_login;
  out.other_name = std::move(tapped.other_name);
  // This client has not spoken to the server before.
  if (out.shortfall.empty()) {
    for (auto* sessions : {&out.sessions, &out.after_gateway}) {
      for (RecordedSession& session : *sessions) session.gap.clear();
    }
  }
  return out;
}

std::vector<ClientStart> starts_for(const CellJob& job) {
  if (!job.is_one_by_one || !job.client->ways.empty()) {
    return starts_of(*job.client, *job.era, job.transport, *job.offer, job.acts);
  }
  std::vector<ClientStart> out;
  for (const std::string& act : job.acts) {
    for (ClientStart& start :
         starts_of(*job.client, *job.era, job.transport, *job.offer, {"connect", act})) {
      start.name = act;
      out.push_back(std::move(start));
    }
  }
  return out;
}

// An event with as much of its bytes as there is room for.
void keep_event(const Event& event, std::size_t longest, std::size_t& room,
                reports::PairSession& out) {
  if (room == 0) {
    ++out.left_out;
    return;
  }
  reports::Evidence shown = shown_event(event, longest);
  room -= std::min(room, shown.text.size() + 64);
  out.events.push_back(std::move(shown));
}

// Redacts through a result, which knows what may be cut in two.
void redact(reports::PairSession& session, const reports::Vault& vault) {
  reports::Result carrier;
  carrier.runs.resize(1);
  carrier.runs.front().verdicts.resize(1);
  std::swap(carrier.runs.front().verdicts.front().evidence, session.events);
  vault.redact(carrier);
  std::swap(carrier.runs.front().verdicts.front().evidence, session.events);
}

std::vector<reports::PairSession> shown_sessions(const std::vector<SeenStart>& starts,
                                                 const std::vector<ReadSession>& sessions,
                                                 bool has_failed, const reports::Vault& vault) {
  std::vector<reports::PairSession> out;
  std::size_t room = has_failed ? kShownOfFailing : kShownOfOther;
  for (const ReadSession& each : sessions) {
    reports::PairSession& session = out.emplace_back();
    session.start = starts[each.start].start.name;
    session.is_after_gateway = each.is_after_gateway;
    const auto revision = revision_of(each.session->events);
    if (revision) session.revision = revision->text();
    for (const EventPtr& event : each.session->events) {
      keep_event(*event, has_failed ? kLongestOfFailing : kLongestOfOther, room, session);
    }
    redact(session, vault);
  }
  return out;
}

// How the client ended, where that is worth a word: the first bad end.
std::string end_of(const std::vector<SeenStart>& starts) {
  for (const SeenStart& start : starts) {
    if (start.end.is_sound()) continue;
    std::string text = fmt::format(
        "the client{}: {}", start.start.name.empty() ? "" : ", started for " + start.start.name,
        start.end.text());
    if (!start.end.last_words.empty()) text += "; its last words: " + start.end.last_words;
    if (!start.server_end.empty()) text += "; " + start.server_end;
    return text;
  }
  return "";
}

KnownClient shown_of(const std::vector<SeenStart>& starts, const reports::PairCell& cell) {
  KnownClient out;
  out.is_known = true;
  out.revision = cell.agreement.revision;
  for (const reports::PairAct& act : cell.acts) {
    if (act.seen == ActSeen::kWorked) out.acts.insert(act.act);
  }
  out.ends_well = std::all_of(starts.begin(), starts.end(),
                              [](const SeenStart& start) { return start.end.is_sound(); });
  out.gives_words = std::any_of(starts.begin(), starts.end(),
                                [](const SeenStart& start) { return !start.words.empty(); });
  return out;
}

reports::PairCell headed(const CellJob& job) {
  reports::PairCell cell;
  cell.client = job.client->name;
  cell.server = job.server->name;
  cell.transport = name(job.transport);
  cell.era = job.era->name;
  if (job.gateway != nullptr) cell.gateway = job.gateway->name;
  return cell;
}

void add_acts(const std::vector<ActSight>& sights, reports::PairCell& cell) {
  for (std::size_t i = 0; i < sights.size(); ++i) {
    const ActSight& sight = sights[i];
    reports::PairAct& act = cell.acts.emplace_back();
    act.act = reports::pair_acts()[i].id;
    act.seen = sight.seen;
    act.detail = sight.detail;
    act.parting = sight.parting;
    act.is_undecided = sight.is_undecided;
    std::set<EventPlace> events = sight.events;
    if (sight.parting) events.emplace(sight.parting->session, sight.parting->n);
    act.breaches = breaches_in(events, cell.breaches);
  }
}

void redact_texts(reports::PairCell& cell, const reports::Vault& vault) {
  vault.redact_quoted(cell.end);
  vault.redact_quoted(cell.agreement.dead_end);
  for (std::string& step : cell.agreement.steps) vault.redact_quoted(step);
  for (reports::PairAct& act : cell.acts) {
    vault.redact_quoted(act.detail);
    if (act.parting) vault.redact_quoted(act.parting->why);
  }
}

// Adds what an act broke at the first look, where it did not break it again.
void keep_breaches(const reports::PairAct& before, const std::vector<reports::PairBreach>& breaches,
                   reports::PairAct& act) {
  std::vector<std::size_t> kept;
  std::copy_if(before.breaches.begin(), before.breaches.end(), std::back_inserter(kept),
               [&](std::size_t index) {
                 const reports::PairBreach& earlier = breaches[index];
                 return std::none_of(act.breaches.begin(), act.breaches.end(), [&](std::size_t at) {
                   return breaches[at].party == earlier.party &&
                          breaches[at].verdict.requirement == earlier.verdict.requirement;
                 });
               });
  act.breaches.insert(act.breaches.begin(), kept.begin(), kept.end());
}

}  // namespace

reports::PairCell unrun_cell(const CellJob& job, std::string why) {
  reports::PairCell cell = headed(job);
  cell.not_run = std::move(why);
  for (const reports::PairActInfo& info : reports::pair_acts()) {
    reports::PairAct& act = cell.acts.emplace_back();
    act.act = info.id;
    act.seen = ActSeen::kNotReached;
  }
  return cell;
}

CellLook run_cell(const CellJob& job, const CellContext& context, const CellLook* before) {
  const Clock::time_point began = Clock::now();
  std::vector<SeenStart> starts;
  for (const ClientStart& start : starts_for(job)) {
    if (context.stop.stop_requested()) break;
    starts.push_back(run_start(start, job, context));
    if (starts.back().end.kind == GuestEnd::Kind::kNotStarted) break;
  }
  CellLook out;
  const bool was_stopped = context.stop.stop_requested();
  if (was_stopped || starts.empty()) {
    out.cell = unrun_cell(
        job, was_stopped ? "the run was stopped" : "the client can be made to do nothing here");
    return out;
  }
  if (starts.back().end.kind == GuestEnd::Kind::kNotStarted) {
    out.cell = unrun_cell(job, "the client: " + starts.back().end.text());
    return out;
  }
  out.cell = headed(job);
  reports::PairCell& cell = out.cell;
  const std::vector<ReadSession> sessions = read_sessions(starts);
  const CellView view{*job.offer, *job.known, starts, sessions, job.transport};
  cell.agreement = agreement_of(view);
  PairVerdicts verdicts = judge_pair(starts, sessions, job.gateway != nullptr, *context.vault,
                                     before == nullptr ? std::set<OpenBreach>() : before->open);
  cell.breaches = std::move(verdicts.breaches);
  add_acts(sights_of(view, cell.agreement), cell);
  const bool has_failed =
      std::any_of(cell.acts.begin(), cell.acts.end(),
                  [](const reports::PairAct& act) { return act.seen == ActSeen::kFailed; });
  cell.sessions = shown_sessions(starts, sessions, has_failed, *context.vault);
  cell.end = end_of(starts);
  for (const SeenStart& start : starts) {
    if (!start.shortfall.empty()) cell.remark = start.shortfall;
  }
  cell.duration_ms = std::chrono::duration_cast<milliseconds>(Clock::now() - began).count();
  redact_texts(cell, *context.vault);
  out.open = std::move(verdicts.open);
  out.shown = shown_of(starts, cell);
  out.client_name = std::move(verdicts.client);
  out.server_name = std::move(verdicts.server);
  return out;
}

reports::PairCell both_looks(reports::PairCell first, reports::PairCell second) {
  if (!second.not_run.empty()) return first;
  const std::size_t sessions = first.sessions.size();
  const std::size_t breaches = first.breaches.size();
  first.was_repeated = true;
  first.duration_ms += second.duration_ms;
  for (reports::PairBreach& breach : second.breaches) {
    breach.session += sessions;
    first.breaches.push_back(std::move(breach));
  }
  std::move(second.sessions.begin(), second.sessions.end(), std::back_inserter(first.sessions));
  for (reports::PairAct& act : first.acts) {
    const reports::PairAct* again = second.act(act.act);
    const bool is_open = act.seen == ActSeen::kFailed || act.seen == ActSeen::kNotReached;
    if (!is_open || again == nullptr || again->seen == ActSeen::kNotBegun) continue;
    const reports::PairAct before = act;
    act = *again;
    if (act.parting) act.parting->session += sessions;
    for (std::size_t& index : act.breaches) index += breaches;
    if (before.seen == ActSeen::kFailed && act.seen == ActSeen::kFailed) {
      keep_breaches(before, first.breaches, act);
    }
    if (before.seen != ActSeen::kFailed || act.seen != ActSeen::kWorked) continue;
    act.was_unsteady = true;
    act.detail = "the first time: " + before.detail;
  }
  if (first.agreement.revision.empty()) first.agreement = std::move(second.agreement);
  return first;
}

}  // namespace assay::harness
