// YAML that people write by hand, read into JSON. Those who walk over nodes themselves, to name the
// line of what is wrong, include yaml-cpp beside it.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <variant>

namespace YAML {
class Node;
}

namespace assay::reports {

// What is wrong with such a file: "line 3: nested too deeply". Ends the parse, and never leaves the
// file that reads it.
struct BadYaml {
  std::string text;
};
[[noreturn]] void fail_at(const YAML::Node& node, std::string_view what);

// The one document of a text, in UTF-8. Throws BadYaml for what is no YAML, and for several
// documents.
YAML::Node load_yaml(std::string_view text);

// What is written without quotes as a number may be meant as one (arguments of a tool), or not (a
// word of a command): 1.50 is another text than 1.5. What is in quotes is a text always.
enum class YamlNumbers { kAreNumbers, kAreTexts };

// Values of one file, and what they come to: aliases can make a small file a large value.
class YamlValues {
 public:
  explicit YamlValues(YamlNumbers numbers = YamlNumbers::kAreNumbers) : numbers_(numbers) {}
  // Throws BadYaml.
  nlohmann::ordered_json read(const YAML::Node& node) { return read(node, 0); }

 private:
  nlohmann::ordered_json read(const YAML::Node& node, int depth);
  nlohmann::ordered_json scalar(const YAML::Node& node) const;
  void count(const YAML::Node& node, std::size_t text_bytes);

  YamlNumbers numbers_;
  std::size_t values_ = 0;
  std::size_t text_bytes_ = 0;
};

// A whole text; or one sentence that names the line of what is wrong.
std::variant<nlohmann::ordered_json, std::string> parse_yaml(std::string_view text,
                                                             YamlNumbers numbers);

}  // namespace assay::reports
