// How the types of the protocol are written down, so that a table reads like the specification:
//
//   object("Tool", {
//       required("name", string()),
//       optional("title", string()).since(v2025_06_18),
//       optional("execution", ref("ToolExecution")).only(v2025_11_25),
//   })
//
// A description is plain data. validate.h, generate.h, mutate.h and json_schema.h are its four
// uses.
//
// Specification: schema.ts / schema.json of each revision, and the pages where they say more.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "reference/model/revision.h"

namespace assay::model {

// The revisions in which something lives.
class RevisionSet {
 public:
  // Everything.
  constexpr RevisionSet() = default;

  static constexpr RevisionSet since(Revision first) {
    return RevisionSet(kAllBits & ~below(first));
  }
  static constexpr RevisionSet until(Revision last) { return RevisionSet(below(last) | bit(last)); }
  static constexpr RevisionSet only(Revision one) { return RevisionSet(bit(one)); }

  constexpr bool contains(Revision revision) const { return (bits_ & bit(revision)) != 0; }
  constexpr bool is_empty() const { return bits_ == 0; }
  constexpr RevisionSet operator&(RevisionSet other) const {
    return RevisionSet(bits_ & other.bits_);
  }

 private:
  static constexpr unsigned kAllBits = ~0u;
  static constexpr unsigned bit(Revision revision) {
    return 1u << static_cast<unsigned>(revision.value());
  }
  static constexpr unsigned below(Revision revision) { return bit(revision) - 1; }
  explicit constexpr RevisionSet(unsigned bits) : bits_(bits) {}

  unsigned bits_ = kAllBits;
};

enum class Kind : std::uint8_t {
  kAny,          // any JSON value
  kString,       // possibly of a Format
  kInteger,      // a number without fraction, possibly in a range
  kNumber,       // possibly in a range
  kBoolean,      //
  kNull,         //
  kConstant,     // one string or one integer
  kEnumeration,  // one of several strings
  kArray,        // of one element type
  kObject,       // known fields; other members are allowed, possibly of one type
  kReference,    // a named type
  kUnion,        // any of several alternatives
};

// What a string, or a member's name, must look like. formats.h checks them.
enum class Format : std::uint8_t {
  kNone,
  kBase64,       // RFC 4648, section 4, with padding
  kUri,          // RFC 3986, with a scheme
  kUriTemplate,  // RFC 6570
  kTime,         // ISO 8601
  kToolName,     // server/tools, "Tool Names"
  kMetaKey,      // basic, "_meta", "Key name format"
};

// How binding a rule is. A SHOULD is reported apart from a MUST.
enum class Strength : std::uint8_t { kMust, kShould };

struct Field;

// One type. Named ones are definitions; the others stand inside a field, an array or a union.
struct Type {
  Kind kind = Kind::kAny;
  std::string name;       // of a definition; of a reference: the definition meant
  RevisionSet revisions;  // of a definition or an alternative

  Format format = Format::kNone;        // of a string
  Strength strength = Strength::kMust;  // of the format
  std::optional<double> minimum;        // of a number, inclusive
  std::optional<double> maximum;
  std::optional<std::size_t> max_items;  // of an array

  std::vector<std::string> texts;        // of a constant (one) or an enumeration
  std::optional<std::int64_t> constant;  // of a constant that is an integer

  std::vector<Type> parts;  // an array's element; an object's other members; a union's alternatives
  std::vector<Field> fields;
  // Named types whose fields an object has as well; its own fields win.
  std::vector<std::pair<std::string, RevisionSet>> bases;
  // At least one of these optional fields must be there.
  std::vector<std::string> needs_one_of;
  Format key_format = Format::kNone;  // of an object's member names
  RevisionSet key_format_revisions;
  // A union whose alternative is named by the string in this member. A value that `cases` does not
  // list means the last alternative.
  std::string selector;
  std::vector<std::string> cases;

  Type since(Revision first) &&;
  Type until(Revision last) &&;
  Type only(Revision one) &&;
  Type extends(std::string base, RevisionSet revisions = {}) &&;
  Type at_least_one_of(std::vector<std::string> names) &&;
  Type at_least(double least) &&;
  Type between(double least, double most) &&;
  Type at_most_items(std::size_t most) &&;
  // The format is a recommendation.
  Type advised() &&;
  Type keys(Format format, RevisionSet revisions) &&;
  // The i-th alternative is meant when member `name` is the i-th of `values`; the last alternative,
  // one more than there are values, when it is any other string.
  Type selected_by(std::string name, std::vector<std::string> values) &&;
};

// A member of an object. One name may stand in several fields that share no revision, which is how
// a field's type or its being required changes.
struct Field {
  std::string name;
  Type type;
  bool is_required = false;
  RevisionSet revisions = {};

  Field since(Revision first) &&;
  Field until(Revision last) &&;
  Field only(Revision one) &&;
  // From `first` to `last`, both included.
  Field between(Revision first, Revision last) &&;
};

using Fields = std::vector<Field>;

Field required(std::string name, Type type);
Field optional(std::string name, Type type);

Type any();
Type string();
Type base64();
Type uri();
Type uri_template();
Type time();
Type tool_name();
Type integer();
Type number();
Type boolean();
Type null();
Type constant(std::string text);
Type constant(std::int64_t value);
Type one_of_strings(std::vector<std::string> texts);
Type array(Type element);
// An object of which nothing is known.
Type object();
Type object(Fields fields);
// An object whose members all have one type.
Type map(Type member);
Type ref(std::string name);
Type one_of(std::vector<Type> alternatives);

// Definitions.
Type object(std::string name, Fields fields);
Type one_of(std::string name, std::vector<Type> alternatives);
// Another name for a type.
Type named(std::string name, Type type);

}  // namespace assay::model
