#include "bench/load/mix.h"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <charconv>
#include <numeric>

#include "reference/wire/http_text.h"
#include "reports/escape.h"

namespace assay::bench {
namespace {

constexpr int kMostDepth = 64;
// The params of a whole mix: aliases can make a small file a large value.
constexpr std::size_t kMostValues = 10'000;
constexpr std::size_t kMostTextBytes = 1u << 20;

// Ends the parse with a sentence; never leaves this file.
struct BadMix {
  std::string text;
};

[[noreturn]] void fail(const YAML::Node& node, std::string_view what) {
  throw BadMix{fmt::format("line {}: {}", node.Mark().line + 1, what)};
}

// A plain scalar as YAML's core schema reads it; a quoted one is a string.
Json scalar(const YAML::Node& node) {
  const std::string& text = node.Scalar();
  if (node.Tag() == "!") return text;
  if (text == "true" || text == "false") return text == "true";
  if (text == "null" || text == "~" || text.empty()) return nullptr;
  const Json read = Json::parse(text, nullptr, false);
  return read.is_number() ? read : Json(text);
}

// Reads params, and counts what they come to.
class Values {
 public:
  Json read(const YAML::Node& node, int depth = 0) {
    if (depth > kMostDepth) fail(node, "nested too deep");
    count(node, node.IsScalar() ? node.Scalar().size() : 0);
    switch (node.Type()) {
      case YAML::NodeType::Scalar:
        return scalar(node);
      case YAML::NodeType::Sequence: {
        Json array = Json::array();
        for (const YAML::Node& item : node) array.push_back(read(item, depth + 1));
        return array;
      }
      case YAML::NodeType::Map: {
        Json object = Json::object();
        for (const auto& pair : node) {
          if (!pair.first.IsScalar()) fail(pair.first, "a key must be a text");
          count(pair.first, pair.first.Scalar().size());
          object[pair.first.Scalar()] = read(pair.second, depth + 1);
        }
        return object;
      }
      case YAML::NodeType::Null:
      case YAML::NodeType::Undefined:
        return nullptr;
    }
    return nullptr;
  }

 private:
  void count(const YAML::Node& node, std::size_t text_bytes) {
    text_bytes_ += text_bytes;
    if (++values_ > kMostValues) {
      fail(node, fmt::format("the params come to more than {} values", kMostValues));
    }
    if (text_bytes_ > kMostTextBytes) {
      fail(node, fmt::format("the params come to more than {} bytes of text", kMostTextBytes));
    }
  }

  std::size_t values_ = 0;
  std::size_t text_bytes_ = 0;
};

unsigned weight(const YAML::Node& node) {
  unsigned number = 0;
  const std::string& text = node.IsScalar() ? node.Scalar() : "";
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  if (read.ec != std::errc() || read.ptr != text.data() + text.size() || number == 0 ||
      number > kMostWeight) {
    fail(node, fmt::format("weight must be a whole number from 1 to {}", kMostWeight));
  }
  return number;
}

MixEntry entry(const YAML::Node& node, Values& values) {
  if (!node.IsMap()) fail(node, "a request has the keys method, and if you like params and weight");
  MixEntry made;
  for (const auto& pair : node) {
    const std::string key = pair.first.IsScalar() ? pair.first.Scalar() : "";
    if (key == "method") {
      // Some revisions name it in a header.
      const bool is_line = pair.second.IsScalar() && wire::is_field_value(pair.second.Scalar());
      if (!is_line || pair.second.Scalar().empty())
        fail(pair.second, "method must be a line of text");
      made.method = pair.second.Scalar();
    } else if (key == "params") {
      if (!pair.second.IsMap()) fail(pair.second, "params must be a mapping");
      made.params = values.read(pair.second);
    } else if (key == "weight") {
      made.weight = weight(pair.second);
    } else {
      fail(pair.first, fmt::format("unknown key '{}'; known: method, params, weight",
                                   reports::printable_line(reports::cut(key, 60))));
    }
  }
  if (made.method.empty()) fail(node, "a request needs a method");
  if (made.method == "initialize") fail(node, "initialize is sent once, by the program itself");
  return made;
}

Mix read(const YAML::Node& root) {
  if (!root.IsMap()) throw BadMix{"line 1: the file must have the key 'requests'"};
  for (const auto& pair : root) {
    const std::string key = pair.first.IsScalar() ? pair.first.Scalar() : "";
    if (key != "requests") fail(pair.first, "the only key at the top is 'requests'");
    if (!pair.second.IsSequence() || pair.second.size() == 0) {
      fail(pair.second.IsDefined() ? pair.second : pair.first, "requests must be a list");
    }
    if (pair.second.size() > kMostEntries) {
      fail(pair.second, fmt::format("more than {} requests", kMostEntries));
    }
    Mix mix;
    Values values;
    for (const YAML::Node& node : pair.second) mix.push_back(entry(node, values));
    return mix;
  }
  throw BadMix{"line 1: the file must have the key 'requests'"};
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
    return read(YAML::Load(std::string(yaml)));
  } catch (const BadMix& bad) {
    return bad.text;
  } catch (const YAML::Exception& error) {
    return fmt::format("line {}: {}", error.mark.line + 1, error.msg);
  }
}

Mix default_mix(model::Revision revision) {
  if (revision.has_handshake()) return {{"ping"}};
  return {{"tools/list"}};
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
