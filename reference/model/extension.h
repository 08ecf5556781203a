// The extensions of the protocol: small specifications of their own, which add to a revision.
//
// Each is a folder of data, extensions/NAME/: `tables.cc` has its types and methods in the words of
// type.h, `statements.yaml` and `accounting.tsv` what it demands (harness/catalogue/README.md). A
// new folder is all that there is to a new extension: the build finds it.
//
// Specification of 2026-07-28: basic/versioning, "Extension Negotiation".
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "reference/model/protocol.h"
#include "reference/model/type.h"
#include "reference/model/types.h"
#include "reference/wire/json.h"

namespace assay::model {

// Another result that a request of the revision may have, told apart by its `resultType`.
struct MoreResult {
  std::string method;       // "tools/call"
  std::string result_type;  // "task"
  std::string type;         // "CreateTaskResult"
};

struct Extension {
  std::string name;        // its folder: "tasks"
  std::string identifier;  // in `capabilities.extensions`: "io.modelcontextprotocol/tasks"
  std::string title;       // "Tasks"
  std::string version;     // of its specification
  Revision base;           // the revision that it extends, with those that are based on that one
  std::string address;     // of its page, without an anchor
  // The specification calls it a draft: it is judged only where it is declared or asked for, and
  // what it demands is told as advice.
  bool is_draft = false;
  // The folder that its page shares with those of others; empty: one of its own, under its name.
  std::string folder = {};
  // Its page in that folder, without an ending; empty: its own name.
  std::string page = {};
  // Clients say that they support it, too; else they show it by using its methods.
  bool is_declared_by_clients = true;
  // The member of `_meta` of a tool that shows that its server has it, as a JSON pointer. Empty:
  // its servers declare it.
  std::string shown_by = "";
  // What a client says of it when it declares it, as JSON text.
  std::string client_settings = "{}";
  Types types = {};
  std::vector<Method> methods = {};
  std::vector<MoreResult> results = {};
  // Members that a type of the revision has as well.
  std::vector<std::pair<std::string, Fields>> members = {};

  // What a client declares that supports it: {"extensions": {IDENTIFIER: SETTINGS}}.
  Json capability() const;
  bool extends(Revision revision) const;
  const std::string& page_name() const { return page.empty() ? name : page; }
};

// All of them, sorted by name.
std::span<const Extension> extensions();
// By its name or its identifier; null if there is none.
const Extension* find_extension(std::string_view name_or_identifier);
// Its place in extensions().
std::size_t index_of(const Extension& extension);
ExtensionSet set_of(const Extension& extension);
// Those that extend the revision.
ExtensionSet extensions_of(Revision revision);
// Those of `set`, sorted by name.
std::vector<const Extension*> members_of(ExtensionSet set);
// Those that clients do not declare, and that have a method of this name.
ExtensionSet extensions_used_by(Revision revision, std::string_view method);
// Those that a tool shows its server to have.
ExtensionSet extensions_shown_by(Revision revision, const Json& tool);
// Those that `capabilities` declare, of the ones that extend the revision.
ExtensionSet declared_extensions(Revision revision, const Json& capabilities);

// The member of the params that the HTTP header Mcp-Name repeats; empty for a method that has none.
std::string_view name_member(Protocol protocol, std::string_view method);

}  // namespace assay::model
