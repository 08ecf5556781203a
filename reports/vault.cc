#include "reports/vault.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

namespace assay::reports {
namespace {

constexpr std::string_view kMask = "[masked]";

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

template <std::size_t kSize>
bool is_one_of(std::string_view text, const std::array<std::string_view, kSize>& all) {
  return std::find(all.begin(), all.end(), text) != all.end();
}

bool holds_secret_word(std::string_view lower_case_name) {
  constexpr std::array<std::string_view, 6> kParts = {"token",   "secret", "api-key",
                                                      "api_key", "apikey", "password"};
  return std::any_of(kParts.begin(), kParts.end(), [&](std::string_view part) {
    return lower_case_name.find(part) != std::string_view::npos;
  });
}

// Where the credentials stand in a field's value: [begin, end).
using Places = std::vector<std::pair<std::size_t, std::size_t>>;

std::size_t skip_blanks(std::string_view text, std::size_t at) {
  while (at < text.size() && (text[at] == ' ' || text[at] == '\t')) ++at;
  return at;
}

// "sid=1; theme=dark": the value of each pair, or of the first one only (the others are
// attributes).
Places places_in_cookie(std::string_view value, bool only_first) {
  Places places;
  std::size_t at = 0;
  while (at < value.size()) {
    const std::size_t end = std::min(value.find(';', at), value.size());
    const std::size_t equals = value.find('=', at);
    const std::size_t begin = equals < end ? equals + 1 : skip_blanks(value, at);
    if (begin < end) places.emplace_back(begin, end);
    if (only_first) break;
    at = end + 1;
  }
  return places;
}

Places places_in(std::string_view name, std::string_view value) {
  constexpr std::array<std::string_view, 6> kSchemes = {"bearer", "basic",  "token",
                                                        "apikey", "digest", "dpop"};
  const std::string field = lower(name);
  if (field == "cookie" || field == "set-cookie") {
    return places_in_cookie(value, field == "set-cookie");
  }
  const std::size_t blank = std::min(value.find(' '), value.size());
  const std::size_t rest = skip_blanks(value, blank);
  const bool has_scheme =
      rest < value.size() && (field == "authorization" || field == "proxy-authorization" ||
                              is_one_of(lower(value.substr(0, blank)), kSchemes));
  const std::size_t begin = has_scheme ? rest : 0;
  return begin < value.size() ? Places{{begin, value.size()}} : Places{};
}

}  // namespace

bool is_credential_field(std::string_view name) {
  constexpr std::array<std::string_view, 4> kNames = {"authorization", "proxy-authorization",
                                                      "cookie", "set-cookie"};
  const std::string field = lower(name);
  return is_one_of(field, kNames) || holds_secret_word(field);
}

void Vault::add_locked(const std::string& value, const std::string& shown) {
  if (value.empty() || labels_.contains(value)) return;
  labels_[value] = shown.empty() ? fmt::format("token#{}", ++last_label_) : shown;
  secrets_.push_back({value, labels_[value]});
}

void Vault::add(const std::string& value, const std::string& shown) {
  const std::lock_guard lock(mutex_);
  add_locked(value, shown);
}

void Vault::add_field(std::string_view name, std::string_view value) {
  const std::lock_guard lock(mutex_);
  for (const auto& [begin, end] : places_in(name, value)) {
    add_locked(std::string(value.substr(begin, end - begin)), "");
  }
}

void Vault::add_query(std::string_view url) {
  const std::size_t query = url.find('?');
  if (query == std::string_view::npos) return;
  const std::lock_guard lock(mutex_);
  std::string_view rest = url.substr(query + 1);
  while (!rest.empty()) {
    const std::string_view pair = rest.substr(0, rest.find('&'));
    rest.remove_prefix(std::min(pair.size() + 1, rest.size()));
    const std::size_t equals = pair.find('=');
    if (equals == std::string_view::npos) continue;
    const std::string name = lower(pair.substr(0, equals));
    if (holds_secret_word(name) || name == "key") {
      add_locked(std::string(pair.substr(equals + 1)), "");
    }
  }
}

std::string Vault::label_locked(const std::string& value) {
  if (const auto found = labels_.find(value); found != labels_.end()) return found->second;
  if (labelled_ >= kMostLabels || value.size() > kLongestLearned) return std::string(kMask);
  ++labelled_;
  const std::string label = fmt::format("token#{}", ++last_label_);
  labels_[value] = label;
  if (value.size() >= kShortestLearned && learned_ < kMostLearned) {
    ++learned_;
    secrets_.push_back({value, label});
  }
  return label;
}

std::string Vault::mask_field(std::string_view name, std::string_view value) {
  const std::lock_guard lock(mutex_);
  std::string out;
  std::size_t at = 0;
  for (const auto& [begin, end] : places_in(name, value)) {
    out += value.substr(at, begin - at);
    out += label_locked(std::string(value.substr(begin, end - begin)));
    at = end;
  }
  return out + std::string(value.substr(at));
}

std::string Vault::mask_value(const std::string& value) {
  const std::lock_guard lock(mutex_);
  const bool is_label =
      value == kMask || std::any_of(labels_.begin(), labels_.end(),
                                    [&](const auto& label) { return label.second == value; });
  return value.empty() || is_label ? value : label_locked(value);
}

std::string Vault::value_of(std::string_view label) const {
  const std::lock_guard lock(mutex_);
  const auto found = std::find_if(labels_.begin(), labels_.end(),
                                  [&](const auto& each) { return each.second == label; });
  return found == labels_.end() ? std::string(label) : found->first;
}

void Vault::redact(std::string& text) const {
  const std::lock_guard lock(mutex_);
  reports::redact(text, secrets_);
}

void Vault::redact(Result& result) const {
  const std::lock_guard lock(mutex_);
  reports::redact(result, secrets_);
}

void Vault::redact_piece(std::string& text) const {
  const std::lock_guard lock(mutex_);
  reports::redact_piece(text, secrets_);
}

void Vault::redact_quoted(std::string& text) const {
  const std::lock_guard lock(mutex_);
  reports::redact_quoted(text, secrets_);
}

}  // namespace assay::reports
