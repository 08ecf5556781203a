#include "harness/script/app_resource.h"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <optional>
#include <string>

namespace assay::harness {
namespace {

constexpr std::string_view kBlanks = " \t\r\n\f";

std::string in_small_letters(std::string_view text) {
  std::string small(text);
  std::transform(small.begin(), small.end(), small.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return small;
}

std::string_view without_blanks(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

// The text up to the next semicolon, which is taken from it.
std::string_view take_part(std::string_view& text) {
  const std::size_t end = text.find(';');
  const std::string_view part = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return without_blanks(part);
}

std::optional<unsigned char> digit_of(char c) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  const std::size_t at = kDigits.find(c);
  if (at == std::string_view::npos) return std::nullopt;
  return static_cast<unsigned char>(at);
}

// In small letters, without escapes and without a slash at the end.
std::string plain_uri(std::string_view uri) {
  const std::string small = in_small_letters(uri);
  std::string plain;
  for (std::size_t i = 0; i < small.size(); ++i) {
    const bool may_be_escape = small[i] == '%' && i + 2 < small.size();
    const auto high = may_be_escape ? digit_of(small[i + 1]) : std::nullopt;
    const auto low = may_be_escape ? digit_of(small[i + 2]) : std::nullopt;
    if (!high || !low) {
      plain += small[i];
      continue;
    }
    plain += static_cast<char>(std::tolower(*high * 16 + *low));
    i += 2;
  }
  if (plain.ends_with('/')) plain.pop_back();
  return plain;
}

}  // namespace

const model::Extension& apps_extension() {
  static const model::Extension& kApps = *model::find_extension("apps");
  return kApps;
}

bool has_apps(model::Revision revision) {
  return apps_extension().extends(revision);
}

std::string_view app_uri(const Json& tool) {
  const Json& meta = member(tool, "_meta");
  const std::string_view uri = text_member(member(meta, "ui"), "resourceUri");
  return uri.empty() ? text_member(meta, kFlatAppUri) : uri;
}

bool is_for_model(const Json& tool) {
  const Json& visibility = member(member(member(tool, "_meta"), "ui"), "visibility");
  return !visibility.is_array() ||
         std::find(visibility.begin(), visibility.end(), "model") != visibility.end();
}

bool has_ui_scheme(std::string_view uri) {
  constexpr std::string_view kBegin = "ui://";
  return in_small_letters(uri.substr(0, kBegin.size())) == kBegin;
}

bool is_same_app_uri(std::string_view one, std::string_view other) {
  return one == other || plain_uri(one) == plain_uri(other);
}

bool is_html(std::string_view media_type) {
  return in_small_letters(take_part(media_type)) == "text/html";
}

bool is_app_media_type(std::string_view media_type) {
  if (in_small_letters(take_part(media_type)) != "text/html") return false;
  while (!media_type.empty()) {
    const std::string parameter = in_small_letters(take_part(media_type));
    if (parameter == "profile=mcp-app" || parameter == "profile=\"mcp-app\"") return true;
  }
  return false;
}

bool has_html_doctype(std::string_view document) {
  constexpr std::string_view kMark = "\xEF\xBB\xBF";
  constexpr std::string_view kComment = "<!--";
  constexpr std::string_view kCommentEnd = "-->";
  constexpr std::string_view kDoctype = "<!doctype";
  constexpr std::string_view kRoot = "html";
  if (document.starts_with(kMark)) document.remove_prefix(kMark.size());
  const auto skip_blanks = [&document] {
    document.remove_prefix(std::min(document.find_first_not_of(kBlanks), document.size()));
  };
  skip_blanks();
  while (document.starts_with(kComment)) {
    const std::size_t end = document.find(kCommentEnd, kComment.size());
    if (end == std::string_view::npos) return false;
    document.remove_prefix(end + kCommentEnd.size());
    skip_blanks();
  }
  if (in_small_letters(document.substr(0, kDoctype.size())) != kDoctype) return false;
  document.remove_prefix(kDoctype.size());
  skip_blanks();
  return in_small_letters(document.substr(0, kRoot.size())) == kRoot;
}

}  // namespace assay::harness
