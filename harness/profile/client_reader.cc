#include "harness/profile/client_reader.h"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <string>
#include <utility>

#include "harness/profile/reading.h"

namespace assay::harness {
namespace {

Act act_named(const YAML::Node& node, const std::string& word) {
  if (const auto known = parse_act(word)) return *known;
  std::string all;
  for (const Act each : acts()) {
    all += fmt::format("{}{}", all.empty() ? "" : ", ", name(each));
  }
  fail_at(node, fmt::format("unknown act {}; known: {}", in_quotes(word), all));
}

std::string word_of(Act act, const YAML::Node& node, bool is_for_each_argument) {
  if (!node.IsScalar()) fail_at(node, "a word of a command line must be a text");
  if (const auto trouble = trouble_with_mark(act, node.Scalar(), is_for_each_argument)) {
    fail_at(node, *trouble);
  }
  return node.Scalar();
}

// A list of words; a list within it comes once for each argument.
std::vector<ClientWay::Words> words_of(Act act, const YAML::Node& node, std::string_view what) {
  if (!node.IsSequence()) fail_at(node, fmt::format("{} must be a list of words", what));
  std::vector<ClientWay::Words> all;
  for (const YAML::Node& item : node) {
    ClientWay::Words some;
    some.is_for_each_argument = item.IsSequence();
    if (some.is_for_each_argument) {
      if (!has_arguments(act)) {
        fail_at(item, fmt::format("{} has no arguments that a list of words could be repeated for",
                                  name(act)));
      }
      for (const YAML::Node& word : item) some.words.push_back(word_of(act, word, true));
    } else {
      some.words.push_back(word_of(act, item, false));
    }
    all.push_back(std::move(some));
  }
  return all;
}

void read_environment(const YAML::Node& node, ClientWay& way) {
  each_member(node, "environment",
              [&](const std::string& key, const YAML::Node& at, const YAML::Node& value) {
                if (key.find('=') != std::string::npos) {
                  fail_at(at, "the name of an environment variable has no '='");
                }
                if (!value.IsScalar()) fail_at(value, "a value of the environment must be a text");
                way.environment.emplace_back(key, value.Scalar());
              });
}

ClientWay read_way(Act act, const YAML::Node& at, const YAML::Node& node) {
  ClientWay way;
  way.act = act;
  way.line = line_of(at);
  if (node.IsNull()) return way;  // the command as it is
  if (node.IsSequence()) {
    way.words = words_of(act, node, name(act));
    return way;
  }
  bool appends = false;
  each_member(node, name(act),
              [&](const std::string& key, const YAML::Node& where, const YAML::Node& value) {
                if (key == "append") {
                  appends = true;
                  way.words = words_of(act, value, key);
                } else if (key == "command") {
                  way.is_whole = true;
                  way.words = words_of(act, value, key);
                  const bool has_program = !way.words.empty() &&
                                           !way.words.front().is_for_each_argument &&
                                           !way.words.front().words.front().empty();
                  if (!has_program) fail_at(value, "a command begins with a program");
                } else if (key == "environment") {
                  read_environment(value, way);
                } else {
                  unknown_key(where, key, {"append", "command", "environment"});
                }
              });
  if (appends && way.is_whole) {
    fail_at(node, "a way has 'append' or 'command', and not both");
  }
  return way;
}

}  // namespace

std::vector<ClientWay> read_client(const YAML::Node& node) {
  std::vector<ClientWay> ways;
  each_member(node, "client",
              [&](const std::string& key, const YAML::Node& at, const YAML::Node& value) {
                ways.push_back(read_way(act_named(at, key), at, value));
              });
  if (ways.empty()) fail_at(node, "client names no act");
  return ways;
}

}  // namespace assay::harness
