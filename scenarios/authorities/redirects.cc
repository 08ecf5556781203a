#include "scenarios/authorities/redirects.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <variant>

#include "reference/transport/http_url.h"

namespace assay::scenarios {

using namespace harness;

bool leads_to(const std::string& location, const std::string& uri) {
  const auto parsed = transport::HttpUrl::parse(location);
  const auto* url = std::get_if<transport::HttpUrl>(&parsed);
  if (url != nullptr && url->host.ends_with("attacker.assay.invalid")) return true;
  if (!location.starts_with(uri)) return false;
  // Behind the URI stands the response, and not the rest of a longer path.
  return location.size() == uri.size() ||
         std::string_view("?&#").find(location[uri.size()]) != std::string_view::npos;
}

std::vector<std::string> near_misses(const std::string& registered) {
  std::vector<std::string> near = {registered + "/other", registered + "x", registered + "?other=1",
                                   registered + "/../other", registered + "/"};
  const auto parsed = transport::HttpUrl::parse(registered);
  const auto* const url = std::get_if<transport::HttpUrl>(&parsed);
  if (url == nullptr) return near;
  near.push_back(url->origin() + "/another-callback");
  near.push_back(url->origin() + "/assay/.." + url->target);
  // The last letter by its number.
  near.push_back(fmt::format("{}%{:02X}", registered.substr(0, registered.size() - 1),
                             static_cast<unsigned>(static_cast<unsigned char>(registered.back()))));
  near.push_back((url->is_tls ? "http" : "https") + registered.substr(registered.find("://")));
  std::string upper = url->target;
  std::transform(upper.begin(), upper.end(), upper.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  if (upper != url->target) near.push_back(url->origin() + upper);
  const std::size_t host = registered.find("://") + 3;
  near.push_back(registered.substr(0, host) + "assay@" + registered.substr(host));
  constexpr std::string_view kThisMachine = "127.0.0.1";
  if (url->host == kThisMachine) {
    near.push_back(registered.substr(0, host) + "localhost" +
                   registered.substr(host + kThisMachine.size()));
  }
  return near;
}

void judge_wrong_redirect(AuthorityScript& script, const CodeRequest& request,
                          const std::string& uri, std::string_view why,
                          const std::vector<catalogue::RequirementId>& rules) {
  const CodeResponse response = script.ask_for_code(request);
  const bool is_there = response.result && request.redirect_uri == uri;
  const bool leads_there = is_there || leads_to(response.location, uri);
  const bool is_refused = response.answer.is_refusal();
  for (const catalogue::RequirementId rule : rules) {
    if (leads_there || is_refused) {
      script.check(rule, !leads_there, response.answer.events,
                   fmt::format("a browser was sent to {}, which {}", uri, why));
    } else {
      script.unclear(rule,
                     fmt::format("an authorization request with the redirect_uri {} came to: {}",
                                 uri, response.describe()),
                     response.answer.events);
    }
  }
}

}  // namespace assay::scenarios
