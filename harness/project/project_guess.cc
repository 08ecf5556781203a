#include "harness/project/project_guess.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>

#include "reports/output.h"

namespace assay::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;
using Words = std::vector<std::string>;

std::string text_of(const ordered_json& object, const char* member) {
  const auto found = object.find(member);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

// The file of "bin", which is one, or several by name: then the first.
std::string bin_of(const ordered_json& package) {
  const auto bin = package.find("bin");
  if (bin == package.end()) return "";
  if (bin->is_string()) return bin->get<std::string>();
  const bool has_first = bin->is_object() && !bin->empty() && bin->begin()->is_string();
  return has_first ? bin->begin()->get<std::string>() : std::string();
}

Words of_package_json(const std::string& text) {
  const ordered_json package = ordered_json::parse(text, nullptr, false);
  if (!package.is_object()) return {};
  if (const std::string bin = bin_of(package); !bin.empty()) return {"node", bin};
  const auto scripts = package.find("scripts");
  const bool has_start =
      scripts != package.end() && scripts->is_object() && !text_of(*scripts, "start").empty();
  // Without --silent, npm itself would write to standard output, where only messages belong.
  if (has_start) return {"npm", "run", "--silent", "start"};
  const std::string main = text_of(package, "main");
  return main.empty() ? Words{} : Words{"node", main};
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && std::string_view(" \t\r").find(text.front()) != text.npos) {
    text.remove_prefix(1);
  }
  while (!text.empty() && std::string_view(" \t\r").find(text.back()) != text.npos) {
    text.remove_suffix(1);
  }
  return text;
}

std::string unquoted(std::string_view text) {
  text = trimmed(text);
  const bool is_quoted = text.size() >= 2 && (text.front() == '"' || text.front() == '\'') &&
                         text.back() == text.front();
  return std::string(is_quoted ? text.substr(1, text.size() - 2) : text);
}

// The first "name = value" of a table of TOML, as far as a guess needs it.
std::pair<std::string, std::string> first_of_table(std::string_view text, std::string_view table) {
  bool is_inside = false;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    const std::string_view plain = trimmed(line);
    if (plain.starts_with('[')) {
      is_inside = plain == table;
      continue;
    }
    const std::size_t equals = plain.find('=');
    if (!is_inside || plain.starts_with('#') || equals == std::string_view::npos) continue;
    return {unquoted(plain.substr(0, equals)), unquoted(plain.substr(equals + 1))};
  }
  return {};
}

Words of_pyproject(const std::string& text, const fs::path& folder) {
  const auto [script, place] = first_of_table(text, "[project.scripts]");
  if (script.empty()) return {};
  std::error_code ignored;
  if (fs::exists(folder / "uv.lock", ignored)) return {"uv", "run", script};
  const std::string module = place.substr(0, place.find(':'));
  return module.empty() ? Words{script} : Words{"python3", "-m", module};
}

}  // namespace

std::optional<StartGuess> guess_start(const fs::path& folder) {
  const auto read = [&folder](const char* name) {
    std::error_code ignored;
    if (!fs::is_regular_file(folder / name, ignored)) return std::string();
    return reports::read_file((folder / name).string()).text;
  };
  const std::pair<const char*, Words> guesses[] = {
      {"package.json", of_package_json(read("package.json"))},
      {"pyproject.toml", of_pyproject(read("pyproject.toml"), folder)},
      {"go.mod", read("go.mod").empty() ? Words{} : Words{"go", "run", "."}},
      {"Cargo.toml", read("Cargo.toml").empty() ? Words{} : Words{"cargo", "run", "--quiet"}}};
  for (const auto& [name, words] : guesses) {
    if (!words.empty()) return StartGuess{words, name};
  }
  return std::nullopt;
}

}  // namespace assay::cli
