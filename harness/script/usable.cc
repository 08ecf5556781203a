#include "harness/script/usable.h"

#include "harness/script/json_member.h"
#include "reference/model/formats.h"

namespace assay::harness {

bool is_readable(const Json& resource) {
  return member(resource, "uri").is_string() &&
         model::has_format(model::Format::kUri, text_member(resource, "uri"));
}

bool is_named(const Json& item) {
  return member(item, "name").is_string();
}

}  // namespace assay::harness
