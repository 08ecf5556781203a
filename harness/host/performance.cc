#include "harness/host/performance.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

#include "harness/host/house.h"
#include "harness/host/play.h"
#include "harness/host/review.h"
#include "harness/host/silence.h"
#include "harness/host/stage.h"
#include "harness/host/trap.h"
#include "harness/monitors/trace.h"
#include "reference/wire/message.h"

namespace assay::harness {
namespace {

// `told`: what the play tells of itself.
std::vector<std::pair<std::string, std::string>> environment_for(const ClientScenario& scenario,
                                                                 model::Revision revision,
                                                                 const ClientCommand& command,
                                                                 const Json& told) {
  auto environment = command.environment;
  environment.emplace_back("MCP_CONFORMANCE_SCENARIO", scenario.name);
  environment.emplace_back("MCP_CONFORMANCE_PROTOCOL_VERSION", revision.text());
  const bool has_browser =
      std::any_of(environment.begin(), environment.end(),
                  [](const auto& variable) { return variable.first == "BROWSER"; });
  if (!has_browser && !command.relay_program.empty()) {
    environment.emplace_back("BROWSER", command.relay_program + " browser");
  }
  const Json context = told.is_null() && scenario.context != nullptr ? scenario.context() : told;
  if (!context.is_null()) environment.emplace_back("MCP_CONFORMANCE_CONTEXT", context.dump());
  return environment;
}

std::vector<Deed> deeds_of(const ClientScenario& scenario) {
  return scenario.deeds.empty() ? std::vector<Deed>{Deed{}} : scenario.deeds;
}

const ClientWay* way_to(Act act, const std::vector<ClientWay>& ways) {
  const auto found = std::find_if(ways.begin(), ways.end(),
                                  [&](const ClientWay& each) { return each.act == act; });
  return found == ways.end() ? nullptr : &*found;
}

// Starts the client, once for each thing that it is made to do; the first bad end is the end.
// `on_end` is called at the last.
GuestEnd run_guests(const ClientScenario& scenario, model::Revision revision,
                    const ClientCommand& command, const Json& told, const House& house,
                    std::chrono::milliseconds limit, const std::stop_token& stop,
                    const std::function<void()>& on_end) {
  const auto environment = environment_for(scenario, revision, command, told);
  if (command.ways.empty()) {
    return Guest(house.told(command.words), environment).run(limit, stop, on_end);
  }
  std::vector<std::pair<Deed, const ClientWay*>> known;
  for (const Deed& deed : deeds_of(scenario)) {
    if (const ClientWay* way = way_to(deed.act, command.ways)) known.emplace_back(deed, way);
  }
  const Clock::time_point deadline = Clock::now() + limit;
  GuestEnd end;
  for (std::size_t i = 0; i < known.size(); ++i) {
    const auto& [deed, way] = known[i];
    auto own = environment;
    own.insert(own.end(), way->environment.begin(), way->environment.end());
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now());
    Guest guest(house.told(way->command_for(deed, command.words)), std::move(own));
    const bool is_last = i + 1 == known.size();
    end = guest.run(std::max(left, std::chrono::milliseconds(0)), stop, is_last ? on_end : nullptr);
    if (!end.is_sound()) return end;
  }
  return end;
}

// How long a question, or a silence, of the play lasts. A client has some time left after that.
std::chrono::milliseconds patience_of(const Play& play, const ClientPatience& patience) {
  return play.is_silent() ? std::max(patience.question, patience.scenario * 4 / 5)
                          : patience.question;
}

bool has_words_of_client(const RecordedSession& session) {
  return std::any_of(session.events.begin(), session.events.end(), [](const EventPtr& event) {
    return event->is_from_client() && event->carries_message();
  });
}

// What a client speaks in another revision than was hosted is not judged by this one: it probed, or
// fell back.
bool is_of(const RecordedSession& session, model::Revision revision) {
  const auto told = revision_of(session.events);
  return !told || *told == revision;
}

// A client that we ended has not fallen silent if it was given no time to go on.
void spare_the_slow(Performance& performance, Clock::duration lived) {
  if (performance.end.kind != GuestEnd::Kind::kLate) return;
  for (Finding& finding : performance.findings) {
    if (!is_breach(finding) || !finding.proof.rests_on_silence() || finding.events.empty())
      continue;
    for (const RecordedSession& session : performance.sessions) {
      const auto last =
          std::find(session.events.begin(), session.events.end(), finding.events.back());
      if (last == session.events.end()) continue;
      if (const auto why = had_no_time(session, *last, lived)) {
        finding.kind = Finding::Kind::kUnclear;
        finding.detail = fmt::format("{}: {}", *why, finding.detail);
      }
      break;
    }
  }
}

}  // namespace

