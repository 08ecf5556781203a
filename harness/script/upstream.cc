#include "harness/script/upstream.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include "reference/transport/observer.h"
#include "reference/wire/base64.h"
#include "reference/wire/form.h"

namespace assay::harness {
namespace {

constexpr std::size_t kMostRequestBody = 256u << 10;
constexpr std::string_view kBody = "its body";

transport::HttpListener::Options upstream_options(int port) {
  transport::HttpListener::Options options = transport::HttpListener::Options::for_few();
  options.port = port;
  options.most_body_bytes = kMostRequestBody;
  return options;
}

bool is_unreserved(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '.' || c == '_' ||
         c == '~';
}

// `text` with %2B or %2b for '+', as `digits` has it.
std::string percent_encoded(std::string_view text, std::string_view digits) {
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (is_unreserved(c)) {
      out += c;
    } else {
      out += {'%', digits[byte >> 4], digits[byte & 0xf]};
    }
  }
  return out;
}

// As some writers of JSON have it.
std::string with_escaped_slashes(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '/') out += '\\';
    out += c;
  }
  return out;
}

// Of a b64token (RFC 6750) but for the "=" at its end: what follows one begins anew.
bool is_in_token(char c) {
  return is_unreserved(c) || c == '+' || c == '/';
}

// The rest of a longer text is no token of ours: "dev-token-upstream", "dev-token%2F2".
bool holds_whole(std::string_view text, std::string_view token) {
  for (std::size_t at = text.find(token); at != std::string_view::npos;
       at = text.find(token, at + 1)) {
    const std::size_t end = at + token.size();
    const bool begins = at == 0 || !is_in_token(text[at - 1]);
    const bool ends =
        end == text.size() || (!is_in_token(text[end]) && text[end] != '=' && text[end] != '%');
    if (begins && ends) return true;
  }
  return false;
}

// A URL, or a field, without its %XX; unlike in a form, "+" is itself.
std::string percent_decoded(std::string_view target) {
  std::string text;
  for (const char c : target) text += c == '+' ? "%2B" : std::string(1, c);
  return wire::decode_form_text(text);
}

bool is_discovery(const transport::HttpHead& request) {
  return request.target.starts_with("/.well-known/");
}

bool ends_like_token_endpoint(std::string_view path) {
  constexpr std::array<std::string_view, 9> kPlaces = {
      "/introspect", "/introspection", "/userinfo", "/revoke",      "/token",
      "/tokeninfo",  "/validate",      "/verify",   "/debug_token",
  };
  while (path.ends_with('/')) path.remove_suffix(1);
  return std::any_of(kPlaces.begin(), kPlaces.end(),
                     [&](std::string_view place) { return path.ends_with(place); });
}

// Of what stands before a segment of a path: "/oauth/v1/access-tokens/", where the segment is a
// token that is asked about.
bool leads_to_tokens(std::string_view path) {
  if (ends_like_token_endpoint(path)) return true;
  while (path.ends_with('/')) path.remove_suffix(1);
  const std::string name = transport::lower_case(path.substr(path.rfind('/') + 1));
  return name.find("token") != name.npos || name.find("session") != name.npos;
}

bool has_token_member(std::string_view form) {
  constexpr std::array<std::string_view, 8> kMembers = {
      "grant_type",    "token",       "token_type_hint",  "assertion",
      "subject_token", "input_token", "WebIdentityToken", "jwt",
  };
  const wire::Form pairs = wire::read_form(form);
  return std::any_of(kMembers.begin(), kMembers.end(), [&](std::string_view name) {
    return wire::form_value(pairs, name).has_value();
  });
}

bool is_form(const transport::HttpHead& request) {
  return transport::media_type(request.headers) == "application/x-www-form-urlencoded";
}

// "name:password" of "Basic ...", as many an API takes its tokens.
std::optional<std::string> password_in(std::string_view field) {
  constexpr std::string_view kBasic = "basic ";
  if (transport::lower_case(field.substr(0, kBasic.size())) != kBasic) return std::nullopt;
  field.remove_prefix(std::min(field.find_first_not_of(' ', kBasic.size()), field.size()));
  return wire::decode_base64(field);
}

