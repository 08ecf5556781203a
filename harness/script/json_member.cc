#include "harness/script/json_member.h"

#include <string>

namespace assay::harness {

const Json& member(const Json& object, std::string_view name) {
  static const Json kNone;
  if (!object.is_object()) return kNone;
  const auto found = object.find(name);
  return found == object.end() ? kNone : *found;
}

std::string_view text_member(const Json& object, std::string_view name) {
  const Json& value = member(object, name);
  return value.is_string() ? std::string_view(value.get_ref<const std::string&>())
                           : std::string_view();
}

const Json& array_member(const Json& object, std::string_view name) {
  static const Json kEmpty = Json::array();
  const Json& value = member(object, name);
  return value.is_array() ? value : kEmpty;
}

const Json& server_info(const Json& result) {
  const Json& info = member(result, "serverInfo");
  if (info.is_object()) return info;
  return member(member(result, "_meta"), "io.modelcontextprotocol/serverInfo");
}

}  // namespace assay::harness