std::optional<Act> missing_way(const ClientScenario& scenario, const ClientCommand& command) {
  if (command.ways.empty()) return std::nullopt;
  std::optional<Act> missing;
  for (const Deed& deed : deeds_of(scenario)) {
    if (way_to(deed.act, command.ways) != nullptr) return std::nullopt;
    if (!missing) missing = deed.act;
  }
  return missing;
}

std::variant<Performance, std::string> perform(const ClientScenario& scenario,
                                               model::Revision revision,
                                               const ClientCommand& command,
                                               const ClientPatience& patience, const Known& known,
                                               const std::shared_ptr<reports::Vault>& vault,
                                               const std::stop_token& stop) {
  const Clock::time_point began = Clock::now();
  Clock::duration lived{0};
  const std::unique_ptr<Play> play = scenario.make();
  Trap trap;
  Performance out;
  {
    if (play->sets_trap()) {
      if (auto trouble = trap.start()) return *std::move(trouble);
    }
    Stage stage(*play, revision, patience_of(*play, patience),
                play->sets_trap() ? trap.origin() : "");
    stage.hold_openings(patience.opening);
    HouseOptions options{{revision}, command.relay_program, vault};
    options.page_origin = command.page_origin;
    const std::unique_ptr<House> house = command.transport.has_process()
                                             ? make_stdio_house(stage, options)
                                             : make_http_house(stage, options);
    if (auto trouble = house->start()) return *std::move(trouble);
    Venue venue = house->venue();
    venue.has_succeeded = known.has_succeeded;
    venue.feats = known.feats;
    venue.read_document = command.read_document;
    if (auto trouble = stage.begin(venue)) {
      play->end();
      return *std::move(trouble);
    }
    out.end = run_guests(scenario, revision, command, play->context(), *house, patience.scenario,
                         stop, [&] {
                           house->take_client_end();
                           stage.note_client_end();
                         });
    lived = Clock::now() - began;
    play->end();
    Recorded recorded = house->close();
    // Nobody spoke to this server before.
    if (recorded.shortfall.empty()) {
      for (RecordedSession& session : recorded.sessions) session.gap.clear();
    }
    if (play->asks_for_tokens()) set_refused_aside(recorded);
    out.sessions = std::move(recorded.sessions);
    out.beside = std::move(recorded.beside);
    out.shortfall = std::move(recorded.shortfall);
    out.was_reached = recorded.was_reached;
  }
  out.has_spoken = std::any_of(out.sessions.begin(), out.sessions.end(), has_words_of_client) ||
                   has_words_of_client(out.beside);
  out.participation = participation_in(out.sessions, out.beside, revision);
  const std::vector<RecordedSession> all =
      play->reviews_all() ? out.sessions : std::vector<RecordedSession>();
  std::erase_if(out.sessions,
                [&](const RecordedSession& session) { return !is_of(session, revision); });
  for (RecordedSession& session : out.sessions) session.fallback = revision;
  trap.stop();
  Review review(std::string(scenario.name), revision, play->reviews_all() ? all : out.sessions,
                out.beside.events, trap.hits());
  if (out.end.is_crash()) review.set_crash(out.end.text());
  review.set_errors(out.end.errors);
  play->review(review);
  out.findings = review.take_findings();
  out.left_open = review.left_open();
  spare_the_slow(out, lived);
  out.was_taken_up = play->was_taken_up();
  out.has_succeeded = play->has_succeeded();
  out.feats = play->feats();
  out.duration = std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - began);
  return out;
}

}  // namespace assay::harness
