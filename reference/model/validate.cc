#include "reference/model/validate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

#include "reference/model/compiled.h"
#include "reference/model/formats.h"
#include "reference/model/validator.h"

namespace assay::model {
namespace {

const Json* member(const Json& object, const char* name) {
  const auto found = object.find(name);
  return found == object.end() ? nullptr : &*found;
}

std::optional<std::int64_t> code_of(const Json& error) {
  if (!error.is_object()) return std::nullopt;
  const Json* code = member(error, "code");
  if (code == nullptr || !code->is_number_integer()) return std::nullopt;
  return code->get<std::int64_t>();
}

Direction opposite(Direction direction) {
  return direction == Direction::kClientToServer ? Direction::kServerToClient
                                                 : Direction::kClientToServer;
}

// Judges whole messages of one direction.
class MessageValidator {
 public:
  MessageValidator(const Compiled& compiled, Direction direction, Deviations& deviations)
      : compiled_(compiled),
        direction_(direction),
        deviations_(deviations),
        validator_(compiled, &deviations) {}

  void check(const Json& message, const Path& path,
             std::optional<std::string_view> request_method) {
    if (!message.is_object()) {
      validator_.report(path, "a JSON-RPC message (an object)", found_type(message));
      return;
    }
    const Json* error = member(message, "error");
    const Json* result = member(message, "result");
    if (const Json* method = member(message, "method")) return check_call(message, *method, path);
    if (error != nullptr && result != nullptr) {
      validator_.report(path, "either \"result\" or \"error\"", "both");
    }
    if (error != nullptr) return check_error(message, *error, path);
    if (result != nullptr) return check_result(message, path, request_method);
    validator_.report(path, "a JSON-RPC message with \"method\", \"result\" or \"error\"",
                      "an object with none of them");
  }

  void check_batch(const Json& batch, const Path& path) {
    if (batch.empty()) validator_.report(path, "at least one message", "an empty array");
    std::size_t index = 0;
    for (const Json& message : batch) check(message, Path{&path, {}, index++}, std::nullopt);
  }

 private:
  void check_call(const Json& message, const Json& method, const Path& path) {
    const bool has_id = message.contains("id");
    const CompiledMethod* known =
        method.is_string() ? compiled_.find_method(direction_, method.get_ref<const std::string&>())
                           : nullptr;
    if (known == nullptr) {
      const char* const type = has_id ? "JSONRPCRequest" : "JSONRPCNotification";
      validator_.check(compiled_.require(type), message, path);
      return;
    }
    validator_.check(known->message, message, path);
    if (!known->is_request && has_id) {
      validator_.report(Path{&path, "id"}, "no id (it is a notification)",
                        found_type(message.at("id")));
    }
  }

  void check_result(const Json& message, const Path& path,
                    std::optional<std::string_view> request_method) {
    const CompiledMethod* known =
        request_method ? compiled_.find_method(opposite(direction_), *request_method) : nullptr;
    const NodeIndex response = known != nullptr && known->is_request
                                   ? known->response
                                   : compiled_.require("JSONRPCResultResponse");
    validator_.check(response, message, path);
  }

  void check_error(const Json& message, const Json& error, const Path& path) {
    const std::size_t before = deviations_.size();
    validator_.check(compiled_.error_response(code_of(error)), message, path);
    const Json* id = member(message, "id");
    if (id == nullptr || !id->is_null()) return;
    const std::string pointer = Path{&path, "id"}.pointer();
    const auto first = deviations_.begin() + static_cast<std::ptrdiff_t>(before);
    deviations_.erase(std::remove_if(first, deviations_.end(),
                                     [&](const Deviation& d) { return d.pointer == pointer; }),
                      deviations_.end());
  }

  const Compiled& compiled_;
  Direction direction_;
  Deviations& deviations_;
  Validator validator_;
};

}  // namespace

std::string_view name(Rule rule) {
  switch (rule) {
    case Rule::kShape:
      return "shape";
    case Rule::kRange:
      return "range";
    case Rule::kBase64:
      return "base64";
    case Rule::kUri:
      return "uri";
    case Rule::kUriTemplate:
      return "uri-template";
    case Rule::kTime:
      return "time";
    case Rule::kToolName:
      return "tool-name";
    case Rule::kMetaKey:
      return "meta-key";
  }
  return "";
}

std::string to_text(const Deviation& deviation) {
  std::string text;
  for (const char c : deviation.pointer.empty() ? "(the whole value)" : deviation.pointer) {
    const auto byte = static_cast<unsigned char>(c);
    text += byte >= 0x20 && byte < 0x7f ? std::string(1, c) : fmt::format("\\x{:02x}", byte);
  }
  text += fmt::format(": expected {}, found {}", deviation.expected, deviation.found);
  if (!deviation.closest.empty()) text += fmt::format(" (taken as {})", deviation.closest);
  return text;
}

std::vector<std::string> known_types(Protocol protocol) {
  std::vector<std::string> names;
  for (const auto& [type, index] : Compiled::of(protocol).definitions()) names.push_back(type);
  return names;
}

bool is_known_type(Protocol protocol, std::string_view type) {
  return Compiled::of(protocol).find(type) != kNoNode;
}

bool is_message_type(Protocol protocol, std::string_view type) {
  const Compiled& compiled = Compiled::of(protocol);
  const Node& node = compiled.node(compiled.require(type));
  const auto has_version = [](const Node& one) {
    return std::any_of(one.fields.begin(), one.fields.end(),
                       [](const CompiledField& field) { return field.name == "jsonrpc"; });
  };
  return has_version(node) ||
         std::any_of(node.alternatives.begin(), node.alternatives.end(),
                     [&](NodeIndex index) { return has_version(compiled.node(index)); });
}

Deviations validate(Protocol protocol, std::string_view type, const Json& value) {
  const Compiled& compiled = Compiled::of(protocol);
  Deviations deviations;
  Validator(compiled, &deviations).check(compiled.require(type), value, Path{});
  return deviations;
}

bool is_valid(Protocol protocol, std::string_view type, const Json& value) {
  const Compiled& compiled = Compiled::of(protocol);
  return Validator(compiled, nullptr).check(compiled.require(type), value, Path{});
}

std::optional<MessageForm> known_method(Protocol protocol, Direction direction,
                                        std::string_view method) {
  const CompiledMethod* known = Compiled::of(protocol).find_method(direction, method);
  if (known == nullptr) return std::nullopt;
  return known->is_request ? MessageForm::kRequest : MessageForm::kNotification;
}

Deviations validate_message(Protocol protocol, Direction direction, const Json& message,
                            std::optional<std::string_view> request_method) {
  Deviations deviations;
  MessageValidator validator(Compiled::of(protocol), direction, deviations);
  if (message.is_array() && protocol.revision.has_batching()) {
    validator.check_batch(message, Path{});
  } else {
    validator.check(message, Path{}, request_method);
  }
  return deviations;
}

}  // namespace assay::model
