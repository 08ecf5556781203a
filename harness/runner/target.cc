#include "harness/runner/target.h"

#include <chrono>
#include <memory>
#include <utility>

#include "harness/script/pace.h"
#include "reference/transport/http_client.h"
#include "reference/transport/http_sse_client.h"
#include "reference/transport/http_url.h"
#include "reference/transport/stdio_child.h"
#include "reports/escape.h"

namespace assay::harness {
namespace {

// `attach` makes the wire and tells the link what it is.
template <typename Attach>
std::variant<TargetAccess, transport::Failure> over_url(const UrlTarget& target, TransportKind kind,
                                                        Attach attach) {
  const auto url = transport::HttpUrl::parse(target.url);
  if (const auto* failure = std::get_if<transport::Failure>(&url)) return *failure;
  transport::HttpClientOptions options;
  TargetAccess access;
  access.kind = kind;
  access.shell_form = reports::shell_word(target.url);
  for (const auto& [name, value] : target.headers) {
    options.headers.push_back({name, value, true});
    access.secret_headers.push_back(name);
  }
  access.budget = options.limits.budget = target.budget;
  access.pace = std::make_shared<Pace>();
  access.tokens = target.tokens;
  const auto connector = [endpoint = std::get<transport::HttpUrl>(url),
                          attach](const transport::HttpClientOptions& used) -> Connector {
    return [endpoint, used, attach](transport::Observer& observer) {
      Link link;
      attach(endpoint, used, observer, link);
      return link;
    };
  };
  access.with_token = [connector, options](const UserToken& token) {
    transport::HttpClientOptions used = options;
    used.headers.push_back({"Authorization", token.field(), true});
    return connector(used);
  };
  const std::vector<UserToken> good = access.good_tokens();
  access.connect = good.empty() ? connector(options) : access.with_token(good.front());
  return access;
}

}  // namespace

wire::BudgetPtr make_budget() {
  return wire::BudgetPtr(new wire::Budget(kMostHeld));
}

TargetAccess over_stdio(const CommandTarget& target) {
  transport::StdioOptions options;
  options.spawn.command = target.words;
  options.spawn.directory = target.directory;
  options.spawn.environment = target.environment;
  // A scenario whose topic is the end of a session waits for it by itself; everywhere else the
  // child is only to be gone.
  options.exit_grace = std::chrono::milliseconds(200);
  TargetAccess access;
  access.kind = TransportKind::kStdio;
  access.budget = options.limits.budget = make_budget();
  access.pace = std::make_shared<Pace>();
  access.connect = [options](transport::Observer& observer) {
    auto child = std::make_unique<transport::StdioChild>(options, observer);
    Link link;
    link.child = child.get();
    link.transport = std::move(child);
    return link;
  };
  for (const std::string& word : target.words) {
    if (!access.shell_form.empty()) access.shell_form += ' ';
    access.shell_form += reports::shell_word(word);
  }
  return access;
}

std::variant<TargetAccess, transport::Failure> over_http(const UrlTarget& target) {
  return over_url(target, TransportKind::kHttp,
                  [](const transport::HttpUrl& url, const transport::HttpClientOptions& options,
                     transport::Observer& observer, Link& link) {
                    auto client = std::make_unique<transport::HttpClient>(url, options, observer);
                    link.http = client.get();
                    link.transport = std::move(client);
                  });
}

std::variant<TargetAccess, transport::Failure> over_http_sse(const UrlTarget& target) {
  return over_url(target, TransportKind::kHttpSse,
                  [](const transport::HttpUrl& url, const transport::HttpClientOptions& options,
                     transport::Observer& observer, Link& link) {
                    auto client =
                        std::make_unique<transport::HttpSseClient>(url, options, observer);
                    link.http_sse = client.get();
                    link.transport = std::move(client);
                  });
}

}  // namespace assay::harness
