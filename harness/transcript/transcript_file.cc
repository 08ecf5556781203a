#include "harness/transcript/transcript_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <optional>
#include <utility>

#include "reference/wire/base64.h"
#include "reference/wire/message.h"

namespace assay::harness {
namespace {

using transport::Lane;
using transport::Observation;
using Kind = Observation::Kind;

constexpr std::array<std::pair<Kind, std::string_view>, 10> kKinds = {{
    {Kind::kLine, "line"},
    {Kind::kStderr, "stderr"},
    {Kind::kExit, "exit"},
    {Kind::kHttpRequest, "http-request"},
    {Kind::kHttpResponse, "http-response"},
    {Kind::kHttpBody, "http-body"},
    {Kind::kSseEvent, "sse-event"},
    {Kind::kClosed, "closed"},
    {Kind::kBroken, "broken"},
    {Kind::kCutOff, "cut-off"},
}};

constexpr std::array<std::pair<Lane::Kind, std::string_view>, 5> kLanes = {{
    {Lane::Kind::kStdio, "stdio"},
    {Lane::Kind::kStderr, "stderr"},
    {Lane::Kind::kProcess, "process"},
    {Lane::Kind::kHttp, "http"},
    {Lane::Kind::kPipe, "pipe"},
}};

// Ends the reading of a line; never leaves this file.
struct BadNumber {};

std::string redacted(std::string_view text, const Redaction& redact) {
  std::string out(text);
  if (redact) redact(out);
  return out;
}

// Written as text where it is UTF-8, so that people can read it.
void put_bytes(Json& line, const std::string& name, std::string_view bytes,
               const Redaction& redact) {
  Json text = redacted(bytes, redact);
  try {
    (void)text.dump();
    line[name] = std::move(text);
  } catch (const Json::exception&) {
    line[name + "_base64"] = wire::encode_base64(text.get_ref<const std::string&>());
  }
}

std::optional<std::string> get_bytes(const Json& line, const std::string& name) {
  if (const auto text = line.find(name); text != line.end() && text->is_string()) {
    return text->get<std::string>();
  }
  if (const auto text = line.find(name + "_base64"); text != line.end() && text->is_string()) {
    return wire::decode_base64(text->get_ref<const std::string&>());
  }
  return std::string();
}

// A whole number that fits into an int: the library converts any number, whether it fits or not.
int small_number(const Json& json) {
  const bool is_small = json.is_number_integer() && json >= std::numeric_limits<int>::min() &&
                        json <= std::numeric_limits<int>::max();
  if (!is_small) throw BadNumber();
  return json.get<int>();
}

std::uint64_t count(const Json& json) {
  if (!json.is_number_unsigned()) throw BadNumber();
  return json.get<std::uint64_t>();
}

// How what the two said is written: as it is, but for what is hidden, or without its values.
class Writing {
 public:
  Writing(const Redaction& redact, ValueRemover* remover) : redact_(redact), remover_(remover) {}

  Json head(const transport::HttpHead& head) const {
    Json json = {{"headers", Json::array()}};
    if (!head.method.empty())
      json["method"] = hidden(remover_ ? remover_->word(head.method) : head.method);
    if (!head.target.empty()) json["target"] = target(head.target);
    if (head.status != 0) json["status"] = head.status;
    for (const auto& [name, value] : head.headers) {
      json["headers"].push_back({name, hidden(remover_ ? remover_->field(name, value) : value)});
    }
    return json;
  }

  Json sse(const wire::SseEvent& event, const wire::Message* message) const {
    Json json = {{"event", hidden(remover_ ? remover_->word(event.event) : event.event)},
                 {"has_data", event.has_data}};
    // Where messages of the older transport are sent.
    const bool is_target = event.event == "endpoint" && remover_;
    put_bytes(json, "data", is_target ? target(event.data) : said(event.data, message), redact_);
    if (!remover_) put_bytes(json, "raw", event.raw, redact_);
    if (event.id) json["id"] = hidden(remover_ ? remover_->label(*event.id) : *event.id);
    if (event.retry) json["retry"] = *event.retry;
    if (event.is_truncated) json["is_truncated"] = true;
    return json;
  }

