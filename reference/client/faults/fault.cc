#include "reference/client/faults/fault.h"

#include <algorithm>
#include <chrono>
#include <iterator>

#include "reference/wire/compose.h"
#include "reference/wire/http_text.h"
#include "reference/wire/message.h"

namespace assay::client {
namespace {

// A member of that name which is a string; empty otherwise.
std::string text_of(const Json& object, const char* name) {
  const auto found = object.is_object() ? object.find(name) : object.end();
  const bool is_text = object.is_object() && found != object.end() && found->is_string();
  return is_text ? found->get<std::string>() : "";
}

bool is_response(const Json& message) {
  return message.is_object() && !message.contains("method") && message.contains("id");
}

void leave_out(Json& content, bool (*is_it)(const Json& value)) {
  for (auto field = content.begin(); field != content.end();) {
    field = is_it(*field) ? content.erase(field) : std::next(field);
  }
}

}  // namespace

void leave_numbers_out(Json& content) {
  leave_out(content, [](const Json& value) { return value.is_number(); });
}
void leave_lists_out(Json& content) {
  leave_out(content, [](const Json& value) { return value.is_array() && value.size() > 1; });
}

bool Departure::is_request(std::string_view method) const {
  return json_.is_object() && json_.contains("id") && text_of(json_, "method") == method;
}

bool Departure::is_notification(std::string_view method) const {
  return json_.is_object() && !json_.contains("id") && text_of(json_, "method") == method;
}

bool Departure::answers(std::string_view method) const {
  if (!is_response(json_)) return false;
  const auto found = memory_.asked.find(json_["id"].dump());
  return found != memory_.asked.end() && found->second == method;
}

Json Departure::part(const char* name) const {
  const auto params = json_.is_object() ? json_.find("params") : json_.end();
  const bool has_params = json_.is_object() && params != json_.end() && params->is_object();
  return has_params ? params->value(name, Json()) : Json();
}

void Departure::repeat_under_id_before() {
  Json again = json_;
  again["id"] = json_["id"].get<std::int64_t>() - 1;
  before(again.dump());
}

std::optional<std::string> Departure::text() const {
  if (is_dropped_) return std::nullopt;
  return bytes_.empty() ? wire::encode(json_) : bytes_;
}

const std::vector<Fault>& all_faults() {
  static const std::vector<Fault> kAll = [] {
    std::vector<Fault> all;
    for (auto table : {message_faults(),
                       json_rpc_faults(),
                       lifecycle_faults(),
                       answer_faults(),
                       list_faults(),
                       wire_faults(),
                       stateless_header_faults(),
                       stateless_input_faults(),
                       stateless_result_faults(),
                       survival_faults(),
                       session_faults(),
                       feature_faults(),
                       shutdown_faults(),
                       task_faults(),
                       cancellation_faults(),
                       task_progress_faults(),
                       timeout_faults(),
                       skill_faults(),
                       seldom_faults(),
                       second_task_way_faults(),
                       second_way_faults(),
                       app_faults(),
                       session_again_faults(),
                       request_field_faults(),
                       round_faults(),
                       form_faults(),
                       line_faults(),
                       task_again_faults(),
                       durable_task_faults(),
                       followed_task_faults(),
                       authorization_faults()}) {
      std::move(table.begin(), table.end(), std::back_inserter(all));
    }
    return all;
  }();
  return kAll;
}

const Fault* find_fault(std::string_view id) {
  const auto& all = all_faults();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const Fault& fault) { return fault.id == id; });
  return found == all.end() ? nullptr : &*found;
}

transport::Lane FaultyWire::send(std::string_view message) {
  return send_spoilt(message, nullptr);
}

transport::Lane FaultyWire::send_alone(std::string_view message,
                                       const transport::Headers& headers) {
  return send_spoilt(message, &headers);
}

transport::Lane FaultyWire::pass(const std::string& bytes, const transport::Headers* headers) {
  return headers == nullptr ? inner_->send(bytes) : inner_->send_alone(bytes, *headers);
}

transport::Lane FaultyWire::send_spoilt(std::string_view message,
                                        const transport::Headers* headers) {
  FaultMemory memory;
  const Json json = Json::parse(message, nullptr, false);
  {
    const std::lock_guard lock(mutex_);
    if (text_of(json, "method") == "initialize" && json.contains("params")) {
      memory_.version = text_of(json["params"], "protocolVersion");
      ++memory_.handshakes;
    }
    memory = memory_;
    const bool is_request = json.is_object() && json.contains("id") && json.contains("method");
    if (is_request) memory_.previous = text_of(json, "method");
    if (is_request) memory_.requests.insert(json["id"].dump());
    if (is_request && text_of(json, "method") == "tools/list") memory_.list = json;
    if (is_response(json)) {
      const auto asked = memory_.asked.find(json["id"].dump());
      if (asked != memory_.asked.end()) ++memory_.answered[asked->second];
    }
  }
  Departure departure(json, memory);
  for (const Fault* fault : faults_) {
    if (fault->departure != nullptr) fault->departure(departure);
  }
  for (const std::string& bytes : departure.ahead()) pass(bytes, headers);
  transport::Lane lane;
  if (const auto text = departure.text()) lane = pass(*text, headers);
  for (const std::string& bytes : departure.behind()) pass(bytes, headers);
  return lane;
}

