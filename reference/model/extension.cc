#include "reference/model/extension.h"

#include <algorithm>
#include <optional>
#include <stdexcept>

#include "reference/model/extension_list.h"

namespace assay::model {
namespace {

std::vector<Extension> collect_extensions() {
  std::vector<Extension> all;
  for (Extension (*const extension)() : kExtensionTables) all.push_back(extension());
  std::sort(all.begin(), all.end(),
            [](const Extension& a, const Extension& b) { return a.name < b.name; });
  if (all.size() > ExtensionSet::kMost) throw std::logic_error("model tables: too many extensions");
  return all;
}

std::string_view name_member_in(const std::vector<Method>& methods, Revision revision,
                                std::string_view name) {
  for (const Method& method : methods) {
    if (method.name == name && method.revisions.contains(revision)) return method.header_name;
  }
  return {};
}

}  // namespace

Json Extension::capability() const {
  return {{"extensions", {{identifier, Json::parse(client_settings)}}}};
}

bool Extension::extends(Revision revision) const {
  std::optional<Revision> each = revision;
  while (each && *each != base) each = each->based_on();
  return each.has_value();
}

std::span<const Extension> extensions() {
  static const std::vector<Extension> kAll = collect_extensions();
  return kAll;
}

const Extension* find_extension(std::string_view name_or_identifier) {
  for (const Extension& extension : extensions()) {
    if (extension.name == name_or_identifier || extension.identifier == name_or_identifier) {
      return &extension;
    }
  }
  return nullptr;
}

std::size_t index_of(const Extension& extension) {
  return static_cast<std::size_t>(&extension - extensions().data());
}

ExtensionSet set_of(const Extension& extension) {
  ExtensionSet set;
  set.add(index_of(extension));
  return set;
}

ExtensionSet extensions_of(Revision revision) {
  ExtensionSet set;
  for (const Extension& extension : extensions()) {
    if (extension.extends(revision)) set.add(index_of(extension));
  }
  return set;
}

std::vector<const Extension*> members_of(ExtensionSet set) {
  std::vector<const Extension*> members;
  for (const Extension& extension : extensions()) {
    if (set.contains(index_of(extension))) members.push_back(&extension);
  }
  return members;
}

ExtensionSet declared_extensions(Revision revision, const Json& capabilities) {
  ExtensionSet set;
  const auto declared = capabilities.find("extensions");
  if (!capabilities.is_object() || declared == capabilities.end()) return set;
  for (const Extension* extension : members_of(extensions_of(revision))) {
    const auto settings = declared->find(extension->identifier);
    const bool is_there = declared->is_object() && settings != declared->end();
    // False and null declare nothing.
    if (is_there && !settings->is_null() && *settings != false) set.add(index_of(*extension));
  }
  return set;
}

ExtensionSet extensions_shown_by(Revision revision, const Json& tool) {
  ExtensionSet set;
  const auto meta = tool.find("_meta");
  if (!tool.is_object() || meta == tool.end() || !meta->is_object()) return set;
  for (const Extension* extension : members_of(extensions_of(revision))) {
    if (extension->shown_by.empty()) continue;
    const Json::json_pointer place(extension->shown_by);
    if (meta->contains(place) && meta->at(place).is_string()) set.add(index_of(*extension));
  }
  return set;
}

ExtensionSet extensions_used_by(Revision revision, std::string_view method) {
  ExtensionSet set;
  for (const Extension* extension : members_of(extensions_of(revision))) {
    if (extension->is_declared_by_clients) continue;
    const auto& methods = extension->methods;
    const bool has_it = std::any_of(methods.begin(), methods.end(),
                                    [&](const Method& each) { return each.name == method; });
    if (has_it) set.add(index_of(*extension));
  }
  return set;
}

std::string_view name_member(Protocol protocol, std::string_view method) {
  const auto known = name_member_in(all_methods(), protocol.revision, method);
  if (!known.empty()) return known;
  for (const Extension* extension : members_of(protocol.extensions)) {
    const auto added = name_member_in(extension->methods, protocol.revision, method);
    if (!added.empty()) return added;
  }
  return {};
}

}  // namespace assay::model
