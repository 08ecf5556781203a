#include "reference/transport/http_url.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>

namespace assay::transport {
namespace {

constexpr std::uint16_t kHttpPort = 80;
constexpr std::uint16_t kHttpsPort = 443;
// Longer than any address in use; servers refuse longer ones with 414.
constexpr std::size_t kMaxUrlBytes = 8192;

Failure bad_address(std::string_view why) {
  return Failure{Failure::Kind::kBadAddress, std::string(why)};
}

bool starts_with_scheme(std::string_view text, std::string_view scheme) {
  return text.size() >= scheme.size() &&
         std::equal(scheme.begin(), scheme.end(), text.begin(), [](char expected, char found) {
           return expected == std::tolower(static_cast<unsigned char>(found));
         });
}

// A space or control character would break the request line that the address is written into.
bool is_printable(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c < '\x7f'; });
}

// What was meant by an address without a scheme; empty for one with another.
std::string meant_by(std::string_view text) {
  constexpr std::size_t kMostShown = 200;
  const bool is_host = !text.empty() && text.size() <= kMostShown &&
                       text.find("://") == std::string_view::npos &&
                       text.find_first_of(".:") != std::string_view::npos;
  return is_host ? fmt::format(": do you mean http://{}?", text) : std::string();
}

}  // namespace

std::variant<HttpUrl, Failure> HttpUrl::parse(std::string_view text) {
  if (text.size() > kMaxUrlBytes) return bad_address("the URL is too long");
  if (!is_printable(text)) {
    return bad_address("the URL holds a space, a control character or a byte that is not ASCII");
  }
  HttpUrl url;
  if (starts_with_scheme(text, "http://")) {
    text.remove_prefix(7);
  } else if (starts_with_scheme(text, "https://")) {
    text.remove_prefix(8);
    url.is_tls = true;
  } else {
    return bad_address("the URL begins with neither http:// nor https://" + meant_by(text));
  }
  url.port = url.is_tls ? kHttpsPort : kHttpPort;
  text = text.substr(0, text.find('#'));
  const auto end = text.find_first_of("/?");
  std::string_view authority = text.substr(0, end);
  if (end != std::string_view::npos) {
    url.target = text[end] == '?' ? "/" + std::string(text.substr(end)) : text.substr(end);
  }
  if (authority.find('@') != std::string_view::npos) {
    return bad_address("the URL holds a user name or password: pass it as a header");
  }
  std::string_view port;
  if (authority.starts_with('[')) {
    const auto bracket = authority.find(']');
    if (bracket == std::string_view::npos) return bad_address("the URL lacks a closing bracket");
    url.host = authority.substr(1, bracket - 1);
    port = authority.substr(bracket + 1);
    if (!port.empty() && port.front() != ':') return bad_address("the URL's host is malformed");
  } else {
    const auto colon = authority.find(':');
    url.host = authority.substr(0, colon);
    if (colon != std::string_view::npos) port = authority.substr(colon);
  }
  if (url.host.empty()) return bad_address("the URL names no host");
  if (url.host.find_first_of("[]") != std::string::npos) {
    return bad_address("the URL's host is malformed");
  }
  if (!port.empty()) {
    port.remove_prefix(1);
    const auto parsed = std::from_chars(port.data(), port.data() + port.size(), url.port);
    if (parsed.ec != std::errc() || parsed.ptr != port.data() + port.size() || url.port == 0) {
      return bad_address("the URL's port is no number from 1 to 65535");
    }
  }
  return url;
}

std::variant<HttpUrl, Failure> HttpUrl::resolve(std::string_view reference) const {
  if (starts_with_scheme(reference, "http://") || starts_with_scheme(reference, "https://")) {
    return parse(reference);
  }
  if (reference.starts_with("//"))
    return parse((is_tls ? "https:" : "http:") + std::string(reference));
  const std::string path = target.substr(0, target.find('?'));
  if (reference.starts_with('/')) return parse(origin() + std::string(reference));
  if (reference.starts_with('?')) return parse(origin() + path + std::string(reference));
  const std::string folder = path.substr(0, path.rfind('/') + 1);
  return parse(origin() + folder + std::string(reference));
}

std::string HttpUrl::authority() const {
  const std::string name = host.find(':') == std::string::npos ? host : "[" + host + "]";
  const bool is_default = port == (is_tls ? kHttpsPort : kHttpPort);
  return is_default ? name : fmt::format("{}:{}", name, port);
}

std::string HttpUrl::origin() const {
  return (is_tls ? "https://" : "http://") + authority();
}

}  // namespace assay::transport
