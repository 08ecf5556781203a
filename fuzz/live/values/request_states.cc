#include "fuzz/live/values/request_states.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "fuzz/live/target/links.h"
#include "fuzz/live/target/text.h"
#include "fuzz/live/values/cursors.h"
#include "reference/wire/message.h"

namespace assay::fuzz {
namespace {

constexpr std::string_view kPlace = "@STATE ";  // "@STATE 1000023 flipped@"
constexpr std::string_view kNoState = "assay-no-such-state";
constexpr std::string_view kLink = "\"@LINK ";  // "@LINK 1000023 note_id@", quotes included

constexpr std::array<std::string_view, static_cast<std::size_t>(StateChange::kCount)> kChangeNames =
    {"as-it-is", "flipped", "cut", "odd", "longer", "twice", "blank", "inside"};

struct StatePlace {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::uint64_t id = 0;
  StateChange change = StateChange::kNone;
};

std::optional<StatePlace> next_place(std::string_view text, std::size_t from) {
  for (std::size_t at = text.find(kPlace, from); at != std::string_view::npos;
       at = text.find(kPlace, at + 1)) {
    StatePlace place;
    place.begin = at;
    const char* const first = text.data() + at + kPlace.size();
    const char* const last = text.data() + text.size();
    const auto read = std::from_chars(first, last, place.id);
    if (read.ec != std::errc() || read.ptr == last || *read.ptr != ' ') continue;
    const std::string_view rest(read.ptr + 1, static_cast<std::size_t>(last - read.ptr - 1));
    const std::size_t length = rest.find('@');
    const auto named = std::find(kChangeNames.begin(), kChangeNames.end(), rest.substr(0, length));
    if (length == std::string_view::npos || named == kChangeNames.end()) continue;
    place.change = static_cast<StateChange>(named - kChangeNames.begin());
    place.end = text.size() - rest.size() + length + 1;
    return place;
  }
  return std::nullopt;
}

struct LinkPlace {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::uint64_t id = 0;
  std::string_view member;  // in the text
};

std::optional<LinkPlace> next_link(std::string_view text, std::size_t from) {
  for (std::size_t at = text.find(kLink, from); at != std::string_view::npos;
       at = text.find(kLink, at + 1)) {
    LinkPlace place;
    place.begin = at;
    const char* const first = text.data() + at + kLink.size();
    const char* const last = text.data() + text.size();
    const auto read = std::from_chars(first, last, place.id);
    if (read.ec != std::errc() || read.ptr == last || *read.ptr != ' ') continue;
    const std::string_view rest(read.ptr + 1, static_cast<std::size_t>(last - read.ptr - 1));
    const std::size_t length = rest.find("@\"");
    if (length == std::string_view::npos) return std::nullopt;
    place.member = rest.substr(0, length);
    place.end = text.size() - rest.size() + length + 2;
    return place;
  }
  return std::nullopt;
}

// Never as it was; of characters that a JSON string can hold as they are.
char another(char c) {
  return c == 'a' ? 'b' : 'a';
}

}  // namespace

std::string_view name(StateChange change) {
  return kChangeNames[static_cast<std::size_t>(change)];
}

std::string state_place(std::uint64_t id, StateChange change) {
  return fmt::format("{}{} {}@", kPlace, id, name(change));
}

std::vector<std::uint64_t> state_places(std::string_view text) {
  std::vector<std::uint64_t> ids;
  for (auto place = next_place(text, 0); place; place = next_place(text, place->end)) {
    ids.push_back(place->id);
  }
  for (auto place = next_link(text, 0); place; place = next_link(text, place->end)) {
    ids.push_back(place->id);
  }
  return ids;
}

std::string link_place(std::uint64_t id, std::string_view member) {
  return fmt::format("{}{} {}@", kLink.substr(1), id, member);
}

void RequestStates::note(std::string_view bytes) {
  if (bytes.find("\"content\"") != std::string_view::npos && bytes.size() <= kLongest) {
    if (answers_.size() >= kMostAnswers) answers_.pop_front();
    answers_.emplace_back(bytes);
  }
  if (bytes.find("\"requestState\"") == std::string_view::npos) return;
  const wire::Decoded decoded = wire::decode(bytes);
  const auto* message = std::get_if<wire::Message>(&decoded);
  if (message == nullptr || message->kind() != wire::MessageKind::kResult || !message->id()) return;
  if (!message->result().is_object()) return;
  std::string state = text_member(message->result(), "requestState");
  if (state.empty() || state.size() > kLongest) return;
  if (known_.size() >= kMost) known_.erase(known_.begin());
  known_.push_back({message->id()->json_text(), std::move(state)});
}

std::string RequestStates::changed(std::uint64_t id, StateChange change) const {
  const std::string wanted = std::to_string(id);
  const auto found = std::find_if(known_.rbegin(), known_.rend(),
                                  [&](const Known& each) { return each.id == wanted; });
  std::string state(found == known_.rend() ? kNoState : std::string_view(found->state));
  switch (change) {
    case StateChange::kNone:
    case StateChange::kCount:
      break;
    case StateChange::kFlipped:
      state[state.size() / 2] = another(state[state.size() / 2]);
      break;
    case StateChange::kCut:
      state.resize(state.size() / 2);
      break;
    case StateChange::kOdd:
      state.pop_back();
      break;
    case StateChange::kLonger:
      state += 'a';
      break;
    case StateChange::kTwice:
      state += state;
      break;
    case StateChange::kBlank:
      state.assign(state.size(), ' ');
      break;
    case StateChange::kInside: {
      const std::vector<std::string> inside = changed_cursors(state);
      state = inside.empty() ? "{}" : inside[id % inside.size()];
      break;
    }
  }
  return state;
}

std::string RequestStates::linked(std::uint64_t id, std::string_view member) const {
  const std::string wanted = std::to_string(id);
  for (auto bytes = answers_.rbegin(); bytes != answers_.rend(); ++bytes) {
    if (bytes->find(wanted) == std::string::npos) continue;
    const wire::Decoded decoded = wire::decode(*bytes);
    const auto* message = std::get_if<wire::Message>(&decoded);
    const bool is_it = message != nullptr && message->kind() == wire::MessageKind::kResult &&
                       message->id() && message->id()->json_text() == wanted;
    if (!is_it) continue;
    for (const Identifier& each : identifiers_in(message->result())) {
      if (each.member != member) continue;
      return each.value.dump(-1, ' ', false, Json::error_handler_t::replace);
    }
  }
  return fmt::format("\"{}\"", kNoState);
}

std::string RequestStates::fill_links(std::string text) const {
  std::size_t from = 0;
  while (const auto place = next_link(text, from)) {
    const std::string written = linked(place->id, place->member);
    text.replace(place->begin, place->end - place->begin, written);
    from = place->begin + written.size();
  }
  return text;
}

std::string RequestStates::fill(std::string text) const {
  text = fill_links(std::move(text));
  std::size_t from = 0;
  while (const auto place = next_place(text, from)) {
    std::string written = Json(changed(place->id, place->change))
                              .dump(-1, ' ', false, Json::error_handler_t::replace);
    written = written.substr(1, written.size() - 2);  // it stands between quotes of its own
    text.replace(place->begin, place->end - place->begin, written);
    from = place->begin + written.size();
  }
  return text;
}

}  // namespace assay::fuzz
