#include "harness/watch/lines.h"

#include <array>
#include <utility>

#include "harness/catalogue/catalogue.h"
#include "harness/catalogue/fixes.h"
#include "harness/runner/evidence.h"
#include "harness/script/json_member.h"
#include "reference/transport/signals.h"
#include "reference/wire/message.h"
#include "reports/escape.h"
#include "reports/excerpt.h"

namespace assay::harness {
namespace {

using Kind = transport::Observation::Kind;

// Of one text. A line has a few of them, and each character may take six when it is quoted.
constexpr std::size_t kMostText = 1'000;
constexpr std::size_t kMostExcerpt = 600;

constexpr std::array<std::string_view, 5> kKinds = {"session", "message", "violation", "left_out",
                                                    "end"};

std::string shown(std::string_view text, const reports::Vault& vault) {
  std::string hidden(text.substr(0, std::min(text.size(), 4 * kMostText)));
  vault.redact_piece(hidden);
  return reports::cut(reports::valid_utf8(hidden), kMostText);
}

std::string dumped(const Json& line) {
  return line.dump(-1, ' ', false, Json::error_handler_t::replace);
}

// What a person reads of an event; empty if nothing.
std::string text_of(const KeptObservation& observation) {
  switch (observation.kind) {
    case Kind::kLine:
    case Kind::kHttpBody:
    case Kind::kStderr:
    case Kind::kClosed:
    case Kind::kBroken:
    case Kind::kCutOff:
      return std::string(observation.bytes().substr(0, 4 * kMostText));
    case Kind::kSseEvent:
      return observation.event()->data.substr(0, 4 * kMostText);
    case Kind::kHttpRequest: {
      const transport::HttpHead& head = *observation.http();
      // What a query holds is nobody's business.
      std::string text = head.method + " " + head.target.substr(0, head.target.find('?'));
      return text + " " + std::string(observation.bytes().substr(0, 4 * kMostText));
    }
    case Kind::kHttpResponse:
      return "HTTP " + std::to_string(observation.http()->status);
    case Kind::kExit: {
      const auto& exit = *observation.exit();
      return exit.signal ? "ended by " + transport::signal_words(*exit.signal)
                         : "exit status " + std::to_string(exit.code);
    }
  }
  return "";
}

// No message of one of the two, but what stands around them and what became of them.
bool is_note(const KeptObservation& observation) {
  switch (observation.kind) {
    case Kind::kLine:
    case Kind::kHttpBody:
    case Kind::kSseEvent:
      return false;
    case Kind::kHttpRequest:
      return observation.bytes().empty();
    case Kind::kStderr:
    case Kind::kClosed:
    case Kind::kBroken:
    case Kind::kCutOff:
    case Kind::kExit:
    case Kind::kHttpResponse:
      return true;
  }
  return true;
}

}  // namespace

std::string session_line(std::string_view name, std::string_view target,
                         std::string_view transport) {
  const auto bounded = [](std::string_view text) {
    return reports::cut(reports::valid_utf8(text), kMostText);
  };
  return dumped({{"session",
                  {{"name", bounded(name)},
                   {"target", bounded(target)},
                   {"transport", bounded(transport)}}}});
}

std::optional<std::string> message_line(const Event& event, const reports::Vault& vault) {
  const std::string text = shown(text_of(event.observation), vault);
  if (text.empty()) return std::nullopt;
  return dumped({{"message",
                  {{"n", event.n},
                   {"party", transport::name(event.speaker())},
                   {"lane", event.observation.lane.text()},
                   {is_note(event.observation) ? "note" : "text", text}}}});
}

std::optional<std::string> violation_line(const Finding& finding, model::Revision revision,
                                          const reports::Vault& vault) {
  const auto* requirement = catalogue::find(finding.requirement.text());
  const auto level = requirement == nullptr ? std::nullopt : requirement->level_in(revision);
  if (!level) return std::nullopt;
  const bool binds = finding.party == Party::kServer ? requirement->binds_server_in(revision)
                                                     : requirement->binds_client_in(revision);
  if (!binds) return std::nullopt;
  Json told = {{"party", transport::name(finding.party)},
               {"rule", finding.requirement.text()},
               {"level", reports::name(*level)},
               {"detail", shown(finding.detail, vault)}};
  if (const auto fix = catalogue::fix_of(requirement->id); !fix.empty()) told["fix"] = fix;
  if (!finding.events.empty()) {
    told["n"] = finding.events.back()->n;
    const auto evidence = make_evidence({&finding.events.back(), 1}, finding.pointer);
    if (!evidence.empty()) {
      const reports::Excerpt part = reports::excerpt(evidence.back(), kMostExcerpt);
      told["before"] = shown(part.before, vault);
      told["marked"] = shown(part.marked, vault);
      told["after"] = shown(part.after, vault);
      if (!part.missing.empty()) told["missing"] = shown(part.missing, vault);
    }
  }
  return dumped({{"violation", std::move(told)}});
}

std::string left_out_watch_line(std::size_t count) {
  return dumped({{"left_out", count}});
}

std::string end_line() {
  return dumped({{"end", true}});
}

Json read_watch_line(std::string_view line) {
  const wire::Decoded decoded =
      wire::decode(line, {.max_bytes = kLongestWatchLine, .max_depth = 4, .max_values = 64});
  const auto* message = std::get_if<wire::Message>(&decoded);
  if (message == nullptr || !message->json().is_object() || message->json().size() != 1) return {};
  const std::string& kind = message->json().begin().key();
  const bool is_known = std::find(kKinds.begin(), kKinds.end(), kind) != kKinds.end();
  return is_known ? message->json() : Json();
}

}  // namespace assay::harness
