#include "harness/transcript/credential_mask.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

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
constexpr std::string_view kNotKept = "[too long to be kept: it may contain a credential]";

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

bool is_form(const transport::HttpHead& head) {
  return transport::media_type(head.headers) == "application/x-www-form-urlencoded";
}

// To an authorization endpoint: with its parameters (RFC 6749), or with what stands for them (RFC
// 9101, 9126).
bool asks_for_code(const transport::Observation& request) {
  const auto has = [](std::string_view form, std::string_view name) {
    return wire::form_value(wire::read_form(form), name).has_value();
  };
  const std::string_view query = wire::query_in(request.http->target);
  if (!query.empty()) return has(query, "response_type") || has(query, "client_id");
  // Messages of the protocol are told from forms at once.
  const bool is_message = request.bytes.starts_with('{') || request.bytes.starts_with('[');
  return !is_message && is_form(*request.http) && has(request.bytes, "response_type");
}

bool is_page(const transport::Observation& body) {
  constexpr int kRefused = 400;
  const std::string type = transport::media_type(body.http->headers);
  const bool is_html = type == "text/html" || type == "application/xhtml+xml";
  const bool is_other = type != "application/json" && body.http->status < kRefused;
  return !body.bytes.empty() && (is_html || is_other);
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
  if (what.empty() || reports::find_quickly(body, what) == std::string_view::npos) return;
  body = body.size() > kMostBody ? std::string(kNotKept) : reports::replaced(body, what, by);
}

// Of a Refresh field: "0;url='https://...'", with or without "url=" and the quotes.
std::string_view url_in_refresh(std::string_view value) {
  constexpr std::string_view kName = "url";
  const auto skip = [&](std::string_view what) {
    value.remove_prefix(std::min(value.find_first_not_of(what), value.size()));
  };
  skip("0123456789. \t");
  skip(";, \t");
  if (transport::lower_case(value.substr(0, kName.size())) == kName) {
    value.remove_prefix(kName.size());
    skip("= \t");
  }
  skip("\"'");
  return value.substr(0, value.find_last_not_of(" \t\"'") + 1);
}

// Browsers go on from a page by this field as by a redirect.
void mask_refresh(transport::Observation& observation, const LabelCredential& label) {
  bool has_masked = false;
  for (auto& [name, value] : observation.http->headers) {
    if (transport::lower_case(name) != "refresh") continue;
    const std::string_view url = url_in_refresh(value);
    const std::size_t begin = url.empty() ? 0 : static_cast<std::size_t>(url.data() - value.data());
    const std::string bare(url);
    std::string masked = bare;
    mask_url(masked, label);
    if (masked == bare) continue;
    value.replace(begin, bare.size(), masked);
    if (observation.kind != Kind::kHttpBody) continue;
    // No page has two: a long body is not searched for each.
    if (std::exchange(has_masked, true)) observation.bytes = kNotKept;
    replace_place(observation.bytes, bare, masked);
    replace_place(observation.bytes, as_html(bare), as_html(masked));
  }
}

}  // namespace

void mask_places(transport::Observation& observation, const LabelCredential& label) {
  bool was_searched = false;
  for (auto& [name, value] : observation.http->headers) {
    const std::string field = transport::lower_case(name);
    if (field != "location" && field != "referer") continue;
    const std::string bare = value;
    mask_url(value, label);
    if (value == bare || observation.kind != Kind::kHttpBody) continue;
    // An answer has one such place; who names many has a long body searched once.
    if (std::exchange(was_searched, true) && observation.bytes.size() > kMostBody) {
      observation.bytes = kNotKept;
      continue;
    }
    replace_place(observation.bytes, bare, value);
    const std::string in_html = as_html(bare);
    if (in_html != bare) replace_place(observation.bytes, in_html, as_html(value));
  }
  mask_refresh(observation, label);
}

bool CodePages::hides(const transport::Observation& observation) {
  const bool is_request = observation.kind == Kind::kHttpRequest;
  if (observation.lane.kind != transport::Lane::Kind::kHttp || (!is_request && !is_any_)) {
    return false;
  }
  if (is_request && !(observation.http && asks_for_code(observation))) return false;
  const std::lock_guard lock(mutex_);
  if (is_request) asking_.insert(observation.lane.number);
  const bool is_end = observation.kind == Kind::kClosed || observation.kind == Kind::kBroken;
  if (is_end) asking_.erase(observation.lane.number);
  is_any_ = !asking_.empty();
  return observation.kind == Kind::kHttpBody && asking_.contains(observation.lane.number) &&
         observation.http && is_page(observation);
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
    if (is_form(*masked.http)) mask_form(masked.bytes, label);
    mask_places(masked, label);
    mask_json(masked.bytes);
  }
  if (pages_.hides(observation)) {
    masked.bytes = fmt::format("[a page of {} bytes, not kept: it may contain a code]",
                               observation.bytes.size());
  }
  inner_.observe(masked);
}

}  // namespace assay::harness
