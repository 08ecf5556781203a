#include "harness/runner/evidence.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "reference/transport/signals.h"
#include "reference/wire/message.h"
#include "reports/bound.h"
#include "reports/excerpt.h"

namespace assay::harness {
namespace {

using Kind = transport::Observation::Kind;

// What one piece of evidence may put into a report.
constexpr std::size_t kLongestEvidence = 4'000;
// A marked part that stands further behind is kept, up to here.
constexpr std::size_t kLongestToTheMark = reports::kLongestMarkedText;
// What stands around it is for orientation.
constexpr std::size_t kLongestContext = 1'000;
// A verdict shows this many events as proof, and around them these.
constexpr std::size_t kMostEvidence = 8;
constexpr std::size_t kContextBefore = 4;
constexpr std::size_t kContextBehind = 3;
// Two proofs that stand further apart than this are shown without what lies between them.
constexpr std::size_t kMostBetween = 4;

std::string head_text(const transport::HttpHead& head) {
  std::string text = head.status != 0 ? fmt::format("HTTP {}\n", head.status)
                                      : fmt::format("{} {}\n", head.method, head.target);
  for (const auto& [key, value] : head.headers) text += fmt::format("{}: {}\n", key, value);
  return text;
}

std::string event_text(const Event& event) {
  const auto& observation = event.observation;
  switch (observation.kind) {
    case Kind::kLine:
    case Kind::kStderr:
    case Kind::kHttpBody:
      return std::string(observation.bytes());
    case Kind::kHttpRequest:
      return observation.bytes().empty()
                 ? head_text(*observation.http())
                 : fmt::format("{}\n{}", head_text(*observation.http()), observation.bytes());
    case Kind::kHttpResponse:
      return head_text(*observation.http());
    case Kind::kSseEvent:
      return observation.event()->raw;
    case Kind::kExit:
      return observation.exit()->signal
                 ? fmt::format("ended by {}", transport::signal_words(*observation.exit()->signal))
                 : fmt::format("exited with status {}", observation.exit()->code);
    case Kind::kClosed:
      return fmt::format("closed: {}", observation.bytes());
    case Kind::kBroken:
      return fmt::format("broke off: {}", observation.bytes());
    case Kind::kCutOff:
      return fmt::format("not read any further: {}", observation.bytes());
  }
  return "";
}

// Where to cut a text: behind the part that `pointer` names, if that stands further behind.
std::size_t bound_of(const std::string& text, const std::string& pointer, std::size_t longest) {
  if (text.size() <= longest || pointer.empty()) return longest;
  const auto marked = reports::locate(text, pointer);
  return marked ? std::max(longest, std::min(marked->end, kLongestToTheMark)) : longest;
}

reports::Evidence make_evidence(const Event& event, const std::string& pointer,
                                std::size_t longest) {
  reports::Evidence evidence;
  evidence.n = event.n;
  evidence.at_ms = std::chrono::duration<double, std::milli>(event.at).count();
  evidence.party = transport::name(event.speaker());
  evidence.lane = event.observation.lane.text();
  evidence.pointer = pointer;
  const std::string text = event_text(event);
  const std::size_t bound = bound_of(text, pointer, longest);
  evidence.is_cut = text.size() > bound;
  // A text of its own: one that is made shorter keeps the memory of all of it.
  evidence.text = text.substr(0, bound);
  return evidence;
}

std::vector<EventPtr> last_few(std::span<const EventPtr> proof) {
  std::vector<EventPtr> out;
  for (const EventPtr& event : proof) {
    if (event) out.push_back(event);
  }
  if (out.size() > kMostEvidence) {
    out.erase(out.begin(), out.end() - static_cast<std::ptrdiff_t>(kMostEvidence));
  }
  return out;
}

// Appends the events [begin, end) of the transcript as context.
void add_context(std::span<const EventPtr> transcript, std::size_t begin, std::size_t end,
                 std::vector<reports::Evidence>& out) {
  for (std::size_t i = begin; i < end; ++i) {
    out.push_back(make_evidence(*transcript[i], "", kLongestContext));
    out.back().is_context = true;
  }
}

// The request that the event answers; null if it is none that answers.
EventPtr request_of(std::span<const EventPtr> transcript, const EventPtr& answer) {
  const wire::Message* message = answer->message();
  if (answer->is_from_client() || message == nullptr || !message->id()) return nullptr;
  if (!message->method().empty()) return nullptr;
  for (std::size_t i = static_cast<std::size_t>(answer->n) - 1; i-- > 0;) {
    const wire::Message* earlier = transcript[i]->message();
    const bool is_it = transcript[i]->is_from(other_than(answer->speaker())) &&
                       earlier != nullptr && earlier->kind() == wire::MessageKind::kRequest &&
                       earlier->id() == message->id();
    if (is_it) return transcript[i];
  }
  return nullptr;
}

bool is_in(std::span<const EventPtr> transcript, const EventPtr& event) {
  const std::size_t index = static_cast<std::size_t>(event->n) - 1;
  return index < transcript.size() && transcript[index] == event;
}

}  // namespace

reports::Evidence shown_event(const Event& event, std::size_t longest) {
  return make_evidence(event, "", longest);
}

std::vector<EventPtr> with_requests(std::span<const EventPtr> transcript,
                                    std::span<const EventPtr> proof) {
  // Of more than these nobody is shown anything.
  const std::size_t shown = std::min(proof.size(), kMostEvidence);
  std::vector<EventPtr> out(proof.begin(), proof.end() - static_cast<std::ptrdiff_t>(shown));
  const auto is_known = [&](const EventPtr& request) {
    return std::find(proof.begin(), proof.end(), request) != proof.end() ||
           std::find(out.begin(), out.end(), request) != out.end();
  };
  for (const EventPtr& event : proof.last(shown)) {
    if (event && is_in(transcript, event)) {
      const EventPtr request = request_of(transcript, event);
      if (request && !is_known(request)) out.push_back(request);
    }
    out.push_back(event);
  }
  return out;
}

std::vector<reports::Evidence> make_evidence(std::span<const EventPtr> proof,
                                             const std::string& pointer) {
  std::vector<reports::Evidence> out;
  const std::vector<EventPtr> shown = last_few(proof);
  for (const EventPtr& event : shown) {
    const bool is_last = event == shown.back();
    out.push_back(make_evidence(*event, is_last ? pointer : "", kLongestEvidence));
  }
  return out;
}

std::vector<reports::Evidence> make_evidence(std::span<const EventPtr> transcript,
                                             std::span<const EventPtr> proof,
                                             const std::string& pointer) {
  std::vector<EventPtr> shown = last_few(proof);
  const auto is_here = [transcript](const EventPtr& event) { return is_in(transcript, event); };
  const bool is_one_session = std::all_of(shown.begin(), shown.end(), is_here);
  if (shown.empty() || !is_here(shown.back())) return make_evidence(proof, pointer);
  const EventPtr last = shown.back();
  if (is_one_session) {
    std::sort(shown.begin(), shown.end(),
              [](const EventPtr& a, const EventPtr& b) { return a->n < b->n; });
  }
  std::vector<reports::Evidence> out;
  std::size_t told = 0;  // events of the transcript that need no more telling
  for (const EventPtr& event : shown) {
    const std::size_t index = static_cast<std::size_t>(event->n) - 1;
    if (is_here(event) && index >= told) {
      const std::size_t gap = index - told;
      if (told == 0) {
        add_context(transcript, index - std::min(gap, kContextBefore), index, out);
      } else if (gap <= kMostBetween) {
        add_context(transcript, told, index, out);
      }
      told = index + 1;
    }
    out.push_back(make_evidence(*event, event == last ? pointer : "", kLongestEvidence));
  }
  add_context(transcript, told, std::min(told + kContextBehind, transcript.size()), out);
  return out;
}

}  // namespace assay::harness