bool reads_like_token_request(const transport::HttpHead& request, std::string_view body) {
  return ends_like_token_endpoint(wire::path_in(request.target)) || is_discovery(request) ||
         has_token_member(wire::query_in(request.target)) ||
         (is_form(request) && has_token_member(body));
}

// What a request is about, which no key stands in: others are the target's own affair.
bool is_plain_field(std::string_view lower_case_name) {
  constexpr std::array<std::string_view, 6> kPlain = {
      "accept", "connection", "content-length", "content-type", "host", "user-agent"};
  return std::find(kPlain.begin(), kPlain.end(), lower_case_name) != kPlain.end();
}

// "v1", "weather": not what somebody was given to come by, such as "/bot123:ABC/send".
bool is_plain_segment(std::string_view segment) {
  constexpr std::size_t kLongestWord = 32;
  constexpr std::size_t kLongestNumbered = 7;
  const bool is_word = std::all_of(segment.begin(), segment.end(), is_unreserved);
  const bool has_digit = std::any_of(segment.begin(), segment.end(),
                                     [](unsigned char c) { return std::isdigit(c) != 0; });
  return is_word && segment.size() <= (has_digit ? kLongestNumbered : kLongestWord);
}

// The parts between the separators, each of them by what `shown` makes of it.
template <typename Shown>
std::string by_parts(std::string_view text, char separator, const Shown& shown) {
  std::string out;
  while (true) {
    const std::string_view part = text.substr(0, text.find(separator));
    out += shown(part);
    if (part.size() == text.size()) return out;
    out += separator;
    text.remove_prefix(part.size() + 1);
  }
}

}  // namespace

Upstream::Upstream(std::shared_ptr<reports::Vault> vault)
    : vault_(vault ? std::move(vault) : std::make_shared<reports::Vault>()),
      transcript_({}, vault_) {}

Upstream::~Upstream() {
  if (listener_) listener_->stop();
}

std::optional<std::string> Upstream::start(int port) {
  listener_ = std::make_unique<transport::HttpListener>(
      upstream_options(port), [this](const transport::HttpHead& request, std::string_view body) {
        return handle(request, body);
      });
  if (auto trouble = listener_->start()) return trouble;
  url_ = fmt::format("http://127.0.0.1:{}", listener_->port());
  return std::nullopt;
}

void Upstream::look_for(const std::string& token) {
  if (token.empty()) return;
  vault_->add(token);
  std::string label = token;
  vault_->redact(label);
  const std::lock_guard lock(mutex_);
  for (std::string& text :
       std::array{token, percent_encoded(token, "0123456789ABCDEF"),
                  percent_encoded(token, "0123456789abcdef"), with_escaped_slashes(token)}) {
    const bool is_known = std::any_of(writings_.begin(), writings_.end(),
                                      [&](const Writing& each) { return each.text == text; });
    if (is_known) continue;
    vault_->add(text, label);
    writings_.push_back({std::move(text), token});
  }
}

std::string Upstream::token_in(std::string_view text) const {
  for (const Writing& writing : writings_) {
    if (holds_whole(text, writing.text)) return writing.token;
  }
  return "";
}

std::string Upstream::token_in_field(std::string_view value) const {
  if (std::string token = token_in(value); !token.empty()) return token;
  if (std::string token = token_in(percent_decoded(value)); !token.empty()) return token;
  const auto pair = password_in(value);
  return pair ? token_in(*pair) : "";
}

std::pair<std::string, std::string_view> Upstream::token_in_path(std::string_view path) const {
  for (std::size_t begin = 0; begin < path.size();) {
    const std::string_view segment = path.substr(begin, path.find('/', begin) - begin);
    std::string token = token_in(percent_decoded(segment));
    // A shorter one may be an ordinary word, such as a user's name.
    if (token.size() >= reports::kShortestSecret) return {std::move(token), path.substr(0, begin)};
    begin += segment.size() + 1;
  }
  return {};
}

