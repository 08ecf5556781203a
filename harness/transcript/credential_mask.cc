#include "harness/transcript/credential_mask.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "reference/wire/form.h"
#include "reference/wire/json.h"
#include "reference/wire/peer_json.h"
#include "reports/redact.h"

namespace assay::harness {
namespace {

using Kind = transport::Observation::Kind;

// The names of RFC 6749, 7591, 7636, 7521 and 8693 for what is nobody else's business.
constexpr std::array<std::string_view, 13> kSecretNames = {
    "access_token",  "actor_token", "assertion",     "client_assertion",
    "client_secret", "code",        "code_verifier", "device_code",
    "id_token",      "password",    "refresh_token", "registration_access_token",
    "subject_token"};
// A shorter value may be an ordinary word, and stand anywhere.
constexpr std::size_t kShortestSearched = 16;
constexpr std::size_t kLongestSearched = 8192;
// Nobody's metadata or token response is longer, and none of ours: it repeats 64 KiB at most.
constexpr std::size_t kMostBody = 256u << 10;
constexpr std::string_view kNotKept = "[too long to be kept: a credential may stand in it]";

bool is_secret(std::string_view name) {
  return std::find(kSecretNames.begin(), kSecretNames.end(), name) != kSecretNames.end();
}

// Of a query or a form.
void mask_form(std::string& text, const LabelCredential& label) {
  std::string out;
  std::string_view rest = text;
  while (!rest.empty()) {
    const std::string_view pair = rest.substr(0, rest.find('&'));
    rest.remove_prefix(pair.size());
    const std::size_t equals = std::min(pair.find('='), pair.size());
    const bool hides =
        equals < pair.size() && is_secret(wire::decode_form_text(pair.substr(0, equals)));
    out += hides ? std::string(pair.substr(0, equals + 1)) +
                       label(wire::decode_form_text(pair.substr(equals + 1)))
                 : std::string(pair);
    if (rest.empty()) break;
    out += '&';
    rest.remove_prefix(1);
  }
  text = std::move(out);
}

// Where the query or the fragment begins; not the mark in a label: "token#1".
std::size_t find_mark(std::string_view url) {
  constexpr std::string_view kLabel = "token";
  std::size_t at = url.find_first_of("?#");
  while (at != std::string_view::npos && url[at] == '#' && at + 1 < url.size() &&
         std::isdigit(static_cast<unsigned char>(url[at + 1])) != 0 &&
         url.substr(0, at).ends_with(kLabel)) {
    at = url.find_first_of("?#", at + 1);
  }
  return at;
}

// The query, and the fragment, of a target or URL.
void mask_url(std::string& url, const LabelCredential& label) {
  std::string out;
  std::string_view rest = url;
  while (true) {
    std::string part(rest.substr(0, find_mark(rest)));
    rest.remove_prefix(part.size());
    if (!out.empty()) mask_form(part, label);
    out += part;
    if (rest.empty()) break;
    out += rest.front();
    rest.remove_prefix(1);
  }
  url = std::move(out);
}

std::string as_html(std::string_view text) {
  std::string out;
  for (const char c : text) out += c == '&' ? "&amp;" : std::string(1, c);
  return out;
}

// Of a body that repeats where it redirects to. Nobody reads a long one.
void replace_place(std::string& body, const std::string& what, const std::string& by) {
  if (what.empty() || body.find(what) == std::string::npos) return;
  body = body.size() > kMostBody ? std::string(kNotKept) : reports::replaced(body, what, by);
}

}  // namespace

void mask_places(transport::Observation& observation, const LabelCredential& label) {
  for (auto& [name, value] : observation.http->headers) {
    const std::string field = transport::lower_case(name);
    if (field != "location" && field != "referer") continue;
    const std::string bare = value;
    mask_url(value, label);
    if (value == bare || observation.kind != Kind::kHttpBody) continue;
    replace_place(observation.bytes, bare, value);
    replace_place(observation.bytes, as_html(bare), as_html(value));
  }
}

std::string CredentialMask::label(const std::string& value) {
  if (value.empty()) return value;
  if (value.size() >= kShortestSearched && value.size() <= kLongestSearched) {
    const std::lock_guard lock(mutex_);
    if (hidden_.size() < kMostHidden && hidden_.insert(value).second) vault_->add(value);
  }
  return vault_->mask_field("credential", value);
}

void CredentialMask::mask_json(std::string& text) {
  const auto names = [&](std::string_view name) {
    return text.find('"' + std::string(name) + '"') != std::string::npos;
  };
  const bool may_hold = std::any_of(kSecretNames.begin(), kSecretNames.end(), names);
  if (!may_hold || names("jsonrpc")) return;
  if (text.size() > kMostBody) {
    text = kNotKept;
    return;
  }
  if (wire::is_nested_deeper(text)) {
    text = "[nested too deep to be kept]";
    return;
  }
  Json json = wire::parse_of_peer(text);
  if (!json.is_object()) return;
  bool has_changed = false;
  for (auto& [name, value] : json.items()) {
    if (!is_secret(name) || !value.is_string()) continue;
    value = label(value.get<std::string>());
    has_changed = true;
  }
  if (has_changed) text = json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

void CredentialMask::observe(const transport::Observation& observation) {
  transport::Observation masked = observation;
  masked.lane.number += first_lane_;
  if (masked.http) {
    const LabelCredential label = [this](const std::string& value) { return this->label(value); };
    mask_url(masked.http->target, label);
    const bool is_form =
        transport::media_type(masked.http->headers) == "application/x-www-form-urlencoded";
    if (is_form) mask_form(masked.bytes, label);
    mask_places(masked, label);
    mask_json(masked.bytes);
  }
  inner_.observe(masked);
}

}  // namespace assay::harness
