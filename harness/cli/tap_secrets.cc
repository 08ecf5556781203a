#include "harness/cli/tap_secrets.h"

#include <unistd.h>

#include <string_view>

#include "reports/redact.h"

namespace assay::cli {
namespace {

void hide(std::string_view name, std::string_view value, const std::string& shown,
          reports::Vault& vault) {
  if (value.size() < reports::kShortestSecret || !reports::is_credential_field(name)) return;
  vault.add(std::string(value), shown);
}

// "TOKEN=value", "--api-key=value", "Authorization: value".
bool hide_within(std::string_view word, reports::Vault& vault) {
  const std::size_t at = word.find_first_of("=:");
  if (at == std::string_view::npos) return false;
  std::string_view value = word.substr(at + 1);
  if (word[at] == ':' && value.starts_with(' ')) {
    if (reports::is_credential_field(word.substr(0, at))) {
      vault.add_field(word.substr(0, at), value.substr(1));
    }
    return true;
  }
  hide(word.substr(0, at), value, "", vault);
  return true;
}

}  // namespace

void hide_secrets(const std::vector<std::string>& command, reports::Vault& vault) {
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view variable(*entry);
    const std::size_t equals = variable.find('=');
    if (equals == std::string_view::npos) continue;
    const std::string name(variable.substr(0, equals));
    hide(name, variable.substr(equals + 1), "${" + name + "}", vault);
  }
  for (std::size_t i = 0; i < command.size(); ++i) {
    const bool is_pair = hide_within(command[i], vault);
    const bool is_option = command[i].starts_with("-") && !is_pair;
    if (is_option && i + 1 < command.size()) hide(command[i], command[i + 1], "", vault);
  }
}

}  // namespace assay::cli