std::pair<std::string, std::string_view> Upstream::token_in(const transport::HttpHead& request,
                                                            std::string_view body) const {
  for (const bool is_usual : {true, false}) {
    for (const auto& [name, value] : request.headers) {
      if ((transport::lower_case(name) == "authorization") != is_usual) continue;
      if (std::string token = token_in_field(value); !token.empty()) {
        return {std::move(token), is_usual ? "its Authorization field" : "a header field"};
      }
    }
  }
  if (std::string token = token_in(percent_decoded(request.target)); !token.empty()) {
    return {std::move(token), "its URL"};
  }
  if (std::string token = token_in_path(wire::path_in(request.target)).first; !token.empty()) {
    return {std::move(token), "its URL"};
  }
  if (std::string token = token_in(body); !token.empty()) return {std::move(token), kBody};
  return {is_form(request) ? token_in(wire::decode_form_text(body)) : "", kBody};
}

std::string Upstream::veiled(std::string_view value) const {
  constexpr const char* kVeil = "[masked]";
  if (value.empty()) return "";
  std::string label = token_in(percent_decoded(value));
  if (label.empty()) return kVeil;
  const bool is_all = percent_decoded(value) == label;
  vault_->redact(label);
  return is_all ? label : fmt::format("{} {}", kVeil, label);
}

transport::HttpHead Upstream::veiled(const transport::HttpHead& request) const {
  transport::HttpHead head = request;
  for (auto& [name, value] : head.headers) {
    // Credentials by their nature are labelled where they are kept.
    if (reports::is_credential_field(name)) continue;
    if (is_plain_field(transport::lower_case(name))) {
      vault_->redact(value);
    } else {
      value = veiled(value);
    }
  }
  head.target = by_parts(wire::path_in(request.target), '/', [&](std::string_view segment) {
    return is_plain_segment(segment) && token_in(segment).empty() ? std::string(segment)
                                                                  : veiled(segment);
  });
  const std::string_view query = wire::query_in(request.target);
  if (query.empty()) return head;
  head.target += '?' + by_parts(query, '&', [&](std::string_view pair) {
                   const std::size_t equals = pair.find('=');
                   if (equals == std::string_view::npos) return veiled(pair);
                   return std::string(pair.substr(0, equals + 1)) + veiled(pair.substr(equals + 1));
                 });
  return head;
}

transport::HttpReply Upstream::handle(const transport::HttpHead& request, std::string_view body) {
  transport::Observation observation;
  observation.kind = transport::Observation::Kind::kHttpRequest;
  observation.speaker = Party::kServer;
  // A lane that no exchange with the target has: those count from 1.
  observation.lane = {transport::Lane::Kind::kHttp, 0};
  {
    const std::lock_guard lock(mutex_);
    observation.http = veiled(request);
    if (!body.empty()) {
      std::string label = token_in(body);
      vault_->redact(label);
      observation.bytes =
          fmt::format("[{} bytes, in which {}]", body.size(),
                      label.empty() ? "no token of ours stands" : fmt::format("{} stands", label));
    }
    kept_ += cost_beside_message(observation);
    is_full_ = is_full_ || kept_ > kMostKept;
    if (!is_full_) {
      auto [token, place] = token_in(request, body);
      const bool is_in_body = !token.empty() && place == kBody;
      const bool is_about_tokens =
          reads_like_token_request(request, body) ||
          leads_to_tokens(token_in_path(wire::path_in(request.target)).second);
      transcript_.observe(observation);
      visits_.push_back({transcript_.event(transcript_.size() - 1), std::move(token), place,
                         is_about_tokens, is_in_body});
    }
  }
  has_come_.notify_all();
  if (is_discovery(request)) return {404, {{"Content-Type", "text/plain"}}, "Not found", nullptr};
  return {200, {{"Content-Type", "application/json"}}, "{}", nullptr};
}

std::vector<Upstream::Visit> Upstream::visits(std::size_t from) const {
  const std::lock_guard lock(mutex_);
  from = std::min(from, visits_.size());
  return {visits_.begin() + static_cast<std::ptrdiff_t>(from), visits_.end()};
}

std::size_t Upstream::count() const {
  const std::lock_guard lock(mutex_);
  return visits_.size();
}

bool Upstream::await_more(std::size_t count, std::chrono::milliseconds patience) const {
  std::unique_lock lock(mutex_);
  return has_come_.wait_for(lock, patience, [&] { return visits_.size() > count; });
}

bool Upstream::is_full() const {
  const std::lock_guard lock(mutex_);
  return is_full_;
}

}  // namespace assay::harness
