// Profiles as YAML. The format is described in README.md.
#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <initializer_list>
#include <set>
#include <utility>

#include "harness/profile/client_reader.h"
#include "harness/profile/profile.h"
#include "harness/profile/reading.h"
#include "reports/escape.h"
#include "reports/yaml.h"

namespace assay::harness {
namespace {

class Reader {
 public:
  explicit Reader(std::string name) { profile_.name = std::move(name); }

  Profile read(const YAML::Node& root) {
    if (root.IsNull()) throw BadYaml{"line 1: the profile is empty"};
    each_member(root, "a profile",
                [&](const std::string& key, const YAML::Node& at, const YAML::Node& value) {
                  read_section(key, at, value);
                });
    return std::move(profile_);
  }

 private:
  void read_section(const std::string& key, const YAML::Node& at, const YAML::Node& value) {
    if (key == "name") {
      profile_.name = text(value, key);
    } else if (key == "about") {
      profile_.about = text(value, key);
    } else if (key == "detect") {
      read_detection(value);
    } else if (key == "tools") {
      each_member(value, key,
                  [&](const std::string& name, const YAML::Node& where, const YAML::Node& use) {
                    read_tool(name, where, use);
                  });
    } else if (key == "prompts") {
      each_member(value, key,
                  [&](const std::string& name, const YAML::Node& where, const YAML::Node& use) {
                    read_prompt(name, where, use);
                  });
    } else if (key == "resources") {
      read_resources(value);
    } else if (key == "completions") {
      if (!value.IsSequence()) fail_at(value, "completions must be a list");
      for (const YAML::Node& item : value) read_completion(item);
    } else if (key == "scopes") {
      each_member(value, key,
                  [&](const std::string& name, const YAML::Node&, const YAML::Node& narrower) {
                    profile_.scopes.push_back({name, texts(narrower, name)});
                  });
    } else if (key == "client") {
      profile_.client = read_client(value);
    } else {
      unknown_key(at, key,
                  {"name", "about", "detect", "tools", "prompts", "resources", "completions",
                   "scopes", "client"});
    }
  }

  void read_detection(const YAML::Node& node) {
    each_member(node, "detect",
                [&](const std::string& key, const YAML::Node& at, const YAML::Node& value) {
                  if (key == "server") {
                    profile_.detect_names = texts(value, key);
                  } else if (key == "tools") {
                    profile_.detect_tools = count(value, key);
                  } else {
                    unknown_key(at, key, {"server", "tools"});
                  }
                });
  }

  static std::size_t count(const YAML::Node& node, std::string_view what) {
    unsigned number = 0;
    if (!node.IsScalar() || !YAML::convert<unsigned>::decode(node, number) || number == 0) {
      fail_at(node, fmt::format("{} must be a number above 0", what));
    }
    return number;
  }

  void read_tool(const std::string& name, const YAML::Node& at, const YAML::Node& node) {
    KnownTool tool;
    tool.name = name;
    tool.line = line_of(at);
    if (node.IsNull()) {
      tool.uses.push_back({.name = name});
    } else if (node.IsScalar()) {
      if (node.Scalar() != "never") {
        fail_at(node, fmt::format("a tool is 'never' called, or has the keys arguments, does, "
                                  "resource and scopes; {} is neither",
                                  in_quotes(node.Scalar())));
      }
      tool.may_be_called = false;
    } else if (node.IsSequence()) {
      for (const YAML::Node& use : node) tool.uses.push_back(read_use(name, use));
      if (tool.uses.empty()) fail_at(node, "the list of uses is empty");
    } else {
      tool.uses.push_back(read_use(name, node));
    }
    profile_.tools.push_back(std::move(tool));
  }

