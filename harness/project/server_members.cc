#include "harness/project/server_members.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "harness/frame/did_you_mean.h"

namespace assay::cli {
namespace {

const std::vector<std::string>& members() {
  static const std::vector<std::string> all{
      "type",         "command",       "args",           "env",         "envFile",
      "cwd",          "url",           "serverUrl",      "headers",     "disabled",
      "authTokens",   "authTokenFile", "login",          "clientId",    "clientSecret",
      "refreshToken", "callbackPort",  "authServerPort", "upstreamPort"};
  return all;
}

// What clients write beside that, however much it looks like one of ours.
const std::vector<std::string>& members_of_clients() {
  static const std::vector<std::string> all{"name",        "description", "timeout", "alwaysAllow",
                                            "autoApprove", "trust",       "enabled", "tools",
                                            "gallery",     "version",     "dev",     "roots"};
  return all;
}

bool is_among(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

std::optional<OddMember> odd_member(const nlohmann::ordered_json& server, bool is_of_project) {
  for (const auto& [name, value] : server.items()) {
    if (is_among(members(), name) || is_among(members_of_clients(), name)) continue;
    const std::string question = did_you_mean(name, members());
    if (!is_of_project && question.empty()) continue;
    return OddMember{
        name,
        "is no member of a server" +
            (question.empty() ? fmt::format("; known: {}", fmt::join(members(), ", ")) : question)};
  }
  return std::nullopt;
}

}  // namespace assay::cli
