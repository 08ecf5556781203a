#include "harness/runner/extensions.h"

#include "harness/script/json_member.h"
#include "reference/wire/message.h"

namespace assay::harness {

model::ExtensionSet declared_by_server(model::Revision revision, const Json& server) {
  return model::declared_extensions(revision, member(server, "capabilities"));
}

model::ExtensionSet declared_by_client(model::Revision revision, const Json& request_params) {
  const Json& meta = member(request_params, "_meta");
  return model::declared_extensions(revision,
                                    member(meta, "io.modelcontextprotocol/clientCapabilities"));
}

model::ExtensionSet declared_by_client(model::Revision revision, std::span<const EventPtr> events) {
  model::ExtensionSet declared;
  for (const EventPtr& event : events) {
    const wire::Message* const message = event->message();
    if (!event->is_from_client() || message == nullptr) continue;
    if (message->kind() != wire::MessageKind::kRequest) continue;
    declared = declared | declared_by_client(revision, message->params()) |
               model::extensions_used_by(revision, message->method());
  }
  return declared;
}

model::ExtensionSet asked_for_in(model::Revision revision,
                                 const std::vector<const model::Extension*>& asked_for) {
  model::ExtensionSet set;
  for (const model::Extension* extension : asked_for) {
    if (extension->extends(revision)) set.add(model::index_of(*extension));
  }
  return set;
}

std::vector<reports::JudgedExtension> reported_extensions(model::ExtensionSet judged,
                                                          model::ExtensionSet declared) {
  std::vector<reports::JudgedExtension> all;
  for (const model::Extension* extension : model::members_of(judged)) {
    all.push_back({extension->identifier, extension->version,
                   declared.contains(model::index_of(*extension))});
  }
  return all;
}

}  // namespace assay::harness
