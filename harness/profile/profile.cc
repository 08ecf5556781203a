#include "harness/profile/profile.h"

#include <algorithm>

namespace assay::harness {
namespace {

template <typename Item>
const Item* named(const std::vector<Item>& items, std::string_view name) {
  const auto found =
      std::find_if(items.begin(), items.end(), [&](const Item& item) { return item.name == name; });
  return found == items.end() ? nullptr : &*found;
}

bool contains(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::string introduced_as(const Json& server) {
  if (!server.is_object()) return "";
  const Json info = server.value("serverInfo", Json());
  if (!info.is_object()) return "";
  const Json name = info.value("name", Json());
  return name.is_string() ? name.get<std::string>() : "";
}

}  // namespace

bool ToolUse::can(Ability ability) const {
  return std::find(does.begin(), does.end(), ability) != does.end();
}

const KnownTool* Profile::tool(std::string_view wanted) const {
  return named(tools, wanted);
}

const KnownPrompt* Profile::prompt(std::string_view wanted) const {
  return named(prompts, wanted);
}

const ClientWay* Profile::way(Act act) const {
  const auto found = std::find_if(client.begin(), client.end(),
                                  [&](const ClientWay& each) { return each.act == act; });
  return found == client.end() ? nullptr : &*found;
}

bool Profile::is_only_of_client() const {
  return !client.empty() && tools.empty() && prompts.empty() && resources.empty() &&
         skipped_resources.empty() && completions.empty() && scopes.empty();
}

bool Profile::skips(std::string_view uri) const {
  return contains(skipped_resources, uri);
}

bool Profile::fits(const Json& server, const std::vector<std::string>& listed) const {
  if (is_only_of_client()) return false;
  if (detect_names.empty() && detect_tools == 0) return true;
  if (contains(detect_names, introduced_as(server))) return true;
  const auto known = std::count_if(tools.begin(), tools.end(), [&](const KnownTool& candidate) {
    return contains(listed, candidate.name);
  });
  return detect_tools > 0 && static_cast<std::size_t>(known) >= detect_tools;
}

void Profile::add(const Profile& other) {
  for (const KnownTool& each : other.tools) {
    if (tool(each.name) == nullptr) tools.push_back(each);
  }
  for (const KnownPrompt& each : other.prompts) {
    if (prompt(each.name) == nullptr) prompts.push_back(each);
  }
  for (const std::string& uri : other.resources) {
    if (!contains(resources, uri) && !skips(uri)) resources.push_back(uri);
  }
  for (const std::string& uri : other.skipped_resources) {
    if (!contains(resources, uri) && !skips(uri)) skipped_resources.push_back(uri);
  }
  for (const ClientWay& each : other.client) {
    if (way(each.act) == nullptr) client.push_back(each);
  }
  completions.insert(completions.end(), other.completions.begin(), other.completions.end());
  scopes.insert(scopes.end(), other.scopes.begin(), other.scopes.end());
  tried.insert(tried.end(), other.tried.begin(), other.tried.end());
  left_out.insert(left_out.end(), other.left_out.begin(), other.left_out.end());
}

}  // namespace assay::harness
