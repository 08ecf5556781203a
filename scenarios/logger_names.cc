#include "scenarios/logger_names.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "harness/script/json_member.h"
#include "reference/wire/compose.h"
#include "reference/wire/message.h"

namespace assay::scenarios {
namespace {

using namespace harness;

// The names of loggers, by what they said: level and data, as text.
using Logged = std::map<std::string, std::set<std::string>>;

Logged said_in(const std::vector<EventPtr>& events) {
  Logged said;
  for (const EventPtr& event : events) {
    const wire::Message* message = event->is_from_server() ? event->message() : nullptr;
    if (message == nullptr || message->method() != "notifications/message") continue;
    const Json& params = message->params();
    const std::string_view logger = text_member(params, "logger");
    if (logger.empty()) continue;
    said[wire::encode({member(params, "level"), member(params, "data")})].emplace(logger);
  }
  return said;
}

std::set<std::string> names_in(const Logged& said) {
  std::set<std::string> names;
  for (const auto& [words, loggers] : said) names.insert(loggers.begin(), loggers.end());
  return names;
}

bool have_common(const std::set<std::string>& some, const std::set<std::string>& others) {
  return std::any_of(some.begin(), some.end(),
                     [&](const std::string& name) { return others.contains(name); });
}

// Whether there is something that each of the calls said.
bool have_common_words(const std::vector<Logged>& calls) {
  return std::any_of(calls.front().begin(), calls.front().end(), [&](const auto& entry) {
    return std::all_of(calls.begin(), calls.end(),
                       [&](const Logged& said) { return said.contains(entry.first); });
  });
}

}  // namespace

void judge_logger_names(Script& script, const std::function<std::vector<EventPtr>()>& call) {
  constexpr catalogue::RequirementId kRule("logging.logger-names-consistent");
  constexpr std::size_t kCalls = 4;
  std::vector<Logged> calls;
  std::set<std::string> known;
  std::vector<EventPtr> events;
  while (calls.size() < kCalls) {
    events = call();
    Logged said = said_in(events);
    if (said.empty()) {
      script.not_exercised(kRule, "the log messages name no logger");
      return;
    }
    const std::set<std::string> names = names_in(said);
    if (have_common(names, known)) return script.check(kRule, true, std::move(events), "");
    known.insert(names.begin(), names.end());
    calls.push_back(std::move(said));
  }
  if (have_common_words(calls)) {
    return script.check(kRule, false, std::move(events),
                        "four calls of one tool logged the same, under other names of loggers each "
                        "time");
  }
  script.unclear(kRule,
                 "four calls of one tool had no name of a logger in common, and did not log the "
                 "same",
                 std::move(events));
}

}  // namespace assay::scenarios
