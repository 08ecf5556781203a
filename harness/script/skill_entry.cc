#include "harness/script/skill_entry.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <variant>

#include "reference/wire/base64.h"
#include "reports/digest.h"
#include "reports/escape.h"
#include "reports/yaml.h"

namespace assay::harness {
namespace {

using OrderedJson = nlohmann::ordered_json;

constexpr std::string_view kSkillFile = "/SKILL.md";
constexpr std::size_t kLongestName = 64;
constexpr std::size_t kMostShownBytes = 60;
constexpr std::size_t kDateBytes = 10;

const Json& settings_of(const Json& server) {
  return member(member(member(server, "capabilities"), "extensions"),
                skills_extension().identifier);
}

// "acme/billing/refunds" of "skill://acme/billing/refunds".
std::string_view path_of(std::string_view root) {
  const std::size_t scheme = root.find("://");
  return scheme == std::string_view::npos ? root : root.substr(scheme + 3);
}

bool is_letter_of_uris(unsigned char c) {
  return std::isalnum(c) != 0 || c == '-' || c == '.' || c == '_' || c == '~';
}

// Letters that may stand in a registered name, or in a segment of a path with `more` besides.
bool has_only_letters_of_uris(std::string_view text, std::string_view more) {
  constexpr std::string_view kSubDelimiters = "!$&'()*+,;=";
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    if (c == '%') {
      const auto is_digit = [&](std::size_t at) {
        return at < text.size() && std::isxdigit(static_cast<unsigned char>(text[at])) != 0;
      };
      if (!is_digit(i + 1) || !is_digit(i + 2)) return false;
      continue;
    }
    if (is_letter_of_uris(c)) continue;
    const auto at = static_cast<char>(c);
    if (kSubDelimiters.find(at) == std::string_view::npos && more.find(at) == more.npos) {
      return false;
    }
  }
  return true;
}

std::string shown(const std::string& text) {
  return reports::printable_line(reports::cut(text, kMostShownBytes));
}

// It begins as YAML's dates and times do.
bool is_date(const std::string& written) {
  constexpr std::string_view kForm = "0000-00-00";
  if (written.size() < kDateBytes) return false;
  return std::equal(kForm.begin(), kForm.end(), written.begin(), [](char form, unsigned char c) {
    return form == '-' ? c == '-' : std::isdigit(c) != 0;
  });
}

// YAML may add the members of another map to one: what comes of that is not written there.
bool is_merged(const OrderedJson& value) {
  if (value.is_object() && value.contains("<<")) return true;
  return (value.is_object() || value.is_array()) &&
         std::any_of(value.begin(), value.end(),
                     [](const OrderedJson& each) { return is_merged(each); });
}

// A word that was written without quotes, as YAML and as JSON: a number, a truth or a date may be
// rendered in another way than it was written.
bool is_same_word(const std::string& written, const Json& rendered) {
  if (rendered.is_string()) {
    const auto& text = rendered.get_ref<const std::string&>();
    // 2026-01-01 may come as 2026-01-01T00:00:00Z.
    return text == written || (is_date(written) && text.starts_with(written.substr(0, kDateBytes)));
  }
  if (rendered.is_null()) return written.empty() || written == "~" || written == "null";
  const Json read = Json::parse(written, nullptr, false);
  if (rendered.is_number()) return !read.is_number() || read == rendered;
  return rendered.is_boolean();
}

FrontmatterDifference difference(const OrderedJson& file, const Json& entry,
                                 const std::string& pointer);

FrontmatterDifference difference_of_members(const OrderedJson& file, const Json& entry,
                                            const std::string& pointer) {
  for (const auto& [key, value] : file.items()) {
    const std::string at = fmt::format("{}/{}", pointer, key);
    if (!entry.contains(key)) {
      return {pointer, fmt::format("{} is in the file only", shown(at))};
    }
    const FrontmatterDifference found = difference(value, entry[key], at);
    if (!found.words.empty()) return found;
  }
  for (const auto& [key, value] : entry.items()) {
    const std::string at = fmt::format("{}/{}", pointer, key);
    if (!file.contains(key)) return {at, fmt::format("{} is in the entry only", shown(at))};
  }
  return {};
}

FrontmatterDifference difference(const OrderedJson& file, const Json& entry,
                                 const std::string& pointer) {
  if (file.is_object() && entry.is_object()) return difference_of_members(file, entry, pointer);
  if (file.is_array() && entry.is_array() && file.size() == entry.size()) {
    for (std::size_t i = 0; i < file.size(); ++i) {
      const FrontmatterDifference found =
          difference(file[i], entry[i], fmt::format("{}/{}", pointer, i));
      if (!found.words.empty()) return found;
    }
    return {};
  }
  const bool is_same = file.is_string() ? is_same_word(file.get_ref<const std::string&>(), entry)
                       : file.is_null()
                           ? entry.is_null() || entry == ""
                           : file.is_boolean() && (entry == file.get<bool>() || entry.is_string());
  if (is_same) return {};
  return {pointer,
          fmt::format("{} is {} in the file, and {} in the entry", shown(pointer),
                      shown(file.dump(-1, ' ', false, OrderedJson::error_handler_t::replace)),
                      shown(entry.dump(-1, ' ', false, Json::error_handler_t::replace)))};
}

}  // namespace

