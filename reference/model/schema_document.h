// A stranger's schema, read once: which schemas it is made of, what they are called, and where
// their references lead. Internal to model/; schema_check.h is the public face.
//
// Nothing is fetched: what a reference leads to stands in the document, or nobody knows it.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "reference/model/schema_keywords.h"
#include "reference/model/validate.h"
#include "reference/model/validator.h"
#include "reference/wire/json.h"

namespace assay::model {

struct SchemaNode;

// A member of a schema that is a keyword.
struct SchemaPart {
  const Keyword* keyword;
  const Json* value;
  const SchemaNode* target = nullptr;  // of a reference; null if it leads to nothing known
  std::string_view dynamic_name = {};  // of a $dynamicRef that the dynamic scope decides
};

// One schema: an object or a boolean of the document.
struct SchemaNode {
  const Json* schema;
  SchemaDialect dialect;
  std::size_t resource;                // an index of SchemaDocument::resources()
  std::vector<SchemaPart> parts = {};  // unevaluated* stand last, as they read what others did
  bool has_unevaluated = false;
  bool has_lone_reference = false;  // a $ref beside which nothing counts
  bool is_of_known_dialect = true;
};

// What a $id names: the root, or a schema inside it.
struct SchemaResource {
  std::string uri;
  SchemaDialect dialect;
  bool is_of_known_dialect;
  const Json* root;
  // Null stands for a name that is given twice.
  std::map<std::string, const Json*, std::less<>> anchors = {};
  std::map<std::string, const Json*, std::less<>> dynamic_anchors = {};
  bool has_recursive_anchor = false;
};

class SchemaDocument {
 public:
  // `root` has to live as long as the document.
  explicit SchemaDocument(const Json& root);

  SchemaDocument(const SchemaDocument&) = delete;
  SchemaDocument& operator=(const SchemaDocument&) = delete;

  // Why it is no schema.
  const Deviations& deviations() const { return deviations_; }
  // Beyond a bound, or of a dialect that is not known; empty if it can be read. Nothing else may be
  // asked then.
  const std::string& obstacle() const { return obstacle_; }

  const SchemaNode& root() const { return *node(root_); }
  const SchemaNode* node(const Json& schema) const;
  const std::vector<SchemaResource>& resources() const { return resources_; }

 private:
  static constexpr std::size_t kNoResource = static_cast<std::size_t>(-1);

  // A reference whose target does not stand where a schema stands.
  struct OddTarget {
    const Json* target;
    std::size_t resource;
    SchemaPart* part;
  };
  struct Target {
    enum class Kind { kSchema, kNothing, kElsewhere, kUnsure } kind;
    const Json* schema = nullptr;
    std::string_view dynamic_name = {};
  };

  void index(const Json& schema, const Path& path, std::size_t depth, std::size_t resource);
  void index_parts(SchemaNode& node, const Path& path, std::size_t depth);
  std::size_t resource_of(const Json& schema, std::size_t parent);
  std::size_t add_resource(const Json& root, std::string uri, SchemaDialect inherited);
  static void name_anchors(const Json& schema, SchemaResource& resource);
  void link(const Json& schema, const Path& path);
  void link_reference(SchemaPart& part, const SchemaNode& node, const Path& path);
  void link_odd_targets();
  Target find(std::size_t from, std::string_view reference) const;
  Target find_in(const SchemaResource& resource, std::string_view fragment) const;

  const Json& root_;
  Deviations deviations_;
  std::string obstacle_;
  std::unordered_map<const Json*, SchemaNode> nodes_;
  std::vector<SchemaResource> resources_;
  std::map<std::string, std::size_t, std::less<>> resources_by_uri_;  // kNoResource: named twice
  std::vector<OddTarget> odd_targets_;
};

// What a JSON pointer leads to, seen from `root`; null if to nothing.
const Json* follow_pointer(const Json& root, std::string_view pointer);

}  // namespace assay::model