  ToolUse read_use(const std::string& name, const YAML::Node& node) {
    ToolUse use{.name = name};
    each_member(node, "the use of a tool",
                [&](const std::string& key, const YAML::Node& at, const YAML::Node& value) {
                  if (key == "arguments") {
                    use.arguments = members(value);
                  } else if (key == "does") {
                    for (const std::string& word : texts(value, key)) {
                      use.does.push_back(ability(value, word));
                    }
                  } else if (key == "resource") {
                    use.resource = text(value, key);
                  } else if (key == "scopes") {
                    use.scopes = texts(value, key);
                  } else {
                    unknown_key(at, key, {"arguments", "does", "resource", "scopes"});
                  }
                });
    if (use.can(Ability::kUpdatesResource) == use.resource.empty()) {
      fail_at(node, "'resource: URI' and 'does: updates-resource' belong together");
    }
    return use;
  }

  static Ability ability(const YAML::Node& node, const std::string& word) {
    if (const auto known = parse_ability(word)) return *known;
    std::string all;
    for (const Ability each : abilities()) {
      all += fmt::format("{}{}", all.empty() ? "" : ", ", harness::name(each));
    }
    fail_at(node, fmt::format("unknown ability {}; known: {}", in_quotes(word), all));
  }

  void read_prompt(const std::string& name, const YAML::Node& at, const YAML::Node& node) {
    KnownPrompt prompt{.name = name, .line = line_of(at)};
    if (!node.IsNull()) {
      each_member(node, "a prompt",
                  [&](const std::string& key, const YAML::Node& where, const YAML::Node& value) {
                    if (key != "arguments") unknown_key(where, key, {"arguments"});
                    prompt.arguments = members(value);
                    for (const auto& [argument, given] : prompt.arguments.items()) {
                      if (given.is_string()) continue;
                      fail_at(value,
                              fmt::format("the argument {} of a prompt must be a text: put it "
                                          "in quotes",
                                          in_quotes(argument)));
                    }
                  });
    }
    profile_.prompts.push_back(std::move(prompt));
  }

  void read_resources(const YAML::Node& node) {
    each_member(node, "resources",
                [&](const std::string& key, const YAML::Node& at, const YAML::Node& value) {
                  if (key == "read") {
                    profile_.resources = texts(value, key);
                  } else if (key == "skip") {
                    profile_.skipped_resources = texts(value, key);
                  } else {
                    unknown_key(at, key, {"read", "skip"});
                  }
                });
  }

  void read_completion(const YAML::Node& node) {
    KnownCompletion completion;
    each_member(node, "a completion",
                [&](const std::string& key, const YAML::Node& at, const YAML::Node& value) {
                  if (key == "prompt" || key == "resource") {
                    if (!completion.reference.is_null()) {
                      fail_at(at, "a completion is for a prompt or for a resource, not for both");
                    }
                    completion.reference =
                        key == "prompt" ? Json{{"type", "ref/prompt"}, {"name", text(value, key)}}
                                        : Json{{"type", "ref/resource"}, {"uri", text(value, key)}};
                  } else if (key == "argument") {
                    completion.argument = text(value, key);
                  } else if (key == "value") {
                    if (!value.IsScalar()) fail_at(value, "value must be a text");
                    completion.value = value.Scalar();
                  } else {
                    unknown_key(at, key, {"prompt", "resource", "argument", "value"});
                  }
                });
    if (completion.reference.is_null() || completion.argument.empty()) {
      fail_at(node, "a completion needs 'prompt' or 'resource', and 'argument'");
    }
    profile_.completions.push_back(std::move(completion));
  }

  Json members(const YAML::Node& node) {
    if (node.IsNull()) return Json::object();
    if (!node.IsMap()) fail_at(node, "arguments must have members, as in '{query: cats}'");
    return values_.read(node);
  }

  Profile profile_;
  reports::YamlValues values_;  // of all arguments
};

}  // namespace

std::variant<Profile, std::string> parse_profile(std::string_view yaml, std::string name) {
  if (yaml.size() > kMaxProfileBytes) {
    return fmt::format("line 1: larger than {} bytes", kMaxProfileBytes);
  }
  try {
    return Reader(std::move(name)).read(reports::load_yaml(yaml));
  } catch (const BadYaml& bad) {
    return bad.text;
  }
}

}  // namespace assay::harness