  std::string said(std::string_view text, const wire::Message* message) const {
    if (!remover_) return std::string(text);
    return message ? remover_->without_values(*message) : ValueRemover::length_of(text);
  }

 private:
  std::string hidden(std::string_view text) const { return redacted(text, redact_); }
  std::string target(std::string_view text) const {
    return hidden(remover_ ? remover_->target(text) : std::string(text));
  }

  const Redaction& redact_;
  ValueRemover* remover_;
};

transport::HttpHead head_of(const Json& json) {
  transport::HttpHead head;
  head.method = json.value("method", "");
  head.target = json.value("target", "");
  if (json.contains("status")) head.status = small_number(json["status"]);
  for (const Json& header : json.value("headers", Json::array())) {
    head.headers.emplace_back(header.at(0).get<std::string>(), header.at(1).get<std::string>());
  }
  return head;
}

wire::SseEvent sse_of(const Json& json) {
  wire::SseEvent event;
  event.event = json.value("event", "");
  event.has_data = json.value("has_data", false);
  event.data = get_bytes(json, "data").value_or("");
  event.raw = get_bytes(json, "raw").value_or("");
  if (json.contains("id")) event.id = json["id"].get<std::string>();
  if (json.contains("retry")) event.retry = count(json["retry"]);
  event.is_truncated = json.value("is_truncated", false);
  return event;
}

Json exit_json(const transport::ProcessExit& exit) {
  Json json = {{"code", exit.code}, {"was_killed_by_us", exit.was_killed_by_us}};
  if (exit.signal) json["signal"] = *exit.signal;
  return json;
}

transport::ProcessExit exit_of(const Json& json) {
  transport::ProcessExit exit;
  if (json.contains("code")) exit.code = small_number(json["code"]);
  exit.was_killed_by_us = json.value("was_killed_by_us", false);
  if (json.contains("signal")) exit.signal = small_number(json["signal"]);
  return exit;
}

std::optional<Lane> parse_lane(std::string_view text) {
  const std::size_t slash = text.find('/');
  for (const auto& [kind, name] : kLanes) {
    if (text.substr(0, slash) != name) continue;
    Lane lane{kind, 0};
    if (slash != std::string_view::npos) {
      lane.number = std::strtoull(std::string(text.substr(slash + 1)).c_str(), nullptr, 10);
    }
    return lane;
  }
  return std::nullopt;
}

// Until version 0.2 the party was told as a direction, and the server was the target.
std::optional<Party> party_of(const Json& json) {
  const bool is_old = !json.contains("party");
  const auto text = json.at(is_old ? "direction" : "party").get<std::string>();
  if (text == (is_old ? "to_target" : transport::name(Party::kClient))) return Party::kClient;
  if (text == (is_old ? "from_target" : transport::name(Party::kServer))) return Party::kServer;
  return std::nullopt;
}

// What the JSON library says may quote the line, which is a stranger's.
std::string printable(std::string_view text) {
  constexpr std::size_t kMost = 200;
  std::string out(text.substr(0, kMost));
  std::replace_if(
      out.begin(), out.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
  return out;
}

// Throws Json::exception or BadNumber where a member has the wrong type; the caller turns that into
// a sentence.
std::variant<RecordedObservation, std::string> read_event(const Json& json) {
  RecordedObservation out;
  Observation& observation = out.observation;
  out.n = count(json.at("n"));
  const double at_ms = json.at("at_ms").get<double>();
  if (!(at_ms >= 0) || at_ms > 1e12) return "at_ms is out of range";
  const auto party = party_of(json);
  if (!party) return "neither a client's nor a server's";
  observation.speaker = *party;
  const auto lane = parse_lane(json.at("lane").get<std::string>());
  if (!lane) return "unknown lane";
  observation.lane = *lane;
  const auto kind = json.at("kind").get<std::string>();
  const auto* found = std::find_if(kKinds.begin(), kKinds.end(),
                                   [&](const auto& entry) { return entry.second == kind; });
  if (found == kKinds.end()) return "unknown kind";
  observation.kind = found->first;
  auto bytes = get_bytes(json, "bytes");
  if (!bytes) return "bytes_base64 is not base64";
  observation.bytes = *std::move(bytes);
  observation.is_truncated = json.value("is_truncated", false);
  observation.is_unterminated = json.value("is_unterminated", false);
  observation.has_carriage_return = json.value("has_carriage_return", false);
  if (json.contains("http")) observation.http = head_of(json["http"]);
  if (json.contains("sse")) observation.event = sse_of(json["sse"]);
  if (json.contains("exit")) observation.exit = exit_of(json["exit"]);
  const bool is_head =
      observation.kind == Kind::kHttpRequest || observation.kind == Kind::kHttpResponse;
  if (is_head && !observation.http) return "an HTTP event without http";
  if (observation.kind == Kind::kSseEvent && !observation.event) return "an SSE event without sse";
  if (observation.kind == Kind::kExit && !observation.exit) return "an exit event without exit";
  out.at = std::chrono::nanoseconds(static_cast<std::int64_t>(at_ms * 1e6));
  return out;
}

// And not our words about it.
bool holds_what_they_said(Kind kind) {
  return kind == Kind::kLine || kind == Kind::kStderr || kind == Kind::kHttpRequest ||
         kind == Kind::kHttpBody;
}

}  // namespace

std::string to_json_line(const Event& event, const Redaction& redact, ValueRemover* remover) {
  const Writing writing(redact, remover);
  const KeptObservation& observation = event.observation;
  Json line = {{"n", event.n},
               {"at_ms", std::round(static_cast<double>(event.at.count()) / 1e3) / 1e3},
               {"party", transport::name(event.speaker())},
               {"lane", observation.lane.text()}};
  for (const auto& [kind, name] : kKinds) {
    if (kind == observation.kind) line["kind"] = name;
  }
  if (!observation.bytes().empty()) {
    const bool is_theirs = holds_what_they_said(observation.kind);
    put_bytes(line, "bytes",
              is_theirs ? writing.said(observation.bytes(), event.message())
                        : std::string(observation.bytes()),
              redact);
  }
  if (observation.is_truncated) line["is_truncated"] = true;
  if (observation.is_unterminated) line["is_unterminated"] = true;
  if (observation.has_carriage_return) line["has_carriage_return"] = true;
  if (observation.http()) line["http"] = writing.head(*observation.http());
  if (observation.event()) line["sse"] = writing.sse(*observation.event(), event.message());
  if (observation.exit()) line["exit"] = exit_json(*observation.exit());
  return line.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string left_out_line(std::uint64_t events) {
  return Json{{"left_out", events}}.dump();
}

std::variant<RecordedObservation, std::string> read_observation(const Json& line) {
  try {
    if (!line.is_object()) return "not an object";
    return read_event(line);
  } catch (const BadNumber&) {
    return "a number is not whole, or too large";
  } catch (const Json::exception& error) {
    return fmt::format("not a transcript event: {}", printable(error.what()));
  }
}

std::variant<EventPtr, std::string> from_json_line(std::string_view line) {
  const wire::Decoded decoded = wire::decode(line);
  if (const auto* error = std::get_if<wire::DecodeError>(&decoded)) {
    return fmt::format("not a transcript event: {}", printable(error->detail));
  }
  auto read = read_observation(std::get<wire::Message>(decoded).json());
  if (auto* why_not = std::get_if<std::string>(&read)) return std::move(*why_not);
  const auto& recorded = std::get<RecordedObservation>(read);
  auto event = std::make_shared<Event>(KeptObservation(recorded.observation));
  event->n = recorded.n;
  event->at = recorded.at;
  return EventPtr(std::move(event));
}

std::optional<std::string> connection_run(const Json& line) {
  if (!line.is_object() || !line.contains("connection") || !line.contains("run")) return {};
  const Json& run = line["run"];
  return run.is_string() ? std::optional(run.get<std::string>()) : std::nullopt;
}

}  // namespace assay::harness
