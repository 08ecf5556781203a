#include "reports/yaml.h"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <sstream>
#include <utility>

#include "reports/escape.h"

namespace assay::reports {
namespace {

constexpr int kDeepestValue = 64;
constexpr std::size_t kMostValues = 10'000;
constexpr std::size_t kMostTextBytes = 1u << 20;
constexpr std::size_t kMostQuotedBytes = 60;

[[noreturn]] void fail_in_line(int line, std::string_view what) {
  throw BadYaml{fmt::format("line {}: {}", std::max(line, 0) + 1, what)};
}

// yaml-cpp takes a NUL near the start for UTF-16, and never ends where a half of a unit is left
// over.
void expect_utf8(std::string_view text) {
  const std::string valid = valid_utf8(text);
  const std::size_t wrong = std::min(
      static_cast<std::size_t>(
          std::mismatch(text.begin(), text.end(), valid.begin(), valid.end()).first - text.begin()),
      text.find('\0'));
  if (wrong >= text.size()) return;
  const auto line =
      std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(wrong), '\n');
  fail_in_line(static_cast<int>(line), "not UTF-8 text");
}

// Takes nothing in, and ends where a second document begins. A ',' that no value precedes ends
// every document before it, so that there is always another one for yaml-cpp.
class OneDocument : public YAML::EventHandler {
 public:
  explicit OneDocument(std::string_view text) : text_(text) {}

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (!std::exchange(has_begun_, true)) return;
    const auto at = static_cast<std::size_t>(std::max(mark.pos, 0));
    const bool is_comma = at < text_.size() && text_[at] == ',';
    fail_in_line(mark.line, is_comma ? "not YAML: no value can begin here"
                                     : "a second document begins here ('---'); a file has one");
  }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark&, YAML::anchor_t) override {}
  void OnAlias(const YAML::Mark&, YAML::anchor_t) override {}
  void OnScalar(const YAML::Mark&, const std::string&, YAML::anchor_t,
                const std::string&) override {}
  void OnSequenceStart(const YAML::Mark&, const std::string&, YAML::anchor_t,
                       YAML::EmitterStyle::value) override {}
  void OnSequenceEnd() override {}
  void OnMapStart(const YAML::Mark&, const std::string&, YAML::anchor_t,
                  YAML::EmitterStyle::value) override {}
  void OnMapEnd() override {}

 private:
  const std::string_view text_;
  bool has_begun_ = false;
};

void expect_one_document(const std::string& text) {
  std::istringstream stream(text);
  YAML::Parser parser(stream);
  OneDocument handler(text);
  while (parser.HandleNextDocument(handler)) {
  }
}

}  // namespace

void fail_at(const YAML::Node& node, std::string_view what) {
  fail_in_line(node.Mark().line, what);
}

YAML::Node load_yaml(std::string_view text) {
  expect_utf8(text);
  try {
    const std::string whole(text);
    expect_one_document(whole);
    return YAML::Load(whole);
  } catch (const YAML::Exception& bad) {
    fail_in_line(bad.mark.line, "not YAML: " + printable_line(bad.msg));
  }
}

nlohmann::ordered_json YamlValues::read(const YAML::Node& node, int depth) {
  if (depth > kDeepestValue) fail_at(node, "nested too deeply");
  count(node, node.IsScalar() ? node.Scalar().size() : 0);
  switch (node.Type()) {
    case YAML::NodeType::Scalar:
      return scalar(node);
    case YAML::NodeType::Sequence: {
      auto list = nlohmann::ordered_json::array();
      for (const YAML::Node& item : node) list.push_back(read(item, depth + 1));
      return list;
    }
    case YAML::NodeType::Map: {
      auto object = nlohmann::ordered_json::object();
      for (const auto& pair : node) {
        const std::string key = pair.first.IsScalar() ? pair.first.Scalar() : "";
        if (key.empty()) fail_at(pair.first, "a key must be a text");
        count(pair.first, key.size());
        if (object.contains(key)) {
          fail_at(pair.first,
                  fmt::format("'{}' comes twice", printable_line(cut(key, kMostQuotedBytes))));
        }
        object[key] = read(pair.second, depth + 1);
      }
      return object;
    }
    case YAML::NodeType::Null:
    case YAML::NodeType::Undefined:
      return nullptr;
  }
  return nullptr;
}

nlohmann::ordered_json YamlValues::scalar(const YAML::Node& node) const {
  const std::string& written = node.Scalar();
  const bool is_text = node.Tag() == "!" || node.Tag().ends_with(":str");
  if (is_text) return written;
  if (written == "true" || written == "false") return written == "true";
  if (numbers_ == YamlNumbers::kAreTexts) return written;
  const auto number = nlohmann::ordered_json::parse(written, nullptr, /*allow_exceptions=*/false);
  return number.is_number() ? number : nlohmann::ordered_json(written);
}

void YamlValues::count(const YAML::Node& node, std::size_t text_bytes) {
  text_bytes_ += text_bytes;
  if (++values_ > kMostValues) {
    fail_at(node, fmt::format("there are more than {} values", kMostValues));
  }
  if (text_bytes_ > kMostTextBytes) {
    fail_at(node, fmt::format("there are more than {} bytes of text", kMostTextBytes));
  }
}

std::variant<nlohmann::ordered_json, std::string> parse_yaml(std::string_view text,
                                                             YamlNumbers numbers) {
  try {
    return YamlValues(numbers).read(load_yaml(text));
  } catch (const BadYaml& bad) {
    return bad.text;
  }
}

}  // namespace assay::reports
