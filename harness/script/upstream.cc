#include "harness/script/upstream.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include "reference/transport/observer.h"

namespace assay::harness {
namespace {

constexpr std::size_t kMostBody = 256u << 10;

transport::HttpListener::Options listener_options(int port) {
  transport::HttpListener::Options options;
  options.port = port;
  options.most_connections = 64;
  options.most_body_bytes = kMostBody;
  options.threads = 1;
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

bool ends_like(std::string_view target, std::string_view end) {
  return target.substr(0, target.find('?')).ends_with(end);
}

bool is_discovery(const transport::HttpHead& request) {
  return request.target.starts_with("/.well-known/");
}

bool reads_like_token_request(const transport::HttpHead& request, std::string_view body) {
  constexpr std::array<std::string_view, 6> kPlaces = {
      "/introspect", "/introspection", "/userinfo", "/revoke", "/token", "/tokeninfo"};
  const bool is_place = std::any_of(kPlaces.begin(), kPlaces.end(), [&](std::string_view place) {
    return ends_like(request.target, place);
  });
  const bool is_form =
      transport::media_type(request.headers) == "application/x-www-form-urlencoded";
  constexpr std::array<std::string_view, 5> kMembers = {
      "grant_type=", "token=", "token_type_hint=", "assertion=", "subject_token="};
  const bool has_member = std::any_of(kMembers.begin(), kMembers.end(), [&](std::string_view name) {
    const std::size_t at = body.find(name);
    return at == 0 || (at != std::string_view::npos && body[at - 1] == '&');
  });
  return is_place || is_discovery(request) || (is_form && has_member);
}

// Fields that hold credentials by their nature are masked where they are kept.
transport::HttpHead masked(const transport::HttpHead& request, const reports::Vault& vault) {
  transport::HttpHead head = request;
  vault.redact(head.target);
  for (auto& [name, value] : head.headers) {
    if (!reports::is_credential_field(name)) vault.redact(value);
  }
  return head;
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
      listener_options(port), [this](const transport::HttpHead& request, std::string_view body) {
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
    if (text.find(writing.text) != std::string_view::npos) return writing.token;
  }
  return "";
}

std::pair<std::string, std::string_view> Upstream::token_in(const transport::HttpHead& request,
                                                            std::string_view body) const {
  for (const bool is_usual : {true, false}) {
    for (const auto& [name, value] : request.headers) {
      if ((transport::lower_case(name) == "authorization") != is_usual) continue;
      if (std::string token = token_in(value); !token.empty()) {
        return {std::move(token), is_usual ? "its Authorization field" : "a header field"};
      }
    }
  }
  if (std::string token = token_in(request.target); !token.empty()) {
    return {std::move(token), "its URL"};
  }
  return {token_in(body), "its body"};
}

transport::HttpReply Upstream::handle(const transport::HttpHead& request, std::string_view body) {
  transport::Observation observation;
  observation.kind = transport::Observation::Kind::kHttpRequest;
  observation.speaker = Party::kServer;
  // A lane that no exchange with the target has: those count from 1.
  observation.lane = {transport::Lane::Kind::kHttp, 0};
  observation.http = masked(request, *vault_);
  observation.bytes = body.substr(0, kMostKeptBody);
  // Half a token is one, too.
  vault_->redact_piece(observation.bytes);
  {
    const std::lock_guard lock(mutex_);
    kept_ += cost_beside_message(observation) + weight_of_message(observation);
    is_full_ = is_full_ || kept_ > kMostKept;
    if (!is_full_) {
      auto [token, place] = token_in(request, body);
      transcript_.observe(observation);
      visits_.push_back({transcript_.event(transcript_.size() - 1), std::move(token), place,
                         reads_like_token_request(request, body)});
    }
  }
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

bool Upstream::is_full() const {
  const std::lock_guard lock(mutex_);
  return is_full_;
}

}  // namespace assay::harness
