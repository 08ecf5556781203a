#include "harness/script/uri_template.h"

#include <algorithm>

namespace assay::harness {
namespace {

// A template is a peer's text: what is longer, or has more variables, is no honest one's.
constexpr std::size_t kMostVariables = 32;

// One expression between braces: "{?first,second*}".
struct Expression {
  char op = '\0';  // '\0' where there is none
  std::vector<std::string_view> names;
};

Expression parse_expression(std::string_view text) {
  Expression expression;
  if (!text.empty() && std::string_view("+#./;?&").find(text.front()) != std::string_view::npos) {
    expression.op = text.front();
    text.remove_prefix(1);
  }
  while (!text.empty() && expression.names.size() < kMostVariables) {
    const std::size_t comma = std::min(text.find(','), text.size());
    const std::string_view one = text.substr(0, comma);
    const std::string_view name = one.substr(0, one.find_first_of(":*"));
    if (!name.empty()) expression.names.push_back(name);
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return expression;
}

// What the operator puts before the first value and between two, and whether it names them.
struct Form {
  std::string_view first;
  std::string_view between;
  bool is_named;
};
Form form_of(char op) {
  switch (op) {
    case '#':
      return {"#", ",", false};
    case '.':
      return {".", ".", false};
    case '/':
      return {"/", "/", false};
    case ';':
      return {";", ";", true};
    case '?':
      return {"?", "&", true};
    case '&':
      return {"&", "&", true};
    default:
      return {"", ",", false};
  }
}

// Calls `on_text` and `on_expression` for the parts of the template, in order.
template <typename OnText, typename OnExpression>
void each_part(std::string_view rest, const OnText& on_text, const OnExpression& on_expression) {
  while (!rest.empty()) {
    const std::size_t open = rest.find('{');
    const std::size_t close =
        open == std::string_view::npos ? std::string_view::npos : rest.find('}', open);
    if (close == std::string_view::npos) {
      on_text(rest);
      return;
    }
    on_text(rest.substr(0, open));
    on_expression(parse_expression(rest.substr(open + 1, close - open - 1)));
    rest.remove_prefix(close + 1);
  }
}

}  // namespace

std::vector<std::string> template_variables(std::string_view uri_template) {
  std::vector<std::string> names;
  each_part(
      uri_template, [](std::string_view) {},
      [&](const Expression& expression) {
        for (const std::string_view name : expression.names) {
          if (names.size() >= kMostVariables) return;
          if (std::find(names.begin(), names.end(), name) == names.end()) names.emplace_back(name);
        }
      });
  return names;
}

std::string expand_template(std::string_view uri_template,
                            const std::function<std::string(std::string_view name)>& value_of) {
  std::string uri;
  each_part(
      uri_template, [&](std::string_view text) { uri += text; },
      [&](const Expression& expression) {
        const Form form = form_of(expression.op);
        bool is_first = true;
        for (const std::string_view name : expression.names) {
          uri += is_first ? form.first : form.between;
          is_first = false;
          if (form.is_named) uri.append(name).append("=");
          uri += value_of(name);
        }
      });
  return uri;
}

std::optional<std::pair<std::string, std::string>> matched_variable(std::string_view uri_template,
                                                                    std::string_view uri) {
  const std::vector<std::string> names = template_variables(uri_template);
  if (names.size() != 1) return std::nullopt;
  // Where the one value begins and ends shows when a mark is put in its place.
  constexpr std::string_view kMark = "\n";
  const std::string marked =
      expand_template(uri_template, [&](std::string_view) { return std::string(kMark); });
  const std::size_t at = marked.find(kMark);
  if (at == std::string::npos || marked.find(kMark, at + 1) != std::string::npos) {
    return std::nullopt;
  }
  const std::string_view before = std::string_view(marked).substr(0, at);
  const std::string_view behind = std::string_view(marked).substr(at + kMark.size());
  const bool is_match = uri.size() > before.size() + behind.size() && uri.starts_with(before) &&
                        uri.ends_with(behind);
  if (!is_match) return std::nullopt;
  const std::size_t length = uri.size() - before.size() - behind.size();
  return std::pair(names.front(), std::string(uri.substr(before.size(), length)));
}

std::string_view template_prefix(std::string_view uri_template) {
  return uri_template.substr(0, uri_template.find('{'));
}

}  // namespace assay::harness
