// The extension `io.modelcontextprotocol/skills` (SEP-2640).
//
// Specification: ext-skills, specification/stable/skills.
#include "reference/model/tables.h"

namespace assay::model {
namespace {

Fields uri_of(const char* params_base) {
  return {required("params", object({required("uri", uri())}).extends(params_base))};
}

Types all_skill_types() {
  return {
      object("SkillResource",
             {
                 required("uri", uri()),
                 required("digest", string()),
                 required("size", integer().at_least(0)),
             }),
      object("Skill",
             {
                 required("uri", uri()),
                 required("frontmatter",
                          object({required("name", string()), required("description", string())})),
                 required("resources", one_of({array(ref("SkillResource")), constant("dynamic")})),
             }),

      request("ListSkillsRequest", "skills/list", page_params()),
      object("ListSkillsResult", {required("skills", array(ref("Skill")))})
          .extends("PaginatedResult")
          .extends("CacheableResult"),
      request("GetSkillRequest", "skills/get", uri_of("RequestParams")),
      object("GetSkillResult", {required("skill", ref("Skill"))}).extends("CacheableResult"),
      request("ReadResourceDirectoryRequest", "resources/directory/read",
              uri_of("PaginatedRequestParams")),
      object("ReadResourceDirectoryResult", {required("resources", array(ref("Resource")))})
          .extends("PaginatedResult"),
  };
}

Method asks_of_skills(std::string name, std::string type, std::string result) {
  return {std::move(name), Sender::kClient, std::move(type), true, ref(std::move(result)), {}, {}};
}

}  // namespace

Extension skills_extension() {
  return {
      .name = "skills",
      .identifier = "io.modelcontextprotocol/skills",
      .title = "Skills",
      .version = "stable",
      .base = v2026_07_28,
      .address =
          "https://github.com/modelcontextprotocol/ext-skills/blob/main/specification/stable/"
          "skills.mdx",
      .is_declared_by_clients = false,
      .types = all_skill_types(),
      .methods = {asks_of_skills("skills/list", "ListSkillsRequest", "ListSkillsResult"),
                  asks_of_skills("skills/get", "GetSkillRequest", "GetSkillResult"),
                  asks_of_skills("resources/directory/read", "ReadResourceDirectoryRequest",
                                 "ReadResourceDirectoryResult")},
  };
}

}  // namespace assay::model
