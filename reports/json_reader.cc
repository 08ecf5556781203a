#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <type_traits>
#include <utility>

#include "reports/escape.h"
#include "reports/json.h"

namespace assay::reports {
namespace {

// Walks a report and remembers the first thing that is not as the contract says.
class Reader {
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

// Where schema /1 has a direction, the target was a server.
std::string read_party(Reader& reader, const nlohmann::json& json, const std::string& where) {
  const std::string direction = reader.text(json, where, "direction");
  if (direction == "to_target") return "client";
  if (direction == "from_target") return "server";
  return reader.text(json, where, "party", true);
}

Evidence read_evidence(Reader& reader, const nlohmann::json& json, const std::string& where) {
  Evidence out;
  out.n = reader.number<std::uint64_t>(json, where, "n");
  out.at_ms = reader.number<double>(json, where, "at_ms");
  out.party = read_party(reader, json, where);
  out.lane = reader.text(json, where, "lane", true);
  out.text = reader.text(json, where, "text", true);
  out.pointer = reader.text(json, where, "pointer");
  out.is_cut = reader.flag(json, where, "cut");
  out.is_context = reader.flag(json, where, "context");
  out.is_deliberate = reader.flag(json, where, "deliberate");
  return out;
}

Verdict read_verdict(Reader& reader, const nlohmann::json& json, const std::string& where) {
  Verdict out;
  out.requirement = reader.text(json, where, "requirement", true);
  out.level = reader.word<Level>(json, where, "level", parse_level);
  out.outcome = reader.word<Outcome>(json, where, "outcome", parse_outcome);
  out.summary = reader.text(json, where, "summary");
  out.scenario = reader.text(json, where, "scenario");
  out.duration_ms = reader.number<std::int64_t>(json, where, "duration_ms");
  out.detail = reader.text(json, where, "detail");
  out.hint = reader.text(json, where, "hint");
  out.caused_by = reader.text(json, where, "caused_by");
  out.fix = reader.text(json, where, "fix");
  out.spec = reader.text(json, where, "spec");
  out.evidence = reader.items<Evidence>(json, where, "evidence", false,
                                        [&](const nlohmann::json& item, const std::string& at) {
                                          return read_evidence(reader, item, at);
                                        });
  out.history = reader.items<Step>(
      json, where, "history", false, [&](const nlohmann::json& item, const std::string& at) {
        return Step{reader.text(item, at, "what", true), reader.text(item, at, "by"),
                    reader.text(item, at, "detail")};
      });
  out.reproduce = reader.text(json, where, "reproduce");
  if (const nlohmann::json* expected = reader.member(json, where, "expected", false)) {
    out.is_expected = true;
    out.expected_reason = reader.text(*expected, where + "/expected", "reason");
  }
  return out;
}

Candidate read_candidate(Reader& reader, const nlohmann::json& json, const std::string& where) {
  Candidate out;
  out.verdict = read_verdict(reader, json, where);
  out.from = reader.text(json, where, "from", true);
  out.explained_by = reader.text(json, where, "explained_by");
  out.ended_over = reader.text(json, where, "ended_over");
  out.is_silence = reader.flag(json, where, "silence");
  out.lacks_answer = reader.flag(json, where, "lacks_answer");
  out.explains_silence = reader.flag(json, where, "explains_silence");
  out.is_cause_only = reader.flag(json, where, "cause_only");
  return out;
}

Shard read_shard(Reader& reader, const nlohmann::json& json, const std::string& where) {
  constexpr int kMostShards = 10'000;
  Shard out;
  out.index = reader.number<int>(json, where, "index");
  out.total = reader.number<int>(json, where, "total");
  const bool is_sound = out.total >= 1 && out.total <= kMostShards && out.index >= 1;
  if (!is_sound || out.index > out.total) reader.fail(where, "not a shard I of N");
  return out;
}

Cost read_cost(Reader& reader, const nlohmann::json& json, const std::string& where) {
  return {reader.number<std::int64_t>(json, where, "sessions"),
          reader.number<std::int64_t>(json, where, "requests"),
          reader.number<std::uint64_t>(json, where, "bytes_sent"),
          reader.number<std::uint64_t>(json, where, "bytes_received")};
}

JudgedExtension read_extension(Reader& reader, const nlohmann::json& json,
                               const std::string& where) {
  return {reader.text(json, where, "id", true), reader.text(json, where, "version"),
          reader.flag(json, where, "declared")};
}

Run read_run(Reader& reader, const nlohmann::json& json, const std::string& where) {
  Run out;
  out.revision = reader.text(json, where, "revision", true);
  out.transport = reader.text(json, where, "transport", true);
  out.status = reader.word<RunStatus>(json, where, "status", parse_run_status);
  out.reason = reader.text(json, where, "reason");
  out.duration_ms = reader.number<std::int64_t>(json, where, "duration_ms");
  out.verdicts = reader.items<Verdict>(json, where, "verdicts", true,
                                       [&](const nlohmann::json& item, const std::string& at) {
                                         return read_verdict(reader, item, at);
                                       });
  if (const nlohmann::json* cost = reader.member(json, where, "cost", false)) {
    out.cost = read_cost(reader, *cost, where + "/cost");
  }
  out.extensions = reader.items<JudgedExtension>(
      json, where, "extensions", false, [&](const nlohmann::json& item, const std::string& at) {
        return read_extension(reader, item, at);
      });
  if (const nlohmann::json* shard = reader.member(json, where, "shard", false)) {
    out.shard = read_shard(reader, *shard, where + "/shard");
    out.candidates = reader.items<Candidate>(
        json, where, "candidates", true, [&](const nlohmann::json& item, const std::string& at) {
          return read_candidate(reader, item, at);
        });
  }
  return out;
}

Target read_target(Reader& reader, const nlohmann::json& json, const std::string& where) {
  Target out;
  out.subject = reader.text(json, where, "subject", true);
  out.label = reader.text(json, where, "label");
  out.name = reader.text(json, where, "name");
  out.version = reader.text(json, where, "version");
  out.command = reader.items<std::string>(
      json, where, "command", false, [&](const nlohmann::json& item, const std::string& at) {
        if (!item.is_string()) reader.fail(at, "a string is expected");
        return item.is_string() ? item.get<std::string>() : std::string();
      });
  out.url = reader.text(json, where, "url");
  out.source = reader.text(json, where, "source");
  return out;
}

StaleExpectation read_stale(Reader& reader, const nlohmann::json& json, const std::string& where) {
  StaleExpectation out;
  out.pattern = reader.text(json, where, "requirement", true);
  out.revision = reader.text(json, where, "revision");
  out.transport = reader.text(json, where, "transport");
  out.reason = reader.text(json, where, "reason");
  return out;
}

Result read_result(Reader& reader, const nlohmann::json& json) {
  Result out;
  const std::string root;
  if (const nlohmann::json* tool = reader.member(json, root, "tool", true)) {
    out.tool_version = reader.text(*tool, "/tool", "version", true);
  }
  if (const nlohmann::json* catalogue = reader.member(json, root, "catalogue", true)) {
    out.catalogue_version = reader.text(*catalogue, "/catalogue", "version", true);
    out.catalogue_digest = reader.text(*catalogue, "/catalogue", "digest");
  }
  out.started = reader.text(json, root, "started", true);
  out.duration_ms = reader.number<std::int64_t>(json, root, "duration_ms");
  out.was_interrupted = reader.flag(json, root, "interrupted");
  out.is_strict = reader.flag(json, root, "strict");
  out.rules_url = reader.text(json, root, "rules");
  if (const nlohmann::json* target = reader.member(json, root, "target", true)) {
    out.target = read_target(reader, *target, "/target");
  }
  out.runs = reader.items<Run>(json, root, "runs", true,
                               [&](const nlohmann::json& item, const std::string& at) {
                                 return read_run(reader, item, at);
                               });
  out.stale_expectations =
      reader.items<StaleExpectation>(json, root, "stale_expectations", false,
                                     [&](const nlohmann::json& item, const std::string& at) {
                                       return read_stale(reader, item, at);
                                     });
  return out;
}

}  // namespace

std::string why_not_json(std::string_view what) {
  constexpr std::string_view kPlace = "parse error at ";
  const std::size_t at = what.find(kPlace);
  const std::string_view told =
      at == std::string_view::npos ? what : what.substr(at + kPlace.size());
  return "not JSON: " + printable_line(cut(told, 300));
}

std::variant<Result, std::string> parse_json(std::string_view text) {
  if (text.size() > kMaxReportBytes) {
    return fmt::format("larger than {} bytes: not a report of mcp-assay", kMaxReportBytes);
  }
  nlohmann::json json;
  try {
    json = nlohmann::json::parse(text);
  } catch (const nlohmann::json::parse_error& error) {
    return why_not_json(error.what());
  }
  Reader reader;
  const std::string schema = reader.text(json, "", "schema", true);
  if (!reader.error().empty()) {
    return fmt::format("not a report of mcp-assay ({})", reader.error());
  }
  if (schema != kJsonSchema && schema != kOlderJsonSchema) {
    return fmt::format("its schema is '{}'; this version of mcp-assay reads '{}'",
                       printable_line(cut(schema, 60)), kJsonSchema);
  }
  Result result = read_result(reader, json);
  if (!reader.error().empty()) return reader.error();
  return result;
}

}  // namespace assay::reports
