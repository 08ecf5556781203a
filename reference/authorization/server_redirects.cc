// Where the server sends a browser: to what is registered, or as near to it as it is told to take.
#include <algorithm>
#include <utility>
#include <variant>

#include "reference/authorization/server.h"
#include "reference/transport/loopback.h"
#include "reference/wire/form.h"
#include "reference/wire/http_text.h"

namespace assay::authorization {
namespace {

// Nothing where it is none.
std::optional<transport::HttpUrl> read_url(std::string_view text) {
  auto parsed = transport::HttpUrl::parse(text);
  auto* const url = std::get_if<transport::HttpUrl>(&parsed);
  return url == nullptr ? std::nullopt : std::optional(std::move(*url));
}

bool is_of_same_origin(std::string_view one, std::string_view other) {
  const auto first = read_url(one);
  const auto second = read_url(other);
  return first && second && first->origin() == second->origin();
}

bool leads_to_this_machine(std::string_view uri) {
  const auto url = read_url(uri);
  return url && transport::is_loopback(*url);
}

// What a careless comparison takes for the same.
bool is_near_redirect(Conduct::Redirects how, const std::string& registered,
                      const std::string& named) {
  using Redirects = Conduct::Redirects;
  const auto one = read_url(registered);
  const auto other = read_url(named);
  if (how == Redirects::kInAnyCase) return wire::equals_without_case(registered, named);
  if (how == Redirects::kAsAnyUser) {
    const std::size_t at = named.find('@');
    const std::size_t scheme = named.find("://");
    if (at == std::string::npos || scheme == std::string::npos || at < scheme) return false;
    return named.substr(0, scheme + 3) + named.substr(at + 1) == registered;
  }
  if (how == Redirects::kWithoutQuery) return named.substr(0, named.find('?')) == registered;
  if (how == Redirects::kWithoutSlash) return named == registered + '/';
  if (how == Redirects::kSomewhere) return named.find(registered) != std::string::npos;
  if (how == Redirects::kWithNumbers) return wire::decode_form_text(named) == registered;
  if (how == Redirects::kOnSameHost) return is_of_same_origin(registered, named);
  if (!one || !other) return false;
  if (how == Redirects::kInAnyScheme) {
    return one->authority() == other->authority() && one->target == other->target;
  }
  if (how == Redirects::kWithoutDots) {
    const std::size_t dots = other->target.rfind("/..");
    return dots != std::string::npos && one->origin() == other->origin() &&
           other->target.substr(dots + std::string_view("/..").size()) == one->target;
  }
  return how == Redirects::kOnThisMachine && transport::is_loopback(*one) &&
         transport::is_loopback(*other) && one->target == other->target;
}

}  // namespace

bool Server::is_same_redirect(const std::string& registered, const std::string& named) {
  if (registered == named) return true;
  const auto one = read_url(registered);
  const auto other = read_url(named);
  return one && other && transport::is_loopback(*one) && one->host == other->host &&
         one->is_tls == other->is_tls && one->target == other->target;
}

bool Server::accepts_redirect(const KnownClient& client, const std::string& uri) const {
  using Redirects = Conduct::Redirects;
  if (knobs_.conduct.redirects == Redirects::kAny) return true;
  const bool is_by_document = knobs_.conduct.redirects == Redirects::kWithDocument;
  if (is_by_document && is_of_same_origin(client.id, uri)) return true;
  if (client.redirect_uris.empty()) return leads_to_this_machine(uri);
  const auto begins = [&](const std::string& each) { return uri.starts_with(each); };
  const auto& all = client.redirect_uris;
  const bool is_by_beginning = knobs_.conduct.redirects == Redirects::kByBeginning;
  if (is_by_beginning && std::any_of(all.begin(), all.end(), begins)) return true;
  const auto is_near = [&](const std::string& each) {
    return is_near_redirect(knobs_.conduct.redirects, each, uri);
  };
  if (std::any_of(all.begin(), all.end(), is_near)) return true;
  return std::any_of(client.redirect_uris.begin(), client.redirect_uris.end(),
                     [&](const std::string& each) { return is_same_redirect(each, uri); });
}

}  // namespace assay::authorization
