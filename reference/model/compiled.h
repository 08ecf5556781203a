// The tables of one revision in the form that is fast to walk: references resolved, base types
// merged, fields sorted as nlohmann::json sorts members. Built on first use, once per revision and
// set of extensions, never changed.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reference/model/extension.h"
#include "reference/model/protocol.h"
#include "reference/model/types.h"
#include "reference/model/validate.h"

namespace assay::model {

using NodeIndex = std::uint32_t;
inline constexpr NodeIndex kNoNode = ~NodeIndex{0};

struct CompiledField {
  std::string name;
  NodeIndex node = kNoNode;
  bool is_required = false;
};

struct Node {
  Kind kind = Kind::kAny;  // never kReference
  Format format = Format::kNone;
  Format key_format = Format::kNone;
  Strength strength = Strength::kMust;
  std::string name;      // of the definition; empty for a type without a name
  std::string expected;  // what a deviation says was expected here

  bool has_range = false;
  double minimum = 0;
  double maximum = 0;
  std::optional<std::size_t> max_items;
  std::vector<std::string> texts;
  std::optional<std::int64_t> constant;
  std::vector<CompiledField> fields;  // sorted by name
  std::vector<std::string> needs_one_of;
  NodeIndex element = kNoNode;  // of an array, or an object's other members
  std::vector<NodeIndex> alternatives;
  // A union whose alternatives differ in one string member: which values mean which of them.
  std::string selector;
  std::vector<std::pair<std::string, NodeIndex>> cases;
  NodeIndex other_case = kNoNode;  // for values that are not listed, if those are allowed
  bool may_advise = false;         // something below can break a SHOULD
};

struct CompiledMethod {
  bool is_request = true;
  NodeIndex message = kNoNode;   // the whole request or notification
  NodeIndex response = kNoNode;  // the whole response to it
};

// One revision, with some extensions, compiled.
class Compiled {
 public:
  explicit Compiled(Protocol protocol);

  // The one for `protocol`, shared by all.
  static const Compiled& of(Protocol protocol);

  Revision revision() const { return revision_; }
  const Node& node(NodeIndex index) const { return nodes_[index]; }
  NodeIndex find(std::string_view type) const;     // kNoNode if unknown
  NodeIndex require(std::string_view type) const;  // throws std::out_of_range
  const std::map<std::string, NodeIndex, std::less<>>& definitions() const { return definitions_; }
  const CompiledMethod* find_method(Direction direction, std::string_view method) const;
  const std::map<std::string, CompiledMethod, std::less<>>& methods(Direction direction) const {
    return direction == Direction::kClientToServer ? client_methods_ : server_methods_;
  }
  // The response type of an error code; the general one if it has none of its own.
  NodeIndex error_response(std::optional<std::int64_t> code) const;

 private:
  NodeIndex define(const std::string& name);
  NodeIndex compile(const Type& type);
  void compile_into(NodeIndex index, const Type& type);
  void compile_object(NodeIndex index, const Type& type);
  void compile_union(NodeIndex index, const Type& type);
  void flatten(Node& node);
  void choose_selector(Node& node);
  void collect_fields(const Type& type, std::map<std::string, const Field*>& fields) const;
  void add_fields(const std::string& type, const Fields& more,
                  std::map<std::string, const Field*>& fields) const;
  const Type* definition(std::string_view name) const;
  void compile_methods();
  void compile_method(const Method& method);
  // With the results that extensions add.
  Type result_of(const Method& method) const;
  NodeIndex compile_message(const std::string& envelope, const std::string& type);
  NodeIndex compile_response(const Type& result);
  void note_advice();

  Revision revision_;
  std::vector<const Extension*> extensions_;
  std::vector<Node> nodes_;
  std::map<std::string, NodeIndex, std::less<>> definitions_;
  std::map<std::string, CompiledMethod, std::less<>> client_methods_;
  std::map<std::string, CompiledMethod, std::less<>> server_methods_;
  std::map<std::int64_t, NodeIndex> error_responses_;
};

}  // namespace assay::model