void FaultyWire::note_head(const transport::HttpHead& head) {
  for (const auto& [name, value] : head.headers) {
    if (wire::equals_without_case(name, "Content-Type")) memory_.type_field = name;
  }
  const auto id = transport::find_header(head.headers, "Mcp-Session-Id");
  if (id) memory_.session_id = *id;
}

void FaultyWire::take_note(const transport::Observation& observation, const Json& message) {
  if (observation.kind == transport::Observation::Kind::kHttpResponse && observation.http) {
    note_head(*observation.http);
  }
  if (!message.is_object()) return;
  if (message.contains("id") && message.contains("method")) {
    memory_.asked[message["id"].dump()] = text_of(message, "method");
  }
  const auto result = message.find("result");
  if (result == message.end() || !result->is_object()) return;
  if (result->contains("nextCursor")) memory_.cursor = (*result)["nextCursor"];
  if (text_of(*result, "resultType") == "task") {
    memory_.durable_task = text_of(*result, "taskId");
    memory_.durable_call = message["id"];
  }
  if (!result->contains("requestState")) return;
  memory_.state = (*result)["requestState"];
  if (memory_.first_state.is_null()) memory_.first_state = memory_.state;
}

// From then on the client hears nothing, and takes the connection for lost.
bool FaultyWire::chokes_on(const transport::Observation& observation, std::string_view text) {
  const bool does = std::any_of(faults_.begin(), faults_.end(), [&](const Fault* fault) {
    return fault->chokes != nullptr && fault->chokes(observation, text);
  });
  if (!does || has_choked_.exchange(true)) return has_choked_;
  transport::Observation end;
  end.kind = transport::Observation::Kind::kCutOff;
  end.speaker = transport::Party::kServer;
  end.lane = observation.lane;
  end.bytes = "this client chokes on it";
  session_.observe(end);
  return true;
}

void FaultyWire::spoil(std::string_view method, std::string_view body, transport::Headers& fields) {
  const Json message = Json::parse(body, nullptr, false);
  FaultMemory memory;
  {
    const std::lock_guard lock(mutex_);
    memory = memory_;
  }
  for (const Fault* fault : faults_) {
    if (fault->fields != nullptr) fault->fields(method, message, fields);
    if (fault->later_fields != nullptr) fault->later_fields(memory, message, fields);
  }
}

void FaultyWire::say_later(const Echo& echo) {
  if (echo.message.is_null()) return;
  ++memory_.echoes;
  worker_.post([this, said = wire::encode(echo.message)] { pass(said, nullptr); },
               std::chrono::steady_clock::now() + echo.after);
}

void FaultyWire::react(const std::string& said) {
  {
    const std::lock_guard lock(mutex_);
    is_reacting_ = true;
  }
  const transport::Lane lane = pass(said, nullptr);
  const std::lock_guard lock(mutex_);
  is_reacting_ = false;
  if (lane.kind == transport::Lane::Kind::kHttp && !ended_.contains(lane)) reactions_.insert(lane);
  ended_.clear();
}

void FaultyWire::settle(transport::Deadline deadline) {
  // A server that does not answer is not waited for.
  constexpr std::chrono::seconds kLong(5);
  worker_.finish();
  std::unique_lock lock(mutex_);
  has_ended_.wait_until(lock, std::min(deadline, std::chrono::steady_clock::now() + kLong),
                        [&] { return is_cut_ || reactions_.empty(); });
}

void FaultyWire::note_end(const transport::Observation& observation) {
  using Kind = transport::Observation::Kind;
  const bool is_cut = observation.kind == Kind::kCutOff;
  if (!is_cut && observation.kind != Kind::kClosed && observation.kind != Kind::kBroken) return;
  const std::lock_guard lock(mutex_);
  is_cut_ = is_cut_ || is_cut;
  reactions_.erase(observation.lane);
  if (is_reacting_) ended_.insert(observation.lane);
  has_ended_.notify_all();
}

void FaultyWire::observe(const transport::Observation& observation) {
  note_end(observation);
  const auto message = observation.message();
  if (observation.speaker != transport::Party::kServer) return session_.observe(observation);
  if (has_choked_ || chokes_on(observation, message.value_or(""))) return;
  Json json = message ? Json::parse(*message, nullptr, false) : Json();
  const Json before = json;
  transport::Observation changed = observation;
  {
    const std::lock_guard lock(mutex_);
    take_note(observation, json);
    if (message) memory_.is_event = observation.event.has_value();
    for (const Fault* fault : faults_) {
      if (fault->heard != nullptr) fault->heard(observation, message.value_or(""), memory_);
      if (fault->event != nullptr && changed.event) fault->event(*changed.event);
      if (fault->intake != nullptr && message) fault->intake(json, memory_);
      if (fault->echo != nullptr && message) say_later(fault->echo(before, memory_));
    }
  }
  for (const Fault* fault : faults_) {
    if (fault->reaction == nullptr || !message) continue;
    std::string said = fault->reaction(before, *message);
    if (said.empty()) continue;
    worker_.post([this, said = std::move(said)] { react(said); });
  }
  if (json != before) (changed.event ? changed.event->data : changed.bytes) = wire::encode(json);
  session_.observe(changed);
}

}  // namespace assay::client
