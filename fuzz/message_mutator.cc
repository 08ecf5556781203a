#include "fuzz/message_mutator.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "reference/model/compiled.h"
#include "reference/model/generate.h"
#include "reference/model/mutate.h"
#include "reference/wire/compose.h"
#include "reference/wire/message.h"

// libFuzzer's own mutation of bytes.
extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

namespace assay::fuzz {
namespace {

using model::Direction;
using model::Random;
using model::Revision;

constexpr std::size_t kMostLines = 64;
// A longer line is left to libFuzzer: all its mutations together would take too long.
constexpr std::size_t kLongestParsed = 4096;

using Lines = std::vector<std::string>;

Lines split(std::string_view text) {
  Lines lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

std::string join(const Lines& lines) {
  std::string text;
  for (const std::string& line : lines) text.append(line).push_back('\n');
  return text;
}

Direction opposite(Direction direction) {
  return direction == Direction::kClientToServer ? Direction::kServerToClient
                                                 : Direction::kClientToServer;
}

std::optional<Json> parse(const std::string& line) {
  if (line.size() > kLongestParsed) return std::nullopt;
  const wire::Decoded decoded = wire::decode(line);
  const auto* message = std::get_if<wire::Message>(&decoded);
  if (message == nullptr) return std::nullopt;
  return message->json();
}

// Breaks a message in one of the ways that the model knows.
std::optional<Json> break_one(const Json& message, Direction direction, Random& random) {
  const Revision revision = random.pick(Revision::all());
  const auto all = model::message_mutations(revision, direction, message);
  if (all.empty()) return std::nullopt;
  return random.pick(all).value;
}

// Lends a line the id of another, so that ids meet.
void share_id(Json& message, const Lines& lines, Random& random) {
  const auto other = parse(random.pick(lines));
  if (!message.is_object() || !other || !other->is_object()) return;
  const auto id = other->find("id");
  if (id == other->end()) return;
  if (message.contains("method") && message["method"] == "notifications/cancelled") {
    message["params"]["requestId"] = *id;
  } else if (message.contains("id")) {
    message["id"] = *id;
  }
}

// Some place of `value`, deeper ones less often.
Json& some_place(Json& value, Random& random) {
  Json* place = &value;
  while (place->is_structured() && !place->empty() && random.chance(75)) {
    auto part = place->begin();
    std::advance(part, static_cast<std::ptrdiff_t>(random.below(place->size())));
    place = &*part;
  }
  return *place;
}

// Puts a part of `other` into some place of `value`.
Json graft(Json value, Json other, Random& random) {
  some_place(value, random) = Json(some_place(other, random));
  return value;
}

void change_order(Lines& lines, Random& random) {
  const std::size_t at = random.below(lines.size());
  const std::size_t other = random.below(lines.size());
  switch (random.below(4)) {
    case 0:
      std::swap(lines[at], lines[other]);
      return;
    case 1:
      lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(at), std::string(lines[other]));
      return;
    case 2:
      lines.erase(lines.begin() + static_cast<std::ptrdiff_t>(at));
      return;
    default:  // two messages become a batch
      lines[at] = "[" + lines[at] + "," + lines[other] + "]";
  }
}

void change(Lines& lines, Direction direction, Random& random) {
  if (lines.empty() || random.below(4) == 0) {
    Json message = make_message(direction, random);
    if (!lines.empty() && random.chance(50)) share_id(message, lines, random);
    const auto at = static_cast<std::ptrdiff_t>(random.below(lines.size() + 1));
    lines.insert(lines.begin() + at, wire::encode(message));
    return;
  }
  if (random.below(3) == 0) return change_order(lines, random);
  std::string& line = lines[random.below(lines.size())];
  const std::optional<Json> message = parse(line);
  if (!message) {
    line = wire::encode(make_message(direction, random));
    return;
  }
  std::optional<Json> changed;
  if (random.chance(50)) changed = break_one(*message, direction, random);
  if (!changed) changed = scramble(*message, random);
  line = wire::encode(*changed);
}

}  // namespace

Json make_message(Direction direction, Random& random) {
  const auto handshake = Revision::handshake();
  const Revision revision =
      random.chance(90) ? random.pick(handshake) : random.pick(Revision::all());
  const bool is_answer = random.chance(25);
  const Direction asked = is_answer ? opposite(direction) : direction;
  const auto& methods = model::Compiled::of(revision).methods(asked);
  if (methods.empty()) return Json::object();
  const std::string& method =
      std::next(methods.begin(), static_cast<std::ptrdiff_t>(random.below(methods.size())))->first;
  const std::size_t size = random.below(6);
  auto message = is_answer ? model::generate_response(revision, asked, method, random, size)
                           : model::generate_message(revision, asked, method, random, size);
  return message ? *std::move(message) : Json::object();
}

Json scramble(Json value, Random& random) {
  static const std::vector<Json> kParts = {nullptr,
                                           true,
                                           0,
                                           -1,
                                           1.5,
                                           1e300,
                                           9007199254740993,
                                           "",
                                           "text",
                                           "\xEF\xBF\xBD",
                                           "\x01\n",
                                           Json::array(),
                                           Json::object(),
                                           Json::array({Json::object()}),
                                           {{"type", "text"}},
                                           {{"progressToken", 1}},
                                           {{"type", "object"}}};
  Json* place = &value;
  while (place->is_structured() && !place->empty() && random.chance(75)) {
    auto part = place->begin();
    std::advance(part, static_cast<std::ptrdiff_t>(random.below(place->size())));
    if (place->is_object() && random.chance(20)) {
      place->erase(part);
      return value;
    }
    place = &*part;
  }
  *place = random.pick(kParts);
  return value;
}

std::size_t mutate_json_lines(std::uint8_t* data, std::size_t size, std::size_t max_size,
                              unsigned seed) {
  Random random(seed);
  Lines lines = split({reinterpret_cast<const char*>(data), size});
  if (random.below(3) == 0 || lines.empty() || lines.size() > kMostLines) {
    return LLVMFuzzerMutate(data, size, max_size);
  }
  std::string& line = lines[random.below(lines.size())];
  std::optional<Json> value = parse(line);
  if (!value) return LLVMFuzzerMutate(data, size, max_size);
  if (random.below(4) == 0) {  // one line lends the other a part
    if (const auto other = parse(random.pick(lines)))
      value = graft(*std::move(value), *other, random);
  } else {
    value = scramble(*std::move(value), random);
  }
  line = wire::encode(*value);
  std::string changed = join(lines);
  changed.pop_back();
  if (changed.size() > max_size) return LLVMFuzzerMutate(data, size, max_size);
  std::memcpy(data, changed.data(), changed.size());
  return changed.size();
}

std::size_t mutate_messages(std::uint8_t* data, std::size_t size, std::size_t max_size,
                            unsigned seed, const Shape& shape) {
  Random random(seed);
  const std::size_t header = shape.header_bytes;
  if (random.below(3) == 0 || size < header || max_size <= header) {
    return LLVMFuzzerMutate(data, size, max_size);
  }
  const auto* text = reinterpret_cast<const char*>(data) + header;
  Lines lines = split({text, size - header});
  if (lines.size() > kMostLines) return LLVMFuzzerMutate(data, size, max_size);
  change(lines, shape.direction, random);
  std::string changed = join(lines);
  if (lines.size() == 1) changed.pop_back();
  if (changed.size() > max_size - header) return LLVMFuzzerMutate(data, size, max_size);
  std::memcpy(data + header, changed.data(), changed.size());
  return header + changed.size();
}

}  // namespace assay::fuzz
