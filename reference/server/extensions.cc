#include "reference/server/extensions.h"

#include <utility>

#include "reference/server/apps.h"
#include "reference/server/durable_task.h"
#include "reference/server/identity.h"
#include "reference/server/skills.h"

namespace assay::server {

bool is_offered(const Options& options, const model::Extension& extension) {
  if (&extension == &tasks_extension()) return options.has_tasks_extension;
  if (&extension == &apps_extension()) return options.has_apps_extension;
  return options.has_skills_extension;
}

bool is_offered(const Options& options, const model::Extension& extension,
                model::Revision revision) {
  return is_offered(options, extension) && extension.extends(revision);
}

bool is_agreed(const Options& options, const model::Extension& extension, model::Revision revision,
               const Json& client_capabilities) {
  return is_offered(options, extension) && model::declared_extensions(revision, client_capabilities)
                                               .contains(model::index_of(extension));
}

Json declared_capabilities(const Options& options, model::Revision revision) {
  Json all = server_capabilities(revision);
  const auto declare = [&](const model::Extension& extension, Json settings) {
    if (!is_offered(options, extension, revision)) return;
    all["extensions"][extension.identifier] = std::move(settings);
  };
  declare(tasks_extension(), Json::object());
  declare(skills_extension(), skills_settings());
  declare(apps_extension(), Json::object());
  return all;
}

}  // namespace assay::server
