// The parts of a JSON report that the reports of other runs hold, too: verdicts and their evidence,
// and how a report of somebody else's is read.
#pragma once

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "reports/escape.h"
#include "reports/result.h"

namespace assay::reports {

// Members that say nothing are absent.
void add_if(nlohmann::ordered_json& object, const char* member, const std::string& value);
nlohmann::ordered_json to_json(const Evidence& evidence);
nlohmann::ordered_json to_json(const Verdict& verdict);

// Walks a report and remembers the first thing that is not as the contract says.
class JsonReader {
 public:
  const std::string& error() const { return error_; }

  void fail(const std::string& where, std::string_view what) {
    if (error_.empty()) error_ = fmt::format("{}: {}", where.empty() ? "/" : where, what);
  }

  // The member, or null after an error. `kind` is checked by the caller's accessor.
  const nlohmann::json* member(const nlohmann::json& object, const std::string& where,
                               const char* key, bool is_required) {
    if (!object.is_object()) {
      fail(where, "an object is expected");
      return nullptr;
    }
    const auto found = object.find(key);
    if (found == object.end() || found->is_null()) {
      if (is_required) fail(where, fmt::format("'{}' is missing", key));
      return nullptr;
    }
    return &*found;
  }

  std::string text(const nlohmann::json& object, const std::string& where, const char* key,
                   bool is_required = false) {
    const nlohmann::json* value = member(object, where, key, is_required);
    if (value == nullptr) return {};
    if (!value->is_string()) {
      fail(where, fmt::format("'{}' is not a string", key));
      return {};
    }
    return value->get<std::string>();
  }

  template <typename Number>
  Number number(const nlohmann::json& object, const std::string& where, const char* key) {
    const nlohmann::json* value = member(object, where, key, false);
    if (value == nullptr) return {};
    const bool is_whole = std::is_integral_v<Number>;
    if (is_whole ? !value->is_number_integer() : !value->is_number()) {
      fail(where, fmt::format("'{}' is not a {}number", key, is_whole ? "whole " : ""));
      return {};
    }
    return value->get<Number>();
  }

  bool flag(const nlohmann::json& object, const std::string& where, const char* key) {
    const nlohmann::json* value = member(object, where, key, false);
    if (value == nullptr) return false;
    if (!value->is_boolean()) fail(where, fmt::format("'{}' is neither true nor false", key));
    return value->is_boolean() && value->get<bool>();
  }

  // A name of an enumeration.
  template <typename Enum>
  Enum word(const nlohmann::json& object, const std::string& where, const char* key,
            std::optional<Enum> (*parse)(std::string_view)) {
    const std::string value = text(object, where, key, true);
    const std::optional<Enum> parsed = parse(value);
    if (!parsed) fail(where, fmt::format("unknown {} '{}'", key, printable_line(cut(value, 60))));
    return parsed.value_or(Enum{});
  }

  // Every element of an array member through `read(element, where)`.
  template <typename Item, typename Read>
  std::vector<Item> items(const nlohmann::json& object, const std::string& where, const char* key,
                          bool is_required, Read read) {
    std::vector<Item> out;
    const nlohmann::json* value = member(object, where, key, is_required);
    if (value == nullptr) return out;
    if (!value->is_array()) {
      fail(where, fmt::format("'{}' is not an array", key));
      return out;
    }
    out.reserve(value->size());
    for (std::size_t i = 0; i < value->size() && error_.empty(); ++i) {
      out.push_back(read((*value)[i], fmt::format("{}/{}/{}", where, key, i)));
    }
    return out;
  }

 private:
  std::string error_;
};

// `where` is the place in the report, for what is wrong with it.
Evidence read_evidence(JsonReader& reader, const nlohmann::json& json, const std::string& where);
Verdict read_verdict(JsonReader& reader, const nlohmann::json& json, const std::string& where);
Shard read_shard(JsonReader& reader, const nlohmann::json& json, const std::string& where);

}  // namespace assay::reports
