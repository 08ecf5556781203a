#include "reports/html/page.h"

#include <cassert>
#include <kainjow/mustache.hpp>
#include <nlohmann/json.hpp>

#include "reports/digest.h"
#include "reports/html/embedded.h"

namespace assay::reports::html {
namespace {

using kainjow::mustache::data;

// As deep as our own data: target data never nests.
data to_data(const nlohmann::json& json) {
  if (json.is_object()) {
    data out(data::type::object);
    for (const auto& [key, value] : json.items()) out.set(key, to_data(value));
    return out;
  }
  if (json.is_array()) {
    data out(data::type::list);
    for (const nlohmann::json& item : json) out.push_back(to_data(item));
    return out;
  }
  // An empty text hides its section, as in Mustache itself.
  if (json.is_string() && json.get_ref<const std::string&>().empty()) return data(false);
  if (json.is_boolean()) return data(json.get<bool>());
  return data(json.is_string() ? json.get_ref<const std::string&>() : json.dump());
}

}  // namespace

std::string render_page(std::string_view mustache_template, std::string_view script,
                        nlohmann::json page) {
  page["style"] = kStyle;
  page["script"] = script;
  page["brief_entry"] = kBriefTemplate;
  page["finding"] = kFindingTemplate;  // the partials {{> finding}}, {{> exchange}} and {{> event}}
  page["exchange"] = kExchangeTemplate;
  page["event"] = kEventTemplate;
  std::string policy =
      "default-src 'none'; base-uri 'none'; form-action 'none'; style-src 'sha256-" +
      sha256_base64(kStyle) + "'";
  if (!script.empty()) policy += "; script-src 'sha256-" + sha256_base64(script) + "'";
  page["policy"] = policy;
  kainjow::mustache::mustache compiled{std::string(mustache_template)};
  assert(compiled.is_valid());
  return compiled.render(to_data(page));
}

}  // namespace assay::reports::html
