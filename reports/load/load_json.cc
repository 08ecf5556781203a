#include "reports/load/load_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "reports/escape.h"
#include "reports/load/limit_text.h"

namespace assay::reports {
namespace {

using OrderedJson = nlohmann::ordered_json;

constexpr unsigned kStoredPerDoubling = 64;
constexpr std::size_t kMostSamples = 1'000'000;
constexpr std::size_t kSchemaWithin = 4096;  // bytes of a file in which its schema is looked for

// Nanoseconds as microseconds with three digits.
double micros(double nanoseconds) {
  return std::round(nanoseconds) / 1000;
}

OrderedJson to_json(const Percentiles& p) {
  return {{"min", micros(p.shortest)}, {"mean", micros(p.mean)},  {"p50", micros(p.p50)},
          {"p90", micros(p.p90)},      {"p99", micros(p.p99)},    {"p99.9", micros(p.p999)},
          {"p99.99", micros(p.p9999)}, {"max", micros(p.longest)}};
}

OrderedJson methods_json(const LoadResult& result) {
  OrderedJson methods = OrderedJson::array();
  for (const LoadMethod& method : result.methods) {
    methods.push_back({{"name", valid_utf8(method.name)},
                       {"answers", method.answers},
                       {"errors", method.errors},
                       {"latency_us", to_json(method.latency)}});
  }
  return methods;
}

OrderedJson target_json(const LoadResult& result) {
  OrderedJson command = OrderedJson::array();
  for (const std::string& word : result.command) command.push_back(valid_utf8(word));
  return {{"name", valid_utf8(result.server_name)},
          {"command", result.command.empty() ? OrderedJson() : std::move(command)},
          {"url", result.url.empty() ? OrderedJson() : OrderedJson(valid_utf8(result.url))},
          {"revision", result.revision}};
}

OrderedJson load_setting_json(const LoadResult& result) {
  return {{"connections", result.connections},
          {"sessions", result.sessions},
          {"pipeline", result.pipeline},
          {"rate", result.rate},
          {"plain", result.is_plain}};
}

OrderedJson tool_json() {
  return {{"name", "mcp-assay"}, {"version", ASSAY_VERSION}};
}

std::string dumped(const OrderedJson& json) {
  return json.dump(-1, ' ', false, OrderedJson::error_handler_t::replace) + "\n";
}

// What kept a step from being held; null if nothing did, or if there is no step.
OrderedJson limiter_json(const LimitStep* step) {
  if (!step || step->limited_by == LimitStep::LimitedBy::kNothing) return nullptr;
  return limit_name(step->limited_by);
}

OrderedJson step_json(const LimitStep& step) {
  return {{"rate", step.rate},
          {"reached", step.reached},
          {"p50_us", micros(step.p50)},
          {"p99_us", micros(step.p99)},
          {"once_sent_p99_us", micros(step.once_sent_p99)},
          {"sender_late_p99_us", micros(step.sender_late_p99)},
          {"generator_share", step.generator_share},
          {"answers", step.answers},
          {"errors", step.errors},
          {"unsent", step.unsent},
          {"held", step.limited_by == LimitStep::LimitedBy::kNothing},
          {"limited_by", limiter_json(&step)},
          {"reason", step.reason.empty() ? OrderedJson() : OrderedJson(valid_utf8(step.reason))}};
}

// Ends the parse with a sentence; never leaves this file.
struct BadResult {
  std::string text;
};

const OrderedJson& member(const OrderedJson& json, const char* key) {
  const auto found = json.find(key);
  if (!json.is_object() || found == json.end()) throw BadResult{fmt::format("{} is missing", key)};
  return *found;
}

double number(const OrderedJson& json, const char* key) {
  const OrderedJson& value = member(json, key);
  const double read = value.is_number() ? value.get<double>() : -1;
  if (!(read >= 0) || !std::isfinite(read)) {
    throw BadResult{fmt::format("{} is no number from 0 on", key)};
  }
  return read;
}

std::uint64_t count(const OrderedJson& json, const char* key) {
  const OrderedJson& value = member(json, key);
  if (!value.is_number_unsigned()) throw BadResult{fmt::format("{} is no whole number", key)};
  return value.get<std::uint64_t>();
}

std::string text(const OrderedJson& json, const char* key) {
  const OrderedJson& value = member(json, key);
  if (value.is_null()) return {};
  if (!value.is_string()) throw BadResult{fmt::format("{} is no string", key)};
  return value.get<std::string>();
}

void read_samples(const OrderedJson& json, LoadResult& result) {
  const OrderedJson& samples = member(json, "samples");
  if (!samples.is_array() || samples.size() > kMostSamples) throw BadResult{"samples is no list"};
  for (const OrderedJson& sample : samples) {
    result.samples.push_back({count(sample, "answers"), number(sample, "mean_latency_us") * 1000});
  }
}

void read_histogram(const OrderedJson& json, LoadResult& result) {
  const OrderedJson& buckets = member(json, "histogram");
  if (!buckets.is_array()) throw BadResult{"histogram is no list"};
  for (const OrderedJson& bucket : buckets) {
    const double to = number(bucket, "to_us") * 1000;
    const auto bounded = std::min(to, static_cast<double>(Histogram::kLongest));
    result.latency.record(static_cast<std::uint64_t>(bounded), count(bucket, "count"));
  }
}

LoadResult read(const OrderedJson& json) {
  LoadResult result;
  const OrderedJson& target = member(json, "target");
  result.server_name = text(target, "name");
  result.url = text(target, "url");
  result.revision = text(target, "revision");
  if (const OrderedJson& command = member(target, "command"); command.is_array()) {
    for (const OrderedJson& word : command) {
      if (word.is_string()) result.command.push_back(word.get<std::string>());
    }
  }
  const OrderedJson& load = member(json, "load");
  result.connections = count(load, "connections");
  result.sessions = count(load, "sessions");
  result.pipeline = count(load, "pipeline");
  result.rate = number(load, "rate");
  result.started = text(json, "started");
  result.seconds = number(json, "seconds");
  result.answers = count(json, "answers");
  for (const auto& [what, times] : member(json, "errors").items()) {
    if (times.is_number_unsigned()) result.errors[what] = times.get<std::uint64_t>();
  }
  result.sample_seconds = number(json, "sample_seconds");
  read_samples(json, result);
  read_histogram(json, result);
  return result;
}

}  // namespace

std::uint64_t LoadResult::error_count() const {
  std::uint64_t sum = 0;
  for (const auto& [what, times] : errors) sum += times;
  return sum;
}

Percentiles percentiles_of(const Histogram& histogram) {
  const auto at = [&](double percent) {
    return static_cast<double>(histogram.percentile(percent));
  };
  return {.p50 = at(50),
          .p90 = at(90),
          .p99 = at(99),
          .p999 = at(99.9),
          .p9999 = at(99.99),
          .shortest = static_cast<double>(histogram.shortest()),
          .longest = static_cast<double>(histogram.longest()),
          .mean = histogram.mean()};
}

std::string load_json(const LoadResult& result) {
  OrderedJson json = {{"schema", kLoadSchema},
                      {"tool", tool_json()},
                      {"started", result.started},
                      {"target", target_json(result)},
                      {"load", load_setting_json(result)},
                      {"interrupted", result.was_interrupted},
                      {"seconds", result.seconds},
                      {"answers", result.answers},
                      {"throughput", result.throughput()},
                      {"bytes_sent", result.bytes_sent},
                      {"bytes_received", result.bytes_received},
                      {"errors", result.errors},
                      {"unsent", result.unsent},
                      {"latency_us", to_json(percentiles_of(result.latency))}};
  if (result.service) json["service_us"] = to_json(*result.service);
  if (result.sender_late) json["sender_late_us"] = to_json(*result.sender_late);
  json["methods"] = methods_json(result);
  if (result.server_cpu_seconds) json["server_cpu_seconds"] = *result.server_cpu_seconds;
  if (result.server_peak_bytes) json["server_peak_bytes"] = *result.server_peak_bytes;
  json["own_cpu_seconds"] = result.own_cpu_seconds;
  json["sample_seconds"] = result.sample_seconds;
  OrderedJson& samples = json["samples"] = OrderedJson::array();
  for (const LoadSample& sample : result.samples) {
    samples.push_back(
        {{"answers", sample.answers}, {"mean_latency_us", micros(sample.mean_latency_ns)}});
  }
  OrderedJson& buckets = json["histogram"] = OrderedJson::array();
  for (const Histogram::Bucket& bucket : result.latency.buckets(kStoredPerDoubling)) {
    buckets.push_back({{"to_us", micros(static_cast<double>(bucket.to))}, {"count", bucket.count}});
  }
  return dumped(json);
}

std::string limit_json(const LimitResult& result) {
  const auto rate_or_null = [](double rate) {
    return rate > 0 ? OrderedJson(rate) : OrderedJson();
  };
  OrderedJson setting = load_setting_json(result.setting);
  setting.erase("rate");
  OrderedJson steps = OrderedJson::array();
  for (const LimitStep& step : result.steps) steps.push_back(step_json(step));
  return dumped({{"schema", kLimitSchema},
                 {"tool", tool_json()},
                 {"started", result.setting.started},
                 {"target", target_json(result.setting)},
                 {"load", std::move(setting)},
                 {"limit", {{"p99_us", micros(result.limit)}}},
                 {"step_seconds", result.step_seconds},
                 {"interrupted", result.was_interrupted},
                 {"out_of_time", result.is_out_of_time},
                 {"held", rate_or_null(result.held)},
                 {"not_held", rate_or_null(result.failed)},
                 {"limited_by", limiter_json(result.failed_step())},
                 {"steps", std::move(steps)}});
}

bool is_limit_json(std::string_view text) {
  return text.substr(0, kSchemaWithin).find("\"mcp-assay-bench-limit/") != std::string_view::npos;
}

bool is_load_json(std::string_view text) {
  // Our own writer puts the schema first; a file written by others is still told by the word.
  return text.substr(0, kSchemaWithin).find("\"mcp-assay-bench/") != std::string_view::npos;
}

std::variant<LoadResult, std::string> parse_load_json(std::string_view text) {
  const OrderedJson json = OrderedJson::parse(text, nullptr, false);
  if (json.is_discarded()) return std::string("is not JSON");
  try {
    const std::string schema = reports::text(json, "schema");
    if (schema != kLoadSchema) {
      return fmt::format("has the schema '{}', not '{}'", printable_line(cut(schema, 60)),
                         kLoadSchema);
    }
    return read(json);
  } catch (const BadResult& bad) {
    return "is no result of 'bench': " + bad.text;
  }
}

}  // namespace assay::reports
