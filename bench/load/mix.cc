#include "bench/load/mix.h"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <charconv>
#include <numeric>

#include "reference/wire/http_text.h"
#include "reports/escape.h"
#include "reports/yaml.h"

namespace assay::bench {
namespace {

using reports::BadYaml;
using reports::fail_at;

unsigned weight(const YAML::Node& node) {
  unsigned number = 0;
  const std::string& text = node.IsScalar() ? node.Scalar() : "";
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  if (read.ec != std::errc() || read.ptr != text.data() + text.size() || number == 0 ||
      number > kMostWeight) {
    fail_at(node, fmt::format("weight must be a whole number from 1 to {}", kMostWeight));
  }
  return number;
}

MixEntry entry(const YAML::Node& node, reports::YamlValues& values) {
  if (!node.IsMap())
    fail_at(node, "a request has the keys method, and if you like params and weight");
  MixEntry made;
  for (const auto& pair : node) {
    const std::string key = pair.first.IsScalar() ? pair.first.Scalar() : "";
    if (key == "method") {
      // Some revisions name it in a header.
      const bool is_line = pair.second.IsScalar() && wire::is_field_value(pair.second.Scalar());
      if (!is_line || pair.second.Scalar().empty())
        fail_at(pair.second, "method must be a line of text");
      made.method = pair.second.Scalar();
    } else if (key == "params") {
      if (!pair.second.IsMap()) fail_at(pair.second, "params must be a mapping");
      made.params = values.read(pair.second);
    } else if (key == "weight") {
      made.weight = weight(pair.second);
    } else {
      fail_at(pair.first, fmt::format("unknown key '{}'; known: method, params, weight",
                                      reports::printable_line(reports::cut(key, 60))));
    }
  }
  if (made.method.empty()) fail_at(node, "a request needs a method");
  if (made.method == "initialize") fail_at(node, "initialize is sent once, by the program itself");
  return made;
}

Mix read(const YAML::Node& root) {
  if (!root.IsMap()) throw BadYaml{"line 1: the file must have the key 'requests'"};
  for (const auto& pair : root) {
    const std::string key = pair.first.IsScalar() ? pair.first.Scalar() : "";
    if (key != "requests") fail_at(pair.first, "the only key at the top is 'requests'");
    if (!pair.second.IsSequence() || pair.second.size() == 0) {
      fail_at(pair.second.IsDefined() ? pair.second : pair.first, "requests must be a list");
    }
    if (pair.second.size() > kMostEntries) {
      fail_at(pair.second, fmt::format("more than {} requests", kMostEntries));
    }
    Mix mix;
    reports::YamlValues values;  // of all params
    for (const YAML::Node& node : pair.second) mix.push_back(entry(node, values));
    return mix;
  }
  throw BadYaml{"line 1: the file must have the key 'requests'"};
}

}  // namespace

std::string MixEntry::title() const {
  if (!params.is_object()) return method;
  for (const char* key : {"name", "uri"}) {
    const auto found = params.find(key);
    if (found != params.end() && found->is_string()) {
      return method + " " + found->get_ref<const std::string&>();
    }
  }
  return method;
}

std::variant<Mix, std::string> parse_mix(std::string_view yaml) {
  try {
    return read(reports::load_yaml(yaml));
  } catch (const BadYaml& bad) {
    return bad.text;
  }
}

Mix default_mix(model::Revision revision) {
  if (revision.has_ping()) return {{"ping"}};
  return {{"server/discover"}};
}

std::vector<std::size_t> turns(const Mix& mix) {
  unsigned divisor = 0;
  for (const MixEntry& entry : mix) divisor = std::gcd(divisor, entry.weight);
  // Each turn goes to the entry that is furthest behind its share.
  std::vector<long> credit(mix.size());
  long total = 0;
  for (const MixEntry& entry : mix) total += entry.weight / divisor;
  std::vector<std::size_t> order;
  for (long turn = 0; turn < total; ++turn) {
    std::size_t best = 0;
    for (std::size_t i = 0; i < mix.size(); ++i) {
      credit[i] += mix[i].weight / divisor;
      if (credit[i] > credit[best]) best = i;
    }
    credit[best] -= total;
    order.push_back(best);
  }
  return order;
}

}  // namespace assay::bench
