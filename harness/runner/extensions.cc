#include "harness/runner/extensions.h"

#include "harness/script/json_member.h"
#include "reference/wire/message.h"

namespace assay::harness {

model::ExtensionSet declared_by_server(model::Revision revision, const Json& server) {
  return model::declared_extensions(revision, member(server, "capabilities"));
}

model::ExtensionSet shown_by_tools(model::Revision revision, std::span<const Json> tools) {
  model::ExtensionSet shown;
  for (const Json& tool : tools) shown = shown | model::extensions_shown_by(revision, tool);
  return shown;
}

model::ExtensionSet shown_by_survey(model::Revision revision, const Survey& survey) {
  model::ExtensionSet shown;
  for (const Listing& listing : survey.listings()) {
    if (listing.member == "tools") shown = shown | shown_by_tools(revision, listing.items);
  }
  return shown;
}

model::ExtensionSet shown_by_server(model::Revision revision, std::span<const EventPtr> events) {
  model::ExtensionSet shown;
  for (const EventPtr& event : events) {
    const wire::Message* const message = event->message();
    if (event->is_from_client() || message == nullptr) continue;
    if (message->kind() != wire::MessageKind::kResult) continue;
    for (const Json& tool : array_member(message->result(), "tools")) {
      shown = shown | model::extensions_shown_by(revision, tool);
    }
  }
  return shown;
}

model::ExtensionSet declared_by_client(model::Revision revision, const Json& request_params) {
  if (revision.has_handshake()) {
    return model::declared_extensions(revision, member(request_params, "capabilities"));
  }
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
    declared = declared | model::extensions_used_by(revision, message->method());
    const bool may_declare = revision.is_stateless() || message->method() == "initialize";
    if (may_declare) declared = declared | declared_by_client(revision, message->params());
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