const model::Extension& skills_extension() {
  static const model::Extension& kSkills = *model::find_extension("skills");
  return kSkills;
}

bool has_skills(model::Revision revision) {
  return skills_extension().extends(revision);
}

bool declares_skills(const Json& server) {
  return settings_of(server).is_object();
}

bool declares_directory_read(const Json& server) {
  return member(settings_of(server), "directoryRead") == true;
}

std::string_view skill_root(std::string_view uri) {
  if (!uri.ends_with(kSkillFile)) return {};
  const std::string_view root = uri.substr(0, uri.size() - kSkillFile.size());
  return skill_name(root).empty() ? std::string_view() : root;
}

std::string_view skill_name(std::string_view root) {
  const std::string_view path = path_of(root);
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

bool is_skill_name(std::string_view name) {
  if (name.empty() || name.size() > kLongestName) return false;
  if (name.front() == '-' || name.back() == '-') return false;
  if (name.find("--") != std::string_view::npos) return false;
  return std::all_of(name.begin(), name.end(), [](unsigned char c) {
    return std::islower(c) != 0 || std::isdigit(c) != 0 || c == '-';
  });
}

bool lies_within(std::string_view uri, std::string_view root) {
  return uri.size() > root.size() && uri.starts_with(root) && uri[root.size()] == '/';
}

bool has_registered_name(std::string_view root) {
  const std::string_view path = path_of(root);
  return has_only_letters_of_uris(path.substr(0, path.find('/')), "");
}

bool has_path_segments(std::string_view root) {
  std::string_view path = path_of(root);
  const std::size_t first = path.find('/');
  if (first == std::string_view::npos) return true;
  path.remove_prefix(first + 1);
  return !path.starts_with('/') && path.find("//") == std::string_view::npos &&
         has_only_letters_of_uris(path, ":@/");
}

const Json& files_of(const Json& entry) {
  return array_member(entry, "resources");
}

const Json& file_in(const Json& entry, std::string_view uri) {
  static const Json kNone;
  for (const Json& file : files_of(entry)) {
    if (text_member(file, "uri") == uri) return file;
  }
  return kNone;
}

std::string digest_of(std::string_view bytes) {
  return "sha256:" + reports::sha256_hex(bytes);
}

std::optional<std::string> bytes_in(const Json& contents) {
  const Json& text = member(contents, "text");
  if (text.is_string()) return text.get<std::string>();
  const Json& blob = member(contents, "blob");
  if (!blob.is_string()) return std::nullopt;
  return wire::decode_base64(blob.get_ref<const std::string&>());
}

std::optional<std::string_view> frontmatter_in(std::string_view text) {
  constexpr std::string_view kMark = "\xEF\xBB\xBF";
  if (text.starts_with(kMark)) text.remove_prefix(kMark.size());
  const auto take_line = [&text] {
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.remove_suffix(1);
    return line;
  };
  if (take_line() != "---") return std::nullopt;
  const char* const begin = text.data();
  while (!text.empty()) {
    const char* const here = text.data();
    if (take_line() == "---")
      return std::string_view(begin, static_cast<std::size_t>(here - begin));
  }
  return std::nullopt;
}

FrontmatterDifference compare_frontmatter(std::string_view yaml, const Json& frontmatter) {
  const auto read = reports::parse_yaml(yaml, reports::YamlNumbers::kAreTexts);
  if (const auto* const problem = std::get_if<std::string>(&read)) {
    return {"", "the frontmatter of the file is not YAML: " + *problem, false};
  }
  const auto& file = std::get<OrderedJson>(read);
  if (is_merged(file)) return {"", "the frontmatter of the file merges maps (<<)", false};
  return difference(file, frontmatter, "");
}

}  // namespace assay::harness
