#include "harness/cli/interop_members.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/frame/command.h"
#include "harness/frame/did_you_mean.h"
#include "reports/escape.h"

namespace assay::cli {

std::string in_short(std::string_view text) {
  return reports::printable_line(reports::cut(text, 80));
}

nlohmann::ordered_json InteropMembers::several(const OrderedJson& json) {
  return json.is_array() ? json : OrderedJson::array({json});
}

void InteropMembers::fail(const std::string& place, std::string_view what) const {
  throw UsageError(
      fmt::format("'{}'{}{} {}", in_short(file_.path), place.empty() ? "" : ": ", place, what));
}

void InteropMembers::check_members(const OrderedJson& object, const std::string& place,
                                   const std::vector<std::string>& known) const {
  if (!object.is_object()) fail(place, "is not an object");
  for (const auto& [name, value] : object.items()) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    fail(place.empty() ? in_short(name) : place + ": " + in_short(name),
         "is not known" + meant_or_known(name, known));
  }
}

std::vector<std::string> InteropMembers::texts(const OrderedJson& json,
                                               const std::string& place) const {
  std::vector<std::string> out;
  for (const OrderedJson& each : several(json)) {
    if (!each.is_string() || each.get_ref<const std::string&>().empty()) {
      fail(place, "is no text, and no list of them");
    }
    out.push_back(each.get<std::string>());
  }
  if (out.empty()) fail(place, "is empty");
  return out;
}

std::string InteropMembers::text(const OrderedJson& object, const char* member,
                                 const std::string& place) const {
  if (!object[member].is_string()) fail(place + ": " + member, "is not a text");
  return object[member].get<std::string>();
}
bool InteropMembers::truth(const OrderedJson& json, const std::string& place) const {
  if (!json.is_boolean()) fail(place, "is neither true nor false");
  return json.get<bool>();
}

std::vector<std::string> InteropMembers::names_of(const OrderedJson& root, const char* member,
                                                  const std::vector<std::string>& known) const {
  std::vector<std::string> out;
  if (!root.contains(member)) return out;
  for (const OrderedJson& each : several(root[member])) {
    const std::string name = each.is_string() ? each.get<std::string>() : each.dump();
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      fail(member, fmt::format("has '{}'{}", in_short(name), meant_or_known(name, known)));
    }
    out.push_back(name);
  }
  return out;
}

}  // namespace assay::cli
