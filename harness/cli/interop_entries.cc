#include "harness/cli/interop_entries.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <variant>

#include "harness/cli/interop_members.h"
#include "harness/cli/tap_secrets.h"
#include "harness/frame/command.h"
#include "harness/host/house.h"
#include "reference/transport/http_url.h"
#include "reports/escape.h"
#include "reports/output.h"

namespace assay::cli {
namespace {

harness::InteropGateway gateway_at(const std::string& url, reports::Vault& vault) {
  const auto parsed = transport::HttpUrl::parse(url);
  if (const auto* failure = std::get_if<transport::Failure>(&parsed)) {
    throw UsageError("--through: " + failure->detail);
  }
  vault.add_query(url);
  harness::InteropGateway out;
  out.name = std::get<transport::HttpUrl>(parsed).authority();
  out.url = url;
  out.location = reports::printable_line(url);
  vault.redact(out.location);
  return out;
}

}  // namespace

void name_server_of(harness::InteropGateway& gateway,
                    const std::vector<harness::InteropServer>& servers) {
  if (!gateway.runs_already()) return;
  std::vector<std::string> known;
  for (const harness::InteropServer& server : servers) known.push_back(server.name);
  const std::string place = fmt::format("--through: the gateway '{}'", in_short(gateway.name));
  if (gateway.server.empty()) {
    if (known.size() != 1) {
      throw UsageError(place +
                       " runs already: choose the server that it reaches with --server NAME");
    }
    gateway.server = known.front();
  } else if (std::find(known.begin(), known.end(), gateway.server) == known.end()) {
    throw UsageError(fmt::format("{} reaches '{}', which is not a server of this run", place,
                                 in_short(gateway.server)));
  }
}

harness::InteropGateway gateway_of_words(const std::vector<std::string>& words,
                                         reports::Vault& vault) {
  const bool is_url = words.size() == 1 && words.front().find("://") != std::string::npos;
  if (is_url) return gateway_at(words.front(), vault);
  const auto has = [&words](std::string_view mark) {
    return std::any_of(words.begin(), words.end(), [&](const std::string& word) {
      return word.find(mark) != std::string::npos;
    });
  };
  if (words.empty() || has(harness::kUrlMark) == has(harness::kServerMark)) {
    throw UsageError(
        "--through needs the URL of a gateway, or a command with {url} or {server}: how the "
        "gateway reaches the server");
  }
  harness::InteropGateway out;
  out.name = std::filesystem::path(words.front()).filename().string();
  for (const std::string& word : words) {
    out.location += (out.location.empty() ? "" : " ") + reports::shell_word(word);
  }
  hide_secrets(words, vault);
  vault.redact(out.location);
  out.launch = harness::Launch{words, {}, ""};
  out.far = has(harness::kUrlMark) ? harness::TransportKind::kHttp : harness::TransportKind::kStdio;
  if (has(harness::kPortMark)) out.url = kGatewayUrl;
  return out;
}

harness::InteropServer reference_server_entry(const std::string& program) {
  harness::InteropServer out;
  out.name = kReferenceName;
  out.location = "mcp-assay reference-server";
  out.is_reference = true;
  // Enough for two pages of tools.
  const std::vector<std::string> paged = {"--page-size", "20"};
  out.over_stdio = harness::Launch{{program, "reference-server"}, {}, ""};
  out.url = "http://127.0.0.1:{port}/mcp";
  out.start = harness::Launch{
      {program, "reference-server", "--transport", "http", "--port", "{port}"}, {}, ""};
  for (harness::Launch* launch : {&*out.over_stdio, &*out.start}) {
    launch->words.insert(launch->words.end(), paged.begin(), paged.end());
  }
  return out;
}

harness::InteropServer reference_login_entry(const std::string& program) {
  harness::InteropServer out = reference_server_entry(program);
  out.name = kReferenceLoginName;
  out.location += " --with-auth-server";
  out.asks_for_token = true;
  out.over_stdio.reset();
  out.start->words.emplace_back("--with-auth-server");
  return out;
}

harness::InteropClient reference_client_entry(const std::string& program) {
  harness::InteropClient out;
  out.name = kReferenceName;
  out.location = "mcp-assay reference-client";
  out.is_reference = true;
  out.over_stdio = harness::Launch{{program, "reference-client", "--", "{server}"}, {}, ""};
  out.over_http =
      harness::Launch{{program, "reference-client", "--login-without-browser", "{url}"}, {}, ""};
  out.eras.push_back({"oldest", {}, {{"MCP_CONFORMANCE_PROTOCOL_VERSION", "2024-11-05"}}});
  return out;
}

}  // namespace assay::cli
